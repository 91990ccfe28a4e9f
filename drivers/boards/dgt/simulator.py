"""The other end of the cable: a simulated DGT board behind a pseudo-terminal, with hands that move its pieces.

Any program that opens `port` meets a board: silent after power-up, commands of one byte, dumps, field updates. It never
answers the trade-mark request with the vendor's text.
"""

from __future__ import annotations

import os
import select
import threading
import tty

import chess

from drivers.boards.dgt import protocol as dgt
from drivers.errors import BadSquare

SERIAL = b"00042"
NAME = b"Simulated board"


def square_number(square: chess.Square) -> int:
    """The board's number (a8 = 0 … h1 = 63) of a python-chess square."""
    return (7 - square // 8) * 8 + square % 8


class SimulatedDgtBoard:
    """A board with pieces on it. `port` is the device name to open; the hands are `lift`, `put`, `play`, `set_up`."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._master)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(self._slave)
        self._squares = ["."] * 64
        self._updates = False
        self._lock = threading.Lock()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._serve, name="simulated board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pulls the cable for good; may be called twice."""
        if self._master < 0:
            return
        os.write(self._wake_write, b"x")
        self._thread.join(timeout=5)
        for fd in (self._master, self._slave, self._wake_read, self._wake_write):
            os.close(fd)
        self._master = -1

    @property
    def placement(self) -> str:
        """What stands on the board, as the first field of a FEN."""
        with self._lock:
            return dgt.placement("".join(self._squares))

    def set_up(self, placement: str) -> None:
        """Puts the pieces as in `placement`, square by square."""
        wanted = chess.BaseBoard(placement)
        for square in chess.SQUARES:
            piece = wanted.piece_at(square)
            symbol = piece.symbol() if piece else "."
            if self._squares[square_number(square)] != symbol:
                self._change(square, symbol)

    def lift(self, square: chess.Square) -> str:
        """Takes the piece off a square and returns its letter; raises `BadSquare` if there is none."""
        piece = self._squares[square_number(square)]
        if piece == ".":
            raise BadSquare(f"no piece on {chess.square_name(square)}")
        self._change(square, ".")
        return piece

    def put(self, square: chess.Square, piece: str) -> None:
        """Puts a piece (FEN letter) on a square."""
        self._change(square, piece)

    def play(self, board: chess.Board, move: chess.Move) -> None:
        """Moves the pieces for `move` in the position `board` as hands do: victim, then mover, then rook."""
        victim = move.to_square
        if board.is_en_passant(move):
            victim = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if board.is_castling(move):
            self._castle(board, move)
            return
        if board.is_capture(move):
            self.lift(victim)
        piece = self.lift(move.from_square)
        if move.promotion:
            symbol = chess.piece_symbol(move.promotion)
            piece = symbol.upper() if board.turn == chess.WHITE else symbol
        self.put(move.to_square, piece)

    def _castle(self, board: chess.Board, move: chess.Move) -> None:
        after = board.copy(stack=False)
        after.push(move)
        gone = [s for s in chess.SQUARES if board.piece_at(s) and board.piece_at(s) != after.piece_at(s)]
        come = [s for s in chess.SQUARES if after.piece_at(s) and board.piece_at(s) != after.piece_at(s)]
        for square in sorted(gone, key=lambda s: board.piece_type_at(s) != chess.KING):
            self.lift(square)
        for square in sorted(come, key=lambda s: after.piece_type_at(s) != chess.KING):
            piece = after.piece_at(square)
            if piece is not None:
                self.put(square, piece.symbol())

    def _change(self, square: chess.Square, piece: str) -> None:
        with self._lock:
            number = square_number(square)
            self._squares[number] = piece
            if self._updates:
                self._send(dgt.frame(dgt.FIELD_UPDATE, bytes((number, dgt.code(piece)))))

    def _send(self, data: bytes) -> None:
        try:
            os.write(self._master, data)
        except BlockingIOError:
            return  # nobody reads: the bytes are lost, as on a serial line without handshake

    def _serve(self) -> None:
        while True:
            ready, _w, _x = select.select([self._master, self._wake_read], [], [])
            if self._wake_read in ready:
                return
            for command in os.read(self._master, 64):
                with self._lock:
                    self._obey(bytes((command,)))

    def _obey(self, command: bytes) -> None:
        match command:
            case dgt.UPDATE_NICE:
                self._updates = True
            case dgt.RESET:
                self._updates = False
            case dgt.SEND_BOARD:
                self._send(dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, self._squares))))
            case dgt.SEND_SERIAL:
                self._send(dgt.frame(dgt.SERIAL_NUMBER, SERIAL))
            case dgt.SEND_VERSION:
                self._send(dgt.frame(dgt.VERSION, bytes((1, 2))))
            case dgt.SEND_TRADEMARK:
                self._send(dgt.frame(dgt.TRADEMARK, NAME))
