"""Every part that a table's file names, really tried: the board is asked, contacts are read, displays and lamps show.

Nothing takes longer than a few seconds. A part of a running table is not touched: the table holds it.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

import chess

from drivers.addresses import numbers
from drivers.catalogue import CLOCKS, Named
from drivers.clocks.arbiter_key import ArbiterKey
from drivers.clocks.dgt3000.device import Dgt3000
from drivers.displays.ht16k33 import Ht16k33
from drivers.displays.max7219 import Max7219
from drivers.displays.plug_in import display
from drivers.interfaces import ClockFace, Device, LinkReport, Report, Sign
from drivers.signals.buzzer import Buzzer
from drivers.signals.lamps import Lamps
from kiosk.doctor.board_trial import BOARD_S, check_board, open_board, try_board
from kiosk.doctor.board_trial import FAULTS as FAULTS
from kiosk.doctor.board_trial import BoardSeen as BoardSeen
from kiosk.doctor.board_trial import label as label
from kiosk.doctor.findings import Finding, failed, passed, skipped

#: How long a display and each lamp show something (s).
SHOW_S = 0.7
#: What a display shows when it is tried: 12:34 and 56:07.
TRIAL = ClockFace(754_000, 3_367_000)


@dataclass(frozen=True, slots=True)
class ContactsSeen:
    """Which contacts are closed; `fault` if the pins cannot be had."""

    closed: Mapping[str, bool]
    fault: str = ""


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
            return check_board(named, open_board(named))
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
