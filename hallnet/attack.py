"""The hub attacks its own server before it opens the door: everything here must be refused.

A raw client, because a library would not do what an attacker does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from hallnet.keys import SERVER_NAME, Credentials, Key
from hallnet.wire import Address

PATIENCE_S = 3.0
#: A server that wants TLS says nothing to one who waits for its greeting.
SILENCE_S = 0.3
#: The table whose key the attacker has; no device ever gets it.
VICTIM = "selfattack"


class Raw:
    """One connection of the transport's protocol, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, host: str, port: int, context: ssl.SSLContext | None) -> Raw:
        """A connection, with TLS from the first byte if there is a context. Raises `OSError`."""
        async with asyncio.timeout(PATIENCE_S):
            name = SERVER_NAME if context is not None else None
            return cls(*await asyncio.open_connection(host, port, ssl=context, server_hostname=name))

    async def greet(self, key: Key | None, **more: object) -> str:
        """Say who we are; "" if we are let in, else what the server says. Raises `OSError` when it hangs up."""
        info = json.loads((await self._line()).removeprefix("INFO "))
        options: dict[str, object] = {"verbose": False, "pedantic": False, "lang": "attack", "version": "1", **more}
        if key is not None:
            options |= {"nkey": key.public, "sig": key.sign(str(info.get("nonce", ""))).decode()}
        return await self.say(f"CONNECT {json.dumps(options)}\r\n".encode())

    async def say(self, command: bytes) -> str:
        """Send a command; "" if the server takes it, else its error. Raises `OSError` when it hangs up."""
        self.writer.write(command + b"PING\r\n")
        await self.writer.drain()
        error = ""
        try:
            while not (line := await self._line()).startswith("PONG"):
                if line.startswith("-ERR"):
                    error = line
                elif line == "PING":
                    self.writer.write(b"PONG\r\n")
        except ConnectionResetError:
            if not error:
                raise
        return error

    async def publish(self, subject: str, payload: bytes, reply: str = "") -> str:
        """Publish, with a reply subject if there is one."""
        return await self.say(f"PUB {subject} {reply} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def close(self) -> None:
        """Hang up."""
        self.writer.close()

    async def _line(self) -> str:
        async with asyncio.timeout(PATIENCE_S):
            line = await self.reader.readline()
        if not line:
            raise ConnectionResetError("the server has hung up")
        return line.decode("utf-8", "replace").strip()


@dataclass(frozen=True, slots=True)
class Target:
    """A server, the hall it serves, the hall's CA, and the key of a table that an attacker has got hold of."""

    host: str
    port: int
    address: Address
    ca: Path
    key: Key

    async def enter(self, key: Key | None) -> tuple[Raw, str]:
        """Connect as the holder of a key (None: as nobody)."""
        raw = await Raw.open(self.host, self.port, Credentials(self.key, self.ca).tls())
        return raw, await raw.greet(key)


async def _as_nobody(target: Target) -> bool:
    _raw, error = await target.enter(None)
    return bool(error)


async def _foreign_key(target: Target) -> bool:
    _raw, error = await target.enter(Key.make())
    return bool(error)


async def _plain(target: Target) -> bool:
    raw = await Raw.open(target.host, target.port, None)
    try:
        async with asyncio.timeout(SILENCE_S):
            return bool(await raw.greet(target.key))
    except TimeoutError:
        return True
    finally:
        raw.close()


async def _other_ca(target: Target) -> bool:
    context = ssl.create_default_context()
    try:
        await Raw.open(target.host, target.port, context)
    except ssl.SSLError:
        return True
    return False


def _command(make: Callable[[Address], str]) -> Callable[[Target], Awaitable[bool]]:
    async def attack(target: Target) -> bool:
        raw, error = await target.enter(target.key)
        if error:
            return False  # the key of the attacker must be good, or this shows nothing
        refused = await raw.say(make(target.address).encode())
        raw.close()
        return "Permissions Violation" in refused

    return attack


#: What is tried → does the server refuse it?
ATTACKS: dict[str, Callable[[Target], Awaitable[bool]]] = {
    "no key": _as_nobody,
    "a foreign key": _foreign_key,
    "plain TCP": _plain,
    "another CA": _other_ca,
    "publishing for another table": _command(lambda a: f"PUB {a.table('1', 'up')} 2\r\n{{}}\r\n"),
    "publishing as the hub": _command(lambda a: f"PUB {a.table('1', 'asg')} 2\r\n{{}}\r\n"),
    "publishing as a desk": _command(lambda a: f"PUB {a.desk('desk1', 'in')} 2\r\n{{}}\r\n"),
    "publishing to the public": _command(lambda a: f"PUB pub.{a.event}.x 2\r\n{{}}\r\n"),
    "hearing another table": _command(lambda a: f"SUB {a.table('1', 'asg')} 1\r\n"),
    "hearing everything": _command(lambda a: "SUB > 1\r\n"),
    "hearing all tables in a queue": _command(lambda a: f"SUB {a.table('*', 'up')} spies 1\r\n"),
    "hearing the server itself": _command(lambda a: "SUB $SYS.> 1\r\n"),
}


async def succeeded(target: Target) -> list[str]:
    """The attacks that the server did not refuse; there must be none."""
    names = []
    for name, attack in ATTACKS.items():
        refused = False
        with contextlib.suppress(TimeoutError):
            try:
                refused = await attack(target)
            except (OSError, ValueError):
                refused = True  # it hung up on us
        if not refused:
            names.append(name)
    return names


def sentence(names: list[str]) -> str:
    """What to say when the door must stay closed."""
    return _("the transport lets in what it must refuse ({names}): the hall stays closed; install it anew").format(
        names=", ".join(names)
    )
