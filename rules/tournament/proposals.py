"""What the book proposes to the arbiter about players who do not come. It never acts by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

from rules.tournament.asking import boards_in_words
from rules.tournament.book import Round, TournamentState


@dataclass(frozen=True, slots=True)
class Proposal:
    """A ruling to think about: "expel" a player, or "leave-out" of the next round somebody who did not come (S-08)."""

    kind: Literal["expel", "leave-out"]
    tpn: int
    round: int
    why: str


def no_shows(found: Round) -> frozenset[int]:
    """Who lost by forfeit in a round, both if nobody came.

    Forfeits from before the start came with the sheet: those are games of players who have left a round robin.
    """
    away = set()
    for pair in found.pairs:
        result = found.results.get(pair.board)
        if result is not None and result.source == "forfeit" and (not found.started or result.at >= found.started_at):
            away |= {tpn for tpn, won in ((pair.white, "1-0"), (pair.black, "0-1")) if result.score != won}
    return frozenset(away)


def rounds_missed(state: TournamentState, tpn: int) -> tuple[int, ...]:
    """Rounds a player lost by not coming, without a reason and before he left."""
    left = state.withdrawn.get(tpn, len(state.rounds) + 1)
    return tuple(
        found.number
        for found in state.rounds
        if found.number < left and (tpn, found.number) not in state.excused and tpn in no_shows(found)
    )


def proposals(state: TournamentState) -> tuple[Proposal, ...]:
    """What there is to rule on, by pairing number; nobody who has left is among them."""
    if state.regulations is None or state.finished:
        return ()
    return tuple(_proposals(state))


def _proposals(state: TournamentState) -> Iterator[Proposal]:
    number = len(state.rounds) + 1
    most = state.regulations.expel_after if state.regulations is not None else 0
    away = state.absent(number)
    latest = no_shows(state.rounds[-1]) if state.rounds else frozenset()
    ever = sorted(frozenset().union(*(no_shows(found) for found in state.rounds)) - state.withdrawn.keys())
    for tpn in ever:
        name = state.entries[tpn].name
        missed = rounds_missed(state, tpn)
        if most and len(missed) >= most:
            words = _("{tpn} {name} did not come to rounds {rounds}: out of the event after {most} such games (C.05)?")
            yield Proposal(
                "expel", tpn, number, words.format(tpn=tpn, name=name, rounds=boards_in_words(missed), most=most)
            )
        elif tpn in latest and tpn not in away and not state.is_round_robin and state.next_round_to_pair:
            words = _("{tpn} {name} did not come to round {round}: out of the next one until he speaks up?")
            yield Proposal("leave-out", tpn, number, words.format(tpn=tpn, name=name, round=len(state.rounds)))
