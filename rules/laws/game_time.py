"""What time alone causes in a game: flags, the ends of periods, the default time. `due` says it, `next_due` when.

Where an edition lets players alone call a flag, its fall is kept as evidence and the game goes on.
"""

from __future__ import annotations

from gettext import gettext as _

from rules.laws.events import Call, Flag, Side
from rules.laws.game_answers import Events
from rules.laws.game_endings import can_make, lost, made
from rules.laws.game_intents import MakeMove
from rules.laws.game_state import GameState, replay
from rules.laws.sides import SIDES, side_words


def due(state: GameState, t: int, standing: MakeMove | None = None, settle_ms: int = 0) -> Events:
    """The events that time alone has caused up to `t`: a flag, and with it the end of the game (6.8, 6.9).

    Where periods change at zero, the end of one is no flag; when its moves are not all in the record, the arbiter is
    called (6.4): the table does not judge by a counter. He is also called when a player has not come by the default
    time, if the regulations set one (6.7): he decides.

    The events carry the computed instant, however late they are asked for; ask a few ms late, so that presses on their
    way through a driver still come in before. `standing` is the move on the board that nobody has pressed for: made
    before the flag, it holds the flag back until it has stood for `settle_ms`, and is then made first.
    """
    calls = tuple(call for call in (*_period_calls(state), *_default_calls(state)) if call.t <= t)
    if calls:
        return calls + due(replay(calls, state), t, standing, settle_ms)
    instant = _flag_instant(state)
    if instant is None or instant > t:
        return ()
    first: Events = ()
    if standing and standing.made_at < instant and can_make(state, standing.uci):
        if t < standing.made_at + settle_ms:
            return ()
        first = made(state, standing, standing.made_at)
    state = replay(first, state)
    events = _flagged(state, instant)
    state = replay(events, state)
    # The other flag falls later, where the game goes on after the first.
    return first + events + (due(state, t) if events and state.phase == "playing" else ())


def next_due(state: GameState, standing: MakeMove | None = None, settle_ms: int = 0) -> int | None:
    """The next stamp at which `due` with the same arguments has something to say, None if never."""
    calls = [call.t for call in (*_period_calls(state), *_default_calls(state))]
    instant = _flag_instant(state)
    if instant is not None and standing and standing.made_at < instant and can_make(state, standing.uci):
        instant = max(instant, standing.made_at + settle_ms)
    return min([*calls, *([] if instant is None else [instant])], default=None)


def _flag_instant(state: GameState) -> int | None:
    """When the next flag falls if nobody acts; the ends of periods before it are passed over."""
    clock = state.clock
    if state.phase != "playing" or clock is None:
        return None
    while (instant := clock.next_expiry()) is not None:
        side = clock.turn
        clock = clock.advance(instant)
        if clock.half(side).flag_ms is not None:
            return instant
    return None


def _flagged(state: GameState, instant: int) -> Events:
    """The flag that falls at `instant`, and the result by 6.9. Nothing when the game is over already."""
    if state.score is not None or state.clock is None:
        return ()
    after = state.clock.advance(instant)
    side = next((side for side in SIDES if after.half(side).flag_ms == instant), None)
    if side is None:
        return ()
    flag = Flag(instant, side)
    if "table" not in state.edition.flag_called_by:
        return (flag,)
    return (flag, *lost(replay((flag,), state), side, "flag", instant, {"article": "6.9", "flag": side}))


def _required(state: GameState, side: Side, period: int) -> int:
    """The moves that `side` must have completed by the end of `period` (counted from 0)."""
    periods = state.clock.tc.periods(side) if state.clock else ()
    return sum(each.moves or 0 for each in periods[: period + 1])


def _period_calls(state: GameState) -> list[Call]:
    """The calls still to be made for periods that end at zero before their moves are completed (6.4)."""
    clock = state.clock
    if state.phase != "playing" or clock is None:
        return []
    calls = []
    while (instant := clock.next_expiry()) is not None and clock.first_flag is None:
        side = clock.turn
        done, needed = state.completed(side), _required(state, side, clock.half(side).period)
        marks, clock = len(clock.marks), clock.advance(instant)
        ended = any(kind == "period_end" for _side, kind, _t in clock.marks[marks:])
        known = any(call.t == instant and call.side is None for call in state.calls)
        if ended and done < needed and not known:
            why = _("period of {side} ended with {done} of {needed} moves in the record")
            calls.append(Call(instant, None, why.format(side=side_words(side), done=done, needed=needed)))
    return calls


def _default_calls(state: GameState) -> list[Call]:
    """The call about players who have not come by the default time (6.7.1), once in a game."""
    default_ms = state.edition.default_ms
    if default_ms is None or state.started_at is None or state.phase != "playing" or "default" in state.told:
        return []
    absent = [side for side in SIDES if side not in state.seated and not any(p.side == side for p in state.plies)]
    if not absent:
        return []
    why = _("default time of {minutes} minutes: {sides} not signed in (6.7.1)")
    text = why.format(minutes=f"{default_ms / 60_000:g}", sides=", ".join(map(side_words, absent)))
    return [Call(state.started_at + default_ms, None, text, about="default")]
