"""The Dutch system as it was until 31 January 2026 (C.04.3, edition of 2017), for old events.

Other than today, a bracket is paired without regard to completion. Only when its downfloaters and everybody below turn
out to have no complete pairing is it paired again, as the penultimate bracket whose downfloaters must allow completion
(C.4), and everybody below becomes one collapsed last bracket. The PAB is whoever that bracket leaves over; there is no
rule for its score. Criteria have the numbers of that edition here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rules.pairing.dutch_bracket import Below, WeightedBracket
from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_matching import Edge
from rules.pairing.dutch_obstacle import why_impossible
from rules.pairing.dutch_pairing import PairedBracket, Pairing
from rules.pairing.dutch_round import as_set, members
from rules.pairing.state import WIN, NoPairing


class Bracket2017(WeightedBracket):
    """The criteria of the edition of 2017: C.5 to C.19."""

    def _quality(self) -> None:
        inside = self._inside(self.fields.edges)
        self._add(dict.fromkeys(inside, 1), self.size // 2)  # C.5
        partners = self._matching(self.fields)
        self.pairs = sum(i < partners.get(i, -1) < self.size for i in range(self.size))
        everybody = range(self.size)
        self._differences(inside, everybody, lambda high, low: True)  # C.6
        self._look_ahead()  # C.7
        for penalties, each in self._colour_criteria(inside):  # C.8 to C.11
            self._add_penalties(inside, penalties, each)
        score, bit = self.score, self.players
        flags = {
            (kind, ago): [table[ago] >> bit[i] & 1 for i in everybody]
            for kind, table in (("down", self.facts.down), ("up", self.facts.up))
            for ago in (1, 2)
        }
        for ago in (1, 2):  # C.12 to C.15
            down, up = flags["down", ago], flags["up", ago]
            if any(down):
                saved = {e: (down[e[0]] and score[e[0]] == score[e[1]]) + down[e[1]] for e in inside}
                self._add(saved, 2 * self.pairs)
            self._add_penalties(inside, {e: 1 for e in inside if up[e[1]] and score[e[0]] > score[e[1]]}, 1)
        for ago in (1, 2):  # C.16 to C.19
            down, up = flags["down", ago], flags["up", ago]
            floated = [i for i in everybody if down[i]]
            self._differences(inside, floated, lambda high, low, down=down: bool(down[high]))
            again = [e for e in inside if up[e[1]] and score[e[0]] > score[e[1]]]
            for points in sorted({score[e[0]] for e in again}, reverse=True):
                self._add_penalties(inside, {e: 1 for e in again if score[e[0]] == points}, 1)

    def _colour_criteria(self, inside: Sequence[Edge]) -> Iterable[tuple[Mapping[Edge, int], int]]:
        """C.8 to C.11 are today's C10 to C13."""
        criteria = iter(self._pair_criteria(inside))
        for _which in range(4):
            yield next(criteria)

    def _differences(self, inside: Sequence[Edge], players: Iterable[int], counts: object) -> None:
        """Score differences, the greatest first, as rarely as possible (A.8).

        Of a pair it is the difference of the two scores, where `counts(high, low)`; a downfloater's is that to one
        point less than the lowest score of the bracket, for each of `players`.
        """
        score = self.score
        floor = min(score[: self.size]) - WIN
        leaving = {i: score[i] - floor for i in players}
        of_pair = {e: score[e[0]] - score[e[1]] for e in inside if counts(*e)}  # type: ignore[operator]
        values = {v for v in (*leaving.values(), *of_pair.values()) if v > 0}
        for value in sorted(values, reverse=True):
            # Whoever is paired does not float; an offset of one for each pair keeps the sums positive.
            saved = {
                e: 1 + (leaving.get(e[0]) == value) + (leaving.get(e[1]) == value) - (of_pair.get(e) == value)
                for e in inside
            }
            if len(set(saved.values())) > 1:
                self._add(saved, 3 * self.pairs)


class Pairing2017(Pairing):
    """One round by the edition of 2017."""

    bracket_type = Bracket2017

    def run(self) -> None:
        """Pairs all brackets. Raises `NoPairing` when no legal pairing of the round exists."""
        facts = self.facts
        everybody = facts.everybody
        if facts.bye is not None:
            facts.open_bye(facts.may_have_bye)
            everybody |= 1 << facts.bye
        if not Graph(facts.may_meet, everybody).perfect:
            raise NoPairing(why_impossible(facts))
        groups = [list(group) for _score, group in groupby(range(facts.count), key=lambda i: facts.score[i])]
        moved: Sequence[int] = ()
        for index, residents in enumerate(groups):
            below = [i for group in groups[index + 1 :] for i in group]
            following = groups[index + 1] if below else []
            found = self._normal(moved, residents, following) if below else self._last(moved, residents)
            if below and not self._complete(as_set(below) | as_set(found.floaters)):
                everything = Below(rest=below, bye=facts.bye is not None)
                found = self._weighted(moved, residents, everything, "penultimate", False)
                self.brackets += [found, self._last(found.floaters, below)]
                return
            self.brackets.append(found)
            moved = found.floaters

    def _last(self, moved: Sequence[int], residents: Sequence[int]) -> PairedBracket:
        """The last bracket, collapsed or not: everybody has a place, the PAB included."""
        facts = self.facts
        if facts.score[residents[0]] == facts.score[residents[-1]]:
            open_bye = facts.may_meet[facts.bye] & as_set(residents) if facts.bye is not None else 0
            found = self._perfect(moved, residents, open_bye, False)
            if found is not None:
                return found
        return self._weighted(moved, residents, Below(bye=facts.bye is not None), "everything", False)

    def _normal(self, moved: Sequence[int], residents: Sequence[int], following: Sequence[int]) -> PairedBracket:
        floaters = 0
        if (len(moved) + len(residents)) % 2:
            floaters = self._hosted(residents, following)
        if floaters or (len(moved) + len(residents)) % 2 == 0:
            found = self._perfect(moved, residents, floaters, False)
            if found is not None:
                return found
        return self._weighted(moved, residents, Below(following=following, complete=False), "nearby", False)

    def _hosted(self, residents: Sequence[int], following: Sequence[int]) -> int:
        """Residents whom the next score group can take in with as few of its own left over as conceivable (C.7)."""
        facts = self.facts
        group, guests = as_set(following), as_set(residents)
        if len(following) % 2:
            return Graph(facts.may_meet, group).hosts(guests)
        gate = facts.count + 1
        may_meet = [*facts.may_meet, 0, 0][: gate + 1]
        for i in members(group):
            may_meet[i] |= 1 << gate
        may_meet[gate] = group
        return Graph(may_meet, group | 1 << gate).hosts(guests, gate)
