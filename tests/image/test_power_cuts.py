"""The plug is pulled in the middle of writing, again and again: every event that was acknowledged is there afterwards.

The writer is the table's own store, writing as fast as the card takes it. An event counts as acknowledged when the
store has returned and its number has left the machine over the serial line.

A start takes a minute without hardware help. So each time the machine runs, its data partition is first copied at
some moments while the machine stands still, which is what a cut there would have left; then the plug is pulled. After
the next start the card itself and the copies are looked at.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

from tests.image.machine import Card, Machine

#: How often; a quick look takes 3, the full run 20. One of each ten is the plug of the running machine itself.
CUTS = int(os.environ.get("HALLKIOSK_CUTS", "3"))
COPIES = 9
STORE = "/var/lib/hallkiosk/cut.db"
#: The same file, seen from the data partition's own root.
ON_DATA = "hallkiosk/cut.db"
WRITTEN = r"WRITTEN (\d+)\r?\n"
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
COUNT = """
import sqlite3, sys
from pathlib import Path
from hallnet.outbox import Outbox
for path in map(Path, sys.argv[1:]):
    store = Outbox.open(path)
    numbers = [message.s for message in store.messages()]
    sound = sqlite3.connect(path).execute("pragma integrity_check").fetchone()[0]
    print("HELD", len(numbers), numbers == list(range(1, len(numbers) + 1)), sound)
    store.close()
"""


@dataclass(frozen=True, slots=True)
class Cut:
    """A copy of the data partition and the last event that was acknowledged before it was taken."""

    copy: Path
    acknowledged: int


def test_no_acknowledged_event_is_missing_after_power_cuts(card: Card, figures: dict[str, object]) -> None:
    dice = random.Random(CUTS)
    acknowledged, waits = 0, []
    # The services are left out: what is tried is the card, and it is tried more often that way.
    words = (
        "systemd.unit=basic.target systemd.wants=serial-getty@ttyS0.service systemd.wants=serial-getty@ttyAMA0.service"
    )
    name, done, copies = "", 0, list[Cut]()
    while True:
        with card.on(words=words, extra=tuple(word for cut in copies for word in drive(cut))) as machine:
            machine.shell(900)
            waits.append(round(machine.age, 1))
            name = name or machine.run("cat /etc/machine-id")
            assert machine.run("cat /etc/machine-id") == name
            if done:
                machine.send_file("/run/count.py", COUNT)
                stores = [STORE, *(repaired(machine, cut) for cut in copies)]
                least = [acknowledged, *(cut.acknowledged for cut in copies)]
                found = held(machine, stores)
                assert all(has >= must for has, must in zip(found, least, strict=True)), (found, least)
            if done == CUTS:
                break
            pauses = [dice.uniform(0.5, 3.0) for _ in range(min(COPIES + 1, CUTS - done))]
            copies, acknowledged = write_until_the_plug_is_out(machine, pauses)
            done += len(pauses)
    figures["power cuts"], figures["events acknowledged, none missing"] = done, acknowledged
    figures["seconds to a shell after each cut"] = waits


def drive(cut: Cut) -> list[str]:
    """A copy as one more disk of the machine, known by its file's name."""
    name = cut.copy.stem
    shown = f"file={cut.copy},format=raw,if=none,id={name},cache=writethrough"
    return ["-drive", shown, "-device", f"virtio-blk-pci,drive={name},serial={name}"]


def held(machine: Machine, stores: list[str]) -> list[int]:
    """How many events each store holds; all must be sound and without a gap."""
    said = machine.run(f"/opt/hallkiosk/bin/python /run/count.py {' '.join(stores)}", 600)
    rows = [line.split()[1:] for line in said.splitlines() if line.startswith("HELD ")]
    assert len(rows) == len(stores)
    assert all(row[1:] == ["True", "ok"] for row in rows), rows
    return [int(row[0]) for row in rows]


def repaired(machine: Machine, cut: Cut) -> str:
    """The store of a copy, after what each start does to the data partition: a check that repairs, and mounting."""
    name = cut.copy.stem
    disk = f"/dev/$(grep -lx {name} /sys/block/*/serial | cut -d/ -f4)"
    machine.run(f"e2fsck -p {disk} || test $? = 1; mkdir -p /run/{name} && mount -o noatime {disk} /run/{name}", 300)
    return f"/run/{name}/{ON_DATA}"


def write_until_the_plug_is_out(machine: Machine, pauses: list[float]) -> tuple[list[Cut], int]:
    """Start the writer; a copy after each pause, the plug out after the last; the last number heard then, too."""
    machine.send_file("/run/writer.py", WRITER)
    machine.run("/opt/hallkiosk/bin/python /run/writer.py >/dev/console 2>&1 & true")
    cuts: list[Cut] = []
    for number, pause in enumerate(pauses):
        machine.wait_for(WRITTEN, 300)
        last = int(machine.listen(WRITTEN, pause)[1])
        if number < len(pauses) - 1:
            cuts.append(Cut(machine.card.disk.with_name(f"copy{number}.img"), last))
            cuts[-1].copy.unlink(missing_ok=True)
            machine.cut_a_copy(cuts[-1].copy)
    machine.cut()
    return cuts, last
