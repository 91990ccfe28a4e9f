"""The list: late entries and their numbers, who leaves and returns, byes on request, check-in, regulations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.interchange.rating_list import RatedPlayer
from rules.pairing.baku import virtual_points
from rules.pairing.state import PairingAnswer
from rules.tournament.book_events import LateEntered, PairsForbidden, Renumbered
from rules.tournament.book_intents import (
    AddBoard,
    ChangeRegulations,
    CheckIn,
    CloseCheckIn,
    CorrectEntry,
    DrawLot,
    EnterLate,
    ExchangeNumbers,
    Expel,
    Flag,
    Forbid,
    OpenCheckIn,
    OpenManual,
    Renumber,
    RequestBye,
    Return,
    RevokeBye,
    SetUnpaired,
    TakeOut,
    Undo,
)
from rules.tournament.check_list import check_list
from rules.tournament.decide_entries import half_byes_of
from rules.tournament.entries import Entry, doubles, numbered, rated_by
from rules.tournament.events import DraftDropped, Regulations
from rules.tournament.integrity import remarks
from rules.tournament.intents import Enter, GrantBye, Pair, Publish, RecordResult, Rule, Withdraw
from rules.tournament.rating_check import Kind, as_listed, differences, listed_rating
from rules.tournament.regulations import problem
from rules.tournament.standings import standings
from rules.tournament.state import fold
from tests.rules.book_hall import Hall, players

# -- late entries -----------------------------------------------------------------------------------------------------


def test_a_late_entry_before_round_1_takes_his_place_and_the_draft_is_stale() -> None:
    hall = Hall(4, 3)
    hall.does(hall.pairing())
    events = hall.does(EnterLate(Entry(0, "Newcomer", 2485)))
    assert [type(e) for e in events] == [DraftDropped, LateEntered]
    assert hall.names == ["Player 1", "Newcomer", "Player 2", "Player 3", "Player 4"]
    hall.publishes()
    assert hall.sheet.pair_of(2) is not None
    hall.check_log()


def test_a_late_entry_in_a_running_round_waits_for_the_next_one_and_everybody_below_moves_down() -> None:
    hall = Hall(6)
    hall.starts()
    before = {p.board: (hall.state.entries[p.white].name, hall.state.entries[p.black].name) for p in hall.sheet.pairs}
    hall.does(EnterLate(Entry(0, "Newcomer", 2475)))
    assert hall.names[2] == "Newcomer"
    after = {p.board: (hall.state.entries[p.white].name, hall.state.entries[p.black].name) for p in hall.sheet.pairs}
    assert after == before, "the same people sit at the same boards"
    assert hall.sheet.pair_of(3) is None
    hall.results("1-0")
    hall.plays()
    assert hall.state.record(3, 1).unplayed == "Z"
    assert hall.sheet.pair_of(3) is not None or hall.sheet.bye == 3
    hall.check_log()


def test_a_table_still_reports_with_the_numbers_of_its_sheet() -> None:
    hall = Hall(6)
    hall.starts()
    printed = {p.board: (p.white, p.black) for p in hall.sheet.pairs}
    hall.does(EnterLate(Entry(0, "Newcomer", 2600)))
    hall.does(EnterLate(Entry(0, "Another", 2700)))
    for board, pair in printed.items():
        assert hall.sheet.on_sheet(board) == pair
        hall.does(RecordResult(1, board, "1-0", pair=pair))
    assert "another pair" in hall.is_refused(RecordResult(1, 1, "0-1", pair=printed[2])).why
    winners = {hall.state.entries[p.white].name for p in hall.sheet.pairs}
    assert {hall.state.entries[tpn].name for tpn in hall.state.entries if hall.points(tpn)} == winners


@pytest.mark.parametrize(("missed", "points"), [("Z", 0), ("H", 2)])
def test_missed_rounds_are_worth_what_was_announced(missed: str, points: int) -> None:
    hall = Hall(6, missed_rounds=missed)
    hall.plays()
    hall.plays()
    hall.does(EnterLate(Entry(0, "Newcomer", 1000)))
    assert hall.points(7) == points


def test_the_limit_for_late_entries_is_a_number_and_the_arbiter_may_go_beyond_it() -> None:
    # B-019: nine rounds, first game in round 5 at the latest.
    hall = Hall(12, 9, last_entry=5)
    for _n in range(3):
        hall.plays()
    hall.starts()
    hall.does(EnterLate(Entry(0, "In time", 1500)))
    hall.results("1-0")
    hall.starts()
    late = EnterLate(Entry(0, "Too late", 1400), "his train")
    assert "may first play in round 5 at the latest" in hall.is_refused(late).why
    (event,) = hall.confirms(late, "late-entry-closed")
    assert isinstance(event, LateEntered)
    assert (event.first_round, event.why) == (6, "his train")


def test_after_round_4_numbers_are_not_given_anew_but_a_late_entry_still_gets_what_he_earns() -> None:
    hall = Hall(10, 7)
    for _n in range(4):
        hall.plays()
    assert "Round 4 is paired" in hall.is_refused(Renumber("ratings corrected")).why
    assert "Round 4 is paired" in hall.is_refused(ExchangeNumbers(1, 2, "lot")).why
    hall.does(EnterLate(Entry(0, "Newcomer", 2451)))
    assert hall.names[4] == "Newcomer"


def test_a_double_on_the_list_is_pointed_out() -> None:
    hall = Hall(4, 3)
    hall.confirms(EnterLate(Entry(0, "player 2", 2300)), "entry-double")
    assert len(hall.state.entries) == 5
    assert doubles((Entry(0, "A", fide_id=7), Entry(0, "B", fide_id=7)))
    assert not doubles((Entry(0, "A", birth="1990"), Entry(0, "A", birth="2004")))


def test_a_round_robin_takes_nobody_once_its_table_is_public() -> None:
    hall = Hall(4, 3, system="berger")
    hall.does(EnterLate(Entry(0, "In time", 1)))
    hall.plays()
    assert "the table has no place" in hall.is_refused(EnterLate(Entry(0, "Late", 1))).why


def test_two_latecomers_in_a_running_round_get_a_board_of_their_own_and_the_third_the_bye() -> None:
    # B-038, with 6 instead of 40 boards.
    hall = Hall(13)
    hall.starts()
    seats = dict(hall.sheet.tables)
    for n in (1, 2):
        hall.does(EnterLate(Entry(0, f"Late {n}", 100 - n)))
    assert hall.sheet.bye == 13
    hall.confirms(AddBoard(14, 15, "t99", "ten minutes late"), "round-board")
    board = hall.sheet.pair(7)
    assert board is not None
    assert (board.white, board.black) == (14, 15)
    assert hall.sheet.tables == {**seats, 7: "t99"}
    hall.does(EnterLate(Entry(0, "Late 3", 50)))
    assert "has the bye" in hall.is_refused(SetUnpaired(16, "U", "he came")).why
    hall.confirms(AddBoard(13, 16, "", "he came"), "round-board")
    assert hall.sheet.bye is None
    assert [line.split(" => ")[1] for line in remarks(hall.state)] == ["14-15", "13-16"]
    hall.results("0-1")
    assert hall.points(16) == 2
    hall.check_log()


def test_the_third_latecomer_may_get_the_bye_or_nothing() -> None:
    hall = Hall(6)
    hall.starts()
    hall.does(EnterLate(Entry(0, "Late", 100)))
    assert hall.sheet.unpaired(7) == "Z"
    hall.confirms(SetUnpaired(7, "U", "nobody else is here"), "round-board")
    assert (hall.sheet.bye, hall.points(7)) == (7, 2)
    assert remarks(hall.state) == ("MPA @ Round 1: 7=ZPB => 7=PAB",)
    assert "plays at board" in hall.is_refused(SetUnpaired(1, "Z", "x")).why


# -- numbers ----------------------------------------------------------------------------------------------------------


def test_numbers_given_anew_follow_corrected_ratings() -> None:
    hall = Hall(6)
    hall.does(CorrectEntry(replace(hall.state.entries[5], rating=2600)))
    assert hall.names[4] == "Player 5", "a correction alone changes no number"
    (renumbered,) = hall.does(Renumber(""))
    assert isinstance(renumbered, Renumbered)
    assert hall.names[0] == "Player 5"
    hall.plays()
    hall.does(CorrectEntry(replace(hall.state.entries[6], rating=2700), "list of the wrong month"))
    assert "Say why" in hall.is_refused(Renumber("")).why
    hall.confirms(Renumber("ratings corrected"), "renumbers")
    assert hall.names[0] == "Player 6"
    assert remarks(hall.state) == ("Regeneration @ Round 2: 1 2 3 4 5 6 => 2 3 4 5 6 1",)
    hall.check_log()


def test_an_exchange_of_numbers_is_warned_of_louder_between_unequal_players() -> None:
    hall = Hall(6)
    hall.does(CorrectEntry(replace(hall.state.entries[4], rating=hall.state.entries[3].rating)))
    hall.confirms(ExchangeNumbers(3, 4, ""), "renumbers")
    assert hall.names[2:4] == ["Player 4", "Player 3"]
    hall.confirms(ExchangeNumbers(1, 6, "asked for"), "renumbers-unequal", "renumbers")


@given(st.permutations(range(1, 8)))
def test_renumbering_renames_everybody_everywhere(order: list[int]) -> None:
    hall = Hall(7)
    hall.does(GrantBye(4, 2, "H"))
    hall.plays()
    hall.does(Withdraw(2))
    said = {e.name: (hall.points(t), hall.state.status(t), hall.state.absent(2).get(t)) for t, e in _list(hall)}
    numbers = {str(old): new for old, new in enumerate(order, 1) if old != new}
    event = Renumbered(0, numbers, "Ada")
    hall.state = fold(hall.state, event)
    assert {e.name: (hall.points(t), hall.state.status(t), hall.state.absent(2).get(t)) for t, e in _list(hall)} == said
    assert sorted(hall.state.entries) == list(range(1, 8))


def _list(hall: Hall) -> list[tuple[int, Entry]]:
    return list(hall.state.entries.items())


@pytest.mark.parametrize(
    ("method", "rating"),
    [("FIDE", 2000), ("NRO", 2100), ("FIDON", 2000), ("NIDOF", 2100), ("HBFN", 2100), ("LBFN", 2000), ("OTHER", 1)],
)
def test_the_ranking_method_says_which_rating_counts(method: str, rating: int) -> None:
    entry = Entry(0, "A", 1, fide_rating=2000, national_rating=2100)
    assert rated_by(entry, method).rating == rating
    assert rated_by(Entry(0, "B", 1500), method).rating == 1500


def test_equal_players_are_ordered_by_what_was_announced() -> None:
    twins = (Entry(0, "Zoe", 2000, fide_id=1, birth="1990"), Entry(0, "Ann", 2000, fide_id=2, birth="1980"),
             Entry(0, "Mia", 2000, "WFM", fide_id=3))  # fmt: skip
    orders = {equals: [e.name for e in numbered(twins, equals)] for equals in ("name", "fide-id", "birth", "list")}
    assert orders == {
        "name": ["Mia", "Ann", "Zoe"], "fide-id": ["Mia", "Zoe", "Ann"], "birth": ["Mia", "Ann", "Zoe"],
        "list": ["Mia", "Zoe", "Ann"],
    }  # fmt: skip


# -- leaving and coming back ------------------------------------------------------------------------------------------


def test_who_comes_back_missed_what_he_missed() -> None:
    # B-011 and B-025.
    hall = Hall(8)
    hall.plays()
    hall.plays()
    hall.does(Withdraw(8, "train"))
    hall.starts()
    had = hall.points(8)
    hall.does(Return(8))
    assert hall.sheet.unpaired(8) == "Z"
    hall.results("1-0")
    hall.plays()
    assert hall.state.record(8, 3).half_points == 0
    assert hall.points(8) - had == hall.state.record(8, 4).half_points
    assert hall.sheet.pair_of(8) is not None
    hall.check_log()


def test_who_comes_back_into_a_public_round_can_be_paired_by_hand_with_the_bye() -> None:
    hall = Hall(8)
    hall.plays()
    hall.does(Withdraw(8))
    hall.starts()
    bye = hall.sheet.bye
    assert bye is not None
    hall.does(Return(8))
    refusal = hall.is_refused(AddBoard(bye, 8, "", "both are here"))
    assert refusal.warnings[0].key == "round-board"
    hall.confirms(AddBoard(bye, 8, "", "both are here"), *(w.key for w in refusal.warnings))
    assert hall.sheet.bye is None


def test_when_nobody_is_left_no_round_is_paired() -> None:
    # B-010.
    hall = Hall(6)
    hall.plays()
    for tpn in range(1, 7):
        hall.does(Withdraw(tpn))
    empty = Pair(PairingAnswer((), None))
    assert hall.is_refused(empty).why == "Fewer than two players are available for round 2."
    hall.does(Return(3))
    assert hall.is_refused(empty).why == "Fewer than two players are available for round 2."
    assert sum(place.withdrawn for place in standings(hall.state)) == 5
    hall.does(Return(4))
    hall.does(OpenManual("two are left"))


def test_an_expelled_player_is_out_until_the_ruling_is_undone() -> None:
    hall = Hall(6)
    hall.plays()
    assert "Say why" in hall.is_refused(Expel(2, "")).why
    hall.confirms(Expel(2, "second device"), "expelled")
    assert hall.state.status(2) == "expelled"
    assert 2 in hall.state.absent(2)
    assert "is expelled" in hall.is_refused(Return(2)).why
    hall.starts()
    assert hall.sheet.pair_of(2) is None
    assert hall.state.record(2, 1).played, "his game stays for his opponent"


def test_a_second_desk_hears_that_the_player_has_gone_already() -> None:
    hall = Hall(6)
    hall.does(Withdraw(3, "ill"), by="Berta")
    refusal = hall.is_refused(Return(3, saw="in"))
    assert (refusal.saw, refusal.now) == ("taking part", "withdrawn")
    assert refusal.why.startswith("Player 3 (3) was changed by Berta just now: you saw taking part, now it is with")
    hall.does(Return(3, saw="withdrawn"))


def test_a_second_desk_hears_which_data_have_changed() -> None:
    hall = Hall(6)
    seen = hall.state.entries[1]
    hall.does(CorrectEntry(replace(seen, rating=2555)), by="Berta")
    refusal = hall.is_refused(CorrectEntry(replace(seen, rating=2444), saw=seen))
    assert (refusal.saw, refusal.now) == ("rating 2490", "rating 2555")


# -- byes -------------------------------------------------------------------------------------------------------------


def test_requested_byes_follow_the_regulations() -> None:
    # B-034: one half-point bye, none in the last two rounds of 7.
    hall = Hall(12, 7, half_byes=1, closed_rounds=2)
    hall.does(RequestBye(1, 3))
    second = RequestBye(1, 4, why="a wedding")
    assert hall.is_refused(second).why == "The regulations grant 1 half-point bye; Player 1 (1) has had 1."
    hall.confirms(second, "bye-second")
    assert "rounds 1 to 5 only" in hall.is_refused(RequestBye(2, 7)).why
    hall.does(Flag(3))
    assert "may not have half-point byes" in hall.is_refused(RequestBye(3, 2)).why
    hall.does(RequestBye(3, 2, "Z"))
    hall.does(Flag(3, on=False))
    assert hall.is_refused(RequestBye(3, 3, "F")).why == "The regulations grant no full-point byes."
    hall.does(RevokeBye(1, 4))
    hall.plays()
    assert hall.does(RevokeBye(2, 5)) == ()
    assert "is public" in hall.is_refused(RevokeBye(1, 1)).why


def test_a_bye_that_was_had_counts_as_well_as_one_to_come() -> None:
    hall = Hall(8, half_byes=2)
    hall.does(RequestBye(1, 1))
    hall.does(RequestBye(1, 3))
    hall.plays()
    assert half_byes_of(hall.state, 1) == (1, 3)
    hall.confirms(RequestBye(1, 4), "bye-second")
    assert half_byes_of(hall.state, 1) == (1, 3, 4)


def test_a_full_point_bye_is_noted() -> None:
    hall = Hall(6, full_byes=True)
    hall.confirms(RequestBye(2, 2, "F", "the organiser's mistake"), "bye-full")
    assert remarks(hall.state) == ("Configuration @ Round 2: - => 2=FPB",)


def test_a_bye_that_another_desk_granted_is_not_overwritten() -> None:
    hall = Hall(6)
    hall.does(RequestBye(2, 2, "Z"), by="Berta")
    refusal = hall.is_refused(RequestBye(2, 2, "H", saw=""))
    assert (refusal.saw, refusal.now) == ("", "Z")
    assert "changed by Berta just now" in refusal.why


# -- check-in ---------------------------------------------------------------------------------------------------------


def test_check_in_asks_about_everybody_who_is_missing() -> None:
    # B-035, with 6 of 30; S-01.
    hall = Hall(6)
    assert "not open" in hall.is_refused(CheckIn(1)).why
    hall.does(OpenCheckIn())
    assert hall.is_refused(hall.pairing()).why == "Check-in is open. Close it, then pair."
    for tpn in (1, 2, 4, 5):
        hall.does(CheckIn(tpn))
    hall.does(CheckIn(2, present=False))
    hall.does(CheckIn(3))
    assert "2 players have not checked in: 2 Player 2, 6 Player 6." in hall.is_refused(CloseCheckIn()).why
    hall.does(CheckIn(4, present=False))
    assert "1 player has not checked in: 6 Player 6." in hall.is_refused(CloseCheckIn({2: "round", 4: "pair"})).why
    hall.does(CloseCheckIn({2: "round", 4: "pair", 6: "event"}))
    hall.publishes()
    assert hall.sheet.byes == {2: "Z", 6: "Z"}
    assert (hall.state.status(2), hall.state.status(6)) == ("in", "withdrawn")
    assert hall.sheet.pair_of(4) is not None
    hall.check_log()


# -- regulations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"draw_half_points": 2, "win_half_points": 3}, "Two draws must not be worth more than a win and a loss."),
        ({"win_half_points": 0}, "A win must be worth something"),
        ({"pab_half_points": 3}, "must not be worth more than a win"),
        ({"win_half_points": 6, "draw_half_points": 2, "pab_half_points": 3}, "what a game can bring"),
        ({"system": "berger", "tie_breaks": ("DE", "BH/C1")}, "BH/C1 is not used in round robins"),
        ({"system": "berger", "tie_breaks": ("FB",)}, "FB is not used in round robins. Leave it out."),
        ({"tie_breaks": ("BH", "KS")}, "KS is for round robins only"),
        ({"tie_breaks": ("BH", "BC")}, "BC is for team events only"),
        ({"control": "tomorrow"}, "tomorrow"),
        ({"start_date": "30.5.2026"}, "is no day of the calendar: write it as 2026/05/30"),
        ({"start_date": "2026/05/30", "end_date": "2026/05/29"}, "ends before it begins"),
        ({"last_entry": 9}, "one of the 5 rounds"),
        ({"half_byes": -1}, "must not be below zero"),
        ({"acceleration": "baku", "win_half_points": 6, "draw_half_points": 2, "pab_half_points": 2}, "C.04.7 1.1"),
    ],
)
def test_what_cannot_be_announced(changes: dict[str, object], sentence: str) -> None:
    assert sentence in problem(replace(Regulations("x", 5), **changes))  # type: ignore[arg-type]


#: Families of codes in the Handbook, each with its modifiers (C.07 articles 6 to 15).
SWISS_CODES = (
    *(f"{code}{cut}" for code in ("BH", "FB", "ARO") for cut in ("", "/C1", "/C2", "/M1", "/M2")),
    *(f"{code}{cut}" for code in ("PS", "SB") for cut in ("", "/C1", "/C2")),
    "AOB", "AOB/F", "APPO", "APRO", "PTP", "TPR", "WIN", "WON", "STD", "BPG", "BWG", "REP", "DE", "DE/P", "RTNG",
    "RTNG/R", "TPN", "TPN/R",
)  # fmt: skip
ROUND_ROBIN_CODES = (
    "DE", "BPG", "BWG", "REP", "STD", "SB", "SB/C1", "SB/C2", "RTNG", "RTNG/R", "WIN", "TPN", "TPN/R", "KS", "KS/L1",
    "KS/L2", "KS/L+1", "KS/L-1", "KS/L-2",
)  # fmt: skip


@pytest.mark.parametrize(("system", "codes"), [("dutch", SWISS_CODES), ("berger", ROUND_ROBIN_CODES)])
def test_every_code_of_the_handbook_can_be_announced_where_it_belongs(system: str, codes: tuple[str, ...]) -> None:
    hall = Hall(6, 3, system=system, tie_breaks=codes)
    hall.plays("1-0", "1/2-1/2")
    assert all(set(place.values) == set(codes) for place in standings(hall.state))


def test_numbers_of_a_round_robin_are_exchanged_by_hand() -> None:
    hall = Hall(6, system="berger")
    hall.confirms(ExchangeNumbers(1, 6, "drawn by lot"), "renumbers-unequal", "renumbers")
    sheet = hall.publishes()
    assert (hall.names[0], sheet.pair_of(1)) == ("Player 6", sheet.pair_of(6))


@pytest.mark.parametrize("pab", [0, 2, 6])
def test_three_points_for_a_win_and_any_pab_a_game_can_bring(pab: int) -> None:
    hall = Hall(5, 3, win_half_points=6, draw_half_points=2, pab_half_points=pab)
    hall.plays("1-0", "1/2-1/2")
    assert hall.sheet.bye == 5
    assert sorted(hall.points(t) for t in range(1, 6)) == sorted([6, 0, 2, 2, pab])
    hall.plays()


def test_before_round_1_regulations_change_freely() -> None:
    hall = Hall(6)
    hall.does(hall.pairing())
    events = hall.does(ChangeRegulations({"rounds": 3, "pab_half_points": 1}))
    assert isinstance(events[0], DraftDropped)
    assert hall.state.regulations is not None
    assert (hall.state.regulations.rounds, hall.state.regulations.pab_half_points) == (3, 1)
    assert hall.does(ChangeRegulations({"rounds": 3})) == ()
    assert "nothing the regulations speak of" in hall.is_refused(ChangeRegulations({"moon": 1})).why


def test_after_round_1_points_and_system_are_locked() -> None:
    hall = Hall(6)
    hall.plays()
    locked = hall.is_refused(ChangeRegulations({"loss_half_points": 1}, "by request"))
    assert (locked.level, locked.token) == (5, "")
    assert "not possible under FIDE handling" in locked.why
    assert hall.is_refused(ChangeRegulations({"pab_half_points": 1}, "by request")).level == 5
    assert hall.is_refused(ChangeRegulations({"system": "berger", "tie_breaks": ("SB",)}, "x")).why == (
        "Round 1 is public: the pairing system stays."
    )
    assert "Say why" in hall.is_refused(ChangeRegulations({"tie_breaks": ("SB",)})).why
    hall.confirms(ChangeRegulations({"tie_breaks": ("SB", "BH")}, "misprint"), "tie-breaks-changed")
    hall.does(ChangeRegulations({"city": "Novi Sad"}))
    assert remarks(hall.state) == ("Configuration @ Round 2: tie_breaks BH,SB => tie_breaks SB,BH",)


def test_changed_by_another_desk_first() -> None:
    hall = Hall(6)
    hall.does(ChangeRegulations({"half_byes": 2}), by="Berta")
    refusal = hall.is_refused(ChangeRegulations({"half_byes": 3}, saw={"half_byes": 1}))
    assert (refusal.saw, refusal.now) == ("1", "2")


def test_one_more_round_checks_again_what_was_allowed_in_the_last_one() -> None:
    # B-032: a third White in a row was allowed to a leader in the last round only.
    hall = Hall(8, 3)
    hall.pairs((1, 5), (2, 6), (7, 3), (8, 4))
    hall.results("1-0")
    hall.pairs((1, 2), (8, 7), (5, 3), (6, 4))
    hall.results("1-0")
    hall.pairs((1, 7), (3, 2), (4, 5), (6, 8))
    more = ChangeRegulations({"rounds": 4}, "the hall is free on Monday")
    refusal = hall.is_refused(more)
    assert [w.key for w in refusal.warnings] == ["rounds-changed", "rounds-no-longer-hold"]
    assert "Board 1: 1 may not have White again" in refusal.why
    hall.confirms(more, "rounds-changed", "rounds-no-longer-hold")
    assert remarks(hall.state) == ("Configuration @ Round 4: rounds 3 => rounds 4",)
    assert "rounds are public already" in hall.is_refused(ChangeRegulations({"rounds": 2}, "no")).why


def test_who_must_not_meet_is_announced_before_round_1() -> None:
    hall = Hall(6)
    (rule,) = hall.does(Forbid((1, 4), why="brothers"))
    assert isinstance(rule, PairsForbidden)
    hall.publishes()
    assert hall.sheet.pair_of(1) != hall.sheet.pair_of(4)
    late = hall.is_refused(Forbid((2, 3)))
    assert (late.level, late.token) == (5, "")
    assert "two players" in hall.is_refused(Forbid((2, 2))).why


def test_the_lot_for_the_first_colour_is_drawn_once_from_a_seed() -> None:
    first, second = Hall(6), Hall(6)
    for hall in (first, second):
        hall.does(DrawLot("initial-colour", 7))
        assert hall.does(DrawLot("initial-colour", 7)) == ()
        assert "is drawn" in hall.is_refused(DrawLot("initial-colour", 8)).why
    assert first.state.lots == second.state.lots
    assert first.state.regulations is not None
    assert first.state.regulations.initial_colour == first.state.lots["initial-colour"].outcome
    outcomes = {_colour(seed) for seed in range(20)}
    assert outcomes == {"white", "black"}


def _colour(seed: int) -> str:
    hall = Hall(4, 3)
    hall.does(DrawLot("initial-colour", seed))
    return hall.state.lots["initial-colour"].outcome


def test_what_a_pairing_system_is_told_stands_in_the_regulations() -> None:
    hall = Hall(9, 5, win_half_points=6, draw_half_points=3, acceleration="baku", pab_half_points=6,
                pairing_edition="2017", numbering="file")  # fmt: skip
    hall.does(Forbid((1, 6)))
    told = hall.state.pairing_state()
    assert (told.edition, told.numbering, told.forbidden) == ("2017", "file", {(1, 6)})
    assert (told.win_half_points, told.loss_half_points, told.pab_half_points) == (6, 0, 6)
    assert told.virtual[1] == virtual_points(5, 6)
    sheet = hall.plays()
    assert {1, 6} not in [{p.white, p.black} for p in sheet.pairs]
    assert "Round 1 is public" in hall.is_refused(ChangeRegulations({"pairing_edition": "2026"}, "newer")).why


def test_another_list_forgets_what_was_said_of_the_old_numbers() -> None:
    hall = Hall(6)
    hall.does(GrantBye(2, 1, "H"))
    hall.does(Withdraw(3))
    hall.does(Enter(players(8), Regulations("Book open", 5)))
    assert hall.state.absent(1) == {}
    assert [hall.state.status(tpn) for tpn in hall.state.entries] == ["in"] * 8


def test_acceleration_fixes_its_group_with_round_1() -> None:
    hall = Hall(10, 5, acceleration="baku")
    assert set(hall.state.pairing_state().virtual) == {1, 2, 3, 4, 5, 6}
    hall.plays("1-0")
    assert hall.state.group_a == 6
    hall.does(EnterLate(Entry(0, "Strong", 2600)))
    assert hall.state.group_a == 7, "its last member stays the same person"
    assert set(hall.state.pairing_state().virtual) == set(range(1, 8))
    locked = hall.is_refused(ChangeRegulations({"acceleration": ""}, "no"))
    assert locked.level == 5
    hall.does(Rule(1, 1, "0-1", why="wrong"))
    hall.does(hall.pairing())
    hall.does(Publish(hall.tables))


# -- lists ------------------------------------------------------------------------------------------------------------

LISTED = (
    RatedPlayer(101, "Petrova, Anna", "SRB", "w", "WFM", "1990", standard=2210, rapid=0, blitz=2300),
    RatedPlayer(102, "Ivanov, Boris", "BUL", "m", "", "1980", standard=2000, rapid=1950, blitz=0),
)


def test_ratings_that_are_not_the_lists_any_more_are_told_and_nothing_is_changed() -> None:
    entries = (
        Entry(1, "Petrova, Anna", 2200, "WFM", "SRB", 101),
        Entry(2, "Ivanov, Boris", 2000, "", "BUL", 102),
        Entry(3, "Nobody", 1900, "", "SRB", 999),
        Entry(4, "Without an id", 1800),
    )
    told = differences(entries, LISTED, "standard")
    assert [each.words for each in told] == [
        "1 Petrova, Anna: rating 2200, on the list 2210.",
        "3 Nobody: the id 999 is not on the list.",
    ]
    assert [d.entry.tpn for d in differences(entries, LISTED, "blitz")] == [1, 3]
    assert [d.entry.tpn for d in differences(entries, LISTED, "rapid")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "ratings"), [("standard", (2210, 2000)), ("rapid", (2210, 1950)), ("blitz", (2300, 2000))]
)
def test_rapid_and_blitz_fall_back_on_the_standard_rating(kind: Kind, ratings: tuple[int, int]) -> None:
    assert tuple(listed_rating(player, kind) for player in LISTED) == ratings


def test_an_entry_is_put_right_one_by_one_and_remembers_its_list() -> None:
    hall = Hall(6)
    entry = replace(hall.state.entries[6], fide_id=101, national_rating=2999)
    hall.does(CorrectEntry(as_listed(entry, LISTED[0], "standard", "FIDE 2026-11", "FIDE")))
    now = hall.state.entries[6]
    assert (now.tpn, now.rating, now.fide_rating, now.source) == (6, 2210, 2210, "FIDE 2026-11")
    assert as_listed(entry, LISTED[0], "standard", "x", "HBFN").rating == 2999


def test_the_check_list_before_a_draft_becomes_public() -> None:
    # S-08: a no-show is asked about.
    hall = Hall(6)
    hall.starts()
    pair = hall.sheet.pairs[0]
    hall.does(Rule(1, 1, "1-0", why="default time", forfeit=True))
    hall.results("1-0")
    assert check_list(hall.state) == ()
    hall.does(hall.pairing())
    name = hall.state.entries[pair.black].name
    assert f"{pair.black} {name} did not come to round 1: is he here?" in check_list(hall.state)
    hall.does(Withdraw(pair.black))
    hall.does(hall.pairing())
    assert check_list(hall.state) == ()


def test_a_name_too_many_is_taken_off_the_list_before_round_1_and_comes_back_as_it_was() -> None:
    hall = Hall(6, 3)
    hall.does(Forbid((2, 5, 6)))
    hall.does(Flag(5))
    hall.does(RequestBye(4, 2, "Z"))
    hall.does(hall.pairing())
    before = (hall.state.entries, hall.state.byes, hall.state.no_half_bye, hall.state.forbidden_in(1))
    hall.does(TakeOut(5))
    assert hall.names == ["Player 1", "Player 2", "Player 3", "Player 4", "Player 6"]
    assert hall.state.draft is None
    assert hall.state.forbidden_in(1) == {(2, 5)}
    assert hall.state.no_half_bye == frozenset()
    hall.does(Undo())
    after = (hall.state.entries, hall.state.byes, hall.state.no_half_bye, hall.state.forbidden_in(1))
    assert after == before
    assert hall.state.joined == {}
    assert hall.state.draft is not None, "the draft is back too"
    hall.does(Publish(hall.tables))
    assert "Let the player withdraw" in hall.is_refused(TakeOut(5)).why
    assert "at least two players" in Hall(2, 1).is_refused(TakeOut(1)).why
    hall.check_log()
