"""The whole-game campaign: varied games by human hands through the driver, the observer and the Laws, in virtual time.

Without faults every game is recorded exactly, on every kind of board: what a board that sees squares only cannot know
(what a pawn became, which of two captures it was) is asked while play goes on. With a fault a game is exact, or people
were told or asked; never wrong and never short in silence. `make test` plays a small share, `make soak` all of it:

    HALLKIOSK_CAMPAIGN_GAMES   games of each kind of board (500)
    HALLKIOSK_CAMPAIGN_JSON    a file for the numbers
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.campaign.boards import KINDS
from tests.drivers.campaign.run import outcomes, summary, table
from tests.drivers.campaign.table import Outcome, Played

GAMES = int(os.environ.get("HALLKIOSK_CAMPAIGN_GAMES", "500"))


def not_exact(found: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in found if outcome.verdict != "exact"]


def wrong_or_silent(found: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in found if outcome.verdict in ("wrong", "silent")]


def waited(found: list[Outcome]) -> list[int]:
    """How long moves took to be certain, from their press or the last that the board has told (ms), in order."""
    return sorted(wait.told for outcome in found for wait in outcome.waits)


def middle(times: list[int]) -> int:
    """Their median."""
    return times[len(times) // 2]


@pytest.mark.parametrize("kind", KINDS)
def test_two_games_on_every_kind_of_board(kind: str) -> None:
    """One as in a hall, one sharp: exact, and certain as soon as the board has told all."""
    found = [Played(kind, number).play() for number in (3, 6)]
    assert not_exact(found) == []
    assert middle(waited(found)) <= 100


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_with_a_fault_on_every_kind_of_board(kind: str) -> None:
    assert wrong_or_silent(outcomes(kind, [7], faults=True)) == []


@pytest.fixture(scope="module")
def numbers() -> Iterator[list[tuple[bool, Outcome]]]:
    """Everything that was played, told at the end as a table by kind of board and by fault."""
    played: list[tuple[bool, Outcome]] = []
    yield played
    if not played:
        return
    plain = [outcome for faulty, outcome in played if not faulty]
    faulty = [outcome for faulty, outcome in played if faulty]
    rows = {"plain": summary(plain), "faults": summary(faulty), "by fault": summary(faulty, "fault")}
    print("\n" + "\n\n".join(f"{name}\n{table(found)}" for name, found in rows.items() if found))
    if os.environ.get("HALLKIOSK_CAMPAIGN_JSON"):
        Path(os.environ["HALLKIOSK_CAMPAIGN_JSON"]).write_text(json.dumps(rows, indent=1), encoding="utf-8")


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_every_game_is_recorded_exactly(kind: str, numbers: list[tuple[bool, Outcome]]) -> None:
    found = outcomes(kind, range(GAMES), faults=False)
    numbers += [(False, outcome) for outcome in found]
    assert not_exact(found) == []
    assert middle(waited(found)) <= 100


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_with_faults_nothing_is_wrong_and_nothing_silent(kind: str, numbers: list[tuple[bool, Outcome]]) -> None:
    found = outcomes(kind, range(GAMES), faults=True)
    numbers += [(True, outcome) for outcome in found]
    assert wrong_or_silent(found) == []
