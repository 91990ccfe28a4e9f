"""A team event as tie-breaks see it: one crosstable in match points, one in game points, and the boards (C.07 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rules.pairing.state import History
from rules.tiebreaks.crosstable import Crosstable, Score

#: Half-points on each board of one match, board 1 first; empty for a round without boards.
BoardPoints = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TeamTable:
    """All teams' matches so far.

    `match` and `game` hold the same matches with match points and game points; in `match` the win, draw and loss are
    those of the event, in `game` a win of all boards, half of them, and nothing. `boards` is the number of boards,
    `primary` the score that ranks. `points` maps team → round by round the half-points on its boards.
    """

    match: Crosstable
    game: Crosstable
    boards: int
    primary: Score = "MP"
    points: Mapping[int, tuple[BoardPoints, ...]] = field(default_factory=dict)

    def by_score(self, score: Score) -> Crosstable:
        """The crosstable in match points or game points."""
        return self.match if score == "MP" else self.game

    @property
    def secondary(self) -> Score:
        """The other score."""
        return "GP" if self.primary == "MP" else "MP"

    @cached_property
    def first(self) -> Crosstable:
        """The crosstable in the primary score."""
        return self.by_score(self.primary)

    @cached_property
    def second(self) -> Crosstable:
        """The crosstable in the secondary score."""
        return self.by_score(self.secondary)

    @property
    def players(self) -> tuple[History, ...]:
        """The teams, in the primary score."""
        return self.first.players

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What was worked out for several codes, by what it is."""
        return {}

    @cached_property
    def board_sums(self) -> Mapping[int, tuple[int, ...]]:
        """Team → half-points on every board over all rounds (12).

        Individual forfeits are ordinary results there. A PAB, and a match won by forfeit without boards of its own,
        is a win on every board; another round without boards spreads its game points over them.
        """
        return {p.tpn: self._sums_of(p) for p in self.game.players}

    def _sums_of(self, team: History) -> tuple[int, ...]:
        sums = [0] * self.boards
        known = self.points.get(team.tpn, ())
        for index, record in enumerate(team.rounds):
            row = known[index] if index < len(known) else ()
            if not row and record.unplayed is not None:
                whole = self.game.win if record.unplayed in ("U", "+") else record.half_points
                row = (whole // self.boards,) * self.boards
            for board, half_points in enumerate(row[: self.boards]):
                sums[board] += half_points
        return tuple(sums)
