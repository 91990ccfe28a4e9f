"""The DGT board behind a serial port: keeps the squares, reports each change, drives the clock behind it.

The board is asked for its version and a full dump, put into its quiet update mode, and asked for a dump again, so that
no change falls between. A change comes in a message without a checksum, so a dump is asked for when the board is quiet
again: what both say is confirmed (`StillReport`), what two dumps say is believed. A keep-alive question every second
tells a dead cable from a quiet board. The clock gets one command at a time (`clock_queue`); where it is the table's
display (`clock_display`), none that could hold up a question about the squares. Lights are sent only to a
board that is known to have them: plain boards may stall.

Assumed, because no source says which generation of boards is which: a board may come as ttyUSB (a serial chip, 9600
baud) or as ttyACM (where the speed means nothing), and both are served alike. Assumed too: a board over Bluetooth scans
half as fast as one on a cable (`scan_ms`), and a version or a serial number that is asked for twice does no harm.

A piece that has no chip is none to this board: a second queen that is a rook upside down stands on an empty square. The
special pieces of some halls (codes 13 to 15) are no chessmen, and told as empty squares as well.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from drivers.boards.dgt import clock
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.clock_display import ClockOnBoard
from drivers.boards.dgt.clock_queue import ClockQueue
from drivers.boards.placement import placement
from drivers.boards.serial_board import LINE_ERRORS, Port, SerialBoard, World
from drivers.interfaces import BatteryReport, BoardReport, ClockReport, GapReport, Sink, StillReport
from rules.laws.events import Side

KEEP_ALIVE_MS = 1_000
VERSION_MS = 2_000
BATTERY_MS = 60_000
COMMAND_GAP_S = 0.1
#: So long after a change a dump is asked for, if nothing else has changed by then.
CHECK_MS = 20
#: A full scan of the squares takes 200 to 250 ms, over Bluetooth twice as long.
SCAN_MS = 250
#: A time that goes up by more (s) is asked for again, except so soon after the clock was set.
LARGEST_INCREMENT_S = 60
SETTING_MS = 5_000
#: A command to the clock that shows our times leaves so much room before a question about the squares, and waits for
#: such questions no longer than this.
CLOCK_ROOM_MS = 150
CLOCK_WAITS_MS = 1_000


class DgtBoard(SerialBoard):
    """A board sensor that knows its pieces; `port` is best a name under /dev/serial/by-id/.

    `leds` says that the board has lights (the robot board); `white_left` that White sits on the clock's left side.
    `serial_number` and `version` are empty until the board has told them.
    """

    kind = "dgt"
    baud = 9600
    scan_ms = SCAN_MS
    question = dgt.SEND_BOARD

    def __init__(
        self,
        port: str,
        command_gap_s: float = COMMAND_GAP_S,
        world: World | None = None,
        leds: bool = False,
        white_left: bool = True,
        scan_ms: int = SCAN_MS,
    ) -> None:
        self.scan_ms = scan_ms
        super().__init__(port, command_gap_s, world)
        self.serial_number = ""
        self.version: dgt.BoardVersion | None = None
        self.memory: bytes = b""
        self.clock = ClockQueue()
        self._leds = leds
        self._white_left = white_left
        self._reader = dgt.Reader()
        self._squares: list[str] = []
        self._doubted: dict[int, str] = {}  # what the last dump said else
        self._check_at: int | None = None
        self._confirmed = False  # what was told last
        self._asked = self._asked_version = self._asked_battery = 0
        self._battery = False
        self._shown: clock.ClockTime | None = None
        self._doubtful = False
        self._set_at: int | None = None
        self._display: ClockOnBoard | None = None
        self._held_since: int | None = None

    # -- what a caller may ask ----------------------------------------------------------------------------------------

    def ask_board(self) -> None:
        """Asks for a full dump: after a press, or when the squares explain nothing."""
        self._check(self._world.now_ms())

    def ask_memory(self) -> None:
        """Reads the board's memory, which takes 8 s; it lies in `memory` then (decode it with `memory.decode`)."""
        self.send(dgt.SEND_MEMORY)

    def show_text(self, words: str, beep: int = 0) -> None:
        """Shows a text on the clock; eight characters on a DGT 3000, six drawn ones on an XL."""
        version = self.clock.version
        modern = version is None or version.major >= 2
        self.clock.ask(clock.text(words, beep) if modern else clock.display(words, bool(beep)))

    def end_text(self) -> None:
        """Back to the times."""
        self.clock.ask(clock.end_display())

    def set_times(self, white_s: int, black_s: int, running: Side | None) -> None:
        """Sets both times of the clock (s) and the side that runs."""
        left, right = (white_s, black_s) if self._white_left else (black_s, white_s)
        self._set_at = self._world.now_ms()
        self.clock.ask(clock.set_and_run(left, right, running, self._white_left))

    def display(self, speed: float = 1.0, white_left: bool = True) -> ClockOnBoard:
        """The clock behind the board as a display, from now on; what it says of itself comes from the board."""
        self._white_left = white_left
        self._display = ClockOnBoard(self._world.now_ms, self._look_now, speed, white_left)
        return self._display

    def _look_now(self) -> None:
        with self._port_lock, contextlib.suppress(*LINE_ERRORS):
            if self._port is not None:
                self._port.wake()

    def light(self, squares: Sequence[int]) -> bool:
        """Lights two squares (a1 = 0 … h8 = 63) of a board that has lights; whether it was asked to."""
        if not self._leds or not squares:
            return False
        self.send(dgt.leds(squares[0] ^ 56, squares[-1] ^ 56))
        return True

    # -- the line -----------------------------------------------------------------------------------------------------

    def greet(self) -> Sequence[bytes]:
        """Version, dump, update mode, a dump again; serial number, battery, the clock's version."""
        self._reader = dgt.Reader()
        self._squares, self._doubted = [], {}
        self._check_at, self._confirmed = None, False
        self.version = None
        self.clock = ClockQueue()
        self.clock.ask(clock.ask_version())
        self._shown, self._doubtful = None, False
        if self._display is not None:
            self._display.connected()
        self._asked = self._asked_version = self._asked_battery = self._world.now_ms()
        for _dump in range(2):
            self._fence.asked(self._asked)
        return (
            dgt.SEND_VERSION,
            dgt.SEND_BOARD,
            dgt.UPDATE_NICE,
            dgt.SEND_BOARD,
            dgt.SEND_SERIAL,
            dgt.SEND_BATTERY,
        )

    def tick(self, now_ms: int, sink: Sink) -> None:
        """Keeps the line alive, asks for the version until it comes, and gives the clock its next command."""
        if now_ms - self._asked > KEEP_ALIVE_MS and not self._fence.pending:
            self.send(dgt.SEND_SERIAL)
            self._asked = now_ms
        if self.version is None and now_ms - self._asked_version > VERSION_MS:
            self.send(dgt.SEND_VERSION)
            self._asked_version = now_ms
        if self._battery and now_ms - self._asked_battery > BATTERY_MS:
            self.send(dgt.SEND_BATTERY)
            self._asked_battery = now_ms
        if self._check_at is not None and now_ms >= self._check_at:
            self._check(now_ms)
        self._serve_clock(now_ms, sink)

    def _serve_clock(self, now: int, sink: Sink) -> None:
        """The clock's next command, when its time has come."""
        display = self._display
        if display is None:
            command = self.clock.next(now)
        else:
            display.tell(now, sink)
            command = None if self._holds_up(now) else display.next(self.clock, now)
        if command is not None:
            if display is not None and command[3:4] == bytes((clock.SET_AND_RUN,)):
                self._set_at = now
            self.send(command)

    def _holds_up(self, now: int) -> bool:
        """Whether a command to the clock would hold up other commands, or a question about the squares."""
        asked = [t for t in (self._fence.next(now), self._check_at) if t is not None]
        soon = min(asked) - now <= CLOCK_ROOM_MS if asked else self._fence.pending
        if not (soon or self._queue):
            self._held_since = None
            return False
        if self._held_since is None:
            self._held_since = now
        return now - self._held_since < CLOCK_WAITS_MS

    def _serve(self, port: Port, sink: Sink) -> None:
        """Serves the line; a clock that shows our times is left standing."""
        super()._serve(port, sink)
        last = self._display.leave(self._world.now_ms()) if self._display is not None else None
        if last is not None:
            port.write(last)

    def _check(self, now: int) -> None:
        """Asks for a dump."""
        self._check_at = None
        self._fence.asked(now)
        self.send(dgt.SEND_BOARD)

    def _due(self, now_ms: int) -> int | None:
        return self._check_at

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended yet."""
        return self._reader.torn

    def mend(self, now_ms: int, sink: Sink) -> bool:
        """Asks for a full dump in place of a message that lost bytes, perhaps a change."""
        self._reader.forget()
        self._check(now_ms)
        return True

    def take(self, data: bytes, now_ms: int, sink: Sink) -> bool:
        """Takes bytes of the board; whether a whole message was among them."""
        messages = self._reader.feed(data)
        for message in messages:
            self._take(message, now_ms, sink)
        return any(not isinstance(message, dgt.Dropped) for message in messages)

    def _take(self, message: dgt.DgtMessage, now: int, sink: Sink) -> None:
        match message:
            case dgt.BoardDump(squares):
                self._dumped(squares, now, sink)
            case dgt.FieldUpdate(square, piece) if self._squares:
                self._squares[square] = piece
                self._doubted.pop(square, None)
                self._check_at, self._confirmed = now + CHECK_MS, False
                sink(BoardReport(now, placement("".join(self._squares))))
            case dgt.Dropped():
                self._check(now)  # bytes were lost, perhaps a change among them
                sink(GapReport(now))
            case dgt.SerialNumber(number):
                self.serial_number = number
            case dgt.BoardVersion():
                self.version = message
            case dgt.MemoryDump(memory):
                self.memory = memory
            case dgt.Battery(percent, charging, _left):
                self._battery = True
                sink(BatteryReport(now, "board", percent, charging))
            case dgt.Unread(number, _data) if number in dgt.BUS_IDS:
                # The board was left in bus mode: a single-board command throws it out of it.
                self._fence.asked(now)
                for command in (dgt.RESET, dgt.SEND_VERSION, dgt.UPDATE_NICE, dgt.SEND_BOARD):
                    self.send(command)
            case clock.ClockTime():
                self._hear_clock(message, now)
                self._clock_time(message, now, sink)
            case clock.ClockAbsent():
                self._shown = None
                self._hear_clock(message, now)
            case clock.ClockAck() | clock.ClockVersion() | clock.ClockEmpty():
                self._hear_clock(message, now)
            case _:
                pass

    def _hear_clock(self, message: clock.ClockMessage, now: int) -> None:
        self.clock.heard(message, now)
        if self._display is not None:
            self._display.heard(message, self.clock, now)

    def _dumped(self, squares: str, now: int, sink: Sink) -> None:
        """A dump confirms the squares, or puts them in doubt; what it says for the second time is believed."""
        as_of = self._fence.taken()
        if not self._squares:
            self._squares = list(squares)
            sink(BoardReport(now, placement(squares)))
            return
        other = {number: piece for number, piece in enumerate(squares) if piece != self._squares[number]}
        known = {number: piece for number, piece in other.items() if self._doubted.get(number) == piece}
        self._doubted = {number: piece for number, piece in other.items() if number not in known}
        for number, piece in known.items():
            self._squares[number] = piece
        if known:
            sink(BoardReport(now, placement("".join(self._squares))))
        if self._doubted:
            self._check(now)
        elif as_of is not None and (self._fence.passed(as_of) is not None or not self._confirmed):
            self._confirmed = True
            sink(StillReport(now, as_of))

    def _goes_up(self, time: clock.ClockTime, now: int) -> bool:
        shown = self._shown
        if shown is None or (self._set_at is not None and now - self._set_at <= SETTING_MS):
            return False
        return max(time.left_s - shown.left_s, time.right_s - shown.right_s) > LARGEST_INCREMENT_S

    def _clock_time(self, time: clock.ClockTime, now: int, sink: Sink) -> None:
        """Times for display and cross-check; the same again is not reported.

        Now and then a clock tells old times. One that has gone up by more than any increment is asked for again, and
        believed when it stands.
        """
        self._doubtful = self._goes_up(time, now) and not self._doubtful
        if self._doubtful:
            self.send(dgt.SEND_CLOCK)
        if self._doubtful or time == self._shown:
            return
        self._shown = time
        white, black = ("left", "right") if self._white_left else ("right", "left")
        turn: Side | None = None if time.turn is None else "white" if time.turn == white else "black"
        seconds = {"left": time.left_s, "right": time.right_s}
        flags = {"left": time.left_flag, "right": time.right_flag}
        sink(
            ClockReport(
                now, seconds[white], seconds[black], turn, time.running, flags[white], flags[black], time.battery_low,
                "board",
            )
        )  # fmt: skip
