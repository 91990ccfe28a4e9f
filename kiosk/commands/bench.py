"""`hallkiosk bench`: CPU times of the engines on this machine."""

from __future__ import annotations

import argparse
import json
from gettext import gettext as _
from typing import Any

from kiosk.commands.arguments import Subparsers

NAMES = ("pairing", "tiebreaks", "hall", "table", "winnable")


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser("bench", help=_("measure the engines on this machine"))
    parser.add_argument("what", choices=NAMES, help=_("what to measure"))
    parser.add_argument("--json", action="store_true", help=_("the figures as JSON"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the figures: CPU time in ms, medians."""
    from kiosk.bench import BENCHES

    rows = BENCHES[arguments.what]()
    print(json.dumps(rows) if arguments.json else _columns(rows))
    return 0


def _columns(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names] + [[str(row.get(name, "-")) for name in names] for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines)
