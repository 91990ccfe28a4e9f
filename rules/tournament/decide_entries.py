"""Decisions about the list: entries, numbers, who is here and who is not, byes on request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from rules.tournament import regulations as announced
from rules.tournament.asking import Ask, Events, no_reason
from rules.tournament.book import TournamentState
from rules.tournament.book_events import (
    ByeRevoked,
    CheckedIn,
    CheckInClosed,
    CheckInOpened,
    EntryCorrected,
    EntryTakenOut,
    Expelled,
    Flagged,
    LateEntered,
    Renumbered,
    Returned,
)
from rules.tournament.book_intents import (
    CheckIn,
    CloseCheckIn,
    CorrectEntry,
    EnterLate,
    ExchangeNumbers,
    Expel,
    Flag,
    OpenCheckIn,
    Renumber,
    RequestBye,
    Return,
    RevokeBye,
    TakeOut,
)
from rules.tournament.entries import Entry, doubles, in_order, numbered, rated_by, strength
from rules.tournament.events import ByeGranted, Created, Entered, Regulations, TournamentEvent, Withdrawn
from rules.tournament.integrity import bye_text
from rules.tournament.intents import Enter, GrantBye, Refusal, Withdraw
from rules.tournament.levels import Warned

#: From this round on numbers are not given anew (C.04.2 2.3).
NUMBERS_FIXED_WITH = 4


# -- the list ---------------------------------------------------------------------------------------------------------


def enter(ask: Ask, intent: Enter) -> Events | Refusal:
    state = ask.state
    if state.rounds:
        return Refusal(_("Round 1 is public: the list of entries and the regulations cannot be replaced any more."))
    why = _bad_entries(intent.entries) or announced.problem(intent.regulations, len(intent.entries))
    if why:
        return Refusal(why)
    entries = intent.entries
    if not all(e.tpn for e in entries):
        rated = tuple(rated_by(e, intent.regulations.ranking) for e in entries)
        entries = numbered(rated, intent.regulations.equals)
    entries = tuple(sorted(entries, key=lambda e: e.tpn))
    events: list[TournamentEvent] = []
    if state.regulations != intent.regulations:
        events.append(Created(ask.at, intent.regulations))
    if tuple(state.entries.values()) != entries:
        # What was said about numbers of the old list means nobody on the new one.
        events += [ByeRevoked(ask.at, tpn, n, ask.by) for n, given in state.byes.items() for tpn in given]
        events += [Returned(ask.at, tpn, 1, ask.by) for tpn in state.withdrawn]
        events += [replace(rule, at=ask.at, by=ask.by, on=False) for rule in state.forbidden]
        events.append(Entered(ask.at, entries))
    return (*ask.stale_draft(), *events) if events else ()


def _bad_entries(entries: tuple[Entry, ...]) -> str:
    if len(entries) < 2:
        return _("A tournament needs at least two players; the list has {count}.").format(count=len(entries))
    given = sorted(e.tpn for e in entries if e.tpn)
    if given and given != list(range(1, len(entries) + 1)):
        return _("Pairing numbers must be 1 to {count}, each once, or all be left out.").format(count=len(entries))
    return ""


def enter_late(ask: Ask, intent: EnterLate) -> Events | Refusal:
    """One more entry; his number is what his strength earns, and everybody below moves down (C.04.2 2.4)."""
    state, regulations = ask.state, ask.state.regulations
    if regulations is None or not state.entries:
        return Refusal(_("There are no entries yet. Enter the players first."))
    first = state.next_round_to_pair
    if ask.over() or first is None:
        return ask.over() or Refusal(_("All {rounds} rounds are paired.").format(rounds=regulations.rounds))
    if state.is_round_robin and state.rounds:
        return Refusal(_("Round 1 of a round robin is public: the table has no place for another player."))
    if not intent.entry.name.strip():
        return Refusal(_("An entry needs a name."))
    entry = rated_by(intent.entry, regulations.ranking)
    warnings = [
        Warned("entry-double", _("{name} is on the list already, as number {tpn}.").format(name=old.name, tpn=old.tpn))
        for old, new in doubles((*state.entries.values(), replace(entry, tpn=0)))
        if new.tpn == 0
    ]
    if regulations.last_entry and first > regulations.last_entry:
        closed = _("Late entries may first play in round {last} at the latest; the next one is round {first}.")
        warnings.append(Warned("late-entry-closed", closed.format(last=regulations.last_entry, first=first)))
    stopped = ask.stops(warnings)
    if stopped is not None:
        return stopped
    numbered_entry = replace(entry, tpn=earned_number(state, entry))
    entered = LateEntered(ask.at, numbered_entry, first, regulations.missed_rounds, ask.by, intent.why)
    return (*ask.stale_draft(), entered)


def take_out(ask: Ask, intent: TakeOut) -> Events | Refusal:
    """Off the list, and the numbers after his move down; once he can have been paired he withdraws instead."""
    refused = ask.unknown_player(intent.tpn) or ask.over()
    if refused is not None:
        return refused
    if ask.state.rounds:
        words = _("Round 1 is public: {name} stays on the list. Let the player withdraw.")
        return Refusal(words.format(name=ask.state.entries[intent.tpn].name))
    if len(ask.state.entries) <= 2:
        return Refusal(_("A tournament needs at least two players; the list has {count}.").format(
            count=len(ask.state.entries)))  # fmt: skip
    regulations = ask.state.regulations
    why = announced.problem(regulations, len(ask.state.entries) - 1) if regulations is not None else ""
    return Refusal(why) if why else (*ask.stale_draft(), EntryTakenOut(ask.at, intent.tpn, ask.by))


def earned_number(state: TournamentState, entry: Entry) -> int:
    """The number that a newcomer's strength earns: that of the first one on the list who is weaker."""
    equals = state.regulations.equals if state.regulations is not None else "name"
    mine = strength(entry, equals)
    return next((e.tpn for e in state.entries.values() if strength(e, equals) > mine), len(state.entries) + 1)


