"""The whole observer: hands, clocks, cables and accidents, told as stories."""

from __future__ import annotations

import chess
import pytest

from tests.rules.watching import Table

CASTLING = "r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 10"
ROOK = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
EXD5 = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
PASSANT = "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"
SEVENTH = "1n5k/P7/8/8/8/8/8/6K1 w - - 0 1"
E4E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"

#: Stories that end with one line of moves and no alert, on each sensor.
QUIET = [
    ("slide", chess.STARTING_FEN, "0 -e2 90 +e3P 210 -e3 260 +e4P 1200 W", "e4"),
    ("slide with a stop", ROOK, "0 -a1 60 +a3R 1100 -a3 1300 +a5R 3000 W", "Ra5"),
    ("victim first", EXD5, "0 -d5 400 -e4 700 +d5P 1300 W", "exd5"),
    ("capturer first", EXD5, "0 -e4 350 -d5 800 +d5P 1400 W", "exd5"),
    ("drag and capture", "8/4qk2/8/8/8/8/4R3/6K1 w - - 0 39",
     "0 -e2 120 +e3R 820 -e3 860 +e4R 930 -e4 1150 -e7 1500 +e7R 2200 W", "Rxe7+"),
    ("looked at the victim", EXD5, "0 -d5 900 +d5p 2000 -d2 2200 +d4P 2900 W", "d4"),
    ("castling king first", CASTLING, "0 -e1 300 +g1K 800 -h1 1100 +f1R 1700 W", "O-O"),
    ("castling rook first", CASTLING, "0 -h1 300 +f1R 1500 -e1 1800 +g1K 2400 W", "O-O"),
    ("castling in the air", CASTLING, "0 -e1 100 -a1 700 +c1K 900 +d1R 1700 W", "O-O-O"),
    ("castling slid over f1", CASTLING, "0 -e1 100 +f1K 450 -f1 500 +g1K 800 -h1 1050 +f1R 1700 W", "O-O"),
    ("rook moved alone", CASTLING, "0 -h1 300 +f1R 1700 W", "Rf1"),
    ("en passant victim first", PASSANT, "0 -f5 300 -e5 600 +f6P 1200 W", "exf6"),
    ("en passant victim last", PASSANT, "0 -e5 300 +f6P 1000 -f5 1600 W", "exf6"),
    ("bump", E4E5, "0 -g1 300 -a2 600 +a2P 900 +f3N 1500 W", "Nf3"),
    ("withdrawn", E4E5, "0 -g1 300 +f3N 2000 -f3 2300 +g1N 5000 -b1 5300 +c3N 6000 W", "Nc3"),
    ("both kings adjusted", E4E5, "0 -e1 200 -e8 1500 +e1K 1800 +e8k 6000 -g1 6300 +f3N 7000 W", "Nf3"),
    ("three plies in blitz", chess.STARTING_FEN,
     "0 -e2 60 +e4P 400 W 700 -c7 760 +c5p 800 B 830 -d2 890 +d4P 1300 W", "e4 c5 d4"),
    ("recapture in blitz", EXD5,
     "0 -e4 60 -d5 120 +d5P 200 W 240 -d8 280 -d5 320 +d5q 400 B 500 -b1 560 +c3N 600 W", "exd5 Qxd5 Nc3"),
    ("adjusted before capturing", EXD5, "0 -d5 300 +d5p 900 -e4 1200 -d5 1500 +d5P 2200 W", "exd5"),
]  # fmt: skip


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize(("name", "fen", "story", "moves"), QUIET, ids=[story[0] for story in QUIET])
def test_hands_make_moves_and_nobody_is_alarmed(sensor, name: str, fen: str, story: str, moves: str) -> None:
    table = Table(fen, sensor).tell(story + " 99000 .")
    assert table.moves == moves
    assert table.alerts == []


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_the_reply_is_there_before_the_press(sensor) -> None:
    story = "0 -g1 250 +f3N 500 -b8 700 +c6n 760 W 900 B 3000 ."
    table = Table(E4E5, sensor).tell(story)
    assert table.moves == "Nf3 Nc6"
    assert table.alerts == ["moved_before_press"]
    assert [(made.uci, made.made_at, made.pressed_at) for made in table.made] == [
        ("g1f3", 250, 760),
        ("b8c6", 700, 900),
    ]


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_the_press_comes_while_the_opponent_has_a_piece_in_his_hand(sensor) -> None:
    table = Table(E4E5, sensor).tell("0 -g1 250 +f3N 500 -b8 700 W 900 +c6n 1500 B")
    assert table.moves == "Nf3 Nc6"
    assert table.alerts == []


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_an_answer_makes_the_move_certain_without_any_press(sensor) -> None:
    table = Table(E4E5, sensor).tell("0 -g1 250 +f3N 2000 -b8 2200 +c6n 3000 .")
    assert table.moves == "Nf3"
    assert table.alerts == ["moved_before_press"]
    assert table.tell("4000 W 4500 B").moves == "Nf3 Nc6"  # the late press is no second move


