"""A table asks its players while the clocks stand, too: a cable is mended in a pause, an answer leads to the next."""

from __future__ import annotations

from pathlib import Path

import chess

from drivers.interfaces import KeyReport
from hallnet.views import LinkView
from kiosk.table.picture import table_view
from rules.laws.events import OTHERS
from tests.kiosk.test_table_doubts import Reeds, connect, moves_unseen


def test_the_board_is_connected_again_in_a_pause_and_a_player_says_what_was_played(tmp_path: Path) -> None:
    hall = moves_unseen(tmp_path)
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert hall.state.phase == "paused"
    connect(hall)
    (asked,) = hall.state.questions
    assert asked.about == "missed"
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert hall.face("answer", side="white", id=asked.id, value="e4 e5 Nf3")
    assert (hall.moves, hall.state.running, hall.state.questions) == (["e2e4", "e7e5", "g1f3"], "black", ())
    hall.move("b8c6")
    assert hall.moves[-1] == "b8c6"


def test_moves_that_were_missed_are_made_when_play_goes_on_and_not_in_a_pause(tmp_path: Path) -> None:
    hall = moves_unseen(tmp_path)
    connect(hall)
    (asked,) = hall.state.questions
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert not hall.face("answer", side="white", id=asked.id, value="e4 e5 Nf3")
    assert hall.state.questions == (asked,)
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert hall.face("answer", side="white", id=asked.id, value="e4 e5 Nf3")
    hall.move("b8c6")
    assert hall.moves == ["e2e4", "e7e5", "g1f3", "b8c6"]


def test_in_a_pause_elsewhere_leads_to_the_next_page_of_moves(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert hall.state.phase == "paused"
    while "c3e4" not in hall.asked.options:
        assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    assert hall.face("answer", side="white", id=hall.asked.id, value="c3e4")
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    hall.move("d5d4")
    assert hall.moves == ["c3e4", "d5d4"]


def test_in_a_pause_elsewhere_leads_to_the_next_page_of_squares(tmp_path: Path) -> None:
    hall = Reeds(tmp_path, "4k3/7p/8/1n1p4/8/2N5/7P/4K3 w - - 0 1")
    pieces = hall.real.copy()
    pieces.remove_piece_at(chess.C3)
    hall.see(pieces)
    hall.press("white")
    hall.told_all()
    assert hall.asked.about == "capture"
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    first = hall.asked
    assert OTHERS in first.options
    assert hall.face("answer", side="white", id=first.id, value=OTHERS)
    assert (hall.asked.about, hall.asked.id != first.id) == ("capture", True)
    while "e4" not in hall.asked.options:
        assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    assert not hall.face("answer", side="white", id=hall.asked.id, value="e4")
    hall.report(KeyReport(hall.timeline.stamp(), long=True))
    assert hall.face("answer", side="white", id=hall.asked.id, value="e4")
    assert (hall.moves, hall.state.running) == (["c3e4"], "black")


def test_a_draw_offer_is_seen_although_its_player_has_not_said_which_move_an_earlier_one_was(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    assert hall.asked.about == "move"
    hall.move("h7h6")
    assert hall.face("offer", side="white")
    assert {asked.about for asked in hall.state.questions} == {"move", "draw"}
    view = table_view(
        hall.picture, table="1", revision=1, timeline=hall.timeline, link=LinkView(state="ok"), board_kind="reed-spi",
        clock_kind="buttons", simulated=False, taken=(),
    )  # fmt: skip
    assert view.question is not None
    assert (view.question.about, view.question.side) == ("draw", "black")
    assert hall.face("answer", side="black", id=view.question.id, value="yes")
    assert hall.state.score == "1/2-1/2"
