"""What the record of a game says for the ruling on an open call, by the edition of the Laws. Pure."""

from __future__ import annotations

from hallnet.views import CaseView
from rules.laws.ending import check_claim
from rules.laws.events import Claim, Side
from rules.laws.game_orders import ARTICLE_OF
from rules.laws.game_state import GameState
from rules.laws.sides import SIDES, other
from rules.tournament.events import CallOpened

#: Kinds of calls behind which there may be an illegal move.
_MAYBE_ILLEGAL = frozenset({"illegal-move", "unexplained"})


def case_view(call: CallOpened, game: GameState | None) -> CaseView | None:
    """What is to be ruled on, or None when the record says nothing about it."""
    if game is None:
        return None
    claim = game.claim if call.kind == "claim" else None
    if claim is not None and claim.what in ("repetition", "fifty-moves"):
        return _draw(game)
    if claim is not None and claim.what == "flag":
        first = game.clock.first_flag if game.clock else None
        return CaseView(about="flag", against=(first,) if first else (), proven=first == other(claim.side))
    if claim is not None and claim.what in ARTICLE_OF:
        return _by_article(game, claim)
    if claim is not None or call.kind in _MAYBE_ILLEGAL:
        return _illegal(call, game, other(claim.side) if claim else None)
    if call.kind == "default":
        moved = {ply.side for ply in game.plies}
        absent = tuple(side for side in SIDES if side not in game.seated and side not in moved)
        return CaseView(about="default", against=absent, proven=bool(absent) and game.under_way)
    return CaseView(about=call.kind) if call.kind in ("undetermined", "announced") else None


def _by_article(game: GameState, claim: Claim) -> CaseView:
    """Touch-move, or a claim by Guidelines III with what they give for it."""
    finish = game.edition.finish if claim.what != "touch-move" else None
    return CaseView(
        about=claim.what,
        against=(other(claim.side),),
        bonus_ms=finish.bonus_ms if finish is not None else 0,
        concluded=game.concluded,
        inc_ms=finish.increment_ms if finish is not None else 0,
    )


def _draw(game: GameState) -> CaseView:
    assert game.claim is not None
    assert game.claim.what in ("repetition", "fifty-moves")
    try:
        proven = check_claim(game.position, game.keys, game.claim.what, game.claim.move).correct
    except ValueError:
        proven = False
    return CaseView(about=game.claim.what, proven=proven, bonus_ms=game.edition.claim_bonus_ms)


def _illegal(call: CallOpened, game: GameState, accused: Side | None) -> CaseView | None:
    """An illegal move in the record, or one that a player or the table speaks of."""
    found = game.illegal_ply
    if found is not None and accused in (None, game.plies[found].side):
        offender = game.plies[found].side
    elif call.kind == "unexplained" or not game.under_way:
        return None
    else:
        found, offender = None, accused or game.turn
    return CaseView(
        about="illegal-move",
        against=(offender,),
        proven=found is not None,
        bonus_ms=game.edition.illegal_bonus_ms,
        loses=game.offences(offender) + 1 >= game.edition.illegal_loses,
    )
