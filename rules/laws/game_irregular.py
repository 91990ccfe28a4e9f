"""A press on what no legal move explains (Laws 7.5): recorded, told to whom the edition says, judged by an arbiter.

An illegal move is completed by its press and stands in the record like any other, with its kind. Where the edition lets
the arbiter act at any time the clocks stop at once; in a normal rapid or blitz hall the game goes on, the opponent may
claim until he has made his next move, and then the move stands (A.5.2).
"""

from __future__ import annotations

from dataclasses import replace
from gettext import gettext as _

from rules.laws.edition import ARTICLES
from rules.laws.events import Board, Call, GameEvent, Paused, Ply, Press
from rules.laws.game_answers import Events, Refusal
from rules.laws.game_claims import evidence_of, kind_words
from rules.laws.game_intents import PressIllegal
from rules.laws.game_positions import position_after
from rules.laws.game_state import GameState, fold, replay
from rules.laws.illegal import NO_MOVE, IllegalMove, illegal_move, illegal_position
from rules.laws.sides import other, side_words


def press_illegal(state: GameState, intent: PressIllegal, t: int) -> Events | Refusal:
    """The press of `intent`: an illegal move, a press without a move, or a board that a person must look at."""
    if state.running != intent.side:
        return Refusal(_("the other clock is running"), "wrong-side")
    try:
        found = illegal_move(state.position, intent.placement) if state.turn == intent.side else None
    except ValueError:
        return Refusal(_("{placement} is no placement of pieces").format(placement=intent.placement), "unknown")
    if found is None:
        why = _("the clock was pressed, but no legal move leads to the position on the board")
        return (Board(t, "unexplained", intent.placement, why), *_stopped(state, t, why))
    if found.uci == NO_MOVE:
        why = _("the clock was pressed without a move on the board ({article})").format(article=ARTICLES["no-move"])
        return _stopped(state, t, why, "illegal-move")
    return _completed(state, found, min(intent.made_at or t, t), t)


def _stopped(state: GameState, t: int, why: str, about: str = "") -> Events:
    """The press counts for nothing yet: the clocks stop, the arbiter looks at the board."""
    return Paused(t, "table", *state.clocks(t), why=why), Call(t, None, why, about)


def _completed(state: GameState, found: IllegalMove, made_at: int, t: int) -> Events:
    """The illegal move in the record, its press, and who is told."""
    ply = Ply(made_at, state.turn, found.uci, *state.clocks(made_at), illegal=found.offence, placement=found.placement)
    made = fold(state, ply)
    pressed = fold(made, Press(t, ply.side, 0, 0))
    press = Press(t, ply.side, *pressed.clocks(t))
    events: list[GameEvent] = [*window_closes(state, made_at), replace(ply, position=made.plies[-1].position), press]
    state = replay(events, state)
    why = evidence_of(state, len(state.plies) - 1)
    edition = state.edition
    if found.offence in edition.illegal_stops:
        return (*events, Paused(t, "table", *state.clocks(t), why=why), Call(t, None, why, "illegal-move"))
    if edition.illegal_told == "arbiter":
        events.append(Board(t, "unexplained", found.placement, _window_open(state, why)))
    elif edition.illegal_told == "all":
        events.append(Call(t, None, _window_open(state, why), "illegal-move"))
    return tuple(events)


def _window_open(state: GameState, why: str) -> str:
    rival = side_words(other(state.plies[-1].side))
    return _("{why}; it stands once {rival} has made the next move").format(why=why, rival=rival)


def window_closes(before: GameState, t: int) -> Events:
    """What the arbiter's desk is told when the move after an illegal one is made: the matter is closed (A.5.2)."""
    edition = before.edition
    last = before.plies[-1] if before.plies else None
    if last is None or not last.illegal or edition.illegal_window == "game" or edition.illegal_told != "arbiter":
        return ()
    why = _("{kind}: it was not claimed in time and stands").format(kind=kind_words(last.illegal))
    return (Board(t, "ok", why=why),)


def still_illegal(state: GameState, t: int) -> Events:
    """Told to the arbiter when a move was completed and an illegal position is there still (A.5.4): he declares a draw.

    `state` is the one after the press. Whether he had seen the position a move ago only he knows.
    """
    if not state.edition.illegal_draw or not state.plies:
        return ()
    now = illegal_position(state.position)
    if not now or not illegal_position(position_after(state, len(state.plies) - 1)):
        return ()
    why = _("{what}, and still so after the next move: a draw, if the arbiter saw it (A.5.4)")
    return (Board(t, "unexplained", state.position.board_fen(), why.format(what=position_words(now))),)


def position_words(kind: str) -> str:
    """The kind of an illegal position in words."""
    return {
        "both-kings-in-check": _("both kings are in check"),
        "king-en-prise": _("the king of the side that has moved is in check"),
        "pawn-on-last-rank": _("a pawn stands on the last rank"),
        "king-missing": _("a king is missing"),
    }.get(kind, kind)
