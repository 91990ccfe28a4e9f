"""Disputes that happened, decided at the table by the Laws of 2023 unless an edition is named.

They come from servers' bug trackers, arbiters' columns and forums; each test says what was asked and by which article.
"""

from __future__ import annotations

import chess
import pytest

from rules.laws import game_endings
from rules.laws.events import Board, Call, Claim, Ended, Fault, Flag, Paused, Ply, Result
from rules.laws.game import (
    AnswerQuestion,
    ClaimDraw,
    ClaimFlag,
    ClaimIllegal,
    Confirm,
    MakeMove,
    OfferDraw,
    PressClock,
    SettleMate,
    recover,
)
from rules.laws.illegal import bound
from tests.rules.tables import SHUFFLE, Table, outcome

MINUTE = 60_000

# -- the flag, and who can still mate (6.9) -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("7k/6q1/p4PPK/6PP/8/5P2/8/8 w - - 0 1", "1/2-1/2"),  # fxg7+ is the only move, then Black has nothing
        ("8/5k2/8/4b3/8/3K4/P7/8 w - - 0 1", "0-1"),  # lone bishop, pawn: the pawn may become a bishop
        ("8/5k2/8/4n3/8/3K4/PP6/8 w - - 0 1", "0-1"),  # lone knight, pawns
        ("8/5n2/8/3k4/8/3K4/7Q/8 w - - 0 1", "1/2-1/2"),  # lone knight, queen
        ("8/4k3/4P3/3B2P1/4P1K1/8/3b4/8 w - - 0 1", "0-1"),  # three pawns more, World Blitz 2019
        ("8/8/8/8/2k5/P7/2b5/K1R5 w - - 0 1", "0-1"),  # the bishop could be taken, but need not be
    ],
)
def test_any_helpmate_is_enough_for_a_win_on_time(fen: str, score: str) -> None:
    table = Table("1+0", fen)
    table.time_passes(2 * MINUTE)
    assert outcome(table) == (score, "flag", "ended")
    assert (table.state.evidence["article"], table.state.evidence["at_ms"]) == ("6.9", "60000")
    assert table.state.evidence["position"] == fen


def test_a_win_on_time_shows_how_mate_is_possible() -> None:
    table = Table("1+0", "8/4k3/4P3/3B2P1/4P1K1/8/3b4/8 w - - 0 1")
    table.time_passes(MINUTE)
    board = chess.Board("8/4k3/4P3/3B2P1/4P1K1/8/3b4/8 w - - 0 1")
    for uci in table.state.evidence["mate"].split():
        board.push_uci(uci)
    assert board.is_checkmate()
    assert board.turn == chess.WHITE


@pytest.mark.parametrize(
    ("found", "score"),
    [(SettleMate(proof="no piece can get at the king"), "1/2-1/2"), (SettleMate(line=("e2e4", "e7e5")), "0-1")],
)
def test_what_cannot_be_proven_in_time_is_provisional(
    monkeypatch: pytest.MonkeyPatch, found: SettleMate, score: str
) -> None:
    """Nobody waits for a long search: the loss stands until it is known better, and the arbiter is called."""
    monkeypatch.setattr(game_endings, "DECIDE_NODES", 1)
    table = Table("1+0")
    assert [type(event) for event in table.time_passes(MINUTE)] == [Flag, Ended, Result, Call]
    assert (table.state.score, table.state.calls[-1].about) == ("0-1", "undetermined")
    assert table.refuses(SettleMate(), 70_000) == "unknown"
    table.does(found, 70_000)
    assert outcome(table) == (score, "flag", "ended")
    assert "undetermined" not in table.state.evidence
    assert table.state.evidence["article"] == "6.9"
    assert table.refuses(found, 70_001) == "already"
    table.does(Confirm("white", score), 71_000)  # type: ignore[arg-type]
    table.does(Confirm("black", score), 72_000)  # type: ignore[arg-type]
    assert table.state.phase == "confirmed"


def test_a_forced_capture_ended_the_game_before_the_flag() -> None:
    """Kxa8 will be the only move, so nobody can mate any more: dead when the check was given (5.2.2)."""
    table = Table("1+0", "7r/K1k5/8/8/8/8/8/8 b - - 0 1")
    table.does(PressClock("black", "h8a8", 59_000), 59_500)
    assert outcome(table) == ("1/2-1/2", "dead-position", "ended")
    assert table.time_passes(10 * MINUTE) == ()


