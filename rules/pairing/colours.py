"""Colour preferences and the allocation of colours (C.04.3 1.6, 1.7 and Article 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from rules.pairing.state import OPPOSITE, Colour, History, PairingState
from rules.pairing.wording import _


class Strength(IntEnum):
    """How strong a preference is; a greater value is stronger (C.04.3 1.7)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


@dataclass(frozen=True, slots=True)
class Preference:
    """The colour a player is due and how strongly; `difference` is whites minus blacks over played games (1.6)."""

    colour: Colour | None
    strength: Strength
    difference: int


def preference(history: History) -> Preference:
    """The colour preference from the games played over the board (C.04.3 1.7)."""
    colours = history.colours
    difference = sum(1 if c == "white" else -1 for c in colours)
    if not colours:
        return Preference(None, Strength.NONE, 0)
    towards_balance: Colour = "black" if difference > 0 else "white"
    if abs(difference) > 1:
        return Preference(towards_balance, Strength.ABSOLUTE, difference)
    if len(colours) > 1 and colours[-1] == colours[-2]:
        return Preference(OPPOSITE[colours[-1]], Strength.ABSOLUTE, difference)
    if difference:
        return Preference(towards_balance, Strength.STRONG, difference)
    return Preference(OPPOSITE[colours[-1]], Strength.MILD, difference)


@dataclass(frozen=True)
class Colours:
    """The colour side of one round: everybody's preference, and who gets White in a given pair."""

    state: PairingState

    @cached_property
    def preferences(self) -> Mapping[int, Preference]:
        """TPN → preference."""
        return {p.tpn: preference(p) for p in self.state.players}

    @cached_property
    def numbers(self) -> Mapping[int, int]:
        """TPN → number whose parity rule 5.2.5 looks at.

        Only players who have been part of a pairing, or are now, have a number (the reading the endorsed engines
        share); so the bye of number 3 in round 1 moves everybody below him up by one. With `numbering` "file" the
        numbers of the list stay.
        """
        if self.state.numbering == "file":
            return {p.tpn: p.tpn for p in self.state.players}
        taking_part = (p.tpn for p in self.state.players if p.took_part or p.tpn not in self.state.absent)
        return {tpn: number for number, tpn in enumerate(taking_part, 1)}

    def higher_first(self, a: int, b: int) -> tuple[int, int]:
        """The two players by score and then TPN (C.04.3 1.2)."""
        score = self.state.scores
        key_a, key_b = (-score[a], a), (-score[b], b)
        return (a, b) if key_a < key_b else (b, a)

    def allocate(self, a: int, b: int) -> tuple[int, int, str]:
        """White, Black and the rule of C.04.3 5.2 that decided, in words."""
        first, second = self.higher_first(a, b)
        mine, theirs = self.preferences[first], self.preferences[second]

        def give(colour: Colour, why: str) -> tuple[int, int, str]:
            return (first, second, why) if colour == "white" else (second, first, why)

        # 5.2.1: both get what they are due, or only one is due anything
        if mine.colour != theirs.colour:
            wish = mine.colour if mine.colour is not None else OPPOSITE[theirs.colour or "white"]
            return give(wish, _("both colour preferences are met (5.2.1)"))
        if mine.colour is not None:
            # 5.2.2: the stronger preference; two absolute ones: the wider difference
            if mine.strength != theirs.strength:
                stronger = mine.strength > theirs.strength
                wish = mine.colour if stronger else OPPOSITE[mine.colour]
                return give(wish, _("the stronger colour preference (5.2.2)"))
            wider = abs(mine.difference) - abs(theirs.difference)
            if mine.strength is Strength.ABSOLUTE and wider:
                wish = mine.colour if wider > 0 else OPPOSITE[mine.colour]
                return give(wish, _("the wider colour difference (5.2.2)"))
            # 5.2.3: the latest game in which the two had different colours, counted from the end
            ours = zip(
                reversed(self.state.by_tpn[first].colours), reversed(self.state.by_tpn[second].colours), strict=False
            )
            for my_last, their_last in ours:
                if my_last != their_last:
                    return give(OPPOSITE[my_last], _("alternation from the latest different colours (5.2.3)"))
            return give(mine.colour, _("the preference of the higher-ranked player (5.2.4)"))
        odd = self.numbers[first] % 2 == 1
        initial = self.state.initial_colour
        return give(initial if odd else OPPOSITE[initial], _("the initial colour by odd or even number (5.2.5)"))
