"""What a board has shown, and what that is worth: lifts that were missed, squares that are wrong, pieces that fell."""

from __future__ import annotations

from typing import Any

import chess

from rules.laws.observer_watch import Output, Policy, Watch
from tests.rules.watching import Table, codes, made

TABLE: dict[str, Any] = {"press_grace_ms": 300, "final_press": True, "lagging": True, "confirms": True}
#: A king and a rook that castle by changing places, and by going to f1 with the king.
SWAP = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"
SHORT = "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1"
#: The queen can take on a4 and on d7.
TWO_VICTIMS = "6k1/3p3p/8/8/p2Q4/8/6PP/4K3 w - - 0 1"


def at_a_table(fen: str = chess.STARTING_FEN, sensor: str = "occupancy", chess960: bool = False, **more: bool) -> Watch:
    record = chess.Board(fen, chess960=chess960)
    return Watch("occupancy" if sensor == "occupancy" else "identified", record, Policy(**TABLE | more))


def touch(watch: Watch, t: int, story: str) -> list[Output]:
    """Touches 100 ms apart: -e2 lifts, +e4P puts down."""
    said: list[Output] = []
    for n, word in enumerate(story.split()):
        where = chess.parse_square(word[1:3])
        said += watch.lift(t + 100 * n, where) if word[0] == "-" else watch.place(t + 100 * n, where, word[3:4] or "?")
    return said


# -- a sensor that looks seldom ----------------------------------------------------------------------------------------


def test_a_castling_that_leaves_no_trace_is_asked_for_at_the_press() -> None:
    watch = at_a_table(SWAP, chess960=True, blinks=True)
    said = watch.press(2_000, "white") + watch.still(2_200, 2_100) + watch.at(2_400)
    assert codes(said) == ["capture_ambiguous"]
    assert made(watch.answer(3_000, "capture", "g1")) == [("f1g1", 2_000)]


def test_on_a_board_that_sees_every_lift_nothing_was_played_then() -> None:
    watch = at_a_table(SWAP, chess960=True)
    said = watch.press(2_000, "white") + watch.still(2_200, 2_100) + watch.at(2_400)
    assert codes(said) == ["no_move_made"]


def test_a_king_that_may_have_castled_is_asked_about() -> None:
    watch = at_a_table(SHORT, chess960=True, blinks=True)
    said = touch(watch, 1_000, "-e1 +f1") + watch.press(2_000, "white")
    said += watch.still(2_100, 2_000) + watch.still(2_200, 2_100)
    assert codes(said) == ["capture_ambiguous"]
    assert made(watch.answer(3_000, "capture", "g1")) == [("e1g1", 2_000)]
    watch = at_a_table(SHORT, chess960=True)
    said = touch(watch, 1_000, "-e1 +f1") + watch.press(2_000, "white") + watch.still(2_100, 2_000)
    assert made(said) == [("e1f1", 2_000)]


def test_a_victim_that_was_lifted_after_its_taker_may_only_have_been_adjusted() -> None:
    story = "-d4 -d7 +d7"
    watch = at_a_table(TWO_VICTIMS, blinks=True)
    said = touch(watch, 1_000, story) + watch.press(2_000, "white") + watch.still(2_100, 2_000)
    assert codes(said + watch.still(2_200, 2_100)) == ["capture_ambiguous"]
    watch = at_a_table(TWO_VICTIMS)
    said = touch(watch, 1_000, story) + watch.press(2_000, "white") + watch.still(2_100, 2_000)
    assert made(said) == [("d4d7", 2_000)]
    watch = at_a_table(TWO_VICTIMS, blinks=True)
    said = touch(watch, 1_000, "-d7 -d4 +d7") + watch.press(2_000, "white") + watch.still(2_100, 2_000)
    assert made(said) == [("d4d7", 2_000)]


def test_a_choice_of_captures_stays_one_while_the_answer_is_in_the_hand() -> None:
    watch = at_a_table(TWO_VICTIMS)
    said = touch(watch, 1_000, "-d4") + watch.press(2_000, "white") + watch.lift(2_050, chess.H7) + watch.at(2_800)
    assert codes(said) == ["capture_ambiguous"]
    said = watch.place(2_900, chess.H6) + watch.press(3_200, "black") + watch.answer(4_000, "capture", "a4")
    assert made(said + watch.at(9_000)) == [("d4a4", 2_000), ("h7h6", 3_200)]


