"""Rounds by hand, sheets that are withdrawn, and everything that can be undone and done again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.state import NoPairing, PairingAnswer
from rules.tournament.book_events import ManualClosed, SheetWithdrawn, Undone
from rules.tournament.book_intents import (
    Adjourn,
    ChangeRegulations,
    CloseManual,
    CorrectEntry,
    CorrectResult,
    EnterLate,
    Expel,
    Flag,
    Forbid,
    MakeRound,
    OpenManual,
    Redo,
    Renumber,
    RequestBye,
    Return,
    Undo,
    WithdrawSheet,
)
from rules.tournament.decide_undo import step_name
from rules.tournament.entries import Entry
from rules.tournament.events import DraftDropped, Paired, Published, Resulted, TournamentEvent
from rules.tournament.integrity import remarks
from rules.tournament.intents import (
    Confirmed,
    DropDraft,
    Intent,
    Pair,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Start,
    Withdraw,
)
from rules.tournament.state import TournamentState
from tests.rules.book_hall import Hall

# -- by hand ----------------------------------------------------------------------------------------------------------


def drawn_round(hall: Hall) -> tuple[tuple[int, int], ...]:
    """The engine's pairs for the next round."""
    return hall.pairing().answer.pairs


def test_a_round_by_hand_is_compared_with_the_engine_and_noted_once_it_is_public() -> None:
    hall = Hall(6)
    hall.plays()
    assert "with a reason" in hall.is_refused(MakeRound(((1, 2),))).why
    assert "Say why" in hall.is_refused(OpenManual(" ")).why
    hall.does(OpenManual("a ruling"))
    assert hall.does(OpenManual("again")) == ()
    assert "by hand" in hall.is_refused(Pair(PairingAnswer((), None))).why
    assert "Nothing is paired yet" in hall.is_refused(CloseManual()).why
    assert hall.is_refused(MakeRound(((1, 2), (3, 4)))).why == "Player 5 is not on the sheet."
    engine = drawn_round(hall)
    first, second = engine[0], engine[1]
    swapped = (first[::-1], *engine[1:])
    hall.does(MakeRound(swapped))
    assert hall.does(MakeRound(swapped)) == ()
    assert "Close that first" in hall.is_refused(Publish(hall.tables)).why
    closing = hall.is_refused(CloseManual())
    assert (closing.level, [w.key for w in closing.warnings]) == (4, ["engine-differs"])
    assert f"The engine pairs {first[0]}-{first[1]}; by hand it is {first[1]}-{first[0]}." in closing.why
    hall.confirms(CloseManual(), "engine-differs")
    assert remarks(hall.state) == (), "a draft is nobody's business"
    hall.does(Publish(hall.tables))
    assert remarks(hall.state) == (f"MPA @ Round 2: {first[0]}-{first[1]} => {first[1]}-{first[0]}",)
    assert hall.sheet.pair_of(second[0]) is not None
    hall.check_log()


def _keys(hall: Hall, intent: Intent) -> list[str]:
    return [w.key for w in hall.is_refused(intent).warnings]


def test_a_round_by_hand_that_is_the_engines_needs_no_warning_and_no_note() -> None:
    hall = Hall(6)
    hall.plays()
    pairing = hall.pairing()
    hall.does(OpenManual("the projector shows how"))
    hall.does(MakeRound(pairing.answer.pairs, pairing.answer.bye))
    (closed,) = hall.does(CloseManual())
    assert isinstance(closed, ManualClosed)
    assert closed.differences == ()
    hall.does(Publish(hall.tables))
    assert remarks(hall.state) == ()


def test_each_fault_of_a_round_by_hand_is_named() -> None:
    # B-031: a rematch, a second PAB and a third equal colour in round 4 of 7.
    hall = Hall(7, 7)
    hall.pairs((1, 4), (5, 2), (3, 6), bye=7)
    hall.results("1-0")
    hall.pairs((1, 5), (3, 2), (4, 7), bye=6)
    hall.results("1-0")
    hall.does(OpenManual("they are all that is left"))
    rematch = hall.is_refused(MakeRound(((4, 1), (5, 2), (3, 6)), 7))
    keys = {w.key: w.words for w in rematch.warnings}
    assert "have already met" in keys["rematch"]
    assert keys["bye-barred"] == "7 has had the bye, or a win's points without playing."
    assert keys["colour-repeated"] == "3 would have White for the third time in a row."
    assert rematch.level == 3
    hall.does(DropDraft())
    assert hall.state.manual == 0


