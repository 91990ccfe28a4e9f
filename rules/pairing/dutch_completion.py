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
    """A set of players (bits) with the sets each may meet; finds a maximum matching once, when made.

    After two players without a place it stops looking, as nobody asks further; with `thorough` it goes on.
    """

    def __init__(self, may_meet: Sequence[int], players: int, thorough: bool = False) -> None:
        self.may_meet = may_meet
        self.players = players
        self.mate: dict[int, int] = {}
        self.exposed = self._greedy()
        self.stuck = 0
        #: why there is no place for everybody: groups of odd number, and the few that all of them depend on
        self.obstacle: tuple[tuple[int, ...], int] | None = None
        for root in members(self.exposed):
            if not self.exposed >> root & 1:
                continue
            tree = _Tree(self, root)
            if not tree.grow():
                self.stuck |= 1 << root
                if self.obstacle is None:
                    self.obstacle = tree.obstacle()
                if self.stuck & (self.stuck - 1) and not thorough:
                    break

    @property
    def perfect(self) -> bool:
        """Has everybody a place?"""
        return not self.exposed

    def hosts(self, guests: int, gate: int | None = None) -> int:
        """Those of `guests` whom this set, one too many by itself, could take in so that everybody has a place.

        A guest needs a partner without whom all the others have a place. `gate`, a member of the set that is no player,
        takes no guests.
        """
        if not self.exposed or self.exposed & (self.exposed - 1):
            return 0
        tree = _Tree(self, self.exposed.bit_length() - 1)
        tree.guests = guests
        tree.gate = gate
        tree.grow()
        return tree.welcome & guests

    def force(self, a: int, b: int) -> bool:
        """Takes out `a` and `b` as a pair if everybody else keeps a place; the set must be perfect. Else no change."""
        mate = self.mate
        old_a, old_b = mate[a], mate[b]
        pair = 1 << a | 1 << b
        if old_a == b:
            del mate[a], mate[b]
            self.players ^= pair
            return True
        if self.may_meet[old_a] >> old_b & 1:
            del mate[a], mate[b]
            mate[old_a] = old_b
            mate[old_b] = old_a
            self.players ^= pair
            return True
        self.players ^= pair
        self.exposed = 1 << old_a | 1 << old_b
        del mate[a], mate[b], mate[old_a], mate[old_b]
        if _Tree(self, old_a).grow():
            return True
        self.players ^= pair
        self.exposed = 0
        mate.update({a: old_a, old_a: a, b: old_b, old_b: b})
        return False

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


class _Tree:
    """One alternating tree. Blossoms are merged with a union-find; `even`, `odd` and `blossom` hold sets of players.

    With `guests` the tree stops growing as soon as everybody it reaches evenly can host all of them.
    """

    def __init__(self, graph: Graph, root: int) -> None:
        self.graph = graph
        self.root = root
        self.even = 1 << root
        self.odd = 0
        self.parent: dict[int, int] = {}  # odd player → the even player that reached him
        self.base: dict[int, int] = {}
        self.blossom: dict[int, int] = {}  # base → everybody in the blossom
        self.queue = [root]
        self.guests = 0
        self.gate: int | None = None
        self.welcome = 0

    def grow(self) -> bool:
        """True after an augmentation; False when there is none, with the tree complete or all guests welcome."""
        graph = self.graph
        targets = graph.exposed & ~(1 << self.root)
        done = 0
        while done < len(self.queue):
            v = self.queue[done]
            done += 1
            if v != self.gate:
                self.welcome |= graph.may_meet[v]
                if self.guests and not self.guests & ~self.welcome:
                    return False
            near = graph.may_meet[v] & graph.players
            found = near & targets
            if found:
                low = found & -found
                self._augment(low.bit_length() - 1, v)
                graph.exposed &= ~(1 << self.root) & ~low
                return True
            for to in members(near & ~self.even & ~self.odd):
                if self.even >> to & 1:
                    continue  # the mate of one just reached
                self.odd |= 1 << to
                self.parent[to] = v
                after = graph.mate[to]
                self.even |= 1 << after
                self.queue.append(after)
            while True:
                base = self._find(v)
                other = near & self.even & ~self.blossom.get(base, 1 << base)
                if not other:
                    break
                self._contract(v, (other & -other).bit_length() - 1)
        return False

    def obstacle(self) -> tuple[tuple[int, ...], int]:
        """Of a complete tree: groups whose members can only meet within the group or one of the set that follows.

        Each group has an odd number, and there are more groups than the set has members (Tutte 1947).
        """
        bases = {self._find(v) for v in members(self.even)}
        return tuple(self.blossom.get(b, 1 << b) for b in sorted(bases)), self.odd & ~self.even

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
        inside = self.blossom.get(top, 1 << top)
        for x in fresh:
            self.base[x] = top
            inside |= self.blossom.get(x, 1 << x)
        self.blossom[top] = inside

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
