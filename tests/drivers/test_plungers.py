"""Two plungers: bounce, spikes, and the gpiozero device on mock pins."""

from __future__ import annotations

import queue
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from drivers.clocks.plungers.debounce import GLITCH_US, LOCKOUT_US, RELEASE_US, Debounce, Filter
from drivers.clocks.plungers.device import Plungers
from drivers.clocks.plungers.simulator import SimulatedPlungers
from drivers.interfaces import PressReport, Report, boot_us


def presses(edges: list[tuple[int, bool]], end: int = 10_000_000, held: bool = False) -> list[int]:
    """Stamps of the presses that these edges (µs, closed) make; the plunger may be `held` down at the start."""
    line, out = Debounce.found(held, Filter()), []
    for t, closed in edges:
        line, press = line.edge(t, closed)
        out.append(press)
        due = line.due
        if due is not None and not any(t < later <= due for later, _ in edges):
            line, press = line.at(due)
            out.append(press)
    out.append(line.at(end)[1])
    return [p for p in out if p is not None]


def test_bounce_on_both_ends_is_one_press_at_its_first_edge() -> None:
    burst = [(0, True), (800, False), (1100, True), (1900, False), (2100, True)]
    release = [(180_000, False), (180_700, True), (181_300, False)]
    assert presses(burst + release) == [0]


def test_a_short_tap_does_not_block_the_next_press() -> None:
    assert presses([(0, True), (20_000, False), (5_000_000, True), (5_150_000, False)]) == [0, 5_000_000]


def test_a_spike_is_no_press() -> None:
    assert presses([(0, True), (500, False), (900_000, True), (1_000_000, False)]) == [900_000]


def test_a_plunger_held_for_seconds_presses_once() -> None:
    assert presses([(0, True), (5_000_000, False), (5_100_000, True)]) == [0, 5_100_000]


def test_a_plunger_held_down_at_the_start_presses_after_it_was_released() -> None:
    release = [(3_000_000, False), (3_002_000, True), (3_004_000, False)]
    assert presses(release, held=True) == []
    assert presses([*release, (4_000_000, True)], held=True) == [4_000_000]


def test_every_closing_edge_of_a_burst_is_judged_by_itself() -> None:
    # The contact is open 1.5 ms after the first edge, and closed 1.5 ms after the second.
    assert presses([(0, True), (800, False), (1_100, True), (1_400, False), (1_900, True), (90_000, False)]) == [1_100]


def by_the_letter(edges: list[tuple[int, bool]]) -> list[int]:
    """The rule in words, edge by edge, for edges that take turns: closed, open, closed, …"""

    def closed_at(t: int) -> bool:
        return next((closed for at, closed in reversed(edges) if at < t), False)

    def armed(t: int, press: int) -> bool:
        opened = [at for at, closed in edges if not closed and press < at < t]
        for at in opened:
            until = next((later for later, closed in edges if closed and later > at), t)
            if min(until, t) >= max(at + RELEASE_US, press + LOCKOUT_US):
                return True
        return False

    found: list[int] = []
    for t, closed in edges:
        if closed and (not found or armed(t, found[-1])) and closed_at(t + GLITCH_US):
            found.append(t)
    return found


@given(st.lists(st.one_of(st.integers(1, 3_000), st.integers(1, 60_000)), max_size=60))
def test_the_filter_does_what_the_rule_says(gaps: list[int]) -> None:
    t, edges = 0, []
    for number, gap in enumerate(gaps):
        t += gap
        edges.append((t, number % 2 == 0))
    assert presses(edges, t + 10_000_000) == by_the_letter(edges)


@given(st.lists(st.tuples(st.integers(1, 200_000), st.booleans()), max_size=60))
def test_presses_keep_their_distance_and_start_on_a_closing_edge(steps: list[tuple[int, bool]]) -> None:
    t, edges = 0, []
    for gap, closed in steps:
        t += gap
        edges.append((t, closed))
    found = presses(edges, t + 10_000_000)
    assert all(b - a >= min(LOCKOUT_US, RELEASE_US) for a, b in pairwise(found))
    assert set(found) <= {at for at, closed in edges if closed}


def test_a_push_on_mock_pins_is_reported_with_the_stamp_of_its_edge() -> None:
    pins = SimulatedPlungers()
    panel = Plungers(pin_factory=pins.pin_factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    try:
        before = boot_us() // 1000
        pins.push("black")
        after = boot_us() // 1000
        report = reports.get(timeout=10)
        assert isinstance(report, PressReport)
        assert report.side == "black"
        assert before - 1 <= report.boot_ms <= after
        pins.release("black")
    finally:
        panel.close()
        panel.close()
        pins.close()
