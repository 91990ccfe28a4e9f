"""Simulated plungers: our own pins on a simulated GPIO chip, pressed by hands."""

from __future__ import annotations

from typing import Any

from drivers.clocks.plungers.device import BLACK_PIN, WHITE_PIN
from drivers.pins.factory import LinePinFactory
from drivers.pins.simulator import KERNEL_US, SimulatedGpio
from rules.laws.events import Side


class SimulatedPlungers:
    """Two plungers on a simulated chip; give `pin_factory` to `Plungers`. The edges are stamped as a kernel does."""

    def __init__(self) -> None:
        self.gpio = SimulatedGpio()
        self.pin_factory: Any = LinePinFactory("simulated", self.gpio.open, KERNEL_US)
        self._pins: dict[Side, int] = {"white": WHITE_PIN, "black": BLACK_PIN}

    def push(self, side: Side) -> None:
        """Pushes a plunger down."""
        self.gpio.drive(self._pins[side], False)

    def release(self, side: Side) -> None:
        """Lets it up."""
        self.gpio.drive(self._pins[side], None)

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self.pin_factory.close()
