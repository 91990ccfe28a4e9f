"""What an arbiter puts right, punishes and adjourns; what players may do to the clock; every state explains itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.laws.events import (
    Adjusted,
    Assigned,
    Board,
    Call,
    Claim,
    Ended,
    Flag,
    GameEvent,
    Paused,
    Ply,
    Press,
    Resumed,
    Start,
)
from rules.laws.game import (
    CallArbiter,
    ClaimDraw,
    ClaimFlag,
    ClaimIllegal,
    MakeReady,
    PressClock,
    PressIllegal,
    PressOnly,
    Resign,
    ResumePlay,
    Sit,
    StartByPress,
    claim,
    decide,
    explain,
    facts,
    first_held,
    next_due,
    permitted,
    recover,
    replay,
)
from tests.rules.tables import SHUFFLE, Table, assignment, outcome

MINUTE = 60_000
TEN_MOVES = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 b1d2 a7a6 c4b3 c5a7 h2h3 h7h6 d2f1 e8g8 f1g3 f8e8 "


# -- illegal presses ----------------------------------------------------------------------------------------------


def test_where_illegal_moves_can_be_claimed_all_game_long_each_player_may_claim_the_others() -> None:
    """7.5.1: White's illegal move was not noticed, Black's neither; Black's own does not take White's claim away."""
    table = Table("90+30")
    for change, uci in (({"e2": None, "e5": "P"}, "e2e5"), ({"a7": None, "a4": "p"}, "a7a4")):
        table.presses_after(change)
        illegal, table.state = table.state.plies, replace(table.state, calls=())  # nobody has noticed
        table.order("resume", table.state.t + 100, {"side": table.state.turn})
        table.state = replace(table.state, plies=illegal)
        assert table.state.plies[-1].uci == uci
    for side, move in (("black", "e2e5"), ("white", "a7a4")):
        (claimed, *_rest) = decide(table.state, ClaimIllegal(side), table.state.t + 500)  # type: ignore[misc]
        assert isinstance(claimed, Claim)
        assert claimed.move == move


def test_in_standard_chess_the_clocks_stop_at_the_press() -> None:
    table = Table("90+30")
    events = table.presses_after({"e2": None, "e5": "P"})
    assert [type(event) for event in events] == [Ply, Press, Paused, Call]
    assert (table.state.phase, table.state.paused_by) == ("paused", "table")
    assert events[3] == Call(1_000, None, events[3].why, "illegal-move")  # type: ignore[union-attr]
    assert "7.5.1" in table.state.calls[0].why
    assert table.order("correct", 30_000, {"resume": 1}).ok
    start = 90 * MINUTE + 30_000
    assert table.state.clocks(30_000) == (start - 1_000, start + 2 * MINUTE)
    assert (table.state.plies, table.state.running) == ((), "white")
    assert table.state.clock is not None
    assert table.state.clock.half("white").moves == 0  # the counter goes back too
    table.plays("e2e4")


def test_looked_at_and_left_alone_it_stands() -> None:
    table = Table("90+30")
    table.presses_after({"e2": None, "e5": "P"})
    assert table.order("resume", 9_000).ok
    assert (table.state.running, table.state.illegal_ply) == ("black", None)
    table.plays("d7d5 e5d6")  # even taken in passing: the record plays on from what is on the board


def test_a_press_without_a_move_waits_for_the_arbiter_in_every_hall() -> None:
    for control in ("90+30", "3+2"):
        table = Table(control)
        before = table.state.clocks(1_000)
        events = table.presses_after({})
        assert [type(event) for event in events] == [Paused, Call]
        assert "7.5.3" in table.state.calls[0].why
        assert (table.state.plies, table.state.position.turn) == ((), True)
        assert table.order("correct", 5_000, {"resume": 1}).ok
        bonus = 2 * MINUTE if control == "90+30" else MINUTE
        assert table.state.clocks(5_000) == (before[0], before[1] + bonus)
        assert table.state.offences("white") == 1


def test_a_board_in_disorder_is_no_illegal_move() -> None:
    table = Table("3+2")
    events = table.presses_after({"e7": None, "e5": "p", "d2": None})
    assert [type(event) for event in events] == [Board, Paused, Call]
    assert not table.order("correct", 5_000).ok  # whose illegal move? none is open
    assert table.order("resume", 6_000).ok
    assert table.state.running == "white"


def test_an_illegal_press_of_the_wrong_side_or_of_nonsense_is_refused() -> None:
    table = Table()
    assert table.refuses(PressIllegal("black", "8/8/8/8/8/8/8/8"), 500) == "wrong-side"
    assert table.refuses(PressIllegal("white", "nonsense"), 500) == "unknown"


def test_a_flag_that_fell_before_the_illegal_press_counts_first() -> None:
    table = Table("1+0")
    table.does(PressIllegal("white", "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR", 59_000), 60_000)
    assert outcome(table) == ("0-1", "flag", "ended")
    assert table.found(Ply) == []


def test_two_hands_are_claimed_and_the_arbiter_names_the_ply() -> None:
    table = Table("90+30", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    table.plays("e1g1", every=10_000)
    t = table.state.t
    call = table.does(ClaimIllegal("black"), t + 500)[2]
    assert isinstance(call, Call)
    assert "the record shows none" in call.why
    assert table.order("correct", t + 900, {"offence": "illegal-move", "ply": 0, "why": "two hands"}).ok
    assert (table.state.plies, table.state.offences("white"), table.state.turn) == ((), 1, "white")
    assert table.state.position.has_kingside_castling_rights(True)


def test_both_kings_in_check_after_the_next_move_too_is_told_to_the_arbiter() -> None:
    """A.5.4: the game is drawn if the arbiter has waited for one move and the position is illegal still."""
    table = Table("3+2", "1r2r3/1R3ppp/1k6/1B1n4/8/2P2P2/2K3PP/1R6 b - - 0 27")
    table.presses_after({"d5": None, "e3": "n"})
    assert any("both kings are in check" in fact for fact in facts(table.state))
    events = table.presses_after({"f3": None, "f4": "P"})  # White leaves his king in check as well
    told = [event.why for event in events if isinstance(event, Board) and event.state == "unexplained"]
    assert any("f3f4" in why for why in told)
    events = table.presses_after({"g7": None, "g6": "p"})
    assert table.order("pause", table.state.t).ok
    assert table.order("rule", table.state.t, {"score": "1/2-1/2", "why": "seen since move 27"}).ok
    assert table.state.evidence["article"] == "A.5.4"


def test_an_illegal_position_that_a_legal_move_leaves_is_told() -> None:
    table = Table("3+2", "7k/P7/8/8/8/8/8/K7 w - - 0 1")
    table.presses_after({"a7": None, "a8": "P"})
    events = table.does(PressClock("black", "h8g7", table.state.t + 500), table.state.t + 900)
    assert isinstance(events[-1], Board)
    assert "A.5.4" in events[-1].why


@pytest.mark.parametrize(
    ("told", "kinds"), [("nobody", [Ply, Press]), ("arbiter", [Ply, Press, Board]), ("all", [Ply, Press, Call])]
)
def test_whom_the_table_tells(told: str, kinds: list[type[GameEvent]]) -> None:
    table = Table("3+2", edition=f"fide2023 illegal_told={told}")
    assert [type(event) for event in table.presses_after({"e2": None, "e5": "P"})] == kinds


# -- corrections --------------------------------------------------------------------------------------------------


def test_going_back_without_a_penalty() -> None:
    table = Table("3+2")
    table.plays("e2e4 e7e5 g1f3 b8c6")
    t = table.state.t
    assert not table.order("correct", t, {"ply": 2}).ok  # the clocks are running
    table.order("pause", t)
    assert not table.order("correct", t, {"ply": 9}).ok
    assert table.order("correct", t, {"ply": 2, "why": "both agreed"}).ok
    assert [ply.uci for ply in table.state.plies] == ["e2e4", "e7e5"]
    assert table.state.clocks(t) == (182_000 - 1_000 + 2_000 - 1_000, 182_000 - 1_000 + 2_000)
    assert (table.state.rulings, table.state.turn) == ((), "white")
    table.order("resume", t + 100)
    table.plays("f1c4")
    assert replay(table.log) == table.state


def test_times_that_the_arbiter_gives_are_final() -> None:
    table = Table("3+2")
    table.presses_after({"e2": None, "e5": "P"})
    table.order("pause", table.state.t)
    data = {"white_ms": 170_000, "black_ms": 200_000, "side": "white", "offence": "illegal-move"}
    assert table.order("correct", table.state.t, data).ok
    assert table.state.clocks(0) == (170_000, 200_000)
    assert table.state.offences("white") == 1


def test_play_goes_on_from_what_stands_on_the_board() -> None:
    """A board that could not be read comes back, and nobody knows the moves: the arbiter gives the position."""
    table = Table("3+2")
    table.plays("e2e4")
    table.store((Board(1_100, "lost"),))
    for side in ("black", "white", "black"):
        table.does(PressOnly(side), table.state.t + 500)  # type: ignore[arg-type]
    table.order("pause", table.state.t)
    t = table.state.t
    assert not table.order("correct", t, {"fen": "nothing"}).ok
    fen = "rnbqkbnr/pp2pppp/2p5/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3"
    assert table.order("correct", t, {"fen": fen}).ok
    table.store((Board(t, "returned"),))
    assert (table.state.fen, table.state.ahead) == (fen, 0)
    table.order("resume", t)
    table.plays("b1c3 d5e4")
    assert replay(table.log) == table.state
    table.order("pause", table.state.t)
    assert table.order("correct", table.state.t, {"ply": 2}).ok  # and back again, through the position that was set
    assert table.state.fen.startswith("rnbqkbnr/pp2pppp/2p5/3p4/3PP3/2N5/PPP2PPP")


def test_a_game_that_ended_by_mistake_is_taken_up_again_before_it_is_confirmed() -> None:
    table = Table("90+30")
    table.plays("f2f3 e7e5 g2g4")
    table.does(PressClock("black", "d8h4", table.state.t + 500), table.state.t + 900)
    assert outcome(table) == ("0-1", "checkmate", "ended")
    t = table.state.t + 5_000
    assert table.order("correct", t, {"ply": 3, "why": "the queen was touched after the bishop"}).ok
    assert (table.state.phase, table.state.score, table.state.proposed) == ("paused", None, None)
    table.order("resume", t)
    table.plays("f8c5")
    table.does(Resign("white"), table.state.t + 1)
    table.order("rule", table.state.t, {"score": "0-1", "by": "resignation"})
    assert not table.order("correct", table.state.t, {"ply": 3}).ok


def test_a_flag_is_cleared_when_the_position_goes_back_before_it() -> None:
    table = Table("1+0")
    table.plays("e2e4 e7e5")
    table.time_passes(5 * MINUTE)
    assert table.state.ended_by == "flag"
    t = 6 * MINUTE
    assert table.order("correct", t, {"ply": 1, "white_ms": 50_000, "black_ms": 40_000, "why": "illegal e5"}).ok
    assert (table.state.flag, table.state.flags) == (None, ())
    table.order("resume", t)
    assert (table.state.running, next_due(table.state)) == ("black", t + 40_000)


# -- wrong from the start -----------------------------------------------------------------------------------------


def test_wrong_colours_before_ten_moves_are_a_new_game() -> None:
    table = Table("3+2")
    table.plays("e2e4 e7e5")
    t = table.state.t
    table.order("pause", t)
    assert table.order("correct", t, {"error": "colours"}).ok
    assert isinstance(table.log[-2], Assigned)
    assert (table.state.phase, table.state.plies, table.state.clocks(t)) == ("assigned", (), (182_000, 182_000))
    assert table.order("start", t + 100).ok
    table.plays("d2d4")


def test_wrong_colours_after_ten_moves_are_kept_and_named() -> None:
    table = Table("3+2")
    table.does(Sit("white"), 0)
    table.plays(TEN_MOVES)
    assert table.state.completed_by_both == 10
    t = table.state.t
    table.order("pause", t)
    clocks = table.state.clocks(t)
    assert table.order("correct", t, {"error": "colours"}).ok
    assert table.state.assignment is not None
    assert (table.state.assignment.white.name, table.state.assignment.black.name) == ("Boris Ivanov", "Anna Petrova")
    assert (table.state.clocks(t), table.state.seated) == (clocks, frozenset({"black"}))
    table.order("resume", t)
    table.plays("c1e3")


def test_a_wrong_position_after_ten_moves_is_played_on_in_blitz_and_never_in_standard() -> None:
    for control, kept in (("3+2", True), ("90+30", False)):
        table = Table(control)
        table.plays(TEN_MOVES)
        table.order("pause", table.state.t)
        done = table.order("correct", table.state.t, {"error": "position"})
        assert done.ok is not kept
        assert ("goes on" in done.why) is kept
        assert (table.state.phase == "paused") is kept


def test_a_turned_board_and_a_wrong_clock() -> None:
    table = Table("3+2")
    table.plays("e2e4")
    table.order("pause", table.state.t)
    clocks = table.state.clocks(table.state.t)
    assert table.order("correct", table.state.t, {"error": "board-turned"}).ok
    assert table.state.clocks(0) == clocks
    assert not table.order("correct", table.state.t, {"error": "clock"}).ok  # which times?
    assert table.order("correct", table.state.t, {"error": "clock", "white_ms": 300_000, "black_ms": 300_000}).ok
    assert table.state.clocks(0) == (300_000, 300_000)
    assert not table.order("correct", table.state.t, {"error": "weather"}).ok
    assert table.order("correct", table.state.t, {"restart": 1}).ok
    assert table.state.phase == "assigned"


def test_misplaced_pieces_lose_their_castling() -> None:
    """A.5.1.2 by the position alone: king and queen stood exchanged, one rook on the knight's square."""
    table = Table("3+2")
    table.plays(TEN_MOVES)
    table.order("pause", table.state.t)
    fen = "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/1RBQK2R w KQkq - 20 11"
    assert table.order("correct", table.state.t, {"fen": fen}).ok
    position = table.state.position
    assert not position.has_castling_rights(False)
    assert (position.has_kingside_castling_rights(True), position.has_queenside_castling_rights(True)) == (True, False)


