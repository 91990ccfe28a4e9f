"""Positions as tuples of bitboards and their successors: the legs of the helpmate search.

A search for "can this side still mate" walks through tens of thousands of positions. `chess.Board` makes and takes
back moves on one mutable board; here a position is an immutable tuple that serves as its own key, and `successors`
gives the tuples after every legal move at once. Counters are no part of a position (Laws 9.2.3), the en passant square
only when a pawn stands ready to capture.

Fields: pawns, knights, diagonal (bishops and queens), straight (rooks and queens), kings, white pieces, and `meta`:
bit 0 White to move, bits 1-6 the en passant square (0: none), from bit 7 the squares of the rooks that may castle.
"""

from __future__ import annotations

import chess

Position = tuple[int, int, int, int, int, int, int]

A_FILE, H_FILE = chess.BB_FILE_A, chess.BB_FILE_H
NOT_A, NOT_H = ~A_FILE & chess.BB_ALL, ~H_FILE & chess.BB_ALL
BACK_RANKS = chess.BB_BACKRANKS
KING, KNIGHT = chess.BB_KING_ATTACKS, chess.BB_KNIGHT_ATTACKS
#: Squares a pawn attacks, by `turn` (1 = White) and square.
PAWN = (chess.BB_PAWN_ATTACKS[chess.BLACK], chess.BB_PAWN_ATTACKS[chess.WHITE])
DIAGONAL, DIAGONAL_MASK = chess.BB_DIAG_ATTACKS, chess.BB_DIAG_MASKS
RANK, RANK_MASK = chess.BB_RANK_ATTACKS, chess.BB_RANK_MASKS
FILE, FILE_MASK = chess.BB_FILE_ATTACKS, chess.BB_FILE_MASKS
BETWEEN = [[chess.between(a, b) for b in chess.SQUARES] for a in chess.SQUARES]
#: Lines from a square on an empty board.
DIAGONALS = [DIAGONAL[square][0] for square in chess.SQUARES]
STRAIGHTS = [RANK[square][0] | FILE[square][0] for square in chess.SQUARES]


def position_of(board: chess.Board) -> Position:
    """The position on `board`."""
    ep = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else 0
    return (
        board.pawns,
        board.knights,
        board.bishops | board.queens,
        board.rooks | board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        int(board.turn) | ep << 1 | board.clean_castling_rights() << 7,
    )


def attacks_of(position: Position, white: bool, occupied: int) -> int:
    """All squares that one side's pieces attack when `occupied` are the squares that stop a line."""
    pawns, knights, diagonal, straight, kings, whites, _ = position
    mine = whites if white else (pawns | knights | diagonal | straight | kings) & ~whites
    ours = pawns & mine
    if white:
        attacked = (ours & NOT_A) << 7 | (ours & NOT_H) << 9
    else:
        attacked = (ours & NOT_A) >> 9 | (ours & NOT_H) >> 7
    attacked |= KING[(kings & mine).bit_length() - 1]
    pieces = knights & mine
    while pieces:
        square = pieces.bit_length() - 1
        pieces ^= 1 << square
        attacked |= KNIGHT[square]
    pieces = diagonal & mine
    while pieces:
        square = pieces.bit_length() - 1
        pieces ^= 1 << square
        attacked |= DIAGONAL[square][DIAGONAL_MASK[square] & occupied]
    pieces = straight & mine
    while pieces:
        square = pieces.bit_length() - 1
        pieces ^= 1 << square
        attacked |= RANK[square][RANK_MASK[square] & occupied] | FILE[square][FILE_MASK[square] & occupied]
    return attacked


