"""Proofs by reach alone: no order of moves, only which piece may ever stand where.

The answer is an over-approximation. For every piece on the board a set of squares grows until nothing changes: a
square joins as soon as the piece could step there if everything that may ever happen had happened at the right time.
Whatever a game can still bring lies inside these sets (induction over the moves of the game), so what the sets forbid
is impossible; what they allow may be impossible all the same, and then this module says nothing.

What keeps a piece out: an own piece that can neither move nor be captured; for kings also a square attacked by an
enemy piece that can neither move nor be captured; for a pawn any such piece in front of it, and the enemy pawn
facing it on its file when neither can leave the file and that one cannot be captured.
Method after M. Ambrona, "A practical algorithm for chess unwinnability" (FUN 2022).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import chess

from rules.laws.winnable_moves import A_FILE, BACK_RANKS, H_FILE, KING, PAWN, Position

ALL = chess.BB_ALL
NOT_A, NOT_H = ALL & ~A_FILE, ALL & ~H_FILE
NOT_AB, NOT_GH = NOT_A & ~chess.BB_FILE_B, NOT_H & ~chess.BB_FILE_G


def _straight_steps(squares: int) -> int:
    return ((squares << 8) | (squares >> 8) | (squares & NOT_H) << 1 | (squares & NOT_A) >> 1) & ALL


def _diagonal_steps(squares: int) -> int:
    return (
        (squares & NOT_H) << 9 | (squares & NOT_A) << 7 | (squares & NOT_H) >> 7 | (squares & NOT_A) >> 9
    ) & ALL  # fmt: skip


def _queen_steps(squares: int) -> int:
    beside = squares | (squares & NOT_H) << 1 | (squares & NOT_A) >> 1
    return (beside | beside << 8 | beside >> 8) & ALL


def _knight_steps(squares: int) -> int:
    near = (squares & NOT_H) << 1 | (squares & NOT_A) >> 1
    far = (squares & NOT_GH) << 2 | (squares & NOT_AB) >> 2
    return (near << 16 | near >> 16 | far << 8 | far >> 8) & ALL


def _any_steps(squares: int) -> int:
    return _queen_steps(squares) | _knight_steps(squares)


STEPS = {
    chess.KNIGHT: _knight_steps,
    chess.BISHOP: _diagonal_steps,
    chess.ROOK: _straight_steps,
    chess.QUEEN: _queen_steps,
    chess.KING: _queen_steps,
}


def _pawn_attacks(squares: int, white: bool) -> int:
    if white:
        return ((squares & NOT_A) << 7 | (squares & NOT_H) << 9) & ALL
    return (squares & NOT_A) >> 9 | (squares & NOT_H) >> 7


@dataclass(slots=True)
class Unit:
    """One piece of the position and the squares it may ever stand on: as a pawn, and as anything."""

    kind: chess.PieceType
    white: bool
    start: int
    pawn_squares: int
    squares: int
    promotes: bool = False

    @property
    def captures(self) -> int:
        """Squares on which it may capture, if an enemy can be there."""
        if self.kind != chess.PAWN:
            return self.squares
        return _pawn_attacks(self.pawn_squares, self.white) | (self.squares if self.promotes else 0)

    def attacks(self, king_squares: int) -> int:
        """Squares it may ever attack, also from behind a king that stands on one of `king_squares`."""
        if self.kind == chess.PAWN:
            attacked = _pawn_attacks(self.pawn_squares, self.white)
            return attacked | _any_steps(self.squares | king_squares) if self.promotes else attacked
        steps = STEPS[self.kind]
        attacked = steps(self.squares)
        if self.kind not in (chess.KNIGHT, chess.KING):
            attacked |= steps(attacked & king_squares)
        return attacked


def _units(position: Position) -> list[Unit]:
    pawns, knights, diagonal, straight, kings, whites, meta = position
    units = []
    rest = pawns | knights | diagonal | straight | kings
    while rest:
        bit = rest & -rest
        rest ^= bit
        if bit & pawns:
            kind = chess.PAWN
        elif bit & knights:
            kind = chess.KNIGHT
        elif bit & kings:
            kind = chess.KING
        else:
            kind = {1: chess.BISHOP, 2: chess.ROOK, 3: chess.QUEEN}[bool(bit & diagonal) + 2 * bool(bit & straight)]
        units.append(Unit(kind, bool(bit & whites), bit, bit if kind == chess.PAWN else 0, bit))
    if meta & 126:
        # The pawn that has just leapt may be captured on the square it passed.
        passed = 1 << (meta >> 1 & 63)
        leapt = passed >> 8 if meta & 1 else passed << 8
        for unit in units:
            if unit.start == leapt:
                unit.squares |= passed
    if meta >> 7:
        for unit in units:
            rank = chess.BB_RANK_1 if unit.white else chess.BB_RANK_8
            if unit.kind == chess.KING and meta >> 7 & rank:
                unit.squares |= rank & (chess.BB_FILE_C | chess.BB_FILE_G)
            elif unit.start & meta >> 7:
                unit.squares |= rank & (chess.BB_FILE_D | chess.BB_FILE_F)
    return units


@dataclass(slots=True)
class Facing:
    """Two pawns on one file, White's below Black's: they cannot pass each other while both stay on it."""

    white: Unit
    black: Unit
    file: int

    def holds(self) -> bool:
        return not (self.white.pawn_squares | self.black.pawn_squares) & ~self.file


def _facing(units: list[Unit]) -> list[Facing]:
    pawns = [unit for unit in units if unit.kind == chess.PAWN]
    return [
        Facing(low, high, chess.BB_FILES[(low.start.bit_length() - 1) & 7])
        for low in pawns
        if low.white
        for high in pawns
        if not high.white and high.start > low.start and not (low.start.bit_length() - high.start.bit_length()) & 7
    ]


def _fixed_attacks(units: list[Unit], closed: int) -> int:
    """Squares attacked for ever by units that stand on `closed`, that is: neither move nor are captured."""
    attacked = 0
    for unit in units:
        if unit.start & closed:
            if unit.kind == chess.PAWN:
                attacked |= PAWN[unit.white][unit.start.bit_length() - 1]
            else:
                # Of lines only the first square is certain.
                attacked |= STEPS[unit.kind](unit.start)
    return attacked


def reach(position: Position) -> list[Unit]:
    """Grow the squares of every piece until nothing changes."""
    units = _units(position)
    pairs = _facing(units)
    sides = {white: [unit for unit in units if unit.white == white] for white in (True, False)}
    while True:
        before = [(unit.squares, unit.pawn_squares) for unit in units]
        captures = dict.fromkeys(sides, 0)
        stands = dict.fromkeys(sides, 0)
        for unit in units:
            captures[unit.white] |= unit.captures
            if unit.kind != chess.KING:
                stands[unit.white] |= unit.squares
        closed = dict.fromkeys(sides, 0)
        for unit in units:
            if unit.squares == unit.start and (unit.kind == chess.KING or not unit.start & captures[not unit.white]):
                closed[unit.white] |= unit.start
        barred = _barred(pairs, captures)
        for white, own in sides.items():
            fixed = _fixed_attacks(sides[not white], closed[not white])
            king = next(unit.start for unit in sides[not white] if unit.kind == chess.KING)
            enter = ALL & ~closed[white] & ~(king & closed[not white])
            push = ALL & ~closed[white] & ~closed[not white]
            for unit in own:
                if unit.kind == chess.PAWN:
                    _grow_pawn(unit, push & ~barred.get(unit.start, 0), stands[not white] & ~closed[white], enter)
                else:
                    _grow(unit, STEPS[unit.kind], enter & ~fixed if unit.kind == chess.KING else enter)
        if before == [(unit.squares, unit.pawn_squares) for unit in units]:
            return units


def _barred(pairs: list[Facing], captures: dict[bool, int]) -> dict[int, int]:
    """By the start square of a pawn: the squares it may not push to, for an enemy pawn stands there or comes before."""
    barred: dict[int, int] = {}
    for pair in pairs:
        if pair.holds():
            if not pair.black.squares & captures[True]:
                barred[pair.white.start] = barred.get(pair.white.start, 0) | pair.black.start
            if not pair.white.squares & captures[False]:
                barred[pair.black.start] = barred.get(pair.black.start, 0) | pair.white.start
    return barred


def _grow(unit: Unit, steps: Callable[[int], int], enter: int) -> None:
    while True:
        more = unit.squares | steps(unit.squares) & enter
        if more == unit.squares:
            return
        unit.squares = more


def _grow_pawn(unit: Unit, push: int, prey: int, enter: int) -> None:
    while True:
        here = unit.pawn_squares
        step = here << 8 if unit.white else here >> 8
        more = here | step & push | _pawn_attacks(here, unit.white) & prey
        if more == here:
            break
        unit.pawn_squares = more
    unit.squares |= unit.pawn_squares
    if unit.pawn_squares & BACK_RANKS & ~unit.start:
        unit.promotes = True
        _grow(unit, _any_steps, enter)


def promotes(position: Position, white: bool) -> bool:
    """Whether the sets let a pawn of the side (`white`: White) promote. False is proven."""
    return any(unit.promotes for unit in reach(position) if unit.white == white)


def proves_unwinnable(position: Position, white: bool) -> bool:
    """Whether the sets prove that the side (`white`: White) can never mate. False says nothing."""
    units = reach(position)
    own_king = next(unit for unit in units if unit.kind == chess.KING and unit.white == white)
    prey = next(unit for unit in units if unit.kind == chess.KING and unit.white != white)
    attackers = [unit for unit in units if unit.white == white and unit.kind != chess.KING]
    blockers = [unit.squares for unit in units if unit.white != white and unit.kind != chess.KING]
    attacked = 0
    for unit in attackers:
        attacked |= unit.attacks(prey.squares)
    places = prey.squares & attacked
    while places:
        bit = places & -places
        places ^= bit
        around = KING[bit.bit_length() - 1]
        if _may_close(around & ~attacked, own_king.squares & ~around & ~bit, blockers):
            return False
    return True


def _may_close(holes: int, kings: int, blockers: list[int]) -> bool:
    """Whether the flights that no piece can attack may be covered by the king, from one of `kings`, and by blockers."""
    tried = set()
    while kings:
        bit = kings & -kings
        kings ^= bit
        left = holes & ~KING[bit.bit_length() - 1]
        if left not in tried:
            tried.add(left)
            if _filled(left, blockers):
                return True
    return False


def _filled(holes: int, blockers: list[int]) -> bool:
    """Whether every hole gets a blocker of its own (a matching by plain trial; at most eight holes)."""
    if not holes:
        return True
    if holes.bit_count() > len(blockers):
        return False
    hole = holes & -holes
    return any(
        squares & hole and _filled(holes ^ hole, blockers[:index] + blockers[index + 1 :])
        for index, squares in enumerate(blockers)
    )
