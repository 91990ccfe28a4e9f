"""Lists of entries as comma-separated text, the way spreadsheets save them.

The first row names the columns, in any order: `name` (needed), `rating`, `title`, `federation`, `fide_id`, `birth`,
`sex`, `club`, `tpn`. Commas, semicolons or tabs separate the fields, double quotes protect them; UTF-8, with or without
BOM. A column that is not known is refused and not ignored: a misspelt "raiting" would otherwise seed everybody as
unrated. A quoted field ends on its line, so that one forgotten quote does not swallow the rest of the list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from types import MappingProxyType
from typing import Any

from rules.interchange import trf_columns
from rules.interchange.decoding import lines_of, refuse_utf16
from rules.interchange.errors import Defect, InterchangeError
from rules.tournament.entries import TITLES, Entry

#: Columns in the order they are written.
COLUMNS = ("tpn", "name", "rating", "title", "federation", "fide_id", "birth", "sex", "club")
#: Other names of the same columns.
ALIASES: Mapping[str, str] = MappingProxyType(
    {"id": "tpn", "no": "tpn", "elo": "rating", "fed": "federation", "fideid": "fide_id", "birthday": "birth"}
)
#: A rating that a list can hold; 0 stands for unrated.
LOWEST_RATING, HIGHEST_RATING = 100, 4000
_SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class _Field:
    """One field and the column (from 1) where it begins."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    fields: tuple[_Field, ...]
    intact: bool = True

    @property
    def blank(self) -> bool:
        return not any(f.text.strip() for f in self.fields)


def read_entries(data: bytes, file: str) -> tuple[Entry, ...]:
    """The entries of a list, in its order; `tpn` is 0 without such a column.

    Raises InterchangeError with every defect of the list: broken encoding, quotes without end, a missing or unknown
    column, an empty name, an unknown title, an impossible rating (0 or 100..4000), birth date, sex or federation, the
    same FIDE id or number twice, fewer than two entries.
    """
    refuse_utf16(data, file)
    defects: list[Defect] = []
    lines = lines_of(_decoded(data, defects))
    rows = _rows(lines, defects)
    if not rows:
        what = _("the list is empty")
        defects.append(Defect(1, 1, what, _("begin with a row that names the columns, one of them “name”")))
        raise InterchangeError(file, defects)
    header = _header(rows[0], defects)
    entries = [_entry(row, header, defects) for row in rows[1:] if _width_fits(row, rows[0], defects)]
    _doubled(entries, "fide_id", _("FIDE id"), defects)
    _doubled(entries, "tpn", _("number"), defects)
    if len(rows) < 3:
        what = _("the list has fewer than two entries")
        defects.append(Defect(rows[-1].line, 1, what, _("add at least two players")))
    if defects:
        raise InterchangeError(file, defects)
    return tuple(Entry(**values.fields) for values in entries)


def write_entries(entries: Sequence[Entry]) -> bytes:
    """The entries as UTF-8 with commas, CRLF and a header row; reading it back gives equal entries.

    A line break or another control character in a text becomes a blank.
    """
    rows: list[Sequence[str]] = [COLUMNS]
    for entry in entries:
        values = (getattr(entry, column) for column in COLUMNS)
        rows.append(["" if value == 0 else _quoted(str(value)) for value in values])
    return "".join(",".join(row) + "\r\n" for row in rows).encode("utf-8")


def _quoted(text: str) -> str:
    text = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text).strip()
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",;]', text) else text


def _decoded(data: bytes, defects: list[Defect]) -> str:
    """The text; each line with bytes that are not UTF-8 is a defect at the first of them."""
    lines = re.split(rb"\r\n|\n|\r", data.removeprefix(b"\xef\xbb\xbf"))
    texts = []
    for number, line in enumerate(lines, 1):
        try:
            texts.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            what = _("byte 0x{byte} is not UTF-8").format(byte=f"{line[error.start]:02X}")
            defects.append(Defect(number, column, what, _("save the list as “CSV UTF-8”")))
            texts.append(line.decode("utf-8", "replace"))
    return "\n".join(texts)


# ---------------------------------------------------------------------------------------------- rows and fields


def _rows(lines: Sequence[str], defects: list[Defect]) -> list[_Row]:
    """All rows that are not blank. The header decides which sign separates the fields."""
    separator = ""
    rows = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        separator = separator or _separator(line)
        before = len(defects)
        fields = tuple(_fields(line, separator, number, defects))
        row = _Row(number, fields, intact=len(defects) == before)
        if not row.blank:
            rows.append(row)
    return rows


def _separator(header: str) -> str:
    """The sign that cuts the header into the most columns we know."""

    def known(sign: str) -> int:
        return sum(_column_name(part.strip().strip('"')) in COLUMNS for part in header.split(sign))

    return max(_SEPARATORS, key=lambda sign: (known(sign), header.count(sign)))


def _fields(line: str, separator: str, number: int, defects: list[Defect]) -> list[_Field]:
    fields: list[_Field] = []
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
        fields.append(_Field(text.strip(), start + 1))
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


# ---------------------------------------------------------------------------------------------- the header


def _column_name(text: str) -> str:
    name = re.sub(r"[\s\-]+", "_", text.strip().lower())
    return ALIASES.get(name, name)


