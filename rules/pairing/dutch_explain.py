"""Why this pairing: per bracket, per board and for the bye, as data and in words (C.04.1 BR 9).

A partner is explained by those before him whom the order of generation would have given: each of them is out, because
the two may not meet, or because exchanging the partners would break a rule or make a criterion worse. That an
explanation can always be found this way is a property of the first best candidate, and the tests use it as one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from gettext import ngettext

from rules.pairing.dutch_completion import Graph
from rules.pairing.dutch_criteria import Quality, Value, meaning, quality
from rules.pairing.dutch_obstacle import obstacle
from rules.pairing.dutch_perfect import least_denied
from rules.pairing.dutch_round import RoundFacts, as_set, members
from rules.pairing.wording import _

#: Passed-over partners that are explained for one board; of the others there is only the number.
EXPLAINED = 3


@dataclass(frozen=True, slots=True)
class Skipped:
    """A player (TPN) who came before the chosen one, the criterion that spoke against him, and why."""

    player: int
    criterion: str
    words: str


@dataclass(frozen=True, slots=True)
class BoardReason:
    """One board: White, Black (TPN), number of the bracket from 0, whom the order passed over, and the colour rule.

    `more` is how many besides the `skipped` were passed over, further down in the order.
    """

    board: int
    white: int
    black: int
    bracket: int
    skipped: tuple[Skipped, ...]
    more: int
    colours: str

    def words(self) -> str:
        """One sentence for the arbiter."""
        if not self.skipped:
            partner = _("the first pair possible in the order")
        else:
            partner = "; ".join(s.words for s in self.skipped)
            if self.more:
                more = ngettext("and {n} more passed over", "and {n} more passed over", self.more)
                partner += "; " + more.format(n=self.more)
        return _("Board {board}, {white}-{black}: {partner}. Colours: {colours}.").format(
            board=self.board, white=self.white, black=self.black, partner=partner, colours=self.colours
        )


@dataclass(frozen=True, slots=True)
class BracketReason:
    """One bracket; players are TPNs, scores half-points.

    `first` is the candidate that the order generates first and `decided_by` the rule or criterion against it, "" when
    it was taken. `exchanged`: players of the lower half who went into the upper one. `stranded`: sentences about those
    moved down who could not have met anybody here. `possible` pairs could be made if nobody below mattered;
    `least_denied` is the least that C12 and C13 can be by counting. `values` has the criteria that are not zero.
    `route` is how the engine found it: "perfect", or which players its matching looked at.
    """

    score: int
    moved: tuple[int, ...]
    residents: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    floaters: tuple[int, ...]
    first: tuple[tuple[int, int], ...]
    decided_by: str
    why: str
    exchanged: tuple[int, ...]
    stranded: tuple[str, ...]
    possible: int
    least_denied: tuple[int, int]
    values: tuple[tuple[str, Value], ...]
    route: str

    def words(self) -> str:
        """A few sentences for the arbiter."""
        parts = [
            _("Score group {points}: {players}.").format(points=points(self.score), players=_listed(self.residents))
        ]
        if self.moved:
            parts.append(_("From above: {players}.").format(players=_listed(self.moved)))
        paired = " ".join(f"{a}-{b}" for a, b in self.pairs) or _("none")
        parts.append(_("Pairs: {pairs}.").format(pairs=paired))
        if self.floaters:
            parts.append(_("Moved down: {players}.").format(players=_listed(self.floaters)))
        parts += [self.why, *self.stranded, *self._fewer_pairs()]
        if self.exchanged:
            parts.append(_("Into the upper half by exchange: {players}.").format(players=_listed(self.exchanged)))
        least = dict(zip(("C12", "C13"), self.least_denied, strict=True))
        for criterion, value in self.values:
            if criterion not in ("C6", "C7"):
                text = _("{criterion}, {meaning}: {value}.")
                if value == (least.get(criterion),):
                    text = _("{criterion}, {meaning}: {value}, which is the least possible.")
                amounts = ", ".join(_amount(criterion, v) for v in value)
                parts.append(text.format(criterion=criterion, meaning=meaning(criterion), value=amounts))
        return " ".join(parts)

    def _fewer_pairs(self) -> list[str]:
        """Why not everybody is paired here although their number would allow it."""
        made = len(self.pairs)
        if made == (len(self.moved) + len(self.residents)) // 2 or self.possible == 0:
            return []
        if made == self.possible:
            text = ngettext("No more than {n} pair is possible.", "No more than {n} pairs are possible.", made)
            return [text.format(n=made)]
        text = ngettext(
            "{n} pair could be made, but then the others would have no complete pairing (C4).",
            "{n} pairs could be made, but then the others would have no complete pairing (C4).",
            self.possible,
        )
        return [text.format(n=self.possible)]


@dataclass(frozen=True, slots=True)
class ByeReason:
    """The PAB: who, his score in half-points, and everybody of this or a lower score who did not get it, with why."""

    player: int
    score: int
    others: tuple[Skipped, ...]

    def words(self) -> str:
        """Sentences for the arbiter."""
        parts = [
            _("{tpn} is left over: {points} is the lowest score with which a complete pairing exists (C5).").format(
                tpn=self.player, points=points(self.score)
            )
        ]
        parts += [s.words for s in self.others]
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything there is to say about one round."""

    brackets: tuple[BracketReason, ...]
    boards: tuple[BoardReason, ...]
    bye: ByeReason | None
    notes: tuple[str, ...] = ()

    def words(self) -> tuple[str, ...]:
        """The whole explanation, sentence by sentence: brackets, boards, bye, notes."""
        lines = [b.words() for b in self.brackets] + [b.words() for b in self.boards]
        if self.bye is not None:
            lines.append(self.bye.words())
        return (*lines, *self.notes)


