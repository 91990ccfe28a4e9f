"""The hub as a service: over the memory transport in one process, and as a real process that is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hallnet import wire
from hallnet.desk_client import DeskClient
from hallnet.errors import StoreFull
from hallnet.hall_log import HallLog
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address
from kiosk.hub.config import HubConfig
from kiosk.hub.core import HubCore
from kiosk.hub.pairer import Job, pair, pair_in_process
from kiosk.hub.service import HubService, run_hub
from rules.pairing.state import History, PairingState
from rules.tournament.entries import Entry
from tests.kiosk.hub_hall import ADDRESS, REGULATIONS, entries

#: How long a process may take to begin: that is the machine's, and what else it does.
START_S = 120
PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from kiosk.hub.config import HubConfig
from kiosk.hub.service import run_hub
from rules.tournament.entries import Entry
players = tuple(Entry(0, f"Player {n}", 2000 - n) for n in range(4))
config = HubConfig(name="Kill Open", event="kill", hall="one", data=Path(sys.argv[1]), rounds=2, entries=players)
sys.exit(asyncio.run(run_hub(config, lambda info: print(json.dumps(info), flush=True))))
"""


async def until(true: Callable[[], Any], seconds: float = 15.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - the clients under test have no common event
            await asyncio.sleep(0.02)


async def in_thread(job: Job) -> Any:
    """Pair without a process, for speed."""
    return await asyncio.to_thread(pair, job)


def open_core(path: Path) -> HubCore:
    """A core on a new log."""
    core = HubCore(HallLog.open(path), ADDRESS, boot="boot")
    core.open(1, REGULATIONS, entries())
    return core


def test_a_desk_follows_the_hall_and_intents_are_answered(tmp_path: Path) -> None:
    async def story() -> None:
        broker = MemoryBroker(seed=1)
        core = open_core(tmp_path / "hall.db")
        service = HubService(core, MemoryTransport(broker, "hub"), in_thread)
        desk = DeskClient(MemoryTransport(broker, "desk"), ADDRESS, "chief")
        await service.start()
        await desk.start()
        await until(lambda: desk.hall)
        assert desk.hall is not None
        assert desk.hall.head.phase == "to-pair"
        paired = await desk.intend("pair")
        assert paired.events == ("paired",)
        await until(lambda: desk.hall and len(desk.hall.boards.rows) == 3)
        refused = await desk.intend("publish")
        assert "3 tables are missing" in refused.why
        table = MemoryTransport(broker, "table")
        await table.start()
        await until(lambda: table.connected)
        for name in ("1", "2", "3"):
            ask = wire.Ask(boot="b", instance=f"i{name}", e=0, round=0, rev=0, last=0, acked=0, inc=0)
            table.publish(ADDRESS.table(name, "ask"), wire.encode(ask))
        await until(lambda: desk.hall and desk.hall.head.step.kind == "publish")
        assert (await desk.intend("publish")).ok
        await until(lambda: desk.hall and [row.state for row in desk.hall.boards.rows] == ["sent"] * 3)
        await desk.close()
        await service.stop()
        core.log.close()

    asyncio.run(story())


def test_a_full_disk_ends_the_service_with_its_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        core = open_core(tmp_path / "hall.db")
        service = HubService(core, MemoryTransport(MemoryBroker(), "hub"), in_thread)

        def full(*_args: object) -> None:
            raise StoreFull(core.log.path, "the disk is full")

        monkeypatch.setattr(core.log, "transaction", full)
        await service.start()
        with pytest.raises(StoreFull, match="disk is full"):
            await asyncio.wait_for(service.failed, 10)
        await service.stop()
        core.log.close()

    asyncio.run(story())


def test_pairing_in_a_process_gives_the_same_as_here_and_a_dead_end_is_a_sentence() -> None:
    state = PairingState(1, 3, tuple(History(tpn) for tpn in range(1, 8)))
    job = Job("dutch", state)
    outcome = asyncio.run(pair_in_process(job))
    assert outcome == pair(job)
    assert outcome.answer is not None
    assert len(outcome.answer.pairs) == 3
    failed = asyncio.run(pair_in_process(Job("no such system", state)))
    assert failed.answer is None
    assert "no such system" in failed.why


def test_what_prevents_a_start_is_one_sentence_and_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    players = (Entry(0, "Ana"), Entry(0, "Bo"))
    for config, says in (
        (HubConfig(data=tmp_path / "a"), "no entries"),
        (HubConfig(data=tmp_path / "b", entries=players[:1]), "at least two"),
        (HubConfig(data=tmp_path / "c", entries=players, rounds=5), "5 rounds"),
        (HubConfig(data=tmp_path / "file", entries=players, rounds=1), str(tmp_path / "file")),
        (HubConfig(data=tmp_path / "d", entries_file=tmp_path / "none.csv"), "none.csv"),
    ):
        assert asyncio.run(run_hub(config)) == 2
        said = capsys.readouterr().err.strip()
        assert says in said
        assert len(said.splitlines()) == 1


def test_a_busy_port_is_one_sentence_and_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    players = (Entry(0, "Ana"), Entry(0, "Bo"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert asyncio.run(run_hub(HubConfig(data=tmp_path, entries=players, rounds=1, port=port))) == 2
    said = capsys.readouterr().err.strip()
    assert str(port) in said
    assert len(said.splitlines()) == 1


def test_a_log_of_zeros_is_kept_aside_and_the_desk_is_told(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    open_core(path).log.close()
    path.write_bytes(bytes(path.stat().st_size))
    core = open_core(path)
    notices = core.streams.snapshot(1, 1).head.notices
    core.log.close()
    assert any("hall.db" in notice for notice in notices)
    assert [kept for kept in tmp_path.iterdir() if kept != path and kept.stat().st_size and "hall.db" in kept.name]


async def start_process(folder: Path) -> tuple[asyncio.subprocess.Process, dict[str, Any]]:
    """A hub as a process of its own, and what it says when it is ready."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(folder), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    line = await asyncio.wait_for(child.stdout.readline(), START_S)
    if not line:
        assert child.stderr is not None
        raise AssertionError((await child.stderr.read()).decode())
    return child, json.loads(line)


async def killed_and_restarted(folder: Path) -> None:
    """Kill a hub with a draft in its log; the next one goes on with the same desk."""
    first, info = await start_process(folder)
    desk = None
    second = None
    try:
        assert json.loads((folder / "hub.json").read_text()) == info
        assert info["pid"] == first.pid
        rival = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROGRAM, str(folder), stderr=asyncio.subprocess.PIPE
        )
        _out, err = await asyncio.wait_for(rival.communicate(), START_S)
        assert rival.returncode == 2
        assert str(first.pid) in err.decode()
        assert len(err.decode().strip().splitlines()) == 1
        desk = DeskClient(NatsTransport([f"nats://127.0.0.1:{info['port']}"], "desk"), Address("kill", "one"), "chief")
        await desk.start()
        await until(lambda: desk.hall)
        assert (await desk.intend("pair")).ok
        os.kill(first.pid, signal.SIGKILL)
        await first.wait()
        second, again = await start_process(folder)
        assert again["port"] == info["port"]
        await until(lambda: desk.hall and desk.hall.head.incarnation == 2 and desk.hall.boards.rows)
        assert desk.hall is not None
        assert desk.hall.head.phase == "draft"
        assert not (await desk.intend("pair")).ok
        os.kill(second.pid, signal.SIGTERM)
        assert await asyncio.wait_for(second.wait(), 15) == 0
    finally:
        if desk is not None:
            await desk.close()
        for child in (first, second):
            if child is not None and child.returncode is None:
                child.kill()
                await child.wait()


def test_a_hub_process_is_alone_survives_its_kill_and_ends_when_told(tmp_path: Path) -> None:
    asyncio.run(killed_and_restarted(tmp_path / "hub"))


def test_files_that_cannot_be_written_are_told_and_the_hall_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_args: object) -> None:
        raise ValueError("rating 10000 has no room in the 4 columns of a tournament report")

    async def story() -> None:
        broker = MemoryBroker(seed=1)
        core = open_core(tmp_path / "hall.db")
        service = HubService(core, MemoryTransport(broker, "hub"), in_thread)
        desk = DeskClient(MemoryTransport(broker, "desk"), ADDRESS, "chief")
        await service.start()
        await desk.start()
        assert (await desk.intend("files")).ok
        await until(lambda: desk.hall and [each for each in desk.hall.head.notices if "has no room" in each])
        assert (await desk.intend("pair")).events == ("paired",)
        assert not service.failed.done()
        await desk.close()
        await service.stop()
        core.log.close()

    monkeypatch.setattr("kiosk.hub.service.export_copy", no_room)
    asyncio.run(story())
