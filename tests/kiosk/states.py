"""Every state of both faces that a person should have looked at: name, view, keys; and how to bring it on a screen."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
from textual.app import App
from textual.pilot import Pilot

from hallnet.views import BoardRows, CaseView, HallSnapshot, LinkView, QuestionView, StepView, TableView
from kiosk.desk.app import DeskApp
from kiosk.screen.app import ScreenApp
from rules.laws.events import OTHER_MOVES, OTHERS, Side
from tests.kiosk import fakes

SIZES = ((80, 24), (100, 30), (160, 50))
PROBLEM = "g1: white knight missing"
LATE = fakes.clock(white_ms=252_000, black_ms=14_300, running="black")
STOPPED = fakes.clock(running=None)


@dataclass(frozen=True)
class TableState:
    """A state of the players' screen: how the view is made, keys pressed (and to undo them), whose chair is taken."""

    name: str
    view: Callable[[], TableView | None]
    keys: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    chair: Side | None = None
    silent_ms: int = 0


def _table(**fields: Any) -> Callable[[], TableView | None]:
    return lambda: fakes.table(**fields)


def _ended(**fields: Any) -> Callable[[], TableView | None]:
    usual: dict[str, Any] = {
        "phase": "ended",
        "proposed": "1-0",
        "ended_by": "checkmate",
        "clock": fakes.clock(running=None),
        "evidence": {"article": "5.1.1", "move": "9... Bg4", "white_ms": "4798000", "black_ms": "907000", "at_ms": "7"},
    }
    return _table(**(usual | fields))


def _chair(**fields: Any) -> Callable[[], TableView | None]:
    return _table(simulated=True, taken=("white",), **fields)


TABLE: tuple[TableState, ...] = (
    TableState("no-service", lambda: None),
    TableState("idle", _table(phase="idle", assignment=None, clock=None, moves=(), placement="", seated=(), ready=())),
    TableState("sign-in", _table(phase="assigned", seated=("black",), ready=(), moves=(), clock=STOPPED)),
    TableState("ready", _table(phase="assigned", ready=("black",), moves=(), clock=STOPPED)),
    TableState("playing", _table()),
    TableState("resign", _table(), keys=("z",), undo=("a",)),
    TableState("claim", _table(), keys=("k",), undo=("n",)),
    TableState("short", _table(turn="black", clock=LATE)),
    TableState("offer", _table(
        offer="black", question=QuestionView(id="q1", side="white", about="draw", options=("yes", "no")))),
    TableState("promotion", _table(
        question=QuestionView(id="q2", side="white", about="promotion", options=("q", "r", "b", "n")))),
    TableState("move", _table(question=QuestionView(
        id="q3", side="white", about="move", options=("c3e4", "c3d1", "c3e2", "c3a4", "c3b5", OTHERS), move=7))),
    TableState("missed", _table(board_problem=PROBLEM, question=QuestionView(
        id="q4", side="white", about="missed", options=("Bd3 Nf6 h3", "h3 Nf6 Bd3", OTHER_MOVES)))),
    TableState("illegal", _table(board_problem=PROBLEM, placement="r2qr1k1/pp2bppp/8/8/8/8/PPP1BPPP/R2Q1RK1")),
    TableState("called", _table(call="White: phone rang")),
    TableState("paused", _table(phase="paused", clock=fakes.clock(paused=True))),
    TableState("stopped", _table(phase="paused", may_resume="white", call="White", clock=fakes.clock(paused=True))),
    TableState("no-hub", _table(link=LinkView(state="lost", since=fakes.WALL, waiting=3))),
    TableState("silent", _table(), silent_ms=7_000),
    TableState("flag", _table(clock=fakes.clock(running=None, flagged="white", white_ms=0))),
    TableState("result", _ended(confirmed=("black",))),
    TableState("wrong", _ended(confirmed=("black",)), keys=("a",), undo=("x",)),
    TableState("disputed", _ended(phase="disputed", confirmed=("black",))),
    TableState("confirmed", _ended(phase="confirmed", confirmed=("white", "black"))),
    TableState("chair", _chair(), keys=("N", "f", "3"), chair="white", undo=("escape",)),
    TableState("chair-no", _chair(), keys=("N", "f", "6", "enter"), chair="white", undo=("escape",)),
    TableState("chair-cursor", _chair(), chair="white", undo=("escape",),
               keys=("up", "left", "left", "up", "enter", "up")),
)  # fmt: skip


