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
from rules.tiebreaks.values import UNDEFINED, Column, Value, sort_keys, undefined

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

    def mean(games: Games) -> int | Fraction:
        kept, _cut = _kept(games, modifiers)
        return _half_up(sum(kept), len(kept)) if kept else UNDEFINED

    return _values(table, group, modifiers, mean, partial(_average_reason, table, modifiers))


def performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """TPR: ARO plus the rating difference of the score (10.2)."""
    why = partial(_performance_reason, table, modifiers)
    return _values(table, group, modifiers, lambda games: sum(_performance(games)), why)


def perfect_performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PTP: the lowest rating with which the score was to be expected (10.3)."""
    return _values(table, group, modifiers, _perfect, partial(_perfect_reason, table, modifiers))


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
            values[tpn] = undefined(_no_rating, tpn)
        else:
            values[tpn] = Value(
                Fraction(known), -known if modifiers.reverse else known, str(known), _rating_reason, tpn
            )
    return values


def _no_rating(_tpn: int) -> str:
    return _("no rating")


def _rating_reason(_tpn: int) -> str:
    return _("rating")


def _values(
    table: Crosstable,
    group: Sequence[int],
    modifiers: Modifiers,
    number: Callable[[Games], Fraction | int],
    why: Callable[[int], str],
) -> Mapping[int, Value]:
    """One value per player; all undefined where somebody who played has no rating and no rule gives him one (10)."""
    games, unrated = _games_of(table, modifiers)
    if unrated:
        return dict.fromkeys(group, undefined(partial(_unrated_reason, unrated)))
    numbers = {tpn: number(games[tpn]) if games[tpn].opponents else UNDEFINED for tpn in group}
    return Column(numbers, 1, why, partial(_nothing_left, games))


def _games_of(table: Crosstable, modifiers: Modifiers) -> tuple[Mapping[int, Games], tuple[int, ...]]:
    """Everybody's games, and those who played without a rating."""
    return table.once(("games", modifiers.unrated), lambda: _all_games(table, modifiers.unrated))


def _unrated_reason(unrated: Sequence[int], _tpn: int) -> str:
    return _("not used: no rating of {players}, and no rule says what to use for them (/U)").format(
        players=", ".join(map(str, unrated))
    )


def _nothing_left(games: Mapping[int, Games], tpn: int) -> str:
    return _("all opponents are cut") if games[tpn].opponents else _("has met nobody over the board")


def _all_games(table: Crosstable, unrated: int) -> tuple[Mapping[int, Games], tuple[int, ...]]:
    ratings = {p.tpn: table.ratings.get(p.tpn, 0) or unrated for p in table.players}
    games = {p.tpn: _games(table, p, ratings) for p in table.players}
    missing = {o for played in games.values() for o, known in zip(played.opponents, played.ratings, strict=True)
               if not known}  # fmt: skip
    return games, tuple(sorted(missing))


def _games(table: Crosstable, player: History, ratings: Mapping[int, int]) -> Games:
    opponents: list[int] = []
    known: list[int] = []
    half_points = 0
    win, draw, by_round = table.win, table.draw, table.round_ratings
    for number, record in enumerate(player.rounds, 1):
        if record.unplayed is None and record.opponent is not None:
            opponents.append(record.opponent)
            rating = ratings[record.opponent]
            known.append(by_round.get((record.opponent, number), rating) if by_round else rating)
            half_points += 2 if record.half_points >= win else int(record.half_points >= draw)
    return Games(tuple(opponents), tuple(known), half_points)


def _half_up(total: int, number: int) -> int:
    """The mean of ratings, halves up."""
    return (2 * total + number) // (2 * number)


def _kept(games: Games, modifiers: Modifiers) -> tuple[list[int], list[int]]:
    """The ratings that count, and those cut."""
    by_rating = sorted(games.ratings)
    last = len(by_rating) - modifiers.cut_high
    return by_rating[modifiers.cut_low : last], by_rating[: modifiers.cut_low] + by_rating[last:]


def _average_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    kept, cut = _kept(_games_of(table, modifiers)[0][tpn], modifiers)
    reason = _("mean of {ratings}").format(ratings=", ".join(map(str, kept)))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(map(str, cut)))


def _performance(games: Games) -> tuple[int, int]:
    """The opponents' mean, and the rating difference of the score."""
    number = len(games.ratings)
    # The score's fraction in hundredths, halves up: 5 of 8 is 0.63.
    hundredths = (100 * games.half_points + number) // (2 * number)
    return _half_up(sum(games.ratings), number), rating_difference(hundredths)


def _performance_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    games = _games_of(table, modifiers)[0][tpn]
    average, difference = _performance(games)
    return _("opponents' mean {average}, {difference:+d} for {points} of {games} games").format(
        average=average, difference=difference, points=_points(games), games=len(games.ratings)
    )


def _points(games: Games) -> str:
    return f"{games.half_points // 2}{'.5' if games.half_points % 2 else ''}"


def _perfect(games: Games) -> int:
    if games.half_points == 0:
        return min(games.ratings) - _NO_POINT
    # The expected score never falls with the rating, so the lowest one that reaches the score is found by halving.
    low, high = min(games.ratings) - CERTAIN, max(games.ratings) + CERTAIN
    target = games.half_points * 50
    while high - low > 1:
        middle = (low + high) // 2
        if sum([expected_hundredths(middle - other) for other in games.ratings]) >= target:
            high = middle
        else:
            low = middle
    return high


def _perfect_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    games = _games_of(table, modifiers)[0][tpn]
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
    everybody = table.once(
        (name, modifiers.unrated), lambda: sort_keys(family(table, tuple(table.by_tpn), modifiers))
    )

    def mean(games: Games) -> int:
        return _half_up(int(sum([everybody[o] for o in games.opponents])), len(games.opponents))

    return _values(table, group, modifiers, mean, partial(_opponents_reason, name, table, modifiers, everybody))


def _opponents_reason(
    name: str, table: Crosstable, modifiers: Modifiers, everybody: Mapping[int, Fraction | int], tpn: int
) -> str:
    opponents = _games_of(table, modifiers)[0][tpn].opponents
    parts = (_("{value} of {opponent}").format(value=everybody[o], opponent=o) for o in opponents)
    return _("mean {code}: {parts}").format(code=name, parts=", ".join(parts))
