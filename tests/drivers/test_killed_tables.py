"""The table's process is killed again and again in the middle of a game, and started again: real drivers and simulated
boards in virtual time, as in the campaign.

What was played while nobody looked is found, or asked for. Nothing is told that is not so, and nothing without words.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.catalogue import BOARDS
from drivers.interfaces import Sink
from kiosk.table.at_board import BoardSetup
from rules.laws import events
from rules.laws import game as laws
from rules.laws.sides import Side
from tests.drivers.campaign.boards import Serial
from tests.drivers.campaign.hands import CALM
from tests.drivers.campaign.table import Played, Table, _Listening

#: Hands that knock nothing over.
TIDY = replace(CALM, manners=0.0)


class Mortal(Table):
    """A table whose program can be dead for a while; the keeper's state is what its log would give back."""

    dead = False

    def __init__(self, before: Table) -> None:
        vars(self).update(vars(before))
        self.venue.wake, self.venue.woken = lambda: self._wake, lambda: self.step()

    def step(self) -> None:
        if self.dead:
            self._wake = None
        else:
            super().step()

    def die(self) -> None:
        """Nothing is heard, nothing is known any more."""
        self.dead = True

    def rise(self, kind: str) -> None:
        """The program is started again, on the same boot."""
        row, said = BOARDS[kind], self.at_board.said
        setup = BoardSetup(
            row.sensor, row.settle_ms, row.grace_ms, lagging=True, confirms=self, checked=row.checked, blinks=row.blinks
        )
        self.at_board = _Listening(setup, self.keeper)
        self.at_board.said = said
        self.keeper.record(laws.recover(self.state, self.venue.now, True, None))
        self.dead = False
        self.step()


class Killed(Played):
    """A game whose table is killed: after some seconds, again and again, or `between` two moves."""

    def __init__(self, kind: str, number: int, between: bool = False) -> None:
        super().__init__(kind, number, pace=TIDY if between else CALM)
        self.table: Mortal = Mortal(self.table)
        self.kills = 0
        self._between = between
        self._alive_for = 0
        if not between:
            self.venue.at(self.venue.now + 9_000, self._kill)
        self.board.run = self.run  # type: ignore[method-assign]

    def _kill(self) -> None:
        if self.table.state.phase == "playing" and isinstance(self.board, Serial):
            self.kills += 1
            self.table.die()
            self.board.cable.stop()
        if not self._between:
            self.venue.at(self.venue.now + self.dice.randint(5_000, 30_000), self._kill)

    def _next_move(self) -> None:
        self._alive_for += 1
        if self._between and self._alive_for > 4 and self.table.moves == self.truth != []:
            self._alive_for = 0
            self._kill()
            self.venue.at(self.venue.now + 12_000, self._next_move)
        else:
            super()._next_move()

    def _press(self, side: Side) -> None:
        if not self.table.dead:  # else nobody hears it
            super()._press(side)

    def run(self, sink: Sink) -> None:
        """The drivers of all lives, one after the other."""
        assert isinstance(self.board, Serial)
        cable = self.board.cable
        while not self.venue.over:
            self.board.driver = device = self.board.device()
            device.run(cable.open("", 0), sink)
            cable._stopped = False
            if not self.venue.over:
                self.venue.until(self.venue.now + self.dice.choice((300, 1_500, 4_000)))
                self.table.rise(self.kind)


def told(played: Killed) -> list[events.Board]:
    return [event for event in played.table.recorded if isinstance(event, events.Board)]


@pytest.mark.parametrize("kind", ["certabo", "sentio", "dgt", "chesslink", "chessnut"])
def test_a_table_killed_between_two_moves_goes_on_as_if_nothing_had_been(kind: str) -> None:
    played = Killed(kind, 4, between=True)
    outcome = played.play()
    assert played.kills > 3
    assert outcome.verdict == "exact", outcome
    assert told(played) == []


@pytest.mark.parametrize("kind", ["certabo", "dgt", "chessnut"])
def test_a_table_killed_at_any_time_tells_nothing_before_it_has_looked_and_nothing_without_words(kind: str) -> None:
    played = Killed(kind, 4)
    played.play()
    wrong = [event for event in told(played) if event.state == "unexplained"]
    assert played.kills
    assert all(event.why and event.placement for event in wrong), wrong
