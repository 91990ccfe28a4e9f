"""Prizes as they are announced and paid: what can be written, whom a list is for, what the paper says in the end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tournament.entries import Entry
from rules.tournament.prizes import money
from rules.tournament.prizes_announced import AnnouncedPrizes, PrizeError, cents_of, problem, read
from rules.tournament.regulations import Regulations
from rules.tournament.regulations import problem as regulations_problem

DAY = "2026/12/05"


def test_a_list_is_one_line() -> None:
    plain = read("Main prizes: 300 150 90.50")
    assert plain == AnnouncedPrizes("Main prizes", (30000, 15000, 9050))
    girls = read("Girls under 14: 50 25, none, for U14 W, in 5")
    assert girls == AnnouncedPrizes("Girls under 14", (5000, 2500), "none", ("U14", "W"), 500)
    assert girls.text == "Girls under 14: 50 25, none, for U14 W, in 5"
    assert girls.whom == "under 14, girls and women"
    assert girls.by_age
    assert not plain.by_age


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("300 150", "name before the colon"),
        ("Main:", "1 to 200 amounts"),
        ("Main: 100 200", "from the first place down"),
        ("Main: 1e3", "'1e3' is no amount"),
        ("Main: -5", "'-5' is no amount"),
        ("Main: 0", "above zero"),
        ("Main: 10, fifty-fifty", "one of equal, hort, none"),
        ("Main: 10, for men", "'men' is no sign of players"),
        ("Main: 10, for U13", "'U13' is no sign"),
        ("Main: 10, in 0", "above zero to round to"),
        ("A; B: 10", "without : and ;"),
    ],
)
def test_what_cannot_be_announced_is_refused_with_a_remedy(line: str, says: str) -> None:
    with pytest.raises(PrizeError, match=says):
        read(line)
    assert says in problem([line], DAY)


def test_lists_are_looked_at_together() -> None:
    assert problem(["A: 10", "B: 5, for U14"], DAY) == ""
    assert "the name 'A'" in problem(["A: 10", "A: 5"], DAY)
    assert "announce the first day of the event" in problem(["Youth: 5, for U14"], "")
    told = regulations_problem(Regulations("x", 3, prizes=("A: 10", "B")))
    assert told.startswith("Prize list 2, 'B': write a list as")


@pytest.mark.parametrize(
    ("signs", "changes", "takes"),
    [
        ("W", {"sex": "w"}, True),
        ("W", {"sex": "m"}, False),
        ("U14", {"birth": "2013/03/01"}, True),
        ("U14", {"birth": "2011"}, False),
        ("U14", {"birth": ""}, False),
        ("S65", {"birth": "1960"}, True),
        ("<1800", {"rating": 1799}, True),
        ("<1800", {"rating": 1800}, False),
        ("<1800", {"rating": 0}, False),
        (">=1400 <1800", {"rating": 1400}, True),
        (">=1400 <1800", {"rating": 1399}, False),
        ("unrated", {"rating": 0}, True),
        ("NOR", {"federation": "NOR"}, True),
        ("NOR", {"federation": "SWE"}, False),
        ("NOR W", {"federation": "NOR", "sex": "m"}, False),
    ],
)
def test_whom_a_list_is_for(signs: str, changes: dict[str, object], takes: bool) -> None:
    entry = replace(Entry(1, "A", 1500), **changes)  # type: ignore[arg-type]
    announced = read(f"Class: 10, for {signs}")
    assert announced.takes(entry, DAY) is takes
    assert announced.for_entries({1: entry}, DAY).takes(1) is takes


amounts = st.lists(st.integers(1, 10_000_000), min_size=1, max_size=9).map(lambda a: tuple(sorted(a, reverse=True)))
names = st.text(st.characters(exclude_characters=":;\n", categories=["L", "N", "P", "Zs"]), min_size=1, max_size=20)
signs = st.lists(st.sampled_from(["W", "U8", "U20", "S50", "<1000", ">=2000", "unrated", "GER"]), max_size=3)


@given(
    names.map(str.strip).filter(bool), amounts, st.sampled_from(["equal", "hort", "none"]), signs, st.integers(1, 999)
)
def test_what_is_announced_can_be_read_again(
    name: str, cents: tuple[int, ...], sharing: str, words: list[str], unit: int
) -> None:
    made = AnnouncedPrizes(name, cents, sharing, tuple(words), unit)  # type: ignore[arg-type]
    assert read(made.text) == made


@given(st.integers(0, 99_999_999_999))
def test_amounts_are_exact(cents: int) -> None:
    assert cents_of(money(cents)) == cents


@given(st.text("ab:;,0123456789. <>=WUfor\n", max_size=40))
def test_any_text_is_refused_in_a_sentence_or_read(text: str) -> None:
    says = problem([text], DAY)
    assert says.endswith(".") if says else read(text).cents
