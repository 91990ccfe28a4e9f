"""N03, N04 and N11: silent cuts, half-open connections, frozen processes. The outbox brings everything, once."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from pathlib import Path

import pytest

from hallnet import wire
from tests.faults.conftest import FAST
from tests.faults.hall import ADDRESS, Hall, begin_round, check, drained, hall_of, query, tells
from tests.faults.proxy import Proxy
from tests.faults.puppet import Puppet, until

SOAK = pytest.mark.soak
pytestmark = pytest.mark.usefixtures("fast_beats")


def held_by_hub(folder: Path, table: str) -> int:
    """How many events of a table the hub has."""
    rows = query(folder / "hall.db", "SELECT count(*) FROM table_events WHERE table_id = ?", table)
    return int(rows[0][0])


async def behind_proxy(hall: Hall, puppets: list[Puppet], seed: int) -> Proxy:
    """All play; the first table speaks through a proxy from now on."""
    async with hall.desk() as desk:
        await begin_round(desk, puppets)
    proxy = Proxy(("127.0.0.1", hall.port), seed)
    await proxy.start()
    await puppets[0].stop()
    puppets[0] = puppet = hall.puppet(1, proxy.port)
    await puppet.start()
    await until(lambda: puppet.link.view.state == "ok", what="in contact")
    return proxy


async def write_while(puppet: Puppet, seconds: float, each_s: float = 0.1) -> int:
    """Play goes on: so many events, none of which may be kept waiting by the network."""
    loop = asyncio.get_running_loop()
    end, count, slowest = loop.time() + seconds, 0, 0.0
    while loop.time() < end:
        before = loop.time()
        puppet.note(f"note {count}")
        slowest = max(slowest, loop.time() - before)
        count += 1
        await asyncio.sleep(each_s)
    assert slowest < 0.5, "play is not blocked"
    return count


@pytest.mark.parametrize(
    ("direction", "killed"),
    [("up", True), ("down", False), pytest.param("up", False, marks=SOAK), pytest.param("down", True, marks=SOAK)],
)
def test_n03_a_silent_cut_in_one_direction_loses_nothing(folder: Path, direction: str, killed: bool) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets):
            proxy = await behind_proxy(hall, puppets, seed=3)
            puppet = puppets[0]
            getattr(proxy, direction).silent = True
            count = await write_while(puppet, 1.5, 0.05)
            if killed:
                await puppet.stop()
                puppets[0] = puppet = hall.puppet(1, proxy.port)
                await puppet.start()
            count += await write_while(puppet, 1.5, 0.05)
            assert puppet.link.view.state != "ok", "two missed heartbeats show on the screen"
            assert puppet.link.view.waiting >= count - 1
            getattr(proxy, direction).silent = False
            proxy.reset()  # the library believes in the old connection for some seconds more: the network does not
            await drained([puppet], 5)
            assert count > 40
            check(hall)
            await proxy.stop()

    asyncio.run(story())


def test_n03_latency_truncation_resets_and_half_closed_connections(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets):
            proxy = await behind_proxy(hall, puppets, seed=4)
            puppet = puppets[0]
            for way in (proxy.up, proxy.down):
                way.latency_s, way.jitter_s = 0.02, 0.015
            await write_while(puppet, 0.5, 0.01)
            for fault in (proxy.reset, proxy.half_close, proxy.reset):
                fault()
                await write_while(puppet, 0.4, 0.01)
            for way in (proxy.up, proxy.down):
                way.truncate = True
                await write_while(puppet, 0.4, 0.01)
            proxy.down.bytes_per_s = 20_000
            await write_while(puppet, 0.4, 0.01)
            await drained(puppets)
            assert proxy.count > 3
            check(hall)
            await proxy.stop()

    asyncio.run(story())


def test_n04_the_end_of_an_old_connection_does_not_take_a_table_off_line(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            proxy = Proxy(("127.0.0.1", hall.port), seed=5)
            await proxy.start()
            await puppets[0].stop()
            puppets[0] = puppet = hall.puppet(1, proxy.port)
            await puppet.start()

            def online() -> int:
                return desk.hall.head.tables_online if desk.hall is not None else 0

            await until(lambda: online() == 2, what="both on line")
            connections = puppet.link._connections
            proxy.orphan()  # the table's end is gone, the server's end of the old connection lives on
            await until(lambda: puppet.link._connections > connections and online() == 2, what="back on line")
            for _n in range(30):  # while the old one is still there, and when it is cut
                assert online() == 2
                await asyncio.sleep(0.1)
            # A word of the old connection that was under way all the time:
            late = wire.Heartbeat(
                boot=puppet.boot, instance=puppet.outbox.instance, conn=1, n=1, e=1, last=1, acked=1, round=0, rev=0,
                mono=1, wall=1,
            )  # fmt: skip
            puppet.transport.publish(ADDRESS.table("1", "hb"), wire.encode(late))
            await puppet.stop()  # and it really dies right after it has come back
            await until(lambda: online() == 1, 3, "off line within two heartbeats")
            puppets.remove(puppet)
            await proxy.stop()

    asyncio.run(story())


async def frozen_transport(folder: Path, seconds: float) -> None:
    """N11: the transport's server is stopped in mid-round, and goes on with everything it had in its queues."""
    async with hall_of(folder, 3, set=FAST) as (hall, puppets), hall.desk() as desk:
        await begin_round(desk, puppets)
        os.kill(hall.transport_pid, signal.SIGSTOP)
        try:
            # Words of the hub that the frozen server has taken in and will deliver long after they are true.
            old = wire.OrderMsg(id="stale", game=puppets[0].state.game, kind="pause", d={"why": "of long ago"})
            stale = hall.transport("hub again")
            await stale.start()
            await write_while(puppets[0], seconds)
            assert all(p.link.view.state == "lost" for p in puppets)
            for puppet in puppets:
                puppet.shuffle(4)
                assert puppet.phase == "playing", "play goes on"
        finally:
            os.kill(hall.transport_pid, signal.SIGCONT)
        await drained(puppets, 20)
        await until(lambda: all(p.link.view.state == "ok" for p in puppets), what="in contact again")
        # What lies in queues is not followed before a snapshot: the link ignores it while its question is open.
        link = puppets[0].link
        link.ask()
        before = link.ignored
        link._receive(ADDRESS.table("1", "ord"), wire.encode(old))
        assert link.ignored == before + 1
        assert puppets[0].phase == "playing"
        await stale.close()
        for puppet in puppets:
            puppet.finish()
        await drained(puppets)
        await until(lambda: desk.hall is not None and desk.hall.head.done == 3, what="three results")
        check(hall, results=3)


