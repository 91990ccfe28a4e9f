"""The shapes that every device has, real or simulated: board sensor, clock panel, display, signal.

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
    """What stands on the board now (`placement`, the first field of a FEN), seen at `boot_ms`.

    `unknown` are squares (a1 = bit 0) with a piece that the board cannot name, left out of `placement`: a second queen
    from another set.
    """

    boot_ms: int
    placement: str
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class GapReport:
    """Bytes of the board were lost, perhaps a change; what stands there is reported soon, if it is new."""

    boot_ms: int


@dataclass(frozen=True, slots=True)
class StillReport:
    """What was reported last stood there at `as_of` as well: every change that was made before has been told.

    Each square was looked at at `as_of` or later, and what was seen has come through. Told when asked for (`Confirms`).
    """

    boot_ms: int
    as_of: int


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
    """What a clock with its own time shows (s, up to 1 s old); to compare and to show, never to decide a flag.

    `part` says where it hangs: at the board, or on wires of its own.
    """

    boot_ms: int
    white_s: int
    black_s: int
    turn: Side | None
    running: bool
    white_flag: bool
    black_flag: bool
    battery_low: bool
    part: Literal["board", "clock"] = "clock"


@dataclass(frozen=True, slots=True)
class KeyReport:
    """The arbiter's key was tapped, or (`long`) held; `boot_ms` is the stamp of the first edge."""

    boot_ms: int
    long: bool


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A contact or a display needs looking after, or (`over`) no longer does.

    "stuck": `side`'s plunger has been down for long; "both-down": both contacts are closed; "noisy": `side`'s contact
    chatters as no hand does; "edges-lost": the machine was too busy to read `count` edges, so presses may be missing;
    "silent": a clock with a mind of its own does not answer, so no press is seen. Of a clock that is only a display
    (part "display"): "absent", none hangs there; "silent", it does not answer; "refuses", it cannot be set.
    """

    boot_ms: int
    part: Literal["clock", "display"]
    fault: Literal["stuck", "both-down", "noisy", "edges-lost", "silent", "absent", "refuses"]
    side: Side | None = None
    over: bool = False
    count: int = 0


Report = (
    BoardReport | OccupancyReport | StillReport | GapReport | LinkReport | PressReport | BatteryReport | ClockReport
    | KeyReport | FaultReport
)  # fmt: skip
Sink = Callable[[Report], None]


@dataclass(frozen=True, slots=True)
class ClockFace:
    """What both players should see: times in ms, whose time runs, whose flag has fallen first.

    `blink` alternates twice a second; the colon of the side that runs goes out with it. The time of `running` stands
    while a `delay` runs. `word` (at most eight letters) is for displays that can write: instead of the times for good
    if it `stays`, else for a moment.
    """

    white_ms: int
    black_ms: int
    running: Side | None = None
    flag: Side | None = None
    blink: bool = True
    tenths_below_ms: int = 0
    delay: bool = False
    word: str = ""
    stays: bool = False

    def ms(self, side: Side) -> int:
        """The time of a side."""
        return self.white_ms if side == "white" else self.black_ms

    @property
    def counting(self) -> Side | None:
        """The side whose time goes down at this moment."""
        return self.running if self.flag is None and not self.delay else None


@dataclass(frozen=True, slots=True)
class Sign:
    """What lamps and buzzers tell: whose time runs, whose flag fell, that the arbiter is called, that all is not well.

    `blink` alternates twice a second.
    """

    running: Side | None = None
    flag: Side | None = None
    called: bool = False
    trouble: bool = False
    blink: bool = True


class Device(Protocol):
    """A board sensor or a clock panel."""

    kind: str

    def start(self, sink: Sink) -> None:
        """Opens the device and begins to report; raises `DriverError` if it cannot be opened now."""

    def close(self) -> None:
        """Stops and lets go of the device; may be called twice."""


class Confirms(Protocol):
    """A board sensor that says by when it has told everything."""

    def confirm(self, since_ms: int) -> None:
        """Asks for a `StillReport` as of `since_ms` (boot time), a press of the clock, or later; as soon as can be.

        May be called from any thread; what cannot be found out is never answered.
        """


class Display(Protocol):
    """Shows both times. What does not answer is left out until it does; nothing here may stop the clock."""

    kind: str

    def show(self, face: ClockFace) -> None:
        """Shows a face; call it as often as anything may have changed, only changes go over the wires."""

    def close(self) -> None:
        """Dark, and lets go of the wires; may be called twice."""


class CountsItself(Protocol):
    """A display that counts by itself between two settings, and can go wrong."""

    def set_again(self) -> None:
        """What it shows is not what it was told: it is told again. May be called from any thread."""


class Signal(Protocol):
    """Lamps and buzzers."""

    kind: str

    def show(self, sign: Sign) -> None:
        """Shows or sounds what is the matter; call it as often as anything may have changed."""

    def close(self) -> None:
        """Dark, silent, and lets go of the pins; may be called twice."""