def correct_entry(ask: Ask, intent: CorrectEntry) -> Events | Refusal:
    unknown = ask.unknown_player(intent.entry.tpn)
    if unknown is not None:
        return unknown
    if not intent.entry.name.strip():
        return Refusal(_("An entry needs a name."))
    now = ask.state.entries[intent.entry.tpn]
    if now == intent.entry:
        return ()
    if intent.saw not in (None, now):
        assert intent.saw is not None
        saw, here = _differences(intent.saw, now)
        return ask.changed(ask.named(now.tpn), saw, here, ask.who(f"p{now.tpn}"))
    return (EntryCorrected(ask.at, intent.entry, ask.by, intent.why),)


def _differences(saw: Any, now: Any) -> tuple[str, str]:
    """The fields in which two values differ, in words."""
    names = [f.name for f in fields(saw) if getattr(saw, f.name) != getattr(now, f.name)]
    texts = [", ".join(f"{name} {getattr(each, name)}" for name in names) for each in (saw, now)]
    return texts[0], texts[1]


# -- numbers ----------------------------------------------------------------------------------------------------------


def _numbers_fixed(ask: Ask) -> Refusal | None:
    state = ask.state
    if state.is_round_robin and state.rounds:
        return Refusal(_("Round 1 of a round robin is public: its numbers are the table's."))
    if len(state.rounds) >= NUMBERS_FIXED_WITH:
        return Refusal(_("Round 4 is paired: pairing numbers stay as they are (C.04.2 2.3)."))
    return ask.over()


def renumber(ask: Ask, intent: Renumber) -> Events | Refusal:
    state, regulations = ask.state, ask.state.regulations
    refused = _numbers_fixed(ask)
    if refused is not None or regulations is None:
        return refused or Refusal(_("There are no entries yet. Enter the players first."))
    order = in_order(state.entries.values(), regulations.equals)
    numbers = {str(old): new for old, new in sorted((e.tpn, n) for n, e in enumerate(order, 1)) if old != new}
    return _renumbered(ask, numbers, "Regeneration", intent.why) if numbers else ()


