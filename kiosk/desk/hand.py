"""A round that is being made by hand at this desk, until it is whole and goes to the hub. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class HandMade:
    """Boards in order as (White, Black), 0 for an empty chair; `bye` who gets it, `everybody` who is to be paired."""

    round: int
    pairs: tuple[tuple[int, int], ...]
    everybody: tuple[int, ...]
    bye: int = 0

    @property
    def free(self) -> tuple[int, ...]:
        """Players without a board and without the bye."""
        seated = {tpn for pair in self.pairs for tpn in pair} | {self.bye}
        return tuple(tpn for tpn in self.everybody if tpn not in seated)

    @property
    def whole(self) -> bool:
        """Has everybody a board, or the bye?"""
        return not self.free and all(white and black for white, black in self.pairs)

    def data(self) -> dict[str, object]:
        """As the hub takes it: full boards only."""
        made: dict[str, object] = {"pairs": [list(pair) for pair in self.pairs if all(pair)]}
        return made | ({"bye": self.bye} if self.bye else {})

    def swapped(self, board: int) -> HandMade:
        """White and Black of a board change places."""
        return self._with(board, self.pairs[board - 1][::-1])

    def unpaired(self, board: int) -> HandMade:
        """Both players of a board stand up; the board goes."""
        return replace(self, pairs=self.pairs[: board - 1] + self.pairs[board:])

    def exchanged(self, one: int, two: int) -> HandMade:
        """Two players change places, wherever these are (a chair, the bye, or without a board)."""
        other = {one: two, two: one}
        pairs = tuple((other.get(white, white), other.get(black, black)) for white, black in self.pairs)
        return replace(self, pairs=pairs, bye=other.get(self.bye, self.bye))

    def set_pair(self, white: int, black: int) -> HandMade:
        """These two meet: at White's board, else Black's, else a new one; whom they leave is free."""
        if white == black:
            return self
        seats = [board for board, pair in enumerate(self.pairs, 1) for tpn in (white, black) if tpn in pair]
        stripped = self._without((white, black))
        if not seats:
            return replace(stripped, pairs=(*stripped.pairs, (white, black)))
        at = min(seats)
        pairs = [pair for board, pair in enumerate(stripped.pairs, 1) if board == at or any(pair)]
        at -= sum(not any(pair) for pair in stripped.pairs[: at - 1])
        pairs[at - 1] = (white, black)
        # Whoever was left alone at a board stands up: an empty chair is no pairing.
        return replace(stripped, pairs=tuple(pair for pair in pairs if all(pair)))

    def with_bye(self, tpn: int) -> HandMade:
        """This player gets the bye; who had it and the opponent he leaves are free."""
        stripped = self._without((tpn,))
        return replace(stripped, pairs=tuple(pair for pair in stripped.pairs if all(pair)), bye=tpn)

    def _with(self, board: int, pair: tuple[int, int]) -> HandMade:
        return replace(self, pairs=(*self.pairs[: board - 1], pair, *self.pairs[board:]))

    def _without(self, players: Iterable[int]) -> HandMade:
        gone = frozenset(players)
        pairs = tuple((0 if w in gone else w, 0 if b in gone else b) for w, b in self.pairs)
        return replace(self, pairs=pairs, bye=0 if self.bye in gone else self.bye)
