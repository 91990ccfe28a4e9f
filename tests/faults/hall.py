"""A hub as a real process, with its transport, for puppets to connect to; and what must hold at the end of a case."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

from hallnet.desk_client import DeskClient
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address
from kiosk.demo.audit import audit
from tests.faults.puppet import Puppet, until

ADDRESS = Address("faults", "hall")
ROOT = Path(__file__).parents[2]
#: No case is about how long a process takes to begin: that is the machine's, and what else it does.
START_S = 120
CONFIG = """
name = "Fault Open"
event = "faults"
data = "."
entries = "list.csv"
{more}

[regulations]
rounds = {rounds}
control = "90+30"
seed = 5
initial-colour = "white"
"""


class Hall:
    """The hub's process in `folder`; `players` two for each table. `faults`: see `tests.faults.hub_process`."""

    def __init__(self, folder: Path, players: int, more: str = "") -> None:
        self.folder = folder
        self.faults: dict[str, Any] = {}
        self.process: asyncio.subprocess.Process | None = None
        self.starts = 0
        self.host = "127.0.0.1"
        self.prefix: tuple[str, ...] = ()
        self.keeping: asyncio.Task[None] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        names = "\n".join(f'"Player {n}",{2500 - n}' for n in range(players))
        (folder / "list.csv").write_text(f"name,rating\n{names}\n", encoding="utf-8")
        (folder / "hub.toml").write_text(CONFIG.format(more=more, rounds=min(3, players - 1)), encoding="utf-8")

    @property
    def info(self) -> dict[str, Any]:
        """What the hub has written down about itself."""
        info: dict[str, Any] = json.loads((self.folder / "hub.json").read_text(encoding="utf-8"))
        return info

    @property
    def port(self) -> int:
        """The transport's port."""
        return int(self.info["port"])

    @property
    def transport_pid(self) -> int:
        """The transport's server."""
        return int((self.folder / "nats.pid").read_text(encoding="ascii"))

    @property
    def pid(self) -> int:
        """The hub."""
        assert self.process is not None
        return self.process.pid

    async def start(self, ready: bool = True) -> None:
        """Starts the hub, and waits until it serves."""
        with (self.folder / "hub.log").open("ab") as output:
            self.process = await asyncio.create_subprocess_exec(
                *self.prefix, sys.executable, "-m", "tests.faults.hub_process", json.dumps(self.faults),
                "hub", "--config", str(self.folder / "hub.toml"),
                cwd=ROOT, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip
        self.starts += 1
        if ready:
            try:
                await until(self.serves, START_S, "the hub serves")
            except AssertionError as late:
                raise AssertionError(f"{late}: {self.words()}") from None

    def serves(self) -> bool:
        """Is the hub ready?"""
        assert self.process is not None
        assert self.process.returncode is None, self.words()
        with contextlib.suppress(OSError, ValueError):
            return bool(self.info["pid"] == self.process.pid)
        return False

    def words(self) -> str:
        """The end of the hub's log."""
        return (self.folder / "hub.log").read_text(encoding="utf-8", errors="replace")[-2000:]

    async def kill(self, transport: bool = False) -> None:
        """kill -9 of the hub, and of its transport."""
        if transport:
            with contextlib.suppress(OSError, ValueError):
                os.kill(self.transport_pid, signal.SIGKILL)
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def keep(self) -> None:
        """Starts the hub again whenever it ends, as systemd would, until `stop`."""

        async def watch() -> None:
            while True:
                assert self.process is not None
                await self.process.wait()
                await asyncio.sleep(0.05)
                await self.start(ready=False)

        self.keeping = asyncio.create_task(watch())

    async def stop(self) -> None:
        """Ends the hub in order, and its transport however it stands."""
        if self.keeping is not None:
            self.keeping.cancel()
            await asyncio.gather(self.keeping, return_exceptions=True)
        process = self.process
        if process is not None and process.returncode is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                async with asyncio.timeout(15):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
        with contextlib.suppress(OSError, ValueError):
            pid = self.transport_pid
            if is_ours(pid, self.folder):
                os.kill(pid, signal.SIGKILL)

    def transport(self, name: str, port: int = 0) -> NatsTransport:
        """A connection of its own."""
        return NatsTransport([f"nats://{self.host}:{port or self.port}"], name)

    def puppet(self, name: str | int, port: int = 0, folder: Path | None = None, **more: Any) -> Puppet:
        """A table of this hall."""
        return Puppet(str(name), folder or self.folder, self.transport(f"table {name}", port), ADDRESS, **more)

    @contextlib.asynccontextmanager
    async def desk(self, name: str = "chief") -> AsyncIterator[DeskClient]:
        """The arbiter."""
        client = DeskClient(self.transport(name), ADDRESS, name)
        await client.start()
        try:
            await until(lambda: client.hall is not None, 20, "the desk sees the hall")
            yield client
        finally:
            await client.close()


@contextlib.asynccontextmanager
async def hall_of(folder: Path, tables: int, more: str = "", **faults: Any) -> AsyncIterator[tuple[Hall, list[Puppet]]]:
    """A hall with so many tables, all connected and enrolled."""
    hall = Hall(folder, 2 * tables, more)
    hall.faults = faults
    puppets: list[Puppet] = []
    try:
        await hall.start()
        puppets += [hall.puppet(n) for n in range(1, tables + 1)]
        await asyncio.gather(*(puppet.start() for puppet in puppets))
        await until(lambda: all(p.outbox.epoch and not p.waiting for p in puppets), 30, "all tables are enrolled")
        yield hall, puppets
    finally:
        await asyncio.gather(*(puppet.stop() for puppet in puppets))
        await hall.stop()


async def begin_round(desk: DeskClient, puppets: Iterable[Puppet]) -> None:
    """Pair, publish, all are ready, start."""
    for kind in ("pair", "publish"):
        answer = await desk.intend(kind)
        assert answer.ok, answer.why
    puppets = list(puppets)
    await until(lambda: all(p.phase in ("assigned", "ready") for p in puppets), 20, "all tables have their game")
    for puppet in puppets:
        puppet.ready()
    await until(lambda: all(not p.waiting for p in puppets), 20, "the hub knows that all are ready")
    answer = await desk.intend("start")
    assert answer.ok, answer.why
    await until(lambda: all(p.phase == "playing" for p in puppets), 20, "all play")


async def drained(puppets: Iterable[Puppet], seconds: float = 20.0) -> None:
    """Until the hub has acknowledged everything."""
    puppets = list(puppets)
    await until(lambda: all(p.outbox.epoch and not p.waiting for p in puppets), seconds, "everything is acknowledged")


def check(hall: Hall, results: int | None = None) -> None:
    """I1, I2 and I3 of the catalogue: the sets are equal, each result is there once, no outbox dropped anything."""
    found = audit(hall.folder)
    assert (found.lost, found.extra, found.doubled) == (0, 0, 0), found
    if results is not None:
        assert found.results == results
    for path in hall.folder.glob("table-*.db"):
        rows = query(path, "SELECT epoch, seq FROM events ORDER BY epoch, seq")
        seqs: dict[int, list[int]] = {}
        for epoch, seq in rows:
            seqs.setdefault(epoch, []).append(seq)
        for found_seqs in seqs.values():
            assert found_seqs == list(range(1, len(found_seqs) + 1)), f"{path} has gaps"


def query(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows of a store, read by nobody's code but SQLite's."""
    connection = sqlite3.connect(path, timeout=10)
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


def is_ours(pid: int, folder: Path) -> bool:
    """Is this a process that was started for the folder?"""
    return str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()


def notices(desk: DeskClient) -> tuple[str, ...]:
    """What the arbiter's screen says."""
    return desk.hall.head.notices if desk.hall is not None else ()


def tells(desk: DeskClient, text: str) -> Callable[[], bool]:
    """Does the arbiter's screen say this?"""
    return lambda: any(text in notice for notice in notices(desk))
