"""What a board asks, what the kings propose, the arbiter's key: decided by the Laws, folded like everything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.laws import game as laws
from rules.laws.events import Assigned, Assignment, Board, GameEvent, Player, Start
from rules.laws.game import GameState, replay
from rules.laws.game_intents import Intent


class Table:
    """A game and its log; `do` decides and keeps the events."""

    def __init__(self, fen: str = "", edition: str = "") -> None:
        players = Player(1, "A"), Player(2, "B")
        assignment = Assignment("e", 1, 1, "r1b1", 1, *players, "90+30", start_fen=fen, edition=edition)
        self.log: list[GameEvent] = [Assigned(0, 1, 1, assignment), Start(1_000)]
        self.state = replay(self.log)
        self.t = 1_000

    def do(self, intent: Intent, after_ms: int = 2_000) -> str:
        """ "", or why it was refused."""
        self.t += after_ms
        answer = laws.decide(self.state, intent, self.t)
        if isinstance(answer, laws.Refusal):
            return answer.code
        self.log += answer
        self.state = replay(answer, self.state)
        return ""

    def move(self, uci: str) -> str:
        """A move and its press."""
        return self.do(laws.PressClock(self.state.turn, uci, self.t + 1_000))

    def answer(self, value: str) -> str:
        """The open question is answered."""
        asked = self.state.questions[0]
        return self.do(laws.AnswerQuestion(asked.side, asked.id, value))

    @property
    def moves(self) -> list[str]:
        """The record."""
        return [ply.uci for ply in self.state.plies]


PROMOTING = "8/P6k/8/8/8/8/6P1/K7 w - - 0 1"
PIECES = ("q", "r", "b", "n")


@given(st.sampled_from(PIECES), st.integers(0, 3))
def test_an_answered_promotion_is_as_if_it_had_been_played_so(piece: str, later: int) -> None:
    asked, played = Table(PROMOTING), Table(PROMOTING)
    asked.move("a7a8q")
    played.move(f"a7a8{piece}")
    assert asked.do(laws.AskPlayer("white", "promotion", PIECES)) == ""
    for uci in ("h7h6", "g2g4", "h6g6")[:later]:
        assert asked.move(uci) == played.move(uci) == ""
    assert asked.answer(piece) == ""
    assert asked.moves == played.moves
    assert [ply.san for ply in asked.state.plies] == [ply.san for ply in played.state.plies]
    assert [ply.position for ply in asked.state.plies] == [ply.position for ply in played.state.plies]
    assert (asked.state.fen, asked.state.keys) == (played.state.fen, played.state.keys)
    assert asked.state.questions == ()
    assert replay(asked.log) == asked.state


def test_a_piece_that_could_not_have_moved_so_since_is_refused() -> None:
    table = Table(PROMOTING)
    table.move("a7a8q")
    table.do(laws.AskPlayer("white", "promotion", PIECES))
    for uci in ("h7h6", "a8f8"):
        table.move(uci)
    assert table.answer("n") == "illegal"
    assert table.answer("q") == ""


def test_the_answer_may_end_the_game() -> None:
    table = Table("7k/P7/7K/8/8/8/6P1/8 w - - 0 1")
    table.move("a7a8b")
    table.do(laws.AskPlayer("white", "promotion", PIECES))
    assert table.answer("r") == ""
    assert (table.state.score, table.state.ended_by, table.moves) == ("1-0", "checkmate", ["a7a8r"])


def test_what_the_pawn_has_become_can_be_said_after_the_mate_and_not_after_the_result_is_confirmed() -> None:
    table = Table("8/P7/8/8/7k/8/4r3/7K b - - 0 1")
    table.move("h4g3")
    table.move("a7a8n")
    table.do(laws.AskPlayer("white", "promotion", PIECES))
    table.move("e2e1")
    assert (table.state.phase, table.state.ended_by) == ("ended", "checkmate")
    after, confirmed = table.state.questions[0], Table()
    confirmed.log, confirmed.state, confirmed.t = list(table.log), table.state, table.t
    assert table.answer("b") == ""
    assert table.moves == ["h4g3", "a7a8b", "e2e1"]
    assert (table.state.score, table.state.questions, table.state.calls) == ("0-1", (), ())
    assert confirmed.do(laws.Confirm("black", "0-1")) == confirmed.do(laws.Confirm("white", "0-1")) == ""
    assert (confirmed.state.phase, confirmed.state.questions) == ("confirmed", ())
    assert confirmed.do(laws.AnswerQuestion("white", after.id, "b")) != ""


def test_a_piece_with_which_the_last_position_is_no_mate_calls_the_arbiter() -> None:
    table = Table("8/5P2/8/8/7k/8/4r3/7K b - - 0 1")
    table.move("h4g3")
    table.move("f7f8n")
    table.do(laws.AskPlayer("white", "promotion", PIECES))
    table.move("e2e1")
    assert (table.state.phase, table.state.ended_by) == ("ended", "checkmate")
    assert table.answer("q") == ""
    assert table.moves == ["h4g3", "f7f8q", "e2e1"], "the queen can go between"
    assert [call.side for call in table.state.calls] == [None]


def test_the_same_is_not_asked_twice_and_only_its_player_answers() -> None:
    table = Table()
    assert table.do(laws.AskPlayer("white", "capture", ("d5", "f5"))) == ""
    assert table.do(laws.AskPlayer("white", "capture", ("d5", "f5"))) == "already"
    asked = table.state.questions[0]
    assert table.do(laws.AnswerQuestion("black", asked.id, "d5")) == "no-question"
    assert table.do(laws.AnswerQuestion("white", asked.id, "e5")) == "unknown"
    assert table.answer("d5") == ""


def test_kings_propose_and_a_second_gesture_is_a_new_proposal() -> None:
    table = Table()
    assert table.do(laws.ShowResult("1/2-1/2")) == "too-early"
    assert table.do(laws.ShowResult("1-0")) == ""
    assert (table.state.phase, table.state.proposed) == ("paused", "1-0")
    assert table.do(laws.ShowResult("1-0")) == "already"
    assert table.do(laws.Confirm("white", "1-0")) == ""
    assert table.do(laws.ShowResult("0-1")) == ""
    assert (table.state.proposed, table.state.confirmations) == ("0-1", ())
    for side in ("white", "black"):
        assert table.do(laws.Confirm(side, "0-1")) == ""
    assert (table.state.phase, table.state.score) == ("confirmed", "0-1")


def test_kings_agree_on_no_draw_before_the_move_that_the_regulations_say() -> None:
    """9.1.1: what may not be offered may not be shown either."""
    table = Table(edition="fide2023 draw_moves=3")
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8"):
        table.move(uci)
    assert table.do(laws.ShowResult("1/2-1/2")) == "too-early"
    for uci in ("g1f3", "g8f6"):
        table.move(uci)
    assert table.do(laws.ShowResult("1/2-1/2")) == ""


def test_the_key_calls_stops_and_goes_on_but_rules_on_nothing() -> None:
    table = Table()
    table.move("e2e4")
    before = table.state.clocks(table.t)
    assert table.do(laws.TurnKey(long=False)) == ""
    assert table.do(laws.TurnKey(long=False)) == "already"
    assert table.do(laws.TurnKey(long=True), 0) == ""
    assert table.state.phase == "paused"
    assert table.do(laws.TurnKey(long=True), 60_000) == ""
    assert (table.state.phase, table.state.running) == ("playing", "black")
    assert sum(before) - sum(table.state.clocks(table.t)) <= 4_000, "the pause is nobody's"
    table.do(laws.claim("white", "flag"))
    assert table.do(laws.TurnKey(long=True)) == "not-now"


@pytest.mark.parametrize("state", [GameState(), replay([Board(0, "ok")])])
def test_nothing_is_asked_where_nobody_plays(state: GameState) -> None:
    for intent in (laws.AskPlayer("white", "promotion", PIECES), laws.ShowResult("1-0"), laws.TurnKey(long=True)):
        assert isinstance(laws.decide(state, intent, 1), laws.Refusal)


# -- which move an earlier one was

#: Two ways of one rook; what follows is legal after both.
ROOK = "4k3/p7/8/8/8/8/8/R3K3 w Q - 0 1"


@given(st.sampled_from(("a1a3", "a1a5", "a1b1", "e1c1")), st.integers(0, 3))
def test_a_move_that_its_player_names_is_as_if_it_had_been_recorded_so(uci: str, later: int) -> None:
    asked, played = Table(ROOK), Table(ROOK)
    asked.move("a1a3")
    played.move(uci)
    for reply in ("a7a6", "e1e2" if uci != "e1c1" else "d1d2", "e8e7")[:later]:
        if asked.move(reply) or played.move(reply):
            return  # not a move of both games
    assert asked.do(laws.AskPlayer("white", "move", ("a1a3", uci, "…"), ply=0)) == ""
    assert asked.answer(uci) == ""
    assert asked.moves == played.moves
    assert [ply.san for ply in asked.state.plies] == [ply.san for ply in played.state.plies]
    assert (asked.state.fen, asked.state.keys) == (played.state.fen, played.state.keys)
    assert replay(asked.log) == asked.state


def test_a_move_after_which_the_next_would_not_have_been_legal_is_refused_and_nothing_changes() -> None:
    table = Table(ROOK)
    table.move("a1a3")
    table.move("a7a6")
    table.move("a3a4")
    table.do(laws.AskPlayer("white", "move", ("a1a3", "a1b1", "…"), ply=0))
    assert table.answer("a1b1") == "illegal"
    assert table.moves == ["a1a3", "a7a6", "a3a4"]
    assert table.state.questions != ()


def test_none_of_the_moves_that_are_offered_leaves_the_record_as_it_is() -> None:
    table = Table(ROOK)
    table.move("a1a3")
    table.do(laws.AskPlayer("white", "move", ("a1a3", "a1a5", "…"), ply=0))
    assert table.answer("…") == ""
    assert (table.moves, table.state.questions) == (["a1a3"], ())


def test_the_move_that_it_was_may_be_mate_and_two_moves_may_be_asked_for_at_once() -> None:
    table = Table("7k/8/6K1/8/8/8/7P/R7 w - - 0 1")
    table.move("a1a7")
    assert table.do(laws.AskPlayer("white", "move", ("a1a7", "a1a8", "…"), ply=0)) == ""
    assert table.do(laws.AskPlayer("white", "move", ("a1a7", "a1a8", "…"), ply=0)) == "already"
    table.move("h8g8")
    table.move("h2h3")
    assert table.do(laws.AskPlayer("white", "move", ("h2h3", "h2h4", "…"), ply=2)) == ""
    assert table.answer("a1a8") == "illegal", "the game went on after it"
    assert table.answer("a1a7") == ""
    assert table.answer("h2h4") == ""
    assert table.moves == ["a1a7", "h8g8", "h2h4"]
    mate = Table("7k/8/6K1/8/8/8/7P/R7 w - - 0 1")
    mate.move("a1a7")
    mate.do(laws.AskPlayer("white", "move", ("a1a7", "a1a8", "…"), ply=0))
    assert mate.answer("a1a8") == ""
    assert (mate.state.score, mate.state.ended_by) == ("1-0", "checkmate")


def test_a_pause_and_the_end_keep_nobody_from_being_asked_which_move_it_was() -> None:
    """A cable is mended while the clocks stand, and whoever says "none of these" is shown the next ones."""
    table = Table(ROOK)
    table.move("a1a3")
    table.do(laws.TurnKey(long=True))
    assert table.state.phase == "paused"
    assert table.do(laws.AskPlayer("black", "missed", ("Ke7 Kd2", "other"))) == ""
    assert table.do(laws.AskPlayer("white", "move", ("a1a3", "…"), ply=0)) == ""
    table.do(laws.TurnKey(long=True), 60_000)
    assert table.do(laws.Resign("black")) == ""
    assert [asked.about for asked in table.state.questions] == ["move"], "what was missed is of no account any more"
    assert table.answer("…") == ""
    assert table.do(laws.AskPlayer("white", "move", ("a1b1", "…"), ply=0)) == ""
    assert table.do(laws.AskPlayer("white", "capture", ("d5", "f5"))) == "over"
    assert table.answer("a1b1") == ""
    assert (table.moves, table.state.score) == (["a1b1"], "1-0")


def test_a_promotion_that_was_another_move_leaves_no_piece_to_be_asked_for() -> None:
    table = Table("1n5k/P7/8/8/8/8/7p/K7 w - - 0 1")
    table.move("a7b8q")
    table.do(laws.AskPlayer("white", "promotion", PIECES))
    table.do(laws.AskPlayer("white", "move", ("a7b8q", "a1b2", "…"), ply=0))
    asked = next(question for question in table.state.questions if question.about == "move")
    assert table.do(laws.AnswerQuestion("white", asked.id, "a1b2")) == ""
    assert (table.moves, table.state.questions) == (["a1b2"], ())
    kept = Table("1n5k/P7/8/8/8/8/7p/K7 w - - 0 1")
    kept.move("a7b8q")
    kept.do(laws.AskPlayer("white", "promotion", PIECES))
    kept.do(laws.AskPlayer("white", "move", ("a7b8q", "a7a8q", "…"), ply=0))
    asked = next(question for question in kept.state.questions if question.about == "move")
    assert kept.do(laws.AnswerQuestion("white", asked.id, "a7a8q")) == ""
    assert [question.about for question in kept.state.questions] == ["promotion"], "which piece, he says next"
