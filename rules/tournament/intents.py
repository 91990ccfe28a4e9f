"""What somebody wants to happen to a tournament, as frozen values; `rules.tournament.decisions` answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rules.pairing.state import PairingAnswer
from rules.tournament.book_intents import (
    AddBoard,
    Adjourn,
    ChangeRegulations,
    CheckIn,
    CloseCheckIn,
    CloseManual,
    CorrectEntry,
    CorrectResult,
    DrawLot,
    DrawNumbers,
    EnterLate,
    ExchangeNumbers,
    Excuse,
    ExitFide,
    Expel,
    Flag,
    Forbid,
    MakeRound,
    MoveGame,
    OpenCheckIn,
    OpenManual,
    Redo,
    Renumber,
    ReplacePairs,
    RequestBye,
    Return,
    RevokeBye,
    SetUnpaired,
    TakeOut,
    TakeOver,
    Undo,
    WithdrawSheet,
)
from rules.tournament.entries import Entry
from rules.tournament.events import BoardScore, ByeKind, Regulations, Source
from rules.tournament.levels import Warned
from rules.tournament.list_intents import CheckRatings, LoadList, PickRating, RateRound, UpdateRatings
from rules.tournament.rank_intents import OrderTied, ValueFromOutside


@dataclass(frozen=True, slots=True)
class Refusal:
    """No, and a sentence that says why and what to do.

    With a `token` the answer is only "not yet": whoever has seen the `warnings` (loudest `level`) can send the intent
    again as `Confirmed`. When two desks meet, `saw` is what the intent was based on and `now` what stands there.
    """

    why: str
    level: int = 0
    warnings: tuple[Warned, ...] = ()
    token: str = ""
    saw: str = ""
    now: str = ""


@dataclass(frozen=True, slots=True)
class Enter:
    """Regulations and entries, before round 1 is public; entries without numbers (TPN 0) are numbered."""

    entries: tuple[Entry, ...]
    regulations: Regulations


@dataclass(frozen=True, slots=True)
class Pair:
    """Make the draft of the next round from an answer computed elsewhere.

    `basis` is the `digest` of the `PairingState` the answer was computed from: if anything that matters changed since,
    the answer is refused. "" skips that test, never the legality test.
    """

    answer: PairingAnswer
    basis: str = ""


@dataclass(frozen=True, slots=True)
class DropDraft:
    """Throw the draft away."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Make the draft public; `tables` are the ids of the tables in use, in board order.

    `known_rev`: the latest revision of this round that a table has already seen (0: none), from a log that was lost.
    """

    tables: tuple[str, ...]
    known_rev: int = 0


@dataclass(frozen=True, slots=True)
class Start:
    """Start the clocks of the public round."""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """A table reports a result. `pair` (White, Black), where the table says it, must be the pair on the sheet."""

    round: int
    board: int
    score: BoardScore
    source: Source = "confirmed"
    why: str = ""
    pair: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """The arbiter sets or corrects a result; `call` is the call he answers. `forfeit`: the game was not played.

    `rated` False: the game took less than one move. `saw` is the result he saw before he began ("" = none), None if
    he does not say.
    """

    round: int
    board: int
    score: BoardScore
    why: str = ""
    call: str = ""
    forfeit: bool = False
    rated: bool = True
    saw: str | None = None


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A table needs the arbiter; `id`, `kind` and `side` as in `CallOpened`."""

    id: str
    round: int
    board: int
    kind: str
    side: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class CloseCall:
    """The arbiter dealt with a call without setting a result."""

    id: str
    ruling: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """A player leaves the event; not paired from the next unpublished round on (S-22). `saw`: how he stood."""

    tpn: int
    why: str = ""
    saw: str = ""


@dataclass(frozen=True, slots=True)
class GrantBye:
    """A bye for a round that is not public, as it stands in a list; `RequestBye` asks the regulations first."""

    tpn: int
    round: int
    kind: ByeKind


@dataclass(frozen=True, slots=True)
class Seal:
    """The round is complete and the tables' logs are here."""

    round: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The event is over."""


@dataclass(frozen=True, slots=True)
class Enrol:
    """A device wants to speak for a table; `replace` is the arbiter's word that it takes over from another one."""

    table: str
    instance: str
    why: str = "enrolled"
    replace: bool = False


@dataclass(frozen=True, slots=True)
class OpenHub:
    """A hub process begins to serve the log on the machine's boot `boot`."""

    boot: str


@dataclass(frozen=True, slots=True)
class Order:
    """An order to a table; the caller chooses an `id` that is new in this event."""

    id: str
    table: str
    game: str
    kind: str
    data: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConfirmOrder:
    """A table carried out an order, or could not."""

    id: str
    ok: bool = True
    why: str = ""


Intent = (
    Enter
    | Pair
    | DropDraft
    | Publish
    | Start
    | RecordResult
    | Rule
    | OpenCall
    | CloseCall
    | Withdraw
    | GrantBye
    | Seal
    | Finish
    | Enrol
    | OpenHub
    | Order
    | ConfirmOrder
    | ChangeRegulations
    | EnterLate
    | CorrectEntry
    | Renumber
    | ExchangeNumbers
    | Return
    | Expel
    | Flag
    | RequestBye
    | RevokeBye
    | OpenCheckIn
    | CheckIn
    | CloseCheckIn
    | Forbid
    | DrawLot
    | OpenManual
    | MakeRound
    | CloseManual
    | WithdrawSheet
    | AddBoard
    | SetUnpaired
    | CorrectResult
    | Adjourn
    | ExitFide
    | Undo
    | Redo
    | TakeOver
    | DrawNumbers
    | TakeOut
    | ReplacePairs
    | MoveGame
    | Excuse
    | LoadList
    | CheckRatings
    | UpdateRatings
    | PickRating
    | RateRound
    | OrderTied
    | ValueFromOutside
)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An intent of somebody who has seen what speaks against it: `seen` is the refusal's token."""

    intent: Intent
    seen: str
