"""Every state of both faces as text in three sizes, its signs, its colours.

After a wanted change: `HALLKIOSK_UPDATE_SNAPSHOTS=1 pytest tests/kiosk/test_screen_and_desk_pictures.py`, then look at
the difference, and at the pictures of `python -m tests.kiosk.pictures FOLDER`.
"""

from __future__ import annotations

import asyncio
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment
from textual.app import App

from kiosk.widgets import palette
from kiosk.widgets.board import PIECES, SPRITES, BoardPicture, draw
from kiosk.widgets.digits import FONTS, big, size_for
from tests.kiosk import pictures, quick, states

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"
UPDATE = os.environ.get("HALLKIOSK_UPDATE_SNAPSHOTS") == "1"

#: Signs that DejaVu Sans Mono has; letters of the Latin and Cyrillic scripts come on top.
SIGNS = set("½·…—×“”•↑↓\ufe0e\n") | set(map(chr, range(0x20, 0x7F)))
FRAMES = {chr(n) for n in range(0x2500, 0x2580)}
BLOCKS = set(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
#: A kernel console's font has no pieces and of the blocks only the full one.
CONSOLE = {"█"} | FRAMES

Faces = dict[str, Any]
#: States in which between them all colours occur.
TELLING = {
    "screen": ("offer", "paused", "result", "chair-no"),
    "desk": ("running", "silent", "standings", "refused"),
}
#: More of them, with all signs.
SIGNED = {"screen": ("short", "chair-cursor"), "desk": ("board", "ruling", "refused", "actions")}
FACES: Faces = {"screen": states.tables, "desk": states.halls}


def seen(face: str, theme: str, size: tuple[int, int], look: Callable[[Any, App[Any]], Any], *only: str) -> Faces:
    """What `look` finds in each state of a face (or only in these)."""

    async def run() -> dict[str, Any]:
        return {
            f"{face}-{state.name}-{size[0]}x{size[1]}": look(state, app)
            async for state, app in FACES[face](size, theme, only)
        }

    with states.utc(), quick.waiting(painted=True):
        return asyncio.run(run())


def foreign(text: str, allowed: set[str]) -> set[str]:
    """Signs that are not allowed."""
    return {
        sign
        for sign in text
        if sign not in allowed and not (sign.isalpha() and unicodedata.name(sign).startswith(("LATIN", "CYRILLIC")))
    }


def kept() -> dict[str, str]:
    """The states as they were signed off."""
    return {
        path.stem: path.read_text(encoding="utf-8")
        for face in FACES
        for path in sorted(SNAPSHOTS.glob(f"{face}-*.txt"))
    }


def test_every_screen_looks_as_it_was_signed_off() -> None:
    texts = {
        name: text
        for face in FACES
        for size in states.SIZES
        for name, text in seen(face, "hall-dark", size, lambda _state, app: pictures.text(app)).items()
    }
    if UPDATE:
        SNAPSHOTS.mkdir(exist_ok=True)
        for old in kept():
            (SNAPSHOTS / f"{old}.txt").unlink()
        for name, text in texts.items():
            (SNAPSHOTS / f"{name}.txt").write_text(text, encoding="utf-8")
    signed = kept()
    assert set(signed) == set(texts)
    for name, text in texts.items():
        assert text == signed[name], name


def test_no_sign_outside_the_list_is_used() -> None:
    allowed = SIGNS | FRAMES | BLOCKS | set(PIECES.values())
    assert {name: found for name, text in kept().items() if (found := foreign(text, allowed))} == {}


def test_every_line_fits_the_window() -> None:
    for name, text in kept().items():
        width, height = map(int, name.rsplit("-", 1)[1].split("x"))
        lines = text.splitlines()
        assert len(lines) == height, name
        assert max(Segment(line).cell_length for line in lines) <= width, name


@pytest.mark.parametrize("face", FACES)
def test_sixteen_colours_and_a_console_font_are_enough(face: str) -> None:
    def look(_state: Any, app: App[Any]) -> tuple[str, list[str]]:
        colours = [
            str(colour)
            for strip in pictures.strips(app)
            for segment in strip
            for colour in (segment.style and segment.style.color, segment.style and segment.style.bgcolor)
            if colour is not None and colour.triplet is not None
        ]
        return pictures.text(app), colours

    for name, (text, colours) in seen(face, "hall-16", (80, 24), look, *TELLING[face], *SIGNED[face]).items():
        assert foreign(text, SIGNS - {"\ufe0e"} | CONSOLE) == set(), name
        assert colours == [], name


@pytest.mark.parametrize("theme", [name for name in palette.PALETTES if name != "hall-16"])
def test_every_pair_of_colours_keeps_its_contrast(theme: str) -> None:
    colours = palette.PALETTES[theme]
    assert set(colours) == set(palette.ROLES)
    for ink, ground, least in palette.PAIRS:
        assert palette.contrast(colours[ink], colours[ground]) >= least, (ink, ground)
    squares = ("white-piece",) if theme in palette.REVERSED else palette.SQUARES
    for ground in squares:
        assert palette.contrast(colours["black-piece"], colours[ground]) >= 3, ground


def test_contrast_is_computed_as_everybody_does() -> None:
    assert palette.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [name for name in palette.PALETTES if name != "hall-16"])
