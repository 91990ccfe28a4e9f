"""What tie-breaks look at: everybody's rounds, and how unplayed rounds count (C.07 article 16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

from rules.pairing.state import DRAW, WIN, Colour, History, RoundRecord, Unplayed
from rules.tiebreaks.edition import CURRENT, Edition
from rules.tiebreaks.values import UNDEFINED, Value, decimal, in_points

__all__ = ["UNDEFINED", "VOLUNTARY", "Crosstable", "Modifiers", "Score", "Value", "decimal", "in_points"]

T = TypeVar("T")

#: Rounds a player chose not to play (VUR): forfeit loss, half-point bye, zero-point bye or absence.
VOLUNTARY = frozenset({"-", "H", "Z"})

#: Match points or game points of a team event.
Score = Literal["MP", "GP"]


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What follows a code's name.

    `score` from `:MP` or `:GP` ("" = the primary one). `/C2` cuts the two lowest, `/M1` one at each end. `/P` counts
    forfeits as games against the scheduled opponent, `/F` goes by the Fore Buchholz, `/L+1` moves Koya's limit by half
    points, `/K3` sets the factor of SSSC, `/U1400` rates the unrated, `/R` turns TPN or RTNG round.
    """

    cut_low: int = 0
    cut_high: int = 0
    forfeits: bool = False
    fore: bool = False
    limit: int = 0
    factor: int = 0
    unrated: int = 0
    reverse: bool = False
    score: Score | Literal[""] = ""


@lru_cache(maxsize=1 << 15)
def round_record(
    opponent: int | None, colour: Colour | None, unplayed: Unplayed | None, half_points: int
) -> RoundRecord:
    """A round as a `RoundRecord`. Equal ones are one object, for standings are worked out anew after every result."""
    return RoundRecord(opponent, colour, unplayed, half_points)


@dataclass(frozen=True, eq=False)
class Crosstable:
    """All players' rounds so far. `rounds` is the number planned for the tournament, not those played (16.4.2).

    `predetermined` is True for a round robin, where article 15.2 applies: forfeits are ordinary games, and the free
    round of an odd field is no round at all. `win`, `draw` and `loss` are the half-points of the event's results,
    `ratings` those known (TPN → rating), `bonus` the half-points added to a score or taken from it by a ruling.
    `round_ratings` are ratings of a player in a round where they are others (TPN, round; C.07 10), `outside` values
    that were worked out elsewhere.

    Read strictly, 15.2 counts a round robin's forfeit win in WON, BPG and BWG; programs in use do not.
    `forfeit_wins` is the switch; without it only games over the board count.

    One table serves every code; what several codes need is kept in `memo`, so no value depends on the codes before it.
    """

    players: tuple[History, ...]
    rounds: int
    predetermined: bool = False
    win: int = WIN
    draw: int = DRAW
    loss: int = 0
    ratings: Mapping[int, int] = field(default_factory=dict)
    bonus: Mapping[int, int] = field(default_factory=dict)
    edition: Edition = CURRENT
    forfeit_wins: bool = False
    round_ratings: Mapping[tuple[int, int], int] = field(default_factory=dict)
    outside: Mapping[int, Fraction] = field(default_factory=dict)

    @cached_property
    def by_tpn(self) -> Mapping[int, History]:
        """The players by TPN."""
        return {p.tpn: p for p in self.players}

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What was worked out for several codes, by what it is."""
        return {}

    def once(self, key: object, make: Callable[[], T]) -> T:
        """`make()`, worked out the first time only. The same key must always stand for the same answer."""
        if key not in self.memo:
            self.memo[key] = make()
        found: T = self.memo[key]
        return found

    @cached_property
    def points(self) -> Mapping[int, tuple[int, ...]]:
        """TPN → half-points of every round."""
        return {p.tpn: tuple([r.half_points for r in p.rounds]) for p in self.players}

    @cached_property
    def met(self) -> Mapping[int, tuple[int, ...]]:
        """TPN → those met over the board, in the order of the rounds."""
        return {
            p.tpn: tuple([r.opponent for r in p.rounds if r.unplayed is None and r.opponent is not None])
            for p in self.players
        }

    @cached_property
    def scores(self) -> Mapping[int, int]:
        """TPN → final score in half-points, with bonus and penalty."""
        bonus = self.bonus
        return {tpn: sum(points) + bonus.get(tpn, 0) for tpn, points in self.points.items()}

    @cached_property
    def adjusted(self) -> Mapping[int, int]:
        """TPN → the score opponents count, in half-points (16.3)."""
        return {p.tpn: self.scores[p.tpn] + self._adjustment(p) for p in self.players}

    def _adjustment(self, player: History) -> int:
        """What is added to the own score because unplayed rounds count as draws (16.2.5, 16.3)."""
        if self.predetermined:
            return 0
        if self.edition.drawn == "all":
            return sum(self.draw - r.half_points for r in player.rounds if not r.played)
        more = 0
        for record in reversed(player.rounds):
            if record.unplayed not in VOLUNTARY:
                break
            if record.unplayed != "-":
                more += self.draw - record.half_points
        return more

    def is_game(self, record: RoundRecord, forfeits: bool = False) -> bool:
        """Does the round count as a game: played over the board, a round robin's forfeit (15.2), or by `/P`?"""
        return record.opponent is not None and (record.played or self.predetermined or forfeits)

    def is_own_game(self, record: RoundRecord) -> bool:
        """Is the round a game in the codes of a player's own record (15.2 with its exceptions)?"""
        if record.played or not self.predetermined or record.opponent is None:
            return record.played
        return self.edition.forfeits_played or (self.forfeit_wins and record.unplayed == "+")

    def opponent_value(self, player: History, number: int, forfeits: bool = False) -> int:
        """What the opponent of round `number` is worth, in half-points: the adjusted score, or the dummy's (16.4)."""
        record = player.rounds[number - 1]
        if record.opponent is not None and self.is_game(record, forfeits):
            return self.adjusted[record.opponent]
        own = self.scores[player.tpn]
        if self.edition.dummy == "own":
            return own
        if self.edition.dummy == "virtual":
            # Level before the round, the rest of the point in it, draws to the end.
            before = sum(self.points[player.tpn][: number - 1])
            return before + self.win - record.half_points + self.draw * (len(player.rounds) - number)
        most = self.adjusted[record.opponent] if record.opponent is not None else self.draw * self.rounds
        return min(own, most)

    @cached_property
    def fore(self) -> Crosstable:
        """The table with every paired game of the tournament's last round drawn, forfeits too (8.3)."""
        players = tuple(self._fore_history(p) for p in self.players)
        return replace(self, players=players)

    def _fore_history(self, player: History) -> History:
        if self.rounds < 1 or len(player.rounds) < self.rounds:
            return player
        last = player.rounds[self.rounds - 1]
        if last.opponent is None or (last.unplayed is None and last.half_points == self.draw):
            return player
        drawn = round_record(last.opponent, last.colour, None, self.draw)
        return History(player.tpn, (*player.rounds[: self.rounds - 1], drawn))