# -- grace --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize(
    ("fen", "story", "moves"),
    [
        (chess.STARTING_FEN, "0 -e2 300 W 600 +e4P 2000 .", "e4"),  # the radio is late
        (PASSANT, "0 -e5 300 +f6P 600 W 1000 -f5 2000 .", "exf6"),  # the victim goes after the press
        (CASTLING, "0 -e1 200 +g1K 400 W 700 -h1 900 +f1R 3000 .", "O-O"),
        (CASTLING, "0 -h1 300 +f1R 500 W 650 -e1 800 +g1K 3000 .", "O-O"),  # the rook was seen first
        (ROOK, "0 -a1 100 +a3R 200 W 300 -a3 400 +a5R 3000 .", "Ra5"),
    ],
)
def test_the_board_may_complete_the_move_within_the_grace_time(sensor, fen: str, story: str, moves: str) -> None:
    table = Table(fen, sensor, press_grace_ms=600).tell(story)
    assert table.moves == moves
    assert table.alerts == []


def test_after_the_grace_time_the_press_is_judged() -> None:
    table = Table(press_grace_ms=600).tell("0 -e2 300 W 800 .")
    assert table.alerts == []
    assert table.tell("900 .").alerts == ["illegal_move e2"]


def test_an_answer_on_the_board_ends_the_grace_time() -> None:
    table = Table(E4E5, press_grace_ms=2_000).tell("0 -g1 100 +f3N 150 W 300 -b8 400 +c6n 450 B 5000 .")
    assert table.moves == "Nf3 Nc6"
    assert not any(alert.startswith("illegal") for alert in table.alerts)


def test_a_dump_after_the_press_shows_that_the_slide_went_on() -> None:
    dump = "4k3/8/8/R7/8/8/8/4K3"
    table = Table(ROOK, press_grace_ms=300).tell(f"0 -a1 60 +a3R 900 W 950 ={dump} 3000 .")
    assert (table.moves, table.alerts) == ("Ra5", [])
    assert [(made.uci, made.pressed_at, made.replaces) for made in table.made] == [
        ("a1a3", 900, False),
        ("a1a5", 900, True),
    ]
    late = Table(ROOK, press_grace_ms=300).tell(f"0 -a1 60 +a3R 900 W 1900 ={dump} 6000 .")
    assert late.moves == "Ra3"
    assert late.alerts == ["wrong_turn white"]


@pytest.mark.parametrize(
    ("fen", "story", "judged"),
    [
        (chess.STARTING_FEN, "0 -g1 200 +f3N 240 W 250 .", True),  # a knight stands where it stands
        (chess.STARTING_FEN, "0 -e2 200 +e4P 240 W 250 .", True),  # a pawn cannot go further
        (EXD5, "0 -d5 100 -e4 200 +d5P 240 W 250 .", True),  # a capture ends a slide
        (chess.STARTING_FEN, "0 -e2 200 +e3P 240 W 250 .", False),
        (ROOK, "0 -a1 200 +a3R 240 W 250 .", False),
        (CASTLING, "0 -e1 200 +f1K 240 W 250 .", False),  # perhaps on its way to g1
        (CASTLING, "0 -h1 200 +f1R 240 W 250 .", False),
    ],
)
def test_a_press_waits_only_for_a_move_that_could_go_on(fen: str, story: str, judged: bool) -> None:
    table = Table(fen, press_grace_ms=250).tell(story)
    assert bool(table.made) == judged
    assert len(table.tell("900 .").made) == 1
    assert table.made[0].pressed_at == 240


def test_a_lagging_board_shows_a_stop_when_the_piece_has_gone_on() -> None:
    story = "0 -a1 60 +a3R 900 W 1050 -a3 1080 +a5R 3000 ."
    table = Table(ROOK, press_grace_ms=250, final_press=True, lagging=True).tell(story)
    assert [(made.uci, made.pressed_at, made.replaces) for made in table.made] == [("a1a5", 900, False)]
    assert table.alerts == []


def test_a_completed_move_is_not_rewritten_where_the_press_is_final() -> None:
    table = Table(ROOK, press_grace_ms=300, final_press=True).tell("0 -a1 60 +a3R 900 W 950 -a3 1000 +a5R 6000 .")
    assert (table.moves, [made.replaces for made in table.made]) == ("Ra3", [False])
    assert table.alerts == ["wrong_turn white"]


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_a_move_says_which_pieces_were_touched(sensor) -> None:
    story = "0 -b1 200 +b1N 300 -d5 400 -e4 700 +d5P 1300 W 1400 -d8 1500 -d5 1700 +d5q 2400 B"
    table = Table(EXD5, sensor).tell(story)
    assert [made.touched for made in table.made] == [("b1", "d5", "e4"), ("d8", "d5")]


