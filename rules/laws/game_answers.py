"""What a decision answers: events to store, or a refusal that says why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rules.laws.events import GameEvent

Events = tuple[GameEvent, ...]

#: Why an intent was refused, for programs; `Refusal.why` is for people.
RefusalCode = Literal[
    "not-now", "not-started", "over", "wrong-side", "no-move", "illegal", "touched", "already", "differs",
    "no-question", "too-early", "too-late", "unknown",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """An intent that changes nothing: a sentence for the player, and a code."""

    why: str
    code: RefusalCode = "not-now"
