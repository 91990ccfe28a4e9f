"""The table's record: events are folded at once, and stored together at the end of a step."""

from __future__ import annotations

import logging
from gettext import gettext as _
from itertools import groupby

from hallnet.clock import boot_us, wall_ms, wall_synchronised
from hallnet.outbox import Outbox, Stamp
from hallnet.wire import fits, shortened
from kiosk.table.timeline import Timeline
from rules.laws import game as laws
from rules.laws.events import Fault, GameEvent, Opened

log = logging.getLogger(__name__)

#: Real ms between notes of the running clock for the case of a power cut.
JOURNAL_MS = 1_000


class Keeper:
    """`state` is the fold of everything recorded; `commit` makes it last. `boot` is the machine's boot id."""

    def __init__(self, outbox: Outbox, timeline: Timeline, boot: str) -> None:
        self.outbox = outbox
        self.timeline = timeline
        self.boot = boot
        self.state = laws.replay(outbox.events())
        self._new: list[tuple[str, GameEvent]] = []
        self._journalled = 0
        self._told_half = False
        self._sync = (0, False)

    def record(self, events: laws.Events) -> None:
        """Folds events and keeps them for the next `commit`."""
        for event in map(shortened, events):
            self.state = laws.fold(self.state, event)
            self._new.append((self.state.game, event))

    def begin(self, epoch: int, why: str) -> None:
        """A new epoch, with nothing at the table; what was recorded before must be committed."""
        t = self.timeline()
        self.outbox.enrol(epoch, self.stamp(), t, why)
        self.state = laws.fold(self.state, Opened(t, why))

    def decide(self, intent: laws.Intent, t: int, standing: laws.MakeMove | None = None) -> laws.Refusal | None:
        """Records what the Laws make of an intent; the refusal, if they refuse."""
        answer = laws.decide(self.state, intent, t, standing)
        if isinstance(answer, laws.Refusal):
            return answer
        if not all(map(fits, answer)):
            return laws.Refusal(_("This text is too long to be sent: say it in fewer words."))
        self.record(answer)
        return None

    def commit(self) -> None:
        """Stores what was recorded since the last time."""
        if not self._new:
            return
        stamp = self.stamp()
        for game, events in groupby(self._new, key=lambda pair: pair[0]):
            self.outbox.append([event for _game, event in events], game, stamp)
        self._new.clear()
        self.journal(stamp)
        if not self._told_half and self.outbox.half_full:
            self._told_half = True
            what = _("the table's log is half full: move it elsewhere between two rounds")
            self.record((Fault(self.timeline(), "disk", what),))
            self.commit()

    def stamp(self) -> Stamp:
        """Wall, boot time and boot for what is stored now."""
        now = boot_us()
        if now - self._sync[0] > 10_000_000:
            self._sync = (now, wall_synchronised())
        return Stamp(wall_ms(), now, self.boot, self._sync[1])

    def journal(self, stamp: Stamp | None = None) -> None:
        """Notes the running clock at most once a second, for the case of a power cut."""
        now = boot_us() // 1000
        if self.state.running is None or now - self._journalled < JOURNAL_MS:
            return
        self._journalled = now
        t = self.timeline()
        self.outbox.journal(t, *self.state.clocks(t), stamp or self.stamp())