def test_squares_that_a_piece_slid_over_were_not_touched() -> None:
    table = Table(ROOK).tell("0 -a1 60 +a3R 400 -a3 450 +a5R 900 W")
    assert table.made[0].touched == ("a1",)


# -- without a clock ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_without_a_clock_a_slide_replaces_its_first_reading(sensor) -> None:
    table = Table(ROOK, sensor, commit="settle").tell("0 -a1 60 +a3R 1000 .")
    assert table.moves == "Ra3"
    table.tell("1100 -a3 1300 +a5R 3000 .")
    assert table.moves == "Ra5"
    assert [made.replaces for made in table.made] == [False, True]
    assert table.alerts == []


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_without_a_clock_a_castling_grows_out_of_its_rook(sensor) -> None:
    table = Table(CASTLING, sensor, commit="settle").tell("0 -h1 300 +f1R 1500 -e1 1800 +g1K 2500 .")
    assert table.moves == "O-O"


def test_without_a_clock_a_piece_that_goes_on_after_the_answer_has_moved_again() -> None:
    table = Table("r3k3/8/8/8/8/8/8/R3K3 w - - 0 1", commit="settle").tell("0 -a1 60 +a3R 1000 -e8 1100 +e7k 2000 .")
    assert table.moves == "Ra3 Ke7"
    assert table.tell("3000 -a3 3200 +a5R 7000 .").moves == "Ra3 Ke7 Ra5"


def test_without_a_clock_a_capture_on_top_counts_after_a_while() -> None:
    table = Table(EXD5, "occupancy", commit="settle").tell("0 -e4 2000 .")
    assert table.moves == ""  # perhaps the pawn is only in the hand
    assert table.tell("5000 .").moves == "exd5"


def test_without_a_clock_a_move_put_back_is_asked_about() -> None:
    table = Table(commit="settle").tell("0 -e2 100 +e4P 2000 -e4 2200 +e2P 6000 .")
    assert table.moves == "e4"
    assert table.alerts == ["takeback 1"]


# -- promotion ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", "QRBN")
def test_the_piece_is_read(piece: str) -> None:
    table = Table(SEVENTH).tell(f"0 -a7 300 +a8P 5000 -a8 5500 +a8{piece} 6000 W")
    assert table.moves.startswith(f"a8={piece}")
    assert table.alerts == []  # a pawn waiting on the last rank is no alarm


def test_a_capture_promotes_in_any_order() -> None:
    for story in ("0 -b8 200 -a7 500 +b8Q", "0 -a7 200 -b8 500 +b8Q", "0 +b8Q 300 -a7", "0 -b8 300 +b8Q 600 -a7"):
        assert Table(SEVENTH).tell(story + " 1000 W").moves == "axb8=Q+"


def test_a_piece_without_a_code_is_asked_for() -> None:
    table = Table(SEVENTH).tell("0 -a7 300 +a8? 900 W 2000 promotion:r")
    assert table.alerts == ["promotion_needed a8"]
    assert table.moves == "a8=R"


def test_an_occupancy_board_asks_and_shows_a_queen_until_then() -> None:
    table = Table(SEVENTH, "occupancy").tell("0 -b8 200 -a7 500 +b8 1000 W")
    assert table.alerts == ["promotion_needed b8"]
    assert table.moves == "axb8=Q+"
    table.tell("3000 promotion:b")
    assert table.moves == "axb8=B"
    assert table.made[-1].replaces


def test_the_next_moves_tell_which_piece_it_was() -> None:
    table = Table("7k/P7/8/8/8/8/8/6K1 w - - 0 1", "occupancy")
    table.tell("0 -a7 200 +a8 600 W 900 -h8 1200 +g7 1500 B 2000 -a8 2300 +b6 2600 W")
    assert table.moves == "a8=N Kg7 Nb6"


def test_a_pawn_left_on_the_last_rank() -> None:
    assert Table(SEVENTH).tell("0 -a7 300 +a8P 900 W 9000 .").alerts == ["promotion_pawn_left a8"]


# -- occupancy boards ---------------------------------------------------------------------------------------------

TWO_VICTIMS = "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1"


def test_two_captures_that_look_alike_are_asked_about() -> None:
    table = Table(TWO_VICTIMS, "occupancy").tell("0 -e4 1200 W 3000 .")
    assert table.alerts == ["capture_ambiguous d5 f5"]
    assert table.moves == ""
    assert table.tell("4000 capture:f5").moves == "exf5"
    assert table.made[0].pressed_at == 1200


