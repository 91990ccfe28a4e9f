"""Buchholz, Fore Buchholz, their average, and Sonneborn-Berger (C.07 articles 8, 9.1, 14 and 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from gettext import gettext as _
from operator import mul

from rules.pairing.state import History
from rules.tiebreaks.crosstable import VOLUNTARY, Crosstable, Modifiers
from rules.tiebreaks.edition import Edition
from rules.tiebreaks.values import UNDEFINED, Column, Value, decimal, in_points, sort_keys, undefined


@dataclass(frozen=True, slots=True)
class Parts:
    """A player's parts of a sum, one for every round that counts, each list in the order of the rounds.

    `worth` is the opponent's value and `points` what the sum multiplies it with (None in a plain sum), both in
    half-points; `contributions` are the products. `voluntary` holds the indices of own rounds the player chose not to
    play, `unplayed` of all that were no games.
    """

    rounds: tuple[int, ...]
    worth: tuple[int, ...]
    points: tuple[int, ...] | None
    contributions: tuple[int, ...]
    voluntary: frozenset[int]
    unplayed: frozenset[int]

    def text(self, at: int) -> str:
        """The part as a sum shows it."""
        text = in_points(self.worth[at])
        if self.points is not None:
            text = f"{in_points(self.points[at])}×{text}"
        return text + _(" (round {round} not played)").format(round=self.rounds[at]) if at in self.unplayed else text


def buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BH: the sum of the opponents' scores (8.1). Undefined in a round robin, for which it is not meant."""
    if table.predetermined:
        return dict.fromkeys(group, undefined(_not_in_round_robins))
    return _sums(table, None, group, modifiers)


def fore_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """FB: Buchholz as if every paired game of the tournament's last round were drawn (8.3)."""
    return buchholz(table.fore, group, modifiers)


