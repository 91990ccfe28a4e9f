"""Whole random tournaments: always legal, and the log replayed gives the state that was lived."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.pairing.legality import LEGALITY
from rules.pairing.registry import SYSTEMS
from rules.pairing.state import NoPairing, PairingAnswer
from rules.tournament.decisions import decide
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations, TournamentEvent
from rules.tournament.intents import (
    Enter,
    Finish,
    GrantBye,
    Intent,
    Pair,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Seal,
    Start,
    Withdraw,
)
from rules.tournament.standings import standings
from rules.tournament.state import TournamentState, fold, replay

SCORES = ("1-0", "1-0", "0-1", "1/2-1/2", "0-0")


class Event:
    """A tournament whose people act at random, by a seed."""

    def __init__(self, count: int, rounds: int, system: str, rng: random.Random) -> None:
        self.rng = rng
        self.log: list[TournamentEvent] = []
        self.state = TournamentState()
        codes = ("BH/C1", "BH", "SB", "DE") if system == "dutch" else ("SB", "DE", "KS")
        regulations = Regulations("Random", rounds, system, tie_breaks=codes)
        self.does(Enter(tuple(Entry(0, f"P{n}", 2000 - n) for n in range(count)), regulations))

    def does(self, intent: Intent) -> None:
        decision = decide(self.state, intent, len(self.log), "Ada")
        assert not isinstance(decision, Refusal), decision.why
        for event in decision:
            self.log.append(event)
            self.state = fold(self.state, event)

    def plays_round(self) -> bool:
        """One round with everything that may happen; False when no legal pairing exists."""
        assert self.state.regulations is not None
        number = self.state.next_round_to_pair
        assert number is not None
        if self.state.regulations.system == "dutch":
            for tpn in self.state.entries:
                if tpn not in self.state.withdrawn and self.rng.random() < 0.08:
                    self.does(GrantBye(tpn, number, self.rng.choice("HFZ")))  # type: ignore[arg-type]
        before = self.state.pairing_state()
        try:
            answer: PairingAnswer = SYSTEMS[self.state.regulations.system](before)
        except NoPairing:
            return False
        LEGALITY[self.state.regulations.system](before, answer)
        self.does(Pair(answer, before.digest))
        self.does(Publish(tuple(f"t{n}" for n in range(1, len(answer.pairs) + 1))))
        self.does(Start())
        boards = list(self.state.open_boards(number))
        self.rng.shuffle(boards)
        for board in boards:
            if self.rng.random() < 0.1:
                score = self.rng.choice(("1-0", "0-1", "0-0"))
                self.does(Rule(number, board, score, why="default time", forfeit=True))  # type: ignore[arg-type]
            else:
                self.does(RecordResult(number, board, self.rng.choice(SCORES)))  # type: ignore[arg-type]
            official = self.state.rounds[-1].results[board]
            if official.source != "forfeit" and self.rng.random() < 0.1:
                self.does(RecordResult(number, board, official.score))
        for tpn in self.state.entries:
            if self.rng.random() < 0.02:
                self.does(Withdraw(tpn))
        self.does(Seal(number))
        return True


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(2, 20),
    wanted=st.integers(1, 9),
    system=st.sampled_from(["dutch", "dutch", "berger"]),
    rng=st.randoms(use_true_random=False),
)
def test_events_play_to_the_end(count: int, wanted: int, system: str, rng: random.Random) -> None:
    rounds = min(wanted, count - 1 + count % 2)
    event = Event(count, rounds, system, rng)
    complete = True
    for _number in range(rounds):
        complete = complete and event.plays_round()
    if complete:
        event.does(Finish())
    assert replay(event.log) == event.state

    table = standings(event.state)
    assert sorted(s.tpn for s in table) == sorted(event.state.entries)
    ranked = [s for s in table if not s.excluded]
    assert [s.half_points for s in ranked] == sorted((s.half_points for s in ranked), reverse=True)
    assert all(s.reason for s in table)
    places = Counter(s.rank for s in table)
    assert all(
        later.rank == earlier.rank or later.rank == earlier.rank + places[earlier.rank]
        for earlier, later in pairwise(table)
    )


@settings(max_examples=15, deadline=None)
@given(count=st.integers(2, 12), cut=st.integers(0, 200), rng=st.randoms(use_true_random=False))
def test_any_prefix_of_a_log_is_a_state(count: int, cut: int, rng: random.Random) -> None:
    event = Event(count, min(4, count - 1 + count % 2), "dutch", rng)
    while event.state.next_round_to_pair is not None and event.plays_round():
        continue
    prefix = event.log[:cut]
    state = replay(prefix)
    assert state.events == len(prefix)
    for later in event.log[cut:]:
        state = fold(state, later)
    assert state == event.state


def test_the_score_is_the_same_whichever_way_it_is_counted() -> None:
    event = Event(11, 5, "dutch", random.Random(5))
    while event.state.next_round_to_pair is not None and event.plays_round():
        done = len(event.state.rounds)
        for history in event.state.histories(done):
            assert history.half_points == event.state.score_half_points(history.tpn, done)