def test_the_lift_of_the_victim_tells_which_capture() -> None:
    assert Table(TWO_VICTIMS, "occupancy").tell("0 -e4 200 -f5 500 +f5 900 W").moves == "exf5"


def test_a_piece_touched_after_the_capture_stood_changes_nothing() -> None:
    story = "0 -e4 200 -d5 500 +d5 2000 -f5 2300 +f5 3000 W"
    assert Table(TWO_VICTIMS, "occupancy").tell(story).moves == "exd5"


def test_a_piece_that_stood_and_was_taken_is_no_capture_on_top() -> None:
    """The knight goes to c3 and is taken there; for a moment only b5 is empty, as if it had taken on a3."""
    fen = "1rbq3r/p1ppn2p/1p2k2b/1n4p1/2P1ppP1/P2PP2N/1PQB1P1P/RN1K1B1R b - - 11 16"
    table = Table(fen, "occupancy").tell("0 -b5 300 +c3 2000 -c3 2300 -b1 2600 +c3 4000 .")
    assert table.moves == "Nc3+"
    assert table.tell("4500 W").moves == "Nc3+ Nxc3"
    pressed = Table(fen, "occupancy").tell("0 -b5 300 +c3 2000 -c3 2100 B")
    assert pressed.alerts == ["capture_ambiguous a3 c3"]


def test_a_promotion_that_was_answered_before_its_press_is_asked_for() -> None:
    table = Table("7k/P7/8/8/8/8/8/6K1 w - - 0 1", "occupancy").tell("0 -a7 200 +a8 900 -h8 1200 +g7 3000 .")
    assert table.alerts == ["moved_before_press", "promotion_needed a8"]


def test_a_dead_square_does_not_stop_the_game() -> None:
    table = Table(E4E5, "occupancy").tell("0 -a1 9000 -g1 9300 +f3 10000 W 11000 -b8 11300 +c6 12000 B 20000 .")
    assert table.moves == "Nf3 Nc6"
    assert table.alerts == ["piece_missing a1"]


def test_the_arbiter_marks_a_square_as_dead() -> None:
    table = Table(E4E5, "occupancy").tell("0 -a1 100 dead:a1 1000 -g1 1300 +f3 2000 W 9000 .")
    assert table.moves == "Nf3"
    assert table.alerts == []


def test_swapped_pieces_are_suspected_when_one_of_them_moves() -> None:
    table = Table(sensor="occupancy").tell("0 -f1 300 +g3 900 W 9000 .")
    assert table.alerts == ["illegal_move g3", "piece_swap_suspected f1 g1"]


CHESS960_SWAP = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_chess960_king_and_rook_change_places(sensor) -> None:
    table = Table(CHESS960_SWAP, sensor, chess960=True).tell("0 -f1 200 -g1 500 +g1K 800 +f1R 1500 W")
    assert table.moves == "O-O"
    assert table.made[0].uci == "f1g1"


def test_chess960_one_lift_is_no_castling_on_an_occupancy_board() -> None:
    table = Table(CHESS960_SWAP, "occupancy", chess960=True).tell("0 -f1 500 +f1 1500 W")
    assert table.moves == ""
    assert table.alerts == ["no_move_made"]


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize(
    ("fen", "story", "moves"),
    [
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "0 -h1 300 +f1R 900 W", "O-O"),  # the king stays
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "0 -e1 300 +g1K 900 W", "O-O"),  # the rook stays
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "0 -h1 300 +g1R 900 W", "Rg1"),
        ("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "0 -f1 100 -h1 300 +g1K 600 +f1R 900 W", "O-O"),
    ],
)
def test_chess960_castlings(sensor, fen: str, story: str, moves: str) -> None:
    assert Table(fen, sensor, chess960=True).tell(story).moves == moves


# -- orientation and start array ----------------------------------------------------------------------------------

ROTATED = "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr"
KNIGHT_BISHOP = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKNBR"


@pytest.mark.parametrize("told", [None, False])
def test_a_rotated_board_is_mapped(told: bool | None) -> None:
    table = Table(rotated=told).tell(f"0 ={ROTATED} 1000 -d7 1200 +d5P 1900 W 3000 -d2 3300 +d4p 4000 B")
    assert table.moves == "e4 e5"
    assert table.alerts == ["rotated True"]


def test_a_board_told_to_be_rotated_is_no_news() -> None:
    table = Table(rotated=True).tell(f"0 ={ROTATED} 1000 -d7 1200 +d5P 1900 W")
    assert (table.moves, table.alerts) == ("e4", [])


def test_an_occupancy_board_is_known_by_the_first_move() -> None:
    story = f"0 ={chess.STARTING_BOARD_FEN} 1000 -d7 1200 +d5 1900 W 3000 -d2 3300 +d4 4000 B"
    table = Table(sensor="occupancy", rotated=None).tell(story)
    assert (table.moves, table.alerts) == ("e4 e5", ["rotated True"])
    table = Table(sensor="occupancy", rotated=None).tell("0 -e2 200 +e4 900 W 2000 -e7 2300 +e5 3000 B")
    assert (table.moves, table.alerts) == ("e4 e5", [])


