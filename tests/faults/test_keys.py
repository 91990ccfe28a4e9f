"""N06 and the attack list: whoever has no key, the wrong one, or the right one for something else, gets nothing."""

from __future__ import annotations

import asyncio
import datetime
import random
import socket
import ssl
from pathlib import Path

import pytest

from hallnet import ca, wire
from hallnet.attack import Raw
from hallnet.errors import ServerFailed
from hallnet.hall_log import HallLog
from hallnet.keys import Credentials, Key
from hallnet.transport_nats import NatsTransport
from kiosk.hub.config import ConfigError, parse
from kiosk.hub.security import Watchman, attack_oneself, prepare
from tests.faults.conftest import FAST
from tests.faults.hall import ADDRESS, begin_round, check, drained, query, tells
from tests.faults.keyed import KeyedHall, keyed_hall
from tests.faults.puppet import until

pytestmark = pytest.mark.usefixtures("fast_beats")


async def enter(hall: KeyedHall, key: Key | None) -> tuple[Raw, str]:
    """A raw connection by the holder of a key."""
    raw = await Raw.open("127.0.0.1", hall.port, Credentials(Key.make(), hall.ca).tls())
    return raw, await raw.greet(key)


async def health(desk: object) -> dict[str, int]:
    """The hub's counters."""
    answer = await desk.intend("health")  # type: ignore[attr-defined]
    assert answer.ok, answer.why
    counted: dict[str, int] = answer.d
    return counted


def test_the_attack_list_is_refused_and_logged(folder: Path) -> None:
    async def story() -> None:
        others = [("wall", "wall1"), ("feed", "web"), ("standby", "two")]
        async with keyed_hall(folder, 3, others=others, set=FAST) as (hall, puppets), hall.desk() as desk:  # type: ignore[arg-type]
            await begin_round(desk, puppets)
            heard: list[str] = []
            spy = hall.as_holder("table", "2")  # a subscriber that must not get what table 1 forges
            for leaf in ("asg", "ord", "ack"):
                await spy.subscribe(ADDRESS.table("2", leaf), lambda subject, _payload: heard.append(subject))  # type: ignore[arg-type]
            await spy.start()
            await until(lambda: spy.connected)

            # no key, a foreign key
            for key in (None, Key.make()):
                _raw, error = await enter(hall, key)
                assert "Authorization" in error
            # plain TCP
            with socket.create_connection(("127.0.0.1", hall.port), 5) as plain:
                plain.settimeout(0.3)
                with pytest.raises(OSError, match="time"):
                    plain.recv(100)
            # a client with another CA does not talk to this server
            with pytest.raises(ssl.SSLError):
                await Raw.open("127.0.0.1", hall.port, ssl.create_default_context())
            # a table's key for everything that is not its own
            raw, error = await enter(hall, hall.keys["table", "1"])
            assert error == ""
            forged = b"{}"
            for subject in (
                ADDRESS.table("2", "up"), ADDRESS.table("2", "asg"), ADDRESS.table("2", "ack"),
                ADDRESS.table("1", "ack"), ADDRESS.all_round, ADDRESS.desk("desk1", "in"), ADDRESS.desks("head"),
                f"{ADDRESS.root}.repl.in", f"{ADDRESS.root}.enrol.x.up", "pub.faults.x", "$SYS.REQ.SERVER.PING",
            ):  # fmt: skip
                assert "Permissions Violation" in await raw.publish(subject, forged), subject
            for pattern in (">", "h1.>", ADDRESS.table("2", "asg"), ADDRESS.table("*", "up"), "$SYS.>", "pub.>",
                            f"{ADDRESS.table('*', 'up')} queue"):  # fmt: skip
                assert "Permissions Violation" in await raw.say(f"SUB {pattern} 9\r\n".encode()), pattern
            # a reply subject aimed at another table: the hub answers who spoke, not where he points
            ask = wire.Ask(boot="boot-1", instance=puppets[0].outbox.instance, e=1, round=1, rev=1, last=1, acked=1,
                           inc=1, n=99)  # fmt: skip
            await raw.publish(ADDRESS.table("1", "ask"), wire.encode(ask), reply=ADDRESS.table("2", "ord"))
            # the wall's key, the spectators' and the standby's
            for role, name, subject in (
                ("wall", "wall1", ADDRESS.desk("desk1", "in")), ("feed", "web", "pub.faults.x"),
                ("feed", "web", ADDRESS.table("1", "up")), ("standby", "two", ADDRESS.table("1", "ord")),
            ):  # fmt: skip
                other, error = await enter(hall, hall.keys[role, name])
                assert error == ""
                assert "Permissions Violation" in await other.publish(subject, forged)
                other.close()
            assert "Permissions Violation" in await (await enter(hall, hall.keys["feed", "web"]))[0].say(
                f"SUB {ADDRESS.root}.> 1\r\n".encode()
            )
            # a desk command without the right
            async with hall.desk("wall1") as wall:
                assert wall.hall is not None, "it sees the hall"
                answer = await wall.intend("pause", board=0)
                assert not answer.ok
                assert "only look" in answer.why

            await until(tells(desk, "table 1 wanted to write on"), what="the arbiter is told who")
            await until(tells(desk, "an unknown key wanted to come in"))
            async with asyncio.timeout(10):
                while (await health(desk))["refused"] < 25:  # noqa: ASYNC110 - the server's log is read now and then
                    await asyncio.sleep(0.1)
            assert "security: table 1: write" in hall.words()
            for puppet in puppets:
                assert puppet.phase == "playing"
                puppet.finish()
            await drained(puppets)
            assert heard == [subject for subject in heard if subject.endswith(".ack")], "nothing forged arrived"
            await spy.close()
            check(hall, results=3)

    def transport(self: KeyedHall, name: str, port: int = 0) -> NatsTransport:
        role = "wall" if name.startswith("wall") else ""
        return self.as_holder(role, name, port) if role else original(self, name, port)

    original = KeyedHall.transport
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeyedHall, "transport", transport)
        asyncio.run(story())


