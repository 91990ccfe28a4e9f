"""Two TM1637 displays with four digits, each on two wires of its own, driven bit by bit.

The bus is not I²C: least significant bit first, no address, an acknowledge clock after each byte. A transfer of all
four digits takes about 1 ms, so only changes are sent.
"""

from __future__ import annotations

from typing import Any, Protocol

from gpiozero import OutputDevice

from drivers.displays.segments import POINT, ClockFace, Places, places
from drivers.pins.stamps import machine_pins
from rules.laws.sides import Side

AUTO_INCREMENT, FIRST_DIGIT, CONTROL, ON = 0x40, 0xC0, 0x80, 0x08


class Wires(Protocol):
    """Clock and data; both rest high."""

    def clock(self, high: bool) -> None:
        """Sets the clock wire."""

    def data(self, high: bool) -> None:
        """Sets the data wire."""

    def close(self) -> None:
        """Lets go of the wires; may be called twice."""


class PinWires:
    """Two header pins. Python is slow enough for the chip's 5 µs half period."""

    def __init__(self, clock: int, data: int, pin_factory: Any = None) -> None:
        factory = pin_factory or machine_pins()
        self._clock = OutputDevice(clock, initial_value=True, pin_factory=factory)
        self._data = OutputDevice(data, initial_value=True, pin_factory=factory)

    def clock(self, high: bool) -> None:
        """Sets the clock wire."""
        self._clock.value = high

    def data(self, high: bool) -> None:
        """Sets the data wire."""
        self._data.value = high

    def close(self) -> None:
        """Lets go of the pins."""
        self._clock.close()
        self._data.close()


def frames(shown: Places, brightness: int) -> list[bytes]:
    """The three transfers that show four places; the colon is the point of the second one."""
    lit = bytearray(shown.segments())
    if shown.colon:
        lit[1] |= POINT
    return [bytes((AUTO_INCREMENT,)), bytes((FIRST_DIGIT,)) + bytes(lit), bytes((CONTROL | ON | brightness,))]


def send(wires: Wires, frame: bytes) -> None:
    """One transfer: start, bytes with their acknowledge clocks, stop."""
    wires.data(False)
    for byte in frame:
        for bit in range(8):
            wires.clock(False)
            wires.data(bool(byte >> bit & 1))
            wires.clock(True)
        wires.clock(False)
        wires.data(False)
        wires.clock(True)
    wires.clock(False)
    wires.data(False)
    wires.clock(True)
    wires.data(True)


class Tm1637:
    """Both displays; brightness 0..7."""

    kind = "tm1637"

    def __init__(self, white: Wires, black: Wires, brightness: int = 4) -> None:
        self._wires: dict[Side, Wires] = {"white": white, "black": black}
        self._brightness = max(0, min(brightness, 7))
        self._shown: dict[Side, Places] = {}

    def show(self, face: ClockFace) -> None:
        """Shows both times."""
        for side, wires in self._wires.items():
            shown = places(face, side)
            if self._shown.get(side) == shown:
                continue
            for frame in frames(shown, self._brightness):
                send(wires, frame)
            self._shown[side] = shown

    def close(self) -> None:
        """Dark, and lets go of the wires; may be called twice."""
        for wires in self._wires.values():
            if self._shown:
                send(wires, bytes((CONTROL,)))
            wires.close()
        self._shown.clear()
