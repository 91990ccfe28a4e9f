"""`hallkiosk bench winnable --csv`: the figures by category, and what they are compared with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kiosk.cli import main
from kiosk.winnable_report import ALL, cases, report
from rules.interchange.errors import InterchangeError

FORCED = "r7/K1k5/8/8/8/8/8/8 w - - 0 1"
WALL = "8/8/8/1k3p1p/3p1P2/1p1P1PpP/1P4P1/K7 w - - 0 1"
PAWNS = "8/5k2/8/4n3/8/3K4/PP6/8 w - - 0 1"
ROWS = (
    f"forced,{FORCED},black,unwinnable\nforced,{FORCED},white,unwinnable\n"
    f"wall,{WALL},white,unwinnable\nwall,{WALL},black,unwinnable\npawns,{PAWNS},black,winnable\n"
)


def test_figures_by_category(tmp_path: Path) -> None:
    file = tmp_path / "positions.csv"
    file.write_text(f"category,fen,intended_winner,verdict\n{ROWS}", "utf-8")
    lines = {line["category"]: line for line in report(file)}
    assert list(lines) == ["forced", "wall", "pawns", ALL]
    assert (lines["forced"]["rows"], lines["forced"]["dead"], lines["forced"]["dead_found"]) == (2, 1, 1)
    assert (lines["wall"]["unwinnable"], lines["wall"]["python-chess"]) == (2, 0)
    assert (lines["wall"]["dead"], lines["wall"]["dead_found"]) == (1, 1)
    assert (lines["pawns"]["unwinnable"], lines["pawns"]["live_%"]) == (0, None)
    every = lines[ALL]
    assert (every["rows"], every["decided_%"], every["contradictions"]) == (5, 100.0, 0)
    assert 0 <= every["ms_median"] <= every["ms_worst"] < 2_000


def test_a_wrong_verdict_in_the_file_is_a_contradiction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "positions.csv"
    file.write_text(f"fen,side,verdict\n{FORCED},black,winnable\n{PAWNS},black,undetermined\n", "utf-8")
    assert main(["bench", "winnable", "--csv", str(file), "--json"]) == 1
    (line,) = json.loads(capsys.readouterr().out)
    assert (line["category"], line["rows"], line["contradictions"]) == (ALL, 2, 1)


def test_rows_that_cannot_be_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "positions.csv"
    file.write_text(f"fen,side\n{FORCED},red\n8/8 w,white\n", "utf-8")
    with pytest.raises(InterchangeError) as caught:
        cases(file)
    assert [defect.line for defect in caught.value.defects] == [2, 3]
    assert main(["bench", "table", "--csv", str(file)]) == 2
    assert main(["bench", "winnable", "--csv", str(file)]) == 2
    assert "red" in capsys.readouterr().err