@pytest.mark.parametrize("face", FACES)
def test_all_text_on_the_screen_can_be_read(face: str, theme: str) -> None:
    def look(state: Any, app: App[Any]) -> set[tuple[str, str, str]]:
        if getattr(state, "dialog", False):
            return set()  # what lies behind a dialog is dimmed on purpose
        poor = set()
        for strip in pictures.strips(app):
            for segment in strip:
                style = segment.style
                if style is None or style.color is None or style.bgcolor is None:
                    continue
                if not any(sign.isalnum() or sign in "#!?=~>" for sign in segment.text):
                    continue
                ink, ground = style.color.triplet, style.bgcolor.triplet
                # The letter beside a piece's sign is part of the picture, like the sign.
                least = 3.0 if segment.text in PIECES else 4.5
                if ink is not None and ground is not None and palette.contrast(ink.hex, ground.hex) < least:
                    poor.add((segment.text.strip(), ink.hex, ground.hex))
        return poor

    found = seen(face, theme, (80, 24), look, *TELLING[face])
    assert {name: poor for name, poor in found.items() if poor} == {}


@pytest.mark.parametrize("tall", FONTS)
def test_digits_are_as_tall_as_promised_and_all_different(tall: int) -> None:
    pictured = {sign: big(sign, tall, 200) for sign in "0123456789"}
    assert all(len(lines) == tall for lines in pictured.values())
    assert len({*pictured.values()}) == 10
    assert all(set("".join(lines)) <= {" ", "█"} for lines in pictured.values())
    for sign, picture in FONTS[tall].items():
        lines = picture.split()
        assert len(lines) == tall, sign
        assert len({len(line) for line in lines}) == 1, sign


@pytest.mark.parametrize(("width", "tall"), [(38, 5), (48, 7), (78, 9), (30, 0)])
def test_the_tallest_digits_that_fit_are_taken(width: int, tall: int) -> None:
    assert size_for(width, 9) == tall


def test_two_colours_of_pieces_differ_without_any_colour() -> None:
    for size in ((3, 1), (4, 2), (6, 3)):
        white = draw(BoardPicture("K7/8/8/8/8/8/8/8"), size, "hall-dark").plain
        black = draw(BoardPicture("k7/8/8/8/8/8/8/8"), size, "hall-dark").plain
        assert white != black
        assert "•" in black


def test_all_large_pieces_differ() -> None:
    assert len({*SPRITES.values()}) == 6
    assert all(len(line) == 6 for sprite in SPRITES.values() for line in sprite)
