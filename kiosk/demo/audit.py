"""Counts what the tables' logs hold and the hub's does not.

This is a witness: it reads the files with `sqlite3` alone and shares nothing with the code that carried the events.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

_COLUMNS = "epoch, seq, game, kind, wall, mono, boot, sync, prev, d"


@dataclass(frozen=True, slots=True)
class Audit:
    """`events` written at the tables; of these `lost` are not at the hub, or there with another content.

    `extra` are events at the hub that no table has; `results` is the number of official results, `doubled` how many
    boards have more than one that was confirmed at the table.
    """

    events: int
    lost: int
    extra: int
    results: int
    doubled: int


def audit(folder: Path) -> Audit:
    """Compares every `table-*.db` in `folder` with its `hall.db`."""
    tables: dict[tuple[str, int, int], tuple[object, ...]] = {}
    for path in sorted(folder.glob("table-*.db")):
        name = path.stem.removeprefix("table-")
        for row in _rows(path, f"SELECT {_COLUMNS} FROM events"):
            tables[name, int(str(row[0])), int(str(row[1]))] = row
    hub: dict[tuple[str, int, int], tuple[object, ...]] = {}
    for stored in _rows(folder / "hall.db", f"SELECT table_id, {_COLUMNS} FROM table_events"):
        hub[str(stored[0]), int(str(stored[1])), int(str(stored[2]))] = stored[1:]
    results = _rows(
        folder / "hall.db",
        "SELECT json_extract(d, '$.round'), json_extract(d, '$.board'), json_extract(d, '$.source')"
        " FROM tournament_events WHERE kind = 'resulted'",
    )
    boards = {(row[0], row[1]) for row in results}
    confirmed = [(row[0], row[1]) for row in results if row[2] == "confirmed"]
    return Audit(
        events=len(tables),
        lost=sum(1 for key, row in tables.items() if hub.get(key) != row),
        extra=sum(1 for key in hub if key not in tables),
        results=len(boards),
        doubled=len(confirmed) - len(set(confirmed)),
    )


def _rows(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return list(connection.execute(query))
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return []  # the file is being made
    finally:
        connection.close()
