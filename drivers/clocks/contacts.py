"""Contacts on GPIO pins: raw stamped edges, our own debounce, one thread per panel.

gpiozero brings the edges (any of its pin factories), each with the stamp of `drivers.pins.stamps`: that of the kernel
where our pin factory is, that of the callback elsewhere. The library's debounce is not used, because it re-times the
edge. `PressJudge` puts the edges in order and judges them as far as the past is complete, in the panel's own thread:
however late that thread runs, a press has the stamp of its first edge.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from drivers.clocks.judge import LineEdge, PressJudge
from drivers.clocks.watch import Watch
from drivers.pins.stamps import Contact, Stamps, machine_pins, stamps_of

#: Pause before the pin factory is asked again whether the past is complete.
AGAIN_S = 0.0002
#: Lost edges are told at once, and then at most so often (µs since boot).
LOST_EVERY_US = 10_000_000
_END: LineEdge = (0, "", False)

N = TypeVar("N")


class Contacts(Generic[N]):
    """Lines on pins that close to ground; each accepted press is given to `pressed(stamp in µs, line)`.

    `pin_factory` is gpiozero's (None: the machine's own); `speed` is that of a simulated hall, whose contacts bounce
    faster too. `watch` follows all edges in order; its times are µs since boot times the speed. `lost(µs, number)`
    hears of edges that the kernel dropped.
    """

    def __init__(
        self,
        pins: Mapping[str, int],
        pin_factory: Any,
        speed: float,
        name: str,
        watch: Watch[N],
        lost: Callable[[int, int], None] | None = None,
    ) -> None:
        self._pins = dict(pins)
        self._factory = pin_factory
        self._speed = speed
        self._name = name
        self._watch = watch
        self._tell_lost = lost
        self._lost = self._quiet_until = 0
        self._inputs: list[Contact] = []
        self._edges: queue.SimpleQueue[LineEdge] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._stamps: Stamps | None = None

    def start(self, pressed: Callable[[int, str], None], noticed: Callable[[N], None]) -> dict[str, bool]:
        """Claims the pins and judges their edges from now on; returns which contacts are closed at the start.

        `noticed` is given what the watch notices. Raises `DriverError` if a pin cannot be had.
        """
        if self._factory is None:
            self._factory = machine_pins()
        self._stamps = stamps_of(self._factory)
        self._lost = self._lost_now()
        closed = {}
        try:
            for line, pin in self._pins.items():
                contact = Contact(pin, self._taker(line), self._stamps, self._factory)
                self._inputs.append(contact)
                closed[line] = bool(contact.value)
        except BaseException:
            self.close()
            raise
        self._thread = threading.Thread(target=self._run, args=(pressed, noticed, closed), name=self._name, daemon=True)
        self._thread.start()
        return closed

    def close(self) -> None:
        """Lets go of the pins; may be called twice."""
        for contact in self._inputs:
            contact.close()
        self._inputs.clear()
        self._edges.put(_END)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _taker(self, line: str) -> Callable[[int, bool], None]:
        def take(stamp_us: int, closed: bool) -> None:
            self._edges.put((int(stamp_us * self._speed), line, closed))

        return take

    def _settled(self) -> int:
        """µs on the line of the debounce, before which all edges are in the queue."""
        assert self._stamps is not None
        return int(self._stamps.settled_us() * self._speed)

    def _lost_now(self) -> int:
        return int(getattr(self._factory, "lost_edges", 0))

    def _run(
        self, pressed: Callable[[int, str], None], noticed: Callable[[N], None], closed: Mapping[str, bool]
    ) -> None:
        judge, watch = PressJudge(closed), self._watch
        news: list[N] = []
        now = self._settled()
        for line in (line for line, down in closed.items() if down):
            watch, news = watch.edge(now, line, True)
        while True:
            edges = self._wait(min((t for t in (judge.due, watch.due) if t is not None), default=None))
            if _END in edges:
                return
            settled, edges = self._more(edges)
            for edge in sorted(edges):
                judge.add(*edge)
                watch, found = watch.edge(*edge)
                news += found
            for stamp, line in judge.until(settled):
                pressed(int(stamp / self._speed), line)
            watch, found = watch.at(settled)
            for item in (*news, *found):
                noticed(item)
            news.clear()
            self._look_for_lost(settled)

    def _wait(self, due: int | None) -> list[LineEdge]:
        """Waits for an edge, at most until something is due."""
        wait = None if due is None else max(AGAIN_S, (due - self._settled()) / 1e6 / self._speed)
        with contextlib.suppress(queue.Empty):
            return [self._edges.get(timeout=wait)]
        return []

    def _more(self, edges: list[LineEdge]) -> tuple[int, list[LineEdge]]:
        """How far the past is complete, and then every edge that is there: the order of the two matters."""
        settled = self._settled()
        while not self._edges.empty():
            edge = self._edges.get()
            if edge == _END:
                self._edges.put(_END)
                break
            edges.append(edge)
        return settled, edges

    def _look_for_lost(self, now: int) -> None:
        lost, at = self._lost_now(), int(now / self._speed)
        if lost > self._lost and self._tell_lost is not None and at >= self._quiet_until:
            self._tell_lost(at, lost - self._lost)
            self._lost, self._quiet_until = lost, at + LOST_EVERY_US