# -- penalties ----------------------------------------------------------------------------------------------------


def test_a_penalty_of_time_says_how_much() -> None:
    table = Table("90+30")
    table.order("pause", 1_000)
    done = table.order("penalty", 2_000, {"side": "white", "action": "time", "offence": "conduct"})
    assert not done.ok
    assert "how much time" in done.why
    assert table.state.rulings == ()
    assert table.order("penalty", 2_000, {"side": "white", "action": "time", "off_ms": 60_000}).ok
    assert table.state.clocks(2_000) == (90 * MINUTE + 29_000 - MINUTE, 90 * MINUTE + 30_000)


def test_the_arbiter_chooses_the_penalty_where_the_laws_have_no_ladder() -> None:
    table = Table("3+2")
    assert not table.order("penalty", 100, {"side": "white"}).ok
    assert not table.order("penalty", 100, {"action": "warning"}).ok
    assert not table.order("penalty", 100, {"side": "white", "action": "dance"}).ok
    assert table.order("penalty", 100, {"side": "white", "action": "warning", "offence": "talking"}).ok
    assert (table.state.phase, table.state.offences("white", "talking")) == ("playing", 1)
    assert not table.order("penalty", 200, {"side": "white", "action": "time", "ms": 5_000}).ok  # clocks running
    table.order("pause", 1_000)
    assert table.order("penalty", 1_000, {"side": "white", "action": "time", "ms": 5_000, "off_ms": 2_000}).ok
    assert table.state.clocks(0) == (179_000, 187_000)
    assert table.order("penalty", 1_000, {"side": "white", "action": "loss", "offence": "device"}).ok
    assert outcome(table) == ("0-1", "ruling", "confirmed")
    assert (table.state.evidence["article"], table.state.evidence["count"]) == ("12.9", "3")


