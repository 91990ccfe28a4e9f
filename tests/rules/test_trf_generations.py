"""From one generation of the report to another: nothing is lost without a word, and what is said is said again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from rules.interchange.trf import (
    Abnormal,
    Absence,
    Acceleration,
    Cell,
    Fictitious,
    Forbidden,
    Generation,
    PointSystem,
    TrfEvent,
    TrfPlayer,
    read_trf,
    write_trf,
)
from rules.interchange.trf_generations import assumed, translated
from rules.interchange.trf_team_lines import team_lines
from rules.interchange.trf_teams import TeamRecords, TrfTeam

REPOSITORY = Path(__file__).parents[2]
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", REPOSITORY / ".." / "shared")) / "oracle"


def open_event() -> TrfEvent:
    """Four players after round 1 of 5, with everything that is known about round 2 and later."""
    return TrfEvent(
        players=(
            TrfPlayer(1, "Anand", points=2, cells=(Cell(3, "w", "1"),)),
            TrfPlayer(2, "Byrne", points=1, cells=(Cell(4, "b", "?"),)),
            TrfPlayer(3, "Carlsen", points=0, cells=(Cell(1, "b", "0"),)),
            TrfPlayer(4, "Dürr", points=1, cells=(Cell(2, "w", "?"),)),
        ),
        name="Open",
        rounds=5,
        initial_colour="white",
        system="FIDE_DUTCH_2026_BAKU",
        tie_breaks=("BH/C1", "BH"),
        accelerations=(Acceleration(2, 1, 2, 1, 2), Acceleration(1, 3, 3, 1, 2)),
        absences=(Absence("H", 2, (3,)), Absence("Z", 4, (1,))),
        forbidden=(Forbidden((1, 2), 1, 3), Forbidden((3, 4), 4, 5)),
        comments=("seed 7",),
    )


def told(event: TrfEvent, generation: Generation) -> list[str]:
    return [a.what for a in translated(event, generation)[1]]


def test_engines_get_values_per_player_the_next_byes_and_draws_for_adjourned_games() -> None:
    said, adjustments = translated(open_event(), "TRFX")
    assert said.fictitious == (Fictitious(1, (2, 2, 1)), Fictitious(2, (2, 2, 1)))
    assert said.players[2].cells == (Cell(1, "b", "0"), Cell(0, "-", "H"))
    assert [p.cells[0].result for p in said.players] == ["1", "=", "0", "="]
    assert said.forbidden == (Forbidden((1, 2)),)
    text = "\n".join(a.what for a in adjustments)
    for word in ("XXA", "the column of round 2", "adjourned, and for pairing a draw", "record 192", "round 2 are told"):
        assert word in text
    lines = write_trf(said, "TRFX").decode().split("\r\n")
    assert "XXA    1  1.0  1.0  0.5" in lines
    assert not [line for line in lines if line[:1] == "2"]


def test_old_accelerations_become_ranges_of_players_and_rounds() -> None:
    rows = (Fictitious(1, (2, 2, 1)), Fictitious(2, (2, 2, 1)), Fictitious(4, (0, 2)))
    event = replace(open_event(), accelerations=(), fictitious=rows)
    said, adjustments = translated(event, "TRF26")
    assert said.accelerations == (
        Acceleration(2, 1, 2, 1, 2), Acceleration(1, 3, 3, 1, 2), Acceleration(2, 2, 2, 4, 4),
    )  # fmt: skip
    assert "the accelerations of records XXA are told in records 250" in [a.what for a in adjustments]


def test_engines_records_have_a_place_of_their_own_in_trf26() -> None:
    event = replace(open_event(), forbidden=(Forbidden((1, 2)),), absent_next=(2, 4))
    said, adjustments = translated(event, "TRF26")
    assert said.forbidden == (Forbidden((1, 2), 1, 5),)
    assert said.absences[-1] == Absence("Z", 2, (2, 4))
    assert len(adjustments) == 2
    assert not [line for line in write_trf(said, "TRF26").decode().split("\r\n") if line.startswith("XX")]


def test_points_of_byes_and_forfeits_that_162_cannot_say_are_abnormal_points() -> None:
    event = replace(open_event(), point_system=PointSystem(forfeit_win=1, half_bye=2))
    said, _adjustments = translated(event, "TRF26")
    assert said.point_system == PointSystem()
    assert said.abnormal == (Abnormal("+", 1, 0, (1, 2, 3, 4)), Abnormal("H", 2, 0, (1, 2, 3, 4)))


def test_bbpairings_gets_its_own_records_for_the_points() -> None:
    system = PointSystem(win=6, draw=2, forfeit_win=6, full_bye=6, half_bye=2, pab=2, unknown=2)
    event = replace(open_event(), players=(TrfPlayer(1, "Ann"), TrfPlayer(2, "Bob")), point_system=system)
    lines = write_trf(translated(event, "TRFBX")[0], "TRFBX").decode().split("\r\n")
    assert [line for line in lines if line.startswith("BB")] == [
        "BBW  3.0", "BBD  1.0", "BBL  0.0", "BBZ  0.0", "BBF  0.0", "BBU  1.0",
    ]  # fmt: skip
    assert any(
        "this form cannot say" in what for what in told(replace(event, point_system=PointSystem(half_bye=0)), "TRFBX")
    )


def test_the_oldest_form_has_header_and_players_and_names_all_it_leaves_out() -> None:
    said, adjustments = translated(open_event(), "TRF06")
    lines = write_trf(said, "TRF06").decode().split("\r\n")
    assert {line[:3] for line in lines if line} == {
        "012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "122", "001",
    }  # fmt: skip
    codes = [a.what.split()[1] for a in adjustments if a.what.startswith("record ")]
    assert sorted(codes) == ["###", "142", "152", "192", "202", "240", "250", "260"]
    assert read_trf(write_trf(said, "TRF06"), "x.trf")[0] == said


def test_teams_of_trf26_are_told_the_old_way() -> None:
    teams = TeamRecords(teams=(TrfTeam(1, "Graz", players=(1, 3)), TrfTeam(2, "Linz", players=(2, 4))))
    event = replace(open_event(), foreign=team_lines(teams))
    said, adjustments = translated(event, "TRF06")
    assert [line.text for line in said.foreign] == [
        "013 Graz".ljust(36) + "   1    3", "013 Linz".ljust(36) + "   2    4",
    ]  # fmt: skip
    assert "the teams of records 310 are told in records 013" in [a.what for a in adjustments]


def test_changes_name_the_line_of_the_record_they_come_from() -> None:
    text = "\r\n".join(["012 Club", "142 5", "XXA    1  1.0", "001    1      Ann", "001    2      Bob", "DAT more"])
    event, _adjustments = read_trf(text.encode(), "x.trf")
    assert [(a.line, a.what) for a in translated(event, "TRF06")[1]] == [
        (2, "record 142 has no place in this form; left out"),
        (3, "record XXA has no place in this form; left out"),
        (6, "record DAT has no place in this form; left out"),
    ]


def test_byes_announced_for_the_next_round_survive_where_the_rounds_are_not_told() -> None:
    said, adjustments = translated(
        TrfEvent((TrfPlayer(1, "Ann", points=2, cells=(Cell(2, "w", "1"), Cell(0, "-", "H"))),
                  TrfPlayer(2, "Bob", points=0, cells=(Cell(1, "b", "0"),)))), "TRF26",
    )  # fmt: skip
    assert said.rounds == 2
    assert "record 142: 2 rounds" in adjustments[0].what
    assert read_trf(write_trf(said), "x.trf")[0] == said


def test_a_name_that_is_cut_is_told() -> None:
    event = TrfEvent(players=(TrfPlayer(1, "Papadopoulos-Konstantinidis, Alexandros"),))
    said, adjustments = translated(event, "TRF26")
    assert said.players[0].name == "Papadopoulos-Konstantinidis, Alex"
    assert "the name is cut at 33 characters" in adjustments[0].what


def test_an_old_report_says_what_is_assumed_in_place_of_missing_records() -> None:
    old = "\n".join(["012 Club", "001    1      Ann", "001    2      Bob"]).encode()
    assert [a.what.split(":")[0] for a in assumed(read_trf(old, "x.trf")[0])] == [
        "record 142 is missing", "record 162 is missing", "record 192 is missing", "records 202 and 212 are missing",
    ]  # fmt: skip
    new = old + b"\n142 5\n162  W 1.0    D 0.5    L 0.0\n192 FIDE_DUTCH_2026\n212 PTS,BH\n"
    assert assumed(read_trf(new, "x.trf")[0]) == ()


SAMPLES = [path for path in sorted((SHARED / "trf").glob("*.trf")) if not path.name.startswith("bad_")]


@pytest.mark.skipif(not SAMPLES, reason="the collected samples are not here")
@pytest.mark.parametrize("generation", ["TRF06", "TRF16", "TRF26", "TRFX", "TRFBX"])
def test_collected_samples_are_told_in_every_form(generation: Generation) -> None:
    for path in SAMPLES:
        event = read_trf(path.read_bytes(), path.name)[0]
        said = translated(event, generation, path.name)[0]
        again = read_trf(write_trf(said, generation), path.name)[0]
        assert again.players == said.players, path.name
        assert replace(again, comments=(), comment_places=()) == replace(said, comments=(), comment_places=()), (
            path.name
        )
        assert sorted(again.comments) == sorted(said.comments), path.name