def test_a_forbidden_pair_and_two_wrong_colours_are_named_by_hand() -> None:
    hall = Hall(6)
    hall.does(Forbid((1, 3)))
    hall.pairs((1, 4), (5, 2), (3, 6))
    hall.results("1-0")
    hall.does(OpenManual("asked for"))
    refusal = hall.is_refused(MakeRound(((1, 3), (6, 5), (4, 2))))
    assert {w.key: w.words for w in refusal.warnings} == {
        "forbidden-pair": "The regulations forbid the pairing 1 against 3."
    }
    assert refusal.level == 3
    wrong = hall.is_refused(MakeRound(((1, 2), (5, 4), (3, 6))))
    assert ("colours-both-against", 2) in [(w.key, w.level) for w in wrong.warnings]


def test_the_engines_draft_can_be_changed_by_hand() -> None:
    hall = Hall(6)
    hall.does(hall.pairing())
    hall.does(OpenManual("friends"))
    assert hall.state.draft is not None
    changed = MakeRound(((1, 5), (4, 2), (3, 6)))
    hall.does(changed)
    hall.confirms(CloseManual(), "engine-differs")
    hall.does(Undo())
    assert hall.state.manual == 1, "open again"
    hall.does(Undo())
    assert [(p.white, p.black) for p in hall.state.draft.pairs] != list(changed.pairs), "the engine's pairing is back"
    hall.check_log()


def test_where_the_engine_finds_no_pairing_the_event_can_be_finished_by_hand() -> None:
    hall = Hall(4, 3)
    hall.pairs((1, 3), (4, 2))
    hall.results("1-0")
    hall.pairs((2, 1), (3, 4))
    hall.results("1-0")
    hall.does(Withdraw(2))
    hall.does(Withdraw(3))
    hall.does(Return(3))
    # 1 and 3 have met, 3 and 4 have met, 1 and 4 have not; with 3 left over twice there is nothing legal.
    hall.does(RequestBye(4, 3, "Z"))
    with pytest.raises(NoPairing):
        hall.pairing()
    hall.does(OpenManual("two players are left and have met"))
    again = MakeRound(((3, 1),))
    hall.confirms(again, *_keys(hall, again))
    hall.confirms(CloseManual(), "no-engine")
    hall.does(Publish(hall.tables))
    assert remarks(hall.state) == ("MPA @ Round 3: - => by hand",)


def test_a_round_robin_by_hand_keeps_everybody_on_the_sheet() -> None:
    hall = Hall(4, 3, system="berger")
    hall.does(OpenManual("the hall has two rooms"))
    assert "not on the sheet" in hall.is_refused(MakeRound(((1, 2),))).why
    hall.does(MakeRound(((1, 2), (3, 4))))
    hall.confirms(CloseManual(), "engine-differs")
    hall.does(Publish(hall.tables))


# -- withdrawn sheets -------------------------------------------------------------------------------------------------


def test_a_public_sheet_is_withdrawn_before_a_clock_runs_and_its_next_revision_is_higher() -> None:
    # B-041, S-25.
    hall = Hall(6)
    hall.plays("1-0")
    first = hall.publishes()
    hall.confirms(WithdrawSheet("board 3 of round 1 was typed wrongly", first.checksum), "sheet-withdrawn")
    assert len(hall.state.rounds) == 1
    assert hall.state.old_sheets[2] == (first,)
    assert hall.state.draft is not None
    assert hall.state.draft.rev == 0
    events = hall.does(Rule(1, 3, "0-1", why="typed wrongly"))
    assert [type(e) for e in events] == [Resulted, DraftDropped]
    second = hall.publishes()
    assert (first.rev, second.rev) == (1, 2)
    assert first.checksum != second.checksum
    stale = hall.is_refused(WithdrawSheet("x", first.checksum))
    assert (stale.saw, stale.now) == (first.checksum, second.checksum)
    hall.check_log()


