"""The Dutch system: stories of single rounds, and whole random events that must stay legal."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.colours import Colours, Strength, preference
from rules.pairing.legality import assert_legal
from rules.pairing.manual_round import review
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import (
    DRAW,
    WIN,
    Colour,
    History,
    IllegalPairing,
    NoPairing,
    PairingAnswer,
    PairingState,
    RoundRecord,
    Unplayed,
)

dutch = SYSTEMS["dutch"]


def cell(text: str) -> RoundRecord:
    """A round as arbiters write it: "12w1", "3b=", "4w+" (forfeit), or a bye's letter."""
    if text in ("U", "H", "F", "Z"):
        kind: Unplayed = text  # type: ignore[assignment]
        return RoundRecord(None, None, kind, {"U": WIN, "F": WIN, "H": DRAW, "Z": 0}[text])
    opponent, colour, result = int(text[:-2]), text[-2], text[-1]
    unplayed: Unplayed | None = "+" if result == "+" else "-" if result == "-" else None
    points = {"1": WIN, "+": WIN, "=": DRAW}.get(result, 0)
    return RoundRecord(opponent, "white" if colour == "w" else "black", unplayed, points)


def before(
    rows: dict[int, str], rounds: int = 9, absent: Sequence[int] = (), initial: Colour = "white"
) -> PairingState:
    players = tuple(History(tpn, tuple(cell(c) for c in row.split())) for tpn, row in rows.items())
    number = len(players[0].rounds) + 1
    return PairingState(number, rounds, players, frozenset(absent), initial)


def newcomers(count: int) -> dict[int, str]:
    return dict.fromkeys(range(1, count + 1), "")


def played(state: PairingState, answer: PairingAnswer, results: Sequence[str]) -> PairingState:
    """The state before the next round; results "1 = 0" from White's side, "+", "-" forfeits, "x" nobody came."""
    records: dict[int, RoundRecord] = {p.tpn: cell("Z") for p in state.players}
    opposite = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+", "x": "-"}
    for (white, black), result in zip(answer.pairs, results, strict=True):
        records[white] = cell(f"{black}w{result.replace('x', '-')}")
        records[black] = cell(f"{white}b{opposite[result]}")
    if answer.bye is not None:
        records[answer.bye] = RoundRecord(None, None, "U", state.pab_half_points)
    players = tuple(History(p.tpn, (*p.rounds, records[p.tpn])) for p in state.players)
    return PairingState(
        state.round + 1, state.rounds, players, frozenset(), state.initial_colour, state.pab_half_points
    )


def test_round_one_top_half_meets_bottom_half_with_alternating_colours() -> None:
    assert dutch(before(newcomers(8))).pairs == ((1, 5), (6, 2), (3, 7), (8, 4))
    answer = dutch(before(newcomers(9), initial="black"))
    assert (answer.pairs, answer.bye) == (((5, 1), (2, 6), (7, 3), (4, 8)), 9)


def test_absent_in_round_one_have_no_number_for_the_colours() -> None:
    answer = dutch(before(newcomers(10), absent=(1, 9), initial="black"))
    assert answer.pairs == ((6, 2), (3, 7), (8, 4), (5, 10))


def test_round_two_pairs_winners_with_winners() -> None:
    rows = {1: "5w1", 2: "6b1", 3: "7w1", 4: "8b1", 5: "1b0", 6: "2w0", 7: "3b0", 8: "4w0"}
    assert dutch(before(rows)).pairs == ((4, 1), (2, 3), (5, 8), (7, 6))


def test_tie_breaks_play_no_part_in_the_order() -> None:
    """One score group, nobody has met: the numbers alone decide, whatever anybody's Buchholz."""
    rows = {2: "3w=", 3: "2b=", 5: "4w=", 4: "5b=", 6: "7w=", 7: "6b=", 8: "9w=", 9: "8b="}
    state = before(dict(sorted(rows.items())), absent=(3, 4, 7, 9))
    assert {frozenset(p) for p in dutch(state).pairs} == {frozenset((2, 6)), frozenset((5, 8))}


def test_the_leader_meets_the_last_when_nobody_else_is_left() -> None:
    rows = {1: "3w1 2b1", 2: "4b1 1w0", 3: "1b0 4w1", 4: "2w0 3b0"}
    answer = dutch(before(rows, rounds=3))
    assert {frozenset(p) for p in answer.pairs} == {frozenset((1, 4)), frozenset((2, 3))}
    assert any("1 has nobody to meet here: met 2, 3." in reason for reason in answer.reasons)