def test_the_ladder_of_the_club() -> None:
    table = Table("5+0", edition="club1997")
    table.order("pause", 0)
    assert table.order("penalty", 0, {"side": "black", "offence": "banging"}).ok
    assert table.state.clocks(0) == (300_000, 300_000)
    assert table.order("penalty", 0, {"side": "black", "offence": "wrong hand"}).ok
    assert table.state.clocks(0) == (360_000, 300_000)
    assert table.order("penalty", 0, {"side": "black", "offence": "banging"}).ok
    assert outcome(table) == ("1-0", "ruling", "confirmed")


# -- adjournment --------------------------------------------------------------------------------------------------


def adjourned() -> Table:
    table = Table("90+30")
    table.plays("e2e4 e7e5")
    t = table.state.t
    assert not table.order("adjourn", t, {"side": "black"}).ok
    assert table.order("adjourn", t + 10_000, {"side": "white", "envelope": "12/1"}).ok
    return table


def test_a_sealed_move_is_opened_and_the_other_clock_runs() -> None:
    table = adjourned()
    assert table.state.sealed is not None
    assert (table.state.sealed.sealed, table.state.sealed.envelope) == ("white", "12/1")
    assert any("envelope 12/1" in fact for fact in facts(table.state))
    table.store(recover(table.state, 50, same_boot=False))  # the machine was switched off overnight
    assert table.state.sealed is not None
    clocks = table.state.clocks(50)
    assert not table.order("resume", 100).ok
    done = table.order("resume", 100, {"move": "e2e4"})
    assert (done.ok, "Guidelines I" in done.why) == (False, True)
    assert table.order("resume", 100, {"move": "g1f3"}).ok
    assert (table.state.running, table.state.sealed, table.state.ahead) == ("black", None, 0)
    assert table.state.clocks(1_100) == (clocks[0], clocks[1] - 1_000)
    table.plays("b8c6")
    assert replay(table.log) == table.state


