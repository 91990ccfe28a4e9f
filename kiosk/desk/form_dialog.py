"""The one form of the desk: lines made from field descriptions, and a refusal that loses nothing of what was typed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from kiosk.desk.dialogs import MARKS, Dialog
from kiosk.desk.fields import Choice, Field, NotUnderstood, Values, fitting, read
from kiosk.widgets.language import _
from kiosk.widgets.words import cut

#: Sends what is typed: None when it is done, else the sentence why not ("": the arbiter said no).
Send = Callable[[Values], Awaitable[str | None]]
#: People that are suggested for a part of a name.
SUGGESTED = 4


class ChoiceLine(Widget, can_focus=True):
    """One of a few answers: all are shown, the chosen one in brackets; its sign, the arrows or space choose."""

    DEFAULT_CSS = """
    ChoiceLine { height: auto; width: 1fr; background: $hk-surface; color: $hk-text; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right,space", "step(1)", show=False),
    ]

    class Done(Message):
        """Enter on the line."""

    class Chosen(Message):
        """Another answer was chosen."""

    def __init__(self, choices: Sequence[Choice], start: Any, id: str) -> None:
        super().__init__(id=id)
        self.choices = choices
        values = [choice.value for choice in choices]
        self.at = next((n for n, value in enumerate(values) if value == start and type(value) is type(start)), -1)

    @property
    def value(self) -> Any:
        """The chosen answer, None while there is none."""
        return self.choices[self.at].value if self.at >= 0 else None

    def _lines(self, width: int) -> list[list[tuple[int, str]]]:
        lines: list[list[tuple[int, str]]] = [[]]
        used = 0
        for n, choice in enumerate(self.choices):
            text = cut(f"{MARKS[n] if n < len(MARKS) else ' '} {choice.words}", max(4, width - 2))
            if used and used + cell_len(text) + 2 > width:
                lines.append([])
                used = 0
            lines[-1].append((n, text))
            used += cell_len(text) + 2
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        parts: list[str | tuple[str, str]] = []
        for line in self._lines(self.size.width):
            for n, text in line:
                if n != self.at:
                    parts.append(f" {text} ")
                else:
                    style = "bold $hk-on-cursor on $hk-cursor" if self.has_focus else "bold $hk-name"
                    parts.append((f"[{text}]", style))
            parts.append("\n")
        return Content.assemble(*parts).rstrip("\n")

    def action_step(self, by: int) -> None:
        """The next answer, or the one before."""
        self._choose((self.at + by) % len(self.choices) if self.at >= 0 or by > 0 else len(self.choices) - 1)

    def _choose(self, at: int) -> None:
        self.at = at
        self.refresh()
        self.post_message(self.Chosen())

    def on_focus(self) -> None:
        """The mark is painted anew."""
        self.refresh()

    def on_blur(self) -> None:
        """The mark is painted anew."""
        self.refresh()

    def on_key(self, event: Key) -> None:
        """A sign chooses; Enter goes on."""
        if event.key == "enter":
            event.stop()
            self.post_message(self.Done())
        elif event.character and event.character in MARKS[: len(self.choices)]:
            event.stop()
            self._choose(MARKS.index(event.character))