def test_the_wall_is_closed_by_a_pawn_and_the_game_is_over() -> None:
    table = Table("1+0", "8/8/7p/1k3p2/3p1P2/1p1P1PpP/1P4P1/K7 b - - 0 1")
    table.does(PressClock("black", "h6h5", 1_000), 1_500)
    assert outcome(table) == ("1/2-1/2", "dead-position", "ended")
    assert table.state.evidence["move"] == "1... h5"


def test_the_first_end_counts_and_says_its_article() -> None:
    """It looks like a loss on time, but the fifth repetition came first (9.6.1)."""
    table = Table("1+0")
    table.plays(SHUFFLE * 4)
    table.time_passes(10 * MINUTE)
    assert outcome(table) == ("1/2-1/2", "fivefold-repetition", "ended")
    assert table.state.evidence["article"] == "9.6.1"
    assert table.found(Flag) == []


@pytest.mark.parametrize(("made_at", "by"), [(59_999, "checkmate"), (60_000, "flag"), (60_400, "flag")])
def test_the_queen_on_her_way_to_mate_when_the_flag_falls(made_at: int, by: str) -> None:
    """Stamps are compared; the same millisecond is the flag's (6.2.1.1, 6.8)."""
    table = Table("1+0", "7k/8/6K1/8/8/8/6p1/1Q6 w - - 0 1")
    table.does(PressClock("white", "b1b8", made_at), 61_000)
    assert table.state.ended_by == by


def test_a_mate_after_the_flag_stands_where_players_alone_call_flags() -> None:
    table = Table("1+0", "7k/8/6K1/8/8/8/6p1/1Q6 w - - 0 1", edition="club1997")
    table.time_passes(60_010)
    assert (table.state.phase, table.state.flags) == ("playing", (Flag(60_000, "white"),))
    table.does(PressClock("white", "b1b8", 60_400), 60_500)
    assert outcome(table) == ("1-0", "checkmate", "ended")


def test_a_promotion_without_its_piece_is_no_move() -> None:
    table = Table("1+0", "7k/4P3/6K1/8/8/8/q7/8 w - - 0 1")
    table.time_passes(60_000)  # a pawn on e8 and a spoken queen explain no move
    assert outcome(table) == ("0-1", "flag", "ended")


# -- illegal moves (7.5, A.5.2) -----------------------------------------------------------------------------------

AFTER_RXB7 = "1r2r3/1R3ppp/1k6/1B1n4/8/2P2P2/2K3PP/1R6 b - - 0 27"


def inarkiev() -> Table:
    """World Blitz 2017: in check, Black plays Ne3+ and presses."""
    table = Table("3+2", AFTER_RXB7)
    table.presses_after({"d5": None, "e3": "n"})
    return table


def test_the_reply_ends_the_right_to_claim_and_is_legal_itself() -> None:
    table = inarkiev()
    assert (table.state.phase, table.state.running) == ("playing", "white")
    assert table.state.plies[0].illegal == "king-in-check"
    assert [event.state for event in table.found(Board) if isinstance(event, Board)] == [
        "unexplained"
    ]  # the desk knows
    assert table.found(Call) == []  # the players are not told
    table.plays("c2d3")
    assert table.state.fen.startswith("1r2r3/1R3ppp/1k6/1B6/8/2PKnP2/6PP/1R6 b")
    assert table.found(Board)[-1].state == "ok"  # type: ignore[union-attr]
    assert table.refuses(ClaimIllegal("white"), table.state.t) == "too-late"
    t = table.state.t
    _claim, _paused, call = table.does(ClaimIllegal("black"), t + 100)
    assert isinstance(call, Call)
    assert "the record shows none" in call.why
    assert table.order("continue", t + 5_000).ok
    assert table.state.running == "black"
    board = table.state.board()
    assert (board.is_check(), board.was_into_check()) == (True, False)  # legal again: no draw by A.5.4


def test_a_claim_before_the_reply_brings_the_position_back_and_a_minute() -> None:
    table = inarkiev()
    t = table.state.t
    claim, _paused, call = table.does(ClaimIllegal("white"), t + 3_000)
    assert claim == Claim(t + 3_000, "white", "illegal-move", "d5e3")
    assert isinstance(call, Call)
    assert "27... d5e3" in call.why
    assert "7.5.1" in call.why
    assert table.order("correct", t + 20_000).ok
    assert table.state.fen == AFTER_RXB7
    # Black's thinking stays charged and earns nothing; White's time is as at the press, and a minute more.
    assert table.state.clocks(t + 20_000) == (182_000 + MINUTE, 182_000 - 1_000)
    assert (table.state.phase, table.state.offences("black"), table.state.claim) == ("paused", 1, None)
    assert table.order("resume", t + 30_000).ok
    assert table.state.running == "black"
    # The knight that was touched cannot help against the check: any legal move will do (4.5).
    assert "b6a5" in bound(table.state.board(), ["d5"])
    table.plays("b6a5")


