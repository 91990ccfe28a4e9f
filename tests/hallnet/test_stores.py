"""Opening a log after whatever happened to the machine."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlite_utils import Database

from hallnet.errors import (
    AlreadyRunning,
    StoreDamaged,
    StoreError,
    StoreForbidden,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreNewer,
    store_error,
)
from hallnet.sql import Lock, open_log, transaction

APP = 0x1234


def schema(database: Database) -> None:
    database.table("notes").create({"n": int, "text": str}, pk="n", not_null={"text"})


def open_notes(path: Path, said: list[str] | None = None) -> sqlite3.Connection:
    return open_log(path, APP, 1, schema, report=None if said is None else said.append)


def write(connection: sqlite3.Connection, path: Path, text: str) -> None:
    with transaction(connection, path):
        connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))


def texts(connection: sqlite3.Connection) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY n")]


def test_a_log_is_synced_at_every_commit(tmp_path: Path) -> None:
    connection = open_notes(tmp_path / "a.db")
    pragmas = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "application_id", "user_version")
    }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "application_id": APP, "user_version": 1}
    assert connection.isolation_level is None
    connection.execute("BEGIN IMMEDIATE")
    assert connection.in_transaction
    connection.execute("INSERT INTO notes (text) VALUES ('gone')")
    connection.execute("ROLLBACK")
    assert texts(connection) == []


def test_an_error_inside_a_transaction_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = open_notes(path)

    def write_half() -> None:
        with transaction(connection, path):
            connection.execute("INSERT INTO notes (text) VALUES ('half')")
            raise RuntimeError("hall is on fire")

    with pytest.raises(RuntimeError, match="hall is on fire"):
        write_half()
    assert not connection.in_transaction
    write(connection, path, "whole")
    assert texts(connection) == ["whole"]


@pytest.mark.parametrize("damage", ["zeros", "text"])
def test_a_damaged_file_is_moved_aside_and_reported(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    write(connection, path, "before")
    connection.close()
    size = path.stat().st_size
    broken = b"\0" * size if damage == "zeros" else b"not a database at all\n" * 100
    path.write_bytes(broken)
    said: list[str] = []
    connection = open_notes(path, said)
    assert texts(connection) == []
    (aside,) = tmp_path.glob("hall.db.damaged-*")
    assert aside.read_bytes() == broken
    assert len(said) == 1
    assert aside.name in said[0]


def test_damage_in_the_middle_is_found_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    with transaction(connection, path):
        connection.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 500,) for _n in range(200)])
    connection.close()
    data = bytearray(path.read_bytes())
    data[8192:16384] = b"\xff" * 8192
    path.write_bytes(data)
    said: list[str] = []
    open_notes(path, said).close()
    assert len(said) == 1
    assert len(list(tmp_path.glob("hall.db.damaged-*"))) == 1


def test_a_wal_of_zeros_does_not_lose_events_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    write(connection, path, "in the main file")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    write(connection, path, "in the wal")
    wal = tmp_path / "hall.db-wal"
    main, length = path.read_bytes(), wal.stat().st_size
    connection.close()
    path.write_bytes(main)
    wal.write_bytes(b"\0" * length)
    said: list[str] = []
    connection = open_notes(path, said)
    assert texts(connection) == ["in the main file"]
    assert len(said) == 1
    assert len(list(tmp_path.glob("hall.db-wal.damaged-*"))) == 1
    connection.close()
    assert open_notes(path, said) is not None
    assert len(said) == 1


def test_a_good_wal_of_a_killed_process_is_used(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    write(connection, path, "in the wal")
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    (tmp_path / "copy.db-wal").write_bytes((tmp_path / "hall.db-wal").read_bytes())
    said: list[str] = []
    assert texts(open_notes(copy, said)) == ["in the wal"]
    assert said == []


def test_a_file_of_a_newer_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    open_log(path, APP, 7, schema).close()
    before = path.read_bytes()
    with pytest.raises(StoreNewer, match="format 7, known 1"):
        open_notes(path)
    assert path.read_bytes() == before


def test_another_kind_of_database_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "music.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreForeign, match="name another file"):
        open_notes(path)
    with pytest.raises(StoreForeign):
        open_log(path, APP + 1, 1, schema)
    assert path.read_bytes() == before


def test_an_older_file_is_migrated_step_by_step(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    write(connection, path, "old")
    connection.close()

    def add_author(database: Database) -> None:
        database.table("notes").add_column("author", str, not_null_default="?")

    def add_tags(database: Database) -> None:
        database.table("tags").create({"name": str}, pk="name")

    connection = open_log(path, APP, 3, schema, {1: add_author, 2: add_tags})
    assert connection.execute("SELECT text, author FROM notes").fetchall() == [("old", "?")]
    assert connection.execute("SELECT COUNT(*) FROM tags").fetchone() == (0,)
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    open_notes(path).close()

    def fail(database: Database) -> None:
        database.table("tags").create({"name": str}, pk="name")
        raise RuntimeError("the power went")

    with pytest.raises(RuntimeError):
        open_log(path, APP, 2, schema, {1: fail})
    connection = open_notes(path)
    assert Database(connection).table_names() == ["notes"]


def test_a_second_writer_is_told_that_the_file_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.sql.BUSY_S", 0.05)
    path = tmp_path / "hall.db"
    first = open_notes(path)
    first.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match="locked by another process"):
        open_notes(path)


def test_a_missing_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreForbidden, match="who owns"):
        open_notes(tmp_path / "missing" / "hall.db")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    open_notes(path).close()
    path.chmod(0o400)
    with pytest.raises(StoreForbidden):
        open_notes(path)


def test_a_full_disk_is_a_sentence_and_nothing_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    connection = open_notes(path)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(StoreFull, match="free some space"), transaction(connection, path):
        connection.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 3000,) for _n in range(20)])
    assert texts(connection) == []
    write(connection, path, "small")
    assert texts(connection) == ["small"]


def test_every_error_of_the_disk_has_its_name() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | (3 << 8)
    assert type(store_error(error, Path("x.db"))) is StoreDamaged
    assert type(store_error(sqlite3.Error("odd"), Path("x.db"))) is StoreError


def test_a_lock_names_its_holder_and_ends_with_him(tmp_path: Path) -> None:
    path = tmp_path / "hall.lock"
    code = """
import pathlib, sys
from hallnet.sql import Lock
lock = Lock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
input()
"""
    with subprocess.Popen(
        (sys.executable, "-c", code, str(path)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(AlreadyRunning) as caught:
            Lock(path)
        assert caught.value.pid == holder.pid
        assert str(holder.pid) in str(caught.value)
        holder.kill()
        holder.wait()
    lock = Lock(path)
    assert path.read_text() == f"{os.getpid()}\n"
    lock.release()
    lock.release()
    with Lock(path), pytest.raises(AlreadyRunning):
        Lock(path)
    with pytest.raises(StoreError, match="cannot be made"):
        Lock(tmp_path / "missing" / "x.lock")
