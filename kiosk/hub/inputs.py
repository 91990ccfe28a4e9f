"""What goes into the hub's core and what comes out: values only, so that a test can play a whole hall by hand.

`at` is the hub's monotonic time in ms when the input arrived, `wall` its wall time in ms since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass

from hallnet.key_share import Want
from hallnet.views import DiskView
from kiosk.hub.feed import Picture
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
class FromDevice:
    """A message of a device that wants to be enrolled; `device` comes from the subject."""

    device: str
    payload: bytes
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class FromStandby:
    """The standby says how far its copy has come (`leaf` "in"), or asks for the hall's keys ("want")."""

    payload: bytes
    at: int
    wall: int
    leaf: str = "in"


@dataclass(frozen=True, slots=True)
class Refusals:
    """The server turned somebody away `count` times.

    `what`: "write" or "listen" (then `who` is the public key and `subject` what it tried), "key" (an unknown key, or
    none), "tls" (no TLS, or given up), "size" (`who` sent more than a message may have), "crowd" (too many at the
    door).
    """

    what: str
    who: str
    subject: str
    count: int
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class DiskSeen:
    """How the hub's disk is."""

    disk: DiskView
    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes: presence, repeats and the streams to the desks are looked at."""

    at: int
    wall: int


@dataclass(frozen=True, slots=True)
class FilesWritten:
    """The event's files stand in the hub's folder, or why they could not be written there."""

    folder: str
    why: str
    at: int
    wall: int


Input = FromTable | FromDesk | FromDevice | FromStandby | Refusals | PairingDone | DiskSeen | FilesWritten | Tick


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


@dataclass(frozen=True, slots=True)
class Rekey:
    """Give the server these users."""

    users: str


@dataclass(frozen=True, slots=True)
class Share:
    """Send the hall's keys to the standby that wants them."""

    want: Want


@dataclass(frozen=True, slots=True)
class SafeKeep:
    """Something happened that no table could tell again: make a copy of the log, with `files` the event's files too."""

    files: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """Something spectators may see has changed."""

    picture: Picture


Output = Send | Compute | Rekey | Share | SafeKeep | Show
