"""The state of one table as a fold over its events.

`fold` takes a state (`rules.laws.game_record`) and one event and gives the next state; it decides nothing and raises
nothing on a log that a table wrote. A table's whole log is one fold: an `Assigned` with an assignment begins a new
game, an `Assigned` with neither assignment nor reason clears the table, one with a reason changes nothing. What each
kind of event changes is a row of `_CHANGES`. The cost of an event does not grow with the length of the game, save for
copying a tuple of references; an arbiter's correction plays the game again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import chess

from rules.laws import time_control
from rules.laws.clock import Clock
from rules.laws.edition import edition_of
from rules.laws.ending import hash_of_key, position_key, side_of
from rules.laws.events import (
    OTHERS,
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
    Fault,
    Flag,
    GameEvent,
    Named,
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
    Seated,
    Start,
)
from rules.laws.game_positions import play, position_after, set_up, start_board
from rules.laws.game_record import FREE, GameState, Phase, PlyRecord
from rules.laws.periods import TimeControl, time_class
from rules.laws.sides import SIDES, other


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


def time_control_of(assignment: Assignment) -> TimeControl:
    """The time control of `assignment` as its edition wants the clock: one that goes on after a flag, where players
    alone may call it. Raises ValueError for a control or an edition that is not understood.
    """
    control = time_control.parse(assignment.control)
    edition = edition_of(assignment.edition, time_class(control))
    return control if "table" in edition.flag_called_by else replace(control, on_flag="run_on")


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
        board, control = start_board(event.assignment), time_control_of(event.assignment)
        changes |= {
            "phase": "assigned",
            "assignment": event.assignment,
            "clock": Clock.new(control),
            "edition": edition_of(event.assignment.edition, time_class(control)),
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
    san = play(board, event.uci, event.placement)
    key = position_key(board)
    position = event.position or hash_of_key(key)
    left = event.white_ms, event.black_ms
    record = PlyRecord(
        event.uci, san, *left, event.t, position, None, event.side, left,
        event.illegal, event.placement, tuple(event.touched), state.clock,
    )  # fmt: skip
    changes: _Changes = {
        "position": board,
        "keys": (*state.keys, key),
        "plies": (*state.plies, record),
        "ahead": state.ahead + 1,
        "announced": "",
        "retouched": (),
    }
    if state.offer == other(event.side):
        # Making a move refuses the opponent's offer (9.1.2.1).
        changes |= {"offer": None, "questions": _without_draw(state.questions)}
    if state.score is None:
        changes |= {"proposed": None, "proposed_by": None, "confirmations": ()}
    return changes


def _press(state: GameState, event: Press) -> _Changes:
    changes: _Changes = {"ahead": state.ahead - 1}
    if state.clock:
        changes["clock"] = state.clock.press(event.t, event.side)[0]
    if 0 < state.ahead <= len(state.plies):
        at = len(state.plies) - state.ahead
        record = replace(
            state.plies[at],
            white_ms=event.white_ms,
            black_ms=event.black_ms,
            press_t=event.t,
            left=state.clocks(event.t),
            clock=state.clock,
        )
        changes["plies"] = (*state.plies[:at], record, *state.plies[at + 1 :])
    return changes


def _offer(state: GameState, event: Offer) -> _Changes:
    return {"offer": event.side}


def _claim(state: GameState, event: Claim) -> _Changes:
    return {"claim": event}


def _call(state: GameState, event: Call) -> _Changes:
    changes: _Changes = {"calls": (*state.calls, event)}
    if event.about:
        changes["told"] = state.told | {event.about}
    if event.about == "announced":
        # The arbiter knows that another move was made: it is his matter now, once.
        changes["announced"] = ""
    return changes


def _flag(state: GameState, event: Flag) -> _Changes:
    return {
        "flag": state.flag or event,
        "flags": (*state.flags, event),
        "clock": state.clock.advance(event.t) if state.clock else None,
    }


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
        # What a pawn has become, or which move it was, can still be said: the record is not whole without it.
        "questions": () if ruled else tuple(asked for asked in state.questions if asked.about in ("promotion", "move")),
        "claim": None,
        "calls": () if ruled else state.calls,
    }


def _result(state: GameState, event: Result) -> _Changes:
    return {"proposed": event.score, "proposed_by": event.side, "confirmations": ()}


def _confirmed(state: GameState, event: Confirmed) -> _Changes:
    confirmations = (*state.confirmations, event)
    both = len({confirmed.side for confirmed in confirmations if confirmed.score == event.score}) == len(SIDES)
    changes: _Changes = {"confirmations": confirmations}
    return changes | {"phase": "confirmed", "questions": ()} if both else changes


def _disputed(state: GameState, event: Disputed) -> _Changes:
    return {"disputes": (*state.disputes, event), "phase": "disputed"}


def _paused(state: GameState, event: Paused) -> _Changes:
    clock = state.clock
    changes: _Changes = {"paused_by": event.by, "paused_why": event.why}
    if clock and event.restore:
        # The stamps of the old boot are gone with it: the clock begins anew from the values of the event.
        reading = replace(clock.reading(clock.since_ms), white_ms=event.white_ms, black_ms=event.black_ms)
        changes["started_at"] = _started_as_of(state, clock, event)
        clock = Clock.restored(clock.tc, reading, event.t)
    elif clock:
        clock = clock.pause(event.t)
    changes |= {"clock": clock, "phase": "paused" if state.phase == "playing" else state.phase}
    return changes | {"sealed": event} if event.sealed else changes


def _started_as_of(state: GameState, clock: Clock, event: Paused) -> int | None:
    """When the game was started, on the new line of stamps: as long ago as it has lasted, without the outage."""
    if state.started_at is None:
        return None
    before = clock.reading(clock.since_ms)
    ran = max(0, before.white_ms - event.white_ms) + max(0, before.black_ms - event.black_ms)
    return event.t - (clock.since_ms - state.started_at + ran + event.age_ms)


def _resumed(state: GameState, event: Resumed) -> _Changes:
    changes: _Changes = {"paused_by": "", "paused_why": "", "calls": (), "claim": None, "sealed": None}
    if event.postponed:
        changes["told"] = state.told | {"postponed"}
    if state.claim and state.claim.what in ("repetition", "fifty-moves"):
        changes["announced"] = state.claim.move
    if (state.claim and state.claim.what == "illegal-move") or any(c.about == "illegal-move" for c in state.calls):
        # It was looked at and not put right: now it stands.
        changes["plies"] = tuple(replace(ply, illegal="") if ply.illegal else ply for ply in state.plies)
    if state.score is None:
        changes |= {"phase": "playing", "proposed": None, "proposed_by": None, "confirmations": (), "disputes": ()}
    if state.clock:
        changes["clock"] = state.clock.resume(event.t, event.side)
    if event.side:
        changes["ahead"] = 0 if event.side == state.turn or not state.plies else 1
        if state.clock:
            changes["clock"] = _counted(state, state.clock, event.t, changes["ahead"]).resume(event.t, event.side)
    return changes


def _counted(state: GameState, clock: Clock, t: int, ahead: int) -> Clock:
    """The clock once the arbiter has said that all moves but the last `ahead` are completed (6.2.1), pressed or not."""
    before, now = (state.plies[: len(state.plies) - count] for count in (max(state.ahead, 0), ahead))
    for side in SIDES:
        changed = sum(ply.side == side for ply in now) - sum(ply.side == side for ply in before)
        if changed:
            clock = clock.count(t, side, clock.half(side).moves + changed)
    return clock


def _adjusted(state: GameState, event: Adjusted) -> _Changes:
    changes: _Changes = {"rulings": (*state.rulings, event)} if event.offender else {}
    if state.clock is None or event.penalty == "warning":
        return changes
    if event.swapped and state.assignment:
        assignment = state.assignment
        changes["assignment"] = replace(assignment, white=assignment.black, black=assignment.white)
        changes |= {name: frozenset(other(side) for side in getattr(state, name)) for name in ("seated", "ready")}
    if event.ply < 0 and not event.fen:
        clock = state.clock.adjust(event.t, white_set_ms=event.white_ms, black_set_ms=event.black_ms)
        if event.inc_ms and clock.refused is None:
            clock = clock.with_increment(event.t, event.inc_ms)
        return changes | {"clock": clock}
    return changes | _put_back(state, event)


def _put_back(state: GameState, event: Adjusted) -> _Changes:
    """The record goes back to an earlier ply, or to a position that the arbiter gives; the game stands paused there."""
    assert state.clock is not None
    plies = state.plies[: event.ply] if event.ply >= 0 else state.plies
    placed = tuple(each for each in state.placed if each[0] <= len(plies))
    board = position_after(state, len(plies))
    if event.fen:
        board, placed = set_up(state, event.fen), (*placed, (len(plies), event.fen))
    clock = _clock_before(state, len(plies), event.t)
    for side in SIDES:
        clock = clock.count(event.t, side, sum(ply.side == side for ply in plies))
    times = {"white": event.white_ms, "black": event.black_ms}
    raised = any(clock.half(side).flag_ms is not None and clock.half(side).left_ms != times[side] for side in SIDES)
    clock = clock.adjust(event.t, white_set_ms=event.white_ms, black_set_ms=event.black_ms, clear_flag=raised)
    if clock.refused is None:
        clock = clock.give_turn(event.t, side_of(board.turn))
    fresh = GameState()
    undone = ("disputes", "proposed", "proposed_by", "confirmations", "flag", "flags", "resigned", "score", "ended_by",
              "ended_at", "evidence", "announced", "offer", "questions", "claim", "calls")  # fmt: skip
    return {name: getattr(fresh, name) for name in undone} | {
        "phase": "paused",
        "paused_by": "arbiter",
        "paused_why": event.why,
        "position": board,
        "keys": (*state.keys[: len(plies)], position_key(board)),
        "plies": plies,
        "placed": placed,
        "retouched": touched_for(state.plies[len(plies)]) if len(plies) < len(state.plies) else state.retouched,
        "ahead": 0,
        "clock": clock,
        # Where players alone call flags, one may have been down before that, and is so still.
        "flags": (flags := tuple(flag for flag in state.flags if clock.half(flag.side).flag_ms is not None)),
        "flag": flags[0] if flags else None,
    }


def _clock_before(state: GameState, plies: int, t: int) -> Clock:
    """The clock paused at `t` as it was before the press of ply number `plies`, with the periods of that time."""
    assert state.clock is not None
    if plies == len(state.plies):
        return state.clock.pause(t)
    ply = state.plies[plies]
    clock = ply.clock or state.clock
    return Clock.restored(clock.tc, clock.reading(ply.t if ply.press_t is None else ply.press_t), t)


def touched_for(ply: PlyRecord) -> tuple[str, ...]:
    """The squares touched for a ply; without a sensor's word at least those that the move itself needed."""
    return ply.touched or tuple(name for name in (ply.uci[:2], ply.uci[2:4]) if name in chess.SQUARE_NAMES)


