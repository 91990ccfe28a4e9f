"""A club's own board: a scan loop in a thread of its own, debounced here, that reports which squares are occupied."""

from __future__ import annotations

import threading
from gettext import gettext as _

from drivers.boards.fence import Fence
from drivers.boards.occupancy.scan import EQUAL_SCANS, ScanFilter
from drivers.boards.occupancy.sensors import Sensors
from drivers.boards.serial_board import RETRY_S, Machine, World
from drivers.interfaces import LinkReport, OccupancyReport, Sink, StillReport

SCANS_PER_S = 100


class OccupancyBoard:
    """A board sensor that knows only "occupied". Errors of the bus are reported once and tried again quietly."""

    def __init__(
        self,
        sensors: Sensors,
        scans_per_s: int = SCANS_PER_S,
        equal: int = EQUAL_SCANS,
        world: World | None = None,
    ) -> None:
        self.kind = sensors.kind
        self._sensors = sensors
        self._pause_s = 1 / scans_per_s
        self._equal = equal
        self._world: World = world or Machine()
        self._thread: threading.Thread | None = None
        self._fence = Fence(0)

    def start(self, sink: Sink) -> None:
        """Reports from a thread of its own; a bus that does not answer yet is reported like one that is lost."""
        self._thread = threading.Thread(target=self.run, args=(sink,), name=self.kind, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and lets go of the bus; may be called twice."""
        self._world.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        self._sensors.close()

    def confirm(self, since_ms: int) -> None:
        """Asks for a `StillReport` as of `since_ms`; may be called anywhere."""
        self._fence.wanted(since_ms)

    def run(self, sink: Sink) -> None:
        """The thread: scans until the device is closed."""
        attempt, board = 0, ScanFilter(self._equal)
        while not self._world.stopped:
            try:
                squares = self._sensors.read()
            except OSError as error:
                if not attempt:
                    why = _("The squares of the board do not answer ({error}): look at its cable.").format(error=error)
                    sink(LinkReport(self._world.now_ms(), "board", False, why))
                self._world.wait(RETRY_S[min(attempt, len(RETRY_S) - 1)])
                attempt += 1
                board = ScanFilter(self._equal)
                self._fence.forget()
                continue
            now = self._world.now_ms()
            if attempt:
                attempt = 0
                sink(LinkReport(now, "board", True, _("The board answers again.")))
            for since, occupied in board.scan(now, squares):
                sink(OccupancyReport(since, occupied))
            as_of = self._fence.passed(board.quiet_since) if board.quiet_since else None
            if as_of is not None:
                sink(StillReport(now, as_of))
            self._world.wait(self._pause_s)
