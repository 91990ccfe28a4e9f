"""A simulated rocker: our own pins on a simulated GPIO chip, tipped by hands; it bounces if asked to."""

from __future__ import annotations

import time
from typing import Any

from drivers.clocks.rocker.device import BLACK_DOWN_PIN, WHITE_DOWN_PIN
from drivers.pins.factory import LinePinFactory
from drivers.pins.simulator import KERNEL_US, SimulatedGpio
from rules.laws.events import Side


class SimulatedRocker:
    """A lever on a simulated chip; give `pin_factory` to `Rocker`. `transit_s` is the time with both contacts open."""

    def __init__(self, down: Side | None = None, transit_s: float = 0.0, bounces: int = 0) -> None:
        self.gpio = SimulatedGpio()
        self.pin_factory: Any = LinePinFactory("simulated", self.gpio.open, KERNEL_US)
        self._pins: dict[Side, int] = {"white": WHITE_DOWN_PIN, "black": BLACK_DOWN_PIN}
        self._transit_s = transit_s
        self._bounces = bounces
        if down is not None:
            self.gpio.drive(self._pins[down], False)

    def tip(self, side: Side) -> None:
        """Pushes the lever down on `side`."""
        for pin in self._pins.values():
            self.gpio.drive(pin, None)
        time.sleep(self._transit_s)
        new = self._pins[side]
        for _bounce in range(self._bounces):
            self.gpio.drive(new, False)
            self.gpio.drive(new, None)
        self.gpio.drive(new, False)

    def push(self, side: Side) -> None:
        """The same, as a hand at plungers would."""
        self.tip(side)

    def release(self, side: Side) -> None:
        """A lever stays where it is."""

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self.pin_factory.close()
