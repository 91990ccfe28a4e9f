"""What somebody at the table wants, or the board has seen: the intents that `rules.laws.game_decisions` decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.laws.ending import ClaimKind
from rules.laws.events import Score, Side


@dataclass(frozen=True, slots=True)
class Sit:
    """A player signs in at his side."""

    side: Side


@dataclass(frozen=True, slots=True)
class MakeReady:
    """A player is ready to start; he is signed in with it if he was not."""

    side: Side


@dataclass(frozen=True, slots=True)
class MakeMove:
    """A move is certain without a press: it ends the game, or the opponent has answered it (UCI, stamp of release)."""

    uci: str
    made_at: int


@dataclass(frozen=True, slots=True)
class PressClock:
    """A side pressed, with the move that stands on the board for it (UCI and stamp of release; "" without one)."""

    side: Side
    uci: str = ""
    made_at: int = 0


@dataclass(frozen=True, slots=True)
class PressOnly:
    """A side pressed for a move that is recorded already, or at a table whose board cannot be read."""

    side: Side


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """A draw offer (Laws 9.1)."""

    side: Side


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """The answer of a side to the question `id`."""

    side: Side
    id: str
    value: str


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    """A draw claim of the player on move (9.2, 9.3), with the one move he announces, or on the position ("").

    `touched` says that he has touched a piece for this move: then he may not claim (9.4).
    """

    side: Side
    what: ClaimKind
    move: str = ""
    touched: bool = False


@dataclass(frozen=True, slots=True)
class Resign:
    """A player resigns (5.1.2)."""

    side: Side


@dataclass(frozen=True, slots=True)
class ProposeResult:
    """A player proposes a result while the game is not over for the table; both must confirm it."""

    side: Side
    score: Score


@dataclass(frozen=True, slots=True)
class Confirm:
    """A player confirms the proposed result."""

    side: Side
    score: Score


@dataclass(frozen=True, slots=True)
class Dispute:
    """A player disputes the proposed result and says another, or none ("")."""

    side: Side
    says: Score | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class CallArbiter:
    """A player calls the arbiter, and stops both clocks with it if he says so (6.11.2)."""

    side: Side
    why: str = ""
    pause: bool = False


Intent = (
    Sit | MakeReady | MakeMove | PressClock | PressOnly | OfferDraw | AnswerQuestion | ClaimDraw | Resign
    | ProposeResult | Confirm | Dispute | CallArbiter
)  # fmt: skip
