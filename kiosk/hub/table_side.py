"""The hub's side towards the tables: events, heartbeats and questions in, acknowledgements and duties out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from gettext import gettext as _
from typing import Any

import msgspec

from hallnet.errors import Superseded
from hallnet.wire import (
    GENERATION,
    MAX_BATCH,
    MAX_PAYLOAD,
    MOST,
    TOKEN,
    VERSION,
    Ack,
    Ask,
    AssignmentMsg,
    Batch,
    EventMsg,
    Heartbeat,
    HeartbeatReply,
    OrderMsg,
    Snapshot,
    WireError,
    decode,
    encode,
)
from kiosk.hub.act import Act, Refused
from kiosk.hub.books import Books
from kiosk.hub.duties import place_of
from kiosk.hub.effects import Seen, effects
from kiosk.hub.inputs import FromTable
from kiosk.hub.places import tell_names
from kiosk.hub.tables import Table
from kiosk.hub.taking_over import TakingOver
from rules.laws.events import KINDS, Fault, Named, Opened
from rules.tournament.events import DeviceEnrolled, HubOpened
from rules.tournament.intents import Enrol, OpenCall

#: Above half of the queue's bound acks carry a smaller window.
BUSY_BACKLOG = 2_500
BUSY_WINDOW = 4
#: A table's wall clock that is further from the hub's is reported (ms).
MOST_OFFSET_MS = 500


class TableSide:
    """All tables of the hall; `backlog` tells how many inputs wait."""

    def __init__(self, books: Books, backlog: Callable[[], int]) -> None:
        self.books = books
        self.games = TakingOver(books)
        self._backlog = backlog
        self._later: set[str] = set()
        self._acks: dict[str, tuple[set[int], str]] = {}

    def begin(self) -> None:
        """A new step begins: nobody is to be acknowledged yet."""
        self._acks = {}

    def take(self, item: FromTable) -> None:
        """One message; leaves and ids that are none are nobody's."""
        handler = _LEAVES.get(item.leaf)
        if handler is not None and TOKEN.match(item.table):
            handler(self, item)

    def _read(self, item: FromTable, kind: type[Any]) -> Any:
        """The message, or None: then it is kept aside, and the table is told."""
        try:
            return decode(item.payload, kind)
        except WireError as error:
            subject = f"{self.books.address.root}.t.{item.table}.{item.leaf}"
            self.books.set_aside(subject, item.payload, str(error))
            self._ack_later(item.table, why=str(error))
            return None

    def _up(self, item: FromTable) -> None:
        batch: Batch | None = self._read(item, Batch)
        if batch is None:
            return
        table = self.books.hall.tables.get(item.table)
        if table is None or table.inbox is None:
            self._ack_later(item.table, why=_("this table is not enrolled yet: ask first"))
            return
        if batch.boot and not table.presence.speaks(batch.boot, item.at):
            self._ack_later(item.table, why=self._not_heard(item.table))
            self.games.keep_evidence(table, batch)
            return
        self._ack_later(item.table)
        self.games.keep_evidence(table, batch)
        for msg in batch.events:
            self._event(table, msg, item)

    def _event(self, table: Table, msg: EventMsg, item: FromTable) -> None:
        assert table.inbox is not None
        taken = table.inbox.take(msg)
        if taken.verdict == "duplicate":
            self.books.counted["duplicates"] += 1
            if msg.kind not in KINDS:
                self._ack_later(table.id, unknown=msg.s)
            return
        if taken.verdict in ("old-epoch", "unknown-epoch"):
            why = _("epoch {epoch} of table {table} is not in force, {current} is").format(
                epoch=msg.e, table=table.id, current=table.epoch
            )
            self.books.set_aside(f"{self.books.address.root}.t.{table.id}.up", encode(msg), why)
            self._ack_later(table.id, why=why)
            return
        if taken.verdict == "conflict":
            why = _("event {seq} came twice with different contents").format(seq=msg.s)
            self.books.conflict(table.id, msg, why)
            self.books.streams.notice(_("Table {table}: {why}.").format(table=table.id, why=why))
            return
        self.books.log.insert(table.id, msg, item.wall)
        for broken in taken.broken:
            self.books.conflict(table.id, broken, _("the chain of events is broken"))
        if taken.tell:
            sentence = _("Table {table}: its chain of events is broken at {seq}; look at its log.")
            self.books.streams.notice(sentence.format(table=table.id, seq=taken.broken[0].s))
        for ready in taken.ready:
            self._effect(table, ready, item)

    def _effect(self, table: Table, msg: EventMsg, item: FromTable) -> None:
        """What a stored event does, once."""
        try:
            event, before, after = self.books.hall.take(table.id, msg, item.at)
        except WireError as error:
            self.books.set_aside(f"{self.books.address.root}.t.{table.id}.up", encode(msg), str(error))
            self._ack_later(table.id, unknown=msg.s)
            return
        if msg.v != VERSION:
            self._ack_later(table.id, unknown=msg.s)
        self.books.streams.table_changed(table.id)
        if msg.kind == "assigned":
            self.books.push.add(table.id)
        if isinstance(event, Opened) and event.why not in ("", "enrolled", "replaced", "moved"):
            # The device had to begin a new log, and says what became of the one before.
            self.books.streams.notice(_("Table {table}: {what}.").format(table=table.id, what=event.why.rstrip(".")))
        if isinstance(event, Fault):
            self.books.streams.notice(_("Table {table}: {what}.").format(table=table.id, what=event.what.rstrip(".")))
        if (table.id, msg.e, msg.s) in self.books.ahead:
            return  # what follows from it stands in the tournament's log, which was completed from the second book
        if self.books.hall.repeats(table.id, msg):
            return  # what followed from it did so when another device said it for the first time
        act = Act(self.books.hall.state, item.wall, _("table {table}").format(table=table.id))
        for intent in effects(Seen(self.books.hall.state, table.id, msg.e, msg.s, before, after), event):
            try:
                act.decide(intent)
            except Refused as refused:
                self.books.streams.notice(_("Table {table}: {why}").format(table=table.id, why=refused))
        if isinstance(event, Named):
            self._names_again(act, after.game)
        self.books.record(act.events, (table.id, msg.e, msg.s))

    def _names_again(self, act: Act, game: str) -> None:
        """A table that took its names from an order which had been overtaken is told the right ones."""
        number, board = place_of(game) or (0, 0)
        sheet = act.state.round(number)
        if sheet is not None:
            tell_names(act, self.books.hall, sheet, (board,))

    def _ack_later(self, name: str, *, unknown: int | None = None, why: str = "") -> None:
        seqs, reason = self._acks.setdefault(name, (set(), ""))
        if unknown is not None:
            seqs.add(unknown)
        if why and not reason:
            self._acks[name] = (seqs, why)

    def acknowledge(self) -> None:
        window = MAX_BATCH if self._backlog() < BUSY_BACKLOG else BUSY_WINDOW
        for name, (unknown, why) in self._acks.items():
            table = self.books.hall.tables.get(name)
            epoch, seq = table.inbox.ack() if table is not None and table.inbox is not None else (0, 0)
            self.books.say(
                self.books.address.table(name, "ack"),
                Ack(
                    e=epoch,
                    s=seq,
                    window=window,
                    inc=self.books.hall.state.incarnation,
                    unknown=tuple(sorted(unknown)),
                    why=why,
                    prev=table.inbox.next_prev if table is not None and table.inbox is not None else "",
                ),
            )

    def _heartbeat(self, item: FromTable) -> None:
        beat: Heartbeat | None = self._read(item, Heartbeat)
        if beat is None:
            return
        table = self.books.hall.table(item.table)
        doubled = table.presence.doubled
        if not table.presence.take(beat, item.at):
            if not table.presence.speaks(beat.boot, item.at):
                self._ack_later(table.id, why=self._not_heard(table.id))
            return
        if table.presence.doubled and not doubled:
            sentence = _("Table {table} is running on two devices, {first} and {second}: switch the second one off.")
            first, second = table.presence.serial, table.presence.rival_serial
            self.books.streams.notice(
                sentence.format(
                    table=table.id, first=first or table.presence.boot[:8], second=second or table.presence.rival[:8]
                )
            )
        self._compare_clocks(table, beat)
        self._compare_rounds(table, (beat.round, beat.rev))
        table.time.heartbeat(beat.boot, beat.mono, item.at)
        if not table.was_online:
            table.was_online = True
            self.books.streams.table_changed(table.id)
        current = self.books.hall.state.current_round
        self.books.say(
            self.books.address.table(table.id, "hbr"),
            HeartbeatReply(
                n=beat.n,
                inc=self.books.hall.state.incarnation,
                mono=beat.mono,
                wall=beat.wall,
                hub_in=item.wall,
                hub_out=item.wall,
                round=current.number if current else 0,
                rev=current.rev if current else 0,
            ),
        )

    def _compare_rounds(self, table: Table, told: tuple[int, int]) -> None:
        """A table that has a later sheet than this log: it was public, and the log with it is lost."""
        state = self.books.hall.state
        table.told = max(table.told, told)
        current = state.current_round
        if told[0] > (current.number if current is not None else 0):
            sentence = _(
                "Tables already have round {round}, which this log does not know: pair it as it was, if it was."
            )
            self.books.streams.notice(sentence.format(round=told[0]))

    def _compare_clocks(self, table: Table, beat: Heartbeat) -> None:
        """A wall clock that is far off is told once, and again when it is right."""
        offset = beat.offset or 0
        was, now = abs(table.offset) > MOST_OFFSET_MS, abs(offset) > MOST_OFFSET_MS
        table.offset = offset
        if now and not was:
            sentence = _("Table {table}: its date and time are off by {seconds} s. Chess clocks are not affected.")
            self.books.streams.notice(sentence.format(table=table.id, seconds=round(abs(offset) / 1000, 1)))
        elif was and not now:
            self.books.streams.notice(_("Table {table}: its date and time are right again.").format(table=table.id))

    @staticmethod
    def _not_heard(table: str) -> str:
        return _("another device is table {table} now; this one is heard when that one has been silent").format(
            table=table
        )

    def _ask(self, item: FromTable) -> None:
        ask: Ask | None = self._read(item, Ask)
        if ask is None:
            return
        table = self.books.hall.table(item.table)
        if self._superseded(table, ask, item):
            return
        self._compare_rounds(table, (ask.round, ask.rev))
        if ask.instance == table.instance and not table.presence.speaks(ask.boot, item.at):
            self._ack_later(table.id, why=self._not_heard(table.id))
            return
        device = self.books.hall.state.devices.get(table.id)
        if device is not None and ask.instance in device.history and ask.instance != device.instance:
            self._ack_later(table.id, why=_("another device has taken the place of this one at table {table}").format(
                table=table.id))  # fmt: skip
            return
        if device is None or device.instance != ask.instance:
            self._enrol(table, ask, item)
        elif ask.e > device.epoch:
            # The log is an older copy, of before a game was moved: the device's own epoch goes on.
            act = Act(self.books.hall.state, item.wall, "hub")
            act.add(DeviceEnrolled(item.wall, table.id, ask.e, ask.instance, "enrolled"))
            self.books.record(act.events, None)
        past = self.games.past(table)
        self.books.say(self.books.address.table(table.id, "snap"), self._snapshot(table, ask.n, past is not None))
        self.games.say_past(table, past, item.wall)
        table.sent_at = item.at

    def _superseded(self, table: Table, ask: Ask, item: FromTable) -> bool:
        """Has the table spoken with a later hub than this one? Then that one serves, or this log is an older copy.

        One table alone may be wrong, or lie: two must say so, or half of those enrolled. Raises `Superseded`.
        """
        own = self.books.hall.state.incarnation
        if ask.inc <= own:
            self._later.discard(table.id)
            return False
        same_line = ask.inc // GENERATION == own // GENERATION
        deliberate = self.books.log.meta("restored") == "deliberately"
        if same_line or deliberate or not self.books.hall.state.rounds:
            # The log was put back from a copy, or is that of a new event: it goes on with a number that is new.
            act = Act(self.books.hall.state, item.wall, "hub")
            act.add(HubOpened(item.wall, min(ask.inc, MOST - 1) + 1, "restored"))
            self.books.record(act.events, None)
            return False
        self._later.add(table.id)
        if len(self._later) >= min(2, -(-len(self.books.hall.state.devices) // 2)):
            raise Superseded(
                _("another hub has taken over this hall (incarnation {theirs}, here {own}): this one closes").format(
                    theirs=ask.inc, own=own
                )
            )
        self.books.streams.notice(
            _("Table {table} says that another hub has taken over: look whether one runs.").format(table=table.id)
        )
        return True

    def _enrol(self, table: Table, ask: Ask, item: FromTable) -> None:
        """A new device speaks for the table from the next epoch on, and the arbiter hears of it if a game is on.

        If it already has a later epoch than this log knows, the log is an older copy: the device's own epoch goes on.
        """
        state = self.books.hall.state
        act = Act(state, item.wall, "hub")
        is_spare = table.id in state.devices
        for event in act.decide(Enrol(table.id, ask.instance, "replaced" if is_spare else "enrolled", replace=True)):
            if isinstance(event, DeviceEnrolled) and ask.e >= event.epoch:
                act = Act(state, item.wall, "hub")
                act.add(replace(event, epoch=ask.e))
        place = self.books.duties.place(state, table.id)
        table.epoch = act.state.devices[table.id].epoch
        table.inbox = self.books.log.inbox(table.id, table.epoch)
        if (
            is_spare
            and self.games.past(table) is None
            and place is not None
            and place[0].started
            and place[1].board in place[0].open_boards
        ):
            why = _("another device has taken over: the game begins anew there; set the clocks, then start it")
            call = f"{table.id}-{act.state.devices[table.id].epoch}-0"
            act.decide(OpenCall(call, place[0].number, place[1].board, "call", "", why))
        table.held = table.refused = (0, 0)
        self.books.record(act.events, None)
        table.presence.replaced()
        self.books.streams.table_changed(table.id)

    def _snapshot(self, table: Table, n: int = 0, inherits: bool = False) -> Snapshot:
        state, duties = self.books.hall.state, self.books.duties
        assignment = duties.assignment(state, table.id)
        if inherits or (assignment is not None and table.refused == (assignment.round, assignment.rev)):
            assignment = None  # it comes with the game so far, or would only be refused again
        if assignment is not None:
            assignment = msgspec.structs.replace(assignment, e=table.epoch)
        orders = [
            msgspec.structs.replace(order, e=table.epoch)
            for order in duties.orders(state, table.id)
            if self._may_order(table, order.game)
        ]
        while True:
            snapshot = self._snapshot_with(table, assignment, tuple(orders), n)
            if not orders or len(encode(snapshot)) <= MAX_PAYLOAD:
                return snapshot
            orders.pop()  # it comes by itself, after the others

    def _snapshot_with(
        self, table: Table, assignment: AssignmentMsg | None, orders: tuple[OrderMsg, ...], n: int
    ) -> Snapshot:
        state = self.books.hall.state
        return Snapshot(
            e=table.epoch,
            inc=state.incarnation,
            last=table.inbox.last if table.inbox is not None else 0,
            assignment=assignment,
            orders=orders,
            result=self.books.duties.result(state, table.id),
            event=state.regulations.name if state.regulations else "",
            n=n,
            prev=table.inbox.next_prev if table.inbox is not None else "",
            hubs=self.books.hubs,
        )

    def _may_order(self, table: Table, game: str) -> bool:
        """An order about a game waits until the table has answered that game's assignment."""
        assignment = self.books.duties.assignment(self.books.hall.state, table.id)
        if not game or assignment is None or assignment.game != game:
            return True
        return table.has(assignment.round, assignment.rev)

    def send_duties(self, table: Table, now: int, wall: int) -> None:
        """Send what a table has not answered: orders first, then its assignment."""
        state, duties, address = self.books.hall.state, self.books.duties, self.books.address
        table.sent_at = now
        if table.inbox is not None and not table.inbox.last:
            # It does not know yet that it has begun anew: then it asks, and gets what it goes on with.
            self.books.say(address.table(table.id, "ack"), Ack(e=table.epoch, s=0, inc=state.incarnation))
            return
        past = self.games.past(table)
        if past is not None:
            self.games.say_past(table, past, wall)
            return
        for order in duties.orders(state, table.id):
            if self._may_order(table, order.game):
                self.books.say(address.table(table.id, "ord"), msgspec.structs.replace(order, e=table.epoch))
        assignment = duties.assignment(state, table.id)
        if assignment is not None and not table.has(assignment.round, assignment.rev):
            message = msgspec.structs.replace(assignment, e=table.epoch)
            self.books.say(address.table(table.id, "asg"), message)

    def look(self, now: int) -> None:
        """Time passes: who is online, and to whom is something to be sent again?"""
        for table in self.books.hall.tables.values():
            online = table.presence.online(now)
            if online != table.was_online:
                table.was_online = online
                self.books.streams.table_changed(table.id)
            if table.epoch and table.due(now):
                self.books.push.add(table.id)


_LEAVES: Mapping[str, Callable[[TableSide, FromTable], None]] = {
    "up": TableSide._up,
    "hb": TableSide._heartbeat,
    "ask": TableSide._ask,
}
