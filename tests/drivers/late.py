"""Mock pins that stamp their edges, deliver them late and out of order, and say honestly what is still on its way."""

from __future__ import annotations

import heapq
import random
import threading
import time
from typing import Any

from gpiozero.pins.mock import MockFactory

from drivers.interfaces import boot_us


class LateFactory(MockFactory):  # type: ignore[misc]  # the library has no types
    """`happen` stamps edges; a thread hands each on up to `late_us` later, in any order. `end` ends the thread."""

    def __init__(self, late_us: int, seed: int, honest: bool = True) -> None:
        super().__init__()
        self._late_us, self._dice, self._honest = late_us, random.Random(seed), honest
        self._lock = threading.RLock()
        self._coming: list[tuple[int, int, int, bool]] = []  # due, stamp, pin, high
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._deliver, daemon=True)
        self._thread.start()

    def happen(self, *edges: tuple[int, int, bool]) -> int:
        """Edges (µs from now, pin, high); returns the stamp of now (µs since boot)."""
        with self._lock:
            now = boot_us()
            for offset, pin, high in edges:
                due = now + offset + self._dice.randrange(self._late_us + 1)
                heapq.heappush(self._coming, (due, now + offset, pin, high))
        return now

    def edge_us(self, ticks: int) -> int:
        return ticks

    def settled_us(self) -> int:
        with self._lock:
            now = boot_us()
            return min([now, *(stamp for _due, stamp, _pin, _high in self._coming)]) if self._honest else now

    def finish(self) -> None:
        """Waits until everything is delivered."""
        while True:
            with self._lock:
                if not self._coming:
                    return
            time.sleep(0.01)

    def end(self) -> None:
        self._ending.set()
        self._thread.join()
        self.close()

    def _deliver(self) -> None:
        while not self._ending.wait(0.001):
            with self._lock:
                while self._coming and self._coming[0][0] <= boot_us():
                    _due, stamp, number, high = heapq.heappop(self._coming)
                    pin: Any = self.pin(number)
                    pin._state = high
                    handler = pin.when_changed
                    if handler is not None:
                        handler(stamp, int(high))
