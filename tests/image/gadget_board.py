"""Runs inside the machine: a DGT board at the far end of a USB cable, with hands that play what standard input says.

The cable is real as far as the kernel knows: a gadget serial port (`/dev/ttyGS0`) on a host controller that leads back
into the same machine, where udev finds a board. The board is hallkiosk's own simulator, on that port instead of on a
pseudo-terminal.
"""

import os
import sys
import tty

import chess

from drivers.boards import pty_end
from drivers.boards.dgt.simulator import SimulatedDgtBoard

PORT = "/dev/ttyGS0"


def main() -> None:
    far_end = os.open(PORT, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(far_end)
    pty_end.os.openpty = lambda: (far_end, os.dup(far_end))  # type: ignore[attr-defined]
    pty_end.os.ttyname = lambda _fd: PORT  # type: ignore[attr-defined]
    board = SimulatedDgtBoard()
    board.set_up(chess.STARTING_BOARD_FEN)
    game = chess.Board()
    print("board ready", flush=True)
    for line in sys.stdin:
        move = game.parse_san(line.strip())
        board.play(game, move)
        game.push(move)
        print("played", game.board_fen(), flush=True)


main()
