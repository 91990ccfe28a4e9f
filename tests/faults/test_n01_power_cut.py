"""N01: a power cut throws away every byte that was not synced. Whatever a table was told is committed is on the disk.

Killing a process proves nothing about syncs, as the page cache outlives it. Here the hub's SQLite writes through
`tests.faults.disk`, and what counts is the folder as it was at the last sync of each file.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.hall import ROOT, Hall, begin_round, check, drained, hall_of, query
from tests.faults.puppet import Puppet, until

TABLES = 20
POINTS = 200


def stored(folder: Path) -> set[tuple[str, int, int]]:
    """The events of tables in a hall.db."""
    return set(query(folder / "hall.db", "SELECT table_id, epoch, seq FROM table_events"))


def acknowledged(puppets: list[Puppet]) -> dict[str, tuple[int, int]]:
    """How far each table was told that the hub has it."""
    return {p.name: (p.outbox.epoch, p.acked_most) for p in puppets}


def missing(acks: dict[str, tuple[int, int]], rows: set[tuple[str, int, int]]) -> int:
    """How many acknowledged events are not there."""
    return sum((name, epoch, seq) not in rows for name, (epoch, most) in acks.items() for seq in range(1, most + 1))


async def cut(hall: Hall, puppets: list[Puppet], shadow: Path, copy: Path) -> int:
    """Stops the hub at this instant, lets what it has said arrive, and counts what a power cut would have taken."""
    os.kill(hall.pid, signal.SIGSTOP)
    await asyncio.sleep(0.01)
    acks = acknowledged(puppets)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(shadow, copy, ignore=shutil.ignore_patterns("*.new"))
    os.kill(hall.pid, signal.SIGCONT)
    return missing(acks, await asyncio.to_thread(stored, copy))


async def chatter(puppets: list[Puppet], dice: random.Random, until_done: asyncio.Event) -> None:
    """All tables write events, for as long as it takes."""
    while not until_done.is_set():
        for puppet in dice.sample(puppets, 5):
            if puppet.waiting < 200:
                puppet.note(f"note {puppet.outbox.last}")
        await asyncio.sleep(0.002)


def test_no_acknowledged_event_is_lost_at_200_power_cuts(folder: Path) -> None:
    async def story() -> None:
        shadow, dice = folder / "shadow", random.Random(1)
        shadow.mkdir()
        async with hall_of(folder, TABLES, shadow=str(shadow)) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
            done = asyncio.Event()
            writing = asyncio.create_task(chatter(puppets, dice, done))
            lost = []
            for _n in range(POINTS):
                await asyncio.sleep(dice.uniform(0.002, 0.02))
                lost.append(await cut(hall, puppets, shadow, folder / "copy"))
            done.set()
            await writing
            assert sum(lost) == 0, f"lost at points {[n for n, count in enumerate(lost) if count]}"
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            assert sum(p.outbox.last for p in puppets) > 10 * POINTS, "the test has written something"
            check(hall, results=TABLES)

    asyncio.run(story())


async def power_cuts(folder: Path, cuts: int, seed: int) -> None:
    """The machine of the hub loses its power so many times; it comes back with what was synced."""
    shadow, dice = folder / "shadow", random.Random(seed)
    shadow.mkdir()
    async with hall_of(folder, TABLES, shadow=str(shadow)) as (hall, puppets):
        async with hall.desk() as desk:
            await begin_round(desk, puppets)
        for number in range(cuts):
            writing, done = None, asyncio.Event()
            writing = asyncio.create_task(chatter(puppets, dice, done))
            await asyncio.sleep(dice.uniform(0.01, 0.3))
            for puppet in puppets[number :: max(1, cuts)]:
                puppet.finish()
            await hall.kill(transport=True)
            acks = acknowledged(puppets)
            done.set()
            await writing
            found = folder / f"found-{number}"  # looked at apart: whoever closes a log last tidies it
            shutil.copytree(shadow, found, ignore=shutil.ignore_patterns("*.new"))
            for name in ("hall.db", "hall.db-wal", "hall.db-shm"):
                (folder / name).unlink(missing_ok=True)
                if (found / name).exists():
                    shutil.copyfile(found / name, folder / name)
            assert missing(acks, stored(found)) == 0
            await hall.start()
        for puppet in puppets:
            if puppet.phase == "playing":
                puppet.finish()
        await drained(puppets, 30)
        await until(lambda: len(query(folder / "hall.db", RESULTS)) == TABLES, 10, "all results are official")
        check(hall, results=TABLES)


RESULTS = "SELECT 1 FROM tournament_events WHERE kind = 'resulted'"


def test_after_power_cuts_the_tables_send_again_what_is_missing(folder: Path) -> None:
    asyncio.run(power_cuts(folder, 3, 7))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_fifty_power_cuts(folder: Path, seed: int) -> None:
    asyncio.run(power_cuts(folder, 50, seed))


CARELESS = """
import os, signal, sqlite3, sys
from pathlib import Path
from tests.faults import disk
folder = Path(sys.argv[1])
disk.install(shadow=folder / "shadow")
store = sqlite3.connect(folder / "store.db", isolation_level=None)
store.execute("PRAGMA journal_mode=WAL")
store.execute(f"PRAGMA synchronous={sys.argv[2]}")
store.execute("CREATE TABLE t (n)")
for n in range(50):
    store.execute("INSERT INTO t VALUES (?)", (n,))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("setting", "kept"), [("FULL", 50), ("NORMAL", 0), ("OFF", 0)])
def test_the_forgetful_disk_forgets_what_is_not_synced(folder: Path, setting: str, kept: int) -> None:
    """The shim itself: a store that does not sync its commits loses them here."""
    (folder / "shadow").mkdir()
    subprocess.run([sys.executable, "-c", CARELESS, str(folder), setting], cwd=ROOT, check=False)
    try:
        rows = query(folder / "shadow" / "store.db", "SELECT count(*) FROM t")[0][0]
    except sqlite3.OperationalError:
        rows = 0  # not even the table
    assert rows == kept
