"""Every moves case again: with the colours exchanged, on a turned board, later in the day, on an occupancy board."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import chess
import pytest

from kiosk.replay_board import replay

FOLDER = Path(__file__).parents[1] / "data" / "board"
Case = dict[str, Any]
CASES: dict[str, Case] = {
    path.stem: case for path in sorted(FOLDER.glob("0*.json")) if (case := json.loads(path.read_text("utf-8")))
}
#: Cases whose first position nobody knows, or in which White's first move decides something.
KNOWN = {name: case for name, case in CASES.items() if case["start_fen"] is not None}


def squares_changed(case: Case, change: dict[str, str]) -> None:
    for event in case["events"]:
        if "sq" in event:
            event["sq"] = change[event["sq"]]


def mirrored(original: Case) -> Case:
    """Black plays White's part: ranks are reversed and colours exchanged everywhere."""
    case = copy.deepcopy(original)
    mirror = {name: chess.square_name(chess.square_mirror(square)) for square, name in enumerate(chess.SQUARE_NAMES)}
    sides = {"white": "black", "black": "white"}
    case["start_fen"] = chess.Board(case["start_fen"]).mirror().fen()
    squares_changed(case, mirror)
    for event in case["events"]:
        for key in ("p", "truth"):
            if event.get(key):
                event[key] = event[key].swapcase()
        if "side" in event:
            event["side"] = sides[event["side"]]
        if "board" in event:
            event["board"] = chess.BaseBoard(event["board"]).mirror().board_fen()
    expect = case["expect"]
    board = chess.Board(case["start_fen"])
    expect["uci"] = [mirror[uci[:2]] + mirror[uci[2:4]] + uci[4:] for uci in expect["uci"]]
    expect["moves"] = [board.san_and_push(chess.Move.from_uci(uci)) for uci in expect["uci"]]
    expect["final_fen"] = board.fen()
    swapped = {"1-0": "0-1", "0-1": "1-0"}
    expect["result"] = swapped.get(expect["result"], expect["result"])
    for alert in expect["alerts"]:
        if "sq" in alert:
            alert["sq"] = [mirror[square] for square in alert["sq"]]
        if "side" in alert:
            alert["side"] = sides[alert["side"]]
        if "result" in alert:
            alert["result"] = swapped.get(alert["result"], alert["result"])
    return case


def turned(original: Case) -> Case:
    """The same game on a board that lies the other way round, as the table was told."""
    case = copy.deepcopy(original)
    squares_changed(case, {name: chess.SQUARE_NAMES[63 - square] for square, name in enumerate(chess.SQUARE_NAMES)})
    for event in case["events"]:
        if "board" in event:
            event["board"] = "/".join(rank[::-1] for rank in reversed(event["board"].split("/")))
    case["orientation"], case["truth_rotated"] = "rotated", True
    return case


def later(original: Case, ms: int) -> Case:
    case = copy.deepcopy(original)
    for event in case["events"]:
        event["t"] += ms
    for alert in case["expect"]["alerts"]:
        alert["from_t"] += ms
    return case


#: Centre squares change their colour with the mirror, and the start array is White to move only.
MIRRORS = [
    name
    for name, case in KNOWN.items()
    if case["start_fen"] != chess.STARTING_FEN and not case.get("truth_rotated") and name != "054-start-array-mid-game"
]
GESTURES = ("021-", "023-", "024-")


@pytest.mark.parametrize("name", MIRRORS)
def test_with_colours_exchanged(name: str) -> None:
    case = mirrored(KNOWN[name])
    if name.startswith(GESTURES) and case["expect"]["result"] != "1/2-1/2":
        # e4 and d5 become e5 and d4: dark squares, so the result is exchanged with the colours.
        assert case["expect"]["result"] == "0-1"
    answer = replay(case)
    assert answer["pass"], answer


@pytest.mark.parametrize("name", [name for name, case in KNOWN.items() if case["orientation"] == "normal"])
def test_on_a_board_that_lies_the_other_way_round(name: str) -> None:
    answer = replay(turned(KNOWN[name]))
    assert answer["pass"], answer


@pytest.mark.parametrize("name", CASES)
def test_later_in_the_day(name: str) -> None:
    answer = replay(later(CASES[name], 86_400_000))
    assert answer["pass"], answer


#: On an occupancy board these are something else: a pawn that stays is a promotion, any 32 pieces a start array, and
#: a king on g1 with the rook from h1 on e1 is a rook on g1. Promotions are asked for.
OTHERWISE = ("048-", "054-", "035-", "043-", "045-")
SEEN_BY_BOTH = [
    name for name, case in KNOWN.items() if case["sensor"] == "identified" and not name.startswith(OTHERWISE)
]


@pytest.mark.parametrize("name", SEEN_BY_BOTH)
def test_an_occupancy_board_records_the_same_moves(name: str) -> None:
    case = copy.deepcopy(KNOWN[name])
    case["sensor"] = "occupancy"
    for event in case["events"]:
        if event["e"] == "place":
            event["truth"] = event.pop("p")
        if event["e"] == "snapshot":
            event["occ"] = f"{chess.BaseBoard(event['board']).occupied:016x}"
            event["truth_board"] = event.pop("board")
    if case["orientation"] == "unknown":
        case["orientation"] = "rotated"  # the start array looks the same either way
        case["expect"]["alerts"] = []
    answer = replay(case)
    assert answer["expect"]["uci"] == KNOWN[name]["expect"]["uci"]
    assert answer["expect"]["never"] == KNOWN[name]["expect"]["never"]
    assert [alert["code"] for alert in answer["expect"]["alerts"]] == [
        alert["code"] for alert in case["expect"]["alerts"]
    ]
