"""A standby in a hall with keys, from enrolment to take-over: nobody carries a file, tables move by themselves."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from hallnet.desk_client import DeskClient
from hallnet.key_share import has_keys
from hallnet.nats_server import free_port
from hallnet.wire import GENERATION
from tests.faults.conftest import FAST
from tests.faults.hall import ADDRESS, CONFIG, ROOT, Hall, begin_round, check, drained, query, tells
from tests.faults.keyed import KeyedHall, keyed_hall
from tests.faults.puppet import until

pytestmark = pytest.mark.usefixtures("fast_beats")


def second_hub(hall: KeyedHall, folder: Path) -> int:
    """The settings of a standby that has its own key and the hall's certificate, and nothing else; its port."""
    folder.mkdir()
    hall.keys["standby", "two"].save(folder / "device.key")
    (folder / "device.pem").write_bytes(hall.ca.read_bytes())
    port = free_port()
    more = f'keys = true\nprimary = "127.0.0.1:{hall.port}"\nport = {port}\nkey = "device.key"\nca = "device.pem"\n'
    (folder / "hub.toml").write_text(CONFIG.format(more=more, rounds=3), encoding="utf-8")
    return port


async def standing_by(folder: Path) -> asyncio.subprocess.Process:
    """The standby's process, with a terminal."""
    with (folder / "hub.log").open("ab") as output:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "kiosk", "hub", "--standby", "--config", str(folder / "hub.toml"),
            cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=output, stderr=output,
        )  # fmt: skip


@pytest.mark.parametrize("mode", ["async", "both"])
def test_when_the_hub_is_gone_for_good_the_arbiter_lets_the_standby_take_its_place(folder: Path, mode: str) -> None:
    async def story() -> None:
        more, others = f'standby = "{mode}"\n', [("standby", "two"), ("desk", "chief")]
        async with keyed_hall(folder / "one", 3, more=more, others=others, set=FAST) as (hall, puppets):  # type: ignore[arg-type]
            desk = DeskClient(hall.as_holder("desk", "chief"), ADDRESS, "chief")
            await desk.start()
            await until(lambda: desk.hall is not None, what="the desk sees the hall")
            await begin_round(desk, puppets)
            two = folder / "two"
            port = second_hub(hall, two)
            process = await standing_by(two)
            await until(lambda: has_keys(two / "keys"), 20, "the hall's keys have come")
            await until(tells(desk, "standby hub two was given the hall's keys"), 5)
            for puppet in puppets:
                puppet.shuffle(6)
            await drained(puppets, 10)
            if mode == "both":
                await until(tells(desk, "Tables are answered when both hubs"), 5)
                # At any moment: what is acknowledged is at the second, and what is there is at the first.
                acknowledged = sum(puppet.outbox.acked for puppet in puppets)
                count = "SELECT count(*) FROM table_events"
                there, here = (query(hub / "hall.db", count)[0][0] for hub in (two, folder / "one"))
                assert 0 < acknowledged <= there <= here, "acknowledged is what both have"
            await until(lambda: f"127.0.0.1:{port}" in puppets[0].outbox.hubs, 15, "tables know the second hub")
            await until(lambda: desk.hall is not None and f"127.0.0.1:{port}" in desk.hall.head.hubs, 5)
            office = (await desk.intend("office")).d
            assert office["standby"]["state"] == "copying"
            assert office["standby"]["address"] == f"127.0.0.1:{port}"
            assert {(d["role"], d["name"]) for d in office["devices"]} >= {("table", "1"), ("standby", "two")}

            await hall.kill(transport=True)
            puppets[0].shuffle(2)
            await puppets[1].stop()  # this one is started again while there is no hub at all
            puppets[1] = hall.puppet(2)
            await puppets[1].start()
            assert process.stdin is not None
            process.stdin.write(b"take over\n")
            second = Hall.__new__(Hall)
            second.folder, second.process, second.keeping = two, process, None
            try:
                await until(lambda: (two / "hub.json").exists() and second.serves(), 20, second.words())
                await drained(puppets, 30)
                await until(lambda: all(p.link.view.state == "ok" for p in puppets), 30, "all tables have moved")
                await until(
                    lambda: desk.hall is not None and desk.hall.head.incarnation >= GENERATION, 30, "the desk too"
                )
                for puppet in puppets:
                    puppet.finish()
                await drained(puppets)
                await until(lambda: desk.hall is not None and desk.hall.head.done == 3, what="all results")
                answer = await desk.intend("key-revoke", role="standby", name="two")
                assert answer.ok, "the second hub has the hall's door in its hands"
                for path in (folder / "one").glob("table-*.db*"):
                    (two / path.name).write_bytes(path.read_bytes())
                check(second, results=3)
            finally:
                await desk.close()
                await second.stop()

    asyncio.run(story())


def test_a_standby_without_the_halls_keys_does_not_take_over(folder: Path) -> None:
    async def story() -> None:
        async with keyed_hall(folder / "one", 1, others=[("standby", "two")], set=FAST) as (hall, _puppets):
            two = folder / "two"
            second_hub(hall, two)
            await hall.kill(transport=True)
            process = await standing_by(two)
            log = two / "hub.log"
            await until(lambda: "stands by" in log.read_text(encoding="utf-8"), 20)
            assert process.stdin is not None
            process.stdin.write(b"take over\n")
            await until(lambda: "keys have not come" in log.read_text(encoding="utf-8"), 5)
            assert process.returncode is None
            process.terminate()
            assert await process.wait() == 0
            assert not (two / "keys" / "ca.pem").exists(), "no second authority was made"

    asyncio.run(story())
