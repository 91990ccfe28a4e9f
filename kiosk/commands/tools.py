"""The tools that work without hub, network or screen."""

from __future__ import annotations

import argparse
import json
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import HallnetError
from kiosk.commands.arguments import Subparsers, fail, int_between


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    replay = commands.add_parser("replay", help=_("replay a clock, a game or an event from a file"))
    kinds = replay.add_subparsers(dest="kind", required=True, metavar=_("KIND"))
    clock = kinds.add_parser("clock", help=_("chess clock scenarios: a time control and its events"))
    clock.add_argument("file", type=Path)
    clock.add_argument("--json", action="store_true", help=_("the whole answer as JSON"))
    clock.set_defaults(run=replay_clock)
    event = kinds.add_parser("event", help=_("the state of an event from a hub's log"))
    event.add_argument("file", type=Path)
    event.add_argument("--until", type=int_between(0, 2**62), help=_("only up to this event of the log"))
    event.add_argument("--json", action="store_true", help=_("print JSON (the default)"))
    event.set_defaults(run=replay_event)
    game = kinds.add_parser("game", help=_("the state of a table from its log"))
    game.add_argument("file", type=Path)
    game.add_argument("--json", action="store_true", help=_("print JSON (the default)"))
    game.set_defaults(run=replay_game)


def replay_clock(arguments: argparse.Namespace) -> int:
    """Prints what the clock really did; 1 if a scenario expected something else."""
    from kiosk.replay_clock import ReplayError, run

    try:
        answers, passed = run(arguments.file)
    except (ReplayError, OSError) as error:
        return fail(error)
    if arguments.json:
        print(json.dumps(answers, ensure_ascii=False))
    else:
        for answer in answers:
            print(f"{answer['id']}: {_('pass') if answer['pass'] else _('FAIL')}")
    return 0 if passed else 1


def replay_event(arguments: argparse.Namespace) -> int:
    """Prints the folded state of an event."""
    from kiosk.hub.replay import replay_event as told

    if not arguments.file.exists():
        return fail(_("{file}: no such file.").format(file=arguments.file))
    try:
        print(json.dumps(told(arguments.file, arguments.until), ensure_ascii=False, indent=1))
    except (HallnetError, OSError, ValueError) as error:
        return fail(error)
    return 0


def replay_game(arguments: argparse.Namespace) -> int:
    """Prints the folded state of a table."""
    from kiosk.table.replay import replay_game as told

    if not arguments.file.exists():
        return fail(_("{file}: no such file.").format(file=arguments.file))
    try:
        print(json.dumps(told(arguments.file), ensure_ascii=False, indent=1))
    except (HallnetError, OSError, ValueError) as error:
        return fail(error)
    return 0
