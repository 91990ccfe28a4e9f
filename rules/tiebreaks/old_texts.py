"""Tie-breaks of older texts, as codes of their own: plain sums that know nothing of unplayed rounds.

Their names are those a report may carry for codes that are not FIDE's (`OTHER_...`). They come from Soviet and Serbian
tournament rules: the coefficient of a round robin, the plain Buchholz of a Swiss and its median, the encounter of tied
players only if all of them met, and the coefficient and the match wins of team events.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from gettext import gettext as _
from typing import Any

from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.encounter import as_places
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Column, Value, in_points

Pairs = list[tuple[int, int]]


def plain_sonneborn_berger(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_SB_PLAIN: the totals of those beaten and half the totals of those drawn with."""
    why = partial(_products_reason, _beaten_and_drawn, table)
    return Column({tpn: _sum(_beaten_and_drawn(table, tpn)) for tpn in group}, 4, why)


def _beaten_and_drawn(table: Crosstable, tpn: int) -> Pairs:
    """Half-points (2 or 1) against every opponent not lost to, and his total."""
    return [
        (2 if record.half_points >= table.win else 1, table.scores[record.opponent])
        for record in table.by_tpn[tpn].rounds
        if record.opponent is not None and table.is_game(record) and record.half_points >= table.draw
    ]


def _sum(pairs: Pairs) -> int:
    return sum(a * b for a, b in pairs)


def _products_reason(pairs_of: Callable[[Any, int], Pairs], table: Any, tpn: int) -> str:
    return " + ".join(f"{in_points(points)}×{in_points(worth)}" for points, worth in pairs_of(table, tpn)) or "0"


def plain_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_BH_PLAIN: the sum of the totals of those met over the board."""
    return Column({tpn: sum(_totals(table, tpn, False)[0]) for tpn in group}, 2, partial(_totals_reason, table, False))


def plain_median_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_BH_MEDIAN_PLAIN: as OTHER_BH_PLAIN, without the lowest and the highest total."""
    return Column({tpn: sum(_totals(table, tpn, True)[0]) for tpn in group}, 2, partial(_totals_reason, table, True))


def _totals(table: Crosstable, tpn: int, median: bool) -> tuple[list[int], list[int]]:
    """The totals of those met that count, and those left out."""
    met = [table.scores[r.opponent] for r in table.by_tpn[tpn].rounds if r.played and r.opponent is not None]
    if not median:
        return met, []
    met.sort()
    return met[1:-1], met[:1] + met[1:][-1:]


def _totals_reason(table: Crosstable, median: bool, tpn: int) -> str:
    kept, cut = _totals(table, tpn, median)
    reason = " + ".join(in_points(total) for total in kept) or "0"
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(in_points(total) for total in cut))


def encounter_if_all_met(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_DE_ALL_MET: the place by the points among the tied, if all of them met over the board; else no place.

    All games between two count. Those who are level again stay level: the text goes on to the next criterion.
    """
    members = frozenset(group)
    points: dict[int, list[tuple[int, int]]] = {}
    for tpn in group:
        rounds = table.by_tpn[tpn].rounds
        points[tpn] = [(r.opponent, r.half_points) for r in rounds if r.played and r.opponent in members]
    all_met = all(len({opponent for opponent, _half in met}) == len(members) - 1 for met in points.values())
    if not all_met:
        return as_places([tuple(group)], _not_all_met)
    sums = {tpn: sum(half for _opponent, half in met) for tpn, met in points.items()}
    places = [tuple(t for t in group if sums[t] == total) for total in sorted(set(sums.values()), reverse=True)]
    return as_places(places, partial(_met_reason, points))


def _not_all_met(_tpn: int) -> str:
    return _("not used: not all of the tied players met each other")


def _met_reason(points: Mapping[int, Pairs], tpn: int) -> str:
    text = _("{points} against {opponent}")
    parts = (text.format(points=in_points(half), opponent=other) for other, half in points[tpn])
    return ", ".join(parts) or _("nobody else is tied")


def team_coefficient(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_TEAM_COEFFICIENT: the own game points of every match times the opponents' total game points."""
    why = partial(_products_reason, _own_and_theirs, table)
    return Column({tpn: _sum(_own_and_theirs(table, tpn)) for tpn in group}, 4, why)


def _own_and_theirs(table: TeamTable, tpn: int) -> Pairs:
    """The own game points of every match, and the opponents' total."""
    return [
        (r.half_points, table.game.scores[r.opponent])
        for r in table.game.by_tpn[tpn].rounds
        if r.opponent is not None and table.game.is_game(r)
    ]


def match_wins(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_MATCH_WINS: one for a match won, half for one drawn, whatever match points the event gives."""
    return Column({tpn: sum(_matches(table, tpn)) for tpn in group}, 2, partial(_matches_reason, table))


def _matches(table: TeamTable, tpn: int) -> list[int]:
    """Half-points of every match, counted one, half and nothing."""
    won, drawn = table.match.win, table.match.draw
    rounds = table.match.by_tpn[tpn].rounds
    return [2 if r.half_points >= won else int(r.half_points >= drawn) for r in rounds if r.opponent]


def _matches_reason(table: TeamTable, tpn: int) -> str:
    return " + ".join(in_points(half) for half in _matches(table, tpn)) or "0"


def play_off_claim(table: TeamTable, order: Sequence[int]) -> int | None:
    """The team that may demand a match with the leader: second on game points with every match won; else None.

    It is to be reported, not scheduled: the text gives the team a right, and the arbiter a decision.
    """
    if len(order) < 2 or table.game.scores[order[1]] >= table.game.scores[order[0]]:
        return None
    rounds = table.match.by_tpn[order[1]].rounds
    won_all = bool(rounds) and all(r.opponent and r.half_points >= table.match.win for r in rounds)
    return order[1] if won_all else None
