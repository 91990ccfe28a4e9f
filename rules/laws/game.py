"""One game at one table: the fold of its events and the decisions that make them. The room's front door.

    state = replay(log)                             # state is derived, never stored
    answer = decide(state, PressClock("white", "e2e4", made_at), t)
    if isinstance(answer, Refusal): …               # a sentence for the player, nothing changed
    else: store(answer); state = replay(answer, state)

`game_state` holds the fold, `game_record` what it makes, `game_positions` the boards of it; `game_intents` is what
somebody may want, `game_decisions` what players and board do, `game_time` what time does, `game_orders` what the hub
and a restart do. `game_claims`, `game_touch`, `game_questions`, `game_irregular` and `game_corrections` are the
quarrels, `game_endings` the ends, `edition` the numbers of all of them, and `game_explain` says what may be done.
Nothing here knows the time of day, a board or a network.
"""

from __future__ import annotations

from rules.laws.ending import position_hash
from rules.laws.game_decisions import Events, Refusal, RefusalCode, decide, due, ends_game, next_due
from rules.laws.game_explain import explain, facts, first_held, permitted
from rules.laws.game_intents import (
    AnswerQuestion,
    AskPlayer,
    CallArbiter,
    ClaimDraw,
    ClaimFinish,
    ClaimFlag,
    ClaimIllegal,
    ClaimTouch,
    Confirm,
    Dispute,
    Intent,
    MakeMove,
    MakeReady,
    OfferDraw,
    PressClock,
    PressIllegal,
    PressOnly,
    ProposeResult,
    Resign,
    ResumePlay,
    SettleMate,
    ShowResult,
    Sit,
    StartByPress,
    TurnKey,
    claim,
)
from rules.laws.game_orders import decide_assignment, decide_order, recover
from rules.laws.game_state import GameState, Phase, PlyRecord, fold, replay

__all__ = [
    "AnswerQuestion",
    "AskPlayer",
    "CallArbiter",
    "ClaimDraw",
    "ClaimFinish",
    "ClaimFlag",
    "ClaimIllegal",
    "ClaimTouch",
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
    "PressIllegal",
    "PressOnly",
    "ProposeResult",
    "Refusal",
    "RefusalCode",
    "Resign",
    "ResumePlay",
    "SettleMate",
    "ShowResult",
    "Sit",
    "StartByPress",
    "TurnKey",
    "claim",
    "decide",
    "decide_assignment",
    "decide_order",
    "due",
    "ends_game",
    "explain",
    "facts",
    "first_held",
    "fold",
    "next_due",
    "permitted",
    "position_hash",
    "recover",
    "replay",
]
