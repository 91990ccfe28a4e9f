"""What an arbiter rules, as values, and what the hub is asked to do for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from hallnet.views import BoardRow, CallView
from kiosk.widgets.language import _
from kiosk.widgets.words import score_text, side_name
from rules.laws.events import Side
from rules.laws.sides import other


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision about a board: a result, a claim turned down, play on, or only a call dealt with."""

    kind: Literal["result", "rule", "continue", "resume", "close"]
    round: int
    board: int
    score: str = ""
    forfeit: bool = False
    bonus_ms: int = 0
    side: Side | None = None
    why: str = ""
    call: str = ""

    def intents(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        """(kind, data) of the intents that carry it out, in order."""
        place: dict[str, Any] = {"round": self.round, "board": self.board}
        if self.kind in ("result", "rule"):
            d = place | {"score": self.score, "why": self.why}
            if self.forfeit:
                d["forfeit"] = True
            if self.call:
                d["call"] = self.call
            return ((self.kind, d),)
        if self.kind == "continue":
            return (("continue", place | {"bonus_ms": self.bonus_ms, "side": self.side or "", "why": self.why}),)
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
    kind: Literal["rule", "result"] = "rule" if call is not None else "result"
    call_id = call.id if call is not None else ""
    out: list[Option] = []

    def add(words: str, what: Literal["result", "rule", "continue", "resume", "close"], **d: Any) -> None:
        out.append(Option(words, Ruling(what, round_number, board, call=call_id, **d)))

    if call is not None and call.kind == "claim":
        gets: Side = other("white" if call.side == "white" else "black")
        add(_("claim is right: draw"), "rule", score="1/2-1/2")
        for minutes in (2, 1):
            words = _("turned down: {minutes} min to {side}, play on").format(minutes=minutes, side=side_name(gets))
            add(words, "continue", bonus_ms=minutes * 60_000, side=gets)
        add(_("turned down: play on, no extra time"), "continue", side=gets)
    elif call is not None and call.kind != "dispute":
        if row is None or row.state == "paused":
            add(_("play on: clocks go on, call is closed"), "resume")
        add(_("call is dealt with, nothing changes"), "close")
    for score in ("1-0", "1/2-1/2", "0-1", "0-0"):
        if call is not None and call.kind == "claim" and score == "1/2-1/2":
            continue
        add(_("result {score}").format(score=score_text(score)), kind, score=score)
    add(_("Black did not come: 1-0 by forfeit"), kind, score="1-0", forfeit=True)
    add(_("White did not come: 0-1 by forfeit"), kind, score="0-1", forfeit=True)
    add(_("nobody came: 0-0 by forfeit"), kind, score="0-0", forfeit=True)
    return tuple(out)


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
