"""The search for a helpmate, and through exhaustion the proof that there is none.

Both sides want the mate, so this is plain reachability in the graph of positions, and the search is best-first: the
position that looks nearest to a mate is opened next. Nothing is cut away without proof, so when no position is left
to open and no mate was met, there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import cycle

import chess

from rules.laws.winnable_moves import Position, successors
from rules.laws.winnable_promise import WORST, judge
from rules.laws.winnable_wall import promotes, proves_unwinnable

LIGHT, DARK = chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES


def hopeless(position: Position, white: bool) -> bool:
    """Whether the material alone forbids the side (`white`: White) every mate (Laws 6.9).

    Bare king; a lone knight against queens only; bishops on squares of one colour when nothing of the opponent's
    could fill a square of the other colour. (A pawn of the opponent's may become such a piece.)
    """
    pawns, knights, diagonal, straight, kings, whites, _ = position
    occupied = pawns | knights | diagonal | straight | kings
    own = whites if white else occupied ^ whites
    if own & (pawns | straight):
        return False
    force = own & ~kings
    if not force:
        return True
    theirs = occupied & ~own & ~kings
    if own & knights:
        return not force & (force - 1) and not theirs & ~(diagonal & straight)
    if pawns or knights:
        return False
    bishops = diagonal & ~straight
    return not (bishops & LIGHT) or not (bishops & DARK)


@dataclass(slots=True)
class Found:
    """How a search ended: with the positions that lead to a mate, with every position seen and no mate, or neither.

    `nodes` counts the positions met.
    """

    path: list[Position] | None
    exhausted: bool
    nodes: int


class Queue:
    """Positions by promise, the nearest and latest first."""

    def __init__(self) -> None:
        self._shelves: list[list[Position]] = [[] for _ in range(WORST + 1)]
        self._used: list[int] = []

    def put(self, position: Position, promise: int) -> None:
        shelf = self._shelves[promise]
        if not shelf:
            heappush(self._used, promise)
        shelf.append(position)

    def take(self) -> Position | None:
        """The next position, or None when the queue is empty."""
        used = self._used
        if not used:
            return None
        shelf = self._shelves[used[0]]
        position = shelf.pop()
        if not shelf:
            heappop(used)
        return position


class Frontier:
    """The positions met and not yet opened, in queues that take turns.

    `_fresh` holds the first position of every set-up of kings and pawns, so that a detour of a king is found before all
    squares of the other pieces have been tried around it. Where the mating side can promote no pawn, `_moved` does the
    same for the set-ups of the pieces. `_known` holds all others.
    """

    def __init__(self, start: Position, white: bool) -> None:
        self._promoting = promotes(start, white)
        self._promise = judge(white, self._promoting)
        self._fresh, self._moved, self._known = Queue(), Queue(), Queue()
        pair = (self._known, self._fresh)
        self._turns = cycle(pair if self._promoting else (*pair, *pair, self._moved))
        self._setups: set[tuple[int, ...]] = set()
        self.put(start)

    def put(self, position: Position) -> None:
        setups = self._setups
        queue = self._known
        kings = (position[0], position[4], position[4] & position[5])
        if kings not in setups:
            setups.add(kings)
            queue = self._fresh
        elif not self._promoting:
            men = (*position[:4], position[5] & ~position[4])
            if men not in setups:
                setups.add(men)
                queue = self._moved
        queue.put(position, self._promise(position))

    def take(self) -> Position | None:
        """The next position to open, or None when there is none left."""
        return next(self._turns).take() or self._known.take() or self._fresh.take() or self._moved.take()


def search(start: Position, white: bool, nodes: int, expired: Callable[[], bool]) -> Found:
    """Look for a mate by the side (`white`: White), meeting at most about `nodes` positions.

    `expired` is asked now and then; True ends the search without a verdict.
    """
    parents: dict[Position, Position | None] = {start: None}
    frontier = Frontier(start, white)
    opened = proofs = tried = 0
    while True:
        if len(parents) > nodes or expired():
            return Found(None, False, len(parents))
        here = frontier.take()
        if here is None:
            return Found(None, True, len(parents))
        opened += 1
        after, check = successors(here)
        if not after and check and here[6] & 1 != white:
            return Found(_path(parents, here), False, len(parents))
        pawns, pieces = here[0], (here[1] | here[2] | here[3]).bit_count()
        for child in after:
            if child in parents:
                continue
            parents[child] = here
            final = child[0] != pawns or (child[1] | child[2] | child[3]).bit_count() != pieces
            if final and hopeless(child, white):
                continue
            # What can be taken back proves nothing new, save for a king who steps out of where he cannot return to.
            # A proof costs as much as opening some thirty positions, so it has to earn its keep.
            if (final or opened <= 4) and tried < 12 + 4 * proofs + opened // 32:
                tried += 1
                if proves_unwinnable(child, white):
                    proofs += 1
                    continue
            frontier.put(child)


def _path(parents: dict[Position, Position | None], end: Position) -> list[Position]:
    path = [end]
    while (before := parents[path[-1]]) is not None:
        path.append(before)
    return path[::-1]
