"""Standings: every tie-break value, and for the selected place the sentence that decided it."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Static

from hallnet.views import StandingRow, StandingsView
from kiosk.widgets.keyed_table import Column, KeyedTable
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
    name = f"{row.title} {row.name}".strip() + (" " + _("(withdrawn)") if row.withdrawn else "")
    out = []
    for column in wanted:
        if column.key.startswith("v "):
            value = row.values.get(column.key[2:], "")
            text = Text(f"{value:>{column.width}}", rich_style(theme, "text"))
        else:
            plain = {
                "rank": f"{row.rank:>4}",
                "name": cut(name, column.width),
                "rating": f"{rating_text(row.rating):>4}",
                "points": f"{row.points:>6}",
                "by": cut(row.decided_by, 8),
            }[column.key]
            text = Text(plain, rich_style(theme, "name" if column.key in ("rank", "points") else "text"))
        text.no_wrap = True
        out.append(text)
    return tuple(out)


class StandingsScreen(Screen[None]):
    """The standings, and below them why the selected player stands where he stands."""

    DEFAULT_CSS = """
    StandingsScreen { background: $hk-ground; color: $hk-text; }
    StandingsScreen > #title { height: 1; text-style: bold; color: $hk-name; }
    StandingsScreen > KeyedTable { height: 1fr; }
    StandingsScreen > #reason { height: 3; background: $hk-calm; color: $hk-on-calm; padding: 0 1; }
    StandingsScreen > #keys { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,s", "leave", show=False),
        Binding("f8", "app.next_theme", show=False),
    ]

    def __init__(self, standings: StandingsView) -> None:
        super().__init__()
        self.standings = standings

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield KeyedTable(id="places")
        yield Static(id="reason", markup=False)
        yield Static(" " + _("arrows: look at a place · F8 colours · Esc back"), id="keys", markup=False)

    def on_mount(self) -> None:
        """Fill the table."""
        self.show(self.standings)
        self.query_one(KeyedTable).focus()

    def on_resize(self) -> None:
        """Other widths, other columns."""
        self.show(self.standings)

    def action_leave(self) -> None:
        """Back to the boards."""
        self.dismiss(None)

    def show(self, standings: StandingsView, force: bool = True) -> None:
        """The newest standings, if they are newer than those shown."""
        if standings is self.standings and not force:
            return
        self.standings = standings
        wanted = columns(standings, self.app.size.width)
        codes = " ".join(standings.codes)
        self.query_one("#title", Static).update(
            " " + _("Standings after round {round} · tie-breaks: {codes}").format(round=standings.round, codes=codes)
        )
        table = self.query_one(KeyedTable)
        table.show(wanted, {str(row.tpn): cells(row, wanted, self.app.theme) for row in standings.rows})
        self._reason()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Another place was selected."""
        self._reason()

    def _reason(self) -> None:
        key = self.query_one(KeyedTable).selected
        row = next((r for r in self.standings.rows if str(r.tpn) == key), None)
        if row is None:
            self.query_one("#reason", Static).update(_("No standings yet."))
            return
        reason = row.reason or (_("decided by {code}").format(code=row.decided_by) if row.decided_by else "")
        missing = [code for code in self.standings.codes if code in row.values]
        values = "  ".join(f"{code} {row.values[code]}" for code in missing)
        text = f"{row.rank}. {row.name}: {row.points}" + (f" · {reason}" if reason else "") + f"\n{values}"
        self.query_one("#reason", Static).update(text)
