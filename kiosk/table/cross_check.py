"""Clocks that only show the table's times are looked at: what they say they show is compared with what they should.

The table's own time counts, whatever a clock says; nothing here changes it. A clock that is more than two seconds off
is set again, and one that stays so is told once, as a `Fault`, until it is right again. What a clock says is old by the
time it is read (a command waits for its turn, is answered after up to 1.5 s, and times come once a second): so it may
show anything that the table has shown within the last seconds. A clock that says nothing new still shows what it said
last. Its lever presses nothing here, and its flag decides nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from gettext import gettext as _

from drivers.clocks.own_count import whole_seconds
from drivers.interfaces import ClockReport, CountsItself, FaultReport, LinkReport, Report
from kiosk.table.board_words import wrong_times_words
from kiosk.table.keeper import Keeper
from rules.laws.events import Fault
from rules.laws.game import GameState

#: Real ms: how old the times may be that a clock shows; how long it may be off before it is set again, and again; and
#: before that is told; how long it must be right to be right again; and how soon the same is told once more.
OLD_MS = 3_500
AGAIN_MS = 2_000
SET_EVERY_MS = 5_000
WRONG_MS = 9_000
RIGHT_MS = 2_000
TOLD_MS = 60_000
#: A clock is right if it is no further off than this (s).
OFF_S = 2


@dataclass(slots=True)
class _Clock:
    """What one clock said last, since when it is off, and when that was mended and told (real ms)."""

    display: CountsItself
    said: ClockReport | None = None
    troubled: bool = False
    off_since: int | None = None
    right_since: int | None = None
    set_at: int = 0
    told_at: int | None = None
    telling: bool = False


@dataclass(slots=True)
class CrossCheck:
    """`clocks` are the displays that count by themselves, by the part at which they hang."""

    keeper: Keeper
    clocks: Mapping[str, CountsItself]
    _clocks: dict[str, _Clock] = field(init=False)
    _past: deque[tuple[int, GameState]] = field(default_factory=deque)
    _low: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._clocks = {part: _Clock(display) for part, display in self.clocks.items()}

    def hear(self, report: Report) -> None:
        """A device has said something."""
        match report:
            case ClockReport(part=part):
                self._battery(report)
                if part in self._clocks:
                    self._clocks[part].said = report
            case LinkReport(part=part, up=False) if part in self._clocks:
                self._clocks[part].said = None
            case FaultReport(part="display", over=over) if "board" in self._clocks:
                # What is told already is not told in other words; afterwards it has the time to say something new.
                self._clocks["board"].troubled = not over
            case _:
                pass

    def look(self, t: int, shown: GameState) -> None:
        """Compares, at chess time `t`; `shown` is the game as displays see it."""
        if not self._past or self._past[-1][1].clock is not shown.clock:
            self._past.append((t, shown))
        oldest = t - int(OLD_MS * self.keeper.timeline.speed)
        while len(self._past) > 1 and self._past[1][0] <= oldest:
            self._past.popleft()
        for each in self._clocks.values():
            self._compare(each, t, oldest)

    @property
    def due(self) -> int | None:
        """The chess time at which to look again, if nothing happens before."""
        off = any(each.off_since is not None for each in self._clocks.values())
        return self.keeper.timeline() + int(AGAIN_MS // 2 * self.keeper.timeline.speed) if off else None

    def _compare(self, each: _Clock, t: int, oldest: int) -> None:
        now = int(t / self.keeper.timeline.speed)
        said, shown = each.said, self._past[-1][1]
        if said is None or each.troubled or shown.clock is None:
            each.off_since = None
            return
        if not self._off(said, t, oldest):
            self._right(each, t, now)
            return
        each.right_since = None
        if each.off_since is None:
            each.off_since = now
        off_for = now - each.off_since
        if off_for >= AGAIN_MS and now - each.set_at >= SET_EVERY_MS:
            each.set_at = now
            each.display.set_again()
        silent = each.told_at is not None and now - each.told_at < TOLD_MS
        if off_for >= WRONG_MS and not each.telling and not silent and self.keeper.outbox.epoch:
            each.telling, each.told_at = True, now
            white, black = map(whole_seconds, shown.clocks(t))
            self._record(t, wrong_times_words((said.white_s, said.black_s), (white, black)))

    def _right(self, each: _Clock, t: int, now: int) -> None:
        """It shows the right times; one that does so only for a moment after it was set is as wrong as before."""
        if each.right_since is None:
            each.right_since = now
        if each.off_since is None or now - each.right_since < RIGHT_MS:
            return
        each.off_since = None
        if each.telling:
            each.telling = False
            self._record(t, _("the DGT clock shows the table's times again"))

    def _off(self, said: ClockReport, t: int, oldest: int) -> bool:
        """Whether a side shows a time that the table has not shown lately, give or take `OFF_S`."""
        ends = [*(at for at, _state in list(self._past)[1:]), t]
        seen = [
            state.clocks(at)
            for (began, state), end in zip(self._past, ends, strict=True)
            for at in (max(began, oldest), end)
            if state.clock is not None
        ]
        return any(
            not min(wanted) - OFF_S <= shows <= max(wanted) + OFF_S
            for shows, wanted in (
                (said.white_s, [whole_seconds(white) for white, _black in seen]),
                (said.black_s, [whole_seconds(black) for _white, black in seen]),
            )
        )

    def _battery(self, said: ClockReport) -> None:
        """A clock whose battery is low says so; told once, and when it has a fresh one."""
        if said.battery_low == (said.part in self._low) or not self.keeper.outbox.epoch:
            return
        self._low ^= {said.part}
        low = _("the battery of the DGT clock is low: change it soon")
        what = low if said.battery_low else _("the DGT clock has a fresh battery")
        self._record(self.keeper.timeline.at(said.boot_ms), what, "clock-battery")

    def _record(self, t: int, what: str, part: str = "display") -> None:
        if self.keeper.outbox.epoch:
            self.keeper.record((Fault(t, part, what),))
