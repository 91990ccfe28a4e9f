"""What a table takes of the machine: memory over a day of games, and CPU while nobody moves.

The day is played through the real drivers in their threads, their pseudo-terminal or sensors, plungers, the core and
its log, as fast as they answer: only the clock of the core is turned by hand. The rest is measured at real speed, with
the whole service of a table whose clock runs; a simulated board's own thread is not counted, but what plays the part of
reeds and pins is read inside the drivers' threads and is.
"""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
import time
from pathlib import Path

import chess
import pytest

from drivers.catalogue import BOARDS, simulated_board, simulated_clock
from drivers.interfaces import BoardReport, OccupancyReport, PressReport, Report
from hallnet.outbox import Outbox
from kiosk.bench_table import RESIGNED, TurnedTime, assigned, moves_of, resident_mb, started
from kiosk.table.at_board import BoardSetup
from kiosk.table.config import TableConfig
from kiosk.table.core import Changed, FromDevice, Input, TableCore, Tick
from kiosk.table.hardware import touches
from kiosk.table.service import TableService
from rules.laws.game import GameState
from rules.laws.sides import SIDES
from tests.kiosk.table_hub import TestHub, assignment
from tests.kiosk.test_table_service import play

HOUR_MS = 3_600_000
#: A move every 20 s of simulated time, a tick of the core every 2 s.
THINK_MS, TICK_MS = 20_000, 2_000
#: Simulated plungers are debounced so much faster than real ones.
PRESS_SPEED = 50.0
#: What may still come after the first quarter of a day: pages of the log's cache.
GROWTH_MB = 3.0
REST_S = 20.0
#: Per cent of one core.
REST_LIMIT = 3.0


class Day:
    """Games one after the other on one table, with real drivers in their threads."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.time = TurnedTime()
        self.outbox = Outbox.open(folder / "day.db")
        row = BOARDS[kind]
        setup = BoardSetup(row.sensor, row.settle_ms, row.grace_ms)
        self.core = TableCore(self.outbox, self.time, "boot", setup)
        self.reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
        self.board, self.hands = simulated_board(kind, speed=100.0)
        self.clock, self.panel = simulated_clock("plungers", PRESS_SPEED)
        self.state = GameState()
        self.games = self.plies = 0

    def step(self, items: list[Input]) -> None:
        """Something for the core."""
        for output in self.core.step(items):
            if isinstance(output, Changed):
                self.state = output.picture.state

    def close(self) -> None:
        """Puts everything away."""
        for end in (self.board, self.clock, self.hands, self.panel):
            end.close()
        self.outbox.close()

    def pass_time(self, ms: int) -> None:
        """Nothing happens for so long."""
        for _tick in range(ms // TICK_MS):
            self.time.now += TICK_MS
            self.step([Tick()])

    def until_seen(self, position: chess.BaseBoard) -> None:
        """Takes what the board tells until it has told this."""
        while True:
            report = self.reports.get(timeout=20)
            self.step([FromDevice(report)])
            match report:
                case BoardReport(_t, placement) if placement == position.board_fen():
                    return
                case OccupancyReport(_t, occupied) if occupied == position.occupied:
                    return

    def set_up(self) -> None:
        """The start array."""
        if self.hands.placement != chess.STARTING_BOARD_FEN:
            self.hands.set_up(chess.STARTING_BOARD_FEN)
            self.until_seen(chess.Board())
        self.pass_time(10_000)

    def game(self, moves: list[chess.Move]) -> None:
        """Plays a game; every ply must be in the record."""
        self.games += 1
        self.set_up()
        game, position = f"r{self.games}b1", chess.Board()
        self.step([assigned(self.games, game), started(game)])
        for ply, move in enumerate(moves):
            self.pass_time(THINK_MS)
            pieces = chess.BaseBoard(position.board_fen())
            for square, letter in touches(position, move):
                self.time.now += 150
                before = pieces.occupied, pieces.board_fen()
                pieces.set_piece_at(square, None if letter == "." else chess.Piece.from_symbol(letter))
                self.hands.change(square, letter)
                if (pieces.occupied, pieces.board_fen()) != before:
                    self.until_seen(pieces)
            position.push(move)
            self.time.now += 300
            side = SIDES[ply % 2]
            self.panel.push(side)
            while not isinstance(report := self.reports.get(timeout=20), PressReport):
                self.step([FromDevice(report)])
            self.step([FromDevice(report)])
            self.panel.release(side)
            self.pass_time(TICK_MS)
        recorded = [ply.uci for ply in self.state.plies]
        assert recorded == [move.uci() for move in moves], (self.games, recorded)
        self.plies += len(recorded)
        for item in RESIGNED:
            self.step([item])

    def play(self, hours: int) -> list[float]:
        """Memory (MB) after each quarter of so many hours."""
        moves = moves_of(3)[:80]
        sizes: list[float] = []
        self.hands.set_up(chess.STARTING_BOARD_FEN)
        self.board.start(self.reports.put)
        self.clock.start(self.reports.put)
        self.until_seen(chess.Board())
        begin = self.time.now
        while len(sizes) < 4:
            self.game(moves)
            while len(sizes) < 4 and self.time.now - begin >= (len(sizes) + 1) * hours * HOUR_MS // 4:
                gc.collect()
                sizes.append(resident_mb())
        return sizes


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["dgt", "reed-spi"])
def test_memory_is_flat_over_a_day_of_games_through_the_drivers(kind: str, tmp_path: Path) -> None:
    day = Day(kind, tmp_path)
    try:
        first, *later = day.play(24)
    finally:
        day.close()
    print(f"\n{kind}: {day.games} games, {day.plies} plies, MB by quarter: {first:.1f} {later}")
    assert max(later) < first + GROWTH_MB, (first, later)


def test_a_game_of_the_day_is_recorded(tmp_path: Path) -> None:
    day = Day("dgt", tmp_path)
    try:
        assert len(day.play(0)) == 4
    finally:
        day.close()
    assert day.plies >= 30


def share_at_rest(board: str, clock: str, folder: Path, seconds: float) -> float:
    """Per cent of a core that a table takes while White thinks."""
    shares = []

    async def story(hub: TestHub, _service: TableService) -> None:
        await hub.until(lambda state: hub.last > 0)
        hub.assign(assignment(1))
        await hub.until(lambda state: state.round == 1)
        hub.order("start")
        await hub.until(lambda state: state.phase == "playing")
        await asyncio.sleep(2)
        simulators = [
            time.pthread_getcpuclockid(thread.ident)
            for thread in threading.enumerate()
            if thread.name == "simulated board" and thread.ident is not None
        ]
        cpu, at, theirs = time.process_time(), time.monotonic(), sum(map(time.clock_gettime, simulators))
        await asyncio.sleep(seconds)
        used = time.process_time() - cpu - (sum(map(time.clock_gettime, simulators)) - theirs)
        shares.append(100 * used / (time.monotonic() - at))

    play(TableConfig("1", data=str(folder), board=f"simulated:{board}", clock=f"simulated:{clock}",
                     display="simulated", lamps="simulated"), story)  # fmt: skip
    return shares[0]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("board", "clock"), [*((kind, "plungers") for kind in BOARDS), ("dgt", "rocker"), ("dgt", "dgtpi")]
)
def test_a_table_at_rest_leaves_the_machine_alone(board: str, clock: str, tmp_path: Path) -> None:
    share = share_at_rest(board, clock, tmp_path, REST_S)
    print(f"\n{board}, {clock}: {share:.2f} % of a core")
    assert share <= REST_LIMIT
