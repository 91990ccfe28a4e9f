"""How far two machines' wall clocks are apart, from the stamps of heartbeats and their answers. Pure.

An answer says when the question was sent and when it arrived; of the last sixteen the one with the shortest round trip
counts, because a message that was quick both ways leaves the least room for error. The result is for records and
displays, never for an order of events.
"""

from __future__ import annotations

from collections import deque

SAMPLES = 16


class TimeOffset:
    """Collects answers; `ms` is how far the other side's wall clock is ahead of ours, None before the first."""

    def __init__(self) -> None:
        self._samples: deque[tuple[int, int]] = deque(maxlen=SAMPLES)

    def answered(self, sent_us: int, back_us: int, wall_back_ms: int, theirs_in_ms: int, theirs_out_ms: int) -> None:
        """An answer to a question sent at `sent_us` came at `back_us` (our monotonic µs) and `wall_back_ms` (our wall).

        `theirs_in_ms` and `theirs_out_ms` are the other side's wall time when the question came and the answer went.
        """
        trip_us = max(0, back_us - sent_us - 1000 * (theirs_out_ms - theirs_in_ms))
        ours_middle = wall_back_ms - (back_us - sent_us) // 2000
        theirs_middle = (theirs_in_ms + theirs_out_ms) // 2
        sample = (trip_us, theirs_middle - ours_middle)
        if self._samples and abs(self._samples[-1][1] - sample[1]) > 1000 + trip_us // 1000:
            self._samples.clear()  # one of the two clocks was set: what was measured before is of no use
        self._samples.append(sample)

    @property
    def ms(self) -> int | None:
        """The offset of the best sample."""
        return min(self._samples)[1] if self._samples else None
