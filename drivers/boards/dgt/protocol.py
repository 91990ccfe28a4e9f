"""DGT e-Board over a serial line: bytes ↔ typed messages, nothing else.

A message from the board starts with a byte whose top bit is set, then two 7-bit bytes with the total size (header
included), then data bytes of 7 bits. A top-bit byte inside a message means that bytes were lost: what was gathered is
thrown away and the new message begins there. Source: the vendor's published protocol header, as read by open programs.

Square 0 is a8, 7 is h8, 63 is h1, with the connector on White's left.
"""

from __future__ import annotations

from dataclasses import dataclass

SEND_BOARD = b"\x42"
SEND_SERIAL = b"\x45"
SEND_TRADEMARK = b"\x47"
UPDATE_NICE = b"\x4b"
SEND_VERSION = b"\x4d"
RESET = b"\x40"

BOARD_DUMP = 0x86
FIELD_UPDATE = 0x8E
SERIAL_NUMBER = 0x91
TRADEMARK = 0x92
VERSION = 0x93

#: Piece code → FEN letter; 0 is an empty square. Codes above 12 are special pieces, not chessmen.
PIECES = ".PRNBKQprnbkq"
#: Longest message we accept: the memory dump of 7936 data bytes and its header.
LONGEST = 7939


@dataclass(frozen=True, slots=True)
class BoardDump:
    """All 64 squares from a8 to h1, as FEN letters and "."; "?" is a special piece."""

    squares: str


@dataclass(frozen=True, slots=True)
class FieldUpdate:
    """Square 0..63 now holds this FEN letter ("." = emptied, "?" = special piece)."""

    square: int
    piece: str


@dataclass(frozen=True, slots=True)
class BoardVersion:
    """Protocol version of the board."""

    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class SerialNumber:
    """The board's serial number."""

    number: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A whole message that this driver has no use for."""

    id: int
    data: bytes


DgtMessage = BoardDump | FieldUpdate | BoardVersion | SerialNumber | Unread


def letter(code: int) -> str:
    """FEN letter of a piece code, "." for empty, "?" for what is no chessman."""
    return PIECES[code] if 0 <= code < len(PIECES) else "?"


def code(piece: str) -> int:
    """Piece code of a FEN letter or "."; raises ValueError for others."""
    return PIECES.index(piece)


def frame(message_id: int, data: bytes) -> bytes:
    """A message as the board sends it: id, size in two 7-bit bytes, data (each byte below 0x80)."""
    size = len(data) + 3
    return bytes((message_id, size >> 7, size & 0x7F)) + data


def placement(squares: str) -> str:
    """The first field of a FEN for 64 letters from a8 to h1 (special pieces count as empty)."""
    ranks = []
    for start in range(0, 64, 8):
        rank, empty = "", 0
        for piece in squares[start : start + 8]:
            if piece in ".?":
                empty += 1
                continue
            rank += (str(empty) if empty else "") + piece
            empty = 0
        ranks.append(rank + (str(empty) if empty else ""))
    return "/".join(ranks)


class Reader:
    """Bytes in, whole messages out; resynchronises by itself and counts what it threw away (`lost` bytes)."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.lost = 0

    def feed(self, data: bytes) -> list[DgtMessage]:
        """Takes any piece of the stream; returns the messages that it completes."""
        messages: list[DgtMessage] = []
        for byte in data:
            if byte & 0x80:
                self.lost += len(self._buffer)
                self._buffer = bytearray((byte,))
                continue
            if not self._buffer:
                self.lost += 1
                continue
            self._buffer.append(byte)
            if len(self._buffer) < 3:
                continue
            size = self._buffer[1] << 7 | self._buffer[2]
            if not 3 <= size <= LONGEST:
                self.lost += len(self._buffer)
                self._buffer.clear()
            elif len(self._buffer) == size:
                messages.append(_message(self._buffer[0], bytes(self._buffer[3:])))
                self._buffer.clear()
        return messages


def _message(message_id: int, data: bytes) -> DgtMessage:
    if message_id == BOARD_DUMP and len(data) == 64:
        return BoardDump("".join(map(letter, data)))
    if message_id == FIELD_UPDATE and len(data) == 2 and data[0] < 64:
        return FieldUpdate(data[0], letter(data[1]))
    if message_id == VERSION and len(data) == 2:
        return BoardVersion(data[0], data[1])
    if message_id == SERIAL_NUMBER:
        return SerialNumber(data.decode("ascii", "replace"))
    return Unread(message_id, data)
