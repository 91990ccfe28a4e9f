"""A whole hall on one machine, from the first pairing to the files of the finished event."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Any

from hallnet.desk_client import DeskClient
from hallnet.errors import AlreadyRunning
from hallnet.hall_log import HallLog
from hallnet.sql import Lock
from hallnet.transport_nats import NatsTransport
from hallnet.views import HallSnapshot
from hallnet.wire import Address
from kiosk import running
from kiosk.demo import keys as demo_keys
from kiosk.demo.arbiter import SIMULATED_PATIENCE_S, Arbiter
from kiosk.demo.audit import Audit, audit
from kiosk.demo.options import Options
from kiosk.demo.processes import EVENT, HALL, HallError, Processes
from kiosk.hub.export import export, standings_of
from kiosk.hub.hall import read_hall

log = logging.getLogger(__name__)

#: Seconds for the last events to reach the hub after the event is over.
DRAIN_S = 30.0
#: What a run writes into its folder: moved aside, not overwritten, when it is there already.
_WRITTEN = (
    "event.trf", "event.trf26", "games.pgn", "standings.json", "hall.db*", "hall.lock", "hub.json", "hub.toml",
    "hub.log", "nats.*", "pids.json", "table-*", "tables-*.log", "backup",
    "keys", "users.conf", "selfattack",
)  # fmt: skip
#: Held while a demonstration uses a folder.
_LOCK = "demo.lock"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a demonstration came to."""

    summary: dict[str, Any]
    standings: dict[str, Any]
    files: dict[str, Path]


async def play(options: Options, tell: Callable[[str], None]) -> Outcome:
    """Plays the event without people, to the end. Raises `HallError`. `tell` gets a line for each step."""

    async def arbitrate(processes: Processes) -> None:
        client = _client(processes, "arbiter")
        client.on_change(_Teller(tell))
        await client.start()
        try:
            await Arbiter(client, options.file_result, patience_s=SIMULATED_PATIENCE_S).run()
            await _drained(options.out)
        finally:
            await client.close()

    return await _in_hall(options, arbitrate)


async def attend(options: Options, face: Callable[[DeskClient], Any]) -> Outcome:
    """Opens the hall with a desk: `face(client)` is the desk's app. Returns when it is left."""

    async def sit(processes: Processes) -> None:
        second_desk = _client(processes, "arbiter")
        helping: asyncio.Task[None] | None = None
        try:
            if options.watch:
                await second_desk.start()
                helping = asyncio.create_task(Arbiter(second_desk, options.file_result).run())
            await face(_client(processes, "desk")).run_async()
        finally:
            if helping is not None:
                helping.cancel()
                await asyncio.gather(helping, return_exceptions=True)
            await second_desk.close()

    return await _in_hall(options, sit)


async def _in_hall(options: Options, work: Callable[[Processes], Coroutine[Any, Any, None]]) -> Outcome:
    """Opens the hall, does the work in it, closes it and writes its files: also when the work is cancelled."""
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_folder(options))
        processes = Processes(options)
        stopped = False
        try:
            await processes.start()
            stack.callback(_announce(processes).unlink, missing_ok=True)
            task = asyncio.ensure_future(work(processes))
            try:
                await asyncio.wait({task, processes.failed}, return_when=asyncio.FIRST_COMPLETED)
                if processes.failed.done():
                    processes.failed.result()
                await task
            except asyncio.CancelledError:
                stopped = True
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        finally:
            await processes.stop()
        return outcome(options, processes.restarts, time.monotonic() - begun, stopped)


def outcome(options: Options, restarts: int, seconds: float, stopped: bool = False) -> Outcome:
    """Writes the event's files and counts what was lost. `stopped`: somebody ended the hall before its event."""
    hall_log = HallLog.open(options.out / "hall.db")
    try:
        state = read_hall(hall_log).state
        files = export(hall_log, options.out)
    finally:
        hall_log.close()
    found = audit(options.out)
    summary = {
        "players": len(options.players),
        "rounds": len(state.rounds),
        "complete_rounds": sum(1 for sheet in state.rounds if sheet.complete),
        "planned_rounds": options.rounds,
        "games": found.results,
        "seconds": round(seconds, 1),
        "lost_events": found.lost,
        "events": found.events,
        "extra_events": found.extra,
        "doubled_results": found.doubled,
        "restarts": restarts,
        "tables": options.tables,
        "system": options.system,
        "seed": options.seed,
        "finished": state.finished,
        "stopped": stopped,
        "out": str(options.out),
    }
    return Outcome(summary, standings_of(state), files)