def test_the_single_floater_plays_the_next_score_group() -> None:
    """One player on 1.5, three on 1, four on 0.5: the odd one down meets the group below him, not the lowest one."""
    rows = {
        1: "9w1 10b=", 2: "11w1 12b0", 3: "12w1 11b0", 4: "10w= 9b=",
        5: "13w= 14b0", 6: "14w= 13b0", 7: "15w= 16b0", 8: "16w= 15b0",
    } | dict.fromkeys(range(9, 17), "Z Z")  # fmt: skip
    answer = dutch(before(rows, absent=range(9, 17)))
    partner = next(set(p) - {1} for p in answer.pairs if 1 in p)
    assert partner <= {2, 3, 4}
    assert any(set(p) < {2, 3, 4} for p in answer.pairs)


def test_two_of_three_candidates_for_the_bye_had_it() -> None:
    rows = {1: "2w1 4b1", 2: "1b0 3w1", 3: "U 2b0", 4: "5b1 1w0", 5: "4w0 U"}
    answer = dutch(before(rows, rounds=5))
    assert answer.bye in (2, 4)
    reason = answer.reasons[-1]
    assert "3 is not eligible: a bye or a win without playing in round 1 (C2)." in reason
    assert "5 is not eligible: a bye or a win without playing in round 2 (C2)." in reason


def test_the_bye_goes_to_the_lowest_score() -> None:
    rows = {1: "2w1", 2: "1b0", 3: "4w1", 4: "3b=", 5: "H"}
    assert dutch(before(rows)).bye == 2


def test_nobody_gets_a_second_bye_in_a_small_field_full_of_byes() -> None:
    """The only legal round of seven players; number 3, with the lowest score, had the bye in round 2."""
    rows = {
        1: "6w0 10b= U H 7w0 H", 2: "7b= 5w0 10w0 Z 3b= U", 3: "8w0 U 5b0 Z 2w= 6b0", 4: "9b1 Z 7w1 H 5b= 8w0",
        5: "10w= 2b1 3w1 8b1 4w= 9b=", 6: "1b1 8w0 Z 10b1 Z 3w1", 7: "2w= H 4b0 9w0 1b1 10b1",
        8: "3b1 6b1 H 5w0 H 4b1", 9: "4w0 H H 7b1 10w1 5w=", 10: "5b= 1w= 2b1 6w0 9b0 7w0",
    }  # fmt: skip
    answer = dutch(before(rows, absent=(4, 6, 10)))
    assert (set(answer.pairs), answer.bye) == ({(5, 1), (8, 2), (3, 9)}, 7)


def test_a_forfeited_game_is_no_meeting_and_gives_no_colour() -> None:
    history = History(4, (cell("1w1"), cell("2b+")))
    wish = preference(history)
    assert (history.colours, wish.colour, wish.strength) == (("white",), "black", Strength.STRONG)
    assert 2 not in history.met
    assert dutch(before({1: "2w+", 2: "1b-"})).pairs == ((1, 2),)


def test_a_half_point_bye_by_pairing_still_counts_as_the_bye() -> None:
    state = before(newcomers(3))
    state = PairingState(1, 3, state.players, pab_half_points=1)
    second = played(state, dutch(state), ["1"])
    assert second.by_tpn[3].half_points == 1
    assert dutch(second).bye != 3


@pytest.mark.parametrize("present", [0, 1])
def test_fewer_than_two_players_make_no_round(present: int) -> None:
    rows = {1: "4w1", 2: "5b1", 3: "6w1", 4: "1b0", 5: "2w0", 6: "3b0"}
    with pytest.raises(NoPairing, match="Fewer than two players are available for round 2"):
        dutch(before(rows, absent=range(1, 7 - present)))


def test_a_round_that_cannot_be_paired_is_said_to_be_so() -> None:
    with pytest.raises(NoPairing, match="Nobody is left whom player 1 could meet"):
        dutch(before({1: "2w1", 2: "1b0"}))
    with pytest.raises(NoPairing, match="nobody may have the bye again"):
        dutch(before({1: "U H H", 2: "H U H", 3: "H H U"}))
    # each of 2, 3 and 4 could only meet number 1
    star = {1: "H H H", 2: "3w= 4b= H", 3: "2b= H 4w=", 4: "H 2w= 3b="}
    with pytest.raises(NoPairing, match="2, 3 can meet nobody but 1: too few for so many"):
        dutch(before(star))


def white_of(rows: dict[int, str], rounds: int = 9, initial: Colour = "white") -> tuple[int, str]:
    """Who of 1 and 2 gets White, and the article; opponents from 90 up are not in the event."""
    white, black, why = Colours(before(rows, rounds, initial=initial)).allocate(1, 2)
    assert {white, black} == {1, 2}
    return white, why.rpartition("(")[2].rstrip(")")


