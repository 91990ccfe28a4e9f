"""What a clock that counts by itself was told to show, and what it should show by now. Pure, time in ms.

Such a clock is set at every press, pause and correction, and counts in between so that people see the seconds pass.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.interfaces import ClockFace
from rules.laws.events import Side
from rules.laws.sides import SIDES

#: The longest time that these clocks show: 9:59:59.
LONGEST_S = 10 * 3600 - 1
#: A side that counts may be so far off (s): it began between two seconds.
OFF_S = 1


@dataclass(frozen=True, slots=True)
class Shown:
    """What the clock was told to show, and when (ms): whole seconds, which side counts down, and a text."""

    at: int
    white_s: int
    black_s: int
    running: Side | None
    text: str = ""
    flag: Side | None = None

    def seconds(self, now: int) -> tuple[int, int]:
        """What it should show now: White's, Black's."""
        passed = (now - self.at) // 1000
        white, black = (passed if self.running == side else 0 for side in SIDES)
        return max(0, self.white_s - white), max(0, self.black_s - black)

    def differs(self, face: ClockFace, running: Side | None, now: int) -> bool:
        """Whether a face with `running` counting down is something else; a side that counts may be 1 s off."""
        if running != self.running:
            return True
        wanted = whole_seconds(face.white_ms), whole_seconds(face.black_ms)
        return any(
            abs(want - show) > (OFF_S if side == running else 0)
            for side, want, show in zip(SIDES, wanted, self.seconds(now), strict=True)
        )


def whole_seconds(ms: int) -> int:
    """Rounded up: 0 is shown only when the time is over."""
    return min(-(-max(0, ms) // 1000), LONGEST_S)


def short_time(seconds: int) -> str:
    """A time without signs that the display may not have: 1h23, 59m59, 4m59."""
    return f"{seconds // 3600}h{seconds // 60 % 60:02d}" if seconds >= 3600 else f"{seconds // 60}m{seconds % 60:02d}"
