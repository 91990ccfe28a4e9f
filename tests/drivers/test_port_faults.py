"""What a person is told when a port cannot be opened: what is wrong, who is in the way, and what to do."""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from pathlib import Path

import pytest
import serial

from drivers import access
from drivers.boards.chessnut.device import HidMachine
from drivers.boards.port_faults import access_remedy, is_port, open_fault
from drivers.boards.pty_end import PtyEnd
from drivers.boards.serial_board import Machine
from drivers.errors import BadDeviceName, DeviceBusy, DeviceMissing, DriverError

#: Asks whether a terminal is shut; Python's termios does not have it.
TIOCGEXCL = 0x80045440

MACHINES = pytest.mark.parametrize("machine", [Machine, HidMachine])


@MACHINES
def test_a_port_that_is_not_there(machine: type[Machine]) -> None:
    with pytest.raises(DeviceMissing, match=r"No board at /dev/none: plug it in, or name another port"):
        machine().open("/dev/none", 9600)


@pytest.mark.parametrize("path", ["/dev/null", "/tmp", __file__])
def test_what_is_no_port(path: str) -> None:
    with pytest.raises(BadDeviceName, match="is no port of a board: name one under /dev/serial/by-id/"):
        Machine().open(path, 9600)
    assert not is_port(path)


def test_a_port_that_another_program_has() -> None:
    line = PtyEnd(lambda _data: b"")
    first = serial.Serial(line.port, 9600, exclusive=True)
    try:
        with pytest.raises(DeviceBusy, match=rf"is in use by .+ \(process {os.getpid()}\): end that program"):
            Machine().open(line.port, 9600)
    finally:
        first.close()
        line.close()


def shut(port: str) -> bool:
    """Whether a terminal lets nobody else in."""
    fd = os.open(port, os.O_RDWR | os.O_NOCTTY)  # root may
    try:
        return bool(struct.unpack("i", fcntl.ioctl(fd, TIOCGEXCL, b"\0" * 4))[0])
    finally:
        os.close(fd)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can look at a port that is shut")
def test_an_open_port_is_shut_to_programs_that_ask_for_no_lock() -> None:
    line = PtyEnd(lambda _data: b"")
    try:
        port = Machine().open(line.port, 9600)
        assert shut(line.port)
        port.close()
        assert not shut(line.port)
    finally:
        line.close()


def test_a_port_of_another_group_and_one_of_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for group, words in (("dialout", "put this user into the group dialout"), ("root", "70-hallkiosk.rules")):
        monkeypatch.setattr("drivers.boards.port_faults.group_of", lambda _path, _usual, group=group: group)
        fault = open_fault("/dev/ttyUSB0", PermissionError(errno.EACCES, "Permission denied"))
        assert isinstance(fault, DeviceBusy)
        assert str(fault).startswith("This user may not open /dev/ttyUSB0: ")
        assert words in str(fault)
        assert "group root" not in access_remedy("/dev/ttyUSB0")


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOMEM, 0])
def test_anything_else_is_told_as_it_is(number: int) -> None:
    fault = open_fault("/dev/ttyUSB0", OSError(number, "strange"))
    assert isinstance(fault, DriverError)
    assert "strange" in str(fault)


def test_where_boards_can_be(tmp_path: Path) -> None:
    line = PtyEnd(lambda _data: b"")
    assert is_port(line.port)
    line.close()
    seen = os.stat("/dev/null")
    link = tmp_path / "sys/dev/char" / f"{os.major(seen.st_rdev)}:{os.minor(seen.st_rdev)}"
    link.parent.mkdir(parents=True)
    (tmp_path / "sys/devices/usb1/ttyUSB0/tty/ttyUSB0").mkdir(parents=True)
    link.symlink_to(tmp_path / "sys/devices/usb1/ttyUSB0/tty/ttyUSB0")
    assert is_port("/dev/null", tmp_path)
    assert not is_port("/dev/none")


def test_who_has_a_device_open(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    proc = tmp_path / "proc"
    (proc / "77/fd").mkdir(parents=True)
    (proc / "77/comm").write_text("minicom\n")
    (proc / "77/fd/5").symlink_to(device)
    assert access.holder_of(str(device), proc) == "minicom (process 77)"
    seen = device.stat()
    major, minor = os.major(seen.st_dev), os.minor(seen.st_dev)
    (proc / "locks").write_text(
        "1: POSIX  ADVISORY  READ 5 08:02:1 128 128\n"
        "2: FLOCK  ADVISORY  WRITE 6 <none>:0 0 EOF\n"
        f"3: FLOCK  ADVISORY  WRITE 7 {major:02x}:{minor ^ 1:02x}:{seen.st_ino} 0 EOF\n"  # on another file system
        f"3: -> FLOCK  ADVISORY  WRITE 9 {major:02x}:{minor:02x}:{seen.st_ino} 0 EOF\n"  # one that waits
        f"4: FLOCK  ADVISORY  WRITE 88 {major:02x}:{minor:02x}:{seen.st_ino} 0 EOF\n"
    )
    (proc / "88").mkdir()
    (proc / "88/comm").write_text("dgtdrv\n")
    assert access.holder_of(str(device), proc) == "dgtdrv (process 88)"
    assert access.holder_of(str(tmp_path / "none"), proc) == ""
    assert access.holder_of(str(device), tmp_path / "empty") == ""
