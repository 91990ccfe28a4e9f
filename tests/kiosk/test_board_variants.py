"""Hundreds of situations at the board, beside the cases that were reported: all of them are judged as people would."""

from __future__ import annotations

import pytest

from kiosk.replay_board import replay
from tests.kiosk.board_variants import Case, cases

CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_variant(name: str) -> None:
    case: Case = CASES[name]
    answer = replay(case)
    assert answer["pass"], (case["expect"], answer)
