"""The table's service: devices, core, link, local socket and simulated people, wired together in one event loop.

Nothing here decides. The core's thread owns the outbox; the loop only carries values between the devices' threads, the
core, the network and the faces.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
from collections.abc import Mapping
from gettext import gettext as _
from typing import TYPE_CHECKING, Any

from drivers.interfaces import Report
from hallnet import wire
from hallnet.clock import boot_id
from hallnet.local import ClientId, LocalServer, Reply
from hallnet.outbox import Outbox
from hallnet.serial import SerialThread
from hallnet.sql import Lock
from hallnet.transport import Transport
from hallnet.transport_nats import NatsTransport
from hallnet.views import LinkView, TableView
from kiosk import notify
from kiosk.table.chairs import Chairs
from kiosk.table.config import TableConfig
from kiosk.table.core import (
    Changed,
    Fetch,
    Fetched,
    FromDevice,
    FromFace,
    Input,
    Output,
    Replied,
    TableCore,
    Tick,
    Wake,
)
from kiosk.table.hardware import Hardware, plug_in
from kiosk.table.judge import Judged, judge, question
from kiosk.table.link import Holding, Link
from kiosk.table.outlook import Outlook
from kiosk.table.picture import Picture, table_view
from kiosk.table.timeline import Timeline
from rules.laws.events import Side
from rules.laws.game import GameState
from rules.laws.sides import SIDES

if TYPE_CHECKING:
    from kiosk.table.people import People

log = logging.getLogger(__name__)

#: Chess ms that simulated hands hold a plunger down.
HOLD_MS = 80


class TableService:
    """One table. `run` until `stop`; `transport` is what the hall speaks over."""

    def __init__(self, config: TableConfig, transport: Transport, heart: notify.Heart | None = None) -> None:
        self._config = config
        self._heart = heart or notify.Heart((config.table,))
        self._transport = transport
        self._timeline = Timeline(config.speed)
        self._picture = Picture(GameState())
        self._revision = 0
        self._tokens = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._chairs = Chairs(config.chairs)
        self._set_up_for = GameState()
        self._judged: set[str] = set()
        self._judging: set[asyncio.Task[Judged]] = set()
        self._wake: asyncio.TimerHandle | None = None
        self._stopped = asyncio.Event()
        self._fatal: BaseException | None = None
        self._hardware: Hardware
        self._outlook: Outlook
        self._serial: SerialThread[Input, Output]
        self._link: Link
        self._server: LocalServer
        self._people: People | None = None

    @property
    def table(self) -> str:
        """The table's id."""
        return self._config.table

    @property
    def view(self) -> TableView:
        """What faces see now."""
        hardware = self._hardware
        return table_view(
            self._picture,
            table=self._config.table,
            revision=self._revision,
            timeline=self._timeline,
            link=self._link.view if hasattr(self, "_link") else LinkView(state="never"),
            board_kind=hardware.board.kind,
            clock_kind=hardware.clock.kind,
            simulated=hardware.hands is not None,
            taken=self._chairs.taken,
        )

    def stop(self) -> None:
        """Ends `run`."""
        self._stopped.set()

    async def run(self) -> None:
        """Serves until `stop`; raises what made the core fail, and sentences for what cannot be opened."""
        self._config.make_folder()
        lock = Lock(self._config.lock)
        try:
            await self._serve()
        finally:
            lock.release()

    async def _serve(self) -> None:
        config = self._config
        loop = asyncio.get_running_loop()
        self._hardware = plug_in(config)
        self._outlook = Outlook(self._hardware.displays, self._hardware.signals, self._timeline)
        outbox = Outbox.open(config.database)
        core = TableCore(outbox, self._timeline, config.boot or boot_id(), self._hardware.setup)
        opening = core.open()
        self._transport.know(outbox.hubs)
        self._serial = SerialThread(core.step, self._deliver, loop, name="table core", on_fatal=self._fail)
        self._link = Link(
            self._transport,
            config.address,
            config.table,
            core.holding,
            lambda message: self._put(message),
            self._pending,
            self._show,
        )
        self._server = LocalServer(config.socket, lambda: self.view, self._handle, self._gone)
        tasks: list[asyncio.Task[None]] = []
        try:
            self._deliver(opening)
            self._hardware.start(self._report)
            self._outlook.start()
            await self._server.start()
            await self._link.start()
            tasks.append(asyncio.create_task(self._link.run(), name="link"))
            tasks.append(asyncio.create_task(self._live(), name="signs of life"))
            if self._chairs.waiting_s is not None:
                loop.call_later(self._chairs.waiting_s, self._give_up_chairs)
            if config.players is not None:
                # Who is not at a real table: people, and games for them to play.
                from kiosk.table.people import People
                from kiosk.table.scripts import Scripts

                self._people = People(self, Scripts(config.players))
                tasks.append(asyncio.create_task(self._people.live(self._timeline), name="people"))
            for task in tasks:
                task.add_done_callback(self._ended)
            await self._stopped.wait()
        finally:
            for pending in (*tasks, *self._judging):
                pending.cancel()
            await asyncio.gather(*tasks, *self._judging, return_exceptions=True)
            await self._server.stop()
            await self._transport.close()
            self._outlook.close()
            self._hardware.close()
            self._serial.stop()
            outbox.close()
        if self._fatal is not None:
            raise self._fatal

    async def _live(self) -> None:
        """A question goes through the loop and the core's thread: the answer is the sign of life."""
        while True:
            await self._pending(0, 0)
            self._heart.report(self.table)
            await asyncio.sleep(notify.interval_s())

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        self._fatal = error
        self._stopped.set()

    # -- into the core ------------------------------------------------------------------------------------------------

    def _put(self, item: Input) -> None:
        self._serial.put(item)

    def _report(self, report: Report) -> None:
        """A device's report, in the device's thread."""
        self._serial.put(FromDevice(report))

    async def _ask_core(self, make: Any) -> Any:
        token = next(self._tokens)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[token] = future
        self._put(make(token))
        try:
            return await future
        finally:
            self._waiting.pop(token, None)

    async def _pending(self, after: int, limit: int) -> tuple[wire.EventMsg, ...]:
        events: tuple[wire.EventMsg, ...] = await self._ask_core(lambda token: Fetch(token, after, limit))
        return events

    # -- out of the core ----------------------------------------------------------------------------------------------

    def _deliver(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Replied(token, reply):
                    self._answer(token, reply)
                case Fetched(token, events):
                    self._answer(token, events)
                case Changed(picture):
                    self._picture = picture
                    self._judge(picture.state)
                    self._outlook.show(picture.state, picture.problem)
                    self._show()
                case Holding():
                    self._link.holds(output)
                case Wake(t):
                    self._wake_at(t)

    def _answer(self, token: int, value: object) -> None:
        future = self._waiting.get(token)
        if future is not None and not future.done():
            future.set_result(value)

    def _judge(self, state: GameState) -> None:
        """A provisional result is looked into, once, by a process of its own."""
        asked = question(state)
        if asked is None or state.game in self._judged:
            return
        self._judged.add(state.game)
        task = asyncio.create_task(judge(state.game, *asked), name="judge")
        self._judging.add(task)
        task.add_done_callback(self._judgement)

    def _judgement(self, task: asyncio.Task[Judged]) -> None:
        self._judging.discard(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            log.warning("the search for a mate failed: %s", error)
        else:
            self._put(task.result())

    def _wake_at(self, t: int) -> None:
        if self._wake is not None:
            self._wake.cancel()
        delay = max(0.001, self._timeline.real(t - self._timeline()))
        self._wake = asyncio.get_running_loop().call_later(delay, self._put, Tick())

    def _show(self) -> None:
        """Everybody who looks at this table sees the new state."""
        self._revision += 1
        self._set_up_board()
        view = self.view
        self._server.broadcast(view)
        if self._people is not None:
            self._people.look(view)

    def _set_up_board(self) -> None:
        """Simulated pieces are set up for a new game, after a restart where they stood, and when an arbiter put the
        record back: a position that no further move has made.
        """
        state, before, hands = self._picture.state, self._set_up_for, self._hardware.hands
        if hands is None or state.assignment is None:
            return
        self._set_up_for = state
        moved = state.position is not before.position
        if state.game != before.game or (moved and len(state.plies) <= len(before.plies)):
            hands.set_up(state.position.board_fen())

    # -- faces --------------------------------------------------------------------------------------------------------

    async def do(self, kind: str, **d: Any) -> Reply:
        """An intent of the simulated people, handled as one from a face."""
        return await self._handle(PEOPLE, kind, d)

    async def _handle(self, client: ClientId, kind: str, d: Mapping[str, Any]) -> Reply:
        if kind in ("take", "release", "hands", "press"):
            return await self._handle_simulated(client, kind, d)
        reply: Reply = await self._ask_core(lambda token: FromFace(token, kind, d))
        return reply

    async def _handle_simulated(self, client: ClientId, kind: str, d: Mapping[str, Any]) -> Reply:
        """What only simulated hardware understands: chairs, pieces, plungers."""
        hands, side = self._hardware.hands, d.get("side")
        if hands is None:
            return Reply(False, _("This table has a real board and clock: use them."))
        if side not in SIDES:
            return Reply(False, _("Say which side: white or black."))
        if client != PEOPLE and kind in ("hands", "press") and not self._chairs.holds(client, side):
            return Reply(False, _("Take the chair of that side first."))
        match kind:
            case "take":
                return self._take(client, side)
            case "release":
                if self._chairs.leave(client, side):
                    self._show()
            case "hands" if self._picture.state.phase != "playing":
                return Reply(False, _("The game is not being played now: please wait."))
            case "hands":
                try:
                    await hands.play(self._picture.state.fen, str(d.get("uci", "")))
                except ValueError as error:
                    return Reply(False, str(error))
            case "press":
                hands.push(side)
                await asyncio.sleep(max(0.003, self._timeline.real(HOLD_MS)))
                hands.release(side)
        return Reply(True)

    def _take(self, client: ClientId, side: Side) -> Reply:
        if not self._chairs.take(client, side):
            return Reply(False, _("Somebody else sits there: leave that screen first, or take the other chair."))
        self._show()
        return Reply(True)

    def _gone(self, client: ClientId) -> None:
        """A face left: its chair goes back to the simulated player."""
        if self._chairs.leave(client):
            self._show()

    def _give_up_chairs(self) -> None:
        """Nobody came back to a chair that was kept over a restart."""
        if self._chairs.give_up():
            self._show()


#: The client id of the simulated people.
PEOPLE = ClientId(-1)


async def run_all(configs: list[TableConfig]) -> None:
    """Runs one or several tables in this process until SIGTERM, SIGINT or SIGHUP; the first failure ends them all."""
    heart = notify.Heart(config.table for config in configs)
    services = [
        TableService(config, NatsTransport(config.servers, f"table {config.table}", config.credentials), heart)
        for config in configs
    ]

    def stop() -> None:
        for service in services:
            service.stop()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop)
    tasks = [asyncio.create_task(service.run(), name=f"table {service.table}") for service in services]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    stop()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
