"""Fourth rung: what a press of the clock means on the board as it stands."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from rules.laws.ending import side_of
from rules.laws.observer_alerts import misfit, swap_suspected
from rules.laws.observer_explain import Ply, after, half_seen, may_go_on, nearest, one_ply, out_of_turn, pawn_left
from rules.laws.observer_occupancy import touched, unseen_castlings
from rules.laws.observer_quiet import IN_HAND_MS, MOST_DOUBTFUL, QuietPoints
from rules.laws.observer_reader import Press
from rules.laws.observer_reading import read
from rules.laws.observer_record import Policy
from rules.laws.observer_sight import UNKNOWN, Sensor, Sight, names


@dataclass(frozen=True, slots=True)
class CaptureAsked:
    """An open question since `t`: one of these captures was pressed."""

    press: Press
    moves: tuple[chess.Move, ...]
    t: int = 0


#: A hand can lift a piece and put it elsewhere within this time; a board that may lag by more hides such a change.
QUICK_HAND_MS = 300
#: A board that confirms what it shows is waited for so much longer than the grace time.
CONFIRM_MS = 400
#: So long after its press a move may be told by halves, on a board that lags.
UNDER_WAY_MS = 1_000
#: So many looks after a press that see the same are sure.
SURE_LOOKS = 2
#: So long after lost bytes the board may still have to say where the pieces stand.
GAP_MS = 1_000
#: So long a press that is legal with some promotion pieces waits for the player to say which one it was.
PROMOTION_MS = 10_000


class Presses(QuietPoints):
    """Adds the clock: a press completes the candidate, or waits for the board, or is a question.

    Several presses may wait, of one side and the other: in a time scramble answers are made and pressed before a slow
    board has shown the move. They are judged one after the other, as soon as the board makes sense.
    """

    def __init__(self, sensor: Sensor, record: chess.Board | None, policy: Policy, rotated: bool | None) -> None:
        super().__init__(sensor, record, policy, rotated)
        self._capture: CaptureAsked | None = None
        self._piece: int | None = None  # since when the waiting press waits for an open promotion piece
        self._later: list[Press] = []  # presses after the one that waits, sides in turn
        self._shown: Ply | None = None  # the candidate that the board has shown for the waiting press
        self._judge_at = 0  # when the waiting press is judged at the latest
        self._shown_choices: tuple[chess.Move, ...] = ()
        self._gap_until = 0  # bytes were lost: what stands on the board is told until then
        self._last_press: Press | None = None  # the one that completed the last move, as long as it may slide on

    def _change(self, t: int, sight: Sight) -> None:
        super()._change(t, sight)
        if self._gesture is not None:
            self._later.clear()
        last = self._last_press
        late = last is not None and t <= last.t + self.policy.press_grace_ms and not self.policy.final_press
        if last is not None and late and not self.reading.explained:
            self._slid_on(t, last)
        self._note_shown()
        self._judge_ready(t)

    @property
    def presses_wait(self) -> bool:
        """Whether a press waits for what the board will show."""
        return self._press is not None

    def _note_shown(self) -> None:
        if len(self.reading.plies) == 1 and not self.reading.in_hand:
            self._shown, self._shown_choices = self.reading.plies[0], ()
        elif self.reading.choices:
            self._shown, self._shown_choices = None, self.reading.choices

    def _settle(self, t: int) -> None:
        super()._settle(t)
        self._judge_ready(t)

    def _judge_ready(self, t: int) -> None:
        """Judges the waiting press, and those after it, if the board makes sense of it already, or at last."""
        judged: Press | None = None
        while self._press is not None and self._press is not judged and self._piece is None:
            overdue = bool(self.reading.plies) and t >= self._wait_until(self._press)
            if not overdue and not self._ready_for_press():
                return
            judged = self._press
            self._judge_press(t)

    def _commit(self, t: int, ply: Ply, press: Press | None = None, replaces: bool = False) -> None:
        """A move that became certain otherwise takes its player's waiting press with it."""
        if press is None and self._press is not None and self._press.side == side_of(self.board.turn):
            press, self._press = self._press, None
        super()._commit(t, ply, press, replaces)
        self._last_press = press if self.policy.press_grace_ms else None
        if self._press is None and self._later:
            self._wait(self._later.pop(0))

    def _pressed(self, press: Press) -> None:
        """A press that counts, or one out of turn."""
        if not self.reading.plies:
            self._read(press.t, at_press=self.policy.press_grace_ms == 0)
        if press.side != side_of(self.board.turn):
            self._pressed_out_of_turn(press)
            return
        if self._later:
            if self._later[-1].side != press.side:
                self._later.append(press)
            return
        if self._press is not None:
            return  # he pushes again
        self._wait(press)
        if self.policy.press_grace_ms == 0 or self._ready_for_press():
            self._judge_press(press.t)

    def _wait_until(self, press: Press) -> int:
        """Up to when a press waits for what the board may still say, if it is not clear before what it means."""
        grace, shown = self.policy.press_grace_ms, self.reading.plies or self.reading.choices
        times = [press.t + grace]
        confirmed = not self.policy.confirms or any(look >= press.t for look in self._looks)
        if not confirmed:
            times.append(press.t + grace + CONFIRM_MS)
        if not confirmed or not self.reading.plies:
            times.append(self._gap_until)
        if self._later and not shown:
            times.append(self._later[-1].t + grace)
        if self.policy.lagging and not self.reading.explained and self._under_way():
            times.append(press.t + UNDER_WAY_MS)
        return max(times)

    def _under_way(self) -> bool:
        """Whether a move is half told: a piece is in the air, on two squares, or missed for a moment."""
        if self._shown is not None and self._answer_begun(self._shown):
            return False
        sight, dead = self.eyes.sight, self.eyes.dead
        if self.eyes.only_lifted(self.board) or half_seen(self.board, sight, dead):
            return True
        wrong = nearest(self.board, sight, dead).wrong
        return wrong.bit_count() == 1 and not wrong & sight.occupied

    def _wait(self, press: Press) -> None:
        self._press, self._judge_at, self._shown = press, press.t + self.policy.press_grace_ms, None
        self._shown_choices = ()
        self._note_shown()

    def _ready_for_press(self) -> bool:
        """Whether a waiting press need not wait: a move that is answered or cannot go on, or a board that rests.

        A board that lags by more than a quick hand needs is not trusted before the grace time is over, or before it has
        told everything up to the press. A piece that one look misses makes a capture of a quiet move: what rests on an
        empty square alone needs two looks.
        """
        plies = self.reading.plies
        looks = sum(look >= self._press.t for look in self._looks) if self._press is not None else 0
        lagging = self.policy.lagging and not looks
        if not self.believed:
            return False
        if not plies:
            return bool(self.reading.choices) and looks >= SURE_LOOKS
        if lagging and self.policy.press_grace_ms > QUICK_HAND_MS:
            return False
        if lagging and self.reading.in_hand:
            return False
        if len(plies) != 1 or self.reading.in_hand:
            return True
        # Where a completed move is final and nothing lags, what stands there at the press is the move.
        rests = not lagging and (self._settled or self.policy.final_press)
        return (not self.unseen or looks >= SURE_LOOKS) and (rests or not may_go_on(self.board, plies[0].move))

    @property
    def look_again(self) -> bool:
        """Whether another look at the board may tell what the waiting press means."""
        return self._press is not None and (self.unseen or bool(self.reading.choices))

    def _pressed_out_of_turn(self, press: Press) -> None:
        """The side not to move pressed: his answer stands there already, or he has moved out of turn, or nothing."""
        if self._press is not None:
            if (self._later or [self._press])[-1].side != press.side:
                self._later.append(press)
            self._judge_ready(press.t)
            return
        if len(self.reading.plies) > 1:
            self._commit_answered(press.t, ask=False)
            self._pressed(press)
            return
        if self.reading.explained or self._disturbed:
            return
        stranger = out_of_turn(self.board, self.eyes.sight, self.eyes.dead | self.eyes.suspect)
        if stranger is not None and self._mover(stranger) == press.side:
            self._once(press.t, "wrong_turn", side=press.side)

    def _judge_press(self, t: int) -> None:
        """What the waiting press means on the board as it stands; an answered one may wait until its answer is seen."""
        if self._press is None:
            return
        if not self.reading.plies:
            self._read(t, at_press=True)
        until = self._wait_until(self._press)
        if t < until and self.policy.press_grace_ms and not self._ready_for_press():
            self._judge_at = until
            return
        if not self.reading.explained and t < self._press.t + PROMOTION_MS and self._depends_on_promotions():
            self._piece = t
            return
        if not self.reading.explained:
            self._pass_over_victim(t)
        if not self.reading.plies and not self.reading.choices:
            self._pass_over_doubtful(t)
        if not self.reading.explained:
            self._pass_over_gone(t)
        press, self._press = self._press, None
        if len(self.reading.plies) > 1 and not self._last_guessed():
            self._commit_answered(t, press)
        elif self.reading.plies:  # an answer of which only the lift was seen may be in the hand yet
            self._commit(t, self.reading.plies[0], press)
        elif self.reading.choices:
            self._ask_capture(t, press, self.reading.choices)
        elif unseen := self._unseen_moves(press):
            self._ask_capture(t, press, unseen)
        elif self.reading.same and self.policy.blinks and (castlings := unseen_castlings(self.board)):
            self._ask_capture(t, press, castlings)
        elif self.reading.same:
            if not self._ask_move(t, press, blind=True):
                self._alert(t, "no_move_made", side=press.side, pressed_at=press.t)
        elif self._shown is not None and self._answer_begun(self._shown):
            self._commit(t, self._shown, press)
        elif self._standing is not None and self._being_taken(self._standing) and not self._gone(press):
            self._commit(t, self._standing, press)
        elif choices := self._choices_left() or self._castled_unseen() or self._gone(press):
            self._ask_capture(t, press, choices)
        else:
            self._illegal_press(t, press)
        if self._press is None and self._capture is None and self._doubted is None:
            self._later.clear()
        self._loose = False

    def _pass_over_victim(self, t: int) -> None:
        """A captured piece that was put down on the board is told as such; the move that took it is no illegal one."""
        eyes = self.eyes
        extra = eyes.sight.occupied & ~self.board.occupied & ~eyes.suspect & ~eyes.dead
        if extra.bit_count() > 2:  # the piece and, en passant, the pawn that took it
            return
        for square in chess.scan_forward(extra):
            eyes.suspect |= chess.BB_SQUARES[square]
            plies = read(eyes, self.board, self._before()).plies
            if len(plies) == 1 and self._taken_by(plies[0].move, square):
                self._once(t, "piece_extra", squares=(chess.square_name(square),))
                self._read(t)
                return
            eyes.suspect &= ~chess.BB_SQUARES[square]

    def _pass_over_doubtful(self, t: int) -> None:
        """Squares that were told as missing or extra before, perhaps before the first move, say nothing at a press: a
        move that makes sense without them is made.
        """
        eyes = self.eyes
        before, doubtful = eyes.suspect, eyes.doubtful | self._start_wrong
        if not doubtful & ~before or doubtful.bit_count() > MOST_DOUBTFUL:
            return
        eyes.suspect |= doubtful
        self._read(t)
        targets = chess.BB_EMPTY
        for ply in self.reading.plies:
            targets |= chess.BB_SQUARES[ply.move.to_square]
        if targets and not targets & eyes.suspect and not self.unseen:
            self._setting_up = False
            eyes.doubtful = doubtful
            return
        eyes.suspect = before
        self._read(t)

    def _pass_over_gone(self, t: int) -> None:
        """A square that has been empty for long, as if its piece had taken another one, while another piece made the
        move: its sensor is told as broken.
        """
        eyes, before = self.eyes, self.eyes.suspect
        gone = self.board.occupied & ~eyes.sight.occupied & ~eyes.suspect & ~eyes.dead
        patience = self.policy.illegal_alert_ms + IN_HAND_MS
        for square in chess.scan_forward(gone):
            if t - eyes.emptied.get(square, 0) < patience:
                continue
            eyes.suspect = before | chess.BB_SQUARES[square]
            plies = read(eyes, self.board, self._before()).plies
            if len(plies) == 1 and square not in (plies[0].move.from_square, plies[0].move.to_square):
                eyes.doubtful |= chess.BB_SQUARES[square]
                self._once(t, "piece_missing", squares=(chess.square_name(square),))
                self._read(t)
                return
            eyes.suspect = before

    def _gone(self, press: Press) -> tuple[chess.Move, ...]:
        """The moves of a piece that has left its square and was not seen to come down, when the board has said that
        this is all: it may stand on a square that is not read any more, and the player can tell which.
        """
        eyes, board = self.eyes, self.board
        wrong = eyes.sight.wrong(board, eyes.dead | eyes.suspect)
        own = wrong & ~eyes.sight.occupied & board.occupied_co[board.turn]
        confirmed = self.policy.confirms and any(look >= press.t for look in self._looks)
        if not confirmed or own != wrong or wrong.bit_count() != 1:
            return ()
        return tuple(move for move in board.generate_legal_moves(from_mask=wrong) if not board.is_castling(move))

    def _unseen_moves(self, press: Press) -> tuple[chess.Move, ...]:
        """The moves of pieces that the board does not see, a queen without a chip, after which it looks as it does.

        They were told as missing before, or a pawn becomes one now. Where such a piece stands nothing tells, only what
        it has taken.
        """
        eyes, board = self.eyes, self.board
        if not self.policy.confirms:
            return ()
        away = board.occupied_co[board.turn] & ~eyes.sight.occupied
        origins = away & eyes.suspect
        if any(look >= press.t for look in self._looks):
            origins |= away & board.pawns & (chess.BB_RANK_7 if board.turn == chess.WHITE else chess.BB_RANK_2)
        found = []
        for move in board.generate_legal_moves(from_mask=origins, to_mask=~eyes.sight.occupied):
            ignore = eyes.dead | eyes.suspect | chess.BB_SQUARES[move.to_square]
            if not eyes.sight.wrong(after(board, move), ignore):
                found.append(move)
        return tuple(found)

    def _taken_by(self, move: chess.Move, square: chess.Square) -> bool:
        """Whether what stands on `square` may be the piece that `move` takes, and it was seen to leave its place."""
        seen, past = self.eyes.sight.letter(square), touched(self.eyes.past)
        victim = move.to_square
        if self.board.is_en_passant(move):
            victim = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        piece = self.board.piece_at(victim) if self.board.is_capture(move) else None
        return piece is not None and bool(chess.BB_SQUARES[victim] & past) and seen in (UNKNOWN, piece.symbol())

    def _answer_begun(self, shown: Ply) -> bool:
        """Whether the board has shown the move since the press, and since then only lifts, falls or half an answer.

        The piece that moved may be in the air itself, when it is being taken.
        """
        if not self.board.is_legal(shown.move):
            return False
        there = after(self.board, shown.move)
        if self.eyes.only_lifted(there) or half_seen(there, self.eyes.sight, self.eyes.dead):
            return True
        # Pieces that have fallen since then are an accident, and not another move.
        accident = self._disturbed or self._accident()
        fallen = accident and not self.eyes.sight.wrong(there, self.eyes.dead) & self.eyes.sight.occupied
        return fallen and not may_go_on(self.board, shown.move)

    def _being_taken(self, stood: Ply) -> bool:
        """Whether the move has stood, and its piece is in the air because the opponent takes it before the press.

        With nothing else in the air it must have stood for a while: else its own player has it in his hand.
        """
        if self._guessed or not self.board.is_legal(stood.move):
            return False
        there, target = after(self.board, stood.move), chess.BB_SQUARES[stood.move.to_square]
        lifted = self.eyes.sight.wrong(there, self.eyes.dead)
        if not lifted & target or not self.eyes.only_lifted(there):
            return False
        if lifted == target:
            stood_ms = self.eyes.emptied.get(stood.move.to_square, 0) - stood.made_at
            return stood_ms >= self.policy.settle_ms and any(there.generate_legal_moves(to_mask=target))
        return any(there.generate_legal_moves(from_mask=lifted, to_mask=target))

    def _choices_left(self) -> tuple[chess.Move, ...]:
        """The captures between which the board left a choice, if the opponent's hand is all that has come since."""
        moves = (Ply(move) for move in self._shown_choices)
        return tuple(ply.move for ply in moves if self._answer_begun(ply))

    def _castled_unseen(self) -> tuple[chess.Move, ...]:
        """The castlings that leave no trace, and were perhaps missed, if the opponent's answer explains the rest."""
        castlings = unseen_castlings(self.board) if self.policy.blinks else ()
        return tuple(move for move in castlings if self._answer_begun(Ply(move)) or self._answered_after(move))

    def _answered_after(self, move: chess.Move) -> bool:
        """Whether the board is as after `move` and an answer."""
        return any(one_ply(after(self.board, move), self.eyes.sight, self.eyes.dead))

    def _ask_capture(self, t: int, press: Press, choices: tuple[chess.Move, ...]) -> None:
        self._capture = CaptureAsked(press, choices, t)
        targets = chess.BB_EMPTY
        for move in choices:
            targets |= chess.BB_SQUARES[move.to_square]
        self._alert(t, "capture_ambiguous", side=press.side, squares=names(targets), pressed_at=press.t)

    def _illegal_press(self, t: int, press: Press) -> None:
        """Nothing legal stands there; what it may be instead is told with it. The clocks are not ours to stop."""
        eyes, ignore = self.eyes, self.eyes.dead | self.eyes.suspect
        pawn = pawn_left(self.board, eyes.sight, ignore)
        if pawn is not None:
            square = chess.square_name(pawn)
            self._alerted = True
            self._alert(t, "promotion_pawn_left", side=press.side, squares=(square,), pressed_at=press.t)
            return
        if self._ask_move(t, press):
            return
        self._alerted = True
        stranger = out_of_turn(self.board, eyes.sight, ignore)
        if stranger is not None and self._mover(stranger) != press.side:
            self._once(t, "wrong_turn", side=self._mover(stranger))
            self._unseen_press = True
            return
        near = nearest(self.board, eyes.sight, ignore)
        squares = misfit(near, eyes.sight)[1]
        self._alert(t, "illegal_move", side=press.side, squares=squares, pressed_at=press.t)
        suspected = swap_suspected(self.board, eyes.sight) if eyes.sensor == "occupancy" else ()
        if suspected:
            self._alert(t, "piece_swap_suspected", squares=suspected)
