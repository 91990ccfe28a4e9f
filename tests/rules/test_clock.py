"""Stories of a chess clock, and the identities between its modes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.laws.clock import Clock
from rules.laws.periods import ModeName, Period, PeriodSwitch, TimeControl
from rules.laws.sides import other
from rules.laws.time_control import parse

BLITZ = parse("5+3")
FIVE = parse("5")


def played(tc: TimeControl, waits: list[int], t: int = 0) -> tuple[Clock, int]:
    """A game in which the side on turn presses after each of `waits`."""
    clock = Clock.new(tc).start(t)
    for wait in waits:
        t += wait
        clock, _accepted = clock.press(t, clock.turn)
    return clock, t


# -- stories ----------------------------------------------------------------------------------------------------


def test_new_clock_shows_the_first_increment_and_does_not_run() -> None:
    clock = Clock.new(BLITZ)
    reading = clock.reading(1_000_000)
    assert (reading.white_ms, reading.black_ms, reading.running) == (303_000, 303_000, None)
    assert clock.next_expiry() is None
    assert clock.press(5, "white")[1] is False
    assert clock.press(5, "white")[0].refused == "not_started"


def test_black_may_be_started_first() -> None:
    clock = Clock.new(FIVE).start(100, "black")
    assert clock.running == "black"
    assert clock.next_expiry() == 300_100
    assert clock.start(200).refused == "already_started"


def test_press_with_the_last_millisecond_counts_even_if_delivered_after_the_flag() -> None:
    clock = Clock.new(BLITZ).start(0)
    rung = clock.advance(303_000)
    assert rung.first_flag == "white"
    saved, accepted = rung.press(302_999, "white")
    assert accepted
    assert saved.first_flag is None
    assert saved.reading(302_999).white_ms == 3_001
    late, accepted = rung.press(303_000, "white")
    assert not accepted
    assert late.refused == "flag_down"
    assert late == rung


def test_mate_made_before_the_flag_stops_the_clock_there_whenever_it_is_recognised() -> None:
    clock = Clock.new(FIVE).start(0).advance(300_000)
    over = clock.stop(299_000)
    assert over.first_flag is None
    assert over.reading(400_000).white_ms == 1_000
    assert over.running is None
    assert over.press(400_000, "white")[0].refused == "stopped"
    assert clock.stop(300_000).first_flag == "white"


def test_refused_late_press_does_not_undo_the_flag() -> None:
    clock = Clock.new(FIVE).start(0).advance(300_000)
    refused, accepted = clock.press(299_999, "black")
    assert not accepted
    assert refused.refused == "opponents_turn"
    assert refused.white.flag_ms == 300_000


def test_stamp_older_than_the_last_press_counts_as_simultaneous() -> None:
    clock, t = played(FIVE, [5_000])
    clock, accepted = clock.press(t - 1, "black")
    assert accepted
    assert clock.reading(t).black_ms == 300_000


def test_arbiter_reopens_a_game_that_was_stopped_by_mistake() -> None:
    clock, t = played(FIVE, [5_000])
    clock = clock.stop(t + 1_000)
    assert clock.resume(t + 2_000).refused == "stopped"
    clock = clock.pause(t + 60_000).resume(t + 90_000)
    assert clock.running == "black"
    assert clock.reading(t + 91_000).black_ms == 298_000


def test_flag_is_cleared_only_with_time_and_by_name() -> None:
    clock = Clock.new(FIVE).start(0).advance(300_000).pause(301_000)
    assert clock.resume(302_000).refused == "flag_down"
    assert clock.adjust(302_000, white_add_ms=1_000).refused == "flag_not_cleared"
    assert clock.adjust(302_000, clear_flag=True).refused == "no_flag"
    assert clock.adjust(302_000, black_add_ms=5, clear_flag=True).refused == "no_flag"
    healed = clock.adjust(302_000, white_add_ms=60_000, clear_flag=True)
    assert healed.refused is None
    assert healed.first_flag is None
    assert healed.resume(303_000).next_expiry() == 363_000


def test_refused_correction_changes_neither_side() -> None:
    clock = Clock.new(FIVE).start(0).pause(1_000)
    refused = clock.adjust(2_000, white_add_ms=5_000, black_set_ms=0, white_moves=7)
    assert refused.refused == "no_time_left"
    assert refused == clock
    assert clock.adjust(2_000, black_moves=-1).refused == "negative_moves"
    assert clock.resume(3_000).adjust(4_000, white_add_ms=1).refused == "running"


def test_wrong_setting_is_corrected_before_the_game() -> None:
    clock = Clock.new(FIVE).adjust(0, white_set_ms=240_000).start(10)
    assert clock.next_expiry() == 240_010


def test_only_the_first_of_two_fallen_flags_has_the_sign() -> None:
    tc = parse("W 0:03 B 0:05 on_flag=run_on")
    clock = Clock.new(tc).start(0)
    clock, accepted = clock.press(4_000, "white")
    assert accepted
    clock = clock.advance(9_000)
    assert (clock.white.flag_ms, clock.black.flag_ms, clock.first_flag) == (3_000, 9_000, "white")
    assert clock.next_expiry() is None


def test_counter_set_past_the_control_brings_the_next_period_at_the_next_press() -> None:
    tc = parse("3/10, 5 period_switch=move_counter")
    clock = Clock.new(tc).start(0).pause(0).adjust(0, white_moves=4).resume(0)
    clock, _accepted = clock.press(1_000, "white")
    assert clock.reading(1_000).white_period == 2
    assert clock.reading(1_000).white_ms == 599_000 + 300_000
    clock = clock.pause(1_000).adjust(1_000, white_moves=2).resume(1_000, "white")
    clock, _accepted = clock.press(2_000, "white")
    assert clock.reading(2_000).white_ms == 598_000 + 300_000, "the time of a period is added once"


def test_at_zero_the_late_press_lands_in_the_old_period() -> None:
    tc = parse("3/0:20, 0:10")
    clock = Clock.new(tc).start(0).advance(20_000)
    assert clock.marks == (("white", "period_end", 20_000),)
    clock, accepted = clock.press(19_999, "white")
    assert accepted
    assert clock.marks == ()
    assert clock.reading(19_999).white_period == 1


def test_illegal_move_is_taken_back_and_punished() -> None:
    clock, t = played(BLITZ, [10_000, 20_000, 5_000])
    assert clock.take_back(t).refused == "running"
    clock = clock.pause(t + 4_000)
    paid = clock.take_back(t + 60_000)
    reading = paid.reading(t + 60_000)
    assert (reading.white_ms, reading.black_ms) == (296_000 - 5_000, 286_000)
    assert (reading.white_moves, reading.black_moves, reading.turn) == (1, 1, "white")
    assert paid.take_back(t + 60_000).refused == "no_move"
    paid = paid.adjust(t + 60_000, black_add_ms=60_000).resume(t + 70_000)
    assert paid.running == "white"
    assert paid.reading(t + 71_000).black_ms == 346_000
    assert clock.adjust(t + 4_000, black_add_ms=1).take_back(t + 4_000).refused == "no_move"
    turned = clock.resume(t + 5_000, "white").pause(t + 6_000)
    assert turned.take_back(t + 6_000).refused == "no_move", "the arbiter has set the turn by hand since"


def test_take_back_undoes_the_period_and_the_flag_that_followed_from_the_illegal_move() -> None:
    clock = Clock.new(parse("1/10, 5 d9 period_switch=move_counter")).start(0)
    clock, _accepted = clock.press(1_000, "white")
    assert clock.reading(1_000).white_period == 2
    clock = clock.advance(2_000_000).pause(2_000_000)
    assert clock.first_flag == "black"
    clock = clock.take_back(2_000_000)
    assert clock.first_flag is None
    assert clock.reading(2_000_000).white_period == 1
    assert clock.resume(2_000_000).next_expiry() == 2_000_000 + 599_000


def test_long_sleep_runs_through_all_byo_yomi_periods() -> None:
    clock = Clock.new(parse("1 byo 3x10")).start(0)
    assert clock.next_expiry() == 60_000
    reading = clock.reading(10_000_000)
    assert reading.white_flag_ms == 90_000
    assert reading.first_flag == "white"
    assert [kind for _side, kind, _t in clock.advance(10_000_000).marks] == ["byo_start", "byo_lost", "byo_lost"]


def test_press_before_an_expiry_that_two_timers_have_passed() -> None:
    clock = Clock.new(parse("1 byo 3x10")).start(0).advance(60_000).advance(70_000).advance(90_000)
    assert clock.first_flag == "white"
    clock, accepted = clock.press(59_000, "white")
    assert accepted
    assert clock.reading(59_000).white_ms == 1_000
    assert not clock.reading(59_000).white_in_byo
    assert clock.marks == ()


def test_flagged_side_of_an_hourglass_gains_nothing_any_more() -> None:
    clock = Clock.new(parse("hourglass 0:10 on_flag=run_on")).start(0)
    clock, accepted = clock.press(12_000, "white")
    assert accepted
    reading = clock.reading(15_000)
    assert (reading.white_ms, reading.black_ms) == (0, 17_000)


def test_flag_cleared_in_byo_yomi_gives_one_last_period() -> None:
    clock = Clock.new(parse("1 byo 1x10")).start(0).advance(70_000).pause(70_000)
    clock = clock.adjust(70_000, white_set_ms=5_000, clear_flag=True).resume(80_000)
    assert clock.reading(80_000).white_byo_left == 1
    assert clock.reading(85_000).white_flag_ms == 85_000


def test_power_comes_back_paused_with_everything_kept() -> None:
    clock = Clock.new(parse("conditional_delay 0:15")).start(0)
    clock, _accepted = clock.press(3_000, "white")
    clock = clock.advance(4_500)
    journal = clock.reading(4_500)
    back = Clock.restored(clock.tc, journal, 70)
    assert back.paused
    assert back.reading(1_000_000) == Clock.pause(clock, 4_500).reading(4_500)
    again = back.resume(500)
    assert (again.running, again.next_expiry()) == ("black", 500 + 500 + 15_000)
    assert Clock.restored(clock.tc, Clock.new(clock.tc).reading(0), 9).start(9).running == "white"


def test_bronstein_survives_a_restart_in_mid_move() -> None:
    clock = Clock.new(parse("bronstein 1 d3")).start(0)
    back = Clock.restored(clock.tc, clock.reading(2_000), 50).resume(50)
    back, _accepted = back.press(51, "white")
    assert back.reading(51).white_ms == 63_000


@pytest.mark.parametrize("action", ["start", "pause", "resume", "take_back", "stop"])
def test_refusals_leave_an_equal_clock(action: str) -> None:
    allowed_in = {"start": "ready", "pause": "running", "resume": "paused", "take_back": "", "stop": "running"}
    ready = Clock.new(BLITZ)
    clocks = {"ready": ready, "running": ready.start(0), "paused": ready.start(0).pause(0), "stopped": ready.stop(0)}
    refused = 0
    for phase, clock in clocks.items():
        after: Clock = getattr(clock, action)(0)
        if after.refused is not None:
            refused += 1
            assert after == clock
        assert phase != allowed_in[action] or after.refused is None
    assert refused


# -- identities -------------------------------------------------------------------------------------------------

WAITS = st.lists(st.integers(0, 9_000), max_size=30)


@given(waits=WAITS, inc=st.integers(1, 5_000))
def test_increment_before_is_increment_after_plus_one(waits: list[int], inc: int) -> None:
    periods = (Period(20_000, inc),)
    before, t = played(TimeControl("fischer", periods, periods), waits)
    after, _t = played(TimeControl("fischer", periods, periods, inc_first="after"), waits)
    if after.advance(t).first_flag is None:
        assert before.reading(t).white_ms == after.reading(t).white_ms + inc
        assert before.reading(t).black_ms == after.reading(t).black_ms + inc


@given(waits=WAITS)
def test_zero_increment_is_sudden_death(waits: list[int]) -> None:
    periods = (Period(20_000),)
    readings = []
    modes: tuple[ModeName, ...] = ("fischer", "sudden_death", "bronstein", "simple_delay", "byoyomi")
    for mode in modes:
        clock, t = played(TimeControl(mode, periods, periods), waits)
        readings.append(clock.reading(t + 500))
    assert all(reading == readings[0] for reading in readings)


@given(waits=WAITS, main=st.integers(1, 20_000), other_main=st.integers(1, 20_000))
def test_hourglass_sum_is_constant(waits: list[int], main: int, other_main: int) -> None:
    clock, t = played(TimeControl("hourglass", (Period(main),), (Period(other_main),)), waits)
    for sample in (t, t + 77, t + 100_000):
        reading = clock.reading(sample)
        assert reading.white_ms + reading.black_ms == main + other_main
    assert {clock.reading(t + 100_000).white_ms, clock.reading(t + 100_000).black_ms} == {0, main + other_main}


DELAYS = st.lists(
    st.tuples(st.integers(3_000, 20_000), st.integers(0, 3_000), st.integers(1, 4)), min_size=1, max_size=3
)


@given(waits=WAITS, drawn=DELAYS, counter=st.booleans())
def test_bronstein_is_the_us_delay_shown_with_the_delay(
    waits: list[int], drawn: list[tuple[int, int, int]], counter: bool
) -> None:
    """At every turn start, over several periods, even when the delay changes with the period."""
    last = len(drawn) - 1
    periods = tuple(
        Period(main, delay_ms=delay, moves=None if number == last else moves)
        for number, (main, delay, moves) in enumerate(drawn)
    )
    switch: PeriodSwitch = "move_counter" if counter else "at_zero"
    bronstein = Clock.new(TimeControl("bronstein", periods, periods, period_switch=switch)).start(0)
    american = Clock.new(TimeControl("simple_delay", periods, periods, period_switch=switch)).start(0)
    t = 0
    for wait in waits:
        t += wait
        side = bronstein.turn
        bronstein, accepted = bronstein.press(t, side)
        american, also = american.press(t, side)
        assert accepted == also
        assert bronstein.next_expiry() == american.next_expiry()
        if not accepted:
            break
        for who in (side, other(side)):
            shown, main = bronstein.reading(t), american.reading(t)
            period = shown.white_period if who == "white" else shown.black_period
            assert shown.ms(who) == main.ms(who) + periods[period - 1].delay_ms
    assert bronstein.advance(t + 99_999).marks == american.advance(t + 99_999).marks
    for side in ("white", "black"):
        assert bronstein.reading(t + 99_999).flag_ms(side) == american.reading(t + 99_999).flag_ms(side)


@given(waits=WAITS, samples=st.lists(st.integers(0, 200_000), max_size=8))
def test_looking_at_the_clock_changes_nothing(waits: list[int], samples: list[int]) -> None:
    clock, t = played(BLITZ, waits)
    watched = clock
    for sample in sorted(samples):
        watched = watched.advance(t + sample)
        watched.reading(t + sample)
    assert watched.reading(t + 700_000) == clock.reading(t + 700_000)


@given(waits=WAITS, start=st.integers(0, 2**62))
def test_only_differences_of_stamps_matter(waits: list[int], start: int) -> None:
    first, t = played(BLITZ, waits)
    shifted, moved = played(BLITZ, waits, start)
    for after in (0, 50_000):
        one, two = first.reading(t + after), shifted.reading(moved + after)
        assert (one.white_ms, one.black_ms, one.turn) == (two.white_ms, two.black_ms, two.turn)
