"""Koya's system for round robins (C.07 article 9.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from gettext import gettext as _

from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.values import Value, amount, decimal, in_points, undefined


def koya(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """KS: the points against all who have at least half of what one can score; `/L+1` moves that by half points.

    In an odd field that half is of the games one plays, not of the rounds. Undefined in a Swiss.
    """
    if not table.predetermined:
        return dict.fromkeys(group, undefined(_only_in_round_robins))
    # Compared in quarter-points, so that half of an odd number of half-points stays whole.
    limit = table.win * games_scheduled(table) + 2 * modifiers.limit
    values = {}
    for tpn in group:
        parts = [
            (record.opponent, record.half_points)
            for record in table.by_tpn[tpn].rounds
            if record.opponent is not None and 2 * table.scores[record.opponent] >= limit
        ]
        values[tpn] = amount(sum(points for _o, points in parts), 2, partial(_reason, parts, limit))
    return values


def games_scheduled(table: Crosstable) -> int:
    """How many games each participant of a round robin has, a free round left out."""
    if any(len(p.rounds) >= table.rounds for p in table.players):
        return max(sum(r.opponent is not None for r in p.rounds) for p in table.players)
    others = len(table.players) - 1
    # Not all rounds are known yet: as many times around as the rounds allow.
    return others * max(1, table.rounds // max(1, others + len(table.players) % 2))


def _only_in_round_robins() -> str:
    return _("Koya's system is for round robins.")


def _reason(parts: Sequence[tuple[int, int]], limit: int) -> str:
    shown = ", ".join(
        _("{points} against {opponent}").format(points=in_points(points), opponent=opponent)
        for opponent, points in parts
    )
    return _("against those with at least {limit} points: {parts}").format(
        limit=decimal_quarters(limit), parts=shown or _("none")
    )


def decimal_quarters(quarters: int) -> str:
    """Quarter-points as points: 13 → "3.25"."""
    value = amount(quarters, 4, "").value
    return "" if value is None else decimal(value)
