"""What is left of an event: the report, the games, the standings, and the folded log."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hallnet.errors import StoreError
from kiosk.hub.export import event_trf, event_trf26, export, round_dates
from kiosk.hub.hall import read_hall
from kiosk.hub.reading import open_existing
from kiosk.hub.replay import replay_event
from rules.interchange.pgn import read_games
from rules.interchange.trf import Acceleration, Forbidden, OpenGames, TrfEvent, read_trf, write_trf26
from rules.interchange.trf_national import read_national
from rules.pairing.checker import check_event
from rules.tournament.book_intents import ChangeRegulations, CorrectEntry, CorrectResult, Forbid
from rules.tournament.events import Regulations
from rules.tournament.intents import Finish, Publish, RecordResult, Rule, Start
from rules.tournament.standings import standings
from tests.kiosk.hub_hall import Hall
from tests.kiosk.test_hub_core import play_event
from tests.rules.book_hall import Hall as Book

FILES = ("event.trf", "event.trf26", "games.pgn", "standings.json")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a finished event of two rounds."""
    folder = tmp_path_factory.mktemp("played")
    hall = Hall(folder, players=7)
    hall.connect()
    play_event(hall)
    hall.core.log.close()
    return folder / "hall.db"


def test_the_files_of_the_same_log_are_the_same_bytes(played: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        log = open_existing(played)
        assert set(export(log, tmp_path / name)) == set(FILES)
        log.close()
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_report_reads_back_with_every_result_and_the_bye(played: Path, tmp_path: Path) -> None:
    log = open_existing(played)
    path = export(log, tmp_path)["event.trf"]
    hall = read_hall(log)
    log.close()
    event, adjustments = read_trf(path.read_bytes(), "event.trf")
    assert adjustments == ()
    assert (event.name, event.rounds, event.system) == ("Spring Open", 2, "FIDE_DUTCH_2026")
    assert sorted(player.rank for player in event.players)[0] == 1
    for player in event.players:
        assert player.points == sum(r.half_points for r in hall.state.histories(2)[player.start_rank - 1].rounds)
    for number in (1, 2):
        letters = [player.cell(number).result for player in event.players]
        assert letters.count("U") == 1
        assert set(letters) <= set("10=U")


def test_the_games_have_clocks_and_say_how_they_ended(played: Path, tmp_path: Path) -> None:
    log = open_existing(played)
    games = read_games(export(log, tmp_path)["games.pgn"].read_bytes(), "games.pgn")
    log.close()
    assert [game.headers["Round"] for game in games] == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    assert [game.result for game in games] == ["0-1", "1-0", "0-1", "1/2-1/2", "0-1", "1-0"]
    assert games[0].moves == ("f2f3", "e7e5", "g2g4", "d8h4")
    assert all(clock is not None and clock > 500_000 for game in games for clock in game.clocks_ms)
    assert games[0].headers["Termination"] == "normal"
    assert games[3].headers["Termination"] == "adjudication"
    assert games[0].headers["TimeControl"] == "600+5"


def test_the_standings_file_has_the_form_of_the_command(played: Path, tmp_path: Path) -> None:
    log = open_existing(played)
    told = json.loads(export(log, tmp_path)["standings.json"].read_text("utf-8"))
    log.close()
    assert sorted(told["order"]) == [1, 2, 3, 4, 5, 6, 7]
    first = told["players"][str(told["order"][0])]
    assert first["rank"] == 1
    assert set(first["values"]) == {"BH", "SB"}


def test_the_log_replays_whole_and_up_to_any_event(played: Path) -> None:
    whole = replay_event(played)
    json.dumps(whole)
    assert whole["phase"] == "finished"
    assert whole["games"]["r1b1"]["ended_by"] == "checkmate"
    phases = [replay_event(played, until)["phase"] for until in range(whole["events"] + 1)]
    order = [phase for phase, before in zip(phases, ["", *phases], strict=False) if phase != before]
    cycle = ["draft", "published", "running", "complete"]
    assert order == ["to-pair", *cycle, *cycle, "finished"]
    with pytest.raises(ValueError, match="no event"):
        replay_event(played, whole["events"] + 1)


@pytest.mark.parametrize("content", [b"", b"no database", bytes(8192), b"SQLite format 3\0" + bytes(200)])
def test_a_file_that_is_no_hall_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not the log of a hall"):
        replay_event(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StoreError, match="cannot be read"):
        replay_event(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()


def test_dates_come_from_the_regulations_or_from_the_seed_and_never_from_today() -> None:
    weekend = Regulations(name="x", rounds=7, start_date="2026/05/29", end_date="2026/05/31")
    days = round_dates(weekend)
    assert (days[0], days[-1]) == ("2026/05/29", "2026/05/31")
    assert list(days) == sorted(days)
    seeded = [round_dates(Regulations(name="x", rounds=3, seed=seed)) for seed in (1, 1, 3)]
    assert seeded[0] == seeded[1] != seeded[2]
    assert len(set(seeded[0])) == 1


# -- the full report --------------------------------------------------------------------------------------------------


def full_report(book: Book) -> TrfEvent:
    """The TRF26 report of an event now, read back without a complaint."""
    event, adjustments = read_trf(event_trf26(book.state), "event.trf26")
    assert adjustments == ()
    return event


def test_both_reports_of_a_finished_event_say_the_same(played: Path, tmp_path: Path) -> None:
    log = open_existing(played)
    paths = export(log, tmp_path)
    log.close()
    old, _adjustments = read_trf(paths["event.trf"].read_bytes(), "event.trf")
    new, _adjustments = read_trf(paths["event.trf26"].read_bytes(), "event.trf26")
    assert (new.players, new.tie_breaks, new.system) == (old.players, old.tie_breaks, old.system)
    assert new.standing_order == ("PTS", "BH", "SB")
    text = paths["event.trf26"].read_text("utf-8")
    assert "XXR" not in text
    assert "142 2" in text.splitlines()
    assert all(check.same for check in check_event(new))


def test_an_adjourned_game_stands_as_unknown_in_the_interim_report_and_the_final_one_waits() -> None:
    book = Book(6, 2)
    book.starts()
    book.does(RecordResult(1, 2, "1-0"), by="table")
    book.does(RecordResult(1, 3, "1/2-1/2"), by="table")
    running = full_report(book)
    assert running.player(1).cell(1).result == "", "the game is on"
    book.confirms(book.pairing(), "adjourns")
    interim = full_report(book)
    assert (interim.player(1).cell(1).result, interim.player(4).cell(1).result) == ("?", "?")
    assert interim.point_system.unknown == 1
    assert "?" not in event_trf(book.state).decode().partition("001    1")[2].splitlines()[0]
    with pytest.raises(OpenGames, match=r"missing: 1-4 \(1\)"):
        write_trf26(interim, final=True)
    book.does(Publish(book.tables))
    book.does(Start())
    book.results("1-0")
    book.confirms(Rule(1, 1, "1-0", why="played on"), "adjourned-result")
    book.does(Finish())
    final = full_report(book)
    assert final.player(1).cell(1).result == "1"
    assert [line.partition(" @ ")[0] for line in final.comments] == ["Adjournment"]
    assert [p.rank for p in final.players] == [s.rank for s in sorted(standings(book.state), key=lambda s: s.tpn)]


def test_a_result_put_right_for_the_report_only_leaves_the_score_as_it_counted() -> None:
    book = Book(6, 3)
    book.plays("1-0")
    book.plays("1-0")
    book.plays("1-0")
    book.does(Finish())
    pair = book.state.rounds[0].pairs[0]
    book.confirms(CorrectResult(1, 1, "0-1", why="typed wrongly"), "correction-report")
    report = full_report(book)
    assert (report.player(pair.white).cell(1).result, report.player(pair.black).cell(1).result) == ("0", "1")
    assert {p.start_rank: p.points for p in report.players} == {tpn: book.points(tpn) for tpn in range(1, 7)}
    assert [(a.half_points, a.ids) for a in report.abnormal] == [(-2, (pair.black,)), (2, (pair.white,))]
    assert any(line.startswith("Report @ Round ") for line in report.comments)
    assert read_trf(event_trf(book.state), "event.trf")[0].abnormal == report.abnormal


def test_what_was_announced_stands_in_the_report() -> None:
    book = Book(10, 5, win_half_points=6, draw_half_points=3, pab_half_points=6, acceleration="baku",
                federation="NOR", ranking="FIDON", tie_breaks=("BH/C1", "ARO"), deputies=("Berg", "Dahl"))  # fmt: skip
    book.does(Forbid((1, 6, 2)))
    book.does(CorrectEntry(replace(book.state.entries[3], national_rating=2411)))
    book.plays("1-0")
    for event in (full_report(book), read_trf(event_trf(book.state), "event.trf")[0]):
        assert event.system == "FIDE_DUTCH_2026_BAKU"
        assert event.deputies == ("Berg", "Dahl")
        assert event.forbidden == (Forbidden((1, 2, 6), 1, 5),)
        assert event.accelerations == (Acceleration(6, 1, 2, 1, 6), Acceleration(3, 3, 3, 1, 6))
        assert all(check.same for check in check_event(event)), "another program can follow the pairing"
    full = full_report(book)
    assert full.rating_basis == "NOR FIDON"
    assert full.standing_order == ("PTS", "BH/C1", "ARO")
    assert [(row.federation, row.start_rank, row.rating) for row in read_national(full)] == [("NOR", 3, 2411)]
    book.confirms(ChangeRegulations({"tie_breaks": ("SB",)}, "asked for"), "tie-breaks-changed")
    assert full_report(book).comments == ("Configuration @ Round 2: tie_breaks BH/C1,ARO => tie_breaks SB",)
    old = Book(6, 3, pairing_edition="2017")
    assert read_trf(event_trf(old.state), "event.trf")[0].system == "FIDE_DUTCH_2017"
