"""A table that was killed and starts again: nothing on the board is wrong before it was looked at, and what is wrong is
said in words."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from drivers.interfaces import GapReport, OccupancyReport
from kiosk.table.at_board import BoardSetup
from rules.laws.events import Board
from tests.kiosk.test_table_boards import OCCUPANCY, PIECES, Hall


def told(hall: Hall) -> list[tuple[str, str]]:
    return [(event.state, event.why) for event in hall.events(Board) if isinstance(event, Board)]


@pytest.mark.parametrize("waits", [False, True], ids=["the board answers at once", "after a while"])
@pytest.mark.parametrize("setup", [PIECES, OCCUPANCY], ids=["pieces", "squares"])
def test_a_board_that_stands_as_the_record_has_it_is_no_news(tmp_path: Path, setup: BoardSetup, waits: bool) -> None:
    hall = Hall(tmp_path, setup)
    hall.move("e2e4")
    hall.move("e7e5")
    hall.restart()
    if waits:
        hall.wait(60_000)
    hall.see()
    hall.wait(60_000)
    hall.move("g1f3")
    assert hall.moves == ["e2e4", "e7e5", "g1f3"]
    assert (told(hall), hall.picture.problem) == ([], "")


def test_the_same_on_a_board_of_chips_that_are_not_known_again_yet(tmp_path: Path) -> None:
    hall = Hall(tmp_path, PIECES)
    hall.move("e2e4")
    hall.restart()
    hall.report(OccupancyReport(hall.timeline.stamp(), hall.real.occupied))
    hall.wait(60_000)
    assert (told(hall), hall.picture.placement) == ([], hall.real.board_fen())


@pytest.mark.parametrize("setup", [PIECES, OCCUPANCY], ids=["pieces", "squares"])
def test_after_a_restart_a_missing_piece_is_missed(tmp_path: Path, setup: BoardSetup) -> None:
    """Nothing was taken for missing before: what is asked about is that piece and no other one."""
    hall = Hall(tmp_path, setup)
    hall.move("e2e4")
    hall.move("e7e5")
    hall.restart()
    without = hall.real.copy()
    without.remove_piece_at(chess.D1)
    hall.see(without)
    hall.wait(60_000)
    assert [state for state, _why in told(hall)] == ["unexplained"]
    assert told(hall)[0][1], "in words"
    hall.see()
    hall.wait()
    hall.move("d1g4")
    assert hall.moves == ["e2e4", "e7e5", "d1g4"]
    assert [state for state, _why in told(hall)] == ["unexplained", "ok"]


@pytest.mark.parametrize("gap", [False, True])
def test_what_was_wrong_is_told_as_it_was_though_it_is_right_by_now(tmp_path: Path, gap: bool) -> None:
    """A machine that was busy for long hears of the position, and of its end, in one go."""
    hall = Hall(tmp_path, PIECES)
    hall.move("e2e4")
    without = hall.real.copy()
    without.remove_piece_at(chess.G1)
    without.set_piece_at(chess.G4, chess.Piece.from_symbol("N"))
    hall.see(without)
    hall.timeline.pass_by(1.0)
    if gap:
        hall.report(GapReport(hall.timeline.stamp()))
    hall.see()
    hall.wait()
    assert told(hall) == [("unexplained", "g1: white knight missing, g4: white knight too many"), ("ok", "")]
