"""A day at the boards in virtual time: what drivers, observer and Laws keep does not grow."""

from __future__ import annotations

import gc
import tracemalloc

import chess
import pytest

from drivers.interfaces import Report
from rules.laws.observer_watch import Policy, Watch
from tests.drivers.campaign.boards import KINDS
from tests.drivers.campaign.table import Table
from tests.drivers.campaign.venue import Fault, Venue

HOUR_MS = 3_600_000


def grown(kind: str, hours: int, think_ms: int) -> list[int]:
    """Kilobytes in use after each quarter of `hours` of moves back and forth, with a flickering square beside them."""
    venue = Venue()
    table, sizes = Table(venue, kind, ""), []
    board = KINDS[kind](venue, chess.Board(), Fault(weak=True), kind)
    end = venue.now + hours * HOUR_MS
    knights = [(chess.B1, "N", chess.C3), (chess.B8, "n", chess.C6)]

    def move() -> None:
        origin, letter, target = knights[0]
        board.change(origin, ".")
        venue.at(venue.now + 300, lambda: board.change(target, letter))
        venue.at(venue.now + think_ms, move)
        knights.append((target, letter, origin))
        del knights[0]

    def weigh() -> None:
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0] // 1024)
        if len(sizes) == 4:
            venue.over = True
        venue.at(venue.now + hours * HOUR_MS // 4, weigh)

    def report(said: Report) -> None:
        table.report(said)
        table.recorded.clear()

    venue.at(venue.now + 1_000, move)
    venue.at(venue.now + hours * HOUR_MS // 4, weigh)
    tracemalloc.start()
    try:
        board.run(report)
    finally:
        tracemalloc.stop()
    assert venue.now >= end - 1
    return sizes


@pytest.mark.parametrize("kind", ["dgt", "reed-spi"])
def test_two_hours_at_a_board_leave_no_more_than_the_first_half_hour(kind: str) -> None:
    first, *later = grown(kind, 2, 40_000)
    assert max(later) < first + 100, (first, later)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_a_day_at_a_board_leaves_no_more_than_its_first_quarter(kind: str) -> None:
    first, *later = grown(kind, 24, 20_000)
    assert max(later) < first + 100, (first, later)


def test_an_open_question_does_not_grow_for_ever() -> None:
    """Pieces moved for hours while nobody answers: what is kept to be judged later has an end."""
    watch = Watch("occupancy", chess.Board("6k1/3p3p/8/8/p2Q4/8/6PP/4K3 w - - 0 1"), Policy(press_grace_ms=60))
    watch.lift(1_000, chess.D4)
    watch.press(2_000, "white")
    watch.at(3_000)
    for t in range(10_000, 2_400_000, 2_000):
        watch.lift(t, chess.H7)
        watch.place(t + 1_000, chess.H7)
    assert watch._meanwhile is None or len(watch._meanwhile.inputs) <= 1_000