def successors(position: Position) -> tuple[list[Position], bool]:
    """The positions after every legal move, and whether the side to move stands in check.

    An empty list with True is mate, with False stalemate.
    """
    pawns, knights, diagonal, straight, kings, whites, meta = position
    occupied = pawns | knights | diagonal | straight | kings
    turn = meta & 1
    own = whites if turn else occupied ^ whites
    enemy = occupied ^ own
    king_bit = kings & own
    king = king_bit.bit_length() - 1
    rights = meta >> 7
    plain = (1 - turn) | rights << 7
    attacked = attacks_of(position, not turn, occupied ^ king_bit)
    out: list[Position] = []

    # King moves: the attack map was drawn with the king lifted, so it cannot hide behind itself.
    after = (1 - turn) | (rights & ~(chess.BB_RANK_1 if turn else chess.BB_RANK_8)) << 7 if rights else plain
    targets = KING[king] & ~own & ~attacked
    while targets:
        bit = targets & -targets
        targets ^= bit
        if bit & enemy:
            out.append(_capture(position, king_bit, bit, 4, after))
        else:
            moved = king_bit | bit
            out.append((pawns, knights, diagonal, straight, kings ^ moved, whites ^ moved if turn else whites, after))

    # Where the other pieces may go at all: anywhere, or between the king and the one piece that gives check.
    check = bool(attacked & king_bit)
    allowed = chess.BB_ALL
    if check:
        checkers = enemy & (
            PAWN[turn][king] & pawns
            | KNIGHT[king] & knights
            | DIAGONAL[king][DIAGONAL_MASK[king] & occupied] & diagonal
            | (RANK[king][RANK_MASK[king] & occupied] | FILE[king][FILE_MASK[king] & occupied]) & straight
        )
        if checkers & (checkers - 1):
            return out, True
        allowed = checkers | BETWEEN[king][checkers.bit_length() - 1]

    pins: dict[int, int] = {}
    snipers = (DIAGONALS[king] & diagonal | STRAIGHTS[king] & straight) & enemy
    while snipers:
        bit = snipers & -snipers
        snipers ^= bit
        line = BETWEEN[king][bit.bit_length() - 1]
        blocker = line & occupied
        if blocker & own and not blocker & (blocker - 1):
            pins[blocker] = line | bit

    free = ~own & allowed
    pieces = own & knights
    while pieces:
        origin = pieces & -pieces
        pieces ^= origin
        if origin not in pins:
            _fan(position, origin, KNIGHT[origin.bit_length() - 1] & free, enemy, plain, out)
    pieces = own & (diagonal | straight)
    while pieces:
        origin = pieces & -pieces
        pieces ^= origin
        square = origin.bit_length() - 1
        targets = 0
        if origin & diagonal:
            targets = DIAGONAL[square][DIAGONAL_MASK[square] & occupied]
        if origin & straight:
            targets |= RANK[square][RANK_MASK[square] & occupied] | FILE[square][FILE_MASK[square] & occupied]
        targets &= free
        if origin in pins:
            targets &= pins[origin]
        _fan(position, origin, targets, enemy, plain, out)
    if own & pawns:
        _pawn_moves(position, own, enemy, allowed, pins, out)
        if meta & 126:
            _en_passant(position, own, king, out)
    if rights & own and not check:
        _castling(position, own, king, attacked, out)
    return out, check


def _capture(position: Position, origin: int, target: int, kind: int, meta: int) -> Position:
    """Move a king, knight or pawn (`kind`: its field) onto an enemy piece."""
    boards = [board & ~target for board in position[:6]]
    boards[kind] = boards[kind] & ~origin | target
    if position[6] & 1:
        boards[5] = boards[5] & ~origin | target
    if meta >> 7:
        meta = meta & 127 | (meta >> 7 & ~target & ~origin) << 7
    return boards[0], boards[1], boards[2], boards[3], boards[4], boards[5], meta


def _fan(position: Position, origin: int, targets: int, enemy: int, meta: int, out: list[Position]) -> None:
    """Move one knight, bishop, rook or queen to each of `targets`."""
    pawns, knights, diagonal, straight, kings, whites, old = position
    is_knight, is_diagonal, is_straight = origin & knights, origin & diagonal, origin & straight
    if meta >> 7:
        meta = meta & 127 | (meta >> 7 & ~origin) << 7
    while targets:
        bit = targets & -targets
        targets ^= bit
        moved = origin | bit
        if bit & enemy:
            keep = ~bit
            out.append(
                (
                    pawns & keep,
                    knights & keep ^ moved if is_knight else knights & keep,
                    diagonal & keep ^ moved if is_diagonal else diagonal & keep,
                    straight & keep ^ moved if is_straight else straight & keep,
                    kings,
                    whites ^ moved if old & 1 else whites & keep,
                    meta & 127 | (meta >> 7 & keep) << 7,
                )
            )
        else:
            out.append(
                (
                    pawns,
                    knights ^ moved if is_knight else knights,
                    diagonal ^ moved if is_diagonal else diagonal,
                    straight ^ moved if is_straight else straight,
                    kings,
                    whites ^ moved if old & 1 else whites,
                    meta,
                )
            )


