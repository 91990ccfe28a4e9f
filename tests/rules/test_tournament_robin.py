"""Round robins of two cycles, and rounds by hand after which everybody still meets everybody."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.berger import pair, round_of_event, rounds_available, table
from rules.pairing.round_robin import can_be_completed, still_to_meet, too_often
from rules.pairing.state import History, NoPairing, PairingAnswer, PairingState, RoundRecord
from rules.pairing.varma import GROUPS, drawn_apart
from rules.tournament.book_intents import CloseManual, DrawNumbers, MakeRound, OpenManual, Undo
from rules.tournament.events import Regulations
from rules.tournament.intents import Confirmed, Enter, Finish, Pair, Publish, Refusal, Withdraw
from rules.tournament.regulations import problem
from rules.tournament.standings import standings
from tests.rules.book_hall import Hall, players

EVEN_OR_ODD = st.integers(min_value=2, max_value=16)


def colours(number: int, count: int, swap: bool) -> list[str]:
    """A player's colours through both cycles, free rounds left out."""
    found = []
    for n in range(1, 2 * rounds_available(count) + 1):
        for white, black in round_of_event(count, n, 2, swap):
            if number in (white, black) and max(white, black) <= count:
                found.append("w" if number == white else "b")
    return found


def longest_run(found: list[str]) -> int:
    run = best = 1
    for one, other in pairwise(found):
        run = run + 1 if one == other else 1
        best = max(best, run)
    return best


@given(count=EVEN_OR_ODD, swap=st.booleans())
def test_in_two_cycles_everybody_meets_everybody_once_with_either_colour(count: int, swap: bool) -> None:
    met = Counter(
        pair
        for n in range(1, 2 * rounds_available(count) + 1)
        for pair in round_of_event(count, n, 2, swap)
        if max(pair) <= count
    )
    assert set(met.values()) == {1}
    assert len(met) == count * (count - 1)


@pytest.mark.parametrize("count", range(4, 17))
def test_exchanging_the_middle_rounds_spares_everybody_a_third_equal_colour(count: int) -> None:
    assert max(longest_run(colours(n, count, swap=True)) for n in range(1, count + 1)) <= 2
    if count % 2 == 0:
        assert longest_run(colours(1, count, swap=False)) == 3


def test_a_single_cycle_is_the_table() -> None:
    assert [round_of_event(6, n) for n in range(1, 6)] == [table(6, n) for n in range(1, 6)]
    assert round_of_event(6, 4, 2) == table(6, 5)
    assert round_of_event(6, 5, 2) == table(6, 4)
    with pytest.raises(ValueError, match="outside 2 cycles"):
        round_of_event(6, 11, 2)


def test_a_double_round_robin_is_played_to_its_end() -> None:
    hall = Hall(4, 6, system="berger", cycles=2)
    for _round in range(6):
        hall.plays("1-0")
    met = Counter((p.white, p.black) for r in hall.state.rounds for p in r.pairs)
    assert len(met) == 12
    hall.does(Finish())
    assert sum(place.half_points for place in standings(hall.state)) == 24
    hall.check_log()


def test_how_many_cycles_and_rounds_there_can_be() -> None:
    assert problem(Regulations("x", 6, "berger", tie_breaks=("DE",), cycles=2), 4) == ""
    assert "choose 1 to 6" in problem(Regulations("x", 7, "berger", tie_breaks=("DE",), cycles=2), 4)
    assert "one cycle or two" in problem(Regulations("x", 3, cycles=2), 8)


def test_who_leaves_a_double_round_robin_early_has_played_less_than_half_of_all_its_games() -> None:
    hall = Hall(4, 6, system="berger", cycles=2)
    hall.plays("1-0")
    hall.plays("1-0")
    hall.does(Withdraw(4))
    hall.plays("1-0")
    assert [p.tpn for p in standings(hall.state) if p.excluded] == [4], "two games of six"
    other = Hall(4, 6, system="berger", cycles=2)
    for _round in range(3):
        other.plays("1-0")
    other.does(Withdraw(4))
    assert not any(p.excluded for p in standings(other.state)), "three of six stay"


# -- by hand ----------------------------------------------------------------------------------------------------------


def by_hand(hall: Hall, *pairs: tuple[int, int], keys: tuple[str, ...] = ()) -> None:
    """The next round by hand, with the warnings of its board; how it differs from the engine's is confirmed."""
    hall.does(OpenManual("the players asked for it"))
    wanted = MakeRound(pairs)
    if keys:
        hall.confirms(wanted, *keys)
    else:
        hall.does(wanted)
    answer = hall.asks(CloseManual())
    if isinstance(answer, Refusal):
        hall.confirms(CloseManual(), *(w.key for w in answer.warnings))
    hall.does(Publish(hall.tables))
    hall.results("1-0")


