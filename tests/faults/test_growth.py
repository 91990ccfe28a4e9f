"""Two halls and a site of three servers on one machine: only configuration files differ from one hall alone."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from nats.aio.client import Client

from hallnet.nats_server import find_server, free_port
from hallnet.site import STREAM, make_stream
from tests.faults.hall import Hall, begin_round, check, drained, query
from tests.faults.keyed import KeyedHall
from tests.faults.puppet import Puppet, until

CENTRAL = """
server_name: central{n}
listen: 127.0.0.1:{client}
jetstream {{ store_dir: {store}, max_memory_store: 64MB, max_file_store: 256MB, sync_interval: always }}
cluster {{ name: site, listen: 127.0.0.1:{cluster}, routes: {routes} }}
leafnodes {{ listen: 127.0.0.1:{leaf} }}
"""


class Site:
    """Three servers that keep three copies of everything."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clients, self.clusters, self.leaves = ([free_port() for _n in range(3)] for _kind in range(3))
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def urls(self) -> list[str]:
        """Where clients of the site connect."""
        return [f"nats://127.0.0.1:{port}" for port in self.clients]

    def start(self) -> None:
        """Starts all three on what they have stored."""
        routes = json.dumps([f"nats://127.0.0.1:{port}" for port in self.clusters])
        self.processes = []
        for n in range(3):
            place = self.folder / f"central{n}"
            place.mkdir(parents=True, exist_ok=True)
            text = CENTRAL.format(
                n=n, client=self.clients[n], cluster=self.clusters[n], leaf=self.leaves[n], routes=routes,
                store=json.dumps(str(place)),
            )  # fmt: skip
            (place / "nats.conf").write_text(text, encoding="utf-8")
            with (place / "log").open("ab") as output:
                self.processes.append(
                    subprocess.Popen([find_server(), "-c", place / "nats.conf"], stdout=output, stderr=output)
                )

    def kill(self) -> None:
        """kill -9 of all three."""
        for process in self.processes:
            process.send_signal(signal.SIGKILL)
            process.wait()

    async def stored(self) -> int:
        """How many messages the site's stream has; -1 while it does not say."""
        client = Client()
        try:
            await client.connect(servers=self.urls, allow_reconnect=False, connect_timeout=1)
            return int((await client.jetstream(timeout=1).stream_info(STREAM)).state.messages)
        except Exception:  # noqa: BLE001 - it is away, or electing its leader
            return -1
        finally:
            with contextlib.suppress(Exception):
                await client.close()

    async def until_stored(self, halls: Sequence[Hall], seconds: float = 30) -> float:
        """Until the site has as many as the halls, which may still be confirming orders; how long that took."""
        loop = asyncio.get_running_loop()
        begun, found, count = loop.time(), -1, 0
        while loop.time() - begun < seconds:
            found, count = await self.stored(), sum(map(happened, halls))
            if found == count:
                return loop.time() - begun
            await asyncio.sleep(0.2)
        raise AssertionError(f"the site has {found}, not {count}")


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    """The three servers, running."""
    three = Site(folder / "site")
    three.start()
    yield three
    three.kill()


def happened(hall: Hall) -> int:
    """The tournament events of a hall."""
    return int(query(hall.folder / "hall.db", "SELECT count(*) FROM tournament_events")[0][0])


def test_two_halls_feed_a_site_that_is_killed_and_nothing_is_missing(folder: Path, site: Site) -> None:
    async def story() -> None:
        async with asyncio.timeout(20):
            while True:
                try:
                    await make_stream(site.urls)
                    break
                except Exception:  # noqa: BLE001 - the cluster is electing its leader
                    await asyncio.sleep(0.3)
        leaves = json.dumps([f"nats-leaf://127.0.0.1:{port}" for port in site.leaves])
        halls: list[Hall] = []
        puppets: dict[str, list[Puppet]] = {}
        try:
            for name in ("a", "b"):
                # One hall with keys and one without: to the site they are the same.
                kind = KeyedHall if name == "b" else Hall
                hall = kind(folder / name, 4, f"site = {leaves}\n")
                if isinstance(hall, KeyedHall):
                    hall.grant("table", "1", "2")
                halls.append(hall)
                await hall.start()
                puppets[name] = [hall.puppet(n) for n in (1, 2)]
                for puppet in puppets[name]:
                    await puppet.start()
                await drained(puppets[name])
                async with hall.desk("desk1") as desk:
                    await begin_round(desk, puppets[name])
            await site.until_stored(halls)
            site.kill()
            for hall, own in zip(halls, puppets.values(), strict=True):
                for puppet in own:
                    puppet.shuffle(2)
                    puppet.finish()
                await drained(own)
                async with hall.desk("desk1") as desk:
                    await until(lambda desk=desk: desk.hall.head.done == 2, what="halls work alone")  # type: ignore[misc]
            site.start()
            took = await site.until_stored(halls)
            assert took < 30
            for hall in halls:
                check(hall, results=2)
        finally:
            for own in puppets.values():
                for puppet in own:
                    await puppet.stop()
            for hall in halls:
                await hall.stop()

    asyncio.run(story())
