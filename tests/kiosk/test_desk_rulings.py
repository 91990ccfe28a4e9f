"""What is written on the desk, and what a ruling asks the hub to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hallnet.views import BoardState, CallView, CaseView
from kiosk.desk import rows
from kiosk.desk.actions import PAGES, actions, key_line, page_names
from kiosk.desk.app import DeskApp
from kiosk.desk.context import Context
from kiosk.desk.list_page import tabs
from kiosk.desk.rows import Arrived
from kiosk.desk.rulings import NoTime, Ruling, options, read_time
from kiosk.desk.subjects import place_of
from kiosk.widgets.evidence import evidence_lines
from kiosk.widgets.words import cut_at_word
from rules.tournament.results import CODES
from tests.kiosk import fakes

CLAIM, DISPUTE = fakes.calls()


def words(**fields: Any) -> str:
    sign, text, _role = rows.state(fakes.board(1, **fields), 0)
    return f"{sign} {text}".strip()


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"state": "draft"}, "draft"),
        ({"state": "sent"}, "sheet not taken"),
        ({"state": "assigned", "ready": ("black",)}, "Black ready"),
        ({"state": "playing"}, "playing"),
        ({"offer": "white"}, "= draw offered"),
        ({"clock": fakes.clock(flagged="black")}, "# flag: Black"),
        ({"call": "claim"}, "! claim"),
        ({"state": "ended", "score": "1/2-1/2"}, "? ½-½ to confirm"),
        ({"state": "disputed", "call": "dispute"}, "? disputed"),
        ({"state": "confirmed", "score": "1-0"}, "1-0 confirmed"),
        ({"state": "ruled", "score": "0-1"}, "0-1 ruled"),
        ({"state": "confirmed", "score": "1/2-1/2", "call": "call"}, "! ½-½, call"),
        ({"state": "ruled", "score": "0-1", "ended_by": "forfeit"}, "0-1 forfeit"),
        ({"offline": 34_000, "call": "claim"}, "~ no contact 0:34"),
        ({"offline": 34_000, "state": "confirmed", "score": "1-0"}, "1-0 confirmed"),
    ],
)
def test_each_state_has_words_and_the_urgent_ones_a_sign(fields: dict[str, Any], shown: str) -> None:
    assert words(**fields) == shown


def clocks(seconds: int, speed: float = 1.0, **fields: Any) -> str:
    arrived = Arrived(fakes.board(1, **fields), fakes.NOW)
    return rows.clocks(arrived, fakes.NOW + seconds * 1000, speed, "hall-dark").plain


def test_clocks_are_counted_on_from_their_arrival() -> None:
    both = fakes.clock(white_ms=100_000, black_ms=200_000)
    assert clocks(0, clock=both).split() == [">1:40", "3:20"]
    assert clocks(41, clock=both).split() == [">0:59!", "3:20"]
    assert clocks(4, 20.0, clock=both).split() == [">0:20!", "3:20"]


def test_clocks_that_do_not_run_stand_still() -> None:
    both = fakes.clock(white_ms=100_000, black_ms=200_000)
    assert clocks(41, state="confirmed", clock=both).split() == ["1:40", "3:20"]
    assert clocks(41, state="paused", clock=fakes.clock(white_ms=100_000, black_ms=200_000, paused=True)).split() == [
        "1:40",
        "3:20",
    ]
    assert clocks(41, clock=fakes.clock(white_ms=5, black_ms=200_000, flagged="white")).split() == ["0:00#", "3:20"]


@pytest.mark.parametrize("width", [80, 94, 100, 120, 160, 200])
def test_the_columns_fit_the_width(width: int) -> None:
    wanted = rows.columns(width)
    assert sum(column.width + 2 for column in wanted) <= width - 2
    cells = rows.cells(Arrived(fakes.board(7), 0), 0, 1.0, wanted, "hall-dark")
    assert all(cell.cell_len <= column.width for cell, column in zip(cells, wanted, strict=True))


def test_a_claim_is_answered_first_with_draw_or_more_time() -> None:
    found = options(fakes.board(4), 3, 4, CLAIM)
    right, two, one = found[0].ruling, found[1].ruling, found[2].ruling
    assert right.intents() == (("rule", {"round": 3, "board": 4, "score": "1/2-1/2", "why": "", "call": CLAIM.id}),)
    assert two.intents()[0] == (
        "continue", {"round": 3, "board": 4, "bonus_ms": 120_000, "side": "black", "why": ""}
    )  # fmt: skip
    assert one.bonus_ms == 60_000


def test_a_dispute_cannot_be_waved_away() -> None:
    found = options(fakes.board(5, state="disputed"), 3, 5, DISPUTE)
    assert {option.ruling.kind for option in found} == {"rule"}
    assert [o.ruling.score for o in found if not o.ruling.forfeit][:4] == ["1-0", "1/2-1/2", "0-1", "0-0"]


def test_every_result_there_is_can_be_ruled() -> None:
    found = options(fakes.board(9), 3, 9, None)
    facts = {(o.ruling.score, not o.ruling.forfeit, o.ruling.rated and not o.ruling.forfeit) for o in found}
    assert facts == {(code.score, code.played, code.rated) for code in CODES.values()}
    assert len(found) == len(CODES)
    unrated = next(o.ruling for o in found if o.words == "result ½-½ unrated")
    assert unrated.intents()[0][1]["rated"] is False


def test_letting_a_paused_game_go_on_closes_the_call() -> None:
    ruling = Ruling("resume", 3, 2, call="2-1-7")
    assert ruling.intents() == (
        ("resume", {"round": 3, "board": 2}),
        ("close-call", {"id": "2-1-7", "ruling": "dealt with"}),
    )


def test_a_forfeit_is_marked_as_one() -> None:
    forfeits = [o.ruling for o in options(fakes.board(9), 3, 9, None) if o.ruling.forfeit]
    assert [r.score for r in forfeits] == ["1-0", "0-1", "0-0"]
    assert forfeits[0].intents()[0] == (
        "result", {"round": 3, "board": 9, "score": "1-0", "why": "", "forfeit": True}
    )  # fmt: skip


@pytest.mark.parametrize(("text", "ms"), [("12:40", 760_000), ("1:12:40", 4_360_000), (" 0:05 ", 5_000)])
def test_times_are_read(text: str, ms: int) -> None:
    assert read_time(text) == ms


@pytest.mark.parametrize("text", ["", "12", "12:60", "1:75:00", "0:00", "a:bc"])
def test_a_time_that_is_none_is_explained(text: str) -> None:
    with pytest.raises(NoTime, match=r"\.$"):
        read_time(text)


@pytest.mark.parametrize("page", PAGES)
def test_no_key_of_a_page_has_two_meanings(page: str) -> None:
    keys = [key for action in actions() if action.on(page) for key in action.keys.split(",")]
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)


def test_every_action_can_be_done_by_its_row() -> None:
    names = [action.name for action in actions()]
    assert len(names) == len(set(names))
    for action in actions():
        assert action.form or action.name in page_names() or callable(getattr(DeskApp, f"act_{action.name}"))
        assert action.form is None or not action.form.after or callable(getattr(DeskApp, f"after_{action.form.after}"))
        assert action.help.endswith((".", "?")), action.name
        assert bool(action.keys) == bool(action.written) == bool(action.pages), action.name


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [80, 100, 160])
def test_palette_and_the_way_out_are_always_in_the_bottom_line(width: int, page: str) -> None:
    c = Context(page, fakes.hall(), fakes.book(), fakes.sheet(), fakes.office(), visits=True)
    c = replace(c, place=place_of(c, 4), player=c.book.players[0], step=c.book.undo[0])
    for lines in (1, 2):
        found = key_line(c, width, lines)
        assert [key for key, _short in found[-1][-2:]] == ([":", "Esc"] if page == "board" else ["F1 ?", ":"])
        assert all(sum(len(key) + len(short) + 3 for key, short in line) <= width for line in found)
        shown = [key for line in key_line(replace(c, visits=False), width, lines) for key, _short in line]
        assert page == "standings" or "v" not in shown


def test_freshness_is_told_honestly() -> None:
    assert rows.freshness(True, True, 2_900) == ("live", False)
    assert rows.freshness(True, True, 7_900) == ("~ silent for 7 s", True)
    assert rows.freshness(True, False, 7_900)[1]
    assert rows.freshness(False, True, 0)[1]


def test_evidence_is_told_in_words_and_nothing_is_left_out() -> None:
    evidence = {"at_ms": "5", "article": "6.9", "flag": "white", "white_ms": "0", "black_ms": "61500", "new": "x"}
    assert evidence_lines(evidence) == (
        "Laws, article: 6.9",
        "flag: White",
        "clocks: 0:00:00.000, 0:01:01.500",
        "new: x",
    )
    assert evidence_lines(evidence, technical=True)[-1] == "at_ms: 5"


# -- the Laws ---------------------------------------------------------------------------------------------------------


def about(case: CaseView, kind: str = "claim", side: str = "white", state: BoardState = "paused") -> dict[str, Ruling]:
    """The rulings that answer a call with this case, by their words (those that are no plain results)."""
    call = CallView(id="4-1-88", round=3, board=4, kind=kind, side=side, why="", since=0, case=case)
    row = fakes.board(4, state=state, score="1-0", ended_by="flag")
    return {option.words: option.ruling for option in options(row, 3, 4, call) if "result " not in option.words[:7]}


def test_an_illegal_move_is_upheld_with_the_time_of_the_edition_or_turned_down() -> None:
    found = about(CaseView(about="illegal-move", against=("black",), bonus_ms=60_000))
    upheld, down = list(found.items())[:2]
    assert upheld[0] == "illegal move upheld: position back, 1 min to White"
    assert upheld[1].intents() == ((
        "correct",
        {"round": 3, "board": 4, "offence": "illegal-move", "side": "black", "resume": True, "why": ""},
    ),)  # fmt: skip
    assert down[1].intents()[0][0] == "continue"
    assert "Black has lost by it" in next(iter(about(CaseView(about="illegal-move", against=("black",), loses=True))))


def test_an_illegal_move_that_the_table_saw_is_turned_down_by_playing_on() -> None:
    case = CaseView(about="illegal-move", against=("white",))
    down = list(about(case, "illegal-move", "").values())[1]
    assert [kind for kind, _d in down.intents()] == ["resume", "close-call"]
    running = list(about(case, "illegal-move", "", "playing").values())[1]
    assert [kind for kind, _d in running.intents()] == ["close-call"]


def test_a_claimed_flag_is_a_result_by_flag_or_turned_down() -> None:
    down, fell, no_mate = list(about(CaseView(about="flag")).items())[:3]
    assert down[0] == "turned down: play on", "the clock shows no flag: the first key must not give the game away"
    assert (fell[0], fell[1].score) == ("flag of Black fell: result 1-0", "1-0")
    assert fell[1].intents()[0][1]["by_what"] == "flag"
    assert (no_mate[1].score, no_mate[1].by_what) == ("1/2-1/2", "flag")
    assert down[1].kind == "continue"
    first = next(iter(about(CaseView(about="flag", against=("white",), proven=False))))
    assert first == "flag of White fell: result 0-1"


def test_who_did_not_come_in_time_loses_by_forfeit_at_the_first_key() -> None:
    found = about(CaseView(about="default", against=("black",)), "default", "", "playing")
    assert list(found)[:2] == ["Black did not come: 1-0 by forfeit", "call is dealt with, nothing changes"]
    assert next(iter(found.values())).forfeit
    both = about(CaseView(about="default", against=("white", "black")), "default", "", "playing")
    assert next(iter(both)) == "White + Black did not come: 0-0 by forfeit"


def test_a_provisional_result_stands_or_is_a_draw() -> None:
    stands, draw = list(about(CaseView(about="undetermined"), "undetermined", "", "ended").items())[:2]
    assert (stands[0], stands[1].kind) == ("the result stands: 1-0", "close")
    assert (draw[1].score, draw[1].by_what) == ("1/2-1/2", "flag")


def test_a_wrong_draw_claim_costs_first_what_the_edition_says() -> None:
    found = list(about(CaseView(about="repetition", bonus_ms=60_000)).items())
    assert found[0][0] == "turned down: 1 min to Black, play on"
    assert found[0][1].bonus_ms == 60_000


@pytest.mark.parametrize("what", ["repetition", "fifty-moves"])
@pytest.mark.parametrize("proven", [True, False])
def test_the_first_answer_to_a_draw_claim_is_what_the_record_shows(what: str, proven: bool) -> None:
    words, ruling = next(iter(about(CaseView(about=what, proven=proven, bonus_ms=120_000)).items()))
    assert (words == "claim is right: draw") == proven
    assert (ruling.score == "1/2-1/2") == proven


# -- the head of the hall ---------------------------------------------------------------------------------------------


def test_the_hall_says_that_it_is_not_under_fide_handling_any_more() -> None:
    head = fakes.hall().head
    left = msgspec.structs.replace(head, fide_mode=False)
    assert "! NOT FIDE" in rows.title_line(left, left.wall, 78)
    assert "NOT FIDE" not in rows.title_line(head, head.wall, 78)


@given(st.text("abcdefgh öß中", max_size=120), st.integers(20, 160), st.booleans())
def test_a_notice_is_never_cut_without_a_sign(notice: str, width: int, noticed: bool) -> None:
    head = msgspec.structs.replace(fakes.hall().head, notices=("Older.", notice) if noticed else ())
    line, told = rows.second_line(head, width)
    assert cell_len(line) + (2 if told else 0) + cell_len(told) <= width
    assert not noticed or told == f"! {notice}" or told.endswith("…")
    cut = cut_at_word(notice, width)
    assert cell_len(cut) <= width
    assert cut == notice or (cut.endswith("…") and notice.startswith(cut[:-1]))


@given(
    st.sampled_from(["hall", "players", "prizes"]), st.integers(0, 99), st.booleans(), st.sampled_from([80, 100, 160])
)
def test_who_calls_and_what_is_wrong_is_always_seen_beside_the_pages(
    here: str, calls: int, wrong: bool, width: int
) -> None:
    said = "~ not connected for 120 s" if wrong else "live"
    line = tabs(here, calls, (said, wrong), width).plain
    assert cell_len(line) <= width
    assert said in line
    assert not calls or here == "hall" or f"! {calls} call" in line
