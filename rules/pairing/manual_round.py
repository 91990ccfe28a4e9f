"""A round made by hand: every rule it breaks, by criterion, and what the engine would have done instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from gettext import gettext as _

from rules.pairing.dutch_criteria import meaning, quality
from rules.pairing.dutch_engine import solve
from rules.pairing.dutch_explain import may_not_meet, points
from rules.pairing.dutch_pairing import Pairing
from rules.pairing.dutch_round import RoundFacts
from rules.pairing.state import NoPairing, PairingAnswer, PairingState


@dataclass(frozen=True, slots=True)
class Fault:
    """What speaks against a round made by hand.

    `criterion` is C1 to C21, "forbidden", "colours" (a colour against 5.2), "order" (an earlier candidate is as good)
    or "sheet" (somebody missing, twice, or a stranger); `absolute` ones no arbiter should let pass.
    """

    criterion: str
    players: tuple[int, ...]
    words: str
    absolute: bool


@dataclass(frozen=True, slots=True)
class Review:
    """The faults of a round, and the pairs (White, Black) that only the one or the other has."""

    faults: tuple[Fault, ...]
    only_by_hand: tuple[tuple[int, int], ...]
    only_by_engine: tuple[tuple[int, int], ...]
    engine: PairingAnswer | None


def review(state: PairingState, pairs: Sequence[tuple[int, int]], bye: int | None) -> Review:
    """Judges a round made by hand; `pairs` are (White, Black)."""
    facts = RoundFacts(state)
    faults = _sheet(facts, pairs, bye)
    if faults:
        return Review(tuple(faults), (), (), None)
    faults = _absolute(facts, pairs, bye)
    try:
        pairing = solve(state)
    except NoPairing:
        return Review(tuple(faults), (), (), None)
    if state.edition != "2017":  # the older edition numbers its criteria otherwise
        faults += _quality(pairing, pairs, bye)
    faults += _colours(facts, pairs)
    answer = pairing.answer()
    mine, theirs = set(pairs), set(answer.pairs)
    return Review(tuple(faults), tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)), answer)


def _sheet(facts: RoundFacts, pairs: Sequence[tuple[int, int]], bye: int | None) -> list[Fault]:
    placed = Counter([tpn for pair in pairs for tpn in pair] + ([] if bye is None else [bye]))
    faults: list[Fault] = []
    for tpn, times in sorted(placed.items()):
        if tpn not in facts.number:
            faults.append(Fault("sheet", (tpn,), _("{tpn} is not to be paired in this round.").format(tpn=tpn), True))
        elif times > 1:
            faults.append(Fault("sheet", (tpn,), _("{tpn} is on the sheet twice.").format(tpn=tpn), True))
    faults += [
        Fault("sheet", (tpn,), _("{tpn} is not on the sheet.").format(tpn=tpn), True)
        for tpn in facts.players
        if tpn not in placed
    ]
    return faults


def _absolute(facts: RoundFacts, pairs: Sequence[tuple[int, int]], bye: int | None) -> list[Fault]:
    """C1 to C3, and colours that nobody may have (C.04.1 BR 6 and 7)."""
    faults: list[Fault] = []
    for white, black in pairs:
        a, b = facts.number[white], facts.number[black]
        if not facts.may_meet[a] >> b & 1:
            criterion, why = may_not_meet(facts, a, b)
            faults.append(Fault(criterion, (white, black), why, True))
            continue
        top = facts.topscorers >> a & 1 or facts.topscorers >> b & 1
        for i, tpn, colour in ((a, white, "white"), (b, black, "black")):
            opposite = "black" if colour == "white" else "white"
            if facts.absolute[opposite] >> i & 1 and not top:
                why = _("{tpn} may not have {colour} again (C.04.1, rules 6 and 7)").format(
                    tpn=tpn, colour=_("White") if colour == "white" else _("Black")
                )
                faults.append(Fault("C3", (tpn,), why, True))
    if bye is not None and not facts.may_have_bye >> facts.number[bye] & 1:
        why = _("{tpn} has had the bye, or a win's points without playing (C2)").format(tpn=bye)
        faults.append(Fault("C2", (bye,), why, True))
    return faults


def _quality(pairing: Pairing, pairs: Sequence[tuple[int, int]], bye: int | None) -> list[Fault]:
    """C5, and the first bracket from the top that is not as the engine paired it, with the criterion that decides."""
    facts = pairing.facts
    faults: list[Fault] = []
    if bye is not None and pairing.bye_score is not None and facts.score[facts.number[bye]] > pairing.bye_score:
        why = _("the bye could go to somebody with {points} (C5)").format(points=points(pairing.bye_score))
        faults.append(Fault("C5", (bye,), why, False))
    made = {tuple(sorted((facts.number[a], facts.number[b]))) for a, b in pairs}
    for index, bracket in enumerate(pairing.brackets):
        inside = {*bracket.moved, *bracket.residents}
        ours = {tuple(sorted(p)) for p in bracket.pairs}
        theirs = [p for p in made if p[0] in inside and p[1] in inside]
        if set(theirs) == ours:
            continue
        left = sorted(inside - {i for p in theirs for i in p})
        is_bye = pairing.below(index).bye
        chosen = quality(facts, bracket.moved, bracket.pairs, bracket.floaters, is_bye)
        other = quality(facts, bracket.moved, [(p[0], p[1]) for p in theirs], left, is_bye)
        criterion = other.first_difference(chosen)
        group = points(facts.score[bracket.residents[0]])
        if criterion is not None and chosen.better_than(other):
            why = _("score group {group}: {meaning} could be better ({criterion})").format(
                group=group, meaning=meaning(criterion), criterion=criterion
            )
        elif sorted(left) != sorted(bracket.floaters):
            criterion = "C8"
            why = _("score group {group}: other downfloaters serve the rest better (C4, C8)").format(group=group)
        else:
            criterion = "order"
            why = _("score group {group}: an earlier candidate is as good (3.6, 3.7)").format(group=group)
        players = tuple(sorted({facts.players[i] for p in set(theirs) ^ ours for i in p}))
        return [*faults, Fault(criterion, players, why, False)]
    return faults


def _colours(facts: RoundFacts, pairs: Sequence[tuple[int, int]]) -> list[Fault]:
    faults: list[Fault] = []
    for white, black in pairs:
        right, _other, rule = facts.colours.allocate(white, black)
        if right != white:
            why = _("{a}-{b} should be {b}-{a}: {rule}").format(a=white, b=black, rule=rule)
            faults.append(Fault("colours", (white, black), why, False))
    return faults
