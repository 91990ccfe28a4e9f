"""When an edge was, and how far the past is complete: from the pin factory if it knows, else from the callback.

Our factory (`drivers.pins.factory`) gives the kernel's stamp with each edge and knows which moment everything before
has been handed on for. Other factories know neither: there the stamp is taken in the first statement of the callback.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Protocol

from gpiozero import Device, DigitalInputDevice

from drivers.interfaces import boot_us

#: (stamp in µs since boot, whether the contact is closed)
TakeEdge = Callable[[int, bool], None]


class Stamps(Protocol):
    """What a stamping pin factory offers besides gpiozero's own."""

    def edge_us(self, ticks: int) -> int:
        """µs since boot of the ticks that came with an edge."""

    def settled_us(self) -> int:
        """µs since boot: every edge stamped before has been handed on."""


class CallbackStamps:
    """Stamps of an edge's callback. The lock makes sure that no stamped edge is still on its way."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def edge_us(self, ticks: int) -> int:
        """Now; the ticks of other factories have origins of their own."""
        return boot_us()

    def settled_us(self) -> int:
        """Now."""
        with self.lock:
            return boot_us()


def stamps_of(factory: Any) -> Stamps:
    """The stamps of a pin factory."""
    if hasattr(factory, "edge_us") and hasattr(factory, "settled_us"):
        stamps: Stamps = factory
        return stamps
    return CallbackStamps()


def machine_pins() -> Any:
    """The pins of this machine: those that GPIOZERO_PIN_FACTORY names, else ours. Raises `DriverError`."""
    if Device.pin_factory is None:
        if os.environ.get("GPIOZERO_PIN_FACTORY"):
            Device.ensure_pin_factory()
        else:
            from drivers.pins.factory import LinePinFactory

            Device.pin_factory = LinePinFactory()
    return Device.pin_factory


def give_back_pins() -> None:
    """Closes what `machine_pins` opened; the next call opens it again."""
    if Device.pin_factory is not None:
        Device.pin_factory.close()
        Device.pin_factory = None


class Contact(DigitalInputDevice):  # type: ignore[misc]  # the library has no types
    """An input that closes to ground and hands on every edge with its stamp, in the pin factory's thread.

    gpiozero's own events drop an edge that brings no news and lose the stamp; these are raw.
    """

    def __init__(self, pin: int, take: TakeEdge, stamps: Stamps, pin_factory: Any) -> None:
        self._take = take
        self._stamps = stamps
        super().__init__(pin, pull_up=True, pin_factory=pin_factory)

    def _pin_changed(self, ticks: int, state: int) -> None:
        stamps: Stamps = self._stamps
        if isinstance(stamps, CallbackStamps):
            with stamps.lock:
                self._take(stamps.edge_us(ticks), not state)
        else:
            self._take(stamps.edge_us(ticks), not state)
