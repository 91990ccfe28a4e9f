"""One round of the FIDE (Dutch) Swiss system (C.04.3), edition of 1 February 2026, bracket by bracket from the top.

The PAB's score comes first (C5). Then every bracket asks who below could do without whom (completion, C4, and the
look-ahead, C8: `dutch_completion`), looks for its perfect candidate in the order of generation (`dutch_perfect`), and
only where that fails solves a weighted matching (`dutch_bracket`), as small as the question allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rules.pairing.dutch_bracket import Below, WeightedBracket
from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_explain import Below as WorldBelow
from rules.pairing.dutch_obstacle import why_impossible
from rules.pairing.dutch_perfect import PerfectSearch
from rules.pairing.dutch_round import RoundFacts, as_set, members
from rules.pairing.state import NoPairing, PairingAnswer, PairingState

#: Up to so many players in and below a bracket, everybody below simply joins the matching.
SMALL = 24


@dataclass(frozen=True, slots=True)
class PairedBracket:
    """A bracket and what became of it; all players as numbers of `RoundFacts`."""

    moved: tuple[int, ...]
    residents: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    floaters: tuple[int, ...]
    route: str


class Pairing:
    """One round being paired."""

    #: The criteria of a bracket that needs a matching.
    bracket_type: type[WeightedBracket] = WeightedBracket

    def __init__(self, state: PairingState) -> None:
        self.facts = RoundFacts(state)
        self.bye_score: int | None = None
        self.brackets: list[PairedBracket] = []
        self._completable: dict[int, bool] = {}

    def run(self) -> None:
        """Pairs all brackets. Raises `NoPairing` when no legal pairing of the round exists."""
        self._bye_score()
        facts = self.facts
        groups = [list(group) for _score, group in groupby(range(facts.count), key=lambda i: facts.score[i])]
        moved: Sequence[int] = ()
        for index, residents in enumerate(groups):
            following = groups[index + 1] if index + 1 < len(groups) else []
            rest = list(range(following[-1] + 1, facts.count)) if following else []
            bracket = self._bracket(moved, residents, following, rest)
            self.brackets.append(bracket)
            moved = bracket.floaters

    @property
    def bye(self) -> int | None:
        """Who has the PAB, as a number of `facts`."""
        left = self.brackets[-1].floaters
        return left[0] if left else None

    def answer(self) -> PairingAnswer:
        """Colours (5.2) and board order (C.04.2 3.6); without reasons."""
        facts = self.facts
        boards: list[tuple[int, int, int, int, int]] = []
        for bracket in self.brackets:
            for a, b in bracket.pairs:
                white, black, _why = facts.colours.allocate(facts.players[a], facts.players[b])
                total = facts.score[a] + facts.score[b]
                better = min(a, b)
                boards.append((-facts.score[better], -total, facts.players[better], white, black))
        boards.sort()
        bye = None if self.bye is None else facts.players[self.bye]
        return PairingAnswer(tuple((white, black) for *_order, white, black in boards), bye)

    def below(self, index: int) -> WorldBelow:
        """What can be asked about the players below a bracket, after the fact."""
        bracket = self.brackets[index]
        following = self.brackets[index + 1].residents if index + 1 < len(self.brackets) else ()
        rest = [i for later in self.brackets[index + 2 :] for i in later.residents]
        under = as_set(following) | as_set(rest)
        welcome: list[int] = []

        def alone_ok(i: int) -> bool:
            if not welcome:
                everybody = (*bracket.moved, *bracket.residents)
                welcome.append(self._who_may_float(everybody, following, rest))
            return bool(welcome[0] >> i & 1)

        return WorldBelow(
            alone_ok,
            lambda floaters: self._complete(under | as_set(floaters)),
            self._is_bye_bracket(following, rest),
        )

    # -- the PAB (C5) ------------------------------------------------------------------------------------------------

    def _bye_score(self) -> None:
        facts = self.facts
        if facts.bye is None:
            if not Graph(facts.may_meet, facts.everybody).perfect:
                raise NoPairing(why_impossible(facts))
            return
        everybody = facts.everybody | 1 << facts.bye
        for score in sorted({facts.score[i] for i in members(facts.may_have_bye)}):
            eligible = as_set(i for i in members(facts.may_have_bye) if facts.score[i] == score)
            facts.open_bye(eligible)
            if Graph(facts.may_meet, everybody).perfect:
                self.bye_score = score
                return
        raise NoPairing(why_impossible(facts))

    # -- one bracket -------------------------------------------------------------------------------------------------

    def _bracket(
        self, moved: Sequence[int], residents: Sequence[int], following: Sequence[int], rest: Sequence[int]
    ) -> PairedBracket:
        size = len(moved) + len(residents)
        floaters = 0
        possible = True
        if size % 2:
            floaters = self._who_may_float(residents, following, rest)
            possible = bool(floaters)
        elif following:
            possible = self._complete(as_set(following) | as_set(rest))
        if possible:
            least_unplayed = self._is_bye_bracket(following, rest)
            found = self._perfect(moved, residents, floaters, least_unplayed)
            if found is not None:
                return found
            inside = as_set((*moved, *residents))
            if self._fits(moved, inside, floaters):
                return self._weighted(moved, residents, Below(exits=floaters), "exit", least_unplayed)
        return self._several_floaters(moved, residents, following, rest)

    def _perfect(
        self, moved: Sequence[int], residents: Sequence[int], floaters: int, least_unplayed: bool
    ) -> PairedBracket | None:
        facts = self.facts
        if floaters and least_unplayed:  # C9
            fewest = min(facts.unplayed[i] for i in members(floaters))
            floaters = as_set(i for i in members(floaters) if facts.unplayed[i] == fewest)
        search = PerfectSearch(facts, moved, residents, floaters)
        ideal = search.ideal()
        found = None if ideal is None else search.run(ideal)
        if found is None:
            return None
        left = () if found.floater is None else (found.floater,)
        return PairedBracket(tuple(moved), tuple(residents), found.pairs, left, "perfect")

    def _weighted(
        self, moved: Sequence[int], residents: Sequence[int], below: Below, route: str, fewest_unplayed: bool
    ) -> PairedBracket:
        solver = self.bracket_type(self.facts, moved, residents, below, fewest_unplayed)
        pairs, floaters = solver.solve()
        return PairedBracket(tuple(moved), tuple(residents), tuple(pairs), tuple(floaters), route)

    def _several_floaters(
        self, moved: Sequence[int], residents: Sequence[int], following: Sequence[int], rest: Sequence[int]
    ) -> PairedBracket:
        """More players must leave than parity asks for, or it is not known beforehand who may."""
        least_unplayed = self._is_bye_bracket(following, rest)
        everything = Below(following=following, rest=rest, bye=self.facts.bye is not None)
        if rest and len(moved) + len(residents) + len(following) + len(rest) > SMALL:
            nearby = Below(following=following, complete=False)
            solver = self.bracket_type(self.facts, moved, residents, nearby)
            pairs, floaters = solver.solve()
            placed = as_set([i for pair in (*pairs, *solver.next_pairs) for i in pair])
            left = as_set((*floaters, *following)) & ~placed
            if self._complete(left | as_set(rest)):
                return PairedBracket(tuple(moved), tuple(residents), tuple(pairs), tuple(floaters), "nearby")
        return self._weighted(moved, residents, everything, "everything", least_unplayed)

    # -- what is below -----------------------------------------------------------------------------------------------

    def _with_bye(self, players: int) -> int:
        return players if self.facts.bye is None else players | 1 << self.facts.bye

    def _complete(self, players: int) -> bool:
        """Have these a complete pairing, with the PAB if it is open (C4)?"""
        players = self._with_bye(players)
        if players not in self._completable:
            self._completable[players] = Graph(self.facts.may_meet, players).perfect
        return self._completable[players]

    def _is_bye_bracket(self, following: Sequence[int], rest: Sequence[int]) -> bool:
        """Does a single downfloater of this bracket get the PAB (C9)?"""
        facts = self.facts
        return facts.bye is not None and all(facts.score[i] != self.bye_score for i in (*following, *rest))

    def _fits(self, moved: Sequence[int], inside: int, floaters: int) -> bool:
        """Can everybody but one of `floaters` be paired inside, those moved down with residents only?"""
        may_meet = list(self.facts.may_meet[: self.facts.count])
        movers = as_set(moved)
        for i in moved:
            may_meet[i] &= ~movers
        if floaters:
            gate = self.facts.count
            for i in members(floaters):
                may_meet[i] |= 1 << gate
            may_meet = [m & ~(1 << gate) | (floaters >> i & 1) << gate for i, m in enumerate(may_meet)]
            may_meet.append(floaters)
            inside |= 1 << gate
        return Graph(may_meet, inside).perfect

    def _who_may_float(self, players: Sequence[int], following: Sequence[int], rest: Sequence[int]) -> int:
        """Those of these players who may be the only downfloater so that the next bracket does best (C4, C7, C8).

        Best conceivable, that is: he is paired there, and all others but one at most. Empty when nobody can do that.
        """
        facts = self.facts
        if not following:
            return facts.may_meet[facts.bye] & as_set(players) if facts.bye is not None else 0
        group = as_set(following)
        below = self._with_bye(as_set(rest))
        guests = as_set(players)
        if len(following) % 2:
            if below and not Graph(facts.may_meet, below).perfect:
                return 0
            return Graph(facts.may_meet, group).hosts(guests)
        # A newcomer in an even group: one of the group then has to go on to those below, through a gate.
        leavers = Graph(facts.may_meet, below).hosts(group)
        if not leavers:
            return 0
        gate = facts.count + 1
        may_meet = list(facts.may_meet)
        if len(may_meet) == facts.count:
            may_meet.append(0)
        for i in members(leavers):
            may_meet[i] |= 1 << gate
        may_meet.append(leavers)
        return Graph(may_meet, group | 1 << gate).hosts(guests, gate)
