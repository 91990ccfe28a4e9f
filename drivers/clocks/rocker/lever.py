"""A rocker with two contacts: which side is down. Pure, time in µs.

While the rocker tips both contacts are open for 10 to 40 ms; the turn changes only when the new contact closes. The
same contact again (a bounce that the debounce let through, a tap on the side that is down already) changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lever:
    """The contact that closed last, None before the first."""

    down: str | None = None

    @classmethod
    def found(cls, closed: Mapping[str, bool]) -> Lever:
        """The lever as it lies at the start; a middle position, or both contacts closed, is unknown."""
        down = [line for line, is_closed in closed.items() if is_closed]
        return cls(down[0] if len(down) == 1 else None)

    def pressed(self, line: str) -> tuple[Lever, bool]:
        """`line` closed: the new state, and whether the lever changed sides."""
        return Lever(line), line != self.down
