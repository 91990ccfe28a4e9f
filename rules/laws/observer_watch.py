"""The whole observer of one table: board events and presses in; moves, questions and alerts out.

Theory of operation
-------------------
* The position is the truth. After every event the whole board is compared with the record (`observer_explain`), and on
  an occupancy board with the lifts since (`observer_occupancy`). One or two plies that fit are a *candidate*.
* A candidate becomes certain by its player's press, by the opponent's answer that has stood for `settle_ms`, or by
  mate or stalemate. Only then it is a `Made`. With `commit="settle"` (no clock) it counts when it has stood, and is
  replaced (`Made.replaces`) as long as the same hand slides it on.
* A press on a board that shows no move yet waits `press_grace_ms` for it. With a grace time the board may also still
  complete the move (a slower radio), so the press is judged when the board rests or the grace time is over; at once
  when the board says that it has told everything up to the press (`Watch.still`).
* What nothing explains is named at quiet points: at once for what is one (disturbed, takeback, start array, kings in
  the centre), after `illegal_alert_ms` for what may be a hand at work. Squares told as missing or extra say nothing
  from then on, until they fit again: a dead sensor does not stop a game.
* A certain move is never rewritten by itself, and nothing is decided while the link is down; presses are kept, and the
  dump after it decides (`observer_resync`).
* A press that makes no sense may mean that an earlier move was seen wrongly (`observer_doubts`): its player is asked.
* While it is asked which capture was made, which piece a pawn became, which move an earlier one was, or what was played
  while the link was lost, play goes on. What happens is kept and played again from the question on when the answer is
  there; after the first two kinds also when it makes sense after one of the answers only.

The machine is a ladder of classes, each with one idea: `RecordKeeper` → `Reader` → `QuietPoints` → `Presses` → `Kept` →
`Watch`.
It is mutable and does no I/O: each input is given with its time in ms and returns what follows, oldest first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import chess

from rules.laws import observer_start as start
from rules.laws.ending import side_of
from rules.laws.events import OTHERS
from rules.laws.observer_doubts import Doubt, otherwise
from rules.laws.observer_explain import Line, Ply, may_go_on
from rules.laws.observer_kept import Kept
from rules.laws.observer_occupancy import lifted_in_order
from rules.laws.observer_presses import GAP_MS, PROMOTION_MS
from rules.laws.observer_quiet import GESTURE_MS, MOST_DOUBTFUL
from rules.laws.observer_reader import Press
from rules.laws.observer_reading import Reading
from rules.laws.observer_record import Made, Output, Policy, Shown, Undone
from rules.laws.observer_sight import Sensor, Sight
from rules.laws.sides import Side

#: So long it is waited for an answer to the question which move an earlier one was; then the board is judged without.
MOVE_MS = 20_000
_YES = ("yes", "true", "accept", "granted", "rotated")
_NO = ("no", "false", "none", "denied")


class Watch(Kept):
    """See the theory of operation. `rotated` is None when nobody knows how the board lies.

    `record` is None when no game is known yet; else it starts as the position given and grows. `due` is the next time
    at which `at` has something to say by itself. `follow` sets another record (an arbiter's correction, a new game).
    """

    def __init__(
        self,
        sensor: Sensor,
        record: chess.Board | None,
        policy: Policy | None = None,
        rotated: bool | None = False,
    ) -> None:
        super().__init__(sensor, record, policy or Policy(), rotated)
        self._first_look = True

    # -- inputs -------------------------------------------------------------------------------------------------------

    @property
    def sensor(self) -> Sensor:
        """What kind of board it is."""
        return self.eyes.sensor

    def lift(self, t: int, square: chess.Square) -> list[Output]:
        """A square of the board became empty."""
        self._pass(t)
        if self.kept:
            return self._keep("lift", t, square)
        return self._seen(t, self.eyes.sight.lifted(self.eyes.true(square)))

    def place(self, t: int, square: chess.Square, letter: str = "?") -> list[Output]:
        """A piece (FEN letter, "?" where the sensor cannot tell) stands on a square."""
        self._pass(t)
        if self.kept:
            return self._keep("place", t, square, letter)
        return self._seen(t, self.eyes.sight.placed(self.eyes.true(square), letter))

    def _seen(self, t: int, sight: Sight) -> list[Output]:
        self._first_look = False
        if sight != self.eyes.sight:
            self._change(t, sight)
        return self._drain()

    def show(self, t: int, raw: Sight) -> list[Output]:
        """A full dump of the board, in the board's own squares."""
        self._pass(t)
        if self.kept:
            return self._keep("show", t, raw)
        if self._first_look or self._turned_round(raw):
            self._look_first(t, raw)
        sight = raw.rotated() if self.eyes.rotated else raw
        if self._resync or self._first_look or sight != self.eyes.sight:
            self._first_look = False
            self._change(t, sight)
            if self._resync:
                self._judge_resync(t, last=False)
        return self._drain()

    def _turned_round(self, raw: Sight) -> bool:
        """Whether the pieces have been set up before the first move, and fit the other way round only."""
        if self.record is None or self.record.move_stack:
            return False
        here, there = (raw.rotated(), raw) if self.eyes.rotated else (raw, raw.rotated())
        return not there.wrong(self.record, self.eyes.dead) and bool(here.wrong(self.record, self.eyes.dead))

    def press(self, t: int, side: Side) -> list[Output]:
        """`side` pressed the clock at `t`."""
        self._pass(t)
        if self.kept:
            return self._keep("press", t, side)
        if not self._link_up or self._resync or self._resync_asked:
            self._missed_presses.append(Press(t, side))
        elif self.record is not None and self._gesture is None and self.result is None:
            self._pressed(Press(t, side))
        elif self.record is not None and side != side_of(self.record.turn):
            self._loose = False  # the move that ended the game was pressed
        return self._drain()

    def still(self, t: int, as_of: int) -> list[Output]:
        """At `t` it is known that every change of the board from before `as_of` was told."""
        self._pass(t)
        if self.kept:
            return self._keep("still", t, as_of)
        believed = self.believed
        self._looks = [*self._looks[-3:], as_of]
        if self._settled and not believed:
            self._settle(t)
        self._judge_ready(t)
        return self._drain()

    def gap(self, t: int) -> None:
        """Something that the board said was lost, and it was asked again: no press is judged illegal before that."""
        self._pass(t)
        self._gap_until = t + GAP_MS

    def link(self, t: int, up: bool) -> list[Output]:
        """The cable to the board was lost or found again. A dump (`show`) must follow its return."""
        self._pass(t)
        if self.kept:
            return self._keep("link", t, up)
        if up != self._link_up:
            self._link_up = up
            self._alert(t, "link_up" if up else "link_down")
            self._resync = up
            self._settled = self._alerted = True  # what it showed last is old: nothing is judged before the dump
            if not up and self._press is not None:
                self._missed_presses += [self._press, *self._later]
                self._lost_at = self._shown.move if self._shown is not None else None
                self._press = None
                self._later.clear()
        return self._drain()

    def resume(self, t: int) -> None:
        """Nobody has watched for a while, and presses were not heard: the next dump tells what was played meanwhile."""
        self._pass(t)
        self._resync = self._deaf = self._settled = self._alerted = True

    def accept(self, t: int) -> list[Output]:
        """The candidate is certain, by somebody else's word: the Laws say that it ends the game."""
        if self.reading.plies:
            self._commit(t, self.reading.plies[0])
        return self._drain()

    def answer(self, t: int, ask: str, value: object) -> list[Output]:
        """A player or arbiter answered a question; answers that make no sense here are ignored.

        Questions: promotion (a letter), capture (target square or UCI, or "…" for none of those that are asked about),
        move (which move an earlier one was, in UCI; "…" for none of those), takeback (yes), orientation (normal,
        rotated), dead (a square whose sensor is broken), result (no: the game goes on), resync (the moves in UCI or
        SAN).
        """
        self._pass(t)
        asked = {
            "promotion": True,
            "capture": self._capture is not None,
            "move": self._doubted is not None,
            "resync": self._missed is not None,
        }
        if self.kept and not any(name in ask and open_now for name, open_now in asked.items()):
            return self._keep("answer", t, ask, value)
        for name, take in self._answers().items():
            if name in ask:
                take(t, value)
        return self._drain()

    def was(self, t: int, ply: int, uci: str) -> list[Output]:
        """Ply number `ply` of the record, of which too little was seen, was the move `uci`: its player has said so."""
        self._pass(t)
        for watch in (self, *([self._meanwhile.before] if self._meanwhile is not None else [])):
            if watch.record is not None and 0 <= ply < len(watch.record.move_stack):
                watch._put_right(t, ply, chess.Move.from_uci(uci))
        if self._meanwhile is not None:
            self._meanwhile.before._drain()  # this watch says it
        return self._drain()

    def unsure(self, ply: int) -> bool:
        """Whether ply number `ply` of the record may turn out to have been another move."""
        return ply in self._unsure

    def still_asked(self, ply: int) -> None:
        """A player is asked which move ply number `ply` was, since before this record was followed."""
        if self.record is not None and 0 <= ply < len(self.record.move_stack):
            self._unsure.setdefault(ply, True)

    def follow(self, t: int, record: chess.Board | None) -> list[Output]:
        """Another record from now on: the arbiter corrected it, or a new game begins. The board stays as it is."""
        self._pass(t)
        self._set_record(record)
        self.result, self._proposed = None, False
        self._capture, self._press, self._loose, self._undone = None, None, False, 0
        self._piece = self._meanwhile = self._doubted = None
        self._unseen_press = False
        self._later.clear()
        self._disturbed = False
        self._forget_resync()
        self._told.clear()
        self.eyes.suspect = self.eyes.flickering = chess.BB_EMPTY
        self.reading = Reading()
        fresh = record is not None and start.begins(record) and not record.move_stack
        self._setting_up = fresh and record is not None and bool(self.eyes.sight.wrong(record, self.eyes.dead))
        self._start_told, self._start_wrong = False, chess.BB_EMPTY
        if self._setting_up and self._wrong.bit_count() <= MOST_DOUBTFUL:
            self._start_wrong = self._wrong
        self._look_again(t)
        return self._drain()

    # -- what is known ------------------------------------------------------------------------------------------------

    @property
    def waiting_since(self) -> int | None:
        """The stamp of a press that waits for the board, or for the answer to a question."""
        asked = (self._capture.press if self._capture else None, self._doubted.press if self._doubted else None)
        return min((press.t for press in (self._press, *asked) if press), default=None)

    @property
    def asked(self) -> tuple[chess.Move, ...]:
        """The moves between which the player is to choose; () if nothing is asked."""
        return self._capture.moves if self._capture is not None else ()

    @property
    def lost_track(self) -> bool:
        """Whether people must say what was played while the link was lost: presses alone drive the clock till then."""
        return self._resync_asked

    @property
    def missed_lines(self) -> tuple[str, ...]:
        """What may have been played while the link was lost, in SAN; () if it is not known, or too much."""
        asked = self._missed.lines if self._missed is not None else ()
        return tuple(_san(self.board, line) for line in asked)

    @property
    def doubted(self) -> Doubt | None:
        """The earlier move that is asked for."""
        return self._doubted.doubt if self._doubted is not None else None

    @property
    def lifted(self) -> tuple[chess.Square, ...]:
        """The squares whose pieces were lifted since the last move of the record, first ones first."""
        return lifted_in_order(self.eyes.past, self.eyes.since, self.board) if self.record is not None else ()

    def ends(self, t: int) -> bool:
        """Whether what stands there at `t` may end the game without a press: it rests, and no slide goes on."""
        if not self.rests or not self.believed or len(self.candidate) != 1:
            return False
        stood = t - self.eyes.since >= self.policy.illegal_alert_ms
        return stood or not may_go_on(self.board, self.candidate[0].move)

    @property
    def fits(self) -> bool:
        """Whether every square is as the record, or the record and the candidate, have it, except dead ones."""
        if self.record is None or not self.reading.explained or self.reading.in_hand:
            return False
        return not self.eyes.sight.wrong(self.there, self.eyes.dead)

    @property
    def there(self) -> chess.Board:
        """The record with the candidate; only while there is a record."""
        board = self.board.copy(stack=False)
        for ply in self.reading.plies:
            board.push(ply.move)
        return board

    # -- time ---------------------------------------------------------------------------------------------------------

    @property
    def due(self) -> int | None:
        """The next time at which `at` has something to do."""
        return min((t for t, _do in self._timers()), default=None)

    def at(self, t: int) -> list[Output]:
        """Lets time pass up to `t`."""
        self._pass(t)
        return self._drain()

    def _pass(self, t: int) -> None:
        while timers := self._timers():
            when, do = min(timers, key=lambda timer: timer[0])
            if when > t:
                return
            do(when)

    def _timers(self) -> list[tuple[int, Callable[[int], None]]]:
        timers: list[tuple[int, Callable[[int], None]]] = []
        if self.kept:
            if not self._settled:
                pressed_at = self._meanwhile.pressed_at if self._meanwhile is not None else 0
                quiet = max(self.eyes.since + self.policy.settle_ms, pressed_at + self.policy.press_grace_ms + 1)
                timers.append((quiet, self._try_answers))
            if self._doubted is not None:
                timers.append((self._doubted.t + MOVE_MS, self._nobody_says))
            if self._piece is not None and self._press is not None:
                timers.append((self._press.t + PROMOTION_MS, self._no_answer))
            return timers
        if self._press is not None:
            timers.append((self._judge_at, self._judge_press))
        if not self._link_up:
            return timers
        if not self._settled:
            timers.append((self.eyes.since + self.policy.settle_ms, self._settle))
        if self._gesture is not None:
            if not self._gesture_told:
                timers.append((self._gesture.t + min(self.policy.illegal_alert_ms, GESTURE_MS), self._tell_gesture))
            elif self.result is None:
                timers.append((self._gesture.t + GESTURE_MS, self._propose))
        elif not self._alerted and not self._first_look:  # nothing is wrong on a board that nobody has looked at
            timers.append((self.eyes.since + self._patience(), self._unexplained))
        return timers

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answers(self) -> dict[str, Callable[[int, object], None]]:
        return {
            "promotion": self._answer_promotion,
            "capture": self._answer_capture,
            "move": self._answer_move,
            "takeback": self._answer_takeback,
            "orientation": self._answer_orientation,
            "dead": self._answer_dead,
            "result": self._answer_result,
            "resync": self._answer_resync,
        }

    def _answer_promotion(self, t: int, value: object) -> None:
        letter = str(value).lower()[:1]
        if self.promotion is None or letter not in ("q", "r", "b", "n"):
            return
        piece = chess.PIECE_SYMBOLS.index(letter)
        if self._capture is not None:
            self._known_meanwhile(t, piece)
        elif self._piece is not None and self._promoted_to(piece) is not None:
            self._go_on(*self._after_piece(t, piece))
        else:
            self._became(t, piece)

    def _answer_capture(self, t: int, value: object) -> None:
        question = self._capture
        if question is None:
            return
        origins = {move.from_square for move in question.moves}
        # It may be none of these: the piece stands on a square that is not read any more.
        others = tuple(m for m in self.board.legal_moves if m.from_square in origins and m not in question.moves)
        if value == OTHERS and others:
            self._ask_instead(others)
            return
        for move in (*question.moves, *others):
            names = (move.uci(), chess.square_name(move.to_square), self.board.san(move))
            if self.board.is_legal(move) and str(value) in names:
                self._go_on(*self._after_answer(t, move))
                return

    def _answer_move(self, t: int, value: object) -> None:
        if self._doubted is None:
            return
        if value == OTHERS:
            self._nobody_says(t)
            return
        ply, board = self._doubted.doubt.ply, self.board
        with contextlib.suppress(ValueError):
            move = chess.Move.from_uci(str(value))
            if move == board.move_stack[ply] or otherwise(board, ply, move) is not None:
                self._go_on(*self._after_move(t, move))

    def _answer_takeback(self, t: int, value: object) -> None:
        if self.record is not None and self._undone and str(value).lower() in _YES:
            self._pop(t, self._undone)
            self._undone = 0
            self.reading = Reading()
            self._look_again(t)

    def _answer_orientation(self, t: int, value: object) -> None:
        rotated = str(value).lower() in _YES
        if rotated != bool(self.eyes.rotated):
            self.eyes.turn()
        self.eyes.rotated = rotated
        self._read(t)

    def _answer_dead(self, t: int, value: object) -> None:
        for name in value if isinstance(value, list) else [value]:
            if name in chess.SQUARE_NAMES:
                self.eyes.dead |= chess.BB_SQUARES[chess.parse_square(str(name))]
        self._read(t)

    def _answer_result(self, t: int, value: object) -> None:
        if str(value).lower() in _NO:
            self.result, self._proposed = None, False
            self._read(t)

    def _answer_resync(self, t: int, value: object) -> None:
        """The moves that were made meanwhile, as a list or in one line."""
        if self.record is None or not self._resync_asked:
            return
        board, moves = self.record.copy(), []
        for word in value if isinstance(value, list) else str(value).split():
            move = _move(board, str(word))
            if move is None:
                return
            moves.append(move)
            board.push(move)
        if self._missed is not None and tuple(moves) in self._missed.lines:
            self._go_on(*self._after_line(t, tuple(moves)))
            return
        self._meanwhile = None  # who knows other moves knows those that were made since, too
        self._forget_resync()
        for move in moves:
            self.reading = Reading()
            self._commit(t, Ply(move, t))


def _san(board: chess.Board, line: Line) -> str:
    board, words = board.copy(stack=False), []
    for move in line:
        words.append(board.san(move))
        board.push(move)
    return " ".join(words)


def _move(board: chess.Board, word: str) -> chess.Move | None:
    """A legal move written in SAN or UCI, None for anything else."""
    for parse in (board.parse_san, board.parse_uci):
        try:
            return parse(word)
        except ValueError:
            continue
    return None


__all__ = ["Made", "Output", "Policy", "Shown", "Undone", "Watch"]
