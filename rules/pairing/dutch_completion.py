"""Can these players all be paired? Maximum matchings without weights, on sets that are integers.

Completion (C4) and the look-ahead (C8) ask the same two questions again and again: is there a pairing of this set in
which everybody has a place, and whom could one take away so that there is. Both are answered by alternating trees
(Edmonds 1965); the players such a tree reaches evenly are those without whom the others can be paired (the
decomposition of Gallai and Edmonds), so one tree answers for all floaters at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.pairing.dutch_round import members


class Graph:
    """A set of players (bits) with the sets each may meet; finds a maximum matching once, when made."""

    def __init__(self, may_meet: Sequence[int], players: int) -> None:
        self.may_meet = may_meet
        self.players = players
        self.mate: dict[int, int] = {}
        self.exposed = self._greedy()
        self.stuck = 0
        for root in members(self.exposed):
            if self.exposed >> root & 1 and self._search(root) is not None:
                self.stuck |= 1 << root
                if self.stuck & (self.stuck - 1):
                    break  # two cannot be placed: nobody asks further

    @property
    def perfect(self) -> bool:
        """Has everybody a place?"""
        return not self.exposed

    def removable(self) -> int:
        """Everybody without whom all the others have a place; the set must have an odd number of players."""
        if not self.exposed or self.exposed & (self.exposed - 1):
            return 0
        return self._search(self.exposed.bit_length() - 1) or 0

    def _greedy(self) -> int:
        free = self.players
        left = 0
        mate = self.mate
        while free:
            low = free & -free
            i = low.bit_length() - 1
            free ^= low
            partners = self.may_meet[i] & free
            if not partners:
                left |= low
                continue
            bit = partners & -partners
            j = bit.bit_length() - 1
            free ^= bit
            mate[i] = j
            mate[j] = i
        return left

    def _search(self, root: int) -> int | None:
        """Grows the alternating tree of an exposed player: None after an augmentation, else whom it reaches evenly."""
        return _Tree(self, root).grow()


class _Tree:
    """One alternating tree. Blossoms are merged with a union-find; `even` and `odd` are sets of players."""

    def __init__(self, graph: Graph, root: int) -> None:
        self.graph = graph
        self.root = root
        self.even = 1 << root
        self.odd = 0
        self.parent: dict[int, int] = {}  # odd player → the even player that reached him
        self.base: dict[int, int] = {}
        self.queue = [root]

    def grow(self) -> int | None:
        graph = self.graph
        targets = graph.exposed & ~(1 << self.root)
        done = 0
        while done < len(self.queue):
            v = self.queue[done]
            done += 1
            near = graph.may_meet[v] & graph.players
            found = near & targets
            if found:
                self._augment((found & -found).bit_length() - 1, v)
                # A stuck root's exposure stays; this one and the target have a place now.
                graph.exposed &= ~(1 << self.root) & ~(found & -found)
                return None
            for to in members(near & ~self.even & ~self.odd):
                if self.even >> to & 1:
                    continue  # the mate of one just reached
                self.odd |= 1 << to
                self.parent[to] = v
                after = graph.mate[to]
                self.even |= 1 << after
                self.queue.append(after)
            if self.even == graph.players:
                return self.even
            blossoms = near & self.even & ~(1 << v)
            for to in members(blossoms):
                if self._find(to) != self._find(v):
                    self._contract(v, to)
        return self.even

    def _find(self, v: int) -> int:
        base = self.base
        while v in base:
            above = base[v]
            if above in base:
                base[v] = base[above]
            v = above
        return v

    def _up(self, v: int) -> int:
        """The base of the blossom two edges nearer to the root."""
        return self._find(self.parent[self.graph.mate[v]])

    def _contract(self, a: int, b: int) -> None:
        seen = set()
        x = self._find(a)
        while True:
            seen.add(x)
            if x == self._find(self.root):
                break
            x = self._up(x)
        top = self._find(b)
        while top not in seen:
            top = self._up(top)
        fresh: list[int] = []
        for start, other in ((a, b), (b, a)):
            self._absorb(start, other, top, fresh)
        for x in fresh:
            if x != top:
                self.base[x] = top

    def _absorb(self, v: int, child: int, top: int, fresh: list[int]) -> None:
        while self._find(v) != top:
            self.parent[v] = child
            odd = self.graph.mate[v]
            for x in (self._find(v), self._find(odd)):
                if x != top and x not in fresh:
                    fresh.append(x)
            if not self.even >> odd & 1:
                self.even |= 1 << odd
                self.queue.append(odd)
            child = odd
            v = self.parent[odd]

    def _augment(self, end: int, v: int) -> None:
        mate, parent = self.graph.mate, self.parent
        # Walk back: end-v become a pair, v's old mate goes on to whoever reached it.
        while True:
            before = mate.get(v)
            mate[end] = v
            mate[v] = end
            if before is None:
                return
            end = before
            v = parent[before]
