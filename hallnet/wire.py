"""The wire, version 1: subjects and messages between tables, hub and desks.

Every message is one JSON object in UTF-8 with `"v": 1`. Unknown fields are ignored; an unknown `v` or `kind` is kept
and answered, never dropped. Wall times are ms since 1970, monotonic stamps µs on `CLOCK_BOOTTIME`, chess clocks ms.

Who speaks is taken from the subject (which the server checks), never from the payload, and never from a reply subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from gettext import gettext as _
from typing import Any, Literal, TypeVar

import msgspec

from hallnet.address import PLACE as PLACE
from hallnet.address import TOKEN as TOKEN
from hallnet.address import Address as Address
from hallnet.address import TableLeaf as TableLeaf
from hallnet.address import WireError as WireError
from rules.laws.events import KIND_OF, KINDS, Assignment, GameEvent, Player

VERSION = 1
MAX_PAYLOAD = 16_384
MAX_BATCH = 32
#: Bytes of one event's data: with its envelope, alone in a batch or in a part of a past, it fits into a message.
MAX_DATA = MAX_PAYLOAD - 1_024
#: Letters of a text that is cut because its event would not fit.
MAX_TEXT = 1_000
MOST = 2**63 - 1
#: Incarnations of a hub count up by one at each start, and to the next multiple of this when another hub takes over.
GENERATION = 1_000_000


def _check_range(*numbers: int) -> None:
    """Numbers beyond 63 bits fit into no store; raises `ValueError`."""
    if not all(-MOST <= number <= MOST for number in numbers):
        raise ValueError(_("a number is too large"))


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all messages: carries the version."""

    v: int = VERSION


class EventMsg(Message, frozen=True, kw_only=True):
    """One event of a table: identity (table from the subject, `e` epoch, `s` seq), game, kind, stamps, chain, data.

    `prev` is the hash of the event before it in the epoch ("" for the first); `sync` says whether the wall clock was
    synchronised when it was written.
    """

    e: int
    s: int
    g: str
    kind: str
    wall: int
    mono: int
    boot: str
    sync: bool
    prev: str
    d: msgspec.Raw

    def __post_init__(self) -> None:
        _check_range(self.v, self.e, self.s, self.wall, self.mono)


class Batch(Message, frozen=True, kw_only=True):
    """Table → hub on `up`: 1 to 32 events in order. `boot` is who sends them ("" from older tables).

    An event may be of an earlier boot than its sender.
    """

    events: tuple[EventMsg, ...]
    boot: str = ""


class Ack(Message, frozen=True, kw_only=True):
    """Hub → table on `ack`: everything up to (`e`, `s`) is committed. `unknown` lists seqs kept but not understood.

    `prev` is the chain hash after event `s`, so that nobody takes an acknowledgement of other events for his own.
    """

    e: int
    s: int
    window: int = MAX_BATCH
    inc: int = 0
    unknown: tuple[int, ...] = ()
    why: str = ""
    prev: str = ""


class Heartbeat(Message, frozen=True, kw_only=True):
    """Table → hub on `hb`, every 5 s: who is alive (boot, instance, connection number, counter) and what it holds.

    `serial` names the device for people; `offset` is how far the hub's wall clock is ahead of the table's (ms), None
    while that is not measured.
    """

    boot: str
    instance: str
    conn: int
    n: int
    e: int
    last: int
    acked: int
    round: int
    rev: int
    mono: int
    wall: int
    serial: str = ""
    offset: int | None = None

    def __post_init__(self) -> None:
        _check_range(self.conn, self.n, self.e, self.last, self.acked, self.mono, self.wall, self.offset or 0)


class HeartbeatReply(Message, frozen=True, kw_only=True):
    """Hub → table on `hbr`: answers heartbeat `n`, with the time stamps of the hub and the current round."""

    n: int
    inc: int
    mono: int
    wall: int
    hub_in: int
    hub_out: int
    round: int
    rev: int


