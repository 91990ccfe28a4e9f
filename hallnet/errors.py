"""What can go wrong in the hall's network and stores. Every message is a sentence for the person in the hall."""

from __future__ import annotations

from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


class HallnetError(Exception):
    """Base of all errors of this package; str() says what happened and what to do now."""


class AlreadyRunning(HallnetError):
    """Another process holds the lock file; `pid` is its process id (0 if it could not be read)."""

    def __init__(self, path: Path, pid: int) -> None:
        self.path = path
        self.pid = pid
        super().__init__(
            _("{path} is in use by process {pid}: stop that one first, or choose another folder").format(
                path=path, pid=pid or "?"
            )
        )


class NotEnrolled(HallnetError):
    """A table wrote an event before a hub gave it an epoch."""


class OutboxFull(HallnetError):
    """A table's log has reached its bound and what was kept back for the end of a game is used up."""


class EventTooLarge(HallnetError):
    """An event that could never be sent was to be written."""


class Superseded(HallnetError):
    """Another hub has taken over this hall."""


class OldEpoch(HallnetError, ValueError):
    """An enrolment that is not newer than the one in force."""


class StoreError(HallnetError):
    """A store cannot be opened, read or written; `path` is its file."""

    def __init__(self, path: Path, sentence: str) -> None:
        self.path = path
        super().__init__(sentence)


class StoreForbidden(StoreError):
    """No permission to read or write the file or its folder."""


class StoreFull(StoreError):
    """No space left on the disk."""


class StoreLocked(StoreError):
    """Another process is writing the file."""


class StoreDamaged(StoreError):
    """The file is no database any more, or the disk reports errors."""


class StoreNewer(StoreError):
    """The file was written by a newer version of the program."""


class StoreForeign(StoreError):
    """The file is a database, but not one of this kind."""


#: Primary SQLite result code (sqlite.org/rescode.html) → error. As numbers: whoever only catches an error of this
#: package need not load the database.
_BY_CODE: dict[int, type[StoreError]] = {
    3: StoreForbidden,  # SQLITE_PERM
    8: StoreForbidden,  # SQLITE_READONLY
    14: StoreForbidden,  # SQLITE_CANTOPEN
    23: StoreForbidden,  # SQLITE_AUTH
    13: StoreFull,  # SQLITE_FULL
    5: StoreLocked,  # SQLITE_BUSY
    6: StoreLocked,  # SQLITE_LOCKED
    11: StoreDamaged,  # SQLITE_CORRUPT
    26: StoreDamaged,  # SQLITE_NOTADB
    10: StoreDamaged,  # SQLITE_IOERR
}


def store_error(error: sqlite3.Error, path: Path) -> StoreError:
    """The error of SQLite as one that says what to do now."""
    sentences: dict[type[StoreError], str] = {
        StoreForbidden: _("no permission to write {path}: check who owns the file and its folder, then start again"),
        StoreFull: _("the disk is full, {path} could not be written: free some space, then start again"),
        StoreLocked: _("{path} is locked by another process: stop that one (is it running twice?), then start again"),
        StoreDamaged: _("{path} cannot be read ({error}): check the disk or card; the next start moves it aside"),
        StoreError: _("{path} cannot be used ({error}): check the disk and the folder, then start again"),
    }
    kind = _BY_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, StoreError)
    return kind(path, sentences[kind].format(path=path, error=error))


class ServerError(HallnetError):
    """The transport's server cannot be run."""


class ServerMissing(ServerError):
    """No nats-server was found."""


class ServerNotRunnable(ServerError):
    """There is a nats-server, but this machine cannot run it."""


class ServerTooOld(ServerError):
    """The nats-server is older than the oldest one that is safe."""


class PortBusy(ServerError):
    """The port is in use; `port` is its number."""

    def __init__(self, port: int, sentence: str) -> None:
        self.port = port
        super().__init__(sentence)


class ServerFailed(ServerError):
    """The nats-server ended, or did not answer in time."""