@contextlib.contextmanager
def _folder(options: Options) -> Iterator[None]:
    """The folder of the run, for this process alone, with what was left there moved aside. Raises `HallError`."""
    folder = options.out
    try:
        running.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(running.folder(), os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(running.folder()))
        folder.mkdir(parents=True, exist_ok=True)
        with Lock(folder / _LOCK):
            _make_room(options)
            yield
    except AlreadyRunning as error:
        raise HallError(
            _("A hall is running in {folder}, process {pid}: end it first, or name another folder with --out.").format(
                folder=folder, pid=error.pid or "?"
            )
        ) from None
    except OSError as error:
        place = error.filename or folder
        remedy = (
            _("name another folder with the variable HALLKIOSK_RUNTIME_DIR")
            if str(place) == str(running.folder())
            else _("name another folder with --out")
        )
        raise HallError(
            _("{place} cannot be used ({error}): {remedy}.").format(place=place, error=error.strerror, remedy=remedy)
        ) from None


def _make_room(options: Options) -> None:
    """Moves aside what an earlier run, or somebody else, left under the names that this run writes."""
    folder = options.out
    left = [path for pattern in _WRITTEN for path in sorted(folder.glob(pattern))]
    for source in (options.entries, options.games):
        if source is not None and source.resolve() in {path.resolve() for path in left}:
            raise HallError(
                _("{file} has the name of a file that is written here: name another folder with --out.").format(
                    file=source
                )
            )
    if left:
        newest = max(path.stat().st_mtime for path in left)
        aside = folder / time.strftime("earlier-%Y%m%d-%H%M%S", time.gmtime(newest))
        aside.mkdir(exist_ok=True)
        for path in left:
            path.replace(aside / path.name)


def _announce(processes: Processes) -> Path:
    return running.announce(running.RunningHall(os.getpid(), str(processes.folder), processes.port, EVENT, HALL))


def _client(processes: Processes, name: str) -> DeskClient:
    transport = NatsTransport(
        [f"nats://127.0.0.1:{processes.port}"], name, demo_keys.credentials(processes.folder, name)
    )
    return DeskClient(transport, Address(EVENT, HALL), name)


async def _drained(folder: Path) -> Audit:
    """Waits until the hub holds all that the tables have written, and nothing more comes."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DRAIN_S
    before = -1
    while True:
        found = await asyncio.to_thread(audit, folder)
        if (found.lost == 0 and found.events == before) or loop.time() > deadline:
            return found
        before = found.events
        await asyncio.sleep(0.5)


class _Teller:
    """Says in a line how the event goes on, when it does."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._said = ""

    def __call__(self, hall: HallSnapshot) -> None:
        head = hall.head
        line = _("round {round} of {rounds}: {phase}, {done} of {boards} boards done").format(
            round=head.round, rounds=head.rounds, phase=head.phase, done=head.done, boards=head.boards
        )
        if line != self._said:
            self._said = line
            self._tell(line)


def standings_text(standings: dict[str, Any]) -> str:
    """The final standings as a table of plain text."""
    places = [standings["players"][str(tpn)] | {"tpn": tpn} for tpn in standings["order"]]
    codes = list(places[0]["values"]) if places else []
    rows = [[_("rank"), _("name"), _("no."), _("points"), *codes]]
    for place in places:
        values = [place["values"].get(code) or "" for code in codes]
        rows.append([str(place["rank"]), place["name"], str(place["tpn"]), place["points"], *values])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if column == 1 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


async def _until_stopped(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """A closed terminal, Ctrl+C or a polite kill ends the hall in order, whatever signals the parent had ignored."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    return await task


def run(options: Options, face: Callable[[DeskClient], Any] | None, as_json: bool) -> int:
    """The command: plays or attends, prints what came of it; the exit code."""

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        result = asyncio.run(_until_stopped(play(options, tell) if face is None else attend(options, face)))
    except HallError as error:
        print(error, file=sys.stderr)
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):
        print(_("Stopped before the hall was open."), file=sys.stderr)
        return 1
    if result.summary["stopped"]:
        print(_("Stopped. What was played is in {folder}.").format(folder=options.out), file=sys.stderr)
    if as_json:
        print(json.dumps(result.summary, ensure_ascii=False))
    else:
        complete = result.summary["complete_rounds"]
        if complete:
            print(
                _("Standings after {complete} of {rounds} rounds").format(
                    complete=complete, rounds=result.summary["planned_rounds"]
                )
            )
            print(standings_text(result.standings))
        else:
            print(_("No round was played to its end."))
        print(
            _("{games} games in {seconds} s, {lost} events lost. Files: {folder}").format(
                games=result.summary["games"],
                seconds=result.summary["seconds"],
                lost=result.summary["lost_events"],
                folder=options.out,
            )
        )
    if result.summary["stopped"]:
        return 1
    # What was not carried any more when the hall was closed stays in the tables' logs; a finished event is whole.
    return 0 if result.summary["lost_events"] == 0 or not result.summary["finished"] else 1
