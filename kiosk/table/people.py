"""Simulated people at a simulated table: what they do next, given what they see.

`next_act` is pure: it looks at the table's view and the script of the game and names one act and its time. All memory
that matters is on the table itself, so people who were interrupted (a killed process) go on where the game stands.
Their aim is the clock reading of the script, not a delay, so a slow machine makes them hurry instead of losing on time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import chess

from hallnet.local import Reply
from hallnet.views import QuestionView, TableView
from rules.laws import time_control
from rules.laws.generator import improvise
from rules.laws.generator_script import Dice, GameScript
from rules.laws.sides import SIDES, Side, other

log = logging.getLogger(__name__)

#: Chess ms between the release of a piece and the press.
HAND_MS = 250
#: Chess ms after which people answer what the board asks them.
ANSWER_MS = 900
#: Real ms of clock time that a side keeps while its script still has moves for it (at most half of its time): a busy
#: machine must not make a flag fall before its time.
SPARE_MS = 3_000
#: Real ms after which people press although the board does not show which move it was, or nothing at all.
UNSURE_MS = 150
UNSEEN_MS = 3_000
#: Why people call the arbiter when a game from a file breaks off.
STOPPED = "the game in the file stops here"
#: Real seconds after which people look again although nothing changed.
LOOK_S = 1.0


class Face(Protocol):
    """What people need of a table: its view, and to do things. `TableClient` is one."""

    @property
    def view(self) -> TableView | None:
        """The newest view."""

    async def do(self, kind: str, **d: Any) -> Reply:
        """An intent, accepted or refused."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do at chess time `due`: an intent of the table's socket with its data."""

    due: int
    do: str
    d: Mapping[str, Any]
    once: str = ""  # remembered when done, so that it is done once


@dataclass(frozen=True, slots=True)
class Moved:
    """A move made with the hands: ply from 0, UCI, chess ms."""

    ply: int
    uci: str
    t: int


@dataclass(slots=True)
class Memory:
    """What people remember of one game; forgetting it costs at most a repeated offer or call.

    `moved` is the move that they have made with their hands and that is not in the record yet.
    """

    game: str = ""
    ended: int = 0
    seen: int = 0
    done: set[str] = field(default_factory=set)
    moved: Moved | None = None

    def about(self, view: TableView) -> None:
        """Begins anew with a new game, and notes when the game ended."""
        game = view.assignment.game if view.assignment else ""
        if game != self.game:
            self.game, self.ended, self.seen, self.done, self.moved = game, 0, view.t, set(), None
        if view.phase != "playing" or (self.moved is not None and self.moved.ply != len(view.moves)):
            self.moved = None
        if view.phase == "playing":
            self.ended = 0  # the arbiter may have let a game go on that was over
        elif view.phase == "ended" and not self.ended:
            self.ended = view.t


def next_act(view: TableView, script: GameScript, memory: Memory) -> Act | None:
    """The next thing that one of the simulated people does, or None: there is nothing to do for them now."""
    memory.about(view)
    free = [side for side in SIDES if side not in view.taken]
    match view.phase:
        case "assigned" | "ready":
            acts = [_settle_down(view, memory, side) for side in free]
        case "playing":
            acts = [_answer(view, script, memory, side) for side in free] + [_play(view, script, memory, free)]
        case "ended":
            acts = [_answer(view, script, memory, side) or _confirm(view, script, memory, side) for side in free]
        case _:
            return None
    return min((act for act in acts if act is not None), key=lambda act: act.due, default=None)


def _settle_down(view: TableView, memory: Memory, side: Side) -> Act | None:
    """Sit, then be ready, each after a moment of his own."""
    dice = Dice(f"{memory.game} {side} sits")
    sit = memory.seen + dice.between(500, 6_000)
    if side not in view.seated:
        return Act(sit, "sit", {"side": side})
    if side not in view.ready:
        return Act(sit + dice.between(500, 4_000), "ready", {"side": side})
    return None


def _answer(view: TableView, script: GameScript, memory: Memory, side: Side) -> Act | None:
    """What the board asks is answered. A draw offer is accepted where the script ends so, or late in a game that left
    its script; else turned down.
    """
    question = view.question
    if question is None or question.side != side:
        return None
    if question.about in ("promotion", "capture"):
        value = _explained(view, script, question)
        return Act(view.t + ANSWER_MS, "answer", {"side": side, "id": question.id, "value": value})
    if question.about in ("move", "missed"):
        # Once: an answer that is refused, because of what was played since, does not keep them from playing on.
        if (once := f"answer {question.id}") in memory.done:
            return None
        value = (_which_move if question.about == "move" else _missed)(view, script, question)
        return Act(view.t + ANSWER_MS, "answer", {"side": side, "id": question.id, "value": value}, once)
    if question.about != "draw" or view.turn != side:
        return None  # nothing asked, or the offer comes with a move that is not completed yet
    ply = len(view.moves)
    if follows(view, script):
        refusal = dict(script.early_offer).get(ply)
        if refusal == "play-on":
            return None
        accept = refusal is None and script.ending.kind == "agreement" and ply == len(script.steps)
        think = script.ending.think_ms if accept else 600
    else:
        accept, think = ply >= 80, 2_000
    value = "yes" if accept else "no"
    return Act(_turn_began(view) + think, "answer", {"side": side, "id": question.id, "value": value})


