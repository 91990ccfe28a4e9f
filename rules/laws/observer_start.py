"""Before the first move: which way the board lies, and whether its start array is right.

A board never renumbers its squares when it is turned, so the position tells: the record seen upside down is a rotated
board, and is mapped. With few pieces, or none known, both ways may make sense: a question. An occupancy board looks the
same either way at the start; there the first move tells.
"""

from __future__ import annotations

import chess

from rules.laws.observer_sight import Sight

#: Fewer squares wrong than this, and the board is the one we know with a few pieces out of place.
CLEARLY_FEWER = 8


def is_start(sight: Sight, root: chess.Board | None = None) -> bool:
    """Whether the start array stands on the board: the common one, or that of a Chess960 game that began at `root`."""
    arrays = [chess.Board()]
    if root is not None and begins(root):
        arrays.append(root)
    return any(not sight.wrong(array) for array in arrays)


def begins(board: chess.Board) -> bool:
    """Whether `board` is the position before a whole game: all pieces there, no move made."""
    ranks = chess.BB_RANK_1 | chess.BB_RANK_2 | chess.BB_RANK_7 | chess.BB_RANK_8
    pawns = chess.BB_RANK_2 | chess.BB_RANK_7
    return board.occupied == ranks and board.pawns == pawns and board.turn == chess.WHITE and board.fullmove_number == 1


def is_rotated(record: chess.Board, raw: Sight, told: bool | None) -> bool | None:
    """Whether the board lies upside down, from its first look; None when that cannot be known yet.

    `told` is what the table was told. A record that fits only the other way round overrules it.
    """
    normal, turned = raw.wrong(record), raw.rotated().wrong(record)
    if not normal or not turned:
        return told if not normal and not turned else bool(normal)
    fewer = turned.bit_count() - normal.bit_count()
    if abs(fewer) >= CLEARLY_FEWER and (told is None or begins(record)):
        return fewer < 0
    return told


def possible_ways(raw: Sight) -> tuple[bool, ...]:
    """The orientations (False normal, True rotated) in which `raw` can be a position of a game at all."""
    ways = ((False, raw), (True, raw.rotated()))
    return tuple(rotated for rotated, sight in ways if _can_be(sight))


def _can_be(sight: Sight) -> bool:
    if sight.pieces is None:
        return True
    board = chess.Board(None)
    board.set_piece_map(sight.pieces.piece_map())
    for turn in chess.COLORS:
        board.turn = turn
        if board.is_valid():
            return True
    return False
