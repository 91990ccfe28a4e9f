"""The first perfect candidate of a bracket, in the order of generation (C.04.3 3.4, 3.6, 3.7, Article 4).

A candidate is perfect when every criterion has its best conceivable value. Conceivable values follow from counting: so
many players are due White and so many Black, so at least that many preferences are denied, whoever meets whom. And a
candidate that denies no more than that is one whose pairs are all of certain kinds: with more players due White, say,
everybody due Black must meet one of them. So perfection is a matter of which pairs are allowed, and the first perfect
candidate is found by fixing pair after pair in order, each time asking whether all others still have a place.

Where no pairing has the conceivable values, or too many exchanges would have to be tried, the bracket is left to
`dutch_bracket`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_round import (
    BLACK_HARD,
    BLACK_MILD,
    BLACK_STRONG,
    NO_PREFERENCE,
    WHITE_HARD,
    WHITE_MILD,
    WHITE_STRONG,
    RoundFacts,
    as_set,
    members,
)

#: Exchanges tried before the bracket is left to the weighted matching.
EXCHANGES = 150

_WHITE = (WHITE_MILD, WHITE_STRONG, WHITE_HARD)
_BLACK = (BLACK_MILD, BLACK_STRONG, BLACK_HARD)
_Counts = list[int]


@dataclass(frozen=True, slots=True)
class Found:
    """Pairs of players' numbers, the one of S1 first, and the downfloater."""

    pairs: tuple[tuple[int, int], ...]
    floater: int | None


@dataclass(frozen=True, slots=True)
class Ideal:
    """The best conceivable values: preferences denied (C12), strong ones (C13), the floater's own (C14, C16).

    `floaters` are those with whom they can be had, one set for each kind of preference; empty when nobody floats.
    """

    denied: int
    strong: int
    floaters: tuple[tuple[int, int], ...]


def least_denied(counts: Sequence[int]) -> tuple[int, int] | None:
    """(C12, C13) that nobody can undercut when such players are paired among themselves; None: not possible at all.

    `counts` has the number of players of each kind of preference, in the order of `dutch_round`.
    """
    white, black = sum(counts[k] for k in _WHITE), sum(counts[k] for k in _BLACK)
    mild, _strong, hard = (counts[k] for k in (_WHITE if white >= black else _BLACK))
    surplus = abs(white - black) - counts[NO_PREFERENCE]
    if surplus <= 0:
        return 0, 0
    denied = (surplus + 1) // 2
    if denied > max(white, black) - hard:
        return None  # in each such pair one at least is not absolutely due his colour (C3)
    return denied, max(0, denied - mild)


