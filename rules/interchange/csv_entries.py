"""Lists of entries as comma-separated text, the way spreadsheets and other programs save them.

One row names the columns, in any order: `name` (needed; or `surname` and `first_name`), `rating`, `title`,
`federation`, `fide_id`, `birth`, `sex`, `club`, `tpn`, `fide_rating`, `national_rating`, `source`, under these names or
those of `csv_layouts`. UTF-8, with or without BOM, or a named code page. A column that is not known is refused and not
ignored: a misspelt "raiting" would otherwise seed everybody as unrated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from rules.interchange.csv_layouts import (
    COLUMNS,
    NAME_PARTS,
    RATING_COLUMNS,
    READERS,
    Refused,
    assumes,
    column_name,
    is_unused,
    storable,
    without,
)
from rules.interchange.csv_rows import Field, Row, rows_of
from rules.interchange.decoding import decoded, lines_of, refuse_utf16
from rules.interchange.errors import Adjustment, Defect, InterchangeError
from rules.tournament.entries import TITLES, Entry

#: No code page: bytes that are not UTF-8 are a defect.
CSV_CODE_PAGE = ""
#: Rows before the header that a title of the list may take.
_TITLE_ROWS = 12


def read_entries(data: bytes, file: str) -> tuple[Entry, ...]:
    """The entries of a list, in its order; `tpn` is 0 without such a column.

    Raises InterchangeError with every defect of the list: broken encoding, quotes without end, a missing or unknown
    column, an empty name, an unknown title, an impossible rating (0 or 100..4000), birth date, sex or federation, the
    same FIDE id or number twice, fewer than two entries.
    """
    return read_entry_list(data, file)[0]


def read_entry_list(
    data: bytes, file: str, code_page: str = CSV_CODE_PAGE
) -> tuple[tuple[Entry, ...], tuple[Adjustment, ...]]:
    """The entries of a list and everything in it that was read leniently or not used, in file order.

    `code_page` is assumed where the bytes are not UTF-8. Without a column `rating` the FIDE rating is the
    tournament's, where there is none the national one. Raises InterchangeError as `read_entries`.
    """
    rows, told = read_entry_rows(data, file, code_page)
    return tuple(entry for _line, entry in rows), told


def read_entry_rows(
    data: bytes, file: str, code_page: str = CSV_CODE_PAGE
) -> tuple[tuple[tuple[int, Entry], ...], tuple[Adjustment, ...]]:
    """As `read_entry_list`, each entry with its line."""
    refuse_utf16(data, file)
    defects: list[Defect] = []
    told: list[Adjustment] = []
    rows = rows_of(lines_of(_text(data, file, code_page, defects, told)), _known, defects)
    if not rows:
        what = _("the list is empty")
        defects.append(Defect(1, 1, what, _("begin with a row that names the columns, one of them “name”")))
        raise InterchangeError(file, defects)
    rows = _from_header(rows, told, defects)
    header = _header(rows, told, defects)
    entries = [_entry(row, header, told, defects) for row in rows[1:] if _width_fits(row, rows[0], defects)]
    _doubled(entries, "fide_id", _("FIDE id"), defects)
    _doubled(entries, "tpn", _("number"), defects)
    if len(rows) < 3:
        what = _("the list has fewer than two entries")
        defects.append(Defect(rows[-1].line, 1, what, _("add at least two players")))
    if defects:
        raise InterchangeError(file, defects)
    found = tuple((values.line, Entry(**values.fields)) for values in entries)
    return found, tuple(sorted(set(told)))


def write_entries(entries: Sequence[Entry]) -> bytes:
    """The entries as UTF-8 with commas, CRLF and a header row; reading it back gives equal entries.

    The columns of official ratings and their source are there only if somebody has one. A line break or another
    control character in a text becomes a blank.
    """
    columns = [*COLUMNS, *(name for name in RATING_COLUMNS if any(getattr(entry, name) for entry in entries))]
    rows: list[Sequence[str]] = [columns]
    for entry in entries:
        values = (getattr(entry, column) for column in columns)
        rows.append(["" if value == 0 else _quoted(str(value)) for value in values])
    return "".join(",".join(row) + "\r\n" for row in rows).encode("utf-8")


def listable(entry: Entry) -> tuple[Entry, Mapping[str, str]]:
    """The entry without the values a list cannot hold (a federation of two letters, a rating of 12), and those."""
    lost: dict[str, str] = {}
    for column in (*COLUMNS, *RATING_COLUMNS):
        value = getattr(entry, column)
        if column != "name" and not storable(column, value):
            lost[column] = str(value)
            entry = without(entry, column)
    return entry, lost


def _quoted(text: str) -> str:
    text = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text).strip()
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",;]', text) else text


def _text(data: bytes, file: str, code_page: str, defects: list[Defect], told: list[Adjustment]) -> str:
    """The text; without a code page each line with bytes that are not UTF-8 is a defect at the first of them."""
    if code_page:
        text, adjustment = decoded(data, file, code_page)
        told += [adjustment] if adjustment else []
        return text
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


# ---------------------------------------------------------------------------------------------- the header


def _known(heading: str) -> bool:
    return bool(column_name(heading))


def _from_header(rows: list[Row], told: list[Adjustment], defects: list[Defect]) -> list[Row]:
    """The rows from the one that names the columns; programs put the event's name and blank lines before it."""
    for at, row in enumerate(rows[:_TITLE_ROWS]):
        names = [column_name(field.text) for field in row.fields]
        if at == 0 and any(names):
            return rows
        if ("name" in names or "surname" in names) and len([name for name in names if name]) > 1:
            told.append(Adjustment(rows[0].line, 1, _("the lines before the names of the columns are not used")))
            # A stray quote in a title is no fault of the list.
            defects[:] = [defect for defect in defects if defect.line >= row.line]
            return rows[at:]
    return rows


