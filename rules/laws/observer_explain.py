"""Which legal moves lead from the record to what the sensor sees, and what is wrong when none do.

All functions compare whole positions; the way there plays no part (`observer_occupancy` adds it where the position
alone leaves a choice). `ignore` are squares that say nothing: dead sensors, squares told as wrong before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import chess

from rules.laws.observer_sight import Sight, changed

Line = tuple[chess.Move, ...]

#: What a pawn may become, the usual piece first.
PROMOTIONS: tuple[chess.PieceType, ...] = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
#: A placement is searched this many plies ahead after a lost link.
MOST_PLIES = 4
#: Positions looked at before a search gives up as not unique.
BUDGET = 40_000


@dataclass(frozen=True, slots=True)
class Ply:
    """A move that stands on the board, first seen at `made_at` (ms).

    `options` are the promotion pieces that it may be as well, when the sensor cannot tell; the move has the first.
    """

    move: chess.Move
    made_at: int = 0
    options: tuple[chess.PieceType, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """The legal position that is nearest to what is seen: `board`, and the squares that are `wrong` against it."""

    board: chess.Board
    wrong: chess.Bitboard


def one_ply(board: chess.Board, sight: Sight, ignore: chess.Bitboard = 0) -> Iterator[chess.Move]:
    """The legal moves after which the board looks as it does."""
    # A move empties the square it comes from, except a Chess960 castling in which the king stays.
    for move in board.generate_legal_moves(from_mask=sight.wrong(board, ignore) | ignore | board.kings):
        board.push(move)
        fits = not sight.wrong(board, ignore)
        board.pop()
        if fits:
            yield move


def two_plies(
    board: chess.Board,
    sight: Sight,
    ignore: chess.Bitboard = 0,
    within: chess.Bitboard = chess.BB_ALL,
    unseen: bool = False,
) -> Iterator[Line]:
    """The legal moves with replies after which the board looks as it does, all from and to squares in `within`.

    A pawn that was taken in passing need not have been seen where it stopped. With `unseen` the first may take a piece
    elsewhere too: pushed out from below, it leaves no trace.
    """
    # With pieces seen, the first origin differs from the record whatever the reply; else a reply may hide it.
    origins = sight.wrong(board, ignore) | ignore | board.kings if sight.pieces is not None else chess.BB_ALL
    board = board.copy(stack=False)
    victims = board.occupied_co[not board.turn] if unseen else chess.BB_EMPTY
    for move in board.generate_legal_moves(from_mask=origins & within):
        stopped = bool(chess.BB_SQUARES[move.to_square] & (within | victims))
        board.push(move)
        possible = stopped or board.ep_square is not None
        if possible and sight.wrong(board, ignore).bit_count() <= _most_changed(board, 1):
            for reply in one_ply(board, sight, ignore):
                seen = chess.BB_SQUARES[reply.from_square] & within and chess.BB_SQUARES[reply.to_square] & within
                if seen and (stopped or board.is_en_passant(reply)):
                    yield (move, reply)
        board.pop()


def lines(board: chess.Board, sight: Sight, plies: int, ignore: chess.Bitboard = 0, most: int = 2) -> tuple[Line, ...]:
    """Up to `most` lines of exactly `plies` legal moves to what is seen; two mean that it is not certain which.

    On an occupancy board lines that differ in a promotion piece only count as one. A search that is longer than
    `BUDGET` positions answers as if there were two empty lines.
    """
    if plies == 0:
        return ((),) if not sight.wrong(board, ignore) else ()
    search = _Search(sight, ignore)
    found: dict[tuple[object, ...], Line] = {}
    for line in search.lines(board.copy(stack=False), plies):
        squares = tuple((move.from_square, move.to_square) for move in line)
        found.setdefault(squares if sight.pieces is None else line, line)
        if len(found) == most:
            break
    if search.left < 0:
        return ((), ())
    return tuple(found.values())


class _Search:
    def __init__(self, sight: Sight, ignore: chess.Bitboard) -> None:
        self._sight = sight
        self._ignore = ignore
        self.left = BUDGET

    def lines(self, board: chess.Board, plies: int) -> Iterator[Line]:
        self.left -= 1
        if self.left < 0 or self._sight.wrong(board, self._ignore).bit_count() > _most_changed(board, plies):
            return
        if plies == 1:
            yield from ((move,) for move in one_ply(board, self._sight, self._ignore))
            return
        if plies == 2:
            yield from two_plies(board, self._sight, self._ignore)
            return
        for move in board.generate_legal_moves():
            board.push(move)
            for rest in self.lines(board, plies - 1):
                yield (move, *rest)
            board.pop()


def _most_changed(board: chess.Board, plies: int) -> int:
    """How many squares so many plies can change: two each, one more en passant, two more for a castling."""
    castlings = sum(board.has_castling_rights(colour) for colour in chess.COLORS)
    return 3 * plies + min(plies, castlings)


def the_only(moves: Iterable[chess.Move], t: int) -> Ply | None:
    """The one move of `moves`, seen at `t`; moves that differ in the promotion piece only count as one."""
    found = list(islice(moves, 500))
    squares = {(move.from_square, move.to_square) for move in found}
    if len(squares) != 1:
        return None
    pieces = {move.promotion for move in found if move.promotion}
    options = tuple(piece for piece in PROMOTIONS if piece in pieces)
    first = chess.Move(found[0].from_square, found[0].to_square, options[0] if options else None)
    return Ply(first, t, options if len(options) > 1 else ())


def may_go_on(board: chess.Board, move: chess.Move) -> bool:
    """Whether `move` may be a stop on the way of a longer one: a slide that can go on, or half of a castling.

    A board that tells late may show such a stop when the clock is pressed already.
    """
    if board.is_castling(move):
        return False
    stop = chess.BB_SQUARES[move.to_square]
    for longer in board.generate_legal_moves(from_mask=chess.BB_SQUARES[move.from_square]):
        if chess.between(move.from_square, longer.to_square) & stop:
            return True
    for castling in board.generate_castling_moves():
        if move.from_square == castling.from_square or chess.BB_SQUARES[move.from_square] & board.castling_rights:
            return True
    return False


def after(board: chess.Board, move: chess.Move) -> chess.Board:
    """The position after `move`."""
    board = board.copy(stack=False)
    board.push(move)
    return board


def nearest(board: chess.Board, sight: Sight, ignore: chess.Bitboard = 0) -> Nearest:
    """The record or the position one legal move further, whichever has fewest squares wrong.

    Among equals a castling whose king stands on its square, then the record itself: the rook is the one that is wrong.
    """
    best = Nearest(board, sight.wrong(board, ignore))
    rank = (best.wrong.bit_count(), 1)
    for move in board.legal_moves:
        there = after(board, move)
        wrong = sight.wrong(there, ignore)
        king = there.king(board.turn)
        castled = board.is_castling(move) and king is not None and not wrong & chess.BB_SQUARES[king]
        if (wrong.bit_count(), 0 if castled else 2) < rank:
            best, rank = Nearest(there, wrong), (wrong.bit_count(), 0 if castled else 2)
    return best


def still_stands(board: chess.Board, first: Ply, sight: Sight, ignore: chess.Bitboard = 0) -> bool:
    """Whether the move `first` stands on the board while the opponent's hand is busy with the answer.

    So it is when every square of the move fits, and elsewhere only the opponent's pieces are lifted or slid, with at
    most one piece of the mover in the air (the victim; never his king after a rook that he may castle with).
    """
    there = after(board, first.move)
    moved = board.occupied ^ there.occupied | chess.BB_SQUARES[first.move.to_square]
    wrong = sight.wrong(there, ignore)
    if not wrong or wrong & moved or wrong.bit_count() > 4:
        return False
    missing = wrong & ~sight.occupied
    victims = missing & there.occupied_co[board.turn]
    if victims & there.kings and chess.BB_SQUARES[first.move.from_square] & board.clean_castling_rights():
        return False
    movers = missing & there.occupied_co[not board.turn]
    extra = wrong & sight.occupied
    if sight.pieces is not None and extra & sight.pieces.occupied_co[board.turn]:
        return False
    return victims.bit_count() <= 1 and movers.bit_count() <= 2 and (not extra or bool(movers))


def half_seen(board: chess.Board, sight: Sight, ignore: chess.Bitboard = 0) -> bool:
    """Whether a legal move is seen by halves: its squares look as before it or as after it, or their piece is lifted.

    A board that scans its squares one after the other shows a piece on its new square before the old one is empty.
    Only with pieces seen; squares alone would let too much pass for a move.
    """
    wrong = sight.wrong(board, ignore)
    if sight.pieces is None or not wrong or wrong.bit_count() > 4:
        return False
    for move in board.legal_moves:
        there = after(board, move)
        if not wrong & ~changed(board, there) and not wrong & sight.occupied & sight.wrong(there, ignore):
            return True
    return False


def out_of_turn(board: chess.Board, sight: Sight, ignore: chess.Bitboard = 0) -> Ply | None:
    """The move of the side not to move that explains the board: on top of the record, or instead of its last move."""
    flipped = board.copy(stack=False)
    flipped.turn = not board.turn
    flipped.ep_square = None
    ply = the_only(one_ply(flipped, sight, ignore), 0)
    if ply is None and board.move_stack:
        before = board.copy(stack=1)
        before.pop()
        ply = the_only(one_ply(before, sight, ignore), 0)
    return ply


def pawn_left(board: chess.Board, sight: Sight, ignore: chess.Bitboard = 0) -> chess.Square | None:
    """The last-rank square on which a pawn stands that should have been exchanged (Laws 3.7.3.3)."""
    if sight.pieces is None:
        return None
    for move in board.legal_moves:
        if move.promotion == chess.QUEEN:
            there = after(board, move)
            there.set_piece_at(move.to_square, chess.Piece(chess.PAWN, board.turn))
            if not sight.wrong(there, ignore):
                return move.to_square
    return None
