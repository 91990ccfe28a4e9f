"""The two sides of a board."""

from __future__ import annotations

from gettext import gettext as _

from rules.laws.events import Side

SIDES: tuple[Side, Side] = ("white", "black")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "black" if side == "white" else "white"


def side_words(side: Side) -> str:
    """ "white" or "black" as they stand within a sentence, in the language of the hall."""
    return _("white") if side == "white" else _("black")


__all__ = ["SIDES", "Side", "other", "side_words"]
