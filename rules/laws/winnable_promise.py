"""Which position looks nearest to a mate: the order in which the helpmate search opens positions.

Nothing here can make a verdict wrong; it only makes it late. A side with a rook or queen mates on any edge, one with
pawns wants to promote first. A side with minor pieces only needs the corner and help: for each corner and each of the
two squares beside it (the *hole*) there is a plan. King in the corner, the mating king two squares off on the other
side, a piece of the mated side in the hole or a second minor piece that attacks it, and the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import add

import chess

from rules.laws.winnable_moves import KING, KNIGHT, Position, attacks_of

DISTANCE = [[chess.square_distance(a, b) for b in chess.SQUARES] for a in chess.SQUARES]
#: The largest value of a promise.
WORST = 511
#: More moves than any piece needs: it cannot get there.
FAR = 40


def _knight_distances() -> list[list[int]]:
    table = []
    for origin in chess.SQUARES:
        row, reached, moves = [FAR] * 64, 1 << origin, 0
        while reached and FAR in row:
            grown = 0
            for square in chess.scan_forward(reached):
                if row[square] == FAR:
                    row[square] = moves
                    grown |= KNIGHT[square]
            reached, moves = grown, moves + 1
        table.append(row)
    return table


def _bishop_distance(origin: int, target: int) -> int:
    if origin == target:
        return 0
    if (origin + (origin >> 3) + target + (target >> 3)) & 1:
        return FAR
    return 1 if chess.BB_DIAG_ATTACKS[origin][0] >> target & 1 else 2


def _rook_distance(origin: int, target: int) -> int:
    return (origin & 7 != target & 7) + (origin >> 3 != target >> 3)


KNIGHT_DISTANCE = _knight_distances()
BISHOP_DISTANCE = [[_bishop_distance(a, b) for b in chess.SQUARES] for a in chess.SQUARES]


@dataclass(frozen=True, slots=True)
class Plan:
    """One picture of a mate in a corner: all squares are places for the piece named."""

    corner: int
    hole: int
    king: int
    knight_check: int
    #: The knight's check when a rook stands in the hole.
    rook_side_check: int
    bishop_check: int
    #: The mating king stands a knight's move from the corner (else in line with it).
    slanted: bool


def _plans() -> list[Plan]:
    plans = []
    for corner, across, up in ((0, 1, 8), (7, -1, 8), (56, 1, -8), (63, -1, -8)):
        for d, e in ((across, up), (up, across)):
            hole, check = corner + d, corner + d + e
            slanted = corner + 2 * e + d
            far = corner + 2 * d + e
            plans.append(Plan(corner, hole, slanted, far, far, check, True))
            plans.append(Plan(corner, hole, corner + 2 * e, slanted, far, check, False))
    return plans


def _edge_costs(king: int, prey: int) -> Iterator[int]:
    file, rank = prey & 7, prey >> 3
    for away, facing in (
        (rank, file + 16),
        (7 - rank, file + 40),
        (file, 8 * rank + 2),
        (7 - file, 8 * rank + 5),
    ):
        yield 4 * away + 3 * DISTANCE[king][facing]


PLANS = _plans()
#: By mating king and mated king: the cost of bringing both to their places, for every plan.
KINGS = [
    [tuple(5 * DISTANCE[prey][plan.corner] + 4 * DISTANCE[king][plan.king] for plan in PLANS) for prey in chess.SQUARES]
    for king in chess.SQUARES
]
#: By mating king and mated king: the same for a mate on an edge, where the kings face each other two squares apart.
EDGES = [[min(_edge_costs(king, prey)) for prey in chess.SQUARES] for king in chess.SQUARES]
Costs = tuple[int, ...]
NEVER: Costs = (FAR,) * len(PLANS)


def _by_square(moves: Callable[[Plan, int], int]) -> list[Costs]:
    return [tuple(moves(plan, square) for plan in PLANS) for square in chess.SQUARES]


def _knight_covers(plan: Plan, square: int) -> int:
    return min(KNIGHT_DISTANCE[square][near] for near in chess.scan_forward(KNIGHT[plan.hole]))


def _knight_check(plan: Plan, square: int, target: int) -> int:
    return 3 if square == plan.corner else KNIGHT_DISTANCE[square][target] or 2


def _bishop_check(plan: Plan, square: int) -> int:
    if square == plan.corner:
        return 3
    on_the_line = chess.BB_DIAG_ATTACKS[plan.corner][0] >> square & 1
    return 2 if on_the_line else BISHOP_DISTANCE[square][plan.bishop_check]


#: By square of a piece and plan, in moves: give the check, attack the hole, fill the hole. A piece in the hole must not
#: be able to take the checking knight or to attack the king beside it, which settles who may fill which hole. A piece
#: that attacks the corner already keeps the king out of it, so it has to leave and come back.
KNIGHT_CHECK = _by_square(lambda plan, square: _knight_check(plan, square, plan.knight_check))
BISHOP_CHECK = _by_square(lambda plan, square: _bishop_check(plan, square))
KNIGHT_COVER = _by_square(_knight_covers)
BISHOP_COVER = _by_square(lambda plan, square: max(0, BISHOP_DISTANCE[square][plan.hole] - 1))
KNIGHT_FILL = _by_square(lambda plan, square: KNIGHT_DISTANCE[square][plan.hole] if plan.slanted else FAR)
BISHOP_FILL = _by_square(lambda plan, square: BISHOP_DISTANCE[square][plan.hole])
ROOK_FILL = _by_square(lambda plan, square: FAR if plan.slanted else _rook_distance(square, plan.hole))
ROOK_SIDE_CHECK = _by_square(lambda plan, square: _knight_check(plan, square, plan.rook_side_check))


def _squares(board: int) -> list[int]:
    squares = []
    while board:
        square = board.bit_length() - 1
        board ^= 1 << square
        squares.append(square)
    return squares


def _least(rows: list[Costs]) -> Costs:
    return tuple(map(min, NEVER, *rows)) if rows else NEVER


def _own_costs(knights: int, bishops: int) -> tuple[Costs, ...]:
    """By plan: the weighted cost of check and covered hole together; the moves of a check by a knight, by a bishop, and
    by a knight that a rook in the hole cannot take."""
    checks = [(KNIGHT_CHECK[s], s) for s in _squares(knights)] + [(BISHOP_CHECK[s], s) for s in _squares(bishops)]
    covers = [(KNIGHT_COVER[s], s) for s in _squares(knights)] + [(BISHOP_COVER[s], s) for s in _squares(bishops)]
    pairs = [
        tuple(3 * a + 4 * b for a, b in zip(check, cover, strict=True))
        for check, square in checks
        for cover, other in covers
        if square != other
    ]
    both = tuple(map(min, *pairs)) if len(pairs) > 1 else tuple(7 * cost for cost in NEVER)
    return both, *(
        _least([table[s] for s in _squares(pieces)])
        for table, pieces in ((KNIGHT_CHECK, knights), (BISHOP_CHECK, bishops), (ROOK_SIDE_CHECK, knights))
    )


def _their_costs(pawns: int, knights: int, bishops: int, rooks: int, white: bool) -> tuple[Costs, ...]:
    """By plan: the moves until a piece of the mated side (`white`: White) fills the hole, for each of its checks."""
    rows = [KNIGHT_FILL[s] for s in _squares(knights)] + [BISHOP_FILL[s] for s in _squares(bishops)]
    for square in _squares(pawns):
        to_go = 7 - (square >> 3) if white else square >> 3
        rows.append((to_go + 4,) * len(PLANS))
    for_bishop = _least(rows)
    # A bishop in the hole can take the knight that checks from the one side; the king then stands on the other.
    rows[knights.bit_count() : knights.bit_count() + bishops.bit_count()] = [
        tuple(FAR if plan.slanted else cost for cost, plan in zip(BISHOP_FILL[s], PLANS, strict=True))
        for s in _squares(bishops)
    ]
    return _least(rows), for_bishop, _least([ROOK_FILL[s] for s in _squares(rooks)])


class CornerCosts:
    """The costs of all plans for the pieces of a position, each half remembered as long as its pieces stand still."""

    def __init__(self) -> None:
        self._own: dict[tuple[int, int], tuple[Costs, ...]] = {}
        self._their: dict[tuple[int, int, int, int], tuple[Costs, ...]] = {}
        self._sum: dict[tuple[int, int, int, int, int], Costs] = {}

    def __call__(self, position: Position, own: int, white: bool) -> Costs:
        """Costs for the side whose pieces are `own` (`white`: White), which has knights and bishops only."""
        pawns, knights, diagonal, straight, kings, _, _ = position
        key = (pawns, knights, diagonal, straight, own & ~kings)
        costs = self._sum.get(key)
        if costs is None:
            mine = (knights & own, diagonal & own)
            theirs = (pawns & ~own, knights & ~own, diagonal & ~straight & ~own, straight & ~diagonal & ~own)
            if mine not in self._own:
                self._own[mine] = _own_costs(*mine)
            if theirs not in self._their:
                self._their[theirs] = _their_costs(*theirs, not white)
            costs = self._sum[key] = tuple(
                min(pair, 3 * check + 4 * fill, 3 * check_b + 4 * fill_b, 3 * check_r + 4 * fill_r)
                for pair, check, check_b, check_r, fill, fill_b, fill_r in zip(
                    *self._own[mine], *self._their[theirs], strict=True
                )
            )
        return costs


def judge(white: bool, promotes: bool) -> Callable[[Position], int]:
    """The judge for mates by one side (`white`: White): a function from a position to 0 (near) … `WORST`.

    `promotes` says whether that side may still promote a pawn.
    """
    corner_costs = CornerCosts()

    def promise(position: Position) -> int:
        value: int
        pawns, knights, diagonal, straight, kings, whites, meta = position
        occupied = pawns | knights | diagonal | straight | kings
        own = whites if white else occupied ^ whites
        king = (kings & own).bit_length() - 1
        prey = (kings & ~own).bit_length() - 1
        theirs = occupied & ~own & ~kings
        if own & straight:
            value = EDGES[king][prey]
            if meta & 1 != white and value <= 3 and attacks_of(position, white, occupied) >> prey & 1:
                return 0
            return 1 + value + 2 * theirs.bit_count()
        own_pawns = own & pawns
        if own_pawns and not promotes:
            # Behind a wall the king is mated wherever he finds himself shut in.
            attacked = attacks_of(position, white, occupied ^ 1 << prey)
            flights = KING[prey] & ~attacked & ~theirs
            if not flights and attacked >> prey & 1 and meta & 1 != white:
                return 0
            return 60 + 5 * flights.bit_count() + EDGES[king][prey] // 3
        if own_pawns:
            if white:
                to_go = 7 - ((own_pawns.bit_length() - 1) >> 3)
            else:
                to_go = ((own_pawns & -own_pawns).bit_length() - 1) >> 3
            return min(WORST, 60 + 6 * to_go + EDGES[king][prey] // 2 + 2 * theirs.bit_count())
        value = min(map(add, corner_costs(position, own, white), KINGS[king][prey]))
        if value < 10 and meta & 1 != white and attacks_of(position, white, occupied) >> prey & 1:
            return 0
        return min(WORST, 40 + value + 3 * (theirs & straight).bit_count())

    return promise
