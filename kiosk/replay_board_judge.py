"""What counts as a pass: each kind of case has its own way to compare what is expected with what was answered.

`found` is what was answered. Every judge raises `CaseError` for an expectation that is not written as it must be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from kiosk.replay_board_case import Json, integer, items, mapping
from rules.laws.observer_alerts import Code

#: An alert may come so much later than an unexplained position is announced.
LATE_MS = 1_000
#: Codes that a case can expect or forbid; nothing here begins a new game by itself.
CODES = frozenset((*get_args(Code), "new_game"))


def equal(case: Mapping[str, Any], found: Json) -> bool:
    """Every expected value is what was answered."""
    return all(found.get(key) == value for key, value in case.get("expect", {}).items())


def moves(case: Mapping[str, Any], found: Json) -> bool:
    """Every value is equal; the alerts are those wanted, in order, and each in its time."""
    wanted = dict(case.get("expect", {}))
    alerts = wanted.pop("alerts", None)
    if alerts is not None:
        due = [mapping(alert, "expect.alerts") for alert in items(alerts, "expect.alerts")]
        allowed = integer(mapping(case.get("policy", {}), "policy"), "illegal_alert_ms", 3_000) + LATE_MS
        raised = found["alerts"]
        if len(due) != len(raised) or not all(map(_alert_fits, due, raised, [allowed] * len(due))):
            return False
    return all(found.get(key) == value for key, value in wanted.items())


def _alert_fits(wanted: Mapping[str, Any], raised: Mapping[str, Any], allowed: int) -> bool:
    """Whether an alert is the wanted one, raised not before its time and not too late."""
    details = {key: value for key, value in wanted.items() if key != "from_t"}
    earliest = integer(wanted, "from_t", raised["from_t"])
    return earliest <= raised["from_t"] <= earliest + allowed and all(
        _value(raised.get(key)) == _value(value) for key, value in details.items()
    )


def _value(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, list) else value


def pins(case: Mapping[str, Any], found: Json) -> bool:
    """As many presses of the same lines, each within the case's tolerance."""
    tolerance = integer(case, "tolerance_us", 0)
    for key, wanted in case.get("expect", {}).items():
        answered = found.get(key, [])
        due = [mapping(press, f"expect.{key}") for press in items(wanted, f"expect.{key}")]
        if len(answered) != len(due):
            return False
        for one, two in zip(due, answered, strict=True):
            late = abs(integer(one, "t_us") - two["t_us"])
            if {**one, "t_us": 0} != {**two, "t_us": 0} or late > tolerance:
                return False
    return True


def clock(case: Mapping[str, Any], found: Json) -> bool:
    """The summary is equal, and so is every reading; after a power cut up to a journal interval may be given back."""
    given_back = 0
    reads = iter(found["reads"])
    for event in case.get("events", []):
        if event.get("e") == "power_loss":
            given_back = integer(case["clock"], "journal_ms", 1_000)
        if event.get("e") != "read":
            continue
        read = next(reads)
        for key, value in event.get("expect", {}).items():
            both = isinstance(value, int) and isinstance(read.get(key), int)
            near = both and key.endswith("_ms") and abs(read[key] - value) <= given_back
            if not near and (key not in read or read[key] != value):
                return False
    return equal(case, found)


def link(case: Mapping[str, Any], found: Json) -> bool:
    """Limits are kept, the rest is equal."""
    expect = case.get("expect", {})
    for key, value in expect.items():
        answered = found.get(key)
        limit = "max" in key.split("_")
        if answered is None or (answered > integer(expect, key) if limit else answered != value):
            return False
    return True


def unknown(case: Mapping[str, Any], found: Json) -> Iterator[str]:
    """What is expected and cannot be judged; a case that expects nothing cannot be, either."""
    wanted = mapping(case.get("expect", {}), "expect")
    reads = [event for event in case.get("events") or () if isinstance(event, Mapping) and event.get("e") == "read"]
    if not wanted and not any(read.get("expect") for read in reads):
        yield "expect"
    yield from (f"expect.{key}" for key in wanted if key not in found)
    if case.get("kind") == "moves":
        alerts = wanted.get("alerts")
        due = [alert.get("code") for alert in alerts if isinstance(alert, Mapping)] if isinstance(alerts, list) else []
        named = map(str, [*due, *items(wanted.get("never", []), "expect.never")])
        yield from (code for code in named if code not in CODES)
    for read, answered in zip(reads, found.get("reads", ()), strict=False):
        yield from (f"read.{key}" for key in mapping(read.get("expect", {}), "read.expect") if key not in answered)
