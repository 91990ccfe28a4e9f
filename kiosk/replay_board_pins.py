"""Board cases of the kind `gpio`: raw edges, judged by the debounce of the drivers."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext as _
from typing import Any

from drivers.clocks.judge import PressJudge
from drivers.clocks.plungers.debounce import GLITCH_US, LOCKOUT_US, RELEASE_US, Filter
from drivers.clocks.rocker.lever import Lever
from kiosk.replay_board_case import CaseError, Json, integer, items, mapping, text


def answer(case: Mapping[str, Any]) -> Json:
    """Plays the edges; the answer has `presses`, or `lever` for a rocker. Steps of the wall clock play no part."""
    policy = mapping(case.get("policy", {}), "policy")
    edges = sorted(
        (mapping(edge, "edge") for edge in items(case.get("edges"), "edges")), key=lambda edge: integer(edge, "t_us")
    )  # an edge has the time of its stamp, whenever it came
    low_is_closed = bool(policy.get("active_low", True))
    rule = Filter(
        integer(policy, "glitch_us", GLITCH_US),
        integer(policy, "lockout_ms", LOCKOUT_US // 1000) * 1000,
        integer(policy, "release_ms", RELEASE_US // 1000) * 1000,
    )
    judge = PressJudge(_at_first(edges, low_is_closed), rule)
    presses: list[tuple[int, str]] = []
    for edge in edges:
        t, level = integer(edge, "t_us"), integer(edge, "level")
        if level not in (0, 1):
            raise CaseError(_("level is {level}; write 0 or 1").format(level=level), edge)
        presses += _until(judge, t)
        presses += judge.edge(t, text(edge, "line"), (level == 0) == low_is_closed)
    while (due := judge.due) is not None:
        presses += judge.at(due)
    presses.sort()
    if policy.get("mode") != "lever":
        return {"presses": [{"t_us": t, "line": line} for t, line in presses]}
    lever, positions = Lever(), []
    for t, line in presses:
        lever, changed = lever.pressed(line)
        if changed:
            positions.append({"t_us": t, "pos": line})
    return {"lever": positions}


def _at_first(edges: list[Mapping[str, Any]], low_is_closed: bool) -> dict[str, bool]:
    """Line → whether its contact was closed before its first edge, which is a change."""
    return {text(edge, "line"): (integer(edge, "level") == 0) != low_is_closed for edge in reversed(edges)}


def _until(judge: PressJudge, t: int) -> list[tuple[int, str]]:
    """The presses that become certain before `t`."""
    presses = []
    while (due := judge.due) is not None and due < t:
        presses += judge.at(due)
    return presses
