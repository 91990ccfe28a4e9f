"""Which move was made when the sensor only knows "occupied": the position, and the lifts where it leaves a choice.

A quiet move, an en passant capture and most castlings are certain from the squares alone. A capture is not: only its
origin empties in the end. Its target is known when origin and target were empty at the same moment, in either order,
and the origin has been empty since; with a victim drawn out from under the capturing piece, only if there is no other
capture. A Chess960 castling in which king and rook change places leaves no trace but its two lifts. Two moves that fit
equally well are a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess

from rules.laws.observer_explain import one_ply
from rules.laws.observer_sight import Sight


@dataclass(frozen=True, slots=True)
class Past:
    """One earlier state of the squares: `occupied` since `t` (ms), when the squares in `changed` did."""

    t: int
    occupied: chess.Bitboard
    changed: chess.Bitboard = 0


def fitting(
    board: chess.Board,
    sight: Sight,
    past: Sequence[Past],
    ignore: chess.Bitboard = 0,
    held: chess.Move | None = None,
    blinks: bool = False,
    doubtful: chess.Bitboard = 0,
) -> list[chess.Move]:
    """The moves that fit the squares and their `past` since the record's position, best ones only.

    `held` is a move that has stood for a while: it stays the answer when a later touch would fit as well. A sensor that
    `blinks` may have missed that a rook was lifted, or the victim: the one that it saw may only have been adjusted.
    `doubtful` squares were wrong before.
    """
    ranked: dict[chess.Move, int] = {}
    stuck = doubtful & ~touched(past)  # what is said to stand there all the time has not come there
    blind = stuck | ignore & ~touched(past)
    for move in one_ply(board, sight, ignore):
        if chess.BB_SQUARES[move.to_square] & stuck & sight.occupied & ~board.occupied:
            continue
        value = _evidence(board, move, past, blinks, blind)
        if value is not None:
            ranked[move] = value
    if held is not None and ranked.get(held):
        ranked[held] = max(ranked.values())
        return [move for move in ranked if _squares(move) == _squares(held)]
    best = max(ranked.values(), default=0)
    found = [move for move, value in ranked.items() if value == best]
    found += [move for move in ranked if move not in found and any(_both_gone(board, move, one, past) for one in found)]
    origins = {move.from_square for move in found if blinks and best and not _victim_first(board, move, past)}
    return found + [
        move for move in ranked if move not in found and move.from_square in origins and _takes(board, move)
    ]


def _both_gone(board: chess.Board, one: chess.Move, other: chess.Move, past: Sequence[Past]) -> bool:
    """Whether the victims of two captures by the same piece were in the air together, and it with them."""
    if one.from_square != other.from_square or not (_takes(board, one) and _takes(board, other)):
        return False
    squares = chess.BB_SQUARES[one.from_square] | chess.BB_SQUARES[one.to_square] | chess.BB_SQUARES[other.to_square]
    return any(not seen.occupied & squares for seen in past)


def _takes(board: chess.Board, move: chess.Move) -> bool:
    """Whether it is a capture of which only its origin empties in the end."""
    return board.is_capture(move) and not board.is_en_passant(move)


def _victim_first(board: chess.Board, move: chess.Move, past: Sequence[Past]) -> bool:
    """Whether `move` is no capture, or its victim was lifted before the piece that took it, or together with it."""
    if not _takes(board, move):
        return True
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    stood = [index for index, seen in enumerate(past) if seen.occupied & origin]
    return any(not seen.occupied & target for seen in past[(stood[-1] if stood else 0) :][:2])


def _squares(move: chess.Move | None) -> tuple[int, int] | None:
    return (move.from_square, move.to_square) if move else None


def _evidence(
    board: chess.Board, move: chess.Move, past: Sequence[Past], blinks: bool, blind: chess.Bitboard = 0
) -> int | None:
    """How well the lifts speak for `move`: higher is better, later is better; None when they speak against it.

    Squares in `blind` always look as they do, and say nothing.
    """
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    if board.is_castling(move):
        both = lifted(past) & (origin | target)
        # King and rook were lifted: more is explained than by a rook move to the same squares.
        return 1 + len(past) if both == origin | target else (int(blinks) if _changes(board, move) else None)
    if not _takes(board, move):
        return 1
    if target & blind:
        return 0
    together = 0
    for index, seen in enumerate(past, 1):
        if seen.occupied & origin:
            together = 0  # the piece was put back: what was lifted with it before is another story
        elif not seen.occupied & target:
            together = index
    return together


def unseen_castlings(board: chess.Board) -> tuple[chess.Move, ...]:
    """Castlings (Chess960) after which the same squares are occupied as before."""
    return tuple(move for move in board.generate_castling_moves() if not _changes(board, move))


def guessed(board: chess.Board, move: chess.Move, past: Sequence[Past], distrusted: chess.Bitboard = 0) -> bool:
    """Whether `move` is a capture of which only the origin was seen to change: the piece may still be in a hand.

    `distrusted` squares that have not changed say nothing.
    """
    return _takes(board, move) and not _evidence(board, move, past, False, distrusted & ~touched(past))


def lifted(past: Iterable[Past]) -> chess.Bitboard:
    """Squares that were empty at some moment."""
    empty = chess.BB_EMPTY
    for seen in past:
        empty |= ~seen.occupied
    return empty & chess.BB_ALL


def lifted_in_order(past: Sequence[Past], until: int, board: chess.BaseBoard) -> tuple[chess.Square, ...]:
    """The squares of `board`'s pieces that were emptied or exchanged up to `until` (ms), each once, first ones first.

    Squares that a piece only slid over are not those of `board`'s pieces, and are left out.
    """
    squares: dict[chess.Square, None] = {}
    for before, seen in pairwise(past):
        if seen.t <= until:
            squares.update(dict.fromkeys(chess.scan_forward(seen.changed & before.occupied & board.occupied)))
    return tuple(squares)


def since_as_recorded(past: Sequence[Past], board: chess.BaseBoard) -> Sequence[Past]:
    """What has happened since the squares were last as `board` has them: what was lifted before was put back."""
    for index in range(len(past) - 1, -1, -1):
        if past[index].occupied == board.occupied:
            return past[index + 1 :]
    return past


def touched(past: Iterable[Past]) -> chess.Bitboard:
    """Squares that changed at some moment."""
    squares = chess.BB_EMPTY
    for seen in past:
        squares |= seen.changed
    return squares


def _changes(board: chess.Board, move: chess.Move) -> bool:
    """Whether the castling changes which squares are occupied."""
    board.push(move)
    there = board.occupied
    board.pop()
    return there != board.occupied
