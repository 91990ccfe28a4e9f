"""What goes into the hub's core and what comes out: values only, so that a test can play a whole hall by hand.

`at` is the hub's monotonic time in ms when the input arrived, `wall` its wall time in ms since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.hub.pairer import Job, Outcome


@dataclass(frozen=True, slots=True)
class FromTable:
    """A table's message: `table` and `leaf` come from the subject, never from the payload."""

    table: str
    leaf: str
    payload: bytes
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class FromDesk:
    """A desk's intent."""

    desk: str
    payload: bytes
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class PairingDone:
    """A pairing was computed: for which desk and intent, from which basis (`PairingState.digest`)."""

    desk: str
    intent: str
    by: str
    basis: str
    outcome: Outcome
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes: presence, repeats and the streams to the desks are looked at."""

    at: int
    wall: int


Input = FromTable | FromDesk | PairingDone | Tick


@dataclass(frozen=True, slots=True)
class Send:
    """Publish a message."""

    subject: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Compute:
    """Compute a pairing outside and hand in `PairingDone` with the same desk, intent, name and basis."""

    desk: str
    intent: str
    by: str
    basis: str
    job: Job


Output = Send | Compute
