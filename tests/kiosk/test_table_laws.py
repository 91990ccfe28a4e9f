"""What the table's core hands to the Laws: illegal presses, claims by name, the press that starts a game."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from drivers.interfaces import BoardReport, PressReport
from hallnet import wire
from hallnet.clock import boot_us
from hallnet.outbox import Outbox
from hallnet.wire import event_of
from kiosk.table.core import FromDevice, FromFace, FromHub, Replied, TableCore
from kiosk.table.picture import may_resume
from kiosk.table.timeline import Timeline
from rules.laws.events import Assignment, Player
from rules.laws.game import GameState, replay

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
E5 = "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR"


class Hall:
    """A core with its outbox, its board, and a hub that says what the test says."""

    def __init__(self, folder: Path, edition: str, started: bool = True) -> None:
        self.outbox = Outbox.open(folder / "table.db")
        self.core = TableCore(self.outbox, Timeline(), "boot")
        self.core.open()
        assignment = Assignment(
            "e", 1, 1, "r1b1", 1, Player(1, "Anna"), Player(2, "Boris"), "90+30", edition=edition
        )  # fmt: skip
        message = wire.assignment_message(assignment, "go")
        assert wire.decode(wire.encode(message), wire.AssignmentMsg).assignment() == assignment
        self.core.step([FromHub(wire.Snapshot(e=1, inc=1, last=0, assignment=message)), self.board(START)])
        if started:
            self.order("start")

    def order(self, kind: str, d: Mapping[str, str | int] | None = None) -> None:
        name = f"{kind}-{self.outbox.last}"
        self.core.step([FromHub(wire.OrderMsg(id=name, game="r1b1", kind=kind, d=d or {}))])

    @staticmethod
    def board(placement: str) -> FromDevice:
        return FromDevice(BoardReport(boot_us() // 1000, placement))

    def press(self, side: str) -> None:
        """A press that the board has had time to explain."""
        now = boot_us() // 1000
        self.core.step([FromDevice(PressReport(now, side))])  # type: ignore[arg-type]
        time.sleep(0.62)
        self.core.step([])

    def face(self, kind: str, **d: Any) -> bool:
        outputs = self.core.step([FromFace(1, kind, d)])
        return next(output.reply.ok for output in outputs if isinstance(output, Replied))

    @property
    def state(self) -> GameState:
        return replay(self.outbox.events())


def test_an_illegal_press_in_standard_chess_stops_the_clocks_and_is_put_right(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "")
    hall.core.step([hall.board(E5)])
    hall.press("white")
    state = hall.state
    assert (state.phase, state.plies[0].illegal, state.plies[0].uci) == ("paused", "not-a-move", "e2e5")
    hall.order("correct", {"resume": 1})
    hall.core.step([hall.board(START)])
    assert (hall.state.plies, hall.state.running, hall.state.offences("white")) == ((), "white", 1)
    events = [event_of(m.kind, m.d) for m in hall.outbox.messages()]
    assert replay(events) == hall.state


def test_the_table_keeps_silent_where_the_opponent_has_to_claim(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "club1997")
    hall.core.step([hall.board(E5)])
    hall.press("white")
    assert (hall.state.phase, hall.state.running) == ("playing", "black")
    assert hall.face("claim", side="black", what="illegal-move")
    assert (hall.state.phase, hall.state.claim is not None) == ("paused", True)


def test_claims_of_every_kind_come_through(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "")
    assert not hall.face("claim", side="white", what="victory")
    assert hall.face("claim", side="black", what="flag")
    assert hall.state.phase == "paused"
    assert not hall.face("resume", side="black")  # a claim is not taken back


def test_a_player_who_stopped_the_clocks_may_take_that_back(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "")
    assert may_resume(hall.state) is None
    assert hall.face("call", side="black", pause=True)
    assert (hall.state.phase, may_resume(hall.state)) == ("paused", "black")
    assert hall.face("resume", side="black")
    assert hall.state.phase == "playing"
    hall.order("pause")
    assert may_resume(hall.state) is None


@pytest.mark.parametrize(("edition", "phase"), [("", "assigned"), ("fide2023 start_by=press", "playing")])
def test_blacks_press_starts_the_game_where_it_may(tmp_path: Path, edition: str, phase: str) -> None:
    hall = Hall(tmp_path, edition, started=False)
    hall.press("white")
    assert hall.state.phase == "assigned"
    hall.press("black")
    assert hall.state.phase == phase
