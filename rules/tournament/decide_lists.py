"""Decisions about rating lists: a list that has come, the check by it, ratings put right, ratings of a long event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from gettext import gettext as _
from gettext import ngettext

from rules.interchange.csv_layouts import HIGHEST_RATING
from rules.interchange.rating_index import wanted_only
from rules.tournament.asking import Ask, Events
from rules.tournament.book import TournamentState
from rules.tournament.book_events import EntryCorrected
from rules.tournament.entries import rated_by
from rules.tournament.events import Regulations
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned
from rules.tournament.list_events import ListLoaded, RatingsChecked, RoundRated
from rules.tournament.list_intents import CheckRatings, LoadList, PickRating, RateRound, UpdateRatings
from rules.tournament.rating_check import RatingDifference, as_listed
from rules.tournament.rating_lists import (
    day_of_check,
    effective,
    elsewhere,
    in_force,
    not_current,
    order_of,
    rating_differences,
)
from rules.tournament.regulations import is_day, no_day

#: A warning names at most so many players.
_NAMED = 12


def _begun(ask: Ask) -> Regulations | Refusal:
    regulations = ask.state.regulations
    if regulations is None or not ask.state.entries:
        return Refusal(_("There are no entries yet. Enter the players first."))
    return ask.over() or regulations


def _no_day(day: str) -> Refusal | None:
    return None if is_day(day) else Refusal(no_day(day))


def load_list(ask: Ask, intent: LoadList) -> Events | Refusal:
    """The list is kept, and the ratings are compared with it at once: nobody has to think of it."""
    regulations = _begun(ask)
    if isinstance(regulations, Refusal):
        return regulations
    refused = _no_day(intent.valid_from) or (_no_day(intent.day) if intent.day else None)
    if refused is not None:
        return refused
    if not intent.name.strip():
        return Refusal(_("A rating list needs a name, so that ratings can say where they are from."))
    players = tuple(wanted_only(intent.players, tuple(ask.state.entries.values())))
    if not players:
        return Refusal(_("Nobody of this event is on the list {list}: is it the right file?").format(list=intent.name))
    asked = tuple(sorted(entry.fide_id for entry in ask.state.entries.values() if entry.fide_id))
    loaded = ListLoaded(ask.at, intent.name, intent.valid_from, players, ask.by, intent.origin, asked)
    if any(replace(each, at=loaded.at, by=loaded.by) == loaded for each in ask.state.lists):
        return ()
    if intent.origin != "FIDE" or not regulations.check_ratings:
        return (loaded,)
    after = replace(ask.state, lists=(*ask.state.lists, loaded))
    checked = _checked(after, ask, intent.day or intent.valid_from)
    return (loaded,) if checked is None else (loaded, checked)


def _checked(state: TournamentState, ask: Ask, today: str) -> RatingsChecked | None:
    assert state.regulations is not None
    day = day_of_check(state.regulations, today)
    found = in_force(state.lists, day)
    if found is None:
        return None
    differing = tuple(each.entry.tpn for each in rating_differences(state, today))
    return RatingsChecked(ask.at, found.name, day, differing, ask.by)


def check_ratings(ask: Ask, intent: CheckRatings) -> Events | Refusal:
    """First: are the lists those of the day? Then: who is not as listed."""
    regulations = _begun(ask)
    refused = regulations if isinstance(regulations, Refusal) else _no_day(intent.day)
    if refused is not None:
        return refused
    why = not_current(ask.state, intent.day)
    checked = _checked(ask.state, ask, intent.day)
    if checked is None:
        return Refusal(why)
    return ask.stops([Warned("list-old", why)] if why else []) or (checked,)


def in_words(found: Iterable[RatingDifference]) -> str:
    """Differences in sentences, the first ones."""
    listed = tuple(found)
    words = " ".join(each.words for each in listed[:_NAMED])
    if len(listed) <= _NAMED:
        return words
    more = len(listed) - _NAMED
    return ngettext("{words} And {more} more.", "{words} And {more} more.", more).format(words=words, more=more)


def start_warnings(state: TournamentState) -> list[Warned]:
    """Before round 1 is public: ratings that are not those of the list in force on the first day."""
    regulations = state.regulations
    if regulations is None or state.rounds or not state.lists or not regulations.check_ratings:
        return []
    today = regulations.start_date or max(each.valid_from for each in state.lists)
    why = not_current(state, today)
    found = rating_differences(state, today)
    return [Warned("list-old", why)] * bool(why) + [Warned("ratings-differ", in_words(found))] * bool(found)


def update_ratings(ask: Ask, intent: UpdateRatings) -> Events | Refusal:
    """All that differ, or those who are named, in one step; the list of changes is seen before."""
    state, regulations = ask.state, _begun(ask)
    if isinstance(regulations, Refusal):
        return regulations
    refused = ask.unknown_player(*intent.players) or (_no_day(intent.day) if intent.day else None)
    if refused is not None:
        return refused
    today = intent.day or max((each.valid_from for each in state.lists), default="0001/01/01")
    found = in_force(state.lists, day_of_check(regulations, today))
    if found is None:
        return Refusal(not_current(state, today))
    changes = [
        each
        for each in rating_differences(state, today)
        if each.listed is not None and (not intent.players or each.entry.tpn in intent.players)
    ]
    if not changes:
        return ()
    stopped = ask.stops([Warned("ratings-updated", in_words(changes))])
    if stopped is not None:
        return stopped
    kind = order_of(regulations)[0]
    upcoming = state.next_round_to_pair
    if regulations.is_long and state.rounds and upcoming is not None:
        # The rating a player began with stays his first one (C.07 10).
        return tuple(
            RoundRated(ask.at, e.entry.tpn, upcoming, effective(e.listed, kind), ask.by, intent.why or found.name)
            for e in changes
            if e.listed is not None
        )
    return tuple(
        EntryCorrected(
            ask.at,
            as_listed(e.entry, e.listed, kind, found.name, regulations.ranking),
            ask.by,
            intent.why or found.name,
        )
        for e in changes
        if e.listed is not None
    )


def pick_rating(ask: Ask, intent: PickRating) -> Events | Refusal:
    regulations = _begun(ask)
    refused = regulations if isinstance(regulations, Refusal) else ask.unknown_player(intent.tpn)
    if refused is not None:
        return refused
    assert isinstance(regulations, Regulations)
    entry = ask.state.entries[intent.tpn]
    source = f"{intent.list} ({intent.kind})"
    for each in elsewhere(ask.state, entry):
        if (each.list, each.kind) == (intent.list, intent.kind):
            new = rated_by(
                replace(entry, rating=each.rating, fide_rating=each.rating, source=source), regulations.ranking
            )
            return () if new == entry else (EntryCorrected(ask.at, new, ask.by, source),)
    words = _("{name} has no {kind} rating to choose on the list {list}.")
    return Refusal(words.format(name=entry.name, kind=intent.kind, list=intent.list))


def rate_round(ask: Ask, intent: RateRound) -> Events | Refusal:
    """A player of a long event has another rating from a round on; which of them tie-breaks take is announced."""
    regulations = _begun(ask)
    refused = regulations if isinstance(regulations, Refusal) else ask.unknown_player(intent.tpn)
    if refused is not None:
        return refused
    assert isinstance(regulations, Regulations)
    if not regulations.is_long:
        return Refusal(
            _("A player has one rating in an event of up to 30 days. Say in the regulations that this one is longer.")
        )
    if not 2 <= intent.round <= regulations.rounds:
        words = _("Say from which round on, 2 to {rounds}; the rating of round 1 is that of the entry.")
        return Refusal(words.format(rounds=regulations.rounds))
    if not 0 <= intent.rating <= HIGHEST_RATING:
        words = _("{rating} is no possible rating: {highest} is the highest, 0 takes back what was said.")
        return Refusal(words.format(rating=intent.rating, highest=HIGHEST_RATING))
    if ask.state.round_ratings.get(intent.tpn, {}).get(intent.round, 0) == intent.rating:
        return ()
    return (RoundRated(ask.at, intent.tpn, intent.round, intent.rating, ask.by, intent.why),)