def _header(row: _Row, defects: list[Defect]) -> tuple[str, ...]:
    """The name of each column; "" for one without a heading or with one we don't know."""
    if not any(_column_name(field.text) in COLUMNS for field in row.fields):
        what = _("this row names no column we know")
        remedy = _("begin with a row that names the columns, one of them “name”")
        defects.append(Defect(row.line, 1, what, remedy))
        return ("",) * len(row.fields)
    names: list[str] = []
    known = ", ".join(sorted(COLUMNS))
    for field in row.fields:
        name = _column_name(field.text)
        if name and name not in COLUMNS:
            what = _("there is no column “{name}”").format(name=field.text)
            remedy = _("rename it to one of {known}, or delete it").format(known=known)
            defects.append(Defect(row.line, field.column, what, remedy))
            name = ""
        elif name and name in names:
            what = _("the column “{name}” is there twice").format(name=name)
            defects.append(Defect(row.line, field.column, what, _("delete one of the two")))
            name = ""
        names.append(name)
    if "name" not in names:
        what = _("there is no column “name”")
        defects.append(Defect(row.line, 1, what, _("begin with a row that names the columns, one of them “name”")))
    return tuple(names)


def _width_fits(row: _Row, header: _Row, defects: list[Defect]) -> bool:
    """As many fields as the header, or more that are empty. Rows with broken quotes have their defect already."""
    if not row.intact:
        return False
    wanted, found = len(header.fields), len(row.fields)
    if found < wanted or any(field.text for field in row.fields[wanted:]):
        what = _("this row has {found} fields, the header has {wanted}").format(found=found, wanted=wanted)
        remedy = _("give every row the header's columns; a name with a comma needs quotes")
        defects.append(Defect(row.line, row.fields[min(wanted, found - 1)].column, what, remedy))
        return False
    return True


# ---------------------------------------------------------------------------------------------- the values


@dataclass(frozen=True, slots=True)
class _Values:
    """One row's values by field of `Entry`, and where they stand."""

    line: int
    fields: Mapping[str, Any]
    columns: Mapping[str, int]


class _Refused(ValueError):
    """A field cannot be taken: what is wrong and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def _entry(row: _Row, header: tuple[str, ...], defects: list[Defect]) -> _Values:
    values: dict[str, Any] = {"tpn": 0, "name": ""}
    places: dict[str, int] = {}
    for name, field in zip(header, row.fields, strict=False):
        if not name:
            continue
        places[name] = field.column
        try:
            if any(unicodedata.category(char) == "Cc" for char in field.text):
                raise _Refused(_("there is a control character in this field"), _("type the field anew"))
            values[name] = _READERS[name](field.text)
        except _Refused as refused:
            defects.append(Defect(row.line, field.column, refused.what, refused.remedy))
    return _Values(row.line, values, places)


def _name(text: str) -> str:
    if not text:
        raise _Refused(_("the name is empty"), _("write the name, or delete the row"))
    return text


def _whole(text: str, what: str, remedy: str, lowest: int, highest: int) -> int:
    """A number in ASCII digits, or 0 for an empty field."""
    value = int(text) if re.fullmatch(r"[0-9]{1,11}", text) else (0 if not text else -1)
    if value and not lowest <= value <= highest:
        raise _Refused(what.format(text=text), remedy)
    return value


def _rating(text: str) -> int:
    remedy = _("write a rating from {lowest} to {highest}, or 0 for unrated")
    remedy = remedy.format(lowest=LOWEST_RATING, highest=HIGHEST_RATING)
    return _whole(text, _("“{text}” is no possible rating"), remedy, LOWEST_RATING, HIGHEST_RATING)


def _fide_id(text: str) -> int:
    return _whole(text, _("“{text}” is no FIDE id"), _("write up to eleven digits, or nothing"), 1, 99_999_999_999)


def _tpn(text: str) -> int:
    return _whole(text, _("“{text}” is no pairing number"), _("write a number from 1 to 9999"), 1, 9999)


def _title(text: str) -> str:
    if text.upper() not in TITLES:
        known = ", ".join(title for title in TITLES if title)
        raise _Refused(
            _("“{text}” is no title").format(text=text), _("write one of {known}, or nothing").format(known=known)
        )
    return text.upper()


def _federation(text: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9]{3})?", text):
        raise _Refused(
            _("“{text}” is no federation").format(text=text), _("write FIDE's code of three letters, or nothing")
        )
    return text.upper()


def _birth(text: str) -> str:
    found = trf_columns.birth(text) if text else ""
    if found is None or "/00" in found:
        raise _Refused(
            _("“{text}” is no birth date").format(text=text), _("write it as 1990/12/31 or 1990, or leave it empty")
        )
    return found


def _sex(text: str) -> str:
    sex = {"": "", "m": "m", "w": "w", "f": "w"}.get(text.lower())
    if sex is None:
        raise _Refused(_("“{text}” is no sex").format(text=text), _("write m, w or nothing"))
    return sex


_READERS: Mapping[str, Callable[[str], Any]] = {
    "tpn": _tpn,
    "name": _name,
    "rating": _rating,
    "title": _title,
    "federation": _federation,
    "fide_id": _fide_id,
    "birth": _birth,
    "sex": _sex,
    "club": str,
}


def _doubled(entries: Sequence[_Values], name: str, called: str, defects: list[Defect]) -> None:
    """The same id at two players; 0 stands for none."""
    seen: dict[int, int] = {}
    for values in entries:
        value = values.fields.get(name, 0)
        if not value:
            continue
        first = seen.setdefault(value, values.line)
        if first != values.line:
            what = _("{called} {value} is in line {line} already").format(called=called, value=value, line=first)
            remedy = _("delete the player entered twice, or correct the number")
            defects.append(Defect(values.line, values.columns[name], what, remedy))