def _pawn_moves(
    position: Position, own: int, enemy: int, allowed: int, pins: dict[int, int], out: list[Position]
) -> None:
    pawns, knights, diagonal, straight, kings, whites, meta = position
    turn = meta & 1
    plain = 1 - turn | meta >> 7 << 7
    empty = ~(own | enemy)
    pieces = pawns & own
    rivals = pawns & enemy
    while pieces:
        origin = pieces & -pieces
        pieces ^= origin
        may = allowed & pins[origin] if origin in pins else allowed
        step = (origin << 8 if turn else origin >> 8) & empty
        if step:
            if step & may:
                if step & BACK_RANKS:
                    _promotions(position, origin, step, plain, out)
                else:
                    moved = origin | step
                    out.append(
                        (pawns ^ moved, knights, diagonal, straight, kings, whites ^ moved if turn else whites, plain)
                    )
            if origin & (chess.BB_RANK_2 if turn else chess.BB_RANK_7):
                leap = (step << 8 if turn else step >> 8) & empty & may
                if leap:
                    moved = origin | leap
                    beside = ((leap & NOT_A) >> 1 | (leap & NOT_H) << 1) & rivals
                    extra = (step.bit_length() - 1) << 1 if beside else 0
                    out.append(
                        (
                            pawns ^ moved,
                            knights,
                            diagonal,
                            straight,
                            kings,
                            whites ^ moved if turn else whites,
                            plain | extra,
                        )
                    )
        targets = PAWN[turn][origin.bit_length() - 1] & enemy & may
        while targets:
            bit = targets & -targets
            targets ^= bit
            if bit & BACK_RANKS:
                _promotions(position, origin, bit, plain, out)
            else:
                out.append(_capture(position, origin, bit, 0, plain))


def _promotions(position: Position, origin: int, target: int, meta: int, out: list[Position]) -> None:
    pawns, knights, diagonal, straight, kings, whites, old = position
    keep = ~target
    pawns, knights, diagonal, straight = pawns & ~origin, knights & keep, diagonal & keep, straight & keep
    whites = whites & ~origin | target if old & 1 else whites & keep
    meta = meta & 127 | (meta >> 7 & keep) << 7
    out.append((pawns, knights, diagonal | target, straight | target, kings, whites, meta))
    out.append((pawns, knights, diagonal, straight | target, kings, whites, meta))
    out.append((pawns, knights, diagonal | target, straight, kings, whites, meta))
    out.append((pawns, knights | target, diagonal, straight, kings, whites, meta))


def _en_passant(position: Position, own: int, king: int, out: list[Position]) -> None:
    """Captures in passing; each is tried on the board, for two pieces leave one line at once."""
    pawns, knights, diagonal, straight, kings, whites, meta = position
    turn = meta & 1
    square = meta >> 1 & 63
    target = 1 << square
    victim = target >> 8 if turn else target << 8
    pieces = PAWN[1 - turn][square] & pawns & own
    while pieces:
        origin = pieces & -pieces
        pieces ^= origin
        boards = pawns & ~origin & ~victim | target
        colours = whites & ~origin | target if turn else whites & ~victim
        after = (boards, knights, diagonal, straight, kings, colours, 1 - turn | meta >> 7 << 7)
        occupied = boards | knights | diagonal | straight | kings
        if not attacks_of(after, not turn, occupied) >> king & 1:
            out.append(after)


def _castling(position: Position, own: int, king: int, attacked: int, out: list[Position]) -> None:
    """Castling, for any start square of king and rook; the king's way must be safe and both ways empty (Laws 3.8.2)."""
    pawns, knights, diagonal, straight, kings, whites, meta = position
    turn = meta & 1
    home = 0 if turn else 56
    occupied = pawns | knights | diagonal | straight | kings
    rooks = meta >> 7 & own
    while rooks:
        rook_bit = rooks & -rooks
        rooks ^= rook_bit
        rook = rook_bit.bit_length() - 1
        king_to, rook_to = (home + 2, home + 3) if rook < king else (home + 6, home + 5)
        king_way = BETWEEN[king][king_to] | 1 << king_to
        way = king_way | BETWEEN[rook][rook_to] | 1 << rook_to
        if way & (occupied ^ rook_bit ^ 1 << king) or king_way & attacked & ~(1 << king):
            continue
        colours = (whites & ~rook_bit & ~(1 << king)) | (1 << king_to | 1 << rook_to) if turn else whites
        kept = meta >> 7 & ~(chess.BB_RANK_1 if turn else chess.BB_RANK_8)
        after = (
            pawns,
            knights,
            diagonal,
            straight & ~rook_bit | 1 << rook_to,
            kings & ~(1 << king) | 1 << king_to,
            colours,
            1 - turn | kept << 7,
        )
        occupied_after = after[0] | after[1] | after[2] | after[3] | after[4]
        if not attacks_of(after, not turn, occupied_after) >> king_to & 1:
            out.append(after)
