"""Boards that are plugged in: where, and which. A board is asked in its own language and known by its answer.

Certabo boards talk by themselves; a ChessLink answers its version in odd parity; a DGT board its version and number.
Chessnut boards are known by their USB numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path

from drivers.boards.certabo import protocol as certabo
from drivers.boards.chesslink import protocol as chesslink
from drivers.boards.chessnut.device import find
from drivers.boards.dgt import protocol as dgt
from drivers.boards.serial_board import LINE_ERRORS, Machine, Port, World
from drivers.errors import DriverError
from kiosk.doctor.findings import Finding, failed, passed, skipped

#: Waits for an answer, in ms; a Certabo board says something several times a second.
LISTEN_MS, ANSWER_MS = 700, 1_200
_STEP_S = 0.1


@dataclass(frozen=True, slots=True)
class Plugged:
    """A port; `kind` is that of the catalogue, "" if nobody known answered; `said` what it told about itself."""

    port: str
    kind: str = ""
    said: str = ""
    fault: str = ""


def serial_ports(root: Path = Path("/")) -> list[str]:
    """Every USB or Bluetooth serial port once, by the name that stays.

    That is our own udev rules' (`/dev/hallkiosk-board-KIND-…`), else the one by-id; of two boards without serial
    numbers only one has it, the other goes by its socket (by-path).
    """
    named = {
        os.path.realpath(path): str(path)
        for folder in ("by-path", "by-id")
        for path in sorted((root / "dev/serial" / folder).glob("*"))
    } | _own_names(root)
    plain = [
        str(path) for pattern in ("ttyUSB*", "ttyACM*", "rfcomm[0-9]*") for path in sorted((root / "dev").glob(pattern))
    ]
    return [named.get(os.path.realpath(path), path) for path in plain]


def look_at_ports(ports: Sequence[str], hid: Sequence[str], make_world: Callable[[], World] = Machine) -> list[Plugged]:
    """Asks every port; `hid` are the Chessnut boards. Takes up to 4 s for each port that nobody known is behind."""
    return [*(identify(port, make_world()) for port in ports), *(Plugged(port, "chessnut") for port in hid)]


def hid_boards(root: Path = Path("/")) -> list[str]:
    """The Chessnut boards."""
    named = _own_names(root)
    try:
        return [named.get(os.path.realpath(root / path.lstrip("/")), path) for path in find(root / "sys/class/hidraw")]
    except OSError:
        return []


def _own_names(root: Path) -> dict[str, str]:
    """Device → the name that our udev rules give to it alone: by the serial number, else by the USB socket."""
    links = [path for path in (root / "dev").glob("hallkiosk-board-*-*") if path.is_symlink()]
    links.sort(key=lambda path: ("-at-" not in path.name, path.name))
    return {os.path.realpath(path): str(path) for path in links}


def identify(name: str, world: World) -> Plugged:
    """Who is behind a serial port."""
    fault = ""
    for baud, ask in ((38_400, _ask_at_38400), (9_600, _ask_dgt)):
        try:
            port = world.open(name, baud)
        except DriverError as error:
            return Plugged(name, fault=str(error))
        try:
            found = ask(name, port, world)
        except LINE_ERRORS as error:
            fault, found = str(error), None
        finally:
            port.close()
        if found is not None:
            return found
    return Plugged(name, fault=fault)


def _ask_at_38400(name: str, port: Port, world: World) -> Plugged | None:
    """Listens for a Certabo, then asks for a ChessLink."""
    lines, frames = certabo.Reader(), chesslink.Reader()
    asked = False
    start = world.now_ms()
    while (passed_ms := world.now_ms() - start) < LISTEN_MS + ANSWER_MS:
        data = port.read(_STEP_S)
        for line in lines.feed(data):
            match line:
                case certabo.Chips():
                    return Plugged(name, "certabo", _("knows its pieces by chips"))
                case certabo.Occupancy():
                    return Plugged(name, "sentio", _("knows which squares are occupied"))
        for frame in frames.feed(data):
            match frame:
                case chesslink.Version(major, minor):
                    return Plugged(name, "chesslink", _("version {major}.{minor}").format(major=major, minor=minor))
                case chesslink.Status():
                    return Plugged(name, "chesslink")
        if passed_ms > LISTEN_MS and not asked:
            port.write(chesslink.ASK_VERSION)
            asked = True
    return None


def _ask_dgt(name: str, port: Port, world: World) -> Plugged | None:
    """Asks for version and serial number."""
    reader, version, number = dgt.Reader(), "", ""
    for command in (dgt.RESET, dgt.SEND_VERSION, dgt.SEND_SERIAL):
        port.write(command)
        world.wait(0.1)
    start = world.now_ms()
    while world.now_ms() - start < ANSWER_MS:
        for message in reader.feed(port.read(_STEP_S)):
            match message:
                case dgt.BoardVersion(major, minor):
                    version = _("version {major}.{minor}").format(major=major, minor=minor)
                case dgt.SerialNumber(text):
                    number = _("number {number}").format(number=text)
        if version and number:
            break
    said = ", ".join(word for word in (version, number) if word)
    kind = "dgt-bluetooth" if "rfcomm" in name else "dgt"
    return Plugged(name, kind, said) if said else None


def check_plugged(plugged: Sequence[Plugged], has_board: bool) -> list[Finding]:
    """What is at ports that no table's file names; `has_board` says that the table has its board all the same."""
    found = []
    for board in plugged:
        name = f"port.{Path(board.port).name}"
        line = f'board = "{board.kind}:{board.port}"'
        if board.kind and has_board:
            what = _("A second board, {kind} {said}, is at {port}.")
            found.append(skipped("plugged", name, _words(what, board), _("To use it, write: {line}").format(line=line)))
        elif board.kind:
            what = _("A board, {kind} {said}, is at {port}, and no table uses it.")
            found.append(failed("plugged", name, _words(what, board), _("Write: {line}").format(line=line)))
        elif board.fault:
            what = _("{port} cannot be asked: {why}").format(port=board.port, why=board.fault)
            found.append(skipped("plugged", name, what))
        else:
            what = _("No board that we know answers at {port}.").format(port=board.port)
            found.append(skipped("plugged", name, what))
    if not found:
        what = _("Nothing is plugged in that no table uses.") if has_board else _("No board is plugged in.")
        found.append(passed("plugged", "ports", what) if has_board else skipped("plugged", "ports", what))
    return found


def check_modem_manager(installed: bool, told_to_keep_off: bool, ports: Sequence[str]) -> list[Finding]:
    """A program that asks every new serial port whether it is a modem, and disturbs the boards there."""
    if not installed or told_to_keep_off or not ports:
        return []
    return [
        failed(
            "plugged",
            "modem-manager",
            _("ModemManager asks every port whether it is a modem, and disturbs boards."),
            _("sudo systemctl disable --now ModemManager"),
        )
    ]


def modem_manager(root: Path = Path("/")) -> tuple[bool, bool]:
    """Whether ModemManager is installed, and whether our udev rules keep it off the boards."""
    rules = any((root / folder / "udev/rules.d/70-hallkiosk.rules").exists() for folder in ("usr/lib", "etc", "lib"))
    return (root / "usr/sbin/ModemManager").exists(), rules


def _words(what: str, board: Plugged) -> str:
    sentence = what.format(kind=board.kind, said=f"({board.said})" if board.said else "", port=board.port)
    return " ".join(sentence.split()).replace(" ,", ",")
