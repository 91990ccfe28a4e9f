"""Prizes from the settings to the paper: announced in hub.toml, divided by the hub, written when the event is over."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from hallnet.book_views import PrizesView
from hallnet.enrol import EVERYBODY
from hallnet.keys import Key
from kiosk.hub.config import ConfigError, parse
from kiosk.hub.export import export_copy
from kiosk.hub.inputs import FilesWritten, Refusals, SafeKeep
from kiosk.hub.office import _ANSWERS, LOOKS
from tests.kiosk.hub_hall import Hall
from tests.kiosk.test_hub_core import play_event
from tests.kiosk.test_hub_office import Office

ANNOUNCED = """
[regulations]
start-date = "2026/12/05"
one-prize-each = false
prizes-for-withdrawn = true

[[prizes]]
name = "Main prizes"
money = [300, 150, 90.50]

[[prizes]]
name = "Girls under 14"
money = [50, 25]
sharing = "none"
for = ["U14", "W"]
round-to = 0.5
"""


def test_prizes_are_announced_in_the_settings() -> None:
    told = parse(ANNOUNCED).regulations()
    assert told.prizes == ("Main prizes: 300 150 90.50", "Girls under 14: 50 25, none, for U14 W, in 0.50")
    assert not told.one_prize_each
    assert told.withdrawn_win


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("prizes = 3", 1, r"as a table that begins with \[\[prizes\]\]"),
        ("[prizes]\nmain = [1]", 1, "as a table that begins with"),
        ('[[prizes]]\nname = "A"', 1, "this list of prizes has no money"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\n[[prizes]]\nname = "B"\nmonye = [1]', 6, "known are name, money"),
        ('[[prizes]]\nname = "A"\nmoney = [1, 2]', 3, "from the first place down"),
        ('[[prizes]]\nname = "A"\nmoney = [1.234]', 3, "150 or 99.50"),
        ('[[prizes]]\nname = "A"\nmoney = 5', 3, r"such as \[300, 150, 90\]"),
        ('[[prizes]]\nname = "A:B"\nmoney = [1]', 2, "without : and ;"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\nsharing = "half"', 4, "one of equal, hort, none"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\nfor = ["men"]', 4, "'men' is no sign of players"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\nfor = "W"', 4, "a list of signs"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\nround-to = 0', 4, "above zero to round to"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\n[[prizes]]\nname = "A"\nmoney = [1]', 1, "have the name 'A'"),
        ('[[prizes]]\nname = "A"\nmoney = [1]\nfor = ["U14"]', 1, "announce the first day of the event"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_remedy(text: str, line: int, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as refused:
        parse(text, "hub.toml")
    assert refused.value.line == line
    assert str(refused.value).startswith(f"hub.toml, line {line}: ")


def told(hall: Hall, **d: int) -> PrizesView:
    return msgspec.convert(msgspec.to_builtins(hall.must("prizes", **d).d), PrizesView)


def test_the_prizes_follow_the_event_and_are_written_when_it_is_over(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    hall = Hall(tmp_path / "hub", players=7)
    hall.connect()
    lists = ["Main prizes: 300 150 90", "Home: 60 30, hort, for SRB", "Away: 10, for NOR"]
    hall.must("regulations", changes={"prizes": lists, "one_prize_each": True}, why="sponsors")
    before = told(hall)
    assert (before.round, before.final, before.awards, before.paid, before.fund) == (0, False, (), "0", "640")
    play_event(hall)
    after = told(hall)
    assert after.final
    assert (after.fund, after.unclaimed) == ("640", "10")
    assert sum(award.cents for award in after.awards) == 63000
    assert len({award.tpn for award in after.awards}) == len(after.awards), "one prize each"
    assert all(award.reason for award in after.awards)
    assert after.remarks == ("10 of Away can be won by nobody.",)
    first = told(hall, round=1)
    assert (first.round, first.final) == (1, False)
    assert "Round 9 is not public" in hall.do("prizes", round=9).why
    hall.core.log.close()
    export_copy(tmp_path / "hub" / "hall.db", tmp_path / "files")
    read = msgspec.json.decode((tmp_path / "files" / "prizes.json").read_bytes(), type=PrizesView)
    assert read == after
    page = (tmp_path / "files" / "prizes.txt").read_text("utf-8")
    assert page.startswith("Spring Open\nPrizes\n")
    assert "Paid 630, not won 10, together 640." in page
    for award in after.awards:
        assert award.name in page
        assert award.reason in " ".join(page.split())
    assert json.loads((tmp_path / "files" / "standings.json").read_text("utf-8"))["order"]


def test_who_has_withdrawn_or_was_expelled_wins_nothing_unless_it_was_announced(tmp_path: Path) -> None:
    hall = Hall(tmp_path, players=7)
    hall.connect()
    hall.must("regulations", changes={"prizes": ["Main prizes: 300 150 90"]}, why="sponsors")
    play_event_but_the_end(hall)
    best = told(hall).awards[0]
    hall.must("withdraw", tpn=best.tpn, why="ill")
    left = told(hall)
    assert best.tpn not in {award.tpn for award in left.awards}
    assert left.remarks == (f"No prize, withdrawn: {best.name}.",)
    hall.must("regulations", changes={"withdrawn_win": True}, why="as announced on paper")
    assert best.tpn in {award.tpn for award in told(hall).awards}


def play_event_but_the_end(hall: Hall) -> None:
    """One round: every White wins."""
    hall.begin_round()
    for row in hall.view.boards.rows:
        hall.tables[row.table].resign("black")
    hall.settle()


def test_the_files_are_written_when_asked_for_and_at_the_end(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.must("files")
    assert SafeKeep(files=True) in office.outputs
    for why, says in (
        ("", "The event's files are in /hall/files."),
        ("disk full", "disk full): look at the hub's disk"),
    ):
        office.step(FilesWritten("/hall/files", why, office.now, office.wall))
        assert says in office.core.streams.notices[-1]
    (tmp_path / "hub").mkdir()
    hall = Hall(tmp_path / "hub", players=7)
    hall.connect()
    play_event(hall)
    assert hall.core.hall.state.finished
    assert hall.core._kept[-1] is True


def test_looking_at_any_page_is_allowed_to_a_desk_that_may_only_look(tmp_path: Path) -> None:
    assert {"book", "sheet", "correction", "prizes"} <= LOOKS
    assert "files" in _ANSWERS
    assert "files" not in LOOKS
    office = Office(tmp_path)
    office.must("key-grant", role="wall", name="looker", public=Key.make().public)
    for kind in ("book", "sheet", "prizes", "standings"):
        assert office.ask(kind, desk="looker").ok, kind
    assert "may only look" in office.ask("pair", desk="looker").why


def test_a_table_that_waits_is_known_by_its_knock(tmp_path: Path) -> None:
    office = Office(tmp_path)
    knock = Refusals("key", EVERYBODY.public, "", 1, office.now, office.wall)
    for _again in range(3):
        office.step(knock)
    waits = "A device waits to be let in: open the door for it on the page of the devices."
    assert office.core.streams.notices.count(waits) == 1
    assert not any("unknown key" in notice for notice in office.core.streams.notices)
    assert office.page().refused == 0
    office.must("enrol-open", role="table", name="12")
    assert waits not in office.core.streams.notices
    office.step(Refusals("write", EVERYBODY.public, "a.b", 1, office.now, office.wall))
    assert "a device without a key of its own wanted to write on a.b" in office.core.streams.notices[-1]
