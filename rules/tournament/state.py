"""The state of a tournament as a fold over its events.

A fold never decides and never fails on an event of a known kind: what was recorded has happened. Everything here is
frozen; each event makes a new state that shares what did not change, so a fold over a long log stays cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeVar

from rules.pairing.state import DRAW, WIN, Colour, History, PairingState, RoundRecord, Unplayed
from rules.tournament.entries import Entry
from rules.tournament.events import (
    ByeGranted,
    ByeKind,
    CallClosed,
    CallOpened,
    Created,
    DeviceEnrolled,
    DraftDropped,
    Entered,
    Finished,
    HubOpened,
    OrderConfirmed,
    Ordered,
    Pair,
    Paired,
    Published,
    Regulations,
    Resulted,
    RoundSealed,
    Started,
    TournamentEvent,
    Withdrawn,
)

K = TypeVar("K")
V = TypeVar("V")

#: Score → half-points of White and Black.
HALF_POINTS: Mapping[str, tuple[int, int]] = {"1-0": (WIN, 0), "0-1": (0, WIN), "1/2-1/2": (DRAW, DRAW), "0-0": (0, 0)}
BYE_HALF_POINTS: Mapping[ByeKind, int] = {"F": WIN, "H": DRAW, "Z": 0}


@dataclass(frozen=True, slots=True)
class Round:
    """One round: a draft (`rev` 0) or a public sheet.

    `byes` are the players who are not paired (TPN → TRF letter), `tables` board → table id, `results` board → the
    result that counts now.
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

    @property
    def published(self) -> bool:
        """Is the sheet public?"""
        return self.rev > 0

    @property
    def open_boards(self) -> tuple[int, ...]:
        """Boards without a result."""
        return tuple(p.board for p in self.pairs if p.board not in self.results)

    @property
    def complete(self) -> bool:
        """Is the round public and every result in?"""
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


@dataclass(frozen=True, slots=True)
class Device:
    """Who speaks for a table: the epoch and the instance now, and all instances before, oldest first."""

    table: str
    epoch: int
    instance: str
    history: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TournamentState:
    """Everything that is known after some events.

    `rounds` are the public ones, in order; `draft` is a round that is not public yet. `byes` maps round → TPN → kind,
    `withdrawn` TPN → first round without him. `orders` are open, `orders_done` confirmed since the last publication.
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

    def round(self, number: int) -> Round | None:
        """A public round by its number."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_boards(self, number: int) -> tuple[int, ...]:
        """Boards of a public round without a result."""
        found = self.round(number)
        return found.open_boards if found is not None else ()

    def open_disputes(self, round_number: int, board: int | None = None) -> tuple[CallOpened, ...]:
        """Open calls of kind "dispute" in a round, or at one of its boards."""
        return tuple(
            call
            for call in self.calls.values()
            if call.kind == "dispute" and call.round == round_number and board in (None, call.board)
        )

    @property
    def complete_rounds(self) -> int:
        """How many rounds, from the first on, have all their results."""
        return next((r.number - 1 for r in self.rounds if not r.complete), len(self.rounds))

    def absent(self, number: int) -> Mapping[int, ByeKind]:
        """Who is not to be paired in a round (granted byes, withdrawals), with the bye's letter."""
        gone: dict[int, ByeKind] = {tpn: "Z" for tpn, first in self.withdrawn.items() if first <= number}
        return {**self.byes.get(number, {}), **gone}

    def record(self, tpn: int, number: int) -> RoundRecord:
        """A player's record of one public round; an open game counts as a draw (C.04.2 3.1)."""
        found = self.rounds[number - 1]
        pair = found.pair_of(tpn)
        if pair is not None:
            return _game_record(pair, tpn, found.results.get(pair.board))
        if tpn == found.bye:
            if self.is_round_robin or self.regulations is None:
                return RoundRecord(None, None, "free", 0)
            return RoundRecord(None, None, "U", self.regulations.pab_half_points)
        kind = found.byes.get(tpn, "Z")
        return RoundRecord(None, None, kind, BYE_HALF_POINTS.get(kind, 0))

    def histories(self, after_round: int) -> tuple[History, ...]:
        """All players with their records of rounds 1..`after_round`, in TPN order."""
        records: dict[int, list[RoundRecord]] = {tpn: [] for tpn in sorted(self.entries)}
        for found in self.rounds[:after_round]:
            paired = {tpn: pair for pair in found.pairs for tpn in (pair.white, pair.black)}
            for tpn, mine in records.items():
                pair = paired.get(tpn)
                mine.append(
                    self.record(tpn, found.number)
                    if pair is None
                    else _game_record(pair, tpn, found.results.get(pair.board))
                )
        return tuple(History(tpn, tuple(mine)) for tpn, mine in records.items())

    def score_half_points(self, tpn: int, after_round: int) -> int:
        """A player's score after a round, in half-points; games without a result count nothing."""
        total = 0
        for found in self.rounds[:after_round]:
            pair = found.pair_of(tpn)
            if pair is None or pair.board in found.results:
                total += self.record(tpn, found.number).half_points
        return total

    def pairing_state(self, number: int | None = None) -> PairingState:
        """What a pairing system is told before round `number` (None: the next one to pair).

        Raises `ValueError` when the event has no regulations or the rounds before are not public.
        """
        if self.regulations is None:
            raise ValueError("the event has no regulations")
        wanted = number if number is not None else len(self.rounds) + 1
        if not 1 <= wanted <= len(self.rounds) + 1:
            raise ValueError(f"round {wanted} cannot be paired after {len(self.rounds)} public rounds")
        return PairingState(
            round=wanted,
            rounds=self.regulations.rounds,
            players=self.histories(wanted - 1),
            absent=frozenset(self.absent(wanted)),
            initial_colour=self.regulations.initial_colour,
            pab_half_points=self.regulations.pab_half_points,
        )


