"""What rating lists add to the events of a tournament; part of `rules.tournament.events`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.interchange.rating_list import RatedPlayer

#: FIDE's own list, whose ratings are official, or one somebody made.
Origin = Literal["FIDE", "other"]


@dataclass(frozen=True, slots=True)
class ListLoaded:
    """A rating list is at hand: those of its players who can be somebody of this event.

    `valid_from` is the first day on which the list holds, "YYYY/MM/DD". `asked` are the FIDE ids that were looked for:
    of who was entered later the list says nothing until it is loaded again.
    """

    at: int
    name: str
    valid_from: str
    players: tuple[RatedPlayer, ...]
    by: str
    origin: Origin = "FIDE"
    asked: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RatingsChecked:
    """The ratings were compared with the list that holds on `day`; `differing` are the players who are not as on it."""

    at: int
    list: str
    day: str
    differing: tuple[int, ...]
    by: str


@dataclass(frozen=True, slots=True)
class RoundRated:
    """From round `round` on a player of a long event has another rating (C.07 10); 0: what was said is taken back."""

    at: int
    tpn: int
    round: int
    rating: int
    by: str
    why: str = ""
