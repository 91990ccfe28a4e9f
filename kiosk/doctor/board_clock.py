"""The clock that hangs on a DGT board, really set: whether there is one, and whether it shows what it is told."""

from __future__ import annotations

import queue
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _

import chess

from drivers import catalogue
from drivers.boards.dgt.clock import ClockVersion
from drivers.boards.dgt.device import DgtBoard
from drivers.catalogue import Named
from drivers.interfaces import ClockFace, ClockReport, Device, FaultReport, LinkReport, Report
from kiosk.doctor.board_trial import FAULTS, clock_name, label
from kiosk.doctor.findings import Finding, failed, passed

#: A clock is asked four times for its version, and four times to obey (s).
CLOCK_S = 15.0
#: After it has obeyed it tells the new times within so long (s).
TOLD_S = 3.0
#: What it is told to show: 12:34 and 56:07.
TRIAL = ClockFace(754_000, 3_367_000)


@dataclass(frozen=True, slots=True)
class ClockSeen:
    """The clock behind the board: its version, and why it does not show our times (`trouble` as in `FaultReport`)."""

    version: ClockVersion | None = None
    trouble: str = ""
    fault: str = ""


def try_board_clock(board: Named, display: Named, wait_s: float = CLOCK_S) -> ClockSeen:
    """Opens the board that a table's file names, and sets the clock behind it."""
    try:
        if not board.simulated:
            return try_clock(board.board.plug_in(board.address), display, wait_s)
        device, hands = board.board.simulate(1.0)
        catalogue.hang_clock(hands)
        hands.set_up(chess.STARTING_BOARD_FEN)
        try:
            return try_clock(device, display, wait_s)
        finally:
            hands.close()
    except FAULTS as error:
        return ClockSeen(fault=str(error))


def try_clock(device: Device, display: Named, wait_s: float = CLOCK_S) -> ClockSeen:
    """Shows `TRIAL`, and waits until the clock tells that it does, or until it is known why it does not."""
    assert isinstance(device, DgtBoard)
    shows = device.display(white_left=display.address != "right")
    shows.show(TRIAL)
    reports: queue.Queue[Report] = queue.Queue()
    wanted, said = (TRIAL.white_ms // 1000, TRIAL.black_ms // 1000), (0, 0)
    trouble, fault, obeyed_at = "", "", float("inf")
    try:
        device.start(reports.put)
        end = time.monotonic() + wait_s
        while (now := time.monotonic()) < end and not trouble:
            with suppress(queue.Empty):
                match reports.get(timeout=0.05):
                    case ClockReport(_t, white_s, black_s):
                        said = white_s, black_s
                    case FaultReport(_t, "display", what):
                        trouble = what
                    case LinkReport(_t, "board", False, why):
                        fault = why
            if shows.obeys and said == wanted:
                return ClockSeen(device.clock.version)
            obeyed_at = min(obeyed_at, now) if shows.obeys else float("inf")
            if now - obeyed_at > TOLD_S:
                trouble = "wrong"
    finally:
        device.close()
    return ClockSeen(device.clock.version, trouble or ("" if fault else "silent"), fault)


def check_board_clock(display: Named, seen: ClockSeen) -> Finding:
    """A clock that shows our times, or what to do about it."""
    name = label(display)
    if seen.fault:
        return failed("table", "display", f"{name}: {seen.fault}", _("Mend the board first."))
    if seen.trouble:
        what, remedy = _troubles()[seen.trouble]
        return failed("table", "display", f"{name}: {what}", remedy)
    what = _("{name}: a {clock} obeys; 12:34 and 56:07 were shown, did you see them?")
    return passed("table", "display", what.format(name=name, clock=clock_name(seen.version)))


def _troubles() -> Mapping[str, tuple[str, str]]:
    """What is wrong, and what to do."""
    return {
        "absent": (_("No clock hangs on the board."), _("Plug the clock's cable into the board's socket.")),
        "silent": (_("The clock does not answer."), _("Switch it on, and look at its cable.")),
        "refuses": (
            _("The clock does not let itself be set."),
            _("Choose its option 25 (DGT 3000) or 23 (DGT XL, 2010), and try again."),
        ),
        "wrong": (
            _("The clock says that it obeys, and shows other times."),
            _("Choose its option 25 (DGT 3000) or 23 (DGT XL, 2010), and try again; or name another display."),
        ),
    }


__all__ = ["ClockSeen", "check_board_clock", "try_board_clock", "try_clock"]
