"""The table's outbox: on the disk first, sent until the hub has it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hallnet.chain import chain_hash
from hallnet.errors import NotEnrolled, OldEpoch, StoreFull
from hallnet.outbox import Journal, Outbox, Stamp
from hallnet.wire import event_of
from rules.laws.events import Fault, GameEvent, Opened, Ply, Press, Ready, Seated

STAMP = Stamp(wall_ms=1_790_000_000_000, mono_us=5_000_000, boot="boot-a", sync=True)
LATER = Stamp(wall_ms=1_600_000_000_000, mono_us=1_000, boot="boot-b", sync=False)
SEATED: tuple[GameEvent, ...] = (Seated(10, "white"), Seated(12, "black"))


def enrolled(path: Path) -> Outbox:
    outbox = Outbox.open(path)
    outbox.enrol(1, STAMP, 5, "enrolled")
    return outbox


def test_a_new_table_is_not_enrolled_and_refuses_events(tmp_path: Path) -> None:
    outbox = Outbox.open(tmp_path / "table-1.db")
    assert (outbox.epoch, outbox.last, outbox.acked, outbox.incarnation, outbox.last_boot) == (0, 0, 0, 0, "")
    assert int(outbox.instance, 16) >= 0
    with pytest.raises(NotEnrolled, match="connect it to a hub"):
        outbox.append(SEATED, "r1b1", STAMP)
    assert list(outbox.events()) == []
    assert outbox.pending(0, 10) == ()


def test_enrolment_opens_the_epoch_and_events_are_chained(tmp_path: Path) -> None:
    outbox = Outbox.open(tmp_path / "table-1.db")
    (opened,) = outbox.enrol(3, STAMP, 5, "replaced")
    assert (opened.e, opened.s, opened.prev, event_of(opened.kind, opened.d)) == (3, 1, "", Opened(5, "replaced"))
    messages = outbox.append(SEATED, "r1b1", STAMP)
    assert [(m.e, m.s, m.g, m.kind) for m in messages] == [(3, 2, "r1b1", "seated"), (3, 3, "r1b1", "seated")]
    assert [m.prev for m in messages] == [chain_hash(opened), chain_hash(messages[0])]
    assert outbox.last == 3
    assert outbox.append((), "r1b1", STAMP) == ()


def test_a_reopened_outbox_is_the_same_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "table-1.db"
    outbox = enrolled(path)
    written = outbox.append(SEATED, "r1b1", STAMP)
    outbox.acknowledge(1, 2, 9)
    outbox.close()
    outbox.close()
    again = Outbox.open(path)
    assert again.instance == outbox.instance
    assert (again.epoch, again.last, again.acked, again.incarnation, again.last_boot) == (1, 3, 2, 9, "boot-a")
    assert again.pending(1, 10) == written
    assert again.pending(2, 10) == written[1:]
    assert again.pending(1, 1) == written[:1]
    (ready,) = again.append((Ready(20, "white"),), "r1b1", LATER)
    assert (ready.s, ready.prev, ready.sync) == (4, chain_hash(written[1]), False)
    assert again.last_boot == "boot-b"
    assert list(again.events()) == [Opened(5, "enrolled"), *SEATED, Ready(20, "white")]
    assert [m.s for m in again.messages()] == [1, 2, 3, 4]


def test_acknowledgements_only_go_forward_and_never_beyond_the_end(tmp_path: Path) -> None:
    outbox = enrolled(tmp_path / "table-1.db")
    outbox.append(SEATED, "r1b1", STAMP)
    assert outbox.acknowledge(1, 2, 4)
    assert not outbox.acknowledge(1, 2, 4)
    assert not outbox.acknowledge(1, 1, 4)
    assert not outbox.acknowledge(2, 3, 4)
    assert not outbox.acknowledge(0, 3, 4)
    assert not outbox.acknowledge(1, 99, 4)
    assert outbox.acked == 2
    assert not outbox.acknowledge(1, 2, 5)
    assert outbox.incarnation == 5
    outbox.rewind(1)
    assert outbox.acked == 1
    outbox.rewind(3)
    assert outbox.acked == 1


def test_the_acknowledgement_is_not_synced_but_events_are(tmp_path: Path) -> None:
    outbox = enrolled(tmp_path / "table-1.db")
    outbox.acknowledge(1, 1, 1)
    assert outbox._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert outbox._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_new_epoch_keeps_the_old_games(tmp_path: Path) -> None:
    path = tmp_path / "table-1.db"
    outbox = enrolled(path)
    outbox.append(SEATED, "r1b1", STAMP)
    outbox.acknowledge(1, 3, 2)
    with pytest.raises(OldEpoch, match="not newer"):
        outbox.enrol(1, STAMP, 6, "enrolled")
    outbox.enrol(4, STAMP, 7, "enrolled")
    assert (outbox.epoch, outbox.last, outbox.acked, outbox.incarnation) == (4, 1, 0, 0)
    assert [m.e for m in outbox.pending(0, 10)] == [4]
    assert [(m.e, m.s) for m in Outbox.open(path).messages()] == [(1, 1), (1, 2), (1, 3), (4, 1)]


def test_a_batch_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    outbox = enrolled(tmp_path / "table-1.db")
    (pages,) = outbox._connection.execute("PRAGMA page_count").fetchone()
    outbox._connection.execute(f"PRAGMA max_page_count={pages + 1}")
    with pytest.raises(StoreFull):
        outbox.append([Fault(n, "board", "x" * 3_000) for n in range(20)], "r1b1", STAMP)
    assert outbox.last == 1
    with pytest.raises(StoreFull):
        outbox.enrol(2, STAMP, 6, "x" * 15_000)
    assert (outbox.epoch, outbox.last) == (1, 1)
    (seated,) = outbox.append(SEATED[:1], "r1b1", STAMP)
    assert seated.s == 2
    assert seated.prev == chain_hash(outbox.pending(0, 1)[0])


def test_many_events_are_read_in_parts(tmp_path: Path) -> None:
    outbox = enrolled(tmp_path / "table-1.db")
    plies: list[GameEvent] = []
    for n in range(700):
        plies += [Ply(n, "white", "e2e4", n, n), Press(n, "white", n, n)]
    outbox.append(plies, "r1b1", STAMP)
    assert [m.s for m in outbox.messages()] == list(range(1, 1_402))
    assert list(outbox.events())[1:] == plies


def test_an_event_that_this_version_does_not_know_is_left_out_of_the_fold_only(tmp_path: Path) -> None:
    outbox = enrolled(tmp_path / "table-1.db")
    outbox.append(SEATED, "r1b1", STAMP)
    outbox._connection.execute("UPDATE events SET kind = 'telepathy' WHERE seq = 2")
    assert list(outbox.events()) == [Opened(5, "enrolled"), SEATED[1]]
    assert [m.kind for m in outbox.messages()] == ["opened", "telepathy", "seated"]


def test_the_journal_keeps_the_newest_clocks(tmp_path: Path) -> None:
    path = tmp_path / "table-1.db"
    outbox = enrolled(path)
    assert outbox.last_journal() is None
    outbox.journal(1_000, 900_000, 899_000, STAMP)
    outbox.journal(2_000, 900_000, 898_000, LATER)
    outbox.close()
    again = Outbox.open(path)
    assert again.last_journal() == Journal(2_000, 900_000, 898_000, LATER)
    assert again.last_boot == "boot-b"


def test_what_append_returned_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "table-1.db"
    code = """
import sys
from pathlib import Path
from hallnet.outbox import Outbox, Stamp
from rules.laws.events import Seated
outbox = Outbox.open(Path(sys.argv[1]))
stamp = Stamp(1, 1, "b", True)
outbox.enrol(1, stamp, 1, "enrolled")
while True:
    (message,) = outbox.append((Seated(outbox.last, "white"),), "r1b1", stamp)
    print(message.s, flush=True)
"""
    with subprocess.Popen((sys.executable, "-c", code, str(path)), stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        said = [int(table.stdout.readline()) for _n in range(20)]
        os.kill(table.pid, signal.SIGKILL)
        said += [int(line) for line in table.stdout.read().split()]
    outbox = Outbox.open(path)
    assert outbox.last >= said[-1]
    assert [m.s for m in outbox.messages()] == list(range(1, outbox.last + 1))


def test_a_damaged_outbox_says_so(tmp_path: Path) -> None:
    path = tmp_path / "table-1.db"
    path.write_bytes(b"\0" * 8192)
    outbox = Outbox.open(path)
    assert outbox.epoch == 0
    assert len(outbox.notices) == 1
    assert "damaged" in outbox.notices[0]
