"""Hands that play chess at a board as people do: they slide, stop, adjust, hesitate, capture in any order, and hurry.

`play` gives the board events of one move, in ms from its beginning; everything comes from the dice.
"""

from __future__ import annotations

import random

import chess

#: (ms, square, FEN letter or None for a lift)
Touch = tuple[int, chess.Square, str | None]


def play(board: chess.Board, move: chess.Move, dice: random.Random, hurry: float = 1.0) -> list[Touch]:
    """The touches that make `move` on `board`; `hurry` below 1 is faster."""
    touches: list[Touch] = []
    t = 0

    def wait(low: int, high: int) -> int:
        nonlocal t
        t += max(1, int(dice.randint(low, high) * hurry))
        return t

    def lift(square: chess.Square) -> None:
        touches.append((wait(40, 500), square, None))

    def place(square: chess.Square, letter: str) -> None:
        touches.append((wait(60, 600), square, letter))

    if hurry >= 1 and dice.random() < 0.15:
        _adjust(board, dice, lift, place)
    if hurry >= 1 and dice.random() < 0.1:
        _try_and_put_back(board, move, dice, lift, place)
    piece = board.piece_at(move.from_square)
    assert piece is not None
    letter = piece.symbol()
    if board.is_castling(move):
        _castle(board, move, dice, lift, place)
        return touches
    victim = _victim(board, move)
    order = dice.choice(["victim first", "mover first"]) if victim is not None else ""
    if order == "victim first" and victim is not None:
        lift(victim)
    lift(move.from_square)
    if not board.is_capture(move) and dice.random() < 0.4:
        for square in _way(move):
            place(square, letter)
            lift(square)
    if order == "mover first" and victim is not None and victim == move.to_square:
        lift(victim)
    if move.promotion:
        new = chess.Piece(move.promotion, board.turn).symbol()
        if dice.random() < 0.5:
            place(move.to_square, letter)
            lift(move.to_square)
        place(move.to_square, new)
    else:
        place(move.to_square, letter)
    if order == "mover first" and victim is not None and victim != move.to_square:
        lift(victim)
    return touches


def _victim(board: chess.Board, move: chess.Move) -> chess.Square | None:
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.is_capture(move) else None


def _way(move: chess.Move) -> list[chess.Square]:
    return list(chess.scan_forward(chess.between(move.from_square, move.to_square)))[:3]


def _adjust(board: chess.Board, dice: random.Random, lift, place) -> None:  # type: ignore[no-untyped-def]
    square = dice.choice(list(board.piece_map()))
    lift(square)
    place(square, str(board.piece_at(square)))


def _try_and_put_back(board: chess.Board, move: chess.Move, dice: random.Random, lift, place) -> None:  # type: ignore[no-untyped-def]
    # A move that ends the game cannot be put back.
    quiet = [
        m
        for m in board.legal_moves
        if not (board.is_capture(m) or board.is_castling(m) or m.promotion or _ends(board, m))
    ]
    if not quiet:
        return
    other = dice.choice(quiet)
    letter = str(board.piece_at(other.from_square))
    lift(other.from_square)
    place(other.to_square, letter)
    lift(other.to_square)
    place(other.from_square, letter)


def _ends(board: chess.Board, move: chess.Move) -> bool:
    there = board.copy(stack=False)
    there.push(move)
    return there.is_checkmate() or there.is_stalemate()


def _castle(board: chess.Board, move: chess.Move, dice: random.Random, lift, place) -> None:  # type: ignore[no-untyped-def]
    there = board.copy(stack=False)
    there.push(move)
    king, rook = board.king(board.turn), None
    side = chess.BB_RANK_1 if board.turn == chess.WHITE else chess.BB_RANK_8
    for square in chess.scan_forward(board.rooks & board.occupied_co[board.turn] & side):
        if board.chess960 and square == move.to_square:
            rook = square
        if not board.chess960 and (square > move.from_square) == (move.to_square > move.from_square):
            rook = square if rook is None or chess.square_file(square) in (0, 7) else rook
    assert king is not None
    assert rook is not None
    king_to = there.king(board.turn)
    kingside = chess.square_file(rook) > chess.square_file(king)
    rook_to = chess.square(5 if kingside else 3, chess.square_rank(king))
    king_letter, rook_letter = str(board.piece_at(king)), str(board.piece_at(rook))
    assert king_to is not None
    both = {king, rook} & {king_to, rook_to} or dice.random() < 0.3
    first, second = ((king, king_to, king_letter), (rook, rook_to, rook_letter))
    if dice.random() < 0.4:
        first, second = second, first
    if both:
        lift(first[0])
        lift(second[0])
        place(first[1], first[2])
        place(second[1], second[2])
    else:
        for origin, target, letter in (first, second):
            lift(origin)
            place(target, letter)
