"""The hub's core, the only place with state: inputs in, committed events and messages out.

`step` takes a batch of inputs in one transaction of the log: table events are stored, the games folded, what follows
from them is decided and stored beside them. Only when the commit has returned are acknowledgements, assignments, orders
and answers handed out. So a message from the hub never says more than its disk knows, and after a kill at any moment
the folded logs are the whole truth. It runs in one thread and knows no network.
"""

from __future__ import annotations

from collections.abc import Callable

from hallnet.hall_log import HallLog
from hallnet.keyring import Grant
from hallnet.wire import Address
from kiosk.hub.act import Act
from kiosk.hub.books import Books
from kiosk.hub.desk_side import DeskSide
from kiosk.hub.hall import Hall
from kiosk.hub.inputs import FromDesk, FromDevice, FromTable, Input, Output, PairingDone, Refusals, Tick
from kiosk.hub.office import Office
from kiosk.hub.streams import Streams
from kiosk.hub.table_side import TableSide
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations
from rules.tournament.intents import Enter, OpenHub

#: All tables hear which round it is at least this often.
ROUND_MS = 5_000


class HubCore:
    """The hall behind `address`, on an open log.

    `boot` is the machine's boot id, `speed` the chess time's in a simulated hall, `expected` the number of tables that
    were announced (0 = any). `backlog` tells how many inputs wait, for the acknowledgements' windows. `ca` is the
    hall's certificate in a hall with keys.
    """

    def __init__(
        self,
        hall_log: HallLog,
        address: Address,
        *,
        boot: str,
        speed: float = 1.0,
        expected: int = 0,
        backlog: Callable[[], int] = lambda: 0,
        ca: str = "",
    ) -> None:
        self.log = hall_log
        self.address = address
        self.boot = boot
        self._books = Books(hall_log, address, speed, expected)
        self._tables = TableSide(self._books, backlog)
        self._desks = DeskSide(self._books)
        self._office = Office(self._books, ca)
        self._round_at = -ROUND_MS

    @property
    def hall(self) -> Hall:
        """What the logs say."""
        return self._books.hall

    @property
    def streams(self) -> Streams:
        """What the desks see."""
        return self._books.streams

    @property
    def grants(self) -> tuple[Grant, ...]:
        """The keys that are let in."""
        return tuple(self._office.keyring.grants.values())

    @property
    def duplicates(self) -> int:
        """How many events came again since this core was opened."""
        return self._books.counted["duplicates"]

    @property
    def created(self) -> bool:
        """Has the log an event with entries?"""
        return self.hall.state.regulations is not None and bool(self.hall.state.entries)

    def open(self, wall: int, regulations: Regulations | None = None, entries: tuple[Entry, ...] = ()) -> None:
        """Begin to serve: a new incarnation, and the event itself if the log is new. Raises `Refused`."""
        act = Act(self.hall.state, wall, "hub")
        act.decide(OpenHub(self.boot))
        if not self.created and regulations is not None:
            act.decide(Enter(entries, regulations))
        with self.log.transaction():
            self._books.record(act.events, None)

    def step(self, inputs: list[Input]) -> list[Output]:
        """Take a batch of inputs; what may be said now that all of it is committed. Raises `StoreError`.

        After an exception this object is of no use any more: the log is, open a new one on it.
        """
        books = self._books
        books.begin()
        self._tables.begin()
        with self.log.transaction():
            for item in inputs:
                self._take(item)
        last = inputs[-1]
        self._tables.acknowledge()
        for name in sorted(books.push):
            self._tables.send_duties(self.hall.table(name), last.at)
        return books.out + books.streams.flush(last.at, last.wall, books.hurry)

    def _take(self, item: Input) -> None:
        match item:
            case FromTable():
                self._tables.take(item)
            case FromDesk():
                if not self._office.take(item):
                    self._desks.take(item)
            case FromDevice():
                self._office.device(item)
            case Refusals():
                self._office.refused(item)
            case PairingDone():
                self._desks.paired(item)
            case Tick():
                self._tables.look(item.at)
                self._office.look(item.wall)
                if item.at - self._round_at >= ROUND_MS:
                    self._round_at = item.at
                    self._books.say_round()