def test_a_started_sheet_stays_under_fide_handling() -> None:
    hall = Hall(6)
    hall.starts()
    refusal = hall.is_refused(WithdrawSheet("wrong"))
    assert (refusal.level, refusal.token) == (5, "")
    hall.does(RecordResult(1, 1, "1-0"))
    assert "has results" in hall.is_refused(WithdrawSheet("wrong")).why
    assert "Say why" in hall.is_refused(WithdrawSheet("")).why


def test_a_manual_round_that_is_withdrawn_leaves_no_note() -> None:
    hall = Hall(6)
    hall.does(OpenManual("x"))
    hall.does(MakeRound(((1, 5), (4, 2), (3, 6))))
    hall.confirms(CloseManual(), "engine-differs")
    hall.does(Publish(hall.tables))
    assert len(remarks(hall.state)) == 1
    hall.confirms(WithdrawSheet("no, the engine is right"), "sheet-withdrawn")
    hall.does(DropDraft())
    hall.publishes()
    assert remarks(hall.state) == ()


# -- undo -------------------------------------------------------------------------------------------------------------


def undone(hall: Hall, intent: Intent, *keys: str) -> None:
    """What the intent does is undone and done again, and both bring back exactly what was there."""
    before = book_of(hall.state)
    hall.confirms(intent, *keys) if keys else hall.does(intent)
    after = book_of(hall.state)
    assert after != before
    hall.does(Undo())
    assert book_of(hall.state) == before
    hall.does(Redo())
    assert book_of(hall.state) == after
    hall.does(Undo())
    hall.check_log()


def book_of(state: TournamentState) -> tuple[object, ...]:
    """What the book says, without when and by whom."""
    rounds = [
        (r.number, r.pairs, r.bye, dict(r.byes), r.rev, _results(r.results), sorted(r.adjourned)) for r in state.rounds
    ]
    draft = state.draft and (state.draft.pairs, state.draft.bye, state.draft.manual)
    byes = {(n, t): k for n, given in state.byes.items() for t, k in given.items()}
    return (state.regulations, list(state.entries.items()), rounds, draft, byes, dict(state.withdrawn), state.expelled,
            state.no_half_bye, state.manual)  # fmt: skip


def _results(results: object) -> list[object]:
    assert isinstance(results, dict)
    return [(board, r.score, r.source, r.rated) for board, r in sorted(results.items())]


@pytest.mark.parametrize(
    ("intent", "keys"),
    [
        (Withdraw(3), ()),
        (Expel(3, "noise"), ("expelled",)),
        (RequestBye(3, 2), ()),
        (Flag(3), ()),
        (EnterLate(Entry(0, "New", 2475)), ()),
        (ChangeRegulations({"tie_breaks": ("SB",)}, "misprint"), ("tie-breaks-changed",)),
        (Rule(1, 1, "0-1", why="wrong"), ()),
        (Rule(1, 1, "1-0", why="not there", forfeit=True), ()),
        (CorrectResult(1, 1, "0-1", swapped=True, why="they sat the other way round"), ()),
        (OpenManual("x"), ()),
    ],
)
def test_what_was_done_can_be_undone_and_done_again(intent: Intent, keys: tuple[str, ...]) -> None:
    hall = Hall(6)
    hall.plays("1-0")
    undone(hall, intent, *keys)


def test_numbers_come_back_too() -> None:
    hall = Hall(6)
    hall.plays()
    hall.does(ChangeRegulations({"equals": "name"}))
    entry = hall.state.entries[6]

    hall.does(CorrectEntry(replace(entry, rating=2700)))
    undone(hall, Renumber("ratings corrected"), "renumbers")


