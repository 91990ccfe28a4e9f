"""N08 and N09: an old assignment comes back; the clock of the wall is wrong and jumps."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from hallnet import wire
from hallnet.clock import wall_ms
from hallnet.errors import OutboxFull
from hallnet.outbox import Outbox, Stamp
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from rules.laws.events import Fault, OrderDone
from tests.faults.conftest import FAST
from tests.faults.hall import ADDRESS, begin_round, check, drained, hall_of, query, tells
from tests.faults.puppet import Puppet, until
from tests.kiosk.table_hub import assignment

HOUR = 3_600_000
pytestmark = pytest.mark.usefixtures("fast_beats")


def puppet_at_home(folder: Path) -> Puppet:
    """A table that is enrolled and hears only what the test says."""
    puppet = Puppet("1", folder, MemoryTransport(MemoryBroker(), "table"), ADDRESS)
    puppet.hear("snap", wire.Snapshot(e=1, inc=1, last=0))
    return puppet


def test_n08_only_a_newer_revision_is_taken_and_a_game_under_way_is_never_relabelled(folder: Path) -> None:
    async def story() -> None:
        puppet = puppet_at_home(folder)
        revisions = [assignment(round_=3, rev=rev, board=board) for rev, board in ((1, 4), (2, 5), (3, 6))]

        def say(index: int) -> None:
            puppet.hear("asg", wire.assignment_message(revisions[index], "prepared"))

        say(0)
        assert puppet.state.game == "r3b4"
        say(1)
        assert puppet.state.game == "r3b5"
        for old in (0, 1, 0):
            say(old)
            assert puppet.state.game == "r3b5", "an older one is ignored"
        puppet.ready()
        puppet.hear("ord", wire.OrderMsg(id="o1", game="r3b5", kind="start"))
        assert puppet.phase == "playing"
        puppet.shuffle(2)
        say(2)
        say(0)
        assert (puppet.state.game, puppet.phase, len(puppet.state.plies)) == ("r3b5", "playing", 2)
        puppet.hear("ord", wire.OrderMsg(id="o2", game="r3b4", kind="clear", d={"why": "an old one"}))
        assert (puppet.state.game, puppet.phase) == ("r3b5", "playing"), "an order names its game"
        await puppet.stop()

    asyncio.run(story())


@pytest.mark.parametrize("start", [0, 1_600_000_000_000, "ahead"])
def test_n09_a_wrong_wall_clock_changes_no_chess_clock(
    folder: Path, monkeypatch: pytest.MonkeyPatch, start: int | str
) -> None:
    async def story() -> None:
        real = wall_ms()
        shift = [(real + 48 * HOUR if start == "ahead" else int(start)) - real]
        for module in ("keeper", "link"):
            monkeypatch.setattr(f"kiosk.table.{module}.wall_ms", lambda: wall_ms() + shift[0])
        async with hall_of(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            await until(tells(desk, "date and time are off"), 5, "the arbiter is told of the wrong clock")
            puppet = puppets[0]
            puppet.shuffle(2)
            for step in (-3 * HOUR, 6 * HOUR):
                assert puppet.state.clock is not None
                t = puppet.timeline()
                before = puppet.state.clocks(t)
                shift[0] += step
                assert puppet.state.clocks(t) == before
                puppet.shuffle(2)
                await asyncio.sleep(0.05)
            gone = sum(2 * 90 * 60_000 + 30_000 * (len(puppet.state.plies)) - c for c in [sum(before)])
            assert 0 <= gone + 0 < 6 * 30_000 + 60_000, "no hour is missing from the clocks"
            await drained(puppets)
            rows = query(
                folder / "hall.db", "SELECT seq, wall, mono, boot FROM table_events WHERE table_id = '1' ORDER BY seq"
            )
            assert [row[0] for row in rows] == list(range(1, len(rows) + 1)), "order is that of the numbers"
            assert [row[1] for row in rows] != sorted(row[1] for row in rows), "and not that of the wall"
            assert [row[2] for row in rows] == sorted(row[2] for row in rows)
            shift[0] = 0
            await until(tells(desk, "date and time are right again"), 10, "the arbiter is told that it is right")
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            check(hall, results=2)

    asyncio.run(story())


def test_a_full_outbox_refuses_new_games_and_says_so_in_time(folder: Path) -> None:
    async def story() -> None:
        puppet = puppet_at_home(folder)
        puppet.outbox.limit = puppet.outbox.size + 40_000
        told = []
        for n in range(400):
            if puppet.outbox.full:
                break
            puppet.note(f"note {n}")
            told += [f for f in puppet.state.faults if "half full" in f.what]
        assert told, "the arbiter hears of it at half"
        assert puppet.outbox.full
        last = puppet.outbox.last
        puppet.hear("asg", wire.assignment_message(replace(assignment(round_=2), game="r2b1"), "prepared"))
        assert puppet.state.game == "", "no new game on a full outbox"
        assert not puppet.face("ready", side="white")
        assert puppet.outbox.last == last
        await puppet.stop()

    asyncio.run(story())


def test_the_outbox_itself_refuses_beyond_its_limit(folder: Path) -> None:
    outbox = Outbox.open(folder / "table-1.db")
    stamp = Stamp(1, 1, "boot", True)
    outbox.enrol(1, stamp, 1, "enrolled")
    outbox.limit, outbox.reserve = outbox.size, 0
    with pytest.raises(OutboxFull, match="full"):
        outbox.append((Fault(1, "board", "x"),), "", stamp)
    assert outbox.last == 1
    outbox.close()


def test_a_round_is_sealed_only_if_the_hub_has_what_the_table_has(folder: Path) -> None:
    async def story() -> None:
        puppet = puppet_at_home(folder)
        puppet.note("something")
        count, digest = puppet.outbox.last, puppet.outbox.hash_after(puppet.outbox.last)
        for name, hashed in (("o1", "0" * 16), ("o2", digest)):
            puppet.hear("ord", wire.OrderMsg(id=name, game="", kind="seal", d={"count": count, "hash": hashed}))
        done = {event.order: event.ok for event in puppet.outbox.events() if isinstance(event, OrderDone)}
        assert done == {"o1": False, "o2": True}
        await puppet.stop()

    asyncio.run(story())


def past_of(puppet: Puppet, epoch: int, parts: int) -> list[wire.Past]:
    """The game of a table as the hub would hand it on to another one, in so many parts."""
    events = [wire.PastEvent(kind=m.kind, d=m.d) for m in puppet.outbox.messages() if m.g and m.kind != "order-done"]
    size = -(-len(events) // parts)
    cut = [tuple(events[n : n + size]) for n in range(0, len(events), size)]
    return [
        wire.Past(e=epoch, game="r3b5", part=n, parts=len(cut), white_ms=500_000, black_ms=400_000, age_ms=0,
                  events=part, moved=True)
        for n, part in enumerate(cut)
    ]  # fmt: skip


def test_a_game_that_moves_here_is_taken_once_whatever_comes_late_or_twice(folder: Path) -> None:
    async def story() -> None:
        (folder / "other").mkdir()
        other = puppet_at_home(folder / "other")
        sheet = wire.assignment_message(assignment(round_=3, rev=2, board=5), "prepared")
        other.hear("asg", sheet)
        other.hear("ord", wire.OrderMsg(id="o1", game="r3b5", kind="start"))
        other.shuffle(4)
        other.hear("ord", wire.OrderMsg(id="o2", game="r3b5", kind="pause", d={"why": "it moves"}))
        past = past_of(other, 2, 3)
        await other.stop()
        puppet = puppet_at_home(folder)
        own = wire.assignment_message(assignment(round_=3, rev=2, board=1), "prepared")
        puppet.hear("asg", own)
        puppet.hear("ord", wire.OrderMsg(id="o7", game="r3b1", kind="start"))
        puppet.shuffle(2)
        puppet.hear("past", past[0])  # it is still in the epoch before
        assert (puppet.state.game, len(puppet.state.plies)) == ("r3b1", 2)
        snapshot = wire.Snapshot(e=2, inc=1, last=0)
        puppet.hear("snap", snapshot)
        assert (puppet.state.game, puppet.phase) == ("", "idle")
        for late in (msgspec.structs.replace(own, e=1), msgspec.structs.replace(sheet, e=1)):
            puppet.hear("asg", late)
        assert puppet.state.game == "", "an assignment of before is none any more"
        puppet.hear("past", past[2])
        puppet.hear("past", past[0])
        await puppet.stop()  # killed with half of the game: it begins again
        puppet = Puppet("1", folder, MemoryTransport(MemoryBroker(), "table"), ADDRESS)
        puppet.note("the cable is off")  # what the table says of itself is not in the way
        for part in (0, 1, 1, 2, 0, 1, 2):
            puppet.hear("past", past[part])
        assert (puppet.state.game, len(puppet.state.plies), puppet.phase) == ("r3b5", 4, "paused")
        assert puppet.state.clocks(puppet.state.t) == (500_000, 400_000)
        puppet.hear("snap", snapshot)
        for order in ("o1", "o2"):
            puppet.hear("ord", wire.OrderMsg(id=order, game="r3b5", kind="resume", e=2))
        assert puppet.phase == "paused", "what was carried out at the other table is not done again"
        puppet.hear("ord", wire.OrderMsg(id="o9", game="r3b1", kind="resume", e=1))
        puppet.hear("ord", wire.OrderMsg(id="o8", game="r3b5", kind="resume", e=2))
        assert puppet.phase == "playing"
        await puppet.stop()

    asyncio.run(story())
