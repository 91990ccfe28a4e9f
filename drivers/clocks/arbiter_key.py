"""The arbiter's key on a GPIO pin: a tap calls, holding it does what a stray touch must not.

FIDE C.02: no function that changes the game within reach of a single stray touch. So a tap is only a call, and the long
press, told while the key is still down, opens the arbiter's functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from drivers.clocks.contacts import Contacts
from drivers.clocks.plungers.debounce import GLITCH_US, RELEASE_US
from drivers.interfaces import KeyReport, Sink

KEY_PIN = 22
HELD_US = 1_500_000


@dataclass(frozen=True, slots=True)
class Touch:
    """The key went down at `t` and was tapped, or held."""

    t: int
    long: bool


@dataclass(frozen=True, slots=True)
class KeyWatch:
    """How long the key is down, its bounces left out; pure, µs."""

    down: int | None = None  # first edge of a touch that is not told yet
    opened: int | None = None  # since when the contact is open again

    @property
    def due(self) -> int | None:
        """When the touch is over, or long."""
        if self.down is None:
            return None
        return self.down + HELD_US if self.opened is None else self.opened + RELEASE_US

    def edge(self, t: int, line: str, closed: bool) -> tuple[KeyWatch, list[Touch]]:
        """An edge of the key."""
        now, touches = self.at(t)
        if not closed:
            return replace(now, opened=t if now.opened is None else now.opened), touches
        # While a long press that was told goes on (`down` None, `opened` recent) a bounce begins no new one.
        fresh = now.down is None and (now.opened is None or t - now.opened >= RELEASE_US)
        return KeyWatch(t if fresh else now.down, None), touches

    def at(self, t: int) -> tuple[KeyWatch, list[Touch]]:
        """What is known at `t`."""
        if self.down is None or self.due is None or t < self.due:
            return self, []
        if self.opened is None:
            return replace(self, down=None), [Touch(self.down, True)]
        spike = self.opened - self.down < GLITCH_US
        return replace(self, down=None), [] if spike else [Touch(self.down, False)]


class ArbiterKey:
    """A key that closes to ground; reports `KeyReport`. `pin_factory` and `speed` as for `Contacts`."""

    kind = "arbiter-key"

    def __init__(self, pin: int = KEY_PIN, pin_factory: Any = None, speed: float = 1.0) -> None:
        self._speed = speed
        #: Whether the key was down at the start.
        self.closed = False
        self._contacts = Contacts({"key": pin}, pin_factory, speed, self.kind, KeyWatch())

    def start(self, sink: Sink) -> None:
        """Claims the pin and reports from a thread of its own. Raises `DriverError`."""

        def touched(touch: Touch) -> None:
            sink(KeyReport(int(touch.t / self._speed) // 1000, touch.long))

        self.closed = self._contacts.start(lambda _t, _line: None, touched)["key"]

    def close(self) -> None:
        """Lets go of the pin; may be called twice."""
        self._contacts.close()
