"""Simulated plungers: gpiozero's mock pins, pressed by hands."""

from __future__ import annotations

from typing import Any

from gpiozero.pins.mock import MockFactory

from drivers.clocks.plungers.device import BLACK_PIN, WHITE_PIN
from rules.laws.events import Side


class SimulatedPlungers:
    """Two plungers on mock pins; give `pin_factory` to `Plungers`."""

    def __init__(self) -> None:
        self.pin_factory: Any = MockFactory()
        self._pins: dict[Side, int] = {"white": WHITE_PIN, "black": BLACK_PIN}

    def push(self, side: Side) -> None:
        """Pushes a plunger down."""
        self.pin_factory.pin(self._pins[side]).drive_low()

    def release(self, side: Side) -> None:
        """Lets it up."""
        self.pin_factory.pin(self._pins[side]).drive_high()

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self.pin_factory.close()
