"""Every protocol's reader against anything: the next message but one is read whole, and nothing that was not sent.

A message that is cut or garbled may take the one after it with it, where there is no other way to see its end; never
more. However the bytes are cut into pieces, they mean the same.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from drivers.boards.certabo import protocol as certabo
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.chesslink import protocol as link
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.chessnut.device import ChessnutBoard
from drivers.boards.dgt import clock, memory
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import CHECK_MS, DgtBoard
from drivers.boards.occupancy.scan import ScanFilter
from drivers.interfaces import BoardReport, OccupancyReport, Report

LETTERS = "PNBRQKpnbrqk."
START = "rnbqkbnr" + "p" * 8 + "." * 32 + "P" * 8 + "RNBQKBNR"
STARTED = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


@dataclass(frozen=True, slots=True)
class Protocol:
    """A reader, and the position messages that it understands."""

    reader: Callable[[], Any]
    message: Callable[[str], bytes]
    read: Callable[[Any], str | None]  # the squares that a message tells


def _chip(letter: str) -> certabo.Chip:
    return certabo.NOTHING if letter == "." else (1, 2, 3, 4, ord(letter))


def _occupied(squares: str) -> int:
    return sum(1 << (number ^ 56) for number, letter in enumerate(squares) if letter != ".")


def _marked(occupied: int) -> str:
    return "".join("x" if occupied >> (number ^ 56) & 1 else "." for number in range(64))


PROTOCOLS = {
    "dgt": Protocol(
        dgt.Reader,
        lambda squares: dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, squares))),
        lambda message: message.squares if isinstance(message, dgt.BoardDump) else None,
    ),
    "chesslink": Protocol(
        link.Reader,
        lambda squares: link.frame("s" + squares),
        lambda message: message.squares if isinstance(message, link.Status) else None,
    ),
    "certabo": Protocol(
        certabo.Reader,
        lambda squares: certabo.chips_line([_chip(letter) for letter in squares]),
        lambda message: (
            "".join("." if chip == certabo.NOTHING else chr(chip[4]) for chip in message.squares)
            if isinstance(message, certabo.Chips)
            else None
        ),
    ),
    "sentio": Protocol(
        certabo.Reader,
        lambda squares: certabo.occupancy_line(_occupied(squares)),
        lambda message: _marked(message.squares) if isinstance(message, certabo.Occupancy) else None,
    ),
    "chessnut": Protocol(
        chessnut.Reader,
        chessnut.position,
        lambda message: message.squares if isinstance(message, chessnut.Position) else None,
    ),
}
SQUARES = st.text(LETTERS, min_size=64, max_size=64)
KINDS = pytest.mark.parametrize("kind", PROTOCOLS)


def settled(reader: Any) -> list[Any]:
    """What a reader tells when nothing follows; only that of Chessnut boards may have waited for that."""
    return list(reader.settle()) if isinstance(reader, chessnut.Reader) else []


def told(kind: str, squares: str) -> str:
    """What a message about `squares` can tell."""
    return _marked(_occupied(squares)) if kind == "sentio" else squares


def positions(kind: str, messages: list[Any]) -> list[str]:
    """The positions among messages."""
    return [squares for message in messages if (squares := PROTOCOLS[kind].read(message)) is not None]


def _sent_by_dgt(squares: str, data: bytes) -> bool:
    codes = [rb"[\x0d-\x0f]" if letter == "?" else re.escape(bytes((dgt.code(letter),))) for letter in squares]
    return re.search(rb"\x86\x00\x43" + b"".join(codes), data, re.DOTALL) is not None


def _sent_by_chesslink(squares: str, data: bytes) -> bool:
    text, characters = "s" + squares, bytes(byte & 0x7F for byte in data).decode("ascii")
    parity = link.block_parity(text)
    return any(text + low in characters for low in (parity, parity.lower(), parity.title(), parity.swapcase()))


def _numbers(line: bytes) -> list[int]:
    return [int(word) for word in line[line.rfind(b":") + 1 :].split() if word.isdigit()]


def _sent_by_certabo(squares: str, data: bytes) -> bool:
    def seen(numbers: list[int]) -> str:
        chips = [numbers[at : at + 5] for at in range(0, 320, 5)]
        return "".join(chr(chip[4]) if any(chip) else "." for chip in chips)

    return any(len(found := _numbers(line)) == 320 and seen(found) == squares for line in data.split(b"\n"))


def _sent_by_sentio(squares: str, data: bytes) -> bool:
    rows = [f"{number:08b}".replace("1", "x").replace("0", ".") for number in range(256)]
    lines = [_numbers(line) for line in data.split(b"\n")]
    return any(
        len(line) == 8 and max(line) <= 255 and "".join(rows[number] for number in line) == squares for line in lines
    )


#: Whether a position that was read stands in the bytes that were fed: looked for without the reader.
SENT: dict[str, Callable[[str, bytes], bool]] = {
    "dgt": _sent_by_dgt,
    "chesslink": _sent_by_chesslink,
    "certabo": _sent_by_certabo,
    "sentio": _sent_by_sentio,
    "chessnut": lambda squares, data: chessnut.position(squares)[:34] in data,
}


def possible(message: Any) -> bool:
    """Whether a message tells what a board can tell."""
    match message:
        case dgt.FieldUpdate(square, piece):
            return 0 <= square < 64 and piece in LETTERS + "?"
        case dgt.Battery(percent) | chessnut.Battery(percent):
            return 0 <= percent <= 100
        case dgt.BoardDump(squares):
            return len(squares) == 64 and set(squares) <= set(LETTERS + "?")
        case link.Status(squares) | chessnut.Position(squares):
            return len(squares) == 64 and set(squares) <= set(LETTERS)
        case clock.ClockTime(right_s, left_s):
            return 0 <= right_s < 36_000 and 0 <= left_s < 36_000
        case certabo.Occupancy(squares):
            return 0 <= squares < 1 << 64
        case certabo.Chips(squares):
            return len(squares) == 64 and all(0 <= byte <= 255 for chip in squares for byte in chip)
        case link.Memory(address, value):
            return 0 <= address <= 255 and 0 <= value <= 255
    return True


def stream(kind: str, seed: int) -> bytes:
    """Noise, whole messages, spoilt ones and beginnings of ones, in any order."""
    dice, message = random.Random(seed), PROTOCOLS[kind].message
    data = b""
    for _piece in range(dice.randint(1, 8)):
        whole = message("".join(dice.choice(LETTERS) for _square in range(64)))
        match dice.randrange(5):
            case 0:
                data += dice.randbytes(dice.choice((1, 3, 60, 3_000)))
            case 1:
                data += whole[: dice.randrange(len(whole))]
            case 2:
                data += mutated(whole, dice)
            case _:
                data += whole
    return data


@KINDS
@given(seed=st.integers(0, 1 << 32), cuts=st.lists(st.integers(0, 5_000), max_size=12))
@settings(deadline=None)
def test_bytes_mean_the_same_however_they_are_cut(kind: str, seed: int, cuts: list[int]) -> None:
    data = stream(kind, seed)
    whole, pieces, single = (PROTOCOLS[kind].reader() for _reader in range(3))
    at_once = whole.feed(data) + settled(whole)
    edges = [0, *sorted(cuts), len(data)]
    cut = [message for a, b in pairwise(edges) for message in pieces.feed(data[a:b])] + settled(pieces)
    one_by_one = [message for at in range(len(data)) for message in single.feed(data[at : at + 1])] + settled(single)
    assert cut == at_once
    assert one_by_one == at_once


@KINDS
@given(seed=st.integers(0, 1 << 32), noise=st.binary(max_size=400))
@settings(deadline=None)
def test_nothing_is_read_that_was_not_sent(kind: str, seed: int, noise: bytes) -> None:
    data, reader = noise + stream(kind, seed) + noise, PROTOCOLS[kind].reader()
    messages = reader.feed(data) + settled(reader)
    assert [message for message in messages if not possible(message)] == []
    assert [squares for squares in positions(kind, messages) if not SENT[kind](squares, data)] == []


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A few bytes lost, doubled, put in or changed."""
    found = bytearray(data)
    for _change in range(dice.randint(1, 4)):
        at = dice.randrange(len(found)) if found else 0
        match dice.choice(("lose", "double", "insert", "change", "cut")):
            case "lose":
                del found[at : at + dice.choice((1, 1, 2, 7))]
            case "double":
                found[at:at] = found[at : at + 3]
            case "insert":
                found[at:at] = dice.randbytes(dice.choice((1, 2, 9)))
            case "change" if found:
                found[at] ^= 1 << dice.randrange(8)
            case _:
                del found[at:]
    return bytes(found)


