"""The spectators' web server: answers GET from the feed's files, and tells browsers when one has changed.

It can only read, and only the files whose names are made here: nothing of a request becomes a path. It knows no key and
no other process of the hall, so whatever five thousand phones do, the tables do not feel it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kiosk.wall import pages

log = logging.getLogger(__name__)

#: A request must be there within (s), and have at most (bytes).
REQUEST_S = 10.0
MOST_HEAD = 8_192
#: Connections at a time, of them those that wait for news.
MOST = 5_000
#: The files are looked at this often, and a silent stream gets a sign of life (s).
LOOK_S = 1.0
ALIVE_S = 20.0
#: A browser that does not take what it is sent is cut off (s).
WRITE_S = 10.0

_HEADERS = (
    "Content-Security-Policy: default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n"
)
HTML, JSON, TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
_REASONS = {200: "OK", 304: "Not Modified", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
            503: "Service Unavailable"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What a browser gets."""

    status: int
    kind: str
    body: bytes


class Site:
    """The pages made of the feed's files in `folder`. Raises nothing: what is not there yet is an empty page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def answer(self, path: str) -> Answer:
        """The page at a path; 404 with a page of its own."""
        for pattern, make in _ROUTES:
            found = pattern.fullmatch(path)
            if found is not None:
                made = make(self, *map(int, found.groups()))
                if made is not None:
                    return made
        return Answer(404, HTML, pages.missing().encode("utf-8"))

    def marks(self) -> Mapping[str, int]:
        """When each file was changed (ns), by its name without the end."""
        out: dict[str, int] = {}
        for path in (*self._folder.glob("*.json"), *self._folder.glob("games/*.jsonl")):
            with contextlib.suppress(OSError):
                out[str(path.relative_to(self._folder).with_suffix(""))] = path.stat().st_mtime_ns
        return out

    def _json(self, name: str, empty: Any) -> Any:
        with contextlib.suppress(OSError, ValueError):
            return json.loads((self._folder / name).read_bytes())
        return empty

    def _file(self, name: str, kind: str) -> Answer | None:
        with contextlib.suppress(OSError):
            return Answer(200, kind, (self._folder / name).read_bytes())
        return None

    def _game(self, number: int, board: int) -> Answer | None:
        sheets = self._json("results.json", [])
        boards = [b for s in sheets if s["round"] == number for b in s["boards"] if b["board"] == board]
        if not boards:
            return None
        lines = self._file(f"games/r{number}b{board}.jsonl", JSON)
        moves = list(_moves(lines.body)) if lines is not None else []
        return _page(pages.game(number, board, (boards[0]["white"], boards[0]["black"]), moves))


def _moves(lines: bytes) -> Iterator[dict[str, Any]]:
    """The moves of a game's file, up to a line that is being written just now."""
    for line in lines.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            return
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def _page(text: str) -> Answer:
    return Answer(200, HTML, text.encode("utf-8"))


_ROUTES: tuple[tuple[re.Pattern[str], Callable[..., Answer | None]], ...] = (
    (re.compile(r"/(?:pairings)?"), lambda site: _page(pages.pairings(site._json("pairings.json", [])))),
    (re.compile(r"/results"), lambda site: _page(pages.results(site._json("results.json", [])))),
    (re.compile(r"/standings"), lambda site: _page(pages.standings(site._json("standings.json", {})))),
    (re.compile(r"/game/(\d{1,3})/(\d{1,5})"), Site._game),
    (re.compile(r"/style\.css"), lambda site: Answer(200, "text/css", pages.STYLE.encode())),
    (re.compile(r"/live\.js"), lambda site: Answer(200, "text/javascript", pages.SCRIPT.encode())),
    (re.compile(r"/pairings\.json"), lambda site: site._file("pairings.json", JSON)),
    (re.compile(r"/results\.json"), lambda site: site._file("results.json", JSON)),
    (re.compile(r"/standings\.json"), lambda site: site._file("standings.json", JSON)),
    (re.compile(r"/round-(\d{1,3})\.pgn"), lambda site, n: site._file(f"round-{n}.pgn", "application/x-chess-pgn")),
    (re.compile(r"/games/r(\d{1,3})b(\d{1,5})\.jsonl"), lambda site, n, b: site._file(f"games/r{n}b{b}.jsonl", TEXT)),
)


