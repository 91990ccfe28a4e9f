"""What a report's records cannot say survives in its remarks: who left, flags, ratings, places by hand, the exit."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tournament.book_intents import DrawLot, ExitFide, Expel, Flag, Return, TakeOver
from rules.tournament.integrity import remarks
from rules.tournament.intents import Refusal, Withdraw
from rules.tournament.list_intents import RateRound
from rules.tournament.report_lines import state_lines, with_lines
from rules.tournament.standings import standings
from tests.rules.book_hall import Hall

EVERYBODY = frozenset(range(1, 10))


def test_the_lines_say_who_left_and_when_and_are_read_again() -> None:
    hall = Hall(9, 5, long_event=True)
    hall.plays()
    hall.does(Withdraw(4))
    hall.does(Withdraw(7))
    hall.does(Return(7))
    hall.plays()
    hall.confirms(Expel(5, "a telephone"), "expelled")
    hall.does(Flag(2))
    hall.does(RateRound(3, 3, 2512))
    hall.does(DrawLot("standings", 77, ("as drawn",)))
    lines = state_lines(hall.state)
    assert lines == (
        "Withdrawn @ Round 2: 4",
        "Expelled @ Round 3: 5",
        "No half-point bye @ Round 2: 2",
        "Rating @ Round 3: 3=2512",
        "Lot @ Round 2: standings=77 as drawn",
    )
    assert all(line.isascii() for line in lines)
    taken = with_lines(TakeOver((), ()), lines, EVERYBODY)
    assert taken.no_half_bye == (2,)
    assert taken.ratings == ((3, 3, 2512),)
    assert taken.lots == (("standings", 77, "as drawn"),)
    assert taken.left == ((4, 1, False), (5, 1, True)), "not beyond the first round that is still to be paired"


def test_notes_and_the_way_out_are_carried_on() -> None:
    hall = Hall(6)
    hall.confirms(ExitFide("a friendly event"), "fide-exit")
    taken = with_lines(
        TakeOver(()), (*remarks(hall.state), "MPA @ Round 2: 1-4 => 1-5", "Import @ Round 1: - => 2-3"), EVERYBODY
    )
    assert taken.fide_exit == 0
    assert [(n.kind, n.round, n.before, n.after) for n in taken.notes] == [
        ("MPA", 2, "1-4", "1-5"),
        ("Import", 1, "", "2-3"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "a remark of somebody",
        "Withdrawn @ Round 2: Ana",
        "Withdrawn @ Round 2:",
        "Withdrawn @ Round 2: 0",
        "Withdrawn @ Round 2: 99",
        "Rating @ Round x: 3=2500",
        "Rating @ Round 2: 3",
        "Value from outside @ Round 2: 3=much",
        "Value from outside @ Round 2: 3=nan",
        "Value from outside @ Round 2: 3=1e400",
        "Rating @ Round 2: 3=-2500",
        "Rating @ Round 2: 3=99999",
        "Rating @ Round 1: 3=2500",
        "Order by hand @ Round 2: 3 3",
        "Lot @ Round 2: colour",
        "MPA @ Round 2: 1-4",
        "FIDE mode exited",
    ],
)
def test_lines_of_others_say_nothing(line: str) -> None:
    before = TakeOver((), ((3, 1, "Z"),))
    assert with_lines(before, (line,), EVERYBODY) == before


#: Remarks that begin as ours do, and go on as nobody's.
KINDS = ("Withdrawn", "Expelled", "No half-point bye", "Rating", "Value from outside", "Order by hand", "Lot", "MPA")
remark = st.text(max_size=60) | st.builds(
    "{} @ Round {}: {}".format,
    st.sampled_from(KINDS),
    st.integers(0, 1200) | st.text("0123456789٣x ", max_size=4),
    st.text("0123456789 =-.nainf٣x>", max_size=20),
)


@given(st.lists(remark, max_size=4))
def test_whatever_remarks_say_what_is_taken_over_can_be_decided(lines: list[str]) -> None:
    """Only players of the event, places once, ratings and values that everything after them can work with."""
    taken = with_lines(TakeOver(()), lines, EVERYBODY)
    told = [*(t for t, _n, _out in taken.left), *taken.no_half_bye, *(t for t, _n, _r in taken.ratings),
            *(t for t, _v in taken.outside), *(t for order in taken.orders for t in order)]  # fmt: skip
    assert set(told) <= EVERYBODY
    assert all(len(set(order)) == len(order) for order in taken.orders)
    assert all(0 < rating <= 4000 and number >= 2 for _tpn, number, rating in taken.ratings)
    assert all(abs(Fraction(value)) < 1_000_000 for _tpn, value in taken.outside)
    hall = Hall(9, 3, long_event=True)
    assert not isinstance(hall.asks(taken), Refusal)
    assert {place.tpn for place in standings(hall.state)} == EVERYBODY


def test_absences_of_who_left_are_not_told_twice() -> None:
    byes = ((4, 1, "Z"), (4, 2, "Z"), (6, 2, "H"))
    taken = with_lines(TakeOver((), byes), ("Withdrawn @ Round 1: 4",), EVERYBODY)  # type: ignore[arg-type]
    assert taken.byes == ((6, 2, "H"),)
