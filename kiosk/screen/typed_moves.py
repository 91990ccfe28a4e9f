"""A move as a person types it, or the sentence that says why it cannot be played.

Understood are the usual short form (`e4`, `Nf3`, `exd5`, `O-O`, `e8=Q`), the long form (`e2-e4`, `Ng1-f3`) and the form
of engines (`e2e4`, `e7e8q`). Pieces have their English letters in every language of the hall (`kiosk.i18n`).
"""

from __future__ import annotations

import re

import chess

from kiosk.widgets.language import _
from kiosk.widgets.words import side_name

_LONG = re.compile(r"([KQRBN]?)([a-h][1-8])[-x:]?([a-h][1-8])=?([qrbnQRBN]?)[+#]?\Z")
_SHORT = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x:]?([a-h][1-8])=?([QRBNqrbn]?)[+#]?\Z")
_CASTLING = {"oo": True, "00": True, "ooo": False, "000": False}


class NotPossible(ValueError):
    """The typed move cannot be played; str() is a sentence for the player."""


def read_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that `text` names in this position; raises `NotPossible`."""
    plain = text.strip().rstrip("!?")
    castling = _CASTLING.get(plain.lower().replace("-", "").rstrip("+#"))
    if castling is not None:
        return _castle(board, short=castling)
    if long := _LONG.match(plain):
        piece, start, end, promotion = long.groups()
        return _from_to(board, chess.parse_square(start), chess.parse_square(end), promotion, piece)
    # A bishop needs its capital letter, "b" alone is the file; lower-case k, q, r, n can only be pieces.
    if plain[:1] in "kqrn":
        plain = plain[:1].upper() + plain[1:]
    if short := _SHORT.match(plain):
        piece, file, rank, end, promotion = short.groups()
        return _short(board, piece or "P", file, rank, chess.parse_square(end), promotion)
    raise NotPossible(_("“{text}” is no move. Write e4, Nf3, exd5, O-O or e2e4.").format(text=text.strip()))


def needs_promotion(board: chess.Board, start: chess.Square, end: chess.Square) -> bool:
    """Whether a pawn that goes from `start` to `end` must become another piece."""
    return any(m.from_square == start and m.to_square == end and m.promotion for m in board.legal_moves)


def _from_to(board: chess.Board, start: chess.Square, end: chess.Square, promotion: str, piece: str) -> chess.Move:
    there = board.piece_at(start)
    if there is None or there.color != board.turn:
        raise NotPossible(
            _("There is no piece of {side} on {square}.").format(
                side=side_name("white" if board.turn else "black"), square=chess.square_name(start)
            )
        )
    if piece and there.symbol().upper() != piece:
        raise NotPossible(
            _("On {square} stands a {there}, not a {piece}.").format(
                square=chess.square_name(start), there=_piece(there.piece_type), piece=_piece(_type(piece))
            )
        )
    into = _type(promotion) if promotion else None
    move = chess.Move(start, end, into)
    if move in board.legal_moves:
        return move
    if into is None and needs_promotion(board, start, end):
        raise NotPossible(_promotion(end))
    king = board.king(board.turn)
    if there.piece_type == chess.KING and start == king and abs(chess.square_file(start) - chess.square_file(end)) == 2:
        return _castle(board, short=chess.square_file(end) > chess.square_file(start))
    raise NotPossible(_why_not(board, move, there))


def _short(board: chess.Board, piece: str, file: str, rank: str, end: chess.Square, promotion: str) -> chess.Move:
    kind = _type(piece)

    def fits(square: chess.Square) -> bool:
        name = chess.square_name(square)
        return name.startswith(file) and name.endswith(rank)

    into = _type(promotion) if promotion else None
    legal = [m for m in board.legal_moves if m.to_square == end and _moves(board, m, kind) and fits(m.from_square)]
    if legal and into is None and legal[0].promotion:
        raise NotPossible(_promotion(end))
    chosen = [m for m in legal if m.promotion == into]
    if len(chosen) == 1:
        return chosen[0]
    if len(chosen) > 1:
        ways = _(" or ").join(board.san(m) for m in chosen)
        raise NotPossible(_("More than one piece can go there: write {ways}.").format(ways=ways))
    pseudo = [m for m in board.pseudo_legal_moves if m.to_square == end and _moves(board, m, kind)]
    for move in pseudo:
        if fits(move.from_square) and not board.is_legal(move):
            raise NotPossible(_leaves_check(board))
    if not board.pieces(kind, board.turn):
        raise NotPossible(
            _("{side} has no {piece} any more.").format(
                side=side_name("white" if board.turn else "black"), piece=_piece(kind)
            )
        )
    raise NotPossible(
        _("No {piece} of {side} can go to {square} now.").format(
            side=side_name("white" if board.turn else "black"), piece=_piece(kind), square=chess.square_name(end)
        )
    )


def _moves(board: chess.Board, move: chess.Move, kind: chess.PieceType) -> bool:
    return board.piece_type_at(move.from_square) == kind


def _castle(board: chess.Board, short: bool) -> chess.Move:
    for move in board.legal_moves:
        if board.is_kingside_castling(move) if short else board.is_queenside_castling(move):
            return move
    rights = board.has_kingside_castling_rights if short else board.has_queenside_castling_rights
    if not rights(board.turn):
        raise NotPossible(_("You cannot castle to that side: king or rook has already moved, or is not there."))
    if board.is_check():
        raise NotPossible(_("You cannot castle while your king is in check."))
    rank = 0 if board.turn else 7
    between = (5, 6) if short else (1, 2, 3)
    if any(board.piece_at(chess.square(file, rank)) for file in between):
        raise NotPossible(_("You cannot castle: there is a piece between king and rook."))
    raise NotPossible(_("You cannot castle: your king would cross or reach an attacked square."))


def _why_not(board: chess.Board, move: chess.Move, piece: chess.Piece) -> str:
    if board.is_pseudo_legal(move):
        return _leaves_check(board)
    target = board.piece_at(move.to_square)
    if target is not None and target.color == board.turn:
        return _("Your own {piece} stands on {square}.").format(
            piece=_piece(target.piece_type), square=chess.square_name(move.to_square)
        )
    blocked = chess.SquareSet(chess.between(move.from_square, move.to_square)) & board.occupied
    empty = chess.Board(None)
    empty.set_piece_at(move.from_square, piece)
    if blocked and move.to_square in empty.attacks(move.from_square):
        return _("The way is blocked: there is a piece on {square}.").format(square=chess.square_name(min(blocked)))
    return _("A {piece} does not move from {start} to {end}.").format(
        piece=_piece(piece.piece_type),
        start=chess.square_name(move.from_square),
        end=chess.square_name(move.to_square),
    )


def _leaves_check(board: chess.Board) -> str:
    if board.is_check():
        return _("Your king is in check, and this move does not help it.")
    return _("This move would leave your king in check.")


def _promotion(end: chess.Square) -> str:
    return _("Which piece? Add Q, R, B or N: {example}").format(example=f"{chess.square_name(end)}=Q")


def _type(letter: str) -> chess.PieceType:
    return chess.PIECE_SYMBOLS.index(letter.lower())


def _piece(kind: chess.PieceType) -> str:
    return {
        chess.PAWN: _("pawn"),
        chess.KNIGHT: _("knight"),
        chess.BISHOP: _("bishop"),
        chess.ROOK: _("rook"),
        chess.QUEEN: _("queen"),
        chess.KING: _("king"),
    }[kind]
