"""The Laws at the hub: editions for tables, orders that put a game right, calls that say what they are about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from hallnet import wire
from hallnet.views import CallView, GameView
from kiosk.demo.arbiter import Case, rule
from kiosk.hub.config import ConfigError, parse
from rules.laws.events import Call
from rules.laws.game_intents import ClaimFinish, ClaimFlag, ClaimIllegal, ClaimTouch, PressClock, PressIllegal
from rules.laws.game_orders import _ORDERS
from rules.tournament import regulations
from tests.kiosk import hub_hall
from tests.kiosk.hub_hall import REGULATIONS, Hall, Table

FINISH = "fide2023 finish=guidelines-iii"
#: After 1 e2-e5, which is no move.
E5 = "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR"


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables, round 1 under way by the usual edition: an illegal move stops the clocks."""
    return _hall(tmp_path, "")


def _hall(folder: Path, edition: str) -> Hall:
    folder.mkdir(exist_ok=True)
    kept, hub_hall.REGULATIONS = hub_hall.REGULATIONS, replace(REGULATIONS, edition=edition, control="90+30")
    try:
        hall = Hall(folder)
    finally:
        hub_hall.REGULATIONS = kept
    hall.connect()
    hall.begin_round()
    return hall


def only_call(hall: Hall) -> CallView:
    (call,) = hall.view.head.calls
    return call


def press_illegally(hall: Hall, table: Table) -> None:
    hall.at += 1000
    table.act(PressIllegal(table.state.turn, E5, hall.at))
    hall.settle()


def game(hall: Hall, board: int) -> GameView:
    return msgspec.convert(hall.must("game", board=board).d, GameView)


def test_tables_get_the_edition_with_the_default_time_of_the_event(tmp_path: Path) -> None:
    hall = _hall(tmp_path, "fide2023-supervised illegal_bonus_ms=60000")
    edition = hall.tables["1"].state.edition
    assert (edition.illegal_bonus_ms, edition.default_ms) == (60_000, 30 * 60_000)
    own = _hall(tmp_path / "own", "club1997 default_ms=0").tables["1"].state.edition
    assert (own.name, own.default_ms) == ("club1997", 0)


def test_an_edition_is_checked_where_it_is_announced() -> None:
    assert parse('[regulations]\nedition = "club1997"').regulations().edition == "club1997"
    with pytest.raises(ConfigError, match=r"fide1897.*fide2023"):
        parse('[regulations]\nedition = "fide1897"')
    assert "club1997" in regulations.problem(replace(REGULATIONS, edition="fide1897"))
    assert regulations.problem(replace(REGULATIONS, edition="fide2023 start_by=press")) == ""


def test_an_illegal_move_is_told_as_one_and_put_right_in_one_order(hall: Hall) -> None:
    table = hall.tables["1"]
    press_illegally(hall, table)
    call = only_call(hall)
    assert (call.kind, call.board) == ("illegal-move", 1)
    assert "e2e5" in call.why
    assert call.case is not None
    assert (call.case.against, call.case.bonus_ms, call.case.proven, call.case.loses) == (
        ("white",), 120_000, True, False
    )  # fmt: skip
    before = table.state.clocks(hall.at)[1]
    hall.must("correct", board=1, offence="illegal-move", side="white", resume=True, why="a pawn moves one square")
    hall.settle()
    assert (table.state.plies, table.state.phase, table.state.running) == ((), "playing", "white")
    assert table.state.clocks(table.state.t)[1] == before + 120_000
    assert hall.view.head.calls == ()


def test_the_illegal_move_too_many_is_a_result_without_anybodys_confirmation(hall: Hall) -> None:
    table = hall.tables["1"]
    for loses in (False, True):
        press_illegally(hall, table)
        case = only_call(hall).case
        assert case is not None
        assert case.loses == loses
        hall.must("correct", board=1, offence="illegal-move", side="white", resume=True)
        hall.settle()
    row = hall.row(1)
    assert (row.state, row.score) == ("ruled", "0-1")
    assert "illegal move 2 of white" in " ".join(game(hall, 1).log)
    assert hall.view.head.calls == ()


