"""I²C and SPI without extra packages, as the two small shapes that boards and displays need; tests replace them.

I²C: /dev/i2c-N with the SMBus-free read and write of the kernel; a register is read as a write and a read with a stop
in between, which our chips accept. SPI: gpiozero's, its one semi-private call wrapped here.
"""

from __future__ import annotations

import fcntl
import os
import threading
from gettext import gettext as _
from typing import Any, Protocol

from gpiozero import DigitalOutputDevice, SPIDevice

from drivers.access import group_of
from drivers.errors import DeviceBusy, DeviceMissing
from drivers.pins.stamps import machine_pins

_I2C_SLAVE = 0x0703


class I2C(Protocol):
    """A bus with chips on it. Errors are OSError: 121 no acknowledge, 110 bus stuck."""

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes (a register and its data) to the chip at a 7-bit address."""

    def read(self, address: int, register: int, count: int) -> bytes:
        """Reads `count` bytes from a register on."""

    def close(self) -> None:
        """Lets go of the bus; may be called twice."""


class SPI(Protocol):
    """One chip, or a chain of chips, on an SPI bus."""

    def transfer(self, data: bytes) -> bytes:
        """Sends bytes and returns as many."""

    def close(self) -> None:
        """Lets go of the bus; may be called twice."""


class LinuxI2C:
    """An I²C bus of the machine (`dtparam=i2c_arm=on`). Threads may share it."""

    def __init__(self, device: str = "/dev/i2c-1") -> None:
        try:
            self._fd = os.open(device, os.O_RDWR)
        except FileNotFoundError as error:
            raise DeviceMissing(
                _("There is no I²C bus {device}: switch it on with dtparam=i2c_arm=on and restart.").format(
                    device=device
                )
            ) from error
        except OSError as error:
            raise DeviceBusy(
                _("The I²C bus {device} may not be opened ({why}): put this user into the group {group}.").format(
                    device=device, why=error.strerror, group=group_of(device, "i2c")
                )
            ) from error
        self._lock = threading.Lock()

    def write(self, address: int, data: bytes) -> None:
        """Writes bytes to a chip."""
        with self._lock:
            fcntl.ioctl(self._fd, _I2C_SLAVE, address)
            os.write(self._fd, data)

    def read(self, address: int, register: int, count: int) -> bytes:
        """Reads from a register of a chip."""
        with self._lock:
            fcntl.ioctl(self._fd, _I2C_SLAVE, address)
            os.write(self._fd, bytes((register,)))
            return os.read(self._fd, count)

    def close(self) -> None:
        """Lets go of the bus."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class PinSPI:
    """gpiozero's SPI on any pins; hardware SPI on the usual ones. `latch` is pulsed low before each transfer."""

    def __init__(self, latch: int | None = None, pin_factory: Any = None, **pins: int) -> None:
        factory = pin_factory or machine_pins()
        self._latch: Any = None
        if latch is not None:
            self._latch = DigitalOutputDevice(latch, initial_value=True, pin_factory=factory)
        self._device = SPIDevice(pin_factory=factory, **pins)

    def transfer(self, data: bytes) -> bytes:
        """Latches the inputs, then clocks as many bytes as are given."""
        if self._latch is not None:
            self._latch.off()
            self._latch.on()
        return bytes(self._device._spi.transfer(list(data)))

    def close(self) -> None:
        """Lets go of the pins."""
        self._device.close()
        if self._latch is not None:
            self._latch.close()
