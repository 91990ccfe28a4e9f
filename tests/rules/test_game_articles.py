"""Odd sequences that the Laws have an answer to, article by article (2023)."""

from __future__ import annotations

import pytest

from rules.laws.events import Ply
from rules.laws.game import MakeMove, replay
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
