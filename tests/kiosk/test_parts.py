"""The parts alone: hub and tables started by hand from small TOML files, faces that come back after either restarts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from hallnet.clock import boot_ms
from hallnet.desk_client import DeskClient
from hallnet.table_client import TableClient
from hallnet.transport_nats import NatsTransport
from hallnet.views import HallSnapshot
from hallnet.wire import Address
from tests.kiosk.halls import EIGHT

HUB = """
name = "Club evening"
event = "club"
data = "."
entries = "list.csv"
speed = 60

[regulations]
rounds = 1
control = "5+3"
"""
TABLE = """
table = "{number}"
hub = "127.0.0.1:{port}"
event = "club"
data = "{data}"
speed = 60

[players]
seed = 3
boards = 2
"""
FOUR = "\n".join(EIGHT.splitlines()[:5]) + "\n"


async def start(*arguments: str) -> asyncio.subprocess.Process:
    """A part of the hall as a process."""
    return await asyncio.create_subprocess_exec(sys.executable, "-m", "kiosk", *arguments)


async def until(holds: Callable[[], bool]) -> None:
    """Looks until something holds; fails after a minute."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - what is waited for is in other processes
            await asyncio.sleep(0.05)


def test_parts_started_by_hand_play_a_round_and_faces_come_back(tmp_path: Path) -> None:
    async def story() -> None:
        (tmp_path / "list.csv").write_text(FOUR, encoding="utf-8")
        (tmp_path / "hub.toml").write_text(HUB, encoding="utf-8")
        hub_arguments = ("hub", "--config", str(tmp_path / "hub.toml"))
        processes = {"hub": await start(*hub_arguments)}
        info = tmp_path / "hub.json"
        await until(info.exists)
        port = json.loads(info.read_text(encoding="utf-8"))["port"]
        table_arguments = {}
        for number in (1, 2):
            path = tmp_path / f"t{number}.toml"
            path.write_text(TABLE.format(number=number, port=port, data=tmp_path), encoding="utf-8")
            table_arguments[number] = ("table", "--config", str(path))
            processes[f"table {number}"] = await start(*table_arguments[number])
        desk = DeskClient(NatsTransport([f"nats://127.0.0.1:{port}"], "desk1"), Address("club", "hall"), "desk1")
        screen = TableClient(tmp_path / "table-1.sock")
        try:
            await desk.start()
            await screen.start()

            def hall() -> HallSnapshot:
                assert desk.hall is not None
                return desk.hall

            await until(lambda: desk.hall is not None and hall().head.tables_online == 2)
            for kind in ("pair", "publish"):
                assert (await desk.intend(kind)).ok
            await until(lambda: [row.state for row in hall().boards.rows] == ["ready", "ready"])
            assert (await desk.intend("start")).ok
            await until(lambda: screen.view is not None and len(screen.view.moves) >= 2)

            os.kill(processes["table 1"].pid, signal.SIGKILL)
            await until(lambda: not screen.connected)
            played = len(screen.view.moves) if screen.view else 0
            processes["table 1"] = await start(*table_arguments[1])
            await until(lambda: screen.connected and screen.age_ms(boot_ms()) < 2_000)
            await until(lambda: screen.view is not None and len(screen.view.moves) > played)

            incarnation = hall().head.incarnation
            os.kill(processes["hub"].pid, signal.SIGKILL)
            await processes["hub"].wait()
            processes["hub"] = await start(*hub_arguments)
            await until(lambda: hall().head.incarnation == incarnation + 1 and desk.age_ms(boot_ms()) < 5_000)
            while hall().head.phase != "complete":
                for call in hall().head.calls:
                    await desk.intend("rule", board=call.board, score="1/2-1/2", why="test", call=call.id)
                await asyncio.sleep(0.1)
            assert [row.state for row in hall().boards.rows if not row.score] == []
        finally:
            await desk.close()
            await screen.close()
            for process in reversed(processes.values()):
                if process.returncode is None:
                    process.terminate()
                    await process.wait()

    asyncio.run(story())
