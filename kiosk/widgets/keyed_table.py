"""A data table whose rows have names: refreshed cell by cell, its cursor stays on the same thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.widgets import DataTable


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name in the code, its heading, its width in cells without padding."""

    key: str
    title: str
    width: int


class KeyedTable(DataTable[Text]):
    """Rows by key. `show` changes only the cells whose text or style differs from what is there."""

    DEFAULT_CSS = """
    KeyedTable {
        background: $hk-ground; color: $hk-text; scrollbar-size-horizontal: 0; overflow-x: hidden;
        scrollbar-background: $hk-ground; scrollbar-color: $hk-line; scrollbar-color-hover: $hk-key;
        scrollbar-color-active: $hk-key; scrollbar-background-hover: $hk-ground;
        scrollbar-background-active: $hk-ground;
        &:focus { background-tint: $hk-ground 0%; }
        & > .datatable--header { background: $hk-surface; color: $hk-quiet; text-style: bold; }
        & > .datatable--cursor { background: $hk-calm; color: $hk-on-calm; text-style: bold; }
        &:focus > .datatable--cursor { background: $hk-cursor; color: $hk-on-cursor; text-style: bold; }
        & > .datatable--hover { background: $hk-surface; }
        &:ansi > .datatable--header, &:ansi > .datatable--hover { background: $hk-ground; color: $hk-text; }
        & > .datatable--even-row, & > .datatable--odd-row { background: $hk-ground; }
    }
    """

    def __init__(self, id: str, header: bool = True) -> None:
        super().__init__(id=id, show_header=header, cursor_type="row", cursor_foreground_priority="css")
        self._columns: tuple[Column, ...] = ()
        self._cells: dict[str, tuple[Text, ...]] = {}

    @property
    def selected(self) -> str | None:
        """The key of the row under the cursor."""
        if not self._cells or not self.is_valid_row_index(self.cursor_row):
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value

    def lines(self) -> Sequence[tuple[str, tuple[Text, ...]]]:
        """(key, cells) of all rows, in order."""
        return tuple(self._cells.items())

    def select(self, key: str) -> None:
        """Put the cursor on the row `key`, if it is there."""
        if key in self._cells:
            self.move_cursor(row=self.get_row_index(key))

    def show(self, columns: Sequence[Column], rows: Mapping[str, tuple[Text, ...]]) -> None:
        """Show these rows in this order; cells are given in the order of `columns`."""
        if tuple(columns) == self._columns and list(rows) == list(self._cells):
            self._update(rows)
            return
        keep, scroll = self.selected, self.scroll_y
        self.clear(columns=True)
        for column in columns:
            self.add_column(column.title, width=column.width, key=column.key)
        for key, cells in rows.items():
            self.add_row(*cells, key=key)
        self._columns, self._cells = tuple(columns), dict(rows)
        if keep is not None and keep in rows:
            self.move_cursor(row=self.get_row_index(keep), scroll=False)
            self.scroll_to(y=scroll, animate=False)

    def _update(self, rows: Mapping[str, tuple[Text, ...]]) -> None:
        for key, cells in rows.items():
            before = self._cells[key]
            for column, old, new in zip(self._columns, before, cells, strict=True):
                if old.plain != new.plain or old.style != new.style or old.spans != new.spans:
                    self.update_cell(key, column.key, new)
            self._cells[key] = cells
