"""The hub and its standby: rows go over as they are committed, and a table may be answered when both have its event."""

from __future__ import annotations

from pathlib import Path

import pytest

from hallnet import wire
from hallnet.errors import Superseded
from hallnet.hall_log import HallLog, Position
from hallnet.replication import Copy, ReplAsk, ReplRows
from hallnet.wire import GENERATION
from kiosk.hub import standby
from kiosk.hub.config import HubConfig
from kiosk.hub.core import HubCore
from kiosk.hub.inputs import FromStandby, FromTable, Output, Send, Tick
from kiosk.hub.standby_side import KEEP_MS, WAIT_MS, Mode
from rules.laws.events import Fault, Opened
from tests.kiosk.hub_hall import ADDRESS, REGULATIONS, entries

WALL = 1_780_000_000_000


class Two:
    """A hub, a table and a standby's copy, all moved by hand."""

    def __init__(self, folder: Path, mode: Mode) -> None:
        self.now = 1_000
        self.core = HubCore(HallLog.open(folder / "one.db"), ADDRESS, boot="b", standby=mode)
        self.core.open(WALL, REGULATIONS, entries(4))
        self.copy = Copy(HallLog.open(folder / "two.db"))
        self.seq = 0
        self.asked = b""
        ask = wire.Ask(boot="t", instance="dev", e=0, round=0, rev=0, last=0, acked=0, inc=0, n=1)
        (snapshot,) = self.to_table(self.step(FromTable("1", "ask", wire.encode(ask), self.now, WALL)), "snap")
        self.snapshot = wire.decode(snapshot, wire.Snapshot)

    def step(self, *inputs: object) -> list[Output]:
        """One step of the hub's core."""
        return self.core.step(list(inputs))  # type: ignore[arg-type]

    def tick(self, ms: int) -> list[Output]:
        """Time passes."""
        self.now += ms
        return self.step(Tick(self.now, WALL))

    def event(self) -> list[Output]:
        """The table has seen something."""
        self.seq += 1
        kind, data = wire.event_data(Opened(t=1, why="x") if self.seq == 1 else Fault(self.seq, "board", "loose"))
        msg = wire.EventMsg(e=1, s=self.seq, g="", kind=kind, wall=1, mono=1, boot="t", sync=True, prev="", d=data)
        self.now += 1
        return self.step(FromTable("1", "up", wire.encode(wire.Batch(events=(msg,))), self.now, WALL))

    def ask(self, place: str = "") -> list[Output]:
        """The standby says how far it is and asks for more."""
        self.asked = wire.encode(self.copy.ask(place))
        self.now += 1
        return self.step(FromStandby(self.asked, self.now, WALL))

    def copied(self, outputs: list[Output]) -> int:
        """The standby takes what it was sent; how many answers there were."""
        rows = [out.payload for out in outputs if isinstance(out, Send) and out.subject.endswith(".repl.out")]
        for payload in rows:
            self.copy.take(wire.decode(payload, ReplRows, 10**7))
        return len(rows)

    def follow(self) -> None:
        """The copy is complete, and its question lies at the hub."""
        while self.copied(self.ask()):
            pass

    @staticmethod
    def to_table(outputs: list[Output], leaf: str) -> list[bytes]:
        """What was said to the table."""
        subject = ADDRESS.table("1", leaf)  # type: ignore[arg-type]
        return [out.payload for out in outputs if isinstance(out, Send) and out.subject == subject]

    def acked(self, outputs: list[Output]) -> list[int]:
        """Up to where the table was acknowledged."""
        return [wire.decode(payload, wire.Ack).s for payload in self.to_table(outputs, "ack")]


