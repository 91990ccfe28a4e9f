"""Copies of a log, made while it is written, and putting one back.

A copy is the log as it was at one commit. What came later is sent again by the tables, whose own logs keep what was
acknowledged; the tournament's own later decisions are lost, so a copy is made after each that matters.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import datetime
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import StoreError, StoreForeign, store_error
from hallnet.hall_log import APPLICATION_ID
from hallnet.sql import Lock

#: Pages copied before the writer gets a turn.
_PAGES = 256


def backup(source: Path, target: Path) -> int:
    """Copy the log at `source`, whether it is in use or not, over `target`; returns its count of tournament events.

    The copy is complete and on the disk, or the old one is still there. Raises a `StoreError`.
    """
    if not source.exists():
        raise StoreError(source, _("{path} is not there: name the hub's settings with --config").format(path=source))
    new = target.with_name(target.name + ".new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with (
            contextlib.closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True, timeout=10)) as log,
            contextlib.closing(sqlite3.connect(new, isolation_level=None)) as copy,
        ):
            log.backup(copy, pages=_PAGES)
            copy.execute("PRAGMA journal_mode=DELETE")
            (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            count = _count(copy, new)
        if verdict != "ok":
            raise StoreError(source, _("{path} is damaged: {verdict}").format(path=source, verdict=verdict))
        _synced(new)
        new.replace(target)
        _synced(target.parent)
    except sqlite3.Error as error:
        raise store_error(error, source) from error
    except OSError as error:
        raise StoreError(
            target, _("{path} cannot be written: {error}").format(path=target, error=error.strerror)
        ) from error
    return count


def count_events(path: Path) -> int:
    """How many tournament events a log or copy has; 0 for a file that is none."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as log:
            return _count(log, path)
    except (sqlite3.Error, StoreError):
        return 0


def restore(copy: Path, data: Path) -> Path | None:
    """Put a copy in the place of `data`/hall.db; returns where the old log is now. Raises a `StoreError`.

    The hub must not be running (`AlreadyRunning`). The copy is marked, so that the hub knows at its next start that the
    tables may know more than its log.
    """
    if not count_events(copy):
        raise StoreForeign(copy, _("{path} is no copy of a hall's log: nothing was changed").format(path=copy))
    data.mkdir(parents=True, exist_ok=True)
    lock = Lock(data / "hall.lock")
    try:
        return put_in_place(copy, data / "hall.db", deliberate=True)
    finally:
        lock.release()


def put_in_place(copy: Path, log: Path, deliberate: bool) -> Path | None:
    """Copy `copy` to `log`, whose files get a dated name; `deliberate`: a person wants it, whoever took over before."""
    new = log.with_name(log.name + ".new")
    backup(copy, new)
    with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as restored:
        mark = "deliberately" if deliberate else "by itself"
        restored.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('restored', ?)", (mark,))
    _synced(new)
    aside: Path | None = None
    if log.exists():
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
        aside = log.with_name(f"{log.name}.before-{stamp}")
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                log.with_name(log.name + suffix).rename(aside.with_name(aside.name + suffix))
    new.replace(log)
    _synced(log.parent)
    return aside


def _count(log: sqlite3.Connection, path: Path) -> int:
    (found,) = log.execute("PRAGMA application_id").fetchone()
    if found != APPLICATION_ID:
        raise StoreForeign(path, _("{path} is not the log of a hall: name its hall.db").format(path=path))
    (count,) = log.execute("SELECT count(*) FROM tournament_events").fetchone()
    return int(count)


def _synced(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
