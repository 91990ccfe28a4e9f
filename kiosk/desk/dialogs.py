"""The desk's dialogs. Each is left with a typed value, or None for "nothing was decided"."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option as Item

from kiosk.desk.rulings import Option, Ruling
from kiosk.widgets.language import _
from kiosk.widgets.words import cut

T = TypeVar("T")
#: The keys of choices, one each.
MARKS = "123456789abcdefghijklmnopqrstuvwxyz"


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

    def __init__(self, basis: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._basis = basis
        self._began = basis()
        self.stale = False
        self.busy = False

    def look(self) -> None:
        """Something in the hall has changed: was it what this is about? Not while its own answer is under way."""
        if not self.busy and not self.stale and self._basis() != self._began:
            self.stale = True
            self.changed()

    def changed(self) -> None:
        """What this is about has changed: by itself nothing is to be confirmed any more."""
        self.app.notify(_("What this asked about has changed: look again."), timeout=6, markup=False)
        self.dismiss(None)

    def action_back(self) -> None:
        """Leave without a decision."""
        self.dismiss(None)

    def box(self, title: str, keys: str) -> Vertical:
        """The frame with its title and, below, the keys that work in it."""
        box = Vertical(id="box")
        box.border_title, box.border_subtitle = title, keys
        return box


class Ask(Dialog[bool]):
    """Do it? Enter or the same key again: yes. Esc: no. It closes by itself when `basis` has changed."""

    def __init__(self, sentence: str, again: str = "", basis: Callable[[], object] = lambda: None) -> None:
        super().__init__(basis)
        self.sentence = sentence
        self.again = again

    def compose(self) -> ComposeResult:
        both = _("Enter or {key}: yes · Esc: no").format(key=self.again)
        with self.box(_("Please confirm"), both if self.again else _("Enter: yes · Esc: no")):
            yield Static(self.sentence, markup=False)

    def on_key(self, event: Key) -> None:
        """The second step. The key ends here: it must not reach what lies below once this dialog is gone."""
        if event.key in ("enter", self.again):
            event.stop()
            self.dismiss(True)


class Warned(Dialog[bool]):
    """What speaks against an intent, by its level: 2 is acknowledged, 3 takes y, 4 a typed word and Enter.

    Whatever else is pressed is no; it cannot be switched off.
    """

    DEFAULT_CSS = "Warned VerticalScroll { height: auto; }"

    def __init__(self, level: int, warnings: Sequence[tuple[str, str]], question: str, more: str, word: str) -> None:
        super().__init__()
        self.level = level
        self.warnings = warnings
        self.question = question
        self.more = more
        self.word = word

    def compose(self) -> ComposeResult:
        titles = {2: _("Please note"), 3: _("Warning")}
        keys = {
            2: _("Enter: go on · Esc: no"),
            3: _("y: go on all the same · Enter, Esc: no"),
        }
        typed = _("type “{word}” and Enter · Esc: no").format(word=self.word)
        with self.box(titles.get(self.level, _("Serious warning")), keys.get(self.level, typed)):
            with VerticalScroll(can_focus=False):
                for words, article in self.warnings:
                    yield Static(f"! {words} ({article})" if article else f"! {words}", markup=False)
                if self.more:
                    yield Static("\n" + self.more, markup=False, classes="label")
            yield Static("\n" + self.question, markup=False, classes="wrong")
            if self.level >= 4:
                yield Input(placeholder=self.word)
                yield Static("", id="wrong", classes="wrong", markup=False)

    def on_resize(self) -> None:
        """A long list scrolls inside the window."""
        self.query_one(VerticalScroll).styles.max_height = max(3, self.app.size.height - 9)

    def on_key(self, event: Key) -> None:
        """The answer, by the level."""
        if self.level >= 4 or event.key not in ("enter", "y", "up", "down"):
            return
        event.stop()
        if event.key in ("up", "down"):
            self.query_one(VerticalScroll).scroll_relative(y=1 if event.key == "down" else -1, animate=False)
            return
        self.dismiss(event.key == "y" or self.level == 2)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """The typed word is the second step."""
        if event.value.strip().casefold() == self.word.casefold():
            self.dismiss(True)
        else:
            self.query_one("#wrong", Static).update(_("! Type “{word}”, or leave with Esc.").format(word=self.word))


class RulingDialog(Dialog[Ruling]):
    """Choose a ruling, give the reason. `send` carries it out: None when done, else why not, and nothing is lost."""

    def __init__(
        self,
        title: str,
        about: str,
        choices: Sequence[Option],
        why_needed: bool,
        send: Callable[[Ruling], Awaitable[str | None]],
        basis: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(basis)
        self.send = send
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
                    Item(Content(f"{MARKS[n]}  {option.words}" if n < len(MARKS) else f"   {option.words}"))
                    for n, option in enumerate(self.choices)
                )
            )
            yield Input(placeholder=_("reason (goes into the log)"), id="why")
            yield Static("", id="wrong", classes="wrong", markup=False)

    def on_key(self, event: Key) -> None:
        """Its sign chooses without the arrows."""
        at = MARKS.find(event.character) if event.character else -1
        listed = self.query_one(OptionList)
        if self.focused is listed and 0 <= at < len(self.choices):
            event.stop()
            listed.highlighted = at
            self._choose(at)

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
        if self.chosen is None or self.busy:
            self.query_one(OptionList).focus()
            return
        why = event.value.strip()
        if not why and self.why_needed:
            self.query_one("#wrong", Static).update(_("! Please write a reason: it stands in the log."))
            return
        self.busy = True
        self.app.run_worker(self._send(replace(self.chosen, why=why)))

    async def _send(self, ruling: Ruling) -> None:
        try:
            why = await self.send(ruling)
        finally:
            self.busy = False
        if not self.is_attached:
            return
        if why is None:
            self.dismiss(ruling)
        else:
            self.query_one("#wrong", Static).update(f"! {why}" if why else "")
            self.look()


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
