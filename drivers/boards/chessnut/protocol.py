"""Chessnut boards over USB HID: reports ↔ typed messages. Pure.

A message is a code, a length and so many data bytes. A position report has two squares in a byte, the low nibble first,
from h8 to a1; its last four bytes seem to count time (assumed, and not used). Source: the vendor's published API text.
"""

from __future__ import annotations

from dataclasses import dataclass

POSITION, BATTERY, MODE, GAMES = 0x01, 0x2A, 0x21, 0x32
#: Position codes → FEN letters.
PIECES = ".qkbpnRPrBNQK"
#: Data bytes by code: other lengths are noise.
LENGTHS = {POSITION: (0x24,), BATTERY: (0x02,), MODE: (0x01,), GAMES: (0x01,)}

REAL_TIME = b"\x21\x01\x00"
UPLOAD = b"\x21\x01\x01"
ASK_BATTERY = b"\x29\x01\x00"
ASK_GAMES = b"\x31\x01\x00"
#: The board needs so long between two writes (s).
WRITE_GAP_S = 0.2


@dataclass(frozen=True, slots=True)
class Position:
    """All 64 squares from a8 to h1 as FEN letters and "."; "?" for an unknown code."""

    squares: str


@dataclass(frozen=True, slots=True)
class Battery:
    """Charge in percent."""

    percent: int
    charging: bool


@dataclass(frozen=True, slots=True)
class ModeSet:
    """The board answers a change of mode: real time, or upload of stored games."""

    real_time: bool


@dataclass(frozen=True, slots=True)
class StoredGames:
    """How many games lie in the board."""

    count: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """Bytes that are no message, from this code on."""

    code: int


ChessnutMessage = Position | Battery | ModeSet | StoredGames | Dropped


def beep(frequency_hz: int, duration_ms: int) -> bytes:
    """A tone."""
    return b"\x0b\x04" + frequency_hz.to_bytes(2, "big") + duration_ms.to_bytes(2, "big")


def lights(squares: int) -> bytes:
    """Lights squares (a1 = bit 0); rank 8 first. Assumed: the lowest bit of a row byte is file a."""
    return b"\x0a\x08" + bytes(squares >> 8 * (7 - row) & 0xFF for row in range(8))


def position(squares: str) -> bytes:
    """The report for 64 letters from a8 to h1, as the board sends it."""
    codes = [PIECES.index(piece) for piece in squares]
    pairs = []
    for rank in range(8):
        row = codes[8 * rank : 8 * rank + 8][::-1]
        pairs += [row[file] | row[file + 1] << 4 for file in range(0, 8, 2)]
    return bytes((POSITION, 0x24, *pairs, 0, 0, 0, 0))


class Reader:
    """Bytes in, whole messages out. HID reports are padded with zeros: they are skipped."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended."""
        return bool(self._buffer)

    def forget(self) -> None:
        """Throws away what was gathered: the rest of it does not come."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[ChessnutMessage]:
        """Takes a report or any piece of a stream; returns the messages that it completes."""
        messages: list[ChessnutMessage] = []
        self._buffer += data
        noise = False
        while self._buffer:
            code = self._buffer[0]
            sizes = LENGTHS.get(code)
            wrong = sizes is None or (len(self._buffer) > 1 and self._buffer[1] not in sizes)
            if wrong:
                if code and not noise:
                    messages.append(Dropped(code))
                noise = code != 0
                del self._buffer[0]
                continue
            if len(self._buffer) < 2 or len(self._buffer) < 2 + self._buffer[1]:
                break
            length = self._buffer[1]
            messages.append(_message(code, bytes(self._buffer[2 : 2 + length])))
            del self._buffer[: 2 + length]
            noise = False
        return messages


def _message(code: int, data: bytes) -> ChessnutMessage:
    match code:
        case 0x01:
            return Position(_squares(data[:32]))
        case 0x2A:
            return Battery(min(data[0] & 0x7F, 100), bool(data[0] & 0x80))
        case 0x21:
            return ModeSet(data[0] == 0)
        case _:
            return StoredGames(data[0])


def _squares(data: bytes) -> str:
    ranks = []
    for rank in range(8):
        row = ""
        for byte in data[4 * rank : 4 * rank + 4]:
            row += "".join(PIECES[code] if code < len(PIECES) else "?" for code in (byte & 0xF, byte >> 4))
        ranks.append(row[::-1])
    return "".join(ranks)
