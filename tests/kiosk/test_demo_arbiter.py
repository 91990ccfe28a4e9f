"""The arbiter of a hall without people: what he rules on, and when he takes the next step."""

from __future__ import annotations

import pytest

from hallnet.views import (
    BoardRow,
    BoardRows,
    BoardState,
    CallView,
    GameView,
    HallHead,
    HallPhase,
    HallSnapshot,
    MoveView,
    StandingsView,
    StepView,
)
from kiosk.demo.arbiter import PATIENCE_S, Case, rule, step
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
