"""The header: its GPIO chip, pins that are taken, chips on I²C, SPI ports, and whether this user may use them."""

from __future__ import annotations

import fcntl
import os
import pwd
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from drivers.access import group_of
from drivers.pins.lines import OpenChip, SeenChip, chip_paths, look, open_chip
from kiosk.doctor.findings import Finding, failed, passed, skipped

_I2C_SLAVE = 0x0703
_BUSY = 16
#: 7-bit addresses → what usually answers there.
CHIPS: Mapping[int, str] = {
    **dict.fromkeys(range(32, 40), "MCP23017"),
    **dict.fromkeys(range(112, 120), "HT16K33"),
    0x68: "DS3231 (RTC)",
}


#: Kind of a part → the buses that it needs.
BUSES: Mapping[str, tuple[str, ...]] = {
    "max7219": ("spi",),
    "reed-spi": ("spi",),
    "ht16k33": ("i2c",),
    "reed-i2c": ("i2c",),
    "reed-matrix": ("i2c",),
    "dgt3000": ("i2c",),
    "dgtpi": ("i2c",),
}


@dataclass(frozen=True, slots=True)
class DeviceFile:
    """A device file that is there; `group` is the one that may use it."""

    path: str
    usable: bool
    group: str


@dataclass(frozen=True, slots=True)
class HeaderSeen:
    """GPIO chips, who has which pin, device files of the buses, and what answers on each I²C bus."""

    chips: tuple[SeenChip, ...]
    taken: Mapping[int, str]
    files: tuple[DeviceFile, ...]
    i2c: Mapping[str, tuple[int, ...]]


def look_at_header(
    root: Path = Path("/"), open_it: OpenChip = open_chip, scan: Callable[[str], tuple[int, ...]] | None = None
) -> HeaderSeen:
    """Opens the chips and asks every address that one of our parts may have."""
    paths = chip_paths(root / "dev")
    chips = tuple(look(paths, open_it))
    buses = sorted(str(path) for path in (root / "dev").glob("i2c-*"))
    files = [*paths, *buses, *sorted(str(path) for path in (root / "dev").glob("spidev*"))]
    taken: dict[int, str] = {}
    for seen in chips:
        if seen.is_header:
            chip = open_it(seen.path)
            infos = [chip.get_line_info(number) for number in range(min(28, seen.lines))]
            taken = {info.offset: info.consumer or _("the system") for info in infos if info.used}
            chip.close()
    look_on = scan or scan_bus
    return HeaderSeen(chips, taken, tuple(device_file(path) for path in files), {bus: look_on(bus) for bus in buses})


def device_file(path: str) -> DeviceFile:
    """Whether this user may read and write it, and whose group it is."""
    return DeviceFile(path, os.access(path, os.R_OK | os.W_OK), group_of(path, ""))


def scan_bus(bus: str) -> tuple[int, ...]:
    """The addresses of `CHIPS` at which something answers a one-byte read; one that a driver holds counts."""
    found = []
    try:
        fd = os.open(bus, os.O_RDWR)
    except OSError:
        return ()
    try:
        for address in sorted(CHIPS):
            try:
                fcntl.ioctl(fd, _I2C_SLAVE, address)
                os.read(fd, 1)
            except OSError as error:
                if error.errno != _BUSY:
                    continue
            found.append(address)
    finally:
        os.close(fd)
    return tuple(found)


def check_header(seen: HeaderSeen, wanted: Mapping[int, str], needs: frozenset[str] = frozenset()) -> list[Finding]:
    """`wanted` are the pins that the table's file names, and what for; `needs` the buses that its parts are on."""
    return [
        *_check_chip(seen, bool(wanted)),
        *_check_taken(seen.taken, wanted),
        *_check_files(seen.files),
        *_check_buses(seen, needs),
    ]


def user_name() -> str:
    """The name of this user, for a command to type."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def join_group(group: str) -> str:
    """The remedy for a device file of a group that this user is not in."""
    return _("sudo usermod -aG {group} {user}, then log in again.").format(group=group, user=user_name())


def _check_chip(seen: HeaderSeen, needed: bool) -> list[Finding]:
    chips = seen.chips
    for chip in chips:
        if chip.is_header:
            return [passed("pins", "gpio", _("{label} at {path}").format(label=chip.label, path=chip.path))]
    shut = [chip for chip in chips if chip.why]
    if shut:
        groups = {file.path: file.group for file in seen.files}
        what = _("{path}: {why}").format(path=shut[0].path, why=shut[0].why)
        return [failed("pins", "gpio", what, join_group(groups.get(shut[0].path) or "gpio"))]
    what = (
        _("None of the GPIO chips is a Pi's header: {labels}.").format(labels=", ".join(chip.label for chip in chips))
        if chips
        else _("There are no GPIO pins.")
    )
    if needed:
        return [
            failed(
                "pins", "gpio", what, _("Use a Raspberry Pi, or write a board and a clock without pins in the file.")
            )
        ]
    return [skipped("pins", "gpio", what)]


def _check_taken(taken: Mapping[int, str], wanted: Mapping[int, str]) -> list[Finding]:
    clashes = {pin: taken[pin] for pin in wanted if pin in taken and taken[pin] != "hallkiosk"}
    found = [
        failed("pins", f"pin.{pin}",
               _("GPIO{pin} ({part}) is taken by {holder}.").format(pin=pin, part=wanted[pin], holder=holder),
               _("Name another pin in the table's file, or switch {holder} off.").format(holder=holder))
        for pin, holder in sorted(clashes.items())
    ]  # fmt: skip
    if taken:
        used = ", ".join(f"GPIO{pin} {holder}" for pin, holder in sorted(taken.items()))
        found.append(passed("pins", "in-use", _("In use: {pins}").format(pins=used)))
    return found


def _check_files(files: Sequence[DeviceFile]) -> list[Finding]:
    return [
        failed(
            "pins",
            f"access.{Path(file.path).name}",
            _("{path} may not be used by this user.").format(path=file.path),
            join_group(file.group or "gpio"),
        )
        for file in files
        if not file.usable and "gpiochip" not in file.path
    ]


def _check_buses(seen: HeaderSeen, needs: frozenset[str]) -> list[Finding]:
    found = []
    for bus, addresses in seen.i2c.items():
        name = f"i2c.{Path(bus).name}"
        if addresses:
            names = ", ".join(f"{address:#04x} {CHIPS[address]}" for address in addresses)
            found.append(passed("pins", name, _("{bus}: {chips}").format(bus=bus, chips=names)))
        else:
            found.append(skipped("pins", name, _("{bus}: nothing of ours answers.").format(bus=bus)))
    if not seen.i2c:
        found.append(_missing("i2c", _("No I²C bus."), "dtparam=i2c_arm=on", needs))
    ports = [file.path for file in seen.files if "spidev" in file.path]
    if ports:
        found.append(passed("pins", "spi", ", ".join(ports)))
    else:
        found.append(_missing("spi", _("No SPI port."), "dtparam=spi=on", needs))
    return found


def _missing(bus: str, what: str, setting: str, needs: frozenset[str]) -> Finding:
    """A bus that is not there fails only a table that has a part on it."""
    if bus in needs:
        remedy = _("Write {setting} into /boot/firmware/config.txt and restart.").format(setting=setting)
        return failed("pins", bus, what, remedy)
    return skipped("pins", bus, what)


__all__ = ["BUSES", "CHIPS", "DeviceFile", "HeaderSeen", "check_header", "device_file", "look_at_header", "scan_bus"]
