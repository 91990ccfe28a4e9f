"""Can this side still checkmate by any series of legal moves? (Laws 5.1.2, 5.2.2, 6.9, 7.5.5)

The question that decides a flag, a resignation and a second illegal move: not who stands better, but whether a mate is
possible at all when both sides help. Three answers. "winnable" comes with the moves, played through on a `chess.Board`
before they are believed. "unwinnable" is proven: by the material, by the reach of the pieces behind a pawn wall
(`winnable_wall`), or because every position that can still arise was seen and none is a mate (`winnable_search`).
Everything else is "undetermined", and the arbiter decides.

Move counts and repetitions play no part: a legal move is one by Article 3. Nothing here knows the time: a budget is
a number of positions, and the caller may end the search with `expired`.
Method after M. Ambrona, "A practical algorithm for chess unwinnability" (FUN 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from gettext import gettext as _
from typing import Literal

import chess

from rules.laws.sides import SIDES, Side
from rules.laws.winnable_moves import Position, position_of, successors
from rules.laws.winnable_search import hopeless, search
from rules.laws.winnable_wall import proves_unwinnable

Answer = Literal["winnable", "unwinnable", "undetermined"]
#: What the answer rests on. "over": the position is mate or stalemate already; "material", "reach" and "exhaustion"
#: prove "unwinnable"; "helpmate" has a line; "budget" and "unconfirmed" are no proof of anything.
By = Literal["over", "material", "reach", "exhaustion", "helpmate", "budget", "unconfirmed"]

#: Positions to meet at most, for which a quarter of a gigabyte must be free.
NODES = 1_000_000
#: The same for the check after every move.
QUICK_NODES = 400
#: With more moves than these a short search proves nothing against either side.
FEW_MOVES = 14

COLOURS: dict[Side, chess.Color] = {"white": chess.WHITE, "black": chess.BLACK}
_IMPOSSIBLE = (
    chess.STATUS_NO_WHITE_KING
    | chess.STATUS_NO_BLACK_KING
    | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one side can still mate: the answer, the moves in UCI if there are any to show, and what it rests on.

    `nodes` is the number of positions met by the search, 0 when none was needed.
    """

    verdict: Answer
    line: tuple[str, ...] | None
    by: By
    nodes: int = 0


def never() -> bool:
    """The caller that never runs out of time."""
    return False


def winnable(board: chess.Board, side: Side, *, nodes: int = NODES, expired: Callable[[], bool] = never) -> Verdict:
    """Whether `side` can checkmate from the position on `board` by any series of legal moves.

    Meets at most about `nodes` positions, and stops soon after `expired` says True. `board` is left as it is. Raises
    ValueError when the position cannot occur in a game: kings missing, pawns on the first or last rank, or the side
    that is not to move in check (unless the proof does not depend on whose move it is).
    """
    position = _checked(board)
    white = COLOURS[side]
    at_once = _at_once(board, position, white)
    if at_once is not None:
        return at_once
    found = search(position, white, nodes, expired)
    if found.path is not None:
        line = _replayed(board, found.path, white)
        if line is None:
            return Verdict("undetermined", None, "unconfirmed", found.nodes)
        return Verdict("winnable", line, "helpmate", found.nodes)
    if found.exhausted:
        return Verdict("unwinnable", None, "exhaustion", found.nodes)
    return Verdict("undetermined", None, "budget", found.nodes)


def quick(board: chess.Board, side: Side) -> Verdict:
    """`winnable` for use after every move: the proofs, and a search short enough for a forced line (some ms).

    Raises ValueError as `winnable` does.
    """
    return winnable(board, side, nodes=QUICK_NODES)


def quick_dead(board: chess.Board) -> bool:
    """Whether the position is proven dead: neither side can mate by any series of legal moves (Laws 5.2.2).

    False says nothing. A mate or stalemate on the board is not called dead: that game is over already. Nor is a
    position that cannot occur: that game is in the arbiter's hands.
    """
    moves = len(list(board.generate_legal_moves()))
    if board.status() & _IMPOSSIBLE or board.was_into_check() or not moves:
        return False
    position = position_of(board)
    open_sides = [side for side in SIDES if not _proof(position, COLOURS[side])]
    if len(open_sides) == len(SIDES) and moves > FEW_MOVES:
        return False
    return all(quick(board, side).verdict == "unwinnable" for side in open_sides)


def proof_in_words(verdict: Verdict) -> str:
    """Why the side cannot mate any more, for the record and the arbiter; "" when that is not proven."""
    if verdict.verdict != "unwinnable":
        return ""
    return {
        "material": _("the pieces left can give no mate"),
        "reach": _("no piece that could give mate can ever get at the king"),
        "over": _("there is no legal move and no mate"),
    }.get(verdict.by, _("no position that can still arise is a mate"))


def _checked(board: chess.Board) -> Position:
    if board.status() & _IMPOSSIBLE:
        raise _refusal(board)
    return position_of(board)


def _refusal(board: chess.Board) -> ValueError:
    return ValueError(
        _("The position {fen} cannot occur in a game: check the kings, the pawns and who is to move.").format(
            fen=board.fen()
        )
    )


def _at_once(board: chess.Board, position: Position, white: bool) -> Verdict | None:
    """The answers that need no search. The proofs by material and reach hold whoever is to move."""
    after, check = successors(position)
    if board.was_into_check():
        if not _proof(position, white):
            raise _refusal(board)
    # The proof by exhaustion rests on our own moves: they must be the moves of the library, here at least.
    elif sorted(map(_bare, after)) != sorted(_bare(moved) for moved, _move in _moves(board.copy(stack=False))):
        return Verdict("undetermined", None, "unconfirmed")
    elif not after:
        mated = check and board.turn != white
        return Verdict("winnable", (), "over") if mated else Verdict("unwinnable", None, "over")
    proof = _proof(position, white)
    return Verdict("unwinnable", None, proof) if proof else None


def _proof(position: Position, white: bool) -> By | None:
    if hopeless(position, white):
        return "material"
    return "reach" if proves_unwinnable(position, white) else None


def _moves(board: chess.Board, origins: int = chess.BB_ALL) -> Iterator[tuple[Position, chess.Move]]:
    for move in list(board.generate_legal_moves(origins)):
        board.push(move)
        moved = position_of(board)
        board.pop()
        yield moved, move


def _bare(position: Position) -> Position:
    """The position without its en passant square, which the search keeps a little more often than the library."""
    return (*position[:6], position[6] & ~126)


def _replayed(board: chess.Board, path: Sequence[Position], white: bool) -> tuple[str, ...] | None:
    """The moves along `path`, played from `board`; None unless all are legal and the last one mates for the side."""
    here = board.copy(stack=False)
    line = []
    for target in path[1:]:
        # Only pieces whose square is empty afterwards need a try, and the king: he may castle onto a rook's square.
        left = here.occupied & ~(target[0] | target[1] | target[2] | target[3] | target[4]) | here.kings
        move = next((move for moved, move in _moves(here, left) if _bare(moved) == _bare(target)), None)
        if move is None:
            return None
        line.append(move.uci())
        here.push(move)
    return tuple(line) if here.is_checkmate() and here.turn != white else None
