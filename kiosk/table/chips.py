"""Which chip is in which piece, at a table whose board reads chips: what the board may learn from, and what is kept."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Protocol

import chess

from drivers.boards.certabo.protocol import PieceSet
from rules.laws.game import GameState
from rules.laws.game_questions import MAKE_MOVES, MOVE, PROMOTION

#: Phases in which the record's position is to stand on the board.
_STANDS = ("assigned", "ready", "playing", "paused", "disputed")
#: As long as one of these is asked, something else may stand there.
_OPEN = (PROMOTION, MOVE, *MAKE_MOVES)


class LearnsPieces(Protocol):
    """A board that learns its pieces from a position that it is told."""

    def expect(self, placement: str, begun: bool) -> None:
        """The position that is to stand there, "" if nobody knows; whether a move was made. From any thread."""


class Teacher:
    """Tells a board of chips which position is to stand on it, by the record of the game."""

    def __init__(self, board: LearnsPieces | None) -> None:
        self._board = board
        self._position: chess.Board | None = None

    def look(self, state: GameState) -> None:
        """The game may have gone on. What stands there is not known before everything was said that the board asks."""
        if self._board is None:
            return
        asked = any(question.about in _OPEN for question in state.questions)
        position = state.position if state.phase in _STANDS and not asked else None
        if position is not self._position:
            self._position = position
            self._board.expect(position.board_fen() if position is not None else "", bool(state.plies))


def kept_pieces(path: Path) -> PieceSet | None:
    """The chips that were learnt before; None without a file that says so."""
    with contextlib.suppress(OSError, ValueError, TypeError):
        rows = json.loads(path.read_text(encoding="utf-8"))
        return PieceSet({(a, b, c, d, e): str(letter) for a, b, c, d, e, letter in rows})
    return None


def keep_pieces(path: Path, pieces: PieceSet) -> None:
    """Keeps the chips; where that cannot be written they are only learnt again."""
    rows = [[*chip, letter] for chip, letter in pieces.pieces.items()]
    with contextlib.suppress(OSError):
        beside = path.with_name(f"{path.name}.new")
        beside.write_text(json.dumps(rows), encoding="utf-8")
        beside.replace(path)  # a kill while it is written leaves the old one
