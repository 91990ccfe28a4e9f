"""Codes of team events (C.07 articles 11 to 13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from gettext import gettext as _

from rules.tiebreaks.crosstable import Crosstable, Modifiers, Score
from rules.tiebreaks.encounter import Places, as_places, reason_of, step
from rules.tiebreaks.opponents import buchholz, extended_sonneborn_berger, fore_buchholz
from rules.tiebreaks.own import points
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, decimal, half_up, in_points, undefined

TeamCode = Callable[[TeamTable, Sequence[int], Modifiers], Mapping[int, Value]]


def score_points(score: Score) -> TeamCode:
    """MPTS or GPTS: the team's match points or game points."""

    def compute(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
        return points(table.by_score(score), group, modifiers)

    return compute


def other_score(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """MPvGP: the score that is not the primary one (13.1)."""
    return points(table.second, group, modifiers)


def sonneborn_berger_of(opponents: Score, own: Score) -> TeamCode:
    """EMMSB, EMGSB, EGMSB, EGGSB: the opponents' total in one score times the own score of the match (13.2)."""

    def compute(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
        return extended_sonneborn_berger(table.by_score(opponents), table.by_score(own), group, modifiers)

    return compute


def schedule_strength(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """SSSC: the secondary score and the Buchholz of the primary one, divided by a factor (13.4).

    The factor is the highest possible primary score of the event by the highest possible secondary score of a match,
    without fraction and at least 1; /Kn sets it, /F takes Fore Buchholz, /C cuts. Two decimals, halves up.
    """
    highest = table.first.win * table.first.rounds
    factor = modifiers.factor or max(1, highest // table.second.win)
    family = fore_buchholz if modifiers.fore else buchholz
    found = family(table.first, group, modifiers)
    values = {}
    for tpn, strength in found.items():
        own = Fraction(table.second.scores[tpn], 2)
        if strength.value is None:
            values[tpn] = undefined(strength.why, tpn)
            continue
        total = half_up(own + strength.value / factor, 2)
        why = partial(_strength_reason, own, strength, factor, total)
        values[tpn] = Value(total, total, decimal(total), why, tpn)
    return values


def _strength_reason(own: Fraction, strength: Value, factor: int, total: Fraction, _tpn: int) -> str:
    return _("{own} + {strength} / {factor} = {total}; Buchholz: {why}").format(
        own=decimal(own), strength=strength.text, factor=factor, total=decimal(total), why=strength.reason
    )


def board_count(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BC: the sum of board number times points on it, the lower the better (12.1).

    It means something among equal game points only, so in a group with unequal ones it separates nobody.
    """
    equal = len({table.game.scores[tpn] for tpn in group}) == 1
    why = partial(_boards_reason, table, equal)
    values = {}
    for tpn in group:
        total = sum(board * half_points for board, half_points in enumerate(table.board_sums[tpn], 1))
        values[tpn] = Value(Fraction(total, 2), -total if equal else 0, in_points(total), why, tpn)
    return values


def _boards_reason(table: TeamTable, equal: bool, tpn: int) -> str:
    sums = table.board_sums[tpn]
    shown = " + ".join(f"{board}×{in_points(half_points)}" for board, half_points in enumerate(sums, 1))
    return shown if equal else _("{sum}; not compared, for the game points are not equal").format(sum=shown)


def top_boards(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """TBR: the points on board 1, then on board 2, and so on (12.2)."""
    return {tpn: _in_order(table, table.board_sums[tpn]) for tpn in group}


def bottom_boards_out(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BBE: the points without the last board, then without the last two, and so on (12.3)."""
    return {tpn: _in_order(table, _eliminated(table.board_sums[tpn])) for tpn in group}


def _eliminated(sums: Sequence[int]) -> tuple[int, ...]:
    return tuple(sum(sums[:boards]) for boards in range(len(sums) - 1, 0, -1))


def _in_order(table: TeamTable, numbers: Sequence[int]) -> Value:
    """Numbers compared one after the other, packed into one key; the value is the first of them."""
    base = table.game.win * max(1, len(table.game.players[0].rounds)) * 2 + 1
    key = 0
    for number in numbers:
        key = key * base + number
    text = " ".join(in_points(number) for number in numbers)
    return Value(Fraction(numbers[0] if numbers else 0, 2), key, text, text)


#: What follows when exactly two teams are left, level in match points and game points (13.3.2).
_LAST_STEPS: Mapping[str, tuple[TeamCode, ...]] = {
    "EDE": (),
    "EDEBT": (board_count, top_boards),
    "EDEBB": (board_count, bottom_boards_out),
    "EDET": (top_boards,),
    "EDEB": (bottom_boards_out,),
}


def extended_direct_encounter(name: str) -> TeamCode:
    """EDE and its variants: direct encounter in the primary score, then in the secondary one (13.3).

    Every new subset starts again with the primary score (13.3.3); the text of 2023 was read to stay with the secondary
    one. Two teams left level in both scores of the event are separated by the boards of all their matches, as the
    variant's name says.
    """

    def compute(table: TeamTable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
        places = _extended(table, tuple(group), modifiers, table.first, _LAST_STEPS[name])
        return as_places(places, partial(_extended_reason, table, group, modifiers))

    return compute


def _extended(
    table: TeamTable, group: tuple[int, ...], modifiers: Modifiers, start: Crosstable, last: tuple[TeamCode, ...]
) -> Places:
    if len(group) < 2:
        return [group] if group else []
    scores = (table.first, table.second) if start is table.first else (table.second,)
    for score in scores:
        places = step(score, group, modifiers.forfeits or score.predetermined)
        if len(places) > 1:
            again = table.first if table.first.edition.restarts_encounter else score
            return [place for tied in places for place in _extended(table, tied, modifiers, again, last)]
    if len(group) == 2 and len({(table.match.scores[t], table.game.scores[t]) for t in group}) == 1:
        for code in last:
            values = code(table, group, modifiers)
            ahead, behind = sorted(group, key=lambda tpn: -values[tpn].key)
            if values[ahead].key != values[behind].key:
                return [(ahead,), (behind,)]
    return [group]


def _extended_reason(table: TeamTable, group: Sequence[int], modifiers: Modifiers, tpn: int) -> str:
    forfeits = modifiers.forfeits or table.first.predetermined
    return _("{primary}: {matches}; {secondary}: {games}").format(
        primary=table.primary,
        matches=reason_of(table.first, group, forfeits, tpn),
        secondary=table.secondary,
        games=reason_of(table.second, group, forfeits, tpn),
    )
