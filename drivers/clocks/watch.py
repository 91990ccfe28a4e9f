"""Contacts that need looking after: a plunger that stays down, both down at once, one that chatters. Pure, in µs.

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

#: So many edges within a second are no hand and no bounce, but a loose or unshielded cable; quiet so long, it is over.
NOISY, SECOND_US, QUIET_US = 400, 1_000_000, 5_000_000

Fault = Literal["stuck", "both-down", "noisy"]
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
    fault: Fault
    line: str
    over: bool = False


@dataclass(frozen=True, slots=True)
class Chatter:
    """Edges of a line: how many within the second that began at `since`, and the last one."""

    since: int
    count: int
    last: int

    def edge(self, t: int) -> Chatter:
        """One more."""
        return Chatter(t, 1, t) if t - self.since >= SECOND_US else Chatter(self.since, self.count + 1, t)


@dataclass(frozen=True, slots=True)
class ContactWatch:
    """Since when each closed contact is closed. A rocker always has one side down: there `stuck_us` is None."""

    stuck_us: int | None = STUCK_US
    both_us: int = BOTH_US
    closed: Mapping[str, int] = field(default_factory=dict)
    chatter: Mapping[str, Chatter] = field(default_factory=dict)
    told: frozenset[tuple[Fault, str]] = frozenset()

    def edge(self, t: int, line: str, closed: bool) -> tuple[ContactWatch, list[Trouble]]:
        """An edge; a fault that it ends, or noise that it makes certain."""
        chatter = self.chatter.get(line, Chatter(t, 0, t)).edge(t)
        now = dict(self.closed)
        if closed:
            now.setdefault(line, t)
        else:
            now.pop(line, None)
        over: set[tuple[Fault, str]] = set() if closed else {("stuck", line), ("both-down", "")}
        ended = self.told & over
        begun: set[tuple[Fault, str]] = {("noisy", line)} if chatter.count >= NOISY else set()
        troubles = [Trouble(t, fault, key, True) for fault, key in sorted(ended)]
        troubles += [Trouble(t, fault, key) for fault, key in begun - self.told]
        told = self.told - ended | begun
        return replace(self, closed=now, chatter={**self.chatter, line: chatter}, told=told), troubles

    @property
    def due(self) -> int | None:
        """When the next contact will have been closed for too long, or quiet for long enough."""
        return min((trouble.t for trouble in self._coming()), default=None)

    def at(self, t: int) -> tuple[ContactWatch, list[Trouble]]:
        """What has become a fault by `t`, or is none any more."""
        found = sorted((each for each in self._coming() if each.t <= t), key=lambda each: each.t)
        changed = {(trouble.fault, trouble.line) for trouble in found}
        return replace(self, told=self.told ^ changed), found

    def _coming(self) -> list[Trouble]:
        coming: list[Trouble] = []
        if self.stuck_us is not None:
            coming += [Trouble(since + self.stuck_us, "stuck", line) for line, since in self.closed.items()]
        if len(self.closed) > 1:
            coming.append(Trouble(max(self.closed.values()) + self.both_us, "both-down", ""))
        coming = [each for each in coming if (each.fault, each.line) not in self.told]
        noisy = [line for fault, line in self.told if fault == "noisy"]
        return coming + [Trouble(self.chatter[line].last + QUIET_US, "noisy", line, True) for line in noisy]
