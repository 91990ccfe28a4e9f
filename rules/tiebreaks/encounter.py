"""Direct encounter (C.07 article 6): the games of the tied players among themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from gettext import gettext as _
from itertools import groupby

from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.values import Column, Value, Why, decimal

#: A tied group in places; players of one tuple share theirs.
Places = list[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Meetings:
    """Half-points of the group's members against each other, and how many opponents of the group are missing."""

    sums: Mapping[int, Fraction | int]
    missing: Mapping[int, int]
    win: int

    def could_reach(self, tpn: int) -> Fraction | int:
        """The sum if every missing game were won (6.3)."""
        return self.sums[tpn] + self.win * self.missing[tpn]


def direct_encounter(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """DE: the place inside the group of tied players, 1 = best, shared places the lowest number.

    Forfeited games are left out in a Swiss unless `/P` is given; several games between two count by their average.
    """
    forfeits = modifiers.forfeits or table.predetermined
    found = order(table, tuple(group), forfeits)
    return as_places(found, partial(reason_of, table, group, forfeits))


def as_places(places: Places, why: Why) -> Mapping[int, Value]:
    """An order as values: the place in the group."""
    keys: dict[int, int] = {}
    for tied in places:
        keys.update(dict.fromkeys(tied, -len(keys) - 1))
    return Column(keys, 1, why, lower_first=True)


def _results(table: Crosstable, tpn: int, group: frozenset[int], forfeits: bool) -> Mapping[int, list[tuple[int, int]]]:
    """Opponent in the group → (round, half-points) of the games that count."""
    games: dict[int, list[tuple[int, int]]] = {}
    for number, record in enumerate(table.by_tpn[tpn].rounds, 1):
        opponent = record.opponent
        if opponent in group and opponent is not None and (forfeits or record.unplayed is None):
            games.setdefault(opponent, []).append((number, record.half_points))
    return games


def _meetings(table: Crosstable, group: Sequence[int], forfeits: bool) -> Meetings:
    sums: dict[int, Fraction | int] = {}
    missing = {}
    members = frozenset(group)
    for tpn in group:
        met = [r for r in table.by_tpn[tpn].rounds if r.opponent in members and (forfeits or r.unplayed is None)]
        opponents = {r.opponent for r in met}
        missing[tpn] = len(group) - 1 - len(opponents)
        if len(opponents) == len(met):
            sums[tpn] = sum([r.half_points for r in met])
        else:
            games = _results(table, tpn, members, forfeits)
            sums[tpn] = sum(_average(several) for several in games.values())
    return Meetings(sums, missing, table.win)


def _average(met: Sequence[tuple[int, int]]) -> Fraction | int:
    """Half-points of the games between two: the mean of several (6.1.2)."""
    return met[0][1] if len(met) == 1 else Fraction(sum(points for _n, points in met), len(met))


def order(table: Crosstable, group: tuple[int, ...], forfeits: bool) -> Places:
    """The group in places: the article applied to every tie it leaves, until nothing changes (6.2, 6.3)."""
    places = step(table, group, forfeits)
    if len(places) <= 1:
        return places
    return [place for tied in places for place in order(table, tied, forfeits)]


def step(table: Crosstable, group: tuple[int, ...], forfeits: bool) -> Places:
    """The article applied once: by the sums if all have met; else who is surely ahead, and the rest as one."""
    if len(group) < 2:
        return [group] if group else []
    meetings = _meetings(table, group, forfeits)
    if not any(meetings.missing.values()):
        by_sum = sorted(group, key=lambda tpn: -meetings.sums[tpn])
        return [tuple(tied) for _sum, tied in groupby(by_sum, key=lambda tpn: meetings.sums[tpn])]
    # 6.3: from the top, whoever stays ahead whatever the missing games would bring
    placed: Places = []
    rest = list(group)
    while len(rest) > 1:
        leader = max(rest, key=lambda tpn: meetings.sums[tpn])
        if any(meetings.could_reach(tpn) >= meetings.sums[leader] for tpn in rest if tpn != leader):
            break
        placed.append((leader,))
        rest.remove(leader)
    return [*placed, tuple(rest)]


def reason_of(table: Crosstable, group: Sequence[int], forfeits: bool, tpn: int) -> str:
    """The games that counted for a player of the group."""
    games = _results(table, tpn, frozenset(group), forfeits)
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
