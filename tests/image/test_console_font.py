"""The console's fonts: 512 signs with all that the faces write, in each size; names in any script stay readable."""

from __future__ import annotations

from pathlib import Path

import pytest

from image import console_font as fonts
from image.console_font import Font, FontError

DRAWN = fonts.signs((fonts.HERE / "signs.txt").read_text("utf-8"))


def base(width: int, height: int) -> Font:
    """A font with the signs of Terminus, each a picture of its own number: what a glyph shows is not the point."""
    letters = [chr(code) for code in (*range(0x20, 0x7F), *range(0xA1, 0x17F), *range(0x400, 0x460))]
    frames = "".join(map(chr, range(0x2500, 0x2580)))
    greek = [chr(code) for code in range(0x391, 0x3D8)]
    names = [*letters, frames, "░", "▒", "█", *greek]
    names += [""] * (512 - len(names))
    return Font(width, height, tuple((number,) + (0,) * (height - 1) for number in range(512)), tuple(names))


@pytest.mark.parametrize("size", fonts.SIZES)
def test_all_pieces_are_drawn_apart_and_stay_in_their_cell(size: str) -> None:
    width, height = map(int, size.split("x"))
    shown = set()
    for letter in "KQRBNP":
        filled = DRAWN[size][letter]
        assert len(filled) == height
        assert max(filled).bit_length() <= width
        outlined = fonts.outline(filled, width)
        assert outlined != filled
        assert sum(map(int.bit_count, outlined)) < sum(map(int.bit_count, filled)), "less ink than the filled one"
        shown |= {filled, outlined}
    assert len(shown) == 12


@pytest.mark.parametrize("size", fonts.SIZES)
def test_a_font_of_ours_has_pieces_blocks_and_marks_among_512(size: str) -> None:
    width, height = map(int, size.split("x"))
    font = fonts.ours(base(width, height), DRAWN[size])
    assert len(font.glyphs) == len(font.names) == 512
    assert set(fonts.BLOCKS) | set("♔♕♖♗♘♙♚♛♜♝♞♟✓⚑○◀▶▲▼") <= font.has()
    assert font.of("♚") == DRAWN[size]["K"]
    for name in font.names:
        assert len(set(name)) == len(name)
    everywhere = "".join(font.names)
    assert all(everywhere.count(sign) == 1 for sign in fonts.BLOCKS), "no sign stands for two pictures"


def test_a_name_keeps_its_letters_where_an_accent_has_no_picture() -> None:
    font = fonts.ours(base(8, 16), DRAWN["8x16"])
    for strange, plain in (("ễ", "ê"), ("ị", "i"), ("Қ", "К"), ("ғ", "г"), ("Ŋ", "Ŋ"), ("ʼ", "")):
        if plain:
            assert font.of(strange) == font.of(plain), strange


def test_blocks_fill_their_part_of_a_cell() -> None:
    for width, height in ((8, 16), (12, 24), (16, 32)):
        full = (1 << width) - 1
        upper, lower = fonts.block("▀", width, height), fonts.block("▄", width, height)
        assert tuple(a ^ b for a, b in zip(upper, lower, strict=True)) == (full,) * height
        left, right = fonts.block("▌", width, height), fonts.block("▐", width, height)
        assert tuple(a ^ b for a, b in zip(left, right, strict=True)) == (full,) * height
        eighths = [sum(row == full for row in fonts.block(chr(0x2580 + n), width, height)) for n in range(1, 9)]
        assert eighths == [height * n // 8 for n in range(1, 9)]
        for one, other in (("▖", "▜"), ("▗", "▛"), ("▘", "▟"), ("▝", "▙"), ("▚", "▞")):
            pair = zip(fonts.block(one, width, height), fonts.block(other, width, height), strict=True)
            assert all(a ^ b == full for a, b in pair)


def test_a_cyrillic_i_is_no_latin_u() -> None:
    shape = (0, 0, 0b00100100, 0b00011000, 0, *[0b01000010] * 6, 0b00111110, 0, 0, 0, 0)
    plain = tuple(row if y > 3 else 0 for y, row in enumerate(shape))
    before = base(8, 16)
    glyphs = list(before.glyphs)
    for sign, glyph in (("u", plain), ("и", plain), ("й", shape)):
        glyphs[before.names.index(sign)] = glyph
    font = fonts.ours(Font(8, 16, tuple(glyphs), before.names), DRAWN["8x16"])
    made = font.of("и")
    assert font.of("u") == plain
    assert made is not None
    slant = [row & ~0b01000010 for row in made[6:11]]
    assert slant == sorted(slant), "from the upper right to the lower left"
    assert (slant[0], slant[-1]) == (0b00000100, 0b00100000)
    assert all(row & 0b01000010 == 0b01000010 for row in made[5:12]), "both stems go all the way"
    assert font.of("й") == (*shape[:5], *made[5:])


def test_a_font_written_is_the_font_read() -> None:
    font = fonts.ours(base(12, 24), DRAWN["12x24"])
    assert fonts.read(fonts.write(font)) == font


def test_what_is_no_font_is_refused() -> None:
    with pytest.raises(FontError):
        fonts.read(b"GIF89a")
    with pytest.raises(FontError, match="line 3"):
        fonts.signs("size 8x16 2\nsign K\n..#\n")


def test_terminus_takes_every_sign_of_the_faces(tmp_path: Path) -> None:
    source = Path("/usr/share/consolefonts")
    if not all((source / name).exists() for name in fonts.SIZES.values()):
        pytest.skip(
            "Terminus is not on this machine (apt install console-setup-linux); the image's build checks the same"
        )
    fonts.make_all(source, tmp_path)
    for size in fonts.SIZES:
        font = fonts.read((tmp_path / f"hall-{size}.psf").read_bytes())
        assert not set(fonts.faces_signs(fonts.HERE.parent / "kiosk")) - font.has()
    assert len((tmp_path / "palette").read_text().splitlines()) == 3
