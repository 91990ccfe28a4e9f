"""What is plugged into a table: its devices, and, where they are simulated, the hands that move them."""

from __future__ import annotations

from dataclasses import dataclass
from gettext import gettext as _

import chess

from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.clocks.plungers.device import Plungers
from drivers.clocks.plungers.simulator import SimulatedPlungers
from drivers.interfaces import Device
from kiosk.table.config import TableConfig
from rules.laws.events import Side


class Hands:
    """Hands at simulated hardware: they move pieces and press plungers, and know nothing of the game."""

    def __init__(self, board: SimulatedDgtBoard, plungers: SimulatedPlungers) -> None:
        self._board = board
        self._plungers = plungers

    def set_up(self, placement: str) -> None:
        """Puts every piece where `placement` (first field of a FEN) has it."""
        self._board.set_up(placement)

    def play(self, fen: str, uci: str) -> None:
        """Makes a move of the game position `fen`, legal or not; a move made before on the board is taken back first.

        Raises ValueError with a sentence for what is no move at all.
        """
        position = chess.Board(fen)
        move = chess.Move.from_uci(uci)
        if position.piece_at(move.from_square) is None:
            raise ValueError(_("There is no piece on {square}.").format(square=chess.square_name(move.from_square)))
        if self._board.placement != position.board_fen():
            self._board.set_up(position.board_fen())
        self._board.play(position, move)

    def push(self, side: Side) -> None:
        """Pushes a plunger down."""
        self._plungers.push(side)

    def release(self, side: Side) -> None:
        """Lets it up again."""
        self._plungers.release(side)

    def close(self) -> None:
        """Puts everything away."""
        self._board.close()
        self._plungers.close()


@dataclass(frozen=True, slots=True)
class Hardware:
    """The devices of one table. `hands` is None where people are real."""

    board: Device
    clock: Device
    hands: Hands | None = None

    def close(self) -> None:
        """Lets go of all devices."""
        self.board.close()
        self.clock.close()
        if self.hands is not None:
            self.hands.close()


def plug_in(config: TableConfig) -> Hardware:
    """The devices that the settings name. Real drivers in both cases; simulated is only the other end of the cable."""
    simulated_board = SimulatedDgtBoard() if config.board == "simulated" else None
    simulated_clock = SimulatedPlungers() if config.clock == "simulated" else None
    port = simulated_board.port if simulated_board else config.board.removeprefix("dgt:")
    board = DgtBoard(port, command_gap_s=0.0 if simulated_board else 0.1)
    clock = Plungers(pin_factory=simulated_clock.pin_factory if simulated_clock else None, speed=config.speed)
    hands = Hands(simulated_board, simulated_clock) if simulated_board and simulated_clock else None
    return Hardware(board, clock, hands)
