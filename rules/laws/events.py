"""Everything that can happen at one table, as frozen values.

A game is a fold over these events (`rules.laws.game`); a table writes them to its log and sends them to the hub.
`t` is the table's chess-time line: integer milliseconds on `CLOCK_BOOTTIME` (times the speed of a simulated hall).
Chess clocks are integer milliseconds. Squares and moves are written as in UCI; sides are "white" or "black".

The set of kinds is closed for wire version 1 (`KINDS`). A reader that meets another kind sets it aside. Events record
what was decided (a flag, an ending, a verdict); a fold never decides again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["white", "black"]
Score = Literal["1-0", "0-1", "1/2-1/2", "0-0"]
#: What ended a game: Laws 5.1.1, 5.1.2, 5.2.1, 5.2.2, 5.2.3, 9.2, 9.3, 9.6.1, 9.6.2, 6.9, 7.5.5, a ruling, 6.7.
EndedBy = Literal[
    "checkmate", "resignation", "stalemate", "dead-position", "agreement", "repetition", "fifty-moves",
    "fivefold-repetition", "seventy-five-moves", "flag", "illegal-move", "ruling", "default",
]  # fmt: skip

#: What a player may claim, see `Claim`.
ClaimWhat = Literal["repetition", "fifty-moves", "flag", "illegal-move", "touch-move", "increment", "normal-means"]


@dataclass(frozen=True, slots=True)
class Player:
    """One player as the table shows him: pairing number, name, rating (0 = unrated), title, federation."""

    tpn: int
    name: str
    rating: int = 0
    title: str = ""
    federation: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What the hub wants played at a table.

    `game` names the game for ever (`r3b12` style); (`round`, `rev`) orders assignments, the greater wins. `control` is
    a time control in the form of `rules.laws.time_control.parse`. `start_fen` is empty for the usual start position.
    `edition` names the edition of the Laws as `rules.laws.edition.edition_of` reads it.
    """

    event: str
    round: int
    rev: int
    game: str
    board: int
    white: Player
    black: Player
    control: str
    rounds: int = 0
    start_fen: str = ""
    edition: str = ""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The table took an assignment, or says why not (then `assignment` is None and `why` a sentence)."""

    t: int
    round: int
    rev: int
    assignment: Assignment | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Seated:
    """A player sat down and signed in at his side."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Ready:
    """A player has checked board, names and control and is ready to start."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Start:
    """White's clock was started (Laws 6.6), by the arbiter's order `order` if there was one."""

    t: int
    order: str = ""


@dataclass(frozen=True, slots=True)
class Ply:
    """A move was made (Laws 4.7): stamp of the release, clocks at that stamp, short hash of the position after it.

    `illegal` is the kind of an illegal move (`rules.laws.edition.Offence`), `placement` then what stands on the board
    after it (FEN). `touched` are the squares whose pieces were touched for the move, in order: evidence, no verdict.
    """

    t: int
    side: Side
    uci: str
    white_ms: int
    black_ms: int
    position: str = ""
    illegal: str = ""
    placement: str = ""
    touched: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Press:
    """A player pressed and so completed his move (Laws 6.2.1): clocks after the press, increment included."""

    t: int
    side: Side
    white_ms: int
    black_ms: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A draw offer (Laws 9.1)."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim: `repetition` (9.2) or `fifty-moves` (9.3), with the announced move or on the position ("").

    Also a `flag` (6.8), an `illegal-move` (7.5) or a breach of `touch-move` (4.3), then with the move complained of, if
    the record has it. Where Guidelines III were announced, a request for an `increment` (III.4) or a claim that the
    opponent cannot win by `normal-means` (III.5).
    """

    t: int
    side: Side
    what: ClaimWhat
    move: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """Somebody called the arbiter: a player, or the table itself (`side` None).

    `about` says for programs what the table calls about: "illegal-move", "announced", "default", "undetermined"; "" for
    anything else.
    """

    t: int
    side: Side | None
    why: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag fell at `t`, the computed instant (Laws 6.8)."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Resigned:
    """A player resigned (Laws 5.1.2)."""

    t: int
    side: Side


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over: score, what ended it, and the evidence (article, move numbers, times) in words and numbers."""

    t: int
    score: Score
    by: EndedBy
    evidence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The result that both players are asked to confirm, proposed by a side or by the table (None)."""

    t: int
    score: Score
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A side confirmed the proposed result."""

    t: int
    side: Side
    score: Score


@dataclass(frozen=True, slots=True)
class Disputed:
    """A side disputes the proposed result and says another (or none, "")."""

    t: int
    side: Side
    says: Score | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Paused:
    """Both clocks were stopped, by `by` ("arbiter", "table", "white", "black"); clocks at that moment.

    After a restart of the machine the table itself pauses with the journalled times: `restore` is True and the fold
    takes the clock values from the event instead of computing them; `age_ms` is how old these were when a clock ran
    and another device took over (0: they are exact). `sealed` is the side that sealed a move when the
    game was adjourned (Guidelines I), `envelope` what is written on the envelope.
    """

    t: int
    by: str
    white_ms: int
    black_ms: int
    why: str = ""
    order: str = ""
    restore: bool = False
    sealed: Side | Literal[""] = ""
    envelope: str = ""
    age_ms: int = 0


@dataclass(frozen=True, slots=True)
class Resumed:
    """Play goes on; the clock of `side` runs (None: the side that ran before).

    `postponed`: the decision on a claim was put off; the arbiter decides when a flag has fallen (Guidelines III.5.2).
    """

    t: int
    by: str
    side: Side | None = None
    order: str = ""
    postponed: bool = False


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Clock values set by an arbiter's order (Laws 6.10), and what was put right or punished with it.

    `ply` is the number of plies that stay in the record (-1: all). `fen` is the position that play goes on from, when
    the record does not give it. `swapped` exchanges the players: they sat at the wrong colours and play on (7.3).
    `offender` was ruled against for `offence`, with the `penalty` "warning" or "time". From now on both sides get
    `inc_ms` for each move, if it is not 0 (Guidelines III.4).
    """

    t: int
    order: str
    white_ms: int
    black_ms: int
    why: str = ""
    ply: int = -1
    fen: str = ""
    swapped: bool = False
    offender: Side | Literal[""] = ""
    offence: str = ""
    penalty: str = ""
    inc_ms: int = 0


