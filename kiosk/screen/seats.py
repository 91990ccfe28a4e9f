"""What a player may do at his side just now, with which key, and in which steps. Pure: view in, choices out.

Each side has six keys of its own at its end of the keyboard. Everything official takes two steps: the first opens a
menu beside the player's own name, the second is a different key. A person in a chair of a simulated table types moves
with the letters, so he gets function keys instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hallnet.views import TableView
from kiosk.widgets.language import _
from kiosk.widgets.words import option, score_text
from rules.laws.events import Side

Slot = Literal["yes", "no", "offer", "claim", "resign", "call"]
SLOTS: tuple[Slot, ...] = ("yes", "no", "offer", "claim", "resign", "call")
#: Keys by side, in the order of `SLOTS`: two columns at the left end and two at the right end of the keyboard.
SIDE_KEYS: Mapping[Side, str] = {"white": "qawszx", "black": "plokmn"}
#: Keys of a person in a chair, in the order of `SLOTS`.
CHAIR_KEYS = ("f2", "f3", "f4", "f5", "f6", "f7")


@dataclass(frozen=True, slots=True)
class Act:
    """An intent for the table: its kind and data (the side is added)."""

    kind: str
    d: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Menu:
    """The second step: a question to the player and his answers."""

    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One key of a side: what it is called, and what it does: an act, a menu, or (neither) back."""

    slot: Slot
    label: str
    act: Act | None = None
    menu: Menu | None = None


def key_of(side: Side, slot: Slot, chair: bool) -> str:
    """The key's name as written on it."""
    at = SLOTS.index(slot)
    return CHAIR_KEYS[at].upper() if chair else SIDE_KEYS[side][at]


def slot_of(key: str, side: Side, chair: bool) -> Slot | None:
    """Which of the side's keys `key` is."""
    keys: tuple[str, ...] = CHAIR_KEYS if chair else tuple(SIDE_KEYS[side])
    return SLOTS[keys.index(key)] if key in keys else None


def choices(view: TableView, side: Side, move: str = "") -> tuple[Choice, ...]:
    """What `side` may do now; `move` is an announced move (UCI) that a claim should carry."""
    return _BY_PHASE[view.phase](view, side, move)


def question(view: TableView, side: Side) -> bool:
    """Whether something is asked of `side` that only he can answer."""
    return any(choice.slot == "yes" for choice in choices(view, side))


