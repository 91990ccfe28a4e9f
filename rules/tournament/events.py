"""Everything that can happen to a tournament, as frozen values: the hub's own log.

State is a fold over these events (`rules.tournament.state`); `rules.tournament.decisions` turns an intent into events
or a refusal. `at` is wall time in ms since 1970, for the record only and never for order. Scores are those of
`rules.tournament.results`. Kinds and fields are only ever added, each field with the value it had before it was there:
old logs are read for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rules.tournament.book_events import (
    Adjourned,
    BoardAdded,
    ByeRevoked,
    CheckedIn,
    CheckInClosed,
    CheckInOpened,
    ColoursSwapped,
    EntryCorrected,
    EntryTakenOut,
    Excused,
    Expelled,
    FideExited,
    Flagged,
    GameMoved,
    GroupFixed,
    IntegrityNoted,
    LateEntered,
    LotDrawn,
    ManualClosed,
    ManualOpened,
    PairsForbidden,
    PairsReplaced,
    Redone,
    RegulationsChanged,
    Renumbered,
    ReportCorrected,
    ResultCleared,
    Returned,
    SheetWithdrawn,
    Undone,
    UnpairedSet,
)
from rules.tournament.book_events import ByeKind as ByeKind
from rules.tournament.book_events import Pair as Pair
from rules.tournament.entries import Entry
from rules.tournament.list_events import ListLoaded, RatingsChecked, RoundRated
from rules.tournament.rank_events import OutsideValued, TiedOrdered
from rules.tournament.regulations import Regulations as Regulations
from rules.tournament.results import BoardScore as BoardScore

#: How a game's result is marked: played, won and lost by forfeit, both absent.
Source = Literal["confirmed", "ruling", "forfeit"]


@dataclass(frozen=True, slots=True)
class Created:
    """The event exists, with its regulations."""

    at: int
    regulations: Regulations


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries, numbered (before round 1)."""

    at: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A player is not paired any more, from the next unpublished round on."""

    at: int
    tpn: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class ByeGranted:
    """A requested bye for a round that is not paired yet."""

    at: int
    tpn: int
    round: int
    kind: ByeKind
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Paired:
    """A draft of a round: boards in order, the PAB (None = nobody), other byes, the reasons in words."""

    at: int
    round: int
    pairs: tuple[Pair, ...]
    bye: int | None
    byes: Mapping[str, ByeKind]
    reasons: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class DraftDropped:
    """The draft of a round was thrown away before it was public."""

    at: int
    round: int
    by: str


@dataclass(frozen=True, slots=True)
class Published:
    """A round is public: revision and checksum of the sheet; which table plays which board (board → table id)."""

    at: int
    round: int
    rev: int
    checksum: str
    tables: Mapping[str, str]
    by: str


@dataclass(frozen=True, slots=True)
class Started:
    """The arbiter started the round's clocks."""

    at: int
    round: int
    by: str


@dataclass(frozen=True, slots=True)
class Resulted:
    """The result of one board became official; a later one for the same board corrects it (`why` then says so).

    `rated` is False for a game of less than one move, which does not go to rating.
    """

    at: int
    round: int
    board: int
    score: BoardScore
    source: Source
    by: str
    why: str = ""
    rated: bool = True


@dataclass(frozen=True, slots=True)
class CallOpened:
    """A table needs the arbiter: `kind` "call", "claim", "dispute", "unexplained", "resume" …; `why` in words."""

    at: int
    id: str
    round: int
    board: int
    kind: str
    side: str
    why: str


@dataclass(frozen=True, slots=True)
class CallClosed:
    """The arbiter dealt with a call: what he ruled."""

    at: int
    id: str
    ruling: str
    by: str


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order to a table (`kind` and `data` as in `hallnet.wire.Order`), confirmed by the table's event."""

    at: int
    id: str
    table: str
    game: str
    kind: str
    data: Mapping[str, str | int]
    by: str


