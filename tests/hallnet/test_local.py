"""A table's local socket and its client."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hallnet import unix_socket
from hallnet.clock import boot_ms
from hallnet.local import ClientId, LocalError, LocalServer, Reply
from hallnet.table_client import TableClient
from hallnet.views import LinkView, TableView


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.table_client.PAUSE_S", (0.01, 0.05))
    monkeypatch.setattr("hallnet.local.VIEW_EVERY_S", 0.1)


def view(revision: int, fen: str = "") -> TableView:
    return TableView(
        table="3", revision=revision, t=1, boot_ms=2, speed=1.0, link=LinkView(state="ok"), phase="idle", fen=fen
    )


async def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.002)


def shows(screen: TableClient, revision: int) -> bool:
    return screen.connected and screen.view == view(revision)


def reading(writer: asyncio.StreamWriter) -> asyncio.ReadTransport:
    """The other half of the connection: a client that stops reading."""
    transport = writer.transport
    assert isinstance(transport, asyncio.ReadTransport)
    return transport


class Table:
    """A table's service as its socket sees it."""

    def __init__(self, path: Path) -> None:
        self.revision = 1
        self.asked: list[tuple[int, str, Mapping[str, Any]]] = []
        self.gone: list[int] = []
        self.answer: asyncio.Event = asyncio.Event()
        self.answer.set()
        self.server = LocalServer(path, lambda: view(self.revision), self.handle, self.gone.append)

    async def handle(self, client: ClientId, kind: str, d: Mapping[str, Any]) -> Reply:
        self.asked.append((client, kind, d))
        await self.answer.wait()
        if kind == "explode":
            raise ValueError("no such side")
        return Reply(kind != "claim", "" if kind != "claim" else "no threefold repetition", {"n": len(self.asked)})

    def change(self) -> None:
        self.revision += 1
        self.server.broadcast(view(self.revision))


@asynccontextmanager
async def table_and_screen(path: Path) -> AsyncIterator[tuple[Table, TableClient]]:
    table, screen = Table(path), TableClient(path)
    await table.server.start()
    await screen.start()
    try:
        yield table, screen
    finally:
        await screen.close()
        await screen.close()
        await table.server.stop()
        await table.server.stop()


