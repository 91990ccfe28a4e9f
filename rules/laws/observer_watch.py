"""The whole observer of one table: board events and presses in; moves, questions and alerts out.

Theory of operation
-------------------
* The position is the truth. After every event the whole board is compared with the record (`observer_explain`), and on
  an occupancy board with the lifts since (`observer_occupancy`). One or two plies that fit are a *candidate*.
* A candidate becomes certain by its player's press, by the opponent's answer that has stood for `settle_ms`, or by
  mate or stalemate. Only then it is a `Made`. With `commit="settle"` (no clock) it counts when it has stood, and is
  replaced (`Made.replaces`) as long as the same hand slides it on.
* A press on a board that shows no move yet waits `press_grace_ms` for it. With a grace time the board may also still
  complete the move (a slower radio), so the press is judged when the board rests or the grace time is over.
* What nothing explains is named at quiet points: at once for what is one (disturbed, takeback, start array, kings in
  the centre), after `illegal_alert_ms` for what may be a hand at work. Squares told as missing or extra say nothing
  from then on, until they fit again: a dead sensor does not stop a game.
* A certain move is never rewritten by itself, and nothing is decided while the link is down; presses are kept, and the
  dump after it decides (`observer_resync`).

`Watch` is a mutable machine without I/O: each input is given with its time in ms and returns what follows, oldest
first; `due` is the next time at which `at` has something to say by itself. It keeps its own record, which starts as
the position given; `follow` sets another one (an arbiter's correction).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import chess

from rules.laws import observer_kings as kings
from rules.laws import observer_start as start
from rules.laws.ending import side_of
from rules.laws.observer_alerts import Alert, Code, Result, misfit, swap_suspected
from rules.laws.observer_explain import (
    Ply,
    after,
    nearest,
    one_ply,
    out_of_turn,
    pawn_left,
    still_stands,
    the_only,
    two_plies,
)
from rules.laws.observer_occupancy import Past, fitting, lifted
from rules.laws.observer_resync import missed
from rules.laws.observer_sight import Sensor, Sight, changed, half_turn, names
from rules.laws.sides import Side, other

#: Three squares emptied within this time are an accident.
DISTURBED_MS = 500
DISTURBED_SQUARES = 3
#: So many changes of one square within this time are a flicker.
FLICKER_MS = 3_000
FLICKER_CHANGES = 6
#: Kings must stand in the centre for so long to propose a result; the second may come so long after the first.
GESTURE_MS = 5_000
SECOND_KING_MS = 10_000
#: A piece in the hand is announced so much later than a wrong position.
IN_HAND_MS = 1_000
#: Takebacks are looked for so many plies back, and further as long as they go on ply by ply.
TAKEBACK_PLIES = 4


@dataclass(frozen=True, slots=True)
class Policy:
    """How the table works; times in ms. Quiet time is 300 for USB, 600 for Bluetooth, 50 for an own matrix."""

    commit: Literal["press", "settle"] = "press"
    settle_ms: int = 300
    illegal_alert_ms: int = 3_000
    press_grace_ms: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """A move is certain. `pressed_at` is its press, None if something else made it so.

    `replaces` says that it stands in place of the last one: a slide went on (no clock), or a question was answered.
    """

    t: int
    uci: str
    made_at: int
    pressed_at: int | None = None
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The kings have shown a result for long enough: to be proposed to both players."""

    t: int
    result: Result


@dataclass(frozen=True, slots=True)
class Undone:
    """The takeback of so many plies was granted and the record goes back."""

    t: int
    plies: int


Output = Alert | Made | Shown | Undone


