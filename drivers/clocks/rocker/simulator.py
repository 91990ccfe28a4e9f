"""A simulated rocker on gpiozero's mock pins, tipped by hands; it bounces if asked to."""

from __future__ import annotations

import time
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from drivers.clocks.rocker.device import BLACK_DOWN_PIN, WHITE_DOWN_PIN
from rules.laws.events import Side


class _HeldPin(MockPin):  # type: ignore[misc]  # the library has no types
    """A mock pin that stays low, as a closed contact does, when a device switches its pull-up on."""

    held = False

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        if self.held:
            self.drive_low()


class SimulatedRocker:
    """A lever on mock pins; give `pin_factory` to `Rocker`. `transit_s` is the time with both contacts open."""

    def __init__(self, down: Side | None = None, transit_s: float = 0.0, bounces: int = 0) -> None:
        self.pin_factory: Any = MockFactory(pin_class=_HeldPin)
        self._pins: dict[Side, int] = {"white": WHITE_DOWN_PIN, "black": BLACK_DOWN_PIN}
        self._transit_s = transit_s
        self._bounces = bounces
        if down is not None:
            self.pin_factory.pin(self._pins[down]).held = True

    def tip(self, side: Side) -> None:
        """Pushes the lever down on `side`."""
        for number in self._pins.values():
            pin = self.pin_factory.pin(number)
            pin.held = False
            pin.drive_high()
        time.sleep(self._transit_s)
        new = self.pin_factory.pin(self._pins[side])
        for _bounce in range(self._bounces):
            new.drive_low()
            new.drive_high()
        new.drive_low()

    def push(self, side: Side) -> None:
        """The same, as a hand at plungers would."""
        self.tip(side)

    def release(self, side: Side) -> None:
        """A lever stays where it is."""

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self.pin_factory.close()
