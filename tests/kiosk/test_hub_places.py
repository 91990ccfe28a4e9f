"""A game goes on at another table, a spare device goes on with a game, tables show the names that count now."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hallnet import wire
from hallnet.hall_log import HallLog
from kiosk.hub.core import HubCore
from kiosk.hub.export import games_pgn
from kiosk.hub.hall import Hall as Games
from kiosk.hub.hall import contiguous, read_hall
from kiosk.hub.inputs import FromTable
from rules.laws.events import Named, Player
from rules.laws.game_state import GameState
from rules.tournament.book_events import GameMoved
from rules.tournament.events import TournamentEvent
from tests.kiosk.hub_hall import ADDRESS, Hall, Table, durable


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables in round 1: moves on each, all clocks stopped."""
    hall = Hall(tmp_path)
    hall.connect()
    begin(hall)
    return hall


def begin(hall: Hall) -> None:
    """Games with different moves; then the arbiter stops them."""
    hall.begin_round()
    hall.tables["1"].moves("e2e4", "e7e5", "g1f3")
    hall.tables["2"].moves("d2d4", "d7d5")
    hall.tables["3"].moves("c2c4")
    hall.settle()
    hall.must("pause", board=0, why="a board is broken")
    hall.settle()


def told(table: Table) -> tuple[str, list[str], str]:
    """Game, moves and phase at a table."""
    return table.state.game, [ply.uci for ply in table.state.plies], table.state.phase


# -- a game moves -----------------------------------------------------------------------------------------------------


def test_two_games_change_their_tables_with_moves_clocks_and_players(hall: Hall) -> None:
    one, three = hall.tables["1"], hall.tables["3"]
    clocks = one.state.clocks(one.state.t), three.state.clocks(three.state.t)
    players = one.state.assignment, three.state.assignment
    assert players[0] is not None
    assert players[1] is not None
    hall.must("move-game", board=1, to=3, why="broken board")
    hall.settle()
    assert told(three) == ("r1b1", ["e2e4", "e7e5", "g1f3"], "paused")
    assert told(one) == ("r1b3", ["c2c4"], "paused")
    assert (three.state.clocks(hall.at), one.state.clocks(hall.at)) == clocks
    now = three.state.assignment, one.state.assignment
    assert now[0] is not None
    assert now[1] is not None
    assert (now[0].white, now[0].black, now[0].board) == (players[0].white, players[0].black, 3)
    assert (now[1].white, now[1].black, now[1].board) == (players[1].white, players[1].black, 1)
    assert [(row.board, row.table, row.last) for row in hall.view.boards.rows if row.board != 2] == [
        (1, "3", "2.Nf3"),
        (3, "1", "1.c4"),
    ]
    assert sorted((call.board, call.kind) for call in hall.view.head.calls) == [(1, "resume"), (3, "resume")]
    hall.must("resume", board=0)
    hall.settle()
    three.moves("b8c6")
    three.resign("black")
    one.resign("white")
    hall.settle()
    assert (hall.row(1).score, hall.row(3).score) == ("1-0", "0-1"), "a result belongs to the pairing"
    pgn = games_pgn(hall.core.hall)
    assert pgn.count("[Event ") == 3
    assert "2. Nf3" in pgn
    assert "Nc6" in pgn
    assert hall.view.head.calls == ()


def test_a_game_goes_to_a_table_that_is_free_and_back_again(tmp_path: Path) -> None:
    hall = Hall(tmp_path, tables=4)
    hall.connect()
    begin(hall)
    two, four = hall.tables["2"], hall.tables["4"]
    hall.must("move-game", board=2, to="4", why="the clock is dead")
    hall.settle()
    assert told(four) == ("r1b2", ["d2d4", "d7d5"], "paused")
    assert told(two) == ("", [], "idle")
    hall.must("resume", board=2)
    hall.settle()
    four.moves("c2c4")
    hall.must("pause", board=2, why="repaired")
    hall.settle()
    hall.must("move-game", board=2, to=2, why="repaired")
    hall.settle()
    assert told(two) == ("r1b2", ["d2d4", "d7d5", "c2c4"], "paused")
    assert two.state.assignment is not None
    assert two.state.assignment.board == 2
    assert told(four) == ("", [], "idle")


