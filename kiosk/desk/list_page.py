"""A page of the desk besides the hall: pages' names, a title, a table, lines about the selected row, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Static

from kiosk.desk.actions import action, bindings, page_names
from kiosk.desk.context import Context
from kiosk.desk.pages import PageSpec, table
from kiosk.widgets.keyed_table import KeyedTable
from kiosk.widgets.language import _, ngettext
from kiosk.widgets.words import cut

if TYPE_CHECKING:
    from kiosk.desk.app import DeskApp

Parts = list[str | tuple[str, str]]


def tabs(here: str, calls: int, fresh: tuple[str, bool], width: int) -> Content:
    """The pages with their digits, the one on the screen in brackets; open calls and freshness at the right."""
    parts: Parts = []
    used = 0
    said, wrong = fresh
    called = ngettext("! {n} call", "! {n} calls", calls).format(n=calls) if calls and here != "hall" else ""
    names = {name: f"{action(name).written} {words}" for name, words in page_names().items()}
    room = width - cell_len(said) - 2 - (cell_len(called) + 2 if called else 0)
    for name in reversed(names):
        # What is wrong, and who calls, must be seen: pages from the last on are their digits alone.
        if name != here and sum(cell_len(text) + 2 for text in names.values()) > room:
            names[name] = action(name).written
    for name, text in names.items():
        parts.append((f"[{text}]", "bold $hk-name") if name == here else f" {text} ")
        used += cell_len(text) + 2
    right: Parts = []
    if called:
        right.append((called + "  ", "bold $hk-alarm"))
        used += cell_len(called) + 2
    right.append((f" {said} ", "bold $hk-on-stop on $hk-stop" if wrong else "bold $hk-good"))
    gap = max(0, width - used - cell_len(said) - 2)
    return Content.assemble(*parts, " " * gap, *right)


def keys_content(lines: Sequence[Sequence[tuple[str, str]]]) -> Content:
    """The bottom lines."""
    parts: Parts = []
    for pairs in lines:
        for key, label in pairs:
            parts += [" ", (key, "bold $hk-key"), f" {label} "]
        parts.append("\n")
    return Content.assemble(*parts[:-1])


class ListPage(Screen[None]):
    """One page, made from its `PageSpec`."""

    DEFAULT_CSS = """
    ListPage {
        background: $hk-ground; color: $hk-text;
        & > #tabs { height: 1; color: $hk-quiet; }
        & > #title { height: 1; text-style: bold; color: $hk-name; }
        & > KeyedTable { height: 1fr; }
        & > #about { height: 3; background: $hk-surface; color: $hk-text; padding: 0 1; scrollbar-size-vertical: 1; }
        & > #about > Static { height: auto; }
        & > #step { height: 1; background: $hk-calm; color: $hk-on-calm; text-style: bold; }
        & > #step.-do { background: $hk-ask; color: $hk-on-ask; }
        & > #keys { height: 2; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, spec: PageSpec) -> None:
        super().__init__()
        self.spec = spec
        self._said: dict[str, object] = {}
        for binding in (*bindings(spec.name), *_OWN.get(spec.name, ())):
            if isinstance(binding, Binding):
                self._bindings.bind(binding.key, binding.action, show=False)

    @property
    def desk(self) -> DeskApp:
        """The app, which holds the state."""
        from kiosk.desk.app import DeskApp

        assert isinstance(self.app, DeskApp)
        return self.app

    @property
    def table(self) -> KeyedTable:
        """The page's table."""
        return self.query_one(KeyedTable)

    def compose(self) -> ComposeResult:
        yield Static(id="tabs", markup=False)
        yield Static(id="title", markup=False)
        yield KeyedTable(id="rows")
        with VerticalScroll(id="about", can_focus=False):
            yield Static(id="detail", markup=False)
        yield Static(id="step", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Fill the page; the table has the keyboard."""
        self.show(True)
        self.table.focus()

    def on_resize(self) -> None:
        """Other widths, other columns; more lines for the selected row where there is room."""
        self.query_one("#about").styles.height = 3 if self.size.height < 30 else 5 if self.size.height < 45 else 8
        self.show(True)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Another row was selected."""
        self.show()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        """Enter (or a click on the selected row)."""
        name = next((b.action for b in bindings(self.spec.name) if isinstance(b, Binding) and b.key == "enter"), "")
        if name:
            self.desk.action_do(name.split("'")[1])

    def action_about(self, lines: int) -> None:
        """Scroll what is said about the selected row."""
        self.query_one("#about", VerticalScroll).scroll_relative(y=lines, animate=False)

    def _say(self, where: str, content: Content | str) -> None:
        if self._said.get(where) != content:
            self._said[where] = content
            self.query_one(f"#{where}", Static).update(content)

    def show(self, force: bool = False) -> None:
        """Bring the page up to the newest state."""
        if not self.is_mounted:
            return
        if force:
            self._said.clear()
        desk, width = self.desk, self.app.size.width
        plain = desk.context(select=False)
        wanted, rows = table(self.spec, plain, width, self.app.theme)
        if wanted:
            self.table.show(wanted, rows)
        c = desk.context()
        self._say("tabs", tabs(self.spec.name, len(desk.calls), desk.freshness(), width))
        sign = "" if c.book.fide_mode or self.spec.name == "log" else _("! NOT FIDE · ")
        self._say("title", " " + cut(sign + self.spec.title(c), width - 2))
        self._say("detail", self.spec.detail(c) if rows else self.spec.empty or self.spec.detail(c))
        self._step(c, width)
        self._say("keys", keys_content(desk.key_lines(c, 2)))

    def _step(self, c: Context, width: int) -> None:
        step = self.query_one("#step")
        head = c.hall.head if c.hall else None
        step.set_class(bool(head and head.step.kind), "-do")
        sentence = head.step.sentence if head else ""
        if head and head.step.kind:
            sentence = _("n: {sentence}").format(sentence=sentence)
        self._say("step", " " + cut(sentence, width - 2))


#: Keys of a page that are no actions of the arbiter.
_OWN: dict[str, tuple[Binding, ...]] = {
    "round": (Binding("left", "app.other_round(-1)", show=False), Binding("right", "app.other_round(1)", show=False)),
}