def resynchronises(kind: str, seed: int) -> None:
    """Spoilt messages, then three whole ones: the last two are read whatever came before."""
    dice = random.Random(seed)
    protocol, reader = PROTOCOLS[kind], PROTOCOLS[kind].reader()
    squares = ["".join(dice.choice(LETTERS) for _square in range(64)) for _message in range(6)]
    for before in squares[:3]:
        reader.feed(mutated(protocol.message(before), dice))
    messages: list[Any] = []
    for after in squares[3:]:
        messages += reader.feed(protocol.message(after))
    messages += settled(reader)
    assert positions(kind, messages)[-2:] == [told(kind, after) for after in squares[4:]]


@KINDS
@given(seed=st.integers(0, 1 << 32))
@settings(deadline=None)
def test_spoilt_messages_cost_at_most_the_one_after_them(kind: str, seed: int) -> None:
    resynchronises(kind, seed)


@KINDS
@given(squares=SQUARES, noise=st.binary(max_size=3_000))
@settings(deadline=None)
@example(squares=START, noise=b"\x8f\x3d\x63")  # a DGT board's memory, 8 kB long
@example(squares=START, noise=b"s")
@example(squares=START, noise=b"\x01\x24")
@example(squares=START, noise=b":255 1 ")
def test_noise_before_a_message_costs_at_most_that_message(kind: str, squares: str, noise: bytes) -> None:
    protocol, reader = PROTOCOLS[kind], PROTOCOLS[kind].reader()
    whole = protocol.message(squares)
    found = positions(kind, reader.feed(noise) + reader.feed(whole) + reader.feed(whole) + settled(reader))
    assert found[-1:] == [told(kind, squares)]