# -- pieces in the air -------------------------------------------------------------------------------------------------


def test_two_pieces_in_the_air_are_no_captures_that_were_answered() -> None:
    """The pawn that is about to take en passant, and its victim."""
    watch = at_a_table("4k3/4n3/8/2pP4/8/8/8/4K3 w - c6 0 1")
    said = touch(watch, 1_000, "-d5 -c5") + watch.at(1_900)
    assert (made(said), codes(said)) == ([], [])
    said += watch.place(2_000, chess.C6) + watch.press(2_200, "white") + watch.still(2_300, 2_250)
    assert made(said) == [("d5c6", 2_200)]


def test_fallen_pieces_are_no_move_and_its_answer() -> None:
    """A knight and a pawn lie beside the board yet, the pawn between them stands again."""
    fen = "4k3/8/8/5p2/6p1/5P2/7N/4K3 w - - 0 1"
    for sensor in ("occupancy", "identified"):
        watch = at_a_table(fen, sensor)
        fallen = (chess.G4, chess.F3, chess.F5, chess.H2)
        said = [output for n, where in enumerate(fallen) for output in watch.lift(n, where)]
        said += watch.at(1_000) + watch.place(1_200, chess.G4, "p") + watch.place(1_500, chess.F3, "P")
        said += watch.at(2_500)
        assert codes(said) == ["disturbed"]
        said += watch.place(2_600, chess.H2, "N") + watch.place(2_900, chess.F5, "p") + watch.at(4_000)
        assert (made(said), codes(said)) == ([], ["disturbed", "board_restored"])


def test_three_pieces_down_are_an_accident_however_well_two_captures_explain_them() -> None:
    """The black queen lies beside the board: as if the knight had taken d4, and she had gone to where it stood."""
    watch = at_a_table("4k3/8/8/8/3p4/8/2NqQ3/6K1 w - - 0 1")
    said = [output for n, where in enumerate((chess.C2, chess.D2, chess.E2)) for output in watch.lift(n, where)]
    said += watch.at(600) + watch.place(1_000, chess.E2) + watch.place(1_100, chess.C2) + watch.at(2_500)
    assert (made(said), codes(said)) == ([], ["disturbed"])
    said += watch.place(2_600, chess.D2) + watch.at(4_000)
    assert (made(said), codes(said)) == ([], ["disturbed", "board_restored"])


def test_an_adjusted_piece_is_no_answer_to_a_capture_that_nobody_saw() -> None:
    watch = at_a_table("4k3/8/5q2/8/8/2P4P/8/4K3 b - - 0 1")
    said = touch(watch, 1_000, "-f6 +h4") + watch.lift(2_000, chess.H3) + watch.at(2_900)
    assert made(said) == []
    said += watch.place(3_000, chess.H3) + watch.press(3_300, "black") + watch.still(3_400, 3_350)
    assert made(said) == [("f6h4", 3_300)]


# -- squares that are wrong --------------------------------------------------------------------------------------------


def test_a_piece_that_is_not_seen_to_come_down_is_asked_for() -> None:
    watch = at_a_table(sensor="identified")
    said = watch.lift(1_000, chess.G1) + watch.press(1_500, "white")
    assert codes(said + watch.at(1_801)) == []  # the board has not said yet that this is all
    said = watch.still(1_850, 1_500) + watch.at(3_000)
    assert codes(said) == ["capture_ambiguous"]
    said = watch.answer(4_000, "capture", "f3")
    assert made(said) == [("g1f3", 1_500)]
    assert codes(said) == ["piece_missing"]
    said = touch(watch, 5_000, "-e7 +e5p") + watch.press(6_000, "black") + watch.still(6_100, 6_000)
    assert made(said) == [("e7e5", 6_000)]


