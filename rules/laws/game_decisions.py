"""What the players, the board and the passing time do to a game: an intent becomes events, or a refusal that says why.

`decide` is for intents, `due` for what time alone causes. Both are pure: the caller stores the events, folds them
(`rules.laws.game_state`) and acts. Stamps decide, not the order of arrival:

* An expiry comes before an action with the same stamp; a move *made* one millisecond earlier counts (Laws 6.8, 6.2.1).
  `decide` first brings in what was due, so no late action beats a flag.
* Mate, stalemate, a dead position, the fifth repetition and the 75th move end the game at the stamp of the move made,
  without a press (5.1.1, 5.2, 9.6).
* The board may show a move that nobody has pressed for yet. When a flag falls while it stands there, it was made before
  the flag: hand it to `due` and `decide` as `standing`, and the flag waits until the move has settled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Any, Literal

from rules.laws import ending
from rules.laws.ending import DRAW, WON_BY
from rules.laws.events import (
    Answer,
    Call,
    Claim,
    Confirmed,
    Disputed,
    Ended,
    EndedBy,
    Flag,
    GameEvent,
    Offer,
    Paused,
    Ply,
    Press,
    Question,
    Ready,
    Resigned,
    Result,
    Score,
    Seated,
    Side,
)
from rules.laws.game_intents import (
    AnswerQuestion,
    CallArbiter,
    ClaimDraw,
    Confirm,
    Dispute,
    Intent,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressOnly,
    ProposeResult,
    Resign,
    Sit,
)
from rules.laws.game_state import GameState, Phase, fold, replay
from rules.laws.sides import SIDES, other

Events = tuple[GameEvent, ...]

#: Why an intent was refused, for programs; `Refusal.why` is for people.
RefusalCode = Literal[
    "not-now", "not-started", "over", "wrong-side", "no-move", "illegal", "touched", "already", "differs",
    "no-question", "too-early", "unknown",
]  # fmt: skip

#: A player's call for the arbiter is not repeated sooner than this, in ms.
CALL_AGAIN_MS = 30_000


@dataclass(frozen=True, slots=True)
class Refusal:
    """An intent that changes nothing: a sentence for the player, and a code."""

    why: str
    code: RefusalCode = "not-now"


def decide(state: GameState, intent: Intent, t: int, standing: MakeMove | None = None) -> Events | Refusal:
    """What `intent` does at `t`: events to store in this order, or a refusal.

    What was due before it is part of the answer; if then the intent itself comes too late, the answer holds just that.
    `standing` is the unpressed move on the board, if any (see the head of this module).
    """
    overdue = due(state, _stamp(state, intent, t), standing)
    answer = _decide(replay(overdue, state), intent, t)
    if isinstance(answer, Refusal):
        return overdue or answer
    return overdue + answer


def due(state: GameState, t: int, standing: MakeMove | None = None, settle_ms: int = 0) -> Events:
    """The events that time alone has caused up to `t`: a flag, and with it the end of the game (6.8, 6.9).

    Where periods change at zero, the end of one is no flag; when its moves are not all in the record, the arbiter is
    called (6.4): the table does not judge by a counter.

    The events carry the computed instant, however late they are asked for; ask a few ms late, so that presses on their
    way through a driver still come in before. `standing` is the move on the board that nobody has pressed for: made
    before the flag, it holds the flag back until it has stood for `settle_ms`, and is then made first.
    """
    calls = tuple(call for call in _period_calls(state) if call.t <= t)
    if calls:
        return calls + due(replay(calls, state), t, standing, settle_ms)
    instant = _flag_instant(state)
    if instant is None or instant > t:
        return ()
    if standing and standing.made_at < instant and _legal(state, standing.uci):
        if t < standing.made_at + settle_ms:
            return ()
        made = _made(state, standing.uci, standing.made_at)
        state = replay(made, state)
        return made + _flagged(state, instant)
    return _flagged(state, instant)


def next_due(state: GameState, standing: MakeMove | None = None, settle_ms: int = 0) -> int | None:
    """The next stamp at which `due` with the same arguments has something to say, None if never."""
    calls = [call.t for call in _period_calls(state)]
    instant = _flag_instant(state)
    if instant is not None and standing and standing.made_at < instant and _legal(state, standing.uci):
        instant = max(instant, standing.made_at + settle_ms)
    return min([*calls, *([] if instant is None else [instant])], default=None)


def ends_game(state: GameState, uci: str) -> bool:
    """Whether the legal move `uci` ends the game by itself, so that it needs no press (6.2.1.1)."""
    after = _after(state, uci)
    return ending.automatic(after.position, after.keys) is not None


# -- time and moves -----------------------------------------------------------------------------------------------


def _stamp(state: GameState, intent: Intent, t: int) -> int:
    """The stamp up to which the clock has run before the intent counts: a move counts when it was made."""
    if isinstance(intent, MakeMove) or (isinstance(intent, PressClock) and intent.uci and state.ahead <= 0):
        return min(intent.made_at, t)
    return t


def _flag_instant(state: GameState) -> int | None:
    """When the next flag falls if nobody acts; the ends of periods before it are passed over."""
    clock = state.clock
    if state.phase != "playing" or clock is None:
        return None
    while (instant := clock.next_expiry()) is not None:
        clock = clock.advance(instant)
        if clock.first_flag is not None:
            return instant
    return None


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
            calls.append(Call(instant, None, why.format(side=side, done=done, needed=needed)))
    return calls


def _flagged(state: GameState, instant: int) -> Events:
    """The flag that falls at `instant`, and the result by 6.9. Nothing when the game is over already."""
    if state.score is not None or state.clock is None:
        return ()
    side = state.clock.advance(instant).first_flag
    if side is None:
        return ()
    evidence = {"article": "6.9", "flag": side, "at_ms": str(instant), "position": state.fen}
    return (Flag(instant, side), *_lost(state, side, "flag", instant, evidence))


def _lost(state: GameState, loser: Side, by: EndedBy, t: int, evidence: Mapping[str, str]) -> Events:
    """`loser` loses, or it is a draw where his opponent certainly cannot mate (5.1.2, 6.9, 7.5.5)."""
    proof = ending.why_no_mate(state.position, other(loser))
    score = DRAW if proof else WON_BY[other(loser)]
    return _over(t, score, by, {**evidence, "why": proof} if proof else evidence)


def _over(t: int, score: Score, by: EndedBy, evidence: Mapping[str, str]) -> Events:
    return Ended(t, score, by, dict(evidence)), Result(t, score, None)


def _legal(state: GameState, uci: str) -> bool:
    try:
        return bool(state.position.parse_uci(uci))
    except ValueError:
        return False


def _after(state: GameState, uci: str) -> GameState:
    return fold(state, Ply(state.t, state.turn, uci, 0, 0))


def _made(state: GameState, uci: str, made_at: int) -> Events:
    """The legal move `uci` is made at `made_at`; the game ends with it if it must."""
    white_ms, black_ms = state.clocks(made_at)
    after = _after(state, uci)
    ply = Ply(made_at, state.turn, uci, white_ms, black_ms, after.plies[-1].position)
    end = ending.automatic(after.position, after.keys)
    return (ply, *_over(made_at, end.score, end.by, end.evidence)) if end else (ply,)


def _make_move(state: GameState, intent: MakeMove, t: int) -> Events | Refusal:
    if not _legal(state, intent.uci):
        return Refusal(_("{move} is not a legal move here").format(move=intent.uci), "illegal")
    return _made(state, intent.uci, min(intent.made_at, t))


def _press_clock(state: GameState, intent: PressClock | PressOnly, t: int) -> Events | Refusal:
    if state.running != intent.side:
        return Refusal(_("the other clock is running"), "wrong-side")
    made: Events = ()
    if state.ahead <= 0:
        if isinstance(intent, PressClock) and intent.uci:
            answer = _make_move(state, MakeMove(intent.uci, intent.made_at), t)
            if isinstance(answer, Refusal):
                return answer
            made = answer
        elif not state.board_lost:
            return Refusal(_("no move has been made"), "no-move")
    state = replay(made, state)
    # A move made but not pressed in time is made, not completed: the flag falls on the position after it (6.2.2).
    overdue = () if state.score else due(state, t)
    made += overdue
    state = replay(overdue, state)
    if state.score is not None:
        return made
    pressed = fold(state, Press(t, intent.side, 0, 0))
    return (*made, Press(t, intent.side, *pressed.clocks(t)))


# -- players ------------------------------------------------------------------------------------------------------


def _sit(state: GameState, intent: Sit, t: int) -> Events | Refusal:
    if intent.side in state.seated:
        return Refusal(_("you are signed in already"), "already")
    return (Seated(t, intent.side),)


def _make_ready(state: GameState, intent: MakeReady, t: int) -> Events | Refusal:
    if intent.side in state.ready:
        return Refusal(_("you have said so already"), "already")
    seated = () if intent.side in state.seated else (Seated(t, intent.side),)
    return (*seated, Ready(t, intent.side))


def _offer_draw(state: GameState, intent: OfferDraw, t: int) -> Events | Refusal:
    if state.offer == intent.side:
        return Refusal(_("your draw offer stands"), "already")
    if state.offer is not None:
        return Refusal(_("your opponent has offered a draw: answer him"), "already")
    question = Question(t, f"{state.game}-q{state.asked + 1}", other(intent.side), "draw", ("yes", "no"))
    return Offer(t, intent.side), question


def _answer(state: GameState, intent: AnswerQuestion, t: int) -> Events | Refusal:
    asked = next((question for question in state.questions if question.id == intent.id), None)
    if asked is None or asked.side != intent.side:
        return Refusal(_("there is no such question for you any more"), "no-question")
    if asked.options and intent.value not in asked.options:
        return Refusal(_("the answers are {options}").format(options=", ".join(asked.options)), "unknown")
    answer = Answer(t, intent.id, intent.side, intent.value)
    if asked.about != "draw" or intent.value != "yes":
        return (answer,)
    return _too_early(state) or (answer, *_over(t, DRAW, "agreement", {"article": "5.2.3"}))


def _too_early(state: GameState) -> Refusal | None:
    """A draw may be agreed once both players have made a move (5.2.3)."""
    if len(state.plies) >= len(SIDES) or state.board_lost:
        return None
    return Refusal(_("a draw can be agreed once both players have made a move"), "too-early")


def _claim_draw(state: GameState, intent: ClaimDraw, t: int) -> Events | Refusal:
    if state.turn != intent.side:
        return Refusal(_("only the player on move can claim a draw"), "wrong-side")
    if intent.touched:
        return Refusal(_("a piece has been touched: no claim with this move"), "touched")
    try:
        check = ending.check_claim(state.position, state.keys, intent.what, intent.move)
    except ValueError:
        return Refusal(_("{move} is not a legal move here").format(move=intent.move), "illegal")
    what = _("threefold repetition") if intent.what == "repetition" else _("fifty moves")
    evidence = _("draw claim, {what}: {evidence}").format(what=what, evidence=check.evidence)
    return (
        Claim(t, intent.side, intent.what, intent.move),
        Paused(t, intent.side, *state.clocks(t), why=_("draw claim, {what}").format(what=what)),
        Call(t, intent.side, evidence),
    )


def _resign(state: GameState, intent: Resign, t: int) -> Events | Refusal:
    evidence = {"article": "5.1.2", "resigned": intent.side}
    return (Resigned(t, intent.side), *_lost(state, intent.side, "resignation", t, evidence))


def _propose(state: GameState, intent: ProposeResult, t: int) -> Events | Refusal:
    if state.proposed is not None:
        if state.proposed == intent.score:
            return Refusal(_("this result has been proposed: confirm it"), "already")
        return Refusal(_("another result has been proposed: confirm or dispute it"), "differs")
    if intent.score not in (*WON_BY.values(), DRAW):
        return Refusal(_("players cannot agree on {score}").format(score=intent.score), "unknown")
    if intent.score == DRAW and (refusal := _too_early(state)):
        return refusal
    return (Result(t, intent.score, intent.side),)


def _confirm(state: GameState, intent: Confirm, t: int) -> Events | Refusal:
    if state.proposed is None:
        return Refusal(_("there is no result to confirm yet"), "not-now")
    if state.has_confirmed(intent.side):
        return Refusal(_("you have confirmed already"), "already")
    if intent.score != state.proposed:
        return Refusal(
            _("the result to confirm is {score}: confirm or dispute it").format(score=state.proposed), "differs"
        )
    confirmed = Confirmed(t, intent.side, intent.score)
    if state.score is None and state.has_confirmed(other(intent.side)):
        # Both say so, and that is an end by itself: the draw is agreed, or the loser gives up.
        return Ended(t, intent.score, *_AGREED[intent.score]), confirmed
    return (confirmed,)


_AGREED: Mapping[Score, tuple[EndedBy, dict[str, str]]] = {
    DRAW: ("agreement", {"article": "5.2.3"}),
    "1-0": ("resignation", {"article": "5.1.2", "resigned": "black"}),
    "0-1": ("resignation", {"article": "5.1.2", "resigned": "white"}),
}


def _dispute(state: GameState, intent: Dispute, t: int) -> Events | Refusal:
    if state.proposed is None:
        return Refusal(_("there is no result to dispute yet"), "not-now")
    if intent.says == state.proposed:
        return Refusal(_("that is the proposed result: confirm it"), "differs")
    if any(dispute.side == intent.side for dispute in state.disputes):
        return Refusal(_("the arbiter has been called"), "already")
    why = _("result disputed: proposed {proposed}, {side} says {says}").format(
        proposed=state.proposed, side=intent.side, says=intent.says or "?"
    )
    # A proposal during play does not stop the clocks; a quarrel about it does.
    paused = (Paused(t, "table", *state.clocks(t), why=why),) if state.phase == "playing" else ()
    return *paused, Disputed(t, intent.side, intent.says), Call(t, intent.side, why)


def _call_arbiter(state: GameState, intent: CallArbiter, t: int) -> Events | Refusal:
    if any(call.side == intent.side and 0 <= t - call.t < CALL_AGAIN_MS for call in state.calls):
        return Refusal(_("the arbiter has been called"), "already")
    pause = intent.pause and state.phase == "playing"
    paused = (Paused(t, intent.side, *state.clocks(t), why=intent.why),) if pause else ()
    return *paused, Call(t, intent.side, intent.why)


# -- when what is allowed -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rule:
    phases: frozenset[Phase]
    decide: Callable[[GameState, Any, int], Events | Refusal]
    under_way: bool = field(default=False)


_BEFORE: frozenset[Phase] = frozenset({"assigned"})
_PRESENT: frozenset[Phase] = frozenset({"assigned", "ready", "playing", "paused"})
_PLAYING: frozenset[Phase] = frozenset({"playing"})
_OPEN: frozenset[Phase] = frozenset({"playing", "paused", "disputed"})
_RESULT: frozenset[Phase] = frozenset({"playing", "paused", "ended"})
_ANY: frozenset[Phase] = frozenset({*_PRESENT, *_OPEN, *_RESULT, "confirmed", "idle"})

_RULES: Mapping[type[Intent], _Rule] = {
    Sit: _Rule(_PRESENT, _sit),
    MakeReady: _Rule(_BEFORE, _make_ready),
    MakeMove: _Rule(_PLAYING, _make_move),
    PressClock: _Rule(_PLAYING, _press_clock),
    PressOnly: _Rule(_PLAYING, _press_clock),
    OfferDraw: _Rule(_PLAYING, _offer_draw),
    AnswerQuestion: _Rule(_OPEN, _answer),
    ClaimDraw: _Rule(_PLAYING, _claim_draw),
    Resign: _Rule(_OPEN, _resign, under_way=True),
    ProposeResult: _Rule(_OPEN - {"disputed"}, _propose),
    Confirm: _Rule(_RESULT, _confirm),
    Dispute: _Rule(_RESULT | {"disputed"}, _dispute),
    CallArbiter: _Rule(_ANY, _call_arbiter),
}


def _decide(state: GameState, intent: Intent, t: int) -> Events | Refusal:
    rule = _RULES[type(intent)]
    if state.phase not in rule.phases or (rule.under_way and not state.under_way):
        return _not_now(state)
    return rule.decide(state, intent, t)


def _not_now(state: GameState) -> Refusal:
    """Why nothing can be done in this phase."""
    reasons: Mapping[Phase, tuple[str, RefusalCode]] = {
        "idle": (_("no game is assigned to this table"), "not-started"),
        "assigned": (_("the game has not started yet"), "not-started"),
        "ready": (_("the game has not started yet"), "not-started"),
        "playing": (_("not while the game is being played"), "not-now"),
        "paused": (_("the game is paused"), "not-now"),
        "ended": (_("the game is over"), "over"),
        "disputed": (_("please wait for the arbiter and leave the board as it is"), "not-now"),
        "confirmed": (_("the result is final"), "over"),
    }
    return Refusal(*reasons[state.phase])
