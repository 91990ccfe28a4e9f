"""People's hands at a board: every way of making a move that has been seen at one, by chance and by name.

`make` gives the touches of one move in ms from its beginning, and the names of the manners in it. Everything comes from
the dice. A touch sets a square to a FEN letter or empties it (".").
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import chess

Touch = tuple[int, chess.Square, str]


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast somebody plays (ms, from and to): between touches, before the press, and before the answer begins."""

    name: str
    touch: tuple[int, int]
    press: tuple[int, int]
    think: tuple[int, int]
    manners: float  # how much is done that needs no doing


CALM = Pace("calm", (150, 600), (250, 900), (900, 6_000), 1.0)
BRISK = Pace("brisk", (90, 300), (120, 450), (350, 2_500), 0.6)
BLITZ = Pace("blitz", (60, 180), (60, 200), (150, 900), 0.15)
PACES = (CALM, BRISK, BLITZ)


@dataclass(slots=True)
class Fingers:
    """Moves pieces, and keeps what stands where."""

    board: chess.Board
    dice: random.Random
    pace: Pace
    t: int = 0
    touches: list[Touch] = field(default_factory=list)
    manners: list[str] = field(default_factory=list)

    def wait(self, low: int, high: int) -> None:
        """Time passes."""
        self.t += self.dice.randint(low, high)

    def set(self, square: chess.Square, letter: str) -> None:
        """A piece comes or goes after the usual time between two touches."""
        self.wait(*self.pace.touch)
        self.touches.append((self.t, square, letter))

    def lift(self, square: chess.Square) -> None:
        """A piece is taken off."""
        self.set(square, ".")

    def at_once(self, square: chess.Square, letter: str) -> None:
        """Nearly together with the touch before."""
        self.t += self.dice.randint(1, 40)
        self.touches.append((self.t, square, letter))

    def letter(self, square: chess.Square) -> str:
        """What stands there before the move."""
        piece = self.board.piece_at(square)
        return piece.symbol() if piece else "."

    def happens(self, chance: float, name: str) -> bool:
        """Whether a manner of no need is shown now."""
        if self.dice.random() >= chance * self.pace.manners:
            return False
        self.manners.append(name)
        return True


def make(
    board: chess.Board, move: chess.Move, dice: random.Random, pace: Pace, knocks: bool = True
) -> tuple[list[Touch], list[str]]:
    """The touches of `move` on `board`, and the manners that were shown."""
    hand = Fingers(board, dice, pace)
    if hand.happens(0.10, "adjusts"):
        _adjust(hand)
    if hand.happens(0.05, "hesitates"):
        _hesitate(hand, move)
    if hand.happens(0.05, "tries another move"):
        _try_another(hand, move)
    if (
        hand.happens(0.02, "lifts the victim to look at it")
        and board.is_capture(move)
        and not board.is_en_passant(move)
    ):
        hand.lift(move.to_square)
        hand.set(move.to_square, hand.letter(move.to_square))
    if knocks and hand.happens(0.012, "knocks pieces over"):
        _knock(hand)
    if board.is_castling(move):
        _castle(hand, move)
    elif move.promotion:
        _promote(hand, move)
    elif board.is_en_passant(move):
        _en_passant(hand, move)
    elif board.is_capture(move):
        _capture(hand, move)
    else:
        _go(hand, move)
    # Nobody can tell a piece pushed out from below another one, and a second one adjusted, from the capture of that.
    if "capture: on top" not in hand.manners and hand.happens(0.05, "adjusts afterwards"):
        after = board.copy(stack=False)
        after.push(move)
        if not after.is_game_over():
            hand.board = after
            _adjust(hand)
    return hand.touches, hand.manners


# -- what is done besides ----------------------------------------------------------------------------------------------


def _adjust(hand: Fingers) -> None:
    """One piece, or two one after the other, own ones or not."""
    for square in hand.dice.sample(sorted(hand.board.piece_map()), hand.dice.choice((1, 1, 2))):
        hand.lift(square)
        hand.set(square, hand.letter(square))


