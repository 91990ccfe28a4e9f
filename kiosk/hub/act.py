"""One act: intents decided one after the other, each on the state that the ones before it made. All or nothing.

Pure: the events are collected here, and stored and folded by whoever called.
"""

from __future__ import annotations

from collections.abc import Mapping

from hallnet.hall_log import HallLog
from kiosk.hub.duties import game_id
from rules.tournament.decisions import decide
from rules.tournament.events import KIND_OF, RoundSealed, TournamentEvent
from rules.tournament.intents import Confirmed, Intent, Order, Refusal, Seal
from rules.tournament.state import TournamentState, fold


class Refused(Exception):
    """The act is not possible; str() is the sentence for the person who wanted it.

    `refusal` has the warnings to be seen first, or both values when two desks meet.
    """

    def __init__(self, why: str, refusal: Refusal | None = None) -> None:
        super().__init__(why)
        self.refusal = refusal


class Act:
    """Intents of one person or table at wall time `at` (ms), from a state on.

    `seen` is the token of the warnings the person has seen, "" for none. Two acts never have the same time: what is
    undone together is told by it.
    """

    def __init__(self, state: TournamentState, at: int, by: str, seen: str = "") -> None:
        self.state = state
        self.at = at if at != state.latest else at + 1
        self.by = by
        self.seen = seen
        self.events: list[TournamentEvent] = []

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the events so far, in order."""
        return tuple(KIND_OF[type(event)] for event in self.events)

    def add(self, *events: TournamentEvent) -> None:
        """Take decided events."""
        for event in events:
            self.state = fold(self.state, event)
            self.events.append(event)

    def decide(self, intent: Intent) -> tuple[TournamentEvent, ...]:
        """The events of an intent, empty if it was done before. Raises `Refused`."""
        answer = decide(self.state, Confirmed(intent, self.seen) if self.seen else intent, self.at, self.by)
        if isinstance(answer, Refusal):
            raise Refused(answer.why, answer)
        self.add(*answer)
        return answer

    def order(self, table: str, game: str, kind: str, data: Mapping[str, str | int] | None = None) -> None:
        """An order to a table, named for ever by the number of its event in the log."""
        self.decide(Order(f"o{self.state.events + 1}", table, game, kind, data or {}))

    def seal(self, round_number: int, log: HallLog) -> None:
        """Seal a round: each of its tables is told how many events of it are here, and the chain hash after them.

        The order names no game: by the time it arrives a table may have taken the next one.
        """
        if not any(isinstance(event, RoundSealed) for event in self.decide(Seal(round_number))):
            return
        sheet = self.state.rounds[round_number - 1]
        for table in sheet.tables.values():
            device = self.state.devices.get(table)
            if device is not None:
                count, digest = log.last(table, device.epoch)
                self.order(table, "", "seal", {"count": count, "hash": digest, "round": round_number})

    def start_orders(self, round_number: int) -> None:
        """Tell every table of a round without a result to start its clock."""
        sheet = self.state.rounds[round_number - 1]
        for board in sheet.open_boards:
            if board in sheet.tables:
                self.order(sheet.tables[board], game_id(round_number, board), "start")
