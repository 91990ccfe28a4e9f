"""Buchholz and Sonneborn-Berger (C.07 articles 8, 9.1, 14 and 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from gettext import gettext as _

from rules.pairing.state import History
from rules.tiebreaks.crosstable import UNDEFINED, VOLUNTARY, Crosstable, Modifiers, Value, decimal, in_points


@dataclass(frozen=True, slots=True)
class Part:
    """One round's part of the sum: the opponent's value, in half-points, and what it contributes, in points."""

    round: int
    opponent_value: int
    contribution: Fraction
    voluntary: bool
    text: str

    @property
    def lowest_first(self) -> tuple[int, Fraction, int]:
        """Order of the least significant opponent; on equality the lowest contribution (14.1)."""
        return self.opponent_value, self.contribution, self.round


def buchholz(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """BH: the sum of the opponents' scores. Undefined in a round robin, for which it is not meant."""
    if table.predetermined:
        why = _("Buchholz is not used in a round robin.")
        return {tpn: Value(None, UNDEFINED, "", why) for tpn in group}
    return {tpn: _total(_parts(table, table.by_tpn[tpn], False), modifiers) for tpn in group}


def sonneborn_berger(table: Crosstable, group: Sequence[int], modifiers: Modifiers) -> Mapping[int, Value]:
    """SB: the sum of the opponents' scores times the points made against them."""
    return {tpn: _total(_parts(table, table.by_tpn[tpn], True), modifiers) for tpn in group}


def _parts(table: Crosstable, player: History, times_points: bool) -> list[Part]:
    parts = []
    for number, record in enumerate(player.rounds, 1):
        if record.unplayed == "free":
            continue
        worth = table.opponent_value(player, record)
        contribution = Fraction(worth, 2)
        text = in_points(worth)
        if times_points:
            contribution *= Fraction(record.half_points, 2)
            text = f"{in_points(record.half_points)}×{text}"
        game = table.is_game(record)
        text += "" if game else _(" (round {round} not played)").format(round=number)
        parts.append(Part(number, worth, contribution, not game and record.unplayed in VOLUNTARY, text))
    return parts


def _cut(parts: list[Part], modifiers: Modifiers) -> list[Part]:
    """Takes the cut parts out of `parts` and returns them: low ones first, chosen rounds not played with priority."""
    cut: list[Part] = []
    for _turn in range(min(modifiers.cut_low, len(parts))):
        least = min(parts, key=lambda p: p.lowest_first)
        voluntary = min(
            (p for p in parts if p.voluntary),
            key=lambda p: (p.contribution, p.opponent_value, p.round),
            default=None,
        )
        # 16.5: an own round not played goes first, unless the least opponent's part is worth more than it.
        if voluntary is not None and voluntary.contribution >= least.contribution:
            least = voluntary
        parts.remove(least)
        cut.append(least)
    for _turn in range(min(modifiers.cut_high, len(parts))):
        most = max(parts, key=lambda p: p.lowest_first)
        parts.remove(most)
        cut.append(most)
    return cut


def _total(parts: list[Part], modifiers: Modifiers) -> Value:
    cut = _cut(parts, modifiers)
    total = sum((p.contribution for p in parts), Fraction(0))
    reason = _("{parts} = {total}").format(parts=" + ".join(p.text for p in parts) or "0", total=decimal(total))
    if cut:
        reason = _("{sum}; cut: {parts}").format(sum=reason, parts=", ".join(p.text for p in cut))
    return Value(total, total, decimal(total), reason)
