"""The boards of the campaign: pieces, the simulators' firmware at its own pace, and the real driver that reads it.

What a driver reads are the bytes that the firmware sends, in pieces, at the speed of the line (`venue.Cable`), or the
levels that a scan loop finds.
"""

from __future__ import annotations

import random
from typing import Any

import chess

from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.certabo.protocol import PieceSet
from drivers.boards.certabo.simulator import CertaboFirmware
from drivers.boards.chesslink.device import ChessLinkBoard
from drivers.boards.chesslink.simulator import ChessLinkFirmware
from drivers.boards.chessnut.device import ChessnutBoard
from drivers.boards.chessnut.simulator import ChessnutFirmware
from drivers.boards.dgt.device import SCAN_MS, DgtBoard
from drivers.boards.dgt.firmware import Firmware
from drivers.boards.occupancy.device import OccupancyBoard
from drivers.boards.occupancy.sensors import Expanders, Matrix, ShiftChain
from drivers.boards.occupancy.simulator import SimulatedChain, SimulatedExpanders, SimulatedSquares
from drivers.errors import DeviceMissing
from drivers.interfaces import Confirms, Sink
from tests.drivers.campaign.venue import BEGIN_MS, Cable, Fault, Venue


class Board:
    """Pieces on a board of some kind, and the driver that reads it. `run` serves the driver until the venue is over."""

    #: What can go wrong with it, by name.
    faults: tuple[str, ...] = (
        "noise", "lost bytes", "garbled bytes", "slow scan", "unplugged", "stuck square", "weak piece",
    )  # fmt: skip
    byte_us = 1_000
    #: Its driver, once it runs.
    driver: Confirms | None = None

    def __init__(self, venue: Venue, board: chess.Board, fault: Fault, seed: str) -> None:
        self.venue, self.fault = venue, fault
        self.dice = random.Random(f"board {seed}")
        self.real = [piece.symbol() if (piece := board.piece_at(square)) else "." for square in chess.SQUARES]
        self.sticky: set[chess.Square] = {self.dice.randrange(16, 48)} if fault.stuck else set()
        self.power_up()
        if fault.weak:
            self.weak_square = self.dice.randrange(64)
            self._weaken()

    def power_up(self) -> None:
        """The board begins anew; its pieces stand as they did."""
        raise NotImplementedError

    def change(self, square: chess.Square, letter: str) -> None:
        """A hand moves a piece now."""
        self.real[square] = letter
        if square not in self.sticky:
            self.sense(square, letter)

    def sense(self, square: chess.Square, letter: str) -> None:
        """The sensor below a square sees something else."""
        raise NotImplementedError

    def confirm(self, since_ms: int) -> None:
        """The driver is asked to say when it has told everything."""
        if self.driver is not None:
            self.driver.confirm(since_ms)

    def pull(self) -> None:
        """The cable is pulled."""
        raise NotImplementedError

    def plug(self) -> None:
        """The cable is plugged in again, and with it the board's power."""
        raise NotImplementedError

    def run(self, sink: Sink) -> None:
        """The driver's thread."""
        raise NotImplementedError

    def _weaken(self) -> None:
        """A square whose piece is now and then not seen for a moment."""
        square = self.weak_square
        self.sense(square, ".")
        self.venue.at(self.venue.now + self.dice.randint(30, 400), lambda: self.sense(square, self.real[square]))
        self.venue.at(self.venue.now + self.dice.choice((500, 3_000, 20_000, 60_000)), self._weaken)


class Serial(Board):
    """A board at a serial cable."""

    firmware: Any

    def __init__(self, venue: Venue, board: chess.Board, fault: Fault, seed: str) -> None:
        self.cable = Cable(venue, lambda data: self.feed(data), self.byte_us, fault, seed)
        super().__init__(venue, board, fault, seed)

    def feed(self, data: bytes) -> bytes:
        """What the firmware answers."""
        answer: bytes = self.firmware.feed(data)
        return answer

    def letters(self) -> list[str]:
        """What the sensors see, from a8 to h1."""
        return [self.real[number ^ 56] for number in range(64)]

    def pull(self) -> None:
        self.cable.pull()

    def plug(self) -> None:
        self.power_up()
        self.cable.plug()

    def device(self) -> Any:
        """The real driver."""
        raise NotImplementedError

    def run(self, sink: Sink) -> None:
        self.driver = device = self.device()
        device.run(self.cable.open("", 0), sink)


