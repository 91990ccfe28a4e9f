"""Why a port cannot be opened, in a sentence with a remedy."""

from __future__ import annotations

import errno
import os
import stat
from gettext import gettext as _
from pathlib import Path

from drivers.access import group_of, holder_of
from drivers.errors import BadDeviceName, DeviceBusy, DeviceMissing, DriverError

_ABSENT = {errno.ENOENT, errno.ENXIO, errno.ENODEV}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_HELD = {errno.EAGAIN, errno.EBUSY}
#: Major numbers of pseudo-terminals.
_PSEUDO = range(136, 144)
_NO_PORT = {errno.ENOTTY, errno.EISDIR, errno.EINVAL, errno.ENOTDIR}


def number_of(error: BaseException) -> int:
    """The errno behind an error of a serial port: pyserial tells it only in words where it cannot set up a port."""
    seen: BaseException | None = error
    while seen is not None:
        number = getattr(seen, "errno", None) or (seen.args[0] if seen.args else None)
        if isinstance(number, int):
            return number
        seen = seen.__context__
    return 0


def open_fault(port: str, error: OSError) -> DriverError:
    """What to raise for a port that cannot be opened."""
    number = number_of(error)
    if number in _NO_PORT or (number in _FORBIDDEN and Path(port).exists() and not is_port(port)):
        return BadDeviceName(
            _("{port} is no port of a board: name one under /dev/serial/by-id/ or /dev/hallkiosk-board-....").format(
                port=port
            )
        )
    if number in _ABSENT:
        return DeviceMissing(
            _("No board at {port}: plug it in, or name another port in the table's file.").format(port=port)
        )
    if number in _FORBIDDEN:
        return DeviceBusy(_("This user may not open {port}: {remedy}").format(port=port, remedy=access_remedy(port)))
    if number in _HELD:
        holder = holder_of(port) or _("another program")
        return DeviceBusy(
            _("{port} is in use by {holder}: end that program, or name another port.").format(port=port, holder=holder)
        )
    return DeviceBusy(_("The board at {port} cannot be opened: {error}").format(port=port, error=error))


def access_remedy(port: str) -> str:
    """Who may open a port, and how to become one of them; nobody is told to join the group of root."""
    group = group_of(port, "")
    if group in ("", "root"):
        return _("give it to a group, as 70-hallkiosk.rules does for boards (udev), and plug it in again.")
    return _("put this user into the group {group}, and log in again.").format(group=group)


def is_port(path: str, root: Path = Path("/")) -> bool:
    """Whether a path is a serial port, a pseudo-terminal or a HID device: where a board can be."""
    try:
        seen = Path(path).stat()
        if not stat.S_ISCHR(seen.st_mode):
            return False
        number = f"{os.major(seen.st_rdev)}:{os.minor(seen.st_rdev)}"
        return os.major(seen.st_rdev) in _PSEUDO or bool(
            {"tty", "hidraw"} & set((root / "sys/dev/char" / number).resolve().parts)
        )
    except OSError:
        return False
