"""Our own clock: two plungers on GPIO pins, through gpiozero; edges and debounce as in `drivers.clocks.contacts`."""

from __future__ import annotations

from typing import Any, cast

from drivers.clocks.contacts import Contacts
from drivers.interfaces import PressReport, Sink
from rules.laws.events import Side

#: Header pins (BCM numbers) of White's and Black's plunger.
WHITE_PIN = 17
BLACK_PIN = 27


class Plungers:
    """A clock panel of two plungers that close to ground. `pin_factory` and `speed` as for `Contacts`."""

    kind = "plungers"

    def __init__(
        self, white: int = WHITE_PIN, black: int = BLACK_PIN, pin_factory: Any = None, speed: float = 1.0
    ) -> None:
        self._contacts = Contacts({"white": white, "black": black}, pin_factory, speed, self.kind)

    def start(self, sink: Sink) -> None:
        """Claims the pins and reports presses from a thread of its own."""

        def pressed(t_us: int, line: str) -> None:
            sink(PressReport(t_us // 1000, cast(Side, line)))

        self._contacts.start(pressed)

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self._contacts.close()
