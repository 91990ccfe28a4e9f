"""What is wrong on a board, in words for the people at it."""

from __future__ import annotations

from gettext import gettext as _

import chess

#: More squares than this are not listed one by one.
LISTED = 3


def difference(placement: str, board: chess.Board) -> str:
    """How the board (`placement`) differs from the record's position, square by square."""
    seen = chess.BaseBoard(placement)
    words = []
    for square in chess.SQUARES:
        there, wanted = seen.piece_at(square), board.piece_at(square)
        if there == wanted:
            continue
        name = chess.square_name(square)
        if there is None and wanted is not None:
            words.append(_("{square}: {piece} missing").format(square=name, piece=piece_name(wanted)))
        elif wanted is None and there is not None:
            words.append(_("{square}: {piece} too many").format(square=name, piece=piece_name(there)))
        elif there is not None and wanted is not None:
            words.append(
                _("{square}: {piece} instead of {wanted}").format(
                    square=name, piece=piece_name(there), wanted=piece_name(wanted)
                )
            )
    listed = ", ".join(words[:LISTED])
    if len(words) > LISTED:
        return _("{squares} and {count} more squares").format(squares=listed, count=len(words) - LISTED)
    return listed


def piece_name(piece: chess.Piece) -> str:
    """ "white knight" and so on."""
    names = {
        chess.PAWN: (_("white pawn"), _("black pawn")),
        chess.KNIGHT: (_("white knight"), _("black knight")),
        chess.BISHOP: (_("white bishop"), _("black bishop")),
        chess.ROOK: (_("white rook"), _("black rook")),
        chess.QUEEN: (_("white queen"), _("black queen")),
        chess.KING: (_("white king"), _("black king")),
    }
    return names[piece.piece_type][0 if piece.color == chess.WHITE else 1]
