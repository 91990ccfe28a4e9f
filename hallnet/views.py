"""What faces see: the state of one table and of the hall, as values that travel as JSON.

A face never computes a decision from these; it shows them and sends intents. Views are complete: the newest
replaces the one before, so a face may miss any number of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from rules.laws.events import Assignment, Player, Side

TablePhase = Literal["idle", "assigned", "ready", "playing", "paused", "ended", "confirmed", "disputed"]
HallPhase = Literal["to-pair", "draft", "published", "running", "complete", "finished"]
BoardState = Literal[
    "draft", "sent", "assigned", "ready", "playing", "paused", "ended", "confirmed", "disputed", "ruled"
]  # fmt: skip


class View(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the views."""


class ClockView(View, frozen=True, kw_only=True):
    """Both clocks in chess ms at the chess-time `t`; the clock of `running` goes on falling since then.

    `delay_ms` is what is left of a delay before `running` starts to fall.
    """

    white_ms: int
    black_ms: int
    t: int
    running: Side | None = None
    flagged: Side | None = None
    paused: bool = False
    delay_ms: int = 0

    def at(self, t: int) -> tuple[int, int]:
        """(white, black) in ms at chess-time `t`, for display; never below zero."""
        gone = max(0, t - self.t - self.delay_ms)
        white = self.white_ms - (gone if self.running == "white" else 0)
        black = self.black_ms - (gone if self.running == "black" else 0)
        return max(0, white), max(0, black)


class MoveView(View, frozen=True, kw_only=True):
    """One completed or made move: SAN, UCI, the mover's clock after the press (ms)."""

    san: str
    uci: str
    clock_ms: int


class LinkView(View, frozen=True, kw_only=True):
    """Contact with the hub: "ok", "lost" (since wall ms) or "never"; events that wait for the hub.

    `why`: when it is known why nothing goes through (the key is not allowed, another device is here, the cable is out),
    in words without an end. `heard`: when the hub was last heard, BOOTTIME ms; 0 never.
    """

    state: Literal["ok", "lost", "never"]
    since: int = 0
    waiting: int = 0
    why: str = ""
    heard: int = 0


class QuestionView(View, frozen=True, kw_only=True):
    """A question to one side, with the permitted answers; about an earlier move with its number (1, 2 …)."""

    id: str
    side: Side
    about: str
    options: tuple[str, ...]
    move: int = 0


class TableView(View, frozen=True, kw_only=True):
    """Everything a table's screen shows. `t` and `boot_ms` are one instant, on the chess-time line and on BOOTTIME.

    `claims` are those that the edition of the Laws knows, whether there is reason for one or not; `may_resume` is the
    side that has stopped the clocks and may let play go on.
    """

    table: str
    revision: int
    t: int
    boot_ms: int
    speed: float
    link: LinkView
    phase: TablePhase
    assignment: Assignment | None = None
    fen: str = ""
    placement: str = ""
    candidate: str = ""
    turn: Side = "white"
    moves: tuple[MoveView, ...] = ()
    clock: ClockView | None = None
    seated: tuple[Side, ...] = ()
    ready: tuple[Side, ...] = ()
    offer: Side | None = None
    question: QuestionView | None = None
    proposed: str = ""
    ended_by: str = ""
    evidence: Mapping[str, str] = {}
    confirmed: tuple[Side, ...] = ()
    call: str = ""
    board_problem: str = ""
    board_kind: str = ""
    clock_kind: str = ""
    simulated: bool = False
    taken: tuple[Side, ...] = ()
    claims: tuple[str, ...] = ("repetition", "fifty-moves", "flag", "illegal-move")
    may_resume: Side | None = None


class CaseView(View, frozen=True, kw_only=True):
    """What the record says for the ruling on a call, by the edition of the Laws.

    `about` is what is claimed ("repetition", "fifty-moves", "flag", "illegal-move") or what the table calls about
    ("illegal-move", "default", "undetermined", "announced"). `against`: who made the illegal move, whose flag fell
    first, who has not come. `proven`: the record alone shows it. `bonus_ms` is what the opponent gets for the illegal
    move, or for a wrong draw claim; `loses`: this illegal move is the one too many. `concluded`: the claim has ended
    play, and nothing is left but a result (Guidelines III.6); `inc_ms` is the increment that one may grant (III.4).
    """

    about: str
    against: tuple[Side, ...] = ()
    proven: bool = False
    bonus_ms: int = 0
    loses: bool = False
    concluded: bool = False
    inc_ms: int = 0


class CallView(View, frozen=True, kw_only=True):
    """One open call of the arbiter: `since` wall ms; `kind` and `why` as in the tournament's log.

    `case` is what the record says about it, None when it says nothing.
    """

    id: str
    round: int
    board: int
    kind: str
    side: str
    why: str
    since: int
    case: CaseView | None = None


class StepView(View, frozen=True, kw_only=True):
    """What the arbiter's one-key "next" would do now: `kind` of the intent ("" = nothing), and the sentence for it."""

    kind: str
    sentence: str


