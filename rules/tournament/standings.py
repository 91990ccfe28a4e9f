"""Standings after a round, with the sentence that decided every place (C.07 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby

from rules.pairing.state import History
from rules.tiebreaks.crosstable import Crosstable, Value, in_points
from rules.tiebreaks.registry import compute
from rules.tournament.state import TournamentState


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place. `rank` is shared where nothing separates.

    `values` maps each tie-break code to its printed value ("" = undefined). `decided_by` is the code that separated the
    player from the one listed just above him, or below him at the top of a tie: "PTS" by points alone, "" when not at
    all. `withdrawn` players keep their place; `excluded` ones (round robin, under half of the games played) come last.
    """

    rank: int
    tpn: int
    half_points: int
    values: Mapping[str, str]
    decided_by: str
    reason: str
    withdrawn: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class _Split:
    """A place between two neighbours in the list: the code that separates them ("" = none) and both values."""

    code: str = ""
    above: Value | None = None
    below: Value | None = None


def standings(state: TournamentState, after_round: int | None = None) -> tuple[Standing, ...]:
    """The standings after a round, best first; None: after the latest round with all its results.

    Raises `ValueError` when the event has no regulations or the round is not public.
    """
    if state.regulations is None:
        raise ValueError("the event has no regulations")
    rounds = state.complete_rounds if after_round is None else after_round
    if not 0 <= rounds <= len(state.rounds):
        raise ValueError(f"round {rounds} is not public")
    players = state.histories(rounds)
    excluded = _excluded(state)
    counted = tuple(_without(p, excluded) for p in players if p.tpn not in excluded)
    table = Crosstable(counted, state.regulations.rounds, state.is_round_robin)
    codes = [code for code in state.regulations.tie_breaks if code.upper() != "PTS"]
    order, splits, values = _ranked(table, codes)
    result: list[Standing] = []
    for index, tpn in enumerate(order):
        tied = index > 0 and not splits[index - 1].code
        rank = result[-1].rank if tied else index + 1
        decided_by, reason = _decision(table, order, splits, index)
        result.append(
            Standing(rank, tpn, table.by_tpn[tpn].half_points, values[tpn], decided_by, reason, tpn in state.withdrawn)
        )
    why = _("Withdrew with fewer than half of the games played: the results do not count.")
    result += [Standing(len(order) + 1, tpn, 0, {}, "", why, True, True) for tpn in sorted(excluded)]
    return tuple(result)


def _excluded(state: TournamentState) -> frozenset[int]:
    """Round robin: who withdrew with fewer than half of the scheduled games played (C.05)."""
    if not state.is_round_robin or not state.withdrawn:
        return frozenset()
    players = state.histories(state.complete_rounds)
    scheduled = len(players) - 1
    return frozenset(
        p.tpn for p in players if p.tpn in state.withdrawn and 2 * sum(r.played for r in p.rounds) < scheduled
    )


def _without(player: History, excluded: frozenset[int]) -> History:
    """The player's rounds without the games against excluded players."""
    return History(player.tpn, tuple(r for r in player.rounds if r.opponent not in excluded))


def _ranked(table: Crosstable, codes: Sequence[str]) -> tuple[list[int], list[_Split], Mapping[int, Mapping[str, str]]]:
    """Players in order, what separates each from the next, and everybody's printed values.

    Every code is applied inside each group that is still tied (4.2). The values of the list are those among all who
    have the same points; DE, which depends on the group, is shown for the tie it was used in.
    """
    values: dict[int, dict[str, str]] = {p.tpn: {} for p in table.players}
    order: list[int] = []
    splits: list[_Split] = []
    by_points = sorted(table.players, key=lambda p: (-p.half_points, p.tpn))
    for _points, same in groupby(by_points, key=lambda p: p.half_points):
        group = [p.tpn for p in same]
        for code in codes:
            for tpn, value in compute(code, table, group).items():
                values[tpn][code] = value.text
        if order:
            splits.append(_Split("PTS"))
        for tpn, split in _sorted_group(table, group, codes, values):
            order.append(tpn)
            splits.append(split)
        splits.pop()
    return order, splits, values


def _sorted_group(
    table: Crosstable, group: Sequence[int], codes: Sequence[str], values: dict[int, dict[str, str]]
) -> Iterator[tuple[int, _Split]]:
    """The tied players in order, each with what separates him from the next one of the group."""
    if len(group) == 1 or not codes:
        for tpn in sorted(group):
            yield tpn, _Split()
        return
    code, *rest = codes
    computed = compute(code, table, group)
    for tpn, value in computed.items():
        values[tpn][code] = value.text
    ordered = sorted(group, key=lambda tpn: (-computed[tpn].key, tpn))
    classes = [list(tied) for _key, tied in groupby(ordered, key=lambda tpn: computed[tpn].key)]
    for index, tied in enumerate(classes):
        inner = list(_sorted_group(table, tied, rest, values))
        yield from inner[:-1]
        last = inner[-1][0]
        if index + 1 < len(classes):
            yield last, _Split(code, computed[last], computed[classes[index + 1][0]])
        else:
            yield last, _Split()


def _decision(table: Crosstable, order: Sequence[int], splits: Sequence[_Split], index: int) -> tuple[str, str]:
    """The code and the sentence that decided a player's place."""
    tpn = order[index]
    points = table.by_tpn[tpn].half_points
    above = order[index - 1] if index > 0 else None
    below = order[index + 1] if index + 1 < len(order) else None
    if above is not None and table.by_tpn[above].half_points == points:
        split = splits[index - 1]
        if not split.code:
            return "", _("Shares the place with {other}: no tie-break separates them.").format(other=above)
        return split.code, _sentence(_("After {other} by {code}: {mine} against {theirs}. {why}"), above, split, False)
    if below is not None and table.by_tpn[below].half_points == points:
        split = splits[index]
        if not split.code:
            return "", _("Shares the place with {other}: no tie-break separates them.").format(other=below)
        return split.code, _sentence(_("Before {other} by {code}: {mine} against {theirs}. {why}"), below, split, True)
    return "PTS", _("{points} points, alone.").format(points=in_points(points))


def _sentence(text: str, other: int, split: _Split, is_above: bool) -> str:
    mine, theirs = (split.above, split.below) if is_above else (split.below, split.above)
    undefined = Value(None, Fraction(0), "", "")
    mine, theirs = mine or undefined, theirs or undefined
    return text.format(other=other, code=split.code, mine=mine.text or "-", theirs=theirs.text or "-", why=mine.reason)
