"""The tie-breaks by code. A new one is one function and one line in `CODES`.

Codes are written as in TRF26: a name and modifiers, as in `BH/C1` or `SB/M1` (case does not matter).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _

from rules.tiebreaks import own
from rules.tiebreaks.crosstable import Crosstable, Modifiers, Value
from rules.tiebreaks.encounter import direct_encounter
from rules.tiebreaks.opponents import buchholz, sonneborn_berger

Compute = Callable[[Crosstable, Sequence[int], Modifiers], Mapping[int, Value]]


class UnknownCode(ValueError):
    """A tie-break code that is not known here; str() says which are."""


@dataclass(frozen=True, slots=True)
class Code:
    """A code's function, and the letters of the modifiers it understands."""

    compute: Compute
    modifiers: str = ""


#: Name → code. `DE` looks at the tied players only, so it is computed anew for every tie.
CODES: Mapping[str, Code] = {
    "PTS": Code(own.points),
    "DE": Code(direct_encounter, "P"),
    "BH": Code(buchholz, "CM"),
    "SB": Code(sonneborn_berger, "CM"),
    "WIN": Code(own.wins),
    "WON": Code(own.won_games),
    "BPG": Code(own.black_games),
    "BWG": Code(own.black_wins),
    "PS": Code(own.progressive, "C"),
}
_MODIFIER = re.compile(r"([CM])([1-9]\d?)|(P)")


def parse(code: str) -> tuple[Code, Modifiers]:
    """The code and its modifiers. Raises `UnknownCode`."""
    name, *parts = code.upper().split("/")
    known = CODES.get(name)
    found = [_MODIFIER.fullmatch(part) for part in parts]
    letters = [(m.group(1) or m.group(3), int(m.group(2) or 0)) for m in found if m is not None]
    if known is None or len(letters) < len(parts) or any(letter not in known.modifiers for letter, _n in letters):
        raise UnknownCode(
            _("{code!r} is no tie-break known here. Known are: {known}.").format(code=code, known=", ".join(CODES))
        )
    low = sum(n for letter, n in letters if letter in "CM")
    high = sum(n for letter, n in letters if letter == "M")
    return known, Modifiers(low, high, any(letter == "P" for letter, _n in letters))


def is_known(code: str) -> bool:
    """Can the code be computed here?"""
    try:
        parse(code)
    except UnknownCode:
        return False
    return True


def compute(code: str, table: Crosstable, group: Sequence[int]) -> Mapping[int, Value]:
    """TPN → value for the players of `group` (those still tied). Raises `UnknownCode`."""
    known, modifiers = parse(code)
    return known.compute(table, group, modifiers)
