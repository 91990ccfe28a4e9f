"""A device comes in by the commands a person would type, and plays."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from hallnet.keys import Credentials
from hallnet.transport_nats import NatsTransport
from tests.faults.hall import ADDRESS, ROOT, check, drained
from tests.faults.keyed import keyed_hall
from tests.faults.puppet import Puppet, until

pytestmark = pytest.mark.usefixtures("fast_beats")
PIPE = asyncio.subprocess.PIPE


async def kiosk(*arguments: str) -> asyncio.subprocess.Process:
    """The command, with pipes."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "kiosk", *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=asyncio.subprocess.STDOUT
    )


async def said(process: asyncio.subprocess.Process, pattern: str) -> re.Match[str]:
    """What the process says, up to a line or prompt that fits."""
    assert process.stdout is not None
    text = ""
    async with asyncio.timeout(30):
        while not (found := re.search(pattern, text)):
            data = await process.stdout.read(1_000)
            assert data, f"ended after: {text}"
            text += data.decode()
    return found


def test_a_device_is_enrolled_by_its_code_and_a_second_one_replaces_it(folder: Path) -> None:
    async def story() -> None:
        async with keyed_hall(folder, 1, more="tables = 2\n") as (hall, puppets):
            config = str(folder / "hub.toml")

            async def come_in(name: str, *more: str) -> Path:
                data = folder / name
                hub = await kiosk("enrol", "open", "table", "2", "--config", config, *more)
                await said(hub, "code on the device")
                device = await kiosk(
                    "enrol", "device", "--hub", f"127.0.0.1:{hall.port}", "--event", "faults", "--data", str(data)
                )
                code = (await said(device, r"Code: ([A-Z2-9]{6})"))[1]
                assert hub.stdin is not None
                hub.stdin.write(b"AAAAAA\n")
                await said(hub, "No device shows this code")
                hub.stdin.write(code.encode() + b"\n")
                await said(hub, "table 2 is in")
                await said(device, 'table = "2"')
                assert await hub.wait() == 0
                assert await device.wait() == 0
                return data

            data = await come_in("first")
            credentials = Credentials.load(data / "device.key", data / "ca.pem")
            place = f"nats://127.0.0.1:{hall.port}"
            first = Puppet("2", folder, NatsTransport([place], "table 2", credentials), ADDRESS)
            puppets.append(first)
            await first.start()
            await drained(puppets)
            assert first.outbox.epoch == 1
            await come_in("second", "--replace")
            await until(lambda: not first.transport.connected and bool(first.link.view.why), 10, "the first is out")
            revoked = await kiosk("enrol", "revoke", "table", "2", "--config", config)
            assert await revoked.wait() == 0
            listing = await kiosk("enrol", "keys", "--config", config)
            assert listing.stdout is not None
            text = (await listing.stdout.read()).decode()
            assert "table    1" in text
            assert "table    2" not in text
            check(hall)

    asyncio.run(story())


def test_a_device_that_saw_an_enrolment_for_another_begins_again_with_the_next(folder: Path) -> None:
    async def story() -> None:
        async with keyed_hall(folder, 1, more="tables = 2\n") as (hall, _puppets):
            config = str(folder / "hub.toml")
            device = await kiosk(
                "enrol", "device", "--hub", f"127.0.0.1:{hall.port}", "--event", "faults", "--data", str(folder / "d")
            )
            codes = []
            for answer in (b"\n", None):
                hub = await kiosk("enrol", "open", "table", "2", "--config", config)
                codes.append((await said(device, r"Code: ([A-Z2-9]{6})"))[1])
                assert hub.stdin is not None
                hub.stdin.write(answer or codes[-1].encode() + b"\n")
                await hub.wait()
                await said(device, "counts no longer" if answer else 'table = "2"')
            assert codes[0] != codes[1]
            assert await device.wait() == 0

    asyncio.run(story())
