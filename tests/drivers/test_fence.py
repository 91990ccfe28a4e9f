"""When a board has told everything up to a press: the question behind a scan, a line after the line, equal scans."""

from __future__ import annotations

from collections.abc import Iterable

import chess
import pytest

from drivers.boards.certabo.device import LATE_MS
from drivers.boards.fence import AGAIN_MS, LOST_MS, Fence
from drivers.interfaces import BoardReport, OccupancyReport, Report, StillReport
from tests.drivers.campaign.boards import KINDS
from tests.drivers.campaign.venue import BEGIN_MS, Fault, Venue

PRESSED = BEGIN_MS + 5_000


def after_a_press(
    kind: str, touches: Iterable[tuple[int, chess.Square, str]], fault: Fault | None = None
) -> list[Report]:
    """What a board tells from a press on that is asked about; `touches` come so many ms after (or before) it."""
    venue, told = Venue(), list[Report]()
    board = KINDS[kind](venue, chess.Board(), fault or Fault(), "still")
    for delay, square, letter in touches:
        venue.at(PRESSED + delay, lambda square=square, letter=letter: board.change(square, letter))  # type: ignore[misc]
    venue.at(PRESSED, lambda: board.confirm(PRESSED))
    venue.at(PRESSED + 4_000, lambda: setattr(venue, "over", True))
    board.run(told.append)
    return [report for report in told if report.boot_ms >= PRESSED]


def still(reports: list[Report]) -> StillReport:
    """The only answer that is as of the press; a change may have been confirmed before."""
    (found,) = (report for report in reports if isinstance(report, StillReport) and report.as_of >= PRESSED)
    return found


@pytest.mark.parametrize(
    ("kind", "ms"),
    [
        ("dgt", 350), ("dgt-bluetooth", 600), ("chesslink", 100), ("certabo", 700), ("sentio", 450), ("chessnut", 150),
        ("reed-spi", 60), ("reed-i2c", 60), ("reed-matrix", 60),
    ],
)  # fmt: skip
def test_every_board_confirms_a_press_soon(kind: str, ms: int) -> None:
    answer = still(after_a_press(kind, []))
    assert answer.as_of >= PRESSED
    assert answer.boot_ms <= PRESSED + ms


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", [1, 5, 40, 90, 180, 230])
def test_what_was_done_before_the_press_is_told_before_that_is_said(kind: str, before: int) -> None:
    """Wherever the scan is, and whatever line is under way: e2 was empty at the press."""
    reports = after_a_press(kind, [(-before, chess.E2, ".")])
    answer = still(reports)
    placements = [
        report.placement if isinstance(report, BoardReport) else report.occupied
        for report in reports[: reports.index(answer)]
        if isinstance(report, BoardReport | OccupancyReport)
    ]
    if placements:  # else it was told before the press
        there = chess.BaseBoard()
        there.remove_piece_at(chess.E2)
        assert placements[-1] in (there.board_fen(), there.occupied)
    later = reports[reports.index(answer) :]
    assert not [report for report in later if isinstance(report, BoardReport | OccupancyReport)]


def test_a_fence_waits_for_a_scan_and_for_its_answer() -> None:
    fence = Fence(250)
    assert fence.next(0) is None
    fence.wanted(1_000)
    assert fence.next(1_100) == 1_250
    assert not fence.due(1_249)
    assert fence.due(1_250)
    fence.asked(1_250)
    assert fence.next(1_251) is None
    assert fence.answered() == 1_000
    assert not fence.pending


def test_the_answer_to_an_earlier_question_confirms_less() -> None:
    fence = Fence(250)
    fence.asked(1_100)  # for another reason
    fence.wanted(1_000)
    assert fence.answered() is None  # only up to 850
    assert fence.due(1_300)
    fence.asked(1_300)
    assert fence.answered() == 1_050


def test_a_lost_answer_is_asked_for_again_and_never_taken_for_a_later_one() -> None:
    fence = Fence(250)
    fence.wanted(1_000)
    fence.asked(1_250)
    assert not fence.due(1_250 + AGAIN_MS - 1)
    assert fence.due(1_250 + AGAIN_MS)
    fence.asked(1_250 + AGAIN_MS)
    assert fence.answered() == 1_000  # counts as that of the first question
    fence.wanted(3_000)
    fence.asked(3_250)
    assert fence.answered() is None  # the answer to the second one, for all that is known
    assert fence.answered() == 3_000
    fence.asked(4_000)
    fence.wanted(9_000)
    fence.asked(4_001 + LOST_MS + 10_000)
    assert fence.answered() == 4_001 + LOST_MS + 10_000 - 250  # the one of 4000 is not waited for any more


def test_several_presses_are_confirmed_one_after_the_other() -> None:
    fence = Fence(100)
    for pressed in (1_000, 1_080):
        fence.wanted(pressed)
    fence.asked(1_120)
    assert fence.answered() == 1_020
    assert fence.next(1_130) == 1_180
    assert fence.passed(1_080) == 1_080
    assert fence.next(1_200) is None


def test_a_line_that_was_begun_before_the_press_confirms_nothing() -> None:
    answer = still(after_a_press("certabo", []))
    assert answer.boot_ms - answer.as_of >= 180 + LATE_MS  # a line takes that long


def test_a_cable_that_is_pulled_confirms_nothing() -> None:
    venue, told = Venue(), list[Report]()
    board = KINDS["dgt"](venue, chess.Board(), Fault(), "still")
    venue.at(PRESSED, lambda: board.confirm(PRESSED))
    venue.at(PRESSED + 100, board.pull)
    venue.at(PRESSED + 1_000, board.plug)
    venue.at(PRESSED + 9_000, lambda: setattr(venue, "over", True))
    board.run(told.append)
    out = range(PRESSED, PRESSED + 1_000)
    assert not [report for report in told if isinstance(report, StillReport) and report.boot_ms in out]
