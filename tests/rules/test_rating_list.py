"""Rating lists: FIDE's layouts as they are, rows in any pieces, a world of players in little memory."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.errors import Adjustment, InterchangeError
from rules.interchange.rating_index import RatingList, folded, propose, wanted_only
from rules.interchange.rating_list import (
    Kind,
    RatedPlayer,
    read_rating_list,
    write_rating_list,
    write_rating_xml,
)
from rules.tournament.entries import TITLES, Entry

DATA = Path(__file__).parents[2] / "tests" / "data" / "interchange"
QUICK = settings(max_examples=60, deadline=None)

ANNA = RatedPlayer(90000001, "Adler, Anna", "AUT", "w", "WGM", "1990", 2310, 2205, 2188)
BRUNO = RatedPlayer(90000002, "Berg, Bruno", "GER", "m", "", "", 0, 1650, 0, inactive=True)
CARLA = RatedPlayer(90000003, "Conti, Carla", "ITA", "w", "FM", "2001", 2101, 0, 0)


def read(name: str, kind: Kind | None = None) -> tuple[list[RatedPlayer], list[Adjustment]]:
    told: list[Adjustment] = []
    with (DATA / name).open("rb") as file:
        return list(read_rating_list(file, name, kind, told)), told


# ------------------------------------------------------------------------------------------------ FIDE's layouts


@pytest.mark.parametrize("name", ["players_list.txt", "players_list.xml"])
def test_the_combined_list_in_both_layouts(name: str) -> None:
    assert read(name) == ([ANNA, BRUNO, CARLA], [])


@pytest.mark.parametrize("name", ["rapid_rating_list.txt", "rapid_rating_list.xml"])
def test_a_list_of_one_kind_is_known_by_its_name_or_by_being_told(name: str) -> None:
    assert [(p.standard, p.rapid) for p in read(name)[0]] == [(0, 2205), (0, 1650)]
    assert [(p.blitz, p.rapid) for p in read(name, "blitz")[0]] == [(2205, 0), (1650, 0)]


def test_an_old_list_with_headings_run_together_and_letters_for_titles() -> None:
    lines = [
        "ID number Name                              TitlFed  Mar11 GamesBorn  Flag",
        " 90000001 Adler, Anna                       wg  AUT  2310    0  1990  w   ",
        " 90000004 Dahl, Dag                         g   NOR  2600   11  1975      ",
        " 90000005 Eder, Eva                             AUT  1447    0  1995  wi  ",
    ]
    found = list(read_rating_list([("\r\n".join(lines)).encode()], "mar11frl.txt"))
    assert [(p.fide_id, p.title, p.federation, p.standard, p.birth, p.inactive) for p in found] == [
        (90000001, "WGM", "AUT", 2310, "1990", False),
        (90000004, "GM", "NOR", 2600, "1975", False),
        (90000005, "", "AUT", 1447, "1995", True),
    ]


def test_a_row_with_too_many_other_titles_is_read_like_the_rest() -> None:
    header, anna, *_rest = write_rating_list([ANNA])
    line = anna.decode()
    pushed = line[:94] + "SI,FI,LSI,SLI,NA" + "AFM " + line[113:]
    assert len(pushed) == len(line) + 1
    assert list(read_rating_list([header, pushed.encode()], "x")) == [ANNA]


def test_rows_that_cannot_be_read_are_left_out_and_told() -> None:
    rows = list(write_rating_list([ANNA, BRUNO, CARLA]))
    rows[1] = rows[1].replace(b"90000001", b"9000000x")
    rows[2] = rows[2].replace(b"1650", b"16.5")
    rows.insert(2, b"\r\n")
    told: list[Adjustment] = []
    assert list(read_rating_list(rows, "x", told=told)) == [CARLA]
    assert [(a.line, a.what) for a in told] == [
        (2, "“9000000x” is no FIDE id; the row is left out"),
        (4, "player 90000002 (Berg, Bruno): “16.5” is no rating; the row is left out"),
    ]


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        (b"", (1, 1), "names no columns of a rating list"),
        (b"PK\x03\x04 packed", (1, 1), "unpacked"),
        (b"\n\nname,rating\n", (3, 1), "names no columns"),
        (b"<html><body>", (1, 1), "the first element is html, not playerslist"),
        (b"<playerslist>\n<player></wrong>", (2, 11), "the XML is broken here"),
        (b"<playerslist>\n<player>", (2, 9), "the XML is broken here"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><playerslist/>', (1, 13), "declares no document type"),
    ],
)
def test_what_is_no_rating_list_is_refused(data: bytes, place: tuple[int, int], words: str) -> None:
    with pytest.raises(InterchangeError) as caught:
        list(read_rating_list([data], "list.txt"))
    defect = caught.value.defects[0]
    assert (defect.line, defect.column) == place
    assert words in str(caught.value)


texts = st.text(st.characters(blacklist_categories=("C", "Z"), blacklist_characters="\ufeff"), min_size=1, max_size=12)
rated = st.builds(
    RatedPlayer,
    fide_id=st.integers(1, 10**11 - 1),
    name=st.lists(texts, min_size=1, max_size=3).map(" ".join),
    federation=st.sampled_from(["", "FRA", "NOR"]),
    sex=st.sampled_from(["", "m", "w"]),
    title=st.sampled_from(TITLES),
    birth=st.sampled_from(["", "1931", "2001"]),
    standard=st.integers(0, 3000),
    rapid=st.integers(0, 3000),
    blitz=st.integers(0, 3000),
    inactive=st.booleans(),
)


@QUICK
@given(st.lists(rated, max_size=6), st.integers(1, 300), st.booleans())
def test_a_written_list_comes_back_in_pieces_of_any_size(players: list[RatedPlayer], size: int, xml: bool) -> None:
    data = b"".join((write_rating_xml if xml else write_rating_list)(players))
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    told: list[Adjustment] = []
    assert list(read_rating_list(pieces, "x", told=told)) == players
    assert told == []


@QUICK
@given(st.binary(max_size=200), st.sampled_from([b"", b"<playerslist>", b"ID Number  Name     Fed SRtng Flag\n"]))
def test_any_bytes_are_read_or_refused(data: bytes, before: bytes) -> None:
    found: list[RatedPlayer] = []
    try:
        found = list(read_rating_list([before + data], "x"))
    except InterchangeError as error:
        defects = error.defects
    else:
        defects = ()
    assert all(defect.line >= 1 and defect.column >= 1 for defect in defects)
    assert all(player.fide_id and player.name for player in found)


# ------------------------------------------------------------------------------------------------ the index


@QUICK
@given(st.lists(rated, max_size=30), st.integers(1, 10**11 - 1))
def test_the_index_holds_what_was_put_in(players: list[RatedPlayer], stranger: int) -> None:
    index = RatingList(players)
    assert [index[row] for row in range(len(index))] == players
    for player in players:
        assert index.by_id(player.fide_id) == next(p for p in players if p.fide_id == player.fide_id)
        if folded(player.name):
            assert player in index.by_name(player.name)
        beginning = index.beginning_with(player.name[:3], limit=99)
        assert (player in beginning) == bool(folded(player.name[:3])), "three signs that are no letters begin no name"
        assert all(folded(found.name).startswith(folded(player.name[:3])) for found in beginning)
    if stranger not in {p.fide_id for p in players}:
        assert index.by_id(stranger) is None


def test_names_are_found_without_accents_case_and_in_any_order() -> None:
    index = RatingList(
        [RatedPlayer(1, "Cermak, Zofie"), RatedPlayer(2, "Ostergaard, Soren"), RatedPlayer(3, "Cerny, I.")]
    )
    assert [p.fide_id for p in index.by_name("Žofie ČERMÁK")] == [1]
    assert [p.fide_id for p in index.by_name("Østergaard,Søren")] == [2]
    assert index.by_name("Zofie") == ()
    assert index.by_name(" , ") == ()
    assert [p.fide_id for p in index.beginning_with("čer")] == [1, 3]
    assert [p.fide_id for p in index.beginning_with("čer", limit=1)] == [1]


def many(count: int) -> Iterator[RatedPlayer]:
    rng = random.Random(7)
    for number in range(count):
        name = f"{''.join(rng.choices('abcdefghij', k=9)).title()}, {''.join(rng.choices('klmnop', k=7)).title()}"
        yield RatedPlayer(100_000 + number * 7, name, rng.choice(["FRA", "GER", "IND"]), "m", "", "1990", number % 2900)


def test_a_million_and_a_half_players_fit_into_three_hundred_megabytes() -> None:
    count = 2_000
    tracemalloc.start()
    try:
        index = RatingList(read_rating_list(write_rating_list(many(count)), "x"))
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(index) == count
    assert peak / count * 1_500_000 < 300e6


# ------------------------------------------------------------------------------------------------ entries

WORLD = RatingList(
    [ANNA, BRUNO, CARLA, RatedPlayer(90000010, "Li, Wei", "CHN", "m", "", "1990", 2000),
     RatedPlayer(90000011, "Li, Wei", "CHN", "w", "", "2005", 1800)],
    source="FIDE 2026-10",
)  # fmt: skip


def test_entries_are_filled_where_they_are_empty_and_nothing_is_changed_by_itself() -> None:
    entry = Entry(0, "adler anna", rating=2290)
    (proposal,) = propose([entry], WORLD)
    assert proposal.entry == entry
    assert (proposal.found_by, proposal.found, proposal.remark) == ("name", (ANNA,), "")
    assert proposal.filled == Entry(
        0, "adler anna", 2290, "WGM", "AUT", 90000001, "1990", "w", fide_rating=2310, source="FIDE 2026-10"
    )
    assert ("title", "", "WGM") in proposal.changes
    assert propose([entry], WORLD, overwrite=True)[0].filled.rating == 2310


def test_effective_rapid_ratings_fall_back_to_standard_ones() -> None:
    entries = [Entry(0, "Adler, Anna"), Entry(0, "Conti, Carla")]
    found = propose(entries, WORLD, ("rapid", "standard"))
    assert [p.filled.rating for p in found] == [2205, 2101]


def test_a_full_date_of_birth_is_not_shortened() -> None:
    entry = Entry(0, "Adler, Anna", birth="1990/05/17")
    assert propose([entry], WORLD, overwrite=True)[0].filled.birth == "1990/05/17"


def test_players_of_one_name_are_told_apart_or_shown_for_a_choice() -> None:
    both, younger = propose([Entry(0, "Li Wei"), Entry(0, "Wei Li", birth="2005/03/01")], WORLD)
    assert (len(both.found), both.filled, both.changes) == (2, Entry(0, "Li Wei"), ())
    assert both.remark == "several players of this name: choose one"
    assert younger.filled.fide_id == 90000011


def test_an_id_leads_even_when_the_name_raises_a_doubt() -> None:
    married, unknown = propose([Entry(0, "Novak, Ida", fide_id=90000003), Entry(0, "Adler, Anna", fide_id=5)], WORLD)
    assert (married.found, married.remark) == ((CARLA,), "the list calls this FIDE id Conti, Carla")
    assert (unknown.found, unknown.remark) == ((), "not in the list")


def test_of_a_stream_only_those_an_event_needs_are_kept() -> None:
    with (DATA / "players_list.txt").open("rb") as file:
        rows = read_rating_list(file, "players_list.txt")
        kept = list(wanted_only(rows, [Entry(0, "Conti Carla"), Entry(0, "?", fide_id=90000002)]))
    assert kept == [BRUNO, CARLA]


HEADINGS = b"ID Number      Name                           Fed Sex Tit  WTit OTit           FOA SRtng SGm SK B-day Flag"
ROW = b"1              Petrova, Anna                  SRB F   GM                           2300  0   10 1990     "


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 7, len(HEADINGS), len(HEADINGS) + 1, 1000])
def test_any_line_end_cut_anywhere(end: bytes, size: int) -> None:
    data = end.join([HEADINGS, ROW, b"x" + ROW, ROW.replace(b"1 ", b"2 ", 1), b""])
    told: list[Adjustment] = []
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [player.fide_id for player in read_rating_list(pieces, "x", told=told)] == [1, 2]
    assert [adjustment.line for adjustment in told] == [3]


def test_a_file_without_line_ends_is_given_up_early() -> None:
    taken = []

    def endless() -> Iterator[bytes]:
        for number in range(10_000):
            taken.append(number)
            yield b"x" * 65536

    with pytest.raises(InterchangeError, match="x:1:1: this line has no end, so this is no rating list"):
        list(read_rating_list(endless(), "x"))
    assert len(taken) < 20


@pytest.mark.parametrize("encoding", ["no-such", "gbk", "rot13", "zlib"])
def test_xml_in_an_encoding_nobody_reads_is_refused(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><playerslist></playerslist>'.encode()
    with pytest.raises(InterchangeError, match="x:1:1: the XML cannot be read in the encoding it names"):
        list(read_rating_list([data], "x"))
