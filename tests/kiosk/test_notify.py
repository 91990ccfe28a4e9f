"""Signs of life: what systemd hears, and when it hears nothing."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk import notify
from kiosk.widgets.face import Face


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The other end of NOTIFY_SOCKET."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    path = str(tmp_path / "notify")
    if request.param == "path":
        listener.bind(path)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
    else:
        listener.bind("\0" + path)
        monkeypatch.setenv("NOTIFY_SOCKET", "@" + path)
    monkeypatch.setenv("WATCHDOG_USEC", "4000000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    listener.setblocking(False)
    yield listener
    listener.close()


def heard(manager: socket.socket) -> list[str]:
    words = []
    while True:
        try:
            words.append(manager.recv(1000).decode())
        except BlockingIOError:
            return words


def test_the_first_beat_says_ready_and_later_ones_come_at_the_interval(manager: socket.socket) -> None:
    now = 100.0
    heart = notify.Heart(("core",), lambda: now)
    heart.report("core")
    assert heard(manager) == ["READY=1\nWATCHDOG=1\nWATCHDOG_USEC=4000000"]
    for tenth in range(1, 31):
        now = 100.0 + tenth / 10
        heart.report("core")
    assert heard(manager) == ["WATCHDOG=1"] * 3


def test_a_process_that_becomes_another_has_time_to_start_and_then_no_more_than_before(manager: socket.socket) -> None:
    notify.about_to_start(90)
    assert heard(manager) == ["WATCHDOG=1\nWATCHDOG_USEC=90000000"]
    now = 0.0
    heart = notify.Heart(("core",), lambda: now)
    heart.report("core")
    now = 1.0
    heart.report("core")
    assert heard(manager) == ["READY=1\nWATCHDOG=1\nWATCHDOG_USEC=4000000", "WATCHDOG=1"]


def test_who_has_no_watchdog_is_given_none(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WATCHDOG_USEC")
    notify.about_to_start(90)
    notify.Heart(("core",)).report("core")
    assert heard(manager) == ["READY=1\nWATCHDOG=1"]


def test_one_silent_part_of_two_stops_the_beat(manager: socket.socket) -> None:
    now = 0.0
    heart = notify.Heart(("3", "4"), lambda: now)
    heart.report("3")
    assert heard(manager) == []
    heart.report("4")
    assert heard(manager) == ["READY=1\nWATCHDOG=1\nWATCHDOG_USEC=4000000"]
    for second in range(10, 60, 5):
        now = float(second)
        heart.report("3")
    assert heard(manager) == []


def test_a_watchdog_of_another_process_sets_no_pace(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "400000")
    assert notify.interval_s() == 0.1
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert notify.interval_s() == 2.0


def test_without_systemd_nothing_is_sent_and_nothing_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert not notify.notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "gone"))
    assert not notify.notify("READY=1")
    notify.Heart(("core",)).report("core")


def test_a_face_beats_while_it_paints(manager: socket.socket) -> None:
    async def story() -> list[str]:
        words: list[str] = []
        async with Face().run_test(), asyncio.timeout(20):
            while len(words) < 2:
                await asyncio.sleep(0.05)
                words += heard(manager)
        return words

    assert asyncio.run(story())[:2] == ["READY=1\nWATCHDOG=1\nWATCHDOG_USEC=4000000", "WATCHDOG=1"]
