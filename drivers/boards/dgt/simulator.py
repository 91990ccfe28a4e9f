"""The other end of the cable: a simulated DGT board behind a pseudo-terminal, with hands that move its pieces.

Any program that opens `port` meets a board: silent after power-up, commands of one byte, dumps, field updates, a clock.
"""

from __future__ import annotations

import time

import chess

from drivers.boards.dgt.firmware import NAME, SERIAL, Firmware, SimulatedClock
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd

#: A real board visits a square every 3.5 ms, twice as long over Bluetooth.
SCAN_STEP_S = 0.0035
_IDLE_S = 0.01
#: How often a clock that runs is looked at for a new second, if the squares are not scanned.
_CLOCK_S = 0.1


def square_number(square: chess.Square) -> int:
    """The board's number (a8 = 0 … h1 = 63) of a python-chess square."""
    return (7 - square // 8) * 8 + square % 8


class SimulatedDgtBoard(Hands):
    """A board with pieces on it. `port` is the device name to open; the hands are `lift`, `put`, `play`, `set_up`.

    With `scan_step_s` a pointer passes over the squares and reports a change when it gets there, so moving pieces smear
    and change order as on a real board; 0 reports at once. `rotated` has the connector on White's right. Faults: those
    of the line, those of the clock, `sticky` squares that never change.
    """

    def __init__(
        self,
        scan_step_s: float = 0.0,
        faults: LineFaults | None = None,
        simulated_clock: SimulatedClock | None = None,
        rotated: bool = False,
        battery: tuple[int, bool] | None = None,
    ) -> None:
        self._real = ["."] * 64
        self._rotated = rotated
        self.sticky: set[chess.Square] = set()
        self.firmware = Firmware(simulated_clock)
        self.firmware.battery = battery
        self._scan_step_s = scan_step_s
        self._pointer = 0
        self._scanned = time.monotonic()
        idle = self._idle if scan_step_s or simulated_clock else None
        idle_s = _IDLE_S if scan_step_s else _CLOCK_S if simulated_clock else None
        self._line = PtyEnd(self.firmware.feed, idle, idle_s, faults)
        self.port = self._line.port

    def hang(self, simulated_clock: SimulatedClock) -> SimulatedClock:
        """Plugs a clock into the board, and returns it; from then on the board tells what it says."""
        with self._line.lock:
            self.firmware.clock = simulated_clock
            self._line.idle = self._idle
            self._line.idle_s = self._line.idle_s or _CLOCK_S
        self._line.wake()
        return simulated_clock

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        self._line.close()

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        return self._real[self._number(square)]

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece on a square, or takes it off (".")."""
        number = self._number(square)
        with self._line.lock:
            self._real[number] = piece
            if not self._scan_step_s:
                self._sense(number)

    def _number(self, square: chess.Square) -> int:
        number = square_number(square)
        return 63 - number if self._rotated else number

    def _sense(self, number: int) -> None:
        if chess.Square(number ^ 56) not in self.sticky:
            self._line.send(self.firmware.change(number, self._real[number]))

    def _idle(self) -> bytes:
        """Moves the scan pointer as far as time has passed; then the clock's news."""
        if self._scan_step_s:
            steps = int((time.monotonic() - self._scanned) / self._scan_step_s)
            self._scanned += steps * self._scan_step_s
            for _step in range(min(steps, 64)):
                self._sense(self._pointer)
                self._pointer = (self._pointer + 1) % 64
        return self.firmware.time_message()


__all__ = ["NAME", "SERIAL", "SimulatedDgtBoard", "square_number"]
