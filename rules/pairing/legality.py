"""The rules no pairing may break, checked without any help from the system that made it.

Every system runs its check on its own answer before it hands it out, and `rules.tournament.decisions` runs it again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from gettext import gettext as _

from rules.pairing.state import Colour, History, IllegalPairing, PairingAnswer, PairingState


def assert_complete(state: PairingState, answer: PairingAnswer, expected: frozenset[int]) -> None:
    """Raises `IllegalPairing` unless the `expected` players, and nobody else, are each placed exactly once."""
    placed = Counter(tpn for pair in answer.pairs for tpn in pair)
    if answer.bye is not None:
        placed[answer.bye] += 1
    twice = sorted(tpn for tpn, times in placed.items() if times > 1)
    if twice:
        raise IllegalPairing(_("Player {tpn} is on the sheet twice.").format(tpn=twice[0]))
    strangers = sorted(placed.keys() - expected)
    if strangers:
        raise IllegalPairing(_("Player {tpn} is on the sheet but is not to be paired.").format(tpn=strangers[0]))
    missing = sorted(expected - placed.keys())
    if missing:
        raise IllegalPairing(_("Player {tpn} is not on the sheet.").format(tpn=missing[0]))
    if answer.bye is not None and len(expected) % 2 == 0:
        raise IllegalPairing(
            _("Player {tpn} is left over although the number of players is even.").format(tpn=answer.bye)
        )


def _difference(history: History) -> int:
    return history.colours.count("white") - history.colours.count("black")


def _must_have(history: History) -> Colour | None:
    """The colour that C.04.1 BR 6 and 7 force on a player: difference over ±1, or two equal colours in a row."""
    difference = _difference(history)
    if abs(difference) > 1:
        return "black" if difference > 0 else "white"
    last_two = history.colours[-2:]
    if len(last_two) == 2 and last_two[0] == last_two[1]:
        return "black" if last_two[0] == "white" else "white"
    return None


def assert_legal(state: PairingState, answer: PairingAnswer) -> None:
    """Raises `IllegalPairing` unless a Swiss round keeps C.04.1 BR 2-7 and C1-C3 of C.04.3.

    Checked: everybody present placed once, no rematch, the right to the PAB, no forbidden pair, no two players due the
    same colour absolutely, and no forced colour denied; topscorers and their opponents are exempt from the last two
    (C.04.3 1.8).
    """
    assert_complete(state, answer, frozenset(p.tpn for p in state.players) - state.absent)
    players = state.by_tpn
    if answer.bye is not None and state.may_not_have_bye(answer.bye):
        raise IllegalPairing(
            _(
                "Player {tpn} may not be left over: he has had the bye, or a win's points without playing "
                "(C.04.1, rule 4)."
            ).format(tpn=answer.bye)
        )
    for board, (white, black) in enumerate(answer.pairs, 1):
        if black in players[white].met:
            raise IllegalPairing(
                _("Board {board}: {white} and {black} have already met (C.04.1, rule 2).").format(
                    board=board, white=white, black=black
                )
            )
        if (min(white, black), max(white, black)) in state.forbidden:
            raise IllegalPairing(
                _("Board {board}: the regulations forbid the pairing {white} against {black}.").format(
                    board=board, white=white, black=black
                )
            )
        if state.is_topscorer(white) or state.is_topscorer(black):
            continue
        given: tuple[tuple[int, Colour], ...] = ((white, "white"), (black, "black"))
        for tpn, colour in given:
            if _must_have(players[tpn]) not in (None, colour):
                raise IllegalPairing(
                    _("Board {board}: {tpn} may not have {colour} again (C.04.1, rules 6 and 7).").format(
                        board=board, tpn=tpn, colour=_("White") if colour == "white" else _("Black")
                    )
                )


def assert_round_robin(state: PairingState, answer: PairingAnswer) -> None:
    """Raises `IllegalPairing` unless every player is placed once and no two meet more often than there are cycles.

    A forfeited game of a round robin was due all the same (C.07 15.2), so it is not paired again.
    """
    assert_complete(state, answer, frozenset(p.tpn for p in state.players))
    for board, (white, black) in enumerate(answer.pairs, 1):
        if sum(r.opponent == black for r in state.by_tpn[white].rounds) >= state.cycles:
            raise IllegalPairing(
                _("Board {board}: {white} and {black} have already met.").format(board=board, white=white, black=black)
            )


#: The check that belongs to each system of `rules.pairing.registry`.
LEGALITY: Mapping[str, Callable[[PairingState, PairingAnswer], None]] = {
    "dutch": assert_legal,
    "berger": assert_round_robin,
}
