"""What a report's records cannot say survives in its remarks: who left, flags, ratings, places by hand, the exit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tournament.book_intents import DrawLot, ExitFide, Expel, Flag, Return, TakeOver
from rules.tournament.integrity import remarks
from rules.tournament.intents import Withdraw
from rules.tournament.list_intents import RateRound
from rules.tournament.report_lines import state_lines, with_lines
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


@given(st.lists(st.text(max_size=60), max_size=4))
def test_no_remark_of_anybody_stops_the_reader(lines: list[str]) -> None:
    with_lines(TakeOver(()), lines, EVERYBODY)


def test_absences_of_who_left_are_not_told_twice() -> None:
    byes = ((4, 1, "Z"), (4, 2, "Z"), (6, 2, "H"))
    taken = with_lines(TakeOver((), byes), ("Withdrawn @ Round 1: 4",), EVERYBODY)  # type: ignore[arg-type]
    assert taken.byes == ((6, 2, "H"),)
