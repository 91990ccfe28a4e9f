"""A round made by hand: what speaks against each board, and how the whole differs from the engine's.

Quick checks after every change, the engine only when the round is finished (`rules.pairing.manual_round`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from gettext import gettext as _

from rules.pairing.berger import rounds_available
from rules.pairing.manual_round import Review, review
from rules.pairing.registry import SYSTEMS
from rules.pairing.round_robin import can_be_completed
from rules.pairing.state import Colour, History, NoPairing, PairingAnswer, PairingState
from rules.tournament.levels import Warned


def board_faults(state: PairingState, white: int, black: int) -> Iterable[Warned]:
    """What speaks against one board of a Swiss."""
    players = state.by_tpn
    if black in players[white].met:
        yield Warned("rematch", _("{white} and {black} have already met.").format(white=white, black=black))
    if (min(white, black), max(white, black)) in state.forbidden:
        words = _("The regulations forbid the pairing {white} against {black}.")
        yield Warned("forbidden-pair", words.format(white=white, black=black))
    yield from _colour_faults(state, white, black)


def _colour_faults(state: PairingState, white: int, black: int) -> Iterable[Warned]:
    sides: tuple[tuple[int, Colour], ...] = ((white, "white"), (black, "black"))
    against = 0
    for tpn, colour in sides:
        history = state.by_tpn[tpn]
        against += _due(history) not in (None, colour)
        if state.is_last_round:
            continue
        name = _("White") if colour == "white" else _("Black")
        if history.colours[-2:] == (colour, colour):
            words = _("{tpn} would have {colour} for the third time in a row.")
            yield Warned("colour-repeated", words.format(tpn=tpn, colour=name))
        if abs(_difference((*history.colours, colour))) > 2:
            words = _("{tpn} would have {colour} three times more often than the other colour.")
            yield Warned("colour-range", words.format(tpn=tpn, colour=name))
    if against == 2:
        words = _("{white} and {black} both get the colour that is not due to them.")
        yield Warned("colours-both-against", words.format(white=white, black=black))


def _difference(colours: Sequence[Colour]) -> int:
    return colours.count("white") - colours.count("black")


def _due(history: History) -> Colour | None:
    """The colour a player should have: the rarer one, else the one he did not have last (C.04.3 1.7)."""
    difference = _difference(history.colours)
    if difference:
        return "black" if difference > 0 else "white"
    if not history.colours:
        return None
    return "black" if history.colours[-1] == "white" else "white"


def bye_faults(state: PairingState, bye: int) -> Iterable[Warned]:
    """What speaks against the player who is left over."""
    if state.by_tpn[bye].barred_from_bye:
        words = _("{tpn} has had the bye, or a win's points without playing.").format(tpn=bye)
        yield Warned("bye-barred", words)
    fit = [p for p in state.present if not p.barred_from_bye]
    lowest = min((state.scores[p.tpn] for p in fit), default=0)
    if state.scores[bye] > lowest:
        yield Warned("bye-not-lowest", _("{tpn} is not among those with the fewest points.").format(tpn=bye))


def round_faults(state: PairingState, pairs: Sequence[tuple[int, int]], bye: int | None) -> tuple[Warned, ...]:
    """What speaks against a whole round, board by board."""
    faults = [fault for white, black in pairs for fault in board_faults(state, white, black)]
    if bye is not None:
        faults += bye_faults(state, bye)
    return tuple(faults)


def robin_faults(state: PairingState, pairs: Sequence[tuple[int, int]]) -> tuple[Warned, ...]:
    """What speaks against a round of a round robin: meetings too many, games that no round is left for, colours."""
    faults = [_met(white, black) for white, black in pairs if _times(state, white, black) >= state.cycles]
    if not faults and can_be_completed(state, pairs) is False:
        words = _("After this round not everybody can meet everybody in the rounds that are left.")
        faults.append(Warned("robin-incomplete", words))
    last = state.round == rounds_available(len(state.players)) * state.cycles
    for white, black in pairs:
        sides: tuple[tuple[int, Colour], ...] = ((white, "white"), (black, "black"))
        for tpn, colour in sides:
            colours = _sheet_colours(state.by_tpn[tpn])
            name = _("White") if colour == "white" else _("Black")
            if colours[-2:] == (colour, colour):
                words = _("{tpn} would have {colour} for the third time in a row.")
                faults.append(Warned("colour-repeated", words.format(tpn=tpn, colour=name)))
            elif last and abs(_difference((*colours, colour))) > 1:
                words = _("{tpn} would end with {colour} twice more often than the other colour.")
                faults.append(Warned("colour-range", words.format(tpn=tpn, colour=name)))
        if _same_colours_before(state, white, black):
            words = _("{white} and {black} would meet with the same colours again.")
            faults.append(Warned("colour-repeated", words.format(white=white, black=black)))
    return tuple(faults)


def _met(white: int, black: int) -> Warned:
    return Warned("rematch", _("{white} and {black} have already met.").format(white=white, black=black))


def _times(state: PairingState, white: int, black: int) -> int:
    """How often the two were paired; in a round robin forfeited games count (C.07 15.2)."""
    return sum(record.opponent == black for record in state.by_tpn[white].rounds)


def _sheet_colours(history: History) -> tuple[Colour, ...]:
    return tuple(record.colour for record in history.rounds if record.colour is not None)


def _same_colours_before(state: PairingState, white: int, black: int) -> bool:
    """In the second of two cycles: did these two have these colours in the first?"""
    met = [record.colour for record in state.by_tpn[white].rounds if record.opponent == black]
    return state.cycles > 1 and met == ["white"]


def differences(engine: PairingAnswer, pairs: Sequence[tuple[int, int]], bye: int | None) -> tuple[str, ...]:
    """Lines "- 1-4" (the engine's) and "+ 1-2" (by hand), White first, a bye as "5=PAB"; () if the two are the same."""
    theirs, mine = _texts(engine.pairs, engine.bye), _texts(pairs, bye)
    return (
        *(f"- {text}" for text in theirs if text not in mine),
        *(f"+ {text}" for text in mine if text not in theirs),
    )


def _texts(pairs: Iterable[tuple[int, int]], bye: int | None) -> list[str]:
    return [f"{white}-{black}" for white, black in pairs] + ([f"{bye}=PAB"] if bye is not None else [])


def split(lines: Iterable[str]) -> tuple[str, str]:
    """The engine's and the hand's part of `differences`, for a note."""
    parts = [" ".join(line[2:] for line in lines if line.startswith(sign)) for sign in "-+"]
    return parts[0], parts[1]


def compare(system: str, state: PairingState, pairs: Sequence[tuple[int, int]], bye: int | None) -> Review:
    """The round beside the engine's. For a Swiss every criterion is looked at, which can take a second."""
    if system == "dutch":
        return review(state, pairs, bye)
    try:
        engine = SYSTEMS[system](state)
    except NoPairing:
        return Review((), (), (), None)
    mine, theirs = set(pairs), set(engine.pairs)
    return Review((), tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)), engine)
