"""What the pieces on an identified board say: placements in, the move that stands there out.

Theory of operation
-------------------
* The position is the truth, the way there is only the story. Each new placement is compared as a whole with the record;
  lifts, slides and the order of the squares mean nothing. A castling is there when king and rook both stand, an en
  passant capture when the victim is gone, a promotion when the new piece stands in the pawn's place; the piece is read.
* A placement is explained by no ply, by one legal ply, or by two (the opponent has answered before the press). More
  than one explanation is none.
* What it explains is a *candidate*, until a press, the opponent's answer, or a mate that has stood for `settle_ms`
  makes it certain (`certain_moves`). A candidate is replaced when the piece slides on, and gone when it is put back.
* A move's stamp is that of the observation that first showed it. It keeps it while the opponent lifts or slides a piece
  to answer, and when it becomes the record's next move.
* A placement that nothing explains is announced by the caller when it has stood since `unexplained_since` for long
  enough. One or two pieces in the air explain themselves.

An `Observer` is a frozen value and knows no time of its own. It looks for moves only when the placement or the record
changes. The whole machine with questions and alerts, for every kind of board, is `observer_watch.Watch`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import chess

from rules.laws.ending import side_of
from rules.laws.events import Side
from rules.laws.game_endings import after, ends_game
from rules.laws.game_intents import MakeMove, PressClock, PressOnly
from rules.laws.game_state import GameState
from rules.laws.observer_explain import Line, lines
from rules.laws.observer_sight import Sight, changed

#: Pieces in the air that need no explanation: the mover's and its victim, or king and rook.
IN_THE_AIR = 2


@dataclass(frozen=True, slots=True)
class Observation:
    """What the board showed at `t` (ms): a FEN piece placement."""

    t: int
    placement: str


@dataclass(frozen=True, slots=True)
class MadePly:
    """A move that stands on the board, in UCI, and the stamp at which it was first seen there (ms)."""

    uci: str
    made_at: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """The one or two plies that stand on the board and are not in the record yet."""

    plies: tuple[MadePly, ...]

    @property
    def uci(self) -> str:
        """The first of them, the one that a press completes."""
        return self.plies[0].uci

    @property
    def made_at(self) -> int:
        """When the first of them was made."""
        return self.plies[0].made_at


@dataclass(frozen=True, slots=True)
class Observer:
    """What is known about the board; see the theory of operation. `observe` gives the next value.

    `placement` is None before the first observation, and stands since `since`. `base` is the position of the record
    that it was compared with. `in_the_air` says that one or two pieces are lifted and all others stand as they should.
    `stamps` keeps when the moves seen last were made, as long as their pieces have not been lifted again.
    """

    placement: str | None = None
    since: int = 0
    candidate: Candidate | None = None
    unexplained_since: int | None = None
    in_the_air: bool = False
    stamps: tuple[MadePly, ...] = ()
    base: chess.Board | None = field(default=None, repr=False)

    @property
    def explained(self) -> bool:
        """Whether the board shows the record, or the record and a candidate, with no piece in the air."""
        return self.placement is not None and self.unexplained_since is None and not self.in_the_air

    def observe(self, observation: Observation, board: chess.Board) -> Observer:
        """The observer after `observation`, compared with `board`, the position of the record.

        Raises ValueError for a placement that is not one.
        """
        if observation.placement == self.placement and self.base == board:
            return self
        seen = chess.BaseBoard(observation.placement)
        since = self.since if observation.placement == self.placement else observation.t
        base = board.copy(stack=False)
        after = Observer(observation.placement, since, base=base)
        if not changed(board, seen):
            return after
        line = _explain(base, seen)
        if line:
            known = {ply.uci: ply.made_at for ply in self.stamps}
            plies = tuple(MadePly(move.uci(), known.get(move.uci(), since)) for move in line)
            return replace(after, candidate=Candidate(plies), stamps=plies)
        standing = self._still_standing(base, seen)
        if standing:
            return replace(after, candidate=standing, stamps=standing.plies, in_the_air=True)
        if _only_lifted(board, seen):
            return replace(after, in_the_air=True)
        return replace(after, unexplained_since=since, stamps=self.stamps)

    def rebase(self, board: chess.Board) -> Observer:
        """The same placement compared with a record that has gone on: a recorded candidate is none any more."""
        if self.placement is None:
            return replace(self, base=board.copy(stack=False))
        return self.observe(Observation(self.since, self.placement), board)

    def press(self, side: Side) -> MadePly | Literal["no-move", "unexplained", "wrong-side"]:
        """The move that a press of `side` completes on the board as it stands, or why there is none.

        "unexplained" also while pieces are in the air and no move stood before they were lifted.
        """
        if self.base is None or side != side_of(self.base.turn):
            return "wrong-side"
        if self.candidate:
            return self.candidate.plies[0]
        return "no-move" if self.explained else "unexplained"

    def settled(self, t: int, settle_ms: int) -> Candidate | None:
        """The candidate, once the board has not changed for `settle_ms`."""
        still = self.explained and t - self.since >= settle_ms
        return self.candidate if still else None

    def standing(self) -> MakeMove | None:
        """The unpressed move on the board, as `game.due` and `game.decide` want it."""
        return MakeMove(self.candidate.uci, self.candidate.made_at) if self.candidate else None

    def _still_standing(self, board: chess.Board, seen: chess.BaseBoard) -> Candidate | None:
        """The first ply of the last candidate, if only other pieces than the moved one are in the air since."""
        if not self.stamps or self.base != board:
            return None
        first = self.stamps[0]
        move = chess.Move.from_uci(first.uci)
        after = board.copy(stack=False)
        after.push(move)
        moved = chess.BB_SQUARES[move.to_square]
        if _only_lifted(after, seen) and not changed(after, seen) & moved:
            return Candidate((first,))
        return None


def press_intent(state: GameState, observer: Observer, side: Side) -> PressClock | PressOnly:
    """The intent for `game.decide` when `side` presses: with the move on the board, if it is his to complete."""
    if state.ahead <= 0:
        made = observer.press(side)
        if isinstance(made, MadePly):
            return PressClock(side, made.uci, made.made_at)
        if not state.board_lost:
            return PressClock(side)
    return PressOnly(side)


def certain_moves(state: GameState, observer: Observer, t: int, settle_ms: int) -> tuple[MakeMove, ...]:
    """The settled moves on the board that are certain without a press.

    A move is, when the opponent has answered it (6.2.1: "has already made his next move") or when it ends the game
    by the edition of the Laws.
    Give them to `game.decide` one by one and `rebase` the observer. `state` and `observer` must be of the same record.
    """
    candidate = observer.settled(t, settle_ms)
    if candidate is None or state.phase != "playing":
        return ()
    certain = []
    for index, ply in enumerate(candidate.plies):
        if index + 1 < len(candidate.plies) or ends_game(state, ply.uci):
            certain.append(MakeMove(ply.uci, ply.made_at))
        state = after(state, ply.uci)
    return tuple(certain)


# -- the search ---------------------------------------------------------------------------------------------------


def _only_lifted(board: chess.BaseBoard, seen: chess.BaseBoard) -> bool:
    """Whether the boards differ in one or two empty squares only."""
    wrong = changed(board, seen)
    return not wrong & seen.occupied and wrong.bit_count() <= IN_THE_AIR


def _explain(board: chess.Board, seen: chess.BaseBoard) -> Line:
    """The one or two legal plies that lead from `board` to `seen`; () when none do, or several."""
    sight = Sight(seen.occupied, seen)
    for plies in (1, 2):
        found = lines(board, sight, plies)
        if found:
            return found[0] if len(found) == 1 else ()
    return ()
