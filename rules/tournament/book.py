"""What is known of a tournament, as frozen values: rounds, devices, acts that can be undone, and the whole.

`rules.tournament.folding` makes these from events; `rules.tournament.state` is where everybody imports them from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from rules.pairing.baku import virtual_points
from rules.pairing.state import DRAW, WIN, Colour, History, PairingState, RoundRecord, Unplayed
from rules.tournament.book_events import (
    Adjourned,
    FideExited,
    IntegrityNoted,
    LotDrawn,
    PairsForbidden,
    ReportCorrected,
)
from rules.tournament.entries import Entry
from rules.tournament.events import (
    ByeKind,
    CallClosed,
    CallOpened,
    OrderConfirmed,
    Ordered,
    Pair,
    Regulations,
    Resulted,
    TournamentEvent,
)
from rules.tournament.list_events import ListLoaded, RatingsChecked
from rules.tournament.rank_events import TiedOrdered
from rules.tournament.results import Value, code_of

#: Score → half-points of White and Black under the standard points.
HALF_POINTS: Mapping[str, tuple[int, int]] = {
    "1-0": (WIN, 0), "0-1": (0, WIN), "1/2-1/2": (DRAW, DRAW), "0-0": (0, 0), "1/2-0": (DRAW, 0), "0-1/2": (0, DRAW),
}  # fmt: skip
BYE_HALF_POINTS: Mapping[ByeKind, int] = {"F": WIN, "H": DRAW, "Z": 0}
_STANDARD: Mapping[Value, int] = {"win": WIN, "draw": DRAW, "loss": 0, "absent": 0}
#: What a full- and a half-point bye are worth.
_BYE_VALUES: Mapping[str, Value] = {"F": "win", "H": "draw", "Z": "absent"}

#: How a player stands: not yet here, taking part, gone, thrown out.
Status = Literal["late", "in", "withdrawn", "expelled"]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: a draft (`rev` 0) or a public sheet.

    `byes` are the players who are not paired (TPN → TRF letter), `tables` board → table id, `results` board → the
    result that counts now, `adjourned` the boards that are open beyond the round. `report` holds results that count
    for the rating report only. `printed` has the numbers (White, Black) of a board as they stand on its sheet, where
    today's differ. A round that was made by hand (`manual`) keeps how it differs from the engine's. `home` has the
    board that each table had on the sheet, once a game was moved.
    """

    number: int
    pairs: tuple[Pair, ...]
    bye: int | None
    byes: Mapping[int, ByeKind]
    reasons: tuple[str, ...] = ()
    rev: int = 0
    checksum: str = ""
    tables: Mapping[int, str] = field(default_factory=dict)
    started: bool = False
    started_at: int = 0
    results: Mapping[int, Resulted] = field(default_factory=dict)
    sealed: bool = False
    adjourned: Mapping[int, Adjourned] = field(default_factory=dict)
    report: Mapping[int, ReportCorrected] = field(default_factory=dict)
    printed: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    manual: bool = False
    differences: tuple[str, ...] = ()
    home: Mapping[str, int] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        """Is the sheet public?"""
        return self.rev > 0

    @property
    def open_boards(self) -> tuple[int, ...]:
        """Boards whose games go on: without a result, and not adjourned."""
        return tuple(p.board for p in self.pairs if p.board not in self.results and p.board not in self.adjourned)

    @property
    def complete(self) -> bool:
        """Is the round public and every result in, but for adjourned games?"""
        return self.published and not self.open_boards

    def pair(self, board: int) -> Pair | None:
        """The pair of a board."""
        return next((p for p in self.pairs if p.board == board), None)

    def pair_of(self, tpn: int) -> Pair | None:
        """The pair a player belongs to."""
        return next((p for p in self.pairs if tpn in (p.white, p.black)), None)

    def board_of_table(self, table: str) -> int | None:
        """The board a table plays."""
        return next((board for board, name in self.tables.items() if name == table), None)

    def place(self, board: int) -> int:
        """The number that stands where a board is played: its own, unless the game was moved."""
        return self.home.get(self.tables.get(board, ""), board)

    def table_at(self, place: int) -> str:
        """The table that stands at a number of the sheet, "" for none."""
        home = self.home or {table: board for board, table in self.tables.items()}
        return next((table for table, board in home.items() if board == place), "")

    def on_sheet(self, board: int) -> tuple[int, int]:
        """White's and Black's number as they were printed on the sheet; (0, 0) without such a board."""
        pair = self.pair(board)
        return self.printed.get(board, (pair.white, pair.black)) if pair is not None else (0, 0)

    def unpaired(self, tpn: int) -> ByeKind | Literal[""]:
        """What a player without a board has in this round; "" if he has a board."""
        if self.pair_of(tpn) is not None:
            return ""
        return "U" if tpn == self.bye else self.byes.get(tpn, "Z")