@dataclass(frozen=True, slots=True)
class OrderConfirmed:
    """A table carried out an order, or could not (`ok` False and a sentence)."""

    at: int
    id: str
    ok: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class RoundSealed:
    """All results of a round are in and its tables' logs are complete up to here."""

    at: int
    round: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The event is over; the standings are final."""

    at: int
    by: str


@dataclass(frozen=True, slots=True)
class DeviceEnrolled:
    """A device speaks for a table from `epoch` on; `instance` is the random name of its outbox."""

    at: int
    table: str
    epoch: int
    instance: str
    why: str


@dataclass(frozen=True, slots=True)
class HubOpened:
    """A hub process began to serve this log: its incarnation number, one higher each time."""

    at: int
    incarnation: int
    boot: str


TournamentEvent = (
    Created | Entered | Withdrawn | ByeGranted | Paired | DraftDropped | Published | Started | Resulted | CallOpened
    | CallClosed | Ordered | OrderConfirmed | RoundSealed | Finished | DeviceEnrolled | HubOpened | RegulationsChanged
    | LateEntered | EntryTakenOut | EntryCorrected | Renumbered | Returned | Expelled | Flagged | ByeRevoked
    | CheckInOpened | CheckedIn | CheckInClosed | PairsForbidden | LotDrawn | ManualOpened | ManualClosed | GroupFixed
    | SheetWithdrawn | BoardAdded | UnpairedSet | ColoursSwapped | ResultCleared | Adjourned | ReportCorrected
    | FideExited | IntegrityNoted | Undone | Redone | PairsReplaced | Excused | ListLoaded | RatingsChecked | RoundRated
    | TiedOrdered | OutsideValued | GameMoved
)  # fmt: skip

#: Log kind → class.
KINDS: Mapping[str, type[TournamentEvent]] = {
    "created": Created,
    "entered": Entered,
    "withdrawn": Withdrawn,
    "bye-granted": ByeGranted,
    "paired": Paired,
    "draft-dropped": DraftDropped,
    "published": Published,
    "started": Started,
    "resulted": Resulted,
    "call-opened": CallOpened,
    "call-closed": CallClosed,
    "ordered": Ordered,
    "order-confirmed": OrderConfirmed,
    "round-sealed": RoundSealed,
    "finished": Finished,
    "device-enrolled": DeviceEnrolled,
    "hub-opened": HubOpened,
    "regulations-changed": RegulationsChanged,
    "late-entered": LateEntered,
    "entry-taken-out": EntryTakenOut,
    "entry-corrected": EntryCorrected,
    "renumbered": Renumbered,
    "returned": Returned,
    "expelled": Expelled,
    "flagged": Flagged,
    "bye-revoked": ByeRevoked,
    "check-in-opened": CheckInOpened,
    "checked-in": CheckedIn,
    "check-in-closed": CheckInClosed,
    "pairs-forbidden": PairsForbidden,
    "lot-drawn": LotDrawn,
    "manual-opened": ManualOpened,
    "manual-closed": ManualClosed,
    "group-fixed": GroupFixed,
    "sheet-withdrawn": SheetWithdrawn,
    "board-added": BoardAdded,
    "unpaired-set": UnpairedSet,
    "colours-swapped": ColoursSwapped,
    "result-cleared": ResultCleared,
    "adjourned": Adjourned,
    "report-corrected": ReportCorrected,
    "fide-exited": FideExited,
    "integrity-noted": IntegrityNoted,
    "undone": Undone,
    "redone": Redone,
    "pairs-replaced": PairsReplaced,
    "excused": Excused,
    "list-loaded": ListLoaded,
    "ratings-checked": RatingsChecked,
    "round-rated": RoundRated,
    "tied-ordered": TiedOrdered,
    "outside-valued": OutsideValued,
    "game-moved": GameMoved,
}
#: Class → log kind.
KIND_OF: Mapping[type[TournamentEvent], str] = {cls: kind for kind, cls in KINDS.items()}
