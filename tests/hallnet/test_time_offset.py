"""The offset of two wall clocks, with round trips of any length and any asymmetry."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hallnet.time_offset import SAMPLES, TimeOffset

trip = st.integers(0, 800_000)


def answered(clock: TimeOffset, offset_ms: int, at_us: int, up_us: int, down_us: int) -> None:
    """A question at `at_us`, on its way for `up_us`, answered at once, on its way back for `down_us`."""
    wall = 1_780_000_000_000
    theirs = wall + (at_us + up_us) // 1000 + offset_ms
    back = at_us + up_us + down_us
    clock.answered(at_us, back, wall + back // 1000, theirs, theirs)


@given(st.integers(-10_000_000, 10_000_000), st.lists(st.tuples(trip, trip), min_size=1, max_size=SAMPLES))
def test_the_error_is_at_most_half_of_the_shortest_round_trip(offset: int, trips: list[tuple[int, int]]) -> None:
    clock = TimeOffset()
    for n, (up, down) in enumerate(trips):
        answered(clock, offset, n * 5_000_000, up, down)
    best = min(up + down for up, down in trips)
    assert clock.ms is not None
    assert abs(clock.ms - offset) <= best / 2_000 + 2


def test_a_clock_that_was_set_is_measured_anew() -> None:
    clock = TimeOffset()
    assert clock.ms is None
    for n in range(10):
        answered(clock, 3_600_000, n * 5_000_000, 500, 500)
    answered(clock, 0, 60_000_000, 40_000, 40_000)
    assert clock.ms is not None
    assert abs(clock.ms) < 60
