"""The DGT 3000 over I²C, as in a DGT Pi: frames ↔ typed messages. Pure.

Both ends are masters in turn. We write to the clock at address 08 (28 wakes it up); it writes to everybody (00: times,
keys) and to us (10: acknowledgements). After the address come: the sender, the length of the whole frame with its
destination, a number, data, and a CRC-8 (polynomial 07, begun with 0) over the destination and all that follows. The
destination is the address shifted left by one, and 10 in whatever we send, the waking frame too. Two zero bytes may
follow a frame of the clock. Source: the two open programs that drive this clock (a DGT Pi and an ESP32 gateway).

Assumed, because no two sources say so or they differ: bit 40 of the keys is set while the left side of the lever is
down (`LEVER_LEFT`), and bit 0 of the byte before last in a time message is the same; statuses of acknowledgements are
as in `good`; a message about keys is 7 to 16 bytes long. Nothing here was tried on a real clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Where the clock listens, and where it is woken up; where it sends what everybody may know, and what is for us.
CLOCK, WAKE = 0x08, 0x28
EVERYBODY, US = 0x00, 0x10
_FROM_US, _FROM_CLOCK = 0x20, 0x10

DISPLAY, END_TEXT, SET_AND_RUN, STATE, PING, CONTROL = 0x06, 0x07, 0x0A, 0x0B, 0x0D, 0x0F
ACK, AWAKE, TIMES, KEYS = 0x01, 0x02, 0x04, 0x05
#: Shortest and longest by number, destination and CRC included. Other messages are skipped: eight bits of CRC are few,
#: and what is told apart by its length and number too is hardly ever met by chance.
LENGTHS = {ACK: (8, 8), AWAKE: (7, 7), TIMES: (24, 24), KEYS: (7, 16)}
SHORTEST, LONGEST = 7, 24

STOP, DOWN, UP = 0, 1, 2
#: Icons on a side of the display.
FLAG, WHITE_KING, BLACK_KING, COLON, DOT = 0x01, 0x02, 0x04, 0x08, 0x10
BACK, MINUS, PLAY, PLUS, FORWARD, POWER, LEVER_LEFT = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40
TEXT_LENGTH = 11
#: 62.5 ms each.
LONGEST_BEEP = 48
LONGEST_S = 10 * 3600 - 1

LeverSide = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Ack:
    """The answer to `command`."""

    command: int
    status: int

    @property
    def good(self) -> bool:
        """Whether the clock obeyed: 8 to what it is told, 0 or 5 to the end of a text, all but "busy" to a text."""
        match self.command:
            case 0x07:
                return self.status & 7 in (0, 5)
            case 0x06:
                return self.status & 0xF3 != 0x23
        return self.status & 8 != 0


@dataclass(frozen=True, slots=True)
class Awake:
    """The clock was switched on, or woken up."""


@dataclass(frozen=True, slots=True)
class Times:
    """What the clock shows (s), and how its lever lies. `old`: nothing has changed since the last message."""

    left_s: int
    right_s: int
    down: LeverSide
    old: bool


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys and the lever, now and before, as bits; `held` is for how long the key was down, where it is told."""

    now: int
    before: int
    held: int = 0

    @property
    def down(self) -> LeverSide:
        """Which side of the lever is down."""
        return "left" if self.now & LEVER_LEFT else "right"

    @property
    def tipped(self) -> bool:
        """Whether the lever has changed sides."""
        return bool((self.now ^ self.before) & LEVER_LEFT)

    def pressed(self, key: int) -> bool:
        """Whether a key went down."""
        return bool(self.now & ~self.before & key)

    def released(self, key: int) -> bool:
        """Whether a key was let go."""
        return bool(self.before & ~self.now & key)


@dataclass(frozen=True, slots=True)
class Dropped:
    """Bytes that are no message, from this one on."""

    first: int


ClockMessage = Ack | Awake | Times | Keys | Dropped


