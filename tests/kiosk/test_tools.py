"""The tools that work on files, as a program calls them: exit codes, JSON, sentences."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kiosk.cli import main


def row(number: int, name: str, rating: int, points: str, cell: str) -> str:
    """A player line in its columns."""
    return f"001 {number:4}      {name:33} {rating:4} {'':3} {'':11} {'':10} {points:>4} {'':4}  {cell}"


REPORT = "\n".join(
    (
        "012 Club",
        "142 5",
        "152 W",
        "XXR 5",
        row(1, "Adler", 2200, "1.0", "   3 w 1"),
        row(2, "Bello", 2100, "1.0", "   4 b 1"),
        row(3, "Costa", 2000, "0.0", "   1 b 0"),
        row(4, "Dahl", 1900, "0.0", "   2 w 0"),
        "",
    )
)


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Runs a command with --json; (exit code, the answer or what was said on stderr)."""
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if out else err


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "club.trf"
    path.write_text(REPORT, encoding="utf-8")
    return path


def test_pair_gives_the_next_round(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "pair", str(report))
    assert code == 0
    assert (answer["round"], answer["pairs"], answer["bye"]) == (2, [[2, 1], [3, 4]], None)
    assert answer["reasons"]


def test_pair_again_a_round_that_is_there(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "pair", str(report), "--round", "1")
    assert code == 0
    assert answer["pairs"] == [[1, 3], [4, 2]]