def _mover(script: GameScript, ply: int) -> Side:
    """The side that makes ply number `ply` (from 0)."""
    first: Side = "white" if chess.Board(script.start_fen or chess.STARTING_FEN).turn else "black"
    return first if ply % 2 == 0 else other(first)


def _explained(view: TableView, script: GameScript, question: QuestionView) -> str:
    """What the board could not see of a move of this player's: the promotion piece, or the captured square."""
    if question.about == "promotion":
        made = [n for n, move in enumerate(view.moves) if len(move.uci) == 5 and _mover(script, n) == question.side]
        said = script.steps[made[-1]].uci[4:] if made and follows(view, script, made[-1]) else ""
    elif follows(view, script) and len(view.moves) < len(script.steps):
        said = script.steps[len(view.moves)].uci[2:4]
    else:
        said = improvise(chess.Board(view.fen), _improvised(view)).uci[2:4]
    return said if said in question.options else question.options[0]


def _which_move(view: TableView, script: GameScript, question: QuestionView) -> str:
    """The move that the asked player made with his hands, by its number."""
    black_began = _mover(script, 0) == "black"
    ply = 2 * (question.move - 1) - black_began + (question.side == "black")
    if follows(view, script, ply) and ply < len(script.steps):
        said = script.steps[ply].uci
    else:
        board = chess.Board(script.start_fen or chess.STARTING_FEN)
        for move in view.moves[:ply]:
            board.push_uci(move.uci)
        said = improvise(board, _improvised(view, ply)).uci
    return said if said in question.options else question.options[-1]


def _missed(view: TableView, script: GameScript, question: QuestionView) -> str:
    """The line that was played while the board saw nothing; when the script does not tell, the first: all of them lead
    to what stands there.
    """
    played = [step.uci for step in script.steps[len(view.moves) :]] if follows(view, script) else []
    for line in question.options[:-1]:
        board = chess.Board(view.fen)
        ucis = [board.push_san(san).uci() for san in line.split()]
        if ucis == played[: len(ucis)]:
            return line
    return question.options[0]


def _improvised(view: TableView, ply: int | None = None) -> str:
    """What an improvised move is drawn from: the next one, or ply number `ply` (from 0)."""
    return f"{view.assignment.game if view.assignment else ''} {len(view.moves) if ply is None else ply}"


