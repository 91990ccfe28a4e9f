"""A simulated Certabo or Sentio board behind a pseudo-terminal: a stream of frames, with dropouts and strange chips."""

from __future__ import annotations

import random

import chess

from drivers.boards.certabo import protocol as certabo
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd

#: A real board sends 5 to 10 frames a second.
FRAME_S = 0.12


class CertaboFirmware:
    """What the board sends; pure. `squares` are letters by python-chess square (a1 = 0).

    `chips` says whether it reads chips or only "occupied". `dropout` is the probability that a frame misses one of its
    pieces; `strange` squares carry a chip of no known set; `dead` ones are never read, `stuck` ones always.
    """

    def __init__(self, chips: bool = True, dropout: float = 0.0, seed: int = 0) -> None:
        self.squares = ["."] * 64
        self._chips, self._dropout = chips, dropout
        self._dice = random.Random(seed)
        self.strange: set[chess.Square] = set()
        self.dead: set[chess.Square] = set()
        self.stuck: set[chess.Square] = set()
        self.lights = b""

    def feed(self, data: bytes) -> bytes:
        """Takes bytes of the host, which set the lights; returns what the board sends back."""
        self.lights = data[-8:]
        return b":L\r\n"

    def frame(self) -> bytes:
        """What it says by itself several times a second."""
        seen = list(self.squares)
        for square in self.dead:
            seen[square] = "."
        if self._dice.random() < self._dropout:
            seen[self._dice.randrange(64)] = "."
        for square in self.stuck:
            seen[square] = "?" if seen[square] == "." else seen[square]
        if not self._chips:
            return certabo.occupancy_line(sum(1 << square for square, piece in enumerate(seen) if piece != "."))
        return certabo.chips_line([self._chip(square ^ 56, seen[square ^ 56]) for square in range(64)])

    def _chip(self, square: chess.Square, piece: str) -> certabo.Chip:
        """The same kind of piece has the same id here; a strange one has another."""
        if piece == ".":
            return certabo.NOTHING
        return (9, 9, 9, 9, square) if square in self.strange else (1, 2, 3, 4, ord(piece))


class SimulatedCertabo(Hands):
    """A board with pieces on it behind a pseudo-terminal; see `CertaboFirmware`.

    `at_once` frames follow every touch without a pause: in a hall whose time runs faster than frames can.
    """

    def __init__(
        self,
        chips: bool = True,
        frame_s: float = FRAME_S,
        dropout: float = 0.0,
        faults: LineFaults | None = None,
        seed: int = 0,
        at_once: int = 0,
    ) -> None:
        self.firmware = CertaboFirmware(chips, dropout, seed)
        self._at_once = at_once
        self._line = PtyEnd(self.firmware.feed, self.firmware.frame, frame_s, faults)
        self.port = self._line.port

    @property
    def strange(self) -> set[chess.Square]:
        """Squares whose piece carries a chip of no known set."""
        return self.firmware.strange

    @property
    def lights(self) -> bytes:
        """The eight bytes of the lights as they were set last."""
        return self.firmware.lights

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        self._line.close()

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        return self.firmware.squares[square]

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece on a square, or takes it off (".")."""
        with self._line.lock:
            self.firmware.squares[square] = piece
            for _frame in range(self._at_once):
                self._line.send(self.firmware.frame())