def test_a_round_of_the_table_that_is_played_early_makes_room_for_the_others() -> None:
    hall = Hall(6, 5, system="berger")
    by_hand(hall, *table(6, 3))
    seen = [frozenset(map(frozenset, table(6, 3)))]
    for _round in range(4):
        sheet = hall.plays("1-0")
        seen.append(frozenset(frozenset((p.white, p.black)) for p in sheet.pairs))
    assert len(set(seen)) == 5
    hall.does(Finish())


def test_a_round_that_is_not_of_the_table_is_followed_by_rounds_by_hand() -> None:
    hall = Hall(4, 3, system="berger")
    by_hand(hall, (1, 3), (2, 4))
    by_hand(hall, (4, 1), (3, 2))
    assert sorted(hall.pairing().answer.pairs) in ([(1, 2), (3, 4)], [(1, 2), (4, 3)], [(2, 1), (3, 4)])
    broken = Hall(4, 3, system="berger")
    by_hand(broken, (1, 4), (2, 3))
    by_hand(broken, (4, 1), (3, 2), keys=("rematch", "rematch"))
    with pytest.raises(NoPairing, match="make round 3 by hand too"):
        broken.pairing()


def test_where_no_round_of_the_table_is_whole_any_more_the_event_is_finished_by_hand() -> None:
    hall = Hall(6, 5, system="berger")
    by_hand(hall, (1, 4), (2, 5), (3, 6))
    by_hand(hall, (5, 1), (6, 2), (4, 3))
    hall.plays("1-0")
    with pytest.raises(NoPairing, match="make round 4 by hand too"):
        hall.pairing()
    left = still_to_meet(hall.state.pairing_state())
    first = next(
        pairs
        for pairs in combinations(left, 3)
        if len({tpn for pair in pairs for tpn in pair}) == 6 and can_be_completed(hall.state.pairing_state(), pairs)
    )
    last = tuple(pair for pair in left if pair not in first)
    for pairs in (first, last):
        hall.does(OpenManual("no round of the table is left"))
        _insists(hall, MakeRound(pairs))
        _insists(hall, CloseManual())
        hall.does(Publish(hall.tables))
        hall.results("1-0")
    hall.does(Finish())


def _insists(hall: Hall, intent: MakeRound | CloseManual) -> None:
    answer = hall.asks(intent)
    while isinstance(answer, Refusal):
        assert answer.token, answer.why
        answer = hall.asks(Confirmed(intent, answer.token))


def test_a_second_meeting_and_a_round_that_leaves_games_over_are_warned_of() -> None:
    hall = Hall(6, 5, system="berger")
    hall.plays("1-0")
    hall.does(OpenManual("x"))
    first = hall.sheet.pairs[0]
    others = [t for t in range(1, 7) if t not in (first.white, first.black)]
    again = MakeRound(((first.black, first.white), (others[0], others[1]), (others[2], others[3])))
    keys = {w.key for w in hall.is_refused(again).warnings}
    assert "rematch" in keys


def test_three_equal_colours_are_warned_of_to_the_last_round() -> None:
    hall = Hall(4, 3, system="berger")
    by_hand(hall, (1, 4), (2, 3))
    by_hand(hall, (1, 3), (4, 2))
    hall.does(OpenManual("x"))
    refusal = hall.is_refused(MakeRound(((1, 2), (3, 4))))
    assert "1 would have White for the third time in a row." in refusal.why
    assert {w.key for w in refusal.warnings} == {"colour-repeated"}


def test_a_round_robin_that_is_not_complete_is_told_of_before_it_ends() -> None:
    hall = Hall(4, 3, system="berger")
    by_hand(hall, (1, 4), (2, 3))
    by_hand(hall, (4, 1), (3, 2), keys=("rematch", "rematch"))
    by_hand(hall, (1, 3), (2, 4), keys=("robin-incomplete",))
    refusal = hall.is_refused(Finish())
    assert [w.key for w in refusal.warnings] == ["robin-incomplete"]
    assert "Player 1 (1) and Player 2 (2) have not met" in refusal.why
    assert "Player 1 (1) and Player 4 (4) have met too often" in refusal.why
    hall.does(Confirmed(Finish(), refusal.token))


def history_state(count: int, rounds: list[list[tuple[int, int]]]) -> PairingState:
    histories = []
    for tpn in range(1, count + 1):
        records = []
        for pairs in rounds:
            mine = next((p for p in pairs if tpn in p), None)
            if mine is None:
                records.append(RoundRecord(None, None, "free", 0))
            else:
                other = mine[1] if mine[0] == tpn else mine[0]
                records.append(RoundRecord(other, "white" if mine[0] == tpn else "black", None, 1))
        histories.append(History(tpn, tuple(records)))
    return PairingState(len(rounds) + 1, rounds_available(count), tuple(histories))