@KINDS
def test_a_message_may_be_cut_anywhere(kind: str) -> None:
    protocol = PROTOCOLS[kind]
    whole = protocol.message(START)
    for cut in range(len(whole) + 1):
        reader = protocol.reader()
        assert positions(kind, reader.feed(whole[:cut]) + reader.feed(whole[cut:])) == [told(kind, START)]


@given(squares=SQUARES, padded=st.booleans(), begun=st.integers(0, 31))
@settings(deadline=None)
def test_a_chessnut_position_in_which_another_one_seems_to_begin_is_read(
    squares: str, padded: bool, begun: int
) -> None:
    inner = bytearray(chessnut.position(squares))
    inner[2 + begun : 4 + begun] = b"\x01\x24"
    whole = bytes(inner).ljust(chessnut.REPORT if padded else 0, b"\0")
    reader = chessnut.Reader()
    found = positions("chessnut", reader.feed(whole) + reader.feed(whole) + settled(reader))
    assert len(found) == 2
    assert all(chessnut.position(position)[:34] == bytes(inner)[:34] for position in found)


@given(squares=SQUARES, other=SQUARES, kept=st.integers(2, 37))
@settings(deadline=None)
def test_a_chessnut_position_that_lost_its_end_is_not_completed_by_the_next_one(
    squares: str, other: str, kept: int
) -> None:
    first, second, reader = chessnut.position(squares), chessnut.position(other), chessnut.Reader()
    # What is taken for the head of a message, or for the zeros that pad a report, leads astray.
    assume(not any(bytes(head) in second[2:] for head in chessnut.LENGTHS.items()) and bytes(26) not in second[2:])
    found = positions("chessnut", reader.feed(first[:kept] + second + second) + settled(reader))
    assert found[-1:] == [other]
    assert set(found) <= {squares, other}