def _play(view: TableView, script: GameScript, memory: Memory, free: list[Side]) -> Act | None:
    """The mover's next act: move, offer, press; or what ends the game after the script's last move."""
    if view.clock is None:
        return None
    ply, mover = len(view.moves), view.turn
    scripted = follows(view, script)
    if scripted and ply == len(script.steps) and not view.candidate:
        return _finish(view, script, memory, free)
    if mover not in free or _must_answer(view, memory, free):
        return None
    if view.candidate:
        if scripted and _offers_at(script, ply + 1) == mover and (once := f"offer {ply + 1}") not in memory.done:
            return Act(view.t + HAND_MS // 3, "offer", {"side": mover}, once)
        return Act(view.t + HAND_MS, "press", {"side": mover})
    if memory.moved is not None:
        patience = UNSEEN_MS if scripted and _offers_at(script, ply + 1) == mover else _patience(view, memory.moved)
        return Act(memory.moved.t + int(patience * view.speed), "press", {"side": mover})
    if scripted:
        if dict(script.calls).get(ply) == mover and (once := f"call {ply}") not in memory.done:
            return Act(_turn_began(view) + 500, "call", {"side": mover, "why": ""}, once)
        due = _when(view, mover, _target(view, script, mover, ply))
        return Act(due, "hands", {"side": mover, "uci": script.steps[ply].uci})
    step = improvise(chess.Board(view.fen), _improvised(view))
    return Act(_turn_began(view) + step.think_ms, "hands", {"side": mover, "uci": step.uci})


def _patience(view: TableView, moved: Moved) -> int:
    """Real ms for which a player waits before he presses although the board does not say which move it was."""
    seen = chess.BaseBoard(view.placement or None).piece_at(chess.parse_square(moved.uci[:2])) is None
    return UNSURE_MS if seen else UNSEEN_MS


def _must_answer(view: TableView, memory: Memory, free: list[Side]) -> bool:
    """Whether one of the simulated people is asked for a move that is not in the record: nobody plays on before he has
    said it.
    """
    asked = view.question
    if asked is None or asked.side not in free:
        return False
    return asked.about in ("promotion", "capture") or (
        asked.about == "missed" and f"answer {asked.id}" not in memory.done
    )


def _finish(view: TableView, script: GameScript, memory: Memory, free: list[Side]) -> Act | None:
    """The act after the last move of the script."""
    ending, ply = script.ending, len(script.steps)
    due = _turn_began(view) + max(ending.think_ms, 500)
    if ending.side not in free:
        return None
    match ending.kind:
        case "resignation":
            return Act(due, "resign", {"side": ending.side})
        case "repetition" | "fifty-moves":
            return Act(due, "claim", {"side": ending.side, "what": ending.kind, "move": ""})
        case "agreement" if view.offer is None and f"offer {ply}" not in memory.done:
            return Act(due, "offer", {"side": ending.side}, f"offer {ply}")
        case "stopped" if "stopped" not in memory.done:
            return Act(due, "call", {"side": ending.side, "why": STOPPED}, "stopped")
        case _:
            return None


def _confirm(view: TableView, script: GameScript, memory: Memory, side: Side) -> Act | None:
    """Each confirms the proposed result in his own time; rarely somebody disputes it first."""
    if side in view.confirmed or not view.proposed:
        return None
    after = script.ending.after
    due = memory.ended + (after.white_ms if side == "white" else after.black_ms)
    if after.dispute == side and "dispute" not in memory.done and follows(view, script):
        return Act(due, "dispute", {"side": side, "says": after.says}, "dispute")
    return Act(due, "confirm", {"side": side, "score": view.proposed})


def follows(view: TableView, script: GameScript, plies: int | None = None) -> bool:
    """Whether the game on the board is still the one of the script, at least for so many plies."""
    moves = view.moves[:plies]
    return len(moves) <= len(script.steps) and all(
        move.uci == step.uci for move, step in zip(moves, script.steps, strict=False)
    )


def _offers_at(script: GameScript, ply: int) -> Side | None:
    """Who offers a draw together with ply number `ply` (from 1), if anybody does."""
    mover = _mover(script, ply - 1)
    if ply in dict(script.early_offer):
        return mover
    if script.ending.kind == "agreement" and ply == len(script.steps) and script.ending.side == mover:
        return mover
    return None


def _target(view: TableView, script: GameScript, side: Side, ply: int) -> int:
    """The clock reading (ms) at which the script wants `side` to make its move number `ply` (from 0)."""
    assert view.assignment is not None
    control = time_control.parse(view.assignment.control)
    period = (control.white if side == "white" else control.black)[0]
    own = script.steps[ply % 2 : ply + 1 : 2]
    reading = period.main_ms + period.inc_ms * len(own) - sum(step.think_ms + HAND_MS for step in own) + HAND_MS
    return max(reading, min(period.main_ms // 2, int(SPARE_MS * view.speed)))


def _when(view: TableView, side: Side, target: int) -> int:
    """The chess time at which the clock of `side` shows `target` ms, but not before the hand can be there."""
    assert view.clock is not None
    left = view.clock.white_ms if side == "white" else view.clock.black_ms
    return max(view.clock.t + view.clock.delay_ms + left - target, view.t)


def _turn_began(view: TableView) -> int:
    """A chess time not later than the view: when the clocks last changed hands, as far as the view tells."""
    return view.clock.t if view.clock is not None else view.t


class People:
    """Two simulated people who sit at `face` and play `script_for(view)` game by game until cancelled."""

    def __init__(self, face: Face, script_for: ScriptFor) -> None:
        self._face = face
        self._script_for = script_for
        self._memory = Memory()
        self._changed = asyncio.Event()
        self._scripts: dict[str, GameScript] = {}
        self._view = face.view

    def look(self, view: TableView) -> None:
        """Something changed at the table; its time is the view's."""
        self._view = view
        self._changed.set()

    async def live(self, now: Clock) -> None:
        """Acts for ever; `now()` is the chess time of this moment and `now.real(ms)` the seconds that ms of it take."""
        while True:
            self._changed.clear()
            view = self._view
            act = None
            if view is not None and view.assignment is not None:
                game = view.assignment.game
                if game not in self._scripts:
                    self._scripts = {game: await self._script_for(view)}
                act = next_act(view, self._scripts[game], self._memory)
            wait = LOOK_S if act is None else now.real(act.due - now())
            if wait > 0:
                await self._look_again(min(wait, LOOK_S))
                continue
            assert act is not None
            reply = await self._face.do(act.do, **act.d)
            self._memory.done.add(act.once)
            if not reply.ok:
                log.info("%s %s refused: %s", act.do, dict(act.d), reply.why)
                await asyncio.sleep(0.2)
            else:
                if act.do == "hands" and view is not None:
                    self._memory.moved = Moved(len(view.moves), str(act.d["uci"]), now())
                await self._look_again(LOOK_S)

    async def _look_again(self, seconds: float) -> None:
        """Waits until the table shows something new, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()


class Clock(Protocol):
    """The chess-time line of this table."""

    def __call__(self) -> int:
        """Chess time now (ms)."""

    def real(self, ms: int) -> float:
        """Seconds of real time that `ms` of chess time take."""


class ScriptFor(Protocol):
    """Where the scripts come from."""

    async def __call__(self, view: TableView) -> GameScript:
        """The script of the game that `view` has been assigned."""
