"""The order of a crosstable by a list of codes, with the code and the sentence that decided every place (C.07 4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby
from typing import Protocol

from rules.tiebreaks.lots import draw_lots
from rules.tiebreaks.registry import Table, compute, parse
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, in_points, sort_keys

#: What `decided_by` says of a place that lots decided.
LOT = "LOT"
#: And of one that somebody decided, who says why.
HAND = "HAND"
#: Players in the order somebody gave them, and his reason.
ByHand = tuple[tuple[int, ...], str]


class Order(Protocol):
    """Where the values and the reasons of places come from."""

    def values_of(self, tpn: int) -> Mapping[str, Value]: ...

    def reason_of(self, place: Ranked) -> str: ...


@dataclass(frozen=True, slots=True)
class Ranked:
    """One place. `rank` is shared where nothing separates.

    `values` maps each code of the list to the value: for codes that look at a tied group, that in the tie where the
    code was used, else that among all with the same points. `decided_by` is the code that separated the player from
    the one listed just above him, or below him at the top of a tie (`beside`, 0 when alone; `is_above` says which); the
    list's first code for a score nobody shares, "" when nothing separates them. `reason` says it in a sentence.
    """

    rank: int
    tpn: int
    decided_by: str
    order: Order = field(repr=False, compare=False)
    beside: int = 0
    is_above: bool = False

    @property
    def values(self) -> Mapping[str, Value]:
        """The player's values by code, each made when somebody looks."""
        return self.order.values_of(self.tpn)

    @property
    def reason(self) -> str:
        """Why the player stands there, made when somebody asks."""
        return self.order.reason_of(self)


def ranking(
    table: Table,
    codes: Sequence[str],
    lots_seed: int | None = None,
    left_out: Collection[int] = (),
    by_hand: Sequence[ByHand] = (),
    names: Mapping[int, str] | None = None,
) -> tuple[Ranked, ...]:
    """All players (or teams) in order, best first.

    `codes` is the full order; `PTS` comes first where it is not in the list. With `lots_seed` lots decide what the
    codes leave tied, else such players share their place and stand in the order of their numbers. Before lots comes an
    order `by_hand` of which all the tied ones are part, the latest one. Those who are
    `left_out` have no place and belong to no tie; their games count for the others. Reasons call players by `names`,
    as far as they are given, and by number. Raises `UnknownCode`.
    """
    has_score = any(code.upper().partition(":")[0] in ("PTS", "MPTS", "GPTS") for code in codes)
    listed = codes if has_score else ("PTS", *codes)
    order = _Ranking(table, tuple(dict.fromkeys(listed)), lots_seed, frozenset(left_out), by_hand, names or {})
    return order.places()


@dataclass(frozen=True, slots=True)
class _Row(Mapping[str, Value]):
    """One player's values by code, out of everybody's."""

    columns: Mapping[str, Mapping[int, Value]]
    tpn: int

    def __getitem__(self, code: str) -> Value:
        return self.columns[code][self.tpn]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


@dataclass(frozen=True, slots=True)
class _OfTies(Mapping[int, Value]):
    """The values of a code that is worked out for every tie: each player's in the latest tie he was part of."""

    by_player: dict[int, Mapping[int, Value]]

    def note(self, tie: Mapping[int, Value]) -> None:
        self.by_player.update(dict.fromkeys(tie, tie))

    def __getitem__(self, tpn: int) -> Value:
        return self.by_player[tpn][tpn]

    def __iter__(self) -> Iterator[int]:
        return iter(self.by_player)

    def __len__(self) -> int:
        return len(self.by_player)


