"""A simulated GPIO chip with libgpiod's shape: lines, edges with stamps and numbers, a buffer that overflows.

Give `SimulatedGpio().open` to `LinePinFactory`; `drive` is what happens on the wire. `slow_s` makes each reading of
edges take up to so long, as on a machine that has no time for us.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Edges

from drivers.pins.lines import Chip, LineRequest

#: A simulated chip puts its edges into the buffer at once; chess time may run a hundred times faster here.
KERNEL_US = 50
RISING, FALLING = gpiod.EdgeEvent.Type.RISING_EDGE, gpiod.EdgeEvent.Type.FALLING_EDGE
BUSY = 16


@dataclass(frozen=True, slots=True)
class SimulatedEdge:
    """An edge event."""

    event_type: gpiod.EdgeEvent.Type
    timestamp_ns: int
    line_seqno: int


@dataclass(slots=True)
class _Line:
    consumer: str = ""
    settings: gpiod.LineSettings = field(default_factory=gpiod.LineSettings)
    driven: bool | None = None  # by something outside; None: only the pull
    output: bool = False
    events: deque[SimulatedEdge] = field(default_factory=deque)
    limit: int = 0
    seqno: int = 0
    fd: int = -1

    @property
    def high(self) -> bool:
        if self.settings.direction is Direction.OUTPUT:
            return self.output
        return self.settings.bias is Bias.PULL_UP if self.driven is None else self.driven


class SimulatedGpio:
    """A machine with one GPIO chip."""

    def __init__(self, label: str = "pinctrl-rp1", lines: int = 54, slow_s: float = 0.0, seed: int = 0) -> None:
        self.label, self.count = label, lines
        self.slow_s, self.dice = slow_s, random.Random(seed)
        self.lock = threading.Lock()
        self._lines: dict[int, _Line] = {}

    def line(self, number: int) -> _Line:
        """The state of a line."""
        return self._lines.setdefault(number, _Line())

    def open(self, path: str) -> Chip:
        """Opens the chip."""
        return _SimulatedChip(self)

    def drive(self, number: int, high: bool | None, at_ns: int | None = None) -> int:
        """Drives a line from outside (None: lets go); returns the stamp of the edge in monotonic ns."""
        with self.lock:
            stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) if at_ns is None else at_ns
            line = self.line(number)
            before, line.driven = line.high, high
            if line.high != before:
                self._edge(line, stamp)
        return stamp

    def _edge(self, line: _Line, stamp: int) -> None:
        kind = RISING if line.high else FALLING
        wanted = line.settings.edge_detection
        if wanted is Edges.NONE or (wanted is not Edges.BOTH and (wanted is Edges.RISING) != line.high):
            return
        line.seqno += 1
        if len(line.events) >= line.limit:
            line.events.popleft()  # the kernel drops the oldest
        line.events.append(SimulatedEdge(kind, stamp, line.seqno))
        os.eventfd_write(line.fd, 1)

    def lose(self, number: int, high: bool) -> None:
        """An edge that is dropped although nothing else overflows: the level changes, a number is used up."""
        with self.lock:
            line = self.line(number)
            line.driven = high
            line.seqno += 1


class _SimulatedChip:
    def __init__(self, gpio: SimulatedGpio) -> None:
        self._gpio = gpio

    def get_info(self) -> gpiod.ChipInfo:
        return gpiod.ChipInfo("gpiochip0", self._gpio.label, self._gpio.count)

    def get_line_info(self, line: int) -> gpiod.LineInfo:
        state = self._gpio.line(line)
        return gpiod.LineInfo(
            line,
            f"GPIO{line}",
            bool(state.consumer),
            state.consumer,
            state.settings.direction.value,
            False,
            state.settings.bias.value,
            state.settings.drive.value,
            state.settings.edge_detection.value,
            state.settings.event_clock.value,
            False,
            0,
        )

    def request_lines(
        self, config: Mapping[int, gpiod.LineSettings], consumer: str, event_buffer_size: int
    ) -> LineRequest:
        ((number, settings),) = config.items()
        if number >= self._gpio.count:
            raise ValueError("line offset of out range")
        with self._gpio.lock:
            line = self._gpio.line(number)
            if line.consumer:
                raise OSError(BUSY, os.strerror(BUSY))
            line.consumer, line.limit, line.seqno = consumer, event_buffer_size, 0
            line.events.clear()
            line.fd = os.eventfd(0)
        request = _SimulatedRequest(self._gpio, number)
        request.reconfigure_lines({number: settings})
        return request

    def close(self) -> None:
        pass


class _SimulatedRequest:
    def __init__(self, gpio: SimulatedGpio, number: int) -> None:
        self._gpio, self._number = gpio, number

    @property
    def _line(self) -> _Line:
        return self._gpio.line(self._number)

    @property
    def fd(self) -> int:
        return self._line.fd

    def read_edge_events(self) -> Sequence[SimulatedEdge]:
        if self._gpio.slow_s:
            time.sleep(self._gpio.dice.uniform(0, self._gpio.slow_s))
        with self._gpio.lock:
            events = list(self._line.events)
            self._line.events.clear()
            os.eventfd_read(self.fd)
        return events

    def get_value(self, line: int) -> Value:
        return Value.ACTIVE if self._line.high else Value.INACTIVE

    def set_value(self, line: int, value: Value) -> None:
        if self._line.settings.direction is not Direction.OUTPUT:
            raise PermissionError(1, os.strerror(1))
        self._line.output = value is Value.ACTIVE

    def reconfigure_lines(self, config: Mapping[int, gpiod.LineSettings]) -> None:
        with self._gpio.lock:
            line = self._line
            line.settings = config[self._number]
            if line.settings.direction is Direction.OUTPUT:
                line.output = line.settings.output_value is Value.ACTIVE

    def release(self) -> None:
        with self._gpio.lock:
            line = self._line
            os.close(line.fd)
            line.consumer, line.fd = "", -1
            line.settings = gpiod.LineSettings()
