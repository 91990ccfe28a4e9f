"""A table in virtual time: the observer and the Laws as the table's core uses them, and people who play and answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from drivers.catalogue import BOARDS
from drivers.interfaces import BoardReport, OccupancyReport, PressReport, Report, StillReport
from kiosk.table.at_board import AtBoard, BoardSetup
from kiosk.table.keeper import Keeper
from kiosk.table.timeline import Timeline
from rules.laws import events
from rules.laws import game as laws
from rules.laws.events import OTHERS, Assignment, Fault, GameEvent, Player, Question, Side
from rules.laws.game_questions import CAPTURE, MISSED, MOVE, PROMOTION
from rules.laws.game_state import promoted_ply, start_board
from rules.laws.observer_alerts import Alert
from rules.laws.observer_watch import Made, Output
from tests.drivers.campaign.boards import KINDS, Board
from tests.drivers.campaign.games import Planned, game
from tests.drivers.campaign.hands import PACES, Pace, Touch, make
from tests.drivers.campaign.venue import FAULTS, Venue
from tests.drivers.campaign.venue import Fault as Trouble

#: How long everybody waits at the end.
AFTERWARDS_MS = 15_000
#: Somebody was asked about a move if it was so long before or any time after.
AROUND_MS = 10_000


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a pressed move took to be certain (ms): from its press, and from the last that the board has told."""

    press: int
    told: int


class _Time(Timeline):
    def __init__(self, venue: Venue) -> None:
        super().__init__(1.0)
        self._venue = venue

    def __call__(self) -> int:
        return self._venue.now

    def at(self, boot_ms: int) -> int:
        return boot_ms


class _NoLog:
    """An outbox that stores nothing."""

    epoch = 1

    def events(self) -> Sequence[GameEvent]:
        return ()


class _Listening(AtBoard):
    """Keeps what the observer says, and when."""

    def __init__(self, setup: BoardSetup, keeper: Keeper) -> None:
        self.said: list[Output] = []
        self.waits: list[Wait] = []
        self.told_at = 0  # when the board told something last
        self._answering = False
        super().__init__(setup, keeper)

    def report(self, report: Report) -> None:
        if isinstance(report, BoardReport | OccupancyReport | StillReport):
            self.told_at = self._keeper.timeline()
        super().report(report)

    def answered(self, t: int, question: Question, value: str) -> None:
        self._answering = True  # a move that was asked for has waited for people
        super().answered(t, question, value)
        self._answering = False

    def _hear(self, outputs: list[Output]) -> None:
        self.said += outputs
        now = self._keeper.timeline()
        presses = [output.pressed_at for output in outputs if isinstance(output, Made) and not output.replaces]
        self.waits += (
            [] if self._answering else [Wait(now - at, now - max(at, self.told_at)) for at in presses if at is not None]
        )
        super()._hear(outputs)


def assignment(fen: str) -> Assignment:
    """The game of two people from a position; "" for the usual one."""
    return Assignment("e", 1, 1, "r1b1", 1, Player(1, "Anna"), Player(2, "Boris"), "90+30", start_fen=fen)


class Table:
    """The core without its log, its link and its faces."""

    def __init__(self, venue: Venue, kind: str, fen: str) -> None:
        self.venue, row = venue, BOARDS[kind]
        self.keeper = Keeper(_NoLog(), _Time(venue), "boot")  # type: ignore[arg-type]
        self.recorded: list[GameEvent] = []
        self.board: Board | None = None
        setup = BoardSetup(
            row.sensor, row.settle_ms, row.grace_ms, lagging=True, confirms=self, checked=row.checked, blinks=row.blinks
        )
        self.at_board = _Listening(setup, self.keeper)
        self._fen = fen
        self._wake: int | None = None
        self._asked: set[str] = set()
        self.asked: list[Question] = []
        venue.wake, venue.woken = lambda: self._wake, lambda: self.step()

    def begin(self) -> None:
        """A game comes from the hub and is started."""
        now = self.venue.now
        self.keeper.record(laws.decide_assignment(self.keeper.state, assignment(self._fen), now))
        self.at_board.sync(now)
        self.keeper.record(laws.decide_order(self.keeper.state, "start", "start", "r1b1", {}, now))
        self.step()

    def confirm(self, since_ms: int) -> None:
        """The driver is asked."""
        if self.board is not None:
            self.board.confirm(since_ms)

    def report(self, report: Report) -> None:
        """A device says something."""
        self.at_board.report(report)
        self.step()

    def step(self) -> None:
        """What time alone does, in the order of the table's core."""
        t, board, keeper = self.venue.now, self.at_board, self.keeper
        held = board.held_until
        judged = t - 20 if held is None else min(t - 20, held)
        keeper.record(laws.due(keeper.state, judged, board.standing, board.settle_ms))
        board.sync(t)
        board.pass_time(t)
        board.sync(t)
        self.recorded += [event for _game, event in keeper._new]
        keeper._new.clear()
        due = laws.next_due(keeper.state, board.standing, board.settle_ms)
        times = [due + 20 if due is not None and board.held_until is None else None, board.due]
        self._wake = min((max(t + 1, time) for time in times if time is not None), default=None)
        for question in keeper.state.questions:
            if question.id not in self._asked:
                self._asked.add(question.id)
                self.asked.append(question)

    def answer(self, question: Question, value: str) -> None:
        """A player answers a question on the screen."""
        if question.id in {asked.id for asked in self.keeper.state.questions}:
            refusal = self.keeper.decide(laws.AnswerQuestion(question.side, question.id, value), self.venue.now)
            if refusal is None:
                self.at_board.answered(self.venue.now, question, value)
        self.step()

    @property
    def state(self) -> laws.GameState:
        """The game."""
        return self.keeper.state

    @property
    def moves(self) -> list[str]:
        """The record."""
        return [ply.uci for ply in self.state.plies]

    def told_since(self, t: int) -> bool:
        """Whether people were told since `t` that something is wrong, or were asked and have not answered yet."""
        later = (e for e in self.recorded if e.t >= t)
        told = any((isinstance(e, events.Board) and e.state == "unexplained") or isinstance(e, Fault) for e in later)
        return told or self.state.phase in ("paused", "disputed") or bool(self.state.questions)


