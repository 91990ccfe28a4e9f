"""What the desks hear: changed boards, standings and the head of the hall, never faster than a person can look.

Every flush that carries a change has the next revision number; a desk that misses one asks for a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _

import msgspec

from hallnet.views import BoardRow, BoardRows, HallHead, HallSnapshot, StandingRow, StandingsView
from hallnet.wire import Address
from kiosk.hub import views
from kiosk.hub.duties import player
from kiosk.hub.hall import Hall
from kiosk.hub.inputs import Send
from rules.tiebreaks.crosstable import in_points
from rules.tournament.events import Pair
from rules.tournament.standings import rests_on, standings
from rules.tournament.state import Round, TournamentState

#: At most five flushes a second; a word at least every two seconds.
FLUSH_MS = 200
HEAD_MS = 2_000
MAX_NOTICES = 20
#: The transport refuses messages of more than 1 MB and cuts off a client for whom more waits. So: boards in a batch,
#: boards in a snapshot (the others follow in batches), places of the standings that are sent unasked, and of these
#: those with the sentence that decided them.
_ROWS = 200
_SNAPSHOT_ROWS = 400
_PLACES = 1_000
_REASONS = 300


def standings_view(state: TournamentState, after: int | None, revision: int) -> StandingsView:
    """The standings after a round (None: the last complete one) as the desks show them."""
    if state.regulations is None or not state.entries:
        return StandingsView(round=0, codes=(), rows=(), revision=revision)
    rows = []
    for place in standings(state, after):
        who = player(state, place.tpn)
        rows.append(
            StandingRow(
                rank=place.rank,
                tpn=place.tpn,
                name=who.name,
                rating=who.rating,
                title=who.title,
                federation=who.federation,
                points=in_points(place.half_points),
                values=dict(place.values),
                decided_by=place.decided_by,
                reason=place.reason,
                withdrawn=place.withdrawn,
                excluded=place.excluded,
            )
        )
    return StandingsView(
        round=state.complete_rounds if after is None else after,
        codes=tuple(state.regulations.tie_breaks),
        rows=tuple(rows),
        revision=revision,
    )


class Streams:
    """The views of one hall and what of them is not sent yet. `expected` tables were announced (0 = any number)."""

    def __init__(self, hall: Hall, address: Address, expected: int = 0) -> None:
        self.hall = hall
        self.address = address
        self.expected = expected
        self.revision = 1
        self.hubs: tuple[str, ...] = ()
        self.notices: list[str] = []
        self._rows: dict[int, BoardRow] = {}
        self._sheet: tuple[int, int] = (0, 0)
        self._pairs: tuple[Pair, ...] = ()
        self._pair_at: dict[int, Pair] = {}
        self._tables: Mapping[int, str] = {}
        self._board_of: dict[str, int] = {}
        self._stale: set[int] = set()
        self._unsent: set[int] = set()
        self._whole = True
        self._changed = True
        self._flushed = -FLUSH_MS
        self._head_sent = -HEAD_MS
        self._standings = StandingsView(round=0, codes=(), rows=())
        self._standings_of: tuple[object, ...] | None = None

    # -- what has changed ---------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Something in the head has changed."""
        self._changed = True

    def all_changed(self) -> None:
        """Any board may have changed."""
        self._changed = True
        self._stale.update(self._rows)
        self._unsent.update(self._rows)

    def board_changed(self, board: int) -> None:
        """A board of the current sheet has changed."""
        self._changed = True
        self._stale.add(board)
        self._unsent.add(board)

    def table_changed(self, table: str) -> None:
        """Whatever a table plays has changed."""
        sheet = views.sheet_of(self.hall.state)
        if sheet is not None and sheet.tables is not self._tables:
            self._tables = sheet.tables
            self._board_of = {name: board for board, name in sheet.tables.items()}
        if sheet is not None and table in self._board_of:
            self.board_changed(self._board_of[table])
        self._changed = True

    def notice(self, sentence: str) -> None:
        """Tell the arbiter; the same sentence stands there once."""
        if sentence in self.notices:
            self.notices.remove(sentence)
        self.notices.append(sentence)
        del self.notices[:-MAX_NOTICES]
        self._changed = True

    def done_with(self, sentence: str) -> None:
        """What this notice told is dealt with."""
        if sentence in self.notices:
            self.notices.remove(sentence)
            self._changed = True

    # -- views --------------------------------------------------------------------------------------------------------

    def row(self, sheet: Round, pair: Pair, now: int) -> BoardRow:
        """One board's line, as of hub time `now` (ms)."""
        table = self.hall.tables.get(sheet.tables.get(pair.board, ""))
        return views.board_row(
            self.hall.state,
            sheet,
            pair,
            game=self.hall.game(sheet.number, pair.board),
            phase=self.hall.phase(sheet.number, pair.board),
            t=table.time.now(now) if table is not None else 0,
            answered=table is not None and table.has(sheet.number, sheet.rev),
            offline=table.presence.silent_ms(now) if table is not None else 0,
        )

    def rows(self, now: int) -> tuple[BoardRow, ...]:
        """All boards of the current sheet; only those that have changed are computed."""
        sheet = views.sheet_of(self.hall.state)
        identity = (sheet.number, sheet.rev) if sheet is not None else (0, 0)
        pairs = sheet.pairs if sheet is not None else ()
        if identity != self._sheet or pairs is not self._pairs:
            self._sheet, self._pairs = identity, pairs
            self._rows = {}
            self._pair_at = {pair.board: pair for pair in pairs}
            self._stale = set(self._pair_at)
            self._unsent = set()
            self._whole = True
        if sheet is not None:
            for board in self._stale & self._pair_at.keys():
                self._rows[board] = self.row(sheet, self._pair_at[board], now)
        self._stale = set()
        return tuple(self._rows[board] for board in sorted(self._rows))

    def _fresh_rows(self, now: int) -> tuple[BoardRow, ...]:
        """All boards with clocks and silences as of now, for a snapshot."""
        self._stale.update(self._rows)
        return self.rows(now)

    def head(self, now: int, wall: int) -> HallHead:
        """The hall as a whole."""
        state, rows = self.hall.state, self.rows(now)
        sheet = views.sheet_of(state)
        regulations = state.regulations
        online = sum(table.presence.online(now) for table in self.hall.tables.values() if table.epoch)
        enrolled = len(state.devices)
        notices = list(self.notices)
        if self.expected > enrolled:
            notices.append(_("{here} of {expected} tables have come.").format(here=enrolled, expected=self.expected))
        if state.fide_exit is not None:
            notices.append(_("Not under FIDE handling, since round {round}.").format(round=state.fide_exit.round))
        return HallHead(
            event=regulations.name if regulations else "",
            round=sheet.number if sheet else 0,
            rounds=regulations.rounds if regulations else 0,
            phase=views.hall_phase(state),
            step=views.step(state, rows, enrolled),
            boards=len(rows),
            playing=sum(row.state in ("playing", "paused") for row in rows),
            done=sum(row.state in ("confirmed", "ruled") for row in rows),
            tables_online=online,
            tables=max(self.expected, enrolled),
            calls=tuple(views.call_view(call, self.hall.game(call.round, call.board)) for call in state.calls.values()),
            notices=tuple(notices),
            revision=self.revision,
            incarnation=state.incarnation,
            wall=wall,
            speed=self.hall.speed,
            bye=player(state, sheet.bye) if sheet is not None and sheet.bye is not None else None,
            control=regulations.control if regulations else "",
            arbiter=regulations.arbiter if regulations else "",
            started=sheet.started_at if sheet else 0,
            hubs=self.hubs,
            fide_mode=state.fide_mode,
        )

    def standings(self) -> StandingsView:
        """The standings after the last complete round; computed when something in them can have changed."""
        state = self.hall.state
        basis = rests_on(state)
        known = self._standings_of
        if known is None or not _same(known, basis):
            self._standings_of = basis
            self._standings = standings_view(state, None, self.revision)
        return self._standings

    def _sendable(self) -> StandingsView:
        """The standings as of this revision, in the size of one message."""
        view = self.standings()
        rows = view.rows[:_REASONS]
        # Who has no place is told why, however far down he stands.
        rows += tuple(
            row if row.excluded else msgspec.structs.replace(row, reason="") for row in view.rows[_REASONS:_PLACES]
        )
        return msgspec.structs.replace(view, rows=rows, revision=self.revision)

    def snapshot(self, now: int, wall: int) -> HallSnapshot:
        """Everything a desk can see; in a very large hall the last boards follow with the next flush."""
        rows = self._fresh_rows(now)
        if len(rows) > _SNAPSHOT_ROWS:
            self._unsent.update(row.board for row in rows[_SNAPSHOT_ROWS:])
            self._changed = True
        return HallSnapshot(
            head=self.head(now, wall),
            boards=BoardRows(round=self._sheet[0], revision=self.revision, rows=rows[:_SNAPSHOT_ROWS], whole=True),
            standings=self._sendable(),
        )

    # -- sending ------------------------------------------------------------------------------------------------------

    def flush(self, now: int, wall: int, hurry: bool = False) -> list[Send]:
        """What is to be sent now; `hurry`: somebody has just pressed a key and waits for the effect."""
        due = self._changed and (hurry or now - self._flushed >= FLUSH_MS)
        if not due and now - self._head_sent < HEAD_MS:
            return []
        out: list[Send] = []
        if due:
            self._changed = False
            self._flushed = now
            self.revision += 1
            rows = {row.board: row for row in self.rows(now)}
            out += self._boards(rows)
            before = self._standings
            if self.standings() is not before:
                out.append(self._send("standings", self._sendable()))
        self._head_sent = now
        out.append(self._send("head", self.head(now, wall)))
        return out

    def _boards(self, rows: dict[int, BoardRow]) -> list[Send]:
        whole, self._whole = self._whole, False
        wanted = sorted(rows) if whole else sorted(self._unsent & rows.keys())
        self._unsent = set()
        out = []
        for first in range(0, len(wanted), _ROWS):
            part = tuple(rows[board] for board in wanted[first : first + _ROWS])
            view = BoardRows(round=self._sheet[0], revision=self.revision, rows=part, whole=whole and first == 0)
            out.append(self._send("boards", view))
        if whole and not wanted:
            out.append(
                self._send("boards", BoardRows(round=self._sheet[0], revision=self.revision, rows=(), whole=True))
            )
        return out

    def _send(self, leaf: str, view: HallHead | BoardRows | StandingsView) -> Send:
        return Send(_SUBJECTS[leaf](self.address), msgspec.json.encode(view))


_SUBJECTS: dict[str, Callable[[Address], str]] = {
    "head": lambda address: address.desks("head"),
    "boards": lambda address: address.desks("boards"),
    "standings": lambda address: address.desks("standings"),
}


def _same(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    """Is every part the very same object (or, for the rounds, made of the very same ones)?"""
    for a, b in zip(left, right, strict=True):
        if isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b) or any(x is not y for x, y in zip(a, b, strict=True)):
                return False
        elif a is not b:
            return False
    return True
