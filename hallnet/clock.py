"""The machine's clocks, and what names it.

Every stamp of a table is on `CLOCK_BOOTTIME`, which neither steps nor stops in suspend.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import time
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_TIMESYNC = Path("/run/systemd/timesync/synchronized")
_SERIALS = (Path("/sys/firmware/devicetree/base/serial-number"),)
_STA_UNSYNC = 0x0040
_TIME_ERROR = 5


def boot_us() -> int:
    """Microseconds since this machine was started."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000


def boot_ms() -> int:
    """Milliseconds since this machine was started."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def wall_ms() -> int:
    """Milliseconds since 1970 by the wall clock, which may be wrong and may step: for records only."""
    return time.time_ns() // 1_000_000


@functools.cache
def boot_id() -> str:
    """The kernel's random name of this boot; a stamp is comparable only to stamps with the same one."""
    return _BOOT_ID.read_text(encoding="ascii").strip()


@functools.cache
def serial() -> str:
    """What names this machine to people: a Pi's serial number, else the host's name; "" if neither is known."""
    for path in _SERIALS:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            found = path.read_text(encoding="ascii").strip("\0\n ")
            if found:
                return found[-16:]
    return os.uname().nodename[:16]


class _Timex(ctypes.Structure):
    """The head of the kernel's `struct timex` (adjtimex(2)); the padding keeps the call within our memory."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def wall_synchronised() -> bool:
    """Whether the kernel says that the wall clock follows a time source; False when that is unknown."""
    try:
        state = _Timex()
        result = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(state))
    except (OSError, AttributeError):
        return os.path.exists(_TIMESYNC)
    if result < 0:
        return os.path.exists(_TIMESYNC)
    return result != _TIME_ERROR and not state.status & _STA_UNSYNC
