"""What a player may claim: a draw (9.2, 9.3), his opponent's flag (6.8, A.5.3), an illegal move (7.5, A.5.2), and what
Guidelines III give a player short of time. Touched pieces are in `rules.laws.game_touch`.

A claim stops the clocks and calls the arbiter, with what the record says about it. Only a flag that the edition leaves
to the players decides itself: the clock is its proof. What an arbiter has rejected is in `rules.laws.game_orders`.
"""

from __future__ import annotations

from gettext import gettext as _
from gettext import ngettext

from rules.laws import ending
from rules.laws.edition import ARTICLES
from rules.laws.events import Claim, Offer, Question, Side
from rules.laws.game_answers import Events, Refusal
from rules.laws.game_endings import claimed, lost, move_name
from rules.laws.game_intents import ClaimDraw, ClaimFinish, ClaimFlag, ClaimIllegal, MakeMove
from rules.laws.game_state import GameState, fold
from rules.laws.sides import SIDES, other, side_words

#: What the opponent is asked when a claim has concluded the game: is this the final position (III.6)?
POSITION = "position"


def claim_draw(state: GameState, intent: ClaimDraw, t: int) -> Events | Refusal:
    """Repetition or fifty moves. The claim is a draw offer too, which the opponent may accept meanwhile (9.1.2.3)."""
    if not state.edition.draw_claims:
        return Refusal(_("these rules know no such claim: call the arbiter"), "not-now")
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
    claim, why = Claim(t, intent.side, intent.what, intent.move), _("draw claim, {what}").format(what=what)
    events = claimed(state, t, claim, why, evidence)
    # Where the regulations forbid to offer a draw, a claim is none either (9.1.1, 9.1.2.3).
    offers = state.offer is None and state.edition.draw_moves <= 1
    return (*events, *offered(state, intent.side, t)) if offers else events


def offered(state: GameState, side: Side, t: int) -> Events:
    """A draw offer by `side`, and the question to his opponent."""
    question = Question(t, f"{state.game}-q{state.asked + 1}", other(side), "draw", ("yes", "no"))
    return Offer(t, side), question


