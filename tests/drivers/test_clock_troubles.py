"""Plungers that stay down, both down at once, and the arbiter's key: tapped, held, bouncing."""

from __future__ import annotations

import queue
from collections.abc import Iterable

from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from drivers.clocks.arbiter_key import HELD_US, KEY_PIN, ArbiterKey, KeyWatch, Touch
from drivers.clocks.plungers.device import Plungers
from drivers.clocks.plungers.simulator import SimulatedPlungers
from drivers.clocks.watch import BOTH_US, NOISY, QUIET_US, STUCK_US, ContactWatch, Trouble
from drivers.interfaces import FaultReport, KeyReport, PressReport, Report


def told(edges: Iterable[tuple[int, str, bool]], end: int, stuck_us: int | None = STUCK_US) -> list[Trouble]:
    """What the watch tells about these edges until `end`."""
    watch, found = ContactWatch(stuck_us), []
    for t, line, closed in edges:
        while watch.due is not None and watch.due < t:
            watch, new = watch.at(watch.due)
            found += new
        watch, new = watch.edge(t, line, closed)
        found += new
    while watch.due is not None and watch.due <= end:
        watch, new = watch.at(watch.due)
        found += new
    return found


def test_a_plunger_that_stays_down_is_told_once_and_once_when_it_is_free() -> None:
    up = STUCK_US + 5_000_000
    assert told([(0, "white", True), (up, "white", False)], 10**9) == [
        Trouble(STUCK_US, "stuck", "white"),
        Trouble(up, "stuck", "white", over=True),
    ]


def test_a_blitz_player_may_hold_it_for_seconds() -> None:
    assert told([(0, "white", True), (8_000_000, "white", False)], 10**9) == []


def test_both_down_is_a_trouble_of_its_own_and_a_rocker_is_never_stuck() -> None:
    edges = [(0, "white", True), (1_000, "black", True), (9_000_000, "black", False)]
    assert told(edges, 10**9, stuck_us=None) == [
        Trouble(1_000 + BOTH_US, "both-down", ""),
        Trouble(9_000_000, "both-down", "", over=True),
    ]


def test_a_loose_cable_is_told_once_and_once_when_it_is_quiet() -> None:
    noise = [(n * 1_000, "black", n % 2 == 0) for n in range(3_000)]
    assert told(noise, 10**9) == [
        Trouble((NOISY - 1) * 1_000, "noisy", "black"),
        Trouble(2_999_000 + QUIET_US, "noisy", "black", over=True),
    ]
    blitz = [(n * 5_000, "white", n % 2 == 0) for n in range(2_000)]  # worse than any button bounces
    assert told(blitz, 10**9) == []


@given(st.lists(st.tuples(st.integers(1, 30_000_000), st.sampled_from(["white", "black"]), st.booleans()), max_size=40))
def test_every_trouble_begins_before_it_ends(steps: list[tuple[int, str, bool]]) -> None:
    t, edges = 0, []
    for gap, line, closed in steps:
        t += gap
        edges.append((t, line, closed))
    open_troubles: set[tuple[str, str]] = set()
    for trouble in told(edges, 10**12):
        key = (trouble.fault, trouble.line)
        assert (key in open_troubles) == trouble.over
        open_troubles ^= {key}


def touches(edges: list[tuple[int, bool]], end: int = 10**9) -> list[Touch]:
    """What the key tells about these edges."""
    key, found = KeyWatch(), []
    for t, closed in edges:
        while key.due is not None and key.due < t:
            key, new = key.at(key.due)
            found += new
        key, new = key.edge(t, "key", closed)
        found += new
    while key.due is not None and key.due <= end:
        key, new = key.at(key.due)
        found += new
    return found


def test_a_tap_a_hold_and_a_spike() -> None:
    assert touches([(0, True), (150_000, False)]) == [Touch(0, False)]
    assert touches([(0, True), (5_000_000, False)]) == [Touch(0, True)]
    assert touches([(0, True), (700, False)]) == []


def test_bounces_make_neither_two_taps_nor_break_a_hold() -> None:
    burst = [(0, True), (2_000, False), (3_000, True), (8_000, False), (9_000, True)]
    assert touches([*burst, (150_000, False), (152_000, True), (153_000, False)]) == [Touch(0, False)]
    assert touches([*burst, (4_000_000, False), (4_002_000, True), (4_003_000, False)]) == [Touch(0, True)]


@given(st.lists(st.tuples(st.integers(1, 3_000_000), st.booleans()), max_size=40))
def test_a_touch_is_long_exactly_if_it_was_held(steps: list[tuple[int, bool]]) -> None:
    t, edges = 0, []
    for gap, closed in steps:
        t += gap
        edges.append((t, closed))
    found = touches(edges)
    assert [touch.t for touch in found] == sorted({touch.t for touch in found})
    for touch in found:
        opened = next((at for at, closed in edges if at > touch.t and not closed), 10**10)
        if touch.long:
            assert any(at >= touch.t + HELD_US for at, closed in edges if not closed) or opened > touch.t
        else:
            assert opened < touch.t + HELD_US


def test_the_key_on_mock_pins_is_tapped_and_held() -> None:
    factory = MockFactory()
    key = ArbiterKey(pin_factory=factory, speed=20.0)
    reports: queue.Queue[Report] = queue.Queue()
    key.start(reports.put)
    pin = factory.pin(KEY_PIN)
    try:
        pin.drive_low()
        pin_down = reports.get(timeout=10)  # nobody lets go: at this speed it is long after 75 ms
        assert isinstance(pin_down, KeyReport)
        assert pin_down.long
        pin.drive_high()
        assert reports.empty()
    finally:
        key.close()
        key.close()
        factory.close()


class _Impatient(Plungers):
    stuck_us = 100_000


def test_a_stuck_plunger_is_reported_through_the_device_after_real_time() -> None:
    pins = SimulatedPlungers()
    panel = _Impatient(pin_factory=pins.pin_factory, speed=200.0)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    try:
        pins.push("white")
        assert isinstance(reports.get(timeout=10), PressReport)
        stuck = reports.get(timeout=10)
        assert isinstance(stuck, FaultReport)
        assert (stuck.fault, stuck.side, stuck.over) == ("stuck", "white", False)
        pins.release("white")
        free = reports.get(timeout=10)
        assert isinstance(free, FaultReport)
        assert (free.fault, free.side, free.over) == ("stuck", "white", True)
    finally:
        panel.close()
        pins.close()
