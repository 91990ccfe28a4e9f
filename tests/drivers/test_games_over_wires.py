"""Whole games by human hands through every board's sensors and bytes, in virtual time.

Every game must be recorded exactly; on occupancy boards the players answer what has to be asked. `make soak` plays
many.
"""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest

from rules.laws.observer_alerts import Alert
from rules.laws.observer_watch import Output, Policy, Watch
from tests.drivers.wires import WIRES, Wire
from tests.rules.hands import play

SHARP = "r3k2r/pPpq1ppp/2n2n2/3pP3/3Pp3/2N2N2/PpPQ1PPP/R3K2R w KQkq d6 0 10"
QUESTIONS = ("promotion_needed", "capture_ambiguous")


class Game:
    """One game at one board."""

    def __init__(self, kind: str, seed: int, plies: int, hurry: float) -> None:
        self.dice = random.Random(f"{kind} {seed}")
        chess960 = self.dice.random() < 0.3
        start = chess.Board(self.dice.choice([chess.STARTING_FEN, SHARP]))
        self.board = chess.Board.from_chess960_pos(self.dice.randrange(960)) if chess960 else start
        self.wire: Wire = WIRES[kind](self.board, seed)
        policy = Policy(settle_ms=self.wire.settle_ms, press_grace_ms=self.wire.grace_ms)
        self.watch = Watch(self.wire.sensor, self.board, policy)
        self.said: list[Output] = []
        self.t = 2_000
        self._pass(self.t)
        for _ply in range(plies):
            moves = list(self.board.legal_moves)
            if not moves:
                break
            self._move(self._choose(moves), hurry)
        self._pass(self.t + 10_000)

    def _choose(self, moves: list[chess.Move]) -> chess.Move:
        board = self.board
        special = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
        return self.dice.choice(special if special and self.dice.random() < 0.5 else moves)

    def _move(self, move: chess.Move, hurry: float) -> None:
        began = self.t
        for delay, square, letter in play(self.board, move, self.dice, hurry):
            self._pass(began + delay)
            self.wire.change(square, letter or ".")
        self._pass(self.t + int(self.dice.randint(250, 900) * hurry))
        before = len(self.said)
        self.said += self.watch.press(self.t, "white" if self.board.turn else "black")
        self._pass(self.t + self.wire.grace_ms + 1)
        asked = {output.code for output in self.said[before:] if isinstance(output, Alert)}
        if "capture_ambiguous" in asked:
            self.said += self.watch.answer(self.t, "capture", chess.square_name(move.to_square))
        if move.promotion and self.wire.sensor == "occupancy":
            self.said += self.watch.answer(self.t, "promotion", chess.piece_symbol(move.promotion))
        self.board.push(move)
        self._pass(self.t + int(self.dice.randint(100, 2_500) * hurry))

    def _pass(self, t: int) -> None:
        for at, sight in self.wire.until(t):
            self.said += self.watch.show(at, sight)
        self.t = t
        self.said += self.watch.at(t)

    @property
    def exact(self) -> bool:
        """Whether the record is the game."""
        record = self.watch.record
        assert record is not None
        return record.move_stack == self.board.move_stack

    @property
    def alarms(self) -> list[str]:
        """What was said although nothing was wrong."""
        return [output.code for output in self.said if isinstance(output, Alert) and output.code not in QUESTIONS]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", WIRES)
def test_a_game_is_recorded_exactly(kind: str, seed: int) -> None:
    game = Game(kind, seed, plies=40, hurry=1.0)
    assert game.exact
    assert game.alarms == []


@pytest.mark.parametrize("kind", ["dgt", "chessnut", "chesslink", "reeds"])
def test_a_hurried_game_is_recorded_exactly(kind: str) -> None:
    assert Game(kind, 5, plies=40, hurry=0.4).exact


@pytest.mark.soak
@pytest.mark.parametrize("kind", WIRES)
def test_many_games(kind: str) -> None:
    """Seventy games by kind: exact, or somebody was asked or alarmed; never wrong in silence."""
    found: Counter[str] = Counter()
    for seed in range(70):
        game = Game(kind, seed, plies=80, hurry=1.0)
        found["exact" if game.exact else "asked" if game.alarms else "silent"] += 1
    assert found["silent"] == 0, found
    assert found["exact"] >= 68, found
