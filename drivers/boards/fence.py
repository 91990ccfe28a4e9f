"""When a board has told everything: the fence behind a press of the clock.

A board looks at its squares one after the other, and what it tells takes time. Two things say together that no change
of before an instant is still to come: so much time that every square was looked at once more (`scan_ms`), and then a
question that the board has answered, because it answers after what it had to tell before. What was lost on the way is
another matter (`GapReport`). Pure; time in ms.
"""

from __future__ import annotations

import threading

#: A question that has no answer after so long is put again; an answer that takes longer than this is lost.
AGAIN_MS = 400
LOST_MS = 3_000


class Fence:
    """Instants for which it was asked (`wanted`), and the questions that are under way. Only `wanted` may be called
    from another thread.
    """

    def __init__(self, scan_ms: int) -> None:
        self.scan_ms = scan_ms
        self._wanted: list[int] = []
        self._lock = threading.Lock()
        self._asked: list[int] = []  # when those were put that have no answer yet, which comes in their order

    def wanted(self, since_ms: int) -> None:
        """Somebody wants to know when everything from before `since_ms` has been told."""
        with self._lock:
            self._wanted.append(since_ms)

    def forget(self) -> None:
        """The line was opened anew: nothing is under way."""
        with self._lock:
            self._wanted.clear()
        self._asked.clear()

    @property
    def pending(self) -> bool:
        """Whether somebody waits to know: no time for other questions."""
        return bool(self._wanted)

    def under_way(self, now: int) -> bool:
        """Whether a question has no answer yet, and may still get one."""
        return bool(self._asked) and now - self._asked[-1] < AGAIN_MS

    def next(self, now: int) -> int | None:
        """When the question is to be put; None if nobody wants to know, or if it is under way."""
        if self.under_way(now):
            return None
        with self._lock:
            return min(self._wanted) + self.scan_ms if self._wanted else None

    def due(self, now: int) -> bool:
        """Whether the question is to be put now."""
        due = self.next(now)
        return due is not None and due <= now

    def asked(self, now: int) -> None:
        """The question was put, for this or for another reason."""
        self._asked = [*(at for at in self._asked if now - at < LOST_MS), now]

    def taken(self) -> int | None:
        """A question is answered, the first one: what was seen up to when is told now. None if none was put."""
        return self._asked.pop(0) - self.scan_ms if self._asked else None

    def answered(self) -> int | None:
        """The same, if somebody waits for that; else None."""
        as_of = self.taken()
        return self.passed(as_of) if as_of is not None else None

    def passed(self, as_of: int) -> int | None:
        """Everything from before `as_of` was told; `as_of` again if somebody waits for that, else None."""
        with self._lock:
            waiting = [since for since in self._wanted if since > as_of]
            known = len(waiting) < len(self._wanted)
            self._wanted = waiting
        return as_of if known else None
