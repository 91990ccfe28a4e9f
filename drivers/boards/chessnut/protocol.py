"""Chessnut boards over USB HID: reports ↔ typed messages. Pure.

A message is a code, a length and so many data bytes. A position report has two squares in a byte, the low nibble first,
from h8 to a1; its last four bytes are not used. Source: the vendor's published API text.

There is no checksum: on USB the bus itself guards each report, and loses it whole or not at all. Elsewhere a report
that lost bytes may look like another position. What cannot be one is thrown away here (a code that no piece has); a
position in which a second one begins is only believed if a message follows it, or silence; and the driver asks for each
position again (`device`): a wrong nibble is seen until the answer comes, and no move is recorded by it.

Assumed, because no source says so: that the real-time mode, set again, is answered with the position each time; that
the lights' row bits have file a lowest; that the last four bytes of a position are a time. Its robot board takes moves,
castling and en passant as target positions; this program moves no pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

POSITION, BATTERY, MODE, GAMES = 0x01, 0x2A, 0x21, 0x32
#: Position codes → FEN letters.
PIECES = ".qkbpnRPrBNQK"
#: Data bytes by code: other lengths are noise.
LENGTHS = {POSITION: 0x24, BATTERY: 0x02, MODE: 0x01, GAMES: 0x01}
#: A HID report of this size carries one message and zeros.
REPORT = 64

REAL_TIME = b"\x21\x01\x00"
UPLOAD = b"\x21\x01\x01"
ASK_BATTERY = b"\x29\x01\x00"
ASK_GAMES = b"\x31\x01\x00"
#: The board needs so long between two writes (s).
WRITE_GAP_S = 0.2


@dataclass(frozen=True, slots=True)
class Position:
    """All 64 squares from a8 to h1 as FEN letters and "."."""

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
    """Bytes in, whole messages out. HID reports are padded with zeros: they are skipped.

    A message that lost its end takes the beginning of the next one into itself. So where another position begins inside
    a position, what follows decides which of the two is one: a message, the zeros of a report, or nothing (`settle`).
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noisy = False

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended, or is not decided yet."""
        return bool(self._buffer)

    def settle(self) -> list[ChessnutMessage]:
        """Nothing follows: the message that waited for that, if there is one; what is only a beginning is forgotten."""
        messages: list[ChessnutMessage] = []
        whole = 2 + LENGTHS[POSITION]
        if len(self._buffer) > whole and _fits(self._buffer[-whole:]):
            while len(self._buffer) > whole:  # a whole one that ends with the stream: what is before it was cut off
                self._drop(messages)
        if len(self._buffer) > 1 and len(self._buffer) >= 2 + self._buffer[1]:
            self._take(messages)
        self._buffer.clear()
        self._noisy = False
        return messages

    def feed(self, data: bytes) -> list[ChessnutMessage]:
        """Takes a report or any piece of a stream; returns the messages that it completes."""
        messages: list[ChessnutMessage] = []
        self._buffer += data
        while self._buffer and self._step(messages):
            pass
        return messages

    def _step(self, messages: list[ChessnutMessage]) -> bool:
        """Deals with what stands in front; False if that depends on what has not arrived."""
        buffer = self._buffer
        if not buffer[0]:  # the padding of a report, or empty squares of one that is being dropped
            del buffer[0]
            return True
        if not _fits(buffer):
            self._drop(messages)
            return True
        whole = 2 + LENGTHS[buffer[0]]
        if len(buffer) < whole:
            return False
        if any(buffer[at] == POSITION and _fits(buffer[at:whole]) for at in range(1, whole)):
            right = _follows(bytes(buffer[whole:]))
            if right is None:
                return False
            if not right:
                self._drop(messages)
                return True
        self._take(messages)
        return True

    def _take(self, messages: list[ChessnutMessage]) -> None:
        whole = 2 + self._buffer[1]
        messages.append(_message(self._buffer[0], bytes(self._buffer[2:whole])))
        del self._buffer[:whole]
        self._noisy = False

    def _drop(self, messages: list[ChessnutMessage]) -> None:
        """Gives up the first byte; what is dropped in a row is told once."""
        if not self._noisy:
            messages.append(Dropped(self._buffer[0]))
        self._noisy = True
        del self._buffer[0]


def _follows(rest: bytes) -> bool | None:
    """Whether `rest` is what can follow a whole position; None if that cannot be told yet."""
    said = rest.lstrip(b"\0")
    if len(rest) - len(said) >= REPORT - 2 - LENGTHS[POSITION]:
        return True
    if not said or (len(said) == 1 and _fits(said)):
        return None
    return rest == said and _fits(said[:2])


#: Code → whether its data can be right, as far as they have arrived.
_POSSIBLE: Mapping[int, Callable[[bytes], bool]] = {
    POSITION: lambda data: all(byte & 0xF < len(PIECES) and byte >> 4 < len(PIECES) for byte in data[:32]),
    BATTERY: lambda data: not data or data[0] & 0x7F <= 100,
    MODE: lambda data: not data or data[0] <= 1,
    GAMES: lambda data: True,
}


def _fits(begun: bytes | bytearray) -> bool:
    """Whether a message may begin so."""
    if begun[0] not in LENGTHS or (len(begun) > 1 and begun[1] != LENGTHS[begun[0]]):
        return False
    return _POSSIBLE[begun[0]](bytes(begun[2 : 2 + LENGTHS[begun[0]]]))


def _message(code: int, data: bytes) -> ChessnutMessage:
    match code:
        case 0x01:
            return Position(_squares(data[:32]))
        case 0x2A:
            return Battery(data[0] & 0x7F, bool(data[0] & 0x80))
        case 0x21:
            return ModeSet(data[0] == 0)
        case _:
            return StoredGames(data[0])


def _squares(data: bytes) -> str:
    ranks = []
    for rank in range(8):
        row = "".join(PIECES[byte & 0xF] + PIECES[byte >> 4] for byte in data[4 * rank : 4 * rank + 4])
        ranks.append(row[::-1])
    return "".join(ranks)
