"""What the hub and a restart do to a game: orders of the arbiter, assignments, and recovery.

Every order is answered by exactly one `OrderDone`, also when it cannot be carried out; an order that was answered
before gives nothing. An order that names a game is for that game only, one without a name for whatever is at the table.
A game under way is never changed by an assignment, only by an order (`rules.laws.game_decisions` decides the rest).

Kinds of orders and their data (all values as in JSON):

    start                                   White's clock is started (the side to move of a set-up position)
    pause      why                          both clocks are stopped
    resume     side, move, unsealed         play goes on; with `side` its clock runs. An adjourned game wants the sealed
                                            `move`, or `unsealed` (1) when there is none
    times      white_ms, black_ms, why      clock values are set, while no clock runs
    rule       score, why, by               the game is over by an arbiter's word ("ruling" or another `EndedBy`)
    continue   bonus_ms, side, increment, postpone
                                            a claim is rejected: time to the opponent (or to `side`), play goes on. For
                                            a draw claim the edition says how much, unless `bonus_ms` does. A claim by
                                            Guidelines III is put off (`postpone` 1); a request for an `increment` (1)
                                            is granted
    correct    ply, fen, white_ms, black_ms, bonus_ms, side, offence, error, restart (1), resume (1), why
                                            the record goes back to `ply` half-moves, or on from `fen`; without either
                                            it is the ruling on the open illegal move (`offence` "illegal-move" by
                                            `side`): back before it, time to the opponent, or lost. `error` "position",
                                            "board-turned", "colours" or "clock" puts the set-up right; `restart` is a
                                            new game. Times that are not given are those of the press that is undone
    penalty    side, offence, action, ms, off_ms, why
                                            "warning", "time" (to the opponent, off his own) or "loss"; without `action`
                                            the next step of the edition's ladder
    adjourn    side, envelope, why          adjourned, `side` has sealed a move
    players    white_tpn, white_name …      the names that count now, each side's with `_rating`, `_title`,
               board                        `_federation`, and the number of the board
    dead       squares                      the squares whose sensor is broken ("e4 f5"; "" for none any more): the
                                            table compares the board without them
    clear      force (1)                    the assignment is withdrawn; a started game only with `force`
    seal                                    the round is closed: no game of it may be open here
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from gettext import gettext as _
from typing import cast, get_args

from rules.laws import ending
from rules.laws.edition import Edition, EditionError
from rules.laws.events import (
    Adjusted,
    Assigned,
    Assignment,
    Call,
    Ended,
    EndedBy,
    Fault,
    Named,
    OrderDone,
    Paused,
    Result,
    Resumed,
    Score,
    Start,
)
from rules.laws.game_answers import Events
from rules.laws.game_corrections import adjourn, correct, opened, penalty
from rules.laws.game_endings import with_facts
from rules.laws.game_order_data import (
    Data,
    Refused,
    goes_on,
    ms_of,
    must_stand,
    number_of,
    player_of_order,
    settable,
    side_of_order,
    squares_of,
    text_of,
)
from rules.laws.game_positions import start_board
from rules.laws.game_state import FREE, GameState, replay, time_control_of
from rules.laws.game_time import due
from rules.laws.illegal import illegal_position
from rules.laws.sides import SIDES, other


def decide_order(state: GameState, order: str, kind: str, game: str, data: Data, t: int) -> Events:
    """Carry out the order `order` at `t`: what was due before, its events, and one `OrderDone`.

    () when the order was answered before. `game` is the game the order is for, "" for any.
    """
    if order in state.orders:
        return ()
    overdue = due(state, t)
    state = replay(overdue, state)
    try:
        if game and game != state.game:
            raise Refused(
                _("the order is for game {game}, at this table is {own}").format(
                    game=game, own=state.game or _("no game")
                )
            )
        handler = _ORDERS.get(kind)
        if handler is None:
            raise Refused(_("this table does not know the order {kind}: update it").format(kind=kind))
        events = handler(state, order, data, t)
    except Refused as refused:
        return (*overdue, OrderDone(t, order, ok=False, why=str(refused)))
    return (*overdue, *events, OrderDone(t, order))


# -- orders -------------------------------------------------------------------------------------------------------


def _start(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.phase not in ("assigned", "ready"):
        raise Refused(_("there is no game to start") if state.phase == "idle" else _("the game was started before"))
    return (Start(t, order),)


def _pause(state: GameState, order: str, data: Data, t: int) -> Events:
    # Also over a player's pause: from now on only the arbiter may let play go on (6.11.3).
    if state.phase not in ("playing", "paused"):
        raise Refused(_("no game is being played"))
    return (Paused(t, "arbiter", *state.clocks(t), why=text_of(data, "why"), order=order),)


def _resume(state: GameState, order: str, data: Data, t: int) -> Events:
    must_stand(state)
    if state.sealed is not None and not data.get("unsealed"):
        return opened(state, order, data, t)
    return (goes_on(state, Resumed(t, "arbiter", side_of_order(data), order)),)


def _times(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.clock is None or state.score is not None:
        raise Refused(_("there is no clock to set: no game, or the game is over"))
    if state.phase == "playing":
        raise Refused(_("the clocks are running: pause them first"))
    event = Adjusted(t, order, ms_of(data, "white_ms"), ms_of(data, "black_ms"), text_of(data, "why"))
    return (settable(state, event),)


def _dead(state: GameState, order: str, data: Data, t: int) -> Events:
    squares = squares_of(data)
    if not squares:
        return (Fault(t, "board", _("every square is looked at again")),)
    return (Fault(t, "board", _("not looked at any more: {squares}").format(squares=" ".join(squares))),)


def _rule(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.assignment is None:
        raise Refused(_("no game is assigned to this table"))
    if state.phase == "confirmed":
        raise Refused(_("the result is final at this table: correct it in the list of results"))
    score, by = text_of(data, "score"), text_of(data, "by") or "ruling"
    if score not in get_args(Score):
        raise Refused(_("{score} is no score of a game").format(score=score or "?"))
    if by not in get_args(EndedBy):
        raise Refused(_("{by} is no way to end a game").format(by=by))
    evidence = {"order": order, "why": text_of(data, "why")}
    if state.score is not None:
        evidence["before"] = f"{state.score} {state.ended_by}"
    if state.claim is not None:
        evidence["claim"] = " ".join(filter(None, (state.claim.side, state.claim.what, state.claim.move)))
        if state.claim.what in ("repetition", "fifty-moves"):
            check = ending.check_claim(state.position, state.keys, state.claim.what, state.claim.move)
            evidence |= {"article": _CLAIMED[state.claim.what], "check": check.evidence}
        elif state.concluded:
            evidence |= {"article": "III.6", "verified": "yes" if "verified" in state.told else "no"}
        elif state.claim.what in ARTICLE_OF:
            evidence["article"] = ARTICLE_OF[state.claim.what]
    found = illegal_position(state.position)
    if found and score == ending.DRAW and state.edition.illegal_draw:
        evidence |= {"article": "A.5.4", "illegal_position": found}
    if state.started_at is not None:
        evidence = with_facts(state, t, evidence)
    ruled = cast(Score, score)
    return Ended(t, ruled, cast(EndedBy, by), evidence), Result(t, ruled, None)


def _continue(state: GameState, order: str, data: Data, t: int) -> Events:
    must_stand(state)
    what = state.claim.what if state.claim is not None else ""
    granted, postponed = bool(data.get("increment")), bool(data.get("postpone"))
    if (granted and what != "increment") or (postponed and what != "normal-means"):
        raise Refused(_("no such claim under Guidelines III is open"))
    bonus_ms = ms_of(data, "bonus_ms") if data.get("bonus_ms") else 0
    if "bonus_ms" not in data:
        bonus_ms = _bonus_ms(state.edition, what, granted)
    to = side_of_order(data) or (other(state.claim.side) if state.claim else None)
    adjusted: Events = ()
    if bonus_ms or granted:
        if to is None:
            raise Refused(_("no claim is open: say which side gets the time"))
        white_ms, black_ms = state.clocks(t)
        white_ms, black_ms = (white_ms + bonus_ms, black_ms) if to == "white" else (white_ms, black_ms + bonus_ms)
        inc_ms = state.edition.finish.increment_ms if granted and state.edition.finish else 0
        adjusted = (settable(state, Adjusted(t, order, white_ms, black_ms, text_of(data, "why"), inc_ms=inc_ms)),)
    return (*adjusted, goes_on(replay(adjusted, state), Resumed(t, "arbiter", None, order, postponed)))


def _bonus_ms(edition: Edition, what: str, granted: bool) -> int:
    """What the opponent gets when the claim `what` is answered and play goes on (9.5.3, Guidelines III.4, III.5)."""
    if what in _CLAIMED:
        return edition.claim_bonus_ms
    # A refused request for an increment costs nothing: only the one that is granted does (III.4).
    finishes = edition.finish if what == "normal-means" or granted else None
    return finishes.bonus_ms if finishes else 0


def _players(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.assignment is None:
        raise Refused(_("no game is assigned to this table"))
    white, black = (player_of_order(data, side) for side in SIDES)
    return (Named(t, order, white, black, number_of(data, "board") or 0),)


def _clear(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.phase not in FREE and not data.get("force"):
        raise Refused(_("a game is under way at this table: it is cleared by force only"))
    return (Assigned(t, state.round, state.rev),) if state.assignment else ()


def _seal(state: GameState, order: str, data: Data, t: int) -> Events:
    if state.phase not in FREE:
        raise Refused(_("game {game} has no final result yet").format(game=state.game))
    return ()


_CLAIMED = {"repetition": "9.2", "fifty-moves": "9.3"}
#: Claims that an arbiter may answer with a result, besides draw claims.
ARTICLE_OF = {"increment": "III.4", "normal-means": "III.5", "touch-move": "4.3"}

_ORDERS: Mapping[str, Callable[[GameState, str, Data, int], Events]] = {
    "start": _start,
    "pause": _pause,
    "resume": _resume,
    "times": _times,
    "rule": _rule,
    "continue": _continue,
    "correct": correct,
    "penalty": penalty,
    "adjourn": adjourn,
    "players": _players,
    "dead": _dead,
    "clear": _clear,
    "seal": _seal,
}


# -- assignments --------------------------------------------------------------------------------------------------


def decide_assignment(state: GameState, assignment: Assignment, t: int) -> Events:
    """Take `assignment`, or say why not: one `Assigned`, or () when it was taken before.

    Taken when its (round, rev) is greater than the table's own, it can be played as written, and no game is under way
    or waits for its result.
    """
    if assignment == state.assignment:
        return ()
    why = _why_not(state, assignment)
    if why:
        return (Assigned(t, assignment.round, assignment.rev, why=why),)
    return (Assigned(t, assignment.round, assignment.rev, assignment),)


def _why_not(state: GameState, assignment: Assignment) -> str:
    if (assignment.round, assignment.rev) <= (state.round, state.rev):
        return _("this table already has round {round}, sheet {rev}").format(round=state.round, rev=state.rev)
    if state.phase not in FREE:
        if state.under_way:
            return _("game {game} is under way at this table").format(game=state.game)
        return _("the result of game {game}, round {round}, is not final yet").format(
            game=state.game, round=state.round
        )
    try:
        time_control_of(assignment)
    except EditionError as unknown:
        return str(unknown)
    except ValueError as error:
        return _("the time control {control} cannot be read: {error}").format(control=assignment.control, error=error)
    try:
        board = start_board(assignment)
    except ValueError as error:
        return _("the start position {fen} cannot be read: {error}").format(fen=assignment.start_fen, error=error)
    if not board.is_valid() or board.is_game_over():
        return _("no game can begin from the position {fen}").format(fen=assignment.start_fen)
    return ""


# -- after a restart ----------------------------------------------------------------------------------------------


def recover(state: GameState, t: int, same_boot: bool, journal: tuple[int, int] | None = None) -> Events:
    """What a table writes first when its process starts again with a log that gives `state`.

    On the same boot the stamps still hold: the clock has simply run on, and the desk is told (`Fault`). After a reboot
    they do not: a game under way comes back paused with the journalled times (White's and Black's ms; those of the last
    event without a journal), the outage is charged to nobody, and the arbiter is called (Laws 6.10.1, 6.11).
    """
    if same_boot:
        text = _("the table's program was restarted; the clock has run on") if state.phase == "playing" else ""
        fault = Fault(t, "process", text or _("the table's program was restarted"))
        return (fault, *due(state, t))
    fault = Fault(t, "process", _("the table was restarted after it had been without power"))
    if not state.under_way:
        return (fault,)
    white_ms, black_ms = journal or state.clocks(state.t)
    why = _("power was lost: check the clocks, then let play go on")
    return (
        fault,
        Paused(t, "table", white_ms, black_ms, why=why, restore=True),
        Call(t, None, why),
    )