def test_a_wrong_start_array_is_told_and_then_right() -> None:
    table = Table().tell(f"0 ={KNIGHT_BISHOP} 4000 . 5000 -f1 5200 -g1 6000 +f1B 6500 +g1N 7000 .")
    assert table.alerts == ["start_wrong f1 g1", "start_ok"]
    assert table.tell("8000 -e2 8200 +e4P 9000 W").moves == "e4"


def test_a_missing_piece_at_the_start_on_an_occupancy_board() -> None:
    table = Table(sensor="occupancy").tell("0 =rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R 4000 . 5000 +g1 6000 .")
    assert table.alerts == ["start_wrong g1", "start_ok"]


def test_king_and_queen_exchanged_on_a_rotated_board() -> None:
    table = Table(rotated=None).tell("0 =RNBQKBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbqkbnr 9000 .")
    assert table.alerts == ["rotated True", "start_wrong d1 d8 e1 e8"]


def test_nothing_known_and_the_start_array_on_the_board() -> None:
    table = Table(None, rotated=None).tell(f"0 ={ROTATED} 1000 -d7 1200 +d5P 1900 W")
    assert (table.moves, table.alerts) == ("e4", ["rotated True"])


# -- taking back, wrong turn, illegal moves -----------------------------------------------------------------------


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_a_takeback_is_asked_about_and_granted(sensor) -> None:
    table = Table(sensor=sensor).tell("0 -e2 200 +e4P 700 W 3000 -e4 3300 +e2P 7000 .")
    assert (table.moves, table.alerts) == ("e4", ["takeback 1"])
    table.tell("8000 takeback:yes 9000 -d2 9300 +d4P 10000 W")
    assert table.moves == "d4"


def test_taking_back_everything_is_no_new_game() -> None:
    table = Table().tell("0 -e2 200 +e4P 700 W 1000 -e7 1200 +e5p 1500 B 4000 -e5 4200 +e7p 6000 -e4 6200 +e2P 9000 .")
    assert table.alerts == ["takeback 1", "takeback 2"]


def test_a_takeback_put_right_is_over() -> None:
    table = Table().tell("0 -e2 200 +e4P 700 W 3000 -e4 3300 +e2P 5000 -e2 5300 +e4P 6000 -e7 6200 +e5p 7000 B")
    assert (table.moves, table.alerts) == ("e4 e5", ["takeback 1"])


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_black_begins(sensor) -> None:
    assert Table(sensor=sensor).tell("0 -e7 300 +e5p 900 B 9000 .").alerts == ["wrong_turn black"]
    assert Table(sensor=sensor).tell("0 -e7 300 +e5p 3400 .").alerts == ["wrong_turn black"]  # without a press


def test_a_press_with_the_piece_in_the_hand() -> None:
    table = Table().tell("0 -g1 400 W 600 +f3N 1500 -b8 1800 +c6n 2500 B")
    assert table.alerts == ["illegal_move g1", "moved_before_press"]
    assert table.moves == "Nf3 Nc6"


def test_an_illegal_move_is_corrected_and_pressed() -> None:
    table = Table("6k1/5ppp/8/8/8/3R4/5PPP/4r1K1 w - - 0 30").tell("0 -d3 300 +e3R 900 W 9000 -e3 9300 +d3R 9600 .")
    assert table.alerts == ["illegal_move e3"]
    assert table.moves == ""


def test_a_press_on_the_unchanged_board() -> None:
    assert Table().tell("1000 W").alerts == ["no_move_made"]
    assert Table().tell("1000 B").alerts == []  # not his turn, nothing on the board: only a touch


def test_start_array_in_the_middle_of_a_game() -> None:
    fen = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
    assert Table(fen).tell(f"0 ={chess.STARTING_BOARD_FEN} 9000 .").alerts == ["start_position_seen"]


# -- accidents ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_pieces_knocked_over_and_put_back(sensor) -> None:
    story = "0 -g1 80 -g2 130 -h1 160 -h2 6000 +h1R 7000 +g1N 8200 +g2P 9000 +h2P 12000 -g1 12300 +f3N 13000 W"
    table = Table(E4E5, sensor).tell(story)
    assert table.alerts == ["disturbed g1 g2 h1 h2", "board_restored"]
    assert table.moves == "Nf3"


def test_put_back_wrongly() -> None:
    story = (
        "0 -g1 80 -g2 130 -h1 6000 +h1N 7000 +g1R 8200 +g2P 12000 . 12500 -h1 12600 -g1 13000 +h1R 13500 +g1N 14000 ."
    )
    assert Table(E4E5).tell(story).alerts == ["disturbed g1 g2 h1", "piece_swapped g1 h1", "board_restored"]