@dataclass(frozen=True)
class HallState:
    """A state of the desk: how the hall is made, keys pressed; `dialog`: something lies above the main screen."""

    name: str
    hall: Callable[[], HallSnapshot | None]
    keys: tuple[str, ...] = ()
    undo: tuple[str, ...] = ("escape",)
    dialog: bool = False
    silent_ms: int = 0


def _published() -> HallSnapshot:
    step = StepView(kind="start", sentence="Start round 3: board 2 is not ready.")
    rows = tuple(
        fakes.board(n, state="ready" if n != 2 else "assigned", ready=("white",) if n == 2 else ("white", "black"),
                    clock=None, last="", plies=0)
        for n in range(1, 15)
    )  # fmt: skip
    made = fakes.hall(
        phase="published", step=step, calls=(), notices=(), tables_online=14, playing=0, done=0, started=0
    )
    return msgspec.structs.replace(made, boards=BoardRows(round=3, revision=80, rows=rows, whole=True))


def _illegal() -> HallSnapshot:
    case = CaseView(about="illegal-move", against=("black",), proven=True, bonus_ms=120_000)
    why = "illegal move by black: 27... g8g6, the piece does not move so (7.5.1); number 1 of this player"
    call = msgspec.structs.replace(fakes.calls()[0], kind="claim", why=why, case=case)
    return fakes.hall(calls=(call,))


HALL: tuple[HallState, ...] = (
    HallState("no-hub", lambda: None, undo=()),
    HallState("published", _published, undo=()),
    HallState("running", fakes.hall, undo=()),
    HallState("silent", fakes.hall, undo=(), silent_ms=7_000),
    HallState("board", fakes.hall, keys=("down", "down", "down", "enter"), undo=("escape", "home")),
    HallState("standings", fakes.hall, keys=("s", "down")),
    HallState("ruling", fakes.hall, keys=("c", "enter", "2"), undo=("escape", "c"), dialog=True),
    HallState("result", fakes.hall, keys=("r",), dialog=True),
    HallState("start", _published, keys=("n",), dialog=True),
    HallState("refused", _published, keys=("n", "enter"), undo=()),
    HallState("times", fakes.hall, keys=("t",), dialog=True),
    HallState("find", fakes.hall, keys=("slash", "k", "a", "y"), dialog=True),
    HallState("why", fakes.hall, keys=("w",), dialog=True),
    HallState("help", fakes.hall, keys=("f1",), dialog=True),
    HallState("actions", fakes.hall, keys=("colon",), dialog=True),
    HallState("illegal", _illegal, keys=("c", "enter", "1"), undo=("escape", "c"), dialog=True),
    HallState("penalty", fakes.hall, keys=("home", "enter", "x"), undo=("escape", "escape"), dialog=True),
    HallState("correct-game", fakes.hall, keys=("k",), dialog=True),
    HallState("players", fakes.hall, keys=("2", "down", "down")),
    HallState("entry", fakes.hall, keys=("2", "a"), undo=("escape", "escape"), dialog=True),
    HallState("bye", fakes.hall, keys=("2", "b"), undo=("escape", "escape"), dialog=True),
    HallState("round", fakes.hall, keys=("3", "down", "down")),
    HallState("correction", fakes.hall, keys=("3", "down", "down", "k", "2"), undo=("escape", "escape"), dialog=True),
    HallState("log", fakes.hall, keys=("5",)),
    HallState(
        "leave-fide",
        fakes.hall,
        undo=("escape", "escape", "escape"),
        dialog=True,
        keys=("5", "x", "c", "l", "u", "b", "enter"),
    ),
    HallState("devices", fakes.hall, keys=("6", "down", "down")),
    HallState("prizes", fakes.hall, keys=("7", "down")),
)


