"""The Dutch system (C.04.3, edition of 1 February 2026): a provisional implementation.

What always holds: the absolute criteria C1 to C3, completion (C4), the lowest possible score for the PAB (C5),
colours by Article 5.2 and the board order of C.04.2 3.6. Brackets are paired from the top by weighted matching with
C6 to C21 and the generation order of Articles 3 and 4 as this module reads them. On the reference rounds at hand it
agrees with the engines that state this edition, but it has not been endorsed, and no proof is known that matchings
always choose what the literal procedure does: among legal pairings it may differ from C.04.3. Where the criteria of a
very large bracket do not fit into the matching's integers the least important are left out, and the reasons say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from gettext import gettext as _
from itertools import groupby

from rules.pairing.bracket import Bracket, Round
from rules.pairing.legality import assert_legal
from rules.pairing.matching import Edge, Fields, best_matching
from rules.pairing.state import NoPairing, PairingAnswer, PairingState


def pair(state: PairingState) -> PairingAnswer:
    """The next round; deterministic, the same on every machine.

    Costs some milliseconds for 20 players and a few seconds for 200. Raises `NoPairing` when fewer than two players are
    there or no legal pairing exists.
    """
    if len(state.present) < 2:
        raise NoPairing(
            _("Fewer than two players are available for round {round}. Nothing can be paired.").format(
                round=state.round
            )
        )
    shared = Round(state)
    shared.pab_score = _bye_score(shared)
    pairs: list[tuple[int, int]] = []
    reasons: list[str] = []
    groups = [[p.tpn for p in group] for _score, group in groupby(state.present, key=lambda p: state.scores[p.tpn])]
    moved: list[int] = []
    bye_open = len(state.present) % 2 == 1
    for index, residents in enumerate(groups):
        following = groups[index + 1] if index + 1 < len(groups) else []
        rest = [tpn for group in groups[index + 2 :] for tpn in group]
        bracket = Bracket(shared, moved, residents, following, rest, bye_open)
        found, floaters = bracket.solve()
        pairs += found
        reasons.append(_bracket_reason(shared, moved, residents, found, floaters))
        if bracket.skipped:
            reasons.append(_("This bracket is so large that its least important criteria were not looked at."))
        moved = sorted(floaters, key=lambda tpn: (-shared.scores[tpn], tpn))
    bye = moved[0] if moved else None
    answer = _answer(shared, pairs, bye, reasons)
    assert_legal(state, answer)
    return answer


def _bye_score(shared: Round) -> int | None:
    """The lowest score the PAB can have in a complete pairing (C5); None for an even number. Raises `NoPairing`."""
    players = [p.tpn for p in shared.state.present]
    index = {tpn: i for i, tpn in enumerate(players)}
    edges: list[Edge] = [
        (i, index[other]) for tpn, i in index.items() for other in shared.may_meet[tpn] if index[other] > i
    ]
    nodes = len(players)
    values: dict[Edge, int] = {}
    if nodes % 2:
        top = max(shared.scores[tpn] for tpn in players)
        values = {(i, nodes): top - shared.scores[tpn] for tpn, i in index.items() if shared.may_have_bye(tpn)}
        edges += values
        nodes += 1
    fields = Fields(edges)
    fields.add(values, max(values.values(), default=0))
    partners = best_matching(nodes, fields)
    if len(partners) < nodes:
        raise NoPairing(_why_impossible(shared, players))
    return shared.scores[players[partners[len(players)]]] if len(players) % 2 else None


def _why_impossible(shared: Round, players: Sequence[int]) -> str:
    """One sentence on what blocks the round, and what the chief arbiter can do (C.04.3 1.9)."""
    alone = [tpn for tpn in players if not shared.may_meet[tpn]]
    if len(players) % 2 and not any(shared.may_have_bye(tpn) for tpn in players):
        why = _("The number of players is odd and nobody may have the bye again.")
    elif len(alone) > len(players) % 2:
        why = _("Nobody is left whom player {tpn} could meet.").format(tpn=alone[0])
    else:
        why = _("Those who have not met yet, with the colours they are due, cannot be arranged in pairs.")
    return _(
        "Round {round} has no legal pairing of the {count} players. {why} "
        "The chief arbiter decides: let a player pass this round, or end the tournament."
    ).format(round=shared.state.round, count=len(players), why=why)


def _answer(shared: Round, pairs: Iterable[tuple[int, int]], bye: int | None, brackets: Sequence[str]) -> PairingAnswer:
    """Colours (5.2), board order (C.04.2 3.6) and the reasons."""
    boards: list[tuple[tuple[int, int, int], int, int, str]] = []
    for a, b in pairs:
        white, black, why = shared.colours.allocate(a, b)
        better, other = shared.colours.higher_first(a, b)
        order = (-shared.scores[better], -shared.scores[better] - shared.scores[other], better)
        boards.append((order, white, black, why))
    boards.sort()
    reasons = list(brackets)
    reasons += [
        _("Board {board}, {white}-{black}: {why}.").format(board=board, white=white, black=black, why=why)
        for board, (_order, white, black, why) in enumerate(boards, 1)
    ]
    if bye is not None:
        reasons.append(_bye_reason(shared, bye))
    return PairingAnswer(tuple((white, black) for _order, white, black, _why in boards), bye, tuple(reasons))


def points(half_points: int) -> str:
    """Half-points as a decimal string: 9 → "4.5"."""
    return f"{half_points // 2}.{5 * (half_points % 2)}"


def _bracket_reason(
    shared: Round, moved: Sequence[int], residents: Sequence[int], pairs: Sequence[tuple[int, int]],
    floaters: Sequence[int],
) -> str:  # fmt: skip
    """What happened in one bracket, in the order of score and pairing number; tie-breaks play no part."""
    parts = [
        _("Score group {points}, by pairing number: {players}.").format(
            points=points(shared.scores[residents[0]]), players=_numbers(residents)
        )
    ]
    if moved:
        parts.append(_("From above: {players}.").format(players=_numbers(moved)))
    parts.append(_("Pairs: {pairs}.").format(pairs=" ".join(f"{a}-{b}" for a, b in pairs) or _("none")))
    if floaters:
        parts.append(_("Moved down: {players}.").format(players=_numbers(floaters)))
    inside = [*moved, *residents]
    met = [f"{a}-{b}" for i, a in enumerate(inside) for b in inside[i + 1 :] if b in shared.state.by_tpn[a].met]
    if met:
        parts.append(_("Already met: {pairs}.").format(pairs=" ".join(met)))
    due = [f"{a}-{b}" for i, a in enumerate(inside) for b in inside[i + 1 :] if shared.clash(a, b)]
    if due:
        parts.append(_("Both must have the same colour: {pairs}.").format(pairs=" ".join(due)))
    return " ".join(parts)


def _bye_reason(shared: Round, bye: int) -> str:
    """Why this player is left over, and who of his score or below could not be."""
    parts = [
        _("{tpn} is left over: {points} is the lowest score with which a complete pairing exists (C5).").format(
            tpn=bye, points=points(shared.scores[bye])
        )
    ]
    for player in shared.state.present:
        if shared.scores[player.tpn] <= shared.scores[bye] and player.barred_from_bye:
            rounds = [n for n, r in enumerate(player.rounds, 1) if r.unplayed in ("U", "+", "F") and r.half_points]
            rounds = rounds or [n for n, r in enumerate(player.rounds, 1) if r.unplayed == "U"]
            parts.append(
                _("{tpn} is not eligible: a bye or a win without playing in round {rounds}.").format(
                    tpn=player.tpn, rounds=_numbers(rounds)
                )
            )
    return " ".join(parts)


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
