"""Stand-ins for the typed clients of `hallnet`, with the same API, and views of every state a face can meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hallnet.book_views import (
    AwardView,
    BookView,
    PairView,
    PlayerView,
    PrizeListView,
    PrizesView,
    SheetView,
    StepDoneView,
)
from hallnet.views import (
    BoardRow,
    BoardRows,
    CallView,
    ClockView,
    DeviceView,
    GameView,
    HallHead,
    HallSnapshot,
    LinkView,
    MoveView,
    OfficeView,
    StandbyView,
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

    async def do(self, kind: str, /, **d: Any) -> Answer:
        self.asked.append((kind, d))
        if self.react:
            self.react(kind, d)
        return self.answers.get(kind, Answer())

    async def close(self) -> None:
        self.closed = True


@dataclass
class FakeHall:
    """A desk's client. `queued` answers are given once each, then those in `answers`; `looks` do not count as asked."""

    hall: HallSnapshot | None = None
    connected: bool = True
    heard_ms: int = NOW
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    queued: dict[str, list[Answer]] = field(default_factory=dict)
    looks: frozenset[str] = frozenset({"book", "sheet", "office", "prizes"})
    looked: list[str] = field(default_factory=list)
    closed: bool = False
    _callbacks: list[Callable[[HallSnapshot], None]] = field(default_factory=list)

    def age_ms(self, now: int) -> int:
        return now - self.heard_ms

    def on_change(self, callback: Callable[[HallSnapshot], None]) -> None:
        self._callbacks.append(callback)

    def push(self, hall: HallSnapshot) -> None:
        """A new state of the hall arrives."""
        self.hall = hall
        for callback in self._callbacks:
            callback(hall)

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

    async def intend(self, kind: str, /, **d: Any) -> Answer:
        if kind in self.looks:
            self.looked.append(kind)
        else:
            self.asked.append((kind, d))
        queued = self.queued.get(kind)
        return queued.pop(0) if queued else self.answers.get(kind, Answer())

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


# -- a hall ------------------------------------------------------------------------------------------------------------

NAMES = (
    "Щербаковић-Преображенская, Александра Владимировна",
    "von Württemberg-Hohenlohe-Öhringen, Maximilian",
    "Petrova, Anna",
    "Иванов, Борис",
    "Ђорђевић, Љубица",
    "Nguyễn, Thị Minh Khai",
    "O'Shaughnessy-Fitzgerald, Bartholomew",
    "Kaya, Deniz",
    "Lindqvist, Åsa",
    "Żółkiewski, Stanisław",
    "Müller, Jörg",
    "Østergård, Søren",
)


def player(tpn: int) -> Player:
    """Player `tpn` of the fake event."""
    title = {1: "WGM", 3: "IM"}.get(tpn, "")
    return Player(tpn, NAMES[(tpn - 1) % len(NAMES)], 0 if tpn % 11 == 0 else 2230 - 17 * tpn, title)


def board(number: int, **fields: Any) -> BoardRow:
    """A board that plays."""
    white, black = (2 * number - 1, 2 * number) if number % 2 else (2 * number, 2 * number - 1)
    usual: dict[str, Any] = {
        "board": number,
        "table": str(number),
        "white": player(white),
        "black": player(black),
        "state": "playing",
        "game": f"r3b{number}",
        "clock": ClockView(
            white_ms=4_000_000 - 131_000 * number,
            black_ms=3_900_000 - 97_000 * number,
            t=T,
            running="white" if number % 3 else "black",
        ),
        "last": f"{12 + number}.Nf3" if number % 3 == 0 else f"{12 + number}...Bg4",
        "plies": 24 + number,
        "fen": FEN,
        "last_uci": "c8g4",
    }
    return BoardRow(**(usual | fields))


def boards(count: int = 14) -> tuple[BoardRow, ...]:
    """A round in full swing, with something of everything."""
    special: dict[int, dict[str, Any]] = {
        2: {"offer": "black"},
        3: {"state": "confirmed", "score": "1-0", "ended_by": "checkmate", "confirmed": ("white", "black")},
        4: {"call": "claim", "state": "paused", "clock": clock(white_ms=252_000, black_ms=58_000, paused=True)},
        5: {"state": "disputed", "score": "1-0", "confirmed": ("white",), "call": "dispute"},
        6: {"offline": 34_000},
        7: {"state": "ended", "score": "1/2-1/2", "ended_by": "agreement", "confirmed": ("black",)},
        8: {"clock": clock(white_ms=19_000, black_ms=48_000, running="black")},
        9: {"state": "ruled", "score": "0-1", "ended_by": "forfeit", "clock": None, "plies": 0, "last": ""},
        10: {"clock": clock(white_ms=0, black_ms=481_000, running=None, flagged="white")},
    }
    return tuple(board(number, **special.get(number, {})) for number in range(1, count + 1))


