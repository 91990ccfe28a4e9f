"""A bit in a file has changed: whoever reads it either does not notice because it means nothing, or says so."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from hallnet import wire
from hallnet.outbox import Outbox
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from hallnet.wire import Address, EventMsg
from rules.laws.events import Assignment, Player
from tests.faults.conftest import FAST
from tests.faults.hall import begin_round, check, drained, hall_of, tells
from tests.faults.puppet import Puppet, until

FLIPS = 200


async def played(folder: Path) -> list[EventMsg]:
    """A table's file with a game in it; its events."""
    puppet = Puppet("1", folder, MemoryTransport(MemoryBroker(1), "1"), Address("e", "h"))
    puppet.hear("snap", wire.Snapshot(e=1, inc=1, last=0))
    game = Assignment("x", 1, 1, "r1b1", 1, Player(1, "A"), Player(2, "B"), "90+30", 3)
    puppet.hear("asg", wire.assignment_message(game, "go"))
    puppet.ready()
    puppet.hear("ord", wire.OrderMsg(id="o1", game="r1b1", kind="start"))
    puppet.shuffle(30)
    assert len(puppet.state.plies) == 30
    puppet.outbox._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    messages = list(puppet.outbox.messages())
    await puppet.stop()
    return messages


def test_a_flipped_bit_in_a_tables_log_never_changes_its_game_unnoticed(folder: Path) -> None:
    messages = asyncio.run(played(folder))
    good, dice, aside = (folder / "table-1.db").read_bytes(), random.Random(8), 0
    for n in range(FLIPS):
        spoiled = bytearray(good)
        spoiled[dice.randrange(len(spoiled))] ^= 1 << dice.randrange(8)
        place = folder / str(n)
        place.mkdir()
        (place / "table-1.db").write_bytes(spoiled)
        outbox = Outbox.open(place / "table-1.db")
        if outbox.notices:
            aside += 1
            assert outbox.epoch == 0 or "old event" in outbox.notices[0]
            assert len(list(place.glob("table-1.db*"))) > 1, "the damaged file is kept"
        else:
            assert list(outbox.messages()) == messages
        outbox.close()
        shutil.rmtree(place)
    assert 20 < aside < FLIPS


@pytest.mark.usefixtures("fast_beats")
def test_a_table_whose_log_was_damaged_gets_its_game_back_from_the_hub(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            broken = puppets[0]
            broken.shuffle(8)
            await drained(puppets)
            await broken.stop()
            query_and_commit(broken.path, "UPDATE events SET d = replace(d, 'g1f3', 'g1h3') WHERE kind = 'ply'")
            puppets[0] = again = hall.puppet(1)
            assert again.outbox.epoch == 0
            await again.start()
            await until(lambda: again.phase == "paused", 10, "it has the game again, paused for the arbiter")
            assert [p.uci for p in again.state.plies] == [p.uci for p in broken.state.plies]
            await until(tells(desk, "was damaged"), 5, "the arbiter is told why")
            assert (await desk.intend("resume", board=1)).ok
            await until(lambda: again.phase == "playing", 5)
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            await until(lambda: desk.hall is not None and desk.hall.head.done == 2, what="both results")

    asyncio.run(story())


def test_an_old_event_that_is_damaged_does_not_stop_the_game_of_today(folder: Path) -> None:
    asyncio.run(played(folder))
    path = folder / "table-1.db"
    query_and_commit(path, "UPDATE events SET d = replace(d, 'enrolled', 'enrolleD') WHERE kind = 'opened'")
    outbox = Outbox.open(path)
    assert outbox.epoch == 1
    assert "old event" in outbox.notices[0]
    outbox.close()


def query_and_commit(path: Path, sql: str) -> None:
    """Changes a file behind everybody's back."""
    import sqlite3

    store = sqlite3.connect(path, isolation_level=None)
    assert store.execute(sql).rowcount > 0
    store.close()


@pytest.mark.usefixtures("fast_beats")
def test_a_hub_whose_log_has_a_garbled_row_goes_on_from_its_copy(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
            await until((folder / "backup" / "hall.db").exists)
            puppets[0].shuffle(4)
            await drained(puppets)
            await asyncio.sleep(0.5)
            await hall.kill(transport=True)
            query_and_commit(folder / "hall.db", "UPDATE tournament_events SET d = '{' || d WHERE n = 4")
            await hall.start()
            async with hall.desk() as desk:
                await until(tells(desk, "goes on from its copy"), 5)
                await drained(puppets)
                for puppet in puppets:
                    puppet.finish()
                await drained(puppets)
                await until(lambda: desk.hall is not None and desk.hall.head.done == 2, what="both results")
            check(hall, results=2)

    asyncio.run(story())
