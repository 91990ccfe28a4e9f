"""Stories from the board: what players, the clock and the arbiter do to one game."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rules.laws.events import (
    Adjusted,
    Assigned,
    Assignment,
    Board,
    Call,
    Claim,
    Confirmed,
    Disputed,
    Ended,
    Fault,
    Flag,
    Offer,
    OrderDone,
    Paused,
    Ply,
    Press,
    Question,
    Resigned,
    Result,
    Resumed,
    Seated,
)
from rules.laws.game import (
    AnswerQuestion,
    CallArbiter,
    ClaimDraw,
    Confirm,
    Dispute,
    GameState,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressOnly,
    ProposeResult,
    Resign,
    Sit,
    decide_assignment,
    decide_order,
    due,
    next_due,
    position_hash,
    recover,
    replay,
)
from tests.rules.tables import SHUFFLE, Table, assignment, outcome

# -- before the game ----------------------------------------------------------------------------------------------


def test_two_players_sit_down_and_the_arbiter_starts() -> None:
    table = Table(started=False)
    assert outcome(table) == (None, None, "assigned")
    assert table.state.clocks(0) == (182_000, 182_000)
    table.does(Sit("white"), 10)
    assert table.refuses(Sit("white"), 11) == "already"
    table.does(MakeReady("white"), 12)
    assert table.does(MakeReady("black"), 13)[0] == Seated(13, "black")
    assert table.state.phase == "ready"
    assert table.refuses(PressClock("black", "e7e5", 14), 14) == "not-started"
    assert table.refuses(PressClock("white", "e2e4", 14), 14) == "not-started"
    assert table.order("start", 20).ok
    assert (table.state.phase, table.state.running) == ("playing", "white")
    assert not table.order("start", 21).ok


def test_a_latecomer_signs_in_while_his_clock_runs() -> None:
    table = Table(started=False)
    table.does(MakeReady("black"), 5)
    table.order("start", 10)
    table.does(Sit("white"), 12_000)
    assert table.state.clocks(12_010) == (170_000, 182_000)


def test_the_side_to_move_of_a_set_up_position_starts() -> None:
    table = Table(start_fen="4k3/8/8/8/8/8/4P3/4K2R b - - 0 1")
    assert table.state.running == "black"


# -- moves and presses --------------------------------------------------------------------------------------------


def test_a_press_completes_the_move_made_before_it() -> None:
    table = Table()
    made = table.does(PressClock("white", "e2e4", 5_000), 6_000)
    after = table.state.board()
    assert made == (
        Ply(5_000, "white", "e2e4", 177_000, 182_000, position_hash(after)),
        Press(6_000, "white", 178_000, 182_000),
    )
    record = table.state.plies[0]
    assert (record.san, record.t, record.press_t, record.white_ms) == ("e4", 5_000, 6_000, 178_000)
    assert (table.state.turn, table.state.running, table.state.ahead) == ("black", "black", 0)


def test_a_press_of_the_wrong_side_changes_nothing() -> None:
    table = Table()
    assert table.refuses(PressClock("black", "e7e5", 100), 100) == "wrong-side"
    table.plays("e2e4")
    assert table.refuses(PressClock("white", "d2d4", 1_200), 1_200) == "wrong-side"


def test_a_press_without_a_move_is_refused() -> None:
    table = Table()
    assert table.refuses(PressClock("white"), 100) == "no-move"
    assert table.refuses(PressOnly("white"), 100) == "no-move"
    assert table.refuses(PressClock("white", "e2e5", 50), 100) == "illegal"


def test_a_reply_before_the_press_keeps_both_moves_and_both_presses() -> None:
    table = Table()
    table.does(MakeMove("e2e4", 1_000), 1_500)
    assert (table.state.turn, table.state.running, table.state.ahead) == ("black", "white", 1)
    assert table.refuses(PressClock("black", "e7e5", 1_400), 1_600) == "wrong-side"
    assert table.does(PressOnly("white"), 2_000) == (Press(2_000, "white", 182_000, 182_000),)
    assert table.state.plies[0].press_t == 2_000
    table.does(PressClock("black", "e7e5", 1_400), 2_500)
    assert [ply.san for ply in table.state.plies] == ["e4", "e5"]
    assert table.state.plies[1].black_ms == 183_500


def test_clocks_alone_while_the_board_is_lost_and_moves_found_later() -> None:
    table = Table()
    table.plays("e2e4")
    table.store((Board(1_100, "lost"),))
    table.does(PressOnly("black"), 2_000)
    table.does(PressOnly("white"), 3_000)
    assert (table.state.running, table.state.ahead) == ("black", -2)
    table.store((Board(4_000, "returned"),))
    table.does(MakeMove("e7e5", 4_000), 4_000)
    table.does(MakeMove("g1f3", 4_000), 4_000)
    assert (table.state.turn, table.state.running, table.state.ahead) == ("black", "black", 0)
    table.plays("b8c6")


# -- ends on the board --------------------------------------------------------------------------------------------


def test_mate_needs_no_press() -> None:
    table = Table()
    t = table.plays("f2f3 e7e5 g2g4")
    events = table.does(MakeMove("d8h4", t + 700), t + 1_000)
    assert [type(event) for event in events] == [Ply, Ended, Result]
    assert events[2] == Result(t + 700, "0-1", None)
    assert outcome(table) == ("0-1", "checkmate", "ended")
    assert table.state.clocks(t + 50_000) == table.state.clocks(t + 700)  # stopped at the stamp of the move
    assert table.refuses(PressClock("black", "", 0), t + 2_000) == "over"


def test_a_press_after_the_mating_move_adds_nothing() -> None:
    table = Table()
    t = table.plays("f2f3 e7e5 g2g4")
    table.does(PressClock("black", "d8h4", t + 700), t + 1_000)
    assert outcome(table) == ("0-1", "checkmate", "ended")
    assert len(table.found(Press)) == 3
    assert table.state.clocks(t)[1] == 182_000 + 1_000 - 700


def test_the_fifth_repetition_ends_the_game_by_itself() -> None:
    table = Table()
    table.plays(SHUFFLE * 4)
    assert outcome(table) == ("1/2-1/2", "fivefold-repetition", "ended")
    assert table.state.evidence["moves"] == "start, 2..., 4..., 6..., 8..."


def test_bare_kings_end_the_game_when_they_arise() -> None:
    table = Table(start_fen="8/8/8/3k4/4P3/8/8/4K3 b - - 0 1")
    table.does(PressClock("black", "d5e4", 500), 900)
    assert outcome(table) == ("1/2-1/2", "dead-position", "ended")


# -- flags --------------------------------------------------------------------------------------------------------


def test_the_flag_falls_at_the_computed_instant_however_late_we_look() -> None:
    table = Table("1+0")
    assert next_due(table.state) == 60_000
    assert table.time_passes(59_999) == ()
    events = table.time_passes(75_000)
    assert events[0] == Flag(60_000, "white")
    assert events[2] == Result(60_000, "0-1", None)
    assert outcome(table) == ("0-1", "flag", "ended")
    assert table.state.evidence["flag"] == "white"
    assert (table.time_passes(90_000), next_due(table.state)) == ((), None)


def test_a_press_in_the_millisecond_of_the_flag_is_too_late() -> None:
    early, late = Table("1+0"), Table("1+0")
    early.does(PressClock("white", "e2e4", 59_000), 59_999)
    assert early.state.phase == "playing"
    late.does(PressClock("white", "e2e4", 59_000), 60_000)
    assert outcome(late) == ("0-1", "flag", "ended")
    assert [ply.san for ply in late.state.plies] == ["e4"]  # made, not completed


@pytest.mark.parametrize(
    ("made_at", "ending"),
    [(59_999, ("1-0", "checkmate", "ended")), (60_000, ("0-1", "flag", "ended")), (60_001, ("0-1", "flag", "ended"))],
)
def test_mate_and_flag_are_compared_by_their_stamps(made_at: int, ending: tuple[str, str, str]) -> None:
    table = Table("1+0", "7k/8/6K1/8/8/8/7p/R7 w - - 0 1")
    table.does(MakeMove("a1a8", made_at), made_at + 300)
    assert outcome(table) == ending


def test_a_mate_that_stands_when_the_flag_falls_holds_the_flag_back_until_it_has_settled() -> None:
    table = Table("1+0", "7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    mate = MakeMove("a1a8", 59_900)
    assert due(table.state, 60_010, mate, 300) == ()
    assert next_due(table.state, mate, 300) == 60_200
    assert due(table.state, 60_010, None, 300)[0] == Flag(60_000, "white")  # put back: the flag counts
    table.store(due(table.state, 60_200, mate, 300))
    assert outcome(table) == ("1-0", "checkmate", "ended")


def test_a_quiet_move_made_before_the_flag_stands_but_does_not_save_the_game() -> None:
    table = Table("1+0", "7k/8/6K1/8/8/8/q7/R7 w - - 0 1")
    table.store(due(table.state, 70_000, MakeMove("a1b1", 59_900)))
    assert [type(event) for event in table.log[-4:]] == [Ply, Flag, Ended, Result]
    assert outcome(table) == ("0-1", "flag", "ended")


def test_an_unfinished_promotion_is_no_move_at_the_flag() -> None:
    table = Table("1+0", "7k/4P3/6K1/8/8/8/q7/8 w - - 0 1")
    table.does(PressClock("white", "e7e8q", 60_500), 61_000)  # the queen came after the flag
    assert outcome(table) == ("0-1", "flag", "ended")
    assert table.state.plies == ()


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("8/5k2/8/4b3/8/3K4/P7/8 w - - 0 1", "0-1"),  # the pawn may promote to a piece in the way
        ("8/5n2/8/3k4/8/3K4/7Q/8 w - - 0 1", "1/2-1/2"),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", "1/2-1/2"),
        ("7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", "1/2-1/2"),
        ("8/4k3/4P3/3B2P1/4P1K1/8/3b4/8 w - - 0 1", "0-1"),
    ],
)
def test_the_flag_of_a_player_whose_opponent_cannot_mate_is_a_draw(fen: str, score: str) -> None:
    table = Table("1+0", fen)
    table.time_passes(60_000)
    assert outcome(table) == (score, "flag", "ended")
    assert ("why" in table.state.evidence) == (score == "1/2-1/2")


def test_the_end_of_a_period_is_no_flag_but_calls_the_arbiter_when_moves_are_missing() -> None:
    table = Table("2/1, 1")
    assert next_due(table.state) == 60_000
    (call,) = table.time_passes(60_000)
    assert isinstance(call, Call)
    assert (call.t, "0 of 2" in call.why) == (60_000, True)
    assert (next_due(table.state), table.time_passes(119_999)) == (120_000, ())
    table.does(PressClock("white", "e2e4", 61_000), 61_000)
    assert table.state.clocks(61_000) == (59_000, 120_000)
    assert next_due(table.state) == 181_000  # both got the next period


def test_a_period_that_ends_between_a_move_and_its_press_does_not_swallow_the_press() -> None:
    table = Table("2/1, 1")
    events = table.does(PressClock("white", "e2e4", 59_000), 61_000)
    assert [type(event) for event in events] == [Ply, Call, Press]
    assert table.state.running == "black"


def test_a_period_whose_moves_are_completed_ends_in_silence() -> None:
    table = Table("2/1, 1")
    table.plays("e2e4 e7e5 g1f3 b8c6")
    assert table.time_passes(100_000) == ()
    assert next_due(table.state) == 4_000 + 58_000 + 60_000


def test_a_call_that_comes_after_the_flag_brings_both() -> None:
    table = Table("1+0")
    events = table.does(CallArbiter("black", "flag"), 61_000)
    assert [type(event) for event in events] == [Flag, Ended, Result, Call]
    table = Table("1+0")
    assert [type(event) for event in table.does(OfferDraw("white"), 61_000)] == [Flag, Ended, Result]


# -- draws and resignation ----------------------------------------------------------------------------------------


def test_a_draw_is_offered_and_accepted() -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    offer, question = table.does(OfferDraw("white"), t + 10)
    assert offer == Offer(t + 10, "white")
    assert isinstance(question, Question)
    assert (question.side, question.about) == ("black", "draw")
    assert table.refuses(OfferDraw("white"), t + 11) == "already"
    assert table.refuses(OfferDraw("black"), t + 11) == "already"
    assert table.refuses(AnswerQuestion("white", question.id, "yes"), t + 12) == "no-question"
    assert table.refuses(AnswerQuestion("black", question.id, "maybe"), t + 12) == "unknown"
    table.does(AnswerQuestion("black", question.id, "yes"), t + 13)
    assert outcome(table) == ("1/2-1/2", "agreement", "ended")


def test_an_offer_lapses_when_the_opponent_moves_and_not_when_the_offerer_does() -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    question = table.does(OfferDraw("white"), t + 10)[1]
    assert isinstance(question, Question)
    table.plays("g1f3")
    assert [asked.id for asked in table.state.questions] == [question.id]
    t = table.plays("b8c6")
    assert table.state.offer is None
    assert not table.state.questions
    assert table.refuses(AnswerQuestion("black", question.id, "yes"), t) == "no-question"


def test_a_refused_offer_may_be_made_again_later() -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    first = table.does(OfferDraw("white"), t)[1]
    assert isinstance(first, Question)
    table.does(AnswerQuestion("black", first.id, "no"), t)
    assert table.state.offer is None
    second = table.does(OfferDraw("white"), t + 1)[1]
    assert isinstance(second, Question)
    assert second.id != first.id


def test_no_draw_is_agreed_before_both_have_moved() -> None:
    table = Table()
    t = table.plays("e2e4")
    question = table.does(OfferDraw("white"), t)[1]
    assert isinstance(question, Question)
    assert table.refuses(AnswerQuestion("black", question.id, "yes"), t + 1) == "too-early"
    assert table.refuses(ProposeResult("black", "1/2-1/2"), t + 1) == "too-early"


def test_a_right_repetition_claim_stops_the_clocks_and_calls_the_arbiter() -> None:
    table = Table()
    t = table.plays(SHUFFLE + "g1f3 g8f6 f3g1")
    claim, paused, call, *offer = table.does(ClaimDraw("black", "repetition", "f6g8"), t + 100)
    assert [type(event) for event in offer] == [Offer, Question]  # a claim is an offer too (9.1.2.3)
    assert claim == Claim(t + 100, "black", "repetition", "f6g8")
    assert isinstance(paused, Paused)
    assert (paused.by, table.state.phase, table.state.running) == ("black", "paused", None)
    assert isinstance(call, Call)
    assert "correct with Ng8" in call.why
    assert "start, 2..., 4..." in call.why
    assert table.order("rule", t + 9_000, {"score": "1/2-1/2", "by": "repetition", "why": "claim is right"}).ok
    assert outcome(table) == ("1/2-1/2", "repetition", "confirmed")
    assert (table.state.ruled, table.state.calls) == (True, ())


def test_a_wrong_claim_costs_time_and_the_game_goes_on() -> None:
    table = Table()
    t = table.plays(SHUFFLE)
    call = table.does(ClaimDraw("white", "repetition"), t + 500)[2]
    assert isinstance(call, Call)
    assert "incorrect" in call.why
    before = table.state.clocks(t + 500)
    assert table.order("continue", t + 30_000, {"bonus_ms": 60_000}).ok
    assert table.state.clocks(t + 30_000) == (before[0], before[1] + 60_000)
    assert (table.state.phase, table.state.running, table.state.claim) == ("playing", "white", None)


def test_the_move_of_a_rejected_claim_binds_its_player_until_he_has_moved() -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    table.does(ClaimDraw("white", "fifty-moves", "g1f3"), t + 100)
    table.order("continue", t + 200, {})
    assert table.state.announced == "g1f3"
    table.plays("g1f3")
    assert table.state.announced == ""


def test_who_may_not_claim() -> None:
    table = Table()
    t = table.plays("e2e4")
    assert table.refuses(ClaimDraw("white", "repetition"), t) == "wrong-side"
    assert table.refuses(ClaimDraw("black", "repetition", touched=True), t) == "touched"
    assert table.refuses(ClaimDraw("black", "repetition", "e7e4"), t) == "illegal"


@pytest.mark.parametrize(
    ("fen", "score"), [("", "0-1"), ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", "1/2-1/2")], ids=["usual", "bare king"]
)
def test_resigning(fen: str, score: str) -> None:
    table = Table(start_fen=fen)
    events = table.does(Resign("white"), 5_000)
    assert events[0] == Resigned(5_000, "white")
    assert outcome(table) == (score, "resignation", "ended")
    assert table.refuses(Resign("black"), 6_000) == "over"


# -- the result ---------------------------------------------------------------------------------------------------


def resigned() -> Table:
    table = Table()
    table.does(Resign("black"), 1_000)
    return table


def test_both_confirm_and_the_result_is_final() -> None:
    table = resigned()
    assert table.refuses(Confirm("white", "0-1"), 2_000) == "differs"
    assert table.does(Confirm("white", "1-0"), 2_000) == (Confirmed(2_000, "white", "1-0"),)
    assert table.refuses(Confirm("white", "1-0"), 2_100) == "already"
    assert outcome(table) == ("1-0", "resignation", "ended")
    table.does(Confirm("black", "1-0"), 3_000)
    assert outcome(table) == ("1-0", "resignation", "confirmed")
    assert table.refuses(Confirm("black", "1-0"), 3_100) == "over"
    assert table.refuses(Dispute("black"), 3_100) == "over"


def test_a_disputed_result_waits_for_the_arbiter() -> None:
    table = resigned()
    table.does(Confirm("white", "1-0"), 2_000)
    assert table.refuses(Dispute("black", "1-0"), 2_500) == "differs"
    disputed, call = table.does(Dispute("black", "1/2-1/2"), 3_000)
    assert disputed == Disputed(3_000, "black", "1/2-1/2")
    assert isinstance(call, Call)
    assert table.state.phase == "disputed"
    assert table.refuses(Confirm("black", "1-0"), 3_100) == "not-now"
    assert table.order("rule", 60_000, {"score": "1/2-1/2", "why": "both heard the offer"}).ok
    assert outcome(table) == ("1/2-1/2", "ruling", "confirmed")
    assert table.state.evidence["before"] == "1-0 resignation"
    assert not table.order("rule", 61_000, {"score": "1-0"}).ok


def test_the_arbiter_accepts_a_single_confirmation() -> None:
    table = resigned()
    table.does(Confirm("white", "1-0"), 2_000)
    table.order("rule", 400_000, {"score": "1-0", "by": "resignation", "why": "Black left"})
    assert outcome(table) == ("1-0", "resignation", "confirmed")


@pytest.mark.parametrize(("score", "by"), [("1-0", "resignation"), ("0-1", "resignation"), ("1/2-1/2", "agreement")])
def test_a_result_that_both_say_ends_the_game(score: str, by: str) -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    table.does(ProposeResult("white", score), t + 10)  # type: ignore[arg-type]
    assert table.refuses(ProposeResult("black", score), t + 11) == "already"  # type: ignore[arg-type]
    table.does(Confirm("black", score), t + 20)  # type: ignore[arg-type]
    assert table.state.phase == "playing"
    table.does(Confirm("white", score), t + 30)  # type: ignore[arg-type]
    assert outcome(table) == (score, by, "confirmed")
    assert table.state.running is None


def test_a_proposal_lapses_with_the_next_move_and_a_quarrel_stops_the_clocks() -> None:
    table = Table()
    t = table.plays("e2e4 e7e5")
    table.does(ProposeResult("white", "1-0"), t)
    table.plays("g1f3")
    assert table.state.proposed is None
    table.does(ProposeResult("white", "1-0"), t := table.state.t + 1)
    paused, *_rest = table.does(Dispute("black", "0-1"), t + 1)
    assert isinstance(paused, Paused)
    assert (table.state.phase, table.state.running) == ("disputed", None)
    assert table.order("resume", t + 5_000).ok
    assert (table.state.phase, table.state.running, table.state.proposed) == ("playing", "black", None)
    assert table.refuses(ProposeResult("white", "0-0"), t + 5_001) == "unknown"


# -- calls --------------------------------------------------------------------------------------------------------


def test_who_has_called_without_stopping_the_clocks_may_still_stop_them() -> None:
    table = Table()
    table.does(CallArbiter("black", "noise"), 1_000)
    assert table.refuses(CallArbiter("black", "noise"), 5_000) == "already"
    table.does(CallArbiter("black", "the promotion piece is missing", pause=True), 6_000)
    assert (table.state.phase, table.state.paused_by) == ("paused", "black")


def test_a_dispute_says_a_score_or_nothing() -> None:
    """What is no score would stand in the log, and no reader of it would understand the event."""
    table = Table()
    table.does(Resign("white"), 1_000)
    for says in ("2-0", 5, None):
        assert table.refuses(Dispute("black", says), 2_000) == "unknown"  # type: ignore[arg-type]
    table.does(Dispute("black", "1/2-1/2"), 2_000)
    assert "black says 1/2-1/2" in table.state.calls[-1].why


def test_a_call_stops_the_clocks_only_when_the_caller_says_so() -> None:
    table = Table()
    table.does(CallArbiter("white", "noise"), 100)
    assert (table.state.phase, len(table.state.calls)) == ("playing", 1)
    assert table.refuses(CallArbiter("white", "noise"), 5_000) == "already"
    table.does(CallArbiter("black", "no queen for the promotion", pause=True), 6_000)
    assert (table.state.phase, table.state.paused_by) == ("paused", "black")
    table.does(CallArbiter("white", "still noise"), 40_000)
    assert table.state.clocks(90_000) == (176_000, 182_000)
    table.order("resume", 90_000)
    assert (table.state.phase, table.state.calls) == ("playing", ())


# -- orders -------------------------------------------------------------------------------------------------------


def test_pause_and_resume_charge_nobody() -> None:
    table = Table()
    table.plays("e2e4")
    assert table.order("pause", 2_000, {"why": "fire drill"}).ok
    assert (table.state.paused_by, table.state.paused_why) == ("arbiter", "fire drill")
    assert table.refuses(PressClock("black", "e7e5", 2_500), 2_500) == "not-now"
    assert table.order("resume", 600_000).ok
    assert table.state.clocks(601_000) == (183_000, 180_000)
    assert not table.order("resume", 601_000).ok


def test_resuming_for_the_other_side() -> None:
    table = Table()
    table.plays("e2e4")
    table.order("pause", 2_000)
    table.order("resume", 3_000, {"side": "white"})
    assert (table.state.running, table.state.ahead) == ("white", 1)
    table.does(PressOnly("white"), 4_000)
    table.plays("e7e5")


def test_times_are_set_only_while_no_clock_runs() -> None:
    table = Table(started=False)
    assert table.order("times", 5, {"white_ms": 300_000, "black_ms": 240_000}).ok
    table.order("start", 10)
    assert table.state.clocks(10) == (300_000, 240_000)
    assert not table.order("times", 20, {"white_ms": 1, "black_ms": 1}).ok
    table.order("pause", 1_010)
    for wrong in ({}, {"white_ms": 5}, {"white_ms": -1, "black_ms": 5}, {"white_ms": "x", "black_ms": 5}):
        assert not table.order("times", 1_020, wrong).ok
    assert table.order("times", 1_030, {"white_ms": 7_000, "black_ms": 8_000}).ok
    assert table.state.clocks(1_030) == (7_000, 8_000)
    assert len(table.found(Adjusted)) == 2


def test_a_forfeit_before_the_start() -> None:
    table = Table(started=False)
    assert table.order("rule", 5, {"score": "1-0", "by": "default", "why": "Black absent at 30:00"}).ok
    assert outcome(table) == ("1-0", "default", "confirmed")


@pytest.mark.parametrize("data", [{}, {"score": "2-0"}, {"score": "1-0", "by": "magic"}])
def test_a_ruling_must_make_sense(data: Mapping[str, object]) -> None:
    table = Table()
    assert not table.order("rule", 5, data).ok
    assert table.state.phase == "playing"


def test_every_order_is_answered_once() -> None:
    table = Table()
    events = decide_order(table.state, "x1", "pause", "r1b12", {}, 100)
    assert [type(event) for event in events] == [Paused, OrderDone]
    table.store(events)
    assert decide_order(table.state, "x1", "pause", "r1b12", {}, 200) == ()
    wrong_game = table.order("resume", 300, game="r1b13")
    assert (wrong_game.ok, "r1b13" in wrong_game.why, table.state.phase) == (False, True, "paused")
    unknown = table.order("dance", 400)
    assert (unknown.ok, "dance" in unknown.why) == (False, True)
    assert table.order("resume", 500, game="").ok


def test_an_order_that_comes_after_the_flag_finds_the_game_over() -> None:
    table = Table("1+0")
    assert not table.order("pause", 61_000).ok
    assert outcome(table) == ("0-1", "flag", "ended")


def test_clearing_a_table() -> None:
    table = Table(started=False)
    assert table.order("clear", 5).ok
    assert (table.state.phase, table.state.assignment, table.state.round) == ("idle", None, 1)
    table = Table()
    assert not table.order("clear", 5).ok
    assert table.state.phase == "playing"
    assert table.order("clear", 6, {"force": 1}).ok
    assert (table.state.phase, next_due(table.state)) == ("idle", None)
    assert not table.order("rule", 7, {"score": "1-0"}, game="").ok


def test_a_round_is_sealed_once_its_game_is_final() -> None:
    table = resigned()
    assert not table.order("seal", 2_000).ok
    table.does(Confirm("white", "1-0"), 2_100)
    table.does(Confirm("black", "1-0"), 2_200)
    assert table.order("seal", 2_300).ok


# -- assignments --------------------------------------------------------------------------------------------------


def test_a_greater_sheet_replaces_one_that_has_not_started() -> None:
    table = Table(started=False)
    table.does(MakeReady("white"), 1)
    assert decide_assignment(table.state, assignment(), 2) == ()
    (older,) = table.store(decide_assignment(table.state, assignment(rev=0), 3))
    assert isinstance(older, Assigned)
    assert (older.assignment, bool(older.why), table.state.rev) == (None, True, 1)
    table.store(decide_assignment(table.state, assignment("5+3", rev=2), 4))
    assert (table.state.rev, table.state.ready, table.state.clocks(4)[0]) == (2, frozenset(), 303_000)


def test_a_game_under_way_or_without_result_is_not_overwritten() -> None:
    table = Table()
    (refused,) = table.store(decide_assignment(table.state, assignment(round_=2), 5))
    assert isinstance(refused, Assigned)
    assert "under way" in refused.why
    assert table.state.phase == "playing"
    table.does(Resign("white"), 10)
    (refused,) = table.store(decide_assignment(table.state, assignment(round_=2), 20))
    assert isinstance(refused, Assigned)
    assert "not final" in refused.why
    table.does(Confirm("white", "0-1"), 30)
    table.does(Confirm("black", "0-1"), 40)
    table.store(decide_assignment(table.state, assignment(round_=2), 50))
    assert (table.state.phase, table.state.game, table.state.plies, table.state.score) == (
        "assigned",
        "r2b12",
        (),
        None,
    )
    assert table.order("start", 60, game="r2b12").ok
    table.plays("d2d4")
    assert replay(table.log) == table.state


@pytest.mark.parametrize(
    "bad",
    [
        assignment("quickly"),
        assignment(start_fen="nonsense"),
        assignment(start_fen="8/8/8/8/8/8/8/8 w - - 0 1"),
        assignment(start_fen="7k/5KQ1/8/8/8/8/8/8 b - - 0 1"),
    ],
)
def test_an_assignment_that_cannot_be_played_says_why(bad: Assignment) -> None:
    (event,) = decide_assignment(GameState(), bad, 0)
    assert isinstance(event, Assigned)
    assert (event.assignment, len(event.why) > 20) == (None, True)
    assert replay((event,)).phase == "idle"


# -- restarts -----------------------------------------------------------------------------------------------------


def test_a_killed_process_finds_the_clock_has_run_on() -> None:
    table = Table("1+0")
    table.plays("e2e4")
    table.store(recover(table.state, 11_000, same_boot=True))
    assert (table.state.phase, table.state.clocks(11_000)) == ("playing", (59_000, 50_000))
    assert len(table.found(Fault)) == 1
    table.store(recover(table.state, 90_000, same_boot=True))
    assert outcome(table) == ("1-0", "flag", "ended")
    assert table.state.flag == Flag(61_000, "black")


def test_after_a_power_cut_the_game_comes_back_paused_with_the_journalled_times() -> None:
    table = Table()
    table.plays("e2e4 e7e5", every=10_000)
    table.store(recover(table.state, 700, same_boot=False, journal=(170_500, 173_000)))  # stamps begin anew
    assert (table.state.phase, table.state.clocks(5_000)) == ("paused", (170_500, 173_000))
    assert (len(table.state.calls), table.state.paused_by) == (1, "table")
    assert next_due(table.state) is None
    table.order("resume", 9_000)
    assert table.state.clocks(10_000) == (169_500, 173_000)
    table.does(PressClock("white", "g1f3", 10_000), 10_500)
    assert table.state.clocks(10_500) == (171_000, 173_000)
    assert replay(table.log) == table.state


@pytest.mark.parametrize("other_uptime", [700, 20_000_000])
def test_the_default_time_is_counted_from_the_start_also_on_another_line_of_stamps(other_uptime: int) -> None:
    """After a power cut, or on another device, stamps begin anew: nobody has been away longer or shorter by that."""
    minute = 60_000
    table = Table("90+30", edition="fide2023 default_ms=1800000", started=False)
    table.does(Sit("white"), 9_000_000)
    table.order("start", 10_000_000)
    table.does(PressClock("white", "e2e4", 10_000_000 + 4 * minute), 10_000_000 + 5 * minute)
    black_ms = table.state.clocks(table.state.t)[1]
    table.store(
        recover(table.state, other_uptime, False, (table.state.clocks(table.state.t)[0], black_ms - 2 * minute))
    )
    table.order("resume", other_uptime + 1_000)
    called = [call for call in table.time_passes(other_uptime + 22 * minute) if isinstance(call, Call)]
    assert called == [], "seven minutes and 22 are not thirty"
    (call,) = (c for c in table.time_passes(other_uptime + 23 * minute + 1_000) if isinstance(c, Call))
    assert (call.about, call.t) == ("default", other_uptime + 23 * minute)
    assert "black not signed in" in call.why


def test_without_a_journal_the_last_event_gives_the_times() -> None:
    table = Table()
    table.plays("e2e4", every=10_000)
    events = recover(table.state, 5, same_boot=False)
    assert Paused(5, "table", 174_000, 182_000, events[1].why, restore=True) in events  # type: ignore[union-attr]


def test_a_paused_game_stays_paused_through_a_reboot() -> None:
    table = Table()
    table.plays("e2e4")
    table.order("pause", 2_000)
    table.store(recover(table.state, 50, same_boot=False))
    table.order("resume", 1_050)
    assert table.state.clocks(2_050) == (183_000, 180_000)
    assert isinstance(table.found(Resumed)[-1], Resumed)


def test_an_idle_table_only_says_that_it_was_restarted() -> None:
    assert [type(event) for event in recover(GameState(), 5, same_boot=False)] == [Fault]
