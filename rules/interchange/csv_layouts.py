"""What the columns of an entry list may be called, and what may stand in them.

Lists come from our own program, from spreadsheets in several languages, from federations and from other tournament
programs. A heading is compared without case, blanks and punctuation; what is not in these tables is refused, because a
misspelt "raiting" would otherwise seed everybody as unrated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from gettext import gettext as _
from types import MappingProxyType
from typing import Any

from rules.interchange import trf_columns
from rules.tournament.entries import TITLES, Entry

#: Columns in the order they are written; the last three only where somebody has them.
COLUMNS = ("tpn", "name", "rating", "title", "federation", "fide_id", "birth", "sex", "club")
RATING_COLUMNS = ("fide_rating", "national_rating", "source")
#: Two columns that make one name.
NAME_PARTS = ("surname", "first_name")
ALL_COLUMNS = (*COLUMNS, *RATING_COLUMNS, *NAME_PARTS)

#: Column → its other names, as `heading_key` writes them.
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "tpn": "id no nr sno startno startnr startnummer snr startrank startingrank startingranknumber pairingnumber",
        "name": "player playername fullname spieler spielername nom nombre nome jugador nomeecognome имя имја ime",
        "surname": "lastname familyname nachname nomdefamille apellido apellidos cognome фамилия prezime prijmeni",
        "first_name": "firstname givenname forename vorname prenom nombredepila jmeno imena",
        "rating": "elo rtg ratingstd std standard srtng wertung wertungszahl twz рейтинг",
        "fide_rating": "fideelo eloint elointernational rtgi rtgint rtgintl eloi elofide internationalrating",
        "national_rating": "nationalrating rtgn rtgnat elonat elonational elon dwz nwz nrtg nationalelo",
        "title": "tit titel titre titulo titolo titl fidetitle ftitle звание",
        "federation": "fed country land nation federación federacion fédération verband federazione fedr",
        "fide_id": "fideid fidenr fideno fidenumber fidecode idfide codefide fidenummer idnumber ffideid",
        "birth": "birthday birthdate birthyear byear dateofbirth dob bday born year yearofbirth yob geburtsdatum"
        " geburtsjahr geb jahrgang datedenaissance nascita fechanacimiento",
        "sex": "gender geschlecht sexe sexo sesso mf mw",
        "club": "clubcity verein vereinort circolo",
        "source": "ratingsource list",
    }
)
#: Columns that other programs write and an entry has no place for.
_UNUSED = frozenset(
    {
        "rank", "rk", "pl", "place", "platz", "pts", "points", "punkte", "games", "gms", "sgm", "rgm", "bgm", "k", "sk",
        "bk", "kfactor", "flag", "wtit", "otit", "foa", "email", "mail", "phone", "tel", "telefon", "address", "group",
        "gr", "gruppe", "typ", "type", "category", "kategorie", "age", "alter", "rapid", "blitz", "rrtng", "brtng",
        "rapidrating", "blitzrating", "remark", "remarks", "note", "notes", "comment", "bemerkung", "paid", "fee",
    }
)  # fmt: skip


def heading_key(text: str) -> str:
    """A heading without case, accents on Latin letters, blanks and punctuation: "FIDE-ID" and "fide id" are one."""
    folded = unicodedata.normalize("NFKC", text.strip().casefold())
    return "".join(char for char in folded if char.isalnum())


def _names() -> dict[str, str]:
    names = {heading_key(column): column for column in ALL_COLUMNS}
    for column, aliases in _ALIASES.items():
        for alias in aliases.split():
            names.setdefault(heading_key(alias), column)
    return names


_BY_KEY = MappingProxyType(_names())


def column_name(heading: str) -> str:
    """The column a heading stands for; "" when we know none of that name."""
    return _BY_KEY.get(heading_key(heading), "")


def is_unused(heading: str) -> bool:
    """A column other programs write that says nothing about an entry."""
    return heading_key(heading) in _UNUSED


# ---------------------------------------------------------------------------------------------- the values

#: A rating that a list can hold; 0 stands for unrated.
LOWEST_RATING, HIGHEST_RATING = 100, 4000
_UNRATED = frozenset({"-", "–", "—", "unr", "unr.", "unrated", "nr"})
_SEXES: Mapping[str, str] = MappingProxyType(
    {
        "": "", "m": "m", "male": "m", "man": "m", "boy": "m", "männlich": "m", "herr": "m", "h": "m",
        "w": "w", "f": "w", "female": "w", "woman": "w", "girl": "w", "weiblich": "w", "frau": "w",
    }
)  # fmt: skip


class Refused(ValueError):
    """A field cannot be taken: what is wrong and the remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def _name(text: str) -> str:
    if not text:
        raise Refused(_("the name is empty"), _("write the name, or delete the row"))
    return text


