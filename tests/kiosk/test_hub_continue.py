"""An event that goes on from a report: what is taken over, what is asked about, and what cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hallnet.hall_log import HallLog
from hallnet.wire import Address
from kiosk.hub.config import ConfigError, HubConfig, parse
from kiosk.hub.core import HubCore
from kiosk.hub.entries import EntriesError
from kiosk.hub.export import event_trf, event_trf26
from kiosk.hub.opening import open_event
from rules.interchange.trf import Abnormal, Cell, PointSystem, TrfEvent, entries_from_trf, read_trf, write_trf26
from rules.pairing import berger
from rules.pairing.checker import check_event
from rules.tournament.book_intents import (
    CloseManual,
    DrawLot,
    ExitFide,
    Expel,
    Flag,
    Forbid,
    MakeRound,
    OpenManual,
    RequestBye,
    Return,
    TakeOver,
)
from rules.tournament.events import Regulations
from rules.tournament.imported import NotContinuable, as_announced, taken_over
from rules.tournament.integrity import remarks
from rules.tournament.intents import Enter, Publish, Rule, Withdraw
from rules.tournament.rank_intents import ValueFromOutside
from rules.tournament.standings import standings
from rules.tournament.state import TournamentState
from tests.rules.book_hall import Hall as Book


def report_of(book: Book) -> TrfEvent:
    return read_trf(event_trf26(book.state), "event.trf26")[0]


def book_from(report: TrfEvent, rounds: int = 5, **announced: Any) -> Book:
    """A new event that has taken the report over."""
    book = Book(len(report.players), 1)
    regulations = as_announced(Regulations("Book open", rounds, **announced), report)
    book.does(Enter(entries_from_trf(report), regulations))
    book.does(taken_over(report, "event.trf26"))
    return book


def two_rounds(**announced: Any) -> Book:
    """Two rounds with nearly everything: byes, a forfeit, an unrated game, somebody gone, byes to come."""
    book = Book(9, 5, **announced)
    book.does(Forbid((2, 9)))
    book.does(RequestBye(4, 1))
    book.plays("1-0", "1/2-1/2", "0-1")
    book.starts()
    board = book.sheet.pairs[0].board
    book.does(Rule(2, board, "1-0", why="nobody came", forfeit=True))
    book.does(Rule(2, board + 1, "0-1", why="one move", rated=False))
    book.results("1-0", "1/2-1/2")
    book.does(RequestBye(6, 3, "H"))
    return book


@pytest.mark.parametrize(
    "announced", [{}, {"acceleration": "baku"}, {"win_half_points": 6, "draw_half_points": 2, "pab_half_points": 6}]
)
def test_the_next_round_is_paired_as_it_would_have_been(announced: dict[str, Any]) -> None:
    there = two_rounds(**announced)
    here = book_from(report_of(there))
    assert here.state.pairing_state() == there.state.pairing_state()
    assert standings(here.state) == standings(there.state)
    assert [r.pairs for r in here.state.rounds] == [r.pairs for r in there.state.rounds]
    assert here.state.absent(3) == {6: "H"}
    assert here.state.fide_mode
    assert remarks(here.state) == ()
    here.check_log()
    here.plays()
    there.plays()
    assert event_trf(here.state) == event_trf(there.state)


def test_a_round_robin_goes_on_with_its_free_player() -> None:
    there = Book(5, 5, system="berger")
    there.plays("1-0")
    there.plays("0-1")
    here = book_from(report_of(there), system="berger", tie_breaks=("SB",))
    assert here.state.regulations is not None
    assert here.state.regulations.tie_breaks == ("DE", "SB"), "those of the report"
    assert here.plays().pairs == there.plays().pairs
    assert standings(here.state) == standings(there.state)


def test_rounds_that_do_not_keep_the_rules_are_asked_about_and_noted() -> None:
    there = Book(6, 5)
    there.plays("1-0")
    report = report_of(there)
    rows = {p.start_rank: p for p in report.players}
    rows |= {1: replace(rows[1], cells=(Cell(4, "b", "0"),)), 4: replace(rows[4], cells=(Cell(1, "w", "1"),))}
    swapped = replace(report, players=tuple(rows.values()))
    book = Book(6)
    book.does(Enter(entries_from_trf(swapped), as_announced(Regulations("x", 5, initial_colour="white"), swapped)))
    (warned,) = book.is_refused(taken_over(swapped, "x.trf")).warnings
    assert (warned.key, warned.level) == ("import-differs", 3)
    book.confirms(taken_over(swapped, "x.trf"), "import-differs")
    assert remarks(book.state) == ("Import @ Round 1: 1-4 => 4-1",)
    assert book.state.fide_mode


def changed(report: TrfEvent, tpn: int, cell: Cell) -> TrfEvent:
    """The report with another first round of one player."""
    rows = (replace(p, cells=(cell, *p.cells[1:])) if p.start_rank == tpn else p for p in report.players)
    return replace(report, players=tuple(rows))


def test_what_cannot_be_taken_over_is_refused_in_a_sentence() -> None:
    there = Book(6, 5)
    there.plays("1-0")
    report, plan = report_of(there), Regulations("x", 5)
    refused = {
        "no paired round": replace(report, players=tuple(replace(p, cells=()) for p in report.players)),
        "paired by FIDE_DUBOV": replace(report, system="FIDE_DUBOV"),
        "points by rulings": replace(report, abnormal=(Abnormal("", 2, 0, (1,)),)),
        "other points than games": replace(report, point_system=PointSystem(half_bye=0)),
    }
    for says, event in refused.items():
        with pytest.raises(NotContinuable, match=says):
            as_announced(plan, event)
    with pytest.raises(NotContinuable, match="leave nothing to play"):
        as_announced(replace(plan, rounds=1), report)
    for says, event in {
        "Round 1: 1-4 has no result yet": changed(report, 1, Cell(4, "w", "")),
        "no board can have here": changed(report, 4, Cell(1, "b", "=")),
        "without an opponent": changed(changed(report, 1, Cell(0, "-", "Z")), 4, Cell(0, "-", "+")),
    }.items():
        with pytest.raises(NotContinuable, match=says):
            taken_over(event, "x.trf")
    assert "paired here already" in there.is_refused(TakeOver(())).why


def eventful() -> Book:
    """Three rounds after which much stands that no record of a report can say."""
    book = two_rounds(tie_breaks=("BH", "OTHER_OUTSIDE"))
    book.does(Withdraw(1))
    book.confirms(Expel(3, "a telephone"), "expelled")
    book.does(Flag(2))
    book.does(ValueFromOutside(5, "7.5", "the season's points"))
    book.does(DrawLot("standings", 12, ("as drawn",)))
    book.plays("1-0")
    book.does(Withdraw(8))
    return book


def test_who_has_left_is_still_away_when_the_event_goes_on_from_its_report() -> None:
    there = eventful()
    here = book_from(report_of(there))
    for state in (here.state, there.state):
        assert {tpn: state.status(tpn) for tpn in (1, 2, 3, 8)} == {
            1: "withdrawn", 2: "in", 3: "expelled", 8: "withdrawn",
        }  # fmt: skip
        assert dict(state.withdrawn) == {1: 3, 3: 3, 8: 4}
        assert state.no_half_bye == {2}
        assert state.outside == {5: "7.5"}
    assert here.state.lots["standings"].seed == 12
    assert here.state.pairing_state() == there.state.pairing_state()
    assert standings(here.state) == standings(there.state)
    assert event_trf26(here.state) == event_trf26(there.state)
    here.does(Return(8))
    there.does(Return(8))
    assert here.plays().pairs == there.plays().pairs
    here.check_log()


def test_an_event_that_left_fide_handling_does_not_come_back_by_way_of_its_report() -> None:
    there = two_rounds()
    there.confirms(ExitFide("prizes for the best dressed"), "fide-exit")
    here = book_from(report_of(there))
    assert not here.state.fide_mode
    assert here.state.fide_exit is not None
    assert here.state.fide_exit.round == 2
    assert "FIDE mode exited @ Round 2" in remarks(here.state)


def test_what_was_noted_is_carried_on_and_not_asked_about_again() -> None:
    there = Book(6, 5)
    there.plays("1-0")
    there.does(OpenManual("a ruling"))
    engine = there.pairing().answer.pairs
    there.does(MakeRound((engine[0][::-1], *engine[1:])))
    there.confirms(CloseManual(), "engine-differs")
    there.does(Publish(there.tables))
    there.results("1-0")
    here = book_from(report_of(there))
    assert remarks(here.state) == remarks(there.state)
    assert len(remarks(here.state)) == 1


def test_absences_of_who_left_stand_in_the_records_for_other_programs() -> None:
    there = eventful()
    report = report_of(there)
    assert {(each.kind, each.round, each.ids) for each in report.absences} == {
        ("Z", 4, (1, 3, 8)), ("Z", 5, (1, 3, 8)),
    }  # fmt: skip
    foreign = replace(report, comments=())
    here = book_from(foreign)
    assert set(here.state.absent(4)) == set(here.state.absent(5)) == {1, 3, 8}


def test_a_double_round_robin_goes_on() -> None:
    there = Book(4, 6, system="berger", cycles=2)
    for _round in range(3):
        there.plays("1-0")
    report = report_of(there)
    assert report.system == "BERGER_DOUBLEROUNDROBIN"
    here = book_from(report, 6, system="berger", tie_breaks=("DE", "SB"))
    assert here.state.regulations is not None
    assert here.state.regulations.cycles == 2
    assert here.plays().pairs == there.plays().pairs
    assert all(check.same for check in check_event(report_of(there), pair=berger.pair))


# -- the hub ----------------------------------------------------------------------------------------------------------


def opened(folder: Path, config: HubConfig) -> TournamentState:
    log = HallLog.open(folder / "hall.db")
    try:
        core = HubCore(log, Address("spring", "hall"), boot="b")
        open_event(core, config)
        return core.hall.state
    finally:
        log.close()


def test_the_setting_is_checked_and_the_hub_goes_on_from_the_file(tmp_path: Path) -> None:
    there = two_rounds()
    path = tmp_path / "half.trf"
    path.write_bytes(event_trf26(there.state))
    config = replace(parse("continue = true"), entries_file=path)
    assert config.continued == "checked"
    state = opened(tmp_path, config)
    assert state.complete_rounds == 2
    assert state.pairing_state() == there.state.pairing_state()
    assert parse('continue = "as-it-is"').continued == "as-it-is"
    assert parse("continue = false").continued == ""
    with pytest.raises(ConfigError, match=r"line 1: .*as-it-is"):
        parse('continue = "maybe"', "hub.toml")
    with pytest.raises(ConfigError):
        parse("continue = 1", "hub.toml")


def test_the_hub_says_which_rounds_differ_and_takes_them_only_as_they_are(tmp_path: Path) -> None:
    there = Book(6, 5)
    there.pairs((1, 4), (5, 2), (3, 6))
    there.results("1-0")
    path = tmp_path / "odd.trf"
    report = report_of(there)
    rows = {p.start_rank: p for p in report.players}
    cells = {1: Cell(6, "w", "1"), 6: Cell(1, "b", "0"), 3: Cell(4, "w", "1"), 4: Cell(3, "b", "0")}
    rows |= {tpn: replace(rows[tpn], cells=(cell,)) for tpn, cell in cells.items()}
    path.write_bytes(write_trf26(replace(report, players=tuple(rows.values()))))
    with pytest.raises(EntriesError, match=r"odd\.trf: Round 1 of the report is not as the engine .*as-it-is"):
        opened(tmp_path, HubConfig(entries_file=path, continued="checked"))
    (tmp_path / "again").mkdir()
    state = opened(tmp_path / "again", HubConfig(entries_file=path, continued="as-it-is"))
    assert remarks(state) == ("Import @ Round 1: 1-4 3-6 => 1-6 3-4",)
    (tmp_path / "list").mkdir()
    listing = tmp_path / "list.csv"
    listing.write_text("name\nAna\nBo\n", encoding="utf-8")
    with pytest.raises(EntriesError, match="only a tournament report"):
        opened(tmp_path / "list", HubConfig(entries_file=listing, continued="checked"))
