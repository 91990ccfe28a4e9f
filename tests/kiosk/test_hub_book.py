"""The arbiter's book at the desk: what the decisions mean for tables, other desks and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hallnet import wire
from kiosk.hub.book_view import told_book
from kiosk.hub.export import event_trf
from kiosk.hub.hall import read_hall
from tests.kiosk.hub_hall import Hall

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Four tables, six players, two rounds."""
    hall = Hall(tmp_path, tables=4)
    hall.connect()
    return hall


def confirms(hall: Hall, kind: str, /, *keys: str, **d: Any) -> wire.DeskOut:
    """The desk shows these warnings, and the arbiter goes on (twice at level 4)."""
    out = hall.do(kind, **d)
    assert not out.ok
    assert out.d, out.why
    assert tuple(w["key"] for w in out.d["warnings"]) == keys
    assert out.d["question"]
    if out.d["level"] == 4:
        out = hall.do(kind, **d, confirm=out.d["token"])
        assert not out.ok
    return hall.must(kind, **d, confirm=out.d["token"])


def finish_round(hall: Hall) -> None:
    """Every open board of the round is resigned by Black."""
    for row in hall.view.boards.rows:
        if row.state == "playing":
            hall.tables[row.table].resign("black")
    hall.settle()


def orders(hall: Hall, table: str, kind: str) -> list[wire.OrderMsg]:
    """The different orders of a kind that a table received."""
    received = [wire.decode(p, wire.OrderMsg) for leaf, p in hall.tables[table].received if leaf == "ord"]
    return list({order.id: order for order in received if order.kind == kind}.values())


def trf(hall: Hall) -> list[str]:
    """The report now, by lines."""
    return event_trf(hall.core.hall.state).decode("utf-8").splitlines()


def book(hall: Hall) -> Any:
    """What the desk's book shows."""
    return hall.must("book").d


# -- entries ----------------------------------------------------------------------------------------------------------


def test_a_late_entry_in_a_running_round_changes_no_board_and_no_result(hall: Hall) -> None:
    hall.begin_round()
    before = {row.board: (row.white.name, row.black.name) for row in hall.view.boards.rows}
    hall.must("enter-late", name="Late, Ann", rating=2300, federation="NOR")
    assert {row.board: (row.white.name, row.black.name) for row in hall.view.boards.rows} == before
    hall.settle()
    for row in hall.view.boards.rows:
        told = hall.tables[row.table].state.assignment
        assert told is not None
        assert (told.white, told.black) == (row.white, row.black), "the tables are told the numbers that count now"
    finish_round(hall)
    assert hall.view.head.phase == "complete"
    assert {row.name: row.points for row in hall.view.standings.rows}["Late, Ann"] == "0.0"
    late = next(p for p in book(hall)["players"] if p["name"] == "Late, Ann")
    assert (late["tpn"], late["first_round"], late["source"]) == (1, 2, "manual")


def test_players_leave_return_and_are_expelled_from_the_desk(hall: Hall) -> None:
    hall.must("withdraw", tpn=6, why="ill")
    stale = hall.do("return", tpn=6, saw="in")
    assert not stale.ok
    assert stale.d == {"saw": "taking part", "now": "withdrawn"}
    hall.must("return", tpn=6, saw="withdrawn")
    confirms(hall, "expel", "expelled", tpn=5, why="second device")
    hall.must("correct-entry", tpn=1, rating=2222, saw={"rating": 2200})
    other = hall.do("correct-entry", tpn=1, rating=2333, saw={"rating": 2200})
    assert other.d == {"saw": "rating 2200", "now": "rating 2222"}
    players = {p["tpn"]: p["status"] for p in book(hall)["players"]}
    assert (players[5], players[6]) == ("expelled", "in")


def test_byes_follow_the_regulations_and_a_second_one_asks(hall: Hall) -> None:
    hall.must("regulations", changes={"half_byes": 1, "closed_rounds": 0})
    hall.must("request-bye", tpn=3, round=1, kind="H")
    confirms(hall, "request-bye", "bye-second", tpn=3, round=2, kind="H", why="a wedding")
    hall.must("flag", tpn=4)
    assert "may not have half-point byes" in hall.do("bye", tpn=4, round=1).why
    hall.must("revoke-bye", tpn=3, round=2)
    assert book(hall)["byes"] == {"1": {"3": "H"}}
    hall.must("pair")
    hall.must("publish")
    assert next(line for line in trf(hall) if line.startswith("001    3"))[91:99].split() == ["0000", "-", "H"]


