"""Whole random games by human hands: every game is recorded exactly, or somebody was asked."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.laws.observer_alerts import Alert
from rules.laws.observer_sight import Sensor
from rules.laws.observer_watch import Output, Policy, Watch
from tests.rules.hands import play

SHARP = "r3k2r/pPpq1ppp/2n2n2/3pP3/3Pp3/2N2N2/PpPQ1PPP/R3K2R w KQkq d6 0 10"


def random_game(board: chess.Board, watch: Watch, dice: random.Random, plies: int, hurry: float) -> list[Output]:
    """Plays up to `plies` moves on a board and at a clock; returns what the watch said."""
    out: list[Output] = []
    t = 1_000
    for _ply in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        special = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
        move = dice.choice(special if special and dice.random() < 0.5 else moves)
        last = t
        for delay, square, letter in play(board, move, dice, hurry):
            last = t + delay
            out += watch.lift(last, square) if letter is None else watch.place(last, square, letter)
        t = last + int(dice.randint(30, 900) * hurry)
        out += watch.press(t, "white" if board.turn else "black")
        if watch.sensor == "occupancy":
            out += answers(watch, out, board, move, t)
        board.push(move)
        t += int(dice.randint(30, 2_500) * hurry)
    return out + watch.at(t + 10_000)


def answers(watch: Watch, out: list[Output], board: chess.Board, move: chess.Move, t: int) -> list[Output]:
    """The player answers what an occupancy board has to ask."""
    asked = {alert.code for alert in out if isinstance(alert, Alert) and alert.t == t}
    said: list[Output] = []
    if "capture_ambiguous" in asked:
        said += watch.answer(t + 1, "capture", chess.square_name(move.to_square))
    if move.promotion:
        said += watch.answer(t + 2, "promotion", chess.piece_symbol(move.promotion))
    return said


def alarms(out: list[Output]) -> list[str]:
    """What was said beyond the questions that an occupancy board must ask."""
    return [
        alert.code
        for alert in out
        if isinstance(alert, Alert) and alert.code not in ("promotion_needed", "capture_ambiguous")
    ]


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize("hurry", [1.0, 0.15])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 100_000), start=st.sampled_from([chess.STARTING_FEN, SHARP]))
def test_a_game_is_recorded_exactly(sensor: Sensor, hurry: float, seed: int, start: str) -> None:
    dice = random.Random(seed)
    board = chess.Board(start)
    watch = Watch(sensor, board, Policy())
    out = random_game(board, watch, dice, 40, hurry)
    assert watch.record is not None
    assert [move.uci() for move in watch.record.move_stack] == [move.uci() for move in board.move_stack]
    assert alarms(out) == []


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 100_000), number=st.integers(0, 959))
def test_a_chess960_game_is_recorded_exactly(sensor: Sensor, seed: int, number: int) -> None:
    dice = random.Random(seed)
    board = chess.Board.from_chess960_pos(number)
    watch = Watch(sensor, board, Policy())
    out = random_game(board, watch, dice, 40, 1.0)
    assert watch.record is not None
    assert [board.uci(move) for move in watch.record.move_stack] == [board.uci(move) for move in board.move_stack]
    assert alarms(out) == []
