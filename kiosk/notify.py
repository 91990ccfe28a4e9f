"""Tells systemd that a service is ready, and at regular times that it still works; silent where nobody asked.

A beat must come from the loop that does the work: a thread of its own would go on beating for a service that hangs.
Protocol: datagrams to the socket in NOTIFY_SOCKET, `@` for an abstract name; WATCHDOG_USEC says how soon the next
beat must come (sd_notify(3), sd_watchdog_enabled(3)).
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterable


def notify(*words: str) -> bool:
    """Sends assignments such as "READY=1"; False when nobody listens."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.setblocking(False)
            out.sendto("\n".join(words).encode(), "\0" + address[1:] if address[0] == "@" else address)
    except OSError:
        return False
    return True


def interval_s() -> float:
    """How often to beat: a quarter of what is allowed, at most every two seconds; those without a watchdog too."""
    with contextlib.suppress(KeyError, ValueError):
        if int(os.environ.get("WATCHDOG_PID", os.getpid())) == os.getpid():
            return max(0.05, min(2.0, int(os.environ["WATCHDOG_USEC"]) / 4e6))
    return 2.0


def about_to_start(seconds: float) -> None:
    """Until the first beat of what this process becomes, systemd waits this long: imports take their time on a Pi.

    The manager's patience is set for beats of a running loop (WATCHDOG_USEC of sd_notify(3)); `Heart` gives it back.
    """
    if "WATCHDOG_USEC" in os.environ:
        notify("WATCHDOG=1", f"WATCHDOG_USEC={int(seconds * 1e6)}")


class Heart:
    """Beats for several parts of one process: only when each of them has reported since the last beat.

    The first beat also says that the service is ready. Reports may come far more often than beats are sent.
    """

    def __init__(self, parts: Iterable[str], now: Callable[[], float] = time.monotonic) -> None:
        self._parts = frozenset(parts)
        self._heard: set[str] = set()
        self._now = now
        self._next = now()
        self._every = interval_s()
        self._ready = False

    def report(self, part: str) -> None:
        """A part has done some work."""
        self._heard.add(part)
        now = self._now()
        if now < self._next or not self._heard >= self._parts:
            return
        self._heard.clear()
        self._next = now + self._every
        if self._ready:
            notify("WATCHDOG=1")
        else:
            usual = os.environ.get("WATCHDOG_USEC", "")
            self._ready = notify("READY=1", "WATCHDOG=1", *([f"WATCHDOG_USEC={usual}"] if usual.isdigit() else []))
