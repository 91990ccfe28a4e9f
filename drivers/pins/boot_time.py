"""From the kernel's edge stamps to our one line of time, `CLOCK_BOOTTIME`.

The kernel stamps GPIO edges with `CLOCK_MONOTONIC` (or the wall clock, which steps, or a stamping engine that no Pi
has). Both monotonic clocks tick alike; their difference is the time that the machine has slept, so it is constant
between two suspensions. It is measured when edges are read: monotonic, boot, monotonic again, and the boot time belongs
somewhere between the two. That bracket is the error of the measurement, usually below 1 µs. A difference once measured
is kept until a measurement contradicts it by more than both brackets, so stamps do not jitter against each other. An
edge from before a suspension that is read after it is stamped too late by that suspension: tables never suspend.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

#: Attempts at a narrow bracket; the narrowest is taken.
ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Offset:
    """Boot time minus monotonic time in ns, wrong by at most `error_ns`."""

    ns: int
    error_ns: int

    def contradicts(self, other: Offset) -> bool:
        """Whether both cannot be true."""
        return abs(self.ns - other.ns) > self.error_ns + other.error_ns


def _monotonic() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def _boot() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class BootTime:
    """Converts stamps; the two clocks are arguments for tests."""

    def __init__(self, monotonic_ns: Callable[[], int] = _monotonic, boot_ns: Callable[[], int] = _boot) -> None:
        self._monotonic, self._boot = monotonic_ns, boot_ns
        self.offset = self._measure()

    def refresh(self) -> None:
        """Measures again; call it when edges are read."""
        found = self._measure()
        if found.contradicts(self.offset):
            self.offset = found

    def us(self, monotonic_ns: int) -> int:
        """µs since boot of a monotonic stamp."""
        return (monotonic_ns + self.offset.ns) // 1000

    def _measure(self) -> Offset:
        best: Offset | None = None
        for _attempt in range(ATTEMPTS):
            before = self._monotonic()
            boot = self._boot()
            after = self._monotonic()
            error = (after - before + 1) // 2
            if best is None or error < best.error_ns:
                best = Offset(boot - (before + after) // 2, error)
        assert best is not None
        return best
