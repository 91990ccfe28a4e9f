"""Every kind of board in virtual time: real pieces above simulated sensors, the wire's bytes, and the driver's reader.

A `Wire` is told what hands do and lets time pass; it gives what a driver would have reported, with the stamps a driver
would have given.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator

import chess

from drivers.boards.certabo import protocol as certabo
from drivers.boards.chesslink import protocol as link
from drivers.boards.chesslink.simulator import ChessLinkFirmware
from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.firmware import Firmware
from drivers.boards.occupancy.scan import ScanFilter
from drivers.boards.occupancy.sensors import ShiftChain
from drivers.boards.occupancy.simulator import SimulatedChain, SimulatedSquares
from drivers.boards.placement import placement
from rules.laws.observer_sight import Sensor, Sight

Seen = tuple[int, Sight]


class Wire:
    """The pieces as they stand, and time in ms. `squares` are letters by python-chess square."""

    sensor: Sensor = "identified"
    #: Policy of a table with such a board.
    settle_ms = 300
    grace_ms = 0

    def __init__(self, board: chess.Board, seed: int) -> None:
        self.squares = [piece.symbol() if (piece := board.piece_at(square)) else "." for square in chess.SQUARES]
        self.t = 0
        self.dice = random.Random(seed)

    def change(self, square: chess.Square, letter: str) -> None:
        """A hand moves a piece now."""
        self.squares[square] = letter

    def until(self, t: int) -> Iterator[Seen]:
        """Lets time pass."""
        self.t = t
        return iter(())

    def letters(self) -> str:
        """From a8 to h1, as boards count."""
        return "".join(self.squares[number ^ 56] for number in range(64))

    def sight(self, letters: str) -> Sight:
        """What a driver's report says."""
        return Sight.of(chess.BaseBoard(placement(letters)), "identified")


class Dgt(Wire):
    """A scan pointer visits a square every 3.5 ms; a press may be ahead of the board by a whole scan."""

    grace_ms = 250

    def __init__(self, board: chess.Board, seed: int, step_us: int = 3_500) -> None:
        super().__init__(board, seed)
        self._firmware, self._reader = Firmware(), dgt.Reader()
        self._firmware.squares = list(self.letters())
        self._firmware.feed(dgt.UPDATE_NICE)
        self._seen = list(self.letters())
        self._pointer, self._us, self._step_us = 0, 0, step_us

    def until(self, t: int) -> Iterator[Seen]:
        while self._us + self._step_us <= t * 1000:
            self._us += self._step_us
            self._pointer = (self._pointer + 1) % 64
            sent = self._firmware.change(self._pointer, self.squares[self._pointer ^ 56])
            for message in self._reader.feed(sent):
                assert isinstance(message, dgt.FieldUpdate)
                self._seen[message.square] = message.piece
                yield self._us // 1000, self.sight("".join(self._seen))
        self.t = t


class DgtBluetooth(Dgt):
    """Half the rate: quiet times are doubled, and a press may be ahead of the board."""

    settle_ms, grace_ms = 600, 600

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed, 7_000)


class Frames(Wire):
    """A board that tells the whole position every `frame_ms`."""

    frame_ms = 41

    def until(self, t: int) -> Iterator[Seen]:
        first = self.t // self.frame_ms + 1
        for frame in range(first, t // self.frame_ms + 1):
            self.t = frame * self.frame_ms
            seen = self.frame()
            if seen is not None:
                yield self.t, seen
        self.t = t

    def frame(self) -> Sight | None:
        """One frame through the bytes; None if nothing new came of it."""
        raise NotImplementedError


class ChessLink(Frames):
    """Reports on change, with parity on every byte."""

    grace_ms = 100

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed)
        self._firmware, self._reader = ChessLinkFirmware(), link.Reader()
        self._firmware.feed(link.write_cell(link.REPORTS, link.ON_CHANGE))

    def frame(self) -> Sight | None:
        self._firmware.squares = list(self.letters())
        for message in self._reader.feed(self._firmware.report()):
            assert isinstance(message, link.Status)
            return self.sight(message.squares)
        return None


