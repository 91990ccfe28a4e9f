"""What is asked and not answered yet, what was lost on the way, and half an answer: none of it is an illegal move."""

from __future__ import annotations

import chess

from rules.laws.observer_presses import GAP_MS
from rules.laws.observer_record import Policy
from rules.laws.observer_sight import Sight
from rules.laws.observer_watch import Watch
from tests.rules.watching import Table, codes, made

TWO_PAWNS = "7k/P1P5/8/8/8/8/8/K7 w - - 0 1"
#: Both captures of the f-pawn promote; a queen or rook on e8 would give check, so ...a4 rules them out.
TWO_VICTIMS = "2k1r1n1/5P2/8/p7/8/8/8/7K w - - 0 1"
SLOW = Policy(settle_ms=600, press_grace_ms=600, lagging=True)


def test_two_open_promotions_are_answered_one_after_the_other() -> None:
    table = Table(TWO_PAWNS, "occupancy")
    table.tell("0 -a7 200 +a8 600 W 1000 -h8 1200 +h7 1600 B 2000 -c7 2200 +c8 2600 W 3000 -h7 3200 +h6 3600 B")
    assert table.alerts == ["promotion_needed a8", "promotion_needed c8"]
    first = table.watch.promotion
    assert first is not None
    assert first.ply == 1
    table.tell("4000 promotion:r")
    second = table.watch.promotion
    assert second is not None
    assert second.ply == 3
    table.tell("5000 promotion:b")
    assert table.watch.promotion is None
    assert [move.uci() for move in table.watch.board.move_stack] == ["a7a8r", "h8h7", "c7c8b", "h7h6"]


def test_an_open_promotion_that_is_taken_back_is_not_asked_for_any_more() -> None:
    table = Table(TWO_PAWNS, "occupancy").tell("0 -a7 200 +a8 600 W 2000 -a8 2200 +a7 3000 . 4000 takeback:yes")
    assert table.watch.promotion is None
    assert table.tell("5000 -c7 5200 +c8 5600 W 6000 promotion:n").moves.endswith("c8=N")


def test_a_capture_is_not_ruled_out_by_a_queen_that_it_need_not_have_been() -> None:
    table = Table(TWO_VICTIMS, "occupancy")
    table.tell("0 -e8 150 +e8 300 -f7 900 W 1500 -a5 1700 +a4 2200 B 9000 .")
    assert table.watch.waiting_since is not None, "e8 and g8 are both possible still"
    assert table.alerts == ["capture_ambiguous e8 g8"]
    table.tell("9500 capture:e8")
    assert [move.uci()[:4] for move in table.watch.board.move_stack] == ["f7e8", "a5a4"]
    assert table.alerts == ["capture_ambiguous e8 g8", "promotion_needed e8"]
    promotion = table.watch.promotion
    assert promotion is not None
    assert promotion.options == (chess.BISHOP, chess.KNIGHT)


def test_half_an_answer_at_the_end_of_the_grace_time_leaves_the_move_alone() -> None:
    """The board scans from a8 to h1: the answer's new square is read before its old one is empty."""
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(0, chess.E2) + watch.place(100, chess.E4, "P") + watch.press(150, "white")
    said += watch.place(740, chess.E5, "p") + watch.at(800)
    assert made(said) == [("e2e4", 150)]
    said += watch.lift(810, chess.E7) + watch.press(900, "black") + watch.at(5_000)
    assert made(said) == [("e2e4", 150), ("e7e5", 900)]
    assert codes(said) == []


def test_what_is_no_half_of_an_answer_is_still_told() -> None:
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(0, chess.E2) + watch.place(100, chess.E4, "P") + watch.press(150, "white")
    said += watch.place(740, chess.D4, "P") + watch.at(800)
    assert made(said) == []
    assert codes(said) == ["illegal_move"]


def test_a_press_waits_for_the_position_after_lost_bytes() -> None:
    watch = Watch("identified", chess.Board(), Policy(press_grace_ms=100))
    after = chess.Board()
    after.push_uci("e2e4")
    said = watch.lift(0, chess.E2)
    watch.gap(400)
    said += watch.press(420, "white") + watch.at(900)
    assert (made(said), codes(said)) == ([], [])
    said += watch.show(950, Sight.of(after, "identified")) + watch.at(5_000)
    assert (made(said), codes(said)) == ([("e2e4", 420)], [])


def test_a_gap_hides_an_illegal_move_for_its_time_only() -> None:
    watch = Watch("identified", chess.Board(), Policy(press_grace_ms=100))
    said = watch.lift(0, chess.E2) + watch.place(100, chess.E5, "P")
    watch.gap(150)
    said += watch.press(200, "white") + watch.at(150 + GAP_MS - 1)
    assert codes(said) == []
    assert codes(watch.at(150 + GAP_MS)) == ["illegal_move"]


def test_a_press_waits_for_the_promotion_piece_that_makes_its_move_legal() -> None:
    """With a queen on g8 Black would be in check; a knight and a rook would do, so only the player can tell."""
    table = Table("8/5kP1/8/8/3p4/8/8/K7 w - - 0 1", "occupancy")
    table.tell("0 -g7 200 +g8 600 W 1000 -d4 1200 +d3 1600 B 4000 .")
    assert table.alerts == ["promotion_needed g8"]
    table.tell("5000 promotion:n")
    assert [(found.uci, found.pressed_at) for found in table.made][-1] == ("d4d3", 1600)
    assert table.alerts == ["promotion_needed g8"]


def test_a_press_does_not_wait_for_a_promotion_piece_for_ever() -> None:
    table = Table("8/5kP1/8/8/3p4/8/8/K7 w - - 0 1", "occupancy")
    table.tell("0 -g7 200 +g8 600 W 1000 -d4 1200 +d3 1600 B 12000 .")
    assert table.alerts[:2] == ["promotion_needed g8", "illegal_move d3"]


def test_what_was_lifted_before_a_piece_was_put_back_is_no_victim() -> None:
    """Pieces fall and are set up again; then the queen takes on b4, and while she is in the air nothing is certain."""
    table = Table("6k1/8/1Q6/2p5/1q6/8/8/6K1 w - - 0 1", "occupancy")
    table.tell("0 -b6 20 -c5 1500 +c5 2000 +b6 4000 -b6 8000 -b4 8300 +b4 9000 W")
    assert [move.uci() for move in table.watch.board.move_stack] == ["b6b4"]
