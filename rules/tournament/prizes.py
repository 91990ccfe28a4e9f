"""Dividing the prizes: main and class lists, equal shares, the Hort system or none, and sums that always come out.

All money is whole cents. A prize list has a prize for its first places; players with equal points share the prizes of
their places as the list says:

- "equal": everybody gets the same;
- "hort": half of one's own place's prize and half of the equal share;
- "none": the place decides alone; where no tie-break separates players, they share the prizes of their places.

What rounding leaves over goes, a unit each, to those of the better tie-break who lost by it, and the award says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from gettext import gettext as _
from itertools import groupby
from typing import Literal, Protocol

Sharing = Literal["equal", "hort", "none"]


class Placed(Protocol):
    """A row of the standings, as `rules.tournament.standings.Standing`; those excluded must not be among them."""

    @property
    def tpn(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def half_points(self) -> int: ...


@dataclass(frozen=True, slots=True)
class PrizeList:
    """A list of prizes in cents, the first place's first, none greater than the one before.

    `eligible` are the TPNs of a class list; None = everybody. `unit` in cents is what shares are rounded to (1 = to the
    cent, 100 = to whole units of money).

    Raises `ValueError` for negative or rising prizes and a unit below 1.
    """

    name: str
    cents: tuple[int, ...]
    sharing: Sharing = "equal"
    eligible: frozenset[int] | None = None
    unit: int = 1

    def __post_init__(self) -> None:
        if any(prize < 0 for prize in self.cents) or list(self.cents) != sorted(self.cents, reverse=True):
            raise ValueError(
                _("The prizes of “{name}” must not be negative or greater than the one before.").format(name=self.name)
            )
        if self.unit < 1:
            raise ValueError(_("The prizes of “{name}” cannot be rounded to nothing.").format(name=self.name))

    def takes(self, tpn: int) -> bool:
        """May the player win one of these prizes?"""
        return self.eligible is None or tpn in self.eligible


@dataclass(frozen=True, slots=True)
class Award:
    """One player's prize from one list: the place he takes in it, the cents paid, and how they came about.

    `share` is the exact share in cents, `left_over` the cents that rounding gave to him beyond it, rounded down to the
    list's unit. `among` are all who share these places, he among them; `instead` what he would have had from other
    lists (name, cents), where everybody wins in one only.
    """

    tpn: int
    prize_list: str
    place: int
    cents: int
    share: Fraction
    left_over: int
    reason: str
    among: tuple[int, ...] = ()
    instead: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Division:
    """All awards, by list and place, and what nobody could win (cents by list); together they are the fund."""

    awards: tuple[Award, ...]
    unclaimed: Mapping[str, int]
    fund: int

    def cents_of(self, tpn: int) -> int:
        """Everything a player gets."""
        return sum(award.cents for award in self.awards if award.tpn == tpn)


def divide(places: Sequence[Placed], lists: Sequence[PrizeList], one_each: bool = True) -> Division:
    """The prizes of all lists, for the standings in order.

    With `one_each` nobody wins in two lists: in the order of the standings everybody takes the list that gives him most
    (on equality the one named first), and the others of the other lists move up. Raises `ValueError` when two lists
    have one name.
    """
    if len({prizes.name for prizes in lists}) < len(lists):
        raise ValueError(_("Two prize lists have the same name. Give every list a name of its own."))
    given_up: dict[int, tuple[tuple[str, int], ...]] = {}
    takers = {prizes.name: [row for row in places if prizes.takes(row.tpn)] for prizes in lists}
    if one_each:
        given_up = _one_each(places, lists, takers)
    awards: list[Award] = []
    unclaimed = {}
    for prizes in lists:
        awards += _awards(prizes, takers[prizes.name])
        unclaimed[prizes.name] = sum(prizes.cents[len(takers[prizes.name]) :])
    fund = sum(sum(prizes.cents) for prizes in lists)
    paid = sum(award.cents for award in awards)
    if paid + sum(unclaimed.values()) != fund:
        raise ArithmeticError(f"prizes of {paid} cents do not make up the fund of {fund}")
    paid_out = (replace(award, instead=given_up.get(award.tpn, ())) for award in awards if award.cents)
    return Division(tuple(paid_out), unclaimed, fund)


def _one_each(
    places: Sequence[Placed], lists: Sequence[PrizeList], staying: Mapping[str, list[Placed]]
) -> dict[int, tuple[tuple[str, int], ...]]:
    """Everybody in turn stays in the list alone that gives him most; what each gave up for it, by list."""
    given_up = {}
    for row in places:
        offers = {}
        for prizes in lists:
            if prizes.takes(row.tpn):
                found = next((a for a in _awards(prizes, staying[prizes.name], row) if a.tpn == row.tpn), None)
                offers[prizes.name] = found.cents if found else 0
        best = max(offers, key=lambda name: offers[name], default="")
        if not best or not offers[best]:
            continue  # he wins nothing, and stays where others may leave
        for name in offers:
            if name != best:
                staying[name].remove(row)
        given_up[row.tpn] = tuple((name, cents) for name, cents in offers.items() if name != best and cents)
    return given_up


def _awards(prizes: PrizeList, takers: Sequence[Placed], only: Placed | None = None) -> list[Award]:
    """The awards of one list; `only` limits them to one player, to save the rest."""
    awards: list[Award] = []
    place = 1
    for _points, same in groupby(takers, key=lambda row: row.half_points):
        tied = list(same)
        if place > len(prizes.cents):
            break
        if only is None or only.half_points == tied[0].half_points:
            awards += _shared(prizes, tied, place, only)
        place += len(tied)
    return awards


def _prize(prizes: PrizeList, place: int) -> int:
    return prizes.cents[place - 1] if place <= len(prizes.cents) else 0


def _shared(prizes: PrizeList, tied: Sequence[Placed], first: int, only: Placed | None = None) -> list[Award]:
    """The prizes of the places from `first` on for players with equal points; `only` one of them is told, if named."""
    sums = [_prize(prizes, first + at) for at in range(len(tied))]
    total = sum(sums)
    own = _by_place(tied, sums)
    equal = Fraction(total, len(tied))
    shares = {
        "equal": [equal] * len(tied),
        "hort": [(mine + equal) / 2 for mine in own],
        "none": own,
    }[prizes.sharing]
    rounded = [int(share // prizes.unit) * prizes.unit for share in shares]
    losers = [at for at in range(len(tied)) if rounded[at] != shares[at]]
    extra = _left_over(total - sum(rounded), prizes.unit, losers)
    awards = []
    among = tuple(row.tpn for row in tied)
    for at, row in enumerate(tied):
        if only is not None and row.tpn != only.tpn:
            continue
        more = extra.get(at, 0)
        cents = rounded[at] + more
        reason = _reason(prizes, tied, sums, own[at], first + at)
        if more:
            reason = _("{reason}; {cents} left over by rounding").format(reason=reason, cents=money(more))
        elif cents != shares[at]:
            reason = _("{reason}; rounded down from {share}").format(reason=reason, share=_exactly(shares[at]))
        awards.append(Award(row.tpn, prizes.name, first + at, cents, shares[at], more, reason, among))
    return awards


def _by_place(tied: Sequence[Placed], sums: Sequence[int]) -> list[Fraction]:
    """What everybody's own place is worth; places that no tie-break separates are worth the same."""
    own: list[Fraction] = []
    for _rank, same in groupby(tied, key=lambda row: row.rank):
        number = len(list(same))
        part = sums[len(own) : len(own) + number]
        own += [Fraction(sum(part), number)] * number
    return own


