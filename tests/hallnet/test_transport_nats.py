"""The transport and its server as real processes: killed, restarted, found in the way."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hallnet import nats_server
from hallnet.errors import PortBusy, ServerFailed, ServerMissing, ServerNotRunnable, ServerTooOld
from hallnet.nats_server import NatsServer, check_version, find_server, free_port
from hallnet.transport import Transport
from hallnet.transport_nats import NatsTransport

SERVER = shutil.which("nats-server", path=sysconfig.get_path("scripts")) or shutil.which("nats-server")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hallnet.transport_nats.PAUSE_S", (0.02, 0.1))


@pytest.fixture(autouse=True)
def no_server_left(tmp_path: Path) -> Iterator[None]:
    """A test that fails half-way leaves no server behind."""
    yield
    pid_file = tmp_path / "nats.pid"
    if pid_file.exists():
        pid = int(pid_file.read_text())
        arguments = Path(f"/proc/{pid}/cmdline")
        if arguments.exists() and str(tmp_path).encode() in arguments.read_bytes():
            os.kill(pid, signal.SIGKILL)


async def until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for is in another process
            await asyncio.sleep(0.005)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"


async def listener(transport: Transport, pattern: str) -> list[tuple[str, bytes]]:
    heard: list[tuple[str, bytes]] = []
    await transport.subscribe(pattern, lambda subject, payload: heard.append((subject, payload)))
    return heard


def test_messages_flow_and_survive_a_kill_of_the_server(tmp_path: Path) -> None:
    async def main() -> None:
        server = NatsServer(tmp_path, free_port())
        hub, table = NatsTransport([server.url], "hub"), NatsTransport([server.url], "table 3")
        seen: list[bool] = []
        table.on_change(seen.append)
        ups = await listener(hub, "h1.e.h.t.*.up")
        hub.on_change(lambda connected: 1 // 0)  # type: ignore[arg-type]
        await hub.start()
        await table.start()
        # The clients came first: they wait for the server.
        assert not table.publish("h1.e.h.t.3.up", b"too early")
        await server.start()
        watch = asyncio.create_task(server.supervise())
        await until(lambda: hub.connected and table.connected)
        for n in range(500):
            assert table.publish("h1.e.h.t.3.up", b"%d" % n)
        await until(lambda: len(ups) == 500)
        assert ups == [("h1.e.h.t.3.up", b"%d" % n) for n in range(500)]

        first = server.pid
        os.kill(first, signal.SIGKILL)
        await until(lambda: not table.connected)
        assert not table.publish("h1.e.h.t.3.up", b"lost")
        await until(lambda: hub.connected and table.connected)
        assert server.pid != first
        assert server.restarts == 1
        acks = await listener(table, "h1.e.h.t.3.ack")
        async with asyncio.timeout(60):
            # At most once: what is said before the other side is listening again is heard by nobody.
            while not acks or ups[-1][1] != b"again":
                hub.publish("h1.e.h.t.3.ack", b"ack")
                table.publish("h1.e.h.t.3.up", b"again")
                await asyncio.sleep(0.05)
        assert seen == [True, False, True]

        table.publish("h1.e.h.t.3.up", b"last words")
        await table.close()
        await table.close()
        await until(lambda: ups[-1][1] == b"last words")
        await hub.close()
        second = server.pid
        await server.stop()
        await server.stop()
        await watch
        assert server.pid == 0
        assert not alive(second)
        assert not (tmp_path / "nats.pid").exists()

    asyncio.run(main())


def test_a_message_larger_than_a_tables_arrives_and_a_failing_handler_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        server = NatsServer(tmp_path, free_port())
        await server.start()
        hub, desk = NatsTransport([server.url], "hub"), NatsTransport([server.url], "desk")

        def fail(subject: str, payload: bytes) -> None:
            raise ValueError("no such board")

        await desk.subscribe(">", fail)
        outs = await listener(desk, "h1.e.h.d.a.out")
        for transport in (hub, desk):
            await transport.start()
        await until(lambda: hub.connected and desk.connected)
        hub.publish("h1.e.h.d.a.out", b"x" * 400_000)
        await until(lambda: outs)
        assert len(outs[0][1]) == 400_000
        await hub.close()
        await desk.close()
        await server.stop()

    asyncio.run(main())
    assert "no such board" in caplog.text


def test_a_full_queue_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    async def main() -> None:
        server = NatsServer(tmp_path, free_port())
        await server.start()
        hub = NatsTransport([server.url], "hub")
        await hub.start()
        await until(lambda: hub.connected)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            results = [hub.publish("h1.e.h.t.3.snap", b"x" * 10_000) for _n in range(2_000)]
            assert time.monotonic() - began < 1
            assert results[0]
            assert not results[-1]
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await hub.close()
        await server.stop()

    asyncio.run(main())


HUB = """
import asyncio, sys
from pathlib import Path
from hallnet import nats_server
if sys.argv[3] == "leave it":
    nats_server.end_with_parent = lambda: None
