"""The console's fonts: Terminus, with pieces, all block elements and a few marks in place of Greek and mathematics.

A Linux console has 512 glyphs at most. Kept are Latin, Cyrillic (with all of Serbian), frames and arrows. Letters that
have no glyph are shown by their nearest one (ễ as ê, Қ as К), since a name without its accent is still a name.
"""

from __future__ import annotations

import gzip
import struct
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kiosk.widgets.console import COLOURS

HERE = Path(__file__).parent
#: Our name → Terminus' file.
SIZES: Mapping[str, str] = {
    "8x16": "Uni2-Terminus16.psf.gz",
    "12x24": "Uni2-Terminus24x12.psf.gz",
    "16x32": "Uni2-Terminus32x16.psf.gz",
}
#: Filled pieces (the faces use these) and outlined ones, king to pawn.
FILLED = dict(zip("KQRBNP", "♚♛♜♝♞♟", strict=True))
OUTLINED = dict(zip("KQRBNP", "♔♕♖♗♘♙", strict=True))
#: U+2580 to U+259F: the block elements.
BLOCKS = "".join(chr(code) for code in range(0x2580, 0x25A0))
_QUARTERS = dict(zip("▖▗▘▙▚▛▜▝▞▟", ("3", "4", "1", "134", "14", "123", "124", "2", "23", "234"), strict=True))
#: Every sign that must be there, besides what the faces' sources contain.
REQUIRED = (
    "".join(map(chr, range(0x20, 0x7F)))
    + "".join(map(chr, (*range(0xA1, 0xAD), *range(0xAE, 0x180))))
    + "ȘșȚț"
    + "".join(map(chr, range(0x400, 0x460)))
    + "Ґґ"
    + "".join(map(chr, range(0x2500, 0x2580)))
    + BLOCKS
    + "".join(FILLED.values())
    + "".join(OUTLINED.values())
    + "½¼¾×·•…–—‘’‚“”„«»€№←↑→↓↔✓✗⚑○●◀▶▲▼■"
)
#: Letters without a decomposition → the nearest glyph.
NEAREST: Mapping[str, str] = dict(
    zip(
        "ĦħŊŋŦŧĸſĿŀŉĲĳƏəƎǝƠơƯưȺɓɗƁƊҒғҖҗҘҙҚқҜҝҠҡҢңҤҥҪҫҬҭҮүҰұҲҳҴҵҶҷҸҹҺһҼҽӀӘәӨөӐӑ",
        "HhNnTtkfLlnIiEeEeOoUuAbdBDГгЖжЗзКкКкКкНнНнСсТтYyYyХхЦцЧчЧчHhЧчІÄäÖöАа",
        strict=True,
    )
)
_EXPENDABLE = "☺☻♦☼‼↨∟₧⌐∩≡⌠⌡≈ⁿ₮∈∅‖‗∧∨∪⌂⇐⇑⇒⇓⇔⇕∞≥≤√∙ƒˇ˘˙˛˝ˉˆ˜′″↵≠∆↕ĈĉĊċĜĝĠġĤĥĦħĴĵŜŝŬŭŴŵŶŷṀṁ"
#: Letters, dashes and narrow spaces that are shown by their nearest sign if they have none.
_LETTERS = (*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x1F00), *range(0x2010, 0x2016), 0x2009, 0x202F)
_MAGIC_1, _MAGIC_2 = b"\x36\x04", b"\x72\xb5\x4a\x86"
_HEADER_2 = struct.Struct("<8I")

Glyph = tuple[int, ...]


