"""gpiozero's pins on libgpiod 2: `GPIOZERO_PIN_FACTORY=hallkiosk`.

gpiozero's usual back end, lgpio, has no wheel for Python 3.13 and re-times debounced edges. Here pins are plain: input
with pull-up, pull-down or none, output, edges. The library's debounce is refused (ours works on the stamps), and so is
PWM: lamps are on or off, and a program that waves a pin 200 times a second has no place beside a chess clock.

Ticks, gpiozero's opaque times, are ns of `CLOCK_BOOTTIME`, and those of an edge are the kernel's stamp. `edge_us` and
`settled_us` make them useful to our devices (`drivers.pins.stamps`).
"""

from __future__ import annotations

import struct
import time
from collections import defaultdict
from gettext import gettext as _
from pathlib import Path
from typing import Any

import gpiod
from gpiod.line import Bias, Clock, Direction, Value
from gpiod.line import Edge as Edges
from gpiozero.exc import (
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMUnsupported,
    PinSetInput,
)
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from drivers.pins.edges import KERNEL_US, Edge, EdgeReader
from drivers.pins.lines import Header, LineRequest, OpenChip, chip_paths, header_path, look, open_chip
from drivers.pins.spi import HardwareSPI, SharedHardwareSPI

CONSUMER = "hallkiosk"
_PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES = {"both": Edges.BOTH, "rising": Edges.RISING, "falling": Edges.FALLING, "none": Edges.NONE}
#: Where the kernel tells the revision of the Pi; the first is hidden from hardened services, the second less often.
REVISION_FILES = (
    Path("/proc/device-tree/system/linux,revision"),
    Path("/sys/firmware/devicetree/base/system/linux,revision"),
)
CPUINFO = Path("/proc/cpuinfo")
#: Revision of a typical Pi with this chip: the 40 pins are the same on all of its kind.
_BY_LABEL = {"pinctrl-bcm2835": 0xA020D3, "pinctrl-bcm2711": 0xC03111, "pinctrl-rp1": 0xC04170}


def revision(label: str, files: tuple[Path, ...] = REVISION_FILES, cpuinfo: Path = CPUINFO) -> int:
    """The Pi's revision code: from the device tree, /proc/cpuinfo, or a typical one for the header's chip."""
    for path in files:
        try:
            return int(struct.unpack(">L", path.read_bytes()[:4])[0])
        except (OSError, struct.error):
            continue
    try:
        for line in cpuinfo.read_text("ascii", "replace").splitlines():
            if line.startswith("Revision"):
                return int(line.split(":")[1], 16)
    except (OSError, ValueError, IndexError):
        pass  # hidden from this service, or no Pi
    return _BY_LABEL.get(label, _BY_LABEL["pinctrl-bcm2835"])


class LinePinFactory(LocalPiFactory):  # type: ignore[misc]  # the library has no types
    """Pins of this machine's header. `path` names a chip instead of looking for the header's.

    Raises `DeviceMissing` or `DeviceBusy` with a sentence.
    """

    def __init__(self, path: str | None = None, open_it: OpenChip = open_chip, kernel_us: int = KERNEL_US) -> None:
        super().__init__()
        # The library shares these among all local factories; here the kernel keeps one line from two users.
        self.pins: dict[Any, Any] = {}
        self._reservations: dict[Any, list[Any]] = defaultdict(list)
        found = path or header_path(look(chip_paths(), open_it))
        self.header = Header(open_it(found), CONSUMER)
        self.reader = EdgeReader(kernel_us=kernel_us)
        self.pin_class = LinePin

    def close(self) -> None:
        """Gives all pins back and ends the thread; may be called twice."""
        super().close()
        self.reader.close()
        self.header.close()

    @staticmethod
    def ticks() -> int:
        """Now, in ns since boot."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        """Seconds between two ticks."""
        return (later - earlier) / 1e9

    def edge_us(self, ticks: int) -> int:
        """µs since boot of an edge's ticks."""
        return ticks // 1000

    def settled_us(self) -> int:
        """µs since boot: every edge before has been handed on."""
        return self.reader.settled_us()

    @property
    def lost_edges(self) -> int:
        """Edges that the kernel dropped since the factory was made."""
        return self.reader.lost

    def _get_revision(self) -> int:
        return revision(self.header.label)

    def _get_spi_class(self, shared: bool, hardware: bool) -> Any:
        if hardware:
            return SharedHardwareSPI if shared else HardwareSPI
        return super()._get_spi_class(shared, hardware=False)


