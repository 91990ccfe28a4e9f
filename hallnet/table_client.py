"""The typed client of a table's local socket: what the players' screen, a line mode or a test uses."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path
from typing import Any

import msgspec

from hallnet import unix_socket
from hallnet.clock import boot_ms
from hallnet.local import Intent, Reply, line
from hallnet.views import TableView

log = logging.getLogger(__name__)

ANSWER_S = 5.0
PAUSE_S = (0.2, 1.0)
LONGEST_LINE = 1_048_576


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """Any line of the server."""

    v: int = 1
    hello: str = ""
    table: str = ""
    view: TableView | None = None
    id: int = 0
    ok: bool = False
    why: str = ""
    d: Any = None


class TableClient:
    """A connection to the table at the socket `path` that mends itself.

    `view` is the newest one (it stays when the connection is lost: look at `connected` and `age_ms`), `seen_ms` the
    BOOTTIME ms of the table's last line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.view: TableView | None = None
        self.connected = False
        self.seen_ms = boot_ms()
        self._callbacks: list[Callable[[TableView], None]] = []
        self._answers: dict[int, asyncio.Future[Reply]] = {}
        self._next = 1
        self._writer: asyncio.StreamWriter | None = None
        self._up = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to connect, and go on until `close`; returns at once."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"table client {self.path.name}")

    def age_ms(self, now: int) -> int:
        """How long ago the table last spoke (before it ever did: since this client was made), at BOOTTIME ms `now`."""
        return max(0, now - self.seen_ms)

    def on_view(self, callback: Callable[[TableView], None]) -> None:
        """Have `callback` called with each view that arrives."""
        self._callbacks.append(callback)

    async def do(self, kind: str, /, **d: Any) -> Reply:
        """Send an intent and wait for the answer, 5 s at most; never raises: what went wrong is in the reply."""
        number = self._next
        self._next += 1
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._up.wait()
                writer = self._writer
                assert writer is not None
                self._answers[number] = answer
                writer.write(line(Intent(id=number, do=kind, d=d)))
                return await answer
        except TimeoutError:
            return Reply(False, _("the table does not answer; try again, and call the arbiter if it stays so"))
        finally:
            self._answers.pop(number, None)

    async def close(self) -> None:
        """End the connection; safe to call twice."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        pause = PAUSE_S[0]
        while True:
            try:
                sock = unix_socket.connect(self.path)
            except OSError as error:
                log.debug("%s: %s", self.path, error)
                pause = min(PAUSE_S[1], pause * 1.5)
            else:
                pause = PAUSE_S[0]
                await self._session(sock)
            await asyncio.sleep(pause)

    async def _session(self, sock: Any) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=sock, limit=LONGEST_LINE)
        self._writer = writer
        try:
            while data := await reader.readline():
                self._heard(data)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            log.warning("the connection to the table %s ended: %s", self.path, error)
        finally:
            self.connected = False
            self._up.clear()
            self._writer = None
            writer.close()
            self._give_up_waiting()

    def _heard(self, data: bytes) -> None:
        message = msgspec.json.decode(data, type=_Line)
        self.seen_ms = boot_ms()
        if message.hello:
            self.connected = True
            self._up.set()
        elif message.view is not None:
            self.view = message.view
            for callback in self._callbacks:
                try:
                    callback(message.view)
                except Exception:
                    log.exception("a view could not be shown")
        elif (answer := self._answers.get(message.id)) is not None and not answer.done():
            answer.set_result(Reply(message.ok, message.why, message.d))

    def _give_up_waiting(self) -> None:
        why = _("the connection to the table was lost before it answered: look at the screen before you try again")
        for answer in self._answers.values():
            if not answer.done():
                answer.set_result(Reply(False, why))
