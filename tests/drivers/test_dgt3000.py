"""A DGT 3000 on I²C: frames byte for byte, a clock that is set and follows ours, its troubles in virtual time."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers import catalogue
from drivers.boards.serial_board import Port
from drivers.clocks.dgt3000 import bus, device
from drivers.clocks.dgt3000 import protocol as dgt
from drivers.clocks.dgt3000.bus import BscSlave, MappedRegisters, PiBus, slave_base
from drivers.clocks.dgt3000.device import Dgt3000, short_time
from drivers.clocks.dgt3000.simulator import SimulatedDgt3000
from drivers.errors import DeviceBusy, DeviceMissing
from drivers.interfaces import ClockFace, ClockReport, FaultReport, KeyReport, LinkReport, PressReport, Report
from kiosk.doctor import parts
from kiosk.table.board_words import fault_words
from kiosk.table.config import TableConfig
from kiosk.table.hardware import plug_in
from rules.laws.sides import Side
from tests.kiosk.table_hub import TestHub
from tests.kiosk.test_table_service import a_round, config, play

# -- frames ------------------------------------------------------------------------------------------------------------


def test_the_frames_that_are_published() -> None:
    sent = (dgt.WAKE_UP, dgt.TAKE_CONTROL, dgt.MODE_25, dgt.END)
    assert [frame.hex() for frame in sent] == ["20050d46", "20050f48", "20060b39b9", "20050770"]
    assert dgt.text("", 0, 1, 1) == bytes.fromhex("201506" + "20" * 11 + "ff00030101fc")
    assert dgt.message(dgt.AWAKE, b"\x22\x01") == bytes.fromhex("100702220105")


def test_times_are_set_in_decimal_digits() -> None:
    assert dgt.set_and_run(5_025, 59, dgt.DOWN, dgt.STOP)[:-1] == bytes.fromhex("200c0a" + "012345" + "000059" + "01")
    assert dgt.set_and_run(99_999, -5, dgt.STOP, dgt.UP)[3:10] == bytes.fromhex("095959" + "000000" + "08")


MESSAGES = st.one_of(
    st.builds(
        dgt.times, st.integers(0, dgt.LONGEST_S), st.integers(0, dgt.LONGEST_S), st.sampled_from(["left", "right"]),
        st.booleans(),
    ),
    st.builds(lambda c, s: dgt.message(dgt.ACK, bytes((c, s, 0)), dgt.US), st.integers(1, 15), st.integers(0, 255)),
    st.builds(lambda a, b, h: dgt.message(dgt.KEYS, bytes((a, b, 0, 0, h))), *[st.integers(0, 127)] * 3),
    st.just(dgt.message(dgt.AWAKE, b"\x22\x01")),
)  # fmt: skip


@given(st.integers(0, dgt.LONGEST_S), st.integers(0, dgt.LONGEST_S), st.booleans())
def test_times_come_back(left: int, right: int, old: bool) -> None:
    assert dgt.Reader().feed(dgt.times(left, right, "left", old)) == [dgt.Times(left, right, "left", old)]


@given(st.lists(MESSAGES, max_size=6), st.data())
@settings(deadline=None)
def test_bytes_mean_the_same_however_they_are_cut(frames: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(frame + data.draw(st.sampled_from([b"", b"\0\0", b"\x10\x22"])) for frame in frames)
    whole, single = dgt.Reader(), dgt.Reader()
    one_by_one = [message for at in range(len(stream)) for message in single.feed(stream[at : at + 1])]
    assert whole.feed(stream) + whole.settle() == one_by_one + single.settle()


@given(st.binary(max_size=300), MESSAGES)
@settings(deadline=None)
def test_after_any_noise_the_next_message_is_read(noise: bytes, frame: bytes) -> None:
    (expected,) = dgt.Reader().feed(frame)
    reader = dgt.Reader()
    assert (reader.feed(noise + frame) + reader.settle())[-1] == expected


@given(st.lists(st.one_of(st.binary(max_size=60), MESSAGES), max_size=8), st.integers(0, 2_000), st.integers(0, 7))
@settings(deadline=None)
def test_nothing_is_read_that_was_not_sent(pieces: list[bytes], at: int, bit: int) -> None:
    stream = bytearray(b"".join(pieces) + b"\x10")
    stream[at % len(stream)] ^= 1 << bit
    frames = {
        bytes(stream[begin : begin + size])
        for begin in range(len(stream))
        for size in range(dgt.SHORTEST - 1, dgt.LONGEST)
    }
    right = {frame for frame in frames if frame[-1] in (dgt.crc8(bytes((to,)) + frame[:-1]) for to in (0x00, 0x20))}
    reader = dgt.Reader()
    found = [
        message for message in reader.feed(bytes(stream)) + reader.settle() if not isinstance(message, dgt.Dropped)
    ]
    sent = [message for frame in right for message in dgt.Reader().feed(frame)]
    assert [message for message in found if message not in sent] == []
    for message in found:
        if isinstance(message, dgt.Times):
            assert 0 <= min(message.left_s, message.right_s) <= max(message.left_s, message.right_s) <= dgt.LONGEST_S


@given(MESSAGES, st.integers(0, 2_000), st.integers(0, 7))
@settings(deadline=None)
def test_a_message_with_one_wrong_bit_is_never_another_one(frame: bytes, at: int, bit: int) -> None:
    garbled = bytearray(frame)
    garbled[at % len(frame)] ^= 1 << bit
    reader = dgt.Reader()
    found = reader.feed(bytes(garbled)) + reader.settle()
    assert not [message for message in found if not isinstance(message, dgt.Dropped)]


@pytest.mark.parametrize("frame", [dgt.times(0, 0, "left"), dgt.message(dgt.KEYS, bytes((1, 0, 0, 0, 0)))])
def test_no_single_bit_of_a_message_to_everybody_makes_it_one_to_us(frame: bytes) -> None:
    for bit in range(8 * len(frame)):
        garbled = bytearray(frame)
        garbled[bit // 8] ^= 1 << bit % 8
        reader = dgt.Reader()
        found = reader.feed(bytes(garbled)) + reader.settle()
        assert {type(message) for message in found} == {dgt.Dropped}, bit


# -- the driver and the clock, in virtual time -------------------------------------------------------------------------


Told = TypeVar("Told", ClockReport, FaultReport, KeyReport, LinkReport, PressReport)
PLAYERS: tuple[Side, Side] = ("white", "black")


class Hall:
    """Time that passes when somebody waits, a clock, its driver, and what is to happen."""

    def __init__(self, speed: float = 1.0, on: bool = True, white_left: bool = True) -> None:
        self.ms, self._stopped, self._agenda = 1_000_000, False, list[tuple[int, Callable[[], None]]]()
        self.clock = SimulatedDgt3000(lambda: self.ms / 1000, on, white_left)
        self.clock.rest = self.wait  # type: ignore[method-assign]
        self.driver = Dgt3000(lambda: self.clock, speed, world=self, white_left=white_left)
        self.reports: list[Report] = []
        self.noted: list[object] = []

    # World

    def now_ms(self) -> int:
        return self.ms

    def wait(self, seconds: float) -> None:
        end = self.ms + max(1, round(seconds * 1000))
        while self._agenda and self._agenda[0][0] <= end:
            at, do = self._agenda.pop(0)
            self.ms = max(self.ms, at)
            do()
        self.ms = max(self.ms, end)

    def stop(self) -> None:
        self._stopped = True

    @property
    def stopped(self) -> bool:
        return self._stopped

    def open(self, name: str, baud: int) -> Port:
        raise AssertionError

    # the story

    def at(self, seconds: float, do: Callable[[], object]) -> None:
        """`do` is to happen so long after the beginning."""
        self._agenda.append((1_000_000 + round(seconds * 1000), lambda: (do(), None)[1]))
        self._agenda.sort(key=lambda entry: entry[0])

    def run(self, seconds: float) -> None:
        """Lets the driver serve the clock for so long."""
        self.at(seconds, self.stop)
        self.driver.run(self.clock, self.reports.append)

    def note(self, seconds: float, look: Callable[[], object]) -> None:
        """What is seen then goes to `noted`."""
        self.at(seconds, lambda: self.noted.append(look()))

    def of(self, kind: type[Told]) -> list[Told]:
        """The reports of a kind."""
        return [report for report in self.reports if isinstance(report, kind)]

    def game(self, white_ms: int, black_ms: int, running: Side, every: float = 0.25, until: float = 60) -> None:
        """Our clock, shown every quarter of a second."""
        begin = 1_000_000

        def face() -> ClockFace:
            passed = self.ms - begin
            white = white_ms - (passed if running == "white" else 0)
            black = black_ms - (passed if running == "black" else 0)
            return ClockFace(max(0, white), max(0, black), running, running if min(white, black) <= 0 else None)

        for step in range(int(until / every)):
            self.at(step * every, lambda: self.driver.show(face()))


def test_a_sleeping_clock_is_woken_controlled_and_shows_our_times() -> None:
    hall = Hall(on=False)
    hall.driver.show(ClockFace(5_400_000, 61_001))
    hall.note(2.9, lambda: hall.driver.ready)
    hall.run(3)
    assert hall.clock.on
    assert hall.clock.times == (5_400, 62)
    assert hall.clock.runs == (dgt.STOP, dgt.STOP)
    assert hall.noted == [True]
    assert not hall.of(LinkReport)


def test_it_counts_by_itself_and_stays_with_our_clock() -> None:
    hall = Hall()
    hall.game(300_000, 300_000, "black", until=60)
    shown: list[tuple[int, int]] = []
    for second in range(2, 59):
        hall.at(second + 0.5, lambda: shown.append(hall.clock.times))
    hall.run(59)
    assert len(shown) == 57
    assert {white for white, _black in shown} == {300}
    for second, (_white, black) in zip(range(2, 59), shown, strict=True):
        assert abs(black - (300 - second - 0.5)) <= 1.5
    # Setting up, once the game's times, and our questions after a quiet time: no second of play costs a frame.
    assert hall.clock.frames < 12
    assert hall.driver.corrections == 0
    assert {report.running for report in hall.of(ClockReport)} <= {True, False}


def test_a_new_turn_is_shown_within_a_moment_and_the_increment_too() -> None:
    hall = Hall(white_left=False)
    hall.driver.show(ClockFace(60_000, 60_000, "white"))
    hall.at(10, lambda: hall.driver.show(ClockFace(55_000, 60_000, "black")))  # five more for the move
    hall.note(10.2, lambda: (hall.clock.times, hall.clock.runs))
    hall.run(11)
    assert hall.noted == [((60, 55), (dgt.DOWN, dgt.STOP))]  # Black sits at its left


def test_a_clock_that_is_turned_by_hand_is_put_right() -> None:
    hall = Hall()
    hall.game(300_000, 300_000, "white", until=30)
    hall.at(10, lambda: hall.clock._set(bytes((0, 0x07, 0, 0, 0x01, 0, 1))))
    hall.run(14)
    white, black = hall.clock.times
    assert abs(white - 286) <= 1
    assert black == 300
    assert hall.driver.corrections == 1


@pytest.mark.parametrize("white_left", [True, False])
def test_the_lever_presses(white_left: bool) -> None:
    hall = Hall(white_left=white_left)
    first: Side = "white" if white_left else "black"  # the right side of the lever is down at first
    second: Side = "black" if white_left else "white"
    for number in range(6):
        hall.at(2 + number, lambda number=number: hall.clock.push((first, second)[number % 2]))  # type: ignore[misc]
        hall.at(2.5 + number, lambda number=number: hall.clock.push((first, second)[number % 2]))  # type: ignore[misc]
    hall.run(9)
    presses = [(report.boot_ms, report.side) for report in hall.of(PressReport)]
    assert [side for _t, side in presses] == [first, second] * 3
    assert all(0 <= t - (1_002_000 + 1_000 * number) <= 60 for number, (t, _side) in enumerate(presses))


@given(st.integers(0, 1 << 32))
@settings(deadline=None, max_examples=30)
def test_no_press_is_lost_whatever_happens_to_messages(seed: int) -> None:
    """Every tip of the lever that lasts over two times is reported once, a second late at most."""
    dice, hall = random.Random(seed), Hall()
    hall.clock.faults.zeros = dice.random() < 0.5
    hall.game(3_600_000, 3_600_000, "white", until=90)
    pushed: list[tuple[int, Side]] = []
    for number in range(20):
        at = 3 + 4 * number + dice.random()
        pushed.append((1_000_000 + round(at * 1000), PLAYERS[number % 2]))
        if dice.random() < 0.4:
            hall.at(at - 0.001, lambda: setattr(hall.clock.faults, "garbled", 1))
        hall.at(at, lambda number=number: hall.clock.push(PLAYERS[number % 2]))  # type: ignore[misc]
        if dice.random() < 0.3:
            hall.at(at + 0.5, lambda: setattr(hall.clock.faults, "lost_acks", 2))
        if dice.random() < 0.3:
            hall.at(at + 0.7, lambda: setattr(hall.clock.faults, "collisions", 2))
    hall.run(90)
    presses = [(report.boot_ms, report.side) for report in hall.of(PressReport)]
    assert [side for _t, side in presses] == [side for _t, side in pushed]
    assert all(0 <= told - at <= 2_300 for (told, _s), (at, _t) in zip(presses, pushed, strict=True))


def test_a_fallen_flag_stays_beside_the_other_time_until_it_is_cleared() -> None:
    hall = Hall()
    hall.driver.show(ClockFace(1_000, 299_000, "white"))
    hall.at(2, lambda: hall.driver.show(ClockFace(0, 299_000, "white", "white")))
    seen: list[tuple[str, tuple[int, int], tuple[int, int]]] = []
    for second in (3, 8, 12):
        hall.at(second, lambda: seen.append((hall.clock.text, hall.clock.icons, hall.clock.runs)))
    hall.at(10, lambda: hall.driver.show(ClockFace(120_000, 299_000, None)))
    hall.run(13)
    stands = (dgt.STOP, dgt.STOP)
    assert seen == [
        ("FLAG   4m59", (dgt.FLAG, 0), stands), ("FLAG   4m59", (dgt.FLAG, 0), stands), ("", (0, 0), stands)
    ]  # fmt: skip
    assert hall.clock.times == (120, 299)


def test_words_are_shown_and_ended() -> None:
    hall = Hall()
    hall.driver.show(ClockFace(60_000, 60_000))
    hall.at(2, lambda: hall.driver.show_text("arbiter", beep=4))
    texts: list[str] = []
    for second in (3, 6, 8):
        hall.at(second, lambda: texts.append(hall.clock.text))
    hall.at(5, lambda: hall.driver.show_text("board 12"))
    hall.at(7, lambda: hall.driver.show_text(""))
    hall.run(9)
    assert texts == ["arbiter    ", "board 12   ", ""]
    assert hall.clock.beeps == 1


def test_the_middle_key_is_the_arbiters() -> None:
    hall = Hall()
    rest = dgt.message(dgt.KEYS, bytes((0, dgt.PLAY, 0, 0, 0)))
    down = dgt.message(dgt.KEYS, bytes((dgt.PLAY, 0, 0, 0, 0)))
    hall.at(2, lambda: hall.clock.key(dgt.PLAY))
    hall.at(3, lambda: hall.clock.key(dgt.PLUS))
    hall.at(4, lambda: hall.clock._say(dgt.EVERYBODY, down))
    hall.at(7, lambda: hall.clock._say(dgt.EVERYBODY, rest))
    hall.run(8)
    assert [report.long for report in hall.of(KeyReport)] == [False, True]


def test_a_clock_that_falls_silent_is_told_once_and_found_again() -> None:
    hall = Hall()
    hall.game(300_000, 300_000, "white", until=60)
    hall.at(5, lambda: setattr(hall.clock.faults, "unplugged", True))
    hall.at(20, lambda: setattr(hall.clock.faults, "unplugged", False))
    hall.run(25)
    links = [(report.up, report.why) for report in hall.of(LinkReport)]
    assert links == [
        (False, "The DGT 3000 does not answer: switch it on, and look at its plug."), (True, "The clock answers again.")
    ]  # fmt: skip
    faults = [(report.boot_ms, report.over) for report in hall.of(FaultReport)]
    assert [over for _t, over in faults] == [False, True]
    assert faults[0][0] - 1_005_000 <= 4_500
    assert faults[1][0] - 1_020_000 <= 1_500
    assert abs(hall.clock.times[0] - 275) <= 1
    words = [fault_words(report) for report in hall.of(FaultReport)]
    assert words[0].startswith("the clock does not answer")
    assert words[1] == "the clock answers again"


def test_a_clock_that_was_switched_off_and_on_shows_our_times_again() -> None:
    hall = Hall()
    hall.game(300_000, 300_000, "white", until=30)

    def off() -> None:
        hall.clock.on = False

    hall.at(5, off)
    hall.at(7, hall.clock.switch_on)
    hall.run(15)
    assert abs(hall.clock.times[0] - 285) <= 1
    assert hall.clock.runs == (dgt.STOP, dgt.STOP)  # closed: it was left standing
    assert hall.driver.ready


def test_a_plug_half_in_its_socket_has_a_sentence() -> None:
    hall = Hall()
    hall.clock.faults.stuck = True
    hall.run(5)
    (report,) = hall.of(LinkReport)
    assert "push its plug in fully" in report.why


@pytest.mark.parametrize("fault", ["lost_acks", "collisions"])
def test_two_troubles_in_a_row_are_nothing_to_tell(fault: str) -> None:
    hall = Hall()
    hall.game(300_000, 300_000, "white", until=30)
    for second in (4, 9, 14):
        hall.at(second, lambda: setattr(hall.clock.faults, fault, 2))
        hall.at(second + 0.01, lambda: hall.driver.show(ClockFace(300_000, 200_000)))
    hall.run(20)
    assert not hall.of(LinkReport)


def test_a_hall_whose_time_runs_faster_sets_every_second_and_lets_nothing_count() -> None:
    hall = Hall(speed=10.0)
    for step in range(40):
        hall.at(0.25 * step, lambda step=step: hall.driver.show(ClockFace(600_000 - 2_500 * step, 600_000, "white")))  # type: ignore[misc]
    hall.run(10)
    assert hall.clock.runs == (dgt.STOP, dgt.STOP)
    assert hall.clock.times == (503, 600)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0m00"), (299, "4m59"), (3_599, "59m59"), (3_600, "1h00"), (35_999, "9h59")]
)
def test_short_times(seconds: int, words: str) -> None:
    assert short_time(seconds) == words


# -- the Pi ------------------------------------------------------------------------------------------------------------


class Block:
    """The registers of the slave block, with bytes that arrive."""

    def __init__(self, arriving: bytes, overflow: bool = False) -> None:
        self.arriving, self.overflow = bytearray(arriving), overflow
        self.written: list[tuple[int, int]] = []

    def __getitem__(self, word: int) -> int:
        if word == bus.DATA:
            return self.arriving.pop(0) | 0x100
        if word == bus.FLAGS:
            return 0x10 if self.arriving else 0x12
        return int(self.overflow) if word == bus.OVERRUN else 0

    def __setitem__(self, word: int, value: int) -> None:
        self.written.append((word, value))
        if word == bus.OVERRUN:
            self.overflow = False


def test_the_slave_block_is_switched_on_listens_and_is_emptied() -> None:
    naps: list[float] = []
    block = Block(dgt.times(60, 61), overflow=False)
    slave = BscSlave(block, naps.append)
    assert block.written == [(bus.CONTROL, 0x80), (bus.CONTROL, 0x205), (bus.ADDRESS, 0), (bus.OVERRUN, 0)]
    slave.listen(dgt.US)
    assert block.written[-1] == (bus.ADDRESS, 0x10)
    assert dgt.Reader().feed(slave.receive(0.05)) == [dgt.Times(60, 61, "right", False)]
    assert slave.receive(0.05) == b""
    assert sum(naps) == pytest.approx(0.05)
    block.overflow = True
    slave.receive(0.001)
    assert not block.overflow
    slave.close()
    assert block.written[-1] == (bus.CONTROL, 0)


def test_registers_are_words_of_the_memory(tmp_path: Path) -> None:
    memory, base = tmp_path / "mem", 0x3F00_0000 + bus.SLAVE_OFFSET
    with memory.open("wb") as file:
        file.truncate(base + 4096)
    registers = MappedRegisters(base, str(memory))
    registers[bus.CONTROL] = 0x205
    assert registers[bus.CONTROL] == 0x205
    registers.close()
    registers.close()
    with memory.open("rb") as file:
        file.seek(base + 12)
        assert file.read(4) == (0x205).to_bytes(4, "little")
    with pytest.raises(DeviceBusy, match="as root"):
        MappedRegisters(base, str(tmp_path / "none"))


def pi(root: Path, chip: bytes, model: bytes) -> Path:
    tree = root / "proc/device-tree"
    tree.mkdir(parents=True)
    (tree / "compatible").write_bytes(b"raspberrypi,x\0" + chip + b"\0")
    (tree / "model").write_bytes(model + b"\0")
    return root


@pytest.mark.parametrize(
    ("chip", "base"),
    [(b"brcm,bcm2835", 0x2021_4000), (b"brcm,bcm2837", 0x3F21_4000), (b"brcm,bcm2711", None), (b"brcm,bcm2712", None)],
)
def test_which_machines_can_listen(tmp_path: Path, chip: bytes, base: int | None) -> None:
    root = pi(tmp_path, chip, b"Raspberry Pi Model X")
    if base is None:
        with pytest.raises(DeviceMissing, match="this is Raspberry Pi Model X: use plungers or a rocker"):
            slave_base(root)
    else:
        assert slave_base(root) == base


def test_a_machine_that_is_no_pi_and_a_bus_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DeviceMissing, match="this is no Raspberry Pi"):
        PiBus(root=tmp_path)
    with pytest.raises(DeviceMissing, match="dtparam=i2c_arm=on"):
        PiBus(str(tmp_path / "i2c-1"), pi(tmp_path, b"brcm,bcm2837", b"Raspberry Pi 3"))


# -- at a table --------------------------------------------------------------------------------------------------------


def test_a_table_has_it_as_its_clock_and_as_a_display(tmp_path: Path) -> None:
    hardware = plug_in(TableConfig("1", data=str(tmp_path), clock="simulated:dgtpi"))
    try:
        assert isinstance(hardware.clock, Dgt3000)
        assert hardware.displays == (hardware.clock,)
        hardware.displays[0].show(ClockFace(90_000, 91_000))
        reports: list[Report] = []
        hardware.start(reports.append)
        assert hardware.clock.down == "black"
        assert hardware.clock.ready
    finally:
        hardware.close()


def test_the_doctor_tries_it_and_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SHOW_S", 0.01)
    found = parts.try_part(catalogue.named("clock", "simulated:dgt3000"), False)
    assert found.state == "pass"
    assert "Black's side is down" in found.what
    missing = parts.try_part(catalogue.named("clock", "dgtpi"), False)
    assert missing.state == "fail"
    assert "Raspberry Pi" in missing.what
    assert "gpio=18,19=a3" in missing.remedy
    silent = SimulatedDgt3000()
    silent.faults.unplugged = True
    seen = parts.try_clock_on_bus(Dgt3000(lambda: silent), 1.0)
    assert seen.fault == "The DGT 3000 does not answer: switch it on, and look at its plug."


def test_its_name_takes_the_pins_that_listen() -> None:
    assert catalogue.named("clock", "dgtpi").pins == (18, 19)
    assert catalogue.named("clock", "dgt3000:/dev/i2c-3").address == "/dev/i2c-3"
    assert device.KNOWN_S < 3


def test_a_game_is_the_same_with_its_lever_as_with_plungers(tmp_path: Path) -> None:
    games = []
    for clock in ("plungers", "dgtpi"):

        async def story(hub: TestHub, _service: object) -> None:
            await a_round(hub, 3)

        hub = play(config(tmp_path / clock, clock=f"simulated:{clock}"), story)
        games.append(([ply.uci for ply in hub.state.plies], hub.state.score, hub.state.ended_by))
    assert games[0] == games[1]
    assert games[0][0]
