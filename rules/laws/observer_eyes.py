"""What the sensor has shown so far: the squares now, how they changed, and which of them cannot be trusted."""

from __future__ import annotations

import chess

from rules.laws.observer_occupancy import Past
from rules.laws.observer_sight import Sensor, Sight, changed, half_turn

#: So many changes of one square within this time, with nothing gone anywhere, are a flicker.
FLICKER_MS = 3_000
FLICKER_CHANGES = 6
#: Earlier states kept for one move; a hand that does more than this is not making a move.
MOST_PAST = 400


class Eyes:
    """Squares are the game's. `rotated` is None while nobody knows how the board lies; it is read as normal then.

    `dead` squares were marked by the arbiter, `suspect` ones were told as missing, extra or flickering: both say
    nothing in a comparison, suspect ones only if nothing else explains the board. `doubtful` squares were suspect once.
    `since` is the time of the last change. Eyes that `blinks` is true of may miss that a piece was lifted for a moment.
    """

    def __init__(self, sensor: Sensor, board: chess.BaseBoard, rotated: bool | None) -> None:
        self.sensor: Sensor = sensor
        self.rotated = rotated
        self.sight = Sight.of(board, sensor)
        self.since = 0
        self.blinks = False
        self.dead: chess.Bitboard = 0
        self.suspect: chess.Bitboard = 0
        self.doubtful: chess.Bitboard = 0
        self.flickering: chess.Bitboard = 0
        self.past: list[Past] = [Past(0, self.sight.occupied, 0)]
        self.emptied: dict[chess.Square, int] = {}
        self._toggles: dict[chess.Square, list[int]] = {}

    def true(self, square: chess.Square) -> chess.Square:
        """The game's square for a square of the board."""
        return 63 - square if self.rotated else square

    def see(self, t: int, sight: Sight) -> None:
        """The squares are different from `t` on."""
        moved = self.sight.occupied ^ sight.occupied
        if sight.pieces is not None and self.sight.pieces is not None:
            moved |= changed(self.sight.pieces, sight.pieces)
        for square in chess.scan_forward(self.sight.occupied & ~sight.occupied):
            self.emptied[square] = t
        for square in chess.scan_forward(moved):
            times = [at for at in self._toggles.get(square, ()) if t - at <= FLICKER_MS]
            self._toggles[square] = [*times, t]
        self.sight, self.since = sight, t
        self.past = [*self.past[-MOST_PAST:], Past(t, sight.occupied, moved)]

    def move_was_made(self, made_at: int) -> None:
        """The record went on with a move first seen at `made_at`: what was before it is the past of another move."""
        before = [seen for seen in self.past if seen.t <= made_at]  # two looks may have one stamp
        first = before[-1] if before else self.past[0]
        later = [seen for seen in self.past if seen.t > first.t]
        self.past = [Past(first.t, first.occupied, 0), *later]
        self._toggles.clear()
        self.emptied.clear()

    def flickers(self, changes: int) -> chess.Bitboard:
        """Squares that changed at least so often within `FLICKER_MS`."""
        found = chess.BB_EMPTY
        for square, times in self._toggles.items():
            if len(times) >= changes:
                found |= chess.BB_SQUARES[square]
        return found

    @property
    def distrusted(self) -> chess.Bitboard:
        """Squares that are, or were once, not as they should be."""
        return self.dead | self.suspect | self.doubtful

    def ignores(self) -> tuple[chess.Bitboard, ...]:
        """What to leave out of a comparison: as little as possible first."""
        return (self.dead, self.dead | self.suspect) if self.suspect & ~self.dead else (self.dead,)

    def turn(self) -> None:
        """The board lies the other way round than it was read."""
        self.sight = self.sight.rotated()
        self.past = [Past(seen.t, half_turn(seen.occupied), half_turn(seen.changed)) for seen in self.past]
        self.dead, self.suspect, self.doubtful = map(half_turn, (self.dead, self.suspect, self.doubtful))

    def only_lifted(self, board: chess.BaseBoard) -> bool:
        """Whether one or two pieces are in the air and nothing else differs from `board`."""
        wrong = self.sight.wrong(board, self.dead)
        return bool(wrong) and not wrong & self.sight.occupied and wrong.bit_count() <= 2