def test_check_in_at_the_desk(hall: Hall) -> None:
    hall.must("open-check-in")
    for tpn in range(1, 5):
        hall.must("check-in", tpn=tpn)
    assert "Close it, then pair" in hall.do("pair").why
    assert book(hall)["missing"] == [5, 6]
    assert "Say for each" in hall.do("close-check-in", missing={"5": "event"}).why
    hall.must("close-check-in", missing={"5": "event", "6": "pair"})
    hall.must("pair")


# -- sheets -----------------------------------------------------------------------------------------------------------


def test_a_withdrawn_sheet_leaves_no_table_and_the_next_one_is_taken(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    old = hall.core.hall.state.rounds[0]
    assert all(hall.tables[t].state.game for t in old.tables.values())
    confirms(hall, "withdraw-sheet", "sheet-withdrawn", why="a player was missing", saw=old.checksum)
    hall.settle()
    assert hall.view.head.phase == "draft"
    assert [len(orders(hall, t, "clear")) for t in ("1", "2", "3")] == [1, 1, 1]
    assert all(hall.tables[t].state.assignment is None for t in ("1", "2", "3"))
    hall.must("withdraw", tpn=6)
    hall.must("withdraw", tpn=5)
    hall.begin_round()
    sheet = hall.core.hall.state.rounds[0]
    assert (sheet.rev, len(sheet.pairs)) == (2, 2)
    assert [hall.tables[t].state.rev for t in ("1", "2")] == [2, 2]
    assert hall.tables["3"].state.assignment is None
    finish_round(hall)
    assert hall.view.head.phase == "complete"


def test_a_table_that_was_away_while_the_sheet_was_withdrawn_takes_the_new_one(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    away = hall.tables.pop("2")
    confirms(hall, "withdraw-sheet", "sheet-withdrawn", why="wrong")
    hall.must("publish")
    hall.pump()
    hall.tables["2"] = away
    away.ask()
    hall.settle()
    assert (away.state.rev, away.state.game) == (2, "r1b2")
    assert away.state.assignment is not None


def test_undoing_a_publication_withdraws_the_sheet_from_the_tables(hall: Hall) -> None:
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    assert [step["what"] for step in book(hall)["undo"]] == ["round 1 made public", "pairing of round 1"]
    confirms(hall, "undo", "sheet-withdrawn", why="too early")
    hall.settle()
    assert all(hall.tables[t].state.assignment is None for t in ("1", "2", "3"))
    hall.must("undo")
    assert hall.view.head.phase == "to-pair"
    hall.must("redo")
    assert hall.view.head.phase == "draft"


def test_a_board_is_added_to_a_running_round_at_a_free_table(hall: Hall) -> None:
    hall.begin_round()
    others = {t: hall.tables[t].state for t in ("1", "2", "3")}
    hall.must("enter-late", name="Late, Ann", rating=1000)
    hall.must("enter-late", name="Late, Bob", rating=900)
    confirms(hall, "add-board", "round-board", white=7, black=8, why="ten minutes late")
    hall.settle()
    assert hall.row(4).table == "4"
    assert hall.row(4).state == "assigned"
    assert hall.view.head.step.sentence == "Board 4 has not started: start it."
    hall.tables["4"].ready()
    hall.settle()
    hall.must("start")
    hall.settle()
    assert hall.row(4).state == "playing"
    assert {t: hall.tables[t].state for t in ("1", "2", "3")} == others, "nobody else is touched"
    finish_round(hall)
    assert hall.view.head.phase == "complete"


def test_a_late_board_has_the_time_that_is_left_if_that_was_announced(hall: Hall) -> None:
    hall.must("regulations", changes={"late_clock": "rest"})
    hall.begin_round()
    hall.must("enter-late", name="Late, Ann", rating=1000)
    hall.must("enter-late", name="Late, Bob", rating=900)
    hall.wall += 120_000
    gone = hall.wall - hall.core.hall.state.rounds[0].started_at
    confirms(hall, "add-board", "round-board", white=7, black=8, why="two minutes late")
    hall.settle()
    (order,) = orders(hall, "4", "times")
    assert order.d["white_ms"] == order.d["black_ms"] == 600_000 - gone
    clock = hall.row(4).clock
    assert clock is not None
    assert clock.white_ms == 600_000 - gone


def test_a_round_by_hand_with_all_its_steps(hall: Hall) -> None:
    hall.begin_round()
    finish_round(hall)
    played = {(p.white, p.black) for p in hall.core.hall.state.rounds[0].pairs}
    hall.must("pair")
    engine = [(p.white, p.black) for p in hall.core.hall.state.draft.pairs]  # type: ignore[union-attr]
    hall.must("drop")
    pairs = [list(engine[0][::-1]), *(list(pair) for pair in engine[1:])]
    assert "with a reason" in hall.do("manual-pairing", pairs=pairs).why
    out = hall.do("manual-pairing", pairs=pairs, why="a ruling of the committee")
    if not out.ok:
        out = hall.must("manual-pairing", pairs=pairs, why="a ruling of the committee", confirm=out.d["token"])
    assert out.events == ("manual-opened", "paired")
    assert "Close that first" in hall.do("publish").why
    confirms(hall, "manual-close", "engine-differs")
    hall.must("publish")
    assert {(p.white, p.black) for p in hall.core.hall.state.rounds[1].pairs} == {(p[0], p[1]) for p in pairs}
    white, black = engine[0]
    assert f"### MPA @ Round 2: {white}-{black} => {black}-{white}" in trf(hall)
    assert played
    for strange in ({"pairs": 7}, {"pairs": [[1]]}, {"pairs": [["1", 2]]}):
        assert "pairs must be" in hall.do("manual-pairing", **strange).why


# -- results ----------------------------------------------------------------------------------------------------------


def test_a_correction_says_first_what_it_touches(hall: Hall) -> None:
    hall.begin_round()
    finish_round(hall)
    hall.begin_round()
    first = hall.core.hall.state.rounds[0]
    told = hall.must("correction", round=1, board=1, score="0-1").d
    assert (told["reach"], told["before"], told["after"], told["kept"]) == ("kept", "1-0", "0-1", [2])
    moved = {each["tpn"]: each["points"] for each in told["moved"]}
    assert moved[first.pairs[0].white] == ["1.0", "0.0"]
    confirms(hall, "correct-result", "correction-kept", round=1, board=1, score="0-1", why="typed wrongly", saw="1-0")
    stale = hall.do("correct-result", round=1, board=1, score="1/2-1/2", why="x", saw="1-0", by="Berta")
    assert stale.d == {"saw": "1-0", "now": "0-1"}
    points = {row.tpn: row.points for row in hall.view.standings.rows}
    assert points[first.pairs[0].black] == "1.0"
    assert any(line.startswith("### Correction @ Round 1: ") for line in trf(hall))
    assert "no result to correct" in hall.do("correction", round=2, board=1, score="0-1").why
    finish_round(hall)
    late = hall.must("correction", round=1, board=2, score="0-1").d
    assert (late["reach"], late["moved"]) == ("report", [])
    confirms(hall, "correct-result", "correction-report", round=1, board=2, score="0-1F", why="he was not there")
    pair = first.pairs[1]
    cells = {tpn: _cell(hall, tpn, 1) for tpn in (pair.white, pair.black)}
    assert cells == {pair.white: [str(pair.black), "w", "-"], pair.black: [str(pair.white), "b", "+"]}


def _cell(hall: Hall, tpn: int, number: int) -> list[str]:
    line = next(line for line in trf(hall) if line.startswith(f"001 {tpn:4}"))
    return line[91 + 10 * (number - 1) : 101 + 10 * (number - 1)].split()


def test_half_results_end_the_game_at_its_table_and_stand_in_the_report(hall: Hall) -> None:
    hall.begin_round()
    hall.must("rule", board=1, score="1/2-0", why="his phone rang, and the other cannot win", saw="")
    hall.must("rule", board=2, score="1-0U", why="gone after one move")
    hall.must("rule", board=3, score="0-1F", why="did not come")
    hall.settle()
    state = hall.core.hall.state
    assert hall.view.head.phase == "complete"
    letters = [(_cell(hall, p.white, 1)[2], _cell(hall, p.black, 1)[2]) for p in state.rounds[0].pairs]
    assert letters == [("=", "0"), ("W", "L"), ("-", "+")]
    hall.begin_round()
    assert all(row.state == "playing" for row in hall.view.boards.rows)
    assert "no score" in hall.do("rule", board=1, score="2-0").why
    assert hall.do("rule", board=1, score="1/2-1/2", forfeit=True).why == "A forfeited game cannot be a draw."


def test_two_desks_at_one_board(hall: Hall) -> None:
    hall.begin_round()
    hall.must("rule", board=1, score="1-0", why="seen", saw="", by="Berta")
    late = hall.do("rule", board=1, score="0-1", why="from the slip", saw="", by="Ada")
    assert not late.ok
    assert late.d == {"saw": "", "now": "1-0"}
    assert "changed by Berta just now" in late.why
    hall.must("rule", board=1, score="0-1", why="from the slip", saw="1-0", by="Ada")


def test_pairing_with_a_game_open_adjourns_it_and_the_others_go_on(hall: Hall) -> None:
    hall.begin_round()
    hall.tables["1"].moves(*MATE[:2])
    for name in ("2", "3"):
        hall.tables[name].resign("black")
    hall.settle()
    confirms(hall, "pair", "adjourns")
    assert [game["board"] for game in book(hall)["adjourned"]] == [1]
    hall.must("publish")
    hall.settle()
    sheet = hall.core.hall.state.rounds[1]
    assert sorted(sheet.tables.values()) == ["2", "3", "4"], "the table with the adjourned game keeps it"
    for row in hall.view.boards.rows:
        hall.tables[row.table].ready()
    hall.pump()
    hall.must("start")
    hall.settle()
    finish_round(hall)
    assert "is adjourned" in hall.do("finish").why
    confirms(hall, "rule", "adjourned-result", round=1, board=1, score="1-0", why="played on after supper")
    assert any(line.startswith("### Adjournment @ Round 1: ") for line in trf(hall))
    hall.must("finish")


def test_an_adjourned_game_makes_room_when_no_other_table_is_free(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.connect()
    hall.begin_round()
    hall.tables["1"].moves(*MATE[:2])
    hall.must("adjourn", board=1, why="half past ten", envelope="A7", white_ms=300_000)
    hall.settle()
    assert hall.tables["1"].state.phase == "paused"
    assert [order.d["envelope"] for order in orders(hall, "1", "adjourn")] == ["A7"]
    for name in ("2", "3"):
        hall.tables[name].resign("black")
    hall.settle()
    hall.begin_round()
    assert all(row.state == "playing" for row in hall.view.boards.rows)
    game = hall.core.hall.game(1, 1)
    assert game is not None
    assert len(game.plies) == 2, "the hub still has its moves"


# -- handling ---------------------------------------------------------------------------------------------------------


def test_leaving_fide_handling_is_told_everywhere_and_for_good(hall: Hall) -> None:
    hall.begin_round()
    confirms(hall, "fide-exit", "fide-exit", why="a club evening")
    assert "Not under FIDE handling, since round 1." in hall.view.head.notices
    assert "### FIDE mode exited @ Round 1" in trf(hall)
    hall.kill()
    assert "Not under FIDE handling, since round 1." in hall.view.head.notices
    assert book(hall)["fide_mode"] is False


def test_the_regulations_change_from_the_desk(hall: Hall) -> None:
    assert hall.must("regulations", changes={"rounds": 3, "tie_breaks": ["SB", "BH"]}).events == (
        "regulations-changed",
    )
    assert "is no value for rounds" in hall.do("regulations", changes={"rounds": "many"}).why
    assert "is no value for full_byes" in hall.do("regulations", changes={"full_byes": 1}).why
    other = hall.do("regulations", changes={"rounds": 4}, saw={"rounds": 2})
    assert other.d == {"saw": "2", "now": "3"}
    hall.must("forbid", players=[1, 2], why="brothers")
    hall.must("lot", what="initial-colour", seed=5)
    assert book(hall)["lots"]["initial-colour"]["outcome"] in ("white", "black")
    hall.begin_round()
    locked = hall.do("forbid", players=[1, 3])
    assert locked.d is not None
    assert (locked.d["level"], locked.d["token"]) == (5, "")


@pytest.mark.parametrize(
    ("kind", "d", "sentence"),
    [
        ("enter-late", {"name": ""}, "needs a name"),
        ("enter-late", {"name": "A", "title": "KING"}, "is no title"),
        ("enter-late", {"name": "A", "rating": -5}, "write a rating from 100 to 4000"),
        ("enter-late", {"name": "A", "rating": 10_000}, "“10000” is no possible rating"),
        ("enter-late", {"name": "A", "federation": "Serbia"}, "is no federation"),
        ("enter-late", {"name": "A", "birth": "2012/02/30"}, "is no birth date"),
        ("regulations", {"changes": {"start_date": "2026/02/30"}}, "no day of the calendar"),
        ("book", {"day": "today"}, "no day of the calendar"),
        ("enter-late", {"name": "A", "sex": "x"}, "write m, w or nothing"),
        ("correct-entry", {"tpn": 99}, "no player 99"),
        ("request-bye", {"tpn": 1, "round": 1, "kind": "Q"}, "no kind of bye"),
        ("close-check-in", {"missing": {"1": "maybe"}}, "round, event or pair"),
        ("regulations", {"changes": 5}, "must name fields"),
        ("forbid", {"players": "all"}, "list of numbers"),
        ("lot", {"what": "x", "seed": 1, "choices": [1]}, "list of texts"),
        ("lot", {"what": "x", "seed": 1}, "among what"),
        ("adjourn", {"board": 1}, "No round is public"),
        ("add-board", {"white": 1, "black": 2, "why": "x"}, "No round is public"),
        ("set-unpaired", {"tpn": 1, "kind": "Z", "why": "x"}, "No round is open"),
        ("manual-close", {}, "by hand"),
        ("withdraw-sheet", {"why": "x"}, "No round is public"),
        ("undo", {"act": "last"}, "whole number"),
        ("redo", {}, "nothing to do again"),
        ("exchange-numbers", {"first": 1, "second": 77, "why": "x"}, "no player 77"),
        ("flag", {"tpn": 1, "on": "yes"}, "true or false"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(hall: Hall, kind: str, d: dict[str, Any], sentence: str) -> None:
    out = hall.do(kind, **d)
    assert not out.ok
    assert sentence in out.why


def test_the_log_page_tells_a_note_with_names_and_the_report_with_numbers(hall: Hall) -> None:
    hall.begin_round()
    finish_round(hall)
    hall.must("pair")
    hall.must("publish")
    sheet = hall.core.hall.state.rounds[0]
    white, black = (hall.core.hall.state.entries[tpn].name for tpn in (sheet.pairs[0].white, sheet.pairs[0].black))
    confirms(hall, "correct-result", "correction-kept", round=1, board=1, score="0-1", why="typed wrongly")
    (note,), (remark,) = book(hall)["notes"], book(hall)["remarks"]
    numbers = f"{sheet.pairs[0].white}-{sheet.pairs[0].black}"
    assert note["before"] == f"{white} ({sheet.pairs[0].white})-{black} ({sheet.pairs[0].black}): 1-0"
    assert remark == f"Correction @ Round 1: {numbers}: 1-0 => {numbers}: 0-1"


def test_after_a_kill_the_book_is_what_it_was(hall: Hall) -> None:
    hall.must("withdraw", tpn=2)
    hall.must("enter-late", name="Late, Ann", rating=2180)
    hall.must("undo")
    hall.must("pair")
    before = told_book(hall.core.hall.state)
    assert [step["what"] for step in before["undo"]] == ["pairing of round 1", "Ivanov, Boris (2) withdrawn"]
    hall.kill()
    assert told_book(hall.core.hall.state) == before
    assert told_book(read_hall(hall.core.log).state) == before


def test_the_same_intent_twice_is_one_act(hall: Hall) -> None:
    for _n in range(2):
        out = hall.do("enter-late", "same", name="Late, Ann", rating=1000)
        assert out.events == ("late-entered",)
    assert len(hall.core.hall.state.entries) == 7
