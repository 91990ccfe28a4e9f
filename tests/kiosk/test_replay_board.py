"""`replay board`: every case of the folder passes, and a wrong expectation does not."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kiosk.cli import main
from kiosk.replay_board import replay, run
from kiosk.replay_board_case import LONGEST_MS, CaseError

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
    replayed = run([*FILES[:3], packed])
    assert replayed.passed
    assert [answer["id"] for answer in replayed.answers] == [path.stem for path in FILES[:4]]


def test_a_folder_stands_for_its_files() -> None:
    replayed = run([FOLDER])
    assert replayed.passed
    assert [answer["id"] for answer in replayed.answers] == [path.stem for path in FILES]


def test_a_folder_without_cases_is_told(tmp_path: Path) -> None:
    replayed = run([tmp_path])
    assert not replayed.passed
    assert "cannot be read" in replayed.troubles[0]


def test_a_list_of_cases_in_one_file(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(list(CASES.values())[:5]), "utf-8")
    replayed = run([file])
    assert replayed.passed
    assert len(replayed.answers) == 5


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


def told(path: Path) -> str:
    """What is said about the one thing that is wrong with a file."""
    replayed = run([path])
    assert not replayed.passed
    assert not any(answer["pass"] for answer in replayed.answers)
    (trouble,) = replayed.troubles
    return trouble


def test_a_file_that_is_no_json_names_the_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"id": 1,\n  "kind" 2}', "utf-8")
    assert "bad.json, line 2, column 10" in told(file)
    assert "cannot be read" in told(tmp_path / "none.json")


@pytest.mark.parametrize(
    "text", ["", "// a remark\n{}", '{"id": ' + "9" * 5_000 + "}", "[" * 100_000, '{"id": "\ud800', "\x00"]
)
def test_what_is_no_case_at_all_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert str(file) in told(file)


SLIDE = CASES["001-slide-pawn-two-squares"]
#: What is done to the case, and what is said about it: the line is that of the object at fault.
IN_A_FILE = [
    (lambda case: case["events"].reverse(), "line 26: Case x: event 2 is at 260 ms, the one before at 1200 ms"),
    (lambda case: case["events"][2].update(sq="k9"), "line 32: Case x: 'k9' is no square"),
    (lambda case: case["events"][2].update(t=1.5), "line 32: Case x: t is 1.5, a whole number is needed"),
    (lambda case: case["events"][2].update(t=-1), "line 32: Case x: event 3 is at -1 ms"),
    (lambda case: case["events"].append({"t": LONGEST_MS + 1, "e": "end"}), "event 6 is at"),
    (lambda case: case["events"].append({"t": 10**30, "e": "end"}), "which is too much"),
    (lambda case: case["events"].append("end"), "number 6 is no object"),
    (lambda case: case["policy"].update(settle_ms=-1), "a time below 0"),
    (lambda case: case.update(variant="suicide"), "variant is 'suicide'"),
    (lambda case: case.update(expect=[]), "expect is no object"),
    (lambda case: case["expect"].update(alerts="none"), "expect.alerts is missing or no list"),
    (lambda case: case["expect"].update(never="none"), "never is missing or no list"),
    (lambda case: case.pop("expect"), "case x expects nothing"),
    (lambda case: case["expect"].update(colour="red"), "expects what this program does not know: expect.colour"),
    (lambda case: case["expect"]["never"].append("ilegal_move"), "does not know: ilegal_move"),
    (lambda case: case["expect"]["alerts"].append({"code": "rain"}), "does not know: rain"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), IN_A_FILE)
def test_what_cannot_be_judged_is_told_with_its_line_and_never_passed(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    case = copy.deepcopy({**SLIDE, "id": "x", "source": {"kind": "a brace } in a text {", "line\n": '"'}})
    change(case)
    file = tmp_path / "x.json"
    file.write_text(json.dumps(case, indent=1), "utf-8")
    assert words in told(file)


def test_a_misspelt_reading_of_the_clock_is_told(tmp_path: Path) -> None:
    case = copy.deepcopy(CASES["308-us-delay"])
    case["events"][2]["expect"] = {"wite_ms": 60_000}
    file = tmp_path / "x.json"
    file.write_text(json.dumps(case), "utf-8")
    assert "does not know: read.wite_ms" in told(file)


def test_one_bad_case_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps([SLIDE, 3, {**SLIDE, "kind": "dance"}, {**SLIDE, "id": "last"}]), "utf-8")
    assert main(["replay", "board", "--json", str(file)]) == 2
    printed = capsys.readouterr()
    answers = json.loads(printed.out)
    assert [answer["pass"] for answer in answers] == [True, False, False, True]
    assert printed.err.count(str(file)) == 2


def test_a_wrong_expectation_is_exit_code_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "case.json"
    file.write_text(json.dumps({**SLIDE, "expect": {"moves": ["d4"]}}), "utf-8")
    assert main(["replay", "board", "--json", str(file)]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)[0]["expect"] == {"moves": ["e4"]}
    assert printed.err == ""


def test_byte_order_mark_line_ends_and_unknown_fields_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    text = json.dumps({**SLIDE, "weather": {"rain": True}}, indent=1).replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert run([file]).passed


def test_a_case_without_events_shows_the_first_position() -> None:
    answer = replay({**SLIDE, "events": [], "expect": {"moves": [], "final_fen": SLIDE["start_fen"]}})
    assert answer["pass"]


def clock_case(*events: tuple[int, dict[str, Any]], **clock: Any) -> dict[str, Any]:
    """A case of a clock with 5 s for each side, or as `clock` says."""
    timed = [{"t": t, **event} for t, event in events]
    return {"kind": "clock", "clock": {"base_ms": 5_000, **clock}, "events": timed}


@pytest.mark.parametrize(("t", "result"), [(4_999, "1-0"), (5_000, None), (5_001, None)])
def test_a_mate_counts_if_it_was_made_before_the_flag(t: int, result: str | None) -> None:
    mate = {"e": "game_over", "why": "checkmate by white"}
    assert replay(clock_case((0, {"e": "start"}), (t, mate)))["expect"]["result"] == result


@pytest.mark.parametrize(
    "words", [{"side": "black", "delta_ms": 60_000}, {"black_add_ms": 60_000}, {"black_ms": 65_000}]
)
def test_a_correction_may_be_written_in_several_ways(words: dict[str, Any]) -> None:
    case = clock_case((0, {"e": "start"}), (1_000, {"e": "adjust", **words}), (1_000, {"e": "read"}))
    assert replay(case)["reads"] == [{"t": 1_000, "white_ms": 4_000, "black_ms": 65_000, "running": "white"}]


def test_a_correction_that_would_change_nothing_is_told() -> None:
    with pytest.raises(CaseError, match="unknown field bonus"):
        replay(clock_case((0, {"e": "start"}), (1_000, {"e": "adjust", "side": "white", "bonus": 3})))


def test_a_plunger_held_down_at_the_start_has_not_pressed() -> None:
    edges = [(0, 1), (2_000, 0), (4_000, 1), (900_000, 0)]
    case = {"kind": "gpio", "edges": [{"t_us": t, "line": "white", "level": level} for t, level in edges]}
    assert replay(case)["expect"]["presses"] == [{"t_us": 900_000, "line": "white"}]


def test_noise_as_a_fill_is_passed_over() -> None:
    dump = next(chunk for chunk in CASES["108-truncated-then-dump"]["rx"] if chunk["hex"].startswith("86"))
    case = {"kind": "wire", "protocol": "dgt", "rx": [{"t": 0, "fill": 0, "n": 300}, dump]}
    assert [message["m"] for message in replay(case)["expect"]["messages"]] == ["board"]
