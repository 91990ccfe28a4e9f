"""What an arbiter's book adds to the events of a tournament: entries, rounds and results as they really go.

Part of `rules.tournament.events`, which holds the kinds and is what everybody imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rules.tournament.entries import Entry
from rules.tournament.regulations import Regulations
from rules.tournament.results import BoardScore

#: Byes by TRF letter: PAB, half point, full point, zero point.
ByeKind = Literal["U", "H", "F", "Z"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One board of a round: White's and Black's pairing number."""

    board: int
    white: int
    black: int


# -- entries ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RegulationsChanged:
    """Other regulations are in force from now on."""

    at: int
    regulations: Regulations
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LateEntered:
    """One more player, first to be paired in `first_round`. Numbers from his own on move up by one (C.04.2 2.4).

    `missed` is the bye he gets for the rounds that are public already.
    """

    at: int
    entry: Entry
    first_round: int
    missed: ByeKind
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class EntryTakenOut:
    """A late entry was a mistake: he is off the list, and the numbers after his move down again."""

    at: int
    tpn: int
    by: str


@dataclass(frozen=True, slots=True)
class EntryCorrected:
    """A player's data are put right; his number stays."""

    at: int
    entry: Entry
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Renumbered:
    """Pairing numbers are given anew, or exchanged: old number → new, for those that change (C.04.2 2.3)."""

    at: int
    numbers: Mapping[str, int]
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """A player who had withdrawn, or was expelled, is paired again from `first_round` on."""

    at: int
    tpn: int
    first_round: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Expelled:
    """A player is out of the event by a ruling (Laws 12.9.8), from the next unpublished round on."""

    at: int
    tpn: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Flagged:
    """A player may not have half-point byes (invited, or played for conditions); `on` False: he may again."""

    at: int
    tpn: int
    flag: Literal["no-half-bye"]
    on: bool
    by: str


@dataclass(frozen=True, slots=True)
class ByeRevoked:
    """A granted bye is taken back before its round is public."""

    at: int
    tpn: int
    round: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class CheckInOpened:
    """From now on only those who check in are known to be here."""

    at: int
    by: str


@dataclass(frozen=True, slots=True)
class CheckedIn:
    """A player is here, or (`present` False) the tick was a mistake."""

    at: int
    tpn: int
    present: bool
    by: str


@dataclass(frozen=True, slots=True)
class CheckInClosed:
    """Check-in is over; what was decided about those missing stands beside it as events of its own."""

    at: int
    by: str


@dataclass(frozen=True, slots=True)
class PairsForbidden:
    """These players must not meet, in rounds `first_round` to `last_round` (0: to the end); `on` False: they may again.

    Announced before round 1 (C.05 5.2).
    """

    at: int
    players: tuple[int, ...]
    first_round: int
    last_round: int
    by: str
    why: str = ""
    on: bool = True


@dataclass(frozen=True, slots=True)
class LotDrawn:
    """Lots were drawn for something ("initial-colour", "standings", a table of numbers); the seed repeats them."""

    at: int
    what: str
    seed: int
    outcome: str
    by: str


# -- rounds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ManualOpened:
    """From here on round `round` is paired by hand."""

    at: int
    round: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class ManualClosed:
    """The round made by hand is finished: how it differs from the engine's, one line each ("" in none)."""

    at: int
    round: int
    differences: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class GroupFixed:
    """Group A of an accelerated event is fixed with round 1: everybody down to this number (C.04.7 1.2)."""

    at: int
    last: int


@dataclass(frozen=True, slots=True)
class SheetWithdrawn:
    """A public sheet is taken back; the round is a draft again, and its next sheet has the next revision."""

    at: int
    round: int
    rev: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class BoardAdded:
    """A public round has one more board: latecomers, or one of them and the player with the bye (C.04.2 2.4)."""

    at: int
    round: int
    pair: Pair
    table: str
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class UnpairedSet:
    """What a player without a board gets in a public round: the PAB ("U") or another bye."""

    at: int
    round: int
    tpn: int
    kind: ByeKind
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class ColoursSwapped:
    """The two players of a board sat with the other colours; the record follows what was played."""

    at: int
    round: int
    board: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class PairsReplaced:
    """Others than those on the sheet sat at these boards: the record follows what was played (C.04.2 4.4).

    Results, moves and clocks belong to the board and stay there.
    """

    at: int
    round: int
    pairs: tuple[Pair, ...]
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class GameMoved:
    """The game of a board goes on at another table; `tables` has every board whose table is another now ("" none).

    The pairing stays what it is: moves, clocks and players go along (S-06).
    """

    at: int
    round: int
    board: int
    tables: Mapping[str, str]
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Excused:
    """A player had a good reason not to come to a round (`on` False: he had none after all)."""

    at: int
    tpn: int
    round: int
    by: str
    why: str = ""
    on: bool = True


# -- results ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultCleared:
    """A board has no result any more."""

    at: int
    round: int
    board: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Adjourned:
    """A game is not over when the next round is paired: a draw for pairing (C.04.2 3.1), open for everything else.

    `sealed` holds what is known of it: "white_ms", "black_ms", "to_move", "sealed_by", "envelope", "fen".
    """

    at: int
    round: int
    board: int
    by: str
    why: str = ""
    sealed: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportCorrected:
    """An error found too late: right in the rating report, without effect on standings and pairings (C.04.2 4.3)."""

    at: int
    round: int
    board: int
    score: BoardScore
    forfeit: bool
    rated: bool
    swapped: bool
    by: str
    why: str


# -- handling ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FideExited:
    """The event is not under FIDE handling any more, from `round` on. There is no way back."""

    at: int
    round: int
    by: str
    why: str


@dataclass(frozen=True, slots=True)
class IntegrityNoted:
    """Something happened that the engine's pairings cannot be understood without; it goes into the report.

    `kind` is one of `rules.tournament.integrity.KINDS`, `before` and `after` are in ASCII, players by number.
    """

    at: int
    kind: str
    round: int
    before: str
    after: str
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Undone:
    """The act `act` (number of its first event) is undone; the next `events` events do it."""

    at: int
    act: int
    events: int
    by: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Redone:
    """The act `act` that was undone is done again; the next `events` events do it."""

    at: int
    act: int
    events: int
    by: str