class LinePin(LocalPiPin):  # type: ignore[misc]  # the library has no types
    """One line. It is taken when a device first uses it, given back when the device closes, and taken again for the
    next one: gpiozero keeps the pin.
    """

    def __init__(self, factory: LinePinFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._request: LineRequest | None = None
        self._reset()
        _taken = self._line

    def _reset(self) -> None:
        self._pull: str = self.info.pull or "floating"
        self._function = "input"
        self._edges = "both"
        self._level = False
        self._watching = self._watched = False

    def close(self) -> None:
        """Gives the line back; may be called twice."""
        if self._request is not None:
            self.when_changed = None
            with self._factory.reader.lock:
                self._request.release()
            self._request = None
            self._reset()

    @property
    def _line(self) -> LineRequest:
        if self._request is None:
            self._request = self._factory.header.request(self._number, self._settings())
        return self._request

    def _settings(self) -> gpiod.LineSettings:
        if self._function == "output":
            return gpiod.LineSettings(
                direction=Direction.OUTPUT, output_value=Value.ACTIVE if self._level else Value.INACTIVE
            )
        return gpiod.LineSettings(
            direction=Direction.INPUT,
            bias=_PULLS[self._pull],
            edge_detection=_EDGES[self._edges] if self._watching else Edges.NONE,
            event_clock=Clock.MONOTONIC,
        )

    def _apply(self) -> None:
        with self._factory.reader.lock:
            self._line.reconfigure_lines({self._number: self._settings()})

    def output_with_state(self, state: float) -> None:
        """An output that begins with a level, without a moment of the other."""
        self._function, self._level = "output", bool(state)
        self._apply()

    def input_with_pull(self, pull: str) -> None:
        """An input that begins with a pull."""
        self._function = "input"
        self._set_pull(pull)

    def _get_function(self) -> str:
        return self._function

    def _set_function(self, value: str) -> None:
        if value not in ("input", "output"):
            raise PinInvalidFunction(_("{pin} can be input or output.").format(pin=repr(self)))
        if value != self._function:
            self.when_changed = None
            self._function, self._level = value, False
            self._apply()

    def _get_state(self) -> int:
        return int(self._line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._function == "input":
            raise PinSetInput(_("{pin} is an input and cannot be set.").format(pin=repr(self)))
        if value not in (0, 1):
            raise PinInvalidState(_("{pin} can be on or off, not {value}.").format(pin=repr(self), value=value))
        self._level = bool(value)
        self._line.set_value(self._number, Value.ACTIVE if value else Value.INACTIVE)

    def _get_pull(self) -> str:
        return self._pull

    def _set_pull(self, value: str) -> None:
        if self._function != "input":
            raise PinFixedPull(_("{pin} is an output and has no pull.").format(pin=repr(self)))
        if value not in _PULLS:
            raise PinInvalidPull(_("{pin}: the pull is up, down or floating.").format(pin=repr(self)))
        if self.info.pull not in (value, ""):
            raise PinFixedPull(
                _("{pin} has a resistor of its own, pulling {pull}.").format(pin=repr(self), pull=self.info.pull)
            )
        self._pull = value
        self._apply()

    def _get_frequency(self) -> None:
        return None

    def _set_frequency(self, value: float | None) -> None:
        if value is not None:
            raise PinPWMUnsupported(
                _("{pin} cannot be dimmed: use LED, or RGBLED with pwm=False, and Buzzer.").format(pin=repr(self))
            )

    def _get_bounce(self) -> None:
        return None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None:
            raise PinInvalidBounce(
                _("{pin}: leave bounce_time out, edges are debounced by their stamps here.").format(pin=repr(self))
            )

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(_("{pin}: edges are both, rising, falling or none.").format(pin=repr(self)))
        if value != self._edges:
            self._edges = value
            if self._watching:
                self._apply()

    def _enable_event_detect(self) -> None:
        self._watching = True
        self._factory.reader.watch(self._number, self._line, self._changed, fresh=not self._watched)
        self._watched = True
        self._apply()

    def _disable_event_detect(self) -> None:
        self._watching = False
        self._factory.reader.forget(self._line)
        self._apply()

    def _changed(self, edge: Edge) -> None:
        if self._when_changed is not None:
            self._call_when_changed(edge.boot_us * 1000, int(edge.high))