def test_a_sealed_mate_ends_the_game_at_once() -> None:
    table = Table("90+30")
    table.plays("f2f3 e7e5 g2g4")
    table.order("adjourn", table.state.t)
    assert table.order("resume", table.state.t, {"move": "d8h4"}).ok
    assert outcome(table) == ("0-1", "checkmate", "ended")


def test_an_adjournment_without_a_sealed_move_is_taken_back() -> None:
    table = adjourned()
    assert table.order("resume", table.state.t, {"unsealed": 1}).ok
    assert (table.state.running, table.state.sealed) == ("white", None)


# -- flags where players call them ----------------------------------------------------------------------------------


def test_players_call_flags_and_the_table_keeps_the_instants() -> None:
    table = Table("1+0", edition="club1997")
    table.time_passes(70_000)
    assert (table.state.phase, table.state.flag) == ("playing", Flag(60_000, "white"))
    assert table.refuses(ClaimDraw("white", "repetition"), 70_000) == "not-now"  # no record, no claim
    events = table.does(ClaimFlag("black"), 71_000)
    assert isinstance(events[1], Ended)
    assert outcome(table) == ("0-1", "flag", "ended")
    assert (table.state.evidence["fell_ms"], table.state.evidence["claimed_by"]) == ("60000", "black")


