"""What to look at before the rating report goes out (S-30): nothing here stops it, everything is a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from gettext import gettext as _
from gettext import ngettext

from rules.tournament.asking import open_boards_sentence
from rules.tournament.book import TournamentState
from rules.tournament.entries import Entry
from rules.tournament.regulations import Regulations

#: A sentence names at most so many players.
_NAMED = 10
#: Last character of the alphabets that are Latin letters with their marks.
_LATIN_ENDS = "\u024f"


def report_checks(state: TournamentState) -> tuple[str, ...]:
    """What the report will lack, or will say in a way that a federation may turn down."""
    regulations = state.regulations
    if regulations is None or not state.entries:
        return ()
    return (*_open(state), *_announced(regulations), *_players(state), *_rounds(state, regulations))


def _open(state: TournamentState) -> Iterator[str]:
    for found in state.rounds:
        boards = (*found.open_boards, *sorted(found.adjourned))
        if boards:
            yield open_boards_sentence(found.number, boards)


def _announced(regulations: Regulations) -> Iterator[str]:
    wanted: tuple[tuple[str, Callable[[], str]], ...] = (
        (regulations.arbiter, lambda: _("The arbiter is not named.")),
        (regulations.federation, lambda: _("The federation of the event is not named.")),
        (regulations.city, lambda: _("The place of the event is not named.")),
        (regulations.start_date, lambda: _("The first day of the event is not named.")),
        (regulations.end_date or regulations.start_date, lambda: _("The last day of the event is not named.")),
    )
    yield from (words() for value, words in wanted if not value.strip())


def _players(state: TournamentState) -> Iterator[str]:
    wanted: tuple[tuple[Callable[[Entry], bool], Callable[[], str]], ...] = (
        (lambda e: not e.fide_id, lambda: _("Without a FIDE id: {players}.")),
        (lambda e: not e.federation, lambda: _("Without a federation: {players}.")),
        (lambda e: not e.birth, lambda: _("Without a date of birth: {players}.")),
        (lambda e: any(c.isalpha() and c > _LATIN_ENDS for c in e.name), lambda: _("Not in Latin letters: {players}.")),
    )
    for lacks, words in wanted:
        found = [f"{e.tpn} {e.name}" for e in state.entries.values() if lacks(e)]
        if found:
            more = [_("{count} more").format(count=len(found) - _NAMED)] if len(found) > _NAMED else []
            yield words().format(players=", ".join([*found[:_NAMED], *more]))


def _rounds(state: TournamentState, regulations: Regulations) -> Iterator[str]:
    left = regulations.rounds - len(state.rounds)
    if left > 0:
        yield ngettext("{left} round is still to be played.", "{left} rounds are still to be played.", left).format(
            left=left
        )
    unrated = sum(
        not result.rated and result.source != "forfeit" for r in state.rounds for result in r.results.values()
    )
    if unrated:
        yield ngettext("{count} game is not rated.", "{count} games are not rated.", unrated).format(count=unrated)
