"""A hall as part of a site: what happens in its tournament goes up to the site's servers, and stays there.

Upwards a hub behaves like a table: its log is its outbox, each event has a name of its own, and what the site has not
acknowledged is sent again, for days if need be. The site's stream keeps three copies and drops doubles by their names.
A hall never waits for the site.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.js.api import StreamConfig

from hallnet.errors import store_error
from hallnet.keys import Credentials
from hallnet.transport_nats import connected_client
from hallnet.wire import Address

log = logging.getLogger(__name__)

STREAM = "HALLS"
SUBJECTS = ("site.*.*.log",)
#: Events in one go, and the pause between looks (s).
BATCH = 100
LOOK_S = 0.5
ANSWER_S = 3.0


class SiteLink:
    """Sends the events of the log at `path` up through the hall's own server `url`; `sent` is how far the site has it.

    The mark is kept in `path` with the suffix ".site": lost, it costs events sent twice, and the stream drops them.
    """

    def __init__(self, path: Path, url: str, address: Address, credentials: Credentials | None = None) -> None:
        self._path, self._url, self._address, self._credentials = path, url, address, credentials
        self._mark = path.with_name(path.name + ".site")
        self.sent = self._read_mark()

    async def run(self) -> None:
        """Sends for ever; a site that is away is tried again and again."""
        while True:
            client: Client | None = None
            try:
                client = await connected_client(self._url, "site link", self._credentials)
                while True:
                    if not await self._send(client):
                        await asyncio.sleep(LOOK_S)
            except (NatsError, OSError, TimeoutError) as error:
                log.info("the site does not answer: %s", error)
            finally:
                if client is not None:
                    with contextlib.suppress(Exception):
                        await client.close()
            await asyncio.sleep(LOOK_S)

    async def _send(self, client: Client) -> bool:
        """Sends what comes next; True if there may be more. Raises what the client raises."""
        log_id, rows = await asyncio.to_thread(self._rows)
        stream = client.jetstream(timeout=ANSWER_S)
        for number, payload in rows:
            await stream.publish(
                f"site.{self._address.event}.{self._address.hall}.log",
                payload,
                headers={"Nats-Msg-Id": f"{log_id}-{number}"},
            )
            self.sent = number
        if rows:
            await asyncio.to_thread(self._write_mark)
        return len(rows) == BATCH

    def _rows(self) -> tuple[str, list[tuple[int, bytes]]]:
        try:
            with contextlib.closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=10)) as store:
                found = store.execute("SELECT value FROM meta WHERE key = 'id'").fetchone()
                rows = store.execute(
                    "SELECT n, kind, at, d FROM tournament_events WHERE n > ? ORDER BY n LIMIT ?", (self.sent, BATCH)
                ).fetchall()
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error
        return str(found[0]) if found else "", [
            (n, json.dumps({"n": n, "kind": kind, "at": at, "d": json.loads(d)}).encode()) for n, kind, at, d in rows
        ]

    def _read_mark(self) -> int:
        try:
            return int(self._mark.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def _write_mark(self) -> None:
        new = self._mark.with_name(self._mark.name + ".new")
        new.write_text(f"{self.sent}\n", encoding="ascii")
        new.replace(self._mark)


async def make_stream(servers: Sequence[str], replicas: int = 3) -> None:
    """Make the site's stream, once, on servers that are a cluster. Raises what the client raises."""
    client = Client()
    await client.connect(servers=list(servers), allow_reconnect=False, connect_timeout=2)
    try:
        await client.jetstream(timeout=10).add_stream(
            StreamConfig(name=STREAM, subjects=list(SUBJECTS), num_replicas=replicas, duplicate_window=86_400)
        )
    finally:
        await client.close()
