"""Do the ranks of a report follow from its results?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from itertools import groupby

from rules.interchange.trf_model import TrfEvent
from rules.interchange.trf_teams import is_team_event, read_teams
from rules.tiebreaks.edition import CURRENT, Edition
from rules.tiebreaks.event_table import table_of, tie_breaks_of
from rules.tiebreaks.ranking import Ranked, ranking
from rules.tiebreaks.registry import Table
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import Value, in_points


@dataclass(frozen=True, slots=True)
class RankDifference:
    """A competitor whose rank in the report is none of those the results allow.

    `first` and `last` are the places allowed: one where a code decides, several where the tie-breaks leave a tie that
    lots or the organizer may have broken. `decided_by` and `reason` are those of `ranking`.
    """

    tpn: int
    found: int
    first: int
    last: int
    decided_by: str
    reason: str


def rank_differences(event: TrfEvent, edition: Edition = CURRENT, file: str = "") -> tuple[RankDifference, ...] | None:
    """Every rank of the report that does not follow from its results and tie-breaks; None when it states no ranks.

    A report that does not name its tie-breaks (records 202, 212), or that already counts byes of the round to come in
    its points, is held to the order of the points it states. Whose rank is blank or 0 is not ranked, and the others
    move up. Ranks that are the starting ranks all the way were never filled in, unless they happen to be right. Raises
    `UnknownCode` for tie-breaks not known here, and what `table_of` raises.
    """
    stated = _stated_ranks(event, file)
    if not any(stated.values()):
        return None
    table = table_of(event, None, edition, file)
    codes = tie_breaks_of(event)
    points = _stated_points(event)
    scores = _scores(table)
    if codes and (not points or points == scores):
        places: Sequence[Ranked] = ranking(table, codes)
    else:
        places = _by_points(points or scores)
    found = tuple(_compared([place for place in places if stated.get(place.tpn)], stated))
    never_filled_in = all(rank == number for number, rank in stated.items())
    return None if found and never_filled_in else found


def _compared(ranked: Sequence[Ranked], stated: Mapping[int, int]) -> list[RankDifference]:
    found = []
    first = 1
    for _rank, same in groupby(ranked, key=lambda place: place.rank):
        tied = tuple(same)
        last = first + len(tied) - 1
        found += [
            RankDifference(p.tpn, stated[p.tpn], first, last, p.decided_by, p.reason)
            for p in tied
            if not first <= stated[p.tpn] <= last
        ]
        first = last + 1
    return found


def _by_points(points: Mapping[int, int]) -> list[Ranked]:
    """The order of points alone; equal points share a place."""
    order = sorted(points, key=lambda tpn: (-points[tpn], tpn))
    first: dict[int, int] = {}
    for place, tpn in enumerate(order, 1):
        first.setdefault(points[tpn], place)
    return [Ranked(first[points[tpn]], tpn, "PTS", _ByPoints(points)) for tpn in order]


@dataclass(frozen=True, slots=True)
class _ByPoints:
    """What can be said of places by points alone."""

    points: Mapping[int, int]

    def values_of(self, tpn: int) -> Mapping[str, Value]:
        return {}

    def reason_of(self, place: Ranked) -> str:
        text = _("{points} points; the report does not say what breaks ties.")
        return text.format(points=in_points(self.points[place.tpn]))


def _scores(table: Table) -> Mapping[int, int]:
    return (table.first if isinstance(table, TeamTable) else table).scores


def _stated_ranks(event: TrfEvent, file: str) -> Mapping[int, int]:
    """Number → rank as the report has it, 0 = none."""
    if is_team_event(event):
        return {team.number: team.rank for team in read_teams(event, file).teams}
    return {player.start_rank: player.rank for player in event.players}


def _stated_points(event: TrfEvent) -> Mapping[int, int]:
    """Number → points as an individual report has them; empty unless it has them for everybody."""
    points = {player.start_rank: player.points for player in event.players}
    if is_team_event(event):
        return {}
    return (
        {number: value for number, value in points.items() if value is not None} if None not in points.values() else {}
    )
