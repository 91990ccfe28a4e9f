"""Who may use a device file, and who does: for the sentence that says what to do."""

from __future__ import annotations

import contextlib
import grp
import os
from pathlib import Path


def group_of(path: str, usual: str) -> str:
    """The group of a device file; `usual` if it cannot be told."""
    try:
        return grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return usual


def holder_of(path: str, proc: Path = Path("/proc")) -> str:
    """The program that has locked a device file, else one that has it open: "name (process 123)"; "" if none is seen.

    What other users' programs have open cannot be seen without being root.
    """
    try:
        seen = os.stat(path)
    except OSError:
        return ""
    pid = _locker(seen.st_ino, proc) or _opener(seen, proc)
    if pid is None:
        return ""
    name = ""
    with contextlib.suppress(OSError):
        name = (proc / str(pid) / "comm").read_text("utf-8", "replace").strip()
    return f"{name or '?'} (process {pid})"


def _locker(inode: int, proc: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (proc / "locks").read_text("ascii", "replace").splitlines():
            words = line.split()
            if words[1] == "FLOCK" and int(words[5].rpartition(":")[2]) == inode:
                return int(words[4])
    return None


def _opener(seen: os.stat_result, proc: Path) -> int | None:
    for fd in proc.glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError, ValueError):
            other, pid = fd.stat(), int(fd.parts[-3])
            if (other.st_dev, other.st_ino) == (seen.st_dev, seen.st_ino) and pid != os.getpid():
                return pid
    return None