def test_an_order_that_the_table_would_refuse_is_refused_at_once(hall: Hall) -> None:
    out = hall.do("correct", board=1)
    assert not out.ok
    assert out.why.startswith("Board 1: ")
    assert not hall.core.hall.state.orders
    hall.tables["1"].resign("white")
    hall.settle()
    assert "correct it in the results" in hall.do("penalty", board=1, side="white", action="loss").why


def test_a_penalty_of_time_stops_a_running_game_and_lets_it_go_on(hall: Hall) -> None:
    table = hall.tables["2"]
    table.moves("e2e4")
    hall.settle()
    white = table.state.clocks(table.state.t)[0]
    hall.must("penalty", board=2, side="black", offence="phone", action="time", ms=60_000, why="it rang")
    hall.settle()
    assert (table.state.phase, table.state.running) == ("playing", "black")
    assert table.state.clocks(table.state.t)[0] == white + 60_000
    assert table.state.rulings[-1].offence == "phone"


def test_a_penalty_of_the_game_is_its_result(hall: Hall) -> None:
    hall.must("penalty", board=3, side="white", offence="phone", action="loss", why="again")
    hall.settle()
    assert (hall.row(3).state, hall.row(3).score) == ("ruled", "0-1")
    assert "phone (12.9): again" in " ".join(game(hall, 3).log)


def test_broken_squares_are_told_to_the_table_while_play_goes_on(hall: Hall) -> None:
    hall.must("dead", board=2, squares="e4 f5")
    hall.settle()
    assert hall.tables["2"].state.phase == "playing"
    assert "not looked at any more: e4 f5" in " ".join(game(hall, 2).log)
    assert not hall.do("dead", board=2, squares="e9").ok


def test_an_adjourned_game_goes_on_with_the_move_from_the_envelope(hall: Hall) -> None:
    table = hall.tables["1"]
    hall.must("adjourn", board=1, why="dinner", envelope="4")
    hall.settle()
    assert table.state.sealed is not None
    assert "legal" in hall.do("envelope", board=1, move="e2e5").why
    assert not hall.do("envelope", board=1).ok
    hall.must("envelope", board=1, move="Nf3")
    hall.settle()
    assert [ply.uci for ply in table.state.plies] == ["g1f3"]
    assert table.state.running == "black"


def test_a_claim_says_what_the_record_shows(hall: Hall) -> None:
    table = hall.tables["1"]
    table.act(ClaimIllegal("black"))
    hall.settle()
    call = only_call(hall)
    assert (call.kind, "the record shows none" in call.why) == ("claim", True)
    assert call.case is not None
    assert (call.case.about, call.case.against, call.case.proven) == ("illegal-move", ("white",), False)
    assert not hall.do("resume", board=0).ok, "an order to all does not answer a claim"
    hall.must("continue", board=1, side="white")
    hall.settle()
    hall.tables["2"].act(ClaimFlag("black"))
    hall.settle()
    call = only_call(hall)
    assert "no flag has fallen: White has" in call.why
    assert call.case is not None
    assert (call.case.about, call.case.against, call.case.proven) == ("flag", (), False)


def test_a_breach_of_touch_move_comes_with_what_the_board_saw_and_goes_back(hall: Hall) -> None:
    table = hall.tables["1"]
    table.act(PressClock("white", "e2e4", table.state.t, touched=("d2", "e2")))
    table.act(ClaimTouch("black"))
    hall.settle()
    call = only_call(hall)
    assert (call.kind, call.side) == ("claim", "black")
    assert "touched d2, e2, which leaves d3, d4" in call.why
    assert call.case is not None
    assert (call.case.about, call.case.against) == ("touch-move", ("white",))
    assert rule(Case(call, hall.row(1), game(hall, 1)), lambda *_place: "").kind == "continue"
    hall.must("correct", board=1, ply=0, resume=True, why="4.3")
    hall.settle()
    assert (table.state.turn, table.state.running, hall.view.head.calls) == ("white", "white", ())


