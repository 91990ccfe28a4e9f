"""Rating lists, places by hand and what was really played, at the desk: arguments out of plain data.

Each function asks `rules.tournament.decisions`; the table at the head of `kiosk.hub.desk` says what data each kind has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from gettext import gettext as _
from typing import Any, cast, get_args

from kiosk.hub.act import Refused
from kiosk.hub.desk_intent import Data, DeskIntent, flag, number, text
from rules.interchange.rating_list import Kind, RatedPlayer
from rules.tournament.book_intents import DrawNumbers, Excuse, ReplacePairs
from rules.tournament.entries import TITLES
from rules.tournament.list_events import Origin
from rules.tournament.list_intents import CheckRatings, LoadList, PickRating, RateRound, UpdateRatings
from rules.tournament.rank_intents import OrderTied, ValueFromOutside

#: Fields of a row of a rating list as a desk sends it, with the type of each.
_TEXTS = ("name", "federation", "sex", "title", "birth")
_NUMBERS = ("fide_id", "standard", "rapid", "blitz")


def today(wall_ms: int) -> str:
    """The day of a wall time where the hall is, as regulations write it."""
    return datetime.fromtimestamp(wall_ms / 1000, UTC).astimezone().strftime("%Y/%m/%d")


def _day(desk: DeskIntent, d: Data) -> str:
    return text(d, "day") or today(desk.act.at)


def _numbers(d: Data, key: str) -> tuple[int, ...]:
    value = d.get(key, ())
    if not isinstance(value, list | tuple) or not all(type(each) is int for each in value):
        raise Refused(_("{key} must be a list of numbers.").format(key=key))
    return tuple(value)


def _row(value: Any) -> RatedPlayer:
    """One row of a list. Raises `Refused`."""
    if not isinstance(value, Mapping):
        raise Refused(_("players must be rows with fide_id, name and ratings."))
    texts: dict[str, Any] = {name: text(value, name) for name in _TEXTS}
    numbers: dict[str, Any] = {name: number(value, name, 0) for name in _NUMBERS}
    wrong = not texts["name"] or min(numbers.values()) < 0 or texts["title"] not in TITLES
    if wrong or texts["sex"] not in ("", "m", "w"):
        raise Refused(_("{row!r} is no row of a rating list.").format(row=dict(value)))
    return RatedPlayer(**texts, **numbers)


def _rating_list(desk: DeskIntent, d: Data) -> None:
    rows = d.get("players", ())
    if not isinstance(rows, list | tuple):
        raise Refused(_("players must be rows with fide_id, name and ratings."))
    origin = text(d, "origin") or "FIDE"
    if origin not in get_args(Origin):
        raise Refused(_("{origin!r}: a list is FIDE's, or other.").format(origin=origin))
    players = tuple(_row(each) for each in rows)
    desk.act.decide(LoadList(text(d, "name"), text(d, "valid_from"), players, _day(desk, d), cast(Origin, origin)))


def _check_ratings(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(CheckRatings(_day(desk, d)))


def _update_ratings(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(UpdateRatings(_numbers(d, "players"), _day(desk, d), text(d, "why")))


def _pick_rating(desk: DeskIntent, d: Data) -> None:
    kind = text(d, "kind")
    if kind not in get_args(Kind):
        raise Refused(_("{kind!r} is no kind of rating: standard, rapid or blitz.").format(kind=kind))
    desk.act.decide(PickRating(number(d, "tpn"), text(d, "list"), cast(Kind, kind)))


def _rate_round(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(RateRound(number(d, "tpn"), number(d, "round"), number(d, "rating"), text(d, "why")))


def _order_tied(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(OrderTied(_numbers(d, "order"), text(d, "why")))


def _outside_value(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(ValueFromOutside(number(d, "tpn"), text(d, "value"), text(d, "why")))


def _draw_numbers(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(DrawNumbers(number(d, "seed"), flag(d, "apart")))


def _replace_pairs(desk: DeskIntent, d: Data) -> None:
    """Others than those on the sheet sat at some boards: moves, clocks and results stay with the boards."""
    sheet = desk.sheet(d)
    rows = d.get("boards", ())
    if not isinstance(rows, list | tuple) or not rows:
        raise Refused(_("boards must be a list of [board, White, Black]."))
    boards = tuple(_numbers({"boards": row}, "boards") for row in rows)
    if any(len(row) != 3 for row in boards):
        raise Refused(_("boards must be a list of [board, White, Black]."))
    desk.act.decide(ReplacePairs(sheet.number, tuple((b[0], b[1], b[2]) for b in boards), text(d, "why")))


def _excuse(desk: DeskIntent, d: Data) -> None:
    desk.act.decide(Excuse(number(d, "tpn"), number(d, "round"), text(d, "why"), flag(d, "on", True)))


#: Intent → what it does.
LISTS: Mapping[str, Callable[[DeskIntent, Data], None]] = {
    "rating-list": _rating_list,
    "check-ratings": _check_ratings,
    "update-ratings": _update_ratings,
    "pick-rating": _pick_rating,
    "rate-round": _rate_round,
    "order-tied": _order_tied,
    "outside-value": _outside_value,
    "draw-numbers": _draw_numbers,
    "replace-pairs": _replace_pairs,
    "excuse": _excuse,
}
