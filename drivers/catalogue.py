"""Every device by its name in a table's file, real or simulated: one row per kind.

A name is "kind:address". Boards: "dgt:/dev/serial/by-id/…", "dgt-bluetooth:/dev/rfcomm0", "chesslink:…", "certabo:…",
"sentio:…", "chessnut:/dev/hidraw…", and what a club has built, wired as its plan says: "reed-spi" (74HC165),
"reed-i2c" (four MCP23017), "reed-matrix" (one MCP23017). Clocks: "plungers:17,27", "rocker:17,27", and a DGT 3000 on
I²C, "dgt3000" or "dgtpi". Displays: "max7219", "ht16k33", "tm1637:5,6,13,19", and "dgt-board", the clock
behind a DGT board ("dgt-board:right" where White sits at the clock's right). A row says how the address looks, what
the sensor can tell, how the device is opened, and what plays its part in a simulated hall: the same driver, with a
simulator on the other end of the cable. Drivers are loaded when a device is opened: who only reads a name, as each
start of an appliance does, does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import TYPE_CHECKING, Protocol

from drivers.addresses import BLACK_PIN, HIDRAW, I2C_BUS, RFCOMM, SERIAL, WHITE_PIN, Form, numbers, pins_form
from drivers.errors import BadDeviceName

if TYPE_CHECKING:
    from drivers.boards.hands import Hands
    from drivers.boards.occupancy.sensors import Sensors
    from drivers.boards.occupancy.simulator import SimulatedSquares
    from drivers.interfaces import Device
    from rules.laws.events import Side
    from rules.laws.observer_sight import Sensor

#: Header pin that latches a 74HC165 chain.
LATCH_PIN = 25
#: The name of a device that is only the other end of a cable; "simulated:reed-spi" says which.
SIMULATED = "simulated"
#: The display that hangs on the table's board, and the boards on which one can hang.
BOARD_CLOCK = "dgt-board"
CLOCK_HOLDERS = ("dgt", "dgt-bluetooth")
#: The frames of a simulated board follow each other no faster than this, however fast chess time runs; where it runs
#: faster than in reality, what a touch changes is told at once.
FASTEST_FRAME_S = 0.04


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
    """A row of the boards; times in ms.

    `sensor` is what its reports can tell, `settle_ms` its quiet time, `grace_ms` how far a press may be ahead of the
    report of the move at most: a board that confirms its reports is not waited for longer than it needs. `checked` is
    one whose changes are believed when it has confirmed them, because they have no checksum; one that `blinks` may
    miss that a piece was lifted for a moment. `plug_in` opens the
    address; `simulate` gives driver and hands for a speed of chess time. `port` says that the simulated board has one
    that another program could open too.
    """

    form: Form
    plug_in: Callable[[str], Device]
    simulate: Callable[[float], tuple[Device, Hands]]
    sensor: Sensor = "identified"
    settle_ms: int = 300
    grace_ms: int = 250
    checked: bool = False
    blinks: bool = False
    port: bool = True
    pins: Callable[[str], tuple[int, ...]] = lambda _address: ()


def _dgt_at(port: str) -> Device:
    from drivers.boards.dgt.device import DgtBoard

    return DgtBoard(port)


def _dgt_bluetooth_at(port: str) -> Device:
    from drivers.boards.dgt.device import SCAN_MS, DgtBoard

    return DgtBoard(port, scan_ms=2 * SCAN_MS)


def _dgt(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.dgt.device import DgtBoard
    from drivers.boards.dgt.simulator import SimulatedDgtBoard

    board = SimulatedDgtBoard()
    return DgtBoard(board.port, command_gap_s=0.0), board


def _dgt_bluetooth(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.dgt.device import SCAN_MS, DgtBoard
    from drivers.boards.dgt.simulator import SimulatedDgtBoard

    board = SimulatedDgtBoard(battery=(80, False))
    return DgtBoard(board.port, command_gap_s=0.0, scan_ms=2 * SCAN_MS), board


def _chesslink_at(port: str) -> Device:
    from drivers.boards.chesslink.device import ChessLinkBoard

    return ChessLinkBoard(port)


def _chesslink(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.chesslink.device import ChessLinkBoard
    from drivers.boards.chesslink.simulator import SimulatedChessLink

    board = SimulatedChessLink(scan_s=0.02, at_once=speed > 1)
    return ChessLinkBoard(board.port), board


def _certabo_at(port: str) -> Device:
    from drivers.boards.certabo.device import CertaboBoard

    return CertaboBoard(port)


def _certabo(speed: float, *, chips: bool = True) -> tuple[Device, Hands]:
    from drivers.boards.certabo.device import CertaboBoard
    from drivers.boards.certabo.protocol import VOTE_FRAMES
    from drivers.boards.certabo.simulator import FRAME_S, SimulatedCertabo

    frame_s, at_once = max(FASTEST_FRAME_S, FRAME_S / speed), VOTE_FRAMES if speed > 1 else 0
    board = SimulatedCertabo(chips=chips, frame_s=frame_s, at_once=at_once)
    return CertaboBoard(board.port), board


def _sentio(speed: float) -> tuple[Device, Hands]:
    return _certabo(speed, chips=False)


def _chessnut_at(port: str) -> Device:
    from drivers.boards.chessnut.device import ChessnutBoard

    return ChessnutBoard(port)


def _chessnut(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.chessnut.device import ChessnutBoard
    from drivers.boards.chessnut.simulator import SimulatedChessnut

    board = SimulatedChessnut()
    return ChessnutBoard(board.port, command_gap_s=0.0), board


def _scanned(sensors: Sensors, squares: SimulatedSquares, speed: float) -> tuple[Device, Hands]:
    from drivers.boards.occupancy.device import OccupancyBoard
    from drivers.boards.occupancy.simulator import ScannedAtOnce

    return OccupancyBoard(sensors, world=ScannedAtOnce(squares) if speed > 1 else None), squares


def _chain_at(latch: str) -> Device:
    from drivers.boards.occupancy.device import OccupancyBoard
    from drivers.boards.occupancy.sensors import ShiftChain
    from drivers.buses import PinSPI

    return OccupancyBoard(ShiftChain(PinSPI(int(latch))))


def _chain(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.occupancy.sensors import ShiftChain
    from drivers.boards.occupancy.simulator import SimulatedChain, SimulatedSquares

    squares = SimulatedSquares()
    return _scanned(ShiftChain(SimulatedChain(squares)), squares, speed)


def _expanders_at(bus: str) -> Device:
    from drivers.boards.occupancy.device import OccupancyBoard
    from drivers.boards.occupancy.sensors import Expanders
    from drivers.buses import LinuxI2C

    return OccupancyBoard(Expanders(LinuxI2C(bus)))


def _expanders(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.occupancy.sensors import Expanders
    from drivers.boards.occupancy.simulator import SimulatedExpanders, SimulatedSquares

    squares = SimulatedSquares()
    return _scanned(Expanders(SimulatedExpanders(squares)), squares, speed)


def _matrix_at(bus: str) -> Device:
    from drivers.boards.occupancy.device import OccupancyBoard
    from drivers.boards.occupancy.sensors import Matrix
    from drivers.buses import LinuxI2C

    return OccupancyBoard(Matrix(LinuxI2C(bus)))


def _matrix(speed: float) -> tuple[Device, Hands]:
    from drivers.boards.occupancy.sensors import Matrix
    from drivers.boards.occupancy.simulator import SimulatedExpanders, SimulatedSquares

    squares = SimulatedSquares()
    return _scanned(Matrix(SimulatedExpanders(squares, matrix=True)), squares, speed)


def _plungers_at(pins: str, speed: float) -> Device:
    from drivers.clocks.plungers.device import Plungers

    white, black = numbers(pins)
    return Plungers(white, black, speed=speed)


def _plungers(speed: float) -> tuple[Device, Presser]:
    from drivers.clocks.plungers.device import Plungers
    from drivers.clocks.plungers.simulator import SimulatedPlungers

    pins = SimulatedPlungers()
    return Plungers(WHITE_PIN, BLACK_PIN, pins.pin_factory, speed), pins


def _rocker_at(pins: str, speed: float) -> Device:
    from drivers.clocks.rocker.device import Rocker

    white, black = numbers(pins)
    return Rocker(white, black, speed=speed)


def _rocker(speed: float) -> tuple[Device, Presser]:
    from drivers.clocks.rocker.device import Rocker
    from drivers.clocks.rocker.simulator import SimulatedRocker

    pins = SimulatedRocker()
    return Rocker(WHITE_PIN, BLACK_PIN, pins.pin_factory, speed), pins


def _dgt3000_at(bus: str, speed: float) -> Device:
    from drivers.clocks.dgt3000.bus import PiBus
    from drivers.clocks.dgt3000.device import Dgt3000

    return Dgt3000(lambda: PiBus(bus), speed)


def _dgt3000(speed: float) -> tuple[Device, Presser]:
    from drivers.clocks.dgt3000.device import Dgt3000
    from drivers.clocks.dgt3000.simulator import SimulatedDgt3000

    clock = SimulatedDgt3000()
    return Dgt3000(lambda: clock, speed), clock


BOARDS: Mapping[str, BoardKind] = {
    "dgt": BoardKind(SERIAL, _dgt_at, _dgt, grace_ms=300, checked=True),
    "dgt-bluetooth": BoardKind(
        RFCOMM, _dgt_bluetooth_at, _dgt_bluetooth, settle_ms=600, grace_ms=600, checked=True
    ),
    "chesslink": BoardKind(SERIAL, _chesslink_at, _chesslink, grace_ms=100),
    "certabo": BoardKind(SERIAL, _certabo_at, _certabo, settle_ms=400, grace_ms=800),
    "sentio": BoardKind(SERIAL, _certabo_at, _sentio, "occupancy", settle_ms=400, grace_ms=500, blinks=True),
    "chessnut": BoardKind(HIDRAW, _chessnut_at, _chessnut, checked=True),
    "reed-spi": BoardKind(
        pins_form((LATCH_PIN,)),
        _chain_at,
        _chain, "occupancy", settle_ms=100, grace_ms=60, port=False, pins=numbers,
    ),
    "reed-i2c": BoardKind(
        I2C_BUS,
        _expanders_at,
        _expanders, "occupancy", settle_ms=100, grace_ms=60, port=False,
    ),
    "reed-matrix": BoardKind(
        I2C_BUS,
        _matrix_at,
        _matrix, "occupancy", settle_ms=100, grace_ms=60, port=False,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClockKind:
    """A row of the clock panels: `plug_in` opens the address, `simulate` gives driver and hands, for a chess speed."""

    form: Form
    plug_in: Callable[[str, float], Device]
    simulate: Callable[[float], tuple[Device, Presser]]
    pins: Callable[[str], tuple[int, ...]] = numbers


_TWO_PINS = pins_form((WHITE_PIN, BLACK_PIN))
#: What listens to a DGT 3000 is on these header pins; those of its bus may have other parts on them.
_LISTENING_PINS = (18, 19)

CLOCKS: Mapping[str, ClockKind] = {
    "plungers": ClockKind(_TWO_PINS, _plungers_at, _plungers),
    "rocker": ClockKind(_TWO_PINS, _rocker_at, _rocker),
    "dgt3000": ClockKind(I2C_BUS, _dgt3000_at, _dgt3000, pins=lambda _bus: _LISTENING_PINS),
    "dgtpi": ClockKind(I2C_BUS, _dgt3000_at, _dgt3000, pins=lambda _bus: _LISTENING_PINS),
}


@dataclass(frozen=True, slots=True)
class Wired:
    """A row of what is only wired to the header: how its address looks, and which pins it takes."""

    form: Form
    pins: Callable[[str], tuple[int, ...]] = numbers


def _none(_address: str) -> tuple[int, ...]:
    return ()


DISPLAYS: Mapping[str, Wired] = {
    "max7219": Wired(pins_form((7,))),
    "ht16k33": Wired(Form("0x70,0x71", r"0x7[0-7],0x7[0-7]", "0x70,0x71"), _none),
    "tm1637": Wired(pins_form((5, 6, 13, 19), required=True)),
    BOARD_CLOCK: Wired(Form("left", r"left|right", "left"), _none),
}
#: White's, Black's, the flag's.
LAMPS: Mapping[str, Wired] = {"gpio": Wired(pins_form((16, 20, 21), required=True))}
BUZZERS: Mapping[str, Wired] = {"gpio": Wired(pins_form((12,), required=True))}
ARBITER_KEYS: Mapping[str, Wired] = {"gpio": Wired(pins_form((22,), required=True))}

Row = BoardKind | ClockKind | Wired

#: Part of a table (the key in its file) → the kinds of it.
PARTS: Mapping[str, Mapping[str, Row]] = {
    "board": BOARDS,
    "clock": CLOCKS,
    "display": DISPLAYS,
    "lamps": LAMPS,
    "buzzer": BUZZERS,
    "arbiter_key": ARBITER_KEYS,
}
#: What "simulated" alone means.
USUAL: Mapping[str, str] = {"board": "dgt", "clock": "plungers", "display": "max7219"}


@dataclass(frozen=True, slots=True)
class Named:
    """A device as a table's file names it. `address` is "" for a simulated one."""

    part: str
    kind: str
    address: str
    simulated: bool

    @property
    def row(self) -> Row:
        """Its row in the catalogue."""
        return PARTS[self.part][self.kind]

    @property
    def board(self) -> BoardKind:
        """Its row, of a board."""
        return BOARDS[self.kind]

    @property
    def pins(self) -> tuple[int, ...]:
        """The header pins that it takes (BCM numbers)."""
        return () if self.simulated else self.row.pins(self.address)


