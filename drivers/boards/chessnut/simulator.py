"""A simulated Chessnut board; its end of the line is a pseudo-terminal, which carries reports as a HID device does."""

from __future__ import annotations

import chess

from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd


class ChessnutFirmware:
    """What the board does with reports: silent until real-time mode, then a position on every change. Pure.

    `squares` are letters by python-chess square (a1 = 0).
    """

    def __init__(self, battery: tuple[int, bool] = (80, False)) -> None:
        self.squares = ["."] * 64
        self.battery = battery
        self.lights = b""
        self._real_time = False

    def feed(self, data: bytes) -> bytes:
        """Takes reports of the host, one by one on a real device; on a pseudo-terminal several may lie in one read."""
        answer = b""
        while len(data) >= 2:
            command, data = data[: 2 + data[1]], data[2 + data[1] :]
            answer += self._obey(command)
        return answer

    def change(self, square: chess.Square, piece: str) -> bytes:
        """A sensor sees a change; returns the report, if the host wants it."""
        self.squares[square] = piece
        return self._position() if self._real_time else b""

    def _position(self) -> bytes:
        return chessnut.position("".join(self.squares[square ^ 56] for square in range(64)))

    def _obey(self, command: bytes) -> bytes:
        match command:
            case chessnut.REAL_TIME:
                self._real_time = True
                return chessnut.REAL_TIME + self._position()
            case chessnut.UPLOAD:
                self._real_time = False
                return chessnut.UPLOAD
            case chessnut.ASK_BATTERY:
                percent, charging = self.battery
                return bytes((chessnut.BATTERY, 2, percent | (0x80 if charging else 0), 0))
            case chessnut.ASK_GAMES:
                return bytes((chessnut.GAMES, 1, 0))
            case _ if command[:1] == b"\x0a":
                self.lights = command[2:]
        return b""


class SimulatedChessnut(Hands):
    """A board with pieces on it; `port` is the device name to open."""

    def __init__(self, battery: tuple[int, bool] = (80, False), faults: LineFaults | None = None) -> None:
        self.firmware = ChessnutFirmware(battery)
        self._line = PtyEnd(self.firmware.feed, faults=faults)
        self.port = self._line.port

    @property
    def lights(self) -> bytes:
        """The row bytes of the lights as they were set last."""
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
            self._line.send(self.firmware.change(square, piece))
