"""`hallkiosk table --simulate KIND`: a simulated board at a port that any program may open, with hands on its keyboard.

The path of the port is the first line printed. Each line read is one thing that hands do: a move ("e2e4", "e4", "O-O"),
"lift e2", "put e4 P", "fen rnbqkbnr/…", "start". The board says nothing about the game: it only follows the moves that
were typed, so that captures and castlings come as hands make them. After the last line it stays until it is stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from gettext import gettext as _

import chess

from drivers.boards.hands import Hands
from drivers.catalogue import BOARDS
from drivers.errors import BadDeviceName, BadSquare
from kiosk.table.hardware import touches

#: Real s between two touches of a move.
TOUCH_S = 0.15
#: The kinds that have a port.
KINDS = tuple(kind for kind, row in BOARDS.items() if row.port)


class SimulatedBoard:
    """A board with a port, and the game that its hands play."""

    def __init__(self, kind: str, touch_s: float = TOUCH_S) -> None:
        if kind not in KINDS:
            raise BadDeviceName(
                _("A simulated {kind} has no port that a program could open; these have: {kinds}.").format(
                    kind=kind, kinds=", ".join(KINDS)
                )
            )
        device, self._hands = BOARDS[kind].simulate(1.0)
        device.close()
        self._touch_s = touch_s
        self._game = chess.Board()
        self.set_up(chess.STARTING_FEN)

    @property
    def port(self) -> str:
        """The path to open."""
        return str(getattr(self._hands, "port", ""))

    @property
    def hands(self) -> Hands:
        """The hands, for whoever wants to move single pieces."""
        return self._hands

    def set_up(self, fen: str) -> None:
        """Puts up a position, and the game goes on from there. Raises ValueError."""
        self._game = chess.Board(fen if " " in fen else f"{fen} w KQkq - 0 1")
        self._hands.set_up(self._game.board_fen())

    def do(self, line: str) -> str:
        """One thing that hands do, in words as at the head of this module; answers what stands there now."""
        word, _blank, rest = line.strip().partition(" ")
        try:
            match word:
                case "lift":
                    self._hands.lift(chess.parse_square(rest))
                case "put":
                    square, letter = rest.split()
                    chess.Piece.from_symbol(letter)
                    self._hands.put(chess.parse_square(square), letter)
                case "fen":
                    self.set_up(rest)
                case "start":
                    self.set_up(chess.STARTING_FEN)
                case _:
                    self._move(word)
        except (ValueError, BadSquare) as error:
            return _("{line}: not understood ({error}). Type a move, or: lift e2, put e4 P, fen ..., start.").format(
                line=line.strip(), error=error
            )
        return self._hands.placement

    def _move(self, word: str) -> None:
        try:
            move = self._game.parse_san(word)
        except ValueError:
            move = chess.Move.from_uci(word)
            if self._game.piece_at(move.from_square) is None:
                raise ValueError(
                    _("there is no piece on {square}").format(square=chess.square_name(move.from_square))
                ) from None
        for square, letter in touches(self._game, move):
            self._hands.change(square, letter)
            time.sleep(self._touch_s)
        self._game.push(move)

    def close(self) -> None:
        """Pulls the cable; may be called twice."""
        self._hands.close()


def simulate(kind: str, lines: Iterable[str], say: Callable[[str], None], wait: Callable[[], object]) -> None:
    """Plays the part of a board until `lines` end and `wait` returns. Raises `BadDeviceName`."""
    board = SimulatedBoard(kind)
    try:
        say(board.port)
        for line in lines:
            if line.strip():
                say(board.do(line))
        wait()
    finally:
        board.close()
