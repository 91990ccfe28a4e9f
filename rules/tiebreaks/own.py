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


def counting(what: str, counts: Callable[[RoundRecord], bool]) -> Callable[..., Mapping[int, Value]]:
    """A code that counts the rounds for which `counts` holds."""

    def count(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
        values = {}
        for tpn in group:
            rounds = [number for number, record in enumerate(table.by_tpn[tpn].rounds, 1) if counts(record)]
            listed = ", ".join(map(str, rounds)) or _("none")
            reason = _("{what} in round: {rounds}").format(what=what, rounds=listed)
            values[tpn] = Value(Fraction(len(rounds)), Fraction(len(rounds)), str(len(rounds)), reason)
        return values

    return count


def is_win(record: RoundRecord) -> bool:
    """WIN: as many points as for a win, however they came (7.1)."""
    return record.half_points == WIN


def is_won_game(record: RoundRecord) -> bool:
    """WON: won over the board (7.2)."""
    return record.played and record.half_points == WIN


def is_black_game(record: RoundRecord) -> bool:
    """BPG: played with Black over the board (7.3)."""
    return record.played and record.colour == "black"


def is_black_win(record: RoundRecord) -> bool:
    """BWG: won with Black over the board (7.4)."""
    return is_black_game(record) and record.half_points == WIN
