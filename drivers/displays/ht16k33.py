"""Two four-digit HT16K33 backpacks on I²C, one for each side.

RAM places of the usual board: digits at 00 02 06 08, the colon at 04 (bit 1).
"""

from __future__ import annotations

from collections.abc import Mapping

from drivers.buses import I2C
from drivers.displays.segments import ClockFace, Places, places
from drivers.interfaces import boot_us
from rules.laws.sides import SIDES, Side

OSCILLATOR_ON, DISPLAY_ON, DISPLAY_OFF, BRIGHTNESS = 0x21, 0x81, 0x80, 0xE0
COLON, COLON_BIT = 0x04, 0x02
_DIGITS = (0x00, 0x02, 0x06, 0x08)
#: The set-up is written again so often: a backpack that lost its power comes back by itself.
SET_UP_US = 1_000_000
ADDRESSES: Mapping[Side, int] = {"white": 0x70, "black": 0x71}


def ram(shown: Places) -> bytes:
    """The first ten bytes of the display's memory."""
    cells = bytearray(10)
    for place, glyph in zip(_DIGITS, shown.segments(), strict=True):
        cells[place] = glyph
    cells[COLON] = COLON_BIT if shown.colon else 0
    return bytes(cells)


class Ht16k33:
    """Both displays. One that does not answer is left out (`lost`) until it does."""

    kind = "ht16k33"

    def __init__(self, bus: I2C, addresses: Mapping[Side, int] = ADDRESSES, brightness: int = 8) -> None:
        self._bus, self._addresses = bus, dict(addresses)
        self._brightness = max(0, min(brightness, 15))
        self._shown: dict[Side, bytes] = {}
        self._set_up_at: int | None = None
        self.lost: set[Side] = set()

    def show(self, face: ClockFace) -> None:
        """Shows both times."""
        now = boot_us()
        again = self._set_up_at is None or now - self._set_up_at >= SET_UP_US
        if again:
            self._set_up_at = now
        for side in SIDES:
            self._show(side, ram(places(face, side)), again)

    def _show(self, side: Side, cells: bytes, again: bool) -> None:
        if not again and (self._shown.get(side) == cells or side in self.lost):
            return
        address = self._addresses[side]
        try:
            if again:
                for command in (OSCILLATOR_ON, DISPLAY_ON, BRIGHTNESS | self._brightness):
                    self._bus.write(address, bytes((command,)))
            self._bus.write(address, bytes((0x00,)) + cells)
        except OSError:
            self.lost.add(side)
            return
        self.lost.discard(side)
        self._shown[side] = cells

    def close(self) -> None:
        """Dark, and lets go of the bus; may be called twice."""
        if self._set_up_at is not None:
            self._set_up_at = None
            for side in SIDES:
                try:
                    self._bus.write(self._addresses[side], bytes((DISPLAY_OFF,)))
                except OSError:
                    self.lost.add(side)
        self._bus.close()
