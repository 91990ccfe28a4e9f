"""Places that nobody works out: tied players in order by hand, tie-break values that were worked out elsewhere."""

from __future__ import annotations

from rules.tournament.book_intents import ChangeRegulations, DrawLot, Undo
from rules.tournament.integrity import remarks
from rules.tournament.intents import Finish, Rule
from rules.tournament.rank_intents import OrderTied, ValueFromOutside
from rules.tournament.standings import standings, tied_by_tie_breaks
from tests.rules.book_hall import Hall


def all_drawn(**announced: object) -> Hall:
    """Four players whom nothing separates: every game of the round robin was drawn."""
    hall = Hall(4, 3, system="berger", tie_breaks=("SB",), **announced)
    for _round in range(3):
        hall.plays("1/2-1/2")
    return hall


def ranks(hall: Hall) -> list[tuple[int, int, str]]:
    return [(place.rank, place.tpn, place.decided_by) for place in standings(hall.state)]


def test_a_play_off_puts_tied_players_in_order_and_everybody_reads_why() -> None:
    hall = all_drawn()
    assert ranks(hall) == [(1, 1, ""), (1, 2, ""), (1, 3, ""), (1, 4, "")]
    assert tied_by_tie_breaks(hall.state) == ((1, 2, 3, 4),)
    order = OrderTied((3, 1, 4, 2), "play-off, 5 minutes each")
    assert "Say why" in hall.is_refused(OrderTied((3, 1, 4, 2), " ")).why
    refusal = hall.is_refused(order)
    assert refusal.level == 3
    assert refusal.why.startswith("3 Player 3, 1 Player 1, 4 Player 4, 2 Player 2 stand in this order by hand")
    hall.confirms(order, "ordered-by-hand")
    assert ranks(hall) == [(1, 3, "HAND"), (2, 1, "HAND"), (3, 4, "HAND"), (4, 2, "HAND")]
    assert [place.reason for place in standings(hall.state)][:2] == [
        "Before Player 1 (1) by the arbiter: play-off, 5 minutes each",
        "After Player 3 (3) by the arbiter: play-off, 5 minutes each",
    ]
    assert remarks(hall.state) == ("Order @ Round 3: 1 2 3 4 => 3 1 4 2",)
    assert hall.does(order) == (), "said before"
    hall.check_log()


def test_an_order_by_hand_is_taken_back_and_given_again() -> None:
    hall = all_drawn()
    hall.confirms(OrderTied((3, 1, 4, 2), "play-off"), "ordered-by-hand")
    hall.confirms(OrderTied((2, 1, 4, 3), "play-off, read wrongly"), "ordered-by-hand")
    assert [tpn for _rank, tpn, _by in ranks(hall)] == [2, 1, 4, 3]
    hall.does(Undo(why="no"))
    assert [tpn for _rank, tpn, _by in ranks(hall)] == [3, 1, 4, 2]
    hall.does(Undo(why="no"))
    assert ranks(hall)[1] == (1, 2, "")
    assert remarks(hall.state)[-1] == "Order @ Round 3: 3 1 4 2 => 1 2 3 4", "the report tells that it was taken back"
    hall.check_log()


def test_only_those_who_are_really_tied_are_ordered_and_only_after_the_last_round() -> None:
    hall = Hall(4, 3, system="berger", tie_breaks=("SB",))
    hall.plays("1/2-1/2")
    assert "still to be played" in hall.is_refused(OrderTied((1, 2), "x")).why
    hall = all_drawn()
    assert hall.is_refused(OrderTied((1, 2), "x")).why == "Name all who are tied, each once: 1, 2, 3, 4."
    assert "Name all who are tied" in hall.is_refused(OrderTied((1, 2, 3, 3), "x")).why
    hall.confirms(OrderTied((3, 1, 4, 2), "play-off"), "ordered-by-hand")
    hall.does(Finish())
    assert "over" in hall.is_refused(OrderTied((1, 2, 3, 4), "x")).why
    separated = Hall(2, 1, system="berger", tie_breaks=("SB",))
    separated.plays("1-0")
    assert "No players are tied" in separated.is_refused(OrderTied((1, 2), "x")).why


def test_a_correction_that_ends_the_tie_ends_the_order_and_what_is_still_tied_keeps_it() -> None:
    hall = all_drawn()
    hall.confirms(OrderTied((3, 1, 4, 2), "play-off"), "ordered-by-hand")
    last = hall.sheet.pairs[0]
    hall.does(Rule(3, last.board, "1-0", why="typed wrongly"))
    first, second, third, fourth = standings(hall.state)
    assert (first.tpn, first.decided_by) == (last.white, "PTS"), "points come before what was said by hand"
    assert fourth.tpn == last.black
    assert {second.tpn, third.tpn} == {1, 2, 3, 4} - {last.white, last.black}
    tied = [tpn for tpn in (3, 1, 4, 2) if tpn in (second.tpn, third.tpn)]
    if second.decided_by == "HAND":
        assert [second.tpn, third.tpn] == tied


def test_what_was_said_by_hand_comes_before_lots() -> None:
    hall = all_drawn()
    hall.does(DrawLot("standings", 7, ("as drawn",)))
    by_lot = [tpn for _rank, tpn, _by in ranks(hall)]
    assert {by for _rank, _tpn, by in ranks(hall)} == {"LOT"}
    assert tied_by_tie_breaks(hall.state) == ((1, 2, 3, 4),), "lots are no tie-break"
    order = tuple(reversed(by_lot))
    hall.confirms(OrderTied(order, "play-off"), "ordered-by-hand")
    assert tuple(tpn for _rank, tpn, _by in ranks(hall)) == order


def test_a_value_worked_out_elsewhere_counts_in_its_place_of_the_list() -> None:
    hall = all_drawn()
    asked = ValueFromOutside(4, "12,5", "the federation's season points")
    assert "name no tie-break OTHER_OUTSIDE" in hall.is_refused(asked).why
    hall.confirms(ChangeRegulations({"tie_breaks": ("SB", "OTHER_OUTSIDE")}, why="x"), "tie-breaks-changed")
    assert "is no value" in hall.is_refused(ValueFromOutside(4, "many", "x")).why
    hall.does(asked)
    hall.does(ValueFromOutside(2, "12.25", "the same"))
    first, second, *others = standings(hall.state)
    assert [(p.rank, p.tpn, p.decided_by) for p in (first, second)] == [
        (1, 4, "OTHER_OUTSIDE"),
        (2, 2, "OTHER_OUTSIDE"),
    ]
    assert (first.values["OTHER_OUTSIDE"], second.values["OTHER_OUTSIDE"]) == ("12.5", "12.25")
    assert [p.rank for p in others] == [3, 3], "those without a value come after those with one"
    assert "worked out elsewhere" in first.reason
    assert remarks(hall.state)[1:] == ("Outside @ Round 3: - => 4=12.5", "Outside @ Round 3: - => 2=12.25")
    hall.does(ValueFromOutside(4, "", "a mistake"))
    assert standings(hall.state)[0].tpn == 2
    hall.does(Undo(why="no mistake"))
    assert standings(hall.state)[0].tpn == 4
    hall.check_log()
