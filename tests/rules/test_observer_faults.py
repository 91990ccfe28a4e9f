"""Games with faults: a link that drops, presses forgotten, events that never arrive. Exact, or asked; never silent."""

from __future__ import annotations

import random

import chess
import pytest

from rules.laws.observer_alerts import Alert
from rules.laws.observer_sight import Sensor, Sight
from rules.laws.observer_watch import Output, Policy, Watch
from tests.rules.hands import play

SHARP = "r3k2r/pPpq1ppp/2n2n2/3pP3/3Pp3/2N2N2/PpPQ1PPP/R3K2R w KQkq d6 0 10"
#: What is said when everything went well in spite of the fault.
GOOD = ("link_down", "link_up", "resync_ok", "promotion_needed", "capture_ambiguous", "moved_before_press")


class Faulty:
    """A game at a table with one kind of fault: `link`, `presses` or `missed`."""

    def __init__(self, sensor: Sensor, fault: str, seed: int, plies: int = 40) -> None:
        self.sensor, self.fault = sensor, fault
        self.dice = random.Random(f"{sensor} {fault} {seed}")
        self.board = chess.Board(self.dice.choice([chess.STARTING_FEN, SHARP]))
        self.watch = Watch(sensor, self.board, Policy(press_grace_ms=300))
        self.said: list[Output] = []
        self.t, self.down = 1_000, False
        for _ply in range(plies):
            moves = list(self.board.legal_moves)
            if not moves:
                break
            self._move(self.dice.choice(moves))
        self._link_returns()
        self.said += self.watch.at(self.t + 20_000)

    def _move(self, move: chess.Move) -> None:
        watch, began = self.watch, self.t
        if self.fault == "link" and not self.down and self.dice.random() < 0.15:
            self.said += watch.link(self.t, False)
            self.down = True
        for delay, square, letter in play(self.board, move, self.dice):
            self.t = began + delay
            if self.down or (self.fault == "missed" and self.dice.random() < 0.05):
                continue
            self.said += watch.lift(self.t, square) if letter is None else watch.place(self.t, square, letter)
        self.t += self.dice.randint(100, 900)
        if self.fault != "presses" or self.dice.random() > 0.2:
            self.said += watch.press(self.t, "white" if self.board.turn else "black")
        pressed_at = self.t
        self.board.push(move)
        if self.fault == "missed":  # the driver asks for a dump after each press
            self.said += watch.show(self.t + 50, Sight.of(self.board, self.sensor))
        if self.dice.random() < 0.5:
            self._link_returns()
        self.t += 310
        self.said += watch.at(self.t)
        self._answers(move, pressed_at)
        self.t += self.dice.randint(100, 2_500)

    def _link_returns(self) -> None:
        if self.down:
            self.down = False
            self.said += self.watch.link(self.t + 100, True)
            self.said += self.watch.show(self.t + 200, Sight.of(self.board, self.sensor))
            self.t += 200

    def _answers(self, move: chess.Move, since: int) -> None:
        asked = {output.code for output in self.said if isinstance(output, Alert) and output.t >= since}
        if "capture_ambiguous" in asked:
            self.said += self.watch.answer(self.t, "capture", chess.square_name(move.to_square))
        question = self.watch.promotion
        if question is not None and question.ply <= len(self.board.move_stack):
            piece = self.board.move_stack[question.ply - 1].promotion or chess.QUEEN
            self.said += self.watch.answer(self.t, "promotion", chess.piece_symbol(piece))

    @property
    def exact(self) -> bool:
        """Whether the record and the candidate on the board are the game."""
        assert self.watch.record is not None
        known = [*self.watch.record.move_stack, *(ply.move for ply in self.watch.candidate)]
        return known == self.board.move_stack

    @property
    def asked(self) -> bool:
        """Whether somebody was told that something is wrong."""
        return any(isinstance(output, Alert) and output.code not in GOOD for output in self.said)


@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize("fault", ["link", "presses", "missed"])
def test_a_game_with_faults_is_exact_or_asked_about(sensor: Sensor, fault: str) -> None:
    games = [Faulty(sensor, fault, seed) for seed in range(4)]
    assert all(game.exact or game.asked for game in games)


@pytest.mark.parametrize("fault", ["presses", "missed"])
def test_an_identified_board_makes_up_for_what_is_missing(fault: str) -> None:
    assert all(Faulty("identified", fault, seed).exact for seed in range(10, 14))


@pytest.mark.soak
@pytest.mark.parametrize("sensor", ["identified", "occupancy"])
@pytest.mark.parametrize("fault", ["link", "presses", "missed"])
def test_many_games_with_faults(sensor: Sensor, fault: str) -> None:
    for seed in range(100, 300):
        game = Faulty(sensor, fault, seed, plies=80)
        assert game.exact or game.asked, seed