class _Ranking:
    """One run over the list: every code's values, and for codes of a tied group those of the ties so far."""

    def __init__(
        self,
        table: Table,
        codes: tuple[str, ...],
        lots_seed: int | None,
        left_out: frozenset[int],
        by_hand: Sequence[ByHand],
        names: Mapping[int, str],
    ) -> None:
        first = table.first if isinstance(table, TeamTable) else table
        self.by_hand, self.names = by_hand, names
        self.table, self.codes, self.lots_seed = table, codes, lots_seed
        self.scores = first.scores
        self.everybody = tuple(sorted(first.by_tpn.keys() - left_out))
        self.of_ties = {code: _OfTies({}) for code in codes if parse(code, first.edition)[0].by_group}
        self.values: dict[str, Mapping[int, Value]] = {}
        self.keys: dict[str, Mapping[int, Fraction | int]] = {}
        for code in codes:
            if code not in self.of_ties:
                self.values[code] = compute(code, table, self.everybody)
                self.keys[code] = sort_keys(self.values[code])
                continue
            self.values[code] = self.of_ties[code]
            for group in self._groups():
                self.of_ties[code].note(compute(code, table, group))

    def _groups(self) -> Iterator[tuple[int, ...]]:
        """Those with the same points."""
        by_score = sorted(self.everybody, key=lambda tpn: -self.scores[tpn])
        for _score, same in groupby(by_score, key=lambda tpn: self.scores[tpn]):
            yield tuple(same)

    def places(self) -> tuple[Ranked, ...]:
        rows = list(self._sorted(self.everybody, self.codes))
        order, splits = [tpn for tpn, _code in rows], [code for _tpn, code in rows]
        result: list[Ranked] = []
        for index, tpn in enumerate(order):
            tied = index > 0 and not splits[index - 1]
            rank = result[-1].rank if tied else index + 1
            result.append(Ranked(rank, tpn, *self._decision(order, splits, index)))
        return tuple(result)

    def values_of(self, tpn: int) -> Mapping[str, Value]:
        """A player's values by code."""
        return _Row(self.values, tpn)

    def _sorted(self, group: Sequence[int], codes: Sequence[str]) -> Iterator[tuple[int, str]]:
        """The tied players in order, each with the code that separates him from the next one of the group, or ""."""
        if len(group) == 1:
            yield group[0], ""
            return
        if not codes:
            yield from self._by_lots(group)
            return
        code, *rest = codes
        if code in self.of_ties:
            found = compute(code, self.table, group)
            self.of_ties[code].note(found)
            keys = sort_keys(found)
        else:
            keys = self.keys[code]
        # A stable sort: equal ones stay in the order of their numbers.
        ordered = sorted(group, key=keys.__getitem__, reverse=True)
        classes = [tuple(tied) for _key, tied in groupby(ordered, key=keys.__getitem__)]
        for tied in classes:
            *inner, (last, _none) = self._sorted(tied, rest)
            yield from inner
            yield last, code if tied is not classes[-1] else ""

    def _by_lots(self, group: Sequence[int]) -> Iterator[tuple[int, str]]:
        """What somebody said of these tied players, else the lot."""
        given = self._order_of(group)
        if given is not None:
            for index, tpn in enumerate(given):
                yield tpn, HAND if index + 1 < len(given) else ""
            return
        if self.lots_seed is None:
            for tpn in sorted(group):
                yield tpn, ""
            return
        drawn = draw_lots(self.lots_seed, group)
        for index, tpn in enumerate(drawn):
            yield tpn, LOT if index + 1 < len(drawn) else ""

    def _order_of(self, group: Sequence[int]) -> list[int] | None:
        found = next((order for order, _why in reversed(self.by_hand) if set(group) <= set(order)), None)
        return None if found is None else [tpn for tpn in found if tpn in group]

    def _reason_of(self, one: int, other: int) -> str:
        return next((why for order, why in reversed(self.by_hand) if {one, other} <= set(order)), "")

    def _decision(
        self, order: Sequence[int], splits: Sequence[str], index: int
    ) -> tuple[str, Order] | tuple[str, Order, int, bool]:
        """The code that decided a place, and the neighbour from whom it separates."""
        first = self.codes[0]
        if index > 0 and splits[index - 1] != first:
            return splits[index - 1], self, order[index - 1], False
        if index + 1 < len(order) and splits[index] != first:
            return splits[index], self, order[index + 1], True
        return first, self

    def reason_of(self, place: Ranked) -> str:
        """Why a player stands there, in a sentence."""
        if not place.beside:
            return self._alone(place.tpn)
        return self._between(place.beside, place.tpn, place.decided_by, place.is_above)

    def _alone(self, tpn: int) -> str:
        first = self.codes[0]
        if first.upper() == "PTS":
            return _("{points} points, alone.").format(points=in_points(self.scores[tpn]))
        return _("{value} by {code}, alone.").format(value=self.values[first][tpn].text or "-", code=first)

    def _called(self, tpn: int) -> str:
        """A player for people: name and number."""
        name = self.names.get(tpn, "")
        return f"{name} ({tpn})" if name else str(tpn)

    def _between(self, other: int, tpn: int, code: str, is_above: bool) -> str:
        who = self._called(other)
        if not code:
            return _("Shares the place with {other}: no tie-break separates them.").format(other=who)
        if code == LOT:
            text = _("Before {other} by lot, seed {seed}.") if is_above else _("After {other} by lot, seed {seed}.")
            return text.format(other=who, seed=self.lots_seed)
        if code == HAND:
            text = _("Before {other} by the arbiter: {why}") if is_above else _("After {other} by the arbiter: {why}")
            return text.format(other=who, why=self._reason_of(tpn, other))
        mine, theirs = self.values[code][tpn], self.values[code][other]
        text = (
            _("Before {other} by {code}: {mine} against {theirs}. {why}")
            if is_above
            else _("After {other} by {code}: {mine} against {theirs}. {why}")
        )
        return text.format(other=who, code=code, mine=mine.text or "-", theirs=theirs.text or "-", why=mine.reason)
