"""What an irregular move is: the kinds of illegal moves (Laws 7.5), illegal positions (A.5.4), touch-move (4.3, 4.4).

Facts only: what stands on the board, compared with what the Laws allow. What follows is a matter of the edition and of
`rules.laws.game_irregular`; nothing here becomes a penalty before a clock was pressed and an arbiter has ruled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from rules.laws.edition import Offence

#: What a press without a move is called in a record.
NO_MOVE = "0000"
_LAST_RANKS = chess.BB_RANK_1 | chess.BB_RANK_8
_PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


@dataclass(frozen=True, slots=True)
class IllegalMove:
    """What was done instead of a legal move: its kind, the move in the manner of UCI, and the placement after it."""

    offence: Offence
    uci: str
    placement: str


def legal(board: chess.Board, uci: str) -> bool:
    """Whether `uci` is a legal move on `board`. A king is never captured (1.4.1), also where one was left en prise."""
    try:
        move = board.parse_uci(uci)
    except ValueError:
        return False
    return bool(move) and not board.kings & board.occupied_co[not board.turn] & chess.BB_SQUARES[move.to_square]


def illegal_move(board: chess.Board, placement: str) -> IllegalMove | None:
    """The one illegal move by which the side to move has made `placement` out of `board`.

    None when the placement is no single move of his pieces: then something else happened, and a person must look. None
    also for a legal move. Raises ValueError for a placement that is not one.
    """
    seen = chess.BaseBoard(placement)
    own = board.turn
    came: list[int] = []
    gone: list[int] = []
    lost: list[int] = []
    for square in chess.SQUARES:
        before, after = board.piece_at(square), seen.piece_at(square)
        if before == after:
            continue
        if after is not None and after.color != own:
            return None
        if after is not None:
            came.append(square)
        elif before is not None:
            (gone if before.color == own else lost).append(square)
    if not came and not gone and not lost:
        return IllegalMove("no-move", NO_MOVE, placement)
    move = _as_move(board, seen, came, gone, lost)
    if move is None or legal(board, move.uci()):
        return None
    return IllegalMove(_kind(board, seen, move), move.uci(), placement)


def _as_move(
    board: chess.Board, seen: chess.BaseBoard, came: Sequence[int], gone: Sequence[int], lost: Sequence[int]
) -> chess.Move | None:
    """The squares as one move of one piece, or as a castling; None if they are neither."""
    if len(came) == len(gone) == 2 and not lost:
        kinds = [seen.piece_type_at(square) for square in came]
        kings = [square for square in gone if board.piece_type_at(square) == chess.KING]
        rooks = [square for square in gone if board.piece_type_at(square) == chess.ROOK]
        if len(kings) == len(rooks) == 1 and sorted(kinds, key=str) == [chess.ROOK, chess.KING]:
            return chess.Move(kings[0], came[kinds.index(chess.KING)])
        return None
    if len(came) != 1 or len(gone) != 1:
        return None
    (to,), (home,) = came, gone
    piece, placed = board.piece_type_at(home), seen.piece_type_at(to)
    en_passant = chess.square(chess.square_file(to), chess.square_rank(home))
    if lost and not (piece == chess.PAWN and lost == [en_passant] and chess.square_file(to) != chess.square_file(home)):
        return None
    if piece == placed:
        return chess.Move(home, to)
    if piece == chess.PAWN and placed in _PROMOTIONS and chess.BB_SQUARES[to] & _LAST_RANKS:
        return chess.Move(home, to, promotion=placed)
    return None


def _kind(board: chess.Board, seen: chess.BaseBoard, move: chess.Move) -> Offence:
    if board.piece_type_at(move.to_square) == chess.KING and board.color_at(move.to_square) != board.turn:
        return "king-captured"
    if seen.pawns & _LAST_RANKS & chess.BB_SQUARES[move.to_square]:
        return "pawn-on-last-rank"
    return "king-in-check" if board.is_pseudo_legal(move) else "not-a-move"


def illegal_position(board: chess.Board) -> str:
    """What no legal game can show on `board`, for programs: "" when nothing is wrong.

    "both-kings-in-check" (and with it a king that could be captured), "pawn-on-last-rank" (A.5.4), "king-missing".
    """
    if len(board.pieces(chess.KING, chess.WHITE)) != 1 or len(board.pieces(chess.KING, chess.BLACK)) != 1:
        return "king-missing"
    if board.was_into_check():
        return "both-kings-in-check" if board.is_check() else "king-en-prise"
    return "pawn-on-last-rank" if board.pawns & _LAST_RANKS else ""


# -- touch-move ---------------------------------------------------------------------------------------------------


def bound(board: chess.Board, touched: Sequence[str]) -> frozenset[str]:
    """The legal moves (UCI) that remain after the squares `touched`, in order, by touch-move (4.3, 4.4).

    All legal moves when nothing touched can move or be captured (4.5). Sensors do not know intent: this is what the
    touches would oblige to, if they were meant.
    """
    legal_moves = list(board.legal_moves)
    squares = [chess.parse_square(name) for name in touched]
    own = [square for square in squares if board.color_at(square) == board.turn]
    theirs = [square for square in squares if board.color_at(square) == (not board.turn)]
    choices = (
        _castling(board, own, legal_moves),
        # Both colours: capture the one with the other (4.3.3), else the first touched that can act.
        [m for a in own[:1] for b in theirs[:1] for m in legal_moves if (m.from_square, _victim(board, m)) == (a, b)],
        *(
            [m for m in legal_moves if square in (m.from_square, _victim(board, m)) and not _taboo(board, own, m)]
            for square in squares
        ),
    )
    remaining = next((moves for moves in choices if moves), legal_moves)
    return frozenset(move.uci() for move in remaining)


def _victim(board: chess.Board, move: chess.Move) -> int | None:
    """The square of the piece that `move` captures."""
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.is_capture(move) else None


def _rook_of(board: chess.Board, move: chess.Move) -> int:
    """The rook that castles with `move`."""
    rooks = board.clean_castling_rights() & chess.BB_RANKS[chess.square_rank(move.from_square)]
    kingside = board.is_kingside_castling(move)
    # A rook that has lost its right, or came from a pawn, may stand on the rank too.
    return next(square for square in chess.scan_forward(rooks) if (square > move.from_square) == kingside)


def _castling(board: chess.Board, own: Sequence[int], moves: Sequence[chess.Move]) -> list[chess.Move]:
    """King, then rook: he must castle on that side if he may (4.4.1); if not, any move of the king will do (4.4.3)."""
    if len(own) < 2 or board.piece_type_at(own[0]) != chess.KING or board.piece_type_at(own[1]) != chess.ROOK:
        return []
    castling = [move for move in moves if board.is_castling(move) and _rook_of(board, move) == own[1]]
    return castling or [move for move in moves if move.from_square == own[0]]


def _taboo(board: chess.Board, own: Sequence[int], move: chess.Move) -> bool:
    """Rook first, then king: no castling with that rook in this move (4.4.2)."""
    rook_first = bool(own) and board.piece_type_at(own[0]) == chess.ROOK
    return rook_first and board.is_castling(move) and _rook_of(board, move) == own[0]
