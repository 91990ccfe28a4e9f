"""Codes from the opponents' ratings (C.07 article 10): only games over the board, in round robins too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from gettext import gettext as _

from rules.pairing.state import History
from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.rating_tables import CERTAIN, expected_hundredths, rating_difference
from rules.tiebreaks.values import Value, count, undefined

#: What a score of nothing is away from the lowest opponent (10.3).
_NO_POINT = 800


@dataclass(frozen=True, slots=True)
class Games:
    """One player's games over the board: the opponents, their ratings, and the score in half-points (1, ½, 0)."""

    opponents: tuple[int, ...]
    ratings: tuple[int, ...]
    half_points: int


def average_rating(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """ARO: the mean rating of the opponents, halves up; /C1 without the lowest (10.1)."""
    return _values(table, group, modifiers, lambda games: _average(games, modifiers))


def performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """TPR: ARO plus the rating difference of the score (10.2)."""
    return _values(table, group, modifiers, lambda games: _performance(games, modifiers))


def perfect_performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PTP: the lowest rating with which the score was to be expected (10.3)."""
    return _values(table, group, modifiers, _perfect)


def average_performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """APRO: the mean TPR of the opponents, halves up (10.4)."""
    return _mean_of(performance, "TPR", table, group, modifiers)


def average_perfect_performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """APPO: the mean PTP of the opponents, halves up (10.5)."""
    return _mean_of(perfect_performance, "PTP", table, group, modifiers)


def rating(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """RTNG: the own rating, the higher first; the lower one with /R."""
    values = {}
    for tpn in group:
        known = table.ratings.get(tpn, 0) or modifiers.unrated
        if not known:
            values[tpn] = undefined(_no_rating)
        else:
            values[tpn] = Value(Fraction(known), -known if modifiers.reverse else known, str(known), _rating_reason)
    return values


def _no_rating() -> str:
    return _("no rating")


def _rating_reason() -> str:
    return _("rating")


def _values(
    table: Crosstable, group: Sequence[int], modifiers: Modifiers, make: Callable[[Games], Value]
) -> Mapping[int, Value]:
    """One value per player; all undefined where somebody who played has no rating and no rule gives him one (10)."""
    games, unrated = table.once(("games", modifiers.unrated), lambda: _all_games(table, modifiers.unrated))
    if unrated:
        return dict.fromkeys(group, undefined(partial(_unrated_reason, unrated)))
    return {tpn: make(games[tpn]) if games[tpn].opponents else undefined(_met_nobody) for tpn in group}


def _unrated_reason(unrated: Sequence[int]) -> str:
    return _("not used: no rating of {players}, and no rule says what to use for them (/U)").format(
        players=", ".join(map(str, unrated))
    )


def _met_nobody() -> str:
    return _("has met nobody over the board")


def _all_games(table: Crosstable, unrated: int) -> tuple[Mapping[int, Games], tuple[int, ...]]:
    ratings = {p.tpn: table.ratings.get(p.tpn, 0) or unrated for p in table.players}
    games = {p.tpn: _games(table, p, ratings) for p in table.players}
    missing = {opponent for played in games.values() for opponent in played.opponents if not ratings[opponent]}
    return games, tuple(sorted(missing))


def _games(table: Crosstable, player: History, ratings: Mapping[int, int]) -> Games:
    opponents, half_points = [], 0
    for record in player.rounds:
        if record.played and record.opponent is not None:
            opponents.append(record.opponent)
            half_points += 2 if record.half_points >= table.win else int(record.half_points >= table.draw)
    return Games(tuple(opponents), tuple(ratings[o] for o in opponents), half_points)


def _half_up(total: int, number: int) -> int:
    """The mean of ratings, halves up."""
    return (2 * total + number) // (2 * number)


def _average(games: Games, modifiers: Modifiers) -> Value:
    by_rating = sorted(games.ratings)
    kept = by_rating[modifiers.cut_low : len(by_rating) - modifiers.cut_high]
    if not kept:
        return undefined(_all_cut)
    cut = by_rating[: modifiers.cut_low] + by_rating[len(by_rating) - modifiers.cut_high :]
    return count(_half_up(sum(kept), len(kept)), partial(_average_reason, kept, cut))


def _all_cut() -> str:
    return _("all opponents are cut")


def _average_reason(kept: Sequence[int], cut: Sequence[int]) -> str:
    reason = _("mean of {ratings}").format(ratings=", ".join(map(str, kept)))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(map(str, cut)))


def _performance(games: Games, modifiers: Modifiers) -> Value:
    number = len(games.ratings)
    average = _half_up(sum(games.ratings), number)
    # The score's fraction in hundredths, halves up: 5 of 8 is 0.63.
    hundredths = (100 * games.half_points + number) // (2 * number)
    difference = rating_difference(hundredths)
    return count(average + difference, partial(_performance_reason, average, difference, games))


def _performance_reason(average: int, difference: int, games: Games) -> str:
    return _("opponents' mean {average}, {difference:+d} for {points} of {games} games").format(
        average=average, difference=difference, points=_points(games), games=len(games.ratings)
    )


def _points(games: Games) -> str:
    return f"{games.half_points // 2}{'.5' if games.half_points % 2 else ''}"


def _perfect(games: Games) -> Value:
    why = partial(_perfect_reason, games)
    if games.half_points == 0:
        return count(min(games.ratings) - _NO_POINT, why)
    # The expected score never falls with the rating, so the lowest one that reaches the score is found by halving.
    low, high = min(games.ratings) - CERTAIN, max(games.ratings) + CERTAIN
    target = games.half_points * 50
    while high - low > 1:
        middle = (low + high) // 2
        if sum(expected_hundredths(middle - other) for other in games.ratings) >= target:
            high = middle
        else:
            low = middle
    return count(high, why)


def _perfect_reason(games: Games) -> str:
    return _("lowest rating with which {points} were to be expected against {ratings}").format(
        points=_points(games), ratings=", ".join(map(str, games.ratings))
    )


def _mean_of(
    family: Callable[[Crosstable, Sequence[int], Modifiers], Mapping[int, Value]],
    name: str,
    table: Crosstable,
    group: Sequence[int],
    modifiers: Modifiers,
) -> Mapping[int, Value]:
    everybody = table.once((name, modifiers.unrated), lambda: family(table, tuple(table.by_tpn), modifiers))

    def mean(games: Games) -> Value:
        whole = [int(everybody[o].value or 0) for o in games.opponents]
        return count(_half_up(sum(whole), len(whole)), partial(_opponents_reason, name, games.opponents, whole))

    return _values(table, group, modifiers, mean)


def _opponents_reason(name: str, opponents: Sequence[int], values: Sequence[int]) -> str:
    parts = ", ".join(
        _("{value} of {opponent}").format(value=value, opponent=opponent)
        for opponent, value in zip(opponents, values, strict=True)
    )
    return _("mean {code}: {parts}").format(code=name, parts=parts)
