"""What an arbiter should look at before he makes a draft public. Nothing here stops anything."""

from __future__ import annotations

from collections.abc import Iterator
from gettext import gettext as _

from rules.tournament.book import TournamentState
from rules.tournament.manual import robin_faults, round_faults


def check_list(state: TournamentState) -> tuple[str, ...]:
    """Sentences about the draft: rules it does not keep, no-shows who are paired again, boards that were adjourned."""
    if state.draft is None:
        return ()
    draft = state.draft
    pairs = tuple((p.white, p.black) for p in draft.pairs)
    before = state.pairing_state()
    found = robin_faults(before, pairs) if state.is_round_robin else round_faults(before, pairs, draft.bye)
    faults = tuple(fault.words for fault in found)
    return (*faults, *_no_shows(state), *_adjourned(state))


def _no_shows(state: TournamentState) -> Iterator[str]:
    """Who did not come to the last round and is paired in this one (S-08)."""
    last, draft = state.current_round, state.draft
    if last is None or draft is None:
        return
    for pair in last.pairs:
        result = last.results.get(pair.board)
        if result is None or result.source != "forfeit":
            continue
        absent = [t for t, won in ((pair.white, "1-0"), (pair.black, "0-1")) if result.score != won]
        for tpn in absent:
            if draft.pair_of(tpn) is not None and tpn not in state.withdrawn:
                words = _("{tpn} {name} did not come to round {round}: is he here?")
                yield words.format(tpn=tpn, name=state.entries[tpn].name, round=last.number)


def _adjourned(state: TournamentState) -> Iterator[str]:
    for game in state.adjourned:
        words = _("Round {round}, board {board} is adjourned and counts as drawn for this pairing.")
        yield words.format(round=game.round, board=game.board)