def test_n11_a_frozen_transport_delivers_late_and_nobody_acts_on_it(folder: Path) -> None:
    asyncio.run(frozen_transport(folder, 1.8))


@pytest.mark.soak
def test_n11_a_transport_frozen_for_90_s(folder: Path) -> None:
    asyncio.run(frozen_transport(folder, 90.0))


async def frozen_table(folder: Path, seconds: float, burst: int) -> None:
    """N11: one table's process is frozen; the others do not notice; it is cut off when its queue is full."""
    async with hall_of(folder, 3, set=FAST) as (hall, puppets), hall.desk() as desk:
        proxy = Proxy(("127.0.0.1", hall.port), seed=6)
        await proxy.start()
        await puppets[2].stop()
        puppets[2] = frozen = hall.puppet(3, proxy.port)
        await frozen.start()
        await begin_round(desk, puppets)
        proxy.down.held = proxy.up.held = True
        flood = hall.transport("flood")
        await flood.start()
        await until(lambda: flood.connected)
        loop = asyncio.get_running_loop()
        slowest = 0.0
        for n in range(burst):
            flood.publish(ADDRESS.table("3", "hbr"), b"x" * 16_000)
            if n % 50 == 0:
                before = loop.time()
                puppets[0].note(f"note {n}")
                await until(lambda: not puppets[0].waiting, 5, "the others are served")
                slowest = max(slowest, loop.time() - before)
        await asyncio.sleep(seconds)
        log = (folder / "nats.log").read_text(encoding="utf-8")
        assert "Slow Consumer" in log or "Stale Connection" in log, "the frozen table's connection is cut"
        assert slowest < 1.0
        proxy.down.held = proxy.up.held = False
        await flood.close()
        await until(lambda: frozen.link.view.state == "ok", 20, "the frozen table is back")
        for puppet in puppets:
            puppet.finish()
        await drained(puppets)
        check(hall, results=3)
        await proxy.stop()


def test_n11_a_frozen_table_is_cut_and_slows_nobody(folder: Path) -> None:
    asyncio.run(frozen_table(folder, 2.5, 1_500))


@pytest.mark.soak
def test_n11_a_table_frozen_for_90_s(folder: Path) -> None:
    asyncio.run(frozen_table(folder, 90.0, 3_000))


def test_n05_two_boards_from_one_card(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            first = puppets[0]
            first.shuffle(6)
            await drained(puppets)
            copy = folder / "copy"
            copy.mkdir()
            for name in ("table-1.db", "table-1.db-wal"):
                shutil.copyfile(folder / name, copy / name)
            clone = hall.puppet(1, folder=copy, boot="boot-of-the-copy")
            await clone.start()
            before = held_by_hub(folder, "1")
            for n in range(5):
                clone.note(f"from the copy {n}")
                first.shuffle(2)
                await asyncio.sleep(0.3)
            await until(tells(desk, "Table 1 is running on two devices"), 5, "the arbiter is told")
            assert "another device" in clone.link.view.why
            await drained([first])
            assert held_by_hub(folder, "1") > before
            calls = query(folder / "hall.db", "SELECT d FROM table_events WHERE d LIKE '%from the copy%'")
            assert calls == [], "no event of the copy is in the game of the first"
            assert clone.link._connections + first.link._connections < 10, "nobody kicks the other out"
            assert clone.waiting >= 5
            await clone.stop()
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            check(hall, results=2)

    asyncio.run(story())
