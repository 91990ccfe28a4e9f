"""The book follows the hall: others sat at the boards than the sheet says, players who do not come."""

from __future__ import annotations

from rules.tournament.book_events import ByeKind, PairsReplaced
from rules.tournament.book_intents import ChangeRegulations, EnterLate, Excuse, ReplacePairs, RequestBye, Return, Undo
from rules.tournament.entries import Entry
from rules.tournament.events import DraftDropped, Resulted
from rules.tournament.integrity import remarks
from rules.tournament.intents import Pair, RecordResult, Rule, Start, Withdraw
from rules.tournament.proposals import proposals, rounds_missed
from tests.rules.book_hall import Hall


def pairs_of(hall: Hall) -> dict[int, tuple[int, int]]:
    return {p.board: (p.white, p.black) for p in hall.sheet.pairs}


def test_the_pairs_of_two_boards_sat_at_each_others_and_played() -> None:
    hall = Hall(6)
    hall.starts()
    first, second = pairs_of(hall)[1], pairs_of(hall)[2]
    swap = ReplacePairs(1, ((1, *second), (2, *first)), "they read the wrong board numbers")
    refusal = hall.is_refused(swap)
    assert refusal.why.startswith(f"Board 1: {second[0]}-{second[1]} instead of {first[0]}-{first[1]}.")
    (event, _note) = hall.confirms(swap, "pairs-replaced", "pairs-replaced")
    assert isinstance(event, PairsReplaced)
    assert (pairs_of(hall)[1], pairs_of(hall)[2]) == (second, first)
    assert remarks(hall.state) == (
        f"MPA @ Round 1: {first[0]}-{first[1]} {second[0]}-{second[1]} => "
        f"{second[0]}-{second[1]} {first[0]}-{first[1]}",
    )
    hall.does(RecordResult(1, 1, "1-0", pair=first), by="table t1")
    assert hall.points(second[0]) == 2, "the table still speaks of its own sheet"
    assert hall.points(first[0]) == 0
    hall.check_log()


def test_wrong_opponents_played_to_the_end_and_the_result_stays_at_the_board() -> None:
    hall = Hall(6)
    hall.plays("1-0", "0-1", "1/2-1/2")
    (a, b), (c, d) = pairs_of(hall)[1], pairs_of(hall)[2]
    played = ReplacePairs(1, ((1, a, d), (2, c, b)), "Black's two had changed seats")
    refusal = hall.is_refused(played)
    assert "Its result 1-0 stays." in refusal.why
    hall.does(hall.pairing())
    events = hall.confirms(played, "pairs-replaced", "pairs-replaced")
    assert isinstance(events[0], DraftDropped), "the next round was paired on what was not so"
    assert (hall.points(a), hall.points(d), hall.points(c), hall.points(b)) == (2, 0, 0, 2)
    assert hall.state.pairing_state().by_tpn[a].met == {d}
    hall.does(Undo(why="it was as on the sheet after all"))
    assert hall.state.pairing_state().by_tpn[a].met == {b}
    assert len(remarks(hall.state)) == 2, "both stand in the report"
    hall.check_log()


def test_what_was_not_played_cannot_be_put_into_the_sheet() -> None:
    hall = Hall(6, rounds=5)
    hall.plays("1-0")
    hall.publishes()
    boards = pairs_of(hall)
    met = hall.state.pairing_state(2).by_tpn
    white, black = boards[1]
    old = next(iter(met[white].met))
    where = next(b for b, pair in boards.items() if old in pair)
    other = next(t for t in boards[where] if t != old)
    wrong = ReplacePairs(2, ((1, white, old), (where, other, black)), "so they sat")
    assert "No clock of round 2 was started" in hall.is_refused(wrong).why
    hall.does(Start())
    assert "already met" in hall.is_refused(wrong).why
    assert "only the colours differ" in hall.is_refused(ReplacePairs(2, ((1, black, white),), "x")).why
    assert "Name every board that differs" in hall.is_refused(ReplacePairs(2, ((1, white, old),), "x")).why
    assert "named twice" in hall.is_refused(ReplacePairs(2, ((1, white, black), (1, white, black)), "x")).why
    assert "has no board 9" in hall.is_refused(ReplacePairs(2, ((9, white, black),), "x")).why
    assert "was paired since" in hall.is_refused(ReplacePairs(1, ((1, white, black),), "x")).why
    assert "is not public" in hall.is_refused(ReplacePairs(4, ((1, white, black),), "x")).why
    assert hall.does(ReplacePairs(2, ((1, white, black),), "x")) == (), "it stands so already"


