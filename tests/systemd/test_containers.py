"""A hall of three machines, booted by systemd: hub and two tables on one cable, with a stranger on it too.

The tests follow one another as an evening does: switched on, let in, played, hung and killed, tried from outside,
switched off and on again.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hallnet.enrol_client import SILENT_S
from tests.systemd.containers import Cable, Machine, running, until

pytestmark = pytest.mark.appliance

HUB, STRANGER = "10.77.0.1", "10.77.0.99"
SPEED = 2.0
HUB_TOML = f"""
role = "hub"
event = "club"
time-zone = "Europe/Belgrade"

[network]
address = "{HUB}/24"

[tournament]
name = "Evening in containers"
entries = "entries.csv"
tables = 2
speed = {SPEED}
disk-check = false

[regulations]
rounds = 1
control = "3+2"
"""
ENTRIES = "name,rating\nAnna,2100\nBela,2000\nCarlo,1900\nDora,1800\n"


def table_toml(number: int, hub: str = "") -> str:
    """A table with simulated hardware and people, named or not."""
    return f"""
role = "table"
event = "club"
table = {number}
{f'hub = "{hub}"' if hub else ""}

[network]
address = "10.77.0.1{number}/24"

[devices]
board = "simulated"
clock = "simulated"
speed = {SPEED}

[players]
seed = 1
disputes = false
"""


@dataclass
class Hall:
    """The three machines, and the namespace of somebody who has no business here."""

    hub: Machine
    tables: list[Machine]
    stranger: str

    @property
    def machines(self) -> list[Machine]:
        """All of them."""
        return [self.hub, *self.tables]


@pytest.fixture(scope="module")
def hall(debian_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    """Switched on in the order of bad luck: the tables before the hub."""
    folder = tmp_path_factory.mktemp("hall")
    with Cable(f"hk{os.getpid() % 1000}") as cable:
        tables = [
            Machine(debian_root, "table1", cable.plug("t1"), folder / "t1", table_toml(1), {}),
            Machine(debian_root, "table2", cable.plug("t2"), folder / "t2", table_toml(2, HUB), {}),
        ]
        hub = Machine(debian_root, "hub", cable.plug("hub"), folder / "hub", HUB_TOML, {"entries.csv": ENTRIES})
        made = Hall(hub, tables, cable.plug("who", f"{STRANGER}/24"))
        with running([*tables, hub]):
            try:
                yield made
            except BaseException:
                print_journals(made)
                raise


@pytest.fixture(autouse=True)
def journals(request: pytest.FixtureRequest, hall: Hall) -> Iterator[None]:
    """What the machines said, when a test fails."""
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed > failed:
        print_journals(hall)


def print_journals(hall: Hall) -> None:
    for machine in hall.machines:
        if machine.pid:
            print(f"== {machine.name}\n{machine.journal('hall-*')}")


def joining(table: Machine) -> dict[str, str]:
    """What the table's first terminal goes by."""
    try:
        found: dict[str, str] = json.loads(table.run("cat /run/hallkiosk/joining.json"))
    except AssertionError:
        return {}
    return found


def test_every_machine_comes_up_whole(hall: Hall) -> None:
    for machine in hall.machines:
        until(f"{machine.name} runs", lambda m=machine: m.run("systemctl is-system-running || true") == "running")
        assert machine.run("systemctl --failed --no-legend --plain") == ""
    until("the hub is up", lambda: hall.hub.code("test -e /var/lib/hallkiosk/hub/hub.json") == 0)
    assert [machine.run("hostname") for machine in hall.machines] == ["hall-hub", "hall-table-1", "hall-table-2"]
    assert hall.hub.run("readlink /etc/localtime") == "/usr/share/zoneinfo/Europe/Belgrade"
    assert not hall.hub.active("hall-table.service")
    assert not hall.tables[0].active("hall-hub.service")
    for machine in hall.machines:
        assert machine.run("ps -o user= -C python | sort -u") in ("hallkiosk", "hallkio+")


def test_a_device_that_nobody_has_let_in_shows_a_code_and_is_let_in_by_it(hall: Hall) -> None:
    for number, table in enumerate(hall.tables, 1):
        until("the table has found the hub", lambda t=table: joining(t).get("state") in ("asking", "code"), 60)
        words = ("/opt/hallkiosk/bin/python", "-I", "-m", "kiosk", "enrol", "open", "table", str(number))
        arbiter = hall.hub.popen("hallkiosk", *words, "--config", "/run/hallkiosk/hub.toml")
        # A table that saw the enrolment of another drops that code once the hub has been silent for a while.
        time.sleep(SILENT_S + 2)
        until("the table shows a code", lambda t=table: joining(t).get("code"), 60)
        said, _nothing = arbiter.communicate(joining(table)["code"] + "\n", timeout=60)
        assert arbiter.returncode == 0, said
        until("the table is in", lambda t=table: joining(t).get("state") == "in")
        until("the table's socket is there", lambda t=table, n=number: t.code(socket_of(n)) == 0)
        assert table.run("stat -c %a /var/lib/hallkiosk/table/keys/device.key") == "600"


