"""Lists of entries: what a spreadsheet saves, and every fault of it at once with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.csv_entries import listable, read_entries, read_entry_list, write_entries
from rules.interchange.errors import InterchangeError
from rules.tournament.entries import TITLES, Entry

DATA = Path(__file__).parents[2] / "tests" / "data" / "interchange"
QUICK = settings(max_examples=60, deadline=None)


def refusal(data: str | bytes) -> InterchangeError:
    raw = data.encode() if isinstance(data, str) else data
    with pytest.raises(InterchangeError) as caught:
        read_entries(raw, "list.csv")
    return caught.value


def places(data: str | bytes) -> list[tuple[int, int]]:
    return [(d.line, d.column) for d in refusal(data).defects]


def test_a_list_with_semicolons_from_a_spreadsheet() -> None:
    assert read_entries((DATA / "entries.csv").read_bytes(), "entries.csv") == (
        Entry(0, "Čermák, Žofie", 2310, "WGM", "CZE", 90000001, "1990/05/17", "w", "SK Brno"),
        Entry(0, 'Byrne "Bob", D', 2290, "IM", "USA", 0, "1930", "m"),
        Entry(0, "Ng Li"),
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig"])
def test_separators_line_ends_and_bom(separator: str, end: str, codec: str) -> None:
    rows = [["Rating", "NAME"], ["2000", "Ann Öz"], ["", ""], ["0", "Bob"]]
    data = end.join(separator.join(row) for row in rows).encode(codec)
    assert read_entries(data, "x") == (Entry(0, "Ann Öz", 2000), Entry(0, "Bob"))


def test_names_alone_are_a_list() -> None:
    assert [e.name for e in read_entries(b"name\nAnn\nBob", "x")] == ["Ann", "Bob"]


def test_birth_dates_and_sexes_are_put_in_one_form() -> None:
    data = b"name,birth,sex\nAnn,1990-05-17,F\nBob,1.5.1990,m\nCat,24/05/1990,female\nDan,5/4/1990,m"
    assert places(data) == [(5, 5)]
    entries, told = read_entry_list(data.replace(b"5/4/1990", b"1990.5.4"), "x")
    assert [(e.birth, e.sex) for e in entries] == [
        ("1990/05/17", "w"), ("1990/05/01", "m"), ("1990/05/24", "w"), ("1990/05/04", "m"),
    ]  # fmt: skip
    assert [(a.line, a.column, a.what) for a in told] == [
        (3, 5, "“1.5.1990” read as 1990/05/01"),
        (4, 5, "“24/05/1990” read as 1990/05/24"),
        (4, 16, "“female” read as w"),
    ]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("No.;;Name;FideID;FED;Rtg;Club/City", "7;GM;Čermák, Jan;90000001;CZE;2310;Brno"),
        ("TPN,Titel,Nachname,Vorname,FIDE-ID,Verband,Elo,Verein", "7,gm,Čermák,Jan,90000001,cze,2310,Brno"),
        ("Name\tTit\tFed\tID\tRtgI\tFIDE-Nr.\tClub", "Čermák, Jan\tGM\tCZE\t7\t2310\t90000001\tBrno"),
        ("nr,nom,titre,federation,code fide,rating std,club", '7,"Čermák, Jan",GM,CZE,90000001,2310,Brno'),
    ],
)
def test_lists_of_other_programs_and_languages(header: str, row: str) -> None:
    other = row.replace("Čermák", "Novák").replace("90000001", "90000002").replace("7", "8", 1)
    entries, _told = read_entry_list("\n".join([header, row, other]).encode(), "x")
    found = entries[0]
    assert (found.tpn, found.name, found.title) == (7, "Čermák, Jan", "GM")
    assert (found.federation, found.fide_id, found.rating, found.club) == ("CZE", 90000001, 2310, "Brno")


def test_a_list_with_a_title_above_its_columns() -> None:
    data = 'Open "Graz" 2026\nStarting list\n\nNo.;Name;Rtg;Pts;Mail\n1;Ann;2000;0;a@example.org\n2;Bob;-;0;\n'
    entries, told = read_entry_list(data.encode(), "x")
    assert [(e.tpn, e.name, e.rating) for e in entries] == [(1, "Ann", 2000), (2, "Bob", 0)]
    assert [(a.line, a.what) for a in told] == [
        (1, "the lines before the names of the columns are not used"),
        (4, "the column “Pts” is not used"),
        (4, "the column “Mail” is not used"),
        (6, "“-” read as 0"),
    ]


def test_official_ratings_make_the_tournaments_where_it_has_none() -> None:
    data = b"name,FIDE Elo,DWZ\nAnn,2000,2050\nBob,0,1700\n"
    entries = read_entries(data, "x")
    assert [(e.rating, e.fide_rating, e.national_rating) for e in entries] == [(2000, 2000, 2050), (1700, 0, 1700)]


def test_another_code_page_can_be_named() -> None:
    entries, told = read_entry_list("name\nŽižek\nŁoś".encode("cp1250"), "x", "cp1250")
    assert [e.name for e in entries] == ["Žižek", "Łoś"]
    assert "cp1250" in told[0].what


def test_what_a_list_cannot_hold_is_named() -> None:
    kept, lost = listable(Entry(1, "Ann", rating=12, federation="CG", title="1N"))
    assert kept == Entry(1, "Ann")
    assert lost == {"rating": "12", "federation": "CG", "title": "1N"}


@pytest.mark.parametrize(
    ("data", "where", "words"),
    [
        ("", (1, 1), "empty"),
        ("Ann;2000\nBob;1900", (1, 1), "no column we know"),
        ("rating,fed\n2000,AUT\n1900,AUT", (1, 1), "no column “name”"),
        ("name,raiting\nAnn,2000\nBob,1900", (1, 6), "no column “raiting”"),
        ("name,name\nAnn,x\nBob,y", (1, 6), "there twice"),
        ("name\nAnn", (2, 1), "fewer than two"),
        ("name", (1, 1), "fewer than two"),
        ("name,rating\nAnn,99\nBob,1900", (2, 5), "“99” is no possible rating"),
        ("name,rating\nAnn,4001\nBob,1900", (2, 5), "no possible rating"),
        ("name,rating\nAnn,-5\nBob,1900", (2, 5), "no possible rating"),
        ("name,rating\nAnn,strong\nBob,1900", (2, 5), "no possible rating"),
        ("name,title\nAnn,XM\nBob,", (2, 5), "“XM” is no title"),
        ("rating,name\n2000,\n1900,Bob", (2, 6), "the name is empty"),
        ("name,fide_id\nAnn,77\nBob,78\nCat,77", (4, 5), "FIDE id 77 is in line 2 already"),
        ("id,name\n1,Ann\n1,Bob", (3, 1), "number 1 is in line 2 already"),
        ("tpn,name\n0x,Ann\n1,Bob", (2, 1), "no pairing number"),
        ("name,sex\nAnn,x\nBob,m", (2, 5), "no sex"),
        ("name,federation\nAnn,Austria\nBob,AUT", (2, 5), "no federation"),
        ('name,club\n"Ann,x\nBob,y', (2, 1), "not closed on this line"),
        ('name,club\nAnn,"x" y\nBob,y', (2, 8), "after the closing quote"),
        ('name,club\nAnn,Caf"e\nBob,y', (2, 8), "a quote inside a field"),
        ("name,club\nSmith, Ann,x\nBob,y", (2, 12), "this row has 3 fields, the header has 2"),
        ("name,club\nAnn\nBob,y", (2, 1), "this row has 1 fields"),
        ("name,club\nA\x07nn,x\nBob,y", (2, 1), "control character"),
    ],
)
def test_refused_with_line_column_and_remedy(data: str, where: tuple[int, int], words: str) -> None:
    error = refusal(data)
    assert [(d.line, d.column) for d in error.defects if words in d.what] == [where]
    assert all(d.remedy for d in error.defects)
    assert f"list.csv:{where[0]}:{where[1]}: " in str(error)


def test_unknown_column_names_those_that_are_known() -> None:
    assert "birth, club, federation, fide_id, name, rating, sex, title, tpn" in str(refusal("name,elo2\na,1\nb,2"))


def test_broken_encoding_names_the_byte_and_does_not_hide_other_faults() -> None:
    data = "name,rating\nMüller,2000\nÖz Jür,99\n".encode("latin-1")
    error = refusal(data)
    assert [(d.line, d.column) for d in error.defects] == [(2, 2), (3, 1), (3, 8)]
    assert "byte 0xFC is not UTF-8" in str(error)
    assert places("name\nÖz\n".encode() + b"M\xfcller\nBob") == [(3, 2)]


def test_a_spreadsheets_utf16_is_told_how_to_be_saved() -> None:
    assert "UTF-8" in str(refusal("name\nAnn\nBob".encode("utf-16")))


def test_every_fault_is_told_and_not_only_the_first() -> None:
    data = "name,rating,title,fide_id\nAnn,99,XM,5\n,2000,,5\nCat,5000,GM,x\n"
    assert places(data) == [(2, 5), (2, 8), (3, 1), (3, 8), (4, 5), (4, 13)]


def test_one_forgotten_quote_costs_one_row_only() -> None:
    assert places('name,rating\n"Ann,2000\nBob,99\nCat,1900') == [(2, 1), (3, 5)]


def test_trailing_separators_of_a_spreadsheet_are_no_fault() -> None:
    assert read_entries(b"name,rating\nAnn,2000,,\nBob,1900,,\n,,,\n", "x")[1].name == "Bob"


def test_written_list_is_commas_and_crlf() -> None:
    entries = (Entry(1, "Ann, B", 2000, "GM", "AUT", 7, "1990", "w", 'the "Club"'), Entry(2, "Bob"))
    assert write_entries(entries) == (
        b"tpn,name,rating,title,federation,fide_id,birth,sex,club\r\n"
        b'1,"Ann, B",2000,GM,AUT,7,1990,w,"the ""Club"""\r\n'
        b"2,Bob,,,,,,,\r\n"
    )


