"""The clock against a witness: a second chess clock that really ticks, one millisecond after the other.

The witness shares no code with `rules.laws.clock`. It is slow and mutable, and so simple that one can check it
against the rules line by line. It takes only controls whose Bronstein delay is the same in all periods.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.laws.clock import Clock
from rules.laws.clock_modes import MODES
from rules.laws.periods import MODE_NAMES, Period, TimeControl

OPPONENT = {"white": "black", "black": "white"}


class TickClock:
    def __init__(self, tc: TimeControl) -> None:
        self.tc = tc
        self.now = 0
        self.periods = {"white": list(tc.white), "black": list(tc.black)}
        self.left, self.moves, self.at = {}, {}, {}
        self.flag: dict[str, int | None] = {}
        self.byo_left, self.in_byo, self.latched = {}, {}, {}
        for side, periods in self.periods.items():
            self.left[side] = periods[0].main_ms
            if tc.mode == "fischer" and tc.inc_first == "before" and periods[0].inc_from_move == 1:
                self.left[side] += periods[0].inc_ms
            if tc.mode == "bronstein" and tc.initial_delay:
                self.left[side] += periods[0].delay_ms
            self.moves[side], self.at[side], self.flag[side] = 0, 0, None
            self.byo_left[side], self.in_byo[side] = periods[-1].byo_periods, False
            self.latched[side] = False
        self.turn, self.delay, self.turn_value = "white", 0, self.left["white"]
        self.started = self.paused = self.over = False
        self.marks: list[tuple[str, str, int]] = []

    def going(self) -> bool:
        flagged = [side for side in OPPONENT if self.flag[side] is not None]
        frozen = bool(flagged) and self.tc.on_flag == "freeze"
        return self.started and not self.paused and not self.over and not frozen

    def run_to(self, t: int) -> None:
        while self.now < t:
            self.now += 1
            if self.going():
                self._tick()
        self._look_for_zero()

    def _tick(self) -> None:
        if self.flag[self.turn] is not None:
            return
        if self.delay > 0:
            self.delay -= 1
        else:
            self.left[self.turn] -= 1
            if self.tc.mode == "hourglass" and self.flag[OPPONENT[self.turn]] is None:
                self.left[OPPONENT[self.turn]] += 1
        self._look_for_zero()

    def _look_for_zero(self) -> None:
        side = self.turn
        while self.going() and self.flag[side] is None and self.delay == 0 and self.left[side] == 0:
            period = self.periods[side][self.at[side]]
            if self.tc.period_switch == "at_zero" and self.at[side] < len(self.periods[side]) - 1:
                for who in OPPONENT:
                    self.at[who] += 1
                    new = self.periods[who][self.at[who]]
                    self.left[who] += new.main_ms
                self.turn_value += self.periods[side][self.at[side]].main_ms
                self.marks.append((side, "period_end", self.now))
            elif self.tc.mode == "byoyomi" and not self.in_byo[side] and self.byo_left[side] > 0:
                self.in_byo[side] = True
                self.left[side] = period.byo_ms
                self.marks.append((side, "byo_start", self.now))
            elif self.tc.mode == "byoyomi" and self.in_byo[side] and self.byo_left[side] > 1:
                self.byo_left[side] -= 1
                self.left[side] = period.byo_ms
                self.marks.append((side, "byo_lost", self.now))
            else:
                if self.in_byo[side]:
                    self.byo_left[side] = 0
                self.flag[side] = self.now

    def _turn(self, side: str) -> None:
        self.turn, self.delay, self.turn_value = side, 0, self.left[side]
        if self.tc.mode == "conditional_delay":
            if self.tc.scope == "own":
                self.latched[side] |= self.left[side] <= self.tc.threshold_ms
            elif min(self.left.values()) <= self.tc.threshold_ms:
                self.latched = {"white": True, "black": True}
            self.delay = self.tc.delay_ms if self.latched[side] else 0
        if self.tc.mode == "simple_delay":
            self.delay = self.periods[side][self.at[side]].delay_ms
        if self.flag[side] is not None:
            self.delay = 0

    def act(self, t: int, kind: str, **what: Any) -> bool:
        self.run_to(t)
        accepted = getattr(self, "_" + kind)(**what)
        self._look_for_zero()
        return bool(accepted)

    def _sample(self) -> bool:
        return True

    def _start(self, side: str = "white") -> bool:
        if self.started or self.paused or self.over:
            return False
        self.started = True
        self._turn(side)
        return True

    def _press(self, side: str) -> bool:
        if not self.going() or side != self.turn:
            return False
        self.moves[side] += 1
        if self.flag[side] is None:
            self._credit(side)
        self._turn(OPPONENT[side])
        return True

    def _credit(self, side: str) -> None:
        periods = self.periods[side]
        if self.tc.mode == "bronstein":
            self.left[side] = min(self.turn_value, self.left[side] + periods[self.at[side]].delay_ms)
        if self.tc.mode == "byoyomi" and self.in_byo[side]:
            self.left[side] = periods[self.at[side]].byo_ms
        if self.tc.period_switch == "move_counter" and self.at[side] < len(periods) - 1:
            required = sum(period.moves or 0 for period in periods[: self.at[side] + 1])
            if self.moves[side] >= required:
                self.at[side] += 1
                new = periods[self.at[side]]
                self.left[side] += new.main_ms
        period = periods[self.at[side]]
        if self.tc.mode == "fischer" and self.moves[side] >= period.inc_from_move - 1:
            self.left[side] += period.inc_ms

    def _pause(self) -> bool:
        if self.paused or not (self.started or self.over):
            return False
        self.paused, self.over, self.started = True, False, True
        return True

    def _resume(self, side: str | None = None) -> bool:
        flagged = any(instant is not None for instant in self.flag.values())
        if not self.paused or (flagged and self.tc.on_flag == "freeze"):
            return False
        self.paused = False
        if side is not None and side != self.turn:
            self._turn(side)
        return True

    def _stop(self) -> bool:
        if self.over:
            return False
        self.over, self.paused = True, False
        return True

    def _adjust(
        self,
        add: dict[str, int] | None = None,
        put: dict[str, int] | None = None,
        moves: dict[str, int] | None = None,
        clear_flag: bool = False,
    ) -> bool:
        if self.over or (self.started and not self.paused):
            return False
        add, put, moves = add or {}, put or {}, moves or {}
        new = {side: put.get(side, self.left[side]) + add.get(side, 0) for side in OPPONENT}
        cleared = []
        for side in OPPONENT:
            if moves.get(side, 0) < 0:
                return False
            if self.flag[side] is not None and new[side] != self.left[side]:
                if not clear_flag:
                    return False
                cleared.append(side)
            if new[side] <= 0 and (self.flag[side] is None or side in cleared):
                return False
        if clear_flag and not cleared:
            return False
        for side in cleared:
            self.flag[side] = None
            if self.in_byo[side]:
                self.byo_left[side] = max(1, self.byo_left[side])
        self.turn_value += new[self.turn] - self.left[self.turn]
        self.left = new
        self.moves.update(moves)
        return True


# -- random controls and random games ---------------------------------------------------------------------------


@st.composite
def controls(draw: st.DrawFn) -> TimeControl:
    mode = draw(st.sampled_from(MODE_NAMES))
    count = draw(st.integers(1, 3))
    delay = draw(st.integers(0, 6))

    def period(last: bool) -> Period:
        byo = mode == "byoyomi" and last
        inc = draw(st.integers(0, 6)) if mode == "fischer" else 0
        return Period(
            draw(st.integers(1, 25)),
            inc_ms=inc,
            inc_from_move=draw(st.sampled_from([1, 1, 2, 4])) if inc else 1,
            delay_ms=delay if mode in ("bronstein", "simple_delay") else 0,
            moves=None if last else draw(st.integers(1, 3)),
            byo_ms=draw(st.integers(1, 8)) if byo else 0,
            byo_periods=draw(st.integers(1, 3)) if byo else 0,
        )

    def side() -> tuple[Period, ...]:
        return tuple(period(number == count - 1) for number in range(count))

    return TimeControl(
        mode,
        side(),
        side(),
        inc_first=draw(st.sampled_from(["before", "after"])),
        initial_delay=draw(st.booleans()),
        on_flag=draw(st.sampled_from(["freeze", "run_on"])),
        period_switch=draw(st.sampled_from(["at_zero", "move_counter"])),
        threshold_ms=draw(st.integers(0, 25)),
        scope=draw(st.sampled_from(["both_when_any", "own"])),
        delay_ms=draw(st.integers(0, 5)),
    )


SIDES = st.sampled_from(["white", "black"])
PER_SIDE = st.dictionaries(SIDES, st.integers(-8, 20), max_size=2)
#: The right side's press comes up most: a game is mostly presses. `None` stands for the side on turn.
ACTIONS = st.one_of(
    st.just(("press", {"side": None})),
    st.just(("press", {"side": None})),
    st.just(("press", {"side": None})),
    st.tuples(st.just("press"), st.fixed_dictionaries({"side": SIDES})),
    st.just(("sample", {})),
    st.just(("pause", {})),
    st.tuples(st.just("resume"), st.fixed_dictionaries({"side": st.none() | SIDES})),
    st.tuples(
        st.just("adjust"),
        st.fixed_dictionaries({
            "add": PER_SIDE,
            "put": st.dictionaries(SIDES, st.integers(0, 30), max_size=2),
            "moves": st.dictionaries(SIDES, st.integers(-1, 6), max_size=2),
            "clear_flag": st.booleans(),
        }),
    ),
    st.sampled_from([("stop", {}), ("start", {})]),
)  # fmt: skip
GAMES = st.lists(st.tuples(st.integers(0, 14), ACTIONS), max_size=25)


def act(clock: Clock, t: int, kind: str, what: dict[str, Any]) -> tuple[Clock, bool]:
    if kind == "press":
        return clock.press(t, what["side"])
    if kind == "sample":
        return clock.advance(t), True
    if kind == "adjust":
        named: dict[str, Any] = {"clear_flag": what["clear_flag"]}
        for key, suffix in (("add", "add_ms"), ("put", "set_ms"), ("moves", "moves")):
            named.update({f"{side}_{suffix}": value for side, value in what[key].items()})
        done = clock.adjust(t, **named)
    else:
        done = getattr(clock, kind)(t, **what)
    return done, done.refused is None


def seen(clock: Clock, t: int) -> dict[str, Any]:
    reading = clock.reading(t)
    state = {
        f"{side} {name}": getattr(reading, f"{side}_{name}")
        for side in OPPONENT
        for name in ("ms", "flag_ms", "moves", "period", "byo_left", "in_byo")
    }
    shown = clock.advance(t)
    return state | {
        "running": reading.running,
        "delay": reading.delay_left_ms if MODES[clock.tc.mode].waits else 0,
        "marks": list(shown.marks),
    }


def witnessed(ticks: TickClock) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for side in OPPONENT:
        state |= {
            f"{side} ms": ticks.left[side],
            f"{side} flag_ms": ticks.flag[side],
            f"{side} moves": ticks.moves[side],
            f"{side} period": ticks.at[side] + 1,
            f"{side} byo_left": ticks.byo_left[side],
            f"{side} in_byo": ticks.in_byo[side],
        }
    return state | {
        "running": ticks.turn if ticks.going() else None,
        "delay": ticks.delay,
        "marks": ticks.marks,
    }


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tc=controls(), first=SIDES, game=GAMES)
def test_computed_clock_equals_ticking_clock(
    tc: TimeControl, first: Any, game: list[tuple[int, tuple[str, dict[str, Any]]]]
) -> None:
    clock, ticks, t = Clock.new(tc), TickClock(tc), 0
    for wait, (kind, drawn) in [(3, ("start", {"side": first})), *game, (40, ("sample", {}))]:
        t += wait
        what = dict(drawn)
        if kind == "press" and what["side"] is None:
            what["side"] = clock.turn
        clock, accepted = act(clock, t, kind, what)
        assert accepted == ticks.act(t, kind, **what), (t, kind, what)
        assert seen(clock, t) == witnessed(ticks), (t, kind, what)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tc=controls(), waits=st.lists(st.integers(1, 14), max_size=12))
def test_timer_instant_is_the_ticking_clocks_instant(tc: TimeControl, waits: list[int]) -> None:
    clock, ticks, t = Clock.new(tc).start(0), TickClock(tc), 0
    ticks.act(0, "start")
    for wait in waits:
        due = clock.next_expiry()
        if due is None:
            break
        assert due >= t
        if due > t + wait:
            t += wait
            clock, _accepted = clock.press(t, clock.turn)
            ticks.act(t, "press", side=ticks.turn)
            continue
        if due > ticks.now:
            ticks.run_to(due - 1)
            events = (len(ticks.marks), dict(ticks.flag))
            ticks.run_to(due)
            assert (len(ticks.marks), ticks.flag) != events
        clock, t = clock.advance(due), due
        assert seen(clock, t) == witnessed(ticks)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tc=controls(), game=GAMES, late=st.lists(st.integers(0, 30), min_size=1, max_size=4))
def test_delivery_after_a_delay_decides_the_same(
    tc: TimeControl, game: list[tuple[int, tuple[str, dict[str, Any]]]], late: list[int]
) -> None:
    clock, t = Clock.new(tc).start(0), 0
    for wait, (kind, drawn) in game:
        t += wait
        what = dict(drawn)
        if kind == "press" and what["side"] is None:
            what["side"] = clock.turn
        rung = clock
        for moment in sorted(late):
            rung = rung.advance(t + moment)
        in_time, accepted = act(clock, t, kind, what)
        delayed, also = act(rung, t, kind, what)
        assert accepted == also
        assert in_time.advance(t + max(late)) == delayed.advance(t + max(late))
        clock = in_time
