"""Age and age categories from the date of birth, for class lists and prizes.

Youth categories go by the age on 1 January of the year in which the event begins, seniors' by the age that is reached
in that year, so the year of birth is enough for both (D.02).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules.tournament.entries import Entry

#: Youth: not yet so old on 1 January. Seniors: so old in the year of the event, or older.
YOUTH = (8, 10, 12, 14, 16, 18, 20)
SENIORS = (50, 65)
_BIRTH = re.compile(r"(\d{4})(?:/(\d{2})/(\d{2}))?")


def year_of_birth(entry: Entry) -> int:
    """The year, 0 when it is not known."""
    match = _BIRTH.fullmatch(entry.birth)
    return int(match[1]) if match else 0


def age_on(entry: Entry, day: str) -> int | None:
    """Full years on a day ("YYYY/MM/DD"); with only the year of birth known, those reached in the day's year.

    None when nothing is known, or the player is not born by then.
    """
    born, then = _BIRTH.fullmatch(entry.birth), _BIRTH.fullmatch(day)
    if born is None or then is None or not int(born[1]):
        return None
    years = int(then[1]) - int(born[1])
    if born[2] and born[2] != "00" and then[2] and (then[2], then[3]) < (born[2], born[3]):
        years -= 1
    return years if years >= 0 else None


def categories(entry: Entry, day: str, women: bool = True) -> tuple[str, ...]:
    """The categories of an event that begins on `day`: "U14", "S50", with "W" for girls and women as well.

    A player of a narrow category is in the wider ones too: an U12 player is also one of U14 to U20.
    """
    born = year_of_birth(entry)
    if not born or not day[:4].isdigit():
        return ("W",) if women and entry.sex == "w" else ()
    reached = int(day[:4]) - born
    # On 1 January only somebody born on that very day has had the birthday: the year before counts for all others.
    first_day = entry.birth[4:] == "/01/01"
    on_new_year = reached if first_day else reached - 1
    found = [f"U{limit}" for limit in YOUTH if on_new_year < limit]
    found += [f"S{limit}" for limit in SENIORS if reached >= limit]
    return (*found, "W") if women and entry.sex == "w" else tuple(found)


def eligible(entries: Iterable[Entry], category: str, day: str) -> frozenset[int]:
    """The pairing numbers of a category, for `rules.tournament.prizes.PrizeList.eligible`."""
    return frozenset(entry.tpn for entry in entries if category in categories(entry, day))