def test_a_made_reply_that_is_not_pressed_yet_is_enough() -> None:
    table = inarkiev()
    t = table.state.t
    standing = MakeMove("c2d3", t + 400)
    assert table.refuses(ClaimIllegal("white"), t + 500, standing) == "too-late"
    call = table.does(ClaimIllegal("black"), t + 600, standing)[2]  # White's move is no answer of Black's
    assert isinstance(call, Call)
    assert "the record shows none" in call.why


BISHOP_PINNED = "5k1b/8/6KB/4Q3/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(("edition", "score"), [("", None), ("club1997", "1-0")])
def test_the_bishop_takes_the_queen_while_the_king_is_in_check(edition: str, score: str | None) -> None:
    table = Table("5+0", BISHOP_PINNED, edition=edition)
    table.presses_after({"h8": None, "e5": "b"})
    table.does(ClaimIllegal("white"), table.state.t + 500)
    assert table.order("correct", table.state.t + 1).ok
    assert table.state.score == score
    if score:
        # What White could mate with is asked of the position before the illegal move.
        assert table.state.ended_by == "illegal-move"
        assert table.state.evidence["before"] == BISHOP_PINNED
        return
    assert (table.state.fen, table.state.clocks(0)[0]) == (BISHOP_PINNED, 6 * MINUTE)
    table.order("resume", table.state.t + 1)
    table.presses_after({"h8": None, "e5": "b"})
    table.does(ClaimIllegal("white"), table.state.t + 500)
    assert table.order("correct", table.state.t + 1).ok
    assert outcome(table) == ("1-0", "illegal-move", "confirmed")
    assert (table.state.evidence["article"], table.state.evidence["count"]) == ("7.5.5", "2")


def test_a_second_illegal_move_against_a_bare_king_is_a_draw() -> None:
    table = Table("5+0", "8/8/8/8/8/k7/8/K6R w - - 0 1")
    for _time in range(2):
        table.presses_after({"h1": None, "g3": "R"})
        table.does(ClaimIllegal("black"), table.state.t + 500)
        assert table.order("correct", table.state.t + 1, {"resume": 1}).ok
    assert outcome(table) == ("1/2-1/2", "illegal-move", "confirmed")
    assert table.state.evidence["proof"]


@pytest.mark.parametrize(
    ("edition", "control", "bonus"),
    [
        ("fide2023", "90+30", 2 * MINUTE),
        ("fide2023", "15+0", MINUTE),
        ("fide2023-supervised", "15+0", MINUTE),
        ("fide2023-supervised", "3+2", 2 * MINUTE),
        ("fide2023-supervised illegal_bonus_ms=60000", "3+2", MINUTE),
    ],
)
def test_an_upside_down_rook_is_a_rook(edition: str, control: str, bonus: int) -> None:
    table = Table(control, "4k3/7p/8/8/8/8/8/3RK3 w - - 0 1", edition=edition)
    table.presses_after({"d1": None, "f3": "R"})
    white_ms, black_ms = table.state.plies[0].left
    if "supervised" in edition or control == "90+30":
        assert (table.state.phase, table.state.paused_by) == ("paused", "table")
        assert len(table.found(Call)) == 1
    else:
        table.does(ClaimIllegal("black"), table.state.t + 100)
    assert table.order("correct", table.state.t + 1).ok
    assert table.state.score is None  # a first time never loses
    assert table.state.clocks(0) == (white_ms, black_ms + bonus)
    assert all(move.startswith("d1") for move in bound(table.state.board(), ["d1"]))


def test_taking_the_king_is_illegal_itself_and_forfeits_the_claim() -> None:
    table = Table("3+2", AFTER_RXB7)
    table.presses_after({"d5": None, "f4": "n"})  # the king stays in check
    table.presses_after({"b7": None, "b6": "R"})  # and is taken
    assert (table.state.phase, table.state.score) == ("paused", None)
    assert table.state.plies[1].illegal == "king-captured"
    before = table.state.plies[1].left
    assert table.order("correct", table.state.t + 1).ok
    assert len(table.state.plies) == 1  # what Black did stands: White had made his next move
    assert table.state.clocks(0) == (before[0], before[1] + MINUTE)
    assert (table.state.offences("white"), table.state.offences("black")) == (1, 0)


