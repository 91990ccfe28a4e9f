"""Contact bounce of one line: raw edges in, presses out; pure, time is an argument in µs.

A press is the first closing edge after which the contact is closed `glitch_us` later (after a spike it is not). After
it nothing counts for `lockout_us`, and the contact must have been open for `release_us` without a break before it can
press again, so a plunger held down or bouncing on release presses once. One that is held down when the unit starts has
not pressed: it must be released as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

GLITCH_US = 1_500
LOCKOUT_US = 40_000
RELEASE_US = 15_000


@dataclass(frozen=True, slots=True)
class Filter:
    """The three times of the debounce, in µs; the standard ones suit plungers and cheap arcade buttons."""

    glitch_us: int = GLITCH_US
    lockout_us: int = LOCKOUT_US
    release_us: int = RELEASE_US


@dataclass(frozen=True, slots=True)
class Debounce:
    """State of one line. `closed` is the contact's level after the last edge at `changed`."""

    closed: bool = False
    changed: int = -RELEASE_US
    closings: tuple[int, ...] = ()  # closing edges that are not judged yet
    pressed: int | None = None  # stamp of the accepted press, until the plunger is armed again
    filter: Filter = field(default=Filter())

    @classmethod
    def found(cls, closed: bool, rule: Filter) -> Debounce:
        """A line as it is when somebody begins to listen, at 0."""
        return cls(closed=closed, pressed=-rule.lockout_us if closed else None, filter=rule)

    @property
    def due(self) -> int | None:
        """When an edge can be judged, or None."""
        return self.closings[0] + self.filter.glitch_us if self.closings else None

    def at(self, t: int) -> tuple[Debounce, int | None]:
        """What is known at `t`: the new state, and the stamp of a press that became certain."""
        state, press = self, None
        while state.due is not None and state.due <= t:
            first, *later = state.closings
            if state.closed:
                press, later = first, []
                state = replace(state, pressed=press)
            state = replace(state, closings=tuple(later))
        rested = not state.closed and t - state.changed >= state.filter.release_us
        if state.pressed is not None and rested and t - state.pressed >= state.filter.lockout_us:
            state = replace(state, pressed=None)
        return state, press

    def edge(self, t: int, closed: bool) -> tuple[Debounce, int | None]:
        """An edge at `t`: the contact is now closed or open."""
        state, press = self.at(t)
        if closed == state.closed:
            return state, press
        closings = (*state.closings, t) if closed and state.pressed is None else state.closings
        return replace(state, closed=closed, changed=t, closings=closings), press
