"""One thread that owns a store: the event loop never waits for a disk.

Committing in the event loop would make everybody wait for every sync; here items gather while a commit is under way,
and the next commit takes them all.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)

I = TypeVar("I")  # noqa: E741
O = TypeVar("O")  # noqa: E741

BOUND = 5_000
#: When nothing came for this long while gathering, nobody is about to speak.
QUIET_S = 0.001


class SerialThread(Generic[I, O]):
    """Runs `step` on batches of items in one thread of its own, and `deliver` on its answers in `loop`.

    A batch is what has come since the last step, at most `most` items. A single item is never kept waiting; when
    several are there, others may join for up to `gather_ms`. An exception in `step` ends the thread: it is handed to
    `on_fatal` in the loop, and nothing is accepted any more, because the state on the disk is the truth now.
    """

    def __init__(
        self,
        step: Callable[[list[I]], list[O]],
        deliver: Callable[[list[O]], None],
        loop: asyncio.AbstractEventLoop,
        gather_ms: int = 5,
        most: int = 256,
        name: str = "store",
        on_fatal: Callable[[BaseException], None] | None = None,
    ) -> None:
        self._step = step
        self._deliver = deliver
        self._loop = loop
        self._gather_s = gather_ms / 1000
        self._most = most
        self._on_fatal = on_fatal
        self._items: deque[I] = deque()
        self._change = threading.Condition()
        self._ending = False
        self._failed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def backlog(self) -> int:
        """Items that wait for a step."""
        return len(self._items)

    def put(self, item: I) -> bool:
        """Queue an item, from any thread. False: refused, because 5,000 wait already or the thread has ended."""
        with self._change:
            if self._ending or self._failed or len(self._items) >= BOUND:
                return False
            self._items.append(item)
            self._change.notify()
            return True

    def stop(self, timeout_s: float = 30.0) -> None:
        """Do what is queued, then end; returns when the thread has ended. Safe to call twice."""
        with self._change:
            self._ending = True
            self._change.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                log.error("the thread %s did not end within %g s", self._thread.name, timeout_s)

    def _run(self) -> None:
        while batch := self._next_batch():
            try:
                outputs = self._step(batch)
            except BaseException as error:
                log.exception("the thread %s ends", self._thread.name)
                with self._change:
                    self._failed = True
                    self._items.clear()
                self._in_loop(self._fatal, error)
                return
            if outputs:
                self._in_loop(self._deliver, outputs)

    def _next_batch(self) -> list[I]:
        """The items for the next step; empty at the end."""
        with self._change:
            while not self._items and not self._ending:
                self._change.wait()
            if len(self._items) > 1:
                self._gather()
            return [self._items.popleft() for _n in range(min(self._most, len(self._items)))]

    def _gather(self) -> None:
        end = time.monotonic() + self._gather_s
        while len(self._items) < self._most and not self._ending:
            before = len(self._items)
            left = end - time.monotonic()
            if left > 0:
                self._change.wait(min(left, QUIET_S))
            if len(self._items) == before:
                return

    def _fatal(self, error: BaseException) -> None:
        if self._on_fatal is not None:
            self._on_fatal(error)

    def _in_loop(self, function: Callable[..., None], argument: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, argument)
        except RuntimeError:
            log.warning("the event loop has ended before the thread %s", self._thread.name)
