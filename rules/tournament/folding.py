"""What each kind of event does to the state: one small function each, and the table of them.

Rounds and their results are in `folding_rounds`, numbers that change in `renaming`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from rules.tournament import folding_rounds as on
from rules.tournament import renaming
from rules.tournament.book import Device, Touched, TournamentState
from rules.tournament.book_events import (
    Adjourned,
    BoardAdded,
    ByeRevoked,
    CheckedIn,
    CheckInClosed,
    CheckInOpened,
    ColoursSwapped,
    EntryCorrected,
    EntryTakenOut,
    Excused,
    Expelled,
    FideExited,
    Flagged,
    GameMoved,
    GroupFixed,
    IntegrityNoted,
    LateEntered,
    LotDrawn,
    ManualClosed,
    ManualOpened,
    PairsForbidden,
    PairsReplaced,
    Redone,
    RegulationsChanged,
    Renumbered,
    ReportCorrected,
    ResultCleared,
    Returned,
    SheetWithdrawn,
    Undone,
    UnpairedSet,
)
from rules.tournament.events import (
    ByeGranted,
    CallClosed,
    CallOpened,
    Created,
    DeviceEnrolled,
    DraftDropped,
    Entered,
    Finished,
    HubOpened,
    OrderConfirmed,
    Ordered,
    Paired,
    Published,
    Resulted,
    RoundSealed,
    Started,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.list_events import ListLoaded, RatingsChecked, RoundRated
from rules.tournament.rank_events import OutsideValued, TiedOrdered
from rules.tournament.renaming import with_value, without
from rules.tournament.undo_steps import with_steps

# -- entries ----------------------------------------------------------------------------------------------------------


def _created(state: TournamentState, event: Created) -> TournamentState:
    return replace(state, regulations=event.regulations)


def _regulations_changed(state: TournamentState, event: RegulationsChanged) -> TournamentState:
    return replace(state, regulations=event.regulations)


def _entered(state: TournamentState, event: Entered) -> TournamentState:
    return replace(state, entries={e.tpn: e for e in event.entries})


def _entry_corrected(state: TournamentState, event: EntryCorrected) -> TournamentState:
    return replace(state, entries=with_value(state.entries, event.entry.tpn, event.entry))


def _withdrawn(state: TournamentState, event: Withdrawn) -> TournamentState:
    return replace(state, withdrawn=with_value(state.withdrawn, event.tpn, len(state.rounds) + 1))


def _expelled(state: TournamentState, event: Expelled) -> TournamentState:
    gone = state if event.tpn in state.withdrawn else _withdrawn(state, Withdrawn(event.at, event.tpn, event.by))
    return replace(gone, expelled=state.expelled | {event.tpn})


def _returned(state: TournamentState, event: Returned) -> TournamentState:
    return replace(state, withdrawn=without(state.withdrawn, event.tpn), expelled=state.expelled - {event.tpn})


def _flagged(state: TournamentState, event: Flagged) -> TournamentState:
    flagged = state.no_half_bye | {event.tpn} if event.on else state.no_half_bye - {event.tpn}
    return replace(state, no_half_bye=flagged)


def _bye_granted(state: TournamentState, event: ByeGranted) -> TournamentState:
    of_round = with_value(state.byes.get(event.round, {}), event.tpn, event.kind)
    return replace(state, byes=with_value(state.byes, event.round, of_round))


def _bye_revoked(state: TournamentState, event: ByeRevoked) -> TournamentState:
    left = without(state.byes.get(event.round, {}), event.tpn)
    return replace(state, byes=with_value(state.byes, event.round, left) if left else without(state.byes, event.round))


def _check_in_opened(state: TournamentState, event: CheckInOpened) -> TournamentState:
    return replace(state, check_in="open")


def _checked_in(state: TournamentState, event: CheckedIn) -> TournamentState:
    here = state.checked_in | {event.tpn} if event.present else state.checked_in - {event.tpn}
    return replace(state, checked_in=here)


def _check_in_closed(state: TournamentState, event: CheckInClosed) -> TournamentState:
    return replace(state, check_in="closed")


def _pairs_forbidden(state: TournamentState, event: PairsForbidden) -> TournamentState:
    rule = (event.players, event.first_round, event.last_round)
    others = tuple(f for f in state.forbidden if (f.players, f.first_round, f.last_round) != rule)
    return replace(state, forbidden=(*others, event) if event.on else others)


def _lot_drawn(state: TournamentState, event: LotDrawn) -> TournamentState:
    drawn = replace(state, lots=with_value(state.lots, event.what, event))
    if event.what == "initial-colour" and drawn.regulations is not None and event.outcome in ("white", "black"):
        colour: Any = event.outcome
        drawn = replace(drawn, regulations=replace(drawn.regulations, initial_colour=colour))
    return drawn


def _excused(state: TournamentState, event: Excused) -> TournamentState:
    mine = {(event.tpn, event.round)}
    return replace(state, excused=state.excused | mine if event.on else state.excused - mine)


def _finished(state: TournamentState, event: Finished) -> TournamentState:
    return replace(state, finished=True)


# -- lists and places --------------------------------------------------------------------------------------------------


def _list_loaded(state: TournamentState, event: ListLoaded) -> TournamentState:
    others = (each for each in state.lists if (each.name, each.valid_from) != (event.name, event.valid_from))
    return replace(state, lists=tuple(sorted((*others, event), key=lambda each: (each.valid_from, each.at))))


def _ratings_checked(state: TournamentState, event: RatingsChecked) -> TournamentState:
    return replace(state, ratings_checked=event)


def _round_rated(state: TournamentState, event: RoundRated) -> TournamentState:
    mine = without(state.round_ratings.get(event.tpn, {}), event.round)
    if event.rating:
        mine = dict(sorted({**mine, event.round: event.rating}.items()))
    given = with_value(state.round_ratings, event.tpn, mine) if mine else without(state.round_ratings, event.tpn)
    return replace(state, round_ratings=given)


def _tied_ordered(state: TournamentState, event: TiedOrdered) -> TournamentState:
    others = tuple(each for each in state.tied_orders if set(each.order) != set(event.order))
    return replace(state, tied_orders=(*others, event) if event.on else others)


def _outside_valued(state: TournamentState, event: OutsideValued) -> TournamentState:
    given = with_value(state.outside, event.tpn, event.value) if event.value else without(state.outside, event.tpn)
    return replace(state, outside=given)


# -- handling ---------------------------------------------------------------------------------------------------------


def _fide_exited(state: TournamentState, event: FideExited) -> TournamentState:
    return replace(state, fide_exit=state.fide_exit or event)


def _integrity_noted(state: TournamentState, event: IntegrityNoted) -> TournamentState:
    return replace(state, notes=(*state.notes, event))


def _unchanged(state: TournamentState, event: Any) -> TournamentState:
    return state


# -- calls, orders, devices -------------------------------------------------------------------------------------------


def _call_opened(state: TournamentState, event: CallOpened) -> TournamentState:
    return replace(state, calls=with_value(state.calls, event.id, event))


def _call_closed(state: TournamentState, event: CallClosed) -> TournamentState:
    return replace(
        state, calls=without(state.calls, event.id), calls_closed=with_value(state.calls_closed, event.id, event)
    )


def _ordered(state: TournamentState, event: Ordered) -> TournamentState:
    return replace(state, orders=with_value(state.orders, event.id, event))


def _order_confirmed(state: TournamentState, event: OrderConfirmed) -> TournamentState:
    return replace(
        state, orders=without(state.orders, event.id), orders_done=with_value(state.orders_done, event.id, event)
    )


def _device_enrolled(state: TournamentState, event: DeviceEnrolled) -> TournamentState:
    before = state.devices.get(event.table)
    history = (*before.history, before.instance) if before is not None else ()
    device = Device(event.table, event.epoch, event.instance, history)
    return replace(state, devices=with_value(state.devices, event.table, device))


def _hub_opened(state: TournamentState, event: HubOpened) -> TournamentState:
    return replace(state, incarnation=event.incarnation, boot=event.boot)


_FOLDS: Mapping[type[Any], Callable[[TournamentState, Any], TournamentState]] = {
    Created: _created,
    Entered: _entered,
    Withdrawn: _withdrawn,
    ByeGranted: _bye_granted,
    Paired: on.paired,
    DraftDropped: on.draft_dropped,
    Published: on.published,
    Started: on.started,
    Resulted: on.resulted,
    CallOpened: _call_opened,
    CallClosed: _call_closed,
    Ordered: _ordered,
    OrderConfirmed: _order_confirmed,
    RoundSealed: on.round_sealed,
    Finished: _finished,
    DeviceEnrolled: _device_enrolled,
    HubOpened: _hub_opened,
    RegulationsChanged: _regulations_changed,
    LateEntered: renaming.late_entered,
    EntryTakenOut: renaming.entry_taken_out,
    EntryCorrected: _entry_corrected,
    Renumbered: renaming.renumbered,
    Returned: _returned,
    Expelled: _expelled,
    Flagged: _flagged,
    ByeRevoked: _bye_revoked,
    CheckInOpened: _check_in_opened,
    CheckedIn: _checked_in,
    CheckInClosed: _check_in_closed,
    PairsForbidden: _pairs_forbidden,
    LotDrawn: _lot_drawn,
    ManualOpened: on.manual_opened,
    ManualClosed: on.manual_closed,
    GroupFixed: on.group_fixed,
    SheetWithdrawn: on.sheet_withdrawn,
    BoardAdded: on.board_added,
    UnpairedSet: on.unpaired_set,
    ColoursSwapped: on.colours_swapped,
    ResultCleared: on.result_cleared,
    Adjourned: on.adjourned,
    ReportCorrected: on.report_corrected,
    FideExited: _fide_exited,
    IntegrityNoted: _integrity_noted,
    PairsReplaced: on.pairs_replaced,
    GameMoved: on.game_moved,
    Excused: _excused,
    ListLoaded: _list_loaded,
    RatingsChecked: _ratings_checked,
    RoundRated: _round_rated,
    TiedOrdered: _tied_ordered,
    OutsideValued: _outside_valued,
    Undone: _unchanged,
    Redone: _unchanged,
}


#: What an event changes, by the name under which `TournamentState.touched` remembers it; other events are left out.
_TOUCHES: Mapping[type[Any], Callable[[Any], str]] = {
    Created: lambda event: "regulations",
    RegulationsChanged: lambda event: "regulations",
    LateEntered: lambda event: f"p{event.entry.tpn}",
    EntryCorrected: lambda event: f"p{event.entry.tpn}",
    **dict.fromkeys(
        (Withdrawn, Returned, Expelled, Flagged, CheckedIn, ByeGranted, ByeRevoked), lambda event: f"p{event.tpn}"
    ),
}


def _touch(state: TournamentState, event: TournamentEvent) -> TournamentState:
    """Remember who changed a player or the regulations last, for the second desk (S-27)."""
    key = _TOUCHES.get(type(event))
    if key is None:
        return state
    return replace(state, touched=with_value(state.touched, key(event), Touched(getattr(event, "by", ""), event.at)))


def fold(state: TournamentState, event: TournamentEvent) -> TournamentState:
    """The state after one more event."""
    after = _touch(_FOLDS[type(event)](state, event), event)
    return with_steps(state, replace(after, events=state.events + 1, latest=event.at), event)


def replay(events: Iterable[TournamentEvent]) -> TournamentState:
    """The state after a whole log."""
    return reduce(fold, events, TournamentState())
