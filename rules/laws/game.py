"""One game at one table: the fold of its events and the decisions that make them. The room's front door.

    state = replay(log)                             # state is derived, never stored
    answer = decide(state, PressClock("white", "e2e4", made_at), t)
    if isinstance(answer, Refusal): …               # a sentence for the player, nothing changed
    else: store(answer); state = replay(answer, state)

`game_state` holds the state and the fold, `game_intents` what somebody may want, `game_decisions` what players, board
and time do, `game_orders` what the hub and a restart do. Nothing here knows the time of day, a board or a network.
"""

from __future__ import annotations

from rules.laws.ending import position_hash
from rules.laws.game_decisions import Events, Refusal, RefusalCode, decide, due, ends_game, next_due
from rules.laws.game_intents import (
    AnswerQuestion,
    CallArbiter,
    ClaimDraw,
    Confirm,
    Dispute,
    Intent,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressOnly,
    ProposeResult,
    Resign,
    Sit,
)
from rules.laws.game_orders import decide_assignment, decide_order, recover
from rules.laws.game_state import GameState, Phase, PlyRecord, fold, replay

__all__ = [
    "AnswerQuestion",
    "CallArbiter",
    "ClaimDraw",
    "Confirm",
    "Dispute",
    "Events",
    "GameState",
    "Intent",
    "MakeMove",
    "MakeReady",
    "OfferDraw",
    "Phase",
    "PlyRecord",
    "PressClock",
    "PressOnly",
    "ProposeResult",
    "Refusal",
    "RefusalCode",
    "Resign",
    "Sit",
    "decide",
    "decide_assignment",
    "decide_order",
    "due",
    "ends_game",
    "fold",
    "next_due",
    "position_hash",
    "recover",
    "replay",
]
