"""The two sides of a board."""

from __future__ import annotations

from rules.laws.events import Side

SIDES: tuple[Side, Side] = ("white", "black")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "black" if side == "white" else "white"


__all__ = ["SIDES", "Side", "other"]
