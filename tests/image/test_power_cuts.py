"""The plug is pulled in the middle of writing, again and again: every event that was acknowledged is there afterwards.

The writers are the table's own store and the hub's, as they work together: an event is written at the table, then at
the hub with what it causes, in one commit. It counts as acknowledged when both have returned and its number has left
the machine over the serial line.

The card loses what it was not told to flush: QEMU is killed, and with it what it had not written. Each time the same
card is started again by its own kernel and initramfs, with the checker of file systems that every start runs; instead
of systemd comes a shell, which saves most of a minute without hardware help. Then the program's own code opens both
stores, counts, and goes on writing until the next cut.
"""

from __future__ import annotations

import os
import random

from tests.image.machine import Card, Machine

#: How often; a quick look takes 3.
CUTS = int(os.environ.get("HALLKIOSK_CUTS", "3"))
#: Seconds of writing between a start and the cut that ends it.
SHORTEST_S, LONGEST_S = 0.3, 2.5
WRITTEN = r"WRITTEN (\d+)\r?\n"
HELD = r"HELD (\d+) (\d+) (\w+) (\w+) (\w+)\r?\n"
STORES = "/var/lib/hallkiosk"
#: Opens both stores, says what they hold, and goes on writing.
WRITER = f"""
import sqlite3
from pathlib import Path
from hallnet.hall_log import HallLog
from hallnet.outbox import Outbox, Stamp
from rules.laws.events import Ready
from rules.tournament.events import Entered
from rules.tournament.entries import Entry

stamp = Stamp(1_700_000_000_000, 0, "boot", True)
places = Path("{STORES}/cut-table.db"), Path("{STORES}/cut-hub.db")
table, hub = Outbox.open(places[0]), HallLog.open(places[1])
sound = [sqlite3.connect(place).execute("pragma integrity_check").fetchone()[0] for place in places]
at_table = [message.s for message in table.messages()]
at_hub = [message for _, message in hub.table_messages()]
numbers = [message.s for message in at_hub]
gapless = all(held == list(range(1, len(held) + 1)) for held in (at_table, numbers))
caused = hub.stats()["tournament_events"] == len(numbers)
same = at_hub == list(table.messages())[: len(numbers)]
print("HELD", len(at_table), len(numbers), gapless and same, caused, "".join(sound), flush=True)
if not table.epoch:
    table.enrol(1, stamp, 0, "test")
waiting = list(table.messages())[len(numbers) :]
while True:
    for message in waiting:
        with hub.transaction():
            hub.insert("1", message, stamp.wall_ms)
            hub.append([Entered(0, (Entry(message.s, "Anna"),))], ("1", message.e, message.s))
        print("WRITTEN", message.s, flush=True)
    waiting = table.append([Ready(0, "white")], "g1", stamp)
"""


def test_no_acknowledged_event_is_missing_after_power_cuts(card: Card, figures: dict[str, object]) -> None:
    dice = random.Random(CUTS)
    forgetful = card.disk.with_name("forgetful.qcow2")
    drive = f"file={card.disk},format=raw,cache=writeback"
    name, acknowledged, waits = "", 0, list[float]()
    for done in range(CUTS + 1):
        with card.on(drive=drive, words="init=/usr/bin/bash", extra=() if done else ("-S",)) as machine:
            if not done:
                put_a_forgetful_layer_on(machine, str(forgetful))
                drive = f"file={forgetful},format=qcow2,cache=writeback"
            machine.shell(300)
            name = name or machine.run("cat /data/machine-id")
            assert machine.run("cat /etc/machine-id") == name
            if done:
                the_file_system_is_sound(machine)
            machine.send_file("/run/writer.py", WRITER)
            machine.run("/opt/hallkiosk/bin/python /run/writer.py >/dev/console 2>&1 & true")
            held = machine.wait_for(HELD, 300)
            waits.append(round(machine.age, 1))
            assert held.groups()[2:] == ("True", "True", "okok")
            assert min(int(held[1]), int(held[2])) >= acknowledged, (held[0], acknowledged)
            if done < CUTS:
                machine.wait_for(WRITTEN, 300)
                acknowledged = int(machine.listen(WRITTEN, dice.uniform(SHORTEST_S, LONGEST_S))[1])
    assert acknowledged > CUTS
    figures["power cuts, each the plug of the machine itself"] = CUTS
    figures["events acknowledged, none missing"] = acknowledged
    figures["seconds from each plug to stores that are open"] = waits


def put_a_forgetful_layer_on(machine: Machine, path: str) -> None:
    """From now on all is written into a file of QEMU's own form, whose index stays in memory until a flush is asked."""
    machine.ask("blockdev-snapshot-sync", device="card", **{"snapshot-file": path, "format": "qcow2"})
    machine.ask("cont")


def the_file_system_is_sound(machine: Machine) -> None:
    """The start has played the journal back, and the checker finds nothing at all to complain about."""
    assert "recovering journal" in machine.run("cat /run/hall/fsck.log")
    machine.run("mount -o remount,ro /data && e2fsck -fn /dev/vda4 && mount -o remount,rw /data", 120)
