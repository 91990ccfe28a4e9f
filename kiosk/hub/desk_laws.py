"""Orders at the desk that put a game right by the Laws: corrections, penalties, opened envelopes.

The record of the game that the hub holds is asked first (`rules.laws.game_orders`), so an order that the table would
refuse is refused at once, with the same sentence. Where the clocks must stand and run, they are stopped with it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from gettext import gettext as _
from typing import cast, get_args

from kiosk.hub.act import Refused
from kiosk.hub.desk_intent import Data, DeskIntent, flag, number, side_of, text
from kiosk.hub.effects import TURNED, sits_turned, turned_words
from rules.laws.events import OrderDone, Score
from rules.laws.game_orders import decide_order
from rules.laws.game_state import GameState, replay
from rules.laws.sides import SIDES, other, side_words
from rules.tournament.book_intents import CorrectResult
from rules.tournament.events import TournamentEvent
from rules.tournament.intents import Rule
from rules.tournament.state import Round

OrderData = dict[str, str | int]
Steps = Sequence[tuple[str, OrderData]]

_TEXTS = ("fen", "offence", "error", "action", "why")
_NUMBERS = ("ply", "white_ms", "black_ms", "bonus_ms", "ms", "off_ms")
_FLAGS = ("restart", "resume")


def _order_data(d: Data, *names: str) -> OrderData:
    """Those of the named values that the intent has, checked. Raises `Refused`."""
    data: OrderData = {name: text(d, name) for name in _TEXTS if name in names and text(d, name)}
    data |= {name: number(d, name) for name in _NUMBERS if name in names and name in d}
    data |= {name: 1 for name in _FLAGS if name in names and flag(d, name)}
    side = side_of(d, "side")
    return data | {"side": side} if side else data


def _why_not(game: GameState, steps: Steps) -> str:
    """Why these orders, one after the other, cannot be carried out on `game`; "" when they can."""
    for at, (kind, data) in enumerate(steps):
        events = decide_order(game, f"?{at}", kind, "", data, game.t)
        refused = next((event.why for event in events if isinstance(event, OrderDone) and not event.ok), "")
        if refused:
            return refused
        game = replay(events, game)
    return ""


def _give(desk: DeskIntent, d: Data, kind: str, data: OrderData, goes_on: bool = False) -> None:
    """The order, if the game takes it; a game that is played is stopped for it, and with `goes_on` goes on after it."""
    sheet, board = desk.place(d)
    game = _game(desk, sheet, board)
    steps: Steps = [(kind, data)]
    why = _why_not(game, steps)
    if why and game.phase == "playing":
        around: OrderData = {"why": str(data.get("why", ""))}
        steps = [("pause", around), (kind, data), *([("resume", {})] if goes_on else [])]
        why = _why_not(game, steps)
    if why:
        raise Refused(_("Board {board}: {why}.").format(board=board, why=why))
    for each, content in steps:
        desk.order(sheet, board, each, content)


def _game(desk: DeskIntent, sheet: Round, board: int) -> GameState:
    game = desk.hall.game(sheet.number, board)
    if board in sheet.results:
        raise Refused(
            _("Board {board} has the result {score}: correct it in the results.").format(
                board=board, score=sheet.results[board].score
            )
        )
    if game is None or desk.hall.phase(sheet.number, board) != game.phase:
        raise Refused(_("Board {board}: its table does not have this game.").format(board=board))
    return game


def _correct(desk: DeskIntent, d: Data) -> None:
    names = ("ply", "fen", "white_ms", "black_ms", "bonus_ms", "offence", "error", "restart", "resume", "why")
    _give(desk, d, "correct", _order_data(d, *names))


def _penalty(desk: DeskIntent, d: Data) -> None:
    _give(desk, d, "penalty", _order_data(d, "offence", "action", "ms", "off_ms", "why"), goes_on=True)


def _dead(desk: DeskIntent, d: Data) -> None:
    """Squares whose sensor is broken: the board there is not believed any more; none: all are believed again."""
    _give(desk, d, "dead", {"squares": text(d, "squares")})


def _envelope(desk: DeskIntent, d: Data) -> None:
    """An adjourned game goes on: with the move from the envelope (as people or as programs write it), or without."""
    sheet, board = desk.place(d)
    move = text(d, "move")
    if move:
        # It may be written as programs do; if it is no move at all the Laws say so.
        with contextlib.suppress(ValueError):
            move = _game(desk, sheet, board).position.parse_san(move).uci()
    if not move and not flag(d, "unsealed"):
        raise Refused(_("Give the sealed move, or say that there is none."))
    _give(desk, d, "resume", {"move": move} if move else {"unsealed": 1})


def claim_answer(desk: DeskIntent, sheet: Round, board: int, d: Data, claimant: str) -> OrderData:
    """The order that answers the claim of `claimant` and lets play go on. Raises `Refused` when the game has no such
    claim, or when it has concluded the game (Guidelines III.6).
    """
    data: OrderData = {name: 1 for name in ("increment", "postpone") if flag(d, name)}
    if flag(d, "upheld"):
        data["bonus_ms"] = 0
    if "bonus_ms" in d:
        data["bonus_ms"] = number(d, "bonus_ms")
    side = side_of(d, "side") or (other(claimant) if claimant in SIDES else None)
    if side:
        data |= {"side": side, "to": side}
    why = _why_not(_game(desk, sheet, board), [("continue", data)])
    if why:
        raise Refused(_("Board {board}: {why}.").format(board=board, why=why))
    return data


def answer_words(desk: DeskIntent, sheet: Round, board: int, data: OrderData, upheld: bool) -> str:
    """What became of a claim after which play goes on, for the list of calls: the ruling, and who got how much time."""
    answer = _("turned down")
    if data.get("increment"):
        answer = _("an increment granted")
    elif data.get("postpone"):
        answer = _("put off: decided at a flag")
    elif upheld:
        answer = _("upheld, play goes on")
    game = _game(desk, sheet, board)
    ordered = replay(decide_order(game, "?", "continue", "", data, game.t), game)
    for side in SIDES:
        got = ordered.clocks(game.t)[SIDES.index(side)] - game.clocks(game.t)[SIDES.index(side)]
        if got:
            words = _("{answer}, {seconds} s to {side}")
            return words.format(answer=answer, seconds=f"{got / 1000:g}", side=side_words(side))
    return answer


def ruled(desk: DeskIntent, sheet: Round, board: int, wanted: Rule) -> Sequence[TournamentEvent]:
    """The arbiter's result. While the players sit at each other's colours (7.3) its score is that of the board.

    The list then gets the colours that were played, as it does when both players confirm their result.
    """
    game = desk.hall.game(sheet.number, board)
    score = wanted.score
    if game is None or score not in get_args(Score) or not sits_turned(sheet.pair(board), game):
        return desk.act.decide(wanted)
    assert game.assignment is not None
    told = _("{turned}; {score} is the score of White {white} and Black {black}").format(
        turned=turned_words(), score=score, white=game.assignment.white.name, black=game.assignment.black.name
    )
    why = f"{wanted.why}; {told}" if wanted.why else told
    played = CorrectResult(sheet.number, board, score, wanted.forfeit, wanted.rated, swapped=True, why=why)
    on_sheet = TURNED.get(cast(Score, score), cast(Score, score))
    return (*desk.act.decide(replace(wanted, score=on_sheet, why=why)), *desk.act.decide(played))


#: Intent → what it does.
LAWS: Mapping[str, Callable[[DeskIntent, Data], None]] = {
    "correct": _correct,
    "penalty": _penalty,
    "dead": _dead,
    "envelope": _envelope,
}
