"""Codes from a player's own record (C.07 article 7), and the points themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from gettext import gettext as _
from gettext import ngettext
from itertools import accumulate

from rules.pairing.state import RoundRecord
from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.values import Column, Value, decimal, in_points, undefined

#: Rounds a player chose not to play at all, for REP: forfeit loss, half- and zero-point bye.
_NOT_WANTED = frozenset({"-", "H", "Z"})


def points(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PTS: the points, with bonus and penalty."""
    return Column({tpn: table.scores[tpn] for tpn in group}, 2, partial(_points_reason, table))


def from_outside(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """A value that was worked out elsewhere and written down here; undefined for those who have none."""
    found = {}
    for tpn in group:
        value = table.outside.get(tpn)
        found[tpn] = (
            undefined(_no_value, tpn) if value is None else Value(value, value, decimal(value), _told_here, tpn)
        )
    return found


def _no_value(_tpn: int) -> str:
    return _("no value was given")


def _told_here(_tpn: int) -> str:
    return _("worked out elsewhere")


def _points_reason(table: Crosstable, tpn: int) -> str:
    extra = table.bonus.get(tpn, 0)
    if not extra:
        return _("points")
    return _("{points} points from the rounds, {extra} by a ruling").format(
        points=in_points(table.by_tpn[tpn].half_points), extra=in_points(extra)
    )


def progressive(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PS: the sum of the running scores, without the first ones where they are cut (7.5)."""
    cut = modifiers.cut_low
    return Column({tpn: sum(_running(table, tpn)[cut:]) for tpn in group}, 2, partial(_running_reason, table, cut))


def _running(table: Crosstable, tpn: int) -> list[int]:
    """The score after every round."""
    return list(accumulate(table.points[tpn]))


def _running_reason(table: Crosstable, cut: int, tpn: int) -> str:
    running = _running(table, tpn)
    reason = " + ".join(in_points(score) for score in running[cut:]) or "0"
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(in_points(score) for score in running[:cut]))


#: What a round can count for: a bit each, so that one sum over the rounds counts all of them, 16 bits apart.
_WIN, _WON, _BPG, _BWG = (1 << shift for shift in (0, 16, 32, 48))


def wins(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """WIN: rounds with as many points as for a win, however they came (7.1)."""
    return _counted(table, group, _WIN, _wins_reason)


def won_games(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """WON: games won over the board (7.2)."""
    return _counted(table, group, _WON, _won_reason)


def black_games(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BPG: games played with Black over the board (7.3)."""
    return _counted(table, group, _BPG, _black_reason)


def black_wins(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BWG: games won with Black over the board (7.4)."""
    return _counted(table, group, _BWG, _black_won_reason)


def _counts_for(table: Crosstable, record: RoundRecord) -> int:
    """The sum of all that a round counts for."""
    won = record.half_points == table.win and record.unplayed != "free"
    if record.unplayed is not None and not table.is_own_game(record):
        return _WIN if won else 0
    if record.colour == "black":
        return _WIN + _WON + _BPG + _BWG if won else _BPG
    return _WIN + _WON if won else 0


def _wins_reason() -> str:
    return _("as many points as for a win in round: {rounds}")


def _won_reason() -> str:
    return _("won over the board in round: {rounds}")


def _black_reason() -> str:
    return _("played with Black in round: {rounds}")


def _black_won_reason() -> str:
    return _("won with Black in round: {rounds}")


def _counted(table: Crosstable, group: Sequence[int], what: int, text: Callable[[], str]) -> Mapping[int, Value]:
    sums = table.once(
        "counted rounds", lambda: {p.tpn: sum([_counts_for(table, r) for r in p.rounds]) for p in table.players}
    )
    numbers = {tpn: sums[tpn] // what & 0xFFFF for tpn in group}
    return Column(numbers, 1, partial(_counted_reason, table, what, text))


def _counted_reason(table: Crosstable, what: int, text: Callable[[], str], tpn: int) -> str:
    rounds = [number for number, record in enumerate(table.by_tpn[tpn].rounds, 1) if _counts_for(table, record) & what]
    reason = text().format(rounds=", ".join(map(str, rounds)) or _("none"))
    if what == _WIN or not table.predetermined or table.edition.forfeits_played:
        return reason
    forfeits = sum(r.unplayed == "+" for r in table.by_tpn[tpn].rounds)
    if not forfeits:
        return reason
    # Two readings of 15.2 are about, so the sheet says which one it follows.
    note = (
        ngettext("{count} forfeit win is a game here", "{count} forfeit wins are games here", forfeits)
        if table.forfeit_wins
        else ngettext(
            "{count} forfeit win does not count as a game", "{count} forfeit wins do not count as games", forfeits
        )
    )
    return f"{reason}; {note.format(count=forfeits)}"


def elected_to_play(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """REP (before August 2024: GE): the rounds without half- and zero-point byes and forfeit losses (7.6)."""
    numbers = {}
    for tpn in group:
        rounds, missed = _elected(table, tpn)
        numbers[tpn] = rounds - missed
    return Column(numbers, 1, partial(_elected_reason, table))


def _elected(table: Crosstable, tpn: int) -> tuple[int, int]:
    """The player's rounds, and those of them he did not want to play."""
    rounds = [r for r in table.by_tpn[tpn].rounds if r.unplayed != "free"]
    return len(rounds), sum(r.unplayed in _NOT_WANTED and not table.is_own_game(r) for r in rounds)


def _elected_reason(table: Crosstable, tpn: int) -> str:
    rounds, missed = _elected(table, tpn)
    return _("{rounds} rounds, {missed} of them not played by choice or forfeited").format(rounds=rounds, missed=missed)


def standard_points(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """STD: a point for every game with more points than the opponent, half for as many (7.7).

    In a round not played: a point for more than a draw's points, half for exactly as many.
    """
    return Column({tpn: sum(_standards(table, tpn)) for tpn in group}, 2, partial(_standard_reason, table))


def _standards(table: Crosstable, tpn: int) -> list[int]:
    """Half-points of every round, counted one, half and nothing."""
    return [_standard(table, number, r) for number, r in enumerate(table.by_tpn[tpn].rounds)]


def _standard(table: Crosstable, index: int, record: RoundRecord) -> int:
    if record.unplayed == "free":
        return 0
    measure = table.draw
    if record.played and record.opponent is not None:
        measure = table.by_tpn[record.opponent].rounds[index].half_points
    return 2 if record.half_points > measure else int(record.half_points == measure)


def _standard_reason(table: Crosstable, tpn: int) -> str:
    return " + ".join(in_points(half) for half in _standards(table, tpn)) or "0"


def pairing_number(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """TPN: the smaller pairing number first; the greater one with /R."""
    sign = 1 if modifiers.reverse else -1
    return {tpn: Value(Fraction(tpn), sign * tpn, str(tpn), _pairing_number_reason, tpn) for tpn in group}


def _pairing_number_reason(_tpn: int) -> str:
    return _("tournament pairing number")
