"""A clock panel with one rocker (a lever) on two GPIO pins: the side that goes down has pressed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from drivers.clocks.panel import Panel
from drivers.clocks.rocker.lever import Lever
from rules.laws.events import Side

#: Header pins (BCM numbers) of the contacts that close when White's and Black's side is down.
WHITE_DOWN_PIN = 17
BLACK_DOWN_PIN = 27


class Rocker(Panel):
    """A clock panel whose lever stays where it was pressed. `down` is the side that is down, None in the middle."""

    kind = "rocker"
    stuck_us = None  # one side is always down

    def __init__(
        self, white: int = WHITE_DOWN_PIN, black: int = BLACK_DOWN_PIN, pin_factory: Any = None, speed: float = 1.0
    ) -> None:
        super().__init__({"white": white, "black": black}, pin_factory, speed)
        self._lever = Lever()

    @property
    def down(self) -> Side | None:
        """The side that pressed last; at the start it tells who does not begin."""
        return cast("Side | None", self._lever.down)

    def found(self, closed: Mapping[str, bool]) -> None:
        """Reads the lever at the start."""
        self._lever = Lever.found(closed)

    def pressed(self, line: str) -> bool:
        """Only a change of sides counts."""
        self._lever, changed = self._lever.pressed(line)
        return changed
