"""`hallkiosk bench`: CPU times of the engines on this machine."""

from __future__ import annotations

import argparse
import json
from gettext import gettext as _
from pathlib import Path
from typing import Any

from kiosk.commands.arguments import Subparsers, fail, int_between

NAMES = ("pairing", "tiebreaks", "hall", "table", "winnable")


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser("bench", help=_("measure the engines on this machine"))
    parser.add_argument("what", choices=NAMES, help=_("what to measure"))
    parser.add_argument("--csv", type=Path, help=_("with winnable: judge this file's positions, by category"))
    parser.add_argument(
        "--budget", type=int_between(1, 3_600_000), help=_("with --csv: CPU time for each position (ms)")
    )
    parser.add_argument("--json", action="store_true", help=_("the figures as JSON"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the figures: CPU time in ms, medians. Exit code 1 when a verdict contradicts the file."""
    from kiosk.bench import BENCHES

    if arguments.csv is not None:
        return _report(arguments)
    rows = BENCHES[arguments.what]()
    print(json.dumps(rows) if arguments.json else _columns(rows))
    return 0


def _report(arguments: argparse.Namespace) -> int:
    """The figures about a file of positions: see `kiosk.winnable_report`."""
    from kiosk import winnable_report
    from kiosk.winnable import WinnableError
    from rules.interchange.errors import InterchangeError

    if arguments.what != "winnable":
        return fail(_("--csv goes with winnable: hallkiosk bench winnable --csv FILE."))
    try:
        rows = winnable_report.report(arguments.csv, arguments.budget or winnable_report.BUDGET_MS)
    except (InterchangeError, WinnableError, OSError) as error:
        return fail(error)
    print(json.dumps(rows) if arguments.json else _columns(rows))
    return 1 if any(row["contradictions"] for row in rows) else 0


def _columns(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names] + [[str(row.get(name, "-")) for name in names] for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines)
