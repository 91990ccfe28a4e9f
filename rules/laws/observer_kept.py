"""Fifth rung: while a question must be answered before anything else, what happens is kept, and played again after it.

Four questions stop the record: which of several captures was pressed, which piece a pawn became when a press makes
sense with some pieces only, which move an earlier one was when nothing makes sense after it, and which moves were made
while the board was not connected. The people play on. Every input is kept with its time; when the answer is there, a
copy of the watch as it was takes it, and all that came after. If only one of the first two kinds of answers makes sense
of what was played since, nobody needs to answer; but what is in the record is never changed without an answer.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import chess

from rules.laws.observer_alerts import Alert, Code
from rules.laws.observer_doubts import otherwise
from rules.laws.observer_explain import PROMOTIONS, Line, Ply
from rules.laws.observer_presses import SURE_LOOKS, Presses
from rules.laws.observer_reading import Reading
from rules.laws.observer_record import Made, Output, Policy
from rules.laws.observer_sight import Sensor, names

#: Alerts that a guess about an open question must not lead to.
_SENSELESS: frozenset[Code] = frozenset({
    "illegal_position", "illegal_move", "no_move_made", "wrong_turn", "takeback", "piece_extra", "piece_missing",
    "piece_swap_suspected", "promotion_pawn_left", "move_doubtful",
})  # fmt: skip
#: So many inputs after a question are played again to see what they make certain; with more, only people can tell.
MOST_TRIED = 120
#: So many are kept for the answer; what comes after them counts as one look at the board.
MOST_KEPT = 1_000

#: A watch as it would be after an answer, and what it says.
Future = tuple["Kept", list[Output]]


@dataclass(slots=True)
class _Meanwhile:
    """What happened since a question was asked: `before` is the watch as it was then, `inputs` came after it."""

    before: Kept
    inputs: list[tuple[str, int, tuple[Any, ...]]] = field(default_factory=list)
    pressed_at: int = 0


class Kept(Presses, ABC):
    """Adds the open question. The inputs are methods of the next rung, by their names."""

    def __init__(self, sensor: Sensor, record: chess.Board | None, policy: Policy, rotated: bool | None) -> None:
        super().__init__(sensor, record, policy, rotated)
        self._link_up = True
        self._meanwhile: _Meanwhile | None = None
        self._future = False  # this is what would be, after an answer

    @property
    def kept(self) -> bool:
        """Whether what happens is kept for later."""
        asked = (self._capture, self._piece, self._doubted, self._missed)
        return any(question is not None for question in asked)

    @property
    def presses_wait(self) -> bool:
        """Whether a press waits for what the board will show, now or when it is played again."""
        return self.kept or super().presses_wait

    @property
    def look_again(self) -> bool:
        """Whether another look at the board may tell what a press means: two after each that is kept."""
        if not self.kept:
            return super().look_again
        last = [name for name, _t, _given in self._meanwhile.inputs[-SURE_LOOKS:]] if self._meanwhile else []
        return last != ["still"] * SURE_LOOKS

    @abstractmethod
    def at(self, t: int) -> list[Output]:
        """Lets time pass up to `t`."""

    def _keep(self, name: str, t: int, *given: Any) -> list[Output]:
        """An input that can be judged when the question is answered; the eyes stay open."""
        if self._meanwhile is None:
            self._meanwhile = _Meanwhile(copy.deepcopy(self))
        if len(self._meanwhile.inputs) < MOST_KEPT:
            self._meanwhile.inputs.append((name, t, given))
        eyes = self.eyes
        match name:
            case "lift":
                sight = eyes.sight.lifted(eyes.true(given[0]))
            case "place":
                sight = eyes.sight.placed(eyes.true(given[0]), given[1])
            case "show":
                sight = given[0].rotated() if eyes.rotated else given[0]
            case _:
                sight = eyes.sight
        if sight != eyes.sight:
            eyes.see(t, sight)
        if name == "press":
            self._meanwhile.pressed_at = t
        if name == "link":
            self._link_up = given[0]
        self._settled = False
        return self._drain()

    def _as_it_was(self) -> Kept:
        watch = copy.deepcopy(self._meanwhile.before if self._meanwhile is not None else self)
        watch._future = True
        watch._drain()  # what is not said yet is said by this watch, not by the one that would be
        return watch

    def _again(self, t: int, watch: Kept, said: list[Output]) -> Future:
        """Plays what was kept again, after an answer that `watch` has taken, up to `t`."""
        inputs = self._meanwhile.inputs if self._meanwhile is not None else []
        for name, at, given in inputs:
            said += getattr(watch, name)(at, *given)
        if len(inputs) >= MOST_KEPT:
            said += getattr(watch, "_seen")(t, self.eyes.sight)  # noqa: B009
        return watch, said + watch.at(t)

    def _go_on(self, watch: Kept, said: list[Output]) -> None:
        """The question is answered: what was found with the answer is what happened."""
        said = self._out + said
        vars(self).update(vars(watch))
        self._out, self._future = said, False
        self._settled = self._settled and not self.kept

    # -- which capture it was -----------------------------------------------------------------------------------------

    def _after_answer(self, t: int, move: chess.Move) -> Future:
        """The same as `_after_capture`, with those promotion pieces only that what was played since makes sense after.

        If none does, all of them are left.
        """
        if not move.promotion:
            return self._after_capture(t, move)
        pieces = PROMOTIONS
        if not self._many:
            tried = {piece: self._after_capture(t, move, (piece,)) for piece in PROMOTIONS}
            pieces = tuple(piece for piece, (watch, said) in tried.items() if watch._makes_sense(said)) or PROMOTIONS
        return self._after_capture(t, move, pieces)

    def _ask_instead(self, moves: tuple[chess.Move, ...]) -> None:
        """It was none of the captures, but one of these moves of the same piece."""
        for watch in (self, *([self._meanwhile.before] if self._meanwhile is not None else [])):
            if watch._capture is not None:
                watch._capture = replace(watch._capture, moves=moves)

    def _after_capture(self, t: int, move: chess.Move, pieces: tuple[chess.PieceType, ...] = ()) -> Future:
        """The watch if `move` was the capture that is asked for, and what it has said since, up to `t`.

        `pieces` are what the pawn may have become with it.
        """
        watch = self._as_it_was()
        question, watch._capture, watch._meanwhile = watch._capture, None, None
        assert question is not None
        options = pieces if len(pieces) > 1 else ()
        move = chess.Move(move.from_square, move.to_square, pieces[0] if pieces else None)
        watch.reading = Reading()
        watch._commit(question.t, Ply(move, question.press.t, options), question.press)
        target = chess.BB_SQUARES[move.to_square]
        if watch.eyes.sight.wrong(watch.board) & target:  # the square is not read any more
            watch.eyes.suspect |= target
            watch.eyes.doubtful |= target
            watch._once(question.t, "piece_missing", squares=names(target))
            watch._read(question.t)
        return self._again(t, watch, watch._drain())

    # -- which piece it became ----------------------------------------------------------------------------------------

    def _after_piece(self, t: int, piece: chess.PieceType) -> Future:
        """The watch if the open promotion was to `piece`, and what it has said since, up to `t`."""
        watch = self._as_it_was()
        since, watch._piece, watch._meanwhile = watch._piece, None, None
        assert since is not None
        watch._became(since, piece)
        return self._again(t, watch, watch._drain())

    def _known_meanwhile(self, t: int, piece: chess.PieceType) -> None:
        """What a pawn became is said while it is asked which capture came after: the record before that changes."""
        for watch in (self, *([self._meanwhile.before] if self._meanwhile is not None else [])):
            board = watch._promoted_to(piece)
            if board is not None:
                watch._set_promotion(t, board, (piece,))
        if self._meanwhile is not None:
            self._meanwhile.before._drain()  # this watch says it

    def _became(self, t: int, piece: chess.PieceType) -> None:
        """The open promotion was to `piece`."""
        board = self._promoted_to(piece)
        if board is not None:
            self._set_promotion(t, board, (piece,))
            self._look_again(t)
            self._judge_ready(t)

    def _no_answer(self, t: int) -> None:
        """The player has not said what his pawn became: the press is judged as things are."""
        self._piece = self._meanwhile = None
        self._read(t)
        self._judge_press(t)

    # -- which move it was --------------------------------------------------------------------------------------------

    def _after_move(self, t: int, move: chess.Move) -> Future:
        """The watch if the move that is asked for was `move`, and what it has said since, up to `t`."""
        watch = self._as_it_was()
        asked, watch._doubted, watch._meanwhile = watch._doubted, None, None
        assert asked is not None
        watch._put_right(asked.t, asked.doubt.ply, move)
        if asked.press is not None:
            watch._wait(asked.press)
            watch._judge_press(asked.t)
        else:
            watch._settled = watch._alerted = False
        return self._again(t, watch, watch._drain())

    def _put_right(self, t: int, ply: int, move: chess.Move) -> None:
        """Ply number `ply` of the record was `move`, its player says."""
        self._unsure.pop(ply, None)
        board, target = otherwise(self.board, ply, move), chess.BB_SQUARES[move.to_square]
        if board is None or move == self.board.move_stack[ply]:
            return
        self.record = board
        self._forget_promotions()
        self._out.append(Made(t, self.uci(ply), t, None, replaces=True, ply=ply))
        self._conclude()
        if board.occupied & target & ~self.eyes.sight.occupied:  # the square is not read any more
            self.eyes.suspect |= target
            self.eyes.doubtful |= target
        if not self.kept:
            self._look_again(t)
            self._judge_ready(t)

    def _nobody_says(self, t: int) -> None:
        """The player has not said which move it was: the board is judged as the record is."""
        if self._doubted is not None:
            self._go_on(*self._after_move(t, self._doubted.doubt.moves[0]))

    # -- what was played while the link was lost ----------------------------------------------------------------------

    def _after_line(self, t: int, line: Line) -> Future:
        """The watch if `line` was played while the link was lost, and what it has said since, up to `t`."""
        watch = self._as_it_was()
        asked, watch._meanwhile = watch._missed, None
        assert asked is not None
        watch._forget_resync()
        watch._take_line(asked.t, line, asked.heard)
        return self._again(t, watch, watch._drain())

    def _put_back_again(self) -> None:
        """The board is as the record has it: what was played while nobody saw it is undone, and asked no more."""
        self._meanwhile = None
        self._forget_resync()
        self.reading = Reading(same=True)

    # -- when nobody needs to answer ----------------------------------------------------------------------------------

    @property
    def _many(self) -> bool:
        return self._meanwhile is not None and len(self._meanwhile.inputs) > MOST_TRIED

    @property
    def _anywhere(self) -> bool:
        """Whether it is asked where a piece stands that no sensor sees: what is played since says little about that."""
        asked = self._capture.moves if self._capture is not None else ()
        castles = any(self.board.is_castling(move) for move in asked)
        return not castles and any(not self.board.is_capture(move) for move in asked)

    def _try_answers(self, t: int) -> None:
        """The board is quiet: perhaps what was played since makes sense after one of the answers only."""
        self._settled = True
        if self._missed is not None and self._link_up and not self._wrong:
            self._put_back_again()
        people_say = self._anywhere or self._doubted is not None or self._missed is not None
        if not self.kept or not self._link_up or self._many or self._future or people_say:
            return
        possible = {key: future for key, future in self._futures(t).items() if future[0]._makes_sense(future[1])}
        if len(possible) == 1:
            ((watch, said),) = possible.values()
            plies = len(watch.board.move_stack) - len(self.board.move_stack) + len(watch.candidate)
            if plies > 1 and watch.rests and not watch.kept:
                self._go_on(watch, said)

    def _futures(self, t: int) -> dict[tuple[int, ...], Future]:
        if self._capture is None:
            options = self.promotion.options if self.promotion is not None else ()
            return {(piece,): self._after_piece(t, piece) for piece in options if self._promoted_to(piece) is not None}
        moves = {(move.from_square, move.to_square): move for move in reversed(self._capture.moves)}
        return {squares: self._after_answer(t, move) for squares, move in moves.items()}

    def _makes_sense(self, said: list[Output]) -> bool:
        """Whether everything is explained, or may still come to be."""
        alarmed = any(isinstance(output, Alert) and output.code in _SENSELESS for output in said)
        return not alarmed and (self.reading.explained or self.kept)
