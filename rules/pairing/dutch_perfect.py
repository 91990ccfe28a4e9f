"""The first perfect candidate of a bracket, looked for in the order of generation (C.04.3 3.4, 3.6, 3.7, 4.2).

A candidate is perfect when every criterion has its best conceivable value. Conceivable values follow from counting: so
many players are due White and so many Black, so at least that many preferences are denied, whoever meets whom. The
search goes through the transpositions in their order, and leaves a branch as soon as counting says that what is left
cannot keep the values. In most brackets it finds the answer without ever turning back. Where it does not - a value out
of reach, an exchange needed, too many dead ends - it gives up, and the bracket is solved by matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.pairing.dutch_round import DENIED, RoundFacts, members

_Counts = list[int]


@dataclass(frozen=True, slots=True)
class Target:
    """Values no candidate may exceed: preferences denied (C12), strong ones (C13), and who may be the downfloater.

    `floaters` is empty when everybody is to be paired.
    """

    denied: int
    strong: int
    floaters: int


@dataclass(frozen=True, slots=True)
class Found:
    """Pairs of players' numbers, the one of S1 first, and the downfloater."""

    pairs: tuple[tuple[int, int], ...]
    floater: int | None


def least_denied(counts: Sequence[int]) -> tuple[int, int] | None:
    """(C12, C13) that nobody can undercut when such players are paired among themselves; None: not possible at all.

    `counts` has the number of players of each kind of preference, in the order of `dutch_round`.
    """
    none, white_mild, white_strong, white_hard, black_mild, black_strong, black_hard = counts
    white = white_mild + white_strong + white_hard
    black = black_mild + black_strong + black_hard
    if white >= black:
        surplus, mild, hard, most = white - black - none, white_mild, white_hard, white
    else:
        surplus, mild, hard, most = black - white - none, black_mild, black_hard, black
    if surplus <= 0:
        return 0, 0
    denied = (surplus + 1) // 2
    if denied > most - hard:
        return None  # in each such pair one at least is not absolutely due his colour (C3)
    return denied, max(0, denied - mild)


def least_denied_across(upper: Sequence[int], lower: Sequence[int]) -> tuple[int, int] | None:
    """The same when everybody of one side meets one of the other; the sides are equally large."""
    _none, wm1, ws1, wh1, bm1, bs1, bh1 = upper
    n2, wm2, ws2, wh2, bm2, bs2, bh2 = lower
    white = wm1 + ws1 + wh1 - (n2 + bm2 + bs2 + bh2)
    if white > 0:
        if white > wm1 + ws1 + wm2 + ws2:
            return None
        return white, max(0, white - wm1 - wm2)
    black = bm1 + bs1 + bh1 - (n2 + wm2 + ws2 + wh2)
    if black > 0:
        if black > bm1 + bs1 + bm2 + bs2:
            return None
        return black, max(0, black - bm1 - bm2)
    return 0, 0


