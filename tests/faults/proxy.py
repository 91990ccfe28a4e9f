"""A TCP proxy with faults that can be switched while it runs: latency, jitter, silence, resets, truncation, half-close.

What it does by chance comes from its seed. Everything is per direction: "up" is from the client to the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
from dataclasses import dataclass, field

_CHUNK = 4096


@dataclass
class Faults:
    """What happens to the bytes of one direction.

    `latency_s` ± `jitter_s` before each chunk; `silent`: bytes are swallowed and nobody is told; `held`: bytes wait
    in the socket, as with a receiver that reads nothing; `bytes_per_s` 0 is as fast as it goes; `truncate`: after the
    next chunk's first half the connection ends.
    """

    latency_s: float = 0.0
    jitter_s: float = 0.0
    silent: bool = False
    held: bool = False
    bytes_per_s: int = 0
    truncate: bool = False


@dataclass(eq=False)
class _Pair:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    swallowed: set[str] = field(default_factory=set)


class Proxy:
    """Listens on `port` of loopback and passes on to `target`; `up` and `down` are the faults, `count` connections."""

    def __init__(self, target: tuple[str, int], seed: int = 0, port: int = 0) -> None:
        self.up, self.down = Faults(), Faults()
        self.count = 0
        self.port = port
        self.closed = False
        self._target = target
        self._random = random.Random(seed)
        self._server: asyncio.Server | None = None
        self._pairs: set[_Pair] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listens."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Ends all connections, then itself."""
        if self._server is not None:
            self._server.close()
        for pair in tuple(self._pairs):
            pair.client.close()
            pair.server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reset(self) -> None:
        """All connections end with a reset (RST), as from a machine that has lost its memory of them."""
        for pair in tuple(self._pairs):
            for writer in (pair.client, pair.server):
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()

    def half_close(self) -> None:
        """The server's side of every connection hears no more from its client (FIN); the other way stays open."""
        for pair in tuple(self._pairs):
            with contextlib.suppress(OSError, RuntimeError):
                pair.server.write_eof()

    def orphan(self) -> None:
        """The clients' ends vanish with a FIN to them alone; towards the server the old connections stay, silent."""
        for pair in tuple(self._pairs):
            pair.swallowed.update(("up", "down", "orphan"))
            pair.client.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.count += 1
        if self.closed:
            writer.close()
            return
        try:
            server_reader, server_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.close()
            return
        pair = _Pair(writer, server_writer)
        self._pairs.add(pair)
        tasks = [
            asyncio.create_task(self._pump("up", self.up, pair, reader, server_writer)),
            asyncio.create_task(self._pump("down", self.down, pair, server_reader, writer)),
        ]
        self._tasks.update(tasks)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if "orphan" in pair.swallowed:
                await asyncio.wait(tasks[1:])
        finally:
            for task in tasks:
                task.cancel()
            self._tasks.difference_update(tasks)
            writer.close()
            server_writer.close()
            self._pairs.discard(pair)

    async def _pump(
        self, name: str, faults: Faults, pair: _Pair, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            while data := await reader.read(_CHUNK):
                if faults.latency_s or faults.jitter_s:
                    await asyncio.sleep(max(0.0, faults.latency_s + self._random.uniform(-1, 1) * faults.jitter_s))
                while faults.held:  # noqa: ASYNC110 - the test switches it
                    await asyncio.sleep(0.01)
                if faults.silent or name in pair.swallowed:
                    continue
                if faults.truncate:
                    faults.truncate = False
                    writer.write(data[: len(data) // 2])
                    await writer.drain()
                    return
                writer.write(data)
                await writer.drain()
                if faults.bytes_per_s:
                    await asyncio.sleep(len(data) / faults.bytes_per_s)
