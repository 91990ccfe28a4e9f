"""A table whose panel is touched: two players sign in, begin, resign and confirm with one finger on the glass.

The finger is a pointer of the virtual machine that says where on the whole panel it is, as a touched panel does. Where
it must go, the players' screen itself says: it is drawn here once more, from the view that the table gives its faces.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hallnet.views import TableView
from kiosk.screen.app import TAP_MS, ScreenApp
from kiosk.screen.panels import PlayerPanel
from rules.laws.events import Side
from tests.image.conftest import TABLE, photograph, until
from tests.image.machine import Card, Machine
from tests.image.one_machine import PYTHON, hub_beside, view_of
from tests.kiosk import fakes, pictures, states

SETTINGS = f'{TABLE}board = "simulated"\n\n[screen]\ntouch = true\n'
PANEL = (1024, 600)
#: QEMU's measure of a panel's whole width or height.
WHOLE = 0x7FFF


@dataclass(frozen=True, slots=True)
class Finger:
    """Presses keys that the panel of `machine` shows, in a terminal of so many columns and lines."""

    machine: Machine
    size: tuple[int, int]

    def tap(self, side: Side, words: str, view: TableView, menu: str = "") -> None:
        """Come down in the middle of these words of a side's panel, and leave; `menu`: the key that has opened one."""
        spot = asyncio.run(_place(view, self.size, side, words, menu))
        values = []
        for at, cells, pixels in zip(spot, self.size, PANEL, strict=True):
            cell = pixels // cells
            pixel = (pixels - cells * cell) // 2 + at * cell + cell // 2
            values.append(pixel * WHOLE // pixels)
        self._say(*({"type": "abs", "data": {"axis": axis, "value": v}} for axis, v in zip("xy", values, strict=True)))
        for down in (True, False):
            time.sleep(0.3)
            self._say({"type": "btn", "data": {"button": "left", "down": down}})

    def _say(self, *events: object) -> None:
        self.machine.ask("input-send-event", events=list(events))


async def _place(view: TableView, size: tuple[int, int], side: Side, words: str, menu: str) -> tuple[int, int]:
    """Column and line, from 0, of the middle of these words on a screen that shows the view."""
    clock = fakes.Clock()
    clock.ms = view.boot_ms
    app = ScreenApp(fakes.FakeTable(view, seen_ms=view.boot_ms), now=clock)
    async with app.run_test(size=size) as pilot:
        await states.settle(pilot)
        if menu:
            await pilot.press(menu)
            await states.settle(pilot)
        place = app.screen.query_one(f"#{side}", PlayerPanel).region
        rows = pictures.text(app).split("\n")
        found = [(rows[y].find(words, place.x, place.right), y) for y in range(place.y, place.bottom)]
        [(x, y)] = [spot for spot in found if spot[0] >= 0]
    return x + len(words) // 2, y


@pytest.fixture(scope="module")
def touched(image: Path, arch: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A table with a panel that is touched, beside a hub that has let it in."""
    if "touch" not in image.name:
        pytest.skip("no terminal for a touched panel in this image: make image TOUCH=yes")
    card = Card(image, tmp_path_factory.mktemp("touch"), SETTINGS, arch)
    with card.on(panel=PANEL, memory=768, extra=("-device", "usb-tablet")) as machine:
        machine.shell(900)
        hub_beside(machine)
        yield machine


@pytest.fixture(scope="module")
def finger(touched: Machine) -> Finger:
    """A finger for the panel, once the players' screen is on it."""
    until(touched, "systemctl is-active hall-touch.service | sed s/^/=/", "=active")
    # The socket, and its end of the first face's line.
    until(touched, "echo =$(grep -c table-1.sock /proc/net/unix)", "=2")
    lines, columns = touched.run("stty size </dev/pts/0").split()
    return Finger(touched, (int(columns), int(lines)))


def shows(touched: Machine, wanted: Callable[[TableView], bool], seconds: float = 120) -> TableView:
    """Wait until the table shows what is wanted."""
    end = time.monotonic() + seconds
    while not wanted(view := view_of(touched)):
        assert time.monotonic() < end, f"at last the table showed {view}"
        time.sleep(1)
    return view


def test_the_face_is_on_the_panel_and_nowhere_else(touched: Machine, finger: Finger) -> None:
    until(touched, "systemctl is-system-running || true", "running")
    assert touched.run("systemctl --failed --no-legend --plain") == ""
    assert touched.run("systemctl is-active hall-screen.service", fails=True) == "inactive"
    assert touched.run("systemctl show -P NRestarts hall-touch.service seatd.service").split() == ["0", "0"]
    columns, lines = finger.size
    assert columns >= 80, "what the players' screen takes"
    assert lines >= 24
    assert PANEL[1] // lines >= 24, "letters as large as there is room: fingers are broad"


def test_an_evening_with_one_finger(touched: Machine, finger: Finger) -> None:
    touched.run(f"{PYTHON} /run/hub/arbiter.py >/run/arbiter.out 2>&1 & true")
    view = shows(touched, lambda view: view.phase == "assigned")
    photograph(touched, "touch-sign-in")
    time.sleep(2 * TAP_MS / 1000)
    finger.tap("white", "q I am here", view)
    view = shows(touched, lambda view: "white" in view.seated)
    assert "black" not in view.seated
    finger.tap("black", "p I am here", view)
    view = shows(touched, lambda view: "black" in view.seated)
    finger.tap("black", "p ready", view)
    view = shows(touched, lambda view: "black" in view.ready)
    finger.tap("white", "q ready", view)
    until(touched, "cat /run/arbiter.out", "ROUND RUNS")
    view = shows(touched, lambda view: view.phase == "playing")
    photograph(touched, "touch-playing")
    finger.tap("white", "z resign", view)
    time.sleep(3 * TAP_MS / 1000)
    photograph(touched, "touch-resign")
    finger.tap("white", "q resign", view, menu="z")
    view = shows(touched, lambda view: view.phase == "ended")
    assert view.ended_by == "resignation"
    finger.tap("black", "p right", view)
    view = shows(touched, lambda view: view.confirmed == ("black",))
    finger.tap("white", "q right", view)
    shows(touched, lambda view: view.phase in ("confirmed", "idle"))
    photograph(touched, "touch-confirmed")