#: A container may not set the clock of the machine below it: the daemon only watches, and is started all the same.
ONLY_WATCH = "[Unit]\\nConditionCapability=\\n[Service]\\nEnvironmentFile=\\nEnvironment=DAEMON_OPTS=-x\\n"


def test_a_tables_clock_follows_the_hub_that_it_has_found(hall: Hall) -> None:
    for machine in (hall.hub, *hall.tables):
        folder = "/run/systemd/system/chrony.service.d"
        machine.run(f"mkdir -p {folder}; printf '{ONLY_WATCH}' > {folder}/watch.conf")
        machine.run("systemctl daemon-reload; systemctl start chrony")
    for table in hall.tables:
        until("the hub answers for the time", lambda t=table: f"^* {HUB}" in t.run("chronyc -n sources"), 60)
    # Table 1 has no hub in its file: it came from the network, and a unit told the daemon.
    assert HUB not in hall.tables[0].run("cat /etc/chrony/conf.d/hallkiosk-role.conf")


def test_the_doctor_is_content_with_every_machine(hall: Hall) -> None:
    for machine, role in ((hall.hub, "hub"), (hall.tables[0], "table")):
        words = f"/opt/hallkiosk/bin/python -I -m kiosk doctor --json --config /run/hallkiosk/{role}.toml"
        said = machine.run(f"runuser -u hallkiosk -- {words} || true")
        failed = [check for check in json.loads(said)["checks"] if check["result"] == "fail"]
        assert failed == [], failed


def test_a_waiting_table_is_small(hall: Hall) -> None:
    pid = main_pid(hall.tables[0], "hall-table.service")
    used = int(hall.tables[0].run(f"grep VmRSS /proc/{pid}/status").split()[1])
    print(f"table: {used // 1024} MB")
    assert used < 150 * 1024


def socket_of(number: int) -> str:
    return f"test -S /var/lib/hallkiosk/table/table-{number}.sock"


ARBITER = """
import asyncio, json, sys
from pathlib import Path
from hallnet.desk_client import DeskClient
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address
from kiosk.demo.arbiter import Arbiter
from kiosk.running import hub_credentials

async def main(until):
    data = Path("/var/lib/hallkiosk/hub")
    port = json.loads((data / "hub.json").read_text())["port"]
    transport = NatsTransport([f"nats://127.0.0.1:{port}"], "desk1", hub_credentials(data))
    desk = DeskClient(transport, Address("club", "hall"), "desk1")
    await desk.start()
    arbiter = asyncio.create_task(Arbiter(desk, lambda round, board: "").run())
    while not arbiter.done() and not (desk.hall and desk.hall.head.phase == until):
        await asyncio.sleep(0.1)
    if arbiter.done():
        arbiter.result()
    arbiter.cancel()
    rows = [[row.board, row.table, row.score, row.state] for row in desk.hall.boards.rows]
    print(json.dumps({"phase": desk.hall.head.phase, "rows": rows}))
    await desk.close()

asyncio.run(main(sys.argv[1]))
"""


def test_a_round_is_published_and_started(hall: Hall) -> None:
    said = hall.hub.python(ARBITER, "running", timeout=120)
    assert json.loads(said.splitlines()[-1])["phase"] == "running"
    for number, table in enumerate(hall.tables, 1):
        until("a game is played", lambda t=table, n=number: moves(t, n) > 3)


COUNT = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("select count(*) from events").fetchone()[0])
"""


def moves(table: Machine, number: int) -> int:
    """How many events the table's log holds."""
    return int(table.python(COUNT, f"/var/lib/hallkiosk/table/table-{number}.db"))


def main_pid(machine: Machine, unit: str) -> int:
    return int(machine.run(f"systemctl show -P MainPID {unit}"))


@pytest.mark.parametrize("who", ["hub", "table"])
def test_a_service_that_hangs_is_killed_and_comes_back_with_what_it_had(hall: Hall, who: str) -> None:
    machine = hall.hub if who == "hub" else hall.tables[0]
    unit = f"hall-{who}.service"
    before, pid = moves(hall.tables[0], 1), main_pid(machine, unit)
    machine.run(f"kill -{signal.SIGSTOP.value} {pid}")
    began = time.monotonic()
    until("another process serves", lambda: main_pid(machine, unit) not in (0, pid) and machine.active(unit), 90)
    assert time.monotonic() - began < 60
    assert "Watchdog timeout" in machine.journal(unit)
    until("the table goes on", lambda: moves(hall.tables[0], 1) > before, 60)


