"""Our own debounce of 64 reed or hall sensors: scans in, a changed board out. Pure, time in ms.

A square changes when `equal` scans in a row agree on its new state; the change is stamped with the first of them. At
100 scans a second that is 20 ms, more than a reed bounces and less than the shortest stop of a sliding piece.
"""

from __future__ import annotations

from dataclasses import dataclass, field

EQUAL_SCANS = 3


@dataclass(slots=True)
class ScanFilter:
    """`occupied` is the debounced board (a1 = bit 0), None before the first agreement.

    `quiet_since` is the time of a scan since which so many in a row saw nothing else, 0 while something may change.
    """

    equal: int = EQUAL_SCANS
    occupied: int | None = None
    quiet_since: int = 0
    _quiet: list[int] = field(default_factory=list)
    _last: int = 0
    _counts: list[int] = field(default_factory=lambda: [0] * 64)
    _since: list[int] = field(default_factory=lambda: [0] * 64)

    def scan(self, t: int, squares: int) -> list[tuple[int, int]]:
        """A scan at `t`; returns the boards that follow from it, (stamp, occupied), in the order of their stamps.

        Squares that began to change at the same scan are one change.
        """
        if self.occupied is None:
            return self._first(t, squares)
        changing = squares ^ self.occupied
        kept = ~(squares ^ self._last)
        self._last = squares
        due: dict[int, int] = {}
        while changing:
            bit = changing & -changing
            changing ^= bit
            square = bit.bit_length() - 1
            if not kept & bit or not self._counts[square]:
                self._counts[square], self._since[square] = 0, t
            self._counts[square] += 1
            if self._counts[square] >= self.equal:
                due[self._since[square]] = due.get(self._since[square], 0) | bit
                self._counts[square] = 0
        boards = []
        for since in sorted(due):
            self.occupied ^= due[since]
            boards.append((since, self.occupied))
        self._forget(squares)
        self._quiet = [*self._quiet, t][-self.equal :] if squares == self.occupied else []
        self.quiet_since = self._quiet[0] if len(self._quiet) == self.equal else 0
        return boards

    def _first(self, t: int, squares: int) -> list[tuple[int, int]]:
        """The first board counts when the whole of it has agreed."""
        if self._counts[0] and squares == self._last:
            self._counts[0] += 1
        else:
            self._counts[0], self._since[0] = 1, t
        self._last = squares
        if self._counts[0] < self.equal:
            return []
        self.occupied, self._counts[0] = squares, 0
        return [(self._since[0], squares)]

    def _forget(self, squares: int) -> None:
        """Squares that are as before begin anew when they change."""
        assert self.occupied is not None
        same = ~(squares ^ self.occupied)
        for square, count in enumerate(self._counts):
            if count and same >> square & 1:
                self._counts[square] = 0
