"""The trial by hand: a person presses, taps and lifts, and the doctor says what arrived.

A plunger may be readable and yet never be felt, so somebody who sets up a table presses each one once. Nobody is
waited for longer than `WAIT_S`.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from gettext import gettext as _

from drivers.addresses import numbers
from drivers.catalogue import CLOCKS, Named
from drivers.clocks.arbiter_key import ArbiterKey
from drivers.interfaces import (
    BoardReport,
    Device,
    KeyReport,
    OccupancyReport,
    PressReport,
    Report,
    Sink,
    boot_us,
)
from kiosk.doctor.findings import Finding, failed, passed
from kiosk.doctor.parts import FAULTS, label

WAIT_S = 20.0
#: (name of the check, what to ask the person for, whether a report is what was asked for)
Asked = tuple[str, str, Callable[[Report], bool]]


@dataclass(frozen=True, slots=True)
class Felt:
    """Whether what was asked for arrived, and how old its stamp was when it did (ms)."""

    arrived: bool
    delay_ms: int = 0
    fault: str = ""


def asked(named: Named) -> list[Asked]:
    """What a person should do at a part; nothing at those that only show something."""
    match named.part:
        case "clock":
            return [
                ("hand.white", _("Press White's side of the clock."), lambda r: _is_press(r, "white")),
                ("hand.black", _("Press Black's side of the clock."), lambda r: _is_press(r, "black")),
            ]
        case "arbiter_key":
            return [("hand.key", _("Tap the arbiter's key."), lambda r: isinstance(r, KeyReport))]
        case "board":
            return [
                (
                    "hand.board",
                    _("Lift a piece from the board, and put it back."),
                    lambda r: isinstance(r, (BoardReport, OccupancyReport)),
                )
            ]
    return []


def _is_press(report: Report, side: str) -> bool:
    return isinstance(report, PressReport) and report.side == side


def open_part(named: Named) -> Device | ArbiterKey:
    """The part, ready to start. Raises one of `FAULTS`."""
    if named.part == "clock":
        return CLOCKS[named.kind].plug_in(named.address, 1.0)
    if named.part == "arbiter_key":
        return ArbiterKey(*numbers(named.address))
    return named.board.plug_in(named.address)


def feel(
    start: Callable[[Sink], None], steps: list[Asked], say: Callable[[str], None], wait_s: float = WAIT_S
) -> list[Felt]:
    """Asks for one thing after the other. What a board tells at its start is not what a hand did."""
    reports: queue.Queue[Report] = queue.Queue()
    start(reports.put)
    _let_rest(reports)
    felt = []
    for _name, words, is_it in steps:
        say(words)
        felt.append(_await(reports, is_it, wait_s))
    return felt


def try_by_hand(named: Named, say: Callable[[str], None], wait_s: float = WAIT_S) -> list[Finding]:
    """Asks a person at every part that can be felt; simulated ones have no hands."""
    steps = asked(named)
    if named.simulated or not steps:
        return []
    try:
        part = open_part(named)
        try:
            felt = feel(part.start, steps, say, wait_s)
        finally:
            part.close()
    except FAULTS as error:
        felt = [Felt(False, fault=str(error))] * len(steps)
    return [check_felt(named, step, each) for step, each in zip(steps, felt, strict=True)]


def check_felt(named: Named, step: Asked, felt: Felt) -> Finding:
    """What a hand did has arrived, or not."""
    name, words, _is_it = step
    if felt.arrived:
        what = _("{part}: felt, {ms} ms after it happened").format(part=label(named), ms=felt.delay_ms)
        return passed("table", name, what)
    what = felt.fault or _("{words} Nothing was felt.").format(words=words)
    return failed(
        "table",
        name,
        f"{label(named)}: {what}",
        _("Look at its cable, and whether White and Black are swapped; then try again."),
    )


def _let_rest(reports: queue.Queue[Report], quiet_s: float = 0.5, longest_s: float = 4.0) -> None:
    """Until nothing has been reported for a moment."""
    end = time.monotonic() + longest_s
    while time.monotonic() < end:
        try:
            reports.get(timeout=quiet_s)
        except queue.Empty:
            return


def _await(reports: queue.Queue[Report], is_it: Callable[[Report], bool], wait_s: float) -> Felt:
    end = time.monotonic() + wait_s
    while (left := end - time.monotonic()) > 0:
        with suppress(queue.Empty):
            report = reports.get(timeout=left)
            if is_it(report):
                return Felt(True, max(0, boot_us() // 1000 - report.boot_ms))
    return Felt(False)
