"""A table whose board has lost a square: the player is asked which move it was, on his screen, and play goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import chess

from drivers.interfaces import LinkReport, StillReport
from rules.laws.events import OTHER_MOVES, OTHERS, Call, Question, Side
from tests.kiosk.test_table_boards import OCCUPANCY, PIECES, Hall

#: The knight on c3 can take on d5 only.
ONE_CAPTURE = "4k3/7p/8/3p4/8/2N5/7P/4K3 w - - 0 1"


class _Confirms:
    """A board that can be asked whether it has told everything."""

    def confirm(self, since_ms: int) -> None:
        """It will say so."""


class Reeds(Hall):
    """Reeds that no longer see e4."""

    def __init__(self, tmp_path: Path, fen: str = ONE_CAPTURE) -> None:
        super().__init__(tmp_path, replace(OCCUPANCY, lagging=True, confirms=_Confirms()), fen)

    def see(self, board: chess.BaseBoard | None = None) -> None:
        seen = (board or self.real).copy()
        seen.remove_piece_at(chess.E4)
        super().see(seen)

    def move(self, uci: str) -> None:
        """A move and its press; then the board has told everything, and again."""
        side = "white" if self.real.turn else "black"
        self.hands(uci)
        self.press(side)  # type: ignore[arg-type]
        self.told_all()

    def told_all(self) -> None:
        """The board says, twice, that it has told everything."""
        for _look in range(2):
            self.timeline.pass_by(0.02)
            self.report(StillReport(self.timeline.stamp(), self.timeline.stamp()))

    @property
    def asked(self) -> Question:
        """The open question."""
        (asked,) = self.state.questions
        return asked


def moves_unseen(tmp_path: Path) -> Hall:
    """The cable was pulled; then e4, e5 and Nf3 were made and pressed."""
    hall = Hall(tmp_path, PIECES)
    hall.report(LinkReport(hall.timeline.stamp(), "board", False, "pulled"))
    for uci in ("e2e4", "e7e5", "g1f3"):
        side: Side = "white" if hall.real.turn else "black"
        hall.real.push_uci(uci)
        hall.press(side)
        hall.wait(500)
    return hall


def connect(hall: Hall) -> None:
    """The board is there again, and says what stands on it."""
    hall.report(LinkReport(hall.timeline.stamp(), "board", True))
    hall.see()
    hall.wait(4_000)


def test_a_capture_of_which_only_the_lifted_piece_was_seen_counts_and_its_player_may_say_that_it_was_none(
    tmp_path: Path,
) -> None:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    assert (hall.moves, hall.state.running) == (["c3d5"], "black")
    assert (hall.asked.side, hall.asked.about, hall.asked.options) == ("white", "move", ("c3d5", OTHERS))
    assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    pages = [hall.asked.options]
    while "c3e4" not in pages[-1]:
        assert hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
        pages.append(hall.asked.options)
    assert hall.face("answer", side="white", id=hall.asked.id, value="c3e4")
    assert (hall.moves, hall.state.questions, hall.state.running) == (["c3e4"], (), "black")
    hall.move("d5d4")
    hall.move("e4c5")
    assert hall.moves == ["c3e4", "d5d4", "e4c5"]
    assert hall.picture.problem == ""


def test_nobody_answers_until_the_opponents_press_makes_no_sense(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    first = hall.asked
    hall.move("d5d4")
    assert hall.asked == first, "it is the same question"
    assert (hall.moves, hall.state.calls) == (["c3d5"], ())
    hall.face("answer", side="white", id=first.id, value=OTHERS)
    while "c3e4" not in hall.asked.options:
        hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    hall.face("answer", side="white", id=hall.asked.id, value="c3e4")
    assert (hall.moves, hall.state.running) == (["c3e4", "d5d4"], "white")


def test_a_move_that_is_none_of_those_offered_is_a_matter_for_the_arbiter(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    hall.move("c3e4")
    while hall.state.questions:
        hall.face("answer", side="white", id=hall.asked.id, value=OTHERS)
    (call,) = hall.events(Call)
    assert isinstance(call, Call)
    assert (call.side, call.why) == (
        "white",
        "move 1 is recorded as Nxd5, but its player says that it was another one",
    )
    assert hall.moves == ["c3d5"]


def test_the_piece_moves_on_from_where_it_was_recorded_and_the_question_is_gone(tmp_path: Path) -> None:
    hall = Reeds(tmp_path)
    pieces = hall.real.copy()
    pieces.remove_piece_at(chess.C3)
    hall.see(pieces)  # the knight stands on what it took
    hall.real.push_uci("c3d5")
    hall.press("white")
    hall.told_all()
    assert hall.asked.about == "move"
    hall.move("h7h6")
    assert hall.asked.about == "move", "a move elsewhere says nothing about it"
    hall.move("d5f6")
    assert (hall.moves, hall.state.questions) == (["c3d5", "h7h6", "d5f6"], ())


def test_what_was_played_while_the_board_was_not_connected_is_chosen_by_a_player(tmp_path: Path) -> None:
    hall = moves_unseen(tmp_path)
    connect(hall)
    (asked,) = hall.state.questions
    assert (asked.side, asked.about, set(asked.options[:2])) == ("white", "missed", {"e4 e5 Nf3", "Nf3 e5 e4"})
    assert asked.options[-1] == OTHER_MOVES
    assert (hall.moves, hall.state.running) == ([], "black"), "the presses have driven the clock"
    hall.move("b8c6")
    assert hall.state.running == "white", "and drive it on"
    assert hall.face("answer", side="white", id=asked.id, value="e4 e5 Nf3")
    assert (hall.moves, hall.state.running) == (["e2e4", "e7e5", "g1f3", "b8c6"], "white")
    hall.move("f1b5")
    assert (hall.moves[-1], hall.state.ahead, hall.picture.problem) == ("f1b5", 0, "")


def test_other_moves_than_those_that_are_offered_call_the_arbiter(tmp_path: Path) -> None:
    hall = moves_unseen(tmp_path)
    connect(hall)
    (asked,) = hall.state.questions
    assert hall.face("answer", side="white", id=asked.id, value=OTHER_MOVES)
    (call,) = hall.events(Call)
    assert isinstance(call, Call)
    assert call.why == "what was played while the board was not connected is none of what the table offers: set it up"
    assert hall.state.questions == ()


def test_a_table_that_is_killed_while_it_asks_what_was_missed_asks_again(tmp_path: Path) -> None:
    hall = moves_unseen(tmp_path)
    connect(hall)
    hall.restart()
    hall.see()
    hall.wait(8_000)
    (asked,) = hall.state.questions
    assert (asked.about, "e4 e5 Nf3" in asked.options) == ("missed", True)
    assert hall.face("answer", side="white", id=asked.id, value="e4 e5 Nf3")
    hall.move("b8c6")
    assert (hall.moves, hall.state.running, hall.state.ahead) == (["e2e4", "e7e5", "g1f3", "b8c6"], "white", 0)
