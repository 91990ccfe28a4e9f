"""Every value and every order of 154 made-up events, and of the exercise sheets where they are at hand."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules.interchange.trf import read_trf
from rules.pairing.state import History, RoundRecord, Unplayed
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.edition import EDITIONS
from rules.tiebreaks.event_table import table_of
from rules.tiebreaks.ranking import ranking
from rules.tiebreaks.registry import CODES, Table, compute, parse
from rules.tiebreaks.team import TeamTable

DATA = Path(__file__).resolve().parents[1] / "data" / "tiebreaks" / "reference.json.gz"
SHARED = Path(os.environ.get("HALLKIOSK_SHARED", Path(__file__).resolve().parents[2].parent / "shared"))
EXERCISES = SHARED / "oracle" / "tiebreaks"
exercises = pytest.mark.skipif(not EXERCISES.is_dir(), reason="the exercise sheets are not on this machine")

#: AOB and SSSC have two decimals.
ROUNDED = {"AOB", "SSSC"}


@cache
def references() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(gzip.decompress(DATA.read_bytes()))
    return events


def table(event: Mapping[str, Any]) -> Table:
    report, _adjustments = read_trf(event["trf"].encode(), event["name"])
    return table_of(report)


def scores(table: Table) -> Mapping[int, int]:
    return (table.first if isinstance(table, TeamTable) else table).scores


def values(table: Table, code: str, ids: Sequence[int]) -> list[Fraction | None]:
    """As the reference has them: places among those with the same points for codes of a group."""
    found: dict[int, Fraction | None] = {}
    of = scores(table)
    groups = [[i for i in ids if of[i] == score] for score in set(of.values())]
    for group in groups if parse(code)[0].by_group else [list(ids)]:
        found |= {tpn: value.value for tpn, value in compute(code, table, group).items()}
    return [found[i] for i in ids]


def differences(table: Table, ids: Sequence[int], expected: Mapping[str, Sequence[float | None]]) -> list[str]:
    wrong = []
    for code, row in expected.items():
        tolerance = 0.005 if code.split("/")[0] in ROUNDED else 1e-9
        for tpn, got, want in zip(ids, values(table, code, ids), row, strict=True):
            same = got is None if want is None else got is not None and abs(float(got) - want) <= tolerance
            if not same:
                wrong.append(f"{code} of {tpn}: {got} instead of {want}")
    return wrong


@pytest.mark.parametrize(("family", "events"), [("sw", 49), ("st", 49), ("rr", 28), ("tm", 28)])
def test_every_value_and_every_order_of_the_reference_events(family: str, events: int) -> None:
    chosen = [event for event in references() if event["name"].startswith(family)]
    assert len(chosen) == events
    compared = 0
    for event in chosen:
        crosstable = table(event)
        assert not differences(crosstable, event["ids"], event["values"])[:5], event["name"]
        compared += sum(len(row) for row in event["values"].values())
        for order in event.get("rankings", ()):
            ranks = {place.tpn: place.rank for place in ranking(crosstable, order["list"])}
            assert [ranks[i] for i in event["ids"]] == order["rank"], (event["name"], order["list"])
    assert compared > 4000


def test_both_readings_of_a_round_robins_forfeit_wins() -> None:
    disputed = 0
    for event in references():
        for code, readings in event.get("disputed", {}).items():
            here = table(event)
            assert isinstance(here, Crosstable)
            strict = replace(here, forfeit_wins=True)
            assert values(here, code, event["ids"]) == readings["program_reading"]
            assert values(strict, code, event["ids"]) == readings["rule_15_2_reading"]
            notes = [compute(code, t, [i])[i].reason for t in (here, strict) for i in event["ids"]]
            assert any("not count as" in note for note in notes)
            assert any("here" in note for note in notes)
            disputed += 1
    assert disputed == 38


def test_every_code_is_in_the_reference_or_has_a_test_of_its_own() -> None:
    """A reminder for the next code: no line in the registry without an expectation."""
    seen = {code.partition(":")[0].partition("/")[0] for event in references() for code in event["values"]}
    others = {"GE", "TPN", "RTNG", "MPVGP", "EGMSB", "TBR", "BBE", "EDEBT", "EDEBB", "EDET", "EDEB"}
    assert {code for code in CODES if not code.startswith("OTHER_")} == seen | others


def exercise(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((EXERCISES / f"{name}.json").read_text(encoding="utf-8"))
    if event["file"]:
        event |= {"name": name, "trf": (EXERCISES / event["file"]).read_text(encoding="utf-8")}
    return event


@exercises
@pytest.mark.parametrize("name", ["ex_de9", "ex_rr6", "ex_swiss"])
def test_exercise_sheets_of_the_technical_commission(name: str) -> None:
    event = exercise(name)
    crosstable = table(event)
    assert not differences(crosstable, event["ids"], event["values"])
    before = replace(crosstable, edition=EDITIONS["2023"])  # type: ignore[type-var]
    published = event.get("published_under_2023_edition", {})
    assert not differences(before, event["ids"], {c: v for c, v in published.items() if c.partition("/")[0] in CODES})


KINDS: Mapping[str, Unplayed | None] = {"G": None, "FW": "+", "FL": "-", "PAB": "U", "HPB": "H", "FPB": "F", "ZPB": "Z"}


def team_table(event: Mapping[str, Any], edition: str) -> TeamTable:
    def crosstable(column: int, win: int, draw: int) -> Crosstable:
        histories = tuple(
            History(
                int(team),
                tuple(RoundRecord(row[1] or None, None, KINDS[row[0]], round(2 * row[column])) for row in rounds),
            )
            for team, rounds in event["matches"].items()
        )
        return Crosstable(histories, event["rounds"], win=win, draw=draw, edition=EDITIONS[edition])

    boards = event["boards"]
    return TeamTable(crosstable(2, 4, 2), crosstable(3, 2 * boards, boards), boards)


@exercises
def test_exercise_sheet_of_the_fourteen_teams() -> None:
    event = exercise("ex_team14")
    table = team_table(event, "2026")
    assert not differences(table, event["ids"], event["values"])
    ten = [1, 2, 3, 4, 5]
    places = compute("EDE", table, ten)
    assert sorted(ten, key=lambda team: places[team].value or 0) == event["EDE_10mp_group_order_restart_13_3_3"]
    before = team_table(event, "2023")
    published = dict(event["published_under_2023_edition"])
    staying, one_decimal = published.pop("EDE_10mp_group_order"), published.pop("SSSC_1dp")
    assert not differences(before, event["ids"], published)
    strengths = values(before, "SSSC", event["ids"])
    assert [round(float(v or 0) + 1e-9, 1) for v in strengths] == one_decimal
    places = compute("EDE", before, ten)
    assert sorted(ten, key=lambda team: places[team].value or 0) == staying
