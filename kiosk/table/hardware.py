"""What is plugged into a table: its devices, and, where they are simulated, the hands that move them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from gettext import gettext as _
from pathlib import Path

import chess
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory

from drivers import catalogue
from drivers.addresses import numbers
from drivers.boards.certabo.device import CertaboBoard
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.hands import Hands as Pieces
from drivers.boards.occupancy.device import OccupancyBoard
from drivers.boards.serial_board import RETRY_S, SerialBoard
from drivers.catalogue import Presser
from drivers.clocks.arbiter_key import ArbiterKey
from drivers.clocks.dgt3000.device import Dgt3000
from drivers.displays.plug_in import display, simulated_display
from drivers.errors import DeviceMissing, DriverError
from drivers.interfaces import (
    BoardReport,
    CountsItself,
    Device,
    Display,
    LinkReport,
    OccupancyReport,
    Report,
    Signal,
    Sink,
    boot_us,
)
from drivers.signals.buzzer import Buzzer
from drivers.signals.lamps import Lamps
from kiosk.table.at_board import BoardSetup
from kiosk.table.chips import keep_pieces, kept_pieces
from kiosk.table.config import TableConfig
from rules.laws.events import Side

#: Real ms for which a busy machine may hold up a simulated board, and those that a press may be ahead of it.
HELD_UP_MS = 250
SIMULATED_GRACE_MS = 1_500
#: Real s for which hands wait at most until a board has seen what they did, and how often they look.
SEEN_S = 5.0
SEEN_LOOK_S = 0.002
#: Chess ms for which a hand rests between two touches, at a board that must see each of them.
TOUCH_MS = 150


class Hands:
    """Hands at simulated hardware: they move pieces and press plungers, and know nothing of the game.

    They are done with a move when the board has told what stands there (`sees`), so nobody presses before that, however
    busy the machine is. At a board that must see each touch they wait for that too, and rest for `pause_s` in between.
    """

    def __init__(self, board: Pieces, panel: Presser, pause_s: float = 0.0) -> None:
        self._board = board
        self._panel = panel
        self._pause_s = pause_s
        self._seen: BoardReport | OccupancyReport | None = None
        self._blind = False  # the board has not seen the last thing that was done

    def sees(self, report: BoardReport | OccupancyReport) -> None:
        """The board has told what stands there. May be called from its thread."""
        self._seen = report

    def set_up(self, placement: str) -> None:
        """Puts every piece where `placement` (first field of a FEN) has it."""
        self._board.set_up(placement)

    async def play(self, fen: str, uci: str) -> None:
        """Makes a move of the game position `fen`, legal or not; a move made before on the board is taken back first.

        Raises ValueError with a sentence for what is no move at all.
        """
        position = chess.Board(fen)
        move = chess.Move.from_uci(uci)
        if position.piece_at(move.from_square) is None:
            raise ValueError(_("There is no piece on {square}.").format(square=chess.square_name(move.from_square)))
        if self._board.placement != position.board_fen():
            self._board.set_up(position.board_fen())
            await self._rest()
        for number, (square, letter) in enumerate(touches(position, move)):
            if number:
                await self._rest()
            self._board.change(square, letter)
        await self._until_seen()

    async def _rest(self) -> None:
        if self._pause_s:
            await asyncio.sleep(self._pause_s)
            await self._until_seen()

    async def _until_seen(self) -> None:
        """Waits for the board to tell what stands there; a board that did not see the last touch is waited for once."""
        wanted, wait_s = self._board.placement, SEEN_LOOK_S if self._blind else SEEN_S
        self._blind = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while not self._sees_all(wanted):  # noqa: ASYNC110 - a thread tells it
                    await asyncio.sleep(SEEN_LOOK_S)
                self._blind = False

    def _sees_all(self, placement: str) -> bool:
        match self._seen:
            case BoardReport(_, seen):
                return seen == placement
            case OccupancyReport(_, occupied):
                return occupied == chess.BaseBoard(placement).occupied
            case None:
                return False

    def push(self, side: Side) -> None:
        """Pushes a plunger down."""
        self._panel.push(side)

    def release(self, side: Side) -> None:
        """Lets it up again."""
        self._panel.release(side)

    def close(self) -> None:
        """Puts everything away."""
        self._board.close()
        self._panel.close()


def touches(position: chess.Board, move: chess.Move) -> Iterator[tuple[chess.Square, str]]:
    """What hands do for `move`, square by square: victim off, mover off and on; king before rook."""
    after = position.copy(stack=False)
    after.push(move)
    different = [square for square in chess.SQUARES if position.piece_at(square) != after.piece_at(square)]
    gone = [square for square in different if position.piece_at(square)]
    come = [square for square in different if after.piece_at(square)]
    for square in sorted(
        gone, key=lambda square: (position.color_at(square) == position.turn, square != move.from_square)
    ):
        yield square, "."
    for square in sorted(come, key=lambda square: after.piece_type_at(square) != chess.KING):
        piece = after.piece_at(square)
        assert piece is not None
        yield square, piece.symbol()


@dataclass(frozen=True, slots=True)
class Hardware:
    """The devices of one table. `setup` is what is known about the board; `hands` is None where people are real.

    `pieces` is the file that keeps which chip is in which piece, for boards that read chips.
    """

    board: Device
    clock: Device
    setup: BoardSetup
    hands: Hands | None = None
    key: Device | None = None
    pieces: Path = Path("pieces.json")
    displays: tuple[Display, ...] = ()
    signals: tuple[Signal, ...] = ()
    closed: threading.Event = field(default_factory=threading.Event)

    def start(self, sink: Sink) -> None:
        """Opens all devices. A board that is not there is reported as lost, and waited for.

        Raises `DriverError` with a sentence and a remedy for a clock that cannot be opened: there is no game without.
        """
        if self.hands is not None:
            sink = _watched(self.hands, sink)
        if isinstance(self.board, CertaboBoard):
            sink = self._learning(self.board, sink)
        try:
            self.board.start(sink)
        except DriverError as error:
            sink(LinkReport(boot_us() // 1000, "board", False, str(error)))
            threading.Thread(
                target=self._wait_for_board, args=(sink,), name="waiting for the board", daemon=True
            ).start()
        try:
            self.clock.start(sink)
            if self.key is not None:
                self.key.start(sink)
        except (GPIOZeroError, OSError, ImportError) as error:
            if isinstance(error, DriverError):
                raise
            raise DeviceMissing(_clock_words(error)) from error

    def _learning(self, board: CertaboBoard, sink: Sink) -> Sink:
        """Keeps which chip is in which piece as soon as it is known: after a restart nobody sets up for it."""
        kept = board.kept or kept_pieces(self.pieces)
        if kept is not None:
            board.know(kept)

        def learning(report: Report) -> None:
            nonlocal kept
            if isinstance(report, BoardReport) and board.kept is not None and board.kept is not kept:
                kept = board.kept
                keep_pieces(self.pieces, kept)
            sink(report)

        return learning

    def _wait_for_board(self, sink: Sink) -> None:
        while not self.closed.wait(RETRY_S[-1]):
            with contextlib.suppress(DriverError):
                self.board.start(sink)
                sink(LinkReport(boot_us() // 1000, "board", True, _("The board answers again.")))
                return

    def close(self) -> None:
        """Lets go of all devices."""
        self.closed.set()
        self.board.close()
        self.clock.close()
        if self.key is not None:
            self.key.close()
        if self.hands is not None:
            self.hands.close()


def _watched(hands: Hands, sink: Sink) -> Sink:
    """A sink that tells the hands what the board has seen, once the core has it."""

    def watching(report: Report) -> None:
        sink(report)
        if isinstance(report, BoardReport | OccupancyReport):
            hands.sees(report)

    return watching


def _clock_words(error: Exception) -> str:
    return _(
        "The clock's plungers cannot be read ({error}): run this on a Raspberry Pi as a user of the group gpio, and "
        'let nobody else use these pins; or write clock = "simulated" to try a table without hardware.'
    ).format(error=str(error).rstrip(".") or type(error).__name__)


def setup_of(config: TableConfig) -> BoardSetup:
    """What the settings say about the board."""
    board = catalogue.named("board", config.board).board
    told = config.rotated if isinstance(config.rotated, bool) else None
    # A board that reads its pieces sees how it lies; one that does not must wait for the first move.
    unknown = None if board.sensor == "occupancy" else False
    turned = unknown if told is None else told
    if catalogue.named("board", config.board).simulated:
        # Simulated hands press when the board has told all that they did, and do not slide.
        return BoardSetup(
            board.sensor, board.settle_ms, SIMULATED_GRACE_MS, turned, config.dead_squares, held_up_ms=HELD_UP_MS
        )
    return BoardSetup(
        board.sensor,
        board.settle_ms,
        board.grace_ms,
        turned,
        config.dead_squares,
        lagging=True,
        checked=board.checked,
        blinks=board.blinks,
    )


def plug_in(config: TableConfig) -> Hardware:
    """The devices that the settings name: real drivers, where simulated with a simulator at the end of the cable.

    Raises `DriverError` for a bus or a pin that is not there.
    """
    named_board, named_clock = config.device("board"), config.device("clock")
    assert named_board is not None
    assert named_clock is not None
    kind, pieces, panel = named_board.board, None, None
    if named_board.simulated:
        board, pieces = kind.simulate(config.speed)
    else:
        board = kind.plug_in(named_board.address)
    if named_clock.simulated:
        clock, panel = catalogue.simulated_clock(named_clock.kind, config.speed)
    else:
        clock = catalogue.clock(f"{named_clock.kind}:{named_clock.address}", config.speed)
    hands = None
    if pieces is not None and panel is not None:
        hands = Hands(pieces, panel, TOUCH_MS / 1000 / config.speed if kind.sensor == "occupancy" else 0.0)
    if isinstance(board, CertaboBoard) and isinstance(config.rotated, bool):
        board.rotated = config.rotated
    recall = board if isinstance(board, DgtBoard) else None
    confirms = board if isinstance(board, SerialBoard | OccupancyBoard) else None
    displays, clocks = list(_displays(config)), dict[str, CountsItself]()
    if isinstance(clock, Dgt3000):
        displays.append(clock)
        clocks["clock"] = clock
    hung = config.device("display")
    if isinstance(board, DgtBoard) and hung is not None and hung.kind == catalogue.BOARD_CLOCK:
        if pieces is not None:
            catalogue.hang_clock(pieces)
        on_board = board.display(config.speed, white_left=hung.address != "right")
        displays.append(on_board)
        clocks["board"] = on_board
    chips = board if isinstance(board, CertaboBoard) else None
    setup = replace(
        setup_of(config), recall=recall, confirms=confirms, chips=chips, marked=config.marked, clocks=clocks
    )
    return Hardware(
        board, clock, setup, hands, _key(config), config.pieces, tuple(displays), tuple(_signals(config))
    )  # fmt: skip


def _key(config: TableConfig) -> Device | None:
    found = config.device("arbiter_key")
    if found is None:
        return None
    return ArbiterKey(pin_factory=MockFactory()) if found.simulated else ArbiterKey(*numbers(found.address))


def _displays(config: TableConfig) -> Iterator[Display]:
    found = config.device("display")
    if found is not None and found.kind != catalogue.BOARD_CLOCK:
        yield simulated_display(found.kind) if found.simulated else display(found.kind, found.address)


def _signals(config: TableConfig) -> Iterator[Signal]:
    lamps, buzzer = config.device("lamps"), config.device("buzzer")
    if lamps is not None:
        yield Lamps(pin_factory=MockFactory()) if lamps.simulated else Lamps(*numbers(lamps.address))
    if buzzer is not None:
        if buzzer.simulated:
            yield Buzzer(sounds=config.sounds, pin_factory=MockFactory())
        else:
            yield Buzzer(numbers(buzzer.address)[0], config.sounds)
