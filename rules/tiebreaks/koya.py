"""Koya's system for round robins (C.07 article 9.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from gettext import gettext as _

from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.values import Column, Value, decimal, in_points, undefined


def koya(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """KS: the points against all who have at least half of what one can score; `/L+1` moves that by half points.

    In an odd field that half is of the games one plays, not of the rounds. Undefined in a Swiss.
    """
    if not table.predetermined:
        return dict.fromkeys(group, undefined(_only_in_round_robins))
    # Compared in quarter-points, so that half of an odd number of half-points stays whole.
    limit = table.win * games_scheduled(table) + 2 * modifiers.limit
    numbers = {tpn: sum(points for _o, points in _parts(table, limit, tpn)) for tpn in group}
    return Column(numbers, 2, partial(_reason, table, limit))


def _parts(table: Crosstable, limit: int, tpn: int) -> list[tuple[int, int]]:
    """Opponent and half-points of every game against those who reach the limit."""
    return [
        (record.opponent, record.half_points)
        for record in table.by_tpn[tpn].rounds
        if record.opponent is not None and 2 * table.scores[record.opponent] >= limit
    ]


def games_scheduled(table: Crosstable) -> int:
    """How many games each participant of a round robin has, a free round left out."""
    if any(len(p.rounds) >= table.rounds for p in table.players):
        return max(sum(r.opponent is not None for r in p.rounds) for p in table.players)
    others = len(table.players) - 1
    # Not all rounds are known yet: as many times around as the rounds allow.
    return others * max(1, table.rounds // max(1, others + len(table.players) % 2))


def _only_in_round_robins(_tpn: int) -> str:
    return _("Koya's system is for round robins.")


def _reason(table: Crosstable, limit: int, tpn: int) -> str:
    shown = ", ".join(
        _("{points} against {opponent}").format(points=in_points(points), opponent=opponent)
        for opponent, points in _parts(table, limit, tpn)
    )
    return _("against those with at least {limit} points: {parts}").format(
        limit=decimal(Fraction(limit, 4)), parts=shown or _("none")
    )
