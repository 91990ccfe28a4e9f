"""Every part that a table's file names, really tried: the board is asked, contacts are read, displays and lamps show.

Nothing takes longer than a few seconds. A part of a running table is not touched: the table holds it.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
from gettext import ngettext
from typing import Any

import chess
from gpiozero.exc import GPIOZeroError

from drivers.addresses import numbers
from drivers.boards.dgt.device import DgtBoard
from drivers.catalogue import CLOCKS, Named
from drivers.clocks.arbiter_key import ArbiterKey
from drivers.clocks.dgt3000.device import Dgt3000
from drivers.displays.ht16k33 import Ht16k33
from drivers.displays.max7219 import Max7219
from drivers.displays.plug_in import display
from drivers.errors import DriverError
from drivers.interfaces import BoardReport, ClockFace, Device, LinkReport, OccupancyReport, Report, Sign
from drivers.signals.buzzer import Buzzer
from drivers.signals.lamps import Lamps
from kiosk.doctor.findings import Finding, failed, passed, skipped
from kiosk.doctor.pins import device_file, join_group

#: What opening and driving a part may raise; other pin factories have errors of their own.
FAULTS = (DriverError, OSError, GPIOZeroError, ImportError)
#: How long a board may take to tell its position (s).
BOARD_S = 4.0
#: How long a display and each lamp show something (s).
SHOW_S = 0.7
#: What a display shows when it is tried: 12:34 and 56:07.
TRIAL = ClockFace(754_000, 3_367_000)


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """What a board told in the time it had: pieces or occupied squares, how many; `fault` if nothing."""

    pieces: int | None = None
    start_array: bool = False
    identity: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ContactsSeen:
    """Which contacts are closed; `fault` if the pins cannot be had."""

    closed: Mapping[str, bool]
    fault: str = ""


def try_board(device: Device, wait_s: float = BOARD_S) -> BoardSeen:
    """Opens a board, and waits for its first position."""
    reports: queue.Queue[Report] = queue.Queue()
    fault = _("It is there, and says nothing.")
    try:
        device.start(reports.put)
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0:
            with suppress(queue.Empty):
                match reports.get(timeout=left):
                    case BoardReport(_t, placement):
                        return _seen(device, sum(letter.isalpha() for letter in placement),
                                     placement == chess.STARTING_BOARD_FEN, end)  # fmt: skip
                    case OccupancyReport(_t, occupied):
                        return _seen(device, occupied.bit_count(), occupied == chess.Board().occupied, end)
                    case LinkReport(_t, "board", False, why):
                        fault = why
    except FAULTS as error:
        fault = str(error)
    finally:
        device.close()
    return BoardSeen(fault=fault)


def _seen(device: Device, pieces: int, start: bool, end: float) -> BoardSeen:
    """A DGT board has a moment longer to tell its version and number."""
    identity = ""
    if isinstance(device, DgtBoard):
        end = min(end, time.monotonic() + 1.0)
        while time.monotonic() < end and (device.version is None or not device.serial_number):
            time.sleep(0.02)
        if device.version is not None:
            identity = _("version {major}.{minor}, number {number}").format(
                major=device.version.major, minor=device.version.minor, number=device.serial_number or "?"
            )
    return BoardSeen(pieces, start, identity)


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
        return failed("table", "board", f"{name}: {seen.fault}", _remedy(named))
    pieces = (
        _("the start array")
        if seen.start_array
        else ngettext("{n} piece", "{n} pieces", seen.pieces).format(n=seen.pieces)
    )
    identity = f" ({seen.identity})" if seen.identity else ""
    return passed("table", "board", _("{name}{identity} answers, on it: {pieces}").format(
        name=name, identity=identity, pieces=pieces))  # fmt: skip


def _remedy(named: Named) -> str:
    if named.address[:1] == "/" and os.path.exists(named.address):
        file = device_file(named.address)
        if not file.usable:
            return join_group(file.group or "dialout")
    if named.address.startswith("/dev/i2c"):
        return _("Look at its cable and its supply; what answers on the bus is told under pins.")
    if named.pins:
        return _("Look at its cable to the header, and at the pins in the table's file.")
    return _("Plug it in and switch it on; which boards are there is told under plugged in.")


def try_contacts(panel: Any) -> ContactsSeen:
    """Claims the pins of plungers or a rocker and reads them."""
    try:
        panel.start(lambda _report: None)
        return ContactsSeen(dict(panel.closed))
    except FAULTS as error:
        return ContactsSeen({}, str(error))
    finally:
        panel.close()


def check_contacts(named: Named, seen: ContactsSeen) -> Finding:
    """The plungers are up, or one side of the rocker is down."""
    name = label(named)
    if seen.fault:
        return failed("table", "clock", f"{name}: {seen.fault}", _("Look at the pins in the table's file."))
    down = [side for side, closed in seen.closed.items() if closed]
    words = {"white": _("White's"), "black": _("Black's")}
    if named.kind == "rocker":
        if len(down) == 1 or named.simulated:
            side = words[down[0]] if down else _("neither")
            return passed("table", "clock", _("{name}: {side} side is down").format(name=name, side=side))
        what = _("{name}: both contacts are closed.") if down else _("{name}: no contact is closed.")
        return failed(
            "table", "clock", what.format(name=name), _("Tip the rocker; if that changes nothing, its cable.")
        )
    if down:
        sides = _(" and ").join(words[side] for side in down)
        return failed(
            "table",
            "clock",
            _("{name}: {sides} plunger is down.").format(name=name, sides=sides),
            _("Release it; if nobody presses it, its cable has a short to ground."),
        )
    return passed("table", "clock", _("{name}: both plungers are up and can be read").format(name=name))


def _check_clock(named: Named, clock: Device) -> Finding:
    if isinstance(clock, Dgt3000):
        return check_clock_on_bus(named, try_clock_on_bus(clock))
    return check_contacts(named, try_contacts(clock))


def try_clock_on_bus(clock: Dgt3000, wait_s: float = BOARD_S) -> ContactsSeen:
    """Takes control of a DGT 3000, shows `TRIAL`, and waits until it tells how its lever lies."""
    reports: queue.Queue[Report] = queue.Queue()
    fault = _("It answers, and does not tell its times.")
    try:
        clock.show(TRIAL)
        clock.start(reports.put)
        end = time.monotonic() + wait_s
        while (left := end - time.monotonic()) > 0:
            with suppress(queue.Empty):
                match reports.get(timeout=min(left, 0.05)):
                    case LinkReport(_t, "clock", False, why):
                        fault = why
            if clock.ready and clock.down is not None:
                time.sleep(SHOW_S)
                return ContactsSeen(clock.closed)
    except FAULTS as error:
        fault = str(error)
    finally:
        clock.close()
    return ContactsSeen({}, fault)


def check_clock_on_bus(named: Named, seen: ContactsSeen) -> Finding:
    """A clock that shows our times and tells its lever, or why not."""
    name = label(named)
    if seen.fault:
        return failed(
            "table",
            "clock",
            f"{name}: {seen.fault}",
            _("Its Pi needs dtparam=i2c_arm=on and gpio=18,19=a3 in /boot/firmware/config.txt; or name another clock."),
        )
    side = _("White's") if seen.closed["white"] else _("Black's")
    what = _("{name} answers: {side} side is down; 12:34 and 56:07 were shown, did you see them?")
    return passed("table", "clock", what.format(name=name, side=side))


def try_display(named: Named, sleep: Callable[[float], None] = time.sleep) -> str:
    """Shows `TRIAL`; what is wrong, or ""."""
    try:
        shown = display(named.kind, named.address)
    except FAULTS as error:
        return str(error)
    try:
        shown.show(TRIAL)
        sleep(SHOW_S)
        match shown:
            case Ht16k33(lost=lost) if lost:
                words = {"white": _("White's"), "black": _("Black's")}
                sides = _(" and ").join(words[side] for side in sorted(lost))
                return _("{sides} display does not answer.").format(sides=sides)
            case Max7219(lost=True):
                return _("The SPI port cannot be written to.")
    except OSError as error:
        return str(error)
    finally:
        shown.close()
    return ""


def try_lamps(named: Named, sleep: Callable[[float], None] = time.sleep) -> str:
    """Lights one lamp after the other; what is wrong, or ""."""
    white, black, flag = numbers(named.address)
    try:
        lamps = Lamps(white, black, flag)
    except FAULTS as error:
        return str(error)
    for sign in (Sign("white"), Sign("black"), Sign(flag="white")):
        lamps.show(sign)
        sleep(SHOW_S)
    lamps.close()
    return ""


def try_buzzer(named: Named, sounds: bool, sleep: Callable[[float], None] = time.sleep) -> str:
    """A short sound, in a hall that allows it; what is wrong, or ""."""
    (pin,) = numbers(named.address)
    try:
        buzzer = Buzzer(pin, sounds)
    except FAULTS as error:
        return str(error)
    buzzer.play((60,))
    sleep(0.1)
    buzzer.close()
    return ""


def try_key(named: Named) -> str:
    """Claims the arbiter's key; what is wrong, or ""."""
    (pin,) = numbers(named.address)
    key = ArbiterKey(pin)
    try:
        key.start(lambda _report: None)
        return _("It is down.") if key.closed else ""
    except FAULTS as error:
        return str(error)
    finally:
        key.close()


