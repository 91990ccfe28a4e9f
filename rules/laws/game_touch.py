"""Touched pieces (Article 4): what a player's touches would have obliged him to, for claims and for the arbiter.

A board tells which squares were touched, never with what intent, nor whether "I adjust" was said (4.2). So this is
evidence: it makes a claim worth looking at and is never a penalty by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _

import chess

from rules.laws.events import Claim
from rules.laws.game_answers import Events, Refusal
from rules.laws.game_endings import claimed
from rules.laws.game_intents import ClaimTouch
from rules.laws.game_positions import position_after
from rules.laws.game_state import GameState
from rules.laws.illegal import bound
from rules.laws.sides import other, side_words

#: More moves than these are counted, not listed.
LISTED = 8


def claim_touch(state: GameState, intent: ClaimTouch, t: int) -> Events | Refusal:
    """The opponent has touched a piece and does not move or capture it, or has moved another one.

    Refused once the claimant has touched a piece for his own move (4.8). Without touches in the record the arbiter
    comes and decides by himself.
    """
    gone = Refusal(_("you have touched a piece for your move: the move before stands"), "too-late")
    if state.turn == intent.side and (intent.touched or intent.standing is not None):
        return gone
    claim = Claim(t, intent.side, "touch-move", complained_of(state, intent))
    return claimed(state, t, claim, _("touch-move claimed"), touch_evidence(state, intent))


def complained_of(state: GameState, intent: ClaimTouch) -> str:
    """The opponent's move (UCI) that the claim is about: the one on the board, or the last of the record; or ""."""
    if state.turn != intent.side:
        return intent.standing.uci if intent.standing else ""
    return state.plies[-1].uci if state.plies and state.plies[-1].side != intent.side else ""


def touch_evidence(state: GameState, intent: ClaimTouch) -> str:
    """What the board saw of the move complained of, for the arbiter."""
    text = _("touch-move claimed against {side}").format(side=side_words(other(intent.side)))
    if state.turn != intent.side:
        standing = intent.standing
        if standing is None:
            return _("{claim}; he has not made his move yet").format(claim=text)
        found = judged(state.position, standing.touched, standing.uci)
    elif state.plies and state.plies[-1].side != intent.side:
        found = touches_of(state, len(state.plies) - 1)
    else:
        found = ""
    found = found or _("no touches are in the record")
    return f"{text}; {found}"


def touches_of(state: GameState, ply: int) -> str:
    """What the touches for ply number `ply` (from 0) of the record oblige to, in words; "" without touches."""
    return judged(position_after(state, ply), state.plies[ply].touched, state.plies[ply].uci)


def broken(state: GameState, ply: int) -> bool:
    """Whether ply number `ply` of the record is none of those that its touches leave, if they were meant (4.3)."""
    record = state.plies[ply]
    squares = known(record.touched)
    return bool(squares) and record.uci not in bound(position_after(state, ply), squares)


def judged(board: chess.Board, touched: Sequence[str], uci: str) -> str:
    """The touches before the move `uci` on `board`, and what touch-move leaves after them, in words."""
    squares = known(touched)
    if not squares:
        return ""
    left = bound(board, squares)
    text = _("touched {squares}, which leaves {moves}").format(squares=", ".join(squares), moves=listed(board, left))
    verdict = _("the move made is one of them") if uci in left else _("the move made is none of them (4.3)")
    return f"{text}; {verdict}"


def replacing(state: GameState) -> str:
    """What touch-move leaves for the move that replaces one taken back (4.3 and 7.5.1), in words; "" if nothing."""
    squares = known(state.retouched)
    if not squares:
        return ""
    left = bound(state.position, squares)
    return _("For the move taken back {squares} was touched: touch-move leaves {moves} (7.5.1).").format(
        squares=", ".join(squares), moves=listed(state.position, left)
    )


def known(touched: Sequence[str]) -> tuple[str, ...]:
    """Those names that are squares."""
    return tuple(name for name in touched if name in chess.SQUARE_NAMES)


def listed(board: chess.Board, moves: frozenset[str]) -> str:
    """Some legal moves on `board` in SAN, or how many there are."""
    if len(moves) > LISTED:
        return _("{count} moves").format(count=len(moves))
    return ", ".join(sorted(board.san(chess.Move.from_uci(uci)) for uci in moves))
