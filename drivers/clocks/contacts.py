"""Contacts on GPIO pins: raw edges from gpiozero, our own debounce, one thread per panel.

gpiozero brings the edges (any of its pin factories); the debounce is ours, because the library's re-times the edge.
Each edge is stamped in the first statement of the callback and judged in a thread of this panel. `PressJudge` is the
pure part: edges of several lines in, accepted presses in the order of their stamps out.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from gpiozero import DigitalInputDevice

from drivers.clocks.plungers.debounce import Debounce, Filter
from drivers.interfaces import boot_us


class PressJudge:
    """The debounce of several lines together; pure, µs."""

    def __init__(self, lines: Mapping[str, bool], rule: Filter | None = None) -> None:
        """`lines` are their names, and whether each is closed at the start."""
        rule = rule or Filter()
        self._lines = {name: Debounce(closed=closed, filter=rule) for name, closed in lines.items()}

    @property
    def due(self) -> int | None:
        """When the next burst can be judged, or None."""
        return min((line.due for line in self._lines.values() if line.due is not None), default=None)

    def at(self, t: int) -> list[tuple[int, str]]:
        """The presses (stamp, line) that are certain at `t`."""
        presses = []
        for name, line in self._lines.items():
            self._lines[name], press = line.at(t)
            if press is not None:
                presses.append((press, name))
        return sorted(presses)

    def edge(self, t: int, name: str, closed: bool) -> list[tuple[int, str]]:
        """An edge of a line; the presses that are certain by now."""
        presses = self.at(t)
        self._lines[name], _press = self._lines[name].edge(t, closed)
        return presses


class Contacts:
    """Lines on pins that close to ground; each accepted press is given to `pressed(stamp in µs, line)`.

    `pin_factory` is gpiozero's (None: the machine's own); `speed` is that of a simulated hall, whose contacts bounce
    faster too.
    """

    def __init__(self, pins: Mapping[str, int], pin_factory: Any, speed: float, name: str) -> None:
        self._pins = dict(pins)
        self._factory = pin_factory
        self._speed = speed
        self._name = name
        self._inputs: list[Any] = []
        self._edges: queue.SimpleQueue[tuple[int, str, bool] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, pressed: Callable[[int, str], None]) -> dict[str, bool]:
        """Claims the pins and judges their edges from now on; returns which contacts are closed at the start."""
        closed = {}
        for line, pin in self._pins.items():
            device = DigitalInputDevice(pin, pull_up=True, pin_factory=self._factory)
            closed[line] = bool(device.value)
            device.when_activated = self._stamper(line, True)
            device.when_deactivated = self._stamper(line, False)
            self._inputs.append(device)
        self._thread = threading.Thread(target=self._run, args=(pressed, closed), name=self._name, daemon=True)
        self._thread.start()
        return closed

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        for device in self._inputs:
            device.close()
        self._inputs.clear()
        self._edges.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _stamper(self, line: str, closed: bool) -> Callable[[], None]:
        def stamp() -> None:
            t = self._now()
            self._edges.put((t, line, closed))

        return stamp

    def _now(self) -> int:
        """µs on the line of the debounce."""
        return int(boot_us() * self._speed)

    def _run(self, pressed: Callable[[int, str], None], closed: Mapping[str, bool]) -> None:
        judge = PressJudge(closed)
        while True:
            due = judge.due
            wait = None if due is None else max(0.0, (due - self._now()) / 1e6 / self._speed)
            try:
                edge = self._edges.get(timeout=wait)
            except queue.Empty:
                presses = judge.at(self._now())
            else:
                if edge is None:
                    return
                presses = judge.edge(*edge)
            for stamp, line in presses:
                pressed(int(stamp / self._speed), line)
