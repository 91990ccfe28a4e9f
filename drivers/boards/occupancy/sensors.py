"""Ways to read 64 sensors: a 74HC165 chain over SPI, four MCP23017 directly, one MCP23017 as a matrix.

Each answers `read()` with the occupied squares, a1 = bit 0. A closed sensor pulls its input to ground. Which input is
which square is the builder's wiring: `wiring` names the square of every bit read, first bit first. Assumed: an MCP23017
whose GPA7 and GPB7 may be inputs (newer data sheets allow them as outputs only); and that a row of the matrix, which
needs 5 µs until its columns can be read, has them while the bus speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from drivers.buses import I2C, SPI

#: The wiring that the plans recommend: the first byte is rank 8, its top bit file a.
BY_RANKS: tuple[int, ...] = tuple(8 * (7 - row) + file for row in range(8) for file in range(8))

# Registers of the MCP23017 in bank 0.
IODIRA, IODIRB, GPPUA, GPPUB, GPIOA, OLATB = 0x00, 0x01, 0x0C, 0x0D, 0x12, 0x15
#: Four chips read 64 squares directly; newer data sheets allow GPA7 and GPB7 only as outputs: then use more chips.
ADDRESSES = (0x20, 0x21, 0x22, 0x23)


class Sensors(Protocol):
    """64 squares that can be read."""

    kind: str

    def read(self) -> int:
        """The occupied squares, a1 = bit 0; raises OSError when the chips do not answer."""

    def close(self) -> None:
        """Lets go of the bus; may be called twice."""


def mapped(data: bytes, wiring: Sequence[int]) -> int:
    """The occupied squares of bits read, where a 0 bit is a closed sensor."""
    occupied = 0
    for index, square in enumerate(wiring):
        if not data[index // 8] >> (7 - index % 8) & 1:
            occupied |= 1 << square
    return occupied


class ShiftChain:
    """Eight 74HC165: latched together, shifted out over SPI mode 0, last chip of the chain first. No ghosts."""

    kind = "74hc165"

    def __init__(self, spi: SPI, wiring: Sequence[int] = BY_RANKS) -> None:
        self._spi, self._wiring = spi, tuple(wiring)

    def read(self) -> int:
        """One latch and 64 clocks: 64 µs at 1 MHz."""
        return mapped(self._spi.transfer(bytes(8)), self._wiring)

    def close(self) -> None:
        """Lets go of the bus."""
        self._spi.close()


class Expanders:
    """Four MCP23017, every pin an input with pull-up. Polled: a missed interrupt would block for ever."""

    kind = "mcp23017"

    def __init__(self, bus: I2C, addresses: Sequence[int] = ADDRESSES, wiring: Sequence[int] = BY_RANKS) -> None:
        self._bus, self._addresses, self._wiring = bus, tuple(addresses), tuple(wiring)
        self._ready = False

    def read(self) -> int:
        """Two bytes of each chip; after an error the chips are set up again, they may have lost their power."""
        try:
            if not self._ready:
                for address in self._addresses:
                    self._bus.write(address, bytes((IODIRA, 0xFF, 0xFF)))
                    self._bus.write(address, bytes((GPPUA, 0xFF, 0xFF)))
                self._ready = True
            data = b"".join(self._bus.read(address, GPIOA, 2) for address in self._addresses)
        except OSError:
            self._ready = False
            raise
        return mapped(data, self._wiring)

    def close(self) -> None:
        """Lets go of the bus."""
        self._bus.close()


class Matrix:
    """One MCP23017: rows on port B, one low at a time, columns with pull-ups on port A. Needs a diode per switch.

    Without diodes three closed corners of a rectangle show the fourth: `ghosts` finds them with the start array.
    """

    kind = "mcp23017-matrix"

    def __init__(self, bus: I2C, address: int = ADDRESSES[0], wiring: Sequence[int] = BY_RANKS) -> None:
        self._bus, self._address, self._wiring = bus, address, tuple(wiring)
        self._ready = False

    def read(self) -> int:
        """Eight rows, about 1 ms at 400 kHz."""
        try:
            if not self._ready:
                for register, value in ((IODIRA, 0xFF), (IODIRB, 0x00), (GPPUA, 0xFF)):
                    self._bus.write(self._address, bytes((register, value)))
                self._ready = True
            rows = []
            for row in range(8):
                self._bus.write(self._address, bytes((OLATB, 0xFF ^ 1 << row)))
                rows.append(self._bus.read(self._address, GPIOA, 1)[0])
        except OSError:
            self._ready = False
            raise
        return mapped(bytes(rows), self._wiring)

    def close(self) -> None:
        """Lets go of the bus."""
        self._bus.close()


def ghosts(occupied: int) -> int:
    """With the start array on the board: the squares of ranks 3 to 6 that should be empty and are not."""
    return occupied & 0x0000_FFFF_FFFF_0000
