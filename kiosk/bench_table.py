"""`bench table`: how long a move takes from the hand to the disk, what a resting table costs, and a day of play.

Every kind of board is played by the real driver against its simulator, in real time, all at once: hands that lift, put
down and press, the core in a thread of its own, the log on this machine's disk. Four times are told for a move:

* `shown`: from the last touch of a piece until faces get the move as a candidate. That is the wire and the observer.
* `turned`: from the press until faces and displays see the opponent's time run, as it does from the press's stamp on.
* `completed`: from the press until the move is committed on the disk and faces get it. The press comes 0.12 to 0.3 s
  after the last touch, and is the later one always.

* `decided`: from the press, or from the last that the board has told before the move is certain, whichever is later,
  until the move is committed. That is the observer, the Laws and the disk.

`grace_ms` is how far a board of the kind may lag behind the hand. A move that is complete when it is seen is completed
at once; one that could still go on (a slide that stops on its way) waits until the board has told everything up to the
press (`drivers.interfaces.StillReport`), and so does every move on a board that lags by more than a quick hand needs
for another touch (`rules.laws.observer_presses`); at most for the grace time and a little more.
"""

from __future__ import annotations

import queue
import random
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import chess

from drivers.boards.hands import Hands
from drivers.catalogue import BOARDS, simulated_board, simulated_clock
from drivers.interfaces import BoardReport, Confirms, OccupancyReport, PressReport, StillReport
from hallnet import wire
from hallnet.outbox import Outbox
from kiosk.table.at_board import BoardSetup
from kiosk.table.core import Changed, FromDevice, FromFace, Input, TableCore, Tick, Wake
from kiosk.table.hardware import touches
from kiosk.table.link import FromHub
from kiosk.table.timeline import Timeline
from rules.laws.events import Assignment, Player
from rules.laws.game_questions import CAPTURE
from rules.laws.generator import script
from rules.laws.sides import SIDES

Json = dict[str, Any]

PLIES = 24
REST_S = 5.0
DAY_MS = 86_400_000
THINK_MS = 30_000
#: A move that is not in the record so long after its press (s) is lost.
LOST_S = 5.0
#: What a move may have waited for.
_TELLING = (BoardReport, OccupancyReport, StillReport, PressReport)


def assigned(round_: int, game: str, control: str = "90+30") -> FromHub:
    """A game for the table, as from a hub that it knows."""
    white, black = Player(1, "White"), Player(2, "Black")
    message = wire.assignment_message(Assignment("Bench", round_, 1, game, 1, white, black, control), "go")
    return FromHub(wire.Snapshot(e=1, inc=1, last=0, assignment=message))


def started(game: str) -> FromHub:
    """The arbiter starts it."""
    return FromHub(wire.OrderMsg(id=f"start-{game}", game=game, kind="start", d={}))


#: White resigns, and both confirm it.
RESIGNED: tuple[Input, ...] = (
    FromFace(1, "resign", {"side": "white"}),
    *(FromFace(1, "confirm", {"side": side, "score": "0-1"}) for side in SIDES),
)


def moves_of(seed: int) -> list[chess.Move]:
    """The moves of a generated game."""
    return [chess.Move.from_uci(step.uci) for step in script(seed, 1, 0, 2000, 2000, 600_000, 5_000).steps]