def test_the_event_is_played_to_its_end(hall: Hall) -> None:
    said = json.loads(hall.hub.python(ARBITER, "finished", timeout=240).splitlines()[-1])
    assert said["phase"] == "finished"
    assert all(row[2] for row in said["rows"]), said


def from_space(space: str, script: str, *arguments: str) -> str:
    """What a Python script prints that runs in a namespace of the cable."""
    done = subprocess.run(
        ("ip", "netns", "exec", space, "/usr/bin/python3", "-c", textwrap.dedent(script), *arguments),
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


PROBE = """
import socket, sys
open_ports = []
for port in map(int, sys.argv[2:]):
    with socket.socket() as s:
        s.settimeout(0.5)
        if s.connect_ex((sys.argv[1], port)) == 0:
            open_ports.append(port)
print(*open_ports)
"""


@pytest.fixture
def listening(hall: Hall) -> Iterator[Callable[[Machine], None]]:
    """Something that listens on every machine's port 2222, as a forgotten program would."""
    started = []

    def listen(machine: Machine) -> None:
        script = "import socket,time; s=socket.create_server(('', 2222)); print('here', flush=True); time.sleep(600)"
        process = machine.popen("hallkiosk", "/opt/hallkiosk/bin/python", "-c", script)
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        started.append(process)

    yield listen
    for process in started:
        process.kill()


def test_from_outside_only_the_hubs_port_is_there(hall: Hall, listening: Callable[[Machine], None]) -> None:
    for machine in hall.machines:
        listening(machine)
    ports = ("22", "53", "111", "2222", "4222", "6222", "8222")
    assert from_space(hall.stranger, PROBE, HUB, *ports) == "4222"
    for number in (1, 2):
        assert from_space(hall.stranger, PROBE, f"10.77.0.1{number}", *ports) == ""
    # The tables cannot reach each other either, and the wall between is no accident: inside, the port answers.
    assert hall.tables[0].code("timeout 2 bash -c '</dev/tcp/10.77.0.12/2222'") != 0
    assert hall.tables[1].code("bash -c '</dev/tcp/127.0.0.1/2222'") == 0


FLOOD = """
import socket, sys
refused = 0
for _ in range(400):
    with socket.socket() as s:
        s.settimeout(0.05)
        refused += s.connect_ex((sys.argv[1], 4222)) != 0
print(refused)
"""


def test_who_floods_the_port_is_dropped_and_tables_are_not(hall: Hall) -> None:
    assert int(from_space(hall.stranger, FLOOD, HUB)) > 100
    assert hall.tables[1].code(f"timeout 5 bash -c '</dev/tcp/{HUB}/4222'") == 0


def test_after_a_power_cut_every_machine_is_itself_again(hall: Hall) -> None:
    before = [moves(table, number) for number, table in enumerate(hall.tables, 1)]
    for machine in hall.machines:
        machine.power_cut()
    for machine in hall.machines:
        machine.start()
    for number, table in enumerate(hall.tables, 1):
        until("the table is in without being asked", lambda t=table: joining(t).get("state") == "in")
        until("the table runs", lambda t=table, n=number: t.code(socket_of(n)) == 0)
        assert moves(table, number) >= before[number - 1]
    said = json.loads(hall.hub.python(ARBITER, "finished", timeout=60).splitlines()[-1])
    assert said["phase"] == "finished"


def test_a_broken_file_leaves_a_machine_that_says_so(hall: Hall, debian_root: Path, tmp_path: Path) -> None:
    with Cable(f"hb{os.getpid() % 1000}") as cable:
        broken = Machine(debian_root, "broken", cable.plug("b"), tmp_path, 'role = "tabel"\n', {})
        with running([broken]):
            until("it is up", lambda: broken.run("systemctl is-system-running || true") == "running")
            assert 'write "hub", "table" or "standby"' in broken.run("cat /run/hallkiosk/trouble")
            assert broken.run("systemctl list-units --no-legend --plain 'hall-hub*' 'hall-table*'") == ""
            assert "hook input" in broken.run("nft list table inet hallkiosk")
            face = broken.popen("hallkiosk", "/opt/hallkiosk/bin/python", "-I", "-m", "kiosk", "provision", "face")
            assert face.stdout is not None
            shown = ""
            while "hall.toml" not in shown:
                shown += face.stdout.read(40)
            face.kill()
