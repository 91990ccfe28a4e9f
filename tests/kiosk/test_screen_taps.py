"""The players' screen on a panel that is touched: which key a finger means, and when it means none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.pilot import Pilot

from kiosk.screen.app import TAP_MS, ScreenApp
from kiosk.screen.panels import REACH, PlayerPanel
from rules.laws.events import Side
from tests.kiosk import fakes, pictures, states
from tests.kiosk.test_screen_app import play


def where(app: ScreenApp, side: Side, words: str) -> tuple[int, int]:
    """Column and row of the first letter of these words in a side's panel, where they must be once."""
    place = app.screen.query_one(f"#{side}", PlayerPanel).region
    rows = pictures.text(app).split("\n")
    found = [(rows[y].find(words, place.x, place.right), y) for y in range(place.y, place.bottom)]
    [(column, row)] = [spot for spot in found if spot[0] >= 0]
    return column, row


async def tap(pilot: Pilot[Any], side: Side, words: str, column: int = 0, line: int = 0) -> None:
    """A finger comes down on the first letter of these words, or so many columns and lines from it."""
    assert isinstance(pilot.app, ScreenApp)
    x, y = where(pilot.app, side, words)
    await pilot.click(offset=(x + column, y + line))
    await states.settle(pilot)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (128, 37)])
def test_both_players_sign_in_with_a_finger(size: tuple[int, int]) -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        await tap(pilot, "white", "q I am here", column=4)
        await tap(pilot, "black", "p I am here", column=-1, line=1)
        assert table.asked == [("sit", {"side": "white"}), ("sit", {"side": "black"})]
        table.change(seated=("white", "black"))
        await states.settle(pilot)
        clock.ms += TAP_MS
        await tap(pilot, "black", "p ready", column=6)
        assert table.asked[2:] == [("ready", {"side": "black"})]

    play(story, size=size, phase="assigned", seated=(), ready=())


def test_a_finger_that_comes_down_twice_resigns_nothing() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        await tap(pilot, "white", "z resign")
        assert "Resign the game?" in pictures.text(app)
        await tap(pilot, "white", "q resign")
        clock.ms += TAP_MS - 1
        await tap(pilot, "white", "q resign")
        assert table.asked == []
        clock.ms += 1
        await tap(pilot, "white", "q resign")
        assert table.asked == [("resign", {"side": "white"})]

    play(story)


def test_a_tap_on_what_has_just_changed_says_nothing() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        table.change(proposed="0-1")
        await states.settle(pilot)
        await tap(pilot, "white", "q right")
        assert table.asked == [], "the same two keys, but about another result"
        clock.ms += TAP_MS
        await tap(pilot, "white", "q right")
        assert table.asked == [("confirm", {"side": "white", "score": "0-1"})]

    play(story, phase="ended", proposed="1-0", ended_by="flag")


def test_clocks_that_run_do_not_keep_a_tap_waiting() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        for _tick in range(10):
            clock.ms += TAP_MS // 10
            table.seen_ms = clock.ms
            app.tick()
        await tap(pilot, "black", "n call")
        assert "Call the arbiter?" in pictures.text(app)

    play(story)


def test_names_clocks_and_the_board_take_no_tap() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        table.seen_ms = clock.ms
        app.tick()
        await states.settle(pilot)
        before = pictures.text(app)
        keys = where(app, "white", "x call")[1]
        for row in [*range(1, keys - REACH[1]), *range(app.screen.query_one("#middle").region.y, 24)]:
            for column in range(0, 80, 7):
                await pilot.click(offset=(column, row))
        await states.settle(pilot)
        assert table.asked == []
        assert pictures.text(app) == before

    play(story)


def test_a_visitor_taps_no_key_of_a_player() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        place = app.screen.query_one("#white", PlayerPanel).region
        for column in range(place.x, place.right, 5):
            await pilot.click(offset=(column, place.bottom - 2))
        assert table.asked == []

    play(story, visit=True, simulated=True, phase="ended", proposed="1-0", ended_by="flag")


def test_a_person_in_a_chair_taps_his_function_keys() -> None:
    async def story(pilot: Pilot[Any], app: ScreenApp, table: fakes.FakeTable, clock: fakes.Clock) -> None:
        clock.ms += TAP_MS
        await tap(pilot, "white", "F2 right")
        assert table.asked == [("confirm", {"side": "white", "score": "1-0"})]

    play(story, visit=True, side="white", simulated=True, phase="ended", proposed="1-0", ended_by="flag")


@pytest.mark.parametrize("size", [*states.SIZES, (90, 27), (128, 37)])
def test_in_every_state_each_key_is_where_it_is_written(size: tuple[int, int]) -> None:
    async def look() -> int:
        seen = 0
        async for state, app in states.tables(size):
            rows = pictures.text(app).split("\n")
            for panel in app.screen.query(PlayerPanel):
                place = panel.region
                for key, label in panel.state.keys:
                    words = f" {key} {label[:3]}"
                    found = [(rows[y].find(words, place.x, place.right), y) for y in range(place.y, place.bottom)]
                    [(x, y)] = [spot for spot in found if spot[0] >= 0]
                    for column in range(x + 1, x + len(words)):
                        assert panel.key_at(column - place.x - 1, y - place.y - 1) == key, (state.name, key)
                    seen += 1
                for line in range(panel.digits + 1):
                    assert not any(panel.key_at(column, line) for column in range(place.width)), state.name
        return seen

    assert asyncio.run(look()) > 60
