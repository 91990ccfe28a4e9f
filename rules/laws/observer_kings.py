"""A result shown with the kings on the four centre squares.

Both on light squares (e4, d5): White has won; both on dark ones (d4, e5): Black; one of each: a draw. Any two of these
squares touch, so no legal position has both kings there. Other pieces may stand anywhere.
"""

from __future__ import annotations

import chess

from rules.laws.observer_alerts import Result
from rules.laws.observer_sight import Sight

#: The result by the number of kings on light squares.
_BY_LIGHT_KINGS: tuple[Result, Result, Result] = ("0-1", "1/2-1/2", "1-0")

CENTRE = chess.BB_D4 | chess.BB_E4 | chess.BB_D5 | chess.BB_E5


def shown(board: chess.Board, sight: Sight) -> Result | None:
    """The result that the kings show, None if they show none.

    On an occupancy board the kings are where two centre squares filled while both kings' squares emptied and everything
    else stayed.
    """
    squares = _kings(board, sight)
    if squares.bit_count() != 2:
        return None
    light = (squares & chess.BB_LIGHT_SQUARES).bit_count()
    return _BY_LIGHT_KINGS[light]


def one_on_the_way(board: chess.Board, sight: Sight) -> bool:
    """Whether one king stands in the centre where no move brings it, and nothing but kings is out of place."""
    wrong = sight.wrong(board)
    kings = sight.pieces.kings if sight.pieces is not None else wrong & sight.occupied
    arrived = wrong & sight.occupied
    on_the_way = arrived.bit_count() == 1 and bool(arrived & CENTRE & kings) and bool(board.kings & ~sight.occupied)
    return on_the_way and not wrong & ~(arrived | board.kings)


def _kings(board: chess.Board, sight: Sight) -> chess.Bitboard:
    if sight.pieces is not None:
        kings = sight.pieces.kings
        both = all(kings & sight.pieces.occupied_co[colour] for colour in chess.COLORS)
        return kings & CENTRE if both and kings.bit_count() == 2 else chess.BB_EMPTY
    rest = board.occupied & ~board.kings
    standing = sight.occupied & ~rest
    moved = standing != board.kings and not rest & ~sight.occupied
    return standing if moved and not standing & ~CENTRE else chess.BB_EMPTY
