"""What all brackets of a round share: the order, who may meet whom, colour preferences, floats, exceptions.

Players are numbered 0, 1, … in the order of C.04.3 1.2 (score for pairing, then TPN), so a set of players is one
integer with a bit for each, and "first in order" is the lowest bit. The PAB is one more number, after the last player.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from rules.pairing.colours import Colours, Strength
from rules.pairing.floats import Float, floats
from rules.pairing.state import PairingState

#: Kinds of colour preference. "Hard" is an absolute one of a player who is no topscorer: two equal ones may not meet.
NO_PREFERENCE, WHITE_MILD, WHITE_STRONG, WHITE_HARD, BLACK_MILD, BLACK_STRONG, BLACK_HARD = range(7)


def members(players: int) -> Iterator[int]:
    """The numbers in a set, ascending."""
    while players:
        low = players & -players
        yield low.bit_length() - 1
        players ^= low


def as_set(numbers: Iterable[int]) -> int:
    """The set of these numbers."""
    result = 0
    for number in numbers:
        result |= 1 << number
    return result


class RoundFacts:
    """The round as the brackets see it. `bye` is the number of the PAB, None when the number of players is even."""

    def __init__(self, state: PairingState) -> None:
        self.state = state
        self.colours = Colours(state)
        present = state.present
        self.players = tuple(p.tpn for p in present)
        self.number = {tpn: i for i, tpn in enumerate(self.players)}
        self.count = len(self.players)
        self.everybody = (1 << self.count) - 1
        self.score = tuple(state.scores[tpn] for tpn in self.players)
        self.unplayed = tuple(p.unplayed_games for p in present)
        self.preferences = tuple(self.colours.preferences[tpn] for tpn in self.players)
        self.topscorers = as_set(i for i, tpn in enumerate(self.players) if state.is_topscorer(tpn))
        self.absolute = {
            colour: as_set(
                i for i, p in enumerate(self.preferences) if p.strength is Strength.ABSOLUTE and p.colour == colour
            )
            for colour in ("white", "black")
        }
        self.may_have_bye = as_set(i for i, tpn in enumerate(self.players) if not state.may_not_have_bye(tpn))
        self.kind = tuple(self._kind(i) for i in range(self.count))
        self.of_kind = [as_set(i for i in range(self.count) if self.kind[i] == kind) for kind in range(7)]
        self.may_meet = [self._opponents(i) for i in range(self.count)]
        self.bye = self.count if self.count % 2 else None
        self._floats()

    def _kind(self, i: int) -> int:
        preference = self.preferences[i]
        if preference.colour is None:
            return NO_PREFERENCE
        step = min(int(preference.strength), Strength.ABSOLUTE) - 1
        if step == 2 and self.topscorers >> i & 1:
            step = 1
        return (WHITE_MILD if preference.colour == "white" else BLACK_MILD) + step

    def _opponents(self, i: int) -> int:
        """Those he may meet under C1, C3 and the regulations."""
        tpn = self.players[i]
        banned = 1 << i
        for other in self.state.by_tpn[tpn].met:
            if other in self.number:
                banned |= 1 << self.number[other]
        for other in self._forbidden.get(tpn, ()):
            if other in self.number:
                banned |= 1 << self.number[other]
        if self.kind[i] in (WHITE_HARD, BLACK_HARD):
            banned |= self.of_kind[self.kind[i]]
        return self.everybody & ~banned

    @cached_property
    def _forbidden(self) -> dict[int, list[int]]:
        table: dict[int, list[int]] = {}
        for a, b in self.state.forbidden:
            table.setdefault(a, []).append(b)
            table.setdefault(b, []).append(a)
        return table

    def _floats(self) -> None:
        history = floats(self.state)
        table = {(kind, ago): 0 for kind in (Float.DOWN, Float.UP) for ago in (1, 2)}
        for i, tpn in enumerate(self.players):
            mine = history[tpn]
            for ago in (1, 2):
                if len(mine) >= ago and mine[-ago] is not Float.NONE:
                    table[mine[-ago], ago] |= 1 << i
        #: rounds ago → those who floated down, up
        self.down = {ago: table[Float.DOWN, ago] for ago in (1, 2)}
        self.up = {ago: table[Float.UP, ago] for ago in (1, 2)}

    def open_bye(self, eligible: int) -> None:
        """From now on exactly these players may "meet" the PAB."""
        assert self.bye is not None
        bit = 1 << self.bye
        self.may_meet = [
            (mask & ~bit) | (bit if eligible >> i & 1 else 0) for i, mask in enumerate(self.may_meet[: self.count])
        ]
        self.may_meet.append(eligible)

    def excess(self, a: int, b: int) -> tuple[int, int]:
        """Players of a topscorer's pair with a difference beyond ±2 (C10), and with a third equal colour (C11)."""
        if not (self.topscorers >> a & 1 or self.topscorers >> b & 1):
            return 0, 0
        white, black, _why = self.colours.allocate(self.players[a], self.players[b])
        beyond = third = 0
        for tpn, colour, step in ((white, "white", 1), (black, "black", -1)):
            beyond += abs(self.colours.preferences[tpn].difference + step) > 2
            third += self.state.by_tpn[tpn].colours[-2:] == (colour, colour)
        return beyond, third

    def rivals(self, i: int) -> int:
        """Those due the same colour as this one as absolutely: only such a topscorer's pair counts for C10 and C11."""
        return next((same for same in self.absolute.values() if same >> i & 1), 0)

    def denied(self, a: int, b: int) -> tuple[int, int]:
        """Is a preference not met in this pair (C12), and a strong or absolute one (C13)?"""
        return DENIED[self.kind[a]][self.kind[b]]


def _denied(a: int, b: int) -> tuple[int, int]:
    if a == NO_PREFERENCE or b == NO_PREFERENCE or (a < BLACK_MILD) != (b < BLACK_MILD):
        return 0, 0
    return 1, int(a not in (WHITE_MILD, BLACK_MILD) and b not in (WHITE_MILD, BLACK_MILD))


#: kind, kind → (C12, C13) of the pair.
DENIED = tuple(tuple(_denied(a, b) for b in range(7)) for a in range(7))
