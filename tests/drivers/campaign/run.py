"""Runs a part of the campaign: python -m tests.drivers.campaign.run --kinds dgt,sentio --games 0:100 [--faults]."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from tests.drivers.campaign.boards import KINDS
from tests.drivers.campaign.table import Outcome, Played, trouble_of

VERDICTS = ("exact", "asked", "wrong", "silent")
#: What is asked or told although nothing is wrong with the board or the link.
QUESTIONS = ("promotion_needed", "capture_ambiguous")


def outcomes(kind: str, numbers: Iterable[int], faults: bool) -> list[Outcome]:
    """Plays games on a kind of board."""
    return [Played(kind, number, trouble_of(kind, number) if faults else "").play() for number in numbers]


def summary(found: Sequence[Outcome], by: str = "kind") -> list[dict[str, Any]]:
    """One row for each kind of board, or each fault: games, plies, verdicts, questions and alarms.

    Then how long a pressed move took to be certain: from its press ("press ms"), and from the press or the last that
    the board has told, whichever was later ("told ms"); median and 95th percentile.
    """
    rows = []
    for name in dict.fromkeys(getattr(outcome, by) for outcome in found):
        games = [outcome for outcome in found if getattr(outcome, by) == name]
        codes = sum((Counter(outcome.codes) for outcome in games), Counter())
        verdicts = Counter(outcome.verdict for outcome in games)
        rows.append(
            {
                by: name,
                "games": len(games),
                "plies": sum(outcome.plies for outcome in games),
                **{verdict: verdicts[verdict] for verdict in VERDICTS},
                "questions": sum(codes[code] for code in QUESTIONS),
                "alerts": sum(codes.values()) - sum(codes[code] for code in QUESTIONS),
                "press ms": _middle([wait.press for outcome in games for wait in outcome.waits]),
                "told ms": _middle([wait.told for outcome in games for wait in outcome.waits]),
            }
        )
    return rows


def _middle(times: list[int]) -> str:
    """Median and 95th percentile."""
    times = sorted(times) or [0]
    return f"{times[len(times) // 2]}/{times[len(times) * 95 // 100]}"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""
    if not rows:
        return ""
    names = list(rows[0])
    cells = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--games", default="0:20")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--json", help="every game's outcome as a JSON line is added to this file")
    options = parser.parse_args()
    first, last = map(int, options.games.split(":"))
    found: list[Outcome] = []
    for kind in options.kinds.split(","):
        for number in range(first, last):
            began = time.process_time()
            outcome = Played(kind, number, trouble_of(kind, number) if options.faults else "").play()
            found.append(outcome)
            if options.json:
                with open(options.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**asdict(outcome), "cpu_s": round(time.process_time() - began, 2)}) + "\n")
            if outcome.verdict != "exact":
                print(outcome, flush=True)
    print(table(summary(found)))
    if options.faults:
        print(table(summary(found, "fault")))


if __name__ == "__main__":
    main()
