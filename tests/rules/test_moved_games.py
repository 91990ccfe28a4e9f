"""A game goes on at another table, in the book and in the record; names that count now."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.events import Named, Opened, Player
from rules.laws.game import GameState, fold, replay
from rules.laws.game_order_data import order_of_player, player_of_order
from rules.tournament.book_events import GameMoved
from rules.tournament.book_intents import Adjourn, MoveGame
from rules.tournament.events import DeviceEnrolled
from rules.tournament.intents import Enrol, Rule
from tests.rules.book_hall import Hall
from tests.rules.tables import SHUFFLE, Table


def hall_with_devices() -> Hall:
    """Round 1 is on: three boards at t1 to t3, and two tables more."""
    hall = Hall(6)
    for table in hall.tables:
        hall.does(Enrol(table, f"device {table}", "enrolled"))
    hall.starts()
    return hall


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 5)), max_size=12))
def test_wherever_games_go_each_has_a_table_of_its_own_and_keeps_its_board(moves: list[tuple[int, int]]) -> None:
    hall = hall_with_devices()
    before = hall.sheet
    for board, table in moves:
        was, epochs = hall.sheet.tables, {name: device.epoch for name, device in hall.state.devices.items()}
        events = hall.does(MoveGame(1, board, f"t{table}", "so it must be"))
        assert bool(events) == (was[board] != f"t{table}")
        changed = {event.table for event in events if isinstance(event, DeviceEnrolled)}
        assert changed == ({was[board], f"t{table}"} if events else set())
        after = {name: device.epoch for name, device in hall.state.devices.items()}
        assert after == {name: epoch + (name in changed) for name, epoch in epochs.items()}
        assert hall.sheet.tables[board] == f"t{table}"
        assert sorted(hall.sheet.tables) == [1, 2, 3]
        assert len(set(hall.sheet.tables.values())) == 3
        for seat, name in hall.sheet.tables.items():
            stands = int(name[1:])
            assert hall.sheet.place(seat) == (stands if stands <= 3 else seat)
            assert hall.sheet.table_at(stands) == (name if stands <= 3 else "")
    assert hall.sheet.pairs == before.pairs, "who meets whom is what it was"
    hall.check_log()


def test_what_is_over_or_adjourned_does_not_move() -> None:
    hall = hall_with_devices()
    hall.does(Rule(1, 1, "1-0", "so it was"))
    assert "has its result" in hall.is_refused(MoveGame(1, 1, "t4", "x")).why
    (moved, *_begun) = hall.does(MoveGame(1, 2, "t1", "that table is free"))
    assert isinstance(moved, GameMoved)
    assert moved.tables == {"2": "t1", "1": ""}, "nothing comes in exchange"
    assert hall.sheet.tables == {2: "t1", 3: "t3"}
    hall.does(Adjourn(1, 3, "late"))
    assert "is adjourned" in hall.is_refused(MoveGame(1, 3, "t4", "x")).why
    assert "is adjourned" in hall.is_refused(MoveGame(1, 2, "t3", "x")).why
    assert "no table t9" in hall.is_refused(MoveGame(1, 2, "t9", "x")).why
    assert "no board 8" in hall.is_refused(MoveGame(1, 8, "t4", "x")).why
    assert "latest public round" in hall.is_refused(MoveGame(2, 1, "t4", "x")).why
    assert "Say why" in hall.is_refused(MoveGame(1, 2, "t4", " ")).why


def test_names_change_and_the_game_does_not() -> None:
    table = Table("3+2")
    table.plays(" ".join(SHUFFLE.split()[:4]))
    before = table.state
    white = Player(5, "Ćirić, Mila", 1999, "WFM", "SRB")
    done = table.order("players", before.t + 10, order_of_player(white, "white") | {"board": 7})
    assert done.ok
    now = table.state
    assert now.assignment is not None
    assert before.assignment is not None
    assert now.assignment == replace(before.assignment, white=white, board=7)
    assert (now.plies, now.clock, now.phase, now.game) == (before.plies, before.clock, before.phase, before.game)
    assert replay(table.log) == now
    for side in ("white", "black"):
        assert player_of_order(order_of_player(white, side), side) == white
    assert fold(GameState(), Named(5, "o1", white)) == replace(GameState(), t=5), "without a game there is nobody"


def test_a_new_epoch_begins_with_an_empty_table() -> None:
    table = Table("3+2")
    table.plays(" ".join(SHUFFLE.split()[:2]))
    assert fold(table.state, Opened(99, "moved")) == replace(GameState(), t=99)
