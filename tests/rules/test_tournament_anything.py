"""Whatever desks want, in whatever order: the log is the state, a refusal changes nothing, undoing brings it back."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.interchange.rating_list import RatedPlayer
from rules.pairing.state import NoPairing
from rules.tiebreaks.ranking import HAND
from rules.tournament.book_events import SheetWithdrawn
from rules.tournament.book_intents import (
    AddBoard,
    Adjourn,
    ChangeRegulations,
    CheckIn,
    CloseCheckIn,
    CloseManual,
    CorrectEntry,
    CorrectResult,
    DrawLot,
    DrawNumbers,
    EnterLate,
    ExchangeNumbers,
    Excuse,
    ExitFide,
    Expel,
    Flag,
    Forbid,
    MakeRound,
    OpenCheckIn,
    OpenManual,
    Redo,
    Renumber,
    ReplacePairs,
    RequestBye,
    Return,
    RevokeBye,
    SetUnpaired,
    TakeOut,
    Undo,
    WithdrawSheet,
)
from rules.tournament.check_list import check_list
from rules.tournament.decide_entries import missing_players
from rules.tournament.decide_rounds import robin_gaps
from rules.tournament.entries import Entry
from rules.tournament.events import KIND_OF, KINDS, TournamentEvent
from rules.tournament.integrity import remarks
from rules.tournament.intents import (
    Confirmed,
    DropDraft,
    Finish,
    GrantBye,
    Intent,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Seal,
    Start,
    Withdraw,
)
from rules.tournament.list_intents import CheckRatings, LoadList, PickRating, RateRound, UpdateRatings
from rules.tournament.proposals import proposals
from rules.tournament.rank_intents import OrderTied, ValueFromOutside
from rules.tournament.rating_lists import elsewhere, rating_differences
from rules.tournament.report_lines import state_lines
from rules.tournament.standings import standings, tied_by_tie_breaks
from rules.tournament.state import TournamentState, fold
from tests.rules.book_hall import Hall

_SCORES: tuple[Any, ...] = ("1-0", "0-1", "1/2-1/2", "0-0", "1/2-0")
_BYES: tuple[Any, ...] = ("H", "Z", "F", "U")
#: What undoing does not bring back: the log's own counts, and who touched something last.
_NOT_COMPARED = {"events", "latest", "touched", "steps", "undone", "quiet", "notes", "old_sheets"}


def book_of(state: TournamentState) -> Mapping[str, Any]:
    """What the book says; what comes back by undoing is as of now, so times are left out."""
    book = {f.name: getattr(state, f.name) for f in fields(state) if f.name not in _NOT_COMPARED}
    return {
        **book,
        "rounds": tuple(
            replace(
                found,
                results={board: replace(result, at=0) for board, result in found.results.items()},
                adjourned={board: replace(game, at=0) for board, game in found.adjourned.items()},
                report={board: replace(told, at=0) for board, told in found.report.items()},
            )
            for found in state.rounds
        ),
        "tied_orders": tuple(replace(each, at=0) for each in state.tied_orders),
        "forbidden": sorted((rule.players, rule.first_round, rule.last_round) for rule in state.forbidden),
    }


class Desk:
    """An arbiter who does anything, and insists where he is only warned."""

    def __init__(self, rng: random.Random, hall: Hall) -> None:
        self.rng, self.hall = rng, hall

    @property
    def tpn(self) -> int:
        return self.rng.randrange(1, len(self.hall.state.entries) + 2)

    @property
    def number(self) -> int:
        return max(1, len(self.hall.state.rounds) + self.rng.randrange(-1, 3))

    @property
    def board(self) -> int:
        return self.rng.randrange(1, 5)

    def about_players(self) -> list[Intent]:
        state, rng = self.hall.state, self.rng
        return [
            Withdraw(self.tpn),
            Return(self.tpn),
            Expel(self.tpn, "x"),
            Flag(self.tpn, rng.random() < 0.5),
            RequestBye(self.tpn, self.number, rng.choice(_BYES)),
            GrantBye(self.tpn, self.number, rng.choice(_BYES)),
            RevokeBye(self.tpn, self.number),
            EnterLate(Entry(0, f"New {rng.random()}", rng.randrange(2400, 2500))),
            CorrectEntry(Entry(self.tpn, "Someone", rng.randrange(2000, 2600))),
            TakeOut(self.tpn),
            DrawNumbers(rng.randrange(3)),
            Renumber("ratings"),
            ExchangeNumbers(self.tpn, self.tpn, "x"),
            OpenCheckIn(),
            CheckIn(self.tpn, rng.random() < 0.7),
            CloseCheckIn({tpn: rng.choice(("round", "event", "pair")) for tpn in missing_players(state)}),
            Forbid((self.tpn, self.tpn)),
            Excuse(self.tpn, self.number, "ill", rng.random() < 0.7),
        ]

    def about_rounds(self) -> list[Intent]:
        state, rng = self.hall.state, self.rng
        here = [tpn for tpn in state.entries if tpn not in state.absent(len(state.rounds) + 1)]
        rng.shuffle(here)
        pairs = tuple((here[i], here[i + 1]) for i in range(0, len(here) - 1, 2))
        bye = here[-1] if len(here) % 2 else None
        sheet = state.current_round
        moved: tuple[tuple[int, int, int], ...] = ()
        if sheet is not None and len(sheet.pairs) > 1:
            one, other = rng.sample(sheet.pairs, 2)
            moved = ((one.board, one.white, other.black), (other.board, other.white, one.black))
        return [
            OpenManual("x"),
            MakeRound(pairs, bye),
            CloseManual(),
            DropDraft(),
            Publish(self.hall.tables),
            Publish(self.hall.tables),
            WithdrawSheet("wrong"),
            Start(),
            Start(),
            AddBoard(self.tpn, self.tpn, why="late"),
            SetUnpaired(self.tpn, rng.choice(_BYES), "x"),
            ReplacePairs(len(state.rounds), moved, "so they sat"),
            Seal(self.number),
            Finish(),
        ]

    def about_results(self) -> list[Intent]:
        rng, score = self.rng, self.rng.choice(_SCORES)
        return [
            Rule(self.number, self.board, score, "so it was", forfeit=rng.random() < 0.3),
            Rule(self.number, self.board, score, "so it was"),
            RecordResult(self.number, self.board, score),
            RecordResult(self.number, self.board, score),
            CorrectResult(self.number, self.board, score, swapped=rng.random() < 0.3, why="so it was"),
            Adjourn(self.number, self.board, "late"),
            Undo(why="no"),
            Undo(why="no"),
            Redo(),
        ]

    def about_the_rest(self) -> list[Intent]:
        state, rng = self.hall.state, self.rng
        tied = tied_by_tie_breaks(state) if state.rounds else ()
        row = RatedPlayer(self.tpn, "Someone", standard=rng.randrange(2000, 2600))
        changes: Mapping[str, Any] = rng.choice(
            [{"long_event": True}, {"rounds": self.number + 1}, {"tie_break_ratings": "round"}, {"expel_after": 1}]
        )
        return [
            ChangeRegulations(changes, "x"),
            DrawLot("standings", rng.randrange(3), ("x",)),
            LoadList("FIDE", f"2026/{rng.randrange(1, 13):02}/01", (row,), "2026/06/01"),
            CheckRatings("2026/06/01"),
            UpdateRatings(day="2026/06/01"),
            PickRating(self.tpn, "FIDE", "standard"),
            RateRound(self.tpn, self.number, rng.randrange(2000, 2600)),
            ValueFromOutside(self.tpn, str(rng.randrange(9)), "x"),
            OrderTied(tuple(reversed(tied[0])) if tied else (1, 2), "play-off"),
            ExitFide("x") if rng.random() < 0.2 else Redo(),
        ]

    def wants(self) -> Intent:
        """The next thing, often the one that moves the event on."""
        rng = self.rng
        following = self.following() if rng.random() < 0.6 else None
        if following is not None:
            return following
        kinds = (self.about_players, self.about_rounds, self.about_rounds, self.about_results, self.about_the_rest)
        return rng.choice(rng.choice(kinds)())

    def following(self) -> Intent | None:
        """What comes next in an event that goes its way."""
        state = self.hall.state
        sheet = state.current_round
        if state.draft is not None and not state.manual:
            return Publish(self.hall.tables)
        if sheet is not None and not sheet.started:
            return Start()
        if sheet is not None and sheet.open_boards:
            return RecordResult(sheet.number, self.rng.choice(sheet.open_boards), self.rng.choice(_SCORES))
        if state.manual:
            return self.rng.choice(self.about_rounds()[1:3])
        try:
            return self.hall.pairing() if state.next_round_to_pair else None
        except (NoPairing, ValueError):
            return None

    def insists(self, intent: Intent) -> tuple[TournamentEvent, ...]:
        """What comes of it when every warning is confirmed."""
        before = self.hall.state
        answer = self.hall.asks(intent)
        for _step in range(2):
            if isinstance(answer, Refusal):
                assert answer.why.strip(), intent
                assert self.hall.state is before, intent
                if answer.token:
                    answer = self.hall.asks(Confirmed(intent, answer.token))
        return () if isinstance(answer, Refusal) else answer


def looks(state: TournamentState) -> None:
    """Everything that is worked out of a state can be worked out, whatever has happened."""
    places = standings(state)
    assert sorted(place.tpn for place in places) == sorted(state.entries)
    assert all(place.reason for place in places if place.decided_by == HAND)
    known = state.entries.keys()
    for found in (*state.rounds, *((state.draft,) if state.draft is not None else ())):
        seated = [tpn for pair in found.pairs for tpn in (pair.white, pair.black)]
        assert len(seated) == len(set(seated)), "nobody sits twice"
        assert {*seated, *found.byes, *((found.bye,) if found.bye is not None else ())} <= known
    assert state.withdrawn.keys() | state.expelled | state.no_half_bye | state.outside.keys() <= known
    assert state.expelled <= state.withdrawn.keys()
    state.pairing_state()
    assert all(line.isascii() for line in (*remarks(state), *state_lines(state)))
    for each in (check_list(state), proposals(state), robin_gaps(state), rating_differences(state, "2026/06/01")):
        assert isinstance(each, list | tuple)
    assert all(isinstance(elsewhere(state, entry), tuple) for entry in state.entries.values())


_EVENTS: Mapping[str, Mapping[str, Any]] = {
    "swiss": {"tie_breaks": ("BH/C1", "ARO", "OTHER_OUTSIDE"), "full_byes": True, "half_byes": 2},
    "robin": {"system": "berger", "tie_breaks": ("DE", "OTHER_OUTSIDE")},
    "double": {"system": "berger", "tie_breaks": ("DE", "SB"), "cycles": 2},
    "long": {"long_event": True, "tie_breaks": ("BH", "OTHER_OUTSIDE")},
}


def lives(rng: random.Random, announced: str, wishes: int) -> Hall:
    """So many wishes, one after the other, and what must hold after each."""
    hall = Hall(rng.randrange(4, 7), 3, **_EVENTS[announced])
    desk = Desk(rng, hall)
    for _n in range(wishes):
        intent = desk.wants()
        before, steps, noted = book_of(hall.state), hall.state.steps, hall.state.notes
        was_fide = hall.state.fide_mode
        answer = desk.insists(intent)
        looks(hall.state)
        assert was_fide or not hall.state.fide_mode, "there is no way back"
        if not answer:
            assert (book_of(hall.state), hall.state.notes) == (before, noted), intent
            continue
        acts = hall.state.steps
        is_new = len(acts) == len(steps) + 1 and acts[-1].events == answer
        if is_new and not isinstance(intent, Undo | Redo | Publish) and rng.random() < 0.4:
            undone = desk.insists(Undo(why="at once"))
            if undone and not any(isinstance(e, SheetWithdrawn) for e in undone):
                assert book_of(hall.state) == before, intent
    return hall


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(min_value=0, max_value=10**6), announced=st.sampled_from(sorted(_EVENTS)))
def test_whatever_is_wanted_the_book_stays_whole(seed: int, announced: str) -> None:
    hall = lives(random.Random(seed), announced, 40)
    hall.check_log()
    for event in hall.log:
        kind = KIND_OF[type(event)]
        assert msgspec.json.decode(msgspec.json.encode(event), type=KINDS[kind]) == event


def test_no_event_that_was_recorded_stops_the_fold_whatever_state_it_meets() -> None:
    halls = [lives(random.Random(seed), announced, 30) for seed, announced in enumerate(sorted(_EVENTS))]
    for hall, other in pairwise([*halls, halls[0]]):
        for state in (TournamentState(), other.state):
            for event in hall.log:
                after = fold(state, event)
                assert after.events == state.events + 1
