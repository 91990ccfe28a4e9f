"""Every device by its name in a table's file, real or simulated.

A board is "dgt:/dev/serial/by-id/…", "chesslink:…", "certabo:…", "sentio:…", "chessnut:/dev/hidraw…", or one that a
club has built, wired as its plan says: "74hc165", "mcp23017", "mcp23017-matrix". A clock is "plungers" or "rocker".
For each there is a simulated one: the same driver, with a simulator on the other end of the cable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any, Protocol

from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.certabo.simulator import SimulatedCertabo
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chesslink.simulator import SimulatedChessLink
from drivers.boards.chessnut.device import ChessnutBoard
from drivers.boards.chessnut.simulator import SimulatedChessnut
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.boards.hands import Hands
from drivers.boards.occupancy.device import OccupancyBoard
from drivers.boards.occupancy.sensors import Expanders, Matrix, ShiftChain
from drivers.boards.occupancy.simulator import SimulatedChain, SimulatedExpanders, SimulatedSquares
from drivers.buses import LinuxI2C, PinSPI
from drivers.clocks.plungers.device import Plungers
from drivers.clocks.plungers.simulator import SimulatedPlungers
from drivers.clocks.rocker.device import Rocker
from drivers.clocks.rocker.simulator import SimulatedRocker
from drivers.errors import BadDeviceName
from drivers.interfaces import Device
from rules.laws.events import Side

#: Header pin that latches a 74HC165 chain.
LATCH_PIN = 25


class Presser(Protocol):
    """Hands at a simulated clock panel."""

    def push(self, side: Side) -> None:
        """Presses for a side."""

    def release(self, side: Side) -> None:
        """Lets go."""

    def close(self) -> None:
        """Puts it away; may be called twice."""


@dataclass(frozen=True, slots=True)
class BoardKind:
    """`knows_pieces` says what its reports are; `grace_ms` is how far a press may be ahead of them."""

    plug_in: Callable[[str], Device]
    simulate: Callable[[], tuple[Device, Hands]]
    knows_pieces: bool = True
    needs_port: bool = True
    settle_ms: int = 300
    grace_ms: int = 250


def _dgt() -> tuple[Device, Hands]:
    board = SimulatedDgtBoard()
    return DgtBoard(board.port, command_gap_s=0.0), board


def _chesslink() -> tuple[Device, Hands]:
    board = SimulatedChessLink()
    return ChessLinkBoard(board.port), board


def _certabo() -> tuple[Device, Hands]:
    board = SimulatedCertabo()
    return CertaboBoard(board.port), board


def _sentio() -> tuple[Device, Hands]:
    board = SimulatedCertabo(chips=False)
    return CertaboBoard(board.port), board


def _chessnut() -> tuple[Device, Hands]:
    board = SimulatedChessnut()
    return ChessnutBoard(board.port, command_gap_s=0.0), board


def _chain() -> tuple[Device, Hands]:
    squares = SimulatedSquares()
    return OccupancyBoard(ShiftChain(SimulatedChain(squares))), squares


def _expanders() -> tuple[Device, Hands]:
    squares = SimulatedSquares()
    return OccupancyBoard(Expanders(SimulatedExpanders(squares))), squares


def _matrix() -> tuple[Device, Hands]:
    squares = SimulatedSquares()
    return OccupancyBoard(Matrix(SimulatedExpanders(squares, matrix=True))), squares


BOARDS: Mapping[str, BoardKind] = {
    "dgt": BoardKind(DgtBoard, _dgt),
    "chesslink": BoardKind(ChessLinkBoard, _chesslink, grace_ms=100),
    "certabo": BoardKind(CertaboBoard, _certabo, settle_ms=400, grace_ms=500),
    "sentio": BoardKind(CertaboBoard, _sentio, knows_pieces=False, settle_ms=400, grace_ms=500),
    "chessnut": BoardKind(ChessnutBoard, _chessnut),
    "74hc165": BoardKind(
        lambda _port: OccupancyBoard(ShiftChain(PinSPI(LATCH_PIN))), _chain, False, False, settle_ms=100, grace_ms=60
    ),
    "mcp23017": BoardKind(
        lambda _port: OccupancyBoard(Expanders(LinuxI2C())), _expanders, False, False, settle_ms=100, grace_ms=60
    ),
    "mcp23017-matrix": BoardKind(
        lambda _port: OccupancyBoard(Matrix(LinuxI2C())), _matrix, False, False, settle_ms=100, grace_ms=60
    ),
}

#: Clock panel → (driver with a pin factory and a speed, simulator).
CLOCKS: Mapping[str, tuple[Callable[[Any, float], Device], Callable[[], Any]]] = {
    "plungers": (lambda factory, speed: Plungers(pin_factory=factory, speed=speed), SimulatedPlungers),
    "rocker": (lambda factory, speed: Rocker(pin_factory=factory, speed=speed), SimulatedRocker),
}


def board_kind(name: str) -> tuple[BoardKind, str]:
    """The kind and the port of a board's name; raises `BadDeviceName`."""
    kind, _colon, port = name.partition(":")
    found = BOARDS.get(kind)
    if found is None:
        raise BadDeviceName(
            _("There is no board {kind}; known are {names}.").format(kind=kind, names=", ".join(BOARDS))
        )
    if found.needs_port and not port.startswith("/"):
        raise BadDeviceName(
            _("The board {name} names no device: write {kind}:/dev/serial/by-id/… after looking there.").format(
                name=name, kind=kind
            )
        )
    return found, port


def board(name: str) -> Device:
    """The driver of a real board; raises `BadDeviceName`, or `DeviceMissing` for a bus that is not there."""
    kind, port = board_kind(name)
    return kind.plug_in(port)


def simulated_board(kind: str) -> tuple[Device, Hands]:
    """The driver of a kind of board with a simulated one at its cable, and the hands there; raises `BadDeviceName`."""
    if kind not in BOARDS:
        raise BadDeviceName(
            _("There is no board {kind}; known are {names}.").format(kind=kind, names=", ".join(BOARDS))
        )
    return BOARDS[kind].simulate()


def clock(kind: str, speed: float = 1.0) -> Device:
    """The driver of a clock panel on the machine's own pins; raises `BadDeviceName`."""
    return _clock(kind)[0](None, speed)


def simulated_clock(kind: str, speed: float = 1.0) -> tuple[Device, Presser]:
    """The driver of a clock panel on simulated pins, and the hands there; raises `BadDeviceName`."""
    make, simulate = _clock(kind)
    pins = simulate()
    return make(pins.pin_factory, speed), pins


def _clock(kind: str) -> tuple[Callable[[Any, float], Device], Callable[[], Any]]:
    if kind not in CLOCKS:
        raise BadDeviceName(
            _("There is no clock {kind}; known are {names}.").format(kind=kind, names=", ".join(CLOCKS))
        )
    return CLOCKS[kind]
