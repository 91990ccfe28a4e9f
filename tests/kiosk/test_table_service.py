"""A whole table in one process: real drivers at simulated hardware, simulated people, the core, the log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from hallnet.outbox import Outbox
from hallnet.table_client import TableClient
from hallnet.transport_memory import MemoryBroker, MemoryTransport
from kiosk.table.config import PlayersConfig, TableConfig
from kiosk.table.service import TableService
from rules.laws.events import Board
from rules.laws.game import replay
from tests.kiosk.table_hub import TestHub, assignment

SPEED = 120.0


def config(tmp_path: Path, **changes: object) -> TableConfig:
    """A fast simulated table."""
    values: dict[str, object] = {
        "table": "1",
        "data": str(tmp_path),
        "speed": SPEED,
        "players": PlayersConfig(seed=7, boards=1),
    }
    return TableConfig(**(values | changes))  # type: ignore[arg-type]


def play(settings: TableConfig, story: Callable[[TestHub, TableService], Awaitable[None]]) -> TestHub:
    """Runs a table against a test hub while `story` is told."""

    async def main() -> TestHub:
        broker = MemoryBroker()
        hub = TestHub(broker)
        service = TableService(settings, MemoryTransport(broker, "table"))
        await hub.start()
        running = asyncio.create_task(service.run())
        telling = asyncio.create_task(story(hub, service))  # type: ignore[arg-type]
        try:
            await asyncio.wait({running, telling}, return_when=asyncio.FIRST_COMPLETED)
            if not telling.done():
                telling.cancel()
                await running
        finally:
            service.stop()
            await running
        await telling
        return hub

    return asyncio.run(main())


async def a_round(hub: TestHub, round_: int = 1) -> None:
    """Assign, wait for both to be ready, start, wait for both confirmations or the arbiter's word."""
    await hub.until(lambda state: hub.last > 0)
    hub.assign(assignment(round_))
    await hub.until(lambda state: state.round == round_ and state.phase == "ready")
    hub.order("start")
    await hub.until(lambda state: state.phase == "confirmed")


@pytest.mark.parametrize("round_", range(1, 7))
def test_people_play_a_whole_game_and_the_hub_has_every_event(tmp_path: Path, round_: int) -> None:
    async def story(hub: TestHub, service: TableService) -> None:
        await a_round(hub, round_)

    hub = play(config(tmp_path), story)
    outbox = Outbox.open(tmp_path / "table-1.db")
    assert tuple(outbox.events())[: len(hub.events)] == tuple(hub.events)
    state = replay(outbox.events())
    assert state.score == hub.state.score
    assert state.score in ("1-0", "0-1", "1/2-1/2")
    outbox.close()


@pytest.mark.parametrize("kind", ["reed-spi", "sentio", "certabo"])
def test_a_game_is_the_same_whatever_the_board_can_see(tmp_path: Path, kind: str) -> None:
    """Round 3 of this seed has a pawn that becomes a rook although a queen would mate: a board without pieces asks."""
    games = []
    for board in ("dgt", kind):
        folder = tmp_path / board

        async def story(hub: TestHub, service: TableService) -> None:
            await a_round(hub, 3)

        hub = play(config(folder, board=f"simulated:{board}", speed=80.0), story)
        games.append(([ply.uci for ply in hub.state.plies], hub.state.score, hub.state.ended_by))
    assert games[0] == games[1]


def test_two_rounds_on_one_table(tmp_path: Path) -> None:
    games = []

    async def story(hub: TestHub, service: TableService) -> None:
        for round_ in (1, 2):
            await a_round(hub, round_)
            games.append((hub.state.game, len(hub.state.plies), hub.state.ended_by))

    play(config(tmp_path), story)
    assert [game for game, _plies, _by in games] == ["r1b1", "r2b1"]


