"""`hallkiosk hub` and `hallkiosk table`: the two services, each alone."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import HallnetError
from kiosk import notify
from kiosk.commands.arguments import Subparsers, fail
from kiosk.commands.provision import START_S
from kiosk.loading import loading


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    hub = commands.add_parser("hub", help=_("run the hub of a hall"))
    hub.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("settings (default: hub.toml)"))
    hub.add_argument("--with-parent", type=int, default=0, metavar="PID", help=argparse.SUPPRESS)
    group = hub.add_mutually_exclusive_group()
    group.add_argument("--standby", action="store_true", help=_("copy another hub's log, and wait to take its place"))
    group.add_argument("--take-over", action="store_true", help=_("take the place of the hub whose log was copied"))
    hub.set_defaults(run=run_hub)
    keep = commands.add_parser("backup", help=_("copy the hub's log, while it runs or not"))
    keep.add_argument("out", type=Path, metavar=_("FILE"), help=_("where the copy goes"))
    keep.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("the hub's settings"))
    keep.set_defaults(run=run_backup)
    back = commands.add_parser("restore", help=_("put a copy in the place of the hub's log; the hub must not run"))
    back.add_argument("copy", type=Path, metavar=_("FILE"), help=_("a copy made with backup"))
    back.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("the hub's settings"))
    back.set_defaults(run=run_restore)
    table = commands.add_parser(
        "table",
        help=_("run a table"),
        description=_(
            "Runs the tables that the settings name. With --simulate there is no table: this program plays the part "
            "of a board. It prints the port first; any program may open it as if a real board were plugged in. Then "
            'type what hands do, a line each: a move such as e2e4 or Nf3, "lift e2", "put e4 P", "fen ..." or "start".'
        ),
    )
    table.add_argument(
        "--config",
        type=Path,
        action="append",
        help=_("settings (default: table.toml); given several times, several tables run in this process"),
    )
    table.add_argument(
        "--simulate", metavar=_("KIND"), help=_("be a simulated board: dgt, chesslink, certabo, sentio or chessnut")
    )
    table.add_argument("--with-parent", type=int, default=0, metavar="PID", help=argparse.SUPPRESS)
    table.set_defaults(run=run_tables)


def run_hub(arguments: argparse.Namespace) -> int:
    """Serves a hall until it is told to end."""
    with loading():
        from kiosk.hub import config, service

    _follow_parent(arguments)
    try:
        settings = config.load(arguments.config)
    except config.ConfigError as error:
        return fail(error)

    def ready(info: dict[str, object]) -> None:
        print(
            _("The hall {name} is open on port {port} (process {pid}).").format(
                name=settings.name, port=info["port"], pid=info["pid"]
            ),
            flush=True,
        )

    if not arguments.standby:
        return asyncio.run(service.run_hub(settings, ready, arguments.take_over))
    from kiosk.hub.standby import WORDS, has_taken_over, stand_by

    def standing(_info: dict[str, object]) -> None:
        print(
            _("This hub stands by for {primary}. To take its place, type: {words}").format(
                primary=settings.primary, words=WORDS
            ),
            flush=True,
        )

    if not settings.primary:
        return fail(_('{file}: a standby needs primary = "host:port" of the hub.').format(file=arguments.config))
    try:
        before = has_taken_over(settings)
        if before != "no":
            return asyncio.run(service.run_hub(settings, ready, take_over=before == "begun"))
        if not asyncio.run(stand_by(settings, standing)):
            return 0
    except HallnetError as error:
        return fail(error)
    notify.about_to_start(START_S)
    return asyncio.run(service.run_hub(settings, ready, take_over=True))


def run_backup(arguments: argparse.Namespace) -> int:
    """Copies the hub's log."""
    from hallnet.backup import backup
    from kiosk.hub import config

    try:
        count = backup(config.load(arguments.config).data / "hall.db", arguments.out)
    except (config.ConfigError, HallnetError) as error:
        return fail(error)
    print(_("{file}: {count} events of the tournament, and all that the tables sent.").format(
        file=arguments.out, count=count))  # fmt: skip
    return 0


def run_restore(arguments: argparse.Namespace) -> int:
    """Puts a copy in the place of the hub's log."""
    from hallnet.backup import restore
    from kiosk.hub import config

    try:
        settings = config.load(arguments.config)
        aside = restore(arguments.copy, settings.data)
    except (config.ConfigError, HallnetError) as error:
        return fail(error)
    if aside is not None:
        print(_("The log that was there is now {file}.").format(file=aside))
    print(_("Start the hub: the tables send again what the copy lacks."))
    return 0


def run_tables(arguments: argparse.Namespace) -> int:
    """Serves one or several tables until told to end."""
    with loading():
        from drivers.errors import DriverError
        from kiosk.settings import SettingsError
        from kiosk.table.config import load
        from kiosk.table.service import run_all

    _follow_parent(arguments)
    if arguments.simulate:
        return _simulate(arguments.simulate)
    try:
        configs = [load(path) for path in arguments.config or [Path("table.toml")]]
        asyncio.run(run_all(configs))
    except (SettingsError, HallnetError, DriverError) as error:
        return fail(error)
    except PermissionError as error:
        return fail(
            _("{path}: no permission: run as the user who owns the folder, or name another in the settings.").format(
                path=error.filename
            )
        )
    return 0


def _simulate(kind: str) -> int:
    """Plays the part of a board until it is stopped."""
    from drivers.errors import DriverError
    from kiosk.table.simulate import simulate

    try:
        simulate(kind, sys.stdin, lambda words: print(words, flush=True), signal.pause)
    except KeyboardInterrupt:
        return 0
    except DriverError as error:
        return fail(error)
    return 0


def _follow_parent(arguments: argparse.Namespace) -> None:
    """A part of a demonstration ends when the process that started it is gone (Linux: PR_SET_PDEATHSIG)."""
    if arguments.with_parent:
        from hallnet.nats_server import end_with_parent

        end_with_parent()
        if os.getppid() != arguments.with_parent:
            sys.exit(0)  # it was gone before anybody could be told