@dataclass(frozen=True, slots=True)
class Below:
    """What the explanation may ask about the world below a bracket.

    `alone_ok(i)`: may `i` be the only downfloater as well as the one chosen (C4, C8)? `complete(floaters)`: have they
    and everybody below a complete pairing? `bye`: does a single downfloater get the PAB?
    """

    alone_ok: Callable[[int], bool]
    complete: Callable[[Sequence[int]], bool]
    bye: bool


class BracketExplainer:
    """Explains one paired bracket; players are numbers of `RoundFacts`."""

    def __init__(
        self, facts: RoundFacts, moved: Sequence[int], residents: Sequence[int],
        pairs: Sequence[tuple[int, int]], floaters: Sequence[int], below: Below,
    ) -> None:  # fmt: skip
        self.facts = facts
        self.moved = moved
        self.residents = residents
        self.pairs = [(a, b) if a < b else (b, a) for a, b in pairs]
        self.floaters = list(floaters)
        self.below = below
        self._movers = frozenset(moved)
        self._residents = as_set(residents)
        self.partner = dict(self.pairs) | {b: a for a, b in self.pairs}

    @cached_property
    def _heads(self) -> list[int]:
        """The upper half of the remainder."""
        return sorted(a for a, _b in self.pairs if a not in self._movers)

    @cached_property
    def _lower(self) -> int:
        """The lower half of the remainder, floaters included."""
        met_above = as_set(self.partner[i] for i in self.moved if i in self.partner)
        return self._residents & ~as_set(self._heads) & ~met_above

    def quality(self, pairs: Sequence[tuple[int, int]], floaters: Sequence[int]) -> Quality:
        """Criteria of a candidate of this bracket."""
        return quality(self.facts, self.moved, pairs, floaters, self.below.bye)

    # -- the bracket -------------------------------------------------------------------------------------------------

    def bracket(self, route: str) -> BracketReason:
        """The reason of the bracket as a whole."""
        facts = self.facts
        first, leaves = self._first_candidate()
        decided_by, why = self._against(first, leaves)
        name = facts.players
        own = self.quality(self.pairs, self.floaters)
        return BracketReason(
            score=facts.score[self.residents[0]],
            moved=tuple(name[i] for i in self.moved),
            residents=tuple(name[i] for i in self.residents),
            pairs=tuple((name[a], name[b]) for a, b in self.pairs),
            floaters=tuple(name[i] for i in self.floaters),
            first=tuple((name[a], name[b]) for a, b in first),
            decided_by=decided_by,
            why=why,
            exchanged=tuple(name[i] for i in self._exchanged()),
            stranded=tuple(self._stranded()),
            possible=self._possible(),
            least_denied=self._least_denied(),
            values=tuple((c, v) for c, v in own.values.items() if any(v)),
            route=route,
        )

    def _first_candidate(self) -> tuple[list[tuple[int, int]], list[int]]:
        opponents = min(len(self.moved), len(self.residents))
        pairs = list(zip(self.moved[:opponents], self.residents, strict=False))
        left = list(self.residents[opponents:])
        half = len(left) // 2
        pairs += zip(left[:half], left[half : 2 * half], strict=True)
        return pairs, [*self.moved[opponents:], *left[2 * half :]]

    def _exchanged(self) -> list[int]:
        met_above = {self.partner[i] for i in self.moved if i in self.partner}
        left = [i for i in self.residents if i not in met_above]
        heads = [a for a, _b in self.pairs if a >= self.residents[0]]
        return [i for i in heads if i not in left[: len(heads)]]

    def _possible(self) -> int:
        everybody = as_set((*self.moved, *self.residents))
        if len(self.pairs) == everybody.bit_count() // 2:
            return len(self.pairs)
        may_meet = list(self.facts.may_meet)
        for i in self.moved:
            may_meet[i] &= self._residents
        for i in self.residents:
            may_meet[i] &= everybody
        return (everybody.bit_count() - Graph(may_meet, everybody, thorough=True).exposed.bit_count()) // 2

    def _least_denied(self) -> tuple[int, int]:
        counts = [0] * 7
        for i in self.partner:
            counts[self.facts.kind[i]] += 1
        return least_denied(counts) or (0, 0)

    def _stranded(self) -> list[str]:
        """A sentence for each of the first few who could not have met anybody here."""
        inside = as_set((*self.moved, *self.residents))
        lines: list[str] = []
        more = 0
        for i in self.floaters:
            others = (self._residents if i in self._movers else inside) & ~(1 << i)
            if not others or self.facts.may_meet[i] & others:
                continue
            if len(lines) < EXPLAINED:
                lines.append(nobody_to_meet(self.facts, i, others))
            else:
                more += 1
        if more:
            text = ngettext("The same goes for {n} more.", "The same goes for {n} more.", more)
            lines.append(text.format(n=more))
        return lines

    def _against(self, first: Sequence[tuple[int, int]], leaves: Sequence[int]) -> tuple[str, str]:
        """The rule or criterion that speaks against the first candidate, and one sentence."""
        if sorted(first) == sorted(self.pairs):
            return "", _("The first candidate in the order is perfect.") if first else _(
                "There is nobody to meet here."
            )
        for a, b in first:
            if not self.facts.may_meet[a] >> b & 1:
                criterion, words = may_not_meet(self.facts, a, b)
                return criterion, _("The first candidate is out: {why}.").format(why=words)
        floating = self._floaters_fault(leaves)
        if floating is not None:
            return floating[0], _("The first candidate is out: {why}.").format(why=floating[1])
        criterion, words = self._worse(self.quality(first, leaves), self.quality(self.pairs, self.floaters))
        return criterion, _("The first candidate is out: {why}.").format(why=words)

    def _floaters_fault(self, leaves: Sequence[int]) -> tuple[str, str] | None:
        if sorted(leaves) == sorted(self.floaters):
            return None
        names = _listed([self.facts.players[i] for i in leaves]) or _("nobody")
        if not self.below.complete(leaves):
            if self.below.bye and len(leaves) == 1:
                return "C2", _("{players} may not have the bye (C2, C5)").format(players=names)
            return "C4", _("with {players} moving down the rest has no complete pairing (C4)").format(players=names)
        if len(leaves) == len(self.floaters) == 1 and not self.below.alone_ok(leaves[0]):
            mine, other = self.facts.score[self.floaters[0]], self.facts.score[leaves[0]]
            if other <= mine:
                return "C8", _("with {players} moving down the next score group pairs worse (C8)").format(players=names)
        return None

    def _worse(self, candidate: Quality, chosen: Quality) -> tuple[str, str]:
        criterion = candidate.first_difference(chosen)
        if criterion is None or not chosen.better_than(candidate):
            return "C8", _("the next score group would pair worse (C8)")
        theirs, ours = candidate.values[criterion], chosen.values[criterion]
        return criterion, _("{meaning} would be {theirs} instead of {ours} ({criterion})").format(
            meaning=meaning(criterion),
            theirs=", ".join(_amount(criterion, v) for v in theirs) or "0",
            ours=", ".join(_amount(criterion, v) for v in ours) or "0",
            criterion=criterion,
        )

    # -- one board ---------------------------------------------------------------------------------------------------

    def passed_over(self, a: int, b: int) -> tuple[tuple[Skipped, ...], int]:
        """Who came before `b` as the partner of `a` and why each of them is out; how many more there were."""
        others = self._lower & ((1 << b) - 1)
        if a in self._movers:
            others = self._residents & ((1 << b) - 1)
            heads = [i for i in self.moved if i < a]
        else:
            heads = self._heads[: bisect_left(self._heads, a)]
        for i in heads:
            if i in self.partner:
                others &= ~(1 << self.partner[i])
        listed = list(members(others))
        return tuple(self._skip(a, b, other) for other in listed[:EXPLAINED]), max(0, len(listed) - EXPLAINED)

    def _skip(self, a: int, b: int, other: int) -> Skipped:
        """Why `a` does not meet `other`: directly, or because of what exchanging the partners would do."""
        facts = self.facts
        name = facts.players
        if not facts.may_meet[a] >> other & 1:
            criterion, words = may_not_meet(facts, a, other)
            return Skipped(name[other], criterion, words)
        opponent = self.partner.get(other)
        head = _("not {a}-{other}: ").format(a=name[a], other=name[other])
        if opponent is None:
            floaters = [b if i == other else i for i in self.floaters]
            fault = self._floaters_fault(floaters)
            if fault is not None:
                return Skipped(name[other], fault[0], head + fault[1])
            touched, after = [(a, b)], [(a, other)]
        elif not facts.may_meet[opponent] >> b & 1 or (opponent in self._movers and b in self._movers):
            criterion, words = may_not_meet(facts, opponent, b)
            return Skipped(name[other], criterion, head + _("then {why}").format(why=words))
        else:
            touched, after = [(a, b), _pair(opponent, other)], [(a, other), _pair(opponent, b)]
            floaters = self.floaters
        # What else is in the bracket stays as it is, so the pairs that change decide.
        criterion, words = self._worse(self.quality(after, floaters), self.quality(touched, self.floaters))
        return Skipped(name[other], criterion, head + words)


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def may_not_meet(facts: RoundFacts, a: int, b: int) -> tuple[str, str]:
    """The absolute criterion that keeps two players apart, and why in words."""
    first, second = facts.players[a], facts.players[b]
    mine = facts.state.by_tpn[first]
    if second in mine.met:
        number = next(n for n, r in enumerate(mine.rounds, 1) if r.played and r.opponent == second)
        return "C1", _("{a} and {b} have met in round {round} (C1)").format(a=first, b=second, round=number)
    if (min(first, second), max(first, second)) in facts.state.forbidden:
        return "forbidden", _("the regulations forbid {a}-{b}").format(a=first, b=second)
    colour = _("White") if facts.preferences[a].colour == "white" else _("Black")
    return "C3", _("{a} and {b} must both have {colour} (C3)").format(a=first, b=second, colour=colour)


