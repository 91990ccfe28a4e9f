"""What a board sensor says stands on the 64 squares: pieces on an identified board, only "occupied" on others.

Squares are those of the game, a1 = 0 … h8 = 63, whichever way the board lies on the table. A `Sight` is a frozen value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import chess

Sensor = Literal["identified", "occupancy"]

#: The letter of an occupied square whose piece the sensor cannot name.
UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Sight:
    """The squares as the sensor has them. `pieces` is None on an occupancy board.

    `unknown` are occupied squares of an identified board whose piece cannot be read: a second queen from another set.
    """

    occupied: chess.Bitboard
    pieces: chess.BaseBoard | None = None
    unknown: chess.Bitboard = 0

    @classmethod
    def of(cls, board: chess.BaseBoard, sensor: Sensor) -> Sight:
        """What `sensor` says when `board` stands there."""
        if sensor == "occupancy":
            return cls(board.occupied)
        pieces = chess.BaseBoard(None)
        pieces.set_piece_map(board.piece_map())
        return cls(board.occupied, pieces)

    def lifted(self, square: chess.Square) -> Sight:
        """The same with `square` empty."""
        return self._with(square, None)

    def placed(self, square: chess.Square, letter: str = UNKNOWN) -> Sight:
        """The same with a piece (FEN letter) on `square`; raises ValueError for what is no letter of a piece."""
        return self._with(square, letter)

    def _with(self, square: chess.Square, letter: str | None) -> Sight:
        bit = chess.BB_SQUARES[square]
        occupied = self.occupied | bit if letter else self.occupied & ~bit
        if self.pieces is None:
            return Sight(occupied)
        pieces = self.pieces.copy()
        named = letter not in (None, UNKNOWN)
        pieces.set_piece_at(square, chess.Piece.from_symbol(str(letter)) if named else None)
        unknown = self.unknown | bit if letter == UNKNOWN else self.unknown & ~bit
        return Sight(occupied, pieces, unknown)

    def rotated(self) -> Sight:
        """The same board turned by half a turn: a1 becomes h8."""
        pieces = self.pieces.transform(half_turn) if self.pieces is not None else None
        return Sight(half_turn(self.occupied), pieces, half_turn(self.unknown))

    def letter(self, square: chess.Square) -> str:
        """FEN letter on `square`, "?" for an unknown piece, "" for an empty square."""
        if not self.occupied & chess.BB_SQUARES[square]:
            return ""
        piece = self.pieces.piece_at(square) if self.pieces is not None else None
        return piece.symbol() if piece else UNKNOWN

    def wrong(self, board: chess.BaseBoard, ignore: chess.Bitboard = 0) -> chess.Bitboard:
        """The squares that do not look as `board` has them, without those in `ignore`."""
        empty_or_not = self.occupied ^ board.occupied
        if self.pieces is None:
            return empty_or_not & ~ignore
        return (changed(self.pieces, board) & ~self.unknown | empty_or_not) & ~ignore


def changed(one: chess.BaseBoard, two: chess.BaseBoard) -> chess.Bitboard:
    """The squares on which two boards differ."""
    white, black = chess.WHITE, chess.BLACK
    return (
        (one.pawns ^ two.pawns) | (one.knights ^ two.knights) | (one.bishops ^ two.bishops)
        | (one.rooks ^ two.rooks) | (one.queens ^ two.queens) | (one.kings ^ two.kings)
        | (one.occupied_co[white] ^ two.occupied_co[white]) | (one.occupied_co[black] ^ two.occupied_co[black])
    )  # fmt: skip


def half_turn(squares: chess.Bitboard) -> chess.Bitboard:
    """The squares seen from the other side of the table."""
    return chess.flip_vertical(chess.flip_horizontal(squares))


def names(squares: chess.Bitboard) -> tuple[str, ...]:
    """Names of squares, by file and then by rank, as people list them."""
    return tuple(sorted(chess.square_name(square) for square in chess.scan_forward(squares)))
