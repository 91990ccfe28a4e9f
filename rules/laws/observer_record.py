"""The observer's record: moves that are certain, what they cost to change, and everything that is told.

First rung of the ladder that ends in `observer_watch.Watch`; each class adds one idea.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import chess

from rules.laws.observer_alerts import Alert, Code, Result
from rules.laws.observer_explain import Ply
from rules.laws.sides import Side

#: So many open promotions are looked at together.
MOST_OPEN = 3


@dataclass(frozen=True, slots=True)
class Policy:
    """How the table works; times in ms. Quiet time is 300 for USB, 600 for Bluetooth, 50 for an own matrix.

    With `final_press` a pressed move is not replaced within the grace time either. On a `lagging` board, which may show
    at the press where the piece stood a moment ago, a move that could go on waits for the whole grace time, or until
    the board has told everything up to the press (`Watch.still`), for which one that `confirms` is waited for a little
    longer. On a `checked` one no change is believed before it has confirmed it. One that `blinks` looks
    so seldom that a piece may be lifted and put back unseen.
    """

    commit: Literal["press", "settle"] = "press"
    settle_ms: int = 300
    illegal_alert_ms: int = 3_000
    press_grace_ms: int = 0
    final_press: bool = field(default=False, kw_only=True)
    lagging: bool = field(default=False, kw_only=True)
    confirms: bool = field(default=False, kw_only=True)
    checked: bool = field(default=False, kw_only=True)
    blinks: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Made:
    """A move is certain. `pressed_at` is its press, None if something else made it so.

    `replaces` says that it stands in place of an earlier one: a slide went on without a clock or within the grace time
    after the press, or a question was answered: as the last move, or as ply number `ply` (from 0). `touched` are the
    squares of the pieces that were lifted for it, in order, as far as the sensor can tell. Of a `blind` one nothing but
    the lifted piece was seen: it was the only capture.
    """

    t: int
    uci: str
    made_at: int
    pressed_at: int | None = None
    replaces: bool = False
    touched: tuple[str, ...] = ()
    ply: int | None = None
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The kings have shown a result for long enough: to be proposed to both players."""

    t: int
    result: Result


@dataclass(frozen=True, slots=True)
class Undone:
    """The takeback of so many plies was granted and the record goes back."""

    t: int
    plies: int


Output = Alert | Made | Shown | Undone


@dataclass(frozen=True, slots=True)
class OpenPromotion:
    """A promotion whose piece is still asked for: the ply's number in the record, and what it may be, best first."""

    ply: int
    options: tuple[chess.PieceType, ...]


