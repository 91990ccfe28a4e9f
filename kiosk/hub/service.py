"""The hub's shell: processes, threads and network around `core`.

`run_hub` takes the lock of the data folder, opens the log, runs the transport's server as its child and serves until it
is told to end. Whatever prevents that is said in one sentence, and the exit code is 2.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from gettext import gettext as _
from pathlib import Path
from typing import Any

from hallnet.backup import backup
from hallnet.clock import boot_id, boot_ms, wall_ms
from hallnet.discovery import announced
from hallnet.errors import HallnetError, PortBusy
from hallnet.hall_log import Position
from hallnet.key_share import Want, seal
from hallnet.keys import Credentials
from hallnet.nats_server import NatsServer, free_port
from hallnet.replication import ReplAsk
from hallnet.second_book import SecondBook
from hallnet.serial import SerialThread
from hallnet.site import SiteLink
from hallnet.sql import Lock
from hallnet.transport import Transport
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address, WireError, encode
from kiosk import notify
from kiosk.hub.act import Refused
from kiosk.hub.config import LOOPBACK, HubConfig
from kiosk.hub.core import HubCore
from kiosk.hub.disk import LOOK_S, DiskWatch
from kiosk.hub.entries import EntriesError
from kiosk.hub.export import export_copy
from kiosk.hub.feed import Feed
from kiosk.hub.inputs import (
    Compute,
    DiskSeen,
    FilesWritten,
    FromDesk,
    FromDevice,
    FromStandby,
    FromTable,
    Input,
    Output,
    PairingDone,
    Rekey,
    SafeKeep,
    Send,
    Share,
    Show,
    Tick,
)
from kiosk.hub.opening import check_disk, open_event
from kiosk.hub.pairer import Pairer, pair_in_process
from kiosk.hub.rescue import open_or_rescue, second_book
from kiosk.hub.security import Door, Watchman, attack_oneself, prepare, write_users

log = logging.getLogger(__name__)

TICK_S = 0.1
#: A computed pairing that finds the queue full tries again after this time.
AGAIN_S = 0.2
#: A first hub that wakes up is told so often that it has been replaced.
TELL_S = 1.0
#: The server's log is looked through for whom it turned away.
WATCH_S = 0.5

Ready = Callable[[dict[str, object]], None]


class HubService:
    """A core behind a transport. `failed` gets the exception that ended the core's thread, if one does.

    In a hall with keys `new_users` gives the server a new users file, `watchman` tells whom it turned away, and `keys`
    is the folder that a standby gets the hall's keys from.
    """

    def __init__(
        self,
        core: HubCore,
        transport: Transport,
        pairer: Pairer = pair_in_process,
        new_users: Callable[[str], Awaitable[None]] | None = None,
        watchman: Watchman | None = None,
        feed: Feed | None = None,
        keys: Path | None = None,
    ) -> None:
        self.core = core
        self.transport = transport
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pairer = pairer
        self._new_users = new_users
        self._watchman = watchman
        self._users = ""
        self._rekeying = asyncio.Lock()
        self._copying = asyncio.Lock()
        self._showing = asyncio.Lock()
        self._feed = feed
        self._keys = keys
        self._disk = DiskWatch(core.log.path.parent)
        self._heart = notify.Heart(("core",))
        self._thread: SerialThread[Input, Output] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def backlog(self) -> int:
        """Inputs that wait for the core."""
        return self._thread.backlog if self._thread is not None else 0

    async def start(self) -> None:
        """Begin to serve; returns at once."""
        self._thread = SerialThread(
            self._step, self._deliver, asyncio.get_running_loop(), name="hall", on_fatal=self._fatal
        )
        address = self.core.address
        for leaf in ("up", "hb", "ask"):
            await self.transport.subscribe(address.table("*", leaf), self._from_table)
        await self.transport.subscribe(address.desk("*", "in"), self._from_desk)
        for leaf in ("in", "want"):
            await self.transport.subscribe(f"{address.root}.repl.{leaf}", self._from_standby)
        if self._watchman is not None:
            await self.transport.subscribe(f"{address.root}.enrol.*.up", self._from_device)
            self._spawn(self._watch(self._watchman), "watchman")
        await self.transport.start()
        self._spawn(self._ticks(), "hub ticks")
        self._spawn(self._look_at_disk(), "disk")

    async def stop(self) -> None:
        """Finish what has come, then end; the log stays open for its owner. Safe to call twice."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._thread is not None:
            await asyncio.to_thread(self._thread.stop)
            await asyncio.sleep(0)  # the last answers are delivered in the loop
        await self.transport.close()

    def _step(self, items: list[Input]) -> list[Output]:
        """The core's step; what came through loop and thread is the sign of life."""
        began = time.monotonic()
        outputs = self.core.step(items)
        self._disk.note(began, time.monotonic())
        self._heart.report("core")
        return outputs

    def put(self, item: Input) -> bool:
        """Hand an input to the core; False when too many wait (whoever sent it sends it again)."""
        return self._thread is not None and self._thread.put(item)

    def _from_table(self, subject: str, payload: bytes) -> None:
        with contextlib.suppress(WireError):
            _kind, table, leaf = self.core.address.speaker(subject)
            self.put(FromTable(table, leaf, payload, boot_ms(), wall_ms()))

    def _from_desk(self, subject: str, payload: bytes) -> None:
        with contextlib.suppress(WireError):
            _kind, desk, _leaf = self.core.address.speaker(subject)
            self.put(FromDesk(desk, payload, boot_ms(), wall_ms()))

    def _from_standby(self, subject: str, payload: bytes) -> None:
        self.put(FromStandby(payload, boot_ms(), wall_ms(), subject.rsplit(".", 1)[-1]))

    def _from_device(self, subject: str, payload: bytes) -> None:
        self.put(FromDevice(subject.split(".")[-2], payload, boot_ms(), wall_ms()))

    def _deliver(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Send():
                    self.transport.publish(output.subject, output.payload)
                case Compute():
                    self._spawn(self._pair(output), "pairing")
                case Show() if self._feed is not None and not self._showing.locked():
                    self._spawn(self._show(self._feed, output), "feed")
                case Share() if self._keys is not None:
                    self._spawn(self._share(self._keys, output.want), "keys for the standby")
                case SafeKeep():
                    self._spawn(self._keep_copy(output.files), "copy of the log")
                case Rekey():
                    self._users = output.users
                    self._spawn(self._rekey(), "new users")

    async def _pair(self, wanted: Compute) -> None:
        outcome = await self._pairer(wanted.job)
        done = PairingDone(wanted.desk, wanted.intent, wanted.by, wanted.basis, outcome, boot_ms(), wall_ms())
        while not self.put(done):  # noqa: ASYNC110 - a full queue gives no sign when it is not full any more
            await asyncio.sleep(AGAIN_S)

    async def _rekey(self) -> None:
        """The server gets the newest users; what came meanwhile goes with it."""
        async with self._rekeying:
            users, self._users = self._users, ""
            if users and self._new_users is not None:
                await self._new_users(users)

    async def _show(self, feed: Feed, output: Show) -> None:
        async with self._showing:
            try:
                messages = await asyncio.to_thread(feed.show, output.picture)
            except (OSError, ValueError) as error:
                log.error("the spectators' files cannot be written: %s", error)
                return
        for subject, payload in messages:
            self.transport.publish(subject, payload)

    async def _share(self, folder: Path, want: Want) -> None:
        address = self.core.address
        try:
            sealed = await asyncio.to_thread(seal, want, folder, address)
        except (OSError, WireError) as error:
            log.error("the standby was not given the hall's keys: %s", error)
            return
        self.transport.publish(f"{address.root}.repl.keys", encode(sealed))

    async def _look_at_disk(self) -> None:
        look = self._disk.first_look
        while True:
            try:
                seen = await asyncio.to_thread(look)
            except OSError as error:
                log.error("the disk cannot be looked at: %s", error)
            else:
                self.put(DiskSeen(seen, boot_ms(), wall_ms()))
            look = self._disk.look
            await asyncio.sleep(LOOK_S)

    async def _keep_copy(self, files: bool) -> None:
        """A copy of the log beside it, for the day when the file itself cannot be read; the one before is kept too.

        `files`: the event's files are written from that copy.
        """
        async with self._copying:
            path = self.core.log.path
            newest = path.parent / "backup" / path.name
            try:
                if newest.exists():
                    newest.replace(newest.with_name(path.name + ".1"))
                await asyncio.to_thread(backup, path, newest)
                if self.core.book is not None:
                    self.core.book.turn_over()
                if files:
                    await self._write_files(newest, path.parent / "files")
            except (HallnetError, OSError) as error:
                log.error("no copy of the log could be made: %s", error)

    async def _write_files(self, copy: Path, folder: Path) -> None:
        why = ""
        try:
            await asyncio.to_thread(export_copy, copy, folder)
        except (HallnetError, OSError, ValueError) as error:
            why = str(error)
            log.error("the event's files cannot be written: %s", error)
        self.put(FilesWritten(str(folder), why, boot_ms(), wall_ms()))

    async def _watch(self, watchman: Watchman) -> None:
        while True:
            for seen in await asyncio.to_thread(watchman.look, boot_ms(), wall_ms()):
                self.put(seen)
            await asyncio.sleep(WATCH_S)

    async def _ticks(self) -> None:
        while True:
            self.put(Tick(boot_ms(), wall_ms()))
            await asyncio.sleep(TICK_S)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fatal(error)

    def _fatal(self, error: BaseException) -> None:
        if not self.failed.done():
            self.failed.set_exception(error)


async def run_hub(config: HubConfig, ready: Ready | None = None, take_over: bool = False) -> int:
    """Serve a hall until SIGTERM or SIGINT; the exit code: 0, or 2 after a sentence on stderr that says what to do.

    `ready` is called once tables and desks can connect, with what also stands in `hub.json` of the data folder: "pid",
    "port", "event", "hall". `take_over`: in the place of the hub whose log this one has copied.
    """
    try:
        async with contextlib.AsyncExitStack() as stack:
            return await _serve(config, ready, stack, take_over)
    except (HallnetError, Refused, EntriesError, WireError) as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(
            _("{path} cannot be used ({error}): check the folder and who owns it, then start again").format(
                path=error.filename or config.data, error=error.strerror
            ),
            file=sys.stderr,
        )
    return 2


async def _serve(config: HubConfig, ready: Ready | None, stack: contextlib.AsyncExitStack, take_over: bool) -> int:
    address = Address(config.event, config.hall)
    config.data.mkdir(parents=True, exist_ok=True)
    lock = Lock(config.data / "hall.lock")
    stack.callback(lock.release)
    await asyncio.to_thread(check_disk, config)
    hall_log = await asyncio.to_thread(open_or_rescue, config.data / "hall.db")
    stack.callback(hall_log.close)
    door = await asyncio.to_thread(prepare, config.data, hall_log, address) if config.keys else None
    services: list[HubService] = []
    core = HubCore(
        hall_log,
        address,
        boot=boot_id(),
        speed=config.speed,
        expected=config.tables,
        backlog=lambda: services[0].backlog if services else 0,
        ca=door.ca_text if door is not None else "",
        feed=config.feed,
        standby=config.standby,
    )
    book = SecondBook(second_book(hall_log.path), hall_log)
    stack.callback(book.close)
    open_event(core, config, take_over)
    await asyncio.to_thread(book.open)
    core.book = book
    if door is not None:
        await attack_oneself(door, core.grants)
    server = await _server(config, door)
    stack.push_async_callback(server.stop)
    supervisor = asyncio.create_task(server.supervise(), name="nats-server")
    stack.callback(supervisor.cancel)
    feed = Feed(config.data / "feed", address, config.feed_delay * 60_000) if config.feed else None
    service = _service(core, server, door, feed)
    services.append(service)
    stack.push_async_callback(service.stop)
    ended = _on_signals(stack)
    if config.host != LOOPBACK:  # which is another place on every machine
        core.open_at(config.place(server.port))
    await service.start()
    info: dict[str, object] = {
        "pid": os.getpid(),
        "port": server.port,
        "event": config.event,
        "hall": config.hall,
        "keys": str(door.folder.absolute()) if door is not None else "",
    }
    if config.site:
        credentials = door.credentials if door is not None else None
        link = SiteLink(hall_log.path, server.url, address, credentials)
        uplink = asyncio.create_task(link.run(), name="site link")
        stack.callback(uplink.cancel)
    if config.primary:
        telling = asyncio.create_task(tell_first_hub(config, core), name="word to the first hub")
        stack.callback(telling.cancel)
    if config.announce:
        announcing = announced(address, server.port, config.host)
        await asyncio.to_thread(announcing.__enter__)
        stack.push_async_callback(asyncio.to_thread, announcing.__exit__, None, None, None)
    _write(config.data / "hub.json", info)
    if ready is not None:
        ready(info)
    await asyncio.wait((ended, service.failed), return_when=asyncio.FIRST_COMPLETED)
    if service.failed.done():
        service.failed.result()
    return 0


def _service(core: HubCore, server: NatsServer, door: Door | None, feed: Feed | None) -> HubService:
    if door is None:
        return HubService(core, NatsTransport([server.url], "hub"), feed=feed)
    locks = door

    async def new_users(text: str) -> None:
        await asyncio.to_thread(write_users, locks, text)
        await server.reload()

    transport = NatsTransport([server.url], "hub", locks.credentials)
    watchman = Watchman(server.log_file)
    return HubService(core, transport, new_users=new_users, watchman=watchman, feed=feed, keys=locks.folder)


async def tell_first_hub(config: HubConfig, core: HubCore) -> None:
    """Whoever has taken over tells the first hub so, should that wake up: the tables have gone and cannot tell it."""
    credentials = Credentials.load(config.key, config.ca) if config.key is not None and config.ca is not None else None
    transport = NatsTransport(config.primaries, "second hub", credentials)
    subject, opened = f"{core.address.root}.repl.in", core.hall.state.incarnation
    ask = ReplAsk(log="", have=Position(0, 0, 0), to=Position(0, 0, 0), inc=opened)
    await transport.start()
    try:
        while True:
            transport.publish(subject, encode(ask))
            await asyncio.sleep(TELL_S)
    finally:
        await transport.close()


async def _server(config: HubConfig, door: Door | None) -> NatsServer:
    """The transport's server, running: on the configured port, else on that of the last time if it is free."""
    security = door.security if door is not None else None
    if not config.port:
        with contextlib.suppress(PortBusy, OSError, ValueError, KeyError, TypeError):
            last = int(json.loads((config.data / "hub.json").read_text("utf-8"))["port"])
            server = NatsServer(config.data, last, config.host, security=security, site=config.site)
            await server.start()
            return server
    server = NatsServer(
        config.data, config.port or free_port(config.host), config.host, security=security, site=config.site
    )
    await server.start()
    return server


def _on_signals(stack: contextlib.AsyncExitStack) -> asyncio.Future[None]:
    """Done when the process is asked to end."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # Only the main thread can take signals; elsewhere (in a test) the task is cancelled instead.
        with contextlib.suppress(ValueError, RuntimeError):
            loop.add_signal_handler(number, end)
            stack.callback(loop.remove_signal_handler, number)
    return ended


def _write(path: Path, info: dict[str, object]) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(info) + "\n", "utf-8")
    new.replace(path)
