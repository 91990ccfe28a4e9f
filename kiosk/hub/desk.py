"""What an arbiter can want, by the intent's kind: a table of small functions, each an act on the hall.

`rules.tournament.decisions` decides; here intents get their arguments, and what was decided becomes orders to tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from gettext import gettext as _
from typing import Any, cast, get_args

from hallnet.hall_log import HallLog
from kiosk.hub.act import Act, Refused
from kiosk.hub.duties import game_id
from kiosk.hub.effects import SETTLED_BY_RESULT
from kiosk.hub.hall import Hall
from rules.laws.events import Score, Side
from rules.pairing.state import PairingAnswer
from rules.tournament.events import ByeKind, Published, Resulted
from rules.tournament.intents import (
    CloseCall,
    DropDraft,
    Finish,
    GrantBye,
    Pair,
    Publish,
    Rule,
    Start,
    Withdraw,
)
from rules.tournament.state import Round

Data = Mapping[str, Any]
#: A basis that no state has: a decision about it tells why there can be no pairing now.
_NO_BASIS = "-"


def number(d: Data, key: str, default: int | None = None) -> int:
    """A whole number from the intent's data; raises `Refused`."""
    value = d.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(_("{key} must be a whole number.").format(key=key))
    return value


def text(d: Data, key: str) -> str:
    """A text from the intent's data, "" if it is missing; raises `Refused`."""
    value = d.get(key, "")
    if not isinstance(value, str):
        raise Refused(_("{key} must be a text.").format(key=key))
    return value.strip()


def _side(d: Data, key: str) -> Side | None:
    value = text(d, key)
    if value not in ("", *get_args(Side)):
        raise Refused(_("{value!r} is no side: white or black.").format(value=value))
    return cast(Side, value) if value else None


def _score(d: Data) -> Score:
    value = text(d, "score")
    if value not in get_args(Score):
        raise Refused(
            _("{value!r} is no score: use one of {known}.").format(value=value, known=", ".join(get_args(Score)))
        )
    return cast(Score, value)


class Desk:
    """One intent of a desk on its way to events."""

    def __init__(self, hall: Hall, log: HallLog, act: Act) -> None:
        self.hall = hall
        self.log = log
        self.act = act

    def run(self, kind: str, d: Data) -> None:
        """Do what is wanted; the events are in `act`. Raises `Refused`, and nothing has happened."""
        handler = _HANDLERS.get(kind)
        if handler is None:
            raise Refused(_("This hub does not know {kind!r}: update it, or the desk.").format(kind=kind))
        handler(self, d)

    def sheet(self, d: Data) -> Round:
        """The public round that is meant: "round" in the data, else the current one. Raises `Refused`."""
        current = self.act.state.current_round
        if current is None:
            raise Refused(_("No round is public yet."))
        wanted = number(d, "round", current.number)
        found = self.act.state.round(wanted)
        if found is None:
            raise Refused(_("Round {round} is not public.").format(round=wanted))
        return found

    def place(self, d: Data) -> tuple[Round, int]:
        """The round and board that are meant. Raises `Refused`."""
        sheet, board = self.sheet(d), number(d, "board")
        if sheet.pair(board) is None:
            raise Refused(_("Round {round} has no board {board}.").format(round=sheet.number, board=board))
        return sheet, board

    def order(self, sheet: Round, board: int, kind: str, data: Mapping[str, str | int]) -> None:
        """An order to the table of a board about its game."""
        table = sheet.tables.get(board)
        if table is None:
            raise Refused(_("Board {board} has no table.").format(board=board))
        self.act.order(table, game_id(sheet.number, board), kind, data)

    def in_phase(self, sheet: Round, boards: Iterable[int], phase: str) -> list[int]:
        """Those boards whose game is in this phase at the table."""
        return [board for board in boards if self.hall.phase(sheet.number, board) == phase]


# -- rounds -----------------------------------------------------------------------------------------------------------


def pairing_refusal(desk: Desk) -> None:
    """Raise `Refused` when no pairing can be made now, before anything long is computed."""
    state = desk.act.state
    current = state.current_round
    undecided = current is not None and (not current.complete or state.open_disputes(current.number))
    hopeless = state.finished or state.draft is not None or undecided or not state.entries
    if hopeless or state.next_round_to_pair is None:
        desk.act.decide(Pair(PairingAnswer((), None), _NO_BASIS))


def _drop(desk: Desk, d: Data) -> None:
    desk.act.decide(DropDraft())


def _publish(desk: Desk, d: Data) -> None:
    events = desk.act.decide(Publish(tuple(desk.hall.enrolled)))
    for event in events:
        if isinstance(event, Published) and event.round > 1:
            desk.act.seal(event.round - 1, desk.log)


def _start(desk: Desk, d: Data) -> None:
    events = desk.act.decide(Start())
    current = desk.act.state.current_round
    if current is None:
        return
    if events:
        desk.act.start_orders(current.number)
        return
    # Pressed again: those that stand ready and have no order to start, because a device was replaced, say.
    ordered = {order.game for order in desk.act.state.orders.values() if order.kind == "start"}
    for board in (*desk.in_phase(current, current.open_boards, "assigned"),
                  *desk.in_phase(current, current.open_boards, "ready")):  # fmt: skip
        if game_id(current.number, board) not in ordered:
            desk.order(current, board, "start", {})


