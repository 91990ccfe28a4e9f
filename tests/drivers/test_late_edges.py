"""The time of a press is the stamp of its first edge, however late and in whatever order the edges are delivered."""

from __future__ import annotations

import multiprocessing
import os
import queue
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.clocks.judge import PressJudge
from drivers.clocks.plungers.debounce import Filter
from drivers.clocks.plungers.device import BLACK_PIN, WHITE_PIN, Plungers
from drivers.interfaces import FaultReport, PressReport, Report
from drivers.pins.factory import LinePinFactory
from drivers.pins.lines import EVENT_BUFFER
from drivers.pins.simulator import SimulatedGpio
from rules.laws.sides import SIDES, Side
from tests.drivers.late import LateFactory

PINS: dict[Side, int] = {"white": WHITE_PIN, "black": BLACK_PIN}


def _burn(until: float) -> None:
    while time.monotonic() < until:
        sum(range(10_000))


@contextmanager
def full_load(seconds: float) -> Iterator[None]:
    """Every core is busy."""
    context = multiprocessing.get_context("spawn")
    until = time.monotonic() + seconds
    burners = [context.Process(target=_burn, args=(until,), daemon=True) for _core in range(os.cpu_count() or 1)]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.terminate()
            burner.join()


def burst(dice: random.Random, pin: int) -> list[tuple[int, int, bool]]:
    """A contact closes with up to three bounces: (µs, pin, high)."""
    edges, t = [(0, pin, False)], 0
    for _bounce in range(dice.randrange(4)):
        t += dice.randrange(1, 240)
        edges.append((t, pin, True))
        t += dice.randrange(1, 240)
        edges.append((t, pin, False))
    return edges


def presses(reports: queue.Queue[Report]) -> list[tuple[int, str]]:
    """What was reported as presses."""
    found: list[tuple[int, str]] = []
    while not reports.empty():
        report = reports.get()
        if isinstance(report, PressReport):
            found.append((report.boot_ms, report.side))
    return found


def settle(reports: queue.Queue[Report], count: int) -> None:
    """Waits until so many presses are there, and a little longer for those that should not be."""
    end = time.monotonic() + 20
    while reports.qsize() < count and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.1)


