"""The order of a crosstable by a list of codes, with the code and the sentence that decided every place (C.07 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from gettext import gettext as _
from itertools import groupby

from rules.tiebreaks.lots import draw_lots
from rules.tiebreaks.registry import Table, compute, parse
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, in_points

#: What `decided_by` says of a place that lots decided.
LOT = "LOT"
#: And of one that somebody decided, who says why.
HAND = "HAND"
#: Players in the order somebody gave them, and his reason.
ByHand = tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One place. `rank` is shared where nothing separates.

    `values` maps each code of the list to the value: for codes that look at a tied group, that in the tie where the
    code was used, else that among all with the same points. `decided_by` is the code that separated the player from
    the one listed just above him, or below him at the top of a tie; the list's first code for a score nobody shares,
    "" when nothing separates them. `reason` says it in a sentence.
    """

    rank: int
    tpn: int
    values: Mapping[str, Value]
    decided_by: str
    why: Callable[[], str]

    @property
    def reason(self) -> str:
        """Why the player stands there, made when somebody asks."""
        return self.why()


@dataclass(frozen=True, slots=True)
class _Split:
    """A place between two neighbours in the list: the code that separates them ("" = none) and both values."""

    code: str = ""
    above: Value | None = None
    below: Value | None = None


def ranking(
    table: Table,
    codes: Sequence[str],
    lots_seed: int | None = None,
    left_out: Collection[int] = (),
    by_hand: Sequence[ByHand] = (),
) -> tuple[Ranked, ...]:
    """All players (or teams) in order, best first.

    `codes` is the full order; `PTS` comes first where it is not in the list. With `lots_seed` lots decide what the
    codes leave tied, else such players share their place and stand in the order of their numbers. Before lots comes an
    order `by_hand` of which all the tied ones are part, the latest one. Those who are
    `left_out` have no place and belong to no tie; their games count for the others. Raises `UnknownCode`.
    """
    has_score = any(code.upper().partition(":")[0] in ("PTS", "MPTS", "GPTS") for code in codes)
    listed = codes if has_score else ("PTS", *codes)
    return _Ranking(table, tuple(dict.fromkeys(listed)), lots_seed, frozenset(left_out), by_hand).places()


