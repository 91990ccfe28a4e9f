"""A simulated Certabo or Sentio board behind a pseudo-terminal: a stream of frames, with dropouts and strange chips."""

from __future__ import annotations

import random

import chess

from drivers.boards.certabo import protocol as certabo
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd

#: A real board sends 5 to 10 frames a second.
FRAME_S = 0.12


class SimulatedCertabo(Hands):
    """A board with pieces on it; `chips` says whether it reads chips or only "occupied".

    `dropout` is the probability that a frame misses one of its pieces; `strange` squares carry a chip of no known set.
    """

    def __init__(
        self,
        chips: bool = True,
        frame_s: float = FRAME_S,
        dropout: float = 0.0,
        faults: LineFaults | None = None,
        seed: int = 0,
    ) -> None:
        self._squares = ["."] * 64
        self._chips, self._dropout = chips, dropout
        self._dice = random.Random(seed)
        self.strange: set[chess.Square] = set()
        self.lights = b""
        self._line = PtyEnd(self._heard, self._frame, frame_s, faults)
        self.port = self._line.port

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        self._line.close()

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        return self._squares[square]

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece on a square, or takes it off (".")."""
        with self._line.lock:
            self._squares[square] = piece

    def _heard(self, data: bytes) -> bytes:
        self.lights = data[-8:]
        return b":L\r\n"

    def _frame(self) -> bytes:
        seen = list(self._squares)
        if self._dice.random() < self._dropout:
            seen[self._dice.randrange(64)] = "."
        if not self._chips:
            return certabo.occupancy_line(sum(1 << square for square, piece in enumerate(seen) if piece != "."))
        return certabo.chips_line([self._chip(square ^ 56, seen[square ^ 56]) for square in range(64)])

    def _chip(self, square: chess.Square, piece: str) -> certabo.Chip:
        """The same kind of piece has the same id here; a strange one has another."""
        if piece == ".":
            return certabo.NOTHING
        return (9, 9, 9, 9, square) if square in self.strange else (1, 2, 3, 4, ord(piece))
