"""The editions of C.07 as data: what changed from one text to the next, and nothing else.

The regulations of an event name their edition; the same crosstable has other numbers under another one. Among opponents
of equal value the text of 2023 cuts the worst result and the later ones the lowest product; that is the same number, so
there is no switch for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: What an own unplayed round is worth: the own score with the caps of 16.4, the own score, or the virtual opponent.
Dummy = Literal["capped", "own", "virtual"]
#: Which of an opponent's unplayed rounds count as draws: requested byes at the end (16.2.5), or all of them.
Drawn = Literal["requested at the end", "all"]


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of the tie-break regulations.

    `in_force` is its first day, "YYYY/MM/DD"; `number` counts the editions, so that a code can say since which one it
    exists. `voluntary_cut_first`: a cut takes own rounds not played before the least opponent (16.5).
    `forfeits_played`: with pairings determined beforehand a forfeit is an ordinary game in the codes of a player's own
    record too, as it was before 15.2 had its exceptions. `restarts_encounter`: a team's direct encounter goes back to
    the primary score for every new subset (13.3.3).
    """

    name: str
    in_force: str
    number: int
    dummy: Dummy
    drawn: Drawn
    voluntary_cut_first: bool
    forfeits_played: bool
    restarts_encounter: bool


#: Name → edition, oldest first. The text of August 2023, in force from April 2024, is "2023".
EDITIONS: Mapping[str, Edition] = {
    edition.name: edition
    for edition in (
        Edition("before 2023", "2009/07/01", 0, "virtual", "all", False, True, False),
        Edition("2023", "2024/04/01", 1, "own", "requested at the end", True, True, False),
        Edition("2024-08", "2024/08/01", 2, "own", "requested at the end", True, True, False),
        Edition("2026", "2026/03/01", 3, "capped", "requested at the end", True, False, True),
    )
}
CURRENT = EDITIONS["2026"]


def edition_on(day: str) -> Edition:
    """The edition in force on a day, "YYYY/MM/DD"; the oldest one for any day before it."""
    found = next(iter(EDITIONS.values()))
    for edition in EDITIONS.values():
        if edition.in_force <= day:
            found = edition
    return found
