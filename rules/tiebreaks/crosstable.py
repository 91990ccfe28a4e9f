"""What tie-breaks look at: everybody's rounds, and how unplayed rounds count (C.07 article 16, March 2026)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rules.pairing.state import DRAW, History, RoundRecord

#: Rounds a player chose not to play (VUR): forfeit loss, half-point bye, zero-point bye or absence.
VOLUNTARY = frozenset({"-", "H", "Z"})


@dataclass(frozen=True, slots=True)
class Value:
    """One player's value of one code: in points, or a place in the group for DE; None when it is undefined.

    `key` sorts: the greater is better, whatever the code. `text` is the value as standings print it, `reason` the sum
    in words and numbers.
    """

    value: Fraction | None
    key: Fraction
    text: str
    reason: str


#: The key of an undefined value: after every defined one, negative ones too.
UNDEFINED = Fraction(-(10**9))


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What follows a code's name: `/C2` cuts the two lowest, `/M1` one at each end, `/P` counts forfeits as games."""

    cut_low: int = 0
    cut_high: int = 0
    forfeits: bool = False


@dataclass(frozen=True)
class Crosstable:
    """All players' rounds so far. `rounds` is the number planned for the tournament, not those played (16.4.2).

    `predetermined` is True for a round robin, where article 15.2 applies: forfeits are ordinary games, and the free
    round of an odd field is no round at all.
    """

    players: tuple[History, ...]
    rounds: int
    predetermined: bool = False

    @cached_property
    def by_tpn(self) -> Mapping[int, History]:
        """The players by TPN."""
        return {p.tpn: p for p in self.players}

    @cached_property
    def adjusted(self) -> Mapping[int, int]:
        """TPN → the score opponents count, in half-points (16.3)."""
        return {p.tpn: sum(self._adjusted_round(p.rounds, i) for i in range(len(p.rounds))) for p in self.players}

    def _adjusted_round(self, rounds: Sequence[RoundRecord], index: int) -> int:
        """Points of a round; a draw for a requested bye after which he never was available again (16.2.5)."""
        record = rounds[index]
        if self.predetermined or record.unplayed not in ("H", "Z"):
            return record.half_points
        to_the_end = all(later.unplayed in VOLUNTARY for later in rounds[index + 1 :])
        return DRAW if to_the_end else record.half_points

    def is_game(self, record: RoundRecord) -> bool:
        """Does the round count as a game: played over the board, or a round robin's forfeit (15.2)?"""
        return record.opponent is not None and (record.played or self.predetermined)

    def opponent_value(self, player: History, record: RoundRecord) -> int:
        """What the opponent of a round is worth, in half-points: the adjusted score, or the dummy's (16.4)."""
        if record.opponent is not None and self.is_game(record):
            return self.adjusted[record.opponent]
        most = self.adjusted[record.opponent] if record.opponent is not None else DRAW * self.rounds
        return min(player.half_points, most)


def decimal(value: Fraction) -> str:
    """A value as a decimal with one digit, or two where it needs them."""
    tenths = value * 10
    if tenths.denominator == 1:
        return f"{'-' if value < 0 else ''}{abs(tenths.numerator) // 10}.{abs(tenths.numerator) % 10}"
    hundredths = (abs(value) * 200 + 1) // 2
    return f"{'-' if value < 0 else ''}{hundredths // 100}.{hundredths % 100:02d}"


def in_points(half_points: int) -> str:
    """Half-points as points: 9 → "4.5"."""
    return decimal(Fraction(half_points, 2))
