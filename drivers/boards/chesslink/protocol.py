"""Millennium ChessLink over a serial line (38400, 7 data bits, odd parity): bytes ↔ typed messages. Pure.

Each character carries an odd parity bit on top; it is made and checked here, because a pseudo-terminal and some
adapters pass eight bits through. A frame is a letter, its data and the block parity: the XOR of all characters before
it as two upper-case hex digits. There is no terminator, the length follows from the letter. Source: python-mchess'
protocol text.

Assumed: block parity is on, as boards come. One in which it was switched off (bit 0 of EEPROM cell 00) says nothing
that is understood here, and counts as a board that does not answer. Boards of the eONE kind are taken to speak like it.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Reply letter → characters of the whole frame with its block parity.
LENGTHS = {"s": 67, "v": 7, "l": 3, "x": 3, "w": 7, "r": 7}

#: EEPROM addresses and what we want there: reports on change, debounced here.
REPORTS, SCAN_TIME, BRIGHTNESS = 0x02, 0x01, 0x04
ON_CHANGE = 0x03
#: The board is silent for so long after a reset.
RESET_S = 3.0


@dataclass(frozen=True, slots=True)
class Status:
    """All 64 squares from a8 to h1 as FEN letters and "."."""

    squares: str


@dataclass(frozen=True, slots=True)
class Version:
    """Firmware version."""

    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class Memory:
    """An EEPROM cell that was read (r) or written (w)."""

    address: int
    value: int
    written: bool


@dataclass(frozen=True, slots=True)
class Lights:
    """The lights were set (`on`) or put out."""

    on: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A frame that began with this letter and was thrown away: bytes lost or block parity wrong."""

    letter: str


ChessLinkMessage = Status | Version | Memory | Lights | Dropped


def odd_parity(character: int) -> int:
    """A 7-bit character with the parity bit that makes the number of ones odd."""
    return character | (0x00 if character.bit_count() % 2 else 0x80)


def block_parity(text: str) -> str:
    """Two hex digits over all characters of a frame."""
    parity = 0
    for character in text.encode("ascii"):
        parity ^= character
    return f"{parity:02X}"


def frame(text: str) -> bytes:
    """A frame as it goes over the wire, in both directions: with block parity and parity bits."""
    return bytes(map(odd_parity, (text + block_parity(text)).encode("ascii")))


ASK_STATUS = frame("S")
ASK_VERSION = frame("V")
LIGHTS_OFF = frame("X")
RESET = frame("T")


def read_cell(address: int) -> bytes:
    """Asks for an EEPROM cell."""
    return frame(f"R{address:02X}")


def write_cell(address: int, value: int) -> bytes:
    """Writes an EEPROM cell; do so only if the value differs, cells wear out."""
    return frame(f"W{address:02X}{value:02X}")


def lights(squares: frozenset[int], slot: int = 0x20) -> bytes:
    """Lights the four corners of squares (a1 = 0 … h8 = 63) steadily; `slot` is 4.096 ms units.

    The 81 lamps stand on the corners, columns of nine from a8 (1) to a1 (9) … h8 (73) to h1 (81).
    """
    lamps = [0x00] * 81
    for square in squares:
        column, row = square % 8, 7 - square // 8
        for x, y in ((column, row), (column + 1, row), (column, row + 1), (column + 1, row + 1)):
            lamps[x * 9 + y] = 0xFF
    return frame(f"L{slot:02X}" + "".join(f"{lamp:02X}" for lamp in lamps))


class Reader:
    """Bytes in, whole messages out; counts characters with a wrong parity bit (`parity_errors`)."""

    def __init__(self) -> None:
        self._buffer = ""
        self._noisy = False
        self.parity_errors = 0

    def feed(self, data: bytes) -> list[ChessLinkMessage]:
        """Takes any piece of the stream; returns the messages that it completes.

        A character whose parity bit was stripped or is wrong is taken all the same: the block parity decides.
        """
        messages: list[ChessLinkMessage] = []
        for byte in data:
            if odd_parity(byte & 0x7F) != byte:
                self.parity_errors += 1
            self._buffer += chr(byte & 0x7F)
            self._cut(messages)
        return messages

    @property
    def torn(self) -> bool:
        """Whether a frame has begun that has not ended."""
        return bool(self._buffer)

    def forget(self) -> None:
        """Throws away what was gathered: the rest of it does not come."""
        self._buffer, self._noisy = "", False

    def _cut(self, messages: list[ChessLinkMessage]) -> None:
        """Takes whole frames off the front. After a bad one the search goes on at its second character, in silence."""
        while self._buffer:
            length = LENGTHS.get(self._buffer[0])
            if length is None:
                self._buffer = self._buffer[1:]
                continue
            plausible = _plausible(self._buffer[:length])
            if plausible and len(self._buffer) < length:
                return
            text, parity = self._buffer[: length - 2], self._buffer[length - 2 : length]
            if not plausible or block_parity(text) != parity.upper():
                if not self._noisy:
                    messages.append(Dropped(text[0]))
                self._noisy = True
                self._buffer = self._buffer[1:]
                continue
            self._noisy = False
            messages.append(_message(text))
            self._buffer = self._buffer[length:]


_PIECES = frozenset("KQRBNPkqrbnp.")
_HEX = frozenset("0123456789ABCDEFabcdef")


def _plausible(text: str) -> bool:
    """Whether these can be the first characters of a frame; a new frame inside one shows at once."""
    if text[0] != "s":
        return _HEX.issuperset(text[1:])
    return _PIECES.issuperset(text[1:65]) and _HEX.issuperset(text[65:])


def _message(text: str) -> ChessLinkMessage:
    match text[0]:
        case "s":
            return Status(text[1:])
        case "v":
            return Version(int(text[1:3], 16), int(text[3:5], 16))
        case "l" | "x":
            return Lights(text[0] == "l")
        case kind:
            return Memory(int(text[1:3], 16), int(text[3:5], 16), kind == "w")
