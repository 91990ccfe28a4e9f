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

    `why`: a sentence when it is known why nothing goes through (the key is not allowed, another device is here).
    """

    state: Literal["ok", "lost", "never"]
    since: int = 0
    waiting: int = 0
    why: str = ""


class QuestionView(View, frozen=True, kw_only=True):
    """A question to one side, with the permitted answers."""

    id: str
    side: Side
    about: str
    options: tuple[str, ...]


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
    move, or for a wrong draw claim; `loses`: this illegal move is the one too many.
    """

    about: str
    against: tuple[Side, ...] = ()
    proven: bool = False
    bonus_ms: int = 0
    loses: bool = False


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
    """The hall as a whole; `wall` is the hub's wall time (ms), `revision` grows with every change."""

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
    """One place: points as a decimal string, tie-break values by code, what decided the order to the one above."""

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
