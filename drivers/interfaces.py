"""The shapes that every device has, real or simulated: board sensor, clock panel (displays: `drivers.displays`).

A device owns a thread, stamps each event at its edge on `CLOCK_BOOTTIME` (integer ms) and hands it to a sink that must
not block. The caller decides what an event means.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from rules.laws.events import Side


def boot_us() -> int:
    """Microseconds since boot, suspension included (`CLOCK_BOOTTIME`)."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


@dataclass(frozen=True, slots=True)
class BoardReport:
    """What stands on the board now (`placement`, the first field of a FEN), seen at `boot_ms`."""

    boot_ms: int
    placement: str


@dataclass(frozen=True, slots=True)
class LinkReport:
    """The cable to a device was lost or found again (`why` in words)."""

    boot_ms: int
    part: Literal["board", "clock"]
    up: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class PressReport:
    """A plunger was pressed; `boot_ms` is the stamp of the first edge."""

    boot_ms: int
    side: Side


@dataclass(frozen=True, slots=True)
class OccupancyReport:
    """Which squares are occupied (a1 = bit 0), on a board that does not know its pieces."""

    boot_ms: int
    occupied: int


@dataclass(frozen=True, slots=True)
class BatteryReport:
    """Charge of a device's battery in percent."""

    boot_ms: int
    part: Literal["board", "clock"]
    percent: int
    charging: bool


@dataclass(frozen=True, slots=True)
class ClockReport:
    """What a clock with its own time shows (s, up to 1 s old); to compare and to show, never to decide a flag."""

    boot_ms: int
    white_s: int
    black_s: int
    turn: Side | None
    running: bool
    white_flag: bool
    black_flag: bool
    battery_low: bool


Report = BoardReport | OccupancyReport | LinkReport | PressReport | BatteryReport | ClockReport
Sink = Callable[[Report], None]


class Device(Protocol):
    """A board sensor or a clock panel."""

    kind: str

    def start(self, sink: Sink) -> None:
        """Opens the device and begins to report; raises `DriverError` if it cannot be opened now."""

    def close(self) -> None:
        """Stops and lets go of the device; may be called twice."""