class Ask(Message, frozen=True, kw_only=True):
    """Table → hub on `ask` after each connect: here is what I hold, send the snapshot. `e` 0: not enrolled yet.

    `n` numbers the questions of one process: the answer carries it, so an older answer is known for what it is.
    """

    boot: str
    instance: str
    e: int
    round: int
    rev: int
    last: int
    acked: int
    inc: int
    n: int = 0

    def __post_init__(self) -> None:
        _check_range(self.e, self.round, self.rev, self.last, self.acked, self.inc, self.n)


class AssignmentMsg(Message, frozen=True, kw_only=True):
    """Hub → table on `asg`: what to play. Taken if (`round`, `rev`) is greater than what the table holds.

    `start` is the planned start (wall ms) or null, `fen` the start position if it is not the usual one, `rules` the
    edition of the Laws. `e` is the epoch it is meant for (0: any): one that comes late is for a table that was.
    """

    round: int
    rev: int
    game: str
    board: int
    white: Player
    black: Player
    tc: Mapping[str, str]
    start: int | None = None
    state: Literal["prepared", "go", "paused", "sealed"] = "prepared"
    event: str = ""
    rounds: int = 0
    fen: str = ""
    rules: str = ""
    e: int = 0

    def assignment(self) -> Assignment:
        """The value that `rules.laws` works with."""
        return Assignment(
            event=self.event,
            round=self.round,
            rev=self.rev,
            game=self.game,
            board=self.board,
            white=self.white,
            black=self.black,
            control=self.tc.get("text", ""),
            rounds=self.rounds,
            start_fen=self.fen,
            edition=self.rules,
        )


OrderKind = Literal[
    "start", "pause", "resume", "times", "rule", "continue", "correct", "penalty", "adjourn", "players", "dead",
    "clear", "seal",
]  # fmt: skip


class OrderMsg(Message, frozen=True, kw_only=True):
    """Hub → table on `ord`: an arbiter's order about one game, confirmed by the table's `order-done` event.

    `kind` is one of `OrderKind`, or unknown to this version. `d` by kind is described in `rules.laws.game_orders`; with
    it clear says {"why"}, seal {"count","hash"}. `e` as in `AssignmentMsg`.
    """

    id: str
    game: str
    kind: str
    d: Mapping[str, str | int] = {}
    e: int = 0


class Snapshot(Message, frozen=True, kw_only=True):
    """Hub → table on `snap`: the table's whole state at the hub, in answer to the question `n`.

    `hubs`: where this hub and its standby are ("host:port"), as far as they know.
    """

    e: int
    inc: int
    last: int
    assignment: AssignmentMsg | None = None
    orders: tuple[OrderMsg, ...] = ()
    result: str = ""
    event: str = ""
    n: int = 0
    prev: str = ""
    hubs: tuple[str, ...] = ()


class PastEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a game that another device has recorded."""

    kind: str
    d: msgspec.Raw


class Past(Message, frozen=True, kw_only=True):
    """Hub → table on `past`: part `part` of `parts` of the game that this table goes on with, in epoch `e`.

    The clocks (chess ms) are those of the last event; if one ran, that came to the hub `age_ms` ago. `moved`: the game
    was played at another table and moves here; else another device was at this table.
    """

    e: int
    game: str
    part: int
    parts: int
    white_ms: int
    black_ms: int
    age_ms: int
    events: tuple[PastEvent, ...]
    moved: bool = False


class RoundMsg(Message, frozen=True, kw_only=True):
    """Hub → all tables on `all.round`: a table that holds less, or knows other `hubs`, asks for a snapshot."""

    round: int
    rev: int
    state: str
    digest: str
    inc: int
    hubs: tuple[str, ...] = ()


class DeskIn(Message, frozen=True, kw_only=True):
    """Desk → hub: an intent with its own id (the hub answers the same id once and for all)."""

    id: str
    kind: str
    d: Mapping[str, Any] = {}


class DeskOut(Message, frozen=True, kw_only=True):
    """Hub → desk: the intent `id` was accepted (with the kinds of the events it became) or refused (`why`)."""

    id: str
    ok: bool
    why: str = ""
    events: tuple[str, ...] = ()
    d: Any = None


M = TypeVar("M", bound=Message)


def encode(message: Message) -> bytes:
    """The message as JSON bytes."""
    return msgspec.json.encode(message)


def decode(payload: bytes, kind: type[M], limit: int = MAX_PAYLOAD) -> M:
    """A typed message from JSON bytes; raises `WireError` for a foreign version, a wrong type, or oversize."""
    if len(payload) > limit and kind is not DeskOut:
        raise WireError(_("message of {size} bytes is larger than {limit}").format(size=len(payload), limit=limit))
    try:
        payload.decode("utf-8")  # what is kept as it came must be text too
        message = msgspec.json.decode(payload, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(_("not understood: {error}").format(error=error)) from None
    if message.v != VERSION:
        raise WireError(_("wire version {v} is not understood, only {known}").format(v=message.v, known=VERSION))
    return message


def event_data(event: GameEvent) -> tuple[str, msgspec.Raw]:
    """(kind, JSON data) of a game event, for an `EventMsg`."""
    return KIND_OF[type(event)], msgspec.Raw(msgspec.json.encode(event))


def event_of(kind: str, data: bytes | msgspec.Raw) -> GameEvent:
    """The game event in an `EventMsg`; raises `WireError` for an unknown kind or data that do not fit."""
    cls = KINDS.get(kind)
    if cls is None:
        raise WireError(_("event kind {kind!r} is not known to this version").format(kind=kind))
    try:
        return msgspec.json.decode(bytes(data), type=cls)
    except msgspec.MsgspecError as error:
        raise WireError(_("event of kind {kind!r} is not understood: {error}").format(kind=kind, error=error)) from None


def fits(event: GameEvent) -> bool:
    """Can this event be sent? One that cannot must not get into an outbox: nothing after it would go out either."""
    return len(msgspec.json.encode(event)) <= MAX_DATA


def shortened(event: GameEvent) -> GameEvent:
    """The event with texts cut so that it can be sent; the same one if it can."""
    if fits(event):
        return event
    cut: dict[str, Any] = {
        field.name: value[:MAX_TEXT] + "…" if isinstance(value, str) else {}
        for field in fields(event)
        if (isinstance(value := getattr(event, field.name), str) and len(value) > MAX_TEXT)
        or (isinstance(value, Mapping) and len(msgspec.json.encode(value)) > MAX_DATA // 2)
    }
    return replace(event, **cut)


def assignment_message(assignment: Assignment, state: Literal["prepared", "go", "paused", "sealed"]) -> AssignmentMsg:
    """The wire form of an assignment."""
    return AssignmentMsg(
        round=assignment.round,
        rev=assignment.rev,
        game=assignment.game,
        board=assignment.board,
        white=assignment.white,
        black=assignment.black,
        tc={"text": assignment.control},
        state=state,
        event=assignment.event,
        rounds=assignment.rounds,
        fen=assignment.start_fen,
        rules=assignment.edition,
    )


def past_parts(events: Sequence[PastEvent]) -> list[tuple[PastEvent, ...]]:
    """The events in order, in parts that fit into a message."""
    parts: list[list[PastEvent]] = [[]]
    size = 256
    for event in events:
        length = len(event.kind) + len(bytes(event.d)) + 32
        if parts[-1] and size + length > MAX_PAYLOAD:
            parts.append([])
            size = 256
        parts[-1].append(event)
        size += length
    return [tuple(part) for part in parts]


def batches(events: Sequence[EventMsg], boot: str = "") -> list[Batch]:
    """The events in order as batches of `boot` that keep both limits: 32 events and the payload size."""
    out: list[Batch] = []
    part: list[EventMsg] = []
    size = 128
    for event in events:
        length = len(msgspec.json.encode(event)) + 1
        if part and (len(part) == MAX_BATCH or size + length > MAX_PAYLOAD):
            out.append(Batch(events=tuple(part), boot=boot))
            part, size = [], 128
        part.append(event)
        size += length
    if part:
        out.append(Batch(events=tuple(part), boot=boot))
    return out
