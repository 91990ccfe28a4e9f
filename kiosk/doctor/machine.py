"""The machine: which Pi, its power, its temperature, its time, the program's parts, the terminal."""

from __future__ import annotations

import ctypes
import importlib.metadata
import locale
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from kiosk.doctor.findings import Finding, failed, passed, skipped

#: °C: the firmware slows down at 80 to 85.
HOT = 80.0
#: Bits of the firmware's word: now, and since the start of the machine.
LOW_NOW, SLOWED_NOW, LOW_SINCE = 1 << 0, 1 << 2, 1 << 16
#: adjtimex's answer for a clock that nobody sets.
_TIME_ERROR = 5
PYTHONS = ((3, 11), (3, 14))
LEAST_COLUMNS, LEAST_ROWS = 80, 24


# -- power and heat ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Body:
    """Model of the Pi ("" for another machine), the firmware's power word, temperature in °C; None: not told."""

    model: str
    throttled: int | None
    celsius: float | None


def look_at_body(root: Path = Path("/")) -> Body:
    """Reads it from the kernel's files."""
    model = _text(root / "proc/device-tree/model") or _text(root / "sys/firmware/devicetree/base/model")
    platform = root / "sys/devices/platform"
    words = [
        _text(path) for path in sorted((*platform.glob("soc*/*/get_throttled"), *platform.glob("*/get_throttled")))
    ]
    throttled = next((int(word, 16) for word in words if re.fullmatch(r"(0x)?[0-9a-fA-F]+", word)), None)
    for sensor in sorted((root / "sys/class/hwmon").glob("*/in0_lcrit_alarm")) if throttled is None else ():
        if _text(sensor.with_name("name")) == "rpi_volt":
            throttled = LOW_NOW if _text(sensor) == "1" else 0
    heat = _text(root / "sys/class/thermal/thermal_zone0/temp")
    return Body(model.strip("\0"), throttled, int(heat) / 1000 if heat.isdigit() else None)


def check_body(body: Body) -> list[Finding]:
    """Model, power, temperature."""
    found = [
        passed("machine", "model", body.model)
        if body.model
        else skipped("machine", "model", _("No Raspberry Pi: plungers, lamps and displays on pins cannot be used."))
    ]
    if body.throttled is None:
        found.append(skipped("machine", "power", _("This machine does not tell how its power supply is.")))
    elif body.throttled & (LOW_NOW | LOW_SINCE):
        when = _("now") if body.throttled & LOW_NOW else _("since the start of the machine")
        found.append(
            failed("machine", "power", _("The supply voltage was too low ({when}).").format(when=when),
                   _("Use the official supply and a short thick cable; unplug what draws power from USB."))
        )  # fmt: skip
    else:
        found.append(passed("machine", "power", _("The supply voltage has been good since the start.")))
    if body.celsius is None:
        found.append(skipped("machine", "temperature", _("No temperature is told.")))
    elif body.celsius >= HOT or (body.throttled or 0) & SLOWED_NOW:
        found.append(
            failed(
                "machine",
                "temperature",
                _("{celsius:.0f} °C: the processor slows down.").format(celsius=body.celsius),
                _("Give the case air or a cooler, and take it out of the sun."),
            )
        )
    else:
        found.append(passed("machine", "temperature", _("{celsius:.0f} °C").format(celsius=body.celsius)))
    return found


# -- time -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeSource:
    """Who sets the clock ("chrony", "timesyncd", "" nobody), whether it is synchronised, whether there is an RTC."""

    by: str
    synchronised: bool | None
    source: str = ""
    rtc: bool = False


def look_at_time(root: Path = Path("/")) -> TimeSource:
    """Asks chrony, else timesyncd."""
    rtc = (root / "dev/rtc0").exists()
    tracking = _answer("chronyc", "-c", "tracking").split(",")
    if len(tracking) > 13:
        return TimeSource("chrony", tracking[13].strip() == "Normal", tracking[1], rtc)
    shown = dict(line.split("=", 1) for line in _answer("timedatectl", "show").splitlines() if "=" in line)
    if shown.get("NTP") == "yes":
        return TimeSource("timesyncd", shown.get("NTPSynchronized") == "yes", "", rtc)
    return TimeSource("", _kernel_is_synchronised(), "", rtc)


def _kernel_is_synchronised() -> bool | None:
    """Whether any program disciplines the kernel's clock (adjtimex); None if the kernel does not say."""
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(256))  # larger than any struct timex
    except (OSError, AttributeError):
        return None
    return None if state < 0 else bool(state != _TIME_ERROR)


def check_time(time: TimeSource) -> list[Finding]:
    """The dates in records come from this clock; game time does not."""
    rtc = (
        passed("time", "rtc", _("A clock of its own keeps the date without power."))
        if time.rtc
        else skipped("time", "rtc", _("No clock of its own: the date is unknown until the network tells it."))
    )
    if time.synchronised:
        by = time.by or _("another program")
        where = f" ({time.source})" if time.source else ""
        return [passed("time", "source", _("The clock is set by {by}{where}.").format(by=by, where=where)), rtc]
    if time.synchronised is None:
        what = _("Nobody tells whether the clock is right.")
    elif time.by:
        what = _("{by} has not reached a time server.").format(by=time.by)
    else:
        what = _("No program sets the clock.")
    return [
        failed("time", "source", what,
               _("Install chrony and let it follow the hub (dates in records; game time does not depend on it).")),
        rtc,
    ]  # fmt: skip


