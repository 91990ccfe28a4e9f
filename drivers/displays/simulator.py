"""The other end of each display's wires: chips that keep what was written, and can be read by a test or a screen."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.displays import ht16k33, max7219, tm1637
from drivers.displays.segments import POINT, decode


def _with_colon(segments: Sequence[int], colon: bool) -> str:
    """Four places as people read them."""
    words = ""
    for place, glyph in enumerate(segments):
        words += decode(bytes((glyph,)))
        if place == 1 and colon:
            words += ":"
        elif glyph & POINT:
            words += "."
    return words


class SimulatedMax7219:
    """A MAX7219 as an `SPI`; `dip` is a dip of the supply that leaves it in test mode."""

    def __init__(self) -> None:
        self.registers = [0] * 16
        self.transfers = 0

    def transfer(self, data: bytes) -> bytes:
        """Writes one register."""
        self.registers[data[0] & 0xF] = data[1]
        self.transfers += 1
        return bytes(len(data))

    def dip(self) -> None:
        """The supply dips: everything is forgotten, all segments are lit."""
        self.registers = [0] * 16
        self.registers[max7219.TEST] = 1

    def text(self) -> str:
        """Both times as they can be read, "test" in test mode, "" when it is dark."""
        if self.registers[max7219.TEST]:
            return "test"
        if not self.registers[max7219.SHUTDOWN] or self.registers[max7219.SCAN_LIMIT] != 7:
            return ""
        lit = self.registers[8:0:-1]
        return " ".join(_with_colon(four, bool(four[1] & POINT)) for four in (lit[:4], lit[4:]))

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedHt16k33:
    """Backpacks as an `I2C`; those in `unplugged` do not answer."""

    def __init__(self) -> None:
        self.ram: dict[int, bytearray] = {0x70: bytearray(16), 0x71: bytearray(16)}
        self.on: set[int] = set()
        self.unplugged: set[int] = set()

    def write(self, address: int, data: bytes) -> None:
        """A command, or an address of the memory and what goes there."""
        if address in self.unplugged or address not in self.ram:
            raise OSError(121, "Remote I/O error")
        if data[0] == ht16k33.DISPLAY_ON:
            self.on.add(address)
        elif data[0] == ht16k33.DISPLAY_OFF:
            self.on.discard(address)
        elif data[0] < 0x10:
            self.ram[address][data[0] : data[0] + len(data) - 1] = data[1:]

    def read(self, address: int, register: int, count: int) -> bytes:
        """Reads the memory."""
        return bytes(self.ram[address][register : register + count])

    def text(self, address: int) -> str:
        """What can be read on one backpack, "" when it is dark."""
        if address not in self.on:
            return ""
        cells = self.ram[address]
        return _with_colon([cells[0], cells[2], cells[6], cells[8]], bool(cells[4] & ht16k33.COLON_BIT))

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedTm1637:
    """A TM1637 at the end of two wires: it follows start, bits, acknowledge clocks and stop."""

    def __init__(self) -> None:
        self.digits = [0, 0, 0, 0]
        self.brightness: int | None = None
        self.frames = 0
        self._clock = self._data = True
        self._bits: list[int] | None = None

    def clock(self, high: bool) -> None:
        """A rising edge takes a bit; every ninth is the acknowledge clock."""
        if high and not self._clock and self._bits is not None:
            self._bits.append(int(self._data))
        self._clock = high

    def data(self, high: bool) -> None:
        """Falling while the clock is high starts a transfer, rising ends it."""
        if self._clock and high != self._data:
            if not high:
                self._bits = []
            elif self._bits is not None:
                self._take(self._bits[:-1])  # the clock's last rise before the stop is no bit
                self._bits = None
        self._data = high

    def _take(self, bits: list[int]) -> None:
        frame = [
            sum(bit << place for place, bit in enumerate(bits[start : start + 8])) for start in range(0, len(bits), 9)
        ]
        self.frames += 1
        if frame[0] & 0xC0 == tm1637.FIRST_DIGIT:
            for place, glyph in enumerate(frame[1:]):
                self.digits[(frame[0] & 0x03) + place] = glyph
        elif frame[0] & 0xC0 == tm1637.CONTROL:
            self.brightness = frame[0] & 0x07 if frame[0] & tm1637.ON else None

    def text(self) -> str:
        """What can be read, "" when it is dark."""
        if self.brightness is None:
            return ""
        return _with_colon(self.digits, bool(self.digits[1] & POINT))

    def close(self) -> None:
        """Nothing to let go of."""