def exchange_numbers(ask: Ask, intent: ExchangeNumbers) -> Events | Refusal:
    first, second = intent.first, intent.second
    refused = _numbers_fixed(ask) or ask.unknown_player(first, second)
    if refused is not None:
        return refused
    if first == second:
        return ()
    entries = ask.state.entries
    extra = []
    if (entries[first].rating, entries[first].title) != (entries[second].rating, entries[second].title):
        words = _("{first} and {second} are not equal in rating and title.")
        words = words.format(first=ask.named(first), second=ask.named(second))
        extra = [Warned("renumbers-unequal", words)]
    return _renumbered(ask, {str(first): second, str(second): first}, "Exchange", intent.why, extra)


def _renumbered(
    ask: Ask, numbers: Mapping[str, int], kind: str, why: str, extra: Iterable[Warned] = ()
) -> Events | Refusal:
    state = ask.state
    missing = no_reason(why) if state.rounds else None
    if missing is not None:
        return missing
    warnings = list(extra)
    if state.rounds or kind == "Exchange":
        words = ngettext("{count} pairing number changes.", "{count} pairing numbers change.", len(numbers))
        warnings.append(Warned("renumbers", words.format(count=len(numbers))))
    stopped = ask.stops(warnings)
    if stopped is not None:
        return stopped
    events: Events = (*ask.stale_draft(), Renumbered(ask.at, dict(numbers), ask.by, why))
    if not state.rounds:
        return events
    before, after = " ".join(numbers), " ".join(str(new) for new in numbers.values())
    return (*events, ask.note(kind, len(state.rounds) + 1, before, after, why))


# -- who plays --------------------------------------------------------------------------------------------------------


def _status_words(status: str) -> str:
    return {
        "in": _("taking part"), "late": _("not here yet"), "withdrawn": _("withdrawn"), "expelled": _("expelled"),
    }.get(status, status)  # fmt: skip


def _player(ask: Ask, tpn: int, saw: str = "") -> Refusal | None:
    """Why nothing can be done about a player: unknown, the event over, or changed by another desk."""
    refused = ask.unknown_player(tpn) or ask.over()
    if refused is not None:
        return refused
    now = ask.state.status(tpn)
    if saw in ("", now):
        return None
    return ask.changed(ask.named(tpn), _status_words(saw), _status_words(now), ask.who(f"p{tpn}"))


def withdraw(ask: Ask, intent: Withdraw) -> Events | Refusal:
    if intent.tpn in ask.state.withdrawn and not ask.state.finished:
        return ()
    refused = _player(ask, intent.tpn, intent.saw)
    return refused or (*ask.stale_draft(), Withdrawn(ask.at, intent.tpn, ask.by, intent.why))


def come_back(ask: Ask, intent: Return) -> Events | Refusal:
    """He is paired from the next unpublished round on; what he missed stays as it is (S-22)."""
    state = ask.state
    refused = _player(ask, intent.tpn, intent.saw)
    if refused is not None:
        return refused
    if intent.tpn in state.expelled:
        words = _("{player} is expelled. Undo the ruling if it was wrong.")
        return Refusal(words.format(player=ask.named(intent.tpn)))
    if intent.tpn not in state.withdrawn:
        return ()
    first = state.next_round_to_pair
    if first is None:
        return Refusal(_("There is no round left to play in."))
    return (*ask.stale_draft(), Returned(ask.at, intent.tpn, first, ask.by, intent.why))


def expel(ask: Ask, intent: Expel) -> Events | Refusal:
    refused = _player(ask, intent.tpn) or no_reason(intent.why)
    if refused is not None:
        return refused
    if intent.tpn in ask.state.expelled:
        return ()
    words = _("{name} is out of the event. His results stay for his opponents; he has no place in the standings.")
    stopped = ask.stops([Warned("expelled", words.format(name=ask.state.entries[intent.tpn].name))])
    return stopped or (*ask.stale_draft(), Expelled(ask.at, intent.tpn, ask.by, intent.why))


