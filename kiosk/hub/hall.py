"""The hall as both logs tell it: the tournament's state and, for each table, its game. Folded, never decided.

The hub's core, the export and the replay of a log all use this one fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from gettext import gettext as _

from hallnet.hall_log import HallLog
from hallnet.wire import EventMsg, WireError, event_of
from kiosk.hub.duties import game_id
from kiosk.hub.tables import Table, table_order
from rules.laws.events import Assigned, GameEvent
from rules.laws.game_state import FREE, GameState
from rules.laws.game_state import fold as fold_game
from rules.tournament.book_events import BoardAdded
from rules.tournament.events import DeviceEnrolled, Published, TournamentEvent
from rules.tournament.state import TournamentState
from rules.tournament.state import fold as fold_tournament

#: What a fold may raise on an event that no table of ours wrote; such an event is set aside.
_FOLD_ERRORS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)


#: Kinds of events that say something of a device, not of the game that it records.
OF_THE_DEVICE = frozenset({"opened", "board", "fault", "call", "order-done"})


@dataclass(frozen=True, slots=True)
class Record:
    """What one device has told of a game in one epoch: the game, and of how many events of its own that is the fold."""

    table: str
    epoch: int
    state: GameState
    events: int

    @property
    def weight(self) -> tuple[int, bool, int]:
        """The heavier record has the other one in it: whoever takes over a game begins with all that was known of it.

        That is so on one sheet, and for a game that was started; before that there is nothing to take over.
        """
        return self.state.rev, self.state.started_at is not None, self.events


class Hall:
    """Everything that is known after some events. `speed` is the chess time's in simulated halls."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.state = TournamentState()
        self.tables: dict[str, Table] = {}
        self._records: dict[str, dict[tuple[str, int], Record]] = {}
        self._seats: set[tuple[str, str, int]] = set()

    def table(self, name: str) -> Table:
        """A table by its id; made when it is spoken of for the first time."""
        found = self.tables.get(name)
        if found is None:
            found = self.tables[name] = Table(name)
            found.time.speed = self.speed
        return found

    @property
    def enrolled(self) -> list[str]:
        """The ids of the tables with a device, in the order in which they take boards."""
        return sorted(self.state.devices, key=table_order)

    def fold(self, event: TournamentEvent) -> None:
        """One event of the tournament's log."""
        self.state = fold_tournament(self.state, event)
        if isinstance(event, DeviceEnrolled):
            table = self.table(event.table)
            if event.epoch != table.epoch:
                table.held = table.refused = (0, 0)  # what it took was in an epoch that is over
            table.epoch, table.instance = event.epoch, event.instance
            for sheet in self.state.rounds:
                self._seat(sheet.number, sheet.board_of_table(event.table), event.table)
        elif isinstance(event, Published):
            for seat, name in event.tables.items():
                self._seat(event.round, int(seat), name)
        elif isinstance(event, BoardAdded):
            self._seat(event.round, event.pair.board, event.table)

    def _seat(self, round_number: int, board: int | None, name: str) -> None:
        """A table's word counts for the games that the sheets give it, from the epoch on that it is in then."""
        if board is not None and name:
            self._seats.add((game_id(round_number, board), name, self.table(name).epoch))

    def take(self, name: str, msg: EventMsg, now: int | None = None) -> tuple[GameEvent, GameState, GameState]:
        """One event of a table, in order: the event, and the table's game before and after it.

        `now` is the hub's time (ms) if it has just arrived.

        Raises `WireError`, and nothing has changed, when the event is not understood.
        """
        event = event_of(msg.kind, msg.d)
        table = self.table(name)
        before = table.game if table.game_epoch == msg.e else GameState()
        try:
            after = fold_game(before, event)
        except _FOLD_ERRORS as error:
            raise WireError(
                _("event of kind {kind!r} is not understood: {error}").format(kind=msg.kind, error=error)
            ) from None
        if msg.g not in ("", before.game, after.game):
            why = _("the event is for game {game}, at table {table} is {own}")
            raise WireError(why.format(game=msg.g, table=name, own=after.game or _("no game")))
        table.game, table.game_epoch = after, msg.e
        table.time.event(event.t, msg.boot, msg.mono, now)
        if after.game:
            self._keep(name, msg, event, after)
        if msg.e != table.epoch:
            return event, before, after
        if isinstance(event, Assigned):
            table.answer(event)
        elif before.phase not in FREE and after.phase in FREE:
            table.refused = (0, 0)  # what it had to refuse until now may be offered again
        return event, before, after

    def _keep(self, name: str, msg: EventMsg, event: GameEvent, after: GameState) -> None:
        """Games stay known after the table has gone on to others."""
        records = self._records.setdefault(after.game, {})
        known = records.get((name, msg.e))
        events = known.events if known is not None and not begins(event) else 0
        events += msg.kind not in OF_THE_DEVICE
        records[name, msg.e] = Record(name, msg.e, after, events)

    def record(self, round_number: int, board: int) -> Record | None:
        """The fullest record of a public board's game, wherever it was or is played; None while no table has taken it.

        It does not matter in which order the records have come.
        """
        records = self._told(game_id(round_number, board)).values()
        table = self._table_of(round_number, board)
        here = (table.id, table.epoch) if table is not None else ("", 0)
        return max(records, key=lambda r: (r.weight, (r.table, r.epoch) == here, r.epoch, r.table), default=None)

    def _told(self, game: str) -> dict[tuple[str, int], Record]:
        """The records of a game by those whose word counts for it, by table and epoch."""
        return {at: each for at, each in self._records.get(game, {}).items() if (game, *at) in self._seats}

    def game(self, round_number: int, board: int) -> GameState | None:
        """The record of a public board's game, if a table has taken it."""
        record = self.record(round_number, board)
        return record.state if record is not None else None

    def repeats(self, name: str, msg: EventMsg) -> bool:
        """Does a table with this event only say again what another device has told of the game?"""
        records = self._told(msg.g)
        own = records.get((name, msg.e))
        if own is None or msg.kind in OF_THE_DEVICE:
            return False
        others = (r for key, r in records.items() if key != (name, msg.e) and r.state.rev == own.state.rev)
        return any(r.state.started_at is not None and own.events <= r.events for r in others)

    def phase(self, round_number: int, board: int) -> str:
        """Where a public board's game stands at its table now, "" if the table has not taken it.

        Another device may have begun anew: then this is its word, while `game` still has the old one's moves. One that
        has not yet said again all that was known does not count so far.
        """
        table, record = self._table_of(round_number, board), self.record(round_number, board)
        game = record.state if record is not None else None
        if table is None or table.game_epoch != table.epoch or table.game.game != game_id(round_number, board):
            return game.phase if game is not None else ""
        behind = record is not None and (record.table, record.epoch) != (table.id, table.epoch)
        return game.phase if game is not None and behind and table.game.started_at is not None else table.game.phase

    def _table_of(self, round_number: int, board: int) -> Table | None:
        sheet = self.state.round(round_number)
        return self.tables.get(sheet.tables.get(board, "")) if sheet is not None else None


def begins(event: GameEvent) -> bool:
    """Does a game begin at the table with this event?"""
    return isinstance(event, Assigned) and event.assignment is not None


def contiguous(log: HallLog) -> Iterator[tuple[str, EventMsg]]:
    """The events of all tables up to the first gap of each epoch: those that had effects."""
    at: tuple[str, int] = ("", 0)
    seq = 0
    for name, msg in log.table_messages():
        if (name, msg.e) != at:
            at, seq = (name, msg.e), 0
        if msg.s == seq + 1:
            seq = msg.s
            yield name, msg


def read_hall(log: HallLog, speed: float = 1.0, until: int | None = None) -> Hall:
    """Both logs folded; with `until` the tournament's log alone, up to its event of that number."""
    hall = Hall(speed)
    for number, event in enumerate(log.tournament_events(), 1):
        if until is not None and number > until:
            break
        hall.fold(event)
    for name, msg in contiguous(log) if until is None else ():
        try:
            hall.take(name, msg)
        except WireError:
            continue  # kept in the log, and set aside when it came
    return hall