def test_undoing_a_withdrawal_brings_the_draft_back() -> None:
    hall = Hall(6)
    hall.plays()
    hall.does(hall.pairing())
    draft = hall.state.draft
    hall.does(Withdraw(2))
    assert hall.state.draft is None
    events = hall.does(Undo())
    assert isinstance(events[0], Undone)
    assert hall.state.draft == draft


def test_a_dropped_draft_comes_back_only_while_nothing_has_changed() -> None:
    hall = Hall(6)
    hall.plays()
    hall.does(hall.pairing())
    hall.does(DropDraft())
    drop = hall.state.steps[-1].act
    hall.does(RequestBye(1, 2, "Z"))
    assert hall.is_refused(Undo(drop)).why == "The draft rested on other results or entries. Pair again."
    hall.does(Undo())
    hall.does(Undo(drop))
    assert hall.state.draft is not None


def test_later_acts_on_the_same_player_are_undone_first() -> None:
    hall = Hall(6)
    hall.does(Withdraw(2))
    hall.does(Return(2))
    hall.does(Withdraw(3))
    first = hall.state.steps[0].act
    assert hall.is_refused(Undo(first)).why == "Undo Player 2 (2) returned first."
    assert hall.is_refused(Undo(999)).why == "Act 999 cannot be undone any more."
    hall.does(Undo())
    hall.does(Undo())
    hall.does(Undo(first))
    assert hall.state.withdrawn == {}
    assert "nothing to undo" in hall.is_refused(Undo()).why
    assert hall.is_refused(Redo(hall.state.undone[0].act)).why == "Do again Player 2 (2) withdrawn first."
    for _n in range(3):
        hall.does(Redo())
    assert set(hall.state.withdrawn) == {3}


def test_undo_of_another_desks_act_is_refused_with_both() -> None:
    hall = Hall(6)
    hall.does(Withdraw(2))
    mine = hall.state.steps[-1].act
    hall.does(Withdraw(3), by="Berta")
    refusal = hall.is_refused(Undo(saw=mine))
    assert (refusal.saw, refusal.now) == ("Player 2 (2) withdrawn", "Player 3 (3) withdrawn")
    assert "changed by Berta" in refusal.why


def test_anything_new_ends_what_could_be_done_again() -> None:
    hall = Hall(6)
    hall.does(Withdraw(2))
    hall.does(Undo())
    hall.does(Withdraw(3))
    assert "nothing to do again" in hall.is_refused(Redo()).why


def test_undoing_a_publication_is_withdrawing_the_sheet() -> None:
    hall = Hall(6)
    hall.does(Withdraw(6))
    hall.publishes()
    away = hall.state.steps[0].act
    assert hall.is_refused(Undo(away)).why == "Undo round 1 made public first."
    assert "Say why" in hall.is_refused(Undo()).why
    events = hall.confirms(Undo(why="wrong players"), "sheet-withdrawn")
    assert [type(e) for e in events] == [Undone, SheetWithdrawn]
    assert "publish the draft" in hall.is_refused(Redo()).why
    hall.does(Undo())
    hall.does(Undo(away))
    assert hall.state.withdrawn == {}
    hall.check_log()


def test_after_the_start_nothing_from_before_is_undone() -> None:
    hall = Hall(6)
    hall.publishes()
    hall.does(Start())
    assert "nothing to undo" in hall.is_refused(Undo()).why
    hall.does(Rule(1, 1, "1-0"))
    hall.does(Undo())
    assert hall.sheet.open_boards == (1, 2, 3)
    hall.does(RecordResult(1, 1, "0-1"))
    assert "nothing to do again" in hall.is_refused(Redo()).why


def test_undoing_a_correction_of_an_earlier_round_is_noted_like_the_correction() -> None:
    hall = Hall(6)
    hall.plays("1-0")
    hall.starts()
    numbers = hall.state.rounds[0].pairs[0]
    hall.confirms(Rule(1, 1, "0-1", why="typed wrongly"), "correction-kept")
    hall.confirms(Undo(why="no, it was right"), "correction-kept")
    text = f"{numbers.white}-{numbers.black}"
    assert remarks(hall.state) == (
        f"Correction @ Round 1: {text}: 1-0 => {text}: 0-1",
        f"Correction @ Round 1: {text}: 0-1 => {text}: 1-0",
    )
    assert hall.state.rounds[0].results[1].score == "1-0"


