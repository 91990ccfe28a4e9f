"""The clock behind a DGT board: times, acknowledgements, one command at a time, and the board's memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.dgt import clock, memory
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.clock_queue import ANSWER_MS, REPEATS, ClockQueue
from drivers.boards.dgt.firmware import Firmware, SimulatedClock

SECONDS = st.integers(0, 10 * 3600 - 1)


@given(
    st.integers(1, 10 * 3600 - 1),
    SECONDS,
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, "left", "right"]),
    st.booleans(),
)
def test_times_survive_the_wire(right, left, running, lever, turn, flag) -> None:
    time = clock.ClockTime(right, left, running, lever, False, turn, flag, False)
    assert clock.decode(clock.encode_time(time)) == time


@given(st.tuples(*[st.integers(0, 255)] * 4))
def test_acknowledgements_survive_the_wire(ack: tuple[int, int, int, int]) -> None:
    data = clock.encode_ack(ack)
    assert all(byte < 0x80 for byte in data)
    found = clock.decode(data)
    if isinstance(found, clock.ClockAck):
        assert found.ack == ack
    else:
        assert ack[0] == clock.GOOD


@given(st.binary(min_size=7, max_size=7))
def test_any_seven_bytes_mean_something(data: bytes) -> None:
    assert clock.decode(data) is not None


@pytest.mark.parametrize("bad", ["00047500045901", "00046000045901", "0b045900045901", "00995900045901"])
def test_impossible_digits_are_thrown_away(bad: str) -> None:
    assert clock.decode(bytes.fromhex(bad)) == clock.ClockInvalid()


def test_a_button_of_the_clock() -> None:
    assert clock.decode(clock.encode_ack((0x10, 0x88, 0, 0x33))) == clock.ClockButton("run")


def test_commands_have_the_published_frame() -> None:
    assert clock.ask_version() == bytes.fromhex("2b03030900")
    assert clock.end_display() == bytes.fromhex("2b03030300")
    assert clock.text("Hello", 1) == b"\x2b\x0c\x03\x0cHello   \x01\x00"
    assert clock.beep(3) == bytes.fromhex("2b04030b0300")
    assert clock.set_and_run(3723, 60, "white") == bytes.fromhex("2b0a030a01020300010001") + b"\x00"
    assert clock.set_and_run(0, 0, "black", white_left=False)[-2] == 0x01
    assert clock.display("abc123")[1] == 0x0B


# -- one command at a time ------------------------------------------------------------------------------------------


def test_the_next_command_waits_for_the_acknowledgement() -> None:
    queue = ClockQueue()
    queue.ask(clock.text("one"))
    queue.ask(clock.beep(1))
    assert queue.next(0) == clock.text("one")
    assert queue.next(10) is None
    queue.heard(clock.ClockAck((0x10, clock.TEXT, 0, 0)), 200)
    assert queue.next(200) == clock.beep(1)


def test_texts_that_wait_become_the_newest() -> None:
    queue = ClockQueue()
    for words in ("one", "two", "three"):
        queue.ask(clock.text(words))
        queue.ask(clock.beep(1))
    assert queue.next(0) == clock.text("three")
    queue.heard(clock.ClockAck((0x10, clock.TEXT, 0, 0)), 1)
    assert queue.next(1) == clock.beep(1)
    queue.heard(clock.ClockAck((0x10, clock.BEEP, 0, 0)), 2)
    assert queue.next(2) is None


def test_a_silent_clock_is_asked_three_times_more_and_then_lost() -> None:
    queue = ClockQueue()
    queue.ask(clock.ask_version())
    sent = [t for t in range(0, 20_000, 100) if queue.next(t) is not None]
    assert sent == [0, ANSWER_MS, 2 * ANSWER_MS, REPEATS * ANSWER_MS]
    assert queue.lost
    queue.ask(clock.text("anyone?"))
    assert queue.next(30_000) is None
    queue.heard(clock.ClockTime(0, 0, False, False, False, None, False, False), 31_000)
    assert not queue.lost
    queue.ask(clock.text("here"))
    assert queue.next(32_000) == clock.text("here")


def test_an_error_is_repeated_at_once() -> None:
    queue = ClockQueue()
    queue.ask(clock.text("x"))
    queue.next(0)
    queue.heard(clock.ClockAck((0x20, 0, 0, 0)), 300)
    assert queue.next(300) == clock.text("x")
    queue.heard(clock.ClockAck((0x10, clock.TEXT, 0, 0)), 500)
    assert queue.next(5_000) is None
    assert not queue.lost


def test_an_answer_to_another_command_and_a_button_are_no_answer() -> None:
    queue = ClockQueue()
    queue.ask(clock.text("x"))
    queue.next(0)
    for message in (clock.ClockAck((0x10, clock.BEEP, 0, 0)), clock.ClockButton("run"), clock.ClockEmpty()):
        queue.heard(message, 100)
    assert queue.next(ANSWER_MS) == clock.text("x")


def test_no_clock_is_told_by_the_board() -> None:
    queue = ClockQueue()
    queue.ask(clock.text("x"))
    queue.heard(clock.ClockAbsent(), 0)
    assert queue.lost
    assert queue.next(0) is None


# -- the simulated board --------------------------------------------------------------------------------------------


def messages(firmware: Firmware, data: bytes) -> list[dgt.DgtMessage]:
    return dgt.Reader().feed(firmware.feed(data))


def test_a_board_is_silent_until_it_is_asked() -> None:
    board = Firmware()
    assert board.change(52, "P") == b""
    assert board.time_message() == b""
    assert messages(board, clock.text("no mode")) == []  # acknowledgements come only in the update modes
    assert messages(board, dgt.UPDATE_NICE) == []
    assert dgt.Reader().feed(board.change(52, ".")) == [dgt.FieldUpdate(52, ".")]
    assert [type(m) for m in dgt.Reader().feed(board.time_message())] == [clock.ClockTime]
    assert board.time_message() == b""  # only changes
    assert messages(board, dgt.RESET) == []
    assert board.change(52, "P") == b""


def test_the_board_answers_every_question_in_its_own_name() -> None:
    board = Firmware()
    board.battery = (37, True)
    assert messages(board, dgt.SEND_TRADEMARK) == [dgt.TradeMark("Simulated board")]
    assert messages(board, dgt.SEND_VERSION + dgt.SEND_SERIAL) == [dgt.BoardVersion(1, 2), dgt.SerialNumber("00042")]
    assert messages(board, dgt.SEND_LONG_SERIAL) == [dgt.SerialNumber("SIM0000042")]
    assert messages(board, dgt.SEND_BATTERY) == [dgt.Battery(37, True, None)]
    assert messages(board, b"\x7e") == []


def test_a_command_in_pieces_is_understood() -> None:
    board = Firmware()
    board.feed(dgt.UPDATE_NICE)
    command = clock.set_and_run(600, 300, "white")
    answers = b"".join(board.feed(bytes((byte,))) for byte in command)
    assert dgt.Reader().feed(answers) == [clock.ClockAck((0x10, clock.SET_AND_RUN, 0, 0))]
    assert (board.clock.time.left_s, board.clock.time.right_s, board.clock.time.turn) == (600, 300, "left")


def test_faults_of_the_clock() -> None:
    board = Firmware(SimulatedClock(deaf=1, refusals=1, zero_after=True))
    board.feed(dgt.UPDATE_NICE)
    assert messages(board, clock.text("a")) == []
    assert messages(board, clock.text("b")) == [clock.ClockAck((0x20, 0, 0, 0))]
    assert messages(board, clock.text("c")) == [clock.ClockAck((0x10, clock.TEXT, 0, 0)), clock.ClockEmpty()]
    assert board.clock.text == "c"
    board.clock.pc_mode = False
    found = messages(board, clock.set_and_run(1, 1, None))[0]
    assert isinstance(found, clock.ClockAck)
    assert not found.good
    board.clock.connected = False
    assert messages(board, dgt.SEND_CLOCK) == [clock.ClockAbsent()]


# -- memory ---------------------------------------------------------------------------------------------------------


def test_the_game_is_in_the_boards_memory() -> None:
    board = Firmware()
    board.squares = list("rnbqkbnr" + "p" * 8 + "." * 32 + "P" * 8 + "RNBQKBNR")
    board.memory = bytes((0x6A, 0x6F))
    start = "".join(board.squares)
    for number, piece in ((52, "."), (36, "P"), (12, "."), (28, "p")):
        board.change(number, piece)
    (dump,) = messages(board, dgt.SEND_MEMORY)
    assert isinstance(dump, dgt.MemoryDump)
    entries = memory.last_game(memory.decode(dump.data))
    assert memory.positions(entries, start)[-1] == "".join(board.squares)


def test_times_and_marks_in_the_memory() -> None:
    data = bytes((0x00, 0x7F, 0x6A, 0x70, 0x59, 0x31, 0x61, 0x02, 0x03, 0x51, 36, 0x6B, 0x6F))
    assert memory.decode(data) == [
        memory.Mark("power up"),
        memory.Pressed("left", 59 * 60 + 31),
        memory.Pressed("right", 3600 + 2 * 60 + 3),
        memory.Change(36, "P", True),
    ]


@given(st.binary(max_size=300))
def test_any_memory_is_read_without_a_crash(data: bytes) -> None:
    entries = memory.decode(data)
    assert len(entries) <= len(data)
    memory.positions(memory.last_game(entries), "." * 64)
