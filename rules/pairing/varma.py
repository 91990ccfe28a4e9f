"""Numbers of a round robin by lot, also so that players of one federation do not meet in the last three rounds.

The restricted draw goes by groups of numbers that keep apart there (FIDE Handbook C.05, annex). One published row is
not right: with 11 or 12 players 6 and 12 meet in round 11, so 11 and 12 have changed places here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from gettext import gettext as _

#: Size of the table → groups of numbers; those of one group do not meet in the last three rounds.
GROUPS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    10: ((3, 4, 8), (5, 7, 9), (1, 6), (2, 10)),
    12: ((4, 5, 9, 10), (1, 2, 7), (6, 8, 11), (3, 12)),
    14: ((4, 5, 6, 11, 12), (1, 2, 8, 9), (7, 10, 13), (3, 14)),
    16: ((5, 6, 7, 12, 13, 14), (1, 2, 3, 9, 10), (8, 11, 15), (4, 16)),
    18: ((5, 6, 7, 8, 14, 15, 16), (1, 2, 3, 10, 11, 12), (9, 13, 17), (4, 18)),
    20: ((6, 7, 8, 9, 15, 16, 17, 18), (1, 2, 3, 11, 12, 13, 14), (5, 10, 19), (4, 20)),
    22: ((6, 7, 8, 9, 10, 17, 18, 19, 20), (1, 2, 3, 4, 12, 13, 14, 15), (11, 16, 21), (5, 22)),
    24: ((6, 7, 8, 9, 10, 11, 19, 20, 21, 22), (1, 2, 3, 4, 13, 14, 15, 16, 17), (12, 18, 23), (5, 24)),
}


class NoTable(ValueError):
    """There are no groups for so many players; str() says for how many there are."""


def drawn(players: Sequence[int], seed: int) -> Mapping[int, int]:
    """Player → number 1.. by lot; the same seed gives the same draw."""
    numbers = list(range(1, len(players) + 1))
    random.Random(f"numbers {seed}").shuffle(numbers)
    return dict(zip(sorted(players), numbers, strict=True))


def drawn_apart(federations: Mapping[int, str], seed: int) -> Mapping[int, int]:
    """Player → number by lot, compatriots in one group as far as a group is large enough.

    The largest federation draws first, equal ones by their code; each takes a group with enough numbers left, by lot,
    and draws inside it. Who has no federation draws last among all that are left. Raises `NoTable`.
    """
    count = len(federations)
    groups = GROUPS.get(count + count % 2)
    if groups is None:
        least, most = min(GROUPS) - 1, max(GROUPS)
        raise NoTable(
            _("There are groups for {least} to {most} players: draw without them.").format(least=least, most=most)
        )
    rng = random.Random(f"numbers apart {seed}")
    left = [[number for number in group if number <= count] for group in groups]
    members: dict[str, list[int]] = {}
    for tpn, federation in sorted(federations.items()):
        members.setdefault(federation, []).append(tpn)
    alone = members.pop("", [])
    found: dict[int, int] = {}
    for _federation, players in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        waiting = list(players)
        while waiting:
            fits = [group for group in left if len(group) >= len(waiting)]
            group = rng.choice(fits) if fits else max(left, key=len)
            for tpn in waiting[: len(group)]:
                found[tpn] = group.pop(rng.randrange(len(group)))
            waiting = [tpn for tpn in waiting if tpn not in found]
    rest = [number for group in left for number in group]
    for tpn in alone:
        found[tpn] = rest.pop(rng.randrange(len(rest)))
    return found