class FormDialog(Dialog[bool]):
    """Lines to fill in. Enter goes to the next line and on the last one is done; F2 is done anywhere, Esc gives up.

    What is sent may be refused: the sentence stands below and every line is as it was. `basis` is what the form is
    about; when it changes the form says so, and stays.
    """

    DEFAULT_CSS = """
    FormDialog {
        & .line { height: auto; margin-bottom: 0; }
        & .line > .label { width: 24; padding-right: 1; }
        & .line > .right { width: 1fr; height: auto; }
        & .line > .right > Input, & .line > .right > Input:focus { margin: 0; }
        & .line > .right > Input:focus { background: $hk-cursor; color: $hk-on-cursor; }
        & .line > .right > Input:focus > .input--cursor {
            background: $hk-on-cursor; color: $hk-cursor; text-style: none;
        }
        & .line > .right > Input:focus > .input--placeholder { color: $hk-on-cursor; }
        & .line > .right > Input:focus > .input--selection { background: $hk-calm; color: $hk-on-calm; }
        & .found { color: $hk-quiet; height: auto; }
        & #about { color: $hk-text; margin-bottom: 1; }
        & #changed { color: $hk-warn; height: auto; }
        & #changed, & #wrong { display: none; }
        & #changed.-said, & #wrong.-said { display: block; }
        & #lines { height: auto; scrollbar-size-vertical: 1; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "done", show=False, priority=True),
        Binding("up", "line(-1)", show=False),
        Binding("down", "line(1)", show=False),
    ]

    def __init__(
        self,
        title: str,
        about: str,
        fields: Sequence[Field],
        send: Send,
        basis: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(basis)
        self.heading = title
        self.about = about
        self.fields = fields
        self.send = send

    def compose(self) -> ComposeResult:
        keys = _("Enter: next line, on the last done · F2: done · Esc: give up")
        with self.box(self.heading, keys):
            if self.about:
                yield Static(self.about, id="about", markup=False)
            with VerticalScroll(id="lines", can_focus=False):
                for field in self.fields:
                    yield from self._line(field)
            yield Static("", id="changed", markup=False)
            yield Static("", id="wrong", classes="wrong", markup=False)

    def _line(self, field: Field) -> ComposeResult:
        with Horizontal(classes="line"):
            yield Static(field.label, classes="label", markup=False)
            with Vertical(classes="right"):
                if field.kind == "choice":
                    yield ChoiceLine(field.choices, field.start, f"f-{field.name}")
                else:
                    yield Input(value=str(field.start or ""), placeholder=field.hint, id=f"f-{field.name}")
                if field.kind in ("player", "players"):
                    yield Static("", id=f"found-{field.name}", classes="found", markup=False)

    def on_mount(self) -> None:
        """The first line that waits for an answer has the keyboard."""
        first = next((f for f in self.fields if f.needed and f.start in ("", None) and f.name != "why"), None)
        if first is not None:
            self._widget(first).focus()
        elif self.fields:
            self._widget(self.fields[0]).focus()
        for field in self.fields:
            if field.kind == "player":
                self._suggest(field)

    def on_resize(self) -> None:
        """A long form scrolls inside the window."""
        self._fit()

    def _fit(self) -> None:
        around = 2 + sum(self._height(name) for name in ("about", "changed", "wrong"))
        self.query_one("#lines").styles.max_height = max(3, self.app.size.height - around)

    def _height(self, name: str) -> int:
        try:
            widget = self.query_one(f"#{name}", Static)
        except NoMatches:
            return 0
        lines = str(widget.content).splitlines()
        width = max(10, min(76, self.app.size.width) - 4)
        return sum(1 + cell_len(line) // width for line in lines) + (name == "about")

    def _widget(self, field: Field) -> Widget:
        return self.query_one(f"#f-{field.name}")

    def _typed(self) -> dict[str, Any]:
        """What stands in the lines: texts, and the chosen values."""
        out: dict[str, Any] = {}
        for field in self.fields:
            widget = self._widget(field)
            out[field.name] = widget.value if isinstance(widget, ChoiceLine | Input) else None
        return out

    def changed(self) -> None:
        """What the form is about has changed: say so; what is typed stays."""
        self._say("changed", _("! This has changed since you began: look again before you send it."))

    def _say(self, where: str, text: str) -> None:
        static = self.query_one(f"#{where}", Static)
        static.update(text)
        static.set_class(bool(text), "-said")
        self._fit()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Who may be meant."""
        for field in self.fields:
            if field.kind == "player" and event.input.id == f"f-{field.name}":
                self._suggest(field)

    def _suggest(self, field: Field) -> None:
        text = str(self._typed()[field.name])
        known = field.known or {}
        found = fitting(known, text) if text.strip() else ()
        if text.strip().isdigit() and int(text) in known:
            found = (int(text),)
        names = [f"{tpn} {known[tpn]}" for tpn in found[:SUGGESTED]]
        more = [_("and {count} more").format(count=len(found) - SUGGESTED)] if len(found) > SUGGESTED else []
        said = " · ".join(names + more) if found else _("nobody") if text.strip() else ""
        self.query_one(f"#found-{field.name}", Static).update(said)

    def on_input_submitted(self) -> None:
        """Enter on a line."""
        self._next()

    def on_choice_line_done(self) -> None:
        """Enter on a choice."""
        self._next()

    def action_line(self, by: int) -> None:
        """To the line above or below."""
        at = self._at() + by
        if 0 <= at < len(self.fields):
            self._widget(self.fields[at]).focus()

    def _at(self) -> int:
        return next((n for n, field in enumerate(self.fields) if self.focused is self._widget(field)), 0)

    def _next(self) -> None:
        if self._at() < len(self.fields) - 1:
            self.action_line(1)
        else:
            self.action_done()

    def on_key(self, event: Key) -> None:
        """A form without lines is answered by Enter."""
        if not self.fields and event.key == "enter":
            event.stop()
            self.action_done()

    def action_done(self) -> None:
        """Read the lines, and send them."""
        if self.busy:
            return
        try:
            values = read(self.fields, self._typed())
        except NotUnderstood as why:
            self._say("wrong", f"! {why}")
            self.query_one(f"#f-{why.field}").focus()
            return
        self.busy = True
        self._say("wrong", _("asking the hub …"))
        self.app.run_worker(self._send(values))

    async def _send(self, values: Values) -> None:
        try:
            why = await self.send(values)
        finally:
            self.busy = False
        if not self.is_attached:
            return
        if why is None:
            self.dismiss(True)
        else:
            self._say("wrong", f"! {why}" if why else "")
            self.look()
