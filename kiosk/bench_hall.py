"""`bench hall`: a hub, its transport and so many tables with keys on this machine, each table a connection of its own.

The hub and the transport are real processes; the tables are lean: a log in memory, the real sending half, the real
messages, and the moves of one game that all of them play. Everything shares this machine's cores, the tables too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hallnet import wire
from hallnet.chain import chain_hash
from hallnet.clock import boot_us
from hallnet.desk_client import DeskClient
from hallnet.hall_log import HallLog
from hallnet.keyring import KeyEvent
from hallnet.keys import Credentials, Key
from hallnet.sync_up import UpLink
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address
from kiosk.running import hub_credentials
from rules.laws.events import Assigned, GameEvent, Opened, OrderDone, Ply, Press
from rules.laws.sides import Side

ADDRESS = Address("bench", "hall")
TABLES = 1_000
RUNS = 5
MOVES_A_SECOND = 500
SECONDS = 4.0
WAITING = 30
SETTINGS = """
name = "Bench Open"
event = "bench"
data = "."
entries = "list.csv"
keys = {keys}

[regulations]
rounds = 1
control = "90+30"
seed = 1
"""
#: Knights out and home: two of these rounds leave every position below a fifth repetition.
_DANCE = ("g1f3", "g8f6", "f3g1", "f6g8")


@dataclass(eq=False, slots=True)
class LeanTable:
    """A table that does what the protocol wants and nothing else."""

    name: str
    transport: NatsTransport
    up: UpLink
    epoch: int = 0
    acked: int = 0
    incarnation: int = 0
    round: int = 0
    log: list[wire.EventMsg] = field(default_factory=list)
    plies: int = 0
    asked: int = 0
    assigned_at: float = 0.0
    sent_at: dict[int, float] = field(default_factory=dict)
    trips: list[float] = field(default_factory=list)
    orders: set[str] = field(default_factory=set)

    async def start(self) -> None:
        """Connects."""
        self.transport.on_change(self.changed)
        for leaf, handler in {"ack": self.on_ack, "snap": self.on_snap, "asg": self.on_asg, "ord": self.on_ord}.items():
            await self.transport.subscribe(ADDRESS.table(self.name, leaf), handler)  # type: ignore[arg-type]
        await self.transport.start()

    def changed(self, connected: bool) -> None:
        """The connection came or went."""
        now = boot_us() // 1000
        if connected:
            self.up.connected(now)
            self.ask()
        else:
            self.up.disconnected()

    def ask(self) -> None:
        """Asks for a snapshot."""
        self.asked += 1
        ask = wire.Ask(boot="bench", instance=f"bench{self.name}", e=self.epoch, round=self.round, rev=self.round,
                       last=len(self.log), acked=self.acked, inc=self.incarnation, n=self.asked)  # fmt: skip
        self.transport.publish(ADDRESS.table(self.name, "ask"), wire.encode(ask))

    def write(self, *events: GameEvent) -> None:
        """Keeps events and sends what is due."""
        for event in events:
            kind, data = wire.event_data(event)
            prev = chain_hash(self.log[-1]) if self.log else ""
            self.log.append(
                wire.EventMsg(e=self.epoch, s=len(self.log) + 1, g="", kind=kind, wall=1, mono=boot_us(), boot="bench",
                              sync=True, prev=prev, d=data)
            )  # fmt: skip
        self.send()

    def send(self) -> None:
        """Sends what is due."""
        now = boot_us() // 1000
        self.up.state(len(self.log), self.acked, self.epoch)
        due = self.up.due(now)
        if due is None or not self.transport.connected:
            return
        for batch in wire.batches(self.log[due[0] : due[1]], "bench"):
            if self.transport.publish(ADDRESS.table(self.name, "up"), wire.encode(batch)):
                self.up.sent(now, batch.events[-1].s)

    def move(self) -> None:
        """The next move of the game, and the press; the time until it is acknowledged is measured."""
        side: Side = "white" if self.plies % 2 == 0 else "black"
        t = boot_us() // 1000
        uci = _DANCE[self.plies % 4]
        self.plies += 1
        self.write(Ply(t, side, uci, 5_400_000, 5_400_000), Press(t, side, 5_400_000, 5_400_000))
        self.sent_at[len(self.log)] = asyncio.get_running_loop().time()

    def on_ack(self, _subject: str, payload: bytes) -> None:
        """The hub has it."""
        ack = wire.decode(payload, wire.Ack)
        if ack.e != self.epoch or ack.s < self.acked:
            return
        now = boot_us() // 1000
        self.acked, self.incarnation = ack.s, ack.inc
        self.up.acked(now, ack.s, ack.window)
        for seq in [seq for seq in self.sent_at if seq <= ack.s]:
            self.trips.append(asyncio.get_running_loop().time() - self.sent_at.pop(seq))
        self.send()

    def on_snap(self, _subject: str, payload: bytes) -> None:
        """What the hub wants of this table."""
        snapshot = wire.decode(payload, wire.Snapshot)
        if snapshot.e > self.epoch:
            self.epoch = snapshot.e
            self.write(Opened(boot_us() // 1000, "enrolled"))
        self.incarnation = snapshot.inc
        if snapshot.assignment is not None:
            self.take(snapshot.assignment)
        self.send()

    def on_asg(self, _subject: str, payload: bytes) -> None:
        """A game."""
        self.take(wire.decode(payload, wire.AssignmentMsg))

    def take(self, message: wire.AssignmentMsg) -> None:
        """Takes a game that is new."""
        if message.round > self.round:
            self.assigned_at = asyncio.get_running_loop().time()
            self.round = message.round
            self.write(Assigned(boot_us() // 1000, message.round, message.rev, message.assignment()))

    def on_ord(self, _subject: str, payload: bytes) -> None:
        """An order is carried out."""
        order = wire.decode(payload, wire.OrderMsg)
        if order.id not in self.orders:
            self.orders.add(order.id)
            self.write(OrderDone(boot_us() // 1000, order.id))


class BenchHall:
    """The processes of the measurement in `folder`."""

    def __init__(self, folder: Path, tables: int, keyed: bool) -> None:
        self.folder, self.keyed = folder, keyed
        self.process: asyncio.subprocess.Process | None = None
        self.keys = {str(n): Key.make() for n in range(1, tables + 1)} if keyed else {}
        names = "\n".join(f'"Player {n}",{3000 - n // 2}' for n in range(2 * tables))
        (folder / "list.csv").write_text(f"name,rating\n{names}\n", encoding="utf-8")
        (folder / "hub.toml").write_text(SETTINGS.format(keys=str(keyed).lower()), encoding="utf-8")
        if keyed:
            log = HallLog.open(folder / "hall.db")
            log.append_keys([KeyEvent(1, "granted", k.public, "table", name, "bench") for name, k in self.keys.items()])
            log.close()

    @property
    def port(self) -> int:
        """The transport's port."""
        return int(json.loads((self.folder / "hub.json").read_text(encoding="utf-8"))["port"])

    @property
    def transport_pid(self) -> int:
        """The transport's process."""
        return int((self.folder / "nats.pid").read_text(encoding="ascii"))

    async def start(self) -> None:
        """Starts the hub, which starts the transport."""
        with (self.folder / "hub.log").open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "kiosk", "hub", "--config", str(self.folder / "hub.toml"),
                stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        await until((self.folder / "hub.json").exists, 60)

    async def stop(self) -> None:
        """Ends both."""
        if self.process is not None and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()

    def table(self, name: str) -> LeanTable:
        """A table of this hall."""
        credentials = Credentials(self.keys[name], self.folder / "keys" / "ca.pem") if self.keyed else None
        transport = NatsTransport([f"nats://127.0.0.1:{self.port}"], f"table {name}", credentials)
        return LeanTable(name, transport, UpLink(seed=int(name)))