def test_step_names_are_words() -> None:
    hall = Hall(6)
    hall.does(Withdraw(2))
    hall.does(hall.pairing())
    assert [step_name(s) for s in hall.state.steps] == ["Player 2 (2) withdrawn", "pairing of round 1"]


def test_an_act_keeps_the_name_of_its_player_when_numbers_change() -> None:
    """A newcomer takes number 1: who was number 2 then is still called by his own name in the list of acts."""
    hall = Hall(6)
    hall.does(Withdraw(2))
    hall.does(EnterLate(Entry(0, "Newcomer, Nora", 2900)))
    assert hall.state.entries[3].name == "Player 2"
    assert [step_name(s) for s in hall.state.steps] == ["Player 2 (2) withdrawn", "late entry of Newcomer, Nora"]


# -- everything at random ---------------------------------------------------------------------------------------------


def _random_intent(hall: Hall, rng: random.Random) -> Intent:
    state = hall.state
    tpn = rng.choice(sorted(state.entries))
    number = len(state.rounds)
    board = rng.randrange(1, 4)
    score = rng.choice(("1-0", "0-1", "1/2-1/2", "0-0", "1/2-0"))
    choices: list[Intent] = [
        Withdraw(tpn),
        Return(tpn),
        RequestBye(tpn, number + rng.randrange(1, 3), rng.choice("HZ")),  # type: ignore[arg-type]
        Flag(tpn, rng.random() < 0.5),
        EnterLate(Entry(0, f"New {rng.random()}", rng.randrange(2400, 2500))),
        Renumber("ratings"),
        OpenManual("x"),
        CloseManual(),
        DropDraft(),
        Publish(hall.tables),
        WithdrawSheet("wrong"),
        Start(),
        Rule(max(1, number - rng.randrange(2)), board, score, "so it was", forfeit=rng.random() < 0.2),  # type: ignore[arg-type]
        CorrectResult(max(1, number), board, score, swapped=rng.random() < 0.3, why="so it was"),  # type: ignore[arg-type]
        Adjourn(max(1, number), board, "late"),
        Undo(why="no"),
        Undo(why="no"),
        Redo(),
    ]
    return rng.choice(choices)


@settings(max_examples=30, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_whatever_desks_do_the_log_is_the_state_and_undo_is_exact(rng: random.Random) -> None:
    hall = Hall(6, 5)
    for _n in range(40):
        if hall.state.draft is None and not hall.state.manual and rng.random() < 0.5:
            try:
                intent: Intent = hall.pairing()
            except (NoPairing, ValueError):
                intent = _random_intent(hall, rng)
        else:
            intent = _random_intent(hall, rng)
        before, steps = book_of(hall.state), hall.state.steps
        answer = _insists(hall, intent)
        if answer and len(hall.state.steps) == len(steps) + 1 and not isinstance(intent, Undo | Redo | Publish):
            undo = _insists(hall, Undo(why="at once"))
            if undo and not any(isinstance(e, SheetWithdrawn) for e in undo):
                assert book_of(hall.state) == before, intent
    hall.check_log()


def _insists(hall: Hall, intent: Intent) -> tuple[TournamentEvent, ...]:
    """The arbiter confirms whatever can be confirmed."""
    answer = hall.asks(intent)
    for _step in range(2):
        if isinstance(answer, Refusal) and answer.token:
            answer = hall.asks(Confirmed(intent, answer.token))
    assert not isinstance(answer, Refusal) or answer.why
    return () if isinstance(answer, Refusal) else answer


def test_a_draft_is_undone_and_done_again() -> None:
    hall = Hall(6)
    events = hall.does(hall.pairing())
    assert isinstance(events[0], Paired)
    draft = hall.state.draft
    hall.does(Undo())
    assert hall.state.draft is None
    hall.does(Redo())
    assert hall.state.draft == draft
    assert isinstance(hall.does(Publish(hall.tables))[0], Published)
