"""The quality criteria C6 to C21 (C.04.3 Article 2) as values of a candidate: smaller is better, in this order.

Nothing here is used to find a pairing; it is how one is explained and checked. C8 looks at the next bracket and is not
a value of the candidate alone, so it is judged where the next bracket is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.pairing.dutch_round import RoundFacts
from rules.pairing.wording import _

#: The criteria in order of priority, without C8.
CRITERIA = ("C6", "C7", "C9", *(f"C{n}" for n in range(10, 22)))

Value = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """Criterion → value of one candidate: one number, or the list of scores or differences from the highest down."""

    values: Mapping[str, Value]

    def first_difference(self, other: Quality) -> str | None:
        """The most important criterion in which the two differ; None when they are equal."""
        return next((c for c in CRITERIA if self.values[c] != other.values[c]), None)

    def better_than(self, other: Quality) -> bool:
        """Does this one win by priority?"""
        criterion = self.first_difference(other)
        return criterion is not None and self.values[criterion] < other.values[criterion]


def quality(
    facts: RoundFacts, moved: Sequence[int], pairs: Sequence[tuple[int, int]], floaters: Sequence[int], bye: bool
) -> Quality:
    """Values of a candidate; `moved` are those who came into the bracket from above, `bye`: the floater gets the PAB.

    An MDP that floats on counts in C18 and C20 as a greater difference than any of his pairs (his score plus one).
    """
    movers = set(moved)
    sums = dict.fromkeys((f"C{n}" for n in range(10, 18)), 0)
    lists: dict[str, list[int]] = {f"C{n}": [] for n in range(18, 22)}
    for pair in pairs:
        low, high = max(pair), min(pair)
        if facts.topscorers:
            beyond, third = facts.excess(high, low)
            sums["C10"] += beyond
            sums["C11"] += third
        denied, strong = facts.denied(high, low)
        sums["C12"] += denied
        sums["C13"] += strong
        if high in movers:
            gap = facts.score[high] - facts.score[low]
            for ago, count, down, up in ((1, "C15", "C18", "C19"), (2, "C17", "C20", "C21")):
                if facts.up[ago] >> low & 1:
                    sums[count] += 1
                    lists[up].append(gap)
                if facts.down[ago] >> high & 1:
                    lists[down].append(gap)
    for i in floaters:
        for ago, count, down in ((1, "C14", "C18"), (2, "C16", "C20")):
            if facts.down[ago] >> i & 1:
                if i in movers:
                    lists[down].append(facts.score[i] + 1)
                else:
                    sums[count] += 1
    values: dict[str, Value] = {
        "C6": (len(floaters),),
        "C7": tuple(sorted((facts.score[i] for i in floaters), reverse=True)),
        "C9": (facts.unplayed[floaters[0]],) if bye and len(floaters) == 1 else (0,),
    }
    values.update({name: (total,) for name, total in sums.items()})
    values.update({name: tuple(sorted(gaps, reverse=True)) for name, gaps in lists.items()})
    return Quality(values)


def meaning(criterion: str) -> str:
    """What a criterion asks for, in words."""
    texts = {
        "C1": _("no two players meet twice"),
        "C2": _("nobody has the bye, or a win's points without playing, a second time"),
        "C3": _("no two players who must have the same colour meet"),
        "C4": _("those left must have a complete pairing"),
        "C5": _("the bye goes to the lowest score possible"),
        "C6": _("fewest downfloaters"),
        "C7": _("downfloaters of the lowest score"),
        "C8": _("the best pairing of the next score group"),
        "C9": _("the bye goes to who has fewest unplayed games"),
        "C10": _("colour differences beyond two, among topscorers and their opponents"),
        "C11": _("third equal colour in a row, among topscorers and their opponents"),
        "C12": _("colour preferences not met"),
        "C13": _("strong colour preferences not met"),
        "C14": _("downfloaters who also moved down in the last round"),
        "C15": _("opponents of those moved down who also met a higher score in the last round"),
        "C16": _("downfloaters who also moved down two rounds ago"),
        "C17": _("opponents of those moved down who also met a higher score two rounds ago"),
        "C18": _("score differences of those moved down again after the last round"),
        "C19": _("score differences of those meeting a higher score again after the last round"),
        "C20": _("score differences of those moved down again after two rounds"),
        "C21": _("score differences of those meeting a higher score again after two rounds"),
    }
    return texts[criterion]
