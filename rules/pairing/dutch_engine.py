"""The FIDE (Dutch) Swiss system (C.04.3): the next round, its colours, and why.

`dutch_pairing` pairs by the edition of 2026, `dutch_2017` by the one before; `dutch_explain` has the words.
"""

from __future__ import annotations

from dataclasses import replace
from gettext import gettext as _

from rules.pairing.dutch_2017 import Pairing2017
from rules.pairing.dutch_explain import BoardReason, BracketExplainer, Explanation, explain_bye, points
from rules.pairing.dutch_pairing import Pairing
from rules.pairing.legality import assert_legal
from rules.pairing.state import NoPairing, PairingAnswer, PairingState
from rules.pairing.wording import fresh


def solve(state: PairingState) -> Pairing:
    """The round as brackets, before colours. Raises `NoPairing` as `pair` does."""
    if len(state.present) < 2:
        raise NoPairing(
            _("Fewer than two players are available for round {round}. Nothing can be paired.").format(
                round=state.round
            )
        )
    pairing = Pairing2017(state) if state.edition == "2017" else Pairing(state)
    pairing.run()
    return pairing


def pair(state: PairingState) -> PairingAnswer:
    """The next round with its reasons in words; deterministic, the same on every machine.

    Raises `NoPairing` when fewer than two players are there or no legal pairing exists.
    """
    pairing = solve(state)
    reasons = _brackets_only(pairing) if state.edition == "2017" else explain(pairing).words()
    answer = replace(pairing.answer(), reasons=reasons)
    assert_legal(state, answer)
    return answer


def pair_without_reasons(state: PairingState) -> PairingAnswer:
    """The same round, without the time that words take."""
    answer = solve(state).answer()
    assert_legal(state, answer)
    return answer


def _brackets_only(pairing: Pairing) -> tuple[str, ...]:
    """What happened in each bracket; the criteria of the edition of 2017 have other numbers and are not explained."""
    name = pairing.facts.players
    lines = [_("Paired by the edition of 2017.")]
    for bracket in pairing.brackets:
        lines.append(
            _("Score group {points}: {players}. From above: {moved}. Pairs: {pairs}.").format(
                points=points(pairing.facts.score[bracket.residents[0]]),
                players=", ".join(str(name[i]) for i in bracket.residents),
                moved=", ".join(str(name[i]) for i in bracket.moved) or _("nobody"),
                pairs=" ".join(f"{name[a]}-{name[b]}" for a, b in bracket.pairs) or _("none"),
            )
        )
    if pairing.bye is not None:
        lines.append(_("{tpn} is left over.").format(tpn=name[pairing.bye]))
    return tuple(lines)


def explain(pairing: Pairing) -> Explanation:
    """Why each bracket, board and the bye came out as they did (edition of 2026)."""
    fresh()
    facts = pairing.facts
    name = facts.players
    explainers: list[BracketExplainer] = []
    where: dict[int, int] = {}
    for index, bracket in enumerate(pairing.brackets):
        below = pairing.below(index)
        explainers.append(
            BracketExplainer(facts, bracket.moved, bracket.residents, bracket.pairs, bracket.floaters, below)
        )
        where |= {name[i]: index for pair in bracket.pairs for i in pair}
    boards: list[BoardReason] = []
    renumbered = False
    for board, (white, black) in enumerate(pairing.answer().pairs, 1):
        a, b = sorted((facts.number[white], facts.number[black]))
        _white, _black, rule = facts.colours.allocate(white, black)
        first = name[a]
        renumbered |= facts.preferences[a].colour is None is facts.preferences[b].colour and (
            facts.colours.numbers[first] != first
        )
        skipped, more = explainers[where[white]].passed_over(a, b)
        boards.append(BoardReason(board, white, black, where[white], skipped, more, rule))
    notes = (
        (
            _(
                "For the initial colour only those count who have been part of a pairing (5.2.5, reading of the "
                "endorsed programs), so the numbers are not those of the list."
            ),
        )
        if renumbered
        else ()
    )
    bye = pairing.bye
    return Explanation(
        tuple(e.bracket(b.route) for e, b in zip(explainers, pairing.brackets, strict=True)),
        tuple(boards),
        explain_bye(facts, bye) if bye is not None else None,
        notes,
    )
