"""Reading a board case: its fields, and the error that says what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext as _
from typing import Any

Json = dict[str, Any]


class CaseError(ValueError):
    """A case cannot be played; the message says where and what to write instead."""


def mapping(value: object, what: str) -> Mapping[str, Any]:
    """`value` if it is an object; raises `CaseError`."""
    if not isinstance(value, Mapping):
        raise CaseError(_("{what} is no object. Write it in braces.").format(what=what))
    return value


def items(value: object, what: str) -> list[Any]:
    """`value` if it is a list; raises `CaseError`."""
    if not isinstance(value, list):
        raise CaseError(_("{what} is missing or no list. Write it in square brackets.").format(what=what))
    return value


def integer(given: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A whole number of the object; raises `CaseError`."""
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise CaseError(_("{key} is {value}, a whole number is needed").format(key=key, value=repr(value)))
    return value


def text(given: Mapping[str, Any], key: str) -> str:
    """A text of the object; raises `CaseError`."""
    value = given.get(key)
    if not isinstance(value, str):
        raise CaseError(_("{key} is {value}, a text is needed").format(key=key, value=repr(value)))
    return value
