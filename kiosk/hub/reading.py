"""Opening a hall's log to read it: a file that is not one is refused and stays where and what it is."""

from __future__ import annotations

from gettext import gettext as _
from pathlib import Path

from hallnet.errors import StoreError
from hallnet.hall_log import APPLICATION_ID, HallLog

_MAGIC = b"SQLite format 3\0"
#: Where SQLite's header holds the application id (sqlite.org/fileformat2.html, 1.3).
_ID_AT = 68


def open_existing(path: Path) -> HallLog:
    """The log at `path`; raises a `StoreError` for anything that is not the log of a hall."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        sentence = _("{path} cannot be read ({error}): name the hall.db of a hall")
        raise StoreError(path, sentence.format(path=path, error=error.strerror)) from error
    if not header.startswith(_MAGIC) or header[_ID_AT : _ID_AT + 4] != APPLICATION_ID.to_bytes(4, "big"):
        raise StoreError(path, _("{path} is not the log of a hall: name its hall.db").format(path=path))
    return HallLog.open(path)
