"""What a simulated DGT board does with the bytes it gets: pure, no line and no thread.

Silent after power-up. Commands of one byte, and the longer ones for lights and clock. It never answers the trade-mark
request with the vendor's text. The clock behind it (`SimulatedClock`) has a lever and two times that a caller sets.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from drivers.boards.dgt import clock
from drivers.boards.dgt import protocol as dgt

SERIAL = b"00042"
LONG_SERIAL = b"SIM0000042"
NAME = b"Simulated board"
#: What its ring buffer holds besides the end tag.
MEMORY_BYTES = 7_935


@dataclass(slots=True)
class SimulatedClock:
    """A clock behind the board. `pc_mode` is the mode in which it lets itself be set.

    Faults: `deaf` commands get no answer, `refusals` commands get an error, `zero_after` sends the empty message of
    Bluetooth boards after each acknowledgement.
    """

    time: clock.ClockTime = field(
        default_factory=lambda: clock.ClockTime(300, 300, False, False, False, None, False, False)
    )
    connected: bool = True
    version: tuple[int, int] = (2, 0)
    pc_mode: bool = True
    text: str = ""
    deaf: int = 0
    refusals: int = 0
    zero_after: bool = False

    def message(self) -> bytes:
        """The data bytes of its time message; bit 5 says that there is no clock."""
        return clock.encode_time(self.time) if self.connected else bytes((0, 0, 0, 0, 0, 0, 0x20))

    def obey(self, body: bytes) -> list[bytes]:
        """Data bytes of the messages with which it answers a command (from the 03 on, to the final 00)."""
        if not self.connected:
            return []
        if self.deaf:
            self.deaf -= 1
            return []
        if self.refusals:
            self.refusals -= 1
            return [clock.encode_ack((0x20, 0, 0, 0))]
        number, data = body[1], body[2:-1]
        good = self._do(number, data)
        version = self.version[0] << 4 | self.version[1]
        ack = (clock.GOOD if good else 0x40, number, version if number == clock.VERSION else 0, 0)
        return [clock.encode_ack(ack)] + ([bytes(7)] if self.zero_after else [])

    def _do(self, number: int, data: bytes) -> bool:
        match number:
            case clock.VERSION:
                return True
            case clock.TEXT:
                self.text = data[:8].decode("ascii", "replace").rstrip()
                return self.version[0] >= 2
            case clock.END:
                self.text = ""
                return True
            case clock.SET_AND_RUN if len(data) == 7:
                if not self.pc_mode:
                    return False
                left = data[0] * 3600 + data[1] * 60 + data[2]
                right = data[3] * 3600 + data[4] * 60 + data[5]
                running: clock.ClockSide | None = "left" if data[6] & 1 else "right" if data[6] & 2 else None
                lever = running == "right"
                self.time = clock.ClockTime(right, left, running is not None, lever, False, running, False, False)
                return True
            case _:
                return number in (clock.DISPLAY, clock.ICONS, clock.BUTTONS, clock.BEEP)


class Firmware:
    """A board's squares, modes and answers. `squares` are letters from a8 to h1 as the board's sensors have them."""

    def __init__(self, simulated_clock: SimulatedClock | None = None) -> None:
        self.squares = ["."] * 64
        self.clock = simulated_clock or SimulatedClock()
        self.battery: tuple[int, bool] | None = None
        self.memory = b"\x6a"
        self.updates = False
        self.clock_updates = False
        self._pending = bytearray()
        self._last_time = b""

    def feed(self, data: bytes) -> bytes:
        """Takes bytes of the host; returns what the board sends back."""
        self._pending += data
        answer = b""
        while self._pending:
            length = self._length()
            if length is None or len(self._pending) < length:
                break
            command = bytes(self._pending[:length])
            del self._pending[:length]
            answer += self._obey(command)
        return answer

    def _length(self) -> int | None:
        """Bytes of the command that stands in front, None if that is not known yet."""
        first = self._pending[0]
        if first not in (dgt.LEDS, dgt.CLOCK_COMMAND):
            return 1
        return 2 + self._pending[1] if len(self._pending) > 1 else None

    def _obey(self, command: bytes) -> bytes:
        if command[0] == dgt.CLOCK_COMMAND:
            answers = self.clock.obey(command[2:]) if len(command) >= 5 and self.clock_updates else []
            return b"".join(dgt.frame(dgt.CLOCK, data) for data in answers)
        answer = self._answer(command)
        if answer is not None:
            return answer
        modes = {
            dgt.RESET: (False, False), dgt.UPDATE: (True, True), dgt.UPDATE_BOARD: (True, False),
            dgt.UPDATE_NICE: (True, True),
        }  # fmt: skip
        if command in modes:
            self.updates, self.clock_updates = modes[command]
            self._last_time = b""
        return b""

    def _answer(self, command: bytes) -> bytes | None:
        match command:
            case dgt.SEND_CLOCK:
                return dgt.frame(dgt.CLOCK, self.clock.message())
            case dgt.SEND_BOARD:
                return dgt.frame(dgt.BOARD_DUMP, bytes(map(dgt.code, self.squares)))
            case dgt.SEND_SERIAL:
                return dgt.frame(dgt.SERIAL_NUMBER, SERIAL)
            case dgt.SEND_LONG_SERIAL:
                return dgt.frame(dgt.LONG_SERIAL, LONG_SERIAL)
            case dgt.SEND_BUS_ADDRESS:
                return dgt.frame(dgt.BUS_ADDRESS, bytes((8, 1)))
            case dgt.SEND_VERSION:
                return dgt.frame(dgt.VERSION, bytes((1, 2)))
            case dgt.SEND_TRADEMARK:
                return dgt.frame(dgt.TRADEMARK, NAME)
            case dgt.SEND_MEMORY:
                return dgt.frame(dgt.MEMORY, self.memory + b"\x6b")
            case dgt.SEND_BATTERY if self.battery is not None:
                percent, charging = self.battery
                return dgt.frame(dgt.BATTERY, bytes((percent, 0x7F, 0x7F, 0, 0, 0, 0, 0, 1 if charging else 2)))
            case _:
                return None

    def change(self, number: int, piece: str) -> bytes:
        """A sensor sees a change; returns the field update, if the host wants them."""
        if self.squares[number] == piece:
            return b""
        self.squares[number] = piece
        self.memory = (self.memory + bytes((0x40 | dgt.code(piece), number)))[-MEMORY_BYTES:]
        return dgt.frame(dgt.FIELD_UPDATE, bytes((number, dgt.code(piece)))) if self.updates else b""

    def time_message(self) -> bytes:
        """The clock's times, if they changed and the host wants them."""
        if not self.clock_updates or self.clock.message() == self._last_time:
            return b""
        self._last_time = self.clock.message()
        return dgt.frame(dgt.CLOCK, self._last_time)
