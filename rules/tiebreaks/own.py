"""Codes from a player's own record (C.07 article 7), and the points themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from gettext import gettext as _
from itertools import accumulate

from rules.pairing.state import WIN, RoundRecord
from rules.tiebreaks.crosstable import Crosstable, Modifiers, Value, in_points


def points(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PTS: the points."""
    return {tpn: _points_value(table.by_tpn[tpn].half_points, _("points")) for tpn in group}


def progressive(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PS: the sum of the running scores, without the first ones where they are cut."""
    values = {}
    for tpn in group:
        running = list(accumulate(r.half_points for r in table.by_tpn[tpn].rounds))[modifiers.cut_low :]
        parts = " + ".join(in_points(score) for score in running)
        values[tpn] = _points_value(sum(running), parts or "0")
    return values


def _points_value(half_points: int, reason: str) -> Value:
    value = Fraction(half_points, 2)
    return Value(value, value, in_points(half_points), reason)


def wins(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """WIN: rounds with as many points as for a win, however they came (7.1)."""
    text = _("as many points as for a win in round: {rounds}")
    return _counted(table, group, text, _is_won)


def won_games(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """WON: games won over the board (7.2)."""
    return _counted(table, group, _("won over the board in round: {rounds}"), lambda r: r.played and _is_won(r))


def black_games(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BPG: games played with Black over the board (7.3)."""
    return _counted(table, group, _("played with Black in round: {rounds}"), _is_black_game)


def black_wins(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BWG: games won with Black over the board (7.4)."""
    text = _("won with Black in round: {rounds}")
    return _counted(table, group, text, lambda r: _is_black_game(r) and _is_won(r))


def _is_won(record: RoundRecord) -> bool:
    return record.half_points == WIN


def _is_black_game(record: RoundRecord) -> bool:
    return record.played and record.colour == "black"


def _counted(
    table: Crosstable, group: Sequence[int], text: str, counts: Callable[[RoundRecord], bool]
) -> Mapping[int, Value]:
    values = {}
    for tpn in group:
        rounds = [number for number, record in enumerate(table.by_tpn[tpn].rounds, 1) if counts(record)]
        reason = text.format(rounds=", ".join(map(str, rounds)) or _("none"))
        values[tpn] = Value(Fraction(len(rounds)), Fraction(len(rounds)), str(len(rounds)), reason)
    return values
