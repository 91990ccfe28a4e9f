"""Every protocol's reader against anything: no crash, no hang, and the next message but one is read whole.

A message that is cut or garbled may take the one after it with it, where there is no other way to see its end; never
more.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.boards.certabo import protocol as certabo
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.chesslink import protocol as link
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.chessnut.device import ChessnutBoard
from drivers.boards.dgt import clock
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.occupancy.scan import ScanFilter
from drivers.interfaces import BoardReport, OccupancyReport, Report

LETTERS = "PNBRQKpnbrqk."
START = "rnbqkbnr" + "p" * 8 + "." * 32 + "P" * 8 + "RNBQKBNR"


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


def told(kind: str, squares: str) -> str:
    """What a message about `squares` can tell."""
    return _marked(_occupied(squares)) if kind == "sentio" else squares


def positions(kind: str, messages: list[Any]) -> list[str]:
    """The positions among messages."""
    return [squares for message in messages if (squares := PROTOCOLS[kind].read(message)) is not None]


@KINDS
@given(chunks=st.lists(st.binary(max_size=200), max_size=20))
@settings(deadline=None)
def test_any_bytes_are_taken(kind: str, chunks: list[bytes]) -> None:
    reader = PROTOCOLS[kind].reader()
    for chunk in chunks:
        reader.feed(chunk)


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
    assert positions(kind, messages)[-2:] == [told(kind, after) for after in squares[4:]]


@KINDS
@given(seed=st.integers(0, 1 << 32))
@settings(deadline=None)
def test_spoilt_messages_cost_at_most_the_one_after_them(kind: str, seed: int) -> None:
    resynchronises(kind, seed)


@KINDS
@given(squares=SQUARES, noise=st.binary(max_size=40))
@settings(deadline=None)
@example(squares=START, noise=b"\x8f\x3d\x63")  # a DGT board's memory, 8 kB long
@example(squares=START, noise=b"s")
@example(squares=START, noise=b"\x01\x24")
@example(squares=START, noise=b":255 1 ")
def test_noise_before_a_message_costs_at_most_that_message(kind: str, squares: str, noise: bytes) -> None:
    protocol, reader = PROTOCOLS[kind], PROTOCOLS[kind].reader()
    whole = protocol.message(squares)
    found = positions(kind, reader.feed(noise) + reader.feed(whole) + reader.feed(whole))
    assert found[-1:] == [told(kind, squares)]


@KINDS
def test_a_message_may_be_cut_anywhere(kind: str) -> None:
    protocol = PROTOCOLS[kind]
    whole = protocol.message(START)
    for cut in range(len(whole) + 1):
        reader = protocol.reader()
        assert positions(kind, reader.feed(whole[:cut]) + reader.feed(whole[cut:])) == [told(kind, START)]


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


@given(st.binary(max_size=12))
@settings(deadline=None)
def test_any_clock_message_is_read_or_refused(data: bytes) -> None:
    clock.decode(bytes(byte & 0x7F for byte in data[:7]).ljust(7, b"\0"))


@given(st.lists(st.integers(0, (1 << 64) - 1), max_size=60))
@settings(deadline=None)
def test_any_scans_are_debounced(scans: list[int]) -> None:
    board, seen = ScanFilter(), {0}
    for number, squares in enumerate(scans):
        for since, occupied in board.scan(10 * number, squares):
            assert 0 <= since <= 10 * number
            seen.add(occupied)
    assert board.occupied is None or board.occupied in seen


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
