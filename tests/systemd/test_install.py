"""`make install` and `make uninstall` on a Debian that runs."""

from __future__ import annotations

import runpy
import subprocess
from collections.abc import Iterator

import pytest

from tests.systemd import root as roots
from tests.systemd.containers import Cable, Machine, running, until

#: Not a package: it must run before anything is installed.
install = runpy.run_path(str(roots.REPOSITORY / "systemd/install.py"))
LOCK = (roots.REPOSITORY / "requirements.lock").read_text(encoding="utf-8")


def test_every_block_of_the_lock_file_is_a_pin_with_its_hashes() -> None:
    blocks = install["pins"](LOCK)
    assert len(blocks) == len(roots.lines_of_pins(LOCK.splitlines()))
    assert all("--hash=sha256:" in block for block in blocks.values())
    assert LOCK.count("--hash=") == sum(block.count("--hash=") for block in blocks.values())


@pytest.fixture(scope="module")
def machine(cache_of_our_own: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A Debian of somebody else, with the working tree and wheels in place of a network."""
    binds = {roots.REPOSITORY: "/src", roots.wheels(): "/wheels"}
    with Cable("hi") as cable:
        made = Machine(roots.plain(), "debian", cable.plug("d"), tmp_path_factory.mktemp("debian"), "", {}, binds)
        with running([made]):
            yield made


def make(machine: Machine, *words: str) -> str:
    environment = "PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels HOME=/root"
    return machine.run(f"cd /src && env {environment} make {' '.join(words)} 2>&1", timeout=400)


@pytest.mark.appliance
def test_a_debian_becomes_a_table_keeps_what_is_its_own_and_is_itself_again(machine: Machine) -> None:
    machine.run("rm -rf /etc/hallkiosk; umount /boot/firmware")
    before = machine.run("hostname; cat /etc/hosts")
    make(machine, "install", "ROLE=table")
    until("the table looks for its hub", lambda: machine.active("hall-table.service"))
    assert "looking" in machine.run("cat /run/hallkiosk/joining.json")
    assert machine.run("hallkiosk provision check /etc/hallkiosk/hall.toml").endswith("will be hall-table.")
    assert "policy drop" in machine.run("nft list table inet hallkiosk")
    assert machine.run("hostname; cat /etc/hosts") == before
    machine.run("touch /var/lib/hallkiosk/table/played.db; printf '\\n# mine\\n' >> /etc/hallkiosk/hall.toml")

    make(machine, "install", "ROLE=table")
    assert "# mine" in machine.run("cat /etc/hallkiosk/hall.toml")
    until("the table runs again", lambda: machine.active("hall-table.service"))

    make(machine, "uninstall")
    assert machine.run("systemctl list-units --all --no-legend --plain 'hall-*'") == ""
    assert machine.run("find /usr/lib /usr/local /opt /etc/systemd /etc/chrony -iname '*hall*'") == ""
    assert machine.code("nft list table inet hallkiosk") != 0
    assert machine.code("test -e /var/lib/hallkiosk/table/played.db") == 0
    assert "# mine" in machine.run("cat /etc/hallkiosk/hall.toml")
    assert machine.run("systemctl --failed --no-legend --plain") == ""


def test_what_is_asked_for_wrongly_changes_nothing() -> None:
    done = subprocess.run(
        ("make", "install", "ROLE=pawn"), cwd=roots.REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "ROLE=table, or ROLE=hub" in done.stderr
