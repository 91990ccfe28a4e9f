"""What the arbiter and the tables may do to a tournament, told as stories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.pairing.registry import SYSTEMS
from rules.pairing.state import PairingAnswer
from rules.tournament.decisions import decide
from rules.tournament.entries import Entry
from rules.tournament.events import (
    CallClosed,
    CallOpened,
    DeviceEnrolled,
    DraftDropped,
    Published,
    Regulations,
    Resulted,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.intents import (
    CloseCall,
    Confirmed,
    ConfirmOrder,
    DropDraft,
    Enrol,
    Enter,
    Finish,
    GrantBye,
    Intent,
    OpenCall,
    OpenHub,
    Order,
    Pair,
    Publish,
    RecordResult,
    Refusal,
    Rule,
    Seal,
    Start,
    Withdraw,
)
from rules.tournament.state import TournamentState, fold, replay

REGULATIONS = Regulations("Evening open", rounds=3)


def players(count: int) -> tuple[Entry, ...]:
    return tuple(Entry(0, f"Player {n}", rating=2500 - n) for n in range(1, count + 1))


class Hall:
    """A tournament under an arbiter called Ada: intents in, the log grows."""

    def __init__(self, count: int = 6, regulations: Regulations = REGULATIONS) -> None:
        self.state = TournamentState()
        self.log: list[TournamentEvent] = []
        self.tables = tuple(f"t{n}" for n in range(1, count // 2 + 1))
        self.does(Enter(players(count), regulations))

    def asks(self, intent: Intent | Confirmed, by: str = "Ada") -> tuple[TournamentEvent, ...] | Refusal:
        """The decision; what it causes is stored."""
        decision = decide(self.state, intent, at=1000 + len(self.log), by=by)
        if not isinstance(decision, Refusal):
            for event in decision:
                self.log.append(event)
                self.state = fold(self.state, event)
        return decision

    def does(self, intent: Intent | Confirmed, by: str = "Ada") -> tuple[TournamentEvent, ...]:
        decision = self.asks(intent, by)
        assert not isinstance(decision, Refusal), decision.why
        return decision

    def is_refused(self, intent: Intent) -> str:
        decision = self.asks(intent)
        assert isinstance(decision, Refusal)
        return decision.why

    def pairing(self) -> Pair:
        before = self.state.pairing_state()
        assert self.state.regulations is not None
        return Pair(SYSTEMS[self.state.regulations.system](before), before.digest)

    def opens_round(self) -> None:
        self.does(self.pairing())
        self.does(Publish(self.tables))
        self.does(Start())

    def plays_round(self, score: str = "1-0") -> None:
        self.opens_round()
        current = self.state.current_round
        assert current is not None
        for board in current.open_boards:
            self.does(RecordResult(current.number, board, score))  # type: ignore[arg-type]


def test_entries_are_numbered_by_strength_and_entered_once() -> None:
    hall = Hall(4)
    assert [e.name for e in hall.state.entries.values()] == ["Player 1", "Player 2", "Player 3", "Player 4"]
    assert hall.does(Enter(players(4), REGULATIONS)) == ()


@pytest.mark.parametrize(
    ("count", "regulations", "sentence"),
    [
        (1, REGULATIONS, "A tournament needs at least two players; the list has 1."),
        (4, replace(REGULATIONS, rounds=4), "4 rounds cannot be played by 4 players: choose 1 to 3"),
        (4, replace(REGULATIONS, system="monrad"), "'monrad' is no pairing system here. Known are: dutch, berger"),
        (4, replace(REGULATIONS, tie_breaks=("BH", "LUCK")), "'LUCK' is no tie-break known here"),
    ],
)
def test_impossible_regulations_are_refused(count: int, regulations: Regulations, sentence: str) -> None:
    decision = decide(TournamentState(), Enter(players(count), regulations), at=0, by="Ada")
    assert isinstance(decision, Refusal)
    assert sentence in decision.why


def test_pairing_numbers_must_have_no_gap() -> None:
    decision = decide(TournamentState(), Enter((Entry(1, "A"), Entry(3, "B")), Regulations("x", 1)), 0, "Ada")
    assert decision == Refusal("Pairing numbers must be 1 to 2, each once, or all be left out.")


def test_nothing_can_be_paired_before_the_entries() -> None:
    assert decide(TournamentState(), Pair(PairingAnswer((), None)), 0, "Ada") == Refusal(
        "There are no entries yet. Enter the players first."
    )


def test_the_next_round_waits_for_every_result() -> None:
    hall = Hall(6)
    hall.opens_round()
    stale = hall.pairing()
    hall.does(RecordResult(1, 2, "1-0"))
    assert hall.is_refused(stale) == "Round 1: boards 1 and 3 have no result yet."
    hall.does(RecordResult(1, 1, "1-0"))
    assert hall.is_refused(stale) == "Round 1: board 3 has no result yet."
    hall.does(RecordResult(1, 3, "1/2-1/2"))
    assert "changed while round 2 was being paired" in hall.is_refused(stale)
    hall.does(hall.pairing())
    assert hall.state.draft is not None


def test_pair_pressed_twice_makes_one_draft() -> None:
    hall = Hall(6)
    intent = hall.pairing()
    hall.does(intent)
    assert "Round 1 is paired already" in hall.is_refused(intent)
    hall.does(DropDraft())
    assert hall.does(DropDraft()) == ()
    hall.does(intent)


def test_an_illegal_pairing_is_refused_whoever_computed_it() -> None:
    hall = Hall(4)
    hall.plays_round()
    rematch = PairingAnswer(tuple((p.white, p.black) for p in hall.state.rounds[0].pairs), None)
    assert "have already met" in hall.is_refused(Pair(rematch))


def test_publishing_needs_a_draft_and_a_table_for_every_board() -> None:
    hall = Hall(6)
    assert hall.is_refused(Publish(hall.tables)) == "There is no draft to publish. Pair the round first."
    hall.does(hall.pairing())
    assert hall.is_refused(Publish(("t1",))).startswith("Round 1 has 3 boards, and 2 tables are missing.")
    assert hall.is_refused(Publish(("t1", "t1", "t2"))).startswith("Round 1 has 3 boards, and 1 table is missing.")
    (published,) = hall.does(Publish(("t9", "t2", "t3", "t4")))
    assert isinstance(published, Published)
    assert published.tables == {"1": "t9", "2": "t2", "3": "t3"}
    assert hall.is_refused(Publish(hall.tables)) == "Round 1 is already public; nothing is changed."
    assert hall.state.rounds[0].board_of_table("t9") == 1


def test_the_checksum_belongs_to_the_sheet() -> None:
    first, second, other = Hall(6), Hall(6), Hall(8)
    for hall in (first, second, other):
        hall.opens_round()
    sums = [hall.state.rounds[0].checksum for hall in (first, second, other)]
    assert sums[0] == sums[1] != sums[2]
    assert len(sums[0]) == 12


def test_only_a_public_round_is_started_and_only_once() -> None:
    hall = Hall(4)
    assert "not public yet" in hall.is_refused(Start())
    hall.does(hall.pairing())
    assert "not public yet" in hall.is_refused(Start())
    hall.does(Publish(hall.tables))
    hall.does(Start())
    assert hall.state.rounds[0].started
    assert hall.does(Start()) == ()


def test_the_same_result_counts_once() -> None:
    hall = Hall(4)
    hall.opens_round()
    assert len(hall.does(RecordResult(1, 1, "1-0"), by="t1")) == 1
    assert hall.does(RecordResult(1, 1, "1-0"), by="t1") == ()
    white = hall.state.rounds[0].pairs[0].white
    assert hall.state.score_half_points(white, 1) == 2


def test_a_game_that_was_played_after_all_is_no_win_by_forfeit() -> None:
    """The arbiter gave a win to who sat alone; the two had played before it reached the table, with the same score."""
    hall = Hall(4)
    hall.opens_round()
    hall.does(Rule(1, 2, "1-0", forfeit=True))
    (call,) = hall.does(RecordResult(1, 2, "1-0"), by="t2")
    assert isinstance(call, CallOpened)
    assert (call.kind, call.why) == ("dispute", "The table now says 1-0; recorded is 1-0F.")
    assert hall.does(RecordResult(1, 2, "1-0"), by="t2") == (), "each version is told once"
    hall.does(Rule(1, 2, "1-0", why="they had played"))
    result = hall.state.rounds[0].results[2]
    assert (result.score, result.source, result.rated) == ("1-0", "ruling", True)
    assert hall.state.calls == {}


def test_another_result_from_the_table_is_a_dispute_until_the_arbiter_rules() -> None:
    hall = Hall(4)
    hall.opens_round()
    for board in (1, 2):
        hall.does(RecordResult(1, board, "1-0"), by=f"t{board}")
    (call,) = hall.does(RecordResult(1, 2, "0-1"), by="t2")
    assert isinstance(call, CallOpened)
    assert (call.kind, call.board, call.why) == ("dispute", 2, "The table now says 0-1; recorded is 1-0.")
    assert hall.does(RecordResult(1, 2, "0-1"), by="t2") == ()
    assert hall.state.rounds[0].results[2].score == "1-0"
    assert hall.is_refused(hall.pairing()) == "Round 1: the result of board 2 is disputed. Rule on it first."
    assert "Say why it is corrected" in hall.is_refused(Rule(1, 2, "0-1"))
    ruled, closed = hall.does(Rule(1, 2, "0-1", why="both say so"))
    assert isinstance(ruled, Resulted)
    assert isinstance(closed, CallClosed)
    assert hall.state.rounds[0].results[2].score == "0-1"
    assert hall.does(RecordResult(1, 2, "0-1"), by="t2") == ()
    hall.does(hall.pairing())


def test_a_ruling_that_confirms_only_closes_the_call() -> None:
    hall = Hall(4)
    hall.opens_round()
    hall.does(RecordResult(1, 1, "1-0"))
    hall.does(OpenCall("c1", 1, 1, "call", "white", "says it was a draw"))
    events = hall.does(Rule(1, 1, "1-0", call="c1"))
    assert [type(e) for e in events] == [CallClosed]
    assert hall.does(Rule(1, 1, "1-0")) == ()
    assert hall.state.calls == {}


def test_results_that_do_not_fit_the_sheet_are_refused() -> None:
    hall = Hall(4)
    hall.opens_round()
    pair = hall.state.rounds[0].pairs[0]
    assert hall.is_refused(RecordResult(1, 3, "1-0")) == "Round 1 has no board 3."
    assert hall.is_refused(RecordResult(2, 1, "1-0")) == "Round 2 is not public."
    for wrong in ((pair.black, pair.white), (pair.white, pair.white), (pair.white, 99)):
        assert "speaks of another pair" in hall.is_refused(RecordResult(1, 1, "1-0", pair=wrong))
    hall.does(RecordResult(1, 1, "1-0", pair=(pair.white, pair.black)))
    hall.does(RecordResult(1, 2, "1-0"))
    hall.opens_round()
    assert hall.is_refused(RecordResult(1, 1, "0-1")) == "Round 1 is closed: board 1 stays 1-0."


def test_a_no_show_loses_by_forfeit_without_a_colour() -> None:
    hall = Hall(4)
    hall.opens_round()
    pair = hall.state.rounds[0].pairs[0]
    assert hall.is_refused(Rule(1, 1, "1/2-1/2", forfeit=True)) == "A forfeited game cannot be a draw."
    hall.does(Rule(1, 1, "1-0", why="default time", forfeit=True))
    hall.does(Rule(1, 2, "0-0", why="nobody came", forfeit=True))
    before = hall.state.pairing_state()
    assert [before.by_tpn[t].rounds[0].unplayed for t in (pair.white, pair.black)] == ["+", "-"]
    assert before.by_tpn[pair.white].colours == ()
    other = hall.state.rounds[0].pairs[1]
    assert [before.by_tpn[t].rounds[0].unplayed for t in (other.white, other.black)] == ["-", "-"]


def test_a_correction_throws_the_draft_away_but_not_the_public_round() -> None:
    hall = Hall(6)
    hall.plays_round()
    hall.does(hall.pairing())
    events = hall.does(Rule(1, 1, "0-1", why="typed wrongly"))
    assert [type(e) for e in events] == [Resulted, DraftDropped]
    hall.opens_round()
    sheet = hall.state.rounds[1].pairs
    again = Rule(1, 1, "1-0", why="no, it was right")
    warned = hall.asks(again)
    assert isinstance(warned, Refusal)
    assert (warned.level, [w.key for w in warned.warnings]) == (3, ["correction-kept"])
    hall.does(Confirmed(again, warned.token))
    assert hall.state.rounds[1].pairs == sheet
    assert hall.state.score_half_points(hall.state.rounds[0].pairs[0].white, 1) == 2


def test_a_withdrawn_player_is_not_paired_and_the_draft_is_stale() -> None:
    hall = Hall(6)
    hall.plays_round()
    hall.does(hall.pairing())
    events = hall.does(Withdraw(4, "ill"))
    assert [type(e) for e in events] == [DraftDropped, Withdrawn]
    assert hall.does(Withdraw(4)) == ()
    hall.opens_round()
    current = hall.state.current_round
    assert current is not None
    assert current.pair_of(4) is None
    assert current.byes == {4: "Z"}
    assert current.bye is not None


def test_withdrawing_after_publication_concerns_the_next_round() -> None:
    hall = Hall(6)
    hall.opens_round()
    hall.does(Withdraw(4))
    assert 4 not in hall.state.absent(1)
    assert hall.state.absent(2) == {4: "Z"}


def test_a_bye_is_granted_for_a_round_to_come() -> None:
    hall = Hall(6)
    hall.does(GrantBye(3, 2, "H"))
    assert hall.does(GrantBye(3, 2, "H")) == ()
    hall.plays_round()
    hall.plays_round()
    assert hall.state.record(3, 2).unplayed == "H"
    assert hall.state.score_half_points(3, 2) - hall.state.score_half_points(3, 1) == 1
    assert "rounds 3 to 3 only" in hall.is_refused(GrantBye(3, 2, "Z"))
    assert hall.is_refused(GrantBye(3, 3, "U")).startswith("The pairing-allocated bye is given by the pairing")
    assert hall.is_refused(GrantBye(9, 3, "H")) == "There is no player 9."
    hall.does(Withdraw(3))
    assert hall.is_refused(GrantBye(3, 3, "H")) == "Player 3 (3) has withdrawn."


def test_a_round_is_sealed_when_complete_and_then_disputes_are_closed() -> None:
    hall = Hall(4)
    hall.opens_round()
    assert hall.is_refused(Seal(1)) == "Round 1: boards 1 and 2 have no result yet."
    for board in (1, 2):
        hall.does(RecordResult(1, board, "1-0"))
    hall.does(Seal(1))
    assert hall.does(Seal(1)) == ()
    assert hall.state.rounds[0].sealed
    assert hall.is_refused(RecordResult(1, 1, "0-1")) == "Round 1 is closed: board 1 stays 1-0."


def test_the_event_ends_after_its_last_round_and_not_before() -> None:
    hall = Hall(4)
    hall.plays_round()
    assert hall.is_refused(Finish()) == "2 rounds are still to be played."
    hall.plays_round("1/2-1/2")
    hall.opens_round()
    hall.does(RecordResult(3, 2, "1-0"))
    assert hall.is_refused(Finish()) == "Round 3: board 1 has no result yet."
    hall.does(RecordResult(3, 1, "1-0"))
    hall.does(Finish())
    assert hall.does(Finish()) == ()
    assert hall.is_refused(Rule(3, 1, "0-1", why="late")) == "The tournament is over; its results are final."
    assert hall.is_refused(Pair(PairingAnswer((), None))) == "The tournament is over."


def test_entries_are_closed_once_round_one_is_public() -> None:
    hall = Hall(4)
    hall.does(hall.pairing())
    events = hall.does(Enter(players(6), REGULATIONS))
    assert isinstance(events[0], DraftDropped)
    hall.tables = ("a", "b", "c")
    hall.opens_round()
    assert "Round 1 is public" in hall.is_refused(Enter(players(8), REGULATIONS))


def test_a_table_has_one_device_until_the_arbiter_replaces_it() -> None:
    hall = Hall(4)
    hall.does(Enrol("t1", "red-fox"))
    assert hall.does(Enrol("t1", "red-fox")) == ()
    assert "held by another device" in hall.is_refused(Enrol("t1", "blue-hen"))
    (enrolled,) = hall.does(Enrol("t1", "blue-hen", why="screen broken", replace=True))
    assert enrolled == DeviceEnrolled(enrolled.at, "t1", 2, "blue-hen", "screen broken")
    assert hall.state.devices["t1"].history == ("red-fox",)


def test_calls_and_orders_may_arrive_twice() -> None:
    hall = Hall(4)
    call = OpenCall("c7", 1, 1, "claim", "black", "repetition")
    assert len(hall.does(call)) == 1
    assert hall.does(call) == ()
    hall.does(CloseCall("c7", "claim correct"))
    assert hall.does(CloseCall("c7", "claim correct")) == ()
    assert hall.does(call) == ()
    assert hall.is_refused(CloseCall("c8", "?")) == "There is no open call c8."
    order = Order("o1", "t1", "r1b1", "start")
    assert len(hall.does(order)) == 1
    assert hall.does(order) == ()
    assert len(hall.does(ConfirmOrder("o1"))) == 1
    assert hall.does(ConfirmOrder("o1")) == ()
    assert hall.does(order) == ()
    assert (dict(hall.state.orders), list(hall.state.orders_done)) == ({}, ["o1"])


def test_every_hub_process_has_a_higher_incarnation() -> None:
    hall = Hall(4)
    hall.does(OpenHub("boot-a"))
    hall.does(OpenHub("boot-a"))
    assert (hall.state.incarnation, hall.state.boot) == (2, "boot-a")
    assert replay(hall.log) == hall.state


def test_a_round_robin_forfeits_the_games_of_who_withdrew() -> None:
    hall = Hall(4, replace(REGULATIONS, system="berger", tie_breaks=("DE", "SB")))
    hall.plays_round()
    hall.does(Withdraw(2))
    hall.does(hall.pairing())
    events = hall.does(Publish(hall.tables))
    forfeited = [e for e in events if isinstance(e, Resulted)]
    assert [(e.board, e.score, e.source, e.why) for e in forfeited] == [(2, "1-0", "forfeit", "withdrawn")]
    assert hall.state.record(2, 2).unplayed == "-"
    assert hall.is_refused(GrantBye(1, 3, "H")).startswith("There are no byes in a round robin")
