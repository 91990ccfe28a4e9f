"""Buchholz, Fore Buchholz, their average, and Sonneborn-Berger (C.07 articles 8, 9.1, 14 and 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from gettext import gettext as _

from rules.pairing.state import History
from rules.tiebreaks.crosstable import VOLUNTARY, Crosstable, Modifiers
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
    return _sums(table, parts_of(table, None, modifiers.forfeits, group), group, modifiers, unit=2)


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
    return _sums(worth, parts_of(worth, points, modifiers.forfeits, group), group, modifiers, unit=4)


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
        met = _met(table, tpn)
        numbers[tpn] = _hundredths(met, everybody) if met else UNDEFINED
    return Column(numbers, 100, partial(_mean_reason, table, everybody), _met_nobody)


def _met(table: Crosstable, tpn: int) -> list[int]:
    """Those met over the board."""
    return [r.opponent for r in table.by_tpn[tpn].rounds if r.unplayed is None and r.opponent is not None]


def _hundredths(met: Sequence[int], half_points: Mapping[int, Fraction | int]) -> int:
    """The mean in hundredths of a point, halves up."""
    return int(100 * sum([half_points[m] for m in met]) + len(met)) // (2 * len(met))


def _not_in_round_robins(_tpn: int) -> str:
    return _("Buchholz is not used in a round robin.")


def _met_nobody(_tpn: int) -> str:
    return _("has met nobody over the board")


def _mean_reason(table: Crosstable, half_points: Mapping[int, Fraction | int], tpn: int) -> str:
    text = _("{value} of {opponent}")
    met = _met(table, tpn)
    parts = ", ".join(text.format(value=in_points(int(half_points[opponent])), opponent=opponent) for opponent in met)
    mean = decimal(Fraction(_hundredths(met, half_points), 100))
    return _("mean of {parts} = {mean}").format(parts=parts, mean=mean)


def parts_of(worth: Crosstable, points: Crosstable | None, forfeits: bool, group: Sequence[int]) -> Mapping[int, Parts]:
    """The parts of the players of a group, worked out once for a table; `points` None is a plain sum."""
    known: dict[int, Parts] = worth.once(("parts", points, forfeits), dict)
    missing = [tpn for tpn in group if tpn not in known]
    if points is None:
        known.update((tpn, _parts(worth, worth.by_tpn[tpn], forfeits)) for tpn in missing)
    elif missing:
        plain = parts_of(worth, None, forfeits, missing)
        known.update((tpn, _products(plain[tpn], points.by_tpn[tpn])) for tpn in missing)
    return known


_NONE: frozenset[int] = frozenset()


def _parts(table: Crosstable, player: History, forfeits: bool) -> Parts:
    rounds: list[int] = []
    worth: list[int] = []
    voluntary, unplayed = _NONE, _NONE
    adjusted = table.adjusted
    for number, record in enumerate(player.rounds, 1):
        opponent, kind = record.opponent, record.unplayed
        if kind is None and opponent is not None:  # nearly all rounds are ordinary games
            worth.append(adjusted[opponent])
        elif kind == "free":
            continue
        else:
            if not table.is_game(record, forfeits):
                unplayed |= {len(rounds)}
                if kind in VOLUNTARY:
                    voluntary |= {len(rounds)}
            worth.append(table.opponent_value(player, number, forfeits))
        rounds.append(number)
    worths = tuple(worth)
    return Parts(tuple(rounds), worths, None, worths, voluntary, unplayed)


def _products(plain: Parts, own: History) -> Parts:
    """The same parts, multiplied with the own points of the rounds."""
    points = tuple([own.rounds[number - 1].half_points for number in plain.rounds])
    products = tuple([a * b for a, b in zip(plain.worth, points, strict=True)])
    return Parts(plain.rounds, plain.worth, points, products, plain.voluntary, plain.unplayed)


def _sums(
    table: Crosstable, parts: Mapping[int, Parts], group: Sequence[int], modifiers: Modifiers, unit: int
) -> Mapping[int, Value]:
    voluntary_first = table.edition.voluntary_cut_first
    cuts = modifiers.cut_low or modifiers.cut_high
    numbers = {}
    for tpn in group:
        mine = parts[tpn]
        numbers[tpn] = sum(mine.contributions)
        if cuts:
            numbers[tpn] -= sum([mine.contributions[at] for at in _cut(mine, modifiers, voluntary_first)])
    return Column(numbers, unit, partial(_sum_reason, parts, modifiers, voluntary_first, unit))


def _sum_reason(parts: Mapping[int, Parts], modifiers: Modifiers, voluntary_first: bool, unit: int, tpn: int) -> str:
    mine = parts[tpn]
    cut = _cut(mine, modifiers, voluntary_first)
    kept = [at for at in range(len(mine.rounds)) if at not in cut]
    total = Fraction(sum(mine.contributions[at] for at in kept), unit)
    shown = " + ".join(mine.text(at) for at in kept) or "0"
    reason = _("{parts} = {total}").format(parts=shown, total=decimal(total))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(mine.text(at) for at in cut))


def _cut(parts: Parts, modifiers: Modifiers, voluntary_first: bool) -> list[int]:
    """The indices that are cut: low ones first, chosen rounds not played with priority."""
    worth, contributions = parts.worth, parts.contributions
    # From the least significant opponent up; on equality the lowest contribution first (14.1).
    kept = sorted(range(len(worth)), key=lambda at: (worth[at], contributions[at], at))
    cut = []
    for _turn in range(min(modifiers.cut_low, len(kept))):
        least = kept[0]
        if voluntary_first and parts.voluntary:
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
