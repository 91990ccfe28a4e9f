"""`hallkiosk doctor`: what is plugged in, what works, and what to do about the rest."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tomllib
from gettext import gettext as _
from pathlib import Path

from kiosk.commands.arguments import Subparsers, fail

TABLE, HUB = Path("table.toml"), Path("hub.toml")
#: Where the appliance writes what it is.
APPLIANCE = Path("/run/hallkiosk")


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "doctor",
        help=_("look at every part of this machine and say what to mend"),
        description=_(
            "Tries every part that a table's file names, looks for boards that none names, and looks at pins, power, "
            "disk, log, keys, time, the hub and the program. Exit code 0: all is well, 1: something is to be mended, "
            "2: the file cannot be understood."
        ),
    )
    parser.add_argument(
        "--config",
        type=Path,
        help=_("a table's or hub's settings (default: table.toml, then hub.toml, here or of the appliance)"),
    )
    parser.add_argument("--json", action="store_true", help=_("every check as JSON"))
    parser.add_argument(
        "--hands", action="store_true", help=_("ask somebody to press, tap and lift, and tell what arrived")
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the findings; 1 if something failed."""
    from kiosk.doctor import examine
    from kiosk.doctor.report import as_json, as_text
    from kiosk.hub.config import ConfigError
    from kiosk.hub.config import load as load_hub
    from kiosk.settings import SettingsError
    from kiosk.table.config import load as load_table

    def tell(what: str) -> None:
        if not arguments.json and sys.stderr.isatty():
            print(f"{what} …", file=sys.stderr)

    def ask(what: str) -> None:
        print(what, file=sys.stderr, flush=True)

    path: Path | None = arguments.config or next(
        (path for path in (TABLE, HUB, APPLIANCE / TABLE, APPLIANCE / HUB) if path.exists()), None
    )
    try:
        if path is None:
            findings = examine.examine_machine(tell)
        elif is_hub(path):
            findings = examine.examine_hub(load_hub(path), tell)
        else:
            findings = examine.examine_table(load_table(path), tell, ask if arguments.hands else None)
    except (SettingsError, ConfigError) as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(as_json(findings), ensure_ascii=False))
    else:
        print(as_text(findings, colours=sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
    return 1 if any(finding.state == "fail" for finding in findings) else 0


def is_hub(path: Path) -> bool:
    """Whether a file is a hub's: a table's says which table it is. What cannot be read is judged as a table's."""
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return path.name == HUB.name
    return "table" not in settings and (path.name == HUB.name or "entries" in settings or "name" in settings)
