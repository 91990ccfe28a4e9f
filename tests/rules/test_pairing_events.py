"""Whole events: generated and checked again, Baku groups, hand-made rounds, and explanations that hold."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.interchange.trf import read_trf, write_trf16, write_trf26
from rules.interchange.trf_model import Cell, TrfEvent, TrfPlayer
from rules.pairing.baku import acceleration, last_of_group_a, virtual_points
from rules.pairing.checker import check_event, check_round
from rules.pairing.dutch_engine import explain, pair, pair_without_reasons, solve
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import STANDARD, Amount, parse_amounts, random_plan
from rules.pairing.event_state import state_before
from rules.pairing.manual_round import review
from rules.pairing.state import History, NoPairing, PairingState
from tests.rules.test_dutch_oracle import archive, table


def small_event(seed: int, players: int = 14, rounds: int = 6) -> TrfEvent:
    return generate(random_plan(seed, players=players, rounds=rounds))


# -- Baku ------------------------------------------------------------------------------------------------------------


def test_nine_rounds_have_three_at_one_point_and_two_at_a_half() -> None:
    assert virtual_points(9) == (2, 2, 2, 1, 1)
    assert virtual_points(7, win=6) == (6, 6, 3, 3)


def test_group_a_is_twice_a_quarter_rounded_up_and_late_entries_above_its_last_member_belong_to_it() -> None:
    assert last_of_group_a(range(1, 11)) == 6
    assert acceleration(range(1, 9), (2, 3, 5, 6, 7, 8), 5) == dict.fromkeys(range(1, 7), (2, 2, 1))


def test_group_a_is_that_of_the_recorded_events() -> None:
    rows = [row for row in table("index.tsv") if row["ga_last"] != "-"]
    assert len(rows) > 30
    for row in rows:
        event, _adjustments = read_trf(archive()[f"{row['name']}.trf"], row["name"])
        paired = [p.start_rank for p in event.players if p.cell(1).opponent or p.cell(1).result == "U"]
        assert last_of_group_a(paired) == int(row["ga_last"])
        assert event.rounds is not None
        virtual = acceleration([p.start_rank for p in event.players], paired, event.rounds)
        for p in event.players:
            row_of_player = (*virtual.get(p.start_rank, ()), 0, 0, 0)
            assert event.fictitious_half_points(p.start_rank, 1) == row_of_player[0]


# -- generate and check ----------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(min_value=0, max_value=2**40), st.sampled_from((write_trf16, write_trf26)))
def test_a_generated_event_is_found_right_after_a_round_trip_through_trf(seed: int, write: object) -> None:
    plan = random_plan(seed, players=Random(seed).randint(5, 40))
    event, _adjustments = read_trf(write(generate(plan)), "generated.trf")  # type: ignore[operator]
    checks = check_event(event)
    assert len(checks) == event.paired_rounds
    assert [d for check in checks for d in check.differences] == []


@settings(max_examples=20, deadline=None)
@given(st.integers(min_value=0, max_value=2**40), st.booleans())
def test_boards_stand_by_score_sum_and_number(seed: int, baku: bool) -> None:
    """C.04.2 3.6: the higher player's score, both scores, the higher player's number; virtual points count."""
    event = generate(random_plan(seed, players=Random(seed).randint(6, 30), baku=baku, points=STANDARD))
    for number in range(1, event.paired_rounds + 1):
        state = state_before(event, number)
        keys = []
        for board in pair_without_reasons(state).pairs:
            higher, lower = sorted(board, key=lambda tpn: (-state.scores[tpn], tpn))
            keys.append((-state.scores[higher], -state.scores[higher] - state.scores[lower], higher))
        assert keys == sorted(keys), f"round {number}"


@pytest.mark.soak
def test_ten_thousand_generated_events_are_found_right() -> None:
    for seed in range(10_000):
        event, _adjustments = read_trf(write_trf26(generate(random_plan(seed))), "generated.trf")
        assert [d for check in check_event(event) for d in check.differences] == [], f"event {seed}"


def test_the_same_seed_plays_the_same_event() -> None:
    assert write_trf26(small_event(7)) == write_trf26(small_event(7))
    assert write_trf26(small_event(7)) != write_trf26(small_event(8))


def test_amounts_are_numbers_or_percentages_by_round() -> None:
    assert parse_amounts("0,2,5%") == (Amount(0), Amount(2), Amount(5, True))
    for text in ("", "x", "120%", "-1"):
        with pytest.raises(ValueError, match="is no amount"):
            parse_amounts(text)


def changed(event: TrfEvent, number: int, swaps: dict[int, Cell]) -> TrfEvent:
    players = []
    for p in event.players:
        cells = list(p.cells)
        if p.start_rank in swaps:
            cells[number - 1] = swaps[p.start_rank]
        players.append(TrfPlayer(p.start_rank, p.name, cells=tuple(cells), rating=p.rating))
    return TrfEvent(tuple(players), rounds=event.rounds, initial_colour=event.initial_colour)


def plain_event() -> TrfEvent:
    none = (Amount(),)
    return generate(
        random_plan(
            5, players=9, rounds=5, full_byes=none, half_byes=none, zero_byes=none, forfeits=none,
            double_forfeits=none, half_zero=none, zero_half=none, late=Amount(), leaving=Amount(), baku=False,
            forbidden=(), points=STANDARD,
        )
    )  # fmt: skip


def test_the_checker_names_swapped_colours_and_a_bye_for_somebody_else() -> None:
    event = plain_event()
    good = check_round(event, 1)
    assert good.same
    white, black = good.found[0]
    turned = changed(event, 1, {white: Cell(black, "b", "1"), black: Cell(white, "w", "0")})
    assert "colours" in check_round(turned, 1).differences[0]
    bye = good.found_bye
    assert bye is not None
    moved = changed(event, 1, {white: Cell(0, "-", "U"), bye: Cell(black, "w", "1"), black: Cell(bye, "b", "0")})
    differences = check_round(moved, 1).differences
    assert any("bye" in line for line in differences)
    assert any(f"{white}-{black} is missing" in line for line in differences)


def test_a_report_without_rounds_or_colour_is_refused_with_the_line_to_add() -> None:
    player = TrfPlayer(1, "One")
    with pytest.raises(ValueError, match="line 152"):
        state_before(TrfEvent((player,), rounds=5), 1)
    with pytest.raises(ValueError, match="line 142"):
        state_before(TrfEvent((player,), initial_colour="white"), 1)


# -- the answer does not depend on how one asks ----------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=0, max_value=2**40))
def test_shuffled_rows_and_a_second_asking_give_the_same_round(seed: int) -> None:
    event = small_event(seed)
    number = max(1, event.paired_rounds)
    state = state_before(event, number)
    rows = list(event.players)
    Random(seed + 1).shuffle(rows)
    shuffled = state_before(TrfEvent(**{**_fields(event), "players": tuple(rows)}), number)
    first = pair(state)
    assert pair(state) == first == pair(shuffled)


def _fields(event: TrfEvent) -> dict[str, object]:
    return {name: getattr(event, name) for name in TrfEvent.__slots__}  # type: ignore[attr-defined]


# -- explanations ----------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(min_value=0, max_value=2**40))
def test_everybody_passed_over_was_passed_over_for_a_reason_of_the_rules(seed: int) -> None:
    """Exchanging two partners must break a rule or make a criterion worse: else the earlier one would be chosen."""
    event = small_event(seed, players=Random(seed).randint(6, 30), rounds=7)
    for number in range(1, event.paired_rounds + 1):
        explanation = explain(solve(state_before(event, number)))
        for board in explanation.boards:
            bracket = explanation.brackets[board.bracket]
            for skipped in board.skipped:
                assert skipped.criterion in {"forbidden", *(f"C{n}" for n in range(1, 22))}
                if skipped.criterion == "C8":
                    assert bracket.floaters, "only who moves down can spoil the next group"
                if skipped.criterion != "C4":
                    assert re.search(rf"(?<!\d){skipped.player}(?!\d)", skipped.words), skipped.words


def test_an_impossible_round_says_why_and_what_to_do() -> None:
    players = tuple(History(tpn) for tpn in (1, 2))
    state = PairingState(1, 3, players, forbidden=frozenset({(1, 2)}))
    with pytest.raises(NoPairing, match=r"Nobody is left whom player 1 could meet.*chief arbiter"):
        pair(state)


# -- rounds made by hand ---------------------------------------------------------------------------------------------


def test_the_engines_own_round_has_no_faults() -> None:
    event = plain_event()
    for number in range(1, event.paired_rounds + 1):
        state = state_before(event, number)
        answer = pair_without_reasons(state)
        assert review(state, answer.pairs, answer.bye).faults == ()


def test_a_rematch_and_a_second_bye_are_named_with_their_criteria() -> None:
    event = plain_event()
    state = state_before(event, 4)
    answer = pair_without_reasons(state)
    had_bye = next(p.tpn for p in state.players if p.barred_from_bye)
    partner = next(b if a == had_bye else a for a, b in answer.pairs if had_bye in (a, b))
    assert answer.bye is not None
    pairs = [p for p in answer.pairs if had_bye not in p] + [(partner, answer.bye)]
    found = review(state, pairs, had_bye)
    assert "C2" in {f.criterion for f in found.faults if f.absolute}
    a = state.players[0]
    met = min(a.met)
    others = [t for t in range(1, 10) if t not in (a.tpn, met)]
    again = [(a.tpn, met), *zip(others[:3], others[3:6], strict=True)]
    faults = review(state, again, others[6]).faults
    assert any(f.criterion == "C1" and f"{a.tpn} and {met} have met" in f.words for f in faults)


def test_a_third_equal_colour_is_named() -> None:
    for seed in range(20):
        event = small_event(seed, rounds=7)
        for number in range(3, event.paired_rounds + 1):
            state = state_before(event, number)
            answer = pair_without_reasons(state)
            for pair_ in answer.pairs:
                last = state.by_tpn[pair_[0]].colours[-2:]
                if last == ("black", "black") and not any(map(state.is_topscorer, pair_)):
                    turned = [p[::-1] if p == pair_ else p for p in answer.pairs]
                    faults = review(state, turned, answer.bye).faults
                    assert any(f.criterion == "C3" and f.players == (pair_[0],) and f.absolute for f in faults)
                    return
    pytest.fail("no event had two Blacks in a row")


def test_a_sheet_with_somebody_missing_or_twice_is_not_judged_further() -> None:
    state = PairingState(1, 3, tuple(History(tpn) for tpn in range(1, 5)))
    assert {f.words for f in review(state, [(1, 2), (1, 3)], None).faults} == {
        "1 is on the sheet twice.", "4 is not on the sheet."
    }  # fmt: skip


def test_a_legal_round_out_of_order_is_worse_by_the_order_alone() -> None:
    state = PairingState(1, 3, tuple(History(tpn) for tpn in range(1, 5)))
    found = review(state, [(1, 4), (3, 2)], None)
    assert [f.criterion for f in found.faults][:1] == ["order"]
    assert found.only_by_engine == ((1, 3), (4, 2))
