"""A second hub that copies the first one's log, and takes its place when the arbiter says so at its own terminal.

With two machines nobody can tell a dead hub from a cut cable, so nothing here happens by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from gettext import gettext as _
from pathlib import Path
from typing import Literal

import msgspec

from hallnet.clock import boot_ms
from hallnet.errors import HallnetError
from hallnet.hall_log import HallLog
from hallnet.key_share import Sealed, Wanter, has_keys
from hallnet.keys import Credentials, write_new
from hallnet.replication import Copy, OtherLog, ReplRows
from hallnet.sql import Lock
from hallnet.transport import Transport
from hallnet.transport_nats import NatsTransport
from hallnet.wire import GENERATION, MAX_PAYLOAD, Address, WireError, decode, encode
from kiosk import notify
from kiosk.hub.config import HubConfig
from kiosk.hub.hall import read_hall
from kiosk.hub.opening import check_disk

log = logging.getLogger(__name__)

#: How often the standby asks, and when an answer counts as lost (s).
ASK_S = 0.2
ANSWER_S = 2.0
#: A hub that has said nothing for so long is reported (ms).
SILENT_MS = 10_000
#: The hall's keys are asked for this often until they have come.
WANT_MS = 2_000
WORDS = "take over"
_MARK = "took-over.json"


@dataclass(slots=True)
class KeysWanted:
    """The hall's keys that a standby must have before it can take over: `folder` is where they belong."""

    wanter: Wanter
    folder: Path
    ca: Path
    asked: int = -WANT_MS

    @property
    def here(self) -> bool:
        """Have they come?"""
        return has_keys(self.folder)


class Standby:
    """The copy, kept up to date over a transport until it is cancelled.

    `place`: where this hub would open. `keys`: the hall's keys are asked for until they are here. `beat` is called all
    the time, as a sign of life.
    """

    def __init__(
        self,
        hall_log: HallLog,
        transport: Transport,
        address: Address,
        place: str = "",
        keys: KeysWanted | None = None,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self.copy = Copy(hall_log)
        self._place = place
        self._beat = beat
        self._keys = keys
        self.heard = boot_ms()
        self.silent = False
        self._transport = transport
        self._address = address
        self._answered = asyncio.Event()
        self._failed: Exception | None = None

    async def run(self) -> None:
        """Copy for ever. Raises `OtherLog` when the hub has begun another log, a `StoreError` for the disk."""
        await self._transport.subscribe(f"{self._address.root}.repl.out", self._heard)
        self._transport.on_change(lambda _up: self.copy.forget())
        if self._keys is not None:
            await self._transport.subscribe(f"{self._address.root}.repl.keys", self._keys_came)
        await self._transport.start()
        while True:
            self._beat()
            self._want_keys()
            self._answered.clear()
            asked = self._transport.publish(f"{self._address.root}.repl.in", encode(self.copy.ask(self._place)))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_S if asked else ASK_S):
                    await self._answered.wait()
            if self._failed is not None:
                raise self._failed
            self._look()
            if not self._answered.is_set():
                await asyncio.sleep(ASK_S)

    def _want_keys(self) -> None:
        keys, now = self._keys, boot_ms()
        if keys is not None and not keys.here and now - keys.asked >= WANT_MS:
            keys.asked = now
            self._transport.publish(f"{self._address.root}.repl.want", encode(keys.wanter.want))

    def _keys_came(self, _subject: str, payload: bytes) -> None:
        keys = self._keys
        if keys is None or keys.here:
            return
        try:
            if keys.wanter.take(decode(payload, Sealed), keys.folder, keys.ca):
                print(_("The hall's keys are here: this hub can take over."), flush=True)
        except (WireError, HallnetError, OSError) as error:
            log.error("the hall's keys were not taken: %s", error)

    def _heard(self, _subject: str, payload: bytes) -> None:
        try:
            self.copy.take(decode(payload, ReplRows, MAX_PAYLOAD * 64))
        except WireError as error:
            log.warning("an answer of the hub is not understood: %s", error)
            self.copy.forget()
            return  # and so there is a pause before the next question
        except (OtherLog, HallnetError) as error:
            self._failed = error
        self.heard = boot_ms()
        self._answered.set()

    def _look(self) -> None:
        silent = boot_ms() - self.heard > SILENT_MS
        if silent != self.silent:
            self.silent = silent
            print(
                _("The hub is silent. If it is gone for good, type: {words}").format(words=WORDS)
                if silent
                else _("The hub is heard again."),
                flush=True,
            )


class Mark(msgspec.Struct, frozen=True):
    """Written when a standby takes over: from then on this machine is the hub of that event, whenever it starts.

    `generation` is that of the hub whose place it takes (`hallnet.wire.GENERATION`).
    """

    event: str
    hall: str
    generation: int


def _mark(config: HubConfig, hall_log: HallLog) -> None:
    generation = read_hall(hall_log).state.incarnation // GENERATION
    mark = Mark(config.event, config.hall, generation)
    write_new(config.data / _MARK, msgspec.json.encode(mark), 0o600)


