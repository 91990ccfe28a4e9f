"""The hub's half of the synchronisation, for one table: which of its events are new, and which may have effects. Pure.

Events take effect in the order of their seq, without gaps, each once. One that comes before its predecessors is kept
(the caller stores it) but neither acknowledged nor effective until the gap is filled. A message whose `prev` does not
fit is kept and takes effect like any other, because a game must go on; it is flagged, and the arbiter is told once an
epoch.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hallnet.chain import chain_hash
from hallnet.wire import EventMsg

Verdict = Literal["new", "duplicate", "gap", "old-epoch", "unknown-epoch", "broken-chain", "conflict"]

#: Hashes of this many taken events are remembered, to tell a repetition from another event with the same number.
REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of one message.

    `verdict`: "new", "broken-chain" (both: store it), "gap" (store it, no effect yet), "duplicate" (nothing to do but
    to acknowledge again), "conflict" (its number is taken by another event), "old-epoch", "unknown-epoch". `ready`: the
    messages that are contiguous now and take effect, in order. `broken`: those of `ready` whose `prev` does not fit.
    `tell`: the first break of this epoch: tell the arbiter.
    """

    verdict: Verdict
    ready: tuple[EventMsg, ...] = ()
    broken: tuple[EventMsg, ...] = ()
    tell: bool = False


class Inbox:
    """What the hub has of one table: everything up to `last` of `epoch`, and `held` events beyond a gap.

    `next_prev` is the chain hash that the event `last` + 1 must carry. `HallLog.inbox` makes one from the log; an inbox
    that was made without the events held there would let them lie without effect.
    """

    def __init__(self, epoch: int, last: int, next_prev: str, held: Iterable[EventMsg] = ()) -> None:
        self.epoch = epoch
        self.last = last
        self.next_prev = next_prev
        self._held = {msg.s: msg for msg in held}
        self._hashes: OrderedDict[int, str] = OrderedDict()
        self._told = False
        if last:
            self._hashes[last] = next_prev

    @property
    def held(self) -> int:
        """How many events wait behind a gap."""
        return len(self._held)

    def take(self, msg: EventMsg) -> Taken:
        """Judge one message, and take it if it belongs here."""
        if msg.e != self.epoch:
            return Taken("old-epoch" if msg.e < self.epoch else "unknown-epoch")
        if msg.s < 1:
            return Taken("conflict")
        known = self._known(msg.s)
        if msg.s <= self.last or known is not None:
            return Taken("conflict" if known is not None and known != chain_hash(msg) else "duplicate")
        self._held[msg.s] = msg
        if msg.s > self.last + 1:
            return Taken("gap")
        return self._release(msg)

    def ack(self) -> tuple[int, int]:
        """(epoch, seq): everything up to there is here; say so only after the commit."""
        return self.epoch, self.last

    def _known(self, seq: int) -> str | None:
        held = self._held.get(seq)
        return chain_hash(held) if held is not None else self._hashes.get(seq)

    def _release(self, first: EventMsg) -> Taken:
        ready: list[EventMsg] = []
        broken: list[EventMsg] = []
        while (msg := self._held.pop(self.last + 1, None)) is not None:
            if msg.prev != self.next_prev:
                broken.append(msg)
            ready.append(msg)
            self.last = msg.s
            self.next_prev = self._hashes[msg.s] = chain_hash(msg)
            if len(self._hashes) > REMEMBERED:
                self._hashes.popitem(last=False)
        tell = bool(broken) and not self._told
        self._told = self._told or tell
        return Taken("broken-chain" if first in broken else "new", tuple(ready), tuple(broken), tell)
