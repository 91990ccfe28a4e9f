"""The DGT clock behind the board: message 8D ↔ times and acknowledgements, and the commands to the clock. Pure.

Seven data bytes d0..d6. All zero means nothing (newer Bluetooth boards send it after a command). With A in the low
nibble of d0 or d3 it is an acknowledgement; otherwise the times. "Right" is as seen from the front of the clock.
Source: the vendor's published protocol header, as read by open programs; bits 3 and 4 of d6 as clocks behave, not as
older documents say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.laws.sides import Side

ClockSide = Literal["left", "right"]

#: First acknowledgement byte of a command that was obeyed.
GOOD = 0x10
DISPLAY, ICONS, END, BUTTONS, VERSION, SET_AND_RUN, BEEP, TEXT = 0x01, 0x02, 0x03, 0x08, 0x09, 0x0A, 0x0B, 0x0C
READY, BUTTON, MODE, WRONG_MODE = 0x81, 0x88, 0x8A, 0x90
_BUTTONS = {0x31: "back", 0x32: "plus", 0x33: "run", 0x34: "minus", 0x35: "ok"}

_TEXT_LENGTH = 8
#: Places of an XL, and the major version from which a clock knows letters.
PLACES, WRITES_FROM = 6, 2
_LONGEST_BEEP = 15


@dataclass(frozen=True, slots=True)
class ClockTime:
    """What the clock shows, at most 1 s old. `turn` is the side whose time runs or would run.

    `right_high` is the lever: the left player has pressed. Flags are as shown. Never use it to decide a flag.
    """

    right_s: int
    left_s: int
    running: bool
    right_high: bool
    battery_low: bool
    turn: ClockSide | None
    right_flag: bool
    left_flag: bool


@dataclass(frozen=True, slots=True)
class ClockAck:
    """The four bytes with which the clock answers `command`; `good` if it obeyed."""

    ack: tuple[int, int, int, int]

    @property
    def good(self) -> bool:
        """Whether the command was obeyed."""
        return self.ack[0] == GOOD

    @property
    def command(self) -> int:
        """The command that is answered, or the number of a message that came by itself (top bit set)."""
        return self.ack[1]


@dataclass(frozen=True, slots=True)
class ClockVersion:
    """Version of the clock: 2.x is the DGT 3000, 1.x the XL, which knows no text."""

    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class ClockButton:
    """A button of the clock was pressed: back, plus, run, minus or ok."""

    button: str


@dataclass(frozen=True, slots=True)
class ClockEmpty:
    """Seven zero bytes; to be ignored."""


@dataclass(frozen=True, slots=True)
class ClockInvalid:
    """Times with impossible digits; to be ignored."""


@dataclass(frozen=True, slots=True)
class ClockAbsent:
    """No clock is connected to the board."""


ClockMessage = ClockTime | ClockAck | ClockVersion | ClockButton | ClockEmpty | ClockInvalid | ClockAbsent


def decode(data: bytes) -> ClockMessage:
    """The meaning of the seven data bytes of a message 8D."""
    if len(data) != 7:
        return ClockInvalid()
    if not any(data):
        return ClockEmpty()
    if 0xA in (data[0] & 0xF, data[3] & 0xF):
        return _acknowledgement(data)
    if data[6] & 0x20:
        return ClockAbsent()
    right, left = bcd_seconds(data[0:3]), bcd_seconds(data[3:6])
    if right is None or left is None:
        return ClockInvalid()
    status = data[6]
    turn: ClockSide | None = "right" if status & 0x08 else "left" if status & 0x10 else None
    return ClockTime(
        right,
        left,
        bool(status & 1),
        bool(status & 2),
        bool(status & 4),
        turn,
        bool(data[0] & 0x50),
        bool(data[3] & 0x50),
    )


def bcd_seconds(data: bytes) -> int | None:
    """Hours (low nibble), minutes and seconds in BCD, None if a digit or a number is impossible or missing."""
    if len(data) < 3:
        return None
    hours, minutes, seconds = data[0] & 0xF, _bcd(data[1]), _bcd(data[2])
    if hours > 9 or minutes is None or seconds is None or minutes > 59 or seconds > 59:
        return None
    return hours * 3600 + minutes * 60 + seconds


def _bcd(byte: int) -> int | None:
    tens, ones = byte >> 4, byte & 0xF
    return tens * 10 + ones if tens <= 9 and ones <= 9 else None


def _acknowledgement(d: bytes) -> ClockMessage:
    ack = (
        (d[1] & 0x7F) | ((d[3] << 3) & 0x80),
        (d[2] & 0x7F) | ((d[3] << 2) & 0x80),
        (d[4] & 0x7F) | ((d[0] << 3) & 0x80),
        (d[5] & 0x7F) | ((d[0] << 2) & 0x80),
    )
    if ack[0] == GOOD and ack[1] == VERSION:
        return ClockVersion(ack[2] >> 4, ack[2] & 0xF)
    if ack[0] == GOOD and ack[1] == BUTTON and ack[3] in _BUTTONS:
        return ClockButton(_BUTTONS[ack[3]])
    return ClockAck(ack)


def encode_ack(ack: tuple[int, int, int, int]) -> bytes:
    """The seven data bytes of an acknowledgement, as a clock sends them."""
    a0, a1, a2, a3 = ack
    d0 = 0x0A | ((a2 & 0x80) >> 3) | ((a3 & 0x80) >> 2)
    d3 = 0x0A | ((a0 & 0x80) >> 3) | ((a1 & 0x80) >> 2)
    return bytes((d0, a0 & 0x7F, a1 & 0x7F, d3, a2 & 0x7F, a3 & 0x7F, 0))


def encode_time(time: ClockTime) -> bytes:
    """The seven data bytes of times, as a clock sends them."""

    def side(seconds: int, flag: bool) -> bytes:
        hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
        return bytes(
            (hours | (0x10 if flag else 0), minutes // 10 << 4 | minutes % 10, seconds // 10 << 4 | seconds % 10)
        )

    turn = {None: 0, "right": 0x08, "left": 0x10}[time.turn]
    status = time.running | time.right_high << 1 | time.battery_low << 2 | turn
    return side(time.right_s, time.right_flag) + side(time.left_s, time.left_flag) + bytes((status,))


# -- commands -------------------------------------------------------------------------------------------------------


def command(number: int, data: bytes = b"") -> bytes:
    """A command to the clock: 2B, size from the third byte on, 03, number, data, 00. One at a time."""
    body = bytes((0x03, number)) + data + b"\x00"
    return bytes((0x2B, len(body))) + body


def ask_version() -> bytes:
    """Asks for the clock's version; every clock answers."""
    return command(VERSION)


