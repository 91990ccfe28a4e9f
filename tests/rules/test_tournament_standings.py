"""Standings: the order as announced, and for every place the sentence that decided it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.pairing.berger import table
from rules.tiebreaks.lots import draw_lots
from rules.tournament.entries import Entry
from rules.tournament.events import (
    Created,
    Entered,
    Expelled,
    LotDrawn,
    Pair,
    Paired,
    Published,
    Regulations,
    Resulted,
    TournamentEvent,
    Withdrawn,
)
from rules.tournament.standings import standings
from rules.tournament.state import TournamentState, replay

REGULATIONS = Regulations("Club final", rounds=3, system="berger", tie_breaks=("DE", "SB"))


def begun(players: int, regulations: Regulations) -> list[TournamentEvent]:
    return [Created(0, regulations), Entered(0, tuple(Entry(n, f"P{n}") for n in range(1, players + 1)))]


def a_round(number: int, games: dict[tuple[int, int], str], bye: int | None = None) -> list[TournamentEvent]:
    """A published round and its results; "" is a game still open, "1-0 forfeit" was not played."""
    pairs = tuple(Pair(board, white, black) for board, (white, black) in enumerate(games, 1))
    events: list[TournamentEvent] = [
        Paired(0, number, pairs, bye, {}, (), "Ada"),
        Published(0, number, 1, "", {}, "Ada"),
    ]
    for board, result in enumerate(games.values(), 1):
        if result:
            score, _space, forfeit = result.partition(" ")
            events.append(Resulted(0, number, board, score, "forfeit" if forfeit else "confirmed", "Ada"))  # type: ignore[arg-type]
    return events


def four_players() -> TournamentState:
    """1 and 2 have two points each, 2 beat 1; 3 and 4 drew their game and have one point each."""
    log = begun(4, REGULATIONS)
    log += a_round(1, {(1, 4): "1-0", (2, 3): "1/2-1/2"})
    log += a_round(2, {(4, 3): "1/2-1/2", (1, 2): "0-1"})
    log += a_round(3, {(2, 4): "1/2-1/2", (3, 1): "0-1"})
    return replay(log)


def test_direct_encounter_decides_and_says_so() -> None:
    first, second, third, fourth = standings(four_players())
    assert [(s.rank, s.tpn, s.half_points) for s in (first, second)] == [(1, 2, 4), (2, 1, 4)]
    assert first.decided_by == second.decided_by == "DE"
    assert first.reason == "Before P1 (1) by DE: 1 against 2. 1.0 against 1 in round 2"
    assert second.reason == "After P2 (2) by DE: 2 against 1. 0.0 against 2 in round 2"
    assert [(s.rank, s.tpn, s.decided_by) for s in (third, fourth)] == [(3, 3, ""), (3, 4, "")]


def test_sonneborn_berger_comes_after_a_direct_encounter_that_separates_nobody() -> None:
    log = begun(4, REGULATIONS)
    log += a_round(1, {(1, 4): "1-0", (2, 3): "1-0"})
    log += a_round(2, {(4, 3): "0-1", (1, 2): "1/2-1/2"})
    first, second, *_others = standings(replay(log))
    assert [(s.rank, s.tpn, s.decided_by) for s in (first, second)] == [(1, 2, "SB"), (2, 1, "SB")]
    assert first.values == {"DE": "1", "SB": "1.75"}
    assert second.reason == "After P2 (2) by SB: 0.75 against 1.75. 1.0×0.0 + 0.5×1.5 = 0.75"


def test_without_a_separating_code_the_place_is_shared() -> None:
    log = begun(4, replace(REGULATIONS, tie_breaks=("SB",)))
    log += a_round(1, {(1, 4): "1/2-1/2", (2, 3): "1/2-1/2"})
    table = standings(replay(log))
    assert [(s.rank, s.tpn) for s in table] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert table[0].reason == "Shares the place with P2 (2): no tie-break separates them."
    assert {s.decided_by for s in table} == {""}


def test_standings_are_those_after_the_last_complete_round() -> None:
    log = begun(4, REGULATIONS)
    log += a_round(1, {(1, 4): "1-0", (2, 3): "1-0"})
    log += a_round(2, {(4, 3): "1-0", (1, 2): ""})
    state = replay(log)
    assert [s.half_points for s in standings(state)] == [2, 2, 0, 0]
    assert [s.tpn for s in standings(state, 0)] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="round 3 is not public"):
        standings(state, 3)


def six_players(games_played: int) -> TournamentState:
    """Everybody draws with everybody; number 6 withdraws after some games, and the rest are forfeited."""
    log = begun(6, replace(REGULATIONS, rounds=5))
    for number in range(1, 6):
        games = {}
        for white, black in table(6, number):
            result = "1/2-1/2"
            if 6 in (white, black) and number > games_played:
                result = "1-0 forfeit" if black == 6 else "0-1 forfeit"
            games[white, black] = result
        log += a_round(number, games)
        if number == games_played:
            log.append(Withdrawn(0, 6, "Ada"))
    return replay(log)


def test_withdrawal_before_half_takes_the_games_out_of_a_round_robin() -> None:
    result = standings(six_players(2))
    assert (result[-1].tpn, result[-1].excluded, result[-1].half_points) == (6, True, 0)
    assert {s.half_points for s in result[:-1]} == {4}  # four draws among the five others


def test_withdrawal_after_half_leaves_the_games_and_forfeits_the_rest() -> None:
    result = standings(six_players(3))
    assert not any(s.excluded for s in result)
    assert sorted(s.half_points for s in result) == [3, 5, 5, 5, 6, 6]
    assert next(s for s in result if s.tpn == 6).withdrawn


def test_a_swiss_keeps_the_withdrawn_player_in_his_place() -> None:
    log = begun(4, replace(REGULATIONS, system="dutch", tie_breaks=("BH", "SB")))
    log += a_round(1, {(1, 3): "1-0", (4, 2): "0-1"})
    log.append(Withdrawn(0, 1, "Ada"))
    first = standings(replay(log))[0]
    assert (first.tpn, first.withdrawn, first.excluded) == (1, True, False)


def test_alone_on_his_points() -> None:
    log = begun(2, replace(REGULATIONS, rounds=1))
    log += a_round(1, {(1, 2): "1-0"})
    first, second = standings(replay(log))
    assert (first.decided_by, first.reason) == ("PTS", "1.0 points, alone.")
    assert (second.rank, second.decided_by) == (2, "PTS")


def test_tie_breaks_count_with_three_points_for_a_win() -> None:
    regulations = Regulations("League", 3, "berger", tie_breaks=("SB", "STD"), win_half_points=6, draw_half_points=2)
    log = begun(4, regulations)
    log += a_round(1, {(1, 4): "1-0", (2, 3): "1/2-1/2"})
    state = replay(log)
    places = {s.tpn: s for s in standings(state)}
    assert {tpn: s.half_points for tpn, s in places.items()} == {1: 6, 2: 2, 3: 2, 4: 0}
    # STD gives a win one point and a draw half a one, whatever the event pays.
    assert {tpn: s.values["STD"] for tpn, s in places.items()} == {1: "1.0", 2: "0.5", 3: "0.5", 4: "0.0"}


def test_a_bye_counts_as_one_of_the_events_draws_for_the_opponents() -> None:
    """Half-point byes at the end count as draws for Buchholz (C.07 16.3), at the price of the event's draws."""
    regulations = replace(REGULATIONS, system="dutch", tie_breaks=("BH",), win_half_points=6, draw_half_points=2)
    log = begun(4, regulations)
    log += a_round(1, {(1, 3): "1-0", (2, 4): "1-0"})
    log += [Paired(0, 2, (Pair(1, 1, 2),), None, {3: "Z", 4: "H"}, (), "Ada"), Published(0, 2, 1, "", {}, "Ada")]
    log.append(Resulted(0, 2, 1, "1/2-1/2", "confirmed", "Ada"))
    values = {s.tpn: s.values["BH"] for s in standings(replay(log))}
    # 3 lost and was absent: his opponents count his absence as a draw, one point; 1 also met 2, who has four.
    assert values[1] == "5.0"


