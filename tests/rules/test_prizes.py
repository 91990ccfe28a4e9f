"""Prizes: the divisions every arbiter knows, one prize for each player, and sums that always come out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.tournament.prizes import Award, Division, PrizeList, Sharing, divide, money


@dataclass(frozen=True)
class Row:
    """A row of the standings, as far as prizes look at it."""

    tpn: int
    rank: int
    half_points: int


def rows(*points: float, ranks: tuple[int, ...] = ()) -> list[Row]:
    """Players 1, 2, 3, ... in order; every tie is broken unless `ranks` says otherwise."""
    return [Row(n, ranks[n - 1] if ranks else n, round(2 * p)) for n, p in enumerate(points, 1)]


def euros(division: Division, players: int) -> list[float]:
    return [division.cents_of(tpn) / 100 for tpn in range(1, players + 1)]


def prizes(*money: int, name: str = "main", sharing: Sharing = "equal", unit: int = 1) -> PrizeList:
    return PrizeList(name, tuple(100 * m for m in money), sharing, unit=unit)


@pytest.mark.parametrize(
    ("sharing", "expected"), [("equal", [160, 160, 80]), ("hort", [180, 140, 80]), ("none", [200, 120, 80])]
)
def test_two_tie_for_the_first_place(sharing: Sharing, expected: list[float]) -> None:
    division = divide(rows(6, 6, 5.5), [prizes(200, 120, 80, sharing=sharing)])
    assert euros(division, 3) == expected
    assert division.fund == 40000


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [("equal", [300, 80, 80, 80]), ("hort", [300, 115, 85, 40]), ("none", [300, 150, 90, 0])],
)
def test_three_tie_where_two_prizes_are_left(sharing: Sharing, expected: list[float]) -> None:
    division = divide(rows(7, 6, 6, 6, 5), [prizes(300, 150, 90, sharing=sharing)])
    assert euros(division, 5) == [*expected, 0]
    assert not any(award.tpn == 5 for award in division.awards)


def test_cents_left_over_go_to_the_better_tie_break_and_are_shown() -> None:
    division = divide(rows(4, 4, 4), [prizes(100)])
    assert [a.cents for a in division.awards] == [3334, 3333, 3333]
    assert [a.left_over for a in division.awards] == [1, 0, 0]
    assert division.awards[0].share == Fraction(10000, 3)
    assert division.awards[0].reason == "3 players share 100 + 0 + 0; 0.01 left over by rounding"


def test_who_lost_nothing_by_rounding_gets_nothing_of_what_it_left() -> None:
    tied = rows(5, 5, 5, ranks=(1, 2, 2))
    division = divide(tied, [PrizeList("main", (1, 1), "none")])
    assert [a.cents for a in division.awards] == [1, 1]
    assert [a.reason for a in division.awards] == [
        "place 1 by tie-break: 0.01",
        "place 2 by tie-break: 0 (1/2 c); 0.01 left over by rounding",
    ]


def test_rounding_to_whole_money_leaves_whole_pieces_and_the_rest_to_the_first() -> None:
    division = divide(rows(4, 4, 4), [PrizeList("main", (10050, 5000), "equal", unit=100)])
    assert [a.cents for a in division.awards] == [5050, 5000, 5000]


def test_places_that_no_tie_break_separates_are_worth_the_same() -> None:
    tied = rows(5, 5, 5, ranks=(1, 1, 3))
    assert euros(divide(tied, [prizes(200, 100, 60, sharing="none")]), 3) == [150, 150, 60]
    assert euros(divide(tied, [prizes(200, 100, 60, sharing="hort")]), 3) == [135, 135, 90]


def test_one_prize_each_and_it_is_the_better_one() -> None:
    women = PrizeList("women", (10000, 5000), "none", frozenset({3, 5, 6}))
    division = divide(rows(7, 6, 5, 4, 3, 2), [prizes(200, 120, 80, sharing="none"), women])
    # Player 3 takes the women's first prize instead of the third of the main list; both lists move up.
    assert euros(division, 6) == [200, 120, 100, 80, 50, 0]
    assert {(a.tpn, a.prize_list, a.place) for a in division.awards} == {
        (1, "main", 1), (2, "main", 2), (4, "main", 3), (3, "women", 1), (5, "women", 2),
    }  # fmt: skip


def test_without_that_rule_everybody_wins_in_every_list() -> None:
    women = PrizeList("women", (10000,), "none", frozenset({1}))
    assert divide(rows(7, 6), [prizes(200, 120), women], one_each=False).cents_of(1) == 30000
    assert divide(rows(7, 6), [prizes(200, 120), women]).cents_of(1) == 20000


def test_a_class_prize_nobody_can_win_is_told() -> None:
    juniors = PrizeList("juniors", (5000, 2500), eligible=frozenset({2}))
    division = divide(rows(7, 6), [juniors])
    assert (division.unclaimed, division.cents_of(2)) == ({"juniors": 2500}, 5000)


def test_prizes_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="must not be negative or greater"):
        PrizeList("main", (100, 200))
    with pytest.raises(ValueError, match="cannot be rounded to nothing"):
        PrizeList("main", (100,), unit=0)
    with pytest.raises(ValueError, match="same name"):
        divide(rows(1), [prizes(1), prizes(2)])
    assert [money(c) for c in (18050, 18000, 5)] == ["180.50", "180", "0.05"]


amounts = st.lists(st.integers(0, 50_000), max_size=6).map(lambda a: tuple(sorted(a, reverse=True)))
sharings = st.sampled_from(["equal", "hort", "none"])


@settings(deadline=None)
@given(
    points=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    main=amounts,
    special=amounts,
    sharing=st.tuples(sharings, sharings),
    unit=st.sampled_from([1, 50, 100, 500]),
    eligible=st.frozensets(st.integers(1, 12)),
    one_each=st.booleans(),
)
def test_every_cent_of_the_fund_is_accounted_for(
    points: list[int],
    main: tuple[int, ...],
    special: tuple[int, ...],
    sharing: tuple[Sharing, Sharing],
    unit: int,
    eligible: frozenset[int],
    one_each: bool,
) -> None:
    places = [Row(n, n, p) for n, p in enumerate(sorted(points, reverse=True), 1)]
    lists = [PrizeList("main", main, sharing[0], unit=unit), PrizeList("special", special, sharing[1], eligible)]
    division = divide(places, lists, one_each)
    paid: list[Award] = list(division.awards)
    assert sum(a.cents for a in paid) + sum(division.unclaimed.values()) == division.fund == sum(main) + sum(special)
    assert all(a.cents > 0 for a in paid)
    if one_each:
        assert len({a.tpn for a in paid}) == len(paid)
    # Rounded to coarser units than the prizes have, a tie's first player may pass the place above.
    for name in ("main", "special") if unit == 1 else ("special",):
        row = [a.cents for a in paid if a.prize_list == name]
        assert row == sorted(row, reverse=True)


#: Money in units: prizes are whole units, so rounding never has to break one.
whole = st.lists(st.integers(0, 400), max_size=7).map(lambda a: sorted(a, reverse=True))
fields = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=14)


def field_of(points: list[tuple[int, bool]]) -> list[Row]:
    """Players in order; a flag says that no tie-break separates him from the one before with the same points."""
    rows: list[Row] = []
    for half_points, same in sorted(points, key=lambda row: -row[0]):
        shared = bool(rows) and same and rows[-1].half_points == half_points
        rows.append(Row(len(rows) + 1, rows[-1].rank if shared else len(rows) + 1, half_points))
    return rows


@settings(deadline=None)
@given(fields, whole, whole, sharings, st.sampled_from([1, 50, 500]), st.frozensets(st.integers(1, 14)), st.booleans())
def test_nobody_gets_less_than_those_behind_him_in_a_list(
    points: list[tuple[int, bool]],
    main: list[int],
    special: list[int],
    sharing: Sharing,
    unit: int,
    eligible: frozenset[int],
    one_each: bool,
) -> None:
    places = field_of(points)
    lists = [
        PrizeList("main", tuple(unit * m for m in main), sharing, unit=unit),
        PrizeList("special", tuple(unit * m for m in special), sharing, eligible, unit),
    ]
    division = divide(places, lists, one_each)
    assert sum(a.cents for a in division.awards) + sum(division.unclaimed.values()) == division.fund
    for prizes in lists:
        awards = [a for a in division.awards if a.prize_list == prizes.name]
        assert [a.cents for a in awards] == sorted((a.cents for a in awards), reverse=True)
        assert [a.place for a in awards] == sorted(a.place for a in awards)
        assert all(prizes.takes(a.tpn) and a.cents % unit == 0 for a in awards)
        # What rounding leaves over is less than a unit for each player of a tie.
        assert all(abs(a.cents - a.share) < 2 * unit and a.left_over in (0, unit) for a in awards)
        if division.unclaimed[prizes.name]:
            # Money is only left when everybody who may win there has won something.
            assert all(division.cents_of(row.tpn) for row in places if prizes.takes(row.tpn))


@settings(deadline=None)
@given(fields, whole.filter(bool))
def test_the_three_ways_of_sharing_agree_on_the_sum_of_every_tie(
    points: list[tuple[int, bool]], money: list[int]
) -> None:
    places = field_of(points)
    sums = []
    for sharing in ("equal", "hort", "none"):
        division = divide(places, [PrizeList("main", tuple(money), sharing)])  # type: ignore[arg-type]
        by_points: dict[int, int] = {}
        for row in places:
            by_points[row.half_points] = by_points.get(row.half_points, 0) + division.cents_of(row.tpn)
        sums.append(by_points)
    assert sums[0] == sums[1] == sums[2]


@settings(deadline=None)
@given(fields, whole.filter(bool))
def test_hort_is_the_mean_of_the_equal_share_and_the_own_place(
    points: list[tuple[int, bool]], money: list[int]
) -> None:
    # No share of such prizes is rounded to nothing, which would be no award.
    places, prizes = field_of(points), tuple(1000 * m for m in money)
    shares = [
        {a.tpn: a.share for a in divide(places, [PrizeList("main", prizes, way)]).awards}  # type: ignore[arg-type]
        for way in ("equal", "hort", "none")
    ]
    for tpn in shares[1]:
        assert shares[1][tpn] == (shares[0].get(tpn, 0) + shares[2].get(tpn, 0)) / 2
