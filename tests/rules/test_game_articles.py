"""Odd sequences that the Laws have an answer to, article by article (2023)."""

from __future__ import annotations

import chess
import pytest

from rules.laws.edition import EditionError, edition_of
from rules.laws.events import Call, Claim, Paused, Ply
from rules.laws.game import (
    AnswerQuestion,
    ClaimDraw,
    ClaimFinish,
    ClaimFlag,
    ClaimTouch,
    MakeMove,
    OfferDraw,
    PressClock,
    ProposeResult,
    ResumePlay,
    TurnKey,
    facts,
    replay,
)
from rules.laws.illegal import bound
from tests.rules.tables import SHUFFLE, Table, outcome

MINUTE = 60_000
#: Two moves in two minutes, then one more minute; no increment.
TWO_PERIODS = "2/2, 1 period_switch=move_counter"

# -- 6.2, 6.3: the counter of the clock and the moves of the record --------------------------------------------------


def test_going_back_over_the_end_of_a_period_gives_its_time_once_more_and_only_once() -> None:
    table = Table(TWO_PERIODS)
    table.plays(SHUFFLE, every=10_000)
    assert table.state.clocks(table.state.t) == (160_000, 160_000)  # two moves each: a minute more
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"ply": 2, "resume": 1}).ok
    assert table.state.clocks(table.state.t) == (100_000, 110_000)  # before White's second press
    table.plays("f3g1 f6g8", every=10_000)
    assert table.state.clocks(table.state.t) == (150_000, 160_000)


def test_byo_yomi_is_left_again_when_the_position_goes_back_before_it() -> None:
    table = Table("0.5 byo 3x10")
    table.plays("e2e4 e7e5", every=20_000)
    t = table.state.t
    table.plays("g1f3", every=15_000)
    assert table.state.clock is not None
    assert table.state.clock.white.in_byo
    table.order("pause", t + 16_000)
    assert table.order("correct", t + 16_000, {"ply": 1, "white_ms": 10_000, "black_ms": 10_000}).ok
    assert not table.state.clock.white.in_byo
    assert table.state.clock.white.byo_left == 3


def test_a_sealed_move_counts_for_the_time_control() -> None:
    """Guidelines I: the sealed move is completed without a press; the counter must not be one behind for ever."""
    table = Table(TWO_PERIODS)
    table.plays("g1f3 g8f6", every=10_000)
    table.order("adjourn", table.state.t + 10_000, {"side": "white"})
    table.order("resume", table.state.t, {"move": "f3g1"})
    assert table.state.clock is not None
    assert (table.state.clock.white.moves, table.state.completed("white")) == (2, 2)
    assert table.state.clocks(table.state.t) == (160_000, 110_000)


def test_a_move_that_the_arbiter_takes_as_completed_is_counted() -> None:
    """He lets the opponent's clock run: the move that waited for its press is completed (6.2.1)."""
    table = Table(TWO_PERIODS)
    table.plays("g1f3 g8f6", every=10_000)
    t = table.state.t
    table.does(MakeMove("f3g1", t + 1_000), t + 2_000)
    table.order("pause", t + 10_000)
    table.order("resume", t + 10_000, {"side": "black"})
    assert table.state.clock is not None
    assert (table.state.clock.white.moves, table.state.ahead, table.state.running) == (2, 0, "black")
    assert table.state.clocks(t + 10_000) == (160_000, 110_000)
    table.order("pause", t + 10_000)
    table.order("resume", t + 10_000, {"side": "white"})  # no: White has not pressed
    assert (table.state.clock.white.moves, table.state.ahead) == (1, 1)


# -- 7.5.2: the pawn on the last rank --------------------------------------------------------------------------------

PROMOTING = "8/P5k1/8/8/8/8/6p1/1K6 w - - 0 1"


