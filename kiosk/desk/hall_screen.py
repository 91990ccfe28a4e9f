"""The desk's main screen: the hall's head, open calls, all boards, the selected one in full where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import DataTable, Static

from hallnet.views import HallHead
from kiosk.desk import rows
from kiosk.desk.actions import bindings
from kiosk.desk.board_page import BoardPane
from kiosk.desk.list_page import keys_content, tabs
from kiosk.widgets.face import MainScreen
from kiosk.widgets.keyed_table import KeyedTable
from kiosk.widgets.language import _
from kiosk.widgets.words import cut

if TYPE_CHECKING:
    from kiosk.desk.app import DeskApp

#: From this width on the selected board stands beside the table.
WIDE = 150
PANE = 66


class HallScreen(MainScreen):
    """Layout and painting; what keys do is the app's business."""

    DEFAULT_CSS = """
    HallScreen {
        #tabs, #title, #second { height: 1; color: $hk-text; }
        #tabs { color: $hk-quiet; }
        #second { color: $hk-quiet; }
        #body { height: 1fr; }
        #left { width: 1fr; height: 1fr; }
        #calls {
            height: 4; border: round $hk-line; border-title-color: $hk-text; border-title-style: bold;
            border-title-background: $hk-ground; background: $hk-ground;
        }
        #calls.-open { border: heavy $hk-alarm; border-title-color: $hk-alarm; }
        #calls:ansi.-open { border: double $hk-alarm; }
        #boards { height: 1fr; }
        #side { width: 66; height: 1fr; display: none; }
        #step { height: 1; background: $hk-calm; color: $hk-on-calm; text-style: bold; }
        #step.-do { background: $hk-ask; color: $hk-on-ask; }
        #keys { height: 1; }
    }
    HallScreen.-wide #side { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        for binding in bindings("hall", own=("enter",)):
            if isinstance(binding, Binding):
                self._bindings.bind(binding.key, binding.action, show=False)

    @property
    def desk(self) -> DeskApp:
        """The app, which holds the state."""
        from kiosk.desk.app import DeskApp

        assert isinstance(self.app, DeskApp)
        return self.app

    def content(self) -> ComposeResult:
        self._said: dict[str, object] = {}
        yield Static(id="tabs", markup=False)
        yield Static(id="title", markup=False)
        yield Static(id="second", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield KeyedTable(id="calls", header=False)
                yield KeyedTable(id="boards")
            yield BoardPane(id="side", beside=False)
        yield Static(id="step", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """The boards have the keyboard."""
        self.boards.focus()
        self.desk.opened()

    @property
    def boards(self) -> KeyedTable:
        """The table of boards."""
        return self.query_one("#boards", KeyedTable)

    @property
    def calls(self) -> KeyedTable:
        """The table of open calls."""
        return self.query_one("#calls", KeyedTable)

    @property
    def wide(self) -> bool:
        """Whether the selected board stands beside the table."""
        return self.size.width >= WIDE

    def on_resize(self, event: Resize) -> None:
        """Columns, the calls' lines and the side pane follow the size; the size does not change with the data."""
        super().on_resize(event)
        width, height = event.size
        self.set_class(width >= WIDE, "-wide")
        self.query_one("#keys").styles.height = 2 if height >= 30 else 1
        self.calls.styles.height = 4 if height < 30 else 5 if height < 36 else 7
        self.query_one("#side", BoardPane).set_class(height >= 46, "-tall")
        self.call_after_refresh(self.repaint, True)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter on a call: its ruling; on a board: the board in full."""
        if event.data_table is self.calls:
            self.desk.rule_call()
        else:
            self.desk.action_do("open")

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Another board was selected."""
        if event.data_table is self.boards:
            self._paint_side(False)

    def _say(self, where: str, content: Content | str) -> None:
        if self._said.get(where) != content:
            self._said[where] = content
            self.query_one(f"#{where}", Static).update(content)

    def repaint(self, force: bool = False) -> None:
        """Bring everything up to the newest state."""
        if force:
            self._said.clear()
        desk = self.desk
        hall = desk.client.hall
        self._paint_head(hall.head if hall else None)
        left = self.size.width - (PANE if self.wide else 0)
        wanted = rows.columns(left)
        now, speed = desk.now(), desk.speed
        self.boards.show(
            wanted,
            {str(n): rows.cells(arrived, now, speed, wanted, desk.theme) for n, arrived in desk.arrived.items()},
        )
        self._paint_calls(left - 2)
        self._paint_side(force)
        self._say("tabs", tabs("hall", len(desk.calls), desk.freshness(), self.size.width))
        self._say("keys", keys_content(desk.key_lines(desk.context(), 2 if self.size.height >= 30 else 1)))

    def _paint_head(self, head: HallHead | None) -> None:
        desk = self.desk
        width = self.size.width
        if head is None:
            first, second, notice = _("Hall not found yet"), _("This desk connects by itself."), ""
        else:
            first = rows.title_line(head, desk.wall_now(), width - 2)
            second, notice = rows.second_line(head, width - 2)
        self._say("title", Content.assemble(" ", (first, "bold $hk-name")))
        parts: list[str | tuple[str, str]] = [" ", second]
        if notice:
            parts += ["  ", (notice, "bold $hk-warn")]
        self._say("second", Content.assemble(*parts))
        step = self.query_one("#step")
        step.set_class(bool(head and head.step.kind), "-do")
        if head is None:
            self._say("step", "")
        elif head.step.kind:
            self._say("step", " " + cut(_("n: {sentence}").format(sentence=head.step.sentence), width - 2))
        else:
            self._say("step", " " + cut(head.step.sentence, width - 2))

    def _paint_calls(self, width: int) -> None:
        desk = self.desk
        calls = desk.calls
        wanted = rows.call_columns(width)
        written = {}
        for call in sorted(calls, key=lambda c: c.since):
            arrived = desk.arrived.get(call.board)
            times = rows.clocks(arrived, desk.now(), desk.speed, desk.theme).plain if arrived else ""
            written[call.id] = rows.call_cells(call, desk.wall_now(), " ".join(times.split()), width, desk.theme)
        self.calls.show(wanted, written)
        self.calls.set_class(bool(calls), "-open")
        heading = rows.calls_title(len(calls))
        if self._said.get("calls") != heading:  # a title that is set is painted, the same one too
            self._said["calls"] = self.calls.border_title = heading
        if not calls and self.focused is self.calls:
            self.boards.focus()

    def _paint_side(self, force: bool) -> None:
        if self.wide:
            self.query_one("#side", BoardPane).show(self.desk.shown(self.boards.selected), force)