def _nothing(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    return ()


def _before(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    if side not in view.seated and side not in view.ready:
        return (Choice("yes", _("I am here"), Act("sit")), *_call(view))
    if side not in view.ready:
        return (Choice("yes", _("ready"), Act("ready")), *_call(view))
    return _call(view)


def _playing(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    answers = _answers(view, side)
    if answers:
        rest = ("resign", "call") if len(answers) <= 4 else ()
        return answers + tuple(c for c in _usual(view, move) if c.slot in rest)
    return _usual(view, move)


def _answers(view: TableView, side: Side) -> tuple[Choice, ...]:
    """The answers to what is asked of `side`."""
    asked = view.question
    if asked is None or asked.side != side:
        return ()
    return tuple(
        Choice(slot, option(value), Act("answer", {"id": asked.id, "value": value}))
        for slot, value in zip(SLOTS, asked.options or ("yes", "no"), strict=False)
    )


def _usual(view: TableView, move: str) -> tuple[Choice, ...]:
    offer = Menu(_("Offer a draw?"), (Choice("yes", _("offer"), Act("offer")), Choice("no", _("back"))))
    resign = Menu(_("Resign the game?"), (Choice("yes", _("resign"), Act("resign")), Choice("no", _("play on"))))
    known: tuple[tuple[Slot, str, str, str], ...] = (
        ("yes", _("repetition"), "repetition", move),
        ("no", _("50 moves"), "fifty-moves", move),
        ("offer", _("flag"), "flag", ""),
        ("claim", _("illegal move"), "illegal-move", ""),
    )
    claimed = tuple(
        Choice(slot, label, Act("claim", {"what": what, "move": announced}))
        for slot, label, what, announced in known
        if what in view.claims
    )
    claims = Menu(_("Claim what?"), (*claimed, *_more_claims(view), Choice("call", _("back"))))
    draw = () if view.offer else (Choice("offer", _("draw"), menu=offer),)
    return (
        *draw,
        Choice("claim", _("claim"), menu=claims),
        Choice("resign", _("resign"), menu=resign),
        *_call(view, may_stop=True),
    )


def _more_claims(view: TableView) -> tuple[Choice, ...]:
    """Touch-move, and in a last period without increment what Guidelines III give; with those, a menu of their own."""
    known: tuple[tuple[Slot, str, str], ...] = (
        ("resign", _("touch-move"), "touch-move"),
        ("offer", _("5 s a move"), "increment"),
        ("claim", _("no try to win"), "normal-means"),
    )
    more = tuple(
        Choice(slot, label, Act("claim", {"what": what})) for slot, label, what in known if what in view.claims
    )
    if len(more) <= 1:
        return more
    return (Choice("resign", _("other"), menu=Menu(_("Claim what?"), (*more, Choice("call", _("back"))))),)


def _ended(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    """What his pawn has become he says before he confirms: the record is not whole without it."""
    answers = _answers(view, side)
    if answers:
        return answers + _call(view)
    if side in view.confirmed:
        return _call(view)
    if not view.proposed:
        says = _scores(_("Which result?"), lambda score: Act("propose", {"score": score}))
        return (Choice("yes", _("result"), menu=says), *_call(view))
    wrong = _scores(_("Not right. What is?"), lambda score: Act("dispute", {"says": score}), but=view.proposed)
    return (
        Choice("yes", _("right"), Act("confirm", {"score": view.proposed})),
        Choice("no", _("wrong"), menu=wrong),
        *_call(view),
    )


def _scores(title: str, act: Callable[[str], Act], but: str = "") -> Menu:
    # None of these keys says "right" once the menu has closed by itself: a late press confirms nothing.
    slots: tuple[Slot, ...] = ("offer", "claim", "resign")
    scores = [score for score in ("1-0", "1/2-1/2", "0-1") if score != but]
    answers = [Choice(slot, score_text(s), act(s)) for slot, s in zip(slots, scores, strict=False)]
    if but:
        answers.append(Choice("resign", _("ask arbiter"), act("")))
    return Menu(title, (*answers, Choice("call", _("back"))))


def _call(view: TableView, may_stop: bool = False) -> tuple[Choice, ...]:
    """Call the arbiter; a player may stop both clocks for it while the game is played (6.11.2)."""
    if view.call:
        return ()
    stop = (Choice("offer", _("stop clocks"), Act("call", {"why": "", "pause": True})),) if may_stop else ()
    menu = Menu(
        _("Call the arbiter?"),
        (Choice("yes", _("call"), Act("call", {"why": ""})), *stop, Choice("no", _("back"))),
    )
    return (Choice("call", _("call"), menu=menu),)


def _paused(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    """Who has stopped the clocks himself may let play go on. What a claim asks of the opponent he can answer: it is a
    draw offer too (9.1.2.3), or the final position to be verified (Guidelines III.6). Moves are made when play goes on.
    """
    makes_moves = view.question is not None and view.question.about in ("capture", "missed")
    answers = () if makes_moves else _answers(view, side)
    if answers:
        return answers + tuple(c for c in _call(view) if len(answers) <= 4)
    go_on = (Choice("yes", _("play on"), Act("resume")),) if view.may_resume == side else ()
    return (*go_on, *_call(view))


def _only_call(view: TableView, side: Side, move: str) -> tuple[Choice, ...]:
    return _call(view)


_BY_PHASE: Mapping[str, Callable[[TableView, Side, str], tuple[Choice, ...]]] = {
    "idle": _nothing,
    "assigned": _before,
    "ready": _only_call,
    "playing": _playing,
    "paused": _paused,
    "ended": _ended,
    "confirmed": _nothing,
    "disputed": _only_call,
}