@pytest.mark.parametrize(("control", "bonus"), [("15+10", MINUTE), ("90+30", 2 * MINUTE)])
def test_a_pawn_left_on_the_last_rank_becomes_a_queen_and_the_opponent_moves(control: str, bonus: int) -> None:
    table = Table(control, PROMOTING)
    start = table.state.clocks(0)[0]
    table.presses_after({"a7": None, "a8": "P"}, every=8_000)
    assert table.state.plies[0].illegal == "pawn-on-last-rank"
    if table.state.phase == "playing":
        table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"resume": 1}).ok
    assert table.state.fen.startswith("Q7/6k1/8/8/8/8/6p1/1K6 b")
    assert (table.state.running, table.state.ahead, table.state.plies[-1].san) == ("black", 0, "a8=Q")
    assert table.state.clocks(table.state.t) == (start - 8_000, start + bonus)
    assert (table.state.offences("white"), table.state.illegal_ply) == (1, None)
    table.presses_after({"g2": None, "g1": "p"})
    if table.state.phase == "playing":
        table.order("pause", table.state.t)
    table.order("correct", table.state.t, {"resume": 1})
    assert table.state.fen.startswith("Q7/6k1/8/8/8/8/8/1K4q1 w")
    assert replay(table.log) == table.state


def test_a_pawn_that_may_not_promote_goes_back() -> None:
    """The king is in check: the pawn has no business on the last rank, and touch-move is all that is left (7.5.1)."""
    table = Table("90+30", "8/P5k1/8/8/8/8/8/KN5r w - - 0 1")
    table.presses_after({"a7": None, "a8": "P", "b1": None})
    assert outcome(table)[2] == "paused"  # two men at once: no single move; a person must look
    pinned = Table("90+30", "8/P5k1/8/8/8/1n6/8/K7 w - - 0 1")
    pinned.presses_after({"a7": None, "a8": "P"})
    assert pinned.order("correct", pinned.state.t).ok
    assert pinned.state.fen == "8/P5k1/8/8/8/1n6/8/K7 w - - 0 1"


def test_the_club_lets_the_player_choose_a_piece_and_punishes_nothing() -> None:
    table = Table("5+0", PROMOTING, edition="club1997")
    table.presses_after({"a7": None, "a8": "P"})
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"resume": 1}).ok
    assert (table.state.fen, table.state.running, table.state.rulings) == (PROMOTING, "white", ())
    table.plays("a7a8n")
    assert table.state.score is None


# -- 7.5.1: a king in check for two moves ----------------------------------------------------------------------------


def test_simagin_sajtar_1946() -> None:
    """54 g4 fxg4+ 55 Qxf6 (both kings in check) Kxf6 56 fxg4, and only then did somebody see it.

    The moves are those of the game; the position around them is made up to fit, as the report shows no diagram. The
    arbiters went back to after 54... fxg4+, and the queen that was touched had to move: 55 Qxg4+, as it happened.
    """
    table = Table("150", "8/6k1/5q2/5p2/p4Q2/5PPK/8/8 w - - 0 54")
    table.plays("g3g4 f5g4", every=10_000)
    kept = table.state
    for side, uci, illegal in (("white", "f4f6", "king-in-check"), ("black", "g7f6", ""), ("white", "f3g4", "")):
        t = table.state.t
        events = (Ply(t, side, uci, *table.state.clocks(t), illegal=illegal, touched=(uci[:2], uci[2:])),)  # type: ignore[arg-type]
        table.store(events)
    assert table.state.fen.startswith("8/8/5k2/8/p5P1/7K/8/8 b")
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t + 10 * MINUTE, {"why": "55 Qxf6 left the king in check"}).ok
    assert table.state.fen == kept.fen
    assert table.state.clocks(0)[1] == kept.clocks(kept.t)[1] + 2 * MINUTE
    assert bound(table.state.board(), ("f4", "f6")) == {"f4g4"}
    table.order("resume", table.state.t)
    table.plays("f4g4")
    assert table.state.score is None


# -- 4: touched pieces -----------------------------------------------------------------------------------------------


