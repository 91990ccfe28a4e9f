"""Decisions about what was announced: regulations, prohibitions, lots."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import fields, replace
from gettext import gettext as _
from typing import Any

from rules.pairing.legality import LEGALITY
from rules.pairing.state import IllegalPairing, PairingAnswer
from rules.pairing.varma import NoTable, drawn, drawn_apart
from rules.tournament import regulations as announced
from rules.tournament.asking import Ask, Events, no_reason
from rules.tournament.book import TournamentState
from rules.tournament.book_events import LotDrawn, PairsForbidden, RegulationsChanged, Renumbered
from rules.tournament.book_intents import ChangeRegulations, DrawLot, DrawNumbers, Forbid
from rules.tournament.events import Regulations
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned

#: What no event can change once round 1 is public.
_NEVER = frozenset({
    "system", "initial_colour", "seed", "ranking", "equals", "pairing_edition", "numbering", "cycles",
    "swap_middle",
})  # fmt: skip
#: Field → the warning under which it changes once round 1 is public; all other fields change freely.
_LOUD: Mapping[str, str] = {
    "rounds": "rounds-changed",
    "tie_breaks": "tie-breaks-changed",
    "tie_break_ratings": "tie-breaks-changed",
    "win_half_points": "points-changed",
    "draw_half_points": "points-changed",
    "loss_half_points": "points-changed",
    "pab_half_points": "points-changed",
    "acceleration": "acceleration-changed",
}


def change_regulations(ask: Ask, intent: ChangeRegulations) -> Events | Refusal:
    state, regulations = ask.state, ask.state.regulations
    if regulations is None:
        return Refusal(_("There are no regulations yet."))
    known = {f.name for f in fields(Regulations)}
    strange = sorted({*intent.changes, *intent.saw} - known)
    if strange:
        return Refusal(_("{field!r} is nothing the regulations speak of.").format(field=strange[0]))
    for name, saw in intent.saw.items():
        now = getattr(regulations, name)
        if saw != now:
            who = ask.who("regulations")
            return ask.changed(announced.field_name(name).capitalize(), _value(saw), _value(now), who)
    changed = {name: value for name, value in intent.changes.items() if getattr(regulations, name) != value}
    if not changed:
        return ()
    new = replace(regulations, **changed)
    why = announced.problem(new, len(state.entries) if state.entries else None)
    refused = ask.over() or (Refusal(why) if why else None)
    if refused is not None:
        return refused
    drop = ask.stale_draft()
    if not state.rounds:
        advised = [words for words in announced.advice(new) if words not in announced.advice(regulations)]
        stopped = ask.stops([Warned("tie-breaks-advised", words) for words in advised])
        if stopped is not None:
            return stopped
        return (*drop, RegulationsChanged(ask.at, new, ask.by, intent.why))
    return _changed_late(ask, intent, regulations, new, sorted(changed), drop)


def _changed_late(
    ask: Ask, intent: ChangeRegulations, old: Regulations, new: Regulations, names: list[str], drop: Events
) -> Events | Refusal:
    """A change after round 1 is public: some never, some with a warning and a note in the report."""
    state = ask.state
    never = [name for name in names if name in _NEVER]
    if never:
        return Refusal(_("Round 1 is public: {what} stays.").format(what=announced.field_name(never[0])))
    if new.rounds < len(state.rounds):
        return Refusal(_("{rounds} rounds are public already.").format(rounds=len(state.rounds)))
    loud = [name for name in names if name in _LOUD]
    warnings = []
    for name in loud:
        words = _("{what} changes from {old} to {new} although round 1 is public.").format(
            what=announced.field_name(name).capitalize(), old=_value(getattr(old, name)), new=_value(getattr(new, name))
        )
        warnings.append(Warned(_LOUD[name], words))
    if new.rounds != old.rounds:
        warnings += _no_longer_holds(state, new)
    refused = (no_reason(intent.why) if loud else None) or ask.stops(warnings)
    if refused is not None:
        return refused
    number = len(state.rounds) + 1
    notes = []
    for name in loud:
        before, after = (f"{name} {_value(getattr(each, name))}" for each in (old, new))
        notes.append(ask.note("Configuration", number, before, after, intent.why))
    return (*drop, RegulationsChanged(ask.at, new, ask.by, intent.why), *notes)


def _no_longer_holds(state: TournamentState, new: Regulations) -> list[Warned]:
    """Does the last public round still keep the rules, now that it is, or is no longer, the final one?"""
    found = state.rounds[-1]
    before = replace(state, regulations=new).pairing_state(found.number)
    placed = {tpn for p in found.pairs for tpn in (p.white, p.black)} | (
        {found.bye} if found.bye is not None else set()
    )
    before = replace(before, absent=frozenset(before.by_tpn.keys() - placed))
    try:
        LEGALITY[new.system](before, PairingAnswer(tuple((p.white, p.black) for p in found.pairs), found.bye))
    except IllegalPairing as broken:
        words = _("Round {round} does not keep the rules any more. {why}").format(round=found.number, why=broken)
        return [Warned("rounds-no-longer-hold", words)]
    return []


def _value(value: Any) -> str:
    return ",".join(str(each) for each in value) if isinstance(value, tuple) else str(value)


def forbid(ask: Ask, intent: Forbid) -> Events | Refusal:
    players = tuple(sorted(set(intent.players)))
    refused = ask.unknown_player(*players) or ask.over()
    if refused is not None:
        return refused
    if len(players) < 2:
        return Refusal(_("Name at least two players who must not meet."))
    if intent.last_round and intent.last_round < intent.first_round:
        return Refusal(_("The last round of a prohibition comes before its first."))
    rule = PairsForbidden(ask.at, players, intent.first_round, intent.last_round, ask.by, intent.why)
    if any((r.players, r.first_round, r.last_round) == (players, rule.first_round, rule.last_round)
           for r in ask.state.forbidden):  # fmt: skip
        return ()
    warnings = []
    if ask.state.rounds:
        words = _("Round 1 is public: who must not meet has to be announced before it (C.05 5.2).")
        warnings.append(Warned("forbidden-late", words))
    return ask.stops(warnings) or (*ask.stale_draft(), rule)


def draw_lot(ask: Ask, intent: DrawLot) -> Events | Refusal:
    """The same seed draws the same lot, and a lot that was drawn stays drawn."""
    drawn = ask.state.lots.get(intent.what)
    if drawn is not None:
        return () if drawn.seed == intent.seed else Refusal(
            _("The lot for {what} is drawn: {outcome}, from seed {seed}.").format(
                what=intent.what, outcome=drawn.outcome, seed=drawn.seed
            )
        )  # fmt: skip
    choices = intent.choices
    if intent.what == "initial-colour":
        choices = ("white", "black")
        if ask.state.rounds:
            return Refusal(_("Round 1 is public: the first colour was drawn before it."))
    if not choices:
        return Refusal(_("Say among what the lot is to be drawn."))
    outcome = random.Random(f"{intent.what} {intent.seed}").choice(choices)
    drop = ask.stale_draft() if intent.what == "initial-colour" else ()
    return (*drop, LotDrawn(ask.at, intent.what, intent.seed, outcome, ask.by))


def draw_numbers(ask: Ask, intent: DrawNumbers) -> Events | Refusal:
    """The numbers of a round robin are a lot's, in the open: the seed draws them again (C.05, annex)."""
    state = ask.state
    if not state.entries or not state.is_round_robin:
        return Refusal(_("Lots decide the numbers of a round robin; in a Swiss the ratings do (C.04.2 2.2)."))
    if state.rounds or state.finished:
        return Refusal(_("Round 1 of a round robin is public: its numbers are the table's."))
    lot = state.lots.get("numbers")
    names = ", ".join(entry.name for entry in state.entries.values())
    if lot is not None and (lot.seed, lot.outcome) == (intent.seed, names):
        return ()
    try:
        federations = {tpn: entry.federation for tpn, entry in state.entries.items()}
        numbers = drawn_apart(federations, intent.seed) if intent.apart else drawn(tuple(state.entries), intent.seed)
    except NoTable as error:
        return Refusal(str(error))
    order = sorted(state.entries, key=lambda tpn: numbers[tpn])
    outcome = ", ".join(state.entries[tpn].name for tpn in order)
    same_players = lot is not None and sorted(lot.outcome.split(", ")) == sorted(names.split(", "))
    if lot is not None and same_players and (lot.seed, lot.outcome) != (intent.seed, outcome):
        return Refusal(
            _("The lot for {what} is drawn: {outcome}, from seed {seed}.").format(
                what=_("the numbers"), outcome=lot.outcome, seed=lot.seed
            )
        )
    moved = {str(tpn): number for tpn, number in sorted(numbers.items()) if tpn != number}
    events: Events = (*ask.stale_draft(), LotDrawn(ask.at, "numbers", intent.seed, outcome, ask.by))
    return (*events, Renumbered(ask.at, moved, ask.by, _("by lot"))) if moved else events
