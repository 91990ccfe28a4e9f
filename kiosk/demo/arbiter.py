"""The arbiter of a hall without people: he takes the next step when it is due and rules on every call.

`rule` and `step` are pure: the hall as a desk sees it goes in, one intent of a desk comes out. What he decides follows
from the game on the board and from nothing else, so the same games get the same rulings.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from gettext import gettext as _
from typing import Any, get_args

import chess
import msgspec

from hallnet.desk_client import DeskClient
from hallnet.views import BoardRow, CallView, CaseView, GameView, HallSnapshot
from rules.laws import ending
from rules.laws.sides import other
from rules.laws.winnable import winnable

log = logging.getLogger(__name__)

#: Real seconds for which the arbiter waits for players who are not ready before he starts the round without them, and
#: where all players are simulated: those come, however busy the machine is.
PATIENCE_S = 30.0
SIMULATED_PATIENCE_S = 600.0
#: Real seconds between two looks, and after a refusal.
LOOK_S = 0.5
NAME = "demo arbiter"
#: Positions in which a mate is looked for when a flag has fallen.
MATE_NODES = 5_000


@dataclass(frozen=True, slots=True)
class Intent:
    """One intent of a desk; `once` names what it is about, so that it is not sent again while the hall catches up."""

    kind: str
    d: Mapping[str, Any]
    once: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """An open call with the board it is about and, for a claim, the game in full."""

    call: CallView
    row: BoardRow | None
    game: GameView | None = None


def rule(case: Case, file_result: Callable[[int, int], str]) -> Intent:
    """The ruling on a call. `file_result(round, board)` is the result in a file of games for a game that broke off."""
    call, row = case.call, case.row
    if row is None or not call.board:
        return Intent("close-call", {"id": call.id, "ruling": _("seen")})
    if call.case is not None and (answer := _BY_ABOUT.get(call.case.about)) is not None:
        return answer(call, row, call.case)
    match call.kind:
        case "claim" if case.game is not None and case.game.claim in get_args(ending.ClaimKind):
            return _rule_on_claim(call, case.game)
        case "dispute":
            return _ruling(call, row.score or "1/2-1/2", _("the position on the board and the clocks decide"))
        case "times" if row.clock is not None:
            d = {"board": call.board, "white_ms": row.clock.white_ms, "black_ms": row.clock.black_ms, "why": call.why}
            return Intent("times", d, f"times {call.id}")
        case "unexplained" | "resume" | "order":
            if row.state == "paused":
                return Intent("resume", {"board": call.board}, f"resume {call.id}")
        case "call" if (
            row.state in ("playing", "paused") and call.why and (result := file_result(call.round, call.board))
        ):
            return _ruling(call, result, _("the game in the file stops here"))
    return _play_on(call, row, _("the arbiter came to the board"))


def _play_on(call: CallView, row: BoardRow, why: str) -> Intent:
    """Nothing is ruled: a claim is turned down, a game that stands goes on, any other call is closed."""
    if call.kind == "claim":
        return Intent("continue", {"board": call.board, "bonus_ms": 0, "why": why}, f"continue {call.id}")
    if row.state == "paused":
        return Intent("resume", {"board": call.board}, f"resume {call.id}")
    return Intent("close-call", {"id": call.id, "ruling": why})


def _ruling(call: CallView, score: str, why: str, **more: Any) -> Intent:
    d = {"board": call.board, "round": call.round, "score": score, "why": why, "call": call.id, **more}
    return Intent("rule", d, f"rule {call.id}")


def _illegal(call: CallView, row: BoardRow, case: CaseView) -> Intent:
    """What the record shows is put right (7.5.5); what only somebody says is not."""
    if not case.proven:
        return _play_on(call, row, _("the record shows no illegal move"))
    d = {"board": call.board, "round": call.round, "offence": "illegal-move", "side": case.against[0], "resume": True}
    return Intent("correct", {**d, "why": call.why}, f"correct {call.id}")


def _flag(call: CallView, row: BoardRow, case: CaseView) -> Intent:
    """The clock decides, and whether the claimant can mate (6.9)."""
    if not case.proven:
        return _play_on(call, row, _("the flag of the opponent has not fallen first"))
    loser = case.against[0]
    score = "0-1" if loser == "white" else "1-0"
    if row.fen and winnable(chess.Board(row.fen), other(loser), nodes=MATE_NODES).verdict == "unwinnable":
        score = "1/2-1/2"
    return _ruling(call, score, call.why, by_what="flag")


def _default(call: CallView, row: BoardRow, case: CaseView) -> Intent:
    """Who has not come by the default time loses (6.7.1)."""
    if not case.proven:
        return _play_on(call, row, _("both players are at the board"))
    score = "0-0" if len(case.against) > 1 else "0-1" if case.against[0] == "white" else "1-0"
    return _ruling(call, score, call.why, forfeit=True, by_what="default")


def _undetermined(call: CallView, row: BoardRow, case: CaseView) -> Intent:
    """Nobody has proven that the winner cannot mate: the proposed result stands."""
    return Intent("close-call", {"id": call.id, "ruling": _("the result stands: nothing else is proven")})


_BY_ABOUT: Mapping[str, Callable[[CallView, BoardRow, CaseView], Intent]] = {
    "illegal-move": _illegal,
    "flag": _flag,
    "default": _default,
    "undetermined": _undetermined,
}


def _rule_on_claim(call: CallView, game: GameView) -> Intent:
    """A draw claim is checked on the moves of the game (Laws 9.2, 9.3); a wrong one costs what the edition says."""
    board = chess.Board()
    keys = [ending.position_key(board)]
    for move in game.moves:
        board.push(chess.Move.from_uci(move.uci))  # the record may hold a move that nobody saw to be illegal
        keys.append(ending.position_key(board))
    what: ending.ClaimKind = "fifty-moves" if game.claim == "fifty-moves" else "repetition"
    try:
        check = ending.check_claim(board, tuple(keys), what, game.claimed_move)
        correct, evidence = check.correct, check.evidence
    except ValueError:
        correct, evidence = False, _("the announced move {move} is not legal").format(move=game.claimed_move)
    if correct:
        return _ruling(call, "1/2-1/2", evidence)
    d = {"board": call.board, "bonus_ms": call.case.bonus_ms if call.case else 120_000, "why": evidence}
    return Intent("continue", d, f"continue {call.id}")


def step(hall: HallSnapshot, waited_s: float, patience_s: float = PATIENCE_S) -> Intent | None:
    """The next step of the event, once it is due. A round is started when all are ready, or after `patience_s`."""
    kind = hall.head.step.kind
    if not kind:
        return None
    waiting = [row for row in hall.boards.rows if row.state in ("sent", "assigned")]
    if kind == "publish" and hall.head.tables_online < hall.head.tables and waited_s < patience_s:
        return None
    if kind == "start" and hall.head.phase == "published" and waiting and waited_s < patience_s:
        return None
    return Intent(kind, {}, f"{kind} {hall.head.round} {hall.head.phase}")


@dataclass(slots=True)
class Arbiter:
    """Runs an event over a desk client until it is finished. `steps` False: he only rules on calls."""

    client: DeskClient
    file_result: Callable[[int, int], str]
    steps: bool = True
    patience_s: float = PATIENCE_S
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _done: set[str] = field(default_factory=set)
    _since: tuple[str, float] = ("", 0.0)

    async def run(self) -> None:
        """Returns when the hub says that the event is over."""
        self.client.on_change(lambda _hall: self._changed.set())
        loop = asyncio.get_running_loop()
        while True:
            self._changed.clear()
            hall = self.client.hall
            if hall is not None and self.client.connected:
                if hall.head.phase == "finished":
                    return
                key = f"{hall.head.round} {hall.head.phase}"
                if key != self._since[0]:
                    self._since = (key, loop.time())
                    self._done = {once for once in self._done if not once.startswith(("pair", "publish", "start"))}
                await self._act(hall, loop.time() - self._since[1])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._changed.wait()

    async def _act(self, hall: HallSnapshot, waited_s: float) -> None:
        rows = {row.board: row for row in hall.boards.rows}
        for call in hall.head.calls:
            row = rows.get(call.board) if call.round == hall.boards.round else None
            game = None
            if call.kind == "claim" and row is not None:
                answer = await self.client.intend("game", round=call.round, board=call.board)
                if not answer.ok:
                    continue
                game = msgspec.convert(answer.d, GameView)
            await self._send(rule(Case(call, row, game), self.file_result))
        if self.steps and not hall.head.calls and (intent := step(hall, waited_s, self.patience_s)) is not None:
            await self._send(intent)

    async def _send(self, intent: Intent) -> None:
        if intent.once and intent.once in self._done:
            return
        answer = await self.client.intend(intent.kind, by=NAME, **intent.d)
        if answer.ok:
            if intent.once:
                self._done.add(intent.once)
        else:
            log.info("%s %s refused: %s", intent.kind, dict(intent.d), answer.why)
