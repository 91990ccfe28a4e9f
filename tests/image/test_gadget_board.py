"""A DGT board is plugged into a table: udev names it, the unit tells the table, the driver reads it, and what hands
play on it stands in the game that the hub has published.

Board and cable are a gadget serial port of the machine's own kernel; hub and table share the machine.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.image.conftest import until
from tests.image.machine import Machine
from tests.image.one_machine import PYTHON, hub_beside


@pytest.fixture(scope="module")
def hub(table: Machine) -> Machine:
    """A hub on the table's own machine, which has let the table in."""
    hub_beside(table)
    table.send_file("/run/hub/board.py", _board())
    table.run("chmod a+r /run/hub/board.py")
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
