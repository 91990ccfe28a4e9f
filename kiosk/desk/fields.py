"""Typed fields of a form: what is asked, what may be answered, how a text becomes a value. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from kiosk.desk.rulings import MINUTE_MS, read_time
from kiosk.widgets.language import _

#: Field's kind → what is typed: a text; a whole number; minutes (2, 2:30) or a clock's time (1:12:40), both as ms; one
#: of the choices; a person on the list, as a number; several of them.
Kind = Literal["text", "number", "minutes", "time", "choice", "player", "players"]
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One permitted answer: the value that goes to the hub, and the words for it."""

    value: Any
    words: str


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form.

    `name` is the key in the intent's data. An empty line sends nothing, unless it is `needed` or has `empty` as the
    value it stands for. `start` is what the line begins with; for a choice the value marked at first (None: no answer
    yet). `known` are the people that "player" and "players" may name: number → name.
    """

    name: str
    label: str
    kind: Kind = "text"
    needed: bool = False
    start: Any = ""
    empty: Any = None
    hint: str = ""
    choices: tuple[Choice, ...] = ()
    known: Mapping[int, str] | None = None


class NotUnderstood(ValueError):
    """What is typed cannot be used; str() is a sentence. `field` is the line it stands in."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def read(fields: Sequence[Field], typed: Mapping[str, Any]) -> Values:
    """What the lines say, by name; `typed` are texts, and the chosen value for choices. Raises `NotUnderstood`."""
    out: Values = {}
    for field in fields:
        given = typed.get(field.name)
        if isinstance(given, str):
            given = given.strip()
        if given is None or given == "":
            if field.needed:
                raise NotUnderstood(field.name, _("Please fill in: {label}.").format(label=field.label))
            if field.empty is not None:
                out[field.name] = field.empty
            elif field.kind == "choice" and given == "":
                out[field.name] = ""
            continue
        try:
            out[field.name] = given if field.kind == "choice" else _READ[field.kind](field, str(given))
        except NotUnderstood:
            raise
        except ValueError as why:
            raise NotUnderstood(field.name, f"{field.label}: {why}") from None
    return out


def _number(field: Field, text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text):
        raise ValueError(_("“{text}” is no whole number.").format(text=text))
    return int(text)


_MINUTES = re.compile(r"([0-9]{1,3})(?::([0-5][0-9]))?\Z")


def _minutes(field: Field, text: str) -> int:
    found = _MINUTES.match(text)
    if found is None:
        raise ValueError(_("“{text}” is no time. Write minutes, 2, or minutes and seconds, 2:30.").format(text=text))
    return int(found[1]) * MINUTE_MS + int(found[2] or 0) * 1000


def fitting(known: Mapping[int, str], text: str) -> tuple[int, ...]:
    """The people that a part of the name (or a number) may mean; the one with exactly this number first."""
    words = text.casefold().split()
    found = [tpn for tpn, name in known.items() if all(word in f"{tpn} {name}".casefold() for word in words)]
    return tuple(sorted(found, key=lambda tpn: (str(tpn) != text.strip(), tpn)))


def _player(field: Field, text: str) -> int:
    known = field.known or {}
    if text.isdigit() and int(text) in known:
        return int(text)
    found = fitting(known, text)
    if len(found) != 1:
        many = _("“{text}” fits several: write more of the name, or the number.")
        none = _("Nobody on the list is called “{text}”.")
        raise ValueError((many if found else none).format(text=text))
    return found[0]


def _players(field: Field, text: str) -> list[int]:
    return [_player(field, part) for part in (each.strip() for each in text.split(";" if ";" in text else ",")) if part]


_READ: Mapping[Kind, Callable[[Field, str], Any]] = {
    "text": lambda field, text: text,
    "number": _number,
    "minutes": _minutes,
    "time": lambda field, text: read_time(text),
    "player": _player,
    "players": _players,
}


def reason(needed: bool = True, start: str = "") -> Field:
    """The line that goes into the log with the act."""
    return Field("why", _("reason"), needed=needed, start=start, hint=_("goes into the log"))


def yes_no(name: str, label: str, start: bool = False) -> Field:
    """Yes or no."""
    return Field(name, label, "choice", start=start, choices=(Choice(False, _("no")), Choice(True, _("yes"))))
