"""A DGT clock that hangs on the board and shows the table's times: driver, core and simulator, in virtual time."""

from __future__ import annotations

import asyncio
import queue
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from drivers.boards.dgt import clock as dgt_clock
from drivers.boards.dgt import clock_queue
from drivers.boards.dgt import protocol as dgt
from drivers.boards.dgt.device import DgtBoard
from drivers.boards.dgt.firmware import Firmware, SimulatedClock
from drivers.boards.dgt.simulator import SimulatedDgtBoard
from drivers.catalogue import named
from drivers.interfaces import ClockFace, ClockReport, FaultReport, PressReport, Report, StillReport
from hallnet import wire
from hallnet.outbox import Outbox
from kiosk.doctor import examine
from kiosk.doctor.board_clock import check_board_clock, try_board_clock
from kiosk.table import simulate
from kiosk.table.at_board import BoardSetup
from kiosk.table.config import TableConfig
from kiosk.table.core import Changed, FromDevice, FromFace, TableCore
from kiosk.table.hardware import touches
from kiosk.table.link import FromHub
from kiosk.table.outlook import face_of
from kiosk.table.picture import Picture
from kiosk.table.service import TableService
from kiosk.table.timeline import Timeline
from rules.laws.events import Assignment, Fault, Player, Side
from rules.laws.game import GameState, replay
from tests.drivers.campaign.venue import Cable, Venue
from tests.drivers.campaign.venue import Fault as LineFault
from tests.kiosk.table_hub import TestHub
from tests.kiosk.test_table_boards import Hall
from tests.kiosk.test_table_service import a_round, config, play

BEAT_MS = 250
#: A press that waits for the board is confirmed within this.
ASKED_MS = 500
SCAN_MS = 50


class VenueTime(Timeline):
    """Chess time is the venue's."""

    def __init__(self, venue: Venue) -> None:
        super().__init__(1.0)
        self.venue = venue

    def __call__(self) -> int:
        return self.venue.now


