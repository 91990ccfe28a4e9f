"""Second rung: every change of the board is explained at once, and a certain move goes into the record."""

from __future__ import annotations

from dataclasses import dataclass, replace

import chess

from rules.laws import observer_kings as kings
from rules.laws.observer_alerts import Result
from rules.laws.observer_explain import Ply, after
from rules.laws.observer_eyes import FLICKER_CHANGES, Eyes
from rules.laws.observer_occupancy import guessed, lifted_in_order
from rules.laws.observer_reading import Before, Reading, read
from rules.laws.observer_record import Policy, RecordKeeper
from rules.laws.observer_sight import Sensor, Sight, names
from rules.laws.sides import Side


@dataclass(frozen=True, slots=True)
class Press:
    """A push of the plunger of `side` at `t`."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Gesture:
    """The kings have shown `result` since `t`."""

    t: int
    result: Result


class Reader(RecordKeeper):
    """Adds the eyes and the candidate. `reading` is what the board says against the record now."""

    def __init__(self, sensor: Sensor, record: chess.Board | None, policy: Policy, rotated: bool | None) -> None:
        super().__init__(record, policy)
        self.eyes = Eyes(sensor, record if record is not None else chess.BaseBoard(None), rotated)
        self.eyes.blinks = policy.blinks
        self.reading = Reading(same=True)
        self._standing: Ply | None = None
        self._guessed = False  # what stands is an unseen capture
        self._settled = True
        self._alerted = True  # the board as it stands was looked at for long enough
        self._gesture: Gesture | None = None
        self._gesture_told = False
        self._press: Press | None = None
        self._looks: list[int] = []  # everything from before these was told, and nothing new since the first
        self._undone = 0
        self._disturbed = False
        self._unseen_press = False  # somebody has pressed whose move was not seen, and the opponent has moved
        self._certain_at = 0  # when the last move was pressed, or became certain without

    @property
    def candidate(self) -> tuple[Ply, ...]:
        """The plies that stand on the board and are not in the record."""
        return self.reading.plies

    @property
    def unseen(self) -> bool:
        """Whether the candidate is a capture of which only its origin was seen: the piece may still be in a hand."""
        plies = self.reading.plies
        return len(plies) == 1 and self._last_guessed()

    def _last_guessed(self) -> bool:
        """Whether the last ply of the candidate is a capture of which only the origin was seen to change."""
        if self.eyes.sensor == "identified" or not self.reading.plies:
            return False
        board, past = self.board, self.eyes.past
        first, last = self.reading.plies[0], self.reading.plies[-1]
        if last is not first:
            board, past = after(board, first.move), [seen for seen in past if seen.t >= first.made_at]
        return guessed(board, last.move, past, self.eyes.distrusted)

    @property
    def believed(self) -> bool:
        """Whether what the board shows needs no second word, or has it."""
        return bool(self._looks) or not self.policy.checked

    @property
    def rests(self) -> bool:
        """Whether the board has been quiet, with no piece in the air that could still go on."""
        return self._settled and not self.reading.in_hand and not self.unseen

    def _change(self, t: int, sight: Sight) -> None:
        """The board is different from `t` on."""
        if self.reading.same and self._unsure and t - max(self.eyes.since, self._certain_at) >= self._long_rest:
            self._seen_at_rest()
        self.eyes.see(t, sight)
        self._looks.clear()
        self._settled = self._alerted = False
        if self.record is None:
            return
        self._tell_flicker(t, self.eyes.flickers(2 * FLICKER_CHANGES))
        self._see_gesture(t)
        self._read(t)

    def _read(self, t: int, at_press: bool = False) -> None:
        if self.record is None:
            return
        self.reading = read(self.eyes, self.record, self._before(), at_press)
        if self._unseen_press and len(self.reading.plies) > 1:
            self.reading = Reading()  # his next move is not the one that he has pressed
        elif self._unseen_press and self.reading.explained:
            self._unseen_press = False
        if not self.reading.explained and self.promotion is not None:
            self._narrow_promotion(t, at_press)
        if not self.reading.explained and self.eyes.rotated is None:
            self._try_rotated(t)
        if self.reading.plies:
            self._stand(self.reading.plies[0])
        elif self.reading.same:
            self._standing = None
        if self.reading.explained and not self.reading.in_hand:
            self._alerted = True

    def _stand(self, first: Ply) -> None:
        """The candidate stands. One that was only guessed from a lifted piece is made when that piece is put down."""
        known = self._standing
        if self._guessed and known is not None and known.move == first.move and not self.unseen:
            first = replace(first, made_at=self.eyes.since)
            self.reading = replace(self.reading, plies=(first, *self.reading.plies[1:]))
        self._standing, self._guessed = first, self.unseen

    def _before(self) -> Before:
        first = self._standing
        rested = first is not None and self.eyes.since - first.made_at >= self.policy.settle_ms
        return Before(first, self.reading.plies, self.reading.choices, rested)

    def _commit(self, t: int, ply: Ply, press: Press | None = None, replaces: bool = False) -> None:
        """`ply` is certain and goes into the record; the same board means something else now."""
        if self.eyes.rotated is None:
            self.eyes.rotated = False  # a move made sense this way round
        self._note_sure(ply)
        touched = lifted_in_order(self.eyes.past, ply.made_at, self.board)
        names = tuple(chess.square_name(square) for square in touched)
        self._certain_at = press.t if press else t
        self._push(t, ply, press.t if press else None, replaces, names)
        self.eyes.move_was_made(ply.made_at)
        self._undone = 0
        self.reading = Reading(plies=self.reading.plies[1:])
        self._look_again(t)

    def _note_sure(self, ply: Ply) -> None:
        """How well `ply` was seen, which becomes the next of the record; what it says about the moves before it."""
        board, move = self.board, ply.move
        unseen = self.eyes.sensor == "occupancy" and guessed(board, move, self.eyes.past, self.eyes.distrusted)
        if not unseen and len(self.reading.plies) == 1:
            # Who was seen to move on from a square, or to be taken there, did stand there.
            squares = move.from_square, move.to_square
            for n in [n for n, blind in self._unsure.items() if blind and board.move_stack[n].to_square in squares]:
                del self._unsure[n]
        rested = len(self.reading.plies) == 1 and self._settled and not self.reading.in_hand
        if unseen or not rested or self.policy.lagging:
            self._unsure[len(board.move_stack)] = unseen

    @property
    def _long_rest(self) -> int:
        """A board that rests for so long as the record has it (ms), from its last move on, has not only been slow."""
        return 2 * max(self.policy.settle_ms, self.policy.press_grace_ms)

    def _seen_at_rest(self) -> None:
        """The board was as the record has it, and rested: so the last moves were seen, except what never shows."""
        board, wrong = self.board, self.eyes.sight.wrong(self.board)
        moves = board.move_stack
        self._unsure = {
            ply: blind for ply, blind in self._unsure.items() if blind or wrong & chess.BB_SQUARES[moves[ply].to_square]
        }

    def _look_again(self, t: int) -> None:
        """The record is another one; the board is not."""
        self._standing = None
        self._alerted = False
        if self.record is not None:
            self._see_gesture(t)
            self._read(t)

    def _narrow_promotion(self, t: int, at_press: bool) -> None:
        """What is on the board is legal with another promotion piece only: then that was it."""
        found = self._other_promotions(at_press)
        if len(found) == 1:  # two that fit are for the player to say
            piece, board, self.reading = found[0]
            self._set_promotion(t, board, (piece,))

    def _other_promotions(self, at_press: bool) -> list[tuple[chess.PieceType, chess.Board, Reading]]:
        """The pieces that an open promotion may be as well and with which the board makes sense, with that sense."""
        if self.promotion is None:
            return []
        now = self.board.move_stack[self.promotion.ply - 1].promotion
        others = tuple(piece for piece in self.promotion.options if piece != now)
        found = []
        for piece in others:
            board = self._promoted_to(piece)
            reading = read(self.eyes, board, self._before(), at_press) if board is not None else Reading()
            if board is not None and reading.plies and not reading.in_hand:
                found.append((piece, board, reading))
        return found

    def _depends_on_promotions(self) -> bool:
        """Whether the board makes sense with other pieces for the open promotions, one or several."""
        readings = (read(self.eyes, board, self._before(), at_press=True) for board in self._promoted_otherwise())
        return any(reading.plies and not reading.in_hand for reading in readings)

    def _try_rotated(self, t: int) -> None:
        """Nobody knows how the board lies, and the move on it makes sense the other way round only."""
        self.eyes.turn()
        reading = read(self.eyes, self.board, Before())
        if reading.plies:
            self.eyes.rotated, self.reading = True, reading
            self._alert(t, "rotated", rotated=True)
        else:
            self.eyes.turn()

    def _see_gesture(self, t: int) -> None:
        result = kings.shown(self.board, self.eyes.sight)
        if result is None:
            self._gesture = None
        elif self._gesture is None or self._gesture.result != result:
            self._gesture, self._gesture_told = Gesture(t, result), False
            self._press = None

    def _tell_flicker(self, t: int, squares: chess.Bitboard) -> None:
        new = squares & ~self.eyes.flickering
        if new and not self._disturbed:
            self.eyes.flickering |= new
            self.eyes.suspect |= new
            self._alert(t, "flicker", squares=names(new))
