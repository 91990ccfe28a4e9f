"""Play that does not wait: for the answer to a question, or for a board that shows everything late."""

from __future__ import annotations

import chess

from rules.laws.observer_watch import Output, Policy, Watch
from tests.rules.watching import codes, made

#: On an occupancy board a queen lifted from d4, and nothing else, took on a4 or on d7.
TWO_CAPTURES = "6k1/3p3p/8/8/p2Q4/8/6PP/4K3 w - - 0 1"
SLOW = Policy(settle_ms=600, press_grace_ms=600, final_press=True, lagging=True)


def asked(fen: str = TWO_CAPTURES) -> Watch:
    """White has taken something from d4 and pressed at 2000; it is asked what."""
    watch = Watch("occupancy", chess.Board(fen), Policy(settle_ms=100, press_grace_ms=60))
    watch.lift(1_000, chess.D4)
    assert codes(watch.press(2_000, "white") + watch.at(2_100)) == ["capture_ambiguous"]
    return watch


def go(watch: Watch, t: int, move: str) -> list[Output]:
    """A quiet move by hand, and its press at `t`."""
    said = watch.lift(t - 400, chess.parse_square(move[:2])) + watch.place(t - 200, chess.parse_square(move[2:]))
    return said + watch.press(t, "white" if move[1] == "2" else "black")


def test_moves_and_presses_made_while_a_capture_is_asked_for_count() -> None:
    watch = asked()
    said = go(watch, 4_000, "h7h5") + go(watch, 6_000, "g2g3")
    assert said == []
    assert made(watch.answer(7_000, "capture", "a4")) == [("d4a4", 2_000), ("h7h5", 4_000), ("g2g3", 6_000)]


def test_an_open_question_is_not_answered_by_a_guess() -> None:
    watch = asked()
    said = go(watch, 4_000, "h7h5") + watch.at(60_000)
    assert made(said) == []
    assert watch.record is not None
    assert watch.record.move_stack == []


def test_a_reply_that_only_one_capture_permits_answers_the_question() -> None:
    watch = asked("4k3/3p3p/8/8/p2Q4/8/6PP/4K3 w - - 0 1")  # taken on d7, the queen would give check
    said = go(watch, 4_000, "h7h5") + watch.at(5_000)
    assert made(said) == [("d4a4", 2_000), ("h7h5", 4_000)]
    assert codes(said) == []


def test_a_recapture_that_only_one_capture_permits_answers_the_question() -> None:
    watch = asked("6k1/3p3p/8/r7/p2Q4/8/P5PP/4K3 w - - 0 1")
    said = go(watch, 4_000, "h7h5") + go(watch, 6_000, "g2g3")
    said += watch.lift(7_000, chess.A5) + watch.press(8_000, "black")  # the rook has taken what stands on a4
    said += watch.at(9_500)
    assert made(said) == [("d4a4", 2_000), ("h7h5", 4_000), ("g2g3", 6_000), ("a5a4", 8_000)]


def test_presses_of_both_sides_wait_for_a_slow_board() -> None:
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(900, chess.E2)
    said += watch.press(1_000, "white")
    said += watch.lift(1_500, chess.E7)  # Black's move comes before White's was seen
    said += watch.press(1_550, "black")
    said += watch.at(1_620)
    said += watch.place(1_700, chess.E4, "P")
    said += watch.place(1_720, chess.E5, "p")
    said += watch.at(5_000)
    assert made(said) == [("e2e4", 1_000), ("e7e5", 1_550)]
    assert set(codes(said)) <= {"moved_before_press"}


def test_a_press_that_no_move_explains_is_told_though_another_one_waits() -> None:
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(900, chess.E2)
    said += watch.press(1_000, "white") + watch.press(1_400, "black")
    said += watch.at(2_100)
    assert codes(said) == ["illegal_move"]
    assert made(said) == []


def test_a_slow_board_may_show_at_the_press_where_a_piece_went_too_far() -> None:
    watch = Watch("identified", chess.Board("4kb2/8/8/8/8/8/8/4K3 b - - 0 1"), SLOW)
    said = watch.lift(500, chess.F8) + watch.place(700, chess.D6, "b")
    said += watch.press(2_000, "black")
    said += watch.place(2_040, chess.E7, "b") + watch.lift(2_100, chess.D6)
    said += watch.at(3_000)
    assert made(said) == [("f8e7", 2_000)]


def test_a_castling_that_begins_with_the_rook_is_not_cut_in_two_by_the_press() -> None:
    board = chess.Board("rn1qk2r/pppbbppp/5n2/3p4/3P4/2NBB3/PPP2PPP/R2QK1NR b KQkq - 0 8")
    watch = Watch("identified", board, Policy(press_grace_ms=250, final_press=True, lagging=True))
    said = watch.place(1_000, chess.F8, "r") + watch.lift(1_010, chess.H8)
    said += watch.lift(1_230, chess.E8)
    said += watch.press(1_400, "black")
    said += watch.place(1_480, chess.G8, "k") + watch.at(3_000)
    assert made(said) == [("e8g8", 1_400)]
    assert codes(said) == []