def finishing(tmp_path: Path, edition: str) -> Hall:
    """A claim by Guidelines III at board 1, a minute before White's flag."""
    kept, hub_hall.REGULATIONS = hub_hall.REGULATIONS, replace(REGULATIONS, edition=edition, control="65")
    try:
        hall = Hall(tmp_path)
    finally:
        hub_hall.REGULATIONS = kept
    hall.connect()
    hall.begin_round()
    hall.at += 64 * 60_000
    hall.tables["1"].act(ClaimFinish("white", "normal-means"))
    hall.settle()
    return hall


def answer_to_the_claim(hall: Hall) -> str:
    """What the log says became of the only claim there was."""
    (closed,) = hall.core.hall.state.calls_closed.values()
    return closed.ruling


def test_without_an_arbiter_in_the_hall_nothing_is_left_but_a_result(tmp_path: Path) -> None:
    hall = finishing(tmp_path, FINISH + "-alone")
    case = only_call(hall).case
    assert case is not None
    assert (case.about, case.concluded) == ("normal-means", True)
    for answer in ({}, {"postpone": True}, {"bonus_ms": 0}):
        assert "III.6" in hall.do("continue", board=1, **answer).why
    assert hall.tables["1"].state.questions[0].about == "position"
    hall.must("rule", board=1, score="1/2-1/2", why="Black could not win", call=only_call(hall).id)
    hall.settle()
    assert (hall.row(1).score, hall.tables["1"].state.evidence["article"]) == ("1/2-1/2", "III.6")


@pytest.mark.parametrize(
    ("d", "ruling", "bonus_ms"),
    [
        ({}, "turned down, 120 s to black", 120_000),
        ({"bonus_ms": 60_000}, "turned down, 60 s to black", 60_000),
        ({"bonus_ms": 0}, "turned down", 0),
        ({"postpone": True, "bonus_ms": 0}, "put off: decided at a flag", 0),
        ({"postpone": True}, "put off: decided at a flag, 120 s to black", 120_000),
        ({"upheld": True}, "upheld, play goes on", 0),
    ],
)
def test_the_log_says_what_became_of_a_claim_and_who_got_time(
    tmp_path: Path, d: dict[str, Any], ruling: str, bonus_ms: int
) -> None:
    hall = finishing(tmp_path, FINISH)
    before = hall.tables["1"].state.clocks(hall.at)[1]
    hall.must("continue", board=1, **d)
    hall.settle()
    assert answer_to_the_claim(hall) == ruling
    assert hall.tables["1"].state.clocks(hall.tables["1"].state.t)[1] == before + bonus_ms


def test_a_claim_by_guidelines_iii_is_put_off_and_decided_at_the_flag(tmp_path: Path) -> None:
    hall = finishing(tmp_path, FINISH)
    table = hall.tables["1"]
    assert "III.5" in only_call(hall).why
    assert "no such claim" in hall.do("continue", board=1, increment=True).why
    black_ms = table.state.clocks(table.state.t)[1]
    hall.must("continue", board=1, postpone=True)
    hall.settle()
    assert table.state.clocks(table.state.t)[1] == black_ms + 120_000
    assert (table.state.phase, hall.view.head.calls) == ("playing", ())


def test_a_flag_that_players_call_themselves_needs_no_arbiter(tmp_path: Path) -> None:
    hall = _hall(tmp_path, "club1997")
    table = hall.tables["1"]
    hall.at += 91 * 60_000
    table.act(ClaimFlag("black"))
    hall.settle()
    assert hall.view.head.calls == ()
    table.confirm()
    hall.settle()
    assert (hall.row(1).score, hall.row(1).ended_by) == ("0-1", "flag")


def test_a_ruled_flag_is_written_down_as_one(hall: Hall) -> None:
    table = hall.tables["1"]
    table.act(ClaimFlag("black"))
    hall.settle()
    hall.must("rule", board=1, score="0-1", why="the flag is down", call=only_call(hall).id, by_what="flag")
    hall.settle()
    assert (table.state.ended_by, table.state.ruled) == ("flag", True)
    assert hall.view.head.calls == ()


def test_an_arbiter_sees_what_he_may_do_and_what_the_record_holds(hall: Hall) -> None:
    table = hall.tables["1"]
    playing = game(hall, 1)
    assert {"pause", "penalty", "adjourn", "rule"} <= set(playing.can)
    assert "correct" not in playing.can
    press_illegally(hall, table)
    stopped = game(hall, 1)
    assert {"correct", "resume"} <= set(stopped.can)
    assert any("It can be claimed" in line for line in stopped.told)


