"""A hall in one thread for tests of the hub's core: tables that follow the Laws, a desk, and a post that can be bad.

Nothing here waits: time is a number, and every message is an input or an output of `HubCore.step`.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hallnet import wire
from hallnet.chain import chain_hash
from hallnet.hall_log import HallLog
from hallnet.views import BoardRow, HallSnapshot
from hallnet.wire import Address, EventMsg
from kiosk.hub.core import HubCore
from kiosk.hub.inputs import Compute, FromDesk, FromTable, Input, PairingDone, Send, Tick
from kiosk.hub.pairer import pair
from rules.laws.events import Call, GameEvent, Opened, Paused, Score, Side
from rules.laws.game_decisions import (
    CallArbiter,
    ClaimDraw,
    Confirm,
    Dispute,
    MakeReady,
    PressClock,
    Refusal,
    Resign,
    decide,
)
from rules.laws.game_orders import decide_assignment, decide_order
from rules.laws.game_state import GameState, replay
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations

ADDRESS = Address("spring", "hall")
REGULATIONS = Regulations(name="Spring Open", rounds=2, control="10+5", arbiter="M. Orlova", tie_breaks=("BH", "SB"))
NAMES = ("Petrova, Anna", "Ivanov, Boris", "Ćirić, Mila", "Novák, Jan", "Silva, Rui", "O'Neil, Sean")


def entries(count: int = 6) -> tuple[Entry, ...]:
    """So many players, the first the strongest."""
    return tuple(Entry(0, NAMES[i % 6] + (" " * (i // 6)), 2200 - 50 * i, federation="SRB") for i in range(count))


class Table:
    """A device at table `id`: an outbox in memory, decisions by the Laws. `received` is what the hub sent, by leaf."""

    def __init__(self, hall: Hall, name: str, instance: str = "") -> None:
        self.hall = hall
        self.id = name
        self.instance = instance or f"device{name}"
        self.boot = f"boot-{self.instance}"
        self.epoch = 0
        self.acked = 0
        self.incarnation = 0
        self.outbox: list[EventMsg] = []
        self.parts: dict[int, wire.Past] = {}
        self.state = GameState()
        self.beats = 0
        self.received: list[tuple[str, bytes]] = []

    # what it sends

    def ask(self) -> None:
        """After a connect: this is what I hold."""
        ask = wire.Ask(
            boot=self.boot,
            instance=self.instance,
            e=self.epoch,
            round=self.state.round,
            rev=self.state.rev,
            last=len(self.outbox),
            acked=self.acked,
            inc=self.incarnation,
        )
        self._send("ask", ask)

    def beat(self) -> None:
        """A heartbeat."""
        self.beats += 1
        self._send("hb", wire.Heartbeat(boot=self.boot, instance=self.instance, conn=1, n=self.beats, e=self.epoch,
                                        last=len(self.outbox), acked=self.acked, round=self.state.round,
                                        rev=self.state.rev, mono=self.hall.at * 1000, wall=self.hall.wall))  # fmt: skip

    def flush(self) -> None:
        """Send again what is not acknowledged."""
        for batch in wire.batches(self.outbox[self.acked :], self.boot):
            self._send("up", batch)

    def write(self, *events: GameEvent) -> None:
        """Keep events and send them."""
        for event in events:
            kind, data = wire.event_data(event)
            self.state = replay((event,), self.state)
            self.write_raw(kind, bytes(data))

    def write_raw(self, kind: str, data: bytes) -> None:
        """Keep an event that may mean nothing to anybody, and send it."""
        message = EventMsg(e=self.epoch, s=len(self.outbox) + 1, g=self.state.game, kind=kind, wall=self.hall.wall,
                           mono=self.hall.at * 1000, boot=self.boot, sync=True,
                           prev=chain_hash(self.outbox[-1]) if self.outbox else "", d=msgspec.Raw(data))  # fmt: skip
        self.outbox.append(message)
        self._send("up", wire.Batch(events=(message,), boot=self.boot))

    def _send(self, leaf: str, message: wire.Message) -> None:
        self.hall.post(FromTable(self.id, leaf, wire.encode(message), self.hall.at, self.hall.wall))

    # what it hears

    def hear(self, leaf: str, payload: bytes) -> None:
        """Take a message of the hub."""
        self.received.append((leaf, payload))
        if leaf == "ack":
            ack = wire.decode(payload, wire.Ack)
            if ack.e == self.epoch:
                self.acked = max(self.acked, ack.s)
            elif ack.e > self.epoch > 0 and not ack.why:
                self.ask()
        elif leaf == "snap":
            self._snapshot(wire.decode(payload, wire.Snapshot))
        elif leaf == "asg":
            self._assign(wire.decode(payload, wire.AssignmentMsg))
        elif leaf == "past":
            self._inherit(wire.decode(payload, wire.Past))
        elif leaf == "ord":
            self._order(wire.decode(payload, wire.OrderMsg))

    def _inherit(self, past: wire.Past) -> None:
        """The game goes on here, as `kiosk.table.core` does it; all of it is written at once."""
        if past.e != self.epoch or self.state.assignment is not None or not self.epoch:
            return
        self.parts = {} if past.part == 0 else self.parts
        self.parts[past.part] = past
        if set(self.parts) != set(range(past.parts)):
            return
        events = [wire.event_of(e.kind, e.d) for n in range(past.parts) for e in self.parts[n].events]
        why = f"as of {past.age_ms} ms ago"
        if replay(events).under_way:
            events += [
                Paused(self.hall.at, "table", past.white_ms, past.black_ms, why=why, restore=True, age_ms=past.age_ms),
                Call(self.hall.at, None, why),
            ]
        self.write(*events)

    def _snapshot(self, snapshot: wire.Snapshot) -> None:
        self.incarnation = snapshot.inc
        if snapshot.e > self.epoch:
            self.epoch = snapshot.e
            self.outbox, self.acked, self.state = [], 0, GameState()
            self.write(Opened(self.hall.at, "enrolled"))
        if snapshot.e < self.epoch:
            return
        self.acked = min(self.acked, snapshot.last)
        self.flush()
        if snapshot.assignment is not None:
            self._assign(snapshot.assignment)
        for order in snapshot.orders:
            self._order(order)

    def _assign(self, message: wire.AssignmentMsg) -> None:
        if message.e in (0, self.epoch) and (message.round, message.rev) > (self.state.round, self.state.rev):
            self.write(*decide_assignment(self.state, message.assignment(), self.hall.at))

    def _order(self, order: wire.OrderMsg) -> None:
        if order.e not in (0, self.epoch):
            return
        self.write(*decide_order(self.state, order.id, order.kind, order.game, order.d, self.hall.at))

    # what its players do

    def act(self, intent: Any) -> None:
        """A player wants something; it must be possible."""
        answer = decide(self.state, intent, self.hall.at)
        assert not isinstance(answer, Refusal), answer
        self.write(*answer)

    def ready(self) -> None:
        """Both players are there."""
        for side in ("white", "black"):
            if side not in self.state.ready:
                self.act(MakeReady(side))

    def moves(self, *ucis: str) -> None:
        """Moves, each pressed."""
        for uci in ucis:
            self.hall.at += 1000
            self.act(PressClock(self.state.turn, uci, self.hall.at))

    def confirm(self) -> None:
        """Both players confirm the result."""
        for side in ("white", "black"):
            self.act(Confirm(side, self.state.proposed or "1-0"))

    def resign(self, side: Side) -> None:
        """A game is given up, and both confirm."""
        self.act(Resign(side))
        self.confirm()

    def dispute(self, side: Side, says: Score) -> None:
        """One side says another result."""
        self.act(Dispute(side, says))

    def claim(self, side: Side) -> None:
        """A draw claim on the position."""
        self.act(ClaimDraw(side, "repetition"))

    def call(self, side: Side, why: str = "") -> None:
        """The arbiter is called, the clocks run on."""
        self.act(CallArbiter(side, why))


class Hall:
    """Hub, tables and one desk. `after_step` is called after each input; `drop` and `twice` make the post bad."""

    def __init__(self, folder: Path, tables: int = 3, players: int = 6, seed: int = 0) -> None:
        self.path = folder / "hall.db"
        self.at = 1_000_000
        self.wall = 1_780_000_000_000
        self.drop = self.twice = 0.0
        self.random = random.Random(seed)
        self.queue: deque[Input] = deque()
        self.replies: dict[str, list[wire.DeskOut]] = {}
        self.sent: list[Send] = []
        self.after_step: Callable[[], None] = lambda: None
        self.killed = 0
        self.core = self.open(players)
        self.tables = {str(n): Table(self, str(n)) for n in range(1, tables + 1)}

    def open(self, players: int = 6) -> HubCore:
        """A hub process on the log."""
        core = HubCore(HallLog.open(self.path), ADDRESS, boot="hub-boot")
        core.open(self.wall, REGULATIONS, entries(players))
        return core

    def kill(self) -> None:
        """The hub is killed: what it knew and what was under way is lost, and it is started again."""
        self.killed += 1
        self.core.log.close()
        self.queue.clear()
        self.core = self.open()

    def post(self, item: Input) -> None:
        """A message on its way to the hub."""
        if self.random.random() >= self.drop:
            self.queue.append(item)
        if self.random.random() < self.twice:
            self.queue.append(item)

    def pump(self) -> None:
        """Until no message is under way."""
        while self.queue:
            self.step(self.queue.popleft())

    def step(self, *items: Input) -> None:
        """One step of the hub, and its messages to their receivers."""
        for output in self.core.step(list(items)):
            if isinstance(output, Compute):
                outcome = pair(output.job)
                self.queue.append(
                    PairingDone(output.desk, output.intent, output.by, output.basis, outcome, self.at, self.wall)
                )
                continue
            if not isinstance(output, Send):
                continue
            self.sent.append(output)
            if self.random.random() >= self.drop:
                self._receive(output)
        self.after_step()

    def _receive(self, message: Send) -> None:
        parts = message.subject.split(".")
        if parts[3] == "t" and parts[4] in self.tables:
            self.tables[parts[4]].hear(parts[5], message.payload)
        elif parts[3] == "d":
            out = wire.decode(message.payload, wire.DeskOut)
            self.replies.setdefault(out.id, []).append(out)

    def pass_time(self, ms: int) -> None:
        """Time passes in ticks."""
        for _n in range(max(1, ms // 500)):
            self.at += 500
            self.wall += 500
            self.post(Tick(self.at, self.wall))
            self.pump()

    def connect(self) -> None:
        """All tables connect, ask, and beat once."""
        for table in self.tables.values():
            table.ask()
            table.beat()
        self.pump()

    def settle(self) -> None:
        """Repeats until nothing is missing on either side."""
        for _n in range(30):
            for table in self.tables.values():
                table.flush()
            self.pump()
            self.pass_time(2_500)
            waiting = any(t.acked < len(t.outbox) for t in self.tables.values())
            if not waiting and not self.core.hall.state.orders:
                return
        raise AssertionError("the hall does not come to rest")

    def do(self, kind: str, /, intent: str = "", **d: Any) -> wire.DeskOut:
        """The arbiter wants something; sent again until it is answered."""
        name = intent or f"i{len(self.replies) + 1}x{self.killed}"
        for _n in range(50):
            self.post(FromDesk("chief", wire.encode(wire.DeskIn(id=name, kind=kind, d=d)), self.at, self.wall))
            self.pump()
            if name in self.replies:
                return self.replies[name][-1]
        raise AssertionError(f"no answer to {kind}")

    def must(self, kind: str, /, **d: Any) -> wire.DeskOut:
        """The arbiter wants something, and it is done."""
        out = self.do(kind, **d)
        assert out.ok, out.why
        return out

    @property
    def view(self) -> HallSnapshot:
        """The hall as a desk would see it now."""
        return self.core.streams.snapshot(self.at, self.wall)

    def row(self, board: int) -> BoardRow:
        """One board of the current sheet."""
        return next(row for row in self.view.boards.rows if row.board == board)

    def begin_round(self) -> None:
        """Pair, publish, all are ready, start."""
        self.must("pair")
        self.must("publish")
        self.settle()
        for board in self.view.boards.rows:
            self.tables[board.table].ready()
        self.pump()
        self.must("start")
        self.settle()


def durable(core: HubCore, at: int, wall: int) -> Any:
    """What a hub's views say, without what only a running process knows (presence, numbers of views, the time)."""
    view = msgspec.to_builtins(core.streams.snapshot(at, wall))
    for name in ("revision", "incarnation", "notices", "tables_online", "wall"):
        view["head"].pop(name, None)
    for part in ("boards", "standings"):
        view[part].pop("revision", None)
    for row in view["boards"]["rows"]:
        for name in ("offline", "clock"):
            row.pop(name, None)
    return view
