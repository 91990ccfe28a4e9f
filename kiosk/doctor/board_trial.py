"""The board of a table, really asked: what stands on it, who it is, how its battery is; or why it says nothing."""

from __future__ import annotations

import os
import queue
import time
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext

import chess
from gpiozero.exc import GPIOZeroError

from drivers.access import holder_of
from drivers.boards.dgt.clock import WRITES_FROM, ClockVersion
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.port_faults import access_remedy, is_port
from drivers.boards.serial_board import Machine
from drivers.catalogue import Named
from drivers.errors import DriverError
from drivers.interfaces import BatteryReport, BoardReport, Device, LinkReport, OccupancyReport, Report
from kiosk.doctor.boards import identify
from kiosk.doctor.findings import Finding, failed, passed
from kiosk.doctor.pins import DeviceFile, device_file, join_group

#: What opening and driving a part may raise; other pin factories have errors of their own.
FAULTS = (DriverError, OSError, GPIOZeroError, ImportError)
#: How long a board may take to tell its position, and then who it is and how its battery is (s).
BOARD_S = 4.0
MORE_S = 0.5
DGT_MORE_S = 1.5
#: A battery at so many per cent does not last a round.
BATTERY_LOW = 15
#: Kinds that one driver serves: which it is, is what the board itself says.
_SAME = {"dgt-bluetooth": "dgt"}
_LISTENED_TO = ("certabo", "sentio")


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """What a board told in the time it had: pieces or occupied squares, how many; `fault` if nothing.

    `battery` is in per cent, of a board that has one; `remedy` is what to do about a fault that is known. `clock` is
    what hangs on the board, as far as it has said so.
    """

    pieces: int | None = None
    start_array: bool = False
    identity: str = ""
    fault: str = ""
    battery: int | None = None
    charging: bool = False
    remedy: str = ""
    clock: str = ""


def clock_name(version: ClockVersion | None) -> str:
    """A clock behind a DGT board, by its version."""
    if version is None:
        return _("clock")
    kind = "DGT 3000" if version.major >= WRITES_FROM else "DGT XL"
    return _("{kind} (version {major}.{minor})").format(kind=kind, major=version.major, minor=version.minor)


def try_board(device: Device, wait_s: float = BOARD_S) -> BoardSeen:
    """Opens a board, and waits for its first position."""
    reports: queue.Queue[Report] = queue.Queue()
    fault = _("It is there, and says nothing.")
    battery: BatteryReport | None = None
    try:
        device.start(reports.put)
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0:
            with suppress(queue.Empty):
                match reports.get(timeout=left):
                    case BoardReport(_t, placement):
                        pieces, start = sum(map(str.isalpha, placement)), placement == chess.STARTING_BOARD_FEN
                        return _seen(device, reports, battery, pieces, start)
                    case OccupancyReport(_t, occupied):
                        pieces, start = occupied.bit_count(), occupied == chess.Board().occupied
                        return _seen(device, reports, battery, pieces, start)
                    case BatteryReport() as told:
                        battery = told
                    case LinkReport(_t, "board", False, why):
                        fault = why
    except FAULTS as error:
        fault = str(error)
    finally:
        device.close()
    return BoardSeen(fault=fault)


def _seen(
    device: Device, reports: queue.Queue[Report], battery: BatteryReport | None, pieces: int, start: bool
) -> BoardSeen:
    """It has a moment longer to tell how its battery is; a DGT board is asked one thing after the other."""
    dgt = device if isinstance(device, DgtBoard) else None
    end = time.monotonic() + (DGT_MORE_S if dgt else MORE_S)
    while battery is None and (left := end - time.monotonic()) > 0:
        with suppress(queue.Empty):
            report = reports.get(timeout=left)
            battery = report if isinstance(report, BatteryReport) else None
    identity = ""
    if dgt is not None and dgt.version is not None:
        identity = _("version {major}.{minor}, number {number}").format(
            major=dgt.version.major, minor=dgt.version.minor, number=dgt.serial_number or "?"
        )
    percent, charging = (battery.percent, battery.charging) if battery else (None, False)
    clock = clock_name(dgt.clock.version) if dgt is not None and dgt.clock.version is not None else ""
    return BoardSeen(pieces, start, identity, battery=percent, charging=charging, clock=clock)


def open_board(named: Named) -> BoardSeen:
    """Tries the board that a table's file names; if another kind speaks at its port, says which."""
    try:
        device = named.board.plug_in(named.address)
    except FAULTS as error:
        return BoardSeen(fault=str(error))
    seen = try_board(device)
    if not is_port(named.address) or "hidraw" in named.address:
        return seen
    if seen.fault or named.kind in _LISTENED_TO:
        found = identify(named.address, Machine()).kind
        if found and found != _SAME.get(named.kind, named.kind):
            return BoardSeen(
                fault=_("{port} is a board of another kind, {kind}.").format(port=named.address, kind=found),
                remedy=_("Write: {line}").format(line=f'board = "{found}:{named.address}"'),
            )
    return seen


def label(named: Named) -> str:
    """The part and its name in the table's file."""
    words = {
        "board": _("Board"),
        "clock": _("Clock"),
        "display": _("Display"),
        "lamps": _("Lamps"),
        "buzzer": _("Buzzer"),
        "arbiter_key": _("Arbiter's key"),
    }
    address = f":{named.address}" if named.address else ""
    simulated = _("simulated") + " " if named.simulated else ""
    return f"{words[named.part]} {simulated}{named.kind}{address}"


def check_board(named: Named, seen: BoardSeen) -> Finding:
    """The board of the table."""
    name = label(named)
    if seen.fault or seen.pieces is None:
        return failed("table", "board", f"{name}: {seen.fault}", seen.remedy or _remedy(named))
    pieces = (
        _("the start array")
        if seen.start_array
        else ngettext("{n} piece", "{n} pieces", seen.pieces).format(n=seen.pieces)
    )
    battery = None if seen.battery is None else _("battery {percent} %").format(percent=seen.battery)
    hangs = _("with a {clock}").format(clock=seen.clock) if seen.clock else ""
    identity = ", ".join(word for word in (seen.identity, battery, hangs) if word)
    what = _("{name}{identity} answers, on it: {pieces}").format(
        name=name, identity=f" ({identity})" if identity else "", pieces=pieces
    )
    if seen.battery is not None and seen.battery <= BATTERY_LOW and not seen.charging:
        return failed("table", "board", what, _("Its battery is low: charge it, or leave it at its charger."))
    return passed("table", "board", what)


def _remedy(named: Named) -> str:
    port = named.address
    if port.startswith("/dev/i2c"):
        return _("Look at its cable and its supply; what answers on the bus is told under pins.")
    if named.pins:
        return _("Look at its cable to the header, and at the pins in the table's file.")
    if not os.path.exists(port):
        return _("Plug it in and switch it on; which boards are there is told under plugged in.")
    file = device_file(port)
    if not file.usable:
        return _access(file)
    if not is_port(port):
        return _("Name the board's port in the table's file; which boards are there is told under plugged in.")
    holder = holder_of(port)
    if holder:
        return _("End {holder}, which has it open, or switch the board off and on.").format(holder=holder)
    return _("Switch it on, and look at its cable; which boards are there is told under plugged in.")


def _access(file: DeviceFile) -> str:
    if file.group in ("", "root"):
        remedy = access_remedy(file.path)
        return remedy[:1].upper() + remedy[1:]
    return join_group(file.group)
