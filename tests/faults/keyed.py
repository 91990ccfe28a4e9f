"""A hall with keys, whose tables and desks have them from the start."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from hallnet.desk_client import DeskClient
from hallnet.hall_log import HallLog
from hallnet.keyring import KeyEvent, Role
from hallnet.keys import Credentials, Key
from hallnet.transport_nats import NatsTransport
from tests.faults.hall import ADDRESS, Hall
from tests.faults.puppet import Puppet, until


class KeyedHall(Hall):
    """A hub with keys; `grant` gives some to holders before it is started."""

    def __init__(self, folder: Path, players: int, more: str = "") -> None:
        super().__init__(folder, players, "keys = true\n" + more)
        self.keys: dict[tuple[str, str], Key] = {}

    def grant(self, role: Role, *names: str) -> None:
        """Keys written into the log of a hub that does not run."""
        log = HallLog.open(self.folder / "hall.db")
        events = []
        for name in names:
            key = self.keys[role, name] = Key.make()
            events.append(KeyEvent(1, "granted", key.public, role, name, "test"))
        log.append_keys(events)
        log.close()

    @property
    def ca(self) -> Path:
        """The hall's CA."""
        return self.folder / "keys" / "ca.pem"

    def as_holder(self, role: str, name: str, port: int = 0) -> NatsTransport:
        """A connection with a holder's key."""
        credentials = Credentials(self.keys[role, name], self.ca)
        return NatsTransport([f"nats://{self.host}:{port or self.port}"], f"{role} {name}", credentials)

    def transport(self, name: str, port: int = 0) -> NatsTransport:
        """As `Hall.transport`, with the key of the holder of that name."""
        role, _space, own = name.rpartition(" ")
        if role == "":
            role, own = "desk", name
        if (role, own) == ("desk", "desk1"):
            self.keys["desk", "desk1"] = Key.load(self.folder / "keys" / "desk1.key")
        return self.as_holder(role, own, port)

    @contextlib.asynccontextmanager
    async def desk(self, name: str = "desk1") -> AsyncIterator[DeskClient]:
        """The arbiter, at the desk beside the hub."""
        async with super().desk(name) as client:
            yield client


@contextlib.asynccontextmanager
async def keyed_hall(
    folder: Path, tables: int, more: str = "", others: Sequence[tuple[Role, str]] = (), **faults: Any
) -> AsyncIterator[tuple[KeyedHall, list[Puppet]]]:
    """A hall with so many tables, all with keys, connected and enrolled."""
    hall = KeyedHall(folder, 2 * tables, more)
    hall.faults = faults
    hall.grant("table", *(str(n) for n in range(1, tables + 1)))
    for role, name in others:
        hall.grant(role, name)
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


__all__ = ["ADDRESS", "KeyedHall", "keyed_hall"]
