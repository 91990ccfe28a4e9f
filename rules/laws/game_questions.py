"""What a board asks its players, what the kings propose, and the arbiter's key at the table.

A board that cannot read pieces does not know what a pawn has become, or which of two pieces was captured. The clock
runs on meanwhile; the side that made the move is asked. A promotion is in the record as a queen (or as the first piece
that could be) until it is answered; the answer is an event, and the fold puts the piece right, later moves included.
So it is with a move that the board contradicts afterwards: the recorded one stands until its player says which it was.
"""

from __future__ import annotations

from gettext import gettext as _

from rules.laws.ending import DRAW
from rules.laws.events import OTHERS, Answer, Call, Paused, Question, Result, Resumed
from rules.laws.game_answers import Events, Refusal
from rules.laws.game_claims import too_early
from rules.laws.game_endings import automatic, over
from rules.laws.game_intents import AskPlayer, ShowResult, TurnKey
from rules.laws.game_positions import position_after
from rules.laws.game_state import GameState, fold, promoted_ply
from rules.laws.illegal import legal

PROMOTION = "promotion"
CAPTURE = "capture"
MOVE = "move"
MISSED = "missed"
#: What is answered to these is a move that has to be made yet.
MAKE_MOVES = (CAPTURE, MISSED)
#: A tap on the arbiter's key is not repeated sooner than this, in ms.
KEY_AGAIN_MS = 30_000


def ask(state: GameState, intent: AskPlayer, t: int) -> Events | Refusal:
    """The question, once: the same is not asked twice at a time. After the end only what a move was is asked for."""
    if state.phase == "ended" and intent.about != MOVE:
        return Refusal(_("the game is over"), "over")
    wanted = intent.side, intent.about, intent.ply
    if any((question.side, question.about, question.ply) == wanted for question in state.questions):
        return Refusal(_("this has been asked already"), "already")
    return (Question(t, f"{state.game}-q{state.asked + 1}", intent.side, intent.about, intent.options, intent.ply),)


def promoted(state: GameState, question: Question, value: str, t: int) -> Events | Refusal:
    """The answer to a promotion question: the piece is put right, and the game may end with it.

    After a game that ended by its last position, the arbiter is called if that would be no end with this piece.
    """
    answer = Answer(t, question.id, question.side, value)
    at = promoted_ply(state, question)
    if at is None:
        return (answer,)
    refused = Refusal(_("the moves made since then are not possible with that piece"), "illegal")
    called = _("with this promotion piece the game would not have ended so: look at the last position")
    return _put_right(state, answer, at, refused, called)


def moved(state: GameState, question: Question, value: str, t: int) -> Events | Refusal:
    """The answer to the question which move an earlier one was: the record is put right by it.

    It is the word of the player who made that move. His opponent sees question and answer; both are in the log.
    """
    answer = Answer(t, question.id, question.side, value)
    if value == OTHERS or not 0 <= question.ply < len(state.plies):
        return (answer,)
    refused = Refusal(_("the moves made since then are not possible after that move"), "illegal")
    called = _("with this move the game would not have ended so: look at the last position")
    return _put_right(state, answer, question.ply, refused, called)


def _put_right(state: GameState, answer: Answer, at: int, refused: Refusal, called: str) -> Events | Refusal:
    """The answer that changes ply `at`, with what follows for the game, or `refused` if a later move would be none."""
    t, then = answer.t, fold(state, answer)
    for n in range(at, len(then.plies)):
        if not then.plies[n].illegal and not legal(position_after(then, n), then.plies[n].uci):
            return refused
    end = automatic(then)
    if then.score is None:
        return (answer, *over(then, t, end.score, end.by, end.evidence)) if end else (answer,)
    before = automatic(state)
    if before is not None and before.by == state.ended_by and (end is None or end.score != before.score):
        return answer, Call(t, None, called)
    return (answer,)


def show_result(state: GameState, intent: ShowResult, t: int) -> Events | Refusal:
    """Both kings stand in the centre: the clocks stop, the result is proposed, and both confirm it or call."""
    if state.proposed == intent.score:
        return Refusal(_("this result has been proposed: confirm it"), "already")
    if intent.score == DRAW and (refusal := too_early(state)):
        return refusal
    why = _("the kings show {score}: confirm it, or call the arbiter").format(score=intent.score)
    paused = (Paused(t, "table", *state.clocks(t), why=why),) if state.phase == "playing" else ()
    return *paused, Result(t, intent.score, None)


def turn_key(state: GameState, intent: TurnKey, t: int) -> Events | Refusal:
    """A tap is a call from the table. Held, the key stops both clocks; held again it lets play go on (6.11).

    What needs a ruling, a claim or a sealed move, is decided at the desk.
    """
    why = _("the arbiter's key at the table")
    if not intent.long:
        if any(call.side is None and call.why == why and 0 <= t - call.t < KEY_AGAIN_MS for call in state.calls):
            return Refusal(_("the arbiter has been called"), "already")
        return (Call(t, None, why),)
    if state.phase == "playing":
        return (Paused(t, "arbiter", *state.clocks(t), why=why),)
    if state.phase == "paused" and state.claim is None and state.sealed is None and state.score is None:
        return (Resumed(t, "arbiter"),)
    return Refusal(_("this has to be decided at the arbiter's desk"), "not-now")
