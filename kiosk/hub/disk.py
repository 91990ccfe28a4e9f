"""How the hub's disk is: how long a synced write takes, how much room there is, and whether the folder outlives a cut.

A memory card stalls now and then for tenths of a second, and a full or lying disk ends an event. So a new hall's folder
is tried before anything is written to it, and looked at while the hall runs.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import shutil
import time
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import HallnetError
from hallnet.views import DiskView

#: The probe before a new hall is opened on the network, and the one while it runs.
WRITES, FEW = 300, 30
BLOCK = 4_096
#: A synced write of which one in a hundred takes longer is too slow for a hub (ms).
SLOWEST_MS = 250
#: A single commit that took so long is told (ms).
LONGEST_COMMIT_MS = 2_000
#: Less free space than this is told (MB).
LEAST_MB = 500
#: The longest commit of so many seconds is remembered; the disk is looked at this often.
REMEMBERED_S = 60.0
LOOK_S = 10.0
#: File systems that forget what is written to them.
_FORGETFUL = frozenset({"overlay", "tmpfs", "ramfs", "squashfs"})


class DiskUnfit(HallnetError):
    """The folder's disk is not fit for a hub."""


def probe(folder: Path, writes: int = WRITES) -> int:
    """The 99th percentile (ms, rounded up) of so many synced writes of 4 kB in `folder`. Raises `OSError`."""
    path = folder / f".probe-{os.getpid()}"
    block = secrets.token_bytes(BLOCK)
    took: list[float] = []
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        for _n in range(writes):
            began = time.monotonic()
            os.write(fd, block)
            os.fsync(fd)
            took.append(time.monotonic() - began)
    finally:
        os.close(fd)
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    took.sort()
    return int(took[max(0, -(-len(took) * 99 // 100) - 1)] * 1000) + 1


def look(folder: Path, sync_ms: int, busy_ms: int) -> DiskView:
    """The folder's disk now, with the probe's figure and the longest commit of late. Raises `OSError`."""
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    if free_mb < LEAST_MB:
        why = _("Only {free} MB are free on the hub's disk: make room, {least} MB at least.")
        return DiskView(state="full", free_mb=free_mb, sync_ms=sync_ms, busy_ms=busy_ms,
                        why=why.format(free=free_mb, least=LEAST_MB))  # fmt: skip
    if sync_ms > SLOWEST_MS:
        why = _("The hub's disk is slow ({ms} ms to write safely, {most} ms are good): use an SSD at the next event.")
        return DiskView(state="slow", free_mb=free_mb, sync_ms=sync_ms, busy_ms=busy_ms,
                        why=why.format(ms=sync_ms, most=SLOWEST_MS))  # fmt: skip
    if busy_ms > LONGEST_COMMIT_MS:
        why = _("The hub's disk has stalled for some seconds: results come late, nothing is lost.")
        return DiskView(state="slow", free_mb=free_mb, sync_ms=sync_ms, busy_ms=busy_ms, why=why)
    return DiskView(state="ok", free_mb=free_mb, sync_ms=sync_ms, busy_ms=busy_ms)


def try_before_use(folder: Path, mounts: Path = Path("/proc/mounts")) -> None:
    """Is the disk of `folder` good enough to begin an event? Raises `DiskUnfit` with what to do, and `OSError`."""
    kind, options = file_system(folder, mounts)
    if kind in _FORGETFUL or "data=writeback" in options:
        raise DiskUnfit(
            _(
                "{folder} is on {kind}, which forgets at a power cut: name a folder on the card or an SSD (data = …)"
            ).format(folder=folder, kind=kind if kind in _FORGETFUL else "data=writeback")
        )
    p99 = probe(folder)
    if p99 > SLOWEST_MS:
        raise DiskUnfit(
            _(
                "the disk of {folder} is too slow for a hub: {ms} ms to write safely, {most} ms are allowed. "
                "Use an SSD, or a better card (disk-check = false begins all the same)"
            ).format(folder=folder, ms=p99, most=SLOWEST_MS)
        )


def file_system(folder: Path, mounts: Path = Path("/proc/mounts")) -> tuple[str, tuple[str, ...]]:
    """The kind and the mount options of the file system that `folder` is on; ("", ()) if that cannot be told."""
    best: tuple[int, str, tuple[str, ...]] = (-1, "", ())
    with contextlib.suppress(OSError):
        here = folder.resolve()
        for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
            fields = line.split()
            if len(fields) < 4:
                continue
            place = Path(fields[1].encode().decode("unicode_escape", "replace"))
            if (here == place or place in here.parents) and len(place.parts) >= best[0]:
                best = (len(place.parts), fields[2], tuple(fields[3].split(",")))
    return best[1], best[2]


class DiskWatch:
    """Looks at the disk of `folder` while the hall runs; `note` it how long each step took (from any thread)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sync_ms = 0
        self._longest: tuple[float, float] = (0.0, -math.inf)

    def note(self, began: float, ended: float) -> None:
        """A step with a commit ran from `began` to `ended` (monotonic s)."""
        took, at = self._longest
        if ended - began > took or ended - at > REMEMBERED_S:
            self._longest = (ended - began, ended)

    def first_look(self) -> DiskView:
        """With a short probe. Blocks; raises `OSError`."""
        self._sync_ms = probe(self._folder, FEW)
        return self.look()

    def look(self) -> DiskView:
        """Without one. Raises `OSError`."""
        took, at = self._longest
        fresh = time.monotonic() - at <= REMEMBERED_S
        return look(self._folder, self._sync_ms, int(took * 1000) if fresh else 0)