def test_payloads_that_mean_nothing_harm_nobody(folder: Path) -> None:
    """Oversized, malformed, fuzzed and replayed: kept aside or ignored, and the hall goes on."""

    async def story() -> None:
        async with keyed_hall(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            puppets[0].shuffle(4)
            await drained(puppets)
            own = puppets[0].outbox.pending(0, 8)
            raw, _error = await enter(hall, hall.keys["table", "1"])
            dice = random.Random(8)
            good = wire.encode(wire.Batch(events=own, boot="boot-1"))
            for leaf in ("up", "ask", "hb"):
                subject = ADDRESS.table("1", leaf)  # type: ignore[arg-type]
                for n in range(60):
                    spoiled = bytearray(good)
                    for _n in range(dice.randint(1, 8)):
                        spoiled[dice.randrange(len(spoiled))] = dice.randrange(256)
                    payload = bytes(spoiled) if n % 3 else dice.randbytes(dice.randrange(200))
                    assert await raw.publish(subject, payload) == ""
                await raw.publish(subject, b"[" * 10_000)
                await raw.publish(subject, b'{"v":1,"events":"' + b"x" * 16_000 + b'"}')
            await raw.publish(ADDRESS.table("1", "up"), good)  # replayed: these are there
            # What is larger than a message may be does not even reach the hub: the server cuts its sender off.
            for role, name, subject in (
                ("table", "1", ADDRESS.table("1", "up")), ("desk", "desk1", ADDRESS.desk("desk1", "in")),
            ):  # fmt: skip
                other, error = await enter(hall, hall.keys[role, name])
                assert error == ""
                assert "Maximum Payload" in await other.publish(subject, b"x" * (wire.MAX_PAYLOAD + 1)), role
            await until(tells(desk, "table 1 sent what is too large"), 5, "and the arbiter is told")
            counted = await health(desk)
            assert counted["duplicates"] >= len(own)
            assert counted["set aside"] > 50
            rows = query(folder / "hall.db", "SELECT max(length(payload)) FROM set_aside")
            assert rows[0][0] <= 16_384, "nobody fills the disk with one message"
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            check(hall, results=2)

    asyncio.run(story())


def test_n06_a_table_whose_key_is_revoked_keeps_its_events_and_says_so(folder: Path) -> None:
    async def story() -> None:
        async with keyed_hall(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            first = puppets[0]
            answer = await desk.intend("key-revoke", role="table", name="1", why="test")
            assert answer.ok, answer.why
            await until(lambda: not first.transport.connected, 5, "the server cuts it off")
            first.shuffle(5)
            await until(lambda: "not authorised" in first.link.view.why, 5, "its screen says why")
            assert first.waiting >= 5
            assert puppets[1].link.view.why == ""
            await until(tells(desk, "the revoked key of table 1 wanted to come in"), 5)
            granted = await desk.intend("key-grant", role="table", name="1", public=hall.keys["table", "1"].public)
            assert granted.ok, granted.why
            await drained(puppets)
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            check(hall, results=2)

    asyncio.run(story())


def test_a_rotated_key_is_good_for_another_minute_and_then_no_more(folder: Path) -> None:
    async def story() -> None:
        faults = {**FAST, "hallnet.keyring:ROTATION_MS": 4_000}
        async with keyed_hall(folder, 2, set=faults) as (hall, puppets), hall.desk() as desk:
            new = Key.make()
            granted = await desk.intend("key-grant", role="table", name="1", public=new.public)
            assert granted.ok, granted.why
            async with asyncio.timeout(3):  # the server turns away who comes in the instant it reads its users
                raw, error = await enter(hall, new)
                while error:
                    raw, error = await enter(hall, new)
            _raw, error = await enter(hall, hall.keys["table", "1"])
            assert error == "", "the old key is still good"
            await until(lambda: not puppets[0].transport.connected, 20, "the old key runs out")
            _raw, error = await enter(hall, hall.keys["table", "1"])
            assert "Authorization" in error
            assert await raw.say(b"") == "", "the new one stays"
            keys = {(k["role"], k["name"]): k["public"] for k in (await desk.intend("keys")).d}
            assert keys["table", "1"] == new.public

    asyncio.run(story())


def test_a_thousand_half_open_connections_keep_nobody_out(folder: Path) -> None:
    async def story() -> None:
        async with keyed_hall(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            half_open: list[socket.socket] = []
            try:
                for _n in range(1_000):
                    sock = socket.socket()
                    sock.setblocking(False)
                    sock.connect_ex(("127.0.0.1", hall.port))
                    half_open.append(sock)
                await puppets[0].stop()
                puppets[0] = hall.puppet(1)
                await puppets[0].start()
                await until(lambda: puppets[0].link.view.state == "ok", 5, "a table still comes in")
                for puppet in puppets:
                    puppet.finish()
                await drained(puppets, 5)
                check(hall, results=2)
            finally:
                for sock in half_open:
                    sock.close()

    asyncio.run(story())


def test_n09_a_certificate_that_is_not_valid_yet_keeps_nobody_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that believes it is 1970 sees every certificate as one of the future; here it is one."""

    async def story() -> None:
        future = datetime.datetime(2090, 1, 1, tzinfo=datetime.UTC)
        monkeypatch.setattr("hallnet.ca._BEGIN", future)
        ca.ensure(folder / "keys", "hall", int(future.timestamp() * 1000))
        async with keyed_hall(folder, 1, more="tables = 1\n") as (_hall, puppets):
            await until(lambda: puppets[0].link.view.state == "ok", 5)

    asyncio.run(story())


def test_the_attack_on_oneself_finds_a_hole_and_keeps_the_door_shut(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        log = HallLog.open(folder / "hall.db")
        door = prepare(folder, log, ADDRESS)
        await attack_oneself(door, ())
        monkeypatch.setattr("hallnet.keyring.permissions", lambda *_a: {"publish": (">",), "subscribe": (">",)})
        with pytest.raises(ServerFailed, match="hearing everything"):
            await attack_oneself(door, ())
        log.close()

    asyncio.run(story())


def test_a_hub_on_the_network_without_keys_is_refused() -> None:
    with pytest.raises(ConfigError, match="needs keys") as refused:
        parse('event = "x"\nhost = "0.0.0.0"\n', "hub.toml")
    assert refused.value.line == 2
    assert parse('host = "0.0.0.0"\nkeys = true\n').keys
    assert not parse("").keys


def test_the_watchman_reads_who_was_turned_away_and_does_not_let_his_book_grow(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = folder / "nats.log"
    book.write_text("of before\n", encoding="utf-8")
    watchman = Watchman(book)
    key = Key.make().public
    lines = [
        f'[ERR] 1.2.3.4:5 - cid:1 - "v1:x" - "HALL/nkey:{key}" - Publish Violation - Subject "h1.a.b.t.8.up"',
        f'[ERR] 1.2.3.4:5 - cid:1 - "v1:x" - "HALL/nkey:{key}" - Subscription Violation - Subject ">", SID 1',
        "[ERR] 1.2.3.4:5 - cid:2 - authentication error",
        "[ERR] 1.2.3.4:5 - cid:3 - TLS handshake error: EOF",
        f'[ERR] 1.2.3.4:5 - cid:4 - "v1:x" - "FLOOR/nkey:{key}" - maximum payload exceeded: 20000 vs 16384',
        "[ERR] 1.2.3.4:5 - cid:5 - maximum account active connections exceeded",
        "[INF] nothing",
    ]
    with book.open("a", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in [*lines, lines[0]])
    seen = {(r.what, r.who, r.subject): r.count for r in watchman.look(1, 1)}
    assert seen == {
        ("write", key, "h1.a.b.t.8.up"): 2, ("listen", key, ">"): 1, ("key", "", ""): 1, ("tls", "", ""): 1,
        ("size", key, ""): 1, ("crowd", "", ""): 1,
    }  # fmt: skip
    assert watchman.look(1, 1) == []
    monkeypatch.setattr("kiosk.hub.security.LONGEST_LOG", 100)
    with book.open("a", encoding="utf-8") as file:
        file.write("x" * 600 + "\n")
    while watchman.look(1, 1) or book.stat().st_size > 100:
        pass
    with book.open("a", encoding="utf-8") as file:
        file.write(lines[2] + "\n")
    assert [r.what for r in watchman.look(1, 1)] == ["key"]