class Dgt(Serial):
    """A scan pointer visits a square every 3.5 ms; a change is sent when it gets there."""

    step_us = 3_500

    def power_up(self) -> None:
        self.firmware = Firmware()
        self.firmware.squares = self.letters()
        self.firmware.battery = (self.fault.battery, False) if self.fault.battery < 50 else None
        self._step = self.step_us * self.fault.slow

    def sense(self, square: chess.Square, letter: str) -> None:
        number, now, whole = square ^ 56, self.venue.now * 1000, 64 * self._step
        passes = ((now - number * self._step) // whole + 1) * whole + number * self._step
        self._seen = getattr(self, "_seen", {})
        self._seen[number] = letter
        self.venue.at(-(-passes // 1000), lambda: self.cable.say(self.firmware.change(number, self._seen[number])))

    def device(self) -> DgtBoard:
        return DgtBoard("", world=self.cable)


class DgtBluetooth(Dgt):
    """Half the rate, and a battery."""

    step_us = 7_000
    faults = (*Board.faults, "low battery")

    def device(self) -> DgtBoard:
        return DgtBoard("", world=self.cable, scan_ms=2 * SCAN_MS)


class Frames(Serial):
    """A board that looks at its squares from time to time, and says something then."""

    frame_ms = 41
    byte_us = 260

    def power_up(self) -> None:
        self._power = getattr(self, "_power", 0) + 1
        self._tick(self._power)

    def _tick(self, power: int) -> None:
        if power == self._power:
            self.venue.at(self.venue.now + self.frame_ms * self.fault.slow, lambda: self._tick(power))
            if self.venue.now > BEGIN_MS:
                self.cable.say(self.frame())

    def frame(self) -> bytes:
        """What it says now."""
        raise NotImplementedError


class ChessLink(Frames):
    """The whole position with parity on every byte, on change."""

    def power_up(self) -> None:
        self.firmware = ChessLinkFirmware()
        self.firmware.squares = self.letters()
        super().power_up()

    def sense(self, square: chess.Square, letter: str) -> None:
        self.firmware.squares[square ^ 56] = letter

    def frame(self) -> bytes:
        return self.firmware.report(self.venue.now / 1000)

    def device(self) -> ChessLinkBoard:
        return ChessLinkBoard("", world=self.cable)


class Certabo(Frames):
    """A stream of chips; one frame in ten misses a piece. A line of 320 numbers takes its time at this speed."""

    frame_ms = 200
    chips = True

    def power_up(self) -> None:
        self.firmware = CertaboFirmware(self.chips, 0.1, self.dice.randrange(1 << 30))
        self.firmware.squares = list(self.real)
        super().power_up()

    def sense(self, square: chess.Square, letter: str) -> None:
        self.firmware.squares[square] = letter

    def frame(self) -> bytes:
        return self.firmware.frame()

    def device(self) -> CertaboBoard:
        pieces = PieceSet({(1, 2, 3, 4, ord(letter)): letter for letter in "PNBRQKpnbrqk"})
        return CertaboBoard("", world=self.cable, pieces=pieces)


class Sentio(Certabo):
    """A stream of occupied squares."""

    frame_ms = 120
    chips = False


class Chessnut(Serial):
    """A report at every change."""

    byte_us = 10
    faults = (*Board.faults, "low battery")

    def power_up(self) -> None:
        self.firmware = ChessnutFirmware((self.fault.battery, False))
        self.firmware.squares = list(self.real)

    def sense(self, square: chess.Square, letter: str) -> None:
        delay = 20 * self.fault.slow
        self.venue.at(self.venue.now + delay, lambda: self.cable.say(self.firmware.change(square, letter)))

    def device(self) -> ChessnutBoard:
        return ChessnutBoard("", world=self.cable)


class ReedWorld:
    """The machine as the scan loop knows it. While no sensor moves, time passes to the next thing that happens."""

    def __init__(self, board: Reeds) -> None:
        self._board, self._venue = board, board.venue

    def open(self, name: str, baud: int) -> Any:
        raise DeviceMissing(name)

    def now_ms(self) -> int:
        return self._venue.now

    def wait(self, seconds: float) -> None:
        step = max(1, int(seconds * 1000))
        due = self._venue.next()
        if due is not None and self._venue.now - self._board.moved_at > 200 * step // 10:
            step *= max(1, (due - self._venue.now) // step)
        self._venue.until(self._venue.now + step)
        if seconds > 0.1:
            self._board.moved_at = self._venue.now  # the bus was tried again: the next scans are made one by one

    def stop(self) -> None:
        self._venue.over = True

    @property
    def stopped(self) -> bool:
        return self._venue.over


class Reeds(Board):
    """64 reeds that bounce, on a 74HC165 chain, scanned every 10 ms. Its wires have no bytes to lose."""

    faults = ("noise", "slow scan", "unplugged", "stuck square", "weak piece")

    def power_up(self) -> None:
        self.magnets = SimulatedSquares(bounce=2, seed=self.dice.randrange(1 << 30))
        for square, letter in enumerate(self.real):
            self.magnets._squares[square] = letter
        for square in self.sticky:
            (self.magnets.stuck if self.dice.random() < 0.5 else self.magnets.dead).add(square)
        self.sticky = set()  # the sensors are stuck, not the pieces
        self.moved_at = self.venue.now
        self.pulled = False
        self.spi: Any = self.chips()
        if self.fault.noise:
            self.venue.at(self.venue.now + 50, self._spike)

    def chips(self) -> Any:
        """The chips below the squares."""
        return SimulatedChain(self.magnets)

    def sensors(self) -> Any:
        """The driver's way to read them."""
        return ShiftChain(self)  # type: ignore[arg-type]

    def transfer(self, data: bytes) -> bytes:
        if self.pulled:
            raise OSError(5, "Input/output error")
        answer: bytes = self.spi.transfer(data)
        return answer

    def close(self) -> None:
        """Nothing to let go of."""

    def sense(self, square: chess.Square, letter: str) -> None:
        self.moved_at = self.venue.now
        self.magnets.change(square, letter)

    def confirm(self, since_ms: int) -> None:
        self.moved_at = self.venue.now  # it is looked at
        super().confirm(since_ms)

    def _spike(self) -> None:
        """A sensor is disturbed for a scan or two."""
        square = self.dice.randrange(64)
        self.moved_at = self.venue.now
        self.magnets._bouncing[square] = 2
        self.venue.at(self.venue.now + self.dice.randint(200, 3_000), self._spike)

    def pull(self) -> None:
        self.pulled = True
        self.moved_at = self.venue.now

    def plug(self) -> None:
        self.pulled = False
        self.moved_at = self.venue.now

    def run(self, sink: Sink) -> None:
        scans = 100 // self.fault.slow
        self.driver = device = OccupancyBoard(self.sensors(), scans, world=ReedWorld(self))
        device.run(sink)


class ReedsOnExpanders(Reeds):
    """The same on four MCP23017."""

    matrix = False

    def chips(self) -> Any:
        return SimulatedExpanders(self.magnets, self.matrix)

    def sensors(self) -> Any:
        return (Matrix if self.matrix else Expanders)(self.spi)

    def pull(self) -> None:
        super().pull()
        self.spi.broken = True

    def plug(self) -> None:
        super().plug()
        self.spi.broken = False


class ReedsInMatrix(ReedsOnExpanders):
    """The same in a matrix with diodes on one MCP23017."""

    matrix = True


#: By the name that a table's file has for the board.
KINDS: dict[str, type[Board]] = {
    "dgt": Dgt,
    "dgt-bluetooth": DgtBluetooth,
    "chesslink": ChessLink,
    "certabo": Certabo,
    "sentio": Sentio,
    "chessnut": Chessnut,
    "reed-spi": Reeds,
    "reed-i2c": ReedsOnExpanders,
    "reed-matrix": ReedsInMatrix,
}
