"""The hub's log: what the tables sent, and what became of the tournament, in one file and in common transactions.

A table's event and the tournament event it causes are committed together, so neither can be there without the other.
Use one `HallLog` from one thread at a time.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hallnet.chain import chain_hash
from hallnet.clock import wall_ms
from hallnet.errors import StoreError
from hallnet.keyring import KeyEvent
from hallnet.sql import open_log, reading, transaction
from hallnet.sync_down import Inbox
from hallnet.wire import EventMsg
from rules.tournament.events import KIND_OF, KINDS, TournamentEvent

if TYPE_CHECKING:
    from sqlite_utils import Database

APPLICATION_ID = 0x68_6B_68_61  # "hkha"
SCHEMA_VERSION = 2
_COLUMNS = "table_id, epoch, seq, game, kind, wall, mono, boot, sync, prev, d"
_INSERT = f"INSERT OR IGNORE INTO table_events ({_COLUMNS}, received) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_APPEND = "INSERT INTO tournament_events (kind, at, d, cause_table, cause_epoch, cause_seq) VALUES (?, ?, ?, ?, ?, ?)"
_CHUNK = 1_000


def _schema(database: Database) -> None:
    database.table("meta").create({"key": str, "value": str}, pk="key", not_null={"value"})
    sent = {
        "table_id": str,
        "epoch": int,
        "seq": int,
        "game": str,
        "kind": str,
        "wall": int,
        "mono": int,
        "boot": str,
        "sync": int,
        "prev": str,
        "d": str,
        "received": int,
    }
    database.table("table_events").create(sent, pk=("table_id", "epoch", "seq"), not_null=set(sent))
    caused = {"cause_table": str, "cause_epoch": int, "cause_seq": int}
    database.table("tournament_events").create(
        {"n": int, "kind": str, "at": int, "d": str, **caused}, pk="n", not_null={"kind", "at", "d"}
    )
    aside = {"n": int, "subject": str, "payload": bytes, "why": str, "received": int}
    database.table("set_aside").create(aside, pk="n", not_null=set(aside))
    conflict = {
        "n": int,
        "table_id": str,
        "epoch": int,
        "seq": int,
        "message": str,
        "why": str,
        "received": int,
    }
    database.table("conflicts").create(conflict, pk="n", not_null=set(conflict))
    _with_keys(database)


def _with_keys(database: Database) -> None:
    """Version 2: who may speak in the hall, as a log of its own."""
    key = {"n": int, "at": int, "kind": str, "public": str, "role": str, "name": str, "by": str, "why": str}
    database.table("key_events").create(key, pk="n", not_null=set(key))


#: Version → what makes a file of it one of the next.
_STEPS = {1: _with_keys}


Rows = tuple[tuple[Any, ...], ...]


class Position(NamedTuple):
    """How far a log has come: the last row of the tables' events, of the tournament's and of the keys'."""

    table: int
    tournament: int
    keys: int