def test_a_question_waits_for_news_and_is_answered_after_a_second_without(tmp_path: Path) -> None:
    two = Two(tmp_path, "async")
    two.follow()
    assert two.copied(two.tick(KEEP_MS // 2)) == 0
    out = two.event()
    assert two.acked(out) == [1], "in this mode nobody waits for the standby"
    assert two.copied(out) == 1, "the row goes over in the same moment"
    assert two.copy.have == two.core.log.position()
    two.follow()
    assert two.copied(two.tick(KEEP_MS)) == 1, "a sign of life"


def test_a_table_is_answered_when_both_hubs_have_its_event(tmp_path: Path) -> None:
    two = Two(tmp_path, "both")
    assert two.acked(two.event()) == [1], "without a standby the hall goes on alone"
    two.follow()
    out = two.event()
    assert two.acked(out) == []
    two.copied(out)
    assert two.acked(two.tick(WAIT_MS // 2)) == []
    assert two.acked(two.ask()) == [2], "its next question says that it has committed"
    assert two.core._standby.view.late == 0
    assert two.core._standby.view.behind == 0


def test_a_standby_that_does_not_keep_up_is_reported_and_not_waited_for(tmp_path: Path) -> None:
    two = Two(tmp_path, "both")
    two.follow()
    out = two.event()
    assert two.acked(out) == []
    assert two.acked(two.tick(WAIT_MS)) == [1], "never longer than three tenths of a second"
    assert any("does not keep up" in notice for notice in two.core.streams.notices)
    assert two.acked(two.event()) == [2], "and not for the next one either"
    assert two.core._standby.view.late == 1
    two.copied(out)
    two.follow()
    assert two.acked(two.event()) == [], "when it has caught up, it is waited for again"


def test_a_standby_that_falls_silent_is_told(tmp_path: Path) -> None:
    two = Two(tmp_path, "both")
    assert two.core._standby.view.state == "none"
    two.follow()
    assert two.core._standby.view.state == "copying"
    two.tick(11_000)
    assert two.core._standby.view.state == "silent"
    assert any("standby hub is silent" in notice for notice in two.core.streams.notices)


def test_tables_and_desks_hear_where_the_standby_is(tmp_path: Path) -> None:
    two = Two(tmp_path, "async")
    two.core.open_at("10.0.0.1:4222")
    two.ask("10.0.0.2:4222")
    ask = wire.Ask(boot="t", instance="dev", e=1, round=0, rev=0, last=0, acked=0, inc=1, n=2)
    (snapshot,) = two.to_table(two.step(FromTable("1", "ask", wire.encode(ask), two.now, WALL)), "snap")
    assert wire.decode(snapshot, wire.Snapshot).hubs == ("10.0.0.1:4222", "10.0.0.2:4222")
    assert two.core.streams.head(two.now, WALL).hubs == ("10.0.0.1:4222", "10.0.0.2:4222")
    two.ask("user:pass@evil:1")
    assert two.core._standby.place == "10.0.0.2:4222", "what is no place is not passed on"


@pytest.mark.parametrize("garbage", [b"", b"{}", b'{"v":1,"log":1}', b"\xff"])
def test_what_is_no_question_is_kept_aside(tmp_path: Path, garbage: bytes) -> None:
    two = Two(tmp_path, "both")
    for leaf in ("in", "want"):
        two.step(FromStandby(garbage, two.now, WALL, leaf))
    assert two.core.log.stats()["set_aside"] == 2


def test_a_hub_that_hears_that_its_standby_has_opened_closes(tmp_path: Path) -> None:
    two = Two(tmp_path, "async")
    ask = ReplAsk(log="", have=Position(0, 0, 0), to=Position(0, 0, 0), inc=GENERATION)
    with pytest.raises(Superseded, match="this one closes"):
        two.step(FromStandby(wire.encode(ask), two.now, WALL))


def test_a_standby_that_took_over_is_the_hub_whenever_it_starts(tmp_path: Path) -> None:
    hub, config = HallLog.open(tmp_path / "hall.db"), HubConfig(event="club", data=tmp_path)
    HubCore(hub, ADDRESS, boot="b").open(WALL, REGULATIONS, entries(4))
    assert standby.has_taken_over(config) == "no"
    standby._mark(config, hub)
    assert standby.has_taken_over(config) == "begun", "the power went before the log said so"
    assert standby.has_taken_over(HubConfig(event="other", data=tmp_path)) == "no"
    HubCore(hub, ADDRESS, boot="c").open(WALL, take_over=True)
    assert standby.has_taken_over(config) == "done"
    HubCore(hub, ADDRESS, boot="d").open(WALL)
    assert standby.has_taken_over(config) == "done"
    hub.close()
    for path in tmp_path.glob("hall.db*"):
        path.unlink()
    (tmp_path / "took-over.json").write_text('{"event": "club", "hall": "hall", "generation": 1}')
    assert standby.has_taken_over(config) == "no", "that log is gone, and what it says with it"