def nobody_to_meet(facts: RoundFacts, player: int, others: int) -> str:
    """Why somebody can meet none of these, kind by kind."""
    apart: dict[str, list[int]] = {}
    for other in members(others):
        apart.setdefault(may_not_meet(facts, player, other)[0], []).append(facts.players[other])
    kinds = {"C1": _("met {players}"), "forbidden": _("forbidden {players}"), "C3": _("same colour due {players}")}
    reasons = "; ".join(kinds[criterion].format(players=_listed(tpns)) for criterion, tpns in apart.items())
    return _("{tpn} has nobody to meet here: {reasons}.").format(tpn=facts.players[player], reasons=reasons)


def explain_bye(facts: RoundFacts, bye: int) -> ByeReason:
    """Why this player has the PAB, and nobody else of his score or below."""
    others: list[Skipped] = []
    for i in range(facts.count - 1, -1, -1):
        if i == bye or facts.score[i] > facts.score[bye]:
            continue
        tpn = facts.players[i]
        player = facts.state.by_tpn[tpn]
        if player.barred_from_bye:
            rounds = [n for n, r in enumerate(player.rounds, 1) if r.unplayed in ("U", "+", "F") and r.half_points]
            rounds = rounds or [n for n, r in enumerate(player.rounds, 1) if r.unplayed == "U"]
            text = _("{tpn} is not eligible: a bye or a win without playing in round {rounds} (C2).").format(
                tpn=tpn, rounds=_listed(rounds)
            )
            others.append(Skipped(tpn, "C2", text))
        elif facts.score[i] < facts.score[bye]:
            text = _("Without {tpn} the others have no complete pairing (C4): {why}").format(
                tpn=tpn, why=obstacle(facts, facts.everybody & ~(1 << i))
            )
            others.append(Skipped(tpn, "C4", text))
    return ByeReason(facts.players[bye], facts.score[bye], tuple(others))


def points(half_points: int) -> str:
    """Half-points as a decimal string: 9 → "4.5"."""
    return f"{half_points // 2}.{5 * (half_points % 2)}"


def _amount(criterion: str, value: int) -> str:
    return points(value) if criterion in ("C7", "C18", "C19", "C20", "C21") else str(value)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
