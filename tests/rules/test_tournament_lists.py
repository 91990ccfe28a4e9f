"""Rating lists: which one is asked first, which one holds on a day, the check by itself, and ratings put right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.interchange.rating_list import Kind, RatedPlayer
from rules.tournament.book_events import EntryCorrected
from rules.tournament.book_intents import ChangeRegulations, EnterLate, Undo
from rules.tournament.categories import age_on, categories, eligible
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations
from rules.tournament.intents import Enter, Publish
from rules.tournament.list_events import ListLoaded, RatingsChecked, RoundRated
from rules.tournament.list_intents import CheckRatings, LoadList, PickRating, RateRound, UpdateRatings
from rules.tournament.rating_lists import age_in_days, elsewhere, in_force, not_current, order_of, rating_differences
from rules.tournament.regulations import advice
from rules.tournament.standings import crosstable
from tests.rules.book_hall import Hall

ANNA, BRUNO, CARLA, DORA = (
    RatedPlayer(101, "Anna", "SRB", "w", "WFM", "2001", standard=2200, rapid=2150),
    RatedPlayer(102, "Bruno", "SRB", "m", "", "1999", standard=2100, blitz=2050),
    RatedPlayer(103, "Carla", "SRB", "w", "", "2008", rapid=1900),
    RatedPlayer(104, "Dora", "SRB", "w", "", "2010"),
)
NOVEMBER = (ANNA, BRUNO, CARLA, DORA)
STRANGER = RatedPlayer(999, "Zoe", standard=2700)


def listed_hall(control: str = "90+30", **announced: object) -> Hall:
    """Four players with FIDE ids, of whom Bruno's rating is an old one."""
    hall = Hall(4, 3, control=control, start_date="2026/11/20", end_date="2026/11/22")
    entries = (
        Entry(0, "Anna", 2200, "WFM", "SRB", 101),
        Entry(0, "Bruno", 2080, "", "SRB", 102),
        Entry(0, "Carla", 0, "", "SRB", 103),
        Entry(0, "Dora", 0, "", "SRB", 104),
    )
    assert hall.state.regulations is not None
    hall.does(Enter(entries, replace(hall.state.regulations, **announced)))  # type: ignore[arg-type]
    return hall


def november(hall: Hall) -> tuple[object, ...]:
    return hall.does(LoadList("FIDE", "2026/11/01", (*NOVEMBER, STRANGER), "2026/11/20"))


@pytest.mark.parametrize(
    ("control", "order"),
    [
        ("90+30", ("standard", "rapid", "blitz")),
        ("15+10", ("rapid", "standard", "blitz")),
        ("3+2", ("blitz", "standard", "rapid")),
    ],
)
def test_the_time_control_says_which_list_comes_first_unless_something_else_is_announced(
    control: str, order: tuple[Kind, ...]
) -> None:
    assert order_of(Regulations("x", 3, control=control)) == order
    assert order_of(Regulations("x", 3, control=control, rating_order=("standard",))) == ("standard",)


def test_a_list_that_comes_is_compared_at_once_and_nothing_is_changed() -> None:
    hall = listed_hall()
    before = hall.state.entries
    loaded, checked = november(hall)
    assert isinstance(loaded, ListLoaded)
    assert STRANGER not in loaded.players, "only those of the event are kept"
    assert isinstance(checked, RatingsChecked)
    assert (checked.day, [hall.state.entries[t].name for t in checked.differing]) == ("2026/11/20", ["Bruno"])
    assert hall.state.entries == before
    assert november(hall) == (), "the same list again"
    assert [d.words for d in rating_differences(hall.state, "2026/11/20")] == [
        "2 Bruno: rating 2080, on the list 2100."
    ]
    hall.check_log()


def test_a_list_of_nobody_or_without_a_day_is_refused() -> None:
    hall = listed_hall()
    assert "Nobody of this event" in hall.is_refused(LoadList("FIDE", "2026/11/01", (STRANGER,))).why
    assert "2026/05/30" in hall.is_refused(LoadList("FIDE", "1.11.2026", NOVEMBER)).why
    assert "needs a name" in hall.is_refused(LoadList(" ", "2026/11/01", NOVEMBER)).why
    assert "load it" in hall.is_refused(CheckRatings("2026/11/20")).why
    assert "load it" in hall.is_refused(UpdateRatings()).why


