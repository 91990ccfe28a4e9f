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


async def enrol(
    servers: tuple[str, ...],
    address: Address,
    folder: Path,
    show: Callable[[str], None],
    ca: Path | None = None,
    timeout_s: float = 600.0,
) -> Verdict:
    """Get this device's key accepted; `show` is called with the code. Raises `KeyFault` or `TimeoutError`.

    The key is `device.key` in `folder`, made at the first try; the hall's CA is written beside it as `ca.pem` once a
    person has accepted. Without `ca` any server is talked to: the code tells whether it is the right one.
    """
    key = Key.load_or_make(folder / "device.key")
    side = DeviceSide(key, serial(), known_ca=_text(ca) if ca is not None else "")
    verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
    say: list[Hello | Reveal] = [side.hello()]

    def heard(_subject: str, payload: bytes) -> None:
        try:
            _take(payload, side, say, verdict, show)
        except WireError:
            return
        except KeyFault as error:
            if not verdict.done():
                verdict.set_exception(error)

    transport = NatsTransport(servers, "enrolment", Credentials(EVERYBODY, ca, trust_any=ca is None))
    token = device_token(key.public)
    await transport.subscribe(f"{address.root}.enrol.{token}.down", heard)
    await transport.start()
    try:
        async with asyncio.timeout(timeout_s):
            while not verdict.done():
                transport.publish(f"{address.root}.enrol.{token}.up", encode(say[-1]))
                await asyncio.wait((verdict,), timeout=AGAIN_S)
        answer = verdict.result()
    finally:
        await transport.close()
    if answer.ok:
        write_new(folder / "ca.pem", side.ca.encode("ascii"), 0o644)
    return answer


def _text(path: Path) -> str:
    return path.read_text(encoding="ascii")


def _take(
    payload: bytes,
    side: DeviceSide,
    say: list[Hello | Reveal],
    verdict: asyncio.Future[Verdict],
    show: Callable[[str], None],
) -> None:
    if b'"commit"' in payload:
        reveal = side.offered(decode(payload, Offer))
        if reveal is not None and len(say) == 1:
            say.append(reveal)
    elif b'"nonce"' in payload:
        before = side.code
        side.revealed(decode(payload, Revealed))
        if side.code and side.code != before:
            show(side.code)
    elif not verdict.done():
        answer = decode(payload, Verdict)
        # Before there is a code nobody can have accepted this device; turned away it may be at any time.
        if side.code or not answer.ok:
            verdict.set_result(answer)


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
