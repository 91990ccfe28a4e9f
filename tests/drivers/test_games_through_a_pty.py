"""Whole games in real time: hands at simulated boards, pseudo-terminals, drivers, plungers, the table's core, its log.

Three tables play at once, each on another protocol at the pace of its real scans: a hall game that castles to both
sides, a sharp one with en passant and all four promotions, and a Chess960 game that castles, promotes and
captures in passing. `make test` plays their beginnings, `make soak` all of them to the last move.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.certabo.protocol import PieceSet
from drivers.boards.certabo.simulator import SimulatedCertabo
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chesslink.simulator import SimulatedChessLink
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SCAN_STEP_S, SimulatedDgtBoard
from drivers.boards.hands import Hands
from drivers.catalogue import BOARDS, simulated_clock
from drivers.interfaces import BoardReport, Device
from hallnet import wire
from hallnet.outbox import Outbox
from kiosk.bench_table import started
from kiosk.table.at_board import BoardSetup
from kiosk.table.core import FromDevice, Input, TableCore, Tick
from kiosk.table.link import FromHub
from kiosk.table.timeline import Timeline
from rules.laws.events import Assignment, Player
from rules.laws.game import GameState, replay
from tests.drivers.campaign.games import Planned, game
from tests.drivers.campaign.hands import BRISK, Pace, make

#: People who play fast, and look at the board before they do.
FAST = Pace("fast", BRISK.touch, BRISK.press, (300, 900), 0.3)
HOLD_S = 0.06
#: Kind of board → the game that is played on it.
GAMES = {"dgt": 43, "chesslink": 187, "certabo": 69}


def dgt() -> tuple[Device, Hands]:
    """A board whose scan passes over the squares."""
    board = SimulatedDgtBoard(scan_step_s=SCAN_STEP_S)
    return DgtBoard(board.port), board


def chesslink() -> tuple[Device, Hands]:
    """A board that tells its position on every change."""
    board = SimulatedChessLink()
    return ChessLinkBoard(board.port), board


def certabo() -> tuple[Device, Hands]:
    """A board that misses a chip now and then; its set of pieces was learnt before."""
    board = SimulatedCertabo(dropout=0.1)
    return CertaboBoard(
        board.port, pieces=PieceSet({(1, 2, 3, 4, ord(letter)): letter for letter in "PNBRQKpnbrqk"})
    ), board


PLUG: dict[str, Callable[[], tuple[Device, Hands]]] = {"dgt": dgt, "chesslink": chesslink, "certabo": certabo}


class RealTable:
    """A table at real speed; `play` gives what was played and the game as the log has it."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.planned: Planned = game(GAMES[kind])
        self.kind, row = kind, BOARDS[kind]
        self.outbox = Outbox.open(folder / f"{kind}.db")
        setup = BoardSetup(row.sensor, row.settle_ms, row.grace_ms, lagging=True)
        self.core = TableCore(self.outbox, Timeline(), "boot", setup)
        self.inputs: queue.SimpleQueue[Input | None] = queue.SimpleQueue()
        self.seen = threading.Event()

    def _serve(self) -> None:
        """The core's thread."""
        while True:
            try:
                item = self.inputs.get(timeout=0.02)
            except queue.Empty:
                item = Tick()
            if item is None:
                return
            self.core.step([item])

    def _report(self, report: Any) -> None:
        if isinstance(report, BoardReport) and report.placement == self.planned.board().board_fen():
            self.seen.set()
        self.inputs.put(FromDevice(report))

    def _begin(self) -> None:
        people = Player(1, "Anna"), Player(2, "Boris")
        assigned = Assignment("Hall", 1, 1, "r1b1", 1, *people, "90+30", start_fen=self.planned.fen)
        message = wire.assignment_message(assigned, "go")
        self.inputs.put(FromHub(wire.Snapshot(e=1, inc=1, last=0, assignment=message)))
        self.inputs.put(started("r1b1"))

    def play(self, plies: int) -> tuple[list[str], GameState]:
        """Plays so many plies of the game."""
        (board, hands), (clock, panel) = PLUG[self.kind](), simulated_clock("plungers")
        position, dice, played = self.planned.board(), random.Random(self.kind), []
        hands.set_up(position.board_fen())
        core = threading.Thread(target=self._serve, daemon=True)
        core.start()
        for device in (board, clock):
            device.start(self._report)
        try:
            assert self.seen.wait(10)
            time.sleep(0.5)  # the position is at rest
            self._begin()
            time.sleep(0.5)
            for move in self.planned.moves[:plies]:
                began, side = time.monotonic(), "white" if position.turn else "black"
                touches, _manners = make(position, move, dice, FAST, knocks=False)
                for delay, square, letter in touches:
                    time.sleep(max(0, began + delay / 1000 - time.monotonic()))
                    hands.change(square, letter)
                time.sleep(dice.randint(*FAST.press) / 1000)
                panel.push(side)  # type: ignore[arg-type]
                time.sleep(HOLD_S)
                panel.release(side)  # type: ignore[arg-type]
                played.append(position.uci(move))
                position.push(move)
                time.sleep(dice.randint(*FAST.think) / 1000)
            time.sleep(2)
            return played, replay(self.outbox.events())
        finally:
            for end in (board, clock, hands, panel):
                end.close()
            self.inputs.put(None)
            core.join(timeout=5)
            self.outbox.close()


@pytest.mark.parametrize("plies", [5, pytest.param(500, marks=pytest.mark.soak)])
def test_three_games_in_real_time_through_pseudo_terminals(plies: int, tmp_path: Path) -> None:
    found: dict[str, tuple[list[str], GameState]] = {}

    def play(table: RealTable) -> None:
        found[table.kind] = table.play(plies)

    threads = [threading.Thread(target=play, args=(RealTable(kind, tmp_path),)) for kind in GAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for kind, number in GAMES.items():
        played, state = found[kind]
        assert [ply.uci for ply in state.plies] == played, kind
        assert len(played) == min(plies, len(game(number).moves)), kind
        assert [ply.illegal for ply in state.plies if ply.illegal] == [], kind
        assert not state.questions, kind


def test_the_games_have_what_is_hard_in_them() -> None:
    def special(kind: str) -> set[str]:
        planned, found = game(GAMES[kind]), set()
        board = planned.board()
        for move in planned.moves:
            if board.is_castling(move):
                found.add("O-O" if board.is_kingside_castling(move) else "O-O-O")
            if board.is_en_passant(move):
                found.add("e.p.")
            if move.promotion:
                found.add(chess.piece_symbol(move.promotion))
            board.push(move)
        return found

    assert special("dgt") == {"O-O", "O-O-O"}
    assert special("chesslink") == {"e.p.", "q", "r", "b", "n"}
    assert special("certabo") == {"O-O-O", "e.p.", "r"}
    assert [len(game(number).moves) for number in GAMES.values()] == [97, 76, 75]
