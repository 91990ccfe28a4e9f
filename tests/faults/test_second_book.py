"""The log is destroyed and there is no standby: what was decided since the last copy is in the second book."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kiosk.demo.audit import audit
from tests.faults.conftest import FAST
from tests.faults.hall import begin_round, check, drained, hall_of, query, tells
from tests.faults.puppet import until

pytestmark = pytest.mark.usefixtures("fast_beats")
RESULTS = "SELECT count(*), count(DISTINCT d) FROM tournament_events WHERE kind = 'resulted'"


def in_the_way(folder: Path) -> bool:
    """A folder where the hub wants to write; False as long as it is writing there."""
    try:
        folder.mkdir()
    except FileExistsError:
        return False
    return True


@pytest.mark.parametrize("copy", ["none", "from before the round"])
def test_a_public_round_and_its_rulings_outlive_the_log(folder: Path, copy: str) -> None:
    async def story() -> None:
        broken = folder / "backup" / "hall.db.new"  # with a folder of this name no copy can be made
        if copy == "none":
            broken.mkdir(parents=True)
        async with hall_of(folder, 3, set=FAST) as (hall, puppets):
            if copy != "none":
                await until((folder / "backup" / "hall.db").exists, what="the hub has made a copy by itself")
                await until(lambda: in_the_way(broken), what="no copy is just being made")
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
                puppets[0].shuffle(4)
                puppets[1].finish()  # confirmed by both: official, and in the second book
                ruled = await desk.intend("result", board=3, score="1-0", why="the phone rang")
                assert ruled.ok, ruled.why
                await drained(puppets)
            sheet = query(folder / "hall.db", "SELECT d FROM tournament_events WHERE kind = 'published'")
            await hall.kill(transport=True)
            copies = sum(path.is_file() for path in (folder / "backup").glob("hall.db*"))
            assert copies == 0 if copy == "none" else copies
            broken.rmdir()
            query(folder / "hall.db", "PRAGMA wal_checkpoint(TRUNCATE)")
            (folder / "hall.db").write_bytes(bytes(8192))
            await hall.start()
            async with hall.desk() as desk:
                await until(tells(desk, "are from the second book"), what="the arbiter reads what happened")
                assert desk.hall is not None
                assert desk.hall.head.phase == "running"
                assert query(folder / "hall.db", "SELECT d FROM tournament_events WHERE kind = 'published'") == sheet
                await drained(puppets)
                await until(lambda: all(p.link.view.state == "ok" for p in puppets))
                puppets[0].finish()
                await drained(puppets)
                await until(lambda: desk.hall is not None and desk.hall.head.done == 3, what="all results")
            assert query(folder / "hall.db", RESULTS) == [(3, 3)], "what had its effect before has it once"
            # A table learns only from the new hub's answer that it has to send again what was acknowledged once.
            await until(lambda: audit(folder).lost == 0, 30, "the tables have sent again what the log had lost")
            check(hall, results=3)

    asyncio.run(story())