def allowed_kinds(counts: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Kind → kinds he may meet, so that exactly the least number of preferences, and of strong ones, is denied."""
    white, black = sum(counts[k] for k in _WHITE), sum(counts[k] for k in _BLACK)
    more, fewer = (_WHITE, _BLACK) if white >= black else (_BLACK, _WHITE)
    surplus = abs(white - black) - counts[NO_PREFERENCE]
    if surplus <= 0:
        table = {NO_PREFERENCE: {NO_PREFERENCE, *more, *fewer}}
        table |= {k: {NO_PREFERENCE, *fewer} for k in more} | {k: {NO_PREFERENCE, *more} for k in fewer}
    else:
        # Everybody else meets one of the majority; those of the majority that are left meet each other.
        mild, strong, hard = more
        table = {k: {*more} for k in (NO_PREFERENCE, *fewer)}
        table |= {k: {NO_PREFERENCE, *fewer, mild} for k in (strong, hard)}
        table[mild] = {NO_PREFERENCE, *fewer, *more}
        denied = surplus // 2
        if counts[mild] < denied:
            # Too few with a mild one: each of them is denied it, in a pair with a stronger one.
            table[mild] = {strong, hard}
            table |= {k: {NO_PREFERENCE, *fewer, *more} for k in (strong, hard)}
            for k in (NO_PREFERENCE, *fewer):
                table[k] = {strong, hard}
    return tuple(frozenset(table[k]) for k in range(7))


class PerfectSearch:
    """The search in one bracket: `moved` and `residents` in order, everybody to be paired but one of `floaters`."""

    def __init__(self, facts: RoundFacts, moved: Sequence[int], residents: Sequence[int], floaters: int) -> None:
        self.facts = facts
        self.moved = moved
        self.residents = residents
        self.floaters = floaters
        self.everybody = as_set((*moved, *residents))
        #: the downfloater's place: a number nobody has
        self.gate = facts.count + 1
        self.counts = [0] * 7
        for i in (*moved, *residents):
            self.counts[facts.kind[i]] += 1

    def ideal(self) -> Ideal | None:
        """The best conceivable C12, C13, C14 and C16, in this priority; None when counting excludes any pairing."""
        if not self.floaters:
            least = least_denied(self.counts)
            return None if least is None else Ideal(*least, ())
        best: tuple[int, int, int, int] | None = None
        chosen: dict[int, int] = {}
        down1, down2 = self.facts.down[1], self.facts.down[2]
        for first, second in ((0, 0), (0, 1), (1, 0), (1, 1)):
            group = self.floaters & (down1 if first else ~down1) & (down2 if second else ~down2)
            for kind, of_kind in enumerate(self.facts.of_kind):
                if not group & of_kind:
                    continue
                least = least_denied(self._without(kind))
                if least is None:
                    continue
                value = (*least, first, second)
                if best is None or value < best:
                    best = value
                    chosen = {}
                if value == best:
                    chosen[kind] = group & of_kind
        return None if best is None else Ideal(best[0], best[1], tuple(chosen.items()))

    def _without(self, kind: int) -> _Counts:
        counts = self.counts.copy()
        counts[kind] -= 1
        return counts

    # -- which pairs are allowed -------------------------------------------------------------------------------------

    def _graphs(self, ideal: Ideal) -> Iterator[Graph]:
        """One graph of the perfect pairs for each kind of floater, without those that leave somebody over."""
        base = self._legal()
        for kind, floaters in ideal.floaters or ((None, 0),):
            counts = self.counts if kind is None else self._without(kind)
            graph = self._graph(base, allowed_kinds(counts), floaters)
            if graph.perfect:
                yield graph

    def _legal(self) -> dict[int, int]:
        """Who may meet whom here with nothing against it in C10, C11, C15 and C17."""
        facts = self.facts
        legal = {i: facts.may_meet[i] & self.everybody for i in members(self.everybody)}
        for a in members(facts.topscorers & self.everybody):
            for b in members(legal[a] & facts.rivals(a)):
                if any(facts.excess(a, b)):
                    legal[a] &= ~(1 << b)
                    legal[b] &= ~(1 << a)
        movers = as_set(self.moved)
        risen = facts.up[1] | facts.up[2]
        for i in self.moved:
            legal[i] &= ~(movers | risen)
        for i in members(risen & self.everybody & ~movers):
            legal[i] &= ~movers
        return legal

    def _graph(self, legal: dict[int, int], kinds: Sequence[frozenset[int]], floaters: int) -> Graph:
        facts = self.facts
        partners = [sum(facts.of_kind[k] for k in kinds[kind]) for kind in range(7)]
        gate = 1 << self.gate
        may_meet = [0] * (self.gate + 1)
        for i, others in legal.items():
            may_meet[i] = others & partners[facts.kind[i]]
            if floaters >> i & 1:
                may_meet[i] |= gate
        may_meet[self.gate] = floaters
        return Graph(may_meet, self.everybody | (gate if floaters else 0))

    # -- the order of generation -------------------------------------------------------------------------------------

    def run(self, ideal: Ideal) -> Found | None:
        """The first perfect candidate; None when there is none, or it takes too many exchanges to find it."""
        graphs = list(self._graphs(ideal))
        pairs: list[tuple[int, int]] = []
        for mover in self.moved:  # 3.7: the opponents of those moved down, in lexicographic order
            if not graphs:
                return None
            pairs.append((mover, _fix_first(graphs, mover)))
        left = [i for i in self.residents if graphs and graphs[0].players >> i & 1]
        if not graphs:
            return None
        if len(left) < 2:
            return Found(tuple(pairs), left[0] if left else None)
        half = len(left) // 2
        for upper, lower in self._exchanges(left, half):
            across = [g for g in (self._across(graph, upper, lower) for graph in graphs) if g.perfect]
            if across:
                pairs += [(i, _fix_first(across, i)) for i in upper]
                inside = {i for pair in pairs for i in pair}
                return Found(tuple(pairs), next((i for i in left if i not in inside), None))
        return None

    def _across(self, graph: Graph, upper: Sequence[int], lower: Sequence[int]) -> Graph:
        """Only pairs between the halves; the floater is one of the lower half."""
        above, below = as_set(upper), as_set(lower)
        may_meet = list(graph.may_meet)
        for i in upper:
            may_meet[i] &= below
        gate = graph.players & 1 << self.gate
        for i in lower:
            may_meet[i] &= above | gate
        may_meet[self.gate] &= below
        return Graph(may_meet, above | below | gate)

    def _exchanges(self, players: Sequence[int], half: int) -> Iterator[tuple[list[int], list[int]]]:
        """The original halves, then exchanges in the order of 4.3, as far as `EXCHANGES` goes."""
        yield list(players[:half]), list(players[half:])
        tried = 0
        upper, lower = range(half), range(half, len(players))
        for size in (1, 2, 3):
            if size > 1 and comb(len(upper), size) * comb(len(lower), size) > 4 * EXCHANGES:
                return  # so many are not worth listing
            options = [(d, u) for d in combinations(upper, size) for u in combinations(lower, size)]
            options.sort(key=lambda e: (sum(e[1]) - sum(e[0]), [-x for x in reversed(e[0])], e[1]))
            for down, up in options:
                tried += 1
                if tried > EXCHANGES:
                    return
                above = sorted({*upper, *up} - {*down})
                below = sorted({*lower, *down} - {*up})
                yield [players[i] for i in above], [players[i] for i in below]


def _fix_first(graphs: list[Graph], player: int) -> int:
    """Gives a player his first partner that any graph still allows; graphs that do not allow him drop out."""
    choices = 0
    for graph in graphs:
        choices |= graph.may_meet[player] & graph.players
    while choices:
        low = choices & -choices
        choices ^= low
        partner = low.bit_length() - 1
        alive = [g for g in graphs if g.may_meet[player] & low and g.players & low and g.force(player, partner)]
        if alive:
            graphs[:] = alive
            return partner
    raise AssertionError("a perfect graph gives everybody a partner")
