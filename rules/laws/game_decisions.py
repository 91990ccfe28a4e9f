"""What the players, the board and the passing time do to a game: an intent becomes events, or a refusal that says why.

`decide` is for intents, `due` (`rules.laws.game_time`) for what time alone causes. Both are pure: the caller stores the
events, folds them (`rules.laws.game_state`) and acts. Stamps decide, not the order of arrival:

* An expiry comes before an action with the same stamp; a move *made* one millisecond earlier counts (Laws 6.8, 6.2.1).
  `decide` first brings in what was due, so no late action beats a flag.
* Mate, stalemate, a dead position, the fifth repetition and the 75th move end the game at the stamp of the move made,
  without a press (5.1.1, 5.2, 9.6).
* The board may show a move that nobody has pressed for yet. When a flag falls while it stands there, it was made before
  the flag: hand it to `due` and `decide` as `standing`, and the flag waits until the move has settled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from gettext import gettext as _
from typing import Any, get_args

from rules.laws.ending import DRAW, WON_BY
from rules.laws.events import (
    OTHER_MOVES,
    OTHERS,
    Answer,
    Call,
    Confirmed,
    Disputed,
    Ended,
    EndedBy,
    Paused,
    Press,
    Ready,
    Resigned,
    Result,
    Resumed,
    Score,
    Seated,
    Start,
)
from rules.laws.game_answers import Events, Refusal, RefusalCode
from rules.laws.game_claims import (
    POSITION,
    answered,
    claim_draw,
    claim_finish,
    claim_flag,
    claim_illegal,
    offered,
    too_early,
)
from rules.laws.game_endings import can_make, ends_game, lost, made, move_name, over, with_facts
from rules.laws.game_intents import (
    AnswerQuestion,
    AskPlayer,
    CallArbiter,
    ClaimDraw,
    ClaimFinish,
    ClaimFlag,
    ClaimIllegal,
    ClaimTouch,
    Confirm,
    Dispute,
    Intent,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressIllegal,
    PressOnly,
    ProposeResult,
    Resign,
    ResumePlay,
    SettleMate,
    ShowResult,
    Sit,
    StartByPress,
    TurnKey,
)
from rules.laws.game_irregular import press_illegal, still_illegal, window_closes
from rules.laws.game_questions import MAKE_MOVES, MOVE, PROMOTION, ask, moved, promoted, show_result, turn_key
from rules.laws.game_state import GameState, Phase, fold, replay
from rules.laws.game_time import due, next_due
from rules.laws.game_touch import claim_touch
from rules.laws.sides import other, side_words

#: A player's call for the arbiter is not repeated sooner than this, in ms.
CALL_AGAIN_MS = 30_000


def decide(state: GameState, intent: Intent, t: int, standing: MakeMove | None = None) -> Events | Refusal:
    """What `intent` does at `t`: events to store in this order, or a refusal.

    What was due before it is part of the answer; if then the intent itself comes too late, the answer holds just that.
    `standing` is the unpressed move on the board, if any (see the head of this module).
    """
    overdue = due(state, _stamp(state, intent, t), standing)
    state = replay(overdue, state)
    late: Refusal | None = None
    match intent:
        case ClaimIllegal():
            late = answered(state, intent, standing)
        case ClaimTouch():
            intent = replace(intent, standing=standing)
        case ClaimDraw() if standing is not None and state.phase == "playing" and can_make(state, standing.uci):
            if intent.side == state.turn:
                late = Refusal(_("your move stands on the board: no claim with it any more"), "touched")
            else:
                # The opponent's move has been made, so this player has the move, pressed or not (1.3, 9.2.2).
                first = made(state, standing, min(standing.made_at, t))
                overdue += first + window_closes(state, t)
                state = replay(first, state)
    answer = late or _decide(state, intent, t)
    if isinstance(answer, Refusal):
        return overdue or answer
    return overdue + answer


# -- time and moves -----------------------------------------------------------------------------------------------


def _stamp(state: GameState, intent: Intent, t: int) -> int:
    """The stamp up to which the clock has run before the intent counts: a move counts when it was made."""
    if isinstance(intent, MakeMove) or (isinstance(intent, PressClock) and intent.uci and state.ahead <= 0):
        return min(intent.made_at, t)
    return t


def _make_move(state: GameState, intent: MakeMove | PressClock, t: int) -> Events | Refusal:
    if not can_make(state, intent.uci):
        return Refusal(_("{move} is not a legal move here").format(move=intent.uci), "illegal")
    made_at = min(intent.made_at, t)
    events = made(state, intent, made_at) + window_closes(state, made_at)
    if state.announced and not _same_move(state, intent.uci):
        why = _("the claimant announced {announced} and has made {move} (9.5.3)")
        name = move_name(replay(events, state), len(state.plies))
        call = Call(t, None, why.format(announced=state.announced, move=name), about="announced")
        stop = (Paused(t, "table", *state.clocks(t), why=call.why),) if isinstance(intent, PressClock) else ()
        return (*events, *stop, call) if not any(isinstance(event, Ended) for event in events) else (*events, call)
    return events


def _same_move(state: GameState, uci: str) -> bool:
    return state.position.parse_uci(uci) == state.position.parse_uci(state.announced)


def _press_clock(state: GameState, intent: PressClock | PressOnly, t: int) -> Events | Refusal:
    if state.running != intent.side:
        return Refusal(_("the other clock is running"), "wrong-side")
    events: Events = ()
    if state.ahead <= 0:
        if isinstance(intent, PressClock) and intent.uci:
            answer = _make_move(state, intent, t)
            if isinstance(answer, Refusal):
                return answer
            events = answer
        elif not state.board_lost and not (isinstance(intent, PressOnly) and intent.unread):
            return Refusal(_("no move has been made"), "no-move")
    state = replay(events, state)
    # A move made but not pressed in time is made, not completed: the flag falls on the position after it (6.2.2).
    overdue = due(state, t) if state.phase == "playing" else ()
    events += overdue
    state = replay(overdue, state)
    if state.phase != "playing":
        return events
    press = Press(t, intent.side, *fold(state, Press(t, intent.side, 0, 0)).clocks(t))
    return (*events, press, *still_illegal(fold(state, press), t))


def _start_by_press(state: GameState, intent: StartByPress, t: int) -> Events | Refusal:
    if state.edition.start_by != "press":
        return Refusal(_("the arbiter starts the game"), "not-started")
    if intent.side == state.turn:
        return Refusal(_("your opponent starts your clock"), "wrong-side")
    return (Start(t),)


def _resume_play(state: GameState, intent: ResumePlay, t: int) -> Events | Refusal:
    if state.paused_by != intent.side or state.claim is not None or state.sealed is not None:
        return Refusal(_("the arbiter decides when play goes on"), "not-now")
    return (Resumed(t, intent.side),)


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
    if state.edition.draw_moves > 1 and (refusal := too_early(state)):
        return refusal
    return offered(state, intent.side, t)


def _answer(state: GameState, intent: AnswerQuestion, t: int) -> Events | Refusal:
    asked = next((question for question in state.questions if question.id == intent.id), None)
    if asked is None or asked.side != intent.side:
        return Refusal(_("there is no such question for you any more"), "no-question")
    if asked.options and intent.value not in asked.options:
        return Refusal(_("the answers are {options}").format(options=", ".join(asked.options)), "unknown")
    makes_moves = asked.about in MAKE_MOVES and intent.value not in (OTHERS, OTHER_MOVES)
    if makes_moves and state.phase != "playing":
        return Refusal(_("the clocks stand: say it when play goes on"), "not-now")
    answer = Answer(t, intent.id, intent.side, intent.value)
    if asked.about == PROMOTION:
        return promoted(state, asked, intent.value, t)
    if asked.about == MOVE:
        return moved(state, asked, intent.value, t)
    if asked.about == POSITION and intent.value == "no":
        return answer, Call(t, intent.side, _("the final position of the claim is not agreed upon (III.6)"))
    if asked.about != "draw" or intent.value != "yes":
        return (answer,)
    return too_early(state) or (answer, *over(state, t, DRAW, "agreement", {"article": "5.2.3"}))


def _resign(state: GameState, intent: Resign, t: int) -> Events | Refusal:
    evidence = {"article": "5.1.2", "resigned": intent.side}
    return (Resigned(t, intent.side), *lost(state, intent.side, "resignation", t, evidence))


def _propose(state: GameState, intent: ProposeResult, t: int) -> Events | Refusal:
    if state.proposed is not None:
        if state.proposed == intent.score:
            return Refusal(_("this result has been proposed: confirm it"), "already")
        return Refusal(_("another result has been proposed: confirm or dispute it"), "differs")
    if intent.score not in (*WON_BY.values(), DRAW):
        return Refusal(_("players cannot agree on {score}").format(score=intent.score), "unknown")
    if intent.score == DRAW and (refusal := too_early(state)):
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
        by, evidence = _AGREED[intent.score]
        return Ended(t, intent.score, by, with_facts(state, t, evidence)), confirmed
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
    if intent.says not in ("", *get_args(Score)):
        return Refusal(_("{score} is no score of a game").format(score=intent.says), "unknown")
    if any(dispute.side == intent.side for dispute in state.disputes):
        return Refusal(_("the arbiter has been called"), "already")
    why = _("result disputed: proposed {proposed}, {side} says {says}").format(
        proposed=state.proposed, side=side_words(intent.side), says=intent.says or "?"
    )
    # A proposal during play does not stop the clocks; a quarrel about it does.
    paused = (Paused(t, "table", *state.clocks(t), why=why),) if state.phase == "playing" else ()
    return *paused, Disputed(t, intent.side, intent.says), Call(t, intent.side, why)


def _settle_mate(state: GameState, intent: SettleMate, t: int) -> Events | Refusal:
    """A provisional loss becomes a draw, or stands with its proof (6.9)."""
    if "undetermined" not in state.evidence or state.score is None or state.ended_by is None:
        return Refusal(_("this result is not provisional"), "already")
    if not intent.proof and not intent.line:
        return Refusal(_("nothing was found"), "unknown")
    evidence = {key: value for key, value in state.evidence.items() if key != "undetermined"}
    if not intent.proof:
        return (Ended(t, state.score, state.ended_by, {**evidence, "mate": " ".join(intent.line)}),)
    return Ended(t, DRAW, state.ended_by, {**evidence, "why": intent.proof}), Result(t, DRAW, None)


def _call_arbiter(state: GameState, intent: CallArbiter, t: int) -> Events | Refusal:
    pause = intent.pause and state.phase == "playing"
    if not pause and any(call.side == intent.side and 0 <= t - call.t < CALL_AGAIN_MS for call in state.calls):
        return Refusal(_("the arbiter has been called"), "already")
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
    StartByPress: _Rule(_BEFORE | {"ready"}, _start_by_press),
    MakeMove: _Rule(_PLAYING, _make_move),
    PressClock: _Rule(_PLAYING, _press_clock),
    PressOnly: _Rule(_PLAYING, _press_clock),
    PressIllegal: _Rule(_PLAYING, press_illegal),
    OfferDraw: _Rule(_PLAYING, _offer_draw),
    AnswerQuestion: _Rule(_OPEN | {"ended"}, _answer),
    ClaimDraw: _Rule(_PLAYING, claim_draw),
    ClaimFlag: _Rule(_PLAYING, claim_flag),
    ClaimIllegal: _Rule(_PLAYING, claim_illegal),
    ClaimTouch: _Rule(_PLAYING, claim_touch),
    ClaimFinish: _Rule(_PLAYING, claim_finish),
    Resign: _Rule(_OPEN, _resign, under_way=True),
    ProposeResult: _Rule(_OPEN - {"disputed"}, _propose),
    Confirm: _Rule(_RESULT, _confirm),
    Dispute: _Rule(_RESULT | {"disputed"}, _dispute),
    CallArbiter: _Rule(_ANY, _call_arbiter),
    ResumePlay: _Rule(frozenset({"paused"}), _resume_play),
    SettleMate: _Rule(frozenset({"ended"}), _settle_mate),
    AskPlayer: _Rule(_RESULT, ask),
    ShowResult: _Rule(frozenset({"playing", "paused"}), show_result, under_way=True),
    TurnKey: _Rule(_ANY - {"idle"}, turn_key),
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


__all__ = ["Events", "Refusal", "RefusalCode", "decide", "due", "ends_game", "next_due"]
