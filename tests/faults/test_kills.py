"""Kill -9 in mid-round: hub, transport and tables die at random moments; nothing is lost or counted twice."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections import Counter
from pathlib import Path

import pytest

from rules.interchange.trf import read_trf
from tests.kiosk.halls import Demo

ROUNDS = 2
BOARDS = 4


def kill_at_random(demo: Demo, seed: int) -> Counter[str]:
    """Kills every kind of process at seeded moments while games are played; what was killed how often.

    One of each kind comes first, so that each is there while the event is young, however fast the machine is.
    """
    dice = random.Random(seed)
    killed: Counter[str] = Counter()
    tables = [f"table-{n}" for n in range(1, BOARDS + 1)]
    dice.shuffle(tables)
    first, later = ["hub", "transport", tables[0]], tables[1:]
    dice.shuffle(first)
    for victim in (*first, *later):
        time.sleep(dice.uniform(0.4, 2.5))
        if kill(demo, victim):
            killed["table" if victim.startswith("table") else victim] += 1
    return killed


def kill(demo: Demo, victim: str, seconds: float = 120.0) -> bool:
    """kill -9 of one process. One that is just being started again is waited for; False once the event is over."""
    deadline = time.monotonic() + seconds
    while demo.process.poll() is None:
        try:
            os.kill(demo.pids()[victim], signal.SIGKILL)
            return True
        except (ProcessLookupError, FileNotFoundError, KeyError, ValueError):
            assert time.monotonic() < deadline, f"{victim} was not started again"
            time.sleep(0.02)
    return False


def check(demo: Demo, summary: dict[str, object]) -> None:
    """Every board of every round has one result, in the log and in the report, and every event is at the hub."""
    assert summary["games"] == ROUNDS * BOARDS
    assert summary["lost_events"] == 0
    assert summary["extra_events"] == 0
    assert summary["doubled_results"] == 0
    connection = sqlite3.connect(demo.folder / "hall.db")
    results = connection.execute(
        "SELECT json_extract(d, '$.round'), json_extract(d, '$.board'), count(*) FROM tournament_events"
        " WHERE kind = 'resulted' GROUP BY 1, 2"
    ).fetchall()
    connection.close()
    assert sorted(results) == [(r, b, 1) for r in range(1, ROUNDS + 1) for b in range(1, BOARDS + 1)]
    event, _adjustments = read_trf((demo.folder / "event.trf").read_bytes(), "event.trf")
    cells = [cell.result for player in event.players for cell in player.cells]
    assert len(cells) == 2 * ROUNDS * BOARDS
    assert set(cells) <= set("1=0")


def story(tmp_path: Path, seed: int) -> None:
    demo = Demo.start(tmp_path, "--rounds", str(ROUNDS), "--seed", str(seed), "--speed", "40", "--control", "5+3")
    try:
        demo.said("running", timeout=120)
        killed = kill_at_random(demo, seed)
        summary = demo.finish()
    finally:
        if demo.process.poll() is None:
            demo.process.terminate()
            demo.process.wait(timeout=60)
    assert set(killed) == {"hub", "transport", "table"}
    assert summary["restarts"] >= killed["hub"] + killed["table"]
    check(demo, summary)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hub_transport_and_tables_are_killed_in_mid_round(tmp_path: Path, seed: int) -> None:
    story(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_kills(tmp_path: Path, seed: int) -> None:
    story(tmp_path, seed)
