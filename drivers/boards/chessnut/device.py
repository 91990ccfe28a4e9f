"""A Chessnut board behind /dev/hidrawN: reads and writes are plain file operations on reports."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from pathlib import Path

from drivers.boards.chessnut import protocol as chessnut
from drivers.boards.placement import placement
from drivers.boards.port_faults import open_fault
from drivers.boards.serial_board import Machine, Port, SerialBoard, World
from drivers.interfaces import BatteryReport, BoardReport, GapReport, Sink, StillReport

#: USB vendor, and the high bytes of the boards' product numbers.
VENDOR = 0x2D80
PRODUCTS = range(0x80, 0x87)
ASK_MS = 2_000
#: The maker does not say how often the board looks at its squares: ten times a second at least.
SCAN_MS = 100
#: So long after a change the position is asked for, if it has not changed again by then.
CHECK_MS = 20
#: A move changes so many squares at most; the board tells every change, so two positions rarely differ in more.
FEW_SQUARES = 4


class _HidPort:
    def __init__(self, name: str) -> None:
        self._fd = os.open(name, os.O_RDWR | os.O_NONBLOCK)
        self._woken = os.eventfd(0, os.EFD_NONBLOCK)

    def read(self, wait_s: float) -> bytes:
        ready, _w, _x = select.select([self._fd, self._woken], [], [], wait_s)
        if self._woken in ready:
            os.eventfd_read(self._woken)
        return os.read(self._fd, chessnut.REPORT) if self._fd in ready else b""

    def wake(self) -> None:
        os.eventfd_write(self._woken, 1)

    def write(self, data: bytes) -> None:
        os.write(self._fd, data)

    def close(self) -> None:
        os.close(self._fd)
        os.close(self._woken)


class HidMachine(Machine):
    """The machine with its HID devices instead of its serial ports."""

    def open(self, name: str, baud: int) -> Port:
        """Opens a HID device; there is no speed to set."""
        try:
            return _HidPort(name)
        except OSError as error:
            raise open_fault(name, error) from error


def find(root: Path = Path("/sys/class/hidraw")) -> list[str]:
    """The device names of all boards that are plugged in, by their USB numbers.

    Assumed: a board has one HID interface, or its first one is the one to speak to; the usage page (FF00) is not read.
    """
    found = []
    for entry in sorted(root.glob("hidraw*")):
        for line in (entry / "device" / "uevent").read_text("ascii", "replace").splitlines():
            if line.startswith("HID_ID="):
                _bus, vendor, product = (int(part, 16) for part in line.removeprefix("HID_ID=").split(":"))
                if vendor == VENDOR and product >> 8 in PRODUCTS:
                    found.append(f"/dev/{entry.name}")
    return found


class ChessnutBoard(SerialBoard):
    """A board sensor that knows its pieces; it reports on change and is asked for its battery to see that it lives.

    Its messages have no checksum. What it tells by itself is told on at once, unless it differs in many squares from
    what was known, and is asked for again: the real-time mode, set once more, is answered with the position (assumed).
    An answer that is the same confirms it (`StillReport`); one that is not is believed when the next is like it: two
    garbled ones are not alike. A board that answers the mode and tells no position is taken at its word.
    """

    kind = "chessnut"
    silence_ms = 8_000
    scan_ms = SCAN_MS
    question = chessnut.REAL_TIME

    def __init__(self, port: str, command_gap_s: float = chessnut.WRITE_GAP_S, world: World | None = None) -> None:
        super().__init__(port, command_gap_s, world or HidMachine())
        self._reader = chessnut.Reader()
        self._squares = self._doubtful = ""
        self._battery: chessnut.Battery | None = None
        self._asked = 0
        self._check_at: int | None = None
        self._confirmed = False  # what was told last
        self._answer: int | None = None  # the next position is an answer: everything from before this is in it
        self._repeats = True  # the board tells its position when it is asked

    def light(self, squares: int) -> None:
        """Lights squares (a1 = bit 0)."""
        self.send(chessnut.lights(squares))

    def greet(self) -> Sequence[bytes]:
        """Real-time mode; the board answers with its position."""
        self._reader = chessnut.Reader()
        self._squares, self._doubtful, self._battery = "", "", None
        self._check_at, self._answer, self._confirmed = None, None, False
        self._asked = self._world.now_ms()
        self._fence.asked(self._asked)
        return (chessnut.REAL_TIME, chessnut.ASK_BATTERY)

    def tick(self, now_ms: int, sink: Sink) -> None:
        """Keeps the line alive, and asks for the position again when it has changed."""
        due = self._due(now_ms)
        if due is not None and now_ms >= due:
            self._check(now_ms)
        if now_ms - self._asked > ASK_MS and not self._fence.pending:
            self.send(chessnut.ASK_BATTERY)
            self._asked = now_ms

    def _check(self, now_ms: int) -> None:
        """Asks for the position."""
        self._check_at = None
        self._fence.asked(now_ms)
        self.send(chessnut.REAL_TIME)

    def _due(self, now_ms: int) -> int | None:
        return self._check_at if not self._fence.under_way(now_ms) else None  # one question after the other

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended yet."""
        return self._reader.torn

    def mend(self, now_ms: int, sink: Sink) -> bool:
        """Asks for the position in place of what was lost."""
        late = self._reader.settle()
        self._understand(late, now_ms, sink)
        if not late:
            self._check(now_ms)
        return not late

    def take(self, data: bytes, now_ms: int, sink: Sink) -> bool:
        """Takes a report of the board; whether a whole message was in it."""
        messages = self._reader.feed(data)
        self._understand(messages, now_ms, sink)
        return any(not isinstance(message, chessnut.Dropped) for message in messages)

    def _understand(self, messages: Sequence[chessnut.ChessnutMessage], now_ms: int, sink: Sink) -> None:
        for message in messages:
            match message:
                case chessnut.ModeSet(True):
                    self._answer = self._fence.taken()
                    if not self._repeats:
                        self._confirm(self._answer, now_ms, sink)
                case chessnut.Position(squares) if self._answer is not None and self._squares:
                    self._answered(squares, self._answer, now_ms, sink)
                case chessnut.Position(squares):
                    self._changed(squares, now_ms, sink)
                case chessnut.Battery(percent, charging):
                    if self._answer is not None and self._repeats:
                        self._repeats = False
                        self._confirm(self._answer, now_ms, sink)
                    if message != self._battery:
                        self._battery = message
                        sink(BatteryReport(now_ms, "board", percent, charging))
                case chessnut.Dropped():
                    self._check(now_ms)
                    sink(GapReport(now_ms))
                case _:
                    pass

    def _changed(self, squares: str, now_ms: int, sink: Sink) -> None:
        """Takes a position that the board tells by itself: one that is near the last one, or told twice."""
        self._answer = None
        near = (known for known in (self._squares, self._doubtful) if known)
        if self._squares and not any(_differences(squares, known) <= FEW_SQUARES for known in near):
            self._doubtful = squares
            self._check(now_ms)
            return
        if squares != self._squares or not self._confirmed:
            self._check_at = now_ms + CHECK_MS
        self._tell(squares, now_ms, sink)

    def _answered(self, squares: str, as_of: int, now_ms: int, sink: Sink) -> None:
        """Takes a position that was asked for: it confirms what was told, or puts it in doubt."""
        self._answer, self._repeats = None, True
        if squares not in (self._squares, self._doubtful):
            self._doubtful = squares
            self._check(now_ms)
            return
        self._tell(squares, now_ms, sink)
        self._confirm(as_of, now_ms, sink)

    def _tell(self, squares: str, now_ms: int, sink: Sink) -> None:
        self._doubtful = ""
        if squares != self._squares:
            self._squares, self._confirmed = squares, False
            sink(BoardReport(now_ms, placement(squares)))

    def _confirm(self, as_of: int | None, now_ms: int, sink: Sink) -> None:
        """What was told last stands there, as of `as_of`."""
        known = as_of is not None and bool(self._squares) and not self._doubtful
        if known and as_of is not None and (self._fence.passed(as_of) is not None or not self._confirmed):
            self._confirmed = True
            sink(StillReport(now_ms, as_of))


def _differences(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))
