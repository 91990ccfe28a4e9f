"""DGT e-Board: the serial line, its thread, and reconnecting.

Start-up: open, empty the input, ask for updates, version, serial number and the whole board. A keep-alive once a
second tells a dead cable from a quiet board. After a lost line the port is opened again by its name, and the board is
asked for everything, so that no move made meanwhile is missed.
"""

from __future__ import annotations

import threading
from gettext import gettext as _

import serial

from drivers.boards.dgt import protocol as dgt
from drivers.errors import DeviceBusy, DeviceMissing, DriverError
from drivers.interfaces import BoardReport, LinkReport, Sink, boot_us

KEEP_ALIVE_MS = 1_000
SILENCE_MS = 3_000
COMMAND_GAP_S = 0.1
RETRY_S = (0.5, 1.0, 2.0)
#: What a serial port raises when its cable goes; pyserial lets plain OSError and TypeError through.
LINE_ERRORS = (serial.SerialException, OSError, TypeError)


class DgtBoard:
    """A board sensor that knows its pieces; `port` is best a name under /dev/serial/by-id/."""

    kind = "dgt"

    def __init__(self, port: str, command_gap_s: float = COMMAND_GAP_S) -> None:
        self.port = port
        self.serial_number = ""
        self._gap = command_gap_s
        self._line: serial.Serial | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()
        self._squares: list[str] = []

    def start(self, sink: Sink) -> None:
        """Opens the port (raises `DeviceMissing` or `DeviceBusy`) and reports from a thread of its own."""
        line = self._open()
        self._thread = threading.Thread(target=self._run, args=(line, sink), name=f"dgt {self.port}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and closes the port."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _open(self) -> serial.Serial:
        try:
            return serial.Serial(self.port, 9600, timeout=0.2, write_timeout=1, exclusive=True)
        except serial.SerialException as error:
            if error.errno == 2:
                raise DeviceMissing(
                    _("No board at {port}: plug it in, or name another port in the table's file.").format(
                        port=self.port
                    )
                ) from error
            raise DeviceBusy(
                _("The board at {port} cannot be opened: {error}").format(port=self.port, error=error)
            ) from error

    def _run(self, line: serial.Serial | None, sink: Sink) -> None:
        attempt = 0
        while not self._stopping.is_set():
            try:
                if line is None:
                    line = self._open()
                    sink(LinkReport(boot_us() // 1000, "board", True, _("The board answers again.")))
                attempt = 0
                self._serve(line, sink)
            except (*LINE_ERRORS, DriverError) as error:
                if attempt == 0 and not self._stopping.is_set():
                    sink(LinkReport(boot_us() // 1000, "board", False, str(error)))
            if line is not None:
                line.close()
                line = None
            self._stopping.wait(RETRY_S[min(attempt, len(RETRY_S) - 1)])
            attempt += 1

    def _serve(self, line: serial.Serial, sink: Sink) -> None:
        """Reads until the line breaks (raises) or the device is closed."""
        reader = dgt.Reader()
        line.reset_input_buffer()
        for command in (dgt.UPDATE_NICE, dgt.SEND_VERSION, dgt.SEND_SERIAL, dgt.SEND_BOARD):
            line.write(command)
            self._stopping.wait(self._gap)
        heard = asked = boot_us() // 1000
        while not self._stopping.is_set():
            data = line.read(1)
            now = boot_us() // 1000
            if data:
                data += line.read(line.in_waiting)
                heard = now
                self._take(reader.feed(data), now, sink)
            if now - heard > SILENCE_MS:
                raise DriverError(_("The board at {port} does not answer.").format(port=self.port))
            if now - asked > KEEP_ALIVE_MS:
                line.write(dgt.SEND_SERIAL)
                asked = now

    def _take(self, messages: list[dgt.DgtMessage], now: int, sink: Sink) -> None:
        for message in messages:
            match message:
                case dgt.BoardDump(squares):
                    self._squares = list(squares)
                case dgt.FieldUpdate(square, piece) if self._squares:
                    self._squares[square] = piece
                case dgt.SerialNumber(number):
                    self.serial_number = number
                    continue
                case _:
                    continue
            sink(BoardReport(now, dgt.placement("".join(self._squares))))
