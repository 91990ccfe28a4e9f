"""What stands behind the colon of a device's name: a port, a bus, pins of the header (BCM numbers)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from gettext import gettext as _

from drivers.errors import BadDeviceName

#: BCM numbers of the pins on the 40-pin header.
HEADER_PINS = range(28)
#: Where White's and Black's switch of a clock panel are, if its name says nothing.
WHITE_PIN = 17
BLACK_PIN = 27


@dataclass(frozen=True, slots=True)
class Form:
    """How an address looks: a whole match of `pattern`, such as `example`; "" means `default`, where there is one."""

    example: str
    pattern: str
    default: str | None = None

    def read(self, kind: str, address: str) -> str:
        """The address to use; raises `BadDeviceName` with a sentence that shows a right one."""
        if not address and self.default is not None:
            return self.default
        if not re.fullmatch(self.pattern, address):
            raise BadDeviceName(
                _("{kind} needs to know where: write {kind}:{example}.").format(kind=kind, example=self.example)
                if not address
                else _("{kind}:{address} is not understood: write {kind}:{example}.").format(
                    kind=kind, address=address, example=self.example
                )
            )
        return address


SERIAL = Form("/dev/serial/by-id/...", r"/.+")
RFCOMM = Form("/dev/rfcomm0", r"/.+")
HIDRAW = Form("/dev/hidraw0", r"/.+")
I2C_BUS = Form("/dev/i2c-1", r"/.+", "/dev/i2c-1")


def pins_form(default: tuple[int, ...], required: bool = False) -> Form:
    """As many pins as `default` has, separated by commas; `required` ones have to be named."""
    example = ",".join(map(str, default))
    one = r"(2[0-7]|1?[0-9])"
    return Form(example, ",".join([one] * len(default)), None if required else example)


def numbers(address: str) -> tuple[int, ...]:
    """The numbers in an address, decimal or as 0x.."""
    return tuple(int(word, 0) for word in address.split(","))
