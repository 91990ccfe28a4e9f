"""Times and short words on seven segments. Pure.

Bit 0 is the top segment A, clockwise to F, bit 6 the middle G, bit 7 the point. Whole seconds round up, so 0:00 is only
shown when the time is over; above one hour hours and minutes are shown, below `tenths_below_ms` tenths.
"""

from __future__ import annotations

from dataclasses import dataclass

from drivers.interfaces import ClockFace
from rules.laws.sides import Side

POINT = 0x80
_GLYPHS = {
    **dict(zip("0123456789", (0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F), strict=True)),
    **dict(zip("AbCdEFHLnoPrtU-_ ", (
        0x77, 0x7C, 0x39, 0x5E, 0x79, 0x71, 0x76, 0x38, 0x54, 0x5C, 0x73, 0x50, 0x78, 0x3E, 0x40, 0x08, 0x00,
    ), strict=True)),
}  # fmt: skip
_LETTERS = {glyph: letter for letter, glyph in _GLYPHS.items()}
_HOUR_MS = 3_600_000
#: The longest time that four places can show.
_LONGEST_MS = 100 * _HOUR_MS - 60_000


@dataclass(frozen=True, slots=True)
class Places:
    """Four places and whether the colon between the second and third is lit; `point` is the place with a point."""

    text: str
    colon: bool
    point: int | None = None

    def segments(self) -> bytes:
        """The four places, points included, the colon not."""
        lit = bytearray(encode(self.text))
        if self.point is not None:
            lit[self.point] |= POINT
        return bytes(lit)


def places(face: ClockFace, side: Side) -> Places:
    """The four places of one side. A fallen flag blinks as a row of dashes with the zero."""
    ms = min(face.ms(side), _LONGEST_MS)
    colon = face.running != side or face.blink
    if face.flag == side and not face.blink:
        return Places("----", False)
    if 0 < ms < face.tenths_below_ms:
        tenths = -(-ms // 100)
        return Places(f"{tenths // 10:3d}{tenths % 10}", False, 2)
    seconds = -(-ms // 1000)
    if seconds >= 3600:
        return Places(f"{seconds // 3600:2d}{seconds // 60 % 60:02d}", colon)
    return Places(f"{seconds // 60:2d}{seconds % 60:02d}", colon)


def encode(text: str) -> bytes:
    """The segments of each letter; what cannot be drawn stays dark."""
    return bytes(_GLYPHS.get(letter, _GLYPHS.get(letter.swapcase(), 0)) for letter in text)


def decode(segments: bytes) -> str:
    """The letters of segments, points left out; "?" for no letter."""
    return "".join(_LETTERS.get(glyph & 0x7F, "?") for glyph in segments)


__all__ = ["POINT", "ClockFace", "Places", "decode", "encode", "places"]
