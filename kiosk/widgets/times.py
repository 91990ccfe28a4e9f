"""Times as faces write them: running clocks, waiting times, times of the day."""

from __future__ import annotations

import time

from hallnet.views import ClockView
from rules.laws.clock_display import display
from rules.laws.events import Side

#: Below this a clock shows tenths.
TENTHS_MS = 20_000
#: Below this a clock is short of time and carries the sign `!`.
SHORT_MS = 60_000
#: A face that has heard nothing for longer says so.
SILENT_MS = 3_000


def clock_text(ms: int) -> str:
    """A player's clock: hours, minutes, seconds; tenths below 20 s; rounded up."""
    return display(ms, TENTHS_MS - 1)


def running(clock: ClockView | None) -> Side | None:
    """The side whose time falls now: nobody's while the clocks are paused or after a flag."""
    if clock is None or clock.paused or clock.flagged is not None:
        return None
    return clock.running


def remaining(clock: ClockView, t: int, side: Side) -> int:
    """What `side` has left (ms) at chess-time `t`; 0 for a fallen flag."""
    if clock.flagged == side:
        return 0
    white, black = clock.at(clock.t if running(clock) is None else t)
    return white if side == "white" else black


def span(seconds: float) -> str:
    """A span of time: `0:47`, `12:04`, `1:12:40`; truncated, never negative."""
    whole = max(0, int(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def hour(wall_ms: int) -> str:
    """The time of the day, `14:03`, in the zone of the machine."""
    return time.strftime("%H:%M", time.localtime(wall_ms / 1000))