@dataclass(frozen=True, slots=True)
class _Press:
    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class _Capture:
    """An asked question: one of these captures was pressed at `t`."""

    t: int
    moves: tuple[chess.Move, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the board says against the record: nothing new, a candidate, or nothing that fits.

    `choices` are captures that fit equally well; `in_hand` says that a reply is under way.
    """

    same: bool = False
    plies: tuple[Ply, ...] = ()
    choices: tuple[chess.Move, ...] = ()
    in_hand: bool = False

    @property
    def explained(self) -> bool:
        return self.same or bool(self.plies) or bool(self.choices)


class Watch:
    """See the theory of operation. `rotated` is None when nobody knows how the board lies.

    `record` is None when no game is known yet. `candidate` are the plies that stand on the board, unpressed.
    """

    def __init__(
        self,
        sensor: Sensor,
        record: chess.Board | None,
        policy: Policy | None = None,
        rotated: bool | None = False,
    ) -> None:
        self.sensor: Sensor = sensor
        self.policy = policy or Policy()
        self.record = record.copy() if record is not None else None
        self.root = record.copy(stack=False) if record is not None else None
        self.rotated = rotated
        self.result: Result | None = None
        self.reading = _Reading(same=True)
        self.sight = Sight.of(record if record is not None else chess.BaseBoard(None), sensor)
        self.dead: chess.Bitboard = 0
        self._out: list[Output] = []
        self._first_look = True
        self._since = 0
        self._settled = True
        self._alerted = True
        self._past: list[Past] = [Past(0, self.sight.occupied)]
        self._emptied: dict[chess.Square, int] = {}
        self._toggles: dict[chess.Square, list[int]] = {}
        self._flickered: set[chess.Square] = set()
        self._told: set[tuple[object, ...]] = set()
        self._suspect: chess.Bitboard = 0
        self._standing: Ply | None = None
        self._press: _Press | None = None
        self._capture: _Capture | None = None
        self._promotion: tuple[int, tuple[chess.PieceType, ...]] | None = None
        self._loose = False  # the last move counts by settling only: the hand may slide on
        self._disturbed = False
        self._setting_up = False
        self._undone = 0
        self._gesture: tuple[Result, int] | None = None
        self._gesture_told = False
        self._proposed = False
        self._link_up = True
        self._resync = False
        self._missed_presses: list[_Press] = []

    # -- inputs -------------------------------------------------------------------------------------------------------

    @property
    def candidate(self) -> tuple[Ply, ...]:
        """The plies that stand on the board and are not in the record."""
        return self.reading.plies

    def lift(self, t: int, square: chess.Square) -> list[Output]:
        """A square of the board became empty."""
        return self._seen(t, self.sight.lifted(self._true(square)))

    def place(self, t: int, square: chess.Square, letter: str = "?") -> list[Output]:
        """A piece (FEN letter, "?" where the sensor cannot tell) stands on a square."""
        return self._seen(t, self.sight.placed(self._true(square), letter))

    def show(self, t: int, raw: Sight) -> list[Output]:
        """A full dump of the board, in the board's own squares."""
        self.at(t, keep=True)
        if self._first_look:
            self._look_first(t, raw)
        sight = raw.rotated() if self.rotated else raw
        if self._resync or self._first_look or sight != self.sight:
            self._first_look = False
            self._change(t, sight)
            if self._resync:
                self._judge_resync(t, last=False)
        return self._drain()

    def press(self, t: int, side: Side) -> list[Output]:
        """`side` pressed the clock at `t`."""
        self.at(t, keep=True)
        if not self._link_up or self._resync:
            self._missed_presses.append(_Press(t, side))
        elif self.record is not None and self._gesture is None and not self._proposed:
            self._pressed(_Press(t, side))
        return self._drain()

    def link(self, t: int, up: bool) -> list[Output]:
        """The cable to the board was lost or found again. A dump (`show`) must follow its return."""
        self.at(t, keep=True)
        if up != self._link_up:
            self._link_up = up
            self._alert(t, "link_up" if up else "link_down")
            self._resync = up
            if not up and self._press is not None:
                self._missed_presses.append(self._press)
                self._press = None
        return self._drain()

    def answer(self, t: int, ask: str, value: object) -> list[Output]:
        """A player or arbiter answered a question; answers that make no sense here are ignored.

        Questions: promotion (a letter), capture (target square or UCI), takeback (yes), orientation (normal, rotated),
        dead (a square whose sensor is broken), result (no: the game goes on), resync (the moves in UCI).
        """
        self.at(t, keep=True)
        answers: dict[str, Callable[[int, object], None]] = {
            "promotion": self._answer_promotion,
            "capture": self._answer_capture,
            "takeback": self._answer_takeback,
            "orientation": self._answer_orientation,
            "dead": self._answer_dead,
            "result": self._answer_result,
            "resync": self._answer_resync,
        }
        for name, take in answers.items():
            if ask.startswith(name):
                take(t, value)
        return self._drain()

    def follow(self, t: int, record: chess.Board | None) -> list[Output]:
        """Another record from now on: the arbiter corrected it, or a new game begins. The board stays as it is."""
        self.record = record.copy() if record is not None else None
        self.root = record.root() if record is not None else None
        self.result, self._proposed = None, False
        self._promotion, self._capture, self._press = None, None, None
        self._rebase(t)
        return self._drain()

    @property
    def due(self) -> int | None:
        """The next time at which `at` has something to do."""
        return min((t for t, _do in self._timers()), default=None)

    def at(self, t: int, keep: bool = False) -> list[Output]:
        """Lets time pass up to `t`. With `keep` what follows is handed out with the next input."""
        while True:
            timers = self._timers()
            if not timers or min(timers, key=lambda timer: timer[0])[0] > t:
                return [] if keep else self._drain()
            when, do = min(timers, key=lambda timer: timer[0])
            do(when)

    # -- time ---------------------------------------------------------------------------------------------------------

    def _timers(self) -> list[tuple[int, Callable[[int], None]]]:
        timers: list[tuple[int, Callable[[int], None]]] = []
        if self._press is not None:
            timers.append((self._press.t + self.policy.press_grace_ms, self._judge_press))
        if not self._link_up:
            return timers
        if not self._settled:
            timers.append((self._since + self.policy.settle_ms, self._settle))
        if self._gesture is not None:
            _result, since = self._gesture
            if not self._gesture_told:
                timers.append((since + min(self.policy.illegal_alert_ms, GESTURE_MS), self._tell_gesture))
            elif self.result is None:
                timers.append((since + GESTURE_MS, self._propose))
        elif not self._alerted:
            timers.append((self._since + self._patience(), self._unexplained))
        return timers

    def _patience(self) -> int:
        """How long an unexplained position may stand: longer with a piece in the hand, or a king in the centre."""
        if self.record is not None and kings.one_on_the_way(self.record, self.sight):
            return SECOND_KING_MS
        wrong = self.sight.wrong(self.record, self.dead) if self.record is not None else 0
        in_hand = not wrong & self.sight.occupied and wrong.bit_count() <= 2
        return self.policy.illegal_alert_ms + (IN_HAND_MS if in_hand else 0)

    # -- seeing -------------------------------------------------------------------------------------------------------

    def _true(self, square: chess.Square) -> chess.Square:
        return 63 - square if self.rotated else square

    def _seen(self, t: int, sight: Sight) -> list[Output]:
        self.at(t, keep=True)
        self._first_look = False
        if sight != self.sight:
            self._change(t, sight)
        return self._drain()

    def _change(self, t: int, sight: Sight) -> None:
        """The board is different from `t` on."""
        moved = self.sight.occupied ^ sight.occupied
        if sight.pieces is not None and self.sight.pieces is not None:
            moved |= changed(self.sight.pieces, sight.pieces)
        for square in chess.scan_forward(self.sight.occupied & ~sight.occupied):
            self._emptied[square] = t
        self.sight, self._since = sight, t
        self._settled = self._alerted = False
        self._past.append(Past(t, sight.occupied))
        if self.record is None or not self._link_up:
            return
        self._count_toggles(t, moved)
        self._see_gesture(t)
        self._read(t)
        if self._press is not None and self._resting_for_press():
            self._judge_press(t)

    def _count_toggles(self, t: int, moved: chess.Bitboard) -> None:
        """A weak magnet: the same square again and again, without a move."""
        for square in chess.scan_forward(moved):
            times = [at for at in self._toggles.get(square, ()) if t - at <= FLICKER_MS]
            self._toggles[square] = [*times, t]
            if len(times) + 1 >= FLICKER_CHANGES and square not in self._flickered and not self._disturbed:
                self._flickered.add(square)
                self._suspect |= chess.BB_SQUARES[square]
                self._alert(t, "flicker", squares=(chess.square_name(square),))

    def _read(self, t: int, deep: bool = False) -> None:
        """Explains the board anew; `deep` also looks for two plies at once on an occupancy board."""
        if self.record is None:
            return
        self.reading = self._explain(t, self.record, deep)
        if not self.reading.explained and self._promotion is not None:
            self._narrow_promotion(t, deep)
        if not self.reading.explained and self.rotated is None:
            self._try_rotated(t)
        if self.reading.plies:
            self._standing = self.reading.plies[0]
        elif self.reading.same:
            self._standing = None
        if self.reading.explained and not self.reading.in_hand:
            self._alerted = True

    def _explain(self, t: int, board: chess.Board, deep: bool) -> _Reading:
        ignores = [self.dead]
        if self._suspect & ~self.dead:
            ignores.append(self.dead | self._suspect)
        for ignore in ignores:
            reading = self._explain_without(t, board, ignore, deep)
            if reading.explained:
                return reading
        first = self._standing
        if first is not None and board.is_legal(first.move) and still_stands(board, first, self.sight, self.dead):
            return _Reading(plies=(first,), in_hand=True)
        return _Reading()

    def _explain_without(self, t: int, board: chess.Board, ignore: chess.Bitboard, deep: bool) -> _Reading:
        wrong = self.sight.wrong(board, ignore)
        if not wrong and self.sensor == "identified":
            return _Reading(same=True)
        moves = self._fitting(board, ignore)
        ply = the_only(moves, t)
        if ply is not None:
            return _Reading(plies=(self._stamped(ply),))
        if moves:
            return _Reading(choices=tuple(moves))
        if not wrong:
            return _Reading(same=True)
        return self._explain_two(t, board, ignore, deep)

    def _explain_two(self, t: int, board: chess.Board, ignore: chess.Bitboard, deep: bool) -> _Reading:
        """The candidate answered on the board; or both at once."""
        first = self._standing
        if first is not None and board.is_legal(first.move):
            past = [seen for seen in self._past if seen.t >= first.made_at]
            there = after(board, first.move)
            moves = fitting(there, self.sight, past, ignore) if self.sensor == "occupancy" else []
            reply = the_only(moves or one_ply(there, self.sight, ignore), t)
            if reply is not None and self.sight.wrong(there, ignore):
                return _Reading(plies=(first, self._stamped(reply)))
        if self.sensor == "occupancy" and not deep:
            return _Reading()
        touched = lifted(self._past) if self.sensor == "occupancy" else chess.BB_ALL
        found = {}
        for one, two in two_plies(board, self.sight, ignore):
            if chess.BB_SQUARES[one.from_square] & touched and chess.BB_SQUARES[two.from_square] & touched:
                found[(one.from_square, one.to_square, two.from_square, two.to_square)] = (one, two)
        if len(found) != 1:
            return _Reading()
        ((one, two),) = found.values()
        return _Reading(plies=(self._stamped(Ply(one, t)), self._stamped(Ply(two, t))))

    def _fitting(self, board: chess.Board, ignore: chess.Bitboard) -> list[chess.Move]:
        if self.sensor == "identified":
            return list(one_ply(board, self.sight, ignore))
        first = self._standing
        held = first is not None and self._since - first.made_at >= self.policy.settle_ms
        return fitting(board, self.sight, self._past, ignore, first.move if first is not None and held else None)

    def _stamped(self, ply: Ply) -> Ply:
        """A move seen before keeps the time at which it was first seen, as long as it was not undone since."""
        for known in (self._standing, *self.reading.plies):
            if known is not None and known.move == ply.move:
                return replace(ply, made_at=known.made_at)
        return ply

    # -- quiet points -------------------------------------------------------------------------------------------------

    def _settle(self, t: int) -> None:
        """The board has been quiet for `settle_ms`: what it shows is looked at as a whole."""
        self._settled = True
        if self._resync:
            self._judge_resync(t, last=not self._only_lifted())
            return
        if self.record is None or self._gesture is not None:
            return
        self._read(t, deep=True)
        if self.reading.explained:
            self._settle_explained(t)
        elif not self._settle_known(t) and self._accident():
            self._disturbed = True
            self._alert(t, "disturbed", squares=names(self._missing()))
        if self._press is not None and self._press.t <= t - self.policy.settle_ms:
            self._judge_press(t)

    def _settle_explained(self, t: int) -> None:
        assert self.record is not None
        self._suspect &= self.sight.wrong(self.record) | self._flickers()
        if not self.reading.in_hand:
            self._told.clear()
        if self._disturbed:
            self._disturbed = False
            self._alert(t, "board_restored")
        if self._setting_up:
            self._setting_up = False
            if ("start_wrong",) in self._told or self._start_told:
                self._alert(t, "start_ok")
        if self.reading.same:
            self._undone = 0
            if self._proposed and start.is_start(self.sight, self.root):
                self._alert(t, "start_position_seen")
        elif not self._proposed:
            self._settle_moves(t)

    _start_told = False

    def _settle_moves(self, t: int) -> None:
        """A move that was answered, that ends the game, or at a table without a clock, is certain now."""
        assert self.record is not None
        while len(self.reading.plies) > 1:
            self._commit(t, self.reading.plies[0])
        if not self.reading.plies or self.reading.in_hand:
            return
        ply = self.reading.plies[0]
        there = after(self.record, ply.move)
        if self.policy.commit == "settle":
            self._commit(t, ply)
            self._loose = True
        elif there.is_checkmate() or there.is_stalemate():
            self._commit(t, ply)

    def _settle_known(self, t: int) -> bool:
        """Whether the unexplained board is one that people make on purpose: a slide, a takeback, a new start array."""
        assert self.record is not None
        if self._loose and self._slid_on(t):
            return True
        back = self._plies_back()
        if back:
            self._undone = back
            self._once(t, "takeback", plies=back)
            return True
        if not self._setting_up and start.is_start(self.sight, self.root):
            self._once(t, "start_position_seen")
            return True
        return False

    def _slid_on(self, t: int) -> bool:
        """Without a clock: the last move is replaced when the same piece went on, or a castling came out of it."""
        assert self.record is not None
        if not self.record.move_stack:
            return False
        last = self.record.peek()
        before = self.record.copy()
        before.pop()
        ply = the_only(one_ply(before, self.sight, self.dead), t)
        if ply is None or not (ply.move.from_square == last.from_square or before.is_castling(ply.move)):
            return False
        self.record = before
        self._commit(t, ply, replaces=True)
        self._loose = True
        return True

    def _plies_back(self) -> int:
        """How many of the last moves are undone on the board, 0 if it shows none of the last positions."""
        assert self.record is not None
        board = self.record.copy()
        for plies in range(1, max(TAKEBACK_PLIES, self._undone + 1) + 1):
            if not board.move_stack:
                break
            board.pop()
            if not self.sight.wrong(board, self.dead):
                return plies
        return 0

    def _missing(self) -> chess.Bitboard:
        assert self.record is not None
        near = nearest(self.record, self.sight, self.dead)
        return near.wrong & ~self.sight.occupied

    def _accident(self) -> bool:
        """Whether three or more pieces left their squares at once and nobody's move explains it."""
        if self._disturbed or self._setting_up or self._proposed:
            return False
        times = sorted(self._emptied.get(square, 0) for square in chess.scan_forward(self._missing()))
        count = DISTURBED_SQUARES
        return any(b - a <= DISTURBED_MS for a, b in zip(times, times[count - 1 :], strict=False))

    def _unexplained(self, t: int) -> None:
        """A position has stood too long without an explanation."""
        self._alerted = True
        if self.record is None or self._resync or self._proposed or self.reading.explained:
            return
        if self._plies_back() or (not self._setting_up and start.is_start(self.sight, self.root)):
            return
        if self._setting_up:
            self._start_told = True
            self._once(t, "start_wrong", squares=names(self.sight.wrong(self.record, self.dead)))
            return
        ignore = self.dead | self._suspect
        if pawn_left(self.record, self.sight, ignore) is not None:
            return
        near = nearest(self.record, self.sight, ignore)
        code, squares = misfit(near, self.sight)
        if self._disturbed and code != "piece_swapped":
            return
        stranger = out_of_turn(self.record, self.sight, ignore)
        if stranger is not None and code != "piece_missing":
            self._once(t, "wrong_turn", side=self._mover(stranger))
            return
        if code in ("piece_missing", "piece_extra"):
            self._suspect |= near.wrong
        self._once(t, code, squares=squares)
        self._read(t)

    def _mover(self, ply: Ply) -> Side:
        """The side of a move made out of turn."""
        assert self.record is not None
        there = self.record.color_at(ply.move.from_square)
        turn = there if there is not None else not self.record.turn
        return side_of(turn)

    # -- presses ------------------------------------------------------------------------------------------------------

    def _pressed(self, press: _Press) -> None:
        assert self.record is not None
        if not self.reading.plies:
            self._read(press.t, deep=True)
        turn = side_of(self.record.turn)
        if press.side != turn:
            self._pressed_out_of_turn(press)
            return
        if self._press is not None:
            self._judge_press(press.t)  # the press before this one waits no longer
        self._press = press
        if self.policy.press_grace_ms == 0 or self._resting_for_press():
            self._judge_press(press.t)

    def _resting_for_press(self) -> bool:
        """Whether a waiting press can be judged early: an answered move, or a board that has been at rest before."""
        assert self._press is not None
        return len(self.reading.plies) > 1 or (bool(self.reading.plies) and self._settled)

    def _pressed_out_of_turn(self, press: _Press) -> None:
        """The side not to move pressed: his answer stands there already, or he has moved out of turn, or nothing."""
        assert self.record is not None
        if self._press is not None:
            self._judge_press(press.t)
            if press.side == side_of(self.record.turn):
                self._pressed(press)
            return
        if len(self.reading.plies) > 1:
            self._commit(press.t, self.reading.plies[0])
            self._pressed(press)
            return
        if self.reading.explained or self._disturbed or self._capture is not None:
            return
        stranger = out_of_turn(self.record, self.sight, self.dead | self._suspect)
        if stranger is not None and self._mover(stranger) == press.side:
            self._once(press.t, "wrong_turn", side=press.side)

    def _judge_press(self, t: int) -> None:
        """What the waiting press means on the board as it stands."""
        press, self._press = self._press, None
        if press is None or self.record is None:
            return
        if not self.reading.plies:
            self._read(t, deep=True)
        if self.reading.plies:
            self._commit(t, self.reading.plies[0], press)
        elif self.reading.choices:
            self._ask_capture(t, press)
        elif self.reading.same:
            self._alert(t, "no_move_made", side=press.side)
        else:
            self._illegal_press(t, press)

    def _ask_capture(self, t: int, press: _Press) -> None:
        self._capture = _Capture(press.t, self.reading.choices)
        targets = chess.BB_EMPTY
        for move in self.reading.choices:
            targets |= chess.BB_SQUARES[move.to_square]
        self._alert(t, "capture_ambiguous", side=press.side, squares=names(targets))

    def _illegal_press(self, t: int, press: _Press) -> None:
        assert self.record is not None
        ignore = self.dead | self._suspect
        pawn = pawn_left(self.record, self.sight, ignore)
        if pawn is not None:
            self._alert(t, "promotion_pawn_left", side=press.side, squares=(chess.square_name(pawn),))
            self._alerted = True
            return
        stranger = out_of_turn(self.record, self.sight, ignore)
        if stranger is not None and self._mover(stranger) != press.side:
            self._once(t, "wrong_turn", side=self._mover(stranger))
            return
        squares = misfit(nearest(self.record, self.sight, ignore), self.sight)[1]
        self._alert(t, "illegal_move", side=press.side, squares=squares)
        self._alerted = True
        if self.sensor == "occupancy":
            suspected = swap_suspected(self.record, self.sight)
            if suspected:
                self._alert(t, "piece_swap_suspected", squares=suspected)

    # -- the record ---------------------------------------------------------------------------------------------------

    def _commit(self, t: int, ply: Ply, press: _Press | None = None, replaces: bool = False) -> None:
        """`ply` is certain and goes into the record."""
        assert self.record is not None
        side = side_of(self.record.turn)
        if len(self.reading.plies) > 1 and self.policy.commit == "press" and not replaces:
            self._alert(t, "moved_before_press", side=other(side))
        self.record.push(ply.move)
        if ply.options:
            self._promotion = (len(self.record.move_stack), ply.options)
            self._alert(t, "promotion_needed", squares=(chess.square_name(ply.move.to_square),))
        uci = self.record_uci(-1)
        self._out.append(Made(t, uci, ply.made_at, press.t if press else None, replaces))
        self._loose, self._capture, self._undone = False, None, 0
        if self.record.is_checkmate():
            self.result = "1-0" if self.record.turn == chess.BLACK else "0-1"
        elif self.record.is_stalemate():
            self.result = "1/2-1/2"
        self._past = [seen for seen in self._past if seen.t >= ply.made_at] or self._past[-1:]
        self._rebase(t)

    def record_uci(self, ply: int) -> str:
        """The move number `ply` of the record in UCI, in the way of its variant."""
        assert self.record is not None
        board = self.record.copy()
        moves = list(board.move_stack)
        for _undo in range(len(moves) - (ply % len(moves))):
            board.pop()
        return board.uci(moves[ply])

    def _rebase(self, t: int) -> None:
        """The record has gone on: the same board means something else now."""
        plies, self._standing = self.reading.plies, None
        self.reading = _Reading(plies=plies[1:])
        self._toggles.clear()
        self._emptied.clear()
        self._alerted = False
        self._see_gesture(t)
        self._read(t)

    def _narrow_promotion(self, t: int, deep: bool) -> None:
        """What is on the board is legal with another promotion piece only: then that was it."""
        assert self.record is not None
        assert self._promotion is not None
        index, options = self._promotion
        current = self.record.move_stack[index - 1].promotion
        for piece in options:
            if piece == current:
                continue
            board = self._with_promotion(piece)
            reading = self._explain(t, board, deep) if board is not None else _Reading()
            if board is not None and reading.plies and not reading.in_hand:
                rest = tuple(option for option in options if option not in (piece, current))
                self._promotion = (index, (piece, *rest)) if rest else None
                self._replace_promotion(t, board, index)
                self.reading = reading
                return

    def _with_promotion(self, piece: chess.PieceType) -> chess.Board | None:
        """The record with another promotion piece, None if the moves after it would not be legal."""
        assert self.record is not None
        assert self._promotion is not None
        index = self._promotion[0]
        board, moves = self.record.copy(), list(self.record.move_stack)
        for _undo in moves[index - 1 :]:
            board.pop()
        open_move = moves[index - 1]
        moves[index - 1] = chess.Move(open_move.from_square, open_move.to_square, piece)
        for move in moves[index - 1 :]:
            if not board.is_legal(move):
                return None
            board.push(move)
        return board

    def _replace_promotion(self, t: int, board: chess.Board, index: int) -> None:
        self.record = board
        self._out.append(Made(t, self.record_uci(index - 1), t, None, replaces=True))

    # -- orientation and start ----------------------------------------------------------------------------------------

    def _look_first(self, t: int, raw: Sight) -> None:
        """The first dump: how the board lies, which game it may be, whether its start array is right."""
        if self.record is None:
            self._look_without_record(t, raw)
            return
        rotated = start.is_rotated(self.record, raw, self.rotated)
        if rotated is None and self.sensor == "identified":
            self._alert(t, "orientation_unknown")
        elif rotated is not None and rotated != bool(self.rotated):
            self._alert(t, "rotated", rotated=rotated)
        self.rotated = rotated
        sight = raw.rotated() if rotated else raw
        wrong = sight.wrong(self.record, self.dead)
        moved = any(one_ply(self.record, sight)) or any(two_plies(self.record, sight))
        self._setting_up = bool(wrong) and start.begins(self.record) and not self.record.move_stack and not moved

    def _look_without_record(self, t: int, raw: Sight) -> None:
        for rotated, sight in ((False, raw), (True, raw.rotated())):
            if start.is_start(sight) and self.rotated in (None, rotated) and raw.pieces is not None:
                if rotated and self.rotated is None:
                    self._alert(t, "rotated", rotated=True)
                self.rotated = rotated
                self.record, self.root = chess.Board(), chess.Board()
                return
        if self.rotated is None:
            ways = start.possible_ways(raw)
            if len(ways) == 1:
                self.rotated = ways[0]
                if self.rotated:
                    self._alert(t, "rotated", rotated=True)
            else:
                self._alert(t, "orientation_unknown")

    def _try_rotated(self, t: int) -> None:
        """Nobody knows how the board lies, and the move on it makes sense the other way round only."""
        assert self.record is not None
        sight, past = self.sight, self._past
        self._turn_squares()
        reading = self._explain_without(t, self.record, self.dead, deep=False)
        if reading.plies:
            self.rotated, self.reading = True, reading
            self._alert(t, "rotated", rotated=True)
        else:
            self.sight, self._past = sight, past

    def _turn_squares(self) -> None:
        self.sight = self.sight.rotated()
        self._past = [Past(seen.t, half_turn(seen.occupied)) for seen in self._past]

    # -- kings in the centre ------------------------------------------------------------------------------------------

    def _see_gesture(self, t: int) -> None:
        assert self.record is not None
        result = kings.shown(self.record, self.sight)
        if result is None:
            self._gesture = None
        elif self._gesture is None or self._gesture[0] != result:
            self._gesture, self._gesture_told = (result, t), False
            self._press = None

    def _tell_gesture(self, t: int) -> None:
        assert self._gesture is not None
        self._gesture_told = True
        self._alert(t, "result_gesture", result=self._gesture[0])

    def _propose(self, t: int) -> None:
        """The first result stands until people change it; a second gesture is told, and is theirs to decide."""
        assert self._gesture is not None
        self.result, self._proposed = self._gesture[0], True
        self._out.append(Shown(t, self.result))

    # -- a lost link --------------------------------------------------------------------------------------------------

    def _only_lifted(self) -> bool:
        if self.record is None:
            return False
        wrong = self.sight.wrong(self.record, self.dead)
        return bool(wrong) and not wrong & self.sight.occupied and wrong.bit_count() <= 2

    def _judge_resync(self, t: int, last: bool) -> None:
        """The dump after a lost link: takes what is certain, asks at the `last` try if nothing is."""
        if self.record is None:
            self._resync = False
            return
        presses = [press.side for press in self._missed_presses] if self.policy.commit == "press" else None
        found = missed(self.record, self.sight, presses, self.dead | self._suspect)
        if found.line is None and not last:
            return
        self._resync, heard = False, self._missed_presses
        self._missed_presses = []
        if found.line is None:
            self._alert(t, "resync_ambiguous", plies=found.plies)
            self._told.add(("resync_ambiguous",))
            self._alerted = True
            return
        self._alert(t, "resync_ok", plies=found.plies)
        self._take_line(t, found.line, heard)

    def _take_line(self, t: int, line: tuple[chess.Move, ...], heard: list[_Press]) -> None:
        """Moves found after a lost link: pressed ones and answered ones are certain."""
        assert self.record is not None
        presses = iter(heard)
        for index, move in enumerate(line):
            side = side_of(self.record.turn)
            press = next((press for press in presses if press.side == side), None)
            certain = press is not None or index + 1 < len(line) or self.policy.commit == "settle"
            if certain:
                self.reading = _Reading()
                self._commit(t, Ply(move, press.t if press else t), press)
        self._settled = False

    # -- answers ------------------------------------------------------------------------------------------------------

    def _answer_promotion(self, t: int, value: object) -> None:
        if self._promotion is None or not isinstance(value, str) or value.lower()[:1] not in ("q", "r", "b", "n"):
            return
        index, _options = self._promotion
        board = self._with_promotion(chess.PIECE_SYMBOLS.index(value.lower()[:1]))
        if board is None:
            return
        changed_piece = board.move_stack[index - 1] != self.record.move_stack[index - 1] if self.record else False
        self._promotion = None
        if changed_piece:
            self._replace_promotion(t, board, index)
            self._rebase(t)

    def _answer_capture(self, t: int, value: object) -> None:
        question = self._capture
        if question is None or self.record is None or not isinstance(value, str):
            return
        for move in question.moves:
            if value in (move.uci(), chess.square_name(move.to_square), self.record.san(move)):
                options = tuple(m.promotion for m in question.moves if m.to_square == move.to_square and m.promotion)
                self._commit(t, Ply(move, question.t, options if len(options) > 1 else ()), _Press(question.t, "white"))
                return

    def _answer_takeback(self, t: int, value: object) -> None:
        if self.record is None or not self._undone or str(value).lower() not in ("yes", "true", "accept", "granted"):
            return
        plies = self._undone
        for _undo in range(plies):
            self.record.pop()
        self._undone = 0
        self._out.append(Undone(t, plies))
        self._rebase(t)

    def _answer_orientation(self, t: int, value: object) -> None:
        rotated = str(value).lower() in ("rotated", "true", "yes")
        if rotated != bool(self.rotated):
            self._turn_squares()
        self.rotated = rotated
        self._read(t)

    def _answer_dead(self, t: int, value: object) -> None:
        squares = value if isinstance(value, list) else [value]
        for name in squares:
            if name in chess.SQUARE_NAMES:
                self.dead |= chess.BB_SQUARES[chess.parse_square(str(name))]
        self._read(t)

    def _answer_result(self, t: int, value: object) -> None:
        if str(value).lower() in ("no", "false", "none"):
            self.result, self._proposed = None, False
            self._read(t)

    def _answer_resync(self, t: int, value: object) -> None:
        """The moves that were made meanwhile, in UCI or SAN, as a list or in one line."""
        if self.record is None or ("resync_ambiguous",) not in self._told:
            return
        words = value if isinstance(value, list) else str(value).split()
        board, moves = self.record.copy(), []
        for word in words:
            try:
                move = board.parse_san(str(word))
            except ValueError:
                try:
                    move = board.parse_uci(str(word))
                except ValueError:
                    return
            moves.append(move)
            board.push(move)
        self._told.clear()
        for move in moves:
            self.reading = _Reading()
            self._commit(t, Ply(move, t))

    # -- telling ------------------------------------------------------------------------------------------------------

    def _flickers(self) -> chess.Bitboard:
        bits = chess.BB_EMPTY
        for square in self._flickered:
            bits |= chess.BB_SQUARES[square]
        return bits

    def _alert(
        self,
        t: int,
        code: Code,
        side: Side | None = None,
        squares: tuple[str, ...] = (),
        plies: int | None = None,
        rotated: bool | None = None,
        result: Result | None = None,
    ) -> None:
        self._out.append(Alert(t, code, side, squares, plies, rotated, result))

    def _once(
        self, t: int, code: Code, side: Side | None = None, squares: tuple[str, ...] = (), plies: int | None = None
    ) -> None:
        """An alert that is not repeated before the board has been right again."""
        key = (code, side, squares, plies)
        if key not in self._told:
            self._told.add(key)
            self._alert(t, code, side, squares, plies)

    def _drain(self) -> list[Output]:
        out, self._out = self._out, []
        return out
