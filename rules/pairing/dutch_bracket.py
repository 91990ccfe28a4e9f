"""A bracket for which counting was not enough: criteria and order of generation by weighted matching.

Instead of generating candidates one after the other, the bracket is a matching: pairs inside it carry the quality
criteria C6 to C21, most important first, and the candidate that Articles 3.6, 3.7 and 4.2-4.4 generate first among the
best is then settled player by player with further matchings. What lies below the bracket comes in as far as it matters:

- not at all, when everybody can be paired here and those below have a complete pairing without him;
- as one `exit`, when one player floats and it is known who may (C4, C8);
- as the next score group and everybody below it, when two or more float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.pairing.dutch_matching import Edge, Fields, best_matching
from rules.pairing.dutch_round import RoundFacts, as_set, members


@dataclass(frozen=True, slots=True)
class Below:
    """What a bracket sees of the world below it.

    `exits`: those who may be the only downfloater (then nothing else is looked at); else `following` is the next score
    group, `rest` everybody below that, and `bye` says whether the PAB is open. With `complete` False those of the next
    group may stay without a partner: completion is then not asked for, and must be checked afterwards.
    """

    exits: int = 0
    following: Sequence[int] = ()
    rest: Sequence[int] = ()
    bye: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """A preference of the generation order about one player: his edges with their values; others of his count 0.

    `alone` is the value of staying without a partner. What a matching is to maximise is `rewards`, where that is not
    simply `values`; `most` bounds its sum.
    """

    player: int
    values: Mapping[Edge, int]
    most: int
    alone: int = 0
    rewards: Mapping[Edge, int] | None = None


class WeightedBracket:
    """A bracket as a matching. Nodes 0, 1, … are those moved down, the residents, and what `below` adds.

    `fewest_unplayed` asks for C9: the downfloater is the one who gets the PAB.
    """

    def __init__(
        self, facts: RoundFacts, moved: Sequence[int], residents: Sequence[int], below: Below,
        fewest_unplayed: bool = False,
    ) -> None:  # fmt: skip
        self.facts = facts
        self.below = below
        self.players = [*moved, *residents, *below.following, *below.rest]
        self.moved = len(moved)
        self.size = len(moved) + len(residents)
        self.horizon = self.size + len(below.following)
        self.exit = len(self.players) if below.exits or below.bye else None
        self.nodes = len(self.players) + (self.exit is not None)
        self.fewest_unplayed = fewest_unplayed
        self.score = [facts.score[i] for i in self.players]
        self.fields = Fields(self._edges())
        #: who was given a partner in the bracket while the order was settled
        self.given: set[int] = set()

    def _edges(self) -> list[Edge]:
        facts = self.facts
        node = {i: n for n, i in enumerate(self.players)}
        everybody = as_set(self.players)
        movers = as_set(self.players[: self.moved])
        leaving = self.below.exits
        if self.below.bye:
            assert facts.bye is not None
            leaving = facts.may_meet[facts.bye]
        edges: list[Edge] = []
        for n, i in enumerate(self.players):
            # Two who were moved down never meet here: had that been possible, they would have met above.
            partners = facts.may_meet[i] & everybody & ~((1 << (i + 1)) - 1)
            if n < self.moved:
                partners &= ~movers
            edges += [(n, node[j]) for j in members(partners)]
            if self.exit is not None and leaving >> i & 1:
                edges.append((n, self.exit))
        return edges

    def solve(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Pairs and downfloaters. Raises `LookupError` without a matching such as `below` asks for."""
        self._quality()
        paired = self._settle_movers()
        self._settle_remainder(paired)
        partners = self._matching(self._settled(self.fields))
        pairs = [(i, partners[i]) for i in range(self.size) if i < partners.get(i, -1) < self.size]
        inside = {i for pair in pairs for i in pair}
        floaters = [self.players[i] for i in range(self.size) if i not in inside]
        self.next_pairs = tuple(
            (self.players[i], self.players[j]) for i, j in partners.items() if i < j and self.size <= j < self.horizon
        )
        return [(self.players[i], self.players[j]) for i, j in pairs], floaters

    # -- quality: C6 to C21 ------------------------------------------------------------------------------------------

    def _inside(self, edges: Iterable[Edge]) -> list[Edge]:
        return [e for e in edges if e[1] < self.size]

    def _settled(self, fields: Fields) -> Fields:
        """The same criteria, and below them that whoever was given a partner keeps one.

        Where everybody has a place that goes without saying.
        """
        twin = fields.copy()
        if not self.below.complete:
            given = self.given
            twin.add({e: (e[0] in given) + (e[1] in given) for e in twin.edges}, len(given))
        return twin

    def _matching(self, fields: Fields) -> dict[int, int]:
        partners = best_matching(self.nodes, fields, self.below.complete)
        if self.below.complete and len(partners) < self.nodes:
            raise LookupError("no complete pairing")
        return partners

    def _add(self, values: Mapping[Edge, int], most: int) -> None:
        self.fields.add(values, most)

    def _quality(self) -> None:
        inside = self._inside(self.fields.edges)
        score = self.score
        mover_scores = sorted(set(score[: self.moved]), reverse=True)
        if self.below.exits or self.nodes == self.size:
            self.pairs = self.size // 2  # whoever has an exit is the only one to leave: nothing to choose in C6
        else:
            self._add(dict.fromkeys(inside, 1), self.size // 2)
            partners = self._matching(self._settled(self.fields))
            self.pairs = sum(i < partners.get(i, -1) < self.size for i in range(self.size))
        for points in mover_scores:  # C7
            group = [e for e in inside if e[0] < self.moved and score[e[0]] == points]
            self._add(dict.fromkeys(group, 1), score[: self.moved].count(points))
        self._look_ahead()
        if self.fewest_unplayed and self.size - 2 * self.pairs == 1:
            self._prefer_few_unplayed()
        for penalties, each in self._pair_criteria(inside):
            self._add_penalties(inside, penalties, each)
        for ago in (1, 2):  # C18 to C21
            self._mover_differences(inside, mover_scores, ago)

    def _look_ahead(self) -> None:
        """C8: most pairs in the next bracket, then the highest scores paired there."""
        below = [e for e in self.fields.edges if self.size <= e[1] < self.horizon]
        self._add(dict.fromkeys(below, 1), self.horizon // 2)
        for points in sorted(set(self.score[: self.size]), reverse=True):
            group = [e for e in below if e[0] < self.size and self.score[e[0]] == points]
            self._add(dict.fromkeys(group, 1), self.score[: self.size].count(points))

    def _prefer_few_unplayed(self) -> None:
        """C9."""
        unplayed = {
            e: self.facts.unplayed[self.players[e[0]]]
            for e in self.fields.edges
            if e[1] == self.exit and e[0] < self.size
        }
        most = max(unplayed.values(), default=0)
        self._add({e: most - games for e, games in unplayed.items()}, most)

    def _add_penalties(self, inside: Sequence[Edge], penalties: Mapping[Edge, int], each: int) -> None:
        # The number of pairs is fixed by C6, so few penalties are the same as many points for pairs without one.
        if penalties:
            self._add({e: each - penalties.get(e, 0) for e in inside}, each * self.pairs)

    def _pair_criteria(self, inside: Sequence[Edge]) -> Iterable[tuple[Mapping[Edge, int], int]]:
        """C10 to C17 as penalties of pairs, with the greatest penalty of one pair."""
        facts, players, moved = self.facts, self.players, self.moved
        rivals = [facts.rivals(i) if facts.topscorers else 0 for i in players[: self.size]]
        excess = {e: facts.excess(players[e[0]], players[e[1]]) for e in inside if rivals[e[0]] >> players[e[1]] & 1}
        for which in (0, 1):
            yield {e: x[which] for e, x in excess.items() if x[which]}, 2
        denied = {e: d for e in inside if (d := facts.denied(players[e[0]], players[e[1]]))[0]}
        yield dict.fromkeys(denied, 1), 1
        yield {e: 1 for e, d in denied.items() if d[1]}, 1
        for ago in (1, 2):
            down = [i >= moved and facts.down[ago] >> players[i] & 1 for i in range(self.size)]
            # residents who floated down are better paired here: a penalty for everybody else
            leaves = self.size > 2 * self.pairs and any(down)
            yield ({e: 2 - down[e[0]] - down[e[1]] for e in inside} if leaves else {}), 2
            yield {e: 1 for e in inside if e[0] < moved <= e[1] and facts.up[ago] >> players[e[1]] & 1}, 1

    def _mover_differences(self, inside: Sequence[Edge], mover_scores: Sequence[int], ago: int) -> None:
        """C18 and C19 (or C20 and C21): small score differences for those who floated the same way before.

        A difference depends on the score of the one moved down only, so per score, from the highest: pair those who
        floated down, and give those who floated up no such opponent.
        """
        facts, players, score = self.facts, self.players, self.score
        for points in mover_scores:
            flagged = {i for i in range(self.moved) if score[i] == points and facts.down[ago] >> players[i] & 1}
            self._add({e: 1 for e in inside if e[0] in flagged}, len(flagged))
        for points in mover_scores:
            group = [e for e in inside if e[0] < self.moved <= e[1] and score[e[0]] == points]
            penalties = {e: 1 for e in group if facts.up[ago] >> players[e[1]] & 1}
            if penalties:
                self._add({e: 1 - penalties.get(e, 0) for e in group}, score[: self.moved].count(points))

    # -- the order in which candidates are generated: Articles 3.6, 3.7 and 4 ----------------------------------------

    def _settle(self, base: Fields, choices: Sequence[Choice]) -> None:
        """Fixes choice after choice, each as good as those before allow; several in one matching where bits permit."""
        waiting = list(choices)
        while waiting:
            fields = self._settled(base)
            batch: list[Choice] = []
            while waiting and (fields.room_for(waiting[0].most) or not batch):
                choice = waiting.pop(0)
                fields.add(choice.values if choice.rewards is None else choice.rewards, choice.most)
                batch.append(choice)
            partners = self._matching(fields)
            kept = base.edges
            for choice in batch:
                i = choice.player
                j = partners.get(i, -1)
                if 0 <= j < self.size:
                    self.given.add(i)
                got = choice.alone if j < 0 else choice.values.get((min(i, j), max(i, j)), 0)
                kept = [e for e in kept if i not in e or choice.values.get(e, 0) == got]
            base = base.keep(kept)
        kept_edges = set(base.edges)
        self.fields = self.fields.keep([e for e in self.fields.edges if e in kept_edges])

    def _edges_of(self, player: int, accept: Callable[[int, int], bool]) -> list[Edge]:
        return [e for e in self._inside(self.fields.edges) if player in e and accept(*e)]

    def _settle_movers(self) -> list[int]:
        """Which of those moved down are paired here (4.4), and with whom (4.2). Returns them."""
        if not self.moved:
            return []
        choices = [Choice(i, dict.fromkeys(self._edges_of(i, lambda a, b: True), 1), 1) for i in range(self.moved)]
        self._settle(self.fields, choices)
        partners = self._matching(self._settled(self.fields))
        paired = [i for i in range(self.moved) if 0 <= partners.get(i, -1) < self.size]
        self._settle(self.fields, [self._partner_choice(i, range(self.moved, self.size)) for i in paired])
        return paired

    def _partner_choice(self, player: int, partners: Sequence[int]) -> Choice:
        rank = {j: len(partners) - k for k, j in enumerate(partners)}
        edges = self._edges_of(player, lambda a, b: (b if a == player else a) in rank)
        return Choice(player, {e: rank[e[1] if e[0] == player else e[0]] for e in edges}, len(partners))

    def _settle_remainder(self, movers: Sequence[int]) -> None:
        """The residents left over, as a homogeneous bracket: exchanges (4.3), then transpositions (4.2)."""
        taken = set()
        if movers:
            partners = self._matching(self._settled(self.fields))
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
        fields = self._settled(self.fields)
        fields.add({e: int(number[e[0]] <= count) for e in within}, count)
        partners = self._matching(fields)
        if not any(number[i] > count and i < partners.get(i, -1) < self.size for i in left):
            return frozenset(left[:count])
        fields.add({e: len(left) - number[e[0]] for e in within}, count * len(left))
        leaves = [self._leaves_upper_half(i, within, fields.edges, count) for i in reversed(left[:count])]
        enters = [Choice(i, {e: 1 for e in within if e[0] == i}, 1) for i in left[count:]]
        self._settle(fields, [*leaves, *enters])
        partners = self._matching(self._settled(self.fields))
        return frozenset(i for i in left if i < partners.get(i, -1) < self.size)

    def _leaves_upper_half(self, i: int, within: Sequence[Edge], edges: Sequence[Edge], count: int) -> Choice:
        """Better if this one is not the better-ranked of a pair: the other one, or a downfloater."""
        values = {e: 1 for e in edges if i in e and (e[1] >= self.size or e[1] == i)}
        if self.below.complete:
            return Choice(i, values, 1)
        # Without completion a floater may have no edge: count the pairs that he does not head.
        return Choice(i, values, count, 1, {e: 1 for e in within if e[0] != i})
