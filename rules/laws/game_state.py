"""The state of one table as a fold over its events.

`fold` takes a state and one event and gives the next state; it decides nothing and raises nothing on a log that a table
wrote. A table's whole log is one fold: an `Assigned` with an assignment begins a new game, an `Assigned` with neither
assignment nor reason clears the table, one with a reason changes nothing. What each kind of event changes is a row of
`_CHANGES`. The cost of an event does not grow with the length of the game, save for copying a tuple of references.

Two counters tell made moves from completed ones: `plies` holds every move made (Laws 4.7); `ahead` is the number of
moves made and not yet completed by a press (6.2.1). It is 0 between moves, 1 while a move waits for its press, 2 when
the opponent has answered before the press, and negative while a table without a board counts presses only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import chess

from rules.laws import time_control
from rules.laws.clock import Clock
from rules.laws.ending import hash_of_key, position_key, side_of
from rules.laws.events import (
    Adjusted,
    Answer,
    Assigned,
    Assignment,
    Board,
    Call,
    Claim,
    Confirmed,
    Disputed,
    Ended,
    EndedBy,
    Fault,
    Flag,
    GameEvent,
    Offer,
    Opened,
    OrderDone,
    Paused,
    Ply,
    Press,
    Question,
    Ready,
    Resigned,
    Result,
    Resumed,
    Score,
    Seated,
    Side,
    Start,
)
from rules.laws.sides import SIDES, other

#: idle: no game. assigned, ready: names and control are there; both players are ready. playing, paused: under way.
#: ended: over, the result waits for both players. disputed: waits for the arbiter. confirmed: official for this table.
Phase = Literal["idle", "assigned", "ready", "playing", "paused", "ended", "confirmed", "disputed"]

#: Phases in which a new assignment may take the table.
FREE: frozenset[Phase] = frozenset({"idle", "assigned", "ready", "confirmed"})


@dataclass(frozen=True, slots=True)
class PlyRecord:
    """A move of the record: UCI, SAN, clocks (ms) when it was made and, once pressed, after the press; stamps in ms.

    `position` is the short hash of the position after the move; `press_t` is None until the press.
    """

    uci: str
    san: str
    white_ms: int
    black_ms: int
    t: int
    position: str = ""
    press_t: int | None = None


@dataclass(frozen=True, slots=True)
class GameState:
    """Everything that is known about a table and the game on it; see the head of this module.

    `position` is the board of the record: read it, or take a copy to play on with `board`. `keys` is the history of
    positions (`rules.laws.ending`). `proposed` is the result to confirm, `confirmations` who has confirmed it; `score`,
    `ended_by`, `evidence` and `ended_at` say how the game ended. `ruled` means that an arbiter's order ended it, so
    nobody needs to confirm. `announced` is the move a rejected claim binds its player to (9.5.3).
    """

    phase: Phase = "idle"
    assignment: Assignment | None = None
    round: int = 0
    rev: int = 0
    t: int = 0
    seated: frozenset[Side] = frozenset()
    ready: frozenset[Side] = frozenset()
    clock: Clock | None = None
    position: chess.Board = field(default_factory=chess.Board, repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)
    plies: tuple[PlyRecord, ...] = field(default=(), repr=False)
    ahead: int = 0
    started_at: int | None = None
    paused_by: str = ""
    paused_why: str = ""
    offer: Side | None = None
    questions: tuple[Question, ...] = ()
    asked: int = 0
    claim: Claim | None = None
    announced: str = ""
    calls: tuple[Call, ...] = ()
    proposed: Score | None = None
    proposed_by: Side | None = None
    confirmations: tuple[Confirmed, ...] = ()
    disputes: tuple[Disputed, ...] = ()
    flag: Flag | None = None
    resigned: Side | None = None
    score: Score | None = None
    ended_by: EndedBy | None = None
    ended_at: int | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    ruled: bool = False
    board_event: Board | None = None
    faults: tuple[Fault, ...] = ()
    orders: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def game(self) -> str:
        """The name of the game at this table, "" without one."""
        return self.assignment.game if self.assignment else ""

    @property
    def turn(self) -> Side:
        """The side that has the move (Laws 1.3): the opponent's last move has been made, pressed or not."""
        return side_of(self.position.turn)

    @property
    def fen(self) -> str:
        """The position of the record as FEN."""
        return self.position.fen()

    @property
    def running(self) -> Side | None:
        """The side whose time runs, as at the last event."""
        return self.clock.running if self.clock else None

    @property
    def under_way(self) -> bool:
        """Whether a game was started and is not over (it may be paused or disputed)."""
        return self.started_at is not None and self.score is None

    @property
    def board_lost(self) -> bool:
        """Whether the board cannot be read: then presses alone drive the clock."""
        return self.board_event is not None and self.board_event.state == "lost"

    def board(self) -> chess.Board:
        """The position of the record, a copy for the caller to keep (without the moves before)."""
        return self.position.copy(stack=False)

    def clocks(self, t: int) -> tuple[int, int]:
        """White's and Black's time at `t` in ms; zeros without a clock."""
        if self.clock is None:
            return 0, 0
        reading = self.clock.reading(t)
        return reading.white_ms, reading.black_ms

    def completed(self, side: Side) -> int:
        """How many moves of `side` are made and completed by a press (6.2.1)."""
        done = self.plies[: len(self.plies) - self.ahead] if self.ahead > 0 else self.plies
        first = self.turn if len(self.plies) % 2 == 0 else other(self.turn)
        return len(done[0 if side == first else 1 :: 2])

    def has_confirmed(self, side: Side) -> bool:
        """Whether `side` has confirmed the proposed result."""
        return any(confirmed.side == side for confirmed in self.confirmations)