class _Ranking:
    """One run over the list; `values` is what is known of every player so far."""

    def __init__(
        self,
        table: Table,
        codes: tuple[str, ...],
        lots_seed: int | None,
        left_out: frozenset[int],
        by_hand: Sequence[ByHand],
    ) -> None:
        first = table.first if isinstance(table, TeamTable) else table
        self.by_hand = by_hand
        self.table, self.codes, self.lots_seed = table, codes, lots_seed
        self.scores = first.scores
        self.everybody = tuple(sorted(first.by_tpn.keys() - left_out))
        self.by_group = {code: parse(code, first.edition)[0].by_group for code in codes}
        self.values: dict[int, dict[str, Value]] = {tpn: {} for tpn in self.everybody}
        for code in codes:
            for group in self._groups() if self.by_group[code] else (self.everybody,):
                self._note(code, compute(code, table, group))

    def _groups(self) -> Iterator[tuple[int, ...]]:
        """Those with the same points."""
        by_score = sorted(self.everybody, key=lambda tpn: -self.scores[tpn])
        for _score, same in groupby(by_score, key=lambda tpn: self.scores[tpn]):
            yield tuple(same)

    def _note(self, code: str, values: Mapping[int, Value]) -> None:
        for tpn, value in values.items():
            self.values[tpn][code] = value

    def places(self) -> tuple[Ranked, ...]:
        rows = list(self._sorted(self.everybody, self.codes))
        order, splits = [tpn for tpn, _split in rows], [split for _tpn, split in rows]
        result: list[Ranked] = []
        for index, tpn in enumerate(order):
            tied = index > 0 and not splits[index - 1].code
            rank = result[-1].rank if tied else index + 1
            decided_by, why = self._decision(order, splits, index)
            result.append(Ranked(rank, tpn, self.values[tpn], decided_by, why))
        return tuple(result)

    def _sorted(self, group: Sequence[int], codes: Sequence[str]) -> Iterator[tuple[int, _Split]]:
        """The tied players in order, each with what separates him from the next one of the group."""
        if len(group) == 1:
            yield group[0], _Split()
            return
        if not codes:
            yield from self._by_lots(group)
            return
        code, *rest = codes
        if self.by_group[code]:
            self._note(code, compute(code, self.table, group))
        values = {tpn: self.values[tpn][code] for tpn in group}
        ordered = sorted(group, key=lambda tpn: (-values[tpn].key, tpn))
        classes = [tuple(tied) for _key, tied in groupby(ordered, key=lambda tpn: values[tpn].key)]
        for index, tied in enumerate(classes):
            inner = list(self._sorted(tied, rest))
            yield from inner[:-1]
            last = inner[-1][0]
            if index + 1 < len(classes):
                yield last, _Split(code, values[last], values[classes[index + 1][0]])
            else:
                yield last, _Split()

    def _by_lots(self, group: Sequence[int]) -> Iterator[tuple[int, _Split]]:
        """What somebody said of these tied players, else the lot."""
        given = self._order_of(group)
        if given is not None:
            for index, tpn in enumerate(given):
                yield tpn, _Split(HAND) if index + 1 < len(given) else _Split()
            return
        if self.lots_seed is None:
            for tpn in sorted(group):
                yield tpn, _Split()
            return
        drawn = draw_lots(self.lots_seed, group)
        for index, tpn in enumerate(drawn):
            yield tpn, _Split(LOT) if index + 1 < len(drawn) else _Split()

    def _order_of(self, group: Sequence[int]) -> list[int] | None:
        found = next((order for order, _why in reversed(self.by_hand) if set(group) <= set(order)), None)
        return None if found is None else [tpn for tpn in found if tpn in group]

    def _reason_of(self, one: int, other: int) -> str:
        return next((why for order, why in reversed(self.by_hand) if {one, other} <= set(order)), "")

    def _decision(self, order: Sequence[int], splits: Sequence[_Split], index: int) -> tuple[str, Callable[[], str]]:
        """The code that decided a place, and its sentence."""
        first = self.codes[0]
        if index > 0 and splits[index - 1].code != first:
            split = splits[index - 1]
            return split.code, partial(self._between, order[index - 1], order[index], split, False)
        if index + 1 < len(order) and splits[index].code != first:
            split = splits[index]
            return split.code, partial(self._between, order[index + 1], order[index], split, True)
        return first, partial(self._alone, order[index])

    def _alone(self, tpn: int) -> str:
        first = self.codes[0]
        if first.upper() == "PTS":
            return _("{points} points, alone.").format(points=in_points(self.scores[tpn]))
        return _("{value} by {code}, alone.").format(value=self.values[tpn][first].text or "-", code=first)

    def _between(self, other: int, tpn: int, split: _Split, is_above: bool) -> str:
        if not split.code:
            return _("Shares the place with {other}: no tie-break separates them.").format(other=other)
        if split.code == LOT:
            text = _("Before {other} by lot, seed {seed}.") if is_above else _("After {other} by lot, seed {seed}.")
            return text.format(other=other, seed=self.lots_seed)
        if split.code == HAND:
            text = _("Before {other} by the arbiter: {why}") if is_above else _("After {other} by the arbiter: {why}")
            return text.format(other=other, why=self._reason_of(tpn, other))
        mine, theirs = (split.above, split.below) if is_above else (split.below, split.above)
        unknown = Value(None, Fraction(0), "")
        mine, theirs = mine or unknown, theirs or unknown
        text = (
            _("Before {other} by {code}: {mine} against {theirs}. {why}")
            if is_above
            else _("After {other} by {code}: {mine} against {theirs}. {why}")
        )
        return text.format(
            other=other, code=split.code, mine=mine.text or "-", theirs=theirs.text or "-", why=mine.reason
        )
