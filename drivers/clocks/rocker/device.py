"""A clock panel with one rocker (a lever) on two GPIO pins: the side that goes down has pressed."""

from __future__ import annotations

from typing import Any, cast

from drivers.clocks.contacts import Contacts
from drivers.clocks.rocker.lever import Lever
from drivers.interfaces import PressReport, Sink
from rules.laws.events import Side

#: Header pins (BCM numbers) of the contacts that close when White's and Black's side is down.
WHITE_DOWN_PIN = 17
BLACK_DOWN_PIN = 27


class Rocker:
    """A clock panel whose lever stays where it was pressed. `down` is the side that is down, None in the middle."""

    kind = "rocker"

    def __init__(
        self, white: int = WHITE_DOWN_PIN, black: int = BLACK_DOWN_PIN, pin_factory: Any = None, speed: float = 1.0
    ) -> None:
        self._contacts = Contacts({"white": white, "black": black}, pin_factory, speed, self.kind)
        self._lever = Lever()

    @property
    def down(self) -> Side | None:
        """The side that pressed last; at the start it tells who does not begin."""
        return cast("Side | None", self._lever.down)

    def start(self, sink: Sink) -> None:
        """Claims the pins, reads the lever, and reports its changes from a thread of its own."""

        def pressed(t_us: int, line: str) -> None:
            self._lever, changed = self._lever.pressed(line)
            if changed:
                sink(PressReport(t_us // 1000, cast(Side, line)))

        self._lever = Lever.found(self._contacts.start(pressed))

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self._contacts.close()
