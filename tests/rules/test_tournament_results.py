"""Results of every kind, corrections and how far they reach, adjourned games, two desks, FIDE handling."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rules.tournament import levels
from rules.tournament.book_events import Adjourned, FideExited, ReportCorrected
from rules.tournament.book_intents import (
    Adjourn,
    ChangeRegulations,
    CorrectEntry,
    CorrectResult,
    ExitFide,
    Forbid,
    Undo,
    WithdrawSheet,
)
from rules.tournament.corrections import preview, reach
from rules.tournament.entries import Entry
from rules.tournament.events import KIND_OF, KINDS, CallOpened, DraftDropped, Regulations, Resulted
from rules.tournament.integrity import KINDS as NOTE_KINDS
from rules.tournament.integrity import remarks
from rules.tournament.intents import (
    Confirmed,
    Enter,
    Finish,
    Pair,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Seal,
    Start,
)
from rules.tournament.levels import QUESTIONS, WARNINGS
from rules.tournament.report_check import report_checks
from rules.tournament.results import CODES, code_of
from rules.tournament.standings import standings
from rules.tournament.state import TournamentState
from tests.rules.book_hall import Hall, players

# -- codes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "white", "black", "is_game"),
    [
        ("1-0", 2, 0, True),
        ("0-1", 0, 2, True),
        ("1/2-1/2", 1, 1, True),
        ("0-0", 0, 0, True),
        ("1/2-0", 1, 0, True),
        ("0-1/2", 0, 1, True),
        ("1-0F", 2, 0, False),
        ("0-1F", 0, 2, False),
        ("0-0F", 0, 0, False),
        ("1-0U", 2, 0, True),
        ("0-1U", 0, 2, True),
        ("1/2-1/2U", 1, 1, True),
    ],
)
def test_every_result_means_the_same_everywhere(code: str, white: int, black: int, is_game: bool) -> None:
    hall = Hall(6)
    hall.starts()
    result = CODES[code]
    hall.does(Rule(1, 1, result.score, forfeit=not result.played, rated=result.rated or not result.played))
    pair = hall.sheet.pairs[0]
    assert (hall.points(pair.white), hall.points(pair.black)) == (white, black)
    state = hall.state.histories(1)
    mine = next(h for h in state if h.tpn == pair.white)
    assert mine.rounds[0].played is is_game
    assert mine.colours == (("white",) if is_game else ())
    assert mine.met == (frozenset({pair.black}) if is_game else frozenset())
    assert mine.barred_from_bye is (not is_game and white == 2)


def test_there_are_exactly_these_results() -> None:
    assert set(CODES) == {
        "1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2", "1-0F", "0-1F", "0-0F", "1-0U", "0-1U", "1/2-1/2U",
    }  # fmt: skip
    assert code_of("1/2-1/2", forfeit=True) is None
    assert code_of("1/2-0", forfeit=True) is None
    assert code_of("0-0", forfeit=False, rated=False) is None
    assert len({(*c.letters, c.score) for c in CODES.values()}) == len(CODES)
    hall = Hall(4, 3)
    hall.starts()
    assert hall.is_refused(Rule(1, 1, "1/2-0", forfeit=True)).why == "A forfeited game cannot be a draw."
    assert hall.is_refused(Rule(1, 1, "0-0", rated=False)).why == "There is no such result as 0-0."


def test_a_loss_that_is_worth_something_is_not_paid_for_absence() -> None:
    hall = Hall(4, 3, win_half_points=6, draw_half_points=4, loss_half_points=2, pab_half_points=6)
    hall.starts()
    hall.does(Rule(1, 1, "1-0"))
    hall.does(Rule(1, 2, "1-0", forfeit=True))
    first, second = hall.sheet.pairs
    assert [hall.points(t) for t in (first.white, first.black, second.white, second.black)] == [6, 2, 6, 0]


# -- corrections ------------------------------------------------------------------------------------------------------


def test_in_the_correction_time_everything_uses_the_truth() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    hall.does(hall.pairing())
    wanted = CorrectResult(1, 1, "0-1", why="typed wrongly")
    told = preview(hall.state, wanted)
    assert (told.reach, told.before, told.after, told.kept, told.restated, told.next_round) == (
        "free", "1-0", "0-1", (), (1,), 2,
    )  # fmt: skip
    pair = hall.state.rounds[0].pairs[0]
    moved = {m.tpn: (m.half_points_before, m.half_points_after) for m in told.moved}
    assert (moved[pair.white], moved[pair.black]) == ((2, 0), (0, 2))
    events = hall.does(wanted)
    assert [type(e) for e in events] == [Resulted, DraftDropped]
    assert remarks(hall.state) == ()


def test_once_the_next_round_is_public_it_stays_and_the_one_after_uses_the_truth() -> None:
    # B-076, first run; B-077 is the same with a draw, before the round starts.
    hall = Hall(8)
    hall.plays("1-0")
    hall.plays("0-1", "1-0")
    third = hall.starts()
    pair = hall.state.rounds[1].pairs[0]
    wanted = CorrectResult(2, 1, "1-0", why="both signed on the wrong side")
    told = preview(hall.state, wanted)
    assert (told.reach, told.kept, told.restated, told.next_round) == ("kept", (3,), (2,), 4)
    assert told.words == (
        "Round 3 is public and stays as it is. The standings and the pairing of round 4 use the new result."
    )
    before = hall.points(pair.white)
    hall.confirms(wanted, "correction-kept")
    assert hall.points(pair.white) == before + 2
    assert hall.sheet.pairs == third.pairs
    assert remarks(hall.state) == (
        f"Correction @ Round 2: {pair.white}-{pair.black}: 0-1 => {pair.white}-{pair.black}: 1-0",
    )
    assert [p.tpn for p in standings(hall.state, 2)] == [p.tpn for p in standings(hall.state)]


def test_a_loss_published_for_a_draw_is_put_right_before_the_next_round_starts() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    second = hall.publishes()
    hall.confirms(Rule(1, 3, "1/2-1/2", why="protest"), "correction-kept")
    assert hall.sheet == second
    pair = hall.state.rounds[0].pairs[2]
    assert (hall.points(pair.white), hall.points(pair.black)) == (1, 1)


def test_after_the_next_round_only_the_report_is_put_right() -> None:
    # B-076, second run.
    hall = Hall(8)
    hall.plays("1-0")
    hall.plays("1-0")
    hall.plays("1-0")
    pair = hall.state.rounds[1].pairs[0]
    table = standings(hall.state)
    wanted = CorrectResult(2, 1, "0-1", why="both signed on the wrong side")
    assert reach(hall.state, 2) == "report"
    told = preview(hall.state, wanted)
    assert (told.reach, told.restated, told.next_round, told.moved) == ("report", (), None, ())
    (report, _note) = hall.confirms(wanted, "correction-report")
    assert isinstance(report, ReportCorrected)
    assert standings(hall.state) == table
    assert hall.state.rounds[1].results[1].score == "1-0"
    assert remarks(hall.state)[-1].startswith(f"Report @ Round 2: {pair.white}-{pair.black}: 1-0 => ")
    hall.confirms(CorrectResult(2, 1, "1-0", why="no, it was right"), "correction-report")


def test_how_long_the_round_before_can_be_corrected_is_a_regulation() -> None:
    hall = Hall(8, correct_until="next-pairing")
    hall.plays("1-0")
    hall.plays("1-0")
    assert (reach(hall.state, 1), reach(hall.state, 2)) == ("kept", "free")
    hall.starts()
    assert reach(hall.state, 1) == "report"


def test_an_old_round_can_be_corrected_outside_fide_handling_and_all_standings_follow() -> None:
    # B-043.
    hall = Hall(8)
    for _n in range(4):
        hall.plays("1-0")
    before = [standings(hall.state, n) for n in range(1, 5)]
    hall.confirms(ExitFide("a club evening"), "fide-exit")
    wanted = CorrectResult(1, 1, "0-1", why="the score sheets say so")
    told = preview(hall.state, wanted)
    assert (told.reach, told.kept, told.restated) == ("all", (2, 3, 4), (1, 2, 3, 4))
    assert told.words.startswith("Rounds 2 to 4 are public and stay as they are.")
    hall.confirms(wanted, "correction-late")
    after = [standings(hall.state, n) for n in range(1, 5)]
    assert all(old != new for old, new in zip(before, after, strict=True))


def test_colours_as_they_were_played_are_used_from_the_next_pairing_on() -> None:
    # S-05.
    hall = Hall(6)
    hall.plays("1-0")
    pair = hall.sheet.pairs[0]
    hall.does(CorrectResult(1, 1, "1-0", swapped=True, why="they sat the other way round"))
    histories = {h.tpn: h for h in hall.state.histories(1)}
    assert histories[pair.white].colours == ("black",)
    assert hall.points(pair.black) == 2
    assert "another pair" in hall.is_refused(RecordResult(1, 1, "0-1", pair=(pair.white, pair.black))).why


def test_a_result_that_is_missing_or_strange_cannot_be_corrected() -> None:
    hall = Hall(6)
    hall.starts()
    assert "has no result to correct" in hall.is_refused(CorrectResult(1, 1, "1-0", why="x")).why
    assert "has no board 9" in hall.is_refused(CorrectResult(1, 9, "1-0", why="x")).why
    hall.results("1-0")
    assert "Say why" in hall.is_refused(CorrectResult(1, 1, "0-1")).why
    assert hall.does(CorrectResult(1, 1, "1-0", why="x")) == ()


def test_a_finished_event_takes_corrections_for_the_report_only() -> None:
    hall = Hall(4, 1)
    hall.plays("1-0")
    hall.does(Finish())
    assert "results are final" in hall.is_refused(Rule(1, 1, "0-1", why="late")).why
    hall.confirms(CorrectResult(1, 1, "0-1", why="late"), "correction-report")
    assert hall.state.rounds[0].results[1].score == "1-0"


# -- two desks --------------------------------------------------------------------------------------------------------


def test_the_second_desk_sees_both_results_before_it_saves() -> None:
    # S-27, B-047.
    hall = Hall(6)
    hall.starts()
    hall.does(RecordResult(1, 3, "1-0"), by="table 3")
    late = hall.is_refused(Rule(1, 3, "0-1", "from the slip", saw=""))
    assert (late.saw, late.now) == ("", "1-0")
    assert late.why == (
        "The result of board 3 in round 1 was changed by table 3 just now: you saw nothing, now it is 1-0. Look again."
    )
    hall.does(Rule(1, 3, "0-1", "from the slip", saw="1-0"), by="Berta")
    again = hall.is_refused(CorrectResult(1, 3, "1/2-1/2", why="x", saw="1-0"))
    assert (again.saw, again.now) == ("1-0", "0-1")
    assert "changed by Berta" in again.why
    assert hall.does(Rule(1, 3, "0-1", "from the slip", saw="0-1")) == ()


def test_a_warning_that_was_seen_is_worth_nothing_when_the_facts_have_changed() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    hall.starts()
    wanted = CorrectResult(1, 1, "0-1", why="x")
    seen = hall.is_refused(wanted).token
    hall.confirms(CorrectResult(1, 1, "1/2-1/2", why="y"), "correction-kept", by="Berta")
    changed = hall.is_refused(Confirmed(wanted, seen))
    assert "1/2-1/2 becomes 0-1" in changed.why
    assert changed.token != seen
    hall.does(Confirmed(wanted, changed.token))


# -- adjourned games --------------------------------------------------------------------------------------------------


def test_pairing_with_a_game_open_adjourns_it_after_a_look() -> None:
    # B-029.
    hall = Hall(6)
    hall.plays("1-0")
    hall.starts()
    board = hall.sheet.pairs[0]
    hall.does(RecordResult(2, 2, "1-0"))
    hall.does(RecordResult(2, 3, "1-0"))
    before = hall.points(board.white), hall.points(board.black)
    pairing = hall.pairing()
    assert hall.is_refused(pairing).why == "Round 2: board 1 has no result yet."
    events = hall.confirms(pairing, "adjourns")
    assert isinstance(events[0], Adjourned)
    draws = hall.state.pairing_state().by_tpn
    assert (draws[board.white].half_points, draws[board.black].half_points) == (before[0] + 1, before[1] + 1)
    hall.does(Publish(hall.tables))
    third = hall.sheet.pairs
    hall.does(Start())
    hall.confirms(Rule(2, 1, "1-0"), "adjourned-result")
    assert hall.points(board.white) == before[0] + 2
    assert hall.sheet.pairs == third
    assert remarks(hall.state) == (
        f"Adjournment @ Round 2: {board.white}-{board.black}: ? => {board.white}-{board.black}: 1-0",
    )
    hall.check_log()


def test_no_final_standings_while_a_game_is_adjourned() -> None:
    hall = Hall(4, 2)
    hall.starts()
    hall.does(RecordResult(1, 2, "1-0"))
    hall.does(Adjourn(1, 1, "half past ten", {"white_ms": 60_000, "envelope": "A7"}))
    assert hall.state.adjourned[0].sealed == {"white_ms": 60_000, "envelope": "A7"}
    hall.does(Seal(1))
    hall.does(hall.pairing())
    hall.does(Publish(hall.tables))
    hall.does(Start())
    hall.results("1-0")
    assert hall.is_refused(Finish()).why == (
        "Round 1: the game at board 1 is adjourned. It must be ended before the final standings."
    )
    assert "has the result" in hall.is_refused(Adjourn(2, 1)).why
    hall.does(Rule(1, 1, "1/2-1/2"))
    assert remarks(hall.state) == (), "it was paired as the draw that it became"
    hall.does(Finish())


def test_a_game_still_adjourned_rounds_later_is_told_of_at_each_pairing() -> None:
    hall = Hall(6)
    hall.starts()
    hall.does(Adjourn(1, 1))
    hall.results("1-0")
    hall.does(hall.pairing())
    hall.does(Publish(hall.tables))
    hall.does(Start())
    hall.results("1-0")
    hall.confirms(hall.pairing(), "adjourned-open")
    (result, _note, _stale) = hall.does(RecordResult(1, 1, "0-1"), by="table 1")
    assert isinstance(result, Resulted)


# -- FIDE handling ----------------------------------------------------------------------------------------------------


def test_the_way_out_has_two_steps_and_none_back() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    assert hall.state.fide_mode
    assert "Say why" in hall.is_refused(ExitFide("")).why
    out = ExitFide("the sponsor wants it")
    first = hall.is_refused(out)
    second = hall.is_refused(Confirmed(out, first.token))
    assert (first.level, second.level) == (4, 4)
    assert first.token != second.token
    assert "There is no way back" in second.why
    assert "cannot be taken out" in second.why
    (event,) = hall.does(Confirmed(out, second.token))
    assert isinstance(event, FideExited)
    assert not hall.state.fide_mode
    assert remarks(hall.state) == ("FIDE mode exited @ Round 1",)
    while hall.state.steps:
        assert not isinstance(hall.asks(Undo(why="back")), Refusal)
    assert not hall.state.fide_mode
    assert hall.does(out) == ()


def test_not_even_another_list_brings_fide_handling_back() -> None:
    hall = Hall(6)
    hall.confirms(ExitFide("x"), "fide-exit")
    hall.does(Enter(players(8), Regulations("Another", 3)))
    assert not hall.state.fide_mode


def test_outside_fide_handling_what_was_locked_needs_two_steps() -> None:
    hall = Hall(6)
    hall.starts()
    change = ChangeRegulations({"loss_half_points": 1}, "x")
    refusals = [hall.is_refused(change), hall.is_refused(Forbid((1, 2))), hall.is_refused(WithdrawSheet("x"))]
    assert [(r.level, r.token) for r in refusals] == [(5, "")] * 3
    hall.confirms(ExitFide("x"), "fide-exit")
    hall.confirms(Forbid((1, 2)), "forbidden-late")
    hall.confirms(change, "points-changed")
    hall.confirms(WithdrawSheet("fire alarm"), "sheet-withdrawn", "sheet-started")
    assert hall.state.rounds == ()


def test_notes_are_ascii_whatever_the_reason_says() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    hall.starts()
    hall.confirms(Rule(1, 1, "0-1", why="pogrešan rezultat ♟"), "correction-kept")
    assert all(line.isascii() for line in remarks(hall.state))
    assert hall.state.notes[0].why == "pogrešan rezultat ♟"
    assert {n.kind for n in hall.state.notes} <= set(NOTE_KINDS)


# -- levels and log ---------------------------------------------------------------------------------------------------


def test_the_five_levels_are_a_table_and_every_warning_cites_its_article() -> None:
    assert {kind.level for kind in WARNINGS.values()} == {2, 3, 4, 5}
    assert all(kind.article.startswith(("C.0", "Laws 1")) for kind in WARNINGS.values())
    assert set(QUESTIONS) == {2, 3, 4, 5}
    assert all(question() for question in QUESTIONS.values())


def test_every_warning_is_given_somewhere() -> None:
    folder = Path(levels.__file__).parent
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py") if path.name != "levels.py")
    assert [key for key in WARNINGS if f'"{key}"' not in texts] == []


def test_every_kind_of_event_survives_the_log() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    hall.starts()
    hall.confirms(Rule(1, 1, "0-1", why="x"), "correction-kept")
    hall.does(Adjourn(2, 1, "late", {"envelope": "A"}))
    hall.confirms(ExitFide("x"), "fide-exit")
    for event in hall.log:
        kind = KIND_OF[type(event)]
        assert msgspec.json.decode(msgspec.json.encode(event), type=KINDS[kind]) == event


def test_old_events_are_read_with_what_was_meant_before_there_were_new_fields() -> None:
    old = b'{"at":1,"round":1,"board":2,"score":"1-0","source":"ruling","by":"Ada","why":"x"}'
    assert msgspec.json.decode(old, type=Resulted).rated is True
    entry = msgspec.json.decode(b'{"tpn":1,"name":"A","rating":2000}', type=Entry)
    assert entry == Entry(1, "A", 2000)
    regulations = msgspec.json.decode(b'{"name":"x","rounds":5}', type=Regulations)
    assert (regulations.win_half_points, regulations.half_byes) == (2, 1)


def test_a_dispute_is_opened_for_the_arbiter_and_never_overwrites() -> None:
    hall = Hall(6)
    hall.starts()
    hall.does(RecordResult(1, 1, "1-0"))
    (call,) = hall.does(RecordResult(1, 1, "1/2-1/2"))
    assert isinstance(call, CallOpened)
    assert hall.sheet.results[1].score == "1-0"
    stopped = hall.asks(Pair(hall.pairing().answer))
    assert isinstance(stopped, Refusal)


def test_what_the_report_will_lack_is_told_before_it_goes_out() -> None:
    hall = Hall(4, 2, arbiter="Orlova", city="Niš", start_date="2026/05/01")
    hall.starts()
    hall.does(Rule(1, 1, "1-0", "a move each", rated=False))
    assert report_checks(hall.state) == (
        "Round 1: board 2 has no result yet.",
        "The federation of the event is not named.",
        "Without a FIDE id: 1 Player 1, 2 Player 2, 3 Player 3, 4 Player 4.",
        "Without a federation: 1 Player 1, 2 Player 2, 3 Player 3, 4 Player 4.",
        "Without a date of birth: 1 Player 1, 2 Player 2, 3 Player 3, 4 Player 4.",
        "1 round is still to be played.",
        "1 game is not rated.",
    )
    for tpn, name in enumerate(("Čермак", "Žofie Čermáková", "Ana", "Łukasz"), 1):
        hall.does(CorrectEntry(Entry(tpn, name, fide_id=tpn, federation="SRB", birth="2000")))
    assert report_checks(hall.state)[2] == "Not in Latin letters: 1 Čермак."
    assert report_checks(TournamentState()) == ()