class HallLog:
    """The log in one file. `notices` says in sentences what was found damaged on opening."""

    def __init__(self, path: Path, connection: sqlite3.Connection, notices: tuple[str, ...] = ()) -> None:
        self.path = path
        self.notices = notices
        self._connection = connection
        self._duplicates = 0
        if not self.meta("id"):
            self.set_meta(id=secrets.token_hex(8))
        self.id = self.meta("id")

    @classmethod
    def open(cls, path: Path) -> HallLog:
        """Open or make the log at `path`; raises a `StoreError` with what to do."""
        notices: list[str] = []
        connection = open_log(path, APPLICATION_ID, SCHEMA_VERSION, _schema, _STEPS, report=notices.append)
        return cls(path, connection, tuple(notices))

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside is committed together, or not at all if an error comes out.

        Errors of the disk come as `StoreError`; all others as they are.
        """
        return transaction(self._connection, self.path)

    def insert(self, table: str, msg: EventMsg, received_wall: int) -> bool:
        """Keep a table's event. False: (table, epoch, seq) was there already, and nothing was changed."""
        row = (
            table,
            msg.e,
            msg.s,
            msg.g,
            msg.kind,
            msg.wall,
            msg.mono,
            msg.boot,
            int(msg.sync),
            msg.prev,
            bytes(msg.d).decode(),
            received_wall,
        )
        with self._writing():
            new = self._connection.execute(_INSERT, row).rowcount == 1
        if not new:
            self._duplicates += 1
        return new

    def find(self, table: str, epoch: int, seq: int) -> EventMsg | None:
        """A kept event of a table."""
        query = f"SELECT {_COLUMNS} FROM table_events WHERE table_id = ? AND epoch = ? AND seq = ?"
        with reading(self.path):
            row = self._connection.execute(query, (table, epoch, seq)).fetchone()
        return _message(row) if row else None

    def append(self, events: Sequence[TournamentEvent], cause: tuple[str, int, int] | None = None) -> list[int]:
        """Add events of the tournament, caused by a table's event (table, epoch, seq) or by the hub; their numbers."""
        numbers: list[int] = []
        table, epoch, seq = cause or (None, None, None)
        with self._writing():
            for event in events:
                data = msgspec.json.encode(event).decode()
                row = (KIND_OF[type(event)], event.at, data, table, epoch, seq)
                numbers.append(self._connection.execute(_APPEND, row).lastrowid or 0)
        return numbers

    def kinds_caused_by(self, cause: tuple[str, int, int]) -> tuple[str, ...]:
        """The kinds of the events that were appended with this cause, in order; looks through the whole log."""
        query = "SELECT kind FROM tournament_events WHERE (cause_table, cause_epoch, cause_seq) = (?, ?, ?) ORDER BY n"
        with reading(self.path):
            return tuple(kind for (kind,) in self._connection.execute(query, cause).fetchall())

    def conflict(self, table: str, msg: EventMsg, why: str) -> None:
        """Keep a table's message that contradicts what is there."""
        with self._writing():
            self._connection.execute(
                "INSERT INTO conflicts (table_id, epoch, seq, message, why, received) VALUES (?, ?, ?, ?, ?, ?)",
                (table, msg.e, msg.s, msgspec.json.encode(msg).decode(), why, wall_ms()),
            )

    def set_aside(self, subject: str, payload: bytes, why: str) -> None:
        """Keep a message that cannot be understood or used."""
        with self._writing():
            self._connection.execute(
                "INSERT INTO set_aside (subject, payload, why, received) VALUES (?, ?, ?, ?)",
                (subject, payload, why, wall_ms()),
            )

    def meta(self, key: str) -> str:
        """A note about the file itself, "" if there is none."""
        with reading(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, **values: str) -> None:
        """Note something about the file itself."""
        with self._writing():
            self._connection.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    def position(self) -> Position:
        """How far this log has come."""
        with reading(self.path):
            found = [
                self._connection.execute(f"SELECT coalesce(max({number}), 0) FROM {table}").fetchone()[0]
                for table, number, _columns in _COPIED
            ]
        return Position(*found)

    def rows(
        self, after: Position, to: Position, most_bytes: int
    ) -> tuple[tuple[tuple[tuple[Any, ...], ...], ...], Position]:
        """The rows after one position up to another, as many as fit into so many bytes, and how far they go."""
        room = most_bytes
        parts: list[Rows] = []
        reached: list[int] = []
        for (table, number, columns), low, high in zip(_COPIED, after, to, strict=True):
            query = f"SELECT {number}, {columns} FROM {table} WHERE {number} > ? AND {number} <= ? ORDER BY {number}"
            part: list[tuple[Any, ...]] = []
            at = low
            with reading(self.path), contextlib.closing(self._connection.execute(query, (low, high))) as cursor:
                for row in cursor:
                    room -= 64 + sum(len(value) if isinstance(value, str) else 12 for value in row)
                    if room < 0 and (part or any(parts)):
                        break
                    part.append(tuple(row[1:]))
                    at = int(row[0])
                else:
                    at = max(low, high)
            parts.append(tuple(part))
            reached.append(at)
        return tuple(parts), Position(*reached)

    def copy_rows(self, *parts: Sequence[Sequence[Any]]) -> None:
        """Add rows of another log (tables', tournament's, keys') as they are, in their order."""
        with self._writing():
            for (name, _number, columns), rows in zip(_COPIED, parts, strict=True):
                marks = ", ".join("?" * len(columns.split(",")))
                self._connection.executemany(f"INSERT INTO {name} ({columns}) VALUES ({marks})", rows)

    def causes_ahead(self) -> set[tuple[str, int, int]]:
        """Events of tables (table, epoch, seq) whose consequences are here and they themselves are not.

        So it is when the tournament's log was completed from elsewhere: the tables send them again.
        """
        query = (
            "SELECT DISTINCT cause_table, cause_epoch, cause_seq FROM tournament_events AS t"
            " WHERE cause_seq > 0 AND NOT EXISTS (SELECT 1 FROM table_events WHERE"
            " (table_id, epoch, seq) = (t.cause_table, t.cause_epoch, t.cause_seq))"
        )
        with reading(self.path):
            return set(self._connection.execute(query).fetchall())

    def become(self, log_id: str) -> None:
        """Go on as the log of that id, of which this new file gets the rows."""
        self.set_meta(id=log_id)
        self.id = log_id

    def append_keys(self, events: Sequence[KeyEvent]) -> None:
        """Add to the log of keys."""
        with self._writing():
            self._connection.executemany(
                "INSERT INTO key_events (at, kind, public, role, name, by, why) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(e.at, e.kind, e.public, e.role, e.name, e.by, e.why) for e in events],
            )

    def key_events(self) -> Iterator[KeyEvent]:
        """The log of keys in the order it was written."""
        with reading(self.path):
            rows = self._connection.execute(
                "SELECT at, kind, public, role, name, by, why FROM key_events ORDER BY n"
            ).fetchall()
        for row in rows:
            yield KeyEvent(*row)

    def tournament_events(self) -> Iterator[TournamentEvent]:
        """The tournament's events in the order they were written; raises `StoreError` at one that is not understood.

        Leaving an event out would fold another tournament, so there is no way around one.
        """
        after = 0
        while True:
            with reading(self.path):
                rows = self._connection.execute(
                    "SELECT n, kind, d FROM tournament_events WHERE n > ? ORDER BY n LIMIT ?", (after, _CHUNK)
                ).fetchall()
            if not rows:
                return
            for number, kind, data in rows:
                yield self._tournament_event(number, kind, data)
            after = rows[-1][0]

    def table_messages(self, table: str | None = None) -> Iterator[tuple[str, EventMsg]]:
        """(table id, event) of one table or of all, by table, epoch and seq."""
        one = "" if table is None else "table_id = ? AND "
        query = (
            f"SELECT {_COLUMNS} FROM table_events WHERE {one}(table_id, epoch, seq) > (?, ?, ?)"
            " ORDER BY table_id, epoch, seq LIMIT ?"
        )
        fixed = () if table is None else (table,)
        key: tuple[str, int, int] = ("", 0, 0)
        while True:
            with reading(self.path):
                rows = self._connection.execute(query, (*fixed, *key, _CHUNK)).fetchall()
            if not rows:
                return
            for row in rows:
                yield row[0], _message(row)
            key = (rows[-1][0], rows[-1][1], rows[-1][2])

    def epoch_messages(self, table: str, epoch: int) -> tuple[EventMsg, ...]:
        """A table's events of one epoch, in order up to the first gap: those that had effects."""
        query = f"SELECT {_COLUMNS} FROM table_events WHERE table_id = ? AND epoch = ? AND seq > 0 ORDER BY seq"
        with reading(self.path):
            rows = self._connection.execute(query, (table, epoch)).fetchall()
        return tuple(_message(row) for number, row in enumerate(rows, 1) if row[2] == number)

    def last(self, table: str, epoch: int) -> tuple[int, str]:
        """(seq, `prev` to expect next): up to where a table's epoch is here without a gap; (0, "") for nothing."""
        with reading(self.path):
            count, highest = self._connection.execute(
                "SELECT COUNT(*), MAX(seq) FROM table_events WHERE table_id = ? AND epoch = ? AND seq > 0",
                (table, epoch),
            ).fetchone()
            seq = int(highest or 0)
            if count != seq:
                seqs = self._connection.execute(
                    "SELECT seq FROM table_events WHERE table_id = ? AND epoch = ? AND seq > 0 ORDER BY seq",
                    (table, epoch),
                )
                seq = 0
                for (found,) in seqs:
                    if found != seq + 1:
                        break
                    seq = found
        message = self.find(table, epoch, seq) if seq else None
        return (seq, chain_hash(message)) if message else (0, "")

    def received(self, table: str, epoch: int) -> int:
        """When the newest event of a table's epoch came (wall ms), 0 for none."""
        query = "SELECT coalesce(max(received), 0) FROM table_events WHERE table_id = ? AND epoch = ?"
        with reading(self.path):
            return int(self._connection.execute(query, (table, epoch)).fetchone()[0])

    def held(self, table: str, epoch: int) -> tuple[EventMsg, ...]:
        """Events beyond the first gap: kept, but without effect yet."""
        seq, _prev = self.last(table, epoch)
        query = f"SELECT {_COLUMNS} FROM table_events WHERE table_id = ? AND epoch = ? AND seq > ? ORDER BY seq"
        with reading(self.path):
            return tuple(_message(row) for row in self._connection.execute(query, (table, epoch, seq)).fetchall())

    def inbox(self, table: str, epoch: int) -> Inbox:
        """The `Inbox` of a table as of this log, with what waits behind a gap."""
        seq, prev = self.last(table, epoch)
        return Inbox(epoch, seq, prev, self.held(table, epoch))

    def count_duplicates(self) -> int:
        """How many events came that were there already, since the log was opened."""
        return self._duplicates

    def stats(self) -> Mapping[str, int]:
        """Rows of each table by name, and "duplicates"."""
        with reading(self.path):
            counts = {name: self._count(name) for name in _COUNTED}
        return {**counts, "duplicates": self._duplicates}

    def _count(self, name: str) -> int:
        (count,) = self._connection.execute(f"SELECT count(*) FROM {name}").fetchone()
        return int(count)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    def _writing(self) -> AbstractContextManager[None]:
        if self._connection.in_transaction:
            return contextlib.nullcontext()
        return self.transaction()

    def _tournament_event(self, number: int, kind: str, data: str) -> TournamentEvent:
        known = KINDS.get(kind)
        why = _("this version does not know the kind {kind!r}").format(kind=kind)
        if known is not None:
            try:
                return msgspec.json.decode(data, type=known)
            except msgspec.MsgspecError as error:
                why = str(error)
        raise StoreError(
            self.path,
            _("{path}: event {number} is not understood ({why}): use the version that wrote it, or a newer one").format(
                path=self.path, number=number, why=why
            ),
        )


#: What a standby copies: table, the number that grows, the columns.
_COPIED = (
    ("table_events", "rowid", f"{_COLUMNS}, received"),
    ("tournament_events", "n", "kind, at, d, cause_table, cause_epoch, cause_seq"),
    ("key_events", "n", "at, kind, public, role, name, by, why"),
)
_COUNTED = ("table_events", "tournament_events", "set_aside", "conflicts")


def _message(row: tuple[str, int, int, str, str, int, int, str, int, str, str]) -> EventMsg:
    _table, epoch, seq, game, kind, wall, mono, boot, sync, prev, data = row
    return EventMsg(
        e=epoch,
        s=seq,
        g=game,
        kind=kind,
        wall=wall,
        mono=mono,
        boot=boot,
        sync=bool(sync),
        prev=prev,
        d=msgspec.Raw(data.encode()),
    )
