"""Simulated club boards: pieces with magnets above chips that answer SPI and I²C transfers, with a board's faults."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence

import chess

from drivers.boards.hands import Hands
from drivers.boards.occupancy.scan import EQUAL_SCANS
from drivers.boards.occupancy.sensors import BY_RANKS, GPIOA, OLATB
from drivers.boards.serial_board import Machine


class SimulatedSquares(Hands):
    """Pieces. `bounce` reads after a change are by chance; `stuck` squares read closed, `dead` open."""

    def __init__(self, bounce: int = 0, seed: int = 0) -> None:
        self._squares = ["."] * 64
        self._bounce, self._bouncing = bounce, [0] * 64
        self._dice = random.Random(seed)
        self._lock = threading.Lock()
        self.stuck: set[chess.Square] = set()
        self.dead: set[chess.Square] = set()
        #: Called after every touch.
        self.touched: Callable[[], None] = lambda: None

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        return self._squares[square]

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece on a square, or takes it off (".")."""
        with self._lock:
            self._squares[square] = piece
            self._bouncing[square] = self._bounce
        self.touched()

    def closed(self) -> list[bool]:
        """Which sensors are closed at this very moment."""
        with self._lock:
            found = []
            for square, piece in enumerate(self._squares):
                closed = piece != "."
                if self._bouncing[square]:
                    self._bouncing[square] -= 1
                    closed = self._dice.random() < 0.5
                found.append((closed or square in self.stuck) and square not in self.dead)
            return found


class ScannedAtOnce(Machine):
    """A machine that scans without a pause after every touch: in a hall whose time runs faster than a scan loop can."""

    def __init__(self, squares: SimulatedSquares) -> None:
        super().__init__()
        self._news = threading.Event()
        self._scans = 0
        squares.touched = self._touched

    def _touched(self) -> None:
        self._scans = EQUAL_SCANS + 1
        self._news.set()

    def wait(self, seconds: float) -> None:
        """Waits until the next touch, or not at all after one, as long as it is debounced."""
        if self._scans > 0:
            self._scans -= 1
        elif self._news.wait(seconds):
            self._news.clear()

    def stop(self) -> None:
        """The device is to end."""
        super().stop()
        self._news.set()


class SimulatedChain:
    """A 74HC165 chain below `squares`, as an `SPI`. `missing` chips (0 first read) answer FF."""

    def __init__(self, squares: SimulatedSquares, wiring: Sequence[int] = BY_RANKS) -> None:
        self.squares, self._wiring = squares, tuple(wiring)
        self.missing: set[int] = set()

    def transfer(self, data: bytes) -> bytes:
        """Latches the inputs and shifts them out."""
        chips = _bytes(self.squares.closed(), self._wiring)
        return bytes(0xFF if chip in self.missing else byte for chip, byte in enumerate(chips))[: len(data)]

    def close(self) -> None:
        """Nothing to let go of."""


class SimulatedExpanders:
    """MCP23017 below `squares`, as an `I2C`: the four direct ones, or one with a matrix (`matrix`).

    Faults: `broken` makes every transfer an OSError 121; `diodes` off shows ghosts in a matrix.
    """

    def __init__(
        self, squares: SimulatedSquares, matrix: bool = False, diodes: bool = True, wiring: Sequence[int] = BY_RANKS
    ) -> None:
        self.squares, self._matrix, self._diodes, self._wiring = squares, matrix, diodes, tuple(wiring)
        self.broken = False
        self._registers: dict[int, dict[int, int]] = {}

    def write(self, address: int, data: bytes) -> None:
        """Writes registers, counting up."""
        self._check(address)
        registers = self._registers.setdefault(address, {})
        for offset, value in enumerate(data[1:]):
            registers[data[0] + offset] = value

    def read(self, address: int, register: int, count: int) -> bytes:
        """Reads registers; the ports show the sensors."""
        self._check(address)
        ports = _bytes(self.squares.closed(), self._wiring)
        if register != GPIOA:
            return bytes(self._registers.get(address, {}).get(register + offset, 0) for offset in range(count))
        if not self._matrix:
            first = 2 * (address - 0x20)
            return bytes(ports[first : first + count])
        return bytes((self._column(ports, self._registers[address].get(OLATB, 0xFF)),))

    def _column(self, rows: bytes, driven: int) -> int:
        """What the columns read while the rows with a 0 in `driven` are low."""
        low = {row for row in range(8) if not driven >> row & 1}
        columns = 0xFF
        for _reach in range(8):
            for row in low:
                columns &= rows[row]
            if self._diodes:
                break
            # Without diodes a low column pulls every row low whose switch to it is closed.
            low |= {row for row in range(8) if ~rows[row] & ~columns & 0xFF}
        return columns

    def _check(self, address: int) -> None:
        if self.broken or not 0x20 <= address <= (0x20 if self._matrix else 0x23):
            raise OSError(121, "Remote I/O error")

    def close(self) -> None:
        """Nothing to let go of."""


def _bytes(closed: Sequence[bool], wiring: Sequence[int]) -> bytes:
    """Eight bytes as the chips read them: a closed sensor is a 0 bit."""
    data = bytearray(b"\xff" * 8)
    for index, square in enumerate(wiring):
        if closed[square]:
            data[index // 8] &= 0xFF ^ 1 << (7 - index % 8)
    return bytes(data)
