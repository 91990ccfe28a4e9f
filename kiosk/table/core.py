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
from itertools import groupby
from typing import Any, cast

from drivers.interfaces import BoardReport, LinkReport, PressReport, Report
from hallnet import wire
from hallnet.clock import boot_us, wall_ms, wall_synchronised
from hallnet.local import Reply
from hallnet.outbox import Outbox, Stamp
from kiosk.table.board_words import difference
from kiosk.table.judge import Judged
from kiosk.table.link import FromHub, Holding
from kiosk.table.picture import Picture
from kiosk.table.timeline import Timeline
from rules.laws import game as laws
from rules.laws.events import Board, Call, Fault, GameEvent, OrderDone, Paused, Side
from rules.laws.observer import Observation, Observer, certain_moves, press_intent
from rules.laws.sides import SIDES

log = logging.getLogger(__name__)

#: Chess ms for which a move that ends the game stands before it counts as made without a press.
SETTLE_MS = 300
#: Chess ms after which an unexplained position is announced.
ALERT_MS = 3_000
#: Real ms for which a press may be ahead of the board's report of the move.
GRACE_MS = 600
#: Real ms after a flag instant before the flag is decided: presses on their way through a driver still come in.
LATE_MS = 20
#: Real ms between notes of the running clock for the case of a power cut.
JOURNAL_MS = 1_000


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
    """See the head of this module. `boot` is the machine's boot id."""

    def __init__(self, outbox: Outbox, timeline: Timeline, boot: str) -> None:
        self._outbox = outbox
        self._timeline = timeline
        self._boot = boot
        self._sync = (0, False)
        self._state = laws.replay(outbox.events())
        self._observer = Observer()
        self._placement = ""
        self._waiting_press: tuple[Side, int] | None = None
        self._problem = ""
        self._alerted = False
        self._new: list[tuple[str, GameEvent]] = []
        self._journalled = 0
        self._told_half = False
        self._past: dict[int, wire.Past] = {}
        self._picture: Picture | None = None
        self._holding: Holding | None = None

    def open(self) -> list[Output]:
        """First step after a start: what a restart means for the game."""
        if self._outbox.epoch:
            journal = self._outbox.last_journal()
            clocks = (journal.white_ms, journal.black_ms) if journal is not None else None
            same_boot = self._outbox.last_boot in ("", self._boot)
            if self._state.assignment is not None or not same_boot:
                self._record(laws.recover(self._state, self._timeline(), same_boot, clocks))
        return self._finish([])

    def step(self, inputs: list[Input]) -> list[Output]:
        """Takes a batch of inputs; returns what follows from them once they are on the disk."""
        outputs: list[Output] = []
        for item in inputs:
            match item:
                case FromDevice(report):
                    self._device(report)
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
        self._commit()
        picture = Picture(self._state, self._placement, self._candidate_uci(), self._problem)
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
            boot=self._boot,
            instance=self._outbox.instance,
            epoch=self._outbox.epoch,
            last=self._outbox.last,
            acked=self._outbox.acked,
            round=self._state.round,
            rev=self._state.rev,
            incarnation=self._outbox.incarnation,
        )

    # -- storing ------------------------------------------------------------------------------------------------------

    def _record(self, events: laws.Events) -> None:
        """Folds events and keeps them for the commit at the end of the step."""
        for event in map(wire.shortened, events):
            position = self._state.position
            self._state = laws.fold(self._state, event)
            self._new.append((self._state.game, event))
            if self._state.position is not position:
                self._look()

    def _commit(self) -> None:
        if not self._new:
            return
        stamp = self._stamp()
        for game, events in groupby(self._new, key=lambda pair: pair[0]):
            self._outbox.append([event for _game, event in events], game, stamp)
        self._new.clear()
        self._journal(stamp)
        if not self._told_half and self._outbox.half_full:
            self._told_half = True
            what = _("the table's log is half full: move it elsewhere between two rounds")
            self._record((Fault(self._timeline(), "disk", what),))
            self._commit()

    def _stamp(self) -> Stamp:
        now = boot_us()
        if now - self._sync[0] > 10_000_000:
            self._sync = (now, wall_synchronised())
        return Stamp(wall_ms(), now, self._boot, self._sync[1])

    def _journal(self, stamp: Stamp | None = None) -> None:
        """Notes the running clock at most once a second, for the case of a power cut."""
        now = boot_us() // 1000
        if self._state.running is None or now - self._journalled < JOURNAL_MS:
            return
        self._journalled = now
        t = self._timeline()
        self._outbox.journal(t, *self._state.clocks(t), stamp or self._stamp())

    # -- the board and the clock --------------------------------------------------------------------------------------

    def _device(self, report: Report) -> None:
        match report:
            case BoardReport(boot_ms, placement):
                self._placement = placement
                observation = Observation(self._timeline.at(boot_ms), placement)
                self._observer = self._observer.observe(observation, self._state.position)
                if self._waiting_press is not None:
                    self._press(*self._waiting_press)
            case PressReport(boot_ms, side):
                self._press(side, self._timeline.at(boot_ms))
            case LinkReport(boot_ms, "board", up, why) if self._outbox.epoch:
                self._record((Board(self._timeline.at(boot_ms), "returned" if up else "lost", why=why),))
            case LinkReport(_, part, up, why):
                log.warning("%s %s: %s", part, "up" if up else "down", why)

    def _look(self) -> None:
        """The game position changed: what stands on the board is to be explained anew."""
        self._alerted = False
        self._observer = self._observer.rebase(self._state.position)

    def _press(self, side: Side, t: int) -> None:
        """A plunger: completes the move on the board, or waits a little for the board to show it."""
        self._waiting_press = None
        if self._state.phase in ("assigned", "ready"):
            self._decide_press(laws.StartByPress(side), t)
            return
        if self._state.phase != "playing" or self._state.running != side:
            log.info("press of %s at %d changes nothing", side, t)
            return
        intent = press_intent(self._state, self._observer, side)
        if isinstance(intent, laws.PressClock) and not intent.uci:
            if self._timeline() - t < GRACE_MS * self._timeline.speed:
                self._waiting_press = (side, t)
            else:
                self._illegal_press(side, t)
            return
        self._decide_press(intent, t)

    def _decide_press(self, intent: laws.Intent, t: int) -> laws.Events:
        """The answer of the Laws to a press is recorded; a refusal only noted."""
        answer = laws.decide(self._state, intent, t)
        if isinstance(answer, laws.Refusal):
            log.info("%s: %s", intent, answer.why)
            return ()
        self._record(answer)
        return answer

    def _illegal_press(self, side: Side, t: int) -> None:
        """A press on a position that no legal move explains: the Laws say what it is and who is told (7.5)."""
        made_at = self._observer.unexplained_since or 0
        answer = self._decide_press(laws.PressIllegal(side, self._placement, made_at), t)
        if self._state.phase == "paused":
            self._problem = next((event.why for event in answer if isinstance(event, Board)), self._problem)

    def _standing(self) -> laws.MakeMove | None:
        """The unpressed move on the board."""
        return self._observer.standing() if self._state.phase == "playing" else None

    def _candidate_uci(self) -> str:
        standing = self._standing()
        return standing.uci if standing is not None else ""

    # -- time ---------------------------------------------------------------------------------------------------------

    def _time_passes(self) -> None:
        if not self._outbox.epoch:
            return
        t = self._timeline()
        late = int(LATE_MS * self._timeline.speed)
        self._record(laws.due(self._state, t - late, self._standing(), SETTLE_MS))
        if self._waiting_press is not None and t - self._waiting_press[1] >= GRACE_MS * self._timeline.speed:
            self._press(*self._waiting_press)
        self._settle(t)
        self._alert(t)
        self._journal()

    def _settle(self, t: int) -> None:
        """A move that ends the game, or that was answered on the board, counts without a press (Laws 6.2.1)."""
        for move in certain_moves(self._state, self._observer, t, SETTLE_MS):
            answer = laws.decide(self._state, move, t, move)
            if not isinstance(answer, laws.Refusal):
                self._record(answer)

    def _alert(self, t: int) -> None:
        """A position that nothing explains is announced after a while, and when it is right again."""
        since = self._observer.unexplained_since
        if since is not None and self._state.phase == "playing":
            if t - since >= ALERT_MS and not self._alerted:
                self._alerted = True
                self._problem = difference(self._placement, self._state.position)
                self._record((Board(t, "unexplained", self._placement, self._problem),))
        elif self._problem and self._placement == self._state.position.board_fen():
            self._alerted = False
            self._problem = ""
            self._record((Board(t, "ok", self._placement),))

    def _next_wake(self) -> int | None:
        """The next chess time at which `step` has something to do by itself."""
        late = int(LATE_MS * self._timeline.speed)
        times: list[int] = []
        due = laws.next_due(self._state, self._standing(), SETTLE_MS)
        if due is not None:
            times.append(due + late)
        if self._standing() is not None and self._timeline() < self._observer.since + SETTLE_MS:
            times.append(self._observer.since + SETTLE_MS)
        if self._waiting_press is not None:
            times.append(self._waiting_press[1] + int(GRACE_MS * self._timeline.speed))
        if self._observer.unexplained_since is not None and self._state.phase == "playing" and not self._alerted:
            times.append(self._observer.unexplained_since + ALERT_MS)
        if self._state.running is not None:
            times.append(self._timeline() + int(JOURNAL_MS * self._timeline.speed))
        return min(times, default=None)

    # -- faces and the hub --------------------------------------------------------------------------------------------

    def _face(self, kind: str, d: Mapping[str, Any]) -> Reply:
        if not self._outbox.epoch:
            return Reply(False, _("This table has not met its hub yet: please wait."))
        if self._outbox.full and not self._state.under_way:
            return Reply(False, _("The log of this table is full: only practice is possible. Call the arbiter."))
        make = _INTENTS.get(kind)
        if make is None:
            return Reply(False, _("This table does not know the request {kind}.").format(kind=kind))
        try:
            intent = make(d)
        except (KeyError, TypeError, ValueError) as error:
            return Reply(False, _("The request {kind} is not understood: {error}").format(kind=kind, error=error))
        answer = laws.decide(self._state, intent, self._timeline(), self._standing())
        if isinstance(answer, laws.Refusal):
            return Reply(False, answer.why)
        if not all(map(wire.fits, answer)):
            return Reply(False, _("This text is too long to be sent: say it in fewer words."))
        self._record(answer)
        return Reply(True)

    def _judged(self, found: Judged) -> None:
        """A longer search about a provisional result came back."""
        if found.game != self._state.game or not (found.proof or found.line):
            return
        answer = laws.decide(self._state, laws.SettleMate(found.proof, found.line), self._timeline())
        if isinstance(answer, laws.Refusal):
            log.info("search for a mate: %s", answer.why)
        else:
            self._record(answer)

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
        if past.e != self._outbox.epoch or self._outbox.last != 1:
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
        self._record(tuple(events))
        why = _("another device took over; the clocks are as of {seconds} s ago: check them, then let play go on")
        why = why.format(seconds=round(past.age_ms / 1000))
        for event in laws.recover(self._state, self._timeline(), False, (past.white_ms, past.black_ms)):
            if isinstance(event, Paused | Call):
                self._record((replace(event, why=why),))

    def _snapshot(self, snapshot: wire.Snapshot) -> None:
        self._outbox.know(snapshot.hubs)
        if snapshot.e > self._outbox.epoch:
            self._commit()
            self._outbox.enrol(snapshot.e, self._stamp(), self._timeline(), "enrolled")
        if snapshot.e == self._outbox.epoch:
            if snapshot.last < self._outbox.acked:
                self._outbox.rewind(snapshot.last)
            self._outbox.acknowledge(snapshot.e, snapshot.last, snapshot.inc, snapshot.prev)
        if snapshot.assignment is not None:
            self._assigned(snapshot.assignment)
        for order in snapshot.orders:
            self._ordered(order)

    def _assigned(self, message: wire.AssignmentMsg) -> None:
        """Takes an assignment; what is not newer than the table's own is ignored, whatever path it came by."""
        if not self._outbox.epoch or (message.round, message.rev) <= (self._state.round, self._state.rev):
            return
        if self._outbox.full:
            log.error("%s is full: no new game is taken", self._outbox.path)
            return
        self._record(laws.decide_assignment(self._state, message.assignment(), self._timeline()))

    def _ordered(self, order: wire.OrderMsg) -> None:
        if not self._outbox.epoch:
            return
        t = self._timeline()
        if order.kind == "seal" and not self._sealable(order):
            return
        self._record(laws.due(self._state, t, self._standing()))
        self._record(laws.decide_order(self._state, order.id, order.kind, order.game, order.d, t))
        if self._state.phase != "playing":
            self._waiting_press = None

    def _sealable(self, order: wire.OrderMsg) -> bool:
        """Has the hub what this table has? A round is sealed with the count of its events and their chain hash."""
        count, digest = order.d.get("count"), order.d.get("hash")
        if not isinstance(count, int) or not digest or order.id in self._state.orders:
            return True
        own = self._outbox.hash_after(count)
        if own == digest:
            return True
        log.error("seal %s: the hub has %d events with hash %s, this table %s", order.id, count, digest, own or "-")
        why = _("the hub's copy of this table's events is not this table's: look at both logs")
        self._record((OrderDone(self._timeline(), order.id, ok=False, why=why),))
        return False


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
