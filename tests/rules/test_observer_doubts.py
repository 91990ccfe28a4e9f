"""A recorded move that the board contradicts later: its player is asked which it was; nothing changes by itself."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.laws.observer_doubts import otherwise
from rules.laws.observer_sight import Sight
from tests.rules.watching import Table

#: The knight on c3 can take on d5 only; e4 is a square whose sensor has just died.
ONE_CAPTURE = "4k3/7p/8/3p4/8/2N5/7P/4K3 w - - 0 1"


def on_a_dead_square() -> Table:
    """White puts the knight on e4, where nothing sees it; it looks like the capture on d5. Then Black moves d5-d4."""
    table = Table(ONE_CAPTURE, "occupancy").tell("0 -c3 900 W")
    assert table.moves == "Nxd5", "the only capture counts at the press"
    assert table.made[-1].blind
    return table.tell("2000 -d5 2200 +d4 3000 B")


def test_a_press_that_makes_no_sense_after_a_capture_nobody_saw_asks_which_move_that_was() -> None:
    table = on_a_dead_square()
    assert table.alerts == ["move_doubtful a2 a4 b1 b5 d1 d5 e2 e4 1"]
    assert table.moves == "Nxd5", "nothing changes before the answer"
    assert table.watch.waiting_since == 3_000, "the press waits for it"
    table.tell("4000 move:c3e4")
    assert table.moves == "Ne4 d4"
    assert [(made.uci, made.pressed_at, made.ply) for made in table.made[1:]] == [
        ("c3e4", None, 0),
        ("d5d4", 3_000, None),
    ]
    assert table.alerts[1:] == []


def test_play_goes_on_while_it_is_asked() -> None:
    table = on_a_dead_square().tell("3500 -h2 3700 +h3 4000 W 5000 -h7 5200 +h6 5600 B 9000 move:c3e4")
    assert table.moves == "Ne4 d4 h3 h6"
    assert [made.pressed_at for made in table.made[2:]] == [3_000, 4_000, 5_600]


@pytest.mark.parametrize("said", ["3500 move:c3d5", "3500 move:…", "30000 ."])
def test_who_stands_by_the_record_or_says_nothing_leaves_an_illegal_press(said: str) -> None:
    table = on_a_dead_square().tell(said)
    assert table.moves == "Nxd5"
    assert any(alert.startswith(("illegal_move", "wrong_turn")) for alert in table.alerts[1:])
    assert table.watch.waiting_since is None


def test_a_press_without_a_move_is_told_as_such_after_a_capture_nobody_saw_too() -> None:
    table = Table(ONE_CAPTURE, "occupancy").tell("0 -c3 900 W 2000 B")
    assert table.alerts == ["no_move_made"]


def test_the_piece_that_moves_on_from_its_square_has_stood_there() -> None:
    table = Table(ONE_CAPTURE, "occupancy").tell("0 -c3 900 W 1200 -h7 1400 +h6 1800 B 2000 -d5 2200 +f6 2600 W")
    assert table.moves == "Nxd5 h6 Nf6+"
    assert not table.watch.unsure(0)
    table.tell("4000 -e8 4200 +e6 4500 B")
    assert not any(alert.startswith("move_doubtful") for alert in table.alerts)


def test_a_slide_seen_too_late_is_asked_with_the_move_that_explains_the_board() -> None:
    """The board still shows the rook on a3 at the press, its true square later, and Black has answered by then."""
    fen = "4k3/7p/8/8/8/8/7P/R3K3 w - - 0 1"
    slow = {"settle_ms": 300, "press_grace_ms": 300, "lagging": True, "final_press": True}
    table = Table(fen, **slow).tell("0 -a1 100 +a3R 400 W 900 .")
    assert table.moves == "Ra3"
    table.tell("950 -a3 980 +a5R 1000 -h7 1100 +h6p 1200 B 2500 .")
    assert [alert for alert in table.alerts if "doubtful" in alert] == ["move_doubtful a3 a5 1"]
    table.tell("3000 move:a1a5 4000 .")
    assert table.moves == "Ra5 h6"


def test_a_piece_that_moves_again_at_once_is_no_slow_report_if_it_could_not_have_gone_there_at_once() -> None:
    fen = "4k3/7p/8/8/8/8/7P/R3K3 w - - 0 1"
    slow = {"settle_ms": 300, "press_grace_ms": 300, "lagging": True, "final_press": True}
    table = Table(fen, **slow).tell("0 -a1 100 +a3R 400 W 700 . 720 -h7 760 +h6p 800 B 850 -a3 900 +b3R 1300 W 2500 .")
    assert table.moves == "Ra3 h6 Rb3"
    assert table.alerts == ["moved_before_press"]


def test_a_move_that_rested_as_it_is_recorded_is_no_matter_of_doubt() -> None:
    """A piece that goes on after its press is its player's doing, not a slow board: that is told as it is."""
    table = Table("4k3/7p/8/8/8/8/7P/R3K3 w - - 0 1").tell("0 -a1 100 +a3R 900 W 3000 -a3 3200 +a5R 7000 .")
    assert table.moves == "Ra3"
    assert table.alerts == ["wrong_turn white"]


def test_a_pawn_taken_in_passing_between_two_looks_may_have_gone_one_step_or_two() -> None:
    """Both ways the same pieces stand there in the end."""
    fen = "4k3/8/8/8/3p4/8/2P4P/4K3 w - - 0 1"
    table = Table(fen).tell("0 -c2 300 -d4 400 +c3p 700 W 2000 .")
    assert table.alerts == ["capture_ambiguous c3 c4"]
    assert Table(fen).tell("0 -c2 300 -d4 400 +c3p 700 W 2000 . 2500 capture:c4 3000 B").moves == "c4 dxc3"


def test_who_has_pressed_unseen_has_not_made_his_next_move() -> None:
    """White's capture left no trace and was pressed after Black's answer; what he moves later is another move."""
    fen = "rn2k3/8/8/3p4/2P5/8/8/4K1N1 w - - 0 1"
    table = Table(fen, "occupancy").tell("0 -d5 200 +d5 1000 -b8 1200 +d7 1500 W")
    assert table.alerts == ["wrong_turn black"]
    table.tell("3000 -g1 3200 +f3 4000 . 4500 W 9000 .")
    assert table.moves == ""
    assert table.alerts[-1].startswith("illegal")


@given(st.data())
def test_another_move_is_taken_only_if_all_that_followed_is_legal_after_it(data: st.DataObject) -> None:
    board = chess.Board()
    for _ply in range(data.draw(st.integers(1, 12))):
        board.push(data.draw(st.sampled_from(sorted(board.legal_moves, key=str))))
    ply = data.draw(st.integers(0, len(board.move_stack) - 1))
    before = board.root()
    for move in board.move_stack[:ply]:
        before.push(move)
    move = data.draw(st.sampled_from(sorted(before.legal_moves, key=str)))
    found = otherwise(board, ply, move)
    expected = before.copy()
    expected.push(move)
    for later in board.move_stack[ply + 1 :]:
        if later not in expected.legal_moves:
            assert found is None
            return
        expected.push(later)
    assert found is not None
    assert (found, found.move_stack) == (expected, expected.move_stack)
    assert Sight.of(found, "identified").wrong(expected) == 0
