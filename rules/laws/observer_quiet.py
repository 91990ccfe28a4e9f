"""Third rung: what is decided when the board has been quiet, and what is asked when it stays unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from rules.laws import observer_kings as kings
from rules.laws import observer_start as start
from rules.laws.ending import side_of
from rules.laws.observer_alerts import misfit
from rules.laws.observer_doubts import MOST_AFTER, Doubt, doubt
from rules.laws.observer_explain import (
    PROMOTIONS,
    Line,
    Ply,
    after,
    may_go_on,
    nearest,
    one_ply,
    out_of_turn,
    pawn_left,
    the_only,
    two_plies,
)
from rules.laws.observer_eyes import FLICKER_CHANGES
from rules.laws.observer_occupancy import fitting, guessed, since_as_recorded, touched
from rules.laws.observer_reader import Press, Reader
from rules.laws.observer_reading import Reading
from rules.laws.observer_record import Policy, Shown
from rules.laws.observer_resync import Missed, in_order, missed
from rules.laws.observer_sight import Sensor, Sight, names
from rules.laws.sides import Side, other

#: Three squares emptied within this time are an accident.
DISTURBED_MS = 500
DISTURBED_SQUARES = 3
#: With more doubtful squares than this nothing can be said without them.
MOST_DOUBTFUL = 2
#: Kings must stand in the centre for so long to propose a result; the second may come so long after the first.
GESTURE_MS = 5_000
SECOND_KING_MS = 10_000
#: A piece in the hand is announced so much later than a wrong position.
IN_HAND_MS = 1_000
#: So many moves are believed at once where presses were not heard either.
SURE_PLIES = 2
#: Takebacks are looked for so many plies back, and further as long as they go on ply by ply.
TAKEBACK_PLIES = 4


@dataclass(frozen=True, slots=True)
class MoveAsked:
    """An open question since `t`: which move an earlier one was. `press` waits for it, if a press led to it."""

    doubt: Doubt
    press: Press | None
    t: int


@dataclass(frozen=True, slots=True)
class MissedAsked:
    """An open question since `t`: which of `lines` was played while the link was lost, when `heard` was pressed.

    `heard` is None when no press could be heard either.
    """

    lines: tuple[Line, ...]
    heard: tuple[Press, ...] | None
    t: int


class QuietPoints(Reader):
    """Adds the settled board: answers, accidents, takebacks, start arrays, kings in the centre, a lost link."""

    def __init__(self, sensor: Sensor, record: chess.Board | None, policy: Policy, rotated: bool | None) -> None:
        super().__init__(sensor, record, policy, rotated)
        self._loose = False  # the last move counts by settling only: the hand may slide on
        self._setting_up = self._start_told = False
        self._start_wrong = chess.BB_EMPTY  # as long as few squares are, before the first move
        self._resync = self._resync_asked = False
        self._missed_presses: list[Press] = []
        self._lost_at: chess.Move | None = None  # the move that stood there at the first of them
        self._deaf = False  # presses were not heard while the link was lost
        self._several = False  # what the board has shown first after it fitted several lines
        self._doubted: MoveAsked | None = None
        self._missed: MissedAsked | None = None

    def _settle(self, t: int) -> None:
        """The board has been quiet for `settle_ms`: what it shows is looked at as a whole."""
        self._settled = True
        if self._resync:
            self._judge_resync(t, last=self.record is None or not self.eyes.only_lifted(self.board))
            return
        if self._resync_asked:
            if self.record is None:
                return
            if self._wrong:
                # What was played is for people to say, unless a piece in a hand has hidden it, which is down now.
                self._judge_resync(t, last=False)
                return
            self._forget_resync()
        if self.record is None or self._gesture is not None:
            return
        self._read(t)
        if self.eyes.sensor == "occupancy" and self._fallen() and not self._new_array():
            self._disturbed = True  # however well two captures would explain it
            self._alert(t, "disturbed", squares=names(self._missing()))
        elif self._loose and self._first_guessed() and self._slid_on(t):
            pass
        elif self.reading.explained:
            self._settle_explained(t)
        elif self._setting_up and (self._start_wrong or self._wrong.bit_count() <= MOST_DOUBTFUL):
            self._start_wrong = self._wrong & (self._start_wrong or chess.BB_ALL)
        elif not self._settle_known(t) and self._accident():
            self._disturbed = True
            self._alert(t, "disturbed", squares=names(self._missing()))

    @property
    def _wrong(self) -> chess.Bitboard:
        """The squares that are not as the record has them."""
        return self.eyes.sight.wrong(self.board, self.eyes.dead)

    def _settle_explained(self, t: int) -> None:
        moved = chess.BB_EMPTY
        for ply in self.reading.plies:
            moved |= chess.BB_SQUARES[ply.move.from_square] | chess.BB_SQUARES[ply.move.to_square]
        self._tell_flicker(t, self.eyes.flickers(FLICKER_CHANGES) & ~moved)
        self.eyes.suspect &= self.eyes.sight.wrong(self.board) | self.eyes.flickering
        if not self.reading.in_hand:
            self._told.clear()
        # Fallen pieces may look like a capture, or like a move and its answer.
        if self._disturbed and (self.reading.same or (len(self.reading.plies) == 1 and self.rests)):
            self._disturbed = False
            self._alert(t, "board_restored")
        if self._setting_up:
            self._setting_up = False
            if self._start_told:
                self._alert(t, "start_ok")
            self._start_wrong = chess.BB_EMPTY
        if not self._proposed:
            self._settle_moves(t)
        elif self.reading.same and start.is_start(self.eyes.sight, self.root):
            self._alert(t, "start_position_seen")

    def _settle_moves(self, t: int) -> None:
        """A move that was answered, that ends the game, or at a table without a clock, is certain now."""
        if self.reading.same:
            self._undone = 0
        if not self.believed:
            return
        # Two pieces in the air may both be captures of which only the lift was seen: nobody has answered yet.
        while len(self.reading.plies) > 1 and not self._disturbed and self._answer_seen() and not self._last_guessed():
            self._commit_answered(t)
            if self._doubted is not None:
                return
        if len(self.reading.plies) != 1 or self.reading.in_hand:
            return
        ply = self.reading.plies[0]
        there = after(self.board, ply.move)
        over = not ply.options and (there.is_checkmate() or there.is_stalemate())
        if self.unseen:
            self._alerted = False  # perhaps the piece is only in the hand: time must tell
        elif self.policy.commit == "settle" or (
            over and not (self.policy.final_press and may_go_on(self.board, ply.move))
        ):
            self._commit_loosely(t, ply)
        elif may_go_on(self.board, ply.move):
            self._alerted = False  # a slide may have stopped here: time must tell

    def _went_on(self) -> bool:
        """Whether the second of two plies moves the piece on that moved last, and that was not seen to rest there."""
        moves, origin = self.board.move_stack, self.reading.plies[1].move.from_square
        if not moves or len(moves) - 1 not in self._unsure or origin != moves[-1].to_square:
            return False
        return self.eyes.emptied.get(origin, self._certain_at) - self._certain_at < self._long_rest

    def _answer_seen(self) -> bool:
        """Whether the answer came down somewhere: two pieces in the air may look like two captures."""
        answer = chess.BB_SQUARES[self.reading.plies[1].move.to_square]
        return self.eyes.sensor == "identified" or bool(answer & touched(since_as_recorded(self.eyes.past, self.board)))

    def _commit_loosely(self, t: int, ply: Ply) -> None:
        """Without a press the move counts, but the hand may slide on: a mating square may lie on the way, too."""
        self._commit(t, ply)
        self._loose = True

    def _commit_answered(self, t: int, press: Press | None = None, ask: bool = True) -> None:
        """The first of two plies is certain, because the second was made.

        With `ask`, it may be asked instead whether the second is the end of the move before.
        """
        if ask and self._went_on() and self._ask_move(t, press, went_on=True):
            return
        if self.policy.commit == "press":
            self._alert(t, "moved_before_press", side=other(side_of(self.board.turn)))
        self._commit(t, self.reading.plies[0], press)
        self._loose = False

    # -- what people do on purpose, and accidents ---------------------------------------------------------------------

    def _settle_known(self, t: int) -> bool:
        """Whether the unexplained board is one that people make on purpose: a slide, a takeback, a new start array."""
        if self._loose and self._slid_on(t):
            return True
        if self._plies_back() and self._ask_move(t):
            return True
        back = self._plies_back()
        if back:
            self._undone = back
            self._once(t, "takeback", plies=back)
            return True
        if self._new_array():
            self._once(t, "start_position_seen")
            return True
        return False

    def _slid_on(self, t: int, press: Press | None = None) -> bool:
        """The last move is replaced when the same piece went on, or a castling came out of it.

        Only where that is not certain yet: without a clock, or within the grace time after `press`.
        """
        if not self.board.move_stack:
            return False
        last, before = self.board.peek(), self.board.copy()
        before.pop()
        moves = list(one_ply(before, self.eyes.sight, self.eyes.dead))
        if len(moves) > 1 and self.eyes.sensor == "occupancy":  # captures: the lifts tell which
            moves = fitting(before, self.eyes.sight, self.eyes.past, self.eyes.dead)
        ply = the_only(moves, t)
        if ply is None or not (ply.move.from_square == last.from_square or before.is_castling(ply.move)):
            return False
        if self.eyes.sensor == "occupancy" and guessed(before, ply.move, self.eyes.past, self.eyes.distrusted):
            return False  # the opponent may have taken the piece off that moved
        if press is None and self.policy.commit == "press":
            self._pop(t, 1)
            self._loose = False
            self._look_again(t)  # the unpressed move that ended the game was a stop only: a candidate again
            self._settle_explained(t)
            return True
        self.record = before
        self._unsure.pop(len(before.move_stack), None)
        self._forget_promotions()
        self._commit(t, ply, press, replaces=True)
        self._loose = press is None
        return True

    def _plies_back(self) -> int:
        """How many of the last moves are undone on the board, 0 if it shows none of the last positions."""
        board = self.board.copy()
        for plies in range(1, max(TAKEBACK_PLIES, self._undone + 1) + 1):
            if not board.move_stack:
                break
            board.pop()
            if not self.eyes.sight.wrong(board, self.eyes.dead):
                return plies
        return 0

    def _new_array(self) -> bool:
        return not self._setting_up and start.is_start(self.eyes.sight, self.root)

    def _first_guessed(self) -> bool:
        """Whether two plies are read of which the first is a capture that was not seen, or one of several."""
        eyes, plies = self.eyes, self.reading.plies
        unseen = len(plies) > 1 and guessed(self.board, plies[0].move, eyes.past, eyes.distrusted)
        return eyes.sensor == "occupancy" and (unseen or bool(self.reading.choices))

    def _missing(self) -> chess.Bitboard:
        """The squares whose pieces are gone, but for those of a move that stands."""
        there, first = self.board, self._standing
        if first is not None and not self._guessed and self.board.is_legal(first.move):
            moved = after(self.board, first.move)
            if not self.eyes.sight.wrong(moved, self.eyes.dead) & chess.BB_SQUARES[first.move.to_square]:
                there = moved
        return there.occupied & ~self.eyes.sight.occupied & ~self.eyes.dead

    def _accident(self) -> bool:
        """Whether three or more pieces left their squares at once and nobody's move explains it."""
        near = nearest(self.board, self.eyes.sight, self.eyes.dead)
        return self._at_once(near.wrong & ~self.eyes.sight.occupied)

    def _fallen(self) -> bool:
        """Whether three or more pieces left their squares at once, and are in the air or lie beside the board."""
        return not self.reading.same and self._at_once(self.board.occupied & ~self.eyes.sight.occupied)

    def _at_once(self, squares: chess.Bitboard) -> bool:
        if self._disturbed or self._setting_up or self._proposed:
            return False
        times = sorted(self.eyes.emptied.get(square, 0) for square in chess.scan_forward(squares & ~self.eyes.dead))
        window = zip(times, times[DISTURBED_SQUARES - 1 :], strict=False)
        return any(last - first <= DISTURBED_MS for first, last in window)

    # -- what nothing explains ----------------------------------------------------------------------------------------

    def _patience(self) -> int:
        """How long an unexplained position may stand: longer with a piece in the hand, or a king in the centre."""
        if self.record is not None and kings.one_on_the_way(self.record, self.eyes.sight):
            return SECOND_KING_MS
        in_hand = self.record is not None and self.eyes.only_lifted(self.record)
        return self.policy.illegal_alert_ms + (IN_HAND_MS if in_hand else 0)

    def _unexplained(self, t: int) -> None:
        """A position has stood too long without an explanation."""
        self._alerted = True
        if self._resync:
            self._judge_resync(t, last=True, stood=True)
        if self.record is None or self._resync_asked or self._proposed:
            return
        if self.reading.explained:
            if self.policy.commit == "settle" and self.reading.plies:
                self._commit_loosely(t, self.reading.plies[0])
            elif len(self.reading.plies) == 1 and not self.reading.in_hand and not self.unseen:
                ply = self.reading.plies[0]
                there = after(self.board, ply.move)
                if not ply.options and (there.is_checkmate() or there.is_stalemate()):
                    self._commit_loosely(t, ply)
            return
        if self._plies_back() or self._new_array():
            return
        if self._ask_move(t):
            return
        if self.promotion is not None and self._other_promotions(at_press=False):
            return  # the player who is asked for the piece tells what this is
        eyes, ignore = self.eyes, self.eyes.dead | self.eyes.suspect
        if self._setting_up:
            self._start_told = True
            self._once(t, "start_wrong", squares=names(eyes.sight.wrong(self.board, eyes.dead)))
            return
        if pawn_left(self.board, eyes.sight, ignore) is not None:
            return
        near = nearest(self.board, eyes.sight, ignore)
        code, squares = misfit(near, eyes.sight)
        if self._disturbed and code != "piece_swapped":
            return
        stranger = out_of_turn(self.board, eyes.sight, ignore)
        if stranger is not None and code != "piece_missing":
            self._once(t, "wrong_turn", side=self._mover(stranger))
            return
        if code in ("piece_missing", "piece_extra"):
            eyes.suspect |= near.wrong
            eyes.doubtful |= near.wrong
        self._once(t, code, squares=squares)
        self._read(t)

    def _ask_move(self, t: int, press: Press | None = None, blind: bool = False, went_on: bool = False) -> bool:
        """Whether the record may be what is wrong: then it is asked which move an earlier one was.

        `blind` looks at those moves only of which nothing but a lifted piece was seen; `went_on` at the last one only,
        which must leave no more than one move to be explained.
        """
        last = len(self.board.move_stack) - 1
        unsure = [n for n, unseen in self._unsure.items() if (unseen or not blind) and (n == last or not went_on)]
        found = (
            doubt(self.eyes, self.board, unsure, press is not None, 1 if went_on else MOST_AFTER) if unsure else None
        )
        if found is None:
            return False
        self._doubted = MoveAsked(found, press, t)
        back = len(self.board.move_stack) - found.ply
        targets = chess.BB_EMPTY
        for move in found.moves:
            targets |= chess.BB_SQUARES[move.to_square]
        side = side_of(self.board.turn if back % 2 == 0 else not self.board.turn)
        self._alert(t, "move_doubtful", side, names(targets), back, pressed_at=press.t if press else None)
        return True

    def _mover(self, ply: Ply) -> Side:
        """The side of a move made out of turn; on a square that is empty in the record, the one that moved last."""
        colour = self.board.color_at(ply.move.from_square)
        return side_of(not self.board.turn if colour is None else colour)

    # -- the start ----------------------------------------------------------------------------------------------------

    def _look_first(self, t: int, raw: Sight) -> None:
        """The first dump: how the board lies, which game it may be, whether its start array is right."""
        eyes = self.eyes
        if self.record is None:
            self._look_without_record(t, raw)
            return
        rotated = start.is_rotated(self.record, raw, eyes.rotated)
        if rotated is None and eyes.sensor == "identified":
            self._alert(t, "orientation_unknown")
        elif rotated is not None and rotated != bool(eyes.rotated):
            self._alert(t, "rotated", rotated=rotated)
        eyes.rotated = rotated
        sight = raw.rotated() if rotated else raw
        played = any(one_ply(self.record, sight)) or any(two_plies(self.record, sight))
        fresh = start.begins(self.record) and not self.record.move_stack
        self._setting_up = fresh and not played and bool(sight.wrong(self.record, eyes.dead))

    def _look_without_record(self, t: int, raw: Sight) -> None:
        known = self.eyes.rotated
        for rotated, sight in ((False, raw), (True, raw.rotated())):
            if start.is_start(sight) and known in (None, rotated) and raw.pieces is not None:
                if rotated and known is None:
                    self._alert(t, "rotated", rotated=True)
                self.eyes.rotated = rotated
                self._set_record(chess.Board())
                return
        if known is not None:
            return
        ways = start.possible_ways(raw)
        if len(ways) != 1:
            self._alert(t, "orientation_unknown")
            return
        self.eyes.rotated = ways[0]
        if ways[0]:
            self._alert(t, "rotated", rotated=True)

    # -- kings in the centre ------------------------------------------------------------------------------------------

    def _tell_gesture(self, t: int) -> None:
        assert self._gesture is not None
        self._gesture_told = True
        self._alert(t, "result_gesture", result=self._gesture.result)

    def _propose(self, t: int) -> None:
        """The first result stands until people change it; a second gesture is told, and is theirs to decide."""
        assert self._gesture is not None
        self.result, self._proposed = self._gesture.result, True
        self._out.append(Shown(t, self.result))

    # -- a lost link --------------------------------------------------------------------------------------------------

    def _judge_resync(self, t: int, last: bool, stood: bool = False) -> None:
        """The dump after a lost link: takes what is certain, asks at the `last` try if nothing is.

        As long as nobody has answered, no move counts, unless the board is set up again as the record has it.
        """
        if self.record is None:
            self._resync = False
            return
        heard_presses = self.policy.commit == "press" and not self._deaf
        presses = [press.side for press in self._missed_presses] if heard_presses else None
        found = missed(self.record, self.eyes.sight, presses, self.eyes.dead | self.eyes.suspect)
        pressed = in_order(side_of(self.board.turn), presses) if presses is not None else 0
        if self._lost_at is not None:
            found = _beginning_with(self._lost_at, found)
        by_squares = self._resync_asked and self.eyes.sensor == "occupancy"
        if found.line and (self._several or by_squares):  # what has moved since may be another story
            found = Missed(found.plies, None, (found.line,))
        self._several = self._several or found.several
        # With presses unheard, pieces in the air may look like many moves: only what has `stood` for long is that.
        if self._deaf and found.line is not None and found.plies > SURE_PLIES and not stood:
            self._alerted = False
            return
        unclear = found.line is None and not (self._resync_asked and found.lines)
        if not last and (unclear or (found.line and found.plies > pressed and self._takes_unseen(found.line))):
            self._alerted = self._resync_asked  # if nothing more comes, people are asked
            return
        heard, begun, deaf, several = self._missed_presses, self._lost_at, self._deaf, self._several
        self._forget_resync()
        self._resync_asked = found.line is None
        self._alert(t, "resync_ambiguous" if found.line is None else "resync_ok", plies=found.plies)
        if found.line is None:
            self._alerted = True
            self._missed = MissedAsked(found.lines, None if deaf else tuple(heard), t) if found.lines else None
            self._missed_presses, self._lost_at, self._deaf, self._several = heard, begun, deaf, several
        else:
            self._take_line(t, found.line, heard)

    def _forget_resync(self) -> None:
        """It is known again what was played."""
        self._resync = self._resync_asked = self._deaf = self._several = False
        self._missed_presses, self._lost_at, self._missed = [], None, None

    def _takes_unseen(self, line: Line) -> bool:
        """Whether squares alone speak for a capture in `line`: a piece in the hand may look like one."""
        board, takes = self.board.copy(stack=False), False
        for move in line:
            takes = takes or board.is_capture(move)
            board.push(move)
        return takes and self.eyes.sensor == "occupancy"

    def _take_line(self, t: int, line: Line, heard: Sequence[Press] | None) -> None:
        """Moves found after a lost link: pressed ones and answered ones are certain, all where nobody heard a press."""
        presses = iter(heard or ())
        for index, move in enumerate(line):
            side = side_of(self.board.turn)
            press = next((press for press in presses if press.side == side), None)
            if press is not None or index + 1 < len(line) or self.policy.commit == "settle" or heard is None:
                self.reading = Reading()
                asked = move.promotion is not None and self.eyes.sensor == "occupancy"
                self._commit(t, Ply(move, press.t if press else t, self._options(move) if asked else ()), press)
        self._settled = False

    def _options(self, move: chess.Move) -> tuple[chess.PieceType, ...]:
        """What the pawn may have become, the piece of `move` first."""
        return (*(p for p in PROMOTIONS if p == move.promotion), *(p for p in PROMOTIONS if p != move.promotion))


def _beginning_with(move: chess.Move, found: Missed) -> Missed:
    """What was missed without the lines that begin with another move than the one that was seen at its press."""
    line = found.line if found.line is None or found.line[:1] in ((), (move,)) else None
    return Missed(found.plies, line, tuple(line for line in found.lines if line[:1] == (move,)), found.several)
