"""One file for each habit of other programs: what the reader assumes, word for word, and what it refuses.

The expectations were written by hand from the files; every good one also survives writing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from rules.interchange.errors import InterchangeError
from rules.interchange.trf import (
    Cell,
    Fictitious,
    TrfEvent,
    read_trf,
    write_trf,
    write_trf16,
    write_trf26,
)
from rules.interchange.trf_generations import translated
from rules.interchange.trf_national import read_national
from rules.interchange.trf_teams import read_teams

QUIRKS = Path(__file__).parents[2] / "tests" / "data" / "interchange" / "quirks"

#: File → (line, column, words) of every adjustment.
TOLD: Mapping[str, list[tuple[int, int, str]]] = {
    "acceleration_per_player": [],
    "adjourned": [
        (6, 99, "player 3 (Conti, Carla), round 1: “*” is no result; read as not known"),
        (7, 99, "player 4 (Dahl, Dag), round 1: “*” is no result; read as not known"),
    ],
    "carriage_returns_alone": [],
    "club_program": [
        (4, 5, "“04/05/2025” read as 2025/05/04"),
        (5, 5, "“15/06/2025” read as 2025/06/15"),
        (12, 33, "Z is not a sign of record 162; read as the zero-point bye"),
        (14, 11, "player 1 (Rossi, Anna): “1N” is no FIDE title; kept as it is"),
        (15, 11, "player 2 (Bianchi, Ugo): “NC” is no FIDE title; kept as it is"),
        (16, 10, "player 3 (Verdi, Ida): sex “u” read as not given"),
        (16, 70, "player 3 (Verdi, Ida): “75/01/01” is no birth date; left out"),
    ],
    "code_page_1250": [(2, 15, "not UTF-8 from here on; read as cp1250")],
    "code_page_1252": [(1, 7, "not UTF-8 from here on; read as cp1252")],
    "engine_between_rounds": [
        (2, 5, "“24/09/2010” read as 2010/09/24"),
        (3, 5, "“02/10/2010” read as 2010/10/02"),
    ],
    "engine_minimal": [],
    "internet_server": [
        (2, 5, "“May 28, 2020” read as 2020/05/28"),
        (3, 5, "“May 28, 2020” read as 2020/05/28"),
        (11, 100, "player 3 (carla): a dash alone (round 2) means not paired; read as Z"),
        (13, 110, "player 5 (emil): a dash alone (round 3) means not paired; read as Z"),
    ],
    "late_entrants": [
        (6, 92, "player 3 (carla): round 1 has no opponent; read as Z"),
        (7, 92, "player 4 (dora_d): round 1 has no opponent; read as Z"),
        (7, 102, "player 4 (dora_d): round 2 has no opponent; read as Z"),
    ],
    "late_entries_with_z": [],
    "pab_written_f": [],
    "paired_with_z": [
        (3, 109, "player 1 (anna_a), round 2: paired with Z; read as a double forfeit"),
        (5, 109, "player 3 (carla), round 2: paired with Z; read as a double forfeit"),
    ],
    "points_of_another_engine": [],
    "report_of_2006": [
        (4, 5, "“28. 07. 2005” read as 2005/07/28"),
        (5, 5, "“31. 07. 2005” read as 2005/07/31"),
        (13, 10, "player 1 (Adler,Anna): sex “f” read as w"),
    ],
    "second_bye": [(5, 109, "player 3 (carla) has a second pairing-allocated bye in round 2")],
    "spurious_cell": [(3, 102, "player 1 (Adler, Anna) has a round 2, but the event has 1; left out")],
    "trf26_individual": [],
    "trf26_sloppy": [
        (6, 70, "player 1 (Adler, Anna): the birth date is one column too far right"),
        (7, 70, "player 2 (Berg, Bruno): the birth date is one column too far right"),
    ],
    "trf26_team": [],
    "utf8_counted_in_bytes": [
        (2, 48, "the name was not padded to 33 characters; the columns right of it are put in place"),
        (3, 48, "the name was not padded to 33 characters; the columns right of it are put in place"),
    ],
    "utf8_with_mark": [],
    "vendor_lines": [
        (3, 1, "record DAT is not known; kept as it is"),
        (5, 1, "record DAT is not known; kept as it is"),
    ],
}
#: File → line, column and words of its defect.
REFUSED: Mapping[str, tuple[int, int, str]] = {
    "bad_both_won": (1, 99, "player 1 (Adler, Anna), round 1: result “1” does not fit “1” of player 2 (Berg, Bruno)"),
    "bad_gap_in_numbers": (3, 5, "player 4 (Dahl, Dag): the number before, 3, is missing"),
    "bad_incomplete_cell": (
        1, 102, "player 1 (Adler, Anna), round 2: there is a colour, but no opponent and no result",
    ),
    "bad_line_code": (2, 1, "player Berg, Bruno: the line begins with 101, not with 001"),
    "bad_missing_result": (
        1, 102, "player 1 (Adler, Anna), round 2: the opponent, player 2 (Berg, Bruno), has nothing in this round",
    ),
    "bad_points": (1, 81, "player 1 (Adler, Anna): 2.0 points in the column, 1.0 by the results"),
    "bad_remark_with_one_sign": (1, 1, "this line is no record of a tournament report: “# written by hand”"),
}  # fmt: skip


def read(name: str) -> TrfEvent:
    code_page = "cp1250" if "1250" in name else "cp1252"
    return read_trf((QUIRKS / f"{name}.trf").read_bytes(), f"{name}.trf", code_page)[0]


def results(name: str) -> list[str]:
    """The results of each player, "." for a blank cell."""
    return ["".join(cell.result or "." for cell in player.cells) for player in read(name).players]


def test_every_file_has_its_expectation() -> None:
    assert {path.stem for path in QUIRKS.glob("*.trf")} == {*TOLD, *REFUSED}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_assumed_is_told_and_the_event_survives_writing(name: str) -> None:
    data = (QUIRKS / f"{name}.trf").read_bytes()
    event, adjustments = read_trf(data, name, "cp1250" if "1250" in name else "cp1252")
    assert [(a.line, a.column, a.what) for a in adjustments] == TOLD[name]
    for write in (write_trf16, write_trf26):
        again, told = read_trf(write(event), name)
        assert again == event
        assert write(again) == write(event)
        assert all("record DAT" in a.what or "FIDE title" in a.what or "second" in a.what for a in told)
    said, _changes = translated(event, "TRF26")
    assert read_trf(write_trf(said), name)[0] == said


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_with_its_place(name: str) -> None:
    with pytest.raises(InterchangeError) as caught:
        read(name)
    assert [(d.line, d.column, d.what) for d in caught.value.defects] == [REFUSED[name]]
    assert all(d.remedy for d in caught.value.defects)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("internet_server", ["101", "H1=", "1Z0", "01=", "00Z"]),
        ("late_entrants", ["111", "0", "Z0", "ZZ0", "ZZZ"]),
        ("report_of_2006", ["1=", "1=", "0+", "0-"]),
        ("carriage_returns_alone", ["-U", "+0", "Z1"]),
        ("paired_with_z", ["1-", "0", "Z-"]),
        ("spurious_cell", ["1", "0"]),
        ("pab_written_f", ["1F", "01", "F0"]),
        ("trf26_team", ["1=+", "-1+", "0UZ", "+ZZ", "U=-", "Z0-"]),
        ("adjourned", ["?", "?", "?", "?"]),
    ],
)
def test_rounds_are_read_as_they_were_meant(name: str, rows: list[str]) -> None:
    assert results(name) == rows


def test_columns_are_found_whatever_the_encoding() -> None:
    for name in ("utf8_with_mark", "utf8_counted_in_bytes", "code_page_1250"):
        player = read(name).players[0]
        assert (player.name, player.rating, player.points, player.cells) == (
            "Čermák, Žofie", 2310, 2, (Cell(2, "w", "1"),),
        )  # fmt: skip
    assert read("code_page_1252").players[0].name == "Cérmak, Zoë"


def test_sloppy_columns_give_the_right_values() -> None:
    event = read("trf26_sloppy")
    player = event.players[0]
    assert (player.sex, player.title, player.fide_id, player.birth, player.points) == (
        "m", "GM", 90000001, "1990/05/17", 2,
    )  # fmt: skip
    assert [(row.federation, row.rating) for row in read_national(event)] == [("AUT", 2290)]


def test_records_of_teams_and_engines_are_understood() -> None:
    teams = read_teams(read("trf26_team"))
    assert [(team.number, team.players) for team in teams.teams] == [(1, (1, 2)), (2, (3, 4)), (3, (5, 6))]
    assert (teams.byes and teams.byes.teams, teams.forfeited[0].kind, teams.line_ups[0].players) == (
        (3, 2, 0), "+-", (1, 0),
    )  # fmt: skip
    event = read("acceleration_per_player")
    assert event.fictitious == (Fictitious(1, (2, 2, 1, 0)), Fictitious(2, (2, 2, 1, 0)))
    assert (event.rounds, event.initial_colour) == (5, "white")
    assert read("points_of_another_engine").point_system.pab == 2
    assert read("trf26_individual").rating_basis == "NIDOF"


def test_headings_stand_over_their_blocks_when_the_file_is_written_again() -> None:
    lines = write_trf26(read("trf26_individual")).decode().split("\r\n")
    for heading, block in (
        ("RRRRRRR1", "132"),
        ("SSSS sTTT", "001"),
        ("T RRR", "240"),
        ("MMMM", "250"),
        ("sCCC", "AUT"),
    ):
        at = next(n for n, line in enumerate(lines) if line.startswith("###") and heading in line)
        assert lines[at + 1].startswith(block), heading