def _whole(text: str, what: str, remedy: str, lowest: int, highest: int) -> int:
    """A number in ASCII digits, or 0 for an empty field."""
    value = int(text) if re.fullmatch(r"[0-9]{1,11}", text) else (0 if not text else -1)
    if value and not lowest <= value <= highest:
        raise Refused(what.format(text=text), remedy)
    return value


def _rating(text: str) -> int:
    if text.casefold() in _UNRATED:
        return 0
    remedy = _("write a rating from {lowest} to {highest}, or 0 for unrated")
    remedy = remedy.format(lowest=LOWEST_RATING, highest=HIGHEST_RATING)
    return _whole(text, _("“{text}” is no possible rating"), remedy, LOWEST_RATING, HIGHEST_RATING)


def _fide_id(text: str) -> int:
    return _whole(text, _("“{text}” is no FIDE id"), _("write up to eleven digits, or nothing"), 1, 99_999_999_999)


def _tpn(text: str) -> int:
    return _whole(text, _("“{text}” is no pairing number"), _("write a number from 1 to 9999"), 1, 9999)


def _title(text: str) -> str:
    title = trf_columns.OLD_TITLES.get(text.upper(), text.upper())
    if title not in TITLES:
        known = ", ".join(title for title in TITLES if title)
        raise Refused(
            _("“{text}” is no title").format(text=text), _("write one of {known}, or nothing").format(known=known)
        )
    return title


def _federation(text: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9]{3})?", text):
        raise Refused(
            _("“{text}” is no federation").format(text=text), _("write FIDE's code of three letters, or nothing")
        )
    return text.upper()


def _birth(text: str) -> str:
    found = trf_columns.birth(text) if text else ""
    if found is None:
        found = _day_first(text)
    if found is None or "/00" in found:
        raise Refused(
            _("“{text}” is no birth date").format(text=text), _("write it as 1990/12/31 or 1990, or leave it empty")
        )
    return found


def _day_first(text: str) -> str | None:
    """Dots put the day first; with / or - only a day above 12 tells which number is the month."""
    match = re.fullmatch(r"(\d{1,2})\s*([./-])\s*(\d{1,2})\s*[./-]\s*(\d{4})", text)
    if match is None or (match[2] != "." and int(match[1]) <= 12 and int(match[3]) <= 12):
        return None
    return trf_columns.date(text)


def _sex(text: str) -> str:
    sex = _SEXES.get(text.casefold())
    if sex is None:
        raise Refused(_("“{text}” is no sex").format(text=text), _("write m, w or nothing"))
    return sex


READERS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {
        "tpn": _tpn,
        "name": _name,
        "surname": _name,
        "first_name": str,
        "rating": _rating,
        "fide_rating": _rating,
        "national_rating": _rating,
        "title": _title,
        "federation": _federation,
        "fide_id": _fide_id,
        "birth": _birth,
        "sex": _sex,
        "club": str,
        "source": str,
    }
)
#: Column → is this text written in a way that leaves something to assume?
_ASSUMING: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "birth": lambda text: bool(text) and trf_columns.birth(text) is None,
        "title": lambda text: text.upper() in trf_columns.OLD_TITLES,
        "sex": lambda text: text.casefold() not in ("", "m", "w", "f"),
        **dict.fromkeys(("rating", "fide_rating", "national_rating"), lambda text: text.casefold() in _UNRATED),
    }
)


def assumes(column: str, text: str) -> bool:
    """Is this value of a column readable only by assuming what is meant: a day first, a word for a letter?"""
    return column in _ASSUMING and _ASSUMING[column](text)


def storable(column: str, value: object) -> bool:
    """Can this value of an entry be written into a list and read again?"""
    try:
        return bool(READERS[column]("" if value == 0 else str(value)) == value)
    except Refused:
        return False


def without(entry: Entry, column: str) -> Entry:
    """The entry with one field empty."""
    empty: Mapping[str, Any] = {column: 0 if isinstance(getattr(entry, column), int) else ""}
    return replace(entry, **empty)
