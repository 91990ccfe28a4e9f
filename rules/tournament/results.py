"""All results a board can have, as a table: points, letters of the report, what they count for.

A code is what an arbiter types; `score` is how it stands in the log. Whether a result was played over the board and
whether it is rated are properties of the code, so a forfeited draw or a mixture of played and forfeited cannot be
written down at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rules.tournament.regulations import Regulations

#: Results of a board: those a table can report, and the halves an arbiter can give (C.07, Laws 12.9.6 and 12.9.7).
BoardScore = Literal["1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2"]
Value = Literal["win", "draw", "loss", "absent"]


@dataclass(frozen=True, slots=True)
class ResultCode:
    """One result: what White and Black get, and their letters in the report.

    `played`: it counts as a meeting and for the colours (C.04.2 3.4, 3.5). `rated`: it goes to rating; a game of less
    than one move does not.
    """

    code: str
    score: BoardScore
    white: Value
    black: Value
    letters: tuple[str, str]
    played: bool = True
    rated: bool = True


_TABLE = (
    ResultCode("1-0", "1-0", "win", "loss", ("1", "0")),
    ResultCode("0-1", "0-1", "loss", "win", ("0", "1")),
    ResultCode("1/2-1/2", "1/2-1/2", "draw", "draw", ("=", "=")),
    ResultCode("0-0", "0-0", "loss", "loss", ("0", "0")),
    ResultCode("1/2-0", "1/2-0", "draw", "loss", ("=", "0")),
    ResultCode("0-1/2", "0-1/2", "loss", "draw", ("0", "=")),
    ResultCode("1-0F", "1-0", "win", "absent", ("+", "-"), played=False, rated=False),
    ResultCode("0-1F", "0-1", "absent", "win", ("-", "+"), played=False, rated=False),
    ResultCode("0-0F", "0-0", "absent", "absent", ("-", "-"), played=False, rated=False),
    ResultCode("1-0U", "1-0", "win", "loss", ("W", "L"), rated=False),
    ResultCode("0-1U", "0-1", "loss", "win", ("L", "W"), rated=False),
    ResultCode("1/2-1/2U", "1/2-1/2", "draw", "draw", ("D", "D"), rated=False),
)
#: Code → result. F: forfeited, U: unrated, because it took less than one move.
CODES: Mapping[str, ResultCode] = {entry.code: entry for entry in _TABLE}
_BY_FACTS: Mapping[tuple[str, bool, bool], ResultCode] = {(e.score, e.played, e.rated): e for e in _TABLE}


def code_of(score: str, forfeit: bool, rated: bool = True) -> ResultCode | None:
    """The result with these facts, None if there is no such result (a forfeited draw, an unrated 0-0)."""
    return _BY_FACTS.get((score, not forfeit, rated and not forfeit))


def half_points(regulations: Regulations | None, result: ResultCode) -> tuple[int, int]:
    """White's and Black's half-points under these regulations; absence is worth nothing."""
    if regulations is None:
        values: Mapping[str, int] = {"win": 2, "draw": 1, "loss": 0, "absent": 0}
    else:
        values = {
            "win": regulations.win_half_points,
            "draw": regulations.draw_half_points,
            "loss": regulations.loss_half_points,
            "absent": 0,
        }
    return values[result.white], values[result.black]
