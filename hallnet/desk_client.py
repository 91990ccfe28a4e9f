"""The typed client of the hub: what the arbiter's desk, a wall or a test uses.

The hub numbers what it sends to the desks: `revision` grows by one with each change it publishes, and what belongs to
one change carries the same number. A number that was skipped, another incarnation of the hub, or a new connection means
that something may be missing: then the whole hall is asked for again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable
from gettext import gettext as _
from typing import Any, TypeVar

import msgspec

from hallnet.clock import boot_ms
from hallnet.transport import Transport
from hallnet.views import BoardRows, HallHead, HallSnapshot, StandingsView, View
from hallnet.wire import MAX_PAYLOAD, PLACE, Address, DeskIn, DeskOut, WireError, decode, encode

log = logging.getLogger(__name__)

V = TypeVar("V", bound=View)

AGAIN_S = 1.5
GIVE_UP_S = 20.0
#: A hub whose numbers jump is asked for the whole hall this often at most.
SNAPSHOT_EVERY_S = 1.0
#: A hub that says nothing for so long may have another in its place (ms): the next connection looks for it.
SILENT_MS = 10_000
LOOK_S = 2.0
#: Messages kept while the whole hall is asked for.
MOST_KEPT = 1_000


class DeskClient:
    """A desk named `desk_id` at the hall `address`; `transport` belongs to this client from now on.

    `hall` is kept up to date and stays when the hub falls silent: look at `age_ms`.
    """

    def __init__(self, transport: Transport, address: Address, desk_id: str) -> None:
        self.address = address
        self.desk_id = desk_id
        self.hall: HallSnapshot | None = None
        self._transport = transport
        self._callbacks: list[Callable[[HallSnapshot], None]] = []
        self._answers: dict[str, asyncio.Future[DeskOut]] = {}
        self._seen_ms = boot_ms()
        self._revision = 0
        self._missing = asyncio.Event()
        self._meanwhile: list[tuple[str, bytes]] | None = None
        self._link = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._renewed_ms = 0

    @property
    def connected(self) -> bool:
        """Whether the transport is connected; whether the hub is there shows in `age_ms`."""
        return self._transport.connected

    async def start(self) -> None:
        """Begin to follow the hub, and go on until `close`; returns at once."""
        if self._task is not None:
            return
        self._transport.on_change(self._changed)
        await self._transport.subscribe(self.address.desk(self.desk_id, "out"), self._answered)
        await self._transport.subscribe(self.address.desks(">"), self._heard)
        self._task = asyncio.create_task(self._fetch_snapshots(), name=f"desk {self.desk_id}")
        await self._transport.start()
        if self._transport.connected:
            self._changed(True)

    def age_ms(self, now: int) -> int:
        """How long ago the hub last spoke (before it ever did: since this client was made), at BOOTTIME ms `now`.

        A hub speaks at least every 2 s.
        """
        return max(0, now - self._seen_ms)

    def on_change(self, callback: Callable[[HallSnapshot], None]) -> None:
        """Have `callback` called with the hall, each time something in it has changed."""
        self._callbacks.append(callback)

    async def intend(self, kind: str, /, **d: Any) -> DeskOut:
        """Send an intent until the hub has answered it, for 20 s at most; never raises.

        The same id goes out every 1.5 s; the hub carries it out once and answers the same each time.
        """
        d.setdefault("by", "arbiter")
        intent = DeskIn(id=secrets.token_hex(8), kind=kind, d=d)
        try:
            payload = encode(intent)
        except (TypeError, msgspec.MsgspecError) as error:
            return DeskOut(id=intent.id, ok=False, why=_("this cannot be sent: {error}").format(error=error))
        if len(payload) > MAX_PAYLOAD:
            why = _("this is too long to be sent ({size} bytes, {most} are allowed): do it in smaller parts")
            return DeskOut(id=intent.id, ok=False, why=why.format(size=len(payload), most=MAX_PAYLOAD))
        answer: asyncio.Future[DeskOut] = asyncio.get_running_loop().create_future()
        self._answers[intent.id] = answer
        subject = self.address.desk(self.desk_id, "in")
        try:
            async with asyncio.timeout(GIVE_UP_S):
                while True:
                    # Without a connection it goes out as soon as there is one.
                    await self._link.wait()
                    self._transport.publish(subject, payload)
                    await asyncio.wait((answer,), timeout=AGAIN_S)
                    if answer.done():
                        return answer.result()
        except TimeoutError:
            why = _("the hub has not answered for {seconds} s: look whether it was done before you try again").format(
                seconds=round(GIVE_UP_S)
            )
            return DeskOut(id=intent.id, ok=False, why=why)
        finally:
            self._answers.pop(intent.id, None)

    async def close(self) -> None:
        """End, and close the transport; safe to call twice."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self._transport.close()

    def _changed(self, connected: bool) -> None:
        if connected:
            self._link.set()
            self._missing.set()
        else:
            self._link.clear()

    async def _fetch_snapshots(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._missing.wait()
            except TimeoutError:
                self._look_elsewhere()
                continue
            self._missing.clear()
            self._meanwhile = []
            out = await self.intend("snapshot")
            if out.ok:
                self._take_snapshot(out)
            else:
                log.warning("no snapshot of the hall: %s", out.why)
                self._missing.set()
            await asyncio.sleep(SNAPSHOT_EVERY_S)

    def _look_elsewhere(self) -> None:
        """A transport can be connected to a server whose hub hangs."""
        now = boot_ms()
        if self.age_ms(now) > SILENT_MS and now - self._renewed_ms > SILENT_MS and self._transport.connected:
            self._renewed_ms = now
            self._transport.renew()

    def _take_snapshot(self, out: DeskOut) -> None:
        try:
            hall = msgspec.convert(out.d, HallSnapshot)
        except msgspec.ValidationError as error:
            log.error("the hub's snapshot is not understood: %s", error)
            self._missing.set()
            return
        self.hall = hall
        self._revision = max(hall.head.revision, hall.boards.revision, hall.standings.revision)
        # What came while the answer was under way may be newer than the answer.
        for subject, payload in self._meanwhile or ():
            self._take(subject, payload)
        self._meanwhile = None
        self._tell()

    def _answered(self, _subject: str, payload: bytes) -> None:
        self._seen_ms = boot_ms()
        try:
            out = decode(payload, DeskOut)
        except WireError as error:
            log.warning("an answer of the hub is left out: %s", error)
            return
        answer = self._answers.get(out.id)
        if answer is not None and not answer.done():
            answer.set_result(out)

    def _heard(self, subject: str, payload: bytes) -> None:
        self._seen_ms = boot_ms()
        if self._meanwhile is not None:
            self._meanwhile.append((subject, payload))
            del self._meanwhile[:-MOST_KEPT]
        if self._take(subject, payload):
            self._tell()

    def _take(self, subject: str, payload: bytes) -> bool:
        """Put one message of the hub into `hall`; False if that changes nothing."""
        hall = self.hall
        if hall is None:
            return False
        leaf = subject.rsplit(".", 1)[-1]
        taken: HallSnapshot | None = None
        try:
            if leaf == "head":
                taken = self._head(hall, msgspec.json.decode(payload, type=HallHead))
            elif leaf == "boards":
                taken = self._boards(hall, msgspec.json.decode(payload, type=BoardRows))
            elif leaf == "standings":
                taken = self._standings(hall, msgspec.json.decode(payload, type=StandingsView))
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("%s is not understood: %s", subject, error)
        if taken is None:
            return False
        self.hall = taken
        return True

    def _head(self, hall: HallSnapshot, head: HallHead) -> HallSnapshot | None:
        if head.incarnation != hall.head.incarnation:
            # Another hub process, perhaps with an older log: nothing here is comparable with what it says.
            self._revision = head.revision
            self._missing.set()
            return msgspec.structs.replace(hall, head=head)
        if head.revision < hall.head.revision:
            return None
        self._follow(head.revision)
        return msgspec.structs.replace(hall, head=head)

    def _boards(self, hall: HallSnapshot, boards: BoardRows) -> HallSnapshot | None:
        if boards.revision < hall.boards.revision:
            return None
        self._follow(boards.revision)
        if not boards.whole:
            known = hall.boards.rows if boards.round == hall.boards.round else ()
            if boards.round != hall.boards.round:
                self._missing.set()
            merged = {row.board: row for row in (*known, *boards.rows)}
            boards = msgspec.structs.replace(boards, rows=tuple(merged[b] for b in sorted(merged)), whole=True)
        return msgspec.structs.replace(hall, boards=boards)

    def _standings(self, hall: HallSnapshot, standings: StandingsView) -> HallSnapshot | None:
        if standings.revision < hall.standings.revision:
            return None
        self._follow(standings.revision)
        return msgspec.structs.replace(hall, standings=standings)

    def _follow(self, revision: int) -> None:
        if revision > self._revision + 1:
            self._missing.set()
        self._revision = max(self._revision, revision)

    def _tell(self) -> None:
        if self.hall is None:
            return
        if self.hall.head.hubs:
            self._transport.know([place for place in self.hall.head.hubs if PLACE.match(place)])
        for callback in self._callbacks:
            try:
                callback(self.hall)
            except Exception:
                log.exception("a change of the hall could not be shown")
