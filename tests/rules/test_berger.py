"""Berger tables, against the classical construction by shifting, written independently of the product's formulas."""

from __future__ import annotations

from collections import Counter

import pytest

from rules.pairing.berger import pair, rounds_available, table
from rules.pairing.state import History, NoPairing, PairingState, RoundRecord


def shifted(players: int) -> list[list[tuple[int, int]]]:
    """Round 1 is 1-m, 2-(m-1) …; each next round adds m/2 to every number but m, which changes colour each time."""
    m = players + players % 2
    rounds = [[(k, m + 1 - k) for k in range(1, m // 2 + 1)]]
    while len(rounds) < m - 1:
        step = lambda x: (x - 1 + m // 2) % (m - 1) + 1  # noqa: E731
        (white, black), *others = rounds[-1]
        first = (m, step(white)) if black == m else (step(black), m)
        rounds.append([first, *((step(w), step(b)) for w, b in others)])
    return rounds


def state_before(players: int, number: int, absent: frozenset[int] = frozenset()) -> PairingState:
    records: dict[int, list[RoundRecord]] = {tpn: [] for tpn in range(1, players + 1)}
    for done in range(1, number):
        for white, black in table(players, done):
            for tpn, other, colour in ((white, black, "white"), (black, white, "black")):
                if tpn <= players:
                    free = other > players
                    records[tpn].append(
                        RoundRecord(None, None, "free", 0) if free else RoundRecord(other, colour, None, 1)  # type: ignore[arg-type]
                    )
    return PairingState(
        number, rounds_available(players), tuple(History(t, tuple(r)) for t, r in records.items()), absent
    )


@pytest.mark.parametrize("players", range(3, 25))
def test_tables_are_those_of_the_shift_construction(players: int) -> None:
    expected = shifted(players)
    assert rounds_available(players) == len(expected)
    for number, boards in enumerate(expected, 1):
        assert list(table(players, number)) == boards


def test_the_table_of_six_as_it_is_printed() -> None:
    printed = ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"]
    assert [" ".join(f"{w}-{b}" for w, b in table(6, r)) for r in range(1, 6)] == printed


@pytest.mark.parametrize("players", [5, 6, 13, 14])
def test_everybody_meets_everybody_once_with_fair_colours(players: int) -> None:
    met: Counter[frozenset[int]] = Counter()
    whites: Counter[int] = Counter()
    for number in range(1, rounds_available(players) + 1):
        answer = pair(state_before(players, number))
        assert (answer.bye is not None) == (players % 2 == 1)
        met.update(frozenset(boards) for boards in answer.pairs)
        whites.update(white for white, _black in answer.pairs)
    assert len(met) == players * (players - 1) // 2
    assert set(met.values()) == {1}
    half = (players - 1) // 2
    if players % 2:
        assert set(whites.values()) == {half}
    else:
        assert all(whites[t] == half + (t <= players // 2) for t in range(1, players + 1))


def test_an_absent_player_keeps_his_place_in_the_table() -> None:
    assert pair(state_before(6, 2, frozenset({4}))).pairs == ((6, 4), (5, 3), (1, 2))


def test_after_the_last_round_there_is_nothing_to_pair() -> None:
    with pytest.raises(NoPairing, match="Round 6 cannot be paired: 6 players have met each other after 5 rounds"):
        pair(PairingState(6, 9, state_before(6, 5).players))
    with pytest.raises(NoPairing, match="at least two players"):
        pair(PairingState(1, 1, (History(1),)))
    with pytest.raises(ValueError, match="outside the table"):
        table(6, 6)
