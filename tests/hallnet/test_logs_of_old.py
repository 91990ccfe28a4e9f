"""Logs are read for ever: one file of each format, opened and folded as on the day it was written."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from hallnet.chain import chain_hash
from hallnet.hall_log import HallLog
from hallnet.outbox import Journal, Outbox, Stamp
from hallnet.wire import event_of
from rules.laws import events as laws_events
from rules.laws.events import Seated
from rules.laws.game import replay as replay_game
from rules.tournament import events as tournament_kinds
from rules.tournament.state import replay as replay_tournament

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox.open(Path(shutil.copy(DATA / "outbox_v1.db", tmp_path / "table-3.db")))


@pytest.fixture
def hall(tmp_path: Path) -> HallLog:
    return HallLog.open(Path(shutil.copy(DATA / "hall_v1.db", tmp_path / "hall.db")))


def test_an_outbox_of_format_1_is_the_game_it_was(outbox: Outbox) -> None:
    assert outbox.notices == ()
    assert (outbox.instance, outbox.epoch, outbox.last, outbox.acked, outbox.incarnation) == (
        "8ce813e32d855d15",
        2,
        23,
        5,
        2,
    )
    first = replay_game(event_of(m.kind, m.d) for m in outbox.messages() if m.e == 1)
    assert (first.score, first.ended_by, first.phase) == ("0-1", "checkmate", "confirmed")
    assert [ply.uci for ply in first.plies] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    whole = replay_game(outbox.events())
    assert (whole.round, whole.phase, len(whole.plies)) == (2, "disputed", 1)
    boot = "6a1f0c2e-0000-4000-8000-000000000002"
    assert outbox.last_boot == boot
    assert outbox.last_journal() == Journal(38_000, 911_000, 896_000, Stamp(1_795_000_900_000, 30_000_000, boot, False))


def test_its_chain_still_fits_and_goes_on(outbox: Outbox) -> None:
    before = ""
    for msg in outbox.messages():
        assert msg.prev == ("" if msg.s == 1 else before)
        before = chain_hash(msg)
    assert before == "62526a54b219f157"
    stamp = Stamp(1, 2, "boot", True)
    (seated,) = outbox.append([Seated(50_000, "white")], "r2b1", stamp)
    assert (seated.s, seated.prev) == (24, before)


def test_every_kind_of_game_event_is_in_it(outbox: Outbox) -> None:
    kinds = {msg.kind for msg in outbox.messages()}
    assert kinds <= set(laws_events.KINDS)
    assert len(kinds) == 24


def test_a_hall_log_of_format_1_is_the_event_it_was(hall: HallLog) -> None:
    assert hall.notices == ()
    event = replay_tournament(hall.tournament_events())
    assert event.regulations is not None
    assert event.regulations.name == "Ostrava Open"
    assert event.entries[1].name == "Nováková, Anna"
    assert event.rounds[0].results[1].score == "0-1"
    assert event.score_half_points(2, 1) == 2
    assert event.finished
    assert event.incarnation == 1
    assert event.devices["3"].epoch == 1
    assert hall.last("3", 1) == (18, "d129cbf7807cf599")
    assert hall.held("3", 1) == ()
    assert hall.stats() == {
        "table_events": 18,
        "tournament_events": 18,
        "set_aside": 1,
        "conflicts": 1,
        "duplicates": 0,
    }


def test_every_kind_of_tournament_event_is_in_it(hall: HallLog) -> None:
    kinds = {type(event) for event in hall.tournament_events()}
    assert kinds <= set(tournament_kinds.KINDS.values())
    assert len(kinds) == 17


@pytest.mark.parametrize(
    ("name", "digest"),
    [("outbox_v1.db", "b68efa6ad2364035"), ("hall_v1.db", "d8bfabd3fbe9ab77")],
)
def test_the_files_themselves_were_not_made_again(name: str, digest: str) -> None:
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest()[:16] == digest