def sonneborn_berger(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """SB: the sum of the opponents' scores times the points made against them (9.1)."""
    return extended_sonneborn_berger(table, table, group, modifiers)


def extended_sonneborn_berger(
    worth: Crosstable, points: Crosstable, group: Sequence[int], modifiers: Modifiers
) -> Mapping[int, Value]:
    """The opponents' scores in one table times the own points in another (13.2); SB takes the same for both."""
    return _sums(worth, points, group, modifiers)


def average_buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """AOB: the mean Buchholz (with /F: Fore Buchholz) of those met over the board, two decimals, halves up (8.2)."""
    if table.predetermined:
        return dict.fromkeys(group, undefined(_not_in_round_robins))
    family = fore_buchholz if modifiers.fore else buchholz
    plain = Modifiers(forfeits=modifiers.forfeits)
    everybody = table.once(
        ("AOB", modifiers.fore, modifiers.forfeits), lambda: sort_keys(family(table, tuple(table.by_tpn), plain))
    )
    numbers: dict[int, Fraction | int] = {}
    for tpn in group:
        met = table.met[tpn]
        numbers[tpn] = _hundredths(met, everybody) if met else UNDEFINED
    return Column(numbers, 100, partial(_mean_reason, table, everybody), _met_nobody)


def _hundredths(met: Sequence[int], half_points: Mapping[int, Fraction | int]) -> int:
    """The mean in hundredths of a point, halves up."""
    return int(100 * sum([half_points[m] for m in met]) + len(met)) // (2 * len(met))


def _not_in_round_robins(_tpn: int) -> str:
    return _("Buchholz is not used in a round robin.")


def _met_nobody(_tpn: int) -> str:
    return _("has met nobody over the board")


def _mean_reason(table: Crosstable, half_points: Mapping[int, Fraction | int], tpn: int) -> str:
    text = _("{value} of {opponent}")
    met = table.met[tpn]
    parts = ", ".join(text.format(value=in_points(int(half_points[opponent])), opponent=opponent) for opponent in met)
    mean = decimal(Fraction(_hundredths(met, half_points), 100))
    return _("mean of {parts} = {mean}").format(parts=parts, mean=mean)


def worths_of(table: Crosstable, forfeits: bool, group: Sequence[int]) -> Mapping[int, tuple[int, ...]]:
    """What the opponents of a group's players are worth, round by round without free ones; worked out once."""
    known: dict[int, tuple[int, ...]] = table.once(("worths", forfeits), dict)
    adjusted = table.adjusted
    for tpn in [tpn for tpn in group if tpn not in known]:
        met, player = table.met[tpn], table.by_tpn[tpn]
        if len(met) == len(player.rounds):  # nearly all have played all rounds
            known[tpn] = tuple([adjusted[opponent] for opponent in met])
        else:
            known[tpn] = tuple([table.opponent_value(player, n, forfeits) for n in _counted_rounds(player)])
    return known


def _counted_rounds(player: History) -> tuple[int, ...]:
    """The numbers of the rounds without free ones."""
    return tuple([number for number, record in enumerate(player.rounds, 1) if record.unplayed != "free"])


def _own_points(table: Crosstable, tpn: int, count: int) -> tuple[int, ...]:
    """The points of the `count` rounds that count."""
    points = table.points[tpn]
    return points if len(points) == count else tuple([points[n - 1] for n in _counted_rounds(table.by_tpn[tpn])])


def _parts(worth: Crosstable, points: Crosstable | None, forfeits: bool, tpn: int) -> Parts:
    """The parts of a player; `points` None is a plain sum."""
    player = worth.by_tpn[tpn]
    worths, rounds = worths_of(worth, forfeits, (tpn,))[tpn], _counted_rounds(player)
    if len(worth.met[tpn]) == len(player.rounds):
        voluntary = unplayed = _NONE
    else:
        missed = [(at, player.rounds[number - 1]) for at, number in enumerate(rounds)]
        missed = [(at, record) for at, record in missed if not worth.is_game(record, forfeits)]
        unplayed = frozenset([at for at, _record in missed])
        voluntary = frozenset([at for at, record in missed if record.unplayed in VOLUNTARY])
    if points is None:
        return Parts(rounds, worths, None, worths, voluntary, unplayed)
    own = _own_points(points, tpn, len(worths))
    return Parts(rounds, worths, own, tuple(map(mul, worths, own)), voluntary, unplayed)


_NONE: frozenset[int] = frozenset()


def _sums(
    worth: Crosstable, points: Crosstable | None, group: Sequence[int], modifiers: Modifiers
) -> Mapping[int, Value]:
    worths = worths_of(worth, modifiers.forfeits, group)
    if points is None:
        numbers = {tpn: sum(worths[tpn]) for tpn in group}
    else:
        numbers = {tpn: sum(map(mul, worths[tpn], _own_points(points, tpn, len(worths[tpn])))) for tpn in group}
    if modifiers.cut_low or modifiers.cut_high:
        for tpn in group:
            if points is None and len(worth.met[tpn]) == len(worths[tpn]):
                # All rounds played and nothing to multiply with: the cut ones are at the ends.
                ordered = sorted(worths[tpn])[modifiers.cut_low :]
                numbers[tpn] = sum(ordered[: max(0, len(ordered) - modifiers.cut_high)])
                continue
            mine = _parts(worth, points, modifiers.forfeits, tpn)
            numbers[tpn] -= sum([mine.contributions[at] for at in _cut(mine, modifiers, worth.edition)])
    return Column(numbers, 2 if points is None else 4, partial(_sum_reason, worth, points, modifiers))


def _sum_reason(worth: Crosstable, points: Crosstable | None, modifiers: Modifiers, tpn: int) -> str:
    mine = _parts(worth, points, modifiers.forfeits, tpn)
    cut = _cut(mine, modifiers, worth.edition)
    kept = [at for at in range(len(mine.rounds)) if at not in cut]
    total = Fraction(sum(mine.contributions[at] for at in kept), 2 if points is None else 4)
    shown = " + ".join(mine.text(at) for at in kept) or "0"
    reason = _("{parts} = {total}").format(parts=shown, total=decimal(total))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(mine.text(at) for at in cut))


def _cut(parts: Parts, modifiers: Modifiers, edition: Edition) -> list[int]:
    """The indices that are cut: low ones first, chosen rounds not played with priority."""
    worth, contributions = parts.worth, parts.contributions
    # From the least significant opponent up; on equality the lowest contribution first (14.1).
    kept = sorted(range(len(worth)), key=lambda at: (worth[at], contributions[at], at))
    cut = []
    for _turn in range(min(modifiers.cut_low, len(kept))):
        least = kept[0]
        if edition.voluntary_cut_first and parts.voluntary:
            own = min(
                (at for at in kept if at in parts.voluntary),
                key=lambda at: (contributions[at], worth[at], at),
                default=None,
            )
            # 16.5: an own round not played goes first, unless the least opponent's part is worth more than it.
            if own is not None and contributions[own] >= contributions[least]:
                least = own
        kept.remove(least)
        cut.append(least)
    high = min(modifiers.cut_high, len(kept))
    return cut + kept[len(kept) - high :][::-1]
