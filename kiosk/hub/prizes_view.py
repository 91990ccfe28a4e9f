"""The prizes as desks and files show them: amounts as text, the largest first, and sums that are checked."""

from __future__ import annotations

import json
import textwrap
from gettext import gettext as _
from itertools import groupby

import msgspec

from hallnet.book_views import AwardView, PrizeListView, PrizesView
from kiosk.hub.act import Refused
from rules.tournament.prizes import money
from rules.tournament.prizes_awarded import prize_table, prizes_after
from rules.tournament.state import TournamentState

#: Columns of the page to be printed.
_WIDTH = 78


def told_prizes(state: TournamentState, after_round: int | None = None) -> PrizesView:
    """The prizes after a round (None: the latest that is complete). Before round 1 is over nobody has won anything.

    Raises `Refused` when the round is not public.
    """
    if state.regulations is None or not state.entries:
        return PrizesView()
    if after_round is not None and not 0 <= after_round <= len(state.rounds):
        raise Refused(_("Round {round} is not public.").format(round=after_round))
    found = prizes_after(state, after_round)
    division = found.division
    return PrizesView(
        round=found.round,
        final=found.final,
        lists=tuple(
            PrizeListView(
                name=each.name,
                text=each.text,
                whom=each.whom,
                fund=money(sum(each.cents)),
                unclaimed=money(division.unclaimed[each.name] if found.round else sum(each.cents)),
            )
            for each in found.lists
        ),
        awards=tuple(
            AwardView(
                tpn=award.tpn,
                name=name,
                rank=found.places[award.tpn].rank,
                points=points,
                prize_list=award.prize_list,
                place=award.place,
                amount=money(award.cents),
                cents=award.cents,
                reason=award.reason,
            )
            for award, name, points in (prize_table(found, state) if found.round else [])
        ),
        fund=money(division.fund),
        paid=money(found.paid) if found.round else "0",
        unclaimed=money(sum(division.unclaimed.values())) if found.round else money(division.fund),
        remarks=found.remarks,
    )


def prizes_json(state: TournamentState) -> str:
    """The prizes after the last complete round as JSON."""
    return json.dumps(msgspec.to_builtins(told_prizes(state)), ensure_ascii=False, indent=1) + "\n"


def prizes_text(state: TournamentState) -> str:
    """The prizes as a page to be printed and signed: by list and place, with reasons and sums."""
    told = told_prizes(state)
    name = state.regulations.name if state.regulations is not None else ""
    head = _("Prizes") if told.final else _("Prizes, if the event ended after round {round}").format(round=told.round)
    lines = [name, head, ""]
    order = [each.name for each in told.lists]
    awards = sorted(told.awards, key=lambda a: (order.index(a.prize_list), a.place, a.rank))
    won = {of: list(group) for of, group in groupby(awards, key=lambda a: a.prize_list)}
    for each in told.lists:
        lines.append(each.text)
        lines += [f"    ({each.whom})"] if each.whom else []
        for award in won.get(each.name, []):
            lines.append(f"{award.place:>4}. {award.amount:>10}  {award.name}, {award.points}")
            lines += textwrap.wrap(award.reason, _WIDTH, initial_indent=" " * 18, subsequent_indent=" " * 18)
        lines.append("")
    lines += [*(line for remark in told.remarks for line in textwrap.wrap(remark, _WIDTH)), ""] if told.remarks else []
    sums = _("Paid {paid}, not won {unclaimed}, together {fund}.")
    lines.append(sums.format(paid=told.paid, unclaimed=told.unclaimed, fund=told.fund))
    return "\n".join(lines) + "\n"
