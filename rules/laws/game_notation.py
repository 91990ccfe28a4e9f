"""A game as other programs can read it: one stretch of legal moves from one position, all else in words around it.

A record may hold what no game notation can: illegal moves that stand (A.5.2), positions that an arbiter has set (7.4,
7.5.1, 7.6). There it breaks into stretches of legal moves. The longest becomes the game, from its own position if it is
not the first one, and the moves before and after it are told in comments; so nothing is left out and nothing invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from gettext import gettext as _

import chess

from rules.laws.ending import position_key
from rules.laws.game_positions import position_after, set_up, start_board
from rules.laws.game_record import GameState, PlyRecord
from rules.laws.illegal import legal


@dataclass(frozen=True, slots=True)
class Notation:
    """Moves (UCI) from `start_fen` ("" for the usual start), each mover's clock in ms, and words by ply (0: before)."""

    start_fen: str = ""
    moves: tuple[str, ...] = ()
    clocks_ms: tuple[int, ...] = ()
    comments: Mapping[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Stretch:
    """Legal moves from one position, the movetext they are, and the words about how it came about."""

    start: chess.Board
    told: str = ""
    moves: list[str] = field(default_factory=list)
    clocks_ms: list[int] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    @property
    def readable(self) -> bool:
        """Whether a program can begin from this position."""
        return self.start.is_valid()

    def words(self) -> str:
        return " ".join(filter(None, [self.told, *self.text]))


def notation(state: GameState) -> Notation:
    """The game of `state` in a form that is true and legal; empty without an assignment."""
    if state.assignment is None:
        return Notation()
    stretches = list(_stretches(state))
    # The first of the longest ones; the start of the game was checked when it was assigned.
    main = max((s for s in stretches if s.readable or s is stretches[0]), key=lambda s: len(s.moves))
    at = stretches.index(main)
    comments = {}
    if at:
        before = " ".join(s.words() for s in stretches[:at])
        comments[0] = _("Played before: {moves} {told}").format(moves=before, told=main.told).strip()
    if after := " ".join(s.words() for s in stretches[at + 1 :]):
        comments[len(main.moves)] = " ".join(filter(None, [comments.get(len(main.moves), ""), after]))
    usual = main.start.fen() == chess.STARTING_FEN
    return Notation("" if usual else main.start.fen(), tuple(main.moves), tuple(main.clocks_ms), comments)


def _stretches(state: GameState) -> Iterator[_Stretch]:
    assert state.assignment is not None
    placed = dict(state.placed)
    board = start_board(state.assignment)
    here = _Stretch(board.copy(stack=False))
    for n in range(len(state.plies) + 1):
        if n in placed:
            board, before = set_up(state, placed[n]), board
            if position_key(board) != position_key(before):
                yield here
                here = _Stretch(
                    board.copy(stack=False), _("The arbiter set the position {fen}.").format(fen=board.fen())
                )
        if n == len(state.plies):
            break
        ply = state.plies[n]
        if _is_legal(board, ply):
            here.text.append(f"{_number(board, first=not here.moves)}{board.san(board.parse_uci(ply.uci))}")
            here.moves.append(ply.uci)
            here.clocks_ms.append(ply.white_ms if board.turn else ply.black_ms)
            board.push_uci(ply.uci)
        else:
            yield here
            number, board = _number(board, first=True), position_after(state, n + 1)
            told = _("{number}{move} is no legal move and stands; the position is {fen}.")
            here = _Stretch(board.copy(stack=False), told.format(number=number, move=ply.uci, fen=board.fen()))
    yield here


def _is_legal(board: chess.Board, ply: PlyRecord) -> bool:
    if not legal(board, ply.uci):
        return False
    after = board.copy(stack=False)
    after.push_uci(ply.uci)
    return ply.placement in ("", after.board_fen())


def _number(board: chess.Board, first: bool) -> str:
    """The move number before a move: for White always, for Black where a line begins."""
    if board.turn == chess.WHITE:
        return f"{board.fullmove_number}. "
    return f"{board.fullmove_number}... " if first else ""
