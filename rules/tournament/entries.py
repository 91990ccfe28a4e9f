"""Who takes part: one entry of a tournament, as it comes from a list, and the order that gives the pairing numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One player of the event.

    `tpn` is the tournament pairing number (1 = strongest; 0 = not yet given), `rating` the tournament's own rating
    that orders the list (0 = unrated), `birth` is "YYYY/MM/DD", "YYYY" or "", `sex` "m", "w" or "", `fide_id` 0 when
    there is none. `title` is one of FIDE's (GM, IM, WGM, FM, WIM, CM, WFM, WCM) or "". `fide_rating` and
    `national_rating` are the official ones (0 = none or not known), `source` the list they were taken from, "manual"
    if somebody typed them.
    """

    tpn: int
    name: str
    rating: int = 0
    title: str = ""
    federation: str = ""
    fide_id: int = 0
    birth: str = ""
    sex: str = ""
    club: str = ""
    fide_rating: int = 0
    national_rating: int = 0
    source: str = ""


#: Titles from the strongest down, as C.04.2 2.2 orders equal ratings.
TITLES = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM", "")

#: Ranking method → the rating it takes from the official ones (0 = none).
_RATINGS: Mapping[str, Callable[[Entry], int]] = {
    "FIDE": lambda e: e.fide_rating,
    "NRO": lambda e: e.national_rating,
    "FIDON": lambda e: e.fide_rating or e.national_rating,
    "NIDOF": lambda e: e.national_rating or e.fide_rating,
    "HBFN": lambda e: max(e.fide_rating, e.national_rating),
    "LBFN": lambda e: min((r for r in (e.fide_rating, e.national_rating) if r), default=0),
}
#: What decides between equal ratings and titles → the key of an entry.
_EQUALS: Mapping[str, Callable[[Entry], tuple[Any, ...]]] = {
    "name": lambda e: (e.name.casefold(), e.fide_id),
    "fide-id": lambda e: (e.fide_id == 0, e.fide_id, e.name.casefold()),
    "birth": lambda e: (not e.birth, e.birth, e.name.casefold()),
    "list": lambda e: (),
}


def rated_by(entry: Entry, method: str) -> Entry:
    """The entry with the tournament rating that a ranking method takes from its official ones.

    Without official ratings, and for the method "OTHER", the rating stays as it was written.
    """
    take = _RATINGS.get(method)
    if take is None or not (entry.fide_rating or entry.national_rating):
        return entry
    return replace(entry, rating=take(entry))


def strength(entry: Entry, equals: str = "name") -> tuple[Any, ...]:
    """The key that sorts entries by rating (highest first), title, and what was announced for equals (C.04.2 2.2)."""
    title = TITLES.index(entry.title) if entry.title in TITLES else len(TITLES)
    return (-entry.rating, title, *_EQUALS[equals](entry))


def in_order(entries: Iterable[Entry], equals: str = "name") -> tuple[Entry, ...]:
    """The entries by strength; the sort is stable, so doubles keep their place."""
    return tuple(sorted(entries, key=lambda e: strength(e, equals)))


def numbered(entries: tuple[Entry, ...], equals: str = "name") -> tuple[Entry, ...]:
    """The entries in TPN order with their pairing numbers 1..n given anew."""
    return tuple(replace(e, tpn=i) for i, e in enumerate(in_order(entries, equals), 1))


def doubles(entries: Iterable[Entry]) -> tuple[tuple[Entry, Entry], ...]:
    """Pairs of entries that may be one person: the same FIDE id, or the same name and year of birth."""
    seen: dict[tuple[Any, ...], Entry] = {}
    found = []
    for entry in entries:
        for key in ((entry.fide_id,) if entry.fide_id else (), (entry.name.casefold().strip(), entry.birth[:4])):
            if not key:
                continue
            if key in seen:
                found.append((seen[key], entry))
                break
            seen[key] = entry
    return tuple(found)
