"""The processes of a hall: the hub, the tables, each started, watched, and started again if it dies.

On an appliance systemd does this; here it is a few lines, so that a killed part comes back as it would in a hall. Every
process is addressed by its pid, and all of them end with the process that started them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from dataclasses import dataclass, field
from gettext import gettext as _
from pathlib import Path
from typing import IO

from hallnet.nats_server import free_port
from kiosk.demo import keys
from kiosk.demo.options import OWN_PROCESS, PACK, Options

log = logging.getLogger(__name__)

EVENT = "demo"
HALL = "hall"
#: Seconds before a dead process is started again.
RESTART_S = 0.2
#: Seconds a process gets to end by itself.
PATIENCE_S = 15.0
#: Seconds until the hub must be ready.
READY_S = 60.0


class HallError(RuntimeError):
    """The hall cannot be opened or goes on no more; str() is the sentence for the person who started it."""


@dataclass(slots=True)
class Part:
    """One process of the hall: its name, its arguments, and how often it was started."""

    name: str
    arguments: list[str]
    process: asyncio.subprocess.Process | None = None
    starts: int = 0
    watcher: asyncio.Task[None] | None = None
    output: IO[bytes] | None = field(default=None, repr=False)


class Processes:
    """All processes of one hall in one folder."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.folder = options.out.resolve()
        self.port = 0
        self.parts: list[Part] = []
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stopping = False

    @property
    def restarts(self) -> int:
        """How often a dead process was started again."""
        return sum(part.starts - 1 for part in self.parts if part.starts)

    async def start(self) -> None:
        """Writes the settings, starts the hub, waits until it is ready, starts the tables. Raises `HallError`."""
        self.port = free_port()
        if self.options.keys:
            await asyncio.to_thread(keys.make, self.folder, HALL, range(1, self.options.tables + 1))
        hub = Part("hub", ["hub", "--config", str(self._write_hub())])
        await self._launch(hub)
        await self._hub_ready(hub)
        for name, configs in self._packs():
            arguments = ["table"]
            for path in configs:
                arguments += ["--config", str(path)]
            await self._launch(Part(name, arguments))

    async def stop(self) -> None:
        """Ends the tables, then the hub."""
        self._stopping = True
        hubs = [part for part in self.parts if part.name == "hub"]
        for group in ([part for part in self.parts if part.name != "hub"], hubs):
            await asyncio.gather(*(self._end(part) for part in group))
        if not self.failed.done():
            self.failed.cancel()

    # -- settings ---------------------------------------------------------------------------------------------------

    def _write_hub(self) -> Path:
        options = self.options
        days = max(0, (options.rounds - 1) // 3)
        end = options.start.fromordinal(options.start.toordinal() + days)
        top: dict[str, str | int | float] = {
            "name": _("Demonstration Open"),
            "event": EVENT,
            "hall": HALL,
            "data": str(self.folder),
            "port": self.port,
            "entries": str(options.entries.resolve()),
            "tables": options.tables,
            "speed": options.speed,
        }
        if options.keys:
            top["keys"] = True
        if options.continued:
            top["continue"] = True if options.continued == "checked" else options.continued
        regulations: dict[str, str | int | float] = {
            "rounds": options.rounds,
            "system": options.system,
            "control": options.control,
            "arbiter": _("Demonstration"),
            "seed": options.seed,
            "start-date": options.start.strftime("%Y/%m/%d"),
            "end-date": end.strftime("%Y/%m/%d"),
        }
        path = self.folder / "hub.toml"
        path.write_text(_toml(top) + "\n[regulations]\n" + _toml(regulations), encoding="utf-8")
        return path

    def _packs(self) -> list[tuple[str, list[Path]]]:
        """(name, settings files) of each table process: one table each, or packs of tables in a large hall."""
        numbers = list(range(1, self.options.tables + 1))
        size = 1 if len(numbers) <= OWN_PROCESS else min(PACK, -(-len(numbers) // 2))
        packs = []
        for first in range(0, len(numbers), size):
            pack = numbers[first : first + size]
            name = f"table-{pack[0]}" if size == 1 else f"tables-{pack[0]}-{pack[-1]}"
            packs.append((name, [self._write_table(number) for number in pack]))
        return packs

    def _write_table(self, number: int) -> Path:
        top: dict[str, str | int | float] = {
            "table": str(number),
            "hub": f"127.0.0.1:{self.port}",
            "event": EVENT,
            "hall": HALL,
            "data": str(self.folder),
            "speed": self.options.speed,
            "board": f"simulated:{self.options.board_kind(number)}",
        }
        if self.options.keys:
            top["key"] = str(keys.key_file(self.folder, "table", str(number)))
            top["ca"] = str(keys.ca_file(self.folder))
        players: dict[str, str | int | float] = {"seed": self.options.seed, "boards": self.options.boards}
        if self.options.games is not None:
            players["games"] = str(self.options.games.resolve())
        path = self.folder / f"table-{number}.toml"
        path.write_text(_toml(top) + "\n[players]\n" + _toml(players), encoding="utf-8")
        return path

    # -- processes --------------------------------------------------------------------------------------------------

    async def _launch(self, part: Part) -> None:
        self.parts.append(part)
        part.output = (self.folder / f"{part.name}.log").open("wb")
        await self._spawn(part)
        part.watcher = asyncio.create_task(self._watch(part), name=f"watch {part.name}")

    async def _spawn(self, part: Part) -> None:
        part.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "kiosk",
            *part.arguments,
            "--with-parent",
            str(os.getpid()),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=part.output,
            stderr=part.output,
        )
        part.starts += 1
        self._write_pids()

    async def _watch(self, part: Part) -> None:
        while True:
            assert part.process is not None
            code = await part.process.wait()
            if self._stopping:
                return
            if code == 2:
                self._fail(part)
                return
            log.warning("%s ended with %d, is started again", part.name, code)
            await asyncio.sleep(RESTART_S)
            if self._stopping:
                return
            await self._spawn(part)

    def _fail(self, part: Part) -> None:
        if not self.failed.done():
            self.failed.set_exception(HallError(self._last_words(part)))

    def _last_words(self, part: Part) -> str:
        lines = (self.folder / f"{part.name}.log").read_text(encoding="utf-8", errors="replace").splitlines()
        spoken = [line for line in lines if line.strip()]
        return spoken[-1] if spoken else _("{part} ended without a word.").format(part=part.name)

    async def _hub_ready(self, hub: Part) -> None:
        path = self.folder / "hub.json"
        deadline = asyncio.get_running_loop().time() + READY_S
        while True:
            if self.failed.done():
                self.failed.result()
            if path.exists() and hub.process is not None:
                found = json.loads(path.read_text(encoding="utf-8"))
                if found.get("pid") == hub.process.pid:
                    return
            if asyncio.get_running_loop().time() > deadline:
                raise HallError(
                    _("The hub is not ready after {seconds} s: look into {file}.").format(
                        seconds=int(READY_S), file=self.folder / "hub.log"
                    )
                )
            await asyncio.sleep(0.05)

    async def _end(self, part: Part) -> None:
        process = part.process
        if process is not None and process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await process.wait()
            except TimeoutError:
                log.warning("%s did not end by itself", part.name)
                process.kill()
                await process.wait()
        if part.watcher is not None:
            part.watcher.cancel()
            await asyncio.gather(part.watcher, return_exceptions=True)
        if part.output is not None:
            part.output.close()

    def _write_pids(self) -> None:
        """`pids.json`: which process is which, for whoever wants to stop or kill one."""
        pids = {part.name: part.process.pid for part in self.parts if part.process is not None}
        path = self.folder / "pids.json"
        new = path.with_suffix(".new")
        new.write_text(json.dumps(pids, indent=1) + "\n", encoding="utf-8")
        new.replace(path)


def _toml(values: dict[str, str | int | float]) -> str:
    """Keys and plain values as TOML lines (JSON's strings and numbers are TOML's)."""
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