def _finish(desk: Desk, d: Data) -> None:
    desk.act.decide(Finish())
    current = desk.act.state.current_round
    if current is not None:
        desk.act.seal(current.number, desk.log)


# -- clocks -----------------------------------------------------------------------------------------------------------


def _pause(desk: Desk, d: Data) -> None:
    sheet = desk.sheet(d)
    board = number(d, "board", 0)
    boards = desk.in_phase(sheet, [board] if board else (p.board for p in sheet.pairs), "playing")
    if not boards:
        raise Refused(_("Board {board} is not playing.").format(board=board) if board else _("No game is running."))
    for each in boards:
        desk.order(sheet, each, "pause", {"why": text(d, "why")})


def _resume(desk: Desk, d: Data) -> None:
    sheet = desk.sheet(d)
    board = number(d, "board", 0)
    boards = desk.in_phase(sheet, [board] if board else (p.board for p in sheet.pairs), "paused")
    if not board:
        # A claim or a dispute is answered by a ruling, not by an order to all.
        asked = {c.board for c in desk.act.state.calls.values() if c.kind == "claim" and c.round == sheet.number}
        boards = [each for each in boards if each not in asked]
    if not boards:
        raise Refused(_("Board {board} is not paused.").format(board=board) if board else _("No game is paused."))
    side = _side(d, "side") if board else None
    for each in boards:
        desk.order(sheet, each, "resume", {"side": side} if side else {})


def _times(desk: Desk, d: Data) -> None:
    sheet, board = desk.place(d)
    white, black = number(d, "white_ms"), number(d, "black_ms")
    if min(white, black) <= 0:
        raise Refused(_("Both times must be above zero."))
    if desk.in_phase(sheet, [board], "playing"):
        raise Refused(_("Board {board} is playing: pause it, then set its clock.").format(board=board))
    desk.order(sheet, board, "times", {"white_ms": white, "black_ms": black, "why": text(d, "why")})


# -- rulings ----------------------------------------------------------------------------------------------------------


def _rule(desk: Desk, d: Data) -> None:
    sheet, board = desk.place(d)
    score, why = _score(d), text(d, "why")
    forfeit = d.get("forfeit", False) is True
    events = desk.act.decide(Rule(sheet.number, board, score, why, text(d, "call"), forfeit))
    _settle(desk, sheet, board, score)
    # A game that is final at its table, or whose table has gone on, is corrected in the results only.
    is_final = desk.hall.phase(sheet.number, board) == "confirmed" or desk.act.state.current_round != desk.sheet(d)
    if any(isinstance(event, Resulted) for event in events) and not is_final and board in sheet.tables:
        desk.order(sheet, board, "rule", {"score": score, "why": why})


def _settle(desk: Desk, sheet: Round, board: int, score: str) -> None:
    """A result settles what else was asked about the board."""
    for call in tuple(desk.act.state.calls.values()):
        if (call.round, call.board) == (sheet.number, board) and call.kind in SETTLED_BY_RESULT:
            desk.act.decide(CloseCall(call.id, score))


def _continue(desk: Desk, d: Data) -> None:
    sheet, board = desk.place(d)
    bonus = number(d, "bonus_ms", 0)
    if bonus < 0:
        raise Refused(_("bonus_ms must not be below zero."))
    calls = [c for c in desk.act.state.calls.values() if (c.round, c.board, c.kind) == (sheet.number, board, "claim")]
    if not calls:
        raise Refused(_("There is no open claim at board {board}.").format(board=board))
    claimant = calls[0].side
    side = _side(d, "side") or (("black" if claimant == "white" else "white") if claimant else None)
    ruling = _("turned down")
    if bonus and side:
        ruling = _("turned down, {seconds} s to {side}").format(seconds=bonus // 1000, side=side)
    for call in calls:
        desk.act.decide(CloseCall(call.id, ruling))
    data: dict[str, str | int] = {"bonus_ms": bonus}
    if side:
        data |= {"side": side, "to": side}
    desk.order(sheet, board, "continue", data)


def _close_call(desk: Desk, d: Data) -> None:
    desk.act.decide(CloseCall(text(d, "id"), text(d, "ruling")))


# -- players ----------------------------------------------------------------------------------------------------------


def _withdraw(desk: Desk, d: Data) -> None:
    desk.act.decide(Withdraw(number(d, "tpn"), text(d, "why")))


def _bye(desk: Desk, d: Data) -> None:
    kind = text(d, "kind") or "H"
    if kind not in get_args(ByeKind):
        raise Refused(_("{kind!r} is no kind of bye: H, F or Z.").format(kind=kind))
    desk.act.decide(GrantBye(number(d, "tpn"), number(d, "round"), cast(ByeKind, kind)))


_HANDLERS: Mapping[str, Callable[[Desk, Data], None]] = {
    "drop": _drop,
    "publish": _publish,
    "start": _start,
    "finish": _finish,
    "pause": _pause,
    "resume": _resume,
    "times": _times,
    "rule": _rule,
    "result": _rule,
    "continue": _continue,
    "close-call": _close_call,
    "withdraw": _withdraw,
    "bye": _bye,
}
