"""A table with a log, for stories from the board."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from rules.laws.events import Assignment, GameEvent, OrderDone, Player
from rules.laws.game import (
    GameState,
    Intent,
    MakeMove,
    PressClock,
    PressIllegal,
    Refusal,
    RefusalCode,
    decide,
    decide_assignment,
    decide_order,
    due,
    replay,
)

#: Both knights go out and home again.
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 "


def assignment(
    control: str = "3+2", start_fen: str = "", rev: int = 1, round_: int = 1, edition: str = ""
) -> Assignment:
    names = Player(3, "Anna Petrova", 2105), Player(8, "Boris Ivanov", 1987)
    return Assignment("spring", round_, rev, f"r{round_}b12", 12, *names, control, start_fen=start_fen, edition=edition)


class Table:
    """A table with a log: every answer is stored and folded, refusals are handed back."""

    def __init__(self, control: str = "3+2", start_fen: str = "", started: bool = True, edition: str = "") -> None:
        self.state = GameState()
        self.log: list[GameEvent] = []
        self.store(decide_assignment(self.state, assignment(control, start_fen, edition=edition), 0))
        if started:
            self.order("start", 0)

    def store(self, events: tuple[GameEvent, ...]) -> tuple[GameEvent, ...]:
        self.log.extend(events)
        self.state = replay(events, self.state)
        return events

    def does(self, intent: Intent, t: int, standing: MakeMove | None = None) -> tuple[GameEvent, ...]:
        answer = decide(self.state, intent, t, standing)
        assert not isinstance(answer, Refusal), answer
        return self.store(answer)

    def refuses(self, intent: Intent, t: int, standing: MakeMove | None = None) -> RefusalCode:
        answer = decide(self.state, intent, t, standing)
        assert isinstance(answer, Refusal), answer
        assert answer.why
        return answer.code

    def order(self, kind: str, t: int, data: Mapping[str, object] | None = None, game: str = "r1b12") -> OrderDone:
        order = f"o{len(self.state.orders)}"
        events = self.store(decide_order(self.state, order, kind, game, data or {}, t))
        done = [event for event in events if isinstance(event, OrderDone)]
        assert [event.order for event in done] == [order]
        return done[0]

    def time_passes(self, t: int) -> tuple[GameEvent, ...]:
        return self.store(due(self.state, t))

    def plays(self, moves: str, every: int = 1000) -> int:
        """Each move is made half a period after the last press and pressed at its end; gives the last stamp."""
        t = self.state.t
        for uci in moves.split():
            self.does(PressClock(self.state.turn, uci, t + every // 2), t := t + every)
        return t

    def presses_after(self, changes: Mapping[str, str | None], every: int = 1000) -> tuple[GameEvent, ...]:
        """The side on move changes squares as no legal move does ("e3": "n", "d5": None), and presses."""
        board = self.state.board()
        for name, symbol in changes.items():
            board.set_piece_at(chess.parse_square(name), chess.Piece.from_symbol(symbol) if symbol else None)
        t = self.state.t
        return self.does(PressIllegal(self.state.turn, board.board_fen(), t + every // 2), t + every)

    def found(self, kind: type[GameEvent]) -> list[GameEvent]:
        return [event for event in self.log if isinstance(event, kind)]


def outcome(table: Table) -> tuple[str | None, str | None, str]:
    return table.state.score, table.state.ended_by, table.state.phase
