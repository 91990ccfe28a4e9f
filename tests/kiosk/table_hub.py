"""A hub for tests of one table: it enrols, assigns, starts, acknowledges and rules, over the memory transport."""

from __future__ import annotations

import asyncio

from hallnet import wire
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from hallnet.wire import Address
from rules.laws.events import Assignment, Call, Ended, GameEvent, Player
from rules.laws.game import GameState, fold

ADDRESS = Address("event", "hall")


def assignment(round_: int = 1, board: int = 1, rev: int = 1, control: str = "10+5") -> Assignment:
    """A game between two invented players."""
    return Assignment(
        event="Test Open",
        round=round_,
        rev=rev,
        game=f"r{round_}b{board}",
        board=board,
        white=Player(1, "Petrova, Anna", 2105),
        black=Player(2, "Ivanov, Boris", 1987),
        control=control,
        rounds=5,
    )


class TestHub:
    """Knows one table. `state` is its game as the hub has it; `events` everything that arrived, once each."""

    __test__ = False

    def __init__(self, broker: MemoryBroker, table: str = "1") -> None:
        self.transport = MemoryTransport(broker, "hub")
        self.table = table
        self.state = GameState()
        self.events: list[GameEvent] = []
        self.duplicates = 0
        self.last = 0
        self.epoch = 1
        self.assignment: Assignment | None = None
        self.orders: list[wire.OrderMsg] = []
        self.rulings: list[str] = []
        self.changed = asyncio.Event()

    async def start(self) -> None:
        """Listens to the table."""
        for leaf in ("up", "ask", "hb"):
            await self.transport.subscribe(ADDRESS.table(self.table, leaf), self._receive)  # type: ignore[arg-type]
        await self.transport.start()

    def assign(self, value: Assignment) -> None:
        """Publishes a game for the table."""
        self.assignment = value
        self._send("asg", wire.assignment_message(value, "prepared"))

    def order(self, kind: str, **d: str | int) -> None:
        """Orders something about the current game."""
        order = wire.OrderMsg(id=f"o{len(self.orders) + 1}", game=self.state.game, kind=kind, d=d)  # type: ignore[arg-type]
        self.orders.append(order)
        self._send("ord", order)

    async def until(self, condition) -> None:
        """Waits until `condition(state)` holds; fails after a minute."""
        async with asyncio.timeout(60):
            while not condition(self.state):
                self.changed.clear()
                await self.changed.wait()

    def _send(self, leaf: str, message: wire.Message) -> None:
        self.transport.publish(ADDRESS.table(self.table, leaf), wire.encode(message))  # type: ignore[arg-type]

    def _snapshot(self) -> None:
        self._send(
            "snap",
            wire.Snapshot(
                e=self.epoch,
                inc=1,
                last=self.last,
                assignment=wire.assignment_message(self.assignment, "prepared") if self.assignment else None,
                orders=tuple(o for o in self.orders if o.id not in self.state.orders),
            ),
        )

    def _receive(self, subject: str, payload: bytes) -> None:
        match subject.rsplit(".", 1)[-1]:
            case "ask":
                self._snapshot()
            case "hb":
                beat = wire.decode(payload, wire.Heartbeat)
                reply = wire.HeartbeatReply(
                    n=beat.n, inc=1, mono=0, wall=0, hub_in=0, hub_out=0, round=beat.round, rev=beat.rev
                )
                self._send("hbr", reply)
            case "up":
                for message in wire.decode(payload, wire.Batch).events:
                    self._take(message)
                self._send("ack", wire.Ack(e=self.epoch, s=self.last, inc=1))
        self.changed.set()

    def _take(self, message: wire.EventMsg) -> None:
        if message.s != self.last + 1:
            self.duplicates += message.s <= self.last
            return
        self.last = message.s
        event = wire.event_of(message.kind, message.d)
        self.events.append(event)
        self.state = fold(self.state, event)
        if isinstance(event, Call) and self.state.phase in ("paused", "disputed"):
            score = self.state.proposed or "1/2-1/2"
            self.rulings.append(event.why)
            self.order("rule", score=score, why="test arbiter")
        assert not (isinstance(event, Ended) and not event.by)
