"""A rocker on mock pins: the lever at the start, the middle, bounces, and presses that come from another thread."""

from __future__ import annotations

import queue
import threading
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.clocks.judge import PressJudge
from drivers.clocks.plungers.debounce import Filter
from drivers.clocks.rocker.device import Rocker
from drivers.clocks.rocker.lever import Lever
from drivers.clocks.rocker.simulator import SimulatedRocker
from drivers.interfaces import PressReport, Report
from rules.laws.sides import Side


def test_the_lever_at_the_start() -> None:
    assert Lever.found({"white": False, "black": True}) == Lever("black")
    assert Lever.found({"white": False, "black": False}) == Lever(None)
    assert Lever.found({"white": True, "black": True}) == Lever(None)


@given(st.lists(st.sampled_from(["white", "black"]), max_size=30))
def test_only_a_change_of_sides_counts(lines: list[str]) -> None:
    lever, changes = Lever(), []
    for line in lines:
        lever, changed = lever.pressed(line)
        if changed:
            changes.append(line)
    assert all(a != b for a, b in pairwise(changes))
    assert changes[-1:] == lines[-1:]


def test_two_lines_are_judged_together_in_the_order_of_their_stamps() -> None:
    judge = PressJudge({"white": False, "black": False}, Filter(glitch_us=1_500))
    judge.edge(1_000, "black", True)
    judge.edge(1_200, "white", True)
    assert judge.due == 2_500
    assert judge.at(9_000) == [(1_000, "black"), (1_200, "white")]


@pytest.mark.parametrize("bounces", [0, 5])
def test_tipping_presses_for_the_side_that_goes_down(bounces: int) -> None:
    hands = SimulatedRocker(down="black", transit_s=0.02, bounces=bounces)
    panel = Rocker(pin_factory=hands.pin_factory)
    reports: queue.Queue[Report] = queue.Queue()
    panel.start(reports.put)
    try:
        assert panel.down == "black"
        sides: list[Side] = ["white", "black", "white"]
        for side in sides:
            hand = threading.Thread(target=hands.tip, args=(side,))
            hand.start()
            hand.join()
            report = reports.get(timeout=10)
            assert isinstance(report, PressReport)
            assert report.side == side
            assert panel.down == side
            threading.Event().wait(0.05)  # a hand is not faster than this
        assert reports.empty()
    finally:
        panel.close()
        panel.close()
        hands.close()
