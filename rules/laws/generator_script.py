"""Scripts for simulated players: which moves they make, how long they think, how their game ends.

A script says what the two people at a table do, never what the table makes of it: the Laws are applied by
`rules.laws.game`. All times are chess milliseconds. Everything here is integer arithmetic on the one random source that
Python guarantees for ever (`Random.random` of a text seed), so a script is the same on every Python version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

import chess

from rules.laws.events import Score, Side
from rules.laws.sides import SIDES, other

T = TypeVar("T")

EndingKind = Literal[
    "checkmate", "stalemate", "resignation", "agreement", "flag", "repetition", "fifty-moves", "fivefold-repetition",
    "seventy-five-moves", "dead-position", "stopped",
]  # fmt: skip
#: `stopped` games have no result yet.
Outcome = Literal["1-0", "0-1", "1/2-1/2", "*"]
#: How an early draw offer is turned down: in words, or by simply making the next move (Laws 9.1.2.1).
Refusal = Literal["refuse", "play-on"]

WIN: dict[Side, Literal["1-0", "0-1"]] = {"white": "1-0", "black": "0-1"}
#: Kinds in which the acting side loses, and kinds in which it wins; all others are draws or undecided.
LOST_BY_ACTOR: frozenset[EndingKind] = frozenset({"resignation", "flag"})
WON_BY_ACTOR: frozenset[EndingKind] = frozenset({"checkmate"})


@dataclass(frozen=True, slots=True)
class Step:
    """One move in UCI and the thinking time in chess ms before it is made; the caller adds the time of the hand."""

    uci: str
    think_ms: int


@dataclass(frozen=True, slots=True)
class After:
    """What the two do when the result is proposed: who confirms first, and each side's delay in chess ms.

    `dispute` first presses the wrong answer, claiming the score `says`; then the arbiter has to rule.
    """

    first: Side
    white_ms: int
    black_ms: int
    dispute: Side | None = None
    says: Score | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the game ends after the last step.

    `side` is who acts: the side that resigns, whose flag falls (it never moves again), that claims (repetition,
    fifty-moves: on the position, having the move), that offers the draw together with its last move, that calls the
    arbiter (stopped); in the endings that come by themselves it is the side that made the last move. In generated games
    a side resigns on its own turn; in a game from PGN it may also be the opponent's turn.

    `think_ms` passes between the last press and the act; for agreement, until the other side accepts. It is 0 where
    nobody acts.
    """

    kind: EndingKind
    side: Side
    result: Outcome
    think_ms: int
    after: After


@dataclass(frozen=True, slots=True)
class GameScript:
    """A whole game for two simulated players.

    `early_offer` holds (ply, refusal): the mover of that ply (counted from 1) offers a draw with it and is turned down.
    `calls` holds (ply, side): after that ply is completed, `side`, then on move, calls the arbiter once, then plays on.
    """

    steps: tuple[Step, ...]
    ending: Ending
    start_fen: str = ""
    early_offer: tuple[tuple[int, Refusal], ...] = ()
    calls: tuple[tuple[int, Side], ...] = ()


class Dice:
    """A seeded random source that uses nothing but `Random.random`, whose sequence Python promises to keep."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def below(self, bound: int) -> int:
        """An integer from 0 to `bound` - 1."""
        return int(self._random() * bound)

    def between(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def percent(self, chance: int) -> bool:
        """True in `chance` of 100 cases."""
        return self.below(100) < chance

    def pick(self, choices: Sequence[T]) -> T:
        """One of `choices`."""
        return choices[self.below(len(choices))]

    def weighted(self, choices: Sequence[tuple[T, int]]) -> T:
        """One of the (choice, weight) pairs' choices."""
        left = self.below(sum(weight for _, weight in choices))
        for choice, weight in choices:
            left -= weight
            if left < 0:
                return choice
        raise AssertionError("the weights are not positive")


def side_of(color: chess.Color) -> Side:
    """The side that python-chess calls `color`."""
    return "white" if color == chess.WHITE else "black"


def board_at(start_fen: str) -> chess.Board:
    """A board at `start_fen`, or at the usual start position if that is empty."""
    return chess.Board(start_fen) if start_fen else chess.Board()


def outcome(kind: EndingKind, side: Side) -> Outcome:
    """The result when `side` is the acting side of an ending of this kind."""
    if kind == "stopped":
        return "*"
    if kind in LOST_BY_ACTOR:
        return WIN[other(side)]
    return WIN[side] if kind in WON_BY_ACTOR else "1/2-1/2"


# --- thinking times ---------------------------------------------------------------------------------------------------

#: Ceiling of the mean thinking time per move, whatever the budget, so that games take moderate time.
MEAN_THINK_MS = 4_000
#: Thinking takes this share of the starting budget in percent, or less; nobody comes below 60 % of it.
SHARE = (20, 32)
#: What a side about to lose on time keeps in hand at each press, in percent of its budget.
FLAG_RESERVE = 5
#: Ending kinds before which the acting side thinks once more.
_THOUGHTFUL: frozenset[EndingKind] = frozenset({"resignation", "agreement", "repetition", "fifty-moves", "stopped"})


