"""From the outbox to the hall's log: tables, server and hub, with each of them killed or cut off in between.

The oracle is what the tables wrote; at the end the hub has exactly that, each event took effect once and in order, and
no table was told that the hub has something it has not.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hallnet.clock import boot_ms
from hallnet.hall_log import HallLog
from hallnet.nats_server import NatsServer, free_port
from hallnet.outbox import Outbox, Stamp
from hallnet.serial import SerialThread
from hallnet.sync_down import Inbox
from hallnet.sync_up import UpLink
from hallnet.transport import Transport
from hallnet.transport_memory import Faults, MemoryBroker, MemoryTransport
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Ack, Address, Batch, EventMsg, WireError, batches, decode, encode
from rules.laws.events import Fault
from rules.tournament.events import Resulted

ADDRESS = Address("ostrava", "a")
STAMP = Stamp(1, 1, "boot", True)


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.transport_nats.PAUSE_S", (0.02, 0.1))
    monkeypatch.setattr("hallnet.sync_up.SHORTEST_MS", 50)
    monkeypatch.setattr("hallnet.sync_up.LONGEST_MS", 300)


@pytest.fixture(autouse=True)
def no_server_left(tmp_path: Path) -> Iterator[None]:
    """A test that fails half-way leaves no server behind."""
    yield
    pid_file = tmp_path / "nats.pid"
    if pid_file.exists():
        pid = int(pid_file.read_text())
        arguments = Path(f"/proc/{pid}/cmdline")
        if arguments.exists() and str(tmp_path).encode() in arguments.read_bytes():
            os.kill(pid, signal.SIGKILL)


async def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for is in other threads and processes
            await asyncio.sleep(0.005)


class Table:
    """The sending half of a table's service."""

    def __init__(self, name: str, path: Path, transport: Transport) -> None:
        self.name, self.path, self.transport = name, path, transport
        self.outbox = Outbox.open(path)
        if not self.outbox.epoch:
            self.outbox.enrol(1, STAMP, 1, "enrolled")
        self.up = UpLink(seed=int(name))
        self.up.state(self.outbox.last, self.outbox.acked)
        self.wake = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self.transport.on_change(self.changed)
        await self.transport.subscribe(ADDRESS.table(self.name, "ack"), self.acked)
        await self.transport.start()
        self.task = asyncio.create_task(self.run())

    async def stop(self) -> None:
        assert self.task is not None
        self.task.cancel()
        await self.transport.close()
        self.outbox.close()

    def changed(self, connected: bool) -> None:
        if connected:
            self.up.connected(boot_ms())
        else:
            self.up.disconnected()
        self.wake.set()

    def write(self, count: int) -> None:
        for _n in range(count):
            self.outbox.append((Fault(self.outbox.last, "board", "x"),), "r1b1", STAMP)
        self.up.state(self.outbox.last, self.outbox.acked)
        self.wake.set()

    def acked(self, _subject: str, payload: bytes) -> None:
        ack = decode(payload, Ack)
        self.up.acked(boot_ms(), ack.s, ack.window)
        self.outbox.acknowledge(ack.e, ack.s, ack.inc)
        self.up.state(self.outbox.last, self.outbox.acked)
        self.wake.set()

    async def run(self) -> None:
        while True:
            while due := self.up.due(boot_ms()):
                after, to = due
                for batch in batches(self.outbox.pending(after, to - after)):
                    self.transport.publish(ADDRESS.table(self.name, "up"), encode(batch))
                self.up.sent(boot_ms(), to)
            wakeup = self.up.next_wakeup(boot_ms())
            self.wake.clear()
            try:
                async with asyncio.timeout(None if wakeup is None else max(0.001, (wakeup - boot_ms()) / 1_000)):
                    await self.wake.wait()
            except TimeoutError:
                continue


