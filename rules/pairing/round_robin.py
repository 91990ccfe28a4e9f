"""A round robin made by hand: does everybody still meet everybody, and with fair colours (C.05, annex)?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from rules.pairing.state import PairingState

#: Two players, the smaller number first.
Meeting = tuple[int, int]
#: So many steps are searched for a way to play what is left; beyond, the question stays open.
_MOST_STEPS = 5_000
#: Where more games are left, nearly everything can still be played: that is not searched.
_MOST_GAMES = 200


def rounds_available(players: int) -> int:
    """Rounds of a single round robin: n - 1 for an even field, n for an odd one."""
    return players - 1 + players % 2 if players > 1 else 0


def meetings(state: PairingState, pairs: Iterable[tuple[int, int]] = ()) -> Counter[Meeting]:
    """How often each two were paired in the rounds before, and in `pairs`; a forfeited game counts (C.07 15.2)."""
    found: Counter[Meeting] = Counter()
    for player in state.players:
        for record in player.rounds:
            if record.opponent is not None and player.tpn < record.opponent:
                found[player.tpn, record.opponent] += 1
    found.update((min(pair), max(pair)) for pair in pairs)
    return found


def too_often(state: PairingState, pairs: Iterable[tuple[int, int]] = ()) -> tuple[Meeting, ...]:
    """Who would have met more often than there are cycles."""
    return tuple(sorted(pair for pair, times in meetings(state, pairs).items() if times > state.cycles))


def still_to_meet(state: PairingState, pairs: Iterable[tuple[int, int]] = ()) -> tuple[Meeting, ...]:
    """Who has still to meet, once for each game that is left."""
    met = meetings(state, pairs)
    numbers = sorted(p.tpn for p in state.players)
    return tuple(pair for pair in combinations(numbers, 2) for _game in range(state.cycles - met[pair]))


def can_be_completed(state: PairingState, pairs: Sequence[tuple[int, int]]) -> bool | None:
    """With `pairs` in this round, can all games that are left be played in the rounds of the table that are left?

    None: it was not found out within the steps that are searched. True for an event of fewer rounds than the table.
    """
    length = rounds_available(len(state.players)) * state.cycles
    if state.rounds < length:
        return True
    left = length - state.round
    games = still_to_meet(state, pairs)
    degree = Counter(tpn for game in games for tpn in game)
    if too_often(state, pairs) or max(degree.values(), default=0) > left:
        return False
    return _coloured(games, left) if len(games) <= _MOST_GAMES else None


def _coloured(games: tuple[Meeting, ...], rounds: int) -> bool | None:
    """Can the games be dealt to so many rounds, nobody twice in one? The most bound game is placed first."""
    free = {tpn: (1 << rounds) - 1 for game in games for tpn in game}
    steps = _MOST_STEPS

    def place(rest: list[Meeting]) -> bool | None:
        nonlocal steps
        if not rest:
            return True
        steps -= 1
        if steps < 0:
            return None
        at = min(range(len(rest)), key=lambda n: (free[rest[n][0]] & free[rest[n][1]]).bit_count())
        one, other = rest[at]
        choices = free[one] & free[other]
        others = rest[:at] + rest[at + 1 :]
        while choices:
            bit = choices & -choices
            choices ^= bit
            free[one] ^= bit
            free[other] ^= bit
            answer = place(others)
            free[one] ^= bit
            free[other] ^= bit
            if answer is not False:
                return answer
        return False

    return place(list(games))