def test_a_player_may_say_that_it_was_none_of_the_squares_that_he_was_asked_about() -> None:
    watch = at_a_table(TWO_VICTIMS)
    said = touch(watch, 1_000, "-d4") + watch.press(2_000, "white") + watch.at(3_000)
    said += watch.still(3_100, 2_500) + watch.answer(4_000, "capture", "…")
    assert {move.uci() for move in watch.asked} >= {"d4e4", "d4d3"}
    assert not {move.uci() for move in watch.asked} & {"d4a4", "d4d7"}
    assert made(watch.answer(5_000, "capture", "e4")) == [("d4e4", 2_000)]
    watch = at_a_table(sensor="identified")
    said = watch.lift(1_000, chess.G1) + watch.press(1_500, "white") + watch.still(1_850, 1_500) + watch.at(3_000)
    said += watch.answer(4_000, "capture", "…")  # he was asked about all that the knight can reach, by pages
    assert made(watch.answer(5_000, "capture", "h3")) == [("g1h3", 1_500)]


def test_a_square_that_was_wrong_before_the_first_move_does_not_stop_the_game() -> None:
    watch = at_a_table()
    watch.follow(0, None)
    watch.place(100, chess.E5)  # stuck
    said = watch.follow(1_000, chess.Board()) + touch(watch, 2_000, "-e2 +e4") + watch.press(3_000, "white")
    said += watch.still(3_100, 3_000) + watch.at(3_500)
    assert made(said) == [("e2e4", 3_000)]
    said = touch(watch, 4_000, "-g8 +f6") + watch.press(5_000, "black") + watch.still(5_100, 5_000) + watch.at(5_500)
    assert made(said) == [("g8f6", 5_000)]


def test_what_is_said_to_stand_there_all_the_time_has_not_come_there() -> None:
    """c3 is stuck: a knight in the hand has not gone there."""
    watch = at_a_table()
    watch.follow(0, None)
    watch.place(100, chess.C3)
    watch.follow(1_000, chess.Board())
    said = touch(watch, 2_000, "-e2 +e4") + watch.press(3_000, "white") + watch.still(3_100, 3_000) + watch.at(3_500)
    said += touch(watch, 4_000, "-e7 +e5") + watch.press(5_000, "black") + watch.still(5_100, 5_000) + watch.at(5_500)
    said += watch.lift(6_000, chess.B1) + watch.press(7_000, "white") + watch.still(7_100, 7_000) + watch.at(9_000)
    assert made(said) == [("e2e4", 3_000), ("e7e5", 5_000)]
    assert codes(said)[-1:] == ["capture_ambiguous"]


# -- pieces that pawns became ------------------------------------------------------------------------------------------


def test_all_that_follows_a_promotion_waits_for_the_piece_that_makes_sense_of_it() -> None:
    """With a queen on g8 Black would be in check; with a rook, a bishop or a knight he goes on."""
    table = Table("8/5kP1/8/8/3p4/8/P7/K7 w - - 0 1", "occupancy", **TABLE | {"confirms": False})
    table.tell("0 -g7 200 +g8 600 W 1000 -d4 1200 +d3 1600 B 2500 -a2 2700 +a3 3000 W 3500 -d3 3700 +d2 4100 B")
    assert [one.uci for one in table.made] == ["g7g8q"]
    table.tell("5000 promotion:n 6000 .")
    assert table.moves == "g8=N d3 a3 d2"
    assert [one.pressed_at for one in table.made if not one.replaces] == [600, 1_600, 3_000, 4_100]
    assert table.alerts[0] == "promotion_needed g8"
    assert "illegal_move" not in " ".join(table.alerts)


def test_what_a_pawn_became_may_be_said_while_it_is_asked_which_capture_was_made() -> None:
    table = Table("8/P4k2/8/8/p2Q4/8/3p4/K7 w - - 0 1", "occupancy", **TABLE | {"confirms": False})
    table.tell("0 -a7 200 +a8 600 W 1500 -f7 1700 +g6 2100 B 3000 -d4 3500 W 3900 .")
    assert table.alerts == ["promotion_needed a8", "capture_ambiguous a4 d2"]
    table.tell("4500 promotion:r 5000 capture:a4 6000 .")
    assert table.moves == "a8=R Kg6 Qxa4"