class FontError(Exception):
    """A font that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class Font:
    """A console font: `glyphs[i]`, rows of bits with the leftmost pixel highest, is shown for all of `names[i]`."""

    width: int
    height: int
    glyphs: tuple[Glyph, ...]
    names: tuple[str, ...]

    def of(self, sign: str) -> Glyph | None:
        """The picture of a sign; None if the console would show a question mark."""
        for glyph, name in zip(self.glyphs, self.names, strict=True):
            if sign in name:
                return glyph
        return None

    def has(self) -> frozenset[str]:
        """All signs it can show."""
        return frozenset("".join(self.names))


def make_all(source: Path, out: Path) -> None:
    """Write `hall-SIZE.psf` for every size, and the palette, from Terminus' files in `source`.

    Raises:
        FontError: a file is no console font, or a sign of the faces found no place.
    """
    drawn = signs((HERE / "signs.txt").read_text("utf-8"))
    wanted = faces_signs(HERE.parent / "kiosk")
    for size, name in SIZES.items():
        font = ours(read(gzip.decompress((source / name).read_bytes())), drawn[size])
        missing = sorted(set(REQUIRED + wanted) - font.has())
        if missing:
            raise FontError(f"The console font {size} lacks {' '.join(missing)}")
        # Bare: setfont starts two programs to unpack one, and the root is packed anyway.
        (out / f"hall-{size}.psf").write_bytes(write(font))
    (out / "palette").write_text(palette(COLOURS), "ascii")


def faces_signs(kiosk: Path) -> str:
    """Every sign beyond ASCII in the sources and catalogues of the faces; selectors take no place on a console."""
    found: set[str] = set()
    for folder in ("widgets", "screen", "desk", "locale"):
        for path in (kiosk / folder).rglob("*"):
            if path.suffix in (".py", ".tcss", ".po"):
                found.update(sign for sign in path.read_text("utf-8") if ord(sign) > 0x7E)
    return "".join(sorted(sign for sign in found if not unicodedata.category(sign).startswith(("M", "C", "Z"))))


def ours(base: Font, drawn: Mapping[str, Glyph]) -> Font:
    """`base` with the drawn signs and the blocks in the place of what may go, and names of letters' nearest glyphs.

    Raises:
        FontError: there are more new signs than places.
    """
    new: dict[str, Glyph] = {}
    for letter, sign in FILLED.items():
        new[sign] = drawn[letter]
        new[OUTLINED[letter]] = outline(drawn[letter], base.width)
    for sign in BLOCKS:
        if sign not in "░▒█":
            new[sign] = block(sign, base.width, base.height)
    new |= {sign: glyph for sign, glyph in drawn.items() if sign not in FILLED}
    new |= {sign: triangle(sign, base.width, base.height) for sign in "◀▶▲▼"}
    glyphs, names = list(base.glyphs), [_without(name, new) for name in base.names]
    places = [at for at, name in enumerate(names) if all(map(_may_go, name))]
    if len(places) < len(new):
        raise FontError(f"{len(new)} new signs, but only {len(places)} places for them.")
    for at, (sign, glyph) in zip(places, sorted(new.items()), strict=False):
        glyphs[at], names[at] = glyph, sign
    if "и" in names:
        body = upright(glyphs[names.index("и")], base.width)
        top = next((y for y, row in enumerate(body) if row), len(body))
        for at, name in enumerate(names):
            if name in ("и", "й", "ѝ"):
                glyphs[at] = (*glyphs[at][:top], *body[top:])
    return _nearest(replace(base, glyphs=tuple(glyphs), names=tuple(names)))


def _without(name: str, new: Mapping[str, Glyph]) -> str:
    return "".join(sign for sign in name if sign not in new)


def _may_go(sign: str) -> bool:
    return sign in _EXPENDABLE or 0x370 <= ord(sign) < 0x400 or 0x1F00 <= ord(sign) < 0x2000


def _nearest(font: Font) -> Font:
    """Give letters without a glyph to the nearest one: without one accent, without all, or by the table."""
    place = {sign: at for at, name in enumerate(font.names) for sign in name}
    names = list(font.names)
    for code in (
        *range(0xC0, 0x250),
        *range(0x370, 0x530),
        *range(0x1E00, 0x1F00),
        *range(0x2010, 0x2016),
        0x202F,
        0x2009,
    ):
        sign = chr(code)
        if sign in place:
            continue
        for other in _simpler(sign):
            if other in place:
                names[place[other]] += sign
                break
    return replace(font, names=tuple(names))


def _simpler(sign: str) -> Iterator[str]:
    """Other signs that may stand for `sign`, the nearest first."""
    if sign in NEAREST:
        yield NEAREST[sign]
    if sign.isspace():
        yield " "
    if unicodedata.category(sign) == "Pd":
        yield "-"
    parts = unicodedata.normalize("NFD", sign)
    for accent in reversed(parts[1:]):
        yield unicodedata.normalize("NFC", parts.replace(accent, "", 1))
    for end in range(len(parts) - 1, 0, -1):
        yield unicodedata.normalize("NFC", parts[:end])


def upright(letter: Glyph, width: int) -> Glyph:
    """A Cyrillic и with a slanting stroke, as in print, from Terminus' own that looks like a Latin u."""
    inked = [y for y, row in enumerate(letter) if row]
    if len(inked) < 5:
        return letter
    top, bottom = inked[0], inked[-1]
    first = f"{letter[top]:0{width}b}"
    left, right = first.index("1"), first.rindex("1")
    stroke = len(first[left:].split("0")[0])
    rows = list(letter)
    for y in range(top, bottom + 1):
        # Joins the stems' inner edges, as in the capital.
        slant = round(right - stroke + 1 - (y - top) * (right - stroke + 1 - left) / (bottom - top))
        places = {left, right - stroke + 1, min(max(slant, left), right - stroke + 1)}
        rows[y] = sum(1 << (width - 1 - x) for x in {place + i for place in places for i in range(stroke)})
    return tuple(rows)