def _hesitate(hand: Fingers, move: chess.Move) -> None:
    """The piece is lifted, held, and put back."""
    hand.lift(move.from_square)
    hand.wait(300, 2_500)
    hand.set(move.from_square, hand.letter(move.from_square))


def _try_another(hand: Fingers, move: chess.Move) -> None:
    """Another quiet move is made and taken back before the press; one that ends the game cannot be."""
    board = hand.board
    others = []
    for other in board.legal_moves:
        if board.is_capture(other) or board.is_castling(other) or other.promotion or other == move:
            continue
        board.push(other)
        if not board.is_game_over():
            others.append(other)
        board.pop()
    if not others:
        return
    other = hand.dice.choice(others)
    hand.lift(other.from_square)
    hand.set(other.to_square, hand.letter(other.from_square))
    hand.wait(0, 1_500)
    hand.lift(other.to_square)
    hand.set(other.from_square, hand.letter(other.from_square))


def _knock(hand: Fingers) -> None:
    """Three or four pieces fall, and are set up again one by one."""
    squares = sorted(hand.board.piece_map())
    first = hand.dice.choice(squares)
    near = sorted(squares, key=lambda square: (chess.square_distance(square, first), square))
    fallen = near[: hand.dice.choice((3, 4))]
    for square in fallen:
        hand.at_once(square, ".")
    hand.wait(900, 1_500)
    hand.dice.shuffle(fallen)
    for square in fallen:
        hand.set(square, hand.letter(square))
    hand.wait(700, 1_200)


# -- moves -------------------------------------------------------------------------------------------------------------


def _go(hand: Fingers, move: chess.Move) -> None:
    """A quiet move: lifted and put, slid over the squares between, or put down too early and moved on."""
    letter = hand.letter(move.from_square)
    way = [
        square
        for square in chess.SquareSet(chess.between(move.from_square, move.to_square))
        if not hand.board.piece_at(square)
    ]
    way.sort(key=lambda square: chess.square_distance(square, move.from_square))
    manner = hand.dice.random()
    hand.lift(move.from_square)
    if way and manner < 0.25:
        hand.manners.append("slides")
        for square in way:
            hand.set(square, letter)
            hand.lift(square)
    elif way and manner < 0.25 + 0.08 * hand.pace.manners:
        hand.manners.append("puts down and moves on")
        stop = hand.dice.choice(way)
        hand.set(stop, letter)
        hand.wait(0, 1_000)
        hand.lift(stop)
    elif manner < 0.40 and hand.board.piece_type_at(move.from_square) not in (chess.PAWN, chess.KING):
        _overshoot(hand, move, letter)
    hand.set(move.to_square, letter)


def _overshoot(hand: Fingers, move: chess.Move, letter: str) -> None:
    """The piece goes too far and comes back; not where that would end the game."""
    for other in hand.board.generate_legal_moves(from_mask=chess.BB_SQUARES[move.from_square]):
        beyond = chess.between(move.from_square, other.to_square) & chess.BB_SQUARES[move.to_square]
        if not beyond or hand.board.piece_at(other.to_square):
            continue
        hand.board.push(other)
        over = hand.board.is_game_over()
        hand.board.pop()
        if not over and hand.happens(0.3, "goes too far"):
            hand.set(other.to_square, letter)
            hand.wait(0, 600)
            hand.lift(other.to_square)
        return


def _capture(hand: Fingers, move: chess.Move) -> None:
    """Victim first, capturer first, on top of the victim, or dragged against it and left standing for a moment."""
    mover, target = hand.letter(move.from_square), move.to_square
    manners = ["victim first", "capturer first", "victim stands for a moment"]
    if not hand.touches and hand.dice.random() < 0.5:
        manners.append("on top")
    manner = hand.dice.choice(manners)
    hand.manners.append(f"capture: {manner}")
    match manner:
        case "victim first":
            hand.lift(target)
            hand.lift(move.from_square)
            hand.set(target, mover)
        case "on top":
            hand.lift(move.from_square)
            hand.set(target, mover)
        case _:
            hand.lift(move.from_square)
            if manner == "victim stands for a moment":
                hand.wait(300, 1_500)
            hand.lift(target)
            hand.set(target, mover)