def flag(ask: Ask, intent: Flag) -> Events | Refusal:
    refused = _player(ask, intent.tpn)
    if refused is not None:
        return refused
    if (intent.tpn in ask.state.no_half_bye) == intent.on:
        return ()
    return (Flagged(ask.at, intent.tpn, "no-half-bye", intent.on, ask.by),)


def open_check_in(ask: Ask, intent: OpenCheckIn) -> Events | Refusal:
    if ask.over() or not ask.state.entries:
        return ask.over() or Refusal(_("There are no entries yet. Enter the players first."))
    return () if ask.state.check_in == "open" else (*ask.stale_draft(), CheckInOpened(ask.at, ask.by))


def check_in(ask: Ask, intent: CheckIn) -> Events | Refusal:
    refused = _player(ask, intent.tpn)
    if refused is not None:
        return refused
    if not ask.state.check_in:
        return Refusal(_("Check-in is not open."))
    if (intent.tpn in ask.state.checked_in) == intent.present:
        return ()
    return (CheckedIn(ask.at, intent.tpn, intent.present, ask.by),)


def missing_players(state: TournamentState) -> tuple[int, ...]:
    """Who takes part and has not checked in."""
    away = state.absent(len(state.rounds) + 1)
    return tuple(tpn for tpn in state.entries if tpn not in state.checked_in and tpn not in away)


def close_check_in(ask: Ask, intent: CloseCheckIn) -> Events | Refusal:
    """No choice is made for anybody: each who is missing must be spoken of."""
    state = ask.state
    if state.check_in != "open":
        return () if state.check_in == "closed" else Refusal(_("Check-in is not open."))
    missing = missing_players(state)
    untold = [tpn for tpn in missing if tpn not in intent.missing]
    if untold:
        names = ", ".join(f"{tpn} {state.entries[tpn].name}" for tpn in untold[:8])
        words = ngettext(
            "{count} player has not checked in: {names}. Say for each: out of the next round, out of the event, or "
            "pair anyway.",
            "{count} players have not checked in: {names}. Say for each: out of the next round, out of the event, or "
            "pair anyway.",
            len(untold),
        )
        return Refusal(words.format(count=len(untold), names=names))
    number = len(state.rounds) + 1
    events: list[TournamentEvent] = [CheckInClosed(ask.at, ask.by)]
    for tpn in missing:
        if intent.missing[tpn] == "round":
            events.append(ByeGranted(ask.at, tpn, number, "Z", ask.by, _("did not check in")))
        elif intent.missing[tpn] == "event":
            events.append(Withdrawn(ask.at, tpn, ask.by, _("did not check in")))
    return (*ask.stale_draft(), *events)


# -- byes -------------------------------------------------------------------------------------------------------------


def _bye_problem(ask: Ask, tpn: int, number: int, kind: str) -> Refusal | None:
    state = ask.state
    rounds = state.regulations.rounds if state.regulations is not None else 0
    refused = ask.unknown_player(tpn)
    if refused is not None:
        return refused
    if state.is_round_robin:
        return Refusal(_("There are no byes in a round robin: every game is in the table."))
    if kind == "U":
        return Refusal(_("The pairing-allocated bye is given by the pairing, not on request."))
    if not len(state.rounds) < number <= rounds:
        return Refusal(
            _("A bye can be given for rounds {first} to {last} only.").format(first=len(state.rounds) + 1, last=rounds)
        )
    if state.withdrawn.get(tpn, number + 1) <= number:
        return Refusal(_("{player} has withdrawn.").format(player=ask.named(tpn)))
    return None


def _granted(ask: Ask, tpn: int, number: int, kind: Any, why: str = "") -> Events:
    state = ask.state
    if state.byes.get(number, {}).get(tpn) == kind:
        return ()
    drop = ask.stale_draft() if number == len(state.rounds) + 1 else ()
    return (*drop, ByeGranted(ask.at, tpn, number, kind, ask.by, why))


