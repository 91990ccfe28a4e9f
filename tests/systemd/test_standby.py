"""Hub, table and standby, booted by systemd: the hub is switched off for good, and the arbiter types the words."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hallnet.enrol_client import SILENT_S
from tests.systemd.containers import Cable, Machine, running, until
from tests.systemd.test_containers import ARBITER, ENTRIES, HUB, HUB_TOML, joining, moves, socket_of, table_toml

pytestmark = pytest.mark.appliance

STANDBY = "10.77.0.2"
#: What stands in the hub's own file, but for two lines: that is how somebody writes it.
STANDBY_TOML = HUB_TOML.replace('role = "hub"', 'role = "standby"').replace(f"{HUB}/24", f"{STANDBY}/24")
CONFIG = "--config /run/hallkiosk/hub.toml"
PROGRAM = ("/opt/hallkiosk/bin/python", "-I", "-m", "kiosk")


@dataclass
class Hall:
    """The three machines."""

    hub: Machine
    standby: Machine
    table: Machine


@pytest.fixture(scope="module")
def hall(debian_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """All on one cable."""
    folder = tmp_path_factory.mktemp("standby")
    with Cable(f"hs{os.getpid() % 1000}") as cable:
        files = {"entries.csv": ENTRIES.split("Carlo")[0]}
        made = Hall(
            Machine(debian_root, "hub", cable.plug("hub"), folder / "hub", HUB_TOML, files),
            Machine(debian_root, "standby", cable.plug("two"), folder / "two", STANDBY_TOML, {}),
            Machine(debian_root, "table1", cable.plug("t1"), folder / "t1", table_toml(1), {}),
        )
        machines = [made.hub, made.standby, made.table]
        with running(machines):
            try:
                yield made
            finally:
                for machine in machines:
                    if machine.pid:
                        print(f"== {machine.name}\n{machine.journal('hall-*')}")


def test_standby_and_table_are_let_in_by_their_codes(hall: Hall) -> None:
    until("the hub is up", lambda: hall.hub.code("test -e /var/lib/hallkiosk/hub/hub.json") == 0)
    assert hall.standby.run("hostname") == "hall-standby"
    for machine, role, name in ((hall.standby, "standby", "two"), (hall.table, "table", "1")):
        until("the hub is found", lambda m=machine: joining(m).get("state") in ("asking", "code"))
        arbiter = hall.hub.popen("hallkiosk", *PROGRAM, "enrol", "open", role, name, *CONFIG.split())
        time.sleep(SILENT_S + 2)
        until("a code is shown", lambda m=machine: joining(m).get("code"))
        said, _nothing = arbiter.communicate(joining(machine)["code"] + "\n", timeout=60)
        assert arbiter.returncode == 0, said
        until("it is in", lambda m=machine: joining(m).get("state") == "in")
    assert hall.standby.run("stat -c %a /var/lib/hallkiosk/standby/keys/device.key") == "600"


def test_the_log_and_the_halls_keys_come_over(hall: Hall) -> None:
    until("the standby is ready", lambda: hall.standby.active("hall-standby.service"))
    until("the keys come", lambda: hall.standby.code("test -e /var/lib/hallkiosk/hub/keys/ca.key") == 0)
    until("the table's socket is there", lambda: hall.table.code(socket_of(1)) == 0)
    hall.hub.python(ARBITER, "running", timeout=120)
    until("a game is played", lambda: moves(hall.table, 1) > 6)
    until("the copy has it", lambda: copied(hall.standby) > 6)
    assert hall.standby.run("systemctl is-system-running || true") == "running"


def test_the_hub_is_gone_and_the_words_make_the_standby_the_hub(hall: Hall) -> None:
    before = copied(hall.standby)
    hall.hub.power_cut()
    terminal = hall.standby.popen("hallkiosk", *PROGRAM, "provision", "face")
    assert terminal.stdin is not None
    assert terminal.stdout is not None
    terminal.stdin.write("take  it\nTake over\n")
    terminal.stdin.flush()
    until("it is the hub", lambda: hall.standby.code("test -e /var/lib/hallkiosk/hub/hub.json") == 0, 60)
    terminal.kill()
    assert f"stands by for {HUB}" in terminal.stdout.read()
    assert hall.standby.active("hall-standby.service")
    until("the table goes on there", lambda: copied(hall.standby) > before, 60)
    said = json.loads(hall.standby.python(ARBITER, "finished", timeout=240).splitlines()[-1])
    assert said["phase"] == "finished"


def test_it_is_the_hub_after_a_power_cut_too(hall: Hall) -> None:
    kept = copied(hall.standby)
    hall.standby.power_cut()
    hall.standby.start()
    said = json.loads(hall.standby.python(WAITING + ARBITER, "finished", timeout=120).splitlines()[-1])
    assert said["phase"] == "finished"
    assert copied(hall.standby) >= kept
    assert "role-standby" in hall.standby.run("ls /run/hallkiosk")


#: The port answers before the arbiter's desk speaks to it.
WAITING = """
import json, socket, time
for _ in range(300):
    try:
        socket.create_connection(("127.0.0.1", 4222)).close()
        break
    except OSError:
        time.sleep(0.2)
"""
COPIED = """
import sqlite3
print(sqlite3.connect("/var/lib/hallkiosk/hub/hall.db").execute("select count(*) from table_events").fetchone()[0])
"""


def copied(hub: Machine) -> int:
    """How many events of tables the log holds."""
    return int(hub.python(COPIED))