def named(part: str, name: str) -> Named:
    """What `name` means for a `part` ("board", "clock", …): raises `BadDeviceName` with a sentence and a remedy."""
    kinds = PARTS[part]
    kind, _colon, address = name.partition(":")
    simulated = kind == SIMULATED
    if simulated:
        kind, address = address or USUAL.get(part, next(iter(kinds))), ""
    row = kinds.get(kind)
    if row is None:
        raise BadDeviceName(
            _("There is no {part} {kind}; known are {names}, and simulated.").format(
                part=part, kind=kind or '""', names=", ".join(kinds)
            )
        )
    return Named(part, kind, "" if simulated else row.form.read(kind, address), simulated)


def board(name: str) -> Device:
    """The driver of a real board; raises `BadDeviceName`, or `DeviceMissing` for a bus that is not there."""
    found = named("board", name)
    return found.board.plug_in(found.address)


def simulated_board(kind: str, speed: float = 1.0) -> tuple[Device, Hands]:
    """The driver of a kind of board with a simulated one at its cable, and the hands there; raises `BadDeviceName`."""
    return named("board", f"{SIMULATED}:{kind}").board.simulate(speed)


def hang_clock(hands: Hands) -> None:
    """Plugs a simulated clock into a simulated DGT board; others have no socket for one."""
    from drivers.boards.dgt.firmware import SimulatedClock
    from drivers.boards.dgt.simulator import SimulatedDgtBoard

    if isinstance(hands, SimulatedDgtBoard):
        hands.hang(SimulatedClock(answer_s=0.2))


def clock(name: str, speed: float = 1.0) -> Device:
    """The driver of a clock panel on the machine's own pins or bus; raises `BadDeviceName`."""
    found = named("clock", name)
    return CLOCKS[found.kind].plug_in(found.address, speed)


def simulated_clock(kind: str, speed: float = 1.0) -> tuple[Device, Presser]:
    """The driver of a clock panel at simulated wires, and the hands there; raises `BadDeviceName`."""
    return CLOCKS[named("clock", f"{SIMULATED}:{kind}").kind].simulate(speed)
