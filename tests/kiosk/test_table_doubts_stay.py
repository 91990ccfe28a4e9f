"""Open questions about an earlier move outlive the game's end and the program, and give way to what cannot wait."""

from __future__ import annotations

from pathlib import Path

import chess

from rules.laws.events import OTHER_MOVES, OTHERS, Answer
from tests.kiosk.test_table_doubts import Reeds, connect, moves_unseen


def blind(tmp_path: Path) -> Reeds:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    assert hall.asked.about == "move"
    return hall


def test_who_resigns_can_still_be_told_which_move_it_was(tmp_path: Path) -> None:
    hall = blind(tmp_path)
    hall.move("d5d4")
    asked = hall.asked
    assert hall.face("resign", side="black")
    hall.wait()
    assert hall.state.phase == "ended"
    assert hall.events(Answer) == [], "nobody has said anything"
    assert hall.asked == asked


def test_the_answer_after_the_end_puts_the_record_right(tmp_path: Path) -> None:
    hall = blind(tmp_path)
    assert hall.face("resign", side="black")
    hall.wait()
    while "c3e4" not in hall.asked.options:
        assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    assert hall.face("answer", side="white", id=hall.asked.id, value="c3e4")
    assert (hall.moves, hall.state.questions, hall.state.score) == (["c3e4"], (), "1-0")


def test_a_restart_answers_nothing_in_a_players_name(tmp_path: Path) -> None:
    hall = blind(tmp_path)
    asked = hall.asked
    hall.restart()
    hall.see()
    hall.wait(10_000)
    assert hall.events(Answer) == []
    assert hall.asked == asked
    hall.face("answer", side="white", id=asked.id, value="c3d5")
    assert (hall.moves, hall.state.questions) == (["c3d5"], ())


def test_the_second_page_goes_too_when_the_board_shows_which_move_it_was(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    pieces = hall.real.copy()
    pieces.remove_piece_at(chess.C3)
    hall.see(pieces)
    hall.real.push_uci("c3d5")
    hall.press("white")
    hall.told_all()
    assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    assert "c3d5" not in hall.asked.options
    hall.move("h7h6")
    hall.move("d5f6")
    assert (hall.moves, hall.state.questions) == (["c3d5", "h7h6", "d5f6"], ())


def test_a_press_without_a_move_does_not_turn_the_shown_clock_though_an_earlier_move_is_asked_for(
    tmp_path: Path,
) -> None:
    hall = blind(tmp_path)
    hall.press("black")
    assert hall.picture.state.running == "black"


def test_what_an_arbiter_sets_up_before_the_first_move_of_the_record_is_followed(tmp_path: Path) -> None:
    """After moves that nobody can name he writes down what stands there: play goes on from it."""
    hall = moves_unseen(tmp_path)
    connect(hall)
    (asked,) = hall.state.questions
    assert hall.face("answer", side="white", id=asked.id, value=OTHER_MOVES)
    hall.order("pause")
    hall.order("correct", {"fen": hall.real.fen(), "white_ms": 5_000_000, "black_ms": 4_000_000})
    hall.order("resume")
    hall.wait()
    assert (hall.state.phase, hall.state.running, hall.picture.problem) == ("playing", "black", "")
    hall.move("b8c6")
    assert (hall.moves, hall.state.running, hall.state.ahead) == (["b8c6"], "white", 0)
