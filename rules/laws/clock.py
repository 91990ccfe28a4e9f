"""The chess clock as a pure state machine: stamps and presses in, remaining times and flag instants out.

Theory of operation
-------------------
* Time is an argument. Every stamp is an integer number of milliseconds on one monotonic line that also counts
  a suspended machine. Nothing here ticks: remaining time is the value at the last action minus what has passed
  since, so a late wake-up, a busy screen or a suspended machine cannot move a flag.
* A `Clock` is a frozen value. An *action* (`start`, `press`, `pause`, `resume`, `adjust`, `take_back`,
  `stop`) gives a new clock; the arguments are the stamp and what was done.
* The phases are a table, `_ACCEPTS`: which action is accepted in which phase, and the refusal otherwise.

      ready ──start──► running ◄──resume── paused ◄──pause── stopped
                          └────pause───────►│ ▲─────────────────┘
      (any) ──stop──► stopped;  a flag in `freeze` mode holds a running clock still until the flag is cleared

* `take_back` gives back the move of the last press: the clock keeps the state just before it (`untaken`).
* An action that is refused changes nothing; `Clock.refused` then names the reason, and is None otherwise.
* Expiries come before actions: `advance(t)` processes every instant due up to and including t, so an action
  stamped in the millisecond of the flag is too late and one stamped a millisecond earlier counts. Zero is expired.
* Expiry is of three kinds, tried in this order: the next period begins for both sides (`at_zero`), a byo-yomi
  period begins or is lost, the flag falls. The first two leave a mark.
* Stamps may arrive late. A clock that has processed an expiry remembers the clock before it (`before`): a press, a
  mate or a pause stamped before the flag is judged there, whenever it is delivered. A stamp that lies before the
  last accepted action counts as simultaneous with it and later in order.
* What a mode does is a row of `clock_modes.MODES`; there is no other branch on the mode in here.

Every method is O(1) up to the number of periods that end in it. Sources: Laws of Chess 6, the FIDE standard for
electronic chess clocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from rules.laws.clock_display import display
from rules.laws.clock_modes import MODES
from rules.laws.periods import Period, TimeControl
from rules.laws.sides import SIDES, Side, other

Phase = Literal["ready", "running", "paused", "stopped"]
Action = Literal["start", "press", "pause", "resume", "adjust", "take_back", "stop"]
MarkKind = Literal["period_end", "byo_start", "byo_lost"]
Mark = tuple[Side, MarkKind, int]
#: Why an action was refused.
Refusal = Literal[
    "not_started", "already_started", "running", "paused", "stopped",
    "flag_down", "opponents_turn", "flag_not_cleared", "no_time_left", "negative_moves", "no_flag", "no_move",
]  # fmt: skip

#: Accepted actions are absent from a phase's row. A stopped clock can be paused: the arbiter reopens a game.
_ACCEPTS: dict[Phase, dict[Action, Refusal]] = {
    "ready": dict.fromkeys(("press", "pause", "resume", "take_back"), "not_started"),
    "running": {"start": "already_started", "resume": "running", "adjust": "running", "take_back": "running"},
    "paused": {"start": "already_started", "press": "paused", "pause": "paused"},
    "stopped": dict.fromkeys(("start", "press", "resume", "adjust", "take_back", "stop"), "stopped"),
}

#: Actions that a fallen flag forbids as long as it freezes the clock.
_NEEDS_FLAG_UP: frozenset[Action] = frozenset({"press", "resume"})


@dataclass(frozen=True, slots=True)
class SideState:
    """One side's half of the clock at the last action: ms left, completed moves, period (from 0), byo-yomi, flag.

    `delay_on` is the latch of the conditional delay.
    """

    left_ms: int
    moves: int = 0
    period: int = 0
    byo_left: int = 0
    in_byo: bool = False
    flag_ms: int | None = None
    delay_on: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of a clock at one stamp, for screens, logs and `Clock.restored`.

    Times in ms; periods count from 1. `running` is the side whose time runs, None when none does; `turn` is the
    side to move by the clock, running or not. `delay_left_ms` is the delay the side to move has not used yet.
    `turn_value_ms` is its value when the turn began, corrections included (Bronstein gives back up to this).
    """

    white_ms: int
    black_ms: int
    running: Side | None
    white_flag_ms: int | None
    black_flag_ms: int | None
    white_moves: int
    black_moves: int
    delay_left_ms: int
    white_period: int
    black_period: int
    white_byo_left: int
    black_byo_left: int
    white_in_byo: bool
    black_in_byo: bool
    white_delay_on: bool
    black_delay_on: bool
    turn: Side
    turn_value_ms: int
    phase: Phase
    first_flag: Side | None

    def ms(self, side: Side) -> int:
        """Remaining time of `side` in ms."""
        return self.white_ms if side == "white" else self.black_ms

    def moves(self, side: Side) -> int:
        """Completed moves of `side` as far as the clock knows."""
        return self.white_moves if side == "white" else self.black_moves

    def flag_ms(self, side: Side) -> int | None:
        """The instant at which the flag of `side` fell, or None."""
        return self.white_flag_ms if side == "white" else self.black_flag_ms


