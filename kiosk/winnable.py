"""`hallkiosk winnable`: can this side still checkmate by any series of legal moves (Laws 6.9)?

One position, or a CSV file with the columns `fen` and `side`. Answers are
`{"verdict": "winnable" | "unwinnable" | "undetermined", "line": [UCI, …] | null, "by": …, "ms": …}`, where `by` is one
of `rules.laws.winnable.By` and `ms` the processor time in milliseconds. Budgets are processor time too, so that a busy
computer gives the same answers.
"""

from __future__ import annotations

import csv
import gzip
import io
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from gettext import gettext as _
from pathlib import Path
from typing import Any

import chess

from rules.interchange.decoding import decoded
from rules.interchange.errors import Defect, InterchangeError
from rules.laws.sides import SIDES, Side
from rules.laws.winnable import winnable

Json = dict[str, Any]
#: Milliseconds of processor time for one position (the arbiter waits for it).
BUDGET_MS = 5_000
#: Positions the search may remember, some two hundred bytes each; met by patient budgets only.
NODES = 2_000_000
#: Above so many positions a file is worth more than one process.
ONE_PROCESS = 64
#: Names of the column that says whose mate is in question; the first one present counts.
COLUMN_OF_SIDE = ("side", "intended_winner")
_Task = tuple[str, Side, float]


class WinnableError(ValueError):
    """The position or the side cannot be understood; the message says what to do."""


def run(fen: str, side: str, budget_ms: float = BUDGET_MS) -> Json:
    """Whether `side` ("white" or "black") can still mate from the position `fen`, in `budget_ms` of processor time.

    Raises `WinnableError` when there is no such position or side.
    """
    if side not in SIDES:
        raise WinnableError(_("The side {side} is unknown. Write white or black.").format(side=side))
    return _answer((fen, side, budget_ms))


def run_csv(path: Path | str, budget_ms: float = BUDGET_MS) -> list[Json]:
    """The answers for every row of a CSV file (gzip-compressed or not), in its order; `budget_ms` for each position.

    The first line names the columns; `fen` and `side` must be among them. Uses all cores for long files. Raises
    OSError when the file cannot be read and `InterchangeError` with every row that cannot be understood.
    """
    tasks = _tasks(Path(path), budget_ms)
    cores = min(len(os.sched_getaffinity(0)), len(tasks))
    if len(tasks) <= ONE_PROCESS or cores == 1:
        return [_answer(task) for task in tasks]
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        return list(pool.imap(_answer, tasks, chunksize=8))


def _answer(task: _Task) -> Json:
    fen, side, budget_ms = task
    started = time.thread_time()
    try:
        verdict = winnable(chess.Board(fen), side, nodes=NODES, expired=_deadline(started + budget_ms / 1000))
    except ValueError as error:
        raise WinnableError(
            _("{fen} is not a position that can be judged: {why} Correct the FEN.").format(
                fen=fen, why=_sentence(error)
            )
        ) from None
    return {
        "verdict": verdict.verdict,
        "line": None if verdict.line is None else list(verdict.line),
        "by": verdict.by,
        "ms": round(1000 * (time.thread_time() - started), 1),
    }


def _deadline(end: float) -> Callable[[], bool]:
    def expired() -> bool:
        return time.thread_time() >= end

    return expired


def _sentence(error: Exception) -> str:
    text = str(error)
    return text if text.endswith(".") else f"{text}."


def _tasks(path: Path, budget_ms: float) -> list[_Task]:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    text, _adjusted = decoded(data, str(path), "latin-1")
    reader = csv.reader(io.StringIO(text, newline=""))
    header = [name.strip().lower() for name in next(reader, [])]
    missing = [name for name in ("fen", "side") if name not in header]
    if missing:
        what = _("there is no column named {name}").format(name=missing[0])
        raise InterchangeError(str(path), [Defect(1, 1, what, _("name the columns fen and side in the first line"))])
    places = header.index("fen"), header.index("side")
    tasks: list[_Task] = []
    defects: list[Defect] = []
    for row in reader:
        if row:
            _read_row(row, places, reader.line_num, budget_ms, tasks, defects)
    if defects:
        raise InterchangeError(str(path), defects)
    return tasks


def _read_row(
    row: Sequence[str], places: tuple[int, int], line: int, budget_ms: float, tasks: list[_Task], defects: list[Defect]
) -> None:
    """Add the task of one row, or what is wrong with it."""
    if len(row) <= max(places):
        defects.append(Defect(line, 1, _("this row is too short"), _("give it a fen and a side, or take it out")))
        return
    fen, name = row[places[0]].strip(), row[places[1]].strip().lower()
    side = next((side for side in SIDES if side == name), None)
    if side is None:
        what = _("the side {side} is unknown").format(side=name)
        defects.append(Defect(line, _column(row, places[1]), what, _("write white or black")))
        return
    try:
        chess.Board(fen)
    except ValueError as error:
        defects.append(Defect(line, _column(row, places[0]), _sentence(error)[:-1], _("correct the FEN")))
        return
    tasks.append((fen, side, budget_ms))


def _column(row: Sequence[str], place: int) -> int:
    """The column of a field, from 1, for rows without quotes."""
    return 1 + sum(len(field) + 1 for field in row[:place])
