"""One bracket of the Dutch system: which players meet, which float down (C.04.3 Articles 2 to 4).

Instead of generating candidates one after the other, the bracket is a weighted matching over everybody still unpaired:
pairs inside the bracket carry the quality criteria, pairs with the next score group the look-ahead (C8), and that the
matching is perfect is the completion (C4). Among the candidates of best quality, the one that Articles 3.6, 3.7 and
4.2-4.4 generate first is then settled player by player with further matchings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rules.pairing.colours import Colours, Strength
from rules.pairing.floats import Float, floats
from rules.pairing.matching import Edge, Fields, best_matching
from rules.pairing.state import PairingState


class Round:
    """What all brackets of a round share: who may meet whom, preferences, floats, the PAB's score."""

    def __init__(self, state: PairingState) -> None:
        self.state = state
        self.colours = Colours(state)
        self.floats = floats(state)
        self.scores = state.scores
        self.pab_score: int | None = None

    @cached_property
    def may_meet(self) -> Mapping[int, frozenset[int]]:
        """TPN → those present he may meet under C1 and C3."""
        present = self.state.present
        allowed: dict[int, set[int]] = {p.tpn: set() for p in present}
        for i, a in enumerate(present):
            for b in present[i + 1 :]:
                banned = (min(a.tpn, b.tpn), max(a.tpn, b.tpn)) in self.state.forbidden
                if b.tpn not in a.met and not banned and not self.clash(a.tpn, b.tpn):
                    allowed[a.tpn].add(b.tpn)
                    allowed[b.tpn].add(a.tpn)
        return {tpn: frozenset(others) for tpn, others in allowed.items()}

    def clash(self, a: int, b: int) -> bool:
        """Do both want the same colour absolutely, with no topscorer among them (C3)?"""
        first, second = self.colours.preferences[a], self.colours.preferences[b]
        return (
            first.strength == second.strength == Strength.ABSOLUTE
            and first.colour == second.colour
            and not (self.state.is_topscorer(a) or self.state.is_topscorer(b))
        )

    def may_have_bye(self, tpn: int) -> bool:
        """Is the player eligible for the PAB (C2), with the score that C5 asks for (once that is known)?"""
        return not self.state.by_tpn[tpn].barred_from_bye and self.pab_score in (None, self.scores[tpn])

    def floated(self, tpn: int, rounds_ago: int, kind: Float) -> bool:
        """Did the player float so, `rounds_ago` rounds before this one?"""
        history = self.floats[tpn]
        return len(history) >= rounds_ago and history[-rounds_ago] is kind

    def excess(self, a: int, b: int) -> tuple[int, int]:
        """Players of a topscorer's pair with a difference beyond ±2 (C10), and with a third equal colour (C11)."""
        if not (self.state.is_topscorer(a) or self.state.is_topscorer(b)):
            return 0, 0
        white, black, _why = self.colours.allocate(a, b)
        beyond = third = 0
        for tpn, colour, step in ((white, "white", 1), (black, "black", -1)):
            beyond += abs(self.colours.preferences[tpn].difference + step) > 2
            third += self.state.by_tpn[tpn].colours[-2:] == (colour, colour)
        return beyond, third

    def denied(self, a: int, b: int) -> tuple[int, int]:
        """Is a preference not met in this pair (C12), and a strong or absolute one (C13)?"""
        first, second = self.colours.preferences[a], self.colours.preferences[b]
        if first.colour is None or first.colour != second.colour:
            return 0, 0
        return 1, int(min(first.strength, second.strength) >= Strength.STRONG)


@dataclass(frozen=True, slots=True)
class Choice:
    """A preference of the generation order about one player: his edges with their values; others of his count 0."""

    player: int
    values: Mapping[Edge, int]
    most: int


