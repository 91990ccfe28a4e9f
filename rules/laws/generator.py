"""Generated games: legal, varied, seeded scripts for the simulated players of a hall. This is the door to all of it.

`script` plays one game of an event, `script_from_moves` turns a game from PGN into a script, `features` says what a
script shows, `covering` finds a few games that show everything. Same arguments, same script, on every Python version.

Behind the door: `generator_script` (the values, thinking times, behaviour), `generator_openings` (the book),
`generator_playout` (two light-headed players), `generator_games` (dealing and playing), `generator_coverage`.
"""

from rules.laws.generator_coverage import (
    ALL_FEATURES,
    BEHAVIOURS,
    ENDING_FEATURES,
    MOVE_FEATURES,
    covering,
    features,
)
from rules.laws.generator_games import DEALT, ENDING_KINDS, deal, script, script_from_moves, white_wins_percent
from rules.laws.generator_improvise import improvise
from rules.laws.generator_script import After, Ending, EndingKind, GameScript, Outcome, Refusal, Step

__all__ = [
    "ALL_FEATURES",
    "BEHAVIOURS",
    "DEALT",
    "ENDING_FEATURES",
    "ENDING_KINDS",
    "MOVE_FEATURES",
    "After",
    "Ending",
    "EndingKind",
    "GameScript",
    "Outcome",
    "Refusal",
    "Step",
    "covering",
    "deal",
    "features",
    "improvise",
    "script",
    "script_from_moves",
    "white_wins_percent",
]
