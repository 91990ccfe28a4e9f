"""Orders by which an arbiter puts a game right: `correct`, `penalty`, `adjourn`, and the opening of a sealed move.

An illegal move is corrected by going back to the position before it; the times are those of its press without what it
earned, and the opponent gets what the edition says (7.5.5, 7.1). The one too many loses. A pawn left on the last rank
is a queen then, and the opponent is to move (7.5.2). An error of the set-up leads to what the edition's table says
(7.2, 7.3, A.5.1). `rules.laws.game_orders` describes the data of the orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from gettext import gettext as _
from typing import Literal, get_args

from rules.laws.edition import ARTICLES, Action, Offence, Penalty, SetupError, nth, setup_remedy
from rules.laws.ending import WON_BY
from rules.laws.events import Adjusted, Assigned, Ended, Paused, Result, Resumed, Side
from rules.laws.game_answers import Events
from rules.laws.game_endings import can_make, made, mate_test, move_name, score_after, with_facts
from rules.laws.game_intents import MakeMove
from rules.laws.game_order_data import (
    Data,
    Refused,
    goes_on,
    ms_of,
    must_stand,
    number_of,
    settable,
    side_of_order,
    text_of,
)
from rules.laws.game_positions import set_up
from rules.laws.game_state import GameState, fold, replay
from rules.laws.sides import other, side_words

ILLEGAL: Literal["illegal-move"] = "illegal-move"
UNPROMOTED: Offence = "pawn-on-last-rank"


def correct(state: GameState, order: str, data: Data, t: int) -> Events:
    """Put the record, the position, the players or the times right; with an offence, punish it. Raises Refused."""
    if state.started_at is None or state.phase == "confirmed":
        raise Refused(_("no game is under way"))
    if state.phase == "playing":
        raise Refused(_("the clocks are running: pause them first"))
    if text_of(data, "error") or data.get("restart"):
        return _set_up_again(state, order, data, t)
    ply, fen, offence = number_of(data, "ply"), text_of(data, "fen"), text_of(data, "offence")
    if offence == ILLEGAL or not (offence or fen or ply is not None):
        return _illegal(state, order, data, t)
    if ply is not None and ply > len(state.plies):
        raise Refused(_("the record has only {count} half-moves").format(count=len(state.plies)))
    event = _back(state, order, data, t, len(state.plies) if ply is None else ply)
    return _maybe_resumed(state, data, t, (settable(state, event),))


# -- illegal moves ------------------------------------------------------------------------------------------------


def _illegal(state: GameState, order: str, data: Data, t: int) -> Events:
    """A ruling that one illegal move was completed."""
    ply = number_of(data, "ply")
    if ply is None:
        ply = len(state.plies) if state.illegal_ply is None else state.illegal_ply
    if ply > len(state.plies):
        raise Refused(_("the record has only {count} half-moves").format(count=len(state.plies)))
    if ply < len(state.plies) - 1 and state.edition.illegal_window != "game":
        raise Refused(
            _("the opponent has made his next move: it stands, unless both agree to go back without a penalty")
        )
    unpromoted = ply < len(state.plies) and state.plies[ply].illegal == UNPROMOTED
    if unpromoted and state.edition.unpromoted == "choice":
        return _maybe_resumed(state, data, t, (settable(state, _back(state, order, data, t, ply)),))
    offender = side_of_order(data) or _offender(state, ply)
    count = state.offences(offender) + 1
    event = _back(state, order, data, t, ply, offender)
    if count >= state.edition.illegal_loses:
        return _lost_by_it(state, order, t, event, offender, count)
    events: Events = (settable(state, event),)
    if unpromoted:
        events += _queened(replay(events, state), state.plies[ply].uci, order, event.why, t)
    return _maybe_resumed(state, data, t, events)


def _queened(state: GameState, uci: str, order: str, why: str, t: int) -> Events:
    """The pawn left on the last rank is a queen, the move completed (7.5.2); nothing if it may not go there.

    `state` is the one before the move. The clocks keep their times; a period that ends with the move adds its own.
    """
    if not can_make(state, uci + "q"):
        return ()
    events = made(state, MakeMove(uci + "q", t), t)
    after = replay(events, state)
    if after.score is not None or after.clock is None:
        return events
    counted = after.clock.count(t, after.plies[-1].side, after.completed(after.plies[-1].side) + 1)
    reading = counted.reading(t)
    return (*events, Adjusted(t, order, reading.white_ms, reading.black_ms, why, ply=len(after.plies)))


def _offender(state: GameState, ply: int) -> Side:
    if ply < len(state.plies):
        return state.plies[ply].side
    if state.claim is not None and state.claim.what == ILLEGAL:
        return other(state.claim.side)
    if any(call.about == ILLEGAL for call in state.calls):
        return state.turn
    raise Refused(_("no illegal move is open: say which side made it"))


def _lost_by_it(state: GameState, order: str, t: int, back: Adjusted, offender: Side, count: int) -> Events:
    """The illegal move that loses; whether the opponent can mate is asked of the position before it (7.5.5)."""
    before = fold(state, back)
    test = mate_test(before, other(offender))
    evidence = {"order": order, "article": "7.5.5", "offender": offender, "count": str(count), "why": back.why}
    evidence |= {"before": before.fen, **({"proof": test.proof} if test.proof else {})}
    if back.ply < len(state.plies):
        illegal = state.plies[back.ply]
        evidence |= {"illegal": move_name(state, back.ply), "kind": ARTICLES.get(illegal.illegal, "7.5")}
    score = score_after(test, offender)
    return Ended(t, score, ILLEGAL, with_facts(state, t, evidence)), Result(t, score, None)


def _back(state: GameState, order: str, data: Data, t: int, ply: int, offender: Side | None = None) -> Adjusted:
    """The correction that leaves `ply` plies in the record, with the times that go with it."""
    fen = text_of(data, "fen")
    if fen:
        try:
            set_up(state, fen)
        except ValueError as error:
            raise Refused(_("the position {fen} cannot be read: {error}").format(fen=fen, error=error)) from None
    given = "white_ms" in data or "black_ms" in data
    if given:
        times: dict[Side, int] = {"white": ms_of(data, "white_ms"), "black": ms_of(data, "black_ms")}
    else:
        white_ms, black_ms = state.plies[ply].left if ply < len(state.plies) else state.clocks(t)
        times = {"white": white_ms, "black": black_ms}
    bonus_ms = number_of(data, "bonus_ms")
    if bonus_ms is None:
        bonus_ms = state.edition.illegal_bonus_ms if offender and not given else 0
    to = other(offender) if offender else side_of_order(data)
    if bonus_ms and to is None:
        raise Refused(_("say which side gets the time"))
    if to:
        times[to] += bonus_ms
    return Adjusted(
        t, order, times["white"], times["black"], text_of(data, "why"), ply=ply, fen=fen,
        offender=offender or "", offence=ILLEGAL if offender else "", penalty="time" if offender and bonus_ms else "",
    )  # fmt: skip


def _maybe_resumed(state: GameState, data: Data, t: int, events: Events) -> Events:
    """With `resume` in the data play goes on at once; it never does while the board may still have to be put right."""
    after = replay(events, state)
    if not data.get("resume") or after.score is not None:
        return events
    return (*events, goes_on(after, Resumed(t, "arbiter", after.turn)))


# -- the set-up ---------------------------------------------------------------------------------------------------


def _set_up_again(state: GameState, order: str, data: Data, t: int) -> Events:
    """What was wrong from the start: a new game, or what the edition's table says."""
    assert state.assignment is not None
    error = text_of(data, "error")
    if error and error not in get_args(SetupError):
        raise Refused(
            _("{error} is no error of a set-up: use one of {known}").format(
                error=error, known=", ".join(get_args(SetupError))
            )
        )
    moves = state.completed_by_both
    known: Mapping[str, SetupError] = {name: name for name in get_args(SetupError)}
    remedy = "new-game" if data.get("restart") else setup_remedy(state.edition, known[error], moves)
    if error == "colours" and state.score is not None and not data.get("restart"):
        raise Refused(_("the game has ended normally: its result stands"))
    why = text_of(data, "why") or error
    if remedy == "new-game":
        return (Assigned(t, state.round, state.rev, state.assignment),)
    must_stand(state)
    if error == "colours":
        return (Adjusted(t, order, *state.clocks(t), why, swapped=True),)
    if remedy == "play-on":
        raise Refused(
            _("{moves} moves have been completed by each side: the game goes on as it is").format(moves=moves)
        )
    white_ms, black_ms = (ms_of(data, "white_ms"), ms_of(data, "black_ms")) if error == "clock" else state.clocks(t)
    return (settable(state, Adjusted(t, order, white_ms, black_ms, why)),)


