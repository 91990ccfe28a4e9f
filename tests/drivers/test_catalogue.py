"""Every kind of device, by its name: simulated ones are played on, wrong names get a sentence."""

from __future__ import annotations

import queue

import chess
import pytest

from drivers import catalogue
from drivers.errors import BadDeviceName, DeviceMissing
from drivers.interfaces import BoardReport, ClockReport, OccupancyReport, PressReport, Report
from rules.laws.sides import SIDES


@pytest.mark.parametrize("kind", catalogue.BOARDS)
def test_a_simulated_board_of_each_kind_reports_a_move(kind: str) -> None:
    device, hands = catalogue.simulated_board(kind)
    hands.set_up(chess.STARTING_BOARD_FEN)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    position = chess.Board()
    try:
        for move in (None, chess.Move.from_uci("e2e4"), chess.Move.from_uci("d7d5"), chess.Move.from_uci("e4d5")):
            if move is not None:
                hands.play(position, move)
                position.push(move)
            while True:
                report = reports.get(timeout=10)
                if isinstance(report, BoardReport) and report.placement == position.board_fen():
                    assert catalogue.BOARDS[kind].sensor == "identified"
                    break
                if isinstance(report, OccupancyReport) and report.occupied == position.occupied:
                    break
        assert hands.placement == position.board_fen()
    finally:
        device.close()
        hands.close()
        hands.close()


@pytest.mark.parametrize("kind", catalogue.CLOCKS)
def test_a_simulated_clock_of_each_kind_reports_presses(kind: str) -> None:
    device, hands = catalogue.simulated_clock(kind, speed=20.0)
    reports: queue.Queue[Report] = queue.Queue()
    device.start(reports.put)
    try:
        for side in SIDES:
            hands.push(side)
            while not isinstance(report := reports.get(timeout=10), PressReport):
                assert isinstance(report, ClockReport)  # a clock with its own time tells it
            assert report.side == side
            hands.release(side)
    finally:
        device.close()
        hands.close()


@pytest.mark.parametrize("name", ["dtg:/dev/x", "dgt", "dgt:ttyUSB0", ""])
def test_a_wrong_board_name_gets_a_sentence(name: str) -> None:
    with pytest.raises(BadDeviceName, match=r"known are dgt|write dgt:/dev/serial"):
        catalogue.board(name)


def test_other_wrong_names() -> None:
    for make in (catalogue.clock, catalogue.simulated_clock, catalogue.simulated_board):
        with pytest.raises(BadDeviceName, match="sundial"):
            make("sundial")
    with pytest.raises(BadDeviceName, match="plungers:17,27"):
        catalogue.clock("plungers:17")
    with pytest.raises(BadDeviceName, match="tm1637 needs to know where: write tm1637:5,6,13,19"):
        catalogue.named("display", "tm1637")


def test_a_name_says_kind_address_and_pins() -> None:
    assert catalogue.named("board", "simulated") == catalogue.Named("board", "dgt", "", True)
    assert catalogue.named("board", "simulated:reed-spi").board.sensor == "occupancy"
    assert catalogue.named("board", "reed-i2c").address == "/dev/i2c-1"
    assert catalogue.named("clock", "rocker:5,6").pins == (5, 6)
    assert catalogue.named("lamps", "simulated").pins == ()
    for part, kinds in catalogue.PARTS.items():
        for kind, row in kinds.items():
            example = catalogue.named(part, f"{kind}:{row.form.example}")
            assert (example.kind, example.address) == (kind, row.form.example)


def test_a_real_board_is_made_from_its_name_and_is_missing_here() -> None:
    for name in ("dgt:/dev/serial/by-id/none", "chesslink:/dev/none", "certabo:/dev/none", "chessnut:/dev/none"):
        with pytest.raises(DeviceMissing):
            catalogue.board(name).start(lambda report: None)
