"""`hallkiosk bench winnable --csv FILE`: how good the verdicts on "can this side still mate?" are, by category.

The file has the columns `fen` and `side` (or `intended_winner`); with `category` rows are counted apart, with `verdict`
("winnable" or "unwinnable") they are compared with what is known. Every row is asked three times: the check that a
table can afford after every move (`rules.laws.winnable.quick`), the whole search with a budget of processor time, and
python-chess's own test by material. A position where neither side can mate and play could go on is `dead`, found by
the check that ends a game (5.2.2). Times are processor time in ms.
"""

from __future__ import annotations

import csv
import gzip
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from statistics import median
from typing import Any

import chess

from kiosk.winnable import COLUMN_OF_SIDE, run
from rules.interchange.decoding import decoded
from rules.interchange.errors import Defect, InterchangeError
from rules.laws.ending import COLOURS, is_dead
from rules.laws.sides import SIDES, Side
from rules.laws.winnable import Answer, quick

Json = dict[str, Any]
#: What the report gives the whole search for one row, in ms of processor time.
BUDGET_MS = 2_000
ALL = "all"


@dataclass(frozen=True, slots=True)
class Case:
    """A row of the file: a position, whose mate is in question, its category, and the known verdict ("" if none)."""

    fen: str
    side: Side
    category: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What was answered about a case: the check after a move, the whole search, the library's test by material."""

    case: Case
    live: Answer
    live_ms: float
    full: Answer
    full_ms: float
    material: bool

    @property
    def contradicts(self) -> bool:
        """Whether an answer differs from what is known; an open answer never does."""
        known = self.case.verdict
        return bool(known) and any(answer not in ("undetermined", known) for answer in (self.live, self.full))


def report(path: Path | str, budget_ms: float = BUDGET_MS) -> list[Json]:
    """One line of figures for each category of the file and one for all. One process, one row after the other.

    Raises OSError when the file cannot be read, `InterchangeError` when its columns or a row cannot be understood and
    `kiosk.winnable.WinnableError` for a position that no game can reach.
    """
    return summary(judged(cases(Path(path)), budget_ms))


def judged(rows: Iterable[Case], budget_ms: float = BUDGET_MS) -> Iterator[Judged]:
    """The answers for each row, one after the other. Raises `WinnableError` for a position that no game can reach."""
    for case in rows:
        answer = run(case.fen, case.side, budget_ms)
        board = chess.Board(case.fen)
        begun = time.thread_time()
        live = quick(board, case.side).verdict
        live_ms = 1000 * (time.thread_time() - begun)
        material = board.has_insufficient_material(COLOURS[case.side])
        yield Judged(case, live, live_ms, answer["verdict"], answer["ms"], material)


def summary(rows: Iterable[Judged]) -> list[Json]:
    """The figures by category, in the order in which the categories first come, and for all rows together."""
    groups: dict[str, list[Judged]] = {}
    every: list[Judged] = []
    for row in rows:
        groups.setdefault(row.case.category, []).append(row)
        every.append(row)
    lines = [_line(name, group) for name, group in groups.items() if name]
    return [*lines, _line(ALL, every)] if every else []


def _line(name: str, rows: list[Judged]) -> Json:
    unwinnable = [row for row in rows if row.case.verdict == "unwinnable"]
    dead = [board for board in _dead(unwinnable) if any(board.generate_legal_moves())]
    return {
        "category": name,
        "rows": len(rows),
        "decided": sum(row.full != "undetermined" for row in rows),
        "decided_%": _percent(sum(row.full != "undetermined" for row in rows), len(rows)),
        "contradictions": sum(row.contradicts for row in rows),
        "unwinnable": len(unwinnable),
        "live": sum(row.live == "unwinnable" for row in unwinnable),
        "live_%": _percent(sum(row.live == "unwinnable" for row in unwinnable), len(unwinnable)),
        "python-chess": sum(row.material for row in unwinnable),
        "dead": len(dead),
        "dead_found": sum(map(is_dead, dead)),
        "ms_median": round(median(row.full_ms for row in rows), 2),
        "ms_worst": round(max(row.full_ms for row in rows), 1),
        "live_ms_median": round(median(row.live_ms for row in rows), 2),
        "live_ms_worst": round(max(row.live_ms for row in rows), 1),
    }


def _dead(unwinnable: list[Judged]) -> list[chess.Board]:
    """The positions in which neither side can mate; a mate or stalemate on the board is among them."""
    sides = Counter(fen for fen, _side in {(row.case.fen, row.case.side) for row in unwinnable})
    return [chess.Board(fen) for fen, count in sides.items() if count == len(SIDES)]


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


# -- the file -----------------------------------------------------------------------------------------------------


def cases(path: Path) -> list[Case]:
    """The rows of the file. Raises OSError or `InterchangeError`."""
    data = path.read_bytes()
    text, _adjusted = decoded(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, str(path), "latin-1")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or ()]
    column = next((name for name in COLUMN_OF_SIDE if name in reader.fieldnames), "")
    if not column or "fen" not in reader.fieldnames:
        what, remedy = _("there is no column named {name}"), _("name the columns fen and side in the first line")
        missing = "side" if "fen" in reader.fieldnames else "fen"
        raise InterchangeError(str(path), [Defect(1, 1, what.format(name=missing), remedy)])
    found: list[Case] = []
    defects: list[Defect] = []
    for row in reader:
        case = _case(row, column)
        if isinstance(case, Case):
            found.append(case)
        else:
            defects.append(Defect(reader.line_num, 1, case, _("correct this row or take it out")))
    if defects:
        raise InterchangeError(str(path), defects)
    return found


def _case(row: Mapping[str, str | None], column: str) -> Case | str:
    """One row as a case, or what is wrong with it."""
    fen, name = (row["fen"] or "").strip(), (row[column] or "").strip().lower()
    side = next((side for side in SIDES if side == name), None)
    if side is None:
        return _("the side {side} is unknown").format(side=name or "?")
    try:
        chess.Board(fen)
    except ValueError as error:
        return str(error).rstrip(".")
    verdict = (row.get("verdict") or "").strip().lower()
    return Case(fen, side, (row.get("category") or "").strip(), verdict if verdict in _KNOWN else "")


_KNOWN = ("winnable", "unwinnable")
