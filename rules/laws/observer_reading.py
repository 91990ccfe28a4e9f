"""What the board says against the record: nothing new, a candidate of one or two plies, or nothing that fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import chess

from rules.laws.observer_explain import Line, Ply, after, one_ply, still_stands, the_only, two_plies
from rules.laws.observer_eyes import Eyes
from rules.laws.observer_occupancy import Past, fitting, guessed, since_as_recorded, touched


@dataclass(frozen=True, slots=True)
class Reading:
    """`same` is the record, `plies` the candidate, `choices` captures that fit equally well.

    `in_hand` says that the answer to either is under way.
    """

    same: bool = False
    plies: tuple[Ply, ...] = ()
    choices: tuple[chess.Move, ...] = ()
    in_hand: bool = False

    @property
    def explained(self) -> bool:
        """Whether the board makes sense."""
        return self.same or bool(self.plies) or bool(self.choices)


@dataclass(frozen=True, slots=True)
class Before:
    """What was read before: the candidate that has stood, `standing`, and for at least `settle_ms` if `rested`.

    `choices` are captures that fitted equally well.
    """

    standing: Ply | None = None
    plies: tuple[Ply, ...] = ()
    choices: tuple[chess.Move, ...] = ()
    rested: bool = False

    def stamped(self, ply: Ply) -> Ply:
        """A move seen before keeps the time at which it was first seen, as long as it was not undone since."""
        for known in (self.standing, *self.plies):
            if known is not None and known.move == ply.move:
                return replace(ply, made_at=known.made_at)
        return ply


def read(eyes: Eyes, board: chess.Board, before: Before, at_press: bool = False) -> Reading:
    """Explains what the eyes see. `at_press` also takes two plies of which the sensor saw too little to be sure."""
    for ignore in eyes.ignores():
        reading = _read_without(eyes, board, before, ignore, at_press)
        if reading.explained:
            return reading
    first = before.standing
    if first is not None and board.is_legal(first.move) and still_stands(board, first, eyes.sight, eyes.dead):
        return Reading(plies=(first,), in_hand=True)
    left = (m for m in before.choices if board.is_legal(m) and still_stands(board, Ply(m), eyes.sight, eyes.dead))
    choices = tuple(left)
    return Reading(choices=choices, in_hand=bool(choices))


def _read_without(eyes: Eyes, board: chess.Board, before: Before, ignore: chess.Bitboard, at_press: bool) -> Reading:
    wrong = eyes.sight.wrong(board, ignore)
    if not wrong and eyes.sensor == "identified":
        return Reading(same=True)
    held = before.standing.move if before.standing is not None and before.rested else None
    moves = _fitting(eyes, board, eyes.past, ignore, held)
    ply = the_only(moves, eyes.since)
    if ply is not None:
        first = before.standing
        if first is not None and _other_than(eyes, board, first.move, ply.move):
            return Reading(choices=(first.move, ply.move))
        if elsewhere := _to_doubtful(eyes, board, ply.move):
            return Reading(choices=(ply.move, *elsewhere))
        return Reading(plies=(before.stamped(ply),))
    if moves:
        return Reading(choices=tuple(moves))
    if not wrong:
        return Reading(same=True)
    return _answered(eyes, board, before, ignore) or _both_at_once(eyes, board, before, ignore, at_press)


def _to_doubtful(eyes: Eyes, board: chess.Board, move: chess.Move) -> tuple[chess.Move, ...]:
    """Where the piece of an unseen capture may stand as well, on a board some of whose squares were not read right."""
    if eyes.sensor == "identified" or not eyes.doubtful or not guessed(board, move, eyes.past, eyes.distrusted):
        return ()
    origin = chess.BB_SQUARES[move.from_square]
    empty = (eyes.doubtful | ~eyes.sight.occupied) & ~board.occupied
    return tuple(board.generate_legal_moves(from_mask=origin, to_mask=empty))


def _other_than(eyes: Eyes, board: chess.Board, stood: chess.Move, move: chess.Move) -> bool:
    """Whether `move` is only an unseen capture, while `stood` did stand and its piece may just have been taken."""
    unseen = guessed(board, move, eyes.past, eyes.distrusted)
    took_off = not eyes.sight.occupied & chess.BB_SQUARES[stood.to_square]
    same_piece = stood.from_square == move.from_square and stood.to_square != move.to_square
    return eyes.sensor == "occupancy" and unseen and took_off and same_piece


def _fitting(
    eyes: Eyes, board: chess.Board, past: Sequence[Past], ignore: chess.Bitboard, held: chess.Move | None
) -> list[chess.Move]:
    if eyes.sensor == "identified":
        return list(one_ply(board, eyes.sight, ignore))
    return fitting(board, eyes.sight, past, ignore, held, eyes.blinks, eyes.doubtful)


def _answered(eyes: Eyes, board: chess.Board, before: Before, ignore: chess.Bitboard) -> Reading | None:
    """The candidate that has stood, with the opponent's answer."""
    first = before.standing
    if first is None or not board.is_legal(first.move):
        return None
    there = after(board, first.move)
    if not eyes.sight.wrong(there, ignore):
        return None
    past = [seen for seen in eyes.past if seen.t >= first.made_at]
    reply = the_only(_fitting(eyes, there, past, ignore, None), eyes.since)
    if reply is None or _squares(reply.move) & ignore & ~eyes.dead:
        return None  # with an answer between squares that are not trusted anything can be explained
    suspect = chess.BB_SQUARES[reply.move.from_square] & eyes.suspect & ~eyes.dead
    if suspect and guessed(there, reply.move, past, eyes.distrusted):
        return None  # a piece that has been missed for long has taken nothing now
    if not there.is_castling(reply.move) and not chess.BB_SQUARES[reply.move.from_square] & touched(eyes.past):
        return None  # a piece that is not seen where it stands has not answered
    return Reading(plies=(first, before.stamped(reply)))


