"""The copy of a hall's log at a standby hub: rows in the order they were written, taken over in one piece.

The standby says how far it has come; the hub answers with what it has beyond that, in parts of a message's size up to
one and the same end. Only when all parts are there are they committed, together: a table's event and what it caused
never come apart.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hallnet.hall_log import HallLog, Position
from hallnet.wire import Message

#: Bytes of rows in one answer.
MOST_BYTES = 400_000
Row = tuple[Any, ...]


class ReplAsk(Message, frozen=True, kw_only=True):
    """Standby → hub: I have the log `log` up to `have`; send what follows, up to `to` (None: up to now).

    Without `to`, what is up to `have` is committed there. `place` is where the standby would open ("host:port").
    `inc`: it has opened, and its incarnation is this.
    """

    log: str
    have: Position
    to: Position | None = None
    n: int = 0
    place: str = ""
    inc: int = 0


class ReplRows(Message, frozen=True, kw_only=True):
    """Hub → standby: rows after the asked position; with `more`, ask again from `upto` to the same `to`."""

    log: str
    n: int
    start: Position
    to: Position
    upto: Position
    more: bool
    inc: int
    table: tuple[Row, ...] = ()
    tournament: tuple[Row, ...] = ()
    keys: tuple[Row, ...] = ()


def answer(log: HallLog, ask: ReplAsk, incarnation: int) -> ReplRows:
    """What the hub says to a standby."""
    end = log.position()
    have = ask.have
    if ask.log != log.id or any(mine < theirs for mine, theirs in zip(end, have, strict=True)):
        have = Position(0, 0, 0)  # another log, or an older copy of it: from the beginning
    to = ask.to if ask.to is not None and ask.log == log.id else end
    parts, upto = log.rows(have, to, MOST_BYTES)
    return ReplRows(
        log=log.id,
        n=ask.n,
        start=have,
        to=to,
        upto=upto,
        more=upto != to,
        inc=incarnation,
        table=parts[0],
        tournament=parts[1],
        keys=parts[2],
    )


class Copy:
    """The standby's end. `log` is its own file; `held` counts rows that wait for the rest of their piece."""

    def __init__(self, log: HallLog) -> None:
        self.log = log
        self.source = log.meta("source")
        self.have = Position(*msgspec.json.decode(log.meta("copied") or "[0,0,0]"))
        self.incarnation = 0
        self.complete = False
        self._to: Position | None = None
        self._at = self.have
        self._n = 0
        self._parts: list[ReplRows] = []

    @property
    def held(self) -> int:
        """Rows that are here but not committed."""
        return sum(len(part.table) + len(part.tournament) + len(part.keys) for part in self._parts)

    def ask(self, place: str = "") -> ReplAsk:
        """What to ask next, or again; `place`: where this hub would open."""
        self._n += 1
        return ReplAsk(log=self.source, have=self._at, to=self._to, n=self._n, place=place)

    def take(self, rows: ReplRows) -> bool:
        """An answer; True if it brought something new, so that it is worth to ask again at once."""
        if rows.n != self._n:
            return False
        if rows.log != self.source:
            # The hub has another log than the one copied here: nothing of it may be mixed in.
            if self.have != Position(0, 0, 0):
                raise OtherLog(self.source, rows.log)
            self.source = rows.log
        if rows.start != self._at:
            raise OtherLog(self.source, rows.log)  # an older copy of it
        self._parts.append(rows)
        self._to, self._at = rows.to, rows.upto
        self.incarnation = rows.inc
        if rows.more:
            return True
        new = self.held > 0
        if new:
            self._commit()
        self._parts, self._to = [], None
        self.complete = True
        return new

    def forget(self) -> None:
        """The connection was lost: what is not committed is asked for again."""
        self._parts, self._to, self._at = [], None, self.have

    def _commit(self) -> None:
        with self.log.transaction():
            for part in self._parts:
                self.log.copy_rows(part.table, part.tournament, part.keys)
            self.log.set_meta(source=self.source, copied=msgspec.json.encode(self._at).decode())
        self.have = self._at


class OtherLog(Exception):
    """The hub has begun another log than the one that was copied."""
