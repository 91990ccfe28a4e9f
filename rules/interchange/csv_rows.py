"""Comma-separated text → rows of fields, each with the line and column where it begins.

Commas, semicolons or tabs separate the fields, double quotes protect them. A quoted field ends on its line, so that one
forgotten quote does not swallow the rest of the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from rules.interchange.errors import Defect

SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class Field:
    """One field and the column (from 1) where it begins."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    fields: tuple[Field, ...]
    intact: bool = True

    @property
    def blank(self) -> bool:
        return not any(f.text.strip() for f in self.fields)


def rows_of(lines: Sequence[str], known: Callable[[str], bool], defects: list[Defect]) -> list[Row]:
    """All rows that are not blank.

    `known` says whether a text is the heading of a column: the first line with one decides which sign separates the
    fields, without one the first line does.
    """
    separator = _separator(lines, known)
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        before = len(defects)
        fields = tuple(_fields(line, separator, number, defects))
        row = Row(number, fields, intact=len(defects) == before)
        if not row.blank:
            rows.append(row)
    return rows


def _separator(lines: Sequence[str], known: Callable[[str], bool]) -> str:
    """The sign that cuts the header into the most columns we know."""

    def headings(line: str, sign: str) -> int:
        return sum(known(part.strip().strip('"')) for part in line.split(sign))

    written = [line for line in lines if line.strip()]
    header = next((line for line in written if any(headings(line, sign) for sign in SEPARATORS)), "")
    header = header or (written[0] if written else "")
    return max(SEPARATORS, key=lambda sign: (headings(header, sign), header.count(sign)))


def _fields(line: str, separator: str, number: int, defects: list[Defect]) -> list[Field]:
    fields: list[Field] = []
    at = 0
    while True:
        start = at + len(line[at:]) - len(line[at:].lstrip(" "))
        if line[start : start + 1] == '"':
            text, at = _quoted_field(line, start, separator, number, defects)
        else:
            start = at
            found = line.find(separator, at)
            at = len(line) if found < 0 else found
            text = line[start:at]
            if (quote := text.find('"')) >= 0:
                what = _("there is a quote inside a field that does not begin with one")
                remedy = _("put the whole field in quotes and write each quote inside it twice")
                defects.append(Defect(number, start + quote + 1, what, remedy))
        fields.append(Field(text.strip(), start + 1))
        if at >= len(line):
            return fields
        at += 1


def _quoted_field(line: str, start: int, separator: str, number: int, defects: list[Defect]) -> tuple[str, int]:
    """The text between quotes and where the next separator (or the end of the line) is."""
    match = re.compile(r'"((?:[^"]|"")*)"').match(line, start)
    if match is None:
        what = _("a quote is opened here and not closed on this line")
        defects.append(Defect(number, start + 1, what, _("close the quote, or take it away")))
        return line[start + 1 :].replace('""', '"'), len(line)
    found = line.find(separator, match.end())
    end = len(line) if found < 0 else found
    if line[match.end() : end].strip():
        what = _("after the closing quote there is more text")
        remedy = _("put the whole field in quotes and write each quote inside it twice")
        defects.append(Defect(number, match.end() + 1, what, remedy))
    return match[1].replace('""', '"'), end
