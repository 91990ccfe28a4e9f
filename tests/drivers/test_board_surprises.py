"""What boards say now and then: pieces of another set, a set learnt upside down, old times of a clock."""

from __future__ import annotations

import chess
import pytest

from drivers.boards.certabo import protocol as certabo
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.dgt import clock
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import SETTING_MS, DgtBoard
from drivers.boards.placement import letters
from drivers.interfaces import BoardReport, ClockReport, Report

START = letters(chess.STARTING_BOARD_FEN)


def chips(squares: str) -> certabo.Chips:
    """A frame in which every piece has a chip of its own, known by its letter and its square in the start array."""
    homes = {piece: [square for square in range(64) if START[square] == piece] for piece in "KQRBNPkqrbnp"}
    found = []
    for piece in squares:
        home = homes[piece].pop(0) if homes.get(piece) else 99
        found.append(certabo.NOTHING if piece == "." else (1, 2, 3, ord(piece), home))
    return certabo.Chips(tuple(found))


def half_turn(squares: str) -> str:
    return squares[::-1]


@pytest.mark.parametrize("told", [None, True])
@pytest.mark.parametrize("array", [certabo.LEARN_ARRAY, START])
def test_a_set_learnt_on_a_turned_board_has_its_colours_right(told: bool | None, array: str) -> None:
    """With the extra queens on d3 and d6 nobody needs to say how the board lies; without them the table's file does."""
    learnt = certabo.learn([chips(half_turn(array))] * certabo.LEARN_FRAMES, rotated=told)
    assert learnt is not None
    known_to_be_turned = told or array is certabo.LEARN_ARRAY
    read = certabo.PieceSet(learnt).read([chips(half_turn(START))] * certabo.VOTE_FRAMES)
    assert (read == half_turn(START)) == known_to_be_turned


def test_a_set_is_learnt_as_told_though_the_queens_stand_elsewhere() -> None:
    learnt = certabo.learn([chips(certabo.LEARN_ARRAY)] * certabo.LEARN_FRAMES, rotated=False)
    assert learnt is not None
    assert certabo.PieceSet(learnt).read([chips(START)] * certabo.VOTE_FRAMES) == START


def test_a_queen_of_another_set_stands_on_her_square() -> None:
    reports: list[Report] = []
    learnt = certabo.learn([chips(START)] * certabo.LEARN_FRAMES)
    board = CertaboBoard("/dev/none", pieces=certabo.PieceSet(learnt or {}))
    strange = "?" + "." * 62 + "K"
    for t in range(certabo.VOTE_FRAMES):
        frame = certabo.chips_line(chips(strange).squares)
        board.take(frame, t, reports.append)
    assert reports == [BoardReport(certabo.VOTE_FRAMES - 1, "8/8/8/8/8/8/8/7K", chess.BB_A8)]


class Days:
    """A world in which only time passes."""

    def __init__(self) -> None:
        self.now = 1_000_000
        self.stopped = False

    def open(self, name: str, baud: int) -> object:
        raise AssertionError(name, baud)

    def now_ms(self) -> int:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1000)

    def stop(self) -> None:
        self.stopped = True


def told(board: DgtBoard, world: Days, left_s: int, right_s: int) -> list[tuple[int, int]]:
    """What is reported when the clock tells these times a second later."""
    reports: list[Report] = []
    world.now += 1_000
    time = clock.ClockTime(right_s, left_s, True, False, False, "left", False, False)
    board.take(dgt.frame(dgt.CLOCK, clock.encode_time(time)), world.now, reports.append)
    return [(report.white_s, report.black_s) for report in reports if isinstance(report, ClockReport)]


def test_an_old_time_of_the_clock_is_not_believed_at_once() -> None:
    world = Days()
    board = DgtBoard("/dev/none", world=world)  # type: ignore[arg-type]
    assert told(board, world, 300, 300) == [(300, 300)]
    assert told(board, world, 299, 300) == [(299, 300)]
    assert told(board, world, 5_400, 5_400) == []
    assert told(board, world, 298, 300) == [(298, 300)]
    assert told(board, world, 328, 300) == [(328, 300)], "an increment"


def test_a_time_that_stays_up_is_believed() -> None:
    world = Days()
    board = DgtBoard("/dev/none", world=world)  # type: ignore[arg-type]
    told(board, world, 3, 300)
    assert told(board, world, 1_802, 2_100) == []
    assert told(board, world, 1_801, 2_100) == [(1_801, 2_100)], "the second period was added"


def test_a_time_that_we_have_set_is_believed_at_once() -> None:
    world = Days()
    board = DgtBoard("/dev/none", world=world)  # type: ignore[arg-type]
    told(board, world, 3, 300)
    board.set_times(600, 600, None)
    assert told(board, world, 600, 600) == [(600, 600)]
    world.now += SETTING_MS
    assert told(board, world, 5_400, 600) == []
