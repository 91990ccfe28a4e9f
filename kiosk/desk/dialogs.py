"""The desk's dialogs. Each is left with a typed value, or None for "nothing was decided"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Item

from kiosk.desk.rulings import NoTime, Option, Ruling, read_time
from kiosk.widgets.language import _
from kiosk.widgets.words import cut

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A box in the middle; Esc leaves it without a decision."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle; background: $hk-ground 60%;
        & > #box {
            width: 76; max-width: 100%; height: auto; max-height: 100%; background: $hk-surface; color: $hk-text;
            border: heavy $hk-key; border-title-color: $hk-name; border-title-style: bold; padding: 0 1;
            border-subtitle-color: $hk-text;
        }
        .wrong { color: $hk-alarm; text-style: bold; height: auto; }
        .label { color: $hk-quiet; height: auto; }
        Input, Input:focus {
            background: $hk-calm; color: $hk-on-calm; border: none; height: 1; padding: 0 1; margin: 0 0 1 0;
            & > .input--placeholder { color: $hk-on-calm; text-style: italic; }
            & > .input--cursor { background: $hk-cursor; color: $hk-on-cursor; text-style: none; }
        }
        #why { margin-top: 1; }
        OptionList, OptionList:focus {
            background: $hk-surface; color: $hk-text; border: none; padding: 0; height: auto; max-height: 14;
            & > .option-list--option-highlighted { background: $hk-cursor; color: $hk-on-cursor; text-style: bold; }
            &:focus > .option-list--option-highlighted { background: $hk-cursor; color: $hk-on-cursor; }
        }
    }
    Dialog:ansi { background: ansi_black; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def action_back(self) -> None:
        """Leave without a decision."""
        self.dismiss(None)

    def box(self, title: str, keys: str) -> Vertical:
        """The frame with its title and, below, the keys that work in it."""
        box = Vertical(id="box")
        box.border_title, box.border_subtitle = title, keys
        return box


class Ask(Dialog[bool]):
    """Do it? Enter or the same key again: yes. Esc: no."""

    def __init__(self, sentence: str, again: str) -> None:
        super().__init__()
        self.sentence = sentence
        self.again = again

    def compose(self) -> ComposeResult:
        with self.box(_("Please confirm"), _("Enter or {key}: yes · Esc: no").format(key=self.again)):
            yield Static(self.sentence, markup=False)

    def on_key(self, event: Key) -> None:
        """The second step. The key ends here: it must not reach what lies below once this dialog is gone."""
        if event.key in ("enter", self.again):
            event.stop()
            self.dismiss(True)


class RulingDialog(Dialog[Ruling]):
    """Choose a ruling, give the reason."""

    def __init__(self, title: str, about: str, choices: Sequence[Option], why_needed: bool) -> None:
        super().__init__()
        self.heading = title
        self.about = about
        self.choices = choices
        self.why_needed = why_needed
        self.chosen: Ruling | None = None

    def compose(self) -> ComposeResult:
        with self.box(self.heading, _("Enter: choose, then reason, then Enter · Esc: no ruling")):
            if self.about:
                yield Static(self.about, markup=False, classes="label")
            yield OptionList(
                *(
                    Item(Content(f"{n}  {o.words}" if n < 10 else f"   {o.words}"))
                    for n, o in enumerate(self.choices, 1)
                )
            )
            yield Input(placeholder=_("reason (goes into the log)"), id="why")
            yield Static("", id="wrong", classes="wrong", markup=False)

    def on_key(self, event: Key) -> None:
        """A digit chooses without the arrows."""
        number = int(event.character) if event.character and event.character.isdigit() else 0
        listed = self.query_one(OptionList)
        if self.focused is listed and 0 < number <= len(self.choices):
            event.stop()
            listed.highlighted = number - 1
            self._choose(number - 1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Chosen; now the reason."""
        self._choose(event.option_index)

    def _choose(self, index: int) -> None:
        self.chosen = self.choices[index].ruling
        self.query_one("#wrong", Static).update("")
        line = self.query_one("#why", Input)
        line.placeholder = _("{words}: reason, then Enter").format(words=self.choices[index].words)
        line.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The second step: the ruling with its reason."""
        if self.chosen is None:
            self.query_one(OptionList).focus()
            return
        why = event.value.strip()
        if not why and self.why_needed:
            self.query_one("#wrong", Static).update(_("! Please write a reason: it stands in the log."))
            return
        self.dismiss(replace(self.chosen, why=why))


@dataclass(frozen=True, slots=True)
class Times:
    """Both clocks (ms), as set by the arbiter, and why."""

    white_ms: int
    black_ms: int
    why: str


class Form(Dialog[T]):
    """A few lines to fill in; `make` turns the texts into the value or raises `ValueError` with a sentence."""

    def __init__(self, title: str, lines: Sequence[tuple[str, str]], make: Callable[[Sequence[str]], T]) -> None:
        super().__init__()
        self.heading = title
        self.lines = lines
        self.make = make

    def compose(self) -> ComposeResult:
        with self.box(self.heading, _("Tab: next line · Enter: done · Esc: nothing is changed")):
            for label, value in self.lines:
                yield Static(label, classes="label", markup=False)
                yield Input(value=value)
            yield Static("", id="wrong", classes="wrong", markup=False)

    def on_input_submitted(self) -> None:
        """Enter on any line but the last goes on to the next; on the last it is done."""
        inputs = list(self.query(Input))
        if self.focused is not inputs[-1]:
            self.focus_next(Input)
            return
        try:
            self.dismiss(self.make([line.value for line in inputs]))
        except ValueError as why:
            self.query_one("#wrong", Static).update(f"! {why}")


def times_form(title: str, white: str, black: str) -> Form[Times]:
    """Set both clocks of a board."""

    def make(texts: Sequence[str]) -> Times:
        why = texts[2].strip()
        if not why:
            raise NoTime(_("Please write a reason: it stands in the log."))
        return Times(read_time(texts[0]), read_time(texts[1]), why)

    lines = ((_("White's clock, h:mm:ss"), white), (_("Black's clock, h:mm:ss"), black), (_("reason"), ""))
    return Form(title, lines, make)


@dataclass(frozen=True, slots=True)
class Adjourned:
    """A game goes on later: what is written on the envelope, and why it was adjourned."""

    envelope: str
    why: str


def adjourn_form(title: str) -> Form[Adjourned]:
    """The player on move has sealed."""
    lines = ((_("written on the envelope"), ""), (_("reason"), ""))
    return Form(title, lines, lambda texts: Adjourned(texts[0].strip(), texts[1].strip()))


def envelope_form(title: str) -> Form[str]:
    """The sealed move, "" when none was sealed."""
    lines = ((_("sealed move, such as Nf3; nothing if none was sealed"), ""),)
    return Form(title, lines, lambda texts: texts[0].strip())


class Find(Dialog[str]):
    """Type a part of a name or a number; Enter takes the marked one. The value is the key of what was found."""

    def __init__(self, title: str, known: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.heading = title
        self.known = known

    def compose(self) -> ComposeResult:
        with self.box(self.heading, _("Up, down, Enter: go there · Esc: back")):
            yield Input(placeholder=_("name or number"))
            yield OptionList()

    def on_mount(self) -> None:
        """All are listed at first."""
        self._fill("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what fits."""
        self._fill(event.value)

    def _fill(self, text: str) -> None:
        words = text.casefold().split()
        fitting = [(key, line) for key, line in self.known if all(word in line.casefold() for word in words)]
        fitting.sort(key=lambda found: found[0] != text.strip())
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(Item(Content(cut(line, 70)), id=key) for key, line in fitting[:60])
        if fitting:
            listed.highlighted = 0

    def on_key(self, event: Key) -> None:
        """The arrows move the mark while the typing goes on."""
        if event.key in ("down", "up"):
            event.stop()
            listed = self.query_one(OptionList)
            listed.action_cursor_down() if event.key == "down" else listed.action_cursor_up()

    def on_input_submitted(self) -> None:
        """Take the marked one."""
        listed = self.query_one(OptionList)
        if listed.highlighted is not None and listed.option_count:
            self.dismiss(listed.get_option_at_index(listed.highlighted).id)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Taken with the mouse."""
        self.dismiss(event.option.id)


class Page(Dialog[None]):
    """A text to read, with its keys."""

    DEFAULT_CSS = "Page VerticalScroll { height: auto; }"

    def __init__(self, title: str, text: Content | str) -> None:
        super().__init__()
        self.heading = title
        self.text = text

    def compose(self) -> ComposeResult:
        with self.box(self.heading, _("arrows: scroll · Esc: back")), VerticalScroll():
            yield Static(self.text, markup=False)

    def on_resize(self) -> None:
        """A long text scrolls inside the window."""
        self.query_one(VerticalScroll).styles.max_height = max(3, self.app.size.height - 4)

    def on_key(self, event: Key) -> None:
        """Enter and q leave, too."""
        if event.key in ("enter", "q"):
            event.stop()
            self.dismiss(None)