def test_a_blitz_with_many_lifts_is_no_accident() -> None:
    story = "0 -e4 50 -d5 90 +d5P 120 W 150 -d8 180 -d5 210 +d5q 250 B 280 -b1 320 +c3N 350 W 9000 ."
    table = Table(EXD5).tell(story)
    assert (table.moves, table.alerts) == ("exd5 Qxd5 Nc3", [])


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_a_weak_magnet_is_told_once(sensor) -> None:
    toggles = " ".join(f"{t} -e8 {t + 100} +e8k" for t in range(0, 3000, 300))
    table = Table(E4E5, sensor).tell(toggles + " 5000 -g1 5300 +f3N 6000 W")
    assert (table.moves, table.alerts) == ("Nf3", ["flicker e8"])


def test_a_parked_piece_is_named_and_moves_go_on() -> None:
    table = Table(E4E5).tell("0 +h4p 5000 -g1 5300 +f3N 6000 W 7000 -h4 8000 -b8 8300 +c6n 9000 B")
    assert (table.moves, table.alerts) == ("Nf3 Nc6", ["piece_extra h4"])


def test_a_missing_piece_is_named_later_than_a_wrong_position() -> None:
    table = Table(E4E5).tell("0 -g1 3500 .")
    assert table.alerts == []  # perhaps he thinks with the piece in his hand
    assert table.tell("4000 .").alerts == ["piece_missing g1"]


def test_the_rook_was_forgotten() -> None:
    assert Table(CASTLING).tell("0 -e1 300 +g1K 2000 .").alerts == []
    assert Table(CASTLING).tell("0 -e1 300 +g1K 4000 .").alerts == ["illegal_position h1"]


# -- kings in the centre ------------------------------------------------------------------------------------------

KINGS = "8/p7/3k4/8/8/4K3/P7/8 w - - 0 60"