def test_the_arbiter_reads_which_flag_fell_first_and_how_much_later_the_other() -> None:
    table = Table("1+0", edition="club1997")
    table.plays("e2e4", every=30_000)
    table.time_passes(90_000)
    table.does(PressClock("black", "e7e5", 91_000), 91_000)
    table.time_passes(200_000)
    flags = [fact for fact in facts(table.state) if "flag" in fact]
    assert flags == ["The flag of black fell first; white may claim it.", "The flag of white fell 31 s later."]


def test_with_both_flags_down_the_first_has_lost() -> None:
    table = Table("1+0", edition="club1997")
    table.plays("e2e4", every=50_000)
    table.time_passes(120_000)  # Black's flag
    table.does(PressClock("black", "e7e5", 120_000), 120_500)
    table.time_passes(300_000)
    assert [flag.side for flag in table.state.flags] == ["black", "white"]
    call = table.does(ClaimFlag("black"), 300_000)[2]
    assert isinstance(call, Call)
    assert "black fell first" in call.why
    table.order("resume", 300_000)
    table.does(ClaimFlag("white"), 300_100)
    assert outcome(table) == ("1-0", "flag", "ended")


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("8/8/8/4k3/8/8/3nn3/K7 w - - 0 1", "1/2-1/2"),  # two knights force nothing (1997 C4)
        ("8/8/8/4k3/8/8/P2nn3/K7 w - - 0 1", "0-1"),
        ("8/8/8/4k3/8/8/3n4/K6R w - - 0 1", "0-1"),
        ("8/8/8/4k3/8/8/3n4/K6Q w - - 0 1", "1/2-1/2"),
    ],
)
def test_the_club_asks_for_material_to_win_on_time(fen: str, score: str) -> None:
    table = Table("1+0", fen, edition="club1997")
    table.time_passes(60_000)
    table.does(ClaimFlag("black"), 61_000)
    assert outcome(table) == (score, "flag", "ended")


