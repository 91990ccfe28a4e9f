"""How a game ends by what stands on the board, and which draw claims are right.

Everything here is exact or says nothing. Checkmate, stalemate, repetition and the move counts are decided completely
(Laws 5.1.1, 5.2.1, 9.2, 9.3, 9.6). A position is called dead (5.2.2) only where `rules.laws.winnable` has a proof.

A position's *key* is its EPD: pieces, side to move, castling rights cleaned of rights without king or rook, and the en
passant square only when the capture is really legal. Two positions are the same by 9.2.3 exactly when their keys are
equal. A game's history is the tuple of the keys of its start position and of the position after every ply.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from gettext import gettext as _
from itertools import islice
from typing import Literal

import chess

from rules.laws.events import EndedBy, Score, Side
from rules.laws.winnable import quick_dead, winnable

#: Plies without a pawn move or capture: a claim may be made (9.3), the game is over (9.6.2).
FIFTY_MOVES, SEVENTY_FIVE_MOVES = 100, 150
#: Occurrences of a position: a claim may be made (9.2), the game is over (9.6.1).
THREEFOLD, FIVEFOLD = 3, 5

#: With a queen or rook on the board, a position with more legal moves than this is not looked into for being dead.
CRAMPED = 16
#: Positions that may be met behind a wall of pawns, where two kings have room to walk.
WALL_NODES = 1_500

COLOURS: Mapping[Side, chess.Color] = {"white": chess.WHITE, "black": chess.BLACK}
WON_BY: Mapping[Side, Score] = {"white": "1-0", "black": "0-1"}
DRAW: Score = "1/2-1/2"

ClaimKind = Literal["repetition", "fifty-moves"]


@dataclass(frozen=True, slots=True)
class Ending:
    """An end that needs nobody's word: score, what ended the game, and the evidence in words and numbers."""

    score: Score
    by: EndedBy
    evidence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """Whether a draw claim is right, and the evidence for the arbiter as a sentence.

    `moves` names the occurrences of the position ("start", "12...", "15.") for a repetition, with the announced move.
    """

    correct: bool
    evidence: str
    moves: tuple[str, ...] = ()


def side_of(colour: chess.Color) -> Side:
    """The side that plays the pieces of `colour`."""
    return "white" if colour == chess.WHITE else "black"


def position_key(board: chess.Board) -> str:
    """The identity of a position by Laws 9.2.3; see the head of this module."""
    return board.epd()


def position_hash(board: chess.Board) -> str:
    """Eight hexadecimal digits that stand for the position in a log: SHA-256 of its key. For checks, not for proof."""
    return hash_of_key(position_key(board))


def hash_of_key(key: str) -> str:
    """`position_hash` of a position whose key is known."""
    return hashlib.sha256(key.encode("ascii")).hexdigest()[:8]


#: What ends a game without anybody's word, besides mate and stalemate (5.2.2, 9.6.1, 9.6.2).
AUTOMATIC: frozenset[EndedBy] = frozenset({"dead-position", "fivefold-repetition", "seventy-five-moves"})


def automatic(board: chess.Board, keys: Sequence[str], kinds: frozenset[EndedBy] = AUTOMATIC) -> Ending | None:
    """The end that the position on `board` is by itself, or None.

    `keys` is the history, its last entry the position on `board`; `kinds` what an edition lets end a game besides mate
    and stalemate. The order matters: a mate goes before the 75-move rule (9.6.2), and what is a mate or stalemate is
    not called a dead position.
    """
    if not any(board.generate_legal_moves()):
        if board.is_check():
            return Ending(WON_BY[side_of(not board.turn)], "checkmate", {"article": "5.1.1"})
        return Ending(DRAW, "stalemate", {"article": "5.2.1"})
    if "dead-position" in kinds and is_dead(board):
        return Ending(DRAW, "dead-position", {"article": "5.2.2", "position": board.fen()})
    if "fivefold-repetition" in kinds and keys.count(keys[-1]) >= FIVEFOLD:
        return Ending(DRAW, "fivefold-repetition", {"article": "9.6.1", "moves": _listed(occurrences(board, keys))})
    if "seventy-five-moves" in kinds and board.halfmove_clock >= SEVENTY_FIVE_MOVES:
        return Ending(DRAW, "seventy-five-moves", {"article": "9.6.2", "plies": str(board.halfmove_clock)})
    return None