def _squares(move: chess.Move) -> chess.Bitboard:
    return chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]


def _both_at_once(eyes: Eyes, board: chess.Board, before: Before, ignore: chess.Bitboard, at_press: bool) -> Reading:
    """Two plies between two looks. Every square that they leave or take must have changed, else pieces that are in a
    hand could be explained by moves that nobody made; with pieces seen, a press makes up for one that did not.
    """
    past = since_as_recorded(eyes.past, board)
    lenient = at_press and eyes.sensor == "identified"
    within = (chess.BB_ALL if lenient else touched(past)) & ~(eyes.suspect & ~eyes.dead)
    found = _by_squares(two_plies(board, eyes.sight, ignore, within))
    if eyes.sensor == "occupancy":
        found = {squares: lines for squares, lines in found.items() if _in_order(board, lines[0], past)}
        first = before.standing
        stands = first is not None and board.is_legal(first.move) and still_stands(board, first, eyes.sight, eyes.dead)
        if not found and not stands:
            found = _by_squares(two_plies(board, eyes.sight, ignore, within, unseen=True))
            found = {squares: lines for squares, lines in found.items() if _unseen_first(board, lines[0], past)}
    if len(found) != 1:
        firsts = tuple(lines[0][0] for lines in found.values())
        # One answer, and it is only open what was taken before: that can be asked for.
        same_answer = len({squares[2:] for squares in found}) == 1 and len({squares[:1] for squares in found}) == 1
        return Reading(choices=firsts) if same_answer else Reading()
    (same_squares,) = found.values()
    plies = [the_only((line[index] for line in same_squares), eyes.since) for index in (0, 1)]
    return Reading(plies=tuple(before.stamped(ply) for ply in plies if ply is not None))


def _by_squares(lines: Iterable[Line]) -> dict[tuple[int, ...], list[Line]]:
    """Lines by the squares of their moves: those of one entry differ in promotion pieces only."""
    found: dict[tuple[int, ...], list[Line]] = {}
    for line in lines:
        squares = tuple(square for move in line for square in (move.from_square, move.to_square))
        found.setdefault(squares, []).append(line)
    return found


def _unseen_first(board: chess.Board, line: Line, past: Sequence[Past]) -> bool:
    """Whether the first move is a capture, and the answer came down after it was lifted."""
    first, reply = line
    if not board.is_capture(first):
        return False
    lifted = reply.promotion is not None  # a new piece may stand there before the pawn is gone
    for seen in past:
        lifted = lifted or not seen.occupied & chess.BB_SQUARES[reply.from_square]
        if lifted and seen.changed & seen.occupied & chess.BB_SQUARES[reply.to_square]:
            return True
    return False


def _in_order(board: chess.Board, line: Line, past: Sequence[Past]) -> bool:
    """Whether a piece that moved to a free square and was taken there was seen to come before its taker was lifted, or
    to be lifted itself.
    """
    first, reply = line
    if reply.to_square != first.to_square or board.is_capture(first):
        return True
    came = False
    for seen in past:
        if came and seen.changed & ~seen.occupied & (
            chess.BB_SQUARES[reply.from_square] | chess.BB_SQUARES[reply.to_square]
        ):
            return True
        came = came or bool(seen.changed & seen.occupied & chess.BB_SQUARES[first.to_square])
    return False
