"""Standings: every tie-break value, and for the selected place the sentence that decided it. Pure."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from hallnet.views import StandingRow, StandingsView
from kiosk.desk.context import Context
from kiosk.widgets.keyed_table import Column
from kiosk.widgets.language import _
from kiosk.widgets.palette import rich_style
from kiosk.widgets.words import cut, rating_text

CODE_WIDTH = 7


def columns(standings: StandingsView, width: int) -> tuple[Column, ...]:
    """Rank, name, rating, points, the tie-breaks, and the code that decided, as far as there is room."""
    ratings = width >= 90
    used = 5 + 8 + 11 + (6 if ratings else 0) + 2
    codes = standings.codes[: max(0, (width - used - 22) // (CODE_WIDTH + 2))]
    name = max(20, width - used - len(codes) * (CODE_WIDTH + 2) - 2)
    return (
        Column("rank", _("rank"), 4),
        Column("name", _("name"), min(name, 44)),
        *((Column("rating", _("rtg"), 4),) if ratings else ()),
        Column("points", _("points"), 6),
        *(Column(f"v {code}", code, CODE_WIDTH) for code in codes),
        Column("by", _("by"), 8),
    )


def cells(row: StandingRow, wanted: tuple[Column, ...], theme: str) -> tuple[Text, ...]:
    """One place's line."""
    name, gone = f"{row.title} {row.name}".strip(), " " + _("(withdrawn)") if row.withdrawn else ""
    out = []
    for column in wanted:
        if column.key.startswith("v "):
            value = row.values.get(column.key[2:], "")
            text = Text(f"{value:>{column.width}}", rich_style(theme, "text"))
        else:
            plain = {
                "rank": f"{row.rank:>4}",
                "name": cut(name, column.width - cell_len(gone)) + gone,
                "rating": f"{rating_text(row.rating):>4}",
                "points": f"{row.points:>6}",
                "by": cut(row.decided_by, 8),
            }[column.key]
            text = Text(plain, rich_style(theme, "name" if column.key in ("rank", "points") else "text"))
        text.no_wrap = True
        out.append(text)
    return tuple(out)


def title(c: Context) -> str:
    """After which round, by which tie-breaks."""
    if c.hall is None:
        return _("Standings")
    found = c.hall.standings
    return _("Standings after round {round} · tie-breaks: {codes}").format(
        round=found.round, codes=" ".join(found.codes)
    )


def reason(c: Context) -> str:
    """What decided the selected place."""
    row = c.standing
    if row is None or c.hall is None:
        return _("No standings yet.")
    why = row.reason or (_("decided by {code}").format(code=row.decided_by) if row.decided_by else "")
    values = "  ".join(f"{code} {row.values[code]}" for code in c.hall.standings.codes if code in row.values)
    return f"{row.rank}. {row.name}: {row.points}" + (f" · {why}" if why else "") + f"\n{values}"