# -- the program ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Program:
    """Python's version, and each package that is needed: what is wanted ("" any), what is installed ("" nothing)."""

    python: tuple[int, int, int]
    packages: Mapping[str, tuple[str, str]]


def look_at_program() -> Program:
    """The packages that hallkiosk's own metadata names."""
    packages = {}
    for line in importlib.metadata.requires("hallkiosk") or ():
        if ";" in line:
            continue  # for other machines or for tests
        match = re.match(r"([A-Za-z0-9_.-]+)\s*(.*)", line)
        if match is None:
            continue
        try:
            installed = importlib.metadata.version(match[1])
        except importlib.metadata.PackageNotFoundError:
            installed = ""
        packages[match[1]] = (match[2].strip(), installed)
    return Program(sys.version_info[:3], packages)


def fits(version: str, wanted: str) -> bool:
    """Whether a version meets what is wanted, such as ">=2.3,<3" (numbers only; suffixes do not count)."""
    have = _numbers(version)
    for one in filter(None, (part.strip() for part in wanted.strip("()").split(","))):
        sign, number = re.match(r"([<>=!~]*)\s*(.*)", one).groups()  # type: ignore[union-attr]  # matches anything
        limit = _numbers(number)
        size = max(len(have), len(limit))
        a, b = ((*numbers, *[0] * (size - len(numbers))) for numbers in (have, limit))
        good = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}
        if not good.get(sign, True):
            return False
    return True


def check_program(program: Program) -> list[Finding]:
    """Python and the packages."""
    python = ".".join(map(str, program.python))
    low, high = PYTHONS
    found = [
        passed("program", "python", f"Python {python}")
        if low <= program.python[:2] < high
        else failed("program", "python", f"Python {python}", _("Use Python 3.11, 3.12 or 3.13."))
    ]
    wrong = {
        name: (wanted, installed)
        for name, (wanted, installed) in program.packages.items()
        if not installed or not fits(installed, wanted)
    }
    for name, (wanted, installed) in wrong.items():
        what = (
            _("{name} {installed} does not fit, {wanted} is needed.").format(
                name=name, installed=installed, wanted=wanted
            )
            if installed
            else _("{name} is not installed.").format(name=name)
        )
        found.append(failed("program", f"package.{name}", what, _("Install hallkiosk again with its packages.")))
    if not wrong:
        names = ", ".join(f"{name} {installed}" for name, (_wanted, installed) in sorted(program.packages.items()))
        found.append(passed("program", "packages", names))
    return found


# -- the terminal -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terminal:
    """`size` (columns, rows) is None where the output goes to no terminal."""

    size: tuple[int, int] | None
    term: str
    colours: str
    encoding: str


def look_at_terminal(environment: Mapping[str, str] = os.environ) -> Terminal:
    """The terminal of this process."""
    tty = any(os.isatty(fd) for fd in (0, 1, 2))
    size = shutil.get_terminal_size()
    return Terminal(
        (size.columns, size.lines) if tty else None,
        environment.get("TERM", ""),
        environment.get("COLORTERM", ""),
        locale.getpreferredencoding(False),
    )


def check_terminal(terminal: Terminal) -> list[Finding]:
    """Whether the faces can be shown here."""
    if terminal.size is None:
        return [skipped("program", "terminal", _("This runs without a terminal."))]
    columns, rows = terminal.size
    faults = []
    if columns < LEAST_COLUMNS or rows < LEAST_ROWS:
        faults.append((_("The terminal is {columns}×{rows}.").format(columns=columns, rows=rows),
                       _("Make it 80×24 or larger.")))  # fmt: skip
    if terminal.encoding.upper().replace("-", "") != "UTF8":
        faults.append((_("The terminal's encoding is {encoding}.").format(encoding=terminal.encoding),
                       _("Set LANG to one that ends in UTF-8, such as C.UTF-8.")))  # fmt: skip
    if terminal.term in ("", "dumb"):
        faults.append((_("The terminal does not say what it is (TERM)."), _("Set TERM, such as xterm-256color.")))
    if faults:
        return [
            failed("program", "terminal", " ".join(what for what, _r in faults), " ".join(r for _what, r in faults))
        ]
    depth = (
        _("16 million colours")
        if terminal.colours in ("truecolor", "24bit")
        else _("256 colours")
        if "256" in terminal.term
        else _("16 colours")
    )
    return [
        passed("program", "terminal", _("{term}, {columns}×{rows}, {depth}, UTF-8").format(
            term=terminal.term, columns=columns, rows=rows, depth=depth))
    ]  # fmt: skip


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", re.split(r"[a-z+]", version.replace(".post", "+"))[0]))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _answer(*command: str) -> str:
    """What a program of the machine prints, "" if it is not there or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
