"""What the board says against the record: nothing new, a candidate of one or two plies, or nothing that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import chess

from rules.laws.observer_explain import Line, Ply, after, one_ply, still_stands, the_only, two_plies
from rules.laws.observer_eyes import Eyes
from rules.laws.observer_occupancy import Past, fitting, guessed, since_as_recorded, touched


@dataclass(frozen=True, slots=True)
class Reading:
    """`same` is the record, `plies` the candidate, `choices` captures that fit equally well.

    `in_hand` says that the candidate's answer is under way.
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
    """What was read before: the candidate that has stood, `standing`, and for at least `settle_ms` if `rested`."""

    standing: Ply | None = None
    plies: tuple[Ply, ...] = ()
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
    return Reading()


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
        return Reading(plies=(before.stamped(ply),))
    if moves:
        return Reading(choices=tuple(moves))
    if not wrong:
        return Reading(same=True)
    return _answered(eyes, board, before, ignore) or _both_at_once(eyes, board, before, ignore, at_press)


def _other_than(eyes: Eyes, board: chess.Board, stood: chess.Move, move: chess.Move) -> bool:
    """Whether `move` is only an unseen capture, while `stood` did stand and its piece may just have been taken."""
    unseen = guessed(board, move, eyes.past)
    took_off = not eyes.sight.occupied & chess.BB_SQUARES[stood.to_square]
    same_piece = stood.from_square == move.from_square and stood.to_square != move.to_square
    return eyes.sensor == "occupancy" and unseen and took_off and same_piece


def _fitting(
    eyes: Eyes, board: chess.Board, past: Sequence[Past], ignore: chess.Bitboard, held: chess.Move | None
) -> list[chess.Move]:
    if eyes.sensor == "identified":
        return list(one_ply(board, eyes.sight, ignore))
    return fitting(board, eyes.sight, past, ignore, held)


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
    return Reading(plies=(first, before.stamped(reply))) if reply is not None else None


def _both_at_once(eyes: Eyes, board: chess.Board, before: Before, ignore: chess.Bitboard, at_press: bool) -> Reading:
    """Two plies between two looks. Every square that they leave or take must have changed, else pieces that are in a
    hand could be explained by moves that nobody made; with pieces seen, a press makes up for one that did not.
    """
    seen = touched(eyes.past if eyes.sensor == "identified" else since_as_recorded(eyes.past, board))
    lenient = at_press and eyes.sensor == "identified"
    found: dict[tuple[int, ...], list[Line]] = {}
    for line in two_plies(board, eyes.sight, ignore, chess.BB_ALL if lenient else seen):
        squares = tuple(square for move in line for square in (move.from_square, move.to_square))
        found.setdefault(squares, []).append(line)
    if len(found) != 1:
        return Reading()
    (same_squares,) = found.values()
    plies = [the_only((line[index] for line in same_squares), eyes.since) for index in (0, 1)]
    return Reading(plies=tuple(before.stamped(ply) for ply in plies if ply is not None))
