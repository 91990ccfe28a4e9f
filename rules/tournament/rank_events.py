"""What is said about places by somebody, and not worked out; part of `rules.tournament.events`."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A value from outside, as it is written.
DECIMAL = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class TiedOrdered:
    """Players whom no tie-break separates stand in this order, after a play-off, say; `on` False: not any more.

    It separates those of them who are tied, as long as they are; it never takes somebody past another by points or by
    a tie-break.
    """

    at: int
    order: tuple[int, ...]
    by: str
    why: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class OutsideValued:
    """A tie-break value that was worked out elsewhere (code `rules.tiebreaks.registry.OUTSIDE`), as a decimal text.

    "" takes it back.
    """

    at: int
    tpn: int
    value: str
    by: str
    why: str
