"""Single values of a hub's settings: what each may be, and the words that say so when it is something else.

Every reader takes a value of TOML and gives the one that the settings keep; it raises `BadValue` with the remedy.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path
from typing import Any, get_args

from hallnet.wire import TOKEN
from kiosk.hub.entries import Group, ListFile
from rules.interchange.rating_list import Kind
from rules.laws import time_control
from rules.laws.edition import EditionError, edition_of
from rules.tiebreaks.registry import UnknownCode, parse
from rules.tournament.list_events import Origin
from rules.tournament.regulations import is_day


class BadValue(ValueError):
    """A value that does not fit; str() says what would."""


def text(value: Any) -> str:
    """Text of one line."""
    if not isinstance(value, str) or "\n" in value:
        raise BadValue(_("write a text in quotes"))
    return value


def filled(value: Any) -> str:
    """Text that is not empty."""
    if not text(value).strip():
        raise BadValue(_("write a text in quotes"))
    return str(value).strip()


def token(value: Any) -> str:
    """An id on the wire."""
    if not isinstance(value, str) or not TOKEN.match(value):
        raise BadValue(_('write 1 to 16 of a-z and 0-9 in quotes, such as "spring26"'))
    return value


def path(value: Any) -> Path:
    """A file or folder; ~ is the home."""
    return Path(filled(value)).expanduser()


def whole(low: int, high: int) -> Callable[[Any], int]:
    """Whole numbers in a range."""

    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadValue(_("write a whole number from {low} to {high}").format(low=low, high=high))
        return value

    return check


def host(value: Any) -> str:
    """An address of this machine."""
    try:
        return str(ipaddress.ip_address(filled(value)))
    except ValueError:
        raise BadValue(
            _('write the address of this machine in quotes, or "0.0.0.0" for all of its addresses')
        ) from None


def places(value: Any) -> tuple[str, ...]:
    """Servers of a site, with their scheme."""
    if not isinstance(value, list) or not all(re.match(r"(nats-leaf|tls|nats)://", str(place)) for place in value):
        raise BadValue(_('write a list of addresses, such as ["nats-leaf://10.0.0.1:7422"]'))
    return tuple(map(str, value))


def flag(value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise BadValue(_("write true or false"))
    return value


def continued(value: Any) -> str:
    """Whether, and how strictly, an event goes on from its report."""
    if not isinstance(value, bool) and value != "as-it-is":
        raise BadValue(_('write true or false, or "as-it-is" to take rounds that do not keep the pairing rules'))
    return "as-it-is" if value == "as-it-is" else "checked" if value else ""


def speed(value: Any) -> float:
    """How much faster chess time runs."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0.1 <= value <= 1000:
        raise BadValue(_("write a number from 0.1 to 1000"))
    return float(value)


def control(value: Any) -> str:
    """A time control."""
    try:
        time_control.parse(filled(value))
    except time_control.TimeControlError as error:
        raise BadValue(str(error)) from None
    return str(value).strip()


def edition(value: Any) -> str:
    """An edition of the Laws with its settings."""
    try:
        edition_of(text(value), "standard")
    except EditionError as error:
        raise BadValue(str(error)) from None
    return str(value).strip()


def choice(*names: str) -> Callable[[Any], str]:
    """One of these words."""

    def check(value: Any) -> str:
        if value not in names:
            raise BadValue(_("write one of {names}").format(names=", ".join(f'"{name}"' for name in names)))
        return str(value)

    return check


def codes(value: Any) -> tuple[str, ...]:
    """Tie-break codes."""
    if not isinstance(value, list) or not value or not all(isinstance(code, str) and code.strip() for code in value):
        raise BadValue(_('write a list of codes, such as ["BH/C1", "SB"]'))
    codes = tuple(code.strip() for code in value)
    for code in codes:
        try:
            parse(code)
        except UnknownCode as error:
            raise BadValue(str(error)) from None
    return codes


def points(value: Any) -> int:
    """Points → half-points."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 10 or (2 * value) % 1:
        raise BadValue(_("write whole or half points from 0 to 10, such as 3 or 0.5"))
    return int(2 * value)


def names(value: Any) -> tuple[str, ...]:
    """A list of names."""
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise BadValue(_('write a list of names, such as ["Orlova, Maria"]'))
    return tuple(text(each).strip() for each in value)


def kinds(value: Any) -> tuple[str, ...]:
    """Kinds of ratings, the first one first."""
    known = get_args(Kind)
    if not isinstance(value, list) or not value or any(each not in known for each in value):
        raise BadValue(_("write a list of {names}").format(names=", ".join(f'"{name}"' for name in known)))
    return tuple(value)


def lists(value: Any) -> tuple[ListFile, ...]:
    """Rating lists: files with their kind and origin."""
    rows = value if isinstance(value, list) else []
    if not rows or not all(_is_list_file(row) for row in rows):
        raise BadValue(
            _('write rows such as [{file = "players_list.txt", from = "2026/12/01"}], with name and origin if you like')
        )
    return tuple(
        ListFile(
            Path(row["file"]).expanduser(),
            row["from"],
            row.get("name", Path(row["file"]).stem),
            row.get("origin", "FIDE"),
        )
        for row in rows
    )


def _is_list_file(row: Any) -> bool:
    """Does a row name a rating list?"""
    if not isinstance(row, dict) or not {"file", "from"} <= row.keys() <= {"file", "from", "name", "origin"}:
        return False
    if not all(isinstance(value, str) and value.strip() for value in row.values()):
        return False
    return is_day(row["from"]) and row.get("origin", "FIDE") in get_args(Origin)


def year(*years: str) -> Callable[[Any], str]:
    """An edition by its year."""

    def check(value: Any) -> str:
        return choice(*years)(str(value) if isinstance(value, int) else value)

    return check


def groups(value: Any) -> tuple[Group, ...]:
    """Players who must not meet."""
    groups = value if isinstance(value, list) else []
    fits = all(isinstance(group, list) and len(group) >= 2 and all(map(_is_player, group)) for group in groups)
    if not groups or not fits:
        raise BadValue(
            _('write lists of two or more players, by name as entered or by FIDE id: [["Ana", "Bo"], [101, 102]]')
        )
    return tuple(tuple(who.strip() if isinstance(who, str) else who for who in group) for group in groups)


def _is_player(value: Any) -> bool:
    """Does a value name a player, by number or name?"""
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def date(value: Any) -> str:
    """A day."""
    if not isinstance(value, str) or (value and not is_day(value)):
        raise BadValue(_('write a day of the calendar as "2026/05/30"'))
    return value