class RecordKeeper:
    """Keeps the record and gathers what is told. `record` is None as long as no game is known."""

    def __init__(self, record: chess.Board | None, policy: Policy) -> None:
        self.policy = policy
        self.record: chess.Board | None = None
        self.root: chess.Board | None = None
        self.result: Result | None = None
        self._proposed = False
        self.promotion: OpenPromotion | None = None
        self._promotions: list[OpenPromotion] = []  # later ones, whose turn to be asked for comes
        self._out: list[Output] = []
        self._told: set[tuple[object, ...]] = set()
        self._unsure: dict[int, bool] = {}
        self._set_record(record)

    @property
    def board(self) -> chess.Board:
        """The position of the record; only while there is one."""
        assert self.record is not None, "no game is known"
        return self.record

    def uci(self, ply: int = -1) -> str:
        """A move of the record in UCI, in the way of its variant."""
        board = self.board.copy()
        moves = list(board.move_stack)
        for _undo in range(len(moves) - ply % len(moves)):
            board.pop()
        return board.uci(moves[ply])

    def _set_record(self, record: chess.Board | None) -> None:
        self.record = record.copy() if record is not None else None
        self.root = record.root() if record is not None else None
        self.promotion = None
        self._promotions = []
        self._unsure = {}  # plies not seen for certain; True: only a lifted piece was seen, and the board never tells

    def _push(self, t: int, ply: Ply, pressed_at: int | None, replaces: bool, touched: tuple[str, ...] = ()) -> None:
        """Adds a move; an open promotion piece is asked for, a mate or stalemate is a result."""
        board = self.board
        ply = _ending_nothing(board, ply)
        board.push(ply.move)
        if ply.options:
            self._promotions.append(OpenPromotion(len(board.move_stack), ply.options))
            self._next_promotion()
            self._alert(t, "promotion_needed", squares=(chess.square_name(ply.move.to_square),))
        blind = self._unsure.get(len(board.move_stack) - 1, False)
        self._out.append(Made(t, self.uci(), ply.made_at, pressed_at, replaces, touched, blind=blind))
        self._conclude()

    def _pop(self, t: int, plies: int) -> None:
        for _undo in range(plies):
            self.board.pop()
            self._unsure.pop(len(self.board.move_stack), None)
        self._forget_promotions()
        self._out.append(Undone(t, plies))
        self._conclude()

    def _next_promotion(self) -> None:
        """One promotion is asked for at a time, the first one first."""
        if self.promotion is None and self._promotions:
            self.promotion = self._promotions.pop(0)

    def _forget_promotions(self) -> None:
        """Nothing is asked about moves that are not in the record any more."""
        made = len(self.board.move_stack)
        self._promotions = [promotion for promotion in self._promotions if promotion.ply <= made]
        if self.promotion is not None and self.promotion.ply > made:
            self.promotion = None
            self._next_promotion()

    def _conclude(self) -> None:
        """Mate and stalemate are results; not with a promotion piece that is still asked for. A proposed one stays."""
        if self._proposed:
            return
        self.result = None
        if self.promotion is None and self.board.is_checkmate():
            self.result = "1-0" if self.board.turn == chess.BLACK else "0-1"
        elif self.promotion is None and self.board.is_stalemate():
            self.result = "1/2-1/2"

    def _promoted_to(self, piece: chess.PieceType) -> chess.Board | None:
        """The record with another piece of the open promotion, None if the moves after it would not be legal."""
        assert self.promotion is not None
        first = self.promotion.ply - 1
        board, moves = self.board.copy(), list(self.board.move_stack)
        for _undo in moves[first:]:
            board.pop()
        moves[first] = chess.Move(moves[first].from_square, moves[first].to_square, piece)
        for move in moves[first:]:
            if not board.is_legal(move):
                return None
            board.push(move)
        return board

    def _promoted_otherwise(self) -> Iterator[chess.Board]:
        """The record with every other choice of pieces for all open promotions after which its moves are legal."""
        if self.promotion is None:
            return
        open_ones = [self.promotion, *self._promotions][:MOST_OPEN]
        first = min(promotion.ply for promotion in open_ones) - 1
        for pieces in product(*(promotion.options for promotion in open_ones)):
            board, moves = self.board.copy(), list(self.board.move_stack)
            for _undo in moves[first:]:
                board.pop()
            for promotion, piece in zip(open_ones, pieces, strict=True):
                was = moves[promotion.ply - 1]
                moves[promotion.ply - 1] = chess.Move(was.from_square, was.to_square, piece)
            if moves != self.board.move_stack and all(_pushed(board, move) for move in moves[first:]):
                yield board

    def _set_promotion(self, t: int, board: chess.Board, left: tuple[chess.PieceType, ...]) -> None:
        """Takes `board`, the record with another promotion piece; `left` are the pieces that it may still be."""
        assert self.promotion is not None
        ply = self.promotion.ply
        changed = board.move_stack[ply - 1] != self.board.move_stack[ply - 1]
        self.record = board
        self.promotion = OpenPromotion(ply, left) if len(left) > 1 else None
        self._next_promotion()
        if changed:
            self._out.append(Made(t, self.uci(ply - 1), t, None, replaces=True))
        self._conclude()

    # -- telling ------------------------------------------------------------------------------------------------------

    def _alert(
        self,
        t: int,
        code: Code,
        side: Side | None = None,
        squares: tuple[str, ...] = (),
        plies: int | None = None,
        rotated: bool | None = None,
        result: Result | None = None,
        pressed_at: int | None = None,
    ) -> None:
        self._out.append(Alert(t, code, side, squares, plies, rotated, result, pressed_at))

    def _once(
        self, t: int, code: Code, side: Side | None = None, squares: tuple[str, ...] = (), plies: int | None = None
    ) -> None:
        """An alert that is not repeated before the board has been right again."""
        key = (code, side, squares, plies)
        if key not in self._told:
            self._told.add(key)
            self._alert(t, code, side, squares, plies)

    def _drain(self) -> list[Output]:
        out, self._out = self._out, []
        return out


def _pushed(board: chess.Board, move: chess.Move) -> bool:
    """Makes a move if it is legal; whether it is."""
    legal = board.is_legal(move)
    if legal:
        board.push(move)
    return legal


def _ending_nothing(board: chess.Board, ply: Ply) -> Ply:
    """A promotion whose piece is not known yet is not taken for a mate or stalemate: another piece comes first.

    The game ends when the player says that it was that piece, not by a guess.
    """
    for piece in ply.options:
        move = chess.Move(ply.move.from_square, ply.move.to_square, piece)
        board.push(move)
        over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
        board.pop()
        if not over:
            return Ply(move, ply.made_at, (piece, *(other for other in ply.options if other != piece)))
    return ply
