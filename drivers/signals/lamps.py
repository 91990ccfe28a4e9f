"""Lamps on GPIO pins: one for each side that runs, a red one for the flag; or one lamp of three colours.

Plain lamps are visible from 10 m (FIDE C.02: who runs, and who was first over time). A lamp is on or off, never dimmed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpiozero import LED, RGBLED

from drivers.interfaces import Sign
from drivers.pins.stamps import machine_pins

#: Header pins (BCM numbers) of White's, Black's and the flag's lamp.
WHITE_LAMP, BLACK_LAMP, FLAG_LAMP = 16, 20, 21
Colour = tuple[int, int, int]
GREEN, RED, BLUE, YELLOW, DARK = (0, 1, 0), (1, 0, 0), (0, 0, 1), (1, 1, 0), (0, 0, 0)


def lit(sign: Sign) -> Mapping[str, bool]:
    """Which lamps shine. The flag's lamp stays on for a flag, and blinks for a call or trouble."""
    calls = (sign.called or sign.trouble) and sign.blink
    return {
        "white": sign.running == "white",
        "black": sign.running == "black",
        "flag": sign.flag is not None or calls,
    }


def colour(sign: Sign) -> Colour:
    """Red: a flag; blinking blue: the arbiter is called; blinking yellow: trouble; green: a clock runs."""
    if sign.flag is not None:
        return RED
    if sign.called:
        return BLUE if sign.blink else DARK
    if sign.trouble:
        return YELLOW if sign.blink else DARK
    return GREEN if sign.running is not None else DARK


class Lamps:
    """Three lamps. `pin_factory` is gpiozero's (None: the machine's own). Raises `DriverError` if a pin is taken."""

    kind = "lamps"

    def __init__(
        self, white: int = WHITE_LAMP, black: int = BLACK_LAMP, flag: int = FLAG_LAMP, pin_factory: Any = None
    ) -> None:
        factory = pin_factory or machine_pins()
        self._lamps: dict[str, Any] = {}
        try:
            for name, pin in (("white", white), ("black", black), ("flag", flag)):
                self._lamps[name] = LED(pin, pin_factory=factory)
        except BaseException:
            self.close()
            raise

    def show(self, sign: Sign) -> None:
        """Lights what the sign says."""
        for name, on in lit(sign).items():
            lamp = self._lamps.get(name)
            if lamp is not None and bool(lamp.value) != on:
                lamp.value = on

    def close(self) -> None:
        """Dark, and lets go of the pins; may be called twice."""
        for lamp in self._lamps.values():
            lamp.off()
            lamp.close()
        self._lamps.clear()


class ColourLamp:
    """One lamp of three colours (common cathode)."""

    kind = "rgb"

    def __init__(self, red: int, green: int, blue: int, pin_factory: Any = None) -> None:
        self._lamp: Any = RGBLED(red, green, blue, pwm=False, pin_factory=pin_factory or machine_pins())

    def show(self, sign: Sign) -> None:
        """Shows the colour of the sign."""
        if self._lamp is not None and self._lamp.value != colour(sign):
            self._lamp.value = colour(sign)

    def close(self) -> None:
        """Dark, and lets go of the pins; may be called twice."""
        if self._lamp is not None:
            self._lamp.off()
            self._lamp.close()
            self._lamp = None
