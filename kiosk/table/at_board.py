"""The board and the clock's plungers of one table: what the observer makes of them, given to the Laws.

`AtBoard` owns the observer (`rules.laws.observer_watch.Watch`) and keeps it on the record: moves that it is certain of
become intents; whatever else changes the record (an arbiter, a refusal, a new game) is followed. What it finds wrong is
told in words; what it cannot tell is asked of the player (`asking`), while his opponent's clock runs.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import chess

from drivers.interfaces import (
    BatteryReport,
    BoardReport,
    Confirms,
    CountsItself,
    FaultReport,
    GapReport,
    KeyReport,
    LinkReport,
    OccupancyReport,
    PressReport,
    Report,
    StillReport,
)
from kiosk.table.asking import RECALL_LOOK_MS, Asking
from kiosk.table.board_words import alert_words, battery_words, fault_words, stands
from kiosk.table.chips import LearnsPieces
from kiosk.table.cross_check import CrossCheck
from kiosk.table.keeper import Keeper
from kiosk.table.recall import Recall
from rules.laws import game as laws
from rules.laws.ending import side_of
from rules.laws.events import Board, Fault, Score, Side
from rules.laws.game_questions import CAPTURE
from rules.laws.game_state import position_after
from rules.laws.observer_alerts import Alert, Code
from rules.laws.observer_sight import Sensor, Sight
from rules.laws.observer_watch import Made, Output, Policy, Shown, Watch
from rules.laws.sides import other

log = logging.getLogger(__name__)

#: Chess ms after which an unexplained position is announced, and the real ms that it stands at least before; on a
#: machine that may hold a simulated board up, so many times as long as that.
ALERT_MS = 3_000
ALERT_REAL_MS = 500
HELD_UP_TIMES = 10
#: A question about a move that was pressed holds a flag back for so long (chess ms); then the arbiter is needed.
ANSWER_MS = 20_000
#: A battery is told about once when it falls below (percent).
BATTERY_LOW = 15
#: Phases in which the pieces mean something.
WATCHED = ("assigned", "ready", "playing", "paused", "disputed")


@dataclass(frozen=True, slots=True)
class BoardSetup:
    """The board as the table knows it: what its sensor tells, how long it takes (ms of real time), how it lies.

    `settle_ms` is in ms of chess time, `grace_ms` what a press may be ahead of the board's report. `recall` is a board
    that remembers by itself what happened to it. A `lagging` one may show at a press where a sliding piece was before;
    `confirms` is one that says when it has told everything, so that a press need not wait for the whole of `grace_ms`;
    a `checked` one tells no change for certain before it has said that. One that `blinks` may miss that a piece was
    lifted for a moment; `chips` is one that learns its pieces.
    A simulated one, and the hands at it, may be held up by a busy machine between two touches for `held_up_ms` of real
    time: until then nothing rests. Squares in `dead` are not looked at, nor those that an arbiter has marked: they are
    in the file `marked`. `clocks` are those that only show our times, by the part at which they hang (`cross_check`).
    """

    sensor: Sensor = "identified"
    settle_ms: int = 300
    grace_ms: int = 0
    rotated: bool | None = False
    dead: tuple[str, ...] = ()
    recall: Recall | None = None
    lagging: bool = False
    confirms: Confirms | None = None
    checked: bool = False
    blinks: bool = False
    held_up_ms: int = 0
    marked: Path | None = None
    chips: LearnsPieces | None = None
    clocks: Mapping[str, CountsItself] = field(default_factory=dict)


def record_of(state: laws.GameState) -> chess.Board:
    """The record with its moves, as far back as they are moves: from the start, or from what an arbiter has set up."""
    plies, placed = state.plies, max((at for at, _fen in state.placed), default=0)
    illegal = max((n + 1 for n, ply in enumerate(plies) if ply.illegal or ply.placement), default=0)
    first = max(placed, illegal)
    board = position_after(state, first)
    board.clear_stack()
    for ply in plies[first:]:
        try:
            board.push_uci(ply.uci)
        except ValueError:
            return state.board()
    return board


def _marked(path: Path | None) -> list[str]:
    """The squares that an arbiter has marked before."""
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            return [name for name in path.read_text(encoding="ascii").split() if name in chess.SQUARE_NAMES]
    return []


class AtBoard(Asking):
    """See the head of this module. `problem` is what is wrong on the board, in words for the people at it."""

    def __init__(self, setup: BoardSetup, keeper: Keeper) -> None:
        super().__init__(keeper, setup.recall)
        speed = keeper.timeline.speed
        policy = Policy(
            settle_ms=max(setup.settle_ms, int(setup.held_up_ms * speed)),
            illegal_alert_ms=max(ALERT_MS, int(max(ALERT_REAL_MS, HELD_UP_TIMES * setup.held_up_ms) * speed)),
            press_grace_ms=int(setup.grace_ms * speed),
            final_press=True,
            lagging=setup.lagging,
            confirms=setup.lagging and setup.confirms is not None,
            blinks=setup.blinks,
            checked=setup.lagging and setup.confirms is not None and setup.checked,
        )
        self._sensor: Sensor = setup.sensor
        # A game that goes on is known before the board is looked at: until then nothing on it is wrong.
        self._game, known = "", None
        if keeper.state.phase in WATCHED:
            self._game, known = keeper.state.game, self._record()
        self._watch = Watch(setup.sensor, known, policy, setup.rotated)
        self._still_asked()
        self._setup = setup
        self._check = CrossCheck(keeper, setup.clocks)
        self._watch.answer(0, "dead", [*setup.dead, *_marked(setup.marked)])
        self._seen = False
        self._lost: str | None = None  # why the board is not there
        self._battery_told: set[str] = set()
        self.problem = ""
        self.sync(keeper.timeline())
        if keeper.state.under_way:
            self._watch.resume(keeper.timeline())

    # -- what faces and time need -------------------------------------------------------------------------------------

    @property
    def placement(self) -> str:
        """What stands on the board, as the first field of a FEN; "" before the board has said so."""
        if not self._seen:
            return ""
        known = self._watch.there if self._watch.record is not None else None
        return stands(self._watch.eyes.sight, known)

    @property
    def standing(self) -> laws.MakeMove | None:
        """The unpressed move on the board."""
        if self._keeper.state.phase != "playing" or not self._watch.candidate or self._watch.unseen:
            return None
        ply = self._watch.candidate[0]
        return laws.MakeMove(self._watch.board.uci(ply.move), ply.made_at)

    @property
    def settle_ms(self) -> int:
        """How long a move must stand to count without a press."""
        return self._watch.policy.settle_ms

    @property
    def held_until(self) -> int | None:
        """The stamp up to which time may be judged: a press waits for the board or for an answer. None: up to now."""
        since = self._watch.waiting_since
        if since is None or self._keeper.timeline() - since > ANSWER_MS:
            return None
        return since

    @property
    def shown(self) -> laws.GameState:
        """The game as faces and displays see it: a press that waits for a slow board has turned the clocks already.

        Nothing is recorded by that. What the board shows by then makes it a move, or an illegal one.
        """
        state, since = self._keeper.state, self._watch.waiting_since
        asked = any(asked.about == CAPTURE for asked in state.questions) or self._watch.doubted is not None
        stands = self._watch.candidate or asked
        if since is None or not stands or state.phase != "playing" or state.clock is None or state.ahead:
            return state
        clock, accepted = state.clock.press(since, state.turn)
        return replace(state, clock=clock) if accepted else state

    @property
    def due(self) -> int | None:
        """The next time at which `pass_time` has something to do by itself."""
        times = [self._check.due, *([self._watch.due] if self._watch.record is not None else [])]
        if self._recalling is not None:
            times.append(self._keeper.timeline() + int(RECALL_LOOK_MS * self._keeper.timeline.speed))
        return min((t for t in times if t is not None), default=None)

    def touched(self, side: Side) -> bool:
        """Whether a piece of `side` was lifted since the last move of the record (evidence, no verdict)."""
        if self._watch.record is None:
            return False
        own = self._watch.board.occupied_co[side == "white"]
        return any(own & chess.BB_SQUARES[square] for square in self._watch.lifted)

    def mark_dead(self, t: int, squares: tuple[str, ...]) -> None:
        """An arbiter says which squares have a broken sensor; those of the settings stay."""
        if self._setup.marked is not None:
            with contextlib.suppress(OSError):  # without the file it is only asked again after a restart
                self._setup.marked.write_text(" ".join(squares) + "\n", encoding="ascii")
        watch, before = self._watch, self._watch.eyes.dead
        watch.eyes.dead = chess.BB_EMPTY
        said = watch.answer(t, "dead", [*self._setup.dead, *squares])
        if before & ~watch.eyes.dead:
            said += watch.follow(t, watch.record)  # what is looked at again may be wrong since long ago
            self._still_asked()
        self._hear(said)

    # -- what happens -------------------------------------------------------------------------------------------------

    def report(self, report: Report) -> None:
        """Something that a device has said."""
        keeper = self._keeper
        self._check.hear(report)
        match report:
            case BoardReport(boot_ms, placement, unnamed):
                pieces = chess.BaseBoard(placement)
                seen = (pieces, unnamed) if self._sensor == "identified" else (None, 0)
                self._see(boot_ms, Sight(pieces.occupied | unnamed, *seen))
            case OccupancyReport(boot_ms, occupied):
                # A board that does not know its pieces yet sees that something stands there.
                unknown = (chess.BaseBoard(None), occupied) if self._sensor == "identified" else (None, 0)
                self._see(boot_ms, Sight(occupied, *unknown))
            case GapReport(boot_ms):
                self._watch.gap(keeper.timeline.at(boot_ms))
            case PressReport(boot_ms, side):
                self._press(side, keeper.timeline.at(boot_ms))
                if self._setup.confirms is not None and self._watch.presses_wait:
                    self._setup.confirms.confirm(boot_ms)
            case StillReport(boot_ms, as_of):
                self._hear(self._watch.still(keeper.timeline.at(boot_ms), keeper.timeline.at(as_of)))
                if self._setup.confirms is not None and self._watch.look_again:
                    self._setup.confirms.confirm(as_of + 1)
            case LinkReport(boot_ms, "board", up, why):
                self._link(keeper.timeline.at(boot_ms), up, why)
            case LinkReport(_, part, up, why):
                log.warning("%s %s: %s", part, "up" if up else "down", why)
            case KeyReport(boot_ms, long):
                self._decide(laws.TurnKey(long), keeper.timeline.at(boot_ms))
            case FaultReport(boot_ms, part) if keeper.outbox.epoch:
                keeper.record((Fault(keeper.timeline.at(boot_ms), part, fault_words(report)),))
            case BatteryReport(boot_ms, part, percent, charging):
                self._battery(keeper.timeline.at(boot_ms), part, percent, charging)
            case _:
                pass

    def pass_time(self, t: int) -> None:
        """What time alone does to the board: a press is judged, a mate counts, a wrong position is told."""
        if self._setup.clocks:
            self._check.look(t, self.shown)
        self._hear(self._watch.at(t))
        self._settle(t)
        self._remember(t)
        self._known_by_now()
        if self.problem and self._watch.fits:
            self.problem = ""
            if self._keeper.state.phase in ("playing", "paused"):
                self._keeper.record((Board(t, "ok", self.placement),))

    def sync(self, t: int) -> None:
        """Follows the record, if something else than the board has changed it."""
        if self._lost is not None and self._keeper.outbox.epoch and not self._keeper.state.board_lost:
            self._keeper.record((Board(t, "lost", why=self._lost),))
        state, watch = self._keeper.state, self._watch
        if state.phase not in WATCHED:
            if watch.record is not None:
                watch.follow(t, None)
                self.problem, self._game, self._promoting = "", "", 0
            return
        if watch.record is None or state.game != self._game or watch.record != state.position:
            self._game, self._promoting = state.game, 0
            watch.follow(t, self._record())
            self._still_asked()
        elif self._promoting and (watch.promotion is None or watch.promotion.ply != self._promoting):
            self._promoting = 0
            self._known_now(t)
            self._ask_promotion()

    def _record(self) -> chess.Board:
        """The record for the observer; notes how many plies of the game come before it."""
        state = self._keeper.state
        record = record_of(state)
        self._before = len(state.plies) - len(record.move_stack)
        return record

    def _see(self, boot_ms: int, sight: Sight) -> None:
        t = self._keeper.timeline.at(boot_ms)
        self._hear(self._watch.at(t))  # what was due before is told of what stood there before
        self._seen = True
        if self._lost is None and self._keeper.state.board_lost:
            self._keeper.record((Board(t, "returned"),))  # it was lost in another life of this program
        self._hear(self._watch.show(t, sight))

    def _link(self, t: int, up: bool, why: str) -> None:
        self._lost = None if up else why
        if self._keeper.outbox.epoch and up == self._keeper.state.board_lost:
            self._keeper.record((Board(t, "returned" if up else "lost", why=why),))
        self._hear(self._watch.link(t, up))

    def _battery(self, t: int, part: str, percent: int, charging: bool) -> None:
        """A battery that runs low is told about once, and again after it was charged."""
        if percent > BATTERY_LOW or charging:
            self._battery_told.discard(part)
        elif part not in self._battery_told and self._keeper.outbox.epoch:
            self._battery_told.add(part)
            self._keeper.record((Fault(t, part, battery_words(part, percent)),))

    def _press(self, side: Side, t: int) -> None:
        """A plunger: completes the move on the board, or waits a little for the board to show it."""
        self._hear(self._watch.at(t))
        self._catch_up(side, t)
        state = self._keeper.state
        if state.phase in ("assigned", "ready"):
            self._decide(laws.StartByPress(side), t)
        elif state.phase != "playing":
            log.info("press of %s at %d changes nothing", side, t)
        elif state.board_lost or self._watch.lost_track or (state.ahead > 0 and state.running == side):
            # The move is in the record already, or the board cannot be read: the press alone drives the clock.
            self._decide(laws.PressOnly(side, unread=self._watch.lost_track), t)
            if state.board_lost or self._watch.lost_track:
                self._hear(self._watch.press(t, side))
        elif self._seen:
            self._hear(self._watch.press(t, side))

    def _catch_up(self, side: Side, t: int) -> None:
        """A side that forgot to press, and was answered, presses for its next move: the moves before are complete."""
        state, watch = self._keeper.state, self._watch
        waits = state.phase == "playing" and state.running == side and not state.board_lost
        if not waits or watch.record is None or side_of(watch.board.turn) != side or not watch.candidate:
            return
        for ply in range(state.ahead):
            self._decide(laws.PressOnly(other(side) if ply % 2 else side), t)

    def _settle(self, t: int) -> None:
        """A move that ends the game by its edition counts without a press (6.2.1.1)."""
        watch, state = self._watch, self._keeper.state
        if state.phase != "playing" or not watch.ends(t):
            return
        ply = watch.candidate[0]
        if not ply.options and laws.ends_game(state, watch.board.uci(ply.move)):
            self._hear(watch.accept(t))

    # -- what the observer says ---------------------------------------------------------------------------------------

    def _hear(self, outputs: list[Output]) -> None:
        t = self._keeper.timeline()
        for output in outputs:
            match output:
                case Made():
                    self._made(output)
                case Alert():
                    self._told(output)
                case Shown(at, result):
                    self._decide(laws.ShowResult(cast(Score, result)), at)
                case _:
                    pass
        self.sync(t)

    def _made(self, made: Made) -> None:
        """A move is certain. What the record has completed is not rewritten; a promotion piece is answered."""
        state = self._keeper.state
        if state.phase != "playing":
            return
        if made.replaces:
            if made.ply is None:
                self._known_now(made.t, made.uci[4:])
            return  # else a player has said so, and the Laws know
        self._captured(made)
        side, state = self._keeper.state.turn, self._keeper.state
        if made.pressed_at is not None and state.ahead == 0 and state.running == side:
            taken = self._decide(laws.PressClock(side, made.uci, made.made_at, made.touched), made.pressed_at)
        else:
            taken = self._decide(laws.MakeMove(made.uci, made.made_at, made.touched), made.t)
        if len(made.uci) == 5 and not self._promoting:
            self._ask_promotion()
        if taken and made.blind and self._watch.policy.confirms and self._keeper.state.score is None:
            self._ask_whether(side, len(self._keeper.state.plies) - 1 - self._before)

    def _told(self, alert: Alert) -> None:
        phase = self._keeper.state.phase
        if alert.code in _PRESSED:
            if phase == "playing" and alert.side is not None:
                self._illegal_press(alert, alert.side)
        elif alert.code == "capture_ambiguous" and alert.side is not None:
            self._ask_capture(alert.side, alert.squares)
        elif alert.code == "move_doubtful" and alert.side is not None:
            self._ask_doubted(alert.side)
        elif alert.code == "flicker":
            self._keeper.record((Fault(alert.t, "board", self._words(alert)),))
        elif alert.code in _WRONG and phase in WATCHED and (problem := self._words(alert)):
            self.problem = problem
            if alert.code == "resync_ambiguous":
                self._ask_missed()
            if phase in ("playing", "paused") and alert.code != "result_gesture":
                self._keeper.record((Board(alert.t, "unexplained", self.placement, self.problem),))
        else:
            log.info("%s %s %s", alert.code, alert.side or "", " ".join(alert.squares))

    def _illegal_press(self, alert: Alert, side: Side) -> None:
        """A press on a position that no legal move explains: the Laws say what it is and who is told (7.5)."""
        pressed_at = alert.t if alert.pressed_at is None else alert.pressed_at
        made_at = 0 if alert.code == "no_move_made" else min(self._watch.eyes.since, pressed_at)
        self._decide(laws.PressIllegal(side, self.placement, made_at), pressed_at)
        state = self._keeper.state
        if state.phase == "paused" and state.board_event is not None and state.board_event.state == "unexplained":
            self.problem = state.board_event.why

    def _words(self, alert: Alert) -> str:
        return alert_words(alert, self.placement, self._watch.record)


#: Alerts that are a press without a legal move.
_PRESSED: frozenset[Code] = frozenset({"illegal_move", "no_move_made", "promotion_pawn_left"})
#: Alerts about what stands on the board, to be put right by people.
_WRONG: frozenset[Code] = frozenset({
    "illegal_position", "wrong_turn", "takeback", "start_wrong", "start_position_seen", "piece_extra", "piece_missing",
    "piece_swapped", "piece_swap_suspected", "disturbed", "orientation_unknown", "resync_ambiguous", "result_gesture",
})  # fmt: skip
