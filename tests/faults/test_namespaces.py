"""N03 on a network of its own: hub and table in two namespaces joined by a cable, cut by the firewall or unplugged.

Needs root, `ip` and `nft`; skipped where one of them is missing.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.conftest import FAST
from tests.faults.hall import begin_round, check, drained
from tests.faults.keyed import KeyedHall
from tests.faults.puppet import Puppet, until
from tests.faults.test_links import write_while

pytestmark = pytest.mark.usefixtures("fast_beats")
CLONE_NEWNET = 0x4000_0000
HUB, TABLE = "10.77.0.1", "10.77.0.2"


def command(*words: str) -> None:
    """A command of the system; fails with what it says."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(words)}: {done.stderr.strip()}")


@dataclass
class Cable:
    """Two namespaces and what can be done to the cable between them."""

    hub: str
    table: str

    def rule(self, chain: str) -> None:
        """The hub's firewall drops all that comes ("in") or goes ("out"), and tells nobody."""
        match = {"in": "iifname", "out": "oifname"}[chain]  # not on the hub's loopback
        command("ip", "netns", "exec", self.hub, "nft", "add", "rule", "inet", "cut", chain, match, "v0", "drop")

    def heal(self) -> None:
        """No rules any more."""
        command("ip", "netns", "exec", self.hub, "nft", "flush", "table", "inet", "cut")

    def plug(self, state: str) -> None:
        """The table's end of the cable is pulled ("down") or put in ("up")."""
        command("ip", "-n", self.table, "link", "set", "v1", state)

    def readdress(self, address: str) -> None:
        """The table has another address from now on."""
        command("ip", "-n", self.table, "addr", "flush", "dev", "v1")
        command("ip", "-n", self.table, "addr", "add", f"{address}/24", "dev", "v1")


@pytest.fixture
def cable() -> Iterator[Cable]:
    """The network; this thread's sockets are at the table's end of it."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    for tool in ("ip", "nft"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    mine = f"hk{os.getpid()}"
    wire = Cable(f"{mine}h", f"{mine}t")
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        try:
            for name in (wire.hub, wire.table):
                command("ip", "netns", "add", name)
                command("ip", "-n", name, "link", "set", "lo", "up")
            command(
                "ip", "-n", wire.hub, "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", wire.table
            )
            for name, device, address in ((wire.hub, "v0", HUB), (wire.table, "v1", TABLE)):
                command("ip", "-n", name, "addr", "add", f"{address}/24", "dev", device)
                command("ip", "-n", name, "link", "set", device, "up")
            for words in ("add table inet cut", "add chain inet cut in { type filter hook input priority 0 ; }",
                          "add chain inet cut out { type filter hook output priority 0 ; }"):  # fmt: skip
                command("ip", "netns", "exec", wire.hub, "nft", *words.split())
        except OSError as error:
            pytest.skip(f"this kernel or container makes no namespaces: {error}")
        there = os.open(f"/run/netns/{wire.table}", os.O_RDONLY)
        entered = libc.setns(there, CLONE_NEWNET)
        os.close(there)
        if entered != 0:
            pytest.skip("this process may not enter a namespace")
        yield wire
    finally:
        libc.setns(home, CLONE_NEWNET)
        os.close(home)
        for name in (wire.hub, wire.table):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


async def cut_for(
    folder: Path, cable: Cable, cut: Callable[[], None], heal: Callable[[], None], seconds: float
) -> None:
    """A table plays on through a cut; the hub has everything within 5 s of its end."""
    hall = KeyedHall(folder, 4, f'host = "{HUB}"\n')
    hall.faults = {"set": FAST}
    hall.host, hall.prefix = HUB, ("ip", "netns", "exec", cable.hub)
    hall.grant("table", "1", "2")
    puppets: list[Puppet] = []
    try:
        await hall.start()
        puppets += [hall.puppet(n) for n in (1, 2)]
        await asyncio.gather(*(puppet.start() for puppet in puppets))
        await drained(puppets)
        async with hall.desk() as desk:
            await begin_round(desk, puppets)
            cut()
            written = await write_while(puppets[0], seconds)
            assert puppets[0].link.view.state == "lost", "the screen says so after two missed heartbeats"
            assert puppets[0].link.view.waiting >= written - 1
            heal()
            await drained(puppets, 5)
            await until(lambda: puppets[0].link.view.state == "ok", 5)
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            check(hall, results=2)
    finally:
        await asyncio.gather(*(puppet.stop() for puppet in puppets))
        await hall.stop()


@pytest.mark.parametrize("chain", ["in", "out"])
def test_n03_the_firewall_drops_everything_in_one_direction(folder: Path, cable: Cable, chain: str) -> None:
    asyncio.run(cut_for(folder, cable, lambda: cable.rule(chain), cable.heal, 2.5))


def test_n03_the_cable_is_pulled_and_the_table_has_another_address_afterwards(folder: Path, cable: Cable) -> None:
    def heal() -> None:
        cable.readdress("10.77.0.9")
        cable.plug("up")

    asyncio.run(cut_for(folder, cable, lambda: cable.plug("down"), heal, 2.5))


@pytest.mark.soak
@pytest.mark.parametrize("chain", ["in", "out"])
def test_n03_ten_seconds_of_silence(folder: Path, cable: Cable, chain: str) -> None:
    asyncio.run(cut_for(folder, cable, lambda: cable.rule(chain), cable.heal, 10.0))
