"""The columns of a player line, and the small readings that several records share.

Layout of line 001 (columns from 1, inclusive; TRF16 and TRF26 alike):

    1-3 code   5-8 starting rank   10 sex   11-13 title   15-47 name   49-52 rating   54-56 federation
    58-68 FIDE id   70-79 birth   81-84 points   86-89 rank
    92-95 opponent   97 colour   99 result, and again every 10 columns
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

#: Field → first column (from 1) and width, in the order of the line.
PLAYER_FIELDS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "start_rank": (5, 4),
        "sex": (10, 1),
        "title": (11, 3),
        "name": (15, 33),
        "rating": (49, 4),
        "federation": (54, 3),
        "fide_id": (58, 11),
        "birth": (70, 10),
        "points": (81, 4),
        "rank": (86, 4),
    }
)
#: Length of a player line before its rounds.
STATIC_LENGTH = 89
#: Columns from one round to the next; the two blanks before the opponent belong to it.
ROUND_WIDTH = 10
#: Columns that separate fields right of the name, and the field that ends before each.
SEPARATORS: Mapping[int, str] = MappingProxyType(
    {9: "start_rank", 14: "title", 48: "name", 53: "rating", 57: "federation", 69: "fide_id", 80: "birth", 85: "points"}
)
_NAME_START, _NAME_END = 14, 47

_CELL = re.compile(r"  (?P<opponent>[ \d]{4}) (?P<colour>[wbWB\- ]) (?P<result>[10=+\-WDLUFHZwdlufhz? ])")
#: A paired game with a sign for its result that no edition of the format has.
_STRANGE_CELL = re.compile(r"  (?P<opponent>[ \d]{3}\d) (?P<colour>[wbWB]) (?P<result>\S)")
_POINTS = re.compile(r"\d+(?:[.,]\d)?")

#: One-letter titles of older files (and two letters for women).
OLD_TITLES: Mapping[str, str] = MappingProxyType(
    {"G": "GM", "M": "IM", "F": "FM", "C": "CM", "WG": "WGM", "WM": "WIM", "WF": "WFM", "WC": "WCM"}
)

#: Days a month may have, for dates read from files.
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class CellText:
    """One round's columns as they stand; `column` is where they begin (from 1)."""

    column: int
    text: str


def static_field(line: str, name: str) -> tuple[int, str]:
    """Column (from 1) and bare text of one field of a player line; missing columns count as blank."""
    column, width = PLAYER_FIELDS[name]
    return column, line[column - 1 : column - 1 + width].strip()


def is_static_row(line: str) -> bool:
    """Laid out like a player line: a starting rank in its columns and blanks around it."""
    return line[3:4] == " " and line[8:9] == " " and re.fullmatch(r" *\d+", line[4:8]) is not None


def is_national_row(line: str) -> bool:
    """A national rating: the code of a federation, and the columns of a player line behind it.

    DAT is no federation but a vendor's record that also has a starting rank there.
    """
    code = line[:3]
    return (
        re.fullmatch("[A-Z]{3}", code) is not None
        and code != "DAT"
        and not code.startswith(("XX", "BB"))
        and is_static_row(line)
    )


def cell_texts(line: str) -> tuple[CellText, ...]:
    """The round columns of a player line, ten characters each, up to the last one that is not blank."""
    body = line[STATIC_LENGTH:].rstrip()
    return tuple(
        CellText(STATIC_LENGTH + 1 + at, body[at : at + ROUND_WIDTH].ljust(ROUND_WIDTH))
        for at in range(0, len(body), ROUND_WIDTH)
    )


def split_cell(text: str) -> tuple[int, str, str] | None:
    """Opponent (0 = none), colour and result of ten columns; None when they are out of phase or hold other signs.

    Where opponent and colour are in place, the result may be any sign: the reader says what it makes of it.
    """
    match = _CELL.fullmatch(text) or _STRANGE_CELL.fullmatch(text)
    if match is None:
        return None
    opponent = match["opponent"].strip()
    if opponent and not opponent.isdecimal():
        return None
    return int(opponent or 0), match["colour"].strip().lower(), match["result"].strip().upper()


def in_phase(line: str) -> bool:
    """Every separator is blank and every round has its colour in column 97, 107, ...

    Blank separators alone are weak evidence, but the round columns are hard to hit by chance.
    """
    if any(line[column - 1 : column].strip() for column in SEPARATORS if column > _NAME_END):
        return False
    return all(split_cell(cell.text) is not None for cell in cell_texts(line))


def _display_width(char: str) -> int:
    """Cells on a terminal: none for a combining mark, two for a wide letter."""
    return 0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")