def test_colours_when_both_wishes_can_be_met() -> None:
    assert white_of({1: "91w=", 2: "92b="}) == (2, "5.2.1")
    assert white_of({1: "91w=", 2: "H"}) == (2, "5.2.1")


def test_colours_by_the_stronger_wish() -> None:
    assert white_of({1: "91b= 92w=", 2: "93w= 94w="}) == (1, "5.2.2")
    assert white_of({1: "91w= 92w=", 2: "93w= H"}) == (2, "5.2.2")


def test_colours_of_two_topscorers_by_the_wider_difference() -> None:
    narrow, wide = "91b1 92w1 93b1 94w1 95w1", "91w1 92b1 93w1 94w1 H"
    assert white_of({1: narrow, 2: wide}, rounds=6) == (1, "5.2.2")


def test_colours_alternate_from_the_latest_difference() -> None:
    assert white_of({1: "91w= 92b= 93b= 94w=", 2: "95b= 96w= 97b= 98w="}) == (1, "5.2.3")
    # unplayed rounds count as if they came first
    assert white_of({1: "91w= 92b= 93b= H 94w=", 2: "H 95b= 96w= 97b= 98w="}) == (1, "5.2.3")


def test_colours_by_the_wish_of_the_higher_ranked() -> None:
    assert white_of({1: "91b=", 2: "92b="}) == (1, "5.2.4")
    assert white_of({1: "91b0", 2: "92b1"}) == (2, "5.2.4")
    assert white_of({1: "H H 91b= 92w=", 2: "93w= 94b= 95b= 96w="}) == (2, "5.2.4")


def test_colours_of_two_who_never_played() -> None:
    assert white_of({1: "H", 2: "H"}) == (1, "5.2.5")
    assert white_of({1: "H", 2: "H"}, initial="black") == (2, "5.2.5")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (PairingAnswer(((1, 2), (3, 4)), None), "Board 1: 1 and 2 have already met"),
        (PairingAnswer(((1, 3),), None), "Player 2 is not on the sheet"),
        (PairingAnswer(((1, 3), (3, 2)), None), "Player 3 is on the sheet twice"),
        (PairingAnswer(((1, 3), (2, 9)), None), "Player 9 is on the sheet but is not to be paired"),
        (PairingAnswer(((1, 3),), 2), "Player 4 is not on the sheet"),
    ],
)
def test_the_check_names_what_is_wrong(answer: PairingAnswer, sentence: str) -> None:
    state = before({1: "2w1", 2: "1b0", 3: "4w1", 4: "3b0"})
    with pytest.raises(IllegalPairing, match=sentence):
        assert_legal(state, answer)


def test_the_check_knows_byes_and_colours() -> None:
    state = before({1: "U 2w1", 2: "3w1 1b0", 3: "2b0 U"}, rounds=5)
    with pytest.raises(IllegalPairing, match="Player 3 may not be left over"):
        assert_legal(state, PairingAnswer(((2, 1),), 3))
    twice_white = {1: "3w= 4w=", 2: "4b= 3b=", 3: "1b= 2w=", 4: "2w= 1b="}
    with pytest.raises(IllegalPairing, match="Board 1: 1 may not have White again"):
        assert_legal(before(twice_white, rounds=5), PairingAnswer(((1, 2), (3, 4)), None))
    assert_legal(before(twice_white, rounds=5), PairingAnswer(((2, 1), (3, 4)), None))


def test_a_topscorer_may_have_a_third_white_in_the_last_round() -> None:
    rows = {1: "3w1 4w1", 2: "4b1 3b1", 3: "1b0 2w0", 4: "2w0 1b0"}
    for rounds, legal in ((3, True), (5, False)):
        answer = PairingAnswer(((1, 2), (3, 4)), None)
        if legal:
            assert_legal(before(rows, rounds=rounds), answer)
        else:
            with pytest.raises(IllegalPairing):
                assert_legal(before(rows, rounds=rounds), answer)