@given(at=st.integers(0, 66), bit=st.integers(0, 7))
@settings(deadline=None)
def test_a_chesslink_message_with_one_wrong_bit_is_never_another_position(at: int, bit: int) -> None:
    whole = bytearray(link.frame("s" + START))
    whole[at] ^= 1 << bit
    reader = link.Reader()
    found = positions("chesslink", reader.feed(bytes(whole)))
    # The top bit alone is the parity bit: the character is as it was, and the error is counted.
    assert found in ([], [START])
    assert found == [] or bit == 7 or at >= 65
    assert reader.parity_errors == 1


@given(st.lists(st.integers(0, 0x7F), min_size=7, max_size=7).map(bytes))
@settings(deadline=None)
@example(bytes((0, 0x59, 0x59, 0x09, 0, 0, 0x1F)))
@example(bytes((0, 0x60, 0, 0, 0, 0, 1)))
def test_any_clock_message_is_read_as_it_was_meant_or_refused(data: bytes) -> None:
    digits = [nibble for at in (1, 2, 4, 5) for nibble in (data[at] >> 4, data[at] & 0xF)]
    possible = max(digits) <= 9 and max(digits[0::4] + digits[2::4]) <= 5 and max(data[0] & 0xF, data[3] & 0xF) <= 9
    match clock.decode(data):
        case clock.ClockTime() as time_:
            assert possible
            again = clock.encode_time(time_)
            assert [byte & 0xF for byte in (again[0], again[3])] == [data[0] & 0xF, data[3] & 0xF]
            assert (again[1:3], again[4:6], again[6] & 7) == (data[1:3], data[4:6], data[6] & 7)
        case clock.ClockAck(ack):
            assert clock.encode_ack(ack)[1:3] + clock.encode_ack(ack)[4:6] == data[1:3] + data[4:6]
        case clock.ClockVersion() | clock.ClockButton():
            assert data[1] == clock.GOOD
        case clock.ClockEmpty():
            assert not any(data)
        case clock.ClockAbsent():
            assert data[6] & 0x20
        case clock.ClockInvalid():
            assert not possible