def test_before_the_start_only_the_seats_change(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.connect()
    hall.must("pair")
    hall.must("publish")
    hall.settle()
    hall.must("move-game", board=2, to=3, why="a wheelchair")
    hall.settle()
    assert (told(hall.tables["3"]), told(hall.tables["2"])) == (("r1b2", [], "assigned"), ("r1b3", [], "assigned"))
    for table in hall.tables.values():
        table.ready()
    hall.must("start")
    hall.settle()
    assert {row.state for row in hall.view.boards.rows} == {"playing"}
    assert hall.view.head.calls == ()


def test_what_cannot_be_moved_is_refused_with_a_sentence(hall: Hall) -> None:
    hall.must("resume", board=1)
    hall.connect()
    hall.settle()
    for d, sentence in (
        ({"board": 1, "to": 2, "why": "x"}, "Board 1 is playing: stop its clocks"),
        ({"board": 2, "to": 1, "why": "x"}, "Board 1 is playing: stop its clocks"),
        ({"board": 9, "to": 1, "why": "x"}, "no board 9"),
        ({"board": 2, "to": 9, "why": "x"}, "no table 9"),
        ({"board": 2, "why": "x"}, "Say where to"),
        ({"board": 2, "to": 3}, "Say why"),
    ):
        assert sentence in hall.do("move-game", **d).why
    assert hall.do("move-game", board=2, to=2, why="x").ok, "it is there already"
    hall.must("rule", board=2, score="1-0", why="x")
    hall.settle()
    assert "has its result" in hall.do("move-game", board=2, to=3, why="x").why
    hall.must("move-game", board=3, to=2, why="that one is over")
    hall.settle()
    assert told(hall.tables["2"])[0] == "r1b3"
    assert told(hall.tables["3"]) == ("", [], "idle"), "a game that is over does not move in exchange"
    assert (hall.row(2).score, hall.row(2).last) == ("1-0", "1...d5")


def test_orders_that_were_not_answered_go_along(hall: Hall) -> None:
    hall.tables["1"].hear = lambda leaf, payload: None  # type: ignore[method-assign]  # it has lost its cable
    hall.must("times", board=1, white_ms=111_000, black_ms=222_000, why="as agreed")
    hall.must("move-game", board=1, to=3, why="no cable")
    del hall.tables["1"].hear
    hall.settle()
    three = hall.tables["3"]
    assert three.state.clocks(hall.at) == (111_000, 222_000)
    assert {order.table for order in hall.core.hall.state.orders.values()} == set()


# -- late, twice, in another order, killed ----------------------------------------------------------------------------


def test_what_the_old_table_still_has_is_evidence_and_never_merged(hall: Hall) -> None:
    one = hall.tables["1"]
    hall.must("resume", board=1)
    hall.settle()
    one.hear = lambda leaf, payload: None  # type: ignore[method-assign]
    hall.drop = 1.0
    one.moves("b8c6", "f1b5")  # made with the cable pulled
    hall.drop = 0.0
    hall.pass_time(12_000)
    hall.must("move-game", board=1, to=3, why="table 1 is out of reach")
    late = [wire.Batch(events=(msg,), boot=one.boot) for msg in one.outbox[one.acked :]]
    assert len(late) >= 4
    del one.hear
    for batch in late:
        hall.post(FromTable("1", "up", wire.encode(batch), hall.at, hall.wall))
    hall.pump()
    hall.settle()
    assert told(hall.tables["3"])[1] == ["e2e4", "e7e5", "g1f3"]
    assert hall.row(1).last == "2.Nf3"
    assert told(one)[0] == "r1b3"
    assert any("evidence" in sentence and "b8c6" in sentence for sentence in hall.view.head.notices)
    assert [(c.board, c.kind) for c in hall.view.head.calls if c.board == 1] == [(1, "times")], "how old are they?"
    aside = hall.core.log.stats()["set_aside"]
    for batch in late:  # and it comes twice
        hall.post(FromTable("1", "up", wire.encode(batch), hall.at, hall.wall))
    hall.pump()
    assert hall.core.log.stats()["set_aside"] == aside


def ends(folder: Path, seed: int, stop: int | None = None) -> tuple[object, ...]:
    """A story of moves between tables over a post that loses, doubles and delays, with kills; how it ends."""
    dice = random.Random(seed)
    folder.mkdir(exist_ok=True)
    hall = Hall(folder, tables=4, seed=seed)
    hall.connect()
    begin(hall)
    steps = 0

    def shake() -> None:
        nonlocal steps
        steps += 1
        if stop is not None and steps % stop == 0:
            hall.kill()
            for table in hall.tables.values():
                table.ask()
        if len(hall.queue) > 1 and dice.random() < 0.3:
            hall.queue.rotate(1)

    hall.after_step = shake
    hall.drop, hall.twice = (0.15, 0.3) if seed else (0.0, 0.0)
    for board, to in ((1, 3), (2, "4"), (3, 2), (1, 1)):
        hall.must("move-game", board=board, to=to, why="as the story wants")
        for _n in range(dice.randrange(3)):
            hall.pass_time(1000)
    hall.after_step = lambda: None
    hall.drop = hall.twice = 0.0
    hall.settle()
    hall.settle()
    games = {name: told(table) for name, table in hall.tables.items()}
    clocks = {t.state.game: t.state.clocks(hall.at) for t in hall.tables.values() if t.state.game}
    seats = sorted((row.board, row.table, row.last, row.state) for row in hall.view.boards.rows)
    other = HubCore(HallLog.open(hall.path), ADDRESS, boot="other")
    assert durable(other, hall.at, hall.wall) == durable(hall.core, hall.at, hall.wall)
    other.log.close()
    assert sum(isinstance(e, GameMoved) for e in hall.core.log.tournament_events()) == 4
    return games, clocks, seats


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """How it ends over a good post."""
    return ends(tmp_path_factory.mktemp("good"), 0)


@pytest.mark.parametrize("seed", range(1, 6))
def test_whatever_the_post_does_and_whenever_the_hub_dies_it_ends_the_same(
    tmp_path: Path, seed: int, good: tuple[object, ...]
) -> None:
    assert good[2] == [(1, "1", "2.Nf3", "paused"), (2, "4", "1...d5", "paused"), (3, "2", "1.c4", "paused")]
    assert ends(tmp_path / "bad", seed) == good
    assert ends(tmp_path / "killed", seed, 5 + seed) == good


def test_a_hub_that_knows_only_the_log_has_the_same_games_in_any_order_of_reading(hall: Hall) -> None:
    hall.must("move-game", board=1, to=3, why="broken board")
    hall.settle()
    again = read_hall(hall.core.log)
    for board in (1, 2, 3):
        now, then = hall.core.hall.record(1, board), again.record(1, board)
        assert now is not None
        assert then is not None
        assert (now.table, now.epoch, now.events) == (then.table, then.epoch, then.events)
        assert now.state == then.state


def test_a_spare_device_goes_on_with_a_game_that_was_moved(hall: Hall) -> None:
    hall.must("move-game", board=1, to=3, why="broken board")
    hall.settle()
    spare = hall.tables["3"] = Table(hall, "3", "spare")
    spare.ask()
    hall.settle()
    assert told(spare) == ("r1b1", ["e2e4", "e7e5", "g1f3"], "paused")
    assert spare.epoch == 3


# -- the names that count ---------------------------------------------------------------------------------------------


def names(table: Table) -> tuple[int, int]:
    """White's and Black's number as the table has them."""
    now = table.state.assignment
    assert now is not None
    return now.white.tpn, now.black.tpn


def replace_first_two(hall: Hall) -> tuple[tuple[int, int], tuple[int, int]]:
    """The pairs of boards 1 and 2 sat at each other's boards."""
    one, two = hall.row(1), hall.row(2)
    first, second = (two.white.tpn, two.black.tpn), (one.white.tpn, one.black.tpn)
    d: dict[str, Any] = {"boards": [[1, *first], [2, *second]], "why": "so they sat"}
    asked = hall.do("replace-pairs", **d)
    assert asked.d["token"]
    hall.must("replace-pairs", confirm=asked.d["token"], **d)
    return first, second


def test_pairs_as_really_played_are_shown_by_their_tables(hall: Hall) -> None:
    first, second = replace_first_two(hall)
    hall.settle()
    one, two = hall.tables["1"], hall.tables["2"]
    assert (names(one), names(two)) == (first, second)
    assert told(one) == ("r1b1", ["e2e4", "e7e5", "g1f3"], "paused"), "moves stay with the board"
    hall.must("resume", board=1)
    hall.settle()
    one.resign("black")
    hall.settle()
    assert (hall.row(1).white.tpn, hall.row(1).score) == (first[0], "1-0")


def test_a_result_that_crosses_the_new_names_is_that_of_the_board(hall: Hall) -> None:
    hall.must("resume", board=1)
    hall.settle()
    one = hall.tables["1"]
    hear = one.hear
    one.hear = lambda leaf, payload: None if leaf == "ord" else hear(leaf, payload)  # type: ignore[method-assign]
    first, _second = replace_first_two(hall)
    one.resign("black")
    hall.pump()
    assert (hall.row(1).white.tpn, hall.row(1).score) == (first[0], "1-0")
    assert hall.view.head.calls == ()
    del one.hear
    hall.settle()
    assert names(one) == first


def test_names_that_were_overtaken_are_put_right_again(hall: Hall) -> None:
    one = hall.tables["1"]
    replace_first_two(hall)
    hall.settle()
    known = names(one)
    one.write(Named(hall.at, "o1", Player(77, "Somebody"), Player(78, "Else"), 1))  # an order that came late
    hall.pump()
    hall.settle()
    assert names(one) == known


def test_a_name_that_is_put_right_is_told_while_the_game_is_on(hall: Hall) -> None:
    tpn = hall.row(2).black.tpn
    hall.must("correct-entry", tpn=tpn, name="Novak, John", why="misspelt")
    hall.settle()
    two = hall.tables["2"].state.assignment
    assert two is not None
    assert two.black.name == "Novak, John"
    sent = [
        m for m in hall.sent if m.subject == ADDRESS.table("1", "ord") and json.loads(m.payload)["kind"] == "players"
    ]
    assert sent == [], "nobody else is told"


Told = tuple[list[TournamentEvent], dict[str, list[wire.EventMsg]], dict[int, tuple[str, GameState]]]


@pytest.fixture(scope="module")
def told_log(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Both logs of a hall in which two games have changed their tables twice, and the games that are right."""
    hall = Hall(tmp_path_factory.mktemp("told"))
    hall.connect()
    begin(hall)
    for to in (3, 1):
        hall.must("move-game", board=1, to=to, why="so it must be")
        hall.settle()
    messages: dict[str, list[wire.EventMsg]] = {}
    for name, msg in contiguous(hall.core.log):
        messages.setdefault(name, []).append(msg)
    records = {board: hall.core.hall.record(1, board) for board in (1, 2, 3)}
    wanted = {board: (record.table, record.state) for board, record in records.items() if record is not None}
    return list(hall.core.log.tournament_events()), messages, wanted


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_late_events_of_any_table_in_any_order_fold_to_the_same_games(told_log: Told, seed: int) -> None:
    events, messages, wanted = told_log
    dice = random.Random(seed)
    hall = Games()
    for event in events:
        hall.fold(event)
    waiting = {name: list(msgs) for name, msgs in messages.items()}
    while names := [name for name, msgs in waiting.items() if msgs]:
        name = dice.choice(names)
        hall.take(name, waiting[name].pop(0))
    assert {board: (record.table, record.state) for board in (1, 2, 3) if (record := hall.record(1, board))} == wanted