class Table:
    """A table whose only display is the clock on its board. `at` says what happens when (s after the beginning)."""

    def __init__(
        self,
        folder: Path,
        clock: SimulatedClock | None = None,
        control: str = "90+30",
        white_left: bool = True,
        fault: LineFault | None = None,
        display: bool = True,
    ) -> None:
        self.venue, self.real = Venue(), chess.Board()
        self.begin = self.venue.now
        self.clock = clock or SimulatedClock()
        self.clock.now = lambda: self.venue.now / 1000
        self.clock.answer_s = self.clock.answer_s or 0.3
        self.cable = Cable(self.venue, lambda data: self._hear(data), 1_000, fault or LineFault(), "clock")
        self.sent: list[tuple[int, bytes]] = []
        self.power_up()
        self.board = DgtBoard("", world=self.cable)
        self.display = self.board.display(white_left=white_left) if display else None
        clocks = {"board": self.display} if self.display is not None else {}
        self.setup = BoardSetup(lagging=True, checked=True, grace_ms=300, confirms=self.board, clocks=clocks)
        self.outbox = Outbox.open(folder / "table.db")
        self.core = TableCore(self.outbox, VenueTime(self.venue), "boot", self.setup)
        self.picture = Picture(GameState())
        self.reports: list[Report] = []
        self.seen: dict[float, Any] = {}
        self._take(self.core.open())
        self._assign(control)
        self._beat()
        self._idle()

    # -- the board

    def power_up(self) -> None:
        """The board begins anew; the clock behind it is what it is."""
        self.firmware = Firmware(self.clock)
        self.firmware.squares = [
            piece.symbol() if (piece := self.real.piece_at(number ^ 56)) else "." for number in range(64)
        ]

    def _hear(self, data: bytes) -> bytes:
        self.sent.append((self.venue.now, data))
        return self.firmware.feed(data)

    def _idle(self) -> None:
        self.cable.say(self.firmware.time_message())
        self.venue.at(self.venue.now + SCAN_MS, self._idle)

    def hands(self, uci: str) -> None:
        """A move on the board."""
        for square, letter in touches(self.real, chess.Move.from_uci(uci)):
            self.cable.say(self.firmware.change(square ^ 56, letter))
        self.real.push_uci(uci)

    def pull(self) -> None:
        """The board's cable, and with it its power and that of nothing else."""
        self.cable.pull()

    def plug(self) -> None:
        """It is back."""
        self.power_up()
        self.cable.plug()

    # -- the table

    def _take(self, outputs: object) -> None:
        for output in outputs:
            if isinstance(output, Changed):
                self.picture = output.picture

    def _assign(self, control: str) -> None:
        game = Assignment("e", 1, 1, "r1b1", 1, Player(1, "Anna"), Player(2, "Boris"), control)
        message = wire.assignment_message(game, "go")
        self._take(self.core.step([FromHub(wire.Snapshot(e=1, inc=1, last=0, assignment=message))]))

    def order(self, kind: str, **d: str | int) -> None:
        """The arbiter's desk wants something."""
        order = wire.OrderMsg(id=f"{kind}-{self.outbox.last}", game="r1b1", kind=kind, d=d)
        self._take(self.core.step([FromHub(order)]))

    def face(self, kind: str, **d: object) -> None:
        """A face wants something."""
        self._take(self.core.step([FromFace(1, kind, d)]))

    def _beat(self) -> None:
        self._take(self.core.step([]))
        if self.display is not None:
            self.display.show(face_of(self.picture.state, self.venue.now, True))
        self.venue.at(self.venue.now + BEAT_MS, self._beat)

    def _report(self, report: Report) -> None:
        self.reports.append(report)
        self._take(self.core.step([FromDevice(report)]))

    def press(self, side: Side) -> None:
        """A plunger of the table's own."""
        self._report(PressReport(self.venue.now, side))

    def move(self, uci: str) -> None:
        """A move, and its press half a second later."""
        side: Side = "white" if self.real.turn else "black"
        self.hands(uci)
        self.venue.at(self.venue.now + 500, lambda: self.press(side))

    # -- the story

    def at(self, seconds: float, do: Callable[[], object]) -> None:
        """Something happens."""
        self.venue.at(self.begin + round(seconds * 1000), lambda: (do(), None)[1])

    def look(self, seconds: float, what: Callable[[], object]) -> None:
        """What is to be seen then goes to `seen`."""
        self.at(seconds, lambda: self.seen.__setitem__(seconds, what()))

    def run(self, seconds: float) -> None:
        """The driver serves the board for so long."""
        self.at(seconds, self.cable.stop)
        self.board.run(self.cable.open("", 0), self._report)

    @property
    def state(self) -> GameState:
        """The fold of the log."""
        return replay(self.outbox.events())

    @property
    def faults(self) -> list[tuple[float, str]]:
        """What the table has told, and when (s)."""
        events = [event for event in self.outbox.events() if isinstance(event, Fault)]
        return [((event.t - self.begin) / 1000, event.what) for event in events]

    @property
    def off(self) -> tuple[int, int]:
        """How far the clock's left and right are from the table's times of White and Black, in s."""
        white, black = self.picture.state.clocks(self.venue.now)
        return self.clock.reading.left_s - -(-white // 1000), self.clock.reading.right_s - -(-black // 1000)

    def settings(self) -> list[int]:
        """When the clock was told times (ms after the beginning)."""
        number = bytes((dgt.CLOCK_COMMAND,))
        return [
            t - self.begin
            for t, data in self.sent
            if data[:1] == number and data[3:4] == bytes((dgt_clock.SET_AND_RUN,))
        ]


def test_the_clock_on_the_board_shows_the_tables_times(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    table.at(20, lambda: table.move("e2e4"))
    table.at(40, lambda: table.move("e7e5"))
    for second in (4, 12, 19, 24, 30, 39, 44, 59):
        table.look(second, lambda: (table.off, table.clock.reading.turn, table.clock.reading.running))
    table.run(60)
    expected = {4: (None, False), 12: ("left", True), 24: ("right", True), 44: ("left", True)}
    for second, (turn, running) in expected.items():
        assert table.seen[second][1:] == (turn, running)
    for second, ((left, right), _turn, _running) in table.seen.items():
        assert max(abs(left), abs(right)) <= 1, second
    assert table.faults == []
    assert [ply.uci for ply in table.state.plies] == ["e2e4", "e7e5"]
    # Once at the beginning, at the start, at each press: what the clock counts by itself costs nothing.
    assert len(table.settings()) <= 6
    assert table.clock.overrun == 0
    # The last word of the driver leaves a clock that stands.
    assert not table.clock.reading.running


def test_white_sits_at_the_clocks_right(tmp_path: Path) -> None:
    table = Table(tmp_path, white_left=False, control="3+2")
    table.at(3, lambda: table.order("start"))
    table.look(30, lambda: (table.clock.reading.left_s, table.clock.reading.right_s, table.clock.reading.turn))
    table.run(31)
    left, right, turn = table.seen[30]
    assert (left, turn) == (182, "right")
    assert abs(right - 155) <= 1
    assert [report.turn for report in table.reports if isinstance(report, ClockReport)][-1] == "white"


@pytest.mark.parametrize("trouble", ["deaf", "refusals"])
def test_three_lost_or_refused_commands_in_a_row_are_nothing_to_tell(tmp_path: Path, trouble: str) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    table.at(20, lambda: setattr(table.clock, trouble, 3))
    table.at(20.1, lambda: table.move("e2e4"))
    table.look(27, lambda: table.off)
    table.run(28)
    assert table.faults == []
    left, right = table.seen[27]
    assert max(abs(left), abs(right)) <= 1, "the command that came through had the times of its own moment"
    assert table.clock.overrun == 0
    assert getattr(table.clock, trouble) == 0


def test_a_clock_in_another_mode_is_told_and_taken_when_somebody_sets_the_mode(tmp_path: Path) -> None:
    table = Table(tmp_path, SimulatedClock(pc_mode=False))
    table.at(5, lambda: table.order("start"))
    table.at(40, lambda: setattr(table.clock, "pc_mode", True))
    table.look(50, lambda: table.off)
    table.run(51)
    (told, words), (over, right) = table.faults
    assert told < 10
    assert "option 25" in words
    assert 40 <= over <= 46
    assert right == "the clock on the board shows the times"
    assert max(map(abs, table.seen[50])) <= 1
    # Four tries, then one look in five seconds: a clock that refuses is not shouted at.
    assert len([t for t in table.settings() if t < 40_000]) <= 4 * 9


def test_no_clock_is_told_once_and_one_that_is_plugged_in_in_mid_game_shows_the_times(tmp_path: Path) -> None:
    table = Table(tmp_path, SimulatedClock(connected=False))
    table.at(5, lambda: table.order("start"))
    table.at(60, lambda: (setattr(table.clock, "connected", True), table.clock.switch_on()))
    table.look(64, lambda: table.off)
    table.at(80, lambda: setattr(table.clock, "connected", False))
    table.at(150, lambda: (setattr(table.clock, "connected", True), table.clock.switch_on()))
    table.look(154, lambda: table.off)
    table.run(155)
    assert [words for _t, words in table.faults] == [
        "no clock hangs on the board: plug it in, or look at its cable", "the clock on the board shows the times",
    ] * 2  # fmt: skip
    assert [round(t) for t, _words in table.faults[1:]] == pytest.approx([61, 81, 151], abs=2)
    for second in (64, 154):
        assert max(map(abs, table.seen[second])) <= 1


def test_a_pulled_cable_and_the_board_is_back_with_a_clock_that_shows_the_times(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    table.at(20, table.pull)
    table.at(22, lambda: table.press("white"))  # the board is gone: presses alone drive the clock
    table.at(40, lambda: (table.clock.turn_to(60, 60, None), table.plug()))
    table.look(50, lambda: (table.off, table.clock.reading.turn))
    table.run(51)
    (left, right), turn = table.seen[50]
    assert max(abs(left), abs(right)) <= 1
    assert turn == "right"
    assert [words for _t, words in table.faults] == []


def test_a_clock_that_was_turned_by_hand_is_set_again_and_nothing_is_told(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    table.look(19.9, lambda: table.picture.state.clock)
    table.at(20, lambda: table.clock.turn_to(60, 3_000, "right"))
    table.look(30, lambda: table.off)
    table.run(31)
    assert max(map(abs, table.seen[30])) <= 1
    assert table.display is not None
    assert table.display.corrections == 1
    assert table.faults == []
    assert table.picture.state.clock == table.seen[19.9], "the table's own time does not change for that"


def test_a_clock_that_stays_wrong_is_told_once_and_again_when_it_is_right(tmp_path: Path) -> None:
    """It says that it obeys, and stands: somebody has stopped it, and stops it again and again."""
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))

    def stop() -> None:
        reading = table.clock.reading
        if reading.running:
            table.clock.turn_to(reading.left_s, 17, None)

    for tenth in range(200, 700):
        table.at(tenth / 10, stop)
    table.look(80, lambda: table.off)
    table.run(81)
    (told, words), (over, right) = table.faults
    assert 29 <= told <= 31
    assert words.startswith("the DGT clock shows 1:30:")
    assert "0:00:17 instead of 1:30:06 / 1:30:30" in words
    assert "table's own times count" in words
    assert 70 <= over <= 76
    assert right == "the DGT clock shows the table's times again"
    assert max(map(abs, table.seen[80])) <= 1
    assert table.state.clocks(table.begin + 80_000)[0] == 5_430_000 - 75_000


class Frozen(SimulatedClock):
    """It says that it obeys, and shows what it showed at `from_s` (s)."""

    __slots__ = ("from_s",)

    def turn_to(self, left_s: int, right_s: int, running: dgt_clock.ClockSide | None) -> None:
        if self.now() < getattr(self, "from_s", float("inf")):
            super().turn_to(left_s, right_s, running)


def test_a_standing_clock_that_does_not_follow_a_correction_is_found_without_a_word_from_it(tmp_path: Path) -> None:
    """Nothing runs, so it says nothing by itself; acknowledgements come, and nothing happens."""
    clock = Frozen()
    table = Table(tmp_path, clock)
    clock.from_s = table.begin / 1000 + 15
    table.at(5, lambda: table.order("start"))
    table.at(10, lambda: table.order("pause", why="an irregularity"))
    table.at(16, lambda: table.order("times", white_ms=600_000, black_ms=600_000, why="a mistake"))
    table.run(90)
    ((told, words),) = table.faults
    assert 24 <= told <= 34
    assert words.startswith("the DGT clock shows 1:30:25 / 1:30:30 instead of 0:10:00 / 0:10:00")
    assert table.display is not None
    # Told once; set again and again, but not more often than every five seconds.
    assert 10 <= table.display.corrections <= 15


def test_words_for_a_pause_and_for_the_result(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    table.at(20, lambda: table.order("pause", why="an irregularity"))
    table.at(40, lambda: table.order("resume"))
    table.at(50, lambda: table.face("resign", side="black"))
    for second in (4, 19, 22, 28, 45, 53, 60):
        table.look(second, lambda: table.clock.text)
    table.look(28.1, lambda: table.off)
    table.run(61)
    assert table.seen == {4: "", 19: "", 22: "PAUSE", 28: "", 28.1: (0, 0), 45: "", 53: "1-0", 60: "1-0"}
    assert table.faults == []


@pytest.mark.parametrize(
    ("version", "white_left", "words"),
    [((2, 0), True, "FLAG3m00"), ((2, 0), False, "3m00FLAG"), ((1, 14), True, "flag"), ((1, 14), False, "  flag")],
)
def test_a_fallen_flag_is_seen_at_its_side(
    tmp_path: Path, version: tuple[int, int], white_left: bool, words: str
) -> None:
    table = Table(tmp_path, SimulatedClock(version=version), "3+0", white_left)
    table.at(5, lambda: table.order("start"))
    table.look(180, lambda: (table.clock.text, table.clock.reading.running))
    table.look(188, lambda: (table.clock.text, table.clock.reading.running, table.picture.state.flag))
    table.run(189)
    assert table.seen[180] == ("", True)
    text, running, flag = table.seen[188]
    assert (text, running) == (words, False)
    assert flag is not None
    assert (flag.side, flag.t) == ("white", table.begin + 185_000), "our time decides, to the millisecond"
    assert table.faults == []


def test_a_clock_that_draws_shows_what_it_can_draw_and_else_the_times(tmp_path: Path) -> None:
    table = Table(tmp_path, SimulatedClock(version=(1, 14)))
    table.at(5, lambda: table.order("start"))
    table.at(10, lambda: table.order("pause", why="an irregularity"))
    table.look(12, lambda: table.clock.text)
    table.at(20, lambda: table.order("rule", score="1/2-1/2", why="agreed"))
    table.look(26, lambda: (table.clock.text, table.picture.state.score))
    table.run(27)
    assert table.seen == {12: "pause", 26: ("", "1/2-1/2")}


def test_a_low_battery_is_told_once_and_again_after_a_fresh_one(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))

    def battery(low: bool) -> None:
        table.clock.time = replace(table.clock.time, battery_low=low)

    for second, low in ((10, True), (40, False), (60, True)):
        table.at(second, lambda low=low: battery(low))
    table.run(70)
    assert [(round(t), words) for t, words in table.faults] == [
        (10, "the battery of the DGT clock is low: change it soon"),
        (40, "the DGT clock has a fresh battery"),
        (60, "the battery of the DGT clock is low: change it soon"),
    ]


def test_a_lever_that_is_tipped_presses_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.at(5, lambda: table.order("start"))
    for second in range(10, 30):
        table.at(second, lambda second=second: table.clock.tip(bool(second % 2)))
    table.run(35)
    assert [report for report in table.reports if isinstance(report, PressReport)] == []
    assert table.state.running == "white"
    assert table.faults == []


def test_a_clock_that_is_no_display_is_left_alone(tmp_path: Path) -> None:
    """It hangs there and shows its own times: no command but the question for its version, and nothing is compared."""
    table = Table(tmp_path, display=False)
    table.at(5, lambda: table.order("start"))
    table.at(20, lambda: table.clock.turn_to(60, 60, "left"))
    table.run(60)
    asked = [data for _t, data in table.sent if data[0] == dgt.CLOCK_COMMAND]
    assert asked == [dgt_clock.ask_version()]
    assert any(isinstance(report, ClockReport) for report in table.reports)
    assert table.faults == []


BLITZ = [
    "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5", "a4b3", "d7d6",
    "c2c3", "e8g8", "h2h3", "c6b8", "d2d4", "b8d7",
]  # fmt: skip


@given(st.integers(0, 2**32), st.sampled_from(["3+2", "5d3", "90+30"]), st.sampled_from([0.2, 0.5, 1.2]))
@settings(deadline=None, max_examples=4, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_whatever_the_pace_a_clock_that_obeys_is_never_called_wrong(
    tmp_path_factory: pytest.TempPathFactory, seed: int, control: str, answer_s: float
) -> None:
    dice = random.Random(seed)
    table = Table(tmp_path_factory.mktemp("t"), SimulatedClock(answer_s=answer_s), control)
    table.at(5, lambda: table.order("start"))
    second = 6.0
    for uci in BLITZ:
        table.at(second, lambda uci=uci: table.move(uci))
        second += dice.choice((1.1, 1.4, 2.5, 8.0))
        if dice.random() < 0.1:
            table.at(second, lambda: setattr(table.clock, "deaf", 1))
    table.look(second + 9, lambda: table.off)
    table.run(second + 10)
    assert table.faults == []
    assert [ply.uci for ply in table.state.plies] == BLITZ
    assert table.clock.overrun == 0
    assert max(map(abs, table.seen[second + 9])) <= 1


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=2, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_the_clock_costs_no_move_and_holds_up_no_press(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """The same game at a board with a clock and at one without: the same record, and no press waits longer."""
    games: list[tuple[list[str], list[int]]] = []
    for display in (False, True):
        table = Table(tmp_path_factory.mktemp("t"), SimulatedClock(), display=display)
        dice, second = random.Random(seed), 6.0
        table.at(5, lambda table=table: table.order("start"))
        for uci in BLITZ:
            table.at(second, lambda table=table, uci=uci: table.move(uci))
            second += 1.1 + 2 * dice.random()
        table.run(second + 5)
        waits = []
        for pressed in (report.boot_ms for report in table.reports if isinstance(report, PressReport)):
            stood = [r.boot_ms for r in table.reports if isinstance(r, StillReport) and r.as_of >= pressed]
            waits += [min(stood) - pressed] if stood and min(stood) - pressed < ASKED_MS else []
        games.append(([ply.uci for ply in table.state.plies], sorted(waits)))
    (moves, waits), (same, with_clock) = games
    assert moves == same == BLITZ
    assert len(waits) == len(with_clock) > 3
    assert all(abs(one - other) <= 20 for one, other in zip(waits, with_clock, strict=True))


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=4, phases=(Phase.explicit, Phase.reuse, Phase.generate))
def test_after_any_troubles_the_clock_is_right_again(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Noise, refusals, deafness, hands at the clock, its plug, the board's cable: a minute later all is well."""
    dice = random.Random(seed)
    table = Table(tmp_path_factory.mktemp("t"), SimulatedClock(zero_after=dice.random() < 0.3), "90+30",
                  fault=LineFault(noise=0.02, loss=0.0005))  # fmt: skip
    clock = table.clock
    if dice.random() < 0.3:
        clock.again_s = 0.8

    def plug(there: bool) -> None:
        if there and not clock.connected:
            clock.switch_on()
        clock.connected = there

    table.at(5, lambda: table.order("start"))
    for _trouble in range(8):
        second = 10 + 60 * dice.random()
        table.at(second, dice.choice((
            lambda: setattr(clock, "deaf", dice.randrange(1, 9)),
            lambda: setattr(clock, "refusals", dice.randrange(1, 9)),
            lambda: clock.turn_to(dice.randrange(36_000), dice.randrange(36_000), dice.choice(("left", "right", None))),
            lambda: plug(False),
            lambda: plug(True),
            lambda: setattr(clock, "pc_mode", dice.random() < 0.5),
            lambda: table.cable.plugged and table.pull(),
            lambda: table.cable.plugged or table.plug(),
        )))  # fmt: skip
    table.at(71, lambda: (plug(True), setattr(clock, "pc_mode", True), setattr(clock, "deaf", 0),
                          setattr(clock, "refusals", 0), table.cable.plugged or table.plug()))  # fmt: skip
    for second in (110, 117, 124):
        table.look(second, lambda: (table.off, clock.text))
    table.run(125)
    for (left, right), text in table.seen.values():
        assert max(abs(left), abs(right)) <= 2
        assert text == ""
    assert clock.overrun == 0
    told = [words for _t, words in table.faults if "shows" not in words]
    over = [words for _t, words in table.faults if words == "the clock on the board shows the times"]
    assert bool(told) == bool(over)


# -- a whole table, the doctor, and the board for others --------------------------------------------------------------


@pytest.mark.parametrize("board", ["simulated", "simulated:dgt-bluetooth"])
def test_simulated_people_play_a_game_at_a_table_whose_display_is_the_boards_clock(tmp_path: Path, board: str) -> None:
    """Chess time runs fast here: the clock stands and is set once a second, and ends with the result."""
    texts: list[str] = []

    async def story(hub: TestHub, service: TableService) -> None:
        await a_round(hub, 2)
        hands = service._hardware.hands
        assert hands is not None
        simulated = hands._board
        assert isinstance(simulated, SimulatedDgtBoard)
        async with asyncio.timeout(20):
            while simulated.firmware.clock.text != hub.state.score:  # noqa: ASYNC110 - a thread tells it
                await asyncio.sleep(0.05)
        texts.append(simulated.firmware.clock.text)
        assert not simulated.firmware.clock.reading.running
        assert simulated.firmware.clock.overrun == 0

    hub = play(config(tmp_path, board=board, display="dgt-board", speed=60.0), story)
    assert texts == [hub.state.score]
    assert [fault.what for fault in hub.state.faults] == []


@pytest.mark.parametrize(
    ("clock", "state", "words"),
    [
        (SimulatedClock(answer_s=0.05), "pass", "a DGT 3000 (version 2.0) obeys; 12:34 and 56:07 were shown"),
        (SimulatedClock(answer_s=0.05, version=(1, 14)), "pass", "a DGT XL (version 1.14) obeys"),
        (SimulatedClock(connected=False), "fail", "No clock hangs on the board."),
        (SimulatedClock(pc_mode=False), "fail", "The clock does not let itself be set."),
        (SimulatedClock(deaf=99), "fail", "The clock does not answer."),
    ],
)
def test_the_doctor_tells_whether_a_clock_hangs_on_the_board_and_obeys(
    clock: SimulatedClock, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock_queue, "ANSWER_MS", 300)
    board = SimulatedDgtBoard()
    board.set_up(chess.STARTING_BOARD_FEN)
    board.hang(clock)
    display = named("display", "dgt-board")
    try:
        seen = try_board_clock(named("board", f"dgt:{board.port}"), display)
        found = check_board_clock(display, seen)
        assert (found.group, found.name, found.state) == ("table", "display", state)
        assert words in found.what
        assert bool(found.remedy) == (state == "fail")
        if state == "pass":
            assert (clock.time.left_s, clock.time.right_s, clock.time.running) == (754, 3_367, False)
    finally:
        board.close()


def test_the_doctor_at_a_simulated_board_and_at_none() -> None:
    display = named("display", "dgt-board")
    assert try_board_clock(named("board", "simulated"), display).trouble == ""
    found = check_board_clock(display, try_board_clock(named("board", "dgt:/dev/none"), display))
    assert (found.state, "No board at /dev/none" in found.what) == ("fail", True)


def test_the_whole_examination_tries_the_clock_on_the_board(tmp_path: Path) -> None:
    settings = TableConfig("1", data=str(tmp_path), display="dgt-board:right")
    found = {finding.name: finding for finding in examine.examine_table(settings, lambda _what: None)}
    assert found["display"].state == "pass"
    assert "a DGT 3000 (version 2.0) obeys" in found["display"].what
    assert "with a DGT 3000 (version 2.0)" in found["board"].what


def test_hands_at_the_clock_of_a_board_that_is_simulated_for_others() -> None:
    board = simulate.SimulatedBoard("dgt", touch_s=0.0)
    reports: queue.Queue[Report] = queue.Queue()
    device = DgtBoard(board.port, command_gap_s=0.0)
    display = device.display()
    display.show(ClockFace(5_400_000, 61_000))
    device.start(reports.put)

    def until(kind: type[Report], holds: Callable[[Any], bool]) -> None:
        while not (isinstance(report := reports.get(timeout=10), kind) and holds(report)):
            pass

    try:
        until(ClockReport, lambda told: (told.white_s, told.black_s) == (5_400, 61))
        assert board.do("clock") == "1:30:00 0:01:01"
        assert board.do("clock low") == "1:30:00 0:01:01"
        until(ClockReport, lambda told: told.battery_low)
        assert board.do("clock 0:10:00 0:20:00") == "0:10:00 0:20:00"
        until(ClockReport, lambda told: (told.white_s, told.black_s) == (600, 1_200))
        display.set_again()
        until(ClockReport, lambda told: (told.white_s, told.black_s) == (5_400, 61))
        assert board.do("clock unplug") == "no clock hangs on the board"
        until(FaultReport, lambda told: told.fault == "absent" and not told.over)
        assert board.do("clock plug") == "0:00:00 0:00:00"
        until(FaultReport, lambda told: told.fault == "absent" and told.over)
        assert board.do("clock") == "1:30:00 0:01:01"
        assert "write one of: clock , clock unplug, clock plug" in board.do("clock backwards")
        device.close()
        assert board.do("unplug") == "unplugged"
        board.do("plug")
        assert board.do("clock") == "1:30:00 0:01:01"
    finally:
        device.close()
        board.close()
    other = simulate.SimulatedBoard("chesslink", touch_s=0.0)
    try:
        assert "no clock can hang on this board" in other.do("clock")
    finally:
        other.close()


# -- a clock on wires of its own --------------------------------------------------------------------------------------


class Face:
    """A clock that is told to be set again."""

    def __init__(self) -> None:
        self.again = 0

    def set_again(self) -> None:
        self.again += 1


def test_a_clock_on_i2c_is_compared_too(tmp_path: Path) -> None:
    face = Face()
    hall = Hall(tmp_path, BoardSetup("identified", settle_ms=300, grace_ms=40, clocks={"clock": face}))

    def told(off_s: int) -> None:
        """A second later, of which chess time makes a minute."""
        hall.timeline.pass_by(1)
        white_s = hall.picture.state.clocks(hall.timeline())[0] // 1000
        hall.report(ClockReport(hall.timeline.stamp(), white_s + off_s, 5_430, "white", True, False, False, False))

    for _second in range(15):
        told(-1_500)
    assert [fault.what[:19] for fault in hall.outbox.events() if isinstance(fault, Fault)] == ["the DGT clock shows"]
    assert face.again == 3
    for _second in range(4):
        told(0)
    assert [fault.what for fault in hall.outbox.events() if isinstance(fault, Fault)][1:] == [
        "the DGT clock shows the table's times again"
    ]
    assert hall.state.running == "white"