def test_edges_up_to_half_a_second_late_and_out_of_order_under_full_load_make_no_error() -> None:
    factory = LateFactory(500_000, seed=6)
    panel = Plungers(pin_factory=factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    dice, wanted = random.Random(1), []
    try:
        with full_load(30):
            for number in range(40):
                side = SIDES[number % 2]
                wanted.append((factory.happen(*burst(dice, PINS[side])) // 1000, side))
                time.sleep(dice.uniform(0.004, 0.03))
                if dice.random() < 0.3:  # a spike on the other line meanwhile
                    other = PINS[SIDES[1 - number % 2]]
                    factory.happen((0, other, False), (dice.randrange(1, 1_500), other, True))
                factory.happen((0, PINS[side], True))
                time.sleep(dice.uniform(0.04, 0.06))
            factory.finish()
            settle(reports, len(wanted))
        assert presses(reports) == wanted  # every stamp to the ms it was stamped in, in order, none more
    finally:
        panel.close()
        factory.end()


def test_a_reading_thread_that_gets_no_time_makes_no_error() -> None:
    gpio = SimulatedGpio(slow_s=0.5, seed=6)
    factory = LinePinFactory("simulated", gpio.open)
    panel = Plungers(pin_factory=factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    offset, dice, wanted = factory.reader._time.offset.ns, random.Random(2), []
    try:
        for number in range(16):
            side = SIDES[number % 2]
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            wanted.append(((now + offset) // 1_000_000, side))
            for after_us, pin, high in burst(dice, PINS[side]):
                gpio.drive(pin, high, now + after_us * 1000)
            time.sleep(dice.uniform(0.01, 0.06))
            gpio.drive(PINS[side], True)
            time.sleep(dice.uniform(0.03, 0.06))
        settle(reports, len(wanted))
        assert presses(reports) == wanted
    finally:
        panel.close()
        factory.close()


def test_edges_that_nobody_read_in_time_are_reported() -> None:
    gpio = SimulatedGpio()
    factory = LinePinFactory("simulated", gpio.open)
    panel = Plungers(pin_factory=factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    try:
        with factory.reader.lock:
            for _push in range(EVENT_BUFFER):
                gpio.drive(WHITE_PIN, False)
                gpio.drive(WHITE_PIN, True)
        while not isinstance(report := reports.get(timeout=10), FaultReport):
            pass
        while report.fault == "noisy":
            following = reports.get(timeout=10)
            assert isinstance(following, FaultReport)
            report = following
        assert (report.fault, report.count) == ("edges-lost", EVENT_BUFFER)
    finally:
        panel.close()
        factory.close()


def test_a_storm_of_edges_leaves_the_processor_to_others_and_is_told_once() -> None:
    gpio = SimulatedGpio()
    factory = LinePinFactory("simulated", gpio.open)
    panel = Plungers(pin_factory=factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    end = time.monotonic() + 2.0
    edges = 0
    try:
        while time.monotonic() < end:
            for _edge in range(200):
                gpio.drive(WHITE_PIN, edges % 2 == 1)
                edges += 1
            time.sleep(0.002)
        stamp = gpio.drive(BLACK_PIN, False)  # and the other side can still press
        wanted = (stamp + factory.reader._time.offset.ns) // 1_000_000
        found: list[Report] = []
        while not any(isinstance(report, PressReport) and report.side == "black" for report in found):
            found.append(reports.get(timeout=10))
        assert PressReport(wanted, "black") in found
        told = [report.fault for report in found if isinstance(report, FaultReport)]
        assert set(told) <= {"noisy", "edges-lost"}
        assert len(told) <= 2
        assert "noisy" in told
    finally:
        panel.close()
        factory.close()


# -- the judge alone --------------------------------------------------------------------------------------------------

Lines = list[tuple[int, str, bool]]


@st.composite
def pushes(draw: st.DrawFn) -> tuple[Lines, list[tuple[int, str]]]:
    """Edges of both plungers with bounces and spikes, and the presses that they mean."""
    edges: Lines = []
    wanted = []
    for line in ("white", "black"):
        t = draw(st.integers(0, 100_000))
        for _push in range(draw(st.integers(0, 6))):
            if draw(st.booleans()):  # a spike
                edges += [(t, line, True), (t + draw(st.integers(1, 1_400)), line, False)]
                t += draw(st.integers(20_000, 60_000))
                continue
            wanted.append((t, line))
            edges.append((t, line, True))
            at = t
            for _bounce in range(draw(st.integers(0, 3))):
                at += draw(st.integers(1, 200))
                edges.append((at, line, False))
                at += draw(st.integers(1, 200))
                edges.append((at, line, True))
            at = t + draw(st.integers(5_000, 200_000))
            edges.append((at, line, False))
            t = max(at + 15_000, t + 40_000) + draw(st.integers(1, 300_000))
    return sorted(edges), sorted(wanted)


@given(pushes(), st.randoms(use_true_random=False))
def test_the_order_of_delivery_means_nothing_within_what_is_known(
    story: tuple[Lines, list[tuple[int, str]]], dice: random.Random
) -> None:
    edges, wanted = story
    judge = PressJudge({"white": False, "black": False})
    coming = sorted((t + dice.randrange(500_000), (t, line, closed)) for t, line, closed in edges)
    found = []
    for index, (now, edge) in enumerate(coming):
        judge.add(*edge)
        known = min([now, *(later[0] - 1 for _due, later in coming[index + 1 :])])
        found += judge.until(known)
    found += judge.until(10_000_000)
    assert found == wanted
    assert judge.late == 0


@given(pushes())
def test_judging_often_or_once_gives_the_same(story: tuple[Lines, list[tuple[int, str]]]) -> None:
    edges, wanted = story
    once = PressJudge({"white": False, "black": False})
    for edge in edges:
        once.add(*edge)
    assert once.until(10_000_000) == wanted


def test_an_edge_from_before_what_was_judged_is_judged_where_it_belongs() -> None:
    judge = PressJudge({"white": False, "black": False})
    judge.add(60_000, "white", False)
    assert judge.until(100_000) == []
    judge.add(0, "white", True)  # its press came late
    assert judge.until(110_000) == [(0, "white")]
    judge.add(200_000, "white", True)
    assert judge.until(300_000) == [(200_000, "white")]  # and the next one is not lost
    judge.add(199_000, "white", True)  # an earlier edge of a press that was told: not told again
    assert judge.until(310_000) == []
    assert judge.late == 2


@pytest.mark.parametrize("line", ["white", "black"])
def test_both_at_once_are_two_presses_in_their_order(line: str) -> None:
    other = "white" if line == "black" else "black"
    judge = PressJudge({"white": False, "black": False}, Filter())
    judge.add(1_001, other, True)
    judge.add(1_000, line, True)
    assert judge.until(2_600) == [(1_000, line), (1_001, other)]