class Certabo(Frames):
    """Chips, one frame in five misses a piece; the driver votes over three frames."""

    frame_ms = 120
    settle_ms, grace_ms = 400, 500
    dropout = 0.2

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed)
        self._reader = certabo.Reader()
        self._set = certabo.PieceSet({_chip(letter): letter for letter in "PNBRQKpnbrqk"})
        self._last: deque[certabo.Chips] = deque(maxlen=3)
        self._told = ""

    def frame(self) -> Sight | None:
        letters = list(self.letters())
        if self.dice.random() < self.dropout:
            letters[self.dice.randrange(64)] = "."
        for message in self._reader.feed(certabo.chips_line([_chip(letter) for letter in letters])):
            assert isinstance(message, certabo.Chips)
            self._last.append(message)
        read = self._set.read(list(self._last)) if len(self._last) == 3 else self._told
        if read == self._told:
            return None
        self._told = read
        return self.sight(read)


class Sentio(Frames):
    """Occupied squares only, the majority of three frames."""

    sensor: Sensor = "occupancy"
    frame_ms = 120
    settle_ms, grace_ms = 400, 500

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed)
        self._reader = certabo.Reader()
        self._last: deque[int] = deque(maxlen=3)
        self._told: int | None = None

    def frame(self) -> Sight | None:
        mask = sum(1 << square for square, letter in enumerate(self.squares) if letter != ".")
        if self.dice.random() < 0.2:
            mask &= ~(1 << self.dice.randrange(64))
        for message in self._reader.feed(certabo.occupancy_line(mask)):
            assert isinstance(message, certabo.Occupancy)
            self._last.append(message.squares)
        if len(self._last) < 3:
            return None
        one, two, three = self._last
        voted = one & two | one & three | two & three
        if voted == self._told:
            return None
        self._told = voted
        return Sight(voted)


class Chessnut(Wire):
    """A report at every change."""

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed)
        self._reader = chessnut.Reader()
        self._changed = False

    def change(self, square: chess.Square, letter: str) -> None:
        super().change(square, letter)
        self._changed = True

    def until(self, t: int) -> Iterator[Seen]:
        if self._changed:
            self._changed = False
            for message in self._reader.feed(chessnut.position(self.letters())):
                assert isinstance(message, chessnut.Position)
                yield self.t, self.sight(message.squares)
        self.t = t


class Reeds(Wire):
    """A 74HC165 chain scanned every 10 ms; reeds bounce for two scans."""

    sensor: Sensor = "occupancy"
    settle_ms, grace_ms = 100, 60

    def __init__(self, board: chess.Board, seed: int) -> None:
        super().__init__(board, seed)
        self._magnets = SimulatedSquares(bounce=2, seed=seed)
        self._magnets.set_up(board.board_fen())
        self._chain, self._filter = ShiftChain(SimulatedChain(self._magnets)), ScanFilter()

    def change(self, square: chess.Square, letter: str) -> None:
        super().change(square, letter)
        self._magnets.change(square, letter)

    def until(self, t: int) -> Iterator[Seen]:
        for scan in range(self.t // 10 + 1, t // 10 + 1):
            for since, occupied in self._filter.scan(scan * 10, self._chain.read()):
                yield since, Sight(occupied)
        self.t = t


def _chip(letter: str) -> certabo.Chip:
    return certabo.NOTHING if letter == "." else (1, 2, 3, 4, ord(letter))


WIRES: dict[str, Callable[[chess.Board, int], Wire]] = {
    "dgt": Dgt,
    "dgt bluetooth": DgtBluetooth,
    "chesslink": ChessLink,
    "certabo": Certabo,
    "sentio": Sentio,
    "chessnut": Chessnut,
    "reeds": Reeds,
}
