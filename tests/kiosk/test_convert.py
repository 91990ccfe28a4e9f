"""`hallkiosk convert`: any form into any other, nothing lost without a word, no file overwritten by mistake."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from kiosk import convert
from kiosk.convert import ConvertError, run
from rules.interchange.csv_entries import read_entries
from rules.interchange.trf import Cell, PointSystem, TrfEvent, TrfPlayer, read_trf, write_trf16

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY / "tests" / "data" / "interchange"
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", REPOSITORY / ".." / "shared")) / "oracle"
EVENING = DATA / "club_evening.trf"


def event_in(path: Path) -> TrfEvent:
    data = path.read_bytes()
    return read_trf(gzip.decompress(data) if path.suffix == ".gz" else data, path.name)[0]


def whats(answer: convert.Json) -> list[str]:
    assert set(answer) == {"adjustments"}
    assert all(set(row) == {"line", "column", "what"} for row in answer["adjustments"])
    return [row["what"] for row in answer["adjustments"]]


def test_a_report_becomes_trf26_and_says_what_it_said(tmp_path: Path) -> None:
    answer = run(EVENING, tmp_path / "evening.trf")
    assert whats(answer) == ["record XXP is told in record 260 for all rounds"]
    assert answer["adjustments"][0]["line"] > 1
    was, now = event_in(EVENING), event_in(tmp_path / "evening.trf")
    assert (now.players, now.name, now.tie_breaks, now.comments) == (
        was.players,
        was.name,
        was.tie_breaks,
        was.comments,
    )
    assert b"XX" not in (tmp_path / "evening.trf").read_bytes()


@pytest.mark.parametrize("name", ["e.trf06", "e.trf16", "e.trf26", "e.trfx", "e.trfbx", "e.trf26.gz", "E.TRF", "e.txt"])
def test_the_ending_says_the_form_and_players_are_the_same_in_all(tmp_path: Path, name: str) -> None:
    run(EVENING, tmp_path / name)
    data = (tmp_path / name).read_bytes()
    assert data.startswith(b"\x1f\x8b") == name.endswith(".gz")
    players = event_in(tmp_path / name).players
    assert [(p.start_rank, p.name) for p in players] == [(p.start_rank, p.name) for p in event_in(EVENING).players]


def test_old_form_lists_everything_it_has_no_place_for(tmp_path: Path) -> None:
    answer = run(EVENING, tmp_path / "evening.trf06")
    left_out = [what for what in whats(answer) if "has no place in this form; left out" in what]
    assert len(left_out) >= 9
    text = (tmp_path / "evening.trf06").read_text(encoding="utf-8")
    assert {line[:3] for line in text.splitlines()} <= {"001", *(f"{tens:02}2" for tens in range(1, 14))}


def test_a_dry_run_tells_the_same_and_writes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "evening.trf06"
    told = run(EVENING, target, dry_run=True)
    assert list(tmp_path.iterdir()) == []
    assert told == run(EVENING, target)


def test_compressed_reports_are_read_as_they_are_and_give_the_same_bytes_each_time(tmp_path: Path) -> None:
    packed = tmp_path / "in.trf.gz"
    packed.write_bytes(gzip.compress(EVENING.read_bytes()))
    run(packed, tmp_path / "one.trf26.gz")
    run(EVENING, tmp_path / "two.trf26.gz")
    assert (tmp_path / "one.trf26.gz").read_bytes() == (tmp_path / "two.trf26.gz").read_bytes()


def test_an_existing_file_is_not_replaced_unless_it_is_the_same_or_allowed(tmp_path: Path) -> None:
    target = tmp_path / "evening.trf"
    target.write_text("somebody's notes")
    with pytest.raises(ConvertError, match="there already with other contents"):
        run(EVENING, target)
    assert target.read_text() == "somebody's notes"
    run(EVENING, target, force=True)
    before = target.stat().st_mtime_ns
    run(EVENING, target)
    assert target.stat().st_mtime_ns == before
    assert [path.name for path in tmp_path.iterdir()] == ["evening.trf"]


def test_a_list_becomes_a_report_numbered_by_strength(tmp_path: Path) -> None:
    answer = run(DATA / "entries.csv", tmp_path / "entries.trf")
    assert [row["line"] for row in answer["adjustments"] if "club" in row["what"]] == [2]
    assert "the players are numbered by rating, title and name (C.04.2 2.2)" in whats(answer)
    assert "Čermák, Žofie: the club SK Brno has no place in a report; left out" in whats(answer)
    assert [(p.start_rank, p.rating) for p in event_in(tmp_path / "entries.trf").players] == [
        (1, 2310),
        (2, 2290),
        (3, 0),
    ]


def test_a_report_becomes_a_list_without_results(tmp_path: Path) -> None:
    answer = run(EVENING, tmp_path / "entries.csv")
    entries = read_entries((tmp_path / "entries.csv").read_bytes(), "entries.csv")
    assert [entry.name for entry in entries] == [player.name for player in event_in(EVENING).players]
    assert "the results of 2 rounds have no place in a list of entries; left out" in whats(answer)
    run(tmp_path / "entries.csv", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "entries.csv").read_bytes()


def test_official_ratings_go_their_own_way(tmp_path: Path) -> None:
    run(DATA / "quirks" / "trf26_individual.trf", tmp_path / "list.csv")
    first = read_entries((tmp_path / "list.csv").read_bytes(), "list.csv")[0]
    assert (first.rating, first.fide_rating, first.national_rating) == (2310, 2310, 2290)
    told = whats(run(tmp_path / "list.csv", tmp_path / "list.trf"))
    assert "ADLER, Anna: the national rating 2290 has no place in a report; left out" in told
    (tmp_path / "own.csv").write_text("name,rating,fide rating\nAnn,2000,1990\nBob,1900,0\n")
    told = whats(run(tmp_path / "own.csv", tmp_path / "own.trf"))
    assert "Ann: the tournament rating 2000 has no place in a report; left out" in told
    assert [p.rating for p in event_in(tmp_path / "own.trf").players] == [1990, 1900]


def test_what_is_assumed_of_an_old_report_is_told(tmp_path: Path) -> None:
    old = tmp_path / "old.trf"
    old.write_bytes(b"".join(line for line in EVENING.read_bytes().splitlines(True) if line[:3] in (b"012", b"001")))
    told = whats(run(old, tmp_path / "new.trf"))
    assert [what.split(":")[0] for what in told] == [
        "record 142 is missing", "record 142", "record 162 is missing", "record 192 is missing",
        "records 202 and 212 are missing",
    ]  # fmt: skip
    assert event_in(tmp_path / "new.trf").rounds == 2


def test_a_defective_report_is_refused_with_line_column_and_player(tmp_path: Path) -> None:
    bad = tmp_path / "bad.trf"
    bad.write_bytes(EVENING.read_bytes().replace(b"  1.5    1     2 b 1", b"  2.5    1     2 b 1"))
    with pytest.raises(ConvertError) as caught:
        run(bad, tmp_path / "out.trf")
    assert f"{bad}:" in str(caught.value)
    assert ":81: player 1" in str(caught.value)
    assert not (tmp_path / "out.trf").exists()


def test_a_faulty_team_record_is_refused_too(tmp_path: Path) -> None:
    bad = tmp_path / "bad.trf"
    bad.write_bytes(EVENING.read_bytes() + b"310   1 Graz".ljust(73) + b"   1    9\r\n")
    with pytest.raises(ConvertError, match="there is no player 9"):
        run(bad, tmp_path / "out.trf")


def game(result: str, reply: str, points: tuple[int, int], system: PointSystem) -> bytes:
    """A report of one game."""
    ann = TrfPlayer(1, "Ann", points=points[0], cells=(Cell(2, "w", result),))
    bob = TrfPlayer(2, "Bob", points=points[1], cells=(Cell(1, "b", reply),))
    return write_trf16(TrfEvent((ann, bob), point_system=system))


def test_points_the_form_cannot_state_are_not_written_as_a_contradiction(tmp_path: Path) -> None:
    football = tmp_path / "football.trf"
    system = PointSystem(6, 2, 0, forfeit_win=6, pab=6, full_bye=6, half_bye=2, unknown=2)
    football.write_bytes(game("1", "0", (6, 0), system))
    with pytest.raises(ConvertError, match="would contradict itself"):
        run(football, tmp_path / "out.trf06")
    assert not (tmp_path / "out.trf06").exists()
    run(football, tmp_path / "out.trfbx")
    assert b"BBW  3.0\r\n" in (tmp_path / "out.trfbx").read_bytes()


def test_a_final_report_needs_all_results(tmp_path: Path) -> None:
    adjourned = tmp_path / "adjourned.trf"
    adjourned.write_bytes(game("?", "?", (1, 1), PointSystem()))
    with pytest.raises(ConvertError, match=r"needs all results; missing: 1-2 \(1\)"):
        run(adjourned, tmp_path / "final.trf", final=True)
    run(adjourned, tmp_path / "interim.trf")
    assert event_in(tmp_path / "interim.trf").players[0].cells[0].result == "?"


def test_plain_ascii_without_remarks(tmp_path: Path) -> None:
    run(EVENING, tmp_path / "plain.trf", plain_ascii=True, comments=False)
    data = (tmp_path / "plain.trf").read_bytes()
    assert data.isascii()
    assert b"###" not in data
    assert b"Cermak, Zofie" in data


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("missing.trf", "out.trf", "missing.trf cannot be read"),
        ("in.trf", "out.doc", "the ending does not say which form to write"),
        ("in.trf", "folder.trf", "is no file"),
        ("in.trf", "nowhere/out.trf", "cannot be written"),
        ("broken.trf.gz", "out.trf", "cannot be read"),
        ("picture.trf", "out.trf", "picture.trf:1:1"),
    ],
)
def test_what_cannot_be_done_says_why(tmp_path: Path, source: str, target: str, words: str) -> None:
    (tmp_path / "in.trf").write_bytes(EVENING.read_bytes())
    (tmp_path / "folder.trf").mkdir()
    (tmp_path / "broken.trf.gz").write_bytes(gzip.compress(EVENING.read_bytes())[:60])
    (tmp_path / "picture.trf").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    with pytest.raises(ConvertError, match=words):
        run(tmp_path / source, tmp_path / target)


SAMPLES = sorted((SHARED / "trf").glob("*.trf"))


@pytest.mark.skipif(not SAMPLES, reason="the collected samples are not here")
def test_collected_samples_are_converted_there_and_back(tmp_path: Path) -> None:
    for path in SAMPLES:
        if path.name.startswith("bad_"):
            with pytest.raises(ConvertError, match=f"{path.name}:"):
                run(path, tmp_path / f"{path.stem}.trf26")
            continue
        for form in ("trf26", "trf16"):
            run(path, tmp_path / f"{path.stem}.{form}")
        run(tmp_path / f"{path.stem}.trf16", tmp_path / f"{path.stem}.again.trf26")
        once, again = tmp_path / f"{path.stem}.trf26", tmp_path / f"{path.stem}.again.trf26"
        assert once.read_bytes() == again.read_bytes(), path.name
