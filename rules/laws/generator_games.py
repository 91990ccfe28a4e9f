"""One game after the other: what the games of an event are dealt, played and turned into scripts.

Goals are dealt by a wheel of eight slots: six hold the kinds that every hall must show, two are free. A board stands at
slot `board_index + 3 * round`, so that any 16 consecutive games (round after round, board after board) meet all eight
slots, however many boards there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from gettext import gettext as _
from typing import get_args

import chess

from rules.laws.events import Side
from rules.laws.generator_openings import OPENINGS, SHORT_ENDINGS
from rules.laws.generator_playout import Plan, Style, playout
from rules.laws.generator_script import (
    CALL_PERCENT,
    DISPUTE_PERCENT,
    EARLY_OFFER_PERCENT,
    LOST_BY_ACTOR,
    WIN,
    After,
    Dice,
    Ending,
    EndingKind,
    GameScript,
    Outcome,
    Step,
    afterwards,
    arbiter_calls,
    board_at,
    early_offers,
    outcome,
    pace,
    side_of,
    weights,
)
from rules.laws.sides import other

ENDING_KINDS: tuple[EndingKind, ...] = get_args(EndingKind)
#: The kinds that any 16 consecutive games of an event contain.
DEALT: tuple[EndingKind, ...] = ("checkmate", "stalemate", "resignation", "agreement", "flag", "repetition")
WHEEL = 8
_WHEEL_STEP = 3
#: What the free slots of the wheel hold, and how often.
FREE_SLOTS: tuple[tuple[EndingKind, int], ...] = (
    ("resignation", 9),
    ("checkmate", 6),
    ("agreement", 7),
    ("dead-position", 2),
    ("fivefold-repetition", 1),
)
#: Least `max_plies` of a goal, and between which plies it is aimed at.
LEAST_PLIES: Mapping[EndingKind, int] = {
    **dict.fromkeys(ENDING_KINDS, 24),
    "fivefold-repetition": 36,
    "dead-position": 120,
    "fifty-moves": 110,
    "seventy-five-moves": 160,
}
TARGET: Mapping[EndingKind, tuple[int, int]] = {
    "checkmate": (16, 60),
    "stalemate": (8, 22),
    "resignation": (24, 72),
    "agreement": (20, 74),
    "flag": (12, 29),
    "stopped": (16, 70),
    "repetition": (12, 60),
    "fivefold-repetition": (10, 40),
    "dead-position": (10, 24),
    "fifty-moves": (0, 0),
    "seventy-five-moves": (0, 0),
}
#: Plies a goal may still need after its target; the target is brought forward when `max_plies` asks for it.
_ROOM: Mapping[EndingKind, int] = {
    **dict.fromkeys(ENDING_KINDS, 12),
    "checkmate": 30,
    "fivefold-repetition": 22,
    "stalemate": 100,
    "dead-position": 100,
}
#: Endings with an actor on move; the others come with the last move made.
_ON_TURN: frozenset[EndingKind] = frozenset({"resignation", "flag", "repetition", "fifty-moves", "stopped"})
_ATTEMPTS = 40
_WHIMS = ("promotion-rook", "promotion-bishop", "promotion-knight", "white-en-passant", "black-en-passant")


def deal(seed: int, round: int, board_index: int, max_plies: int = 160) -> EndingKind:
    """The goal of a game of the event `seed` when none is asked for."""
    slots: list[EndingKind | None] = [*DEALT, None, None]
    shuffle = Dice(f"wheel:{seed}")
    for last in range(WHEEL - 1, 0, -1):
        swap = shuffle.below(last + 1)
        slots[last], slots[swap] = slots[swap], slots[last]
    kind = slots[(board_index + _WHEEL_STEP * round) % WHEEL]
    if kind is not None:
        return kind
    free = [(kind, weight) for kind, weight in FREE_SLOTS if LEAST_PLIES[kind] <= max_plies]
    return Dice(f"free:{seed}:{round}:{board_index}").weighted(free)


def white_wins_percent(white_strength: int, black_strength: int) -> int:
    """How often White wins a decisive game; strengths are ratings, 0 is unrated and counts as equal."""
    ahead = white_strength - black_strength if white_strength and black_strength else 0
    return 52 + 44 * ahead // (abs(ahead) + 350)


def _style(strength: int, loses: bool) -> Style:
    """The weaker, the more is left to luck; who is to lose the game overlooks more."""
    noise = min(200, max(30, 240 - (strength or 1500) // 12))
    return Style(noise=noise + 130, care=60) if loses else Style(noise=noise)


def _checked_goal(goal: str, max_plies: int) -> EndingKind:
    if goal not in ENDING_KINDS:
        raise ValueError(
            _("There is no ending “{goal}” to play for; choose one of: {kinds}.").format(
                goal=goal, kinds=", ".join(ENDING_KINDS)
            )
        )
    kind: EndingKind = goal
    if max_plies < LEAST_PLIES[kind]:
        raise ValueError(
            _("A game that ends by {goal} needs room for {least} plies, but only {plies} are permitted.").format(
                goal=goal, least=LEAST_PLIES[kind], plies=max_plies
            )
        )
    return kind


def _plan(
    kind: EndingKind, winner: Side, limit: int, strengths: tuple[int, int], seeks: frozenset[str], line: str, dice: Dice
) -> Plan:
    """A plan for one attempt; without a `line` an opening, without `seeks` now and then a whim."""
    low, high = TARGET[kind]
    high = max(0, min(high, limit - _ROOM[kind]))
    low = min(low, high)
    decisive = kind in LOST_BY_ACTOR or kind == "checkmate"
    styles = (
        _style(strengths[0], decisive and winner == "black"),
        _style(strengths[1], decisive and winner == "white"),
    )
    whim = frozenset({dice.pick(_WHIMS)}) if dice.percent(8) else frozenset[str]()
    opening = dice.weighted([(moves, weight) for weight, moves in OPENINGS])
    actor = other(winner) if kind in LOST_BY_ACTOR else winner
    return Plan(kind, actor, dice.between(low, high), limit, line or opening, styles, seeks or whim)


def _played(
    kind: EndingKind, winner: Side, limit: int, strengths: tuple[int, int], key: str, seeks: frozenset[str], line: str
) -> tuple[list[str], int]:
    """Moves that reach the goal, and how many of them are book."""
    for attempt in range(_ATTEMPTS):
        dice = Dice(f"{key}:{attempt}")
        game = playout(_plan(kind, winner, limit, strengths, seeks, line, dice), dice)
        if game is not None:
            return [move.uci() for move in game.board.move_stack], game.book
    ready = SHORT_ENDINGS.get(f"{kind}:{winner}") or SHORT_ENDINGS.get(f"{kind}:white")
    if ready is None:
        raise RuntimeError(f"no playout of {_ATTEMPTS} with key {key!r} reached {kind}")
    board = chess.Board()
    for san in ready.split():
        board.push_san(san)
    return [move.uci() for move in board.move_stack], 2


def compose(
    moves: Sequence[str],
    kind: EndingKind,
    side: Side,
    result: Outcome,
    times: tuple[Sequence[int], int],
    dice: Dice,
    start_fen: str = "",
    behave: frozenset[str] | None = None,
) -> GameScript:
    """A script from its moves, thinking times and ending; `behave` forces "dispute", "early-offer", "call" or none.

    None leaves them to chance, as in a hall: rare.
    """
    first = side_of(board_at(start_fen).turn)
    wanted = {
        "dispute": dice.percent(DISPUTE_PERCENT),
        "early-offer": dice.percent(EARLY_OFFER_PERCENT[kind == "agreement"]),
        "call": dice.percent(CALL_PERCENT),
    }
    if behave is not None:
        wanted = {name: name in behave for name in wanted}
    thinks, ending_think = times
    after: After = afterwards(result, dice, wanted["dispute"])
    offers = early_offers(len(moves), dice, wanted["early-offer"])
    return GameScript(
        steps=tuple(Step(uci, think) for uci, think in zip(moves, thinks, strict=True)),
        ending=Ending(kind, side, result, ending_think, after),
        start_fen=start_fen,
        early_offer=offers,
        calls=arbiter_calls(len(moves), first, offers, dice, wanted["call"]),
    )


def _acting_side(kind: EndingKind, plies: int) -> Side:
    """Who acts at the end of a game from the usual start position."""
    on_move: Side = "white" if plies % 2 == 0 else "black"
    return on_move if kind in _ON_TURN else other(on_move)


def script(
    seed: int,
    round: int,
    board_index: int,
    white_strength: int,
    black_strength: int,
    budget_ms: int,
    increment_ms: int,
    goal: str | None = None,
    max_plies: int = 160,
    *,
    seeks: frozenset[str] = frozenset(),
    line: str = "",
    behave: frozenset[str] | None = None,
) -> GameScript:
    """The game of board `board_index` in round `round` of the event `seed`.

    Strengths are ratings (0: unrated). `budget_ms` is what each clock shows at the start, `increment_ms` is added at
    each press (0 for delays). Without a flag ending each side keeps at least 60 % of its budget throughout; in a flag
    ending the side has 5 to 10 % left when it stops moving. `goal` is an ending kind; None deals one (`deal`). `seeks`
    pulls the game towards features, `line` (SAN) replaces the opening, `behave` sets the rare behaviour (`compose`).

    Raises ValueError for an unknown goal, a `max_plies` too small for the goal, or a budget that is not positive.
    """
    if budget_ms <= 0 or increment_ms < 0:
        raise ValueError(_("A game needs a positive thinking time and an increment of at least 0 ms."))
    kind = _checked_goal(goal if goal is not None else deal(seed, round, board_index, max_plies), max_plies)
    key = f"game:{seed}:{round}:{board_index}"
    dice = Dice(key)
    winner: Side = "white" if dice.percent(white_wins_percent(white_strength, black_strength)) else "black"
    moves, book = _played(kind, winner, max_plies, (white_strength, black_strength), key, seeks, line)
    side = _acting_side(kind, len(moves))
    times = pace(weights("", moves, book, dice), "white", kind, side, budget_ms, increment_ms, dice)
    return compose(moves, kind, side, outcome(kind, side), times, dice, behave=behave)


# --- games from PGN ---------------------------------------------------------------------------------------------------


def _ended_by_itself(board: chess.Board) -> EndingKind | None:
    """The ending that came with the last move, if any (Laws 5.1.1, 5.2.1, 5.2.2, 9.6)."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_insufficient_material():
        return "dead-position"
    if board.is_fivefold_repetition():
        return "fivefold-repetition"
    return "seventy-five-moves" if board.is_seventyfive_moves() else None


