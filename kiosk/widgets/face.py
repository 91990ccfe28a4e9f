"""What both faces have in common: themes, the key for the next one, and words where a window is too small."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.containers import Container
from textual.events import Resize
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widgets import Static

from kiosk.notify import Heart, interval_s
from kiosk.widgets import palette
from kiosk.widgets.language import _

LEAST = (80, 24)


class WholeCells(ScrollBarRender):
    """Scroll bars of whole cells: console fonts lack the eighths of a block."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


ScrollBar.renderer = WholeCells


class TooSmall(Static):
    """Covers everything while the window is smaller than `LEAST`, and says so."""

    DEFAULT_CSS = """
    TooSmall {
        display: none; layer: top; width: 100%; height: 100%; content-align: center middle; text-align: center;
        background: $hk-ground; color: $hk-text;
    }
    """

    def say(self, width: int, height: int) -> None:
        """Write down the size there is and the size it takes."""
        self.update(
            _("This window has {width} × {height} characters.\nIt takes {least_width} × {least_height}.\n").format(
                width=width, height=height, least_width=LEAST[0], least_height=LEAST[1]
            )
            + _("Please enlarge it or choose a smaller font.\nThe clocks and the game go on.")
        )


class MainScreen(Screen[None]):
    """A face's own screen: its content in `#main`, and the notice for windows that are too small above it."""

    DEFAULT_CSS = """
    MainScreen { layers: base top; background: $hk-ground; color: $hk-text; }
    MainScreen.-small TooSmall { display: block; }
    MainScreen #main { layer: base; width: 100%; height: 100%; }
    """

    def compose(self) -> ComposeResult:
        with Container(id="main"):
            yield from self.content()
        yield TooSmall(markup=False)

    def content(self) -> ComposeResult:
        """The widgets of the face."""
        yield from ()

    def on_resize(self, event: Resize) -> None:
        """Say in words when the window is too small."""
        width, height = event.size
        small = width < LEAST[0] or height < LEAST[1]
        self.set_class(small, "-small")
        if small:
            self.query_one(TooSmall).say(width, height)


def first_theme(environment: Mapping[str, str]) -> str:
    """The theme a face begins with: the one that `HALLKIOSK_THEME` names, else what the terminal can show."""
    wanted = environment.get("HALLKIOSK_THEME", "")
    if wanted in palette.ALL:
        return wanted
    return "hall-16" if environment.get("TERM") == "linux" else "hall-dark"


class Face(App[None]):
    """Base of the faces."""

    ENABLE_COMMAND_PALETTE = False
    _mounted = False

    CSS = """
    Toast {
        background: $hk-calm; color: $hk-on-calm; border: none; padding: 0 1; width: 50;
        &.-warning, &.-error { background: $hk-stop; color: $hk-on-stop; }
        &.-warning .toast--title, &.-error .toast--title { color: $hk-on-stop; }
        & .toast--title { color: $hk-on-calm; text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        for theme in palette.themes():
            self.register_theme(theme)
        self.first_theme = first_theme(os.environ)
        self.theme = self.first_theme

    @property
    def painting(self) -> bool:
        """Are there screens to paint? Not before the main screen's widgets are there, nor while the face is closed:
        its screens go before its timers and its client do."""
        return self._mounted and bool(self.screen_stack)

    @painting.setter
    def painting(self, mounted: bool) -> None:
        self._mounted = mounted

    async def on_mount(self) -> None:
        """The loop that paints says that it lives, where a service manager wants to know."""
        heart = Heart(("face",))
        self.set_interval(interval_s() / 2, lambda: heart.report("face"))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return palette.variables("hall-dark")

    def repaint(self, force: bool = False) -> None:
        """Bring the screen up to the newest state; `force`: even what seems unchanged."""

    def watch_theme(self, theme: str) -> None:
        """Everything is painted anew in other colours."""
        if self.painting:
            self.call_after_refresh(self.repaint, True)

    def action_next_theme(self) -> None:
        """The next colour theme, and its name for a moment."""
        names = list(palette.PALETTES)
        if self.first_theme not in names:
            names.insert(0, self.first_theme)
        at = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(at + 1) % len(names)]
        self.notify(_("Colours: {name}").format(name=palette.title(self.theme)), timeout=2, markup=False)
