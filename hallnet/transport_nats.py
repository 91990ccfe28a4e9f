"""The hall's transport over NATS core, on nats-py.

nats-py's own reconnecting is switched off: it may give up (after a failed handshake, for one), and it keeps what was
published meanwhile to send it later, when it is stale. Here every connection is a new client, made after a random pause
so that a thousand tables do not come back in the same instant.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from gettext import gettext as _
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import NoServersError
from nats.errors import TimeoutError as NatsTimeout

from hallnet.keys import SERVER_NAME, Credentials
from hallnet.retry import PAUSE_S, Pauses
from hallnet.transport import Handler

log = logging.getLogger(__name__)


def _worth_saying(record: logging.LogRecord) -> bool:
    """asyncio remarks on a habit of the library, once for each connection that ends; it means nothing."""
    return not str(record.msg).startswith("returning true from eof_received()")


logging.getLogger("asyncio").addFilter(_worth_saying)

CONNECT_S = 2
_NO_WAY = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.ETIMEDOUT, errno.EHOSTDOWN})
PING_S = 5
MISSED_PINGS = 2
#: Messages and bytes that may wait for the socket; what comes on top is refused at once.
MOST_WAITING = 16_384
MOST_BYTES = 8_000_000
#: The same for messages that wait for a handler.
MOST_UNREAD = 8_192
MOST_UNREAD_BYTES = 8_000_000


class NatsTransport:
    """A self-mending connection to one of `servers` ("nats://host:port"); see `hallnet.transport.Transport`.

    `name` labels the connection in the server's log. `credentials`: the key and the CA of a hall with keys. `refused`
    is a sentence while the server, or this side, does not let the two speak, `trouble` one while there is no connection
    and it is known why; both "" otherwise. `seed` makes the pauses
    between two tries repeatable.
    """

    def __init__(
        self, servers: Sequence[str], name: str, credentials: Credentials | None = None, seed: int | None = None
    ) -> None:
        self.connected = False
        self.connections = 0
        self.refused = self.trouble = ""
        self._credentials = credentials
        self._servers = list(servers)
        self._name = name
        self._subscriptions: list[tuple[str, Handler]] = []
        self._callbacks: list[Callable[[bool], None]] = []
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._waiting_bytes = 0
        self._wake = asyncio.Event()
        self._drained = asyncio.Event()
        self._last_error = ""
        self._context: ssl.SSLContext | None = None
        self._lost: asyncio.Event | None = None
        self._pauses = Pauses(seed)
        self._known = 0

    def know(self, places: Sequence[str]) -> None:
        """Servers ("host:port") that were heard of, tried beside those it was made with; the newest word counts."""
        own = self._servers[: len(self._servers) - self._known]
        new = [url for url in (f"nats://{place}" for place in places) if url not in own]
        self._servers, self._known = [*own, *new], len(new)

    async def start(self) -> None:
        """Begin to connect; returns at once."""
        if self._task is None:
            self._task = asyncio.create_task(self._supervise(), name=f"nats {self._name}")

    def publish(self, subject: str, payload: bytes) -> bool:
        """Queue a message for the socket; False when there is no connection, the queue is full or it is too large.

        The server would cut off who sends what is too large, and it would be so again after every reconnect.
        """
        client = self._client
        if client is not None and len(payload) > client.max_payload:
            log.error("%s: a message of %d bytes on %s is too large to be sent", self._name, len(payload), subject)
            return False
        if not self.connected or len(self._waiting) >= MOST_WAITING or self._waiting_bytes >= MOST_BYTES:
            return False
        self._waiting.append((subject, payload))
        self._waiting_bytes += len(payload)
        self._wake.set()
        return True

    async def subscribe(self, pattern: str, handler: Handler) -> None:
        """Have `handler` called for each message that matches, now and after every reconnect."""
        self._subscriptions.append((pattern, handler))
        client = self._client
        if client is not None and self.connected:
            with contextlib.suppress(NatsError, OSError, TimeoutError):
                await self._listen(client, pattern, handler)
                await client.flush(CONNECT_S)

    def on_change(self, callback: Callable[[bool], None]) -> None:
        """Have `callback` called when the connection comes and goes."""
        self._callbacks.append(callback)

    def renew(self) -> None:
        """Drop the present connection, which may be dead without knowing it; a new one is made."""
        if self._lost is not None:
            self._lost.set()

    async def close(self) -> None:
        """Send what waits (half a second at most) and end."""
        task, self._task = self._task, None
        if task is None:
            return
        client = self._client
        if client is not None and self.connected:
            with contextlib.suppress(NatsError, OSError, TimeoutError):
                async with asyncio.timeout(0.5):
                    await self._emptied(client)
        # A wait in the library can swallow a cancellation that comes in the moment of its own end: say it again.
        while not task.done():
            task.cancel()
            await asyncio.wait((task,), timeout=0.5)

    async def _emptied(self, client: Client) -> None:
        if self._waiting:
            self._drained.clear()
            await self._drained.wait()
        await client.flush(1)

    async def _supervise(self) -> None:
        while True:
            client = Client() if self._credentials is None else _KeyedClient(self._credentials)
            lost = self._lost = asyncio.Event()
            try:
                if await self._connect(client, lost):
                    await self._serve(client, lost)
            except asyncio.CancelledError:
                raise
            except Exception:  # whatever the library does, the hall tries again
                log.exception("the connection %s failed", self._name)
            finally:
                self._set_connected(False)
                self._client = None
                await _discard(client)
            await asyncio.sleep(self._pauses.next(PAUSE_S))

    async def _connect(self, client: Client, lost: asyncio.Event) -> bool:
        async def on_lost() -> None:
            lost.set()

        async def on_error(error: Exception) -> None:
            self._report(error)

        try:
            async with asyncio.timeout(CONNECT_S * 2):
                await client.connect(
                    servers=list(self._servers),
                    name=self._name,
                    error_cb=on_error,
                    disconnected_cb=on_lost,
                    closed_cb=on_lost,
                    allow_reconnect=False,
                    connect_timeout=CONNECT_S,
                    # Its own pause would be the same for all tables: the jitter is in `_supervise`.
                    max_reconnect_attempts=1,
                    reconnect_time_wait=0,
                    ping_interval=PING_S,
                    max_outstanding_pings=MISSED_PINGS,
                    pending_size=65_536,
                    **self._secured(),
                )
                for pattern, handler in tuple(self._subscriptions):
                    await self._listen(client, pattern, handler)
                # Only when the server has answered are the subscriptions surely in force: what is asked for after
                # "connected" will be heard.
                await client.flush(CONNECT_S)
        except (NatsError, OSError, TimeoutError) as error:
            self._report(error)
            return False
        return not lost.is_set()

    def _secured(self) -> dict[str, Any]:
        """What `connect` is told in a hall with keys."""
        if self._credentials is None:
            return {}
        return {
            "tls": self._tls(self._credentials),
            "tls_hostname": SERVER_NAME,
            "tls_handshake_first": True,
            "nkeys_seed_str": "kept by the key",  # asks for `_setup_nkeys_connect`
        }

    def _tls(self, credentials: Credentials) -> ssl.SSLContext:
        if self._context is None:
            self._context = credentials.tls()
        return self._context

    def _note_trouble(self, error: BaseException) -> None:
        if isinstance(error, ConnectionRefusedError):
            self.trouble = _("the hub's machine is there, but no hub runs on it")
        elif isinstance(error, socket.gaierror):
            self.trouble = _("the name of the hub is not known on this network")
        elif isinstance(error, TimeoutError | NatsTimeout) or getattr(error, "errno", 0) in _NO_WAY:
            self.trouble = _("the network does not reach the hub: look at cable and switch")

    def _note_refusal(self, error: BaseException, text: str) -> None:
        if isinstance(error, ssl.SSLCertVerificationError):
            self.refused = _("not this hall's hub: its certificate is not by the CA that was given at enrolment")
        elif "authorization" in text or "authentication" in text:
            self.refused = _("not authorised: this device's key is not known to the hub, enrol it")
        elif "permissions violation" in text:
            self.refused = _("not authorised: the hub does not let this device say or hear that")

    async def _serve(self, client: Client, lost: asyncio.Event) -> None:
        self._client = client
        self._last_error = self.refused = self.trouble = ""
        self._pauses.connected()
        self.connections += 1
        self._set_connected(True)
        log.info("%s is connected to %s", self._name, client.connected_url.netloc if client.connected_url else "?")
        writer = asyncio.create_task(self._write(client))
        gone = asyncio.create_task(lost.wait())
        try:
            await asyncio.wait((writer, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writer, gone):
                task.cancel()
            for result in await asyncio.gather(writer, gone, return_exceptions=True):
                if isinstance(result, Exception):
                    self._report(result)

    async def _write(self, client: Client) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                subject, payload = self._waiting.popleft()
                self._waiting_bytes -= len(payload)
                await client.publish(subject, payload)
            self._drained.set()

    async def _listen(self, client: Client, pattern: str, handler: Handler) -> None:
        async def heard(message: Msg) -> None:
            # The reply subject is not looked at: an answer's subject comes from who speaks, never from what he says.
            try:
                handler(message.subject, message.data)
            except Exception:
                log.exception("a handler failed on %s", message.subject)

        await client.subscribe(pattern, cb=heard, pending_msgs_limit=MOST_UNREAD, pending_bytes_limit=MOST_UNREAD_BYTES)

    def _set_connected(self, connected: bool) -> None:
        if connected == self.connected:
            return
        self.connected = connected
        if not connected:
            self._waiting.clear()
            self._waiting_bytes = 0
        for callback in self._callbacks:
            try:
                callback(connected)
            except Exception:
                log.exception("%s: a change of the connection was not taken in", self._name)

    def _report(self, error: BaseException) -> None:
        """Log an error once, not at every try; that no server is left to try was said by the one before."""
        if isinstance(error, NoServersError):
            return
        text = f"{type(error).__name__}: {error}"
        self._note_refusal(error, text.lower())
        self._note_trouble(error)
        if text != self._last_error:
            self._last_error = text
            log.warning("%s: %s", self._name, text)


async def connected_client(url: str, name: str, credentials: Credentials | None) -> Client:
    """A bare client of the library, for what needs more than a `Transport`. Raises what the library raises."""
    client = Client() if credentials is None else _KeyedClient(credentials)
    transport = NatsTransport([url], name, credentials)
    await client.connect(
        servers=[url], name=name, allow_reconnect=False, connect_timeout=CONNECT_S, **transport._secured()
    )
    return client


class _KeyedClient(Client):
    """Answers the server's challenge with a key of ours; the library's own way needs a package that is not a wheel."""

    def __init__(self, credentials: Credentials) -> None:
        super().__init__()
        self._credentials = credentials

    def _setup_nkeys_connect(self) -> None:
        self._public_nkey = self._credentials.key.public
        self._signature_cb = self._credentials.key.sign


async def _discard(client: Client) -> None:
    """Close a client whatever state it is in."""
    try:
        async with asyncio.timeout(1):
            await client.close()
    except Exception:  # nothing that is wrong with an old connection may keep a new one from being made
        log.debug("closing a connection", exc_info=True)