def weights(start_fen: str, moves: Sequence[str], book: int, dice: Dice) -> list[int]:
    """How long each move takes relative to the others: book moves and recaptures fast, sharp moments long."""
    board = board_at(start_fen)
    found = []
    captured_on: int | None = None
    for ply, uci in enumerate(moves):
        move = chess.Move.from_uci(uci)
        capture = board.is_capture(move)
        if ply < book:
            weight = dice.between(15, 45)
        elif capture and move.to_square == captured_on:
            weight = dice.between(20, 60)
        elif board.is_check():
            weight = dice.between(30, 110)
        else:
            weight = dice.between(40, 160)
            if capture or move.promotion:
                weight = weight * 3 // 2
            if dice.percent(12):  # the critical moment
                weight *= dice.between(3, 5)
        found.append(weight)
        captured_on = move.to_square if capture else None
        board.push(move)
    return found


def _shares(total: int, parts: Sequence[int]) -> list[int]:
    """`total` split in proportion to `parts`, rounded down."""
    whole = sum(parts)
    return [total * part // whole for part in parts] if whole else [0 for _ in parts]


def _calm(parts: Sequence[int], budget_ms: int, dice: Dice) -> list[int]:
    """Thinking times of a side that is never short of time."""
    return _shares(min(MEAN_THINK_MS * len(parts), budget_ms * dice.between(*SHARE) // 100), parts)


def _burning(parts: Sequence[int], budget_ms: int, increment_ms: int, dice: Dice) -> list[int]:
    """Thinking times of a side that burns its budget in a few long thinks and has 5 to 10 % left after its last press.

    With an increment above that remainder, it is left with the increment and the reserve.
    """
    count = len(parts)
    long = sorted(range(count), key=lambda index: (-parts[index], index))[: min(count, dice.between(3, 4))]
    heavy = [part + (1_500 if index in long else 0) for index, part in enumerate(parts)]
    hand = min(300, budget_ms // 500)  # the caller's hand time also runs on the clock
    reserve = budget_ms * FLAG_RESERVE // 100
    left_at_end = max(budget_ms * dice.between(6, 9) // 100, reserve + increment_ms)
    raw = _shares(budget_ms + count * (increment_ms - hand) - left_at_end, heavy)
    left, owed, found = budget_ms, 0, []
    for part in raw:
        think = max(0, min(part + owed, left - reserve - hand))
        owed += part - think
        left += increment_ms - think - hand
        found.append(think)
    return found


def pace(
    parts: Sequence[int], first: Side, kind: EndingKind, side: Side, budget_ms: int, increment_ms: int, dice: Dice
) -> tuple[list[int], int]:
    """The thinking time of every ply and that before the ending, in chess ms, from the relative `weights`."""
    thinks = [0] * len(parts)
    ending = 0
    thinker = other(side) if kind == "agreement" else side
    for player in SIDES:
        plies = [ply for ply in range(len(parts)) if (ply % 2 == 0) == (player == first)]
        own = [parts[ply] for ply in plies]
        if kind == "flag" and player == side:
            times = _burning(own, budget_ms, increment_ms, dice)
        elif kind in _THOUGHTFUL and player == thinker:
            *times, ending = _calm([*own, dice.between(80, 400)], budget_ms, dice)
        else:
            times = _calm(own, budget_ms, dice)
        for ply, think in zip(plies, times, strict=True):
            thinks[ply] = think
    return thinks, ending


# --- behaviour around the game ----------------------------------------------------------------------------------------

DISPUTE_PERCENT = 3
CALL_PERCENT = 4
#: Chance of a refused offer earlier in the game: in games agreed drawn, and in all others.
EARLY_OFFER_PERCENT = {True: 35, False: 8}


def afterwards(result: Outcome, dice: Dice, dispute: bool) -> After:
    """Who confirms first and after how long; with `dispute`, who first presses the wrong answer."""
    first = dice.pick(SIDES)
    quick, slow = dice.between(400, 3_000), dice.between(1_200, 7_000)
    slow = max(slow, quick + 100)
    white, black = (quick, slow) if first == "white" else (slow, quick)
    if not dispute or result == "*":
        return After(first, white, black)
    scores: tuple[Score, ...] = ("1-0", "0-1", "1/2-1/2")
    says: tuple[Score | Literal[""], ...] = (*(score for score in scores if score != result), "")
    return After(first, white, black, dispute=dice.pick(SIDES), says=dice.pick(says))


def early_offers(plies: int, dice: Dice, wanted: bool) -> tuple[tuple[int, Refusal], ...]:
    """One refused offer (rarely two), never with the last three plies of the game, when another act may follow."""
    if not wanted or plies < 12:
        return ()
    count = 2 if plies > 40 and dice.percent(20) else 1
    chosen = sorted({dice.between(8, plies - 3) for _ in range(count)})
    return tuple((ply, dice.pick(("refuse", "play-on"))) for ply in chosen)


def arbiter_calls(
    plies: int, first: Side, offers: tuple[tuple[int, Refusal], ...], dice: Dice, wanted: bool
) -> tuple[tuple[int, Side], ...]:
    """One call of the arbiter by the side on move, before the last plies and not in answer to an offer."""
    free = [ply for ply in range(4, plies - 2) if ply not in [offered for offered, _ in offers]]
    if not wanted or not free:
        return ()
    ply = dice.pick(free)
    return ((ply, first if ply % 2 == 0 else other(first)),)
