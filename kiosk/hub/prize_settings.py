"""The prizes in a hub's settings: tables `[[prizes]]`, taken as the lines that `Regulations.prizes` holds.

[[prizes]]
name = "Girls under 14"
money = [50, 25]
sharing = "none"        # "equal" unless said, "hort"
for = ["U14", "W"]      # everybody unless said
round-to = 5            # 0.01 unless said
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import Any, cast

from rules.tournament.prizes import Sharing
from rules.tournament.prizes_announced import AnnouncedPrizes, PrizeError, cents_of

#: What `PrizeError.part` is called here.
_KEY_OF = {"name": "name", "money": "money", "sharing": "sharing", "for": "for", "in": "round-to"}


class BadPrizes(ValueError):
    """A table that cannot be taken; str() says which and what would fit. `row` counts from 0, `key` may be ""."""

    def __init__(self, message: str, row: int, key: str = "") -> None:
        super().__init__(message)
        self.row, self.key = row, key


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise PrizeError(_("write a text in quotes"))
    return value.strip()


def _amount(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PrizeError(_("write an amount such as 150 or 99.5"))
    return cents_of(f"{value:.10f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value))


def _amounts(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise PrizeError(_("write a list of amounts from the first place down, such as [300, 150, 90]"))
    return tuple(map(_amount, value))


def _signs(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise PrizeError(_('write a list of signs, such as ["U14", "W"]'))
    return tuple(each.strip() for each in value)


_KEYS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "name": ("name", _text),
    "money": ("cents", _amounts),
    "sharing": ("sharing", _text),
    "for": ("signs", _signs),
    "round-to": ("unit", _amount),
}


def read_prizes(tables: Any) -> tuple[str, ...]:
    """The lists in the form of `Regulations.prizes`. Raises `BadPrizes`."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BadPrizes(_("write each list of prizes as a table that begins with [[prizes]]"), 0)
    return tuple(_read(table, row) for row, table in enumerate(tables))


def _read(table: Mapping[str, Any], row: int) -> str:
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            known = ", ".join(_KEYS)
            raise BadPrizes(
                _("{key!r} is not known of prizes; known are {known}").format(key=key, known=known), row, key
            )
        field, check = _KEYS[key]
        try:
            values[field] = check(value)
        except PrizeError as error:
            raise BadPrizes(_wrong(key, value, error), row, key) from None
    for key in ("name", "money"):
        if key not in table:
            raise BadPrizes(_("this list of prizes has no {key}").format(key=key), row)
    sharing = cast(Sharing, values.pop("sharing", "equal"))
    try:
        return AnnouncedPrizes(sharing=sharing, **values).text
    except PrizeError as error:
        key = _KEY_OF[error.part]
        raise BadPrizes(_wrong(key, table.get(key), error), row, key) from None


def _wrong(key: str, value: Any, error: PrizeError) -> str:
    return _("{key} = {value!r} does not fit: {remedy}").format(key=key, value=value, remedy=error)


def line_of(text: str, bad: BadPrizes) -> int:
    """The line of the settings that is meant: of the key in its table, else of the table's head; 0 if not found."""
    row, head = -1, 0
    key = rf"\s*[\"']?{re.escape(bad.key)}[\"']?\s*=" if bad.key else ""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*[\"']?prizes[\"']?\s*\]\]", line):
            row += 1
            head = number if row == bad.row else head
        elif re.match(r"\s*\[+[\s\"'\w.-]+\]+\s*(?:#.*)?$", line):
            if row >= bad.row:
                break
        elif re.match(r"\s*prizes\s*=", line) if row < 0 else row == bad.row and key and re.match(key, line):
            return number
    return head
