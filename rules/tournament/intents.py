"""What somebody wants to happen to a tournament, as frozen values; `rules.tournament.decisions` answers them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rules.laws.events import Score
from rules.pairing.state import PairingAnswer
from rules.tournament.entries import Entry
from rules.tournament.events import ByeKind, Regulations, Source


@dataclass(frozen=True, slots=True)
class Refusal:
    """No, and a sentence that says why and what to do."""

    why: str


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
    """Make the draft public; `tables` are the ids of the tables in use, in board order."""

    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """Start the clocks of the public round."""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """A table reports a result. `pair` (White, Black), where the table says it, must be the pair on the sheet."""

    round: int
    board: int
    score: Score
    source: Source = "confirmed"
    why: str = ""
    pair: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """The arbiter sets or corrects a result; `call` is the call he answers. `forfeit`: the game was not played."""

    round: int
    board: int
    score: Score
    why: str = ""
    call: str = ""
    forfeit: bool = False


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
    """A player leaves the event; not paired from the next unpublished round on (S-22)."""

    tpn: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class GrantBye:
    """A requested bye for a round that is not public."""

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
    Enter | Pair | DropDraft | Publish | Start | RecordResult | Rule | OpenCall | CloseCall | Withdraw | GrantBye
    | Seal | Finish | Enrol | OpenHub | Order | ConfirmOrder
)  # fmt: skip