def test_calls_of_the_table_are_named_for_what_they_are_about(tmp_path: Path) -> None:
    hall = _hall(tmp_path, "fide2023 default_ms=1000")
    assert hall.view.head.calls == (), "everybody has signed in"
    table = hall.tables["1"]
    table.write(Call(hall.at, None, "default time of 30 minutes", about="default"))
    hall.settle()
    call = only_call(hall)
    assert (call.kind, call.case.about if call.case else "") == ("default", "default")


def test_every_kind_of_order_is_one_the_laws_know() -> None:
    assert set(get_args(wire.OrderKind)) == set(_ORDERS)


def test_data_of_the_wrong_kind_are_refused_with_a_sentence(hall: Hall) -> None:
    wrong: tuple[dict[str, Any], ...] = ({"ply": "two"}, {"resume": 1}, {"side": "north"}, {"why": 7})
    for d in wrong:
        assert hall.do("correct", board=1, **d).why


def test_players_at_the_wrong_colours_who_play_on_change_them_in_the_list(hall: Hall) -> None:
    """After ten moves of each the game goes on as it is played (7.3): the result counts for the colours played."""
    table = hall.tables["1"]
    first = hall.row(1)
    table.moves(*(f"{file}{a}{file}{b}" for file in "abcdefgh" for a, b in ((2, 3), (7, 6))), "a3a4", "a6a5")
    hall.settle()
    assert "new game" in " ".join(game(hall, 1).told)
    table.moves("b3b4", "b6b5")
    hall.settle()
    hall.must("correct", board=1, error="colours", why="seen at move 11")
    hall.settle()
    hall.must("resume", board=1)
    hall.settle()
    table.resign("white")
    hall.settle()
    row = hall.row(1)
    assert (row.white.tpn, row.black.tpn) == (first.black.tpn, first.white.tpn)
    assert (row.score, hall.view.head.notices) == ("0-1", ())


@pytest.mark.parametrize("score", ["1-0", "1/2-1/2"])
def test_a_ruling_on_a_game_with_changed_colours_is_for_the_colours_played(hall: Hall, score: str) -> None:
    """7.3: the arbiter rules on the board he sees; the list, the table and the book say the same of the same player."""
    table = hall.tables["1"]
    first = hall.row(1)
    table.moves(*(f"{file}{a}{file}{b}" for file in "abcdefgh" for a, b in ((2, 3), (7, 6))), "a3a4", "a6a5")
    table.moves("b3b4", "b6b5")
    hall.settle()
    hall.must("correct", board=1, error="colours", why="seen at move 11")
    hall.settle()
    hall.must("rule", board=1, score=score, why="the phone of Black rang")
    hall.settle()
    row = hall.row(1)
    assert (row.white.tpn, row.black.tpn) == (first.black.tpn, first.white.tpn)
    assert (row.score, table.state.score, hall.view.head.notices) == (score, score, ())
    assert table.state.assignment is not None
    assert table.state.assignment.white.tpn == row.white.tpn


def test_the_arbiter_of_a_demonstration_puts_an_illegal_move_right(tmp_path: Path) -> None:
    """In a normal rapid hall the opponent claims it; the ruling comes from the record."""
    kept, hub_hall.REGULATIONS = hub_hall.REGULATIONS, replace(REGULATIONS, control="15+10")
    try:
        hall = Hall(tmp_path)
    finally:
        hub_hall.REGULATIONS = kept
    hall.connect()
    hall.begin_round()
    table = hall.tables["1"]
    press_illegally(hall, table)
    assert table.state.phase == "playing"
    assert only_call(hall).kind == "unexplained"
    table.act(ClaimIllegal("black"))
    hall.settle()
    claim = next(call for call in hall.view.head.calls if call.kind == "claim")
    ruling = rule(Case(claim, hall.row(1)), lambda round_, board: "")
    hall.must(ruling.kind, **ruling.d)
    hall.settle()
    assert (table.state.phase, table.state.plies, table.state.offences("white")) == ("playing", (), 1)
    assert hall.view.head.calls == ()
