"""A table's outbox: every event of the table, on the disk before anybody acts on it, and sent until the hub has it.

Acknowledged is not deleted: the file is the record of the table's games. Use one `Outbox` from one thread at a time.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hallnet.chain import chain_hash
from hallnet.errors import EventTooLarge, NotEnrolled, OldEpoch, OutboxFull, StoreDamaged, StoreError
from hallnet.sql import move_aside, open_log, reading, transaction
from hallnet.wire import MAX_DATA, PLACE, EventMsg, WireError, event_data, event_of
from rules.laws.events import KINDS, GameEvent, Opened

if TYPE_CHECKING:
    from sqlite_utils import Database

log = logging.getLogger(__name__)

APPLICATION_ID = 0x68_6B_6F_62  # "hkob"
SCHEMA_VERSION = 1
_COLUMNS = "epoch, seq, game, kind, wall, mono, boot, sync, prev, d"
_CHUNK = 500
#: Bytes that the file may grow to (about 250,000 events), and what comes on top so that a game can end.
LIMIT = 64_000_000
RESERVE = 4_000_000
_MOST_HUBS = 4
_UNREADABLE = (2**63, 0)
#: What a changed bit can lead to that nobody has turned into a `StoreError`.
_GARBLED = (ValueError, LookupError, TypeError, sqlite3.Error)


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something was written: wall ms since 1970, BOOTTIME µs, the boot it counts from, is the wall clock right."""

    wall_ms: int
    mono_us: int
    boot: str
    sync: bool


@dataclass(frozen=True, slots=True)
class Journal:
    """Both clocks (chess ms) at chess-time `t`, and when that was noted: where a game resumes after a power cut."""

    t: int
    white_ms: int
    black_ms: int
    stamp: Stamp


def _schema(database: Database) -> None:
    database.table("meta").create({"key": str, "value": str}, pk="key", not_null={"value"})
    columns = {
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
    }
    database.table("events").create(columns, pk=("epoch", "seq"), not_null=set(columns))
    journal = {
        "id": int,
        "t": int,
        "white_ms": int,
        "black_ms": int,
        "wall": int,
        "mono": int,
        "boot": str,
        "sync": int,
    }
    database.table("journal").create(journal, pk="id", not_null=set(journal))
    database.table("meta").insert({"key": "instance", "value": secrets.token_hex(8)})


