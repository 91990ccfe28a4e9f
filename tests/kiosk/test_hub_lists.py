"""Rating lists, places by hand and pairs as they were played, from the desk and from the hub's settings."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hallnet.hall_log import HallLog
from hallnet.wire import Address
from kiosk.hub.book_view import told_book
from kiosk.hub.config import ConfigError, HubConfig, load, parse
from kiosk.hub.core import HubCore
from kiosk.hub.entries import EntriesError, ListFile, load_list
from kiosk.hub.export import event_trf, standings_of
from kiosk.hub.hall import read_hall
from kiosk.hub.opening import open_event
from rules.interchange.rating_list import RatedPlayer, write_rating_list
from rules.tournament.book_intents import Expel
from rules.tournament.entries import Entry
from tests.kiosk.hub_hall import Hall
from tests.kiosk.test_hub_book import confirms
from tests.rules.book_hall import Hall as Book


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables, six players, two rounds of rapid chess."""
    hall = Hall(tmp_path, tables=3)
    hall.connect()
    return hall


def book(hall: Hall) -> Any:
    return hall.must("book").d


def play(hall: Hall) -> None:
    """A round in which Black resigns everywhere."""
    hall.begin_round()
    for row in hall.view.boards.rows:
        if row.state == "playing":
            hall.tables[row.table].resign("black")
    hall.settle()


ROWS = [
    {"fide_id": 1, "name": "Petrova, Anna", "federation": "SRB", "standard": 2300, "rapid": 2250},
    {"fide_id": 2, "name": "Ivanov, Boris", "federation": "SRB", "standard": 2150},
]


def test_a_list_is_loaded_checked_and_taken_over_from_the_desk(hall: Hall) -> None:
    hall.must("correct-entry", tpn=1, fide_id=1)
    hall.must("correct-entry", tpn=2, fide_id=2)
    hall.must("rating-list", name="FIDE", valid_from="2026/11/01", players=ROWS, day="2026/11/20")
    told = hall.must("book", day="2026/11/20").d
    assert told["list_order"] == ["rapid", "standard", "blitz"], "15+10 is rapid chess"
    assert [(each["name"], each["in_force"]) for each in told["lists"]] == [("FIDE", True)]
    assert told["checked"]["differing"] == [1]
    assert [each["words"] for each in told["rating_differences"]] == ["1 Petrova, Anna: rating 2200, on the list 2250."]
    confirms(hall, "update-ratings", "ratings-updated", day="2026/11/20")
    assert hall.must("book", day="2026/11/20").d["rating_differences"] == []
    assert (book(hall)["players"][0]["rating"], book(hall)["players"][0]["source"]) == (2250, "FIDE")
    assert not hall.do("rating-list", name="FIDE", valid_from="2026/11/01", players=[{"fide_id": 1}]).ok
    assert not hall.do("rating-list", name="x", valid_from="2026/11/01", players=ROWS, origin="me").ok
    assert not hall.do("pick-rating", tpn=1, list="FIDE", kind="bullet").ok
    assert not hall.do("rate-round", tpn=1, round=2, rating=2400).ok, "the event is not a long one"
    out = hall.do("check-ratings", day="2026/12/20")
    assert [w["key"] for w in out.d["warnings"]] == ["list-old"]


def test_the_pairs_of_two_running_games_are_exchanged_and_their_tables_play_on(hall: Hall) -> None:
    hall.begin_round()
    rows = {row.board: row for row in hall.view.boards.rows}
    one, other = (rows[1].white.tpn, rows[1].black.tpn), (rows[2].white.tpn, rows[2].black.tpn)
    moves = hall.tables["1"].state.phase
    assert moves == "playing"
    d = {"boards": [[1, *other], [2, *one]], "why": "they sat at each other's boards"}
    confirms(hall, "replace-pairs", "pairs-replaced", "pairs-replaced", **d)
    rows = {row.board: row for row in hall.view.boards.rows}
    assert ((rows[1].white.tpn, rows[1].black.tpn), rows[1].state) == (other, "playing")
    for row in hall.view.boards.rows:
        hall.tables[row.table].resign("black")
    hall.settle()
    sheet = hall.core.hall.state.rounds[0]
    assert {board: result.score for board, result in sheet.results.items()} == {1: "1-0", 2: "1-0", 3: "1-0"}
    assert hall.core.hall.state.score_half_points(other[0], 1) == 2
    assert not hall.core.hall.state.calls, "nobody has to be asked"
    assert f"### MPA @ Round 1: {one[0]}-{one[1]} {other[0]}-{other[1]}" in event_trf(hall.core.hall.state).decode()
    assert not hall.do("replace-pairs", boards=[[1, 2]], why="x").ok
    assert not hall.do("replace-pairs", boards="all", why="x").ok


