"""The two halves of the bus to a DGT 3000: we write as a master, and listen as a slave at one address at a time.

Writing is the kernel's (/dev/i2c-1, GPIO 2 and 3). Listening is not: Linux has no driver for the slave block of the
BCM283x (BSC, GPIO 18 and 19), so its registers are mapped from /dev/mem, which takes root and a kernel that allows it,
and the pins are switched to the block by the firmware (`gpio=18,19=a3` in config.txt). So it is on a Pi Zero, 1, 2 and
3, whose header has the block. On a Pi 4 it lies on other pins and a Pi 5 has another chip: `slave_base` says so in a
sentence, and a clock that is connected to the board over its cable does the same there.

Assumed and never tried on hardware: that the kernel's master and this slave get along on one pair of wires, and that a
thread that looks every ms empties the 16 bytes of the block in time (they fill in 1.4 ms; what overflows costs a
message, and times come every second). Looking so often takes 1 to 2 % of a PC's core, and more of a Pi's.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable, Mapping
from gettext import gettext as _
from pathlib import Path
from typing import Protocol

from drivers.buses import I2C, LinuxI2C
from drivers.clocks.dgt3000.protocol import EVERYBODY
from drivers.errors import DeviceBusy, DeviceMissing

#: Chip, as the device tree calls it → where its peripherals begin.
PERIPHERALS: Mapping[str, int] = {
    "brcm,bcm2835": 0x2000_0000,
    "brcm,bcm2836": 0x3F00_0000,
    "brcm,bcm2837": 0x3F00_0000,
}
SLAVE_OFFSET = 0x21_4000
_PAGE = 4096
#: Registers of the block, in words: data, overrun, address, control, flags.
DATA, OVERRUN, ADDRESS, CONTROL, FLAGS = range(5)
_EMPTY, _RECEIVING = 0x02, 0x20
_BREAK, _ENABLED = 0x80, 0x205
LOOK_S = 0.001


class ClockBus(Protocol):
    """A way to a DGT 3000."""

    def write(self, address: int, data: bytes) -> None:
        """Writes a frame. OSError 121: nobody answers, or both spoke at once; 110: the wires are stuck."""

    def listen(self, address: int) -> None:
        """Takes what is sent to this address from now on, and to no other."""

    def receive(self, wait_s: float) -> bytes:
        """What has arrived, after waiting for at most `wait_s` for the first byte."""

    def close(self) -> None:
        """Lets go of the bus; may be called twice."""


class Registers(Protocol):
    """A block of 32-bit registers."""

    def __getitem__(self, word: int) -> int: ...

    def __setitem__(self, word: int, value: int) -> None: ...


def slave_base(root: Path = Path("/")) -> int:
    """Where the slave block of this machine is. Raises `DeviceMissing` with a sentence on one without."""
    try:
        chips = (root / "proc/device-tree/compatible").read_bytes().split(b"\0")
        model = (root / "proc/device-tree/model").read_bytes().rstrip(b"\0").decode("ascii", "replace")
    except OSError:
        chips, model = [], _("no Raspberry Pi")
    for chip in chips:
        base = PERIPHERALS.get(chip.decode("ascii", "replace"))
        if base is not None:
            return base + SLAVE_OFFSET
    raise DeviceMissing(
        _(
            "A DGT 3000 on I²C can only be listened to on a Raspberry Pi Zero, 1, 2 or 3, and this is {model}: use "
            "plungers or a rocker there, or connect the clock to the board with its cable."
        ).format(model=model)
    )


class MappedRegisters:
    """The registers of the block in the machine's memory."""

    def __init__(self, base: int, memory: str = "/dev/mem") -> None:
        try:
            fd = os.open(memory, os.O_RDWR | os.O_SYNC)
            try:
                self._map = mmap.mmap(fd, _PAGE, offset=base)
            finally:
                os.close(fd)
        except OSError as error:
            raise DeviceBusy(
                _(
                    "The answers of the DGT 3000 cannot be listened to ({why}): {memory} has to be opened for that, "
                    "as root and under a kernel that allows it."
                ).format(why=error.strerror, memory=memory)
            ) from error
        self._words = memoryview(self._map).cast("I")

    def __getitem__(self, word: int) -> int:
        return self._words[word]

    def __setitem__(self, word: int, value: int) -> None:
        self._words[word] = value

    def close(self) -> None:
        """Lets go of the memory; may be called twice."""
        self._words.release()
        self._map.close()


class BscSlave:
    """The slave block: `receive` gives what was sent to the address that is listened to."""

    def __init__(self, registers: Registers, sleep: Callable[[float], None] = time.sleep) -> None:
        self._registers, self._sleep = registers, sleep
        registers[CONTROL] = _BREAK
        registers[CONTROL] = _ENABLED
        self.listen(EVERYBODY)
        registers[OVERRUN] = 0

    def listen(self, address: int) -> None:
        """Takes what is sent to this address."""
        self._registers[ADDRESS] = address

    def receive(self, wait_s: float) -> bytes:
        """What has arrived, after waiting for at most `wait_s` for the first byte. Bytes that overflowed are lost."""
        registers, data, looks = self._registers, bytearray(), max(1, round(wait_s / LOOK_S))
        for _look in range(looks):
            while not registers[FLAGS] & _EMPTY:
                data.append(registers[DATA] & 0xFF)
            if data and not registers[FLAGS] & _RECEIVING:
                break
            self._sleep(LOOK_S)
        if registers[OVERRUN] & 1:
            registers[OVERRUN] = 0
        return bytes(data)

    def close(self) -> None:
        """Switches the block off."""
        self._registers[CONTROL] = 0


class PiBus:
    """The kernel's master and the slave block of a Pi."""

    def __init__(self, device: str = "/dev/i2c-1", root: Path = Path("/")) -> None:
        base = slave_base(root)
        self._master: I2C = LinuxI2C(device)
        try:
            self._memory = MappedRegisters(base)
        except DeviceBusy:
            self._master.close()
            raise
        self._slave = BscSlave(self._memory)
        self._closed = False

    def write(self, address: int, data: bytes) -> None:
        """Writes a frame."""
        self._master.write(address, data)

    def listen(self, address: int) -> None:
        """Takes what is sent to this address."""
        self._slave.listen(address)

    def receive(self, wait_s: float) -> bytes:
        """What has arrived."""
        return self._slave.receive(wait_s)

    def close(self) -> None:
        """Lets go of both halves; may be called twice."""
        if not self._closed:
            self._closed = True
            self._slave.close()
            self._memory.close()
            self._master.close()
