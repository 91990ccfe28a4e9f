"""Contacts that need looking after: a plunger that stays down, both down at once. Pure, time in µs.

A blitz player may hold a plunger for seconds, so only a long time is a fault; it is told once, and once when it is
over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, Protocol, TypeVar

STUCK_US = 20_000_000
#: While the hands cross both plungers may be down; a rocker never has both contacts closed for longer than a bounce.
BOTH_US = 3_000_000

N = TypeVar("N")


class Watch(Protocol, Generic[N]):
    """Something that follows the raw edges of a panel's contacts, in their order, and notices things."""

    @property
    def due(self) -> int | None:
        """When time alone will be news, or None."""

    def edge(self, t: int, line: str, closed: bool) -> tuple[Watch[N], list[N]]:
        """An edge."""

    def at(self, t: int) -> tuple[Watch[N], list[N]]:
        """What time has brought until `t`."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong since `t`, or over since then; `line` is "" for both."""

    t: int
    fault: Literal["stuck", "both-down"]
    line: str
    over: bool = False


@dataclass(frozen=True, slots=True)
class ContactWatch:
    """Since when each closed contact is closed. A rocker always has one side down: there `stuck_us` is None."""

    stuck_us: int | None = STUCK_US
    both_us: int = BOTH_US
    closed: Mapping[str, int] = field(default_factory=dict)
    told: frozenset[str] = frozenset()  # lines that are stuck; "" for both down

    def edge(self, t: int, line: str, closed: bool) -> tuple[ContactWatch, list[Trouble]]:
        """An edge; a fault that it ends."""
        now = dict(self.closed)
        if closed:
            now.setdefault(line, t)
            return replace(self, closed=now), []
        now.pop(line, None)
        over = [Trouble(t, "stuck", line, True)] if line in self.told else []
        if "" in self.told:
            over.append(Trouble(t, "both-down", "", True))
        return replace(self, closed=now, told=self.told - {line, ""}), over

    @property
    def due(self) -> int | None:
        """When the next contact will have been closed for too long."""
        return min((t for t, key, _fault in self._coming()), default=None)

    def at(self, t: int) -> tuple[ContactWatch, list[Trouble]]:
        """What has become a fault by `t`."""
        found = sorted((when, key, fault) for when, key, fault in self._coming() if when <= t)
        troubles = [Trouble(when, fault, key) for when, key, fault in found]
        return replace(self, told=self.told | {trouble.line for trouble in troubles}), troubles

    def _coming(self) -> list[tuple[int, str, Literal["stuck", "both-down"]]]:
        coming: list[tuple[int, str, Literal["stuck", "both-down"]]] = []
        if self.stuck_us is not None:
            coming += [(since + self.stuck_us, line, "stuck") for line, since in self.closed.items()]
        if len(self.closed) > 1:
            coming.append((max(self.closed.values()) + self.both_us, "", "both-down"))
        return [each for each in coming if each[1] not in self.told]
