"""A second queen without a chip of the set: to a board that reads pieces her square stays empty.

Real drivers and simulated boards in virtual time. The table cannot see what a pawn became, nor where; it asks, says
which piece it misses, and play goes on around her.
"""

from __future__ import annotations

import chess
import pytest

from drivers.interfaces import PressReport
from rules.laws import events
from rules.laws.sides import Side
from tests.drivers.campaign.boards import KINDS
from tests.drivers.campaign.table import Table
from tests.drivers.campaign.venue import Fault, Venue

FEN = "1n6/P6k/8/8/8/8/6pp/K7 w - - 0 1"


class Scene:
    """A table at which hands do what the test says, one thing after the other."""

    def __init__(self, kind: str, fen: str) -> None:
        self.venue = Venue()
        self.table, self._at = Table(self.venue, kind, fen), self.venue.now + 6_000
        self.table.board = self.board = KINDS[kind](self.venue, chess.Board(fen), Fault(), "a queen without a code")
        self.venue.at(self.venue.now + 4_000, self.table.begin)
        self.asked: list[events.Question] = []

    def touch(self, square: str, letter: str) -> None:
        """A piece is taken off ("."), or one that the board knows is put on."""
        self._next(300, lambda: self.board.change(chess.parse_square(square), letter))

    def press(self, side: Side) -> None:
        self._next(400, lambda: self.table.report(PressReport(self.venue.now, side)))

    def answer(self, value: str) -> None:
        """Whoever is asked says so, some seconds later."""
        self._next(2_500, lambda: self._answer(value))

    def look_for(self, value: str, pages: int) -> None:
        """Whoever is asked turns so many pages at most, until his answer is offered."""
        for _page in range(pages):
            self._next(800, lambda: self._turn_page(value))

    def _turn_page(self, value: str) -> None:
        for question in self.table.state.questions:
            self.table.answer(question, value if value in question.options else "…")

    def _answer(self, value: str) -> None:
        (question,) = self.table.state.questions
        self.asked.append(question)
        self.table.answer(question, value)

    def _next(self, after: int, do: object) -> None:
        self._at += after
        self.venue.at(self._at, do)  # type: ignore[arg-type]

    def play(self) -> Table:
        """All of it, and some seconds more."""
        self._next(4_000, lambda: setattr(self.venue, "over", True))
        self.board.run(self.table.report)
        return self.table


@pytest.mark.parametrize("kind", ["dgt", "dgt-bluetooth", "chesslink", "chessnut"])
def test_the_pawn_is_gone_and_its_player_says_where_and_what_it_is(kind: str) -> None:
    scene = Scene(kind, FEN)
    scene.touch("a7", ".")
    scene.press("white")
    scene.answer("a8")
    scene.answer("q")
    scene.touch("h7", ".")
    scene.touch("h6", "k")
    scene.press("black")
    scene.touch("a1", ".")
    scene.touch("b2", "K")
    scene.press("white")
    table = scene.play()
    assert table.moves == ["a7a8q", "h7h6", "a1b2"]
    assert [(asked.side, asked.about) for asked in scene.asked] == [("white", "capture"), ("white", "promotion")]
    assert "a8" in scene.asked[0].options
    assert scene.asked[1].options == ("q", "r", "b", "n")
    assert (table.state.phase, table.state.running) == ("playing", "black"), "nobody is charged with anything"
    assert [e.why for e in table.recorded if isinstance(e, events.Board) and e.state == "unexplained"] == [
        "a8: white queen missing"
    ]


@pytest.mark.parametrize("kind", ["dgt", "chessnut"])
def test_she_is_taken_and_everything_is_as_the_board_sees_it_again(kind: str) -> None:
    scene = Scene(kind, "8/Pk6/8/8/8/8/6pp/K7 w - - 0 1")
    scene.touch("a7", ".")
    scene.press("white")
    scene.answer("a8")
    scene.answer("q")
    scene.touch("b7", ".")
    scene.touch("a8", "k")
    scene.press("black")
    table = scene.play()
    assert table.moves == ["a7a8q", "b7a8"]
    assert table.at_board.problem == ""
    told = [event for event in table.recorded if isinstance(event, events.Board)]
    assert [event.state for event in told] == ["unexplained", "ok"]
    assert told[-1].placement == "k7/8/8/8/8/8/6pp/K7"


@pytest.mark.parametrize("kind", ["dgt", "chesslink", "chessnut"])
def test_she_moves_and_her_player_says_where_to(kind: str) -> None:
    scene = Scene(kind, FEN)
    scene.touch("a7", ".")
    scene.press("white")
    scene.answer("a8")
    scene.answer("q")
    scene.touch("h7", ".")
    scene.touch("h6", "k")
    scene.press("black")
    scene.press("white")  # the board has seen nothing: she went from a8 to e4
    scene.look_for("e4", pages=5)
    scene.touch("h6", ".")
    scene.touch("h5", "k")
    scene.press("black")
    table = scene.play()
    assert table.moves == ["a7a8q", "h7h6", "a8e4", "h6h5"]
    assert (table.state.phase, table.state.running) == ("playing", "white"), "nobody is charged with anything"
