"""Prizes: who gets how much from which list, and for the selected one why. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hallnet.book_views import AwardView
from kiosk.desk.context import Context
from kiosk.widgets.keyed_table import Column
from kiosk.widgets.language import _

#: Columns of a list's name, by the width of the screen.
_LIST_WIDTH = ((100, 28), (0, 18))


def title(c: Context) -> str:
    """As of which round, and that the sums come out."""
    told = c.prizes
    if told is None or not told.lists:
        return _("Prizes")
    if not told.round:
        return _("Prizes · no round is over · fund {fund}").format(fund=told.fund)
    if told.final:
        head = _("Prizes after the last round")
    else:
        head = _("Prizes as they would be after round {round}").format(round=told.round)
    if told.unclaimed in ("", "0"):
        sums = _("paid {paid}, all of the fund").format(paid=told.paid)
    else:
        sums = _("paid {paid} + not won {unclaimed} = fund {fund}").format(
            paid=told.paid, unclaimed=told.unclaimed, fund=told.fund
        )
    return f"{head} · {sums}"


def columns(c: Context, width: int) -> tuple[Column, ...]:
    """Amount, name, points, place in the standings, the list and the place in it."""
    of_list = next(columns for least, columns in _LIST_WIDTH if width >= least)
    fixed = 9 + 4 + 4 + of_list + 5
    return (
        Column("amount", _("amount"), 9),
        Column("name", _("name"), max(16, width - fixed - 2 * 6 - 2)),
        Column("points", _("pts"), 4),
        Column("rank", _("rank"), 4),
        Column("list", _("list"), of_list),
        Column("place", _("place"), 5),
    )


def rows(c: Context) -> dict[str, Mapping[str, tuple[str, str]]]:
    """One line for each award, the largest first; then what nobody wins."""
    if c.prizes is None:
        return {}
    found: dict[str, Mapping[str, tuple[str, str]]] = {
        _key(award): {
            "amount": (f"{award.amount:>9}", "name"),
            "name": (award.name, "name"),
            "points": (f"{award.points:>4}", "text"),
            "rank": (f"{award.rank:>4}", "quiet"),
            "list": (award.prize_list, "text"),
            "place": (f"{award.place:>5}", "quiet"),
        }
        for award in c.prizes.awards
    }
    for each in c.prizes.lists:
        if each.unclaimed not in ("", "0"):
            words = "! " + _("won by nobody") if c.prizes.round else each.whom or _("everybody")
            found[f"- {each.name}"] = {
                "amount": (f"{each.unclaimed:>9}", "warn" if c.prizes.round else "text"),
                "name": (words, "warn" if c.prizes.round else "text"),
                "list": (each.name, "text"),
            }
    return found


def _key(award: AwardView) -> str:
    return f"{award.tpn} {award.prize_list}"


def detail(c: Context) -> str:
    """Why the selected player gets it, how the list was announced, and what else should be known."""
    told = c.prizes
    if told is None:
        return _("asking the hub …")
    if not told.lists:
        return _(
            "No prizes are announced. They are written as tables [[prizes]] in the hub's settings, or with e on this "
            "page: “Main prizes: 300 150 90; Girls under 14: 50 25, none, for U14 W”."
        )
    award = next((each for each in told.awards if _key(each) == c.award), None)
    lines = []
    if award is not None:
        lines.append(f"{award.name}: {award.amount}. {award.reason}")
    name = award.prize_list if award is not None else c.award.removeprefix("- ")
    lines += [each.text + (f" ({each.whom})" if each.whom else "") for each in told.lists if each.name == name]
    return "\n".join([*lines, *(f"! {remark}" for remark in told.remarks)])


def select(c: Context, key: str) -> Context:
    """The award under the cursor, and its player."""
    number = key.split(" ")[0]
    return replace(c, award=key, player=c.book.player(int(number)) if number.isdigit() else None)