def test_a_breach_of_touch_move_is_claimed_with_what_the_board_saw() -> None:
    table = Table("90+30")
    t = table.plays("e2e4 e7e5")
    table.does(PressClock("white", "g1f3", t + 2_000, touched=("f1", "g1")), t + 3_000)
    assert any("touched f1, g1" in fact for fact in facts(table.state))
    events = table.does(ClaimTouch("black"), t + 4_000)
    assert [type(event) for event in events] == [Claim, Paused, Call]
    assert (table.state.claim.what, table.state.claim.move) == ("touch-move", "g1f3")  # type: ignore[union-attr]
    why = table.state.calls[-1].why
    assert "Ba6, Bb5, Bc4, Bd3, Be2" in why
    assert "none of them (4.3)" in why
    # The arbiter: the bishop has to move; nothing is counted as an illegal move.
    assert table.order("correct", t + 5_000, {"ply": 2, "resume": 1}).ok
    assert (table.state.turn, table.state.offences("white")) == ("white", 0)
    assert any("touch-move leaves Ba6" in fact for fact in facts(table.state))
    table.plays("f1c4")
    assert not any("touch-move leaves" in fact for fact in facts(table.state))


def test_whoever_has_touched_a_piece_since_has_no_claim() -> None:
    """4.8: touching with the intention of moving ends the right to claim what was before."""
    table = Table("90+30")
    t = table.plays("e2e4 e7e5")
    table.does(PressClock("white", "g1f3", t + 2_000, touched=("f1", "g1")), t + 3_000)
    assert table.refuses(ClaimTouch("black", touched=True), t + 4_000) == "too-late"
    assert table.refuses(ClaimTouch("black"), t + 4_000, MakeMove("b8c6", t + 3_500)) == "too-late"
    table.plays("b8c6")
    events = table.does(ClaimTouch("black"), table.state.t + 500)  # now it is about what White is doing
    assert (events[0], "he has not made his move yet" in table.state.calls[-1].why) == (
        Claim(table.state.t, "black", "touch-move"),
        True,
    )


def test_a_move_released_and_not_pressed_is_claimed_too() -> None:
    table = Table("90+30")
    t = table.plays("e2e4 e7e5")
    standing = MakeMove("g1f3", t + 1_000, touched=("d1", "g1"))
    table.does(ClaimTouch("black"), t + 2_000, standing)
    assert "touched d1, g1, which leaves Qe2, Qf3, Qg4, Qh5" in table.state.calls[-1].why
    clean = Table("90+30")
    t = clean.plays("e2e4 e7e5")
    clean.does(PressClock("white", "g1f3", t, touched=("g1",)), t + 1_000)
    clean.does(ClaimTouch("black"), t + 2_000)
    assert "the move made is one of them" in clean.state.calls[-1].why


def test_touches_that_no_board_can_have_seen_are_passed_over() -> None:
    table = Table("90+30")
    table.does(PressClock("white", "e2e4", 500, touched=("e2", "z9", "")), 1_000)
    assert facts(table.state)
    table.does(ClaimTouch("black"), 2_000)


# -- 9: draws --------------------------------------------------------------------------------------------------------


def test_a_claim_by_the_opponent_of_a_move_that_waits_for_its_press_makes_it_first() -> None:
    """Once White's move is made Black has the move and may claim on the position it made (1.3, 9.2.2)."""
    table = Table("90+30")
    t = table.plays(SHUFFLE + "g1f3 g8f6")
    standing = MakeMove("f3g1", t + 1_000)
    assert table.refuses(ClaimDraw("white", "repetition"), t + 2_000, standing) == "touched"  # 9.4
    table.does(ClaimDraw("black", "repetition", "f6g8"), t + 2_000, standing)
    assert [ply.uci for ply in table.state.plies][-1] == "f3g1"
    assert table.state.plies[-1].t == t + 1_000
    assert "correct with Ng8" in table.state.calls[-1].why


def test_regulations_may_forbid_early_draws() -> None:
    """9.1.1: neither offered nor agreed before both have made so many moves; claims stay, and offer nothing."""
    table = Table("90+30", edition="fide2023 draw_moves=5")
    t = table.plays(SHUFFLE * 2)
    assert table.refuses(OfferDraw("white"), t) == "too-early"
    assert table.refuses(ProposeResult("white", "1/2-1/2"), t) == "too-early"
    table.does(ClaimDraw("white", "repetition"), t)
    assert (table.state.claim is not None, table.state.offer, table.state.questions) == (True, None, ())
    table.order("continue", t)
    t = table.plays("g1f3 g8f6")
    table.does(OfferDraw("white"), t)
    table.does(AnswerQuestion("black", table.state.questions[0].id, "yes"), t + 1)
    assert outcome(table) == ("1/2-1/2", "agreement", "ended")