def replay(events: Iterable[GameEvent], state: GameState | None = None) -> GameState:
    """The state after `events`, from `state` or from an empty table."""
    state = state or GameState()
    for event in events:
        state = fold(state, event)
    return state


def fold(state: GameState, event: GameEvent) -> GameState:
    """The state after `event`. Decides nothing; a kind that it does not know changes nothing."""
    change = _CHANGES.get(type(event))
    changes = change(state, event) if change else {}
    return replace(state, **{"t": event.t, **changes})


def start_board(assignment: Assignment) -> chess.Board:
    """The start position of `assignment`. Raises ValueError for a `start_fen` that is not a FEN."""
    return chess.Board(assignment.start_fen) if assignment.start_fen else chess.Board()


# -- what each kind changes ---------------------------------------------------------------------------------------

_Changes = dict[str, Any]

#: What belongs to the table and outlives its games.
_KEPT = ("orders", "board_event", "faults")


def _assigned(state: GameState, event: Assigned) -> _Changes:
    if event.assignment is None and event.why:
        return {}
    fresh = GameState()
    changes = {name: getattr(fresh, name) for name in GameState.__slots__ if name not in _KEPT}
    changes |= {"round": event.round, "rev": event.rev, "t": event.t}
    if event.assignment is not None:
        board = start_board(event.assignment)
        changes |= {
            "phase": "assigned",
            "assignment": event.assignment,
            "clock": Clock.new(time_control.parse(event.assignment.control)),
            "position": board,
            "keys": (position_key(board),),
        }
    return changes


def _seated(state: GameState, event: Seated) -> _Changes:
    return {"seated": state.seated | {event.side}}


def _ready(state: GameState, event: Ready) -> _Changes:
    ready = state.ready | {event.side}
    both = state.phase == "assigned" and len(ready) == len(SIDES)
    return {"ready": ready, "phase": "ready" if both else state.phase}


def _start(state: GameState, event: Start) -> _Changes:
    clock = state.clock.start(event.t, state.turn) if state.clock else None
    return {"clock": clock, "phase": "playing", "started_at": event.t}


def _ply(state: GameState, event: Ply) -> _Changes:
    board = state.board()
    san = _push(board, event.uci)
    key = position_key(board)
    position = event.position or hash_of_key(key)
    record = PlyRecord(event.uci, san, event.white_ms, event.black_ms, event.t, position)
    changes: _Changes = {
        "position": board,
        "keys": (*state.keys, key),
        "plies": (*state.plies, record),
        "ahead": state.ahead + 1,
        "announced": "",
    }
    if state.offer == other(event.side):
        # Making a move refuses the opponent's offer (9.1.2.1).
        changes |= {"offer": None, "questions": _without_draw(state.questions)}
    if state.score is None:
        changes |= {"proposed": None, "proposed_by": None, "confirmations": ()}
    return changes


def _push(board: chess.Board, uci: str) -> str:
    """Play `uci` and return its SAN. A move that the Laws do not know is kept as it is written, played if it can be."""
    try:
        return board.san_and_push(board.parse_uci(uci))
    except ValueError:
        pass
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        return uci
    if move and board.piece_at(move.from_square):
        board.push(move)
    return uci


def _press(state: GameState, event: Press) -> _Changes:
    changes: _Changes = {"ahead": state.ahead - 1}
    if state.clock:
        changes["clock"] = state.clock.press(event.t, event.side)[0]
    if state.ahead > 0:
        at = len(state.plies) - state.ahead
        record = replace(state.plies[at], white_ms=event.white_ms, black_ms=event.black_ms, press_t=event.t)
        changes["plies"] = (*state.plies[:at], record, *state.plies[at + 1 :])
    return changes


