"""The shell of every board on a serial line: a thread that opens, reads, writes, and opens again after a lost cable.

The port is opened by the name that was given, best one under /dev/serial/by-id/, so a board that comes back under
another number is found. A lost line is reported once and tried again after 0.5 s, 1 s, 2 s and every 2 s from then on;
it counts as found when the board has said something. Everything that touches the machine goes through a `World`, so a
replay can run this very code in virtual time.
"""

from __future__ import annotations

import contextlib
import fcntl
import termios
import threading
from collections import deque
from collections.abc import Sequence
from gettext import gettext as _
from typing import Protocol

import serial

from drivers.boards.fence import Fence
from drivers.boards.port_faults import open_fault
from drivers.errors import DriverError
from drivers.interfaces import GapReport, LinkReport, Report, Sink, StillReport, boot_us

RETRY_S = (0.5, 1.0, 2.0)
READ_S = 0.2
#: A message that goes on no further for so long has lost bytes.
TORN_S = 0.1
#: What a serial port raises when its cable goes; pyserial lets plain OSError and TypeError through, and a close from
#: another thread AttributeError.
LINE_ERRORS = (serial.SerialException, OSError, TypeError, AttributeError)


class Port(Protocol):
    """An open serial port."""

    def read(self, wait_s: float) -> bytes:
        """What has arrived, after waiting for at most `wait_s` for the first byte; raises one of `LINE_ERRORS`."""

    def wake(self) -> None:
        """Makes a `read` that waits return at once. May be called from any thread."""

    def write(self, data: bytes) -> None:
        """Sends bytes; raises one of `LINE_ERRORS`."""

    def close(self) -> None:
        """Lets go of the port."""


class World(Protocol):
    """The machine, or a stand-in for it."""

    def open(self, name: str, baud: int) -> Port:
        """Opens a port; raises a `DriverError`."""

    def now_ms(self) -> int:
        """Ms since boot."""

    def wait(self, seconds: float) -> None:
        """Waits, or returns at once when the device was stopped."""

    def stop(self) -> None:
        """The device is to end."""

    @property
    def stopped(self) -> bool:
        """Whether it is."""


class _SerialPort:
    def __init__(self, name: str, baud: int) -> None:
        self._line = serial.Serial(name, baud, timeout=READ_S, write_timeout=1, exclusive=True)
        # Boards that are reset by this line want it low; a pseudo-terminal has none.
        with contextlib.suppress(OSError):
            self._line.dtr = False
        # The lock stops only programs that ask for it; from now on nobody else can open the port (but root can).
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._line.fileno(), termios.TIOCEXCL)
        self._line.reset_input_buffer()

    def read(self, wait_s: float) -> bytes:
        if wait_s and self._line.timeout != wait_s:
            self._line.timeout = wait_s
        data = bytes(self._line.read(1)) if wait_s else b""
        waiting = self._line.in_waiting
        return data + bytes(self._line.read(waiting)) if waiting else data

    def wake(self) -> None:
        self._line.cancel_read()

    def write(self, data: bytes) -> None:
        self._line.write(data)

    def close(self) -> None:
        with contextlib.suppress(*LINE_ERRORS):
            fcntl.ioctl(self._line.fileno(), termios.TIOCNXCL)
        self._line.close()


class Machine:
    """The real `World`."""

    def __init__(self) -> None:
        self._stopping = threading.Event()

    def open(self, name: str, baud: int) -> Port:
        """Opens a serial port for this program alone."""
        try:
            return _SerialPort(name, baud)
        except OSError as error:
            raise open_fault(name, error) from error

    def now_ms(self) -> int:
        """Ms since boot, suspension included."""
        return boot_us() // 1000

    def wait(self, seconds: float) -> None:
        """Waits, or returns at once when the device was stopped."""
        self._stopping.wait(seconds)

    def stop(self) -> None:
        """The device is to end."""
        self._stopping.set()

    @property
    def stopped(self) -> bool:
        """Whether it is."""
        return self._stopping.is_set()


