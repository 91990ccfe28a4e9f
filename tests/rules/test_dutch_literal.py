"""The engine against the rules word for word, on random small fields with everything that makes them hard."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.dutch_engine import pair_without_reasons
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import Amount, random_plan
from rules.pairing.state import NoPairing, PairingAnswer, PairingState
from tests.rules.dutch_literal import Impossible, Literal


class Comparison:
    """Pairs with the engine and looks whether the literal procedure says the same; keeps what differs."""

    def __init__(self, largest_group: int) -> None:
        self.largest_group = largest_group
        self.compared = 0
        self.different: list[tuple[int, str]] = []

    def __call__(self, state: PairingState) -> PairingAnswer:
        scores = [state.scores[p.tpn] for p in state.present]
        small = max((scores.count(s) for s in scores), default=0) <= self.largest_group
        literal: Literal | None = None
        if small and len(scores) > 1:
            try:
                literal = Literal(state)
            except Impossible:
                with pytest.raises(NoPairing):
                    pair_without_reasons(state)
                self.compared += 1
        answer = pair_without_reasons(state)
        if literal is not None:
            self.compared += 1
            ours = {frozenset(p) for p in answer.pairs}
            if (ours, answer.bye) != (literal.pairs, literal.bye):
                self.different.append((state.round, f"{sorted(map(sorted, ours))} {answer.bye}"))
        return answer


def hard_event(seed: int, largest: int, comparison: Comparison) -> None:
    """A small field with nearly as many rounds as players, byes, forfeits, absences, late entries and bans."""
    rng = Random(seed)
    players = rng.randint(4, largest)
    plan = random_plan(
        seed,
        players=players,
        rounds=rng.randint(3, players + 1),
        half_byes=(Amount(rng.choice((0, 5, 15, 30)), True),),
        zero_byes=(Amount(rng.choice((0, 5, 20)), True),),
        forfeits=(Amount(rng.choice((0, 5, 25)), True),),
        late=Amount(rng.choice((0, 0, 10)), True),
    )
    generate(plan, comparison)


@settings(max_examples=220, deadline=None)
@given(st.integers(min_value=0, max_value=2**32))
def test_the_engine_pairs_small_fields_as_the_rules_are_written(seed: int) -> None:
    comparison = Comparison(largest_group=7)
    hard_event(seed, 11, comparison)
    assert comparison.different == []


@pytest.mark.soak
def test_a_hundred_thousand_small_rounds() -> None:
    comparison = Comparison(largest_group=8)
    seed = 1_000_000
    while comparison.compared < 100_000:
        hard_event(seed, 13, comparison)
        assert comparison.different == [], f"event {seed}"
        seed += 1
