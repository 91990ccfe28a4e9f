"""What somebody at the table wants, or the board has seen: the intents that `rules.laws.game_decisions` decides."""

from __future__ import annotations

from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal, get_args

from rules.laws.ending import ClaimKind
from rules.laws.events import ClaimWhat, Score, Side


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
    """A move is certain without a press: it ends the game, or the opponent has answered it (UCI, stamp of release).

    `touched` are the squares whose pieces were touched for it, in order, as far as a board can tell.
    """

    uci: str
    made_at: int
    touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PressClock:
    """A side pressed, with the move that stands on the board for it (UCI and stamp of release; "" without one).

    `touched` as in `MakeMove`.
    """

    side: Side
    uci: str = ""
    made_at: int = 0
    touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PressIllegal:
    """A side pressed, and no legal move leads to what stands on the board (a FEN placement) since `made_at`."""

    side: Side
    placement: str
    made_at: int = 0


@dataclass(frozen=True, slots=True)
class StartByPress:
    """A player presses to start the opponent's clock, where the event lets Black's press start the game."""

    side: Side


@dataclass(frozen=True, slots=True)
class ResumePlay:
    """A player takes back the pause that he has made himself."""

    side: Side


@dataclass(frozen=True, slots=True)
class PressOnly:
    """A side pressed for a move that is recorded already, or at a table whose board cannot be read.

    `unread` says that the board is there, but what was played on it is not known.
    """

    side: Side
    unread: bool = False


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
class ClaimFlag:
    """A player claims that his opponent's flag has fallen (6.8, A.5.3)."""

    side: Side


@dataclass(frozen=True, slots=True)
class ClaimIllegal:
    """A player claims that his opponent has completed an illegal move (7.5, A.5.2).

    `touched` says that he has touched a piece to answer it, which matters in some editions.
    """

    side: Side
    touched: bool = False


@dataclass(frozen=True, slots=True)
class ClaimTouch:
    """A player claims that his opponent does not move or capture what he has touched (Article 4).

    `touched` says that he has touched a piece himself since: then his right is gone (4.8). `standing` is the move on
    the board that nobody has pressed for; `rules.laws.game_decisions.decide` fills it in.
    """

    side: Side
    touched: bool = False
    standing: MakeMove | None = None


@dataclass(frozen=True, slots=True)
class ClaimFinish:
    """The player on move, short of time in the last period without increment, asks for an increment (III.4) or claims
    a draw because his opponent cannot win by normal means or does not try to (III.5).
    """

    side: Side
    what: Literal["increment", "normal-means"]


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
class SettleMate:
    """A longer search has found whether the winner of a provisional result can mate: not at all, for the reason `proof`
    (`rules.laws.winnable.proof_in_words`), or by the moves `line`.
    """

    proof: str = ""
    line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallArbiter:
    """A player calls the arbiter, and stops both clocks with it if he says so (6.11.2)."""

    side: Side
    why: str = ""
    pause: bool = False


@dataclass(frozen=True, slots=True)
class AskPlayer:
    """The board cannot tell what `side` has done and asks him.

    `about` is "promotion" (pieces), "capture" (squares), "move": which of several moves (UCI) ply number `ply` was, or
    "missed": which of several lines (SAN) was played while the board was not connected.
    """

    side: Side
    about: str
    options: tuple[str, ...]
    ply: int = -1


@dataclass(frozen=True, slots=True)
class ShowResult:
    """The kings have stood on the squares in the centre that show `score`, for as long as people agreed upon."""

    score: Score


@dataclass(frozen=True, slots=True)
class TurnKey:
    """The arbiter's key at the table: a tap calls him; held (`long`) it stops the clocks, or lets play go on."""

    long: bool


Intent = (
    Sit | MakeReady | StartByPress | MakeMove | PressClock | PressOnly | PressIllegal | OfferDraw | AnswerQuestion
    | ClaimDraw | ClaimFlag | ClaimIllegal | ClaimTouch | ClaimFinish | Resign | ProposeResult | Confirm | Dispute
    | CallArbiter | ResumePlay | SettleMate | AskPlayer | ShowResult | TurnKey
)  # fmt: skip


def claim(
    side: Side, what: str, move: str = "", touched: bool = False
) -> ClaimDraw | ClaimFlag | ClaimIllegal | ClaimTouch | ClaimFinish:
    """The claim that `what` names, as in `rules.laws.events.Claim`. Raises ValueError for any other word."""
    match what:
        case "repetition" | "fifty-moves":
            return ClaimDraw(side, what, move, touched)
        case "flag":
            return ClaimFlag(side)
        case "illegal-move":
            return ClaimIllegal(side, touched)
        case "touch-move":
            return ClaimTouch(side, touched)
        case "increment" | "normal-means":
            return ClaimFinish(side, what)
    known = ", ".join(get_args(ClaimWhat))
    raise ValueError(_("{what} is no claim: use one of {known}").format(what=what, known=known))
