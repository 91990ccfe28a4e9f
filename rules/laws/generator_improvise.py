"""One move of a simulated player whose game has left its script, because a person sits opposite."""

from __future__ import annotations

import chess

from rules.laws.generator_playout import Style, finishing, ranked
from rules.laws.generator_script import Dice, Step

#: Careful and a little forgetful: a club player on a friendly evening.
_STYLE = Style(noise=60, care=90)


def improvise(board: chess.Board, seed: str) -> Step:
    """A legal move and its thinking time (chess ms) in `board`; the same for the same position and seed.

    Mates when it sees one. Raises ValueError when there is no legal move.
    """
    dice = Dice(f"{seed} {board.fen()}")
    think = dice.between(1_500, 6_000)
    mate = next(iter(finishing(board, mate=True)), None)
    moves = [mate] if mate is not None else ranked(board, dice, _STYLE)
    if not moves:
        raise ValueError("no legal move in this position")
    return Step(moves[0].uci(), think)