def test_views_and_intents_cross_the_socket(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        async with table_and_screen(path) as (table, screen):
            shown: list[int] = []
            screen.on_view(lambda v: shown.append(v.revision))
            # The intent waits for the connection.
            reply = await screen.do("confirm", side="white")
            assert reply == Reply(True, "", {"n": 1})
            assert await screen.do("claim", side="white", what="repetition", move="") == Reply(
                False, "no threefold repetition", {"n": 2}
            )
            assert table.asked[0] == (1, "confirm", {"side": "white"})
            await until(lambda: screen.view is not None)
            assert screen.connected
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            table.change()
            await until(lambda: screen.view == view(2))
            assert shown[-1] == 2
            assert screen.age_ms(boot_ms()) < 1_000
            assert screen.age_ms(screen.seen_ms + 7_000) == 7_000
            # Nothing changes, and still the table speaks.
            count = len(shown)
            await until(lambda: len(shown) >= count + 3)
        assert not path.exists()

    asyncio.run(main())


def test_a_screen_finds_its_table_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        screen = TableClient(path)
        await screen.start()
        for life in range(1, 4):
            table = Table(path)
            table.revision = life
            await table.server.start()
            await until(partial(shows, screen, life))
            assert (await screen.do("sit", side="white")).ok
            await table.server.stop()
            await until(lambda: not screen.connected)
            assert screen.view == view(life)
        await screen.close()

    asyncio.run(main())


def test_a_socket_left_by_a_killed_table_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        left = unix_socket.listen(path)
        left.close()
        assert path.exists()
        async with table_and_screen(path) as (_table, screen):
            assert (await screen.do("sit", side="white")).ok

    asyncio.run(main())


def test_a_path_longer_than_the_kernel_takes(tmp_path: Path) -> None:
    folder = tmp_path / ("a-tournament-with-a-very-long-name-" * 4)
    folder.mkdir()

    async def main() -> None:
        async with table_and_screen(folder / "table-3.sock") as (_table, screen):
            assert (await screen.do("sit", side="white")).ok

    asyncio.run(main())


def test_an_intent_without_an_answer_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.table_client.ANSWER_S", 0.1)

    async def main() -> None:
        async with table_and_screen(tmp_path / "table-3.sock") as (table, screen):
            await until(lambda: screen.connected)
            table.answer.clear()
            reply = await screen.do("press", side="white")
            assert not reply.ok
            assert "does not answer" in reply.why
            monkeypatch.setattr("hallnet.table_client.ANSWER_S", 5)
            waiting = asyncio.create_task(screen.do("press", side="white"))
            await until(lambda: len(screen._answers) == 1)
            await asyncio.sleep(0.01)
            await table.server.stop()
            reply = await waiting
            assert not reply.ok
            assert "was lost" in reply.why
        nobody = TableClient(tmp_path / "nobody.sock")
        await nobody.start()
        monkeypatch.setattr("hallnet.table_client.ANSWER_S", 0.1)
        assert not (await nobody.do("press", side="white")).ok
        await nobody.close()

    asyncio.run(main())


def test_a_fault_in_the_table_is_answered_and_the_table_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with table_and_screen(tmp_path / "table-3.sock") as (_table, screen):
            reply = await screen.do("explode")
            assert not reply.ok
            assert "its log says why" in reply.why
            assert (await screen.do("sit", side="black")).ok

    asyncio.run(main())
    assert "no such side" in caplog.text


def test_raw_lines_as_the_house_plan_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        table = Table(path)
        await table.server.start()
        reader, writer = await asyncio.open_unix_connection(str(path))
        assert json.loads(await reader.readline()) == {"v": 1, "hello": "table", "table": "3"}
        pushed = json.loads(await reader.readline())
        assert pushed["v"] == 1
        assert pushed["view"]["revision"] == 1

        async def ask(data: bytes) -> Any:
            writer.write(data)
            while True:
                line = json.loads(await reader.readline())
                if "view" not in line:
                    return line

        assert await ask(b'{"v":1,"id":7,"do":"confirm","d":{"side":"white"}}\n') == {
            "v": 1,
            "id": 7,
            "ok": True,
            "why": "",
            "d": {"n": 1},
        }
        for bad in (b"hello?\n", b'{"v":1,"do":"sit"}\n', b"\xff\xfe\n"):
            answer = await ask(bad)
            assert not answer["ok"]
            assert "not understood" in answer["why"]
        assert "version 2" in (await ask(b'{"v":2,"id":8,"do":"sit"}\n'))["why"]
        assert len(table.asked) == 1
        # A line without end is not stored for ever.
        writer.write(b"x" * 100_000)
        await until(lambda: table.gone == [1])
        writer.close()
        await table.server.stop()

    asyncio.run(main())


def test_a_slow_screen_skips_views_and_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        async with table_and_screen(path) as (table, screen):
            reader, writer = await asyncio.open_unix_connection(str(path), limit=10_000_000)
            await until(lambda: table.server.clients == 2)
            seen: list[int] = []
            screen.on_view(lambda v: seen.append(v.revision))
            reading(writer).pause_reading()
            for revision in range(2, 302):
                table.revision = revision
                table.server.broadcast(view(revision, "x" * 20_000))
                await asyncio.sleep(0)
            await until(lambda: seen and seen[-1] == 301)
            reading(writer).resume_reading()
            revisions: list[int] = []
            while not revisions or revisions[-1] != 301:
                line = json.loads(await asyncio.wait_for(reader.readline(), 5))
                if "view" in line:
                    revisions.append(line["view"]["revision"])
            assert revisions == sorted(revisions)
            assert len(revisions) < 100
            writer.close()
            await until(lambda: table.server.clients == 1)
            assert len(table.gone) == 1

    asyncio.run(main())


def test_a_client_that_never_reads_its_answers_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.local.MOST_ANSWERS", 20)
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        table = Table(path)
        await table.server.start()
        reader, writer = await asyncio.open_unix_connection(str(path))
        await reader.readline()
        reading(writer).pause_reading()

        async def ask() -> None:
            for number in range(100_000):
                writer.write(b'{"v":1,"id":%d,"do":"sit","d":{"pad":"%s"}}\n' % (number, b"x" * 1_000))
                await writer.drain()

        asking = asyncio.create_task(ask())
        await until(lambda: table.gone == [1])
        asking.cancel()
        writer.close()
        await asyncio.gather(asking, return_exceptions=True)
        await table.server.stop()

    asyncio.run(main())


def test_a_socket_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(LocalError, match="check the folder"):
            await Table(tmp_path / "missing" / "table-3.sock").server.start()

    asyncio.run(main())


def test_the_socket_of_a_newer_table_is_not_removed_by_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "table-3.sock"

    async def main() -> None:
        old, new = Table(path), Table(path)
        await old.server.start()
        await new.server.start()
        await old.server.stop()
        screen = TableClient(path)
        await screen.start()
        assert (await screen.do("sit", side="white")).ok
        await screen.close()
        await new.server.stop()
        assert not path.exists()

    asyncio.run(main())