def test_a_late_entry_after_that_renames_the_note_and_what_the_table_knows() -> None:
    hall = Hall(6)
    hall.starts()
    (a, b), (c, d) = pairs_of(hall)[1], pairs_of(hall)[2]
    hall.confirms(ReplacePairs(1, ((1, a, d), (2, c, b)), "x"), "pairs-replaced", "pairs-replaced")
    hall.does(EnterLate(Entry(0, "Strongest", 2700)))
    assert pairs_of(hall)[1] == (a + 1, d + 1)
    assert hall.sheet.on_sheet(1) == (a, b), "what was printed"
    assert remarks(hall.state) == (
        f"MPA @ Round 1: {a + 1}-{b + 1} {c + 1}-{d + 1} => {a + 1}-{d + 1} {c + 1}-{b + 1}",
    )
    hall.does(RecordResult(1, 1, "0-1", pair=(a, b)), by="table t1")
    assert hall.points(d + 1) == 2


# -- who does not come ------------------------------------------------------------------------------------------------


def no_show(hall: Hall, tpn: int) -> None:
    """The next round, in which this player does not come."""
    hall.starts()
    pair = hall.sheet.pair_of(tpn)
    assert pair is not None
    score = "0-1" if pair.white == tpn else "1-0"
    hall.does(Rule(hall.sheet.number, pair.board, score, "default time", forfeit=True))  # type: ignore[arg-type]
    hall.results("1-0")


def told(hall: Hall) -> list[tuple[str, int]]:
    return [(p.kind, p.tpn) for p in proposals(hall.state)]


def test_who_did_not_come_is_proposed_to_be_left_out_and_at_last_to_be_expelled() -> None:
    hall = Hall(8, 6)
    assert proposals(hall.state) == ()
    no_show(hall, 8)
    assert told(hall) == [("leave-out", 8)]
    assert proposals(hall.state)[0].why == "8 Player 8 did not come to round 1: out of the next one until he speaks up?"
    no_show(hall, 8)
    no_show(hall, 8)
    (proposal,) = proposals(hall.state)
    assert (proposal.kind, proposal.round) == ("expel", 4)
    assert proposal.why == "8 Player 8 did not come to rounds 1, 2 and 3: out of the event after 3 such games (C.05)?"
    hall.does(Excuse(8, 2, "an accident on the way"))
    assert rounds_missed(hall.state, 8) == (1, 3)
    assert told(hall) == [("leave-out", 8)]
    hall.does(Undo())
    assert told(hall) == [("expel", 8)]
    hall.does(Withdraw(8))
    assert told(hall) == [], "he has gone"
    hall.check_log()


def test_how_often_is_a_regulation_and_nobody_is_expelled_by_itself() -> None:
    hall = Hall(8, 6, expel_after=1)
    no_show(hall, 3)
    assert told(hall) == [("expel", 3)]
    assert hall.state.status(3) == "in"
    hall.does(ChangeRegulations({"expel_after": 0}, "the club's rule"))
    assert told(hall) == [("leave-out", 3)]
    hall.does(RequestBye(3, 2, "Z"))
    assert told(hall) == [], "he is left out already"
    assert "is not public" in hall.is_refused(Excuse(3, 5)).why


def test_a_round_robins_games_of_somebody_who_left_are_no_no_shows() -> None:
    hall = Hall(4, 3, system="berger", expel_after=1)
    hall.does(Withdraw(2))
    hall.plays("1-0")
    assert any(r.source == "forfeit" for r in hall.sheet.results.values())
    hall.does(Return(2))
    assert told(hall) == [], "he is back, and what was forfeited while he was away does not count against him"


def test_both_absent_both_count() -> None:
    hall = Hall(4, 3, expel_after=1)
    hall.starts()
    hall.does(Rule(1, 1, "0-0", "nobody came", forfeit=True))
    hall.results("1-0")
    pair = hall.sheet.pairs[0]
    assert sorted(told(hall)) == sorted([("expel", pair.white), ("expel", pair.black)])
    assert isinstance(hall.sheet.results[1], Resulted)


def test_a_bye_for_who_did_not_come_is_one_intent_away() -> None:
    kind: ByeKind = "Z"
    hall = Hall(6)
    no_show(hall, 6)
    (proposal,) = proposals(hall.state)
    hall.does(RequestBye(proposal.tpn, proposal.round, kind, proposal.why))
    answer = hall.does(Pair(hall.pairing().answer))
    assert answer
    assert hall.state.draft is not None
    assert hall.state.draft.byes == {6: "Z"}