@dataclass(slots=True)
class Outcome:
    """How one game was recorded. `verdict` is exact, asked, wrong or silent; `codes` counts what the observer said."""

    kind: str
    number: int
    fault: str
    pace: str
    verdict: str
    plies: int
    ply: int = 0  # the first one that differs
    played: str = ""
    recorded: str = ""
    why: str = ""
    codes: dict[str, int] = field(default_factory=dict)
    manners: dict[str, int] = field(default_factory=dict)
    waits: list[Wait] = field(default_factory=list, repr=False)


class Played:
    """One game by people at a board of a kind, with or without trouble."""

    def __init__(self, kind: str, number: int, trouble: str = "", pace: Pace | None = None) -> None:
        seed = f"{kind} {number} {trouble}"
        self.kind, self.number, self.trouble = kind, number, FAULTS.get(trouble, Trouble())
        self.dice = random.Random(seed)
        self.planned: Planned = game(number)
        self.pace = pace or PACES[number % len(PACES)]
        self.position = self.planned.board()
        # A Chess960 position with everything where it usually is cannot be told from the usual game.
        self.position.chess960 = start_board(assignment(self.planned.fen)).chess960
        self.venue = Venue()
        self.table = Table(self.venue, kind, self.planned.fen)
        self.table.board = self.board = KINDS[kind](self.venue, self.position, self.trouble, seed)
        self.truth: list[str] = []
        self.pressed: list[int] = []
        self.manners: Counter[str] = Counter()
        self._unpressed: Side | None = None
        self._cable_out = self._was_lost = False
        self._patience = 0
        self._answered = 0

    def play(self) -> Outcome:
        """Plays it to its end."""
        begin = self.venue.now
        self.venue.at(begin + 4_000, self.table.begin)
        self.venue.at(begin + 6_000, self._next_move)
        if self.trouble.unplugs:
            self.venue.at(begin + self.dice.randint(8_000, 90_000), self._pull)
        self.board.run(self._reported)
        return self._outcome()

    def _reported(self, report: Report) -> None:
        self.table.report(report)
        self._mind_questions()

    # -- people --------------------------------------------------------------------------------------------------------

    def _next_move(self) -> None:
        self._mind_questions()
        if len(self.truth) == len(self.planned.moves) or self.table.state.phase != "playing":
            if self._unpressed:
                self._press(self._unpressed)
            self.venue.at(self.venue.now + AFTERWARDS_MS, self._stop)
            return
        if self._cable_out and self._patience <= 0:
            self.venue.at(self.venue.now + 500, self._next_move)
            return
        self._patience -= 1
        move = self.planned.moves[len(self.truth)]
        side: Side = "white" if self.position.turn else "black"
        touches, manners = make(self.position, move, self.dice, self.pace, knocks=self._unpressed is None)
        self.manners.update(manners)
        end = self._touch(touches)
        pressing = end + self.dice.randint(*self.pace.press)
        if self._unpressed is not None:
            before = self._unpressed
            self.venue.at(pressing, lambda: self._press(before))
            pressing += self.dice.randint(250, 700)
            self._unpressed = None
        self.truth.append(self.position.uci(move))
        self.pressed.append(pressing)
        self.position.push(move)
        if self.dice.random() < 0.02 and len(self.truth) < len(self.planned.moves) and not self._cable_out:
            self.manners["the answer comes before the press"] += 1
            self._unpressed = side
        else:
            self.venue.at(pressing, lambda: self._press(side))
        self.venue.at(pressing + self.dice.randint(*self.pace.think), self._next_move)

    def _touch(self, touches: list[Touch]) -> int:
        now = self.venue.now
        for delay, square, letter in touches:
            self.venue.at(now + delay, lambda square=square, letter=letter: self.board.change(square, letter))  # type: ignore[misc]
        return now + touches[-1][0]

    def _press(self, side: Side) -> None:
        self.table.report(PressReport(self.venue.now, side))
        self._mind_questions()

    def _mind_questions(self) -> None:
        """Whoever is asked answers after a while."""
        for question in self.table.asked[self._answered :]:
            self._answered += 1
            self.venue.at(
                self.venue.now + self.dice.randint(500, 3_500),
                lambda question=question: self._answer(question),  # type: ignore[misc]
            )

    def _answer(self, question: Question) -> None:
        own = [uci for ply, uci in enumerate(self.truth) if self._mover(ply) == question.side]
        if question.about == PROMOTION:
            at = promoted_ply(self.table.state, question)
            uci = self.truth[at] if at is not None and at < len(self.truth) else ""
            self.table.answer(question, uci[4:] or "q")
        elif question.about == MOVE:
            uci = self.truth[question.ply] if question.ply < len(self.truth) else ""
            self.table.answer(question, uci if uci in question.options else OTHERS)
        elif question.about == MISSED:
            self.table.answer(question, self._line(question))
        elif question.about == CAPTURE:
            ply = len(self.table.moves)
            uci = self.truth[ply] if ply < len(self.truth) else own[-1]
            self.table.answer(question, uci[2:4] if uci[2:4] in question.options else question.options[-1])

    def _line(self, question: Question) -> str:
        """Which of the lines was played."""
        board, known = self.planned.board(), len(self.table.moves)
        for uci in self.table.moves:
            board.push_uci(uci)
        lines = {}
        for line in question.options[:-1]:
            there = board.copy()
            lines[line] = [there.push_san(word).uci() for word in line.split()]
        for letters in (5, 4):  # a board that sees squares only cannot offer all promotion pieces
            for line, moves in lines.items():
                played = self.truth[known : known + len(moves)]
                if [uci[:letters] for uci in moves] == [uci[:letters] for uci in played]:
                    return line
        return question.options[-1]

    def _mover(self, ply: int) -> Side:
        first = self.planned.board().turn
        return "white" if (ply % 2 == 0) == first else "black"

    # -- trouble -------------------------------------------------------------------------------------------------------

    def _pull(self) -> None:
        self._cable_out, self._patience = True, self.dice.choice((0, 0, 1, 1, 2, 3))
        self.board.pull()
        self.venue.at(self.venue.now + self.dice.randint(1_500, 20_000), self._plug)

    def _plug(self) -> None:
        self._cable_out = False
        self.board.plug()
        self.venue.at(self.venue.now + self.dice.randint(20_000, 120_000), self._pull)

    def _stop(self) -> None:
        if self._cable_out or self.table.state.board_lost:
            self._was_lost = True
            self.venue.at(self.venue.now + 5_000, self._stop)
        elif self._was_lost:
            self._was_lost = False
            self.venue.at(self.venue.now + AFTERWARDS_MS, self._stop)
        else:
            self.venue.over = True

    # -- what became of it ---------------------------------------------------------------------------------------------

    def _outcome(self) -> Outcome:
        recorded, truth = self.table.moves, self.truth
        codes = Counter(output.code for output in self.table.at_board.said if isinstance(output, Alert))
        found = Outcome(
            self.kind, self.number, self.trouble.name, self.pace.name, "exact", len(truth), codes=dict(codes),
            manners=dict(self.manners), waits=self.table.at_board.waits,
        )  # fmt: skip
        if recorded == truth:
            return found
        pairs = zip(recorded, truth, strict=False)
        ply = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(recorded), len(truth)))
        found.ply = ply
        found.played = truth[ply] if ply < len(truth) else ""
        found.recorded = recorded[ply] if ply < len(recorded) else ""
        found.why = self.table.at_board.problem or self.table.state.phase
        told = self.table.told_since(self.pressed[min(ply, len(self.pressed) - 1)] - AROUND_MS)
        if found.recorded and self.table.state.plies[ply].illegal:
            found.verdict = "asked"  # the Laws keep what an illegal press left on the board, for the arbiter
        elif found.recorded:
            asked = any(question.about == PROMOTION for question in self.table.state.questions)
            open_piece = found.recorded[:4] == found.played[:4] and asked
            # Whoever made that move is being asked which it was, or has said that it was none of those he could choose.
            doubted = any(asked.about == MOVE and asked.ply == ply for asked in self.table.asked)
            found.verdict = "asked" if open_piece or doubted else "wrong"
        else:
            found.verdict = "asked" if told else "silent"
        return found


def trouble_of(kind: str, number: int) -> str:
    """The trouble of a game: one after the other of those that this kind of board can have."""
    faults = KINDS[kind].faults
    return faults[(number + number // 10) % len(faults)]
