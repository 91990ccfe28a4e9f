"""The table's only place with state: devices, faces, the hub and time go in; events are stored; effects come out.

`TableCore.step` runs in one thread (`hallnet.serial.SerialThread`). For a batch of inputs it decides (`rules.laws`),
folds, commits everything in the outbox, and only then hands out what follows: replies, the picture for faces, what the
link may send. A move that the board shows is a candidate until it is pressed for, or until it ends the game by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from typing import Any, cast

import msgspec

from drivers.interfaces import Report
from hallnet import wire
from hallnet.local import Reply
from hallnet.outbox import Outbox
from kiosk.table.at_board import AtBoard, BoardSetup
from kiosk.table.chips import Teacher
from kiosk.table.judge import Judged
from kiosk.table.keeper import JOURNAL_MS, Keeper
from kiosk.table.link import FromHub, Holding
from kiosk.table.picture import Picture
from kiosk.table.timeline import Timeline
from rules.laws import game as laws
from rules.laws.events import Call, GameEvent, OrderDone, Paused, Question, Side
from rules.laws.game_order_data import squares_of
from rules.laws.sides import SIDES

log = logging.getLogger(__name__)

#: Events of an epoch that is over which are looked through for moves to tell.
_MOST_EVIDENCE = 200
#: Real ms after a flag instant before the flag is decided: presses on their way through a driver still come in.
LATE_MS = 20


@dataclass(frozen=True, slots=True)
class FromDevice:
    """A report of the board or of the clock."""

    report: Report


@dataclass(frozen=True, slots=True)
class FromFace:
    """An intent of a face; `token` comes back with the reply."""

    token: int
    kind: str
    d: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fetch:
    """The link wants events after `after` to send."""

    token: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes."""


Input = FromDevice | FromFace | FromHub | Fetch | Judged | Tick


