"""The clock against the recorded vectors: 75 games with the state after each event, and 75 display texts."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kiosk.replay_clock import ReplayError, replay, run
from rules.laws.clock_display import clk, display
from rules.laws.time_control import TimeControlError

FILE = Path(__file__).parents[1] / "data" / "clock_vectors.json"
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
VECTORS: list[dict[str, Any]] = DOCUMENT["vectors"]


@pytest.mark.parametrize("case", VECTORS, ids=[case["id"] for case in VECTORS])
def test_vector(case: dict[str, Any]) -> None:
    unasked = {"id": case["id"], "control": case["control"], "events": case["events"]}
    [answer] = replay(unasked)
    assert answer["expect"] == case["expect"]
    assert answer["flags"] == case["flags"]
    assert answer["first_flag"] == case["first_flag"]
    assert answer["marks"] == case.get("marks", [])


@pytest.mark.parametrize("case", DOCUMENT["display"], ids=lambda case: f"{case['ms']}-{case['tenths_below_ms']}")
def test_display(case: dict[str, Any]) -> None:
    assert display(case["ms"], case["tenths_below_ms"]) == case["text"]


def test_whole_file_passes_in_order() -> None:
    answers, passed = run(FILE)
    assert passed
    assert [answer["id"] for answer in answers[: len(VECTORS)]] == [case["id"] for case in VECTORS]
    assert len(answers) == len(VECTORS) + len(DOCUMENT["display"])


def test_compressed_file_is_read_as_it_is(tmp_path: Path) -> None:
    packed = tmp_path / "vectors.json.gz"
    packed.write_bytes(gzip.compress(FILE.read_bytes()))
    assert run(packed) == run(FILE)


@pytest.mark.parametrize("key", ["white_ms", "accepted", "running", "black_moves"])
def test_wrong_expectation_fails_that_case_only(key: str) -> None:
    cases = copy.deepcopy(VECTORS[:3])
    cases[1]["expect"][-1][key] = "wrong"
    assert [answer["pass"] for answer in replay(cases)] == [True, False, True]


@pytest.mark.parametrize(("key", "wrong"), [("first_flag", "black"), ("flags", {}), ("marks", [])])
def test_wrong_summary_fails(key: str, wrong: object) -> None:
    [case] = [copy.deepcopy(case) for case in VECTORS if case["id"] == "mp-07"]
    case[key] = wrong
    assert [answer["pass"] for answer in replay(case)] == [False]


def test_wrong_display_text_fails() -> None:
    assert replay([{"ms": 1, "text": "0:00"}, {"ms": 1, "text": "0:01"}]) == [
        {"id": "case-1", "ms": 1, "tenths_below_ms": 0, "pass": False, "expect": "0:01"},
        {"id": "case-2", "ms": 1, "tenths_below_ms": 0, "pass": True, "expect": "0:01"},
    ]


def test_stop_ends_the_game_before_the_flag() -> None:
    control = {"mode": "sudden_death", "white": [{"main_ms": 10}], "black": [{"main_ms": 10}]}
    events = [{"t": 0, "type": "start"}, {"t": 9, "type": "stop"}, {"t": 50, "type": "sample"}]
    [answer] = replay({"control": control, "events": events})
    assert answer["first_flag"] is None
    assert answer["expect"][-1]["white_ms"] == 1
    assert answer["expect"][-1]["running"] is None


CONTROL = {"mode": "sudden_death", "white": [{"main_ms": 10}], "black": [{"main_ms": 10}]}
BAD: list[tuple[object, str]] = [
    ({}, "no case"),
    ("5+3", "not an object"),
    ([7], "Case 1"),
    ({"events": []}, "no control"),
    ({"control": CONTROL}, "events is missing"),
    ({"id": "x", "control": CONTROL, "events": [{"t": 0, "type": "stratr"}]}, "Case x: event 1: its type 'stratr'"),
    ({"control": CONTROL, "events": [{"t": "0", "type": "start"}]}, "t is '0'"),
    ({"control": CONTROL, "events": [{"t": 0, "type": "press"}]}, "white or black"),
    ({"control": CONTROL, "events": [{"t": 0, "type": "adjust", "white_add": 1}]}, "unknown field white_add"),
    ({"control": CONTROL, "events": [3]}, "event 1: it is not an object"),
    ({"control": CONTROL | {"mode": "chess"}, "events": []}, "'chess' is no value of mode"),
    ({"control": CONTROL | {"white": [{"inc_ms": 3}]}, "events": []}, "no main_ms"),
    ({"control": CONTROL | {"white": []}, "events": []}, "no period"),
    ({"control": CONTROL | {"initial_delay": "no"}, "events": []}, "neither true nor false"),
    ({"control": {"white": [{"main_ms": 10}]}, "events": []}, "no mode"),
    ({"ms": 1.5}, "ms is 1.5"),
]


@pytest.mark.parametrize(("document", "message"), BAD, ids=[message for _document, message in BAD])
def test_bad_document_is_refused_with_a_sentence(document: object, message: str) -> None:
    with pytest.raises(ReplayError) as caught:
        replay(document)
    assert message in str(caught.value)
    assert not isinstance(caught.value, TimeControlError)


def test_file_that_is_no_json_names_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "events.json"
    file.write_text('{"control":\n  oops}', "utf-8")
    with pytest.raises(ReplayError, match="line 2, column 3"):
        run(file)
    with pytest.raises(ReplayError, match="cannot be read"):
        run(tmp_path / "missing.json")
    file.write_bytes(b"\x1f\x8b not gzip at all")
    with pytest.raises(ReplayError, match="cannot be read"):
        run(file)


def test_clk_truncates_where_the_display_rounds_up() -> None:
    assert (display(59_999), clk(59_999), clk(59_999, decimals=True)) == ("1:00", "0:00:59", "0:00:59.999")
    assert clk(3_723_004) == "1:02:03"
    assert clk(0) == "0:00:00"
