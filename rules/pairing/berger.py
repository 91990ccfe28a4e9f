"""Round robin by the Berger tables (FIDE Handbook C.05, annex), for any number of players.

With m players (an odd field gets a dummy number m; who meets it is free) players i and j < m meet in round i + j - 1,
less m - 1 if that is too much, and m meets i in round 2i - 1, reduced likewise. Numbers of equal parity: the higher has
White, else the lower; m has Black against the first half of the numbers and White against the others.
"""

from __future__ import annotations

from gettext import gettext as _

from rules.pairing.legality import assert_round_robin
from rules.pairing.round_robin import can_be_completed
from rules.pairing.round_robin import rounds_available as rounds_available
from rules.pairing.state import IllegalPairing, NoPairing, PairingAnswer, PairingState


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


def round_of_event(players: int, number: int, cycles: int = 1, swap_middle: bool = True) -> tuple[tuple[int, int], ...]:
    """(White, Black) of a round of a single or double event: the second cycle has the colours reversed (C.05, annex).

    `swap_middle` exchanges the last two rounds of the first of two cycles: otherwise two players would have one colour
    three times running where the cycles meet. Raises `ValueError` for a round outside the event.
    """
    length = rounds_available(players)
    if not 1 <= number <= length * cycles:
        raise ValueError(f"round {number} is outside {cycles} cycles for {players} players")
    cycle, place = divmod(number - 1, length)
    place += 1
    if cycles == 2 and swap_middle and cycle == 0 and length > 2 and place > length - 2:
        place = 2 * length - 1 - place
    drawn = table(players, place)
    return tuple((black, white) for white, black in drawn) if cycle % 2 else drawn


def pair(state: PairingState) -> PairingAnswer:
    """The Berger table's round; numbers are the players in TPN order. The answer's `bye` is the free player.

    Absent players keep their place in the table: their games are decided by forfeit, not by another pairing. Where
    rounds were made by hand, another round of the table is taken that is still to be played. Raises `NoPairing` with
    fewer than two players, after the last round, or when rounds made by hand leave no round of the table whole.
    """
    numbers = [p.tpn for p in state.players]
    available = rounds_available(len(numbers)) * state.cycles
    if len(numbers) < 2:
        raise NoPairing(_("A round robin needs at least two players."))
    if state.round > available:
        raise NoPairing(
            _(
                "Round {round} cannot be paired: {players} players have met each other after {available} rounds. "
                "End the tournament, or enter fewer rounds."
            ).format(round=state.round, players=len(numbers), available=available)
        )
    by_table = _as_in_the_table(state, numbers)
    for taken in (state.round, *(n for n in range(1, available + 1) if n != state.round)):
        answer = _answer(state, numbers, taken)
        try:
            assert_round_robin(state, answer)
        except IllegalPairing:
            continue
        if by_table or can_be_completed(state, answer.pairs) is not False:
            return answer
    raise NoPairing(
        _("Rounds were made by hand that are not those of the Berger table: make round {round} by hand too.").format(
            round=state.round
        )
    )


def _as_in_the_table(state: PairingState, numbers: list[int]) -> bool:
    """Were all rounds so far those of the table, in its order?"""
    for number in range(1, state.round):
        drawn = round_of_event(len(numbers), number, state.cycles, state.swap_middle)
        for white, black in drawn:
            if max(white, black) <= len(numbers):
                record = state.players[white - 1].rounds[number - 1]
                if record.opponent != numbers[black - 1]:
                    return False
    return True


def _answer(state: PairingState, numbers: list[int], taken: int) -> PairingAnswer:
    """One round of the table with the players' own numbers."""
    drawn = round_of_event(len(numbers), taken, state.cycles, state.swap_middle)
    pairs = tuple((numbers[w - 1], numbers[b - 1]) for w, b in drawn if max(w, b) <= len(numbers))
    free = [numbers[min(w, b) - 1] for w, b in drawn if max(w, b) > len(numbers)]
    reasons = [_("Round {round} of the Berger table for {players} players.").format(round=taken, players=len(numbers))]
    if free:
        reasons.append(_("{tpn} is free: the number of players is odd.").format(tpn=free[0]))
    return PairingAnswer(pairs, free[0] if free else None, tuple(reasons))