def crc8(data: bytes) -> int:
    """CRC-8 with polynomial 07, begun with 0."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _bit in range(8):
            crc = (crc << 1) & 0xFF ^ (0x07 if crc & 0x80 else 0)
    return crc


def command(number: int, data: bytes = b"") -> bytes:
    """A frame for the clock, as it goes out after the address."""
    body = bytes((_FROM_US, len(data) + 5, number)) + data
    return body + bytes((crc8(bytes((CLOCK << 1,)) + body),))


def message(number: int, data: bytes, to: int = EVERYBODY) -> bytes:
    """A frame of the clock, as it arrives after the address `to`."""
    body = bytes((_FROM_CLOCK, len(data) + 5, number)) + data
    return body + bytes((crc8(bytes((to << 1,)) + body),))


WAKE_UP = command(PING)
TAKE_CONTROL = command(CONTROL)
#: The mode in which the clock lets itself be set.
MODE_25 = command(STATE, b"\x39")
END = command(END_TEXT)


def _bcd(number: int) -> int:
    return number // 10 << 4 | number % 10


def _parts(seconds: int) -> bytes:
    seconds = max(0, min(seconds, LONGEST_S))
    return bytes((seconds // 3600, _bcd(seconds // 60 % 60), _bcd(seconds % 60)))


def set_and_run(left_s: int, right_s: int, left: int = STOP, right: int = STOP) -> bytes:
    """Sets both times (s, below 10 h), and lets each stop, count down or count up."""
    return command(SET_AND_RUN, _parts(left_s) + _parts(right_s) + bytes((left | right << 2,)))


def text(words: str, beep: int = 0, left_icons: int = 0, right_icons: int = 0) -> bytes:
    """Eleven characters (`words` is cut or padded), a beep of 0..48 times 62.5 ms, and icons on both sides."""
    shown = words.encode("ascii", "replace")[:TEXT_LENGTH].ljust(TEXT_LENGTH)
    return command(
        DISPLAY, shown + bytes((0xFF, max(0, min(beep, LONGEST_BEEP)), 0x03, left_icons & 0x3F, right_icons & 0x1F))
    )


def times(left_s: int, right_s: int, down: LeverSide = "right", old: bool = False) -> bytes:
    """The message with which the clock tells its times to everybody."""
    data = bytearray(19)
    data[1:4], data[7:10] = _parts(left_s), _parts(right_s)
    data[15], data[16] = down == "left", old
    return message(TIMES, bytes(data))


class Reader:
    """Bytes in, whole messages out. A frame counts only if its CRC is right, for one of our two addresses.

    What turns out to be none is searched through from its second byte on, so a garbled length hides no message.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._noisy = False

    @property
    def torn(self) -> bool:
        """Whether a frame has begun that has not ended."""
        return bool(self._buffer)

    def settle(self) -> list[ClockMessage]:
        """Nothing follows: what is only a beginning is given up, and what stands inside it is read."""
        messages: list[ClockMessage] = []
        while self._buffer:
            self._drop(messages)
            messages += self.feed(b"")
        self._noisy = False
        return messages

    def feed(self, data: bytes) -> list[ClockMessage]:
        """Takes any piece of the stream; returns the messages that it completes."""
        messages: list[ClockMessage] = []
        self._buffer += data
        buffer = self._buffer
        while buffer:
            if not buffer[0]:
                del buffer[0]  # what follows some frames
                continue
            if not _begins(buffer):
                self._drop(messages)
                continue
            if len(buffer) < 2 or len(buffer) < buffer[1] - 1:
                break
            whole = bytes(buffer[: buffer[1] - 1])
            said = _message(whole) if _right(whole) else None
            if said is None:
                self._drop(messages)
                continue
            messages.append(said)
            self._noisy = False
            del buffer[: len(whole)]
        return messages

    def _drop(self, messages: list[ClockMessage]) -> None:
        """Gives up the first byte; what is dropped in a row is told once."""
        if not self._noisy:
            messages.append(Dropped(self._buffer[0]))
        self._noisy = True
        del self._buffer[0]


def _begins(buffer: bytearray) -> bool:
    """Whether a frame may begin so."""
    if buffer[0] != _FROM_CLOCK or (len(buffer) > 1 and not SHORTEST <= buffer[1] <= LONGEST):
        return False
    if len(buffer) < 3:
        return True
    low, high = LENGTHS.get(buffer[2], (0, 0))
    return low <= buffer[1] <= high


def _right(whole: bytes) -> bool:
    """Whether the CRC is right for an address that such a message goes to.

    Of a long one only for everybody's: 127 bits after the bit by which the addresses differ a wrong bit would look like
    that difference.
    """
    addresses = (EVERYBODY,) if whole[2] in (TIMES, KEYS) else (EVERYBODY, US)
    return whole[-1] in (crc8(bytes((to << 1,)) + whole[:-1]) for to in addresses)


def _message(whole: bytes) -> ClockMessage | None:
    """The meaning of a whole frame; None for times with impossible digits."""
    number, data = whole[2], whole[3:-1]
    match number:
        case 0x01:
            return Ack(data[0], data[1])
        case 0x02:
            return Awake()
        case 0x04:
            left, right = _seconds(data[1:4]), _seconds(data[7:10])
            if left is None or right is None:
                return None
            return Times(left, right, "left" if data[15] & 1 else "right", data[16] == 1)
        case _:
            return Keys(data[0] & 0x7F, data[1] & 0x7F, data[4] if len(data) > 4 else 0)


def _seconds(parts: bytes) -> int | None:
    hours, digits = parts[0] & 0xF, [nibble for byte in parts[1:3] for nibble in (byte >> 4, byte & 0xF)]
    if hours > 9 or max(digits) > 9 or digits[0] > 5 or digits[2] > 5:
        return None
    return hours * 3600 + (10 * digits[0] + digits[1]) * 60 + 10 * digits[2] + digits[3]