# -- other offences -----------------------------------------------------------------------------------------------


def penalty(state: GameState, order: str, data: Data, t: int) -> Events:
    """A penalty of 12.9: the one that is named, or the next step of the edition's ladder. Raises Refused."""
    if not state.under_way:
        raise Refused(_("no game is under way"))
    offender = side_of_order(data)
    if offender is None:
        raise Refused(_("say which side is punished"))
    offence = text_of(data, "offence") or "conduct"
    count = 1 + sum(ruling.offender == offender and ruling.offence != ILLEGAL for ruling in state.rulings)
    step = _step(data) or nth(state.edition.ladder, count)
    if step is None:
        raise Refused(_("say which penalty: {known}").format(known=", ".join(get_args(Action))))
    why = text_of(data, "why")
    if step.action == "loss":
        score = WON_BY[other(offender)]
        evidence = {"order": order, "article": "12.9", "offender": offender, "offence": offence, "count": str(count)}
        ended = Ended(t, score, "ruling", with_facts(state, t, {**evidence, "why": why}))
        return ended, Result(t, score, None)
    event = Adjusted(t, order, *state.clocks(t), why, offender=offender, offence=offence, penalty="warning")
    if step.action == "warning":
        return (event,)
    must_stand(state)
    times = dict(zip(("white", "black"), state.clocks(t), strict=True))
    times[other(offender)] += step.ms
    times[offender] -= number_of(data, "off_ms") or 0
    event = Adjusted(
        t, order, times["white"], times["black"], why, offender=offender, offence=offence, penalty="time"
    )  # fmt: skip
    return (settable(state, event),)


