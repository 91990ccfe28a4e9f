"""Stand-ins for the typed clients of `hallnet`, with the same API, and views of every state a face can meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hallnet.views import (
    BoardRow,
    BoardRows,
    CallView,
    ClockView,
    GameView,
    HallHead,
    HallSnapshot,
    LinkView,
    MoveView,
    StandingRow,
    StandingsView,
    StepView,
    TableView,
)
from rules.laws.events import Assignment, Player

#: BOOTTIME of every fake view, and chess time.
NOW = 1_000_000
T = 500_000
#: 2026-11-29 14:03:00 UTC.
WALL = 1_795_960_980_000

ANNA = Player(7, "Щербаковић-Преображенская, Александра Владимировна", 2105, "WGM", "SRB")
BORIS = Player(12, "von Württemberg-Hohenlohe-Öhringen, Maximilian", 1987, "", "GER")


@dataclass
class Answer:
    """An answer to an intent."""

    ok: bool = True
    why: str = ""
    d: Any = None


class Clock:
    """The machine's BOOTTIME in a test's hands."""

    def __init__(self) -> None:
        self.ms = NOW

    def __call__(self) -> int:
        return self.ms


@dataclass
class FakeTable:
    """A table's client: holds a view, remembers what was asked of it, answers as told."""

    view: TableView | None = None
    connected: bool = True
    seen_ms: int = NOW
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    closed: bool = False
    _callbacks: list[Callable[[TableView], None]] = field(default_factory=list)
    react: Callable[[str, dict[str, Any]], None] | None = None

    def age_ms(self, now: int) -> int:
        return now - self.seen_ms

    def on_view(self, callback: Callable[[TableView], None]) -> None:
        self._callbacks.append(callback)

    def push(self, view: TableView) -> None:
        """A new view arrives."""
        self.view = view
        for callback in self._callbacks:
            callback(view)

    def change(self, **fields: Any) -> None:
        """The newest view with other fields arrives."""
        assert self.view is not None
        self.push(msgspec.structs.replace(self.view, revision=self.view.revision + 1, **fields))

    async def start(self) -> None:
        pass

    async def do(self, kind: str, **d: Any) -> Answer:
        self.asked.append((kind, d))
        if self.react:
            self.react(kind, d)
        return self.answers.get(kind, Answer())

    async def close(self) -> None:
        self.closed = True


@dataclass
class FakeHall:
    """A desk's client."""

    hall: HallSnapshot | None = None
    connected: bool = True
    heard_ms: int = NOW
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    closed: bool = False
    _callbacks: list[Callable[[], None]] = field(default_factory=list)

    def age_ms(self, now: int) -> int:
        return now - self.heard_ms

    def on_change(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def push(self, hall: HallSnapshot) -> None:
        """A new state of the hall arrives."""
        self.hall = hall
        for callback in self._callbacks:
            callback()

    def change_row(self, board: int, **fields: Any) -> None:
        """One board changes."""
        assert self.hall is not None
        rows = tuple(
            msgspec.structs.replace(row, **fields) if row.board == board else row for row in self.hall.boards.rows
        )
        boards = msgspec.structs.replace(self.hall.boards, rows=rows, revision=self.hall.boards.revision + 1)
        self.push(msgspec.structs.replace(self.hall, boards=boards))

    def change_head(self, **fields: Any) -> None:
        """The head of the hall changes."""
        assert self.hall is not None
        self.push(msgspec.structs.replace(self.hall, head=msgspec.structs.replace(self.hall.head, **fields)))

    async def start(self) -> None:
        pass

    async def intend(self, kind: str, **d: Any) -> Answer:
        self.asked.append((kind, d))
        return self.answers.get(kind, Answer())

    async def close(self) -> None:
        self.closed = True


# -- a table -----------------------------------------------------------------------------------------------------------

FEN = "r2qr1k1/pp2bppp/2n2n2/3p4/3N2b1/2N1B3/PPP1BPPP/R2Q1RK1 w - - 4 18"
SANS = "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nc3 d5 exd5 Nxd5 Be2 Be7 O-O O-O Be3 Bg4"


def assignment(**fields: Any) -> Assignment:
    """Round 3 of 7, board 12."""
    usual: dict[str, Any] = {
        "event": "Spring Open",
        "round": 3,
        "rev": 1,
        "game": "r3b12",
        "board": 12,
        "white": ANNA,
        "black": BORIS,
        "control": "90+30",
        "rounds": 7,
    }
    return Assignment(**(usual | fields))


def moves() -> tuple[MoveView, ...]:
    """Eighteen plies."""
    return tuple(MoveView(san=san, uci="c8g4" if san == "Bg4" else "a1a1", clock_ms=60_000) for san in SANS.split())


def clock(**fields: Any) -> ClockView:
    """White's clock runs."""
    usual: dict[str, Any] = {"white_ms": 4_798_000, "black_ms": 907_000, "t": T, "running": "white"}
    return ClockView(**(usual | fields))


def table(**fields: Any) -> TableView:
    """A game under way."""
    usual: dict[str, Any] = {
        "table": "12",
        "revision": 40,
        "t": T,
        "boot_ms": NOW,
        "speed": 1.0,
        "link": LinkView(state="ok"),
        "phase": "playing",
        "assignment": assignment(),
        "fen": FEN,
        "placement": FEN.split()[0],
        "turn": "white",
        "moves": moves(),
        "clock": clock(),
        "seated": ("white", "black"),
        "ready": ("white", "black"),
    }
    return TableView(**(usual | fields))
