"""A Millennium ChessLink behind a serial port; it tells the whole position, and is told to do so on every change."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.boards.chesslink import protocol as link
from drivers.boards.placement import placement
from drivers.boards.serial_board import SerialBoard, World
from drivers.interfaces import BoardReport, GapReport, Sink

ASK_MS = 1_000
COMMAND_GAP_S = 0.02
#: A scan takes 41 ms as the board comes (cell 01), and a position 18 ms on the line: so old may be what one tells that
#: arrives as if for an answer.
SCAN_MS = 60


class ChessLinkBoard(SerialBoard):
    """A board sensor that knows its pieces. `version` is None until the board has told it.

    Parity is made and checked in software, so the port is opened with eight bits (a pseudo-terminal knows no others).
    It has no flag for the way it lies, and its cable may be on either side: the position on it tells. Assumed: with
    reports on change it sends one before it answers what was asked later.
    Status reports that came before the board was read for the first time, or do not change it, are not reported.
    """

    kind = "chesslink"
    baud = 38_400
    scan_ms = SCAN_MS
    question = link.ASK_STATUS

    def __init__(self, port: str, command_gap_s: float = COMMAND_GAP_S, world: World | None = None) -> None:
        super().__init__(port, command_gap_s, world)
        self.version: link.Version | None = None
        self._reader = link.Reader()
        self._squares = ""
        self._cell: int | None = None
        self._asked = 0

    @property
    def parity_errors(self) -> int:
        """Characters with a wrong parity bit since the port was opened: a bad cable shows here first."""
        return self._reader.parity_errors

    def light(self, squares: Sequence[int]) -> bool:
        """Lights the corners of squares (a1 = 0 … h8 = 63), or puts all out."""
        self.send(link.lights(frozenset(squares)) if squares else link.LIGHTS_OFF)
        return True

    def greet(self) -> Sequence[bytes]:
        """Version, how it reports, the position."""
        self._reader = link.Reader()
        self._squares = ""
        self._cell = None
        self._asked = self._world.now_ms()
        self._fence.asked(self._asked)
        return (link.ASK_VERSION, link.read_cell(link.REPORTS), link.ASK_STATUS)

    def tick(self, now_ms: int, sink: Sink) -> None:
        """Asks for the position once a second: it keeps the line alive and finds what was lost."""
        if now_ms - self._asked > ASK_MS:
            if self._cell is None:
                self.send(link.read_cell(link.REPORTS))
            self._fence.asked(now_ms)
            self.send(link.ASK_STATUS)
            self._asked = now_ms

    @property
    def torn(self) -> bool:
        """Whether a frame has begun that has not ended yet."""
        return self._reader.torn

    def mend(self, now_ms: int, sink: Sink) -> bool:
        """Asks for the position in place of a frame that lost characters."""
        self._reader.forget()
        self._fence.asked(now_ms)
        self.send(link.ASK_STATUS)
        return True

    def take(self, data: bytes, now_ms: int, sink: Sink) -> bool:
        """Takes bytes of the board; whether a whole message was among them."""
        messages = self._reader.feed(data)
        for message in messages:
            match message:
                case link.Status(squares):
                    if squares != self._squares:
                        self._squares = squares
                        sink(BoardReport(now_ms, placement(squares)))
                    self._tell_still(now_ms, sink)
                case link.Version():
                    self.version = message
                case link.Memory(link.REPORTS, value, _written):
                    self._cell = value
                    if value != link.ON_CHANGE:
                        self.send(link.write_cell(link.REPORTS, link.ON_CHANGE))  # cells wear out: only if it differs
                case link.Dropped():
                    self._fence.asked(now_ms)
                    self.send(link.ASK_STATUS)
                    sink(GapReport(now_ms))
                case _:
                    pass
        return any(not isinstance(message, link.Dropped) for message in messages)
