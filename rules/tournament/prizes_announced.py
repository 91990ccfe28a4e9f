"""Prizes as they are announced: one line for each list, and who may win from it.

    Main prizes: 300 150 90
    Girls under 14: 50 25, none, for U14 W
    Rating prize: 80 40, hort, for <1800 >=1400, in 5

First the name and the prizes from the first place down, then how they are shared (`rules.tournament.prizes`; equally
unless said), whom the list is for (all the signs must fit), and to what amounts are rounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from gettext import gettext as _
from typing import cast, get_args

from rules.tournament.categories import SENIORS, YOUTH, categories
from rules.tournament.entries import Entry
from rules.tournament.prizes import PrizeList, Sharing, money

#: Amounts are whole cents up to this.
MOST = 10_000_000_00
#: Prizes in one list, lists in one event.
MOST_PLACES, MOST_LISTS = 200, 50
_AGES = (*(f"U{age}" for age in YOUTH), *(f"S{age}" for age in SENIORS))


class PrizeError(ValueError):
    """Prizes that cannot be announced so; str() says what would. `part`: "name", "money", "sharing", "for", "in"."""

    def __init__(self, message: str, part: str = "") -> None:
        super().__init__(message)
        self.part = part


@dataclass(frozen=True, slots=True)
class _Sign:
    """What a list may be for: how it is written, whom it lets in, in words. `by_age`: it needs dates."""

    form: re.Pattern[str]
    fits: Callable[[str, Entry, str], bool]
    words: Callable[[str], str]
    by_age: bool = False


_SIGNS: tuple[_Sign, ...] = (
    _Sign(re.compile(r"W"), lambda sign, entry, day: entry.sex == "w", lambda sign: _("girls and women")),
    _Sign(re.compile("|".join(_AGES)), lambda sign, entry, day: sign in categories(entry, day, women=False),
          lambda sign: (_("under {age}") if sign[0] == "U" else _("{age} or older")).format(age=sign[1:]), by_age=True),
    _Sign(re.compile(r"<\d{3,4}"), lambda sign, entry, day: 0 < entry.rating < int(sign[1:]),
          lambda sign: _("rated below {rating}").format(rating=sign[1:])),
    _Sign(re.compile(r">=\d{3,4}"), lambda sign, entry, day: entry.rating >= int(sign[2:]),
          lambda sign: _("rated {rating} or higher").format(rating=sign[2:])),
    _Sign(re.compile(r"unrated"), lambda sign, entry, day: not entry.rating, lambda sign: _("unrated")),
    _Sign(re.compile(r"[A-Z]{3}"), lambda sign, entry, day: entry.federation == sign,
          lambda sign: _("of {federation}").format(federation=sign)),
)  # fmt: skip


def _sign(word: str) -> _Sign | None:
    return next((sign for sign in _SIGNS if sign.form.fullmatch(word)), None)


@dataclass(frozen=True, slots=True)
class AnnouncedPrizes:
    """One list: the prizes of its places in cents, how they are shared, the signs of those it is for, the unit (cents).

    Raises `PrizeError` for what cannot be announced.
    """

    name: str
    cents: tuple[int, ...]
    sharing: Sharing = "equal"
    signs: tuple[str, ...] = ()
    unit: int = 1

    def __post_init__(self) -> None:
        if not self.name.strip() or self.name != self.name.strip() or re.search(r"[:;\n]", self.name):
            raise PrizeError(_("give the list a name of one line, without : and ;"), "name")
        if not 0 < len(self.cents) <= MOST_PLACES or not all(0 < prize <= MOST for prize in self.cents):
            words = _("write 1 to {places} amounts above zero, up to {most}")
            raise PrizeError(words.format(places=MOST_PLACES, most=money(MOST)), "money")
        if list(self.cents) != sorted(self.cents, reverse=True):
            raise PrizeError(_("write the prizes from the first place down: none may be greater than the one before"),
                             "money")  # fmt: skip
        if self.sharing not in get_args(Sharing):
            raise PrizeError(_("write one of {names}").format(names=", ".join(get_args(Sharing))), "sharing")
        strange = next((word for word in self.signs if _sign(word) is None), None)
        if strange is not None:
            words = _("{sign!r} is no sign of players: write W, {ages}, <1800, >=1400, unrated, or a federation as GER")
            raise PrizeError(words.format(sign=strange, ages=", ".join(_AGES)), "for")
        if not 1 <= self.unit <= MOST:
            raise PrizeError(_("write an amount above zero to round to, such as 5 or 0.50"), "in")

    @property
    def by_age(self) -> bool:
        """Do dates of birth decide who may win?"""
        return any(sign.by_age for word in self.signs if (sign := _sign(word)) is not None)

    @property
    def text(self) -> str:
        """The line that `read` understands."""
        parts = [f"{self.name}: {' '.join(map(money, self.cents))}"]
        parts += [self.sharing] if self.sharing != "equal" else []
        parts += [f"for {' '.join(self.signs)}"] if self.signs else []
        parts += [f"in {money(self.unit)}"] if self.unit != 1 else []
        return ", ".join(parts)

    @property
    def whom(self) -> str:
        """Whom the list is for, in words; "" for everybody."""
        return ", ".join(sign.words(word) for word in self.signs if (sign := _sign(word)) is not None)

    def takes(self, entry: Entry, day: str) -> bool:
        """May this player win from the list, in an event that begins on `day` ("YYYY/MM/DD")?"""
        return all(sign.fits(word, entry, day) for word in self.signs if (sign := _sign(word)) is not None)

    def for_entries(self, entries: Mapping[int, Entry], day: str) -> PrizeList:
        """The list to be divided, with the numbers of those who may win from it."""
        eligible = None
        if self.signs:
            eligible = frozenset(tpn for tpn, entry in entries.items() if self.takes(entry, day))
        return PrizeList(self.name, self.cents, self.sharing, eligible, self.unit)


def cents_of(amount: str) -> int:
    """An amount as it is written, "150" or "99.50", in cents. Raises `PrizeError`."""
    try:
        cents = Decimal(amount) * 100 if re.fullmatch(r"\d{1,9}(\.\d{1,2})?", amount) else Decimal("NaN")
    except InvalidOperation:
        cents = Decimal("NaN")
    if cents.is_nan():
        raise PrizeError(_("{amount!r} is no amount: write it as 150 or 99.50").format(amount=amount), "money")
    return int(cents)


def read(text: str) -> AnnouncedPrizes:
    """One list as it is announced. Raises `PrizeError`."""
    name, colon, rest = text.partition(":")
    if not colon:
        raise PrizeError(_('write a list as "Main prizes: 300 150 90", with its name before the colon'))
    first, *more = (part.strip() for part in rest.split(","))
    sharing, signs, unit = "equal", tuple[str, ...](), 1
    for part in more:
        word, _space, value = part.partition(" ")
        if word == "for":
            signs = tuple(value.split())
        elif word == "in":
            unit = cents_of(value.strip())
        else:
            sharing = part
    return AnnouncedPrizes(name.strip(), tuple(map(cents_of, first.split())), cast(Sharing, sharing), signs, unit)


def problem(lines: Sequence[str], start_date: str) -> str:
    """Why these lists cannot be announced together, in a sentence; "" when they can."""
    lists = []
    for number, line in enumerate(lines, 1):
        try:
            lists.append(read(line))
        except PrizeError as error:
            return _("Prize list {number}, {line!r}: {remedy}.").format(number=number, line=line, remedy=error)
    if len(lists) > MOST_LISTS:
        return _("There are more than {most} prize lists.").format(most=MOST_LISTS)
    names = [each.name for each in lists]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return _("Two prize lists have the name {name!r}: give each a name of its own.").format(name=twice)
    aged = next((each for each in lists if each.by_age), None)
    if aged is not None and not start_date:
        return _("Who may win from {name!r} goes by age: announce the first day of the event.").format(name=aged.name)
    return ""