def block(sign: str, width: int, height: int) -> Glyph:
    """A block element, drawn so that neighbours touch."""
    full = (1 << width) - 1
    code = ord(sign)

    def band(top: int, bottom: int, row: int = full) -> Glyph:
        return tuple(row if top <= y < bottom else 0 for y in range(height))

    def left(columns: int) -> int:
        return full & ~((1 << (width - columns)) - 1)

    half = width // 2
    if sign == "▓":
        return tuple(full & ~(0x5555_5555 if y % 2 else 0) for y in range(height))
    if sign in _QUARTERS:
        rows = [0] * height
        for quarter in _QUARTERS[sign]:
            row = left(half) if quarter in "13" else full & ~left(half)
            for y in range(height // 2) if quarter in "12" else range(height // 2, height):
                rows[y] |= row
        return tuple(rows)
    if sign == "▀":
        return band(0, height // 2)
    if sign == "▔":
        return band(0, max(1, height // 8))
    if sign == "▐":
        return band(0, height, full & ~left(half))
    if sign == "▕":
        return band(0, height, full & ~left(width - max(1, width // 8)))
    if 0x2581 <= code <= 0x2588:
        return band(height - round((code - 0x2580) * height / 8), height)
    if 0x2589 <= code <= 0x258F:
        return band(0, height, left(max(1, round((0x2590 - code) * width / 8))))
    raise FontError(f"{sign} is no block element.")


def triangle(sign: str, width: int, height: int) -> Glyph:
    """A filled triangle in the middle of the cell; Terminus shows these four as arrows."""
    size = width - 2
    top = (height - size) // 2
    rows = [0] * height
    for i in range(size):
        near = round((i + 0.5) * (size / 2) / size + 0.5)
        if sign in "▲▼":
            row = ((1 << 2 * near) - 1) << (width // 2 - near)
            rows[top + (i if sign == "▲" else size - 1 - i)] = row
        else:
            length = 2 * min(i + 1, size - i)
            row = ((1 << length) - 1) << (1 if sign == "◀" else width - 1 - length)
            rows[top + i] = row
    return tuple(rows)


def outline(filled: Glyph, width: int) -> Glyph:
    """The outlined piece of a filled one: its edge, and ink where the filled one has holes."""
    height = len(filled)
    ink = [[bool(row >> (width - 1 - x) & 1) for x in range(width)] for row in filled]
    outside = _outside(ink, width, height)
    # On large cells letters have strokes of two pixels; corners counted as neighbours make the edge as strong.
    near = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if 0 < abs(dx) + abs(dy) <= (2 if width >= 16 else 1)]
    rows = []
    for y in range(height):
        row = 0
        for x in range(width):
            around = ((x + dx, y + dy) for dx, dy in near)
            edge = any(not (0 <= i < width and 0 <= j < height) or outside[j][i] for i, j in around)
            hole = not ink[y][x] and not outside[y][x]
            row = row << 1 | int((ink[y][x] and edge) or hole)
        rows.append(row)
    return tuple(rows)


def _outside(ink: Sequence[Sequence[bool]], width: int, height: int) -> list[list[bool]]:
    """Which blank pixels are joined with the cell's edge."""
    out = [[False] * width for _ in range(height)]
    todo = [(x, y) for y in range(height) for x in range(width) if x in (0, width - 1) or y in (0, height - 1)]
    while todo:
        x, y = todo.pop()
        if 0 <= x < width and 0 <= y < height and not ink[y][x] and not out[y][x]:
            out[y][x] = True
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return out


def signs(text: str) -> dict[str, dict[str, Glyph]]:
    """The drawn signs of `signs.txt`: size → sign or piece letter → glyph.

    Raises:
        FontError: names the line that is not as it should be.
    """
    out: dict[str, dict[str, Glyph]] = {}
    size, first, width, height, sign = "", 0, 0, 0, ""
    rows: dict[tuple[str, str], list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0] == "#" or line.startswith("# "):
            continue
        if words[0] == "size":
            size, first = words[1], int(words[2])
            width, height = map(int, size.split("x"))
            out[size] = {}
        elif words[0] == "sign":
            sign = words[1]
            rows[size, sign] = [0] * first
        elif len(line) == width and set(line) <= {"#", "."}:
            rows[size, sign].append(int(line.replace("#", "1").replace(".", "0"), 2))
        else:
            raise FontError(f"signs.txt, line {number}: a row of {width} signs # and . was expected.")
    for (size, sign), lines in rows.items():
        height = int(size.split("x")[1])
        if len(lines) > height:
            raise FontError(f"signs.txt: {sign} of {size} has {len(lines)} rows.")
        out[size][sign] = tuple(lines) + (0,) * (height - len(lines))
    return out


def read(data: bytes) -> Font:
    """A PSF font (version 1 or 2) with its table of names.

    Raises:
        FontError: it is none, or has no table.
    """
    if data[:2] == _MAGIC_1:
        mode, height = data[2], data[3]
        count, width, start, size = (512 if mode & 1 else 256), 8, 4, height
        if not mode & 6:
            raise FontError("The font has no table of names.")
        names = tuple(_names_1(data[start + count * size :]))
    elif data[:4] == _MAGIC_2:
        _, _, start, flags, count, size, height, width = _HEADER_2.unpack(data[:32])
        if not flags & 1:
            raise FontError("The font has no table of names.")
        table = data[start + count * size :].split(b"\xff")[:count]
        names = tuple(entry.split(b"\xfe")[0].decode("utf-8") for entry in table)
    else:
        raise FontError("That is no PSF font.")
    per_row = (width + 7) // 8
    glyphs = []
    for at in range(count):
        bits = data[start + at * size : start + (at + 1) * size]
        rows = (bits[i : i + per_row] for i in range(0, size, per_row))
        glyphs.append(tuple(int.from_bytes(row, "big") >> (per_row * 8 - width) for row in rows))
    return Font(width, height, tuple(glyphs), names)


def _names_1(table: bytes) -> Iterator[str]:
    """Names of version 1: 16 bits each, FFFF ends a glyph's, FFFE begins sequences (which a console does not use)."""
    name, sequence = "", False
    for (code,) in struct.iter_unpack("<H", table):
        if code == 0xFFFF:
            yield name
            name, sequence = "", False
        elif code == 0xFFFE:
            sequence = True
        elif not sequence:
            name += chr(code)


def write(font: Font) -> bytes:
    """A PSF font, version 2, with its table of names."""
    per_row = (font.width + 7) // 8
    size = per_row * font.height
    header = _HEADER_2.pack(0x864AB572, 0, 32, 1, len(font.glyphs), size, font.height, font.width)
    shift = per_row * 8 - font.width
    bits = b"".join((row << shift).to_bytes(per_row, "big") for glyph in font.glyphs for row in glyph)
    return header + bits + b"".join(name.encode("utf-8") + b"\xff" for name in font.names)


def palette(colours: Iterable[str]) -> str:
    """Sixteen `#rrggbb` as the three lines that setvtrgb reads."""
    values = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]
    return "".join(",".join(str(value[part]) for value in values) + "\n" for part in range(3))
