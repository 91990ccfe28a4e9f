"""Our own clock: two plungers on GPIO pins, through gpiozero; edges and debounce as in `drivers.clocks.contacts`.

Both pressed at once: both presses are reported, in the order of their first edges; only that of the side whose clock
runs means anything.
"""

from __future__ import annotations

from typing import Any

from drivers.addresses import BLACK_PIN as BLACK_PIN
from drivers.addresses import WHITE_PIN as WHITE_PIN
from drivers.clocks.panel import Panel


class Plungers(Panel):
    """A clock panel of two plungers that close to ground. `pin_factory` and `speed` as for `Contacts`."""

    kind = "plungers"

    def __init__(
        self, white: int = WHITE_PIN, black: int = BLACK_PIN, pin_factory: Any = None, speed: float = 1.0
    ) -> None:
        super().__init__({"white": white, "black": black}, pin_factory, speed)
