"""The kernel's SPI for gpiozero: /dev/spidevB.D by ioctl, no further package.

Without it gpiozero would fall back to waving pins one by one, a few kHz at best.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
from collections.abc import Sequence
from gettext import gettext as _
from typing import Any

from gpiozero.mixins import SharedMixin
from gpiozero.pins import SPI
from gpiozero.pins.pi import spi_port_device

from drivers.access import group_of
from drivers.errors import DeviceBusy, DeviceMissing

#: Both our chips bear 10 MHz; long wires do not.
RATE_HZ = 1_000_000
# linux/spi/spidev.h: _IOW('k', 0, char[32]) for one transfer, and the mode.
_MESSAGE, _MODE = 0x4020_6B00, 0x4001_6B01


class _Transfer(ctypes.Structure):
    """struct spi_ioc_transfer."""

    _fields_ = (
        ("tx_buf", ctypes.c_uint64), ("rx_buf", ctypes.c_uint64), ("len", ctypes.c_uint32),
        ("speed_hz", ctypes.c_uint32), ("delay_usecs", ctypes.c_uint16), ("bits_per_word", ctypes.c_uint8),
        ("cs_change", ctypes.c_uint8), ("tx_nbits", ctypes.c_uint8), ("rx_nbits", ctypes.c_uint8),
        ("word_delay_usecs", ctypes.c_uint8), ("pad", ctypes.c_uint8),
    )  # fmt: skip


def open_port(path: str) -> int:
    """The file of an SPI port; raises `DeviceMissing` or `DeviceBusy` with a remedy."""
    try:
        return os.open(path, os.O_RDWR)
    except FileNotFoundError as error:
        raise DeviceMissing(
            _("There is no SPI port {path}: switch it on with dtparam=spi=on and restart.").format(path=path)
        ) from error
    except OSError as error:
        raise DeviceBusy(
            _("The SPI port {path} may not be opened ({why}): put this user into the group {group}.").format(
                path=path, why=error.strerror, group=group_of(path, "spi")
            )
        ) from error


class HardwareSPI(SPI):  # type: ignore[misc]  # the library has no types
    """One select line of the header's SPI, mode 0 unless it is changed."""

    def __init__(
        self, clock_pin: int, mosi_pin: int | None, miso_pin: int | None, select_pin: int, pin_factory: Any
    ) -> None:
        self._fd = -1
        port, device = spi_port_device(clock_pin, mosi_pin, miso_pin, select_pin)
        self._place = (port, device)
        self._rate = RATE_HZ
        self._mode = 0
        super().__init__(pin_factory=pin_factory)
        pins = [pin for pin in (clock_pin, select_pin, mosi_pin, miso_pin) if pin is not None]
        self.pin_factory.reserve_pins(self, *pins)
        try:
            self._fd = open_port(f"/dev/spidev{port}.{device}")
        except BaseException:
            self.close()
            raise

    def _conflicts_with(self, other: object) -> bool:
        return not (isinstance(other, HardwareSPI) and other._place != self._place)

    def close(self) -> None:
        """Lets go of the port; may be called twice."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1
        if self.pin_factory is not None:
            self.pin_factory.release_all(self)
        super().close()

    @property
    def closed(self) -> bool:
        """Whether the port was closed."""
        return self._fd < 0

    def transfer(self, data: Sequence[int]) -> list[int]:
        """Sends bytes with the chip selected and returns as many."""
        out = array.array("B", data)
        back = array.array("B", bytes(len(out)))
        frame = _Transfer(
            tx_buf=out.buffer_info()[0],
            rx_buf=back.buffer_info()[0],
            len=len(out),
            speed_hz=self._rate,
            bits_per_word=8,
        )
        fcntl.ioctl(self._fd, _MESSAGE, frame)
        return list(back)

    def _get_clock_mode(self) -> int:
        return self._mode

    def _set_clock_mode(self, value: int) -> None:
        self._mode = value & 3
        fcntl.ioctl(self._fd, _MODE, bytes((self._mode,)))

    def _get_rate(self) -> int:
        return self._rate

    def _set_rate(self, value: int) -> None:
        self._rate = int(value)


class SharedHardwareSPI(SharedMixin, HardwareSPI):  # type: ignore[misc]  # the library has no types
    """The same for several devices with one select line."""

    @classmethod
    def _shared_key(cls, clock_pin: int, mosi_pin: Any, miso_pin: Any, select_pin: int, pin_factory: Any) -> Any:
        return clock_pin, select_pin
