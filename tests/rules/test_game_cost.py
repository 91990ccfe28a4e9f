"""What a game costs a table: processor time, the best of some runs, as a busy computer only ever makes it longer."""

from __future__ import annotations

import time
from collections.abc import Callable

from rules.laws.clock import Clock
from rules.laws.game import PressClock, Refusal, decide, replay
from rules.laws.sides import SIDES
from rules.laws.time_control import parse
from tests.rules.tables import Table


def cheapest(task: Callable[[], object], runs: int) -> float:
    """The least processor time of some runs, in ms."""
    times = []
    for _run in range(runs):
        begun = time.thread_time_ns()
        task()
        times.append((time.thread_time_ns() - begun) / 1e6)
    return min(times)


def eighty_moves() -> Table:
    """A game of eighty moves by each side: every pawn two steps, then whatever ends and repeats nothing."""
    table = Table("90+30")
    pawns = [(f"{file}2{file}3", f"{file}7{file}6") for file in "abcdefgh"] + [
        (f"{file}3{file}4", f"{file}6{file}5") for file in "abcdefgh"
    ]
    moves = [move for pair in pawns for move in pair]
    table.plays(" ".join(moves), every=2_000)
    while len(table.state.plies) < 160 and table.state.score is None:
        legal = sorted(move.uci() for move in table.state.position.legal_moves)
        quiet = [uci for uci in legal if not decides(table, uci)]
        table.plays(quiet[len(table.state.plies) * 7 % len(quiet)], every=2_000)
    return table


def decides(table: Table, uci: str) -> bool:
    board = table.state.board()
    board.push_uci(uci)
    return not any(board.legal_moves) or table.state.keys.count(board.epd()) >= 2


def test_a_game_of_eighty_moves_is_folded_in_fifty_ms() -> None:
    table = eighty_moves()
    assert len(table.state.plies) == 160
    assert cheapest(lambda: replay(table.log), 7) < 50


def test_the_clock_handles_a_press_in_a_fifth_of_a_ms() -> None:
    clock = Clock.new(parse("40/90+30, 30+30 period_switch=move_counter")).start(0)
    for n in range(60):
        clock, accepted = clock.press(1_000 * n + 500, SIDES[n % 2])
        assert accepted
    assert cheapest(lambda: clock.press(70_000, "white"), 200) < 0.2


def test_a_press_is_decided_while_nobody_notices() -> None:
    table = eighty_moves()
    state = table.state
    uci = next(iter(sorted(move.uci() for move in state.position.legal_moves)))
    press = PressClock(state.turn, uci, state.t + 500)
    assert not isinstance(decide(state, press, state.t + 900), Refusal)
    assert cheapest(lambda: decide(state, press, state.t + 900), 20) < 30