def test_the_list_of_the_first_day_counts_and_in_a_long_event_that_of_the_day_of_the_check() -> None:
    hall = listed_hall()
    november(hall)
    changed = replace(BRUNO, standard=2130)
    hall.does(LoadList("FIDE", "2026/12/01", (ANNA, changed, CARLA, DORA), "2026/12/02"))
    held = in_force(hall.state.lists, "2026/11/20")
    assert held is not None
    assert (held.valid_from, age_in_days(held, "2026/11/20")) == ("2026/11/01", 19)
    assert in_force(hall.state.lists, "2026/10/31") is None
    (bruno,) = rating_differences(hall.state, "2026/12/02")
    assert bruno.fields["rating"] == ("2080", "2100"), "the event began in November"
    hall.does(ChangeRegulations({"long_event": True}))
    (bruno,) = rating_differences(hall.state, "2026/12/02")
    assert bruno.fields["rating"] == ("2080", "2130")


def test_a_check_looks_first_whether_the_list_is_the_newest() -> None:
    hall = listed_hall()
    hall.does(LoadList("FIDE", "2026/09/01", NOVEMBER, "2026/11/20"))
    why = "The list FIDE holds from 2026/09/01 and is 80 days old on 2026/11/20: load the one for that month."
    assert not_current(hall.state, "2026/11/20") == why
    assert hall.is_refused(CheckRatings("2026/11/20")).warnings[0].words == why
    (checked,) = hall.confirms(CheckRatings("2026/11/20"), "list-old")
    assert isinstance(checked, RatingsChecked)
    assert len(checked.differing) == 1
    november(hall)
    assert not_current(hall.state, "2026/11/20") == ""
    hall.does(CheckRatings("2026/11/20"))


def test_of_who_was_entered_later_the_list_says_nothing_until_it_is_loaded_again() -> None:
    hall = listed_hall()
    november(hall)
    hall.does(EnterLate(Entry(0, "Zoe", 2700, federation="SRB", fide_id=999)))
    assert [d.entry.name for d in rating_differences(hall.state, "2026/11/20")] == ["Bruno"]
    assert not_current(hall.state, "2026/11/20") == "The list FIDE was loaded before 1 Zoe: load it again."
    hall.does(LoadList("FIDE", "2026/11/01", (*NOVEMBER, replace(STRANGER, standard=2710)), "2026/11/20"))
    assert not_current(hall.state, "2026/11/20") == ""
    assert [d.entry.name for d in rating_differences(hall.state, "2026/11/20")] == ["Zoe", "Bruno"]
    assert len(hall.state.lists) == 1


def test_before_round_1_is_public_ratings_that_differ_are_told_without_anybody_asking() -> None:
    hall = listed_hall()
    november(hall)
    hall.does(hall.pairing())
    hall.confirms(Publish(hall.tables), "ratings-differ")
    other = listed_hall(check_ratings=False)
    assert len(november(other)) == 1, "the check is switched off"
    other.does(other.pairing())
    other.does(Publish(other.tables))


def test_all_ratings_are_put_right_in_one_step_after_the_list_of_changes_was_seen() -> None:
    hall = listed_hall()
    november(hall)
    hall.does(LoadList("FIDE", "2026/11/02", (replace(ANNA, standard=2222), BRUNO, CARLA, DORA), "2026/11/20"))
    refusal = hall.is_refused(UpdateRatings(day="2026/11/20"))
    assert [w.key for w in refusal.warnings] == ["ratings-updated"]
    assert refusal.why == "1 Anna: rating 2200, on the list 2222. 2 Bruno: rating 2080, on the list 2100."
    before = hall.state.entries
    events = hall.confirms(UpdateRatings(day="2026/11/20"), "ratings-updated")
    assert [type(e) for e in events] == [EntryCorrected, EntryCorrected]
    assert [(e.rating, e.source) for e in hall.state.entries.values()][:2] == [(2222, "FIDE"), (2100, "FIDE")]
    assert hall.does(UpdateRatings(day="2026/11/20")) == ()
    hall.does(Undo())
    assert hall.state.entries == before, "one step to do, one to undo"
    (only,) = hall.confirms(UpdateRatings((1,), "2026/11/20"), "ratings-updated")
    assert isinstance(only, EntryCorrected)
    assert only.entry.name == "Anna"


def test_who_is_not_on_the_main_list_is_shown_with_the_others_and_one_is_picked() -> None:
    hall = listed_hall()
    november(hall)
    club = RatedPlayer(104, "Dora", standard=1500)
    hall.does(LoadList("club", "2026/01/01", (club,), origin="other"))
    found = {
        e.name: [(x.list, x.kind, x.rating) for x in elsewhere(hall.state, e)] for e in hall.state.entries.values()
    }
    assert found == {
        "Anna": [],
        "Bruno": [],
        "Carla": [("FIDE", "rapid", 1900)],
        "Dora": [("club", "standard", 1500)],
    }
    hall.does(PickRating(3, "FIDE", "rapid"))
    hall.does(PickRating(4, "club", "standard"))
    assert [(e.rating, e.source) for e in hall.state.entries.values()][2:] == [
        (1900, "FIDE (rapid)"),
        (1500, "club (standard)"),
    ]
    assert "no blitz rating to choose" in hall.is_refused(PickRating(3, "FIDE", "blitz")).why


