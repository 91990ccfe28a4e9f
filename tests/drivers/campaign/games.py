"""The games of the campaign: generated ones, ones pulled towards what is seldom seen, and Chess960."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass

import chess

from rules.laws.generator import MOVE_FEATURES, improvise, script

#: Positions in which castling, en passant and promotions are near.
SHARP = (
    "r3k2r/pPpq1ppp/2n2n2/3pP3/3Pp3/2N2N2/PpPQ1PPP/R3K2R w KQkq d6 0 10",
    "r3k2r/1P4P1/8/2pPpP2/2PpPp2/8/1p4p1/R3K2R w KQkq e6 0 20",
    "1n2k1n1/P1P2P1P/8/3pP3/3Pp3/8/p1p2p1p/1N2K1N1 w - d6 0 30",
)
MOST_PLIES = 100


@dataclass(frozen=True, slots=True)
class Planned:
    """A game to be played: `fen` is "" for the usual start position, `moves` in python-chess' own form."""

    number: int
    kind: str
    fen: str
    moves: tuple[chess.Move, ...]

    def board(self) -> chess.Board:
        """The position before the first move."""
        return chess.Board(self.fen or chess.STARTING_FEN, chess960=self.kind == "chess960")


@functools.lru_cache(maxsize=600)
def game(number: int) -> Planned:
    """The game `number`: of ten, five as in a hall, one pulled towards a feature, two sharp ones, two Chess960."""
    dice = random.Random(f"campaign {number}")
    match number % 10:
        case 0 | 1 | 2 | 3 | 4:
            return _scripted(number, frozenset())
        case 5:
            features = [feature for feature in MOVE_FEATURES if feature != "double-check"]
            return _scripted(number, frozenset({features[number // 10 % len(features)]}))
        case 6 | 7:
            return _played(number, "sharp", chess.Board(dice.choice(SHARP)), dice)
        case _:
            return _played(number, "chess960", chess.Board.from_chess960_pos(dice.randrange(960)), dice)


def _scripted(number: int, seeks: frozenset[str]) -> Planned:
    steps = script(number, 1, number, 1700, 1600, 600_000, 0, max_plies=160, seeks=seeks).steps
    return Planned(number, "hall", "", tuple(chess.Move.from_uci(step.uci) for step in steps[:MOST_PLIES]))


def _played(number: int, kind: str, start: chess.Board, dice: random.Random) -> Planned:
    """Special moves as often as they can be had; else what a club player would do, or anything."""
    board, moves = start.copy(), []
    wanted = dice.randint(30, 80)
    while len(moves) < wanted and not board.is_game_over() and not board.is_fivefold_repetition():
        legal = list(board.legal_moves)
        special = [m for m in legal if m.promotion or board.is_castling(m) or board.is_en_passant(m)]
        if special and dice.random() < 0.5:
            move = dice.choice(special)
        elif kind == "chess960" and dice.random() < 0.1:
            move = board.parse_uci(improvise(board, str(number)).uci)
        else:
            move = dice.choice(legal)
        moves.append(move)
        board.push(move)
    return Planned(number, kind, start.fen(), tuple(moves))
