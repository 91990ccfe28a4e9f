"""What the hall needs of its transport, and nothing more.

No broker-side memory, no request and reply, no retained message: whatever must not be lost is in a store of its own and
is sent again until the other side's store has it. So any carrier will do that delivers most messages most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

#: Called in the event loop with (subject, payload); must not block and must not raise.
Handler = Callable[[str, bytes], None]


class Transport(Protocol):
    """Publish and subscribe over a connection that mends itself."""

    @property
    def connected(self) -> bool:
        """Whether the transport believes that it has a connection; a silent cut shows late: heartbeats tell sooner."""

    async def start(self) -> None:
        """Begin to connect, and return at once; connecting and reconnecting go on until `close`."""

    def publish(self, subject: str, payload: bytes) -> bool:
        """Hand a message over; never blocks or raises.

        False: dropped, because there is no connection or no room, or because it is larger than the carrier takes.
        """

    async def subscribe(self, pattern: str, handler: Handler) -> None:
        """Have `handler` called for each message that matches (`*` one token, `>` the rest), across reconnects."""

    def on_change(self, callback: Callable[[bool], None]) -> None:
        """Have `callback` called with the new `connected`, each time it changes."""

    def know(self, places: Sequence[str]) -> None:
        """Other places ("host:port") where the hall may be found; the newest word replaces the one before."""

    def renew(self) -> None:
        """Give up the connection that there seems to be and make a new one; no effect while there is none."""

    async def close(self) -> None:
        """End for good; safe to call twice."""
