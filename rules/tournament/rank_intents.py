"""What an arbiter may say about places; part of `rules.tournament.intents`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OrderTied:
    """Tied players in the order in which they shall stand, with the reason (a play-off, say)."""

    order: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ValueFromOutside:
    """A tie-break value that was worked out elsewhere, as a decimal text; "" takes it back."""

    tpn: int
    value: str
    why: str
