"""Folders in memory where a case is not about the disk, and heartbeats that do not take a minute."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
#: For the hub's process: presence in step with `fast_beats`.
FAST = {"kiosk.hub.tables:OFFLINE_MS": 1_100}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory, if this machine has one."""
    path = Path(tempfile.mkdtemp(prefix="hall", dir=MEMORY if MEMORY.is_dir() else None))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def fast_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times faster heartbeats and reconnects at the tables."""
    monkeypatch.setattr("hallnet.transport_nats.PAUSE_S", (0.02, 0.2))
    monkeypatch.setattr("kiosk.table.link.HEARTBEAT_S", 0.5)
    monkeypatch.setattr("kiosk.table.link.LOST_MS", 1_100)