def _en_passant(hand: Fingers, move: chess.Move) -> None:
    """The pawn first, or its victim, or both at once."""
    victim = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    mover = hand.letter(move.from_square)
    manner = hand.dice.choice(("victim first", "victim last", "both at once"))
    hand.manners.append(f"en passant: {manner}")
    if manner == "victim first":
        hand.lift(victim)
    hand.lift(move.from_square)
    if manner == "both at once":
        hand.at_once(victim, ".")
    hand.set(move.to_square, mover)
    if manner == "victim last":
        hand.lift(victim)


def _promote(hand: Fingers, move: chess.Move) -> None:
    """The new piece comes at once, or after the pawn has stood there, or before the pawn is gone."""
    assert move.promotion is not None
    pawn, target = hand.letter(move.from_square), move.to_square
    new = chess.Piece(move.promotion, hand.board.turn).symbol()
    captures = hand.board.is_capture(move)
    manner = hand.dice.choice(("piece at once", "pawn exchanged", "piece before the pawn is gone"))
    hand.manners.append(f"promotion: {manner}")
    victim_first = captures and (manner != "pawn exchanged" or hand.dice.random() < 0.5)
    if victim_first:
        hand.lift(target)
    if manner == "piece before the pawn is gone":
        hand.set(target, new)
        hand.lift(move.from_square)
        return
    hand.lift(move.from_square)
    if captures and not victim_first:
        hand.lift(target)
    if manner == "pawn exchanged":
        hand.set(target, pawn)
        hand.wait(0, 800)
        hand.lift(target)
    hand.set(target, new)


def _castle(hand: Fingers, move: chess.Move) -> None:
    """King first, rook first, both hands, or the king slid; squares that are in the way are cleared before."""
    board = hand.board
    after = board.copy(stack=False)
    after.push(move)
    pieces = chess.Piece(chess.KING, board.turn), chess.Piece(chess.ROOK, board.turn)
    own = [
        (origin, target, piece.symbol())
        for piece in pieces
        for origin, target in _gone_and_come(board, after, piece, move)
    ]
    manner = hand.dice.choice(("king first", "rook first", "both hands", "both hands", "king slid"))
    origins, targets = {origin for origin, _t, _l in own}, {target for _o, target, _l in own}
    if manner != "both hands" and (origins & targets or len(own) < 2):
        manner = "both hands"
    hand.manners.append(f"castling: {manner}")
    if manner == "rook first":
        own.reverse()
    if manner == "both hands":
        order = list(own)
        hand.dice.shuffle(order)
        for index, (origin, _target, _letter) in enumerate(order):
            (hand.at_once if index and hand.dice.random() < 0.5 else hand.set)(origin, ".")
        hand.dice.shuffle(order)
        for _origin, target, letter in order:
            hand.set(target, letter)
        return
    for origin, target, letter in own:
        hand.lift(origin)
        if manner == "king slid" and letter in "Kk":
            for square in sorted(
                chess.SquareSet(chess.between(origin, target)), key=lambda s: chess.square_distance(s, origin)
            ):
                if not board.piece_at(square):
                    hand.set(square, letter)
                    hand.lift(square)
        hand.set(target, letter)


def _gone_and_come(
    board: chess.Board, after: chess.Board, piece: chess.Piece, move: chess.Move
) -> list[tuple[chess.Square, chess.Square]]:
    """Where the king, or the rook, of a castling came from and stands; it is lifted even if it stays where it was."""
    king = board.king(board.turn)
    assert king is not None
    right = move.to_square > move.from_square
    if piece.piece_type == chess.KING:
        target = after.king(board.turn)
        assert target is not None
        return [(king, target)]
    rank = chess.square_rank(king)
    if board.chess960:
        origin = move.to_square
        if not board.piece_at(origin) or board.piece_type_at(origin) != chess.ROOK:
            origin = chess.square(7 if right else 0, rank)
    else:
        origin = chess.square(7 if right else 0, rank)
    return [(origin, chess.square(5 if right else 3, rank))]
