"""The transport for fast tests, and the faults it can be ordered to make."""

from __future__ import annotations

import asyncio

import pytest

from hallnet.transport import Transport
from hallnet.transport_memory import Faults, MemoryBroker, MemoryTransport, matches


@pytest.mark.parametrize(
    ("pattern", "subject", "fits"),
    [
        ("h1.e.h.t.3.up", "h1.e.h.t.3.up", True),
        ("h1.e.h.t.*.up", "h1.e.h.t.3.up", True),
        ("h1.e.h.t.*.up", "h1.e.h.t.3.hb", False),
        ("h1.e.h.t.*", "h1.e.h.t.3.up", False),
        ("h1.e.h.t.*.up", "h1.e.h.t.3", False),
        ("h1.e.h.desks.>", "h1.e.h.desks.head", True),
        ("h1.e.h.desks.>", "h1.e.h.desks", False),
        ("h1.>", "h1.e.h.t.3.up", True),
    ],
)
def test_patterns_match_as_the_servers_do(pattern: str, subject: str, fits: bool) -> None:
    assert matches(pattern, subject) is fits


class Pair:
    """A table and a hub on one broker; `heard` is what the hub got, `seen` what the table was told of its link."""

    def __init__(self, seed: int = 1) -> None:
        self.broker = MemoryBroker(seed)
        self.table: Transport = MemoryTransport(self.broker, "table")
        self.hub: Transport = MemoryTransport(self.broker, "hub")
        self.heard: list[int] = []
        self.seen: list[bool] = []

    async def __aenter__(self) -> Pair:
        await self.hub.subscribe("up", lambda subject, payload: self.heard.append(int(payload)))
        self.table.on_change(self.seen.append)
        await self.table.start()
        await self.hub.start()
        assert not self.table.publish("up", b"0")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.table.close()
        await self.hub.close()

    async def say(self, *numbers: int) -> list[int]:
        """What of `numbers` the hub hears."""
        self.heard.clear()
        for number in numbers:
            self.table.publish("up", b"%d" % number)
        await asyncio.sleep(0.05)
        return list(self.heard)


def test_messages_arrive_in_order_while_all_is_well() -> None:
    async def main() -> None:
        async with Pair() as pair:
            assert await pair.say(*range(50)) == list(range(50))
            assert pair.broker.sent["up"] == 50

    asyncio.run(main())


def test_a_silent_cut_loses_messages_although_publishing_succeeds() -> None:
    async def main() -> None:
        async with Pair() as pair:
            pair.broker.faults("table", Faults(up_cut=True))
            assert pair.table.publish("up", b"1")
            assert await pair.say(2) == []
            pair.broker.faults("table", Faults(down_cut=True))
            assert await pair.say(3) == [3]
            pair.broker.faults("hub", Faults(down_cut=True))
            assert await pair.say(4) == []
            pair.broker.faults("hub")
            assert await pair.say(5) == [5]
            assert pair.seen == [True]

    asyncio.run(main())


def test_faults_lose_repeat_and_reorder() -> None:
    async def main() -> None:
        async with Pair() as pair:
            pair.broker.faults("table", Faults(drop=0.3))
            some = await pair.say(*range(200))
            assert some == sorted(set(some))
            assert 100 < len(some) < 180
            pair.broker.faults("table", Faults(duplicate=0.3))
            more = await pair.say(*range(200))
            assert set(more) == set(range(200))
            assert len(more) > 220
            pair.broker.faults("table", Faults(reorder=0.3))
            mixed = await pair.say(*range(200))
            assert mixed != sorted(mixed) == list(range(200))

    asyncio.run(main())


def test_a_dead_broker_disconnects_everybody_and_forgets_what_was_under_way() -> None:
    async def main() -> None:
        async with Pair() as pair:
            pair.table.publish("up", b"1")
            pair.broker.kill()
            assert not pair.table.connected
            assert await pair.say(2) == []
            pair.broker.revive()
            assert await pair.say(3) == [3]
            pair.broker.drop_client("table")
            assert await pair.say(4) == []
            pair.broker.restore_client("table")
            pair.broker.drop_client("hub")
            assert await pair.say(4) == []
            pair.broker.restore_client("hub")
            assert await pair.say(5) == [5]
            assert pair.seen == [True, False, True, False, True]

    asyncio.run(main())


def test_a_handler_that_fails_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Pair() as pair:

            def fail(subject: str, payload: bytes) -> None:
                raise ValueError("no such board")

            await pair.hub.subscribe(">", fail)
            assert await pair.say(1) == [1]

    asyncio.run(main())
    assert "no such board" in caplog.text