def _replayed(moves: Sequence[str], start_fen: str) -> tuple[chess.Board, EndingKind | None]:
    """The board after the moves, or after as many as the Laws allow, and how the game then ended by itself."""
    board = board_at(start_fen)
    ended = _ended_by_itself(board)
    for ply, uci in enumerate(moves, start=1):
        if ended is not None:
            break
        try:
            move = chess.Move.from_uci(uci)
        except ValueError:
            move = chess.Move.null()
        if not move or not board.is_legal(move):
            raise ValueError(
                _("Ply {ply} of the game, {move}, is not a legal move; correct the game record.").format(
                    ply=ply, move=uci
                )
            )
        board.push(move)
        ended = _ended_by_itself(board)
    return board, ended


def _clock_weights(clocks_ms: Sequence[int | None], increment_ms: int, ordinary: Sequence[int]) -> list[int]:
    """The time each move took by the recorded clocks; where a clock is missing, the ordinary weight."""
    found = []
    for ply, usual in enumerate(ordinary):
        now = clocks_ms[ply] if ply < len(clocks_ms) else None
        before = clocks_ms[ply - 2] if ply >= 2 and ply - 2 < len(clocks_ms) else None
        known = now is not None and before is not None
        found.append(max(100, (before or 0) + increment_ms - (now or 0)) if known else usual * 40)
    return found


