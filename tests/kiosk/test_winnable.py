"""`hallkiosk winnable`: answers for the command line, from one position or a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kiosk.winnable import WinnableError, run, run_csv
from rules.interchange.errors import InterchangeError

DEAD = "r7/K1k5/8/8/8/8/8/8 w - - 0 1"
ALIVE = "8/5k2/8/4n3/8/3K4/PP6/8 w - - 0 1"
#: A row of the collected positions that takes long.
HARD = "8/8/8/3B4/8/6p1/1b4Pp/k1b4K w - - 0 1"


def test_one_position() -> None:
    answer = run(DEAD, "black", 1_000)
    assert answer == {"verdict": "unwinnable", "line": None, "by": answer["by"], "ms": answer["ms"]}
    answer = run(ALIVE, "black", 5_000)
    assert answer["verdict"] == "winnable"
    assert answer["by"] == "helpmate"
    assert all(len(move) in (4, 5) for move in answer["line"])
    assert 0 < answer["ms"] < 5_000


def test_the_budget_is_kept() -> None:
    answer = run(HARD, "white", 60)
    assert answer["verdict"] == "undetermined"
    assert answer["by"] == "budget"
    assert 60 <= answer["ms"] < 400


@pytest.mark.parametrize(
    ("fen", "side", "message"),
    [
        (DEAD, "red", "Write white or black"),
        ("8/8 w", "white", "Correct the FEN"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "white", "check the kings"),
    ],
)
def test_what_cannot_be_judged_is_said(fen: str, side: str, message: str) -> None:
    with pytest.raises(WinnableError, match=message):
        run(fen, side)


def test_a_file(tmp_path: Path) -> None:
    text = f"id,FEN,side\n1,{DEAD},black\n\n2,{ALIVE},Black\n3,{DEAD},white\n"
    plain, packed = tmp_path / "positions.csv", tmp_path / "positions.csv.gz"
    plain.write_text(text, "utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    answers = run_csv(plain, 5_000)
    assert [answer["verdict"] for answer in answers] == ["unwinnable", "winnable", "unwinnable"]
    assert [answer["line"] for answer in run_csv(packed, 5_000)] == [answer["line"] for answer in answers]


def test_a_long_file_is_shared_out_in_order(tmp_path: Path) -> None:
    file = tmp_path / "positions.csv"
    file.write_text("fen,side\n" + f"{DEAD},black\n{ALIVE},black\n" * 40, "utf-8")
    assert [answer["verdict"] for answer in run_csv(file, 5_000)] == ["unwinnable", "winnable"] * 40


def test_every_bad_row_is_named(tmp_path: Path) -> None:
    file = tmp_path / "positions.csv"
    file.write_text(f"fen,side\n{DEAD},black\n{DEAD},red\n8/8 w,white\n{DEAD}\n", "utf-8")
    with pytest.raises(InterchangeError) as caught:
        run_csv(file)
    assert [(defect.line, defect.column) for defect in caught.value.defects] == [(3, len(DEAD) + 2), (4, 1), (5, 1)]
    file.write_text(f"position,side\n{DEAD},black\n", "utf-8")
    with pytest.raises(InterchangeError, match="no column named fen"):
        run_csv(file)
