"""N02, backup and restore, the standby and its take-over: the hub's disk or the hub itself is gone."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hallnet.hall_log import HallLog, Position
from hallnet.replication import Copy, OtherLog, ReplRows, answer
from hallnet.wire import GENERATION, decode, encode
from kiosk.demo.audit import audit
from tests.faults.conftest import FAST
from tests.faults.hall import ROOT, Hall, begin_round, check, drained, hall_of, query, tells
from tests.faults.puppet import Puppet, until

pytestmark = pytest.mark.usefixtures("fast_beats")


def aside(folder: Path, name: str) -> list[Path]:
    """What was set aside of a file."""
    return list(folder.glob(f"{name}.damaged-*"))


def zeros(path: Path) -> None:
    """Zeros of the same length."""
    path.write_bytes(bytes(path.stat().st_size))


@pytest.mark.parametrize("damaged", ["hall.db", "hall.db-wal", "nats.conf"])
def test_n02_a_store_of_zeros_is_set_aside_and_the_round_comes_again_from_the_tables(
    folder: Path, damaged: str
) -> None:
    async def story() -> None:
        async with hall_of(folder, 3, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
            await until((folder / "backup" / "hall.db").exists, what="the hub has made a copy by itself")
            await asyncio.sleep(0.3)
            for puppet in puppets:
                puppet.shuffle(4)
            await drained(puppets)
            await hall.kill(transport=True)
            if damaged == "hall.db":
                query(folder / damaged, "PRAGMA wal_checkpoint(TRUNCATE)")
            zeros(folder / damaged)
            await hall.start()
            async with hall.desk() as desk:
                if damaged != "nats.conf":
                    assert aside(folder, damaged), "moved aside, not deleted"
                    await until(tells(desk, "was damaged"), what="the arbiter reads what happened")
                    await until(tells(desk, "goes on from its copy"))
                assert desk.hall is not None
                assert desk.hall.head.phase == "running", "never an empty tournament"
                await drained(puppets)
                await until(lambda: all(p.link.view.state == "ok" for p in puppets))
                for puppet in puppets:
                    assert len(puppet.state.plies) == 4
                    puppet.finish()
                await drained(puppets)
                await until(lambda: desk.hall is not None and desk.hall.head.done == 3, what="all results")
            check(hall, results=3)

    asyncio.run(story())


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`hallkiosk` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "kiosk", *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_backup_made_while_running_is_restored_and_the_tables_send_what_it_lacks(folder: Path) -> None:
    async def story() -> None:
        config = str(folder / "hub.toml")
        async with hall_of(folder, 3, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
            puppets[0].shuffle(4)
            made = await asyncio.to_thread(command, "backup", str(folder / "copy.db"), "--config", config)
            assert made.returncode == 0, made.stderr
            puppets[0].shuffle(4)
            puppets[1].finish()
            await drained(puppets)
            running = await asyncio.to_thread(command, "restore", str(folder / "copy.db"), "--config", config)
            assert running.returncode == 2
            assert "in use by process" in running.stderr
            await hall.kill()
            for name in ("hall.db", "hall.db-wal"):
                (folder / name).unlink(missing_ok=True)
            restored = await asyncio.to_thread(command, "restore", str(folder / "copy.db"), "--config", config)
            assert restored.returncode == 0, restored.stderr
            await hall.start()
            await until(lambda: all(p.link.view.state == "ok" for p in puppets))
            await drained(puppets)
            for puppet in (puppets[0], puppets[2]):
                puppet.finish()
            await drained(puppets)
            # A table whose link has not noticed the change of hubs yet still counts as drained: look at the files.
            await until(lambda: audit(folder).lost == 0)
            check(hall, results=3)
        no_copy = await asyncio.to_thread(command, "restore", config, "--config", config)
        assert no_copy.returncode == 2
        assert "nothing was changed" in no_copy.stderr

    asyncio.run(story())


async def standby_of(hall: Hall, folder: Path) -> asyncio.subprocess.Process:
    """A second hub that copies the first."""
    shutil.copytree(hall.folder, folder, ignore=lambda _path, names: [n for n in names if n != "list.csv"])
    settings = (hall.folder / "hub.toml").read_text(encoding="utf-8")
    settings = settings.replace('data = "."', f'data = "."\nprimary = "127.0.0.1:{hall.port}"\nport = {free()}')
    (folder / "hub.toml").write_text(settings, encoding="utf-8")
    with (folder / "hub.log").open("ab") as output:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "kiosk", "hub", "--standby", "--config", str(folder / "hub.toml"),
            cwd=ROOT, stdin=asyncio.subprocess.PIPE, stdout=output, stderr=output,
        )  # fmt: skip


def free() -> int:
    """A free port."""
    from hallnet.nats_server import free_port

    return free_port()


def rows(folder: Path) -> int:
    """All rows that a standby copies."""
    try:
        return sum(query(folder / "hall.db", f"SELECT count(*) FROM {t}")[0][0] for t in (
            "table_events", "tournament_events", "key_events"))  # fmt: skip
    except Exception:  # noqa: BLE001 - it is only being made
        return -1


def test_the_standby_takes_over_when_the_arbiter_says_so_and_the_old_hub_closes(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder / "one", 3, set=FAST) as (hall, puppets):
            async with hall.desk() as desk:
                await begin_round(desk, puppets)
                process = await standby_of(hall, folder / "two")
                await until(tells(desk, "standby hub copies"), 20)
                for puppet in puppets:
                    puppet.shuffle(4)
                await drained(puppets)
                await until(lambda: rows(folder / "two") == rows(folder / "one"), 10, "the copy is complete")
                health = await desk.intend("health")
                assert health.d["standby behind"] >= 0
            second = Hall(folder / "two", 6)
            (folder / "two" / "hub.toml").write_text(
                (folder / "two" / "hub.toml").read_text(encoding="utf-8"), encoding="utf-8"
            )
            os.kill(hall.pid, signal.SIGSTOP)  # the first hub hangs; nobody knows whether it is dead
            puppets[0].shuffle(2)
            assert process.stdin is not None
            process.stdin.write(b"what\ntake over\n")
            second.process = process
            await until(lambda: (folder / "two" / "hub.json").exists() and second.serves(), 20, second.words())
            # Tables know both addresses from their settings.
            places = [f"nats://127.0.0.1:{second.port}"]
            moved: list[Puppet] = []
            for puppet in puppets:
                await puppet.stop()
                moved.append(second.puppet(puppet.name, folder=folder / "one"))
                moved[-1].transport._servers = places  # type: ignore[attr-defined]
                await moved[-1].start()
            puppets[:] = moved
            await drained(puppets)
            inc = query(folder / "two" / "hall.db", "SELECT d FROM tournament_events WHERE kind = 'hub-opened'")
            assert f'"incarnation":{GENERATION}' in inc[-1][0]
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            for path in (folder / "one").glob("table-*.db*"):
                shutil.copy(path, folder / "two" / path.name)
            check(second, results=3)
            # The old hub wakes up, hears from the second that it was replaced, and closes; no table goes back to it.
            os.kill(hall.pid, signal.SIGCONT)
            assert hall.process is not None
            async with asyncio.timeout(10):
                assert await hall.process.wait() == 2
            assert "another hub has taken over" in hall.words()
            await second.stop()

    asyncio.run(story())


# -- the copy itself ------------------------------------------------------------------------------------------------


def filled(path: Path, events: int) -> HallLog:
    """A log with so many rows."""
    log = HallLog.open(path)
    for n in range(events):
        log.copy_rows(
            [("1", 1, n + 1, "", "fault", 1, 1, "b", 1, "", "x" * 400, 1)], [("noted", n, "{}", "1", 1, n)], []
        )
    return log


def pull(source: HallLog, copy: Copy, bytes_each: int = 3_000) -> int:
    """Until the copy is complete; how many answers it took."""
    import hallnet.replication as replication

    replication.MOST_BYTES, before = bytes_each, replication.MOST_BYTES
    try:
        for count in range(1, 1_000):
            rows_sent = decode(encode(answer(source, decode(encode(copy.ask()), replication.ReplAsk), 1)), ReplRows)
            before_commit = copy.log.position()
            copy.take(rows_sent)
            if rows_sent.more:
                assert copy.log.position() == before_commit, "nothing is committed before all is there"
            elif copy.complete and copy.log.position() == source.position():
                return count
    finally:
        replication.MOST_BYTES = before
    raise AssertionError("the copy never ends")


def test_a_copy_in_many_parts_is_committed_in_one_piece_and_goes_on_from_there(tmp_path: Path) -> None:
    source = filled(tmp_path / "a.db", 40)
    copy = Copy(HallLog.open(tmp_path / "b.db"))
    assert pull(source, copy) > 3
    source.copy_rows([("1", 1, 99, "", "fault", 1, 1, "b", 1, "", "y", 1)], [], [])
    copy.log.close()
    again = Copy(HallLog.open(tmp_path / "b.db"))
    assert again.have == Position(40, 40, 0)
    assert pull(source, again) == 1
    assert again.log.position() == source.position()
    again.log.close()
    source.close()


def test_a_copy_never_mixes_two_logs(tmp_path: Path) -> None:
    source, other = filled(tmp_path / "a.db", 5), filled(tmp_path / "c.db", 9)
    copy = Copy(HallLog.open(tmp_path / "b.db"))
    pull(source, copy)
    with pytest.raises(OtherLog):
        copy.take(answer(other, copy.ask(), 1))
    shutil.copy(tmp_path / "a.db", tmp_path / "old.db")
    older = filled(tmp_path / "d.db", 2)
    older.set_meta(id=source.id)
    older.id = source.id
    copy.forget()
    with pytest.raises(OtherLog):
        copy.take(answer(older, copy.ask(), 1))
    for log in (source, other, older, copy.log):
        log.close()


def test_s12_a_spare_unit_takes_over_a_board_with_moves_and_clocks(folder: Path) -> None:
    async def story() -> None:
        async with hall_of(folder, 2, set=FAST) as (hall, puppets), hall.desk() as desk:
            await begin_round(desk, puppets)
            dead = puppets[0]
            dead.shuffle(7)
            await drained(puppets)
            clocks = dead.state.clocks(dead.state.t)
            await dead.stop()
            (folder / "spare").mkdir()
            spare = hall.puppet(1, folder=folder / "spare")
            puppets[0] = spare
            await spare.start()
            await until(lambda: spare.phase == "paused", 10, "the spare has the game")
            assert [p.uci for p in spare.state.plies] == [p.uci for p in dead.state.plies]
            assert spare.state.clocks(spare.timeline()) == clocks
            await until(lambda: desk.hall is not None and bool(desk.hall.head.calls), what="the arbiter is called")
            assert desk.hall is not None
            assert "another device took over" in desk.hall.head.calls[0].why
            answer = await desk.intend("resume", board=1)
            assert answer.ok, answer.why
            await until(lambda: spare.phase == "playing", what="play goes on")
            spare.shuffle(2)
            for puppet in puppets:
                puppet.finish()
            await drained(puppets)
            await until(lambda: desk.hall is not None and desk.hall.head.done == 2, what="both results")
            # The old unit wakes up and is told.
            old = hall.puppet(1)
            await old.start()
            await until(lambda: "taken the place" in old.link.view.why, 10, "the old unit is told")
            await old.stop()

    asyncio.run(story())