def test_the_one_who_answered_has_no_claim_and_his_own_illegal_answer_can_be_claimed() -> None:
    table = Table("3+2", AFTER_RXB7)
    table.presses_after({"d5": None, "e3": "n"})
    table.presses_after({"h2": None, "h5": "P"})
    assert table.refuses(ClaimIllegal("white"), table.state.t) == "too-late"
    table.does(ClaimIllegal("black"), table.state.t + 1)
    assert table.order("correct", table.state.t + 1).ok
    assert ([ply.uci for ply in table.state.plies], table.state.offences("white")) == (["d5e3"], 1)


def test_what_was_not_pressed_is_no_illegal_move() -> None:
    """King left in check, put right with another piece before the press: touch-move, no penalty (4.3, 7.5)."""
    table = Table("5+0", "4k3/8/8/8/8/8/r2PB3/4K2R b - - 0 1")
    table.plays("a2a1")
    board = table.state.board()
    assert bound(board, ["h1"]) == frozenset(move.uci() for move in board.legal_moves)  # no rook move helps
    assert bound(board, ["e2"]) == {"e2d1"}
    table.does(PressClock("white", "e2d1", table.state.t + 3_000, touched=("h1", "e2")), table.state.t + 4_000)
    assert (table.state.rulings, table.state.plies[-1].illegal) == ((), "")
    assert table.state.plies[-1].touched == ("h1", "e2")  # evidence, if it is asked for


# -- draw claims (9.2, 9.3) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("8/8/8/8/4p3/8/R2P3k/K7 w - - 0 37", "d2d4 h2h3 a2a3 h3h2 a3a2 h2h1 a2a3 h1h2 a3a2"),
        (
            "6k1/1p2p1rp/rP1pR3/2pP1pP1/p1P2P1P/R5K1/8/8 b - - 0 1",
            "h7h5 e6h6 g7h7 h6e6 h7g7 e6h6 g7h7 h6e6 h7g7",
        ),
        ("", "e2e4 c7c5 e4e5 d8b6 g1f3 b6e6 f3g1 d7d5 g1f3 b8c6 f3g1 c6b8 g1f3 b8c6 f3g1 c6b8"),
    ],
)
def test_an_en_passant_that_cannot_be_played_does_not_spoil_a_repetition(fen: str, moves: str) -> None:
    table = Table("5+3", fen)
    t = table.plays(moves)
    call = table.does(ClaimDraw(table.state.turn, "repetition"), t + 100)[2]
    assert isinstance(call, Call)
    assert ": correct:" in call.why
    assert table.order("rule", t + 5_000, {"score": "1/2-1/2", "by": "repetition"}).ok
    assert (table.state.evidence["article"], "3 times" in table.state.evidence["check"]) == ("9.2", True)


def test_only_the_one_announced_move_counts_and_it_must_be_played() -> None:
    table = Table("5+3")
    t = table.plays(SHUFFLE + "g1f3 g8f6 f3g1")
    assert table.state.score is None  # Ng8 would repeat for the third time; that is nobody's business yet
    call = table.does(ClaimDraw("black", "repetition", "f6d5"), t + 100)[2]
    assert isinstance(call, Call)
    assert ": incorrect with Nd5" in call.why
    assert table.order("continue", t + 5_000, {"bonus_ms": MINUTE}).ok
    assert (table.state.announced, table.state.running) == ("f6d5", "black")
    events = table.does(PressClock("black", "f6g8", t + 6_000), t + 7_000)
    assert [type(event) for event in events] == [Ply, Paused, Call]
    assert "announced f6d5" in events[2].why  # type: ignore[union-attr]
    assert table.order("correct", t + 8_000, {"ply": 7}).ok  # the arbiter has him play it
    assert table.order("resume", t + 8_000).ok
    table.plays("f6d5")


@pytest.mark.parametrize(("control", "bonus"), [("90+30", 2 * MINUTE), ("15+10", MINUTE), ("3+2", MINUTE)])
def test_a_wrong_claim_gives_the_opponent_what_the_edition_says(control: str, bonus: int) -> None:
    for data in ({}, {"bonus_ms": 0}):
        table = Table(control)
        t = table.plays("e2e4 e7e5")
        table.does(ClaimDraw("white", "repetition"), t + 100)
        before = table.state.clocks(t + 100)
        assert table.order("continue", t + 5_000, data).ok
        assert table.state.clocks(t + 5_000) == (before[0], before[1] + (0 if data else bonus))


