"""Buchholz, Fore Buchholz, their average, and Sonneborn-Berger (C.07 articles 8, 9.1, 14 and 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from gettext import gettext as _
from typing import NamedTuple

from rules.pairing.state import History
from rules.tiebreaks.crosstable import VOLUNTARY, Crosstable, Modifiers
from rules.tiebreaks.values import Value, amount, decimal, half_up, in_points, undefined


class Part(NamedTuple):
    """One round's part of the sum.

    `worth` is the opponent's value and `points` what the sum multiplies it with (None in a plain sum), both in
    half-points; `contribution` is their product. `voluntary` marks an own round the player chose not to play.
    """

    round: int
    worth: int
    points: int | None
    contribution: int
    voluntary: bool
    game: bool

    @property
    def text(self) -> str:
        """The part as a sum shows it."""
        text = in_points(self.worth)
        if self.points is not None:
            text = f"{in_points(self.points)}×{text}"
        return text if self.game else text + _(" (round {round} not played)").format(round=self.round)


Parts = tuple[Part, ...]


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
        ("AOB", modifiers.fore, modifiers.forfeits),
        lambda: {tpn: v.value or Fraction(0) for tpn, v in family(table, tuple(table.by_tpn), plain).items()},
    )
    values = {}
    for tpn in group:
        met = [r.opponent for r in table.by_tpn[tpn].rounds if r.played and r.opponent is not None]
        if not met:
            values[tpn] = undefined(_met_nobody)
            continue
        mean = half_up(sum((everybody[m] for m in met), Fraction(0)) / len(met), 2)
        values[tpn] = Value(mean, mean, decimal(mean), partial(_mean_reason, met, everybody, mean))
    return values


def _not_in_round_robins() -> str:
    return _("Buchholz is not used in a round robin.")


def _met_nobody() -> str:
    return _("has met nobody over the board")


def _mean_reason(met: Sequence[int], values: Mapping[int, Fraction], mean: Fraction) -> str:
    parts = ", ".join(
        _("{value} of {opponent}").format(value=decimal(values[opponent]), opponent=opponent) for opponent in met
    )
    return _("mean of {parts} = {mean}").format(parts=parts, mean=decimal(mean))


def parts_of(worth: Crosstable, points: Crosstable | None, forfeits: bool, group: Sequence[int]) -> Mapping[int, Parts]:
    """The parts of the players of a group, worked out once for a table; `points` None is a plain sum."""
    known: dict[int, Parts] = worth.once(("parts", points, forfeits), dict)
    for tpn in group:
        if tpn not in known:
            times = None if points is None else points.by_tpn[tpn]
            known[tpn] = _parts(worth, worth.by_tpn[tpn], times, forfeits)
    return known


def _parts(table: Crosstable, player: History, times: History | None, forfeits: bool) -> Parts:
    parts = []
    for number, record in enumerate(player.rounds, 1):
        if record.unplayed == "free":
            continue
        worth = table.opponent_value(player, number, forfeits)
        game = table.is_game(record, forfeits)
        points = None if times is None else times.rounds[number - 1].half_points
        contribution = worth if points is None else worth * points
        voluntary = not game and record.unplayed in VOLUNTARY
        parts.append(Part(number, worth, points, contribution, voluntary, game))
    return tuple(parts)


def _sums(
    table: Crosstable, parts: Mapping[int, Parts], group: Sequence[int], modifiers: Modifiers, unit: int
) -> Mapping[int, Value]:
    values = {}
    for tpn in group:
        kept: Parts = parts[tpn]
        cut: Parts = ()
        if modifiers.cut_low or modifiers.cut_high:
            kept, cut = _cut(kept, modifiers, table.edition.voluntary_cut_first)
        total = sum(p.contribution for p in kept)
        values[tpn] = amount(total, unit, partial(_sum_reason, kept, cut, total, unit))
    return values


def _sum_reason(kept: Parts, cut: Parts, total: int, unit: int) -> str:
    shown = " + ".join(p.text for p in kept) or "0"
    reason = _("{parts} = {total}").format(parts=shown, total=decimal(Fraction(total, unit)))
    if not cut:
        return reason
    return _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(p.text for p in cut))


def _lowest(part: Part) -> tuple[int, int, int]:
    """Order of the least significant opponent; on equality the lowest contribution (14.1)."""
    return part.worth, part.contribution, part.round


def _lowest_voluntary(part: Part) -> tuple[int, int, int]:
    return part.contribution, part.worth, part.round


def _cut(parts: Parts, modifiers: Modifiers, voluntary_first: bool) -> tuple[Parts, Parts]:
    """The parts that stay and those that are cut: low ones first, chosen rounds not played with priority."""
    kept, cut = list(parts), []
    for _turn in range(min(modifiers.cut_low, len(parts))):
        least = min(kept, key=_lowest)
        voluntary = min((p for p in kept if p.voluntary and voluntary_first), key=_lowest_voluntary, default=None)
        # 16.5: an own round not played goes first, unless the least opponent's part is worth more than it.
        if voluntary is not None and voluntary.contribution >= least.contribution:
            least = voluntary
        kept.remove(least)
        cut.append(least)
    for _turn in range(min(modifiers.cut_high, len(kept))):
        most = max(kept, key=_lowest)
        kept.remove(most)
        cut.append(most)
    return tuple(kept), tuple(cut)