class HallHead(View, frozen=True, kw_only=True):
    """The hall as a whole; `wall` is the hub's wall time (ms), `revision` grows with every change.

    `hubs`: where this hub and its standby are ("host:port"), as far as they know. `fide_mode`: is the event still under
    FIDE handling?
    """

    event: str
    round: int
    rounds: int
    phase: HallPhase
    step: StepView
    boards: int
    playing: int
    done: int
    tables_online: int
    tables: int
    calls: tuple[CallView, ...]
    notices: tuple[str, ...]
    revision: int
    incarnation: int
    wall: int
    speed: float = 1.0
    bye: Player | None = None
    control: str = ""
    arbiter: str = ""
    started: int = 0
    hubs: tuple[str, ...] = ()
    fide_mode: bool = True


class BoardRow(View, frozen=True, kw_only=True):
    """One board of the current round.

    The clock is as of the moment of sending (`clock.t` is not comparable across hosts: a desk counts on from the moment
    of arrival, times the hall's speed).
    """

    board: int
    table: str
    white: Player
    black: Player
    state: BoardState
    game: str = ""
    clock: ClockView | None = None
    last: str = ""
    plies: int = 0
    fen: str = ""
    last_uci: str = ""
    offer: Side | None = None
    score: str = ""
    ended_by: str = ""
    confirmed: tuple[Side, ...] = ()
    ready: tuple[Side, ...] = ()
    call: str = ""
    offline: int = 0


class BoardRows(View, frozen=True, kw_only=True):
    """A batch of changed boards of round `round`; `whole` means: these are all the boards there are."""

    round: int
    revision: int
    rows: tuple[BoardRow, ...]
    whole: bool = False


class StandingRow(View, frozen=True, kw_only=True):
    """One place: points as a decimal string, tie-break values by code, what decided the order to the one above.

    Who is `excluded` has no place (expelled from a Swiss, or gone from a round robin too early): `reason` says why.
    """

    rank: int
    tpn: int
    name: str
    rating: int
    title: str
    federation: str
    points: str
    values: Mapping[str, str]
    decided_by: str = ""
    reason: str = ""
    withdrawn: bool = False
    excluded: bool = False


class StandingsView(View, frozen=True, kw_only=True):
    """Standings after `round` rounds, with the tie-break codes in order."""

    round: int
    codes: tuple[str, ...]
    rows: tuple[StandingRow, ...]
    revision: int = 0


class GameView(View, frozen=True, kw_only=True):
    """One game in full, for the desk's board page. An open draw claim: what is claimed, with which move announced.

    `can` names the orders that the arbiter may give now (`rules.laws.game.permitted`), `told` says in sentences how the
    game stands, what everybody may do, and what the record holds for the arbiter alone.
    """

    row: BoardRow
    round: int
    moves: tuple[MoveView, ...]
    evidence: Mapping[str, str] = {}
    log: tuple[str, ...] = ()
    claim: str = ""
    claimed_move: str = ""
    can: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


class HallSnapshot(View, frozen=True, kw_only=True):
    """What a desk gets on asking: everything."""

    head: HallHead
    boards: BoardRows
    standings: StandingsView


class WaitingView(View, frozen=True, kw_only=True):
    """A device that wants to come in: `id` names it in an intent, `serial` for people; `ready`: it shows a code."""

    id: str
    serial: str
    ready: bool = False


class EnrolmentView(View, frozen=True, kw_only=True):
    """The enrolment that is open, until `until` (wall ms) or until `tries` wrong codes more."""

    role: str
    name: str
    until: int
    tries: int
    by: str = ""
    devices: tuple[WaitingView, ...] = ()


class DeviceView(View, frozen=True, kw_only=True):
    """One holder of a key, or one table of a hall without keys.

    `state` and what follows it is known of tables only: how long it was silent (ms), how far its wall clock is off
    (ms), its epoch, how many of its events are committed and how many it has still to send, and the serial of a second
    device with the same identity. `key` was granted at `since` (wall ms) and, if it is replaced, runs out at `until`.
    """

    role: str
    name: str
    state: Literal["online", "silent", "never", "unknown"] = "unknown"
    serial: str = ""
    silent_ms: int = 0
    key: str = ""
    since: int = 0
    until: int = 0
    offset_ms: int = 0
    epoch: int = 0
    events: int = 0
    waiting: int = 0
    rival: str = ""


class StandbyView(View, frozen=True, kw_only=True):
    """The second hub: how many rows its copy is behind, where it would open, acknowledgements that went without it."""

    mode: Literal["async", "both"] = "async"
    state: Literal["none", "copying", "silent"] = "none"
    behind: int = 0
    address: str = ""
    late: int = 0


class DiskView(View, frozen=True, kw_only=True):
    """The hub's disk: free space, the probe's 99th percentile of a synced write, the longest commit of the last minute.

    `why`: what is wrong and what to do, in a sentence.
    """

    state: Literal["ok", "slow", "full", "unknown"] = "unknown"
    free_mb: int = 0
    sync_ms: int = 0
    busy_ms: int = 0
    why: str = ""


class OfficeView(View, frozen=True, kw_only=True):
    """The hub itself, for the desk: who may speak, how the devices are, the standby, the disk, who was turned away.

    Counts are since the hub was started; `turned_away` are sentences, the newest last.
    """

    keys: bool
    devices: tuple[DeviceView, ...]
    enrolment: EnrolmentView | None = None
    standby: StandbyView = StandbyView()
    disk: DiskView = DiskView()
    backlog: int = 0
    duplicates: int = 0
    set_aside: int = 0
    conflicts: int = 0
    refused: int = 0
    turned_away: tuple[str, ...] = ()