def has_taken_over(config: HubConfig) -> Literal["no", "begun", "done"]:
    """Has this standby become the hub at an earlier start? "begun": it was to, and its log does not say so yet."""
    try:
        mark = msgspec.json.decode((config.data / _MARK).read_bytes(), type=Mark)
    except (OSError, msgspec.MsgspecError):
        return "no"
    if (mark.event, mark.hall) != (config.event, config.hall):
        return "no"
    hall_log = HallLog.open(config.data / "hall.db")
    try:
        generation = read_hall(hall_log).state.incarnation // GENERATION
    finally:
        hall_log.close()
    if generation == mark.generation:
        return "begun"
    return "done" if generation > mark.generation else "no"


async def stand_by(config: HubConfig, ready: Callable[[dict[str, object]], None] | None = None) -> bool:
    """Copy the log of the hub at `config.primary` until the arbiter types the words, or SIGUSR1 comes.

    True: take over. False: ended by a signal. Raises a `HallnetError` with what to do.
    """
    address = Address(config.event, config.hall)
    config.data.mkdir(parents=True, exist_ok=True)
    lock = Lock(config.data / "hall.lock")
    credentials = _credentials(config)
    keys = _keys_wanted(config, credentials, address)
    heart = notify.Heart(("standby",))
    place = await _place(config)
    wanted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    with _listening(wanted, keys):
        try:
            await asyncio.to_thread(check_disk, config)
            while True:
                hall_log = HallLog.open(config.data / "hall.db")
                transport = NatsTransport(config.primaries, "standby", credentials)
                standby = Standby(hall_log, transport, address, place, keys, lambda: heart.report("standby"))
                copying = asyncio.create_task(standby.run())
                if ready is not None:
                    ready({"copied": standby.copy.have.tournament})
                    ready = None
                try:
                    await asyncio.wait((copying, wanted), return_when=asyncio.FIRST_COMPLETED)
                    if wanted.done():
                        if wanted.result():
                            _mark(config, hall_log)
                        return wanted.result()
                    copying.result()
                except OtherLog:
                    log.warning("the hub has another log: the copy so far is set aside")
                finally:
                    copying.cancel()
                    await asyncio.gather(copying, return_exceptions=True)
                    await transport.close()
                    hall_log.close()
                _set_aside(config.data / "hall.db")
        finally:
            lock.release()


def _credentials(config: HubConfig) -> Credentials | None:
    if config.key is None or config.ca is None:
        return None
    return Credentials.load(config.key, config.ca)


def _keys_wanted(config: HubConfig, credentials: Credentials | None, address: Address) -> KeysWanted | None:
    if not config.keys or credentials is None or config.ca is None:
        return None
    return KeysWanted(Wanter(credentials.key, address), config.data / "keys", config.ca)


async def _place(config: HubConfig) -> str:
    """Where this hub would open, as others see it: its own address, or the one that it speaks to the hub from."""
    if not config.port:
        return ""
    place = config.place(config.port)
    if place or not config.primary:
        return place
    host, _colon, port = config.primary.split(",")[0].strip().rpartition(":")
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError, ValueError):
        # No packet is sent: the kernel only chooses the address that it would speak from.
        transport, _protocol = await loop.create_datagram_endpoint(
            asyncio.DatagramProtocol, remote_addr=(host.strip("[]"), int(port))
        )
        own = transport.get_extra_info("sockname")[0]
        transport.close()
        return replace(config, host=own.split("%")[0]).place(config.port)
    return ""


def _set_aside(path: Path) -> None:
    number = 1
    while (aside := path.with_name(f"{path.name}.other-{number}")).exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))


@contextlib.contextmanager
def _listening(wanted: asyncio.Future[bool], keys: KeysWanted | None) -> Iterator[None]:
    """The terminal's words and the process's signals decide."""
    loop = asyncio.get_running_loop()

    def decide(take_over: bool) -> None:
        if take_over and keys is not None and not keys.here:
            # With keys of its own making no table would let it be the hub.
            print(
                _("The hall's keys have not come: copy ca.pem and ca.key of the first hub to {folder}.").format(
                    folder=keys.folder
                ),
                flush=True,
            )
        elif not wanted.done():
            wanted.set_result(take_over)

    def typed() -> None:
        # Read past Python's buffer: a second line in it would wait for a third to be seen.
        lines = os.read(sys.stdin.fileno(), 4096).decode("utf-8", "replace")
        if not lines:
            loop.remove_reader(sys.stdin.fileno())
        elif WORDS in (line.strip().lower() for line in lines.splitlines()):
            decide(True)
        else:
            print(_("To take over, type: {words}").format(words=WORDS), flush=True)

    signals = {signal.SIGUSR1: True, signal.SIGTERM: False, signal.SIGINT: False, signal.SIGHUP: False}
    for number, take_over in signals.items():
        loop.add_signal_handler(number, decide, take_over)
    with contextlib.suppress(OSError, ValueError, NotImplementedError):
        loop.add_reader(sys.stdin.fileno(), typed)
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            loop.remove_reader(sys.stdin.fileno())
        for number in signals:
            loop.remove_signal_handler(number)
