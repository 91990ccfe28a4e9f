"""Decisions about places that nobody works out here: tied players in order by hand, values from outside (C.07)."""

from __future__ import annotations

from gettext import gettext as _

from rules.tiebreaks.registry import OUTSIDE
from rules.tournament.asking import Ask, Events, no_reason
from rules.tournament.intents import Refusal
from rules.tournament.levels import Warned
from rules.tournament.rank_events import DECIMAL, OutsideValued, TiedOrdered
from rules.tournament.rank_intents import OrderTied, ValueFromOutside
from rules.tournament.standings import standings, tied_by_tie_breaks


def order_tied(ask: Ask, intent: OrderTied) -> Events | Refusal:
    """Only those whom nothing announced separates, and only when all is played; the reason goes into the report."""
    state = ask.state
    refused = ask.unknown_player(*intent.order) or ask.over() or no_reason(intent.why)
    if refused is not None:
        return refused
    if state.regulations is None or state.complete_rounds < state.regulations.rounds or state.adjourned:
        return Refusal(_("Games are still to be played: who is tied is known after the last round."))
    order = tuple(intent.order)
    tied = next((group for group in tied_by_tie_breaks(state) if set(group) == set(order)), None)
    if tied is None or len(order) != len(tied):
        return Refusal(_not_tied(ask, order))
    before = next((each for each in state.tied_orders if set(each.order) == set(order)), None)
    if before is not None and (before.order, before.why) == (order, intent.why):
        return ()
    places = [place.tpn for place in standings(state) if place.tpn in tied]
    words = _("{players} stand in this order by hand: {why}").format(
        players=", ".join(f"{tpn} {state.entries[tpn].name}" for tpn in order), why=intent.why
    )
    stopped = ask.stops([Warned("ordered-by-hand", words)])
    if stopped is not None:
        return stopped
    note = ask.note("Order", len(state.rounds), _numbers(places), _numbers(order), intent.why)
    return (TiedOrdered(ask.at, order, ask.by, intent.why), note)


def _not_tied(ask: Ask, order: tuple[int, ...]) -> str:
    """Why these cannot be put in order, with those who can."""
    groups = tied_by_tie_breaks(ask.state)
    if not groups:
        return _("No players are tied: points and tie-breaks separate all of them.")
    around = [group for group in groups if set(group) & set(order)] or groups
    return _("Name all who are tied, each once: {groups}.").format(
        groups="; ".join(", ".join(map(str, group)) for group in around)
    )


def _numbers(players: list[int] | tuple[int, ...]) -> str:
    return " ".join(map(str, players))


def value_from_outside(ask: Ask, intent: ValueFromOutside) -> Events | Refusal:
    state = ask.state
    refused = ask.unknown_player(intent.tpn) or ask.over() or no_reason(intent.why)
    if refused is not None:
        return refused
    codes = state.regulations.tie_breaks if state.regulations is not None else ()
    if OUTSIDE not in [code.strip().upper() for code in codes]:
        return Refusal(_("The regulations name no tie-break {code}: announce it first.").format(code=OUTSIDE))
    value = intent.value.strip().replace(",", ".")
    if value and not DECIMAL.fullmatch(value):
        return Refusal(_("{value!r} is no value: write a number such as 12.5.").format(value=intent.value))
    now = state.outside.get(intent.tpn, "")
    if value == now:
        return ()
    note = ask.note("Outside", max(1, len(state.rounds)), _told(intent.tpn, now), _told(intent.tpn, value), intent.why)
    return (OutsideValued(ask.at, intent.tpn, value, ask.by, intent.why), note)


def _told(tpn: int, value: str) -> str:
    return f"{tpn}={value}" if value else ""
