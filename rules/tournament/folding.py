"""What each kind of event does to the state: one small function each, and the table of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar

from rules.tournament import renaming
from rules.tournament.book import Device, Round, Touched, TournamentState
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
    Pair,
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
from rules.tournament.undo_steps import with_steps

K = TypeVar("K")
V = TypeVar("V")


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return {**mapping, key: value}


def _without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    return {k: v for k, v in mapping.items() if k != key}


def _change_round(state: TournamentState, number: int, **changes: Any) -> TournamentState:
    """The state with one public round changed; unchanged when there is no such round."""
    if state.round(number) is None:
        return state
    rounds = tuple(replace(r, **changes) if r.number == number else r for r in state.rounds)
    return replace(state, rounds=rounds)


# -- entries ----------------------------------------------------------------------------------------------------------


def _created(state: TournamentState, event: Created) -> TournamentState:
    return replace(state, regulations=event.regulations)


def _regulations_changed(state: TournamentState, event: RegulationsChanged) -> TournamentState:
    return replace(state, regulations=event.regulations)


def _entered(state: TournamentState, event: Entered) -> TournamentState:
    return replace(state, entries={e.tpn: e for e in event.entries})


def _entry_corrected(state: TournamentState, event: EntryCorrected) -> TournamentState:
    return replace(state, entries=_with(state.entries, event.entry.tpn, event.entry))


def _withdrawn(state: TournamentState, event: Withdrawn) -> TournamentState:
    return replace(state, withdrawn=_with(state.withdrawn, event.tpn, len(state.rounds) + 1))


def _expelled(state: TournamentState, event: Expelled) -> TournamentState:
    gone = state if event.tpn in state.withdrawn else _withdrawn(state, Withdrawn(event.at, event.tpn, event.by))
    return replace(gone, withdrawn={**gone.withdrawn}, expelled=state.expelled | {event.tpn})


def _returned(state: TournamentState, event: Returned) -> TournamentState:
    return replace(state, withdrawn=_without(state.withdrawn, event.tpn), expelled=state.expelled - {event.tpn})


def _flagged(state: TournamentState, event: Flagged) -> TournamentState:
    flagged = state.no_half_bye | {event.tpn} if event.on else state.no_half_bye - {event.tpn}
    return replace(state, no_half_bye=flagged)


def _bye_granted(state: TournamentState, event: ByeGranted) -> TournamentState:
    of_round = _with(state.byes.get(event.round, {}), event.tpn, event.kind)
    return replace(state, byes=_with(state.byes, event.round, of_round))


def _bye_revoked(state: TournamentState, event: ByeRevoked) -> TournamentState:
    left = _without(state.byes.get(event.round, {}), event.tpn)
    return replace(state, byes=_with(state.byes, event.round, left) if left else _without(state.byes, event.round))


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
    drawn = replace(state, lots=_with(state.lots, event.what, event))
    if event.what == "initial-colour" and drawn.regulations is not None and event.outcome in ("white", "black"):
        colour: Any = event.outcome
        drawn = replace(drawn, regulations=replace(drawn.regulations, initial_colour=colour))
    return drawn


# -- rounds -----------------------------------------------------------------------------------------------------------


def _paired(state: TournamentState, event: Paired) -> TournamentState:
    byes = {int(tpn): kind for tpn, kind in event.byes.items()}
    return replace(state, draft=Round(event.round, event.pairs, event.bye, byes, event.reasons))


def _draft_dropped(state: TournamentState, event: DraftDropped) -> TournamentState:
    return replace(state, draft=None, manual=0)


def _manual_opened(state: TournamentState, event: ManualOpened) -> TournamentState:
    draft = state.draft and replace(state.draft, manual=False, differences=())
    return replace(state, manual=event.round, draft=draft)


def _manual_closed(state: TournamentState, event: ManualClosed) -> TournamentState:
    draft = state.draft and replace(state.draft, manual=True, differences=event.differences)
    return replace(state, manual=0, draft=draft)


def _published(state: TournamentState, event: Published) -> TournamentState:
    sheet: dict[str, Any] = {
        "rev": event.rev,
        "checksum": event.checksum,
        "tables": {int(board): table for board, table in event.tables.items()},
    }
    if state.draft is None or state.draft.number != event.round:
        return _change_round(state, event.round, **sheet)
    public = replace(state.draft, **sheet)
    return replace(state, rounds=(*state.rounds, public), draft=None, orders_done={})


def _sheet_withdrawn(state: TournamentState, event: SheetWithdrawn) -> TournamentState:
    found = state.round(event.round)
    if found is None or event.round != len(state.rounds):
        return state
    draft = Round(
        found.number, found.pairs, found.bye, found.byes, found.reasons, manual=found.manual,
        differences=found.differences, printed=found.printed,
    )  # fmt: skip
    return replace(
        state,
        rounds=state.rounds[:-1],
        draft=draft,
        old_sheets=_with(state.old_sheets, event.round, (*state.old_sheets.get(event.round, ()), found)),
        # What was noted about a sheet that nobody plays is not part of the report (the log keeps it).
        notes=tuple(n for n in state.notes if (n.kind, n.round) != ("MPA", event.round)),
        group_a=0 if event.round == 1 else state.group_a,
    )


def _group_fixed(state: TournamentState, event: GroupFixed) -> TournamentState:
    return replace(state, group_a=event.last)


def _started(state: TournamentState, event: Started) -> TournamentState:
    return _change_round(state, event.round, started=True, started_at=event.at)


def _board_added(state: TournamentState, event: BoardAdded) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    placed = (event.pair.white, event.pair.black)
    return _change_round(
        state,
        event.round,
        pairs=(*found.pairs, event.pair),
        bye=None if found.bye in placed else found.bye,
        byes={tpn: kind for tpn, kind in found.byes.items() if tpn not in placed},
        tables=_with(found.tables, event.pair.board, event.table) if event.table else found.tables,
    )


def _unpaired_set(state: TournamentState, event: UnpairedSet) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    if event.kind == "U":
        return _change_round(state, event.round, bye=event.tpn, byes=_without(found.byes, event.tpn))
    bye = None if found.bye == event.tpn else found.bye
    return _change_round(state, event.round, bye=bye, byes=_with(found.byes, event.tpn, event.kind))


def _colours_swapped(state: TournamentState, event: ColoursSwapped) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    pairs = tuple(Pair(p.board, p.black, p.white) if p.board == event.board else p for p in found.pairs)
    printed = {board: (b, w) if board == event.board else (w, b) for board, (w, b) in found.printed.items()}
    return _change_round(state, event.round, pairs=pairs, printed=printed)


def _pairs_replaced(state: TournamentState, event: PairsReplaced) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    new = {pair.board: pair for pair in event.pairs}
    pairs = tuple(new.get(p.board, p) for p in found.pairs)
    sheet = {p.board: found.on_sheet(p.board) for p in found.pairs}
    printed = {p.board: sheet[p.board] for p in pairs if sheet[p.board] != (p.white, p.black)}
    return _change_round(state, event.round, pairs=pairs, printed=printed)


def _game_moved(state: TournamentState, event: GameMoved) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    moved = {int(board): table for board, table in event.tables.items()}
    tables = {board: table for board, table in (dict(found.tables) | moved).items() if table}
    home = found.home or {table: board for board, table in found.tables.items()}
    return _change_round(state, event.round, tables=tables, home=home)


def _excused(state: TournamentState, event: Excused) -> TournamentState:
    mine = {(event.tpn, event.round)}
    return replace(state, excused=state.excused | mine if event.on else state.excused - mine)


def _round_sealed(state: TournamentState, event: RoundSealed) -> TournamentState:
    return _change_round(state, event.round, sealed=True)


def _finished(state: TournamentState, event: Finished) -> TournamentState:
    return replace(state, finished=True)


# -- results ----------------------------------------------------------------------------------------------------------


def _resulted(state: TournamentState, event: Resulted) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    adjourned = _without(found.adjourned, event.board) if event.board in found.adjourned else found.adjourned
    return _change_round(state, event.round, results=_with(found.results, event.board, event), adjourned=adjourned)


def _result_cleared(state: TournamentState, event: ResultCleared) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    return _change_round(
        state,
        event.round,
        results=_without(found.results, event.board),
        adjourned=_without(found.adjourned, event.board),
    )


def _adjourned(state: TournamentState, event: Adjourned) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    return _change_round(
        state,
        event.round,
        results=_without(found.results, event.board),
        adjourned=_with(found.adjourned, event.board, event),
    )


def _report_corrected(state: TournamentState, event: ReportCorrected) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    official = found.results.get(event.board)
    told = (event.score, event.forfeit, event.rated, event.swapped)
    # What the report says anyway need not be said: so a correction is taken back.
    if official is not None and told == (official.score, official.source == "forfeit", official.rated, False):
        return _change_round(state, event.round, report=_without(found.report, event.board))
    return _change_round(state, event.round, report=_with(found.report, event.board, event))


# -- lists and places --------------------------------------------------------------------------------------------------


def _list_loaded(state: TournamentState, event: ListLoaded) -> TournamentState:
    others = (each for each in state.lists if (each.name, each.valid_from) != (event.name, event.valid_from))
    return replace(state, lists=tuple(sorted((*others, event), key=lambda each: (each.valid_from, each.at))))


def _ratings_checked(state: TournamentState, event: RatingsChecked) -> TournamentState:
    return replace(state, ratings_checked=event)


def _round_rated(state: TournamentState, event: RoundRated) -> TournamentState:
    mine = _without(state.round_ratings.get(event.tpn, {}), event.round)
    if event.rating:
        mine = dict(sorted({**mine, event.round: event.rating}.items()))
    return replace(
        state,
        round_ratings=_with(state.round_ratings, event.tpn, mine) if mine else _without(state.round_ratings, event.tpn),
    )


def _tied_ordered(state: TournamentState, event: TiedOrdered) -> TournamentState:
    others = tuple(each for each in state.tied_orders if set(each.order) != set(event.order))
    return replace(state, tied_orders=(*others, event) if event.on else others)


def _outside_valued(state: TournamentState, event: OutsideValued) -> TournamentState:
    given = _with(state.outside, event.tpn, event.value) if event.value else _without(state.outside, event.tpn)
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
    return replace(state, calls=_with(state.calls, event.id, event))


def _call_closed(state: TournamentState, event: CallClosed) -> TournamentState:
    return replace(
        state, calls=_without(state.calls, event.id), calls_closed=_with(state.calls_closed, event.id, event)
    )


def _ordered(state: TournamentState, event: Ordered) -> TournamentState:
    return replace(state, orders=_with(state.orders, event.id, event))


def _order_confirmed(state: TournamentState, event: OrderConfirmed) -> TournamentState:
    return replace(
        state, orders=_without(state.orders, event.id), orders_done=_with(state.orders_done, event.id, event)
    )


def _device_enrolled(state: TournamentState, event: DeviceEnrolled) -> TournamentState:
    before = state.devices.get(event.table)
    history = (*before.history, before.instance) if before is not None else ()
    device = Device(event.table, event.epoch, event.instance, history)
    return replace(state, devices=_with(state.devices, event.table, device))


def _hub_opened(state: TournamentState, event: HubOpened) -> TournamentState:
    return replace(state, incarnation=event.incarnation, boot=event.boot)


_FOLDS: Mapping[type[Any], Callable[[TournamentState, Any], TournamentState]] = {
    Created: _created,
    Entered: _entered,
    Withdrawn: _withdrawn,
    ByeGranted: _bye_granted,
    Paired: _paired,
    DraftDropped: _draft_dropped,
    Published: _published,
    Started: _started,
    Resulted: _resulted,
    CallOpened: _call_opened,
    CallClosed: _call_closed,
    Ordered: _ordered,
    OrderConfirmed: _order_confirmed,
    RoundSealed: _round_sealed,
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
    ManualOpened: _manual_opened,
    ManualClosed: _manual_closed,
    GroupFixed: _group_fixed,
    SheetWithdrawn: _sheet_withdrawn,
    BoardAdded: _board_added,
    UnpairedSet: _unpaired_set,
    ColoursSwapped: _colours_swapped,
    ResultCleared: _result_cleared,
    Adjourned: _adjourned,
    ReportCorrected: _report_corrected,
    FideExited: _fide_exited,
    IntegrityNoted: _integrity_noted,
    PairsReplaced: _pairs_replaced,
    GameMoved: _game_moved,
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
    return replace(state, touched=_with(state.touched, key(event), Touched(getattr(event, "by", ""), event.at)))


def fold(state: TournamentState, event: TournamentEvent) -> TournamentState:
    """The state after one more event."""
    after = _touch(_FOLDS[type(event)](state, event), event)
    return with_steps(state, replace(after, events=state.events + 1, latest=event.at), event)


def replay(events: Iterable[TournamentEvent]) -> TournamentState:
    """The state after a whole log."""
    return reduce(fold, events, TournamentState())