@dataclass(frozen=True, slots=True)
class Device:
    """Who speaks for a table: the epoch and the instance now, and all instances before, oldest first."""

    table: str
    epoch: int
    instance: str
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """Who changed something last, and when (wall ms)."""

    by: str
    at: int


@dataclass(frozen=True, slots=True)
class Step:
    """One act that can be undone: its events, those that undo it, and what it is about.

    `act` is the number of its first event. Behind a `barrier` (numbers given anew, a sheet made public) earlier acts
    wait. `basis` is the pairing's digest an act on a draft rests on. `names` has players by the numbers they had then.
    """

    act: int
    at: int
    by: str
    events: tuple[TournamentEvent, ...]
    inverse: tuple[TournamentEvent, ...]
    subjects: frozenset[str]
    barrier: bool = False
    basis: str = ""
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TournamentState:
    """Everything that is known after some events.

    `rounds` are the public ones, in order; `draft` is a round that is not public yet. `byes` maps round → TPN → kind,
    `withdrawn` TPN → first round without him (`expelled` players are among them), `joined` TPN → first round of a late
    entry. `orders` are open, `orders_done` confirmed since the last publication. `latest` is the wall time of the last
    event. `manual` is the round that is being made by hand now, `old_sheets` round → sheets that were taken back.
    `group_a` is the last number of the accelerated group. `excused` are (player, round) of those who had a reason not
    to come, `lists` the rating lists at hand by the day from which they hold, `round_ratings` TPN → round → the rating
    from then on, `tied_orders` what was said of tied players, `outside` TPN → a value worked out elsewhere. `steps` are
    the acts that can be undone, `undone` those that can be done again, the latest last.
    """

    regulations: Regulations | None = None
    entries: Mapping[int, Entry] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    draft: Round | None = None
    byes: Mapping[int, Mapping[int, ByeKind]] = field(default_factory=dict)
    withdrawn: Mapping[int, int] = field(default_factory=dict)
    calls: Mapping[str, CallOpened] = field(default_factory=dict)
    calls_closed: Mapping[str, CallClosed] = field(default_factory=dict)
    orders: Mapping[str, Ordered] = field(default_factory=dict)
    orders_done: Mapping[str, OrderConfirmed] = field(default_factory=dict)
    devices: Mapping[str, Device] = field(default_factory=dict)
    incarnation: int = 0
    boot: str = ""
    finished: bool = False
    events: int = 0
    latest: int = 0
    expelled: frozenset[int] = frozenset()
    joined: Mapping[int, int] = field(default_factory=dict)
    no_half_bye: frozenset[int] = frozenset()
    check_in: Literal["", "open", "closed"] = ""
    checked_in: frozenset[int] = frozenset()
    forbidden: tuple[PairsForbidden, ...] = ()
    manual: int = 0
    old_sheets: Mapping[int, tuple[Round, ...]] = field(default_factory=dict)
    group_a: int = 0
    notes: tuple[IntegrityNoted, ...] = ()
    fide_exit: FideExited | None = None
    lots: Mapping[str, LotDrawn] = field(default_factory=dict)
    touched: Mapping[str, Touched] = field(default_factory=dict)
    excused: frozenset[tuple[int, int]] = frozenset()
    lists: tuple[ListLoaded, ...] = ()
    ratings_checked: RatingsChecked | None = None
    round_ratings: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    tied_orders: tuple[TiedOrdered, ...] = ()
    outside: Mapping[int, str] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()
    quiet: int = 0

    @property
    def current_round(self) -> Round | None:
        """The latest public round."""
        return self.rounds[-1] if self.rounds else None

    @property
    def next_round_to_pair(self) -> int | None:
        """Number of the first round that is not public; None after the last planned one."""
        number = len(self.rounds) + 1
        return number if self.regulations is not None and number <= self.regulations.rounds else None

    @property
    def is_round_robin(self) -> bool:
        """Are the pairings determined beforehand (C.07 15.2)?"""
        return self.regulations is not None and self.regulations.system == "berger"

    @property
    def fide_mode(self) -> bool:
        """Is the event under FIDE handling? It is until somebody leaves it."""
        return self.fide_exit is None

    def round(self, number: int) -> Round | None:
        """A public round by its number."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_boards(self, number: int) -> tuple[int, ...]:
        """Boards of a public round whose games go on."""
        found = self.round(number)
        return found.open_boards if found is not None else ()

    @property
    def adjourned(self) -> tuple[Adjourned, ...]:
        """All adjourned games, by round and board."""
        return tuple(r.adjourned[board] for r in self.rounds for board in sorted(r.adjourned))

    def open_disputes(self, round_number: int, board: int | None = None) -> tuple[CallOpened, ...]:
        """Open calls of kind "dispute" in a round, or at one of its boards."""
        return tuple(
            call
            for call in self.calls.values()
            if call.kind == "dispute" and call.round == round_number and board in (None, call.board)
        )

    @property
    def complete_rounds(self) -> int:
        """How many rounds, from the first on, have all their results (adjourned games count as drawn)."""
        return next((r.number - 1 for r in self.rounds if not r.complete), len(self.rounds))

    def status(self, tpn: int) -> Status:
        """How a player stands now."""
        if tpn in self.expelled:
            return "expelled"
        if tpn in self.withdrawn:
            return "withdrawn"
        return "late" if self.joined.get(tpn, 0) > len(self.rounds) + 1 else "in"

    def absent(self, number: int) -> Mapping[int, ByeKind]:
        """Who is not to be paired in a round (granted byes, withdrawals, late entries), with the bye's letter."""
        gone: dict[int, ByeKind] = {tpn: "Z" for tpn, first in self.withdrawn.items() if first <= number}
        late: dict[int, ByeKind] = {tpn: "Z" for tpn, first in self.joined.items() if first > number}
        return {**late, **self.byes.get(number, {}), **gone}

    @property
    def points(self) -> Mapping[Value, int]:
        """What a win, a draw, a loss and absence are worth, in half-points."""
        if self.regulations is None or self.regulations.standard_points:
            return _STANDARD
        announced = self.regulations
        return {
            "win": announced.win_half_points,
            "draw": announced.draw_half_points,
            "loss": announced.loss_half_points,
            "absent": 0,
        }

    def record(self, tpn: int, number: int) -> RoundRecord:
        """A player's record of one public round; an open game counts as a draw (C.04.2 3.1)."""
        found = self.rounds[number - 1]
        pair = found.pair_of(tpn)
        if pair is not None:
            return game_record(pair, tpn, found.results.get(pair.board), self.points)
        if tpn == found.bye:
            if self.is_round_robin or self.regulations is None:
                return RoundRecord(None, None, "free", 0)
            return RoundRecord(None, None, "U", self.regulations.pab_half_points)
        kind = found.byes.get(tpn, "Z")
        return RoundRecord(None, None, kind, self.points[_BYE_VALUES.get(kind, "absent")])

    def histories(self, after_round: int) -> tuple[History, ...]:
        """All players with their records of rounds 1..`after_round`, in TPN order."""
        records: dict[int, list[RoundRecord]] = {tpn: [] for tpn in sorted(self.entries)}
        values = self.points
        for found in self.rounds[:after_round]:
            paired = {tpn: pair for pair in found.pairs for tpn in (pair.white, pair.black)}
            for tpn, mine in records.items():
                pair = paired.get(tpn)
                mine.append(
                    self.record(tpn, found.number)
                    if pair is None
                    else game_record(pair, tpn, found.results.get(pair.board), values)
                )
        return tuple(History(tpn, tuple(mine)) for tpn, mine in records.items())

    def rating_in(self, tpn: int, number: int) -> int:
        """A player's rating in a round: in a long event perhaps another one than at its beginning (C.07 10)."""
        later = self.round_ratings.get(tpn, {})
        held = max((first for first in later if first <= number), default=0)
        return later[held] if held else self.entries[tpn].rating

    def score_half_points(self, tpn: int, after_round: int) -> int:
        """A player's score after a round, in half-points; games without a result count nothing."""
        total = 0
        for found in self.rounds[:after_round]:
            pair = found.pair_of(tpn)
            if pair is None or pair.board in found.results:
                total += self.record(tpn, found.number).half_points
        return total

    def forbidden_in(self, number: int) -> frozenset[tuple[int, int]]:
        """Pairs that must not meet in a round, the smaller number first."""
        return frozenset(
            pair
            for rule in self.forbidden
            if rule.first_round <= number <= (rule.last_round or number)
            for pair in combinations(sorted(set(rule.players)), 2)
        )

    def pairing_state(self, number: int | None = None) -> PairingState:
        """What a pairing system is told before round `number` (None: the next one to pair).

        Raises `ValueError` when the event has no regulations or the rounds before are not public.
        """
        if self.regulations is None:
            raise ValueError("the event has no regulations")
        wanted = number if number is not None else len(self.rounds) + 1
        if not 1 <= wanted <= len(self.rounds) + 1:
            raise ValueError(f"round {wanted} cannot be paired after {len(self.rounds)} public rounds")
        absent = frozenset(self.absent(wanted))
        return PairingState(
            round=wanted,
            rounds=self.regulations.rounds,
            players=self.histories(wanted - 1),
            absent=absent,
            initial_colour=self.regulations.initial_colour,
            pab_half_points=self.regulations.pab_half_points,
            win_half_points=self.regulations.win_half_points,
            loss_half_points=self.regulations.loss_half_points,
            virtual=self._virtual(tpn for tpn in self.entries if tpn not in absent),
            forbidden=self.forbidden_in(wanted),
            numbering=self.regulations.numbering,
            edition=self.regulations.pairing_edition,
            cycles=self.regulations.cycles,
            swap_middle=self.regulations.swap_middle,
        )

    def _virtual(self, present: Iterable[int]) -> Mapping[int, tuple[int, ...]]:
        """Virtual points of the accelerated group: fixed with round 1, before that by who would be paired in it."""
        if self.regulations is None or self.regulations.acceleration != "baku":
            return {}
        row = virtual_points(self.regulations.rounds, self.regulations.win_half_points)
        last = self.group_a or last_of_a(present)
        return {tpn: row for tpn in self.entries if tpn <= last}


def last_of_a(paired: Iterable[int]) -> int:
    """The last number of the accelerated group when these are paired in round 1; 0 for nobody (C.04.7 1.2)."""
    players = sorted(paired)
    size = 2 * -(-len(players) // 4)
    return players[size - 1] if players else 0


def game_record(pair: Pair, tpn: int, result: Resulted | None, values: Mapping[Value, int] = _STANDARD) -> RoundRecord:
    """One side of a board; `values` are the half-points of each kind of result."""
    is_white = tpn == pair.white
    opponent = pair.black if is_white else pair.white
    colour: Colour = "white" if is_white else "black"
    if result is None:
        return RoundRecord(opponent, colour, None, values["draw"])
    forfeit = result.source == "forfeit"
    code = code_of(result.score, forfeit, result.rated) or code_of(result.score, forfeit=False)
    value: Value = (code.white if is_white else code.black) if code is not None else "absent"
    unplayed: Unplayed | None = None
    if forfeit:
        unplayed = "+" if value == "win" else "-"
    return RoundRecord(opponent, colour, unplayed, values[value])
