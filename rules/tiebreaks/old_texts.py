"""Tie-breaks of older texts, as codes of their own: plain sums that know nothing of unplayed rounds.

Their names are those a report may carry for codes that are not FIDE's (`OTHER_...`). They come from Soviet and Serbian
tournament rules: the coefficient of a round robin, the plain Buchholz of a Swiss and its median, the encounter of tied
players only if all of them met, and the coefficient and the match wins of team events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from gettext import gettext as _

from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.encounter import as_places
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, amount, in_points


def plain_sonneborn_berger(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_SB_PLAIN: the totals of those beaten and half the totals of those drawn with."""
    values = {}
    for tpn in group:
        parts = []
        for record in table.by_tpn[tpn].rounds:
            if record.opponent is not None and table.is_game(record) and record.half_points >= table.draw:
                won = record.half_points >= table.win
                parts.append((2 if won else 1, table.scores[record.opponent]))
        values[tpn] = amount(sum(a * b for a, b in parts), 4, partial(_products, parts))
    return values


def _products(parts: Sequence[tuple[int, int]]) -> str:
    return " + ".join(f"{in_points(points)}×{in_points(worth)}" for points, worth in parts) or "0"


def plain_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_BH_PLAIN: the sum of the totals of those met over the board."""
    return {tpn: _plain_sum(_totals(table, tpn), ()) for tpn in group}


def plain_median_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_BH_MEDIAN_PLAIN: as OTHER_BH_PLAIN, without the lowest and the highest total."""
    values = {}
    for tpn in group:
        totals = sorted(_totals(table, tpn))
        values[tpn] = _plain_sum(totals[1:-1], (*totals[:1], *totals[1:][-1:]))
    return values


def _totals(table: Crosstable, tpn: int) -> list[int]:
    return [table.scores[r.opponent] for r in table.by_tpn[tpn].rounds if r.played and r.opponent is not None]


def _plain_sum(kept: Sequence[int], cut: Sequence[int]) -> Value:
    return amount(sum(kept), 2, partial(_sum_reason, kept, cut))


def _sum_reason(kept: Sequence[int], cut: Sequence[int]) -> str:
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
        return as_places([tuple(group)], {tpn: partial(_not_all_met) for tpn in group})
    sums = {tpn: sum(half for _opponent, half in met) for tpn, met in points.items()}
    places = [tuple(t for t in group if sums[t] == total) for total in sorted(set(sums.values()), reverse=True)]
    return as_places(places, {tpn: partial(_met_reason, points[tpn]) for tpn in group})


def _not_all_met() -> str:
    return _("not used: not all of the tied players met each other")


def _met_reason(met: Sequence[tuple[int, int]]) -> str:
    parts = (_("{points} against {opponent}").format(points=in_points(half), opponent=other) for other, half in met)
    return ", ".join(parts) or _("nobody else is tied")


def team_coefficient(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_TEAM_COEFFICIENT: the own game points of every match times the opponents' total game points."""
    values = {}
    for tpn in group:
        rounds = table.game.by_tpn[tpn].rounds
        parts = [
            (r.half_points, table.game.scores[r.opponent])
            for r in rounds
            if r.opponent is not None and table.game.is_game(r)
        ]
        values[tpn] = amount(sum(a * b for a, b in parts), 4, partial(_products, parts))
    return values


def match_wins(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """OTHER_MATCH_WINS: one for a match won, half for one drawn, whatever match points the event gives."""
    values = {}
    for tpn in group:
        halves = [_match_half_points(table, r.half_points) for r in table.match.by_tpn[tpn].rounds if r.opponent]
        values[tpn] = amount(sum(halves), 2, partial(_halves, halves))
    return values


def _match_half_points(table: TeamTable, half_points: int) -> int:
    return 2 if half_points >= table.match.win else int(half_points >= table.match.draw)


def _halves(halves: Sequence[int]) -> str:
    return " + ".join(in_points(half) for half in halves) or "0"


def play_off_claim(table: TeamTable, order: Sequence[int]) -> int | None:
    """The team that may demand a match with the leader: second on game points with every match won; else None.

    It is to be reported, not scheduled: the text gives the team a right, and the arbiter a decision.
    """
    if len(order) < 2 or table.game.scores[order[1]] >= table.game.scores[order[0]]:
        return None
    rounds = table.match.by_tpn[order[1]].rounds
    won_all = bool(rounds) and all(r.opponent and r.half_points >= table.match.win for r in rounds)
    return order[1] if won_all else None
