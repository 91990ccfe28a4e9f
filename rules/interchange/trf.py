"""Tournament reports in FIDE's text format: TRF06, TRF16 and TRF26, with the records of the pairing engines.

`read_trf` takes a file's bytes and answers an event and everything that was read leniently, or raises one error that
names every fault with line, column and player. `write_trf16` and `write_trf26` are the way back; reading what they
wrote gives an equal event. Columns are in `trf_columns`, the model in `trf_model`, teams in `trf_teams` and
`trf_team_lines`, national ratings in `trf_national`, the way from one generation to another in `trf_generations`.
"""

from __future__ import annotations

from rules.interchange.trf_model import (
    BLANK,
    Abnormal,
    Absence,
    Acceleration,
    Cell,
    Fictitious,
    Forbidden,
    ForeignLine,
    PointSystem,
    TrfEvent,
    TrfPlayer,
)
from rules.interchange.trf_reader import read_trf
from rules.interchange.trf_writer import Generation, OpenGames, write_trf, write_trf16, write_trf26
from rules.tournament.entries import TITLES, Entry

__all__ = [
    "BLANK", "Abnormal", "Absence", "Acceleration", "Cell", "Fictitious", "Forbidden", "ForeignLine", "Generation",
    "OpenGames", "PointSystem", "TrfEvent", "TrfPlayer", "entries_from_trf", "read_trf", "write_trf", "write_trf16",
    "write_trf26",
]  # fmt: skip


def entries_from_trf(event: TrfEvent) -> tuple[Entry, ...]:
    """The players of a report as entries, in the order of the file, without results.

    `tpn` is the starting rank of the file. A national category is no title of FIDE's and is left out; a birth date with
    month or day 00 becomes the year.
    """
    return tuple(
        Entry(
            tpn=player.start_rank,
            name=player.name,
            rating=player.rating,
            title=player.title if player.title in TITLES else "",
            federation=player.federation,
            fide_id=player.fide_id,
            birth=player.birth[:4] if "/00" in player.birth else player.birth,
            sex=player.sex,
        )
        for player in event.players
    )