@given(
    st.lists(st.one_of(st.binary(max_size=20), st.sampled_from([b"\x4a\x05", b"\x62\x59\x30", b"\x6f"])), max_size=12)
)
@settings(deadline=None)
def test_any_memory_of_a_dgt_board_is_read_in_order_and_nothing_invented(pieces: list[bytes]) -> None:
    data, at = b"".join(pieces), 0
    for entry in memory.decode(data):
        match entry:
            case memory.Change(square, piece, at_once):
                codes = [code for code in range(16) if dgt.letter(code) == piece]
                found = [data.find(bytes((0x40 | at_once << 4 | code, square)), at) for code in codes]
                at = min(place for place in found if place >= 0) + 2
            case memory.Pressed(_side, seconds):
                assert 0 <= seconds < 36_000
                told = bytes((seconds // 600 % 6 << 4 | seconds // 60 % 10, seconds // 10 % 6 << 4 | seconds % 10))
                at = data.index(told, at + 1) + 2
            case memory.Mark():
                at += 1
        assert at <= len(data)


@given(st.lists(st.integers(0, (1 << 64) - 1) | st.sampled_from([0, 1, 3, 0xFFFF]), max_size=60), st.integers(1, 5))
@settings(deadline=None)
def test_any_scans_are_debounced(scans: list[int], equal: int) -> None:
    """A square changes when, and only when, so many scans in a row agree on its new state."""
    board, told = ScanFilter(equal), list[int]()
    for number, squares in enumerate(scans):
        boards = board.scan(10 * number, squares)
        stamps = [since for since, _occupied in boards]
        assert stamps == sorted(stamps)
        assert all(since == 10 * (number - equal + 1) for since in stamps)
        told += [occupied for _since, occupied in boards]
        last = scans[max(0, number - equal + 1) : number + 1]
        if board.occupied is None:
            assert len(last) < equal or len(set(last)) > 1
            continue
        assert told[-1] == board.occupied
        if len(last) == equal:
            always, never = last[0], ~last[0]
            for scan in last[1:]:
                always, never = always & scan, never & ~scan
            assert board.occupied & always == always
            assert not board.occupied & never


class Line:
    """What a driver needs of the machine to take bytes."""

    stopped = False

    def now_ms(self) -> int:
        return 0


@KINDS
@given(chunks=st.lists(st.binary(max_size=120), max_size=12))
@settings(deadline=None)
def test_a_driver_takes_any_bytes_and_reports_only_boards(kind: str, chunks: list[bytes]) -> None:
    drivers: dict[str, Any] = {"dgt": DgtBoard, "chesslink": ChessLinkBoard, "chessnut": ChessnutBoard}
    driver = drivers.get(kind, CertaboBoard)("", world=Line())
    driver.greet()
    reports: list[Report] = []
    for chunk in chunks:
        driver.take(chunk, 0, reports.append)
    for chunk in (PROTOCOLS[kind].message(START),) * 4:
        driver.take(chunk, 0, reports.append)
    boards = [report for report in reports if isinstance(report, BoardReport | OccupancyReport)]
    assert boards
    last = boards[-1]
    occupied = _occupied(START)
    assert (
        last.placement == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
        if isinstance(last, BoardReport)
        else last.occupied == occupied
    )


class Ear:
    """A driver with a position on its board, and what it reports after that."""

    def __init__(self, kind: str, pieces: certabo.PieceSet | None = None) -> None:
        drivers: dict[str, Any] = {"dgt": DgtBoard, "chesslink": ChessLinkBoard, "chessnut": ChessnutBoard}
        line: Any = Line()
        self.driver = drivers[kind]("", world=line) if kind in drivers else CertaboBoard("", world=line, pieces=pieces)
        self.driver.greet()
        self.reports: list[Report] = []

    def hear(self, data: bytes, times: int = 1) -> None:
        """Bytes of the board, so often."""
        for _time in range(times):
            self.driver.take(data, 0, self.reports.append)

    @property
    def boards(self) -> list[str | int]:
        """The positions that were reported."""
        return [
            report.placement if isinstance(report, BoardReport) else report.occupied
            for report in self.reports
            if isinstance(report, (BoardReport, OccupancyReport))
        ]


def distinct_chips(dice: random.Random) -> tuple[certabo.PieceSet, list[certabo.Chip]]:
    """A set of pieces as they are bought, and the start array made of it."""
    chips = [dice.randbytes(5) if letter != "." else bytes(5) for letter in START]
    tuples: list[certabo.Chip] = [(a, b, c, d, e) for a, b, c, d, e in chips]
    pieces = {chip: letter for chip, letter in zip(tuples, START, strict=True) if letter != "."}
    return certabo.PieceSet(pieces), tuples


@pytest.mark.parametrize("kind", ["chesslink", "certabo", "sentio"])
@given(seed=st.integers(0, 1 << 32))
@settings(deadline=None)
def test_one_garbled_message_among_whole_ones_changes_nothing(kind: str, seed: int) -> None:
    dice = random.Random(seed)
    pieces, chips = distinct_chips(dice)
    whole = certabo.chips_line(chips) if kind == "certabo" else PROTOCOLS[kind].message(START)
    ear = Ear(kind, pieces)
    ear.hear(whole, 7)
    ear.hear(mutated(whole, dice))
    ear.hear(whole, 7)
    assert len(ear.boards) == 1


@given(
    square=st.sampled_from([number for number, letter in enumerate(START) if letter != "."]), chip=st.integers(0, 11)
)
@settings(deadline=None)
def test_a_chip_that_is_garbled_into_another_one_of_the_set_is_outvoted(square: int, chip: int) -> None:
    """Chips of one set may differ in a digit."""
    letters = "PNBRQKpnbrqk"
    ids = {letter: (7, 7, 7, 7, 10 + number) for number, letter in enumerate(letters)} | {".": certabo.NOTHING}
    chips: list[certabo.Chip] = [ids[letter] for letter in START]
    garbled = [ids[letters[chip]] if number == square else known for number, known in enumerate(chips)]
    ear = Ear("certabo", certabo.PieceSet({known: letter for letter, known in ids.items() if letter != "."}))
    for frame, times in ((chips, 3), (garbled, 1), (chips, 3)):
        ear.hear(certabo.chips_line(frame), times)
    assert ear.boards == ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"]
    ear.hear(certabo.chips_line(garbled), 2)  # seen twice it counts
    assert len(ear.boards) == 1 + (garbled != chips)


@given(lost=st.integers(2, 33))
@settings(deadline=None)
def test_a_chessnut_position_that_lost_a_byte_is_asked_for_again(lost: int) -> None:
    """Every square after the lost byte is shifted: in the start array that is another position."""
    whole, ear = chessnut.position(START), Ear("chessnut")
    ear.hear(whole)
    ear.hear(whole[:lost] + whole[lost + 1 :])
    ear.hear(whole, 3)
    assert ear.boards == ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"]


def test_pieces_set_up_while_a_chessnut_board_is_away_count_when_they_are_told_twice() -> None:
    ear, other = Ear("chessnut"), "k" + "." * 62 + "K"
    ear.hear(chessnut.position(START))
    ear.hear(chessnut.position(other))
    assert len(ear.boards) == 1
    assert list(ear.driver._queue) == [chessnut.REAL_TIME]
    ear.hear(chessnut.position(other))
    assert ear.boards[1:] == ["k7/8/8/8/8/8/8/7K"]


@given(square=st.integers(0, 63), code=st.integers(0, 15))
@settings(deadline=None)
def test_a_garbled_change_of_a_dgt_board_lasts_until_two_dumps_say_something_else(square: int, code: int) -> None:
    ear, dump = Ear("dgt"), dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, START)))
    ear.hear(dump)
    ear.hear(dgt.frame(dgt.FIELD_UPDATE, bytes((square, code))))
    garbled = ear.boards[-1]
    ear.driver._queue.clear()
    ear.driver.tick(CHECK_MS - 1, ear.reports.append)
    assert list(ear.driver._queue).count(dgt.SEND_BOARD) == 0
    ear.driver.tick(CHECK_MS, ear.reports.append)
    assert list(ear.driver._queue).count(dgt.SEND_BOARD) == 1
    ear.hear(dump)
    assert ear.boards[-1] == garbled
    assert list(ear.driver._queue).count(dgt.SEND_BOARD) == 1 + (code != dgt.code(START[square]))
    ear.hear(dump)
    assert ear.boards[-1] == STARTED
    ear.driver.tick(2_500, ear.reports.append)
    assert list(ear.driver._queue).count(dgt.SEND_BOARD) == 1 + (code != dgt.code(START[square]))


@pytest.mark.soak
@KINDS
def test_a_long_fuzz(kind: str) -> None:
    """Fifty thousand spoilt streams, and a megabyte of noise within seconds."""
    for seed in range(50_000):
        resynchronises(kind, seed)
    reader, dice = PROTOCOLS[kind].reader(), random.Random(kind)
    began = time.process_time()
    for _piece in range(1_000):
        reader.feed(dice.randbytes(1_000))
    assert time.process_time() - began < 60
