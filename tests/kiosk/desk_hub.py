"""The desk at a real hub in memory: what its keys ask for is decided by the hub's core, with tables that play."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from hallnet import wire
from hallnet.views import HallSnapshot
from kiosk.desk.app import DeskApp
from kiosk.desk.list_page import ListPage
from tests.kiosk import pictures, quick, states
from tests.kiosk.hub_hall import Hall

#: Questions: what is asked without wanting anything.
LOOKS = frozenset(
    {"game", "draft", "book", "sheet", "office", "correction", "prizes", "standings", "snapshot", "health", "keys"}
)


class HubPort:
    """A desk's client without a wire: every intent goes through the core, and the hall it gives is pushed."""

    def __init__(self, hall: Hall) -> None:
        self.real = hall
        self.hall: HallSnapshot | None = hall.view
        self.connected = True
        self.done: list[str] = []
        self.refused: list[tuple[str, str]] = []
        self._callbacks: list[Callable[[HallSnapshot], None]] = []

    def age_ms(self, now: int) -> int:
        return 0

    def on_change(self, callback: Callable[[HallSnapshot], None]) -> None:
        self._callbacks.append(callback)

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def intend(self, kind: str, /, **d: Any) -> wire.DeskOut:
        out = self.real.do(kind, **d)
        if kind not in LOOKS:
            if out.ok:
                self.done.append(kind)
            else:
                self.refused.append((kind, out.why))
            self.push()
        return out

    def push(self) -> None:
        """The hall as it is now comes to the desk."""
        self.real.settle()
        self.hall = self.real.view
        for callback in self._callbacks:
            callback(self.hall)


class Desk:
    """An arbiter at the desk, in the words of a story."""

    def __init__(self, pilot: Pilot[Any], app: DeskApp, hub: HubPort) -> None:
        self.pilot = pilot
        self.app = app
        self.hub = hub

    async def press(self, *keys: str) -> None:
        """Keys, each by its name."""
        await self.pilot.press(*keys)
        await states.settle(self.pilot)

    async def write(self, text: str) -> None:
        """A text into the line that has the keyboard, at once; single keys are tried where a story is about them."""
        assert self.app.focused is not None
        self.app.focused.post_message(Paste(text))
        await states.settle(self.pilot)

    async def fill(self, *lines: str) -> None:
        """Lines of a form, one after the other, each ended by Enter; one sign chooses in a choice."""
        for line in lines:
            focused = self.app.focused
            if isinstance(focused, Input):
                # Typed at once; single keys are tried out where a story is about them.
                focused.value = line or focused.value
                await self.pilot.press("enter")
            else:
                await self.pilot.press(*line, "enter")
        await states.settle(self.pilot)

    async def does(self, kind: str, *keys: str, **more: tuple[str, ...]) -> None:
        """Press keys, fill lines if there are any, confirm what is asked; the hub must have done this in the end."""
        before = len(self.hub.done)
        await self.press(*keys)
        await self.fill(*more.get("fill", ()))
        await self.press(*more.get("then", ()))
        assert kind in self.hub.done[before:], f"{kind}: {self.hub.refused[-1:]}\n{states_text(self.app)}"
        assert isinstance(self.app.screen, type(self.app.page)), f"{kind}: a dialog is left"

    @property
    def shown(self) -> str:
        """What is on the screen, as one line without frames."""
        return " ".join("".join(" " if sign in "┃━" else sign for sign in states_text(self.app)).split())

    async def select(self, key: str) -> None:
        """The cursor of the page goes to a row."""
        page = self.app.page
        (page.table if isinstance(page, ListPage) else self.app.main.boards).select(key)
        await states.settle(self.pilot)


def states_text(app: DeskApp) -> str:
    """What is on the screen."""
    return pictures.text(app)


Story = Callable[[Desk, Hall], Awaitable[None]]


def at_the_desk(tmp_path: Path, story: Story, players: int = 6, tables: int = 4) -> HubPort:
    """Run a story at a desk of 80×24 and a hub with so many tables and players."""
    hall = Hall(tmp_path, tables=tables, players=players)
    hall.connect()
    port = HubPort(hall)

    async def run() -> None:
        app = DeskApp(port, now=lambda: hall.at)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await states.settle(pilot)
            await story(Desk(pilot, app, port), hall)

    with quick.waiting():
        asyncio.run(run())
    return port
