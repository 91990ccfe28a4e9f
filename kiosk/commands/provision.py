"""`hallkiosk provision`: what the units of an appliance start; only `check` is for people."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path

from kiosk import notify
from kiosk.commands.arguments import Subparsers, fail
from kiosk.loading import loading

#: What a slow card and a busy processor may need to load the table or a face: TimeoutStartSec of the units.
START_S = 90


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    provision = commands.add_parser(
        "provision",
        help=_("turn hall.toml into a hub or a table (for systemd), or check one"),
        description=_("check FILE looks at a hall.toml before it goes on a card. The other acts are for systemd."),
    )
    acts = provision.add_subparsers(dest="act", required=True, metavar=_("ACT"))
    check = acts.add_parser("check", help=_("is this hall.toml right?"))
    check.add_argument("file", type=Path, metavar=_("FILE"), help=_("a hall.toml"))
    acts.add_parser("read", help=_("read the hall.toml of this machine, early at its start"))
    acts.add_parser("table", help=_("join the hall and be its table"))
    acts.add_parser("standby", help=_("join the hall and be its second hub"))
    acts.add_parser("face", help=_("show on a terminal what there is to see, then the table or the desk"))
    board = acts.add_parser("board", help=_("a board was plugged in"))
    board.add_argument("kind", metavar=_("KIND"))
    provision.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Does one act."""
    return _ACTS[arguments.act](arguments)


def _check(arguments: argparse.Namespace) -> int:
    from kiosk.provision.hall_file import read
    from kiosk.settings import SettingsError

    try:
        hall = read(arguments.file).hall
    except SettingsError as error:
        return fail(error)
    print(_("{file} is right: this machine will be {name}.").format(file=arguments.file, name=hall.host_name))
    return 0


def _read(_arguments: argparse.Namespace) -> int:
    from kiosk.provision.places import Places
    from kiosk.provision.plan import report

    return report(Places())


def _table(_arguments: argparse.Namespace) -> int:
    with loading():
        from kiosk.provision.join import become_table
        from kiosk.provision.places import Places

    return _join(lambda: become_table(Places()), become)


def _standby(_arguments: argparse.Namespace) -> int:
    from kiosk.provision.join import become_standby
    from kiosk.provision.places import Places

    return _join(lambda: become_standby(Places(device="standby")), become_anew)


def _join(way: Callable[[], list[str]], then: Callable[[list[str]], int]) -> int:
    from hallnet.errors import HallnetError
    from kiosk.settings import SettingsError

    try:
        words = way()
    except (SettingsError, HallnetError) as error:
        return fail(error)
    except OSError as error:
        return fail(_("{path} cannot be used: {error}").format(path=error.filename, error=error.strerror))
    return then(words)


def _face(_arguments: argparse.Namespace) -> int:
    with loading():
        from kiosk.provision.face import look
        from kiosk.provision.places import Places

    words = look(Places())
    if sys.stdout.isatty():
        # The faces paint on standard error, which the unit sends to the journal so that no message writes over them.
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    return become(words)


def _board(arguments: argparse.Namespace) -> int:
    from kiosk.provision.boards import arrived
    from kiosk.provision.places import Places

    if arrived(Places(), arguments.kind):
        print(_("the table starts again with the {kind} board").format(kind=arguments.kind), file=sys.stderr)
    return 0


def become(words: list[str]) -> int:
    """This process is another command from here on: the same unit, the same watchdog, what is loaded already."""
    from kiosk.cli import main

    sys.stdout.flush()
    notify.about_to_start(START_S)
    return main(words)


def become_anew(words: list[str]) -> int:
    """The same in a fresh process, where others tell by its words what it is."""
    sys.stdout.flush()
    notify.about_to_start(START_S)
    os.execv(sys.executable, [sys.executable, "-I", "-m", "kiosk", *words])


_ACTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "check": _check,
    "read": _read,
    "table": _table,
    "standby": _standby,
    "face": _face,
    "board": _board,
}
