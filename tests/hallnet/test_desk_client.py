"""The desk's client against a hub that loses, repeats, dies and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest

from hallnet.clock import boot_ms
from hallnet.desk_client import DeskClient
from hallnet.transport_memory import Faults, MemoryBroker, MemoryTransport
from hallnet.views import (
    BoardRow,
    BoardRows,
    BoardState,
    HallHead,
    HallSnapshot,
    StandingRow,
    StandingsView,
    StepView,
)
from hallnet.wire import Address, DeskIn, DeskOut, decode, encode
from rules.laws.events import Player

ADDRESS = Address("ostrava", "a")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.desk_client.AGAIN_S", 0.05)
    monkeypatch.setattr("hallnet.desk_client.GIVE_UP_S", 3.0)
    monkeypatch.setattr("hallnet.desk_client.SNAPSHOT_EVERY_S", 0.02)


async def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.002)


def row(board: int, state: BoardState = "playing") -> BoardRow:
    return BoardRow(board=board, table=str(board), white=Player(1, "W"), black=Player(2, "B"), state=state)


class Hub:
    """A hub of three boards; `done` are the intents it carried out, each once."""

    def __init__(self, broker: MemoryBroker) -> None:
        self.transport = MemoryTransport(broker, "hub")
        self.revision = 10
        self.incarnation = 1
        self.round = 1
        self.rows = {n: row(n) for n in (1, 2, 3)}
        self.leader = "Anna"
        self.done: list[str] = []
        self.snapshots = 0
        self.answers: dict[str, DeskOut] = {}
        self.silent = False

    async def start(self) -> None:
        await self.transport.subscribe("h1.ostrava.a.d.*.in", self.receive)
        await self.transport.start()

    def receive(self, subject: str, payload: bytes) -> None:
        _kind, desk, _leaf = ADDRESS.speaker(subject)
        intent = decode(payload, DeskIn)
        if self.silent:
            return
        if intent.kind == "snapshot":
            self.snapshots += 1
            out = DeskOut(id=intent.id, ok=True, d=self.snapshot())
        elif intent.id not in self.answers:
            self.done.append(intent.kind)
            ok = intent.kind != "pair"
            out = DeskOut(id=intent.id, ok=ok, why="" if ok else "round 1 is not over", events=("started",), d=intent.d)
            self.answers[intent.id] = out
        else:
            out = self.answers[intent.id]
        self.transport.publish(ADDRESS.desk(desk, "out"), encode(out))

    def head(self) -> HallHead:
        return HallHead(
            event="Ostrava Open",
            round=self.round,
            rounds=9,
            phase="running",
            step=StepView(kind="", sentence=""),
            boards=3,
            playing=3,
            done=0,
            tables_online=3,
            tables=3,
            calls=(),
            notices=(),
            revision=self.revision,
            incarnation=self.incarnation,
            wall=0,
        )

    def boards(self, *numbers: int, whole: bool = False) -> BoardRows:
        rows = tuple(self.rows[n] for n in numbers or sorted(self.rows))
        return BoardRows(round=self.round, revision=self.revision, rows=rows, whole=whole)

    def standings(self) -> StandingsView:
        first = StandingRow(rank=1, tpn=1, name=self.leader, rating=0, title="", federation="", points="1.0", values={})
        return StandingsView(round=self.round, codes=("BH",), rows=(first,), revision=self.revision)

    def snapshot(self) -> HallSnapshot:
        return HallSnapshot(head=self.head(), boards=self.boards(whole=True), standings=self.standings())

    def say_head(self) -> None:
        self.transport.publish(ADDRESS.desks("head"), msgspec.json.encode(self.head()))

    def say_boards(self, *numbers: int, whole: bool = False) -> None:
        self.transport.publish(ADDRESS.desks("boards"), msgspec.json.encode(self.boards(*numbers, whole=whole)))

    def change(self, board: int, state: BoardState) -> None:
        self.rows[board] = row(board, state)
        self.revision += 1
        self.say_boards(board)
        self.say_head()


class Hall:
    """Broker, hub and one desk."""

    def __init__(self) -> None:
        self.broker = MemoryBroker(5)
        self.hub = Hub(self.broker)
        self.desk = DeskClient(MemoryTransport(self.broker, "desk"), ADDRESS, "k1")
        self.shown: list[HallSnapshot] = []
        self.desk.on_change(self.shown.append)

    def same(self) -> bool:
        """Whether the desk shows what the hub has; a part that did not change keeps its older number."""
        shown, true = self.desk.hall, self.hub.snapshot()
        return shown is not None and (shown.head, shown.boards.round, shown.boards.rows, shown.standings.rows) == (
            true.head,
            true.boards.round,
            true.boards.rows,
            true.standings.rows,
        )


@asynccontextmanager
async def hall() -> AsyncIterator[Hall]:
    made = Hall()
    await made.hub.start()
    await made.desk.start()
    await until(made.same)
    try:
        yield made
    finally:
        await made.desk.close()
        await made.desk.close()
        await made.hub.transport.close()


def test_a_desk_follows_the_hall_without_asking_again() -> None:
    async def main() -> None:
        async with hall() as h:
            assert h.desk.connected
            h.hub.change(2, "ended")
            await until(h.same)
            h.hub.change(3, "confirmed")
            h.hub.leader = "Boris"
            h.hub.revision += 1
            h.hub.transport.publish(ADDRESS.desks("standings"), msgspec.json.encode(h.hub.standings()))
            h.hub.say_boards(1)
            h.hub.say_head()
            await until(h.same)
            assert h.hub.snapshots == 1
            assert len(h.shown) >= 5
            assert h.desk.age_ms(boot_ms()) < 1_000
            assert h.desk.age_ms(boot_ms() + 9_000) >= 9_000

    asyncio.run(main())


def test_a_skipped_number_makes_the_desk_ask_for_everything() -> None:
    async def main() -> None:
        async with hall() as h:
            h.broker.faults("desk", Faults(down_cut=True))
            h.hub.change(1, "ended")
            await asyncio.sleep(0.01)
            h.broker.faults("desk")
            h.hub.change(2, "ended")
            await until(h.same)
            assert h.hub.snapshots == 2

    asyncio.run(main())


def test_an_old_word_that_comes_late_changes_nothing() -> None:
    async def main() -> None:
        async with hall() as h:
            old = msgspec.json.encode(h.hub.boards(1)), msgspec.json.encode(h.hub.head())
            h.hub.change(1, "confirmed")
            await until(h.same)
            shown = len(h.shown)
            h.hub.transport.publish(ADDRESS.desks("boards"), old[0])
            h.hub.transport.publish(ADDRESS.desks("head"), old[1])
            await asyncio.sleep(0.02)
            assert h.same()
            assert len(h.shown) == shown

    asyncio.run(main())


def test_what_overtakes_the_snapshot_is_not_lost() -> None:
    async def main() -> None:
        async with hall() as h:
            h.hub.silent = True
            h.broker.kill()
            h.broker.revive()
            await until(lambda: h.desk._answers)
            stale = DeskOut(id=next(iter(h.desk._answers)), ok=True, d=h.hub.snapshot())
            h.hub.change(2, "ended")
            await asyncio.sleep(0.01)
            h.hub.transport.publish(ADDRESS.desk("k1", "out"), encode(stale))
            await asyncio.sleep(0.01)
            assert h.same()

    asyncio.run(main())


def test_another_hub_and_another_round_are_taken_over_whole() -> None:
    async def main() -> None:
        async with hall() as h:
            h.hub.incarnation, h.hub.revision = 2, 3
            h.hub.rows[1] = row(1, "ruled")
            h.hub.say_head()
            await until(h.same)
            h.hub.round, h.hub.revision = 2, 4
            h.hub.rows = {n: row(n, "draft") for n in (1, 2)}
            h.hub.say_boards(1)
            h.hub.say_head()
            await until(h.same)
            h.hub.round, h.hub.revision = 3, 5
            h.hub.say_boards(whole=True)
            h.hub.say_head()
            await until(lambda: h.desk.hall is not None and h.desk.hall.boards == h.hub.boards(whole=True))

    asyncio.run(main())


def test_a_new_connection_brings_the_hall_up_to_date() -> None:
    async def main() -> None:
        async with hall() as h:
            h.broker.drop_client("desk")
            h.hub.change(1, "ended")
            assert not h.desk.connected
            await asyncio.sleep(0.01)
            assert not h.same()
            h.broker.restore_client("desk")
            await until(h.same)

    asyncio.run(main())


def test_an_intent_is_carried_out_once_on_a_bad_line() -> None:
    async def main() -> None:
        async with hall() as h:
            h.broker.faults("desk", Faults(drop=0.5, duplicate=0.4, reorder=0.3))
            for _n in range(10):
                out = await h.desk.intend("start", by="Eva", round=1)
                assert out.ok
                assert out.events == ("started",)
                assert out.d == {"by": "Eva", "round": 1}
            assert h.hub.done == ["start"] * 10
            h.broker.faults("desk")
            refused = await h.desk.intend("pair")
            assert (refused.ok, refused.why, refused.d) == (False, "round 1 is not over", {"by": "arbiter"})

    asyncio.run(main())


def test_an_intent_waits_for_the_connection_and_goes_out_at_once() -> None:
    async def main() -> None:
        async with hall() as h:
            h.broker.kill()
            waiting = asyncio.create_task(h.desk.intend("start"))
            await asyncio.sleep(0.01)
            assert not waiting.done()
            h.broker.revive()
            assert (await waiting).ok

    asyncio.run(main())


def test_a_silent_hub_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with hall() as h:
            h.hub.silent = True
            monkeypatch.setattr("hallnet.desk_client.GIVE_UP_S", 0.2)
            out = await h.desk.intend("finish")
            assert not out.ok
            assert "has not answered" in out.why
            unsendable = await h.desk.intend("rule", score=object())
            assert not unsendable.ok
            assert "cannot be sent" in unsendable.why

    asyncio.run(main())


def test_nonsense_from_the_line_is_logged_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with hall() as h:
            before = h.desk.hall
            for leaf in ("head", "boards", "standings"):
                h.hub.transport.publish(f"h1.ostrava.a.desks.{leaf}", b'{"revision":"many"}')
            h.hub.transport.publish("h1.ostrava.a.desks.weather", b"\xff")
            h.hub.transport.publish(ADDRESS.desk("k1", "out"), b"[]")
            h.desk.on_change(lambda shown: 1 / 0)  # type: ignore[arg-type]
            await asyncio.sleep(0.02)
            assert h.desk.hall is before
            h.hub.change(1, "ended")
            await until(h.same)

    asyncio.run(main())
    assert caplog.text.count("not understood") >= 3
    assert "could not be shown" in caplog.text


def test_on_a_lossy_line_the_desk_ends_with_the_truth() -> None:
    async def main() -> None:
        async with hall() as h:
            h.broker.faults("desk", Faults(drop=0.3, duplicate=0.2, reorder=0.3))
            for n in range(60):
                h.hub.change(1 + n % 3, ("playing", "ended", "confirmed")[n % 3])
                await asyncio.sleep(0.001)
            h.broker.faults("desk")
            h.hub.revision += 1
            for _beat in range(3):
                h.hub.say_head()
                await asyncio.sleep(0.05)
            h.broker.drop_client("desk")
            h.broker.restore_client("desk")
            await until(h.same)

    asyncio.run(main())
