"""`hallkiosk bench`: what the engines cost here, as CPU time, medians, and ratios to a peer where one is installed.

Machines differ and are noisy, so the figures are for comparing: one size with another, one version with the next, us
with a peer in the same run. Every event and game comes from a fixed seed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import chess

from rules.interchange.trf import TrfEvent, write_trf16
from rules.laws import time_control
from rules.laws.clock import Clock
from rules.laws.events import Assigned, Assignment, GameEvent, Player, Press, Start
from rules.laws.game import PressClock, Refusal, decide, fold, replay
from rules.laws.generator import script
from rules.laws.sides import SIDES
from rules.laws.winnable import quick, winnable
from rules.pairing.dutch_engine import pair, pair_without_reasons
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import STANDARD, Amount, random_plan
from rules.pairing.event_state import state_before
from rules.tiebreaks.event_table import table_of
from rules.tiebreaks.ranking import ranking

Json = dict[str, Any]
SIZES = (50, 100, 200, 500, 1000, 2000)
ROUNDS = (2, 5, 9)
#: Twelve codes that look at opponents, games and orders.
CODES = ("BH/C1", "BH", "SB", "DE", "WIN", "WON", "BPG", "BWG", "PS", "FB", "AOB", "ARO")
#: Larger fields than this are not given to the peer: it would take minutes.
PEER_LARGEST = 200


def cpu_ms(tasks: Iterable[Callable[[], object]]) -> float:
    """The median CPU time of some tasks in ms."""
    times = []
    for task in tasks:
        begun = time.process_time_ns()
        task()
        times.append((time.process_time_ns() - begun) / 1e6)
    return round(median(times), 3)


def realistic_event(players: int, rounds: int = 9) -> TrfEvent:
    """An event of this size with some byes, absences, forfeits and withdrawals."""

    def share(percent: float) -> tuple[Amount, ...]:
        return (Amount(percent, True),)

    none = (Amount(),)
    plan = random_plan(
        players, players=players, rounds=rounds, half_byes=share(1), zero_byes=share(0.5), forfeits=share(0.8),
        full_byes=none, leaving=Amount(3, True), baku=False, forbidden=(), points=STANDARD, zero_zero=none,
        half_zero=none, zero_half=none, double_forfeits=none,
    )  # fmt: skip
    return generate(plan)


def pairing(sizes: Sequence[int] = SIZES, rounds: Sequence[int] = ROUNDS, repeat: int = 5) -> list[Json]:
    """A Dutch round by size and number: the engine alone, with its reasons, and py4swiss on the same file."""
    rows = []
    with TemporaryDirectory() as folder:
        for size in sizes:
            event = realistic_event(size)
            for number in rounds:
                states = [state_before(event, number) for _run in range(2 * repeat)]
                mine = cpu_ms([lambda s=state: pair_without_reasons(s) for state in states[:repeat]])  # type: ignore[misc]
                told = cpu_ms([lambda s=state: pair(s) for state in states[repeat:]])  # type: ignore[misc]
                row = {"players": size, "round": number, "pairs_ms": mine, "with_reasons_ms": told}
                peer = _peer(event, number, Path(folder)) if size <= PEER_LARGEST else None
                if peer is not None:
                    theirs = cpu_ms([peer] * repeat)
                    row |= {"py4swiss_ms": theirs, "ratio": round(mine / theirs, 3)}
                rows.append(row)
    return rows


def _peer(event: TrfEvent, number: int, folder: Path) -> Callable[[], object] | None:
    """Pairing the same round with py4swiss; None when it is not installed."""
    if importlib.util.find_spec("py4swiss") is None:
        return None
    from py4swiss.engines import DutchEngine  # type: ignore[import-not-found,unused-ignore]
    from py4swiss.trf import TrfParser  # type: ignore[import-not-found,unused-ignore]

    players = []
    for player in event.players:
        away = player.cell(number)
        cells = (*player.cells[: number - 1], *((away,) if away.result in ("H", "Z", "F") else ()))
        players.append(replace(player, cells=cells, points=sum(event.point_system.value(cell) for cell in cells)))
    path = folder / "round.trf"
    path.write_bytes(write_trf16(replace(event, players=tuple(players), comments=())))
    return lambda: DutchEngine.generate_pairings(TrfParser.parse(path))


def tiebreaks(sizes: Sequence[int] = (200, 2000), repeat: int = 9) -> list[Json]:
    """Standings by twelve codes after nine rounds, in all and for each game; the sizes take turns on the machine."""
    events = {size: realistic_event(size) for size in sizes}
    times: dict[int, list[float]] = {size: [] for size in sizes}
    for _run in range(repeat):
        for size, event in events.items():
            times[size].append(cpu_ms([lambda e=event: ranking(table_of(e, 9), CODES)]))  # type: ignore[misc]
    return [
        {
            "players": size,
            "codes": len(CODES),
            "ms": round(median(taken), 3),
            "us_per_game": round(median(taken) * 1000 / (size * 9), 2),
        }
        for size, taken in times.items()
    ]


def _game() -> tuple[GameEvent, ...]:
    """The log of a game of 80 moves: a start, plies and presses."""
    white, black = Player(1, "White"), Player(2, "Black")
    assignment = Assignment("Bench", 1, 1, "r1b1", 1, white, black, "90+30")
    events: list[GameEvent] = [Assigned(0, 1, 1, assignment), Start(1_000)]
    state = replay(events)
    t, shuffle = 1_000, ("g1f3", "g8f6", "f3g1", "f6g8")
    moves = [step.uci for step in script(1, 1, 0, 2000, 2000, 600_000, 5_000, "seventy-five-moves").steps] or shuffle
    for ply, uci in enumerate(moves[:160]):
        t += 2_000
        answer = decide(state, PressClock(SIDES[ply % 2], uci, t - 100), t)
        if isinstance(answer, Refusal):
            break
        events += answer
        state = replay(answer, state)
    return tuple(events)


def whole_table() -> list[Json]:
    """A table's game in the Laws, and a table with each kind of board: latency, rest, a day; two minutes or so."""
    from kiosk import bench_table

    return [*table(), *bench_table.rows()]


