"""Our own clock: two plungers on GPIO pins, through gpiozero.

gpiozero brings the raw edges (any of its pin factories); the debounce is ours, because the library's re-times the edge.
Each edge is stamped in the first statement of the callback and judged in a thread of this device.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

from gpiozero import DigitalInputDevice

from drivers.clocks.plungers.debounce import Debounce
from drivers.interfaces import PressReport, Sink, boot_us
from rules.laws.events import Side

#: Header pins (BCM numbers) of White's and Black's plunger.
WHITE_PIN = 17
BLACK_PIN = 27

_Edge = tuple[int, Side, bool]


class Plungers:
    """A clock panel of two plungers that close to ground.

    `pin_factory` is gpiozero's (None: the machine's own); `speed` is that of a simulated hall, whose contacts bounce
    faster too.
    """

    kind = "plungers"

    def __init__(
        self, white: int = WHITE_PIN, black: int = BLACK_PIN, pin_factory: Any = None, speed: float = 1.0
    ) -> None:
        self._pins: dict[Side, int] = {"white": white, "black": black}
        self._factory = pin_factory
        self._speed = speed
        self._inputs: list[Any] = []
        self._edges: queue.SimpleQueue[_Edge | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def start(self, sink: Sink) -> None:
        """Claims the pins and reports presses from a thread of its own."""
        for side, pin in self._pins.items():
            line = DigitalInputDevice(pin, pull_up=True, pin_factory=self._factory)
            line.when_activated = self._stamper(side, True)
            line.when_deactivated = self._stamper(side, False)
            self._inputs.append(line)
        self._thread = threading.Thread(target=self._run, args=(sink,), name="plungers", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        for line in self._inputs:
            line.close()
        self._inputs.clear()
        self._edges.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _stamper(self, side: Side, closed: bool) -> Any:
        def stamp() -> None:
            t = self._now()
            self._edges.put((t, side, closed))

        return stamp

    def _now(self) -> int:
        """µs on the line of the debounce."""
        return int(boot_us() * self._speed)

    def _run(self, sink: Sink) -> None:
        lines: dict[Side, Debounce] = {"white": Debounce(), "black": Debounce()}
        while True:
            due = min((d.due for d in lines.values() if d.due is not None), default=None)
            try:
                edge = self._edges.get(
                    timeout=None if due is None else max(0.0, (due - self._now()) / 1e6 / self._speed)
                )
            except queue.Empty:
                edge = (self._now(), "white", lines["white"].closed)
            if edge is None:
                return
            t, moved, closed = edge
            for side in lines:
                lines[side], press = lines[side].edge(t, closed) if side == moved else lines[side].at(t)
                if press is not None:
                    sink(PressReport(int(press / self._speed) // 1000, side))
