"""Reading a board case: its fields, where in the file they stand, and the error that says what is wrong with one."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from gettext import gettext as _
from pathlib import Path
from typing import Any

Json = dict[str, Any]

#: No case lasts longer than this: 31 days, in ms and in µs.
LONGEST_MS = 31 * 86_400_000
LONGEST_US = 1_000 * LONGEST_MS

#: What matters for finding an object's line: braces, ends of lines, and texts, in which both mean nothing.
_TOKENS = re.compile(r'[{}\n]|"(?:[^"\\]|\\.)*"')


class CaseError(ValueError):
    """A case cannot be played; the message says where and what to write instead. `given` is the object at fault."""

    def __init__(self, message: str, given: object = None) -> None:
        super().__init__(message)
        self.given = given


class ReplayError(ValueError):
    """A file, or a case in it, cannot be replayed; the message says where and what to do."""


class Document:
    """A file of cases, one or a list of them: gzip-compressed or not, with a byte order mark or not.

    Raises `ReplayError` with the file, and the line and column if it is no JSON.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[int, int] = {}
        document = _text_of(path)
        try:
            begins = _begins(document)

            def placed(pairs: list[tuple[str, Any]]) -> Json:
                found = dict(pairs)
                self._lines[id(found)] = next(begins, 1)
                return found

            self._root = json.loads(document, object_pairs_hook=placed)
        except json.JSONDecodeError as error:
            raise ReplayError(
                _("{file}, line {line}, column {column}: this is no JSON ({why}). Correct the file there.").format(
                    file=path, line=error.lineno, column=error.colno, why=error.msg
                )
            ) from None
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets in brackets in …
            raise ReplayError(
                _("{file} cannot be read: {why}. Check the name and that it is UTF-8 JSON.").format(
                    file=path, why=error
                )
            ) from None

    def cases(self) -> Iterator[object]:
        """The cases, in order."""
        yield from self._root if isinstance(self._root, list) else [self._root]

    def line(self, *objects: object) -> int:
        """The line on which the first of the objects that is known begins; 1 if none is."""
        return next((self._lines[id(given)] for given in objects if id(given) in self._lines), 1)


def _text_of(path: Path) -> str:
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ReplayError(
            _("{file} cannot be read: {why}. Check the name and that it is UTF-8 JSON.").format(
                file=path, why=getattr(error, "strerror", None) or error
            )
        ) from None


def _begins(document: str) -> Iterator[int]:
    """The line on which each object of a JSON document begins, in the order in which the objects end."""
    open_lines, line = [], 1
    for token in _TOKENS.finditer(document):
        match token.group()[0]:
            case "\n":
                line += 1
            case "{":
                open_lines.append(line)
            case "}" if open_lines:
                yield open_lines.pop()


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
    """A whole number of the object, not longer than a case may last; raises `CaseError`."""
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise CaseError(_("{key} is {value}, a whole number is needed").format(key=key, value=_short(value)), given)
    if not -LONGEST_US <= value <= LONGEST_US:
        raise CaseError(_("{key} is {value}, which is too much").format(key=key, value=_short(value)), given)
    return value


def text(given: Mapping[str, Any], key: str) -> str:
    """A text of the object; raises `CaseError`."""
    value = given.get(key)
    if not isinstance(value, str):
        raise CaseError(_("{key} is {value}, a text is needed").format(key=key, value=_short(value)), given)
    return value


def timed(case: Mapping[str, Any], what: str = "events") -> list[Mapping[str, Any]]:
    """The events of a case, which must have their times (`t`, ms from its start) in order; raises `CaseError`."""
    events = [
        mapping(event, _("{what}, number {number}").format(what=what, number=number))
        for number, event in enumerate(items(case.get(what), what), 1)
    ]
    last = 0
    for number, event in enumerate(events, 1):
        t = integer(event, "t")
        if not last <= t <= LONGEST_MS:
            raise CaseError(
                _(
                    "event {number} is at {t} ms, the one before at {last} ms. Put them in order, from 0 to {most}."
                ).format(number=number, t=t, last=last, most=LONGEST_MS),
                event,
            )
        last = t
    return events


def _short(value: object) -> str:
    words = repr(value)
    return words if len(words) <= 40 else f"{words[:37]}..."