def calls() -> tuple[CallView, ...]:
    """Two people wait."""
    return (
        CallView(
            id="4-1-88",
            round=3,
            board=4,
            kind="claim",
            side="white",
            why="repetition, with Qd1-d3",
            since=WALL - 47_000,
        ),
        CallView(
            id="5-1-90", round=3, board=5, kind="dispute", side="black", why="1-0 is disputed", since=WALL - 5_000
        ),
    )


def standings(count: int = 24) -> StandingsView:
    """After two rounds."""
    places = tuple(
        StandingRow(
            rank=n,
            tpn=n,
            name=NAMES[(n - 1) % len(NAMES)],
            rating=2230 - 17 * n,
            title={1: "WGM", 3: "IM"}.get(n, ""),
            federation="SRB",
            points=f"{max(0, 4 - n // 4) / 2:.1f}",
            values={"BH/C1": f"{3 - n / 20:.1f}", "BH": f"{4 - n / 20:.1f}", "SB": f"{3 - n / 12:.2f}"},
            decided_by="BH/C1" if n % 4 else "",
            reason=f"BH/C1 {3 - n / 20:.1f} against {3 - (n - 1) / 20:.1f} of place {n - 1}" if n % 4 else "",
            withdrawn=n == 9,
        )
        for n in range(1, count + 1)
    )
    return StandingsView(round=2, codes=("BH/C1", "BH", "SB"), rows=places, revision=70)


def hall(**head: Any) -> HallSnapshot:
    """Round 3 of 7, running."""
    usual: dict[str, Any] = {
        "event": "Spring Open",
        "round": 3,
        "rounds": 7,
        "phase": "running",
        "step": StepView(kind="", sentence="Round 3: 12 of 14 boards have no result yet."),
        "boards": 14,
        "playing": 10,
        "done": 2,
        "tables_online": 13,
        "tables": 14,
        "calls": calls(),
        "notices": ("Table 6 has not been heard for 34 s.",),
        "revision": 80,
        "incarnation": 2,
        "wall": WALL,
        "control": "90+30",
        "arbiter": "M. Orlova",
        "started": WALL - 4_360_000,
    }
    rows = BoardRows(round=3, revision=80, rows=boards(), whole=True)
    return HallSnapshot(head=HallHead(**(usual | head)), boards=rows, standings=standings())


def game(number: int = 4) -> GameView:
    """A board in full."""
    row = next(row for row in boards() if row.board == number)
    log = ("14:02:13 White claims repetition, with Qd1-d3", "14:02:13 both clocks stopped")
    evidence = {"article": "9.2.2", "moves": "14, 17, 20", "white_ms": "252000", "black_ms": "58000", "order": "o17"}
    told = (
        "The clocks were stopped by white: draw claim, repetition.",
        "The arbiter may: let play go on, reject a claim, rule on the result.",
        "A draw claim would be 9.2: the same position for the third time.",
    )
    return GameView(row=row, round=3, moves=moves(), evidence=evidence, log=log, told=told)


# -- the book ----------------------------------------------------------------------------------------------------------


def prizes() -> PrizesView:
    """Prizes while round 3 is played: two share, a class list, and one that nobody can win."""
    shared = "2 players share 300 + 150; equal points with {name}"
    names = [player(tpn).name for tpn in (1, 2, 3)]
    return PrizesView(
        round=2,
        lists=(
            PrizeListView(name="Main prizes", text="Main prizes: 300 150", fund="450", unclaimed="0"),
            PrizeListView(
                name="Girls under 14",
                text="Girls under 14: 50 25, none, for U14 W",
                whom="under 14, girls and women",
                fund="75",
                unclaimed="25",
            ),
        ),
        awards=(
            AwardView(
                tpn=1, name=names[0], rank=1, points="2.0", prize_list="Main prizes", place=1, amount="225",
                cents=22500, reason=shared.format(name=names[1]),
            ),
            AwardView(
                tpn=2, name=names[1], rank=2, points="2.0", prize_list="Main prizes", place=2, amount="225",
                cents=22500, reason=shared.format(name=names[0]),
            ),
            AwardView(
                tpn=3, name=names[2], rank=3, points="1.5", prize_list="Girls under 14", place=1, amount="50",
                cents=5000, reason="place 1: 50",
            ),
        ),
        fund="525",
        paid="500",
        unclaimed="25",
        remarks=("25 of Girls under 14 can be won by nobody.",),
    )  # fmt: skip