@dataclass(slots=True)
class BenchTable:
    """One table at real speed; `committed` are the times (s) at which the record grew, by its number of plies.

    `candidates` are those at which faces first saw a candidate, by ply (from 1) and move, `turned` those at which they
    first saw so many presses. `told` is when the board or the plungers said something last. Whoever is asked which
    piece he has taken says that it was the one on `target`.
    """

    kind: str
    folder: Path
    committed: dict[int, float] = field(default_factory=dict)
    candidates: dict[tuple[int, str], float] = field(default_factory=dict)
    turned: dict[int, float] = field(default_factory=dict)
    decided: dict[int, float] = field(default_factory=dict)
    told: float = 0.0
    target: str = ""
    inputs: queue.SimpleQueue[Input | None] = field(default_factory=queue.SimpleQueue)

    def run(self) -> list[dict[str, float]]:
        """Plays a game; the times of each move in ms."""
        row = BOARDS[self.kind]
        outbox, timeline = Outbox.open(self.folder / f"{self.kind}.db"), Timeline()
        board, hands = simulated_board(self.kind)
        setup = BoardSetup(
            row.sensor,
            row.settle_ms,
            row.grace_ms,
            lagging=True,
            confirms=cast(Confirms, board),
            checked=row.checked,
            blinks=row.blinks,
        )
        core = TableCore(outbox, timeline, "boot", setup)
        clock, panel = simulated_clock("plungers")
        hands.set_up(chess.STARTING_BOARD_FEN)
        thread = threading.Thread(target=self._serve, args=(core, timeline), daemon=True)
        thread.start()
        for device in (board, clock):
            device.start(lambda report: self.inputs.put(FromDevice(report)))
        try:
            time.sleep(1.5)
            self.inputs.put(assigned(1, "r1b1"))
            self.inputs.put(started("r1b1"))
            return list(self._play(hands, panel))
        finally:
            for end in (board, clock, hands, panel):
                end.close()
            self.inputs.put(None)
            thread.join(timeout=5)
            outbox.close()

    def _serve(self, core: TableCore, timeline: Timeline) -> None:
        """The core's thread: what the service does with an event loop."""
        wait: float | None = None
        while True:
            try:
                item = self.inputs.get(timeout=wait)
            except queue.Empty:
                item = Tick()
            if item is None:
                return
            wait = None
            if isinstance(item, FromDevice) and isinstance(item.report, _TELLING):
                self.told = time.monotonic()
            for output in core.step([item]):
                if isinstance(output, Wake):
                    wait = max(0.001, timeline.real(output.t - timeline()))
                elif isinstance(output, Changed):
                    state, now = output.picture.state, time.monotonic()
                    plies = len(state.plies)
                    self.committed.setdefault(plies, now)
                    self.decided.setdefault(plies, now - self.told)
                    if state.clock is not None:
                        self.turned.setdefault(sum(state.clock.half(side).moves for side in SIDES), now)
                    for asked in state.questions:
                        if asked.about == CAPTURE:
                            said = {"side": asked.side, "id": asked.id, "value": self.target}
                            self.inputs.put(FromFace(1, "answer", said))
                    self.candidates.setdefault((plies + 1, output.picture.candidate), now)

    def _play(self, hands: Hands, panel: Any) -> Iterator[dict[str, float]]:
        dice, position = random.Random(self.kind), chess.Board()
        for ply, move in enumerate(moves_of(3)[:PLIES], 1):
            side = SIDES[(ply - 1) % 2]
            self.target = chess.square_name(move.to_square)
            for square, letter in touches(position, move):
                hands.change(square, letter)
                touched = time.monotonic()
                time.sleep(dice.uniform(0.12, 0.3))
            position.push(move)
            pressed = time.monotonic()
            panel.push(side)
            time.sleep(0.05)
            panel.release(side)
            time.sleep(dice.uniform(0.3, 0.8))
            while ply not in self.committed:
                if time.monotonic() - pressed > LOST_S:
                    raise ValueError(f"{self.kind}: {move.uci()} was not recorded")
                time.sleep(0.01)
            shown = self.candidates.get((ply, move.uci()), self.committed[ply])
            ends = {
                "turned": self.turned[ply] - pressed,
                "completed": self.committed[ply] - pressed,
                "decided": self.decided[ply],
            }
            yield {"shown": (shown - touched) * 1000, **{name: 1000 * seconds for name, seconds in ends.items()}}


def latencies(kinds: tuple[str, ...] = tuple(BOARDS)) -> list[Json]:
    """The times of a move by kind of board."""
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        tables = [BenchTable(kind, Path(folder)) for kind in kinds]

        def play(table: BenchTable) -> None:
            found[table.kind] = table.run()

        threads = [threading.Thread(target=play, args=(table,)) for table in tables]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return [
        {
            "what": f"a move on {kind}",
            "moves": len(found[kind]),
            **_spread("shown", found[kind]),
            **_spread("turned", found[kind]),
            **_spread("completed", found[kind]),
            **_spread("decided", found[kind]),
            "grace_ms": BOARDS[kind].grace_ms,
        }
        for kind in kinds
        if found.get(kind)
    ]


