"""Which moves were made while nobody looked, out of a board's own memory: the last resort after a crash.

The memory tells each change of a square, not what stood there before. The record is where it starts: the last moment at
which the remembered squares agree with it. From there every position is read like one that the board shows now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import chess

from drivers.boards.dgt.memory import Change, Entry
from rules.laws.observer_explain import after, one_ply
from rules.laws.observer_sight import Sight, changed


class Recall(Protocol):
    """A board with a memory of its own."""

    memory: bytes

    def ask_memory(self) -> None:
        """Reads the memory; it lies in `memory` some seconds later."""


def moves_since(
    record: chess.Board, entries: Sequence[Entry], now: chess.BaseBoard, rotated: bool = False
) -> tuple[str, ...] | None:
    """The moves (UCI) from the record to what stands there `now`; None if the memory does not tell them.

    The last of them may not have been pressed yet.
    """
    board, candidate = record.copy(), None
    for pieces in _positions(record, [entry for entry in entries if isinstance(entry, Change)], rotated):
        sight = Sight.of(pieces, "identified")
        if not sight.wrong(board):
            candidate = None
            continue
        moves = list(one_ply(board, sight))
        if len(moves) == 1:
            candidate = moves[0]
        elif candidate is not None and sight.wrong(after(board, candidate)):
            replies = list(one_ply(after(board, candidate), sight))
            if len(replies) == 1:
                board.push(candidate)
                candidate = replies[0]
    if candidate is not None:
        board.push(candidate)
    if changed(board, now):
        return None
    made, line = record.copy(), []
    for move in board.move_stack[len(record.move_stack) :]:
        line.append(made.uci(move))
        made.push(move)
    return tuple(line)


def _positions(record: chess.BaseBoard, changes: Sequence[Change], rotated: bool) -> Iterator[chess.BaseBoard]:
    """The position after each change since the record's own position stood there for the last time."""
    known: dict[chess.Square, str] = {}
    first = 0
    for number, change in enumerate(changes, 1):
        known[_square(change, rotated)] = change.piece
        if all(_letter(record, square) == piece for square, piece in known.items()):
            first = number
    board = chess.BaseBoard(record.board_fen())
    for change in changes[first:]:
        named = change.piece not in ".?"
        board.set_piece_at(_square(change, rotated), chess.Piece.from_symbol(change.piece) if named else None)
        yield board


def _square(change: Change, rotated: bool) -> chess.Square:
    square = change.square ^ 56
    return 63 - square if rotated else square


def _letter(board: chess.BaseBoard, square: chess.Square) -> str:
    piece = board.piece_at(square)
    return piece.symbol() if piece is not None else "."
