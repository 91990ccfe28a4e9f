"""Two machines of different making on one cable: the card is a hub in a virtual machine, the table a container.

What crosses the cable is what crosses it in a hall: the search for the hub, the code, the keys, the moves. The tests
follow one another as an evening does, and at its end three records of one game are laid side by side: the table's log,
the hub's log, and the reports that the hub writes.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from rules.interchange.trf import read_trf
from tests.image.conftest import photograph, until
from tests.image.machine import Card, Machine
from tests.systemd import root as roots
from tests.systemd.containers import Cable, running
from tests.systemd.containers import Machine as Container
from tests.systemd.containers import until as until_true

HUB, TABLE = "10.78.0.1", "10.78.0.11"
HUB_TOML = f"""
role = "hub"
event = "club"
time-zone = "Europe/Belgrade"
language = "en"

[network]
address = "{HUB}/24"

[tournament]
name = "One cable"
entries = "entries.csv"
tables = 1
speed = 2.0
disk-check = false

[regulations]
rounds = 1
control = "3+2"
"""
ENTRIES = "name,rating\nAnna,2100\nBela,2000\n"
#: The table finds its hub by itself; board, clock and people are simulated.
TABLE_TOML = f"""
role = "table"
event = "club"
table = 1

[network]
address = "{TABLE}/24"

[devices]
board = "simulated"
clock = "simulated"
speed = 2.0

[players]
games = "/boot/firmware/game.pgn"
boards = 1
disputes = false
"""
#: Played and known since 1750: who wins, and how, is no accident of the simulated people.
MOVES = "e4 e5 Bc4 d6 Nf3 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#"
GAME = f"""[White "Anna"]
[Black "Bela"]
[Result "1-0"]

{MOVES} 1-0
"""
#: The arbiter pairs, publishes, starts the round, and waits for its end.
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
    phase = ""
    while not steps.done() and phase != "finished":
        if desk.hall and desk.hall.head.phase != phase:
            phase = desk.hall.head.phase
            print("PHASE", phase, flush=True)
        await asyncio.sleep(0.2)
    if steps.done():
        # He goes home when the event is over, maybe before its last phase was told above.
        steps.result()
        print("PHASE", desk.hall.head.phase, flush=True)
    await desk.close()

asyncio.run(main())
"""
EXPORT = """
import sys
from pathlib import Path
from kiosk.hub.export import export_copy
export_copy(Path(sys.argv[1]), Path(sys.argv[2]))
"""
PROGRAM = "runuser -u hallkiosk -- /opt/hallkiosk/bin/hallkiosk"
PYTHON = "runuser -u hallkiosk -- /opt/hallkiosk/bin/python"
CONFIG = "--config /run/hallkiosk/hub.toml"


class Hall:
    """The two machines on their cable."""

    def __init__(self, cable: Cable, card: Card, table: Container, table_space: str) -> None:
        self.cable, self.table, self.table_space = cable, table, table_space
        self._card, self._tap = card, cable.tap("vm")
        self.hub = self._on()

    def _on(self) -> Machine:
        net = f"tap,id=cable,ifname={self._tap},script=no,downscript=no"
        plug = ("-netdev", net, "-device", "virtio-net-pci,netdev=cable,romfile=")
        return self._card.on(space=self.cable.name, extra=plug, panel=(1920, 1080))

    def pull_the_hubs_plug(self) -> None:
        """Out, in again, and until somebody can type."""
        self.hub.cut()
        self.hub = self._on()
        self.hub.shell(900)

    @property
    def joining(self) -> dict[str, str]:
        """What the table's first terminal goes by."""
        try:
            found: dict[str, str] = json.loads(self.table.run("cat /run/hallkiosk/joining.json"))
        except AssertionError:
            return {}
        return found


