"""A table told in one line: `Table(fen).tell("0 -e2 300 +e4P 900 W")`.

Numbers are ms. -e2 lifts, +e4P places (on an occupancy board the letter is for the reader), =FEN is a dump, W and B
press, down and up are the link, promotion:n answers a question, . lets time pass.
"""

from __future__ import annotations

from typing import Any

import chess

from rules.laws.observer_alerts import Alert
from rules.laws.observer_sight import Sensor, Sight
from rules.laws.observer_watch import Made, Output, Policy, Shown, Watch


class Table:
    """A watch and everything that came out of it."""

    def __init__(
        self,
        fen: str | None = chess.STARTING_FEN,
        sensor: Sensor = "identified",
        chess960: bool = False,
        rotated: bool | None = False,
        **policy: Any,
    ) -> None:
        record = chess.Board(fen, chess960=chess960) if fen is not None else None
        self.watch = Watch(sensor, record, Policy(**policy), rotated)
        self.outputs: list[Output] = []

    def tell(self, story: str) -> Table:
        """Plays a story; returns the table."""
        t = 0
        for word in story.split():
            if word.isdigit():
                t = int(word)
            else:
                self.outputs += self._do(t, word)
        return self

    def _do(self, t: int, word: str) -> list[Output]:
        watch = self.watch
        match word[0]:
            case "-":
                return watch.lift(t, chess.parse_square(word[1:3]))
            case "+":
                letter = word[3:4] or "?"
                return watch.place(t, chess.parse_square(word[1:3]), letter if watch.sensor == "identified" else "?")
            case "=":
                return watch.show(t, Sight.of(chess.BaseBoard(word[1:]), watch.sensor))
            case "W" | "B":
                return watch.press(t, "white" if word == "W" else "black")
            case ".":
                return watch.at(t)
        if word in ("down", "up"):
            return watch.link(t, word == "up")
        ask, _colon, value = word.partition(":")
        return watch.answer(t, ask, value)

    @property
    def moves(self) -> str:
        """The record's moves in SAN."""
        record = self.watch.record
        if record is None:
            return ""
        board, words = record.root(), []
        for move in record.move_stack:
            words.append(board.san(move))
            board.push(move)
        return " ".join(words)

    @property
    def alerts(self) -> list[str]:
        """Codes, with their squares or plies if they have any."""
        return [told(output) for output in self.outputs if isinstance(output, Alert)]

    @property
    def made(self) -> list[Made]:
        """The moves as they were handed out."""
        return [output for output in self.outputs if isinstance(output, Made)]

    @property
    def shown(self) -> list[str]:
        """Results that the kings proposed."""
        return [output.result for output in self.outputs if isinstance(output, Shown)]


def made(said: list[Output]) -> list[tuple[str, int | None]]:
    """The moves that were handed out, each with its press."""
    return [(output.uci, output.pressed_at) for output in said if isinstance(output, Made)]


def codes(said: list[Output]) -> list[str]:
    """What was told, by its codes alone."""
    return [output.code for output in said if isinstance(output, Alert)]


def told(alert: Alert) -> str:
    """An alert in words: code, side, squares, plies, value."""
    words: list[object] = [alert.code, *((alert.side,) if alert.code == "wrong_turn" else ()), *alert.squares]
    words += [value for value in (alert.plies, alert.rotated, alert.result) if value is not None]
    return " ".join(map(str, words))
