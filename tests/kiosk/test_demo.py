"""The demonstration as a person runs it: whole events in real processes, their files, and what bad input gets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import chess.pgn
import pytest

from hallnet.sql import Lock
from kiosk.hub.export import event_trf26
from rules.interchange.trf import read_trf
from rules.pairing.checker import check_event
from tests.kiosk.halls import EIGHT, Demo
from tests.rules.book_hall import Hall as Book

PGN = """[Event "Club"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "Club"]
[White "C"]
[Black "D"]
[Result "0-1"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 0-1

[Event "Club"]
[White "E"]
[Black "F"]
[Result "1/2-1/2"]

1. e4 e5 2. Ke3 1/2-1/2
"""


def hallkiosk(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the command and returns what it printed."""
    env = os.environ | ({"HALLKIOSK_RUNTIME_DIR": str(folder / "run")} if folder else {})
    return subprocess.run(
        [sys.executable, "-m", "kiosk", *arguments], capture_output=True, text=True, timeout=120, env=env, check=False
    )


def test_the_same_seed_gives_the_same_report_at_any_speed(tmp_path: Path) -> None:
    reports, games = [], []
    for name, speed in (("first", "40"), ("second", "58")):
        demo = Demo.start(tmp_path / name, "--rounds", "2", "--seed", "11", "--speed", speed, "--control", "5+3")
        summary = demo.finish()
        assert summary["games"] == 8
        assert summary["lost_events"] == 0
        assert summary["finished"]
        reports.append((demo.folder / "event.trf").read_bytes())
        with (demo.folder / "games.pgn").open(encoding="utf-8") as file:
            moves = []
            while (game := chess.pgn.read_game(file)) is not None:
                assert not game.errors
                assert game.end().ply() == 0 or game.next() is not None
                moves.append([move.uci() for move in game.mainline_moves()])
                clocks = [node.clock() for node in game.mainline()]
                assert all(clock is not None for clock in clocks)
        games.append(moves)
    assert reports[0] == reports[1]
    assert games[0] == games[1]
    assert len(games[0]) == 8
    event, _adjustments = read_trf(reports[0], "event.trf")
    assert [player.rank for player in event.players]
    assert sum(player.points or 0 for player in event.players) == 16
    standings = json.loads((tmp_path / "first" / "out" / "standings.json").read_text(encoding="utf-8"))
    assert len(standings["order"]) == 8


def test_an_odd_field_plays_a_round_robin_and_the_file_of_games_is_played(tmp_path: Path) -> None:
    games = tmp_path / "club.pgn"
    games.write_text(PGN, encoding="utf-8")
    five = "\n".join(EIGHT.splitlines()[:6]) + "\n"
    demo = Demo.start(
        tmp_path,
        "--system",
        "berger",
        "--rounds",
        "2",
        "--seed",
        "5",
        "--games",
        str(games),
        "--tables",
        "2",
        entries=five,
    )
    summary = demo.finish()
    assert summary["games"] == 4
    assert summary["lost_events"] == 0
    database = sqlite3.connect(demo.folder / "hall.db")
    ended = database.execute(
        "SELECT game, json_extract(d, '$.by') FROM table_events WHERE kind = 'ended' ORDER BY game"
    ).fetchall()
    database.close()
    # Four games in order from a file of three: mate, resignation, one that breaks off and is ruled, mate again.
    assert ended == [("r1b1", "checkmate"), ("r1b2", "resignation"), ("r2b1", "ruling"), ("r2b2", "checkmate")]
    event, _adjustments = read_trf((demo.folder / "event.trf").read_bytes(), "event.trf")
    assert sum(player.points or 0 for player in event.players) == 8


def test_a_report_of_two_rounds_is_continued_with_the_third(tmp_path: Path) -> None:
    book = Book(8, 3)
    book.plays("1-0", "1/2-1/2")
    book.plays("0-1", "1-0")
    half = tmp_path / "half.trf"
    half.write_bytes(event_trf26(book.state))
    arguments = ("--rounds", "3", "--seed", "3", "--control", "5+3", "--entries", str(half), "--continue")
    demo = Demo.start(tmp_path, *arguments)
    summary = demo.finish()
    assert (summary["rounds"], summary["games"], summary["lost_events"]) == (3, 12, 0)
    assert summary["finished"]
    event, _adjustments = read_trf((demo.folder / "event.trf").read_bytes(), "event.trf")
    before, _adjustments = read_trf(half.read_bytes(), "half.trf")
    assert [p.cells[:2] for p in event.players] == [p.cells for p in before.players]
    assert all(check.same for check in check_event(event))
    assert (demo.folder / "games.pgn").read_text(encoding="utf-8").count("[Event ") == 4, "those played here"
    database = sqlite3.connect(demo.folder / "hall.db")
    played = {game for (game,) in database.execute("SELECT DISTINCT game FROM table_events WHERE kind = 'ended'")}
    database.close()
    assert played == {"r3b1", "r3b2", "r3b3", "r3b4"}


def test_what_cannot_be_continued_is_told_before_a_hall_is_open(tmp_path: Path) -> None:
    book = Book(8, 3)
    book.starts()
    half = tmp_path / "half.trf"
    half.write_bytes(event_trf26(book.state))
    answer = hallkiosk("demo", "--headless", "--entries", str(half), "--continue", folder=tmp_path)
    assert answer.returncode == 2
    assert "Round 1: 1-5 has no result yet. Enter it in the report first." in answer.stderr
    answer = hallkiosk("demo", "--headless", "--continue", folder=tmp_path)
    assert "name it with --entries" in answer.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_when_the_demonstration_ends_so_do_all_its_processes(tmp_path: Path, how: signal.Signals) -> None:
    demo = Demo.start(tmp_path, "--rounds", "1", "--seed", "1")
    demo.said("running")
    pids = set(demo.pids().values())
    assert len(pids) == 6
    demo.process.send_signal(how)
    demo.process.communicate(timeout=60)
    deadline = time.monotonic() + 30
    while (left := {pid for pid in pids if Path(f"/proc/{pid}/cwd").exists()}) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


def test_a_file_of_games_with_an_illegal_move_says_where(tmp_path: Path) -> None:
    games = tmp_path / "club.pgn"
    games.write_text(PGN, encoding="utf-8")
    answer = hallkiosk("demo", "--headless", "--games", str(games), "--rounds", "99", folder=tmp_path)
    assert answer.returncode == 2  # refused for the rounds, before anything is started
    assert "15" in answer.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"rating,title\n2000,GM\n", "name"),
        (b"name,rating\nA,2000\nB,20000\n", ":3:"),
        (b"name,fide_id\nA,7\nB,7\n", ":3:"),
        (b"name,rating\nA,2000\n\xff\xfeB,1900\n", ":3:"),
        (b"", ":1:"),
    ],
)
def test_a_defective_list_is_refused_with_its_place_and_nothing_is_started(
    tmp_path: Path, content: bytes, says: str
) -> None:
    listing = tmp_path / "list.csv"
    listing.write_bytes(content)
    out = tmp_path / "out"
    answer = hallkiosk("demo", "--headless", "--entries", str(listing), "--out", str(out), folder=tmp_path)
    assert answer.returncode == 2
    assert says in answer.stderr
    assert "list.csv" in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--control", "ten minutes"), "ten"),
        (("--entries", "/nowhere/list.csv"), "/nowhere/list.csv"),
        (("--games", "/nowhere/games.pgn"), "/nowhere/games.pgn"),
        (("--rounds", "0"), "--rounds"),
        (("--speed", "fast"), "--speed"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    answer = hallkiosk("demo", "--headless", *arguments, "--out", str(tmp_path / "out"), folder=tmp_path)
    assert answer.returncode == 2
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder", encoding="utf-8")
    answer = hallkiosk("demo", "--headless", "--out", str(blocked / "out"), folder=tmp_path)
    assert answer.returncode == 2
    assert str(blocked) in answer.stderr
    assert "--out" in answer.stderr


def test_a_second_hub_on_the_same_folder_is_refused_with_the_first_ones_pid(tmp_path: Path) -> None:
    settings = tmp_path / "hub.toml"
    (tmp_path / "list.csv").write_text(EIGHT, encoding="utf-8")
    settings.write_text('entries = "list.csv"\ndata = "."\n', encoding="utf-8")
    lock = Lock(tmp_path / "hall.lock")
    try:
        answer = hallkiosk("hub", "--config", str(settings))
    finally:
        lock.release()
    assert answer.returncode == 2
    assert str(os.getpid()) in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tabel = 3\n", "table.toml:1"),
        ('table = "3"\nspeed = "fast"\n', "table.toml:2"),
        ('table = "3"\n[[[\n', "table.toml:2"),
        ('table = "3"\nboard = "chessboard"\n', "chessboard"),
    ],
)
def test_a_tables_settings_are_refused_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text(text, encoding="utf-8")
    answer = hallkiosk("table", "--config", str(settings))
    assert answer.returncode == 2
    assert says in answer.stderr
    assert "Traceback" not in answer.stderr


def test_faces_without_a_hall_or_a_terminal_say_what_to_do(tmp_path: Path) -> None:
    answer = hallkiosk("screen", "--table", "3", folder=tmp_path)
    assert answer.returncode == 2
    assert "make demo" in answer.stderr
    answer = hallkiosk("desk", folder=tmp_path)
    assert answer.returncode == 2
    assert "make demo" in answer.stderr
    answer = hallkiosk("screen", "--socket", str(tmp_path / "t.sock"), folder=tmp_path)
    assert answer.returncode == 2
    assert "terminal" in answer.stderr


def test_version_names_program_and_editions() -> None:
    answer = hallkiosk("--version")
    assert answer.returncode == 0
    assert answer.stdout.startswith("hallkiosk 0.")
    assert answer.stdout.count("2026") == 2