def test_a_person_takes_a_chair_and_plays_against_the_simulated_opponent(tmp_path: Path) -> None:
    async def story(hub: TestHub, service: TableService) -> None:
        await hub.until(lambda state: hub.last > 0)
        client = TableClient(tmp_path / "table-1.sock")
        await client.start()
        seen = asyncio.Event()
        client.on_view(lambda view: seen.set())
        await seen.wait()
        refused = await client.do("hands", side="white", uci="e2e4")
        assert not refused.ok
        assert "chair" in refused.why
        assert (await client.do("take", side="white")).ok
        hub.assign(assignment())
        await hub.until(lambda state: state.phase == "assigned" and "black" in state.ready)
        assert hub.state.seated == {"black"}, "the simulated people leave the taken chair alone"
        assert (await client.do("ready", side="white")).ok
        await hub.until(lambda state: state.phase == "ready")
        hub.order("start")
        await hub.until(lambda state: state.phase == "playing")
        for uci, plies in (("g1f3", 2), ("f3g1", 4)):
            assert (await client.do("hands", side="white", uci=uci)).ok
            assert (await client.do("press", side="white")).ok
            await hub.until(lambda state, plies=plies: len(state.plies) >= plies and state.ahead == 0)
        assert [ply.uci for ply in hub.state.plies[::2]][:2] == ["g1f3", "f3g1"]
        assert (await client.do("resign", side="white")).ok
        await hub.until(lambda state: state.phase == "ended")
        assert hub.state.score == "0-1"
        assert (await client.do("confirm", side="white", score="0-1")).ok
        await hub.until(lambda state: state.phase == "confirmed")
        await client.close()

    play(config(tmp_path, speed=20.0), story)


def test_a_killed_table_goes_on_with_the_clock_run_on(tmp_path: Path) -> None:
    """The process ends in mid-game without a word and starts again on the same boot."""
    seen: dict[str, int] = {}

    async def main() -> None:
        broker = MemoryBroker()
        hub = TestHub(broker)
        await hub.start()
        for life in (1, 2):
            service = TableService(config(tmp_path), MemoryTransport(broker, f"table {life}"))
            running = asyncio.create_task(service.run())
            if life == 1:
                await hub.until(lambda state: hub.last > 0)
                hub.assign(assignment(3))
                await hub.until(lambda state: state.phase == "ready")
                hub.order("start")
                await hub.until(lambda state: len(state.plies) >= 6)
                service.stop()
                await running
                seen["plies"] = len(hub.state.plies)
            else:
                await hub.until(lambda state: state.phase == "confirmed")
                service.stop()
                await running
        assert len(hub.state.plies) > seen["plies"]
        assert any(fault.part == "process" for fault in hub.state.faults)

    asyncio.run(main())


def test_after_a_power_cut_the_game_waits_for_the_arbiter(tmp_path: Path) -> None:
    async def main() -> None:
        broker = MemoryBroker()
        hub = TestHub(broker)
        await hub.start()
        first = TableService(config(tmp_path, boot="boot-1", players=None), MemoryTransport(broker, "first"))
        running = asyncio.create_task(first.run())
        await hub.until(lambda state: hub.last > 0)
        hub.assign(assignment(1))
        await hub.until(lambda state: state.phase == "assigned")
        hub.order("start")
        await hub.until(lambda state: state.phase == "playing")
        first.stop()
        await running
        hub.rulings.append("kept from ruling")
        second = TableService(config(tmp_path, boot="boot-2", players=None), MemoryTransport(broker, "second"))
        running = asyncio.create_task(second.run())
        await hub.until(lambda state: state.phase == "paused" and bool(state.calls))
        assert (hub.state.paused_by, hub.state.running) == ("table", None)
        assert "power was lost" in hub.state.calls[-1].why
        before = hub.state.clocks(hub.state.t)
        assert before[0] <= 605_000
        await asyncio.sleep(0.2)
        assert hub.state.clocks(hub.state.t) == before, "nobody's clock runs until the arbiter says so"
        second.stop()
        await running

    asyncio.run(main())


def test_simulated_pieces_go_back_with_the_record_and_the_people_play_on(tmp_path: Path) -> None:
    """The arbiter goes back four half-moves: the board stands right, so nobody is called and the game is finished."""
    corrected: list[int] = []
    seen = asyncio.Event()

    async def story(hub: TestHub, service: TableService) -> None:
        await hub.until(lambda state: hub.last > 0)
        client = TableClient(tmp_path / "table-1.sock")
        await client.start()
        client.on_view(lambda view: seen.set())
        hub.assign(assignment())
        await hub.until(lambda state: state.phase == "ready")
        hub.order("start")
        await hub.until(lambda state: len(state.plies) >= 6)
        hub.order("pause", why="an irregularity")
        await hub.until(lambda state: state.phase == "paused")
        back = len(hub.state.plies) - 4
        hub.order("correct", ply=back, why="back to before it")
        await hub.until(lambda state: len(state.plies) == back)
        corrected.append(len(hub.events))
        async with asyncio.timeout(20):
            while service.view.placement != hub.state.position.board_fen():
                seen.clear()
                await seen.wait()
        hub.order("resume")
        await hub.until(lambda state: len(state.plies) > back + 4)
        await client.close()

    hub = play(config(tmp_path), story)
    after = hub.events[corrected[0] :]
    assert not [event for event in after if isinstance(event, Board) and event.state == "unexplained"]
    assert hub.rulings == []
