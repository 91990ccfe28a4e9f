"""Tables without hardware: the real core, outbox and link of a table, moved by the test instead of by people."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from drivers.interfaces import BoardReport, LinkReport, PressReport
from hallnet import wire
from hallnet.clock import boot_ms
from hallnet.outbox import Outbox
from hallnet.transport import Transport
from hallnet.wire import Address
from kiosk.table.core import Changed, FromDevice, FromFace, FromHub, Output, Replied, TableCore, Tick, Wake
from kiosk.table.link import Holding, Link
from kiosk.table.timeline import Timeline
from rules.laws.game import GameState

Received = tuple[str, bytes]


class Puppet:
    """Table `name` with its outbox in `folder`. Each instance is one process's life on the boot `boot`."""

    def __init__(
        self, name: str, folder: Path, transport: Transport, address: Address, boot: str = "boot-1", speed: float = 1.0
    ) -> None:
        self.name, self.boot, self.transport = name, boot, transport
        self.path = folder / f"table-{name}.db"
        self.outbox = Outbox.open(self.path)
        self.timeline = Timeline(speed)
        self.core = TableCore(self.outbox, self.timeline, boot)
        self.state = GameState()
        self.acked_most = 0
        self.tokens = itertools.count(1)
        opening = self.core.open()
        transport.know(self.outbox.hubs)
        self.link = Link(transport, address, name, self.core.holding, self._deliver, self._pending, lambda: None)
        self._wake: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._dead = False
        self._cable = True
        self._outputs(opening)

    async def start(self) -> None:
        """Connects, and lives."""
        await self.link.start()
        self._task = asyncio.create_task(self.link.run())

    async def stop(self) -> None:
        """Ends, however abruptly: what is not in the file is lost."""
        self._dead = True
        if self._wake is not None:
            self._wake.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.transport.close()
        self.outbox.close()

    @property
    def waiting(self) -> int:
        """Events that the hub has not acknowledged."""
        return self.outbox.last - self.outbox.acked

    @property
    def phase(self) -> str:
        """Where the game stands."""
        return self.state.phase

    # -- what happens at the table ------------------------------------------------------------------------------------

    def face(self, kind: str, **d: Any) -> bool:
        """Somebody at the table wants something; was it done?"""
        outputs = self.core.step([FromFace(next(self.tokens), kind, d)])
        self._outputs(outputs)
        return any(isinstance(out, Replied) and out.reply.ok for out in outputs)

    def ready(self) -> None:
        """Both players are there."""
        for side in ("white", "black"):
            self.face("ready", side=side)

    def move(self, uci: str) -> None:
        """A move on the board, and the press."""
        board = self.state.position.copy()
        side = self.state.turn
        board.push_uci(uci)
        at = boot_ms()
        self._outputs(
            self.core.step([FromDevice(BoardReport(at, board.board_fen())), FromDevice(PressReport(at, side))])
        )

    def shuffle(self, plies: int) -> None:
        """So many moves of the knights."""
        for _n in range(plies):
            made = len(self.state.plies)
            self.move(_DANCE[made] if made < len(_DANCE) else self._any())

    def _any(self) -> str:
        legal = [m for m in self.state.position.legal_moves if self.state.position.piece_type_at(m.from_square) == 1]
        return (legal or list(self.state.position.legal_moves))[0].uci()

    def finish(self, loser: str = "white") -> None:
        """One side resigns, both confirm."""
        self.face("resign", side=loser)
        for side in ("white", "black"):
            self.face("confirm", side=side, score=self.state.score)

    def note(self, why: str) -> None:
        """An event at any time: the board's cable comes off, or is in again. The arbiter is called and told."""
        self._cable = not self._cable
        self._outputs(self.core.step([FromDevice(LinkReport(boot_ms(), "board", self._cable, why))]))

    # -- wiring -------------------------------------------------------------------------------------------------------

    def hear(self, leaf: str, message: wire.Message) -> None:
        """As if the hub had said this to the core."""
        self._deliver(FromHub(message))  # type: ignore[arg-type]

    def _deliver(self, message: FromHub) -> None:
        if self._dead:
            return
        self._outputs(self.core.step([message]))

    async def _pending(self, after: int, limit: int) -> tuple[wire.EventMsg, ...]:
        return () if self._dead else self.outbox.pending(after, limit)

    def _outputs(self, outputs: Sequence[Output]) -> None:
        for output in outputs:
            match output:
                case Changed(picture):
                    self.state = picture.state
                case Holding():
                    self.acked_most = max(self.acked_most, output.acked)
                    if hasattr(self, "link"):
                        self.link.holds(output)
                case Wake(t):
                    self._wake_at(t)

    def _wake_at(self, t: int) -> None:
        if self._wake is not None:
            self._wake.cancel()
        delay = max(0.001, self.timeline.real(t - self.timeline()))
        self._wake = asyncio.get_running_loop().call_later(delay, self._tick)

    def _tick(self) -> None:
        if not self._dead:
            self._outputs(self.core.step([Tick()]))


_DANCE = ("g1f3", "g8f6", "f3g1", "f6g8")


async def until(holds: Callable[[], object], seconds: float = 20.0, what: str = "") -> None:
    """Looks until something holds."""
    try:
        async with asyncio.timeout(seconds):
            while not holds():  # noqa: ASYNC110 - what is waited for is in other processes
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"not within {seconds} s: {what}") from None
