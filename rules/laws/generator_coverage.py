"""Coverage: which features of the game a script shows, and a small set of scripts that shows them all.

`covering` keeps a game only if it adds something. First one game per wanted ending, each pulled towards all other
features still missing; then games from openings that contain what is seldom seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from gettext import gettext as _

import chess

from rules.laws.generator_games import ENDING_KINDS, script
from rules.laws.generator_openings import THEMES
from rules.laws.generator_script import Dice, GameScript, board_at, side_of
from rules.laws.sides import SIDES

MOVE_FEATURES: tuple[str, ...] = (
    *(f"{side}-castles-{length}" for side in SIDES for length in ("short", "long")),
    *(f"{side}-en-passant" for side in SIDES),
    *(f"promotion-{piece}" for piece in ("queen", "rook", "bishop", "knight")),
    "underpromotion",
    "capture-promotion",
    "capture",
    "check",
    "double-check",
)
BEHAVIOURS: tuple[str, ...] = ("dispute", "early-offer", "call")
ENDING_FEATURES: tuple[str, ...] = tuple(f"ending:{kind}" for kind in ENDING_KINDS)
ALL_FEATURES: frozenset[str] = frozenset((*MOVE_FEATURES, *BEHAVIOURS, *ENDING_FEATURES))
#: Games tried for each missing feature once every ending is there.
_TRIES = 60
#: Length of a game that is played for the sake of its moves.
_PLIES = 160


def _move_features(board: chess.Board, move: chess.Move) -> Iterable[str]:
    """The features of one move; `board` is where it is made and is left as it was."""
    side = side_of(board.turn)
    capture = board.is_capture(move)
    if capture:
        yield "capture"
    if board.is_castling(move):
        yield f"{side}-castles-{'short' if board.is_kingside_castling(move) else 'long'}"
    if board.is_en_passant(move):
        yield f"{side}-en-passant"
    if move.promotion:
        yield f"promotion-{chess.piece_name(move.promotion)}"
        if move.promotion != chess.QUEEN:
            yield "underpromotion"
        if capture:
            yield "capture-promotion"
    board.push(move)
    checkers = board.checkers_mask().bit_count()
    board.pop()
    if checkers:
        yield "check"
    if checkers > 1:
        yield "double-check"


def features(script: GameScript) -> frozenset[str]:
    """Everything of `ALL_FEATURES` that the script contains."""
    found = {f"ending:{script.ending.kind}"}
    board = board_at(script.start_fen)
    for step in script.steps:
        move = chess.Move.from_uci(step.uci)
        found.update(_move_features(board, move))
        board.push(move)
    if script.ending.after.dispute is not None:
        found.add("dispute")
    if script.early_offer:
        found.add("early-offer")
    if script.calls:
        found.add("call")
    return frozenset(found)


def covering(
    seed: int,
    count_limit: int,
    wanted: frozenset[str] = ALL_FEATURES,
    *,
    budget_ms: int = 300_000,
    increment_ms: int = 2_000,
) -> tuple[GameScript, ...]:
    """At most `count_limit` games that together show all `wanted` features; deterministic.

    Fewer features are shown only if the limit is too small (every wanted ending needs a game of its own) or, for a seed
    out of luck, if a move feature did not come up in all the games tried; `features` tells.

    Raises ValueError for a feature that is not in `ALL_FEATURES`.
    """
    unknown = sorted(wanted - ALL_FEATURES)
    if unknown:
        raise ValueError(_("There is no feature “{names}” to look for.").format(names=", ".join(unknown)))
    kept: list[GameScript] = []
    missing = set(wanted)
    tried = 0

    def attempt(goal: str | None, line: str = "") -> None:
        nonlocal tried
        tried += 1
        seeks = frozenset(name for name in MOVE_FEATURES if name in missing)
        behave = frozenset(name for name in BEHAVIOURS if name in missing)
        game = script(
            seed, 0, tried, 0, 0, budget_ms, increment_ms, goal, _PLIES, seeks=seeks, line=line, behave=behave
        )
        shown = features(game) & missing
        if shown and len(kept) < count_limit:
            kept.append(game)
            missing.difference_update(shown)

    for kind in ENDING_KINDS:
        if f"ending:{kind}" in missing:
            attempt(kind)
    dice = Dice(f"covering:{seed}")
    for name in (*MOVE_FEATURES, *BEHAVIOURS):
        for turn in range(_TRIES):
            if name not in missing or len(kept) >= count_limit:
                break
            lines = THEMES.get(name, ())
            attempt(dice.pick(("resignation", "agreement")), lines[turn % len(lines)] if lines else "")
    return tuple(kept)


__all__ = ["ALL_FEATURES", "BEHAVIOURS", "ENDING_FEATURES", "MOVE_FEATURES", "covering", "features"]