def test_the_club_lets_a_dead_position_and_a_fifth_repetition_go_on() -> None:
    table = Table("5+0", edition="club1997")
    table.plays(SHUFFLE * 5)
    assert table.state.phase == "playing"
    assert [by for by, _after in first_held(table.state)] == ["fivefold-repetition"]


def test_touching_ends_the_clubs_claim() -> None:
    table = Table("5+0", edition="club1997")
    assert [type(event) for event in table.presses_after({"e2": None, "e5": "P"})] == [Ply, Press]  # silence
    assert table.refuses(ClaimIllegal("black", touched=True), table.state.t) == "too-late"
    table.does(ClaimIllegal("black"), table.state.t)
    assert table.order("correct", table.state.t).ok
    assert outcome(table) == ("0-1", "illegal-move", "confirmed")


# -- starting, coming late, stopping --------------------------------------------------------------------------------


def test_black_starts_whites_clock_where_the_event_says_so() -> None:
    table = Table("3+2", started=False)
    assert table.refuses(StartByPress("black"), 5) == "not-started"
    table = Table("3+2", started=False, edition="fide2023 start_by=press")
    assert table.refuses(StartByPress("white"), 5) == "wrong-side"
    assert table.does(StartByPress("black"), 10) == (Start(10),)
    assert table.state.running == "white"


def test_the_default_time_calls_the_arbiter_once() -> None:
    table = Table("90+30", started=False, edition="fide2023 default_ms=1800000")
    table.does(MakeReady("black"), 5)
    table.order("start", 10)
    assert next_due(table.state) == 1_800_010
    (call,) = table.time_passes(1_900_000)
    assert isinstance(call, Call)
    assert (call.t, call.side, call.about) == (1_800_010, None, "default")
    assert "30 minutes: white" in call.why
    assert table.time_passes(1_900_001) == ()
    assert table.order("rule", 1_900_002, {"score": "0-1", "by": "default"}).ok
    present = Table("90+30", edition="fide2023 default_ms=1800000")
    present.plays("e2e4 e7e5")  # nobody signed in, but they play
    assert present.time_passes(1_900_000) == ()


def test_a_player_takes_back_his_own_pause_and_no_other() -> None:
    table = Table("3+2")
    table.does(CallArbiter("white", "no queen", pause=True), 1_000)
    assert table.refuses(ResumePlay("black"), 1_500) == "not-now"
    assert table.does(ResumePlay("white"), 2_000) == (Resumed(2_000, "white"),)
    table.does(CallArbiter("white", "no queen", pause=True), 40_000)
    table.order("pause", 41_000)
    assert table.refuses(ResumePlay("white"), 42_000) == "not-now"  # the arbiter has it in hand (6.11.3)
    table.order("resume", 43_000)
    table.does(ClaimDraw("white", "repetition"), 44_000)
    assert table.refuses(ResumePlay("white"), 45_000) == "not-now"  # a claim cannot be withdrawn (9.5.1)


def test_claims_by_name() -> None:
    assert claim("white", "repetition", "e2e4") == ClaimDraw("white", "repetition", "e2e4")
    assert claim("white", "flag") == ClaimFlag("white")
    assert claim("white", "illegal-move", touched=True) == ClaimIllegal("white", True)
    with pytest.raises(ValueError, match="is no claim"):
        claim("white", "victory")


def test_an_edition_that_is_not_known_is_an_assignment_refused() -> None:
    table = Table(edition="fide2031", started=False)
    (event,) = table.log
    assert isinstance(event, Assigned)
    assert (event.assignment, "fide2023" in event.why) == (None, True)


# -- Chess960 -----------------------------------------------------------------------------------------------------


