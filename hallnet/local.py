"""A table's local socket: its views going out, intents coming in, as JSON lines.

The server speaks first: `{"v":1,"hello":"table","table":"3"}`, then a view at once, on every change and at least once a
second: `{"v":1,"view":{…}}`. A client asks `{"v":1,"id":7,"do":"confirm","d":{"side":"white"}}` and is answered
`{"v":1,"id":7,"ok":true,"why":""}`. A slow client skips views, and never keeps the others waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Any, NewType

import msgspec

from hallnet import unix_socket
from hallnet.errors import HallnetError
from hallnet.views import TableView

log = logging.getLogger(__name__)

ClientId = NewType("ClientId", int)

LONGEST_LINE = 65_536
#: A client that leaves this many answers unread is cut off.
MOST_ANSWERS = 256
VIEW_EVERY_S = 1.0
#: Bytes in the program's own buffer before a client counts as slow; the kernel's buffer comes on top.
SLOW_AT = 65_536


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to an intent: done, or refused and why in a sentence."""

    ok: bool
    why: str = ""
    d: Any = None


class LocalError(HallnetError):
    """The local socket cannot be opened."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a client."""

    v: int = 1
    id: int
    do: str
    d: Mapping[str, Any] = {}


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """The server's first line."""

    v: int = 1
    hello: str = "table"
    table: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The server's answer to an intent."""

    v: int = 1
    id: int
    ok: bool
    why: str = ""
    d: Any = None


class Pushed(msgspec.Struct, frozen=True, kw_only=True):
    """A view on its way to a client."""

    v: int = 1
    view: TableView


def line(message: msgspec.Struct) -> bytes:
    """The message as a JSON line."""
    return msgspec.json.encode(message) + b"\n"


Handle = Callable[[ClientId, str, Mapping[str, Any]], Awaitable[Reply]]


class _Client:
    """One connection: answers in order, and only the newest view."""

    def __init__(self, number: ClientId, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.reader = reader
        self.writer = writer
        self.shown = 0.0
        self._answers: deque[bytes] = deque()
        self._view: bytes | None = None
        self._wake = asyncio.Event()

    def answer(self, data: bytes) -> None:
        if len(self._answers) >= MOST_ANSWERS:
            log.warning("a client of the local socket does not read its answers: cut off")
            self.writer.transport.abort()
            return
        self._answers.append(data)
        self._wake.set()

    def show(self, data: bytes, now: float) -> None:
        self._view = data
        self.shown = now
        self._wake.set()

    async def send(self) -> None:
        """Write until the connection ends; while one write waits for the client, newer views replace older ones."""
        self.writer.transport.set_write_buffer_limits(high=SLOW_AT)
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._answers:
                self.writer.write(self._answers.popleft())
            if self._view is not None:
                self.writer.write(self._view)
                self._view = None
            await self.writer.drain()


class LocalServer:
    """The socket at `path`.

    `view` gives the newest view, `handle` carries out an intent (those of one client come one after the other),
    `on_gone` is called when a client's connection has ended.
    """

    def __init__(
        self, path: Path, view: Callable[[], TableView], handle: Handle, on_gone: Callable[[ClientId], None]
    ) -> None:
        self.path = path
        self._view = view
        self._handle = handle
        self._on_gone = on_gone
        self._clients: dict[ClientId, _Client] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._next = 1
        self._inode = 0
        self._server: asyncio.Server | None = None
        self._ticker: asyncio.Task[None] | None = None

    @property
    def clients(self) -> int:
        """How many are connected."""
        return len(self._clients)

    async def start(self) -> None:
        """Open the socket; raises `LocalError` when that is not possible."""
        try:
            listener = unix_socket.listen(self.path)
        except OSError as error:
            raise LocalError(
                _("the socket {path} cannot be made ({error}): check the folder and who owns it").format(
                    path=self.path, error=error.strerror
                )
            ) from error
        self._inode = unix_socket.inode(self.path)
        # From Python 3.13 on asyncio removes sockets by itself, by the name they were bound to; ours was renamed.
        extra: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=LONGEST_LINE, **extra)
        self._ticker = asyncio.create_task(self._tick())

    async def stop(self) -> None:
        """Close the socket and all connections; safe to call twice."""
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._inode and unix_socket.inode(self.path) == self._inode:
            self.path.unlink(missing_ok=True)
        self._inode = 0
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def broadcast(self, view: TableView) -> None:
        """Show a view to all clients; each gets it when it has read what it got before, or a newer one."""
        if self._clients:
            now = asyncio.get_running_loop().time()
            data = line(Pushed(view=view))
            for client in self._clients.values():
                client.show(data, now)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(VIEW_EVERY_S / 4)
            now = asyncio.get_running_loop().time()
            stale = [c for c in self._clients.values() if now - c.shown >= VIEW_EVERY_S * 0.7]
            if stale:
                try:
                    data = line(Pushed(view=self._view()))
                except Exception:
                    log.exception("the table has no view to show")
                    continue
                for client in stale:
                    client.show(data, now)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        client = _Client(ClientId(self._next), reader, writer)
        self._next += 1
        sender = asyncio.create_task(client.send())
        # A connection on which nothing can be written any more ends, even when nothing is read from it.
        sender.add_done_callback(lambda _task: writer.transport.abort())
        try:
            view = self._view()
            client.answer(line(Hello(table=view.table)))
            client.show(line(Pushed(view=view)), asyncio.get_running_loop().time())
            self._clients[client.number] = client
            await self._listen(client)
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            log.info("client %d of the local socket: %s", client.number, error)
        except asyncio.CancelledError:
            # The task ends here anyway, and asyncio's streams would report a cancelled one as an error (Python 3.11).
            log.debug("client %d of the local socket: closed", client.number)
        finally:
            self._clients.pop(client.number, None)
            self._tasks.discard(task)
            sender.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await sender
            writer.close()
            self._on_gone(client.number)

    async def _listen(self, client: _Client) -> None:
        while data := await client.reader.readline():
            try:
                intent = msgspec.json.decode(data, type=Intent)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                client.answer(line(Answer(id=0, ok=False, why=_("not understood: {error}").format(error=error))))
                continue
            reply = await self._carry_out(client.number, intent)
            client.answer(line(Answer(id=intent.id, ok=reply.ok, why=reply.why, d=reply.d)))

    async def _carry_out(self, client: ClientId, intent: Intent) -> Reply:
        if intent.v != 1:
            return Reply(False, _("version {v} is not understood, only {known}").format(v=intent.v, known=1))
        try:
            return await self._handle(client, intent.do, intent.d)
        except Exception:
            log.exception("the intent %s failed", intent.do)
            return Reply(False, _("the table could not do that; its log says why"))
