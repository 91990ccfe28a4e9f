"""A game goes on at a device that has nothing of it yet: a spare one at the same table, or one at another table.

The device is given what the fullest record has (`kiosk.hub.hall.Record`), and begins with it. What the device before
still says after that is of an epoch that is over: it is kept, shown to the arbiter, and changes nothing.
"""

from __future__ import annotations

import contextlib
from gettext import gettext as _

from hallnet.wire import Batch, EventMsg, Past, PastEvent, WireError, encode, event_data, event_of, past_parts
from kiosk.hub.books import Books
from kiosk.hub.duties import names_that_count
from kiosk.hub.hall import OF_THE_DEVICE, Record, begins
from kiosk.hub.tables import Table
from rules.laws.clock import Clock
from rules.laws.events import Named, Ply
from rules.laws.game_state import GameState


class TakingOver:
    """What devices go on with, and what is left of those before them."""

    def __init__(self, books: Books) -> None:
        self.books = books

    def past(self, table: Table) -> Record | None:
        """The record of the game that this table, which has none yet, is to go on with: of another device or table."""
        state, hall = self.books.hall.state, self.books.hall
        place = self.books.duties.place(state, table.id)
        if place is None or (table.game_epoch == table.epoch and table.game.assignment is not None):
            return None
        sheet, pair = place
        record = hall.record(sheet.number, pair.board)
        if record is None or not sheet.started or pair.board not in sheet.open_boards:
            return None
        if (record.table, record.epoch) == (table.id, table.epoch) or record.state.rev != sheet.rev:
            return None
        return record if _is_worth_taking(record.state) else None

    def _inheritance(self, record: Record) -> list[PastEvent]:
        """The events of a record, without what is of its device alone, and with the names and the place as of now."""
        events: list[PastEvent] = []
        for msg in self.books.log.epoch_messages(record.table, record.epoch):
            if msg.g != record.state.game or msg.kind in OF_THE_DEVICE:
                continue
            try:
                event = event_of(msg.kind, msg.d)
            except WireError:
                continue  # it was set aside when it came
            if begins(event):
                events = []
            events.append(PastEvent(kind=msg.kind, d=msg.d))
        return events

    def say_past(self, table: Table, record: Record | None, wall: int) -> None:
        """Send a table the game that it goes on with, at wall time `wall` (ms); nothing without one."""
        if record is None:
            return
        place = self.books.duties.place(self.books.hall.state, table.id)
        assert place is not None  # or there were no record
        game, sheet, pair = record.state, *place
        events = self._inheritance(record)
        told = game.assignment
        assert told is not None  # it began with one
        white, black, board = names_that_count(self.books.hall.state, sheet, pair, told)
        if (told.white, told.black, told.board) != (white, black, board):
            kind, data = event_data(Named(game.t, "", white, black, board))
            events.append(PastEvent(kind=kind, d=data))
        white_ms, black_ms = game.clocks(game.t)
        age = max(0, wall - self.books.log.received(record.table, record.epoch)) if game.running is not None else 0
        parts = past_parts(events)
        for number, part in enumerate(parts):
            message = Past(e=table.epoch, game=game.game, part=number, parts=len(parts), white_ms=white_ms,
                           black_ms=black_ms, age_ms=age, events=part, moved=record.table != table.id)  # fmt: skip
            self.books.say(self.books.address.table(table.id, "past"), message)

    def keep_evidence(self, table: Table, batch: Batch) -> None:
        """What comes late, of an epoch that is over, changes nothing any more: it is kept, and shown to the arbiter."""
        late = [msg for msg in batch.events if msg.e < table.epoch and msg.g and self._unknown(table.id, msg)]
        if not late:
            return
        moves = [told for msg in late if (told := _move_in(msg))]
        sentence = _("Table {table}: {n} late events of game {game} came from before the change. They count for nothing"
                     " and are kept as evidence{moves}.")  # fmt: skip
        shown = _(": moves {moves}").format(moves=" ".join(moves)) if moves else ""
        self.books.streams.notice(sentence.format(table=table.id, n=len(late), game=late[-1].g, moves=shown))
        why = _("epoch {epoch} of table {table} is over, {current} is in force")
        for msg in late:
            words = why.format(epoch=msg.e, table=table.id, current=table.epoch)
            self.books.set_aside(f"{self.books.address.root}.t.{table.id}.up", encode(msg), words)

    def _unknown(self, table: str, msg: EventMsg) -> bool:
        """Is this event neither in the log nor set aside before?"""
        if self.books.is_aside(f"{self.books.address.root}.t.{table}.up", encode(msg)):
            return False
        known = self.books.log.find(table, msg.e, msg.s)
        return known is None or known != msg


def _is_worth_taking(game: GameState) -> bool:
    """Has anything happened that a table which begins anew would not have: a start, or clocks that were set?"""
    if game.started_at is not None:
        return True
    fresh = Clock.new(game.clock.tc) if game.clock is not None else None
    return fresh is not None and game.clocks(game.t) != (fresh.reading(game.t).white_ms, fresh.reading(game.t).black_ms)


def _move_in(msg: EventMsg) -> str:
    """The move that an event tells, "" for any other."""
    with contextlib.suppress(WireError):
        event = event_of(msg.kind, msg.d)
        return event.uci if isinstance(event, Ply) else ""
    return ""