def _left_over(cents: int, unit: int, losers: Sequence[int]) -> Mapping[int, int]:
    """Cents that rounding left, one unit each from the top of those who lost by it; less than a unit to the next one.

    Everybody lost less than a unit, so there are always more of them than units.
    """
    units, rest = divmod(cents, unit)
    extra = dict.fromkeys(losers[:units], unit)
    return extra | {losers[units]: rest} if rest else extra


def _reason(prizes: PrizeList, tied: Sequence[Placed], sums: Sequence[int], own: Fraction, place: int) -> str:
    if len(tied) == 1:
        return _("place {place}: {prize}").format(place=place, prize=money(sums[0]))
    parts = " + ".join(money(prize) for prize in sums)
    if prizes.sharing == "equal":
        return _("{players} players share {parts}").format(players=len(tied), parts=parts)
    if prizes.sharing == "hort":
        return _("place {place}: half of {prize}, and half of an equal share of {parts}").format(
            place=place, prize=_exactly(own), parts=parts
        )
    return _("place {place} by tie-break: {prize}").format(place=place, prize=_exactly(own))


def _exactly(cents: Fraction) -> str:
    return (
        money(int(cents))
        if cents.denominator == 1
        else f"{money(int(cents))} ({cents.numerator}/{cents.denominator} c)"
    )


def money(cents: int) -> str:
    """Cents as an amount: 18050 → "180.50", 18000 → "180"."""
    whole, rest = divmod(cents, 100)
    return f"{whole}.{rest:02}" if rest else str(whole)
