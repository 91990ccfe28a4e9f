"""The parts of the players' screen: one panel for each side, and the list of moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from hallnet.views import MoveView
from kiosk.widgets.digits import big, size_for
from kiosk.widgets.language import _
from kiosk.widgets.words import cut
from rules.laws.events import Side

#: A finger is broader than a key's name: it may come down so many columns beside it, and so many lines above or below.
REACH = (4, 1)


@dataclass(frozen=True, slots=True)
class PanelState:
    """All that a side's panel shows; `keys` are (key, label) pairs, `prompt` has a colour role."""

    side: Side
    name: str = ""
    rating: str = ""
    clock: str = ""
    running: bool = False
    prompt: str = ""
    role: str = "text"
    keys: tuple[tuple[str, str], ...] = ()
    chair: bool = False
    asked: bool = False
    menu: bool = False


class PlayerPanel(Widget):
    """Name, rating, clock in big digits, what he is asked, and his keys."""

    DEFAULT_CSS = """
    PlayerPanel {
        width: 1fr; height: auto; border: round $hk-line; background: $hk-surface; color: $hk-text;
        border-title-color: $hk-name; border-title-style: bold; border-title-background: $hk-surface;
        border-subtitle-color: $hk-text; border-subtitle-background: $hk-surface;
    }
    PlayerPanel.-running { border: heavy $hk-turn; }
    PlayerPanel.-asked { border: heavy $hk-key; }
    PlayerPanel.-running:ansi { border: double $hk-turn; }
    PlayerPanel.-asked:ansi { border: double $hk-key; }
    """

    @dataclass
    class Tapped(Message):
        """A finger (or a mouse) has pressed and left one of the keys that the panel names."""

        side: Side
        key: str

    def __init__(self, side: Side, id: str) -> None:
        super().__init__(id=id)
        self.state = PanelState(side)
        self.digits = 5
        self.border_title = _("WHITE") if side == "white" else _("BLACK")
        if side == "black":
            self.styles.border_title_align = "right"

    def show(self, state: PanelState) -> None:
        """Show `state` if it differs from what is on the screen."""
        if state == self.state:
            return
        self.set_class(state.running, "-running")
        self.set_class(state.asked and not state.running, "-asked")
        if state.chair != self.state.chair:
            self.border_subtitle = _("you sit here") if state.chair else ""
        self.state = state
        self.refresh()

    def set_height(self, rows: int) -> None:
        """The panel's lines without its frame, from the screen's height."""
        self.digits = 9 if rows >= 40 else 7 if rows >= 29 else 5
        self.styles.height = self.digits + 5 + 2 * self._roomy(rows)

    @staticmethod
    def _roomy(rows: int) -> int:
        return 1 if rows >= 36 else 0

    def on_click(self, event: Click) -> None:
        """A tap on a key's name is the key; one on name or clock is none."""
        key = self.key_at(event.x - self.gutter.left, event.y - self.gutter.top)
        if key:
            self.post_message(self.Tapped(self.state.side, key))

    def key_at(self, column: int, line: int) -> str:
        """The key that a finger means there (counted inside the frame, from 0), or "": the nearest within `REACH`."""
        width, height = self.size
        space = height - 3 - self.digits
        top = 1 + self.digits + 2 * (space > 1)
        if not width or line < top:
            return ""
        _prompt, used, beside, rows = self._spread(width, self._lines(space))
        near = []
        for at, first, last, key in spots(rows, used, beside):
            away = (max(first - column, column - last, 0), abs(line - top - at))
            if away[0] <= REACH[0] and away[1] <= REACH[1]:
                near.append((away[1], away[0], key))
        return min(near)[2] if near else ""

    def render(self) -> Content:
        width, height = self.size
        if not width:
            return Content("")
        parts: list[str | tuple[str, str]] = [(self._name_line(width), "bold $hk-name"), "\n"]
        space = height - 3 - self.digits
        if space > 1:
            parts.append("\n")
        parts.extend(self._clock(width))
        if space > 1:
            parts.append("\n")
        parts.extend(self._words(width, self._lines(space)))
        return Content.assemble(*parts)

    @staticmethod
    def _lines(space: int) -> int:
        """How many lines prompt and keys have."""
        return max(2, space - (1 if space > 1 else 0))

    def _name_line(self, width: int) -> str:
        name, rating = self.state.name, self.state.rating
        room = width - 2 - (cell_len(rating) + 1 if rating else 0)
        name = cut(name, room)
        return f" {name}{' ' * (room - cell_len(name))}{' ' + rating if rating else ''} "

    def _clock(self, width: int) -> list[str | tuple[str, str]]:
        state = self.state
        text = _("FLAG") if state.clock == "FLAG" else state.clock
        tall = size_for(width, self.digits)
        if not all(sign in "0123456789:.-FLAG" for sign in text):
            # A translated word for FLAG has no picture: it is written plainly, in the middle of the clock's place.
            tall = 0
        role = "clock" if state.running else "idle"
        lines = big(text, tall, width) if tall and text else (text,)
        lines = ("",) * ((self.digits - len(lines)) // 2) + lines
        lines += ("",) * (self.digits - len(lines))
        left = max(0, (width - max(len(line) for line in lines)) // 2)
        return [(" " * left + line + "\n", f"bold $hk-{role}") for line in lines]

    def _spread(self, width: int, lines: int) -> tuple[str, int, bool, list[Keys]]:
        """The prompt and the columns it takes, whether the keys begin beside it, and their rows."""
        # What is less needed of the prompt (after the dot) gives way before a key's name is cut.
        for words in (self.state.prompt, self.state.prompt.partition(" · ")[0]):
            prompt = cut(words, width - 1)
            used = 1 + cell_len(prompt) if prompt else 0
            beside, rows = fitting(self.state.keys, width, lines, used, self.state.menu)
            if tuple(pair for row in rows for pair in row) == self.state.keys:
                break
        return prompt, used, beside, rows

    def _words(self, width: int, lines: int) -> list[str | tuple[str, str]]:
        """The prompt, then the keys, flowing over the lines there are."""
        prompt, used, beside, rows = self._spread(width, lines)
        parts: list[str | tuple[str, str]] = [" ", (prompt, f"bold $hk-{self.state.role}")] if prompt else []
        for number, row in enumerate(rows):
            if number or not beside:
                parts.append("\n")
            for at, (key, label) in enumerate(row):
                gap = "  " if at or (beside and not number and used) else " "
                parts += [gap, (key, "bold $hk-key"), f" {label}"]
        return parts


Keys = Sequence[tuple[str, str]]


def fitting(keys: Keys, width: int, lines: int, used: int, beside: bool) -> tuple[bool, list[Keys]]:
    """The keys in as many `lines` as there are, none lost: whether they begin beside the prompt, and the rows.

    The prompt takes `used` columns of the first line. If the keys (key, label) do not fit below it they begin beside
    it, as those of a menu do anyway (`beside`); if that is not enough either, the longest labels are cut.
    """
    rows: list[Keys] = []
    for most in range(max((cell_len(label) for _key, label in keys), default=0), -1, -1):
        short = [(key, cut(label, most)) for key, label in keys]
        for beside_now in (True,) if beside else (False, True):
            rows = _rows(short, width, used if beside_now else 0)
            if len(rows) + (not beside_now) <= lines:
                return beside_now, rows
    return True, rows


def _rows(keys: Keys, width: int, used: int) -> list[Keys]:
    """The keys in lines of `width` columns; the first line has `used` columns less, and may stay empty."""
    rows: list[list[tuple[str, str]]] = [[]]
    column = used
    for key, label in keys:
        size = cell_len(key) + 1 + cell_len(label)
        if column and column + 2 + size > width:
            rows.append([])
            column = 0
        rows[-1].append((key, label))
        column += (2 if column else 1) + size
    return list(rows)


def spots(rows: Sequence[Keys], used: int, beside: bool) -> Iterator[tuple[int, int, int, str]]:
    """Where keys are written that lie in `rows`: line (the prompt's is 0), first and last column, key."""
    for number, row in enumerate(rows):
        column = used if beside and not number else 0
        for key, label in row:
            column += 2 if column else 1
            size = cell_len(key) + 1 + cell_len(label)
            yield number + (not beside), column, column + size - 1, key
            column += size


class MoveList(Widget):
    """The last moves, the newest at the bottom, and below them what is known of the ending."""

    DEFAULT_CSS = "MoveList { width: 1fr; height: 1fr; background: $hk-ground; color: $hk-text; padding: 0 1; }"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.moves: Sequence[MoveView] = ()
        self.first = "white"
        self.notes: tuple[str, ...] = ()

    def show(self, moves: Sequence[MoveView], first: Side, notes: tuple[str, ...]) -> None:
        """Show these moves (`first` made the first of them) if they are not already shown."""
        if (len(moves), moves[-1:], first, notes) != (len(self.moves), self.moves[-1:], self.first, self.notes):
            self.moves, self.first, self.notes = moves, first, notes
            self.refresh()

    def render(self) -> Content:
        width, height = self.size
        if height < 1:
            return Content("")
        sans = [move.san for move in self.moves]
        if self.first == "black":
            sans.insert(0, "…")
        rows = [sans[at : at + 2] for at in range(0, len(sans), 2)]
        notes = self.notes[: max(0, height - 2)]
        room = max(1, height - len(notes) - (1 if notes else 0))
        start = max(0, len(rows) - room)
        parts: list[str | tuple[str, str]] = []
        for number, pair in enumerate(rows[start:], start + 1):
            last = number == len(rows)
            parts.append((f"{number:>3}. ", "$hk-quiet"))
            for at, san in enumerate(pair):
                newest = last and at == len(pair) - 1
                parts.append((f"{san:<10}", "bold $hk-name" if newest else "$hk-text"))
            parts.append("\n")
        if notes:
            parts.append("\n")
            parts += [(cut(note, width) + "\n", "$hk-quiet") for note in notes]
        return Content.assemble(*parts)