async def main():
    server = nats_server.NatsServer(Path(sys.argv[1]), int(sys.argv[2]))
    await server.start()
    print(server.pid, flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def server_of_a_killed_hub(folder: Path, port: int, how: str) -> int:
    """The pid of the server whose hub was killed a moment ago."""
    command = (sys.executable, "-c", HUB, str(folder), str(port), how)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as hub:
        assert hub.stdout is not None
        pid = int(hub.stdout.readline())
        hub.kill()
    return pid


def test_the_server_ends_with_a_killed_hub(tmp_path: Path) -> None:
    pid = server_of_a_killed_hub(tmp_path, free_port(), "end it")
    for _look in range(300):
        if not alive(pid):
            break
        time.sleep(0.05)
    assert not alive(pid)


def test_a_server_that_a_killed_hub_left_behind_is_replaced(tmp_path: Path) -> None:
    port = free_port()
    orphan = server_of_a_killed_hub(tmp_path, port, "leave it")
    assert alive(orphan)

    async def main() -> None:
        server = NatsServer(tmp_path, port)
        await server.start()
        assert not alive(orphan)
        assert server.pid != orphan
        assert (tmp_path / "nats.pid").read_text() == str(server.pid)
        await server.stop()

    asyncio.run(main())


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.1, 0.102, 0.11])
def test_nothing_is_left_when_the_hub_stops_just_after_the_server_died(tmp_path: Path, delay: float) -> None:
    async def main() -> None:
        server = NatsServer(tmp_path, free_port())
        await server.start()
        watch = asyncio.create_task(server.supervise())
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.sleep(delay)
        await server.stop()
        await asyncio.wait_for(watch, 5)
        with socket.socket() as probe:
            probe.settimeout(1)
            assert probe.connect_ex((server.host, server.port)) != 0

    asyncio.run(main())


def test_a_stranger_with_the_pid_of_the_old_server_is_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen(("sleep", "60")) as stranger:
        (tmp_path / "nats.pid").write_text(str(stranger.pid))

        async def main() -> None:
            server = NatsServer(tmp_path, free_port())
            await server.start()
            await server.stop()

        asyncio.run(main())
        assert stranger.poll() is None
        stranger.kill()


def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortBusy, match=f"port {port} .*another port") as caught:
            asyncio.run(NatsServer(tmp_path, port).start())
        assert caught.value.port == port
    with pytest.raises(ServerFailed, match="choose another"):
        asyncio.run(NatsServer(tmp_path, free_port(), host="203.0.113.7").start())


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_server_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    fake = script(
        tmp_path / "nats-server",
        '#!/bin/sh\n[ "$1" = --version ] && echo "nats-server: v2.15.1" && exit\necho "the moon is full" >&2\nexit 3\n',
    )
    with pytest.raises(ServerFailed, match="the moon is full"):
        asyncio.run(NatsServer(tmp_path, free_port(), binary=fake).start())


def test_a_server_that_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats_server, "START_S", 0.3)
    fake = script(
        tmp_path / "nats-server",
        '#!/bin/sh\n[ "$1" = --version ] && echo "nats-server: v2.15.1" && exit\necho "thinking"\necho $$ > '
        f"{tmp_path}/pid\nexec sleep 60\n",
    )
    with pytest.raises(ServerFailed, match=r"did not answer.*thinking"):
        asyncio.run(NatsServer(tmp_path, free_port(), binary=fake).start())
    assert not alive(int((tmp_path / "pid").read_text()))


def test_only_a_server_that_is_new_enough_and_runs_here_is_used(tmp_path: Path) -> None:
    assert SERVER is not None
    assert check_version(Path(SERVER)) >= (2, 14, 0)
    old = script(tmp_path / "old", "#!/bin/sh\necho nats-server: v2.10.7\n")
    with pytest.raises(ServerTooOld, match=r"2\.10\.7.*2\.14"):
        check_version(old)
    with pytest.raises(ServerNotRunnable, match="really nats-server"):
        check_version(script(tmp_path / "cat", "#!/bin/sh\necho meow\n"))
    foreign = script(tmp_path / "arm", "")
    # An ELF header for a processor that does not exist.
    foreign.write_bytes(b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xf0\xff\x01\0\0\0" + b"\0" * 100)
    with pytest.raises(ServerNotRunnable, match="another kind of processor"):
        check_version(foreign)
    old.chmod(0o644)
    with pytest.raises(ServerNotRunnable, match=r"chmod \+x"):
        check_version(old)
    with pytest.raises(ServerNotRunnable, match="anew"):
        check_version(tmp_path / "nothing")


def test_the_server_is_found_in_the_settings_beside_python_or_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SERVER is not None
    mine = script(tmp_path / "nats-server", "#!/bin/sh\n")
    assert find_server(mine) == mine
    assert find_server().name == "nats-server"
    with pytest.raises(ServerMissing, match="correct the path"):
        find_server(tmp_path / "nothing")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "elsewhere" / "python"))
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server() == mine
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    with pytest.raises(ServerMissing, match="install"):
        find_server()


def test_a_long_log_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nats_server, "LONGEST_LOG", 10)
    (tmp_path / "nats.log").write_text("what happened yesterday")

    async def main() -> None:
        server = NatsServer(tmp_path, free_port())
        await server.start()
        await server.stop()

    asyncio.run(main())
    assert (tmp_path / "nats.log.1").read_text() == "what happened yesterday"
    assert "yesterday" not in (tmp_path / "nats.log").read_text()
