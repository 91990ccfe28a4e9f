"""Opening the logs: SQLite files that a power cut may hit at any moment.

Every log is in WAL mode with synchronous=FULL, so a commit that returned is on the disk. The connection is in
autocommit mode (`isolation_level` None): Python then opens no transaction of its own, and `BEGIN IMMEDIATE` … `COMMIT`
is ours.

A file that is no database any more is moved aside under a dated name, never deleted, and reported.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

from hallnet.errors import AlreadyRunning, StoreDamaged, StoreError, StoreForeign, StoreNewer, store_error

if TYPE_CHECKING:
    from sqlite_utils import Database

log = logging.getLogger(__name__)

#: Makes or changes tables, inside a transaction.
Step = Callable[["Database"], None]
Report = Callable[[str], None]

BUSY_S = 2.0
_WAL_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")


def open_log(
    path: Path,
    application_id: int,
    version: int,
    schema: Step,
    steps: Mapping[int, Step] | None = None,
    report: Report | None = None,
) -> sqlite3.Connection:
    """Open or make the log at `path`, ready for `BEGIN IMMEDIATE`.

    `schema` makes the tables of `version` in a new file; `steps[n]` changes a file of version n into one of n + 1.
    What was moved aside is told to `report` in a sentence (and logged). The connection may be used from any thread, but
    only from one at a time.

    Raises a `StoreError`: no permission, disk full, locked, of another kind, or written by a newer version.
    """
    tell = _teller(report)
    _set_damaged_aside(path, tell)
    try:
        return _open(path, application_id, version, schema, steps or {})
    except StoreDamaged as error:
        log.warning("%s", error)
        move_aside(path, tell)
        return _open(path, application_id, version, schema, steps or {})


def _teller(report: Report | None) -> Report:
    def tell(sentence: str) -> None:
        log.warning("%s", sentence)
        if report is not None:
            report(sentence)

    return tell


def _open(path: Path, application_id: int, version: int, schema: Step, steps: Mapping[int, Step]) -> sqlite3.Connection:
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        found = _identity(path, connection, application_id, version)
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            connection.execute("PRAGMA journal_mode=wal")
        connection.execute("PRAGMA synchronous=FULL")
        _check_writable(path, connection)
        if found < version:
            # Its library makes tables and takes its time to load: a log that is there already does without.
            from sqlite_utils import Database

            database = Database(connection, execute_plugins=False)
            with transaction(connection, path):
                if found == 0:
                    schema(database)
                for old in range(max(found, 1), version) if found else ():
                    steps[old](database)
                connection.execute(f"PRAGMA application_id={application_id}")
                connection.execute(f"PRAGMA user_version={version}")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise store_error(error, path) from error
    except BaseException:
        if connection is not None:
            connection.close()
        raise
    return connection


def _identity(path: Path, connection: sqlite3.Connection, application_id: int, version: int) -> int:
    """The schema version of the file, 0 for a new one; raises when the file is not ours, newer or damaged."""
    (found_id,) = connection.execute("PRAGMA application_id").fetchone()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found_id == 0 and found == 0 and not _tables(connection):
        return 0
    if found_id != application_id:
        raise StoreForeign(
            path, _("{path} is another kind of database: name another file, or another folder").format(path=path)
        )
    if found > version:
        raise StoreNewer(
            path,
            _(
                "{path} was written by a newer version of this program (format {found}, known {version}): update it"
            ).format(path=path, found=found, version=version),
        )
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreDamaged(path, _("{path} is damaged: {verdict}").format(path=path, verdict=verdict))
    return int(found)


def _tables(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()
    return int(count)


def _check_writable(path: Path, connection: sqlite3.Connection) -> None:
    """A log that cannot be written is found at the start and not at the first move."""
    with transaction(connection, path):
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version={found}")


def _set_damaged_aside(path: Path, tell: Report) -> None:
    """Move away a WAL of zeros: SQLite would take it for an empty one and lose what it held without a word."""
    wal = path.with_name(path.name + "-wal")
    with contextlib.suppress(FileNotFoundError), wal.open("rb") as file:
        head = file.read(4)
        if head and head not in _WAL_MAGIC:
            aside = _aside_name(wal)
            wal.rename(aside)
            tell(
                _(
                    "{path} was damaged; it is now {aside}: the newest events in it must come again from the tables"
                ).format(path=wal, aside=aside.name)
            )


def move_aside(path: Path, tell: Report) -> None:
    """Give a damaged file and its WAL a dated name, and `tell` which."""
    aside = _aside_name(path)
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    tell(_("{path} was damaged; it is now {aside} and a new one was begun").format(path=path, aside=aside.name))


def _aside_name(path: Path) -> Path:
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    for count in range(1000):
        name = path.with_name(f"{path.name}.damaged-{stamp}" + (f"-{count}" if count else ""))
        if not name.exists():
            return name
    raise StoreError(path, _("too many damaged copies of {path}: move them elsewhere").format(path=path))


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """`BEGIN IMMEDIATE` … `COMMIT`; on any error `ROLLBACK`. SQLite's errors become `StoreError`s."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back already.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    except sqlite3.Error as error:
        raise store_error(error, path) from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns SQLite's errors of a query into `StoreError`s."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, path) from error


class Lock:
    """A lock file: taken when this is made, held until `release` or the end of the process, however it ends.

    The file carries the holder's pid. Raises `AlreadyRunning` when another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1
        self.acquire()

    def acquire(self) -> None:
        """Take the lock again after `release`; no effect while it is held."""
        if self._fd >= 0:
            return
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                self.path,
                _("{path} cannot be made ({error}): check the folder and who owns it, then start again").format(
                    path=self.path, error=error.strerror
                ),
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            text = os.read(fd, 32).strip()
            os.close(fd)
            raise AlreadyRunning(self.path, int(text) if text.isdigit() else 0) from error
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._fd = fd

    def release(self) -> None:
        """Give the lock up; safe to call twice. The file stays, so that nobody locks a file that has gone."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()
