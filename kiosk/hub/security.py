"""The hub's door: its certificate, its keys, the server's users file, the attack on itself, and who tried to get in."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hallnet import attack, ca
from hallnet.clock import wall_ms
from hallnet.errors import ServerFailed
from hallnet.hall_log import HallLog
from hallnet.keyring import Grant, KeyEvent, Keyring, Role, users_file
from hallnet.keys import Credentials, Key, write_new
from hallnet.nats_server import LONGEST_LOG, NatsServer, Security, free_port
from hallnet.wire import Address
from kiosk.hub.inputs import Refusals

#: The desk on the hub's own machine: whoever may read the hub's folder may rule.
LOCAL_DESK = "desk1"


@dataclass(frozen=True, slots=True)
class Door:
    """Everything about keys that is in the data folder `folder`/keys."""

    folder: Path
    address: Address
    ca_text: str
    credentials: Credentials

    @property
    def ca(self) -> Path:
        """The hall's CA."""
        return self.folder / "ca.pem"

    @property
    def users(self) -> Path:
        """The server's users; beside its settings, which include it by name."""
        return self.folder.parent / "users.conf"

    @property
    def security(self) -> Security:
        """What the server is told."""
        return Security(self.folder / "server.pem", self.folder / "server.key", self.users)


def prepare(data: Path, hall_log: HallLog, address: Address) -> Door:
    """Make what is missing: CA, certificate, the keys of the hub and of the desk beside it. Raises `KeyFault`."""
    folder = data / "keys"
    ca.ensure(folder, address.hall, wall_ms())
    ca_text = (folder / "ca.pem").read_text(encoding="ascii")
    ca.check_dates(ca_text.encode(), wall_ms())
    keyring = Keyring(hall_log.key_events())
    events: list[KeyEvent] = []
    own: tuple[tuple[Role, str], ...] = (("hub", "hub"), ("desk", LOCAL_DESK))
    for role, name in own:
        key = Key.load_or_make(folder / f"{name}.key")
        if key.public not in keyring.grants:
            events.append(KeyEvent(wall_ms(), "granted", key.public, role, name, "hub"))
    hall_log.append_keys(events)
    for event in events:
        keyring.fold(event)
    door = Door(folder, address, ca_text, Credentials(Key.load(folder / "hub.key"), folder / "ca.pem"))
    write_users(door, users_file(keyring.grants.values(), address))
    return door


def write_users(door: Door, text: str) -> None:
    """Replace the users file; it is on the disk when this returns. Raises `KeyFault`."""
    write_new(door.users, text.encode("utf-8"), 0o600)


async def attack_oneself(door: Door, grants: Iterator[Grant] | tuple[Grant, ...]) -> None:
    """Start a server with these users behind a closed door and try to break in. Raises `ServerFailed` if that works."""
    folder = door.folder.parent / "selfattack"
    folder.mkdir(exist_ok=True)
    key = Key.make()
    probe = Grant(key.public, "table", attack.VICTIM, wall_ms())
    users = folder / "users.conf"
    write_new(users, users_file((*grants, probe), door.address).encode("utf-8"), 0o600)
    security = Security(door.security.certificate, door.security.key, users)
    server = NatsServer(folder, free_port(), security=security)
    await server.start()
    try:
        target = attack.Target(server.host, server.port, door.address, door.ca, key)
        names = await attack.succeeded(target)
    finally:
        await server.stop()
    if names:
        raise ServerFailed(attack.sentence(names))


_VIOLATION = re.compile(r'"\w+/nkey:(U\w+)" - (Publish|Subscription) Violation - Subject "([^"]*)"')
_NO_ENTRY = re.compile(r'authentication error(?: - Nkey "(U\w*)")?')
_TOO_LARGE = re.compile(r'"\w+/nkey:(U\w+)" - maximum payload exceeded')
_CROWD = re.compile(r"maximum account active connections exceeded")
_PLAIN = re.compile(r"TLS handshake error")


class Watchman:
    """Reads what the server writes about those it turned away."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = path.stat().st_size if path.exists() else 0

    def look(self, at: int, wall: int) -> list[Refusals]:
        """What was refused since the last look, each kind once with its number."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                if size < self._at:
                    self._at = 0
                file.seek(self._at)
                said = file.read(LONGEST_LOG).decode("utf-8", "replace")
                self._at = file.tell()
            if self._at > LONGEST_LOG:
                # Whoever hammers at the door shall not fill the disk; the server appends, so it goes on at the start.
                os.truncate(self._path, 0)
                self._at = 0
        except OSError:
            return []
        seen: Counter[tuple[str, str, str]] = Counter(filter(None, map(_refused, said.splitlines())))
        return [Refusals(what, who, subject, count, at, wall) for (what, who, subject), count in seen.items()]


def _refused(line: str) -> tuple[str, str, str] | None:
    if found := _VIOLATION.search(line):
        return ("write" if found[2] == "Publish" else "listen"), found[1], found[3]
    if found := _TOO_LARGE.search(line):
        return "size", found[1], ""
    if _CROWD.search(line):
        return "crowd", "", ""
    if found := _NO_ENTRY.search(line):
        return "key", found[1] or "", ""
    return ("tls", "", "") if _PLAIN.search(line) else None
