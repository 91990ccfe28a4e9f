"""Boards built by clubs: chips, bounce, dead squares, ghosts and broken cables."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from itertools import pairwise

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.boards.occupancy.device import OccupancyBoard
from drivers.boards.occupancy.scan import ScanFilter
from drivers.boards.occupancy.sensors import BY_RANKS, Expanders, Matrix, Sensors, ShiftChain, ghosts
from drivers.boards.occupancy.simulator import SimulatedChain, SimulatedExpanders, SimulatedSquares
from drivers.interfaces import LinkReport, OccupancyReport, Report

START = chess.STARTING_BOARD_FEN
ARRAY = chess.Board().occupied

Circuit = Callable[[SimulatedSquares], Sensors]
CIRCUITS: dict[str, Circuit] = {
    "74hc165": lambda squares: ShiftChain(SimulatedChain(squares)),
    "mcp23017": lambda squares: Expanders(SimulatedExpanders(squares)),
    "mcp23017-matrix": lambda squares: Matrix(SimulatedExpanders(squares, matrix=True)),
}


@pytest.mark.parametrize("kind", CIRCUITS)
@given(occupied=st.integers(0, (1 << 64) - 1))
def test_every_square_is_read_through_the_chips(kind: str, occupied: int) -> None:
    squares = SimulatedSquares()
    for square in chess.scan_forward(occupied):
        squares.change(square, "P")
    sensors = CIRCUITS[kind](squares)
    assert sensors.kind == kind
    assert sensors.read() == occupied


def test_a_builders_own_wiring() -> None:
    wiring = tuple(reversed(BY_RANKS))
    squares = SimulatedSquares()
    squares.change(chess.C4, "N")
    assert ShiftChain(SimulatedChain(squares, wiring), wiring).read() == chess.BB_C4
    assert ShiftChain(SimulatedChain(squares, wiring)).read() == chess.BB_F5


def test_without_diodes_three_corners_show_the_fourth() -> None:
    squares = SimulatedSquares()
    for square in (chess.A1, chess.A4, chess.C1):
        squares.change(square, "R")
    assert Matrix(SimulatedExpanders(squares, matrix=True, diodes=False)).read() & chess.BB_C4
    squares.set_up(START)
    assert ghosts(Matrix(SimulatedExpanders(squares, matrix=True)).read()) == 0


def test_a_missing_chip_reads_empty_squares() -> None:
    squares = SimulatedSquares()
    squares.set_up(START)
    chain = SimulatedChain(squares)
    chain.missing = {0}
    assert ShiftChain(chain).read() == ARRAY & ~chess.BB_RANK_8


# -- debounce -------------------------------------------------------------------------------------------------------


def test_a_square_changes_when_three_scans_agree_and_is_stamped_with_the_first() -> None:
    board = ScanFilter()
    assert [board.scan(t, 0) for t in (0, 10, 20)] == [[], [], [(0, 0)]]
    assert [board.scan(t, 1) for t in (30, 40, 50)] == [[], [], [(30, 1)]]


def test_a_bounce_begins_the_count_anew() -> None:
    board = ScanFilter(occupied=0)
    assert [board.scan(t, bit) for t, bit in enumerate((1, 1, 0, 1, 0, 1, 1, 1))] == [[]] * 7 + [[(5, 1)]]


def test_two_squares_that_change_together_are_one_board() -> None:
    board = ScanFilter(occupied=0b01)
    assert [board.scan(t, 0b10) for t in range(3)] == [[], [], [(0, 0b10)]]


@given(st.lists(st.integers(0, 15), max_size=80))
def test_the_debounced_board_is_always_one_that_was_seen(scans: list[int]) -> None:
    board = ScanFilter(occupied=0)
    stamps = []
    for t, squares in enumerate(scans):
        for since, _occupied in board.scan(t, squares):
            stamps.append(since)
            assert since <= t
    assert all(a <= b + 2 for a, b in pairwise(stamps))
    for _rest in range(3):
        board.scan(999, scans[-1] if scans else 0)
    assert board.occupied == (scans[-1] if scans else 0)


# -- the whole board ------------------------------------------------------------------------------------------------


def until(reports: queue.Queue[Report], occupied: int) -> list[Report]:
    seen: list[Report] = []
    while True:
        report = reports.get(timeout=10)
        seen.append(report)
        if isinstance(report, OccupancyReport) and report.occupied == occupied:
            return seen


@pytest.fixture
def squares() -> SimulatedSquares:
    board = SimulatedSquares(bounce=2, seed=3)
    board.set_up(START)
    return board


@pytest.fixture(params=CIRCUITS)
def board(request: pytest.FixtureRequest, squares: SimulatedSquares) -> Iterator[queue.Queue[Report]]:
    device = OccupancyBoard(CIRCUITS[request.param](squares), scans_per_s=1_000)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    yield reports
    device.close()
    device.close()


def test_moves_are_reported_whatever_bounces(board: queue.Queue[Report], squares: SimulatedSquares) -> None:
    until(board, ARRAY)
    position = chess.Board()
    for san in ["e4", "d5", "exd5", "Nf6", "Nf3", "Nxd5", "Bc4", "e6", "O-O"]:
        move = position.parse_san(san)
        squares.play(position, move)
        position.push(move)
        until(board, position.occupied)


def test_a_dead_and_a_stuck_square(board: queue.Queue[Report], squares: SimulatedSquares) -> None:
    until(board, ARRAY)
    squares.dead, squares.stuck = {chess.A1}, {chess.E4}
    until(board, ARRAY & ~chess.BB_A1 | chess.BB_E4)


def test_a_broken_bus_is_told_once_and_found_again(squares: SimulatedSquares) -> None:
    bus = SimulatedExpanders(squares)
    device = OccupancyBoard(Expanders(bus), scans_per_s=1_000)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        until(reports, ARRAY)
        bus.broken = True
        lost = reports.get(timeout=10)
        assert isinstance(lost, LinkReport)
        assert not lost.up
        assert "cable" in lost.why
        squares.change(chess.E2, ".")
        bus.broken = False
        seen = until(reports, ARRAY & ~chess.BB_E2)
        assert [report.up for report in seen if isinstance(report, LinkReport)] == [True]
    finally:
        device.close()
