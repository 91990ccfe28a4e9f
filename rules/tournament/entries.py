"""Who takes part: one entry of a tournament, as it comes from a list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One player of the event.

    `tpn` is the tournament pairing number (1 = strongest; 0 = not yet given), `rating` 0 means unrated, `birth` is
    "YYYY/MM/DD", "YYYY" or "", `sex` "m", "w" or "", `fide_id` 0 when there is none. `title` is one of FIDE's (GM, IM,
    WGM, FM, WIM, CM, WFM, WCM) or "".
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


#: Titles from the strongest down, as C.04.2 2.2 orders equal ratings.
TITLES = ("GM", "IM", "WGM", "FM", "WIM", "CM", "WFM", "WCM", "")


def numbered(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries in TPN order with their pairing numbers 1..n given anew.

    Order: rating (highest first), title, name, FIDE id (C.04.2 2.2); the sort is stable, so doubles keep their place.
    """
    order = sorted(entries, key=lambda e: (-e.rating, TITLES.index(e.title), e.name.casefold(), e.fide_id))
    return tuple(
        Entry(i, e.name, e.rating, e.title, e.federation, e.fide_id, e.birth, e.sex, e.club)
        for i, e in enumerate(order, 1)
    )
