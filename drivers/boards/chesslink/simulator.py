"""A simulated ChessLink behind a pseudo-terminal: parity on every byte, EEPROM, reports by time or on change."""

from __future__ import annotations

import time

import chess

from drivers.boards.chesslink import protocol as link
from drivers.boards.hands import Hands
from drivers.boards.pty_end import LineFaults, PtyEnd

_SCAN_S = 0.01
#: Characters of a command by its letter, with block parity.
_COMMANDS = {"S": 3, "V": 3, "X": 3, "T": 3, "R": 5, "W": 7, "L": 167}


class ChessLinkFirmware:
    """What the board does with bytes; pure, time in s. `squares` are letters from a8 to h1."""

    def __init__(self) -> None:
        self.squares = ["."] * 64
        self.cells = {link.SCAN_TIME: 20, link.REPORTS: 0, 0x03: 20, link.BRIGHTNESS: 14, 0x00: 0}
        self.lit = False
        self._pending = ""
        self._reported = ""
        self._silent_until = 0.0

    def feed(self, data: bytes, now: float = 0.0) -> bytes:
        """Takes bytes of the host, with or without parity bits; returns what the board sends back."""
        self._pending += "".join(chr(byte & 0x7F) for byte in data)
        answer = b""
        while self._pending:
            length = _COMMANDS.get(self._pending[0])
            if length is None:
                self._pending = self._pending[1:]
                continue
            if len(self._pending) < length:
                break
            command, self._pending = self._pending[:length], self._pending[length:]
            if link.block_parity(command[:-2]) == command[-2:].upper() and now >= self._silent_until:
                answer += self._obey(command[:-2], now)
        return answer

    def _obey(self, command: str, now: float) -> bytes:
        match command[0]:
            case "S":
                return link.frame("s" + "".join(self.squares))
            case "V":
                return link.frame("v0107")
            case "X" | "L":
                self.lit = command[0] == "L"
                return link.frame(command[0].lower())
            case "R" | "W":
                address = int(command[1:3], 16)
                if command[0] == "W":
                    self.cells[address] = int(command[3:5], 16)
                return link.frame(f"{command[0].lower()}{address:02X}{self.cells.get(address, 0):02X}")
            case _:
                self._silent_until = now + link.RESET_S
                return b""

    def report(self, now: float = 0.0) -> bytes:
        """The status that it sends by itself in this scan, as cell 02 says: always, never, or on change."""
        squares = "".join(self.squares)
        how = self.cells[link.REPORTS]
        due = how in (0, 2) or (how >= link.ON_CHANGE and squares != self._reported)
        if how == 1 or not due or now < self._silent_until:
            return b""
        self._reported = squares
        return link.frame("s" + squares)


class SimulatedChessLink(Hands):
    """A ChessLink with pieces on it; `port` is the device name to open. `at_once`: a touch is told without a scan."""

    def __init__(self, faults: LineFaults | None = None, scan_s: float = _SCAN_S, at_once: bool = False) -> None:
        self.firmware = ChessLinkFirmware()
        self._at_once = at_once
        self._line = PtyEnd(
            lambda data: self.firmware.feed(data, time.monotonic()),
            lambda: self.firmware.report(time.monotonic()),
            scan_s,
            faults,
        )
        self.port = self._line.port

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        self._line.close()

    def letter(self, square: chess.Square) -> str:
        """FEN letter on a square, "." if it is empty."""
        return self.firmware.squares[square ^ 56]

    def change(self, square: chess.Square, piece: str) -> None:
        """Puts a piece on a square, or takes it off (".")."""
        with self._line.lock:
            self.firmware.squares[square ^ 56] = piece
            if self._at_once:
                self._line.send(self.firmware.report(time.monotonic()))
