"""One thread that reads the edges of all requested lines, with the kernel's own stamps.

However late this thread comes to run, the stamps are those of the interrupts, and edges are handed on in their order:
all that can be read is read, sorted, and handed on before the thread looks again. `settled_us` tells a debounce how far
it may judge: every edge stamped before that moment has been handed on.

The kernel numbers the edges of a line. If it had to drop some because nobody read them in time, the numbers show a
gap: the next edge carries how many are missing, and the level of the line is read again, so that at least the state is
right.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import gpiod
from gpiod.line import Value

from drivers.interfaces import boot_us
from drivers.pins.boot_time import BootTime
from drivers.pins.lines import LineRequest

log = logging.getLogger(__name__)
#: Between an interrupt, where the edge is stamped, and the kernel's buffer lies the interrupt's thread. It runs before
#: every ordinary program; 1 ms is far more than it needs.
KERNEL_US = 1_000
#: A line that brings more edges at once than this is not pressed by a hand: then the thread rests (s) and lets the
#: kernel drop the oldest ones, so that a loose cable cannot take the processor from the clock.
STORM, STORM_PAUSE_S = 200, 0.02
#: Readings in one go, while edges keep coming.
PASSES = 4
RISING = gpiod.EdgeEvent.Type.RISING_EDGE


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """The line was `high` or low from `boot_us` on; `lost` edges before it were dropped by the kernel."""

    boot_us: int
    high: bool = field(compare=False)
    lost: int = field(compare=False, default=0)


Take = Callable[[Edge], None]


@dataclass(slots=True)
class _Watch:
    number: int
    request: LineRequest
    take: Take
    seen: int | None  # number of the last edge; None: any number may come next
    high: bool | None = None


class EdgeReader:
    """Reads lines that were requested with edges. `lost` counts the edges that the kernel dropped.

    `kernel_us` is how long an edge may take from its stamp into the buffer.
    """

    def __init__(self, boot_time: BootTime | None = None, kernel_us: int = KERNEL_US) -> None:
        self._time = boot_time or BootTime()
        self._kernel_us = kernel_us
        self.lock = threading.RLock()
        self._watches: dict[int, _Watch] = {}
        self._settled = 0
        self._waker = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._closed = False
        self._thread: threading.Thread | None = None
        self.lost = 0

    def watch(self, number: int, request: LineRequest, take: Take, fresh: bool = True) -> None:
        """Reads a line from now on; `take` is called in the reader's thread and must not block.

        `fresh`: the line was requested just now, so its first edge has the number 1.
        """
        with self.lock:
            self._watches[request.fd] = _Watch(number, request, take, 0 if fresh else None)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="edges", daemon=True)
                self._thread.start()
        self._wake()

    def forget(self, request: LineRequest) -> None:
        """Reads a line no more; when this returns nothing of it is handed on."""
        with self.lock:
            self._watches.pop(request.fd, None)
        self._wake()

    def settled_us(self) -> int:
        """µs since boot: every edge stamped before has been handed on."""
        with self.lock:
            now = boot_us() - self._kernel_us
            if not self._readable():
                self._settled = max(self._settled, now)
            return self._settled

    def close(self) -> None:
        """Ends the thread; may be called twice."""
        with self.lock:
            if self._closed:
                return
            self._closed = True
            self._watches.clear()
        self._wake()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        os.close(self._waker)
        self._waker = -1

    def _wake(self) -> None:
        if self._waker >= 0:
            os.eventfd_write(self._waker, 1)

    def _run(self) -> None:
        while True:
            poll = select.poll()
            with self.lock:
                if self._closed:
                    return
                for fd in (*self._watches, self._waker):
                    poll.register(fd, select.POLLIN)
            poll.poll()
            with self.lock:
                if self._closed:
                    return
                with contextlib.suppress(BlockingIOError):  # then it was an edge that woke us
                    os.eventfd_read(self._waker)
                count = self._drain()
            if count > STORM:
                time.sleep(STORM_PAUSE_S)

    def _readable(self) -> list[_Watch]:
        poll = select.poll()
        for fd in self._watches:
            poll.register(fd, select.POLLIN)
        return [self._watches[fd] for fd, _event in poll.poll(0)] if self._watches else []

    def _drain(self) -> int:
        """Hands on all that can be read, in the order of the stamps; how many edges that were."""
        gaps: set[int] = set()
        count = 0
        for _pass in range(PASSES):
            now = boot_us() - self._kernel_us
            ready = self._readable()
            if not ready:
                self._settled = max(self._settled, now)
                break
            self._time.refresh()
            batch: list[tuple[Edge, _Watch]] = []
            for watch in ready:
                batch += [(edge, watch) for edge in self._read(watch)]
            count += len(batch)
            for edge, watch in sorted(batch, key=lambda pair: pair[0]):
                if edge.lost:
                    gaps.add(watch.request.fd)
                self._hand_on(edge, watch)
        for fd in gaps:
            self._read_level(fd)
        return count

    def _read(self, watch: _Watch) -> list[Edge]:
        try:
            events = watch.request.read_edge_events()
        except OSError as error:
            log.error("GPIO%d can be read no more: %s", watch.number, error)
            self._watches.pop(watch.request.fd, None)
            return []
        edges = []
        for event in events:
            lost = 0 if watch.seen is None else max(0, event.line_seqno - watch.seen - 1)
            watch.seen = event.line_seqno
            if lost:
                self.lost += lost
                log.info("GPIO%d: the kernel dropped %d edges that nobody read in time", watch.number, lost)
            edges.append(Edge(self._time.us(event.timestamp_ns), event.event_type is RISING, lost))
        return edges

    def _read_level(self, fd: int) -> None:
        """After a gap: if the line is not as the last edge says, that is told as an edge of now."""
        watch = self._watches.get(fd)
        if watch is None:
            return
        high = watch.request.get_value(watch.number) is Value.ACTIVE
        if high != watch.high and not any(ready is watch for ready in self._readable()):
            self._hand_on(Edge(boot_us(), high), watch)

    def _hand_on(self, edge: Edge, watch: _Watch) -> None:
        if self._watches.get(watch.request.fd) is not watch:
            return  # forgotten by one who was told before
        watch.high = edge.high
        try:
            watch.take(edge)
        except Exception:  # one device's fault must not silence all other lines
            log.exception("GPIO%d: an edge could not be handled", watch.number)