#: What a writer may have counted when it padded the name to 33: each letter's length in it.
_MEASURES: tuple[Callable[[str], int], ...] = (
    lambda char: len(char.encode("utf-8")),
    lambda char: len(char.encode("utf-16-le")) // 2,
    _display_width,
)


def realigned(line: str) -> str | None:
    """The line with its name padded to 33 characters when the writer had padded it to 33 of something else.

    That is bytes of UTF-8, code units of UTF-16, or cells of a terminal. None when none of them brings the columns into
    phase.
    """
    composed = unicodedata.normalize("NFC", line)
    if composed != line and in_phase(composed):
        return composed
    for measure in _MEASURES:
        mended = _padded_anew(line, measure)
        if mended not in (None, line) and in_phase(mended or ""):
            return mended
    return None


def _padded_anew(line: str, measure: Callable[[str], int]) -> str | None:
    """The line as it would be if `measure` had been 1 for every character; None where the name ends inside one."""
    width, left = _NAME_END - _NAME_START, _NAME_END - _NAME_START
    at = _NAME_START
    while at < len(line) and (left > 0 or measure(line[at]) == 0):
        left -= measure(line[at])
        at += 1
    name = unicodedata.normalize("NFC", line[_NAME_START:at])
    return None if left or len(name) > width else line[:_NAME_START] + name.ljust(width) + line[at:]


def half_points(text: str) -> int | None:
    """ "4", "4.5" or "4,5" in half-points; None when it is no multiple of a half."""
    match = _POINTS.fullmatch(text)
    if match is None:
        return None
    whole, _, tenth = text.replace(",", ".").partition(".")
    return None if tenth not in ("", "0", "5") else int(whole) * 2 + (tenth == "5")


def signed_half_points(text: str) -> int | None:
    """As `half_points`, with an optional sign; for abnormal points and point systems."""
    bare = text.lstrip("+-")
    value = half_points(bare) if len(text) - len(bare) <= 1 else None
    return None if value is None else (-value if text.startswith("-") else value)


def as_decimal(value: int) -> str:
    """Half-points as a decimal with one place: 9 → "4.5", -1 → "-0.5"."""
    return f"{'-' if value < 0 else ''}{abs(value) // 2}.{'5' if value % 2 else '0'}"


def date(text: str) -> str | None:
    """A day as "YYYY/MM/DD", or None when it cannot be read.

    Understood: year first, day first (month first when only that is a date), with / . or -, two-digit years (taken as
    20YY, from 70 on 19YY), and English month names as in "May 29, 2020".
    """
    words = re.findall(r"[A-Za-z]+|\d+", text)
    if len(words) != 3 or not re.fullmatch(r"[\w\s/.,\-]*", text):
        return None
    named = [word for word in words if word.isalpha()]
    if named:
        month = next((i for i, m in enumerate(_MONTHS, 1) if len(named[0]) >= 3 and named[0].lower().startswith(m)), 0)
        numbers = [word for word in words if word.isdigit()]
        if not month or len(numbers) != 2:
            return None
        orders = [(numbers[1], str(month), numbers[0]), (numbers[0], str(month), numbers[1])]
    elif len(words[0]) == 4:
        orders = [(words[0], words[1], words[2])]
    elif len(words[2]) == 4:
        orders = [(words[2], words[1], words[0]), (words[2], words[0], words[1])]
    else:
        orders = [(words[0], words[1], words[2]), (words[2], words[1], words[0])]
    for order in orders:
        if found := _calendar_day(*order):
            return found
    return None


def _calendar_day(year: str, month: str, day: str) -> str | None:
    if len(year) not in (2, 4) or len(month) > 2 or len(day) > 2:
        return None
    y, m, d = int(year), int(month), int(day)
    if len(year) == 2:
        y += 1900 if y >= 70 else 2000
    return f"{y:04}/{m:02}/{d:02}" if 1 <= m <= 12 and 1 <= d <= _DAYS[m - 1] and y >= 1000 else None


def birth(text: str) -> str | None:
    """A birth date as "YYYY/MM/DD" (month and day may be 00) or "YYYY"; None when it is neither."""
    match = re.fullmatch(r"(\d{4})(?:\s*[/.\-]\s*(\d{1,2})\s*[/.\-]\s*(\d{1,2}))?", text)
    if match is None:
        return None
    year, month, day = match.groups()
    if month is None:
        return year
    m, d = int(month), int(day)
    return f"{year}/{m:02}/{d:02}" if m <= 12 and d <= (_DAYS[m - 1] if m else 0) else None