def test_chess960_castles_from_where_king_and_rook_stand() -> None:
    fen = "rkbnnqbr/pppppppp/8/8/8/8/PPPPPPPP/RKBNNQBR w KQkq - 0 1"
    table = Table("15+10", fen)
    assert table.state.position.chess960
    table.plays("b2b3 b7b6 d1e3 d8e6 c1b2 c8b7")
    castling = [move for move in table.state.position.legal_moves if table.state.position.is_castling(move)]
    assert [move.uci() for move in castling] == ["b1a1"]
    table.plays("b1a1 b8a8")
    assert [ply.san for ply in table.state.plies[-2:]] == ["O-O-O", "O-O-O"]
    assert table.state.fen.startswith("2kr")
    assert replay(table.log) == table.state


def test_a_usual_start_is_no_chess960() -> None:
    assert not Table("15+10").state.position.chess960
    assert not Table("15+10", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").state.position.chess960


# -- late findings and explanations -------------------------------------------------------------------------------


def test_what_ended_the_game_unnoticed_is_found_with_its_ply() -> None:
    """A record that somebody wrote on after the fifth repetition: the arbiter is shown where it held first (9.6.1)."""
    table = Table("5+3")
    moves = (SHUFFLE * 5 + "e2e4").split()
    for n, uci in enumerate(moves):
        side = "white" if n % 2 == 0 else "black"
        t = table.state.t + 100
        table.store((Ply(t, side, uci, *table.state.clocks(t)), Press(t, side, *table.state.clocks(t))))  # type: ignore[arg-type]
    assert first_held(table.state) == (("fivefold-repetition", "half-move 16, Ng8"),)
    assert any("fivefold-repetition held first after half-move 16" in fact for fact in facts(table.state))


def test_players_are_not_told_what_the_arbiter_is() -> None:
    table = Table("90+30")
    table.plays(SHUFFLE * 2)
    assert any("draw claim would be" in fact for fact in facts(table.state))
    assert not any("repetition" in name for name in permitted(table.state, "white"))


def test_a_state_says_what_everybody_may_do() -> None:
    table = Table("3+2", started=False)
    assert permitted(table.state, "white") == ("sit", "ready", "call")
    assert set(permitted(table.state, "arbiter")) == {"start", "times", "rule", "clear", "seal"}
    table.order("start", 0)
    table.plays("e2e4 e7e5")
    assert permitted(table.state, "white") == (
        "sit", "offer", "claim-draw", "claim-flag", "claim-illegal", "claim-touch", "propose", "call", "move", "press",
        "resign",
    )  # fmt: skip
    assert "claim-draw" not in permitted(table.state, "black")
    assert set(permitted(table.state, "arbiter")) == {"pause", "penalty", "adjourn", "rule"}
    table.does(CallArbiter("black", "noise", pause=True), table.state.t)
    assert "resume" in permitted(table.state, "black")
    assert "resume" not in permitted(table.state, "white")
    assert {"resume", "times", "continue", "correct"} <= set(permitted(table.state, "arbiter"))
    lines = explain(table.state)
    assert lines[0] == "The clocks were stopped by black: noise."
    assert lines[2] == "Black may: sign in, propose a result, let play go on, resign."
    assert "If the set-up was wrong: start position: a new game" in lines[-1]


def test_every_state_of_a_game_explains_itself() -> None:
    table = Table("3+2")
    table.presses_after({"e2": None, "e5": "P"})
    table.does(ClaimIllegal("black"), table.state.t)
    table.order("correct", table.state.t, {"resume": 1})
    table.plays("e2e4")
    table.does(Resign("black"), table.state.t)
    for n in range(len(table.log) + 1):
        state = replay(table.log[:n])
        lines = explain(state)
        assert len(lines) >= 4
        assert all(line.endswith(".") and "{" not in line for line in lines)
    assert any("Illegal moves ruled against white: 1" in fact for fact in facts(replay(table.log[:12])))


def test_an_old_log_without_the_new_fields_folds_as_before() -> None:
    """Events of the first version have none of the later fields: their defaults change nothing."""
    table = Table("3+2")
    table.plays("e2e4 e7e5")
    table.order("pause", table.state.t)
    table.order("times", table.state.t, {"white_ms": 9_000, "black_ms": 8_000})
    event = next(event for event in table.log if isinstance(event, Adjusted))
    assert (event.ply, event.fen, event.offender, event.swapped) == (-1, "", "", False)
    assert len(table.state.plies) == 2
    assert replace(assignment(), edition="") == assignment()
