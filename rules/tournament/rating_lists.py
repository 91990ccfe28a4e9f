"""Which list a rating comes from, which list holds on a day, and what the lists say about the entries (C.04.2 2.1).

Lists of one event are few rows: those who can be somebody of its entries (`rules.interchange.rating_index`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from gettext import gettext as _
from gettext import ngettext

from rules.interchange.rating_index import folded
from rules.interchange.rating_list import Kind, RatedPlayer
from rules.laws.periods import time_class
from rules.laws.time_control import TimeControlError, parse
from rules.tournament.book import TournamentState
from rules.tournament.entries import Entry
from rules.tournament.list_events import ListLoaded
from rules.tournament.rating_check import RatingDifference, differences
from rules.tournament.regulations import Regulations

#: Kind of event → the lists that are asked for a rating, the first one first; in the main list of rapid and blitz the
#: standard rating stands for those who have no other (B.02).
DEFAULT_ORDER: Mapping[Kind, tuple[Kind, ...]] = {
    "standard": ("standard", "rapid", "blitz"),
    "rapid": ("rapid", "standard", "blitz"),
    "blitz": ("blitz", "standard", "rapid"),
}


def order_of(regulations: Regulations) -> tuple[Kind, ...]:
    """The lists in the order in which they are asked: as announced, else by the time control."""
    if regulations.rating_order:
        return regulations.rating_order
    try:
        return DEFAULT_ORDER[time_class(parse(regulations.control))]
    except TimeControlError:
        return DEFAULT_ORDER["standard"]


def day_of_check(regulations: Regulations, today: str) -> str:
    """The day whose list counts: the first of the event; in a long one, or one without dates, today (C.07 10)."""
    return today if regulations.is_long or not regulations.start_date else regulations.start_date


def in_force(lists: Iterable[ListLoaded], day: str) -> ListLoaded | None:
    """FIDE's list that holds on a day: the latest that began by then."""
    begun = [each for each in lists if each.origin == "FIDE" and each.valid_from <= day]
    return max(begun, key=lambda each: (each.valid_from, each.at), default=None)


def age_in_days(loaded: ListLoaded, day: str) -> int:
    """How old a list is on a day."""
    return (_date(day) - _date(loaded.valid_from)).days


def _date(day: str) -> date:
    return date.fromisoformat(day.replace("/", "-"))


def not_current(state: TournamentState, today: str) -> str:
    """Why the lists at hand are not those to check by, in a sentence; "" when they are. A list holds for its month."""
    if state.regulations is None:
        return ""
    day = day_of_check(state.regulations, today)
    found = in_force(state.lists, day)
    if found is None:
        return _("No rating list for {day} is at hand: load it.").format(day=day)
    if found.valid_from[:7] == day[:7]:
        later = ", ".join(f"{entry.tpn} {entry.name}" for entry in not_asked(state, found))
        words = _("The list {list} was loaded before {players}: load it again.")
        return words.format(list=found.name, players=later) if later else ""
    days = age_in_days(found, day)
    words = ngettext(
        "The list {list} holds from {first} and is {days} day old on {day}: load the one for that month.",
        "The list {list} holds from {first} and is {days} days old on {day}: load the one for that month.",
        days,
    )
    return words.format(list=found.name, first=found.valid_from, days=days, day=day)


def not_asked(state: TournamentState, loaded: ListLoaded) -> tuple[Entry, ...]:
    """Who was entered, or got his FIDE id, after a list was loaded."""
    known = {*loaded.asked, *(player.fide_id for player in loaded.players)}
    return tuple(entry for entry in state.entries.values() if entry.fide_id and entry.fide_id not in known)


def rating_differences(state: TournamentState, today: str) -> tuple[RatingDifference, ...]:
    """The entries that are not as the list in force has them; none without such a list."""
    regulations = state.regulations
    if regulations is None:
        return ()
    found = in_force(state.lists, day_of_check(regulations, today))
    if found is None:
        return ()
    number = len(state.rounds) + 1
    unknown = {entry.tpn for entry in not_asked(state, found)}
    entries = (
        replace(e, rating=state.rating_in(e.tpn, number), fide_rating=state.rating_in(e.tpn, number))
        if e.tpn in state.round_ratings
        else e
        for e in state.entries.values()
        if e.tpn not in unknown
    )
    return differences(entries, found.players, order_of(regulations)[0])


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A rating that an entry has on another than the main list."""

    list: str
    kind: Kind
    rating: int


def elsewhere(state: TournamentState, entry: Entry, today: str = "") -> tuple[Elsewhere, ...]:
    """For an entry without a rating on the main list: what the others say, in the order in which they are asked."""
    regulations = state.regulations
    if regulations is None:
        return ()
    order = order_of(regulations)
    main = in_force(state.lists, day_of_check(regulations, today or "9999/12/31"))
    on_main = _row(entry, main.players) if main is not None else None
    if on_main is not None and effective(on_main, order[0]):
        return ()
    official = [] if main is None else [main]
    found = []
    for loaded in (*official, *(each for each in state.lists if each.origin == "other")):
        row = _row(entry, loaded.players)
        for kind in order:
            rating = 0 if row is None else int(getattr(row, kind))
            if rating:
                found.append(Elsewhere(loaded.name, kind, rating))
    return tuple(found)


def effective(player: RatedPlayer, kind: Kind) -> int:
    """The rating on the effective list of a kind: its own, and for rapid and blitz else the standard one (B.02)."""
    return player.rating((kind,) if kind == "standard" else (kind, "standard"))


def _row(entry: Entry, players: Iterable[RatedPlayer]) -> RatedPlayer | None:
    """An entry's row: by FIDE id, without one by name if only one has it."""
    if entry.fide_id:
        return next((p for p in players if p.fide_id == entry.fide_id), None)
    found = [p for p in players if folded(p.name) == folded(entry.name)]
    return found[0] if len(found) == 1 else None
