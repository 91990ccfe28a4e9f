"""`hallkiosk standings` and the ranking part of `check`: from a file to JSON."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kiosk.standings import StandingsError, ranking_differences, read_report, run
from rules.interchange.trf import Abnormal, Cell, TrfEvent, TrfPlayer, write_trf16, write_trf26

REFERENCE = Path(__file__).resolve().parents[1] / "data" / "tiebreaks" / "reference.json.gz"

#: Four players, three rounds planned, two played; 2 and 3 have a point each and have not met.
CELLS = {
    1: [Cell(3, "w", "1"), Cell(2, "b", "=")],
    2: [Cell(4, "b", "="), Cell(1, "w", "=")],
    3: [Cell(1, "b", "0"), Cell(4, "w", "1")],
    4: [Cell(2, "w", "="), Cell(3, "b", "0")],
}


def event(**changes: object) -> TrfEvent:
    players = tuple(
        TrfPlayer(number, f"Player {number}", rating=2000 - number, cells=tuple(cells))
        for number, cells in CELLS.items()
    )
    return replace(TrfEvent(players, name="Club night", rounds=3, initial_colour="white"), **changes)  # type: ignore[arg-type]


def written(tmp_path: Path, report: TrfEvent) -> Path:
    path = tmp_path / "event.trf"
    path.write_bytes(write_trf26(report))
    return path


def test_the_default_list_and_what_decided(tmp_path: Path) -> None:
    answer = run(written(tmp_path, event()))
    assert answer["order"] == [1, 2, 3, 4]
    assert list(answer["players"]["1"]["values"]) == ["BH/C1", "BH", "SB"]
    assert {tpn: (row["rank"], row["points"], row["decided_by"]) for tpn, row in answer["players"].items()} == {
        "1": (1, "1.5", "PTS"), "2": (2, "1.0", "SB"), "3": (3, "1.0", "SB"), "4": (4, "0.5", "PTS"),
    }  # fmt: skip
    assert answer["players"]["2"]["values"] == {"BH/C1": "1.5", "BH": "2.0", "SB": "1.0"}
    assert answer["players"]["3"]["reason"] == "After Player 2 (2) by SB: 0.5 against 1.0. 0.0×1.5 + 1.0×0.5 = 0.5"
    json.dumps(answer)


def test_the_list_of_the_report_and_the_list_of_the_caller(tmp_path: Path) -> None:
    among_equals = written(tmp_path, event(tie_breaks=("DE", "RTNG")))
    assert list(run(among_equals)["players"]["1"]["values"]) == ["DE", "RTNG"]
    full_order = written(tmp_path, event(tie_breaks=("BH",), standing_order=("RTNG", "PTS")))
    first = run(full_order)["players"]["1"]
    assert (first["decided_by"], first["values"]) == ("RTNG", {"RTNG": "1999", "PTS": "1.5"})
    chosen = run(full_order, tie_breaks=("ps", "bh/m1"))
    assert list(chosen["players"]["4"]["values"]) == ["ps", "bh/m1"]


def test_after_an_earlier_round_and_after_none(tmp_path: Path) -> None:
    path = written(tmp_path, event())
    first = run(path, after=1)
    assert [first["players"][str(tpn)]["points"] for tpn in (1, 2, 3, 4)] == ["1.0", "0.5", "0.0", "0.5"]
    start = run(path, after=0, tie_breaks=("BH",))
    assert {row["rank"] for row in start["players"].values()} == {1}
    assert {row["decided_by"] for row in start["players"].values()} == {""}


def test_an_undefined_value_is_null(tmp_path: Path) -> None:
    rows = run(written(tmp_path, event()), after=0, tie_breaks=("ARO", "KS"))["players"]
    assert rows["1"]["values"] == {"ARO": None, "KS": None}


def test_a_compressed_file_and_an_old_edition(tmp_path: Path) -> None:
    path = tmp_path / "event.trf.gz"
    path.write_bytes(gzip.compress(write_trf16(event())))
    assert run(path)["order"] == run(path, edition="2024-08")["order"]


def test_lots_break_the_last_ties(tmp_path: Path) -> None:
    path = written(tmp_path, event())
    drawn = run(path, after=0, tie_breaks=(), lots_seed=11)["players"]
    assert sorted(row["rank"] for row in drawn.values()) == [1, 2, 3, 4]
    assert drawn == run(path, after=0, tie_breaks=(), lots_seed=11)["players"]


def open_game() -> TrfEvent:
    report = event()
    cells = {1: Cell(4, "b", ""), 4: Cell(1, "w", ""), 2: Cell(3, "b", "1"), 3: Cell(2, "w", "0")}
    return replace(report, players=tuple(replace(p, cells=(*p.cells, cells[p.start_rank])) for p in report.players))


def test_an_open_game_is_named_and_the_round_before_is_shown(tmp_path: Path) -> None:
    path = written(tmp_path, open_game())
    assert run(path) == run(path, after=2)
    message = r"event\.trf: Round 3: 1 - 4 without a result\. Ask for the standings after round 2\."
    with pytest.raises(StandingsError, match=message):
        run(path, after=3)


def test_what_cannot_be_answered_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, event())
    with pytest.raises(StandingsError, match="no standings after round 4: 2 rounds are paired"):
        run(path, after=4)
    with pytest.raises(StandingsError, match=r"event\.trf: 'XX' is no tie-break known here"):
        run(path, tie_breaks=("XX",))
    with pytest.raises(StandingsError, match="no edition 1999"):
        run(path, edition="1999")
    with pytest.raises(StandingsError, match=r"nowhere\.trf cannot be read"):
        run(tmp_path / "nowhere.trf")
    (tmp_path / "half.trf.gz").write_bytes(gzip.compress(b"001")[:-6])
    with pytest.raises(StandingsError, match="whether the file is whole"):
        run(tmp_path / "half.trf.gz")
    (tmp_path / "bad.trf").write_bytes(b"001    1")
    with pytest.raises(StandingsError, match=r"^bad\.trf:1:"):
        run(tmp_path / "bad.trf")


def test_teams_are_ranked_in_a_team_report(tmp_path: Path) -> None:
    teams = next(e for e in json.loads(gzip.decompress(REFERENCE.read_bytes())) if e["name"] == "tm001")
    path = tmp_path / "teams.trf"
    path.write_text(teams["trf"], encoding="utf-8")
    rows = run(path, tie_breaks=("MPvGP", "EMMSB"))["players"]
    assert [rows[str(n)]["values"]["EMMSB"] for n in teams["ids"]] == [f"{v:.1f}" for v in teams["values"]["EMMSB"]]
    assert rows["7"]["name"].startswith("Team ")
    assert ranking_differences(read_report(path), "teams.trf") == []


def ranked(*ranks: int, **changes: object) -> TrfEvent:
    report = event(**changes)
    return replace(report, players=tuple(replace(p, rank=r) for p, r in zip(report.players, ranks, strict=True)))


def test_ranks_are_held_to_the_tie_breaks_the_report_names() -> None:
    codes = ("BH/C1", "SB")
    assert ranking_differences(event(tie_breaks=codes)) is None
    assert ranking_differences(ranked(1, 2, 3, 4, tie_breaks=codes)) == []
    found = ranking_differences(ranked(1, 3, 2, 4, tie_breaks=codes))
    assert found is not None
    assert [(d["tpn"], d["found"], d["expected"], d["decided_by"]) for d in found] == [
        (2, 3, [2, 2], "SB"),
        (3, 2, [3, 3], "SB"),
    ]
    assert "by SB" in found[0]["reason"]


def test_without_named_tie_breaks_only_the_points_decide() -> None:
    for ranks in ((1, 2, 3, 4), (1, 3, 2, 4), (1, 2, 2, 4)):
        assert ranking_differences(ranked(*ranks)) == []
    found = ranking_differences(ranked(2, 1, 3, 4))
    assert found is not None
    assert [(d["tpn"], d["found"], d["expected"]) for d in found] == [(1, 2, [1, 1]), (2, 1, [2, 3])]


def test_unranked_players_are_passed_over() -> None:
    assert ranking_differences(ranked(0, 1, 2, 3)) == []


def test_starting_ranks_in_the_rank_column_are_no_ranking() -> None:
    swapped = replace(event(), players=tuple(replace(p, rank=p.start_rank) for p in event().players))
    penalty = replace(swapped, abnormal=(Abnormal("", -4, 0, (1,)),))
    assert ranking_differences(penalty) is None


def test_a_ranking_that_cannot_be_judged_is_an_error() -> None:
    with pytest.raises(StandingsError, match="'MAGIC' is no tie-break known here"):
        ranking_differences(ranked(1, 2, 3, 4, tie_breaks=("MAGIC",)))
