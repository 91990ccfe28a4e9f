"""The `hallkiosk` command: parse, call, print. Exit codes: 0 fine, 1 the answer is no, 2 bad input or cannot judge."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from gettext import gettext as _
from importlib import import_module
from typing import Any

from kiosk import i18n
from kiosk.loading import loading

#: The modules of `kiosk.commands` in the order of the help text, each with its commands.
MODULES = {
    "demo": ("demo",),
    "services": ("hub", "backup", "restore", "table"),
    "enrol": ("enrol",),
    "provision": ("provision",),
    "faces": ("screen", "desk"),
    "wall": ("wall",),
    "pairing": ("pair", "check", "generate"),
    "convert": ("convert",),
    "tools": ("replay", "winnable", "standings"),
    "doctor": ("doctor",),
    "bench": ("bench",),
}


class _Version(argparse.Action):
    """Looks the version up only when somebody asks for it."""

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        print(_version())
        parser.exit()


def build_parser(command: str = "") -> argparse.ArgumentParser:
    """All commands with their options and help texts; of a known `command` only the module that it is in.

    A table's start is waited for: what other commands need is not loaded for it.
    """
    parser = argparse.ArgumentParser(
        prog="hallkiosk",
        description=_("A chess tournament hall: table clocks, a hub, an arbiter's desk."),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, help=_("print the version and the editions of the rules"))
    parser.add_argument("--verbose", action="store_true", help=_("say more in the log on stderr"))
    commands = parser.add_subparsers(dest="command", required=True, metavar=_("COMMAND"))
    wanted = [name for name, held in MODULES.items() if command in held] or list(MODULES)
    for name in wanted:
        import_module(f"kiosk.commands.{name}").add(commands)
    return parser


def _version() -> str:
    from importlib.metadata import version

    return _("hallkiosk {version} (pairing: FIDE Dutch, edition 2026; tie-breaks: FIDE C.07, edition 2026)").format(
        version=version("hallkiosk")
    )


def main(argv: Sequence[str] | None = None) -> int:
    """The entry point; returns the exit code."""
    i18n.bind()
    words = sys.argv[1:] if argv is None else argv
    with loading():
        parser = build_parser(next((word for word in words if not word.startswith("-")), ""))
    arguments = parser.parse_args(words)
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
