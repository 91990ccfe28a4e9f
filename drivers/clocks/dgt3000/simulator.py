"""A simulated DGT 3000 at the other end of its wires: byte for byte what the clock says and obeys, and its troubles.

It is a `ClockBus`. What it sends to an address that nobody listens to is lost, as on the wires.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from drivers.clocks.dgt3000 import protocol as dgt
from rules.laws.events import Side

TIMES_S = 1.0


@dataclass(slots=True)
class Faults:
    """What goes wrong next: acknowledgements that get lost, writes that collide, frames that are garbled.

    `zeros` follow every frame; `stuck` wires (a plug half in its socket) and `unplugged` ones last.
    """

    lost_acks: int = 0
    collisions: int = 0
    garbled: int = 0
    zeros: bool = False
    stuck: bool = False
    unplugged: bool = False


class SimulatedDgt3000:
    """A clock that counts by itself, with hands at its lever and keys; `now` is in s.

    `down` is the side of its lever that is down, `text` what it shows instead of the times ("" if it shows them).
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, on: bool = True, white_left: bool = True) -> None:
        self.on = on
        self.faults = Faults()
        self.down: dgt.LeverSide = "right"
        self.text, self.icons, self.beeps = "", (0, 0), 0
        self.mode_25 = self.controlled = False
        self.frames = 0
        self._now, self._white_left = now, white_left
        self._left_s = self._right_s = 0.0
        self._runs = (dgt.STOP, dgt.STOP)
        self._counted = self._told = now()
        self._said = b""
        self._listening = dgt.EVERYBODY
        self._buffer = bytearray()
        self._news = threading.Condition(threading.RLock())

    # -- the bus ------------------------------------------------------------------------------------------------------

    def write(self, address: int, data: bytes) -> None:
        """A frame reaches the clock, or is not acknowledged (OSError)."""
        with self._news:
            if self.faults.stuck:
                raise OSError(110, "Connection timed out")
            if self.faults.collisions:
                self.faults.collisions -= 1
                raise OSError(121, "Remote I/O error")
            if address == dgt.WAKE and data == dgt.WAKE_UP and not self.faults.unplugged:
                self.switch_on()
            if address != dgt.CLOCK or not self.on or self.faults.unplugged:
                raise OSError(121, "Remote I/O error")
            right = len(data) >= 4 and data[1] == len(data) + 1 and data == dgt.command(data[2], data[3:-1])
            if right:
                self.frames += 1
                self._obey(data[2], data[3:-1])

    def listen(self, address: int) -> None:
        """Our end takes what is sent to this address."""
        with self._news:
            self._listening = address

    def receive(self, wait_s: float) -> bytes:
        """What has arrived at our end."""
        with self._news:
            self._tick()
            if not self._buffer:
                self.rest(wait_s)
                self._tick()
            data = bytes(self._buffer)
            self._buffer.clear()
            return data

    def rest(self, seconds: float) -> None:
        """Waits until something is said, or so long."""
        self._news.wait(seconds)

    def close(self) -> None:
        """Nothing to let go of; may be called twice."""

    # -- the clock ----------------------------------------------------------------------------------------------------

    @property
    def times(self) -> tuple[int, int]:
        """What it shows on its left and right (s): a second is shown until it is over."""
        with self._news:
            self._count()
            return -int(-self._left_s // 1), -int(-self._right_s // 1)

    @property
    def runs(self) -> tuple[int, int]:
        """How each side runs."""
        return self._runs

    def switch_on(self) -> None:
        """It wakes up, in a mode of its own, and says so."""
        if not self.on:
            self.on, self.mode_25, self.controlled, self.text = True, False, False, ""
            self._runs = (dgt.STOP, dgt.STOP)
            self._say(dgt.EVERYBODY, dgt.message(dgt.AWAKE, b"\x22\x01"))

    def _count(self) -> None:
        now = self._now()
        passed, self._counted = now - self._counted, now
        steps = {dgt.STOP: 0.0, dgt.DOWN: -passed, dgt.UP: passed}
        self._left_s = max(0.0, self._left_s + steps[self._runs[0]])
        self._right_s = max(0.0, self._right_s + steps[self._runs[1]])

    def _tick(self) -> None:
        """Once a second it tells its times."""
        now = self._now()
        if self.on and now - self._told >= TIMES_S:
            self._told = now
            plain = dgt.times(*self.times, self.down)
            self._say(dgt.EVERYBODY, dgt.times(*self.times, self.down, old=plain == self._said))
            self._said = plain

    def _obey(self, number: int, data: bytes) -> None:
        match number:
            case dgt.CONTROL:
                self.controlled = True
                self._ack(number, 8)
            case dgt.STATE if data == dgt.MODE_25[3:-1]:
                self.mode_25 = self.controlled
                self._ack(number, 8 if self.controlled else 0)
            case dgt.SET_AND_RUN:
                if self.mode_25:
                    self._set(data)
                self._ack(number, 8 if self.mode_25 else 0)
            case dgt.DISPLAY:
                busy = bool(self.text)
                if not busy:
                    self.text, self.icons = data[:11].decode("ascii"), (data[14], data[15])
                    self.beeps += data[12] > 0
                self._ack(number, 0x23 if busy else 0x20, dgt.EVERYBODY)
            case dgt.END_TEXT if self.text:
                self.text, self.icons = "", (0, 0)
                self._ack(number, 0, dgt.EVERYBODY)
            case dgt.END_TEXT:
                self._ack(number, 5)

    def _set(self, data: bytes) -> None:
        self._count()

        def seconds(parts: bytes) -> float:
            minutes, ones = (10 * (byte >> 4) + (byte & 0xF) for byte in parts[1:3])
            return parts[0] * 3600.0 + minutes * 60 + ones

        self._left_s, self._right_s = seconds(data[0:3]), seconds(data[3:6])
        self._runs = (data[6] & 3, data[6] >> 2 & 3)

    def _ack(self, number: int, status: int, to: int = dgt.US) -> None:
        if self.faults.lost_acks:
            self.faults.lost_acks -= 1
            return
        self._say(to, dgt.message(dgt.ACK, bytes((number, status, 0)), to))

    def _say(self, to: int, frame: bytes) -> None:
        if to != self._listening or self.faults.unplugged or self.faults.stuck:
            return
        if self.faults.garbled:
            self.faults.garbled -= 1
            frame = frame[:4] + bytes((frame[4] ^ 0x40,)) + frame[5:]
        self._buffer += frame + (b"\0\0" if self.faults.zeros else b"")
        self._news.notify_all()

    # -- hands --------------------------------------------------------------------------------------------------------

    def push(self, side: Side) -> None:
        """Pushes the lever down on a side."""
        with self._news:
            before, self.down = self._keys(), "left" if (side == "white") == self._white_left else "right"
            if before != self._keys() and self.on:
                self._say(dgt.EVERYBODY, dgt.message(dgt.KEYS, bytes((self._keys(), before, 0, 0, 0))))

    def release(self, side: Side) -> None:
        """A lever stays where it is."""

    def key(self, key: int, held: int = 0) -> None:
        """Presses a key and lets it go."""
        with self._news:
            if self.on:
                rest = self._keys()
                self._say(dgt.EVERYBODY, dgt.message(dgt.KEYS, bytes((rest | key, rest, 0, 0, 0))))
                self._say(dgt.EVERYBODY, dgt.message(dgt.KEYS, bytes((rest, rest | key, 0, 0, held))))

    def _keys(self) -> int:
        return dgt.LEVER_LEFT if self.down == "left" else 0
