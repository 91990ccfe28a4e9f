"""A DGT board is plugged into a table: udev names it, the unit tells the table, the driver reads it, and what hands
play on it stands in the game that the hub has published.

Board and cable are a gadget serial port of the machine's own kernel; hub and table share the machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.image.conftest import until
from tests.image.machine import Machine

PYTHON = "runuser -u hallkiosk -- /opt/hallkiosk/bin/python"
HUB_TOML = """
name = "One machine"
event = "club"
data = "/var/lib/hallkiosk/hub"
port = 4222
keys = true
disk-check = false
entries = "/run/hub/entries.csv"

[regulations]
rounds = 1
control = "30+10"
"""
#: The arbiter pairs, publishes and starts the round.
ARBITER = """
import asyncio, json
from pathlib import Path
from hallnet.desk_client import DeskClient
from hallnet.transport_nats import NatsTransport
from hallnet.wire import Address
from kiosk.demo.arbiter import Arbiter
from kiosk.running import hub_credentials

async def main():
    data = Path("/var/lib/hallkiosk/hub")
    port = json.loads((data / "hub.json").read_text())["port"]
    transport = NatsTransport([f"nats://127.0.0.1:{port}"], "desk1", hub_credentials(data))
    desk = DeskClient(transport, Address("club", "hall"), "desk1")
    await desk.start()
    steps = asyncio.create_task(Arbiter(desk, lambda round, board: "").run())
    while not (desk.hall and desk.hall.head.phase == "running"):
        assert not steps.done()
        await asyncio.sleep(0.2)
    steps.cancel()
    await desk.close()
    print("ROUND RUNS")

asyncio.run(main())
"""
#: The players: what they say at the table, then what the table shows.
PLAYERS = """
import asyncio, sys
from pathlib import Path
from hallnet.table_client import TableClient

async def main(acts):
    table = TableClient(Path("/var/lib/hallkiosk/table/table-1.sock"))
    await table.start()
    while table.view is None:
        await asyncio.sleep(0.1)
    for act in acts:
        for side in ("white", "black"):
            print((await table.do(act, side=side)).ok)
    view = table.view
    print("PHASE", view.phase, "BOARD", view.placement or "-", "MOVES", " ".join(move.san for move in view.moves))
    await table.close()

asyncio.run(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def hub(table: Machine) -> Machine:
    """A hub on the table's own machine, which has let the table in."""
    table.run("mkdir -p /run/hub && install -d -o hallkiosk -g hallkiosk /var/lib/hallkiosk/hub")
    table.send_file("/run/hub/hub.toml", HUB_TOML)
    table.send_file("/run/hub/entries.csv", "name,rating\nAnna,2100\nBela,2000")
    for name, text in (("arbiter", ARBITER), ("players", PLAYERS), ("board", _board())):
        table.send_file(f"/run/hub/{name}.py", text)
    table.run("chmod -R a+rX /run/hub")
    command = "/opt/hallkiosk/bin/hallkiosk hub --config /run/hub/hub.toml"
    table.run(f"systemd-run -q --unit=test-hub -p User=hallkiosk -p WorkingDirectory=/var/lib/hallkiosk/hub {command}")
    until(table, "ls /var/lib/hallkiosk/hub", "hub.json")
    code = 'sed -n \'s/.*"code": "\\([^"]*\\)".*/\\1/p\' /run/hallkiosk/joining.json'
    typed = f'(for i in $(seq 200); do c=$({code}); [ -n "$c" ] && break; sleep 1; done; echo $c)'
    enrol = "runuser -u hallkiosk -- /opt/hallkiosk/bin/hallkiosk enrol open table 1 --config /run/hub/hub.toml"
    table.run(f"{typed} | {enrol}", 600)
    until(table, "ls /var/lib/hallkiosk/table", "table-1.sock")
    return table


def test_a_plugged_board_plays_in_the_published_game(hub: Machine) -> None:
    hub.run(f"{PYTHON} /run/hub/arbiter.py >/run/arbiter.out 2>&1 & true")
    until(hub, f"{PYTHON} /run/hub/players.py", "PHASE assigned")
    maker = "iManufacturer='Digital Game Technology' iProduct='DGT Board' iSerialNumber=12345"
    hub.run(f"modprobe dummy_hcd num=2 && modprobe g_serial {maker} && mkfifo /run/hands")
    hub.run(
        "/opt/hallkiosk/bin/python /run/hub/board.py </run/hands >/run/board.out 2>&1 & sleep 9999 >/run/hands & true"
    )
    assert "ttyACM" in until(hub, "readlink /dev/hallkiosk-board-dgt", "ttyACM")
    until(hub, "journalctl -b -o cat --no-pager -u 'hall-board@*'", "Finished hall-board@dgt.service")
    until(hub, f"{PYTHON} /run/hub/players.py", "BOARD rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
    until(hub, f"{PYTHON} /run/hub/players.py ready", "PHASE playing")
    until(hub, "cat /run/arbiter.out", "ROUND RUNS")
    for move, shown in (("e4", ""), ("e5", "MOVES e4"), ("Nf3", "MOVES e4 e5"), ("Nc6", "MOVES e4 e5 Nf3")):
        hub.run(f"echo {move} >/run/hands")
        until(hub, f"{PYTHON} /run/hub/players.py", shown)
    until(hub, "tr -d '\\0' </dev/vcs1", "1. e4")


#: The second cable of the machine's own kernel, with a board of the same maker at its end.
SECOND = """
modprobe usb_f_acm && mkdir -p /run/gadgets && mount -t configfs none /run/gadgets || exit 1
mkdir -p /run/gadgets/usb_gadget/two && cd /run/gadgets/usb_gadget/two || exit 1
echo 0x04d8 >idVendor; echo 0x000a >idProduct
mkdir strings/0x409 configs/c.1 functions/acm.usb0
echo 'Digital Game Technology' >strings/0x409/manufacturer
echo 67890 >strings/0x409/serialnumber
ln -s functions/acm.usb0 configs/c.1/ && echo dummy_udc.1 >UDC
"""
LINKS = "for link in /dev/hallkiosk-board-*; do echo ${link#/dev/hallkiosk-board-} $(readlink $link); done"


def test_a_second_board_of_the_kind_has_its_own_names_and_does_not_disturb_the_game(hub: Machine) -> None:
    own = hub.run("readlink /dev/hallkiosk-board-dgt")
    hub.run(f"( {SECOND} )")
    until(hub, LINKS, "dgt-67890 ")
    links = dict(line.split() for line in hub.run(LINKS).splitlines())
    other = links["dgt-67890"]
    assert other != own
    assert (links["dgt"], links["dgt-12345"]) == (own, own)
    sockets = {name: device for name, device in links.items() if name.startswith("dgt-at-")}
    assert sorted(sockets.values()) == sorted((own, other))
    for move, shown in (("Bb5", "MOVES e4 e5 Nf3 Nc6"), ("a6", "MOVES e4 e5 Nf3 Nc6 Bb5")):
        hub.run(f"echo {move} >/run/hands")
        until(hub, f"{PYTHON} /run/hub/players.py", shown)
    doctor = "runuser -u hallkiosk -- /opt/hallkiosk/bin/hallkiosk doctor --json --config /run/hallkiosk/table.toml"
    assert "/dev/hallkiosk-board-dgt-67890" in hub.run(doctor, 300, fails=True)


def _board() -> str:
    return Path(__file__).with_name("gadget_board.py").read_text("utf-8")
