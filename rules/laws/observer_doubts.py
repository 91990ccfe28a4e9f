"""Which earlier move of the record may have been another one, when nothing legal explains the board after it.

A move can be certain by its press and still have been seen wrongly: a piece put down on a square that died a moment ago
looks like the capture that was possible from the same place, and a board that scans slowly shows a stop on the way. The
board tells so by what comes next. Then people are asked which move it was; nothing is put right without them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import chess

from rules.laws.observer_explain import after
from rules.laws.observer_eyes import Eyes
from rules.laws.observer_reading import Before, read

#: So many moves that were not seen for certain are looked at, the last ones first.
MOST_LOOKED_AT = 12
#: So many moves after it may explain the board.
MOST_AFTER = 2


@dataclass(frozen=True, slots=True)
class Doubt:
    """Ply number `ply` (from 0) of the record may have been each of `moves`; the recorded one is the first."""

    ply: int
    moves: tuple[chess.Move, ...]


def doubt(
    eyes: Eyes, record: chess.Board, unsure: Iterable[int], pressed: bool, most: int = MOST_AFTER
) -> Doubt | None:
    """The last of the `unsure` plies of `record` with other moves after which the board makes sense.

    Those after which the fewest moves explain it, and no more than `most`, are taken, and squares that are not read
    only if nothing else does. `pressed` says that the side to move has pressed the clock: then it must have moved.
    """
    for ply in sorted(unsure, reverse=True)[:MOST_LOOKED_AT]:
        ranked: dict[chess.Move, tuple[bool, int]] = {}
        for move in _others(record, ply, eyes.sensor == "identified"):
            board = otherwise(record, ply, move)
            if board is None:
                continue
            for seen in (eyes, _without(eyes, board, record, ply, move)):
                plies = _explained_by(seen, board, pressed)
                if plies is not None and plies <= most:
                    ranked[move] = seen is not eyes, plies
                    break
        if ranked:
            best = min(ranked.values())
            others = (move for move, rank in ranked.items() if rank == best)
            return Doubt(ply, (record.move_stack[ply], *others))
    return None


def otherwise(record: chess.Board, ply: int, move: chess.Move) -> chess.Board | None:
    """The record with `move` as ply number `ply`; None if it, or what was played since, would not be legal."""
    board, later = record.copy(), record.move_stack[ply + 1 :]
    for _undo in range(len(later) + 1):
        board.pop()
    for each in (move, *later):
        if not board.is_legal(each):
            return None
        board.push(each)
    return board


def _others(record: chess.Board, ply: int, named: bool) -> Iterator[chess.Move]:
    """Other legal moves of the same piece, and castlings; on a board that knows its pieces, every other move."""
    board, played = record.copy(), record.move_stack[ply]
    for _undo in range(len(record.move_stack) - ply):
        board.pop()
    for move in board.legal_moves:
        same = move.from_square == played.from_square or board.is_castling(move)
        piece = move.promotion in (None, played.promotion or chess.QUEEN)
        if (same or named) and piece and move != played:
            yield move


def _explained_by(eyes: Eyes, board: chess.Board, pressed: bool) -> int | None:
    """How many moves after `board` explain what is seen; None if nothing does."""
    reading = read(eyes, board, Before(), at_press=pressed)
    if reading.explained:
        return None if reading.in_hand or (reading.same and pressed) else len(reading.plies) or int(not reading.same)
    # The opponent of who has pressed may have lifted something for his answer.
    return (
        1 if pressed and any(_answer_in_hand(eyes, after(board, move)) for move in _coming_down(eyes, board)) else None
    )


def _coming_down(eyes: Eyes, board: chess.Board) -> Iterator[chess.Move]:
    """The legal moves after which nothing stands where it should not: those to what has come down, if anything has."""
    come = eyes.sight.wrong(board, eyes.ignores()[-1]) & eyes.sight.occupied
    if come.bit_count() > 2:  # castling
        return
    for move in board.legal_moves:
        if not come or come & chess.BB_SQUARES[move.to_square] or board.is_castling(move) or board.is_en_passant(move):
            yield move


def _answer_in_hand(eyes: Eyes, board: chess.Board) -> bool:
    wrong = eyes.sight.wrong(board, eyes.ignores()[-1])
    return not wrong & eyes.sight.occupied and bool(wrong & board.occupied_co[board.turn]) and wrong.bit_count() <= 2


def _without(eyes: Eyes, board: chess.Board, record: chess.Board, ply: int, move: chess.Move) -> Eyes:
    """The eyes without the square to which `move` went, if its piece should still stand there and is not seen."""
    target = chess.BB_SQUARES[move.to_square]
    moved_on = any(later.from_square == move.to_square for later in record.move_stack[ply + 1 :])
    if moved_on or not board.occupied & target or eyes.sight.occupied & target:
        return eyes
    blind = copy.copy(eyes)
    blind.suspect |= target
    return blind
