"""DGT e-Board over a serial line: bytes ↔ typed messages, nothing else.

A message from the board starts with a byte whose top bit is set, then two 7-bit bytes with the total size (header
included), then data bytes of 7 bits. A top-bit byte inside a message means that bytes were lost: what was gathered is
thrown away (`Dropped`) and the new message begins there. Source: the vendor's published protocol header, as read by
open programs.

There is no checksum. What cannot be right is thrown away (a size that its id does not have, a square above 63, a code
above 15); a garbled piece or square that could be right lasts until the next dump, which the driver asks for whenever
the squares have come to rest (`device`).

Square 0 is a8, 7 is h8, 63 is h1, with the connector on White's left. The clock's messages are in `clock`, the board's
memory in `memory`.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.boards.dgt import clock
from drivers.boards.placement import placement

RESET = b"\x40"
SEND_CLOCK = b"\x41"
SEND_BOARD = b"\x42"
UPDATE = b"\x43"
UPDATE_BOARD = b"\x44"
SEND_SERIAL = b"\x45"
SEND_BUS_ADDRESS = b"\x46"
SEND_TRADEMARK = b"\x47"
SEND_MEMORY = b"\x49"
UPDATE_NICE = b"\x4b"
SEND_BATTERY = b"\x4c"
SEND_VERSION = b"\x4d"
SEND_LONG_SERIAL = b"\x55"
LEDS = 0x60
CLOCK_COMMAND = 0x2B

BOARD_DUMP = 0x86
CLOCK = 0x8D
FIELD_UPDATE = 0x8E
MEMORY = 0x8F
BUS_ADDRESS = 0x90
SERIAL_NUMBER = 0x91
TRADEMARK = 0x92
VERSION = 0x93
BATTERY = 0xA0
LONG_SERIAL = 0xA2
#: Answers of a board in bus mode, where a reset brings it back.
BUS_IDS = frozenset((0x83, 0x84, 0x85, 0x87, 0x88, 0x89, 0x8A))

#: Messages of a fixed size. The battery's size constant in circulation is wrong: there the size field is trusted.
SIZES = {
    BOARD_DUMP: 67, CLOCK: 10, FIELD_UPDATE: 5, BUS_ADDRESS: 5, SERIAL_NUMBER: 8, VERSION: 5, LONG_SERIAL: 13,
}  # fmt: skip
KNOWN = frozenset((*SIZES, MEMORY, TRADEMARK, BATTERY))

#: Piece code → FEN letter; 0 is an empty square. Codes above 12 are special pieces, not chessmen.
PIECES = ".PRNBKQprnbkq"
HIGHEST_CODE = 15
#: Longest message we accept: the memory dump of 7936 data bytes and its header.
LONGEST = 7939
_NOT_KNOWN = 0x7F


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
    """The board's serial number, five digits or ten characters."""

    number: str


@dataclass(frozen=True, slots=True)
class TradeMark:
    """The board's trade-mark text."""

    text: str


@dataclass(frozen=True, slots=True)
class BusAddress:
    """The board's address on the bus."""

    address: int


@dataclass(frozen=True, slots=True)
class Battery:
    """State of a Bluetooth board's battery; `minutes_left` is None when the board does not know."""

    percent: int
    charging: bool
    minutes_left: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryDump:
    """The board's ring buffer; see `memory`."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Dropped:
    """A message of this id that lost bytes, or whose size is impossible, and was thrown away."""

    id: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A whole message that this driver has no use for."""

    id: int
    data: bytes


DgtMessage = (
    BoardDump | FieldUpdate | BoardVersion | SerialNumber | TradeMark | BusAddress | Battery | MemoryDump
    | clock.ClockMessage | Dropped | Unread
)  # fmt: skip


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


def leds(first: int, last: int, on: bool = True) -> bytes:
    """Lights (or darkens) the two squares of a move; only for the robot board, plain boards may stall."""
    return bytes((LEDS, 0x04, 0x01 if on else 0x00, first, last, 0x00))


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
                self._drop(messages)
                self._buffer = bytearray((byte,))
                continue
            if not self._buffer:
                self.lost += 1
                continue
            self._buffer.append(byte)
            if len(self._buffer) < 3:
                continue
            size = self._buffer[1] << 7 | self._buffer[2]
            if not 3 <= size <= LONGEST or SIZES.get(self._buffer[0], size) != size:
                self._drop(messages)
            elif len(self._buffer) == size:
                messages.append(_message(self._buffer[0], bytes(self._buffer[3:])))
                self._buffer.clear()
        return messages

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended; the memory's is not told, it takes 8 s and may pause."""
        return bool(self._buffer) and self._buffer[0] != MEMORY

    def forget(self) -> None:
        """Throws away what was gathered: the rest of it does not come."""
        self._drop([])

    def _drop(self, messages: list[DgtMessage]) -> None:
        if self._buffer and self._buffer[0] in KNOWN:
            messages.append(Dropped(self._buffer[0]))
        self.lost += len(self._buffer)
        self._buffer.clear()


def _message(message_id: int, data: bytes) -> DgtMessage:
    match message_id:
        case 0x86:
            return BoardDump("".join(map(letter, data))) if max(data) <= HIGHEST_CODE else Dropped(message_id)
        case 0x8E:
            right = data[0] < 64 and data[1] <= HIGHEST_CODE
            return FieldUpdate(data[0], letter(data[1])) if right else Dropped(message_id)
        case 0x8D:
            return clock.decode(data)
        case 0x8F:
            return MemoryDump(data)
        case 0x90:
            return BusAddress(data[0] << 7 | data[1])
        case 0x91 | 0xA2:
            return SerialNumber(data.decode("ascii", "replace"))
        case 0x92:
            return TradeMark(data.decode("ascii", "replace"))
        case 0x93:
            return BoardVersion(data[0], data[1])
        case 0xA0 if len(data) >= 4 and data[0] <= 100:
            left = None if _NOT_KNOWN in data[1:3] else data[1] * 60 + data[2]
            return Battery(data[0], bool(data[-1] & 1), left)
        case _:
            return Unread(message_id, data)


__all__ = ["BoardDump", "FieldUpdate", "Reader", "code", "frame", "leds", "letter", "placement"]