def script_from_moves(
    moves: Sequence[str],
    clocks_ms: Sequence[int | None] | None,
    result: str,
    stopped: bool,
    seed: int,
    budget_ms: int,
    increment_ms: int,
    *,
    start_fen: str = "",
) -> GameScript:
    """A script that plays a recorded game move by move.

    `clocks_ms` are the mover's clock after each ply (PGN `%clk`), None where missing. They shape the thinking times:
    long thinks stay long, but the sums are brought down to those of a generated game, so that the game takes moderate
    time and nobody gets short of it. If a move ends the game by the Laws, the rest of the record is left out and that
    is the ending. Otherwise the loser resigns, or the side that moved last offers a draw and the other accepts; with
    `stopped` or the result "*" the side on move calls the arbiter. A lost game need not have the loser on move.

    Raises ValueError for an illegal move (naming the ply), another result, or a budget that is not positive.
    """
    if result not in get_args(Outcome):
        raise ValueError(_("The result “{result}” is none of 1-0, 0-1, 1/2-1/2 and *.").format(result=result))
    if budget_ms <= 0 or increment_ms < 0:
        raise ValueError(_("A game needs a positive thinking time and an increment of at least 0 ms."))
    board, ended = _replayed(moves, start_fen)
    played = [move.uci() for move in board.move_stack]
    on_move = side_of(board.turn)
    kind: EndingKind
    side: Side = other(on_move)
    if ended is not None:
        kind = ended
    elif stopped or result == "*":
        kind, side = "stopped", on_move
    elif result == "1/2-1/2":
        kind = "agreement"
    else:
        kind, side = "resignation", "black" if result == WIN["white"] else "white"
    dice = Dice(f"record:{seed}:{len(played)}")
    parts = weights(start_fen, played, min(10, len(played)), dice)
    if clocks_ms is not None:
        parts = _clock_weights(clocks_ms, increment_ms, parts)
    first = side_of(board_at(start_fen).turn)
    times = pace(parts, first, kind, side, budget_ms, increment_ms, dice)
    return compose(played, kind, side, outcome(kind, side), times, dice, start_fen)
