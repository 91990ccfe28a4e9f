"""Eight digits on a MAX7219 over SPI: White's time on the left four, Black's on the right.

The chip wants 3.5 V for a logic high at 5 V supply: use a level shifter. After a dip of the supply it may wake in test
mode or with other settings, so the set-up is written again every second. The modules have no colon: the point of the
second place stands for it.
"""

from __future__ import annotations

import contextlib

from drivers.buses import SPI
from drivers.displays.segments import POINT, ClockFace, Places, places
from drivers.interfaces import boot_us

DECODE, INTENSITY, SCAN_LIMIT, SHUTDOWN, TEST = 0x09, 0x0A, 0x0B, 0x0C, 0x0F
SET_UP_US = 1_000_000


def set_up(brightness: int) -> list[tuple[int, int]]:
    """Registers of a display without code B decoding, all digits on, at a brightness of 0..15."""
    return [(TEST, 0), (DECODE, 0), (SCAN_LIMIT, 7), (INTENSITY, max(0, min(brightness, 15))), (SHUTDOWN, 1)]


def digits(face: ClockFace) -> list[tuple[int, int]]:
    """Registers 8 (leftmost) to 1."""
    lit = b"".join(_four(places(face, side)) for side in ("white", "black"))
    return [(8 - index, glyph) for index, glyph in enumerate(lit)]


def _four(shown: Places) -> bytes:
    lit = bytearray(shown.segments())
    if shown.colon:
        lit[1] |= POINT
    return bytes(lit)


class Max7219:
    """A display; `show` may be called as often as one likes, only changes go over the bus.

    `lost` says that the bus cannot be written to; it is tried again at every call. The chip itself never answers.
    """

    kind = "max7219"

    def __init__(self, spi: SPI, brightness: int = 8) -> None:
        self._spi, self._brightness = spi, brightness
        self._shown: dict[int, int] = {}
        self._set_up_at: int | None = None
        self.lost = False

    def show(self, face: ClockFace) -> None:
        """Shows both times."""
        try:
            self._show(face)
        except OSError:
            self.lost, self._set_up_at = True, None
        else:
            self.lost = False

    def _show(self, face: ClockFace) -> None:
        now = boot_us()
        if self._set_up_at is None or now - self._set_up_at >= SET_UP_US:
            self._set_up_at = now
            self._shown.clear()
            for register, value in set_up(self._brightness):
                self._spi.transfer(bytes((register, value)))
        for register, value in digits(face):
            if self._shown.get(register) != value:
                self._spi.transfer(bytes((register, value)))
                self._shown[register] = value

    def close(self) -> None:
        """Dark, and lets go of the bus; may be called twice."""
        if self._set_up_at is not None:
            with contextlib.suppress(OSError):
                self._spi.transfer(bytes((SHUTDOWN, 0)))
            self._set_up_at = None
        self._spi.close()