def table(repeat: int = 21) -> list[Json]:
    """What a table's game costs: folding its whole log, deciding one press, folding one event, the clock alone."""
    log = _game()
    half = next(at for at in range(len(log) // 2, len(log)) if isinstance(log[at], Press))
    middle = replay(log[: half + 1])
    press = PressClock(middle.turn, next(iter(middle.position.legal_moves)).uci(), middle.t + 1_000)
    answer = decide(middle, press, middle.t + 1_100)
    if isinstance(answer, Refusal):
        raise ValueError(answer.why)
    clock, t = middle.clock or Clock.new(time_control.parse("90+30")), middle.t + 1_100
    return [
        {"what": "fold a whole game", "events": len(log), "ms": cpu_ms([lambda: replay(log)] * repeat)},
        {"what": "decide a press", "ms": cpu_ms([lambda: decide(middle, press, middle.t + 1_100)] * repeat)},
        {"what": "fold an event", "ms": cpu_ms([lambda: fold(middle, answer[0])] * repeat)},
        {"what": "press the clock", "ms": cpu_ms([lambda: clock.press(t, middle.turn)] * repeat)},
    ]


def verdicts(games: int = 40) -> list[Json]:
    """Whether either side can still mate in the last positions of generated games: the live check and the search."""
    boards = []
    for number in range(games):
        board = chess.Board()
        for step in script(7, 1 + number // 10, number % 10, 1900, 1900, 600_000, 5_000).steps:
            board.push_uci(step.uci)
        boards.append(board)
    live = [lambda b=board, s=side: quick(b, s) for board in boards for side in SIDES]
    search = [lambda b=board, s=side: winnable(b, s, nodes=20_000) for board in boards for side in SIDES]
    return [
        {"what": "live check", "positions": len(live), "median_ms": cpu_ms(live)},
        {"what": "search", "positions": len(search), "median_ms": cpu_ms(search)},
    ]


def hall() -> list[Json]:
    """A hall of a thousand simulated tables over the network, on this machine's loopback; takes a minute or two."""
    from kiosk import bench_hall

    return bench_hall.rows()


#: Name of the bench → what it measures.
BENCHES: dict[str, Callable[[], list[Json]]] = {
    "pairing": pairing,
    "tiebreaks": tiebreaks,
    "hall": hall,
    "table": whole_table,
    "winnable": verdicts,
}