@pytest.fixture(scope="module")
def hall(
    image: Path, arch: str, tmp_path_factory: pytest.TempPathFactory, figures: dict[str, object]
) -> Iterator[Hall]:
    """Both switched on, the table while the hub still starts."""
    if why := roots.missing():
        pytest.skip(f"no container here: {why}")
    if not Path("/dev/net/tun").exists():
        pytest.skip("no cable between a virtual machine and a container here: /dev/net/tun is missing")
    roots.cache().mkdir(parents=True, exist_ok=True)
    with (roots.cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        root = roots.ready()
        folder = tmp_path_factory.mktemp("hall")
        with Cable(f"hv{os.getpid() % 1000}") as cable:
            card = Card(image, folder, HUB_TOML, arch, {"entries.csv": ENTRIES})
            space = cable.plug("t1")
            table = Container(root, "table1", space, folder / "t1", TABLE_TOML, {"game.pgn": GAME})
            made = Hall(cable, card, table, space)
            try:
                with running([table]):
                    made.hub.shell(900)
                    figures["hub and table on one cable: seconds to the hub's shell"] = round(made.hub.age, 1)
                    yield made
            finally:
                made.hub.cut()


def test_the_card_becomes_the_hub_that_its_file_asks_for(hall: Hall) -> None:
    until(hall.hub, "systemctl is-active hall-hub.service | sed s/^/=/", "=active")
    assert hall.hub.run("hostname") == "hall-hub"
    assert f"{HUB}/24" in hall.hub.run("ip -color=never -4 -o addr show dev eth0")
    # An emulated machine beside other work is slower than any Pi; the watchdog is tried in containers.
    hall.hub.run("systemctl service-watchdogs no")
    until(hall.hub, f"{PROGRAM} enrol keys --json {CONFIG}", '"hub"')
    assert "make room" not in hall.hub.run("journalctl -b -o cat --no-pager -u hall-hub.service")
    until(hall.hub, "nft list table inet hallkiosk", "dport 4222")


def test_the_table_finds_it_and_is_let_in_by_its_code(hall: Hall, figures: dict[str, object]) -> None:
    until_true("the table has found the hub", lambda: hall.joining.get("hub") == f"{HUB}:4222", 120)
    hall.hub.run("mkfifo -m 666 /run/typed; sleep 99999 >/run/typed & true")
    hall.hub.run(f"{PROGRAM} enrol open table 1 {CONFIG} </run/typed >/run/enrol.out 2>&1 & true")
    until_true("the table shows a code", lambda: hall.joining.get("code"), 300)
    hall.hub.run(f"echo {hall.joining['code']} >/run/typed")
    until_true("the table is in", lambda: hall.joining.get("state") == "in", 300)
    figures["... and until the table is in"] = round(hall.hub.age, 1)
    until(hall.hub, f"{PROGRAM} enrol keys --json {CONFIG}", '"table"')
    until_true("the table's socket is there", lambda: hall.table.code(f"test -S {_state('table-1.sock')}") == 0, 120)


def test_a_published_round_is_played_confirmed_and_kept_at_the_hub(hall: Hall, figures: dict[str, object]) -> None:
    until(hall.hub, "tr -d '\\0' </dev/vcs1", "One cable")
    photograph(hall.hub, "hub-1920x1080")
    hall.hub.send_file("/run/arbiter.py", ARBITER)
    began = time.monotonic()
    hall.hub.run(f"{PYTHON} /run/arbiter.py >/run/arbiter.out 2>&1 & true")
    until(hall.hub, "cat /run/arbiter.out", "PHASE finished", 900)
    figures["... a round of 3+2 then took"] = round(time.monotonic() - began, 1)
    photograph(hall.hub, "hub-1920x1080-finished")
    game = _played(hall)
    assert game["phase"] == "confirmed"
    assert " ".join(move["san"] for move in game["moves"]) == MOVES


def test_table_hub_and_reports_tell_the_same_game(hall: Hall) -> None:
    at_table = _played(hall)
    moves = [move["uci"] for move in at_table["moves"]]
    hall.hub.run(f"install -d -o hallkiosk /run/report && {PROGRAM} backup /run/report/copy.db {CONFIG}", 300)
    hub = json.loads(hall.hub.run(f"{PROGRAM} replay event --json /run/report/copy.db 2>/dev/null", 300))
    assert hub["phase"] == "finished"
    (at_hub,) = hub["games"].values()
    assert (at_hub["phase"], at_hub["moves"], at_hub["fen"]) == ("confirmed", moves, at_table["fen"])
    assert at_hub["score"] == "1-0"

    hall.hub.send_file("/run/export.py", EXPORT)
    hall.hub.run(f"{PYTHON} /run/export.py /run/report/copy.db /run/report", 300)
    report, odd = read_trf(hall.hub.run("cat /run/report/event.trf").encode(), "event.trf")
    assert odd == ()
    pairing = at_table["assignment"]
    told = {player.name: player for player in report.players}
    assert set(told) == {"Anna", "Bela"}
    for side, wanted, colour in (("white", 2, "w"), ("black", 0, "b")):
        player = told[pairing[side]["name"]]
        (cell,) = player.cells
        assert (cell.colour, player.points) == (colour, wanted)
    games = io.StringIO(hall.hub.run("cat /run/report/games.pgn"))
    printed = chess.pgn.read_game(games)
    assert printed is not None
    assert [move.uci() for move in printed.mainline_moves()] == moves
    assert (printed.headers["White"], printed.headers["Result"]) == (pairing["white"]["name"], at_hub["score"])


def test_what_the_hub_has_acknowledged_survives_its_own_power_cut(hall: Hall, figures: dict[str, object]) -> None:
    told = f"{PROGRAM} backup /run/report/after.db {CONFIG} >/dev/null && "
    told += f"{PROGRAM} replay event --json /run/report/after.db"
    hall.cable.link(hall.table_space, up=False)
    hall.pull_the_hubs_plug()
    hall.hub.run("systemctl service-watchdogs no")
    figures["... and after its power cut"] = round(hall.hub.age, 1)
    until(hall.hub, "systemctl is-active hall-hub.service | sed s/^/=/", "=active")
    hall.hub.run("install -d -o hallkiosk /run/report && rm -f /run/report/*")
    after = json.loads(hall.hub.run(f"{told} 2>/dev/null", 300))
    (at_hub,) = after["games"].values()
    assert (after["phase"], at_hub["phase"]) == ("finished", "confirmed")
    # The table cannot have told it again: its cable is out. What it counts as delivered is there.
    acknowledged, written = map(int, hall.table.python(DELIVERED, _state("table-1.db")).split())
    held = int(hall.hub.run(f'{PYTHON} -c "{HELD}" /run/report/after.db', 120).split()[-1])
    assert 13 < acknowledged <= held <= written
    hall.cable.link(hall.table_space, up=True)
    until(hall.hub, "journalctl -b -o cat -u hall-hub.service; ss -Htn state established sport = :4222", TABLE)


DELIVERED = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("select value from meta where key = 'acked'").fetchone()[0])
print(db.execute("select max(seq) from events").fetchone()[0])
"""
HELD = "import sys; from pathlib import Path; from hallnet.hall_log import HallLog; "
HELD += "print(max(m.s for _, m in HallLog.open(Path(sys.argv[1])).table_messages()))"


def _state(name: str) -> str:
    return f"/var/lib/hallkiosk/table/{name}"


def _played(hall: Hall) -> dict[str, Any]:
    """The game in the table's own log."""
    words = f"{PYTHON} -I -m kiosk replay game {_state('table-1.db')} --json"
    found: dict[str, Any] = json.loads(hall.table.run(words, 120))
    return found
