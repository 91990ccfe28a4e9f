"""The hub's side towards its standby: rows go there as they are committed, and acknowledgements may wait for its word.

A question that finds nothing new is kept until there is something, so the copy follows without polling. In the mode
"both" a table is acknowledged when the standby has committed too, but never later than `WAIT_MS`: a standby that does
not keep up is reported, and not waited for until it has caught up.
"""

from __future__ import annotations

from collections import deque
from gettext import gettext as _
from typing import Literal

from hallnet.errors import Superseded
from hallnet.hall_log import Position
from hallnet.replication import ReplAsk, answer
from hallnet.views import StandbyView
from hallnet.wire import GENERATION, PLACE, WireError, decode
from kiosk.hub.books import Books
from kiosk.hub.inputs import FromStandby, Output

Mode = Literal["async", "both"]

#: A standby that has not asked for so long is reported (ms).
SILENT_MS = 10_000
#: A question is answered after so long even if there is nothing new (ms); the standby counts it as lost after 2 s.
KEEP_MS = 1_000
#: The longest that an acknowledgement waits for the standby is this and one tick, 300 ms together.
WAIT_MS = 200


class StandbySide:
    """The one standby of the hall."""

    def __init__(self, books: Books, mode: Mode) -> None:
        self.books = books
        self.mode: Mode = mode
        self.place = ""
        self.late = 0
        self._heard: int | None = None
        self._was_here = False
        self._kept: tuple[ReplAsk, int] | None = None
        self._confirmed = Position(0, 0, 0)
        self._keeps_up = False
        self._held: deque[tuple[Position, int, list[Output]]] = deque()

    @property
    def view(self) -> StandbyView:
        """For the arbiter's page."""
        state: Literal["none", "copying", "silent"] = "none"
        if self._heard is not None:
            state = "copying"
        elif self._was_here:
            state = "silent"
        behind = sum(self.books.log.position()) - sum(self._confirmed) if self._was_here else 0
        return StandbyView(mode=self.mode, state=state, behind=max(0, behind), address=self.place, late=self.late)

    def take(self, item: FromStandby) -> None:
        """The standby asks for what it lacks; that also says how far it has come."""
        try:
            ask = decode(item.payload, ReplAsk)
        except WireError as error:
            self.books.set_aside(f"{self.books.address.root}.repl.in", item.payload, str(error))
            return
        own = self.books.hall.state.incarnation
        if ask.inc // GENERATION > own // GENERATION:
            raise Superseded(
                _("another hub has taken over this hall (incarnation {theirs}, here {own}): this one closes").format(
                    theirs=ask.inc, own=own
                )
            )
        log = self.books.log
        end = log.position()
        if ask.to is None:
            # Between the parts of one piece nothing is committed there.
            ours = ask.log == log.id and all(mine >= theirs for mine, theirs in zip(end, ask.have, strict=True))
            self._confirmed = ask.have if ours else Position(0, 0, 0)
        if self._heard is None:
            self.books.streams.notice(_("The standby hub copies the log."))
        if PLACE.match(ask.place):
            self.place = ask.place
        self._heard, self._was_here = item.at, True
        self.books.counted["standby behind"] = sum(end) - sum(self._confirmed)
        if ask.to is None and self._confirmed == end:
            self._kept = (ask, item.at)
            self._caught_up()
        else:
            self._kept = None
            self._answer(ask)

    def after_commit(self, acks: list[Output], now: int) -> list[Output]:
        """What may be said now, of these acknowledgements and of those that were held back."""
        end = self.books.log.position()
        if self._kept is not None:
            ask, since = self._kept
            if end != ask.have or now - since >= KEEP_MS:
                self._kept = None
                self._answer(ask)
        if self._heard is not None and now - self._heard > SILENT_MS:
            self._heard = self._kept = None
            self._keeps_up = False
            self.books.streams.notice(_("The standby hub is silent: it does not copy the log."))
        if acks and self.mode == "both" and self._keeps_up:
            self._held.append((end, now, acks))
            acks = []
        return self._released(now) + acks

    def _released(self, now: int) -> list[Output]:
        out: list[Output] = []
        while self._held:
            wanted, since, acks = self._held[0]
            if not all(there >= here for there, here in zip(self._confirmed, wanted, strict=True)):
                if self._keeps_up and now - since < WAIT_MS:
                    break
                self.late += len(acks)
                if self._keeps_up:
                    self._keeps_up = False
                    self.books.streams.notice(_("The standby hub does not keep up: tables are answered without it."))
            out += acks
            self._held.popleft()
        return out

    def _caught_up(self) -> None:
        if self.mode == "both" and not self._keeps_up:
            self._keeps_up = True
            self.books.streams.notice(_("Tables are answered when both hubs have their events."))

    def _answer(self, ask: ReplAsk) -> None:
        answered = answer(self.books.log, ask, self.books.hall.state.incarnation)
        self.books.say(f"{self.books.address.root}.repl.out", answered)
