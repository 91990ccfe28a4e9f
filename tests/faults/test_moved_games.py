"""A game moves while hub and tables die; a spare device takes a game over, and the old one wakes up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hallnet.desk_client import DeskClient
from kiosk.demo.audit import audit
from tests.faults.conftest import FAST
from tests.faults.hall import Hall, begin_round, drained, hall_of, query, tells
from tests.faults.puppet import Puppet, until

pytestmark = pytest.mark.usefixtures("fast_beats")


def game_at(puppet: Puppet) -> tuple[str, int, str]:
    """Game, half-moves and phase at a table."""
    return puppet.state.game, len(puppet.state.plies), puppet.phase


async def stopped(desk: DeskClient, puppets: list[Puppet]) -> None:
    """Two, four and six half-moves at the three tables; then the arbiter stops all clocks."""
    await begin_round(desk, puppets)
    for number, puppet in enumerate(puppets, 1):
        puppet.shuffle(2 * number)
    await drained(puppets)
    assert (await desk.intend("pause", board=0, why="a board is broken")).ok
    await until(lambda: all(p.phase == "paused" for p in puppets), what="all clocks stand")


async def played_out(hall: Hall, desk: DeskClient, puppets: list[Puppet], results: int) -> None:
    """The games go on to their end."""
    answer = await desk.intend("resume", board=0)
    assert answer.ok, answer.why
    await until(lambda: all(p.phase == "playing" for p in puppets), what="play goes on")
    for puppet in puppets:
        puppet.finish("white")
    await drained(puppets)
    await until(lambda: audit(hall.folder).results == results, what="all results are there")


def test_b053_a_game_moves_while_its_table_and_the_hub_are_killed(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 3, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await stopped(desk, puppets)
                one, clocks = puppets[0], puppets[0].state.clocks(puppets[0].state.t)
                await one.stop()
                answer = await desk.intend("move-game", board=1, to=3, why="a broken board")
                assert answer.ok, answer.why
            await hall.kill()
            await hall.start()
            puppets[0] = one = hall.puppet(1)
            await one.start()
            three = puppets[2]
            await until(lambda: game_at(three) == ("r1b1", 2, "paused"), what="the game is at the other table")
            await until(lambda: game_at(one) == ("r1b3", 6, "paused"), what="the other one came in exchange")
            assert three.state.clocks(three.state.t) == clocks
            assert one.state.assignment is not None
            assert one.state.assignment.board == 1, "the number that stands at this table"
            await drained(puppets)
            async with hall.desk() as desk:
                await played_out(hall, desk, puppets, 3)
            found, mine = audit(folder), "SELECT count(*) FROM {} WHERE epoch = 1"
            after = query(folder / "table-1.db", mine.format("events"))[0][0]
            after -= query(folder / "hall.db", mine.format("table_events") + " AND table_id = '1'")[0][0]
            assert (found.extra, found.doubled, found.results) == (0, 0, 3)
            assert found.lost == after, "only what the old table wrote after the move is no part of the game"

    asyncio.run(story())


def test_s12_a_spare_device_asks_for_old_clocks_and_the_device_that_wakes_is_told(folder: Path) -> None:
    fast = FAST | {"kiosk.hub.effects:STALE_CLOCKS_MS": 500}

    async def story() -> None:
        async with hall_of(folder, 2, set=fast) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            for puppet in puppets:
                puppet.shuffle(4)
            await drained(puppets)
            old = puppets[1]
            await old.stop()
            await asyncio.sleep(0.6)  # the clocks that the hub has are older than it lets pass
            (folder / "spare").mkdir()
            puppets[1] = spare = hall.puppet(2, folder=folder / "spare", boot="boot-2")
            await spare.start()
            await until(lambda: game_at(spare) == ("r1b2", 4, "paused"), what="the spare device has the game")
            await until(lambda: desk.hall is not None and any(c.kind == "times" for c in desk.hall.head.calls),
                        what="the arbiter is asked for the clocks")  # fmt: skip
            assert "Set the clocks first" in (await desk.intend("resume", board=2)).why
            d = {"board": 2, "white_ms": 3_000_000, "black_ms": 3_100_000, "why": "as both players say"}
            assert (await desk.intend("times", **d)).ok
            await until(lambda: spare.state.clocks(spare.state.t) == (3_000_000, 3_100_000), what="clocks as typed")
            assert (await desk.intend("resume", board=2)).ok
            await until(lambda: spare.phase == "playing", what="play goes on")
            old = hall.puppet(2)  # the device that was thought to be dead, with its own outbox
            await old.start()
            try:
                await until(lambda: "taken the place of this one" in old.link.view.why, what="it is told")
                old.shuffle(1)
                await until(tells(desk, "evidence"), what="what it still says is shown")
            finally:
                await old.stop()
            assert game_at(spare)[:2] == ("r1b2", 4)

    asyncio.run(story())