def book(**fields: Any) -> BookView:
    """The arbiter's book while round 3 is played: one player gone, one with a bye, one not here yet."""
    special: dict[int, dict[str, Any]] = {
        9: {"status": "withdrawn"},
        15: {"half_byes": (2,), "no_half_bye": True},
        24: {"status": "late", "first_round": 4, "source": "manual"},
    }
    players = tuple(
        PlayerView(
            **{
                "tpn": tpn, "name": player(tpn).name, "rating": player(tpn).rating, "title": player(tpn).title,
                "federation": "SRB", "fide_id": 900_000 + tpn, "birth": "1990", "club": "Partizan", "source": "FIDE",
            }
            | special.get(tpn, {})
        )
        for tpn in range(1, 25)
    )  # fmt: skip
    usual: dict[str, Any] = {
        "regulations": {
            "name": "Spring Open", "rounds": 7, "half_byes": 1, "closed_rounds": 1, "full_byes": False,
            "tie_breaks": ["BH/C1", "BH", "SB"], "correct_until": "round-over",
        },
        "players": players,
        "byes": {"2": {"15": "H"}, "5": {"8": "H"}},
        "undo": (
            StepDoneView(act=88, what="result of board 3 in round 3", by="M. Orlova", at=WALL - 60_000),
            StepDoneView(act=81, what="player 9 withdrawn", by="deputy", at=WALL - 600_000),
        ),
        "redo": (StepDoneView(act=90, what="bye of player 4 in round 5", by="M. Orlova", at=WALL - 30_000),),
        "remarks": ("Correction @ Round 1: 6-17: 1-0 => 6-17: 0-1",),
        "notes": ({"kind": "Correction", "round": 1, "before": "6-17: 1-0", "after": "6-17: 0-1", "by": "M. Orlova",
                   "why": "slip", "at": WALL - 9_000_000},),
    }  # fmt: skip
    return BookView(**(usual | fields))


def sheet(**fields: Any) -> SheetView:
    """Round 3's sheet: some results, one game adjourned, two without a board."""
    codes = {3: "1-0", 9: "0-1F"}
    pairs = tuple(
        PairView(board=row.board, white=row.white.tpn, black=row.black.tpn, table=row.table,
                 code=codes.get(row.board, ""), by="M. Orlova" if row.board in codes else "",
                 adjourned=row.board == 11)
        for row in boards(11)
    )  # fmt: skip
    usual: dict[str, Any] = {
        "round": 3, "latest": 3, "rev": 1, "checksum": "5f1c9a3b77de", "started": True, "pairs": pairs, "bye": 23,
        "byes": {"9": "Z", "24": "Z"}, "reasons": ("Score group 1 point: 1, 2, 3, 4",),
    }  # fmt: skip
    return SheetView(**(usual | fields))


def office(**fields: Any) -> OfficeView:
    """A hall with keys: thirteen tables speak, one is silent, one never came; a desk."""
    devices = tuple(
        DeviceView(
            role="table", name=str(n), state="silent" if n == 6 else "never" if n == 14 else "online",
            serial=f"10000000{n:04x}", silent_ms=34_000 if n == 6 else 0, key=f"U{n:02}ABCDEFGHIJKLMNOP",
            since=WALL - 10**7,
            offset_ms=1_400 if n == 3 else 12, epoch=1, events=40 + n, waiting=3 if n == 6 else 0,
        )
        for n in range(1, 15)
    )  # fmt: skip
    desk = DeviceView(role="desk", name="desk1", key="UDESKABCDEFGHIJKLMNOP", since=WALL - 10**7)
    usual: dict[str, Any] = {
        "keys": True, "devices": (*devices, desk), "standby": StandbyView(state="copying", behind=2),
        "turned_away": ("Refused at 13:40:01: an unknown key wanted to come in (1 in all).",), "refused": 1,
    }  # fmt: skip
    return OfficeView(**(usual | fields))