# -- claims -----------------------------------------------------------------------------------------------------


def occurrences(board: chess.Board, keys: Sequence[str]) -> tuple[str, ...]:
    """After which moves the position on `board` stood: "start", "12." after a White move, "12..." after a Black one.

    `keys` is the history up to and including the position on `board`.
    """
    last = board.fullmove_number * 2 + (board.turn == chess.BLACK)
    names = []
    for index, key in enumerate(keys):
        if key == keys[-1]:
            # The number of half-moves before the position, counted from the move number of the record.
            ply = last - (len(keys) - 1 - index) - 1
            names.append(f"{ply // 2}{'.' if ply % 2 == 0 else '...'}" if index else "start")
    return tuple(names)


def check_claim(board: chess.Board, keys: Sequence[str], what: ClaimKind, move: str = "") -> ClaimCheck:
    """Check a claim of the side to move (Laws 9.2, 9.3): on the position, or with the one announced move (UCI).

    Only that move is tested; that some other move would repeat the position is nothing (9.2.1). A mating move may be
    announced too: it is not played. Raises ValueError when the announced move is not a legal move in UCI.
    """
    after, history, said = board, tuple(keys), ""
    if move:
        announced = chess.Move.from_uci(move)
        if announced not in board.legal_moves:
            raise ValueError(f"{move} is not a legal move here")
        said = board.san(announced)
        after = board.copy(stack=False)
        after.push(announced)
        history = (*history, position_key(after))
    if what == "repetition":
        moves = occurrences(after, history)
        correct = len(moves) >= THREEFOLD
        found = _("the position stood {count} times: after {moves}").format(count=len(moves), moves=_listed(moves))
    else:
        moves, correct = (), after.halfmove_clock >= FIFTY_MOVES
        found = _("{plies} half-moves without a pawn move or a capture, {needed} are needed").format(
            plies=after.halfmove_clock, needed=FIFTY_MOVES
        )
    verdict = _("correct") if correct else _("incorrect")
    if said:
        return ClaimCheck(
            correct, _("{verdict} with {move}: {found}").format(verdict=verdict, move=said, found=found), moves
        )
    return ClaimCheck(correct, _("{verdict}: {found}").format(verdict=verdict, found=found), moves)


def _listed(moves: Sequence[str]) -> str:
    return ", ".join(moves)


# -- dead positions and mating forces -----------------------------------------------------------------------------


def is_dead(board: chess.Board) -> bool:
    """Whether the position is proven dead: neither side can mate by any series of legal moves (Laws 5.2.2).

    Right but not complete: what is not proven is not called dead. Cheap enough to be asked after every ply (some ms):
    with a queen or rook on the board and room to move nothing is asked at all.
    """
    if board.is_insufficient_material():
        return True
    if board.queens | board.rooks and not _few_moves(board):
        return False
    return quick_dead(board) or (_walled(board) and all(_never_mates(board, side) for side in COLOURS))


def _walled(board: chess.Board) -> bool:
    """Whether only kings and pawns are left and at most two pawns have a free square in front of them."""
    if board.knights | board.bishops | board.rooks | board.queens:
        return False
    white, black = (board.pawns & board.occupied_co[colour] for colour in (chess.WHITE, chess.BLACK))
    free = ((white << 8) & ~board.occupied).bit_count() + ((black >> 8) & ~board.occupied).bit_count()
    return free <= 2


def _never_mates(board: chess.Board, side: Side) -> bool:
    return board.is_valid() and winnable(board, side, nodes=WALL_NODES).verdict == "unwinnable"


def _few_moves(board: chess.Board) -> bool:
    """Whether there are at most `CRAMPED` legal moves."""
    return next(islice(board.generate_legal_moves(), CRAMPED, None), None) is None


def why_no_material(board: chess.Board, side: Side) -> str:
    """Why the pieces of `side` are no force to win on time by the Laws of 1997 (C4), in words; "" when they are.

    Forces count, not the position on the board: what could mate somewhere against these pieces is enough, except two
    knights against a bare king, which cannot force it.
    """
    own, theirs = (board.occupied_co[colour] for colour in (COLOURS[side], not COLOURS[side]))
    two_knights = own == own & (board.kings | board.knights) and theirs == theirs & board.kings
    if two_knights or board.has_insufficient_material(COLOURS[side]):
        return _("the pieces left can give no mate")
    return ""
