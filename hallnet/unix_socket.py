"""Unix sockets at paths of any length.

The kernel takes at most 107 bytes of path; a longer one is reached through `/proc/self/fd` of its folder.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

_LONGEST = 100


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[str]:
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def listen(path: Path) -> socket.socket:
    """A listening socket at `path` with mode 0600, in place of whatever socket a killed process left there.

    It gets its mode before it can be reached. Raises `OSError`.
    """
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.unlink(missing_ok=True)
        with _reachable(new) as name:
            listener.bind(name)
        new.chmod(0o600)
        listener.listen(64)
        listener.setblocking(False)
        new.rename(path)
    except BaseException:
        listener.close()
        new.unlink(missing_ok=True)
        raise
    return listener


def inode(path: Path) -> int:
    """The inode of the socket at `path`, 0 when there is none."""
    try:
        found = path.lstat()
    except OSError:
        return 0
    return found.st_ino if stat.S_ISSOCK(found.st_mode) else 0


def connect(path: Path) -> socket.socket:
    """A connected socket, not blocking; raises `OSError`. A local connect does not wait."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.setblocking(False)
        with _reachable(path) as name:
            client.connect(name)
    except BaseException:
        client.close()
        raise
    return client