def test_the_announced_move_is_played_and_nothing_happens() -> None:
    table = Table("5+3")
    t = table.plays("e2e4 e7e5")
    table.does(ClaimDraw("white", "fifty-moves", "g1f3"), t + 100)
    table.order("continue", t + 5_000, {"bonus_ms": MINUTE})
    table.plays("g1f3")
    assert (table.state.phase, table.state.announced) == ("playing", "")


def test_a_mating_move_may_be_announced_for_fifty_moves() -> None:
    table = Table("5+3", "7k/8/5K2/8/8/8/8/R7 w - - 99 120")
    call = table.does(ClaimDraw("white", "fifty-moves", "a1a8"), 1_000)[2]
    assert isinstance(call, Call)
    assert ": correct with Ra8" in call.why


def test_fifty_is_claimed_and_seventy_five_is_the_end() -> None:
    table = Table("5+3", "7k/8/5K2/8/8/8/8/R7 w - - 99 120")
    table.plays("a1b1 h8h7")
    assert table.state.score is None
    table = Table("5+3", "7k/8/5K2/8/8/8/8/R7 w - - 149 120")
    table.plays("a1b1")
    assert outcome(table) == ("1/2-1/2", "seventy-five-moves", "ended")
    table = Table("5+3", "7k/8/6K1/8/8/8/8/R7 w - - 149 120")
    table.plays("a1a8")
    assert outcome(table) == ("1-0", "checkmate", "ended")


def test_a_promotion_starts_the_count_anew() -> None:
    table = Table("5+3", "7k/P7/5K2/8/8/8/8/R7 w - - 98 120")
    table.plays("a7a8n h8h7")
    call = table.does(ClaimDraw("white", "fifty-moves"), table.state.t + 100)[2]
    assert isinstance(call, Call)
    assert "1 half-moves" in call.why


def test_a_claim_without_the_move_is_a_wrong_claim_and_an_offer() -> None:
    """World Cup 2013: he means a move but does not write it. What counts is the position; the opponent may agree."""
    table = Table("90+30")
    t = table.plays(SHUFFLE + "g1f3 g8f6 f3g1")
    table.does(ClaimDraw("black", "repetition"), t + 100)
    assert "incorrect" in table.state.calls[-1].why
    assert (table.state.offer, table.state.phase) == ("black", "paused")
    asked = table.state.questions[0]
    assert table.refuses(AnswerQuestion("black", asked.id, "yes"), t + 200) == "no-question"
    table.does(AnswerQuestion("white", asked.id, "yes"), t + 300)
    assert outcome(table) == ("1/2-1/2", "agreement", "ended")


def test_a_claim_after_the_opponents_offer_asks_nothing_new() -> None:
    table = Table("90+30")
    t = table.plays("e2e4 e7e5")
    table.does(OfferDraw("black"), t + 1)
    assert len(table.does(ClaimDraw("white", "repetition"), t + 2)) == 3
    assert [question.side for question in table.state.questions] == ["white"]


# -- the clock ----------------------------------------------------------------------------------------------------


def test_fast_presses_cost_their_time() -> None:
    """Stamps are subtracted, not ticks: what both have spent is what has passed."""
    table = Table("1+0")
    t = table.plays(SHUFFLE * 3, every=7)
    assert sum(60_000 - left for left in table.state.clocks(t)) == t == 7 * 12


@pytest.mark.parametrize(("control", "left"), [("3+2", 182_000), ("3+2 inc_first=after", 180_000)])
def test_the_increment_of_the_first_move(control: str, left: int) -> None:
    assert Table(control).state.clocks(0) == (left, left)


def test_a_machine_that_slept_has_run_on_and_says_so() -> None:
    table = Table("1+0")
    table.plays("e2e4")
    events = table.store(recover(table.state, 90_000, same_boot=True))
    assert isinstance(events[0], Fault)
    assert any(isinstance(event, Ended) for event in events)
    assert table.state.flag == Flag(61_000, "black")


def test_a_flag_is_claimed_that_has_not_fallen() -> None:
    table = Table("1+0")
    claim, _paused, call = table.does(ClaimFlag("black"), 59_000)
    assert claim == Claim(59_000, "black", "flag")
    assert isinstance(call, Call)
    assert "no flag has fallen: White has 1 s" in call.why
    assert (table.state.phase, table.state.paused_by) == ("paused", "black")


def test_squares_of_a_board_name_its_pieces() -> None:
    """The stories above speak in squares: the shorthand must say what it seems to say."""
    table = inarkiev()
    assert table.state.position.piece_at(chess.E3) == chess.Piece.from_symbol("n")
    assert table.state.position.piece_at(chess.D5) is None
