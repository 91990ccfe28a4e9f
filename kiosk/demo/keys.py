"""A demonstration with keys: the hall's authority and a key for every table and desk, made before anything is started.

In a hall each device makes its own key and a person compares a code; here one program is all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hallnet import ca
from hallnet.clock import wall_ms
from hallnet.hall_log import HallLog
from hallnet.keyring import KeyEvent, Role
from hallnet.keys import Credentials, Key

#: The demonstration's own desks: the person's, and that of the simulated arbiter.
DESKS = ("desk", "arbiter")


def make(folder: Path, hall: str, tables: Iterable[int]) -> None:
    """Keys in `folder`/keys, granted in the log of the hub that is to be started. Raises `KeyFault`, `StoreError`."""
    keys = folder / "keys"
    ca.ensure(keys, hall, wall_ms())
    holders: list[tuple[Role, str]] = [("table", str(number)) for number in tables]
    holders += [("desk", name) for name in DESKS]
    events = []
    for role, name in holders:
        key = Key.make()
        key.save(key_file(folder, role, name))
        events.append(KeyEvent(wall_ms(), "granted", key.public, role, name, "demo"))
    log = HallLog.open(folder / "hall.db")
    log.append_keys(events)
    log.close()


def key_file(folder: Path, role: str, name: str) -> Path:
    """Where a holder's key is."""
    return folder / "keys" / f"{role}-{name}.key"


def ca_file(folder: Path) -> Path:
    """Where the hall's certificate is."""
    return folder / "keys" / "ca.pem"


def credentials(folder: Path, name: str) -> Credentials | None:
    """The key of one of the demonstration's desks, None in a hall without keys. Raises `KeyFault`."""
    path = key_file(folder, "desk", name)
    return Credentials.load(path, ca_file(folder)) if path.exists() else None