def check_part(named: Named, fault: str, seen: str) -> Finding:
    """A part that either could be driven (`seen` says what should have been seen) or could not."""
    if fault:
        remedy = _("Look at its cable and at the pins in the file.")
        return failed("table", named.part, f"{label(named)}: {fault}", remedy)
    return passed("table", named.part, f"{label(named)}: {seen}")


def try_part(named: Named, sounds: bool) -> Finding:
    """Tries one named part and judges it."""
    match named.part:
        case "board":
            if named.simulated:
                device, hands = named.board.simulate(1.0)
                hands.set_up(chess.STARTING_BOARD_FEN)
                try:
                    return check_board(named, try_board(device))
                finally:
                    hands.close()
            return check_board(named, _open_board(named))
        case "clock":
            row = CLOCKS[named.kind]
            if named.simulated:
                panel, pins = row.simulate(1.0)
                try:
                    return _check_clock(named, panel)
                finally:
                    pins.close()
            return _check_clock(named, row.plug_in(named.address, 1.0))
    if named.simulated:
        return skipped("table", named.part, label(named))
    match named.part:
        case "display":
            return check_part(named, try_display(named), _("12:34 and 56:07 were shown, did you see them?"))
        case "lamps":
            return check_part(named, try_lamps(named), _("White's, Black's and the flag's lamp were lit, one by one"))
        case "buzzer":
            seen = (
                _("it sounded briefly") if sounds else _("its pin can be driven; this hall is silent (sounds = false)")
            )
            return check_part(named, try_buzzer(named, sounds), seen)
        case "arbiter_key":
            return check_part(named, try_key(named), _("it is up and can be read"))
    return skipped("table", named.part, label(named))


def _open_board(named: Named) -> BoardSeen:
    try:
        device = named.board.plug_in(named.address)
    except FAULTS as error:
        return BoardSeen(fault=str(error))
    return try_board(device)
