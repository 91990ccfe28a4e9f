"""After a lost link: which moves were made meanwhile, from the board as it is now and the presses that were heard.

The shortest thing is not always the right one: as many plies as were pressed are tried first, then one more that is not
pressed yet. Only a single legal line is taken; everything else is a question for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from rules.laws.ending import side_of
from rules.laws.observer_explain import MOST_PLIES, Line, lines
from rules.laws.observer_sight import Sight
from rules.laws.sides import Side

#: From so many plies on, a board that sees squares only can hardly tell one line from another.
MANY_PLIES = 3
#: So many lines are given for people to choose from.
MOST_LINES = 5


@dataclass(frozen=True, slots=True)
class Missed:
    """What was missed: `plies` moves, and the line if exactly one fits; else `lines` between which people can choose.

    No lines are given when there are more than `MOST_LINES`, or none; `several` says that there are more than one.
    """

    plies: int
    line: Line | None
    lines: tuple[Line, ...] = ()
    several: bool = False


def in_order(turn: Side, presses: Sequence[Side]) -> int:
    """How many of the presses are those of players in turn; a second push of the same plunger counts for nothing."""
    count = 0
    for side in presses:
        if (side == turn) == (count % 2 == 0):
            count += 1
    return count


def _choices(board: chess.Board, sight: Sight, lengths: Sequence[int], ignore: chess.Bitboard) -> tuple[Line, ...]:
    """All lines of these lengths, the shorter ones first, without the longer ones if those are too many."""
    found: tuple[Line, ...] = ()
    for plies in lengths:
        more = lines(board, sight, plies, ignore, MOST_LINES + 1)
        if len(found) + len(more) > MOST_LINES or not all(more):
            break
        found += more
    return found


def missed(board: chess.Board, sight: Sight, presses: Sequence[Side] | None, ignore: chess.Bitboard = 0) -> Missed:
    """The moves between `board` and `sight`. `presses` is None at a table without a clock."""
    if presses is None:
        lengths: Sequence[int] = range(MOST_PLIES + 1)
    else:
        count = in_order(side_of(board.turn), presses)
        lengths = [plies for plies in (count, count + 1) if plies <= MOST_PLIES]
    for plies in lengths:
        found = lines(board, sight, plies, ignore)
        if found:
            # After several moves squares alone may as well be those of a line with the next move in it.
            longer = sight.pieces is None and presses is not None and plies >= MANY_PLIES and plies + 1 in lengths
            only = len(found) == 1 and not (longer and lines(board, sight, plies + 1, ignore))
            return (
                Missed(plies, found[0]) if only else Missed(plies, None, _choices(board, sight, lengths, ignore), True)
            )
    return Missed(lengths[0] if presses is not None and lengths else 0, None)
