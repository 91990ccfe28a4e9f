"""`hallkiosk hub` and `hallkiosk table`: the two services, each alone."""

from __future__ import annotations

import argparse
import asyncio
import signal
from gettext import gettext as _
from pathlib import Path

from hallnet.errors import HallnetError
from kiosk.commands.arguments import Subparsers, fail


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    hub = commands.add_parser("hub", help=_("run the hub of a hall"))
    hub.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("settings (default: hub.toml)"))
    hub.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    hub.set_defaults(run=run_hub)
    table = commands.add_parser("table", help=_("run a table"))
    table.add_argument(
        "--config",
        type=Path,
        action="append",
        help=_("settings (default: table.toml); given several times, several tables run in this process"),
    )
    table.add_argument("--with-parent", action="store_true", help=argparse.SUPPRESS)
    table.set_defaults(run=run_tables)


def run_hub(arguments: argparse.Namespace) -> int:
    """Serves a hall until it is told to end."""
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

    return asyncio.run(service.run_hub(settings, ready))


def run_tables(arguments: argparse.Namespace) -> int:
    """Serves one or several tables until told to end."""
    from drivers.errors import DriverError
    from kiosk.settings import SettingsError, read_settings
    from kiosk.table.config import TableConfig
    from kiosk.table.service import run_all

    _follow_parent(arguments)
    try:
        configs = [read_settings(path, TableConfig) for path in arguments.config or [Path("table.toml")]]
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


def _follow_parent(arguments: argparse.Namespace) -> None:
    """A part of a demonstration ends when the process that started it is gone (Linux: PR_SET_PDEATHSIG)."""
    if arguments.with_parent:
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)
