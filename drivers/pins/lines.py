"""The header's GPIO chip and its lines, as libgpiod shows them; the shapes here are the seam for tests.

The header is found by the label of its chip, never by its number: a Pi 5 has had it as gpiochip0 and as gpiochip4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from pathlib import Path
from typing import Protocol, cast

import gpiod
from gpiod.line import Value

from drivers.access import group_of
from drivers.errors import DeviceBusy, DeviceMissing

#: Labels of the chips behind the 40-pin header. Line numbers on them are the BCM numbers of the pins.
HEADER_LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
#: Edges that the kernel keeps for one line until they are read; then the oldest is dropped.
EVENT_BUFFER = 256


class EdgeEvent(Protocol):
    """An edge as the kernel saw it (`gpiod.EdgeEvent`)."""

    @property
    def event_type(self) -> gpiod.EdgeEvent.Type:
        """Rising or falling."""

    @property
    def timestamp_ns(self) -> int:
        """`CLOCK_MONOTONIC` at the interrupt."""

    @property
    def line_seqno(self) -> int:
        """Number of the edge on its line, from 1."""


class LineRequest(Protocol):
    """One line that belongs to this program (`gpiod.LineRequest`)."""

    @property
    def fd(self) -> int:
        """Readable when there are edges."""

    def read_edge_events(self) -> Sequence[EdgeEvent]:
        """The edges so far; blocks if there are none."""

    def get_value(self, line: int) -> Value:
        """The level now."""

    def set_value(self, line: int, value: Value) -> None:
        """Drives an output."""

    def reconfigure_lines(self, config: Mapping[int, gpiod.LineSettings]) -> None:
        """Changes direction, pull or edges."""

    def release(self) -> None:
        """Gives the line back."""


class Chip(Protocol):
    """A GPIO chip (`gpiod.Chip`)."""

    def get_info(self) -> gpiod.ChipInfo:
        """Name, label, number of lines."""

    def get_line_info(self, line: int) -> gpiod.LineInfo:
        """Who uses a line, and how."""

    def request_lines(
        self, config: Mapping[int, gpiod.LineSettings], consumer: str, event_buffer_size: int
    ) -> LineRequest:
        """Takes lines; OSError 16 if one is taken already."""

    def close(self) -> None:
        """Lets go of the chip; requested lines stay."""


@dataclass(frozen=True, slots=True)
class SeenChip:
    """A GPIO chip of this machine: `label` is empty if it may not be opened, `why` says so then."""

    path: str
    label: str
    lines: int = 0
    why: str = ""

    @property
    def is_header(self) -> bool:
        """Whether the 40-pin header is behind it."""
        return self.label in HEADER_LABELS


OpenChip = Callable[[str], Chip]


def open_chip(path: str) -> Chip:
    """Opens a chip with libgpiod. Raises OSError."""
    return cast(Chip, gpiod.Chip(path))


def chip_paths(folder: Path = Path("/dev")) -> list[str]:
    """All GPIO chips, each once, though the Pi 5 has links from old names to new ones."""
    return sorted({os.path.realpath(path) for path in folder.glob("gpiochip*")})


def look(paths: Iterable[str], open_it: OpenChip = open_chip) -> list[SeenChip]:
    """What the chips say about themselves."""
    seen = []
    for path in paths:
        try:
            chip = open_it(path)
        except OSError as error:
            seen.append(SeenChip(path, "", why=os.strerror(error.errno or 0)))
            continue
        try:
            info = chip.get_info()
            seen.append(SeenChip(path, info.label, info.num_lines))
        finally:
            chip.close()
    return seen


def header_path(seen: Sequence[SeenChip]) -> str:
    """The chip of the header; raises `DeviceMissing` or `DeviceBusy` with a sentence that names what was found."""
    for chip in seen:
        if chip.is_header:
            return chip.path
    shut = [chip for chip in seen if chip.why]
    if shut:
        raise DeviceBusy(
            _("The pins at {path} may not be opened ({why}): put this user into the group {group}.").format(
                path=shut[0].path, why=shut[0].why, group=group_of(shut[0].path, "gpio")
            )
        )
    if seen:
        raise DeviceMissing(
            _("None of the GPIO chips is a Raspberry Pi's header; found are {labels}.").format(
                labels=", ".join(chip.label for chip in seen)
            )
        )
    raise DeviceMissing(
        _("This machine has no GPIO pins (no /dev/gpiochip0): plungers, lamps and displays need a Raspberry Pi.")
    )


class Header:
    """The open header: takes lines by their BCM number."""

    def __init__(self, chip: Chip, consumer: str) -> None:
        self._chip = chip
        self._consumer = consumer
        self.label = chip.get_info().label

    def request(self, number: int, settings: gpiod.LineSettings) -> LineRequest:
        """Takes a line; raises `DeviceBusy` with the name of the program that has it, or `DeviceMissing`."""
        try:
            return self._chip.request_lines({number: settings}, self._consumer, EVENT_BUFFER)
        except ValueError as error:
            raise DeviceMissing(_("There is no pin GPIO{number}.").format(number=number)) from error
        except OSError as error:
            holder = self._chip.get_line_info(number).consumer or os.strerror(error.errno or 0)
            raise DeviceBusy(
                _("The pin GPIO{number} is taken by {holder}: end that program, or name another pin.").format(
                    number=number, holder=holder
                )
            ) from error

    def close(self) -> None:
        """Lets go of the chip; may be called twice."""
        self._chip.close()
