"""The table's end of the hall network: what it holds goes up, what the hub wants comes down.

The link decides nothing. It sends events in order and again until the hub has acknowledged them, asks for a snapshot
after every connect and whenever the hub's round is newer than its own, and beats. Whether the hub is there is told by
its answers to heartbeats, not by the state of the socket. After a silence, what arrives may have lain in some queue: it
is not followed until the hub has answered a question asked since.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

from hallnet import wire
from hallnet.clock import boot_us, serial, wall_ms
from hallnet.sync_up import UpLink
from hallnet.time_offset import TimeOffset
from hallnet.transport import Transport
from hallnet.views import LinkView
from hallnet.wire import Address

log = logging.getLogger(__name__)

HEARTBEAT_S = 5.0
#: Two missed heartbeats: the hub is out of reach.
LOST_MS = 11_000
#: While the hub stays away, a connection that seems to be there is replaced at least this often.
LONGEST_RENEWAL_MS = 60_000


@dataclass(frozen=True, slots=True)
class Holding:
    """What the table holds, for heartbeats and for asking."""

    boot: str
    instance: str
    epoch: int
    last: int
    acked: int
    round: int
    rev: int
    incarnation: int


@dataclass(frozen=True, slots=True)
class FromHub:
    """A message from the hub, typed."""

    message: wire.Ack | wire.Snapshot | wire.AssignmentMsg | wire.OrderMsg | wire.Past


class Link:
    """Glue between a transport and the table's core; lives in the event loop."""

    def __init__(
        self,
        transport: Transport,
        address: Address,
        table: str,
        holding: Holding,
        deliver: Callable[[FromHub], None],
        pending: Callable[[int, int], Awaitable[tuple[wire.EventMsg, ...]]],
        changed: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._address = address
        self._table = table
        self._holding = holding
        self._deliver = deliver
        self._pending = pending
        self._changed = changed
        self._up = UpLink(seed=int(holding.instance, 16))
        self._window = wire.MAX_BATCH
        self._wake = asyncio.Event()
        self._connections = 0
        self._beat = 0
        self._heard = 0
        self._lost_since = 0
        self._state: Literal["ok", "lost", "never"] = "never"
        self._renew_at = 0
        self._renewals = 0
        self._asked = 0
        self._answered = 0
        self._why = ""
        self._hubs: tuple[str, ...] = ()
        self._offset = TimeOffset()
        self.ignored = 0

    @property
    def view(self) -> LinkView:
        """Contact with the hub, for the screen."""
        waiting = max(0, self._holding.last - self._holding.acked)
        since = self._lost_since if self._state == "lost" else 0
        # "Heard" only while it is not: it would be another view with every word of the hub.
        heard = self._heard if self._state == "lost" else 0
        return LinkView(state=self._state, since=since, waiting=waiting, why=self._trouble, heard=heard)

    @property
    def _trouble(self) -> str:
        """Why nothing goes through, where that can be told: the server's refusal, the hub's, or the network's state."""
        transport = self._transport
        if refused := str(getattr(transport, "refused", "")):
            return refused
        if self._why or self._state == "ok":
            return self._why
        if transport.connected:
            return _("the network is there, but the hub does not answer")
        return str(getattr(transport, "trouble", ""))

    def holds(self, holding: Holding) -> None:
        """The core has committed something, or an acknowledgement moved."""
        if holding.epoch == self._holding.epoch and holding.acked > self._holding.acked:
            self._up.acked(boot_us() // 1000, holding.acked, self._window)
        self._holding = holding
        self._up.state(holding.last, holding.acked, holding.epoch)
        self._wake.set()

    async def start(self) -> None:
        """Subscribes and lets the transport connect."""
        self._up.state(self._holding.last, self._holding.acked, self._holding.epoch)
        self._transport.on_change(self._connection)
        for leaf in ("ack", "hbr", "snap", "asg", "ord", "past"):
            await self._transport.subscribe(self._address.table(self._table, leaf), self._receive)
        await self._transport.subscribe(self._address.all_round, self._receive_round)
        await self._transport.start()

    async def run(self) -> None:
        """Sends what is due and beats, for ever."""
        beat_at = 0
        while True:
            now = boot_us() // 1000
            if now >= beat_at:
                if self._answered < self._asked:
                    self.ask()
                self._heartbeat()
                beat_at = now + int(HEARTBEAT_S * 1000)
                self._judge(now)
            await self._send_due(now)
            wakeup = min(self._up.next_wakeup(now) or beat_at, beat_at)
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(0.001, (wakeup - now) / 1000)):
                    await self._wake.wait()

    async def _send_due(self, now: int) -> None:
        due = self._up.due(now)
        if due is None or not self._transport.connected:
            return
        after, upto = due
        events = await self._pending(after, upto - after)
        for batch in wire.batches(events, self._holding.boot):
            if self._transport.publish(self._address.table(self._table, "up"), wire.encode(batch)):
                self._up.sent(now, batch.events[-1].s)

    def _connection(self, connected: bool) -> None:
        now = boot_us() // 1000
        if connected:
            self._connections += 1
            self._up.connected(now)
            self.ask()
            self._heartbeat()
        else:
            self._up.disconnected()
        self._wake.set()

    def ask(self) -> None:
        """Asks the hub for a snapshot, again with each heartbeat until it has come."""
        h = self._holding
        self._asked += 1
        ask = wire.Ask(
            boot=h.boot,
            instance=h.instance,
            e=h.epoch,
            round=h.round,
            rev=h.rev,
            last=h.last,
            acked=h.acked,
            inc=h.incarnation,
            n=self._asked,
        )
        self._transport.publish(self._address.table(self._table, "ask"), wire.encode(ask))

    def _heartbeat(self) -> None:
        self._beat += 1
        h = self._holding
        beat = wire.Heartbeat(
            boot=h.boot,
            instance=h.instance,
            conn=self._connections,
            n=self._beat,
            e=h.epoch,
            last=h.last,
            acked=h.acked,
            round=h.round,
            rev=h.rev,
            mono=boot_us(),
            wall=wall_ms(),
            serial=serial(),
            offset=self._offset.ms,
        )
        self._transport.publish(self._address.table(self._table, "hb"), wire.encode(beat))

    def _judge(self, now: int) -> None:
        """Whether the hub has been silent for too long."""
        if self._state == "ok" and now - self._heard > LOST_MS:
            self._state, self._lost_since = "lost", wall_ms()
            self._renew_at, self._renewals = now, 0
            self._changed()
        if self._state == "lost" and self._transport.connected and now >= self._renew_at:
            # A connection that a cut has killed does not know it, and its retries come ever later.
            self._renew_at = now + min(LONGEST_RENEWAL_MS, LOST_MS << self._renewals)
            self._renewals += 1
            self._transport.renew()

    def _heard_hub(self) -> None:
        now = boot_us() // 1000
        # The silence may be noticed by the first message that ends it: a frozen process does not judge.
        silent = self._silent()
        self._heard = now
        if self._state != "ok":
            self._state = "ok"
            self._changed()
        if silent:
            self.ask()

    def _silent(self) -> bool:
        """Has the hub not been heard for two heartbeats (whether that was noticed or not)?"""
        return self._state == "lost" or (self._state == "ok" and boot_us() // 1000 - self._heard > LOST_MS)

    def _refusal(self, why: str) -> None:
        """The hub says why it does not take what this table sends; "" when it does."""
        if why != self._why:
            self._why = why
            if why:
                log.warning("table %s: %s", self._table, why)
            self._changed()

    @property
    def _stale(self) -> bool:
        """Has the newest question not been answered yet?"""
        return self._answered < self._asked

    def _receive(self, subject: str, payload: bytes) -> None:
        leaf = subject.rsplit(".", 1)[-1]
        try:
            match leaf:
                case "hbr":
                    reply = wire.decode(payload, wire.HeartbeatReply)
                    self._heard_hub()
                    self._offset.answered(reply.mono, boot_us(), wall_ms(), reply.hub_in, reply.hub_out)
                    self._compare(reply.round, reply.rev, reply.inc)
                case "ack":
                    ack = wire.decode(payload, wire.Ack)
                    self._heard_hub()
                    self._refusal(ack.why)
                    self._window = ack.window
                    if ack.e > self._holding.epoch and not self._stale:
                        self.ask()  # this table begins anew: the hub has what it goes on with
                    if ack.e == self._holding.epoch and ack.s == self._holding.acked:
                        # Said before: the hub misses what comes next.
                        self._up.acked(boot_us() // 1000, ack.s, ack.window)
                        self._wake.set()
                    self._deliver(FromHub(ack))
                case "snap":
                    snapshot = wire.decode(payload, wire.Snapshot)
                    self._heard_hub()
                    if 0 < snapshot.n < self._asked:
                        self.ignored += 1
                        return
                    self._answered = self._asked
                    self._refusal("")
                    self._hubs = snapshot.hubs
                    if snapshot.hubs:
                        self._transport.know([place for place in snapshot.hubs if wire.PLACE.match(place)])
                    self._deliver(FromHub(snapshot))
                case "past":
                    self._deliver(FromHub(wire.decode(payload, wire.Past)))
                case "asg" | "ord" if self._stale or self._silent():
                    # It may have lain in a queue: what still holds comes with the snapshot.
                    self.ignored += 1
                    self._heard_hub()
                case "asg":
                    self._deliver(FromHub(wire.decode(payload, wire.AssignmentMsg)))
                case "ord":
                    self._deliver(FromHub(wire.decode(payload, wire.OrderMsg)))
        except wire.WireError as error:
            log.warning("message on %s set aside: %s", subject, error)

    def _receive_round(self, subject: str, payload: bytes) -> None:
        try:
            message = wire.decode(payload, wire.RoundMsg)
        except wire.WireError as error:
            log.warning("message on %s set aside: %s", subject, error)
            return
        self._heard_hub()
        self._compare(message.round, message.rev, message.inc)
        if message.hubs != self._hubs and not self._stale:
            self.ask()

    def _compare(self, round_: int, rev: int, incarnation: int) -> None:
        """Asks for a snapshot if the hub is further than this table, or is another run of itself."""
        h = self._holding
        behind = not h.epoch or (round_, rev) > (h.round, h.rev) or incarnation != h.incarnation
        if behind and not self._stale:
            self.ask()
