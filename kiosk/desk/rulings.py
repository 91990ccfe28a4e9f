"""What an arbiter rules, as values, and what the hub is asked to do for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from hallnet.views import BoardRow, CallView, CaseView
from kiosk.widgets.language import _
from kiosk.widgets.words import result_words, score_text, side_name
from rules.laws.events import Side
from rules.laws.sides import other
from rules.tournament.results import CODES

Kind = Literal["result", "rule", "continue", "resume", "close", "correct"]
MINUTE_MS = 60_000
#: The score when this side wins.
WON: Mapping[Side, str] = {"white": "1-0", "black": "0-1"}


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision about a board: a result, a claim turned down, play on, a game put right, a call closed.

    `side` gets the time of a wrong claim; it made the illegal move that is corrected. `by_what` is what ended the game,
    where the ruling only says so ("flag"). `answer` is one to a claim that is not turned down: by Guidelines III
    ("increment", "postpone"), or "upheld" where nothing follows from it. `ply` is how many half-moves stay in the
    record.
    """

    kind: Kind
    round: int
    board: int
    score: str = ""
    forfeit: bool = False
    rated: bool = True
    bonus_ms: int = 0
    side: Side | None = None
    why: str = ""
    call: str = ""
    by_what: str = ""
    answer: str = ""
    ply: int | None = None

    def intents(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """(kind, data) of the intents that carry it out, in order."""
        place: dict[str, Any] = {"round": self.round, "board": self.board}
        if self.kind in ("result", "rule"):
            d = place | {"score": self.score, "why": self.why}
            if self.forfeit:
                d["forfeit"] = True
            if not self.rated:
                d["rated"] = False
            if self.call:
                d["call"] = self.call
            if self.by_what:
                d["by_what"] = self.by_what
            return ((self.kind, d),)
        if self.answer:
            time = {"bonus_ms": self.bonus_ms} if self.side else {}
            return (("continue", place | {self.answer: True, "why": self.why, **time}),)
        if self.kind == "correct" and self.ply is not None:
            return (("correct", place | {"ply": self.ply, "resume": True, "why": self.why}),)
        if self.kind == "continue":
            return (("continue", place | {"bonus_ms": self.bonus_ms, "side": self.side or "", "why": self.why}),)
        if self.kind == "correct":
            return (("correct", place | {"offence": "illegal-move", "side": self.side, "resume": True,
                                         "why": self.why}),)  # fmt: skip
        close = {"id": self.call, "ruling": self.why or _("dealt with")}
        if self.kind == "resume":
            return (("resume", place), ("close-call", close)) if self.call else (("resume", place),)
        return (("close-call", close),)


@dataclass(frozen=True, slots=True)
class Option:
    """A ruling to choose, and its words."""

    words: str
    ruling: Ruling


def options(row: BoardRow | None, round_number: int, board: int, call: CallView | None) -> tuple[Option, ...]:
    """The rulings that fit: those that answer the call first, then results, then forfeits."""
    kind: Kind = "rule" if call is not None else "result"
    plain = Ruling(kind, round_number, board, call=call.id if call is not None else "")
    out = list(_answers(call, row, plain)) if call is not None else []
    # A draw that answers the claim, and the forfeit that answers the call, are not listed twice.
    said = {(option.ruling.score, option.ruling.forfeit) for option in out if not option.ruling.by_what}
    results = [
        *((_("result {score}").format(score=score_text(s)), s, False) for s in ("1-0", "1/2-1/2", "0-1", "0-0")),
        (_("Black did not come: 1-0 by forfeit"), "1-0", True),
        (_("White did not come: 0-1 by forfeit"), "0-1", True),
        (_("nobody came: 0-0 by forfeit"), "0-0", True),
    ]
    out += [Option(words, replace(plain, score=s, forfeit=f)) for words, s, f in results if (s, f) not in said]
    # What a table cannot report: halves by ruling, games of less than one move.
    listed = {(s, True) for _words, s, _f in results}
    rare = [(code, r) for code, r in CODES.items() if r.played and (r.score, r.rated) not in listed]
    out += [
        Option(_("result {score}").format(score=result_words(code)), replace(plain, score=r.score, rated=r.rated))
        for code, r in rare
    ]
    return tuple(out)


# -- answers to a call ------------------------------------------------------------------------------------------------


def _answers(call: CallView, row: BoardRow | None, plain: Ruling) -> Iterator[Option]:
    """What answers this call, by what it is about."""
    case = call.case or CaseView(about="draw" if call.kind == "claim" else "")
    if call.kind == "dispute":
        return
    yield from _BY_ABOUT.get(case.about, _call)(call, row, plain, case)


def _draw_claim(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    gets: Side = other("white" if call.side == "white" else "black")
    right = Option(_("claim is right: draw"), replace(plain, score="1/2-1/2"))
    wrong = [
        _more_time(plain, gets, ms) for ms in dict.fromkeys(m for m in (case.bonus_ms, 2 * MINUTE_MS, MINUTE_MS) if m)
    ]
    wrong.append(Option(_("turned down: play on, no extra time"), replace(plain, kind="continue", side=gets)))
    # What the record shows stands first: a key pressed without looking must not do the opposite.
    yield from [*wrong, right] if case.about != "draw" and not case.proven else [right, *wrong]


def _more_time(plain: Ruling, gets: Side, ms: int) -> Option:
    """A claim turned down, with time for the opponent."""
    words = _("turned down: {minutes} min to {side}, play on")
    words = words.format(minutes=f"{ms / MINUTE_MS:g}", side=side_name(gets))
    return Option(words, replace(plain, kind="continue", bonus_ms=ms, side=gets))


def _illegal(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    (offender,) = case.against
    rival = side_name(other(offender))
    if case.loses:
        words = _("illegal move upheld: {side} has lost by it").format(side=side_name(offender))
    elif case.bonus_ms:
        words = _("illegal move upheld: position back, {minutes} min to {side}").format(
            minutes=f"{case.bonus_ms / MINUTE_MS:g}", side=rival
        )
    else:
        words = _("illegal move upheld: position back, play on")
    yield Option(words, replace(plain, kind="correct", side=offender))
    yield _turned_down(call, row, plain, _("turned down: it stands, play on"))


def _flag(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    fallen: Side = case.against[0] if case.against else other("white" if call.side == "white" else "black")
    turned_down = _turned_down(call, row, plain, _("turned down: play on"))
    if not case.against:
        yield turned_down  # the clock shows no flag
    score = WON[other(fallen)]
    words = _("flag of {side} fell: result {score}").format(side=side_name(fallen), score=score_text(score))
    yield Option(words, replace(plain, score=score, by_what="flag"))
    words = _("flag of {side} fell, {rival} cannot mate: draw").format(
        side=side_name(fallen), rival=side_name(other(fallen))
    )
    yield Option(words, replace(plain, score="1/2-1/2", by_what="flag"))
    if case.against:
        yield turned_down


def _default(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    if case.against:
        score = "0-0" if len(case.against) > 1 else WON[other(case.against[0])]
        who = " + ".join(map(side_name, case.against))
        words = _("{who} did not come: {score} by forfeit").format(who=who, score=score_text(score))
        yield Option(words, replace(plain, score=score, forfeit=True))
    yield from _call(call, row, plain, case)


def _undetermined(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    score = score_text(row.score) if row is not None else ""
    yield Option(_("the result stands: {score}").format(score=score or "?"), replace(plain, kind="close"))
    words = _("the winner cannot mate: draw")
    yield Option(words, replace(plain, score="1/2-1/2", by_what=row.ended_by if row is not None else ""))


def _call(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    if row is None or row.state == "paused":
        yield Option(_("play on: clocks go on, call is closed"), replace(plain, kind="resume"))
    yield Option(_("call is dealt with, nothing changes"), replace(plain, kind="close"))


def _turned_down(call: CallView, row: BoardRow | None, plain: Ruling, words: str) -> Option:
    if call.kind == "claim":
        return Option(words, replace(plain, kind="continue"))
    paused = row is None or row.state == "paused"
    return Option(words, replace(plain, kind="resume" if paused else "close"))


def _touched(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    """A breach of touch-move (4.3): the piece must be moved, so the move goes back; or there was none."""
    back = max(0, (row.plies if row is not None else 0) - 1)
    accused: Side = case.against[0] if case.against else other("white" if call.side == "white" else "black")
    words = _("upheld: {side} takes the move back and moves the piece touched").format(side=side_name(accused))
    yield Option(words, replace(plain, kind="correct", side=None, ply=back))
    yield Option(_("upheld, with nothing to take back: play on"), replace(plain, kind="continue", answer="upheld"))
    yield Option(_("turned down: play on"), replace(plain, kind="continue"))


def _guidelines(call: CallView, row: BoardRow | None, plain: Ruling, case: CaseView) -> Iterator[Option]:
    """Guidelines III: a draw, later, an increment where that was asked for, or play on with time to the opponent.

    Where no arbiter was at hand the claim has concluded the game: a result is all that is left (III.6).
    """
    gets: Side = other("white" if call.side == "white" else "black")
    time = {"minutes": f"{case.bonus_ms / MINUTE_MS:g}", "side": side_name(gets)}
    draw = Option(_("draw: no attempt to win, or not possible by normal means"), replace(plain, score="1/2-1/2"))
    if case.concluded:
        yield draw
        return
    if case.about == "increment":
        words = _("granted: {seconds} s a move from here on, {minutes} min to {side}, play on")
        granted = replace(plain, kind="continue", answer="increment", bonus_ms=case.bonus_ms, side=gets)
        yield Option(words.format(seconds=f"{case.inc_ms / 1000:g}", **time), granted)
        yield draw
    else:
        yield draw
        later = replace(plain, kind="continue", answer="postpone", side=gets)
        yield Option(_("put off, decided at a flag: play on, no extra time"), later)
        words = _("put off, decided at a flag: {minutes} min to {side}, play on").format(**time)
        yield Option(words, replace(later, bonus_ms=case.bonus_ms))
        yield _more_time(plain, gets, case.bonus_ms)
    yield Option(_("turned down: play on, no extra time"), replace(plain, kind="continue", side=gets))


_BY_ABOUT: Mapping[str, Callable[[CallView, BoardRow | None, Ruling, CaseView], Iterator[Option]]] = {
    "draw": _draw_claim,
    "repetition": _draw_claim,
    "fifty-moves": _draw_claim,
    "illegal-move": _illegal,
    "flag": _flag,
    "default": _default,
    "undetermined": _undetermined,
    "touch-move": _touched,
    "increment": _guidelines,
    "normal-means": _guidelines,
}


_TIME = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)\Z")


class NoTime(ValueError):
    """A typed time is not understood; str() is a sentence."""


def read_time(text: str) -> int:
    """ms of `1:12:40` or `12:40`; raises `NoTime`."""
    found = _TIME.match(text.strip())
    if found is None or (found[1] and int(found[2]) > 59):
        raise NoTime(_("“{text}” is no time. Write minutes and seconds, 12:40, or 1:12:40.").format(text=text))
    ms = ((int(found[1] or 0) * 60 + int(found[2])) * 60 + int(found[3])) * 1000
    if not ms:
        raise NoTime(_("A clock cannot be set to zero; rule on the result instead."))
    return ms
