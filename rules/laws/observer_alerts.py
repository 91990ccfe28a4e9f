"""What can be wrong on a board: the alerts, and how a position that nothing explains is called by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import chess

from rules.laws.observer_explain import Nearest, after
from rules.laws.observer_sight import Sight, names
from rules.laws.sides import Side

Code = Literal[
    "moved_before_press", "illegal_position", "illegal_move", "no_move_made", "wrong_turn", "takeback",
    "start_wrong", "start_ok", "start_position_seen", "piece_extra", "piece_missing", "piece_swapped",
    "piece_swap_suspected", "disturbed", "board_restored", "flicker", "promotion_needed", "promotion_pawn_left",
    "capture_ambiguous", "orientation_unknown", "rotated", "result_gesture", "link_down", "link_up", "resync_ok",
    "resync_ambiguous", "move_doubtful",
]  # fmt: skip

Result = Literal["1-0", "0-1", "1/2-1/2"]


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that people at the board or the arbiter should know, raised at `t` (ms).

    `squares` are those it is about, `side` who it concerns, `plies` how many moves were undone or found, or how many
    moves ago the doubtful one was made; `rotated` is the board's orientation that was found out, `result` what the
    kings show, `pressed_at` the press that it is about.
    """

    t: int
    code: Code
    side: Side | None = None
    squares: tuple[str, ...] = ()
    plies: int | None = None
    rotated: bool | None = None
    result: Result | None = None
    pressed_at: int | None = None


def misfit(near: Nearest, sight: Sight) -> tuple[Code, tuple[str, ...]]:
    """The name of what differs from the nearest legal position, and the squares to look at.

    Named are the squares where something stands that should not; where nothing stands only if that is all.
    """
    extra = near.wrong & sight.occupied & ~near.board.occupied
    missing = near.wrong & ~sight.occupied
    exchanged = near.wrong & sight.occupied & near.board.occupied
    if missing and not extra and not exchanged:
        return "piece_missing", names(missing)
    if extra and not missing and not exchanged:
        return "piece_extra", names(extra)
    if exchanged and not extra and not missing and _same_men(near.board, sight, exchanged):
        return "piece_swapped", names(exchanged)
    return "illegal_position", names(extra | exchanged)


def _same_men(board: chess.BaseBoard, sight: Sight, squares: chess.Bitboard) -> bool:
    """Whether the same pieces stand on `squares` as on `board`, only in other places."""
    seen = sorted(sight.letter(square) for square in chess.scan_forward(squares))
    due = sorted(str(board.piece_at(square)) for square in chess.scan_forward(squares))
    return seen == due


def swap_suspected(board: chess.Board, sight: Sight) -> tuple[str, ...]:
    """Two squares whose pieces were perhaps exchanged before the move that an occupancy board saw; () if none.

    So it is when the move would be legal for a piece of another kind of the same side that stands within two squares.
    """
    wrong = sight.wrong(board)
    gone = wrong & ~sight.occupied & board.occupied_co[board.turn]
    if gone.bit_count() != 1:
        return ()
    origin = chess.msb(gone)
    for other in chess.scan_forward(board.occupied_co[board.turn] & ~gone):
        near = chess.square_distance(origin, other) <= 2
        if not near or board.piece_type_at(other) == board.piece_type_at(origin):
            continue
        swapped = board.copy(stack=False)
        swapped.set_piece_at(origin, board.piece_at(other))
        swapped.set_piece_at(other, board.piece_at(origin))
        moves = swapped.generate_legal_moves(from_mask=gone)
        if any(not sight.wrong(after(swapped, move)) for move in moves):
            return names(gone | chess.BB_SQUARES[other])
    return ()
