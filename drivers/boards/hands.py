"""Hands at a simulated board: how a move is made with pieces. Every simulator's board can be moved so."""

from __future__ import annotations

import chess

from drivers.errors import BadSquare


class Hands:
    """Moves the pieces of a simulated board as people do. A simulator gives `letter` and `change`."""

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        raise NotImplementedError

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece (FEN letter) on a square, or takes it off (".")."""
        raise NotImplementedError

    def close(self) -> None:
        """Pulls the cable for good; may be called twice. Simulators without a cable have nothing to do."""

    @property
    def placement(self) -> str:
        """What stands on the board, as the first field of a FEN."""
        board = chess.BaseBoard(None)
        for square in chess.SQUARES:
            letter = self.letter(square)
            if letter != ".":
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
        return board.board_fen()

    def set_up(self, placement: str) -> None:
        """Puts the pieces as in `placement`, square by square."""
        wanted = chess.BaseBoard(placement)
        for square in chess.SQUARES:
            piece = wanted.piece_at(square)
            symbol = piece.symbol() if piece else "."
            if self.letter(square) != symbol:
                self.change(square, symbol)

    def lift(self, square: chess.Square) -> str:
        """Takes the piece off a square and returns its letter; raises `BadSquare` if there is none."""
        piece = self.letter(square)
        if piece == ".":
            raise BadSquare(f"no piece on {chess.square_name(square)}")
        self.change(square, ".")
        return piece

    def put(self, square: chess.Square, piece: str) -> None:
        """Puts a piece (FEN letter) on a square."""
        self.change(square, piece)

    def play(self, board: chess.Board, move: chess.Move) -> None:
        """Moves the pieces for `move` in the position `board` as hands do: victim, then mover, then rook."""
        if board.is_castling(move):
            self._castle(board, move)
            return
        victim = move.to_square
        if board.is_en_passant(move):
            victim = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if board.is_capture(move):
            self.lift(victim)
        piece = self.lift(move.from_square)
        if move.promotion:
            symbol = chess.piece_symbol(move.promotion)
            piece = symbol.upper() if board.turn == chess.WHITE else symbol
        self.put(move.to_square, piece)

    def _castle(self, board: chess.Board, move: chess.Move) -> None:
        after = board.copy(stack=False)
        after.push(move)
        gone = [s for s in chess.SQUARES if board.piece_at(s) and board.piece_at(s) != after.piece_at(s)]
        come = [s for s in chess.SQUARES if after.piece_at(s) and board.piece_at(s) != after.piece_at(s)]
        for square in sorted(gone, key=lambda s: board.piece_type_at(s) != chess.KING):
            self.lift(square)
        for square in sorted(come, key=lambda s: after.piece_type_at(s) != chess.KING):
            piece = after.piece_at(square)
            if piece is not None:
                self.put(square, piece.symbol())