@settings(max_examples=40, deadline=None)
@given(players=st.integers(2, 20), rounds=st.integers(1, 9), rng=st.randoms(use_true_random=False))
def test_random_events_stay_legal_to_the_end(players: int, rounds: int, rng: random.Random) -> None:
    state = before(newcomers(players), rounds=rounds)
    gone: set[int] = set()
    while state.round <= rounds:
        away = frozenset(gone | {t for t in range(1, players + 1) if rng.random() < 0.1})
        state = PairingState(state.round, rounds, state.players, away)
        try:
            answer = dutch(state)
        except NoPairing:
            return
        assert_legal(state, answer)
        assert dutch(state) == answer
        byes = [p.tpn for p in state.players if any(r.unplayed == "U" for r in p.rounds)]
        assert answer.bye not in byes
        scores = [max(state.by_tpn[t].half_points for t in pair) for pair in answer.pairs]
        assert scores == sorted(scores, reverse=True)
        state = played(state, answer, [rng.choice("111===000+-x") for _pair in answer.pairs])
        gone |= {t for t in range(1, players + 1) if rng.random() < 0.02}


def test_nobody_is_left_over_twice_in_nine() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        state = before(newcomers(9), rounds=5)
        left_over: list[int | None] = []
        while state.round <= 5:
            answer = dutch(state)
            left_over.append(answer.bye)
            state = played(state, answer, [rng.choice("1=0") for _pair in answer.pairs])
        assert left_over[0] == 9
        assert len(set(left_over)) == 5


# -- cases from tournament halls -------------------------------------------------------------------------------------


def test_numbers_for_the_first_colours_by_either_reading() -> None:
    """Numbers 1 and 9 of ten are absent in round 1, and odd numbers start with Black."""
    state = before(newcomers(10), absent=(1, 9), initial="black")
    answer = dutch(state)
    assert answer.pairs == ((6, 2), (3, 7), (8, 4), (5, 10))
    assert "those count who have been part of a pairing" in answer.reasons[-1]
    assert dutch(replace(state, numbering="file")).pairs == ((2, 6), (7, 3), (4, 8), (10, 5))


def test_the_bye_goes_past_the_lowest_when_the_others_could_not_be_paired() -> None:
    """Number 5 is last, but only he can still meet number 1; so 4 is left over, and the reason says what blocked 5."""
    rows = {1: "2w1 3b1 4w1", 2: "1b0 Z Z", 3: "Z 1w0 Z", 4: "Z Z 1b0", 5: "Z Z Z"}
    answer = dutch(before(rows))
    assert frozenset((1, 5)) in map(frozenset, answer.pairs)
    assert answer.bye == 4
    rows = {1: "2w1 3b1 4w1", 2: "1b0 H Z", 3: "H 1w0 Z", 4: "H Z 1b0", 5: "Z Z Z"}
    answer = dutch(before(rows))
    assert answer.bye != 5
    assert "Without 5 the others have no complete pairing (C4): " in answer.reasons[-1]


def test_one_leader_meets_the_group_below_him_and_the_two_others_meet() -> None:
    rows = {
        1: "8w1 9b1 10w1 H", 2: "11w1 12b1 13w1 Z", 3: "12w1 11b1 14w1 Z", 4: "13w1 14b1 11w1 Z",
        5: "9w1 8b1 H Z", 6: "10w1 13b1 H Z", 7: "14w1 10b1 H Z", 15: "16w1 17b1 H Z",
    } | {8: "1b0 5w0 Z Z", 9: "5b0 1w0 Z Z", 10: "6b0 7w0 1b0 Z", 11: "2b0 3w0 4b0 Z", 12: "3b0 2w0 Z Z",
         13: "4b0 6w0 2b0 Z", 14: "7b0 4w0 3b0 Z", 16: "15b0 Z Z Z", 17: "Z 15w0 Z Z"}  # fmt: skip
    state = before(dict(sorted(rows.items())), absent=(8, 9, 10, 11, 12, 13, 14, 16, 17))
    pairs = {frozenset(p) for p in dutch(state).pairs}
    partner = next(set(p) - {1} for p in pairs if 1 in p)
    assert partner < {2, 3, 4}
    assert frozenset({2, 3, 4} - partner) in pairs


def test_an_exception_of_the_last_round_no_longer_holds_when_a_round_is_added() -> None:
    """Two leaders due the same colour may meet in the last round; with one more round to come they may not."""
    rows = {1: "3w1 4b1 5w1 6w1", 2: "4w1 3b1 6w1 5w1", 3: "1b0 2w0 Z Z", 4: "2b0 1w0 Z Z", 5: "Z Z 1b0 2b0",
            6: "Z Z 2b0 1b0"}  # fmt: skip
    last = before(rows, rounds=5, absent=(3, 4, 5, 6))
    (sheet,) = dutch(last).pairs
    assert set(sheet) == {1, 2}
    faults = review(replace(last, rounds=6), [sheet], None).faults
    assert [(f.criterion, set(f.players), f.absolute) for f in faults] == [("C3", {1, 2}, True)]