@pytest.mark.parametrize(
    ("white", "black", "result"),
    [
        ("e4", "d5", "1-0"), ("d5", "e4", "1-0"), ("d4", "e5", "0-1"), ("e5", "d4", "0-1"),
        ("d4", "e4", "1/2-1/2"), ("d4", "d5", "1/2-1/2"), ("e4", "e5", "1/2-1/2"), ("e5", "d5", "1/2-1/2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_a_result_is_shown_with_the_kings(sensor, white: str, black: str, result: str) -> None:
    table = Table(E4E5.replace("4p3", "8").replace("4P3", "8"), sensor)
    table.tell(f"0 -e1 200 -e8 600 +{white}K 900 +{black}k 5000 .")
    assert table.alerts == [f"result_gesture {result}"]
    assert table.shown == []
    assert table.tell("6000 .").shown == [result]


def test_the_second_king_may_come_late() -> None:
    table = Table(E4E5.replace("4p3", "8").replace("4P3", "8")).tell("0 -e1 300 +e4K 8000 -e8 8500 +d5k 14000 .")
    assert (table.shown, table.alerts) == (["1-0"], ["result_gesture 1-0"])


def test_a_pressed_king_move_stays_and_the_gesture_counts() -> None:
    table = Table(KINGS).tell("0 -e3 300 +e4K 700 W 1500 -d6 1800 +d5k 9000 .")
    assert (table.moves, table.shown) == ("Ke4", ["1-0"])
    assert table.alerts == ["result_gesture 1-0"]


def test_kings_that_only_pass_show_nothing() -> None:
    table = Table(KINGS).tell("0 -e3 300 +e4K 700 -d6 1000 +d5k 2500 -d5 2700 +d6k 4000 W")
    assert (table.moves, table.shown, table.alerts) == ("Ke4", [], [])


def test_a_second_gesture_is_told_and_the_first_result_stands() -> None:
    story = (
        "0 -e1 200 -e8 600 +d4K 900 +e5k 8000 -d4 8300 -e5 9000 +e1K 9400 +e8k "
        "15000 -e1 15200 -e8 15800 +e4K 16200 +d5k 23000 ."
    )
    table = Table().tell(story)
    assert table.alerts == ["result_gesture 0-1", "start_position_seen", "result_gesture 1-0"]
    assert table.watch.result == "0-1"


def test_the_game_goes_on_when_the_result_is_denied() -> None:
    story = "0 -e3 300 +e4K 700 -d6 1000 +d5k 7000 . 8000 -d5 8200 +d6k 8500 result:no 9000 W"
    assert Table(KINGS).tell(story).moves == "Ke4"


# -- a lost link --------------------------------------------------------------------------------------------------

START = chess.STARTING_BOARD_FEN
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
AFTER_E4_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"
AFTER_E4_E5_NF3 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize(
    ("meanwhile", "dump", "moves", "alert"),
    [
        ("", START, "", "resync_ok 0"),
        ("900 W", AFTER_E4, "e4", "resync_ok 1"),
        ("", AFTER_E4, "", "resync_ok 1"),  # not pressed yet: a candidate
        ("900 W 1500 B", AFTER_E4_E5, "e4 e5", "resync_ok 2"),
        ("900 W", AFTER_E4_E5, "e4", "resync_ok 2"),
        ("900 W 950 W 1500 B", AFTER_E4_E5, "e4 e5", "resync_ok 2"),  # the plunger was pushed twice
        ("900 W 1500 B 2000 W", AFTER_E4_E5_NF3, "", "resync_ambiguous 3"),  # e4 or Nf3 first
        ("900 W 1500 B", START, "", "resync_ambiguous 2"),  # pressed, but nothing on the board
        ("900 W", "8/8/8/8/8/8/8/8", "", "resync_ambiguous 1"),
    ],
)
def test_moves_while_the_link_is_down(sensor, meanwhile: str, dump: str, moves: str, alert: str) -> None:
    table = Table(sensor=sensor).tell(f"0 down {meanwhile} 4000 up 4100 ={dump} 6000 .")
    assert table.moves == moves
    assert table.alerts == ["link_down", "link_up", alert]


def test_an_unpressed_move_found_after_the_link_is_pressed_later() -> None:
    table = Table().tell(f"0 down 4000 up 4100 ={AFTER_E4} 6000 W")
    assert table.moves == "e4"


def test_people_say_what_was_played() -> None:
    table = Table().tell(f"0 down 900 W 1500 B 2000 W 4000 up 4100 ={AFTER_E4_E5_NF3} 6000 .")
    table.outputs += table.watch.answer(7000, "resync", ["e4", "e7e5", "Nf3"])
    assert table.moves == "e4 e5 Nf3"


def test_the_lines_that_may_have_been_played_are_offered_and_play_goes_on_meanwhile() -> None:
    table = Table().tell(f"0 down 900 W 1500 B 2000 W 4000 up 4100 ={AFTER_E4_E5_NF3} 6000 .")
    assert set(table.watch.missed_lines[:2]) == {"e4 e5 Nf3", "Nf3 e5 e4"}
    assert set(table.watch.missed_lines[2:]) == {"e4 e6 Nf3 e5", "Nf3 e6 e4 e5"}, (
        "or one more, which is not pressed yet"
    )
    table.tell("7000 -b8 7300 +c6n 7600 B 9000 -f1 9300 +b5B 9600 W 11000 .")
    assert table.moves == ""
    table.outputs += table.watch.answer(12_000, "resync", "Nf3 e5 e4")
    assert table.moves == "Nf3 e5 e4 Nc6 Bb5"
    assert [made.pressed_at for made in table.made] == [900, 1_500, 2_000, 7_600, 9_600]
    assert table.watch.missed_lines == ()


def test_a_piece_in_the_hand_after_the_link_was_lost_hides_nothing_once_it_is_down() -> None:
    in_hand = AFTER_E4_E5.replace("4P3/8/PPPP1PPP/RNBQKBNR", "4P3/8/PPPP1PPP/RNBQKB1R")
    table = Table().tell(f"0 down 900 W 1500 B 2000 W 4000 up 4100 ={in_hand} 9000 .")
    assert (table.alerts[-1], table.watch.missed_lines) == ("resync_ambiguous 3", ())
    table.tell("10000 +f3N 12000 .")
    assert set(table.watch.missed_lines[:2]) == {"e4 e5 Nf3", "Nf3 e5 e4"}


def test_more_lines_than_people_can_choose_from_are_not_offered() -> None:
    after = "r1bqkb1r/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/R1BQKB1R"
    table = Table("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")
    table.tell(f"0 down 900 W 1500 B 2000 W 2500 B 4000 up 4100 ={after} 6000 .")
    assert len(table.watch.missed_lines) == 4
    jumps = "r1bqkb1r/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/1RBQKBR1"
    table = Table().tell(f"0 down 900 W 1500 B 2000 W 2500 B 4000 up 4100 ={jumps} 9000 .")
    assert (table.watch.missed_lines, table.moves) == ((), "")


def test_a_candidate_pressed_while_the_link_is_down() -> None:
    table = Table().tell(f"0 -e2 200 +e4P 400 down 900 W 4000 up 4100 ={AFTER_E4} 6000 .")
    assert (table.moves, table.alerts) == ("e4", ["link_down", "link_up", "resync_ok 1"])
    assert [made.pressed_at for made in table.made] == [900]


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_nothing_counts_after_a_lost_link_before_it_is_known_what_was_played(sensor) -> None:
    """Three times the clock was pressed: a board that looks like one move only is no reason to take that move."""
    table = Table(sensor=sensor).tell(f"0 down 900 W 1500 B 2000 W 4000 up 4100 ={AFTER_E4_E5_NF3} 6000 .")
    table.tell("7000 -f3 7200 +g1N 7500 -e5 7700 +e7p 9000 . 12000 .")
    assert table.moves == ""
    table.tell("13000 -e4 13200 +e2P 15000 . 16000 -d2 16200 +d4P 17000 W 18000 .")
    assert table.moves == "d4", "everything was put back: what is played from there counts"
    assert table.alerts == ["link_down", "link_up", "resync_ambiguous 3"]


def test_a_piece_that_only_left_its_square_while_the_link_was_lost_is_asked_about() -> None:
    """It may be in a hand, so time is given; it has been pressed, so at last somebody must say what it took."""
    table = Table("4k3/8/7p/3p4/8/8/3Q4/4K3 w - - 0 1", "occupancy")
    table.tell("0 down 900 W 4000 up 4100 =4k3/8/7p/3p4/8/8/8/4K3 5000 .")
    assert table.alerts == ["link_down", "link_up"]
    assert table.tell("12000 .").alerts == ["link_down", "link_up", "resync_ambiguous 1"]
    assert table.moves == ""


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
def test_three_moves_are_taken_where_the_pieces_are_seen_and_asked_about_where_only_squares_are(sensor) -> None:
    after = "rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR"  # e4 e5 Bc4; or e4 e6 Bc4, and e5 to be pressed
    table = Table(sensor=sensor).tell(f"0 down 900 W 1500 B 2000 W 4000 up 4100 ={after} 12000 .")
    assert table.moves == ("e4 e5 Bc4" if sensor == "identified" else "")


def test_the_move_that_was_pressed_before_the_link_was_lost_is_not_forgotten() -> None:
    story = "0 -e2 200 +e3P 250 W 280 down 1500 B 4000 up"
    table = Table(press_grace_ms=600).tell(f"{story} 4100 ={AFTER_E4_E5} 6000 . 9000 .")
    assert (table.moves, table.alerts) == ("", ["link_down", "link_up", "resync_ambiguous 2"])
    table.outputs += table.watch.answer(10_000, "resync", ["e4", "e5"])
    assert table.moves == "e4 e5"
    as_pressed = Table(press_grace_ms=600).tell(f"{story} 4100 ={AFTER_E4_E5.replace('4P3/8', '8/4P3')} 6000 .")
    assert as_pressed.moves == "e3 e5"


# -- endings ------------------------------------------------------------------------------------------------------


def test_mate_needs_no_press() -> None:
    table = Table("7k/8/6K1/8/8/8/8/R7 w - - 0 1").tell("0 -a1 200 +a8R 600 .")
    assert (table.moves, table.watch.result) == ("Ra8#", "1-0")


def test_a_queen_that_would_mate_is_not_guessed_while_the_piece_is_asked_for() -> None:
    fen = "5k2/3P4/5K2/8/8/8/8/7n w - - 0 1"
    table = Table(fen, "occupancy").tell("0 -d7 200 +d8 600 W 900 .")
    assert (table.moves, table.watch.result) == ("d8=B", None)
    assert table.tell("2000 promotion:n 3000 -h1 3200 +g3 4000 B").moves == "d8=N Ng3"
    assert Table(fen, "occupancy").tell("0 -d7 200 +d8 600 W 2000 promotion:q").watch.result == "1-0"


def test_a_mate_that_settles_before_its_press_is_judged_has_that_press() -> None:
    story = "0 -a1 200 +a8R 300 W 2000 . 3000 W"
    table = Table("7k/8/6K1/8/8/8/8/R7 w - - 0 1", press_grace_ms=600).tell(story)
    assert [(made.uci, made.pressed_at) for made in table.made] == [("a1a8", 300)]
    assert table.alerts == []


def test_another_record_is_followed() -> None:
    table = Table().tell("0 -e2 200 +e4P")
    record = chess.Board()
    record.push_san("e4")
    table.watch.follow(500, record)
    assert table.tell("600 . 900 -e7 1200 +e5p 1500 B").moves == "e4 e5"


def test_pieces_in_the_air_are_no_exchange_on_the_square_of_the_last_move() -> None:
    """The pawn was lifted and put on h4 within one ms; then g3 and g4 are in the hand of a slow player."""
    fen = "4r1k1/1p4pp/2pBp3/r4p2/5Pq1/6P1/P1n4P/3R1RK1 w - - 0 22"
    table = Table(fen, settle_ms=300).tell("1000 -h2 +h4P 1500 W 2000 -g3 -g4 3900 +g3q 4200 B")
    assert table.moves == "h4 Qxg3+"
    assert table.alerts == []
