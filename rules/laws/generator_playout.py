"""Playouts: two light-headed players make legal moves towards a wanted ending.

The players look one ply ahead (what can be taken, what would be lost, a little sense of place, and luck). Where an
ending needs both of them, the two work together: a losing side overlooks the mate, a stripped side runs into the
corner. A playout that misses its goal gives None, and the caller rolls again.

Every position before the last is free of anything that ends a game by itself: no mate, no stalemate, no dead position
by material, and no position twice outside the repetition goals (so neither 9.6.1 nor 9.2 comes up by accident).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import chess

from rules.laws.events import Side
from rules.laws.generator_script import Dice, EndingKind, side_of

#: Piece values in centipawns by python-chess piece type; the king counts only as an attacker that comes last.
VALUE = (0, 100, 320, 330, 500, 900, 10_000)
#: Closeness to the centre by square, 0 to 3.
CENTRE = tuple(
    3 - max(abs(2 * chess.square_file(square) - 7), abs(2 * chess.square_rank(square) - 7)) // 2
    for square in chess.SQUARES
)
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Style:
    """How a player chooses: all in centipawns, percentages in percent."""

    noise: int = 70
    greed: int = 100  # per cent of what a capture wins
    care: int = 100  # per cent of what a move leaves to be taken; below zero: gives its pieces away
    hunt: int = 0  # for each king's step nearer to the opposing king
    push: int = 0  # for each rank a pawn gains


@dataclass(frozen=True, slots=True)
class Plan:
    """What a playout is to reach: the ending, the side that brings it about, and what to look for on the way.

    `actor` is the mating or stalemating side; otherwise the side the ending's `side` names. `target` is the ply around
    which the goal is aimed at, `limit` the greatest length; `seeks` names features (`rules.laws.generator_coverage`).
    """

    kind: EndingKind
    actor: Side
    target: int
    limit: int
    line: str
    styles: tuple[Style, Style]  # white's, black's
    seeks: frozenset[str] = frozenset()


def _key(board: chess.Board) -> Key:
    """What makes two positions the same (Laws 9.2.3)."""
    ep = board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else None
    return (
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings,
        board.occupied_co[chess.WHITE], board.turn, board.castling_rights, ep,
    )  # fmt: skip


def _cheapest(board: chess.Board, mask: int) -> int:
    """The value of the least piece in `mask`."""
    for kind, pieces in enumerate(
        (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings), start=1
    ):
        if mask & pieces:
            return VALUE[kind]
    return 0


def _loss(board: chess.Board, square: chess.Square, value: int, them: chess.Color, but: int) -> int:
    """What `them` win by taking a piece of `value` on `square`, one exchange deep; `but` masks the mover itself."""
    attackers = board.attackers_mask(them, square)
    if not attackers:
        return 0
    guards = board.attackers_mask(not them, square) & ~but
    if not guards:
        return value
    return max(0, value - _cheapest(board, attackers))


def any_legal(board: chess.Board) -> bool:
    """Whether the side to move has a move."""
    return any(True for _ in board.generate_legal_moves())


def legal(board: chess.Board) -> list[chess.Move]:
    """The legal moves in an order of our own, whatever the library's."""
    return sorted(board.legal_moves, key=lambda move: (move.from_square, move.to_square, move.promotion or 0))


def material(board: chess.Board, color: chess.Color) -> int:
    """Centipawns of `color` without the king."""
    own = board.occupied_co[color]
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    return sum(VALUE[kind] * (own & mask).bit_count() for kind, mask in enumerate(pieces, start=1))


def _sense_of_place(board: chess.Board, move: chess.Move, piece: int, opening: bool, style: Style) -> int:
    """A little positional feeling."""
    if board.is_castling(move):
        return 90
    score = 0
    source, target = move.from_square, move.to_square
    if piece == chess.PAWN:
        gained = abs(chess.square_rank(target) - chess.square_rank(source))
        score += gained * (style.push + (5 if CENTRE[target] >= 2 else 2))
    elif piece in (chess.KNIGHT, chess.BISHOP):
        score += 12 * (CENTRE[target] - CENTRE[source])
        if chess.square_rank(source) in (0, 7):
            score += 30
    elif piece == chess.ROOK:
        score += 4 * (CENTRE[target] - CENTRE[source])
    elif piece == chess.QUEEN and opening:
        score -= 25
    elif piece == chess.KING:
        score -= 60 if board.queens and board.castling_rights & board.occupied_co[board.turn] else 10
    if style.hunt and piece != chess.PAWN:
        king = board.king(not board.turn)
        if king is not None:
            score += style.hunt * (chess.square_distance(source, king) - chess.square_distance(target, king))
    return score