def _header(rows: Sequence[Row], told: list[Adjustment], defects: list[Defect]) -> tuple[str, ...]:
    """The name of each column; "" for one that is not used or not known."""
    row = rows[0]
    if not any(_known(field.text) for field in row.fields):
        what = _("this row names no column we know")
        remedy = _("begin with a row that names the columns, one of them “name”")
        defects.append(Defect(row.line, 1, what, remedy))
        return ("",) * len(row.fields)
    names: list[str] = []
    for at, field in enumerate(row.fields):
        values = [_text_at(other, at) for other in rows[1:]]
        names.append(_column(row.line, field, values, names, told, defects))
    if "name" not in names and "surname" not in names:
        what = _("there is no column “name”")
        defects.append(Defect(row.line, 1, what, _("begin with a row that names the columns, one of them “name”")))
    return tuple(names)


def _text_at(row: Row, at: int) -> str:
    return row.fields[at].text if at < len(row.fields) else ""


def _column(
    line: int,
    field: Field,
    values: Sequence[str],
    before: Sequence[str],
    told: list[Adjustment],
    defects: list[Defect],
) -> str:
    """The column of one heading, "" for none; faults, and what is not used, go into the lists."""
    name = column_name(field.text)
    if not name and not field.text and _are_titles(values) and "title" not in before:
        told.append(Adjustment(line, field.column, _("a column without heading holds titles and is read as such")))
        name = "title"
    elif not name and field.text and not is_unused(field.text):
        what = _("there is no column “{name}”").format(name=field.text)
        remedy = _("rename it to one of {known}, or delete it").format(known=", ".join(sorted(COLUMNS)))
        defects.append(Defect(line, field.column, what, remedy))
    elif not name and any(values):
        told.append(Adjustment(line, field.column, _("the column “{name}” is not used").format(name=field.text)))
    elif name and name in before:
        what = _("the column “{name}” is there twice").format(name=field.text)
        defects.append(Defect(line, field.column, what, _("delete one of the two")))
        name = ""
    return name


def _are_titles(values: Sequence[str]) -> bool:
    return any(values) and all(value.upper() in TITLES for value in values)


def _width_fits(row: Row, header: Row, defects: list[Defect]) -> bool:
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


def _entry(row: Row, header: tuple[str, ...], told: list[Adjustment], defects: list[Defect]) -> _Values:
    values: dict[str, Any] = {"tpn": 0, "name": ""}
    places: dict[str, int] = {}
    for name, field in zip(header, row.fields, strict=False):
        if not name:
            continue
        places[name] = field.column
        try:
            if any(unicodedata.category(char) == "Cc" for char in field.text):
                raise Refused(_("there is a control character in this field"), _("type the field anew"))
            values[name] = READERS[name](field.text)
        except Refused as refused:
            defects.append(Defect(row.line, field.column, refused.what, refused.remedy))
            continue
        if assumes(name, field.text):
            what = _("“{text}” read as {value}").format(text=field.text, value=values[name])
            told.append(Adjustment(row.line, field.column, what))
    _one_name(values)
    if "rating" not in header and ("fide_rating" in header or "national_rating" in header):
        values["rating"] = values.get("fide_rating", 0) or values.get("national_rating", 0)
    return _Values(row.line, values, places)


def _one_name(values: dict[str, Any]) -> None:
    """Surname and first name as FIDE writes them."""
    parts = [values.pop(part) for part in NAME_PARTS if part in values]
    if parts and not values["name"]:
        values["name"] = ", ".join(part for part in parts if part)


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
