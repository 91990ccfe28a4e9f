"""Baku acceleration (FIDE Handbook C.04.7): virtual points for the upper group in the first rounds.

Virtual points count for pairing only: order, score groups, floats and boards; never for standings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rules.pairing.state import WIN


def last_of_group_a(paired: Iterable[int]) -> int | None:
    """The last TPN of group GA: the first 2 x ceil(N/4) of the N players paired in round 1 (1.2).

    Who enters later takes his place by strength; the last member stays the same person (1.3), so GA is everybody up to
    him. None when nobody is paired.
    """
    players = sorted(paired)
    size = 2 * -(-len(players) // 4)
    return players[size - 1] if players else None


def virtual_points(rounds: int, win: int = WIN) -> tuple[int, ...]:
    """Group GA's half-points for every accelerated round of an event (1.4).

    Accelerated are the first ceil(rounds / 2); in the first half of those, rounded up, a win, then half of it.
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    return (win,) * full + (win // 2,) * (accelerated - full)


def acceleration(
    players: Sequence[int], paired_in_round_1: Iterable[int], rounds: int, win: int = WIN
) -> Mapping[int, tuple[int, ...]]:
    """TPN → virtual half-points by round, as `PairingState.virtual` wants them; players of group GB are left out."""
    last = last_of_group_a(paired_in_round_1)
    row = virtual_points(rounds, win)
    return {} if last is None else {tpn: row for tpn in players if tpn <= last}
