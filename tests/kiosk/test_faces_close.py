"""A face that is being closed: its screens go first, and timers and views that still come find nothing to paint."""

from __future__ import annotations

import asyncio

import pytest

from kiosk.desk.app import DeskApp
from kiosk.screen.app import ScreenApp
from tests.kiosk import fakes, quick, states


async def players_screen() -> tuple[ScreenApp, fakes.FakeTable]:
    """The players' screen of a visitor, from its start to its end."""
    client = fakes.FakeTable(fakes.table(simulated=True))
    app = ScreenApp(client, visit=True, now=fakes.Clock())
    async with app.run_test() as pilot:
        await states.settle(pilot)
        assert app.painting
    return app, client


async def desk() -> tuple[DeskApp, fakes.FakeHall]:
    """The desk, from its start to its end."""
    client = states.hall_client(fakes.hall())
    app = DeskApp(client, open_screen=lambda table: ["true", table], now=fakes.Clock())
    async with app.run_test(notifications=True) as pilot:
        await states.settle(pilot)
        assert app.painting
    return app, client


@pytest.mark.parametrize("force", [False, True])
def test_ticks_and_views_that_come_late_paint_nothing(force: bool) -> None:
    async def story() -> None:
        screen, table = await players_screen()
        hall_desk, hall = await desk()
        for app in (screen, hall_desk):
            assert app.screen_stack == []
            assert not app.painting
            app.tick()
            app.repaint(force)
        asked = [*table.asked], [*hall.asked]
        table.change(phase="paused")
        hall.push(fakes.hall(phase="published"))
        assert (table.asked, hall.asked) == asked, "nobody is asked for what will not be shown"

    with quick.waiting():
        asyncio.run(story())
