"""A log that cannot be read: the newest copy goes on in its place, with what the second book has beyond it."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from gettext import gettext as _
from pathlib import Path

from hallnet.backup import count_events, put_in_place
from hallnet.errors import StoreDamaged, StoreError
from hallnet.hall_log import HallLog, Position
from hallnet.second_book import begun_log, go_on
from hallnet.sql import move_aside


def open_or_rescue(path: Path) -> HallLog:
    """The log; if its file cannot be read, the newest copy in its place. Raises a `StoreError`."""
    copies = [path.parent / "backup" / name for name in (path.name, path.name + ".1")]
    hall_log = _readable(path, any(map(count_events, copies)))
    if not hall_log.notices:
        return hall_log
    here = count_events(path)
    best = max(copies, key=count_events)
    if count_events(best) <= here:
        return _completed(hall_log)
    made = datetime.fromtimestamp(best.stat().st_mtime).astimezone()
    hall_log.close()
    put_in_place(best, path, deliberate=False)
    rescued = HallLog.open(path)
    sentence = _("The hub goes on from its copy of {time}; the tables send again what came later.")
    rescued.notices = (*hall_log.notices, sentence.format(time=made.strftime("%H:%M:%S")))
    return _completed(rescued)


def _readable(path: Path, has_copy: bool) -> HallLog:
    """The log, or a new one if a row of it is damaged and there is a copy. Raises a `StoreError`.

    SQLite's own check knows its pages, not what stands in them.
    """
    garbled = (StoreError, ValueError, LookupError, TypeError, sqlite3.Error)
    try:
        hall_log = HallLog.open(path)
    except garbled as error:
        if (isinstance(error, StoreError) and not isinstance(error, StoreDamaged)) or not has_copy:
            raise
    else:
        try:
            for rows in (hall_log.tournament_events(), hall_log.key_events(), hall_log.table_messages()):
                for _row in rows:
                    pass
        except garbled:
            if not has_copy:
                raise
            hall_log.close()
        else:
            return hall_log
    told: list[str] = []
    move_aside(path, told.append)
    fresh = HallLog.open(path)
    fresh.notices = (*told, *fresh.notices)
    return fresh


def _completed(hall_log: HallLog) -> HallLog:
    """The rescued log with the decisions that only the second book has."""
    book = second_book(hall_log.path)
    if hall_log.position() == Position(0, 0, 0) and (known := begun_log(book)):
        hall_log.become(known)
    count = go_on(hall_log, book)
    if count:
        sentence = _("{count} decisions that came after it are from the second book.").format(count=count)
        hall_log.notices = (*hall_log.notices, sentence)
    return hall_log


def second_book(path: Path) -> Path:
    """Where the second book of the log at `path` is."""
    return path.parent / "backup" / "decisions.jsonl"
