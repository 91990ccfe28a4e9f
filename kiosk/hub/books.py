"""The hub's books: the log, what is folded from it, and what is to be said once the log is committed.

Both sides of the hub, the tables' and the desks', write here and nowhere else.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from hallnet.hall_log import HallLog
from hallnet.wire import Address, EventMsg, Message, RoundMsg, encode
from kiosk.hub import views
from kiosk.hub.duties import Duties
from kiosk.hub.hall import read_hall
from kiosk.hub.inputs import Output, Send
from kiosk.hub.streams import Streams
from rules.tournament.book_events import GameMoved, SheetWithdrawn
from rules.tournament.events import (
    CallClosed,
    CallOpened,
    DeviceEnrolled,
    HubOpened,
    OrderConfirmed,
    Ordered,
    Published,
    Resulted,
    RoundSealed,
    Started,
    TournamentEvent,
)

log = logging.getLogger(__name__)

#: Payloads set aside and conflicts that are remembered, so that each is kept once.
REMEMBERED = 1_000
#: Bytes of a message that are kept when it is set aside.
MOST_KEPT = 16_384


class Books:
    """An open log at `address` and everything that follows from it.

    `out` gathers what is to be said after the commit, `push` the tables that are to be sent their duties, `hurry`
    whether somebody waits for the desks' views.
    """

    def __init__(self, hall_log: HallLog, address: Address, speed: float, expected: int) -> None:
        self.log = hall_log
        self.address = address
        self.hall = read_hall(hall_log, speed)
        self.streams = Streams(self.hall, address, expected)
        self.duties = Duties()
        self.out: list[Output] = []
        self.push: set[str] = set()
        self.hurry = False
        #: What is counted for the arbiter's health page, since this hub was started.
        self.counted: Counter[str | tuple[str, ...]] = Counter()
        #: Where this hub is, and where its standby would be ("host:port", "" unknown).
        self.own_place = self.standby_place = ""
        #: Events of tables that have had their effects already, though the log does not have them yet.
        self.ahead = hall_log.causes_ahead()
        self._aside: OrderedDict[bytes, None] = OrderedDict()
        for sentence in hall_log.notices:
            self.streams.notice(sentence)
        for name, device in self.hall.state.devices.items():
            self.hall.table(name).inbox = hall_log.inbox(name, device.epoch)

    @property
    def hubs(self) -> tuple[str, ...]:
        """Where tables and desks may find a hub of this hall."""
        return tuple(dict.fromkeys(place for place in (self.own_place, self.standby_place) if place))

    def begin(self) -> None:
        """A new step begins: nothing is to be said yet."""
        self.out, self.push, self.hurry = [], set(), False

    def say(self, subject: str, message: Message) -> None:
        """Publish a message after the commit."""
        self.out.append(Send(subject, encode(message)))

    def record(self, events: list[TournamentEvent], cause: tuple[str, int, int] | None) -> None:
        """Store events of the tournament, fold them, and take note of what they change for tables and desks."""
        if not events:
            return
        self.log.append(events, cause)
        for event in events:
            if isinstance(event, CallClosed):
                self._call_closed(event)
            self.hall.fold(event)
            _NOTED.get(type(event), Books._all_changed)(self, event)

    def set_aside(self, subject: str, payload: bytes, why: str) -> None:
        """Keep what is not understood, each payload once as far as is remembered."""
        if self._is_new(subject, payload):
            self.counted["set aside"] += 1
            self.log.set_aside(subject, payload[:MOST_KEPT], why)
            log.warning("set aside: %s: %s", subject, why)

    def conflict(self, table: str, msg: EventMsg, why: str) -> None:
        """Keep a message that contradicts what is there, each once as far as is remembered."""
        if self._is_new(f"conflict {table}", encode(msg)):
            self.counted["conflicts"] += 1
            self.log.conflict(table, msg, why)

    def is_aside(self, subject: str, payload: bytes) -> bool:
        """Was this set aside lately?"""
        return hashlib.sha256(subject.encode() + b"\0" + payload).digest() in self._aside

    def _is_new(self, subject: str, payload: bytes) -> bool:
        key = hashlib.sha256(subject.encode() + b"\0" + payload).digest()
        if key in self._aside:
            return False
        self._aside[key] = None
        if len(self._aside) > REMEMBERED:
            self._aside.popitem(last=False)
        return True

    def say_round(self) -> None:
        """Tell all tables which round it is; a table that holds less asks."""
        state = self.hall.state
        current = state.current_round
        self.say(
            self.address.all_round,
            RoundMsg(
                round=current.number if current else 0,
                rev=current.rev if current else 0,
                state=views.hall_phase(state),
                digest=current.checksum if current else "",
                inc=state.incarnation,
                hubs=self.hubs,
            ),
        )

    # -- what an event changes ----------------------------------------------------------------------------------------

    def _all_changed(self, event: Any) -> None:
        self.streams.all_changed()

    def _published(self, event: Published) -> None:
        self.streams.all_changed()
        self.push.update(event.tables.values())
        self.say_round()

    def _started(self, event: Started | SheetWithdrawn) -> None:
        self.streams.all_changed()
        self.say_round()

    def _board(self, event: Resulted | CallOpened) -> None:
        sheet = views.sheet_of(self.hall.state)
        if sheet is not None and sheet.number == event.round:
            self.streams.board_changed(event.board)
        self.streams.changed()

    def _call_closed(self, event: CallClosed) -> None:
        call = self.hall.state.calls.get(event.id)
        if call is not None:
            self._board(call)

    def _ordered(self, event: Ordered) -> None:
        self.push.add(event.table)

    def _moved(self, event: GameMoved) -> None:
        self.streams.all_changed()
        self.push.update(table for table in event.tables.values() if table)

    def _enrolled(self, event: DeviceEnrolled) -> None:
        """A new epoch: nothing of it is here yet, and the table is told what it has to do now."""
        table = self.hall.table(event.table)
        table.inbox = self.log.inbox(event.table, event.epoch)
        if event.why == "moved":
            self.push.add(event.table)
        self.streams.table_changed(event.table)

    def _head(self, event: Any) -> None:
        self.streams.changed()


#: What an event changes for tables and desks; for all others: perhaps every board.
_NOTED: Mapping[type[TournamentEvent], Callable[[Books, Any], None]] = {
    Published: Books._published,
    Started: Books._started,
    SheetWithdrawn: Books._started,
    Resulted: Books._board,
    CallOpened: Books._board,
    CallClosed: Books._head,
    Ordered: Books._ordered,
    OrderConfirmed: Books._head,
    RoundSealed: Books._head,
    DeviceEnrolled: Books._enrolled,
    GameMoved: Books._moved,
    HubOpened: Books._head,
}
