"""Decisions to undo and to do again. Both write events; nothing is ever removed from the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import reduce
from gettext import gettext as _
from typing import Any

from rules.tournament.asking import Ask, Events
from rules.tournament.book import Step, TournamentState
from rules.tournament.book_events import (
    Adjourned,
    CheckedIn,
    CheckInClosed,
    ColoursSwapped,
    EntryCorrected,
    EntryTakenOut,
    Excused,
    Expelled,
    Flagged,
    IntegrityNoted,
    LateEntered,
    ManualClosed,
    ManualOpened,
    PairsForbidden,
    PairsReplaced,
    Redone,
    RegulationsChanged,
    Renumbered,
    ReportCorrected,
    Returned,
    Undone,
    UnpairedSet,
)
from rules.tournament.book_intents import Redo, Undo, WithdrawSheet
from rules.tournament.corrections import reach
from rules.tournament.decide_rounds import withdraw_sheet
from rules.tournament.events import (
    KIND_OF,
    ByeGranted,
    DraftDropped,
    Paired,
    Published,
    Resulted,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned
from rules.tournament.list_events import RoundRated
from rules.tournament.rank_events import OutsideValued, TiedOrdered
from rules.tournament.state import fold

#: Who a number was when the act was done.
Who = Callable[[int], str]

#: Kind of event → what an act that begins with it is called in the list of acts.
_NAMES: Mapping[type[Any], Callable[[Any, Who], str]] = {
    Withdrawn: lambda e, who: _("{player} withdrawn").format(player=who(e.tpn)),
    Returned: lambda e, who: _("{player} returned").format(player=who(e.tpn)),
    Expelled: lambda e, who: _("{player} expelled").format(player=who(e.tpn)),
    ByeGranted: lambda e, who: _("bye of {player} in round {round}").format(player=who(e.tpn), round=e.round),
    Flagged: lambda e, who: _("{player} and half-point byes").format(player=who(e.tpn)),
    CheckedIn: lambda e, who: _("check-in of {player}").format(player=who(e.tpn)),
    CheckInClosed: lambda e, who: _("check-in closed"),
    EntryCorrected: lambda e, who: _("data of {player}").format(player=who(e.entry.tpn)),
    LateEntered: lambda e, who: _("late entry of {name}").format(name=e.entry.name),
    EntryTakenOut: lambda e, who: _("{player} taken off the list").format(player=who(e.tpn)),
    Renumbered: lambda e, who: _("pairing numbers changed"),
    RegulationsChanged: lambda e, who: _("regulations changed"),
    PairsForbidden: lambda e, who: _("prohibited pairings"),
    Paired: lambda e, who: _("pairing of round {round}").format(round=e.round),
    DraftDropped: lambda e, who: _("draft of round {round} dropped").format(round=e.round),
    ManualOpened: lambda e, who: _("round {round} opened for pairing by hand").format(round=e.round),
    ManualClosed: lambda e, who: _("round {round} made by hand").format(round=e.round),
    Published: lambda e, who: _("round {round} made public").format(round=e.round),
    UnpairedSet: lambda e, who: _("bye of {player} in round {round}").format(player=who(e.tpn), round=e.round),
    ColoursSwapped: lambda e, who: _("colours of board {board} in round {round}").format(board=e.board, round=e.round),
    Resulted: lambda e, who: _("result of board {board} in round {round}").format(board=e.board, round=e.round),
    Adjourned: lambda e, who: _("board {board} of round {round} adjourned").format(board=e.board, round=e.round),
    PairsReplaced: lambda e, who: _("pairs of round {round} as they were played").format(round=e.round),
    Excused: lambda e, who: _("excuse of {player} in round {round}").format(player=who(e.tpn), round=e.round),
    RoundRated: lambda e, who: _("rating of {player} from round {round} on").format(player=who(e.tpn), round=e.round),
    TiedOrdered: lambda e, who: _("order of {players} by hand").format(players="; ".join(map(who, e.order))),
    OutsideValued: lambda e, who: _("value of {player} from outside").format(player=who(e.tpn)),
    ReportCorrected: lambda e, who: _("report of board {board}, round {round}").format(board=e.board, round=e.round),
}


def step_name(step: Step) -> str:
    """An act in words: what it was about, players by name and the number they had then."""
    # A draft that was dropped on the way is not what the act was about.
    shown = next((e for e in step.events if not isinstance(e, DraftDropped)), step.events[0])
    name = _NAMES.get(type(shown))
    if name is None:
        return KIND_OF[type(shown)]
    return name(shown, lambda tpn: f"{step.names[tpn]} ({tpn})" if tpn in step.names else f"({tpn})")


def _again(event: TournamentEvent, ask: Ask) -> TournamentEvent:
    """The event as of now, by the one who asks."""
    names = {f.name for f in fields(event)}
    changes: dict[str, Any] = {"at": ask.at}
    # A result that comes back keeps the name of who set it.
    if "by" in names and not isinstance(event, Resulted | Adjourned):
        changes["by"] = ask.by
    return replace(event, **changes)


def undo(ask: Ask, intent: Undo) -> Events | Refusal:
    state = ask.state
    if not state.steps:
        return Refusal(_("There is nothing to undo. What was done before the round was started stays."))
    latest = state.steps[-1]
    if intent.saw and intent.saw != latest.act:
        saw = next((step_name(s) for s in (*state.steps, *state.undone) if s.act == intent.saw), _("something else"))
        return ask.changed(_("The latest act"), saw, step_name(latest), latest.by)
    step = latest if not intent.act else next((s for s in state.steps if s.act == intent.act), None)
    if step is None:
        return Refusal(_("Act {act} cannot be undone any more.").format(act=intent.act))
    refused = ask.over() or _in_the_way(state, step)
    if refused is not None:
        return refused
    if any(isinstance(e, Published) for e in step.events):
        return _undo_sheet(ask, intent, step)
    reasons = _too_late(ask, step)
    if isinstance(reasons, Refusal):
        return reasons
    inverse = tuple(_again(event, ask) for event in step.inverse)
    events = (*inverse, *_stale(ask, inverse))
    undone = Undone(ask.at, step.act, len(events), ask.by, intent.why)
    return (undone, *events, *_notes(ask, step, intent.why))


def _in_the_way(state: TournamentState, step: Step) -> Refusal | None:
    """A later act on the same thing, or one that gave other numbers, must be undone first."""
    later = state.steps[state.steps.index(step) + 1 :]
    for other in later:
        if other.barrier or other.subjects & step.subjects:
            return Refusal(_("Undo {later} first.").format(later=step_name(other)))
    if step.basis and state.pairing_state().digest != step.basis and len(step.events) == 1:
        return Refusal(_("The draft rested on other results or entries. Pair again."))
    return None


def _undo_sheet(ask: Ask, intent: Undo, step: Step) -> Events | Refusal:
    """Undoing a publication is withdrawing the sheet, with the same warnings."""
    taken_back = withdraw_sheet(ask, WithdrawSheet(intent.why))
    if isinstance(taken_back, Refusal):
        return taken_back
    return (Undone(ask.at, step.act, len(taken_back), ask.by, intent.why), *taken_back)


def _too_late(ask: Ask, step: Step) -> Refusal | None:
    """A result is taken back only as far as it could be corrected now; what others were paired on is warned of."""
    warnings = []
    for event in step.events:
        if not isinstance(event, Resulted | ColoursSwapped):
            continue
        case = reach(ask.state, event.round)
        if case == "report":
            return Refusal(
                _("Round {round} is closed: correct the result of board {board} for the report instead.").format(
                    round=event.round, board=event.board
                )
            )
        if case != "free":
            words = _("Round {round} was paired since.").format(round=len(ask.state.rounds))
            warnings.append(Warned("correction-kept", words))
    return ask.stops(warnings[:1])


def _stale(ask: Ask, inverse: Events) -> Events:
    """A draft that was made since goes when what it rests on changes."""
    state = ask.state
    if state.regulations is None or (state.draft is None and not state.manual):
        return ()
    if any(isinstance(e, Paired | DraftDropped | ManualOpened | ManualClosed) for e in inverse):
        return ()
    after = reduce(fold, inverse, state)
    return () if after.pairing_state().digest == state.pairing_state().digest else ask.stale_draft()


def _notes(ask: Ask, step: Step, why: str) -> tuple[IntegrityNoted, ...]:
    """What was noted about the act is followed by a note that it was taken back; nothing public goes away."""
    noted = [n for n in ask.state.notes if (n.at, n.by) == (step.at, step.by)]
    return tuple(replace(n, at=ask.at, by=ask.by, before=n.after, after=n.before, why=why) for n in noted)


def redo(ask: Ask, intent: Redo) -> Events | Refusal:
    state = ask.state
    if not state.undone:
        return Refusal(_("There is nothing to do again."))
    step = state.undone[-1] if not intent.act else next((s for s in state.undone if s.act == intent.act), None)
    if step is None or step is not state.undone[-1]:
        return Refusal(_("Do again {latest} first.").format(latest=step_name(state.undone[-1])))
    if any(isinstance(e, Published) for e in step.events):
        return Refusal(_("The sheet was withdrawn: publish the draft, and it gets a new revision."))
    refused = ask.over()
    if refused is not None:
        return refused
    events = tuple(_again(event, ask) for event in step.events)
    notes = tuple(replace(n, at=ask.at, by=ask.by) for n in state.notes if (n.at, n.by) == (step.at, step.by))
    return (Redone(ask.at, step.act, len(events), ask.by), *events, *notes)