# -- Guidelines III --------------------------------------------------------------------------------------------------

ROOKS = "8/5k2/8/8/8/3R4/r7/5K2 w - - 0 60"
FINISH = "fide2023 finish=guidelines-iii"


def finishing(control: str = "65", left_ms: int = 100_000, edition: str = FINISH) -> Table:
    """A rook ending in the last period, White with so much time left, Black with ten minutes."""
    table = Table(control, ROOKS, edition=edition)
    table.order("pause", 0)
    table.order("times", 0, {"white_ms": left_ms, "black_ms": 600_000})
    table.order("resume", 0)
    return table


def test_an_increment_is_asked_for_and_granted() -> None:
    table = finishing()
    assert table.refuses(ClaimFinish("black", "increment"), 1_000) == "wrong-side"
    table.does(ClaimFinish("white", "increment"), 1_000)
    assert (table.state.phase, table.state.offer) == ("paused", "white")  # III.4: it offers a draw
    table.does(AnswerQuestion("black", table.state.questions[0].id, "no"), 2_000)
    assert table.order("continue", 3_000, {"increment": 1}).ok
    assert table.state.clocks(3_000) == (99_000, 720_000)
    table.plays("d3d7 f7e6", every=2_000)
    assert table.state.clocks(table.state.t) == (102_000, 723_000)
    assert table.refuses(ClaimFinish("white", "normal-means"), table.state.t) == "not-now"  # now it has an increment
    assert replay(table.log) == table.state


@pytest.mark.parametrize(("data", "black_ms"), [({}, 720_000), ({"postpone": 1}, 720_000), ({"bonus_ms": 0}, 600_000)])
def test_a_claim_that_the_opponent_cannot_win_is_answered(data: dict[str, object], black_ms: int) -> None:
    table = finishing()
    table.does(ClaimFinish("white", "normal-means"), 1_000)
    assert "III.5" in table.state.calls[-1].why
    assert not table.order("continue", 2_000, {"increment": 1}).ok
    assert table.order("continue", 2_000, data).ok
    assert table.state.clocks(2_000) == (99_000, black_ms)
    table.time_passes(200_000)
    # Put off, the arbiter decides at the flag (III.5.2): players are asked to confirm, and he has been called.
    put_off = "postpone" in data
    assert outcome(table) == ("0-1", "flag", "ended")
    assert ("postponed" in table.state.evidence) == put_off
    assert any(call.about == "undetermined" for call in table.state.calls) == put_off
    assert any("III.5.2" in fact for fact in facts(table.state)) == put_off


def test_a_claim_that_the_arbiter_upholds_is_a_draw() -> None:
    table = finishing()
    table.does(ClaimFinish("white", "normal-means"), 1_000)
    assert table.order("rule", 2_000, {"score": "1/2-1/2"}).ok
    assert (table.state.score, table.state.evidence["article"]) == ("1/2-1/2", "III.5")


def test_when_guidelines_iii_give_nothing() -> None:
    assert finishing(left_ms=120_000).refuses(ClaimFinish("white", "normal-means"), 0) == "too-early"  # less than two
    assert Table("60+30", edition=FINISH).refuses(ClaimFinish("white", "increment"), 0) == "not-now"
    assert Table("65").refuses(ClaimFinish("white", "increment"), 0) == "not-now"  # not announced
    first = Table("40/1, 60", edition=FINISH)
    assert first.refuses(ClaimFinish("white", "increment"), 0) == "not-now"  # not the last period
    with pytest.raises(EditionError, match=r"III\.2\.2"):
        edition_of(FINISH, "blitz")


ALONE = "fide2023 finish=guidelines-iii-alone"


