"""The table's half of the synchronisation: what to send, and when to send it again. Pure; time is an argument.

Events go out in order, at most a window of them unacknowledged. When the acknowledgement stays away, everything after
the last acknowledged one is sent again, after max(1.5 s, 4 × smoothed round trip), doubling to 15 s, each time ± 30 %
by chance so that a thousand tables do not speak in chorus. Progress resets the pause. All times are ms of real
monotonic time, never of a simulated hall's faster one.
"""

from __future__ import annotations

import random

from hallnet.wire import MAX_BATCH

SHORTEST_MS = 1_500
LONGEST_MS = 15_000
ROUND_TRIPS = 4
JITTER = 0.3


class UpLink:
    """The state of sending. `window` is the most that may be under way; `seed` makes the jitter repeatable."""

    def __init__(self, window: int = MAX_BATCH, seed: int = 0) -> None:
        self._most = window
        self._window = window
        self._random = random.Random(seed)
        self._link = False
        self._last = 0
        self._acked = 0
        self._epoch = 0
        self._sent = 0
        self._deadline: int | None = None
        self._timeouts = 0
        self._round_trip: float | None = None
        self._sample: tuple[int, int] | None = None
        self._hurried = -1

    def state(self, last: int, acked: int, epoch: int = 0) -> None:
        """What the outbox holds.

        An `acked` that went back (`Outbox.rewind`), or a new epoch, begins again from there: so pass the two numbers as
        the outbox has them at one moment, never an older `acked` with a newer `last`.
        """
        if epoch != self._epoch or acked < self._acked or last < self._last:
            self._epoch = epoch
            self._restart(acked)
        elif acked > self._acked:
            # The acknowledgement itself may still be reported to `acked`: it is no sign of a gap then.
            self._hurried = acked
            self._progress(acked)
        self._last = last

    def connected(self, now: int) -> None:
        """There is a connection: what is not acknowledged is due at once."""
        self._link = True
        self._restart(self._acked)

    def disconnected(self) -> None:
        """No connection: nothing is due until there is one."""
        self._link = False
        self._restart(self._acked)

    def due(self, now: int) -> tuple[int, int] | None:
        """(after, to): send the events with after < seq ≤ to, then call `sent`; None: nothing to send now."""
        if not self._link:
            return None
        after = self._acked if self._expired(now) else self._sent
        to = min(self._last, self._acked + self._window)
        return (after, to) if to > after else None

    def sent(self, now: int, to: int) -> None:
        """Everything due up to `to` was handed to the transport."""
        if self._expired(now):
            self._timeouts += 1
            self._sample = None
            self._deadline = now + self._pause()
        elif to > self._sent:
            if self._sample is None and self._timeouts == 0:
                self._sample = (to, now)
            if self._deadline is None:
                self._deadline = now + self._pause()
        self._sent = max(self._sent, to)

    def acked(self, now: int, seq: int, window: int = MAX_BATCH) -> None:
        """The hub has everything up to `seq`, and asks for at most `window` at a time."""
        self._window = max(1, min(window, self._most))
        if seq > self._last:
            return
        if seq > self._acked:
            if self._sample is not None and seq >= self._sample[0]:
                self._measure(now - self._sample[1])
                self._sample = None
            self._progress(seq)
            if self._sent > seq:
                self._deadline = now + self._pause()
        elif seq == self._acked < self._sent and self._hurried != seq:
            # The hub says again what it has: something between is missing. Send at once, but only once for each gap.
            self._hurried = seq
            self._deadline = now

    def next_wakeup(self, now: int) -> int | None:
        """When `due` should be asked again (ms); None: not before something happens."""
        if not self._link:
            return None
        if self.due(now) is not None:
            return now
        return self._deadline

    def _expired(self, now: int) -> bool:
        return self._deadline is not None and now >= self._deadline and self._sent > self._acked

    def _restart(self, acked: int) -> None:
        self._acked = self._sent = acked
        self._deadline = None
        self._sample = None
        self._timeouts = 0
        self._hurried = -1

    def _progress(self, seq: int) -> None:
        self._acked = seq
        self._sent = max(self._sent, seq)
        self._timeouts = 0
        if self._sent == seq:
            self._deadline = None

    def _measure(self, round_trip: int) -> None:
        """RFC 6298's smoothing; repeated messages are not measured, as their answer may be to either."""
        old = self._round_trip
        self._round_trip = float(round_trip) if old is None else old + (round_trip - old) / 8

    def _pause(self) -> int:
        base = max(SHORTEST_MS, ROUND_TRIPS * (self._round_trip or 0.0))
        length = min(LONGEST_MS, base * 2**self._timeouts)
        return int(length * self._random.uniform(1 - JITTER, 1 + JITTER))
