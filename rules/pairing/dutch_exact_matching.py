"""Maximum-weight matching in any graph with integers of any size: for the rare bracket whose criteria need many bits.

The primal-dual method of Edmonds in its cubic form: alternating trees grow from all exposed vertices at once over edges
without slack; vertices and blossoms carry labels (dual variables); when no edge without slack is left to grow over,
labels change by the smallest amount that makes one. Weights count double, so all labels stay whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: What a vertex or blossom is in the trees: not in one, reached evenly (outer), reached oddly (inner).
_FREE, _OUTER, _INNER = -1, 0, 1


@dataclass(slots=True)
class _Edge:
    """A real edge (u, v) and its weight; between blossoms it stands for the best real edge between them."""

    u: int
    v: int
    w: int


def exact_matching(nodes: int, edges: Iterable[tuple[int, int, int]], complete: bool) -> dict[int, int]:
    """Partner of every matched node in the matching of greatest weight; with `complete` among those of most edges.

    `edges` are (node, node, weight) with weights not negative. Costs O(n³) steps of Python: 0.1 s for 50 nodes.
    """
    listed = [(a, b, w) for a, b, w in edges]
    most = max((w for _a, _b, w in listed), default=0)
    # One more edge must outweigh everything else, or, without `complete`, an edge of weight 0 must not count as none.
    bonus = most * nodes + 1 if complete else 0
    scale = 1 if complete else 2 * nodes
    return _Matcher(nodes, [(a, b, w * scale + bonus + (0 if complete else 1)) for a, b, w in listed]).run()


class _Matcher:
    """Vertices are 1…n, blossoms n+1…; 0 is nobody. `top` is the outermost blossom of a vertex."""

    def __init__(self, nodes: int, edges: list[tuple[int, int, int]]) -> None:
        self.n = nodes
        self.last = nodes
        size = 2 * nodes + 2
        self.edge = [[_Edge(u, v, 0) for v in range(size)] for u in range(size)]
        for a, b, w in edges:
            self.edge[a + 1][b + 1].w = self.edge[b + 1][a + 1].w = w
        top_weight = max((w for _a, _b, w in edges), default=0)
        self.label = [top_weight if 1 <= v <= nodes else 0 for v in range(size)]
        self.mate = [0] * size
        self.slack = [0] * size
        self.top = [v if v <= nodes else 0 for v in range(size)]
        self.parent = [0] * size
        self.kind = [_FREE] * size
        self.seen = [0] * size
        self.stamp = 0
        self.flower: list[list[int]] = [[] for _v in range(size)]
        #: blossom, vertex → the petal the vertex is in
        self.petal = [[0] * (nodes + 1) for _v in range(size)]
        for v in range(1, nodes + 1):
            self.petal[v][v] = v
        self.queue: list[int] = []

    def run(self) -> dict[int, int]:
        while self._stage():
            pass
        return {v - 1: self.mate[v] - 1 for v in range(1, self.n + 1) if self.mate[v]}

    def _distance(self, e: _Edge) -> int:
        return self.label[e.u] + self.label[e.v] - 2 * self.edge[e.u][e.v].w

    def _note_slack(self, u: int, x: int) -> None:
        if not self.slack[x] or self._distance(self.edge[u][x]) < self._distance(self.edge[self.slack[x]][x]):
            self.slack[x] = u

    def _find_slack(self, x: int) -> None:
        self.slack[x] = 0
        for u in range(1, self.n + 1):
            if self.edge[u][x].w > 0 and self.top[u] != x and self.kind[self.top[u]] == _OUTER:
                self._note_slack(u, x)

    def _push(self, x: int) -> None:
        if x <= self.n:
            self.queue.append(x)
        else:
            for petal in self.flower[x]:
                self._push(petal)

    def _set_top(self, x: int, b: int) -> None:
        self.top[x] = b
        if x > self.n:
            for petal in self.flower[x]:
                self._set_top(petal, b)

    def _even_walk(self, b: int, petal: int) -> int:
        """Turns the blossom so that the walk from its base to `petal` has an even length; its length."""
        flower = self.flower[b]
        at = flower.index(petal)
        if at % 2:
            flower[1:] = flower[:0:-1]
            return len(flower) - at
        return at

    def _set_mate(self, u: int, v: int) -> None:
        e = self.edge[u][v]
        self.mate[u] = e.v
        if u <= self.n:
            return
        petal = self.petal[u][e.u]
        walk = self._even_walk(u, petal)
        for i in range(walk):
            self._set_mate(self.flower[u][i], self.flower[u][i ^ 1])
        self._set_mate(petal, v)
        self.flower[u] = self.flower[u][walk:] + self.flower[u][:walk]

    def _augment(self, u: int, v: int) -> None:
        while True:
            after = self.top[self.mate[u]]
            self._set_mate(u, v)
            if not after:
                return
            self._set_mate(after, self.top[self.parent[after]])
            u, v = self.top[self.parent[after]], after

    def _common(self, u: int, v: int) -> int:
        """Where two walks to the roots meet; 0 when the trees differ."""
        self.stamp += 1
        while u or v:
            if u:
                if self.seen[u] == self.stamp:
                    return u
                self.seen[u] = self.stamp
                u = self.top[self.mate[u]]
                if u:
                    u = self.top[self.parent[u]]
            u, v = v, u
        return 0

    def _shrink(self, u: int, base: int, v: int) -> None:
        b = self.n + 1
        while b <= self.last and self.top[b]:
            b += 1
        self.last = max(self.last, b)
        self.label[b] = 0
        self.kind[b] = _OUTER
        self.mate[b] = self.mate[base]
        flower = [base, *reversed(self._up_to(u, base)), *self._up_to(v, base)]
        for x in flower[1:]:
            if self.kind[x] == _INNER:
                self._push(x)
        self.flower[b] = flower
        self._set_top(b, b)
        for x in range(1, self.last + 1):
            self.edge[b][x], self.edge[x][b] = _Edge(b, x, 0), _Edge(x, b, 0)
        self.petal[b] = [0] * (self.n + 1)
        for petal in flower:
            for x in range(1, self.last + 1):
                best, other = self.edge[b][x], self.edge[petal][x]
                if other.w and (best.w == 0 or self._distance(other) < self._distance(best)):
                    self.edge[b][x] = other
                    self.edge[x][b] = self.edge[x][petal]
            for x in range(1, self.n + 1):
                if self.petal[petal][x]:
                    self.petal[b][x] = petal
        self._find_slack(b)

    def _up_to(self, x: int, base: int) -> list[int]:
        walk = []
        while x != base:
            inner = self.top[self.mate[x]]
            walk += [x, inner]
            x = self.top[self.parent[inner]]
        return walk

    def _expand(self, b: int) -> None:
        """Opens an inner blossom whose label came down to 0."""
        for petal in self.flower[b]:
            self._set_top(petal, petal)
        entry = self.petal[b][self.edge[b][self.parent[b]].u]
        walk = self._even_walk(b, entry)
        flower = self.flower[b]
        for i in range(0, walk, 2):
            inner, outer = flower[i], flower[i + 1]
            self.parent[inner] = self.edge[outer][inner].u
            self.kind[inner], self.kind[outer] = _INNER, _OUTER
            self.slack[inner] = 0
            self._find_slack(outer)
            self._push(outer)
        self.kind[entry] = _INNER
        self.parent[entry] = self.parent[b]
        for petal in flower[walk + 1 :]:
            self.kind[petal] = _FREE
            self._find_slack(petal)
        self.top[b] = 0

    def _meet(self, e: _Edge) -> bool:
        """Grows over an edge without slack; True after an augmentation."""
        u, v = self.top[e.u], self.top[e.v]
        if self.kind[v] == _FREE:
            self.parent[v] = e.u
            self.kind[v] = _INNER
            after = self.top[self.mate[v]]
            self.slack[v] = self.slack[after] = 0
            self.kind[after] = _OUTER
            self._push(after)
        elif self.kind[v] == _OUTER:
            base = self._common(u, v)
            if not base:
                self._augment(u, v)
                self._augment(v, u)
                return True
            self._shrink(u, base, v)
        return False

    def _tops(self) -> list[int]:
        return [x for x in range(1, self.last + 1) if self.top[x] == x]

    def _stage(self) -> bool:
        """Grows trees until one augmentation succeeds; False when there is nothing more to gain."""
        for x in range(self.last + 1):
            self.kind[x] = _FREE
            self.slack[x] = 0
        self.queue = []
        for x in self._tops():
            if not self.mate[x]:
                self.parent[x] = 0
                self.kind[x] = _OUTER
                self._push(x)
        if not self.queue:
            return False
        while True:
            done = 0
            while done < len(self.queue):
                u = self.queue[done]
                done += 1
                if self.kind[self.top[u]] == _INNER:
                    continue
                for v in range(1, self.n + 1):
                    e = self.edge[u][v]
                    if e.w > 0 and self.top[u] != self.top[v]:
                        if self._distance(e) == 0:
                            if self._meet(e):
                                return True
                        else:
                            self._note_slack(u, self.top[v])
            self.queue = []
            if not self._change_labels():
                return False
            for x in self._tops():
                source = self.slack[x]
                if self.top[x] != x or not source or self.top[source] == x:
                    continue
                tight = self._distance(self.edge[source][x]) == 0
                if tight and self._meet(self.edge[source][x]):
                    return True
            for b in range(self.n + 1, self.last + 1):
                if self.top[b] == b and self.kind[b] == _INNER and self.label[b] == 0:
                    self._expand(b)

    def _change_labels(self) -> bool:
        """The dual step; False when a label of an exposed vertex would fall to 0."""
        steps: list[int] = []
        for b in range(self.n + 1, self.last + 1):
            if self.top[b] == b and self.kind[b] == _INNER:
                steps.append(self.label[b] // 2)
        for x in self._tops():
            if self.slack[x]:
                distance = self._distance(self.edge[self.slack[x]][x])
                if self.kind[x] == _FREE:
                    steps.append(distance)
                elif self.kind[x] == _OUTER:
                    steps.append(distance // 2)
        outer = [u for u in range(1, self.n + 1) if self.kind[self.top[u]] == _OUTER]
        limit = min(self.label[u] for u in outer)
        step = min(steps, default=limit)
        if step >= limit:
            return False
        for u in range(1, self.n + 1):
            kind = self.kind[self.top[u]]
            if kind == _OUTER:
                self.label[u] -= step
            elif kind == _INNER:
                self.label[u] += step
        for b in range(self.n + 1, self.last + 1):
            if self.top[b] == b:
                if self.kind[b] == _OUTER:
                    self.label[b] += 2 * step
                elif self.kind[b] == _INNER:
                    self.label[b] -= 2 * step
        return True
