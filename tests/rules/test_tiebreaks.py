"""Tie-breaks: worked cases of every edition, and the traps that other programs fell into."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.pairing.state import DRAW, WIN, History, RoundRecord, Unplayed
from rules.tiebreaks.crosstable import Crosstable, decimal
from rules.tiebreaks.registry import CODES, UnknownCode, compute, is_known


def game(opponent: int, result: str, colour: str = "white") -> RoundRecord:
    """A round as in a crosstable: `1 = 0` played, `+ -` forfeited."""
    unplayed: Unplayed | None = "+" if result == "+" else "-" if result == "-" else None
    points = {"1": WIN, "+": WIN, "=": DRAW, "0": 0, "-": 0}[result]
    return RoundRecord(opponent, "white" if colour == "white" else "black", unplayed, points)


def bye(kind: Unplayed, half_points: int | None = None) -> RoundRecord:
    default = {"U": WIN, "F": WIN, "H": DRAW}.get(kind, 0)
    return RoundRecord(None, None, kind, default if half_points is None else half_points)


def scorer(tpn: int, half_points: int, rounds: int) -> History:
    """Somebody with a score made in games against nobody of interest (player 99 always)."""
    results = [WIN] * (half_points // 2) + [DRAW] * (half_points % 2)
    results += [0] * (rounds - len(results))
    return History(tpn, tuple(RoundRecord(99, "white", None, points) for points in results))


def value(code: str, table: Crosstable, tpn: int) -> Fraction | None:
    return compute(code, table, [tpn])[tpn].value


def test_a_pab_counts_as_a_dummy_with_at_most_half_a_point_per_round() -> None:
    x = History(1, (bye("U"), game(2, "1"), game(3, "="), game(4, "1"), game(5, "1")))
    others = [scorer(2, 6, 5), scorer(3, 8, 5), scorer(4, 5, 5), scorer(5, 5, 5)]
    table = Crosstable((x, *others), rounds=5)
    assert value("BH", table, 1) == Fraction(29, 2)
    assert value("BH/C1", table, 1) == 12
    assert value("SB", table, 1) == Fraction(25, 2)
    reason = compute("SB", table, [1])[1].reason
    assert reason == "1.0×2.5 (round 1 not played) + 1.0×3.0 + 0.5×4.0 + 1.0×2.5 + 1.0×2.5 = 12.5"


def test_a_withdrawn_opponent_counts_with_draws_for_his_last_rounds() -> None:
    withdrawn = History(2, (bye("U"), game(1, "0"), game(99, "+"), bye("Z"), bye("Z")))
    table = Crosstable((withdrawn, scorer(1, 2, 5), scorer(99, 0, 5)), rounds=5)
    assert table.adjusted[2] == 2 + 0 + 2 + 1 + 1


def test_a_bye_before_a_later_game_counts_as_it_was() -> None:
    back_again = History(1, (bye("Z"), game(2, "1"), bye("Z"), game(2, "-")))
    table = Crosstable((back_again, scorer(2, 0, 4)), rounds=4)
    # the absence of round 1 is followed by a game, that of round 3 by a forfeit loss only
    assert table.adjusted[1] == 0 + 2 + 1 + 0


def test_a_forfeit_dummy_is_capped_by_the_scheduled_opponent_and_by_nothing_else() -> None:
    winner = History(1, (game(2, "+"), game(99, "1"), game(99, "1"), game(99, "1")))
    table = Crosstable((winner, scorer(2, 7, 4), scorer(99, 0, 4)), rounds=4)
    assert table.opponent_value(winner, 1) == 7  # more than half a point per round


def test_the_cut_takes_a_chosen_unplayed_round_first() -> None:
    player = History(1, (game(2, "1"), bye("H"), game(3, "1")))
    table = Crosstable((player, scorer(2, 1, 3), scorer(3, 4, 3)), rounds=3)
    cut = compute("BH/C1", table, [1])[1]
    assert (cut.value, cut.reason) == (Fraction(5, 2), "0.5 + 2.0 = 2.5; cut: 1.5 (round 2 not played)")


def test_the_cut_of_sonneborn_berger_weighs_products() -> None:
    """5.0 of 7 with a half-point bye, a forfeit loss and a win over the last: the last is cut, not the bye."""
    rounds = (game(2, "1"), bye("H"), game(3, "-"), game(4, "1"), game(5, "1"), game(6, "1"), game(7, "="))
    scores = {2: 2, 3: 9, 4: 7, 5: 7, 6: 7, 7: 6}
    table = Crosstable((History(1, rounds), *(scorer(t, s, 7) for t, s in scores.items())), rounds=7)
    full = value("SB", table, 1)
    assert full is not None
    assert value("SB/C1", table, 1) == full - 1


def test_buchholz_is_undefined_in_a_round_robin() -> None:
    table = Crosstable((History(1, (game(2, "1"),)), History(2, (game(1, "0", "black"),))), 1, predetermined=True)
    assert value("BH", table, 1) is None
    assert value("SB", table, 1) == 0


def test_direct_encounter_with_everybody_met() -> None:
    anna = History(1, (game(2, "1"), game(3, "=")))
    boris = History(2, (game(1, "0"), game(3, "1")))
    vera = History(3, (game(1, "="), game(2, "0")))
    places = compute("DE", Crosstable((anna, boris, vera), 2), [1, 2, 3])
    assert {tpn: v.value for tpn, v in places.items()} == {1: 1, 2: 2, 3: 3}
    assert places[1].reason == "1.0 against 2 in round 1, 0.5 against 3 in round 2"


def test_direct_encounter_never_separates_a_sure_last() -> None:
    a = History(1, (game(3, "1"), game(9, "=")))
    b = History(2, (game(3, "1"), game(9, "=")))
    c = History(3, (game(1, "0"), game(2, "0")))
    places = compute("DE", Crosstable((a, b, c, scorer(9, 0, 2)), 2), [1, 2, 3])
    assert {v.value for v in places.values()} == {1}


def test_direct_encounter_leaves_forfeits_out_unless_told() -> None:
    table = Crosstable((History(1, (game(2, "+"),)), History(2, (game(1, "-"),))), 1)
    assert {v.value for v in compute("DE", table, [1, 2]).values()} == {1}
    assert [compute("DE/P", table, [1, 2])[tpn].value for tpn in (1, 2)] == [1, 2]


def test_codes_are_known_by_name_and_modifiers() -> None:
    assert all(is_known(code) for code in (*CODES, "bh/c1", "BH/M1", "SB/C2", "DE/P"))
    for wrong in ("", "XX", "BH/Q1", "BH/C0", "WIN/C1", "WIN/P"):
        assert not is_known(wrong)
    with pytest.raises(UnknownCode, match="'XX' is no tie-break known here"):
        compute("XX", Crosstable((), 1), [])


def test_values_print_as_arbiters_write_them() -> None:
    assert [decimal(Fraction(n, 4)) for n in (0, 37, 50, -2, 1)] == ["0.0", "9.25", "12.5", "-0.5", "0.25"]