signs = st.characters(blacklist_categories=("Cc", "Cs"))
texts = st.text(signs, max_size=20).map(str.strip)
entries = st.builds(
    Entry,
    tpn=st.just(0),
    name=texts.filter(bool),
    rating=st.just(0) | st.integers(100, 4000),
    title=st.sampled_from(TITLES),
    federation=st.just("") | st.text("ABCXYZ", min_size=3, max_size=3),
    fide_id=st.just(0),
    birth=st.sampled_from(["", "1931", "2001/02/28"]),
    sex=st.sampled_from(["", "m", "w"]),
    club=texts,
    fide_rating=st.just(0) | st.integers(100, 4000),
    national_rating=st.just(0) | st.integers(100, 4000),
    source=texts,
)


@QUICK
@given(st.lists(entries, min_size=2, max_size=8), st.booleans(), st.booleans())
def test_reading_what_was_written_gives_the_same_entries(found: list[Entry], numbered: bool, with_ids: bool) -> None:
    listed = tuple(
        Entry(i if numbered else 0, e.name, e.rating, e.title, e.federation, 100 + i if with_ids else 0, e.birth, e.sex,
              e.club, e.fide_rating, e.national_rating, e.source)
        for i, e in enumerate(found, 1)
    )  # fmt: skip
    assert read_entries(write_entries(listed), "x") == listed


@QUICK
@given(st.binary(max_size=120) | st.text('name,;\t"\n1äx', max_size=80).map(str.encode), st.booleans())
def test_any_bytes_are_read_or_refused_with_places(data: bytes, headed: bool) -> None:
    raw = b"name,rating\n" + data if headed else data
    try:
        found = read_entries(raw, "x")
    except InterchangeError as error:
        defects = error.defects
    else:
        assert len(found) >= 2
        return
    lines = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert defects
    assert all(1 <= d.line <= len(lines) and d.column >= 1 for d in defects)
