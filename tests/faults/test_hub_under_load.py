"""N07, N12 and the bounds: a hub that is slow, dies between commit and answer, or finds its transport's memory gone."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from hallnet import wire
from hallnet.serial import BOUND, SerialThread
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from kiosk.bench_hall import resident_mb
from kiosk.hub.service import HubService
from tests.faults.conftest import FAST
from tests.faults.hall import ADDRESS, begin_round, check, drained, hall_of, query
from tests.faults.puppet import until
from tests.kiosk.test_hub_service import open_core


async def slow_hub(folder: Path, tables: int, plies: int, sync_ms: int, die_after: int, seconds: float) -> None:
    """N07: commits take long, tables repeat themselves, the hub dies before it can answer: all comes, each once."""
    async with hall_of(folder, tables, set=FAST) as (hall, puppets):
        async with hall.desk() as desk:
            await begin_round(desk, puppets)
        await hall.kill()
        hall.faults = {"set": FAST, "sync_ms": sync_ms, "die_after_commit": die_after}
        await hall.start(ready=False)
        await hall.keep()
        for puppet in puppets:
            puppet.shuffle(plies)
            puppet.finish()
        opened = "SELECT count(*) FROM tournament_events WHERE kind = 'hub-opened'"

        def openings() -> int:
            return int(query(folder / "hall.db", opened)[0][0])

        # A process that was killed before it had opened the log has no number: those that opened it are counted.
        await until(lambda: openings() >= 4, seconds, "the hub has died some times between commit and answer")
        hall.faults = {"set": FAST, "sync_ms": sync_ms}
        await drained(puppets, seconds)
        assert 4 <= openings() <= hall.starts + 1
        results = query(folder / "hall.db", "SELECT count(*) FROM tournament_events WHERE kind = 'resulted'")
        assert results[0][0] == tables, "each result took effect once"
        check(hall, results=tables)


def test_n07_a_slow_hub_that_dies_between_commit_and_answer(folder: Path) -> None:
    asyncio.run(slow_hub(folder, 10, 4, 40, 2, 40))


@pytest.mark.soak
def test_n07_a_hundred_tables_and_a_commit_of_3_s(folder: Path) -> None:
    asyncio.run(slow_hub(folder, 100, 20, 3_000, 4, 300))


def test_n07_repetitions_are_counted_and_the_queue_and_the_memory_stay_bounded(folder: Path) -> None:
    """Every commit takes longer than the tables' patience, so everything comes at least twice."""

    async def story() -> None:
        async with hall_of(folder, 8, set=FAST, sync_ms=300) as (hall, puppets), hall.desk() as desk:
            for puppet in puppets:
                puppet.link._up._pause = lambda: 150  # type: ignore[method-assign]
            await begin_round(desk, puppets)
            before = resident_mb(hall.pid)
            for puppet in puppets:
                puppet.shuffle(6)
                puppet.finish()
            await drained(puppets, 30)
            assert resident_mb(hall.pid) - before < 20
            answer = await desk.intend("health")
            assert answer.ok, answer.why
            assert answer.d["duplicates"] > 0, "or this test shows nothing"
            check(hall, results=8)

    asyncio.run(story())


def test_the_queue_is_bounded_and_above_half_of_it_windows_shrink(folder: Path) -> None:
    async def story() -> None:
        core = open_core(folder / "hall.db")
        broker = MemoryBroker()
        service = HubService(core, MemoryTransport(broker, "hub"))
        gate = asyncio.Event()
        loop = asyncio.get_running_loop()
        taken: list[int] = []

        def step(items: list[int]) -> list[int]:
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
            taken.extend(items)
            return []

        thread = SerialThread(step, lambda _out: None, loop)
        accepted = [n for n in range(BOUND + 1_000) if thread.put(n)]
        assert BOUND <= len(accepted) <= BOUND + 256
        gate.set()
        await asyncio.to_thread(thread.stop)
        assert taken == accepted, "what was accepted is done, in order"
        service.core._tables._backlog = lambda: BOUND // 2 + 1
        service.core._tables.begin()
        service.core._books.begin()
        service.core._tables._ack_later("1", why="test")
        service.core._tables.acknowledge()
        (sent,) = service.core._books.out
        assert wire.decode(sent.payload, wire.Ack).window == 4  # type: ignore[union-attr]
        core.log.close()

    asyncio.run(story())


def test_n12_the_transport_forgets_everything_and_nothing_is_missing(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 10, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
            away = puppets.pop()  # off line until the end
            await away.stop()
            for _n in range(2):
                for puppet in puppets:
                    puppet.shuffle(4)
                await hall.kill(transport=True)
                for path in (folder / "nats.conf", folder / "nats.log", folder / "nats.pid"):
                    path.unlink(missing_ok=True)
                shutil.rmtree(folder / "jetstream", ignore_errors=True)
                await hall.start()
            puppets.append(hall.puppet(away.name))
            await puppets[-1].start()
            await drained(puppets, 30)
            for puppet in puppets:
                puppet.finish()
            await drained(puppets, 30)
            check(hall, results=10)

    asyncio.run(story())


def test_n12_tables_that_never_come_back_cost_the_transport_nothing(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, _puppets):
            asker = hall.transport("asker")
            await asker.start()
            await until(lambda: asker.connected)
            before = resident_mb(hall.transport_pid)
            for n in range(200):
                ask = wire.Ask(boot="b", instance=f"{n:016x}", e=0, round=0, rev=0, last=0, acked=0, inc=0)
                asker.publish(ADDRESS.table(f"gone{n}", "ask"), wire.encode(ask))
            rows = "SELECT count(*) FROM tournament_events WHERE kind = 'device-enrolled'"
            await until(lambda: query(folder / "hall.db", rows)[0][0] == 202, 20, "200 tables are enrolled")
            await asyncio.sleep(1)
            await asker.close()
            after = resident_mb(hall.transport_pid)
            assert after < before * 1.1 + 2, f"{before:.1f} MB before, {after:.1f} MB after"

    asyncio.run(story())
