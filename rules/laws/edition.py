"""Editions of the Laws as tables: penalties, windows for claims, complaints about the set-up, ladders, flags.

A new edition is a new row of `EDITIONS`; a number of the Laws stands nowhere else. An assignment names its edition, and
the event's regulations may set single numbers with it:

    ""                                      fide2023, in a normal hall
    fide2023-supervised                     one arbiter sees every game (A.4, B.2), for the whole event (A.6, B.4)
    club1997                                five-minute chess by the text of 1997 with its commentary
    fide2023-supervised illegal_bonus_ms=60000 default_ms=1800000
    fide2023 draw_moves=30                  no draw by agreement before both have made thirty moves (9.1.1)
    fide2023 finish=guidelines-iii          the last period of a game without increment
    fide2023 finish=guidelines-iii-alone    the same where no arbiter is at hand while games are played (III.6)

Sources: Laws of Chess 2023 (articles in brackets), Laws of Chess 1997 Appendices B and C.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from gettext import gettext as _
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from rules.laws.ending import AUTOMATIC
from rules.laws.events import EndedBy
from rules.laws.periods import TimeClass

#: Kinds of illegal moves (7.5.1 to 7.5.4). All share one count; a move that is two of them counts once.
Offence = Literal["not-a-move", "king-in-check", "king-captured", "pawn-on-last-rank", "no-move", "two-hands"]
ARTICLES: Mapping[str, str] = {
    "not-a-move": "7.5.1",
    "king-in-check": "7.5.1",
    "king-captured": "7.5.1",
    "pawn-on-last-rank": "7.5.2",
    "no-move": "7.5.3",
    "two-hands": "7.5.4",
}

#: Until when an illegal move may be claimed: all game long, until the claimant has made his next move, or until he
#: has touched a piece for it.
Window = Literal["game", "next-move", "touch"]
#: What may have been wrong from the start.
SetupError = Literal["position", "board-turned", "colours", "clock"]
#: What follows: a new game, the position moved to a right board, settings put right, or nothing.
Remedy = Literal["new-game", "transfer", "correct", "play-on"]
#: A step of a ladder of penalties (12.9).
Action = Literal["warning", "time", "loss"]
FlagCaller = Literal["table", "arbiter", "opponent"]


@dataclass(frozen=True, slots=True)
class SetupRule:
    """What an error of the set-up leads to before both sides have completed `moves` moves, and from then on."""

    before: Remedy
    moves: float = math.inf
    after: Remedy = "play-on"


@dataclass(frozen=True, slots=True)
class Penalty:
    """One step of a ladder: what happens, and for "time" how many ms the opponent gets."""

    action: Action
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Finish:
    """The last period of a game without increment (Guidelines III), where it was announced. Times in ms.

    below_ms: with less than this left the player on move may ask for an increment or claim a draw.
    bonus_ms: what his opponent gets when it is granted, put off or turned down. increment_ms: the increment.
    arbiter: whether one decides at the board. Without one a claim concludes the game, the opponent verifies the
        position, and a designated arbiter decides later (III.6); an increment cannot be asked for.
    """

    below_ms: int
    bonus_ms: int
    increment_ms: int
    arbiter: bool = True


@dataclass(frozen=True, slots=True)
class Edition:
    """The rules of one kind of game. Times in ms.

    illegal_bonus_ms, illegal_loses: what the opponent gets for an illegal move, and the how-manieth one loses (7.5.5).
    illegal_window: how long one may be claimed, and corrected.
    illegal_stops: kinds for which the table stops the clocks at once. A board that has not seen a move looks like a
        press without one, and without a king there is no game: a person must look, in every edition.
    illegal_told: whom the table tells of another illegal move: nobody, the arbiter, or the players too.
    unpromoted: what a pawn left on the last rank leads to: it counts as an illegal move and becomes a queen (7.5.2), or
        the player goes on with his move and chooses a piece.
    illegal_draw: an illegal position that is still there after the next move is a draw (A.5.4).
    draw_moves: how many moves each side must have made before a draw may be agreed (5.2.3, 9.1.1); with more than one
        it may not be offered before either.
    finish: Guidelines III, for the last period of a game without increment; None where they were not announced.
    draw_claims, claim_bonus_ms: whether repetition and fifty moves can be claimed (9.2, 9.3), and what a wrong claim
        gives the opponent (9.5.3).
    automatic: what ends a game without anybody's word besides mate and stalemate.
    flag_called_by: who may bring a flag fall into the game. Where the table may not, it only keeps the instants.
    flag_test: who can win on time: whoever can mate by any legal moves (6.9), or has the material for it (1997 C4).
    setup: the complaints about the set-up, by error.
    ladder: the penalties for other offences by one player, in order; empty where the arbiter chooses (12.9).
    start_by: whether White's clock starts by the arbiter's order or also by Black's press.
    default_ms: the lateness that loses (6.7); None where the table has not been told.
    """

    name: str
    illegal_bonus_ms: int
    illegal_loses: int
    illegal_window: Window
    illegal_stops: frozenset[str]
    illegal_told: Literal["nobody", "arbiter", "all"]
    unpromoted: Literal["queen", "choice"]
    illegal_draw: bool
    draw_claims: bool
    claim_bonus_ms: int
    automatic: frozenset[EndedBy]
    flag_called_by: frozenset[FlagCaller]
    flag_test: Literal["any-moves", "material"]
    setup: Mapping[SetupError, SetupRule]
    ladder: tuple[Penalty, ...] = ()
    start_by: Literal["arbiter", "press"] = "arbiter"
    default_ms: int | None = None
    draw_moves: int = 1
    finish: Finish | None = None


class EditionError(ValueError):
    """An edition that is not known, or a setting that it does not have; str() is a sentence with the remedy."""


MINUTE_MS = 60_000
EVERY_OFFENCE: frozenset[str] = frozenset(get_args(Offence))
ALWAYS_STOP: frozenset[str] = frozenset({"no-move", "king-captured"})
#: Complaints in the hall of A.5 and B.3 end when both have completed so many moves (A.5.1); the same for colours (7.3).
TEN_MOVES, THREE_MOVES = 10, 3
GUIDELINES_III = Finish(below_ms=2 * MINUTE_MS, bonus_ms=2 * MINUTE_MS, increment_ms=5_000)

_STANDARD = Edition(
    name="fide2023 standard",
    illegal_bonus_ms=2 * MINUTE_MS,
    illegal_loses=2,
    illegal_window="game",
    illegal_stops=EVERY_OFFENCE,
    illegal_told="all",
    unpromoted="queen",
    illegal_draw=False,
    draw_claims=True,
    claim_bonus_ms=2 * MINUTE_MS,
    automatic=AUTOMATIC,
    flag_called_by=frozenset({"table", "arbiter", "opponent"}),
    flag_test="any-moves",
    setup=MappingProxyType(
        {
            "position": SetupRule("new-game"),
            "board-turned": SetupRule("transfer"),
            "colours": SetupRule("new-game", TEN_MOVES),
            "clock": SetupRule("correct"),
        }
    ),
)
#: A.4: the Competitive Rules, with the penalty of A.3.
_RAPID_SUPERVISED = replace(
    _STANDARD, name="fide2023 rapid, supervised", illegal_bonus_ms=MINUTE_MS, claim_bonus_ms=MINUTE_MS
)
#: B.2 applies the Competitive Rules and only B.3 imports A.3: two minutes by the letter. An event may set 60000.
_BLITZ_SUPERVISED = replace(_STANDARD, name="fide2023 blitz, supervised")
_RAPID = replace(
    _RAPID_SUPERVISED,
    name="fide2023 rapid",
    illegal_window="next-move",
    illegal_stops=ALWAYS_STOP,
    illegal_told="arbiter",
    illegal_draw=True,
    setup=MappingProxyType(
        {
            "position": SetupRule("new-game", TEN_MOVES),
            "board-turned": SetupRule("transfer", TEN_MOVES),
            "colours": SetupRule("new-game", TEN_MOVES),
            "clock": SetupRule("correct", TEN_MOVES),
        }
    ),
)
_BLITZ = replace(_RAPID, name="fide2023 blitz")
_CLUB = Edition(
    name="club1997",
    illegal_bonus_ms=0,
    illegal_loses=1,
    illegal_window="touch",
    illegal_stops=ALWAYS_STOP,
    illegal_told="nobody",
    unpromoted="choice",
    illegal_draw=False,
    draw_claims=False,
    claim_bonus_ms=0,
    automatic=frozenset(),
    flag_called_by=frozenset({"opponent"}),
    flag_test="material",
    setup=MappingProxyType(
        {
            "position": SetupRule("new-game", THREE_MOVES),
            "board-turned": SetupRule("transfer", THREE_MOVES),
            "colours": SetupRule("play-on"),
            "clock": SetupRule("correct", THREE_MOVES),
        }
    ),
    ladder=(Penalty("warning"), Penalty("time", MINUTE_MS), Penalty("loss")),
)

#: Name and time class → edition.
EDITIONS: Mapping[str, Mapping[TimeClass, Edition]] = MappingProxyType(
    {
        "fide2023": {"standard": _STANDARD, "rapid": _RAPID, "blitz": _BLITZ},
        "fide2023-supervised": {"standard": _STANDARD, "rapid": _RAPID_SUPERVISED, "blitz": _BLITZ_SUPERVISED},
        "club1997": dict.fromkeys(get_args(TimeClass), _CLUB),
    }
)
DEFAULT = "fide2023"

#: What regulations may set, and what it may be: a number of ms or of moves, or one of some words with its value.
_SETTINGS: Mapping[str, Mapping[str, object] | None] = {
    "illegal_bonus_ms": None,
    "illegal_loses": None,
    "claim_bonus_ms": None,
    "default_ms": None,
    "draw_moves": None,
    "illegal_told": {word: word for word in ("nobody", "arbiter", "all")},
    "start_by": {word: word for word in ("arbiter", "press")},
    "finish": {
        "none": None,
        "guidelines-iii": GUIDELINES_III,
        "guidelines-iii-alone": replace(GUIDELINES_III, arbiter=False),
    },
}
assert set(_SETTINGS) <= {each.name for each in fields(Edition)}


def edition_of(text: str, time_class: TimeClass) -> Edition:
    """The edition that `text` names (see the head of this module) for a game of this class.

    Raises EditionError for a name or a setting that is not known.
    """
    name, *settings = text.split() or [DEFAULT]
    table = EDITIONS.get(name)
    if table is None:
        raise EditionError(
            _("the edition {name} of the Laws is not known: use one of {known}").format(
                name=name, known=", ".join(EDITIONS)
            )
        )
    found: dict[str, Any] = dict(_setting(setting) for setting in settings)
    if found.get("finish") and time_class == "blitz":
        raise EditionError(_("Guidelines III are not for blitz (III.2.2): take finish out"))
    return replace(table[time_class], **found) if found else table[time_class]


def _setting(text: str) -> tuple[str, object]:
    key, _equals, value = text.partition("=")
    words = _SETTINGS.get(key, {})
    if words is None and value.isdecimal():
        return key, int(value)
    if words and value in words:
        return key, words[value]
    number = _("number")
    known = ", ".join(f"{key}={'|'.join(words) if words else number}" for key, words in _SETTINGS.items())
    raise EditionError(
        _("{setting} is no setting of an edition of the Laws: use {known}").format(setting=text, known=known)
    )


def setup_remedy(edition: Edition, error: SetupError, completed: int) -> Remedy:
    """What a complaint about the set-up leads to once each side has completed `completed` moves (7.2, 7.3, A.5.1)."""
    rule = edition.setup[error]
    return rule.before if completed < rule.moves else rule.after


_T = TypeVar("_T")


def nth(steps: tuple[_T, ...], count: int) -> _T | None:
    """The step of a ladder for the `count`-th offence (from 1); the last one stays; None without a ladder."""
    return steps[min(count, len(steps)) - 1] if steps else None
