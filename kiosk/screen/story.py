"""The one sentence in the middle of the screen, and the words around it. Pure: view in, words out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hallnet.views import QuestionView, TableView
from kiosk.screen.seats import key_of
from kiosk.widgets.language import _, ngettext
from kiosk.widgets.times import SHORT_MS, SILENT_MS, hour, running, span
from kiosk.widgets.words import ending, option, score_text, side_name
from rules.laws.events import Side
from rules.laws.sides import SIDES, other

Tone = Literal["calm", "ask", "stop"]


@dataclass(frozen=True, slots=True)
class Bar:
    """The sentence in the middle: how urgent it is, its sign, its words."""

    tone: Tone
    text: str


def bar(view: TableView | None, chair: Side | None = None, keys: bool = True) -> Bar:
    """The one thing that matters now. `keys`: whether the two sides' keys are in use and may be named."""
    if view is None:
        return Bar("calm", _("Waiting for this table's service. This screen connects by itself."))
    for tell in (_disputed, _missed, _board, _paused, _asked, _result, _called, _getting_ready, _playing):
        told = tell(view, chair, keys)
        if told is not None:
            return told
    return Bar("calm", _("No game at this table yet. Please wait for the pairing."))


def _disputed(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if view.phase != "disputed":
        return None
    return Bar("stop", _("? Disputed. Please wait for the arbiter; do not clear the board."))


def _board(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if not view.board_problem or view.phase in ("idle", "ended", "confirmed"):
        return None
    return Bar("stop", _("! Look at the board: {problem}").format(problem=view.board_problem))


def _paused(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if view.phase != "paused":
        return None
    asked = view.question
    if asked is not None and asked.about == "draw":
        words = _("! Clocks stopped. The arbiter decides; {side}, you may accept a draw: {names}")
        return Bar("stop", words.format(side=side_name(asked.side), names=_asking(asked.side, "yes", chair, keys)))
    if asked is not None and asked.about == "position":
        words = _("! The claim ends the game; it is decided later. Is this the final position, {names}?")
        return Bar("stop", words.format(names=_asking(asked.side, "yes", chair, keys)))
    if asked is not None and asked.about in ("promotion", "move"):
        return _question(asked)
    if view.may_resume:
        names = _asking(view.may_resume, "yes", chair, keys)
        return Bar("stop", _("! Clocks stopped. Wait for the arbiter, or play on: {names}").format(
            names=names))  # fmt: skip
    return Bar("stop", _("! Paused: both clocks are stopped. Please wait for the arbiter."))


def _asked(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    asked = view.question
    if asked is None or view.phase not in ("playing", "ended"):
        return None
    return _question(asked)


def _question(asked: QuestionView) -> Bar:
    """What the board, or the opponent, asks."""
    who = side_name(asked.side)
    if asked.about == "draw":
        return Bar("ask", _("= {other} offers a draw. {side}, do you accept?").format(
            other=side_name(other(asked.side)), side=who))  # fmt: skip
    if asked.about == "promotion":
        return Bar("ask", _("{side}: your pawn becomes which piece?").format(side=who))
    answers = ", ".join(option(value) for value in asked.options)
    if asked.about == "capture":
        return Bar("ask", _("{side}: to which square did you move? {answers}").format(side=who, answers=answers))
    if asked.about == "move":
        words = _("{side}: which was your move {number}? {answers}")
        return Bar("ask", words.format(side=who, number=asked.move, answers=answers))
    return Bar("ask", _("{side}: {question}? {answers}").format(side=who, question=asked.about, answers=answers))


def _missed(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    asked = view.question
    if asked is None or asked.about != "missed" or view.phase != "playing":
        return None
    words = _("{side}: what was played while the board was not connected?")
    return Bar("ask", words.format(side=side_name(asked.side)))


def _result(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if view.phase == "confirmed":
        return Bar("calm", _("{result} Confirmed by both. Please set the pieces up again.").format(
            result=result_text(view)))  # fmt: skip
    if view.phase != "ended":
        return None
    if not view.proposed:
        return Bar("ask", _("The game is over. What is the result?"))
    waiting = [side for side in SIDES if side not in view.confirmed]
    names = _(" and ").join(_asking(side, "yes", chair, keys) for side in waiting)
    said = "".join(_(" {side} says it is right.").format(side=side_name(side)) for side in view.confirmed)
    return Bar("ask", _("{result}{said} Is it right, {names}?").format(
        result=result_text(view), said=said, names=names))  # fmt: skip


def _called(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if not view.call or view.phase == "idle":
        return None
    return Bar("stop", _("! The arbiter is called ({why}). Please wait at the board.").format(why=view.call))


def _getting_ready(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if view.phase == "ready":
        return Bar("calm", _("Both are ready. Please wait for the start of the round."))
    if view.phase != "assigned":
        return None
    absent = [side for side in SIDES if side not in view.seated and side not in view.ready]
    if absent:
        names = _(" and ").join(_asking(side, "yes", chair, keys) for side in absent)
        return Bar("ask", _("Please sit down and sign in: {names}").format(names=names))
    late = [side for side in SIDES if side not in view.ready]
    names = _(" and ").join(_asking(side, "yes", chair, keys) for side in late)
    return Bar("ask", _("Check names, pieces and clocks. Ready, {names}?").format(names=names))


def _playing(view: TableView, chair: Side | None, keys: bool) -> Bar | None:
    if view.phase != "playing":
        return None
    mover = running(view.clock) or view.turn
    if view.clock and view.clock.flagged:
        return Bar("stop", _("# {side}'s flag has fallen.").format(side=side_name(view.clock.flagged)))
    # Nobody is told that he has not pressed (12.6): a move that stands on the board changes nothing here.
    if view.offer:
        return Bar("calm", _("= {side} has offered a draw").format(side=side_name(view.offer)))
    if chair is not None:
        return Bar("calm", _("> Your move") if chair == mover else _("> {side} is thinking").format(
            side=side_name(mover)))  # fmt: skip
    return Bar("calm", _("> {side} to move").format(side=side_name(mover)))


def _asking(side: Side, slot: Literal["yes"], chair: Side | None, keys: bool) -> str:
    """A side's name, and his key where one is in use."""
    if chair == side or (keys and chair is None):
        return _("{side} (key {key})").format(side=side_name(side), key=key_of(side, slot, chair is not None))
    return side_name(side)


def result_text(view: TableView) -> str:
    """`1-0 by checkmate.`"""
    if not view.proposed:
        return ""
    if not view.ended_by:
        return score_text(view.proposed) + "."
    return _("{score} by {ending}.").format(score=score_text(view.proposed), ending=ending(view.ended_by))


def header(view: TableView | None) -> str:
    """Left half of the top line: table and board, round, event."""
    if view is None:
        return _("Table")
    game = view.assignment
    if game is None:
        return _("Table {table}").format(table=view.table)
    parts = [
        _("Board {board}").format(board=game.board)
        if str(game.board) == view.table
        else _("Board {board} (table {table})").format(board=game.board, table=view.table),
        _("Round {round} of {rounds}").format(round=game.round, rounds=game.rounds)
        if game.rounds
        else _("Round {round}").format(round=game.round),
        game.event,
    ]
    return " · ".join(part for part in parts if part)


def freshness(view: TableView | None, connected: bool, age_ms: int) -> tuple[str, bool]:
    """Right half of the top line: control and contact; True if something is wrong with it."""
    if view is None:
        return (_("not connected"), True)
    if age_ms > SILENT_MS or not connected:
        return (_("! not live for {n} s").format(n=max(1, age_ms // 1000)), True)
    control = view.assignment.control if view.assignment else ""
    if view.speed != 1:
        control = " · ".join(filter(None, (control, _("speed ×{speed:g}").format(speed=view.speed))))
    waiting = view.link.waiting
    if view.link.state == "ok" and view.link.why:
        contact, wrong = _("! hub refuses this table"), True
    elif view.link.state == "ok":
        contact, wrong = _("hub ok"), False
    elif view.link.state == "lost":
        contact, wrong = _("~ no hub since {time}").format(time=hour(view.link.since)), True
    else:
        contact, wrong = _("~ hub not found yet"), True
    if wrong and waiting:
        contact += " · " + ngettext("{n} note waits", "{n} notes wait", waiting).format(n=waiting)
    return (contact if wrong else " · ".join(part for part in (control, contact) if part), wrong)


def contact(view: TableView | None, now: int) -> str:
    """One small line on what is wrong with the way to the hub, and that play goes on; "" while all is well.

    `now` is BOOTTIME ms.
    """
    if view is None or (view.link.state == "ok" and not view.link.why):
        return ""
    link = view.link
    why = f" ({link.why})" if link.why else ""
    if link.state == "ok":
        return _("! The hub does not take what this table sends{why}: play on, and call the arbiter.").format(why=why)
    if link.state == "never":
        return _("~ The hub was not found yet{why}. This table goes on looking.").format(why=why)
    if link.heard:
        silent = _("~ Hub not heard for {span}").format(span=span((now - link.heard) / 1000))
    else:
        silent = _("~ Hub not heard since {time}").format(time=hour(link.since))
    return _("{silent}{why}: play on, all is stored.").format(silent=silent, why=why)


def prompt(view: TableView, side: Side, left_ms: int, delay_ms: int) -> tuple[str, str]:
    """(sign and words under a clock, colour role) for one side."""
    clock = view.clock
    if clock and clock.flagged == side:
        return _("# flag fallen"), "alarm"
    if view.phase in ("assigned", "ready"):
        if side in view.ready:
            return _("ready"), "good"
        return (_("here"), "text") if side in view.seated else (_("not here yet"), "quiet")
    if view.phase in ("ended", "disputed", "confirmed"):
        return (_("has confirmed"), "good") if side in view.confirmed else ("", "text")
    if view.phase == "playing" and running(clock) == side:
        words = _("> to move")
        if delay_ms > 0:
            words += " · " + _("delay {n} s").format(n=-(-delay_ms // 1000))
        elif left_ms < SHORT_MS:
            words += " · " + _("! short of time")
        return words, "turn"
    if view.offer == side:
        return _("= has offered a draw"), "text"
    return "", "text"
