"""Where the pieces stand: at the start, after any ply of the record, and where an arbiter has set them.

The record (`rules.laws.game_record`) may hold moves that no rule knows and positions that were set; everything that
looks back in a game gets its boards here.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from rules.laws.events import Assignment
from rules.laws.game_record import GameState


def start_board(assignment: Assignment) -> chess.Board:
    """The start position of `assignment`. Raises ValueError for a `start_fen` that is not a FEN.

    A position with castling rights for a king or rook that does not stand as usual is one of Chess960 (Guidelines II).
    """
    fen = assignment.start_fen or chess.STARTING_FEN
    board, chess960 = chess.Board(fen), chess.Board(fen, chess960=True)
    return board if board.clean_castling_rights() == chess960.clean_castling_rights() else chess960


def set_up(state: GameState, fen: str) -> chess.Board:
    """A position that an arbiter sets, with the castling of the game: misplaced kings and rooks have none (A.5.1.2).

    Raises ValueError.
    """
    return chess.Board(fen, chess960=state.position.chess960)


def position_after(state: GameState, plies: int) -> chess.Board:
    """The position after so many plies of the record."""
    placed = [(at, fen) for at, fen in state.placed if at <= plies]
    if placed:
        first, board = placed[-1][0], set_up(state, placed[-1][1])
    else:
        first, board = 0, start_board(state.assignment) if state.assignment else chess.Board()
    for ply in state.plies[first:plies]:
        play(board, ply.uci, ply.placement)
    return board


def positions(state: GameState) -> Iterator[chess.Board]:
    """The position after each ply of the record, one after the other on the same board."""
    board = position_after(state, 0)
    placed = dict(state.placed)
    for n, ply in enumerate(state.plies):
        board = set_up(state, placed[n]) if n in placed else board
        play(board, ply.uci, ply.placement)
        yield board


def play(board: chess.Board, uci: str, placement: str = "") -> str:
    """Play `uci` on `board` and return its SAN. A move that the Laws do not know is kept as it is written, played if it
    can be; then `placement`, if given, is what stands on the board, and the other side is to move.
    """
    san, turn = uci, board.turn
    try:
        san = board.san_and_push(board.parse_uci(uci))
    except ValueError:
        _force(board, uci)
    if placement:
        # What the en passant square and the castling rights were is right still: keys clean them of what is gone.
        board.set_board_fen(placement)
        board.turn = not turn
    return san


def _force(board: chess.Board, uci: str) -> None:
    """Play the move of a piece as if it were legal; a move of no piece only passes the turn."""
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        return
    if not move or board.piece_at(move.from_square):
        board.push(move)


def move_number(state: GameState, ply: int) -> int:
    """The number of ply number `ply` (from 0) on a scoresheet, which begins with 1 whatever the position."""
    fen = state.assignment.start_fen if state.assignment else ""
    black_began = bool(fen) and fen.split()[1] == "b"
    return (ply + black_began) // 2 + 1