def _step(data: Data) -> Penalty | None:
    match text_of(data, "action"):
        case "":
            return None
        case "warning" | "loss" as action:
            return Penalty(action)
        case "time":
            ms, off_ms = number_of(data, "ms") or 0, number_of(data, "off_ms") or 0
            if not ms and not off_ms:
                raise Refused(_("say how much time: for the opponent, or off the offender's clock"))
            return Penalty("time", ms)
        case unknown:
            raise Refused(
                _("{action} is no penalty: {known}").format(action=unknown, known=", ".join(get_args(Action)))
            )


# -- adjournment --------------------------------------------------------------------------------------------------


def adjourn(state: GameState, order: str, data: Data, t: int) -> Events:
    """The game is adjourned; the side to move has sealed its move (Guidelines I). Raises Refused."""
    if state.phase not in ("playing", "paused") or not state.under_way:
        raise Refused(_("no game is being played"))
    sealed = side_of_order(data) or state.turn
    if sealed != state.turn:
        raise Refused(_("{side} is not to move: only the player on move seals").format(side=side_words(sealed)))
    why = text_of(data, "why") or _("adjourned")
    return (
        Paused(t, "arbiter", *state.clocks(t), why, order, sealed=sealed, envelope=text_of(data, "envelope")),
    )  # fmt: skip


def opened(state: GameState, order: str, data: Data, t: int) -> Events:
    """The envelope is opened: the sealed move is made and the opponent's clock runs. Raises Refused."""
    uci = text_of(data, "move")
    if not uci:
        raise Refused(_("the game is adjourned: open the envelope and give the sealed move"))
    if not can_make(state, uci):
        raise Refused(_("the sealed move {move} is not legal: rule on the game (Guidelines I)").format(move=uci))
    events = made(state, MakeMove(uci, t), t)
    after = replay(events, state)
    return events if after.score else (*events, goes_on(after, Resumed(t, "arbiter", after.turn, order)))