def _game_record(pair: Pair, tpn: int, result: Resulted | None) -> RoundRecord:
    is_white = tpn == pair.white
    opponent = pair.black if is_white else pair.white
    colour: Colour = "white" if is_white else "black"
    if result is None:
        return RoundRecord(opponent, colour, None, DRAW)
    half_points = HALF_POINTS[result.score][0 if is_white else 1]
    unplayed: Unplayed | None = None
    if result.source == "forfeit":
        unplayed = "+" if half_points == WIN else "-"
    return RoundRecord(opponent, colour, unplayed, half_points)


def _with(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return {**mapping, key: value}


def _without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    return {k: v for k, v in mapping.items() if k != key}


def _change_round(state: TournamentState, number: int, **changes: Any) -> TournamentState:
    """The state with one public round changed; unchanged when there is no such round."""
    if state.round(number) is None:
        return state
    rounds = tuple(replace(r, **changes) if r.number == number else r for r in state.rounds)
    return replace(state, rounds=rounds)


def _created(state: TournamentState, event: Created) -> TournamentState:
    return replace(state, regulations=event.regulations)


def _entered(state: TournamentState, event: Entered) -> TournamentState:
    return replace(state, entries={e.tpn: e for e in event.entries})


def _withdrawn(state: TournamentState, event: Withdrawn) -> TournamentState:
    return replace(state, withdrawn=_with(state.withdrawn, event.tpn, len(state.rounds) + 1))


def _bye_granted(state: TournamentState, event: ByeGranted) -> TournamentState:
    of_round = _with(state.byes.get(event.round, {}), event.tpn, event.kind)
    return replace(state, byes=_with(state.byes, event.round, of_round))


def _paired(state: TournamentState, event: Paired) -> TournamentState:
    byes = {int(tpn): kind for tpn, kind in event.byes.items()}
    return replace(state, draft=Round(event.round, event.pairs, event.bye, byes, event.reasons))


def _draft_dropped(state: TournamentState, event: DraftDropped) -> TournamentState:
    return replace(state, draft=None)


def _published(state: TournamentState, event: Published) -> TournamentState:
    sheet: dict[str, Any] = {
        "rev": event.rev,
        "checksum": event.checksum,
        "tables": {int(board): table for board, table in event.tables.items()},
    }
    if state.draft is None or state.draft.number != event.round:
        return _change_round(state, event.round, **sheet)
    public = replace(state.draft, **sheet)
    return replace(state, rounds=(*state.rounds, public), draft=None, orders_done={})


def _started(state: TournamentState, event: Started) -> TournamentState:
    return _change_round(state, event.round, started=True, started_at=event.at)


def _resulted(state: TournamentState, event: Resulted) -> TournamentState:
    found = state.round(event.round)
    if found is None:
        return state
    return _change_round(state, event.round, results=_with(found.results, event.board, event))


def _call_opened(state: TournamentState, event: CallOpened) -> TournamentState:
    return replace(state, calls=_with(state.calls, event.id, event))


def _call_closed(state: TournamentState, event: CallClosed) -> TournamentState:
    return replace(
        state, calls=_without(state.calls, event.id), calls_closed=_with(state.calls_closed, event.id, event)
    )


def _ordered(state: TournamentState, event: Ordered) -> TournamentState:
    return replace(state, orders=_with(state.orders, event.id, event))


def _order_confirmed(state: TournamentState, event: OrderConfirmed) -> TournamentState:
    return replace(
        state, orders=_without(state.orders, event.id), orders_done=_with(state.orders_done, event.id, event)
    )


def _round_sealed(state: TournamentState, event: RoundSealed) -> TournamentState:
    return _change_round(state, event.round, sealed=True)


def _finished(state: TournamentState, event: Finished) -> TournamentState:
    return replace(state, finished=True)


def _device_enrolled(state: TournamentState, event: DeviceEnrolled) -> TournamentState:
    before = state.devices.get(event.table)
    history = (*before.history, before.instance) if before is not None else ()
    device = Device(event.table, event.epoch, event.instance, history)
    return replace(state, devices=_with(state.devices, event.table, device))


def _hub_opened(state: TournamentState, event: HubOpened) -> TournamentState:
    return replace(state, incarnation=event.incarnation, boot=event.boot)


_FOLDS: Mapping[type[Any], Callable[[TournamentState, Any], TournamentState]] = {
    Created: _created,
    Entered: _entered,
    Withdrawn: _withdrawn,
    ByeGranted: _bye_granted,
    Paired: _paired,
    DraftDropped: _draft_dropped,
    Published: _published,
    Started: _started,
    Resulted: _resulted,
    CallOpened: _call_opened,
    CallClosed: _call_closed,
    Ordered: _ordered,
    OrderConfirmed: _order_confirmed,
    RoundSealed: _round_sealed,
    Finished: _finished,
    DeviceEnrolled: _device_enrolled,
    HubOpened: _hub_opened,
}


def fold(state: TournamentState, event: TournamentEvent) -> TournamentState:
    """The state after one more event."""
    after = _FOLDS[type(event)](state, event)
    return replace(after, events=state.events + 1)


def replay(events: Iterable[TournamentEvent]) -> TournamentState:
    """The state after a whole log."""
    return reduce(fold, events, TournamentState())
