"""`replay board`: every case of the folder passes, and a wrong expectation does not."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kiosk.replay_board import ReplayError, replay, run
from kiosk.replay_board_case import CaseError

FOLDER = Path(__file__).parents[1] / "data" / "board"
FILES = sorted(FOLDER.glob("*.json"))
CASES: dict[str, dict[str, Any]] = {path.stem: json.loads(path.read_text("utf-8")) for path in FILES}


def test_the_folder_has_every_kind() -> None:
    kinds = [case["kind"] for case in CASES.values()]
    assert {kind: kinds.count(kind) for kind in kinds} == {"moves": 49, "wire": 12, "gpio": 5, "clock": 9, "link": 3}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    answer = replay(CASES[name])
    assert answer["pass"], answer
    assert answer["expect"].keys() == CASES[name]["expect"].keys()


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_not_look_at_what_is_expected(name: str) -> None:
    """Without its `expect` a case is answered the same."""
    case = {key: value for key, value in CASES[name].items() if key != "expect"}
    blind, seeing = replay(case), replay(CASES[name])
    seen_only = {"never", "never_sent_hex"}
    for key, value in seeing["expect"].items():
        if key not in seen_only:
            assert blind["expect"][key] == value


def test_files_are_answered_in_order_and_compressed_ones_as_they_are(tmp_path: Path) -> None:
    packed = tmp_path / "case.json.gz"
    packed.write_bytes(gzip.compress(FILES[3].read_bytes()))
    answers, passed = run([*FILES[:3], packed])
    assert passed
    assert [answer["id"] for answer in answers] == [path.stem for path in FILES[:4]]


def test_a_list_of_cases_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(list(CASES.values())[:5]), "utf-8")
    answers, passed = run([file])
    assert passed
    assert len(answers) == 5


WRONG = [
    ("001-slide-pawn-two-squares", ("expect", "moves"), ["e3"]),
    ("001-slide-pawn-two-squares", ("expect", "alerts"), [{"code": "takeback", "from_t": 0}]),
    ("013-takeback-after-press", ("expect", "alerts"), []),
    ("013-takeback-after-press", ("expect", "alerts", 0, "from_t"), 3_200),  # raised too early
    ("013-takeback-after-press", ("expect", "alerts", 0, "from_t"), -2_000),  # raised too late
    ("013-takeback-after-press", ("expect", "alerts", 0, "plies"), 2),
    ("013-takeback-after-press", ("expect", "never"), ["takeback"]),
    ("013-takeback-after-press", ("expect", "board_agrees"), True),
    ("101-clock-nack", ("expect", "messages", 0, "ack"), [16, 0, 0, 0]),
    ("201-bounce-on-both-ends", ("expect", "presses", 0, "t_us"), 800),
    ("208-rocker-in-transit", ("expect", "lever", 1, "t_us"), 4_000_000),
    ("303-mate-before-flag", ("expect", "result"), None),
    ("307-wrong-side-press-ignored", ("events", 4, "expect", "white_ms"), 61_001),
    ("311-power-loss-resume", ("events", 3, "expect", "black_ms"), 280_000),
    ("401-unplug-replug-new-number", ("expect", "states"), ["up", "down"]),
    ("401-unplug-replug-new-number", ("expect", "max_reopen_ms"), 10),
]


@pytest.mark.parametrize(("name", "where", "wrong"), WRONG)
def test_a_wrong_expectation_fails(name: str, where: tuple[Any, ...], wrong: object) -> None:
    case: Any = copy.deepcopy(CASES[name])
    inner = case
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = wrong
    assert not replay(case)["pass"]


BROKEN = [
    ({"kind": "dance"}, "its kind is 'dance'"),
    ({"kind": "moves"}, "events is missing"),
    ({"kind": "moves", "events": [{"t": 0, "e": "fly"}]}, "event 1: fly is unknown"),
    ({"kind": "moves", "events": [{"t": 0, "e": "lift", "sq": "k9"}]}, "'k9' is no square"),
    ({"kind": "moves", "events": [{"t": 0, "e": "place", "sq": "a1", "p": "z"}]}, "z is no piece"),
    ({"kind": "moves", "events": [{"e": "end"}]}, "t is None"),
    ({"kind": "moves", "start_fen": "what", "events": []}, "start_fen is no FEN"),
    ({"kind": "moves", "events": [{"t": 0, "e": "snapshot", "board": "8/8"}]}, "8/8 is no placement"),
    ({"kind": "moves", "sensor": "occupancy", "events": [{"t": 0, "e": "snapshot", "occ": "xyz"}]}, "16 hexadecimal"),
    ({"kind": "wire", "protocol": "morse", "rx": []}, "protocol is 'morse'"),
    ({"kind": "wire", "protocol": "dgt", "rx": [{"hex": "8"}]}, "rx 1 is no bytes"),
    ({"kind": "gpio", "edges": [{"t_us": 0, "line": "white", "level": 2}]}, "level is 2"),
    ({"kind": "clock", "clock": {"mode": "sand", "base_ms": 1}, "events": []}, "mode is 'sand'"),
    ({"kind": "clock", "clock": {"base_ms": 10}, "events": [{"t": 0, "e": "press", "side": "red"}]}, "side is 'red'"),
    ({"kind": "link", "events": [{"t": 0, "e": "dance"}]}, "event dance is unknown"),
    ({"kind": "wire", "format": "board-case/2", "protocol": "dgt", "rx": []}, "its format is board-case/2"),
]


@pytest.mark.parametrize(("case", "words"), BROKEN)
def test_a_broken_case_is_told_in_a_sentence(case: dict[str, Any], words: str) -> None:
    with pytest.raises(CaseError, match="Case x") as told:
        replay({"id": "x", **case})
    assert words in str(told.value)


def test_a_file_that_is_no_json_names_the_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"id": 1,\n  "kind" 2}', "utf-8")
    with pytest.raises(ReplayError, match=r"bad\.json, line 2, column 10"):
        run([file])
    with pytest.raises(ReplayError, match="cannot be read"):
        run([tmp_path / "none.json"])


def test_noise_as_a_fill_is_passed_over() -> None:
    dump = next(chunk for chunk in CASES["108-truncated-then-dump"]["rx"] if chunk["hex"].startswith("86"))
    case = {"kind": "wire", "protocol": "dgt", "rx": [{"t": 0, "fill": 0, "n": 300}, dump]}
    assert [message["m"] for message in replay(case)["expect"]["messages"]] == ["board"]