@dataclass(frozen=True, slots=True)
class Named:
    """Who plays the game, and at which board, as the hub's sheet says now; None and 0: as before.

    The game stays the same one, with its moves, clocks and confirmations.
    """

    t: int
    order: str = ""
    white: Player | None = None
    black: Player | None = None
    board: int = 0


#: The answer to the question for a capture, or for an earlier move, that says: none of these.
OTHERS = "…"
#: The answer to the question what was played while the board was not connected that says: none of these lines.
OTHER_MOVES = "other"


@dataclass(frozen=True, slots=True)
class Question:
    """The table asks one side something: `about` "draw", "promotion", "move" … and the permitted answers.

    A question about an earlier move names it: `ply` is its number in the record, from 0.
    """

    t: int
    id: str
    side: Side
    about: str
    options: tuple[str, ...] = ()
    ply: int = -1


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the question `id`."""

    t: int
    id: str
    side: Side
    value: str


@dataclass(frozen=True, slots=True)
class Board:
    """The physical board needs attention, or is in order again ("ok"); `placement` is a FEN piece placement."""

    t: int
    state: Literal["ok", "unexplained", "lost", "returned"]
    placement: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class OrderDone:
    """An order of the hub was carried out, or could not be (`ok` False and `why` a sentence)."""

    t: int
    order: str
    ok: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of the table failed or recovered: `part` "board", "clock", "disk", "process" …"""

    t: int
    part: str
    what: str


@dataclass(frozen=True, slots=True)
class Opened:
    """The first event of an epoch, and why it began ("enrolled", "replaced", "moved"): nothing is at the table yet."""

    t: int
    why: str


GameEvent = (
    Assigned | Seated | Ready | Start | Ply | Press | Offer | Claim | Call | Flag | Resigned | Ended | Result
    | Confirmed | Disputed | Paused | Resumed | Adjusted | Question | Answer | Board | OrderDone | Fault | Opened
    | Named
)  # fmt: skip

#: Wire kind → class. The wire names are those of `hallnet.wire`, version 1.
KINDS: Mapping[str, type[GameEvent]] = {
    "assigned": Assigned,
    "seated": Seated,
    "ready": Ready,
    "start": Start,
    "ply": Ply,
    "press": Press,
    "offer": Offer,
    "claim": Claim,
    "call": Call,
    "flag": Flag,
    "resigned": Resigned,
    "ended": Ended,
    "result": Result,
    "confirmed": Confirmed,
    "disputed": Disputed,
    "paused": Paused,
    "resumed": Resumed,
    "adjusted": Adjusted,
    "question": Question,
    "answer": Answer,
    "board": Board,
    "order-done": OrderDone,
    "fault": Fault,
    "opened": Opened,
    "named": Named,
}
#: Class → wire kind.
KIND_OF: Mapping[type[GameEvent], str] = {cls: kind for kind, cls in KINDS.items()}
