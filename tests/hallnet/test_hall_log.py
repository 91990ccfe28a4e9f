"""The hub's log: what the tables sent and what became of it, together or not at all."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hallnet.chain import chain_hash
from hallnet.errors import StoreError
from hallnet.hall_log import HallLog
from hallnet.outbox import Outbox, Stamp
from hallnet.wire import EventMsg
from rules.laws.events import Fault, Ready, Seated
from rules.tournament.entries import Entry
from rules.tournament.events import (
    Created,
    DeviceEnrolled,
    Entered,
    Ordered,
    Pair,
    Paired,
    Published,
    Regulations,
    Resulted,
    TournamentEvent,
)

STAMP = Stamp(wall_ms=1_790_000_000_000, mono_us=5, boot="boot-a", sync=True)
RESULT = Resulted(at=3, round=1, board=1, score="1-0", source="confirmed", by="table 3")
STORY: tuple[TournamentEvent, ...] = (
    Created(1, Regulations("Ostrava Open", 9, tie_breaks=("BH/C1", "SB"))),
    Entered(1, (Entry(1, "Nováková, Jana", 2100, "WGM", "CZE"), Entry(2, "Søby, Åse"))),
    Paired(2, 1, (Pair(1, 1, 2),), None, {"3": "H"}, ("top half against bottom half",), "arbiter"),
    Published(2, 1, 1, "cafe", {"1": "3"}, "arbiter"),
    DeviceEnrolled(2, "3", 1, "00ff", "enrolled"),
    Ordered(2, "o1", "3", "r1b1", "times", {"white_ms": 5, "why": "bell"}, "arbiter"),
    RESULT,
)


@pytest.fixture
def sent(tmp_path: Path) -> tuple[EventMsg, ...]:
    """Six chained events of a table."""
    outbox = Outbox.open(tmp_path / "table-3.db")
    outbox.enrol(1, STAMP, 1, "enrolled")
    outbox.append([Seated(2, "white"), Seated(3, "black"), Ready(4, "white"), Ready(5, "black")], "r1b1", STAMP)
    outbox.append([Fault(6, "board", "ł cable")], "r1b1", STAMP)
    return outbox.pending(0, 100)


@pytest.fixture
def hall(tmp_path: Path) -> HallLog:
    return HallLog.open(tmp_path / "hall.db")


def test_a_tables_event_is_kept_once_and_comes_back_as_it_was(hall: HallLog, sent: tuple[EventMsg, ...]) -> None:
    for msg in sent:
        assert hall.insert("3", msg, 77)
    assert not hall.insert("3", sent[2], 78)
    assert not hall.insert("3", msgspec.structs.replace(sent[2], wall=0), 78)
    assert hall.insert("4", sent[0], 79)
    assert hall.count_duplicates() == 2
    assert [msg for _table, msg in hall.table_messages("3")] == list(sent)
    assert [table for table, _msg in hall.table_messages()] == ["3"] * 6 + ["4"]
    assert hall.find("3", 1, 2) == sent[1]
    assert hall.find("5", 1, 2) is None


def test_a_result_and_its_cause_are_committed_together_or_not_at_all(
    hall: HallLog, sent: tuple[EventMsg, ...], tmp_path: Path
) -> None:
    def fail_half_way() -> None:
        with hall.transaction():
            hall.insert("3", sent[0], 77)
            hall.append([RESULT], ("3", 1, 1))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert list(hall.table_messages()) == []
    assert list(hall.tournament_events()) == []
    with hall.transaction():
        hall.insert("3", sent[0], 77)
        assert hall.append([RESULT], ("3", 1, 1)) == [1]
    other = HallLog.open(tmp_path / "hall.db")
    assert list(other.tournament_events()) == [RESULT]
    rows = other._connection.execute("SELECT cause_table, cause_epoch, cause_seq, at, kind FROM tournament_events")
    assert rows.fetchall() == [("3", 1, 1, 3, "resulted")]


def test_the_tournaments_story_comes_back_in_order(hall: HallLog, tmp_path: Path) -> None:
    assert hall.append(STORY[:3]) == [1, 2, 3]
    hall.close()
    hall.close()
    again = HallLog.open(tmp_path / "hall.db")
    assert again.append(STORY[3:]) == [4, 5, 6, 7]
    assert tuple(again.tournament_events()) == STORY


def test_a_long_story_is_read_in_parts(hall: HallLog, sent: tuple[EventMsg, ...]) -> None:
    hall.append([RESULT] * 2_500)
    with hall.transaction():
        for seq in range(1, 1_301):
            hall.insert(str(seq % 2), msgspec.structs.replace(sent[0], s=seq), 1)
    assert sum(1 for _event in hall.tournament_events()) == 2_500
    assert [(t, m.s) for t, m in hall.table_messages()] == sorted((str(s % 2), s) for s in range(1, 1_301))


def test_last_stops_at_a_gap_and_gives_the_hash_to_expect(hall: HallLog, sent: tuple[EventMsg, ...]) -> None:
    assert hall.last("3", 1) == (0, "")
    for index in (1, 0, 4):
        hall.insert("3", sent[index], 1)
    assert hall.last("3", 1) == (2, sent[2].prev)
    assert hall.held("3", 1) == (sent[4],)
    hall.insert("3", sent[2], 1)
    hall.insert("3", sent[3], 1)
    assert hall.last("3", 1) == (5, chain_hash(sent[4]))
    assert hall.held("3", 1) == ()
    assert hall.last("3", 2) == (0, "")
    hall.insert("9", sent[3], 1)
    assert hall.last("9", 1) == (0, "")
    assert hall.held("9", 1) == (sent[3],)


def test_events_behind_a_gap_keep_their_effect_across_a_kill_of_the_hub(
    hall: HallLog, sent: tuple[EventMsg, ...]
) -> None:
    for index in (0, 1, 3):
        hall.insert("3", sent[index], 1)
    inbox = hall.inbox("3", 1)
    assert inbox.ack() == (1, 2)
    assert inbox.take(sent[3]).verdict == "duplicate"
    assert inbox.take(sent[2]).ready == (sent[2], sent[3])
    assert inbox.ack() == (1, 4)


def test_what_is_not_understood_or_contradicts_is_kept(hall: HallLog, sent: tuple[EventMsg, ...]) -> None:
    hall.set_aside("h1.e.h.t.3.up", b"\xff\x00nonsense", "not understood")
    hall.conflict("3", sent[0], "number taken")
    hall.insert("3", sent[0], 1)
    hall.insert("3", sent[0], 1)
    hall.append([RESULT])
    assert hall.stats() == {
        "table_events": 1,
        "tournament_events": 1,
        "set_aside": 1,
        "conflicts": 1,
        "duplicates": 1,
    }
    assert hall._connection.execute("SELECT subject, payload, why FROM set_aside").fetchall() == [
        ("h1.e.h.t.3.up", b"\xff\x00nonsense", "not understood")
    ]
    (kept,) = hall._connection.execute("SELECT message FROM conflicts").fetchone()
    assert msgspec.json.decode(kept, type=EventMsg) == sent[0]


def test_an_event_that_is_not_understood_stops_the_fold_with_a_sentence(hall: HallLog) -> None:
    hall.append(STORY)
    hall._connection.execute("UPDATE tournament_events SET kind = 'coronation' WHERE n = 5")
    with pytest.raises(StoreError, match=r"event 5 .*coronation.*use the version"):
        list(hall.tournament_events())
    hall._connection.execute("UPDATE tournament_events SET kind = 'resulted', d = '{}' WHERE n = 5")
    with pytest.raises(StoreError, match="event 5"):
        list(hall.tournament_events())


def test_the_log_is_synced_at_every_commit(hall: HallLog) -> None:
    assert hall._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert hall._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