@contextmanager
def utc() -> Iterator[None]:
    """The machine's zone is UTC for a while."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


async def settle(pilot: Pilot[Any]) -> None:
    """Until everything that was asked for is on the screen, and nothing is left to be painted or laid out."""
    for _again in range(2):
        await pilot.pause()
    async with asyncio.timeout(20):
        while pilot.app.screen_stack and pilot.app.screen._update_timer._active.is_set():
            await asyncio.sleep(0.002)
            await pilot.pause()


Shown = AsyncIterator[tuple[Any, App[Any]]]


async def tables(size: tuple[int, int], theme: str = "hall-dark", only: Sequence[str] = ()) -> Shown:
    """The players' screen in every state (or only these), one after the other: first the kiosk, then a visitor."""
    for chair in (None, "white"):
        chosen = [state for state in TABLE if state.chair == chair and (not only or state.name in only)]
        if not chosen:
            continue
        clock, client = fakes.Clock(), fakes.FakeTable(chosen[0].view())
        app = ScreenApp(client, visit=chair is not None, side=chosen[0].chair, now=clock)
        app.theme = theme
        async with app.run_test(size=size) as pilot:
            app.tick()
            await settle(pilot)
            for state in chosen:
                clock.ms = fakes.NOW + state.silent_ms
                client.view = state.view()
                app.repaint()
                await pilot.press(*state.keys)
                await settle(pilot)
                yield state, app
                await pilot.press(*state.undo)


def hall_client(hall: HallSnapshot | None) -> fakes.FakeHall:
    """A hub that knows this hall, the games and the reasons."""
    client = fakes.FakeHall(hall)
    client.answers["book"] = fakes.Answer(d=msgspec.to_builtins(fakes.book()))
    client.answers["sheet"] = fakes.Answer(d=msgspec.to_builtins(fakes.sheet()))
    client.answers["prizes"] = fakes.Answer(d=msgspec.to_builtins(fakes.prizes()))
    client.answers["office"] = fakes.Answer(d=msgspec.to_builtins(fakes.office()))
    client.answers["game"] = fakes.Answer(d=msgspec.to_builtins(fakes.game()))
    reasons = ["Score group 1 point: 1, 2, 3, 4", "1 - 2 have met, so 1 meets 3.", "Bye: 29, the lowest without one."]
    client.answers["start"] = fakes.Answer(False, "Board 2 is not ready: White has not signed in.")
    warning = {"key": "fide-exit", "level": 4, "words": "The event leaves FIDE handling.", "article": "C.02"}
    told = {"level": 4, "token": "t1", "question": "Confirm twice.", "warnings": [warning]}
    client.answers["fide-exit"] = fakes.Answer(False, "The event leaves FIDE handling.", told)
    client.answers["draft"] = fakes.Answer(d={"round": 3, "reasons": reasons})
    return client


async def halls(size: tuple[int, int], theme: str = "hall-dark", only: Sequence[str] = ()) -> Shown:
    """The desk in every state (or only these), one after the other."""
    clock, client = fakes.Clock(), hall_client(None)
    app = DeskApp(client, open_screen=lambda table: ["hallkiosk", "screen", table], now=clock)
    app.theme = theme
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        for state in HALL:
            if only and state.name not in only:
                continue
            clock.ms = fakes.NOW
            hall = state.hall()
            if hall is not None:
                client.push(hall)
            clock.ms += state.silent_ms
            app.repaint()
            await settle(pilot)
            for key in state.keys:
                await pilot.press(key)
                await pilot.pause()
            app.repaint()
            await settle(pilot)
            yield state, app
            await pilot.press(*state.undo)
            app.clear_notifications()
            await settle(pilot)
