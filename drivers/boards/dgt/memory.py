"""The board's own memory (message 8F): a ring buffer with the whole game, even if nothing was connected. Pure.

Oldest entry first, ended by 6B. One-byte tags; 40..5F with a square is a field change (low nibble the piece); 60..69
and 70..79 with two BCD bytes is the time of the side that pressed (bit 4: left). The times' hours are the low nibble.
Source: the vendor's published protocol header. Use it as a last resort after a crash: it takes 8 s at 9600 baud.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from drivers.boards.dgt.clock import ClockSide, bcd_seconds

END = 0x6B
Tag = Literal[
    "power up", "four rows full", "empty board", "downloaded", "start array", "start array rotated", "start", "watchdog"
]
_TAGS: dict[int, Tag] = {
    0x6A: "power up", 0x6C: "four rows full", 0x6D: "empty board", 0x6E: "downloaded", 0x6F: "start array",
    0x7A: "start array rotated", 0x7B: "start", 0x7C: "watchdog",
}  # fmt: skip
_NOTHING = (0x00, 0x7F)
PIECES = ".PRNBKQprnbkq"


@dataclass(frozen=True, slots=True)
class Change:
    """Square 0..63 (a8 first) came to hold this FEN letter; `at_once` within 250 ms of the change before."""

    square: int
    piece: str
    at_once: bool


@dataclass(frozen=True, slots=True)
class Pressed:
    """The side of the clock that was pressed, and its time in s."""

    side: ClockSide
    seconds: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that the board noted by itself."""

    what: Tag


Entry = Change | Pressed | Mark


def decode(data: bytes) -> list[Entry]:
    """The entries up to the end tag; bytes that are none are passed over."""
    entries: list[Entry] = []
    index = 0
    while index < len(data) and data[index] != END:
        byte = data[index]
        rest = data[index + 1 : index + 2]
        if byte in _TAGS:
            entries.append(Mark(_TAGS[byte]))
        elif 0x40 <= byte <= 0x5F and rest and rest[0] < 64:
            code = byte & 0xF
            piece = PIECES[code] if code < len(PIECES) else "?"
            entries.append(Change(rest[0], piece, bool(byte & 0x10)))
            index += 1
        elif (byte & 0x6F) in range(0x60, 0x6A) and (seconds := bcd_seconds(data[index : index + 3])) is not None:
            entries.append(Pressed("left" if byte & 0x10 else "right", seconds))
            index += 2
        index += 1
    return entries


def last_game(entries: list[Entry]) -> list[Entry]:
    """The entries since the start array stood on the board for the last time; all of them if it never did."""
    starts = [
        index for index, entry in enumerate(entries) if isinstance(entry, Mark) and entry.what.startswith("start array")
    ]
    return entries[starts[-1] + 1 :] if starts else entries


def positions(entries: list[Entry], squares: str) -> list[str]:
    """The 64 letters (a8 to h1) after each change, beginning with `squares`."""
    now, found = list(squares), []
    for entry in entries:
        if isinstance(entry, Change):
            now[entry.square] = entry.piece
            found.append("".join(now))
    return found
