"""What the book knows of ratings, ties and players who did not come, as plain values for the desks."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rules.tournament.categories import age_on, categories
from rules.tournament.decide_rounds import robin_gaps
from rules.tournament.proposals import proposals
from rules.tournament.rating_lists import (
    age_in_days,
    day_of_check,
    elsewhere,
    in_force,
    not_current,
    order_of,
    rating_differences,
)
from rules.tournament.regulations import advice
from rules.tournament.report_check import report_checks
from rules.tournament.standings import tied_by_tie_breaks
from rules.tournament.state import TournamentState


def told_lists(state: TournamentState, day: str) -> dict[str, Any]:
    """The additional part of the book, on a day ("YYYY/MM/DD")."""
    regulations = state.regulations
    if regulations is None:
        return {}
    held = in_force(state.lists, day_of_check(regulations, day))
    return {
        "proposals": [asdict(each) for each in proposals(state)],
        "advice": [*advice(regulations), *(warned.words for warned in robin_gaps(state))],
        "report_checks": list(report_checks(state)),
        "excused": [{"tpn": tpn, "round": number} for tpn, number in sorted(state.excused)],
        "tied": [list(group) for group in _tied(state)],
        "orders": [asdict(each) for each in state.tied_orders],
        "outside": {str(tpn): value for tpn, value in sorted(state.outside.items())},
        "round_ratings": {
            str(tpn): {str(number): rating for number, rating in given.items()}
            for tpn, given in sorted(state.round_ratings.items())
        },
        "lists": [
            {
                "name": each.name,
                "valid_from": each.valid_from,
                "origin": each.origin,
                "players": len(each.players),
                "days": age_in_days(each, day),
                "in_force": each is held,
            }
            for each in state.lists
        ],
        "list_order": list(order_of(regulations)),
        "list_problem": not_current(state, day) if state.lists else "",
        "rating_differences": [
            {"tpn": each.entry.tpn, "listed": each.listed is not None, "words": each.words}
            for each in rating_differences(state, day)
        ],
        "checked": asdict(state.ratings_checked) if state.ratings_checked is not None else None,
    }


def _tied(state: TournamentState) -> tuple[tuple[int, ...], ...]:
    """Who could be put in order by hand now."""
    regulations = state.regulations
    if regulations is None or state.complete_rounds < regulations.rounds or not state.rounds:
        return ()
    return tied_by_tie_breaks(state)


def told_player(state: TournamentState, tpn: int, day: str) -> dict[str, Any]:
    """What follows from a player's entry: age, categories, and ratings elsewhere if the main list has none."""
    entry, regulations = state.entries[tpn], state.regulations
    begins = (regulations.start_date if regulations is not None else "") or day
    return {
        "age": age_on(entry, begins),
        "categories": list(categories(entry, begins)),
        "elsewhere": [asdict(each) for each in elsewhere(state, entry, day)] if state.lists else [],
    }