def test_a_piece_that_is_taken_before_a_slow_board_was_trusted_has_moved() -> None:
    watch = Watch("identified", chess.Board("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1"), SLOW)
    said = watch.lift(500, chess.E4) + watch.lift(800, chess.D5)
    said += watch.press(1_000, "white") + watch.place(1_010, chess.D5, "P")
    said += watch.lift(1_450, chess.D5) + watch.at(1_610)  # Black's hand is there already
    said += watch.lift(1_650, chess.E6) + watch.place(1_800, chess.D5, "p")
    said += watch.press(1_900, "black") + watch.at(4_000)
    assert made(said) == [("e4d5", 1_000), ("e6d5", 1_900)]
    assert codes(said) == []


def test_an_illegal_slide_after_a_legal_stop_is_told() -> None:
    watch = Watch("identified", chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), SLOW)
    said = watch.lift(500, chess.A1) + watch.place(700, chess.A3, "R")
    said += watch.press(1_000, "white")
    said += watch.place(1_050, chess.B5, "R") + watch.lift(1_100, chess.A3)
    said += watch.at(1_700)
    assert made(said) == []
    assert codes(said) == ["illegal_move"]


def test_a_board_that_has_told_everything_is_not_waited_for() -> None:
    watch = Watch("identified", chess.Board("4kb2/8/8/8/8/8/8/4K3 b - - 0 1"), SLOW)
    said = watch.lift(500, chess.F8) + watch.place(700, chess.D6, "b")
    said += watch.press(1_000, "black") + watch.still(1_050, 999)
    assert made(said) == []  # a slide may have gone on since
    assert made(watch.still(1_120, 1_000)) == [("f8d6", 1_000)]


def test_what_a_board_tells_after_the_press_counts_before_it_says_that_this_was_all() -> None:
    watch = Watch("identified", chess.Board("4kb2/8/8/8/8/8/8/4K3 b - - 0 1"), SLOW)
    said = watch.lift(500, chess.F8) + watch.place(700, chess.D6, "b")
    said += watch.press(1_000, "black")
    said += watch.place(1_040, chess.E7, "b") + watch.lift(1_100, chess.D6)
    assert made(said + watch.still(1_120, 1_010)) == [("f8e7", 1_000)]


def test_of_two_presses_only_the_one_is_judged_up_to_which_all_was_told() -> None:
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(900, chess.E2) + watch.place(950, chess.E4, "P")
    said += watch.press(1_000, "white")
    said += watch.lift(1_200, chess.E7) + watch.place(1_250, chess.E5, "p")
    said += watch.press(1_300, "black")
    assert made(said + watch.still(1_310, 1_020)) == [("e2e4", 1_000)]
    assert made(watch.still(1_320, 1_300)) == [("e7e5", 1_300)]


def test_an_unseen_capture_waits_though_all_was_told() -> None:
    """A look that has missed a piece would make a capture of the move to where it stands."""
    watch = Watch("occupancy", chess.Board("4k3/3p4/8/8/3Q4/8/8/4K3 w - - 0 1"), SLOW)
    said = watch.lift(500, chess.D4) + watch.press(1_000, "white") + watch.still(1_100, 1_050)
    assert made(said) == []
    assert made(watch.at(1_601)) == [("d4d7", 1_000)]


def test_pieces_that_fall_after_a_move_was_shown_are_no_illegal_move() -> None:
    watch = Watch("identified", chess.Board(), SLOW)
    said = watch.lift(500, chess.G1) + watch.press(1_000, "white") + watch.place(1_050, chess.F3, "N")
    for n, name in enumerate(("f3", "e2", "f2", "g2")):  # Black's sleeve
        said += watch.lift(1_300 + n, chess.parse_square(name))
    said += watch.at(1_700)
    assert made(said) == [("g1f3", 1_000)]
    assert codes(said) == []


#: Wherever the rook goes from d4, the bishop behind it gives mate.
DISCOVERED = "6bk/7p/8/8/3R4/8/8/B3K3 w - - 0 1"


def test_a_slide_that_stops_where_it_is_mate_already_may_go_on() -> None:
    watch = Watch("identified", chess.Board(DISCOVERED), Policy(settle_ms=300, final_press=True))
    said = watch.lift(1_000, chess.D4) + watch.place(1_200, chess.D5, "R") + watch.at(2_500)
    said += watch.lift(2_600, chess.D5) + watch.place(2_800, chess.D7, "R") + watch.press(3_200, "white")
    assert made(said) == [("d4d7", 3_200)]


def test_a_mate_that_stands_long_enough_counts_without_a_press() -> None:
    watch = Watch("identified", chess.Board(DISCOVERED), Policy(settle_ms=300, final_press=True))
    said = watch.lift(1_000, chess.D4) + watch.place(1_200, chess.D5, "R")
    assert made(said + watch.at(4_100)) == []
    assert made(watch.at(4_200)) == [("d4d5", None)]

    watch = Watch("identified", chess.Board("6k1/5ppp/8/8/8/8/8/3RK3 w - - 0 1"), Policy(settle_ms=300))
    said = watch.lift(1_000, chess.D1) + watch.place(1_200, chess.D8, "R")
    assert made(said + watch.at(1_500)) == [("d1d8", None)]  # it can go no further