class WebServer:
    """Serves `site` on `host`:`port` (0: a free one) from `start` to `stop`."""

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.port = port
        self._site = site
        self._host = host
        self._open = 0
        self._news = asyncio.Event()
        self._marks: Mapping[str, int] = {}
        self._server: asyncio.Server | None = None
        self._watching: asyncio.Task[None] | None = None
        self._streams: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Begin to serve. Raises `OSError`."""
        self._marks = self._site.marks()
        self._server = await asyncio.start_server(self._serve, self._host, self.port, limit=MOST_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]
        self._watching = asyncio.create_task(self._watch(), name="feed")

    async def stop(self) -> None:
        """End; safe to call twice."""
        if self._watching is not None:
            self._watching.cancel()
        for stream in tuple(self._streams):
            stream.cancel()
        await asyncio.gather(*(task for task in (self._watching, *self._streams) if task), return_exceptions=True)
        if self._server is not None:
            self._server.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            marks = await asyncio.to_thread(self._site.marks)
            if marks != self._marks:
                self._marks = marks
                self._news.set()
                self._news = asyncio.Event()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        try:
            async with asyncio.timeout(REQUEST_S):
                method, path, headers = _parsed(await reader.readuntil(b"\r\n\r\n"))
            if self._open > MOST:
                await self._send(writer, Answer(503, TEXT, b""), method)
            elif method not in ("GET", "HEAD"):
                await self._send(writer, Answer(405, TEXT, b""), method)
            elif path == "/events":
                await self._stream(writer)
            else:
                await self._send(writer, await asyncio.to_thread(self._site.answer, path), method, headers)
        except (ValueError, asyncio.LimitOverrunError):
            with contextlib.suppress(OSError, TimeoutError):
                await self._send(writer, Answer(400, TEXT, b""), "GET")
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # it went away, or never said what it wanted
        finally:
            self._open -= 1
            self._streams.discard(task)
            writer.close()

    async def _send(
        self, writer: asyncio.StreamWriter, answer: Answer, method: str, headers: Mapping[str, str] | None = None
    ) -> None:
        tag = f'"{hash_of(answer.body)}"'
        if answer.status == 200 and headers is not None and headers.get("if-none-match") == tag:
            answer = Answer(304, answer.kind, b"")
        head = (
            f"HTTP/1.1 {answer.status} {_REASONS[answer.status]}\r\nContent-Type: {answer.kind}\r\n"
            f"Content-Length: {len(answer.body)}\r\nETag: {tag}\r\n{_HEADERS}Connection: close\r\n\r\n"
        )
        writer.write(head.encode("ascii") + (b"" if method == "HEAD" else answer.body))
        async with asyncio.timeout(WRITE_S):
            await writer.drain()

    async def _stream(self, writer: asyncio.StreamWriter) -> None:
        """Server-sent events: which files there are and when each was changed, now and after every change."""
        writer.write(
            f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{_HEADERS}Connection: close\r\n\r\n".encode()
        )
        while True:
            news = self._news
            writer.write(
                f"event: changed\ndata: {json.dumps({k: str(v) for k, v in self._marks.items()})}\n\n".encode()
            )
            async with asyncio.timeout(WRITE_S):
                await writer.drain()
            while not news.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(ALIVE_S):
                        await news.wait()
                        break
                writer.write(b": \n\n")
                async with asyncio.timeout(WRITE_S):
                    await writer.drain()


def hash_of(body: bytes) -> str:
    """The mark of a body, for browsers that have it already."""
    return hashlib.sha256(body).hexdigest()[:16]


def _parsed(head: bytes) -> tuple[str, str, Mapping[str, str]]:
    """(method, path, headers) of a request. Raises `ValueError`."""
    first, *lines = head.decode("ascii").split("\r\n")
    method, target, version = first.split(" ")
    if not version.startswith("HTTP/1.") or not target.startswith("/"):
        raise ValueError(version)
    headers = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        if not colon:
            raise ValueError(line)
        headers[name.strip().lower()] = value.strip()
    return method, target.partition("?")[0], headers


async def serve(folder: Path, host: str, port: int, ready: Callable[[int], None], ended: asyncio.Event) -> None:
    """Serve the feed in `folder` until `ended`. Raises `OSError`."""
    server = WebServer(Site(folder), host, port)
    await server.start()
    ready(server.port)
    try:
        await ended.wait()
    finally:
        await server.stop()
