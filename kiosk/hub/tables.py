"""What the hub knows of one table: which device speaks for it, whether it is alive, how far its log has come.

Presence comes from heartbeats alone, ordered within a boot by the table's own monotonic stamp: a connection number and
a counter begin again with the table's process, the stamp does not. It is computed with the hub's monotonic clock, and a
late word of an older connection never overrides a newer one. All times here are ms on the hub's clock unless a name
says otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hallnet.sync_down import Inbox
from hallnet.wire import Heartbeat
from rules.laws.events import Assigned
from rules.laws.game_state import GameState

#: Two heartbeats of 5 s missed, and some slack.
OFFLINE_MS = 11_000
#: Assignments and orders without an answer are sent again after this time.
RESEND_MS = 2_000


@dataclass(slots=True)
class Presence:
    """Who is alive at a table.

    One boot at a time holds the table. Another one is not heard while the holder is alive: a device that was really
    started again waits until its old self has been silent for two heartbeats. If the holder speaks on after the
    newcomer has spoken, there are two devices with one identity: `doubled`. `waiting`: events that the device still has
    to send, by its last heartbeat.
    """

    boot: str = ""
    stamp: tuple[int, int, int] = (-1, -1, -1)
    heard: int | None = None
    serial: str = ""
    waiting: int = 0
    rival: str = ""
    rival_serial: str = ""
    rival_heard: int = 0
    doubled: bool = False

    def take(self, beat: Heartbeat, now: int) -> bool:
        """Take a heartbeat; False if it is older than what was heard, or of a device that is not heard."""
        if not self.speaks(beat.boot, now):
            if beat.boot != self.rival:
                self.rival, self.doubled = beat.boot, False
            self.rival_serial, self.rival_heard = beat.serial, now
            return False
        if beat.boot == self.boot:
            if (beat.mono, beat.conn, beat.n) <= self.stamp:
                return False
            self.doubled = bool(self.rival) and now - self.rival_heard < OFFLINE_MS
        else:
            self.rival, self.doubled = "", False
        self.boot, self.stamp, self.heard = beat.boot, (beat.mono, beat.conn, beat.n), now
        self.serial, self.waiting = beat.serial, max(0, beat.last - beat.acked)
        return True

    def speaks(self, boot: str, now: int) -> bool:
        """Is this the boot that is heard: the holder's, or any when the holder is silent?"""
        return boot == self.boot or not self.boot or not self.online(now)

    def replaced(self) -> None:
        """Another device was given the table: whoever held it is not waited for."""
        self.boot, self.stamp, self.heard, self.rival, self.doubled = "", (-1, -1, -1), None, "", False

    def online(self, now: int) -> bool:
        """Was a heartbeat heard within the last two intervals?"""
        return self.heard is not None and now - self.heard < OFFLINE_MS

    def silent_ms(self, now: int) -> int:
        """How long nothing was heard, once that is too long; 0 while online, 1 if never heard at all."""
        if self.heard is None:
            return 1
        return 0 if self.online(now) else now - self.heard


@dataclass(slots=True)
class ChessTime:
    """The table's chess-time line as the hub sees it: an estimate for displays, never for a decision.

    The last event ties a chess time to the table's monotonic clock; heartbeats carry that clock on, so that a backlog
    or a restart of the hub does not set the displays back.
    """

    speed: float = 1.0
    boot: str = ""
    event_t: int = 0
    event_mono: int = 0
    t: int = 0
    at: int | None = None

    def event(self, t: int, boot: str, mono_us: int, now: int | None) -> None:
        """An event with chess time `t`, written at `mono_us` on the clock of `boot`, arrived at `now`.

        None: it is read from the log, and nobody knows how long ago it was; the time stands until the table speaks.
        """
        fresh = boot != self.boot
        self.boot, self.event_t, self.event_mono = boot, t, mono_us
        if now is None:
            self.t, self.at = t, None
        elif fresh or t >= self.now(now):
            self.t, self.at = t, now

    def heartbeat(self, boot: str, mono_us: int, now: int) -> None:
        """A heartbeat written at `mono_us` arrived at `now`."""
        if boot == self.boot:
            t = self.event_t + int((mono_us - self.event_mono) / 1000 * self.speed)
            if self.at is None or t >= self.now(now):
                self.t, self.at = t, now

    def now(self, now: int) -> int:
        """The table's chess time at hub time `now`, as good as can be told."""
        return self.t if self.at is None else self.t + int((now - self.at) * self.speed)


@dataclass(slots=True)
class Table:
    """One table: enrolled device, inbox of the current epoch, presence, what it holds and what waits for it.

    `told`: the newest round and revision that the table itself says it has.
    """

    id: str
    epoch: int = 0
    instance: str = ""
    inbox: Inbox | None = None
    game: GameState = field(default_factory=GameState)
    game_epoch: int = 0
    presence: Presence = field(default_factory=Presence)
    time: ChessTime = field(default_factory=ChessTime)
    held: tuple[int, int] = (0, 0)
    refused: tuple[int, int] = (0, 0)
    told: tuple[int, int] = (0, 0)
    sent_at: int = -RESEND_MS
    was_online: bool = False
    offset: int = 0

    def answer(self, event: Assigned) -> None:
        """The table took an assignment, or said why not."""
        if event.assignment is None and event.why:
            self.refused = (event.round, event.rev)
        else:
            self.held = (event.round, event.rev)

    def has(self, round_number: int, rev: int) -> bool:
        """Did the table answer this assignment, taking it or saying why not?"""
        return (round_number, rev) in (self.held, self.refused) or (round_number, rev) < self.held

    def due(self, now: int) -> bool:
        """May unanswered assignments and orders be sent again?"""
        return now - self.sent_at >= RESEND_MS


def table_order(table: str) -> tuple[str, int, str]:
    """Sort key: numeric order of table ids, letters before the number first ("2" before "10", "a2" before "a10")."""
    match = re.match(r"([a-z]*)(\d*)", table)
    letters, digits = match.groups() if match else (table, "")
    return letters, int(digits or 0), table