def claim_finish(state: GameState, intent: ClaimFinish, t: int) -> Events | Refusal:
    """Guidelines III: an increment is asked for, which offers a draw (III.4), or a draw is claimed (III.5)."""
    finish, clock = state.edition.finish, state.clock
    if finish is None or clock is None:
        return Refusal(_("Guidelines III were not announced for this event"), "not-now")
    if state.turn != intent.side:
        return Refusal(_("only the player on move can claim a draw"), "wrong-side")
    if not clock.finishing(intent.side):
        return Refusal(_("this is only for the last period of a game without increment"), "not-now")
    if clock.reading(t).ms(intent.side) >= finish.below_ms:
        return Refusal(_("you have {seconds} s or more left").format(seconds=finish.below_ms // 1000), "too-early")
    if not finish.arbiter:
        return _concluded(state, intent, t)
    words = {
        "increment": _("an increment is asked for (Guidelines III.4)"),
        "normal-means": _("draw claim: the opponent cannot win by normal means or does not try (Guidelines III.5)"),
    }
    why = words[intent.what]
    events = claimed(state, t, Claim(t, intent.side, intent.what), why, f"{why}; {state.fen}")
    return events if state.offer or intent.what != "increment" else (*events, *offered(state, intent.side, t))


def _concluded(state: GameState, intent: ClaimFinish, t: int) -> Events | Refusal:
    """No arbiter at hand: the claim concludes the game, and the opponent verifies the final position (III.6)."""
    if intent.what != "normal-means":
        return Refusal(_("without an arbiter in the hall no increment can be asked for (Guidelines III.6)"), "not-now")
    why = _("draw claim: the opponent cannot win by normal means or does not try (Guidelines III.6)")
    events = claimed(state, t, Claim(t, intent.side, intent.what), why, f"{why}; {state.fen}")
    asked = Question(t, f"{state.game}-q{state.asked + 1}", other(intent.side), POSITION, ("yes", "no"))
    return (*events, asked)


def too_early(state: GameState) -> Refusal | None:
    """A draw may be agreed once both players have made a move (5.2.3), or more by the regulations (9.1.1)."""
    needed = state.edition.draw_moves
    if min(sum(ply.side == side for ply in state.plies) for side in SIDES) >= needed or state.board_lost:
        return None
    text = ngettext(
        "a draw can be agreed once both players have made a move",
        "a draw can be agreed once both players have made {needed} moves",
        needed,
    )
    return Refusal(text.format(needed=needed), "too-early")


# -- flags --------------------------------------------------------------------------------------------------------


def claim_flag(state: GameState, intent: ClaimFlag, t: int) -> Events | Refusal:
    """The opponent's flag. A fallen flag that the table may bring in itself has ended the game before."""
    claim = Claim(t, intent.side, "flag")
    rival = other(intent.side)
    first = state.clock.advance(t).first_flag if state.clock else None
    if first == rival and "opponent" in state.edition.flag_called_by:
        # Both may be down: an electronic clock shows which fell first, and that one loses.
        fell = next(flag.t for flag in state.flags if flag.side == rival)
        evidence = {"article": "6.9", "flag": rival, "fell_ms": str(fell), "claimed_by": intent.side}
        return (claim, *lost(fold(state, claim), rival, "flag", t, evidence))
    return claimed(state, t, claim, _("flag claimed"), flag_evidence(state, t))


def flag_evidence(state: GameState, t: int) -> str:
    """What the clock says at `t` about fallen flags, for the arbiter."""
    first = state.clock.advance(t).first_flag if state.clock else None
    if first is not None:
        return _("the flag of {side} fell first").format(side=side_words(first))
    white_ms, black_ms = state.clocks(t)
    found = _("no flag has fallen: White has {white} s, Black {black} s")
    return found.format(white=f"{white_ms / 1000:g}", black=f"{black_ms / 1000:g}")


# -- illegal moves ------------------------------------------------------------------------------------------------


def claim_illegal(state: GameState, intent: ClaimIllegal, t: int) -> Events | Refusal:
    """An illegal move of the opponent; refused once the edition's window for it is closed.

    Without one in the record (two hands, a board that saw nothing) the arbiter comes and decides by himself.
    """
    rival = other(intent.side)
    found = _claimable(state, rival)
    if found is not None:
        if intent.touched and state.edition.illegal_window == "touch":
            return Refusal(_("you have touched a piece: the move before stands"), "too-late")
        claim = Claim(t, intent.side, "illegal-move", state.plies[found].uci)
        return claimed(state, t, claim, _("illegal move claimed"), evidence_of(state, found))
    if any(ply.illegal and ply.side == rival for ply in state.plies):
        return Refusal(_("you have made your next move: the move before stands"), "too-late")
    claim = Claim(t, intent.side, "illegal-move")
    return claimed(state, t, claim, _("illegal move claimed"), illegal_evidence(state, intent.side))


def _claimable(state: GameState, side: Side) -> int | None:
    """The first illegal ply (from 0) of `side` that can still be claimed."""
    first = state.illegal_ply
    if first is None:
        return None
    return next(
        (n for n in range(first, len(state.plies)) if state.plies[n].illegal and state.plies[n].side == side), None
    )


def answered(state: GameState, intent: ClaimIllegal, standing: MakeMove | None) -> Refusal | None:
    """A move that stands on the board, pressed or not, has been made: it ends the right to claim the one before."""
    if standing is None or state.edition.illegal_window == "game":
        return None
    if state.illegal_ply is None or intent.side != state.turn:
        return None
    return Refusal(_("you have made your next move: the move before stands"), "too-late")


def illegal_evidence(state: GameState, claimant: Side) -> str:
    """What the record says about the illegal move that `claimant` complains of, for the arbiter."""
    found = _claimable(state, other(claimant))
    if found is not None:
        return evidence_of(state, found)
    return _("illegal move by {side} claimed; the record shows none").format(side=side_words(other(claimant)))


def evidence_of(state: GameState, ply: int) -> str:
    """What the record says about an illegal move, for the arbiter."""
    illegal = state.plies[ply]
    text = _("illegal move by {side}: {move}, {kind} ({article}); number {count} of this player")
    return text.format(
        side=side_words(illegal.side),
        move=move_name(state, ply),
        kind=kind_words(illegal.illegal),
        article=ARTICLES.get(illegal.illegal, "7.5"),
        count=state.offences(illegal.side) + 1,
    )


def kind_words(offence: str) -> str:
    """The kind of an illegal move in words."""
    return {
        "not-a-move": _("the piece does not move so"),
        "king-in-check": _("the king is left in check"),
        "king-captured": _("a king was captured"),
        "pawn-on-last-rank": _("the pawn was left on the last rank"),
        "no-move": _("pressed without a move"),
        "two-hands": _("made with two hands"),
    }.get(offence, offence)
