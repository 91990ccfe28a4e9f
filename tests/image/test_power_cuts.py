"""The plug is pulled in the middle of writing, again and again: every event that was acknowledged is there afterwards.

The writer is the table's own store, writing as fast as the card takes it. An event counts as acknowledged when the
store has returned and its number has left the machine over the serial line.
"""

from __future__ import annotations

import os
import random
import time

from tests.image.machine import Card, Machine

#: How often; a quick look takes 3, the full run 20.
CUTS = int(os.environ.get("HALLKIOSK_CUTS", "3"))
STORE = "/var/lib/hallkiosk/cut.db"
WRITER = f"""
from pathlib import Path
from hallnet.outbox import Outbox, Stamp
from rules.laws.events import Ready

stamp = Stamp(1_700_000_000_000, 0, "boot", True)
store = Outbox.open(Path("{STORE}"))
if not store.epoch:
    store.enrol(1, stamp, 0, "test")
while True:
    print("WRITTEN", store.append([Ready(0, "white")], "g1", stamp)[-1].s, flush=True)
"""
COUNT = f"""
import sqlite3
from pathlib import Path
from hallnet.outbox import Outbox
store = Outbox.open(Path("{STORE}"))
numbers = [message.s for message in store.messages()]
print("HELD", len(numbers), numbers == list(range(1, len(numbers) + 1)))
print("SOUND", sqlite3.connect("{STORE}").execute("pragma integrity_check").fetchone()[0])
"""


def test_no_acknowledged_event_is_missing_after_power_cuts(card: Card, figures: dict[str, object]) -> None:
    dice = random.Random(CUTS)
    acknowledged, waits = 0, []
    # The services are left out: what is tried is the card, and it is tried more often that way.
    words = (
        "systemd.unit=basic.target systemd.wants=serial-getty@ttyS0.service systemd.wants=serial-getty@ttyAMA0.service"
    )
    name = ""
    for cut in range(CUTS + 1):
        with card.on(words=words) as machine:
            machine.shell(900)
            waits.append(round(machine.age, 1))
            name = name or machine.run("cat /etc/machine-id")
            assert machine.run("cat /etc/machine-id") == name
            if cut:
                assert held(machine) >= acknowledged, f"after cut {cut}"
            if cut == CUTS:
                break
            acknowledged = write_until_the_plug_is_out(machine, dice.uniform(1.0, 6.0))
    figures["power cuts"], figures["events acknowledged, none missing"] = CUTS, acknowledged
    figures["seconds to a shell after each cut"] = waits


def held(machine: Machine) -> int:
    """How many events the store holds; it must be sound and without a gap."""
    machine.send_file("/run/count.py", COUNT)
    said = machine.run("/opt/hallkiosk/bin/python /run/count.py", 300)
    assert "SOUND ok" in said
    held, whole = said.split("HELD ")[1].splitlines()[0].split()
    assert whole == "True", "the numbers have a gap"
    return int(held)


def write_until_the_plug_is_out(machine: Machine, seconds: float) -> int:
    """Start the writer, pull the plug `seconds` after its first event; the last number that came out."""
    machine.send_file("/run/writer.py", WRITER)
    machine.run("/opt/hallkiosk/bin/python /run/writer.py >/dev/console 2>&1 & true")
    last = int(machine.wait_for(r"WRITTEN (\d+)\r?\n", 300)[1])
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        last = int(machine.wait_for(r"WRITTEN (\d+)\r?\n", 120)[1])
    machine.cut()
    return last