def _offer(state: GameState, event: Offer) -> _Changes:
    return {"offer": event.side}


def _claim(state: GameState, event: Claim) -> _Changes:
    return {"claim": event}


def _call(state: GameState, event: Call) -> _Changes:
    return {"calls": (*state.calls, event)}


def _flag(state: GameState, event: Flag) -> _Changes:
    return {"flag": event, "clock": state.clock.advance(event.t) if state.clock else None}


def _resigned(state: GameState, event: Resigned) -> _Changes:
    return {"resigned": event.side}


def _ended(state: GameState, event: Ended) -> _Changes:
    ruled = event.by == "ruling" or "order" in event.evidence
    return {
        "phase": "confirmed" if ruled else "ended",
        "clock": state.clock.stop(event.t) if state.clock else None,
        "score": event.score,
        "ended_by": event.by,
        "ended_at": event.t,
        "evidence": event.evidence,
        "ruled": ruled,
        "offer": None,
        "questions": (),
        "claim": None,
        "calls": () if ruled else state.calls,
    }


def _result(state: GameState, event: Result) -> _Changes:
    return {"proposed": event.score, "proposed_by": event.side, "confirmations": ()}


def _confirmed(state: GameState, event: Confirmed) -> _Changes:
    confirmations = (*state.confirmations, event)
    both = len({confirmed.side for confirmed in confirmations if confirmed.score == event.score}) == len(SIDES)
    return {"confirmations": confirmations, "phase": "confirmed" if both else state.phase}


def _disputed(state: GameState, event: Disputed) -> _Changes:
    return {"disputes": (*state.disputes, event), "phase": "disputed"}


def _paused(state: GameState, event: Paused) -> _Changes:
    clock = state.clock
    if clock and event.restore:
        # The stamps of the old boot are gone with it: the clock begins anew from the values of the event.
        reading = replace(clock.reading(clock.since_ms), white_ms=event.white_ms, black_ms=event.black_ms)
        clock = Clock.restored(clock.tc, reading, event.t)
    elif clock:
        clock = clock.pause(event.t)
    phase = "paused" if state.phase == "playing" else state.phase
    return {"clock": clock, "phase": phase, "paused_by": event.by, "paused_why": event.why}


def _resumed(state: GameState, event: Resumed) -> _Changes:
    changes: _Changes = {"paused_by": "", "paused_why": "", "calls": (), "claim": None}
    if state.claim:
        changes["announced"] = state.claim.move
    if state.score is None:
        changes |= {"phase": "playing", "proposed": None, "proposed_by": None, "confirmations": (), "disputes": ()}
    if state.clock:
        changes["clock"] = state.clock.resume(event.t, event.side)
    if event.side:
        changes["ahead"] = 0 if event.side == state.turn else 1
    return changes


def _adjusted(state: GameState, event: Adjusted) -> _Changes:
    if state.clock is None:
        return {}
    return {"clock": state.clock.adjust(event.t, white_set_ms=event.white_ms, black_set_ms=event.black_ms)}


def _question(state: GameState, event: Question) -> _Changes:
    return {"questions": (*state.questions, event), "asked": state.asked + 1}


def _answer(state: GameState, event: Answer) -> _Changes:
    answered = next((question for question in state.questions if question.id == event.id), None)
    changes: _Changes = {"questions": tuple(question for question in state.questions if question.id != event.id)}
    if answered and answered.about == "draw":
        changes["offer"] = None
    return changes


def _board(state: GameState, event: Board) -> _Changes:
    return {"board_event": event}


def _order_done(state: GameState, event: OrderDone) -> _Changes:
    return {"orders": state.orders | {event.order}}


def _fault(state: GameState, event: Fault) -> _Changes:
    """The latest word on each part of the table is kept."""
    return {"faults": (*(fault for fault in state.faults if fault.part != event.part), event)}


def _opened(state: GameState, event: Opened) -> _Changes:
    return {}


def _without_draw(questions: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(question for question in questions if question.about != "draw")


_CHANGES: Mapping[type[GameEvent], Callable[[GameState, Any], _Changes]] = {
    Assigned: _assigned,
    Seated: _seated,
    Ready: _ready,
    Start: _start,
    Ply: _ply,
    Press: _press,
    Offer: _offer,
    Claim: _claim,
    Call: _call,
    Flag: _flag,
    Resigned: _resigned,
    Ended: _ended,
    Result: _result,
    Confirmed: _confirmed,
    Disputed: _disputed,
    Paused: _paused,
    Resumed: _resumed,
    Adjusted: _adjusted,
    Question: _question,
    Answer: _answer,
    Board: _board,
    OrderDone: _order_done,
    Fault: _fault,
    Opened: _opened,
}
