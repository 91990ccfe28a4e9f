"""The chess-time line of one table: `CLOCK_BOOTTIME` in ms, times the speed of a simulated hall."""

from __future__ import annotations

from hallnet.clock import boot_us


class Timeline:
    """Chess time now and of a hardware stamp; and how long chess time takes for real."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed

    def __call__(self) -> int:
        """Chess time now (ms)."""
        return int(boot_us() * self.speed) // 1000

    def at(self, boot_ms: int) -> int:
        """Chess time (ms) of a stamp on `CLOCK_BOOTTIME` (ms)."""
        return int(boot_ms * self.speed)

    def real(self, ms: int) -> float:
        """Seconds of real time that `ms` of chess time take."""
        return ms / 1000 / self.speed
