"""`hallkiosk wall`: what spectators see."""

from __future__ import annotations

import argparse
import asyncio
import signal
import tomllib
from gettext import gettext as _
from pathlib import Path

from kiosk.commands.arguments import Subparsers, fail


def add(commands: Subparsers) -> None:
    """Adds the command to the parser."""
    wall = commands.add_parser(
        "wall",
        help=_("pairings, results and standings for spectators"),
        description=_("Serves the files that a hub with feed = true writes, as web pages: it can only read them."),
    )
    wall.add_argument("--web", action="store_true", required=True, help=_("as pages for browsers"))
    wall.add_argument("--config", type=Path, default=Path("hub.toml"), help=_("the hub's settings"))
    wall.add_argument("--feed", type=Path, help=_("the folder of the feed, if it is not beside the hub's log"))
    wall.add_argument("--host", default="127.0.0.1", help=_("the address to serve on (default: this machine alone)"))
    wall.add_argument("--port", type=int, default=8080, help=_("the port to serve on (default: 8080)"))
    wall.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is told to end."""
    from kiosk.wall import web

    try:
        folder = arguments.feed or _feed(arguments.config)
    except ValueError as error:
        return fail(error)

    def ready(port: int) -> None:
        print(_("Spectators' pages: http://{host}:{port}/").format(host=arguments.host, port=port), flush=True)

    async def serve() -> None:
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        await web.serve(folder, arguments.host, arguments.port, ready, ended)

    try:
        asyncio.run(serve())
    except (OSError, OverflowError) as error:
        return fail(
            _("{host}:{port} cannot be served on ({error}): choose another with --host and --port.").format(
                host=arguments.host, port=arguments.port, error=getattr(error, "strerror", None) or error
            )
        )
    return 0


def _feed(config: Path) -> Path:
    """The folder of the feed by the hub's settings. Raises `ValueError` with a sentence."""
    try:
        table = tomllib.loads(config.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ValueError(
            _("{file}: {error}; or name the feed's folder with --feed.").format(file=config, error=why)
        ) from None
    if not table.get("feed"):
        raise ValueError(
            _("{file}: write feed = true and start the hub again: it writes the files.").format(file=config)
        )
    return config.resolve().parent / str(table.get("data", "hallkiosk-hub")) / "feed"
