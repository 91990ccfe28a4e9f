"""Standings after a round, with the sentence that decided every place (C.07 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby

from rules.pairing.state import History, RoundRecord
from rules.tiebreaks.crosstable import Crosstable
from rules.tiebreaks.ranking import ranking
from rules.tournament.state import TournamentState


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place. `rank` is shared where nothing separates.

    `values` maps each tie-break code to its printed value ("" = undefined). `decided_by` is the code that separated the
    player from the one listed just above him, or below him at the top of a tie: "PTS" by points alone, "LOT" by lots,
    "HAND" by what the arbiter said of tied players, "" when not at all. `withdrawn` players keep their place;
    `excluded` ones (expelled from a Swiss, or gone from a round robin with under half of the games played) come last.
    """

    rank: int
    tpn: int
    half_points: int
    values: Mapping[str, str]
    decided_by: str
    reason: str
    withdrawn: bool = False
    excluded: bool = False


def standings(
    state: TournamentState, after_round: int | None = None, lots_seed: int | None = None
) -> tuple[Standing, ...]:
    """The standings after a round, best first; None: after the latest round with all its results.

    Lots decide what the tie-breaks leave open when they were drawn for the "standings", or with `lots_seed`;
    `decided_by` is "LOT" there. Raises `ValueError` when the event has no regulations or the round is not public.
    """
    if state.regulations is None:
        raise ValueError("the event has no regulations")
    rounds = state.complete_rounds if after_round is None else after_round
    if not 0 <= rounds <= len(state.rounds):
        raise ValueError(f"round {rounds} is not public")
    excluded = _excluded(state)
    expelled = frozenset() if state.is_round_robin else state.expelled & state.entries.keys()
    drawn = state.lots.get("standings")
    seed = drawn.seed if lots_seed is None and drawn is not None else lots_seed
    table = crosstable(state, rounds)
    codes = [code for code in state.regulations.tie_breaks if code.upper() != "PTS"]
    by_hand = [(each.order, each.why) for each in state.tied_orders]
    names = {tpn: entry.name for tpn, entry in state.entries.items()}
    result = [
        Standing(
            place.rank,
            place.tpn,
            table.scores[place.tpn],
            {code: place.values[code].text for code in codes},
            place.decided_by,
            place.reason,
            place.tpn in state.withdrawn,
        )
        for place in ranking(table, codes, seed, expelled, by_hand, names)
    ]
    last = len(result) + 1
    why = _("Withdrew with fewer than half of the games played: the results do not count.")
    result += [Standing(last, tpn, 0, {}, "", why, True, True) for tpn in sorted(excluded)]
    why = _("Expelled: no place; the opponents keep what they have.")
    result += [Standing(last, tpn, table.scores[tpn], {}, "", why, True, True) for tpn in sorted(expelled)]
    return tuple(result)


def rests_on(state: TournamentState) -> tuple[object, ...]:
    """All that the standings after the last complete round rest on: as long as it is the same, so are they."""
    return (
        state.regulations,
        state.rounds[: state.complete_rounds],
        state.withdrawn,
        state.expelled,
        state.entries,
        state.lots,
        state.tied_orders,
        state.outside,
        state.round_ratings,
    )


def tied_by_tie_breaks(state: TournamentState) -> tuple[tuple[int, ...], ...]:
    """Who shares a place by points and all announced tie-breaks, before lots and before what was said by hand."""
    bare = replace(state, tied_orders=(), lots={})
    places = (place for place in standings(bare) if not place.excluded)
    groups = (tuple(place.tpn for place in same) for _rank, same in groupby(places, key=lambda place: place.rank))
    return tuple(group for group in groups if len(group) > 1)


def crosstable(state: TournamentState, after_round: int) -> Crosstable:
    """What the tie-breaks look at after a round: all results that count, and the ratings of the entries.

    Raises `ValueError` when the event has no regulations.
    """
    if state.regulations is None:
        raise ValueError("the event has no regulations")
    excluded = _excluded(state)
    players = tuple(_without(p, excluded) for p in state.histories(after_round) if p.tpn not in excluded)
    return Crosstable(
        players,
        state.regulations.rounds,
        state.is_round_robin,
        win=state.regulations.win_half_points,
        draw=state.regulations.draw_half_points,
        loss=state.regulations.loss_half_points,
        ratings={tpn: entry.rating for tpn, entry in state.entries.items()},
        round_ratings=_round_ratings(state, after_round),
        outside={tpn: Fraction(value) for tpn, value in state.outside.items()},
    )


def _round_ratings(state: TournamentState, after_round: int) -> Mapping[tuple[int, int], int]:
    """Ratings by round, where the regulations let tie-breaks go by them (C.07 10); else a player's first one counts."""
    if state.regulations is None or state.regulations.tie_break_ratings != "round":
        return {}
    return {
        (tpn, number): state.rating_in(tpn, number)
        for tpn in state.round_ratings
        if tpn in state.entries
        for number in range(1, after_round + 1)
    }


def _excluded(state: TournamentState) -> frozenset[int]:
    """Round robin: who withdrew with fewer than half of the scheduled games played (C.05)."""
    if not state.is_round_robin or not state.withdrawn:
        return frozenset()
    players = state.histories(state.complete_rounds)
    scheduled = (len(players) - 1) * (state.regulations.cycles if state.regulations is not None else 1)
    return frozenset(
        p.tpn for p in players if p.tpn in state.withdrawn and 2 * sum(r.played for r in p.rounds) < scheduled
    )


def _without(player: History, excluded: frozenset[int]) -> History:
    """The player's rounds; those against excluded players are free ones."""
    free = RoundRecord(None, None, "free", 0)
    return History(player.tpn, tuple(free if r.opponent in excluded else r for r in player.rounds))