class SerialBoard:
    """What all serial boards share. A board overrides the hooks, `take` at least."""

    kind = "serial"
    baud = 9600
    #: A board that says nothing for so long is gone.
    silence_ms = 3_000
    #: Within this time a board that tells changes only has looked at every square and told what is new; 0: not known.
    scan_ms = 0
    #: A question whose answer comes after everything that was to be told before; b"": there is none.
    question = b""

    def __init__(self, port: str, command_gap_s: float, world: World | None = None) -> None:
        self.port = port
        self._gap_s = command_gap_s
        self._world: World = world or Machine()
        self._thread: threading.Thread | None = None
        self._queue: deque[bytes] = deque()
        self._queue_lock = threading.Lock()
        self._free_at = 0
        self._up = True
        self._attempt = 0
        self._fence = Fence(self.scan_ms)
        self._port: Port | None = None  # while it is served
        self._port_lock = threading.Lock()

    # -- hooks --------------------------------------------------------------------------------------------------------

    def greet(self) -> Sequence[bytes]:
        """What to send after every opening; forgets what was gathered before."""
        return ()

    def take(self, data: bytes, now_ms: int, sink: Sink) -> bool:
        """Bytes have arrived; returns whether they made sense."""
        raise NotImplementedError

    def tick(self, now_ms: int, sink: Sink) -> None:
        """Called a few times a second while the line is open."""

    def _due(self, now_ms: int) -> int | None:
        """When `tick` has something to do sooner than usual."""

    @property
    def torn(self) -> bool:
        """Whether a message has begun that has not ended yet."""
        return False

    def mend(self, now_ms: int, sink: Sink) -> bool:
        """Nothing followed the beginning of a message for `TORN_S`: forgets it, and asks for what it may have told.

        Returns whether anything was lost; a board whose messages need not be followed by others takes one here.
        """
        return False

    # -- the shell ----------------------------------------------------------------------------------------------------

    def start(self, sink: Sink) -> None:
        """Opens the port (raises a `DriverError` with a remedy) and reports from a thread of its own."""
        port = self._world.open(self.port, self.baud)
        self._thread = threading.Thread(
            target=self.run, args=(port, sink), name=f"{self.kind} {self.port}", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and closes the port; may be called twice."""
        self._world.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def send(self, command: bytes) -> None:
        """Sends a command when its turn comes; commands are kept apart by the board's gap. May be called anywhere."""
        with self._queue_lock:
            self._queue.append(command)

    def confirm(self, since_ms: int) -> None:
        """Asks for a `StillReport` as of `since_ms`; may be called anywhere."""
        self._fence.wanted(since_ms)
        with self._port_lock, contextlib.suppress(*LINE_ERRORS):
            if self._port is not None and self.question:
                self._port.wake()

    def run(self, port: Port | None, sink: Sink) -> None:
        """The thread: serves the line until it breaks, and opens it again, until the device is closed."""
        while not self._world.stopped:
            try:
                if port is None:
                    port = self._world.open(self.port, self.baud)
                self._serve(port, sink)
            except (*LINE_ERRORS, DriverError) as error:
                if self._up and not self._world.stopped:
                    self._up = False
                    sink(LinkReport(self._world.now_ms(), "board", False, str(error)))
            with self._port_lock:
                self._port = None
            if port is not None:
                with contextlib.suppress(*LINE_ERRORS):
                    port.close()
                port = None
            self._world.wait(RETRY_S[min(self._attempt, len(RETRY_S) - 1)])
            self._attempt += 1

    def _serve(self, port: Port, sink: Sink) -> None:
        """Reads and writes until the line breaks (raises) or the device is closed."""
        with self._port_lock:
            self._port = port
        self._queue.clear()
        self._fence.forget()
        for command in self.greet():
            self.send(command)
        heard = came = self._world.now_ms()
        reports: list[Report] = []
        while not self._world.stopped:
            self._ask(self._world.now_ms())
            self._write(port, self._world.now_ms())
            torn = self.torn
            data = port.read(self._patience_s(self._world.now_ms(), TORN_S if torn else READ_S))
            now = self._world.now_ms()
            if data:
                came = now
            elif torn and now - came >= TORN_S * 1000 and self.mend(now, sink):
                sink(GapReport(now))
            if data and self.take(data, now, reports.append):
                heard, self._attempt = now, 0
                if not self._up:
                    self._up = True
                    sink(LinkReport(now, "board", True, _("The board answers again.")))
            for report in reports:
                sink(report)
            reports.clear()
            if now - heard > self.silence_ms:
                raise DriverError(_("The board at {port} does not answer.").format(port=self.port))
            self.tick(now, sink)

    def _tell_still(self, now: int, sink: Sink) -> None:
        """The board has answered its `question`."""
        as_of = self._fence.answered()
        if as_of is not None:
            sink(StillReport(now, as_of))

    def _ask(self, now: int) -> None:
        """Puts the question whose answer says that everything was told, when its time has come."""
        if self.question and self._fence.due(now):
            self._fence.asked(now)
            with self._queue_lock:
                self._queue.appendleft(self.question)

    def _patience_s(self, now: int, usual: float) -> float:
        """How long to wait for bytes: until the next question is due, or the next command may be sent, at most."""
        times = [self._fence.next(now) if self.question else None, self._due(now)]
        if self._queue and self._free_at > now:
            times.append(self._free_at)
        due = min((t for t in times if t is not None), default=None)
        return usual if due is None else min(usual, max(0.001, (due - now) / 1000))

    def _write(self, port: Port, now: int) -> None:
        """Sends what waits; with a gap between commands one in each round."""
        while now >= self._free_at:
            with self._queue_lock:
                command = self._queue.popleft() if self._queue else None
            if command is None:
                return
            port.write(command)
            if self._gap_s:
                self._free_at = now + int(self._gap_s * 1000)
