"""The kernel console's own 16 colours: every pair that is read together keeps its contrast, and the theme stands."""

from __future__ import annotations

import pytest

from kiosk.widgets import board, console, palette
from kiosk.widgets.face import first_theme


@pytest.mark.parametrize(("colour", "ground", "least"), palette.PAIRS)
def test_the_console_keeps_the_contrast_of_the_other_themes(colour: str, ground: str, least: float) -> None:
    assert palette.contrast(console.colour(colour), console.colour(ground)) >= least


def test_grounds_are_among_the_eight_that_a_console_with_512_signs_has() -> None:
    grounds = {"ground", "surface", "calm", "ask", "stop", "cursor", "hand", *palette.SQUARES}
    assert all(console.NAMES.index(console.ROLES[role]) < 8 for role in grounds)


def test_bold_writing_on_a_bar_stays_readable() -> None:
    """A console shows bold as the colour eight places further on."""
    for role, ground in (("on-ask", "ask"), ("on-stop", "stop"), ("on-cursor", "cursor"), ("on-calm", "calm")):
        number = console.NAMES.index(console.ROLES[role])
        bold = console.COLOURS[number if number >= 8 else number + 8]
        assert palette.contrast(bold, console.colour(ground)) >= 7


def test_squares_and_both_colours_of_pieces_differ() -> None:
    shown = {console.colour(role) for role in ("white-piece", "black-piece", *palette.SQUARES)}
    assert len(shown) == 6, "the two shades of the last move are one colour, all others differ"
    for square in palette.SQUARES:
        assert palette.contrast("#000000", console.colour(square)) >= 3


def test_every_role_has_a_colour() -> None:
    assert set(console.ROLES) == set(palette.ROLES)
    assert set(console.ROLES.values()) <= set(console.NAMES)


def test_the_board_has_no_selector_on_a_console_that_would_show_one() -> None:
    picture = board.BoardPicture("8/8/8/8/8/8/8/K6k")
    assert board.TEXT_SELECTOR not in board.draw(picture, (4, 2), console.THEME).plain
    assert board.TEXT_SELECTOR in board.draw(picture, (4, 2), "hall-dark").plain


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        ({"TERM": "linux"}, "hall-16"),
        ({"TERM": "xterm-256color"}, "hall-dark"),
        ({"TERM": "linux", "HALLKIOSK_THEME": "hall-console"}, "hall-console"),
        ({"TERM": "xterm", "HALLKIOSK_THEME": "mauve"}, "hall-dark"),
    ],
)
def test_a_face_begins_with_what_the_terminal_can_show(environment: dict[str, str], theme: str) -> None:
    assert first_theme(environment) == theme
