"""A display by its kind and address, on the machine's own pins and buses; simulated ones for a hall on a desk.

MAX7219: on the header's SPI, the address is its select pin (7 or 8). HT16K33: two I²C addresses, White's first.
TM1637: four pins, White's clock and data, Black's clock and data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from gettext import gettext as _
from typing import Any

from drivers.addresses import numbers
from drivers.buses import LinuxI2C, PinSPI
from drivers.displays.ht16k33 import Ht16k33
from drivers.displays.max7219 import Max7219
from drivers.displays.simulator import SimulatedHt16k33, SimulatedMax7219, SimulatedTm1637
from drivers.displays.tm1637 import PinWires, Tm1637
from drivers.errors import BadDeviceName
from drivers.interfaces import ClockFace, Display
from drivers.pins.stamps import machine_pins


@dataclass(slots=True)
class SimulatedDisplay:
    """A driver and what can be read on the chips at the other end of its wires: White's time, Black's."""

    driver: Display
    read: Callable[[], tuple[str, str]]
    kind: str = "simulated"

    def show(self, face: ClockFace) -> None:
        """Shows both times."""
        self.driver.show(face)

    def close(self) -> None:
        """Dark; may be called twice."""
        self.driver.close()


def _max7219(address: str, factory: Any) -> Display:
    return Max7219(PinSPI(pin_factory=factory, clock_pin=11, mosi_pin=10, miso_pin=9, select_pin=int(address or "7")))


def _ht16k33(address: str, _factory: Any) -> Display:
    white, black = (int(part, 16) for part in address.split(","))
    return Ht16k33(LinuxI2C(), {"white": white, "black": black})


def _tm1637(address: str, factory: Any) -> Display:
    pins = numbers(address)
    return Tm1637(PinWires(pins[0], pins[1], factory), PinWires(pins[2], pins[3], factory))


def _simulated_max7219() -> SimulatedDisplay:
    chip = SimulatedMax7219()

    def read() -> tuple[str, str]:
        shown = chip.text()
        return (shown[:5], shown[-5:]) if len(shown) > 5 else (shown, shown)

    return SimulatedDisplay(Max7219(chip), read)


def _simulated_ht16k33() -> SimulatedDisplay:
    bus = SimulatedHt16k33()
    return SimulatedDisplay(Ht16k33(bus), lambda: (bus.text(0x70), bus.text(0x71)))


def _simulated_tm1637() -> SimulatedDisplay:
    white, black = SimulatedTm1637(), SimulatedTm1637()
    return SimulatedDisplay(Tm1637(white, black), lambda: (white.text(), black.text()))


#: Kind → (real one from its address and a pin factory, simulated one).
_MAKERS: Mapping[str, tuple[Callable[[str, Any], Display], Callable[[], SimulatedDisplay]]] = {
    "max7219": (_max7219, _simulated_max7219),
    "ht16k33": (_ht16k33, _simulated_ht16k33),
    "tm1637": (_tm1637, _simulated_tm1637),
}


def display(kind: str, address: str, pin_factory: Any = None) -> Display:
    """A real display. Raises `BadDeviceName` for an unknown kind, `DriverError` for pins or a bus it cannot have."""
    make, _simulate = _maker(kind)
    needs_pins = kind != "ht16k33"
    return make(address, pin_factory or (machine_pins() if needs_pins else None))


def simulated_display(kind: str) -> SimulatedDisplay:
    """The driver of a kind with simulated chips at its wires. Raises `BadDeviceName`."""
    return _maker(kind)[1]()


def _maker(kind: str) -> tuple[Callable[[str, Any], Display], Callable[[], SimulatedDisplay]]:
    if kind not in _MAKERS:
        raise BadDeviceName(
            _("There is no display {kind}; known are {names}.").format(kind=kind, names=", ".join(_MAKERS))
        )
    return _MAKERS[kind]