def grant_bye(ask: Ask, intent: GrantBye) -> Events | Refusal:
    refused = _bye_problem(ask, intent.tpn, intent.round, intent.kind)
    return refused or _granted(ask, intent.tpn, intent.round, intent.kind)


def half_byes_of(state: TournamentState, tpn: int, without: int = 0) -> tuple[int, ...]:
    """Rounds in which a player has or will have a half-point bye; round `without` is left out."""
    had = [r.number for r in state.rounds if r.unpaired(tpn) == "H" and r.number >= state.joined.get(tpn, 1)]
    to_come = [n for n, given in state.byes.items() if n > len(state.rounds) and given.get(tpn) == "H"]
    return tuple(sorted(n for n in {*had, *to_come} if n != without))


def request_bye(ask: Ask, intent: RequestBye) -> Events | Refusal:
    """What the regulations grant; beyond the number the arbiter may, what is closed stays closed (S-03)."""
    state, regulations = ask.state, ask.state.regulations
    refused = _bye_problem(ask, intent.tpn, intent.round, intent.kind)
    if refused is not None or regulations is None:
        return refused or Refusal(_("There are no regulations yet."))
    now = state.byes.get(intent.round, {}).get(intent.tpn, "")
    if intent.saw not in (None, now):
        assert intent.saw is not None
        what = _("The bye of {player} in round {round}").format(player=ask.named(intent.tpn), round=intent.round)
        return ask.changed(what, intent.saw, now, ask.who(f"p{intent.tpn}"))
    if now == intent.kind:
        return ()
    warnings = _half_bye(state, regulations, intent) if intent.kind == "H" else _full_bye(regulations, intent)
    if isinstance(warnings, Refusal):
        return warnings
    stopped = ask.stops(warnings)
    if stopped is not None:
        return stopped
    events = _granted(ask, intent.tpn, intent.round, intent.kind, intent.why)
    if intent.kind == "F":
        note = ask.note("Configuration", intent.round, "", bye_text(intent.tpn, "F"), intent.why)
        return (*events, note)
    return events


def _half_bye(state: TournamentState, regulations: Regulations, intent: RequestBye) -> list[Warned] | Refusal:
    if intent.tpn in state.no_half_bye:
        return Refusal(
            _("{name} may not have half-point byes (invited, or playing for conditions).").format(
                name=state.entries[intent.tpn].name
            )
        )
    last_open = regulations.rounds - regulations.closed_rounds
    if intent.round > last_open:
        return Refusal(
            _("Half-point byes are for rounds 1 to {last} only: not in the last {closed} of {rounds}.").format(
                last=last_open, closed=regulations.closed_rounds, rounds=regulations.rounds
            )
        )
    has, player = half_byes_of(state, intent.tpn, intent.round), f"{state.entries[intent.tpn].name} ({intent.tpn})"
    if len(has) < regulations.half_byes:
        return []
    words = ngettext(
        "The regulations grant {most} half-point bye; {player} has had {count}.",
        "The regulations grant {most} half-point byes; {player} has had {count}.",
        regulations.half_byes,
    )
    return [Warned("bye-second", words.format(most=regulations.half_byes, player=player, count=len(has)))]


def _full_bye(regulations: Regulations, intent: RequestBye) -> list[Warned] | Refusal:
    if intent.kind != "F":
        return []
    if not regulations.full_byes:
        return Refusal(_("The regulations grant no full-point byes."))
    return [Warned("bye-full", _("A full-point bye is a win without a game: it should be the exception."))]


def revoke_bye(ask: Ask, intent: RevokeBye) -> Events | Refusal:
    if intent.round <= len(ask.state.rounds):
        return Refusal(_("Round {round} is public: its byes stay.").format(round=intent.round))
    if intent.tpn not in ask.state.byes.get(intent.round, {}):
        return ()
    drop = ask.stale_draft() if intent.round == len(ask.state.rounds) + 1 else ()
    return (*drop, ByeRevoked(ask.at, intent.tpn, intent.round, ask.by, intent.why))
