"""A hub beside the table on one machine, with an arbiter and players who speak to both as programs do."""

from __future__ import annotations

import msgspec

from hallnet.views import TableView
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
#: The arbiter pairs, publishes, and starts the round when both players are ready.
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
    steps = asyncio.create_task(Arbiter(desk, lambda round, board: "", patience_s=600).run())
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
import msgspec
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
    print("VIEW", msgspec.json.encode(view).decode())
    print("PHASE", view.phase, "BOARD", view.placement or "-", "MOVES", " ".join(move.san for move in view.moves))
    await table.close()

asyncio.run(main(sys.argv[1:]))
"""
#: The code that the table shows, once it has one.
_CODE = 'sed -n \'s/.*"code": "\\([^"]*\\)".*/\\1/p\' /run/hallkiosk/joining.json'


def hub_beside(table: Machine) -> None:
    """Start a hub on the table's own machine, and let the table in."""
    table.run("mkdir -p /run/hub && install -d -o hallkiosk -g hallkiosk /var/lib/hallkiosk/hub")
    table.send_file("/run/hub/hub.toml", HUB_TOML)
    table.send_file("/run/hub/entries.csv", "name,rating\nAnna,2100\nBela,2000")
    for name, text in (("arbiter", ARBITER), ("players", PLAYERS)):
        table.send_file(f"/run/hub/{name}.py", text)
    table.run("chmod -R a+rX /run/hub")
    command = "/opt/hallkiosk/bin/hallkiosk hub --config /run/hub/hub.toml"
    table.run(f"systemd-run -q --unit=test-hub -p User=hallkiosk -p WorkingDirectory=/var/lib/hallkiosk/hub {command}")
    until(table, "ls /var/lib/hallkiosk/hub", "hub.json")
    typed = f'(for i in $(seq 200); do c=$({_CODE}); [ -n "$c" ] && break; sleep 1; done; echo $c)'
    enrol = "runuser -u hallkiosk -- /opt/hallkiosk/bin/hallkiosk enrol open table 1 --config /run/hub/hub.toml"
    table.run(f"{typed} | {enrol}", 600)
    until(table, "ls /var/lib/hallkiosk/table", "table-1.sock")


def view_of(table: Machine) -> TableView:
    """What the table shows its faces now."""
    said = table.run(f"{PYTHON} /run/hub/players.py", 180)
    [line] = [line for line in said.splitlines() if line.startswith("VIEW ")]
    return msgspec.json.decode(line.removeprefix("VIEW "), type=TableView)
