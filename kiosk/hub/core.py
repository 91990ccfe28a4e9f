"""The hub's core, the only place with state: inputs in, committed events and messages out.

`step` takes a batch of inputs in one transaction of the log: table events are stored, the games folded, what follows
from them is decided and stored beside them. Only when the commit has returned are acknowledgements, assignments, orders
and answers handed out. So a message from the hub never says more than its disk knows, and after a kill at any moment
the folded logs are the whole truth. It runs in one thread and knows no network.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any

from hallnet.hall_log import HallLog
from hallnet.views import BoardRows
from hallnet.wire import (
    MAX_BATCH,
    TOKEN,
    VERSION,
    Ack,
    Address,
    Ask,
    Batch,
    DeskIn,
    DeskOut,
    EventMsg,
    Heartbeat,
    HeartbeatReply,
    Message,
    RoundMsg,
    Snapshot,
    WireError,
    decode,
    encode,
)
from kiosk.hub import views
from kiosk.hub.act import Act, Refused
from kiosk.hub.desk import Desk, number, pairing_refusal
from kiosk.hub.duties import assignment_for, orders_for, player, result_for
from kiosk.hub.effects import Seen, effects
from kiosk.hub.hall import Hall, read_hall
from kiosk.hub.inputs import Compute, FromDesk, FromTable, Input, Output, PairingDone, Send, Tick
from kiosk.hub.pairer import Job
from kiosk.hub.streams import Streams, standings_view
from kiosk.hub.tables import Table
from rules.laws.events import KINDS, Fault
from rules.tournament.entries import Entry
from rules.tournament.events import (
    CallOpened,
    DeviceEnrolled,
    HubOpened,
    OrderConfirmed,
    Ordered,
    Published,
    Regulations,
    Resulted,
    RoundSealed,
    Started,
    TournamentEvent,
)
from rules.tournament.intents import Enrol, Enter, OpenHub, Pair

log = logging.getLogger(__name__)

ROUND_MS = 5_000
#: Above half of the queue's bound acks carry a smaller window.
BUSY_BACKLOG = 2_500
BUSY_WINDOW = 4
#: Answers to desks and payloads set aside that are remembered.
_REMEMBERED = 1_000
_HUB = "hub"


class HubCore:
    """The hall behind `address`, on an open log. `backlog` tells how many inputs wait, for the acks' windows."""

    def __init__(
        self,
        hall_log: HallLog,
        address: Address,
        *,
        boot: str,
        speed: float = 1.0,
        expected: int = 0,
        backlog: Callable[[], int] = lambda: 0,
    ) -> None:
        self.log = hall_log
        self.address = address
        self.boot = boot
        self.hall: Hall = read_hall(hall_log, speed)
        self.streams = Streams(self.hall, address, expected)
        self.duplicates = 0
        self._backlog = backlog
        self._answers: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._computing: set[tuple[str, str]] = set()
        self._aside: OrderedDict[bytes, None] = OrderedDict()
        self._out: list[Output] = []
        self._acks: dict[str, tuple[set[int], str]] = {}
        self._push: set[str] = set()
        self._hurry = False
        self._round_at = -ROUND_MS
        for sentence in hall_log.notices:
            self.streams.notice(sentence)
        for name, device in self.hall.state.devices.items():
            self.hall.table(name).inbox = hall_log.inbox(name, device.epoch)

    # -- opening ------------------------------------------------------------------------------------------------------

    @property
    def created(self) -> bool:
        """Has the log an event with entries?"""
        return self.hall.state.regulations is not None and bool(self.hall.state.entries)

    def open(self, wall: int, regulations: Regulations | None = None, entries: tuple[Entry, ...] = ()) -> None:
        """Begin to serve: a new incarnation, and the event itself if the log is new. Raises `Refused`."""
        act = Act(self.hall.state, wall, _HUB)
        act.decide(OpenHub(self.boot))
        if not self.created and regulations is not None:
            act.decide(Enter(entries, regulations))
        with self.log.transaction():
            self._record(act.events, None)

    # -- stepping -----------------------------------------------------------------------------------------------------

    def step(self, inputs: list[Input]) -> list[Output]:
        """Take a batch of inputs; what may be said now that all of it is committed. Raises `StoreError` only.

        After an exception this object is of no use any more: the log is, open a new one on it.
        """
        self._out, self._acks, self._push, self._hurry = [], {}, set(), False
        with self.log.transaction():
            for item in inputs:
                self._take(item)
        last = inputs[-1]
        self._acknowledge()
        for name in sorted(self._push):
            self._send_duties(self.hall.table(name), last.at)
        self._out += self.streams.flush(last.at, last.wall, self._hurry)
        return self._out

    def _take(self, item: Input) -> None:
        if isinstance(item, FromTable):
            handler = _LEAVES.get(item.leaf)
            if handler is not None and TOKEN.match(item.table):
                handler(self, item)
        elif isinstance(item, FromDesk):
            self._from_desk(item)
        elif isinstance(item, PairingDone):
            self._pairing_done(item)
        else:
            self._tick(item)

    def _record(self, events: list[TournamentEvent], cause: tuple[str, int, int] | None) -> None:
        """Store events of the tournament and take note of what they change."""
        if not events:
            return
        self.log.append(events, cause)
        for event in events:
            self.hall.fold(event)
            _NOTED.get(type(event), HubCore._all_changed)(self, event)

    def _all_changed(self, event: Any) -> None:
        self.streams.all_changed()

    def _published(self, event: Any) -> None:
        self.streams.all_changed()
        self._push.update(event.tables.values())
        self._say_round()

    def _started(self, event: Any) -> None:
        self.streams.all_changed()
        self._say_round()

    def _board(self, event: Any) -> None:
        sheet = views.sheet_of(self.hall.state)
        if sheet is not None and sheet.number == event.round:
            self.streams.board_changed(event.board)
        self.streams.changed()

    def _ordered(self, event: Any) -> None:
        self._push.add(event.table)

    def _head(self, event: Any) -> None:
        self.streams.changed()

    def _say(self, subject: str, message: Message) -> None:
        self._out.append(Send(subject, encode(message)))

    # -- from tables --------------------------------------------------------------------------------------------------

    def _read(self, item: FromTable, kind: type[Any]) -> Any:
        """The message, or None: then it is kept aside, and the table is told."""
        try:
            return decode(item.payload, kind)
        except WireError as error:
            subject = f"{self.address.root}.t.{item.table}.{item.leaf}"
            self._set_aside(subject, item.payload, str(error))
            self._ack_later(item.table, why=str(error))
            return None

    def _set_aside(self, subject: str, payload: bytes, why: str) -> None:
        """Keep what is not understood, each payload once as far as is remembered."""
        key = hashlib.sha256(subject.encode() + b"\0" + payload).digest()
        if key in self._aside:
            return
        self._aside[key] = None
        if len(self._aside) > _REMEMBERED:
            self._aside.popitem(last=False)
        self.log.set_aside(subject, payload, why)
        log.warning("set aside: %s: %s", subject, why)

    def _up(self, item: FromTable) -> None:
        batch: Batch | None = self._read(item, Batch)
        if batch is None:
            return
        table = self.hall.tables.get(item.table)
        if table is None or table.inbox is None:
            self._ack_later(item.table, why=_("this table is not enrolled yet: ask first"))
            return
        if any(msg.boot == table.presence.rival for msg in batch.events):
            why = _("table {table} is running on two devices; this one was started later and is not heard")
            self._ack_later(item.table, why=why.format(table=item.table))
            return
        self._ack_later(item.table)
        for msg in batch.events:
            self._event(table, msg, item)

    def _event(self, table: Table, msg: EventMsg, item: FromTable) -> None:
        assert table.inbox is not None
        taken = table.inbox.take(msg)
        if taken.verdict == "duplicate":
            self.duplicates += 1
            if msg.kind not in KINDS:
                self._ack_later(table.id, unknown=msg.s)
            return
        if taken.verdict in ("old-epoch", "unknown-epoch"):
            why = _("epoch {epoch} of table {table} is not in force, {current} is").format(
                epoch=msg.e, table=table.id, current=table.epoch
            )
            self._set_aside(f"{self.address.root}.t.{table.id}.up", encode(msg), why)
            self._ack_later(table.id, why=why)
            return
        if taken.verdict == "conflict":
            self._conflict(table, msg, _("event {seq} came twice with different contents").format(seq=msg.s))
            return
        self.log.insert(table.id, msg, item.wall)
        for broken in taken.broken:
            self.log.conflict(table.id, broken, _("the chain of events is broken"))
        if taken.tell:
            sentence = _("Table {table}: its chain of events is broken at {seq}; look at its log.")
            self.streams.notice(sentence.format(table=table.id, seq=taken.broken[0].s))
        for ready in taken.ready:
            self._effect(table, ready, item)

    def _conflict(self, table: Table, msg: EventMsg, why: str) -> None:
        key = hashlib.sha256(table.id.encode() + b"\0" + encode(msg)).digest()
        if key not in self._aside:
            self._aside[key] = None
            self.log.conflict(table.id, msg, why)
        self.streams.notice(_("Table {table}: {why}.").format(table=table.id, why=why))

    def _effect(self, table: Table, msg: EventMsg, item: FromTable) -> None:
        """What a stored event does, once."""
        try:
            event, before, after = self.hall.take(table.id, msg, item.at)
        except WireError as error:
            self._set_aside(f"{self.address.root}.t.{table.id}.up", encode(msg), str(error))
            self._ack_later(table.id, unknown=msg.s)
            return
        if msg.v != VERSION:
            self._ack_later(table.id, unknown=msg.s)
        self.streams.table_changed(table.id)
        if msg.kind == "assigned":
            self._push.add(table.id)
        if isinstance(event, Fault):
            self.streams.notice(_("Table {table}: {what}.").format(table=table.id, what=event.what.rstrip(".")))
        act = Act(self.hall.state, item.wall, _("table {table}").format(table=table.id))
        for intent in effects(Seen(self.hall.state, table.id, msg.e, msg.s, before, after), event):
            try:
                act.decide(intent)
            except Refused as refused:
                self.streams.notice(_("Table {table}: {why}").format(table=table.id, why=refused))
        self._record(act.events, (table.id, msg.e, msg.s))

    def _ack_later(self, name: str, *, unknown: int | None = None, why: str = "") -> None:
        seqs, reason = self._acks.setdefault(name, (set(), ""))
        if unknown is not None:
            seqs.add(unknown)
        if why and not reason:
            self._acks[name] = (seqs, why)

    def _acknowledge(self) -> None:
        window = MAX_BATCH if self._backlog() < BUSY_BACKLOG else BUSY_WINDOW
        for name, (unknown, why) in self._acks.items():
            table = self.hall.tables.get(name)
            epoch, seq = table.inbox.ack() if table is not None and table.inbox is not None else (0, 0)
            self._say(
                self.address.table(name, "ack"),
                Ack(
                    e=epoch,
                    s=seq,
                    window=window,
                    inc=self.hall.state.incarnation,
                    unknown=tuple(sorted(unknown)),
                    why=why,
                ),
            )

    def _heartbeat(self, item: FromTable) -> None:
        beat: Heartbeat | None = self._read(item, Heartbeat)
        if beat is None:
            return
        table = self.hall.table(item.table)
        rival = table.presence.rival
        if not table.presence.take(beat, item.at):
            return
        if table.presence.rival and table.presence.rival != rival:
            self.streams.notice(
                _("Table {table} is running on two devices: switch one of them off.").format(table=table.id)
            )
        table.time.heartbeat(beat.boot, beat.mono, item.at)
        if not table.was_online:
            table.was_online = True
            self.streams.table_changed(table.id)
        current = self.hall.state.current_round
        self._say(
            self.address.table(table.id, "hbr"),
            HeartbeatReply(
                n=beat.n,
                inc=self.hall.state.incarnation,
                mono=beat.mono,
                wall=beat.wall,
                hub_in=item.wall,
                hub_out=item.wall,
                round=current.number if current else 0,
                rev=current.rev if current else 0,
            ),
        )

    def _ask(self, item: FromTable) -> None:
        ask: Ask | None = self._read(item, Ask)
        if ask is None:
            return
        table = self.hall.table(item.table)
        device = self.hall.state.devices.get(table.id)
        if device is not None and ask.instance in device.history and ask.instance != device.instance:
            self._ack_later(table.id, why=_("another device has taken the place of this one at table {table}").format(
                table=table.id))  # fmt: skip
            return
        if device is None or device.instance != ask.instance:
            self._enrol(table, ask, item)
        self._say(self.address.table(table.id, "snap"), self._snapshot(table))
        table.sent_at = item.at

    def _enrol(self, table: Table, ask: Ask, item: FromTable) -> None:
        """A new device speaks for the table from the next epoch on.

        If it already has a later epoch than this log knows, the log is an older copy: the device's own epoch goes on.
        """
        act = Act(self.hall.state, item.wall, _HUB)
        why = "replaced" if table.id in self.hall.state.devices else "enrolled"
        act.decide(Enrol(table.id, ask.instance, why, replace=True))
        events = [
            DeviceEnrolled(e.at, e.table, ask.e, e.instance, e.why)
            if isinstance(e, DeviceEnrolled) and ask.e >= e.epoch
            else e
            for e in act.events
        ]
        self._record(events, None)
        table.inbox = self.log.inbox(table.id, table.epoch)
        table.held = table.refused = (0, 0)
        self.streams.table_changed(table.id)

    def _snapshot(self, table: Table) -> Snapshot:
        state = self.hall.state
        assignment = assignment_for(state, table.id)
        if assignment is not None and table.refused == (assignment.round, assignment.rev):
            assignment = None  # it would only be refused again
        return Snapshot(
            e=table.epoch,
            inc=state.incarnation,
            last=table.inbox.last if table.inbox is not None else 0,
            assignment=assignment,
            orders=tuple(order for order in orders_for(state, table.id) if self._may_order(table, order.game)),
            result=result_for(state, table.id),
            event=state.regulations.name if state.regulations else "",
        )

    def _may_order(self, table: Table, game: str) -> bool:
        """An order about a game waits until the table has answered that game's assignment."""
        assignment = assignment_for(self.hall.state, table.id)
        if not game or assignment is None or assignment.game != game:
            return True
        return table.has(assignment.round, assignment.rev)

    def _send_duties(self, table: Table, now: int) -> None:
        """Send what a table has not answered: orders first, then its assignment."""
        table.sent_at = now
        for order in orders_for(self.hall.state, table.id):
            if self._may_order(table, order.game):
                self._say(self.address.table(table.id, "ord"), order)
        assignment = assignment_for(self.hall.state, table.id)
        if assignment is not None and not table.has(assignment.round, assignment.rev):
            self._say(self.address.table(table.id, "asg"), assignment)

    # -- from desks ---------------------------------------------------------------------------------------------------

    def _from_desk(self, item: FromDesk) -> None:
        if not TOKEN.match(item.desk):
            return
        try:
            intent = decode(item.payload, DeskIn)
        except WireError as error:
            self._set_aside(self.address.desk(item.desk, "in"), item.payload, str(error))
            return
        known = self._answers.get((item.desk, intent.id))
        if known is not None:
            self._out.append(Send(self.address.desk(item.desk, "out"), known))
            return
        if (item.desk, intent.id) in self._computing:
            return
        query = _QUERIES.get(intent.kind)
        try:
            if query is not None:
                self._answer(item.desk, DeskOut(id=intent.id, ok=True, d=query(self, intent.d, item)), keep=False)
            elif not self._done_before(item.desk, intent):
                self._intend(item, intent)
        except Refused as refused:
            self._answer(item.desk, DeskOut(id=intent.id, ok=False, why=str(refused)), keep=query is None)

    def _done_before(self, desk: str, intent: DeskIn) -> bool:
        """Was this intent carried out by an earlier process of this hub, which could not answer any more?"""
        kinds = self.log.kinds_caused_by(_cause(desk, intent.id))
        if kinds:
            self._answer(desk, DeskOut(id=intent.id, ok=True, events=kinds))
        return bool(kinds)

    def _intend(self, item: FromDesk, intent: DeskIn) -> None:
        by = intent.d.get("by")
        act = Act(self.hall.state, item.wall, by if isinstance(by, str) and by else "arbiter")
        desk = Desk(self.hall, self.log, act)
        if intent.kind == "pair":
            self._pair(item.desk, intent.id, desk)
            return
        desk.run(intent.kind, intent.d)
        self._done(item.desk, intent.id, act)

    def _pair(self, name: str, intent: str, desk: Desk) -> None:
        """Have the next round's pairing computed outside; the answer comes as `PairingDone`."""
        pairing_refusal(desk)
        state = self.hall.state
        assert state.regulations is not None
        before = state.pairing_state()
        self._computing.add((name, intent))
        self._out.append(Compute(name, intent, desk.act.by, before.digest, Job(state.regulations.system, before)))

    def _pairing_done(self, item: PairingDone) -> None:
        self._computing.discard((item.desk, item.intent))
        act = Act(self.hall.state, item.wall, item.by)
        try:
            if item.outcome.answer is None:
                raise Refused(item.outcome.why)
            act.decide(Pair(item.outcome.answer, item.basis))
        except Refused as refused:
            self._answer(item.desk, DeskOut(id=item.intent, ok=False, why=str(refused)))
            return
        self._done(item.desk, item.intent, act)

    def _done(self, desk: str, intent: str, act: Act) -> None:
        self._record(act.events, _cause(desk, intent))
        self._hurry = True
        self._answer(desk, DeskOut(id=intent, ok=True, events=act.kinds))

    def _answer(self, desk: str, out: DeskOut, keep: bool = True) -> None:
        payload = encode(out)
        if keep:
            self._answers[(desk, out.id)] = payload
            if len(self._answers) > _REMEMBERED:
                self._answers.popitem(last=False)
        self._out.append(Send(self.address.desk(desk, "out"), payload))

    def _query_snapshot(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        return self.streams.snapshot(item.at, item.wall)

    def _query_standings(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        state = self.hall.state
        after = number(d, "round", -1)
        if after > len(state.rounds):
            raise Refused(_("Round {round} is not public.").format(round=after))
        return self.streams.standings() if after < 0 else standings_view(state, after, self.streams.revision)

    def _query_game(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        sheet, board = Desk(self.hall, self.log, Act(self.hall.state, item.wall, "")).place(d)
        row = self.streams.row(sheet, board, item.at)
        game = self.hall.game(sheet.number, board)
        return views.game_view(row, sheet.number, game, views.board_log(self.hall.state, sheet.number, board, game))

    def _query_draft(self, d: Mapping[str, Any], item: FromDesk) -> Any:
        state = self.hall.state
        draft = state.draft
        if draft is None:
            raise Refused(_("There is no draft."))
        return {
            "round": draft.number,
            "rows": BoardRows(
                round=draft.number, revision=self.streams.revision, rows=self.streams.rows(item.at), whole=True
            ),
            "bye": player(state, draft.bye) if draft.bye is not None else None,
            "byes": {str(tpn): kind for tpn, kind in draft.byes.items()},
            "reasons": draft.reasons,
        }

    # -- time ---------------------------------------------------------------------------------------------------------

    def _tick(self, item: Tick) -> None:
        for table in self.hall.tables.values():
            online = table.presence.online(item.at)
            if online != table.was_online:
                table.was_online = online
                self.streams.table_changed(table.id)
            if table.due(item.at) and table.epoch:
                self._push.add(table.id)
        if item.at - self._round_at >= ROUND_MS:
            self._round_at = item.at
            self._say_round()

    def _say_round(self) -> None:
        """Tell all tables which round it is; a table that holds less asks."""
        state = self.hall.state
        current = state.current_round
        self._say(
            self.address.all_round,
            RoundMsg(
                round=current.number if current else 0,
                rev=current.rev if current else 0,
                state=views.hall_phase(state),
                digest=current.checksum if current else "",
                inc=state.incarnation,
            ),
        )


def _cause(desk: str, intent: str) -> tuple[str, int, int]:
    """A desk's intent as the cause of events in the log; no table's id has dots."""
    return f"d.{desk}.{intent}", 0, 0


#: What an event changes for tables and desks; for all others: perhaps every board.
_NOTED: Mapping[type[TournamentEvent], Callable[[HubCore, Any], None]] = {
    Published: HubCore._published,
    Started: HubCore._started,
    Resulted: HubCore._board,
    CallOpened: HubCore._board,
    Ordered: HubCore._ordered,
    OrderConfirmed: HubCore._head,
    RoundSealed: HubCore._head,
    DeviceEnrolled: HubCore._head,
    HubOpened: HubCore._head,
}
_LEAVES: Mapping[str, Callable[[HubCore, FromTable], None]] = {
    "up": HubCore._up,
    "hb": HubCore._heartbeat,
    "ask": HubCore._ask,
}
_QUERIES: Mapping[str, Callable[[HubCore, Mapping[str, Any], FromDesk], Any]] = {
    "snapshot": HubCore._query_snapshot,
    "standings": HubCore._query_standings,
    "game": HubCore._query_game,
    "draft": HubCore._query_draft,
}
