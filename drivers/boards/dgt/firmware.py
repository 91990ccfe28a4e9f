"""What a simulated DGT board does with the bytes it gets: pure, no line and no thread.

Silent after power-up. Commands of one byte, and the longer ones for lights and clock. It never answers the trade-mark
request with the vendor's text. The clock behind it (`SimulatedClock`) has a lever, and two times that count.
"""

from __future__ import annotations

import time as time_module
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from drivers.boards.dgt import clock
from drivers.boards.dgt import protocol as dgt

SERIAL = b"00042"
LONG_SERIAL = b"SIM0000042"
NAME = b"Simulated board"
#: What its ring buffer holds besides the end tag.
MEMORY_BYTES = 7_935


@dataclass(slots=True)
class SimulatedClock:
    """A clock behind the board. `pc_mode` is the mode in which it lets itself be set; `now` is in s.

    `time` is what it showed when it was last set or touched, `reading` what it shows now; `text` what it shows instead
    ("" if it shows the times). An acknowledgement takes `answer_s`; what is asked of it meanwhile is lost (`overrun`
    counts that, `obeyed` what it did).

    Faults: `deaf` commands get no answer, `refusals` commands get an error, `zero_after` sends the empty message of
    Bluetooth boards after each acknowledgement, `again_s` repeats each so much later.
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
    again_s: float = 0.0
    answer_s: float = 0.0
    now: Callable[[], float] = time_module.monotonic
    obeyed: int = 0
    overrun: int = 0
    _since: float = 0.0
    _busy_until: float = 0.0
    _coming: list[tuple[float, bytes]] = field(default_factory=list)

    @property
    def reading(self) -> clock.ClockTime:
        """What it shows now: a second is shown until it is over, and a flag when the time is."""
        time = self.time
        if not time.running or time.turn is None:
            return time
        passed = int(self.now() - self._since)
        if time.turn == "left":
            left = max(0, time.left_s - passed)
            return replace(time, left_s=left, left_flag=not left, running=left > 0)
        right = max(0, time.right_s - passed)
        return replace(time, right_s=right, right_flag=not right, running=right > 0)

    def message(self) -> bytes:
        """The data bytes of its time message; bit 5 says that there is no clock."""
        return clock.encode_time(self.reading) if self.connected else bytes((0, 0, 0, 0, 0, 0, 0x20))

    def obey(self, body: bytes) -> list[bytes]:
        """Data bytes of the messages with which it answers a command at once (from the 03 on, to the final 00)."""
        if not self.connected:
            return []
        if self.now() < self._busy_until:
            self.overrun += 1
            return []
        if self.deaf:
            self.deaf -= 1
            return []
        if self.refusals:
            self.refusals -= 1
            return self._soon([clock.encode_ack((0x20, 0, 0, 0))])
        number, data = body[1], body[2:-1]
        good = self._do(number, data)
        self.obeyed += good
        version = self.version[0] << 4 | self.version[1]
        ack = (clock.GOOD if good else 0x40, number, version if number == clock.VERSION else 0, 0)
        return self._soon([clock.encode_ack(ack)] + ([bytes(7)] if self.zero_after else []))

    def _soon(self, answers: list[bytes]) -> list[bytes]:
        if self.again_s:
            self._coming += [(self.now() + self.answer_s + self.again_s, data) for data in answers]
        if not self.answer_s:
            return answers
        self._busy_until = self.now() + self.answer_s
        self._coming = [*((self._busy_until, data) for data in answers), *self._coming]
        return []

    def late(self) -> list[bytes]:
        """Data bytes of what it says by now."""
        due = [data for at, data in self._coming if at <= self.now()]
        self._coming = [(at, data) for at, data in self._coming if at > self.now()]
        return due if self.connected else []

    def _do(self, number: int, data: bytes) -> bool:
        match number:
            case clock.VERSION:
                return True
            case clock.TEXT if self.version[0] >= clock.WRITES_FROM and len(data) == 9:
                self.text = data[:8].decode("ascii", "replace").rstrip()
                return True
            case clock.DISPLAY if len(data) == 8:
                self.text = clock.drawn(data).rstrip()
                return True
            case clock.END:
                self.text = ""
                return True
            case clock.SET_AND_RUN if len(data) == 7:
                if not self.pc_mode:
                    return False
                left = data[0] * 3600 + data[1] * 60 + data[2]
                right = data[3] * 3600 + data[4] * 60 + data[5]
                self.turn_to(left, right, "left" if data[6] & 1 else "right" if data[6] & 2 else None)
                return True
            case _:
                return number in (clock.ICONS, clock.BUTTONS, clock.BEEP)

    # -- hands ------------------------------------------------------------------------------------------------------

    def turn_to(self, left_s: int, right_s: int, running: clock.ClockSide | None) -> None:
        """It shows these times, and that side counts down; hands can do that too."""
        self.time = replace(
            self.time, left_s=left_s, right_s=right_s, running=running is not None, turn=running, left_flag=False,
            right_flag=False,
        )  # fmt: skip
        self._since = self.now()

    def tip(self, right_high: bool) -> None:
        """The lever is tipped: the left player has it down, or not."""
        self.time = replace(self.time, right_high=right_high)

    def switch_on(self) -> None:
        """It was off, has forgotten everything, and says that it is ready."""
        self.text = ""
        self.turn_to(0, 0, None)
        self._coming.append((self.now(), clock.encode_ack((clock.GOOD, clock.READY, 0, 0))))


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
        self._told_at = 0.0
        self._every_second = False

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
            self._last_time, self._every_second = b"", command == dgt.UPDATE
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
        """What the clock says by itself, if the host wants it: late answers, its times when they changed.

        In the plain update mode the times come once a second at least.
        """
        if not self.clock_updates:
            return b""
        said = b"".join(dgt.frame(dgt.CLOCK, data) for data in self.clock.late())
        message, now = self.clock.message(), self.clock.now()
        if message != self._last_time or (self._every_second and now - self._told_at >= 1):
            self._last_time, self._told_at = message, now
            said += dgt.frame(dgt.CLOCK, message)
        return said
