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
    pid = _locker(seen, proc) or _opener(seen, proc)
    if pid is None:
        return ""
    name = ""
    with contextlib.suppress(OSError):
        name = (proc / str(pid) / "comm").read_text("utf-8", "replace").strip()
    return f"{name or '?'} (process {pid})"


def _locker(seen: os.stat_result, proc: Path) -> int | None:
    # proc_locks(5): number, kind, mode, access, process, major:minor:inode (hex, hex, decimal), start, end.
    # The inode of a pseudo-terminal has a small number, which files of other file systems have too.
    file = f"{os.major(seen.st_dev):02x}:{os.minor(seen.st_dev):02x}:{seen.st_ino}"
    with contextlib.suppress(OSError, ValueError):
        for line in (proc / "locks").read_text("ascii", "replace").splitlines():
            _number, kind, *rest = line.split()
            if kind == "FLOCK" and rest[3:4] == [file]:
                return int(rest[2])
    return None


def _opener(seen: os.stat_result, proc: Path) -> int | None:
    for fd in proc.glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError, ValueError):
            other, pid = fd.stat(), int(fd.parts[-3])
            if (other.st_dev, other.st_ino) == (seen.st_dev, seen.st_ino) and pid != os.getpid():
                return pid
    return None
