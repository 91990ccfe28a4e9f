"""Direct encounter (C.07 article 6): the games of the tied players among themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby

from rules.pairing.state import WIN
from rules.tiebreaks.crosstable import Crosstable, Modifiers, Value, decimal


@dataclass(frozen=True, slots=True)
class Meetings:
    """Points of the group's members against each other: sums, and how many opponents of the group are missing."""

    sums: Mapping[int, Fraction]
    missing: Mapping[int, int]

    def could_reach(self, tpn: int) -> Fraction:
        """The sum if every missing game were won (6.3)."""
        return self.sums[tpn] + Fraction(WIN, 2) * self.missing[tpn]


def direct_encounter(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """DE: the place inside the group of tied players, 1 = best, shared places the lowest number.

    Forfeited games are left out in a Swiss unless `/P` is given; several games between two count by their average.
    """
    forfeits = modifiers.forfeits or table.predetermined
    values: dict[int, Value] = {}
    place = 1
    for tied in _order(table, tuple(group), forfeits):
        for tpn in tied:
            reason = _reason(table, tpn, group, forfeits)
            values[tpn] = Value(Fraction(place), Fraction(-place), str(place), reason)
        place += len(tied)
    return values


def _results(table: Crosstable, tpn: int, group: Sequence[int], forfeits: bool) -> Mapping[int, list[tuple[int, int]]]:
    """Opponent in the group → (round, half-points) of the games that count."""
    games: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, record in enumerate(table.by_tpn[tpn].rounds, 1):
        if record.opponent in group and record.opponent is not None and (record.played or forfeits):
            games[record.opponent].append((number, record.half_points))
    return games


def _meetings(table: Crosstable, group: Sequence[int], forfeits: bool) -> Meetings:
    sums, missing = {}, {}
    for tpn in group:
        games = _results(table, tpn, group, forfeits)
        averages = (Fraction(sum(points for _n, points in met), 2 * len(met)) for met in games.values())
        sums[tpn] = sum(averages, Fraction(0))
        missing[tpn] = len(group) - 1 - len(games)
    return Meetings(sums, missing)


def _order(table: Crosstable, group: tuple[int, ...], forfeits: bool) -> list[tuple[int, ...]]:
    """The group in places; players of one tuple share theirs."""
    if len(group) < 2:
        return [group] if group else []
    meetings = _meetings(table, group, forfeits)
    if not any(meetings.missing.values()):
        by_sum = sorted(group, key=lambda tpn: -meetings.sums[tpn])
        classes = [tuple(tied) for _sum, tied in groupby(by_sum, key=lambda tpn: meetings.sums[tpn])]
        if len(classes) == 1:
            return [group]
        return [place for tied in classes for place in _order(table, tied, forfeits)]
    # 6.3: from the top, whoever stays ahead whatever the missing games would bring
    placed: list[tuple[int, ...]] = []
    rest = list(group)
    while len(rest) > 1:
        leader = max(rest, key=lambda tpn: meetings.sums[tpn])
        if any(meetings.could_reach(tpn) >= meetings.sums[leader] for tpn in rest if tpn != leader):
            break
        placed.append((leader,))
        rest.remove(leader)
    if not placed:
        return [group]
    return [*placed, *_order(table, tuple(rest), forfeits)]


def _reason(table: Crosstable, tpn: int, group: Sequence[int], forfeits: bool) -> str:
    games = _results(table, tpn, group, forfeits)
    parts = [
        _("{points} against {opponent} in round {round}").format(
            points=decimal(Fraction(half_points, 2)), opponent=opponent, round=number
        )
        for opponent, met in games.items()
        for number, half_points in met
    ]
    missing = len(group) - 1 - len(games)
    if missing:
        parts.append(_("{count} of the tied players not met").format(count=missing))
    return ", ".join(parts) or _("nobody else is tied")