class Hub:
    """The receiving half of a hub; `kill` forgets everything but the file."""

    def __init__(self, path: Path, transport: Transport, chance: random.Random, forget: float = 0.0) -> None:
        self.transport = transport
        self.log = HallLog.open(path)
        self.inboxes: dict[str, Inbox] = {}
        self.chance, self.forget = chance, forget
        self.duplicates = 0
        self.thread = SerialThread(self.step, self.acknowledge, asyncio.get_running_loop())

    async def start(self) -> None:
        await self.transport.subscribe(ADDRESS.table("*", "up"), self.receive)
        await self.transport.start()

    async def kill(self) -> None:
        await self.transport.close()
        self.thread.stop()
        self.log.close()

    def receive(self, subject: str, payload: bytes) -> None:
        _kind, table, _leaf = ADDRESS.speaker(subject)
        try:
            batch = decode(payload, Batch)
        except WireError:
            return
        for msg in batch.events:
            self.thread.put((table, msg))

    def step(self, items: list[tuple[str, EventMsg]]) -> list[tuple[str, int, int]]:
        with self.log.transaction():
            for table, msg in items:
                inbox = self.inboxes.setdefault(table, self.log.inbox(table, 1))
                taken = inbox.take(msg)
                self.duplicates += taken.verdict == "duplicate"
                if taken.verdict in ("new", "gap"):
                    self.log.insert(table, msg, 0)
                for ready in taken.ready:
                    effect = Resulted(ready.s, 1, int(table), "1-0", "confirmed", table)
                    self.log.append([effect], (table, ready.e, ready.s))
        return [(table, *self.inboxes[table].ack()) for table in sorted({table for table, _msg in items})]

    def acknowledge(self, acks: list[tuple[str, int, int]]) -> None:
        for table, epoch, seq in acks:
            # As if the hub had been killed between its commit and its word.
            if self.chance.random() >= self.forget:
                self.transport.publish(ADDRESS.table(table, "ack"), encode(Ack(e=epoch, s=seq)))


def check(folder: Path, hall: Path, names: list[str]) -> None:
    log = HallLog.open(hall)
    effects: dict[str, list[int]] = {}
    for event in log.tournament_events():
        assert isinstance(event, Resulted)
        effects.setdefault(event.by, []).append(event.at)
    for name in names:
        outbox = Outbox.open(folder / f"table-{name}.db")
        written = list(outbox.messages())
        assert [msg for _table, msg in log.table_messages(name)] == written
        assert effects[name] == [msg.s for msg in written]
        assert outbox.acked <= log.last(name, 1)[0]


def test_nothing_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    async def main() -> None:
        chance = random.Random(4)
        server = NatsServer(tmp_path, free_port())
        await server.start()
        watch = asyncio.create_task(server.supervise())
        names = ["1", "2", "3"]
        tables = {n: Table(n, tmp_path / f"table-{n}.db", NatsTransport([server.url], n)) for n in names}
        hub = Hub(tmp_path / "hall.db", NatsTransport([server.url], "hub"), chance, forget=0.1)
        await hub.start()
        for table in tables.values():
            await table.start()
        for blow in ("server", "hub", "table", "server", "hub"):
            for table in tables.values():
                table.write(chance.randint(5, 40))
            await asyncio.sleep(chance.uniform(0, 0.05))
            if blow == "server":
                os.kill(server.pid, signal.SIGKILL)
            elif blow == "hub":
                await hub.kill()
                hub = Hub(tmp_path / "hall.db", NatsTransport([server.url], "hub"), chance, forget=0.1)
                await hub.start()
            else:
                await tables["2"].stop()
                tables["2"] = Table("2", tmp_path / "table-2.db", NatsTransport([server.url], "2"))
                await tables["2"].start()
        await until(lambda: all(t.outbox.acked == t.outbox.last for t in tables.values()))
        for table in tables.values():
            await table.stop()
        await hub.kill()
        await server.stop()
        await watch
        check(tmp_path, tmp_path / "hall.db", names)

    asyncio.run(main())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_bad_line_doubles_messages_and_never_effects(tmp_path: Path, seed: int) -> None:
    async def main() -> None:
        broker = MemoryBroker(seed)
        chance = random.Random(seed)
        names = ["1", "2"]
        tables = {n: Table(n, tmp_path / f"table-{n}.db", MemoryTransport(broker, n)) for n in names}
        hub = Hub(tmp_path / "hall.db", MemoryTransport(broker, "hub"), chance, forget=0.2)
        await hub.start()
        for name, table in tables.items():
            broker.faults(name, Faults(drop=0.2, duplicate=0.3, reorder=0.4))
            await table.start()
        # Repetitions must have come, or nothing would be shown.
        while hub.duplicates < 5 or min(t.outbox.last for t in tables.values()) < 50:
            for table in tables.values():
                table.write(chance.randint(1, 30))
            await asyncio.sleep(0.02)
            broker.faults("1", Faults(up_cut=chance.random() < 0.5, down_cut=chance.random() < 0.5))
            await asyncio.sleep(0.05)
            broker.faults("1", Faults(drop=0.2, duplicate=0.3, reorder=0.4))
        await until(lambda: all(t.outbox.acked == t.outbox.last for t in tables.values()))
        for table in tables.values():
            await table.stop()
        assert sum(inbox.last for inbox in hub.inboxes.values()) == sum(t.outbox.last for t in tables.values())
        await hub.kill()
        check(tmp_path, tmp_path / "hall.db", names)

    asyncio.run(main())
