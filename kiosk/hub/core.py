"""The hub's core, the only place with state: inputs in, committed events and messages out.

`step` takes a batch of inputs in one transaction of the log: table events are stored, the games folded, what follows
from them is decided and stored beside them. Only when the commit has returned are acknowledgements, assignments, orders
and answers handed out. So a message from the hub never says more than its disk knows, and after a kill at any moment
the folded logs are the whole truth. It runs in one thread and knows no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from gettext import gettext as _

from hallnet.hall_log import HallLog
from hallnet.keyring import Grant
from hallnet.second_book import SecondBook
from hallnet.wire import GENERATION, Address
from kiosk.hub.act import Act, Refused
from kiosk.hub.books import Books
from kiosk.hub.desk_side import DeskSide
from kiosk.hub.entries import Group, numbers_of
from kiosk.hub.feed import SHOW_MS, Picture
from kiosk.hub.hall import Hall
from kiosk.hub.inputs import (
    DiskSeen,
    FilesWritten,
    FromDesk,
    FromDevice,
    FromStandby,
    FromTable,
    Input,
    Output,
    PairingDone,
    Refusals,
    SafeKeep,
    Show,
    Tick,
)
from kiosk.hub.office import Office
from kiosk.hub.standby_side import Mode, StandbySide
from kiosk.hub.streams import Streams
from kiosk.hub.table_side import TableSide
from rules.tournament.book_intents import Forbid, TakeOver
from rules.tournament.entries import Entry
from rules.tournament.events import HubOpened, Regulations
from rules.tournament.intents import Enter, OpenHub
from rules.tournament.list_intents import LoadList

#: All tables hear which round it is at least this often.
ROUND_MS = 5_000
#: A copy of the log is made this often, if something has happened.
KEEP_MS = 60_000


class HubCore:
    """The hall behind `address`, on an open log.

    `boot` is the machine's boot id, `speed` the chess time's in a simulated hall, `expected` the number of tables that
    were announced (0 = any). `backlog` tells how many inputs wait, for the acknowledgements' windows. `ca` is the
    hall's certificate in a hall with keys. `feed`: there are spectators to show something to. `standby`: whether a
    table's acknowledgement waits for the second hub ("both").
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
        feed: bool = False,
        standby: Mode = "async",
    ) -> None:
        self.log = hall_log
        self.address = address
        self.boot = boot
        self._books = Books(hall_log, address, speed, expected)
        self._tables = TableSide(self._books, backlog)
        self._desks = DeskSide(self._books)
        self._standby = StandbySide(self._books, standby)
        self._office = Office(self._books, ca, self._standby, backlog)
        self.book: SecondBook | None = None
        self._round_at = -ROUND_MS
        self.feed = feed
        self._shown_at = -SHOW_MS
        self._kept: tuple[object, ...] = ()
        self._kept_at = 0
        self._kept_events = 0

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

    def open_at(self, place: str) -> None:
        """Tables and desks are told that this hub is at `place` ("host:port"); "" if that says nothing to them."""
        self._books.own_place = place

    @property
    def duplicates(self) -> int:
        """How many events came again since this core was opened."""
        return self._books.counted["duplicates"]

    @property
    def created(self) -> bool:
        """Has the log an event with entries?"""
        return self.hall.state.regulations is not None and bool(self.hall.state.entries)

    def open(
        self,
        wall: int,
        regulations: Regulations | None = None,
        entries: tuple[Entry, ...] = (),
        take_over: bool = False,
        forbidden: Iterable[Group] = (),
        taken: TakeOver | None = None,
        seen: Callable[[Refused], str] = lambda _refused: "",
    ) -> None:
        """Begin to serve: a new incarnation, and the event itself if the log is new. Raises `Refused`, `EntriesError`.

        `forbidden`: groups of the new event who must not meet; `taken`: what it goes on from, and `seen` gives the
        token for what speaks against that. `take_over`: in the place of another hub, which closes when it hears of
        this one.
        """
        act = Act(self.hall.state, wall, "hub")
        if take_over:
            after = (self.hall.state.incarnation // GENERATION + 1) * GENERATION
            act.add(HubOpened(wall, after, self.boot))
        else:
            act.decide(OpenHub(self.boot))
        if not self.created and regulations is not None:
            act.decide(Enter(entries, regulations))
            for group in forbidden:
                act.decide(Forbid(numbers_of(group, act.state.entries.values())))
            if taken is not None:
                _take_rounds(act, taken, seen)
        with self.log.transaction():
            self._books.record(act.events, None)

    def take_lists(self, wall: int, lists: Iterable[LoadList]) -> None:
        """Rating lists that have come; one that cannot be used is told to the desks, and the event goes on."""
        act = Act(self.hall.state, wall, "hub")
        for each in lists:
            try:
                act.decide(each)
            except Refused as refused:
                self.streams.notice(str(refused))
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
        self._write_second_book()
        self._keep_safe(last.at)
        self._show(last.at, last.wall)
        books.standby_place = self._standby.place
        books.streams.hubs = books.hubs
        said = len(books.out)
        self._tables.acknowledge()
        acks = books.out[said:]
        del books.out[said:]
        released = self._standby.after_commit(acks, last.at)
        books.out += released
        for name in sorted(books.push):
            self._tables.send_duties(self.hall.table(name), last.at, last.wall)
        return books.out + books.streams.flush(last.at, last.wall, books.hurry)

    def _write_second_book(self) -> None:
        """What was decided is on the disk a second time before anybody hears of it."""
        book = self.book
        if book is None:
            return
        before = book.failed
        book.write()
        if book.failed and not before:
            sentence = _("The second book of decisions cannot be written ({error}): look at the hub's disk.")
            self._books.streams.notice(sentence.format(error=book.failed))

    def _keep_safe(self, now: int) -> None:
        """A copy is made after what no table could tell again, and now and then."""
        state = self.hall.state
        current = state.current_round
        mark = (
            len(state.rounds),
            current is not None and (current.started, current.rev),
            len(self._office.keyring.grants),
            state.finished,
        )
        if mark != self._kept or (now - self._kept_at >= KEEP_MS and state.events != self._kept_events):
            self._kept, self._kept_at, self._kept_events = mark, now, state.events
            self._books.out.append(SafeKeep(files=state.finished))

    def _show(self, now: int, wall: int) -> None:
        """A new picture for the spectators, if there is a feed."""
        if not self.feed or now - self._shown_at < SHOW_MS:
            return
        self._shown_at = now
        state, hall = self.hall.state, self.hall
        games = {
            (sheet.number, pair.board): game
            for sheet in state.rounds[-2:]
            for pair in sheet.pairs
            if (game := hall.game(sheet.number, pair.board)) is not None
        }
        self._books.out.append(Show(Picture(state, games, wall)))

    def _take(self, item: Input) -> None:
        match item:
            case FromTable():
                self._tables.take(item)
            case FromDesk():
                if not self._office.take(item):
                    self._desks.take(item)
            case FromStandby(leaf="want"):
                self._office.share(item)
            case FromStandby():
                self._standby.take(item)
            case FromDevice():
                self._office.device(item)
            case Refusals():
                self._office.refused(item)
            case PairingDone():
                self._desks.paired(item)
            case DiskSeen():
                self._office.disk_seen(item)
            case FilesWritten():
                self._office.files_written(item)
            case Tick():
                self._tables.look(item.at)
                self._office.look(item.at, item.wall)
                if item.at - self._round_at >= ROUND_MS:
                    self._round_at = item.at
                    self._books.say_round()


def _take_rounds(act: Act, taken: TakeOver, seen: Callable[[Refused], str]) -> None:
    """The rounds of a report; what speaks against them is shown to whoever answers for it, who may say go on."""
    try:
        act.decide(taken)
    except Refused as refused:
        act.seen = seen(refused)
        if not act.seen:
            raise
        act.decide(taken)
        act.seen = ""
