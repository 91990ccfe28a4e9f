"""Downfloats and upfloats of the rounds before (C.04.3 1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from rules.pairing.state import PairingState


class Float(IntEnum):
    """How a player floated in one round."""

    NONE = 0
    DOWN = 1
    UP = 2


def floats(state: PairingState) -> Mapping[int, tuple[Float, ...]]:
    """TPN → the float of every round so far.

    A downfloat: a game against a lower score, or more than a loss without playing (so no PAB of 0). An upfloat: a game
    against a higher score. A forfeit loss, a zero-point bye or absence is no float. Scores are those for pairing.
    In the edition of 2017 everybody who did not play had a downfloat.
    """
    scores = {p.tpn: 0 for p in state.players}
    result: dict[int, list[Float]] = {p.tpn: [] for p in state.players}
    for index in range(state.round - 1):
        before = {tpn: score + state.virtual_half_points(tpn, index + 1) for tpn, score in scores.items()}
        for player in state.players:
            record = player.rounds[index]
            scores[player.tpn] += record.half_points
            kind = Float.NONE
            if not record.played:
                scored_more = record.half_points > state.loss_half_points
                kind = Float.DOWN if scored_more or state.edition == "2017" else Float.NONE
            elif record.opponent is not None:
                gap = before[player.tpn] - before[record.opponent]
                kind = Float.DOWN if gap > 0 else Float.UP if gap < 0 else Float.NONE
            result[player.tpn].append(kind)
    return {tpn: tuple(kinds) for tpn, kinds in result.items()}