class PerfectSearch:
    """The search in one bracket: `moved` and `residents` in order, everybody to be paired but one of `floaters`."""

    def __init__(self, facts: RoundFacts, moved: Sequence[int], residents: Sequence[int], floaters: int) -> None:
        self.facts = facts
        self.moved = moved
        self.residents = residents
        self.floaters = floaters
        self.resident_set = sum(1 << i for i in residents)
        self.counts = self._count([*moved, *residents])
        self.may_meet = self._without_excess([*moved, *residents])
        #: dead ends the search may run into before it gives up
        self.patience = 60 + 6 * (len(moved) + len(residents))

    def _count(self, players: Sequence[int]) -> _Counts:
        counts = [0] * 7
        for i in players:
            counts[self.facts.kind[i]] += 1
        return counts

    def _without_excess(self, players: Sequence[int]) -> Sequence[int]:
        """Who may meet whom without a topscorer's pair that C10 or C11 would count."""
        facts = self.facts
        inside = sum(1 << i for i in players)
        if not facts.topscorers & inside:
            return facts.may_meet
        may_meet = list(facts.may_meet)
        for a in members(facts.topscorers & inside):
            for b in members(may_meet[a] & inside & facts.rivals(a)):
                if any(facts.excess(a, b)):
                    may_meet[a] &= ~(1 << b)
                    may_meet[b] &= ~(1 << a)
        return may_meet

    def ideal(self) -> Target | None:
        """The best conceivable C12, C13, C14 and C16, in this priority; None when counting excludes any pairing."""
        if not self.floaters:
            least = least_denied(self.counts)
            return None if least is None else Target(*least, 0)
        best: tuple[int, int, bool, bool] | None = None
        chosen = 0
        down1, down2 = self.facts.down[1], self.facts.down[2]
        for first in (0, 1):
            for second in (0, 1):
                group = self.floaters & (down1 if first else ~down1) & (down2 if second else ~down2)
                for kind, of_kind in enumerate(self.facts.of_kind):
                    if not group & of_kind:
                        continue
                    self.counts[kind] -= 1
                    least = least_denied(self.counts)
                    self.counts[kind] += 1
                    if least is None:
                        continue
                    value = (*least, bool(first), bool(second))
                    if best is None or value < best:
                        best = value
                        chosen = 0
                    if value == best:
                        chosen |= group & of_kind
        return None if best is None else Target(best[0], best[1], chosen)

    def run(self, target: Target) -> Found | None:
        """The first candidate within the target, None when there is none before an exchange, or patience ends."""
        pairs: list[tuple[int, int]] = []
        # Those moved down meet residents; the order of their opponents is turned over from the last one on (3.7).
        levels = [_Level(self.resident_set, target.denied, target.strong, self._count(self.residents))]
        while len(pairs) < len(self.moved):
            level = levels[-1]
            if level.choices is None:
                level.choices = self._opponents(len(pairs), level, target)
            if not level.choices:
                levels.pop()
                if not pairs:
                    return None
                pairs.pop()
                self.patience -= 1
                if self.patience < 0:
                    return None
                continue
            low = level.choices & -level.choices
            level.choices ^= low
            partner = low.bit_length() - 1
            mover = self.moved[len(pairs)]
            levels.append(self._after(level, mover, partner, low))
            pairs.append((mover, partner))
        left = list(members(levels[-1].free))
        rest = self._transposition(left, levels[-1], target)
        if rest is None:
            return None  # perhaps after an exchange, which comes before the next opponents of those moved down
        floater = next(iter(set(left) - {i for pair in rest for i in pair}), None)
        return Found((*pairs, *rest), floater)

    def _after(self, level: _Level, player: int, partner: int, bit: int) -> _Level:
        kind = self.facts.kind
        denied, strong = DENIED[kind[player]][kind[partner]]
        counts = level.counts.copy()
        counts[kind[partner]] -= 1
        return _Level(level.free ^ bit, level.denied - denied, level.strong - strong, counts)

    def _opponents(self, index: int, level: _Level, target: Target) -> int:
        """Residents whom this one may meet, no upfloaters (C15, C17), so that counting still allows the target."""
        facts = self.facts
        mover = self.moved[index]
        choices = self.may_meet[mover] & level.free & ~facts.up[1] & ~facts.up[2]
        later = self._count(self.moved[index + 1 :])
        everybody = [a + b for a, b in zip(level.counts, later, strict=True)]
        floaters = target.floaters & level.free
        floater_kinds: Sequence[int | None] = (None,)
        if target.floaters:
            floater_kinds = [k for k in range(7) if floaters & facts.of_kind[k]]
        allowed = 0
        for kind in range(7):
            of_kind = choices & facts.of_kind[kind]
            if not of_kind:
                continue
            denied, strong = DENIED[facts.kind[mover]][kind]
            everybody[kind] -= 1
            for floater in floater_kinds:
                counts = everybody
                if floater is not None:
                    counts = everybody.copy()
                    counts[floater] -= 1
                least = least_denied(counts)
                if (
                    least is not None and min(counts) >= 0
                    and least[0] + denied <= level.denied and least[1] + strong <= level.strong
                ):  # fmt: skip
                    allowed |= of_kind
                    break
            everybody[kind] += 1
        return allowed

    def _transposition(self, players: Sequence[int], start: _Level, target: Target) -> list[tuple[int, int]] | None:
        """The first transposition (4.2) of a homogeneous bracket within the target."""
        half = len(players) // 2
        upper = players[:half]
        suffix = [[0] * 7]
        for i in reversed(upper):
            counts = suffix[-1].copy()
            counts[self.facts.kind[i]] += 1
            suffix.append(counts)
        suffix.reverse()
        lower = sum(1 << i for i in players[half:])
        levels = [_Level(lower, start.denied, start.strong, self._count(players[half:]))]
        partners: list[int] = []
        while len(partners) < half:
            level = levels[-1]
            player = upper[len(partners)]
            if level.choices is None:
                level.choices = self._partners(player, level, suffix[len(partners) + 1], target)
            if not level.choices:
                levels.pop()
                if not partners:
                    return None
                partners.pop()
                self.patience -= 1
                if self.patience < 0:
                    return None
                continue
            low = level.choices & -level.choices
            level.choices ^= low
            partner = low.bit_length() - 1
            levels.append(self._after(level, player, partner, low))
            partners.append(partner)
        if not half and target.floaters and not levels[-1].free & target.floaters:
            return None
        return list(zip(upper, partners, strict=True))

    def _partners(self, player: int, level: _Level, later: _Counts, target: Target) -> int:
        facts = self.facts
        free, counts = level.free, level.counts
        choices = self.may_meet[player] & free
        if not choices:
            return 0
        floater_kinds: Sequence[int | None] = (None,)
        if target.floaters:
            floaters = free & target.floaters
            if not floaters & (floaters - 1):
                choices &= ~floaters  # the only one left who may float
            if not floaters:
                return 0
            floater_kinds = [k for k in range(7) if floaters & facts.of_kind[k]]
        allowed = 0
        row = DENIED[facts.kind[player]]
        for kind in range(7):
            of_kind = choices & facts.of_kind[kind]
            if not of_kind:
                continue
            denied, strong = row[kind]
            if denied > level.denied or strong > level.strong:
                continue
            counts[kind] -= 1
            for floater in floater_kinds:
                if floater is not None:
                    counts[floater] -= 1
                least = least_denied_across(later, counts)
                possible = (
                    least is not None and (floater is None or counts[floater] >= 0)
                    and least[0] + denied <= level.denied and least[1] + strong <= level.strong
                )  # fmt: skip
                if floater is not None:
                    counts[floater] += 1
                if possible:
                    allowed |= of_kind
                    break
            counts[kind] += 1
        return allowed


@dataclass(slots=True)
class _Level:
    """Where the search stands: who is free on the lower side, what may still be denied, kinds of the free, choices."""

    free: int
    denied: int
    strong: int
    counts: _Counts
    choices: int | None = None
