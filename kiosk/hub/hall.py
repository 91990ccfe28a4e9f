"""The hall as both logs tell it: the tournament's state and, for each table, its game. Folded, never decided.

The hub's core, the export and the replay of a log all use this one fold.
"""

from __future__ import annotations

from collections.abc import Iterator
from gettext import gettext as _

from hallnet.hall_log import HallLog
from hallnet.wire import EventMsg, WireError, event_of
from kiosk.hub.duties import game_id
from kiosk.hub.tables import Table, table_order
from rules.laws.events import Assigned, GameEvent
from rules.laws.game_state import FREE, GameState
from rules.laws.game_state import fold as fold_game
from rules.tournament.events import DeviceEnrolled, TournamentEvent
from rules.tournament.state import TournamentState
from rules.tournament.state import fold as fold_tournament

#: What a fold may raise on an event that no table of ours wrote; such an event is set aside.
_FOLD_ERRORS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)


class Hall:
    """Everything that is known after some events. `speed` is the chess time's in simulated halls."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.state = TournamentState()
        self.tables: dict[str, Table] = {}

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
            table.epoch, table.instance = event.epoch, event.instance

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
            self._keep(table, after)
        if isinstance(event, Assigned):
            table.answer(event)
        elif before.phase not in FREE and after.phase in FREE:
            table.refused = (0, 0)  # what it had to refuse until now may be offered again
        return event, before, after

    def _keep(self, table: Table, after: GameState) -> None:
        """Games stay known after the table has gone on; a new device that has not started one does not wipe it out."""
        known = table.games.get(after.game)
        if known is None or known.started_at is None or after.started_at is not None:
            table.games[after.game] = after

    def game(self, round_number: int, board: int) -> GameState | None:
        """The record of a public board's game, if its table has taken it."""
        table = self._table_of(round_number, board)
        return table.games.get(game_id(round_number, board)) if table is not None else None

    def phase(self, round_number: int, board: int) -> str:
        """Where a public board's game stands at its table now, "" if the table has not taken it.

        Another device may have begun anew: then this is its word, while `game` still has the old one's moves.
        """
        table = self._table_of(round_number, board)
        if table is not None and table.game.game == game_id(round_number, board):
            return table.game.phase
        game = self.game(round_number, board)
        return game.phase if game is not None else ""

    def _table_of(self, round_number: int, board: int) -> Table | None:
        sheet = self.state.round(round_number)
        return self.tables.get(sheet.tables.get(board, "")) if sheet is not None else None


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