async def until(holds: Callable[[], bool], seconds: float) -> float:
    """Looks until something holds; how long that took (s). Raises `TimeoutError`."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - what is waited for is in other processes
            await asyncio.sleep(0.005)
    return loop.time() - begun


@contextlib.asynccontextmanager
async def hall_of(tables: int, keyed: bool) -> AsyncIterator[tuple[BenchHall, list[LeanTable], DeskClient]]:
    """The hall, running."""
    folder = Path(tempfile.mkdtemp(prefix="bench-hall-"))
    hall = BenchHall(folder, tables, keyed)
    lean: list[LeanTable] = []
    desk: DeskClient | None = None
    retrying: asyncio.Task[None] | None = None
    try:
        await hall.start()
        lean += [hall.table(str(n)) for n in range(1, tables + 1)]
        place = [f"nats://127.0.0.1:{hall.port}"]
        desk = DeskClient(NatsTransport(place, "desk1", hub_credentials(folder)), ADDRESS, "desk1")
        await desk.start()
        retrying = asyncio.create_task(_retry(lean))
        yield hall, lean, desk
    finally:
        if retrying is not None:
            retrying.cancel()
        await asyncio.gather(*(table.transport.close() for table in lean))
        if desk is not None:
            await desk.close()
        await hall.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def _retry(tables: Sequence[LeanTable]) -> None:
    """What a table's own loop does: sends again what was not answered."""
    while True:
        await asyncio.sleep(0.1)
        for table in tables:
            if table.acked < len(table.log):
                table.send()
            elif table.transport.connected and not table.epoch:
                table.ask()