def test_an_event_longer_than_30_days_has_ratings_by_round_and_advice_against_tie_breaks_by_rating() -> None:
    long = Regulations("x", 5, tie_breaks=("ARO", "SB"), start_date="2026/01/01", end_date="2026/03/01")
    assert long.is_long
    assert not replace(long, end_date="2026/01/31").is_long
    assert advice(long) == (
        "The event lasts longer than 30 days: tie-breaks by ratings (ARO) are not advised (C.07 10).",
    )
    assert advice(replace(long, end_date="2026/01/31")) == ()
    hall = Hall(4, 3, tie_breaks=("ARO",))
    hall.confirms(ChangeRegulations({"long_event": True}), "tie-breaks-advised")


def test_tie_breaks_go_by_the_first_rating_or_by_that_of_the_round() -> None:
    hall = Hall(4, 3, tie_breaks=("ARO",), long_event=True)
    one, other = hall.plays("1-0").pairs[0].white, hall.sheet.pairs[0].black
    first = hall.state.entries[other].rating
    assert "one rating" in Hall(4, 3).is_refused(RateRound(1, 2, 2600)).why
    assert "Say from which round" in hall.is_refused(RateRound(other, 1, 2600)).why
    (event,) = hall.does(RateRound(other, 2, 2600, "the list of March"))
    assert isinstance(event, RoundRated)
    assert [hall.state.rating_in(other, n) for n in (1, 2, 3)] == [first, 2600, 2600]
    hall.plays("1-0")
    assert crosstable(hall.state, 2).round_ratings == {}, "the first rating counts unless announced otherwise"
    hall.confirms(ChangeRegulations({"tie_break_ratings": "round"}, why="announced late"), "tie-breaks-changed")
    assert crosstable(hall.state, 2).round_ratings == {(other, 1): first, (other, 2): 2600}
    met_later = next(p for p in hall.state.rounds[1].pairs if other in (p.white, p.black))
    opponent = met_later.black if met_later.white == other else met_later.white
    assert (opponent, 2) not in crosstable(hall.state, 2).round_ratings
    hall.does(Undo())
    hall.check_log()
    assert one != other


def test_new_ratings_in_a_long_event_count_from_the_next_round_on() -> None:
    hall = listed_hall(long_event=True)
    november(hall)
    hall.does(hall.pairing())
    hall.confirms(Publish(hall.tables), "ratings-differ")
    (event,) = hall.confirms(UpdateRatings(day="2026/11/20"), "ratings-updated")
    assert isinstance(event, RoundRated)
    assert (event.round, event.rating) == (2, 2100)
    assert hall.state.entries[event.tpn].rating == 2080, "the first one stays"
    assert rating_differences(hall.state, "2026/11/20") == ()


# -- age --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("birth", "age", "found"),
    [
        ("2012/05/30", 14, ("U14", "U16", "U18", "U20")),
        ("2012/01/01", 14, ("U16", "U18", "U20")),
        ("2012/12/31", 13, ("U14", "U16", "U18", "U20")),
        ("2012", 14, ("U14", "U16", "U18", "U20")),
        ("1976", 50, ("S50",)),
        ("1961/11/30", 64, ("S50", "S65")),
        ("2000", 26, ()),
        ("2012/00/00", 14, ("U14", "U16", "U18", "U20")),
        ("", None, ()),
        ("yes", None, ()),
    ],
)
def test_age_and_categories_from_the_date_of_birth(birth: str, age: int | None, found: tuple[str, ...]) -> None:
    entry = Entry(1, "A", birth=birth)
    assert age_on(entry, "2026/06/01") == age
    assert categories(entry, "2026/06/01") == found
    assert categories(replace(entry, sex="w"), "2026/06/01") == (*found, "W")


def test_a_class_list_is_made_of_a_category() -> None:
    entries = (Entry(1, "A", birth="2015"), Entry(2, "B", birth="1960"), Entry(3, "C", birth="2010", sex="w"))
    assert eligible(entries, "U18", "2026/06/01") == {1, 3}
    assert eligible(entries, "S65", "2026/06/01") == {2}
    assert eligible(entries, "W", "2026/06/01") == {3}
