"""Round robin by the Berger tables (FIDE Handbook C.05, annex), for any number of players.

With m players (an odd field gets a dummy number m; who meets it is free) players i and j < m meet in round i + j - 1,
less m - 1 if that is too much, and m meets i in round 2i - 1, reduced likewise. Numbers of equal parity: the higher has
White, else the lower; m has Black against the first half of the numbers and White against the others.
"""

from __future__ import annotations

from gettext import gettext as _

from rules.pairing.legality import assert_round_robin
from rules.pairing.state import NoPairing, PairingAnswer, PairingState


def rounds_available(players: int) -> int:
    """Rounds of a single round robin: n - 1 for an even field, n for an odd one."""
    return players - 1 + players % 2 if players > 1 else 0


def table(players: int, round_number: int) -> tuple[tuple[int, int], ...]:
    """(White, Black) of one round for numbers 1..`players` in the official layout; an odd field contains its dummy.

    Board 1 is the pairing with the last number; the others follow by growing distance from its opponent.
    Raises `ValueError` for a round outside the table.
    """
    m = players + players % 2
    cycle = m - 1
    if players < 2 or not 1 <= round_number <= cycle:
        raise ValueError(f"round {round_number} is outside the table for {players} players")
    # 2i - 1 = r (mod m - 1): halve r + 1, made even by the odd cycle where needed.
    partner = ((round_number + 1) // 2 if round_number % 2 else (round_number + 1 + cycle) // 2) % cycle or cycle
    pairs = [(partner, m) if 2 * partner <= m else (m, partner)]
    for distance in range(1, m // 2):
        i = (partner + distance - 1) % cycle + 1
        j = (partner - distance - 1) % cycle + 1
        low, high = min(i, j), max(i, j)
        pairs.append((high, low) if (high - low) % 2 == 0 else (low, high))
    return tuple(pairs)


def pair(state: PairingState) -> PairingAnswer:
    """The Berger table's round; numbers are the players in TPN order. The answer's `bye` is the free player.

    Absent players keep their place in the table: their games are decided by forfeit, not by another pairing.
    Raises `NoPairing` with fewer than two players or when the table has no such round.
    """
    numbers = [p.tpn for p in state.players]
    available = rounds_available(len(numbers))
    if len(numbers) < 2:
        raise NoPairing(_("A round robin needs at least two players."))
    if state.round > available:
        raise NoPairing(
            _(
                "Round {round} cannot be paired: {players} players have met each other after {available} rounds. "
                "End the tournament, or enter fewer rounds."
            ).format(round=state.round, players=len(numbers), available=available)
        )
    drawn = table(len(numbers), state.round)
    pairs = tuple((numbers[w - 1], numbers[b - 1]) for w, b in drawn if max(w, b) <= len(numbers))
    free = [numbers[min(w, b) - 1] for w, b in drawn if max(w, b) > len(numbers)]
    reasons = [
        _("Round {round} of the Berger table for {players} players.").format(round=state.round, players=len(numbers))
    ]
    if free:
        reasons.append(_("{tpn} is free: the number of players is odd.").format(tpn=free[0]))
    answer = PairingAnswer(pairs, free[0] if free else None, tuple(reasons))
    assert_round_robin(state, answer)
    return answer