def _appetite(board: chess.Board, move: chess.Move, piece: int, seeks: frozenset[str]) -> int:
    """The pull of features that are still missing."""
    score = 0
    side = side_of(board.turn)
    if move.promotion:
        score += 3_000 if f"promotion-{chess.piece_name(move.promotion)}" in seeks else 0
        if "capture-promotion" in seeks and board.is_capture(move):
            score += 1_000
    elif piece == chess.KING and board.is_castling(move):
        length = "short" if board.is_kingside_castling(move) else "long"
        score += 1_000 if f"{side}-castles-{length}" in seeks else 0
    elif piece == chess.PAWN:
        if board.is_en_passant(move):
            score += 1_000 if f"{side}-en-passant" in seeks else 0
        elif abs(move.to_square - move.from_square) == 16:
            victim = "black-en-passant" if side == "white" else "white-en-passant"
            beside = chess.BB_PAWN_ATTACKS[board.turn][(move.from_square + move.to_square) // 2]
            if victim in seeks and beside & board.pawns & board.occupied_co[not board.turn]:
                score += 500
    if "double-check" in seeks and piece != chess.PAWN and board.gives_check(move):
        board.push(move)
        score += 2_000 if board.checkers_mask().bit_count() > 1 else 0
        board.pop()
    return score


def ranked(board: chess.Board, dice: Dice, style: Style, seeks: frozenset[str] = frozenset()) -> list[chess.Move]:
    """The legal moves, the most attractive first."""
    us, them = board.turn, not board.turn
    opening = len(board.move_stack) < 20
    hanging = {
        square: _loss(board, square, VALUE[board.piece_type_at(square) or 0], them, 0)
        for square in chess.scan_forward(board.occupied_co[us] & ~board.kings & ~board.pawns)
    }
    scored = []
    for order, move in enumerate(legal(board)):
        piece = board.piece_type_at(move.from_square) or 0
        taken = board.piece_type_at(move.to_square) or (chess.PAWN if board.is_en_passant(move) else 0)
        castles = piece == chess.KING and board.is_castling(move)
        score = 0 if castles else VALUE[taken] * style.greed // 100
        if piece != chess.KING:
            at_stake = VALUE[move.promotion or piece]
            risk = _loss(board, move.to_square, at_stake, them, chess.BB_SQUARES[move.from_square])
            score -= (risk - hanging.get(move.from_square, 0)) * style.care // 100
        if move.promotion:
            score += VALUE[move.promotion] - VALUE[chess.PAWN]
        score += _sense_of_place(board, move, piece, opening, style) + dice.below(style.noise + 1)
        if seeks:
            score += _appetite(board, move, piece, seeks)
        scored.append((-score, order, move))
    scored.sort(key=lambda entry: entry[:2])
    return [move for _, _, move in scored]


@dataclass(slots=True)
class Playout:
    """A game in the making."""

    plan: Plan
    dice: Dice
    board: chess.Board = field(default_factory=chess.Board)
    seen: set[Key] = field(default_factory=set)
    book: int = 0

    def __post_init__(self) -> None:
        self.seen.add(_key(self.board))
        for san in self.plan.line.split():
            self.push(self.board.parse_san(san))
        self.book = len(self.board.move_stack)

    @property
    def plies(self) -> int:
        """How many plies have been played."""
        return len(self.board.move_stack)

    @property
    def acting(self) -> bool:
        """Whether the plan's actor has the move."""
        return side_of(self.board.turn) == self.plan.actor

    @property
    def style(self) -> Style:
        """The style of the side to move."""
        return self.plan.styles[0 if self.board.turn == chess.WHITE else 1]

    def push(self, move: chess.Move) -> None:
        """Make `move`."""
        self.board.push(move)
        self.seen.add(_key(self.board))

    def lives(self, move: chess.Move) -> bool:
        """Whether the game goes on after `move`, in a position not seen before."""
        board = self.board
        board.push(move)
        fine = _key(board) not in self.seen and not board.is_insufficient_material() and any_legal(board)
        board.pop()
        return fine

    def free(self, move: chess.Move) -> bool:
        """Whether `move`, which ends the game, is a free choice: with another one the game would go on.

        Otherwise the position before it would itself be dead, or the end forced before it is reached.
        """
        board = self.board
        for another in legal(board):
            if another != move:
                board.push(another)
                goes_on = any_legal(board) and not board.is_insufficient_material()
                board.pop()
                if goes_on:
                    return True
        return False

    def move(self, style: Style | None = None) -> bool:
        """Play the most attractive move after which the game goes on; False if there is none."""
        for move in ranked(self.board, self.dice, style or self.style, self.plan.seeks):
            if self.lives(move):
                self.push(move)
                return True
        return False

    def play_to(self, ply: int) -> bool:
        """Play on up to `ply` plies; False if the game could not go on."""
        while self.plies < ply:
            if not self.move():
                return False
        return True


def finishing(board: chess.Board, mate: bool) -> Iterator[chess.Move]:
    """The moves that checkmate, or else those that stalemate."""
    for move in legal(board):
        if mate != board.gives_check(move):
            continue
        board.push(move)
        over = not any_legal(board)
        board.pop()
        if over:
            yield move


def _finish(game: Playout, mate: bool) -> bool:
    """Make a finishing move if there is one that is a free choice."""
    for move in finishing(game.board, mate):
        if mate or game.free(move):
            game.board.push(move)
            return True
    return False


def _walk_into(game: Playout, style: Style, mate: bool, tries: int) -> bool:
    """The losing side makes a move that lets the other finish, and the other does; False if there is none."""
    for move in ranked(game.board, game.dice, style)[:tries]:
        if not game.lives(move):
            continue
        game.push(move)
        if _finish(game, mate):
            return True
        game.seen.discard(_key(game.board))
        game.board.pop()
    return False


def _checkmate(game: Playout) -> bool:
    """Mate by the actor: taken whenever it is there, and overlooked by the other from the target ply on."""
    hunter = Style(noise=60, hunt=14, push=4)
    while game.plies < game.plan.limit:
        if game.acting:
            if game.plies > 12 and _finish(game, mate=True):
                return True
            if not game.move(hunter if game.plies >= game.plan.target - 12 else None):
                return False
        else:
            late = game.plies >= game.plan.target and game.plies < game.plan.limit - 1
            if late and _walk_into(game, Style(noise=120), True, 10 + (game.plies - game.plan.target)):
                return True
            if not game.move():
                return False
    return False


def _stripped(board: chess.Board, color: chess.Color) -> bool:
    """Whether `color` has little left beside king and pawns, so that a stalemate is near."""
    own = board.occupied_co[color]
    return (own & ~board.kings & ~board.pawns).bit_count() <= 1 and own.bit_count() <= 5


def _stalemate(game: Playout) -> bool:
    """The actor takes everything and then takes too much; the other gives everything away."""
    taker = Style(noise=40, greed=140, hunt=5, push=12)
    giver = Style(noise=80, greed=0, care=-60, push=25)
    if not game.play_to(game.plan.target):
        return False
    while game.plies < game.plan.limit:
        loser = chess.BLACK if game.plan.actor == "white" else chess.WHITE
        near = _stripped(game.board, loser)
        if game.acting:
            if (near and _finish(game, mate=False)) or not game.move(taker):
                return near and game.board.is_stalemate()
        else:
            if near and game.plies < game.plan.limit - 1 and _walk_into(game, giver, False, 12):
                return True
            if not game.move(giver):
                return False
    return False


def _dead_position(game: Playout) -> bool:
    """Both sides trade whatever can be traded until nobody can mate."""
    trader = Style(noise=60, greed=300, care=-35, hunt=12, push=10)
    if not game.play_to(game.plan.target):
        return False
    while game.plies < game.plan.limit:
        board = game.board
        for move in ranked(board, game.dice, trader):
            board.push(move)
            dead = board.is_insufficient_material()
            board.pop()
            if dead and game.free(move):
                board.push(move)
                return True
        if not game.move(trader):
            return False
    return False


def _resignation(game: Playout) -> bool:
    """The actor resigns on its turn, when well behind or when the game has lasted long enough.

    Its last turn may be two plies before the limit.
    """
    if not game.play_to(game.plan.target):
        return False
    us = chess.WHITE if game.plan.actor == "white" else chess.BLACK
    while game.plies < game.plan.limit:
        behind = material(game.board, not us) - material(game.board, us)
        tired = game.plies > game.plan.target + 30
        if game.acting and (behind >= 450 or (behind > 0 and tired) or game.plies >= game.plan.limit - 2):
            return True
        if not game.move():
            return False
    return False


def _agreement(game: Playout) -> bool:
    """The actor's last move leaves a balanced position, more roughly the longer the game, and goes with an offer."""
    if not game.play_to(game.plan.target):
        return False
    while game.plies < game.plan.limit:
        balance = abs(material(game.board, chess.WHITE) - material(game.board, chess.BLACK))
        tolerance = 100 + 10 * (game.plies - game.plan.target)
        settled = balance <= tolerance and not game.board.is_check()
        if not game.acting and (settled or game.plies >= game.plan.limit - 2):
            return True
        if not game.move():
            return False
    return False


def _on_turn(game: Playout) -> bool:
    """The actor acts on its turn at the target ply or the one after it."""
    return game.play_to(game.plan.target) and (game.acting or game.move())


def _back(move: chess.Move) -> chess.Move:
    return chess.Move(move.to_square, move.from_square)


def _quiet(game: Playout, count: int) -> list[chess.Move]:
    """Up to `count` of the best moves that can be taken back: no pawn, no capture, no castling."""
    board = game.board
    found = [
        move
        for move in ranked(board, game.dice, Style(noise=20))
        if not board.is_zeroing(move) and not board.is_castling(move) and game.lives(move)
    ]
    return found[:count]


def _cycle(game: Playout) -> tuple[chess.Move, ...] | None:
    """Four plies that lead back to the same placement, if the two sides find some."""
    board = game.board
    for mine in _quiet(game, 8):
        board.push(mine)
        theirs = _quiet(game, 8)
        board.pop()
        for answer in theirs:
            cycle = (mine, answer, _back(mine), _back(answer))
            made = 0
            for move in cycle:
                if not board.is_legal(move) or board.is_zeroing(move):
                    break
                board.push(move)
                made += 1
                if not any_legal(board):
                    break
            complete = made == len(cycle) and any_legal(board)
            for _ in range(made):
                board.pop()
            if complete:
                return cycle
    return None


def _shuffle(game: Playout, times: int) -> bool:
    """Play to and fro until the position has appeared `times` times with the actor on move."""
    if not game.play_to(game.plan.target) or not (game.acting or game.move()):
        return False
    cycle = _cycle(game)
    if cycle is None:
        return False
    turn = 0
    while game.plies < game.plan.limit:
        game.board.push(cycle[turn % 4])
        turn += 1
        if game.board.is_repetition(times):
            return game.acting or times == 5
    return False


def _wander(game: Playout, plies: int) -> bool:
    """Move pieces about, no capture and no pawn move, until `plies` plies of that kind have passed (9.3, 9.6.2)."""
    quiet = Style(noise=160, greed=0)
    while game.plies < game.plan.limit:
        moves = (move for move in ranked(game.board, game.dice, quiet) if not game.board.is_zeroing(move))
        move = next((move for move in moves if game.lives(move)), None)
        if move is None:
            return False
        game.push(move)
        if game.board.halfmove_clock >= plies:
            return True
    return False


GOALS: dict[EndingKind, Callable[[Playout], bool]] = {
    "checkmate": _checkmate,
    "stalemate": _stalemate,
    "resignation": _resignation,
    "agreement": _agreement,
    "flag": _on_turn,
    "stopped": _on_turn,
    "repetition": lambda game: _shuffle(game, 3),
    "fivefold-repetition": lambda game: _shuffle(game, 5),
    "dead-position": _dead_position,
    "fifty-moves": lambda game: _wander(game, 100),
    "seventy-five-moves": lambda game: _wander(game, 150),
}


def playout(plan: Plan, dice: Dice) -> Playout | None:
    """Play towards `plan`; None if that did not work out with these dice."""
    game = Playout(plan, dice)
    return game if GOALS[plan.kind](game) else None
