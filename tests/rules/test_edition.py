"""Editions are tables: what the numbers are, how regulations set them, and that nothing else holds them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from rules.laws import game
from rules.laws.edition import EDITIONS, EditionError, Penalty, SetupError, edition_of, nth, setup_remedy
from rules.laws.periods import TimeClass

MINUTE = 60_000


@pytest.mark.parametrize(
    ("name", "time_class", "bonus", "window", "stops"),
    [
        ("", "standard", 2 * MINUTE, "game", True),
        ("", "rapid", MINUTE, "next-move", False),
        ("", "blitz", MINUTE, "next-move", False),
        ("fide2023-supervised", "standard", 2 * MINUTE, "game", True),
        ("fide2023-supervised", "rapid", MINUTE, "game", True),
        ("fide2023-supervised", "blitz", 2 * MINUTE, "game", True),
        ("club1997", "blitz", 0, "touch", False),
    ],
)
def test_the_table_of_illegal_moves(name: str, time_class: TimeClass, bonus: int, window: str, stops: bool) -> None:
    edition = edition_of(name, time_class)
    assert (edition.illegal_bonus_ms, edition.illegal_window) == (bonus, window)
    assert ("not-a-move" in edition.illegal_stops) is stops
    assert "no-move" in edition.illegal_stops  # a board that missed a move looks the same
    assert edition.illegal_loses == (1 if name == "club1997" else 2)


def test_every_edition_answers_every_question() -> None:
    for table in EDITIONS.values():
        assert set(table) == set(get_args(TimeClass))
        for edition in table.values():
            assert set(edition.setup) == set(get_args(SetupError))
            assert edition.flag_called_by


def test_regulations_may_set_numbers() -> None:
    edition = edition_of("fide2023-supervised illegal_bonus_ms=60000 default_ms=1800000 start_by=press", "blitz")
    assert (edition.illegal_bonus_ms, edition.default_ms, edition.start_by) == (60_000, 1_800_000, "press")
    assert edition_of("fide2023-supervised", "blitz").illegal_bonus_ms == 120_000


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fide2031", "fide2023, fide2023-supervised, club1997"),
        ("fide2023 bonus=5", "bonus=5"),
        ("fide2023 illegal_bonus_ms=much", "illegal_bonus_ms=much"),
        ("fide2023 start_by=horn", "arbiter|press"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(text: str, names: str) -> None:
    with pytest.raises(EditionError) as error:
        edition_of(text, "blitz")
    assert names in str(error.value)


@pytest.mark.parametrize(
    ("name", "time_class", "error", "early", "late"),
    [
        ("", "standard", "position", "new-game", "new-game"),
        ("", "standard", "board-turned", "transfer", "transfer"),
        ("", "standard", "colours", "new-game", "play-on"),
        ("", "blitz", "position", "new-game", "play-on"),
        ("", "rapid", "clock", "correct", "play-on"),
        ("club1997", "blitz", "colours", "play-on", "play-on"),
    ],
)
def test_complaints_about_the_set_up_have_their_time(
    name: str, time_class: TimeClass, error: SetupError, early: str, late: str
) -> None:
    edition = edition_of(name, time_class)
    assert setup_remedy(edition, error, 0) == early
    limit = 3 if name == "club1997" else 10
    assert setup_remedy(edition, error, limit - 1) == early
    assert setup_remedy(edition, error, limit) == late


def test_a_ladder_stays_on_its_last_step() -> None:
    ladder = edition_of("club1997", "blitz").ladder
    assert [nth(ladder, count) for count in (1, 2, 3, 7)] == [
        Penalty("warning"),
        Penalty("time", MINUTE),
        Penalty("loss"),
        Penalty("loss"),
    ]
    assert nth(edition_of("", "blitz").ladder, 1) is None  # 12.9 knows no order


def test_no_number_of_the_laws_stands_outside_the_tables() -> None:
    """Whoever wants another edition edits one table: minutes and ten moves are written nowhere else in the game."""
    folder = Path(game.__file__).parent
    for path in folder.glob("game*.py"):
        if path.stem == "game_time":
            continue  # ms of a minute, for words
        numbers = {
            node.value for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Constant)
        }
        assert not numbers & {60_000, 120_000, 10, 75, 50}, path