async def measure(
    tables: int = TABLES, keyed: bool = True, runs: int = RUNS, seconds: float = SECONDS
) -> dict[str, Any]:
    """All figures: times in ms, memory in MB."""
    found: dict[str, Any] = {"tables": tables, "tls_and_keys": keyed}
    async with hall_of(tables, keyed) as (hall, lean, desk):
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await asyncio.gather(*(table.start() for table in lean))
        await until(lambda: all(t.epoch and t.acked == len(t.log) for t in lean), 120)
        found["connect_all_ms"] = _ms(loop.time() - begun)
        await until(lambda: desk.hall is not None, 30)
        await _must(desk, "pair")
        begun = loop.time()
        await _must(desk, "publish")
        await until(lambda: all(t.round for t in lean), 60)
        found["round_out_slowest_ms"] = _ms(max(t.assigned_at for t in lean) - begun)
        await _drained(lean, 60)
        p50s, p99s = [], []
        for run in range(runs):
            trips = await _moves(lean, seconds, run)
            p50s.append(_ms(trips[len(trips) // 2]))
            p99s.append(_ms(trips[int(len(trips) * 0.99)]))
        found |= {"moves_a_second": MOVES_A_SECOND, "move_p50_ms": statistics.median(p50s)}
        found |= {"move_p99_ms": statistics.median(p99s), "move_p99_each_ms": p99s}
        hub, server = hall.process.pid if hall.process else 0, hall.transport_pid
        found |= {"hub_mb": resident_mb(hub), "transport_mb": resident_mb(server)}
        found["both_mb"] = round(found["hub_mb"] + found["transport_mb"], 1)
        found["back_ms"] = await _back(hall, lean, 0)
        found["drained_ms"] = await _back(hall, lean, WAITING)
        asked = loop.time()
        await desk.intend("health")
        found["desk_answer_ms"] = _ms(loop.time() - asked)
        log = HallLog.open(hall.folder / "hall.db")
        stored = log.position().table
        log.close()
        found["events"], found["lost"] = stored, sum(len(t.log) for t in lean) - stored
    return found


async def _moves(tables: Sequence[LeanTable], seconds: float, seed: int) -> list[float]:
    """Moves at random tables, at an even pace; the round trips in order of length (s)."""
    loop, dice = asyncio.get_running_loop(), random.Random(seed)
    for table in tables:
        table.trips.clear()
    begun = loop.time()
    for n in range(int(MOVES_A_SECOND * seconds)):
        await asyncio.sleep(max(0.0, begun + n / MOVES_A_SECOND - loop.time()))
        dice.choice(tables).move()
    await _drained(tables, 60)
    return sorted(trip for table in tables for trip in table.trips)


async def _back(hall: BenchHall, tables: Sequence[LeanTable], waiting: int) -> float:
    """Kill -9 of the transport; from its being up again until all tables are back and have nothing waiting (ms)."""
    os.kill(hall.transport_pid, signal.SIGKILL)
    await until(lambda: not any(t.transport.connected for t in tables), 30)
    asked = {t: t.asked for t in tables}
    for table in tables:
        for _n in range(waiting // 2):
            table.move()
        table.sent_at.clear()
    took = await until(
        lambda: all(t.asked > asked[t] and t.transport.connected and t.acked == len(t.log) for t in tables), 120
    )
    return _ms(took)


async def _drained(tables: Sequence[LeanTable], seconds: float) -> float:
    return await until(lambda: all(t.acked == len(t.log) for t in tables), seconds)


async def _must(desk: DeskClient, kind: str) -> None:
    answer = await desk.intend(kind)
    if not answer.ok:
        raise RuntimeError(answer.why)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def resident_mb(pid: int) -> float:
    """Resident memory of a process (MB). `ProcessLookupError` if it has ended and only its parent does not know yet."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    raise ProcessLookupError(f"process {pid} has ended")


def rows() -> list[dict[str, Any]]:
    """One row of figures, as `hallkiosk bench` prints them."""
    return [asyncio.run(measure())]


def run(as_json: bool = False) -> int:
    """Measures and prints."""
    logging.getLogger("hallnet").setLevel(logging.ERROR)  # a thousand lost connections are what is measured
    found = rows()[0]
    if as_json:
        print(json.dumps([found]))
    else:
        for name, value in found.items():
            print(f"{name:22} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(run("--json" in sys.argv))
