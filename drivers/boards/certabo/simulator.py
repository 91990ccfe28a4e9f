"""A simulated Certabo or Sentio board behind a pseudo-terminal: a stream of frames, with dropouts and strange chips."""

from __future__ import annotations

import random
from collections import Counter

import chess

from drivers.boards.certabo import protocol as certabo
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd

#: A real board sends 5 to 10 frames a second.
FRAME_S = 0.12


class CertaboFirmware:
    """What the board sends; pure. `squares` are letters by python-chess square (a1 = 0).

    `chips` says whether it reads chips or only "occupied". `dropout` is the probability that a frame misses one of its
    pieces; `strange` squares carry a chip of no known set; `dead` ones are never read, `stuck` ones always. With
    `of_its_own` every piece has a chip of its own, as on a real board: a piece that was taken off comes back with it.
    """

    def __init__(self, chips: bool = True, dropout: float = 0.0, seed: int = 0, of_its_own: bool = False) -> None:
        self.squares = ["."] * 64
        self._numbers = [0] * 64  # which of the pieces of its kind stands there
        self._beside: dict[str, list[int]] = {}
        self._made: Counter[str] = Counter()
        self._of_its_own = of_its_own
        self._chips, self._dropout = chips, dropout
        self._dice = random.Random(seed)
        self.strange: set[chess.Square] = set()
        self.dead: set[chess.Square] = set()
        self.stuck: set[chess.Square] = set()
        self.lights = b""

    def put(self, square: chess.Square, piece: str, spare: bool = False) -> None:
        """Puts a piece on a square, one that was taken off if there is one and it is no `spare`; "." takes it off."""
        if self.squares[square] != ".":
            self._beside.setdefault(self.squares[square], []).append(self._numbers[square])
        self.squares[square] = piece
        if piece == ".":
            return
        beside = self._beside.get(piece, [])
        if beside and not spare:
            self._numbers[square] = beside.pop()
        else:
            self._made[piece] += 1
            self._numbers[square] = self._made[piece]

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
        """The same kind of piece has the same id, unless each has one of its own; a strange one has another."""
        if piece == ".":
            return certabo.NOTHING
        if square in self.strange:
            return (9, 9, 9, 9, square)
        return (1, 2, 3, 4 + (self._numbers[square] if self._of_its_own else 0), ord(piece))


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
            self.firmware.put(square, piece)
            for _frame in range(self._at_once):
                self._line.send(self.firmware.frame())
