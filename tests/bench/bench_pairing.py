"""How long a Dutch round takes: CPU seconds by size and round, beside py4swiss where that is installed.

    python tests/bench/bench_pairing.py [--sizes 50,100,200] [--rounds 2,5,9] [--repeat 5] [--peer-largest 500]

Events are generated from a fixed seed (nine rounds, some byes, absences and forfeits). `pairs` is the engine alone,
from the state before the round; `reasons` adds the explanation in words. The peer pairs the same file by the edition it
knows (2017). `--hard N` reports the slowest round of N small events with many rounds, byes and forfeits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rules.interchange.trf import TrfEvent, write_trf16
from rules.pairing.dutch_engine import pair, pair_without_reasons
from rules.pairing.event_generator import generate
from rules.pairing.event_plan import STANDARD, Amount, random_plan
from rules.pairing.event_state import state_before
from rules.pairing.state import PairingAnswer, PairingState

SIZES = (50, 100, 200, 500, 1000, 2000)


def event(players: int, seed: int, rounds: int = 9) -> TrfEvent:
    """A realistic event of this size."""

    def share(percent: float) -> tuple[Amount, ...]:
        return (Amount(percent, True),)

    plan = random_plan(
        seed, players=players, rounds=rounds, half_byes=share(1), zero_byes=share(0.5), forfeits=share(0.8),
        full_byes=(Amount(),), leaving=Amount(3, True), baku=False, forbidden=(), points=STANDARD,
        zero_zero=(Amount(),), half_zero=(Amount(),), zero_half=(Amount(),), double_forfeits=(Amount(),),
    )  # fmt: skip
    return generate(plan)


def seconds(task: Callable[[], object], repeat: int) -> float:
    """The median CPU time of some runs."""
    times = []
    for _run in range(repeat):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return median(times)


def peer_task(found: TrfEvent, number: int, folder: Path) -> Callable[[], object] | None:
    """Pairing the same round with py4swiss, its file already read; None when it is not installed."""
    try:
        from py4swiss.engines import DutchEngine  # type: ignore[import-not-found,unused-ignore]
        from py4swiss.trf import TrfParser  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    players = []
    for p in found.players:
        kept = p.cells[: number - 1]
        away = p.cell(number)
        cells = (*kept, away) if away.result in ("H", "Z", "F") else kept
        points = sum(found.point_system.value(c) for c in cells)
        players.append(replace(p, cells=cells, points=points))
    path = folder / "round.trf"
    path.write_bytes(write_trf16(replace(found, players=tuple(players), comments=())))

    def run() -> Any:
        return DutchEngine.generate_pairings(TrfParser.parse(path))

    return run


def table(sizes: list[int], rounds: list[int], repeat: int, peer_largest: int) -> None:
    """One line for every size and round."""
    print(f"{'players':>7} {'round':>5} {'pairs s':>9} {'reasons s':>9} {'py4swiss s':>10} {'ratio':>7}")
    with TemporaryDirectory() as folder:
        for size in sizes:
            found = event(size, seed=size)
            for number in rounds:

                def state(found: TrfEvent = found, number: int = number) -> PairingState:
                    return state_before(found, number)

                states = [state() for _run in range(2 * repeat)]
                mine = seconds(lambda states=states: pair_without_reasons(states.pop()), repeat)
                told = seconds(lambda states=states: pair(states.pop()), repeat)
                task = peer_task(found, number, Path(folder)) if size <= peer_largest else None
                peer = seconds(task, min(repeat, 3)) if task else None
                ratio = f"{mine / peer:7.3f}" if peer else f"{'-':>7}"
                other = f"{peer:10.3f}" if peer else f"{'-':>10}"
                print(f"{size:7} {number:5} {mine:9.4f} {told:9.4f} {other} {ratio}", flush=True)


def hard(events: int) -> None:
    """The slowest round among small fields with nearly as many rounds as players."""
    worst: list[tuple[float, int, int, int]] = []

    for seed in range(events):
        rng = Random(seed)
        players = rng.randint(5, 40)

        def timed(state: PairingState, seed: int = seed) -> PairingAnswer:
            start = time.process_time()
            try:
                return pair_without_reasons(state)
            finally:
                worst.append((time.process_time() - start, len(state.present), state.round, seed))

        plan = random_plan(
            seed, players=players, rounds=min(players - 1, 25), half_byes=(Amount(rng.choice((5, 15, 30)), True),),
            forfeits=(Amount(rng.choice((0, 10, 30)), True),),
        )  # fmt: skip
        generate(plan, timed)
    worst.sort(reverse=True)
    print(f"{events} hard events, {len(worst)} rounds; the slowest:")
    for taken, present, number, seed in worst[:5]:
        print(f"{taken:9.4f} s: {present} players, round {number}, seed {seed}")


def main() -> None:
    """Reads the options and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--rounds", default="2,5,9")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peer-largest", type=int, default=200)
    parser.add_argument("--hard", type=int, default=0)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",") if size]
    table(sizes, [int(n) for n in options.rounds.split(",")], options.repeat, options.peer_largest)
    if options.hard:
        hard(options.hard)


if __name__ == "__main__":
    main()
