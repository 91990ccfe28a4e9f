"""What a board asks its players: pieces, squares, earlier moves, and what was played while nobody saw it.

`Asking` is the half of `AtBoard` that puts the observer's questions to a side, in pages that a face has room for, and
takes the answers back to it. A question that the board answers by itself is closed.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from gettext import gettext as _

import chess

from drivers.boards.dgt.memory import decode as memory_entries
from kiosk.table.keeper import Keeper
from kiosk.table.recall import Recall, moves_since
from rules.laws import game as laws
from rules.laws.ending import side_of
from rules.laws.events import OTHER_MOVES, OTHERS, Question, Side
from rules.laws.game_positions import move_number
from rules.laws.game_questions import CAPTURE, MISSED, MOVE, PROMOTION
from rules.laws.game_state import promoted_ply
from rules.laws.observer_watch import Made, Output, Watch

log = logging.getLogger(__name__)

#: A board's memory is waited for so long, and looked for so often (real ms).
RECALL_MS = 20_000
RECALL_LOOK_MS = 500
#: So many answers a face has room for; the last of them may be one that asks for others.
MOST_ANSWERS = 6


class Asking(ABC):
    """The questions of one table. `recall` is a board that remembers by itself what happened to it."""

    _watch: Watch

    def __init__(self, keeper: Keeper, recall: Recall | None) -> None:
        self._keeper = keeper
        self._before = 0  # plies of the game before the observer's record
        self._promoting = 0  # the ply whose promotion piece is asked for
        self._recall = recall
        self._recalling: int | None = None
        self._pages: list[tuple[str, ...]] = []  # squares that are offered to a player, one page after the other
        self._move_pages: dict[int, list[tuple[str, ...]]] = {}  # the same for the moves of an earlier ply

    @abstractmethod
    def _hear(self, outputs: list[Output]) -> None:
        """What the observer says."""

    def answered(self, t: int, question: Question, value: str) -> None:
        """The player has answered what the board had asked."""
        if question.about in (PROMOTION, CAPTURE):
            self._hear(self._watch.answer(t, question.about, value))
        if question.about == CAPTURE and value == OTHERS:
            self._ask_square(question.side)
        if question.about == MOVE:
            self._move_said(t, question, value)
        if question.about == MISSED:
            self._missed_said(t, question, value)

    def _still_asked(self) -> None:
        """Which move an earlier one was is open, though the observer begins anew: nothing it sees has answered that."""
        for asked in self._keeper.state.questions:
            if asked.about == MOVE:
                self._watch.still_asked(asked.ply - self._before)

    def _decide(self, intent: laws.Intent, t: int) -> bool:
        """Whether the Laws accept what the board says; a refusal is only noted."""
        refusal = self._keeper.decide(intent, t)
        if refusal is not None:
            log.info("%s: %s", intent, refusal.why)
        return refusal is None

    def _ask_promotion(self) -> None:
        """Asks for the piece of the first promotion that is open."""
        promotion, record = self._watch.promotion, self._watch.record
        if promotion is None or record is None:
            return
        turn = record.turn if (len(record.move_stack) - promotion.ply) % 2 else not record.turn
        pieces = tuple(chess.piece_symbol(piece) for piece in promotion.options)
        at, plies = self._before + promotion.ply - 1, self._keeper.state.plies
        t = plies[at].t if at < len(plies) else self._keeper.timeline()  # by which the Laws know what is meant
        if self._decide(laws.AskPlayer(side_of(turn), PROMOTION, pieces), t):
            self._promoting = promotion.ply

    def _known_now(self, t: int, piece: str = "") -> None:
        """The promotion piece shows by what was played since: the question answers itself."""
        state = self._keeper.state
        asked = next((question for question in state.questions if question.about == PROMOTION), None)
        at = promoted_ply(state, asked) if asked is not None else None
        if asked is not None and at is not None:
            self._decide(laws.AnswerQuestion(asked.side, asked.id, piece or state.plies[at].uci[4:]), t)

    def _captured(self, made: Made) -> None:
        """An open question about a capture is answered by the move that became certain."""
        for asked in self._keeper.state.questions:
            if asked.about == CAPTURE:
                target = made.uci[2:4]
                self._decide(laws.AnswerQuestion(asked.side, asked.id, _option(asked, target)), made.t)

    def _squares_asked(self, squares: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The squares to which the piece may have gone, by pages. A real board may have a dead square: then it may be
        any other one that the piece can reach.
        """
        watch, others = self._watch, list[str]()
        if watch.policy.confirms and watch.record is not None:
            origins = {move.from_square for move in watch.asked}
            reached = {chess.square_name(m.to_square) for m in watch.board.legal_moves if m.from_square in origins}
            others = sorted(reached - set(squares))
        if len(squares) + len(others) <= MOST_ANSWERS and not (others and squares):
            return [(*squares, *others)]
        room = MOST_ANSWERS - 1
        pages = [part[n : n + room] for part in (list(squares), others) for n in range(0, len(part), room)]
        return [(*page, OTHERS) for page in pages]

    def _ask_square(self, side: Side) -> None:
        """Asks for the square, a page of them; after the last page comes the first."""
        if self._pages:
            page = self._pages.pop(0)
            self._pages.append(page)
            self._decide(laws.AskPlayer(side, CAPTURE, page), self._keeper.timeline())

    def _ask_capture(self, side: Side, squares: tuple[str, ...]) -> None:
        """Asks to which of `squares`, or of others, a piece has gone."""
        self._pages = self._squares_asked(squares)
        self._ask_square(side)

    def _ask_doubted(self, side: Side) -> None:
        """Asks which move an earlier one was, where the board has contradicted it."""
        if (doubted := self._watch.doubted) is not None:
            self._ask_move(side, doubted.ply, _pages([move.uci() for move in doubted.moves]))

    def _ask_whether(self, side: Side, ply: int) -> None:
        """Asks whether it was the capture that the record has, of which only the lifted piece was seen.

        It may have been another one; and a real board may have lost a square a moment ago, on which the piece stands.
        """
        board, played = self._watch.board.copy(), self._watch.board.move_stack[ply]
        for _undo in range(len(board.move_stack) - ply):
            board.pop()
        origin, seen = chess.BB_SQUARES[played.from_square], self._watch.eyes.sight.occupied
        captures = board.generate_legal_moves(origin, board.occupied & seen & ~chess.BB_SQUARES[played.to_square])
        others = (*captures, *board.generate_legal_moves(origin, ~(board.occupied | seen)))
        moves = [move.uci() for move in others if move.promotion in (None, played.promotion or chess.QUEEN)]
        if moves:
            self._ask_move(side, ply, [*_pages([played.uci()]), *_pages(moves)])

    def _ask_move(self, side: Side, ply: int, pages: list[tuple[str, ...]]) -> None:
        """Asks which move an earlier one was, page by page; what was asked already goes on with these pages."""
        asked = self._decide(laws.AskPlayer(side, MOVE, pages[0], self._before + ply), self._keeper.timeline())
        self._move_pages[ply] = pages[1:] if asked else pages

    def _move_said(self, t: int, question: Question, value: str) -> None:
        """A player has said which move an earlier one was: one of those, or one of the next page, or none."""
        ply, doubted = question.ply - self._before, self._watch.doubted
        if value == OTHERS and self._move_pages.get(ply):
            self._ask_move(question.side, ply, self._move_pages[ply])
            return
        if value == OTHERS:
            why = _("move {number} is recorded as {move}, but its player says that it was another one")
            state = self._keeper.state
            number, move = move_number(state, question.ply), state.plies[question.ply].san
            self._decide(laws.CallArbiter(question.side, why.format(number=number, move=move)), t)
        if doubted is not None and doubted.ply == ply:
            self._hear(self._watch.answer(t, MOVE, value))
        elif value != OTHERS:
            self._hear(self._watch.was(t, ply, value))

    def _known_by_now(self) -> None:
        """What was asked about a move answers itself when the board has shown since that it was the recorded one."""
        watch, state = self._watch, self._keeper.state
        for asked in state.questions:
            if asked.about == MISSED and not watch.lost_track:  # the board, or the arbiter, has said it
                self._decide(laws.AnswerQuestion(asked.side, asked.id, OTHER_MOVES), self._keeper.timeline())
            ply = asked.ply - self._before
            if asked.about != MOVE or watch.record is None or watch.unsure(ply):
                continue  # after the end nothing on the board tells it
            if watch.doubted is None or watch.doubted.ply != ply:
                uci = state.plies[asked.ply].uci
                value = uci if uci in asked.options else OTHERS  # of a later page: none of those
                self._decide(laws.AnswerQuestion(asked.side, asked.id, value), self._keeper.timeline())

    def _ask_missed(self) -> None:
        """Asks what was played while the board was not connected: the board's own memory, and its players."""
        if self._recall is not None:
            self._recall.memory, self._recalling = b"", self._keeper.timeline()
            self._recall.ask_memory()
        watch = self._watch
        if watch.missed_lines and watch.record is not None:
            about = laws.AskPlayer(side_of(watch.board.turn), MISSED, (*watch.missed_lines, OTHER_MOVES))
            self._decide(about, self._keeper.timeline())

    def _missed_said(self, t: int, question: Question, value: str) -> None:
        """A player has said what was played, or that it was something else."""
        if value == OTHER_MOVES:
            why = _("what was played while the board was not connected is none of what the table offers: set it up")
            self._decide(laws.CallArbiter(question.side, why), t)
        else:
            self._hear(self._watch.answer(t, "resync", value))

    def _remember(self, t: int) -> None:
        """What the board's own memory says about moves that nobody saw; it takes some seconds to read."""
        if self._recall is None or self._recalling is None:
            return
        memory, watch = self._recall.memory, self._watch
        if not memory and t - self._recalling < RECALL_MS * self._keeper.timeline.speed:
            return
        self._recalling = None
        seen = watch.eyes.sight.pieces
        if not memory or watch.record is None or seen is None:
            return
        line = moves_since(watch.record, memory_entries(memory), seen, bool(watch.eyes.rotated))
        log.info("the board remembers: %s", " ".join(line) if line is not None else "nothing that fits")
        if line:
            self._hear(watch.answer(t, "resync", list(line)))


def _pages(moves: list[str]) -> list[tuple[str, ...]]:
    """Moves as answers, by pages, each with one for none of these."""
    room = MOST_ANSWERS - 1
    return [(*moves[n : n + room], OTHERS) for n in range(0, len(moves), room)]


def _option(asked: Question, target: str) -> str:
    return target if target in asked.options or not asked.options else asked.options[0]