@dataclass(frozen=True, slots=True)
class Replied:
    """The answer to a face's intent."""

    token: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class Fetched:
    """Events for the link."""

    token: int
    events: tuple[wire.EventMsg, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """Faces have something new to see."""

    picture: Picture


@dataclass(frozen=True, slots=True)
class Wake:
    """Tick again at this chess time."""

    t: int


Output = Replied | Fetched | Changed | Holding | Wake


class TableCore:
    """See the head of this module. `boot` is the machine's boot id, `setup` the board's."""

    def __init__(self, outbox: Outbox, timeline: Timeline, boot: str, setup: BoardSetup | None = None) -> None:
        self._outbox = outbox
        self._timeline = timeline
        self._keeper = Keeper(outbox, timeline, boot)
        setup = setup or BoardSetup()
        self._at_board = AtBoard(setup, self._keeper)
        self._teacher = Teacher(setup.chips)
        self._past: dict[int, wire.Past] = {}
        self._picture: Picture | None = None
        self._holding: Holding | None = None

    def open(self) -> list[Output]:
        """First step after a start: what a restart means for the game."""
        if self._outbox.epoch:
            journal, state = self._outbox.last_journal(), self._keeper.state
            # Clocks that stand are as the record has them; what is noted may be of another game.
            noted = journal is not None and state.running is not None and journal.t >= state.t
            clocks = (journal.white_ms, journal.black_ms) if journal is not None and noted else None
            same_boot = self._outbox.last_boot in ("", self._keeper.boot)
            if self._keeper.state.assignment is not None or not same_boot:
                self._keeper.record(laws.recover(self._keeper.state, self._timeline(), same_boot, clocks))
        return self._finish([])

    def step(self, inputs: list[Input]) -> list[Output]:
        """Takes a batch of inputs; returns what follows from them once they are on the disk."""
        outputs: list[Output] = []
        for item in inputs:
            match item:
                case FromDevice(report):
                    self._at_board.report(report)
                case FromFace(token, kind, d):
                    outputs.append(Replied(token, self._face(kind, d)))
                case FromHub(message):
                    self._hub(message)
                case Fetch(token, after, limit):
                    outputs.append(Fetched(token, self._outbox.pending(after, limit)))
                case Judged():
                    self._judged(item)
                case Tick():
                    pass
        if not (inputs and all(isinstance(item, Fetch) for item in inputs)):
            self._time_passes()
        return self._finish(outputs)

    def _finish(self, outputs: list[Output]) -> list[Output]:
        """Commits, then adds what changed."""
        self._at_board.sync(self._timeline())
        self._keeper.commit()
        self._teacher.look(self._keeper.state)
        board = self._at_board
        standing = board.standing
        candidate = standing.uci if standing is not None else ""
        picture = Picture(board.shown, board.placement, candidate, board.problem)
        if picture != self._picture:
            self._picture = picture
            outputs.append(Changed(picture))
        holding = self.holding
        if holding != self._holding:
            self._holding = holding
            outputs.append(holding)
        wake = self._next_wake()
        if wake is not None:
            outputs.append(Wake(wake))
        return outputs

    @property
    def holding(self) -> Holding:
        """What the table holds, for the link."""
        return Holding(
            boot=self._keeper.boot,
            instance=self._outbox.instance,
            epoch=self._outbox.epoch,
            last=self._outbox.last,
            acked=self._outbox.acked,
            round=self._keeper.state.round,
            rev=self._keeper.state.rev,
            incarnation=self._outbox.incarnation,
        )

    def _time_passes(self) -> None:
        if not self._outbox.epoch:
            return
        t = self._timeline()
        standing = self._at_board.standing
        self._keeper.record(laws.due(self._keeper.state, self._judged_until(t), standing, self._at_board.settle_ms))
        self._at_board.sync(t)
        self._at_board.pass_time(t)
        self._keeper.journal()

    def _judged_until(self, t: int) -> int:
        """The stamp up to which a flag may be decided: what comes late through a driver may still be before it."""
        late = t - int(LATE_MS * self._timeline.speed)
        held = self._at_board.held_until
        return late if held is None else min(late, held)

    def _next_wake(self) -> int | None:
        """The next chess time at which `step` has something to do by itself."""
        board, state = self._at_board, self._keeper.state
        due = laws.next_due(state, board.standing, board.settle_ms)
        times = [
            due + int(LATE_MS * self._timeline.speed) if due is not None and board.held_until is None else None,
            board.due,
            self._timeline() + int(JOURNAL_MS * self._timeline.speed) if state.running is not None else None,
        ]
        return min((t for t in times if t is not None), default=None)

    # -- faces and the hub --------------------------------------------------------------------------------------------

    def _face(self, kind: str, d: Mapping[str, Any]) -> Reply:
        if not self._outbox.epoch:
            return Reply(False, _("This table has not met its hub yet: please wait."))
        if self._outbox.full and not self._keeper.state.under_way:
            return Reply(False, _("The log of this table is full: only practice is possible. Call the arbiter."))
        make = _INTENTS.get(kind)
        if make is None:
            return Reply(False, _("This table does not know the request {kind}.").format(kind=kind))
        try:
            intent = make(d)
        except (KeyError, TypeError, ValueError) as error:
            return Reply(False, _("The request {kind} is not understood: {error}").format(kind=kind, error=error))
        t, asked = self._timeline(), self._asked(intent)
        if isinstance(intent, laws.ClaimIllegal | laws.ClaimTouch):
            intent = replace(intent, touched=self._at_board.touched(intent.side))
        answer = laws.decide(self._keeper.state, intent, t, self._at_board.standing)
        if isinstance(answer, laws.Refusal):
            return Reply(False, answer.why)
        if not all(map(wire.fits, answer)):
            return Reply(False, _("This text is too long to be sent: say it in fewer words."))
        self._keeper.record(answer)
        if asked is not None and isinstance(intent, laws.AnswerQuestion):
            self._at_board.answered(t, asked, intent.value)
        return Reply(True)

    def _asked(self, intent: laws.Intent) -> Question | None:
        """The question that an intent answers."""
        if not isinstance(intent, laws.AnswerQuestion):
            return None
        return next((question for question in self._keeper.state.questions if question.id == intent.id), None)

    def _judged(self, found: Judged) -> None:
        """A longer search about a provisional result came back."""
        if found.game != self._keeper.state.game or not (found.proof or found.line):
            return
        refusal = self._keeper.decide(laws.SettleMate(found.proof, found.line), self._timeline())
        if refusal is not None:
            log.info("search for a mate: %s", refusal.why)

    def _hub(self, message: wire.Ack | wire.Snapshot | wire.AssignmentMsg | wire.OrderMsg | wire.Past) -> None:
        match message:
            case wire.Ack():
                self._outbox.acknowledge(message.e, message.s, message.inc, message.prev)
            case wire.AssignmentMsg():
                self._assigned(message)
            case wire.OrderMsg():
                self._ordered(message)
            case wire.Snapshot():
                self._snapshot(message)
            case wire.Past():
                self._inherit(message)

    def _inherit(self, past: wire.Past) -> None:
        """This device goes on with a game that another one has recorded: its events first, then a pause (S-12).

        The other device's stamps mean nothing here, so the game comes back paused, as after a power cut.
        """
        if past.e != self._outbox.epoch or self._keeper.state.assignment is not None:
            return
        self._past = {} if past.part == 0 else self._past
        self._past[past.part] = past
        if len(self._past) < past.parts:
            return
        try:
            events = [wire.event_of(e.kind, e.d) for n in range(past.parts) for e in self._past[n].events]
        except (wire.WireError, KeyError) as error:
            log.error("the game of the other device is not understood: %s", error)
            return
        finally:
            self._past = {}
        self._keeper.record(tuple(events))
        t, answered = self._timeline(), {name for event in events for name in _orders_of(event)}
        for event in laws.recover(self._keeper.state, t, False, (past.white_ms, past.black_ms)):
            if isinstance(event, Paused):
                self._keeper.record((replace(event, why=_taken_over(past), age_ms=past.age_ms),))
            elif isinstance(event, Call):
                self._keeper.record((replace(event, why=_taken_over(past)),))
        # What the other device has carried out is not done a second time.
        self._keeper.record(tuple(OrderDone(t, order) for order in sorted(answered)))

    def _snapshot(self, snapshot: wire.Snapshot) -> None:
        self._outbox.know(snapshot.hubs)
        if snapshot.e > self._outbox.epoch:
            self._begin_epoch(snapshot.e)
        if snapshot.e == self._outbox.epoch:
            if snapshot.last < self._outbox.acked:
                self._outbox.rewind(snapshot.last)
            self._outbox.acknowledge(snapshot.e, snapshot.last, snapshot.inc, snapshot.prev)
        if snapshot.e < self._outbox.epoch:
            return  # it is of before this table began anew
        if snapshot.assignment is not None:
            self._assigned(snapshot.assignment)
        for order in snapshot.orders:
            self._ordered(order)

    def _begin_epoch(self, epoch: int) -> None:
        """An empty table from here on: what was here before and is not told yet stays in this file, as evidence."""
        self._keeper.commit()
        again = self._outbox.epoch > 0
        why = "; ".join(self._outbox.notices) or ("moved" if again else "enrolled")
        left = self._outbox.pending(self._outbox.acked, _MOST_EVIDENCE) if again else ()
        if moves := [event["uci"] for event in map(_plain, left) if "uci" in event]:
            words = _("moves made here that had not reached the hub are not part of the game: {moves}")
            why = words.format(moves=" ".join(moves))
        self._keeper.begin(epoch, why[: wire.MAX_TEXT])

    def _assigned(self, message: wire.AssignmentMsg) -> None:
        """Takes an assignment; what is not newer than the table's own is ignored, whatever path it came by."""
        if message.e not in (0, self._outbox.epoch):
            return
        if not self._outbox.epoch or (message.round, message.rev) <= (self._keeper.state.round, self._keeper.state.rev):
            return
        if self._outbox.full:
            log.error("%s is full: no new game is taken", self._outbox.path)
            return
        self._keeper.record(laws.decide_assignment(self._keeper.state, message.assignment(), self._timeline()))

    def _ordered(self, order: wire.OrderMsg) -> None:
        if not self._outbox.epoch or order.e not in (0, self._outbox.epoch):
            return
        t = self._timeline()
        if order.kind == "seal" and not self._sealable(order):
            return
        self._keeper.record(laws.due(self._keeper.state, t, self._at_board.standing))
        events = laws.decide_order(self._keeper.state, order.id, order.kind, order.game, order.d, t)
        self._keeper.record(events)
        if order.kind == "dead" and any(isinstance(event, OrderDone) and event.ok for event in events):
            self._at_board.mark_dead(t, squares_of(order.d))

    def _sealable(self, order: wire.OrderMsg) -> bool:
        """Has the hub what this table has? A round is sealed with the count of its events and their chain hash."""
        count, digest = order.d.get("count"), order.d.get("hash")
        if not isinstance(count, int) or not digest or order.id in self._keeper.state.orders:
            return True
        own = self._outbox.hash_after(count)
        if own == digest:
            return True
        log.error("seal %s: the hub has %d events with hash %s, this table %s", order.id, count, digest, own or "-")
        why = _("the hub's copy of this table's events is not this table's: look at both logs")
        self._keeper.record((OrderDone(self._timeline(), order.id, ok=False, why=why),))
        return False


def _orders_of(event: GameEvent) -> tuple[str, ...]:
    """The order that an event carries out."""
    named = getattr(event, "order", "") or getattr(event, "evidence", {}).get("order", "")
    return (named,) if named else ()


def _taken_over(past: wire.Past) -> str:
    """Why the game stands after it came here, and what is to be done now."""
    seconds = round(past.age_ms / 1000)
    if past.moved and not past.age_ms:
        return _("the game was moved here: let play go on when both sit at this board")
    if past.moved:
        words = _("the game was moved here; the clocks are as of {seconds} s ago: check them, then let play go on")
    else:
        words = _("another device took over; the clocks are as of {seconds} s ago: check them, then let play go on")
    return words.format(seconds=seconds)


def _plain(message: wire.EventMsg) -> dict[str, Any]:
    """What an event has, as plain data."""
    return cast(dict[str, Any], msgspec.json.decode(message.d))


def _side(d: Mapping[str, Any]) -> Side:
    side = d["side"]
    if side not in SIDES:
        raise ValueError(_("{side} is no side: white or black").format(side=side))
    return cast(Side, side)


#: What faces may ask for, by the name on the socket.
_INTENTS: Mapping[str, Callable[[Mapping[str, Any]], laws.Intent]] = {
    "sit": lambda d: laws.Sit(_side(d)),
    "ready": lambda d: laws.MakeReady(_side(d)),
    "offer": lambda d: laws.OfferDraw(_side(d)),
    "answer": lambda d: laws.AnswerQuestion(_side(d), str(d["id"]), str(d["value"])),
    "claim": lambda d: laws.claim(_side(d), str(d["what"]), str(d.get("move", ""))),
    "resign": lambda d: laws.Resign(_side(d)),
    "resume": lambda d: laws.ResumePlay(_side(d)),
    "propose": lambda d: laws.ProposeResult(_side(d), d["score"]),
    "confirm": lambda d: laws.Confirm(_side(d), d["score"]),
    "dispute": lambda d: laws.Dispute(_side(d), d.get("says", "")),
    "call": lambda d: laws.CallArbiter(_side(d), str(d.get("why", "")), bool(d.get("pause", False))),
}
