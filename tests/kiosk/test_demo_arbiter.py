"""The arbiter of a hall without people: what he rules on, and when he takes the next step."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hallnet.views import (
    BoardRow,
    BoardRows,
    BoardState,
    CallView,
    CaseView,
    GameView,
    HallHead,
    HallPhase,
    HallSnapshot,
    MoveView,
    StandingsView,
    StepView,
)
from kiosk.demo.arbiter import PATIENCE_S, Case, Intent, rule, step
from rules.laws.events import Player

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8") * 2


def row(state: BoardState = "playing", score: str = "") -> BoardRow:
    return BoardRow(board=4, table="4", white=Player(1, "A"), black=Player(2, "B"), state=state, score=score)


def call(kind: str, why: str = "", side: str = "white") -> CallView:
    return CallView(id="4-1-9", round=1, board=4, kind=kind, side=side, why=why, since=0)


def game(moves: tuple[str, ...], claim: str = "repetition", claimed_move: str = "") -> GameView:
    return GameView(
        row=row("paused"),
        round=1,
        moves=tuple(MoveView(san=uci, uci=uci, clock_ms=0) for uci in moves),
        claim=claim,
        claimed_move=claimed_move,
    )


def no_file(round_: int, board: int) -> str:
    return ""


def test_a_true_claim_of_repetition_is_a_draw() -> None:
    ruling = rule(Case(call("claim"), row("paused"), game(SHUFFLE)), no_file)
    assert (ruling.kind, ruling.d["score"], ruling.d["call"]) == ("rule", "1/2-1/2", "4-1-9")


def test_a_false_claim_costs_two_minutes_and_play_goes_on() -> None:
    ruling = rule(Case(call("claim"), row("paused"), game(SHUFFLE[:6])), no_file)
    assert (ruling.kind, ruling.d["bonus_ms"]) == ("continue", 120_000)


def test_a_claim_with_an_announced_move_is_checked_with_that_move() -> None:
    announced = game(SHUFFLE[:7], claimed_move="f6g8")
    assert rule(Case(call("claim"), row("paused"), announced), no_file).kind == "rule"
    other = game(SHUFFLE[:7], claimed_move="f6d5")
    assert rule(Case(call("claim"), row("paused"), other), no_file).kind == "continue"
    illegal = game(SHUFFLE[:7], claimed_move="e2e4")
    assert rule(Case(call("claim"), row("paused"), illegal), no_file).kind == "continue"


def test_a_dispute_is_ruled_as_the_board_says() -> None:
    ruling = rule(Case(call("dispute"), row("disputed", "0-1")), no_file)
    assert (ruling.kind, ruling.d["score"]) == ("rule", "0-1")


@pytest.mark.parametrize("kind", ["unexplained", "resume", "order", "call"])
def test_a_game_that_stands_still_goes_on(kind: str) -> None:
    assert rule(Case(call(kind), row("paused")), no_file).kind == "resume"


def test_a_call_in_play_is_seen_and_closed() -> None:
    assert rule(Case(call("call"), row()), no_file).kind == "close-call"


def test_a_game_from_a_file_that_stops_gets_the_result_of_the_file() -> None:
    ruling = rule(
        Case(call("call", "stopped"), row()), lambda round_, board: "0-1" if (round_, board) == (1, 4) else ""
    )
    assert (ruling.kind, ruling.d["score"]) == ("rule", "0-1")


def about(kind: str, fen: str = "", state: BoardState = "paused", **case: Any) -> Intent:
    asked = msgspec.structs.replace(call(kind, "why"), case=CaseView(**case))
    return rule(Case(asked, msgspec.structs.replace(row(state, "1-0"), fen=fen)), no_file)


def test_an_illegal_move_in_the_record_is_put_right_and_play_goes_on() -> None:
    for kind in ("illegal-move", "claim", "unexplained"):
        ruling = about(kind, about="illegal-move", against=("black",), proven=True, bonus_ms=120_000)
        assert (ruling.kind, ruling.d["side"], ruling.d["resume"]) == ("correct", "black", True)


def test_an_illegal_move_that_nobody_recorded_stands() -> None:
    assert about("claim", about="illegal-move", against=("black",)).kind == "continue"
    assert about("illegal-move", about="illegal-move", against=("black",)).kind == "resume"


def test_a_claimed_flag_is_ruled_by_the_clock_and_the_position() -> None:
    rook, bare = "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "7k/8/6K1/8/8/8/8/8 w - - 0 1"
    won = about("claim", rook, about="flag", against=("black",), proven=True)
    assert (won.kind, won.d["score"], won.d["by_what"]) == ("rule", "1-0", "flag")
    drawn = about("claim", bare, about="flag", against=("black",), proven=True)
    assert drawn.d["score"] == "1/2-1/2"
    assert about("claim", rook, about="flag").kind == "continue"


def test_who_has_not_come_by_the_default_time_has_lost() -> None:
    lost = about("default", state="playing", about="default", against=("white",), proven=True)
    assert (lost.kind, lost.d["score"], lost.d["forfeit"]) == ("rule", "0-1", True)
    both = about("default", state="playing", about="default", against=("white", "black"), proven=True)
    assert both.d["score"] == "0-0"
    assert about("default", state="playing", about="default").kind == "close-call"


def test_a_provisional_result_that_nobody_disproved_stands() -> None:
    assert about("undetermined", state="ended", about="undetermined").kind == "close-call"


def test_a_false_claim_costs_what_the_edition_says() -> None:
    asked = msgspec.structs.replace(call("claim"), case=CaseView(about="repetition", bonus_ms=60_000))
    assert rule(Case(asked, row("paused"), game(SHUFFLE[:6])), no_file).d["bonus_ms"] == 60_000


def hall(kind: str, phase: HallPhase, states: tuple[BoardState, ...]) -> HallSnapshot:
    rows = tuple(
        BoardRow(board=n, table=str(n), white=Player(1, "A"), black=Player(2, "B"), state=state)
        for n, state in enumerate(states, 1)
    )
    head = HallHead(
        event="Test",
        round=1,
        rounds=5,
        phase=phase,
        step=StepView(kind=kind, sentence=""),
        boards=len(rows),
        playing=0,
        done=0,
        tables_online=2,
        tables=2,
        calls=(),
        notices=(),
        revision=1,
        incarnation=1,
        wall=0,
    )
    return HallSnapshot(
        head=head,
        boards=BoardRows(round=1, revision=1, rows=rows, whole=True),
        standings=StandingsView(round=0, codes=(), rows=()),
    )


def test_a_round_is_started_when_all_are_ready_or_patience_ends() -> None:
    assert step(hall("start", "published", ("ready", "assigned")), 1.0) is None
    late = step(hall("start", "published", ("ready", "assigned")), PATIENCE_S)
    assert late is not None
    assert late.kind == "start"
    ready = step(hall("start", "published", ("ready", "ready")), 1.0)
    assert ready is not None
    assert ready.kind == "start"


def test_there_is_no_step_while_boards_are_playing() -> None:
    assert step(hall("", "running", ("playing", "confirmed")), 100.0) is None
