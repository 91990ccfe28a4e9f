"""`hallkiosk standings FILE`: the order after a round, every tie-break's value and what decided each place.

Also the ranking part of `hallkiosk check`: whether the ranks of a report follow from its results.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from gettext import gettext as _
from pathlib import Path
from typing import Any

from rules.interchange.errors import InterchangeError
from rules.interchange.trf import TrfEvent, read_trf
from rules.interchange.trf_teams import is_team_event, read_teams
from rules.tiebreaks.edition import EDITIONS
from rules.tiebreaks.event_table import DEFAULT_TIE_BREAKS, NotYet, table_of, tie_breaks_of
from rules.tiebreaks.rank_check import rank_differences
from rules.tiebreaks.ranking import ranking
from rules.tiebreaks.registry import UnknownCode
from rules.tiebreaks.team import TeamTable
from rules.tiebreaks.values import in_points

Json = dict[str, Any]


class StandingsError(ValueError):
    """There are no standings to show: the file cannot be read, or what was asked of it is not there.

    str() names the file, what is wrong with it, and what to do.
    """


def run(
    path: Path,
    after: int | None = None,
    tie_breaks: Sequence[str] | None = None,
    edition: str = "2026",
    lots_seed: int | None = None,
) -> Json:
    """The standings of a tournament report (gzip-compressed or not), as JSON values.

    `after` is a round (None: the latest with all its results), `tie_breaks` the codes (None: those of records 212 or
    202, else BH/C1, BH, SB); `PTS` comes first unless the list says where. `edition` is one of `EDITIONS`. With
    `lots_seed` lots decide what the codes leave tied; else such players share their rank. Of a team event the teams
    are ranked. Undefined values are None; `decided_by` is "" where nothing separates.

    Raises `StandingsError` with a sentence for the arbiter.
    """
    event = read_report(path)
    codes = tuple(tie_breaks) if tie_breaks is not None else tie_breaks_of(event) or DEFAULT_TIE_BREAKS
    if edition not in EDITIONS:
        raise StandingsError(
            _("There is no edition {edition} of the tie-breaks. Known are: {known}.").format(
                edition=edition, known=", ".join(EDITIONS)
            )
        )
    try:
        return standings_of(event, after, codes, edition, lots_seed, path.name)
    except InterchangeError as error:
        raise StandingsError(str(error)) from error
    except (NotYet, UnknownCode) as error:
        raise StandingsError(f"{path.name}: {error}") from error


def read_report(path: Path) -> TrfEvent:
    """The report in a file, gzip-compressed or not. Raises `StandingsError`."""
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise StandingsError(
            _("{file} cannot be read: {why}. Check the name and whether the file is whole.").format(
                file=path, why=getattr(error, "strerror", None) or error
            )
        ) from error
    try:
        return read_trf(data, path.name)[0]
    except InterchangeError as error:
        raise StandingsError(str(error)) from error


def standings_of(
    event: TrfEvent,
    after: int | None,
    codes: Sequence[str],
    edition: str = "2026",
    lots_seed: int | None = None,
    file: str = "",
) -> Json:
    """The standings of a report as JSON values.

    Raises `NotYet` for a round without all its results, `UnknownCode` for a tie-break not known here, and
    InterchangeError for team records that cannot be read.
    """
    codes = tuple(code.strip() for code in codes if code.strip())
    table = table_of(event, after, EDITIONS[edition], file)
    first = table.first if isinstance(table, TeamTable) else table
    names = {player.start_rank: player.name for player in event.players}
    if is_team_event(event):
        names = {team.number: team.name for team in read_teams(event, file).teams}
    places = ranking(table, codes, lots_seed, names=names)
    return {
        "order": [place.tpn for place in places],
        "players": {
            str(place.tpn): {
                "rank": place.rank,
                "name": names.get(place.tpn, ""),
                "points": in_points(first.scores[place.tpn]),
                "values": {code: place.values[code].text or None for code in codes},
                "decided_by": place.decided_by,
                "reason": place.reason,
            }
            for place in places
        },
    }


def ranking_differences(event: TrfEvent, file: str = "") -> list[Json] | None:
    """The ranks of a report that do not follow from its results, as JSON values; None when it states no ranks.

    Where the report does not name its tie-breaks only the points are compared. Raises `StandingsError` when the ranking
    cannot be judged: unknown tie-breaks, or team records that cannot be read.
    """
    try:
        found = rank_differences(event, file=file)
    except InterchangeError as error:
        raise StandingsError(str(error)) from error
    except (NotYet, UnknownCode) as error:
        raise StandingsError(f"{file}: {error}" if file else str(error)) from error
    if found is None:
        return None
    return [
        {
            "tpn": difference.tpn,
            "found": difference.found,
            "expected": [difference.first, difference.last],
            "decided_by": difference.decided_by,
            "reason": difference.reason,
        }
        for difference in found
    ]
