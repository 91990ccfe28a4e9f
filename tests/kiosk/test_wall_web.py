"""Spectators' pages: read-only, from files, safe whatever is asked."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kiosk.wall import pages, web

NASTY = '<script>alert("x")</script> & Co'
SHEET = {
    "round": 2,
    "boards": [
        {"board": 1, "white": NASTY, "black": "Bo, B", "result": None},
        {"board": 2, "white": "Cy, C", "black": "Di, D", "result": "1-0"},
    ],
    "bye": "Ed, E",
}
STANDINGS = {
    "order": [7, 3],
    "players": {
        "7": {"rank": 1, "name": NASTY, "points": "2.0", "values": {"BH": "3.5"}},
        "3": {"rank": 2, "name": "Bo, B", "points": "1.5", "values": {"BH": None}},
    },
}


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    """A feed's folder, and a secret beside it."""
    folder = tmp_path / "feed"
    (folder / "games").mkdir(parents=True)
    (folder / "pairings.json").write_text(json.dumps([SHEET]), encoding="utf-8")
    (folder / "results.json").write_text(json.dumps([SHEET]), encoding="utf-8")
    (folder / "standings.json").write_text(json.dumps(STANDINGS), encoding="utf-8")
    (folder / "round-2.pgn").write_text('[White "x"]\n\n1. e4 *\n', encoding="utf-8")
    moves = [{"ply": 1, "side": "white", "uci": "e2e4"}, {"ply": 2, "side": "black", "uci": "e7e5"}]
    (folder / "games" / "r2b1.jsonl").write_text("".join(json.dumps(m) + "\n" for m in moves), encoding="utf-8")
    (tmp_path / "hall.db").write_text("secret", encoding="utf-8")
    (folder / "secret.json").write_text("secret", encoding="utf-8")
    return folder


async def ask(port: int, request: bytes) -> tuple[int, str, bytes]:
    """(status, head, body) of an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    head, _gap, body = (await asyncio.wait_for(reader.read(), 10)).partition(b"\r\n\r\n")
    writer.close()
    return int(head.split(b" ")[1]) if head else 0, head.decode("ascii"), body


def get(path: str, **headers: str) -> bytes:
    """A request."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode()


def served(feed: Path, story: Callable[[web.WebServer], Awaitable[None]]) -> None:
    """Runs a story against a server."""

    async def run() -> None:
        server = web.WebServer(web.Site(feed), "127.0.0.1", 0)
        await server.start()
        try:
            await story(server)
        finally:
            await server.stop()

    asyncio.run(run())


class Outline(HTMLParser):
    """The tags of a page; fails when they do not close as they opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "link"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.mark.parametrize("path", ["/", "/pairings", "/results", "/standings", "/game/2/1", "/game/2/2", "/nothing"])
def test_every_page_is_whole_and_says_what_it_is(feed: Path, path: str) -> None:
    answer = web.Site(feed).answer(path)
    text = answer.body.decode("utf-8")
    outline = Outline(text)
    assert answer.status == (404 if path == "/nothing" else 200)
    assert outline.tags.count("h1") == outline.tags.count("main") == outline.tags.count("title") == 1
    assert "<script>alert" not in text, "a name is a name"
    assert outline.tags.count("table") == outline.tags.count("caption")
    assert 'lang="en"' in text
    assert "viewport" in text


def test_pages_before_the_first_round_say_so(tmp_path: Path) -> None:
    site = web.Site(tmp_path)
    for path, words in (("/", "No round is public"), ("/results", "No round"), ("/standings", "No round is complete")):
        assert words in site.answer(path).body.decode()


def test_the_content_of_the_feed_is_on_the_pages(feed: Path) -> None:
    site = web.Site(feed)
    assert "Bye: Ed, E" in site.answer("/").body.decode()
    assert "1-0" in site.answer("/results").body.decode()
    assert "3.5" in site.answer("/standings").body.decode()
    assert "e7e5" in site.answer("/game/2/1").body.decode()
    assert site.answer("/round-2.pgn").body.startswith(b"[White")
    assert len(site.answer("/games/r2b1.jsonl").body.splitlines()) == 2


def test_a_move_that_is_being_written_just_now_is_left_out_of_the_page(feed: Path) -> None:
    moves = feed / "games" / "r2b1.jsonl"
    whole = web.Site(feed).answer("/game/2/1")
    with moves.open("ab") as file:
        file.write(b'{"round": 2, "board": 1, "ply": 3, "uci": "g1')
    assert web.Site(feed).answer("/game/2/1") == whole
    assert whole.status == 200


def test_nothing_but_the_feed_can_be_read_and_nothing_written(feed: Path) -> None:
    async def story(server: web.WebServer) -> None:
        for path in ("/../hall.db", "/secret.json", "/games/../../hall.db", "/%2e%2e/hall.db", "//etc/passwd",
                     "/round-2.pgn/..", "/games/r2b1.jsonl%00", "/round-99.pgn"):  # fmt: skip
            status, head, body = await ask(server.port, get(path))
            assert status == 404, path
            assert b"secret" not in body
            assert "default-src 'none'" in head
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
            assert (await ask(server.port, f"{method} / HTTP/1.1\r\n\r\n".encode()))[0] == 405
        status, head, body = await ask(server.port, b"HEAD / HTTP/1.1\r\n\r\n")
        assert (status, body) == (200, b"")

    served(feed, story)


def test_whatever_is_sent_the_server_lives(feed: Path) -> None:
    async def story(server: web.WebServer) -> None:
        dice = random.Random(6)
        for n in range(60):
            noise = dice.randbytes(dice.randrange(300)) + (b"\r\n\r\n" if n % 2 else b"")
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(noise)
            writer.write_eof()
            await asyncio.wait_for(reader.read(), 10)
            writer.close()
        assert (await ask(server.port, get("/" + "x" * 20_000)))[0] == 400
        assert (await ask(server.port, get("/")))[0] == 200

    served(feed, story)


def test_a_browser_that_has_a_page_is_not_sent_it_again(feed: Path) -> None:
    async def story(server: web.WebServer) -> None:
        _status, head, _body = await ask(server.port, get("/standings"))
        tag = next(line.split(": ")[1] for line in head.split("\r\n") if line.startswith("ETag"))
        assert (await ask(server.port, get("/standings", If_None_Match=tag)))[0] == 304

    served(feed, story)


def test_browsers_hear_that_something_has_changed(feed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "LOOK_S", 0.02)

    async def story(server: web.WebServer) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(get("/events"))
        await reader.readuntil(b"\r\n\r\n")
        first = json.loads((await asyncio.wait_for(reader.readuntil(b"\n\n"), 5)).split(b"data: ")[1])
        os.utime(feed / "standings.json", ns=(1, 2))
        second = json.loads((await asyncio.wait_for(reader.readuntil(b"\n\n"), 5)).split(b"data: ")[1])
        assert {name for name in first if first[name] != second[name]} == {"standings"}
        writer.close()

    served(feed, story)


def test_who_waits_and_says_nothing_is_cut_off(feed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "REQUEST_S", 0.1)

    async def story(server: web.WebServer) -> None:
        assert (await ask(server.port, b"GET / HTT"))[0] == 0
        monkeypatch.setattr(web, "MOST", 0)
        monkeypatch.setattr(web, "REQUEST_S", 10.0)
        assert (await ask(server.port, get("/")))[0] == 503

    served(feed, story)


def test_a_page_without_a_title_is_none() -> None:
    assert "<title>Not here</title>" in pages.missing()
