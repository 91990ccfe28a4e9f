"""The Dutch system word for word: every candidate of every bracket, in the order of Articles 3 and 4. For small fields.

Nothing is searched cleverly: all candidates are generated, all are judged by C1 to C21, the best wins and among equals
the one generated first. Completion, the PAB's score and the next bracket are tried out in every way there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, groupby

from rules.pairing.dutch_criteria import CRITERIA, quality
from rules.pairing.dutch_round import RoundFacts, members
from rules.pairing.state import PairingState

Pair = tuple[int, int]
Candidate = tuple[list[Pair], list[int]]


class Impossible(Exception):
    """The round has no legal pairing."""


class Literal:
    """One round, paired literally: `pairs` and `bye` are TPNs."""

    def __init__(self, state: PairingState) -> None:
        self.facts = RoundFacts(state)
        self.eligible: frozenset[int] = frozenset()
        self.known: dict[frozenset[int], bool] = {}
        self.known_best: dict[tuple[frozenset[int], int], tuple[int, ...]] = {}
        self._pab()
        facts = self.facts
        self.groups = [list(g) for _score, g in groupby(range(facts.count), key=lambda i: facts.score[i])]
        pairs: list[Pair] = []
        moved: list[int] = []
        for index in range(len(self.groups)):
            found, moved = self._bracket(moved, index)
            pairs += found
        self.pairs = {frozenset((facts.players[a], facts.players[b])) for a, b in pairs}
        self.bye = facts.players[moved[0]] if moved else None

    def meet(self, a: int, b: int) -> bool:
        return bool(self.facts.may_meet[a] >> b & 1)

    # -- completion and C5 -------------------------------------------------------------------------------------------

    def _pab(self) -> None:
        facts = self.facts
        everybody = frozenset(range(facts.count))
        if facts.count % 2 == 0:
            if not self.complete(everybody):
                raise Impossible
            return
        able = set(members(facts.may_have_bye))
        for score in sorted({facts.score[i] for i in able}):
            self.eligible = frozenset(i for i in able if facts.score[i] == score)
            self.known.clear()
            if self.complete(everybody):
                return
        raise Impossible

    def complete(self, players: frozenset[int]) -> bool:
        """Have they a complete pairing (an odd one out takes the PAB)?"""
        if not players:
            return True
        if players not in self.known:
            first = min(players)
            others = players - {first}
            self.known[players] = any(self.meet(first, j) and self.complete(others - {j}) for j in others) or (
                len(players) % 2 == 1 and first in self.eligible and self.complete(others)
            )
        return self.known[players]

    # -- C8 ----------------------------------------------------------------------------------------------------------

    def next_best(self, floaters: Sequence[int], index: int) -> tuple[int, ...]:
        """C6 and C7 of the next bracket at their best: number of its downfloaters, then their scores from above."""
        if index >= len(self.groups):
            return ()
        key = (frozenset(floaters), index)
        if key not in self.known_best:
            below = frozenset(i for group in self.groups[index + 1 :] for i in group)
            best: tuple[int, ...] | None = None
            for left in self._leftovers(tuple(floaters), tuple(self.groups[index])):
                scores = tuple(sorted((self.facts.score[i] for i in left), reverse=True))
                value = (len(left), *scores)
                if (best is None or value < best) and self.complete(below | frozenset(left)):
                    best = value
            assert best is not None
            self.known_best[key] = best
        return self.known_best[key]

    def _leftovers(self, moved: tuple[int, ...], residents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if moved:
            first, others = moved[0], moved[1:]
            for left in self._leftovers(others, residents):
                yield (first, *left)
            for j in residents:
                if self.meet(first, j):
                    yield from self._leftovers(others, tuple(i for i in residents if i != j))
            return
        if not residents:
            yield ()
            return
        first, rest = residents[0], residents[1:]
        for left in self._leftovers((), rest):
            yield (first, *left)
        for j in rest:
            if self.meet(first, j):
                yield from self._leftovers((), tuple(i for i in rest if i != j))

    # -- one bracket -------------------------------------------------------------------------------------------------

    def _bracket(self, moved: list[int], index: int) -> Candidate:
        facts = self.facts
        residents = self.groups[index]
        below = frozenset(i for group in self.groups[index + 1 :] for i in group)
        lower_scores = {facts.score[i] for i in below}
        is_bye = bool(self.eligible) and not any(facts.score[i] in lower_scores for i in self.eligible)
        best: Candidate | None = None
        best_value: tuple[object, ...] = ()
        for pairs, floaters in self._candidates(moved, residents):
            if best is not None and len(floaters) > len(best[1]):
                continue  # C6 comes first
            if not self.complete(below | frozenset(floaters)):
                continue
            values = quality(facts, moved, pairs, floaters, is_bye).values
            ahead = self.next_best(floaters, index + 1)
            value = (values["C6"], values["C7"], ahead, *(values[c] for c in CRITERIA[2:]))
            if best is None or value < best_value:
                best, best_value = (pairs, floaters), value
        assert best is not None
        return best

    def _candidates(self, moved: Sequence[int], residents: Sequence[int]) -> Iterator[Candidate]:
        """All candidates, those of most pairs first, then those with most MDPs paired (MaxPairs, M1), then in order."""
        for count in range((len(moved) + len(residents)) // 2, -1, -1):
            for met in range(min(count, len(moved), len(residents)), -1, -1):
                if 2 * (count - met) > len(residents) - met:
                    continue
                for movers in combinations(moved, met):  # 4.4
                    for upper in self._transpositions(movers, residents):  # 3.7
                        taken = {b for _a, b in upper}
                        left = [i for i in residents if i not in taken]
                        for lower in self._remainder(left, count - met):
                            inside = {i for pair in (*upper, *lower) for i in pair}
                            yield [*upper, *lower], [i for i in (*moved, *residents) if i not in inside]

    def _remainder(self, players: Sequence[int], count: int) -> Iterator[list[Pair]]:
        """3.6: the original halves, then every exchange in the order of 4.3, each with all its transpositions."""
        numbers = range(1, len(players) + 1)
        first, second = numbers[:count], numbers[count:]
        exchanges = [
            (down, up)
            for size in range(min(len(first), len(second)) + 1)
            for down in combinations(first, size)
            for up in combinations(second, size)
        ]
        exchanges.sort(key=lambda e: (len(e[0]), sum(e[1]) - sum(e[0]), [-x for x in sorted(e[0])[::-1]], sorted(e[1])))
        for down, up in exchanges:
            half = sorted({*first, *up} - {*down})
            other = sorted({*second, *down} - {*up})
            yield from self._transpositions([players[n - 1] for n in half], [players[n - 1] for n in other])

    def _transpositions(self, upper: Sequence[int], lower: Sequence[int]) -> Iterator[list[Pair]]:
        """4.2: opponents of the first, the second, … in lexicographic order; illegal pairs (C1, C3) left out."""
        if not upper:
            yield []
            return
        for j in lower:
            if self.meet(upper[0], j):
                for others in self._transpositions(upper[1:], [i for i in lower if i != j]):
                    yield [(upper[0], j), *others]
