"""What plungers and rocker share: contacts whose presses and troubles become reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from drivers.clocks.contacts import Contacts
from drivers.clocks.watch import BOTH_US, STUCK_US, ContactWatch, Trouble
from drivers.interfaces import FaultReport, PressReport, Sink
from rules.laws.events import Side


class Panel:
    """A clock panel with a contact for each side. A kind overrides `pressed` and `found`."""

    kind = "panel"
    stuck_us: int | None = STUCK_US

    def __init__(self, pins: Mapping[str, int], pin_factory: Any, speed: float) -> None:
        self._speed = speed
        self._sink: Sink | None = None
        #: Which contacts were closed at the start.
        self.closed: Mapping[str, bool] = {}
        # How long a contact may stay closed is a matter of real time: a busy machine may hold up simulated hands.
        stuck_us = None if self.stuck_us is None else int(self.stuck_us * speed)
        watch = ContactWatch(stuck_us, int(BOTH_US * speed))
        self._contacts = Contacts(pins, pin_factory, speed, self.kind, watch, self._lost)

    def start(self, sink: Sink) -> None:
        """Claims the pins and reports presses from a thread of its own. Raises `DriverError`."""
        self._sink = sink
        self.closed = self._contacts.start(self._pressed, self._trouble)
        self.found(self.closed)

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        self._contacts.close()

    def found(self, closed: Mapping[str, bool]) -> None:
        """Which contacts are closed at the start."""

    def pressed(self, line: str) -> bool:
        """A contact closed: whether that is a press."""
        return True

    def _pressed(self, t_us: int, line: str) -> None:
        if self._sink is not None and self.pressed(line):
            self._sink(PressReport(t_us // 1000, cast(Side, line)))

    def _trouble(self, trouble: Trouble) -> None:
        if self._sink is not None:
            side = cast(Side, trouble.line) if trouble.line else None
            at = int(trouble.t / self._speed) // 1000
            self._sink(FaultReport(at, "clock", trouble.fault, side, trouble.over))

    def _lost(self, t_us: int, count: int) -> None:
        if self._sink is not None:
            self._sink(FaultReport(t_us // 1000, "clock", "edges-lost", count=count))