@dataclass(frozen=True, slots=True)
class Clock:
    """A chess clock. Make one with `Clock.new`; see the theory of operation above."""

    tc: TimeControl
    white: SideState
    black: SideState
    phase: Phase = "ready"
    turn: Side = "white"
    since_ms: int = 0
    delay_ms: int = 0
    turn_value_ms: int = 0
    marks: tuple[Mark, ...] = ()
    refused: Refusal | None = field(default=None, compare=False)
    before: Clock | None = field(default=None, compare=False, repr=False)
    untaken: Clock | None = field(default=None, compare=False, repr=False)

    @classmethod
    def new(cls, tc: TimeControl) -> Clock:
        """A clock set to `tc` and not started yet."""
        row = MODES[tc.mode]
        halves = [
            SideState(periods[0].main_ms + row.head_start(tc, periods[0]), byo_left=periods[-1].byo_periods)
            for periods in (tc.white, tc.black)
        ]
        return cls(tc, halves[0], halves[1], turn_value_ms=halves[0].left_ms)

    @classmethod
    def restored(cls, tc: TimeControl, reading: Reading, t: int) -> Clock:
        """A clock paused at `t` that goes on from a journalled `reading`, for instance after a power loss.

        It never resumes by itself, and the outage is charged to nobody (Laws 6.10.1, 6.11: the arbiter decides).
        """
        white, black = (
            SideState(
                reading.ms(side),
                reading.moves(side),
                (reading.white_period if side == "white" else reading.black_period) - 1,
                reading.white_byo_left if side == "white" else reading.black_byo_left,
                reading.white_in_byo if side == "white" else reading.black_in_byo,
                reading.flag_ms(side),
                reading.white_delay_on if side == "white" else reading.black_delay_on,
            )
            for side in SIDES
        )
        phase: Phase = "ready" if reading.phase == "ready" else "paused"
        return cls(
            tc, white, black, phase, reading.turn, t, reading.delay_left_ms, reading.turn_value_ms
        )  # fmt: skip

    # -- what can be seen -------------------------------------------------------------------------------------

    def half(self, side: Side) -> SideState:
        """The stored half of `side`, as at the last action."""
        return self.white if side == "white" else self.black

    @property
    def paused(self) -> bool:
        """Whether the clock was paused and not resumed."""
        return self.phase == "paused"

    @property
    def frozen(self) -> bool:
        """Whether a fallen flag holds the whole clock still (`on_flag=freeze`)."""
        return self.tc.on_flag == "freeze" and (self.white.flag_ms is not None or self.black.flag_ms is not None)

    @property
    def running(self) -> Side | None:
        """The side whose time runs, as at the last action or expiry processed."""
        return self.turn if self.phase == "running" and not self.frozen else None

    @property
    def first_flag(self) -> Side | None:
        """The side whose flag fell first, the only one that may carry the sign; None while both are up."""
        fallen = [(half.flag_ms, side) for side in SIDES if (half := self.half(side)).flag_ms is not None]
        return min(fallen)[1] if fallen else None

    def next_expiry(self) -> int | None:
        """The instant at which the running time reaches zero if nobody acts, in absolute ms; None if none will.

        It is a flag fall or the end of a period; call `advance` then, or later.
        """
        side = self.running
        if side is None or self.half(side).flag_ms is not None:
            return None
        return self.since_ms + self.delay_ms + self.half(side).left_ms

    def advance(self, t: int) -> Clock:
        """Process every expiry due at or before `t`. Without one the same clock is returned."""
        clock = self
        while (due := clock.next_expiry()) is not None and due <= t:
            clock = clock._expire(due)
        if clock is self:
            return self
        return replace(clock, before=self if self.before is None else self.before, refused=None)

    def reading(self, t: int) -> Reading:
        """What the clock shows at `t`."""
        clock = self._at(t)
        clock = clock._settled(max(t, clock.since_ms))
        white, black = clock.white, clock.black
        return Reading(
            white.left_ms, black.left_ms, clock.running, white.flag_ms, black.flag_ms, white.moves, black.moves,
            clock.delay_ms, white.period + 1, black.period + 1, white.byo_left, black.byo_left,
            white.in_byo, black.in_byo, white.delay_on, black.delay_on,
            clock.turn, clock.turn_value_ms, clock.phase, clock.first_flag,
        )  # fmt: skip

    def finishing(self, side: Side) -> bool:
        """Whether the running period of `side` is its last one and gives nothing for moves (Guidelines III)."""
        half, periods = self.half(side), self.tc.periods(side)
        return self.tc.mode == "sudden_death" and half.period + 1 >= len(periods)

    # -- what can be done -------------------------------------------------------------------------------------

    def start(self, t: int, side: Side = "white") -> Clock:
        """Start the time of `side` (Laws 6.6: White). Refused when it was started before."""
        clock = self._act("start", t)
        return clock if clock.refused else replace(clock, phase="running")._turn_begins(side)

    def press(self, t: int, side: Side) -> tuple[Clock, bool]:
        """`side` presses his button: (the clock afterwards, whether the press was accepted).

        Accepted only from the side whose time runs. It completes a move, credits what the mode and the periods give
        and starts the opponent's time. A player whose flag is down (`run_on`) gets nothing credited.
        """
        clock = self._act("press", t)
        if not clock.refused and side != clock.turn:
            clock = self._refuse(t, "opponents_turn")
        if clock.refused:
            return clock, False
        untaken = replace(clock, untaken=None)
        moves = clock.half(side).moves + 1
        clock = clock._with(side, replace(clock.half(side), moves=moves))
        if clock.half(side).flag_ms is None:
            if clock._period_complete(side):
                clock = clock._next_period(side)
            half, period = clock.half(side), clock._period(side)
            left = MODES[clock.tc.mode].credit(half.left_ms, clock.turn_value_ms, period, moves)
            clock = clock._with(side, replace(half, left_ms=period.byo_ms if half.in_byo else left))
        return replace(clock._turn_begins(other(side)), untaken=untaken), True

    def pause(self, t: int) -> Clock:
        """Stop both times, keeping what is left and the unused delay. Refused when already paused or not started.

        A stopped or flag-frozen clock may be paused: so the arbiter takes it in hand to correct and go on.
        """
        clock = self._act("pause", t)
        return clock if clock.refused else replace(clock, phase="paused")

    def resume(self, t: int, side: Side | None = None) -> Clock:
        """Let the time run again. Naming the other side gives it a fresh turn with a fresh delay.

        Refused when not paused, and as long as a flag freezes the clock.
        """
        clock = self._act("resume", t)
        if clock.refused:
            return clock
        clock = replace(clock, phase="running")
        return clock if side in (None, clock.turn) else clock._turn_begins(other(clock.turn))

    def stop(self, t: int) -> Clock:
        """The game is over at `t`: nothing runs any more. For a mate, `t` is the stamp of the move *made*."""
        clock = self._act("stop", t)
        return clock if clock.refused else replace(clock, phase="stopped")

    def adjust(
        self,
        t: int,
        *,
        white_add_ms: int = 0,
        black_add_ms: int = 0,
        white_set_ms: int | None = None,
        black_set_ms: int | None = None,
        white_moves: int | None = None,
        black_moves: int | None = None,
        clear_flag: bool = False,
    ) -> Clock:
        """The arbiter's correction: set or add ms, set move counters (Laws 6.10.2). It is never a move.

        Accepted while paused, and before the start. Refused as a whole when a side would be left without time, when a
        flagged side would get time without `clear_flag`, when `clear_flag` finds no flag to clear, or when a counter
        would be negative.
        """
        clock = self._act("adjust", t)
        if clock.refused:
            return clock
        cleared = False
        wanted: tuple[tuple[Side, int, int | None, int | None], ...] = (
            ("white", white_add_ms, white_set_ms, white_moves),
            ("black", black_add_ms, black_set_ms, black_moves),
        )
        for side, add_ms, set_ms, moves in wanted:
            corrected = _corrected(clock.half(side), add_ms, set_ms, moves, clear_flag)
            if not isinstance(corrected, SideState):
                return self._refuse(t, corrected)
            cleared |= corrected.flag_ms != clock.half(side).flag_ms
            if side == clock.turn:
                # Bronstein gives back up to the value at the turn's start: a bonus must not be swallowed by it.
                shift = corrected.left_ms - clock.half(side).left_ms
                clock = replace(clock, turn_value_ms=clock.turn_value_ms + shift)
            clock = clock._with(side, corrected)
        return replace(clock, untaken=None) if cleared or not clear_flag else self._refuse(t, "no_flag")

    def take_back(self, t: int) -> Clock:
        """Give the last press back after an illegal move (Laws 7.5.1): both times as they were at that press.

        The mover's thinking time stays charged and nothing is credited; the opponent's time since then is restored,
        with his flag and period; the counter goes back by one. The mover is to move, with a fresh delay, and the clock
        stays paused until `resume`. Accepted while paused; refused without a press in this turn, or after a correction,
        which it would lose: take back first, then give the penalty.
        """
        clock = self._act("take_back", t)
        if clock.refused:
            return clock
        if clock.untaken is None:
            return self._refuse(t, "no_move")
        return replace(clock.untaken, phase="paused", since_ms=clock.since_ms)._turn_begins(other(clock.turn))

    def give_turn(self, t: int, side: Side) -> Clock:
        """The arbiter puts the clock to the turn of `side`, with a fresh delay: the position was restored (7.5.1).

        Never a move, so nothing is credited. Accepted where `adjust` is: while paused, and before the start.
        """
        clock = self._act("adjust", t)
        return clock if clock.refused else clock._turn_begins(side)

    def with_increment(self, t: int, inc_ms: int) -> Clock:
        """From now on both sides get `inc_ms` for every move (Guidelines III.4). Accepted where `adjust` is."""
        clock = self._act("adjust", t)
        if clock.refused:
            return clock
        white, black = (tuple(replace(each, inc_ms=inc_ms) for each in self.tc.periods(side)) for side in SIDES)
        tc = replace(self.tc, mode="fischer", inc_first="after", on_flag="freeze", white=white, black=black)
        return replace(clock, tc=tc, untaken=None)

    def count(self, t: int, side: Side, moves: int) -> Clock:
        """The arbiter sets the counter of `side` to the `moves` of the record; no press, so no increment.

        Where the counter ends periods, those that it completes now add their next main time, as a press would have
        done (6.4); a count that goes back takes nothing away. Accepted where `adjust` is: while paused, and before the
        start.
        """
        clock = self._act("adjust", t)
        if clock.refused:
            return clock
        if moves < 0:
            return self._refuse(t, "negative_moves")
        clock = clock._with(side, replace(clock.half(side), moves=moves))
        while clock.half(side).flag_ms is None and clock._period_complete(side):
            clock = clock._next_period(side)
        return clock

    # -- the machinery ----------------------------------------------------------------------------------------

    def _at(self, t: int) -> Clock:
        """The clock to which something stamped `t` happens: expiries up to `t` processed, later ones undone."""
        if self.before is not None and t < self.since_ms:
            return self.before.advance(t)
        return self.advance(t)

    def _act(self, action: Action, t: int) -> Clock:
        """The clock settled at `t` for an accepted action; otherwise this clock with `refused` set."""
        clock = self._at(t)
        reason = _ACCEPTS[clock.phase].get(action)
        if reason is None and clock.frozen and action in _NEEDS_FLAG_UP:
            reason = "flag_down"
        if reason is not None:
            return self._refuse(t, reason)
        clock = clock._settled(t if clock.phase == "ready" else max(t, clock.since_ms))
        return replace(clock, before=None, refused=None)

    def _refuse(self, t: int, reason: Refusal) -> Clock:
        # A late stamp that is refused must not undo what has been processed since.
        return replace(self.advance(t), refused=reason)

    def _with(self, side: Side, half: SideState) -> Clock:
        return replace(self, white=half) if side == "white" else replace(self, black=half)

    def _period(self, side: Side) -> Period:
        return self.tc.periods(side)[self.half(side).period]

    def _settled(self, t: int) -> Clock:
        """Charge the time up to `t`, which no expiry precedes: delay first, then the main time."""
        side = self.running
        if side is None:
            return replace(self, since_ms=t)
        passed = t - self.since_ms
        spent = max(0, passed - self.delay_ms)
        clock = replace(self, since_ms=t, delay_ms=max(0, self.delay_ms - passed))
        half, rival = self.half(side), self.half(other(side))
        if half.flag_ms is not None:
            return clock
        clock = clock._with(side, replace(half, left_ms=half.left_ms - spent))
        if MODES[self.tc.mode].opponent_gains and rival.flag_ms is None:
            clock = clock._with(other(side), replace(rival, left_ms=rival.left_ms + spent))
        return clock

    def _turn_begins(self, side: Side) -> Clock:
        """`side` is to move from now on. Only here is the conditional delay's condition looked at; it latches."""
        clock = self
        row, tc = MODES[self.tc.mode], self.tc
        delay_ms = 0
        if row.waits == "conditional":
            looked_at = SIDES if tc.scope == "both_when_any" else (side,)
            if any(clock.half(who).left_ms <= tc.threshold_ms for who in looked_at):
                for who in looked_at:
                    clock = clock._with(who, replace(clock.half(who), delay_on=True))
            delay_ms = tc.delay_ms if clock.half(side).delay_on else 0
        elif row.waits == "period":
            delay_ms = clock._period(side).delay_ms
        half = clock.half(side)
        return replace(
            clock,
            turn=side,
            delay_ms=delay_ms if half.flag_ms is None else 0,
            turn_value_ms=half.left_ms,
            before=None,
            untaken=None,
            refused=None,
        )

    def _period_complete(self, side: Side) -> bool:
        """Whether the moves required up to the end of the current period are made (`move_counter` only)."""
        half, periods = self.half(side), self.tc.periods(side)
        if self.tc.period_switch != "move_counter" or half.period + 1 >= len(periods):
            return False
        return half.moves >= sum(period.moves or 0 for period in periods[: half.period + 1])

    def _next_period(self, side: Side) -> Clock:
        """Add the next main time of `side`, if there is a next period."""
        half, periods = self.half(side), self.tc.periods(side)
        if half.period + 1 >= len(periods):
            return self
        old, new = periods[half.period], periods[half.period + 1]
        headroom = MODES[self.tc.mode].headroom
        shift = headroom(self.tc, new) - headroom(self.tc, old)
        on_turn = side == self.turn
        half = replace(
            half,
            # On turn, a larger Bronstein delay shows only after the press: the turn's value carries it until then.
            left_ms=half.left_ms + new.main_ms + (0 if on_turn else shift),
            period=half.period + 1,
        )
        turn_value_ms = self.turn_value_ms + (new.main_ms + shift if on_turn else 0)
        return replace(self._with(side, half), turn_value_ms=turn_value_ms)

    def _expire(self, due: int) -> Clock:
        """What happens when the running time reaches zero at `due`."""
        clock, side = self._settled(due), self.turn
        half, period = clock.half(side), clock._period(side)
        if clock.tc.period_switch == "at_zero" and half.period + 1 < len(clock.tc.periods(side)):
            clock = clock._next_period(side)._next_period(other(side))
            return clock._marked(side, "period_end", due)
        if MODES[clock.tc.mode].overtime:
            left = half.byo_left - 1 if half.in_byo else half.byo_left
            half = replace(half, byo_left=left)
            if left > 0:
                kind: MarkKind = "byo_lost" if half.in_byo else "byo_start"
                half = replace(half, left_ms=period.byo_ms, in_byo=True)
                return clock._with(side, half)._marked(side, kind, due)
        return clock._with(side, replace(half, left_ms=0, flag_ms=due))

    def _marked(self, side: Side, kind: MarkKind, due: int) -> Clock:
        return replace(self, marks=(*self.marks, (side, kind, due)))


def _corrected(
    half: SideState, add_ms: int, set_ms: int | None, moves: int | None, clear_flag: bool
) -> SideState | Refusal:
    """`half` after a correction, or why it is refused."""
    left = (half.left_ms if set_ms is None else set_ms) + add_ms
    count = half.moves if moves is None else moves
    if count < 0:
        return "negative_moves"
    if half.flag_ms is not None and left != half.left_ms:
        if not clear_flag:
            return "flag_not_cleared"
        # A player flagged in byo-yomi gets his time as a last period.
        half = replace(half, flag_ms=None, byo_left=max(half.byo_left, 1) if half.in_byo else half.byo_left)
    if left <= 0 and half.flag_ms is None:
        return "no_time_left"
    return replace(half, left_ms=left, moves=count)


__all__ = ["Clock", "Mark", "Reading", "Refusal", "SideState", "display"]
