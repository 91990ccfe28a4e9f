"""What a pairing system is told before a round, and what it answers.

Points are half-points (a win is 2, a draw 1), so everything here is an integer. A player is named by his tournament
pairing number (TPN, 1 = strongest). A player's record has one `RoundRecord` for every round before the one to pair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Colour = Literal["white", "black"]
#: A round without a game: forfeit won or lost, PAB, half-, full- or zero-point bye, free round of a round robin.
Unplayed = Literal["+", "-", "U", "H", "F", "Z", "free"]

#: Edition of the Dutch system: in force since 1 February 2026, or the one before it.
Edition = Literal["2026", "2017"]
#: Who has a number for rule 5.2.5: those who have been part of a pairing ("engines"), or the whole list ("file").
Numbering = Literal["engines", "file"]

WIN = 2
DRAW = 1
OPPOSITE: Mapping[Colour, Colour] = {"white": "black", "black": "white"}


class NoPairing(ValueError):
    """No legal pairing exists; str() is a sentence on which the arbiter can act (C.04.3 1.9)."""


class IllegalPairing(ValueError):
    """A pairing breaks an absolute rule; str() names board, players and rule."""


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round of one player.

    `opponent` and `colour` are those of the sheet, also when the game was then forfeited (`unplayed` "+" or "-"); they
    are None without an opponent. `unplayed` is None for a game that was played. `half_points` are the points awarded.
    """

    opponent: int | None
    colour: Colour | None
    unplayed: Unplayed | None
    half_points: int

    @property
    def played(self) -> bool:
        """Was there a game over the board? Only then it counts for colour and as a meeting (C.04.2 3.4, 3.5)."""
        return self.unplayed is None


@dataclass(frozen=True)
class History:
    """One player with his rounds so far, in order."""

    tpn: int
    rounds: tuple[RoundRecord, ...] = ()

    @cached_property
    def half_points(self) -> int:
        """The score before the round, in half-points."""
        return sum(r.half_points for r in self.rounds)

    @cached_property
    def met(self) -> frozenset[int]:
        """Everybody met over the board; a forfeited game is no meeting (C.04.2 3.5)."""
        return frozenset(r.opponent for r in self.rounds if r.played and r.opponent is not None)

    @cached_property
    def colours(self) -> tuple[Colour, ...]:
        """The colours of the played games, in order (C.04.2 3.4)."""
        return tuple(r.colour for r in self.rounds if r.played and r.colour is not None)

    @cached_property
    def barred_from_bye(self) -> bool:
        """Has he had a PAB, or a win's points in a round without playing (C.04.1 BR 4)?"""
        return any(r.unplayed == "U" or (r.unplayed in ("+", "F") and r.half_points >= WIN) for r in self.rounds)

    @cached_property
    def unplayed_games(self) -> int:
        """Rounds without a game over the board (C9)."""
        return sum(not r.played for r in self.rounds)

    @cached_property
    def took_part(self) -> bool:
        """Was he ever part of a pairing: an opponent on the sheet, or the PAB?"""
        return any(r.opponent is not None or r.unplayed == "U" for r in self.rounds)


@dataclass(frozen=True)
class PairingState:
    """Everything a pairing system may look at before round `round` of `rounds` planned rounds.

    `players` holds all entries in TPN order, withdrawn ones too; `absent` those who are not to be paired in this round.
    `initial_colour` was drawn by lot before round 1 for TPN 1 (C.04.3 5.1). `pab_half_points` is what the PAB is worth.
    `virtual` holds the half-points of an acceleration (C.04.7) by TPN, from round 1 on; a missing row counts 0.
    `forbidden` are pairs of TPNs that the regulations do not allow in this round, the smaller number first. In a round
    robin everybody meets everybody `cycles` times; `swap_middle` exchanges the last two rounds of the first of two.
    """

    round: int
    rounds: int
    players: tuple[History, ...]
    absent: frozenset[int] = frozenset()
    initial_colour: Colour = "white"
    pab_half_points: int = WIN
    win_half_points: int = WIN
    loss_half_points: int = 0
    virtual: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    forbidden: frozenset[tuple[int, int]] = frozenset()
    numbering: Numbering = "engines"
    edition: Edition = "2026"
    cycles: int = 1
    swap_middle: bool = True

    @cached_property
    def by_tpn(self) -> Mapping[int, History]:
        """The players by TPN."""
        return {p.tpn: p for p in self.players}

    @cached_property
    def present(self) -> tuple[History, ...]:
        """Those to be paired, by score and then TPN (C.04.3 1.2)."""
        here = (p for p in self.players if p.tpn not in self.absent)
        return tuple(sorted(here, key=lambda p: (-self.scores[p.tpn], p.tpn)))

    @cached_property
    def scores(self) -> Mapping[int, int]:
        """TPN → score for pairing in half-points: with the virtual points of this round (C.04.7 1.5)."""
        return {p.tpn: p.half_points + self.virtual_half_points(p.tpn, self.round) for p in self.players}

    def virtual_half_points(self, tpn: int, round_number: int) -> int:
        """The virtual points of a player when that round is paired."""
        row = self.virtual.get(tpn, ())
        return row[round_number - 1] if 0 < round_number <= len(row) else 0

    @property
    def is_last_round(self) -> bool:
        """Is this the final round, in which topscorers have exceptions (C.04.3 1.8)?"""
        return self.round == self.rounds

    def is_topscorer(self, tpn: int) -> bool:
        """More than half of the maximum possible so far, when the final round is paired (C.04.3 1.8)."""
        return self.is_last_round and self.by_tpn[tpn].half_points * 2 > self.win_half_points * (self.round - 1)

    def may_not_have_bye(self, tpn: int) -> bool:
        """Is he barred from the PAB (C.04.1 BR 4)? In the edition of 2017 a full-point bye did not bar him."""
        player = self.by_tpn[tpn]
        if self.edition == "2017":
            return any(r.unplayed in ("U", "+") for r in player.rounds)
        return player.barred_from_bye

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits that change whenever anything that matters for this pairing changes."""
        head = (self.round, self.rounds, sorted(self.absent), self.initial_colour, self.pab_half_points)
        values = (self.win_half_points, self.loss_half_points, sorted(self.virtual.items()), sorted(self.forbidden))
        switches: tuple[object, ...] = (self.numbering, self.edition)
        if self.cycles > 1:
            switches = (*switches, self.cycles, self.swap_middle)
        body = [(p.tpn, [(r.opponent, r.colour, r.unplayed, r.half_points) for r in p.rounds]) for p in self.players]
        return hashlib.sha256(repr((head, values, switches, body)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class PairingAnswer:
    """A round's pairing: (White, Black) in board order, who gets the PAB (None = nobody), and the reasons in words."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None
    reasons: tuple[str, ...] = ()