def _question(state: GameState, event: Question) -> _Changes:
    return {"questions": (*state.questions, event), "asked": state.asked + 1}


def _answer(state: GameState, event: Answer) -> _Changes:
    answered = next((question for question in state.questions if question.id == event.id), None)
    changes: _Changes = {"questions": tuple(question for question in state.questions if question.id != event.id)}
    if answered and answered.about == "draw":
        changes["offer"] = None
    if answered and answered.about == "position" and event.value == "yes":
        changes["told"] = state.told | {"verified"}
    at = promoted_ply(state, answered) if answered and answered.about == "promotion" else None
    if at is not None:
        return changes | _corrected(state, at, state.plies[at].uci[:4] + event.value)
    if answered and answered.about == "move" and 0 <= answered.ply < len(state.plies) and event.value != OTHERS:
        if len(event.value) == 4:  # no pawn became anything there
            changes["questions"] = _without_promotion(state, changes["questions"], answered.ply)
        return changes | _corrected(state, answered.ply, event.value)
    return changes


def promoted_ply(state: GameState, question: Question) -> int | None:
    """The ply (from 0) whose promotion piece `question` asks for: the last promotion of that side before it."""
    made = (n for n in range(len(state.plies) - 1, -1, -1) if state.plies[n].t <= question.t)
    return next((n for n in made if state.plies[n].side == question.side and len(state.plies[n].uci) == 5), None)


