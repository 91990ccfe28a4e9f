"""The prizes of an event after a round: the announced lists, divided among those who may win."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from gettext import gettext as _
from gettext import ngettext

from rules.tiebreaks.values import in_points
from rules.tournament.book import TournamentState
from rules.tournament.prizes import Award, Division, divide, money
from rules.tournament.prizes_announced import AnnouncedPrizes, read
from rules.tournament.standings import Standing, standings

#: Names in one sentence; more are counted.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Prizes:
    """Everybody's prizes after a round, and what should be known of them.

    `final`: all rounds are complete. `remarks` are sentences: whom no list could take, what nobody could win, whose age
    is not known.
    """

    round: int
    final: bool
    lists: tuple[AnnouncedPrizes, ...]
    division: Division
    places: Mapping[int, Standing]
    remarks: tuple[str, ...]

    @property
    def paid(self) -> int:
        """What all awards come to, in cents."""
        return sum(award.cents for award in self.division.awards)


def prizes_after(state: TournamentState, after_round: int | None = None) -> Prizes:
    """The prizes as they would be paid after a round (None: the latest that is complete).

    Raises `ValueError` when the event has no regulations or the round is not public.
    """
    regulations = state.regulations
    if regulations is None:
        raise ValueError("the event has no regulations")
    number = state.complete_rounds if after_round is None else after_round
    rows = standings(state, number)
    winners = [row for row in rows if not row.excluded and (regulations.withdrawn_win or not row.withdrawn)]
    lists = tuple(read(line) for line in regulations.prizes)
    divided = [each.for_entries(state.entries, regulations.start_date) for each in lists]
    division = divide(winners, divided, regulations.one_prize_each)
    awards = tuple(replace(award, reason=_why(state, award)) for award in division.awards)
    division = replace(division, awards=awards)
    final = bool(state.rounds) and state.complete_rounds >= regulations.rounds == number
    remarks = (*_left_out(state, rows, winners), *_not_won(division), *_no_age(state, lists))
    return Prizes(number, final, lists, division, {row.tpn: row for row in rows}, remarks)


def _why(state: TournamentState, award: Award) -> str:
    """How an award came about, with the names of those who share."""
    others = [tpn for tpn in award.among if tpn != award.tpn]
    parts = [award.reason]
    if others:
        parts.append(_("equal points with {names}").format(names=_names(state, others)))
    if award.instead:
        given = ", ".join(_("{amount} from {name}").format(amount=money(c), name=name) for name, c in award.instead)
        parts.append(_("instead of {prizes}").format(prizes=given))
    return "; ".join(parts)


def _names(state: TournamentState, tpns: list[int]) -> str:
    names = [state.entries[tpn].name for tpn in tpns[:_NAMED]]
    more = len(tpns) - len(names)
    text = "; ".join(names) if any("," in name for name in names) else ", ".join(names)
    return text + (" " + ngettext("and {n} more", "and {n} more", more).format(n=more) if more else "")


def _left_out(state: TournamentState, rows: tuple[Standing, ...], winners: list[Standing]) -> Iterator[str]:
    """Who stands on the list and wins nothing whatever his place."""
    kept = {row.tpn for row in winners}
    expelled = [row.tpn for row in rows if row.excluded]
    withdrawn = [row.tpn for row in rows if row.tpn not in kept and not row.excluded]
    if expelled:
        yield _("No prize without a place: {names}.").format(names=_names(state, expelled))
    if withdrawn:
        yield _("No prize, withdrawn: {names}.").format(names=_names(state, withdrawn))


def _not_won(division: Division) -> Iterator[str]:
    for name, cents in division.unclaimed.items():
        if cents:
            yield _("{amount} of {name} can be won by nobody.").format(amount=money(cents), name=name)


def _no_age(state: TournamentState, lists: tuple[AnnouncedPrizes, ...]) -> Iterator[str]:
    unknown = [tpn for tpn, entry in state.entries.items() if not entry.birth]
    aged = [each.name for each in lists if each.by_age]
    if unknown and aged:
        words = ngettext(
            "The age of {n} player is not known, who wins nothing from {lists}: {names}.",
            "The age of {n} players is not known, who win nothing from {lists}: {names}.",
            len(unknown),
        )
        yield words.format(n=len(unknown), lists=", ".join(aged), names=_names(state, unknown))


def prize_table(prizes: Prizes, state: TournamentState) -> list[tuple[Award, str, str]]:
    """The awards by amount from the largest down: the award, the name, the points; then by place and list."""
    order = [each.name for each in prizes.lists]

    def key(award: Award) -> tuple[int, int, int, int]:
        return -award.cents, prizes.places[award.tpn].rank, order.index(award.prize_list), award.tpn

    return [
        (award, state.entries[award.tpn].name, in_points(prizes.places[award.tpn].half_points))
        for award in sorted(prizes.division.awards, key=key)
    ]
