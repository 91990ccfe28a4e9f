"""Which rounds and whose standings a correction touches, told before anybody confirms it (C.04.2 4.3).

Until the next round is public an error is simply put right. Once it is, its pairings stay and everything after them
uses the truth, as long as that round is not over. Found later still, an error counts for the rating report only; an
event that has left FIDE handling can put it right everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

from rules.tournament.book import Round, TournamentState
from rules.tournament.book_events import ColoursSwapped
from rules.tournament.book_intents import CorrectResult
from rules.tournament.events import Resulted, Source, TournamentEvent
from rules.tournament.results import code_of
from rules.tournament.standings import Standing, standings
from rules.tournament.state import fold

#: "free": the next round is not public. "kept": it is, and stays. "report": rating report only. "all": outside FIDE
#: handling, everything is worked out again and only the pairings stay.
Reach = Literal["free", "kept", "report", "all"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A player whose standing changes: ranks and half-points before and after."""

    tpn: int
    rank_before: int
    rank_after: int
    half_points_before: int
    half_points_after: int


@dataclass(frozen=True, slots=True)
class Correction:
    """What a correction will do.

    `before` and `after` are result codes (`swapped` colours have a "~" in front). `kept` are the rounds that were
    paired with the wrong result and stay, `restated` those after which the standings are worked out again, `next_round`
    the first round whose pairing uses the truth (None: none does). `moved` are the players whose rank or points change
    in the latest standings.
    """

    reach: Reach
    before: str
    after: str
    kept: tuple[int, ...]
    restated: tuple[int, ...]
    next_round: int | None
    moved: tuple[Moved, ...]
    words: str


def reach(state: TournamentState, number: int) -> Reach:
    """Which of the cases applies to a result of round `number` now."""
    latest = len(state.rounds)
    if state.finished:
        return "report"
    if number >= latest:
        return "free"
    if not state.fide_mode:
        return "all"
    until_paired = state.regulations is not None and state.regulations.correct_until == "next-pairing"
    is_running = not state.rounds[-1].complete
    return "kept" if number == latest - 1 and (until_paired or is_running) else "report"


def result_text(found: Round, board: int) -> str:
    """The result of a board as a code, "" while there is none."""
    result = found.results.get(board)
    if result is None:
        return ""
    code = code_of(result.score, result.source == "forfeit", result.rated)
    return code.code if code is not None else result.score


def wanted_text(intent: CorrectResult) -> str:
    """The result that is wanted, as a code; "" if there is no such result."""
    code = code_of(intent.score, intent.forfeit, intent.rated)
    return "" if code is None else f"~{code.code}" if intent.swapped else code.code


def events_of(intent: CorrectResult, at: int, by: str) -> tuple[TournamentEvent, ...]:
    """The events that put a result right."""
    source: Source = "forfeit" if intent.forfeit else "ruling"
    result = Resulted(at, intent.round, intent.board, intent.score, source, by, intent.why, intent.rated)
    if intent.swapped:
        return (ColoursSwapped(at, intent.round, intent.board, by, intent.why), result)
    return (result,)


def preview(state: TournamentState, intent: CorrectResult) -> Correction:
    """What the correction would do. The round must be public and have the board."""
    found = state.rounds[intent.round - 1]
    case = reach(state, intent.round)
    latest = len(state.rounds)
    counts = case != "report"
    done = state.complete_rounds
    upcoming = state.next_round_to_pair if counts else None
    restated = tuple(range(intent.round, done + 1)) if counts else ()
    kept = tuple(range(intent.round + 1, latest + 1))
    before = result_text(found, intent.board)
    after = wanted_text(intent)
    moved: tuple[Moved, ...] = ()
    if counts and restated:
        then = state
        for event in events_of(intent, 0, ""):
            then = fold(then, event)
        moved = _moved(standings(state, done), standings(then, done))
    words = sentence(case, intent.round, latest, upcoming)
    return Correction(case, before, after, kept, restated, upcoming, moved, words)


def sentence(case: Reach, number: int, latest: int, upcoming: int | None) -> str:
    """The case in words, for the desk."""
    if case == "free":
        return _("No later round is public: standings and the next pairing use the new result.")
    if case == "report":
        return _(
            "It is too late for round {round}: the new result goes into the rating report only. "
            "Standings and pairings stay as they are."
        ).format(round=number)
    stays = _("Round {round} is public and stays as it is.").format(round=latest)
    if case == "all" and latest - number > 1:
        stays = _("Rounds {first} to {last} are public and stay as they are.").format(first=number + 1, last=latest)
    if upcoming is None:
        return _("{stays} The standings use the new result.").format(stays=stays)
    return _("{stays} The standings and the pairing of round {next} use the new result.").format(
        stays=stays, next=upcoming
    )


def _moved(before: tuple[Standing, ...], after: tuple[Standing, ...]) -> tuple[Moved, ...]:
    was = {place.tpn: place for place in before}
    return tuple(
        Moved(place.tpn, was[place.tpn].rank, place.rank, was[place.tpn].half_points, place.half_points)
        for place in after
        if (was[place.tpn].rank, was[place.tpn].half_points) != (place.rank, place.half_points)
    )
