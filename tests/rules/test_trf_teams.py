"""Team records and national ratings: values become lines in their columns, and lines values again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.errors import InterchangeError
from rules.interchange.trf import ForeignLine, TrfEvent, TrfPlayer, read_trf, write_trf, write_trf26
from rules.interchange.trf_national import NationalRating, national_line, read_national
from rules.interchange.trf_team_lines import team_lines
from rules.interchange.trf_teams import ForfeitedMatch, LineUp, TeamByes, TeamRecords, TrfTeam, read_teams

REPOSITORY = Path(__file__).parents[2]
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", REPOSITORY / ".." / "shared")) / "oracle"
QUICK = settings(max_examples=40, deadline=None)
PLAYERS = tuple(TrfPlayer(number, f"Player {number}") for number in range(1, 9))

LEAGUE = TeamRecords(
    teams=(
        TrfTeam(1, "Graz Knights", "GRAZ", 2105, 5, 9, 1, (1, 3, 5)),
        TrfTeam(2, "Linz", "", 0, None, None, 0, (2, 4)),
        TrfTeam(7, "Wels", "WEL", 1800, 0, 0, 3, (6, 7, 8)),
    ),
    line_ups=(LineUp(1, 1, 2, (5, 0, 1)),),
    byes=TeamByes(2, 3, (7, 0)),
    forfeited=(ForfeitedMatch("+-", 2, 1, 7), ForfeitedMatch("--", 3, 2, 7)),
    colours="WBW",
    win=6,
    draw=2,
    loss=0,
)


def test_team_records_stand_in_their_columns() -> None:
    lines = {line.code: line.text for line in reversed(team_lines(LEAGUE, old=True))}
    team = lines["310"]
    assert (team[4:7], team[8:40].rstrip(), team[41:46].rstrip(), team[47:53]) == (
        "  1", "Graz Knights", "GRAZ", "  2105",
    )  # fmt: skip
    assert (team[54:60], team[61:67], team[68:71], team[73:77], team[78:82]) == (
        "   2.5", "   4.5", "  1", "   1", "   3",
    )  # fmt: skip
    assert (lines["013"][4:36].rstrip(), lines["013"][36:40], lines["013"][41:45]) == ("Graz Knights", "   1", "   3")
    assert lines["300"] == "300   1   1   2    5    0    1"
    assert lines["320"] == "320  1.0  1.5 007 000"
    assert lines["330"] == "330 +-   2   1   7"
    assert lines["352"] == "352 WBW"
    assert lines["362"] == "362 TW 3.0   TD 1.0   TL 0.0"


def test_a_team_event_written_from_values_comes_back() -> None:
    event = TrfEvent(players=PLAYERS, rounds=3, foreign=team_lines(LEAGUE, old=True))
    again, adjustments = read_trf(write_trf26(event), "league.trf")
    assert again == event
    assert adjustments == ()
    assert read_teams(again) == LEAGUE


def test_the_oldest_form_keeps_the_teams_of_record_013_alone() -> None:
    event = TrfEvent(players=PLAYERS, rounds=3, foreign=team_lines(LEAGUE, old=True))
    again, _adjustments = read_trf(write_trf(event, "TRF06"), "league.trf")
    assert [line.code for line in again.foreign] == ["013"] * 3
    assert [team.players for team in read_teams(again).teams] == [team.players for team in LEAGUE.teams]


def test_a_number_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        team_lines(TeamRecords(teams=(TrfTeam(1000, "Too many teams"),)))


signs = st.characters(blacklist_categories=("Cc", "Cs", "Zs", "Zl", "Zp"), blacklist_characters="\ufeff")
names = st.text(signs, min_size=1, max_size=32)
numbers = st.integers(1, 999)
half_points = st.integers(0, 199)


@st.composite
def team_records(draw: st.DrawFn) -> TeamRecords:
    given_numbers = draw(st.lists(numbers, min_size=1, max_size=4, unique=True))
    free = list(range(1, 9))
    teams = []
    for number in given_numbers:
        count = draw(st.integers(0, min(3, len(free))))
        members, free = free[:count], free[count:]
        teams.append(
            TrfTeam(
                number, draw(names), draw(st.text(signs, max_size=5)), draw(st.integers(0, 999_999)),
                draw(st.none() | half_points), draw(st.none() | half_points), draw(st.integers(0, 999)), tuple(members),
            )
        )  # fmt: skip
    known = st.sampled_from(given_numbers)
    boards = st.lists(st.integers(0, 9999), min_size=1, max_size=5).map(tuple)
    return TeamRecords(
        tuple(teams),
        tuple(draw(st.lists(st.builds(LineUp, numbers, numbers, st.integers(0, 999), boards), max_size=3))),
        draw(st.none() | st.builds(TeamByes, half_points, half_points, st.lists(st.integers(0, 999)).map(tuple))),
        tuple(draw(st.lists(st.builds(ForfeitedMatch, st.sampled_from(["+-", "-+", "--"]), numbers, known, known)))),
        draw(st.sampled_from(["", "WBWB", "BW"])),
        draw(half_points),
        draw(half_points),
        draw(half_points),
    )


@QUICK
@given(team_records())
def test_any_team_records_survive_writing(records: TeamRecords) -> None:
    event = TrfEvent(players=PLAYERS, rounds=999, foreign=team_lines(records))
    assert read_teams(read_trf(write_trf26(event), "x.trf")[0]) == records


# ------------------------------------------------------------------------------------------------ national ratings


def test_national_ratings_stand_in_the_columns_of_a_player() -> None:
    row = NationalRating("FRA", 1, 2200, "Durand, Zoé", "w", "A", "IDF", "D32945", "1990/05/17")
    text = national_line(row).text
    assert (text[:3], text[4:8], text[9], text[10:13]) == ("FRA", "   1", "w", "  A")
    assert (text[14:47].rstrip(), text[48:52], text[53:56], text[57:68], text[69:79]) == (
        "Durand, Zoé", "2200", "IDF", "     D32945", "1990/05/17",
    )  # fmt: skip
    event = TrfEvent(players=PLAYERS, foreign=(national_line(row),))
    again, adjustments = read_trf(write_trf26(event), "x.trf")
    assert adjustments == ()
    assert read_national(again) == (row,)


def test_faulty_national_ratings_name_line_column_and_player() -> None:
    rows = [NationalRating("FRA", 1, 2200), NationalRating("FRA", 1, 2100), NationalRating("FRA", 9, 2100)]
    lines = [replace(national_line(row), line=10 + at) for at, row in enumerate(rows)]
    lines.append(ForeignLine(lines[0].text.replace("2200", "22x0").replace("   1", "   2"), 13))
    with pytest.raises(InterchangeError) as caught:
        read_national(TrfEvent(players=PLAYERS, foreign=tuple(lines)), "x.trf")
    assert [(d.line, d.column, d.what) for d in caught.value.defects] == [
        (11, 5, "FRA: player 1 is in line 10 already"),
        (12, 5, "FRA: there is no player 9"),
        (13, 49, "FRA: “22x0” is no rating"),
    ]


@pytest.mark.parametrize("text", ["FRA  0 1    x", "FRA       12 x", "FRA    x 2200", "FRA"])
def test_what_only_resembles_a_national_rating_is_kept_and_told(text: str) -> None:
    rows = "\n".join(["001    1      Ann", "001    2      Bob", text])
    event, adjustments = read_trf(rows.encode(), "x.trf")
    assert [a.what for a in adjustments] == ["record FRA is not known; kept as it is"]
    assert read_national(event) == ()


trimmed = st.text(signs, max_size=11).map(str.strip)


@QUICK
@given(
    st.builds(
        NationalRating, st.sampled_from(["FRA", "GER"]), st.integers(1, 8), st.integers(1, 9999), trimmed,
        st.sampled_from(["", "m", "w"]), st.sampled_from(["", "A", "1N", "NCM"]), st.sampled_from(["", "IDF", "L3"]),
        trimmed, st.sampled_from(["", "1990", "1990/05/17"]),
    )
)  # fmt: skip
def test_any_national_rating_survives_writing(row: NationalRating) -> None:
    event = TrfEvent(players=PLAYERS, foreign=(national_line(row),))
    assert read_national(read_trf(write_trf26(event), "x.trf")[0]) == (row,)


TEAM_FILES = sorted((SHARED / "trf").glob("trf26_*.trf"))


@pytest.mark.skipif(not TEAM_FILES, reason="the collected samples are not here")
def test_team_records_and_national_ratings_of_the_collected_samples() -> None:
    for path in TEAM_FILES:
        event, _adjustments = read_trf(path.read_bytes(), path.name)
        teams, national = read_teams(event, path.name), read_national(event, path.name)
        assert len(national) == sum(line.text[:3].isalpha() for line in event.foreign), path.name
        kept = [line for line in event.foreign if line.code in ("801", "802")]
        lines = (*team_lines(teams), *(national_line(row) for row in national), *kept)
        again = read_trf(write_trf26(replace(event, foreign=lines)), path.name)[0]
        assert read_teams(again) == teams, path.name
        assert read_national(again) == national, path.name
