"""A device comes into a hall: it shows a code, a person compares, and from then on it has a key and the hall's CA."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path

from hallnet.clock import serial
from hallnet.enrol import EVERYBODY, DeviceSide, Hello, Offer, Reveal, Revealed, Verdict, device_token
from hallnet.keys import Credentials, Key, KeyFault, write_new
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address, WireError, decode, encode

AGAIN_S = 0.5
#: A hub that has an enrolment open answers every word of a device; silence for so long means that it has none (s).
SILENT_S = 4.0


async def enrol(
    servers: tuple[str, ...],
    address: Address,
    folder: Path,
    show: Callable[[str], None],
    ca: Path | None = None,
    timeout_s: float = 600.0,
) -> Verdict:
    """Get this device's key accepted; `show` is called with the code, with "" when that code counts no longer.

    Raises `KeyFault` or `TimeoutError`.

    The key is `device.key` in `folder`, made at the first try; the hall's CA is written beside it as `ca.pem` once a
    person has accepted. Without `ca` any server is talked to: the code tells whether it is the right one.
    """
    key = Key.load_or_make(folder / "device.key")
    loop = asyncio.get_running_loop()
    talk = _Talk(key, show, _text(ca) if ca is not None else "")

    def heard(_subject: str, payload: bytes) -> None:
        talk.heard_at = loop.time()
        try:
            talk.take(payload)
        except WireError:
            return
        except KeyFault as error:
            if not talk.verdict.done():
                talk.verdict.set_exception(error)

    transport = NatsTransport(servers, "enrolment", Credentials(EVERYBODY, ca, trust_any=ca is None))
    token = device_token(key.public)
    await transport.subscribe(f"{address.root}.enrol.{token}.down", heard)
    await transport.start()
    try:
        async with asyncio.timeout(timeout_s):
            while not talk.verdict.done():
                if loop.time() - talk.heard_at > SILENT_S:
                    talk.begin_again()
                    talk.heard_at = loop.time()
                transport.publish(f"{address.root}.enrol.{token}.up", encode(talk.word))
                await asyncio.wait((talk.verdict,), timeout=AGAIN_S)
        answer = talk.verdict.result()
    finally:
        await transport.close()
    if answer.ok:
        write_new(folder / "ca.pem", talk.ca.encode("ascii"), 0o644)
    return answer


class _Talk:
    """The device's side of the talk, and what to say next.

    A hub that does not answer a number any more has closed that enrolment, and knows nothing of it when it opens
    another: the device begins again, and its old code is shown no longer.
    """

    def __init__(self, key: Key, show: Callable[[str], None], known_ca: str) -> None:
        self._key, self._show, self._known_ca = key, show, known_ca
        self.verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.heard_at = asyncio.get_running_loop().time()
        #: The certificate that belongs to the newest code that was shown.
        self.ca = ""
        self._side = DeviceSide(key, serial(), known_ca=known_ca)
        self.word: Hello | Reveal = self._side.hello()

    def begin_again(self) -> None:
        """Another enrolment, if this one had begun."""
        if isinstance(self.word, Reveal):
            if self._side.code:
                self._show("")
            self._side = DeviceSide(self._key, serial(), known_ca=self._known_ca)
            self.word = self._side.hello()

    def take(self, payload: bytes) -> None:
        """What the hub said. Raises `WireError` and `KeyFault`."""
        if b'"commit"' in payload:
            reveal = self._side.offered(decode(payload, Offer))
            if reveal is not None and isinstance(self.word, Hello):
                self.word = reveal
        elif b'"nonce"' in payload:
            before = self._side.code
            self._side.revealed(decode(payload, Revealed))
            if self._side.code and self._side.code != before:
                self.ca = self._side.ca
                self._show(self._side.code)
        elif not self.verdict.done() and self.ca:
            # Before there was a code nobody can have accepted this device.
            self.verdict.set_result(decode(payload, Verdict))


def _text(path: Path) -> str:
    return path.read_text(encoding="ascii")


async def prove(servers: tuple[str, ...], folder: Path, timeout_s: float = 10.0) -> None:
    """Connect with the new key and the CA: only that shows that it works. Raises `KeyFault` with why it does not."""
    transport = NatsTransport(servers, "proof", Credentials.load(folder / "device.key", folder / "ca.pem"))
    connected = asyncio.Event()
    transport.on_change(lambda up: connected.set() if up else None)
    await transport.start()
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await connected.wait()
        if not connected.is_set():
            raise KeyFault(transport.refused or _("the hub does not answer: look whether it runs, then try again"))
    finally:
        await transport.close()