def end_display() -> bytes:
    """Back to the time display."""
    return command(END)


def text(words: str, beep: int = 0) -> bytes:
    """Eight characters on a DGT 3000 (`words` is cut or padded), with a beep of 0..15 times 64 ms."""
    shown = words.encode("ascii", "replace")[:_TEXT_LENGTH].ljust(_TEXT_LENGTH)
    return command(TEXT, shown + bytes((max(0, min(beep, _LONGEST_BEEP)),)))


def beep(units: int) -> bytes:
    """A beep of `units` times 64 ms (1..127)."""
    return command(BEEP, bytes((max(1, min(units, 127)),)))


def set_and_run(left_s: int, right_s: int, running: Side | None, white_left: bool = True) -> bytes:
    """Sets both times (s, below 10 h) and lets the one of `running` count down; None stops the clock.

    Binary numbers here, not BCD. The clock must be in its PC mode (23 on the XL; 25 on the DGT 3000 is assumed to hold
    over the serial line as over I2C), else it answers with an error.
    """

    def parts(seconds: int) -> bytes:
        seconds = max(0, min(seconds, 10 * 3600 - 1))
        return bytes((seconds // 3600, seconds // 60 % 60, seconds % 60))

    left_runs = None if running is None else (running == "white") == white_left
    mode = 0x04 if left_runs is None else (0x01 if left_runs else 0x02)
    return command(SET_AND_RUN, parts(left_s) + parts(right_s) + bytes((mode,)))


#: 7-segment pictures of the XL, bit 0 top, clockwise, bit 6 middle.
_SEGMENTS = {
    **dict(zip("0123456789", (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F), strict=True)),
    **dict(zip("abcdefghijlnopqrstuy-", (
        0x5F, 0x7C, 0x58, 0x5E, 0x7B, 0x71, 0x3D, 0x74, 0x10, 0x1E, 0x38, 0x54, 0x5C, 0x73, 0x67, 0x50, 0x6D, 0x78,
        0x1C, 0x6E, 0x40,
    ), strict=True)),
    " ": 0x00,
}  # fmt: skip


def display(words: str, beep: bool = False) -> bytes:
    """Six 7-segment places on an XL (`words` is cut or padded; letters that cannot be drawn stay dark)."""
    a, b, c, d, e, f = (_SEGMENTS.get(letter, 0) for letter in words.lower()[:PLACES].ljust(PLACES))
    # The places go out in the order C B A F E D; no dots.
    return command(DISPLAY, bytes((c, b, a, f, e, d, 0, 0x03 if beep else 0x01)))


def drawn(segments: bytes) -> str:
    """The letters of the six 7-segment places of a display command, "?" for none."""
    c, b, a, f, e, d = segments[:PLACES]
    letters = {glyph: letter for letter, glyph in _SEGMENTS.items()}
    return "".join(letters.get(glyph, "?") for glyph in (a, b, c, d, e, f))


def writable(words: str, letters: bool) -> bool:
    """Whether a clock with letters, or one that draws on seven segments, can show these words as they are."""
    if letters:
        return words.isascii() and words.isprintable() and len(words) <= _TEXT_LENGTH
    return len(words) <= PLACES and all(letter in _SEGMENTS for letter in words.lower())
