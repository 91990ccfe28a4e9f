"""The `hallkiosk` command: parse, call, print. Exit codes: 0 fine, 1 the answer is no, 2 bad input or cannot judge."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from gettext import gettext as _
from importlib.metadata import version

from kiosk import i18n
from kiosk.commands import bench, convert, demo, doctor, enrol, faces, pairing, provision, services, tools, wall


def build_parser() -> argparse.ArgumentParser:
    """All commands with their options and help texts."""
    parser = argparse.ArgumentParser(
        prog="hallkiosk",
        description=_("A chess tournament hall: table clocks, a hub, an arbiter's desk."),
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", action="version", version=_version(), help=_("print the version and the editions of the rules")
    )
    parser.add_argument("--verbose", action="store_true", help=_("say more in the log on stderr"))
    commands = parser.add_subparsers(dest="command", required=True, metavar=_("COMMAND"))
    for module in (demo, services, enrol, provision, faces, wall, pairing, convert, tools, doctor, bench):
        module.add(commands)
    return parser


def _version() -> str:
    return _("hallkiosk {version} (pairing: FIDE Dutch, edition 2026; tie-breaks: FIDE C.07, edition 2026)").format(
        version=version("hallkiosk")
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point; returns the exit code."""
    i18n.bind()
    arguments = build_parser().parse_args(argv)
    logging.basicConfig(
        level=logging.INFO if arguments.verbose else logging.WARNING,
        stream=sys.stderr,
        format="%(asctime)s %(name)s %(levelname)s %(message)s",
    )
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more can be said to him (Python's own advice).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code
