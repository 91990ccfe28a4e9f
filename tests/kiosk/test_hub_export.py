"""What is left of an event: the report, the games, the standings, and the folded log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hallnet.errors import StoreError
from kiosk.hub.export import export, round_dates
from kiosk.hub.hall import read_hall
from kiosk.hub.reading import open_existing
from kiosk.hub.replay import replay_event
from rules.interchange.pgn import read_games
from rules.interchange.trf import read_trf
from rules.tournament.events import Regulations
from tests.kiosk.hub_hall import Hall
from tests.kiosk.test_hub_core import play_event


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
        assert set(export(log, tmp_path / name)) == {"event.trf", "games.pgn", "standings.json"}
        log.close()
    for name in ("event.trf", "games.pgn", "standings.json"):
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
