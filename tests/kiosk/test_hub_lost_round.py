"""The log is an older copy, and a round that was public is not in it: its numbers are not given out a second time."""

from __future__ import annotations

from pathlib import Path

from hallnet import wire
from hallnet.hall_log import HallLog
from kiosk.hub.core import HubCore
from kiosk.hub.inputs import FromTable
from tests.kiosk.hub_hall import ADDRESS, Hall


def test_a_sheet_that_tables_have_and_the_log_has_not_is_told_and_its_revision_not_used_again(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.connect()
    hall.must("pair")
    beat = wire.Heartbeat(boot="b1", instance="i1", conn=9, n=9, e=1, last=1, acked=1, round=1, rev=3,
                          mono=10**9, wall=hall.wall)  # fmt: skip
    hall.core.step([FromTable("9", "hb", wire.encode(beat), hall.at, hall.wall)])
    assert any("Tables already have round 1" in notice for notice in hall.core.streams.notices)
    hall.must("publish")
    sheet = hall.core.hall.state.current_round
    assert sheet is not None
    assert sheet.rev == 4, "a table takes it, because it is newer than what it has"


def test_without_a_loss_the_first_sheet_is_the_first_revision(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.connect()
    hall.begin_round()
    sheet = hall.core.hall.state.current_round
    assert sheet is not None
    assert sheet.rev == 1
    assert not any("already" in notice for notice in hall.core.streams.notices)
    hall.core.log.close()
    core = HubCore(HallLog.open(hall.path), ADDRESS, boot="again")
    assert core.hall.state.current_round == sheet