def test_who_is_expelled_from_a_swiss_has_no_place_but_his_games_count() -> None:
    log = begun(4, replace(REGULATIONS, system="dutch", tie_breaks=("BH", "SB")))
    log += a_round(1, {(1, 3): "1-0", (4, 2): "0-1"})
    log += a_round(2, {(2, 1): "0-1", (3, 4): "1-0"})
    before = standings(replay(log))
    log.append(Expelled(0, 1, "Ada", "second device"))
    after = standings(replay(log))
    assert [(s.rank, s.tpn) for s in before] == [(1, 1), (2, 2), (2, 3), (4, 4)]
    assert [(s.rank, s.tpn, s.excluded) for s in after] == [(1, 2, False), (1, 3, False), (3, 4, False), (4, 1, True)]
    assert after[-1].reason.startswith("Expelled")
    assert after[-1].half_points == 4
    told = {s.tpn: s.values for s in before}
    assert all(told[s.tpn] == s.values for s in after[:-1])
    assert "1 by" not in " ".join(s.reason for s in after[:-1]), "nobody stands behind somebody without a place"


def test_a_lot_drawn_for_the_standings_decides_what_is_left() -> None:
    log = begun(4, replace(REGULATIONS, tie_breaks=("SB",)))
    log += a_round(1, {(1, 4): "1/2-1/2", (2, 3): "1/2-1/2"})
    log.append(LotDrawn(0, "standings", 11, "list", "Ada"))
    places = standings(replay(log))
    assert [s.tpn for s in places] == list(draw_lots(11, (1, 2, 3, 4)))
    assert [s.rank for s in places] == [1, 2, 3, 4]
    assert {s.decided_by for s in places} == {"LOT"}
    assert standings(replay(log)) == places
