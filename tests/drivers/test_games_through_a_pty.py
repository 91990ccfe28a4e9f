"""Three games in real time: hands at a simulated board, its pseudo-terminal, driver, the table's core and its log."""

from __future__ import annotations

import queue
import random
import threading
import time
from pathlib import Path

import chess
import pytest

from drivers.catalogue import BOARDS, simulated_board
from drivers.interfaces import PressReport, boot_us
from hallnet.outbox import Outbox
from kiosk.bench_table import assigned, started
from kiosk.table.at_board import BoardSetup
from kiosk.table.core import FromDevice, Input, TableCore, Tick
from kiosk.table.timeline import Timeline
from rules.laws.game import replay
from rules.laws.sides import SIDES
from tests.drivers.campaign.games import game
from tests.drivers.campaign.hands import BRISK, make

PLIES = 30


def record(kind: str, number: int, folder: Path) -> tuple[list[str], list[str]]:
    """What was played and what stands in the log."""
    row, inputs = BOARDS[kind], queue.SimpleQueue[Input | None]()
    outbox = Outbox.open(folder / f"{kind}.db")
    core = TableCore(outbox, Timeline(), "boot", BoardSetup(row.sensor, row.settle_ms, row.grace_ms, lagging=True))

    def serve() -> None:
        while True:
            try:
                item = inputs.get(timeout=0.02)
            except queue.Empty:
                item = Tick()
            if item is None:
                return
            core.step([item])

    board, hands = simulated_board(kind)
    position, dice, played = chess.Board(), random.Random(kind), []
    hands.set_up(position.board_fen())
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    board.start(lambda report: inputs.put(FromDevice(report)))
    try:
        time.sleep(2)
        inputs.put(assigned(1, "r1b1"))
        inputs.put(started("r1b1"))
        time.sleep(0.5)
        for ply, move in enumerate(game(number).moves[:PLIES]):
            began = time.monotonic()
            for delay, square, letter in make(position, move, dice, BRISK, knocks=False)[0]:
                time.sleep(max(0, began + delay / 1000 - time.monotonic()))
                hands.change(square, letter)
            time.sleep(0.3)
            inputs.put(FromDevice(PressReport(boot_us() // 1000, SIDES[ply % 2])))
            played.append(move.uci())
            position.push(move)
            time.sleep(0.9)
        time.sleep(2)
        return played, [ply.uci for ply in replay(outbox.events()).plies]
    finally:
        board.close()
        hands.close()
        inputs.put(None)
        thread.join(timeout=5)
        outbox.close()


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "number"), [("dgt", 0), ("chesslink", 1), ("certabo", 3)])
def test_a_game_in_real_time_through_a_pseudo_terminal(kind: str, number: int, tmp_path: Path) -> None:
    played, recorded = record(kind, number, tmp_path)
    assert recorded == played
