"""A provisional result is looked into by a search in a process of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hallnet.outbox import Outbox, Stamp
from kiosk.table.core import TableCore
from kiosk.table.judge import Judged, judge, question
from kiosk.table.timeline import Timeline
from rules.laws.events import Assigned, Ended, GameEvent, Result, Start
from rules.laws.game import GameState, replay
from tests.kiosk.table_hub import assignment

LOCKED = "8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4P1/K7 w - - 0 1"  # only kings move, behind closed pawns
BISHOP = "8/5k2/8/4b3/8/3K4/P7/8 w - - 0 1"  # White may promote to a bishop and be mated in the corner


def provisional() -> tuple[GameEvent, ...]:
    """White's flag fell, and whether Black can mate is open."""
    evidence = {"article": "6.9", "undetermined": "the arbiter decides"}
    return (Assigned(0, 1, 1, assignment()), Start(1), Ended(2, "0-1", "flag", evidence), Result(2, "0-1", None))


def test_only_a_provisional_result_is_a_question() -> None:
    state = replay(provisional())
    assert question(state) == (state.fen, "black")
    assert question(GameState()) is None


def test_the_search_proves_that_there_is_no_mate_or_finds_one() -> None:
    closed = asyncio.run(judge("r1b1", LOCKED, "black"))
    assert closed.proof
    assert not closed.line
    mated = asyncio.run(judge("r1b1", BISHOP, "black"))
    assert mated.line
    assert not mated.proof


def test_a_position_that_cannot_be_judged_is_left_to_the_arbiter() -> None:
    assert asyncio.run(judge("r1b1", "nonsense", "black")) == Judged("r1b1")


def test_the_core_turns_a_proof_into_a_draw_and_a_mate_into_certainty(tmp_path: Path) -> None:
    for number, (found, score) in enumerate(
        ((Judged("r1b1", proof="no mate is possible"), "1/2-1/2"), (Judged("r1b1", line=("e2e4",)), "0-1"))
    ):
        outbox = Outbox.open(tmp_path / f"table-{number}.db")
        outbox.enrol(1, Stamp(0, 0, "boot", False), 0, "test")
        outbox.append(provisional(), "r1b1", Stamp(0, 0, "boot", False))
        core = TableCore(outbox, Timeline(), "boot")
        core.step([Judged("another game", proof="not this one")])
        core.step([found])
        state = replay(outbox.events())
        assert state.score == score
        assert "undetermined" not in state.evidence
        outbox.close()