@settings(max_examples=40, deadline=None)
@given(count=st.integers(min_value=3, max_value=9), rng=st.randoms(use_true_random=False))
def test_rounds_of_the_table_in_any_order_leave_a_whole_event(count: int, rng: random.Random) -> None:
    order = list(range(1, rounds_available(count) + 1))
    rng.shuffle(order)
    rounds = [[p for p in table(count, n) if max(p) <= count] for n in order]
    done = rng.randrange(len(order))
    state = history_state(count, rounds[:done])
    assert can_be_completed(state, rounds[done]) in (True, None)
    assert too_often(state, rounds[done]) == ()
    assert len(still_to_meet(state, rounds[done])) == sum(len(r) for r in rounds[done + 1 :])
    answer = pair(state)
    assert isinstance(answer, PairingAnswer)
    assert can_be_completed(state, answer.pairs) in (True, None)


def test_six_players_can_be_led_into_a_round_that_leaves_games_over() -> None:
    # Two triangles are left when 1-3 have met all of 4-6: three rounds' worth, and nobody can sit out of two.
    rounds = [[(1, 4), (2, 5), (3, 6)], [(1, 5), (2, 6), (3, 4)]]
    state = history_state(6, rounds)
    assert can_be_completed(state, [(1, 6), (2, 4), (3, 5)]) is False
    hall = Hall(6, 5, system="berger")
    by_hand(hall, *rounds[0])
    by_hand(hall, *rounds[1])
    hall.does(OpenManual("x"))
    refusal = hall.is_refused(MakeRound(((6, 1), (4, 2), (5, 3))))
    assert "robin-incomplete" in {w.key for w in refusal.warnings}


def test_a_forfeited_game_of_a_round_robin_is_not_paired_again() -> None:
    hall = Hall(4, 3, system="berger")
    hall.does(Withdraw(4))
    hall.plays("1-0")
    assert hall.sheet.results[1].source == "forfeit"
    white, black = hall.sheet.pairs[0].white, hall.sheet.pairs[0].black
    others = [t for t in (1, 2, 3, 4) if t not in (white, black)]
    refusal = hall.is_refused(Pair(PairingAnswer(((white, black), (others[1], others[0])), None)))
    assert "already met" in refusal.why


def test_entering_again_with_two_cycles() -> None:
    hall = Hall(4, 3, system="berger")
    hall.does(Enter(players(4), Regulations("x", 6, "berger", tie_breaks=("DE",), cycles=2)))
    assert hall.state.pairing_state().cycles == 2


# -- numbers by lot ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sorted(GROUPS))
def test_numbers_of_one_group_do_not_meet_in_the_last_three_rounds(size: int) -> None:
    assert sorted(n for group in GROUPS[size] for n in group) == list(range(1, size + 1))
    for number in range(size - 3, size):
        for white, black in table(size, number):
            assert not any(white in group and black in group for group in GROUPS[size]), (number, white, black)


@given(
    federations=st.lists(st.sampled_from(["", "NOR", "SRB", "ITA", "FRA"]), min_size=9, max_size=24),
    seed=st.integers(min_value=0, max_value=1000),
)
def test_the_restricted_draw_gives_everybody_a_number_and_repeats_itself(federations: list[str], seed: int) -> None:
    of = dict(enumerate(federations, 1))
    numbers = drawn_apart(of, seed)
    assert sorted(numbers.values()) == sorted(of)
    assert numbers == drawn_apart(of, seed)
    largest = max(sorted({f for f in federations if f}), key=federations.count, default="")
    groups = [[n for n in group if n <= len(of)] for group in GROUPS[len(of) + len(of) % 2]]
    if largest and federations.count(largest) <= max(map(len, groups)):
        mine = {numbers[tpn] for tpn, federation in of.items() if federation == largest}
        assert any(mine <= set(group) for group in groups), "the first to draw is wholly in one group"


def test_lots_decide_the_numbers_once_and_in_the_open() -> None:
    hall = Hall(10, 9, system="berger")
    before = hall.names
    hall.does(DrawNumbers(5))
    assert sorted(hall.names) == sorted(before)
    assert hall.names != before
    assert hall.state.lots["numbers"].outcome == ", ".join(hall.names)
    assert hall.does(DrawNumbers(5)) == ()
    assert "from seed 5" in hall.is_refused(DrawNumbers(6)).why
    hall.does(Undo())
    assert hall.names == before
    hall.does(DrawNumbers(5))
    assert hall.state.lots["numbers"].outcome == ", ".join(hall.names), "the same lot again"
    hall.publishes()
    assert "is public" in hall.is_refused(DrawNumbers(5)).why
    assert "in a Swiss the ratings do" in Hall(4, 3).is_refused(DrawNumbers(1)).why
    assert "9 to 24 players" in Hall(4, 3, system="berger").is_refused(DrawNumbers(1, apart=True)).why
    hall.check_log()
