"""Which acts can be undone, and by which events: the inverse of each kind, computed while the state before is at hand.

An act is what one person did at one time, perhaps several events. Undoing it writes events again, nothing is removed
from the log. The steps are kept until the round is started; what can be done again is kept until anything else is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from rules.tournament.book import Round, Step, TournamentState
from rules.tournament.book_events import (
    Adjourned,
    ByeRevoked,
    CheckedIn,
    CheckInClosed,
    CheckInOpened,
    ColoursSwapped,
    EntryCorrected,
    EntryTakenOut,
    Excused,
    Expelled,
    Flagged,
    LateEntered,
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
    DraftDropped,
    Paired,
    Published,
    Resulted,
    Started,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.list_events import RoundRated
from rules.tournament.rank_events import OutsideValued, TiedOrdered

Events = tuple[TournamentEvent, ...]
#: Behind these, earlier acts wait: they speak of other numbers, or of a sheet that is public since.
_BARRIERS = (Published, LateEntered, EntryTakenOut, Renumbered)


def _status_back(state: TournamentState, at: int, tpn: int, by: str) -> Events:
    """The events that bring back how a player stood."""
    if tpn in state.expelled:
        return (Expelled(at, tpn, by, ""),)
    if tpn in state.withdrawn:
        return (Withdrawn(at, tpn, by),)
    return (Returned(at, tpn, len(state.rounds) + 1, by),)


def _expelled(state: TournamentState, event: Expelled) -> Events:
    returned = Returned(event.at, event.tpn, len(state.rounds) + 1, event.by)
    return (returned, Withdrawn(event.at, event.tpn, event.by)) if event.tpn in state.withdrawn else (returned,)


def _bye_back(state: TournamentState, event: ByeGranted | ByeRevoked) -> Events:
    before = state.byes.get(event.round, {}).get(event.tpn)
    if before is None:
        return (ByeRevoked(event.at, event.tpn, event.round, event.by),)
    return (ByeGranted(event.at, event.tpn, event.round, before, event.by),)


def _regulations_changed(state: TournamentState, event: RegulationsChanged) -> Events:
    return () if state.regulations is None else (RegulationsChanged(event.at, state.regulations, event.by),)


def _draft_events(draft: Round, at: int, by: str) -> Events:
    byes = {str(tpn): kind for tpn, kind in draft.byes.items()}
    paired = Paired(at, draft.number, draft.pairs, draft.bye, byes, draft.reasons, by)
    if not draft.manual:
        return (paired,)
    return (paired, ManualClosed(at, draft.number, draft.differences, by))


def _paired(state: TournamentState, event: Paired) -> Events:
    if state.manual and state.draft is not None:
        return _draft_events(state.draft, event.at, event.by)
    if state.manual:
        return (DraftDropped(event.at, event.round, event.by), ManualOpened(event.at, event.round, event.by, ""))
    return (DraftDropped(event.at, event.round, event.by),)


def _manual_opened(state: TournamentState, event: ManualOpened) -> Events:
    dropped = DraftDropped(event.at, event.round, event.by)
    return (dropped,) if state.draft is None else (dropped, *_draft_events(state.draft, event.at, event.by))


def _draft_dropped(state: TournamentState, event: DraftDropped) -> Events:
    opened = (ManualOpened(event.at, event.round, event.by, ""),) if state.manual else ()
    return opened if state.draft is None else (*opened, *_draft_events(state.draft, event.at, event.by))


def _resulted(state: TournamentState, event: Resulted) -> Events:
    if event.source == "confirmed":
        return ()
    return _result_back(state, event)


def _result_back(state: TournamentState, event: Resulted | Adjourned | ResultCleared) -> Events:
    found = state.round(event.round)
    if found is None:
        return ()
    if event.board in found.adjourned:
        return (replace(found.adjourned[event.board], at=event.at),)
    before = found.results.get(event.board)
    if before is None:
        return (ResultCleared(event.at, event.round, event.board, event.by),)
    return (replace(before, at=event.at),)


def _report_corrected(state: TournamentState, event: ReportCorrected) -> Events:
    found = state.round(event.round)
    if found is None:
        return ()
    before = found.report.get(event.board)
    if before is not None:
        return (replace(before, at=event.at),)
    official = found.results.get(event.board)
    if official is None:
        return ()
    forfeit = official.source == "forfeit"
    back = replace(event, score=official.score, forfeit=forfeit, rated=official.rated, swapped=False, why="")
    return (back,)


def _unpaired_set(state: TournamentState, event: UnpairedSet) -> Events:
    found = state.round(event.round)
    before = found.unpaired(event.tpn) if found is not None else ""
    return (replace(event, kind=before),) if before else ()


def _taken_out(state: TournamentState, event: EntryTakenOut) -> Events:
    """He is entered again under his number, with all that was said of him."""
    at, tpn, by = event.at, event.tpn, event.by
    entry = state.entries.get(tpn)
    if entry is None:
        return ()
    back: list[TournamentEvent] = [LateEntered(at, entry, state.joined.get(tpn, 1), "Z", by)]
    if tpn in state.withdrawn:
        back += _status_back(state, at, tpn, by)
    back += [ByeGranted(at, tpn, n, given[tpn], by) for n, given in state.byes.items() if tpn in given]
    back += [Flagged(at, tpn, "no-half-bye", True, by)] if tpn in state.no_half_bye else []
    back += [CheckedIn(at, tpn, True, by)] if tpn in state.checked_in else []
    back += [RoundRated(at, tpn, n, rating, by) for n, rating in state.round_ratings.get(tpn, {}).items()]
    back += [OutsideValued(at, tpn, state.outside[tpn], by, "")] if tpn in state.outside else []
    for rule in state.forbidden:
        if tpn in rule.players:
            without_him = tuple(each for each in rule.players if each != tpn)
            back += [replace(rule, players=without_him, on=False), rule]
    return tuple(back)


def _entry_corrected(state: TournamentState, event: EntryCorrected) -> Events:
    before = state.entries.get(event.entry.tpn)
    return () if before is None else (replace(event, entry=before),)


def _pairs_replaced(state: TournamentState, event: PairsReplaced) -> Events:
    found = state.round(event.round)
    if found is None:
        return ()
    boards = {pair.board for pair in event.pairs}
    return (replace(event, pairs=tuple(pair for pair in found.pairs if pair.board in boards)),)


def _tied_ordered(state: TournamentState, event: TiedOrdered) -> Events:
    before = next((each for each in state.tied_orders if set(each.order) == set(event.order)), None)
    return (replace(event, on=False) if before is None else replace(before, at=event.at),)


#: Kind of event → the events that undo it, given the state before it; other kinds cannot be undone.
_INVERSES: Mapping[type[Any], Callable[[TournamentState, Any], Events]] = {
    Withdrawn: lambda state, e: _status_back(state, e.at, e.tpn, e.by),
    Returned: lambda state, e: _status_back(state, e.at, e.tpn, e.by),
    Expelled: _expelled,
    ByeGranted: _bye_back,
    ByeRevoked: _bye_back,
    Flagged: lambda state, e: (replace(e, on=e.tpn in state.no_half_bye),),
    CheckedIn: lambda state, e: (replace(e, present=e.tpn in state.checked_in),),
    CheckInClosed: lambda state, e: (CheckInOpened(e.at, e.by),),
    EntryCorrected: _entry_corrected,
    EntryTakenOut: _taken_out,
    LateEntered: lambda state, e: (EntryTakenOut(e.at, e.entry.tpn, e.by),),
    Renumbered: lambda state, e: (replace(e, numbers={str(new): int(old) for old, new in e.numbers.items()}),),
    RegulationsChanged: _regulations_changed,
    PairsForbidden: lambda state, e: (replace(e, on=not e.on),),
    Paired: _paired,
    DraftDropped: _draft_dropped,
    ManualOpened: _manual_opened,
    ManualClosed: lambda state, e: (ManualOpened(e.at, e.round, e.by, ""),),
    Published: lambda state, e: (SheetWithdrawn(e.at, e.round, e.rev, e.by, ""),),
    UnpairedSet: _unpaired_set,
    ColoursSwapped: lambda state, e: (e,),
    Resulted: _resulted,
    Adjourned: _result_back,
    ReportCorrected: _report_corrected,
    PairsReplaced: _pairs_replaced,
    Excused: lambda state, e: (replace(e, on=(e.tpn, e.round) in state.excused),),
    RoundRated: lambda state, e: (replace(e, rating=state.round_ratings.get(e.tpn, {}).get(e.round, 0)),),
    TiedOrdered: _tied_ordered,
    OutsideValued: lambda state, e: (replace(e, value=state.outside.get(e.tpn, "")),),
}


def subject(event: TournamentEvent) -> str:
    """What an event is about: "p7", "r2b3", "draft", "regulations" …; later acts on it must be undone first."""
    if isinstance(event, Resulted | Adjourned | ResultCleared | ColoursSwapped | ReportCorrected):
        return f"r{event.round}b{event.board}"
    if isinstance(event, PairsReplaced):
        return f"r{event.round}"
    if isinstance(event, Paired | DraftDropped | ManualOpened | ManualClosed | Published):
        return "draft"
    if isinstance(event, LateEntered | EntryCorrected):
        return f"p{event.entry.tpn}"
    tpn = getattr(event, "tpn", None)
    return f"p{tpn}" if tpn is not None else type(event).__name__


def with_steps(before: TournamentState, after: TournamentState, event: TournamentEvent) -> TournamentState:
    """The state after an event with its list of acts brought up to date."""
    if isinstance(event, Undone | Redone):
        return _moved(after, event)
    if before.quiet:
        return replace(after, quiet=before.quiet - 1)
    if isinstance(event, Started):
        return replace(after, steps=(), undone=())
    if isinstance(event, SheetWithdrawn):
        return replace(after, steps=_before_sheet(before.steps, event.round), undone=())
    if isinstance(event, Resulted) and event.source == "confirmed":
        return after if not after.undone else replace(after, undone=())
    make = _INVERSES.get(type(event))
    inverse = make(before, event) if make is not None else ()
    if not inverse:
        return after
    return replace(after, steps=_more_steps(before, after, event, inverse), undone=())


def _more_steps(
    before: TournamentState, after: TournamentState, event: TournamentEvent, inverse: Events
) -> tuple[Step, ...]:
    by = str(getattr(event, "by", ""))
    basis = before.pairing_state().digest if isinstance(event, DraftDropped) and before.regulations else ""
    names = {tpn: each.entries[tpn].name for each in (after, before) for tpn in _players(event) if tpn in each.entries}
    subjects = frozenset({subject(event)})
    new = Step(after.events, event.at, by, (event,), inverse, subjects, _is_barrier(event), basis, names)
    last = before.steps[-1] if before.steps else None
    if last is None or (last.at, last.by) != (new.at, new.by):
        return (*before.steps, new)
    joined = replace(
        last,
        events=(*last.events, event),
        inverse=(*inverse, *last.inverse),
        subjects=last.subjects | new.subjects,
        barrier=last.barrier or new.barrier,
        basis=last.basis or basis,
        names={**names, **last.names},
    )
    return (*before.steps[:-1], joined)


def _players(event: TournamentEvent) -> tuple[int, ...]:
    """The players whom an event names by number."""
    if isinstance(event, LateEntered | EntryCorrected):
        return (event.entry.tpn,)
    if isinstance(event, TiedOrdered):
        return event.order
    tpn = getattr(event, "tpn", None)
    return () if tpn is None else (tpn,)


def _is_barrier(event: TournamentEvent) -> bool:
    return isinstance(event, _BARRIERS)


def _before_sheet(steps: tuple[Step, ...], number: int) -> tuple[Step, ...]:
    """The acts before a sheet was made public."""
    for index in range(len(steps) - 1, -1, -1):
        if any(isinstance(e, Published) and e.round == number for e in steps[index].events):
            return steps[:index]
    return steps


def _moved(state: TournamentState, event: Undone | Redone) -> TournamentState:
    """An act goes from the ones that can be undone to those that can be done again, or back."""
    if isinstance(event, Undone):
        moved = tuple(s for s in state.steps if s.act == event.act)
        left = tuple(s for s in state.steps if s.act != event.act)
        return replace(state, steps=left, undone=(*state.undone, *moved), quiet=event.events)
    moved = tuple(s for s in state.undone if s.act == event.act)
    left = tuple(s for s in state.undone if s.act != event.act)
    return replace(state, steps=(*state.steps, *moved), undone=left, quiet=event.events)
