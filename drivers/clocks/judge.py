"""Edges of several contacts in any order → presses in the order of their stamps. Pure, time in µs.

Edges are put in order by their stamps, and judged only as far as the past is known to be complete (`until`), so a
thread that runs late changes nothing: neither the presses nor their times. If an edge comes from before that all the
same (a pin factory that promised too much), the last second is judged again with it: a press that shows then is told
with its own stamp. One that was told is never told again, nor taken back.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

from drivers.clocks.plungers.debounce import Debounce, Filter

#: How long edges are kept for those that come late.
MEMORY_US = 1_000_000

#: (stamp, line, whether the contact is closed)
LineEdge = tuple[int, str, bool]


class PressJudge:
    """The debounce of several lines together."""

    def __init__(self, lines: Mapping[str, bool], rule: Filter | None = None) -> None:
        """`lines` are their names, and whether each is closed at the start."""
        self._rule = rule or Filter()
        self._lines = {name: Debounce.found(closed, self._rule) for name, closed in lines.items()}
        self._waiting: list[LineEdge] = []
        self._base = dict(self._lines)  # the lines before the edges of `_judged`
        self._judged: list[LineEdge] = []
        self._told: list[tuple[int, str]] = []
        #: Edges that came from before what had been judged.
        self.late = 0

    @property
    def due(self) -> int | None:
        """When something can be judged: the next burst, or an edge that waits for its time; None if nothing is open."""
        dues = [line.due for line in self._lines.values() if line.due is not None]
        return min([*dues, self._waiting[0][0]] if self._waiting else dues, default=None)

    def add(self, t: int, name: str, closed: bool) -> None:
        """An edge, in any order; it is judged by `until`."""
        heapq.heappush(self._waiting, (t, name, closed))

    def until(self, t: int) -> list[tuple[int, str]]:
        """Judges everything up to `t`, before which no more edges come; the presses (stamp, line) found."""
        fresh: list[LineEdge] = []
        while self._waiting and self._waiting[0][0] <= t:
            fresh.append(heapq.heappop(self._waiting))
        last = self._judged[-1][0] if self._judged else None
        late = sum(1 for edge in fresh if last is not None and edge[0] < last)
        if late:
            self.late += late
            self._judged = sorted([*self._judged, *fresh], key=lambda edge: edge[0])
            self._lines = dict(self._base)
            presses = self._fold(self._judged)
        else:
            self._judged += fresh
            presses = self._fold(fresh)
        new = [press for press in sorted([*presses, *self.at(t)]) if not self._known(press)]
        self._told += new
        self._forget(t - MEMORY_US)
        return new

    def at(self, t: int) -> list[tuple[int, str]]:
        """The presses (stamp, line) that are certain at `t`, without new edges."""
        presses = []
        for name, line in self._lines.items():
            self._lines[name], press = line.at(t)
            if press is not None:
                presses.append((press, name))
        return sorted(presses)

    def edge(self, t: int, name: str, closed: bool) -> list[tuple[int, str]]:
        """An edge of a line, in order; the presses that are certain by now."""
        presses = self.at(t)
        self._lines[name], _press = self._lines[name].edge(t, closed)
        return presses

    def _fold(self, edges: list[LineEdge]) -> list[tuple[int, str]]:
        presses: list[tuple[int, str]] = []
        for edge in edges:
            presses += self.edge(*edge)
        return presses

    def _known(self, press: tuple[int, str]) -> bool:
        t, name = press
        return any(line == name and abs(told - t) < self._rule.lockout_us for told, line in self._told)

    def _forget(self, t: int) -> None:
        """Edges and presses from before `t` become the base."""
        count = 0
        while count < len(self._judged) and self._judged[count][0] < t:
            edge_t, name, closed = self._judged[count]
            self._base[name], _press = self._base[name].edge(edge_t, closed)
            count += 1
        del self._judged[:count]
        self._told = [press for press in self._told if press[0] >= t - self._rule.lockout_us]
