"""`hallkiosk screen` and `hallkiosk desk`: the faces, each a client of its service."""

from __future__ import annotations

import argparse
import sys
import tomllib
from gettext import gettext as _
from pathlib import Path
from typing import TYPE_CHECKING

from hallnet.address import Address
from hallnet.errors import HallnetError
from kiosk.commands.arguments import Subparsers, fail
from kiosk.loading import loading

if TYPE_CHECKING:
    from hallnet.keys import Credentials


def add(commands: Subparsers) -> None:
    """Adds the commands to the parser."""
    screen = commands.add_parser("screen", help=_("the players' screen of a table"))
    screen.add_argument("--table", default="", help=_("the table, such as 3; in the hall that runs on this machine"))
    screen.add_argument("--socket", type=Path, help=_("the table's socket, if it is not found by itself"))
    screen.add_argument("--config", type=Path, help=_("the table's settings file"))
    screen.add_argument("--side", choices=("white", "black"), help=_("take this chair at a simulated table"))
    screen.add_argument("--visit", action="store_true", help=_("this screen may be left with F10"))
    screen.set_defaults(run=run_screen)
    desk = commands.add_parser("desk", help=_("the arbiter's desk"))
    desk.add_argument("--config", type=Path, help=_("the hub's settings file, or one with hub, event and hall"))
    desk.add_argument("--hub", default="", help=_("the transport's address, host:port"))
    desk.add_argument("--name", default="desk1", help=_("the name of this desk on the wire"))
    desk.set_defaults(run=run_desk)


def run_screen(arguments: argparse.Namespace) -> int:
    """Shows a table until it is left."""
    socket = arguments.socket
    found = False
    if socket is None and arguments.config is not None:
        from kiosk.settings import SettingsError
        from kiosk.table.config import load

        try:
            socket = load(arguments.config).socket
        except SettingsError as error:
            return fail(error)
    if socket is None:
        try:
            socket = _running_table(arguments.table)
        except ValueError as error:
            return fail(error)
        found = True
    if not _terminal():
        return 2
    with loading():
        from hallnet.table_client import TableClient
        from kiosk.screen.app import ScreenApp

    app = ScreenApp(TableClient(socket), visit=arguments.visit or found, side=arguments.side)
    app.run()
    return app.return_code or 0


def _running_table(table: str) -> Path:
    """The socket of a table in the newest hall of this machine that has it. Raises `ValueError` with a sentence."""
    if not table:
        raise ValueError(_("Say which table: hallkiosk screen --table 3."))
    from kiosk import running

    halls = running.halls()
    if not halls:
        raise ValueError(_("No hall runs on this machine: start one with make demo, or name the table with --socket."))
    for hall in halls:
        socket = Path(hall.data) / f"table-{table}.sock"
        if socket.exists():
            return socket
    there = sorted(
        (path.stem.removeprefix("table-") for path in Path(halls[0].data).glob("table-*.sock")),
        key=lambda name: (len(name), name),
    )
    raise ValueError(
        _("There is no table {table} in this hall. Its tables are {tables}.").format(
            table=table, tables=", ".join(there) or "-"
        )
    )


def run_desk(arguments: argparse.Namespace) -> int:
    """Shows the hall until it is left."""
    try:
        servers, address = _hall(arguments)
        credentials = _credentials(arguments)
    except (ValueError, HallnetError) as error:
        return fail(error)
    if not _terminal():
        return 2
    with loading():
        from hallnet.desk_client import DeskClient
        from hallnet.transport_nats import NatsTransport
        from kiosk import running
        from kiosk.desk.app import DeskApp

    halls = running.halls()

    def open_screen(table: str) -> list[str]:
        return [sys.executable, "-m", "kiosk", "screen", "--table", table, "--visit"]

    places = [f"nats://{place.strip()}" for place in servers.split(",")]
    client = DeskClient(NatsTransport(places, arguments.name, credentials), address, arguments.name)
    app = DeskApp(client, open_screen if halls else None)
    app.run()
    return app.return_code or 0


def _hall(arguments: argparse.Namespace) -> tuple[str, Address]:
    """The transport's address and the hall's: from the arguments, a settings file, or the hall that runs here."""
    if arguments.config is not None:
        try:
            table = tomllib.loads(arguments.config.read_text(encoding="utf-8"))
        except FileNotFoundError:
            words = _("{file}: no such file. Name the hub's settings with --config, or the hub with --hub.")
            raise ValueError(words.format(file=arguments.config)) from None
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ValueError(_("{file}: {error}").format(file=arguments.config, error=why)) from None
        port = table.get("port", 0)
        hub = (
            arguments.hub or table.get("hub") or (f"127.0.0.1:{port}" if port else _port_file(arguments.config, table))
        )
        return str(hub), Address(str(table.get("event", "event")), str(table.get("hall", "hall")))
    from kiosk import running

    halls = running.halls()
    if arguments.hub:
        return arguments.hub, Address(halls[0].event, halls[0].hall) if halls else Address("event", "hall")
    if not halls:
        raise ValueError(
            _("No hall runs on this machine: start one with make demo, or name the hub's settings with --config.")
        )
    return f"127.0.0.1:{halls[0].port}", Address(halls[0].event, halls[0].hall)


def _credentials(arguments: argparse.Namespace) -> Credentials | None:
    """The keys of this desk: from its settings file, else those of the desk on the hub's machine."""
    from hallnet.keys import Credentials
    from kiosk import running

    if arguments.config is None:
        halls = running.halls()
        return running.hub_credentials(Path(halls[0].data)) if halls and not arguments.hub else None
    table = tomllib.loads(arguments.config.read_text(encoding="utf-8"))
    if table.get("key"):
        return Credentials.load(Path(str(table["key"])).expanduser(), Path(str(table.get("ca", ""))).expanduser())
    return running.hub_credentials(arguments.config.resolve().parent / str(table.get("data", "hallkiosk-hub")))


def _port_file(config: Path, table: dict[str, object]) -> str:
    """A hub that took a free port has written it into `hub.json` of its folder."""
    import json

    path = config.resolve().parent / str(table.get("data", "hallkiosk-hub")) / "hub.json"
    try:
        return f"127.0.0.1:{json.loads(path.read_text(encoding='utf-8'))['port']}"
    except (OSError, ValueError, KeyError):
        raise ValueError(
            _(
                "{file} names no port and {info} is not there: start the hub first, or name it with --hub host:port."
            ).format(file=config, info=path)
        ) from None


def _terminal() -> bool:
    """A face needs a terminal; says so if there is none."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return True
    fail(_("This command needs a terminal: run it in one, not in a pipe."))
    return False