def test_without_an_arbiter_the_claim_concludes_the_game_and_the_opponent_verifies_the_position() -> None:
    """III.6: nobody plays on, whoever presses what; the result is decided later."""
    table = finishing(edition=ALONE)
    assert table.refuses(ClaimFinish("white", "increment"), 1_000) == "not-now"
    table.does(ClaimFinish("white", "normal-means"), 1_000)
    assert (table.state.concluded, table.state.phase, table.state.score) == (True, "paused", None)
    assert any("has not verified" in fact for fact in facts(table.state))
    for kind, data in (("continue", {}), ("continue", {"postpone": 1}), ("resume", {})):
        done = table.order(kind, 2_000, data)
        assert not done.ok
        assert "III.6" in done.why
    assert table.refuses(ResumePlay("white"), 2_000) == table.refuses(TurnKey(long=True), 2_000) == "not-now"
    asked = table.state.questions[0]
    assert (asked.side, asked.about) == ("black", "position")
    table.does(AnswerQuestion("black", asked.id, "yes"), 3_000)
    assert any("has verified" in fact and table.state.fen in fact for fact in facts(table.state))
    assert table.time_passes(99 * MINUTE) == ()  # no flag falls in a game that is over
    assert table.order("rule", 100 * MINUTE, {"score": "1/2-1/2"}).ok
    evidence = table.state.evidence
    assert (table.state.score, evidence["article"], evidence["verified"]) == ("1/2-1/2", "III.6", "yes")
    assert replay(table.log) == table.state


def test_an_opponent_who_does_not_agree_with_the_final_position_calls_for_it() -> None:
    table = finishing(edition=ALONE)
    table.does(ClaimFinish("white", "normal-means"), 1_000)
    table.does(AnswerQuestion("black", table.state.questions[0].id, "no"), 2_000)
    assert (table.state.calls[-1].side, "III.6" in table.state.calls[-1].why) == ("black", True)
    table.order("rule", 3_000, {"score": "0-1"})
    assert (table.state.score, table.state.evidence["verified"]) == ("0-1", "no")


# -- 6.8, 6.11: which clock may run ----------------------------------------------------------------------------------


def test_no_clock_runs_for_a_side_that_has_nothing_to_complete() -> None:
    table = Table("3+2", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 9")
    table.order("pause", 1_000)
    done = table.order("resume", 1_000, {"side": "white"})
    assert (done.ok, "black has the move" in done.why) == (False, True)
    assert table.order("resume", 1_000, {"side": "black"}).ok
    table.plays("e8e7")
    table.order("pause", table.state.t)
    assert table.order("resume", table.state.t, {"side": "black"}).ok  # he has not completed it, the arbiter says
    assert (table.state.ahead, table.state.running) == (1, "black")


def test_no_game_goes_on_with_a_flag_down_that_stops_both_clocks() -> None:
    table = Table("1+0")
    table.plays("e2e4 e7e5")
    table.time_passes(200_000)
    assert table.state.ended_by == "flag"
    assert not table.order("correct", 200_000, {"ply": 2}).ok  # White has no time there either: say which
    assert table.order("correct", 200_000, {"ply": 2, "white_ms": 5_000, "black_ms": 9_000, "resume": 1}).ok
    assert (table.state.phase, table.state.running, table.state.flags) == ("playing", "white", ())


def test_a_flag_that_players_did_not_see_is_down_still_when_a_position_goes_back() -> None:
    """Where players alone call flags (1997) a correction does not raise one that fell before."""
    table = Table("1+0", edition="club1997")
    table.does(PressClock("white", "e2e4", 70_000), 71_000)
    table.plays("e7e5")
    assert [flag.side for flag in table.state.flags] == ["white"]
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"ply": 1, "resume": 1}).ok
    assert [flag.side for flag in table.state.flags] == ["white"]
    table.does(ClaimFlag("black"), table.state.t)
    assert outcome(table) == ("0-1", "flag", "ended")


# -- Guidelines II ---------------------------------------------------------------------------------------------------


def test_the_rook_that_castles_is_the_one_with_the_right() -> None:
    """Another rook may stand farther out: touching king and castling rook binds to that castling (4.4.1)."""
    board = chess.Board("4k3/8/8/8/8/8/8/1R2KR1R w F - 0 1", chess960=True)
    assert bound(board, ("e1", "f1")) == {"e1f1"}
    assert {"e1d1", "e1f1"} <= bound(board, ("e1", "h1"))  # with that one he may not: any move of the king (4.4.3)