def test_tied_players_are_put_in_order_at_the_desk_and_the_hub_remembers_it(hall: Hall) -> None:
    confirms_codes = ("WIN", "OTHER_OUTSIDE")
    hall.must("regulations", changes={"tie_breaks": list(confirms_codes)})
    play(hall)
    play(hall)
    tied = book(hall)["tied"]
    assert tied
    first = tied[0]
    hall.must("outside-value", tpn=first[0], value="3", why="the club's season")
    hall.must("outside-value", tpn=first[0], value="", why="not this season")
    confirms(hall, "order-tied", "ordered-by-hand", order=list(reversed(first)), why="play-off")
    assert book(hall)["orders"][0]["why"] == "play-off"
    rows = [row for row in hall.view.standings.rows if row.tpn in first]
    assert [row.tpn for row in rows] == list(reversed(first))
    assert {row.decided_by for row in rows} == {"HAND"}
    state = hall.core.hall.state
    hall.must("excuse", tpn=first[0], round=1, why="ill")
    assert book(hall)["excused"] == [{"tpn": first[0], "round": 1}]
    assert state.tied_orders


def test_who_has_no_place_reaches_the_desks_with_the_reason(hall: Hall) -> None:
    play(hall)
    confirms(hall, "expel", "expelled", tpn=2, why="a telephone")
    row = hall.view.standings.rows[-1]
    assert (row.tpn, row.excluded, row.withdrawn) == (2, True, True)
    assert "Expelled: no place" in row.reason
    assert [r.excluded for r in hall.view.standings.rows[:-1]] == [False] * 5
    assert standings_of(hall.core.hall.state)["players"]["2"]["excluded"] is True


def test_the_book_is_plain_data_whatever_stands_in_it() -> None:
    there = Book(4, 3, long_event=True, start_date="2026/05/01")
    there.plays("1-0")
    there.confirms(Expel(2, "x"), "expelled")
    told = told_book(there.state, "2026/05/02")
    assert told["proposals"] == []
    assert told["players"][0]["age"] is None
    assert told["list_problem"] == ""


# -- settings ---------------------------------------------------------------------------------------------------------


def write_lists(folder: Path) -> tuple[Path, ...]:
    """One list as it is, packed with gzip, and packed with zip."""
    data = b"".join(write_rating_list(RatedPlayer(100 + n, f"Player {n}", standard=2000 + n) for n in range(1, 400)))
    plain, packed, zipped = folder / "list.txt", folder / "list.gz", folder / "list.zip"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("players_list.txt", data)
    return plain, packed, zipped


def test_a_list_is_read_as_it_is_or_packed_and_only_its_players_of_the_event_are_kept(tmp_path: Path) -> None:
    entries = (Entry(1, "Player 7", fide_id=107), Entry(2, "Player 9"))
    for path in write_lists(tmp_path):
        found = load_list(ListFile(path, "2026/11/01", "FIDE"), entries, "2026/11/20")
        assert [(p.fide_id, p.standard) for p in found.players] == [(107, 2007), (109, 2009)]
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no")
    (tmp_path / "other.txt").write_text("nothing of that kind\n", encoding="utf-8")
    for name in ("broken.zip", "other.txt", "missing.txt"):
        with pytest.raises(EntriesError, match=name):
            load_list(ListFile(tmp_path / name, "2026/11/01", "FIDE"), entries, "2026/11/20")


def test_lists_are_named_in_the_settings_and_read_at_every_start(tmp_path: Path) -> None:
    write_lists(tmp_path)
    (tmp_path / "hub.toml").write_text(
        'rating-lists = [{file = "list.txt", from = "2026/11/01", name = "FIDE November"}]\n'
        '[regulations]\nstart-date = "2026/11/20"\nrounds = 1\ncontrol = "90+30"\n',
        encoding="utf-8",
    )
    config = replace(load(tmp_path / "hub.toml"), entries=(Entry(0, "Player 7", 1999, fide_id=107), Entry(0, "Ana")))
    assert config.rating_lists == (ListFile(tmp_path / "list.txt", "2026/11/01", "FIDE November"),)
    for _start in range(2):
        log = HallLog.open(tmp_path / "hall.db")
        core = HubCore(log, Address("spring", "hall"), boot="b")
        open_event(core, config)
        assert [each.name for each in core.hall.state.lists] == ["FIDE November"]
        checked = core.hall.state.ratings_checked
        assert checked is not None
        assert [core.hall.state.entries[tpn].name for tpn in checked.differing] == ["Player 7"]
        assert read_hall(log).state == core.hall.state
        log.close()


def test_what_is_no_list_in_the_settings_is_refused_with_its_line() -> None:
    for text in (
        'rating-lists = "list.txt"',
        'rating-lists = [{file = "list.txt"}]',
        'rating-lists = [{file = "list.txt", from = "November"}]',
        'rating-lists = [{file = "list.txt", from = "2026/11/01", origin = "mine"}]',
        'rating-lists = [{file = "list.txt", from = "2026/11/01", kind = "rapid"}]',
        '[regulations]\nrating-order = ["bullet"]',
        "[regulations]\ncycles = 3",
    ):
        with pytest.raises(ConfigError, match=r"line [12]"):
            parse(text, "hub.toml")
    assert parse('[regulations]\nrating-order = ["standard", "blitz"]').rating_order == ("standard", "blitz")
    assert HubConfig().rating_lists == ()
