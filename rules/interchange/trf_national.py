"""National rating lines of a tournament report (TRF26): a federation's code where 001 would stand.

Their columns are those of line 001 up to the birth date: 5-8 starting rank, 10 sex, 11-13 national title, 15-47 name,
49-52 national rating, 54-56 origin (a region or club), 58-68 national id, 70-79 birth. `read_trf` keeps the lines as
they stand; here they become values and lines again. Record 172 says for which federation they count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from gettext import gettext as _

from rules.interchange import trf_columns as columns
from rules.interchange.errors import Defect, InterchangeError
from rules.interchange.trf_model import ForeignLine, TrfEvent


@dataclass(frozen=True, slots=True)
class NationalRating:
    """What a federation says of a player: all texts as they stand; `rating` 0 when there is none.

    `federation` is the code of three letters that opens the line, `start_rank` that of the player's line 001.
    """

    federation: str
    start_rank: int
    rating: int = 0
    name: str = ""
    sex: str = ""
    title: str = ""
    origin: str = ""
    national_id: str = ""
    birth: str = ""
    line: int = field(default=0, compare=False)


def read_national(event: TrfEvent, file: str = "") -> tuple[NationalRating, ...]:
    """The national rating lines of a report, in its order.

    Raises InterchangeError naming line and column: a rating that is no number, a starting rank nobody has, the same
    player twice for one federation.
    """
    defects: list[Defect] = []
    known = {player.start_rank for player in event.players}
    seen: dict[tuple[str, int], int] = {}
    found = []
    for kept in event.foreign:
        if not columns.is_national_row(kept.text):
            continue
        row = _row(kept, defects)
        if row is None:
            continue
        what = ""
        if row.start_rank not in known:
            what = _("{code}: there is no player {number}").format(code=row.federation, number=row.start_rank)
        first = seen.setdefault((row.federation, row.start_rank), kept.line)
        if first != kept.line:
            what = _("{code}: player {number} is in line {line} already")
            what = what.format(code=row.federation, number=row.start_rank, line=first)
        if what:
            defects.append(Defect(kept.line, 5, what, _("correct the starting rank, or delete the line")))
        found.append(row)
    if defects:
        raise InterchangeError(file, defects)
    return tuple(found)


def _row(kept: ForeignLine, defects: list[Defect]) -> NationalRating | None:
    line = kept.text

    def text(name: str) -> str:
        return columns.static_field(line, name)[1]

    if text("rating") and not text("rating").isdecimal():
        what = _("{code}: “{text}” is no rating").format(code=kept.code, text=text("rating"))
        defects.append(Defect(kept.line, 49, what, _("write a whole number in columns 49-52, or nothing")))
        return None
    return NationalRating(
        federation=kept.code,
        start_rank=int(text("start_rank")),
        rating=int(text("rating") or 0),
        name=text("name"),
        sex=text("sex"),
        title=text("title"),
        origin=text("federation"),
        national_id=text("fide_id"),
        birth=text("birth"),
        line=kept.line,
    )


def national_line(row: NationalRating) -> ForeignLine:
    """The line of a national rating, for `TrfEvent.foreign`. Raises ValueError when a number has no room."""
    if row.start_rank > 9999 or row.rating > 9999:
        what = _("{value} has no room in the {width} columns of a tournament report")
        raise ValueError(what.format(value=max(row.start_rank, row.rating), width=4))
    line = (
        f"{row.federation[:3]:3} {row.start_rank:4} {row.sex[:1]:1}{row.title[:3]:>3} {row.name[:33]:33} "
        f"{row.rating or '':4} {row.origin[:3]:3} {row.national_id[:11]:>11} {row.birth[:10]}"
    )
    return ForeignLine(line.rstrip())