class Bracket:
    """A bracket together with everybody below it. Players are nodes 0, 1, … in the order of Article 1.2.

    First the players moved down, then the residents, then the next score group, then the rest; the last node is the PAB
    where there is one. `skipped` counts criteria for which 120 bits were not enough.
    """

    def __init__(
        self, shared: Round, moved: Sequence[int], residents: Sequence[int], following: Sequence[int],
        rest: Sequence[int], bye_open: bool,
    ) -> None:  # fmt: skip
        self.shared = shared
        self.players = [*moved, *residents, *following, *rest]
        self.moved = len(moved)
        self.size = len(moved) + len(residents)
        self.horizon = self.size + len(following)
        self.bye = len(self.players) if bye_open else None
        self.nodes = len(self.players) + bye_open
        self.skipped = 0
        edges: list[Edge] = []
        index = {tpn: i for i, tpn in enumerate(self.players)}
        for i, tpn in enumerate(self.players):
            edges += [(i, j) for j in sorted(index[o] for o in shared.may_meet[tpn] if o in index) if j > i]
            if self.bye is not None and shared.may_have_bye(tpn):
                edges.append((i, self.bye))
        self.fields = Fields(edges)

    def solve(self) -> tuple[list[tuple[int, int]], list[int]]:
        """The bracket's pairs and its downfloaters, as TPNs. Raises `LookupError` without any complete pairing."""
        self._quality()
        paired_movers = self._settle_movers()
        self._settle_remainder(paired_movers)
        partners = self._matching(self.fields)
        pairs = [(i, partners[i]) for i in range(self.size) if i < partners[i] < self.size]
        floaters = [i for i in range(self.size) if partners[i] >= self.size]
        return [(self.players[i], self.players[j]) for i, j in pairs], [self.players[i] for i in floaters]

    # -- quality: C6 to C21 ------------------------------------------------------------------------------------------

    def _inside(self, edges: Iterable[Edge]) -> list[Edge]:
        return [e for e in edges if e[1] < self.size]

    def _matching(self, fields: Fields) -> dict[int, int]:
        partners = best_matching(self.nodes, fields)
        if len(partners) < self.nodes:
            raise LookupError("no complete pairing")
        return partners

    def _add(self, values: Mapping[Edge, int], most: int) -> None:
        if not self.fields.add(values, most):
            self.skipped += 1

    def _quality(self) -> None:
        inside = self._inside(self.fields.edges)
        self._add(dict.fromkeys(inside, 1), self.size // 2)  # C6
        partners = self._matching(self.fields)
        self.pairs = sum(i < partners[i] < self.size for i in range(self.size))
        score = [self.shared.scores[tpn] for tpn in self.players]
        mover_scores = sorted(set(score[: self.moved]), reverse=True)
        for points in mover_scores:  # C7
            group = [e for e in inside if e[0] < self.moved and score[e[0]] == points]
            self._add(dict.fromkeys(group, 1), score[: self.moved].count(points))
        self._look_ahead(score)
        floaters = self.size - 2 * self.pairs
        if floaters == 1 and self.bye is not None and self.shared.pab_score is not None:
            self._fewest_unplayed(score)
        for penalties, each in self._pair_criteria(inside):
            self._add_penalties(inside, penalties, each)
        for ago in (1, 2):  # C18 to C21
            self._mover_differences(inside, score, mover_scores, ago)

    def _look_ahead(self, score: Sequence[int]) -> None:
        """C8: most pairs in the next bracket, then the highest scores paired there."""
        below = [e for e in self.fields.edges if self.size <= e[1] < self.horizon]
        self._add(dict.fromkeys(below, 1), self.horizon // 2)
        for points in sorted(set(score[: self.size]), reverse=True):
            group = [e for e in below if e[0] < self.size and score[e[0]] == points]
            self._add(dict.fromkeys(group, 1), score[: self.size].count(points))

    def _fewest_unplayed(self, score: Sequence[int]) -> None:
        """C9: the only downfloater is the PAB player when nobody below this bracket can have the PAB."""
        if any(points == self.shared.pab_score for points in score[self.size :]):
            return
        unplayed = {
            e: self.shared.state.by_tpn[self.players[e[0]]].unplayed_games
            for e in self.fields.edges
            if e[1] == self.bye and e[0] < self.size
        }
        most = max(unplayed.values(), default=0)
        self._add({e: most - games for e, games in unplayed.items()}, most)

    def _add_penalties(self, inside: Sequence[Edge], penalties: Mapping[Edge, int], each: int) -> None:
        # The number of pairs is fixed by C6, so few penalties are the same as many points for pairs without one.
        if any(penalties.values()):
            self._add({e: each - penalties.get(e, 0) for e in inside}, each * self.pairs)

    def _pair_criteria(self, inside: Sequence[Edge]) -> Iterable[tuple[Mapping[Edge, int], int]]:
        """C10 to C17 as penalties of pairs, with the greatest penalty of one pair."""
        shared, players, moved = self.shared, self.players, self.moved
        excess = {e: shared.excess(players[e[0]], players[e[1]]) for e in inside}
        yield {e: x[0] for e, x in excess.items()}, 2
        yield {e: x[1] for e, x in excess.items()}, 2
        denied = {e: shared.denied(players[e[0]], players[e[1]]) for e in inside}
        yield {e: d[0] for e, d in denied.items()}, 1
        yield {e: d[1] for e, d in denied.items()}, 1
        for ago in (1, 2):
            down = [i >= moved and shared.floated(players[i], ago, Float.DOWN) for i in range(self.size)]
            # residents who floated down are better paired here: a penalty for everybody else
            yield ({e: 2 - down[e[0]] - down[e[1]] for e in inside} if any(down) else {}), 2
            up = [shared.floated(tpn, ago, Float.UP) for tpn in players[: self.size]]
            yield {e: int(e[0] < moved <= e[1] and up[e[1]]) for e in inside}, 1

    def _mover_differences(
        self, inside: Sequence[Edge], score: Sequence[int], mover_scores: Sequence[int], ago: int
    ) -> None:
        """C18 and C19 (or C20 and C21): small score differences for those who floated the same way before.

        A difference depends on the score of the one moved down only, so per score, from the highest: pair those who
        floated down, and give those who floated up no such opponent.
        """
        shared = self.shared
        for points in mover_scores:
            flagged = [
                i for i in range(self.moved)
                if score[i] == points and shared.floated(self.players[i], ago, Float.DOWN)
            ]  # fmt: skip
            self._add({e: 1 for e in inside if e[0] in flagged}, len(flagged))
        for points in mover_scores:
            group = [e for e in inside if e[0] < self.moved <= e[1] and score[e[0]] == points]
            penalties = {e: 1 for e in group if shared.floated(self.players[e[1]], ago, Float.UP)}
            if penalties:
                self._add({e: 1 - penalties.get(e, 0) for e in group}, score[: self.moved].count(points))

    # -- the order in which candidates are generated: Articles 3.6, 3.7 and 4 ----------------------------------------

    def _settle(self, base: Fields, choices: Sequence[Choice]) -> None:
        """Fixes choice after choice, each as good as those before allow; several in one matching where bits permit."""
        waiting = list(choices)
        while waiting:
            fields = base.copy()
            batch: list[Choice] = []
            while waiting and (fields.room_for(waiting[0].most) or not batch):
                choice = waiting.pop(0)
                if not fields.add(choice.values, choice.most):
                    self.skipped += 1
                batch.append(choice)
            partners = self._matching(fields)
            for choice in batch:
                i = choice.player
                edge = (min(i, partners[i]), max(i, partners[i]))
                got = choice.values.get(edge, 0)
                base = base.keep([e for e in base.edges if i not in e or choice.values.get(e, 0) == got])
        kept = set(base.edges)
        self.fields = self.fields.keep([e for e in self.fields.edges if e in kept])

    def _edges_of(self, player: int, accept: Callable[[int, int], bool]) -> list[Edge]:
        return [e for e in self._inside(self.fields.edges) if player in e and accept(*e)]

    def _settle_movers(self) -> list[int]:
        """Which of those moved down are paired here (4.4), and with whom (4.2). Returns them."""
        if not self.moved:
            return []
        choices = [Choice(i, dict.fromkeys(self._edges_of(i, lambda a, b: True), 1), 1) for i in range(self.moved)]
        self._settle(self.fields, choices)
        partners = self._matching(self.fields)
        paired = [i for i in range(self.moved) if partners[i] < self.size]
        self._settle(self.fields, [self._partner_choice(i, range(self.moved, self.size)) for i in paired])
        return paired

    def _partner_choice(self, player: int, partners: Sequence[int]) -> Choice:
        rank = {j: len(partners) - k for k, j in enumerate(partners)}
        edges = self._edges_of(player, lambda a, b: (b if a == player else a) in rank)
        return Choice(player, {e: rank[e[1] if e[0] == player else e[0]] for e in edges}, len(partners))

    def _settle_remainder(self, movers: Sequence[int]) -> None:
        """The residents left over, as a homogeneous bracket: exchanges (4.3), then transpositions (4.2)."""
        if not self.pairs:
            return
        taken = set()
        if movers:
            partners = self._matching(self.fields)
            taken = {partners[i] for i in movers}
        left = [i for i in range(self.moved, self.size) if i not in taken]
        count = self.pairs - len(movers)
        if not count:
            return
        lower = self._settle_exchange(left, count)
        upper = [i for i in left if i not in lower]
        among = set(left)
        allowed = [
            e for e in self.fields.edges
            if not (e[0] in among and e[1] in among) or (e[0] in lower and e[1] not in lower)
        ]  # fmt: skip
        self.fields = self.fields.keep(allowed)
        self._settle(self.fields, [self._partner_choice(i, upper) for i in sorted(lower)])

    def _settle_exchange(self, left: Sequence[int], count: int) -> frozenset[int]:
        """S1 after the first exchange that allows a candidate of best quality.

        S1 holds the better-ranked player of every pair: any other way to write the same pairs comes later in 4.3. So
        the number of players exchanged is that of pairs inside S2, and the sums of 4.3 differ by the numbers in S1.
        """
        number = {i: bsn for bsn, i in enumerate(left, 1)}
        within = [e for e in self._inside(self.fields.edges) if e[0] in number and e[1] in number]
        fields = self.fields.copy()
        fields.add({e: int(number[e[0]] <= count) for e in within}, count)
        partners = self._matching(fields)
        if not any(number[i] > count and partners[i] < self.size and partners[i] > i for i in left):
            return frozenset(left[:count])
        fields.add({e: len(left) - number[e[0]] for e in within}, count * len(left))
        leaves = [Choice(i, {e: 1 for e in within if i in e and e[0] != i}, 1) for i in reversed(left[:count])]
        unmatched_too = [
            Choice(c.player, {**c.values, **{e: 1 for e in fields.edges if c.player in e and e[1] >= self.size}}, 1)
            for c in leaves
        ]
        enters = [Choice(i, {e: 1 for e in within if e[0] == i}, 1) for i in left[count:]]
        self._settle(fields, [*unmatched_too, *enters])
        partners = self._matching(self.fields)
        return frozenset(i for i in left if i < partners[i] < self.size)
