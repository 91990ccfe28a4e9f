"""A tournament under an arbiter called Ada, for tests: intents in, the log grows, and every state is its log's fold."""

from __future__ import annotations

from typing import Any

from rules.pairing.registry import SYSTEMS
from rules.pairing.state import PairingAnswer
from rules.tournament.decisions import decide
from rules.tournament.entries import Entry
from rules.tournament.events import Regulations, TournamentEvent
from rules.tournament.intents import Confirmed, Enter, Intent, Pair, Publish, RecordResult, Refusal, Start
from rules.tournament.state import Round, TournamentState, fold, replay


def players(count: int) -> tuple[Entry, ...]:
    """So many players, the first the strongest."""
    return tuple(Entry(0, f"Player {n}", rating=2500 - 10 * n) for n in range(1, count + 1))


class Hall:
    """One event. `does` expects that something happens, `is_refused` that it does not."""

    def __init__(self, count: int = 6, rounds: int = 5, **announced: Any) -> None:
        self.state = TournamentState()
        self.log: list[TournamentEvent] = []
        self.tables = tuple(f"t{n}" for n in range(1, count // 2 + 3))
        if announced.get("system") == "berger":
            announced.setdefault("tie_breaks", ("DE", "SB"))
        self.does(Enter(players(count), Regulations("Book open", rounds, **announced)))

    def asks(self, intent: Intent | Confirmed, by: str = "Ada") -> tuple[TournamentEvent, ...] | Refusal:
        """The decision; what it causes is stored."""
        decision = decide(self.state, intent, at=1000 + len(self.log), by=by)
        if not isinstance(decision, Refusal):
            for event in decision:
                self.log.append(event)
                self.state = fold(self.state, event)
        return decision

    def does(self, intent: Intent | Confirmed, by: str = "Ada") -> tuple[TournamentEvent, ...]:
        """It happens at once."""
        decision = self.asks(intent, by)
        assert not isinstance(decision, Refusal), decision.why
        return decision

    def is_refused(self, intent: Intent | Confirmed, by: str = "Ada") -> Refusal:
        """It does not happen."""
        decision = self.asks(intent, by)
        assert isinstance(decision, Refusal), decision
        return decision

    def confirms(self, intent: Intent, *keys: str, by: str = "Ada") -> tuple[TournamentEvent, ...]:
        """It happens after its warnings, which are these, were seen (twice at level 4)."""
        refusal = self.is_refused(intent, by)
        assert tuple(w.key for w in refusal.warnings) == keys, refusal.why
        if refusal.level == 4:
            refusal = self.is_refused(Confirmed(intent, refusal.token), by)
        assert refusal.token, refusal.why
        return self.does(Confirmed(intent, refusal.token), by)

    def pairing(self) -> Pair:
        """The engine's pairing of the next round."""
        before = self.state.pairing_state()
        assert self.state.regulations is not None
        return Pair(SYSTEMS[self.state.regulations.system](before), before.digest)

    def pairs(self, *pairs: tuple[int, int], bye: int | None = None) -> None:
        """The next round is public with these pairs."""
        self.does(Pair(PairingAnswer(pairs, bye)))
        self.does(Publish(self.tables))

    def publishes(self) -> Round:
        """The next round is public."""
        self.does(self.pairing())
        self.does(Publish(self.tables))
        return self.sheet

    def starts(self) -> Round:
        """The next round is public and its clocks run."""
        self.publishes()
        self.does(Start())
        return self.sheet

    def results(self, *scores: Any) -> None:
        """Results of the open boards of the current round, from the tables; the last one for all that are left."""
        for index, board in enumerate(self.sheet.open_boards):
            score = scores[min(index, len(scores) - 1)]
            self.does(RecordResult(self.sheet.number, board, score), by=f"table {self.sheet.tables.get(board, '?')}")

    def plays(self, *scores: Any) -> Round:
        """A whole round."""
        self.starts()
        self.results(*(scores or ("1-0",)))
        return self.sheet

    @property
    def sheet(self) -> Round:
        """The current round."""
        assert self.state.current_round is not None
        return self.state.current_round

    @property
    def names(self) -> list[str]:
        """The names in the order of the pairing numbers."""
        return [e.name for e in self.state.entries.values()]

    def points(self, tpn: int) -> int:
        """A player's half-points after the current round."""
        return self.state.score_half_points(tpn, len(self.state.rounds))

    def check_log(self) -> None:
        """The log folded anew is the state that was lived, at every length."""
        assert replay(self.log) == self.state
