"""What an arbiter may want beyond the plain course of a tournament; part of `rules.tournament.intents`.

`why` is a reason in his words. `saw` is what his screen showed when he began: if that has changed since, the intent is
refused with both values (two desks, S-27).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rules.tournament.book_events import ByeKind
from rules.tournament.entries import Entry
from rules.tournament.results import BoardScore

#: What becomes of a player who did not check in: out of the next round, out of the event, or paired all the same.
Missing = Literal["round", "event", "pair"]


@dataclass(frozen=True, slots=True)
class ChangeRegulations:
    """Other values for some fields of the regulations; `saw` has the old ones as far as the desk knows them."""

    changes: Mapping[str, Any]
    why: str = ""
    saw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnterLate:
    """One more player (his `tpn` is given here): before round 1 is public, or as a late entry (C.04.2 2.4)."""

    entry: Entry
    why: str = ""


@dataclass(frozen=True, slots=True)
class TakeOut:
    """A player is off the list as if he had never been on it; only before round 1 is public."""

    tpn: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class CorrectEntry:
    """A player's data put right; the number stays."""

    entry: Entry
    why: str = ""
    saw: Entry | None = None


@dataclass(frozen=True, slots=True)
class Renumber:
    """All numbers given anew by strength (C.04.2 2.3)."""

    why: str


@dataclass(frozen=True, slots=True)
class ExchangeNumbers:
    """Two players exchange their numbers."""

    first: int
    second: int
    why: str


@dataclass(frozen=True, slots=True)
class Return:
    """A withdrawn player is here again: paired from the next unpublished round on."""

    tpn: int
    why: str = ""
    saw: str = ""


@dataclass(frozen=True, slots=True)
class Expel:
    """A player is out of the event by a ruling (Laws 12.9.8)."""

    tpn: int
    why: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A player may have no half-point byes (free entry, conditions), or (`on` False) he may again."""

    tpn: int
    on: bool = True


@dataclass(frozen=True, slots=True)
class RequestBye:
    """A player asks for a bye; the regulations say how many and until when. `saw`: what he had for that round."""

    tpn: int
    round: int
    kind: ByeKind = "H"
    why: str = ""
    saw: str | None = None


@dataclass(frozen=True, slots=True)
class RevokeBye:
    """A granted bye is taken back."""

    tpn: int
    round: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class OpenCheckIn:
    """Check-in begins."""


@dataclass(frozen=True, slots=True)
class CheckIn:
    """A player is here; `present` False takes a wrong tick back."""

    tpn: int
    present: bool = True


@dataclass(frozen=True, slots=True)
class CloseCheckIn:
    """Check-in ends; `missing` says for each player who did not come what becomes of him."""

    missing: Mapping[int, Missing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Forbid:
    """These players must not meet in some rounds (0 as `last_round`: to the end)."""

    players: tuple[int, ...]
    first_round: int = 1
    last_round: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class DrawLot:
    """Lots from a seed: for the "initial-colour", or for another purpose among `choices`."""

    what: str
    seed: int
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawNumbers:
    """Numbers of a round robin by lot; `apart`: compatriots do not meet in the last three rounds if it can be."""

    seed: int
    apart: bool = False


@dataclass(frozen=True, slots=True)
class OpenManual:
    """From here on the next round is made by hand."""

    why: str


@dataclass(frozen=True, slots=True)
class MakeRound:
    """The whole round by hand: (White, Black) in board order, and who gets the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None = None


@dataclass(frozen=True, slots=True)
class CloseManual:
    """The round made by hand is finished; it is compared with the engine's."""


@dataclass(frozen=True, slots=True)
class WithdrawSheet:
    """The public sheet is taken back before a clock runs; `saw` is its checksum."""

    why: str
    saw: str = ""


@dataclass(frozen=True, slots=True)
class AddBoard:
    """A new board in the public round for two players without one; `table` plays it ("" = none)."""

    white: int
    black: int
    table: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class SetUnpaired:
    """What a player without a board gets in the public round."""

    tpn: int
    kind: ByeKind
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReplacePairs:
    """Boards of a public round as they were really played: (board, White, Black) for each that differs (S-06)."""

    round: int
    boards: tuple[tuple[int, int, int], ...]
    why: str


@dataclass(frozen=True, slots=True)
class MoveGame:
    """The game of a board goes on at a table; the game that is played there moves to where this one was (S-06)."""

    round: int
    board: int
    table: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Excuse:
    """A player had a good reason not to come to a round; `on` False takes that back."""

    tpn: int
    round: int
    why: str = ""
    on: bool = True


@dataclass(frozen=True, slots=True)
class CorrectResult:
    """A recorded result is wrong; `rules.tournament.corrections` says what putting it right still touches.

    `swapped`: they played with the other colours; the score is that of the player who really had White first.
    `saw` is the result on the screen, as a code of `rules.tournament.results` ("" = none), None if not said.
    """

    round: int
    board: int
    score: BoardScore
    forfeit: bool = False
    rated: bool = True
    swapped: bool = False
    why: str = ""
    saw: str | None = None


@dataclass(frozen=True, slots=True)
class Adjourn:
    """A game goes on after the round; `sealed` as in `Adjourned`."""

    round: int
    board: int
    why: str = ""
    sealed: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExitFide:
    """Leave FIDE handling, for good."""

    why: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo an act (0: the latest). `saw` is the act the desk thought the latest, 0 if it does not say."""

    act: int = 0
    why: str = ""
    saw: int = 0


@dataclass(frozen=True, slots=True)
class Redo:
    """Do again what was undone (0: the latest)."""

    act: int = 0


@dataclass(frozen=True, slots=True)
class TakenBoard:
    """One board of a round that was played elsewhere; `code` is one of `rules.tournament.results.CODES`."""

    white: int
    black: int
    code: str


@dataclass(frozen=True, slots=True)
class TakenRound:
    """One round that was played elsewhere: every player has a board, the bye, or another bye by letter."""

    boards: tuple[TakenBoard, ...]
    bye: int | None
    byes: tuple[tuple[int, ByeKind], ...] = ()


@dataclass(frozen=True, slots=True)
class TakenNote:
    """A note of the integrity log that the report carries on."""

    kind: str
    round: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TakeOver:
    """An event goes on from a report: its rounds from the first on, byes (player, round, letter) announced for later
    ones, and groups who must not meet (players, first round, last round; 0: to the end). `source` names the report.

    What the records of a report cannot say comes from its remarks (`rules.tournament.report_lines`): who `left`
    (player, first round without him, expelled?), who may have no half-point byes, `notes`, ratings (player, from which
    round, rating), values from outside, orders by hand, lots (for what, seed, outcome), and the round in which FIDE
    handling was left.
    """

    rounds: tuple[TakenRound, ...]
    byes: tuple[tuple[int, int, ByeKind], ...] = ()
    forbidden: tuple[tuple[tuple[int, ...], int, int], ...] = ()
    source: str = ""
    left: tuple[tuple[int, int, bool], ...] = ()
    no_half_bye: tuple[int, ...] = ()
    notes: tuple[TakenNote, ...] = ()
    ratings: tuple[tuple[int, int, int], ...] = ()
    outside: tuple[tuple[int, str], ...] = ()
    orders: tuple[tuple[int, ...], ...] = ()
    lots: tuple[tuple[str, int, str], ...] = ()
    fide_exit: int | None = None
