"""Codes from the opponents' ratings (C.07 article 10): only games over the board, in round robins too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from gettext import gettext as _

from rules.pairing.state import History
from rules.tiebreaks.crosstable import Crosstable, Modifiers
from rules.tiebreaks.rating_tables import CERTAIN, expected_hundredths, rating_difference
from rules.tiebreaks.values import UNDEFINED, Column, Value, sort_keys, undefined

#: What a score of nothing is away from the lowest opponent (10.3).
_NO_POINT = 800


#: Of one player the ratings of those met over the board, in the order of the rounds.
Ratings = tuple[int, ...]


def average_rating(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """ARO: the mean rating of the opponents, halves up; /C1 without the lowest (10.1)."""

    def mean(_tpn: int, ratings: Ratings) -> int | Fraction:
        kept, _cut = _kept(ratings, modifiers)
        return _half_up(sum(kept), len(kept)) if kept else UNDEFINED

    return _values(table, group, modifiers, mean, partial(_average_reason, table, modifiers))


def performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """TPR: ARO plus the rating difference of the score (10.2)."""
    why = partial(_performance_reason, table, modifiers)
    return _values(table, group, modifiers, lambda tpn, met: sum(_performance(met, _score(table, tpn))), why)


def perfect_performance(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """PTP: the lowest rating with which the score was to be expected (10.3)."""
    why = partial(_perfect_reason, table, modifiers)
    return _values(table, group, modifiers, lambda tpn, met: _perfect(met, _score(table, tpn)), why)


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
    number: Callable[[int, Ratings], Fraction | int],
    why: Callable[[int], str],
) -> Mapping[int, Value]:
    """One value per player; all undefined where somebody who played has no rating and no rule gives him one (10)."""
    met, unrated = _met(table, modifiers)
    if unrated:
        return dict.fromkeys(group, undefined(partial(_unrated_reason, unrated)))
    numbers = {tpn: number(tpn, met[tpn]) if met[tpn] else UNDEFINED for tpn in group}
    return Column(numbers, 1, why, partial(_nothing_left, table))


def _met(table: Crosstable, modifiers: Modifiers) -> tuple[Mapping[int, Ratings], tuple[int, ...]]:
    """The ratings everybody met, and those who played without one."""
    return table.once(("ratings", modifiers.unrated), lambda: _all_ratings(table, modifiers.unrated))


def _unrated_reason(unrated: Sequence[int], _tpn: int) -> str:
    return _("not used: no rating of {players}, and no rule says what to use for them (/U)").format(
        players=", ".join(map(str, unrated))
    )


def _nothing_left(table: Crosstable, tpn: int) -> str:
    return _("all opponents are cut") if table.met[tpn] else _("has met nobody over the board")


def _all_ratings(table: Crosstable, unrated: int) -> tuple[Mapping[int, Ratings], tuple[int, ...]]:
    rating = {p.tpn: table.ratings.get(p.tpn, 0) or unrated for p in table.players}
    if table.round_ratings:
        found = {p.tpn: _by_round(table, p, rating) for p in table.players}
    else:
        found = {tpn: tuple([rating[opponent] for opponent in met]) for tpn, met in table.met.items()}
    missing = {
        opponent
        for tpn, ratings in found.items()
        if 0 in ratings
        for opponent, known in zip(table.met[tpn], ratings, strict=True)
        if not known
    }
    return found, tuple(sorted(missing))


def _by_round(table: Crosstable, player: History, rating: Mapping[int, int]) -> Ratings:
    """The ratings met where some are others in some rounds."""
    return tuple(
        table.round_ratings.get((r.opponent, number), rating[r.opponent])
        for number, r in enumerate(player.rounds, 1)
        if r.unplayed is None and r.opponent is not None
    )


def _score(table: Crosstable, tpn: int) -> int:
    """The score of the games over the board in half-points, a win 1, a draw ½, whatever the event gives for them."""
    return sum(
        2 if r.half_points >= table.win else int(r.half_points >= table.draw)
        for r in table.by_tpn[tpn].rounds
        if r.unplayed is None and r.opponent is not None
    )


def _half_up(total: int, number: int) -> int:
    """The mean of ratings, halves up."""
    return (2 * total + number) // (2 * number)


def _kept(ratings: Ratings, modifiers: Modifiers) -> tuple[list[int], list[int]]:
    """The ratings that count, and those cut."""
    by_rating = sorted(ratings)
    last = len(by_rating) - modifiers.cut_high
    return by_rating[modifiers.cut_low : last], by_rating[: modifiers.cut_low] + by_rating[last:]


def _average_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    kept, cut = _kept(_met(table, modifiers)[0][tpn], modifiers)
    reason = _("mean of {ratings}").format(ratings=", ".join(map(str, kept)))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(map(str, cut)))


def _performance(ratings: Ratings, half_points: int) -> tuple[int, int]:
    """The opponents' mean, and the rating difference of the score."""
    number = len(ratings)
    # The score's fraction in hundredths, halves up: 5 of 8 is 0.63.
    hundredths = (100 * half_points + number) // (2 * number)
    return _half_up(sum(ratings), number), rating_difference(hundredths)


def _performance_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    ratings, half_points = _met(table, modifiers)[0][tpn], _score(table, tpn)
    average, difference = _performance(ratings, half_points)
    return _("opponents' mean {average}, {difference:+d} for {points} of {games} games").format(
        average=average, difference=difference, points=_points(half_points), games=len(ratings)
    )


def _points(half_points: int) -> str:
    return f"{half_points // 2}{'.5' if half_points % 2 else ''}"


def _perfect(ratings: Ratings, half_points: int) -> int:
    if half_points == 0:
        return min(ratings) - _NO_POINT
    # The expected score never falls with the rating, so the lowest one that reaches the score is found by halving.
    low, high = min(ratings) - CERTAIN, max(ratings) + CERTAIN
    target = half_points * 50
    while high - low > 1:
        middle = (low + high) // 2
        if sum([expected_hundredths(middle - other) for other in ratings]) >= target:
            high = middle
        else:
            low = middle
    return high


def _perfect_reason(table: Crosstable, modifiers: Modifiers, tpn: int) -> str:
    return _("lowest rating with which {points} were to be expected against {ratings}").format(
        points=_points(_score(table, tpn)), ratings=", ".join(map(str, _met(table, modifiers)[0][tpn]))
    )


def _mean_of(
    family: Callable[[Crosstable, Sequence[int], Modifiers], Mapping[int, Value]],
    name: str,
    table: Crosstable,
    group: Sequence[int],
    modifiers: Modifiers,
) -> Mapping[int, Value]:
    everybody = table.once((name, modifiers.unrated), lambda: sort_keys(family(table, tuple(table.by_tpn), modifiers)))

    def mean(tpn: int, ratings: Ratings) -> int:
        return _half_up(int(sum([everybody[o] for o in table.met[tpn]])), len(ratings))

    return _values(table, group, modifiers, mean, partial(_opponents_reason, name, table, everybody))


def _opponents_reason(name: str, table: Crosstable, everybody: Mapping[int, Fraction | int], tpn: int) -> str:
    parts = (_("{value} of {opponent}").format(value=everybody[o], opponent=o) for o in table.met[tpn])
    return _("mean {code}: {parts}").format(code=name, parts=", ".join(parts))
