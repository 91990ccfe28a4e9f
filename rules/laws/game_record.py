"""What is known about a table and the game on it: the values that the fold (`rules.laws.game_state`) makes.

Two counters tell made moves from completed ones: `plies` holds every move made (Laws 4.7); `ahead` is the number of
moves made and not yet completed by a press (6.2.1). It is 0 between moves, 1 while a move waits for its press, 2 when
the opponent has answered before the press, and negative while a table without a board counts presses only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import chess

from rules.laws.clock import Clock
from rules.laws.edition import DEFAULT, EDITIONS, Edition
from rules.laws.ending import side_of
from rules.laws.events import (
    Adjusted,
    Assignment,
    Board,
    Call,
    Claim,
    Confirmed,
    Disputed,
    EndedBy,
    Fault,
    Flag,
    Paused,
    Question,
    Score,
    Side,
)
from rules.laws.sides import SIDES

#: idle: no game. assigned, ready: names and control are there; both players are ready. playing, paused: under way.
#: ended: over, the result waits for both players. disputed: waits for the arbiter. confirmed: official for this table.
Phase = Literal["idle", "assigned", "ready", "playing", "paused", "ended", "confirmed", "disputed"]

#: Phases in which a new assignment may take the table.
FREE: frozenset[Phase] = frozenset({"idle", "assigned", "ready", "confirmed"})


@dataclass(frozen=True, slots=True)
class PlyRecord:
    """A move of `side`: UCI, SAN, clocks (ms) when it was made and, once pressed, after the press; stamps in ms.

    `position` is the short hash of the position after the move; `press_t` is None until the press. `left` are White's
    and Black's ms at the press before anything was credited, what a restored position goes back to (7.1), and `clock`
    is the whole clock at that moment, with its periods. `illegal`, `placement` and `touched` as in
    `rules.laws.events.Ply`.
    """

    uci: str
    san: str
    white_ms: int
    black_ms: int
    t: int
    position: str = ""
    press_t: int | None = None
    side: Side = "white"
    left: tuple[int, int] = (0, 0)
    illegal: str = ""
    placement: str = ""
    touched: tuple[str, ...] = ()
    clock: Clock | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class GameState:
    """Everything that is known about a table and the game on it; see the head of this module.

    `position` is the board of the record: read it, or take a copy to play on with `board`. `keys` is the history of
    positions (`rules.laws.ending`). `proposed` is the result to confirm, `confirmations` who has confirmed it; `score`,
    `ended_by`, `evidence` and `ended_at` say how the game ended. `ruled` means that an arbiter's order ended it, so
    nobody needs to confirm. `announced` is the move a rejected claim binds its player to (9.5.3).

    `rulings` are the offences ruled upon, `flags` all that fell, in order, `sealed` the pause of an adjourned game,
    `placed` the positions set by an arbiter, each with the number of plies before it, and `told` what the table has
    called about once, and was told: a claim is "postponed", a final position "verified". `retouched` are the squares
    touched for a move that was taken back, until it is replaced.
    """

    phase: Phase = "idle"
    assignment: Assignment | None = None
    round: int = 0
    rev: int = 0
    t: int = 0
    seated: frozenset[Side] = frozenset()
    ready: frozenset[Side] = frozenset()
    clock: Clock | None = None
    position: chess.Board = field(default_factory=chess.Board, repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)
    plies: tuple[PlyRecord, ...] = field(default=(), repr=False)
    ahead: int = 0
    started_at: int | None = None
    paused_by: str = ""
    paused_why: str = ""
    offer: Side | None = None
    questions: tuple[Question, ...] = ()
    asked: int = 0
    claim: Claim | None = None
    announced: str = ""
    calls: tuple[Call, ...] = ()
    proposed: Score | None = None
    proposed_by: Side | None = None
    confirmations: tuple[Confirmed, ...] = ()
    disputes: tuple[Disputed, ...] = ()
    flag: Flag | None = None
    resigned: Side | None = None
    score: Score | None = None
    ended_by: EndedBy | None = None
    ended_at: int | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    ruled: bool = False
    board_event: Board | None = None
    faults: tuple[Fault, ...] = ()
    orders: frozenset[str] = field(default=frozenset(), repr=False)
    edition: Edition = field(default=EDITIONS[DEFAULT]["standard"], repr=False)
    rulings: tuple[Adjusted, ...] = ()
    flags: tuple[Flag, ...] = ()
    sealed: Paused | None = None
    placed: tuple[tuple[int, str], ...] = ()
    told: frozenset[str] = frozenset()
    retouched: tuple[str, ...] = ()

    @property
    def game(self) -> str:
        """The name of the game at this table, "" without one."""
        return self.assignment.game if self.assignment else ""

    @property
    def turn(self) -> Side:
        """The side that has the move (Laws 1.3): the opponent's last move has been made, pressed or not."""
        return side_of(self.position.turn)

    @property
    def fen(self) -> str:
        """The position of the record as FEN."""
        return self.position.fen()

    @property
    def running(self) -> Side | None:
        """The side whose time runs, as at the last event."""
        return self.clock.running if self.clock else None

    @property
    def under_way(self) -> bool:
        """Whether a game was started and is not over (it may be paused or disputed)."""
        return self.started_at is not None and self.score is None

    @property
    def concluded(self) -> bool:
        """Whether a claim has concluded the game, and its result is to be decided later (Guidelines III.6)."""
        claimed = self.claim is not None and self.claim.what == "normal-means"
        return claimed and self.edition.finish is not None and not self.edition.finish.arbiter

    @property
    def board_lost(self) -> bool:
        """Whether the board cannot be read: then presses alone drive the clock."""
        return self.board_event is not None and self.board_event.state == "lost"

    def board(self) -> chess.Board:
        """The position of the record, a copy for the caller to keep (without the moves before)."""
        return self.position.copy(stack=False)

    def clocks(self, t: int) -> tuple[int, int]:
        """White's and Black's time at `t` in ms; zeros without a clock."""
        if self.clock is None:
            return 0, 0
        reading = self.clock.reading(t)
        return reading.white_ms, reading.black_ms

    def completed(self, side: Side) -> int:
        """How many moves of `side` are made and completed by a press (6.2.1)."""
        done = self.plies[: len(self.plies) - self.ahead] if self.ahead > 0 else self.plies
        return sum(ply.side == side for ply in done)

    @property
    def completed_by_both(self) -> int:
        """How many moves each side has completed at least, by which complaints about the set-up lapse (A.5.1, 7.3)."""
        return min(self.completed(side) for side in SIDES)

    def offences(self, side: Side, offence: str = "illegal-move") -> int:
        """How often an arbiter has ruled against `side` for `offence` in this game."""
        return sum((ruling.offender, ruling.offence) == (side, offence) for ruling in self.rulings)

    @property
    def illegal_ply(self) -> int | None:
        """The ply (from 0) whose illegality can still be claimed, the first one (7.5, A.5.2); None without one."""
        first = max(0, len(self.plies) - 1) if self.edition.illegal_window != "game" else 0
        return next((n for n in range(first, len(self.plies)) if self.plies[n].illegal), None)

    def has_confirmed(self, side: Side) -> bool:
        """Whether `side` has confirmed the proposed result."""
        return any(confirmed.side == side for confirmed in self.confirmations)