@pytest.mark.parametrize("system", ["FIDE_BURSTEIN", "FIDE_DUBOV", "CUSTOM_KNOCKOUT", "FIDE_SCHEVENINGEN"])
def test_an_event_of_another_system_is_not_paired_or_judged_as_a_dutch_one(
    system: str, report: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report.write_text(f"192 {system}\n{REPORT}", encoding="utf-8")
    code, said = ask(capsys, "pair", str(report))
    assert code == 2
    assert f"{report}: it was paired by {system} (record 192), which is not known here" in said
    assert main(["check", str(report), "--json"]) == 2
    (answer,) = json.loads(capsys.readouterr().out)
    assert answer["rounds"] == []
    assert system in answer["error"]
    code, answer = ask(capsys, "pair", str(report), "--system", "dutch")
    assert (code, answer["pairs"]) == (0, [[2, 1], [3, 4]]), "whoever says so may"


def test_people_read_names_beside_the_numbers(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", str(report)]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["1", "2", "Bello", "-", "1", "Adler"]
    assert main(["standings", str(report), "--tie-breaks", "TPN"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split()[:4] == ["1", "1", "Adler", "1.0"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("pair", "none"),
        ("check", "none"),
        ("standings", "none"),
        ("convert", "none", "out.trf"),
        ("replay", "clock", "none"),
        ("replay", "board", "none"),
        ("replay", "event", "none"),
        ("replay", "game", "none"),
        ("winnable", "--csv", "none"),
    ],
)
def test_a_file_that_is_not_there_is_named_once_with_what_to_do(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(list(arguments)) == 2
    said = capsys.readouterr().err.strip()
    assert said.count("none") == 1, said
    assert "Errno" not in said
    assert len(said.splitlines()) == 1
    assert any(word in said for word in ("Check", "Name", "name")), said
    assert list(tmp_path.iterdir()) == []


def test_pair_reads_compressed_files(report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = tmp_path / "club.trf.gz"
    packed.write_bytes(gzip.compress(report.read_bytes()))
    assert ask(capsys, "pair", str(packed))[1] == ask(capsys, "pair", str(report))[1]


def test_pair_says_why_there_is_no_pairing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.trf"
    rows = (row(1, "Adler", 2200, "1.0", "   2 w 1"), row(2, "Bello", 2100, "0.0", "   1 b 0"))
    path.write_text("\n".join(("142 5", "152 W", *rows, "")), encoding="utf-8")
    code, answer = ask(capsys, "pair", str(path))
    assert code == 1
    assert answer["pairs"] == []
    assert answer["impossible"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("142 5\n", ""), "142"),
        (("3 w 1", "9 w 1"), "club.trf:5"),
        (("1 b 0", "2 b 0"), "club.trf:"),
        (("012 Club\n", "O12 Club\n"), ""),
    ],
)
def test_a_report_that_cannot_be_understood_is_refused(
    report: Path, change: tuple[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = report.read_text().replace(*change)
    if "142" in says:
        text = text.replace("XXR 5\n", "")
    report.write_text(text)
    code, answer = ask(capsys, "pair", str(report))
    if says:
        assert code == 2
        assert says in answer
        assert "club.trf" in answer
    else:
        assert code == 0  # an unknown record is kept, not a reason to refuse


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "pair", str(tmp_path / "nowhere.trf"))
    assert code == 2
    assert "nowhere.trf" in answer


def test_generated_events_are_the_same_for_the_same_seed_and_pass_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        code, files = ask(
            capsys, "generate", "--seed", "40", "--count", "5", "--players", "24", "--out", str(tmp_path / folder)
        )
        assert code == 0
        assert [entry["players"] for entry in files] == [24] * 5
    names = [f"event-{seed}.trf" for seed in range(40, 45)]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert b"seed=" in (tmp_path / "a" / name).read_bytes()
    code, answers = ask(capsys, "check", *(str(tmp_path / "a" / name) for name in names))
    assert code == 0
    assert [Path(answer["file"]).name for answer in answers] == names
    assert all(found["same"] for answer in answers for found in answer["rounds"])
    assert all(answer["ranking"] == {"same": True, "differences": []} for answer in answers)


def test_check_finds_a_swapped_colour_and_a_wrong_rank(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = report.read_text().replace("3 w 1", "3 b 1").replace("1 b 0", "1 w 0")
    report.write_text(text)
    code, answers = ask(capsys, "check", str(report))
    assert code == 1
    (answer,) = answers
    (found,) = answer["rounds"]
    assert (found["round"], found["same"], found["bye"]) == (1, False, [None, None])
    assert [3, 1] in found["found"]
    assert [1, 3] in found["expected"]
    assert answer["ranking"] is None


def test_check_goes_on_after_a_file_that_cannot_be_judged(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.trf"
    bad.write_text("001 nonsense\n", encoding="utf-8")
    code = main(["check", str(bad), str(report), "--json"])
    out, err = capsys.readouterr()
    answers = json.loads(out)
    assert code == 2
    assert [len(answer["rounds"]) for answer in answers] == [0, 1]
    assert "bad.trf:1" in err


def test_standings_and_their_deciding_tie_break(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "standings", str(report), "--tie-breaks", "BH,SB")
    assert code == 0
    assert set(answer["order"]) == {1, 2, 3, 4}
    assert answer["players"]["1"]["points"] == "1.0"
    assert set(answer["players"]["1"]["values"]) == {"BH", "SB"}
    code, answer = ask(capsys, "standings", str(report), "--tie-breaks", "NONSENSE")
    assert code == 2
    assert "NONSENSE" in answer


def test_winnable_answers_with_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = ask(capsys, "winnable", "--fen", "r7/K1k5/8/8/8/8/8/8 w - - 0 1", "--side", "black")
    assert (code, answer["verdict"]) == (1, "unwinnable")
    code, answer = ask(capsys, "winnable", "--fen", "8/5k2/8/4b3/8/3K4/P7/8 w - - 0 1", "--side", "black")
    assert (code, answer["verdict"]) == (0, "winnable")
    assert answer["line"]
    code, answer = ask(capsys, "winnable", "--fen", "nonsense", "--side", "black")
    assert code == 2


@pytest.mark.parametrize(
    "arguments", [("replay", "event"), ("replay", "game"), ("replay", "clock"), ("replay", "board")]
)
def test_replay_refuses_what_is_no_log(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear arbiter", encoding="utf-8")
    code, answer = ask(capsys, *arguments, str(path))
    assert code == 2
    assert "letter.txt" in answer
    assert path.read_text(encoding="utf-8") == "Dear arbiter"


def test_convert_lists_adjustments_and_never_overwrites(
    report: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "new.trf"
    code, answer = ask(capsys, "convert", str(report), str(target), "--dry-run")
    assert code == 0
    assert not target.exists()
    assert ask(capsys, "convert", str(report), str(target)) == (0, answer)
    assert ask(capsys, "pair", str(target))[1]["pairs"] == [[2, 1], [3, 4]]
    target.write_text("something else", encoding="utf-8")
    code, said = ask(capsys, "convert", str(report), str(target))
    assert code == 2
    assert "new.trf" in said
    assert target.read_text(encoding="utf-8") == "something else"


def test_a_round_robin_is_checked_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = REPORT.replace("152 W", "192 BERGER_ROUNDROBIN\n152 W").replace("XXR 5\n", "").replace("142 5", "142 3")
    for old, new in (
        ("   3 w 1", "   4 w 1"),
        ("   4 b 1", "   3 w 1"),
        ("   1 b 0", "   2 b 0"),
        ("   2 w 0", "   1 b 0"),
    ):
        text = text.replace(old, new)
    path = tmp_path / "berger.trf"
    path.write_text(text, encoding="utf-8")
    code, answers = ask(capsys, "check", str(path))
    assert (code, [found["same"] for found in answers[0]["rounds"]]) == (0, [True])


def test_every_parameter_of_an_event_can_be_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--points 3-1-0 --pab 1.5 --forbidden 1-2-3,5-6 --tie-breaks BH,SB --highest 2300 --lowest 1800 --no-baku"
    options += (
        " --players 20 --rounds 5 --initial-colour black --draws 0.4 --half-byes 1,2,0 --zero-byes 1 --full-byes 0"
    )
    options += " --forfeits 5% --double-forfeits 0 --half-zero 1% --zero-half 1% --zero-zero 1% --late 1 --leaving 1"
    code, files = ask(capsys, "generate", "--seed", "3", "--out", str(tmp_path), *options.split())
    assert code == 0
    text = Path(files[0]["file"]).read_text(encoding="utf-8")
    for found in ("points=3/1/0/pab 1.5", "forbidden=1-2-3 5-6", "tie_breaks=BH,SB", "baku=False", "half_byes=1,2,0"):
        assert found in text
    code, answers = ask(capsys, "check", files[0]["file"])
    assert code == 0, answers
    code, files = ask(
        capsys, "generate", "--seed", "3", "--out", str(tmp_path), "--ratings", "2400,2300,2200,0", "--rounds", "2"
    )
    assert (code, files[0]["players"]) == (0, 4)


@pytest.mark.parametrize(
    "options",
    [
        ("--ratings", "2400,x"),
        ("--tie-breaks", "NIX"),
        ("--points", "3-1"),
        ("--forbidden", "1"),
        ("--half-byes", "many"),
    ],
)
def test_what_no_event_can_have_is_refused(
    tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["generate", "--out", str(tmp_path), *options])
    assert ended.value.code == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize("cell", ["0000 w 1", "     b 0", "0000 - 1", "0000 - ="])
def test_a_result_without_opponent_is_refused_and_never_paired_around(
    report: Path, cell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report.write_text(report.read_text().replace("   3 w 1", cell))
    for command in ("pair", "check", "standings"):
        code = main([command, str(report)])
        assert code == 2
        assert "club.trf:5:92" in capsys.readouterr().err
