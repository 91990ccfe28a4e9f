"""Board cases of the kind `link`: a board that comes, goes and is shared, met by the real driver in virtual time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

import chess

from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.firmware import Firmware
from drivers.boards.serial_board import Port
from drivers.errors import DeviceBusy, DeviceMissing, DriverError
from drivers.interfaces import LinkReport, Report
from kiosk.replay_board_case import CaseError, Json, integer, items, mapping, text, timed

#: How long the driver is watched after the last event.
AFTERWARDS_MS = 5_000
#: More tries to open in a second than this are a busy loop.
BUSY_TRIES_PER_S = 5
_COMMANDS = {
    dgt.SEND_VERSION: "version", dgt.SEND_BOARD: "board dump", dgt.UPDATE_NICE: "update mode",
    dgt.SEND_SERIAL: "serial number", dgt.SEND_BATTERY: "battery",
}  # fmt: skip
_HELD_BY_OTHERS = ("lock", "claim", "open_by_other", "other_opens", "busy")
_FREE_AGAIN = ("unlock", "release", "close_by_other", "other_closes", "free")


@dataclass(slots=True)
class _Plug:
    """What is plugged in: its device node, its name by id, and the board behind it."""

    node: str
    by_id: str
    board: Firmware


class _VirtualWorld:
    """A machine whose time passes only while the driver waits; what happens to the cable is a list of events."""

    def __init__(self, events: Sequence[Mapping[str, Any]], end: int) -> None:
        self._events = list(events)
        self._end = end
        self._now = 0
        self.plug: _Plug | None = None
        self.held = False
        self.stopping = False
        self.device: DgtBoard | None = None
        self.opened: list[tuple[int, str]] = []
        self.tries: list[int] = []
        self.attached: list[int] = []
        self.sent: list[tuple[int, bytes]] = []
        self.pass_time(0)

    def now_ms(self) -> int:
        return self._now

    @property
    def stopped(self) -> bool:
        return self.stopping

    def stop(self) -> None:
        self.stopping = True

    def wait(self, seconds: float) -> None:
        self.pass_time(max(1, int(seconds * 1000)))

    def pass_time(self, ms: int) -> None:
        """Lets time pass, with the events that fall into it; at the end the device is stopped."""
        until = self._now + ms
        while self._events and integer(self._events[0], "t") <= until:
            event = self._events.pop(0)
            self._now = max(self._now, integer(event, "t"))
            self._happen(event)
        self._now = until
        if self._now >= self._end:
            self.stop()

    def _happen(self, event: Mapping[str, Any]) -> None:
        kind = text(event, "e")
        if kind == "attach":
            board = Firmware()
            board.squares = list("rnbqkbnr" + "p" * 8 + "." * 32 + "P" * 8 + "RNBQKBNR")
            self.plug = _Plug(text(event, "node"), text(event, "by_id"), board)
            self.attached.append(self._now)
        elif kind == "detach":
            self.plug = None
        elif kind in _HELD_BY_OTHERS or kind in _FREE_AGAIN:
            self.held = kind in _HELD_BY_OTHERS
        elif kind == "request" and self.device is not None:
            names = [word for word in text(event, "what").split() if word in chess.SQUARE_NAMES]
            self.device.light([chess.parse_square(name) for name in names])
        elif kind not in ("request", "end"):
            raise CaseError(_("event {kind} is unknown; known are attach, detach, request, end").format(kind=kind))

    def open(self, name: str, baud: int) -> Port:
        self.tries.append(self._now)
        plug = self.plug
        if plug is None or name not in (f"/dev/serial/by-id/{plug.by_id}", f"/dev/{plug.node}"):
            raise DeviceMissing(name)
        if self.held:
            raise DeviceBusy(name)
        self.opened.append((self._now, name))
        return _VirtualPort(self, plug)


class _VirtualPort:
    def __init__(self, world: _VirtualWorld, plug: _Plug) -> None:
        self._world, self._plug = world, plug
        self._answers = b""

    def read(self, wait_s: float) -> bytes:
        """A byte takes about a millisecond; a pulled cable is an error."""
        data, self._answers = self._answers, b""
        self._world.pass_time(len(data) or int(wait_s * 1000))
        self._check()
        return data

    def wake(self) -> None:
        """Nothing wakes a read here: whatever happens does so within one."""

    def write(self, data: bytes) -> None:
        self._check()
        self._world.sent.append((self._world.now_ms(), data))
        self._answers += self._plug.board.feed(data)

    def close(self) -> None:
        self._answers = b""

    def _check(self) -> None:
        if self._world.plug is not self._plug:
            raise OSError(5, "the device is gone")


def answer(case: Mapping[str, Any]) -> Json:
    """Runs the DGT driver against the events; the answer has every key that a link case can expect."""
    events = timed(case)
    last = max((integer(event, "t") for event in events), default=0)
    ended = any(event.get("e") == "end" for event in events)
    world = _VirtualWorld(events, last + (0 if ended else AFTERWARDS_MS))
    by_id = next((event["by_id"] for event in events if event.get("e") == "attach"), "")
    device = DgtBoard(f"/dev/serial/by-id/{by_id}", world=world)
    world.device = device
    reports: list[Report] = []
    states = _states(device, world, reports)
    sent = b"".join(data for _t, data in world.sent)
    wanted = [_hex(code) for code in items(mapping(case.get("expect", {}), "expect").get("never_sent_hex", []), "hex")]
    log_lines = [report for report in reports if isinstance(report, LinkReport)]
    return {
        "states": states,
        "reopened_by": "by_id" if all("/by-id/" in name for _t, name in world.opened) else "node",
        "max_reopen_ms": _slowest(world),
        "first_commands_after_up": _first_commands(world),
        "log_lines_max": len(log_lines),
        "cpu_busy_loop": _busy(world),
        "never_sent_hex": [code for code in wanted if bytes.fromhex(code) not in sent],
    }


def _hex(code: object) -> str:
    try:
        bytes.fromhex(str(code))
    except ValueError:
        raise CaseError(_("never_sent_hex has {code}; write pairs of hexadecimal digits").format(code=code)) from None
    return str(code)


def _states(device: DgtBoard, world: _VirtualWorld, reports: list[Report]) -> list[str]:
    """Starts the driver as a table does, waiting for a board that is not there yet, and runs it to the end."""
    states: list[str] = []
    port = None
    while port is None and not world.stopped:
        try:
            port = world.open(device.port, device.baud)
        except DriverError as error:
            if not states:
                states.append("busy" if isinstance(error, DeviceBusy) else "down")
            world.wait(1)
    if port is not None:
        states.append("up")
        device.run(port, reports.append)
    states += ["up" if report.up else "down" for report in reports if isinstance(report, LinkReport)]
    return states


def _slowest(world: _VirtualWorld) -> int:
    """The longest time between a board's arrival and its opening."""
    times = []
    for attached in world.attached:
        later = [t for t, _name in world.opened if t >= attached]
        if later:
            times.append(later[0] - attached)
    return max(times, default=0)


def _first_commands(world: _VirtualWorld) -> list[str]:
    """The first three commands after the last opening, in words."""
    opened = world.opened[-1][0] if world.opened else 0
    after = [data for t, data in world.sent if t >= opened]
    return [_COMMANDS.get(data, data.hex()) for data in after[:3]]


def _busy(world: _VirtualWorld) -> bool:
    """Whether the driver tried to open more often than is good in any second."""
    tries = world.tries
    return any(b - a < 1_000 for a, b in zip(tries, tries[BUSY_TRIES_PER_S:], strict=False))