def _spread(name: str, moves: list[dict[str, float]]) -> Json:
    times = sorted(move[name] for move in moves)
    nineteen = times[int(len(times) * 0.95) - 1]
    return {f"{name}_median_ms": round(statistics.median(times), 1), f"{name}_p95_ms": round(nineteen, 1)}


def rest(kinds: tuple[str, ...] = ("dgt", "reed-spi"), seconds: float = REST_S) -> list[Json]:
    """CPU of a table whose clock runs and at which nobody moves, simulator and all."""
    rows = []
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            table = BenchTable(kind, Path(folder))
            row = BOARDS[kind]
            outbox, timeline = Outbox.open(Path(folder) / "rest.db"), Timeline()
            core = TableCore(
                outbox, timeline, "boot", BoardSetup(row.sensor, row.settle_ms, row.grace_ms, lagging=True)
            )
            board, hands = simulated_board(kind)
            hands.set_up(chess.STARTING_BOARD_FEN)
            thread = threading.Thread(target=table._serve, args=(core, timeline), daemon=True)
            thread.start()
            board.start(lambda report, table=table: table.inputs.put(FromDevice(report)))  # type: ignore[misc]
            table.inputs.put(assigned(1, "r1b1"))
            table.inputs.put(started("r1b1"))
            time.sleep(1.0)
            cpu, at = time.process_time(), time.monotonic()
            time.sleep(seconds)
            share = (time.process_time() - cpu) / (time.monotonic() - at)
            board.close()
            hands.close()
            table.inputs.put(None)
            thread.join(timeout=5)
            outbox.close()
            rows.append({"what": f"a table at rest, {kind}", "percent_of_a_core": round(100 * share, 2)})
    return rows


class TurnedTime(Timeline):
    """A timeline that is turned by hand: whatever a device tells happens now."""

    def __init__(self) -> None:
        super().__init__(1.0)
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now

    def at(self, boot_ms: int) -> int:
        return self.now


def day(hours: int = 24) -> list[Json]:
    """So many hours of games one after the other, a look each second; the memory after each quarter."""
    timeline, grown, games = TurnedTime(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        outbox = Outbox.open(Path(folder) / "day.db")
        core = TableCore(outbox, timeline, "boot", BoardSetup())
        moves = moves_of(3)
        end, quarter = timeline.now + hours * 3_600_000, timeline.now + hours * 900_000
        while timeline.now < end:
            games += 1
            for _step in _game(core, timeline, f"r{games}b1", games, moves):
                if timeline.now >= quarter:
                    grown.append(round(resident_mb(), 1))
                    quarter += hours * 900_000
        outbox.close()
    return [{"what": f"{hours} h of games", "games": games, "mb_by_quarter": grown}]


def _game(core: TableCore, timeline: TurnedTime, game: str, round_: int, moves: list[chess.Move]) -> Iterator[None]:
    position = chess.Board()
    core.step([FromDevice(BoardReport(timeline.now, position.board_fen())), assigned(round_, game), started(game)])
    for ply, move in enumerate(moves):
        for _second in range(THINK_MS // 1000):
            timeline.now += 1000
            core.step([Tick()])
        pieces = chess.BaseBoard(position.board_fen())
        for square, letter in touches(position, move):
            timeline.now += 150
            pieces.set_piece_at(square, None if letter == "." else chess.Piece.from_symbol(letter))
            core.step([FromDevice(BoardReport(timeline.now, pieces.board_fen()))])
        position.push(move)
        timeline.now += 300
        core.step([FromDevice(PressReport(timeline.now, SIDES[ply % 2]))])
        yield
    for item in RESIGNED:
        core.step([item])


def resident_mb() -> float:
    """Memory of this process that is in RAM."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def rows() -> list[Json]:
    """Everything, a minute or so."""
    return [*rest(), *latencies(), *day()]
