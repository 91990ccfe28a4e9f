"""What an arbiter may want with rating lists; part of `rules.tournament.intents`."""

from __future__ import annotations

from dataclasses import dataclass

from rules.interchange.rating_list import Kind, RatedPlayer
from rules.tournament.list_events import Origin


@dataclass(frozen=True, slots=True)
class LoadList:
    """A rating list has come; `players` may be all of it, only those who can be somebody here are kept.

    The ratings are compared with it at once; nothing is changed. `day` is today, "YYYY/MM/DD".
    """

    name: str
    valid_from: str
    players: tuple[RatedPlayer, ...]
    day: str = ""
    origin: Origin = "FIDE"


@dataclass(frozen=True, slots=True)
class CheckRatings:
    """Are the ratings those of the list in force? `day` is today, "YYYY/MM/DD"."""

    day: str


@dataclass(frozen=True, slots=True)
class UpdateRatings:
    """The ratings of these players (none named: of all who differ) become those of the list in force."""

    players: tuple[int, ...] = ()
    day: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class PickRating:
    """A player who is not on the main list gets his rating of another kind, or of another list."""

    tpn: int
    list: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class RateRound:
    """From a round on a player of a long event has another rating; 0 takes that back."""

    tpn: int
    round: int
    rating: int
    why: str = ""
