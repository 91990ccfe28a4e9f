"""What a tie-break answers: a value that sorts, prints and explains itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

#: A reason, or what makes it for a player.
Why = str | Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Value:
    """One player's value of one code: in points, or a place in the group for DE; None when it is undefined.

    `key` sorts: the greater is better, whatever the code; keys compare inside one code only. `text` is the value as
    standings print it ("" = undefined). `why` makes the reason for the player `of` when somebody asks, since most are
    never read; all values of a code share one.
    """

    value: Fraction | None
    key: Fraction | int
    text: str
    why: Why = field(default="", compare=False)
    of: int = field(default=0, compare=False)

    @property
    def reason(self) -> str:
        """The sum in words and numbers: which rounds counted with what, and what was cut."""
        return self.why if isinstance(self.why, str) else self.why(self.of)


#: The key of an undefined value: after every defined one, negative ones too.
UNDEFINED = Fraction(-(10**9))


def undefined(why: Why, of: int = 0) -> Value:
    """A value that does not exist, and why."""
    return Value(None, UNDEFINED, "", why, of)


@lru_cache(maxsize=1 << 14)
def _amount(number: int, unit: int) -> tuple[Fraction, str]:
    value = Fraction(number, unit)
    return value, str(number) if unit == 1 else decimal(value)


@dataclass(frozen=True, slots=True, eq=False)
class Column(Mapping[int, Value]):
    """The values of one code as bare numbers, TPN → key. A `Value` is made when somebody looks: most are only sorted.

    `unit` is what the numbers are counted in: 1 whole ones, 2 half-points, 4 their products, 100 hundredths. With
    `lower_first` the number is the negative of the key. Where the key is `UNDEFINED`, `no_value` says why.
    """

    numbers: Mapping[int, Fraction | int]
    unit: int
    why: Why
    no_value: Why = ""
    lower_first: bool = False

    def __getitem__(self, tpn: int) -> Value:
        number = self.numbers[tpn]
        if isinstance(number, Fraction):
            return undefined(self.no_value, tpn)
        value, text = _amount(-number if self.lower_first else number, self.unit)
        return Value(value, number, text, self.why, tpn)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)


def sort_keys(values: Mapping[int, Value]) -> Mapping[int, Fraction | int]:
    """TPN → what the values sort by, the greater the better."""
    return values.numbers if isinstance(values, Column) else {tpn: value.key for tpn, value in values.items()}


def half_up(value: Fraction, digits: int = 0) -> Fraction:
    """Rounded to decimal digits, halves away from zero."""
    scale: int = 10**digits
    whole = (abs(value) * scale * 2 + 1) // 2
    return Fraction(whole if value >= 0 else -whole, scale)


def decimal(value: Fraction) -> str:
    """A value as a decimal with one digit, or two where it needs them."""
    tenths = value * 10
    if tenths.denominator == 1:
        return f"{'-' if value < 0 else ''}{abs(tenths.numerator) // 10}.{abs(tenths.numerator) % 10}"
    hundredths = (abs(value) * 200 + 1) // 2
    return f"{'-' if value < 0 else ''}{hundredths // 100}.{hundredths % 100:02d}"


@lru_cache(maxsize=1 << 12)
def in_points(half_points: int) -> str:
    """Half-points as points: 9 → "4.5"."""
    return decimal(Fraction(half_points, 2))
