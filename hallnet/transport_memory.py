"""A transport within one process, with faults to order: the same protocol in fast tests."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hallnet.transport import Handler

log = logging.getLogger(__name__)


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject fits a pattern: `*` stands for one token, `>` at the end for one or more."""
    wanted, found = pattern.split("."), subject.split(".")
    for index, token in enumerate(wanted):
        if token == ">":
            return len(found) > index
        if index >= len(found) or token not in ("*", found[index]):
            return False
    return len(wanted) == len(found)


@dataclass(frozen=True, slots=True)
class Faults:
    """What happens to messages from and to one client: probabilities, and silent cuts in either direction.

    `up_cut` loses everything it publishes although publishing succeeds, `down_cut` everything sent to it; `reorder`
    holds a message back by up to `delay_s` so that later ones overtake it.
    """

    drop: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    delay_s: float = 0.02
    up_cut: bool = False
    down_cut: bool = False


class MemoryBroker:
    """The middle of the memory transport. `sent` counts published messages by subject's last token."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._clients: set[MemoryTransport] = set()
        self._faults: dict[str, Faults] = {}
        self.alive = True
        self.sent: Counter[str] = Counter()

    def faults(self, name: str, faults: Faults | None = None) -> None:
        """Set the faults of the client `name`; None heals it."""
        self._faults[name] = faults or Faults()

    def kill(self) -> None:
        """The broker dies: everybody is disconnected, messages under way are lost."""
        self.alive = False
        for client in tuple(self._clients):
            client.link(False)

    def revive(self) -> None:
        """The broker is back: everybody reconnects."""
        self.alive = True
        for client in tuple(self._clients):
            client.link(True)

    def drop_client(self, name: str) -> None:
        """The client `name` loses its connection and sees that."""
        for client in tuple(self._clients):
            if client.name == name:
                client.link(False)

    def restore_client(self, name: str) -> None:
        """The client `name` gets its connection back."""
        for client in tuple(self._clients):
            if client.name == name:
                client.link(self.alive)

    def attach(self, client: MemoryTransport) -> None:
        """A client started."""
        self._clients.add(client)
        client.link(self.alive)

    def detach(self, client: MemoryTransport) -> None:
        """A client closed."""
        self._clients.discard(client)
        client.link(False)

    def route(self, sender: str, subject: str, payload: bytes) -> None:
        """Deliver a message to all that subscribed, subject to both ends' faults."""
        self.sent[subject.rsplit(".", 1)[-1]] += 1
        up = self._faults.get(sender, Faults())
        if up.up_cut:
            return
        for client in tuple(self._clients):
            down = self._faults.get(client.name, Faults())
            if not down.down_cut:
                for delay in self._fates(up) if client.name == sender else self._fates(up, down):
                    client.schedule(delay, subject, payload)

    def _fates(self, *faults: Faults) -> list[float]:
        """Delays of the copies of one message that arrive (none: it was lost)."""
        copies = 1
        for fault in faults:
            if self._random.random() < fault.drop:
                return []
            copies += self._random.random() < fault.duplicate
        delays: list[float] = []
        for _copy in range(copies):
            late = [f.delay_s for f in faults if self._random.random() < f.reorder]
            delays.append(self._random.uniform(0, max(late)) if late else 0.0)
        return delays


class MemoryTransport:
    """A client of a `MemoryBroker`; see `hallnet.transport.Transport`."""

    def __init__(self, broker: MemoryBroker, name: str) -> None:
        self.name = name
        self.connected = False
        self._broker = broker
        self._subscriptions: list[tuple[str, Handler]] = []
        self._callbacks: list[Callable[[bool], None]] = []
        self._generation = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Connect to the broker (in the loop's next turn, as a socket would)."""
        self._loop = asyncio.get_running_loop()
        self._loop.call_soon(self._broker.attach, self)

    def publish(self, subject: str, payload: bytes) -> bool:
        """Hand a message to the broker; False when not connected."""
        if not self.connected:
            return False
        self._broker.route(self.name, subject, payload)
        return True

    async def subscribe(self, pattern: str, handler: Handler) -> None:
        """Have `handler` called for each message that matches."""
        self._subscriptions.append((pattern, handler))

    def on_change(self, callback: Callable[[bool], None]) -> None:
        """Have `callback` called when the connection comes and goes."""
        self._callbacks.append(callback)

    def know(self, places: Sequence[str]) -> None:
        """There is only one place in memory."""

    def renew(self) -> None:
        """A connection in memory is never dead without knowing it: nothing is to be done."""

    async def close(self) -> None:
        """Leave the broker."""
        self._broker.detach(self)
        self._subscriptions.clear()

    def link(self, connected: bool) -> None:
        """The broker says whether there is a connection; messages under way do not outlive one."""
        if connected != self.connected:
            self.connected = connected
            self._generation += 1
            for callback in self._callbacks:
                callback(connected)

    def schedule(self, delay_s: float, subject: str, payload: bytes) -> None:
        """Deliver in a later turn of the loop."""
        loop = self._loop
        if (
            loop is None
            or not self.connected
            or not any(matches(pattern, subject) for pattern, _handler in self._subscriptions)
        ):
            return
        if delay_s:
            loop.call_later(delay_s, self._deliver, self._generation, subject, payload)
        else:
            loop.call_soon(self._deliver, self._generation, subject, payload)

    def _deliver(self, generation: int, subject: str, payload: bytes) -> None:
        if generation != self._generation:
            return
        for pattern, handler in tuple(self._subscriptions):
            if matches(pattern, subject):
                try:
                    handler(subject, payload)
                except Exception:
                    log.exception("a handler failed on %s", subject)
