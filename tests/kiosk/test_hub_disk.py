"""The hub's disk: one that is slow, forgetful or full is found before it costs an event."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from kiosk.hub import disk
from kiosk.hub.config import HubConfig
from kiosk.hub.opening import check_disk


def mounts(folder: Path, kind: str, options: str = "rw,relatime") -> Path:
    """A list of mounts with `folder` on its own file system."""
    path = folder / "mounts"
    path.write_text(f"/dev/root / ext4 rw 0 0\n/dev/sda {folder} {kind} {options} 0 0\n", encoding="utf-8")
    return path


def slow_by(monkeypatch: pytest.MonkeyPatch, seconds: float, every: int) -> None:
    """Every so many syncs take so long; the clock is turned on instead of waiting."""
    clock, count = [0.0], itertools.count(1)

    def fsync(_fd: int) -> None:
        clock[0] += seconds if next(count) % every == 0 else 0.001

    monkeypatch.setattr(disk.os, "fsync", fsync)
    monkeypatch.setattr(disk.time, "monotonic", lambda: clock[0])


def test_the_probe_measures_and_leaves_nothing(tmp_path: Path) -> None:
    assert 1 <= disk.probe(tmp_path, 5) < 5_000
    assert list(tmp_path.iterdir()) == []


def test_a_card_that_stalls_now_and_then_is_refused_for_a_new_hall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_by(monkeypatch, 0.4, every=50)
    with pytest.raises(disk.DiskUnfit, match="too slow for a hub: 401 ms"):
        disk.try_before_use(tmp_path, mounts(tmp_path, "ext4"))
    slow_by(monkeypatch, 0.2, every=2)
    disk.try_before_use(tmp_path, mounts(tmp_path, "ext4"))
    slow_by(monkeypatch, 9.0, every=200)
    disk.try_before_use(tmp_path, mounts(tmp_path, "ext4"))  # one in two hundred: that is not the 99th percentile


@pytest.mark.parametrize(("kind", "options"), [("overlay", "rw"), ("tmpfs", "rw"), ("ext4", "rw,data=writeback")])
def test_a_folder_that_forgets_at_a_power_cut_is_refused(tmp_path: Path, kind: str, options: str) -> None:
    with pytest.raises(disk.DiskUnfit, match="forgets at a power cut"):
        disk.try_before_use(tmp_path, mounts(tmp_path, kind, options))
    assert disk.file_system(tmp_path, tmp_path / "no such file") == ("", ())


def test_only_a_new_hall_on_the_network_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Path] = []
    monkeypatch.setattr("kiosk.hub.opening.try_before_use", tried.append)
    check_disk(HubConfig(data=tmp_path))
    check_disk(HubConfig(data=tmp_path, host="10.0.0.1", keys=True, disk_check=False))
    assert tried == []
    check_disk(HubConfig(data=tmp_path, host="10.0.0.1", keys=True))
    assert tried == [tmp_path]
    (tmp_path / "hall.db").touch()
    check_disk(HubConfig(data=tmp_path, host="10.0.0.1", keys=True))
    assert tried == [tmp_path], "in the middle of an event nobody is locked out"


def test_what_is_wrong_with_the_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert disk.look(tmp_path, 300, 0).state == "slow"
    assert "300 ms" in disk.look(tmp_path, 300, 0).why
    assert disk.look(tmp_path, 3, 5_000).state == "slow"
    assert disk.look(tmp_path, 3, 5).why == ""
    monkeypatch.setattr(disk, "LEAST_MB", 10**9)
    assert disk.look(tmp_path, 3, 5).state == "full"


def test_the_longest_commit_is_remembered_for_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(disk.time, "monotonic", lambda: clock[0])
    watch = disk.DiskWatch(tmp_path)
    assert watch.look().busy_ms == 0
    watch.note(900.0, 903.0)
    watch.note(999.0, 1_000.0)
    assert watch.look().busy_ms == 1_000, "the older one is forgotten"
    watch.note(1_000.0, 1_000.5)
    assert watch.look().busy_ms == 1_000
    clock[0] = 1_100.0
    assert watch.look().busy_ms == 0