class Outbox:
    """The event log of one table. `instance` is a random name made with the file; `epoch` 0 means not enrolled.

    `last`, `acked` and `incarnation` (of the hub that acknowledged last) belong to the current epoch; `notices` says
    in sentences what was found damaged on opening; `last_boot` is the boot id of the newest row, "" for none; `hubs` is
    where the hall's hubs were when one last said so ("host:port").
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, notices: tuple[str, ...] = ()) -> None:
        self.path = path
        self.notices = notices
        self.limit = LIMIT
        self.reserve = RESERVE
        self._connection = connection
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        self.instance: str = meta["instance"]
        self.epoch = int(meta.get("epoch", 0))
        self.acked = int(meta.get("acked", 0))
        self.incarnation = int(meta.get("incarnation", 0))
        self._head: str = meta.get("head", "")
        newest = self._newest()
        self.last = newest.s if newest else 0
        self._prev = chain_hash(newest) if newest else ""
        self.last_boot: str = meta.get("last_boot", "")
        self.hubs: tuple[str, ...] = tuple(filter(PLACE.match, meta.get("hubs", "").split()))

    @classmethod
    def open(cls, path: Path) -> Outbox:
        """Open or make the outbox at `path`; raises a `StoreError` with what to do."""
        notices: list[str] = []
        try:
            box = cls._open(path, notices)
        except (*_GARBLED, StoreDamaged):
            move_aside(path, notices.append)
            return cls._open(path, notices)
        try:
            damaged = box._first_damaged()
            if damaged is None or damaged < box._game_begins():
                if damaged is not None:
                    notices.append(_("an old event in {path} is damaged: the hub has it").format(path=path.name))
                    box.notices = tuple(notices)
                return box
        except BaseException:
            box.close()
            raise
        # The game that is on cannot be told from this file; the hub has what was delivered, and gives it back.
        waiting = box.last - box.acked
        box.close()
        move_aside(path, notices.append)
        if waiting:
            notices.append(_("{n} events had not been delivered: they are in the file aside").format(n=waiting))
        return cls._open(path, notices)

    @classmethod
    def _open(cls, path: Path, notices: list[str]) -> Outbox:
        connection = open_log(path, APPLICATION_ID, SCHEMA_VERSION, _schema, report=notices.append)
        try:
            return cls(path, connection, tuple(notices))
        except BaseException:
            connection.close()
            raise

    def _first_damaged(self) -> tuple[int, int] | None:
        """(epoch, seq) of the first event that is not what was written: its chain is broken, or it is no text any more.

        SQLite's own check knows its pages, not what stands in them.
        """
        at, expected = (0, 0), ""
        try:
            # The quick check of every opening does not look whether index and rows agree.
            (verdict,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                return _UNREADABLE
            for message in self.messages():
                first = message.e != at[0]
                if not first and message.prev != expected:
                    return at
                at, expected = (message.e, message.s), chain_hash(message)
                if message.s == self.last and message.e == self.epoch and self._head not in ("", expected):
                    return at
                if message.kind in KINDS:
                    event_of(message.kind, message.d)
        except WireError:
            return at
        except (*_GARBLED, StoreError):
            return _UNREADABLE  # the file is of no use any more, wherever it is damaged
        return None

    def _game_begins(self) -> tuple[int, int]:
        """(epoch, seq) of the newest assignment: what came before it is no part of a game any more."""
        try:
            with reading(self.path):
                row = self._connection.execute(
                    "SELECT epoch, seq FROM events WHERE kind = 'assigned' ORDER BY epoch DESC, seq DESC LIMIT 1"
                ).fetchone()
        except (*_GARBLED, StoreError):
            return 0, 0
        return (int(row[0]), int(row[1])) if row else (0, 0)

    def enrol(self, epoch: int, stamp: Stamp, t: int, why: str) -> tuple[EventMsg, ...]:
        """Begin a new epoch with an `opened` event as its number 1, in one commit; raises `OldEpoch`."""
        if epoch <= self.epoch:
            raise OldEpoch(
                _("epoch {epoch} is not newer than {current}: the table keeps its own").format(
                    epoch=epoch, current=self.epoch
                )
            )
        before = (self.epoch, self.last, self.acked, self.incarnation, self._prev)
        self.epoch, self.last, self.acked, self.incarnation, self._prev = epoch, 0, 0, 0, ""
        try:
            with transaction(self._connection, self.path):
                self._set_meta(epoch=epoch, acked=0, incarnation=0)
                messages = self._insert((Opened(t=t, why=why),), "", stamp)
        except BaseException:
            self.epoch, self.last, self.acked, self.incarnation, self._prev = before
            raise
        self._advance(messages)
        return messages

    def append(self, events: Sequence[GameEvent], game: str, stamp: Stamp) -> tuple[EventMsg, ...]:
        """Write events of `game` in one commit; when this returns they are on the disk.

        Raises `NotEnrolled` without an epoch, `OutboxFull` at the end of the reserve, `EventTooLarge` for one that
        could never be sent, a `StoreError` when the disk refuses (then none of them is written).
        """
        if self.epoch == 0:
            raise NotEnrolled(_("this table is not enrolled yet: connect it to a hub once"))
        if not events:
            return ()
        if self.size >= self.limit + self.reserve:
            raise OutboxFull(
                _("{path} is full: let the hub take what waits, move the file elsewhere and start again").format(
                    path=self.path
                )
            )
        with transaction(self._connection, self.path):
            messages = self._insert(events, game, stamp)
        self._advance(messages)
        return messages

    @property
    def size(self) -> int:
        """Bytes of the file, once all is in it."""
        with reading(self.path):
            (pages,) = self._connection.execute("PRAGMA page_count").fetchone()
            (page,) = self._connection.execute("PRAGMA page_size").fetchone()
        return int(pages) * int(page)

    @property
    def half_full(self) -> bool:
        """Is half of the limit used up?"""
        return self.size * 2 > self.limit

    @property
    def full(self) -> bool:
        """Is the limit reached? Then a game may end, but none may begin."""
        return self.size > self.limit

    def pending(self, after: int, limit: int) -> tuple[EventMsg, ...]:
        """Up to `limit` events of the current epoch with a seq above `after`, in order."""
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM events WHERE epoch = ? AND seq > ? ORDER BY seq LIMIT ?",
            (self.epoch, after, limit),
        )
        return tuple(_message(row) for row in rows)

    def acknowledge(self, epoch: int, seq: int, incarnation: int, prev: str = "") -> bool:
        """The hub has everything up to `seq`. True if that moved; acks of another epoch or beyond `last` are ignored.

        So are acks of events that are not ours: `prev`, if given, is the chain hash after event `seq`. The mark is not
        synced to the disk: lost in a power cut, it costs a few events sent twice.
        """
        if epoch != self.epoch:
            return False
        if seq > self.last:
            log.error("the hub acknowledged event %d.%d, but the newest is %d: ignored", epoch, seq, self.last)
            return False
        moved = seq > self.acked
        if moved and prev and prev != self.hash_after(seq):
            log.error("the hub acknowledged an event %d.%d that is not this table's: ignored", epoch, seq)
            return False
        if moved or incarnation != self.incarnation:
            self.acked = max(seq, self.acked)
            self.incarnation = incarnation
            self._store_marks()
        return moved

    def know(self, hubs: Sequence[str]) -> None:
        """Remember where the hall's hubs are, for the next start; nothing new is not written."""
        known = tuple(filter(PLACE.match, hubs))[:_MOST_HUBS]
        if known and known != self.hubs:
            self.hubs = known
            with transaction(self._connection, self.path):
                self._set_meta(hubs=" ".join(known))

    def hash_after(self, seq: int) -> str:
        """The chain hash after event `seq` of the current epoch; "" for 0 and for an event that is not there."""
        if seq == self.last:
            return self._prev
        found = self.pending(seq - 1, 1) if seq > 0 else ()
        return chain_hash(found[0]) if found and found[0].s == seq else ""

    def rewind(self, seq: int) -> None:
        """The hub holds only up to `seq` (it was restored from an older copy): send again from there."""
        if 0 <= seq < self.acked:
            log.warning("the hub holds events up to %d only, not %d: sending again", seq, self.acked)
            self.acked = seq
            self._store_marks()

    def messages(self) -> Iterator[EventMsg]:
        """All events of all epochs in order."""
        query = f"SELECT {_COLUMNS} FROM events WHERE (epoch, seq) > (?, ?) ORDER BY epoch, seq LIMIT ?"
        key = (0, 0)
        while True:
            with reading(self.path):
                rows = self._connection.execute(query, (*key, _CHUNK)).fetchall()
            if not rows:
                return
            for row in rows:
                yield _message(row)
            key = (rows[-1][0], rows[-1][1])

    def events(self) -> Iterator[GameEvent]:
        """All events in order, as the values that `rules.laws.game` folds; an unknown one is logged and left out."""
        for message in self.messages():
            try:
                yield event_of(message.kind, message.d)
            except WireError as error:
                log.error("event %d.%d of %s is left out: %s", message.e, message.s, self.path, error)

    def journal(self, t: int, white_ms: int, black_ms: int, stamp: Stamp) -> None:
        """Note both clocks; the note before is replaced. Synced, as it is for power cuts."""
        with transaction(self._connection, self.path):
            self._connection.execute(
                "INSERT OR REPLACE INTO journal (id, t, white_ms, black_ms, wall, mono, boot, sync)"
                " VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
                (t, white_ms, black_ms, stamp.wall_ms, stamp.mono_us, stamp.boot, int(stamp.sync)),
            )
            self._note_boot(stamp)
        self.last_boot = stamp.boot

    def last_journal(self) -> Journal | None:
        """The newest note of the clocks."""
        wanted = "SELECT t, white_ms, black_ms, wall, mono, boot, sync FROM journal WHERE id = 1"
        for t, white_ms, black_ms, wall, mono, boot, sync in self._connection.execute(wanted):
            return Journal(t, white_ms, black_ms, Stamp(wall, mono, boot, bool(sync)))
        return None

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    def _newest(self) -> EventMsg | None:
        row = self._connection.execute(
            f"SELECT {_COLUMNS} FROM events WHERE epoch = ? ORDER BY seq DESC LIMIT 1", (self.epoch,)
        ).fetchone()
        return _message(row) if row else None

    def _insert(self, events: Sequence[GameEvent], game: str, stamp: Stamp) -> tuple[EventMsg, ...]:
        messages: list[EventMsg] = []
        prev = self._prev
        for seq, event in enumerate(events, self.last + 1):
            kind, data = event_data(event)
            if len(bytes(data)) > MAX_DATA:
                raise EventTooLarge(
                    _("an event of the kind {kind} has {size} bytes, {most} are allowed: use shorter texts").format(
                        kind=kind, size=len(bytes(data)), most=MAX_DATA
                    )
                )
            message = EventMsg(
                e=self.epoch,
                s=seq,
                g=game,
                kind=kind,
                wall=stamp.wall_ms,
                mono=stamp.mono_us,
                boot=stamp.boot,
                sync=stamp.sync,
                prev=prev,
                d=data,
            )
            prev = chain_hash(message)
            messages.append(message)
        self._connection.executemany(
            f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [_row(m) for m in messages]
        )
        self._note_boot(stamp)
        # No event follows the newest one and vouches for it.
        self._set_meta(head=prev)
        return tuple(messages)

    def _advance(self, messages: Sequence[EventMsg]) -> None:
        """After the commit: what was written counts."""
        newest = messages[-1]
        self.last, self._prev, self.last_boot = newest.s, chain_hash(newest), newest.boot
        self._head = self._prev

    def _store_marks(self) -> None:
        self._connection.execute("PRAGMA synchronous=NORMAL")
        try:
            with transaction(self._connection, self.path):
                self._set_meta(acked=self.acked, incarnation=self.incarnation)
        finally:
            self._connection.execute("PRAGMA synchronous=FULL")

    def _note_boot(self, stamp: Stamp) -> None:
        if stamp.boot != self.last_boot:
            self._set_meta(last_boot=stamp.boot)

    def _set_meta(self, **values: int | str) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [(k, str(v)) for k, v in values.items()]
        )


def _row(m: EventMsg) -> tuple[object, ...]:
    return (m.e, m.s, m.g, m.kind, m.wall, m.mono, m.boot, int(m.sync), m.prev, bytes(m.d).decode())


def _message(row: tuple[int, int, str, str, int, int, str, int, str, str]) -> EventMsg:
    epoch, seq, game, kind, wall, mono, boot, sync, prev, data = row
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