def _corrected(state: GameState, at: int, uci: str) -> _Changes:
    """The record with another move as ply `at`; what was played since is played again."""
    if uci == state.plies[at].uci:
        return {}
    board, placed = position_after(state, at), dict(state.placed)
    plies, keys = list(state.plies[:at]), list(state.keys[: at + 1])
    for n, ply in enumerate(state.plies[at:], at):
        board = set_up(state, placed[n]) if n > at and n in placed else board
        played = uci if n == at else ply.uci
        san = play(board, played, ply.placement)
        keys.append(position_key(board))
        plies.append(replace(ply, uci=played, san=san, position=hash_of_key(keys[-1])))
    return {"position": board, "plies": tuple(plies), "keys": tuple(keys)}


def _board(state: GameState, event: Board) -> _Changes:
    return {"board_event": event}


def _order_done(state: GameState, event: OrderDone) -> _Changes:
    return {"orders": state.orders | {event.order}}


def _fault(state: GameState, event: Fault) -> _Changes:
    """The latest word on each part of the table is kept."""
    return {"faults": (*(fault for fault in state.faults if fault.part != event.part), event)}


def _opened(state: GameState, event: Opened) -> _Changes:
    """A new epoch begins with an empty table: what still counts of the one before comes from the hub."""
    fresh = GameState()
    return {name: getattr(fresh, name) for name in GameState.__slots__ if name != "t"}


def _named(state: GameState, event: Named) -> _Changes:
    now = state.assignment
    if now is None:
        return {}
    white, black = event.white or now.white, event.black or now.black
    return {"assignment": replace(now, white=white, black=black, board=event.board or now.board)}


def _without_promotion(state: GameState, questions: tuple[Question, ...], ply: int) -> tuple[Question, ...]:
    """The questions without the one for the promotion piece of ply number `ply`."""
    return tuple(asked for asked in questions if asked.about != "promotion" or promoted_ply(state, asked) != ply)


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
    Named: _named,
}

__all__ = [
    "FREE",
    "GameState",
    "Phase",
    "PlyRecord",
    "fold",
    "position_after",
    "replay",
    "start_board",
    "time_control_of",
]
